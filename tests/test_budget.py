"""Budgets: the estimator is the reference, its memory is bounded for ever, and the papers' theorems hold."""

import copy
import pickle
from fractions import Fraction

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from discovery import learned
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernel_twin import KERNELS, choices, features, kernel_margin, problems, table
from problems import few, for_classes
from refusals import one_sentence
from sklearn.exceptions import ConvergenceWarning
from test_native_equals_reference import LEARNERS

import rosenblatt as rb
from rosenblatt.core import reference, rules
from rosenblatt.core.spaces.kernel.budgets import Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PASSES = 3
POLICIES = ("random", "forgetron", "projectron", "projectron++")
#: Kernels with K(x, x) = 1, for the Forgetron.
UNIT = ("rbf", "callable", "precomputed")


# ---- the twin --------------------------------------------------------------------------------------------------------


class Twin(reference.BudgetModel):
    """The reference, which also sees where a decision lies within rounding: both sides are then right."""

    delicate = False

    def visit(self, rule, x, y, weight=1):
        step = self.consider(rule, x, y, weight)
        s, several = step.scores, self.form == "multiclass"
        margins = [s[y] - v for r, v in enumerate(s) if r != y] if several else [abs(v) for v in s]
        edges = {0, 1, getattr(rule, "margin", 1), getattr(rule, "beta", 1)}
        nothing = not self.history or (several and 0 in s)  # a zero that is a sum of nothing is one on both sides
        size = 1e-8 * (1 + max(map(abs, s)))
        self.delicate |= any(abs(m - e) < size and not (m == 0 and nothing) for m in margins for e in edges)
        return super().visit(rule, x, y, weight)

    def _span(self, x):
        c, delta = super()._span(x)
        self.spanned = c, delta
        return c, delta

    def _project(self, x, coef):
        super()._project(x, coef)
        lost = max(0.0, self.spanned[1] * sum(a * a for a in coef)) ** 0.5
        self.delicate |= abs(lost - self.eta) < 1e-6

    def _margin_step(self, x, y, step):
        step = super()._margin_step(x, y, step)
        lost = max(0.0, (2 if self.form == "multiclass" else 1) * self.spanned[1]) ** 0.5
        self.delicate |= abs(1 - step.margin - lost / self.eta) < 1e-6
        return step


def orders_of(there, shuffle, rng):
    """Drawn as the run goes, by the one generator that also draws who gives way."""
    for _ in range(PASSES):
        yield there[rng.permutation(len(there))] if shuffle else there


def form_of(k, share):
    return ("binary", 1) if k == 2 else ("ovr" if share == "ovr" else "multiclass", k)


def pair(
    problem, kernel, rule, share="max", ties="mistake", bias=True, weighted=False, shuffle=False, eta=0.3, **options
):
    """An estimator and its twin after the same run, and both tables of the kernel, the bias in them."""
    X, other, codes, weight, seed = problem
    weight = weight if weighted else None
    K, K_other = table(kernel, X, X, bias), table(kernel, X, other, bias)
    budget, policy = options["budget"], options["budget_policy"]
    model = rb.KernelPerceptron(
        **KERNELS[kernel][0], rule=rule, multiclass=share, ties=ties, fit_intercept=bias, shuffle=shuffle,
        random_state=seed, max_iter=PASSES, tol=None, projection_tol=eta, **options,
    )  # fmt: skip
    rows, others = (K - bias, K_other.T - bias) if kernel == "precomputed" else (X, other)
    model.fit(rows, codes, sample_weight=weight)
    rng = np.random.default_rng(seed)
    form, n = form_of(int(codes.max()) + 1, share)
    twin = Twin(
        lambda i, j: float(K[i, j]), form, n, budget=budget, policy=policy, eta=eta,
        draw=lambda size: int(rng.integers(size)), ties=ties, share=share, number=float,
    )  # fmt: skip
    there = np.arange(len(X)) if weight is None else np.flatnonzero(weight > 0)
    rule = rule or rules.Perceptron()
    mistakes, updates = [], 0
    for steps in reference.passes(twin, rule, range(len(X)), codes.tolist(), orders_of(there, shuffle, rng), weight):
        mistakes.append(sum(step.mistakes for step in steps))
        updates += sum(step.updates for step in steps)
        if mistakes[-1] == 0 and not any(twin.consider(rule, i, int(codes[i])).mistakes for i in there):
            break
    assume(not twin.delicate)
    assert model.mistakes_.tolist() == mistakes
    assert model.n_updates_ == updates
    assert model.support_.tolist() == [i for i, _, _ in twin.history]
    assert model.n_support_.sum() == len(twin.history) <= budget
    scale = max([1.0, *(abs(a) for coef in twin.dual for a in coef)])
    dual = np.reshape(twin.dual, (-1, n)).T
    np.testing.assert_allclose(model.dual_coef_, dual, rtol=1e-6, atol=1e-7 * scale)
    expected = K_other[model.support_].T @ dual.T
    scores = np.reshape(model.decision_function(others), expected.shape)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-7 * scale * max(1, np.abs(K_other).max()))
    assert model.margin_bounds_[1] == np.inf
    assert model.verdict_ in ("separated", "stopped")
    return model, twin


