"""The second-order rules: closed forms are optimal, full forms are their formulas, and what is kept grows right."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from identity import same_bits
from problems import problems
from refusals import one_sentence
from scipy.optimize import minimize, minimize_scalar
from sklearn.datasets import load_svmlight_file

import rosenblatt as rb
from rosenblatt.core import engine, rules, weights
from rosenblatt.core.learner import Learner
from rosenblatt.core.mixing import refuse_unmixable
from rosenblatt.core.rules import Example

RULES = [
    rules.SecondOrderPerceptron(a=0.7), rules.CW(eta=0.8), rules.CW(eta=0.7, variant="variance"), rules.AROW(r=0.3),
    rules.AROW(r=2.0, variant="covariance"), rules.SCW(C=0.4), rules.SCW(C=0.8, eta=0.7, variant="II"),
    rules.NHERD(C=0.6), rules.NHERD(C=0.6, variant="drop"), rules.NHERD(C=2.0, variant="exact"),
]  # fmt: skip
DRAWS = 1000


def with_(rule, **changes):
    return type(rule)(**{**rule.parameters, **changes})


# ---- closed forms ----------------------------------------------------------------------------------------------------


def example(m, v, weight=1.0):
    return Example(m, 1 - m, m <= 0, weight, 0.0, 0.0, v=v)


def divergence(t):
    """KL(N(w', Σ') ‖ N(w, Σ)) but for the means: Σ' = Σ − β·Σx xᵀΣ leaves t = 1 − βv of the variance along x."""
    return (t - 1 - math.log(t)) / 2


def optimum(rule, m, v):
    """(α, t) of the rule's own problem: over t numerically, and given t over α, a parabola of one variable."""
    phi = rule.phi

    def loss(t):  # how far the margin is below what is asked for, before the mean moves
        spread = phi * v * t if rule.variant == "variance" else phi * math.sqrt(v * t)
        return max(0.0, spread - m)

    def step(t):
        if isinstance(rule, rules.CW):
            return loss(t) / v
        if rule.variant == "I":
            return min(rule.C, loss(t) / v)
        return 2 * rule.C * loss(t) / (1 + 2 * rule.C * v)

    def value(log_t):
        t = math.exp(log_t)
        alpha, left = step(t), 0.0
        if isinstance(rule, rules.SCW):
            left = max(0.0, loss(t) - alpha * v)
            left = rule.C * (left if rule.variant == "I" else left * left)
        return divergence(t) + alpha * alpha * v / 2 + left

    found = minimize_scalar(value, bounds=(-60, 0), method="bounded", options={"xatol": 1e-12, "maxiter": 500})
    t = math.exp(found.x)
    return step(t), t, value


@pytest.mark.parametrize(
    "kind",
    [lambda eta, C: rules.CW(eta=eta, variant="variance"), lambda eta, C: rules.CW(eta=eta),
     lambda eta, C: rules.SCW(C=C, eta=eta), lambda eta, C: rules.SCW(C=C, eta=eta, variant="II")],
    ids=["CW variance", "CW stdev", "SCW-I", "SCW-II"],
)  # fmt: skip
def test_closed_forms_are_the_optimum_of_their_problem(kind):
    rng, moved = np.random.default_rng(20), 0
    for _ in range(DRAWS):
        rule = with_(kind(float(rng.uniform(0.52, 0.99)), float(10 ** rng.uniform(-2, 2))), confidence="full")
        m, v = float(rng.normal() * 3), float(10 ** rng.uniform(-2, 2))
        alpha, t, value = optimum(rule, m, v)
        e = example(m, v)
        own = rule.step(e)
        if own == 0:
            assert alpha == pytest.approx(0, abs=1e-5)
            continue
        moved += 1
        own_t = 1 - rule.shrink(e, own).number * v
        assert own == pytest.approx(alpha, rel=2e-5, abs=1e-7)
        assert own_t == pytest.approx(t, rel=2e-5)
        assert value(math.log(own_t)) <= value(math.log(t)) + 1e-12  # no worse than what the search found
    assert moved > DRAWS / 2


