"""Bad parameters, for every public estimator: refused by name and value before anything is learned."""

import functools

import numpy as np
import pandas as pd
import pytest
from discovery import CLASSIFIERS, ESTIMATORS, KERNEL, LINEAR, LINEAR_CLASSIFIERS, learned, named
from refusals import LABELS, NUMBERS, X, label, refused, streamed, targets
from scipy import sparse

import rosenblatt as rb

every = pytest.mark.parametrize("found", ESTIMATORS, ids=named)
every_classifier = pytest.mark.parametrize("found", CLASSIFIERS, ids=named)
every_linear = pytest.mark.parametrize("found", LINEAR, ids=named)
every_linear_classifier = pytest.mark.parametrize("found", LINEAR_CLASSIFIERS, ids=named)
every_kernel = pytest.mark.parametrize("found", KERNEL, ids=named)

NAN, INF = float("nan"), float("inf")

#: Values that the parameter of this name does not take, whatever the estimator.
BAD = {
    "ties": ["never", "Mistake", None, 1],
    "multiclass": ["softmax", "best", None],
    "init": ["ones", 0, None],
    "readout": ["voted", "mean", None],
    "variant": ["PA3", "pa-i", None],
    "rule": ["PA", rb.rules.PA, 1.0, rb.Perceptron()],
    "eta0": [0, 0.0, -1.0, NAN, INF, "fast", None, True],
    "margin": [-0.1, NAN, INF, "wide", None],
    "C": [0, -1.0, NAN, INF, "large", True],
    "epsilon": [-0.1, NAN, "thin", None],
    "max_iter": [0, -3, 2.5, NAN, "many", None, True],
    "tol": [-1e-9, NAN, "tight"],
    "n_iter_no_change": [0, -1, 1.5, None, True],
    "verbose": [-1, NAN, "loud", None],
    "random_state": [-1, 2.5, "seed"],
    "kernel": ["gaussian", "RBF", None, 3, ["rbf"], X @ X.T],
    "gamma": ["wide", 0, 0.0, -1.0, NAN, INF, None, [1.0], True],
    "degree": [0, -1.0, NAN, INF, "two", None, True],
    "coef0": [NAN, INF, "one", None, True],
    "block_size": [0, -1, 2.5, NAN, "all", True],
    "cache_size": [-1, NAN, "all"],
    "precision": ["half", None, 32],
}


def cases():
    """Every day each parameter of each estimator with one value, and each value with one estimator."""
    met = set()
    for found in ESTIMATORS:
        taken = found().get_params()
        for name, values in BAD.items():
            for i, value in enumerate(values if name in taken else []):
                if found in KERNEL and (name, i) == ("readout", 0):  # "voted", which is one of theirs
                    continue
                needed = {(found, name), (name, i)} - met
                met |= needed
                yield pytest.param(
                    found, name, value, id=f"{named(found)}-{name}-{value!r}"[:60],
                    marks=[] if needed else pytest.mark.slow,
                )  # fmt: skip


@pytest.mark.parametrize(("found", "name", "value"), list(cases()))
def test_a_value_out_of_range(found, name, value):
    y = targets(found)
    telling = (ValueError, name, repr(value))
    unfitted = found(**{name: value})
    one_line = not isinstance(value, np.ndarray)
    refused(unfitted, lambda m: m.fit(X, y), *telling, one_line=one_line)
    refused(found().fit(X, y).set_params(**{name: value}), lambda m: m.fit(X, y), *telling, one_line=one_line)
    refused(unfitted, lambda m: m.partial_fit(X, y), *telling, one_line=one_line)
    if name != "random_state" and found in LINEAR:  # names start from zero weights: nothing is drawn
        refused(unfitted, lambda m: m.learn_one({"one": 1.0}, label(found, 0)), *telling)


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@pytest.mark.parametrize("found", [rb.PassiveAggressiveClassifier, rb.PassiveAggressiveRegressor], ids=named)
def test_aggressiveness_of_each_variant(found, variant):
    refused(found(variant=variant, C=0), lambda m: m.fit(X, targets(found)), ValueError, "C must be", "> 0", "got 0")


@pytest.mark.parametrize("beta", [0, -0.1, NAN, INF, "small", None])
def test_beta_of_mira(beta):
    refused(
        rb.MIRA(variant="norm", beta=beta), lambda m: m.fit(X, LABELS), ValueError, "beta must be", "> 0", repr(beta)
    )


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (rb.rules.Perceptron, "eta0", 0),
        (rb.rules.Perceptron, "margin", -1),
        (rb.rules.PA1, "C", 0),
        (rb.rules.PA2, "C", NAN),
        (rb.rules.MIRA, "C", -1),
        (rb.rules.NormMIRA, "beta", 0),
    ],
)
def test_a_rule_refuses_at_once(kind, name, value):
    with pytest.raises(ValueError, match=rf"{name} must be a finite number >=? 0, got {value!r}"):
        kind(**{name: value})


