"""Separable or not in the space of a kernel: against an exact method of the tests' own, and nothing else is claimed."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.core import exact
from rosenblatt.core.spaces.kernel.kernels import Kernel
from rosenblatt.theory import kernels, small
from rosenblatt.theory.effort import Effort

EFFORT = Effort(exact=1e6, floats=3e8)
POLYNOMIALS = [
    Kernel("linear"),
    Kernel("linear", bias=False),
    Kernel("poly", 1.0, 2, 1.0),
    Kernel("poly", 0.3, 3, 0.5, bias=False),
    Kernel("poly", 1.0, 2, 0.0, bias=False),
    Kernel("poly", 2.0, 3, 0.0),
    Kernel("poly", 1.0, 1, -1.0),
]
GAUSSIANS = [Kernel("rbf", gamma) for gamma in (0.0001, 0.01, 1.0, 30.0)]


def names(kernel):
    return f"{kernel.name}-{kernel.gamma:g}-{kernel.degree}-{kernel.coef0:g}{'-bias' * kernel.bias}"


def ask(X, y, kernel, effort=EFFORT):
    rows = exact.rows(np.array(X, dtype=float))
    return kernels.separability(rows, small.encode(np.asarray(y).tolist()), kernel, effort)


# ---- the exact method of these tests ---------------------------------------------------------------------------------


def gram(kernel, X):
    """The values of a polynomial kernel of decimals, as fractions."""
    rows = [[Fraction(str(float(v))) for v in x] for x in X]
    gamma, c, d = Fraction(str(kernel.gamma)), Fraction(str(kernel.coef0)), kernel.degree
    gamma, c, d = (gamma, c, d) if kernel.name == "poly" else (1, 0, 1)
    products = [[sum(a * b for a, b in zip(u, v)) for v in rows] for u in rows]
    return [[(gamma * s + c) ** d + kernel.bias for s in line] for line in products]


def null_vector(columns):
    """The solution of Σ λ·column = 0, where there is one up to a factor; else None."""
    matrix, pivots = [list(row) for row in zip(*columns)], []
    for j in range(len(columns)):
        at = next((i for i in range(len(pivots), len(matrix)) if matrix[i][j]), None)
        if at is None:
            continue
        top = len(pivots)
        matrix[top], matrix[at] = matrix[at], matrix[top]
        matrix[top] = [v / matrix[top][j] for v in matrix[top]]
        for i, row in enumerate(matrix):
            if i != top and row[j]:
                matrix[i] = [a - row[j] * b for a, b in zip(row, matrix[top])]
        pivots.append(j)
    free = set(range(len(columns))) - set(pivots)
    if len(free) != 1:
        return None
    (j,) = free
    solution = {j: Fraction(1)} | {p: -matrix[i][j] for i, p in enumerate(pivots)}
    return [solution[k] for k in range(len(columns))]


def is_separable(K, y):
    """No rows whose signed images cancel: a smallest such set has one λ up to a factor, and all of it positive."""
    z = [[s * v for v in row] for s, row in zip(y, K)]
    for size in range(1, len(z) + 1):
        for chosen in combinations(z, size):
            solution = null_vector(chosen)
            if solution is not None and min(solution) > 0:
                return False
    return True


def test_the_exact_method_itself():
    corners = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert not is_separable(gram(Kernel("linear"), corners), [-1, 1, 1, -1])
    assert is_separable(gram(Kernel("linear"), corners), [-1, 1, 1, 1])
    assert is_separable(gram(Kernel("poly", 1.0, 2, 1.0), corners), [-1, 1, 1, -1])
    assert not is_separable(gram(Kernel("linear", bias=False), [(1, 0), (2, 0)]), [-1, 1])


# ---- none wrong ------------------------------------------------------------------------------------------------------


def points(seed):
    """Some decimals, often on a line, sometimes two at one place."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    X = np.round(rng.uniform(-1.5, 1.5, (n, 2)), 1)
    if rng.random() < 0.4:
        X[:, 1] = rng.choice([0.0, 0.5])
    if rng.random() < 0.3:
        X[-1] = X[0]
    y = rng.choice([-1, 1], n)
    y[:2] = -1, 1
    return X, y