@pytest.mark.parametrize("variant", ["stdev", "variance"])
def test_that_problem_is_the_one_over_all_gaussians(variant):
    """In two dimensions, over means and covariances of any kind."""
    rng = np.random.default_rng(3)
    rule = rules.CW(eta=0.85, variant=variant, confidence="full")
    for _ in range(5):
        x, root = rng.normal(size=2), np.tril(rng.normal(size=(2, 2))) + 2 * np.eye(2)
        sigma, inverse = root @ root.T, np.linalg.inv(root @ root.T)
        v = float(x @ sigma @ x)
        m = float(rng.normal()) - 0.5

        def spread(z, x=x):
            factor = np.array([[np.exp(z[2]), 0], [z[3], np.exp(z[4])]])
            return factor @ factor.T, float(x @ factor @ factor.T @ x)

        def value(z, sigma=sigma, inverse=inverse, spread=spread):
            own = spread(z)[0]
            return (np.trace(inverse @ own) - np.linalg.slogdet(own @ inverse)[1] - 2 + z[:2] @ inverse @ z[:2]) / 2

        def slack(z, m=m, x=x, spread=spread):
            there = spread(z)[1]
            return m + z[:2] @ x - rule.phi * (there if variant == "variance" else math.sqrt(there))

        begin = np.concatenate((np.zeros(2), [np.log(root[0, 0]), root[1, 0], np.log(root[1, 1])]))
        found = minimize(
            value, begin, constraints={"type": "ineq", "fun": slack}, options={"ftol": 1e-14, "maxiter": 500}
        )
        e = example(m, v)
        alpha = rule.step(e)
        beta = rule.shrink(e, alpha).number if alpha else 0.0
        along = sigma @ x
        np.testing.assert_allclose(found.x[:2], alpha * along, atol=2e-4)
        np.testing.assert_allclose(spread(found.x)[0], sigma - beta * np.outer(along, along), atol=1e-3)


@pytest.mark.parametrize("rule", RULES, ids=str)
@given(m=st.floats(-5, 5), v=st.floats(1e-3, 1e3), weight=st.floats(0.1, 10))
def test_beta_and_c_are_the_same_update(rule, m, v, weight):
    """β = c/(1 + c·v); and a step is one only where the rule says so, on a mistake always."""
    e = example(m, v, weight)
    alpha = rule.step(e)
    assert alpha >= 0
    assert m > 0 or alpha > 0
    inverse, full = rule.shrink(e, alpha), with_(rule, confidence="full").shrink(e, alpha)
    if alpha > 0 and inverse.form == "inverse":
        c, beta = inverse.number, full.number
        assert beta == pytest.approx(c / (1 + c * v), rel=1e-9)
        assert 0 < beta * v < 1


@pytest.mark.parametrize("rule", [rules.AROW(r=0.5), rules.NHERD(C=2.0), rules.CW(), rules.SCW(C=1e9)], ids=str)
def test_what_a_step_does_to_the_margin(rule):
    """CW reaches what it asks for; AROW and NHERD close v/(v + r) of the gap to 1."""
    for m, v in product((-2.0, 0.1, 0.7), (0.2, 1.0, 5.0)):
        e = example(m, v)
        alpha = rule.step(e)
        if alpha == 0:
            continue
        after, full = m + alpha * v, with_(rule, confidence="full").shrink(e, alpha).number
        if isinstance(rule, (rules.CW, rules.SCW)):
            assert after == pytest.approx(rule.phi * math.sqrt(v - full * v * v), rel=1e-9)
        else:
            r = rule.r if isinstance(rule, rules.AROW) else 1 / rule.C
            assert 1 - after == pytest.approx((1 - m) * r / (v + r))


# ---- full forms ------------------------------------------------------------------------------------------------------


