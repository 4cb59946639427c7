"""``margin_bounds_`` without a tolerance: lower ≤ γ* ≤ upper in exact arithmetic, in every rule, scale and number type.

γ* is that of the numbers as the learner has them, binary fractions.
"""

import contextlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identity import every
from scipy import sparse

import rosenblatt as rb
from rosenblatt.core import convergence, engine, exact, rules
from rosenblatt.theory import inputs
from rosenblatt.theory.exact_vectors import ExactVectors
from rosenblatt.theory.shortest import shortest

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS = [
    rb.Perceptron(),
    rb.Perceptron(eta0=0.3, margin=0.5),
    rb.Perceptron(multiclass="uniform", eta0=0.1),
    rb.Perceptron(multiclass="proportional", eta0=0.7),
    rb.Perceptron(multiclass="ovr"),
    rb.AveragedPerceptron(),
    rb.BatchPerceptron(),
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=0.1),
    rb.PassiveAggressiveClassifier(variant="PA-II", multiclass="ovr"),
    rb.MIRA(),
    rb.MIRA(C=0.05),
    rb.MIRA(variant="norm"),
    rb.KernelPerceptron(kernel="linear"),
    rb.KernelPerceptron(kernel="linear", rule=rules.PA1(C=0.3), multiclass="max"),
    rb.KernelPerceptron(kernel="linear", multiclass="ovr"),
]
#: Powers of 10 that the rows are multiplied by, for each number type: squares vanish, just hold, nearly overflow.
SCALES = {np.float64: (-300, -170, -158, -150, -3, 0, 5, 60), np.float32: (-36, -30, -22, -18, -3, 0, 3, 8)}


def best_squared(X, codes, k, bias, ovr):
    """γ*², or 0 where there is no margin."""
    if ovr and k > 2:
        return min(best_squared(X, (codes == c).astype(int), 2, bias, False) for c in range(k))
    rows = np.array([[Fraction(float(v)) for v in x] for x in X], object)
    known = inputs.Labels(np.arange(k), codes.astype(np.int32))
    return Fraction(shortest(ExactVectors(rows, known, "counted" if bias else "none", exact.Work())).square)


def problem(seed, dtype, scale):
    rng = np.random.default_rng([seed, scale % 1000])
    k, d = int(rng.choice([2, 3])), int(rng.integers(1, 4))
    n = int(rng.integers(k, 7))
    X = rng.standard_normal((n, d)) if seed % 2 else rng.integers(-3, 4, (n, d)) / 10
    codes = (X @ rng.standard_normal((d, k))).argmax(axis=1)
    codes = np.unique(codes, return_inverse=True)[1]
    return ((X * 10.0**scale).astype(dtype), codes, codes.max() + 1) if codes.max() else None


@pytest.mark.diagonal
@every(LEARNERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_bounds_hold_without_a_tolerance(estimator, dtype):
    ovr, kernel = estimator.multiclass == "ovr", isinstance(estimator, rb.KernelPerceptron)
    checked = 0
    for seed, scale in enumerate(SCALES[dtype] * 3):
        drawn = problem(seed, dtype, scale)
        if drawn is None:
            continue
        X, codes, k = drawn
        bias, rng = seed % 3 == 0, np.random.default_rng(seed)
        squared = best_squared(X, codes, k, bias, ovr)
        weight = rng.choice([0.1, 1.0, 3.7], len(X)) if seed % 4 == 1 else None
        start = {"init": "random"} if seed % 5 == 2 and not kernel else {}
        for passes in (1, 2, 30):
            options = {"fit_intercept": bias, "max_iter": passes, "tol": 1e-4, "random_state": seed, **start}
            model = type(estimator)(**{**estimator.get_params(), **options})
            with contextlib.suppress(ValueError):  # steps that overflow are refused
                model.fit(X, codes, sample_weight=weight)
            if not hasattr(model, "margin_bounds_"):
                continue
            bounds = [model.margin_bounds_]
            verdict = model.verdict_
            if not kernel:
                bounds.append(model.set_params(warm_start=True).fit(X, codes).margin_bounds_)
                bounds.append(model.partial_fit(X, codes).margin_bounds_)
            for low, high in bounds:
                assert low <= 0 or Fraction(low) ** 2 <= squared, (scale, low, exact.root(squared))
                assert high == np.inf or Fraction(high) ** 2 >= squared, (scale, high, exact.root(squared))
                checked += 1
            if verdict == "no margin":
                R2 = max(sum(Fraction(float(v)) ** 2 for v in x) for x in X) + bias
                several = 2 if k > 2 and not ovr else 1
                assert squared <= Fraction(1e-4) ** 2 * R2 * several * (1 + Fraction(1, 10**6))
    assert checked > 20


@pytest.mark.diagonal
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [3, 5, 200])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 1e5])
def test_one_step_that_classes_share_is_bounded_tightly(dtype, k, scale):
    """One row: W = τ·(x, −x/(k − 1), …), so that γ* = ‖x‖·√(1 + 1/(k − 1)) is just ‖W‖/Σ τ."""
    rng = np.random.default_rng(0)
    for estimator in (
        rb.MIRA(variant="norm", fit_intercept=False),
        rb.MIRA(fit_intercept=False),
        rb.Perceptron(multiclass="uniform", eta0=0.1, fit_intercept=False),
        rb.Perceptron(multiclass="proportional", eta0=0.1, fit_intercept=False),
    ):
        for _ in range(10):
            x = (rng.standard_normal((1, 3)) * scale).astype(dtype)
            high = estimator.__class__(**estimator.get_params()).partial_fit(x, [0], classes=range(k)).margin_bounds_[1]
            squared = sum(Fraction(float(v)) ** 2 for v in x[0]) * (1 + Fraction(1, k - 1))
            assert squared <= Fraction(high) ** 2
            assert high <= exact.root(squared) * (1 + 100 * k * np.finfo(dtype).eps)


