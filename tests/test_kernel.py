"""Kernel space: every rule is that of one example at a time, in blocks of any size; readouts, bounds, real data."""

import copy
import gzip
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernel_twin import (
    KERNELS,
    PASSES,
    SMOOTH,
    Twin,
    as_table,
    choices,
    kernel_margin,
    orders_of,
    pair,
    problems,
    same_model,
    same_run,
    table,
    whole,
)
from problems import SEARCH, few, for_classes
from refusals import one_sentence
from test_native_equals_reference import LEARNERS

import rosenblatt as rb
from rosenblatt.core import reference, rules

BLOCKS = (1, 2, 3, 7, 64, 1000)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# ---- every rule is its twin ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@few
@given(problem=problems(), kernel=st.sampled_from(SMOOTH), **choices)
def test_every_rule_is_that_of_one_example_at_a_time(rule, share, problem, kernel, **options):
    rule = for_classes(rule, len(np.unique(problem[2])))
    model, twin, others, K_other, _ = pair(problem, kernel, rule, share, **options)
    assume(not twin.delicate)
    same_run(model, twin)
    expected = K_other[twin.support].T @ twin.dual().T
    np.testing.assert_allclose(as_table(model.decision_function(others)), expected, rtol=1e-9, atol=1e-9)


#: Rules whose steps on whole numbers are exact, so that every tie is one.
EXACT = [
    (rules.Perceptron(), "max"),
    (rules.Perceptron(), "ovr"),
    (rules.Perceptron(margin=3.0), "max"),
    (rules.Perceptron(eta0=0.5), "ovr"),
]


@pytest.mark.parametrize(("rule", "share"), EXACT, ids=str)
@given(problem=whole, kernel=st.sampled_from(("linear", "square")), single=st.booleans(), **choices)
def test_ties_on_whole_numbers_are_exact(rule, share, problem, kernel, single, **options):
    if single:
        problem = (problem[0].astype(np.float32), problem[1].astype(np.float32), *problem[2:])
    model, twin, others, K_other, _ = pair(problem, kernel, rule, share, **options)
    same_run(model, twin, exact=True)
    np.testing.assert_array_equal(as_table(model.decision_function(others)), K_other[twin.support].T @ twin.dual().T)
    assert model.dual_coef_.dtype == problem[0].dtype


@given(problem=whole, share=st.sampled_from(("max", "ovr")), **choices)
def test_the_square_kernel_is_its_monomials(share, problem, **options):
    """(x·x' + 1)² is the inner product of explicit monomials, among which the linear learner is as good."""
    X, _, codes, weight, seed = problem
    bias, weighted, shuffle = options["bias"], options["weighted"], options["shuffle"]
    d = X.shape[1]
    pairs = [(i, j) for i in range(d) for j in range(i)]
    crossed = np.array([X[:, i] * X[:, j] for i, j in pairs]).T.reshape(len(X), len(pairs))
    # √2 of the published map would round: the crossed terms stand twice instead
    rows = np.column_stack((np.ones(len(X)), X, X, X**2, crossed, crossed))
    model = pair(problem, "square", rules.Perceptron(), share, **options)[0]
    k = len(np.unique(codes))
    form = "binary" if k == 2 else "ovr" if share == "ovr" else "multiclass"
    linear = reference.Model(form, rows.shape[1], 1 if k == 2 else k, fit_intercept=bias, ties=options["ties"])
    orders = orders_of(len(X), weight if weighted else None, shuffle, seed)
    steps_of = reference.passes(
        linear, rules.Perceptron(), rows.tolist(), codes.tolist(), orders, weight if weighted else None
    )
    mistakes = [sum(step.mistakes for step in next(steps_of)) for _ in model.mistakes_]
    assert model.mistakes_.tolist() == mistakes
    scores = np.array([linear.scores(row) for row in rows.tolist()])
    np.testing.assert_array_equal(as_table(model.decision_function(X)), scores)


# ---- blocks -------------------------------------------------------------------------------------------------------


