"""Distances, margins, the radius, the perceptron criterion, and bounds on mistakes: formulas, laws, theorems."""

import copy
import gc
import math
import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from identity import every
from problems import augmented, few, problems, radius2, separable, separable_classes
from refusals import LABELS, X, one_sentence, with_cell
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier

import rosenblatt as rb

TO_THE_END = {"tol": None, "max_iter": 10**6}
biases = pytest.mark.parametrize("bias", [False, True])
CONTAINERS = {
    "list": lambda rows: rows.tolist(),
    "Fortran": np.asfortranarray,
    "strided": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "reversed": lambda rows: np.ascontiguousarray(rows[:, ::-1])[:, ::-1],
    "float32": lambda rows: rows.astype(np.float32),
    "object": lambda rows: np.array([[Fraction(v) for v in row] for row in rows.tolist()], object),
    "csr": sparse.csr_array,
    "csr float32": lambda rows: sparse.csr_matrix(rows.astype(np.float32)),
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "frame": pd.DataFrame,
    "polars": lambda rows: pl.DataFrame(rows, schema=[str(j) for j in range(rows.shape[1])]),
}
INTEGERS = {
    "int64": lambda rows: rows.astype(np.int64),
    "int8": lambda rows: rows.astype(np.int8),
    "csr int32": lambda rows: sparse.csr_matrix(rows.astype(np.int32)),
    "frame of integers": lambda rows: pd.DataFrame(rows.astype(int)),
}


def weights_for(problem, seed, kind="integers"):
    """Weights w and biases b for a problem, small integers or normal deviates, not all zero."""
    rng = np.random.default_rng(seed)
    shape = problem.X.shape[1] if problem.n_classes == 2 else (problem.n_classes, problem.X.shape[1])
    if kind == "normal":
        return rng.standard_normal(shape), rng.standard_normal(1 if problem.n_classes == 2 else problem.n_classes)
    w, b = rng.integers(-3, 4, shape), rng.integers(-3, 4, 1 if problem.n_classes == 2 else problem.n_classes)
    w.flat[0] = 2
    return w.astype(float), b.astype(float)


def functional_margins(X, codes, w, b):
    """y·s, or s_y − max s_r, by NumPy."""
    X, codes = np.asarray(X, float), np.asarray(codes)
    if np.ndim(w) == 1:
        return (2 * codes - 1) * (X @ w + b)
    s = X @ w.T + b
    right = s[np.arange(len(X)), codes]
    s[np.arange(len(X)), codes] = -np.inf
    return right - s.max(axis=1)


# ---- formulas ----------------------------------------------------------------------------------------------------


@given(problem=problems(classes=(2, 3, 5), dtypes=(np.float64,)), seed=st.integers(0, 2**31), bias=st.booleans())
def test_the_formulas(problem, seed, bias):
    X, codes, two = problem.X, problem.codes, problem.n_classes == 2
    w, b = weights_for(problem, seed, "normal")
    size = np.linalg.norm(X, axis=1).max() * np.linalg.norm(w) + np.abs(b).max()
    room = {"rtol": 1e-12, "atol": 1e-13 * size}
    assert np.isclose(rb.radius(X, fit_intercept=bias), np.linalg.norm(augmented(X, bias), axis=1).max(), rtol=1e-12)
    if two:
        np.testing.assert_allclose(rb.distances(X, w, b[0]), (X @ w + b[0]) / np.linalg.norm(w), **room)
    margins = functional_margins(X, codes, w, b)
    length = np.sqrt((w**2).sum() + bias * (b**2).sum())
    found = rb.margin(X, codes, w, b, fit_intercept=bias)
    np.testing.assert_allclose(found.points * length, margins, **room)
    assert found == found.points.min()
    assert found.from_origin == (pytest.approx(abs(b[0]) / np.linalg.norm(w)) if two else None)
    loss = rb.perceptron_loss(X, codes, w, b)
    np.testing.assert_allclose(loss.points, np.maximum(0, -margins), **room)
    assert np.isclose(loss, np.maximum(0, -margins).sum(), rtol=1e-11, atol=room["atol"] * len(X))


