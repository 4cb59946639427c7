"""The same examples in the same order give the same bits, whatever container they come in and in whatever chunks."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from identity import every, is_regressor, same_bits
from problems import few, problems
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt.core import reference, rules

# scikit-learn takes twenty-one rows of eleven classes for a regression.
pytestmark = pytest.mark.filterwarnings("ignore:The number of unique classes is greater")

CLASSIFIERS = [
    rb.Perceptron(),
    rb.Perceptron(margin=0.5, eta0=0.3, ties="predict"),
    rb.Perceptron(multiclass="uniform", fit_intercept=False),
    rb.Perceptron(multiclass="proportional"),
    rb.Perceptron(multiclass="ovr"),
    rb.AveragedPerceptron(),
    rb.AveragedPerceptron(multiclass="ovr", fit_intercept=False),
    rb.PocketPerceptron(),
    rb.PocketPerceptron(ratchet=False, ties="predict"),
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=0.1, average=True),
    rb.PassiveAggressiveClassifier(C=0.3, variant="PA-II", multiclass="ovr"),
    rb.MIRA(),
    rb.MIRA(C=0.05, average=True),
    rb.MIRA(variant="norm", beta=0.5),
    rb.OnlineClassifier(rule=rules.PA1(C=0.2), readout="pocket"),
    rb.OnlineClassifier(rule=rules.MIRA(), readout="averaged", fit_intercept=False),
    rb.AROW(r=0.3, average=True),
    rb.AROW(r=0.7, confidence="full"),
    rb.ConfidenceWeighted(fit_intercept=False),
    rb.SCW(C=0.2, multiclass="ovr"),
    rb.SecondOrderPerceptron(confidence="full", multiclass="ovr"),
    rb.OnlineClassifier(rule=rules.NHERD(variant="exact"), readout="pocket"),
]
REGRESSORS = [
    rb.PassiveAggressiveRegressor(),
    rb.PassiveAggressiveRegressor(variant="PA", fit_intercept=False),
    rb.PassiveAggressiveRegressor(variant="PA-II", C=0.2, epsilon=0.0, average=True),
]
STREAMS = CLASSIFIERS + REGRESSORS
ALL = [*STREAMS, rb.BatchPerceptron(), rb.BatchPerceptron(margin=1.0, fit_intercept=False)]
#: Sorted otherwise than met, of several lengths.
NAMES = np.array([f"class {c}" if c % 2 else f"a longer class {c}" for c in range(30)])


def targets(estimator, problem):
    return problem.targets if is_regressor(estimator) else NAMES[problem.codes]


def fixed(estimator, **more):
    """A fresh estimator that visits the rows as they stand, three times."""
    given = {"max_iter": 3, **({"shuffle": False} if "shuffle" in estimator.get_params() else {}), **more}
    return clone(estimator).set_params(**given, **({"tol": None} if "tol" in estimator.get_params() else {}))


def scores(model, X):
    return model.predict(X) if is_regressor(model) else model.decision_function(X)


def same_model(got, expected, lower=True):
    same_bits(got.coef_, expected.coef_)
    same_bits(got.intercept_, expected.intercept_)
    assert got.n_updates_ == expected.n_updates_
    assert got.n_iter_ == expected.n_iter_
    if not is_regressor(expected):
        assert got.classes_.tolist() == expected.classes_.tolist()
        assert got.mistakes_.tolist() == expected.mistakes_.tolist()
        assert got.margin_bounds_[0 if lower else 1 :] == expected.margin_bounds_[0 if lower else 1 :]


# ---- containers ----------------------------------------------------------------------------------------------


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def read_only_csr(X):
    X = sp.csr_matrix(X)
    X.data, X.indices, X.indptr = read_only(X.data), read_only(X.indices), read_only(X.indptr)
    return X


def wide_indices(X):
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def reversed_entries(X):
    """CSR whose rows store their columns backwards."""
    X = sp.csr_matrix(X)
    backwards = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in pairwise(X.indptr)])
    return sp.csr_matrix((X.data[backwards], X.indices[backwards], X.indptr), X.shape)


def with_explicit_zeros(X):
    """CSR that stores every entry, zeros too."""
    n, d = X.shape
    return sp.csr_matrix((X.ravel(), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)), X.shape)


def inside_larger(X):
    """A view of every other row and column of a larger array."""
    larger = np.full((2 * X.shape[0], 2 * X.shape[1]), 7, X.dtype)
    larger[::2, ::2] = X
    return larger[::2, ::2]


CONTAINERS = {
    "F order": np.asfortranarray,
    "strided view": inside_larger,
    "read-only": read_only,
    "csr_matrix": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csc_matrix": sp.csc_matrix,
    "csc_array": sp.csc_array,
    "int64 indices": wide_indices,
    "unsorted CSR": reversed_entries,
    "explicit zeros": with_explicit_zeros,
    "read-only CSR": read_only_csr,
    "pandas": lambda X: pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]),
    "polars": lambda X: pl.DataFrame(X, schema=[f"f{j}" for j in range(X.shape[1])], orient="row"),
    "pandas, unnamed": pd.DataFrame,
}


@every(ALL)
@few
@given(problem=problems(max_rows=10), container=st.sampled_from(sorted(CONTAINERS)))
def test_containers(estimator, problem, container):
    y, X = targets(estimator, problem), CONTAINERS[container](problem.X)
    expected = fixed(estimator).fit(problem.X, y)
    got = fixed(estimator).fit(X, y)
    same_model(got, expected)
    same_bits(scores(got, X), scores(expected, problem.X))
    same_model(fixed(estimator).partial_fit(X, y), fixed(estimator).partial_fit(problem.X, y))


@every(ALL)
def test_each_container_once(estimator):
    """What the draws above may leave out: every container with every estimator, three classes, both number types."""
    rng = np.random.default_rng(11)
    for dtype in (np.float64, np.float32):
        X = (rng.standard_normal((12, 19)) * (rng.random((12, 19)) < 0.6)).astype(dtype)
        codes = np.arange(12) % 3
        y = X[:, 0] * 2 if is_regressor(estimator) else NAMES[codes]
        expected = fixed(estimator).fit(X, y)
        assert expected.coef_.dtype == dtype
        assert expected.n_updates_ > 0
        for pack in CONTAINERS.values():
            got = fixed(estimator).fit(pack(X), y)
            same_model(got, expected)
            same_bits(scores(got, pack(X)), scores(expected, X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_bounds_of_a_separator_are_the_same_bits(dtype, weighted):
    """Rows of few numbers in many columns: the room for rounding counts neither zeros nor rows of weight 0."""
    rng = np.random.default_rng(5)
    for d, density in ((40, 0.1), (200, 0.05), (200, 0.9), (700, 0.02)):
        X = (rng.standard_normal((12, d)) * (rng.random((12, d)) < density)).astype(dtype)
        X[:, 3] = np.where(np.arange(12) % 2, 1, -1) * (2 + rng.random(12))
        y, weight = NAMES[np.arange(12) % 2], np.ones(12)
        if weighted:
            X[0], weight[0] = 7, 0
        expected = rb.Perceptron(shuffle=False).fit(X, y, sample_weight=weight)
        assert expected.verdict_ == "separated"
        assert 0 < expected.margin_bounds_[0] < expected.margin_bounds_[1]
        wider = np.hstack((X, np.zeros((12, 333), dtype)))
        for name, pack in CONTAINERS.items():
            for rows in (X, wider):
                got = rb.Perceptron(shuffle=False).fit(pack(rows), y, sample_weight=weight)
                assert got.margin_bounds_ == expected.margin_bounds_, (name, rows.shape)
        there = weight > 0
        assert rb.Perceptron(shuffle=False).fit(X[there], y[there]).margin_bounds_ == expected.margin_bounds_


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(seed=st.integers(0, 2**31))
def test_duplicates_are_added_as_a_dense_array_adds_them(dtype, seed):
    rng = np.random.default_rng(seed)
    n, d, stored = 8, 19, 30
    columns = rng.integers(0, d, (n, stored))  # many places stored twice and more
    data = (rng.standard_normal(n * stored) * 10.0 ** rng.integers(-3, 4, n * stored)).astype(dtype)
    data[rng.random(n * stored) < 0.2] = 0
    sparse = sp.csr_matrix((data, columns.ravel(), np.arange(0, n * stored + 1, stored)), (n, d))
    kept = sparse.copy()
    dense = sparse.toarray()
    y = np.arange(n) % 3
    for estimator in (rb.AveragedPerceptron(), rb.MIRA(), rb.PassiveAggressiveRegressor(variant="PA")):
        expected, got = fixed(estimator).fit(dense, y), fixed(estimator).fit(sparse, y)
        same_model(got, expected)
        same_bits(scores(got, sparse), scores(expected, dense))
    for part in ("data", "indices", "indptr"):
        same_bits(getattr(sparse, part), getattr(kept, part))


def test_input_is_left_as_it_was():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((9, 5)), np.arange(9) % 3
    weight = rng.random(9)
    kept = X.copy(), y.copy(), weight.copy()
    for estimator in CLASSIFIERS:
        fixed(estimator, max_iter=1).fit(X, y, sample_weight=weight)
    for array, before in zip((X, y, weight), kept):
        same_bits(array, before)


# ---- chunks --------------------------------------------------------------------------------------------------


def chunks(cuts, n):
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < n}), n]
    return list(pairwise(edges))


def stream(estimator, X, y, pieces, weight=None, pack=None):
    model = fixed(estimator)
    for number, (a, b) in enumerate(pieces):
        part = X[a:b] if pack is None else pack[number % len(pack)](X[a:b])
        model.partial_fit(part, y[a:b], **({} if weight is None else {"sample_weight": weight[a:b]}))
    return model


cut_points = st.lists(st.integers(1, 22), max_size=6)


@every(STREAMS)
@few
@given(problem=problems(classes=(2, 3, 5, 9), max_rows=20), cuts=cut_points, weighted=st.booleans())
def test_chunks(estimator, problem, cuts, weighted):
    """Classes are met on the way: first one, then two, three and more; no call is told of those to come."""
    y, n = targets(estimator, problem), len(problem.X)
    weight = np.where(problem.weight > 0, problem.weight, 0.25) if weighted else None
    whole = stream(estimator, problem.X, y, [(0, n)], weight)
    pieces = chunks(cuts, n)
    for got in (
        stream(estimator, problem.X, y, pieces, weight),
        stream(estimator, problem.X, y, pieces, weight, [np.asarray, sp.csr_matrix, wide_indices]),
        stream(estimator, problem.X, y, chunks(range(n), n), weight),
    ):
        same_model(got, whole)
        same_bits(scores(got, problem.X), scores(whole, problem.X))


@every(STREAMS)
@few
@given(problem=problems(classes=(2, 3, 5), max_rows=12), cuts=cut_points)
def test_chunks_are_one_pass_of_fit(estimator, problem, cuts):
    """With the classes declared, a stream is fit's first pass, but for a pocket, which may need the whole set."""
    y, n = targets(estimator, problem), len(problem.X)
    more = {"ratchet": False} if "ratchet" in estimator.get_params() else {}
    expected = fixed(estimator, max_iter=1, **more).fit(problem.X, y)
    assume(not more or expected.verdict_ != "separated")  # else the pocket holds the separator
    got = fixed(estimator, **more)
    for a, b in chunks(cuts, n):
        regression = is_regressor(estimator)
        got.partial_fit(problem.X[a:b], y[a:b], **({} if regression else {"classes": np.unique(y)}))
    same_model(got, expected, lower=False)  # a stream is never scored as a whole


