"""The lift of a kernel of degree 2, and the shares of the words of a sentence: both add up to the library's scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.playground import lift, records, requests, sentences
from rosenblatt.playground.examples import examples
from rosenblatt.playground.pasted import phrases


def poly(name, **chosen):
    example = examples()[name]
    return requests.problem(example | {"settings": {"space": "poly", "passes": 10} | chosen})


places = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 1))


@given(
    st.lists(places, min_size=3, max_size=8).filter(lambda rows: len({code for *_, code in rows}) == 2),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.booleans(),
)
def test_the_score_is_the_height_above_the_plane(rows, gamma, coef0, bias):
    chosen = {"space": "poly", "gamma": gamma, "coef0": coef0, "bias": bias, "passes": 3}
    asked = requests.problem(
        {"points": [[x, y] for x, y, _ in rows], "labels": [code for *_, code in rows], "settings": chosen}
    )
    made = records.recorded(asked)
    for at in (1, len(made.trace)):
        moment = made.after[at - 1]
        xx, xy, yy, x, y, constant = lift.score_of(asked, made.coordinates[moment][0])
        for (a, b), scores in zip(asked.points, made.scores[moment]):
            value = xx * a * a + xy * a * b + yy * b * b + x * a + y * b + constant
            assert value == pytest.approx(float(scores[0]), abs=1e-6)
        told = lift.summary(asked, {"at": at})
        if told["flat"]:
            continue
        p, q, r = told["plane"]
        for (a, b), height, scores in zip(asked.points, told["heights"], made.scores[moment]):
            if abs(scores[0]) > 1e-6:
                assert (height > p * a + q * b + r) == ((scores[0] > 0) == bool(told["above"]))


def test_circles_rise_onto_a_round_paraboloid():
    told = lift.summary(poly("circles"), {"best": True})
    assert told["round"]
    assert told["surface"] == pytest.approx([1, 0, 1], abs=1e-9)
    assert told["plane"] == pytest.approx([0, 0, 2.74], abs=1e-9)  # midway between 0.64 and 4.84
    assert sorted(told["heights"])[5] < 2.74 < sorted(told["heights"])[6]


def test_xor_rises_onto_a_saddle():
    told = lift.summary(poly("xor"), {"best": True})
    xx, xy, yy = told["surface"]
    assert 4 * xx * yy < xy * xy
    assert not told["round"]


def test_before_the_first_step_nothing_is_lifted():
    assert lift.summary(poly("circles"), {"at": 0}) == {"flat": True}
    assert lift.summary(poly("iris"), {"best": True}) == {"flat": True}  # two flowers at one place


@pytest.mark.parametrize(
    ("name", "chosen"),
    [("circles", {"space": "rbf"}), ("circles", {"degree": 3}), ("three classes", {}), ("phrases, pairs", {})],
)
def test_what_is_not_lifted(name, chosen):
    with pytest.raises(
        requests.RequestError, match="The lift is drawn for two classes in the plane and the polynomial"
    ):
        lift.summary(poly(name, **chosen), {"at": 0})
    with pytest.raises(requests.RequestError, match="A vote has no surface of its own"):
        lift.summary(poly("circles", readout="voted"), {"at": 1})


# ---- sentences ----------------------------------------------------------------------------------------------


def test_shares_add_up_to_the_score_of_a_fitted_model():
    labelled = [
        ("great film", "pos"),
        ("boring film", "neg"),
        ("not great", "neg"),
        ("not boring", "pos"),
        ("dull", "neg"),
    ]
    asked = requests.problem(phrases(labelled, pairs=True) | {"settings": {}})
    steps = len(records.recorded(asked).trace)
    told = sentences.summary(asked, {"text": "Not boring: NOT great, great fun!", "at": steps})
    bag = rb.text.BagOfWords(ngrams=(1, 2)).fit([text for text, _ in labelled])
    X, y = bag.transform([text for text, _ in labelled]), [label for _, label in labelled]
    model = rb.Perceptron(shuffle=False).fit(X, y)
    (score,) = model.decision_function(bag.transform(["Not boring: NOT great, great fun!"]))
    assert told["scores"] == pytest.approx([score])
    assert told["said"] == model.predict(bag.transform(["Not boring: NOT great, great fun!"]))[0]
    assert sum(share["shares"][0] for share in told["shares"]) + told["biases"][0] == pytest.approx(score)
    assert {share["word"]: share["count"] for share in told["shares"]}["great"] == 2
    assert told["biases"] == [model.intercept_[0]] != [0]
    assert told["unknown"] == ["fun"]


def test_several_classes_have_a_share_each():
    labelled = [("cold snow", "a"), ("hot sun", "b"), ("wet rain", "c")]
    asked = requests.problem(phrases(labelled, pairs=False) | {"settings": {}})
    told = sentences.summary(asked, {"text": "hot hot rain", "at": len(records.recorded(asked).trace)})
    assert told["said"] == "b"
    assert [len(share["shares"]) for share in told["shares"]] == [3, 3]


@pytest.mark.parametrize(("asked", "more", "sentence"), [
    ("phrases, pairs", {"text": 3}, "a sentence must be text of at most 500 characters"),
    ("phrases, pairs", {"text": "x" * 501}, "a sentence must be text of at most 500 characters"),
    ("phrases, pairs", {"text": "good", "at": 99}, "there is no step 99"),
    ("xor", {"text": "good", "at": 0}, "each word has a share where features are words, in linear space"),
])  # fmt: skip
def test_sentences_that_cannot_be_read(asked, more, sentence):
    with pytest.raises(requests.RequestError) as refused:
        sentences.summary(requests.problem(examples()[asked]), more)
    assert str(refused.value).startswith(sentence)
