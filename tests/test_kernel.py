"""Kernel space equals its slow twin: one example at a time, weights as a list of updates, scores as sums of kernels."""

import copy
import gzip
import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from problems import against_rivals, best_margin, numbers
from refusals import one_sentence
from sklearn.metrics import pairwise
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
from test_native_equals_reference import LEARNERS

import rosenblatt as rb
from rosenblatt import engine, reference, rules
from rosenblatt.kernel_space.kernels import Kernel

PASSES = 3
BLOCKS = (1, 2, 3, 7, 64, 1000)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# ---- the twin --------------------------------------------------------------------------------------------------------


def laplacian(A, B):
    """A kernel as users write them: a function of two blocks."""
    A, B = (M.toarray() if sp.issparse(M) else np.asarray(M) for M in (A, B))
    return np.exp(-np.abs(A[:, None, :] - B[None, :, :]).sum(axis=2))


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


#: Parameters of each kernel, and the same of one pair of rows in plain Python.
KERNELS = {
    "linear": ({"kernel": "linear"}, dot),
    "poly": ({"kernel": "poly", "gamma": 0.5, "degree": 3, "coef0": 1.5}, lambda a, b: (0.5 * dot(a, b) + 1.5) ** 3),
    "square": ({"kernel": "poly", "gamma": 1.0, "degree": 2, "coef0": 1.0}, lambda a, b: (dot(a, b) + 1) ** 2),
    "rbf": (
        {"kernel": "rbf", "gamma": 0.4},
        lambda a, b: math.exp(-0.4 * math.fsum((x - y) ** 2 for x, y in zip(a, b))),
    ),
    "sigmoid": ({"kernel": "sigmoid", "gamma": 0.3, "coef0": 0.2}, lambda a, b: math.tanh(0.3 * dot(a, b) + 0.2)),
    "callable": ({"kernel": laplacian}, lambda a, b: math.exp(-math.fsum(abs(x - y) for x, y in zip(a, b)))),
    "precomputed": ({"kernel": "precomputed"}, lambda a, b: math.exp(-math.fsum(abs(x - y) for x, y in zip(a, b)))),
}
SMOOTH = tuple(name for name in KERNELS if name != "square")


def table(kernel, A, B, bias=False):
    """K(a, b) + 1 or + 0, one pair at a time."""
    one = KERNELS[kernel][1]
    return np.array([[one(a, b) + bias for b in B.tolist()] for a in A.tolist()]).reshape(len(A), len(B))


class Twin(reference.Model):
    """The reference's judgement and rules over weights that are a list of (row, coefficients, time)."""

    def __init__(self, K, n_classes, rule, share="max", ties="mistake"):
        k = 1 if n_classes == 2 else n_classes
        form = "binary" if k == 1 else "ovr" if share == "ovr" else "multiclass"
        super().__init__(form, 0, k, ties=ties, share=share, number=float)
        self.K, self.rule, self.k, self.w, self.b = K, rule, k, [], []
        self.mistakes, self.updates = [], 0
        self.delicate = False  # a score within rounding of where the rule decides: both sides are then right

    def scores(self, i):
        if not self.w:
            return [0.0] * self.k
        rows, coef = zip(*((row, coef) for row, coef, _ in self.w))
        return (self.K[list(rows), i] @ np.array(coef)).tolist()

    def consider(self, rule, i, y, weight=1):
        judge = self._against_rivals if self.form == "multiclass" else self._against_zero
        return judge(rule, self.scores(i), float(self.K[i, i]), int(y), weight)

    def visit(self, rule, i, y, weight=1):
        step = self.consider(rule, i, y, weight)
        self.visited += 1
        edges = {0, getattr(rule, "margin", 1), getattr(rule, "beta", 1)}
        s = step.scores
        margins = [abs(v) for v in s] if self.form != "multiclass" else [s[y] - v for r, v in enumerate(s) if r != y]
        untouched = 0 in s  # a zero that is a sum of nothing, and so is that on both sides
        self.delicate |= any(abs(m - e) < 1e-9 and not (m == e == 0 and untouched) for m in margins for e in edges)
        if any(step.coef):
            self.w.append((int(i), step.coef, self.visited))
        return step

    def run(self, codes, orders, weights=None, pocket=None):
        """Pass until all is right, or there are no orders left."""
        self.codes = np.asarray(codes)
        there = orders[0]
        for steps in reference.passes(self, self.rule, range(len(self.K)), codes, orders, weights, pocket):
            self.mistakes.append(sum(step.mistakes for step in steps))
            self.updates += sum(step.updates for step in steps)
            if self.mistakes[-1] == 0 and not any(self.consider(self.rule, i, codes[i]).mistakes for i in there):
                break
        return self

    @property
    def support(self):
        """The rows updated on, in the order they first were."""
        return list(dict.fromkeys(row for row, _, _ in self.w))

    def dual(self, updates=None):
        """Summed coefficients of each of those, (vectors, support)."""
        found = {row: np.zeros(self.k) for row in self.support}
        for row, coef, _ in self.w if updates is None else updates:
            found[row] = found[row] + coef
        return np.array(list(found.values())).reshape(len(found), self.k).T

    def after_each_visit(self, K):
        """Scores of other rows, K(row, other), by the weights after each visited example."""
        updates = {time: (row, coef) for row, coef, time in self.w}
        scores = np.zeros((K.shape[1], self.k))
        for time in range(1, self.visited + 1):
            if time in updates:
                row, coef = updates[time]
                scores = scores + np.outer(K[row], coef)
            yield scores

    def averaged(self, K):
        return np.mean(list(self.after_each_visit(K)), axis=0)

    def votes(self, K):
        """After each visit the weights vote once: so each vector with the visits it survived, its own included."""
        total = np.zeros((K.shape[1], self.k))
        for scores in self.after_each_visit(K):
            if self.form == "multiclass":
                total[np.arange(len(scores)), scores.argmax(axis=1)] += 1
            else:
                total += np.where(scores > 0, 1, -1)
        return total


