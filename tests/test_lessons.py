"""Lessons: each scene of those that come with the page, the numbers in its sentences, and lessons that are refused."""

import json
import math
import re
from importlib import resources

import pytest

import rosenblatt as rb
from rosenblatt.playground import certificates, lessons, proofs, records, requests
from rosenblatt.playground.examples import examples

FOLDER = resources.files("rosenblatt.playground").joinpath("page", "lessons")
OWN = {entry.name.removesuffix(".json"): json.loads(entry.read_text("utf-8")) for entry in FOLDER.iterdir()}
SCENES = [(name, at) for name, lesson in sorted(OWN.items()) for at in range(len(lesson["scenes"]))]


def scene(name, at):
    return lessons.scene({"lesson": OWN[name], "scene": at})


def test_there_are_the_eight_lessons_that_the_page_lists():
    titles = {"One mistake", "Why it must end", "A narrow margin", "XOR", "A kernel", "Averaging",
              "When it cannot be done", "Words"}  # fmt: skip
    assert {lesson["title"] for lesson in OWN.values()} == titles
    source = FOLDER.joinpath("..", "lessons.js").read_text("utf-8")
    assert set(re.findall(r'"([a-z-]+)"', re.search(r"const OWN = \[(.*?)\];", source)[1])) == set(OWN)


@pytest.mark.parametrize(("name", "at"), SCENES)
def test_a_scene_is_real_state_and_a_whole_sentence(name, at):
    told = scene(name, at)
    steps = len(records.summary(requests.problem(told))["steps"])
    assert 0 <= told["step"] <= steps
    assert not set(told["text"]) & set("{}")
    assert told["text"].endswith((".", "?"))
    assert (told["scene"], told["scenes"], told["title"]) == (at, len(OWN[name]["scenes"]), OWN[name]["title"])


#: Digits that stand in a sentence as such: classes, keys, a zero that is a definition, a degree.
WORDS = ("+1", "w = 0", "scores every point 0", "keys 1, 2 and 3", "degree 2", "K(x, x') = (x·x' + 1)²", "length 1",
         "weights are 0 again")  # fmt: skip


@pytest.mark.parametrize(("name", "at"), SCENES)
def test_no_number_of_a_sentence_is_written_by_hand(name, at):
    text = re.sub(r"\{[^{}]*\}", "", OWN[name]["scenes"][at]["text"])
    for phrase in WORDS:
        text = text.replace(phrase, "")
    assert not re.search(r"\d", text)


def test_sentences_have_the_numbers_of_the_library():
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    four = rb.Perceptron(fit_intercept=False, shuffle=False)
    answer = rb.separability(X, y, fit_intercept=False)
    trace = rb.trace(four, X, y, exact=True, separator=answer)
    assert "After 6 mistakes" in scene("why-it-must-end", 3)["text"]
    step = trace[9]
    length = math.hypot(*answer.w)
    told = scene("why-it-must-end", 3)["text"]
    assert f"γ = {answer.margin:.5g}" in told
    assert (
        f"u·w = {float(step.proof.progress) / length:.5g} ≥ Mγ = {float(step.proof.progress_floor) / length:.5g}"
        in told
    )
    assert f"√M·R = {math.sqrt(step.proof.norm2_ceiling):.5g}" in scene("why-it-must-end", 4)["text"]
    assert f"(R/γ)² = {trace.bound}" in scene("why-it-must-end", 5)["text"]
    assert f"after {trace.n_updates} mistakes" in scene("why-it-must-end", 5)["text"]


def test_half_the_margin_is_four_times_the_mistakes():
    mistakes = [int(re.search(r"(\d+) mistakes", scene("a-narrow-margin", at)["text"])[1]) for at in (0, 2, 3)]
    assert mistakes == [10, 38, 151]
    gammas = [float(re.search(r"γ = ([\d.]+\d)", scene("a-narrow-margin", at)["text"])[1]) for at in (0, 2, 3)]
    assert gammas == [0.4, 0.2, 0.1]


def test_what_the_words_of_a_scene_claim():
    wrong = records.summary(requests.problem(scene("one-mistake", 2)))["steps"][1]
    assert (wrong["why"], wrong["mistake"]) == ("wrong sign", True)
    assert not records.summary(requests.problem(scene("one-mistake", 3)))["steps"][2]["moved"]
    assert records.summary(requests.problem(scene("xor", 1)))["steps"][-1]["cells"][8:10] == ["(0, 0)", "0"]
    for name, at, separable in [("averaging", 0, False), ("xor", 2, False),
                                ("xor", 3, True), ("xor", 4, True), ("words", 2, False),
                                ("words", 3, True), ("when-it-cannot-be-done", 1, False), ("a-kernel", 0, False),
                                ("when-it-cannot-be-done", 2, True), ("a-kernel", 4, True)]:  # fmt: skip
        assert certificates.answer(requests.problem(scene(name, at))).separable is separable
    reviews = scene("words", 4)
    assert records.summary(requests.problem(reviews))["verdict"] == "separated"


# ---- the proof ------------------------------------------------------------------------------------------------------


