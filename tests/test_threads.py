"""Several threads at one estimator: one learns at a time, readers see whole states, and nobody waits for himself."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from clockless import GUARD
from discovery import ESTIMATORS, LINEAR_CLASSIFIERS, named
from refusals import X, targets

import rosenblatt as rb
from rosenblatt.estimators.locking import ReadWriteLock


def together(*jobs):
    """Run all jobs at once, each in a thread of its own, and raise what any of them raised."""
    faults, start = [], threading.Barrier(len(jobs))

    def run(job):
        try:
            start.wait(GUARD)
            job()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
        assert not thread.is_alive(), "threads wait for each other"
    if faults:
        raise faults[0]


# ---- learning from several threads -------------------------------------------------------------------------------


@pytest.mark.parametrize("found", LINEAR_CLASSIFIERS, ids=named)
def test_streams_that_meet_new_classes_in_several_threads(found):
    rng = np.random.default_rng(0)
    rows, model = rng.standard_normal((40, 3)), found()

    def stream(first):
        for k in range(12):
            model.partial_fit(rows, rng.permutation(np.arange(40) % 3 + first + k))

    together(*(lambda first=first: stream(first) for first in (0, 5, 10, 15)))
    assert model.classes_.tolist() == list(range(29))
    assert model._learner.n_classes == 29
    assert model._learner.visited == 4 * 12 * 40
    assert np.isfinite(model.coef_).all()
    assert model.coef_.shape == (29, 3)


def test_named_examples_from_several_threads_are_all_learned():
    model = rb.Perceptron()

    def stream(which):
        for i in range(400):
            model.learn_one({f"{which}-{i % 90}": 1.0, "shared": 1.0, f"{i % 7}": 2.0}, f"class {which} {i % 5}")

    together(*(lambda which=which: stream(which) for which in range(4)))
    assert model._learner.visited == 1600
    assert len(model.classes_) == 20
    assert model.n_features_in_ == 4 * 90 + 1 + 7 == len(model._columns)
    assert sorted(model._columns.values()) == list(range(368))


def test_a_regressor_learns_from_several_threads():
    model = rb.PassiveAggressiveRegressor()
    together(*(lambda: [model.learn_one({str(i): 1.0}, float(i)) for i in range(200)] for _ in range(3)))
    assert model._learner.visited == 600
    assert model.n_features_in_ == 200


def test_counts_of_documents_from_several_threads_are_all_there():
    text = rb.text.HashedText(bits=6, idf=True, keep_names=True)
    documents = [f"word{i} common" for i in range(50)]
    together(*(lambda: [text.partial_fit(documents) for _ in range(10)] for _ in range(4)))
    assert text.n_documents_ == 2000
    assert text.n_names_ == len(set(text.names_of(range(64))[0]) | {n for c in text.names_of(range(64)) for n in c})
    alone = rb.text.HashedText(bits=6, idf=True, keep_names=True)
    for _ in range(40):
        alone.partial_fit(documents)
    assert (text.transform(documents) != alone.transform(documents)).nnz == 0


# ---- reading beside learning -------------------------------------------------------------------------------------


def test_readers_beside_a_writer_see_states_that_were_there():
    """Each learned block changes all weights by the same whole number: a mixture of two states would show."""
    n, d = 64, 4096
    rows, model = np.ones((n, d)), rb.Perceptron(ties="mistake", fit_intercept=False)
    model.partial_fit(rows[:1], [0], classes=[0, 1])
    done = threading.Event()

    def learn():
        for k in range(60):
            model.partial_fit(rows, np.arange(n) % 2 == k % 2)
        done.set()

    def read():
        while not done.is_set():
            weights = model.coef_[0]
            assert (weights == weights[0]).all()
            scores = model.decision_function(np.eye(d, dtype=float)[:8])
            assert (scores == scores[0]).all()
            again = pickle.loads(pickle.dumps(model)).coef_[0]
            assert (again == again[0]).all()

    together(learn, read, read)


def test_predictions_beside_new_classes_and_names():
    model = rb.AveragedPerceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    done = threading.Event()

    def learn():
        for i in range(1500):
            model.learn_one({f"n{i}": 1.0, "a": 0.5}, i % 60)
        done.set()

    def read():
        while not done.is_set():
            assert model.predict_one({"a": 1.0, "n5": 2.0, "n900": 1.0}) in range(60)
            assert len(model.coef_) in (1, *range(3, 61))
            assert len(model.with_readout("last").classes_) <= 60

    together(learn, read, read)
    assert len(model.classes_) == 60


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_predictions_beside_another_fit(found):
    model, y = found().fit(X, targets(found)), targets(found)
    other = np.vstack([X, X[:4]]), np.concatenate([y, y[:4]])
    done = threading.Event()

    def learn():
        for k in range(15):
            model.fit(*((X, y) if k % 2 else other))
        done.set()

    def read():
        while not done.is_set():
            assert len(model.predict(X)) == len(X)

    together(learn, read)


# ---- copies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_copies_learn_by_themselves(found):
    model = found().fit(X, targets(found))
    for copied in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied._lock is not model._lock
        before = model.predict(X), model._learner.visited
        copied.partial_fit(X, targets(found))
        assert model._learner.visited == before[1]
        assert np.array_equal(model.predict(X), before[0])


# ---- calls from within calls -------------------------------------------------------------------------------------


class Calling:
    """A name or a value that calls back while it is looked at."""

    def __init__(self, call, number=1.0):
        self.call, self.number = call, number

    def __float__(self):
        self.call()
        return self.number

    def __hash__(self):
        self.call()
        return 5

    def __eq__(self, other):
        self.call()
        return self is other


def test_learning_within_learning_is_refused_and_changes_nothing():
    model = rb.Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    before = model.coef_.copy(), dict(model._columns)
    again = Calling(lambda: model.learn_one({"c": 1.0}, 0))
    for row in ({"a": again}, {"d": 1.0, "e": again}):
        with pytest.raises(RuntimeError, match="called again to learn"):
            model.learn_one(row, 0)
    assert np.array_equal(model.coef_, before[0])
    assert model._columns == before[1]
    model.learn_one({"c": 1.0}, 0)  # nobody holds the lock


def test_learning_within_predicting_is_refused():
    calling_back = []

    def kernel(A, B):
        if calling_back:
            model.partial_fit(X[:1], [1])
        return A @ B.T

    model = rb.KernelPerceptron(kernel=kernel).fit(X, targets(rb.KernelPerceptron))
    calling_back.append(True)
    with pytest.raises(RuntimeError, match="learning or predicting in this very thread"):
        model.predict(X)
    calling_back.clear()
    model.partial_fit(X[:1], [1])
    linear = rb.Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    with pytest.raises(RuntimeError, match="learning or predicting in this very thread"):
        linear.predict_one({"a": Calling(lambda: linear.learn_one({"c": 1.0}, 2))})
    assert linear.learn_one({"c": 1.0}, 2).predict_one({"c": 1.0}) == 2


def test_reading_within_learning_is_answered():
    model, seen = rb.Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1), []
    model.learn_one({"a": Calling(lambda: seen.append(model.predict_one({"b": 1.0})))}, 0)
    model.learn_one({"a": Calling(lambda: seen.append(model.coef_.shape))}, 0)
    assert seen == [1, (1, 2)]


@pytest.mark.parametrize("method", ["learn_one", "predict_one"])
@pytest.mark.parametrize("what", ["clear", "grow", "replace"])
def test_a_row_that_changes_while_it_is_read(method, what):
    model = rb.AveragedPerceptron()
    for i in range(40):
        model.learn_one({f"n{i}": 1.0, "both": 1.0}, i % 3)

    def change():
        if what == "clear":
            row.clear()
        elif what == "grow":
            row.update({f"more{i}": 1.0 for i in range(500)})
        else:
            for name in list(row):
                row[name] = float(len(row))

    row = (
        {f"n{i}": float(str(i) + ".5") for i in range(20)} | {"x": Calling(change)} | {f"m{i}": 1.0 for i in range(20)}
    )
    row[Calling(lambda: None)] = 1.0
    if method == "learn_one":
        model.learn_one(row, 1)
        assert model.n_features_in_ == 41 + 22
    else:
        assert model.predict_one(row) in range(3)


def test_names_that_equal_others_run_code_in_the_table_of_columns():
    """A plain row meets the code of names that came before it."""
    row = {}
    odd = Calling(lambda: row.clear())
    odd.__class__ = type("Odd", (Calling,), {"__hash__": lambda self: hash("a"), "__eq__": Calling.__eq__})
    model = rb.Perceptron().learn_one({odd: 1.0, "b": 1.0}, 0).learn_one({"b": 1.0}, 1)
    row.update({str(i) + "x": float(i) for i in range(100)} | {"a": 1e300 / 1e298})
    model.learn_one(row, 1)
    assert model.n_features_in_ == 2 + 101


# ---- interrupts --------------------------------------------------------------------------------------------------


class Interrupt(Exception):  # noqa: N818
    """What a signal handler raises."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_interrupt_leaves_nothing_locked_and_no_name_without_weights():
    model, rng = rb.AveragedPerceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1), np.random.default_rng(0)
    calls = {
        "learn": lambda: model.learn_one({f"n{len(model._columns)}": 1.0, "a": 1.0}, 0),
        "predict": lambda: model.predict_one({"a": 1.0}),
        "read": lambda: model.n_iter_,
        "copy": lambda: len(copies) > 50 or copies.append(copy.copy(model)),
    }
    copies = []  # kept: Python ignores what is raised while an object is freed

    def handle(*_):
        raise Interrupt

    def over_and_over(call, seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        for _ in range(10**5):
            call()
        raise AssertionError("the timer never rang")

    before = signal.signal(signal.SIGALRM, handle)
    gc.disable()  # likewise
    try:
        for call in calls.values():
            for _ in range(300):
                with pytest.raises(Interrupt):
                    over_and_over(call, rng.integers(20, 300) * 1e-6)
                copies.clear()
                assert not model._lock.mutex._is_owned()
                assert not any(lock._is_owned() for lock in model._lock.readers.values())
                learner = model._learner
                assert learner.n_features == len(model._columns) <= learner._capacity
                assert learner._model.weights is learner.weights
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    together(lambda: model.learn_one({"a": 1.0}, 1))
    assert sorted(model._columns.values()) == list(range(model.n_features_in_))
    assert np.isfinite(model.coef_).all()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_a_signal_handler_that_reads_waits_for_nobody():
    model, seen = rb.Perceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1), []

    def handle(*_):
        seen.append((model.n_iter_, model.predict_one({"a": 1.0}), len(model.coef_)))
        signal.setitimer(signal.ITIMER_REAL, 0.0005)  # again, once this one has been handled

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        while len(seen) < 60:
            model.learn_one({"a": 1.0}, 0)
            assert model.n_iter_ == 1
            model.predict(pd.DataFrame([[1.0, 0.0]], columns=["a", "b"]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_forked_while_another_thread_learns_says_so():
    code = (
        "import os, threading, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "import rosenblatt as rb\n"
        "whole, torn = (rb.Perceptron().learn_one({'a': 1.0}, 0).learn_one({'b': 1.0}, 1) for _ in range(2))\n"
        "inside, go_on = threading.Event(), threading.Event()\n"
        "class Slow(float):\n"
        "    def __float__(self):\n"
        "        inside.set(); go_on.wait(100); return 1.0\n"
        "class Value:\n"
        "    __float__ = Slow.__float__\n"
        "threading.Thread(target=lambda: torn.learn_one({'a': Value()}, 1), daemon=True).start()\n"
        "inside.wait(100)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    fine = whole.learn_one({'a': 1.0}, 1).predict_one({'a': 1.0}) in (0, 1)\n"
        "    try:\n"
        "        torn.predict_one({'a': 1.0})\n"
        "    except RuntimeError as error:\n"
        "        fine = fine and 'forked while another thread' in str(error)\n"
        "    else:\n"
        "        fine = False\n"
        "    os._exit(0 if fine else 3)\n"
        "go_on.set()\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=GUARD)


# ---- the lock itself ---------------------------------------------------------------------------------------------


def test_readers_read_together_and_a_writer_waits_for_them():
    lock, both, order = ReadWriteLock(), threading.Barrier(2), []

    def read():
        both.wait(GUARD)  # two are inside at once
        lock.read(order.append, "read")

    def read_while_one_wants_to_write():
        thread = threading.Thread(target=lock.write, args=(order.append, "write"), daemon=True)
        thread.start()
        lock.read(order.append, "still")
        lock.look(order.append, "still")
        return thread

    together(lambda: lock.read(read), lambda: lock.read(read))
    lock.read(read_while_one_wants_to_write).join(GUARD)
    assert order == ["read", "read", "still", "still", "write"]


def test_a_writer_that_was_refused_leaves_the_lock_as_it_was():
    lock = ReadWriteLock()
    for held in (lock.write, lock.read, lock.look):
        with pytest.raises(RuntimeError, match="called again to learn"):
            held(lock.write, lambda: None)
        with pytest.raises(KeyError):
            held({}.__getitem__, 1)
        together(lambda: lock.write(lambda: None))


def test_threads_that_are_gone_are_forgotten():
    lock = ReadWriteLock()
    for _ in range(80):
        together(lambda: lock.read(lambda: None))
    lock.write(lambda: None)
    assert len(lock.readers) < 80
