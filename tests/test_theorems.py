"""The theorems of ALGORITHMS.md, section 6, on mistakes and losses, as invariants along the run."""

from fractions import Fraction
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from identity import every
from problems import (
    against_rivals,
    augmented,
    best_margin,
    problems,
    radius2,
    row_by_row,
    separable,
    separable_classes,
    signed,
    vector,
)

import rosenblatt as rb
from rosenblatt.core import reference, rules

TO_THE_END = {"tol": None, "max_iter": 10**6}
biases = pytest.mark.parametrize("bias", [False, True])


# ---- 1. Novikoff ---------------------------------------------------------------------------------------------


@biases
@pytest.mark.parametrize("ties", ["mistake", "predict"])
@given(data=st.data(), shuffle=st.booleans())
def test_mistakes_are_at_most_radius_over_margin_squared(bias, ties, data, shuffle):
    X, y, u, b = data.draw(separable(bias=bias))
    Z = signed(augmented(X, bias), y)
    model = rb.Perceptron(fit_intercept=bias, ties=ties, shuffle=shuffle, random_state=1, **TO_THE_END).fit(X, y)
    M, R2, w = model.n_updates_, radius2(Z), vector(model, bias)
    u = np.append(u, b)[: Z.shape[1]]
    assert model.verdict_ == "separated"
    assert model.mistakes_.sum() == M
    assert M * (Z @ u).min() ** 2 <= R2 * (u @ u)  # M ≤ (R/γ)², all of it integers
    assert M * best_margin(Z)[0] ** 2 <= R2 * (1 + 1e-9)
    assert w @ w <= M * R2


@biases
@given(data=st.data())
def test_the_proof_holds_after_every_example(bias, data):
    X, y, u, b = data.draw(separable(bias=bias))
    Z, R2 = signed(augmented(X, bias), y), radius2(augmented(X, bias))
    u = np.append(u, b)[: Z.shape[1]]
    margin = (Z @ u).min()
    model = rb.Perceptron(fit_intercept=bias)
    for _ in row_by_row(model, X, y, passes=3):
        M, w = model.n_updates_, vector(model, bias)
        assert w @ w <= M * R2
        assert u @ w >= M * margin
        if M:
            cosine = (u @ w) / np.sqrt((u @ u) * (w @ w))
            assert margin * np.sqrt(M / (R2 * (u @ u))) <= cosine * (1 + 1e-12) <= 1 + 2e-12
            assert np.linalg.norm(w) / M <= np.sqrt(R2 / M) * (1 + 1e-12)


@biases
@given(data=st.data(), seed=st.integers(0, 2**31), ties=st.sampled_from(["mistake", "predict"]))
def test_distance_form_from_any_start(bias, data, seed, ties):
    """αŵ = β²·u/min u·z is rational: each update lowers ‖w − αŵ‖² by β² or more, without any rounding."""
    X, y, u, b = data.draw(separable(bias=bias))
    rng = np.random.default_rng(seed)
    start = rng.integers(-5, 6, X.shape[1] + 1)
    start[-1] *= bias
    Z, u = signed(augmented(X, True), y).astype(int), np.append(u, b).astype(int)
    Z[:, -1] *= bias
    beta2 = int(radius2(Z))
    goal = [Fraction(beta2 * int(v), int((Z @ u).min())) for v in u]
    model = reference.Model("binary", X.shape[1], fit_intercept=bias, ties=ties, number=int)
    model.w, model.b = [start[:-1].tolist()], [int(start[-1])]
    away = [sum((a - g) ** 2 for a, g in zip(start.tolist(), goal))]
    updates = 0
    for i in islice(cycle(range(len(X))), 4 * len(X)):
        step = model.visit(rules.Perceptron(), X[i].astype(int).tolist(), int(y[i] > 0))
        if step.moves:
            updates += 1
            away.append(sum((a - g) ** 2 for a, g in zip((*model.w[0], model.b[0]), goal)))
            assert away[-1] <= away[-2] - beta2
    fitted = rb.Perceptron(fit_intercept=bias, ties=ties, shuffle=False, **TO_THE_END).fit(
        X, y, coef_init=start[None, :-1], intercept_init=start[-1:]
    )
    assert fitted.verdict_ == "separated"
    assert updates <= fitted.n_updates_ <= away[0] / beta2


