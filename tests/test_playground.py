"""What the playground computes: the library's numbers, for every setting, and sentences for what cannot be."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from clockless import calls
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.playground import certificates, fields, pasted, plans, readouts, records, requests
from rosenblatt.playground.examples import examples
from rosenblatt.theory import inputs
from rosenblatt.tracing.wording import number


def problem(points, labels, **chosen):
    return requests.problem({"points": [list(p) for p in points], "labels": list(labels), "settings": chosen})


FOUR = [(1, 3), (2, 3), (-3, 1), (1, -1)], [1, 0, 1, 0]
XOR = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]
THREE = [(-2, -1), (2, -1), (0, 2), (-1, -0.5), (2.5, -0.5), (0.5, 1.5)], [0, 1, 2, 0, 1, 2]


def combinations():
    """Every rule with every readout in every space that it goes with."""
    for rule, readout, space in itertools.product(requests.RULES, requests.READOUTS, requests.SPACES):
        try:
            requests.settings_of({"rule": rule, "readout": readout, "space": space})
        except requests.RequestError:
            continue
        yield {"rule": rule, "readout": readout, "space": space}


# ---- the run is the library's -------------------------------------------------------------------------------------


@pytest.mark.diagonal
@pytest.mark.parametrize("chosen", combinations(), ids=lambda s: "-".join(s.values()))
@pytest.mark.parametrize("data", [FOUR, THREE], ids=["two", "three"])
def test_the_program_of_the_page_makes_the_trace_of_the_page(chosen, data):
    asked_for = problem(*data, **chosen, passes=4, order="shuffled", seed=3, ties="predict", eta0=0.5, margin=0.25)
    told = records.summary(asked_for)
    space = {}
    exec(told["program"].replace("print(trace)", ""), space)
    trace = space["trace"]
    assert [step["cells"] for step in told["steps"]] == [list(row) for row in trace.table().rows]
    assert told["title"] == trace.table().title
    assert told["verdict"] == trace.verdict
    of_fit = "The mistakes and updates are those of fit"  # of which the page, which does not fit, says nothing
    assert told["proved"] == [sentence for sentence in trace.proved if not sentence.startswith(of_fit)]
    assert told["bounds"] == [
        None if math.isinf(bound) else pytest.approx(bound, rel=0 if chosen["space"] == "linear" else 1e-12)
        for bound in trace.margin_bounds
    ]
    assert told["mistakes"] == trace.mistakes
    assert told["steps"][-1]["mistakes"] == sum(trace.mistakes)


def test_the_program_has_names_and_fractions():
    example = examples()["phrases, pairs"]
    told = records.summary(requests.problem(example))
    space = {}
    exec(told["program"].replace("print(trace)", ""), space)
    assert told["headings"] == list(space["trace"].table().headings)
    assert space["trace"].setting.exact
    assert space["trace"].coef_.tolist() == [[1, -1, 0, -2, 2]]


def test_four_points_through_the_origin():
    told = records.summary(problem(*FOUR, bias=False))
    moved = [told["moments"][step["after"]]["vectors"][0][:2] for step in told["steps"] if step["moved"]]
    assert moved[:4] == [[1, 3], [-1, 0], [0, 3], [-2, 0]]
    assert (told["updates"], moved[-1], told["verdict"], told["passes"]) == (13, [-5, 3], "separated", 8)
    formula = dict(told["steps"][1]["formulas"])
    assert text(formula["score"]) == "s = w·x = (1, 3)·(2, 3) = 11"
    assert text(formula["right?"]) == "y·s = −1·11 = −11 < 0: wrong sign, a mistake"
    assert text(formula["update"]) == "w ← w + τ·y·x = (1, 3) − 1·(2, 3) = (−1, 0)"
    assert told["R"] == pytest.approx(math.sqrt(13))


def test_xor_comes_back_to_zero():
    told = records.summary(problem(*XOR))
    found = [told["moments"][step["after"]]["vectors"][0] for step in told["steps"]]
    assert found[:4] == [[0, 0, -1], [0, 1, 0], [1, 1, 1], [0, 0, 0]]
    assert (told["passes"], found[-1]) == (1, [0, 0, 0])
    assert told["verdict"] == "no margin"
    assert told["certificate"] == [1, 1, 1, 1]
    assert told["steps"][-1]["upper"] == 0


def text(formula):
    return "".join(part if isinstance(part, str) else part[0] for part in formula)


@pytest.mark.diagonal
@pytest.mark.parametrize("chosen", combinations(), ids=lambda s: "-".join(s.values()))
@pytest.mark.parametrize("data", [FOUR, THREE], ids=["two", "three"])
def test_formulas_have_the_numbers_of_their_step(chosen, data):
    asked_for = problem(*data, **chosen, passes=3)
    run = records.recorded(asked_for).trace
    for step, told in zip(run, records.summary(asked_for)["steps"]):
        formulas = dict(told["formulas"])
        assert ("update" in formulas) == step.moved
        if run.setting.form == "binary":
            assert text(formulas["score"]).endswith(f" = {number(step.score)}")
        assert f" = {number(step.margin)}" in text(formulas["right?"])
        assert (step.why or "right") in text(formulas["right?"])
        if step.moved:
            far = text(formulas["how far"])
            assert number(step.tau) in far
            assert "ℓ" not in far or f" = {number(1 - step.margin)},  τ = " in far


# ---- readouts: the model after each step ----------------------------------------------------------------------------

points = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 2)), min_size=4, max_size=8).filter(
    lambda rows: len({code for *_, code in rows}) > 1
)


@pytest.mark.parametrize(
    ("space", "readout"),
    [*itertools.product(["linear", "poly"], ["last", "averaged", "pocket"]), ("poly", "voted")],
)
@given(rows=points, seed=st.integers(0, 3), ties=st.sampled_from(["mistake", "predict"]))
def test_the_model_after_each_pass_is_that_of_a_fit_of_so_many_passes(space, readout, rows, seed, ties):
    data = [row[:2] for row in rows], [row[2] for row in rows]
    order = {"order": "shuffled", "seed": seed}
    asked_for = problem(*data, space=space, readout=readout, ties=ties, passes=4, **order)
    made = records.recorded(asked_for)
    n = len(rows)
    for passes in range(1, len(made.trace) // n + 1):
        estimator = eval(plans.estimator(asked_for), {"rb": rb}).set_params(max_iter=passes, tol=None)
        estimator.fit(asked_for.points, asked_for.labels)
        found = np.array(readouts.scores(made, [n * passes], records.basis(asked_for))[0])
        expected = estimator.decision_function(asked_for.points).reshape(len(rows), -1)
        if found.shape[1] > 1 and readout == "voted":
            assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


# ---- decimals as by hand ---------------------------------------------------------------------------------------------


def by_hand(rows, labels, bias, passes):
    """The perceptron on paper: row, score and weights after each step, until a pass without a mistake."""
    w, steps = [Fraction(0)] * (len(rows[0]) + bias), []
    for _ in range(passes):
        mistakes = 0
        for i, (row, label) in enumerate(zip(rows, labels)):
            x = [Fraction(str(v)) for v in row] + [Fraction(1)] * bias
            s, y = sum(a * b for a, b in zip(w, x)), 2 * label - 1
            if y * s <= 0:
                w, mistakes = [a + y * b for a, b in zip(w, x)], mistakes + 1
            steps.append((i, s, w))
        if not mistakes:
            break
    return steps


@pytest.mark.parametrize("bias", [False, True])
def test_a_run_on_decimals_is_the_one_on_paper(bias):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rows = np.round(rng.uniform(-2, 2, (6, 2)), 1).tolist()
        labels = [0, 1, *rng.integers(0, 2, 4).tolist()]
        told = records.summary(problem(rows, labels, bias=bias, passes=8))
        expected = by_hand(rows, labels, bias, 8)
        assert [step["row"] for step in told["steps"]] == [i for i, _, _ in expected][: len(told["steps"])]
        for step, (_, score, w) in zip(told["steps"], expected):
            s = "".join(map(str, step["formulas"][0][1])).rpartition("= ")[2]
            assert Fraction(s.replace("−", "-")) == score
            assert told["moments"][step["after"]]["vectors"][0][: len(w)] == [float(v) for v in w]
        assert told["arithmetic"] == "exact decimals"


def test_a_score_of_zero_is_a_tie_and_not_what_rounding_leaves():
    told = records.summary(problem([(1.4, -0.4), (0.4, 1.4)], [1, 0], bias=False))
    score, judged = told["steps"][1]["formulas"][:2]
    assert score[1][-1] == " = (1.4, −0.4)·(0.4, 1.4) = 0"
    assert judged[1][-1].endswith("tie, a mistake")


@pytest.mark.parametrize(
    ("chosen", "arithmetic"),
    [
        ({}, "exact decimals"),
        ({"space": "poly"}, "exact decimals"),
        ({"exact": True}, "exact fractions"),
        ({"rule": "paum", "eta0": 0.1}, "exact decimals"),
        ({"eta0": 0.123456}, "floating point: not all numbers have four decimals at most"),
        ({"rule": "pa"}, "floating point: the rule divides"),
        ({"space": "rbf"}, "floating point: the values of this kernel are no decimals"),
    ],
)
def test_the_page_says_how_it_computes(chosen, arithmetic):
    told = records.summary(problem(*THREE, **chosen, passes=3))
    assert told["arithmetic"] == arithmetic
    assert ("exact=" in told["program"]) is arithmetic.startswith("exact")
    assert ("/" in str([step["cells"] for step in told["steps"]])) is (arithmetic == "exact fractions")


def test_points_of_many_digits_and_many_points_in_kernel_space_are_computed_in_floats():
    told = records.summary(problem([(math.pi, 1), (1, 2)], [0, 1]))
    assert told["arithmetic"] == "floating point: not all numbers have four decimals at most"
    told = records.summary(
        problem([(i / 2, i % 7) for i in range(60)], [i % 2 for i in range(60)], space="poly", passes=1)
    )
    assert told["arithmetic"] == "floating point: there are many points"


# ---- bounds ----------------------------------------------------------------------------------------------------------


@given(rows=points, bias=st.booleans(), rule=st.sampled_from(["perceptron", "pa", "mira"]))
def test_the_best_margin_lies_between_the_bounds_at_every_step(rows, bias, rule):
    asked_for = problem([row[:2] for row in rows], [row[2] for row in rows], bias=bias, rule=rule, passes=5)
    told, answer = records.summary(asked_for), certificates.answer(asked_for)
    best = answer.margin_augmented_bounds[1] if answer.separable else 0.0
    least = answer.margin_augmented_bounds[0] if answer.separable else 0.0
    for step in told["steps"]:
        assert step["upper"] is None or step["upper"] >= least * (1 - 1e-9)
        lower = told["moments"][step["after"]]["lower"]
        assert lower is None or lower <= best * (1 + 1e-9) + 1e-12
    if told["bounds"][1]:  # which fit looks at once a pass, and the page after each step; 0: equal rows may prove it
        assert told["steps"][-1]["upper"] <= told["bounds"][1] * (1 + 1e-12)


def test_no_upper_bound_where_the_kernel_has_none():
    told = records.summary(problem(*XOR, space="sigmoid", passes=3))
    assert {step["upper"] for step in told["steps"]} == {None}


# ---- certificates ----------------------------------------------------------------------------------------------------


def test_the_certificate_of_xor_is_a_place_where_both_means_lie():
    told = certificates.summary(problem(*XOR), {})
    assert told["separable"] is False
    (place,) = told["meeting"]
    assert place["plus"] == place["minus"] == [0.5, 0.5]
    assert told["lambda"] == ["1", "1", "1", "1"]


@given(rows=points, bias=st.booleans())
def test_a_certificate_draws_points_that_coincide_or_a_band_that_is_empty(rows, bias):
    asked_for = problem([row[:2] for row in rows], [row[2] for row in rows], bias=bias)
    told = certificates.summary(asked_for, {})
    if told["separable"]:
        scores = np.array(records.basis(asked_for)) @ np.array(told["vectors"]).T
        margins = inputs.margins_of(scores, inputs.encode_labels(np.array(asked_for.labels), len(rows)))
        assert margins.min() == pytest.approx(1)
        length = np.linalg.norm(np.array(told["vectors"])[:, :2])
        assert told["margin"] == pytest.approx(1 / length, rel=1e-5)
    else:
        for place in told["meeting"]:
            np.testing.assert_allclose(place["plus"], place["minus"], atol=1e-9)
            pulls = np.array([weight for _, weight in place["rows"]])
            if bias:
                assert pulls[pulls > 0].sum() == pytest.approx(1)
                assert pulls[pulls < 0].sum() == pytest.approx(-1)


def test_a_certificate_of_numbers_too_long_for_floats_is_told_in_proportion():
    rng = np.random.default_rng(0)
    rows = np.round(rng.uniform(-4, 4, (100, 2)), 1).tolist()
    told = certificates.summary(problem(rows, [i % 2 for i in range(100)], space="poly", degree=8), {})
    assert told["separable"] is False
    assert max(map(float, told["lambda"])) == 1
    assert "meeting" not in told  # it is their images that coincide, not the points


def test_answers_take_little_work_with_as_many_points_as_there_may_be():
    rng = np.random.default_rng(0)
    rows = np.round(rng.uniform(-4, 4, (3, 100, 2)), 1)[2].tolist()
    asked_for = problem(rows, [i % 2 for i in range(100)], space="rbf", rule="pa")
    for answer in (records.summary, lambda given: certificates.summary(given, {})):
        assert calls(lambda answer=answer: answer(asked_for)) < 3_000_000  # some tenths of a second


@pytest.mark.parametrize("space", ["rbf", "poly", "linear-kernel"])
def test_in_kernel_space_the_margin_lies_between_the_bounds_of_the_run(space):
    asked_for = problem(*FOUR, space=space)
    told, run = certificates.summary(asked_for, {"window": [-1, 1, -1, 1, 5]}), records.summary(asked_for)
    assert told["separable"]
    assert run["bounds"][0] * (1 - 1e-6) <= told["margin"] <= run["bounds"][1] * (1 + 1e-6)
    assert np.shape(told["field"]) == (1, 25)
    assert "without a bias" not in told["text"]


def test_an_rbf_kernel_separates_xor_and_a_linear_one_does_not():
    assert certificates.summary(problem(*XOR, space="rbf"), {})["separable"] is True
    assert certificates.summary(problem(*XOR, space="linear-kernel"), {})["separable"] is False
    assert "no inner product" in certificates.summary(problem(*XOR, space="sigmoid"), {})["text"]


def test_alternating_points_on_a_line_are_separable_by_any_rbf_kernel():
    line = [(0, 0), (0.25, 0), (0.5, 0), (0.75, 0)], [0, 1, 0, 1]
    told = certificates.summary(problem(*line, space="rbf", gamma=0.01), {"window": [-1, 1, -1, 1, 5]})
    assert told["separable"] is True
    assert "proved to lie in [1.35253013e-05, 1.35253014e-05]" in told["text"]
    assert told["margin_text"] == "≈ 1.3525e-05"
    assert "vectors" in told
    narrower = certificates.summary(problem(*line, space="rbf", gamma=0.0001), {"window": [-1, 1, -1, 1, 5]})
    assert narrower["separable"] is True
    assert "vectors" not in narrower  # floats cannot draw it


@pytest.mark.parametrize("space", requests.SPACES)
def test_two_points_at_one_place_of_different_classes_are_a_certificate(space):
    told = certificates.summary(problem([(0.1, 0.2), (1, 1), (0.1, 0.2)], [0, 1, 1], space=space), {})
    assert told["separable"] is False
    assert told["exact"] is True
    assert "rows 0 and 2 are equal but have different labels" in told["text"]
    assert told["lambda"] == ["1", "0", "1"]
    (place,) = told["meeting"]
    assert place["plus"] == place["minus"] == [0.1, 0.2]


def test_a_margin_is_called_exact_only_where_its_digits_are():
    told = certificates.summary(problem([(0, 0), (1, 0)], [0, 1], space="rbf"), {})
    assert told["exact"] is False
    assert told["margin_text"] == "≈ 0.56219"  # √((1 − 1/e)/2)
    assert "exact" not in told["text"]
    half = certificates.summary(problem([(-0.5, 0), (0.5, 0)], [0, 1], bias=False), {})
    assert half["margin_text"] == "= 0.5"


# ---- fields ----------------------------------------------------------------------------------------------------------


def test_a_field_is_what_the_estimator_says_of_the_places():
    asked_for = problem(*XOR, space="rbf", gamma=0.7)
    run = records.summary(asked_for)
    (field,) = fields.summary(asked_for, {"at": [len(run["steps"])], "window": [-1, 2, -1, 2, 7]})["fields"]
    estimator = eval(plans.estimator(asked_for), {"rb": rb}).fit(asked_for.points, asked_for.labels)
    places = fields.grid([-1, 2, -1, 2, 7])
    np.testing.assert_allclose(field["model"][0], estimator.decision_function(places), rtol=1e-4)
    assert field["right"] == [0, 1, 2, 3]
    assert places[0] == (-1, -1)
    assert places[1] == (-0.5, -1)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"at": []}, "at must be a list of 1 to 24 step numbers"),
        ({"at": list(range(25))}, "at must be a list of 1 to 24 step numbers"),
        ({"at": [99]}, "there is no step 99: the run has steps 1 to 8"),
        ({"at": [True]}, "there is no step True"),
        ({"at": [0], "window": [0, 1]}, "window must be [left, right, bottom, top, places across]"),
        ({"at": [0], "window": [1, 0, 0, 1, 5]}, "its left before its right"),
        ({"at": [0], "window": [0, 1, 0, 1, 65]}, "2 to 64 places across"),
        ({"at": [0], "window": [0, math.inf, 0, 1, 5]}, "window must be"),
    ],
)
def test_fields_that_cannot_be(more, sentence):
    with pytest.raises(requests.RequestError) as error:
        fields.summary(problem(*XOR, space="rbf"), more)
    assert sentence in str(error.value)


# ---- requests --------------------------------------------------------------------------------------------------------

GOOD = {"points": [[0, 0], [1, 1]], "labels": [0, 1]}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([], "a request must be a JSON object"),
        ({}, "Place some points of two classes"),
        ({"points": 3, "labels": []}, "Place some points"),
        (
            GOOD | {"points": [[0, 0]] * 101, "labels": [0, 1] * 51},
            "101 points are too many: the page draws 100 at most",
        ),
        (GOOD | {"points": [[0] * 13, [1] * 13]}, "1 to 12 numbers"),
        (GOOD | {"points": [[0, 0], [1]]}, "point 1 must have 2 numbers as point 0 has, got [1]"),
        (GOOD | {"points": [[0, 0], [1, "x"]]}, "point 1, coordinate 1: 'x' is no number"),
        (GOOD | {"points": [[0, 0], [1, 1e7]]}, "point 1, coordinate 1: 10000000.0 is no number from −1,000,000"),
        (GOOD | {"points": [[0, 0], [1, math.inf]]}, "point 1, coordinate 1: inf is no number"),
        (GOOD | {"points": [[0, 0], [1, True]]}, "point 1, coordinate 1: True is no number"),
        (GOOD | {"points": [[0, 0], [1, 10**400]]}, "point 1, coordinate 1: 1000"),
        (GOOD | {"labels": [0]}, "one class number for each of the 2 points"),
        (GOOD | {"labels": [0, 4]}, "point 1: a class must be a whole number from 0 to 3, got 4"),
        (GOOD | {"labels": [1, 1]}, "Two classes are needed"),
        (GOOD | {"names": ["a"]}, "names must be a name of at most 40 characters for each feature"),
        (GOOD | {"names": ["a", "a"]}, "names must all be different"),
        (GOOD | {"classes": ["b", "a"]}, "classes must be in sorted order"),
        (GOOD | {"classes": ["a", 3]}, "classes must be a name"),
        (GOOD | {"settings": []}, "settings must be a JSON object"),
        (GOOD | {"settings": {"speed": 1}}, "there is no setting 'speed'"),
        (GOOD | {"settings": {"rule": "adaline"}}, "rule must be one of perceptron, batch"),
        (GOOD | {"settings": {"rule": ["pa"]}}, "rule must be one of"),
        (GOOD | {"settings": {"eta0": 0}}, "eta0 must be a number from 0.001 to 1000, got 0"),
        (GOOD | {"settings": {"eta0": "1"}}, "eta0 must be a number"),
        (GOOD | {"settings": {"passes": 201}}, "passes must be a whole number from 1 to 200, got 201"),
        (GOOD | {"settings": {"passes": 1.5}}, "passes must be a whole number"),
        (GOOD | {"settings": {"bias": 1}}, "bias must be true or false, got 1"),
        (GOOD | {"settings": {"rule": "batch", "space": "rbf"}}, "batch descent moves linear weights"),
        (GOOD | {"settings": {"readout": "voted"}}, "a vote needs the history"),
        (
            GOOD | {"settings": {"exact": True, "rule": "pa"}},
            "exact fractions go with the rules perceptron, batch, paum, and",
        ),
        (GOOD | {"settings": {"exact": True, "space": "rbf"}}, "exact fractions go with"),
    ],
)
def test_what_cannot_be_asked(wrong, sentence):
    with pytest.raises(requests.RequestError) as error:
        requests.problem(wrong)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_the_record_is_bounded_and_says_so():
    rows = [((i * 7) % 13, (i * 5) % 11) for i in range(100)]
    told = records.summary(problem(rows, [i % 2 for i in range(100)], passes=200, rule="pa"))
    assert len(told["steps"]) <= requests.MOST_STEPS
    assert told["cut"] == "The page shows 10 passes of 100 points at most."
    assert records.summary(problem(*FOUR))["cut"] == ""


def test_two_of_three_classes_keep_their_letters():
    told = records.summary(problem([(0, 0), (1, 1)], [0, 2]))
    assert told["classes"] == ["A", "C"]
    assert told["codes"] == [0, 1]


# ---- examples and tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", examples())
def test_an_example_shows_what_it_says(name):
    asked_for = requests.problem(examples()[name])
    expected = name in ("four points", "separable", "narrow margin", "and", "or", "three classes", "phrases, pairs")
    assert certificates.summary(asked_for, {})["separable"] is expected
    verdict = records.summary(asked_for)["verdict"]
    assert (verdict == "separated") is expected
    if name in ("xor", "phrases, words"):
        assert verdict == "no margin"


def test_circles_are_separated_by_a_polynomial_of_degree_2():
    example = examples()["circles"]
    assert records.summary(requests.problem(example | {"settings": {"space": "poly"}}))["verdict"] == "separated"


@pytest.mark.parametrize(
    ("csv", "expected"),
    [
        ("1, 3, +1\n2, 3, -1", {"points": [[1, 3], [2, 3]], "labels": [1, 0], "names": None, "classes": None}),
        ("x;y;class\n1;2;b\n\n3;4;a\n", {"points": [[1, 2], [3, 4]], "labels": [1, 0], "names": ["x", "y"],
                                         "classes": ["a", "b"]}),
        ("label,u,v\nup,1e-1,−2\ndown,0,3", {"points": [[0.1, -2], [0, 3]], "labels": [1, 0], "names": ["u", "v"],
                                             "classes": ["down", "up"]}),
        ("\ufeffx,y,label\r\n1,2,b\r\n3,4,a", {"points": [[1, 2], [3, 4]], "labels": [1, 0], "names": ["x", "y"],
                                             "classes": ["a", "b"]}),
        ("0 1 0\n1 1 1", {"points": [[0, 1], [1, 1]], "labels": [0, 1], "names": None, "classes": ["0", "1"]}),
        ("text,label\nnot bad,pos\nbad,neg", {"points": [[1, 1], [0, 1]], "names": ["not", "bad"] , "labels": [1, 0],
                                              "classes": ["neg", "pos"], "captions": ["not bad", "bad"]}),
    ],
)  # fmt: skip
def test_tables_that_are_pasted(csv, expected):
    found = pasted.table(csv, False)
    if "captions" in expected:
        order = [found["names"].index(name) for name in expected["names"]]
        found["points"] = [[point[j] for j in order] for point in found["points"]]
        found["names"] = expected["names"]
    assert found == expected
    requests.problem(found)


@pytest.mark.parametrize(
    ("csv", "sentence"),
    [
        (3, "csv must be text"),
        ("", "There is nothing to read"),
        ("x" * 50_001, "50,001 characters are too many: 50,000 at most"),
        ("7\n8", "line 1: a line needs a number and a label"),
        ("good,a\nbad", "line 2: 1 cell, but the first line has 2"),
        ("1,2,a\n1,2", "line 2: 2 cells, but the first line has 3"),
        ("x,y,label\n", "There is a heading, but no points below it"),
        ("x,y,label\n1,2,a\n1,oops,b", "line 3: 'oops' is no number"),
        ("1,nan,a\n1,2,b", "line 1: 'nan' is no number"),
        ("1,2,a\n1,1e9,b", "line 2: '1e9' is no number from −1,000,000"),
        ("\n".join(f"1,2,{c}" for c in "abcde"), "5 classes are too many: the page shows 4 at most"),
        ("1,2,a\n" * 101, "101 points are too many"),
        ("1,2," + "a" * 41, "line 1: a label has 1 to 40 characters"),
        ("x,x,label\n1,2,a", "the columns need different names"),
        (",".join("1" * 14), "13 columns of numbers are too many: 12 at most"),
        ('text,label\n"a b c d e f g h",x\n!!,y', "hold no n-grams"),
        ("text,label\n" + " ".join(f"word{i}" for i in range(13)) + ",x", "13 different words"),
    ],
)
def test_tables_that_cannot_be_read(csv, sentence):
    with pytest.raises(requests.RequestError) as error:
        pasted.table(csv, False)
    assert sentence in str(error.value)


def test_numbers_whose_squares_are_none_are_refused():
    tiny = {"points": [[1e-300, 0], [-1e-300, 1e-300], [2e-300, 0]], "labels": [0, 1, 1]}
    with pytest.raises(requests.RequestError, match="point 0, coordinate 0: 1e-300 is too near to 0: 1e-60 at least"):
        requests.problem(tiny)
    small = requests.problem({"points": [[1e-60, 0], [-1e-60, 1e-60], [2e-60, 0]], "labels": [0, 1, 1], "settings": {}})
    records.summary(small)
    assert certificates.summary(small, {})["separable"] is not None


@pytest.mark.parametrize(
    ("name", "settings", "step", "wanted"),
    [
        ("xor", {"space": "rbf"}, 1, "s = Σ α·K(xⱼ, x) over no row yet = 0"),
        ("xor", {"space": "rbf"}, 3, "s = Σ α·K(xⱼ, x) = −1·K(x₀, x) + 1·K(x₁, x) = −1·1.3679 + 1·1.1353 = −0.23254"),
        ("xor", {"space": "poly"}, 36, "s = Σ α·K(xⱼ, x) = −8·2 + 6·5 + 6·5 − 5·10 = −6"),
        ("three classes", {"space": "rbf"}, 2, "s of each class = Σ α·K(xⱼ, x):  A: 1·1 = 1,  B: −1·1 = −1,  C: 0"),
    ],
)
def test_formulas_of_a_kernel_show_their_terms(name, settings, step, wanted):
    steps = records.summary(requests.problem(examples()[name] | {"settings": settings}))["steps"]
    (heading, formula), *_ = steps[step - 1]["formulas"]
    assert heading == "score"
    assert "".join(part if isinstance(part, str) else part[0] for part in formula) == wanted