budgets = {"budget": st.integers(1, 7), "eta": st.sampled_from((0.05, 0.3, 1.0))}


@pytest.mark.diagonal
@pytest.mark.parametrize("policy", ["random", "projectron"])
@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@few
@given(problem=problems(), kernel=st.sampled_from(("linear", "rbf", "callable", "precomputed")), **choices, **budgets)
def test_every_rule_on_a_budget_is_that_of_one_example_at_a_time(rule, share, policy, problem, kernel, **options):
    pair(problem, kernel, for_classes(rule, len(np.unique(problem[2]))), share, budget_policy=policy, **options)


@settings(max_examples=60)
@given(
    problem=problems(classes=(2,)), kernel=st.sampled_from(UNIT), budget=st.integers(1, 7),
    **{name: value for name, value in choices.items() if name not in ("bias", "weighted")},
)  # fmt: skip
def test_the_forgetron_is_the_references(problem, kernel, **options):
    _, twin = pair(problem, kernel, None, bias=False, budget_policy="forgetron", **options)
    assert twin.Q - 15 / 32 * twin.mistakes <= 1e-9


@settings(max_examples=80)
@given(
    problem=problems(), kernel=st.sampled_from(("linear", "rbf", "callable", "precomputed")),
    **{name: value for name, value in choices.items() if name != "weighted"}, **budgets,
)  # fmt: skip
def test_the_projectron_plus_plus_is_the_references(problem, kernel, **options):
    pair(problem, kernel, None, budget_policy="projectron++", **options)


whole = problems(kinds=("integers",), repeats=True)


@pytest.mark.parametrize("share", ["max", "ovr"])
@given(problem=whole, single=st.booleans(), budget=st.integers(1, 7), **choices)
def test_ties_on_whole_numbers_are_exact(share, problem, single, budget, bias, weighted, shuffle, ties, block_size):
    """One at random gives way: sums of whole numbers, in which every tie is one."""
    X, _, codes, weight, seed = problem
    weight = weight if weighted else None
    X = X.astype(np.float32) if single else X
    model = rb.KernelPerceptron(
        kernel="linear", multiclass=share, fit_intercept=bias, shuffle=shuffle, ties=ties, block_size=block_size,
        random_state=seed, max_iter=PASSES, tol=None, budget=budget,
    ).fit(X, codes, sample_weight=weight)  # fmt: skip
    rng = np.random.default_rng(seed)
    form, n = form_of(int(codes.max()) + 1, share)
    rows = X.astype(float).tolist()
    twin = reference.BudgetModel(
        lambda x, z: sum(a * b for a, b in zip(x, z)) + bias, form, n, budget=budget, ties=ties,
        draw=lambda size: int(rng.integers(size)),
    )  # fmt: skip
    there = np.arange(len(X)) if weight is None else np.flatnonzero(weight > 0)
    runs = reference.passes(twin, rules.Perceptron(), rows, codes.tolist(), orders_of(there, shuffle, rng), weight)
    assert model.mistakes_.tolist() == [sum(s.mistakes for s in next(runs)) for _ in model.mistakes_]
    np.testing.assert_array_equal(model.dual_coef_, np.reshape(twin.dual, (-1, n)).T)
    np.testing.assert_array_equal(model.support_vectors_, [z for z, _, _ in twin.history])


# ---- blocks, chunks, copies ------------------------------------------------------------------------------------------


def a_stream(n=300, k=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.digitize(np.sin(2 * X[:, 0]) + X[:, 1], np.linspace(-0.8, 0.8, k + 1)[1:-1])


def on_a_budget(policy, budget=12, **params):
    return rb.KernelPerceptron(
        kernel="rbf", gamma=0.5, fit_intercept=False, budget=budget, budget_policy=policy, random_state=5, **params
    )


def run_of(model):
    return learned(model), model.n_updates_, model.mistakes_


def same(one, other, tol=1e-9):
    for got, expected in zip(run_of(one), run_of(other)):
        np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)


