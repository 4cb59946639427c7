"""The trace: equal to fit to the bit, the worked examples digit for digit, the proof at every step, certificates."""

import copy
import dataclasses
import json
import re
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from identity import same_bits
from problems import augmented, problems, separable, separable_classes
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_reference import FOUR_POINTS, MOVIES, PAIRS, PHRASES, TRACES, XOR, total_of

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.theory.certificates import combination
from rosenblatt.theory.revisits import Revisits
from rosenblatt.tracing import has_short_decimals, wording
from rosenblatt.tracing.tabular import ACROSS

rules = rb.rules

# ---- equal to fit, to the bit ------------------------------------------------------------------------------------

LEARNERS = [
    (rules.Perceptron(), "max"),
    (rules.Perceptron(eta0=0.3), "uniform"),
    (rules.Perceptron(margin=0.3), "proportional"),
    (rules.Perceptron(margin=1.3, eta0=0.7), "ovr"),
    (rules.PA(), "max"),
    (rules.PA1(C=0.07), "max"),
    (rules.PA1(C=0.5), "ovr"),
    (rules.PA2(C=0.3), "max"),
    (rules.MIRA(), "max"),
    (rules.MIRA(C=0.05), "max"),
    (rules.NormMIRA(), "max"),
]
READOUTS = [("last", False), ("averaged", False), ("pocket", False), ("pocket", True)]


def fitted(estimator, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return copy.deepcopy(estimator).fit(X, y, **options)


def same_as_fit(estimator, X, y, **options):
    told, model = rb.trace(estimator, X, y, **options), fitted(estimator, X, y, **options)
    same_bits(told.coef_, model.coef_)
    same_bits(told.intercept_, model.intercept_)
    assert (told.n_iter, told.n_updates) == (model.n_iter_, model.n_updates_)
    assert told.n_updates == sum(step.updates for step in told)
    if hasattr(model, "verdict_"):
        assert told.verdict == model.verdict_
        assert told.mistakes == model.mistakes_.tolist()
        assert told.margin_bounds == model.margin_bounds_
    assert str(told)
    json.loads(told.to_json())
    return told


choices = {
    "ties": st.sampled_from(("mistake", "predict")),
    "fit_intercept": st.booleans(),
    "shuffle": st.booleans(),
    "init": st.sampled_from(("zeros", "random")),
    "tol": st.sampled_from((None, 0.1)),
}
small = {"features": (1, 2, 3, 17), "max_rows": 8}


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@given(
    problem=problems(classes=(2, 3, 5), **small), readout=st.sampled_from(READOUTS), weighted=st.booleans(), **choices
)
def test_classifier(rule, share, problem, readout, weighted, **options):
    estimator = rb.OnlineClassifier(
        rule=rule, multiclass=share, readout=readout[0], ratchet=readout[1], random_state=problem.seed, max_iter=3,
        **options,
    )  # fmt: skip
    weight = problem.weight if weighted else None
    told = same_as_fit(estimator, problem.X, problem.codes, sample_weight=weight)
    for before, after in pairwise(told):
        assert (before.w, before.b) == (after.w_before, after.b_before)
    assert all(step.why for step in told if step.mistake or step.moved)


@given(problem=problems(classes=(2, 3), **small), weighted=st.booleans(), ties=choices["ties"])
def test_batch(problem, weighted, ties):
    weight = problem.weight if weighted else None
    told = same_as_fit(
        rb.BatchPerceptron(max_iter=3, eta0=0.3, ties=ties), problem.X, problem.codes, sample_weight=weight
    )
    ends = [i for i, (a, b) in enumerate(pairwise(told)) if a.pass_number != b.pass_number]
    assert all(step.w == step.w_before for i, step in enumerate(told) if i not in ends and i != len(told) - 1)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@given(problem=problems(classes=(2,), **small), average=st.booleans(), weighted=st.booleans(), shuffle=st.booleans())
def test_regressor(variant, problem, average, weighted, shuffle):
    estimator = rb.PassiveAggressiveRegressor(
        variant=variant, average=average, shuffle=shuffle, max_iter=3, C=0.3, random_state=problem.seed
    )
    weight = problem.weight if weighted else None
    told = same_as_fit(estimator, problem.X, problem.targets, sample_weight=weight)
    assert (told.verdict, told.mistakes) == (None, [])


X6 = np.array([[1.0, 2, 0], [2, 1, 1], [0, 1, -1], [-1, -2, 1], [-2, -1, 0], [-1, 0, -2]])
Y6 = np.array(["no", "no", "yes", "yes", "no", "yes"])


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, pd.DataFrame, np.float32, list], ids=str)
def test_containers(container):
    X = X6.astype(np.float32) if container is np.float32 else X6.tolist() if container is list else container(X6)
    same_as_fit(rb.Perceptron(max_iter=4, random_state=1, class_weight="balanced"), X, Y6)
    rb.trace(rb.Perceptron(max_iter=4, random_state=1), X, Y6, exact=True)


def test_a_start_is_taken_and_warm_start_goes_on():
    start = {"coef_init": [[0.5, -1, 2]], "intercept_init": [0.25]}
    told = same_as_fit(rb.Perceptron(max_iter=2, random_state=0), X6, Y6, **start)
    assert (told[0].w_before, told[0].b_before) == ((0.5, -1.0, 2.0), 0.25)
    warm = fitted(rb.Perceptron(max_iter=1, random_state=0, warm_start=True), X6, Y6)
    told = same_as_fit(warm, X6, Y6)
    assert told[0].w_before == tuple(warm.coef_[0])
    exact = rb.trace(warm, X6, Y6, exact=True)
    assert exact[0].w_before == tuple(warm.coef_[0])


