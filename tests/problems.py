"""Random problems for the tests: small numbers of several kinds, repeated rows, rows and columns of zeros, k classes.

Hypothesis draws the shape and a seed, NumPy the numbers: drawing each number by itself would be many times slower.
"""

from dataclasses import dataclass, replace
from itertools import cycle, islice

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from scipy.optimize import nnls

#: Half as many examples, for tests that each of dozens of learners runs.
few = settings(max_examples=settings.default.max_examples // 2)

#: Below, at and above the 16 lanes of a score, multiples of 16 and not.
FEATURES = (1, 2, 3, 5, 15, 16, 17, 33, 40)
#: 2: one weight vector; then each way of packing class vectors: 4, 8, 8 + 8, 16 + 4, 16 + 8.
CLASSES = (2, 3, 5, 9, 17, 20)
KINDS = ("integers", "eighths", "normal", "wild")
#: Parameters with which estimators that are for models look for a proof, as a perceptron does by itself.
SEARCH = {"max_iter": 1000, "tol": 1e-4}


def numbers(rng, shape, kind):
    """Small integers, small eighths (both exact in sums), normal deviates, or such over six orders of magnitude."""
    if kind == "integers":
        return rng.integers(-3, 4, shape).astype(float)
    if kind == "eighths":
        return rng.integers(-24, 25, shape) / 8
    x = rng.standard_normal(shape)
    return x if kind == "normal" else x * 10.0 ** rng.integers(-3, 4, shape)


def for_classes(rule, n):
    """The rule with as many numbers as classes, where it has one for each: they come again and again."""
    by_class = {name: value for name, value in rule.parameters.items() if isinstance(value, tuple)}
    return replace(rule, **{name: tuple(islice(cycle(value), n)) for name, value in by_class.items()})


@dataclass
class Problem:
    """Rows, codes of their classes (each at least once), numbers to regress on, weights, and a seed for orders."""

    X: np.ndarray
    codes: np.ndarray
    targets: np.ndarray
    weight: np.ndarray
    n_classes: int
    seed: int

    def orders(self, passes, rows=None):
        """What a shuffled run visits: a fresh permutation of the rows per pass, from one generator."""
        rows = np.arange(len(self.X)) if rows is None else rows
        rng = np.random.Generator(np.random.PCG64(self.seed))
        return [rows[rng.permutation(len(rows))] for _ in range(passes)]


@st.composite
def problems(draw, classes=CLASSES, features=FEATURES, kinds=KINDS, dtypes=(np.float64, np.float32), max_rows=14):
    n_classes = draw(st.sampled_from(classes))
    d = draw(st.sampled_from(features))
    n = draw(st.integers(n_classes, max(max_rows, n_classes + 3)))
    kind = draw(st.sampled_from(kinds))
    density = draw(st.sampled_from((0.3, 0.8, 1.0)))
    repeats = draw(st.integers(0, n // 2))
    dtype = draw(st.sampled_from(dtypes))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    X = numbers(rng, (n, d), kind) * (rng.random((n, d)) < density)
    X[rng.integers(0, n, repeats)] = X[rng.integers(0, n, repeats)]  # the same row, perhaps of another class
    codes = rng.permutation(np.concatenate((np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))))
    weight = rng.choice([0.0, 0.5, 1.0, 1.7, 3.0], n)
    first = np.unique(codes, return_index=True)[1]
    weight[first] = rng.choice([0.5, 1.0, 2.0], len(first))  # every class has a row of weight
    X = np.ascontiguousarray(X, dtype)
    return Problem(X, codes.astype(np.int32), numbers(rng, n, kind), weight, n_classes, seed)


@st.composite
def separable(draw, bias=False, features=(1, 2, 3, 4, 6), max_rows=12):
    """Integer rows, y = ±1 and an integer separator (u, b), so that nothing is rounded: u·x + b is never 0."""
    d = draw(st.sampled_from(features))
    n = draw(st.integers(2, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    u = rng.integers(-3, 4, d)
    u[rng.integers(d)] = rng.choice([-2, -1, 1, 2])
    b = int(rng.integers(-2, 3)) if bias else 0
    X = rng.integers(-4, 5, (8 * n, d))
    X = np.vstack((X, *[s * 4 * np.sign(u)[None] for s in (1, -1)]))  # a row of each sign
    s = X @ u + b
    X, s = X[s != 0], s[s != 0]
    keep = np.unique(np.concatenate(([int(np.argmax(s)), int(np.argmin(s))], rng.integers(0, len(s), n))))
    keep = rng.permutation(keep)
    return X[keep].astype(float), np.sign(s[keep]), u.astype(float), float(b)


@st.composite
def separable_classes(draw, n_classes=(3, 4), features=(2, 3, 5), max_rows=10):
    """Integer rows and codes such that integer class vectors U give each row's class the largest score."""
    k, d = draw(st.sampled_from(n_classes)), draw(st.sampled_from(features))
    n = draw(st.integers(k, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    while True:
        U = rng.integers(-3, 4, (k, d))
        X = rng.integers(-3, 4, (200, d))
        two_best = np.sort(X @ U.T, axis=1)[:, -2:]
        X = X[two_best[:, 1] > two_best[:, 0]]
        codes = np.argmax(X @ U.T, axis=1)
        firsts = [np.flatnonzero(codes == c)[:1] for c in range(k)]
        if all(len(first) for first in firsts):
            keep = rng.permutation(np.unique(np.concatenate((*firsts, rng.integers(0, len(X), n)))))
            return X[keep].astype(float), codes[keep].astype(np.int32), U.astype(float)


def augmented(X, fit_intercept):
    """(x, 1) where there is a bias."""
    return np.column_stack((X, np.ones(len(X)))) if fit_intercept else np.asarray(X, float)


def signed(X, y):
    """z = y·x."""
    return np.asarray(X, float) * np.asarray(y)[:, None]


def against_rivals(X, codes, n_classes):
    """The vectors z with W·z = (W_y − W_r)·x, one for each row and wrong class, the class vectors stacked."""
    found = []
    for x, y in zip(np.asarray(X, float), codes):
        for r in set(range(n_classes)) - {int(y)}:
            z = np.zeros((n_classes, len(x)))
            z[y], z[r] = x, -x
            found.append(z.ravel())
    return np.array(found)


def best_margin(Z):
    """Proven (low, high) around γ* = max over unit u of min u·z, if that is ≥ 0; else (−inf, the least ‖Σ λz‖).

    The shortest vector of the convex hull of the z, by non-negative least squares: an active-set solver that shares
    nothing with the learners. Its direction u proves low = min u·z; its λ proves high = ‖Σ λ z‖.
    """
    Z = np.asarray(Z, float)
    scale = np.sqrt((Z**2).sum(axis=1).max()) or 1.0
    A = np.vstack((Z.T / scale, np.ones(len(Z))))
    target = np.zeros(len(A))
    target[-1] = 1.0
    lam = nnls(A, target)[0]
    lam /= lam.sum()
    v = lam @ Z
    high = float(np.linalg.norm(v))
    if high < 1e-9 * scale:
        return -np.inf, high
    return float((Z @ v).min() / high), high


def radius2(rows):
    """R²."""
    return float((np.asarray(rows, float) ** 2).sum(axis=1).max())


def vector(model, fit_intercept):
    """The weights of a fitted estimator as one vector: (w, b) of each class, stacked."""
    return np.column_stack((model.coef_, model.intercept_) if fit_intercept else (model.coef_,)).ravel()


def row_by_row(model, X, y, passes):
    """Stream the rows one at a time, over and over; after each, (its number, its scores before it was learned)."""
    classes = np.unique(y)
    scores = np.zeros(1 if len(classes) == 2 else len(classes))
    for i in islice(cycle(range(len(X))), passes * len(X)):
        if hasattr(model, "classes_"):
            scores = np.ravel(model.decision_function(X[i : i + 1]))
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes)
        yield i, scores
