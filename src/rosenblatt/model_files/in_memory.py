"""Linear weights as they stand in memory: a file of them can be mapped, and all processes that map it share its pages.

The arrays have the padding of each row, and their rows stand where they do in memory. Where few among very many
features have rows (core/places.py), ``weight_rows`` says whose each is: 0 the biases', 1 + j feature j's,
1 + n_features nobody's. The averaged readout is there too, as each process would compute its own. It says nothing new,
so it is compared with the weights and their sums, part by part, whenever it is read.

Only these arrays are mapped, and native code takes their numbers for nothing but numbers. What it goes by to find them
is made anew of private copies: whoever forges a file, or writes to one that is mapped, changes predictions at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine
from ..core.learner import Learner
from ..core.places import Places
from . import listed

Array = NDArray[Any]

#: What the learner of a file says of its weights, if they stand so.
LAYOUT, MEMORY = "layout", "memory"
#: The weights of the averaged readout.
READOUT = "averaged"
_ROWS = listed.ROWS


def state_of(learner: Learner) -> tuple[dict[str, Any], dict[str, Array]]:
    """The layout, and the arrays without room for more rows."""
    there, n_features = slice(1 + learner.n_places), learner.n_features
    arrays = {name: getattr(learner, name)[there] for name in learner._arrays()}
    if learner.total is not None and learner.visited:
        arrays[READOUT] = learner.stored()[there]
    if learner.places is not None:
        features = learner.places.by_place()
        nobodys = features < 0
        rows = np.concatenate(([0], np.where(nobodys, 1 + n_features, 1 + features)))
        arrays[_ROWS] = rows.astype(_row_type(n_features))
    return {LAYOUT: MEMORY}, arrays


def check_size(arrays: dict[str, Array], names: tuple[str, ...], n_features: int, k: int) -> None:
    """Refuse arrays of other sizes, before memory is allocated for so many features and vectors."""
    n_rows = 1 + n_features
    if _ROWS in arrays:
        n_rows = len(schema.numbers(arrays, _ROWS, _row_type(n_features), None, below=2 + n_features))
    for name in (*names, READOUT):
        schema.require(name not in arrays or arrays[name].shape == (n_rows, engine.stride_of(k)), name)


def fill(learner: Learner, arrays: dict[str, Array], names: list[str]) -> None:
    """Have these very arrays, of the right sizes, types and finite numbers, and look up places anew."""
    k, nobodys = learner.n_vectors, np.zeros(0, np.int64)
    learner.lists = learner.places = None
    if _ROWS in arrays:
        learner.places, nobodys = _places(arrays[_ROWS], learner.n_features)
    if READOUT in arrays:
        schema.array(arrays, READOUT, learner.dtype, (None, None), finite=False)
    for name in (*names, *((READOUT,) if READOUT in arrays else ())):
        held = arrays[name]
        schema.require(not held[:, k:].any() and not held[nobodys].any(), name)
    for name in names:
        setattr(learner, name, arrays[name])


def finish(learner: Learner, arrays: dict[str, Array]) -> None:
    """What is left once the learner is built: its readout, and that it may not be written to."""
    schema.require((READOUT in arrays) == bool(learner.total is not None and learner.visited), READOUT)
    if READOUT in arrays:
        learner.take_readout(arrays[READOUT])
    if not learner.weights.flags.writeable:
        learner.freeze()


def _places(rows: Array, n_features: int) -> tuple[Places, Array]:
    """Where features have their places, by whose rows stand where; and the rows that are nobody's."""
    schema.require(len(rows) > 0 and rows[0] == 0 and bool(np.all(rows[1:] > 0)), _ROWS)
    features = np.where(rows[1:] > n_features, -1, rows[1:] - 1)
    made = Places.of_places(features, n_features)
    if made is None:
        raise ValueError(f"{_ROWS} does not fit the rest")
    return made, 1 + np.flatnonzero(features < 0)


def _row_type(n_features: int) -> Any:
    return listed.index_type(2 + n_features)