def test_the_estimator_and_its_generator_are_left_alone():
    for model in (rb.Perceptron(max_iter=2), fitted(rb.Perceptron(max_iter=2, random_state=0), X6, Y6)):
        before = model.__getstate__()
        rb.trace(model, X6, Y6)
        assert sorted(before) == sorted(model.__getstate__())
        assert before.get("_learner") is None or np.array_equal(before["_learner"].weights, model._learner.weights)
    for source in (np.random.default_rng(3), np.random.RandomState(3)):
        model = rb.Perceptron(max_iter=3, random_state=source)
        first, again = rb.trace(model, X6, Y6), rb.trace(model, X6, Y6)
        assert first.steps == again.steps
        same_bits(first.coef_, fitted(model, X6, Y6).coef_)


def test_without_a_seed_the_trace_agrees_with_itself():
    for _ in range(5):
        told = rb.trace(rb.Perceptron(max_iter=5), X6, Y6)
        assert told.mistakes == [sum(s.mistakes for s in told if s.pass_number == p + 1) for p in range(told.n_iter)]
        assert told.verdict != "separated" or told.mistakes[-1] == 0


# ---- the worked traces of ALGORITHMS.md, section 5 ---------------------------------------------------------------


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", TRACES)
def test_worked_trace(name, exact):
    (rows, codes), fit_intercept, ties, moments, per_pass, end = TRACES[name]
    passes = 1 if name == "D" else 1000
    given = rb.Perceptron(shuffle=False, fit_intercept=fit_intercept, ties=ties, tol=None, max_iter=passes)
    told = rb.trace(given, rows, codes, exact=exact)

    def weights(step):
        return (*step.w, step.b) if fit_intercept else step.w

    seen = {(step.pass_number, step.row): weights(step) for step in told.updates()}
    assert {moment: seen[moment] for moment in moments} == moments
    assert set(seen) == set(moments) or name[0] in "AC"
    assert weights(told[-1]) == end
    assert told.n_updates == sum(told.mistakes) == total_of(name)
    assert {type(v) for step in told for v in (*weights(step), step.score, step.norm2)} == {int if exact else float}
    if per_pass is not None:
        assert [u for u, p in zip(told.mistakes, per_pass) if p is not None] == [p for p in per_pass if p is not None]
    assert told.verdict == ("no margin" if exact else "stopped") if name == "D" else "separated"


def test_scores_and_reasons_of_trace_a():
    told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), *FOUR_POINTS, exact=True)
    assert [step.score for step in told[:8]] == [0, 11, 3, -1, -1, 9, 6, -2]
    assert [step.why for step in told[:6]] == ["tie", "wrong sign", "", "", "wrong sign", "wrong sign"]
    assert [step.predicted for step in told[:3]] == [0, 1, 1]
    assert told[-1].pass_number == told.n_iter == 8
    assert told[-1].norm2 == 34


@pytest.mark.parametrize(
    ("data", "bias", "exact"),
    [(PHRASES, False, True), (PHRASES, True, True), (XOR, True, True), (XOR, True, False), (PHRASES, False, False)],
)
def test_weights_that_come_back_are_a_certificate(data, bias, exact):
    rows, codes = data
    told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=bias, max_iter=50), rows, codes, exact=exact)
    assert told.certificate == [1, 1, 1, 1]
    assert not any(combination(rows, codes, told.certificate, bias).values())
    assert told.verdict == "no margin"
    assert "no separator exists" in told.proved[-1]
    assert len(told) == told.revisit.last or not exact


def test_exact_numbers_are_written_as_decimals_on_request():
    X, y = [[1.4, -0.4], [0.4, 1.4], [0.1, 0.7]], [1, -1, 1]
    estimator = rb.Perceptron(shuffle=False, fit_intercept=False, eta0=0.5, max_iter=2)
    fractions, decimals = (rb.trace(estimator, X, y, exact=exact) for exact in (True, "decimals"))
    assert [(step.w, step.score, step.tau) for step in decimals] == [(s.w, s.score, s.tau) for s in fractions]
    assert "−0.2)" in str(decimals)
    assert "/" not in str(decimals)
    assert "7/10" in str(fractions)
    with pytest.raises(ValueError, match="exact must be True, False or 'decimals', got 'fraction'"):
        rb.trace(estimator, X, y, exact="fraction")


def test_a_separable_run_has_no_certificate():
    for data in (FOUR_POINTS, MOVIES, PAIRS):
        told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), *data, exact=True)
        assert (told.certificate, told.verdict) == (None, "separated")


# ---- exact numbers -----------------------------------------------------------------------------------------------


def test_exact_numbers_are_those_written():
    told = rb.trace(rb.Perceptron(eta0=0.1, shuffle=False), [[0.5], [-0.1]], ["a", "b"], exact=True)
    assert told[0].x == (Fraction(1, 2),)
    assert told[0].w == (Fraction(-1, 20),)
    assert told[1].x == (Fraction(-1, 10),)
    assert "−1/20" in str(told)
    assert isinstance(told.coef_[0, 0], (int, Fraction))
    third = Fraction(1, 3)
    told = rb.trace(rb.Perceptron(shuffle=False), [[third], [-third]], [0, 1], exact=True)
    assert told[0].w == (-third,)


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@given(
    problem=problems(classes=(2, 3), features=(2, 3), max_rows=6, kinds=("integers", "eighths"), dtypes=(np.float64,)),
    readout=st.sampled_from(["last", "averaged", "pocket"]),
    weighted=st.booleans(),
)
def test_nothing_is_rounded(rule, share, problem, readout, weighted):
    estimator = rb.OnlineClassifier(rule=rule, multiclass=share, readout=readout, max_iter=2, random_state=problem.seed)
    weight = problem.weight if weighted else None
    told = rb.trace(estimator, problem.X, problem.codes, exact=True, sample_weight=weight)
    numbers = [*told.coef_.ravel(), *told.intercept_]
    for step in told:
        w, b = (step.w, step.b) if isinstance(step.b, tuple) else ((step.w,), (step.b,))
        w0, b0 = (step.w_before, step.b_before) if isinstance(step.b, tuple) else ((step.w_before,), (step.b_before,))
        for c, a in enumerate(step.coef):
            assert w[c] == tuple(v + a * x for v, x in zip(w0[c], step.x))
            assert b[c] == b0[c] + a
        numbers += [v for ws in w for v in ws] + [*b, *step.coef, step.margin, step.norm2]
    assert {type(v) for v in numbers} <= {int, Fraction}
    assert not any(isinstance(v, Fraction) and v.denominator == 1 for v in numbers)
    if told.certificate is None and told.n_iter == 2:  # it may end earlier, and knows more
        near = rb.trace(estimator, problem.X, problem.codes, sample_weight=weight)
        if [s.updates for s in near] == [s.updates for s in told]:
            assert np.allclose(np.array(near[-1].w), np.array(told[-1].w, float))


