"""Traces of taggers: the run of fit to the bit, sums and differences that add up, and what is proved."""

import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.core.spaces.sequences import links
from rosenblatt.sequences import Sentences

BOATS = [["the", "old", "man", "the", "boats"], ["the", "old", "man", "sleeps"]]
TAGS = [["DET", "NOUN", "VERB", "DET", "NOUN"], ["DET", "ADJ", "NOUN", "VERB"]]
WORD = "word=%x[0,0]"


def drawn(seed, n_sentences=6, n_words=5, n_tags=3):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, size=n_sentences)
    X = [[f"w{i}" for i in rng.integers(n_words, size=n)] for n in lengths]
    return X, [[f"T{i}" for i in rng.integers(n_tags, size=n)] for n in lengths]


def weights_of(tagger, X, read):
    """The weights of a fitted tagger that are not 0, by the names that a trace has for them."""
    learner, tags = tagger._learner, tagger.classes_.tolist()
    called = {column: name for x in X for token in tagger._encoder.names_of(x) for name, column in token}
    named = links.names(tags, learner.n_before)
    features = np.arange(learner.n_features) if learner.features() is None else learner.features()
    out = {}
    for feature, row in zip(features.tolist(), learner.in_order(read)[1:]):
        for code in np.flatnonzero(row[: len(tags)]).tolist():
            link = feature - learner.n_columns
            name = links.name(named, tags, link, code) if link >= 0 else f"{called[feature]}|{tags[code]}"
            out[name] = row[code].item()
    return out


def same_run(tagger, X, y):
    trace = tagger.trace(X, y)
    with np.errstate(all="ignore"):
        tagger.fit(X, y)
    learner = tagger._learner
    assert (trace.verdict, trace.n_iter, trace.n_updates) == (tagger.verdict_, learner.n_iter, learner.n_updates)
    assert trace.mistakes == tagger.mistakes_.tolist()
    assert trace.weights == weights_of(tagger, X, learner.weights)
    if tagger.readout == "averaged":
        rounded = {name: np.float32(value).item() for name, value in trace.averaged.items()}
        assert {name: value for name, value in rounded.items() if value} == weights_of(tagger, X, learner.stored())
    return trace


RULES = [None, rb.rules.Perceptron(), rb.rules.Perceptron(eta0=0.3, margin=0.7), rb.rules.PA2(0.5), rb.rules.MIRA(),
         rb.rules.AROW(), rb.rules.SCW()]  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(
    seed=st.integers(0, 2**32 - 1), rule=st.sampled_from(RULES), order=st.sampled_from([1, 2]),
    readout=st.sampled_from(["last", "averaged", "pocket"]), cost=st.sampled_from(["hamming", "sqrt", "one"]),
    constraints=st.sampled_from([None, "seen"]), shuffle=st.booleans(), tol=st.sampled_from([None, 0.01]),
)  # fmt: skip
@settings(max_examples=40)
def test_a_trace_is_the_run_of_fit_to_the_bit(seed, rule, order, readout, cost, constraints, shuffle, tol):
    X, y = drawn(seed)
    if len({tag for tags in y for tag in tags}) < 2:
        return
    same_run(rb.SequenceTagger(
        rule=rule, order=order, readout=readout, cost=cost, constraints=constraints, shuffle=shuffle, tol=tol,
        features=f"{WORD}\nbefore=%x[-1,0]", max_iter=4, random_state=seed,
    ), X, y)  # fmt: skip


def test_every_door_of_sentences_is_traced_alike():
    options = {"random_state": 3, "rule": rb.rules.PA1(0.2)}
    trace = same_run(rb.SequenceTagger(**options), BOATS, TAGS)
    columns = [[(word,) for word in sentence] for sentence in BOATS]
    for X in (Sentences.of_words(BOATS), columns):
        assert str(rb.SequenceTagger(**options).trace(X, TAGS)) == str(trace)
    named = [[{"word": word, "bias": True} for word in sentence] for sentence in BOATS]
    told = same_run(rb.SequenceTagger(features=None, **options), named, TAGS)
    assert told[0].words == tuple(BOATS[told[0].sentence])
    assert told[0].difference["word:the|DET"] == 1