@pytest.mark.diagonal
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("policy", POLICIES)
def test_blocks_and_chunks_of_any_size_are_the_same_run(policy, k):
    if policy == "forgetron" and k > 2:
        return
    X, y = a_stream(k=k)
    whole = on_a_budget(policy).partial_fit(X, y, classes=range(k))
    assert whole.n_updates_ > 2 * 12 or policy.startswith("projectron")
    for size in (1, 2, 7, 64, 1000):
        same(on_a_budget(policy, block_size=size).partial_fit(X, y, classes=range(k)), whole)
    for size in (1, 5, 100):
        stream = on_a_budget(policy, block_size=7)
        for start in range(0, len(X), size):
            stream.partial_fit(X[start : start + size], y[start : start + size], classes=range(k))
        same(stream, whole)
    fitted = on_a_budget(policy, shuffle=False, max_iter=1, tol=None).fit(X, y)
    same(fitted, whole)


@pytest.mark.parametrize("policy", POLICIES)
def test_copies_in_mid_stream_go_the_same_way(policy):
    X, y = a_stream()
    stream = on_a_budget(policy).partial_fit(X[:150], y[:150])
    copies = [copy.deepcopy(stream), pickle.loads(pickle.dumps(stream))]
    before = run_of(stream)
    stream.partial_fit(X[150:], y[150:])
    for other in copies:
        for got, expected in zip(run_of(other), before):
            np.testing.assert_array_equal(got, expected)
        other.partial_fit(X[150:], y[150:])
        same(other, stream, tol=0)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_stream_goes_on_from_a_memory_map(policy, tmp_path):
    X, y = a_stream()
    stream = on_a_budget(policy).partial_fit(X[:150], y[:150])
    joblib.dump(stream, tmp_path / "stream")
    mapped = joblib.load(tmp_path / "stream", mmap_mode="r")
    same(mapped.partial_fit(X[150:], y[150:]), stream.partial_fit(X[150:], y[150:]), tol=0)


@pytest.mark.parametrize("policy", POLICIES)
def test_early_stopping_goes_back_to_its_best_pass(policy):
    """What was kept then, and what the policy knew of it: the model can learn on."""
    X, y = a_stream()
    model = on_a_budget(policy, early_stopping=True, n_iter_no_change=3, max_iter=40).fit(X, y)
    policy, learner = model._learner.policy, model._learner
    assert len(learner.support) == len(learner.alpha) == model.n_support_.sum()
    assert policy.n == model.n_support_.sum()
    if len(policy.gram):
        kept = model.support_vectors_
        gram = np.exp(-0.5 * ((kept[:, None] - kept[None]) ** 2).sum(axis=2))
        np.testing.assert_allclose(policy.gram[: policy.n, : policy.n], gram, atol=1e-12)
    model.partial_fit(X, y)
    assert model.n_support_.sum() <= 12


@pytest.mark.parametrize("policy", POLICIES)
def test_sparse_rows_are_kept_sparse(policy):
    X, y = a_stream()
    X[np.abs(X) < 0.4] = 0
    dense, sparse = on_a_budget(policy), on_a_budget(policy)
    for start in range(0, 300, 60):
        dense.partial_fit(X[start : start + 60], y[start : start + 60])
        sparse.partial_fit(sp.csr_matrix(X[start : start + 60]), y[start : start + 60])
    assert sp.issparse(sparse.support_vectors_)
    same(sparse, dense)


@pytest.mark.parametrize("policy", ["random", "projectron", "projectron++"])
def test_a_class_in_mid_stream(policy):
    X, y = a_stream(k=3)
    order = np.argsort(y == 2, kind="stable")
    X, y = X[order], y[order]
    whole = on_a_budget(policy).partial_fit(X, y)
    stream = on_a_budget(policy)
    for start in range(0, 300, 9):
        stream.partial_fit(X[start : start + 9], y[start : start + 9])
    same(stream, whole)
    assert whole.dual_coef_.shape == (3, whole.n_support_.sum())


