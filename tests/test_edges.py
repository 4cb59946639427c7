"""Edges of the input and of the number range that a review found: each must stay as it is told here."""

import copy

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt.core import engine, memory, rules
from rosenblatt.core.learner import Learner


def test_a_value_that_empties_the_dict_while_it_is_read_does_no_harm():
    class Emptying:
        def __init__(self, target):
            self.target = target

        def __float__(self):
            self.target.clear()
            self.filling = [f"other {i} {i}" for i in range(200)]  # takes the memory that was let go
            return 1.0

    model = rb.Perceptron().learn_one({"a": 1.0}, "x").learn_one({"b": 1.0}, "y")
    for trial in range(20):
        row = {f"name {trial} {i}": float(i) for i in range(60)}  # nothing else holds these names
        row["last"] = Emptying(row)
        model.learn_one(row, "x")
    expected = {f"name {trial} {i}" for trial in range(20) for i in range(60)} | {"a", "b", "last"}
    assert set(model.feature_names_in_) == expected


def test_a_dict_that_lies_about_its_length_leaves_the_names_as_they_were():
    class Short(dict):
        __len__ = lambda self: 0  # noqa: E731

    model = rb.Perceptron().learn_one({"a": 1.0}, "x").learn_one({"b": 1.0}, "y")
    with pytest.raises(ValueError, match="too few"):
        model.learn_one(Short({f"n{i}": 1.0 for i in range(300)}), "x")
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict_one({"a": 1.0}) in ("x", "y")


def test_a_whole_number_too_large_for_a_float_is_refused():
    model = rb.Perceptron().learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError, match="not a finite number"):
        model.learn_one({"a": 10**400}, "x")
    with pytest.raises(ValueError, match="finite number"):
        rb.PassiveAggressiveRegressor().learn_one({"a": 1.0}, 10**400)


