"""The kernels themselves: against scikit-learn, dense and sparse."""

import threading
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_twin import KERNELS, laplacian
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import pairwise
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

import rosenblatt as rb
from rosenblatt.core import engine
from rosenblatt.core.spaces.kernel.kernels import Kernel

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


PAIRWISE = {
    "linear": lambda A, B, gamma, degree, coef0: pairwise.linear_kernel(A, B),
    "poly": lambda A, B, gamma, degree, coef0: pairwise.polynomial_kernel(A, B, degree, gamma, coef0),
    "rbf": lambda A, B, gamma, degree, coef0: pairwise.rbf_kernel(A, B, gamma),
    "sigmoid": lambda A, B, gamma, degree, coef0: pairwise.sigmoid_kernel(A, B, gamma, coef0),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, sp.csr_matrix], ids=["dense", "csr_array", "csr_matrix"])
@pytest.mark.parametrize("name", list(PAIRWISE))
@pytest.mark.parametrize("degree", [1, 2, 3, 7, 8, 2.75])
def test_kernels_are_scikit_learns(name, layout, dtype, degree):
    rng = np.random.default_rng(0)
    A, B = (rng.random((n, 6)) * (rng.random((n, 6)) < 0.7) for n in (9, 5))
    if degree == int(degree):  # else a negative base has no power
        A, B = A - 0.3 * (A > 0), B - 0.3 * (B > 0)
    A, B = A.astype(dtype), B.astype(dtype)
    rounding = 1e-12 if dtype == np.float64 else 1e-4
    expected = PAIRWISE[name](A.astype(float), B.astype(float), 0.7, degree, 0.9)
    for bias in (False, True):
        kernel = Kernel(name, 0.7, degree, 0.9, bias)
        K = kernel.matrix(layout(A), layout(B))
        assert isinstance(K, np.ndarray)
        assert K.dtype == dtype
        np.testing.assert_allclose(K, expected + bias, rtol=rounding, atol=rounding)
        square = kernel.matrix(layout(A), layout(A))
        diagonal = kernel.diagonal(layout(A))
        assert diagonal.dtype == dtype
        np.testing.assert_allclose(diagonal, np.diagonal(square), rtol=rounding, atol=rounding)
        np.testing.assert_allclose(kernel.matrix(layout(A), B), K, rtol=rounding, atol=rounding)
        np.testing.assert_allclose(kernel.matrix(A, layout(B)), K, rtol=rounding, atol=rounding)


def test_a_kernel_leaves_its_rows_alone():
    A = np.random.default_rng(0).standard_normal((6, 3))
    kept = A.copy()
    mine = np.ones((6, 6))
    for name in ("linear", "poly", "rbf", "sigmoid", laplacian, lambda P, Q: mine[: len(P), : len(Q)]):
        kernel = Kernel(name, 0.5, 3, 1.0, True)
        kernel.matrix(A, A)
        kernel.diagonal(A)
        np.testing.assert_array_equal(A, kept)
        np.testing.assert_array_equal(mine, 1)


def test_the_diagonal_of_a_function_is_that_of_its_matrix():
    A = np.random.default_rng(0).standard_normal((600, 2))
    kernel = Kernel(lambda P, Q: (P @ Q.T) ** 2, bias=True)
    np.testing.assert_allclose(kernel.diagonal(A), np.diagonal(kernel.matrix(A, A)), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("layout", "offset"),
    [(np.asarray, 0.0), (np.asarray, 3.0), (np.asarray, 1000.0), (sp.csr_matrix, 0.0), (sp.csr_matrix, 3.0)],
)
@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_is_svcs(gamma, offset, layout, dtype):
    X = (np.random.default_rng(1).standard_normal((40, 3)) + offset).astype(dtype)
    y = np.arange(40) % 2
    svc = SVC(gamma=gamma).fit(layout(X.astype(float)), y)
    named = rb.KernelPerceptron(gamma=gamma, max_iter=2, tol=None, shuffle=False).fit(layout(X), y)
    told = rb.KernelPerceptron(gamma=float(svc._gamma), max_iter=2, tol=None, shuffle=False).fit(layout(X), y)
    close = 1e-7 if dtype == np.float64 else 1e-2
    assert named.mistakes_.tolist() == told.mistakes_.tolist()
    np.testing.assert_allclose(named.decision_function(layout(X)), told.decision_function(layout(X)), close, close)


def test_gamma_of_constant_rows():
    """No variance: γ is 1/n_features, as SVC has it."""
    X, y = np.full((6, 2), 0.5), np.arange(6) % 2
    named = rb.KernelPerceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
    told = rb.KernelPerceptron(gamma=1 / 2, max_iter=1, tol=None, shuffle=False).fit(X, y)
    rows = np.array([[0.0, 1], [2, 3]])
    np.testing.assert_allclose(named.decision_function(rows), told.decision_function(rows))


def test_sparse_is_dense():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12)) * (rng.random((60, 12)) < 0.4)
    y = rng.integers(0, 3, 60)
    for kernel in ("linear", "poly", "rbf", "callable"):
        dense = rb.KernelPerceptron(**KERNELS[kernel][0], random_state=0, max_iter=3, tol=None).fit(X, y)
        for layout in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array):
            model = rb.KernelPerceptron(**KERNELS[kernel][0], random_state=0, max_iter=3, tol=None).fit(layout(X), y)
            assert model.mistakes_.tolist() == dense.mistakes_.tolist()
            assert model.support_.tolist() == dense.support_.tolist()
            assert sp.issparse(model.support_vectors_)
            np.testing.assert_allclose(model.dual_coef_, dense.dual_coef_)
            for rows in (X, layout(X)):
                np.testing.assert_allclose(model.decision_function(rows), dense.decision_function(rows), atol=1e-9)