@biases
@given(data=st.data())
def test_batch_descent_needs_at_most_n_times_as_many(bias, data):
    X, y, _, _ = data.draw(separable(bias=bias))
    Z = signed(augmented(X, bias), y)
    model = rb.BatchPerceptron(fit_intercept=bias, **TO_THE_END).fit(X, y)
    assert model.verdict_ == "separated"
    assert model.n_updates_ <= len(X) * radius2(Z) / best_margin(Z)[0] ** 2 * (1 + 1e-9)


# ---- 5. to 9. ------------------------------------------------------------------------------------------------


@biases
@given(
    problem=problems(classes=(2,), features=(1, 2, 5, 17), kinds=("integers", "eighths"), dtypes=(np.float64,)),
    gamma=st.floats(0.05, 5),
)
def test_one_pass_over_any_data(bias, problem, gamma):
    """Freund & Schapire: M ≤ ((R + D)/γ)² for every unit u and γ > 0."""
    X, y = problem.X, 2 * problem.codes - 1
    Z, R = signed(augmented(X, bias), y), np.sqrt(radius2(augmented(X, bias)))
    some = np.random.default_rng(problem.seed).standard_normal(Z.shape[1])
    for u in (some, Z.sum(axis=0) + 1e-9, Z[0] + 1e-9):
        D = np.sqrt((np.maximum(0, gamma - Z @ (u / np.linalg.norm(u))) ** 2).sum())
        model = rb.Perceptron(fit_intercept=bias).partial_fit(X, y)
        assert model.n_updates_ <= ((R + D) / gamma) ** 2 * (1 + 1e-9)


@given(data=st.data(), B=st.sampled_from([0.25, 1.0, 4.0]))
def test_a_bias_of_constant_b_widens_the_data_and_narrows_the_margin(data, B):
    X, y, u, b = data.draw(separable(bias=True))
    unit, offset = u / np.linalg.norm(u), b / np.linalg.norm(u)
    gamma = (y * (X @ unit + offset)).min()
    wide = np.column_stack((X, np.full(len(X), B)))
    v = np.append(unit, offset / B)
    shrunk = (signed(wide, y) @ v).min() / np.linalg.norm(v)
    assert np.isclose(shrunk, gamma / np.sqrt(1 + offset**2 / B**2))
    model = rb.Perceptron(fit_intercept=False, **TO_THE_END).fit(wide, y)
    assert model.n_updates_ <= (radius2(X) + B**2) * (1 + offset**2 / B**2) / gamma**2 * (1 + 1e-9)
    if B == 1:
        same = rb.Perceptron(shuffle=False, **TO_THE_END).fit(X, y)
        column = rb.Perceptron(fit_intercept=False, shuffle=False, **TO_THE_END).fit(wide, y)
        assert np.array_equal(vector(same, True), vector(column, False))


@biases
@given(data=st.data(), m=st.sampled_from([0.5, 1.0, 3.0, 10.0]))
def test_margin_perceptron(bias, data, m):
    X, y, _, _ = data.draw(separable(bias=bias))
    Z = signed(augmented(X, bias), y)
    model, before = rb.Perceptron(margin=m, fit_intercept=bias), -1
    while getattr(model, "n_updates_", 0) > before:
        before = getattr(model, "n_updates_", 0)
        model.partial_fit(X, y)
        assert model.n_updates_ <= (radius2(Z) + 2 * m) / best_margin(Z)[0] ** 2 * (1 + 1e-9)
    assert (Z @ vector(model, bias)).min() > m


@biases
@given(data=st.data())
def test_squared_losses_of_passive_aggressive(bias, data):
    X, y, _, _ = data.draw(separable(bias=bias))
    Z, total = signed(augmented(X, bias), y), 0.0
    for i, before in row_by_row(rb.PassiveAggressiveClassifier(variant="PA", fit_intercept=bias), X, y, passes=6):
        total += max(0.0, 1 - y[i] * before[0]) ** 2
        assert total <= radius2(Z) / best_margin(Z)[0] ** 2 * (1 + 1e-9)


@biases
@given(data=st.data())
def test_squared_losses_with_several_classes(bias, data):
    X, codes, U = data.draw(separable_classes())
    low = best_margin(against_rivals(augmented(X, bias), codes, len(U)))[0]
    total = 0.0
    for i, s in row_by_row(rb.PassiveAggressiveClassifier(variant="PA", fit_intercept=bias), X, codes, passes=6):
        total += max(0.0, 1 - s[codes[i]] + np.delete(s, codes[i]).max()) ** 2
        assert total <= 2 * radius2(augmented(X, bias)) / low**2 * (1 + 1e-9)


