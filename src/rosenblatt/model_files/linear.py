"""A learner with linear weights, as arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine
from ..core.learner import Learner
from ..core.lists import Entries
from . import in_memory, listed
from .listed import Pairs

Array = NDArray[Any]

#: The learners that this is for,
LEARNERS: tuple[type[Learner], ...] = (Learner,)
#: whether their classes stand in the order in which they came,
IN_ORDER = False
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
REST: dict[str, schema.Check] = {in_memory.LAYOUT: schema.choice(in_memory.MEMORY)}

#: Arrays whose rows are the biases and the features, and whose columns are the weight vectors; all but the first may
#: be missing. Of several classes, most of whose weights are 0, those that are not are kept (listed.py).
_WEIGHTS = ("weights", "total", "pocket", "start", "precision")
#: What a second-order rule with a full confidence keeps: a matrix for each vector, first the bias.
_COVARIANCE = "covariance"
#: The rows that they have, where most are 0.
_ROWS = listed.ROWS


#: What a file that can be mapped is mapped for; all else in it is read.
MAPPED = (*_WEIGHTS, in_memory.READOUT)


def why_not_mapped(learner: Learner) -> str | None:
    """Why no file of this learner can be mapped; None: one can."""
    if learner.lists is None:
        return None
    return f"the weights of its {learner.n_vectors:,} classes are kept in lists, which cannot be mapped"


def state_of(learner: Learner, mappable: bool = False) -> tuple[dict[str, Any], dict[str, Array]]:
    """How the weights stand, if not as in every file, and the weights."""
    plain, arrays = in_memory.state_of(learner) if mappable else _weights_of(learner)
    if learner.covariance is not None:
        there = slice(1 + learner.n_features)
        arrays[_COVARIANCE] = np.ascontiguousarray(learner.covariance[:, there, there])
    return plain, arrays


def _weights_of(learner: Learner) -> tuple[dict[str, Any], dict[str, Array]]:
    k, n_rows, features = learner.n_vectors, 1 + learner.n_features, learner.features()
    held = {
        name: getattr(learner, name)[:, :k] for name in _WEIGHTS if getattr(learner, name) is not None
    }  # no padding
    numbers = None if features is None else np.concatenate(([0], 1 + features))
    if learner.lists is not None:
        pairs = _pairs_of_lists(learner, held, numbers)
        return {}, pairs.packed(k, n_rows) if pairs.is_smaller(k) else pairs.spread(k, n_rows)
    if k > 1:
        pairs = Pairs.of(held, numbers, learner.row_order)
        if pairs.is_smaller(k):
            return {}, pairs.packed(k, n_rows)
    order = learner.row_order
    in_order = {
        name: array[order] if isinstance(order, slice) else engine.take_rows(array, order)
        for name, array in held.items()
    }
    rows = engine.rows_in_use(list(in_order.values()))
    if listed.has_most(rows, n_rows):
        return {}, {name: learner.expanded(array) for name, array in held.items()}
    numbers = (rows if numbers is None else numbers[rows]).astype(listed.index_type(n_rows), copy=False)
    return {}, {_ROWS: numbers} | {name: engine.take_rows(array, rows) for name, array in in_order.items()}


def made(plain: dict[str, Any], **options: Any) -> Learner:
    """A new learner."""
    return Learner(plain["rule"], **options)


def vectors(n_classes: int) -> int:
    """How many weight vectors there are of so many classes."""
    return n_classes if n_classes > 2 else 1


def allocate(learner: Learner, plain: dict[str, Any]) -> None:
    """Zero weights of the sizes that the file tells."""
    learner.allocate(plain["n_features"], plain["n_classes"], np.dtype(plain["dtype"]))


def check_size(plain: dict[str, Any], arrays: dict[str, Array], k: int) -> None:
    """Refuse arrays of other sizes, before memory is allocated for so many features and vectors."""
    n_features = plain["n_features"]
    n_rows = 1 + n_features
    schema.require("weights" in arrays, "weights")
    if _COVARIANCE in arrays:
        schema.require(arrays[_COVARIANCE].shape == (k, n_rows, n_rows), _COVARIANCE)
    if in_memory.LAYOUT in plain:
        in_memory.check_size(arrays, _WEIGHTS, n_features, k)
        return
    if listed.LISTS in arrays:
        listed.check(arrays, _WEIGHTS, n_rows, k)
        return
    if _ROWS in arrays:
        n_rows = len(schema.numbers(arrays, _ROWS, listed.index_type(n_rows), None, below=n_rows))
        schema.require(bool(np.all(np.diff(arrays[_ROWS]) > 0)), _ROWS)
    for name in _WEIGHTS:
        schema.require(name not in arrays or arrays[name].shape == (n_rows, k), name)


def fill(learner: Learner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Take over what ``state_of`` gave."""
    k, names = learner.n_vectors, [name for name in _WEIGHTS if name in arrays]
    if "start" in arrays:
        learner.leave_lists()
        learner.start = np.zeros(learner.weights.shape, learner.dtype)
    schema.require(set(names) == set(learner._arrays()), "its readout, or what its rule keeps,")
    schema.require((_COVARIANCE in arrays) == (learner.covariance is not None), _COVARIANCE)
    if learner.covariance is not None:
        learner.covariance[:] = _covariance(arrays, learner.covariance.shape)
    if "precision" in arrays:
        schema.require(bool(np.all(arrays["precision"] >= 0)), "precision")
    is_listed = listed.LISTS in arrays
    for name in names:
        schema.array(arrays, name, getattr(learner, name).dtype, (None,) if is_listed else (None, None))
    if in_memory.LAYOUT in plain:
        in_memory.fill(learner, arrays, names)
        return
    if is_listed or learner.lists is not None:
        held = {name: arrays[name] for name in names}
        pairs = listed.unpacked(arrays, names) if is_listed else Pairs.of(held, arrays.get(_ROWS))
        _fill_pairs(learner, pairs)
        return
    rows: Any = slice(None)
    if _ROWS in arrays:
        rows = learner.rows_for(arrays[_ROWS])
    else:
        learner.expand()
    for name in names:
        getattr(learner, name)[rows, :k] = arrays[name]


