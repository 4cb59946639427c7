"""Labels as codes: which classes there are, and the number of each label among them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_BLOCK = 1 << 16
_TEXT = "US"  # NumPy's kinds of text


def encode(y: Array, classes: Array) -> Array:
    """Codes of labels among the sorted ``classes``; a label that is not among them gets the code −1."""
    codes = np.empty(len(y), np.int32)
    for start in range(0, len(y), _BLOCK):  # in blocks, so that nothing as long as y is made besides the codes
        block = y[start : start + _BLOCK]
        if len(classes) == 0:
            codes[start : start + _BLOCK] = -1
            continue
        found = np.minimum(np.searchsorted(classes, block), len(classes) - 1)
        codes[start : start + _BLOCK] = np.where(classes[found] == block, found, -1)
    return codes


def insert(classes: Array, label: Any) -> tuple[Array, int]:
    """The sorted classes with one more label in its place, and the code it got."""
    new = np.asarray([label], dtype=object if classes.dtype == object else None)
    try:
        if len(classes) and (new.dtype.kind in _TEXT) != (classes.dtype.kind in _TEXT):
            raise TypeError
        extended = np.append(classes, new) if len(classes) else new
        order = np.argsort(extended, kind="stable")
    except TypeError:
        raise ValueError(
            f"label {label!r} cannot be sorted among those known so far ({classes[0]!r}, …); use labels of one type"
        ) from None
    return extended[order], int(np.flatnonzero(order == len(classes))[0])


def extend(classes: Array, y: Array) -> Array:
    """The sorted classes with all labels of ``y`` that are new."""
    new = y[encode(y, classes) < 0]
    for label in np.unique(new):
        classes, _ = insert(classes, label)
    return classes
