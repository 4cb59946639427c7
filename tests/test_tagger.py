"""rb.SequenceTagger: scikit-learn's manners, streams, files, verdicts and margin bounds of sentences."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import rosenblatt as rb
from rosenblatt.core.spaces.sequences import reference
from rosenblatt.errors import DataError
from rosenblatt.sequences import TokenEncoder, tagging

WORDS = ["the", "a", "cat", "dog", "sat", "slept", "on", "mat", "rug", "quickly"]
TAG_OF = dict(zip(WORDS, ["DET", "DET", "NOUN", "NOUN", "VERB", "VERB", "ADP", "NOUN", "NOUN", "ADV"]))


def corpus(n, seed=0, noise=0.0):
    """Sentences whose tags follow from their words, but for some."""
    rng = np.random.default_rng(seed)
    X = [[WORDS[i] for i in rng.integers(len(WORDS), size=rng.integers(1, 7))] for _ in range(n)]
    tags = sorted(set(TAG_OF.values()))
    y = [[TAG_OF[w] if rng.random() >= noise else str(rng.choice(tags)) for w in x] for x in X]
    return X, y


X, Y = corpus(60)
NOISY = corpus(60, seed=1, noise=0.2)


def same(one, other, sentences=X):
    assert one.predict(sentences) == other.predict(sentences)
    assert np.array_equal(one.decision_function(sentences), other.decision_function(sentences))


# ---- manners -------------------------------------------------------------------------------------------------------


def test_learns_and_predicts():
    tagger = rb.SequenceTagger(random_state=0).fit(X, Y)
    assert tagger.predict(X) == Y
    assert tagger.score(X, Y) == 1
    assert tagger.verdict_ == "separated"
    assert tagger.converged_
    assert tagger.predict([]) == []
    assert tagger.predict([[], ["the", "cat"]]) == [[], ["DET", "NOUN"]]


def test_not_fitted_says_so():
    with pytest.raises(NotFittedError, match="not fitted"):
        rb.SequenceTagger().predict(X)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
def test_files_pickles_and_copies_are_the_same(tmp_path, order, readout):
    tagger = rb.SequenceTagger(order=order, readout=readout, max_iter=3, random_state=0, constraints="seen").fit(*NOISY)
    tagger.save(tmp_path / "a.model")
    for other in (rb.load(tmp_path / "a.model"), pickle.loads(pickle.dumps(tagger)), copy.copy(tagger)):
        same(other, tagger)
        assert other.margin_bounds_ == tagger.margin_bounds_
        more = [copy.copy(each).partial_fit(X, Y) for each in (other, tagger)]  # and learns on alike
        same(*more)
    assert clone(tagger).get_params() == tagger.get_params()


def test_a_stream_in_any_parts_is_one_pass():
    whole = rb.SequenceTagger(max_iter=1, shuffle=False).fit(*NOISY)
    for parts in (1, 7, 60):
        stream = rb.SequenceTagger()
        for first in range(0, 60, parts):
            part = slice(first, first + parts)
            stream.partial_fit(NOISY[0][part], NOISY[1][part], classes=whole.classes_)
        same(stream, whole, NOISY[0])
        assert stream.n_updates_ == whole.n_updates_


@pytest.mark.parametrize("constraints", [None, "seen"])
@pytest.mark.parametrize("order", [1, 2])
def test_new_tags_and_features_in_mid_stream(order, constraints):
    """One sentence at a time and all at once are the same, though tags come as they come."""
    made = [rb.SequenceTagger(order=order, constraints=constraints) for _ in range(2)]
    for x, y in zip(*NOISY):
        made[0].partial_fit([x], [y])
    made[1].partial_fit(*NOISY)
    same(*made, NOISY[0])
    assert made[0].classes_.tolist() == list(dict.fromkeys(tag for y in NOISY[1] for tag in y))
    made[0].partial_fit([["zyx", "the"]], [["NEW", "DET"]])
    assert made[0].classes_.tolist()[-1] == "NEW"
    made[0].partial_fit([["zyx", "the"]] * 20, [["NEW", "DET"]] * 20)
    assert made[0].predict([["zyx", "the"]]) == [["NEW", "DET"]]


def test_one_tag_so_far_is_a_stream():
    tagger = rb.SequenceTagger().partial_fit([["a"]], [["DET"]])
    assert tagger.predict([["a", "b"]]) == [["DET", "DET"]]
    assert tagger.decision_function([["a", "b"]]).tolist() == [math.inf]
    tagger.partial_fit(X * 5, Y * 5)
    assert tagger.predict(X) == Y


def test_with_readout_and_k_best():
    tagger = rb.SequenceTagger(max_iter=2, random_state=0).fit(*NOISY)
    last = rb.SequenceTagger(max_iter=2, random_state=0, readout="last").fit(*NOISY)
    same(tagger.with_readout("last"), last, NOISY[0])
    for best, tags, gap in zip(tagger.predict_k_best(X[:9], 3), tagger.predict(X[:9]), tagger.decision_function(X[:9])):
        scores = [score for _, score in best]
        assert best[0][0] == tags
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(each) for each, _ in best}) == len(best)
        assert scores[0] - scores[1] == gap


def test_grid_search():
    search = GridSearchCV(
        rb.SequenceTagger(max_iter=2, random_state=0), {"order": [1, 2], "cost": ["hamming", "one"]}, cv=2
    )
    assert search.fit(X, Y).best_score_ > 0.9


def test_tokens_by_name_and_by_templates():
    """Words by a template, and the same features by name, separate alike."""
    named = [[{"w": word, "first": i == 0} for i, word in enumerate(x)] for x in X]
    assert rb.SequenceTagger(features=None, random_state=0).fit(named, Y).predict(named) == Y
    listed = [[["w=" + word] for word in x] for x in X]
    assert rb.SequenceTagger(features=None, random_state=0).fit(listed, Y).predict(listed) == Y
    assert rb.SequenceTagger(features="U00:%x[0,0]\nB", random_state=0).fit(X, Y).predict(X) == Y


def test_numbers_are_features_too():
    rng = np.random.default_rng(0)
    sentences = [[{"x": float(v)} for v in rng.normal(size=5)] for _ in range(40)]
    tags = [["+" if token["x"] > 0 else "-" for token in x] for x in sentences]
    tagger = rb.SequenceTagger(features=None, max_iter=50, random_state=0).fit(sentences, tags)
    assert (tagger.verdict_, tagger.with_readout("last").predict(sentences) == tags) == ("separated", True)
    low, high = tagger.margin_bounds_
    assert low <= high


# ---- constraints ---------------------------------------------------------------------------------------------------

PHRASES = [["B-NP", "I-NP", "O"], ["O", "B-VP", "O"], ["B-NP", "I-NP", "I-NP"]]
THREE = [["a", "b", "c"], ["c", "d", "c"], ["a", "b", "b"]]


def transitions(sequences):
    return {pair for tags in sequences for pair in zip(["^", *tags], [*tags, "$"])}


@pytest.mark.parametrize("order", [1, 2])
def test_seen_allows_what_was_seen_alone(order):
    tagger = rb.SequenceTagger(constraints="seen", order=order, max_iter=1, random_state=0).fit(THREE, PHRASES)
    rng = np.random.default_rng(0)
    strange = [list(rng.choice(list("abcdxyz"), size=3)) for _ in range(50)]
    found = [tags for best in tagger.predict_k_best(strange, 100) for tags, _ in best]
    assert transitions(found) <= transitions(PHRASES)


@pytest.mark.parametrize("order", [1, 2])
def test_bio_allows_valid_phrases_alone(order):
    tagger = rb.SequenceTagger(constraints="bio", order=order, max_iter=1, random_state=0).fit(THREE, PHRASES)
    for tags, _ in tagger.predict_k_best([["x", "y", "z"]], 1000)[0]:
        for before, tag in zip(["O", *tags], tags):
            assert tag[:2] != "I-" or before[2:] == tag[2:]


def test_where_no_sequence_is_allowed_there_are_no_constraints():
    """Sentences of one word never came, so that nothing that begins a sentence may end it."""
    tags = [["D", "N"], ["D", "N", "V"]]
    tagger = rb.SequenceTagger(constraints="seen", random_state=0).fit([["a", "b"], ["a", "b", "c"]], tags)
    free = copy.copy(tagger)
    free._learner.allow(None)
    assert tagger.predict([["a", "b"], ["b"], []]) == [["D", "N"], free.predict([["b"]])[0], []]
    assert tagger.predict_k_best([["b"]], 9)[0][0][0] == tagger.predict([["b"]])[0]
    assert np.isfinite(tagger.decision_function([["b"]])).all()


def test_tags_that_break_the_scheme_are_named():
    with pytest.raises(DataError, match=r"I-NP after O breaks the scheme BIO.*sentence 1"):
        rb.SequenceTagger(constraints="bio").fit(THREE, [*PHRASES[:1], ["O", "I-NP", "O"], PHRASES[2]])


# ---- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentences", "tags", "message"),
    [
        ([["a", "b"], ["c"]], [["X", "Y"], ["X", "Y"]], r"1 token and 2 tags.*sentence 1"),
        ([["a", "b"], []], [["X", "Y"], []], r"no tokens.*sentence 1"),
        ([["a", "b"]], [["X", "X"]], "one tag 'X'"),
        ([["a", "b"]], [["X", "Y"], ["X"]], "tags of 2 sentences for 1 sentence"),
        ([["a", "b"]], ["XY"], "list of text, got str"),
        ([["a", "b"]], [["X", 3]], r"a tag must be text, got 3.*sentence 0, token 1"),
        ([], [], "no sentences"),
        ("a b", "X Y", "list of lists"),
        (["a b"], ["X Y"], r"list of tokens, got (the )?str"),
    ],
)
def test_bad_sentences_get_one_sentence(sentences, tags, message):
    tagger = rb.SequenceTagger(random_state=0).fit(X, Y)
    for call in (rb.SequenceTagger().fit, tagger.partial_fit):
        if call == tagger.partial_fit and "one tag" in message:
            continue
        with pytest.raises((DataError, ValueError, TypeError), match=message):
            call(sentences, tags)
    assert tagger.predict(X) == Y  # nothing is lost


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": 3}, "order"),
        ({"order": True}, "order"),
        ({"cost": "much"}, "cost"),
        ({"constraints": "sometimes"}, "constraints"),
        ({"readout": "voted"}, "readout"),
        ({"bits": 0}, "bits"),
        ({"bits": 40}, "bits"),
        ({"rule": rb.rules.PAUM()}, "PAUM"),
        ({"rule": rb.rules.NormMIRA()}, "NormMIRA"),
        ({"rule": rb.rules.AROW(confidence="full")}, "diagonal"),
        ({"features": "U00:%x[0"}, "line 1"),
        ({"features": "U00:%x[0,1]"}, "column"),
        ({"features": 7}, "features"),
        ({"features": "wrods"}, 'features must be "words", "chunking", templates or None'),
        ({"order": 3}, "^order must be 1 or 2, how many tags before a token count; got 3$"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        rb.SequenceTagger(**parameters).fit(X, Y)


def test_numbers_that_are_none_are_named():
    with pytest.raises(DataError, match=r"token 1 of sentence 0|sentence 0, token 1"):
        rb.SequenceTagger(features=None).fit([[{"a": 1.0}, {"a": math.nan}]], [["X", "Y"]])


# ---- what is proved ------------------------------------------------------------------------------------------------


def brute_margin(weights, sentences, tags, n_tags, order):
    """The smallest margin of these weights over all wrong sequences, and the largest ‖ΔΦ‖, by enumeration."""
    plain = reference.Tagger(4, n_tags, order)
    plain.w = weights
    least, longest = math.inf, 0.0
    for x, right in zip(sentences, tags):
        for other in itertools.product(range(n_tags), repeat=len(x)):
            if list(other) == list(right):
                continue
            difference = plain.difference(x, right, other)
            least = min(least, sum(weights.get(key, 0) * value for key, value in difference.items()))
            longest = max(longest, math.sqrt(sum(value**2 for value in difference.values())))
    return least, longest


def tiny(rng):
    n_tags, n = int(rng.integers(2, 4)), int(rng.integers(1, 5))
    sentences = [[{int(rng.integers(2)): 1.0} for _ in range(rng.integers(1, 4))] for _ in range(n)]
    return sentences, [rng.integers(n_tags, size=len(x)).tolist() for x in sentences], n_tags


@pytest.mark.parametrize("order", [1, 2])
def test_verdicts_and_bounds_by_brute_force(order):
    """On tiny problems: what is called separated is; no bound is passed by any weights; Collins's theorem holds."""
    from scipy.optimize import linprog, nnls

    rng = np.random.default_rng(order)
    seen = set()
    for _ in range(40):
        sentences, tags, n_tags = tiny(rng)
        keys, rows = {}, []
        plain = reference.Tagger(4, n_tags, order)
        for x, right in zip(sentences, tags):
            for other in itertools.product(range(n_tags), repeat=len(x)):
                if list(other) != list(right):
                    rows.append(plain.difference(x, right, other))
        for row in rows:
            for key in row:
                keys.setdefault(key, len(keys))
        A = np.zeros((len(rows), len(keys)))
        for i, row in enumerate(rows):
            for key, value in row.items():
                A[i, keys[key]] = value
        # is there w with A w ≥ 1?
        feasible = linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None)).status == 0
        named = [[{f"f{j}": v for j, v in token.items()} for token in x] for x in sentences]
        labels = [[f"t{c}" for c in each] for each in tags]
        if len({tag for each in labels for tag in each}) < n_tags:
            continue
        tagger = rb.SequenceTagger(
            features=None, rule=rb.rules.Perceptron(), readout="last", order=order, max_iter=400, tol=1e-4, bits=12,
            random_state=0,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of those that are not decided
            tagger.fit(named, labels)
        seen.add(tagger.verdict_)
        assert (tagger.verdict_ == "separated") == feasible
        low, high = tagger.margin_bounds_
        if feasible:
            # the best margin of unit weights, by the smallest w with A w ≥ 1 (Lawson & Hanson's least distance)
            E, f = np.vstack((A.T, np.ones(len(A)))), np.append(np.zeros(A.shape[1]), 1)
            residual = E @ nnls(E, f)[0] - f
            w = -residual[:-1] / residual[-1]
            gamma = float((A @ w).min() / np.linalg.norm(w))
            assert low <= gamma * (1 + 1e-5)
            assert high >= gamma * (1 - 1e-9)
            R = float(np.sqrt((A**2).sum(axis=1)).max())
            assert tagger.n_updates_ <= (R / gamma) ** 2 * (1 + 1e-6)
        else:
            assert low <= 0
    assert "separated" in seen
    assert seen & {"no margin", "stopped"}


def test_equal_sentences_of_different_tags_prove_no_margin():
    sentences, tags = [*X, ["the", "cat"], ["the", "cat"]], [*Y, ["DET", "NOUN"], ["NOUN", "DET"]]
    tagger = rb.SequenceTagger(tol=0.0, max_iter=50, random_state=0, rule=rb.rules.Perceptron()).fit(sentences, tags)
    assert tagger.verdict_ == "no margin"
    first, second = tagger.equal_rows_
    assert sentences[first] == sentences[second]
    assert tags[first] != tags[second]


def test_a_graph_of_a_tagger_is_refused(tmp_path):
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="no search over sequences"):
        rb.export_onnx(rb.SequenceTagger(random_state=0).fit(X, Y), tmp_path / "a.onnx")
    assert not list(tmp_path.iterdir())