@pytest.mark.diagonal
@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize(("rule", "share"), EXACT, ids=str)
@settings(max_examples=6)
@given(problem=whole, shuffle=st.booleans(), ties=st.sampled_from(("mistake", "predict")))
def test_the_size_of_a_block_changes_nothing(rule, share, readout, problem, shuffle, ties):
    X, other, codes, _, seed = problem
    runs = []
    for size in BLOCKS:
        model = rb.KernelPerceptron(
            **KERNELS["square"][0], rule=rule, multiclass=share, readout=readout, block_size=size, shuffle=shuffle,
            ties=ties, random_state=seed, max_iter=PASSES, tol=None,
        ).fit(X, codes)  # fmt: skip
        runs.append((
            model.mistakes_, model.support_, model.support_vectors_, model.dual_coef_, model.n_updates_,
            model.verdict_, model.margin_bounds_, model.decision_function(other),
        ))  # fmt: skip
    for run in runs[1:]:
        for got, expected in zip(run, runs[0]):
            if isinstance(expected, tuple):
                assert got == pytest.approx(expected, rel=1e-12)
            else:
                np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kernel", [pytest.param("poly", marks=pytest.mark.slow), "rbf"])
@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
def test_blocks_of_any_size_on_real_numbers(rule, share, kernel):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((90, 4)), rng.integers(0, 4, 90)
    rule, whole_run = for_classes(rule, 4), None
    for size in BLOCKS:
        model = rb.KernelPerceptron(
            **KERNELS[kernel][0], rule=rule, multiclass=share, block_size=size, random_state=3, max_iter=4, tol=None
        ).fit(X, y)
        run = model.mistakes_.tolist(), model.support_.tolist(), model.n_updates_
        whole_run = whole_run or (run, model.dual_coef_)
        assert run == whole_run[0]
        np.testing.assert_allclose(model.dual_coef_, whole_run[1], rtol=1e-8, atol=1e-8)


# ---- the linear kernel is linear space ----------------------------------------------------------------------------


NAMED = [
    (rb.Perceptron(), {}),
    (rb.Perceptron(margin=0.5, multiclass="ovr"), {"rule": rules.Perceptron(margin=0.5), "multiclass": "ovr"}),
    (rb.AveragedPerceptron(), {"readout": "averaged"}),
    (rb.PocketPerceptron(), {"readout": "pocket"}),
    (rb.PassiveAggressiveClassifier(variant="PA"), {"rule": rules.PA()}),
    (rb.PassiveAggressiveClassifier(C=0.1, average=True), {"rule": rules.PA1(C=0.1), "readout": "averaged"}),
    (
        rb.PassiveAggressiveClassifier(C=0.3, variant="PA-II", multiclass="ovr"),
        {"rule": rules.PA2(C=0.3), "multiclass": "ovr"},
    ),
    (rb.MIRA(), {"rule": rules.MIRA()}),
    (rb.MIRA(C=0.1, average=True), {"rule": rules.MIRA(C=0.1), "readout": "averaged"}),
    (rb.MIRA(variant="norm"), {"rule": rules.NormMIRA()}),
]


@pytest.mark.parametrize(("linear", "params"), NAMED, ids=str)
@few
@given(problem=problems(), sparse=st.booleans(), **choices)
def test_the_linear_kernel_is_the_linear_estimator(linear, params, problem, sparse, block_size, bias, weighted, **more):
    X, _, codes, weight, seed = problem
    rows, labels = sp.csr_matrix(X) if sparse else X, np.array(list("pqrst"))[codes]
    shared = {"fit_intercept": bias, "max_iter": 20, "random_state": seed, **more}
    kernel = rb.KernelPerceptron(kernel="linear", block_size=block_size, **params, **shared)
    weight = weight if weighted else None
    same_model(
        kernel.fit(rows, labels, sample_weight=weight),
        copy.deepcopy(linear).set_params(**shared).fit(rows, labels, sample_weight=weight),
    )