def _covariance(arrays: dict[str, Array], shape: tuple[int, ...]) -> Array:
    """A covariance: finite, the same on both sides of its diagonal, which is nowhere negative."""
    held = schema.array(arrays, _COVARIANCE, np.float64, shape)
    schema.require(bool(np.array_equal(held, held.transpose(0, 2, 1))), _COVARIANCE)
    schema.require(bool(np.all(np.diagonal(held, axis1=1, axis2=2) >= 0)), _COVARIANCE)
    return np.asarray(held)


def _pairs_of_lists(learner: Learner, biases: dict[str, Array], numbers: Array | None) -> Pairs:
    """The pairs of weights that are kept by lists."""
    entries, first = learner.entries(), Pairs.of(biases)
    values = {"weights": entries.weights, "total": entries.total}
    there = np.flatnonzero(np.diff(entries.starts))
    return Pairs(
        np.concatenate((first.rows, 1 + there if numbers is None else numbers[1 + there])),
        np.concatenate((first.starts, first.starts[-1] + entries.starts[1 + there])),
        np.concatenate((first.classes, entries.classes)),
        {name: np.concatenate((first.values[name], values[name])) for name in biases},  # type: ignore[arg-type]
    )


def _fill_pairs(learner: Learner, pairs: Pairs) -> None:
    """Give a learner the weights of pairs."""
    rows, counts = pairs.rows, np.diff(pairs.starts)
    if learner.lists is None:
        places = np.repeat(learner.rows_for(rows), counts)
        for name, values in pairs.values.items():
            getattr(learner, name)[places, pairs.classes] = values
        return
    biases = int(len(rows) > 0 and rows[0] == 0)
    end = int(pairs.starts[biases])
    for name, values in pairs.values.items():
        getattr(learner, name)[0, pairs.classes[:end]] = values[:end]
    rest = {name: values[end:] for name, values in pairs.values.items()}
    classes = pairs.classes[end:].astype(np.int32, copy=False)
    learner.fill_lists(
        rows[biases:] - 1, Entries(pairs.starts[biases:] - end, classes, rest["weights"], rest.get("total"))
    )