def test_progressive_validation_counts_tags():
    """The readout judged on each sentence before it is learned from, as predicting first would."""
    classes = sorted({tag for tags in NOISY[1] for tag in tags})
    one_by_one, wrong = rb.SequenceTagger(), sum(tag != classes[0] for tag in NOISY[1][0])  # by weights of 0
    for i, (x, y) in enumerate(zip(*NOISY)):
        if i:
            wrong += sum(a != b for a, b in zip(one_by_one.predict([x])[0], y))
        one_by_one.partial_fit([x], [y], classes=classes)
    spec, encoder = rb.SequenceTagger().spec(), TokenEncoder()
    rows = tagging.rows_of(encoder.encode(NOISY[0]))
    learner = tagging.start(spec, encoder, classes)
    learner.start_progressive()
    tagging.learn_on(learner, None, classes, rows, tagging.flat(NOISY[1], rows.starts))
    assert learner.progressive == ("averaged", rows.n_tokens, wrong)


@pytest.mark.parametrize(
    "sequence",
    [tuple, np.array, iter, lambda values: np.array(values, dtype=object)],
    ids=["tuple", "str", "iter", "object"],
)
def test_sequences_of_any_kind_are_sentences(sequence):
    expected = rb.SequenceTagger(random_state=0).fit(X, Y)
    got = rb.SequenceTagger(random_state=0).fit([sequence(x) for x in X], (sequence(y) for y in Y))
    same(got, expected)
    assert got.predict(iter([sequence(x) for x in X])) == expected.predict(X)
    assert got.predict_k_best([sequence(x) for x in X[:3]], 2) == expected.predict_k_best(X[:3], 2)
    assert str(got.tag(sequence(X[0]))) == str(expected.tag(X[0]))
    few = rb.SequenceTagger(random_state=0, max_iter=2)
    assert str(few.trace([sequence(x) for x in X[:4]], Y[:4])) == str(few.trace(X[:4], Y[:4]))