@every(STREAMS)
def test_a_stream_after_fit_is_one_pass_more(estimator):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((12, 3))
    y = X[:, 0] + X[:, 1] if is_regressor(estimator) else NAMES[np.arange(12) % 3]
    whole = fixed(estimator, max_iter=1).fit(X, y).partial_fit(X, y)
    rows = fixed(estimator, max_iter=1).fit(X, y)
    for i in range(12):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
        assert rows.n_iter_ == 2
    same_model(rows, whole)


def test_one_class_so_far_is_predicted():
    for first, second in (("b", "a"), ("a", "b")):
        model = rb.Perceptron().partial_fit([[1.0], [2.0]], [first, first])
        assert model.classes_.tolist() == [first]
        assert model.predict([[5.0], [-5.0]]).tolist() == [first, first]
        model.partial_fit([[-1.0]], [second])
        whole = rb.Perceptron().partial_fit([[1.0], [2.0], [-1.0]], [first, first, second], classes=["a", "b"])
        same_model(model, whole)


# ---- one example at a time -----------------------------------------------------------------------------------


def named(row, all_names):
    """The row as {name: number}; zeros are left out unless all names are to be met."""
    return {f"f{j}": float(v) for j, v in enumerate(row) if v or all_names}


@every(STREAMS)
@few
@given(problem=problems(classes=(2, 3, 5, 9), dtypes=(np.float64,), max_rows=16), weighted=st.booleans())
def test_learn_one(estimator, problem, weighted):
    X, y = problem.X, targets(estimator, problem)
    weight = problem.weight if weighted else np.ones(len(X))
    kept = weight > 0
    whole = fixed(estimator).partial_fit(X[kept], y[kept], sample_weight=weight[kept])
    one = fixed(estimator)
    for i in range(len(X)):
        one.learn_one(named(X[i], all_names=i == 0), y[i].item(), sample_weight=float(weight[i]))
    same_model(one, whole)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    same_bits(scores(one, frame), scores(whole, X))
    fresh = fixed(estimator)  # its averaged weights were never asked for as a whole
    for i in range(len(X)):
        fresh.learn_one(named(X[i], all_names=i == 0), y[i].item(), sample_weight=float(weight[i]))
    expected = whole.predict(X).tolist()
    for model in (fresh, one):
        assert [model.predict_one(named(x, all_names=False)) for x in X] == expected