@every
@pytest.mark.parametrize("fraction", [0, 1, 0.0, 1.0, -0.1, 1.1, NAN, "a tenth", None])
def test_the_held_out_part(found, fraction):
    model = found(early_stopping=True, validation_fraction=fraction)
    refused(model, lambda m: m.fit(X, targets(found)), ValueError, "validation_fraction", repr(fraction))


# ---- combinations ------------------------------------------------------------------------------------------------

MIRAS = (rb.rules.MIRA, rb.rules.NormMIRA)
PAS = (rb.rules.PA, rb.rules.PA1, rb.rules.PA2)


@pytest.mark.parametrize(
    ("rule", "share", "instead"),
    [(rule(), share, "use max") for rule in MIRAS for share in ("uniform", "proportional", "ovr")]
    + [(rule(), share, "use max or ovr") for rule in PAS for share in ("uniform", "proportional")],
)
def test_a_share_that_does_not_go_with_the_rule(rule, share, instead):
    model = rb.OnlineClassifier(rule=rule, multiclass=share)
    refused(model, lambda m: m.fit(X, LABELS), ValueError, share, type(rule).__name__, instead)


@pytest.mark.parametrize("found", [rb.MIRA, rb.PassiveAggressiveClassifier], ids=named)
def test_a_share_that_does_not_go_with_the_estimator(found):
    refused(
        found(multiclass="uniform"), lambda m: m.fit(X, LABELS), ValueError, "multiclass='uniform'", "does not go with"
    )


@every_linear
def test_a_readout_that_the_run_did_not_keep(found):
    model = found().fit(X, targets(found))
    for readout in {"averaged", "pocket"} - {model._learner.readout}:
        call = functools.partial(found.with_readout, readout=readout)
        refused(model, call, ValueError, repr(model._learner.readout), repr(readout))
    refused(model, lambda m: m.with_readout("voted"), ValueError, "readout must be one of", "'voted'")


@every_linear
def test_a_random_start_is_not_for_names(found):
    refused(found(init="random"), lambda m: m.learn_one({"one": 1.0}, label(found, 0)), ValueError, "init='random'")


# ---- what kernel space does not have -----------------------------------------------------------------------------


@every_kernel
def test_a_pocket_that_the_run_did_not_keep_and_readouts_that_are_none(found):
    for model in (found().fit(X, LABELS), found().partial_fit(X, LABELS)):
        refused(model, lambda m: m.with_readout("pocket"), ValueError, "no pocket", "'pocket'")
        refused(model, lambda m: m.with_readout("mean"), ValueError, "readout must be one of", "'voted'", "'mean'")
    assert found(readout="pocket").fit(X, LABELS).with_readout("pocket").readout == "pocket"


@every_kernel
@pytest.mark.parametrize("param", [{"warm_start": True}, {"init": "random"}], ids=repr)
def test_a_run_in_kernel_space_begins_with_no_examples(found, param):
    telling = (ValueError, "kernel space", "warm_start=False", "init='zeros'")
    refused(found(**param), lambda m: m.fit(X, LABELS), *telling)
    refused(found(**param), lambda m: m.partial_fit(X, LABELS), *telling)
    refused(found().fit(X, LABELS).set_params(**param), lambda m: m.fit(X, LABELS), *telling)
    with pytest.raises(TypeError, match="coef_init"):
        found().fit(X, LABELS, coef_init=np.ones((1, 3)))


@every_kernel
def test_named_features_are_for_linear_learners(found):
    frame = pd.DataFrame(X, columns=["one", "two", "three"])
    for model in (found(), found().fit(X, LABELS), found().fit(frame, LABELS)):
        refused(model, lambda m: m.learn_one({"one": 1.0}, 0), TypeError, "linear learners", "partial_fit")
        refused(model, lambda m: m.predict_one({"one": 1.0}), TypeError, "linear learners", "predict")


@every_kernel
def test_weights_of_features_are_there_with_a_linear_kernel_alone(found):
    linear = found(kernel="linear", readout="last", random_state=0).fit(X, LABELS)
    assert linear.coef_.shape == (1, 3)
    np.testing.assert_allclose(linear.decision_function(X), X @ linear.coef_[0] + linear.intercept_)
    for kernel in ("rbf", "poly", "sigmoid", lambda A, B: A @ B.T):
        model = found(kernel=kernel).fit(X, LABELS)
        assert not hasattr(model, "coef_")
        refused(model, lambda m: m.coef_, AttributeError, "kernel='linear' alone", "dual_coef_")