@pytest.mark.parametrize("estimator", [
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(),
    rb.PassiveAggressiveClassifier(variant="PA-II"),
    rb.MIRA(),
], ids=str)  # fmt: skip
def test_numbers_of_any_length_are_told(estimator):
    estimator = copy.deepcopy(estimator).set_params(shuffle=False, max_iter=40)
    told = rb.trace(estimator, *XOR, exact=True)
    whole = told.to_json()
    huge = dataclasses.replace(told[-1], w=(10**5000, Fraction(-1, 10**5000)), b=Fraction(3**10000, 2**15849))
    told = dataclasses.replace(told, steps=(*told.steps, huge))
    assert max(map(len, str(told).splitlines())) <= ACROSS
    assert re.search("≈1e[+]5000, +≈−1e−5000", str(told))
    back = json.loads(told.to_json())
    assert back["steps"][-1]["w"] == ["≈1e+5000", "≈-1e-5000"]
    assert back["steps"][-1]["b"].startswith("≈1.")
    assert back["steps"][:-1] == json.loads(whole)["steps"]
    assert told[-1].w == (10**5000, Fraction(-1, 10**5000))


@pytest.mark.parametrize(
    ("square", "told"),
    [(18, "3√2"), (34, "√34"), (Fraction(1, 80), "1/(4√5)"), (Fraction(2, 23), "√(2/23)"), (Fraction(18, 25), "3√2/5"),
     (Fraction(50, 3), "5√(2/3)"), (Fraction(9, 50), "3/(5√2)"), (0, "0"), (36, "6"), (Fraction(1, 9), "1/3"),
     (10**401, "≈3.1623e+200"), (2.0, "1.4142")],
)  # fmt: skip
def test_roots_are_in_simplest_form(square, told):
    assert wording.root(square) == told


@given(st.integers(0, 10**9 - 1))
def test_no_square_is_left_below_a_root(n):
    a, m = wording._square_part(n)
    assert a * a * m == n
    assert all(m % (d * d) for d in range(2, min(m, 1000)) if d * d <= m)


def test_an_exact_regression():
    told = rb.trace(
        rb.PassiveAggressiveRegressor(shuffle=False, max_iter=1, variant="PA"), [[1], [2]], [0.3, 1], exact=True
    )
    assert told[0].tau == Fraction(1, 10)
    assert (told[0].w, told[0].b) == ((Fraction(1, 10),), Fraction(1, 10))
    assert told[0].why == "outside the tube"


def test_the_exact_run_ends_by_the_margin_test_too():
    X, y = [[1, 0], [1000, 1], [-1, 0]], [0, 1, 0]
    told = rb.trace(rb.Perceptron(shuffle=False, tol=0.5), X, y, exact=True)
    assert told.verdict == fitted(rb.Perceptron(shuffle=False, tol=0.5), X, y).verdict_ == "no margin"
    assert told.certificate is None
    assert "tol·R" in told.proved[0]


@given(problem=problems(classes=(2, 3), features=(2, 3), kinds=("integers",), max_rows=7), ties=choices["ties"])
def test_exact_and_native_verdicts_agree_on_integers(problem, ties):
    estimator = rb.Perceptron(ties=ties, shuffle=False, tol=None, max_iter=40)
    told = rb.trace(estimator, problem.X, problem.codes, exact=True)
    model = fitted(estimator, problem.X, problem.codes)
    if told.certificate is None:
        assert (told.verdict, told.mistakes) == (model.verdict_, model.mistakes_.tolist())
        assert np.array_equal(told.coef_.astype(float), model.coef_)
    else:
        assert ties == "predict" or model.verdict_ != "separated"
        assert told.verdict == "no margin" or ties == "predict"


# ---- certificates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("share", ["max", "uniform", "ovr"])
@given(problem=problems(classes=(2, 3), features=(1, 2), kinds=("integers",), max_rows=7, dtypes=(np.float64,)))
def test_certificates_hold(exact, share, problem):
    estimator = rb.Perceptron(multiclass=share, shuffle=False, tol=None, max_iter=30)
    told = rb.trace(estimator, problem.X, problem.codes, exact=exact)
    if told.certificate is None:
        return
    rows = [[int(v) for v in row] for row in problem.X]
    flat = [a for entry in told.certificate for a in (entry if isinstance(entry, list) else [entry])]
    assert min(flat) >= 0
    assert max(flat) > 0
    if share == "ovr" and problem.n_classes > 2:
        sums = [combination(rows, problem.codes == c, told.certificate, True) for c in range(problem.n_classes)]
        assert any(not any(total.values()) for total in sums)
    else:
        assert not any(combination(rows, problem.codes.tolist(), told.certificate, True).values())
    assert told.verdict != "separated"


def test_a_tampered_certificate_does_not_hold():
    rows, codes = XOR
    watch = Revisits(rows, codes, True, (0, 0, 0))
    assert watch.holds([1, 1, 1, 1])
    assert watch.holds([2, 2, 2, 2])
    for bad in ([1, 1, 1, 2], [0, 0, 0, 0], [-1, -1, -1, -1], [1, 1, 1]):
        assert not watch.holds(bad)
    for row, coef in ((0, -1), (1, 1), (2, 1), (3, -2)):  # a step that was not taken so
        watch.add(row, [coef])
    assert watch.look((0, 0, 0)) is None