@pytest.mark.parametrize("d", [1000, 200_000])
def test_the_norm_of_many_weights_is_not_rounded_down(d):
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.random((1, d)) + 0.5
        model = rb.Perceptron(eta0=float(rng.random() + 0.1), fit_intercept=False, shuffle=False, max_iter=1, tol=None)
        low, high = model.fit(np.vstack((x, -x)), [1, 0]).margin_bounds_
        scaled = [int(v * 2**60) for v in x[0].tolist()]  # which rounds nothing
        squared = Fraction(sum(v * v for v in scaled), 2**120)
        assert Fraction(low) ** 2 <= squared <= Fraction(high) ** 2


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1.0, 1e150])
def test_norms_of_any_size(scale):
    weights = np.array([[3.0, 0.0, 5.0], [4.0, 0.0, 12.0]]) * scale
    assert np.allclose(convergence.norms(weights, None, True) / scale, [5, 0, 13], rtol=1e-12)
    assert np.isclose(convergence.norms(weights, None, False)[0] / scale, np.sqrt(194), rtol=1e-12)
    assert convergence.norms(weights, weights, False)[0] == 0


def test_rows_too_short_for_their_squares_are_not_called_inseparable():
    """‖w‖² was 0, so that the upper bound was 0; and R² was 0, so that any margin was too small."""
    X, y = np.array([[1.0, 2], [3, 1], [-1, -2], [-2, -1]]), [1, 1, 0, 0]
    for dtype, scales in ((np.float64, (1e-160, 1e-170, 1e-300)), (np.float32, (1e-20, 1e-23, 1e-30))):
        for scale in scales:
            model = rb.Perceptron(fit_intercept=False, shuffle=False, max_iter=20).fit((X * scale).astype(dtype), y)
            assert model.verdict_ != "no margin"
            assert model.margin_bounds_[1] >= 1.7 * scale


@pytest.mark.parametrize("k", [1, 3])
def test_squares_that_overflow_are_infinite(k):
    weights = np.ones((40, k))
    weights[[3, 20], 0] = 1e200
    squares = engine.squares(weights)
    assert squares[0] == np.inf
    assert (squares[1:] == 40).all()


def check_terms_in_lane(X, order=None):
    """Against plain Python: as many as a row has numbers, or blocks of 16 columns up to its last one."""
    terms = [0]
    for row in X if order is None else X[order]:
        there = np.flatnonzero(row)
        terms += [min(len(there), there[-1] // 16 + 1)] if len(there) else []
    stored = sparse.csr_matrix(np.ones(X.shape))
    stored.data[:] = X.ravel()  # zeros, too
    for container in (X, sparse.csr_matrix(X), stored):
        assert engine.admit(container).view.terms_in_lane(order) == max(terms)


@given(st.integers(0, 6), st.integers(0, 70), st.integers(0, 2**32 - 1), st.booleans())
def test_the_terms_in_a_lane_are_those_of_plain_python(n_rows, n_features, seed, ordered):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_features)) * (rng.random((n_rows, n_features)) < rng.random() ** 2)
    check_terms_in_lane(X, rng.integers(0, n_rows, 3, np.int32) if ordered and n_rows else None)


@pytest.mark.parametrize("n_features", [15, 16, 17, 33])
def test_the_terms_in_a_lane_of_full_rows_and_of_a_number_in_the_last_column(n_features):
    check_terms_in_lane(np.ones((2, n_features)))
    check_terms_in_lane(np.eye(n_features)[-1:])
