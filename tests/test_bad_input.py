"""Bad data, for every public estimator: one sentence that says what is wrong and where, and a state left as it was."""

import functools

import numpy as np
import pandas as pd
import pytest
from discovery import CLASSIFIERS, ESTIMATORS, LINEAR, LINEAR_CLASSIFIERS, REGRESSORS, learned, named
from refusals import LABELS, NAMES, X, label, refused, streamed, targets
from scipy import sparse
from sklearn.base import clone

import rosenblatt as rb

CONTAINERS = {
    "dense": np.asarray,
    "float32": lambda rows: np.asarray(rows, np.float32),
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "frame": lambda rows: pd.DataFrame(rows, columns=NAMES),
}
every = pytest.mark.parametrize("found", ESTIMATORS, ids=named)
every_classifier = pytest.mark.parametrize("found", CLASSIFIERS, ids=named)
every_linear = pytest.mark.parametrize("found", LINEAR, ids=named)
every_linear_classifier = pytest.mark.parametrize("found", LINEAR_CLASSIFIERS, ids=named)
every_regressor = pytest.mark.parametrize("found", REGRESSORS, ids=named)


def learners(found, container=np.asarray):
    """The estimator before its first call, after a fit, and in a stream."""
    rows = container(X)
    return [found(), found().fit(rows, targets(found)), found().partial_fit(rows, targets(found))]


def _learn(method, rows, y, options, model):
    return getattr(model, method)(rows, y, **options)


def refuses_to_learn(found, rows, y, kind, *telling, one_line=True, container=np.asarray, **options):
    """Both ``fit`` and ``partial_fit`` refuse these examples, whatever came before."""
    for model in learners(found, container):
        for method in ("fit", "partial_fit"):
            call = functools.partial(_learn, method, rows, y, options)
            refused(model, call, kind, *telling, one_line=one_line)


def refuses_to_predict(found, rows, kind, *telling, one_line=True, container=np.asarray):
    model = found().fit(container(X), targets(found))
    refused(model, lambda m: m.predict(rows), kind, *telling, one_line=one_line)
    if found in CLASSIFIERS:
        refused(model, lambda m: m.decision_function(rows), kind, *telling, one_line=one_line)


def with_cell(value, row=4, column=1, dtype=float):
    rows = X.astype(dtype)
    rows[row, column] = value
    return rows


# ---- numbers that are none ---------------------------------------------------------------------------------------


@pytest.mark.diagonal
@every
@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_in_a_table(found, kind, value):
    container = CONTAINERS[kind]
    rows = container(with_cell(value))
    telling = ["NaN" if np.isnan(value) else "infinity", "row 4, column 1", "two" if kind == "frame" else ""]
    refuses_to_learn(found, rows, targets(found), ValueError, *telling, container=container)
    refuses_to_predict(found, rows, ValueError, *telling, container=container)
    one = rows[4:5]
    telling[1] = "row 0, column 1"
    refused(found().fit(container(X), targets(found)), lambda m: m.predict(one), ValueError, *telling)
    model = found().partial_fit(container(X), targets(found))
    refused(model, lambda m: m.partial_fit(one, targets(found)[:1]), ValueError, *telling)


@pytest.mark.diagonal
@every_linear
@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.nan, ValueError), (np.inf, ValueError), (-np.inf, ValueError)]
    + [(value, TypeError) for value in ("many", None, [1.0], 1j)],
    ids=repr,
)
def test_values_of_named_features(found, value, kind):
    for name in ("one", "never met"):
        for y in (label(found, 0), label(found, 7)):
            for model in (found(), streamed(found)):
                row = {"two": 1.0, name: value}
                refused(model, lambda m, r=row, y=y: m.learn_one(r, y), kind, repr(name), repr(value), "finite number")
        row = {"two": 1.0, name: value}
        refused(streamed(found), lambda m, r=row: m.predict_one(r), kind, repr(name), repr(value))


@every_regressor
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_targets_of_a_regression(found, value):
    y = targets(found).copy()
    y[3] = value
    refuses_to_learn(found, X, y, ValueError, "y contains", "NaN" if np.isnan(value) else "infinity", "row 3")
    refuses_to_learn(found, X, ["a", "b", "c"] * 2, ValueError, "could not convert string to float", "'a'")
    for model in (found(), streamed(found)):
        for bad in (value, "seven", None, [1.0]):
            refused(model, lambda m, y=bad: m.learn_one({"one": 1.0}, y), ValueError, "target", repr(bad))