def test_rounded_weights_that_come_back_prove_nothing():
    X, y = np.array([[1.0], [1e-30]]), [0, 1]
    told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False, max_iter=5, tol=None), X, y, coef_init=[[1e20]])
    assert any(step.moved and step.w == step.w_before for step in told)
    assert told.certificate is None


def test_a_row_of_zeros_is_its_own_certificate():
    told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), [[1, 0], [0, 0]], [0, 1], exact=True)
    assert told.certificate == [0, 1]


def test_predict_may_be_right_on_a_boundary_that_a_certificate_forbids():
    """λ on rows of the first class alone: they may all lie on the boundary, so the exact run goes on and separates."""
    X, y = [[1, 0], [-1, 0], [0, 1], [1, 0]], [0, 0, 1, 0]
    estimator = rb.Perceptron(ties="predict", fit_intercept=False, shuffle=False)
    told = rb.trace(estimator, X, y, exact=True, coef_init=[[1, 0]], sample_weight=[2, 2, 1, 1])
    assert told.certificate == [2, 2, 0, 0]
    assert told.verdict == "separated"
    assert "boundary" in " ".join(told.proved)


# ---- the convergence proof ---------------------------------------------------------------------------------------


def holds(told, slack=0):
    """Every inequality of the proof at every step."""
    for step in told:
        p = step.proof
        assert p.progress >= p.progress_floor - slack
        assert p.norm2_ceiling is None or p.norm2 <= p.norm2_ceiling + slack
        assert p.cosine_floor is None or p.cosine >= p.cosine_floor - 1e-12
        assert p.fall_floor is None or p.fall >= p.fall_floor - slack
    return told


PERCEPTRONS = [
    rb.Perceptron(),
    rb.Perceptron(eta0=0.1),
    rb.Perceptron(margin=0.5),
    rb.AveragedPerceptron(init="random"),
    rb.BatchPerceptron(),
    rb.BatchPerceptron(margin=1.0),
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=0.05),
    rb.PassiveAggressiveClassifier(variant="PA-II"),
    rb.MIRA(),
    rb.MIRA(C=0.05),
    rb.MIRA(variant="norm"),
]


@pytest.mark.parametrize("estimator", PERCEPTRONS, ids=lambda e: " ".join(repr(e).split()))
@settings(max_examples=10)
@given(problem=separable(bias=True, max_rows=6), weighted=st.booleans())
def test_the_proof_holds_at_every_step(estimator, problem, weighted):
    X, y, u, b = problem
    estimator = copy.deepcopy(estimator).set_params(max_iter=3, random_state=5)
    weight = np.arange(1, len(y) + 1) / 2 if weighted else None
    holds(rb.trace(estimator, X, y, separator=(u, b), sample_weight=weight), slack=1e-6 * (1 + abs(X).max()) ** 4)
    told = holds(rb.trace(estimator, X, y, exact=True, separator=(u, b), sample_weight=weight))
    gamma = min(y * (X @ u + b))
    assert all(step.proof.progress_floor >= 0 for step in told)
    if isinstance(estimator, rb.Perceptron) and not weighted and estimator.init == "zeros":
        R2 = (augmented(X, True) ** 2).sum(axis=1).max()
        bound = (R2 + 2 * estimator.margin / estimator.eta0) * (u @ u + b * b) / gamma**2
        assert told.n_updates <= bound + 1e-9
        assert ("Novikoff: " in str(told)) == (estimator.margin == 0)
        assert ("Margin perceptron: " in str(told)) == (estimator.margin > 0)
        if estimator.margin == 0:  # the angle form: cos ≥ γ√M/R
            M = 0
            for step in told:
                M += step.updates
                if step.proof.cosine is not None:
                    assert step.proof.cosine_floor == pytest.approx(gamma * np.sqrt(M / R2 / (u @ u + b * b)))


@pytest.mark.diagonal
@pytest.mark.parametrize("share", ["max", "uniform", "proportional"])
@pytest.mark.parametrize("kind", [rb.Perceptron, rb.PassiveAggressiveClassifier, rb.MIRA, rb.BatchPerceptron])
@settings(max_examples=8)
@given(problem=separable_classes(max_rows=6))
def test_the_proof_holds_for_several_classes(kind, share, problem):
    X, codes, U = problem
    estimator = kind(max_iter=3) if kind is rb.BatchPerceptron else kind(max_iter=3, random_state=5)
    if kind is rb.Perceptron:
        estimator.set_params(multiclass=share)
    told = holds(rb.trace(estimator, X, codes, exact=True, separator=U))
    assert told[-1].proof.progress == sum(int(u) * v for us, ws in zip(U.tolist(), told[-1].w) for u, v in zip(us, ws))


def test_the_distance_of_the_textbook():
    estimator = rb.Perceptron(shuffle=False, fit_intercept=False)
    told = rb.trace(estimator, *FOUR_POINTS, exact=True, separator=(-2, 1))
    assert [(s.proof.distance, s.proof.fall, s.proof.fall_floor) for s in told[:2]] == [(829, 16, 13), (794, 35, 13)]
    assert told[0].proof.progress == told[0].proof.progress_floor == 1
    assert "13 updates ≤ (R/γ)² = 65" in str(told)
    start = rb.trace(
        rb.Perceptron(shuffle=False, fit_intercept=False),
        *FOUR_POINTS,
        exact=True,
        separator=[-2, 1],
        coef_init=[[3, 1]],
    )
    assert "From this start" in str(start)
    holds(start)


class Found:
    w, b = np.array([-2.0, 1.0]), 0.0


def test_forms_of_a_separator():
    estimator = rb.Perceptron(shuffle=False)
    given = [(-2, 1), [-2, 1], ((-2, 1), 0), (np.array([-2, 1]), 0.0), np.array([[-2, 1]]), Found()]
    told = [rb.trace(estimator, *FOUR_POINTS, exact=True, separator=u).to_json() for u in given]
    assert len(set(told)) == 1
    series = pd.Series([-2, 1], index=["w", "b"])
    for u in (series, series.astype(float), (series, pd.Series([0])), pd.DataFrame([series]), [Fraction(-2), 1]):
        assert rb.trace(estimator, *FOUR_POINTS, exact=True, separator=u).to_json() == told[0]
    third = [Fraction(-2, 3), Fraction(1, 3)]
    assert rb.trace(estimator, *FOUR_POINTS, exact=True, separator=third)[0].proof.progress == Fraction(1, 3)
    model = fitted(rb.Perceptron(shuffle=False), *FOUR_POINTS)
    for u in (model, rb.separability(*FOUR_POINTS)):
        for exact in (False, True):
            holds(rb.trace(estimator, *FOUR_POINTS, exact=exact, separator=u), slack=1e-9)