UNCAPPED = [
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=1e9),
    rb.PassiveAggressiveClassifier(variant="PA", multiclass="ovr"),
    rb.MIRA(),
    rb.MIRA(C=1e9),
]


@every(UNCAPPED)
@given(problem=problems(classes=(2, 3, 5), dtypes=(np.float64,)), bias=st.booleans())
def test_after_an_uncapped_step_the_margin_is_one(estimator, problem, bias):
    X, codes = problem.X, problem.codes
    A = (augmented(X, bias) ** 2).sum(axis=1)
    model = type(estimator)(**{**estimator.get_params(), "fit_intercept": bias})
    for i, s in row_by_row(model, X, codes, passes=2):
        if A[i] == 0:
            continue
        after, c = np.ravel(model.decision_function(X[i : i + 1])), codes[i]
        room = 1e-12 * (1 + np.abs(s).max() + np.linalg.norm(vector(model, bias)) * np.sqrt(A[i]))
        if problem.n_classes == 2:
            before, now = ((2 * c - 1) * v for v in (s, after))
        elif estimator.multiclass == "ovr":
            sign = np.where(np.arange(problem.n_classes) == c, 1, -1)
            before, now = sign * s, sign * after
        else:
            before, now = (v[c] - np.delete(v, c) for v in (s, after))
            if isinstance(estimator, rb.MIRA):  # every wrong class is beaten by 1, the nearest by just that
                assert (now >= 1 - room).all()
                before, now = before.min(keepdims=True), now.min(keepdims=True)
            else:  # the rival alone is
                before, now = before[[before.argmin()]], now[[before.argmin()]]
        expected = np.where(before < 1, 1, before)
        assert np.allclose(now, expected, rtol=0, atol=room)


def test_the_bias_counts_in_the_norm():
    """With the bias left out of ‖x‖², as elsewhere, this margin would be 1.8."""
    model = rb.PassiveAggressiveClassifier(variant="PA").partial_fit([[1.0, 0.5]], [1], classes=[0, 1])
    assert np.isclose(model.decision_function([[1.0, 0.5]])[0], 1.0, rtol=1e-15)


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@given(problem=problems(classes=(2,), dtypes=(np.float64,)), bias=st.booleans())
def test_after_an_uncapped_step_of_a_regression_the_error_is_epsilon(epsilon, problem, bias):
    model = rb.PassiveAggressiveRegressor(variant="PA", epsilon=epsilon, fit_intercept=bias)
    for x, y in zip(problem.X[:, None], problem.targets):
        before = abs(model.predict(x)[0] - y) if hasattr(model, "coef_") else abs(y)
        model.partial_fit(x, [y])
        size = np.linalg.norm(augmented(x, bias))
        if size:
            room = 1e-12 * (1 + abs(y) + before + size * np.linalg.norm(np.append(model.coef_, model.intercept_)))
            assert abs(abs(model.predict(x)[0] - y) - min(before, epsilon)) <= room


@pytest.mark.parametrize("n", [2, 3, 5, 16, 33])
def test_orthonormal_rows_are_the_worst_case(n):
    """u = Σ y·e/√n has γ = 1/√n, and the first pass makes all (R/γ)² = n mistakes there can be."""
    rng = np.random.default_rng(n)
    X, y = np.eye(n)[rng.permutation(n)], np.append([1, -1], rng.choice([-1, 1], n - 2))
    assert np.isclose(best_margin(signed(X, y))[0], 1 / np.sqrt(n))
    model = rb.Perceptron(fit_intercept=False, shuffle=False, **TO_THE_END).fit(X, y)
    assert model.mistakes_.tolist() == [n, 0]


@biases
@given(data=st.data(), shuffle=st.booleans())
def test_mistakes_among_several_classes(bias, data, shuffle):
    X, codes, U = data.draw(separable_classes())
    Z, R2 = against_rivals(augmented(X, bias), codes, len(U)), radius2(augmented(X, bias))
    model = rb.Perceptron(fit_intercept=bias, shuffle=shuffle, random_state=2, **TO_THE_END).fit(X, codes)
    assert model.verdict_ == "separated"
    assert model.n_updates_ <= 2 * R2 / best_margin(Z)[0] ** 2 * (1 + 1e-9)
    U = np.column_stack((U, np.zeros(len(U)))) if bias else U
    assert model.n_updates_ * (Z @ U.ravel()).min() ** 2 <= 2 * R2 * (U**2).sum()
    w = vector(model, bias)
    assert w @ w <= 2 * R2 * model.n_updates_


