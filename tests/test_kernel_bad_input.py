"""Bad input in kernel space: one sentence, and the state as it was."""

import copy
import math

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt.core import rules
from rosenblatt.core.rules.hard_margin import HardMargin

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


ROWS = np.random.default_rng(9).standard_normal((12, 3))
LABELS = np.arange(12) % 2
GRAM = ROWS @ ROWS.T


def seen(model):
    if not model.__sklearn_is_fitted__():
        return sorted(vars(model))
    return [
        repr(model.get_params()), model.classes_, model.mistakes_, model.n_updates_, model.n_iter_, model.verdict_,
        model.margin_bounds_, model.support_, model.support_vectors_, model.dual_coef_, model.n_voters_,
        model.n_features_in_, model._learner.visited,
    ]  # fmt: skip


def refused(model, call, kind, *telling):
    """Refused in one sentence, and the estimator is what it was."""
    before = copy.deepcopy(seen(model))
    one_sentence(lambda: call(model), kind, *telling)
    for was, now in zip(before, seen(model), strict=True):
        np.testing.assert_array_equal(now, was)


def bad_after(good, bad):
    """A kernel function whose calls go wrong after the first few."""
    calls = iter(range(10**6))
    return lambda A, B: A @ B.T if next(calls) < good else bad(A, B)


PARAMETERS = [
    ({"gamma": 0}, "gamma"),
    ({"gamma": -1.0}, "gamma"),
    ({"gamma": math.nan}, "gamma"),
    ({"gamma": math.inf}, "gamma"),
    ({"gamma": "wide"}, "gamma"),
    ({"gamma": None}, "gamma"),
    ({"degree": 0.5}, "degree"),
    ({"degree": 0}, "degree"),
    ({"degree": "3"}, "degree"),
    ({"coef0": math.nan}, "coef0"),
    ({"coef0": None}, "coef0"),
    ({"kernel": "gauss"}, "kernel"),
    ({"kernel": None}, "kernel"),
    ({"kernel": 3}, "kernel"),
    ({"readout": "first"}, "readout"),
    ({"block_size": 0}, "block_size"),
    ({"block_size": 2.5}, "block_size"),
    ({"cache_size": -1}, "cache_size"),
    ({"degree": 10**400}, "degree"),
    ({"coef0": 10**400}, "coef0"),
    ({"rule": "perceptron"}, "rule"),
    ({"rule": rules.PA}, "rule"),
    ({"rule": HardMargin()}, "rule"),
    ({"rule": rules.PA(), "multiclass": "uniform"}, "uniform"),
    ({"ties": "sometimes"}, "ties"),
    ({"warm_start": True}, "warm_start"),
    ({"init": "random"}, "init"),
]


@pytest.mark.parametrize("found", [rb.KernelPerceptron, rb.VotedPerceptron])
@pytest.mark.parametrize(("params", "telling"), PARAMETERS, ids=str)
def test_parameters_are_refused(found, params, telling):
    refused(found(**params), lambda model: model.fit(ROWS, LABELS), ValueError, telling)
    refused(found(**params), lambda model: model.partial_fit(ROWS, LABELS), ValueError, telling)
    fitted = found(random_state=0).fit(ROWS, LABELS).set_params(**params)
    refused(fitted, lambda model: model.fit(ROWS, LABELS), ValueError, telling)


