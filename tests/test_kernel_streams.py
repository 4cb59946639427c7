"""Streams in kernel space: chunks, classes and weights in mid-stream."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_twin import KERNELS, problems, same_model
from problems import few, for_classes
from test_native_equals_reference import LEARNERS

import rosenblatt as rb
from rosenblatt.core import rules

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

#: Rules that take new classes: not those that have a number for each.
IN_STREAMS = [(rule, share) for rule, share in LEARNERS if for_classes(rule, 9) == rule]


def chunks(n, rng):
    cuts = np.sort(rng.integers(0, n + 1, 3))
    return [part for part in np.split(np.arange(n), cuts) if len(part)]


@pytest.mark.parametrize(("rule", "share"), IN_STREAMS[::2] + IN_STREAMS[3:4], ids=str)
@few
@given(
    problem=problems(),
    kernel=st.sampled_from(("linear", "poly", "rbf", "callable")),
    sparse=st.booleans(),
    ties=st.sampled_from(("mistake", "predict")),
    bias=st.booleans(),
    block_size=st.sampled_from((1, 2, 7, 64)),
)
def test_a_stream_in_chunks_is_one_pass(rule, share, problem, kernel, sparse, ties, bias, block_size):
    X, other, codes, _, seed = problem
    rng = np.random.default_rng(seed)
    shared = {
        **KERNELS[kernel][0], "rule": rule, "multiclass": share, "ties": ties, "fit_intercept": bias, "tol": None,
        "block_size": block_size,
    }  # fmt: skip
    passed = rb.KernelPerceptron(**shared, max_iter=1, shuffle=False).fit(X, codes)
    for parts in (chunks(len(X), rng), [[i] for i in range(len(X))]):
        stream = rb.KernelPerceptron(**shared)
        for part in parts:
            rows = sp.csr_array(X[part]) if sparse else X[part]
            stream.partial_fit(rows, codes[part], classes=np.unique(codes))
        assert stream.mistakes_.tolist() == passed.mistakes_.tolist()
        assert stream.support_.tolist() == passed.support_.tolist()
        assert (stream.n_updates_, stream.n_voters_, stream.n_iter_) == (passed.n_updates_, passed.n_voters_, 1)
        assert stream.verdict_ == "stopped"
        np.testing.assert_allclose(stream.dual_coef_, passed.dual_coef_, rtol=1e-9, atol=1e-9)
        found = stream.support_vectors_
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, X[passed.support_])
        for readout in ("last", "averaged", "voted"):
            np.testing.assert_allclose(
                stream.with_readout(readout).decision_function(other),
                passed.with_readout(readout).decision_function(other),
                rtol=1e-9, atol=1e-9,
            )  # fmt: skip


@pytest.mark.diagonal
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
@pytest.mark.parametrize(("rule", "share"), IN_STREAMS, ids=str)
@settings(max_examples=6)
@given(problem=problems(), bias=st.booleans(), block_size=st.sampled_from((1, 3, 64)))
def test_classes_in_mid_stream(rule, share, readout, problem, bias, block_size):
    """Classes that appear while the stream runs, in any order of their labels: as in linear space."""
    X, _, codes, _, seed = problem
    rng = np.random.default_rng(seed)
    shared = {"rule": rule, "multiclass": share, "readout": readout, "fit_intercept": bias}
    kernel = rb.KernelPerceptron(kernel="linear", block_size=block_size, **shared)
    linear = rb.OnlineClassifier(**shared)
    for part in chunks(len(X), rng):
        kernel.partial_fit(X[part], codes[part])
        linear.partial_fit(X[part], codes[part])
        np.testing.assert_array_equal(kernel.classes_, linear.classes_)
        same_model(kernel, linear)
        np.testing.assert_array_equal(kernel.predict(X), linear.predict(X))


@given(problem=problems(), rule=st.sampled_from((rules.Perceptron(), rules.PA())))
def test_rows_without_weight_are_not_in_a_stream(problem, rule):
    """Whatever they are numbered, what is learned is that of the others alone, and each support is its row."""
    X, _, codes, weight, seed = problem
    rng = np.random.default_rng(seed)
    weight[rng.random(len(X)) < 0.4] = 0
    there = np.flatnonzero(weight > 0)
    if not len(there):
        return
    plain = rb.KernelPerceptron(kernel="linear", rule=rule)
    plain.partial_fit(X[there], codes[there], classes=np.unique(codes), sample_weight=weight[there])
    stream = rb.KernelPerceptron(kernel="linear", rule=rule)
    for part in chunks(len(X), rng):
        stream.partial_fit(X[part], codes[part], classes=np.unique(codes), sample_weight=weight[part])
    assert stream.mistakes_.tolist() == plain.mistakes_.tolist()
    np.testing.assert_array_equal(stream.support_vectors_, plain.support_vectors_)
    np.testing.assert_allclose(stream.coef_, plain.coef_, rtol=1e-9, atol=1e-9)
    assert len(set(stream.support_.tolist())) == stream.n_support_.sum()


def test_a_stream_after_a_fit_keeps_its_rows_apart():
    """Rows of weight 0 in a fit: the stream's rows must not be taken for the fit's."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    weight = np.repeat([0.0, 1.0], 10)
    shared = {"max_iter": 1, "tol": None, "shuffle": False}
    kernel = rb.KernelPerceptron(kernel="linear", **shared).fit(X, y, sample_weight=weight)
    linear = rb.Perceptron(**shared).fit(X, y, sample_weight=weight)
    more, labels = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    kernel.partial_fit(more, labels)
    linear.partial_fit(more, labels)
    np.testing.assert_allclose(kernel.coef_, linear.coef_, rtol=1e-9, atol=1e-9)
    assert kernel.mistakes_.tolist() == linear.mistakes_.tolist()


@pytest.mark.parametrize("first", ["dense", "sparse"])
def test_dense_and_sparse_chunks_of_one_stream(first):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((24, 3)), rng.integers(0, 3, 24)
    passed = rb.KernelPerceptron(gamma=0.5, shuffle=False, max_iter=1, tol=None).fit(X, y)
    stream = rb.KernelPerceptron(gamma=0.5)
    for number, part in enumerate(np.split(np.arange(24), 4)):
        dense = (number % 2 == 0) == (first == "dense")
        stream.partial_fit(X[part] if dense else sp.csr_array(X[part]), y[part], classes=[0, 1, 2])
    assert stream.support_.tolist() == passed.support_.tolist()
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_allclose(stream.decision_function(rows), passed.decision_function(X), rtol=1e-9, atol=1e-9)


def test_gamma_of_a_stream_is_that_of_its_first_rows():
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((24, 3)) * np.linspace(1, 4, 24)[:, None], rng.integers(0, 2, 24)
    stream = rb.KernelPerceptron().partial_fit(X[:8], y[:8], classes=[0, 1]).partial_fit(X[8:], y[8:])
    told = rb.KernelPerceptron(gamma=1 / (3 * X[:8].var()), shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert stream.mistakes_.tolist() == told.mistakes_.tolist()
    np.testing.assert_allclose(stream.decision_function(X), told.decision_function(X), rtol=1e-9, atol=1e-9)