def test_rb_trace_is_the_method_and_changes_nothing():
    generator = np.random.default_rng(5)
    tagger = rb.SequenceTagger(random_state=generator)
    first = rb.trace(tagger, BOATS, TAGS, exact=True)
    assert str(first) == str(tagger.trace(BOATS, TAGS, exact=True))
    assert not hasattr(tagger, "classes_")
    assert [step.sentence for step in tagger.trace(BOATS, TAGS)] == [
        step.sentence for step in rb.SequenceTagger(random_state=np.random.default_rng(5)).trace(BOATS, TAGS)
    ]
    with pytest.raises(ValueError, match="a run over sentences is traced from zero, without separator"):
        rb.trace(tagger, BOATS, TAGS, separator=[1])


@pytest.mark.parametrize(("order", "rule", "seed"), itertools.product(
    [1, 2], [rb.rules.Perceptron(eta0=1), rb.rules.PA(), rb.rules.PA1(0.2)], range(3)))  # fmt: skip
def test_in_fractions_every_number_adds_up(order, rule, seed):
    """Scores against all sequences, one by one; steps against τ·ΔΦ; the verdict against all margins."""
    X, y = (BOATS, TAGS) if seed == 0 else drawn(seed, n_sentences=4)
    tagger = rb.SequenceTagger(rule=rule, order=order, features=WORD, max_iter=6, random_state=seed)
    trace = tagger.trace(X, y, exact=True)
    weights = {}
    for step in trace:
        lattice, codes = step.lattice, range(len(step.lattice.tags))
        scores = {z: sum(map(sum, lattice.terms(z))) for z in itertools.product(codes, repeat=len(step.words))}
        own = scores.pop(step.codes)
        assert (step.score, step.rival_score) == (own, max(scores.values()))
        assert scores[step.rival_codes] == step.rival_score
        assert step.margin == own - step.rival_score
        assert step.mistake == (step.margin <= 0)
        for change in step.changes:
            assert weights.get(change.name, 0) == change.before
            assert change.after == change.before + step.tau * change.difference
            weights[change.name] = change.after
        assert step.norm2 == sum(value * value for value in step.difference.values())
        if isinstance(rule, rb.rules.PA) and step.moved:  # an uncapped step makes the margin what the rival costs
            after = sum(change.difference * change.after for change in step.changes)
            assert after == sum(a != b for a, b in zip(step.right, step.rival))
    assert trace.weights == {name: value for name, value in weights.items() if value}
    assert all(isinstance(value, (int, Fraction)) for value in trace.weights.values())
    margins = [min(own - score for score in others) for own, others in all_scores(trace, X, y, order)]
    assert (trace.verdict == "separated") == (min(margins) > 0)


def all_scores(trace, X, y, order):
    """Of each sentence S(right) and the scores of all other sequences by the last weights, added up by name."""
    named = links.names(trace.tags, order)
    for words, tags in zip(X, y):
        scores = {}
        for codes in itertools.product(range(len(trace.tags)), repeat=len(words)):
            names = [f"word={word}|{trace.tags[code]}" for word, code in zip(words, codes)]
            names += [links.name(named, trace.tags, *each) for each in links.along(codes, order)]
            scores[tuple(trace.tags[code] for code in codes)] = sum(trace.weights.get(name, 0) for name in names)
        yield scores.pop(tuple(tags)), scores.values()


def test_the_garden_path_is_told_as_a_person_would():
    tagger = rb.SequenceTagger(rule=rb.rules.Perceptron(eta0=1), features=WORD, shuffle=False)
    trace = tagger.trace(BOATS, TAGS, exact=True)
    assert trace.verdict == "separated"
    assert [step.why for step in trace] == ["tie", *["wrong tags"] * 3, "", ""]
    assert trace.proved[0] == "Separated in pass 3 after 4 updates: every sentence is right with the last weights."
    assert trace.proved[1] == "Its margin over all other sequences is 1/√46 ≈ 0.14744."
    step = trace[2]
    assert (step.rival, step.predicted) == (("DET", "ADJ", "NOUN", "DET", "NOUN"),) * 2
    assert step.difference == {
        "word=old|NOUN": 1, "word=old|ADJ": -1, "word=man|VERB": 1, "word=man|NOUN": -1, "DET→NOUN": 1, "DET→ADJ": -1,
        "NOUN→VERB": 1, "ADJ→NOUN": -1, "VERB→DET": 1, "NOUN→DET": -1,
    }  # fmt: skip
    assert str(step).splitlines()[:9] == [
        "Step 3, pass 2, sentence 0: what each tag scores",
        "",
        "       the  old   man   the  boats",
        "──────────────────────────────────",
        "ADJ   −2    0 ✗  −1    −2     −1",
        "DET    2 ✓  0     0     2 ✓    0",
        "NOUN   0    0 ✓   1 ✗   0      1 ✓",
        "VERB   0    0     0 ✓   0      0",
        "",
    ]
    assert "The right tags lead by −1: wrong tags, so τ = 1." in str(step)
    assert "<table" in step._repr_html_()
    assert [s.number for s in trace.updates()] == [1, 2, 3, 4]
    assert "word=the|DET +2" in trace.to_text()
    assert "word=the\\|DET" in trace.to_markdown()
    assert "<td" in trace.to_html()
    assert r"\begin{tabular}" in trace.to_latex()
    told = json.loads(trace.to_json())
    assert (told["verdict"], told["steps"][2]["difference"]["DET→NOUN"]) == ("separated", 1)
    pandas = pytest.importorskip("pandas")
    frame = trace.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["margin"].tolist() == [step.margin for step in trace]