@every(STREAMS)
def test_learn_one_meets_new_names(estimator):
    """Row i brings columns up to 3·i: the weights grow again and again, past every power of two on the way."""
    rng = np.random.default_rng(2)
    n, d = 60, 180
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.2)
    for i in range(n):
        X[i, 3 * i : 3 * i + 3] = 1 + i
        X[i, 3 * i + 3 :] = 0
    y = X[:, 0] - X[:, 1] if is_regressor(estimator) else NAMES[rng.integers(0, 5, n)]
    whole = fixed(estimator).partial_fit(X, y)
    one = fixed(estimator)
    for x, target in zip(X, y):
        one.learn_one(named(x, all_names=False), target.item())
        one.predict_one(named(x, all_names=False))
    same_model(one, whole)
    assert one.feature_names_in_.tolist() == [f"f{j}" for j in range(d)]


@every(STREAMS)
def test_learn_one_goes_on_from_a_data_frame(estimator):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((20, 5))
    y = X[:, 0] if is_regressor(estimator) else NAMES[rng.integers(0, 3, 20)]
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)])
    whole = fixed(estimator).partial_fit(frame, y)
    model = fixed(estimator).partial_fit(frame[:7], y[:7])
    for x, target in zip(X[7:15], y[7:15]):
        model.learn_one(named(x, all_names=False), target.item())
    same_model(model.partial_fit(frame[15:], y[15:]), whole)


