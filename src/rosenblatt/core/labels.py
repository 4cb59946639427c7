"""Labels as codes: which classes there are, and the number of each label among them."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_BLOCK = 1 << 13
_TEXT = "US"  # NumPy's kinds of text


def classes_of(y: Array) -> Array:
    """The sorted classes of y, found block by block."""
    if len(y) == 0:
        return y
    blocks = [np.unique(y[start : start + _BLOCK]) for start in range(0, len(y), _BLOCK)]
    return np.unique(np.concatenate(blocks))


def encode(y: Array, classes: Array) -> Array:
    """Codes of labels among the sorted ``classes``; a label that is not among them gets the code −1."""
    codes = np.empty(len(y), np.int8 if len(classes) < 128 else np.int32)
    for start in range(0, len(y), _BLOCK):  # in blocks, so that nothing as long as y is made besides the codes
        block = y[start : start + _BLOCK]
        if len(classes) == 0:
            codes[start : start + _BLOCK] = -1
            continue
        found = np.minimum(np.searchsorted(classes, block), len(classes) - 1)
        codes[start : start + _BLOCK] = np.where(classes[found] == block, found, -1)
    return codes


def alone(label: Any) -> Array:
    """An array of this one label. Refuses what cannot be hashed or sorted, and NaN, which does not equal itself."""
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


def check_class_weight(given: Any) -> None:
    """Refuse class weights that are neither None, "balanced" nor a dict of finite numbers >= 0."""
    if given is None or (isinstance(given, str) and given == "balanced"):
        return
    if not isinstance(given, dict):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None; got {given!r}")
    if not all(isinstance(weight, numbers.Real) and 0 <= float(weight) < math.inf for weight in given.values()):
        raise ValueError(f"class_weight must hold finite numbers >= 0, got {given!r}")


def extend(classes: Array, y: Array) -> Array:
    """The sorted classes with all labels of ``y`` that are new."""
    new = y[encode(y, classes) < 0]
    for label in distinct(new):
        classes, _ = insert(classes, label)
    return classes


def distinct(y: Array) -> Array:
    """The labels that occur in ``y``, sorted."""
    try:
        return np.unique(y)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y.tolist()})
        raise ValueError(
            f"labels of several types ({', '.join(kinds)}) cannot be sorted; use labels of one type"
        ) from None