@every
def test_numbers_as_objects_are_numbers_and_other_objects_are_not(found):
    y = targets(found)
    as_objects = found(random_state=0).fit(X.astype(object), y)
    np.testing.assert_array_equal(learned(as_objects), learned(found(random_state=0).fit(X, y)))
    for value, kind in (("abc", ValueError), ({}, TypeError)):
        rows = with_cell(value, dtype=object)
        refuses_to_learn(found, rows, y, kind, "float", "row 4, column 1")
        refuses_to_predict(found, rows, kind, "float", "row 4, column 1")
    refuses_to_learn(found, with_cell(None, dtype=object), y, ValueError, "NaN", "row 4, column 1")
    frame = pd.DataFrame(X, columns=NAMES).assign(two="abc")
    refuses_to_learn(found, frame, y, ValueError, "'abc'", "row 0, column 1 ('two')", container=CONTAINERS["frame"])
    refuses_to_learn(found, X + 1j, y, ValueError, "Complex data not supported", one_line=False)


# ---- shapes ------------------------------------------------------------------------------------------------------


@every
def test_shapes(found):
    y = targets(found)
    refuses_to_learn(found, X[:, 0], y, ValueError, "Expected 2D array, got 1D", one_line=False)
    refuses_to_learn(found, X[None], y, ValueError, "dim 3")
    refuses_to_learn(found, X, y[:-1], ValueError, "inconsistent numbers of samples: [6, 5]")
    refuses_to_learn(found, X, y[:1], ValueError, "inconsistent numbers of samples: [6, 1]")
    refuses_to_learn(found, X[:1], y[:2], ValueError, "inconsistent numbers of samples: [1, 2]")
    refuses_to_learn(found, X, np.column_stack([y, y]), ValueError, "1d array", "(6, 2)")
    refuses_to_learn(found, X, None, ValueError, "requires y")
    refuses_to_learn(found, X[:0], y[:0], ValueError, "0 sample(s)", "(0, 3)")
    refuses_to_learn(found, X[:, :0], y, ValueError, "0 feature(s)", "(6, 0)")
    refuses_to_predict(found, X[0], ValueError, "Expected 2D array, got 1D", one_line=False)
    refuses_to_predict(found, X[None], ValueError, "dim 3")
    refuses_to_predict(found, X[:0], ValueError, "0 sample(s)")


@pytest.mark.diagonal
@every
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_a_number_of_features_other_than_at_fit(found, kind):
    container = CONTAINERS[kind]
    for width in (2, 4):
        rows = container(np.ones((6, width)))
        telling = f"X has {width} features, but {found.__name__} is expecting 3"
        refuses_to_predict(found, rows, ValueError, telling)
        for model in learners(found)[1:]:
            refused(model, lambda m, r=rows: m.partial_fit(r, targets(found)), ValueError, telling)


@every
def test_columns_other_than_at_fit(found):
    frame = pd.DataFrame(X, columns=NAMES)
    for other in (frame.rename(columns={"two": "zwei"}), frame[NAMES[::-1]], frame.assign(four=1.0), frame[NAMES[:2]]):
        refuses_to_predict(found, other, ValueError, "feature names", one_line=False, container=CONTAINERS["frame"])
        for model in learners(found, CONTAINERS["frame"])[1:]:
            refused(
                model, lambda m, o=other: m.partial_fit(o, targets(found)), ValueError, "feature names", one_line=False
            )


@every_linear
def test_a_dict_needs_names_and_a_dict(found):
    for model in learners(found)[1:]:
        refused(model, lambda m: m.learn_one({"one": 1.0}, label(found, 0)), ValueError, "columns without names")
        refused(model, lambda m: m.predict_one({"one": 1.0}), ValueError, "columns without names")
    for x in ([1.0], X[0], "one", None, {1.0}):
        for model in (found(), streamed(found)):
            refused(model, lambda m, x=x: m.learn_one(x, label(found, 0)), TypeError, "dict", type(x).__name__)
        refused(streamed(found), lambda m, x=x: m.predict_one(x), TypeError, "dict", type(x).__name__)