# ---- the order of a shuffled fit -----------------------------------------------------------------------------


@pytest.mark.parametrize("init", ["zeros", "random"])
@given(problem=problems(classes=(2, 3, 5)), fit_intercept=st.booleans(), weighted=st.booleans())
def test_a_seed_means_the_same_everywhere(init, problem, fit_intercept, weighted):
    """One PCG64 generator: first the random start, then one permutation of the rows of positive weight per pass."""
    X, codes, weight = problem.X, problem.codes, problem.weight if weighted else None
    model = rb.Perceptron(init=init, fit_intercept=fit_intercept, random_state=problem.seed, max_iter=2, tol=None).fit(
        X, codes, sample_weight=weight
    )
    rng = np.random.Generator(np.random.PCG64(problem.seed))
    k, d = 1 if problem.n_classes == 2 else problem.n_classes, X.shape[1]
    number = X.dtype.type
    twin = reference.Model("binary" if k == 1 else "multiclass", d, k, fit_intercept=fit_intercept, number=number)
    if init == "random":
        twin.w = [[number(v) for v in w] for w in rng.standard_normal((k, d))]
        twin.b = [number(v) for v in (rng.standard_normal(k) if fit_intercept else np.zeros(k))]
    rows = np.arange(len(X)) if weight is None else np.flatnonzero(weight > 0)
    orders = [rows[rng.permutation(len(rows))] for _ in range(model.n_iter_)]
    mistakes = [
        sum(step.mistakes for step in steps)
        for steps in reference.passes(twin, rules.Perceptron(), [list(x) for x in X], codes.tolist(), orders, weight)
    ]
    assert model.mistakes_.tolist() == mistakes
    same_bits(model.coef_, np.array(twin.w, X.dtype))
    same_bits(model.intercept_, np.array(twin.b, X.dtype))