@every_kernel
def test_a_precomputed_kernel(found):
    K = X @ X.T
    telling = (ValueError, "square matrix", "6x3")
    refused(found(kernel="precomputed"), lambda m: m.fit(X, LABELS), *telling)
    refused(found(kernel="precomputed"), lambda m: m.partial_fit(K, LABELS), ValueError, "stream", "precomputed")
    early = found(kernel="precomputed", early_stopping=True)
    refused(early, lambda m: m.fit(K, LABELS), ValueError, "early_stopping", "precomputed")
    refused(found().fit(X, LABELS).set_params(kernel="precomputed"), lambda m: m.fit(X, LABELS), *telling)
    model = found(kernel="precomputed", random_state=0).fit(K, LABELS)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 6"):
        model.predict(K[:, :3])
    with pytest.raises(ValueError, match="stream"):
        model.partial_fit(K, LABELS)
    rows = found(kernel="linear", random_state=0).fit(X, LABELS)
    for matrix in (K, sparse.csr_array(K)):
        model = found(kernel="precomputed", random_state=0).fit(matrix, LABELS)
        np.testing.assert_array_equal(model.dual_coef_, rows.dual_coef_)
        np.testing.assert_allclose(model.decision_function(matrix), rows.decision_function(X))
        assert model.support_vectors_.shape == (0, 6)


@every_kernel
def test_powers_that_are_no_numbers(found):
    large = X * 1e100
    for params, telling in (({"degree": 5}, "overflow float64"), ({"degree": 2.5, "coef0": -1e210}, "NaN")):
        params = {"kernel": "poly", "gamma": 1.0} | params
        refused(found(**params), lambda m: m.fit(large, LABELS), ValueError, "kernel", telling)
        refused(found(**params), lambda m: m.partial_fit(large, LABELS), ValueError, "kernel", telling)
    stream = found(kernel="poly", gamma=1.0, degree=5, block_size=2).partial_fit(X, LABELS)
    rows = X[::-1].copy()
    rows[5] *= 1e100
    for y in (LABELS, LABELS + 1):
        refused(stream, lambda m, y=y: m.partial_fit(rows, y), ValueError, "kernel", "overflow float64")
        refused(stream, lambda m, y=y: m.partial_fit(rows[5:], y[5:]), ValueError, "kernel", "overflow float64")
    refused(stream, lambda m: m.predict(rows), ValueError, "kernel", "overflow float64")


@every_kernel
def test_a_function_that_is_no_kernel(found):
    functions = {
        "shape": lambda A, B: np.ones(len(A)),
        "NaN": lambda A, B: np.full((len(A), len(B)), NAN),
        "infinity": lambda A, B: np.full((len(A), len(B)), INF),
        "not a number": lambda A, B: np.full((len(A), len(B)), "a"),
    }
    for telling, function in functions.items():
        refused(found(kernel=function), lambda m: m.fit(X, LABELS), ValueError, "kernel function", telling)
        refused(found(kernel=function), lambda m: m.partial_fit(X, LABELS), ValueError, "kernel function", telling)


@every_kernel
def test_a_function_that_fails_in_mid_stream(found):
    def kernel(A, B):
        if np.any(A[:, 0] == 13):
            raise ArithmeticError("no such number")
        return A @ B.T

    stream = found(kernel=kernel, block_size=2).partial_fit(X, LABELS)
    rows = X[::-1] * 3
    rows[5, 0] = 13
    for y in (LABELS, LABELS + 1):
        refused(stream, lambda m, y=y: m.partial_fit(rows, y), ArithmeticError, "no such number")
        refused(stream, lambda m, y=y: m.partial_fit(rows[5:], y[5:]), ArithmeticError, "no such number")
    refused(stream, lambda m: m.fit(rows, LABELS), ArithmeticError, "no such number")


@every_kernel
def test_parameters_set_after_the_first_call_wait_for_the_next_fit(found):
    plain, changed = (found(kernel="poly", gamma=0.5).partial_fit(X, LABELS) for _ in range(2))
    changed.set_params(kernel="precomputed", gamma=9.0, degree=1, coef0=7.0, fit_intercept=False, readout="last")
    for _ in range(2):
        np.testing.assert_array_equal(changed.decision_function(X), plain.decision_function(X))
        np.testing.assert_array_equal(changed.intercept_, plain.intercept_)
        np.testing.assert_array_equal(learned(changed), learned(plain))
        for model in (plain, changed):
            model.partial_fit(X[::-1] + 1, LABELS)