def check_polynomial(kernel, seed):
    X, y = points(seed)
    K = gram(kernel, X)
    answer = ask(X, y, kernel)
    assert answer.separable is is_separable(K, y.tolist()), (seed, X.tolist(), y.tolist())
    assert answer.exact
    if answer.separable:  # λ prove that no margin is larger, and have it
        lam = answer.dual
        w = [s * a for s, a in zip(y.tolist(), lam)]
        scores = [sum(a * v for a, v in zip(w, row)) for row in K]
        assert min(s * score for s, score in zip(y.tolist(), scores)) == 1
        assert sum(a * score for a, score in zip(w, scores)) == sum(lam) == 1 / answer.margin_squared
        low, high = answer.margin_bounds
        assert Fraction(low) ** 2 <= answer.margin_squared <= Fraction(high) ** 2
        assert high <= math.nextafter(low, math.inf)
    else:
        w = [s * a for s, a in zip(y.tolist(), answer.certificate)]
        assert min(answer.certificate) >= 0
        assert any(w)
        assert not any(sum(a * v for a, v in zip(w, row)) for row in K)


def check_gaussian(kernel, seed):
    X, y = points(seed)
    answer = ask(X, y, kernel)
    labels = {}
    for x, s in zip(map(tuple, X.tolist()), y.tolist()):
        labels.setdefault(x, set()).add(s)
    assert answer.separable is all(len(each) == 1 for each in labels.values())
    if answer.separable:
        assert 0 < answer.margin_bounds[0] <= answer.margin_bounds[1]
        assert answer.margin_bounds[1] <= answer.margin_bounds[0] * (1 + 1e-8)
        assert not answer.exact
        assert "exact" not in str(answer)
    else:
        assert answer.exact
        assert len(answer.support) == 2


@pytest.mark.parametrize("kernel", POLYNOMIALS, ids=names)
def test_polynomial_kernels_are_decided_as_exact_numbers_decide(kernel):
    for seed in range(12):
        check_polynomial(kernel, seed)