@pytest.mark.parametrize(("linear", "params"), NAMED[:1] + NAMED[3:4], ids=str)
@given(problem=whole, sparse=st.booleans(), single=st.booleans(), **choices)
def test_the_linear_kernel_on_whole_numbers(
    linear, params, problem, sparse, single, block_size, bias, weighted, **more
):
    X, _, codes, weight, seed = problem
    X = X.astype(np.float32) if single else X
    rows = sp.csr_matrix(X) if sparse else X
    shared = {"fit_intercept": bias, "max_iter": 20, "tol": None, "random_state": seed, **more}
    kernel = rb.KernelPerceptron(kernel="linear", block_size=block_size, **params, **shared)
    weight = weight if weighted else None
    kernel.fit(rows, codes, sample_weight=weight)
    line = copy.deepcopy(linear).set_params(**shared).fit(rows, codes, sample_weight=weight)
    assert kernel.mistakes_.tolist() == line.mistakes_.tolist()
    assert (kernel.verdict_, kernel.n_updates_) == (line.verdict_, line.n_updates_)
    np.testing.assert_array_equal(kernel.coef_, line.coef_)
    np.testing.assert_array_equal(kernel.intercept_, line.intercept_)
    for got, expected, side in zip(kernel.margin_bounds_, line.margin_bounds_, (-1, 1)):
        loose = 0.05 if single else 1e-5
        assert got == pytest.approx(expected, rel=loose, abs=loose), side