@st.composite
def problems(draw, kinds=("normal",), classes=(2, 3, 5), repeats=False):
    """Rows, other rows, codes, weights, seed. Only whole numbers repeat rows: their ties are exact.

    On a line the class vectors of MIRA tie in truth and not in rounding, so there are two features at least.
    """
    k, d = draw(st.sampled_from(classes)), draw(st.sampled_from((2, 3, 5, 17)))
    n = draw(st.integers(k + 3, 18))
    kind = draw(st.sampled_from(kinds))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    X, other = numbers(rng, (n, d), kind), numbers(rng, (5, d), kind)
    if repeats:
        X[rng.integers(0, n, n // 3)] = X[rng.integers(0, n, n // 3)]
        X[rng.integers(0, n)] = 0
    codes = rng.permutation(np.concatenate((np.arange(k), rng.integers(0, k, n - k))))
    weight = rng.choice([0.0, 0.5, 1.0, 1.75, 3.0], n)
    weight[np.unique(codes, return_index=True)[1]] = 1.5
    return X, other, codes.astype(np.int32), weight, seed


choices = {
    "ties": st.sampled_from(("mistake", "predict")),
    "bias": st.booleans(),
    "weighted": st.booleans(),
    "shuffle": st.booleans(),
    "block_size": st.sampled_from((1, 2, 3, 7, 64)),
}


def orders_of(n, weight, shuffle, seed, passes=PASSES):
    there = np.arange(n) if weight is None else np.flatnonzero(weight > 0)
    rng = np.random.Generator(np.random.PCG64(seed))
    return [there[rng.permutation(len(there))] if shuffle else there for _ in range(passes)]


def pair(problem, kernel, rule, share="max", ties="mistake", bias=True, weighted=False, shuffle=False, **options):
    """An estimator and the twin, after the same run; and both tables of the kernel, the bias in them."""
    X, other, codes, weight, seed = problem
    weight = weight if weighted else None
    K, K_other = table(kernel, X, X, bias), table(kernel, X, other, bias)
    model = rb.KernelPerceptron(
        **KERNELS[kernel][0], rule=rule, multiclass=share, ties=ties, fit_intercept=bias, shuffle=shuffle,
        random_state=seed, max_iter=PASSES, tol=None, **options,
    )  # fmt: skip
    rows, others = (K - bias, K_other.T - bias) if kernel == "precomputed" else (X, other)
    model.fit(rows, codes, sample_weight=weight)
    twin = Twin(K, len(np.unique(codes)), rule, share, ties)
    orders = orders_of(len(X), weight, shuffle, seed)
    pocket = None
    if model.readout == "pocket":
        pocket = reference.Pocket(twin, [(i, codes[i]) for i in orders[0]])
    twin.run(codes, orders, weight, pocket)
    return model, twin, others, K_other, pocket


def as_table(scores):
    """Scores with a column for each vector."""
    return np.reshape(scores, (len(scores), -1))


def same_run(model, twin, exact=False, updates=None):
    """The same mistakes, updates and support in the same order, and the same coefficients."""
    assert model.mistakes_.tolist() == twin.mistakes
    assert model.n_iter_ == len(twin.mistakes)
    assert model.n_updates_ == twin.updates
    assert model.n_voters_ == 1 + len(twin.w)
    assert model.support_.tolist() == twin.support
    assert model.n_support_.tolist() == np.bincount(twin.codes[twin.support], minlength=len(model.classes_)).tolist()
    if exact:
        np.testing.assert_array_equal(model.dual_coef_, twin.dual(updates))
    else:
        np.testing.assert_allclose(model.dual_coef_, twin.dual(updates), rtol=1e-9, atol=1e-9)


# ---- 1. every rule is its twin ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@settings(max_examples=30)
@given(problem=problems(), kernel=st.sampled_from(SMOOTH), **choices)
def test_every_rule_is_that_of_one_example_at_a_time(rule, share, problem, kernel, **options):
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
whole = problems(kinds=("integers",), repeats=True)


@pytest.mark.parametrize(("rule", "share"), EXACT, ids=str)
@settings(max_examples=20)
@given(problem=whole, kernel=st.sampled_from(("linear", "square")), single=st.booleans(), **choices)
def test_ties_on_whole_numbers_are_exact(rule, share, problem, kernel, single, **options):
    if single:
        problem = (problem[0].astype(np.float32), problem[1].astype(np.float32), *problem[2:])
    model, twin, others, K_other, _ = pair(problem, kernel, rule, share, **options)
    same_run(model, twin, exact=True)
    np.testing.assert_array_equal(as_table(model.decision_function(others)), K_other[twin.support].T @ twin.dual().T)
    assert model.dual_coef_.dtype == problem[0].dtype


@settings(max_examples=20)
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


# ---- 2. blocks -------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
def test_blocks_of_any_size_on_real_numbers(rule, share, kernel):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((90, 4)), rng.integers(0, 4, 90)
    whole_run = None
    for size in BLOCKS:
        model = rb.KernelPerceptron(
            **KERNELS[kernel][0], rule=rule, multiclass=share, block_size=size, random_state=3, max_iter=4, tol=None
        ).fit(X, y)
        run = model.mistakes_.tolist(), model.support_.tolist(), model.n_updates_
        whole_run = whole_run or (run, model.dual_coef_)
        assert run == whole_run[0]
        np.testing.assert_allclose(model.dual_coef_, whole_run[1], rtol=1e-8, atol=1e-8)


# ---- 3. the linear kernel is linear space ----------------------------------------------------------------------------


def same_model(kernel, linear, exact=False):
    assert kernel.mistakes_.tolist() == linear.mistakes_.tolist()
    assert (kernel.verdict_, kernel.n_iter_) == (linear.verdict_, linear.n_iter_)
    if kernel._rule().class_share == 1:  # else a second visit at margin 1 is an update or none by rounding
        assert kernel.n_updates_ == linear.n_updates_
    for name in ("coef_", "intercept_"):
        got, expected = getattr(kernel, name), getattr(linear, name)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        if exact:
            np.testing.assert_array_equal(got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
    assert kernel.margin_bounds_ == pytest.approx(linear.margin_bounds_, rel=1e-6, abs=1e-6)


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
@settings(max_examples=16)
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
@settings(max_examples=20)
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


# ---- 4. readouts -----------------------------------------------------------------------------------------------------


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
@settings(max_examples=20)
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
@settings(max_examples=30)
@given(problem=whole, kernel=st.sampled_from(("linear", "square")), **choices)
def test_the_pocket_is_the_references(rule, share, problem, kernel, **options):
    model, twin, others, K_other, pocket = pair(problem, kernel, rule, share, readout="pocket", **options)
    same_run(model, twin, exact=True, updates=pocket.w)
    np.testing.assert_array_equal(
        as_table(model.decision_function(others)), K_other[twin.support].T @ twin.dual(pocket.w).T
    )
    np.testing.assert_array_equal(model.with_readout("last").dual_coef_, twin.dual())


@settings(max_examples=20)
@given(problem=problems(), kernel=st.sampled_from(SMOOTH), rule=st.sampled_from((rules.PA1(C=0.5), rules.MIRA())))
def test_the_pocket_of_rules_that_move_on_right_answers(problem, kernel, rule):
    model, twin, _, _, pocket = pair(problem, kernel, rule, readout="pocket", block_size=3)
    assume(not twin.delicate)
    same_run(model, twin, updates=pocket.w)


# ---- 5. convergence --------------------------------------------------------------------------------------------------


def features(K):
    """Rows whose inner products are K."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def kernel_margin(K, codes, share):
    """Proven bounds on γ* from the kernel matrix alone, and R² of what the mistakes are bounded by."""
    Z, k = features(K), int(codes.max()) + 1
    R2 = float(np.diagonal(K).max())
    if k > 2 and share != "ovr":
        return best_margin(against_rivals(Z, codes, k)), 2 * R2
    signs = [np.where(codes == c, 1, -1) for c in (range(k) if k > 2 else (1,))]
    margins = [best_margin(Z * y[:, None]) for y in signs]
    return (min(low for low, _ in margins), min(high for _, high in margins)), R2


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
        model = rb.KernelPerceptron(kernel=name, gamma=0.5, degree=4, multiclass=share, random_state=0).fit(X, labels)
        assert model.verdict_ == "separated"
        assert model.converged_
        np.testing.assert_array_equal(model.predict(X), labels)
        assert 0 < model.margin_bounds_[0] <= model.margin_bounds_[1]
    assert rb.KernelPerceptron(kernel="linear", random_state=0).fit(X, labels).verdict_ == "no margin"


def test_exclusive_or():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
    model = rb.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, shuffle=False).fit(X, y)
    assert model.verdict_ == "separated"
    assert model.predict(X).tolist() == y.tolist()
    (low, high), R2 = kernel_margin((X @ X.T + 1) ** 2 + 1, (y > 0).astype(int), "max")
    assert model.margin_bounds_[0] <= high + 1e-9
    assert low <= model.margin_bounds_[1]
    assert model.mistakes_.sum() <= R2 / low**2
    assert rb.KernelPerceptron(kernel="linear", shuffle=False).fit(X, y).verdict_ == "no margin"


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


# ---- 6. streams ------------------------------------------------------------------------------------------------------


def chunks(n, rng):
    cuts = np.sort(rng.integers(0, n + 1, 3))
    return [part for part in np.split(np.arange(n), cuts) if len(part)]


@pytest.mark.parametrize(("rule", "share"), LEARNERS[::2] + LEARNERS[3:4], ids=str)
@settings(max_examples=20)
@given(
    problem=problems(),
    kernel=st.sampled_from(("linear", "poly", "rbf", "callable")),
    sparse=st.booleans(),
    ties=st.sampled_from(("mistake", "predict")),
    bias=st.booleans(),
    block_size=st.sampled_from((1, 2, 7, 64)),
)
def test_a_stream_in_chunks_is_one_pass(rule, share, problem, kernel, sparse, ties, bias, block_size):
    X, other, codes, _, seed = problem
    rng = np.random.default_rng(seed)
    shared = {
        **KERNELS[kernel][0], "rule": rule, "multiclass": share, "ties": ties, "fit_intercept": bias, "tol": None,
        "block_size": block_size,
    }  # fmt: skip
    passed = rb.KernelPerceptron(**shared, max_iter=1, shuffle=False).fit(X, codes)
    for parts in (chunks(len(X), rng), [[i] for i in range(len(X))]):
        stream = rb.KernelPerceptron(**shared)
        for part in parts:
            rows = sp.csr_array(X[part]) if sparse else X[part]
            stream.partial_fit(rows, codes[part], classes=np.unique(codes))
        assert stream.mistakes_.tolist() == passed.mistakes_.tolist()
        assert stream.support_.tolist() == passed.support_.tolist()
        assert (stream.n_updates_, stream.n_voters_, stream.n_iter_) == (passed.n_updates_, passed.n_voters_, 1)
        assert stream.verdict_ == "stopped"
        np.testing.assert_allclose(stream.dual_coef_, passed.dual_coef_, rtol=1e-9, atol=1e-9)
        found = stream.support_vectors_
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, X[passed.support_])
        for readout in ("last", "averaged", "voted"):
            np.testing.assert_allclose(
                stream.with_readout(readout).decision_function(other),
                passed.with_readout(readout).decision_function(other),
                rtol=1e-9, atol=1e-9,
            )  # fmt: skip


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@settings(max_examples=6)
@given(problem=problems(), bias=st.booleans(), block_size=st.sampled_from((1, 3, 64)))
def test_classes_in_mid_stream(rule, share, readout, problem, bias, block_size):
    """Classes that appear while the stream runs, in any order of their labels: as in linear space."""
    X, _, codes, _, seed = problem
    rng = np.random.default_rng(seed)
    shared = {"rule": rule, "multiclass": share, "readout": readout, "fit_intercept": bias}
    kernel = rb.KernelPerceptron(kernel="linear", block_size=block_size, **shared)
    linear = rb.OnlineClassifier(**shared)
    for part in chunks(len(X), rng):
        kernel.partial_fit(X[part], codes[part])
        linear.partial_fit(X[part], codes[part])
        np.testing.assert_array_equal(kernel.classes_, linear.classes_)
        same_model(kernel, linear)
        np.testing.assert_array_equal(kernel.predict(X), linear.predict(X))


@settings(max_examples=30)
@given(problem=problems(), rule=st.sampled_from((rules.Perceptron(), rules.PA())))
def test_rows_without_weight_are_not_in_a_stream(problem, rule):
    """Whatever they are numbered, what is learned is that of the others alone, and each support is its row."""
    X, _, codes, weight, seed = problem
    rng = np.random.default_rng(seed)
    weight[rng.random(len(X)) < 0.4] = 0
    there = np.flatnonzero(weight > 0)
    if not len(there):
        return
    plain = rb.KernelPerceptron(kernel="linear", rule=rule)
    plain.partial_fit(X[there], codes[there], classes=np.unique(codes), sample_weight=weight[there])
    stream = rb.KernelPerceptron(kernel="linear", rule=rule)
    for part in chunks(len(X), rng):
        stream.partial_fit(X[part], codes[part], classes=np.unique(codes), sample_weight=weight[part])
    assert stream.mistakes_.tolist() == plain.mistakes_.tolist()
    np.testing.assert_array_equal(stream.support_vectors_, plain.support_vectors_)
    np.testing.assert_allclose(stream.coef_, plain.coef_, rtol=1e-9, atol=1e-9)
    assert len(set(stream.support_.tolist())) == stream.n_support_.sum()


def test_a_stream_after_a_fit_keeps_its_rows_apart():
    """Rows of weight 0 in a fit: the stream's rows must not be taken for the fit's."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    weight = np.repeat([0.0, 1.0], 10)
    shared = {"max_iter": 1, "tol": None, "shuffle": False}
    kernel = rb.KernelPerceptron(kernel="linear", **shared).fit(X, y, sample_weight=weight)
    linear = rb.Perceptron(**shared).fit(X, y, sample_weight=weight)
    more, labels = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    kernel.partial_fit(more, labels)
    linear.partial_fit(more, labels)
    np.testing.assert_allclose(kernel.coef_, linear.coef_, rtol=1e-9, atol=1e-9)
    assert kernel.mistakes_.tolist() == linear.mistakes_.tolist()


@pytest.mark.parametrize("first", ["dense", "sparse"])
def test_dense_and_sparse_chunks_of_one_stream(first):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((24, 3)), rng.integers(0, 3, 24)
    passed = rb.KernelPerceptron(gamma=0.5, shuffle=False, max_iter=1, tol=None).fit(X, y)
    stream = rb.KernelPerceptron(gamma=0.5)
    for number, part in enumerate(np.split(np.arange(24), 4)):
        dense = (number % 2 == 0) == (first == "dense")
        stream.partial_fit(X[part] if dense else sp.csr_array(X[part]), y[part], classes=[0, 1, 2])
    assert stream.support_.tolist() == passed.support_.tolist()
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_allclose(stream.decision_function(rows), passed.decision_function(X), rtol=1e-9, atol=1e-9)


def test_gamma_of_a_stream_is_that_of_its_first_rows():
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((24, 3)) * np.linspace(1, 4, 24)[:, None], rng.integers(0, 2, 24)
    stream = rb.KernelPerceptron().partial_fit(X[:8], y[:8], classes=[0, 1]).partial_fit(X[8:], y[8:])
    told = rb.KernelPerceptron(gamma=1 / (3 * X[:8].var()), shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert stream.mistakes_.tolist() == told.mistakes_.tolist()
    np.testing.assert_allclose(stream.decision_function(X), told.decision_function(X), rtol=1e-9, atol=1e-9)


# ---- 7. kernels ------------------------------------------------------------------------------------------------------

PAIRWISE = {
    "linear": lambda A, B, gamma, degree, coef0: pairwise.linear_kernel(A, B),
    "poly": lambda A, B, gamma, degree, coef0: pairwise.polynomial_kernel(A, B, degree, gamma, coef0),
    "rbf": lambda A, B, gamma, degree, coef0: pairwise.rbf_kernel(A, B, gamma),
    "sigmoid": lambda A, B, gamma, degree, coef0: pairwise.sigmoid_kernel(A, B, gamma, coef0),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, sp.csr_matrix], ids=["dense", "csr_array", "csr_matrix"])
@pytest.mark.parametrize("name", list(PAIRWISE))
@pytest.mark.parametrize("degree", [1, 2, 3, 7, 8, 2.75])
def test_kernels_are_scikit_learns(name, layout, dtype, degree):
    rng = np.random.default_rng(0)
    A, B = (rng.random((n, 6)) * (rng.random((n, 6)) < 0.7) for n in (9, 5))
    if degree == int(degree):  # else a negative base has no power
        A, B = A - 0.3 * (A > 0), B - 0.3 * (B > 0)
    A, B = A.astype(dtype), B.astype(dtype)
    rounding = 1e-12 if dtype == np.float64 else 1e-4
    expected = PAIRWISE[name](A.astype(float), B.astype(float), 0.7, degree, 0.9)
    for bias in (False, True):
        kernel = Kernel(name, 0.7, degree, 0.9, bias)
        K = kernel.matrix(layout(A), layout(B))
        assert isinstance(K, np.ndarray)
        assert K.dtype == dtype
        np.testing.assert_allclose(K, expected + bias, rtol=rounding, atol=rounding)
        square = kernel.matrix(layout(A), layout(A))
        diagonal = kernel.diagonal(layout(A))
        assert diagonal.dtype == dtype
        np.testing.assert_allclose(diagonal, np.diagonal(square), rtol=rounding, atol=rounding)
        np.testing.assert_allclose(kernel.matrix(layout(A), B), K, rtol=rounding, atol=rounding)
        np.testing.assert_allclose(kernel.matrix(A, layout(B)), K, rtol=rounding, atol=rounding)


def test_a_kernel_leaves_its_rows_alone():
    A = np.random.default_rng(0).standard_normal((6, 3))
    kept = A.copy()
    mine = np.ones((6, 6))
    for name in ("linear", "poly", "rbf", "sigmoid", laplacian, lambda P, Q: mine[: len(P), : len(Q)]):
        kernel = Kernel(name, 0.5, 3, 1.0, True)
        kernel.matrix(A, A)
        kernel.diagonal(A)
        np.testing.assert_array_equal(A, kept)
        np.testing.assert_array_equal(mine, 1)


def test_the_diagonal_of_a_function_is_that_of_its_matrix():
    A = np.random.default_rng(0).standard_normal((600, 2))
    kernel = Kernel(lambda P, Q: (P @ Q.T) ** 2, bias=True)
    np.testing.assert_allclose(kernel.diagonal(A), np.diagonal(kernel.matrix(A, A)), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("layout", "offset"),
    [(np.asarray, 0.0), (np.asarray, 3.0), (np.asarray, 1000.0), (sp.csr_matrix, 0.0), (sp.csr_matrix, 3.0)],
)
@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_is_svcs(gamma, offset, layout, dtype):
    X = (np.random.default_rng(1).standard_normal((40, 3)) + offset).astype(dtype)
    y = np.arange(40) % 2
    svc = SVC(gamma=gamma).fit(layout(X.astype(float)), y)
    named = rb.KernelPerceptron(gamma=gamma, max_iter=2, tol=None, shuffle=False).fit(layout(X), y)
    told = rb.KernelPerceptron(gamma=float(svc._gamma), max_iter=2, tol=None, shuffle=False).fit(layout(X), y)
    close = 1e-7 if dtype == np.float64 else 1e-2
    assert named.mistakes_.tolist() == told.mistakes_.tolist()
    np.testing.assert_allclose(named.decision_function(layout(X)), told.decision_function(layout(X)), close, close)


def test_gamma_of_constant_rows():
    """No variance: γ is 1/n_features, as SVC has it."""
    X, y = np.full((6, 2), 0.5), np.arange(6) % 2
    named = rb.KernelPerceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
    told = rb.KernelPerceptron(gamma=1 / 2, max_iter=1, tol=None, shuffle=False).fit(X, y)
    rows = np.array([[0.0, 1], [2, 3]])
    np.testing.assert_allclose(named.decision_function(rows), told.decision_function(rows))


def test_sparse_is_dense():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12)) * (rng.random((60, 12)) < 0.4)
    y = rng.integers(0, 3, 60)
    for kernel in ("linear", "poly", "rbf", "callable"):
        dense = rb.KernelPerceptron(**KERNELS[kernel][0], random_state=0, max_iter=3, tol=None).fit(X, y)
        for layout in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array):
            model = rb.KernelPerceptron(**KERNELS[kernel][0], random_state=0, max_iter=3, tol=None).fit(layout(X), y)
            assert model.mistakes_.tolist() == dense.mistakes_.tolist()
            assert model.support_.tolist() == dense.support_.tolist()
            assert sp.issparse(model.support_vectors_)
            np.testing.assert_allclose(model.dual_coef_, dense.dual_coef_)
            for rows in (X, layout(X)):
                np.testing.assert_allclose(model.decision_function(rows), dense.decision_function(rows), atol=1e-9)