def in_numpy(rule, X, y):
    """Straight from the papers: w and Σ (of (1, x)), one pass; (w, mistakes)."""
    n, d = X.shape
    Z = np.column_stack((np.ones(n), X))
    if isinstance(rule, rules.SecondOrderPerceptron):
        A, b, mistakes = rule.a * np.eye(d + 1), np.zeros(d + 1), 0
        for z, label in zip(Z, y):
            s = b @ np.linalg.solve(A + np.outer(z, z), z)
            assert abs(s) > 1e-9 or mistakes == 0, "a tie, which rounding decides: another row is wanted"
            if label * s <= 0:
                b, A, mistakes = b + label * z, A + np.outer(z, z), mistakes + 1
        return np.linalg.solve(A, b), mistakes
    w, sigma, mistakes = np.zeros(d + 1), np.eye(d + 1), 0
    phi = getattr(rule, "phi", None)
    for z, label in zip(Z, y):
        m, v = label * (w @ z), z @ sigma @ z
        mistakes += m <= 0
        if isinstance(rule, rules.AROW):
            alpha, beta = max(0, 1 - m) / (v + rule.r), 1 / (v + rule.r)
        elif isinstance(rule, rules.NHERD):
            C = rule.C
            alpha, beta = max(0, 1 - m) / (v + 1 / C), (C**2 * v + 2 * C) / (1 + C * v) ** 2
        elif rule.variant == "variance":
            root = (1 + 2 * phi * m) ** 2 - 8 * phi * (m - phi * v)
            alpha = (-(1 + 2 * phi * m) + np.sqrt(root)) / (4 * phi * v) if m < phi * v else 0
            beta = 2 * alpha * phi / (1 + 2 * alpha * phi * v)
        else:
            psi, zeta = 1 + phi**2 / 2, 1 + phi**2
            alpha = max(0, (-m * psi + np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta))
            if isinstance(rule, rules.SCW) and rule.variant == "I":
                alpha = min(rule.C, alpha)
            elif isinstance(rule, rules.SCW):
                k = v + 1 / (2 * rule.C)
                gamma = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * k * v * (k + v * phi**2))
                alpha = max(0, (-(2 * m * k + phi**2 * m * v) + gamma) / (2 * (k**2 + k * v * phi**2)))
            u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
            beta = alpha * phi / (np.sqrt(u) + v * alpha * phi)
        if alpha > 0:
            along = sigma @ z
            w, sigma = w + alpha * label * along, sigma - beta * np.outer(along, along)
    return w, mistakes


@pytest.mark.parametrize("rule", [with_(rule, confidence="full") for rule in RULES[:8]], ids=str)
def test_full_forms_are_their_formulas_on_a1a(rule, data_folder):
    X, y = load_svmlight_file(str(data_folder / "a9a" / "a1a.gz"), n_features=123)
    X, y = (
        X[11:],
        y[11:],
    )  # the row before scores exactly 0 by the second-order perceptron, and rounding decides its sign
    model = rb.OnlineClassifier(rule=rule, max_iter=1, shuffle=False).fit(X, y)
    w, mistakes = in_numpy(rule, X.toarray(), y)
    assert model.mistakes_.tolist() == [mistakes]
    np.testing.assert_allclose(model.coef_[0], w[1:], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_[0], w[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("rule", RULES, ids=str)
@given(problem=problems(classes=(2, 3), features=(1, 3, 17), kinds=("normal", "integers"), dtypes=(np.float64,)))
@settings(max_examples=15)
def test_of_rows_of_one_feature_the_diagonal_is_all(rule, problem):
    """Nothing is dropped there, so that diagonal (either form) and full agree, but for rounding."""
    X = np.zeros_like(problem.X)
    X[np.arange(len(X)), np.arange(len(X)) % X.shape[1]] = 1 + np.abs(problem.X[:, 0])
    made = [
        rb.OnlineClassifier(rule=with_(rule, confidence=kept), fit_intercept=False, shuffle=False, max_iter=2)
        for kept in ("diagonal", "full")
    ]
    diagonal, full = (model.fit(X, problem.codes) for model in made)
    if isinstance(rule, rules.NHERD) and rule.variant == "exact":
        return  # herds each weight by itself, which is another optimum
    if problem.n_classes > 2 and not (
        rule.parameters.get("variant") in ("covariance", "drop") or "a" in rule.parameters
    ):
        return  # a full Σ of each class drops what lies between the classes of Σ, not of its inverse
    np.testing.assert_allclose(diagonal.coef_, full.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(diagonal.variance_, full.variance_, rtol=1e-7, atol=1e-12)


# ---- what is kept ----------------------------------------------------------------------------------------------------


def test_the_variances_of_arow_are_what_the_formula_says():
    X = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0]])
    model = rb.AROW(r=0.5, shuffle=False, max_iter=1, fit_intercept=True).fit(X, [1, 0])
    assert model.n_updates_ == 2
    np.testing.assert_allclose(model.variance_, [[1 / (1 + 1 / 0.5), 1 / (1 + 5 / 0.5), 1.0]])
    np.testing.assert_allclose(model.intercept_variance_, [1 / (1 + 2 / 0.5)])
    with pytest.raises(AttributeError, match=r"covariance_ is there with confidence='full' alone"):
        model.covariance_  # noqa: B018
    assert not hasattr(rb.OnlineClassifier().fit(X, [1, 0]), "variance_")