# ---- labels ------------------------------------------------------------------------------------------------------


@every_classifier
def test_fit_needs_two_classes(found):
    one, weight = np.full(6, 7), (LABELS == 0).astype(float)
    for model in learners(found):
        refused(model, lambda m: m.fit(X, one), ValueError, "one class, 7", "two classes")
        refused(model, lambda m: m.fit(X, LABELS, sample_weight=weight), ValueError, "one class, 0", "two classes")
    weighted = found(class_weight={1: 0.0})
    refused(weighted, lambda m: m.fit(X, LABELS), ValueError, "one class, 0", "rows that have weight")


@every_classifier
def test_labels_that_the_classes_do_not_name(found):
    for model in learners(found):
        refused(model, lambda m: m.partial_fit(X, LABELS, classes=[0, 2]), ValueError, "y[0] is 1", "classes=[0, 2]")
        refused(model, lambda m: m.partial_fit(X, LABELS, classes=["a", "b"]), ValueError, "y[0] is 1", "['a', 'b']")
    mixture = np.array([0, 1, "a"], dtype=object)
    refused(found(), lambda m: m.partial_fit(X, LABELS, classes=mixture), ValueError, "int, str", "one type")


@every_classifier
def test_labels_of_another_type(found):
    words = np.array(["no", "no", "yes"] * 2)
    for model in learners(found)[1:]:
        refused(model, lambda m: m.partial_fit(X, words), ValueError, "label 'no'", "(0, …)", "one type")
        refused(model, lambda m: m.partial_fit(X[:1], words[:1]), ValueError, "label 'no'", "one type")
    mixture = np.array([0, "a"] * 3, dtype=object)
    refuses_to_learn(found, X, mixture, ValueError, "int, str", "one type")
    if found not in LINEAR:
        return
    model = streamed(found)
    refused(model, lambda m: m.learn_one({"one": 1.0}, 3), ValueError, "label 3", "('class 0', …)")
    refused(model, lambda m: m.learn_one({"one": 1.0}, b"class 0"), ValueError, "label b'class 0'", "one type")


@pytest.mark.diagonal
@every_linear_classifier
@pytest.mark.parametrize("bad", [np.nan, None, [1], {}, 1j, np.ones(2)], ids=repr)
def test_what_cannot_be_a_label(found, bad):
    for model in (found(), streamed(found)):
        refused(model, lambda m: m.learn_one({"one": 1.0}, bad), ValueError, "hashable and sortable", repr(bad))


@every_classifier
def test_targets_that_are_no_labels(found):
    y = LABELS.astype(float)
    y[2] = np.nan
    refuses_to_learn(found, X, y, ValueError, "y contains NaN", "row 2")
    refuses_to_learn(found, X, X[:, 0] + 0.5, ValueError, "Unknown label type: continuous")
    missing = np.array(["a", "b", np.nan] * 2, dtype=object)
    refuses_to_learn(found, X, missing, ValueError, "NaN", "row 2")


# ---- weights of examples -----------------------------------------------------------------------------------------


@every
def test_sample_weights(found):
    y = targets(found)

    def weights(value):
        return np.array([1, 1, value, 1, 1, 1.0])

    refuses_to_learn(found, X, y, ValueError, "sample_weight", "negative", "row 2", "-0.5", sample_weight=weights(-0.5))
    refuses_to_learn(found, X, y, ValueError, "sample_weight", "NaN", "row 2", sample_weight=weights(np.nan))
    refuses_to_learn(found, X, y, ValueError, "sample_weight", "infinity", "row 2", sample_weight=weights(np.inf))
    refuses_to_learn(found, X, y, ValueError, "sample_weight", "(5,)", "(6,)", sample_weight=np.ones(5))
    refuses_to_learn(found, X, y, ValueError, "one weight per row", "(6, 1)", sample_weight=np.ones((6, 1)))
    refuses_to_learn(found, X, y, ValueError, "'heavy'", sample_weight=["heavy"] * 6)
    for model in learners(found):
        refused(model, lambda m: m.fit(X, y, sample_weight=np.zeros(6)), ValueError, "all weights are zero")
    for bad in (-1, np.nan, np.inf, "heavy", None) if found in LINEAR else ():
        call = functools.partial(_learn, "learn_one", {"one": 1.0}, label(found, 0), {"sample_weight": bad})
        for model in (found(), streamed(found)):
            refused(model, call, ValueError, "sample_weight", repr(bad))


