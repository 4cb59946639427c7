"""The kernel perceptron of one example at a time, over the reference's judgement, and problems to run it on."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from problems import against_rivals, best_margin, numbers

import rosenblatt as rb
from rosenblatt.core import reference

PASSES = 3


def laplacian(A, B):
    """A kernel as users write them: a function of two blocks."""
    A, B = (M.toarray() if sp.issparse(M) else np.asarray(M) for M in (A, B))
    return np.exp(-np.abs(A[:, None, :] - B[None, :, :]).sum(axis=2))


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


#: Parameters of each kernel, and the same of one pair of rows in plain Python.
KERNELS = {
    "linear": ({"kernel": "linear"}, dot),
    "poly": ({"kernel": "poly", "gamma": 0.5, "degree": 3, "coef0": 1.5}, lambda a, b: (0.5 * dot(a, b) + 1.5) ** 3),
    "square": ({"kernel": "poly", "gamma": 1.0, "degree": 2, "coef0": 1.0}, lambda a, b: (dot(a, b) + 1) ** 2),
    "rbf": (
        {"kernel": "rbf", "gamma": 0.4},
        lambda a, b: math.exp(-0.4 * math.fsum((x - y) ** 2 for x, y in zip(a, b))),
    ),
    "sigmoid": ({"kernel": "sigmoid", "gamma": 0.3, "coef0": 0.2}, lambda a, b: math.tanh(0.3 * dot(a, b) + 0.2)),
    "callable": ({"kernel": laplacian}, lambda a, b: math.exp(-math.fsum(abs(x - y) for x, y in zip(a, b)))),
    "precomputed": ({"kernel": "precomputed"}, lambda a, b: math.exp(-math.fsum(abs(x - y) for x, y in zip(a, b)))),
}
SMOOTH = tuple(name for name in KERNELS if name != "square")


def table(kernel, A, B, bias=False):
    """K(a, b) + 1 or + 0, one pair at a time."""
    one = KERNELS[kernel][1]
    return np.array([[one(a, b) + bias for b in B.tolist()] for a in A.tolist()]).reshape(len(A), len(B))


class Twin(reference.Model):
    """The reference's judgement and rules over weights that are a list of (row, coefficients, time)."""

    def __init__(self, K, n_classes, rule, share="max", ties="mistake"):
        k = 1 if n_classes == 2 else n_classes
        form = "binary" if k == 1 else "ovr" if share == "ovr" else "multiclass"
        super().__init__(form, 0, k, ties=ties, share=share, number=float)
        self.K, self.rule, self.k, self.w, self.b = K, rule, k, [], []
        self.mistakes, self.updates = [], 0
        self.delicate = False  # a score within rounding of where the rule decides: both sides are then right

    def scores(self, i):
        if not self.w:
            return [0.0] * self.k
        rows, coef = zip(*((row, coef) for row, coef, _ in self.w))
        return (self.K[list(rows), i] @ np.array(coef)).tolist()

    def consider(self, rule, i, y, weight=1):
        judge = self._against_rivals if self.form == "multiclass" else self._against_zero
        return judge(rule, self.scores(i), float(self.K[i, i]), int(y), weight)

    def visit(self, rule, i, y, weight=1):
        step = self.consider(rule, i, y, weight)
        self.visited += 1
        edges = {0, getattr(rule, "margin", 1), getattr(rule, "beta", 1)}
        s = step.scores
        margins = [abs(v) for v in s] if self.form != "multiclass" else [s[y] - v for r, v in enumerate(s) if r != y]
        untouched = 0 in s  # a zero that is a sum of nothing, and so is that on both sides
        self.delicate |= any(abs(m - e) < 1e-9 and not (m == e == 0 and untouched) for m in margins for e in edges)
        if any(step.coef):
            self.w.append((int(i), step.coef, self.visited))
        return step

    def run(self, codes, orders, weights=None, pocket=None):
        """Pass until all is right, or there are no orders left."""
        self.codes = np.asarray(codes)
        there = orders[0]
        for steps in reference.passes(self, self.rule, range(len(self.K)), codes, orders, weights, pocket):
            self.mistakes.append(sum(step.mistakes for step in steps))
            self.updates += sum(step.updates for step in steps)
            if self.mistakes[-1] == 0 and self._all_right(there):
                break
        if pocket is not None and self._all_right(there):
            pocket.separated(self, len(there))
        return self

    def _all_right(self, there):
        return not any(self.consider(self.rule, i, self.codes[i]).mistakes for i in there)

    @property
    def support(self):
        """The rows updated on, in the order they first were."""
        return list(dict.fromkeys(row for row, _, _ in self.w))

    def dual(self, updates=None):
        """Summed coefficients of each of those, (vectors, support)."""
        found = {row: np.zeros(self.k) for row in self.support}
        for row, coef, _ in self.w if updates is None else updates:
            found[row] = found[row] + coef
        return np.array(list(found.values())).reshape(len(found), self.k).T

    def after_each_visit(self, K):
        """Scores of other rows, K(row, other), by the weights after each visited example."""
        updates = {time: (row, coef) for row, coef, time in self.w}
        scores = np.zeros((K.shape[1], self.k))
        for time in range(1, self.visited + 1):
            if time in updates:
                row, coef = updates[time]
                scores = scores + np.outer(K[row], coef)
            yield scores

    def averaged(self, K):
        return np.mean(list(self.after_each_visit(K)), axis=0)

    def votes(self, K):
        """After each visit the weights vote once: so each vector with the visits it survived, its own included."""
        total = np.zeros((K.shape[1], self.k))
        for scores in self.after_each_visit(K):
            if self.form == "multiclass":
                total[np.arange(len(scores)), scores.argmax(axis=1)] += 1
            else:
                total += np.where(scores > 0, 1, -1)
        return total