def test_sentences_are_a_sequence_of_lists():
    whole = rb.sequences.Sentences.of_words(X)
    assert list(whole) == [[(word,) for word in x] for x in X]
    assert whole[-1] == whole[len(X) - 1] == whole.sentence(len(X) - 1)
    with pytest.raises(IndexError):
        whole[len(X)]
    assert len(cross_val_score(rb.SequenceTagger(max_iter=2), whole, Y, cv=3)) == 3


def test_features_that_hold_themselves_are_refused():
    token = {"a": 1.0}
    token["again"] = token
    with pytest.raises(DataError, match="nested more than 32 deep at sentence 1, token 0"):
        rb.SequenceTagger(features=None).fit([[{"b": 1}], [token]], [["x"], ["y"]])
    deep = {"a": 1.0}
    for _ in range(31):
        deep = {"k": deep}
    assert len(rb.SequenceTagger(features=None).fit([[deep, {"b": 1}]], [["x", "y"]]).predict([[deep]])) == 1


def test_a_value_is_shown_shortened():
    with pytest.raises(DataError, match=r"has the value 10{79}…, which is neither text nor a finite number"):
        rb.SequenceTagger(features=None).fit([[{"a": 10**400}, {"b": 1}]], [["x", "y"]])


@pytest.mark.parametrize("rule", [rb.rules.PA1(), rb.rules.Perceptron(), rb.rules.AROW()])
def test_numbers_whose_squares_overflow_are_refused(rule):
    sentences = [[{"b": 1}, {"c": 1}], [{"b": 1}, {"a": 1e25}]]
    tagger = rb.SequenceTagger(features=None, rule=rule)
    with pytest.raises(DataError, match="squared norm of a sentence's features overflows float32 at sentence 1"):
        tagger.fit(sentences, [["x", "y"], ["y", "x"]])
    tagger.partial_fit(sentences[:1], [["x", "y"]])
    before = tagger.transitions_.copy()
    with pytest.raises(DataError, match="overflows float32 at sentence 0"):
        tagger.partial_fit(sentences[1:], [["y", "x"]])
    np.testing.assert_array_equal(tagger.transitions_, before)