# ---- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_a_stream_of_any_length_is_kept_in_a_constant_size(policy):
    rng = np.random.default_rng(0)
    stream, sizes = on_a_budget(policy, budget=25, projection_tol=0.01), []
    for part in range(20):  # 10,000 rows of a boundary that turns
        X = rng.standard_normal((500, 2))
        stream.partial_fit(X, (X @ [np.cos(part / 3), np.sin(part / 3)] > 0) ^ (rng.random(500) < 0.05))
        assert stream.n_support_.sum() <= 25
        learner = stream._learner
        assert len(learner.alpha) == len(learner.support) == stream.n_support_.sum()
        assert len(learner.which) == len(learner.coef) == len(learner.time) == len(learner.slot) == 0
        sizes.append(len(pickle.dumps(stream)))
    assert stream.n_support_.sum() == 25
    assert stream.n_updates_ > 500
    assert max(sizes[2:]) - min(sizes[2:]) < 64  # the digits of counts


# ---- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@few
@given(problem=problems(), shuffle=st.booleans())
def test_a_budget_that_is_never_spent_changes_nothing(rule, share, problem, shuffle):
    X, other, codes, _, seed = problem
    params = {
        "kernel": "rbf",
        "gamma": 0.4,
        "rule": for_classes(rule, len(np.unique(codes))),
        "multiclass": share,
        "shuffle": shuffle,
        "random_state": seed,
    }
    # the other rules meet a row again at the very margin that they gave it
    params |= {"max_iter": PASSES if isinstance(rule, rules.Perceptron) else 1, "tol": None}
    free, bounded = rb.KernelPerceptron(**params).fit(X, codes), rb.KernelPerceptron(**params, budget=60).fit(X, codes)
    assert bounded.mistakes_.tolist() == free.mistakes_.tolist()
    assert (bounded.n_updates_, bounded.verdict_) == (free.n_updates_, free.verdict_)
    np.testing.assert_allclose(bounded.decision_function(other), free.decision_function(other), rtol=1e-9, atol=1e-9)
    assert bounded.margin_bounds_[0] == pytest.approx(free.margin_bounds_[0], rel=1e-6, abs=1e-9)


@pytest.mark.diagonal
@pytest.mark.parametrize("share", ["max", "uniform", "ovr"])
@pytest.mark.parametrize("sparse", [False, True])
@settings(max_examples=15)
@given(problem=problems(), bias=st.booleans(), shuffle=st.booleans())
def test_exact_projections_are_the_perceptron(share, sparse, problem, bias, shuffle):
    """In d dimensions d examples span all there is: no more are kept, and not a mistake is another one."""
    X, other, codes, _, seed = problem
    X, other = (sp.csr_matrix(M) if sparse else M for M in (X, other))
    params = {"kernel": "linear", "multiclass": share, "fit_intercept": bias, "shuffle": shuffle, "random_state": seed}
    params |= {"max_iter": 20, "tol": None}
    free = rb.KernelPerceptron(**params).fit(X, codes)
    spanned = rb.KernelPerceptron(**params, budget=100, budget_policy="projectron", projection_tol=0.0).fit(X, codes)
    assert spanned.n_support_.sum() <= X.shape[1] + bias
    assume(np.abs(free.decision_function(X)).min() > 1e-6)
    assert spanned.mistakes_.tolist() == free.mistakes_.tolist()
    assert spanned.n_updates_ == free.n_updates_
    scores = free.decision_function(other)
    size = np.abs(free.dual_coef_).sum() * (1 + np.abs(X).max() ** 2)
    np.testing.assert_allclose(spanned.decision_function(other), scores, rtol=1e-6, atol=1e-9 * size)


def test_exact_projections_in_fractions():
    """The reference loses nothing at all: the perceptron's scores, from as many examples as there are dimensions."""
    rng = np.random.default_rng(3)
    rows, codes = rng.integers(-3, 4, (40, 3)).tolist(), rng.integers(0, 2, 40).tolist()

    def line(x, z):
        return sum(a * b for a, b in zip(x, z)) + 1

    free = reference.KernelModel(line, "binary")
    spanned = reference.BudgetModel(line, "binary", budget=99, policy="projectron", eta=0)
    rule = rules.Perceptron(eta0=1)
    for x, y in zip(rows, codes):
        assert spanned.visit(rule, x, y).scores == free.visit(rule, x, y).scores
    assert len(spanned.history) == 4
    assert any(isinstance(a, Fraction) and a.denominator > 1 for (a,) in spanned.dual)


