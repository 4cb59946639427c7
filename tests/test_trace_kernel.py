"""The trace in kernel space: the run that fit makes, exact on whole numbers, and the linear trace where K = x·x'."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_twin import KERNELS, SMOOTH, laplacian, problems, table, whole
from problems import few, for_classes, separable, separable_classes
from problems import problems as linear_problems
from test_native_equals_reference import LEARNERS
from test_reference import FOUR_POINTS, XOR
from test_trace import fitted, holds

import rosenblatt as rb
from rosenblatt.core import rules
from rosenblatt.theory.certificates import combination
from rosenblatt.tracing.gram import Gram
from rosenblatt.tracing.tabular import ACROSS

SIGNS = [-1, 1, 1, -1]
READOUTS = ("last", "averaged", "voted", "pocket")
CONIC = {"kernel": "poly", "degree": 2, "gamma": 1.0}


def conic(**options):
    """(x·x' + 1)²."""
    return rb.KernelPerceptron(**CONIC, fit_intercept=False, shuffle=False, **options)


def delicate(told, rule):
    """Whether some score lies within rounding of where the rule decides."""
    edges = {0, getattr(rule, "margin", 1), getattr(rule, "beta", 1), 1}
    for step in told:
        s = np.ravel(step.score)
        gaps = np.abs(s) if told.setting.form != "multiclass" else np.abs(s[:, None] - s[None, :])
        if any(np.any(np.abs(gaps - edge) < 1e-9) for edge in edges):
            return True
    return False


def same_as_fit(estimator, X, y, **options):
    told, model = rb.trace(estimator, X, y, **options), fitted(estimator, X, y, **options)
    assert (told.n_iter, told.n_updates, told.verdict) == (model.n_iter_, model.n_updates_, model.verdict_)
    assert told.margin_bounds == model.margin_bounds_
    if "within rounding" in told.proved[-1]:
        assert delicate(told, estimator.spec().rule)
        return None
    assert told.proved[-1].startswith("The mistakes and updates are those of fit")
    assert told.n_updates == sum(step.updates for step in told)
    assert told.mistakes == model.mistakes_.tolist()
    assert told.support_.tolist() == model.support_.tolist()
    if estimator.readout == "pocket" and not np.allclose(told.dual_coef_, model.dual_coef_, rtol=1e-9, atol=1e-9):
        assert delicate(told, estimator.spec().rule)  # a step of rounding alone ends a run of right answers
        return None
    np.testing.assert_allclose(told.dual_coef_, model.dual_coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(told.intercept_, model.intercept_, rtol=1e-9, atol=1e-9)
    assert told.dual_coef_.dtype == model.dual_coef_.dtype
    assert str(told)
    json.loads(told.to_json())
    return told


# ---- the run is the one that fit makes ---------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@few
@given(
    problem=problems(),
    kernel=st.sampled_from(SMOOTH),
    readout=st.sampled_from(READOUTS),
    ties=st.sampled_from(("mistake", "predict")),
    bias=st.booleans(),
    weighted=st.booleans(),
    shuffle=st.booleans(),
    block_size=st.sampled_from((1, 3, 256)),
)
def test_the_run_is_that_of_fit(rule, share, problem, kernel, readout, bias, weighted, **options):
    X, _, codes, weight, seed = problem
    estimator = rb.KernelPerceptron(
        **KERNELS[kernel][0], rule=for_classes(rule, len(np.unique(codes))), multiclass=share, readout=readout,
        fit_intercept=bias, random_state=seed,
        max_iter=3, **options,
    )  # fmt: skip
    rows = table(kernel, X, X) if kernel == "precomputed" else X
    told = same_as_fit(estimator, rows, codes, sample_weight=weight if weighted else None)
    if told is None:
        return
    K = table(kernel, X, X, bias)
    for before, after in pairwise(told):
        assert before.alpha == after.alpha_before
    for step in told:
        before = np.atleast_2d(step.alpha_before)
        np.testing.assert_allclose(np.ravel(step.score), before @ K[:, step.row], rtol=1e-9, atol=1e-9)
        after = np.atleast_2d(step.alpha)
        np.testing.assert_allclose(step.norm2, np.sum(after * (after @ K)), rtol=1e-7, atol=1e-7)
        assert step.why or not (step.mistake or step.moved)


@pytest.mark.parametrize("container", [sp.csr_array, pd.DataFrame, np.float32, list], ids=str)
def test_containers(container):
    X = np.array([[1.0, 2, 0], [2, 1, 1], [0, 1, -1], [-1, -2, 1], [-2, -1, 0], [-1, 0, -2]])
    y = ["no", "no", "yes", "yes", "no", "yes"]
    X = X.astype(np.float32) if container is np.float32 else X.tolist() if container is list else container(X)
    estimator = rb.KernelPerceptron(kernel="poly", degree=2, max_iter=4, random_state=1, class_weight={"no": 2})
    assert same_as_fit(estimator, X, y) is not None
    rb.trace(estimator, X, y, exact=True)


def test_a_run_that_rounds_otherwise_is_told(monkeypatch):
    """Kernel values that differ from those of fit stand for scores within rounding of 0."""
    true = Gram.column
    monkeypatch.setattr(Gram, "column", lambda gram, j: [v * (1 + (j == 1)) for v in true(gram, j)])
    told = rb.trace(conic(), XOR[0], SIGNS)
    assert told.proved[-1].startswith("Some score lies within rounding of where the rule decides, and fit, which adds")
    assert "decided otherwise there: it made 21 mistakes and 21 updates, this trace" in told.proved[-1]
    assert (told.verdict, told.n_updates) == ("separated", 21)


def test_coefficients_that_differ_are_told_too(monkeypatch):
    true = Gram.column
    for factor, telling in ((1, "The mistakes and updates are those of fit"), (1 + 1e-5, "Some score lies within")):
        monkeypatch.setattr(Gram, "column", lambda gram, j, by=factor: [v * by for v in true(gram, j)])
        told = rb.trace(conic(rule=rules.PA(), max_iter=2), XOR[0], SIGNS)
        assert told.proved[-1].startswith(telling)


# ---- exact numbers -----------------------------------------------------------------------------------------------

EXACT = [(rules.Perceptron(), "max"), (rules.Perceptron(margin=3.0), "ovr"), (rules.Perceptron(eta0=0.5), "ovr")]


@pytest.mark.diagonal
@pytest.mark.parametrize(("rule", "share"), EXACT, ids=str)
@pytest.mark.parametrize("readout", READOUTS)
@settings(max_examples=10)
@given(
    problem=whole, kernel=st.sampled_from(("linear", "square", "precomputed", "function")), bias=st.booleans(),
    ties=st.sampled_from(("mistake", "predict")), weighted=st.booleans(),
)  # fmt: skip
def test_on_whole_numbers_floats_are_exact(rule, share, readout, problem, kernel, bias, weighted, **options):
    X, _, codes, weight, seed = problem
    chosen = {"function": lambda A, B: (A @ B.T + 1) ** 2, "square": "poly"}.get(kernel, kernel)
    estimator = rb.KernelPerceptron(
        kernel=chosen, gamma=1.0, degree=2, rule=rule, multiclass=share, readout=readout, fit_intercept=bias,
        random_state=seed, max_iter=3, tol=None, **options,
    )  # fmt: skip
    rows = (X @ X.T + 1) ** 2 if kernel == "precomputed" else X
    weight = {"sample_weight": weight} if weighted else {}
    near, told = rb.trace(estimator, rows, codes, **weight), rb.trace(estimator, rows, codes, exact=True, **weight)
    assert len(told) == len(near) or told.certificate is not None
    for a, b in zip(near, told):
        assert (a.row, a.score, a.tau, a.alpha, a.why) == (b.row, b.score, b.tau, b.alpha, b.why)
        assert (a.norm2, a.mistakes, a.n_support) == (b.norm2, b.mistakes, b.n_support)
        numbers = [*np.ravel(np.array([b.score, b.tau, b.norm2], dtype=object)[:1].tolist()), b.norm2]
        assert not {float, np.float64} & {type(v) for v in numbers}
    if told.certificate is None:
        model = fitted(estimator, rows, codes, **weight)
        assert told.support_.tolist() == model.support_.tolist()
        np.testing.assert_allclose(told.dual_coef_.astype(float), model.dual_coef_, rtol=1e-12)
        assert (told.verdict, told.mistakes) == (model.verdict_, model.mistakes_.tolist())
        # a norm that is tracked is rounded up by a little
        np.testing.assert_allclose(told.margin_bounds, model.margin_bounds_, rtol=1e-6, atol=1e-6)


few_rows = linear_problems(classes=(2, 3, 4), features=(1, 2, 3), kinds=("integers",), dtypes=(float,), max_rows=6)


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@few
@given(problem=few_rows, bias=st.booleans(), ties=st.sampled_from(("mistake", "predict")))
def test_the_linear_kernel_is_the_linear_trace(rule, share, problem, bias, ties):
    X, codes, seed = problem.X, problem.codes, problem.seed
    options = {
        "rule": for_classes(rule, len(np.unique(codes))), "multiclass": share, "ties": ties, "fit_intercept": bias,
        "max_iter": 2, "random_state": seed,
    }  # fmt: skip
    dual = rb.trace(rb.KernelPerceptron(kernel="linear", **options), X, codes, exact=True)
    primal = rb.trace(rb.OnlineClassifier(**options), X, codes, exact=True)
    assert (dual.verdict, dual.mistakes, dual.n_updates) == (primal.verdict, primal.mistakes, primal.n_updates)
    assert dual.margin_bounds == primal.margin_bounds
    assert dual.revisit == primal.revisit
    for a, b in zip(dual, primal, strict=True):
        for name in ("row", "score", "predicted", "margin", "mistakes", "why", "tau", "coef", "updates", "norm2"):
            assert getattr(a, name) == getattr(b, name)
        w = np.array(a.alpha, object).reshape(-1, len(X)) @ X.astype(int)
        assert w.ravel().tolist() == np.ravel(np.array(b.w, object)).tolist()


def test_gamma_scale_is_a_fraction():
    X = [[1, 0], [0, 3], [7, 7]]  # the last row has no weight
    told = rb.trace(
        rb.KernelPerceptron(kernel="poly", degree=1, coef0=0, fit_intercept=False, shuffle=False, max_iter=1),
        X, [0, 1, 1], exact=True, sample_weight=[1, 1, 0],
    )  # fmt: skip
    assert told.setting.kernel == "K(x, x') = 1/3·x·x'"
    assert told[0].norm2 == Fraction(1, 3)
    auto = rb.trace(rb.KernelPerceptron(kernel="poly", gamma="auto", max_iter=1), X, [0, 1, 1], exact=True)
    assert auto.setting.kernel == "K(x, x') = (1/2·x·x' + 1)³ + 1"


# ---- certificates ------------------------------------------------------------------------------------------------


def test_weights_that_come_back_in_kernel_space():
    told = rb.trace(rb.VotedPerceptron(shuffle=False), XOR[0], SIGNS, exact=True)
    assert (told.verdict, told.certificate, len(told)) == ("no margin", [1, 1, 1, 1], 4)
    assert told[-1].norm2 == 0
    assert "Σ λ·y·φ(x) = 0, verified exactly. So no separator exists" in told.proved[1]
    assert "again those before the first step. The steps" in told.proved[1]
    assert rb.trace(conic(), XOR[0], SIGNS, exact=True).certificate is None
    twice = rb.trace(conic(), [[1, 2], [0, 1], [1, 2]], [0, 1, 1], exact=True)
    assert (twice.verdict, twice.certificate[1]) == ("no margin", 0)
    assert twice.certificate[0] == twice.certificate[2] > 0


@pytest.mark.parametrize("share", ["max", "ovr"])
@given(problem=problems(kinds=("integers",), repeats=True, classes=(2, 3)))
def test_certificates_hold_in_kernel_space(share, problem):
    X, _, codes, _, _ = problem
    told = rb.trace(conic(multiclass=share, tol=None, max_iter=20), X, codes, exact=True)
    if told.certificate is None:
        return
    K = [[int(v) for v in row] for row in (X @ X.T + 1) ** 2]
    if share == "ovr" and max(codes) > 1:
        assert any(not any(combination(K, codes == c, told.certificate, False).values()) for c in range(3))
    else:
        assert not any(combination(K, codes.tolist(), told.certificate, False).values())


# ---- votes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", ["max", "ovr"])
@pytest.mark.parametrize("k", [2, 3])
@settings(max_examples=10)
@given(seed=st.integers(0, 2**31))
def test_the_votes_are_those_of_the_weights_that_survived(share, k, seed):
    rng = np.random.default_rng(seed)
    X, codes = rng.integers(-3, 4, (9, 2)).astype(float), np.concatenate((np.arange(k), rng.integers(0, k, 9 - k)))
    estimator = rb.VotedPerceptron(**CONIC, multiclass=share, max_iter=3, tol=None, random_state=seed)
    told, model = rb.trace(estimator, X, codes), fitted(estimator, X, codes)
    K = (X @ X.T + 1) ** 2 + 1
    votes = np.zeros((9, 1 if k == 2 else k))
    for c in range(votes.shape[1]):
        several = share == "max" and k > 2
        survived = told.survived[c] if share == "ovr" and k > 2 else told.survived
        moved = [step for step in told if (any(step.coef) if several or k == 2 else step.coef[c])]
        assert len(survived) == 1 + len(moved)
        assert sum(survived) == len(told)
        for count, alpha in zip(survived, [np.zeros_like(told[0].alpha), *(step.alpha for step in moved)]):
            scores = K @ np.atleast_2d(alpha).T
            votes[:, c] += count * (scores.argmax(axis=1) == c if several else np.where(scores[:, c] > 0, 1, -1))
    np.testing.assert_array_equal(np.reshape(model.decision_function(X), votes.shape), votes)


def test_the_model_is_stated_at_the_end():
    X, y = XOR[0], SIGNS
    told = rb.trace(conic(readout="voted", max_iter=1), X, y, exact=True).proved[-1]
    assert told == (
        "The model is the vote of 5 weight vectors, zero the first, each with the number of examples that it survived: "
        "c = (0, 1, 1, 1, 1)."
    )
    told = rb.trace(conic(readout="voted"), X, y, exact=True).proved[-1]
    assert told.endswith("survived: c = (0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, … 10 more).")
    told = rb.trace(conic(readout="averaged", max_iter=1), X, y, exact=True).proved[-1]
    assert told == "The averaged weights, the model, are α = (−1, 3/4, 1/2, −1/4)."
    told = rb.trace(conic(readout="pocket"), X, y, exact=True).proved[-1]
    assert told == "The weights in the pocket, the model, are α = (−7, 5, 5, −4)."
    told = rb.trace(conic(readout="voted", multiclass="ovr", max_iter=1), X, ["a", "b", "c", "a"]).proved[-2]
    assert told.startswith("The model is for each class the vote of its weight vectors, zero the first")
    assert "; a: c = (0, " in told


# ---- the convergence proof ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule", [rules.Perceptron(), rules.Perceptron(margin=2), rules.PA(), rules.PA1(C=0.1)], ids=str
)
@settings(max_examples=10)
@given(problem=separable(bias=True, max_rows=6), bias=st.booleans())
def test_the_proof_is_that_of_linear_space(rule, problem, bias):
    X, y, _, _ = problem
    options = {"rule": rule, "fit_intercept": bias, "max_iter": 3, "shuffle": False}
    primal = rb.trace(rb.OnlineClassifier(**(options | {"max_iter": 1000, "rule": None})), X, y, exact=True)
    if primal.verdict != "separated":
        return
    u = fitted(rb.KernelPerceptron(kernel="linear", **(options | {"max_iter": 1000, "rule": None})), X, y)
    dual = holds(rb.trace(rb.KernelPerceptron(kernel="linear", **options), X, y, exact=True, separator=u))
    primal = rb.trace(rb.OnlineClassifier(**options), X, y, exact=True, separator=primal)
    assert [step.proof for step in dual] == [step.proof for step in primal]
    near = rb.trace(rb.KernelPerceptron(kernel="linear", **options), X, y, separator=u)
    holds(near, slack=1e-6 * (1 + abs(X).max()) ** 4)


@settings(max_examples=8)
@given(problem=separable_classes(max_rows=6))
def test_the_proof_holds_for_several_classes(problem):
    X, codes, _ = problem
    estimator = rb.KernelPerceptron(**CONIC, shuffle=False)
    u = fitted(estimator, X, codes)
    told = holds(rb.trace(estimator.set_params(max_iter=3), X, codes, exact=True, separator=u))
    assert "z = φ(x) of the right class and −φ(x) of a wrong one" in " ".join(told.proved)


def test_the_columns_of_the_proof():
    told = rb.trace(conic(), XOR[0], SIGNS, exact=True, separator=[-7, 5, 5, -4])
    assert list(told.table().headings[-7:]) == ["α", "support", "u·w", "‖w‖²", "cos(w, u)", "‖w − ρu‖²", "fell by"]
    assert list(told.table().rows[3][-5:]) == [" 8 ≥  4", " 2 ≤  36", "0.906 ≥ 0.107", "3017", "59 ≥ 9"]
    assert told.proved[2:] == [
        "The separator u has min u·z = 1 for z = y·φ(x), so its margin is γ = 1/√39 ≈ 0.16013; R² = max‖z‖² = 9.",
        "Each update adds at least τ·min u·z to u·w and at most τ²R² to ‖w‖²: in the end u·(w − w₀) = 39 ≥ 21 and "
        "‖w‖² = 39 ≤ 189, so cos(w, u) = 1.000 ≥ 0.245.",
        "Each update lowers ‖w − ρu‖², ρ = 9, by at least τ²R²: it fell from 3159 to 2496.",
        "Novikoff: 21 updates ≤ (R/γ)² = 351.",
    ]


# ---- the bound on mistakes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [None, rules.Perceptron(margin=2), rules.PA(), rules.PA1(C=0.1), rules.PA2()], ids=str)
@settings(max_examples=15)
@given(problem=separable(bias=True), bias=st.booleans())
def test_the_mistake_bound_is_that_of_linear_space(rule, problem, bias):
    X, y, _, _ = problem
    options = {"rule": rule, "fit_intercept": bias, "random_state": 0, "max_iter": 50}
    dual = fitted(rb.KernelPerceptron(kernel="linear", **options), X, y)
    primal = fitted(rb.OnlineClassifier(**options), X, y)
    u = np.random.default_rng(len(X)).integers(-2, 3, len(X)) + 0.5 * y
    for w, (v, b) in ((dual, (dual.coef_, dual.intercept_)), (u, (u @ X, u.sum() * bias))):
        if not (np.any(v) or np.any(b)):
            continue  # rows that cancel: zero weights have no margin, and are refused
        for gamma in (None, "best", 0.5):
            separates = np.all(y * (X @ np.ravel(v) + b) > 0)
            if not (separates and gamma is None) and rule is not None:  # Freund and Schapire's is the perceptron's
                continue
            expected = rb.mistake_bound(X, y, v, b, gamma=gamma, estimator=primal)
            found = rb.mistake_bound(X, y, w, gamma=gamma, estimator=dual)
            assert found.theorem == expected.theorem
            assert float(found) == pytest.approx(float(expected), rel=1e-9)
            assert (found.R, found.gamma, found.D) == pytest.approx((expected.R, expected.gamma, expected.D), rel=1e-9)
            assert found.mistakes <= found.bound * (1 + 1e-9)
            assert "φ(x)" in str(found)
            assert "(x, 1)" not in str(found)


def test_the_mistake_bound_of_xor():
    model = conic().fit(XOR[0], SIGNS)
    for found in (rb.mistake_bound(XOR[0], SIGNS, model, estimator=model), rb.mistake_bound(XOR[0], SIGNS, model)):
        assert float(found) == pytest.approx(351)
        assert found.R == 3
    assert rb.mistake_bound(XOR[0], SIGNS, [-7, 5, 5, -4], estimator=model).mistakes == 21
    codes = [0, 1, 2, 0]
    several = conic().fit(XOR[0], codes)
    assert several.n_updates_ <= float(rb.mistake_bound(XOR[0], codes, several, estimator=several))
    K = (np.array(XOR[0]) @ np.array(XOR[0]).T + 1) ** 2
    given_values = rb.KernelPerceptron(kernel="precomputed", fit_intercept=False, shuffle=False).fit(K, SIGNS)
    for values in (K, sp.csr_array(K)):
        assert float(rb.mistake_bound(values, SIGNS, given_values)) == pytest.approx(351)
    assert float(rb.mistake_bound(sp.csr_array(np.array(XOR[0])), SIGNS, model)) == pytest.approx(351)


def test_bad_input_of_the_mistake_bound():
    model = conic().fit(XOR[0], SIGNS)

    def refused(telling, *arguments, **options):
        with pytest.raises(ValueError) as caught:
            rb.mistake_bound(*arguments, **options)
        assert telling in str(caught.value)
        assert "\n" not in str(caught.value)

    refused("must have the shape (4,)", XOR[0], SIGNS, [1, 2], estimator=model)
    refused("a run begins at zero", XOR[0], SIGNS, [1, 2, 3, 4], w0=[1, 2], estimator=model)
    refused("K has the bias", XOR[0], SIGNS, [1, 2, 3, 4], 1, estimator=model)
    refused("has no margin", XOR[0], SIGNS, [0, 0, 0, 0], estimator=model)
    refused("got Perceptron", XOR[0], SIGNS, fitted(rb.Perceptron(max_iter=1), XOR[0], SIGNS), estimator=model)
    refused("not fitted", XOR[0], SIGNS, conic())
    weighted = conic().fit(XOR[0], SIGNS, sample_weight=[1, 2, 1, 1])
    refused("fitted with sample or class weights", XOR[0], SIGNS, model, estimator=weighted)


# ---- bad input ---------------------------------------------------------------------------------------------------


def euclid(A, B):
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


@pytest.mark.parametrize(
    ("options", "asked", "telling"),
    [
        ({"kernel": "rbf"}, {"exact": True}, "kernel='rbf' has values that are no fractions: trace it with exact="),
        ({"kernel": "sigmoid"}, {"exact": True}, "kernel='sigmoid' has values that are no fractions"),
        ({"kernel": "poly", "degree": 2.5}, {"exact": True}, "kernel='poly' with degree=2.5 has values that are no"),
        ({"kernel": laplacian}, {"exact": True}, "does not compute with fractions (it raised TypeError"),
        ({"kernel": euclid}, {"exact": True}, "does not compute with fractions (it raised TypeError"),
        ({"kernel": lambda A, B: (A @ B.T) * 0.5}, {"exact": True}, "(it returned 0.0 for blocks of Python's Fra"),
        ({"kernel": lambda A, B: A @ B.T @ B}, {}, "kernel function returned shape (4, 2)"),
        ({"early_stopping": True}, {}, "early_stopping=True is not traced"),
        ({}, {"coef_init": [[1, 2]]}, "a run begins with no examples: leave coef_init"),
        ({}, {"max_steps": 3}, "one pass over 4 rows would be more than the max_steps=3"),
        ({}, {"separator": [1, 2]}, "must have 4 coefficients, one for each row; got 2"),
        ({}, {"separator": ([-7, 5, 5, -4], 1)}, "a separator has no bias"),
        ({}, {"separator": [1, np.nan, 0, 0]}, "must be coefficients of the 4 rows, all finite numbers"),
        ({}, {"separator": [1, 1, 1, 1]}, "at row 0, of class −1, y·u·φ(x) is −4, and must be above 0"),
        ({}, {"separator": rb.Perceptron()}, "or a model fitted on them in kernel space; got Perceptron"),
        ({}, {"separator": rb.KernelPerceptron()}, "not fitted"),
        ({"gamma": -1}, {}, "gamma must be"),
    ],
)  # fmt: skip
def test_refusals(options, asked, telling):
    estimator = rb.KernelPerceptron(**({**CONIC, "fit_intercept": False, "shuffle": False} | options))
    with pytest.raises(ValueError) as caught:
        rb.trace(estimator, XOR[0], SIGNS, **asked)
    assert telling in str(caught.value).replace("-1", "−1")
    assert "\n" not in str(caught.value)
    assert not hasattr(estimator, "_learner")


def test_a_separator_fitted_on_other_rows_is_refused():
    other = fitted(rb.KernelPerceptron(max_iter=1, shuffle=False), np.eye(9), [0, 1, 0] * 3)
    with pytest.raises(ValueError, match="fitted on other rows: it keeps row 8, but there are 4"):
        rb.trace(conic(), XOR[0], SIGNS, separator=other)


def test_the_estimator_and_its_generator_are_left_alone():
    source = np.random.default_rng(3)
    model = fitted(conic(), XOR[0], SIGNS).set_params(shuffle=True, random_state=source)
    before = model.dual_coef_
    assert rb.trace(model, XOR[0], SIGNS).steps == rb.trace(model, XOR[0], SIGNS).steps
    np.testing.assert_array_equal(before, model.dual_coef_)


# ---- what is shown -----------------------------------------------------------------------------------------------

XOR_TABLE = """\
KernelPerceptron in exact numbers: 4 rows, K(x, x') = (x·x' + 1)², from zero

step  pass  row  x        y   s  why         τ  α               support  ‖w‖
────────────────────────────────────────────────────────────────────────────
   1     1    0  (0, 0)  −1   0  tie         1  (−1, 0, 0,  0)        1    1
   2     1    1  (0, 1)   1  −1  wrong sign  1  (−1, 1, 0,  0)        2   √3
   3     1    2  (1, 0)   1   0  tie         1  (−1, 1, 1,  0)        3   √7
   4     1    3  (1, 1)  −1   7  wrong sign  1  (−1, 1, 1, −1)        4   √2
┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈
   5     2    0  (0, 0)  −1   0  tie         1  (−2, 1, 1, −1)        4   √3

Separated in pass 8 after 21 updates: every row is right with α = (−7, 5, 5, −4).

Its margin is 1/√39 ≈ 0.16013, and no separator can have a margin above √(13/3)/7 ≈ 0.29738."""


def test_the_table_of_xor():
    told = rb.trace(conic(), XOR[0], SIGNS, exact=True)
    assert str(told[:5]) == XOR_TABLE
    assert told[3].coef == (-1,)
    assert (told[3].alpha_before, told[3].alpha, told[3].w, told[3].b) == ((-1, 1, 1, 0), (-1, 1, 1, -1), None, None)
    assert told.coef_ is None


@pytest.mark.parametrize(
    ("options", "formula"),
    [
        ({"kernel": "linear"}, "K(x, x') = x·x' + 1"),
        ({"kernel": "rbf", "gamma": 0.5, "fit_intercept": False}, "K(x, x') = exp(−0.5·‖x − x'‖²)"),
        ({"kernel": "rbf", "gamma": 1}, "K(x, x') = exp(−‖x − x'‖²) + 1"),
        ({"kernel": "sigmoid", "gamma": 0.1, "coef0": -2}, "K(x, x') = tanh(0.1·x·x' − 2) + 1"),
        ({"kernel": "poly", "gamma": 1, "degree": 12}, "K(x, x') = (x·x' + 1)^12 + 1"),
        ({"kernel": laplacian}, "K(x, x') = laplacian(x, x') + 1"),
    ],
)
def test_the_kernel_is_written_as_a_formula(options, formula):
    told = rb.trace(rb.KernelPerceptron(**options, max_iter=1), XOR[0], SIGNS)
    assert told.setting.kernel == formula
    assert formula in str(told)
    assert set(told.to_latex()) <= {*map(chr, range(32, 127)), "\n"}


def test_a_precomputed_row_is_not_called_x():
    told = rb.trace(rb.KernelPerceptron(kernel="precomputed", shuffle=False), [[2, 1], [1, 2]], [0, 1], exact=True)
    assert told.table().headings[3] == "K(x, ·)"
    assert told.table().title.startswith("KernelPerceptron in exact numbers: 2 rows, y = +1 is 1, K = X + 1, from zero")


def test_of_many_rows_the_one_updated_stands_first():
    rng = np.random.default_rng(0)
    told = rb.trace(rb.KernelPerceptron(max_iter=2, random_state=0), rng.standard_normal((40, 2)), [0, 1] * 20)
    cells = {step.number: row[8] for step, row in zip(told, told.table().rows)}
    last = told.updates()[-1]
    assert cells[last.number].startswith(f"{{row {last.row}: {last.alpha[last.row]:g}".replace("-", "−"))
    assert f"… {sum(map(bool, last.alpha)) - 4} more}}" in cells[last.number]
    assert max(map(len, str(told).splitlines())) <= ACROSS
    assert told[-1].n_support == len(told.support_)


@pytest.mark.parametrize("y", [SIGNS, ["a", "b", "c", "a"]])
@pytest.mark.parametrize("exact", [False, True])
def test_forms_of_the_table(y, exact):
    for share in ("max", "ovr"):
        told = rb.trace(conic(multiclass=share, max_iter=2, readout="voted"), XOR[0], y, exact=exact)
        assert "| α" in told.to_markdown()
        assert "$\\alpha$" in told.to_latex()
        assert set(told.to_latex()) <= {*map(chr, range(32, 127)), "\n"}
        assert "<table" in told._repr_html_()
        frame = told.to_frame()
        names = ["alpha[0]", "alpha[3]"] if y is SIGNS else ["alpha[a, 0]", "alpha[c, 3]"]
        assert {*names, "n_support", "score" if y is SIGNS else "score[a]"} <= set(frame.columns)
        assert not any(name.startswith(("w", "b[")) and name != "why" for name in frame.columns)
        back = json.loads(told.to_json())
        assert [step["n_support"] for step in back["steps"]] == [step.n_support for step in told]
        assert (back["kernel"], back["survived"]) == ("K(x, x') = (x·x' + 1)²", told.survived)
        assert "w" not in back["steps"][0]
        assert "alpha" not in json.loads(rb.trace(rb.Perceptron(max_iter=1), XOR[0], y).to_json())["steps"][0]


def test_a_kernel_that_is_no_inner_product_has_no_length():
    K = [[-1, 0], [0, -1]]
    for exact in (False, True):
        told = rb.trace(
            rb.KernelPerceptron(kernel="precomputed", max_iter=1, fit_intercept=False), K, [0, 1], exact=exact
        )
        assert told[-1].norm2 == -2
        assert np.isnan(told[-1].norm)
        assert "√(−2)" in str(told)
        assert "this kernel is no inner product" in " ".join(told.proved)
        assert json.loads(told.to_json())["steps"][-1]["norm"] is None
        assert told.to_latex()


def test_the_four_points_are_separated_as_in_linear_space():
    told = rb.trace(rb.VotedPerceptron(fit_intercept=False, shuffle=False), *FOUR_POINTS, exact=True)
    assert (np.array(told[-1].alpha) @ np.array(FOUR_POINTS[0])).tolist() == [-5, 3]
    assert told.survived == [0, *[1, 3] * 6, 8]
