"""Learning from sentences: the native core equals the plain Python reference, to the bit."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.core import engine, rules
from rosenblatt.core.spaces.sequences import following, links, reference
from rosenblatt.core.spaces.sequences.learner import SequenceLearner
from rosenblatt.core.spaces.sequences.rows import admitted

RULES = [
    rules.Perceptron(), rules.Perceptron(eta0=0.3, margin=0.7), rules.PA(), rules.PA1(0.2), rules.PA2(0.5),
    rules.MIRA(), rules.MIRA(0.1), rules.AROW(), rules.CW(), rules.SCW(),
    rules.NHERD(), rules.SecondOrderPerceptron(),
]  # fmt: skip


def rows_of(sentences, n_columns, dtype):
    """Sentences of dicts as rows."""
    tokens = [token for sentence in sentences for token in sentence]
    indptr = np.concatenate(([0], np.cumsum([len(token) for token in tokens], dtype=np.int64)))
    indices = np.array([column for token in tokens for column in sorted(token)], np.int32)
    data = np.array([token[column] for token in tokens for column in sorted(token)], dtype)
    starts = np.concatenate(([0], np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)))
    return admitted(starts, indptr, indices, None if np.all(data == 1) else data, n_columns, dtype)


def draw_corpus(rng, n_columns, n_tags, n_sentences=5, longest=4, whole=True):
    def token():
        columns = rng.choice(n_columns, size=rng.integers(1, 4), replace=False)
        return {int(j): 1.0 if whole else float(np.float32(rng.normal())) for j in columns}

    sentences = [[token() for _ in range(rng.integers(1, longest + 1))] for _ in range(n_sentences)]
    tags = [rng.integers(n_tags, size=len(sentence)).tolist() for sentence in sentences]
    return sentences, tags


def allowed_by(tags, n_tags, order):
    starts = np.concatenate(([0], np.cumsum([len(each) for each in tags])))
    return following.seen(np.concatenate(tags).astype(np.int64), starts, n_tags, order)


def weights_by_key(learner, read):
    """The nonzero weights of an array, by column or link, and tag."""
    out = {}
    features = np.arange(learner.n_features) if learner.features() is None else learner.features()
    held = learner.in_order(read)[1:]
    for feature, row in zip(features.tolist(), held):
        kind, which = ("column", feature) if feature < learner.n_columns else ("link", feature - learner.n_columns)
        for tag in range(learner.n_classes):
            if row[tag] != 0:
                out[kind, which, tag] = row[tag].item()
    return out


def check(rule, seed, *, readout="averaged", order=1, cost="hamming", ties="mistake", dtype=np.float32, n_columns=20,
          n_tags=3, constrained=False, whole=True, n_passes=3):  # fmt: skip
    rng = np.random.default_rng(seed)
    sentences, tags = draw_corpus(rng, n_columns, n_tags, whole=whole)
    allowed = allowed_by(tags, n_tags, order) if constrained else None
    learner = SequenceLearner(rule, n_before=order, cost=cost, readout=readout, ties=ties)
    learner.allocate(n_columns, n_tags, dtype)
    learner.allow(allowed)
    rows, targets = rows_of(sentences, n_columns, dtype), np.concatenate(tags).astype(np.int32)
    plain = reference.Tagger(
        n_columns, n_tags, order, cost=cost, ties=ties, number=np.dtype(dtype).type, allowed=allowed
    )
    _pocket, _best, _run, _errors = {}, -1, 0, None
    for _ in range(n_passes):
        mistakes, updates = learner.pass_over([(rows, targets, None, None)])
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            steps = [plain.visit(rule, sentence, right) for sentence, right in zip(sentences, tags)]
        assert (mistakes, updates) == (sum(s.wrong for s in steps), sum(s.tau != 0 for s in steps))
        finite = [s.margin for s in steps if s.margin != math.inf]
        assert learner.least[0] == min(finite, default=math.inf)
    got = weights_by_key(learner, learner.weights)
    assert got == {key: value.item() for key, value in plain.w.items() if value != 0}
    if readout == "averaged":
        read = weights_by_key(learner, learner.stored())
        mean = {key: np.dtype(dtype).type(plain.averaged(key)).item() for key in plain.w}
        assert read == {key: value for key, value in mean.items() if value != 0}
    # decoding, the second best and the k best, by the last weights
    model = learner._model_of(learner.weights)
    for sentence in sentences:
        one = learner.map_rows(rows_of([sentence], n_columns, dtype), learn=False)
        ranked = plain.ranked(sentence)
        out, scores = np.empty(len(sentence), np.int32), np.empty(1)
        others, gaps = np.empty(len(sentence), np.int32), np.empty(1)
        engine.decode(rows=one.view, model=model, out=out, scores=scores, others=others, gaps=gaps)
        assert (scores[0], tuple(out)) == ranked[0]
        if len(ranked) > 1:
            assert gaps[0] == ranked[0][0] - ranked[1][0]
            assert tuple(others) == plain.ranked(sentence, other_than=ranked[0][1])[0][1]
        k = min(5, len(ranked))
        out, scores = np.empty((5, len(sentence)), np.int32), np.empty(5)
        found = engine.k_best(rows=one.view, model=model, k=5, out=out, scores=scores)
        assert found == k
        assert scores[:k].tolist() == [score for score, _ in ranked[:k]]
        assert len({tuple(each) for each in out[:k]}) == k
    return learner


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_rule(rule, order):
    check(rule, 1, order=order)
    check(rule, 2, order=order, dtype=np.float64, whole=False, cost="sqrt")


@pytest.mark.parametrize(
    ("readout", "order", "ties", "constrained"),
    itertools.product(["last", "averaged", "pocket"], [1, 2], ["mistake", "predict"], [False, True]),
)
def test_readouts_orders_ties_and_constraints(readout, order, ties, constrained):
    for seed, rule in enumerate((rules.Perceptron(), rules.PA1(0.3))):
        check(rule, seed, readout=readout, order=order, ties=ties, constrained=constrained)


@given(
    seed=st.integers(0, 2**32 - 1), rule=st.sampled_from(RULES), order=st.sampled_from([1, 2]),
    cost=st.sampled_from(["hamming", "sqrt", "one"]), dtype=st.sampled_from([np.float32, np.float64]),
    n_tags=st.integers(1, 4), whole=st.booleans(), constrained=st.booleans(),
)  # fmt: skip
@settings(max_examples=60)
def test_native_equals_reference(seed, rule, order, cost, dtype, n_tags, whole, constrained):
    check(rule, seed, order=order, cost=cost, dtype=dtype, n_tags=n_tags, whole=whole, constrained=constrained)


def test_few_among_many_columns_give_the_same_bits(monkeypatch):
    """Columns that were met alone have rows; the sums go in the same lanes."""
    from rosenblatt.core import weights as core_weights

    for rule in (rules.PA1(0.3), rules.AROW()):
        dense = check(rule, 5, n_columns=3000, whole=False)
        with monkeypatch.context() as patched:
            patched.setattr(core_weights, "WIDE", 1)
            few = check(rule, 5, n_columns=3000, whole=False)
        assert dense.places is None
        assert few.places is not None
        assert weights_by_key(dense, dense.weights) == weights_by_key(few, few.weights)
        assert dense.margin_bounds == few.margin_bounds


@given(
    seed=st.integers(0, 2**32 - 1), order=st.sampled_from([1, 2]), n_tags=st.integers(1, 4),
    length=st.integers(1, 4), constrained=st.booleans(),
)  # fmt: skip
def test_the_search_finds_what_all_sequences_together_show(seed, order, n_tags, length, constrained):
    """The plain search, against an enumeration: whole numbers, so that sums are exact and ties are many."""
    rng = np.random.default_rng(seed)
    plain = reference.Tagger(3, n_tags, order, allowed=rng.random((40, n_tags)) < 0.8 if constrained else None)
    n_links = links.n_links(n_tags, order)
    kinds = (("column", 3), ("link", n_links))
    plain.w = {
        (kind, which, tag): int(rng.integers(-2, 3)) for kind, n in kinds for which in range(n) for tag in range(n_tags)
    }
    sentence = [{int(rng.integers(3)): 1} for _ in range(length)]
    search, ranked = plain.search(sentence), plain.ranked(sentence)
    assert search.best() == (ranked[0] if ranked else None)
    for right in itertools.product(range(n_tags), repeat=length):
        others = plain.ranked(sentence, other_than=right)
        assert search.best(other_than=right) == (others[0] if others else None)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("n_tags", [4, 5, 8, 9, 16, 17])
def test_as_many_tags_as_a_row_has_numbers_and_one_more(n_tags, order):
    rng = np.random.default_rng(n_tags)
    sentences, tags = draw_corpus(rng, 20, n_tags, longest=2)
    learner = SequenceLearner(rules.PA1(0.3), n_before=order)
    learner.allocate(20, n_tags, np.float32)
    plain = reference.Tagger(20, n_tags, order, number=np.float32)
    for _ in range(2):
        learner.pass_over([(rows_of(sentences, 20, np.float32), np.concatenate(tags).astype(np.int32), None, None)])
        for sentence, right in zip(sentences, tags):
            plain.visit(rules.PA1(0.3), sentence, right)
    held = weights_by_key(learner, learner.weights)
    assert held == {key: value.item() for key, value in plain.w.items() if value != 0}


def test_rows_of_other_widths_are_refused_at_the_border():
    links_of = engine.Links(n_tags=3, order=1, cost="one", rows=np.arange(5, dtype=np.int64))
    with pytest.raises(ValueError, match="eights"):
        engine.Model(form="sequence", weights=np.zeros((9, 12), np.float32), n_vectors=3, links=links_of)