@pytest.mark.parametrize("confidence", ["diagonal", "full"])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_new_features_and_classes_come_in_mid_stream(rule, confidence):
    """A stream of names whose features and classes come late is one over the columns in the order they were met."""
    rng = np.random.default_rng(4)
    rule = with_(rule, confidence=confidence)
    one, met = rb.OnlineClassifier(rule=rule), {}
    rows, labels = [], []
    for i in range(90):
        names = [f"word {j}" for j in sorted(set(rng.integers(0, 2 + i, 4).tolist()))]
        x = {name: float(rng.integers(1, 4)) for name in names}
        label = f"class {min(i % 4, i // 20)}"
        one.learn_one(x, label)
        rows.append({met.setdefault(name, len(met)): value for name, value in x.items()})
        labels.append(label)
    X = sp.lil_array((len(rows), len(met)))
    for i, x in enumerate(rows):
        for j, value in x.items():
            X[i, j] = value
    for chunk in (1, 7, 90):
        stream = rb.OnlineClassifier(rule=rule)
        for a in range(0, 90, chunk):
            stream.partial_fit(X.tocsr()[a : a + chunk], labels[a : a + chunk])
        same_bits(stream.coef_, one.coef_)
        same_bits(stream.intercept_, one.intercept_)
        same_bits(stream.variance_, one.variance_)
        assert stream.mistakes_.tolist() == one.mistakes_.tolist()


@pytest.mark.parametrize("confidence", ["diagonal", "full"])
@pytest.mark.parametrize(("multiclass", "share"), [("max", 0.5), ("ovr", 1.0)])
@pytest.mark.parametrize(("code", "kept"), [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])])
def test_a_third_class_finds_both_others_as_sure_as_they_were(confidence, multiclass, share, code, kept):
    rng = np.random.default_rng(1)
    model = rb.AROW(r=0.4, confidence=confidence, multiclass=multiclass, average=True)
    model.partial_fit(rng.standard_normal((30, 4)), np.arange(30) % 2)
    learner, w, b, variances = model._learner, model.coef_[0], model.intercept_[0], model._learner.variances()[:, 0]
    learner.add_class(code)
    after = learner.variances()
    for c, sign in zip(kept, (-share, share)):
        np.testing.assert_array_equal(after[:, c], variances)
        np.testing.assert_allclose(learner.read()[:, c], sign * np.concatenate(([b], w)))
    np.testing.assert_array_equal(after[:, code], np.ones(5))