@pytest.mark.parametrize("policy", POLICIES)
def test_no_budget_separates_one_orthonormal_row_more_than_it_has(policy):
    """Dekel et al. (2008), the limit of every budget: of B + 1 orthonormal rows, B examples leave one unlearned."""
    B = 6
    X, y = np.eye(B + 1), np.arange(B + 1) % 2
    params = {"kernel": "linear", "fit_intercept": False, "budget": B, "budget_policy": policy, "random_state": 0}
    few = rb.KernelPerceptron(**params).fit(X[:B], y[:B])
    assert (few.verdict_, few.mistakes_.tolist()) == ("separated", [B, 0])
    assert few.margin_bounds_ == pytest.approx((B**-0.5, np.inf))
    many = rb.KernelPerceptron(**params, max_iter=30, tol=None).fit(X, y)
    assert many.verdict_ == "stopped"
    assert many.mistakes_.min() >= 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_the_lower_bound_is_one(policy, k, kernel):
    if policy == "forgetron" and k > 2:
        return
    rng = np.random.default_rng(k)
    X = np.vstack([rng.standard_normal((10, 2)) / 4 + 2 * np.array([np.cos(c), np.sin(c)]) for c in (0, 2, 4)[:k]])
    y = np.repeat(np.arange(k), 10)
    K = np.exp(-0.4 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = rb.KernelPerceptron(
        kernel=kernel, gamma=0.4, fit_intercept=False, budget=15, budget_policy=policy, random_state=0
    ).fit(K if kernel == "precomputed" else X, y)
    (_, high), _ = kernel_margin(K, y, "max")
    assert model.verdict_ == "separated"
    assert 0 < model.margin_bounds_[0] <= high
    kept, dual = K[np.ix_(model.support_, model.support_)], model.dual_coef_
    norm = np.sqrt(np.einsum("ci,ij,cj->", dual, kept, dual))
    scores = K[:, model.support_] @ dual.T
    if k == 2:
        least = np.where(y == 1, scores[:, 0], -scores[:, 0]).min()
    else:
        least = min(scores[i, y[i]] - scores[i, r] for i in range(len(y)) for r in range(k) if r != y[i])
    assert model.margin_bounds_[0] == pytest.approx(least / norm, rel=1e-9)


# ---- theorems --------------------------------------------------------------------------------------------------------


def comparators(K, y, seed=0):
    """Functions g to compare with: (‖g‖², Σ hinge losses), from least squares at several strengths and lengths."""
    Z = features(K)
    for strength in (0.1, 1.0, 10.0, 100.0):
        g = np.linalg.solve(Z.T @ Z + strength * np.eye(Z.shape[1]), Z.T @ y)
        for length in (0.25, 0.5, 1.0, 1.5, 2.5, 4.0):
            u = g * length / np.linalg.norm(g)
            yield float(u @ u), float(np.maximum(0, 1 - y * (Z @ u)).sum())


def noisy(seed, n=600, noise=0.05):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.7, 1, -1) * np.where(rng.random(n) < noise, -1, 1)
    return X, y, np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 2)


@pytest.mark.parametrize("budget", [83, 150])
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
def test_the_forgetrons_mistakes_are_bounded(budget, noise):
    """Dekel et al. (2008): M ≤ 2‖g‖² + 4·Σ ℓ for ‖g‖ ≤ ¼·√((B + 1)/log(B + 1)), B ≥ 83."""
    X, y, K = noisy(1, noise=noise)
    model = rb.KernelPerceptron(
        kernel="rbf", gamma=0.5, fit_intercept=False, budget=budget, budget_policy="forgetron"
    ).partial_fit(X, y)
    mistakes, U = int(model.mistakes_[0]), 0.25 * np.sqrt((budget + 1) / np.log(budget + 1))
    bounds = [2 * norm2 + 4 * loss for norm2, loss in comparators(K, y) if norm2 <= U**2]
    assert bounds
    assert mistakes <= min(bounds)
    policy = model._learner.policy
    assert policy.mistakes == mistakes
    assert 0 <= policy.Q <= 15 / 32 * mistakes + 1e-9


