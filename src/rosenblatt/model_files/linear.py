"""A learner with linear weights, as arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..learner import Learner
from .fitting import Array, fitting, numbers, require

#: The learners that this is for,
LEARNERS: tuple[type[Learner], ...] = (Learner,)
#: what they are made with,
MADE_WITH = ("fit_intercept", "batch", "epsilon")
#: and what their run has come to.
RUN: tuple[str, ...] = ()

#: Arrays whose rows are the biases and the features, and whose columns are the weight vectors; all but the first may
#: be missing.
_WEIGHTS = ("weights", "total", "pocket", "start")
#: The rows that they have, where most are 0.
_ROWS = "weight_rows"


def state_of(learner: Learner) -> tuple[dict[str, Any], dict[str, Array]]:
    """No further values, and the weights."""
    held = {name: getattr(learner, name) for name in _WEIGHTS if getattr(learner, name) is not None}
    held = {name: learner.in_order(found)[:, : learner.n_vectors] for name, found in held.items()}  # no padding
    rows, features = _rows_in_use(list(held.values())), learner.features()
    if features is None and 2 * len(rows) > learner.n_features:
        return {}, held
    numbers = rows if features is None else np.concatenate(([0], 1 + features))[rows]
    numbers = numbers.astype(_index_type(1 + learner.n_features))
    return {}, {_ROWS: numbers} | {name: np.take(found, rows, axis=0) for name, found in held.items()}


def made(plain: dict[str, Any], **options: Any) -> Learner:
    """A learner that has not begun."""
    return Learner(plain["rule"], **options)


def check_size(arrays: dict[str, Array], n_features: int, k: int) -> None:
    """Before room is made for so many features and vectors."""
    require(arrays["weights"].shape == (len(arrays[_ROWS]) if _ROWS in arrays else 1 + n_features, k), "weights")


def fill(learner: Learner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Take over what ``state_of`` gave."""
    rows: Any = slice(None)
    shape = (1 + learner.n_features, learner.n_vectors)
    if _ROWS in arrays:
        rows = numbers(arrays, _ROWS, len(arrays[_ROWS]), below=shape[0], dtype=_index_type(shape[0]))
        require(bool(np.all(np.diff(rows) > 0)), _ROWS)
        shape = (len(rows), shape[1])
        rows = learner.rows_for(rows)
    else:
        learner.spread()
    if "start" in arrays:
        learner.start = np.zeros_like(learner.weights)
    require({name for name in _WEIGHTS if name in arrays} == set(learner._arrays()), "its readout")
    for name in learner._arrays():
        into = getattr(learner, name)
        into[rows, : shape[1]] = fitting(arrays, name, shape, into.dtype)


def _rows_in_use(held: list[Array]) -> Array:
    """The rows in which any bit is set: of 2^22 hashed columns most are empty."""
    used = np.zeros(len(held[0]), bool)
    for found in held:
        bits = np.ascontiguousarray(found).view(np.dtype(f"u{found.itemsize}"))
        used |= bits.ravel() != 0 if bits.shape[1] == 1 else bits.any(axis=1)
    return np.flatnonzero(used)


def _index_type(n_rows: int) -> Any:
    return np.int32 if n_rows < 1 << 31 else np.int64