def test_early_stopping_holds_rows_out_of_the_same_space():
    """The kernel that learns is the one that is scored: γ of a part of the rows is not another for the rest."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 2)) * np.exp(rng.standard_normal((60, 1)))
    y = (rng.random(60) < 0.5).astype(int)
    shared = {"early_stopping": True, "validation_fraction": 0.3, "max_iter": 6, "tol": None, "random_state": 0}
    model = rb.KernelPerceptron(**shared).fit(X, y)
    test = train_test_split(
        np.arange(60), test_size=0.3, stratify=y, random_state=int(np.random.default_rng(0).integers(2**31))
    )[1]
    assert model.score(X[test], y[test]) == max(model.validation_scores_)
    np.testing.assert_array_equal(X[model.support_], model.support_vectors_, "support_ numbers the rows of X")


def test_parameters_set_after_a_fit_wait_for_the_next():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    model = rb.KernelPerceptron(gamma=0.5, max_iter=2, tol=None, random_state=0).fit(X, y)
    before = model.decision_function(X), model.intercept_
    model.set_params(kernel="precomputed", fit_intercept=False, gamma=3.0, readout="voted")
    np.testing.assert_array_equal(model.decision_function(X), before[0])
    np.testing.assert_array_equal(model.intercept_, before[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_products_of_mostly_zeros_are_the_same_for_any_threads(n, dtype, monkeypatch):
    rng = np.random.default_rng(n)
    A, B = (rng.integers(-9, 10, (rows, 37)) * (rng.random((rows, 37)) < 0.2) for rows in (30, n))
    A, B = A.astype(dtype), B.astype(dtype)
    wide = sp.csr_matrix(B)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for threads in (1, 3):
        monkeypatch.setattr("rosenblatt.core.engine.threads", lambda threads=threads: threads)
        for left, right in product((A, sp.csr_matrix(A)), (sp.csr_matrix(B), wide)):
            found = engine.product(left, right)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, A @ B.T)  # whole numbers: no rounding
        np.testing.assert_array_equal(engine.product(wide, A), B @ A.T)


# ---- the Gaussian kernel far from the origin -------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 100, 10_000])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_the_gaussian_kernel_far_from_the_origin(offset, layout):
    """In float32 the squares of such rows cancel; a row is at no distance from itself."""
    X = (np.random.default_rng(0).standard_normal((30, 2)) + offset).astype(np.float32)
    K = Kernel("rbf", gamma=0.5, bias=False).matrix(layout(X), layout(X))
    assert K.dtype == np.float32
    np.testing.assert_allclose(K, pairwise.rbf_kernel(X.astype(float), gamma=0.5), rtol=1e-4, atol=1e-6)
    assert np.all(np.diagonal(K) == 1)


def test_rows_at_no_distance_at_any_scale():
    X = np.random.default_rng(0).standard_normal((30, 2))
    y = X[:, 0] * X[:, 1] > 0
    model = rb.KernelPerceptron(gamma=1e20, fit_intercept=False, tol=1e-3, random_state=0).fit(X, y)
    assert model.verdict_ == "separated"  # the kernel matrix is that of 30 orthogonal rows
    assert model.margin_bounds_ == pytest.approx((1 / np.sqrt(30), 1 / np.sqrt(30)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_separated_means_that_every_row_is_right(load, dtype):
    """Unscaled rows: most kernel values are 0 but for rounding, so that scores of exactly 0 abound."""
    X, y = load(return_X_y=True)
    for more in ({}, {"block_size": 1}, {"cache_size": 0}):
        model = rb.KernelPerceptron(gamma=0.1, random_state=0, **more).fit(X.astype(dtype), y)
        assert model.verdict_ == "separated"
        np.testing.assert_array_equal(model.predict(X.astype(dtype)), y)


def test_a_kernel_function_stays_the_users():
    class Scaled:
        def __init__(self):
            self.lock, self.scale = threading.Lock(), 1.0  # a lock cannot be copied

        def __call__(self, A, B):
            return self.scale * (A @ B.T)

    X, y = np.random.default_rng(0).standard_normal((20, 2)), np.arange(20) % 2
    model = rb.KernelPerceptron(kernel=Scaled()).partial_fit(X[:10], y[:10]).partial_fit(X[10:], y[10:])
    assert model.with_readout("averaged")._learner.kernel.name is model.kernel


def test_gamma_of_a_stream_that_rows_without_weight_opened():
    X, y = np.random.default_rng(0).standard_normal((30, 2)), np.arange(30) % 2
    opened = rb.KernelPerceptron().partial_fit(X[:3], y[:3], classes=[0, 1], sample_weight=np.zeros(3))
    plain = rb.KernelPerceptron().partial_fit(X[3:4], y[3:4], classes=[0, 1])
    assert opened.partial_fit(X[3:4], y[3:4])._learner.kernel.gamma == plain._learner.kernel.gamma