# ---- readouts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "share"),
    [(rules.Perceptron(), "max"), (rules.Perceptron(), "ovr"), (rules.Perceptron(margin=0.3), "proportional"),
     (rules.PA1(C=0.5), "max"), (rules.PA(), "ovr"), (rules.MIRA(), "max")],
    ids=str,
)  # fmt: skip
@settings(max_examples=16)
@given(problem=problems(), kernel=st.sampled_from(SMOOTH), **choices)
def test_readouts_are_what_every_prefix_of_the_run_says(rule, share, problem, kernel, **options):
    model, twin, others, K_other, _ = pair(problem, kernel, rule, share, readout="averaged", **options)
    assume(not twin.delicate)
    averaged = twin.averaged(K_other)
    np.testing.assert_allclose(as_table(model.decision_function(others)), averaged, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(K_other[model.support_].T @ model.dual_coef_.T, averaged, rtol=1e-9, atol=1e-9)
    voted = model.with_readout("voted")
    np.testing.assert_array_equal(as_table(voted.decision_function(others)), twin.votes(K_other))
    last = model.with_readout("last")
    np.testing.assert_allclose(last.dual_coef_, twin.dual(), rtol=1e-9, atol=1e-9)
    again = pair(problem, kernel, rule, share, readout="voted", **options)[0]
    np.testing.assert_array_equal(again.decision_function(others), voted.decision_function(others))
    np.testing.assert_array_equal(again.predict(others), voted.predict(others))
    np.testing.assert_array_equal(again.dual_coef_, last.dual_coef_)
    np.testing.assert_array_equal(again.with_readout("averaged").dual_coef_, model.dual_coef_)
    assert (model.readout, again.readout) == ("averaged", "voted")  # the runs themselves stay as they were


@pytest.mark.parametrize(("rule", "share"), EXACT, ids=str)
@given(problem=whole, kernel=st.sampled_from(("linear", "square")), **choices)
def test_votes_on_whole_numbers(rule, share, problem, kernel, **options):
    """Scores of 0 among the voters: such a vector votes for the first class."""
    model, twin, others, K_other, _ = pair(problem, kernel, rule, share, readout="voted", **options)
    votes = twin.votes(K_other)
    np.testing.assert_array_equal(as_table(model.decision_function(others)), votes)
    expected = votes.argmax(axis=1) if twin.k > 1 else (votes[:, 0] > 0).astype(int)
    np.testing.assert_array_equal(model.predict(others), expected)
    if twin.form == "multiclass":
        np.testing.assert_array_equal(votes.sum(axis=1), twin.visited)


def test_the_voted_perceptron_votes_from_the_start():
    """Freund & Schapire's counts by hand: (w, c) = (0, 0), (x1, 2), (x1 − x3, 1)."""
    X, y = np.array([[1.0, 0], [1, 0.5], [1, 1]]), np.array(["b", "b", "a"])
    model = rb.VotedPerceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert model.mistakes_.tolist() == [2]
    assert model.n_voters_ == 3
    rows = np.array([[1.0, 1], [0, 0], [0, -1], [1, -1], [-1, -1]])
    assert model.decision_function(rows).tolist() == [1.0, -3, -1, 3, -1]
    assert model.predict(rows).tolist() == ["b", "a", "a", "b", "a"]
    assert model.readout == "voted"
    assert model.get_params()["kernel"] == "linear"


@pytest.mark.parametrize(
    ("rule", "share"),
    [(rules.Perceptron(), "max"), (rules.Perceptron(), "ovr"), (rules.Perceptron(margin=2.0), "max")],
    ids=str,
)
@given(problem=whole, kernel=st.sampled_from(("linear", "square")), **choices)
def test_the_pocket_is_the_references(rule, share, problem, kernel, **options):
    model, twin, others, K_other, pocket = pair(problem, kernel, rule, share, readout="pocket", **options)
    same_run(model, twin, exact=True, updates=pocket.w)
    np.testing.assert_array_equal(
        as_table(model.decision_function(others)), K_other[twin.support].T @ twin.dual(pocket.w).T
    )
    np.testing.assert_array_equal(model.with_readout("last").dual_coef_, twin.dual())


@given(problem=problems(), kernel=st.sampled_from(SMOOTH), rule=st.sampled_from((rules.PA1(C=0.5), rules.MIRA())))
def test_the_pocket_of_rules_that_move_on_right_answers(problem, kernel, rule):
    model, twin, _, _, pocket = pair(problem, kernel, rule, readout="pocket", block_size=3)
    assume(not twin.delicate)
    same_run(model, twin, updates=pocket.w)


# ---- convergence --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "share"),
    [(rules.Perceptron(), "max"), (rules.Perceptron(), "uniform"), (rules.Perceptron(), "ovr"), (rules.PA(), "max"),
     (rules.PA1(C=0.2), "ovr"), (rules.MIRA(), "max"), (rules.NormMIRA(), "max")],
    ids=str,
)  # fmt: skip
@settings(max_examples=16)
@given(
    problem=problems(classes=(2, 3)), kernel=st.sampled_from(("rbf", "poly", "callable", "linear")), bias=st.booleans()
)
def test_the_best_margin_lies_within_the_bounds(rule, share, problem, kernel, bias):
    X, _, codes, _, seed = problem
    K = table(kernel, X, X, bias)
    (low, high), R2 = kernel_margin(K, codes, share)
    slack = 1e-7 * math.sqrt(R2)
    model = rb.KernelPerceptron(
        **KERNELS[kernel][0], rule=rule, multiclass=share, fit_intercept=bias, random_state=seed, max_iter=60
    ).fit(X, codes)
    lower, upper = model.margin_bounds_
    assert lower <= high + slack
    assert low <= upper + slack
    assert lower <= upper
    if model.verdict_ == "separated":
        assert lower > 0
        assert model.mistakes_[-1] == 0 or model.n_iter_ == 60
        np.testing.assert_array_equal(model.predict(X), codes)
        assert math.isclose(lower, shown(model, K, codes), rel_tol=1e-6, abs_tol=slack)
    if model.verdict_ == "no margin":
        assert max(low, 0) <= 1e-4 * math.sqrt(R2) + slack
    if rule == rules.Perceptron() and low > 0:
        bound = R2 / low**2
        if share == "ovr" and len(np.unique(codes)) > 2:
            bound *= 3
        assert model.mistakes_.sum() <= bound * (1 + 1e-6)
        norm2 = np.einsum("ci,cj,ij->", model.dual_coef_, model.dual_coef_, K[np.ix_(model.support_, model.support_)])
        assert norm2 <= R2 * model.n_updates_ * (1 + 1e-9)