FUNCTIONS = [
    (lambda A, B: np.ones((len(A), len(B) + 1)), "shape"),
    (lambda A, B: np.ones(len(A)), "shape"),
    (lambda A, B: 1.0, "shape"),
    (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN"),
    (lambda A, B: np.full((len(A), len(B)), np.inf), "infinity"),
    (lambda A, B: np.full((len(A), len(B)), "one"), "number"),
    (lambda A, B: (A @ B.T).astype(complex), "number"),
]


@pytest.mark.parametrize("block_size", [2, 100])
@pytest.mark.parametrize("good", [0, 3])
@pytest.mark.parametrize(("function", "telling"), FUNCTIONS, ids=[f"{i}" for i in range(len(FUNCTIONS))])
def test_bad_kernel_functions_are_refused(function, telling, good, block_size):
    """Whether they go wrong at once or in the midst of the rows."""
    if good and block_size > 12:
        return
    model = rb.KernelPerceptron(kernel=bad_after(good, function), block_size=block_size)
    refused(model, lambda model: model.fit(ROWS, LABELS), ValueError, telling)
    model = rb.KernelPerceptron(kernel=bad_after(good, function), block_size=block_size)
    refused(model, lambda model: model.partial_fit(ROWS, LABELS), ValueError, telling)

    def switched(A, B):
        return now(A, B)

    now = bad_after(10**6, function)
    model = rb.KernelPerceptron(kernel=switched, block_size=block_size, random_state=0).fit(ROWS, LABELS)
    for call in (
        lambda model: model.fit(ROWS, LABELS),
        lambda model: model.partial_fit(ROWS[:, ::-1].copy(), 1 - LABELS),
    ):
        now = bad_after(good, function)
        refused(model, call, ValueError, telling)
    now = function
    refused(model, lambda model: model.predict(ROWS), ValueError, telling)


def test_precomputed_matrices_are_refused():
    model = rb.KernelPerceptron(kernel="precomputed", max_iter=3, tol=None)
    refused(model, lambda model: model.fit(GRAM[:, :5], LABELS), ValueError, "square")
    refused(model, lambda model: model.fit(ROWS, LABELS), ValueError, "square")
    refused(model, lambda model: model.partial_fit(GRAM, LABELS), ValueError, "partial_fit", "precomputed")
    model.fit(GRAM, LABELS)
    refused(model, lambda model: model.fit(GRAM[:, :5], LABELS), ValueError, "square")
    refused(model, lambda model: model.partial_fit(GRAM, LABELS), ValueError, "partial_fit", "precomputed")
    for columns in (11, 13, 3):
        rows = np.ones((4, columns))
        refused(model, lambda model, rows=rows: model.predict(rows), ValueError, "12")
        refused(model, lambda model, rows=rows: model.decision_function(rows), ValueError, "12")
    bad = GRAM.copy()
    bad[2, 3] = np.nan
    refused(model, lambda model: model.fit(bad, LABELS), ValueError, "NaN")
    refused(model, lambda model: model.predict(bad), ValueError, "NaN")
    refused(model.set_params(early_stopping=True), lambda model: model.fit(GRAM, LABELS), ValueError, "early_stopping")


@pytest.mark.parametrize("bias", [False, True])
def test_a_sparse_precomputed_matrix_is_taken_or_refused(bias):
    shared = {"kernel": "precomputed", "max_iter": 3, "tol": None, "random_state": 0, "fit_intercept": bias}
    dense = rb.KernelPerceptron(**shared).fit(GRAM, LABELS)
    sparse = rb.KernelPerceptron(**shared)
    try:
        sparse.fit(sp.csr_matrix(GRAM), LABELS)
    except (TypeError, ValueError) as error:
        assert "sparse" in str(error).lower()  # noqa: PT017 - either is right, if it is said
        assert "precomputed" in str(error)  # noqa: PT017
    else:
        np.testing.assert_array_equal(sparse.dual_coef_, dense.dual_coef_)
        np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(GRAM)), dense.decision_function(GRAM))


@pytest.mark.parametrize("params", [{"degree": 2.5, "coef0": 0.0}, {"degree": 400, "gamma": 1e3}], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_named_kernels_that_are_no_numbers_are_refused(params):
    """A negative base has no fractional power, and a large one no finite one."""
    model = rb.KernelPerceptron(kernel="poly", **params)
    refused(model, lambda model: model.fit(ROWS, LABELS), ValueError)
    refused(model, lambda model: model.partial_fit(ROWS, LABELS), ValueError)


def test_what_is_not_there_says_so():
    model = rb.KernelPerceptron(random_state=0).fit(ROWS, LABELS)
    one_sentence(lambda: model.coef_, AttributeError, "linear")
    refused(model, lambda model: model.with_readout("pocket"), ValueError, "pocket")
    refused(model, lambda model: model.with_readout("best"), ValueError, "readout")
    refused(model, lambda model: model.learn_one({"a": 1.0}, 1), TypeError, "partial_fit")
    refused(model, lambda model: model.predict_one({"a": 1.0}), TypeError, "predict")
    refused(model, lambda model: model.predict(ROWS[:, :2]), ValueError, "features")
