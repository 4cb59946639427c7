"""Iterative parameter mixing: the bits of its reference, the identity of one shard, theorem, average, bounds."""

import copy
import warnings
from fractions import Fraction
from itertools import pairwise

import mixing_twin
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from identity import every, is_regressor, same_bits
from problems import (
    against_rivals,
    augmented,
    best_margin,
    few,
    problems,
    radius2,
    separable,
    separable_classes,
    signed,
)

import rosenblatt as rb
from rosenblatt.core import mixing, reference, rules, weights
from rosenblatt.distributed import fit

SEED = 5

LEARNERS = [
    (rules.Perceptron(), "max"),
    (rules.Perceptron(eta0=0.3), "uniform"),
    (rules.Perceptron(margin=0.5), "proportional"),
    (rules.Perceptron(eta0=0.7), "ovr"),
    (rules.PA(), "max"),
    (rules.PA1(C=0.07), "ovr"),
    (rules.PA2(C=0.3), "max"),
    (rules.MIRA(), "max"),
    (rules.NormMIRA(), "max"),
]

cases = st.fixed_dictionaries(
    {
        "learner": st.sampled_from(LEARNERS),
        "readout": st.sampled_from(("last", "averaged")),
        "mix": st.sampled_from(mixing.MIXES),
        "shards": st.integers(1, 11),
        "sparse": st.booleans(),
        "kept": st.sampled_from(("all", "met", "lists")),  # which weights have rows
        "weighted": st.booleans(),
        "shuffle": st.booleans(),
        "fit_intercept": st.booleans(),
    }
)