def shown(model, K, codes):
    """The margin that the last weights have on every row, from scratch."""
    K = K[model.support_]
    scores = model.dual_coef_ @ K
    norms2 = np.einsum("ci,cj,ij->c", model.dual_coef_, model.dual_coef_, K[:, model.support_])
    if len(scores) == 1:
        return float((np.where(codes == 1, 1, -1) * scores[0]).min() / math.sqrt(norms2[0]))
    if model.multiclass == "ovr":
        y = np.where(codes[None] == np.arange(len(scores))[:, None], 1, -1)
        return float(((y * scores).min(axis=1) / np.sqrt(norms2)).min())
    every = np.arange(len(codes))
    right = scores[codes, every]
    scores[codes, every] = -np.inf
    return float((right - scores.max(axis=0)).min() / math.sqrt(norms2.sum()))


@pytest.mark.parametrize("share", ["max", "ovr"])
@pytest.mark.parametrize("name", ["rbf", "poly"])
def test_rings_are_separated(name, share):
    rng = np.random.default_rng(0)
    angle, codes = rng.uniform(0, 2 * np.pi, 120), np.arange(120) % 3
    X = (1.0 + codes)[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    for labels in (codes, np.minimum(codes, 1)):
        model = rb.KernelPerceptron(**SEARCH, kernel=name, gamma=0.5, degree=4, multiclass=share, random_state=0).fit(
            X, labels
        )
        assert model.verdict_ == "separated"
        assert model.converged_
        np.testing.assert_array_equal(model.predict(X), labels)
        assert 0 < model.margin_bounds_[0] <= model.margin_bounds_[1]
    assert rb.KernelPerceptron(**SEARCH, kernel="linear", random_state=0).fit(X, labels).verdict_ == "no margin"


def test_exclusive_or():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
    model = rb.KernelPerceptron(**SEARCH, kernel="poly", degree=2, gamma=1.0, shuffle=False).fit(X, y)
    assert model.verdict_ == "separated"
    assert model.predict(X).tolist() == y.tolist()
    (low, high), R2 = kernel_margin((X @ X.T + 1) ** 2 + 1, (y > 0).astype(int), "max")
    assert model.margin_bounds_[0] <= high + 1e-9
    assert low <= model.margin_bounds_[1]
    assert model.mistakes_.sum() <= R2 / low**2
    assert rb.KernelPerceptron(**SEARCH, kernel="linear", shuffle=False).fit(X, y).verdict_ == "no margin"


def test_a_kernel_that_is_no_inner_product_proves_no_margin_away():
    """tanh is indefinite: ‖w‖² may be negative there, and bounds nothing."""
    for seed in (107, *range(40)):
        X, y = np.random.default_rng(seed).standard_normal((4, 2)), np.array([0, 1, 0, 1])
        shared = {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0, "fit_intercept": False, "shuffle": False}
        found = rb.KernelPerceptron(**shared, max_iter=50, tol=None).fit(X, y)
        if found.verdict_ == "separated":
            assert found.margin_bounds_[0] <= found.margin_bounds_[1], seed
            assert rb.KernelPerceptron(**shared, max_iter=50).fit(X, y).verdict_ == "separated", seed


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("rule", "share"), [(rules.Perceptron(), "max"), (rules.PA(), "max"), (rules.PA(), "ovr")])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_contradicting_rows_leave_no_margin(kernel, rule, share, dtype):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((12, 3)).astype(dtype)
    X[7] = X[3]
    for k in (2, 3):
        codes = np.arange(12) % k
        codes[[3, 7]] = 0, 1
        model = rb.KernelPerceptron(
            **KERNELS[kernel][0], rule=rule, multiclass=share, tol=1e-2, max_iter=5000, random_state=0
        ).fit(X, codes)
        assert model.verdict_ == "no margin"
        assert model.margin_bounds_[0] == -math.inf


# ---- real data ----------------------------------------------------------------------------------------------------


