"""Kernel space on every array library: the same code, the same decisions. CUDA ones where there is a device."""

import copy
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from problems import for_classes
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt.core import rules
from rosenblatt.core.spaces.kernel import arrays

KINDS = [kind for kind in rules.ALL if "kernel" in kind.spaces]
RULES = [None, *(kind() for kind in KINDS), rules.Perceptron(margin=0.5), rules.PA1(C=0.1), rules.MIRA(C=0.05)]


class Elsewhere(arrays.NumPy):
    """NumPy as if its arrays lay on a device: what comes and goes is copied."""

    def put(self, array):
        return np.array(array)

    def get(self, array):
        return np.array(array)


class Narrow(Elsewhere):
    """A device with room for arrays of so many numbers."""

    chunk = 1 << 20

    def __init__(self, room):
        self.room, self.refused = room, 0

    def put(self, array):
        if array.size > self.room:
            self.refused += 1
            raise MemoryError
        return super().put(array)

    def empty(self, shape, dtype):
        return self.put(np.empty(shape, dtype))

    def free(self):
        return 8.0 * self.room


LIBRARIES = {
    "elsewhere": Elsewhere,
    "torch": lambda: arrays.Torch("cpu"),
    "cupy on cuda": arrays.CuPy,
    "torch on cuda": arrays.Torch,
}


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    """What ``device="cuda"`` takes."""
    try:
        found = LIBRARIES[request.param]()
    except Exception as missing:
        pytest.skip(f"no {request.param} here: {missing}")
    monkeypatch.setattr(arrays, "cuda", lambda: found)
    return found


def same(there, here, X):
    assert there.mistakes_.tolist() == here.mistakes_.tolist()
    assert (there.n_updates_, there.verdict_) == (here.n_updates_, here.verdict_)
    assert there.support_.tolist() == here.support_.tolist()
    np.testing.assert_allclose(there.dual_coef_, here.dual_coef_, rtol=1e-9, atol=1e-9)
    one, other = there.decision_function(X), here.decision_function(X)
    if here.readout == "voted":  # voters whose scores tie but for rounding may vote either way
        assert np.mean(one != other) < 0.1
        assert np.abs(one - other).max() <= 2
    else:
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(there.margin_bounds_, here.margin_bounds_, rtol=1e-6)


@pytest.mark.parametrize("cache_size", [*(pytest.param(size, marks=pytest.mark.slow) for size in (None, 0)), 0.03])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_a_device_learns_what_the_processor_learns(rule, cache_size, library):
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((120, 5)), rng.choice([0, 0.5, 1.0, 2.0], 120)
    for k, multiclass, kernel, readout in product(
        (2, 4), ("max", "uniform", "ovr"), ("rbf", "poly", "linear"), ("last", "averaged", "voted", "pocket")
    ):
        if rule is not None and multiclass not in rule.shares:
            continue
        y = rng.permutation(np.arange(120) % k)
        params = {"kernel": kernel, "gamma": 0.3, "degree": 2, "rule": rule and for_classes(rule, k)}
        params["multiclass"] = multiclass
        params |= {"readout": readout, "max_iter": 3, "tol": None, "random_state": 0, "block_size": 32}
        here = rb.KernelPerceptron(**params, cache_size=1).fit(X, y, sample_weight=weight)
        there = rb.KernelPerceptron(device="cuda", cache_size=cache_size, **params).fit(X, y, sample_weight=weight)
        same(there, here, X)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "sigmoid", lambda A, B: (A @ B.T + 1) ** 2])
def test_every_kernel_in_a_fit_and_in_a_stream(kernel, layout, library):
    if layout is not np.asarray and callable(kernel):
        pytest.skip("a function gets the rows as they are: sparse on the processor")
    rng = np.random.default_rng(1)
    X, y = rng.integers(-3, 4, (90, 4)).astype(float), rng.integers(0, 3, 90)
    params = {"kernel": kernel, "gamma": 0.1, "degree": 2, "readout": "averaged", "max_iter": 4, "tol": None}
    params["random_state"] = 0
    here, there = rb.KernelPerceptron(**params), rb.KernelPerceptron(**params, device="cuda")
    same(there.fit(layout(X), y), here.fit(X, y), X)
    here, there = rb.KernelPerceptron(**params), rb.KernelPerceptron(**params, device="cuda")
    for part in np.split(np.arange(90), [20, 21, 70]):
        same(there.partial_fit(layout(X[part]), y[part]), here.partial_fit(X[part], y[part]), X)


