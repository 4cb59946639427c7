"""The reference: worked traces digit for digit, the lazy average, MIRA against a QP solver, degenerate cases."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import rosenblatt as rb
from rosenblatt.core import reference, rules

# ---- the worked traces of ALGORITHMS.md, section 5 -----------------------------------------------------------

FOUR_POINTS = [(1, 3), (2, 3), (-3, 1), (1, -1)], (1, 0, 1, 0)
MOVIES = [(1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1)], (1, 0, 0)
PHRASES = [(1, 0, 0), (0, 1, 0), (1, 0, 1), (0, 1, 1)], (1, 0, 0, 1)
PAIRS = [(1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (1, 0, 1, 1, 0), (0, 1, 1, 0, 1)], (1, 0, 0, 1)
XOR = [(0, 0), (0, 1), (1, 0), (1, 1)], (0, 1, 1, 0)

#: name: (data, fit_intercept, ties, {(pass, row): weights (and bias) after that update}, updates in each pass, end)
TRACES = {
    **{
        f"A, ties={ties}": (
            FOUR_POINTS, False, ties,
            {(1, 0): (1, 3), (1, 1): (-1, 0), (2, 0): (0, 3), (2, 1): (-2, 0)},
            [2, 2, 2, 2, 2, 2, 1, 0], (-5, 3),
        )
        for ties in ("mistake", "predict")
    },
    "B, ties=predict": (
        MOVIES, False, "predict",
        {(1, 0): (1, 1, 0, 0), (1, 1): (0, 1, -1, 0), (1, 2): (0, 0, -1, -1), (2, 0): (1, 1, -1, -1)},
        [3, 1, 0], (1, 1, -1, -1),
    ),
    "B, ties=mistake": (
        MOVIES, False, "mistake",
        {(1, 0): (1, 1, 0, 0), (1, 1): (0, 1, -1, 0), (1, 2): (0, 0, -1, -1), (2, 0): (1, 1, -1, -1),
         (2, 1): (0, 1, -2, -1), (2, 2): (0, 0, -2, -2), (3, 0): (1, 1, -2, -2)},
        [3, 3, 1, 0], (1, 1, -2, -2),
    ),
    "C with pairs, ties=mistake": (PAIRS, False, "mistake", {}, [None, None, None, 0], (1, -1, 0, -2, 2)),
    "C with pairs, ties=predict": (PAIRS, False, "predict", {}, None, (1, 0, 0, -1, 1)),
    "D": (
        XOR, True, "mistake",
        {(1, 0): (0, 0, -1), (1, 1): (0, 1, 0), (1, 2): (1, 1, 1), (1, 3): (0, 0, 0)},
        [4], (0, 0, 0),
    ),
}  # fmt: skip
TOTALS = {"A": 13, "B, ties=predict": 4, "B, ties=mistake": 7, "C with pairs, ties=mistake": 10,
          "C with pairs, ties=predict": 5, "D": 4}  # fmt: skip


def total_of(name):
    return next(total for start, total in TOTALS.items() if name.startswith(start))


def state(model, fit_intercept):
    return tuple(model.w[0]) + ((model.b[0],) if fit_intercept else ())


@pytest.mark.parametrize("number", [int, float, Fraction, np.float32])
@pytest.mark.parametrize("name", TRACES)
def test_trace_in_the_reference(name, number):
    (rows, targets), fit_intercept, ties, moments, per_pass, end = TRACES[name]
    model = reference.Model("binary", len(rows[0]), fit_intercept=fit_intercept, ties=ties, number=number)
    rows = [[number(v) for v in row] for row in rows]
    updates, seen = [], {}
    for passage in range(1, len(per_pass or [0] * 8) + 1):
        updates.append(0)
        for i, (x, y) in enumerate(zip(rows, targets)):
            step = model.visit(rules.Perceptron(), x, y)
            if step.moves:
                updates[-1] += 1
                seen[passage, i] = state(model, fit_intercept)
    assert {moment: seen[moment] for moment in moments} == moments
    assert set(seen) == set(moments) or "C" in name or "A" in name
    assert state(model, fit_intercept) == end
    assert all(isinstance(v, number) for v in state(model, fit_intercept))
    assert sum(updates) == total_of(name)
    if per_pass is not None:
        assert [u for u, told in zip(updates, per_pass) if told is not None] == [t for t in per_pass if t is not None]
        assert (updates[-1] == 0) == (name != "D")


def test_scores_of_trace_a():
    model = reference.Model("binary", 2, fit_intercept=False, number=int)
    rows, targets = FOUR_POINTS
    scores = [model.visit(rules.Perceptron(), x, y).score for _ in range(2) for x, y in zip(rows, targets)]
    assert scores == [0, 11, 3, -1, -1, 9, 6, -2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", TRACES)
def test_trace_in_the_estimator(name, dtype):
    (rows, targets), fit_intercept, ties, moments, per_pass, end = TRACES[name]
    X, y = np.array(rows, dtype), np.array(targets)
    passes = 1 if name == "D" else 1000
    given = rb.Perceptron(shuffle=False, fit_intercept=fit_intercept, ties=ties, tol=None, max_iter=passes)
    model = given.fit(X, y)
    assert model.n_updates_ == model.mistakes_.sum() == total_of(name)
    assert (*model.coef_[0], *model.intercept_[: int(fit_intercept)]) == end
    assert model.converged_ == (name != "D")
    if per_pass is not None:
        assert model.n_iter_ == len(per_pass)
        told = [t is not None for t in per_pass]
        assert model.mistakes_[told].tolist() == [t for t in per_pass if t is not None]
    stream = rb.Perceptron(fit_intercept=fit_intercept, ties=ties)
    for passage in (1, 2, 3):
        for i in range(len(X)):
            before = stream.n_updates_ if (passage, i) != (1, 0) else 0
            stream.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
            if (passage, i) in moments:
                assert stream.n_updates_ == before + 1
                assert (*stream.coef_[0], *stream.intercept_[: int(fit_intercept)]) == moments[passage, i]


def test_trace_c_ends_in_the_third_pass():
    X, y = np.array(PAIRS[0], float), PAIRS[1]
    model = rb.Perceptron(shuffle=False, fit_intercept=False, tol=None).fit(X, y)
    assert model.n_iter_ == 4
    assert model.mistakes_[2] > 0
    assert model.mistakes_[3] == 0
    assert model.verdict_ == "separated"


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_trace_c_without_pairs_has_no_separator(fit_intercept):
    rows, targets = PHRASES
    z = [[(1 if y else -1) * v for v in (*x, int(fit_intercept))] for x, y in zip(rows, targets)]
    assert [sum(column) for column in zip(*z)] == [0, 0, 0, 0]
    model = rb.Perceptron(shuffle=False, fit_intercept=fit_intercept, max_iter=50).fit(np.array(rows, float), targets)
    assert model.verdict_ == "no margin"
    assert model.margin_bounds_[0] == -np.inf
    assert 0 <= model.margin_bounds_[1] < 1e-4


def test_xor_returns_to_zero_in_every_pass():
    X, y = np.array(XOR[0], float), XOR[1]
    for passes in range(1, 6):
        model = rb.Perceptron(shuffle=False, max_iter=passes, tol=None).fit(X, y)
        assert not model.coef_.any()
        assert not model.intercept_.any()
        assert model.n_updates_ == 4 * passes
    assert rb.Perceptron(shuffle=False).fit(X, y).verdict_ == "no margin"


# ---- the averaged readout ------------------------------------------------------------------------------------

RULES = [
    rules.Perceptron(eta0=Fraction(1)),
    rules.Perceptron(eta0=Fraction(2, 3), margin=Fraction(1, 2)),
    rules.PA(),
    rules.PA1(C=Fraction(1, 7)),
    rules.PA2(C=Fraction(1, 3)),
    rules.MIRA(),
    rules.MIRA(C=Fraction(1, 5)),
    rules.NormMIRA(beta=Fraction(1, 100)),
]


def fractions(rng, n, d):
    return [[Fraction(int(rng.integers(-3, 4)), int(rng.integers(1, 4))) for _ in range(d)] for _ in range(n)]


@pytest.mark.parametrize("rule", RULES, ids=str)
@given(n_classes=st.sampled_from([1, 3, 4]), fit_intercept=st.booleans(), seed=st.integers(0, 2**31))
def test_lazy_average_is_the_mean(rule, n_classes, fit_intercept, seed):
    rng = np.random.default_rng(seed)
    rows = fractions(rng, 6, 3)
    form = "binary" if n_classes == 1 else "multiclass"
    model = reference.Model(form, 3, n_classes, fit_intercept=fit_intercept, number=Fraction)
    total_w, total_b, visits = [[0] * 3 for _ in range(n_classes)], [0] * n_classes, 0
    updates = 0
    for _ in range(2):
        for x in rows:
            updates += model.visit(rule, x, int(rng.integers(max(n_classes, 2)))).updates
            visits += 1
            total_w = [[t + v for t, v in zip(ts, ws)] for ts, ws in zip(total_w, model.w)]
            total_b = [t + v for t, v in zip(total_b, model.b)]
    assert updates or not any(map(any, rows))
    w, b = model.averaged()
    assert w == [[t / visits for t in ts] for ts in total_w]
    assert b == [t / visits for t in total_b]


# ---- MIRA's closed forms against a solver --------------------------------------------------------------------


def example(scores, y, A, weight=1):
    rival = max((r for r in range(len(scores)) if r != y), key=lambda r: (scores[r], -r))
    margin = scores[y] - scores[rival]
    return reference.Example(margin, 1 - margin, margin <= 0, weight, A, 2 * A, list(scores), y, rival)


@st.composite
def examples(draw):
    k = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    scores = [Fraction(int(v), 4) for v in rng.integers(-8, 9, k)]
    return example(scores, int(rng.integers(k)), Fraction(int(rng.integers(1, 20)), 4))


def solve(objective, gradient, start, constraints, bounds=None):
    found = minimize(objective, start, jac=gradient, method="SLSQP", constraints=constraints, bounds=bounds,
                     options={"ftol": 1e-14, "maxiter": 500})  # fmt: skip
    return found.x


def smallest_change(e, C):
    """min ½A Σ a² (+ Cξ), subject to s_y + a_y·A − s_r − a_r·A ≥ 1 (− ξ), ξ ≥ 0: variables a_1 … a_k, ξ."""
    k, A, s = len(e.scores), float(e.A), np.array(e.scores, float)
    cost = np.zeros(k + 1)
    cost[k] = 0 if C is None else float(C)
    rows, gaps = [], []
    for r in set(range(k)) - {e.y}:
        row = np.zeros(k + 1)
        row[e.y], row[r], row[k] = A, -A, 0 if C is None else 1
        rows.append(row)
        gaps.append(1 - s[e.y] + s[r])
    G, h = np.array(rows), np.array(gaps)
    start = np.zeros(k + 1)
    start[e.y] = start[k] = max(0.0, h.max()) / (A if C is None else 1)
    found = solve(
        lambda v: 0.5 * A * v[:k] @ v[:k] + cost @ v,
        lambda v: np.append(A * v[:k], 0) + cost,
        start,
        [{"type": "ineq", "fun": lambda v: G @ v - h, "jac": lambda v: G}],
        [(None, None)] * k + [(0, None)],
    )
    return found[:k]


@given(e=examples(), C=st.sampled_from([None, Fraction(1, 20), Fraction(1, 4), Fraction(1), Fraction(10)]))
def test_mira_closed_form_solves_its_problem(e, C):
    a = rules.MIRA(C).spread(e, "max")
    assert np.allclose(np.array(a, float), smallest_change(e, C), atol=2e-5)
    # and exactly, by the conditions of Karush, Kuhn and Tucker, which are sufficient here
    tau = {r: -v for r, v in enumerate(a) if r != e.y}
    slacks = {r: 1 - (e.scores[e.y] - e.scores[r]) - e.A * (a[e.y] - a[r]) for r in tau}
    xi = max(0, *slacks.values()) if C is not None else 0
    assert sum(a) == 0
    assert all(v >= 0 for v in tau.values())
    assert all(slack <= xi for slack in slacks.values())
    assert all(tau[r] == 0 or slacks[r] == xi for r in tau)
    assert C is None or a[e.y] <= C
    assert xi == 0 or a[e.y] == C


@given(e=examples(), C=st.sampled_from([Fraction(1, 20), Fraction(1)]), v=st.sampled_from([Fraction(1, 2), 3]))
def test_weight_of_an_example_multiplies_miras_cap(e, C, v):
    weighted = example(e.scores, e.y, e.A, weight=v)
    assert rules.MIRA(C).spread(weighted, "max") == rules.MIRA(C * v).spread(e, "max")
    assert rules.MIRA().spread(weighted, "max") == rules.MIRA().spread(e, "max")


@given(e=examples(), beta=st.sampled_from([Fraction(1, 100), Fraction(1)]))
def test_norm_mira_closed_form_solves_its_problem(e, beta):
    """min Σ ½A·τ² + B·τ, subject to τ_r ≤ δ_ry and Σ τ = 0."""
    k = len(e.scores)
    tau = rules.NormMIRA(beta).spread(e, "max")
    B = [s - beta if r == e.y else s for r, s in enumerate(e.scores)]
    top = [int(r == e.y) for r in range(k)]
    A, b = float(e.A), np.array(B, float)
    found = solve(
        lambda t: 0.5 * A * t @ t + b @ t,
        lambda t: A * t + b,
        np.zeros(k),
        [{"type": "eq", "fun": lambda t: t.sum(), "jac": lambda t: np.ones(k)}],
        [(None, high) for high in top],
    )
    assert np.allclose(np.array(tau, float), found, atol=2e-5)
    slopes = [e.A * t + c for t, c in zip(tau, B)]  # equal to ν inside the bounds, at most ν on them
    free = [g for g, t, high in zip(slopes, tau, top) if t < high]
    assert sum(tau) == 0
    assert all(t <= high for t, high in zip(tau, top))
    assert len(set(free)) <= 1
    assert all(g <= nu for g in slopes for nu in free)


@given(e=examples())
def test_two_class_forms_of_mira(e):
    s, y = e.scores[0], e.y % 2
    for mira, pa in ((rules.MIRA(), rules.PA()), (rules.MIRA(C=Fraction(1, 9)), rules.PA1(C=Fraction(1, 9)))):
        one, other = (reference.Model("binary", 1, fit_intercept=False, number=Fraction) for _ in range(2))
        one.w, other.w = [[s]], [[s]]
        x = [Fraction(2, 3)]
        assert one.visit(mira, x, y).coef == other.visit(pa, x, y).coef
    # without a cap, two class vectors W = (−w/2, +w/2) move as the one vector w does
    binary = reference.Model("binary", 1, fit_intercept=False, number=Fraction)
    pair = reference.Model("multiclass", 1, 2, fit_intercept=False, number=Fraction)
    for rule in (rules.PA(), rules.MIRA(), rules.NormMIRA(beta=Fraction(1, 100))):
        binary.w, pair.w = [[s]], [[-s / 2], [s / 2]]
        for code in (y, 1 - y, y):
            binary.visit(rule, [Fraction(2, 3)], code)
            pair.visit(rule, [Fraction(2, 3)], code)
            assert pair.w == [[-binary.w[0][0] / 2], [binary.w[0][0] / 2]]


def test_two_class_mira_is_passive_aggressive_in_the_estimators():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((30, 19)), rng.integers(0, 2, 30)
    for C, variant in ((None, "PA"), (0.03, "PA-I")):
        mira = rb.MIRA(C=C, shuffle=False, max_iter=3, tol=None).fit(X, y)
        pa = rb.PassiveAggressiveClassifier(C=C or 1.0, variant=variant, shuffle=False, max_iter=3, tol=None).fit(X, y)
        assert mira.n_updates_ > 0
        assert np.array_equal(mira.coef_, pa.coef_)
        assert np.array_equal(mira.intercept_, pa.intercept_)


# ---- degenerate cases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ties", "mistakes"), [("mistake", [1, 1]), ("predict", [0, 1])])
def test_binary_tie(ties, mistakes):
    model = reference.Model("binary", 1, ties=ties)
    assert [model.consider(rules.Perceptron(), [1], y).mistakes for y in (0, 1)] == mistakes


@pytest.mark.parametrize(("ties", "mistakes"), [("mistake", [1, 1, 1]), ("predict", [0, 1, 1])])
def test_tie_among_classes(ties, mistakes):
    model = reference.Model("multiclass", 1, 3, ties=ties)
    assert [model.consider(rules.Perceptron(), [1], y).mistakes for y in range(3)] == mistakes
    model.w = [[0], [1], [1]]
    assert [model.consider(rules.Perceptron(), [1], y).mistakes for y in range(3)] == [1, int(ties == "mistake"), 1]


def test_the_rival_is_the_first_of_equals():
    model = reference.Model("multiclass", 1, 4, fit_intercept=False, number=int)
    model.visit(rules.Perceptron(), [1], 2)
    assert model.w == [[-1], [0], [1], [0]]


def test_zero_row_without_a_bias():
    for form, k in (("binary", 1), ("multiclass", 3)):
        model = reference.Model(form, 2, k, fit_intercept=False)
        step = model.visit(rules.Perceptron(), [0.0, 0.0], 1)
        assert (step.mistakes, step.updates, step.gains) == (1, 1, [1.0])
        assert model.w == [[0, 0]] * k
        for rule in (rules.PA(), rules.PA1(), rules.PA2(), rules.MIRA(), rules.MIRA(C=1.0), rules.NormMIRA()):
            step = model.visit(rule, [0.0, 0.0], 1)
            assert (step.mistakes, step.updates, step.gains) == (1, 0, [0])
            assert model.w == [[0, 0]] * k


def test_zero_row_with_a_bias_moves_the_bias_alone():
    model = reference.Model("binary", 2)
    step = model.visit(rules.PA(), [0.0, 0.0], 0)
    assert (step.updates, model.w, model.b) == (1, [[0, 0]], [-1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_never_reach_a_rule(bad):
    X = np.zeros((3, 4))
    X[2, 1] = bad
    with pytest.raises(ValueError, match="row 2, column 1"):
        rb.Perceptron().fit(X, [0, 1, 0])
