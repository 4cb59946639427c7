"""What is known of a rule is said by the rule; of one that says nothing, nothing is claimed."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import rules
from rosenblatt.core import engine
from rosenblatt.core.learner import Learner
from rosenblatt.core.mixing import refuse_unmixable
from rosenblatt.core.rules.hard_margin import HardMargin
from rosenblatt.model_files import learners
from rosenblatt.playground import records, requests
from rosenblatt.plots.history import History
from rosenblatt.theory.certificates import holds

SOURCE = Path(rb.__file__).parent

X, Y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]


@dataclass(frozen=True)
class Reckless(rules.Rule):
    """Steps of any size, of which no paper speaks: it need not converge, and ‖w − αu‖² need not fall."""

    size: int = 7
    mood: str = "bold"

    def step(self, e):
        return self.size * e.weight if e.wrong else 0


@dataclass(frozen=True)
class Borrowed(Reckless):
    """Known to the compiled core under the name of another, and still without a theorem."""

    def native(self, share):
        return rules.Perceptron(eta0=self.size).native(share)


@dataclass(frozen=True)
class Backwards(rules.Rule):
    """Moves away from the example, as no additive rule does."""

    def step(self, e):
        return -1 if e.wrong else 0


def online(rule, **options):
    return rb.OnlineClassifier(rule=rule, fit_intercept=False, shuffle=False, **options)


# ---- nothing is claimed ----------------------------------------------------------------------------------------------


def test_a_rule_without_theorems_has_no_bound_and_no_proof():
    rule = Reckless()
    assert rule.mistake_theorem(1.0, 1.0, "") is None
    assert rule.mistake_theorem(1.0, 1.0, "2", batch_rows=4) is None
    assert rule.potential(batch=False) is None
    assert not any((rule.additive, rule.bounds_one_pass, rule.unit_steps, rule.regression))


def test_its_trace_claims_nothing():
    trace = rb.trace(online(Reckless(), max_iter=3), X, Y, exact=True)
    assert trace.verdict == "stopped"
    assert trace.margin_bounds == (-math.inf, math.inf)
    assert trace.bound is None
    assert all(step.proof is None for step in trace)
    words = " ".join(trace.proved)
    for claim in ("lowers", "Novikoff", "Crammer", "margin above", "No margin", "≤"):
        assert claim not in words
    assert np.isinf(History.of(trace).upper).all()
    with pytest.raises(ValueError, match=r"no convergence proof is known of Reckless .* leave it out"):
        rb.trace(online(Reckless()), X, Y, exact=True, separator=[-2, 1])


def test_what_it_shows_by_the_data_alone_is_still_said():
    separated = rb.trace(online(Reckless()), X, Y, exact=True)
    assert separated.verdict == "separated"
    assert separated.margin_bounds[0] > 0
    assert math.isinf(separated.margin_bounds[1])
    again = rb.trace(rb.OnlineClassifier(rule=Reckless(), shuffle=False), *XOR, exact=True)
    assert again.verdict == "no margin"
    assert holds(XOR[0], [0, 1, 1, 0], again.certificate, True)


def test_steps_away_from_the_examples_prove_nothing():
    trace = rb.trace(online(Backwards(), max_iter=5), X, Y, exact=True)
    assert trace.verdict != "no margin"
    assert math.isinf(trace.margin_bounds[1])


@pytest.mark.parametrize("rows", [(X, Y), XOR], ids=["separable", "xor"])
@pytest.mark.parametrize("kernel", [False, True])
def test_a_fitted_learner_without_a_theorem_has_no_upper_bound(rows, kernel):
    made = (
        rb.KernelPerceptron(rule=Borrowed(), kernel="linear", max_iter=30)
        if kernel
        else online(Borrowed(), max_iter=30)
    )
    known = made.set_params(tol=None).fit(*rows)
    assert math.isinf(known.margin_bounds_[1])
    assert known.verdict_ in ("separated", "stopped")


def test_no_mistake_bound_speaks_of_it():
    model = online(Borrowed()).fit(X, Y)
    with pytest.raises(ValueError, match="no bound here speaks of this learner: none is known of Borrowed"):
        rb.mistake_bound(X, Y, w=[-2, 1], estimator=model)
    with pytest.raises(ValueError, match="the perceptron's"):
        rb.mistake_bound(*XOR, w=[-2, 1], estimator=online(Borrowed(), max_iter=2, tol=None).fit(*XOR))


@pytest.mark.parametrize("kind", rules.ALL)
def test_those_of_the_table_that_have_theorems_still_bound(kind):
    model = online(kind()).fit(X, Y)
    if kind is rules.NormMIRA or kind().keeps is not None:  # test_second_order has the second-order perceptron's
        with pytest.raises(ValueError, match=f"none is known of {kind.__name__}"):
            rb.mistake_bound(X, Y, w=[-2, 1], estimator=model)
    else:
        bound = rb.mistake_bound(X, Y, w=[-2, 1], estimator=model)
        assert bound.mistakes <= float(bound)


@pytest.mark.parametrize("margin", [0.0, 5.0])
def test_the_batch_perceptrons_bound_counts_its_margin(margin):
    model = rb.BatchPerceptron(margin=margin, fit_intercept=False).fit(X, Y)
    bound = rb.mistake_bound(X, Y, w=[-2, 1], estimator=model)
    assert bound.mistakes <= float(bound) == pytest.approx((4 * 13 + 2 * margin) / 0.2)
    assert bound.of_updates == (margin > 0)


# ---- what it cannot do is refused with a sentence --------------------------------------------------------------------


def test_without_a_native_step_it_is_not_fitted():
    for model in (online(Reckless()), rb.KernelPerceptron(rule=Reckless(), kernel="linear")):
        with pytest.raises(ValueError, match=r"Reckless has no native step; rb.trace\(…, exact=True\) runs it"):
            model.fit(X, Y)


def test_model_files_hold_the_rules_of_the_table(tmp_path):
    with pytest.raises(TypeError, match=r"rules of rosenblatt\.rules, and Borrowed is not among them"):
        online(Borrowed()).fit(X, Y).save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_third_class_needs_to_know_how_two_vectors_come_from_one():
    model = online(Borrowed()).partial_fit(X, Y)
    with pytest.raises(ValueError, match="Borrowed does not say what two class vectors are of one"):
        model.partial_fit([[0.0, 5.0]], [2])
    assert model.classes_.tolist() == [-1, 1]
    several = online(Borrowed(), max_iter=1, tol=None).fit([*X, [0, 5]], [*Y, 2])
    assert several.coef_.shape == (3, 2)


def test_regression_budgets_and_shares_are_refused():
    with pytest.raises(ValueError, match="Reckless has no step for regression"):
        Learner(Reckless(), epsilon=0.1)
    with pytest.raises(ValueError, match="multiclass='uniform' does not go with Reckless"):
        Learner(Reckless(), multiclass="uniform")
    with pytest.raises(ValueError, match="Rosenblatt's rule with steps of 1"):
        rb.KernelPerceptron(rule=Borrowed(), budget=2, budget_policy="forgetron").fit(X, Y)
    refuse_unmixable(Learner(Borrowed()))  # weights alone, which can be mixed


@pytest.mark.parametrize("wrong", ["perceptron", rules.PA, HardMargin(), object()])
def test_what_is_no_rule_is_refused(wrong):
    for estimator in (rb.OnlineClassifier, rb.KernelPerceptron):
        with pytest.raises(ValueError, match=r"rule must be one of rules\.Perceptron\(…\), .* got"):
            estimator(rule=wrong).fit(X, Y)


def test_a_rule_without_a_step_says_so():
    class Idle(rules.Rule):
        pass

    with pytest.raises(NotImplementedError, match="Idle has no step: define step"):
        rb.trace(online(Idle()), X, Y, exact=True)


# ---- a margin for each class -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("margins", [(1.0,), [0, 1], (0, -1), (0, math.inf), (0, "1"), (True, 1), 1.0, None], ids=repr)
def test_margins_that_are_none(margins):
    what = "two or more finite numbers >= 0, got" if isinstance(margins, tuple) else "must be a tuple of numbers"
    with pytest.raises(ValueError, match=f"margins.*{what}"):
        rules.PAUM(margins=margins)


def test_as_many_margins_as_classes():
    for kernel in (None, "linear"):
        made = online if kernel is None else partial(rb.KernelPerceptron, kernel=kernel)
        for margins, y in [((0, 1, 2), Y), ((0, 1), [0, 1, 2, 0])]:
            with pytest.raises(
                ValueError, match=rf"PAUM has {len(margins)} margins, .* there are {len({*y})} classes: "
            ):
                made(rule=rules.PAUM(margins)).fit(X, y)
        with pytest.raises(ValueError, match=r"there is 1 class: .* a stream must know all its classes"):
            made(rule=rules.PAUM()).partial_fit(X, Y)
        model = made(rule=rules.PAUM((0, 30))).partial_fit(X, Y, classes=[-1, 1])
        scores = model.decision_function(X)
        with pytest.raises(ValueError, match="PAUM has 2 margins, and there are 3 classes"):
            model.partial_fit([[0.0, 5.0]], [2])
        assert model.classes_.tolist() == [-1, 1]
        assert model.decision_function(X).tolist() == scores.tolist()
        assert model.partial_fit(X, Y).decision_function(X).tolist() != scores.tolist()
    with pytest.raises(ValueError, match="there is 1 class"):
        online(rules.PAUM()).learn_one({"a": 1.0}, "yes")
    with pytest.raises(ValueError, match="multiclass='ovr' does not go with PAUM, which has no margin for a class"):
        online(rules.PAUM(), multiclass="ovr").fit(X, Y)


def test_the_core_reads_no_margin_that_is_not_there():
    model = engine.Model(form="multiclass", weights=engine.zeros(3, 4, np.float64), n_vectors=3)
    for k in (0, 2):
        with pytest.raises(ValueError, match="the rule has numbers for fewer classes than the model"):
            engine.learn(
                rows=engine.admit(np.eye(2)).view, model=model, rule=engine.Rule("PAUM", 1.0, "max", *[1.0] * k),
                targets=np.array([2, 0], np.int32), tally=engine.Tally(3),
            )  # fmt: skip


@pytest.mark.parametrize("rule", [rules.PAUM((0, 3)), rules.PAUM((1, 0, 0.5), eta0=0.1)], ids=repr)
def test_margins_come_back_from_a_file(rule, tmp_path):
    y = [*Y] if len(rule.margins) == 2 else [0, 1, 2, 0]
    model = online(rule, readout="averaged", max_iter=3, tol=None).fit(X, y)
    model.save(tmp_path / "model")
    loaded = rb.load(tmp_path / "model")
    assert loaded.rule == rule
    for again in (model, loaded):
        again.partial_fit(X, y)
    assert loaded.coef_.tobytes() == model.coef_.tobytes()
    plain, arrays = learners.to_state(model._learner)
    plain["rule"]["margins"]["$tuple"].append(1.0)
    with pytest.raises(ValueError, match="PAUM has"):
        learners.from_state(plain, arrays)


def test_its_trace_is_exact_and_follows_the_proof():
    rule = rules.PAUM((0, 0.1))
    trace = rb.trace(online(rule), X, Y, exact=True, separator=[-2, 1])
    assert all(step.proof.fall >= step.proof.fall_floor for step in trace if step.moved)
    assert all(isinstance(step.proof.norm2_ceiling, (int, Fraction)) for step in trace)
    assert trace.bound == (13 + Fraction(2, 10)) * 5
    assert "Margin perceptron, m the largest margin: 13 updates ≤ (R² + 2m/η)/γ² = 66." in trace.proved
    assert list(trace[-1].w) == online(rule).fit(X, Y).coef_.tolist()[0]


@pytest.mark.parametrize("labels", [[1, 0, 1, 0], [1, 0, 2, 0]], ids=["two", "three"])
def test_the_page_has_a_margin_for_the_last_class_and_one_for_the_others(labels):
    settings = {"rule": "paum", "margin_others": 0.5, "margin_last": 30, "passes": 2}
    problem = requests.problem({"points": X, "labels": labels, "settings": settings})
    record = records.summary(problem)
    margins = (0.5,) * max(labels) + (30.0,)
    assert f"rule=rb.rules.PAUM(margins={margins}, eta0=1.0)" in record["program"]
    steps = [step["formulas"] for step in record["steps"]]
    words = ["".join(part if isinstance(part, str) else part[0] for part in dict(step)["right?"]) for step in steps]
    assert any("≤ 30: right, but inside the margin" in text for text in words)


# ---- said once -------------------------------------------------------------------------------------------------------


def test_nobody_else_asks_what_a_rule_is():
    """No isinstance on a rule and no probe of its attributes outside core/rules."""
    probes = re.compile(
        r"isinstance\([^)]*\brules?\b|getattr\([^)]*\brule\b|hasattr\([^)]*\brule\b|type\(rule\) (is|in|==)"
    )
    for file in SOURCE.rglob("*.py"):
        if "rules" not in file.parts:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                assert not probes.search(line), f"{file.relative_to(SOURCE)}:{number}: {line.strip()}"


@pytest.mark.parametrize("kind", rules.ALL)
def test_each_rule_of_the_table_says_what_doors_ask(kind):
    rule = kind()
    assert rules.BY_NAME[kind.__name__] is rules.BY_OPTION[kind.option] is kind
    assert rule.title
    assert kind.from_controls({c.name: rule.control_value(c.name) for c in rule.controls}, n_classes=2) == rule
    assert rule.descriptions.keys() == rule.parameters.keys()
    assert "«τ»" in rule.formula(False)
    assert rule.formula(True).count("{}") == 1
    if "φ" in rule.formula(False):  # which moves below a margin that depends on the example
        assert rule.moves_below(0) is None
    else:
        assert rule.moves_below(0) is not None
    assert bool(rule.shrink_formula()) == (rule.keeps is not None)