def test_the_columns_of_the_proof_say_whether_they_hold_the_bias():
    for bias, w in ((False, "w"), (True, "v")):
        estimator = rb.Perceptron(shuffle=False, fit_intercept=bias)
        told = rb.trace(estimator, *FOUR_POINTS, exact=True, separator=(-2, 1))
        wanted = [f"u·{w}", f"‖{w}‖²", f"cos({w}, u)", f"‖{w} − αu‖²", "fell by"]
        assert list(told.table().headings[-5:]) == wanted
        text = " ".join(str(told).split())
        assert ("z = y·(x, 1)" in text) == ("v is (w, b)" in text) == bias
        assert f"to u·{w} and at most τ²R² to ‖{w}‖²" in text
        assert told[0].proof.norm2 == 10 + bias


def test_a_batch_speaks_of_passes():
    told = rb.trace(rb.BatchPerceptron(), *FOUR_POINTS, exact=True, separator=(-2, 1)).proved
    assert told[-2].startswith("Each pass moves by the sum of its rows' steps; with T the sum of their τ, it adds")
    assert told[-1].startswith("Each pass lowers")
    assert "update adds" not in " ".join(told)


def test_numbers_that_look_alike_are_compared_by_the_sign():
    long = Fraction(1, 3 * 10**9)
    assert wording.compare(long, "≥", long) == ("≈3.3333e−10", "=", "≈3.3333e−10")
    assert wording.compare(long + Fraction(1, 10**40), "≥", long)[1] == ">"
    assert wording.compare(long, "≤", long + Fraction(1, 10**40))[1] == "<"
    assert wording.compare(1, "≥", 1) == ("1", "≥", "1")
    u = (-0.8944271909999159, 0.4472135954999579)
    told = str(rb.trace(rb.Perceptron(shuffle=False), *FOUR_POINTS, exact=True, separator=u))
    assert not re.search(r"(≈\S+) [≥≤] +\1(?!\S)", told)


# ---- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "options", "kind", "telling"),
    [
        (rb.Perceptron, {}, TypeError, "write Perceptron()"),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            {},
            TypeError,
            "of this package, got LogisticRegression",
        ),
        (object(), {}, TypeError, "an estimator of this package, got object"),
        (rb.Perceptron(early_stopping=True), {}, ValueError, "early_stopping=True is not traced"),
        (rb.Perceptron(), {"max_steps": 3}, ValueError, "one pass over 4 rows would be more than the max_steps=3"),
        (rb.Perceptron(tol=None, max_iter=9, shuffle=False), {"max_steps": 30}, ValueError, "fewer passes"),
        (rb.Perceptron(shuffle=False, fit_intercept=False), {"max_steps": 30, "exact": True}, ValueError, "pass 8"),
        (rb.Perceptron(), {"max_steps": 0}, ValueError, "max_steps must be a whole number >= 1"),
        (rb.Perceptron(), {"separator": (2, 1)}, ValueError, "at row 1, of class 0, y·(u·x + b) is −7"),
        (rb.Perceptron(), {"separator": (2, 1, 0)}, ValueError, "must have 2 weights and 1 bias; got 3 weights and 1"),
        (rb.Perceptron(), {"separator": np.zeros((9, 9))}, ValueError, "got 9 × 9 weights and 1"),
        (rb.Perceptron(), {"separator": (np.nan, 1)}, ValueError, "of finite numbers, got tuple"),
        (rb.Perceptron(), {"separator": (np.inf, 1), "exact": True}, ValueError, "of finite numbers, got tuple"),
        (rb.Perceptron(), {"separator": [[1], [2, 3]]}, ValueError, "separator must"),
        (rb.Perceptron(), {"separator": rb.Perceptron()}, ValueError, "not fitted"),
        (rb.Perceptron(), {"separator": "u"}, ValueError, "separator must be weights w or a pair (w, b)"),
        (rb.Perceptron(fit_intercept=False), {"separator": ((-2, 1), 1)}, ValueError, "the estimator has none"),
        (rb.PassiveAggressiveRegressor(), {"separator": (2, 1)}, ValueError, "a regression has no separator"),
        (rb.Perceptron(eta0=-1), {}, ValueError, "eta0 must be"),
    ],
)
def test_refusals(estimator, options, kind, telling):
    with pytest.raises(kind) as caught:
        rb.trace(estimator, *FOUR_POINTS, **options)
    assert telling in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_against_the_rest_has_no_common_separator():
    with pytest.raises(ValueError, match="trace each class with y == label"):
        rb.trace(rb.Perceptron(multiclass="ovr"), X6, [0, 1, 2] * 2, separator=np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("X", "y", "telling"),
    [
        (FOUR_POINTS[1], FOUR_POINTS[0], "got 1 dimension, shape (4,); the order is trace(est, X, y)"),
        (FOUR_POINTS[0], [0, 1], "one label for each of the 4 rows of X, got 1 dimension, shape (2,)"),
        (FOUR_POINTS[0], FOUR_POINTS[0], "got 2 dimensions, shape (4, 2)"),
        ([1, 2], [0, 1], "X must be a table of rows and columns, got 1 dimension"),
        ([[1, 2], [3]], [0, 1], "rows have different lengths"),
        (np.zeros((2, 2, 2)), [0, 1], "got 3 dimensions"),
        (FOUR_POINTS[0], None, "got no array"),
    ],
)
def test_shapes_are_refused_in_one_sentence(X, y, telling):
    for estimator in (rb.Perceptron(), rb.PassiveAggressiveRegressor()):
        with pytest.raises(ValueError, match=re.escape(telling)) as caught:
            rb.trace(estimator, X, y)
        assert "\n" not in str(caught.value)


