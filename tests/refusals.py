"""How the tests of bad input look at an estimator: what it is before a refused call, it is afterwards."""

import copy

import numpy as np
import pandas as pd
import pytest
from discovery import CLASSIFIERS, KERNEL, learned

X = np.array([[1.0, 2, 0], [2, 1, 1], [0, 1, -1], [-1, -2, 1], [-2, -1, 0], [-1, 0, -2]])
LABELS = np.array([1, 1, 1, 0, 0, 0])
NUMBERS = X @ [1.0, -1.0, 0.5] + 2
NAMES = ["one", "two", "three"]

FITTED = (
    "coef_",
    "intercept_",
    "classes_",
    "n_iter_",
    "n_updates_",
    "mistakes_",
    "verdict_",
    "converged_",
    "margin_bounds_",
    "validation_scores_",
    "n_features_in_",
    "feature_names_in_",
    "support_",
    "support_vectors_",
    "n_support_",
    "dual_coef_",
    "n_voters_",
)


def targets(found):
    """Targets of X: labels that a line separates, or numbers."""
    return LABELS if found in CLASSIFIERS else NUMBERS


def label(found, k):
    """The k-th label of a stream, or a number."""
    return f"class {k}" if found in CLASSIFIERS else float(k)


def streamed(found, **params):
    """An estimator that met three examples of named features."""
    model = found(**params)
    for k, x in enumerate(({"one": 1.0}, {"two": 1.0, "one": -1.0}, {"two": 2.0})):
        model.learn_one(x, label(found, k % 2))
    return model


def state(model):
    """Everything a user can see of an estimator, and where its next step would lead."""
    model = copy.deepcopy(model)  # looking must not fill a cache that the call would have found empty
    params = repr(model.get_params())
    if not model.__sklearn_is_fitted__():
        return {"params": params, "attributes": sorted(vars(model))}
    seen = {"params": params} | {name: plain(getattr(model, name)) for name in FITTED if hasattr(model, name)}
    if "class_weight" in params:
        model.set_params(class_weight=None)  # may be the very thing that is refused
    width, known = seen["n_features_in_"], seen.get("classes_", [1.0])
    if type(model) in KERNEL:
        row = pd.DataFrame(np.ones((1, width)), columns=seen.get("feature_names_in_"))
        row = row if "feature_names_in_" in seen else row.to_numpy()
        seen["prediction"], seen["score"] = model.predict(row), model.decision_function(row)
        seen["readouts"] = [model.with_readout(name).decision_function(row) for name in ("last", "averaged", "voted")]
        seen["next"] = learned(model.partial_fit(row, known[:1]))
    elif "feature_names_in_" in seen:
        row = dict.fromkeys(seen["feature_names_in_"], 1.0)
        seen["prediction"] = model.predict_one(row)
        seen["next"] = model.learn_one(row, known[0]).coef_
    elif width:
        seen["prediction"] = model.predict(np.ones((1, width)))
        seen["next"] = model.partial_fit(np.ones((1, width)), known[:1]).coef_
    return seen


def plain(value):
    """A sparse matrix as an array, and all else as it is."""
    return value.toarray() if hasattr(value, "toarray") else value


def refused(model, call, kind, *telling, one_line=True):
    """The call raises this kind of exception, its message has the telling parts, and nothing else happens."""
    before = state(model)
    with pytest.raises(kind) as caught:
        call(model)
    message = str(caught.value)
    assert [part for part in telling if part not in message] == [], message
    assert "\n" not in message or not one_line, message
    after = state(model)
    assert before.keys() == after.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, err_msg=f"{name} changed")


def one_sentence(call, kind, *telling):
    """A call is refused in one sentence that tells what it must."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert [part for part in telling if part not in message] == [], message
    assert "\n" not in message, message
    assert len(message) < 600, message


def with_cell(value, dtype=float):
    """X with one bad cell, at row 4, column 1."""
    rows = X.astype(dtype)
    rows[4, 1] = value
    return rows