@pytest.mark.parametrize("rule", RULES[:4], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_few_among_very_many_features_have_rows(rule, n_classes, monkeypatch):
    """Where the features are very many, those that were met alone have a weight and a precision: the same bits."""
    X = sp.random(60, 30_000, 0.0004, format="csr", random_state=5)
    y = np.arange(60) % n_classes
    expected = rb.OnlineClassifier(rule=rule, shuffle=False, max_iter=2).fit(X, y)
    monkeypatch.setattr(weights, "WIDE", 0)
    got = rb.OnlineClassifier(rule=rule, shuffle=False, max_iter=2).fit(X, y)
    assert got._learner.places is not None
    assert len(got._learner.precision) < 15_000
    same_bits(got.coef_, expected.coef_)
    same_bits(got.variance_, expected.variance_)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_no_upper_bound_and_never_no_margin(rule):
    """XOR is not separable: the perceptron proves it, these say nothing of it."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.warns(match="no bound that could rule one out"):
        model = rb.OnlineClassifier(rule=rule, tol=1e-4, max_iter=200, shuffle=False).fit(X, y)
    assert model.verdict_ == "stopped"
    assert model.margin_bounds_[1] == math.inf
    separable = rb.OnlineClassifier(rule=rule, max_iter=200).fit([[1, 0], [0, 1], [2, 0]], [0, 1, 0])
    assert separable.verdict_ == "separated"
    low, high = separable.margin_bounds_
    assert 0 < low < high == math.inf


def test_equal_rows_of_different_labels_still_prove_it():
    model = rb.AROW(tol=1e-4, max_iter=50).fit([[1.0], [1.0], [2.0]], [0, 1, 1])
    assert (model.verdict_, model.equal_rows_) == ("no margin", (0, 1))


def test_a_very_sure_weight_stays_a_number():
    """p saturates: an r that is tiny beside the rows leaves variances above 0 and no infinity."""
    for rule in (rules.AROW(r=1e-30), rules.AROW(r=1e-30, variant="covariance"), rules.NHERD(C=1e30)):
        for dtype in (np.float32, np.float64):
            X = np.array([[3.0], [-2.0], [5.0]], dtype)
            model = rb.OnlineClassifier(rule=rule, fit_intercept=False, shuffle=False, max_iter=3).fit(X, [0, 1, 1])
            assert np.isfinite(model.coef_).all()
            assert np.isfinite(model._learner.precision).all()


# ---- what may be claimed ---------------------------------------------------------------------------------------------


@given(
    problem=problems(classes=(2,), features=(1, 2, 3, 17), dtypes=(np.float64,), kinds=("integers", "normal")),
    a=st.sampled_from([0.1, 1.0, 7.0]), fit_intercept=st.booleans(), scaling=st.sampled_from([1.0, 0.3]),
    gamma=st.sampled_from([None, "best", 0.01, 1.0]), seed=st.integers(0, 99),
)  # fmt: skip
def test_the_second_order_perceptron_keeps_its_bound(problem, a, fit_intercept, scaling, gamma, seed):
    """For any u, separating or not: by its formula from the mistaken rows, and as the library computes it."""
    model = rb.SecondOrderPerceptron(
        a=a, confidence="full", fit_intercept=fit_intercept, intercept_scaling=scaling, max_iter=3, random_state=seed,
    )  # fmt: skip
    trace = rb.trace(model, problem.X, problem.codes)
    model.fit(problem.X, problem.codes)
    rng = np.random.default_rng(seed)
    constant = [scaling] if fit_intercept else []
    Z = np.array([[*row, *constant] for row in problem.X])
    u = rng.standard_normal(Z.shape[1]) if seed % 2 else np.linalg.lstsq(Z, 2.0 * problem.codes - 1, rcond=None)[0]
    if not np.linalg.norm(u) > 1e-6:
        return
    u /= np.linalg.norm(u)
    signs = 2.0 * problem.codes - 1
    w, b = (u[:-1], u[-1] * scaling) if fit_intercept else (u, 0.0)
    result = rb.mistake_bound(
        problem.X, problem.codes, w=w, b=b, estimator=model, gamma=gamma, fit_intercept=fit_intercept
    )
    assert result.mistakes == model.mistakes_.sum() <= float(result)
    wrong = [step.row for step in trace if step.mistake]
    lam = np.linalg.eigvalsh(Z[wrong].T @ Z[wrong])
    spread = (a + np.sum((Z[wrong] @ u) ** 2)) * np.sum(np.log1p(np.maximum(lam, 0) / a))
    visited = [step.row for step in trace]
    short = np.maximum(0, result.gamma - (Z @ u) * signs)
    assert len(wrong) == result.mistakes
    by_hand = (short[wrong].sum() + np.sqrt(spread)) / result.gamma
    assert len(wrong) <= by_hand * (1 + 1e-9)
    at_most = (short[visited].sum() + np.sqrt(spread)) / result.gamma
    assert float(result) == pytest.approx(at_most, rel=1e-6)


def test_of_the_others_no_bound_is_known():
    X, y = [[1.0, 3.0], [2.0, 3.0], [-3.0, 1.0], [1.0, -1.0]], [1, -1, 1, -1]
    for model in (rb.SecondOrderPerceptron(), rb.AROW(confidence="full"), rb.SCW(), rb.ConfidenceWeighted()):
        one_sentence(
            lambda model=model: rb.mistake_bound(X, y, w=[-2, 1], b=0.1, estimator=model.fit(X, y)),
            ValueError,
            "none is known of",
        )


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rules.AROW(r=0), "r must be a finite number > 0, got 0"),
        (lambda: rules.AROW(r=-1.0), "r must be a finite number > 0"),
        (lambda: rules.SecondOrderPerceptron(a=0), "a must be a finite number > 0"),
        (lambda: rules.SCW(C=0), "C must be a finite number > 0"),
        (lambda: rules.NHERD(C=-2), "C must be a finite number > 0"),
        (lambda: rules.CW(eta=0.5), "eta must lie between 0.5 and 1, and be neither, got 0.5"),
        (lambda: rules.SCW(eta=1), "eta must lie between 0.5 and 1"),
        (lambda: rules.CW(eta="0.9"), "eta must lie between 0.5 and 1"),
        (lambda: rules.CW(variant="I"), "variant must be one of 'stdev', 'variance'"),
        (lambda: rules.SCW(variant="III"), "variant must be one of 'I', 'II'"),
        (lambda: rules.AROW(variant="drop"), "variant must be one of 'inverse', 'covariance'"),
        (lambda: rules.NHERD(variant=None), "variant must be one of 'project', 'drop', 'exact'"),
        (lambda: rules.AROW(confidence="some"), "confidence must be one of 'diagonal', 'full'"),
        (lambda: rb.AROW(r=0).fit([[1.0], [2.0]], [0, 1]), "r must be a finite number > 0"),
        (lambda: rb.SCW(eta=0.2).fit([[1.0], [2.0]], [0, 1]), "eta must lie between 0.5 and 1"),
        (lambda: rb.KernelPerceptron(rule=rules.AROW()).fit([[1.0], [2.0]], [0, 1]),
         "AROW keeps a confidence for each feature, which the space of a kernel has not; it goes with linear learners"),
        (lambda: Learner(rules.CW(), batch=True), "the batch learner adds up the steps of a pass, and CW learns"),
        (lambda: Learner(rules.CW(), epsilon=0.1), "CW has no step for regression"),
        (lambda: Learner(rules.AROW(), multiclass="uniform"), "does not go with AROW"),
        (lambda: refuse_unmixable(Learner(rules.AROW())),
         "AROW keeps how sure it is of each weight, without which a mean of weights of several shards would be wrong"),
    ],
)  # fmt: skip
def test_what_does_not_go_is_said_in_a_sentence(make, words):
    one_sentence(make, ValueError, words)


def test_a_full_confidence_beyond_memory_is_refused():
    X = sp.csr_array((3, 20_000))
    words = "confidence='full' keeps 20,001 × 20,001 numbers, 3.2 GB, and is for at most 5,000 features; set"
    one_sentence(lambda: rb.AROW(confidence="full").fit(X, [0, 1, 0]), ValueError, words)
    one_sentence(
        lambda: rb.AROW(confidence="full").fit(X, [0, 1, 2]), ValueError, "numbers for each of 3 classes, 9.6 GB"
    )
    stream = rb.AROW(confidence="full")
    for i in range(8):
        stream.learn_one({i: 1.0}, i % 2)
    kept = stream.coef_
    wide = {f"word {j}": 1.0 for j in range(6000)}
    one_sentence(lambda: stream.learn_one(wide, 1), ValueError, "is for at most 5,000 features")
    same_bits(stream.coef_, kept)


def test_the_core_refuses_a_rule_without_its_confidence():
    held, tally = engine.zeros(3, 1, np.float64), engine.Tally(1)
    rows, model = engine.DenseRows(np.ones((1, 2))), engine.Model(form="binary", weights=held, n_vectors=1)
    with pytest.raises(ValueError, match="second-order rules learn with a confidence, and no others do"):
        engine.learn(rows=rows, model=model, rule=engine.Rule("AROW", 1.0, 0.0), targets=1, tally=tally)
    sure = engine.Model(form="binary", weights=held, n_vectors=1, precision=np.zeros_like(held))
    with pytest.raises(ValueError, match="and no others do"):
        engine.learn(rows=rows, model=sure, rule=engine.Rule("PA"), targets=1, tally=tally)
    for wrong in (
        {"precision": np.zeros(2)}, {"precision": np.zeros((3, 1), np.float32)}, {"covariance": np.zeros((1, 2, 2))},
        {"covariance": np.zeros((1, 3, 3)), "precision": np.zeros((3, 1))},
        {"precision": np.zeros((3, 1)), "prior": 0.0},
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            engine.Model(form="binary", weights=held, n_vectors=1, **wrong)