@given(seed=st.integers(0, 10**6), budget=st.integers(1, 9))
def test_what_the_forgetron_forgets_is_what_the_proof_allows(seed, budget):
    """The damage of each removal is Ψ, φ is the largest that Q ≤ (15/32)·M allows, and ‖f‖² stays below M."""
    rng = np.random.default_rng(seed)
    K, y = noisy(seed, n=60, noise=0.3)[2], rng.integers(0, 2, 60)
    twin = reference.BudgetModel(lambda i, j: float(K[i, j]), "binary", budget=budget, policy="forgetron")
    for i in range(60):
        before, Q = list(twin.history), twin.Q
        if not twin.visit(rules.Perceptron(), i, int(y[i])).moves:
            continue
        rows, alpha = [j for j, _, _ in twin.history], np.array(twin.dual)[:, 0]
        assert alpha @ K[np.ix_(rows, rows)] @ alpha <= twin.mistakes + 1e-9
        assert np.abs(alpha).max() <= 1 + 1e-12  # every coefficient began as 1 and only shrank
        if len(before) < budget:
            assert twin.Q == Q
            continue
        phi = abs(next(a for (a,), (_, _, time) in zip(twin.dual, twin.history) if time == i + 1))
        oldest, (a,), _ = min(before, key=lambda kept: kept[2])
        after = sum(c * K[j, oldest] for j, (c,), _ in before) + (1 if y[i] else -1) * K[i, oldest]
        candidates = np.linspace(phi, 1, 50)
        shrunk = abs(a) * candidates
        damage = shrunk**2 + 2 * shrunk - 2 * shrunk * (candidates * np.sign(a) * after)
        room = 15 / 32 * twin.mistakes - Q
        assert abs(twin.Q - Q - damage[0]) < 1e-9
        assert 0 < phi <= 1
        assert damage[0] <= room + 1e-9
        assert phi == 1 or np.all(damage[1:] > room - 1e-9)


