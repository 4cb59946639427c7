"""One tagger and several threads: predictions at once, beside learning; mapped and shared, copied, pickled."""

import copy
import pickle
import sys
import threading
import time

import joblib
import numpy as np
import pytest
from test_tagger import NOISY, X, Y, corpus
from test_threads import together

import rosenblatt as rb
from rosenblatt.core import engine
from rosenblatt.model_files import learners

MANY = corpus(400, seed=5)[0]


def made(**options):
    return rb.SequenceTagger(**{"max_iter": 2, "random_state": 0, "bits": 16, **options})


def same_state(one, other):
    """All that the runs have come to, to the bit."""
    (plain, arrays), (plain_, arrays_) = (learners.to_state(model._learner) for model in (one, other))
    assert plain == plain_
    assert {name: array.tobytes() for name, array in arrays.items()} == {
        name: array.tobytes() for name, array in arrays_.items()
    }


# ---- at once -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [10, 24])
def test_predictions_of_several_threads_are_those_of_one(bits):
    tagger = made(bits=bits, order=2).fit(*NOISY)
    expected = copy.deepcopy(tagger)
    tags, gaps, k_best = expected.predict(MANY), expected.decision_function(MANY), expected.predict_k_best(MANY[:20], 3)

    def read():  # of weights that no thread has averaged yet
        for _ in range(4):
            assert tagger.predict(MANY) == tags
            assert np.array_equal(tagger.decision_function(MANY), gaps)
            assert tagger.predict_k_best(MANY[:20], 3) == k_best

    together(read, read, read, read)


def test_others_run_while_a_sentence_is_decoded(monkeypatch):
    """Python's lock is handed over by whoever waits or asks for it, and at no other time: so decoding asks."""
    tagger, decode, runs, meanwhile, done = made().fit(X, Y), engine.decode, [0], [], threading.Event()

    def counted(**call):
        before = runs[0]
        decode(**call)
        meanwhile.append(runs[0] - before)

    def run():
        while not done.is_set():
            runs[0] += 1
            time.sleep(0)  # waits

    def predict():
        try:
            while not any(meanwhile):
                assert len(meanwhile) < 1000, "nobody ran"
                tagger.predict(MANY)
        finally:
            done.set()

    interval = sys.getswitchinterval()
    monkeypatch.setattr(engine, "decode", counted)
    try:
        sys.setswitchinterval(1000)
        together(run, predict)
    finally:
        sys.setswitchinterval(interval)
    assert any(meanwhile)


# ---- beside learning -----------------------------------------------------------------------------------------------


def test_predictions_beside_another_fit_are_of_one_model_or_the_other():
    tagger = made().fit(X, Y)
    known = [made().fit(*data).predict(MANY) for data in ((X, Y), NOISY)]
    done = threading.Event()

    def learn():
        for k in range(6):
            tagger.fit(*(NOISY if k % 2 else (X, Y)))
        done.set()

    def read():
        while not done.is_set():
            assert tagger.predict(MANY) in known

    together(learn, read, read)


def test_predictions_beside_a_stream_that_meets_new_tags_and_features():
    tagger, done = made(readout="averaged").partial_fit(X[:5], Y[:5]), threading.Event()

    def learn():
        for k in range(60):
            tagger.partial_fit([[f"new{k}", "cat"]], [[f"T{k % 15}", "NOUN"]])
        done.set()

    def read():
        while not done.is_set():
            tags, classes = tagger.predict(MANY[:50]), set(tagger.classes_.tolist())
            assert {tag for sentence in tags for tag in sentence} <= classes  # there are more and more of them
            assert [len(sentence) for sentence in tags] == [len(sentence) for sentence in MANY[:50]]
            assert pickle.loads(pickle.dumps(tagger)).predict(X[:3])

    together(learn, read, read)
    assert len(tagger.classes_) == len({tag for one in Y[:5] for tag in one}) + 15


def test_sentences_from_several_threads_are_all_learned():
    tagger = made().partial_fit(X, Y)
    together(*(lambda: [tagger.partial_fit([sentence], [tags]) for sentence, tags in zip(X, Y)] for _ in range(4)))
    assert tagger._learner.visited == 5 * len(X)
    assert tagger.predict(X) == Y


# ---- copies and maps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
def test_copies_learn_by_themselves(readout):
    tagger = made(readout=readout, constraints="seen").fit(*NOISY)
    before = tagger.predict(X)
    learned = copy.deepcopy(tagger).partial_fit(X, Y)
    for copied in (copy.copy(tagger), pickle.loads(pickle.dumps(tagger)), tagger.with_readout(readout)):
        assert copied._lock is not tagger._lock
        same_state(copied.partial_fit(X, Y), learned)
        assert tagger.predict(X) == before
    assert tagger._learner.visited < learned._learner.visited


@pytest.mark.parametrize("bits", [10, 24])
def test_a_mapped_tagger_is_shared_and_copied_when_it_learns(bits, tmp_path):
    """Several processes that map a dump share its pages: predicting writes to none of them."""
    path, tagger = tmp_path / "dump", made(bits=bits, constraints="seen").fit(*NOISY)
    joblib.dump(tagger, path)
    content = path.read_bytes()
    mapped, other = (joblib.load(path, mmap_mode="r") for _ in range(2))
    assert not mapped._learner.weights.flags.writeable
    expected = tagger.predict(MANY)
    together(*(lambda: mapped.predict(MANY) == expected or pytest.fail("it differs") for _ in range(3)))
    assert not mapped._learner.weights.flags.writeable
    for model in (mapped, tagger):
        model.partial_fit([["never", "met"], *X], [["X", "Y"], *Y])
    same_state(mapped, tagger)
    assert other.predict(MANY) == expected
    assert path.read_bytes() == content
    again = joblib.load(path, mmap_mode="r").fit(X, Y)
    same_state(again, made(bits=bits, constraints="seen").fit(X, Y))


def test_a_loaded_tagger_does_not_hang_on_its_file(tmp_path):
    path, tagger = tmp_path / "model", made().fit(*NOISY)
    tagger.save(path)
    loaded = rb.load(path)
    path.write_bytes(b"")
    assert loaded.predict(MANY) == tagger.predict(MANY)
    same_state(loaded.partial_fit(X, Y), tagger.partial_fit(X, Y))
