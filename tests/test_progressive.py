"""Progressive validation: the weights that would ship, judged on each example before it is learned from."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.core import engine, rules, weights
from rosenblatt.core.learner import Learner, Progressive
from rosenblatt.core.spaces.kernel.kernels import Kernel
from rosenblatt.core.spaces.kernel.learner import KernelLearner


def learner_of(readout, k, share="max", epsilon=None, dtype=np.float64, **options):
    rule = rules.PA1(C=0.3)
    learner = Learner(rule, readout=readout, multiclass=share, epsilon=epsilon, **options)
    learner.allocate(5, 0 if epsilon is not None else k, dtype)
    return learner


def problem(k, dtype=np.float64, n=60):
    rng = np.random.default_rng(k)
    X = (rng.standard_normal((n, 5)) * (rng.random((n, 5)) < 0.7)).astype(dtype)
    return X, rng.integers(0, k, n).astype(np.int8), rng.choice([0.0, 1.0, 2.0], n)


def one_by_one(learner, X, targets, weight):
    """How often the readout is wrong, asked before each row."""
    wrong = 0
    for i in np.flatnonzero(weight > 0):
        row = engine.admit(X[i : i + 1])
        said = learner.predict(row)[0]
        wrong += abs(said - targets[i]) > learner.epsilon if learner.epsilon is not None else said != targets[i]
        learner.partial_fit(row, targets[i : i + 1], weight[i : i + 1], (0, 1))
    return wrong


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("readout", ["last", "averaged"])
@pytest.mark.parametrize(("k", "share"), [(2, "max"), (3, "max"), (3, "ovr"), (9, "max"), (0, "max")])
def test_it_is_what_one_row_at_a_time_would_find(container, dtype, readout, k, share):
    epsilon = 0.5 if k == 0 else None
    X, targets, weight = problem(max(k, 2), dtype)
    targets = X @ np.arange(5.0) if k == 0 else targets
    apart, whole, silent = (learner_of(readout, k, share, epsilon, dtype, intercept_scaling=0.5) for _ in range(3))
    whole.start_progressive()
    for span in ((0, 17), (17, 60)):
        for learner in (whole, silent):
            learner.partial_fit(engine.admit(container(X)), targets, weight, span)
    assert whole.progressive == Progressive(readout, np.count_nonzero(weight), one_by_one(apart, X, targets, weight))
    assert silent.progressive is None
    assert whole.weights.tobytes() == silent.weights.tobytes()  # it only looks
    whole.stop_progressive()
    before = whole.progressive
    whole.partial_fit(engine.admit(X), targets, weight, (0, 60))
    assert whole.progressive == before


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("readout", ["last", "averaged"])
@pytest.mark.parametrize("share", ["max", "ovr"])
def test_class_vectors_by_lists_are_judged_as_dense_ones(dtype, readout, share, monkeypatch):
    X, targets, _ = problem(9, dtype)
    figures = []
    for wide in (0, 1 << 60):
        monkeypatch.setattr(weights, "WIDE", wide)
        monkeypatch.setattr(weights, "FEW", 0)
        monkeypatch.setattr(weights, "SIDE_BY_SIDE", 0)
        learner, rows = learner_of(readout, 9, share, dtype=dtype), engine.admit(sparse.csr_array(X))
        learner.start_progressive()
        learner.partial_fit(rows, targets, None, (0, len(X)))
        assert (learner.lists is not None) == (wide == 0)
        figures.append(learner.progressive)
    assert figures[0] == figures[1]
    assert 0 < figures[0].wrong < figures[0].seen == len(X)


def test_the_average_and_the_last_weights_are_judged_apart():
    X, targets, _ = problem(2, n=400)
    counts = []
    for readout in ("last", "averaged"):
        learner = learner_of(readout, 2)
        learner.start_progressive()
        learner.partial_fit(engine.admit(X), targets, None, (0, 400))
        counts.append(learner.progressive.wrong)
    assert counts[0] != counts[1]


def test_who_is_not_judged():
    X, targets, _ = problem(2)
    for learner in (learner_of("pocket", 2), learner_of("last", 2, batch=True)):
        learner.start_progressive()
        learner.partial_fit(engine.admit(X), targets, None, (0, 60))
        assert learner.progressive is None
    for readout, judged in (("last", True), ("averaged", False), ("voted", False)):
        learner = KernelLearner(rules.Perceptron(), Kernel("rbf"), readout=readout)
        learner.allocate(5, 2, np.float64)
        learner.start_progressive()
        learner.fit(learner.admit(X), targets, max_iter=1, tol=None, shuffle=False)
        learner.stop_progressive()
        assert learner.progressive == (Progressive("last", 60, learner.mistakes[0]) if judged else None)