def quietly(estimator, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(estimator, *data, client="here", progress=False, **options)


def local(estimator, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*data, **options)


def shard_edges(n, shards):
    return list(pairwise(i * n // shards for i in range(shards + 1)))


def orders_of(weight, edges, shuffle):
    """Endless orders of each shard: shard 0 draws as a local fit does, the others by their number."""
    generators = [np.random.default_rng(SEED), *(np.random.default_rng([SEED, i]) for i in range(1, len(edges)))]
    while True:
        natural = [np.arange(b - a) if weight is None else np.flatnonzero(weight[a:b] > 0) for a, b in edges]
        yield [rng.permutation(rows) if shuffle else rows for rng, rows in zip(generators, natural)]


@settings(max_examples=60)
@given(problems(max_rows=24), cases)
def test_shards_give_the_bits_of_the_reference(problem, case):
    (rule, share), (n, d) = case["learner"], problem.X.shape
    averaged, weight = case["readout"] == "averaged", problem.weight if case["weighted"] else None
    edges = shard_edges(n, min(case["shards"], n))
    k = 1 if problem.n_classes == 2 else problem.n_classes
    with pytest.MonkeyPatch.context() as patch:
        if case["kept"] != "all":
            patch.setattr(weights, "WIDE", 0)
            patch.setattr(weights, "FEW", 0)
        if case["kept"] == "lists":
            patch.setattr(weights, "SIDE_BY_SIDE", 0)
        model = quietly(
            rb.OnlineClassifier(
                rule=rule, readout=case["readout"], multiclass=share, shuffle=case["shuffle"], random_state=SEED,
                max_iter=3, fit_intercept=case["fit_intercept"], tol=None,
            ),
            sp.csr_array(problem.X) if case["sparse"] else problem.X,
            problem.codes, shards=len(edges), mix=case["mix"], sample_weight=weight,
        )  # fmt: skip
    assert (model._learner.lists is not None) == (case["kept"] == "lists" and k > 1)
    model._learner.make_dense()
    number = float if problem.X.dtype == np.float64 else np.float32
    form = "binary" if k == 1 else "ovr" if share == "ovr" else "multiclass"
    expected = reference.Model(form, d, k, fit_intercept=case["fit_intercept"], share=share, number=number)
    rows = [[number(v) for v in row] for row in problem.X]
    shards = [
        (rows[a:b], problem.codes[a:b].tolist(), None if weight is None else weight[a:b].tolist()) for a, b in edges
    ]
    orders = orders_of(weight, edges, case["shuffle"])
    for record, mistakes in zip(model.distributed_, model.mistakes_):
        passed = mixing_twin.mixed_pass(expected, rule, shards, next(orders), case["mix"], averaged)
        assert sum(passed.mistakes) == mistakes
        assert tuple(passed.shares) == record.shares
    last = model._learner.active[:, :k]
    same_bits(last[1:].T, np.array(expected.w, problem.X.dtype))
    same_bits(last[0], np.array(expected.b, problem.X.dtype))
    assert model._learner.visited == expected.visited
    if averaged:
        total = model._learner.total[: 1 + d, :k]
        same_bits(total[1:].T, np.array(expected.total_w, np.float64))
        same_bits(total[0], np.array(expected.total_b, np.float64))


@given(problems(kinds=("integers",), dtypes=(np.float64,), features=(1, 2, 3), classes=(2, 3)), st.integers(1, 4))
def test_the_average_is_the_mean_of_the_weights_after_every_example(problem, shards):
    """In fractions, by its definition: the weights of all shards after each of their examples, in all passes."""
    edges, k = shard_edges(len(problem.X), shards), 1 if problem.n_classes == 2 else problem.n_classes
    form = "binary" if k == 1 else "multiclass"
    model = reference.Model(form, problem.X.shape[1], k, number=Fraction)
    rows = [[Fraction(v) for v in row] for row in problem.X]
    parts = [(rows[a:b], problem.codes[a:b].tolist()) for a, b in edges]
    met = []
    for mix in ("uniform", "updates", "updates"):
        for shard_rows, targets in parts:
            one = copy.deepcopy(model)
            for x, y in zip(shard_rows, targets):
                one.visit(rules.Perceptron(eta0=1), x, y)
                met.append([*one.b, *(v for w in one.w for v in w)])
        mixing_twin.mixed_pass(model, rules.Perceptron(eta0=1), parts, [range(b - a) for a, b in edges], mix)
    w, b = model.averaged()
    assert [*b, *(v for vector in w for v in vector)] == [sum(column) / len(met) for column in zip(*met)]


LOCAL = [
    rb.Perceptron(max_iter=6),
    rb.AveragedPerceptron(max_iter=6, shuffle=False),
    rb.AveragedPerceptron(max_iter=6, init="random", class_weight="balanced"),
    rb.Perceptron(max_iter=6, class_weight={0: 2.0}, multiclass="ovr"),
    rb.PassiveAggressiveClassifier(max_iter=6, average=True),
    rb.MIRA(max_iter=200),
    rb.PassiveAggressiveRegressor(average=True),
]


@every(LOCAL)
@given(problem=problems(classes=(2, 3, 9), dtypes=(np.float64, np.float32)), mix=st.sampled_from(mixing.MIXES))
@few
def test_one_shard_is_the_local_estimator(estimator, problem, mix):
    y = problem.targets if is_regressor(estimator) else problem.codes
    make = lambda: copy.deepcopy(estimator).set_params(random_state=3)  # noqa: E731
    with warnings.catch_warnings(record=True) as local_warnings:
        warnings.simplefilter("always")
        expected = make().fit(problem.X, y, sample_weight=problem.weight)
    with warnings.catch_warnings(record=True) as found_warnings:
        warnings.simplefilter("always")
        found = fit(
            make(), problem.X, y, shards=1, client="here", progress=False, mix=mix, sample_weight=problem.weight
        )
    same_bits(found.coef_, expected.coef_)
    same_bits(found.intercept_, expected.intercept_)
    same_bits(found._learner.tally.values, expected._learner.tally.values)
    assert (found.n_iter_, found.n_updates_) == (expected.n_iter_, expected.n_updates_)
    assert [str(w.message) for w in found_warnings] == [str(w.message) for w in local_warnings]
    assert [w.category for w in found_warnings] == [w.category for w in local_warnings]
    if not is_regressor(estimator):
        assert (found.margin_bounds_, found.equal_rows_) == (expected.margin_bounds_, expected.equal_rows_)
        assert (found.verdict_, found.mistakes_.tolist()) == (expected.verdict_, expected.mistakes_.tolist())
        same_bits(found.predict(problem.X), expected.predict(problem.X))


@given(separable(bias=True), st.integers(1, 6), st.sampled_from(mixing.MIXES))
def test_the_convergence_theorem(data, shards, mix):
    """McDonald et al. (2010), theorem 3: a mixed run separates, and Σ_n Σ_i μ_{i,n}·k_{i,n} ≤ R²/γ²."""
    X, y, _, _ = data
    shards = min(shards, len(X))
    model = quietly(rb.Perceptron(random_state=0, max_iter=100_000, tol=None), X, y, shards=shards, mix=mix)
    Z = signed(augmented(X, True), y)
    low, high = best_margin(Z)
    assert model.verdict_ == "separated"
    assert np.all(model.predict(X) == y)
    assert model.distributed_[-1].weighted_mistakes <= radius2(Z) / low**2 * (1 + 1e-9)
    assert model.margin_bounds_[0] <= high * (1 + 1e-9)
    assert model.margin_bounds_[1] >= low * (1 - 1e-9)
    w = np.append(model._learner.active[1:, 0], model._learner.active[0, 0])
    assert model.margin_bounds_[0] == pytest.approx((Z @ w).min() / np.linalg.norm(w))


@given(separable_classes(), st.integers(1, 4), st.sampled_from(mixing.MIXES))
def test_the_convergence_theorem_among_several_classes(data, shards, mix):
    X, codes, _ = data
    model = quietly(
        rb.Perceptron(random_state=0, max_iter=100_000, tol=None, fit_intercept=False), X, codes,
        shards=min(shards, len(X)), mix=mix,
    )  # fmt: skip
    low, high = best_margin(against_rivals(X, codes, codes.max() + 1))
    assert model.verdict_ == "separated"
    assert model.distributed_[-1].weighted_mistakes <= 2 * radius2(X) / low**2 * (1 + 1e-9)
    assert model.margin_bounds_[0] <= high * (1 + 1e-9)
    assert model.margin_bounds_[1] >= low * (1 - 1e-9)


RULES = [rb.Perceptron(), rb.AveragedPerceptron(eta0=0.3), rb.PassiveAggressiveClassifier(C=0.1), rb.MIRA(max_iter=50)]


@every(RULES)
@given(problem=problems(classes=(2, 4), features=(2, 3, 5)), shards=st.integers(2, 5))
def test_the_bounds_of_a_mixed_run_hold(estimator, problem, shards):
    """γ* lies between them, whether the data can be separated or not, in float32 as well."""
    model = quietly(
        copy.deepcopy(estimator).set_params(random_state=0, max_iter=30, tol=1e-3), problem.X, problem.codes,
        shards=min(shards, len(problem.X)), mix="updates",
    )  # fmt: skip
    X = augmented(problem.X.astype(float), True)
    Z = signed(X, 2 * problem.codes - 1) if problem.n_classes == 2 else against_rivals(X, problem.codes, 4)
    low, high = best_margin(Z)
    lower, upper = model.margin_bounds_
    assert upper >= low * (1 - 1e-6)
    if low > -np.inf:
        assert lower <= high * (1 + 1e-6)
    else:
        assert model.verdict_ != "separated" or high < 1e-9
    if model.verdict_ == "no margin":
        scale = np.sqrt(radius2(X) * (1 if problem.n_classes == 2 else 2))
        assert not low > 1e-3 * scale * (1 + 1e-6)


@given(st.integers(1, 13), st.sampled_from((np.float32, np.float64)), st.integers(0, 2**31), st.booleans())
def test_rows_that_travel_alone_give_the_bits_of_all_rows(shards, dtype, seed, averaged):
    """Each shard sends what it changed; the sum is that of all rows, where the others have the old values."""
    rng = np.random.default_rng(seed)
    d, k, visited = 12, 3, 1000
    far = int(rng.choice([1, 10**6]))  # rows side by side, or far between

    def held(rows):
        total = rng.standard_normal((len(rows), k)) * visited if averaged else None
        return mixing.Held(rows, rng.standard_normal((len(rows), k)).astype(dtype), total)

    old, used = held(np.arange(d)), np.flatnonzero(rng.random(d) < 0.7)
    if rng.random() < 0.5:  # as it travels where few rows are in use
        old = mixing.Held(used, old.weights[used], old.total[used] if averaged else None)
    parts = [held(np.flatnonzero(rng.random(d) < 0.4)) for _ in range(shards)]
    mus = rng.dirichlet(np.ones(shards)).tolist()
    shares = [mixing.Share(mu, float(rng.integers(-500, 500))) for mu in mus]
    spread = [held._replace(rows=held.rows * far) for held in (old, *parts)]
    found = mixing.mixture([mixing.term(share, part, spread[0]) for share, part in zip(shares, spread[1:])], spread[0])
    found, was = found._replace(rows=found.rows // far), old.at(np.arange(d))
    for j in range(d):
        changed = [int(np.searchsorted(part.rows, j)) if j in part.rows else None for part in parts]
        if all(place is None for place in changed):
            assert j not in found.rows
            continue
        place = int(np.searchsorted(found.rows, j))
        now = [was.weights[j] if at is None else part.weights[at].astype(float) for at, part in zip(changed, parts)]
        same_bits(found.weights[place], mixing.tree_sum([mu * w for mu, w in zip(mus, now)]))
        if averaged:
            totals = [was.total[j] if at is None else part.total[at] for at, part in zip(changed, parts)]
            terms = [
                mu * T + ((1 - mu) * (T - was.total[j]) + lag * (w - was.weights[j]))
                for (mu, lag), w, T in zip(shares, now, totals)
            ]
            same_bits(found.total[place], mixing.tree_sum(terms))


def test_no_weight_is_minus_zero():
    """It would add up differently."""
    root = mixing.Mixture((mixing.Share(1.0, 0.0),), np.array([0]), np.array([[-1e-60]]), None)
    assert not np.signbit(mixing.rounded(root, np.float32, 1).weights).any()


def test_the_room_for_rounding_grows_with_every_mixing():
    """One shard mixes nothing; more of them round as often as the tree is deep, and the upper bound has room for it."""
    assert [mixing.roundings(n) for n in (1, 2, 3, 4, 5, 8, 9, 256)] == [0, 3, 4, 4, 5, 5, 6, 10]
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 2, 60)
    learner = quietly(rb.Perceptron(random_state=0, max_iter=7, tol=None), X, y, shards=5)._learner
    assert learner.evidence.mixings == 7 * 5
    peak = np.sqrt(learner.evidence.peak2)
    last = np.sqrt((learner.active.astype(float) ** 2).sum())
    room = 2 * np.finfo(float).eps * peak * (learner.n_updates + 35)
    learner.evidence.upper = np.inf
    assert learner.margin_bounds[1] * learner.tau[0] - last == pytest.approx(room, rel=0.01)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.sampled_from((1, 2, 4, 8)))
def test_the_tree_is_the_same_in_groups(values, fan_in):
    """Neighbours may be added in one task or in many."""
    groups = values
    while len(groups) > 1 and fan_in > 1:
        groups = [mixing.tree_sum(groups[i : i + fan_in]) for i in range(0, len(groups), fan_in)]
    assert fan_in == 1 or groups[0] == mixing.tree_sum(values)
    same = mixing._sum_of_same(tuple(values), np.array([1.0]))
    assert same[0] == mixing.tree_sum(values)


@pytest.mark.parametrize(
    ("estimator", "why"),
    [
        (rb.BatchPerceptron(), "one step for all rows at once"),
        (rb.PocketPerceptron(), "pocket"),
        (rb.OnlineClassifier(readout="pocket"), "pocket"),
        (rb.KernelPerceptron(), "kernel"),
        (rb.VotedPerceptron(), "kernel"),
        (rb.KernelPerceptron(budget=5), "kernel"),
    ],
)
def test_what_cannot_be_mixed_is_refused(estimator, why):
    with pytest.raises(ValueError, match=why):
        fit(estimator, [[0.0], [1.0]], [0, 1], shards=1, client="here")
