"""What a run proves about the best margin: bounds at any time, true verdicts, Gordan's certificate, cycling."""

from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from identity import every
from problems import (
    against_rivals,
    augmented,
    best_margin,
    few,
    problems,
    radius2,
    row_by_row,
    separable,
    signed,
    vector,
)
from scipy.optimize import minimize

import rosenblatt as rb
from rosenblatt.core import reference, rules

biases = pytest.mark.parametrize("bias", [False, True])


# ---- the oracle itself ---------------------------------------------------------------------------------------


@biases
@given(data=st.data())
def test_the_shortest_vector_of_the_hull_is_the_best_margin(bias, data):
    """min ‖Σ λz‖ = max(γ*, 0), against the primal: min ‖u‖² subject to u·z ≥ 1, whose solution has γ* = 1/‖u‖."""
    X, y, u, b = data.draw(separable(bias=bias))
    Z = signed(augmented(X, bias), y)
    low, high = best_margin(Z)
    start = np.append(u, b)[: Z.shape[1]]
    found = minimize(
        lambda v: v @ v, start / (Z @ start).min(), jac=lambda v: 2 * v, method="SLSQP", options={"ftol": 1e-14},
        constraints=[{"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda v: Z}],
    ).x  # fmt: skip
    assert low <= high * (1 + 1e-12)
    assert np.isclose(low, high, rtol=1e-6)
    assert np.isclose((Z @ found).min() / np.linalg.norm(found), high, rtol=1e-4)


# ---- 2. bounds at any time -----------------------------------------------------------------------------------

ADDITIVE = [
    rb.Perceptron(),
    rb.Perceptron(eta0=0.3, margin=0.5, multiclass="uniform"),
    rb.Perceptron(multiclass="proportional", ties="predict"),
    rb.Perceptron(multiclass="ovr"),
    rb.BatchPerceptron(),
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=0.1),
    rb.PassiveAggressiveClassifier(variant="PA-II", multiclass="ovr", ties="predict"),
    rb.MIRA(),
    rb.MIRA(C=0.05),
    rb.MIRA(variant="norm"),
]


def margin_of(model, X, codes, n_classes, bias):
    """Proven bounds on γ* as the learner means it: binary, stacked classes, or the worst class against the rest."""
    X = augmented(X.astype(np.float64), bias)
    if n_classes == 2:
        return best_margin(signed(X, 2 * codes - 1))
    if model.multiclass == "ovr":
        return tuple(np.min([best_margin(signed(X, 2 * (codes == c) - 1)) for c in range(n_classes)], axis=0))
    return best_margin(against_rivals(X, codes, n_classes))


@every(ADDITIVE)
@few
@given(
    problem=problems(classes=(2, 3, 4), features=(2, 3, 5, 17), max_rows=8),
    bias=st.booleans(),
    init=st.sampled_from(["zeros", "random"]),
    weighted=st.booleans(),
)
def test_the_best_margin_lies_between_the_bounds(estimator, problem, bias, init, weighted):
    X, codes = problem.X, problem.codes
    weight = np.maximum(problem.weight, 0.5) if weighted else None
    given = {**estimator.get_params(), "fit_intercept": bias, "init": init, "random_state": 3, "tol": None}
    low, high = margin_of(estimator, X, codes, problem.n_classes, bias)
    room = 1e-9 * np.sqrt(radius2(augmented(X.astype(float), bias)))
    uppers = []
    for passes in (1, 2, 4, 30):
        model = type(estimator)(**{**given, "max_iter": passes}).fit(X, codes, sample_weight=weight)
        lower, upper = model.margin_bounds_
        assert lower <= high + room
        assert low <= upper + room
        assert (lower > -np.inf) == (model.verdict_ == "separated")
        uppers.append(upper)
    assert uppers == sorted(uppers, reverse=True)  # a longer run knows no less
    stream = type(estimator)(**given)
    for _ in row_by_row(stream, X, codes, passes=2):
        assert low <= stream.margin_bounds_[1] + room
        assert stream.margin_bounds_[0] == -np.inf


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every(ADDITIVE)
@given(
    problem=problems(classes=(2, 3), features=(2, 3), kinds=("integers", "normal"), max_rows=8),
    bias=st.booleans(),
    tol=st.sampled_from([0.05, 0.1, 0.3]),
)
def test_the_verdicts_are_true(estimator, problem, bias, tol):
    X, codes, k = problem.X, problem.codes, problem.n_classes
    assume(bias or X.any())  # R = 0: see test_rows_of_zeros_without_a_bias_are_not_separated
    given = {**estimator.get_params(), "fit_intercept": bias, "tol": tol, "max_iter": k * 400, "random_state": 4}
    model = type(estimator)(**given).fit(X, codes)
    low, high = margin_of(estimator, X, codes, k, bias)
    R = np.sqrt(radius2(augmented(X.astype(float), bias)))
    scale = R * (np.sqrt(2) if k > 2 and estimator.multiclass != "ovr" else 1)
    if model.verdict_ == "separated":
        assert np.array_equal(model.predict(X), codes)
        assert model.margin_bounds_[0] <= high + 1e-6 * R
    elif model.verdict_ == "no margin":
        assert low <= tol * scale
        assert model.margin_bounds_[1] <= tol * scale
    else:  # ‖w‖/M ≤ R/√M: the perceptron knows after 1/tol² updates of a class, and a pass has one at least
        assert not (isinstance(estimator, rb.Perceptron) and estimator.margin == 0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every(ADDITIVE)
@pytest.mark.parametrize("codes", [(0, 1, 1), (0, 1, 2)])
def test_rows_of_zeros_without_a_bias_are_not_separated(estimator, codes):
    """R = 0 and γ* = 0: the perceptron's bound says so; a passive-aggressive step is 0 and proves nothing."""
    model = type(estimator)(**{**estimator.get_params(), "fit_intercept": False, "max_iter": 5})
    model.fit(np.zeros((3, 2)), codes)
    assert model.verdict_ in ("no margin", "stopped")
    assert model.margin_bounds_[0] == -np.inf
    assert model.margin_bounds_[1] >= 0
    assert not model.coef_.any()


def test_a_class_that_never_moved_leaves_the_bound_alone():
    """One against the rest, rows of zeros: the first class has Σ τ > 0 and has not moved, the others Σ τ = 0."""
    model = rb.Perceptron(multiclass="ovr", ties="predict", fit_intercept=False)
    model.partial_fit(np.zeros((1, 2)), [0], classes=[0, 1, 2])
    low, high = model.margin_bounds_
    assert low == -np.inf
    assert 0 <= high < 1e-150  # rows too short for their squares would look the same


# ---- 3. and 4. Gordan's alternative, and cycling -------------------------------------------------------------


def run_until_seen(model, rows, targets, weights, visits):
    """λ of the first weights that were there before, or None: per row, the sum of the steps taken in between."""
    steps, seen, clean = [0] * len(rows), {}, 0
    for i in islice(cycle(range(len(rows))), visits):
        step = model.visit(rules.Perceptron(eta0=2), rows[i], targets[i], weights[i])
        clean = 0 if step.moves else clean + 1
        if clean == len(rows):
            return None  # a clean pass: they stay where they are
        if step.moves:
            steps[i] += step.gains[0]
            at = (*map(tuple, model.w), *model.b)
            if at in seen:
                return [now - then for now, then in zip(steps, seen[at])]
            seen[at] = list(steps)
    return None


@biases
@pytest.mark.parametrize("name", ["XOR", "phrases"])
def test_the_sum_of_xor_and_of_the_phrases_is_zero(name, bias):
    X = {"XOR": [(0, 0), (0, 1), (1, 0), (1, 1)], "phrases": [(1, 0, 0), (0, 1, 0), (1, 0, 1), (0, 1, 1)]}[name]
    codes = [0, 1, 1, 0] if name == "XOR" else [1, 0, 0, 1]
    Z = signed(augmented(np.array(X), bias), 2 * np.array(codes) - 1)
    if name == "phrases" or bias:
        assert not Z.sum(axis=0).any()
    assert best_margin(Z)[0] == -np.inf
    model = reference.Model("binary", len(X[0]), fit_intercept=bias, number=int)
    lam = run_until_seen(model, X, codes, [1] * 4, 1000)
    assert lam is not None
    assert not (np.array(lam, float) @ Z).any()


@biases
@pytest.mark.parametrize("ties", ["mistake", "predict"])
@given(n=st.integers(2, 6), d=st.integers(1, 2), seed=st.integers(0, 2**31))
def test_weights_seen_twice_prove_that_no_separator_exists(bias, ties, n, d, seed):
    """From any integer start, with steps that differ; and under ties="mistake" inseparable integers come to that."""
    rng = np.random.default_rng(seed)
    X, codes, weights = rng.integers(-2, 3, (n, d)), rng.integers(0, 2, n), rng.integers(1, 4, n)
    model = reference.Model("binary", d, fit_intercept=bias, ties=ties, number=int)
    model.w, model.b = [rng.integers(-2, 3, d).tolist()], [int(rng.integers(-2, 3)) * bias]
    lam = run_until_seen(model, X.tolist(), codes.tolist(), weights.tolist(), 5000)
    Z = signed(augmented(X, bias), 2 * codes - 1)
    inseparable = best_margin(Z)[0] == -np.inf
    if lam is not None:
        assert inseparable
        assert min(lam) >= 0
        assert max(lam) > 0
        assert not any(sum(a * int(z) for a, z in zip(lam, column)) for column in Z.T)
    elif ties == "mistake":
        assert not inseparable


@given(n=st.integers(3, 6), seed=st.integers(0, 2**31))
def test_class_vectors_seen_twice_prove_it_too(n, seed):
    rng = np.random.default_rng(seed)
    X, codes = rng.integers(-2, 3, (n, 2)), np.append([0, 1, 2], rng.integers(0, 3, n - 3))
    model = reference.Model("multiclass", 2, 3, number=int)
    inseparable = best_margin(against_rivals(augmented(X, True), codes, 3))[0] == -np.inf
    lam = run_until_seen(model, X.tolist(), codes.tolist(), [1] * n, 5000)
    assert (lam is not None) == inseparable


@biases
@given(n=st.integers(2, 6), seed=st.integers(0, 2**31))
def test_inseparable_integers_cycle_natively(bias, n, seed):
    """A pass is a map of the weights to the weights: once they repeat at its end they go round for ever, bounded."""
    rng = np.random.default_rng(seed)
    X, codes = rng.integers(-2, 3, (n, 2)).astype(float), rng.integers(0, 2, n)
    codes[:2] = 0, 1
    assume(best_margin(signed(augmented(X, bias), 2 * codes - 1))[0] == -np.inf)
    model, seen = rb.Perceptron(fit_intercept=bias), {}
    for number in range(3000):
        model.partial_fit(X, codes, classes=[0, 1])
        at = tuple(vector(model, bias))
        if at in seen:
            break
        seen[at] = number
    assert at in seen
    before = model.n_updates_
    for _ in range(number - seen[at]):
        model.partial_fit(X, codes)
        assert tuple(vector(model, bias)) in seen
    assert tuple(vector(model, bias)) == at
    assert model.n_updates_ > before
    assert model.verdict_ == "stopped"
