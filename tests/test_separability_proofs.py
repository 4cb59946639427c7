"""Near-degenerate questions: every answer is exact and proves itself in fractions; forged ones are refused.

Points 1e-9 apart or one unit in the last place, collinear points, columns of very different scales, equal rows with
equal and with different labels; 1 to 4 columns, 2 to 4 classes, whole numbers, floats of both kinds and fractions.
"""

import itertools
from dataclasses import replace
from fractions import Fraction

import clockless
import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb

KINDS = ("near", "collinear", "scales", "repeated", "integers", "far integers", "float32", "far", "ulp", "fractions")


def problem(kind, seed):
    """Rows and codes of one kind; None where only one class is left."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    k, d = int(rng.choice([2, 2, 2, 3, 4])), int(rng.integers(1, 5))
    n = int(rng.integers(k, 9))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    if kind == "near":
        X = np.repeat(X[: 1 + n // 3], 3, axis=0)[:n]
        X = X + rng.integers(-2, 3, X.shape) * 10.0 ** -rng.integers(6, 17)
    elif kind == "collinear":
        X = rng.integers(-3, 4, (n, 1)) * rng.choice([0.1, 0.3, 0.7, 1, 1 / 3], d) + rng.choice([0, 0.1, 1.5])
        X = X + (rng.random((n, d)) < 0.2) * 10.0 ** -rng.integers(8, 17)
    elif kind == "scales":
        X = X * 10.0 ** rng.integers(-12, 13, d)
    elif kind == "repeated":
        X = X / 10
        X[rng.integers(n)], X[rng.integers(n)] = X[rng.integers(n)], -X[rng.integers(n)]
    elif kind == "integers":
        X = X.astype(np.int64)
    elif kind == "far integers":
        X = X.astype(np.int64) + int(rng.choice([2**53, 10**12, -(10**17)]))
    elif kind == "float32":
        X = (X / 10 + rng.choice([0, 1e-7]) * rng.standard_normal((n, d))).astype(np.float32)
    elif kind == "far":
        X = X * 10.0 ** -rng.integers(0, 9) + 10.0 ** rng.integers(0, 9)
    elif kind == "ulp":
        X = X / 10 + 0.15
        X = np.where(rng.random(X.shape) < 0.3, np.nextafter(X, X + rng.choice([-1, 1])), X)
    elif kind == "fractions":
        X = np.array([[Fraction(int(v), int(rng.integers(1, 10)) ** 20 + 1) for v in x] for x in X], object)
    spread = np.asarray(X, float) - np.asarray(X, float).mean(axis=0)
    codes = (spread / np.maximum(np.abs(spread).max(axis=0), 1e-300) @ rng.standard_normal((d, k))).argmax(axis=1)
    if rng.random() < 0.4:
        codes = rng.integers(0, k, len(X))
    codes = np.unique(codes, return_inverse=True)[1]
    return None if codes.max() == 0 else (X, codes)


def number(value):
    """A float is the decimal number that it prints as."""
    value = value.item() if isinstance(value, np.generic) else value
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def vectors(X, codes, bias):
    """z of each row, or of each row and rival, in fractions, by its place in λ; with the class and the rival."""
    k, found = int(max(codes)) + 1, {}
    for i, (x, y) in enumerate(zip(X.tolist(), codes.tolist())):
        x = [number(v) for v in x] + [Fraction(1)] * bias
        if k == 2:
            found[i] = [v if y else -v for v in x], (y, 1 - y)
            continue
        for r in set(range(k)) - {y}:
            z = [Fraction(0)] * (k * len(x))
            z[y * len(x) : (y + 1) * len(x)] = x
            z[r * len(x) : (r + 1) * len(x)] = [-v for v in x]
            found[i, r] = z, (y, r)
    return found


def dot(u, v):
    return sum((a * b for a, b in zip(u, v)), Fraction(0))


def combined(Z, lam):
    total = [Fraction(0)] * len(next(iter(Z.values()))[0])
    for place, (z, _) in Z.items():
        total = [t + number(lam[place]) * v for t, v in zip(total, z)] if lam[place] else total
    return total


def least_mean_cycle(costs, k):
    cycles = (c for m in range(2, k + 1) for c in itertools.permutations(range(k), m) if c[0] == min(c))
    return min(sum(costs[pair] for pair in zip(c, c[1:] + c[:1])) / len(c) for c in cycles)


def check_optimum(Z, dual, squared, bounds, margin, free, k):
    """λ ≥ 0 prove that no margin is larger than √squared, and w = Σ λ·z has it: in fractions, from nothing else."""
    assert all(a >= 0 for a in dual.ravel().tolist())
    w, total = combined(Z, dual), sum(number(dual[place]) for place in Z)
    costs, off = {}, [Fraction(0)] * k
    for place, (z, (y, r)) in Z.items():
        value = dot(w, z)
        costs[y, r] = min(costs.get((y, r), value), value)
        off[y] += number(dual[place])
        off[r] -= number(dual[place])
    assert not free or not any(off)
    least = least_mean_cycle(costs, k) if free else min(costs.values())
    assert least > 0
    assert least**2 / dot(w, w) == dot(w, w) / total**2 == squared
    assert Fraction(bounds[0]) ** 2 <= squared <= Fraction(bounds[1]) ** 2
    assert bounds[0] <= margin <= bounds[1] <= np.nextafter(bounds[0], np.inf)


def check(answer, X, codes, bias):
    """All that it claims, which is everything there is to know."""
    k, Z = int(max(codes)) + 1, vectors(X, codes, bias)
    assert answer.exact
    if answer.separable is False:
        assert all(a >= 0 for a in answer.certificate.ravel().tolist())
        assert any(answer.certificate[place] for place in Z)
        assert not any(combined(Z, answer.certificate))
        assert answer.margin_bounds == answer.margin_augmented_bounds == (-np.inf, 0.0)
        return
    assert answer.separable
    for w, b in ((answer.w, answer.b), (answer.w_augmented, answer.b_augmented)):
        if w is not None:
            b = np.reshape(b, (-1, 1))
            whole = np.hstack((np.atleast_2d(w).astype(object), b.astype(object)))[:, : None if bias else -1]
            assert min(dot([number(v) for v in whole.ravel().tolist()], z) for z, _ in Z.values()) > 0
            assert bias or not np.any(b != 0)
    outer = (answer.dual_augmented, answer.margin_augmented_squared, answer.margin_augmented_bounds)
    check_optimum(Z, *outer, answer.margin_augmented, False, k)
    inner = (answer.dual, answer.margin_squared, answer.margin_bounds)
    check_optimum(vectors(X, codes, False), *inner, answer.margin, bias, k)


@pytest.mark.diagonal
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_exact_and_proves_itself(kind, bias):
    for seed in range(6):
        drawn = problem(kind, seed)
        if drawn is None:
            continue
        X, codes = drawn
        answer = rb.separability(X, codes, bias)
        check(answer, X, codes, bias)
        found = answer.verify(X, codes)
        assert found, found.reason
        assert found.exact
        if X.dtype != object:
            packed = sparse.csr_array(X)
            other = rb.separability(packed, codes, bias)
            check(other, X, codes, bias)
            assert other.verify(packed, codes).exact
            assert (other.margin_squared, other.margin_bounds) == (answer.margin_squared, answer.margin_bounds)


def test_points_a_billionth_apart():
    """In floats 1.000000001 − 1 is 1.00000008e-9, which made a lower bound above the margin, refused by verify."""
    X, y = [[1.0], [1.000000001], [-2.0]], [0, 1, 0]
    answer = rb.separability(X, y)
    assert answer.margin_squared == Fraction(1, 4 * 10**18)
    assert answer.margin_augmented_squared == Fraction(1, 8000000004000000001)
    assert answer.verify(X, y).exact


def test_points_that_no_floats_separate():
    """The weights are fractions then."""
    X, y = np.array([[Fraction(1)], [1 + Fraction(1, 10**30)]], object), [0, 1]
    answer = rb.separability(X, y)
    assert answer.separable
    assert answer.margin_squared == Fraction(1, 4 * 10**60)
    assert answer.verify(X, y).exact
    check(answer, X, np.array(y), True)


def test_no_clock_decides_a_small_question(monkeypatch):
    """Every look at the clock finds that a year has gone by."""
    years = itertools.count(0, 3e7)
    clockless.set_clock(monkeypatch, lambda: next(years))
    for kind in KINDS:
        X, codes = problem(kind, 3) or problem(kind, 4)
        check(rb.separability(X, codes, time_limit=300), X, codes, True)


def test_large_answers_in_floats_have_bounds_that_are_bounds():
    """Too many support points for fractions: the bounds leave room for rounding, and λ and w prove them."""
    rng = np.random.default_rng(1)
    X, codes = rng.standard_normal((66, 310)), np.arange(66) % 2
    answer = rb.separability(X, codes)
    assert answer.separable
    assert not answer.exact
    assert answer.verify(X, codes)
    Z = vectors(X, codes, True)
    whole = [number(v) for v in (*answer.w_augmented, answer.b_augmented)]
    low, high = answer.margin_augmented_bounds
    assert Fraction(low) ** 2 <= min(dot(whole, z) for z, _ in Z.values()) ** 2 / dot(whole, whole)
    lam = [Fraction(float(a)) for a in answer.dual_augmented]
    combination = combined({i: Z[i] for i in range(66)}, np.array(lam, object))
    assert dot(combination, combination) / sum(lam) ** 2 <= Fraction(high) ** 2
    assert high <= low * (1 + 1e-9)
    for bounds in ((np.nextafter(low, np.inf), high), (low, high * (1 - 1e-12))):
        assert not replace(answer, margin_augmented_bounds=bounds).verify(X, codes)


# ---- forgeries ---------------------------------------------------------------------------------------------------

THREE = np.array([[3.0, 0], [0, 3], [-3, -3], [4, 1]]), np.array([0, 1, 2, 0])
TWO = np.array([[0, 0], [1, 0], [0, 1]]), np.array([-1, 1, 1])
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
NONE = {
    "separable": False, "margin": 0.0, "margin_augmented": 0.0, "w": None, "b": None,
    "margin_bounds": (-np.inf, 0.0), "margin_augmented_bounds": (-np.inf, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("kind", [int, float])
def test_weights_against_the_own_class_prove_nothing(kind):
    """They cancel, whatever the rows are."""
    answer, own = rb.separability(*THREE), np.zeros((4, 3), kind)
    own[0, 0] = 1
    assert not replace(answer, **NONE, certificate=own).verify(*THREE)
    for name in ("dual", "dual_augmented"):
        dual = getattr(answer, name).copy()
        dual[0, 0] = Fraction(5)
        assert not replace(answer, **{name: dual}).verify(*THREE)


def test_a_certificate_in_floats_of_rows_that_can_be_separated():
    """Σ λ·z is 0 to a relative 1e-10, but not 0."""
    X, y = np.array([[1.0], [1 + 1e-10], [-2.0]]), [0, 1, 0]
    found = replace(rb.separability(X, y), **NONE, certificate=np.array([1.0, 1.0, 0.0])).verify(X, y)
    assert not found
    assert "can be separated" in found.reason


@pytest.mark.parametrize("bounds", [(0.5, 0.0), (-np.inf, -1.0), (-np.inf, np.nan), (np.nan, 0.0), (0.0, 0.1)])
def test_other_bounds_of_what_cannot_be_separated(bounds):
    answer = rb.separability(*XOR)
    assert not replace(answer, margin_bounds=bounds).verify(*XOR)
    assert not replace(answer, margin_augmented_bounds=bounds).verify(*XOR)
    assert not replace(answer, w=np.ones(2), b=0.0).verify(*XOR)


def test_bounds_that_are_off_by_one_unit_in_the_last_place():
    answer = rb.separability(*TWO)
    for name in ("margin_bounds", "margin_augmented_bounds"):
        low, high = getattr(answer, name)
        assert low < high
        for bounds in ((high, high), (low, low), (low, np.nan), (np.nan, high), (low, -np.inf)):
            assert not replace(answer, **{name: bounds}).verify(*TWO)
    only = rb.separability(*TWO, maximize=False)
    low = only.margin_bounds[0]
    for bounds in ((np.nextafter(low, np.inf), np.inf), (low, -np.inf), (low, np.nan), (low, 9.0)):
        assert not replace(only, margin_bounds=bounds).verify(*TWO)


def test_other_weights_of_the_longer_margin():
    answer = rb.separability(*THREE)
    for w in (-answer.w_augmented, 0 * answer.w_augmented, answer.w_augmented[[1, 0, 2]]):
        assert not replace(answer, w_augmented=w).verify(*THREE)
    assert not replace(answer, dual=np.full((4, 3), np.nan)).verify(*THREE)
    assert not replace(answer, dual=np.full((4, 3), "1", object)).verify(*THREE)
    without = rb.separability(*THREE, fit_intercept=False)
    assert not replace(without, w_augmented=without.w, b_augmented=np.ones(3)).verify(*THREE)


def test_scores_that_overflow_are_no_proof():
    """∞ − ∞ is neither below 0 nor above it."""
    X, y = np.array([[1e10, -1e10], [-1e10, 1e10], [1e10, -1e10]]), [0, 1, 1]
    bounds = {"margin_bounds": (0.0, np.inf), "margin_augmented_bounds": (0.0, np.inf)}
    answer = rb.Separability(
        True, w=np.array([1e308, 1e308]), b=0.0, n_rows=3, classes=np.array([0, 1]), R=rb.radius(X, True), **bounds
    )
    assert not answer.verify(X, y)


def test_products_that_underflow_are_no_proof():
    rng, refused = np.random.default_rng(0), 0
    bounds = {"margin_bounds": (0.0, np.inf), "margin_augmented_bounds": (0.0, np.inf), "fit_intercept": False}
    for _ in range(300):
        X, w = rng.standard_normal((2, 3)), rng.standard_normal(3)
        w[2] = -(X[0, :2] @ w[:2]) / X[0, 2]  # the first row lies on the plane, to rounding
        X, w = X * 1e-62, w * 1e-262
        scores = [dot([number(v) for v in w], [number(v) for v in x]) for x in X]
        if scores[0] < 0 and scores[1] < 0:
            answer = rb.Separability(True, w=w, b=0.0, n_rows=2, classes=np.array([0, 1]), R=rb.radius(X), **bounds)
            assert not answer.verify(X, [1, 0])
            refused += 1
    assert refused > 20


def test_what_pairs_say_together_is_checked():
    answer = rb.separability(*THREE, multiclass="pairwise")
    assert answer.verify(*THREE).exact
    assert answer.margin == min(pair.margin for pair in answer.pairs.values())
    for change in (
        {"margin": 9.0}, {"margin_augmented": 9.0}, {"margin_bounds": (0.1, 9.0)}, {"R": 1.0},
        {"margin_augmented_bounds": (0.1, 9.0)}, {"fit_intercept": False},
    ):  # fmt: skip
        assert not replace(answer, **change).verify(*THREE), change
    rough = {couple: replace(pair, exact=True, dual=pair.dual.astype(float),
                             margin_bounds=(pair.margin * (1 - 1e-12), pair.margin * (1 + 1e-12)))
             for couple, pair in answer.pairs.items()}  # fmt: skip
    together = replace(answer, pairs=rough, margin_bounds=min(pair.margin_bounds for pair in rough.values()))
    found = together.verify(*THREE)
    assert found
    assert not found.exact