@every_kernel
def test_a_width_that_the_data_does_not_give(found):
    model = found(kernel="rbf")
    for method in ("fit", "partial_fit"):
        call = functools.partial(getattr(found, method), X=X * 1e-160, y=LABELS)
        refused(model, call, ValueError, "gamma='scale'", "X.var()", "scale X")
    assert found(kernel="rbf", gamma="auto").fit(X * 1e-160, LABELS).n_iter_
    assert found(kernel="rbf", max_iter=1, tol=None).fit(np.full((6, 3), 7.1), LABELS)._learner.kernel.gamma == 1 / 3


# ---- weights of classes ------------------------------------------------------------------------------------------


@pytest.mark.diagonal
@every_classifier
@pytest.mark.parametrize(
    "weight",
    ["even", [1.0, 2.0], {0: -1.0}, {0: NAN}, {0: INF}, {0: "heavy"}, {0: None}, {7: 1.0}, {"0": 2.0}],
    ids=repr,
)
def test_class_weights(found, weight):
    model = found(class_weight=weight)
    refused(model, lambda m: m.fit(X, LABELS), ValueError, "class_weight", repr(weight).strip("{}").split(":")[0])
    fitted = found().fit(X, LABELS).set_params(class_weight=weight)
    refused(fitted, lambda m: m.fit(X, LABELS), ValueError, "class_weight")


@every_classifier
def test_a_stream_has_no_balance(found):
    telling = (ValueError, "class_weight='balanced'", "stream", "dict")
    model = found(class_weight="balanced")
    refused(model, lambda m: m.partial_fit(X, LABELS), *telling)
    if found in LINEAR:
        stream = streamed(found).set_params(class_weight="balanced")
        refused(model, lambda m: m.learn_one({"one": 1.0}, 0), *telling)
        refused(stream, lambda m: m.learn_one({"one": 1.0}, "class 0"), *telling)
    fitted = found(class_weight="balanced").fit(X, LABELS)
    refused(fitted, lambda m: m.partial_fit(X, LABELS), *telling)
    refused(fitted, lambda m: m.partial_fit(X[:1], LABELS[:1]), *telling)


# ---- where to start ----------------------------------------------------------------------------------------------


@pytest.mark.diagonal
@every_linear
@pytest.mark.parametrize(
    ("start", "telling"),
    [
        ({"coef_init": [1.0, 2.0]}, ("coef_init", "(1, 3)", "(2,)")),
        ({"coef_init": np.ones((2, 3))}, ("coef_init", "(1, 3)", "(2, 3)")),
        ({"coef_init": 1.0}, ("coef_init", "(1, 3)", "()")),
        ({"coef_init": [1.0, NAN, 1.0]}, ("coef_init", "NaN")),
        ({"coef_init": [1.0, INF, 1.0]}, ("coef_init", "infinity")),
        ({"coef_init": ["a", "b", "c"]}, ("coef_init", "numbers", "'a'")),
        ({"intercept_init": [1.0, 2.0]}, ("intercept_init", "(1,)", "(2,)")),
        ({"intercept_init": [NAN]}, ("intercept_init", "NaN")),
        ({"intercept_init": "b"}, ("intercept_init", "numbers", "'b'")),
    ],
)
def test_starting_weights(found, start, telling):
    for model in (found(), found().fit(X, targets(found))):
        refused(model, lambda m: m.fit(X, targets(found), **start), ValueError, *telling)


@every_linear_classifier
def test_starting_weights_of_three_classes(found):
    y = [0, 0, 1, 1, 2, 2]
    refused(found(), lambda m: m.fit(X, y, coef_init=np.ones(9)), ValueError, "coef_init", "(3, 3)", "(9,)")
    refused(found(), lambda m: m.fit(X, y, coef_init=np.ones((1, 3))), ValueError, "coef_init", "(3, 3)", "(1, 3)")
    refused(found(), lambda m: m.fit(X, y, intercept_init=[1.0]), ValueError, "intercept_init", "(3,)", "(1,)")


@every_linear
def test_a_warm_start_from_weights_of_another_shape(found):
    y = targets(found)
    model = found(warm_start=True).fit(X, y)
    refused(model, lambda m: m.fit(X[:, :2], y), ValueError, "warm_start", "1 × 3", "1 × 2")
    if found in CLASSIFIERS:
        refused(model, lambda m: m.fit(X, [0, 0, 1, 1, 2, 2]), ValueError, "warm_start", "[0, 1]", "[0, 1, 2]")


def test_good_starting_weights_are_taken_in_any_plain_shape():
    for found, y in ((rb.Perceptron, LABELS), (rb.PassiveAggressiveRegressor, NUMBERS)):
        fits = [found(shuffle=False).fit(X, y, coef_init=np.ones(shape)).coef_ for shape in (3, (1, 3))]
        np.testing.assert_array_equal(*fits)