def test_bad_data_are_refused_as_fit_refuses_them():
    with pytest.raises(ValueError, match="row 1, column 0"):
        rb.trace(rb.Perceptron(), [[1.0], [np.nan]], [0, 1])
    with pytest.raises(ValueError, match="only one class"):
        rb.trace(rb.Perceptron(), [[1.0], [2.0]], [0, 0])


# ---- what is shown -----------------------------------------------------------------------------------------------


def phrases(pairs=False):
    names = ["good", "bad", "not", *(("not good", "not bad") if pairs else ())]
    rows, codes = PAIRS if pairs else PHRASES
    return pd.DataFrame(rows, columns=names), ["pos" if code else "neg" for code in codes]


def test_the_table_of_xor():
    told = rb.trace(rb.Perceptron(shuffle=False), XOR[0], [-1, 1, 1, -1], exact=True)
    assert str(told).splitlines()[2:8] == [
        "step  pass  row  x        y   s  why         τ  w        b  ‖(w, b)‖",
        "────────────────────────────────────────────────────────────────────",
        "   1     1    0  (0, 0)  −1   0  tie         1  (0, 0)  −1         1",
        "   2     1    1  (0, 1)   1  −1  wrong sign  1  (0, 1)   0         1",
        "   3     1    2  (1, 0)   1   0  tie         1  (1, 1)   1        √3",
        "   4     1    3  (1, 1)  −1   3  wrong sign  1  (0, 0)   0         0",
    ]
    assert repr(told) == str(told)


def test_names_stand_in_the_heading_or_beside_the_numbers():
    told = str(rb.trace(rb.Perceptron(shuffle=False), *phrases(), exact=True))
    assert "x (good, bad, not)" in told
    assert "y = +1 is pos" in told
    told = str(rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), *phrases(pairs=True), exact=True))
    assert "{good: 1, not: 1, not good: 1}" in told
    assert "w = {good: 1, bad: −1, not good: −2, not bad: 2}" in " ".join(told.split())
    assert "the best there is" in told
    many = str(rb.trace(rb.Perceptron(shuffle=False), np.eye(10)[:2], [0, 1]))
    assert "{#1: 1}" in many
    assert "… 94 more}" in str(rb.trace(rb.Perceptron(shuffle=False), np.eye(100) + 1, [0, 1] * 50)[:3])


def test_wide_rows_are_capped_and_wide_tables_folded():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 200))
    for told in (
        rb.trace(rb.Perceptron(max_iter=2, random_state=0), X, [0, 1] * 3),
        rb.trace(rb.Perceptron(max_iter=2, random_state=0), X, [0, 1, 2] * 2),
        rb.trace(rb.PassiveAggressiveClassifier(max_iter=2, shuffle=False), *FOUR_POINTS, True, separator=(-2, 1)),
    ):
        assert max(map(len, str(told).splitlines())) <= ACROSS
        assert str(told).count("  pass  ") == 1
    few = np.zeros((3, 50))
    few[0, :20], few[1, 40:], few[2, 45] = 1, 2, -3
    told = rb.trace(rb.Perceptron(shuffle=False, max_iter=1), few, [0, 1, 1])
    assert told.table().rows[1][8].startswith("{#40: 2, #41: 2")  # of many weights, those of the row
    name = "a very long name of a column, and longer still"
    told = rb.trace(rb.Perceptron(shuffle=False), pd.DataFrame(np.eye(2), columns=[name, "b"]), [0, 1])
    assert f"{{{name[:23]}…: 1}}" in str(told)
    assert f"w[{name}]" in told.to_frame()


def test_rules_between_passes_stay_in_slices():
    told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), *FOUR_POINTS)
    assert [set(told[part].table().breaks) for part in (slice(6), slice(3, 5), slice(4), slice(2, 13))] == [
        {4}, {1}, set(), {2, 6, 10},
    ]  # fmt: skip
    assert not told.updates().table().breaks  # two a pass at most
    assert not told[:0].table().breaks


def test_names_with_newlines_stay_on_their_line():
    X = pd.DataFrame([[1, 2], [3, -4]], columns=["a\nb", "c\td"])
    told = rb.trace(rb.Perceptron(shuffle=False), X, ["no\nway", "yes"])
    assert "x (a\\nb, c\\td)" in str(told)
    assert "no\\nway" in str(told)
    assert "\t" not in str(told)


def test_a_start_that_separates_already():
    start = {"coef_init": [[-6, 3]], "intercept_init": [1]}
    for exact, margin in ((False, "0.29488"), (True, "√(2/23) ≈ 0.29488")):
        told = rb.trace(rb.Perceptron(shuffle=False), *FOUR_POINTS, exact, **start)
        assert told.proved == [
            "Separated in pass 1 without an update: every row is right with w = (−6, 3), b = 1.",
            f"Its margin is {margin}.",
        ]


def test_the_title_says_where_the_weights_come_from():
    y = [0, 1, 2] * 2

    def title(estimator, **options):
        return rb.trace(estimator.set_params(max_iter=2), X6, y, **options).table().title.partition("rows, ")[2]

    assert title(rb.Perceptron()) == "from zero"
    assert title(rb.Perceptron(init="random")) == "from random weights"
    assert title(rb.Perceptron(init="random"), coef_init=np.ones((3, 3))) == "from given weights"
    warm = fitted(rb.Perceptron(warm_start=True, max_iter=1), X6, y)
    assert title(warm) == "from the last weights of the fit before"


