"""How sure a second-order rule is, wherever it is shown: traces, formulas, the page, plots, explain, model files."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from identity import same_bits
from refusals import one_sentence
from saved import rewritten

import rosenblatt as rb
from rosenblatt import cli, rules
from rosenblatt.model_files import ModelFileError
from rosenblatt.playground import answers

X, Y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
ROWS = np.random.default_rng(2).standard_normal((40, 5))
RULES = [rules.SecondOrderPerceptron(), rules.CW(), rules.AROW(r=0.5), rules.SCW(variant="II"), rules.NHERD()]


def online(rule, **options):
    return rb.OnlineClassifier(rule=rule, shuffle=False, **{"max_iter": 2, **options})


# ---- traces ----------------------------------------------------------------------------------------------------------


def test_a_trace_in_fractions_has_the_variances_of_each_step():
    trace = rb.trace(online(rules.AROW(r=1), max_iter=1), X, Y, exact=True)
    first, second = trace[0], trace[1]
    assert (first.v, first.tau, first.shrink) == (11, Fraction(1, 12), 1)
    assert (first.variance_before, first.variance, first.variance_b) == (
        (1, 1),
        (Fraction(1, 2), Fraction(1, 10)),
        Fraction(1, 2),
    )
    assert second.variance_before == first.variance
    assert second.v == Fraction(4, 2) + Fraction(9, 10) + Fraction(1, 2)
    for step in trace:
        if not step.moved:
            assert step.variance == step.variance_before
    assert {"v", "Σ", "Σ of b"} <= set(trace.table().headings)
    assert trace.certificate is None


@pytest.mark.parametrize("confidence", ["diagonal", "full"])
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize(("labels", "form"), [(2, "max"), (3, "max"), (3, "ovr")])
def test_a_trace_ends_where_fit_does(rule, confidence, labels, form):
    rule = type(rule)(**{**rule.parameters, "confidence": confidence})
    model = online(rule, multiclass=form, intercept_scaling=0.5)
    y = np.arange(40) % labels
    trace = rb.trace(model, ROWS, y)
    model.fit(ROWS, y)
    same_bits(trace.coef_, model.coef_)
    last = np.atleast_2d(trace[-1].variance)
    np.testing.assert_allclose(last, model.variance_, rtol=1e-12)
    np.testing.assert_allclose(np.ravel(trace[-1].variance_b), model.intercept_variance_, rtol=1e-12)
    assert len(trace.to_frame().filter(like="variance[").columns) == 5 * (1 if labels == 2 else 3)
    assert json.loads(trace.to_json())["steps"][0]["variance"]


def test_a_trace_of_another_rule_is_as_it_was():
    trace = rb.trace(rb.Perceptron(shuffle=False, max_iter=1), X, Y)
    assert "v" not in trace.table().headings
    assert "variance" not in trace[0].as_dict()


def test_square_roots_are_no_fractions():
    for rule in (rules.CW(), rules.SCW()):
        one_sentence(
            lambda rule=rule: rb.trace(online(rule), X, Y, exact=True), ValueError, "takes square roots, so that"
        )


# ---- the page --------------------------------------------------------------------------------------------------------


def asked(kind, points=X, labels=(1, 0, 1, 0), **settings):
    request = {"points": [list(map(float, p)) for p in points], "labels": list(labels), "settings": settings}
    return json.loads(answers.answer(kind, json.dumps(request)))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_page_has_the_formulas_and_the_ellipse(rule):
    run = asked("run", rule=rule.option, passes=2)
    plain = type(rule)()
    steps = rb.trace(rb.OnlineClassifier(rule=plain, shuffle=False, max_iter=2), X, Y)
    assert run["moments"][0]["variances"] == [[1.0, 1.0, 1.0]]
    for told, step in zip(run["steps"], steps, strict=True):
        expected = [*step.variance, step.variance_b]
        np.testing.assert_allclose(run["moments"][told["after"]]["variances"][0], expected, rtol=1e-9)
    words = {
        heading: "".join(p if isinstance(p, str) else p[0] for p in formula)
        for heading, formula in run["steps"][0]["formulas"]
    }
    assert set(words) == {"score", "right?", "how far", "update", "confidence"}
    assert "Σ of the weights = (" in words["confidence"]
    used = {p[0] for step in run["steps"] for _, formula in step["formulas"] for p in formula if not isinstance(p, str)}
    text = (Path(answers.__file__).with_name("page") / "glossary.js").read_text(encoding="utf-8")
    assert all(f"\n  {symbol}: " in text or f'\n  "{symbol}": ' in text for symbol in used)


def test_the_page_refuses_kernels_and_claims_no_proof():
    assert "choose the linear space" in asked("run", rule="arow", space="rbf")["error"]
    assert "no convergence proof is known of AROW" in asked("proof", rule="arow")["error"]
    three = asked("run", labels=(1, 0, 2, 0), rule="arow", passes=1)
    assert "variances" in three["moments"][1]
    assert "variances" not in asked("run", rule="pa1")["moments"][1]


# ---- plots and the command line --------------------------------------------------------------------------------------


def test_weights_are_drawn_with_their_deviations():
    model = rb.AROW(random_state=0).fit(ROWS, np.arange(40) % 3)
    drawn = rb.plots.WeightsDisplay.from_estimator(model, label=2, top=3)
    order = [int(name[1:]) for name in drawn.names]
    np.testing.assert_allclose(drawn.deviations, np.sqrt(model.variance_[2][order]))
    assert drawn.whiskers_ is not None
    assert "standard deviation" in drawn.ax_.get_xlabel()
    plain = rb.plots.WeightsDisplay.from_estimator(rb.Perceptron(max_iter=3, tol=None).fit(ROWS, np.arange(40) % 2))
    assert (plain.deviations, plain.whiskers_) == (None, None)


def test_a_run_without_an_upper_bound_is_drawn_without_bounds():
    trace = rb.trace(online(rules.AROW()), X, Y)
    assert list(trace.plot().displays) == ["boundary", "mistakes"]
    one_sentence(lambda: trace.plot("margins"), ValueError, "bounds no margin from above")


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.csv"
    rows = ["good film,pos", "good fun,pos", "bad film,neg", "bad and dull,neg", "good cast,pos", "dull,neg"] * 3
    path.write_text("text,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["arow", "scw", "cw", "nherd", "sop"])
def test_the_command_trains_explains_and_resumes(name, texts, tmp_path, capsys):
    saved = tmp_path / "model"
    assert (
        cli.main(
            [
                "train",
                str(texts),
                "-o",
                str(saved),
                "-a",
                name,
                "--text",
                "text",
                "--bits",
                "14",
                "--passes",
                "2",
                "--quiet",
            ]
        )
        == 0
    )
    model = rb.load(saved)
    assert model._learner.rule.option == name
    assert cli.main(["explain", str(saved), "--json"]) == 0
    parts = json.loads(capsys.readouterr().out)["pos"]
    best = next(part for part in parts if part["feature"] == "good")
    assert 0 < best["deviation"] < 1
    assert cli.main(["explain", str(saved), "good film"]) == 0
    shown = capsys.readouterr().out
    assert "deviation" in shown
    assert "± " in shown
    assert cli.main(["train", str(texts), "-o", str(tmp_path / "more"), "--resume", str(saved), "--quiet"]) == 0


def test_options_of_the_command_are_those_of_the_rule(texts, tmp_path, capsys):
    base = ["train", str(texts), "-o", str(tmp_path / "m"), "--quiet", "-a"]
    assert cli.main([*base, "arow", "--r", "0.2", "--variant", "covariance"]) == 0
    rule = rb.load(tmp_path / "m")._learner.rule
    assert rule == rules.AROW(r=0.2, variant="covariance")
    assert cli.main([*base, "nherd", "-C", "3", "--variant", "exact"]) == 0
    assert rb.load(tmp_path / "m")._learner.rule == rules.NHERD(C=3, variant="exact")
    for options, words in [
        (["arow", "--r", "0"], "r must be a finite number > 0"),
        (["cw", "--eta", "0.4"], "eta must lie between 0.5 and 1"),
        (["arow", "-C", "1"], "-C does not go with --algorithm arow"),
        (["pa1", "--variant", "I"], "--variant does not go with --algorithm pa1"),
        (["nherd", "--r", "1"], "--r does not go with --algorithm nherd"),
        (["kernel", "--rule", "arow"], "which the space of a kernel has not"),
        (["arow", "--confidence", "full"], "is for at most 5,000 features"),
    ]:
        assert cli.main([*base, *options]) != 0
        assert words in capsys.readouterr().err


# ---- model files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confidence", "name", "change"),
    [
        ("diagonal", "precision", lambda a: -a - 1), ("diagonal", "precision", lambda a: a * np.nan),
        ("diagonal", "precision", lambda a: a[:-1]), ("diagonal", "precision", lambda a: a.astype(np.float32)),
        ("diagonal", "precision", None), ("full", "covariance", None), ("full", "covariance", lambda a: a[:, :2, :2]),
        ("full", "covariance", lambda a: -a), ("full", "covariance", lambda a: a * np.inf),
        ("full", "covariance", lambda a: a + np.triu(np.ones(a.shape[1:]), 1)),
    ],
)  # fmt: skip
def test_a_forged_confidence_is_refused(confidence, name, change, tmp_path):
    path = tmp_path / "model"
    rb.AROW(confidence=confidence, random_state=0).fit(ROWS, np.arange(40) % 2).save(path)

    def forge(tensors):
        held = tensors.pop(name)
        if change is not None:
            tensors[name] = change(held)

    rewritten(path, change_tensors=forge)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


def test_a_confidence_that_the_rule_does_not_keep_is_refused(tmp_path):
    path = tmp_path / "model"
    rb.Perceptron(max_iter=2, tol=None).fit(ROWS, np.arange(40) % 2).save(path)
    rewritten(path, change_tensors=lambda tensors: tensors.update(precision=np.zeros_like(tensors["weights"])))
    one_sentence(lambda: rb.load(path), ModelFileError, "what its rule keeps")