@st.composite
def problems(draw, kinds=("normal",), classes=(2, 3, 5), repeats=False):
    """Rows, other rows, codes, weights, seed. Only whole numbers repeat rows: their ties are exact.

    On a line the class vectors of MIRA tie in truth and not in rounding, so there are two features at least.
    """
    k, d = draw(st.sampled_from(classes)), draw(st.sampled_from((2, 3, 5, 17)))
    n = draw(st.integers(k + 3, 18))
    kind = draw(st.sampled_from(kinds))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    X, other = numbers(rng, (n, d), kind), numbers(rng, (5, d), kind)
    if repeats:
        X[rng.integers(0, n, n // 3)] = X[rng.integers(0, n, n // 3)]
        X[rng.integers(0, n)] = 0
    codes = rng.permutation(np.concatenate((np.arange(k), rng.integers(0, k, n - k))))
    weight = rng.choice([0.0, 0.5, 1.0, 1.75, 3.0], n)
    weight[np.unique(codes, return_index=True)[1]] = 1.5
    return X, other, codes.astype(np.int32), weight, seed


choices = {
    "ties": st.sampled_from(("mistake", "predict")),
    "bias": st.booleans(),
    "weighted": st.booleans(),
    "shuffle": st.booleans(),
    "block_size": st.sampled_from((1, 2, 3, 7, 64)),
}


whole = problems(kinds=("integers",), repeats=True)


def orders_of(n, weight, shuffle, seed, passes=PASSES):
    there = np.arange(n) if weight is None else np.flatnonzero(weight > 0)
    rng = np.random.Generator(np.random.PCG64(seed))
    return [there[rng.permutation(len(there))] if shuffle else there for _ in range(passes)]


def pair(problem, kernel, rule, share="max", ties="mistake", bias=True, weighted=False, shuffle=False, **options):
    """An estimator and the twin, after the same run; and both tables of the kernel, the bias in them."""
    X, other, codes, weight, seed = problem
    weight = weight if weighted else None
    K, K_other = table(kernel, X, X, bias), table(kernel, X, other, bias)
    model = rb.KernelPerceptron(
        **KERNELS[kernel][0], rule=rule, multiclass=share, ties=ties, fit_intercept=bias, shuffle=shuffle,
        random_state=seed, max_iter=PASSES, tol=None, **options,
    )  # fmt: skip
    rows, others = (K - bias, K_other.T - bias) if kernel == "precomputed" else (X, other)
    model.fit(rows, codes, sample_weight=weight)
    twin = Twin(K, len(np.unique(codes)), rule, share, ties)
    orders = orders_of(len(X), weight, shuffle, seed)
    pocket = None
    if model.readout == "pocket":
        pocket = reference.Pocket(twin, [(i, codes[i]) for i in orders[0]])
    twin.run(codes, orders, weight, pocket)
    return model, twin, others, K_other, pocket


def as_table(scores):
    """Scores with a column for each vector."""
    return np.reshape(scores, (len(scores), -1))


def same_run(model, twin, exact=False, updates=None):
    """The same mistakes, updates and support in the same order, and the same coefficients."""
    assert model.mistakes_.tolist() == twin.mistakes
    assert model.n_iter_ == len(twin.mistakes)
    assert model.n_updates_ == twin.updates
    assert model.n_voters_ == 1 + len(twin.w)
    assert model.support_.tolist() == twin.support
    assert model.n_support_.tolist() == np.bincount(twin.codes[twin.support], minlength=len(model.classes_)).tolist()
    if exact:
        np.testing.assert_array_equal(model.dual_coef_, twin.dual(updates))
    else:
        np.testing.assert_allclose(model.dual_coef_, twin.dual(updates), rtol=1e-9, atol=1e-9)


def features(K):
    """Rows whose inner products are K."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def kernel_margin(K, codes, share):
    """Proven bounds on γ* from the kernel matrix alone, and R² of what the mistakes are bounded by."""
    Z, k = features(K), int(codes.max()) + 1
    R2 = float(np.diagonal(K).max())
    if k > 2 and share != "ovr":
        return best_margin(against_rivals(Z, codes, k)), 2 * R2
    signs = [np.where(codes == c, 1, -1) for c in (range(k) if k > 2 else (1,))]
    margins = [best_margin(Z * y[:, None]) for y in signs]
    return (min(low for low, _ in margins), min(high for _, high in margins)), R2


def same_model(kernel, linear, exact=False):
    assert kernel.mistakes_.tolist() == linear.mistakes_.tolist()
    assert (kernel.verdict_, kernel.n_iter_) == (linear.verdict_, linear.n_iter_)
    if kernel.spec().rule.class_share == 1:  # else a second visit at margin 1 is an update or none by rounding
        assert kernel.n_updates_ == linear.n_updates_
    for name in ("coef_", "intercept_"):
        got, expected = getattr(kernel, name), getattr(linear, name)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        if exact:
            np.testing.assert_array_equal(got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
    assert kernel.margin_bounds_ == pytest.approx(linear.margin_bounds_, rel=1e-6, abs=1e-6)