@pytest.mark.parametrize("eta", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("share", ["max", "ovr"])
@pytest.mark.parametrize("k", [2, 3])
def test_a_projection_costs_at_most_its_norm_of_margin(eta, share, k):
    """Novikoff's proof with steps that lose η at most: ‖w‖² ≤ M·R² and u·w ≥ M·(γ − η), so M ≤ (R/(γ − η))²."""
    rng = np.random.default_rng(k)
    X = np.vstack([rng.standard_normal((40, 2)) / 4 + 2 * np.array([np.cos(c), np.sin(c)]) for c in (0, 2, 4)[:k]])
    y = np.repeat(np.arange(k), 40)
    model = rb.KernelPerceptron(
        kernel="rbf", gamma=0.4, fit_intercept=False, multiclass=share, budget=1000, budget_policy="projectron",
        projection_tol=eta, random_state=0, max_iter=50,
    ).fit(X, y)  # fmt: skip
    K = np.exp(-0.4 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    (gamma, _), R2 = kernel_margin(K, y, share)
    assert gamma > eta
    vectors = k if share == "ovr" and k > 2 else 1  # each has its own mistakes
    assert model.n_updates_ <= vectors * R2 / (gamma - eta) ** 2
    assert model.verdict_ == "separated"
    kept, dual = K[np.ix_(model.support_, model.support_)], model.dual_coef_
    assert np.einsum("ci,ij,cj->", dual, kept, dual) <= model.n_updates_ * R2 + 1e-9
    root = 2**0.5 if k > 2 and share == "max" else k**0.5 if k > 2 else 1  # of a step's squared length, at most
    pivots = np.diagonal(np.linalg.cholesky(kept))
    assert pivots.min() > eta / root - 1e-9  # each kept example stands out of the span of those before it


@pytest.mark.parametrize("policy", ["projectron", "projectron++"])
@pytest.mark.parametrize("eta", [0.02, 0.1, 0.25])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_projectrons_mistakes_are_bounded(policy, eta, noise):
    """‖f − u‖² falls by 2 − 2ℓ − 2η‖u‖ − 1 at each mistake, and by −2ℓ at least at a margin step, if η‖u‖ ≤ 1.

    The terms of Orabona et al.'s proofs; so M·(1 − 2η‖u‖) ≤ ‖u‖² + 2·Σ ℓ.
    """
    X, y, K = noisy(2, noise=noise)
    model = on_a_budget(policy, budget=1000, projection_tol=eta).partial_fit(X, y)
    mistakes = int(model.mistakes_[0])
    held = [
        mistakes * (1 - 2 * eta * norm2**0.5) <= norm2 + 2 * loss
        for norm2, loss in comparators(K, y)
        if 2 * eta * norm2**0.5 < 1
    ]
    assert held
    assert all(held)


def test_the_projectron_plus_plus_moves_on_small_margins_only_where_it_helps():
    """A margin step takes ‖f − u‖² up by 2τℓ at most, where ℓ is the loss of u: any u with ‖u‖ ≤ 1/η."""
    _, y, K = noisy(3, n=300)
    eta = 0.2
    twin = reference.BudgetModel(lambda i, j: float(K[i, j]), "binary", budget=300, policy="projectron++", eta=eta)
    Z = features(K)
    u = np.linalg.solve(Z.T @ Z + 10 * np.eye(300), Z.T @ y)
    u = u / np.linalg.norm(u) / eta
    losses = np.maximum(0, 1 - y * (Z @ u))
    moves, w = 0, np.zeros(300)
    for i in range(300):
        step = twin.visit(rules.Perceptron(), i, int(y[i] > 0))
        now = Z[[j for j, _, _ in twin.history]].T @ np.array(twin.dual)[:, 0]
        if step.moves and not step.mistakes:
            tau = step.gains[0]
            assert 0 < tau <= 1
            assert (now - u) @ (now - u) <= (w - u) @ (w - u) + 2 * tau * losses[i] + 1e-9
            assert y[i] * (Z[i] @ now) <= 1 + 1e-9  # not beyond the margin
            moves += 1
        w = now
    assert moves > 20


# ---- ill-conditioned spans -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("eta", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("policy", ["projectron", "projectron++"])
def test_rows_that_nearly_span_each_other(policy, eta, dtype):
    """Smooth kernels have spans of almost any thinness; what is projected stays a projection."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((400, 2)), 1).astype(dtype)
    y = (np.sin(3 * X[:, 0]) + X[:, 1] > 0) ^ (rng.random(400) < 0.1)
    model = rb.KernelPerceptron(
        kernel="rbf", gamma=0.05, fit_intercept=False, budget=400, budget_policy=policy, projection_tol=eta,
        random_state=0, max_iter=5, tol=None,
    ).fit(X, y)  # fmt: skip
    policy = model._learner.policy
    n = policy.n
    assert n == model.n_support_.sum() < 400
    gram = policy.gram[:n, :n]
    kept = model.support_vectors_.astype(float)
    K = np.exp(-0.05 * ((kept[:, None] - kept[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(gram, K, atol=64 * np.finfo(dtype).eps)
    for k in gram:  # of one that is kept nothing is left, and its projection scores as it does
        c, delta = policy._span(Step(np.ones(1), 0.0, True, k, 1.0))
        assert delta == 0
        np.testing.assert_allclose(gram @ c, k, atol=1e-9 if dtype == np.float64 else 1e-5)
    assert np.all(np.isfinite(model.dual_coef_))


# ---- what is refused -------------------------------------------------------------------------------------------------

ROWS = np.random.default_rng(1).standard_normal((12, 3))
LABELS = (ROWS[:, 0] > 0).astype(int)

PARAMETERS = [
    ({"budget": 0}, ("budget", ">= 1", "0")),
    ({"budget": -3}, ("budget", "-3")),
    ({"budget": 2.5}, ("budget", "whole", "2.5")),
    ({"budget": True}, ("budget", "whole", "True")),
    ({"budget": "many"}, ("budget", "many")),
    ({"budget": 5, "budget_policy": "oldest"}, ("budget_policy", "forgetron", "oldest")),
    ({"budget": None, "budget_policy": "forgetron"}, ("forgetron", "needs a budget")),
    ({"budget": None, "budget_policy": "projectron"}, ("projectron", "needs a budget")),
    ({"budget": 5, "readout": "averaged"}, ("budget", "'last'", "averaged")),
    ({"budget": 5, "readout": "pocket"}, ("budget", "'last'", "pocket")),
    ({"budget": 5, "projection_tol": -0.1}, ("projection_tol", "-0.1")),
    ({"budget": 5, "projection_tol": float("nan")}, ("projection_tol", "nan")),
    ({"budget": 5, "projection_tol": "small"}, ("projection_tol", "small")),
    ({"budget": 5, "budget_policy": "forgetron", "rule": rules.PA()}, ("forgetron", "PA()", "'random'")),
    ({"budget": 5, "budget_policy": "forgetron", "rule": rules.Perceptron(eta0=2)}, ("forgetron", "steps of 1")),
    ({"budget": 5, "budget_policy": "projectron++", "rule": rules.PA1()}, ("projectron++", "PA1", "steps of 1")),
    ({"budget": 5, "budget_policy": "projectron++", "rule": rules.Perceptron(margin=1)}, ("projectron++", "margin")),
    ({"budget": 5, "budget_policy": "forgetron"}, ("row", "K(x, x) = 2", "<= 1", "fit_intercept=False")),
]


def state(model):
    """All that is learned, and where the next rows would lead."""
    if not model.__sklearn_is_fitted__():
        return [sorted(vars(model))]
    model = copy.deepcopy(model)
    now = [*run_of(model), model.verdict_, model.classes_, repr(model.get_params())]
    return [*now, *run_of(model.partial_fit(ROWS / 9, LABELS))]


def refused(model, call, *telling):
    before = state(model)
    one_sentence(lambda: call(model), ValueError, *telling)
    for got, expected in zip(state(model), before):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("params", "telling"), PARAMETERS, ids=str)
def test_parameters_are_refused(params, telling):
    for call in (lambda model: model.fit(ROWS, LABELS), lambda model: model.partial_fit(ROWS, LABELS)):
        refused(rb.KernelPerceptron(**params), call, *telling)
    fitted = rb.KernelPerceptron(budget=3, random_state=0).fit(ROWS, LABELS).set_params(**params)
    refused(fitted, lambda model: model.fit(ROWS, LABELS), *telling)


def test_votes_have_no_budget():
    refused(rb.VotedPerceptron(budget=5), lambda model: model.fit(ROWS, LABELS), "budget", "'last'", "voted")
    model = rb.KernelPerceptron(budget=5).fit(ROWS, LABELS)
    for readout in ("averaged", "voted", "pocket"):
        refused(model, lambda model, readout=readout: model.with_readout(readout), "budget", readout)
    np.testing.assert_array_equal(model.with_readout("last").predict(ROWS), model.predict(ROWS))
    with pytest.raises(AttributeError, match="budget"):
        _ = model.n_voters_


def test_a_run_that_ends_undecided_says_that_it_has_no_bound():
    with pytest.warns(ConvergenceWarning, match="no separator, and such a run has no bound"):
        rb.KernelPerceptron(budget=2, max_iter=2, tol=1e-4, random_state=0).fit(ROWS, np.arange(12) % 2)


def test_a_device_has_no_budget(monkeypatch):
    monkeypatch.setattr("rosenblatt.core.spaces.kernel.arrays.cuda", lambda: None)
    one_sentence(
        lambda: rb.KernelPerceptron(budget=5, device="cuda").fit(ROWS, LABELS), ValueError, "budget", "device='cpu'"
    )


@pytest.mark.parametrize("block_size", [1, 3, 256])
def test_rows_that_the_forgetron_cannot_take(block_size):
    """Told with their number, at once or in the midst, and the state is as it was."""
    rows = ROWS / np.linalg.norm(ROWS, axis=1, keepdims=True)
    long = rows.copy()
    long[7] *= 1.1
    shared = {"kernel": "linear", "fit_intercept": False, "budget": 4, "block_size": block_size}
    model = rb.KernelPerceptron(**shared, budget_policy="forgetron").partial_fit(rows, LABELS)
    refused(model, lambda model: model.partial_fit(long, LABELS), "row 7", "1.21", "<= 1")
    refused(model, lambda model: model.partial_fit(long[7:8], LABELS[7:8]), "row 0", "1.21")
    weight = np.ones(12)
    weight[7] = 0
    model.partial_fit(long, LABELS, sample_weight=weight)
    for dtype in (np.float32, np.float64):  # lengths of 1 within rounding are taken
        rb.KernelPerceptron(**shared, budget_policy="forgetron").fit(rows.astype(dtype), LABELS)


@pytest.mark.parametrize("policy", ["forgetron", "projectron++"])
def test_weights_where_steps_are_1(policy):
    weight = np.ones(12)
    weight[[2, 5]] = 0
    model = on_a_budget(policy, budget=4).partial_fit(ROWS, LABELS, sample_weight=weight)
    there = on_a_budget(policy, budget=4).partial_fit(ROWS[weight > 0], LABELS[weight > 0])
    np.testing.assert_array_equal(model.dual_coef_, there.dual_coef_)
    weight[4] = 0.5
    refused(model, lambda model: model.partial_fit(ROWS, LABELS, sample_weight=weight), policy, "row 4", "0.5")
    refused(model, lambda model: model.fit(ROWS, LABELS, sample_weight=weight), policy, "row 4", "0.5")
    heavy = on_a_budget(policy, class_weight={1: 2.0})
    refused(heavy, lambda model: model.fit(ROWS, LABELS), policy, "2")


def test_classes_that_a_policy_cannot_take():
    three = np.arange(12) % 3
    forgetron = on_a_budget("forgetron", budget=4)
    refused(forgetron, lambda model: model.fit(ROWS, three), "forgetron", "two classes")
    forgetron.partial_fit(ROWS, LABELS)
    refused(forgetron, lambda model: model.partial_fit(ROWS, three), "forgetron", "two classes")
    for share in ("uniform", "proportional", "ovr"):
        plus = on_a_budget("projectron++", budget=4, multiclass=share)
        refused(plus, lambda model: model.fit(ROWS, three), "projectron++", "'max'", share)
        plus.partial_fit(ROWS, LABELS)
        refused(plus, lambda model: model.partial_fit(ROWS, three), "projectron++", "'max'", share)
