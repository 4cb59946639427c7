"""A learner with linear weights, as arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core.learner import Learner

Array = NDArray[Any]

#: The learners that this is for,
LEARNERS: tuple[type[Learner], ...] = (Learner,)
#: what they are made with,
MADE_WITH = {
    "fit_intercept": schema.flag,
    "intercept_scaling": schema.real(1e-9),
    "batch": schema.flag,
    "epsilon": schema.optional(schema.real(0)),
}
#: what their run has come to,
RUN: dict[str, schema.Check] = {}
#: and what else ``state_of`` tells.
REST: dict[str, schema.Check] = {}

#: Arrays whose rows are the biases and the features, and whose columns are the weight vectors; all but the first may
#: be missing.
_WEIGHTS = ("weights", "total", "pocket", "start")
#: The rows that they have, where most are 0.
_ROWS = "weight_rows"


def state_of(learner: Learner) -> tuple[dict[str, Any], dict[str, Array]]:
    """No further values, and the weights."""
    held = {name: getattr(learner, name) for name in _WEIGHTS if getattr(learner, name) is not None}
    held = {name: learner.in_order(array)[:, : learner.n_vectors] for name, array in held.items()}  # no padding
    rows, features = _rows_in_use(list(held.values())), learner.features()
    if features is None and 2 * len(rows) > learner.n_features:
        return {}, held
    numbers = rows if features is None else np.concatenate(([0], 1 + features))[rows]
    numbers = numbers.astype(_index_type(1 + learner.n_features))
    return {}, {_ROWS: numbers} | {name: np.take(array, rows, axis=0) for name, array in held.items()}


def made(plain: dict[str, Any], **options: Any) -> Learner:
    """A new learner."""
    return Learner(plain["rule"], **options)


def check_size(arrays: dict[str, Array], n_features: int, k: int) -> None:
    """Refuse arrays of other sizes, before memory is allocated for so many features and vectors."""
    n_rows = 1 + n_features
    if _ROWS in arrays:
        n_rows = len(schema.numbers(arrays, _ROWS, _index_type(n_rows), None, below=n_rows))
        schema.require(bool(np.all(np.diff(arrays[_ROWS]) > 0)), _ROWS)
    for name in _WEIGHTS:
        schema.require(name in arrays or name != "weights", name)
        schema.require(name not in arrays or arrays[name].shape == (n_rows, k), name)


def fill(learner: Learner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Take over what ``state_of`` gave."""
    rows: Any = slice(None)
    if _ROWS in arrays:
        rows = learner.rows_for(arrays[_ROWS])
    else:
        learner.expand()
    if "start" in arrays:
        learner.start = np.zeros(learner.weights.shape, learner.dtype)
    schema.require({name for name in _WEIGHTS if name in arrays} == set(learner._arrays()), "its readout")
    for name in learner._arrays():
        into = getattr(learner, name)
        into[rows, : learner.n_vectors] = schema.array(arrays, name, into.dtype, (None, learner.n_vectors))


def _rows_in_use(held: list[Array]) -> Array:
    """The rows in which any bit is set: of 2^22 hashed columns most are empty."""
    used = np.zeros(len(held[0]), bool)
    for array in held:
        bits = np.ascontiguousarray(array).view(np.dtype(f"u{array.itemsize}"))
        used |= bits.ravel() != 0 if bits.shape[1] == 1 else bits.any(axis=1)
    return np.flatnonzero(used)


def _index_type(n_rows: int) -> Any:
    return np.int32 if n_rows < 1 << 31 else np.int64