@pytest.mark.parametrize("kind", [*CONTAINERS, *INTEGERS])
@settings(max_examples=12)
@given(
    problem=problems(classes=(2, 3), kinds=("integers",), dtypes=(np.float64,)),
    eighths=st.booleans(),
    seed=st.integers(0, 2**31),
)
def test_every_container_gives_the_same_bits(kind, problem, eighths, seed):
    X = problem.X / 8 if eighths and kind in CONTAINERS else problem.X
    same, codes = (CONTAINERS | INTEGERS)[kind](X), problem.codes
    w, b = weights_for(problem, seed, "normal")
    assert rb.radius(same) == rb.radius(X)
    if problem.n_classes == 2:
        np.testing.assert_array_equal(rb.distances(same, w, b[0]), rb.distances(X, w, b[0]))
    one, other = rb.margin(X, codes, w, b), rb.margin(same, codes, w, b)
    np.testing.assert_array_equal(other.points, one.points)
    np.testing.assert_array_equal(other.closest, one.closest)
    one, other = rb.perceptron_loss(X, codes, w, b), rb.perceptron_loss(same, codes, w, b)
    assert other == one
    np.testing.assert_array_equal(other.mistaken, one.mistaken)
    np.testing.assert_allclose(other.gradient, one.gradient, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(other.gradient_intercept, one.gradient_intercept)
    bound, same_bound = (float(rb.mistake_bound(rows, codes, w, b, gamma=0.5)) for rows in (X, same))
    assert same_bound == bound


@given(problem=problems(classes=(2, 3), kinds=("integers",), dtypes=(np.float64,)), seed=st.integers(0, 2**31))
def test_the_closest_points_are_those_of_the_smallest_margin(problem, seed):
    w, b = weights_for(problem, seed)
    margins = functional_margins(problem.X, problem.codes, w, b)  # integers: equal is equal
    found = rb.margin(problem.X, problem.codes, w, b)
    assert found.closest.tolist() == np.flatnonzero(margins == margins.min()).tolist()


@given(data=st.data(), scale=st.sampled_from([0.25, 1.0, 8.0]), shift=st.integers(-5, 5))
def test_a_margin_does_not_change_with_the_length_of_w_nor_where_the_origin_lies(data, scale, shift):
    X, y, u, b = data.draw(separable(bias=True))
    one = rb.margin(X, y, u, b)
    assert one > 0
    assert rb.margin(X, y, scale * u, scale * b) == one  # powers of two round nothing
    assert np.isclose(rb.margin(X + shift, y, u, b - shift * u.sum()), one, rtol=1e-12)
    assert np.isclose(rb.margin(X, -y, -u, -b), one, rtol=1e-15)
    assert rb.margin(X, y, u, b, fit_intercept=True) <= one
    assert np.isclose(
        rb.margin(X, y, u, b, fit_intercept=True), rb.margin(augmented(X, True), y, np.append(u, b)), rtol=1e-12
    )


def test_a_margin_is_a_number_that_tells_where_it_comes_from():
    found = rb.margin([[0, 0], [3, 4], [6, 8]], [-1, 1, 1], w=[3, 4], b=-5)
    assert (found, found.points.tolist(), found.closest.tolist(), found.from_origin) == (1.0, [1.0, 4.0, 9.0], [0], 1.0)
    assert "row 0" in repr(found)
    assert "1 from the origin" in repr(found)
    assert str(found) == "1.0"
    wrong = rb.margin([[0, 0], [3, 4]], ["b", "a"], w=[3, 4], b=-5)
    assert wrong == -4
    assert "2 of 2 points not on their side" in repr(wrong)
    for same in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert same == found
        assert same.points.tolist() == found.points.tolist()


def test_labels_are_signs_where_they_can_be():
    """A set of one class has a margin where the labels say which side it belongs on."""
    assert rb.margin([[2.0], [3.0]], [1, 1], [1.0]) == 2
    assert rb.margin([[2.0], [3.0]], [-1.0, -1.0], [1.0]) == -3
    assert rb.margin([[2.0], [-3.0]], ["yes", "no"], [1.0]) == 2
    assert rb.margin([[2.0], [-3.0]], [True, False], [1.0]) == 2


# ---- nothing is copied -------------------------------------------------------------------------------------------


def peak(call):
    """Bytes that were taken at most while it ran."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def calls(X, n_features):
    """Each function over X, with weights that are wrong on about half of the rows, and on all of them."""
    y = np.where(np.arange(X.shape[0]) % 2, 1, -1)
    w = np.ones(n_features)
    return {
        "radius": lambda: rb.radius(X, fit_intercept=True),
        "distances": lambda: rb.distances(X, w, 1.0),
        "margin": lambda: rb.margin(X, y, w, 1.0),
        "mistake_bound": lambda: rb.mistake_bound(X, y, w, gamma="best"),
        "perceptron_loss": lambda: rb.perceptron_loss(X, y, w),
        "perceptron_loss, all mistaken": lambda: rb.perceptron_loss(X, y, 0 * w),
    }


FUNCTIONS = pytest.mark.parametrize("function", calls(np.zeros((1, 1)), 1))


@pytest.mark.diagonal
@FUNCTIONS
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_no_copy_of_rows_that_are_ready(function, kind):
    X = np.random.default_rng(0).standard_normal((2000, 500))  # 8 MB
    size = X.nbytes
    if kind == "csr":
        X = sparse.csr_matrix(X * (np.abs(X) > 1))
        size = X.data.nbytes + X.indices.nbytes
    call = calls(X, 500)[function]
    call()  # what is imported or cached the first time
    assert peak(call) < size / 5


@pytest.mark.diagonal
@FUNCTIONS
@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_other_numbers_are_converted_a_block_at_a_time(function, dtype):
    X = np.random.default_rng(0).integers(-9, 10, (12000, 1000), np.int16).astype(dtype)
    call = calls(X, 1000)[function]
    assert peak(call) < 0.6 * X.size * 8


# ---- the perceptron criterion ------------------------------------------------------------------------------------


@given(problem=problems(classes=(2, 3, 5), kinds=("normal",), dtypes=(np.float64,)), seed=st.integers(0, 2**31))
def test_the_gradient_is_the_slope(problem, seed):
    X, codes = problem.X, problem.codes
    w, b = weights_for(problem, seed, "normal")
    s = X @ w + b if w.ndim == 1 else X @ w.T + b
    gaps = np.abs(s) if w.ndim == 1 else np.abs(s[:, :, None] - s[:, None])[:, ~np.eye(problem.n_classes, dtype=bool)]
    assume(gaps.min() > 1e-3)  # no corner near
    loss, h = rb.perceptron_loss(X, codes, w, b), 1e-5

    def slope(dw, db):
        up, down = (rb.perceptron_loss(X, codes, w + a * dw, b + a * db) for a in (h, -h))
        return (up - down) / (2 * h)

    rng = np.random.default_rng(seed)
    for _ in range(3):
        dw, db = rng.standard_normal(w.shape), rng.standard_normal(b.shape)
        dw, db = (v / (1 + np.abs(X).max() * np.sqrt(w.size)) for v in (dw, db))
        expected = (loss.gradient * dw).sum() + (loss.gradient_intercept * db).sum()
        assert np.isclose(slope(dw, db), expected, rtol=1e-6, atol=1e-6)
    assert loss.gradient.shape == w.shape


@pytest.mark.parametrize("ties", ["mistake", "predict"])
@pytest.mark.parametrize("eta", [1.0, 0.5, 3.0])
@given(
    problem=problems(classes=(2, 3, 5), kinds=("integers",), dtypes=(np.float64,)),
    seed=st.integers(0, 2**31),
    bias=st.booleans(),
    zero=st.booleans(),
)
def test_a_step_down_the_gradient_is_the_batch_perceptrons(ties, eta, problem, seed, bias, zero):
    X, codes = problem.X, problem.codes
    w, b = weights_for(problem, seed)
    w, b = w * (not zero), b * bias * (not zero)
    loss = rb.perceptron_loss(X, codes, w, b, ties=ties)
    model = rb.BatchPerceptron(eta0=eta, fit_intercept=bias, ties=ties, max_iter=1, tol=None)
    model.fit(X, codes, coef_init=np.atleast_2d(w), intercept_init=b)
    np.testing.assert_array_equal(model.coef_, np.atleast_2d(w - eta * loss.gradient))
    if bias:
        np.testing.assert_array_equal(model.intercept_, b - eta * loss.gradient_intercept)
    assert model.mistakes_[0] == len(loss.mistaken)


@given(problem=problems(classes=(2, 3), kinds=("integers",), dtypes=(np.float64,)), seed=st.integers(0, 2**31))
def test_the_criterion_of_integers_by_hand(problem, seed):
    """The sum over mistakes, row by row: the predicted class under ties="predict", s_y ≤ s_r under "mistake"."""
    X, codes = problem.X, problem.codes
    w, b = weights_for(problem, seed)
    margins = functional_margins(X, codes, w, b)
    s = X @ np.atleast_2d(w).T + b
    predicted = (s[:, 0] > 0).astype(int) if w.ndim == 1 else s.argmax(axis=1)
    for ties, wrong in (("mistake", margins <= 0), ("predict", predicted != codes)):
        loss = rb.perceptron_loss(X, codes, w, b, ties=ties)
        assert loss.mistaken.tolist() == np.flatnonzero(wrong).tolist()
        assert loss == -margins[wrong].sum()
        if w.ndim == 1:
            np.testing.assert_array_equal(loss.gradient, -((2 * codes - 1)[wrong] @ X[wrong]))
            assert loss.gradient_intercept == -(2 * codes - 1)[wrong].sum()


@given(
    problem=problems(classes=(2, 3, 5), kinds=("integers",), dtypes=(np.float64,)),
    seed=st.integers(0, 2**31),
    scale=st.sampled_from([0.5, 1.0, 3.0, 16.0]),
)
def test_what_leaves_the_criterion_alone(problem, seed, scale):
    X, codes = problem.X, problem.codes
    w, b = weights_for(problem, seed)
    loss, rng = rb.perceptron_loss(X, codes, w, b), np.random.default_rng(seed)
    longer = rb.perceptron_loss(X, codes, scale * w, scale * b)  # homogeneous, and the slope is as steep
    assert longer == scale * loss
    np.testing.assert_array_equal(longer.gradient, loss.gradient)
    order = rng.permutation(len(X))
    assert rb.perceptron_loss(X[order], codes[order], w, b) == loss
    if problem.n_classes > 2:  # the same vector added to every class
        shift = rng.integers(-3, 4, X.shape[1])
        assert rb.perceptron_loss(X, codes, w + shift, b + 2) == loss
        np.testing.assert_array_equal(loss.gradient.sum(axis=0), 0)
    else:
        assert rb.perceptron_loss(X, 1 - codes, -w, -b) == loss
    names = np.array(["a", "bb", "ccc", "dddd", "eeeee"])
    assert rb.perceptron_loss(X, names[codes], w, b) == loss
    assert rb.perceptron_loss(np.hstack((X, 0 * X)), codes, np.hstack((w, 0 * w + 7)), b) == loss


def test_the_gradient_has_the_shape_of_w():
    assert rb.perceptron_loss(X, LABELS, [0, 0, 0]).gradient.shape == (3,)
    assert rb.perceptron_loss(X, LABELS, [[0, 0, 0]]).gradient.shape == (1, 3)
    assert rb.perceptron_loss(sparse.csr_matrix(X), LABELS, np.ones(3)).gradient.shape == (3,)
    right = rb.perceptron_loss([[1.0], [-1.0]], [1, -1], [1.0])
    assert (right, right.gradient.tolist(), right.mistaken.tolist()) == (0.0, [0.0], [])


# ---- bounds on mistakes ------------------------------------------------------------------------------------------

BOUNDED = [
    rb.Perceptron(),
    rb.Perceptron(ties="predict", shuffle=False),
    rb.Perceptron(eta0=0.25, multiclass="uniform"),
    rb.Perceptron(eta0=3.0, multiclass="proportional", ties="predict"),
    rb.Perceptron(margin=1.5),
    rb.Perceptron(margin=0.5, eta0=2.0, shuffle=False),
    rb.AveragedPerceptron(),
    rb.PocketPerceptron(eta0=0.5),
    rb.BatchPerceptron(),
    rb.BatchPerceptron(eta0=0.5, ties="predict"),
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=0.1),
    rb.PassiveAggressiveClassifier(C=10.0, shuffle=False, ties="predict"),
    rb.PassiveAggressiveClassifier(variant="PA-II", C=0.5),
    rb.MIRA(),
    rb.MIRA(C=0.05),
    rb.MIRA(C=5.0, ties="predict"),
]


def alpha_and_beta2(estimator, R2, gamma, n):
    """Each mistake takes β² off ‖w/η − αŵ‖²."""
    C = getattr(estimator, "C", None)
    if isinstance(estimator, rb.BatchPerceptron):
        return n * R2 / gamma, n * R2
    if isinstance(estimator, rb.PassiveAggressiveClassifier) and estimator.variant == "PA-II":
        return 1 / gamma, 1 / (R2 + 1 / (2 * C))
    if isinstance(estimator, (rb.PassiveAggressiveClassifier, rb.MIRA)):
        C = math.inf if getattr(estimator, "variant", "") == "PA" or C is None else C
        return 1 / gamma, 1 / max(R2, 1 / C)
    m = getattr(estimator, "margin", 0.0) / estimator.eta0
    return (R2 + 2 * m) / gamma, R2 + 2 * m


def check_bound(estimator, X, y, w, b, bias, start, factor, seed):
    """Fit to the end, and compare with the bound of weights that separate: its parts, its value, the mistakes."""
    model = type(estimator)(**{**estimator.get_params(), "fit_intercept": bias, "random_state": seed, **TO_THE_END})
    rng = np.random.default_rng(seed)
    k = len(np.atleast_2d(w))
    w0, b0 = rng.integers(-4, 5, (k, X.shape[1])) * 1.0, rng.integers(-4, 5, k) * float(bias)
    if start:
        model.fit(X, y, coef_init=w0, intercept_init=b0 if bias else None)
    else:
        model.fit(X, y)
    assert model.verdict_ == "separated"
    found = rb.mistake_bound(X, y, w, b, estimator=model)
    assert found.separates
    assert found.mistakes == (model.n_updates_ if getattr(estimator, "margin", 0) else model.mistakes_.sum())
    assert found.mistakes <= found.bound * (1 + 1e-9)
    assert 0 <= found.ratio <= 1 + 1e-9
    R2, gamma = factor * radius2(augmented(X, bias)), float(rb.margin(X, y, w, b, fit_intercept=bias))
    alpha, beta2 = alpha_and_beta2(estimator, R2, gamma, len(X))
    eta, length = getattr(estimator, "eta0", 1.0), np.sqrt(np.sum(np.square(w)) + np.sum(np.square(b)))
    goal = np.column_stack((np.atleast_2d(w), np.broadcast_to(b, k))) * alpha / length
    begun = start * np.column_stack((w0, b0)) / eta
    assert np.isclose(factor * found.R**2, R2, rtol=1e-12)
    assert np.isclose(found.gamma, gamma, rtol=1e-12)
    assert np.isclose(found.bound, ((begun - goal) ** 2).sum() / beta2, rtol=1e-9)
    assert float(found) == found.bound
    return model


@every(BOUNDED)
@few
@given(data=st.data(), bias=st.booleans(), start=st.booleans(), seed=st.integers(0, 99))
def test_mistakes_are_within_the_bound(estimator, data, bias, start, seed):
    X, y, u, b = data.draw(separable(bias=bias))
    model = check_bound(estimator, X, y, u, b, bias, start, 1, seed)
    if not start:
        best = rb.separability(X, y, fit_intercept=bias)
        found = rb.mistake_bound(X, y, best.w, best.b, estimator=model)
        assert found.mistakes <= found.bound * (1 + 1e-9)
        if isinstance(model, rb.Perceptron) and model.margin == 0:
            assert found.mistakes <= best.mistake_bound * (1 + 1e-9)
            assert best.mistake_bound <= found.bound * (1 + 1e-9)


@every(BOUNDED)
@settings(max_examples=15)
@given(data=st.data(), bias=st.booleans(), start=st.booleans(), seed=st.integers(0, 99))
def test_mistakes_of_several_classes_are_within_the_bound(estimator, data, bias, start, seed):
    X, codes, U = data.draw(separable_classes())
    check_bound(estimator, X, codes, U, 0.0, bias, start, 2, seed)


@given(data=st.data(), bias=st.booleans(), m=st.sampled_from([0.5, 2.0, 8.0]), eta=st.sampled_from([0.5, 1.0, 4.0]))
def test_updates_of_a_margin_perceptron_that_reaches_its_margin(data, bias, m, eta):
    X, y, u, b = data.draw(separable(bias=bias))
    model, before = rb.Perceptron(margin=m, eta0=eta, fit_intercept=bias), -1
    while getattr(model, "n_updates_", 0) > before:
        before = getattr(model, "n_updates_", 0)
        model.partial_fit(X, y)
    found = rb.mistake_bound(X, y, u, b, estimator=model)
    assert found.mistakes == before <= found.bound * (1 + 1e-9)


@pytest.mark.parametrize("n", [2, 3, 8, 33])
def test_orthonormal_rows_attain_it(n):
    X, y = np.eye(n), np.where(np.arange(n) % 3, 1, -1)
    model = rb.Perceptron(fit_intercept=False, **TO_THE_END).fit(X, y)
    found = rb.mistake_bound(X, y, y.astype(float), estimator=model)
    assert (found.R, found.mistakes) == (1.0, n)
    assert np.isclose(found.bound, n, rtol=1e-14)
    assert np.isclose(found.ratio, 1, rtol=1e-14)
    assert rb.separability(X, y, fit_intercept=False).margin_squared == Fraction(1, n)


def test_the_bound_from_a_start_by_hand():
    """R = 5, w = (3, 4)/5 has γ = 5: α = 5, β = 5; from (1, 2): ‖(1, 2) − (3, 4)‖² = 8, over 25."""
    X, y = [[3, 4], [-3, -4]], [1, -1]
    found = rb.mistake_bound(X, y, w=[6, 8], w0=[1, 2])
    assert (found.R, found.gamma, found.alpha, found.beta) == (5.0, 5.0, 5.0, 5.0)
    assert np.isclose(found.bound, 8 / 25, rtol=1e-12)
    assert rb.mistake_bound(X, y, w=[6, 8]).bound == 1.0
    assert rb.mistake_bound(X, y, w=[6, 8], w0=[0, 0]).bound == 1.0
    biased = rb.mistake_bound(X, y, w=[6, 8], fit_intercept=True, w0=[0, 0], b0=2.0)
    assert np.isclose(biased.bound, ((26 / 5) ** 2 + 4) / 26, rtol=1e-12)  # α = 26/5, ‖(0, 0, 2) − α(.6, .8, 0)‖²/26


def test_the_bound_that_a_bias_makes():
    """(x, 1) over ‖(w, b)‖: asked for, taken from b, or from the estimator."""
    X, y = [[2.0], [4.0]], [-1, 1]
    expected = (16 + 1) / (1 / np.sqrt(10)) ** 2
    model = rb.Perceptron(**TO_THE_END).fit(X, y)
    for more in ({}, {"fit_intercept": True}, {"estimator": model}):
        assert np.isclose(rb.mistake_bound(X, y, w=[1], b=-3, **more).bound, expected, rtol=1e-12)
    centred = [[-1.0], [1.0]]
    assert np.isclose(rb.mistake_bound(centred, y, w=[1]).bound, 1)
    assert np.isclose(rb.mistake_bound(centred, y, w=[1], fit_intercept=True).bound, 2)


# ---- Freund and Schapire -----------------------------------------------------------------------------------------


def shortfall(margins, gamma):
    return np.sqrt((np.maximum(0, gamma - margins) ** 2).sum())


@given(
    problem=problems(classes=(2, 3), features=(1, 2, 5), kinds=("integers", "eighths"), dtypes=(np.float64,)),
    bias=st.booleans(),
    shuffle=st.booleans(),
    seed=st.integers(0, 2**31),
)
def test_mistakes_of_the_first_pass_on_any_data(problem, bias, shuffle, seed):
    X, codes = problem.X, problem.codes
    model = rb.Perceptron(fit_intercept=bias, shuffle=shuffle, random_state=seed % 100, max_iter=2, tol=None)
    model.fit(X, codes)
    for kind in ("integers", "normal"):
        w, b = weights_for(problem, seed, kind)
        b = b * bias
        length = np.sqrt((w**2).sum() + (b**2).sum())
        margins = functional_margins(X, codes, w, b) / length
        R = np.sqrt(radius2(augmented(X, bias)) * (1 if w.ndim == 1 else 2))
        for gamma in (0.01, 0.3, 1.0, 5.0, 1e3, "best", None):
            found = rb.mistake_bound(X, codes, w, b, gamma=gamma, estimator=model)
            assert found.mistakes <= found.bound * (1 + 1e-9)
            if found.D > 0:
                assert found.mistakes == model.mistakes_[0]
                assert gamma in (None, "best") or found.gamma == gamma
            if np.isfinite(found.gamma):
                assert np.isclose(found.D, shortfall(margins, found.gamma), rtol=1e-9, atol=1e-9)
                assert np.isclose(found.bound, ((R + found.D) / found.gamma) ** 2, rtol=1e-9)
        best = rb.mistake_bound(X, codes, w, b, gamma="best", fit_intercept=bias).bound
        grid = np.geomspace(1e-4, 1e6, 400)
        assert best <= min(((R + shortfall(margins, g)) / g) ** 2 for g in grid) * (1 + 1e-9)
        assert best <= len(X) * (1 + 1e-9)


@given(data=st.data(), bias=st.booleans())
def test_of_weights_that_separate_the_best_bound_is_at_most_novikoffs(data, bias):
    X, y, u, b = data.draw(separable(bias=bias))
    plain = rb.mistake_bound(X, y, u, b, fit_intercept=bias)
    best = rb.mistake_bound(X, y, u, b, fit_intercept=bias, gamma="best")
    assert best.bound <= plain.bound * (1 + 1e-9)
    smaller = rb.mistake_bound(X, y, u, b, fit_intercept=bias, gamma=plain.gamma / 2)
    assert np.isclose(smaller.bound, 4 * plain.bound, rtol=1e-9)  # the margin is there, whatever is asked
    assert smaller.D == plain.D == 0


def test_a_bound_that_says_nothing_is_the_number_of_rows():
    X, y = [[1.0], [2.0], [-1.0]], [-1, -1, 1]  # all wrong: every γ asks for more than n
    assert rb.mistake_bound(X, y, w=[1], gamma="best").bound == 3
    found = rb.mistake_bound(X, y, w=[1], gamma=1e9)
    assert np.isclose(found.bound, 3, rtol=1e-6)
    assert not found.separates


def test_freund_and_schapire_by_hand():
    """u·z = 2, 2, −1: for γ = 1 D = 2, R = 2, so (2 + 2)²; and 2·√… is smallest where its slope is 0."""
    found = rb.mistake_bound([[2.0], [-2.0], [1.0]], [1, -1, -1], w=[5], gamma=1)
    assert (found.R, found.D, found.bound) == (2.0, 2.0, 16.0)
    model = rb.Perceptron(fit_intercept=False, max_iter=5, tol=None, shuffle=False)
    model.fit([[2.0], [-2.0], [1.0]], [1, -1, -1])
    told = rb.mistake_bound([[2.0], [-2.0], [1.0]], [1, -1, -1], w=[5], gamma=1, estimator=model)
    assert told.mistakes == model.mistakes_[0] == 2
    assert model.mistakes_.sum() > 2
    assert "first pass" in str(told)


# ---- how it prints -----------------------------------------------------------------------------------------------


def test_the_table_names_each_symbol():
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    found = rb.mistake_bound(X, y, w=[-5, 3], estimator=model)
    cells = {line.split()[0]: line for line in str(found).splitlines() if line.strip()}
    assert [name for name in ("R", "γ", "bound", "mistakes", "ratio") if name not in cells] == []
    assert cells["bound"].split()[1] == "442"
    assert cells["mistakes"].split()[1] == "13"
    assert "Perceptron" in cells["mistakes"]
    assert np.isclose(float(cells["ratio"].split()[1]), 13 / 442, rtol=1e-4)
    assert "(R/γ)²" in cells["bound"]
    assert "Novikoff" in cells["bound"]
    assert {"D", "α", "mistakes"}.isdisjoint(
        line.split()[0] for line in str(rb.mistake_bound(X, y, w=[-5, 3])).splitlines()
    )
    started = str(rb.mistake_bound(X, y, w=[-5, 3], w0=[1, 1]))
    assert [name for name in ("α", "β²", "w₀") if name not in started] == []
    short = str(rb.mistake_bound(X, y, w=[1, 1], gamma="best"))
    assert [name for name in ("D", "((R + D)/γ)²", "Freund") if name not in short] == []
    assert "<table" in found._repr_html_()


@every(BOUNDED)
def test_the_table_names_the_learner_and_its_theorem(estimator):
    model = type(estimator)(**{**estimator.get_params(), **TO_THE_END}).fit(X, LABELS)
    best = rb.separability(X, LABELS)
    told = str(rb.mistake_bound(X, LABELS, best.w, best.b, estimator=model))
    assert type(estimator).__name__ in told
    expected = {rb.BatchPerceptron: "n·(R/γ)²"}.get(type(estimator), "R")
    if isinstance(estimator, rb.PassiveAggressiveClassifier):
        expected = {"PA": "(R/γ)²", "PA-I": "max(R², 1/C)/γ²", "PA-II": "(R² + 1/(2C))/γ²"}[estimator.variant]
    if getattr(estimator, "margin", 0):
        expected = "(R² + 2m/η)/γ²"
    assert expected in told


# ---- bad input ---------------------------------------------------------------------------------------------------

W = [1.0, -1.0, 0.5]
OF_A_TABLE = {
    "distances": lambda rows: rb.distances(rows, W),
    "radius": rb.radius,
    "margin": lambda rows: rb.margin(rows, LABELS, W),
    "perceptron_loss": lambda rows: rb.perceptron_loss(rows, LABELS, W),
    "mistake_bound": lambda rows: rb.mistake_bound(rows, LABELS, W),
}
OF_LABELS = {
    "margin": lambda y: rb.margin(X, y, W),
    "perceptron_loss": lambda y: rb.perceptron_loss(X, y, W),
    "mistake_bound": lambda y: rb.mistake_bound(X, y, W),
}
OF_WEIGHTS = {
    "distances": lambda w, b=0.0: rb.distances(X, w, b),
    "margin": lambda w, b=0.0: rb.margin(X, LABELS, w, b),
    "perceptron_loss": lambda w, b=0.0: rb.perceptron_loss(X, LABELS, w, b),
    "mistake_bound": lambda w, b=0.0: rb.mistake_bound(X, LABELS, w, b),
}


TABLES = {
    "one row": (X[0], "X must be a table", "1 dimension", "reshape"),
    "three dimensions": (X[None], "X must be a table", "3 dimension"),
    "a number": (5, "X must be a table"),
    "nothing": (None, "X must be a table"),
    "no rows": (X[:0], "X has no rows"),
    "ragged": ([[1, 2, 3], [1, 2]] * 3, "different lengths"),
    "text": ([["a", "b", "c"]] * 6, "X must hold real numbers"),
    "complex": (X + 1j, "X must hold real numbers", "complex"),
    "dates": (np.zeros((6, 3), "M8[s]"), "X must hold real numbers", "datetime"),
    "NaN": (with_cell(np.nan), "NaN", "row 4, column 1"),
    "infinity": (with_cell(-np.inf), "infinity", "row 4, column 1"),
    "NaN in float32": (with_cell(np.nan, np.float32), "NaN", "row 4, column 1"),
    "NaN in CSR": (sparse.csr_array(with_cell(np.nan)), "NaN", "row 4, column 1"),
    "NaN in CSC": (sparse.csc_matrix(with_cell(np.nan)), "NaN", "row 4, column 1"),
    "NaN in a frame": (pd.DataFrame(with_cell(np.nan)), "NaN", "row 4, column 1"),
    "None among objects": (with_cell(None, object), "NaN", "row 4, column 1"),
    "text among objects": (with_cell("many", object), "'many'", "row 4, column 1"),
    "complex among objects": (with_cell(1j, object), "1j", "row 4, column 1"),
    "too large": (with_cell(1e200), "overflows", "row 4"),
    "beyond any float": (with_cell(10**400, object), "row 4, column 1"),
}


@pytest.mark.parametrize("function", OF_A_TABLE)
@pytest.mark.parametrize("case", TABLES)
def test_bad_tables(function, case):
    rows, *telling = TABLES[case]
    one_sentence(lambda: OF_A_TABLE[function](rows), ValueError, *telling)


def test_the_row_of_a_nan_is_counted_from_the_first_block():
    rows = np.zeros((5000, 1000), np.float32)
    rows[4321, 7] = np.nan
    one_sentence(lambda: rb.radius(rows), ValueError, "NaN", "row 4321, column 7")


@pytest.mark.parametrize("function", OF_LABELS)
@pytest.mark.parametrize(
    ("y", "telling"),
    [
        (LABELS[:5], ("one label per row", "(6,)", "(5,)")),
        (np.column_stack((LABELS, LABELS)), ("one label per row", "(6, 2)")),
        (None, ("one label per row",)),
        (1, ("one label per row",)),
        ([0] * 6, ("only one class", "0")),
        (["yes"] * 6, ("only one class", "'yes'")),
        ([0, 1, 0, 1, np.nan, 1], ("y[4]", "nan")),
        ([0, 1, 0, 1, np.inf, 1], ("y[4]", "inf")),
        ([0, 1, None, 1, 0, 1], ("label",)),
        (np.array(["a", 1, "b", 2, "a", 1], object), ("label", "types")),
    ],
)
def test_bad_labels(function, y, telling):
    one_sentence(lambda: OF_LABELS[function](y), ValueError, *telling)


@pytest.mark.parametrize("function", OF_LABELS)
@pytest.mark.parametrize("y", [[0, 1, 0, 1, np.nan, 1], ["a", "b", "a", "b", np.nan, "a"]], ids=["numbers", "text"])
def test_a_nan_among_labels_that_are_objects(function, y):
    """It equals no class, itself included: a code of −1 would be an index outside the weights."""
    one_sentence(lambda: OF_LABELS[function](np.array(y, object)), ValueError, "label")


@pytest.mark.parametrize("function", OF_WEIGHTS)
@pytest.mark.parametrize(
    ("w", "telling"),
    [
        ([1.0, 2.0], ("w must have the shape (3,)", "(2,)")),
        (np.ones((2, 3)), ("w must have the shape (3,)", "(2, 3)")),
        (5.0, ("w must have the shape (3,)",)),
        (["a", "b", "c"], ("must be numbers", "'a'")),
        (None, ("w",)),
        ([1.0, np.nan, 0.0], ("w", "NaN")),
        ([1.0, np.inf, 0.0], ("w", "infinity")),
        ([1.0, 1j, 0.0], ("must be numbers",)),
    ],
)
def test_bad_weights(function, w, telling):
    one_sentence(lambda: OF_WEIGHTS[function](w), ValueError, *telling)


@pytest.mark.parametrize("function", OF_WEIGHTS)
@pytest.mark.parametrize(
    ("b", "telling"),
    [([1.0, 2.0], ("bias of w", "one number")), (np.nan, ("bias", "NaN")), ("much", ("must be numbers", "'much'"))],
)
def test_bad_biases(function, b, telling):
    one_sentence(lambda: OF_WEIGHTS[function](W, b), ValueError, *telling)


@pytest.mark.parametrize("function", ["distances", "margin", "mistake_bound"])
def test_weights_of_zero_have_no_margin(function):
    one_sentence(lambda: OF_WEIGHTS[function]([0.0, 0.0, 0.0]), ValueError, "w is zero")


def test_weights_of_several_classes():
    y = [0, 1, 2, 0, 1, 2]
    for function in (rb.margin, rb.perceptron_loss, rb.mistake_bound):
        one_sentence(lambda f=function: f(X, y, W), ValueError, "(3, 3), one row per class")
        one_sentence(lambda f=function: f(X, y, np.ones((3, 3)), [1.0, 2.0]), ValueError, "one number per class")


def test_bad_options():
    one_sentence(lambda: rb.perceptron_loss(X, LABELS, W, ties="both"), ValueError, "ties", "'both'")
    for gamma in (0, -1.0, np.nan, np.inf, "largest", [1.0]):
        one_sentence(lambda g=gamma: rb.mistake_bound(X, LABELS, W, gamma=g), ValueError, "gamma", repr(gamma))
    one_sentence(lambda: rb.mistake_bound(X, LABELS, W, 1.0, fit_intercept=False), ValueError, "bias", "fit_intercept")
    one_sentence(lambda: rb.mistake_bound(X, LABELS, [1, 1, 0], w0=[1.0]), ValueError, "w0 must have the shape (3,)")
    one_sentence(lambda: rb.mistake_bound(X, LABELS, [1, 1, 0], w0=[1, 1, np.nan]), ValueError, "w0", "NaN")


def test_a_start_needs_weights_that_separate():
    one_sentence(lambda: rb.mistake_bound([[1], [2]], [1, -1], [1], w0=[1]), ValueError, "w0", "separate")


def fitted(model, y=LABELS, rows=X):
    return model.set_params(max_iter=20, tol=None).fit(rows, y)


@pytest.mark.parametrize(
    ("model", "kind", "telling"),
    [
        (lambda: rb.Perceptron(), NotFittedError, ("not fitted",)),
        (lambda: SGDClassifier(loss="perceptron").fit(X, LABELS), TypeError, ("estimator", "SGDClassifier")),
        (lambda: "Perceptron", TypeError, ("estimator", "str")),
        (lambda: rb.PassiveAggressiveRegressor().fit(X, X[:, 0]), ValueError, ("regression",)),
        (lambda: fitted(rb.MIRA(variant="norm")), ValueError, ("none is known of NormMIRA",)),
        (lambda: fitted(rb.Perceptron(), rows=X[:, :2]), ValueError, ("2 columns", "3")),
        (lambda: fitted(rb.Perceptron(), [0, 1, 2] * 2), ValueError, ("3 classes", "2")),
    ],
)
def test_estimators_that_no_bound_speaks_of(model, kind, telling):
    model = model()
    one_sentence(lambda: rb.mistake_bound(X, LABELS, [1, 1, 0], estimator=model), kind, *telling)


def test_one_against_the_rest_has_no_bound():
    model = fitted(rb.Perceptron(multiclass="ovr"), [0, 1, 2] * 2)
    one_sentence(lambda: rb.mistake_bound(X, [0, 1, 2] * 2, np.eye(3), estimator=model), ValueError, "against the rest")


def test_a_bias_for_a_learner_without_one():
    model = fitted(rb.Perceptron(fit_intercept=False))
    one_sentence(lambda: rb.mistake_bound(X, LABELS, W, 1.0, estimator=model), ValueError, "bias", "fit_intercept")


@pytest.mark.parametrize(
    ("model", "telling"),
    [
        (lambda: rb.PassiveAggressiveClassifier(), "another learner"),
        (lambda: rb.BatchPerceptron(), "another learner"),
        (lambda: rb.Perceptron(margin=1.0), "another learner"),
        (lambda: rb.Perceptron(init="random"), "start at zero"),
    ],
)
def test_freund_and_schapire_speak_of_the_perceptron_from_zero(model, telling):
    model = fitted(model())
    one_sentence(lambda: rb.mistake_bound(X, LABELS, [-1, 1, 1], estimator=model), ValueError, telling)


# ---- what a review found ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"sample_weight": [1000, 1, 1, 1]}, {"class_weight": {1: 1000}}])
def test_no_bound_for_a_learner_with_weights(options):
    """With weights there were 848 mistakes where the bound says 65."""
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    weight = options.pop("sample_weight", None)
    model = rb.Perceptron(fit_intercept=False, shuffle=False, **options).fit(X, y, sample_weight=weight)
    one_sentence(lambda: rb.mistake_bound(X, y, [-2, 1], estimator=model), ValueError, "weights")
    model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y, sample_weight=[1, 1, 1, 1])
    assert rb.mistake_bound(X, y, [-2, 1], estimator=model).mistakes == 13


def test_labels_of_another_order_are_refused():
    X = [[1, 3], [2, 3], [-3, 1], [1, -1]]
    model = rb.Perceptron(fit_intercept=False).fit(X, ["x", "y", "x", "y"])
    one_sentence(lambda: rb.mistake_bound(X, ["b", "a", "b", "a"], [-2, 1], estimator=model), ValueError, "'x'", "'a'")


def test_the_best_weights_come_from_an_answer():
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    answer = rb.separability(X, y)
    assert np.isclose(rb.mistake_bound(X, y, answer).bound, answer.mistake_bound, rtol=1e-12)
    assert np.isclose(rb.mistake_bound(X, y, answer).bound, 68.6, rtol=1e-12)
    assert rb.mistake_bound(X, y, answer.w, answer.b).bound > 68.6
    assert np.isclose(rb.margin(X, y, answer), answer.margin, rtol=1e-12)
    model = rb.Perceptron().fit(X, y)
    assert rb.margin(X, y, model) == rb.margin(X, y, model.coef_[0], model.intercept_[0])


def test_several_classes_count_twice():
    X, y = [[1, 0], [0, 1], [-1, -1], [2, 1]], list("abca")
    answer = rb.separability(X, y)
    assert np.isclose(answer.R, np.sqrt(6), rtol=1e-12)
    assert np.isclose(answer.mistake_bound, 2 * (answer.R / answer.margin_augmented) ** 2, rtol=1e-9)
    assert "2(R/γ)²" in str(answer)
    found = rb.mistake_bound(X, y, answer)
    assert np.isclose(found.bound, answer.mistake_bound, rtol=1e-9)
    assert np.isclose(found.R, answer.R, rtol=1e-12)
    assert "2(R/γ)²" in str(found)


def test_a_smaller_margin_than_the_weights_have():
    found = rb.mistake_bound([[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1], [-2, 1], gamma=0.1)
    assert (found.gamma, found.D) == (0.1, 0.0)
    assert "smallest margin" not in str(found)
    assert np.isclose(found.margin, 1 / np.sqrt(5))


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150])
def test_far_out_scales(scale):
    assert np.isclose(rb.radius([[3 * scale, 4 * scale]]), 5 * scale, rtol=1e-12)
    assert np.allclose(rb.distances([[1, 1], [0, 0]], [3 * scale, 4 * scale], 5 * scale), [2.4, 1], rtol=1e-12)
    assert np.isclose(rb.margin([[1, 1], [-1, -2]], [1, -1], [3 * scale, 4 * scale]), 1.4, rtol=1e-12)


def test_arguments_that_would_be_ignored_are_refused():
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    one_sentence(lambda: rb.mistake_bound(X, y, [-2, 1], w0=[0, 0], b0=300), ValueError, "b0")
    for call in (
        lambda: rb.radius(X, fit_intercept="no"),
        lambda: rb.margin(X, y, [-2, 1], fit_intercept="no"),
        lambda: rb.mistake_bound(X, y, [-2, 1], fit_intercept="no"),
        lambda: rb.separability(X, y, "no"),
    ):
        one_sentence(call, ValueError, "fit_intercept", "'no'")
    one_sentence(lambda: rb.mistake_bound(X, y, [-2, 1], estimator=rb.Perceptron), TypeError, "fitted estimator")