@pytest.mark.parametrize("kernel", GAUSSIANS, ids=names)
def test_gaussian_kernels_separate_what_is_distinct(kernel):
    for seed in range(20):
        check_gaussian(kernel, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", POLYNOMIALS + GAUSSIANS, ids=names)
def test_none_of_500_answers_is_wrong(kernel):
    for seed in range(1000, 1500):
        (check_gaussian if kernel.name == "rbf" else check_polynomial)(kernel, seed)


# ---- margins ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", GAUSSIANS, ids=names)
def test_the_interval_holds_the_margin_of_two_points(kernel):
    """γ² = (1 − exp(−γ·d²))/2, to fifty digits."""
    answer = ask([(0.1, 0.2), (0.4, -0.2)], [-1, 1], kernel)
    with localcontext() as context:
        context.prec = 50
        squared = (1 - (-Decimal(str(kernel.gamma)) * Decimal("0.25")).exp()) / 2
        low, high = (Decimal(bound) for bound in answer.margin_bounds)
        assert low * low <= squared <= high * high
    assert answer.margin_bounds[1] <= answer.margin_bounds[0] * (1 + 1e-9)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_margin_is_that_of_the_features(labels):
    """(x·x' + 1)² has the features x₁², x₂², √2·x₁x₂, √2·x₁, √2·x₂, 1."""
    X = np.round(np.random.default_rng(3).uniform(-2, 2, (6, 2)), 1)
    y, (a, b) = np.arange(6) % labels, X.T
    root = math.sqrt(2)
    features = np.column_stack([a * a, b * b, root * a * b, root * a, root * b, np.ones(6)])
    answer, expected = ask(X, y, Kernel("poly", 1.0, 2, 1.0, bias=False)), rb.separability(features, y, False)
    assert answer.separable is expected.separable is True
    assert answer.margin == pytest.approx(expected.margin, rel=1e-9)
    assert np.isclose(answer.R, expected.R)
    assert answer.margin_squared is not None


def test_several_classes_are_decided_too():
    X = [(0, 0), (1, 0), (2, 0), (0, 5)]
    assert ask(X, list("abac"), Kernel("linear")).separable is False
    assert ask(X, list("abac"), Kernel("poly", 1.0, 2, 1.0)).separable is True
    assert ask(X, list("abac"), Kernel("rbf")).separable is True
    answer = ask([*X, (1, 0)], list("abacc"), Kernel("rbf"))
    assert (answer.separable, answer.support.tolist()) == (False, [1, 4])


def test_what_is_too_much_work_is_not_claimed():
    rng = np.random.default_rng(0)
    X, y = np.round(rng.uniform(-4, 4, (40, 2)), 1), np.arange(40) % 2
    answer = ask(X, y, Kernel("poly", 1.0, 3, 1.0), Effort(exact=10, floats=10))
    assert answer.separable is None
    assert not answer.exact
    assert "undecided" in str(answer)
    wide = ask(X, y, Kernel("rbf", 0.0001), Effort(exact=10, floats=10))
    assert wide.separable is True
    assert wide.margin is None
    assert "not known closer" in str(wide)
    assert wide.margin_bounds[0] == 0 < wide.margin_bounds[1]


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_more_monomials_than_can_be_written_out(scale):
    rng = np.random.default_rng(0)
    X = np.round(rng.uniform(-1, 1, (8, 12)), 1) * scale
    answer = ask(X, np.arange(8) % 2, Kernel("poly", 1.0, 9, 1.0))
    assert answer.separable is True
    assert answer.exact


def test_rows_whose_images_are_equal_are_not_called_equal():
    answer = ask([(1, 0), (0, 1), (-1, 0)], [0, 1, 1], Kernel("poly", 1.0, 2, 0.0))
    assert answer.how == "rows 0 and 2 have equal images but different labels"
    assert answer.certificate == [1, 0, 1]


# ---- kernels of which nothing is known -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel("sigmoid"),
        Kernel("precomputed"),
        Kernel(lambda A, B: A @ B.T),
        Kernel("poly", 1.0, 2.5, 1.0),
        Kernel("poly", 1.0, 2, -0.5),
        Kernel("poly", 1.0, 1, -2.0),
    ],
)
def test_nothing_is_claimed_of_other_kernels_but_equal_rows(kernel):
    answer = ask([(0.5, 1), (1, 0.5)], [0, 1], kernel)
    assert answer.separable is None
    assert answer.margin_bounds == (-math.inf, math.inf)
    assert not answer.verify([(0.5, 1), (1, 0.5)], [0, 1])
    equal = ask([(0.5, 1), (1, 0.5), (0.5, 1)], [0, 1, 1], kernel)
    assert (equal.separable, equal.certificate, equal.exact) == (False, [1, 0, 1], True)


def test_bounds_are_shown_rounded_outward():
    answer = ask([(0, 0), (1, 0)], [0, 1], Kernel("rbf"))
    low, high = answer.margin_bounds
    shown = str(answer).split("[")[1].split("]")[0].split(", ")
    assert float(shown[0]) <= low <= high <= float(shown[1])
    assert float(shown[0]) < float(shown[1])


def test_the_exact_kernel_is_that_of_the_learner():
    X = np.round(np.random.default_rng(0).uniform(-2, 2, (6, 3)), 2)
    for kernel in [*POLYNOMIALS, *GAUSSIANS]:
        known = kernels.Gram.of(kernel, kernels.exact.rows(X))
        floats = [[float(Fraction(v, known.scale)) for v in row] for row in known.values]
        np.testing.assert_allclose(floats, kernel.matrix(X, X), rtol=1e-12, atol=1e-15)
        assert known.error == (kernel.name == "rbf")