def test_a_sentence_without_a_rival_has_no_runner_up():
    tagger = rb.SequenceTagger(constraints="seen").fit([["the", "cat", "sat"]] * 2, [["D", "N", "V"]] * 2)
    for sentence in ([], ["the", "cat", "sat"]):
        drawn = tagger.tag(sentence)
        assert drawn.runner_up is None
        assert drawn.gap is None
        assert "inf" not in str(drawn)
        assert "runner-up" not in str(drawn)
    lattice = rb.plots.LatticeDisplay.from_estimator(tagger, ["the", "cat", "sat"])
    assert list(lattice.paths) == ["best"]
    lattice = rb.plots.LatticeDisplay.from_estimator(tagger, ["the"])  # which no sequence that was seen fits
    assert all(map(math.isfinite, lattice.scores.values()))


@pytest.mark.parametrize("order", [1, 2])
def test_no_more_sequences_than_there_are(order):
    tagger = rb.SequenceTagger(order=order, random_state=0).fit(X, Y)
    k = len(tagger.classes_)
    (best,) = tagger.predict_k_best([X[0][:3]], 10**15)
    assert len(best) == k ** len(X[0][:3])
    assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)
    assert len({tuple(tags) for tags, _ in best}) == len(best)
    assert tagger.predict_k_best([X[0][:3]], 7) == [best[:7]]