def test_a_pass_over_digits_is_the_twins(data_folder):
    """Freund & Schapire's learner, one kernel perceptron for each digit, (1 + x·x')⁴."""
    n = 2000
    with gzip.open(data_folder / "mnist" / "train-images-idx3-ubyte.gz") as images:
        X = np.frombuffer(images.read(16 + 784 * n), np.uint8, offset=16).reshape(n, 784) / 255.0
    with gzip.open(data_folder / "mnist" / "train-labels-idx1-ubyte.gz") as labels:
        y = np.frombuffer(labels.read(8 + n), np.uint8, offset=8)
    model = rb.VotedPerceptron(
        kernel="poly", degree=4, gamma=1.0, coef0=1.0, fit_intercept=False, multiclass="ovr", max_iter=1, tol=None,
        shuffle=False,
    ).fit(X, y)  # fmt: skip
    twin = Twin((X @ X.T + 1) ** 4, 10, rules.Perceptron(), "ovr").run(y.astype(int), [np.arange(n)])
    same_run(model, twin, exact=True)


# ---- the reference in kernel space -------------------------------------------------------------------------------


@pytest.mark.parametrize("share", ["max", "uniform", "ovr"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("ties", ["mistake", "predict"])
def test_the_estimator_is_the_reference_in_kernel_space(k, share, ties):
    """Whole numbers: the run, and all readouts that are whole, to the last digit; the average to rounding."""
    rng = np.random.default_rng(k)
    X, other = rng.integers(-2, 3, (20, 3)), rng.integers(-3, 4, (15, 3))
    codes = rng.permutation(np.arange(20) % k)
    if share == "uniform" and k > 2:
        X = X * 2  # halves of even scores stay whole enough

    def conic(x, z):
        return (sum(a * b for a, b in zip(x, z)) + 1) ** 2

    form = "binary" if k == 2 else "ovr" if share == "ovr" else "multiclass"
    model = reference.KernelModel(conic, form, 1 if k == 2 else k, ties=ties, share=share, number=float)
    passes = list(
        reference.passes(model, rules.Perceptron(), [tuple(map(int, x)) for x in X], codes.tolist(), [range(20)] * 3)
    )
    ours = rb.VotedPerceptron(
        kernel="poly", degree=2, gamma=1.0, coef0=1.0, fit_intercept=False, multiclass=share, ties=ties, shuffle=False,
        tol=None, max_iter=3, block_size=7,
    ).fit(X, codes)  # fmt: skip
    assert ours.n_iter_ == 3
    assert ours.mistakes_.tolist() == [sum(step.mistakes for step in steps) for steps in passes]
    points = [tuple(map(int, x)) for x in other]
    exact = share != "uniform"
    compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    compare(np.reshape(ours.decision_function(other), (15, -1)), [model.votes(x) for x in points])
    last, averaged = (ours.with_readout(name).decision_function(other) for name in ("last", "averaged"))
    compare(np.reshape(last, (15, -1)), [model.scores(x) for x in points])
    np.testing.assert_allclose(np.reshape(averaged, (15, -1)), [model.averaged_scores(x) for x in points], rtol=1e-12)


def test_what_a_prediction_costs_is_told():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)), rng.integers(0, 2, 50)
    model = rb.VotedPerceptron(kernel="rbf", max_iter=2, tol=None, random_state=0).fit(X, y)
    cost = model.prediction_cost()
    assert (cost.voters, cost.examples) == (model.n_voters_, len(model.support_))
    assert cost.megabytes >= model.support_vectors_.nbytes / 1e6
    assert cost.microseconds > 0
    assert f"{model.n_voters_} voters over {len(model.support_)} examples, " in str(cost)
    last = model.with_readout("last").prediction_cost(X)
    assert last.voters == 1
    assert last.megabytes < cost.megabytes
    matrix = rb.KernelPerceptron(kernel="precomputed", max_iter=2, tol=None).fit(X @ X.T, y)
    one_sentence(lambda: matrix.prediction_cost(), ValueError, "give some rows as X")
    assert matrix.prediction_cost(X @ X.T).examples == len(matrix.support_)