@pytest.mark.diagonal
@pytest.mark.parametrize("name", examples())
@pytest.mark.parametrize("chosen", [{}, {"space": "poly"}, {"rule": "pa"}, {"rule": "batch"}, {"margin": 0.5}], ids=str)
def test_the_curves_of_the_proof_are_in_order(name, chosen):
    example = examples()[name]
    settings = {key: value for key, value in example["settings"].items() if key != "exact"} | chosen
    told = proofs.summary(requests.problem(example | {"settings": settings}))
    if "why_not" in told:
        assert certificates.answer(requests.problem(example | {"settings": settings})).separable is not True
        return
    assert (told["bound"] is None) or len(told["updates"]) <= told["bound"]
    for each in told["updates"]:
        assert each["floor"] <= each["progress"] * (1 + 1e-9) + 1e-12
        assert each["progress"] <= each["norm"] * (1 + 1e-9) + 1e-12
        assert each["ceiling"] is None or each["norm"] <= each["ceiling"] * (1 + 1e-9)
    for _, floor, ceiling in told["ahead"]:
        assert floor <= ceiling * (1 + 1e-9)
    if told["ahead"]:
        assert told["ahead"][-1][0] == pytest.approx(told["bound"])
        assert told["ahead"][-1][1] == pytest.approx(told["ahead"][-1][2])


def test_the_proof_goes_by_the_best_margin():
    problem = requests.problem(examples()["separable"])
    told, answer = proofs.summary(problem), certificates.answer(problem)
    assert told["updates"][0]["floor"] == pytest.approx(answer.margin_augmented)
    assert told["bound"] == pytest.approx(answer.mistake_bound)


# ---- lessons that are refused ---------------------------------------------------------------------------------------

GOOD = {"text": "w = {w}", "example": "xor", "step": 1}


@pytest.mark.parametrize(
    ("lesson", "sentence"),
    [
        (None, "a lesson must be a JSON object with a title and scenes"),
        ([], "a lesson must be a JSON object with a title and scenes"),
        ({"scenes": [GOOD]}, "a lesson must have a title"),
        ({"title": 3, "scenes": [GOOD]}, "the title of a lesson must be text of at most 600 characters"),
        ({"title": "A", "scenes": []}, "scenes must be a list of 1 to 40 scenes"),
        ({"title": "A", "scenes": [GOOD], "author": "B"}, "a lesson has no 'author'; there are title, about, scenes"),
        ({"title": "A", "scenes": ["no"]}, "scene 1 must be a JSON object with a text"),
        ({"title": "A", "scenes": [{"example": "xor"}]}, "scene 1: text must be a sentence of at most 600 characters"),
        ({"title": "A", "scenes": [{"text": "B"}]},
         "scene 1 must have one of example, points, phrases, generate to begin"),
        ({"title": "A", "scenes": [GOOD | {"phrases": []}]},
         "scene 1 must have one of example, points, phrases, generate, and one"),
        ({"title": "A", "scenes": [GOOD | {"sound": 1}]}, "scene 1 has no 'sound'; there are text, example"),
        ({"title": "A", "scenes": [GOOD | {"show": "all"}]}, "scene 1: show must be a list of some of formulas"),
        ({"title": "A", "scenes": [GOOD | {"step": -1}]},
         'scene 1: step must be the number of a step or "end", got -1'),
        ({"title": "A", "scenes": [GOOD | {"step": 9}]},
         "scene 1 of the lesson: there is no step 9: the run has steps 1 to 4, and 0 is its start"),
        ({"title": "A", "scenes": [GOOD | {"example": "moons"}]}, "scene 1 of the lesson: there is no example 'moons'"),
        ({"title": "A", "scenes": [GOOD | {"example": ["xor"]}]}, "scene 1 of the lesson: there is no example ['xor']"),
        ({"title": "A", "scenes": [GOOD | {"settings": {"rate": 1}}]},
         "scene 1 of the lesson: there is no setting 'rate'"),
        ({"title": "A", "scenes": [GOOD | {"text": "{q}"}]},
         "scene 1 of the lesson: there is no {q} here; there are step"),
        ({"title": "A", "scenes": [GOOD | {"text": "{γ}"}]},
         "scene 1 of the lesson: the points are not separable, so that there is no {γ}"),
        ({"title": "A", "scenes": [GOOD | {"text": "{u·w}"}]},
         "scene 1 of the lesson: there is no {u·w}: No separator"),
        ({"title": "A", "scenes": [{"text": "B", "points": [[1]], "labels": [0]}]},
         "scene 1 of the lesson: Two classes are needed"),
        ({"title": "A", "scenes": [{"text": "B", "phrases": ["good"]}]},
         "scene 1 of the lesson: phrases must be a list of pairs of a phrase and its label"),
    ],
)  # fmt: skip
def test_a_lesson_that_is_wrong_is_refused_in_a_sentence(lesson, sentence):
    with pytest.raises(requests.RequestError) as refused:
        lessons.scene({"lesson": lesson, "scene": 0})
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_a_scene_that_is_not_there():
    with pytest.raises(requests.RequestError, match="the lesson has scenes 1 to 5; there is no scene 8"):
        scene("xor", 7)


def test_a_scene_without_data_goes_on_from_the_one_before():
    lesson = {"title": "A", "scenes": [GOOD | {"settings": {"bias": False}}, {"text": "B", "settings": {"eta0": 2}},
                                       {"text": "C", "example": "circles"}]}  # fmt: skip
    second = lessons.scene({"lesson": lesson, "scene": 1})
    assert (second["points"], second["settings"]) == (examples()["xor"]["points"], {"bias": False, "eta0": 2})
    assert lessons.scene({"lesson": lesson, "scene": 2})["settings"] == examples()["circles"]["settings"]
