"""Phrases are those of conlleval and seqeval, whatever the tags; transitions are those that make no broken phrase."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.sequences import phrases
from rosenblatt.sequences.phrases import Phrase, are_phrase_tags, phrases_of, score_tags, valid_transitions

IOB = ["O", "B-NP", "I-NP", "B-VP", "I-VP", "I-a-b"]
IOE = ["O", "I-NP", "E-NP", "I-VP", "E-VP"]
BIOES = [*IOB, "E-NP", "S-NP", "E-VP", "S-VP"]
UNTYPED = ["O", "B", "I", "E", "S"]


def corpora(tags):
    """True and predicted tags, also such as break every scheme, of sentences that may be empty."""
    token = st.tuples(st.sampled_from(tags), st.sampled_from(tags)) | st.sampled_from(tags).map(lambda tag: (tag, tag))
    sentences = st.lists(st.lists(token, max_size=8), max_size=6)
    return sentences.map(lambda drawn: tuple([[pair[i] for pair in sentence] for sentence in drawn] for i in (0, 1)))


# ---- conlleval, as the Perl script does it: one token after the other, with no list of phrases ----------------------


def ends(p, t, p_type, t_type):
    return p + t in ("BB", "BO", "IB", "IO", "EE", "EI", "EO") or (p != "O" and p_type != t_type)


def begins(p, t, p_type, t_type):
    return p + t in ("BB", "IB", "OB", "OI", "EE", "EI", "OE") or (t != "O" and p_type != t_type)


def conlleval(y_true, y_pred):
    """(phrases, found, correct) by type, as conlleval.pl counts them."""
    counts = {}

    def add(which, type_):
        counts.setdefault(type_, [0, 0, 0])[which] += 1

    last, in_correct = (("O", ""), ("O", "")), False
    for true, predicted in itertools.zip_longest(y_true, y_pred):
        for tags in [*zip(true, predicted), ("O", "O")]:
            now = tuple((tag.partition("-")[0], tag.partition("-")[2]) for tag in tags)
            (c, c_type), (g, g_type) = now
            (last_c, last_c_type), (last_g, last_g_type) = last
            ended = ends(last_c, c, last_c_type, c_type), ends(last_g, g, last_g_type, g_type)
            began = begins(last_c, c, last_c_type, c_type), begins(last_g, g, last_g_type, g_type)
            if in_correct and all(ended) and last_g_type == last_c_type:
                in_correct = False
                add(2, last_c_type)
            elif in_correct and (ended[0] != ended[1] or g_type != c_type):
                in_correct = False
            in_correct = in_correct or (all(began) and g_type == c_type)
            if began[0]:
                add(0, c_type)
            if began[1]:
                add(1, g_type)
            last = now
    return counts


def counted(scores):
    return {name: [one.true, one.predicted, one.right] for name, one in (scores.by_type or {}).items()}


@given(st.sampled_from([IOB, IOE]).flatmap(corpora))
def test_phrases_are_counted_as_conlleval_counts_them(corpus):
    assert counted(score_tags(*corpus)) == conlleval(*corpus)


@given(st.sampled_from([IOB, IOE, BIOES, UNTYPED]).flatmap(corpora))
def test_phrases_are_those_of_seqeval(corpus):
    metrics = pytest.importorskip("seqeval.metrics")
    entities = pytest.importorskip("seqeval.metrics.sequence_labeling").get_entities
    y_true, y_pred = corpus
    for tags in y_true:
        assert phrases_of(tags) == [Phrase(type_, begin, end + 1) for type_, begin, end in entities(tags)]
    scores = score_tags(y_true, y_pred)
    if not scores.n_tokens:
        return
    assert scores.accuracy == pytest.approx(metrics.accuracy_score(y_true, y_pred))
    if not scores.by_type:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # seqeval's, of types that were never predicted
        report = metrics.classification_report(y_true, y_pred, output_dict=True, zero_division=0)
    for name, one in {**scores.by_type, "micro avg": scores.phrases}.items():
        figures = one.precision, one.recall, one.f1, one.true
        theirs = (report[name][key] for key in ("precision", "recall", "f1-score", "support"))
        assert figures == pytest.approx(tuple(theirs)), name


def test_where_conlleval_is_left_it_is_said_and_seqeval_agrees():
    """conlleval.pl has no S, and goes on with a phrase at a B behind an E: two phrases of BIOES would be one."""
    two = ["B-NP", "E-NP", "B-NP", "E-NP"]
    assert phrases_of(two) == [("NP", 0, 2), ("NP", 2, 4)]
    assert conlleval([two], [two]) == {"NP": [1, 1, 1]}


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (["I-NP", "I-NP", "B-NP", "O", "I-NP"], [("NP", 0, 2), ("NP", 2, 3), ("NP", 4, 5)]),  # IOB1
        (["I-NP", "E-NP", "I-NP", "E-NP", "O"], [("NP", 0, 2), ("NP", 2, 4)]),  # IOE2
        (["B-NP", "I-VP", "I-VP", "I-NP"], [("NP", 0, 1), ("VP", 1, 3), ("NP", 3, 4)]),  # broken
        (["S-LOC", "B-PER", "I-PER", "E-PER"], [("LOC", 0, 1), ("PER", 1, 4)]),  # BIOES
        (["O", "O"], []),
        ([], []),
    ],
)
def test_phrases_of_a_sentence(tags, found):
    assert phrases_of(tags) == found


def test_a_phrase_ends_with_its_sentence():
    scores = score_tags([["B-NP"], ["I-NP"]], [["B-NP"], ["B-NP"]])
    assert counted(scores) == {"NP": [2, 2, 2]}
    assert (scores.n_right_tokens, scores.n_right_sentences) == (1, 1)


def test_conllevals_lines():
    y_true = [["B-NP", "I-NP", "O", "B-PP"], ["B-VP", "O"], ["O"]]
    y_pred = [["B-NP", "I-NP", "O", "B-NP"], ["B-VP", "I-VP"], ["O"]]
    assert str(score_tags(y_true, y_pred)).splitlines() == [  # what the Perl script prints of these
        "processed 7 tokens with 3 phrases; found: 3 phrases; correct: 1.",
        "accuracy:  71.43%; precision:  33.33%; recall:  33.33%; FB1:  33.33",
        "               NP: precision:  50.00%; recall: 100.00%; FB1:  66.67  2",
        "               PP: precision:   0.00%; recall:   0.00%; FB1:   0.00  0",
        "               VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1",
    ]


def test_the_table_has_all_types_and_their_sum():
    scores = score_tags([["B-NP", "O", "S-VP"]], [["B-NP", "O", "O"]])
    assert scores.table().rows == [
        ["NP", "100.00%", "100.00%", "100.00%", "1", "1", "1"],
        ["VP", "0.00%", "0.00%", "0.00%", "1", "0", "0"],
        ["all phrases", "100.00%", "50.00%", "66.67%", "2", "1", "1"],
    ]
    assert "<table" in scores._repr_html_()


def test_other_tags_have_accuracies_alone():
    scores = score_tags([["DT", "NN"], ["UH"], []], [["DT", "VB"], ["UH"], []])
    assert (scores.accuracy, scores.sentence_accuracy) == (2 / 3, 2 / 3)
    assert scores.by_type is scores.phrases is None
    assert str(scores).splitlines() == [
        "processed 3 tokens in 3 sentences.", "accuracy:  66.67%; whole sentences:  66.67%",
    ]  # fmt: skip
    assert scores.table().rows == [["tokens", "66.67%", "3"], ["sentences", "66.67%", "3"]]
    assert score_tags([], []).accuracy == score_tags([], []).sentence_accuracy == 0


@pytest.mark.parametrize(
    ("tags", "are"),
    [
        (["O", "B-NP", "I-NP"], True), (["I-NP"], True), (["B", "I", "O"], True), (["B-", "O"], True),
        (["O"], False), ([], False), (["O", "B-NP", "NN"], False), (["B_NP"], False), (["L-PER"], False),
        (["BNP"], False), (["O-NP", "B-NP"], False),
    ],
)  # fmt: skip
def test_which_tags_are_those_of_phrases(tags, are):
    assert are_phrase_tags(tags) is are


def test_what_does_not_fit_is_refused_with_its_place():
    with pytest.raises(DataError, match=r"^sentence 1 \(from 0\) has 1 tags and 2 predicted ones$"):
        score_tags([["O"], ["O"]], [["O"], ["O", "O"]])
    with pytest.raises(DataError, match=r"^there are 1 sentences and predicted tags of 2$"):
        score_tags([["O"]], [["O"], ["O"]])
    with pytest.raises(DataError, match=r"^'NN' is no tag of a phrase: O, or one of B-"):
        phrases_of(["O", "NN"])


# ---- which tag may follow which -------------------------------------------------------------------------------------


def is_valid(tags, scheme):
    """Whether tags are those that the scheme writes for their own phrases: what reads back the same is valid."""
    written = ["O"] * len(tags)
    for type_, begin, end in phrases_of(tags):
        inside = ["B", *"I" * (end - begin - 1)]
        if scheme == "bioes":
            inside = [*inside[:-1], "E"] if end - begin > 1 else ["S"]
        written[begin:end] = [f"{letter}-{type_}" for letter in inside]
    return written == list(tags)


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("bio", ["O", "B-X", "I-X", "B-Y", "I-Y"]),
        ("bioes", ["S-X", "O", "B-X", "I-X", "E-X", "I-Y", "E-Y"]),
        ("bioes", ["B-X", "E-X"]),
    ],
)
def test_a_sequence_is_valid_if_all_its_transitions_are(scheme, tags):
    allowed = valid_transitions(tags, scheme)
    edge = len(tags)
    for n in range(5):
        for path in itertools.product(range(len(tags)), repeat=n):
            steps = all(allowed[i, j] for i, j in itertools.pairwise([edge, *path, edge]))
            assert steps == is_valid([tags[i] for i in path], scheme), [tags[i] for i in path]


def test_tags_of_another_scheme_are_refused():
    with pytest.raises(ParameterError, match=r"the tag 'E-NP' is none of the scheme bio, .* constraints='seen' would"):
        valid_transitions(["O", "B-NP", "E-NP"], "bio")
    with pytest.raises(ParameterError, match="the tag 'NN' is none of the scheme bioes"):
        valid_transitions(["O", "NN"], "bioes")
    with pytest.raises(ParameterError, match="constraints must be one of bio, bioes, got 'iob'"):
        valid_transitions(["O"], "iob")


def test_codes_of_types_never_meet_those_of_outside():
    """O has no type of its own: an untyped phrase beside it begins and ends."""
    assert phrases_of(["O", "I", "I", "O"]) == [(phrases.NO_TYPE, 1, 3)]
    assert np.array_equal(valid_transitions(["O"], "bio"), np.ones((2, 2), bool))