def test_weights_that_come_back_prove_that_no_weights_are_right():
    X, y = [["a", "b"], ["b", "a"], ["a", "b"]], [["X", "Y"], ["Y", "X"], ["Y", "X"]]
    rule = rb.rules.Perceptron(eta0=1)
    tagger = rb.SequenceTagger(rule=rule, features=WORD, shuffle=False, max_iter=100)
    trace = tagger.trace(X, y, exact=True)
    assert trace.verdict == "no margin"
    assert "verified exactly. So no weights get every sentence right." in trace.proved[1]
    assert len(trace) < 300
    by_margin = rb.SequenceTagger(rule=rb.rules.PA(), features=WORD, shuffle=False, max_iter=12, tol=1e-3)
    told = by_margin.trace(X, y, exact=True)
    assert (told.verdict, told.n_iter) == ("no margin", 10)
    assert "Sentences 0 and 2 are equal and have different tags" in told.proved[-1]


def test_what_may_not_follow_is_in_no_path():
    y = [["B-NP", "I-NP", "O"], ["O", "B-NP", "I-NP"]]
    X = [["a", "dog", "barked"], ["feed", "the", "dog"]]
    trace = rb.SequenceTagger(features=WORD, constraints="bio", random_state=0).trace(X, y)
    for step in trace:
        assert "O I-NP" not in " ".join(step.rival)
        assert step.rival[0] != "I-NP"
    assert [key for key, weight in trace[0].lattice.links.items() if weight == -math.inf] == [(1, 1), (4, 1)]
    assert json.loads(trace.to_json())["verdict"] == "separated"


@pytest.mark.parametrize(("y", "where"), [
    ([["I-NP", "O"]], "the tag I-NP at the start of a sentence breaks the scheme BIO"),
    ([["B-NP", "O"], ["O", "I-NP"]], "the tag I-NP after O breaks the scheme BIO"),
    ([["B-VP", "I-NP"]], "the tag I-NP after B-VP breaks the scheme BIO"),
])  # fmt: skip
def test_tags_that_break_the_scheme_are_refused_where_they_do(y, where):
    for learn in (rb.SequenceTagger(constraints="bio").fit, rb.SequenceTagger(constraints="bio").trace):
        with pytest.raises(rb.data.DataError) as refused:
            learn([["a", "b"]] * len(y), y)
        assert where in str(refused.value)


@pytest.mark.parametrize(("options", "more", "sentence"), [
    ({"rule": rb.rules.SCW()}, {"exact": True}, "SCW takes square roots"),
    ({"cost": "sqrt"}, {"exact": True}, "cost='sqrt' is no fraction"),
    ({}, {"exact": "yes"}, "exact must be True, False or 'decimals', got 'yes'"),
    ({}, {"max_steps": 0}, "max_steps must be a whole number >= 1, got 0"),
    ({"max_iter": 50}, {"max_steps": 5, "exact": True}, "3 passes over 2 sentences would be more than the max_steps"),
])  # fmt: skip
def test_what_cannot_be_traced_is_said_in_a_sentence(options, more, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}.*$"):
        rb.SequenceTagger(**options).trace(BOATS, TAGS, **more)


def test_large_problems_are_refused():
    X = [[f"w{i}" for i in range(400)]] * 3
    y = [[f"T{i % 60}" for i in range(400)]] * 3
    with pytest.raises(ValueError, match=r"a trace is of small problems, and 1 pass over 1,200 tokens with 60 tags"):
        rb.SequenceTagger(order=2).trace(X, y)
