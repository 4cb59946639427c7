"""Bad parameters, for every public estimator: refused by name and value before anything is learned."""

import functools

import numpy as np
import pytest
from discovery import CLASSIFIERS, ESTIMATORS, named
from refusals import LABELS, NUMBERS, X, label, refused, streamed, targets

import rosenblatt as rb

every = pytest.mark.parametrize("found", ESTIMATORS, ids=named)
every_classifier = pytest.mark.parametrize("found", CLASSIFIERS, ids=named)

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
}


def cases():
    for found in ESTIMATORS:
        taken = found().get_params()
        for name, values in BAD.items():
            if name in taken:
                yield from (pytest.param(found, name, value, id=f"{named(found)}-{name}-{value!r}") for value in values)


@pytest.mark.parametrize(("found", "name", "value"), list(cases()))
def test_a_value_out_of_range(found, name, value):
    y = targets(found)
    telling = (ValueError, name, repr(value))
    unfitted = found(**{name: value})
    refused(unfitted, lambda m: m.fit(X, y), *telling)
    refused(found().fit(X, y).set_params(**{name: value}), lambda m: m.fit(X, y), *telling)
    refused(unfitted, lambda m: m.partial_fit(X, y), *telling)
    if name != "random_state":  # names start from zero weights: nothing is drawn
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
    [(rule(), share, "'max'") for rule in MIRAS for share in ("uniform", "proportional", "ovr")]
    + [(rule(), share, "'ovr'") for rule in PAS for share in ("uniform", "proportional")],
)
def test_a_share_that_does_not_go_with_the_rule(rule, share, instead):
    model = rb.OnlineClassifier(rule=rule, multiclass=share)
    refused(model, lambda m: m.fit(X, LABELS), ValueError, share, type(rule).__name__, instead)


@pytest.mark.parametrize("found", [rb.MIRA, rb.PassiveAggressiveClassifier], ids=named)
def test_a_share_that_does_not_go_with_the_estimator(found):
    refused(
        found(multiclass="uniform"), lambda m: m.fit(X, LABELS), ValueError, "multiclass='uniform'", "does not go with"
    )


@every
def test_a_readout_that_the_run_did_not_keep(found):
    model = found().fit(X, targets(found))
    for readout in {"averaged", "pocket"} - {model._learner.readout}:
        call = functools.partial(found.with_readout, readout=readout)
        refused(model, call, ValueError, repr(model._learner.readout), repr(readout))
    refused(model, lambda m: m.with_readout("voted"), ValueError, "readout must be one of", "'voted'")


@every
def test_a_random_start_is_not_for_names(found):
    refused(found(init="random"), lambda m: m.learn_one({"one": 1.0}, label(found, 0)), ValueError, "init='random'")


# ---- weights of classes ------------------------------------------------------------------------------------------


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
    refused(model, lambda m: m.learn_one({"one": 1.0}, 0), *telling)
    refused(
        streamed(found).set_params(class_weight="balanced"), lambda m: m.learn_one({"one": 1.0}, "class 0"), *telling
    )
    fitted = found(class_weight="balanced").fit(X, LABELS)
    refused(fitted, lambda m: m.partial_fit(X, LABELS), *telling)
    refused(fitted, lambda m: m.partial_fit(X[:1], LABELS[:1]), *telling)


# ---- where to start ----------------------------------------------------------------------------------------------


@every
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


@every_classifier
def test_starting_weights_of_three_classes(found):
    y = [0, 0, 1, 1, 2, 2]
    refused(found(), lambda m: m.fit(X, y, coef_init=np.ones(9)), ValueError, "coef_init", "(3, 3)", "(9,)")
    refused(found(), lambda m: m.fit(X, y, coef_init=np.ones((1, 3))), ValueError, "coef_init", "(3, 3)", "(1, 3)")
    refused(found(), lambda m: m.fit(X, y, intercept_init=[1.0]), ValueError, "intercept_init", "(3,)", "(1,)")


@every
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