def test_the_model_is_stated_at_the_end():
    run = {"shuffle": False, "max_iter": 2}
    told = rb.trace(rb.AveragedPerceptron(**run), *FOUR_POINTS, exact=True)
    w, b = told.coef_[0], told.intercept_[0]
    assert told.proved[-1] == f"The averaged weights, the model, are w = ({w[0]}, {w[1]}), b = {b}.".replace("-", "−")
    told = rb.trace(rb.PocketPerceptron(**run), *FOUR_POINTS)
    assert told.proved[-1].startswith("The weights in the pocket, the model, are w = (")
    told = rb.trace(rb.AveragedPerceptron(**run), X6, ["a", "b", "c"] * 2)
    assert told.proved[-1].startswith("The averaged weights, the model, are a: w = (")
    assert "; c: w = (" in told.proved[-1]
    for average in (False, True):
        told = rb.trace(rb.PassiveAggressiveRegressor(average=average, **run), X6, np.arange(6.0), exact=True)
        assert told.proved[0].startswith("Ended in pass 2 after ")
        assert " with w = (" in told.proved[0]
        assert "more than ε = 1/10 from their targets" in told.proved[0]
        assert len(told.proved) == 1 + average


def test_a_long_trace_is_abbreviated_in_its_middle():
    told = rb.trace(rb.Perceptron(tol=None, max_iter=25, shuffle=False), *XOR)
    assert len(told) == 100
    assert "… 40 more steps …" in str(told)
    assert "more steps" not in told.to_text()
    assert str(told[:5]).count("wrong sign") < 5
    assert len(told[:5]) == 5
    assert told[-1].number == 100
    assert [step.number for step in told][:3] == [1, 2, 3]


def test_forms_of_the_table():
    told = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), *FOUR_POINTS, exact=True, separator=(-2, 1))
    assert len(told.updates()) == told.n_updates == told.updates().n_updates == 13
    assert "| step | pass | row | x |" in told.to_markdown(limit=4)
    assert "$\\tau$" in told.to_latex(limit=4)
    assert "<table" in told._repr_html_()
    assert set(told.to_latex()) <= {*map(chr, range(32, 127)), "\n"}
    empty = told[:0]
    assert "Separated" in str(empty)
    assert "Novikoff: 13 updates ≤ (R/γ)² = 65." in str(told)


def test_show_prints_plain_text_where_there_is_no_terminal(capsys):
    told = rb.trace(rb.Perceptron(shuffle=False), *XOR, exact=True)
    told.show()
    assert capsys.readouterr().out == str(told) + "\n"