@given(data=st.data(), shares=st.sampled_from([(0.5, 0.5), (0.25, 0.75)]))
def test_parameter_mixing_over_shards(data, shares):
    """McDonald, Hall & Mann: the weighted mistakes of all shards and rounds are at most R²/γ²."""
    X, y, _, _ = data.draw(separable(features=(2, 3), max_rows=12))
    shards = [np.concatenate([np.flatnonzero(y == sign)[part::2] for sign in (-1, 1)]) for part in (0, 1)]
    assume(all(len(set(y[shard])) == 2 for shard in shards))
    mixed, weighted = np.zeros((1, X.shape[1])), 0.0
    for _ in range(15):
        runs = []
        for shard in shards:
            run = rb.Perceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None)
            runs.append(run.fit(X[shard], y[shard], coef_init=mixed))
        mixed = sum(share * run.coef_ for share, run in zip(shares, runs))
        weighted += sum(share * run.n_updates_ for share, run in zip(shares, runs))
    assert weighted <= radius2(X) / best_margin(signed(X, y))[0] ** 2 * (1 + 1e-9)


# ---- uneven margins ------------------------------------------------------------------------------------------


@biases
@given(
    data=st.data(),
    margins=st.tuples(*[st.sampled_from([0.0, 0.5, 3.0, 40.0])] * 3),
    share=st.sampled_from(["max", "uniform", "proportional"]),
)
def test_updates_of_uneven_margins_are_at_most_those_of_the_largest(bias, data, margins, share):
    """Li et al. 2002: (R² + 2·max m/η)/γ² updates, two classes and several, where 2R² stands for R²."""
    several = data.draw(st.booleans())
    if several:
        X, y, U = data.draw(separable_classes())
        margins, twice = tuple(islice(cycle(margins), len(U))), 2
        Z = against_rivals(augmented(X, bias), y, len(U))
    else:
        X, y, _, _ = data.draw(separable(bias=bias))
        margins, twice = margins[:2], 1
        Z = signed(augmented(X, bias), y)
    rule = rules.PAUM(margins, eta0=0.5)
    model = rb.OnlineClassifier(rule=rule, multiclass=share, fit_intercept=bias, random_state=1, **TO_THE_END).fit(X, y)
    beta2 = twice * radius2(augmented(X, bias)) + 2 * max(margins) / rule.eta0
    gamma = best_margin(Z)[0]
    assert model.verdict_ == "separated"
    assert model.n_updates_ * gamma**2 <= beta2 * (1 + 1e-9)
    theorem = rule.mistake_theorem(twice * radius2(augmented(X, bias)), gamma, "")
    assert theorem.alpha**2 / theorem.beta2 == pytest.approx(beta2 / gamma**2)


@given(problem=problems(), margin=st.sampled_from([0.0, 0.3, 2.0]), share=st.sampled_from(["max", "proportional"]))
def test_equal_margins_are_the_perceptron_with_that_margin(problem, margin, share):
    even = {"multiclass": share, "max_iter": 3, "tol": None, "random_state": 0}
    one = rb.OnlineClassifier(rule=rules.PAUM((margin,) * problem.n_classes, eta0=0.7), **even)
    other = rb.OnlineClassifier(rule=rules.Perceptron(eta0=0.7, margin=margin), **even)
    for model in (one, other):
        model.fit(problem.X, problem.codes, sample_weight=problem.weight)
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.mistakes_.tolist() == other.mistakes_.tolist()


def test_a_larger_margin_finds_more_of_a_rare_class():
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.03).astype(int)
    X = rng.standard_normal((2000, 5)) + 1.5 * y[:, None] * [1, 1, 0, 0, 0]
    recalls = []
    for margin in (0.0, 1.0, 5.0, 20.0):
        rule = rules.PAUM(margins=(0.0, margin))
        model = rb.OnlineClassifier(rule=rule, readout="averaged", max_iter=10, tol=None, random_state=0)
        recalls.append(model.fit(X[:1000], y[:1000]).predict(X[1000:])[y[1000:] == 1].mean())
    assert recalls == sorted(recalls)
    assert recalls[-1] > recalls[0] + 0.2