def test_early_stopping_holds_rows_out_of_the_same_space():
    """The kernel that learns is the one that is scored: γ of a part of the rows is not another for the rest."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 2)) * np.exp(rng.standard_normal((60, 1)))
    y = (rng.random(60) < 0.5).astype(int)
    shared = {"early_stopping": True, "validation_fraction": 0.3, "max_iter": 6, "tol": None, "random_state": 0}
    model = rb.KernelPerceptron(**shared).fit(X, y)
    test = train_test_split(
        np.arange(60), test_size=0.3, stratify=y, random_state=int(np.random.default_rng(0).integers(2**31))
    )[1]
    assert model.score(X[test], y[test]) == max(model.validation_scores_)
    np.testing.assert_array_equal(X[model.support_], model.support_vectors_, "support_ numbers the rows of X")


def test_parameters_set_after_a_fit_wait_for_the_next():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    model = rb.KernelPerceptron(gamma=0.5, max_iter=2, tol=None, random_state=0).fit(X, y)
    before = model.decision_function(X), model.intercept_
    model.set_params(kernel="precomputed", fit_intercept=False, gamma=3.0, readout="voted")
    np.testing.assert_array_equal(model.decision_function(X), before[0])
    np.testing.assert_array_equal(model.intercept_, before[1])


# ---- 8. bad input ----------------------------------------------------------------------------------------------------

ROWS = np.random.default_rng(9).standard_normal((12, 3))
LABELS = np.arange(12) % 2
GRAM = ROWS @ ROWS.T


def seen(model):
    if not model.__sklearn_is_fitted__():
        return sorted(vars(model))
    return [
        repr(model.get_params()), model.classes_, model.mistakes_, model.n_updates_, model.n_iter_, model.verdict_,
        model.margin_bounds_, model.support_, model.support_vectors_, model.dual_coef_, model.n_voters_,
        model.n_features_in_, model._learner.visited,
    ]  # fmt: skip


def refused(model, call, kind, *telling):
    """Refused in one sentence, and the estimator is what it was."""
    before = copy.deepcopy(seen(model))
    one_sentence(lambda: call(model), kind, *telling)
    for was, now in zip(before, seen(model), strict=True):
        np.testing.assert_array_equal(now, was)


def bad_after(good, bad):
    """A kernel function whose calls go wrong after the first few."""
    calls = iter(range(10**6))
    return lambda A, B: A @ B.T if next(calls) < good else bad(A, B)


PARAMETERS = [
    ({"gamma": 0}, "gamma"),
    ({"gamma": -1.0}, "gamma"),
    ({"gamma": math.nan}, "gamma"),
    ({"gamma": math.inf}, "gamma"),
    ({"gamma": "wide"}, "gamma"),
    ({"gamma": None}, "gamma"),
    ({"degree": 0.5}, "degree"),
    ({"degree": 0}, "degree"),
    ({"degree": "3"}, "degree"),
    ({"coef0": math.nan}, "coef0"),
    ({"coef0": None}, "coef0"),
    ({"kernel": "gauss"}, "kernel"),
    ({"kernel": None}, "kernel"),
    ({"kernel": 3}, "kernel"),
    ({"readout": "first"}, "readout"),
    ({"block_size": 0}, "block_size"),
    ({"block_size": 2.5}, "block_size"),
    ({"cache_size": -1}, "cache_size"),
    ({"rule": "perceptron"}, "rule"),
    ({"rule": rules.PA}, "rule"),
    ({"rule": rules.HardMargin()}, "rule"),
    ({"rule": rules.PA(), "multiclass": "uniform"}, "uniform"),
    ({"ties": "sometimes"}, "ties"),
    ({"warm_start": True}, "warm_start"),
    ({"init": "random"}, "init"),
]


@pytest.mark.parametrize("found", [rb.KernelPerceptron, rb.VotedPerceptron])
@pytest.mark.parametrize(("params", "telling"), PARAMETERS, ids=str)
def test_parameters_are_refused(found, params, telling):
    refused(found(**params), lambda model: model.fit(ROWS, LABELS), ValueError, telling)
    refused(found(**params), lambda model: model.partial_fit(ROWS, LABELS), ValueError, telling)
    fitted = found(random_state=0).fit(ROWS, LABELS).set_params(**params)
    refused(fitted, lambda model: model.fit(ROWS, LABELS), ValueError, telling)


FUNCTIONS = [
    (lambda A, B: np.ones((len(A), len(B) + 1)), "shape"),
    (lambda A, B: np.ones(len(A)), "shape"),
    (lambda A, B: 1.0, "shape"),
    (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN"),
    (lambda A, B: np.full((len(A), len(B)), np.inf), "infinity"),
    (lambda A, B: np.full((len(A), len(B)), "one"), "number"),
    (lambda A, B: (A @ B.T).astype(complex), "number"),
]


@pytest.mark.parametrize("block_size", [2, 100])
@pytest.mark.parametrize("good", [0, 3])
@pytest.mark.parametrize(("function", "telling"), FUNCTIONS, ids=[f"{i}" for i in range(len(FUNCTIONS))])
def test_bad_kernel_functions_are_refused(function, telling, good, block_size):
    """Whether they go wrong at once or in the midst of the rows."""
    if good and block_size > 12:
        return
    model = rb.KernelPerceptron(kernel=bad_after(good, function), block_size=block_size)
    refused(model, lambda model: model.fit(ROWS, LABELS), ValueError, telling)
    model = rb.KernelPerceptron(kernel=bad_after(good, function), block_size=block_size)
    refused(model, lambda model: model.partial_fit(ROWS, LABELS), ValueError, telling)

    def switched(A, B):
        return now(A, B)

    now = bad_after(10**6, function)
    model = rb.KernelPerceptron(kernel=switched, block_size=block_size, random_state=0).fit(ROWS, LABELS)
    for call in (
        lambda model: model.fit(ROWS, LABELS),
        lambda model: model.partial_fit(ROWS[:, ::-1].copy(), 1 - LABELS),
    ):
        now = bad_after(good, function)
        refused(model, call, ValueError, telling)
    now = function
    refused(model, lambda model: model.predict(ROWS), ValueError, telling)


def test_precomputed_matrices_are_refused():
    model = rb.KernelPerceptron(kernel="precomputed", max_iter=3, tol=None)
    refused(model, lambda model: model.fit(GRAM[:, :5], LABELS), ValueError, "square")
    refused(model, lambda model: model.fit(ROWS, LABELS), ValueError, "square")
    refused(model, lambda model: model.partial_fit(GRAM, LABELS), ValueError, "partial_fit", "precomputed")
    model.fit(GRAM, LABELS)
    refused(model, lambda model: model.fit(GRAM[:, :5], LABELS), ValueError, "square")
    refused(model, lambda model: model.partial_fit(GRAM, LABELS), ValueError, "partial_fit", "precomputed")
    for columns in (11, 13, 3):
        rows = np.ones((4, columns))
        refused(model, lambda model, rows=rows: model.predict(rows), ValueError, "12")
        refused(model, lambda model, rows=rows: model.decision_function(rows), ValueError, "12")
    bad = GRAM.copy()
    bad[2, 3] = np.nan
    refused(model, lambda model: model.fit(bad, LABELS), ValueError, "NaN")
    refused(model, lambda model: model.predict(bad), ValueError, "NaN")
    refused(model.set_params(early_stopping=True), lambda model: model.fit(GRAM, LABELS), ValueError, "early_stopping")


@pytest.mark.parametrize("bias", [False, True])
def test_a_sparse_precomputed_matrix_is_taken_or_refused(bias):
    shared = {"kernel": "precomputed", "max_iter": 3, "tol": None, "random_state": 0, "fit_intercept": bias}
    dense = rb.KernelPerceptron(**shared).fit(GRAM, LABELS)
    sparse = rb.KernelPerceptron(**shared)
    try:
        sparse.fit(sp.csr_matrix(GRAM), LABELS)
    except (TypeError, ValueError) as error:
        assert "sparse" in str(error).lower()  # noqa: PT017 - either is right, if it is said
        assert "precomputed" in str(error)  # noqa: PT017
    else:
        np.testing.assert_array_equal(sparse.dual_coef_, dense.dual_coef_)
        np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(GRAM)), dense.decision_function(GRAM))


@pytest.mark.parametrize("params", [{"degree": 2.5, "coef0": 0.0}, {"degree": 400, "gamma": 1e3}], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_named_kernels_that_are_no_numbers_are_refused(params):
    """A negative base has no fractional power, and a large one no finite one."""
    model = rb.KernelPerceptron(kernel="poly", **params)
    refused(model, lambda model: model.fit(ROWS, LABELS), ValueError)
    refused(model, lambda model: model.partial_fit(ROWS, LABELS), ValueError)


def test_what_is_not_there_says_so():
    model = rb.KernelPerceptron(random_state=0).fit(ROWS, LABELS)
    one_sentence(lambda: model.coef_, AttributeError, "linear")
    refused(model, lambda model: model.with_readout("pocket"), ValueError, "pocket")
    refused(model, lambda model: model.with_readout("best"), ValueError, "readout")
    refused(model, lambda model: model.learn_one({"a": 1.0}, 1), TypeError, "partial_fit")
    refused(model, lambda model: model.predict_one({"a": 1.0}), TypeError, "predict")
    refused(model, lambda model: model.predict(ROWS[:, :2]), ValueError, "features")


# ---- 9. real data ----------------------------------------------------------------------------------------------------


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


# ---- rows that are mostly zeros --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_products_of_mostly_zeros_are_the_same_for_any_threads(n, dtype, monkeypatch):
    rng = np.random.default_rng(n)
    A, B = (rng.integers(-9, 10, (rows, 37)) * (rng.random((rows, 37)) < 0.2) for rows in (30, n))
    A, B = A.astype(dtype), B.astype(dtype)
    wide = sp.csr_matrix(B)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for threads in (1, 3):
        monkeypatch.setattr("rosenblatt.engine.threads", lambda threads=threads: threads)
        for left, right in product((A, sp.csr_matrix(A)), (sp.csr_matrix(B), wide)):
            found = engine.product(left, right)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, A @ B.T)  # whole numbers: no rounding
        np.testing.assert_array_equal(engine.product(wide, A), B @ A.T)