def test_every_form_of_learner_can_be_shown():
    X, y = X6, np.array(["a", "b", "c"] * 2)
    for estimator, target in [
        (rb.Perceptron(multiclass="ovr", max_iter=2), y),
        (rb.AveragedPerceptron(max_iter=2), y),
        (rb.PocketPerceptron(max_iter=2), Y6),
        (rb.PassiveAggressiveRegressor(), np.arange(6.0)),
        (rb.Perceptron(max_iter=2), np.arange(6) + np.arange(6) // 6),
        (rb.Perceptron(max_iter=2, multiclass="max"), np.arange(6) * 10),
    ]:
        for exact in (False, True):
            told = rb.trace(estimator, X, target, exact=exact)
            assert told.to_markdown()
            assert told.to_latex()
            assert told.to_html()
            frame = told.to_frame()
            assert len(frame) == len(told)
            assert frame["pass"].tolist() == [step.pass_number for step in told]


def test_json_round_trip():
    told = rb.trace(rb.Perceptron(eta0=0.5, shuffle=False), *phrases(), exact=True, sample_weight=[1, 1, 3, 1])
    back = json.loads(told.to_json())
    assert back["names"] == ["good", "bad", "not"]
    assert back["classes"] == ["neg", "pos"]
    assert len(back["steps"]) == len(told)
    for step, entry in zip(told, back["steps"]):
        assert [Fraction(v) for v in entry["w"]] == list(step.w)
        assert (entry["step"], entry["pass"], entry["row"]) == (step.number, step.pass_number, step.row)
        assert (entry["y"], entry["why"], entry["mistake"]) == (step.y, step.why, step.mistake)
    assert "1/2" in back["steps"][0]["w"]
    inf = json.loads(rb.trace(rb.Perceptron(max_iter=1, shuffle=False), X6, Y6).to_json())
    assert inf["margin_bounds"][0] is None


def test_frame_has_a_column_for_each_number():
    told = rb.trace(rb.Perceptron(shuffle=False), *phrases(), exact=True)
    frame = told.to_frame()
    assert frame["w[good]"].tolist() == [step.w[0] for step in told]
    assert frame["x[not]"].tolist() == [0, 0, 1, 1]
    assert frame.columns[:3].tolist() == ["step", "pass", "row"]
    proofs = rb.trace(rb.Perceptron(shuffle=False, fit_intercept=False), *FOUR_POINTS, separator=(-2, 1)).to_frame()
    assert {"progress", "progress_floor", "norm2_ceiling", "cosine", "distance", "fall"} <= set(proofs)
    several = rb.trace(rb.Perceptron(max_iter=1), X6, ["a", "b", "c"] * 2).to_frame()
    assert {"score[a]", "w[c, 2]", "b[b]", "w_before[c, 2]", "b_before[b]"} <= set(several)
    assert frame["w_before[good]"].tolist() == [step.w_before[0] for step in told]
    assert frame["b_before"].tolist() == [step.b_before for step in told]


# ---- decimals as by hand -----------------------------------------------------------------------------------------

#: In floats the fifth step scores 1.1102e−16, and the run goes another way than on paper.
BY_HAND = [[-1.8, -1.4], [-0.6, 0.3], [0.7, 0.7]], [1, -1, 1]


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ([], "Perceptron in exact numbers"),
        (["-a", "averaged"], "AveragedPerceptron in exact numbers"),
        (["-a", "kernel", "--kernel", "poly", "--gamma", "0.5"], "KernelPerceptron in exact numbers"),
        (["-a", "kernel", "--gamma", "0.5"], "KernelPerceptron in floating point"),
        (["-a", "pa1", "--last"], "PassiveAggressiveClassifier in floating point"),
    ],
    ids=str,
)
def test_the_command_computes_short_decimals_without_rounding(tmp_path, capsys, options, numbers):
    (tmp_path / "a.csv").write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for (a, b), y in zip(*BY_HAND)))
    arguments = ["trace", str(tmp_path / "a.csv"), "--no-intercept", "--passes", "2", *options]
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith(numbers)
    assert "e−1" not in out
    assert cli.main([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [step["x"] for step in told["steps"]][:3] == BY_HAND[0]
    if not options:
        assert told["steps"][4]["score"] == 0
        assert told["steps"][4]["why"] == "tie"


def test_decimals_that_are_long_or_whole_are_left_to_floats():
    for X in ([[1.0, 2.0], [3.0, 4.0]], [[1 / 3, 1.0], [2.0, 1.0]], np.full((1001, 2), 0.5)):
        run = rb.Perceptron().prepare(X, np.arange(len(X)) % 2)
        assert not has_short_decimals(run, np.asarray(X))
    for estimator in (rb.Perceptron(eta0=1 / 3), rb.Perceptron(init="random"), rb.MIRA(), rb.KernelPerceptron()):
        assert not has_short_decimals(estimator.prepare(*BY_HAND), np.array(BY_HAND[0]))
    assert has_short_decimals(rb.Perceptron(eta0=0.1, margin=0.25).prepare(*BY_HAND), np.array(BY_HAND[0]))


def test_a_bound_in_words_is_one():
    rng = np.random.default_rng(0)
    for _ in range(30):
        told = rb.trace(rb.Perceptron(max_iter=2, tol=None), rng.standard_normal((6, 2)), [0, 1] * 3)
        (shown,) = re.findall(r"margin above ([\d.]+\d)", " ".join(told.proved))
        assert told.margin_bounds[1] <= float(shown) <= 1.0001 * told.margin_bounds[1]
    assert [wording.above(v) for v in (0.123451, 0.5, 123456.7, 0.0)] == ["0.12346", "0.5", "1.2346e+05", "0"]


def test_floats_are_said_where_they_may_have_been_rounded():
    assert "in floating point" in str(rb.trace(rb.Perceptron(max_iter=2), *BY_HAND))
    assert "in floating point" in str(rb.trace(rb.MIRA(max_iter=2), *FOUR_POINTS))
    assert "floating" not in str(rb.trace(rb.Perceptron(), *FOUR_POINTS))
    assert "floating" not in str(rb.trace(rb.Perceptron(max_iter=2), *BY_HAND, exact="decimals"))


# ---- text and many columns ---------------------------------------------------------------------------------------

TEXTS, MOODS = ["good film", "bad film", "not a good film", "not a bad film", "good good fun"], [1, 0, 0, 1, 1]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    "learner", [rb.AveragedPerceptron(random_state=0), rb.MIRA(random_state=0, max_iter=3)], ids=str
)
def test_hashed_text_is_traced_by_its_words_to_the_bit(learner, exact):
    pipeline = make_pipeline(rb.text.HashedText(), learner)
    told = rb.trace(pipeline, TEXTS, MOODS, exact)
    assert {"good", "film", "bad film"} <= set(told.setting.names)
    assert "{good: " in str(told)
    assert "#" not in str(told)
    assert not hasattr(learner, "coef_")
    if not exact:
        fit = fitted(pipeline, TEXTS, MOODS)[-1]
        same_bits(told.coef_, fit.coef_)
        same_bits(told.intercept_, fit.intercept_)
        hashed = rb.trace(learner, rb.text.HashedText().fit_transform(TEXTS), MOODS)
        same_bits(hashed.coef_, fit.coef_)
        assert set(hashed.setting.names) == {"", *(f"#{column}" for column in np.flatnonzero(fit.coef_[0]))}


def test_words_of_one_column_are_all_named():
    told = rb.trace(make_pipeline(rb.text.HashedText(bits=2), rb.Perceptron()), TEXTS, MOODS)
    assert any(" | " in name for name in told.setting.names)


def test_a_pipeline_is_traced_as_it_is_fitted():
    frame = pd.DataFrame(FOUR_POINTS[0], columns=["a", "b"])
    pipeline = make_pipeline(StandardScaler(), rb.Perceptron(shuffle=False))
    told = rb.trace(pipeline, frame, FOUR_POINTS[1])
    assert told.setting.names == ["a", "b"]
    same_bits(told.coef_, fitted(pipeline, frame, FOUR_POINTS[1])[-1].coef_)
    assert rb.trace(make_pipeline("passthrough", rb.Perceptron(shuffle=False)), *FOUR_POINTS).n_updates


def test_what_is_too_wide_to_show_is_refused():
    wide = sp.csr_array(([1.0, 2.0], ([0, 1], [5, 2**22 - 1])), shape=(8, 2**22))
    assert rb.trace(rb.Perceptron(shuffle=False), wide, [0, 1] * 4).coef_.shape == (1, 2**22)
    for estimator, options in ((rb.Perceptron(init="random"), {}), (rb.Perceptron(), {"separator": np.zeros(2**22)})):
        with pytest.raises(ValueError, match="8 × 4,194,304 are too many"):
            rb.trace(estimator, wide, [0, 1] * 4, **options)


def test_names_that_are_numbers_are_told_from_numbers():
    frame = pd.DataFrame([[1, 2], [3, -1], [0, 1]], columns=["2019", "2020"])
    told = str(rb.trace(rb.Perceptron(shuffle=False, max_iter=2), frame, [0, 1, 2]))
    assert 'x ("2019", "2020")' in told
    assert "class 0 ( 1,  2)  class 1 (−1, −2)" in told


def test_columns_can_be_named_without_a_data_frame():
    trace = rb.trace(rb.Perceptron(shuffle=False), [[1, 0], [0, 1]], [1, -1], exact=True, feature_names=["good", "bad"])
    assert trace.setting.names == ["good", "bad"]
    for wrong in (["good"], "ab"):
        with pytest.raises(ValueError, match="feature_names must be 2 names, one for each column; got"):
            rb.trace(rb.Perceptron(), [[1, 0], [0, 1]], [1, -1], feature_names=wrong)
