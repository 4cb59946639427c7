"""Labels as codes: which classes there are, and the number of each label among them."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .unique import unique

Array = NDArray[Any]

_BLOCK = 1 << 13
_TEXT = "US"  # NumPy's kinds of text
_FEW = 8  # classes: labels are compared with each of them, which is faster than to look each label up


def classes_of(y: Array) -> Array:
    """The sorted classes of y, block by block."""
    if len(y) == 0:
        return y
    blocks = [_sorted_set(y[start : start + _BLOCK]) for start in range(0, len(y), _BLOCK)]
    return _sorted_set(np.concatenate(blocks))


def _sorted_set(y: Array) -> Array:
    """The distinct labels; of text, of which there is much, only these are sorted."""
    if y.dtype.kind in _TEXT:
        return np.array(sorted(set(y.tolist())), y.dtype)
    return unique(y)


def counts_of(y: Array) -> Counter[Any]:
    """How often each label occurs."""
    if y.dtype.kind not in "biuf":  # to sort text takes longer
        return Counter(y.tolist())
    classes, counts = np.unique(y, return_counts=True)
    return Counter(dict(zip(classes.tolist(), counts.tolist())))


def counts_of_codes(codes: Array, classes: Array) -> Counter[Any]:
    """How often each label occurs, by the codes of all."""
    return +Counter(dict(zip(classes.tolist(), np.bincount(codes).tolist())))  # without those that do not occur


def encode(y: Array, classes: Array) -> Array:
    """Codes of labels among the sorted ``classes``; a label that is not among them gets the code −1."""
    codes = np.empty(len(y), np.int8 if len(classes) < 128 else np.int32)
    for start in range(0, len(y), _BLOCK):  # in blocks, so that nothing as long as y is made besides the codes
        block = y[start : start + _BLOCK]
        if len(classes) == 0 or _are_few_texts(block, classes):
            codes[start : start + _BLOCK] = -1
            for code, label in enumerate(classes.tolist()):
                codes[start : start + _BLOCK][block == label] = code
            continue
        places = np.minimum(np.searchsorted(classes, block), len(classes) - 1)
        codes[start : start + _BLOCK] = np.where(classes[places] == block, places, -1)
    return codes


def _are_few_texts(y: Array, classes: Array) -> bool:
    return len(classes) <= _FEW and y.dtype.kind in _TEXT and y.dtype.kind == classes.dtype.kind


def alone(label: Any) -> Array:
    """An array of this one label; refuses what cannot be hashed or sorted, and NaN, which does not equal itself."""
    label = label.item() if isinstance(label, np.generic) else label
    try:
        usable = bool(label == label) and not label < label and isinstance(hash(label), int)
    except (TypeError, ValueError):
        usable = False
    if not usable:
        raise ValueError(f"a label must be hashable and sortable, such as a string or a number; got {label!r}")
    array = np.asarray([label])
    if array.shape != (1,) or array[0] != label:  # a tuple, or text that NumPy would cut short
        array = np.empty(1, dtype=object)
        array[0] = label
    return array


def insert(classes: Array, label: Any) -> tuple[Array, int]:
    """The sorted classes with one more label in its place, and the code it got."""
    new = alone(label)
    if classes.dtype == object:
        new = new.astype(object)
    kinds = {new.dtype.kind, classes.dtype.kind}
    try:
        if len(classes) and len(kinds) > 1 and not kinds.isdisjoint(_TEXT):  # NumPy would write numbers as text
            raise TypeError
        extended = np.append(classes, new) if len(classes) else new
        order = np.argsort(extended, kind="stable")
    except TypeError:
        raise ValueError(
            f"label {new.tolist()[0]!r} cannot be sorted among those known so far ({classes.tolist()[0]!r}, …); "
            "use labels of one type"
        ) from None
    return extended[order], int(np.flatnonzero(order == len(classes))[0])


def check_class_weight(class_weight: Any) -> None:
    """Refuse class weights that are neither None, "balanced" nor a dict of finite numbers >= 0."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None; got {class_weight!r}")
    if not all(isinstance(weight, numbers.Real) and 0 <= float(weight) < math.inf for weight in class_weight.values()):
        raise ValueError(f"class_weight must hold finite numbers >= 0, got {class_weight!r}")


def class_weights(
    class_weight: Any,
    classes: Array,
    counts: Array | None = None,
    *,
    stream: bool = False,
    occurring: Array | None = None,
) -> Array:
    """One weight per class: that of a dict (else 1), or n/(k·count) where they are "balanced".

    ``counts`` are the rows of each of the k classes, n in all; "balanced" needs them. In a ``stream`` the classes are
    those of some rows: none that a dict names need be among them. ``occurring`` are the classes of all rows, those
    without weight too; None: these.
    """
    check_class_weight(class_weight)
    if class_weight == "balanced":
        if stream or counts is None:
            raise ValueError(
                "class_weight='balanced' needs all of y, which a stream does not have; give the weights as a dict"
            )
        return np.asarray(counts.sum() / (len(classes) * np.maximum(counts, 1).astype(np.float64)))
    names = classes.tolist()
    known = names if occurring is None else occurring.tolist()
    if not stream and not any(label in class_weight for label in known):
        raise ValueError(f"class_weight names {list(class_weight)}, none of which is a class: {known}")
    return np.array([class_weight.get(label, 1.0) for label in names], np.float64)


def targets(y: Array, regression: bool) -> Array:
    """What to learn from labels: classes as they are, numbers of a regression as float64; refuses all other labels."""
    if regression and y.dtype.kind not in "biuf":
        y = _as_numbers(y)
    if y.dtype.kind == "f":
        wrong = np.flatnonzero(~np.isfinite(y) if regression else ~np.isfinite(y) | (y != np.round(y)))
        if len(wrong):
            row = int(wrong[0])
            if np.isnan(y[row]):
                raise DataError("the label is missing", row=row)
            if np.isinf(y[row]):
                raise DataError(f"labels must be finite, got {y[row]}", row=row)
            problem = f"classes are whole numbers or words, got the label {y[row]:g}"
            raise DataError(problem, "use a regressor", row=row)
    return np.ascontiguousarray(y, np.float64) if regression else y


def _as_numbers(y: Array) -> Array:
    for row, label in enumerate(y.tolist()):
        try:
            float(label)
        except (TypeError, ValueError):
            problem = f"a regression needs numbers, got the label {label!r}"
            raise DataError(problem, "for classes use a classifier", row=row) from None
    return y.astype(np.float64)


def extend(classes: Array, y: Array) -> Array:
    """The sorted classes with all labels of ``y`` that are new."""
    new = y[encode(y, classes) < 0]
    for label in distinct(new):
        classes, _ = insert(classes, label)
    return classes


def distinct(y: Array) -> Array:
    """The labels that occur in ``y``, sorted; refuses those that cannot be sorted."""
    try:
        return _sorted_set(y)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y.tolist()})
        raise ValueError(
            f"labels of several types ({', '.join(kinds)}) cannot be sorted; use labels of one type"
        ) from None