@pytest.mark.parametrize("room", [3000, 700, 250])
@pytest.mark.parametrize("readout", ["last", "voted"])
def test_what_does_not_fit_goes_in_pieces(room, readout, monkeypatch):
    """400 rows of 6: neither they nor their kernel matrix find room at once."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((400, 6)), rng.integers(0, 2, 400)
    narrow = Narrow(room)
    monkeypatch.setattr(arrays, "cuda", lambda: narrow)
    params = {"gamma": 0.5, "readout": readout, "max_iter": 4, "tol": None, "random_state": 0}
    there = rb.KernelPerceptron(device="cuda", block_size=128, cache_size=0, **params)
    if room < 400:  # the scores of all rows are one array
        one_sentence(lambda: there.fit(X, y), MemoryError, "memory is exhausted: ", "MB more find no room")
        assert not hasattr(there, "classes_")
        return
    here = rb.KernelPerceptron(**params).fit(X, y)
    same(there.fit(X, y), here, X)
    assert narrow.refused > 0 or room == 3000


def test_a_stream_that_runs_out_of_memory_is_as_it_was(monkeypatch):
    narrow = Narrow(1000)
    monkeypatch.setattr(arrays, "cuda", lambda: narrow)
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 2, 60)
    model = rb.KernelPerceptron(device="cuda", gamma=0.5).partial_fit(X[:30], y[:30])
    before = copy.deepcopy(model)
    narrow.room = 2
    with pytest.raises(MemoryError, match="memory is exhausted"):
        model.partial_fit(X[30:], y[30:])
    narrow.room = 1000
    same(model, before, X)
    same(model.partial_fit(X[30:], y[30:]), rb.KernelPerceptron(gamma=0.5).partial_fit(X, y), X)


@pytest.mark.parametrize(("budget", "keeper"), [(None, "_keep"), (6, "_put")])
def test_memory_that_runs_out_while_steps_are_taken_in_is_told(budget, keeper, monkeypatch):
    """The block was walked through already: it must not be learned from again, in halves."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 2, 60)
    model = rb.KernelPerceptron(gamma=0.5, budget=budget, random_state=0).partial_fit(X[:30], y[:30])
    before, calls, real = copy.deepcopy(model), [], getattr(type(model._learner), keeper)

    def full_once(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise MemoryError("no room to keep examples")
        return real(*arguments)

    monkeypatch.setattr(type(model._learner), keeper, full_once)
    with pytest.raises(MemoryError, match="no room to keep examples"):
        model.partial_fit(X[30:], y[30:])
    same(model, before, X)
    same(model.partial_fit(X[30:], y[30:]), before.partial_fit(X[30:], y[30:]), X)


def test_a_device_that_is_not_there_is_told_in_one_sentence():
    with pytest.raises(ValueError, match="device must be one of 'cpu', 'cuda'; got 'tpu'"):
        rb.KernelPerceptron(device="tpu").fit(np.eye(2), [0, 1])
    try:
        arrays.cuda()
    except (ImportError, RuntimeError):
        with pytest.raises((ImportError, RuntimeError), match=r"device='cuda' (needs CuPy or|finds no CUDA device)"):
            rb.KernelPerceptron(device="cuda").fit(np.eye(2), [0, 1])


def test_precision_is_a_choice_on_a_device(library):
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((200, 20)).astype(np.float32), rng.integers(0, 2, 200)
    params = {"kernel": "rbf", "gamma": 0.05, "max_iter": 3, "tol": None, "device": "cuda", "random_state": 0}
    full = rb.KernelPerceptron(**params).fit(X, y)
    fast = rb.KernelPerceptron(**params, precision="tf32").fit(X, y)
    assert abs(fast.score(X, y) - full.score(X, y)) < 0.1
    with pytest.raises(ValueError, match="precision must be one of 'float32', 'tf32'; got 'half'"):
        rb.KernelPerceptron(**params, precision="half").fit(X, y)
    with pytest.raises(ValueError, match="precision='tf32' is for device='cuda'"):
        rb.KernelPerceptron(precision="tf32").fit(X, y)
    with pytest.raises(ValueError, match="a precomputed kernel leaves nothing to compute on a CUDA device"):
        rb.KernelPerceptron(kernel="precomputed", device="cuda").fit(np.eye(2), [0, 1])