# ---- numbers too large, rows too small ---------------------------------------------------------------------------


@pytest.mark.diagonal
@every
@pytest.mark.parametrize(("dtype", "value"), [(np.float32, 1e30), (np.float64, 1e200), (np.float64, -1e200)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_numbers_whose_squares_overflow(found, dtype, value, container):
    rows = container(with_cell(value, dtype=dtype))
    telling = ("squared norm", "row 4", "overflows", np.dtype(dtype).name, "scale X down")
    refused(found(), lambda m: m.fit(rows, targets(found)), ValueError, *telling)
    model = found().fit(container(X.astype(dtype)), targets(found))
    refused(model, lambda m: m.partial_fit(rows, targets(found)), ValueError, *telling)
    refused(model, lambda m: m.predict(rows), ValueError, *telling)


@pytest.mark.diagonal
@every
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_numbers_too_large_for_a_model_of_single_precision(found, container):
    model = found().fit(X.astype(np.float32), targets(found))
    refused(model, lambda m: m.partial_fit(container(with_cell(1e30)), targets(found)), ValueError, "row 4", "float32")
    refused(model, lambda m: m.partial_fit(container(with_cell(1e200)), targets(found)), ValueError, "row 4", "float32")


@every_linear
def test_named_numbers_whose_squares_overflow(found):
    for model in (found(), streamed(found)):
        refused(model, lambda m: m.learn_one({"one": 1e200}, label(found, 0)), ValueError, "squared norm", "overflows")
        refused(model, lambda m: m.learn_one({"new": 1e200}, label(found, 9)), ValueError, "squared norm", "overflows")
    refused(streamed(found), lambda m: m.predict_one({"one": 1e200}), ValueError, "squared norm", "overflows")


@pytest.mark.diagonal
@every
@pytest.mark.parametrize("index", [-1, 3, 2**30])
def test_a_column_index_out_of_range(found, index):
    y = targets(found)
    rows = sparse.csr_matrix(X)
    rows.indices[rows.indptr[4]] = index
    telling = ("column index", "row 4", "3 columns")
    for model in learners(found, sparse.csr_matrix):
        refused(model, lambda m: m.fit(rows, y), ValueError, *telling)
        refused(model, lambda m: m.partial_fit(rows, y), ValueError, *telling)
    refuses_to_predict(found, rows, ValueError, *telling)


@pytest.mark.diagonal
@every
@pytest.mark.parametrize(("at", "value"), [(0, -1), (1, 10_000), (2, -5), (6, 10_000)])
def test_row_starts_that_are_none(found, at, value):
    rows = sparse.csr_matrix(X)
    rows.indptr[at] = value
    refused(found(), lambda m: m.fit(rows, targets(found)), ValueError, "ind")


#: Rows of zeros and bad numbers of steps matter where there is no bias.
STEPS = {
    "Perceptron": rb.Perceptron(fit_intercept=False),
    "margin perceptron": rb.Perceptron(margin=1.0, fit_intercept=False),
    "averaged": rb.AveragedPerceptron(fit_intercept=False),
    "pocket": rb.PocketPerceptron(fit_intercept=False),
    "batch": rb.BatchPerceptron(fit_intercept=False),
    "PA": rb.PassiveAggressiveClassifier(variant="PA", fit_intercept=False),
    "PA-I": rb.PassiveAggressiveClassifier(variant="PA-I", fit_intercept=False),
    "PA-II": rb.PassiveAggressiveClassifier(variant="PA-II", fit_intercept=False),
    "ovr PA": rb.PassiveAggressiveClassifier(variant="PA", multiclass="ovr", fit_intercept=False),
    "MIRA": rb.MIRA(fit_intercept=False),
    "MIRA with C": rb.MIRA(C=0.5, fit_intercept=False),
    "MIRA norm": rb.MIRA(variant="norm", fit_intercept=False),
    "regression PA": rb.PassiveAggressiveRegressor(variant="PA", fit_intercept=False),
    "regression PA-I": rb.PassiveAggressiveRegressor(variant="PA-I", fit_intercept=False),
    "regression PA-II": rb.PassiveAggressiveRegressor(variant="PA-II", fit_intercept=False),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("y", [LABELS, LABELS + (np.arange(6) == 2)], ids=["two classes", "three classes"])
def test_a_row_of_zeros_moves_nothing(name, y):
    known = {} if "regression" in name else {"classes": np.unique(y)}
    rows, y, others = with_cell(np.zeros(3), row=2, column=slice(None)), y.astype(float), [0, 1, 3, 4, 5]
    full = clone(STEPS[name]).partial_fit(rows, y, **known)
    less = clone(STEPS[name]).partial_fit(rows[others], y[others], **known)
    np.testing.assert_array_equal(full.with_readout("last").coef_, less.with_readout("last").coef_)
    assert np.isfinite(full.coef_).all()
    empty = clone(STEPS[name]).learn_one({}, 1.0).learn_one({}, 2.0)
    assert empty.coef_.size == 0


# ---- weights too large -------------------------------------------------------------------------------------------


#: A step of these ends at a margin of a few deviations, whatever the size of the row.
LEVEL = (rb.ConfidenceWeighted, rb.SCW)
every_that_explodes = pytest.mark.parametrize("found", [found for found in ESTIMATORS if found not in LEVEL], ids=named)


def explosion(found):
    """Parameters, a row and its weight that together make a step no float64 can hold."""
    if found is rb.AROW:
        return {"fit_intercept": False, "r": 1e-300}, 1e-154, 1e160
    if found is rb.SecondOrderPerceptron:
        return {"fit_intercept": False, "a": 1e-100}, 1e-100, 1e160
    if "eta0" in found().get_params() or "rule" in found().get_params():
        return {"fit_intercept": False}, 1e150, 1e160
    variant = {"variant": "PA"} if found is not rb.MIRA else {}
    return {"fit_intercept": False} | variant, 1e-160, 1.0


@every_that_explodes
def test_weights_that_overflow(found):
    params, size, weight = explosion(found)
    rows, y = X * size, targets(found)
    refused(found(**params), lambda m: m.fit(rows, y, sample_weight=[weight] * 6), ValueError, "overflow float64")
    refused(found(**params), lambda m: m.partial_fit(rows, y, sample_weight=[weight] * 6), ValueError, "overflow")
    if found in LINEAR:
        refused(found(**params), lambda m: m.learn_one({"one": size}, label(found, 5), weight), ValueError, "overflow")


@every_that_explodes
def test_weights_that_overflow_in_mid_stream(found):
    params, size, weight = explosion(found)
    telling = (ValueError, "overflow float64")
    y, rows, weights = targets(found), np.column_stack([X, np.zeros(6)]), np.ones(6)
    stream = found(**params).partial_fit(rows, y)
    rows[4], weights[4] = [0, 0, 0, size], weight  # its score is 0: surely a step
    refused(stream, lambda m: m.partial_fit(rows, y, sample_weight=weights), *telling)
    refused(stream, lambda m: m.partial_fit(rows[4:5], y[4:5], sample_weight=weights[4:5]), *telling)
    if found in CLASSIFIERS:  # a class that is new in the block goes with it
        third = np.array([2, 2, 1, 0, 1, 0])
        refused(stream, lambda m: m.partial_fit(rows, third, sample_weight=weights), *telling)


@pytest.mark.diagonal
@pytest.mark.parametrize("found", [found for found in LINEAR if found not in LEVEL], ids=named)
@pytest.mark.parametrize("k", [0, 1, 2])
def test_weights_that_overflow_one_at_a_time(found, k):
    params, size, weight = explosion(found)
    row = {"three": size, "four": size}
    y = label(found, k) if found in CLASSIFIERS else 1.0 + k
    refused(streamed(found, **params), lambda m: m.learn_one(row, y, weight), ValueError, "overflow float64")


@every_linear_classifier
def test_a_score_that_is_no_number_is_not_a_right_answer(found):
    rows = np.array([[1e10, 1e10], [-1e10, -1e10]])
    start = {"coef_init": [[1e300, -1e300]]}  # finite, but w·x is inf − inf
    refused(found(), lambda m: m.fit(rows, [0, 1], **start), ValueError, "overflow")