@pytest.mark.parametrize("seed", range(8))
def test_the_pocket_does_not_depend_on_where_a_bound_was_looked_at(seed):
    """Data scaled by a power of two visit the same rows with weights that only scale, however close to overflow."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 4)).astype(np.float32)
    y = (X[:, 0] + 0.7 * rng.standard_normal(300) > 0).astype(np.int8)
    found = []
    for scale in (np.float32(1), np.float32(2.0**58)):
        learner = Learner(rules.Perceptron(), readout="pocket", ratchet=True, fit_intercept=False)
        rows = engine.admit(X * scale)
        learner.allocate(4, 2, np.float32)
        learner.fit(rows, y, max_iter=8, tol=None, rng=np.random.default_rng(seed))
        found.append((learner.read() / scale, learner.passes))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def test_the_bounds_of_a_batch_run_allow_for_the_rounding_of_its_sum():
    X = np.full((400_000, 1), 0.3, dtype=np.float32)
    X[0] = -0.3
    y = np.ones(len(X))
    y[0] = -1
    model = rb.BatchPerceptron(fit_intercept=False).fit(X, y)
    low, high = model.margin_bounds_
    assert low <= np.float64(np.float32(0.3)) <= high


@pytest.mark.parametrize("seed", range(20))
def test_the_lower_bound_allows_for_the_rounding_of_scores(seed):
    x = np.random.default_rng(seed).standard_normal(3000).astype(np.float32)
    model = rb.Perceptron(fit_intercept=False).fit(np.stack([x, -x]), [1, 0])
    low, high = model.margin_bounds_
    best = float(np.linalg.norm(x.astype(np.float64)))  # along x itself
    assert low <= best <= high


def test_starting_weights_whose_squares_overflow_are_refused():
    with pytest.raises(ValueError, match="starting weights are too large"):
        rb.Perceptron().fit(np.eye(2), [0, 1], coef_init=[[-1e200, 1e200]])


def test_a_batch_stream_of_large_numbers_goes_on():
    model = rb.BatchPerceptron(fit_intercept=False)
    X = np.full((2, 1), 1e18, dtype=np.float32)
    for _ in range(40):
        model.partial_fit(X, [0, 1])
    assert model.coef_ == 0


def test_another_readout_has_names_of_its_own():
    averaged = rb.AveragedPerceptron().learn_one({"p": 1.0}, "a").learn_one({"q": 1.0}, "b")
    last = averaged.with_readout("last")
    last.learn_one({f"n{i}": 1.0 for i in range(100)}, "a")
    assert averaged.feature_names_in_.tolist() == ["p", "q"]
    assert averaged.predict_one({"n50": 1.0, "p": 1.0}) in ("a", "b")


@pytest.mark.parametrize("found", [rb.Perceptron, rb.AveragedPerceptron, rb.PocketPerceptron])
def test_a_stream_goes_on_from_a_memory_map(found, tmp_path):
    whole = found().learn_one({"p": 1.0}, "m")
    joblib.dump(whole, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    assert mapped.predict_one({"p": 1.0}) == "m"
    for model in (whole, mapped):
        model.learn_one({"q": 2.0}, "a").learn_one({"p": 1.0}, "z").learn_one({"r": 2.0}, "a")
    np.testing.assert_array_equal(mapped.coef_, whole.coef_)


def test_names_are_forgotten_by_a_fit_without_them():
    model = rb.Perceptron().learn_one({1: 1.0}, "a").learn_one({2: 1.0}, "b")
    model.fit(np.eye(4), ["a", "b", "a", "b"])
    with pytest.raises(ValueError, match="without names"):
        model.predict_one({1: 1.0})


def test_rows_without_weight_do_not_make_a_model():
    for model in (
        rb.Perceptron().partial_fit(np.eye(2), [0, 1], sample_weight=[0, 0]),
        rb.Perceptron().learn_one({"a": 1.0}, "x", sample_weight=0),
        rb.Perceptron(class_weight={0: 0, 1: 0}).partial_fit(np.eye(2), [0, 1]),
    ):
        with pytest.raises(NotFittedError):
            model.predict(np.eye(2))
    with pytest.raises(ValueError, match="all weights are zero"):
        rb.Perceptron(class_weight={0: 0, 1: 0}).fit(np.eye(2), [0, 1])


def test_csr_arrays_with_room_for_more():
    data, columns = np.array([1.0, 2.0, 3.0, np.nan]), np.array([1, 0, 1, 7])
    X = sp.csr_matrix((2, 2))
    X.data, X.indices, X.indptr = data, columns, np.array([0, 2, 3])
    expected = rb.Perceptron(shuffle=False).fit([[2.0, 1.0], [0.0, 3.0]], [0, 1])
    np.testing.assert_array_equal(rb.Perceptron(shuffle=False).fit(X, [0, 1]).coef_, expected.coef_)


def test_a_warm_start_with_other_labels_is_refused():
    model = rb.Perceptron(warm_start=True).fit(np.eye(2), ["a", "b"])
    with pytest.raises(ValueError, match="classes"):
        model.fit(np.eye(2), ["c", "d"])


def test_text_and_dicts_get_a_hint():
    with pytest.raises(ValueError, match=r"rosenblatt\.text\.BagOfWords"):
        rb.Perceptron().fit(["good film", "bad film"], [1, 0])
    with pytest.raises(TypeError, match="DictVectorizer"):
        rb.Perceptron().fit([{"a": 1}, {"b": 1}], [1, 0])


@pytest.mark.parametrize("flag", ["shuffle", "fit_intercept", "early_stopping", "warm_start"])
def test_flags_are_true_or_false(flag):
    with pytest.raises(ValueError, match=f"{flag} must be True or False, got 'no'"):
        rb.Perceptron(**{flag: "no"}).fit(np.eye(2), [0, 1])


# ---- what fails midway -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fails_at", [1, 2])
def test_room_that_is_not_there_leaves_a_stream_as_it_was(monkeypatch, fails_at):
    model = rb.AveragedPerceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    before, calls = model.coef_.copy(), []

    def check(*_):
        calls.append(1)
        if len(calls) == fails_at:
            raise MemoryError("no room")

    monkeypatch.setattr(memory, "check", check)
    with pytest.raises(MemoryError):
        model.learn_one({f"n{i}": 1.0 for i in range(500)}, 0)
    assert np.array_equal(model.coef_, before)
    assert model.n_features_in_ == 2
    calls.extend([1] * 9)
    whole = rb.AveragedPerceptron().learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1)
    for one in (model, whole):
        one.learn_one({f"n{i}": 1.0 for i in range(500)}, 0)
    assert np.array_equal(model.coef_, whole.coef_)


def test_names_that_change_their_minds_leave_the_columns_as_they_were():
    class Fickle:
        asked = 0

        def __hash__(self):
            return 5

        def __eq__(self, other):
            self.asked += 1
            return self.asked > 1

    class Plain:
        def __hash__(self):
            return 5

    first = Plain()
    model = rb.Perceptron().learn_one({first: 1.0}, 0).learn_one({"q": 1.0}, 1)
    with pytest.raises(ValueError, match="equal the same names"):
        model.learn_one({Fickle(): 1.0}, 0)
    assert list(model._columns.values()) == [0, 1]
    assert model.learn_one({first: 1.0}, 1).predict_one({first: 1.0}) in (0, 1)


def test_labels_that_are_dates_are_learned_one_by_one():
    days = np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")
    model = rb.Perceptron()
    for _ in range(3):
        for name, day in zip("ab", days):
            model.learn_one({name: 1.0}, day)
    assert model.predict_one({"a": 1.0}) == days[0]


def test_models_that_are_mapped_from_a_file_go_on(tmp_path):
    rows, codes = np.eye(6), np.arange(6) % 2
    text = rb.text.HashedText(bits=6, idf=True).fit(["a good film", "a bad film"])
    for made in (rb.VotedPerceptron(random_state=0).fit(rows, codes), text):
        joblib.dump(made, tmp_path / "made")
        mapped = joblib.load(tmp_path / "made", mmap_mode="r")
        if made is text:
            assert (mapped.transform(["good"]) != made.transform(["good"])).nnz == 0
            for one in (made, mapped):
                one.partial_fit(["a new film"])
            assert (mapped.transform(["film"]) != made.transform(["film"])).nnz == 0
        else:
            for one in (made, mapped):
                one.partial_fit(rows[::-1], codes)
            assert np.array_equal(mapped.decision_function(rows), made.decision_function(rows))


def test_a_copy_draws_by_itself():
    rng = np.random.default_rng(0)
    rows, codes = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    model = rb.KernelPerceptron(budget=4, random_state=np.random.default_rng(1)).partial_fit(rows[:30], codes[:30])
    copied = copy.copy(model)
    for one in (model, copied):
        one.partial_fit(rows[30:], codes[30:])
    assert np.array_equal(model.support_, copied.support_)
