"""Weights of several classes of which most are 0, as arrays and back: for each row, those that are not.

A list has the classes of a row, ascending, and their weights. Rows with the same list share it: n-grams that were met
once, in the same text, have the same weights to the bit, and of a text's n-grams most are such.

``weight_rows``    the rows that have a list, ascending: 0 the biases, 1 + j feature j
``weight_lists``   which list each of them has, by the order in which they first occur
``list_sizes``     how many classes each list has, one at least
``list_classes``   these, list after list
``weights``, …     and a number for each of them
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine, memory

Array = NDArray[Any]

ROWS, LISTS, SIZES, CLASSES = "weight_rows", "weight_lists", "list_sizes", "list_classes"


class Pairs(NamedTuple):
    """Rows that have numbers other than 0, the classes of these, and the numbers of each array by its name."""

    rows: Array  # their numbers, ascending
    starts: Array  # where the pairs of each begin, and the last ones end
    classes: Array  # ascending in each row
    values: dict[str, Array]

    @classmethod
    def of(cls, held: dict[str, Array], numbers: Array | None = None, order: slice | Array = slice(None)) -> Pairs:
        """Those of arrays that have a number for each class; ``numbers``: of their rows in ``order``."""
        starts, classes, values = engine.pairs_in_use(list(held.values()), order)
        there = np.flatnonzero(np.diff(starts))
        return cls(
            there if numbers is None else numbers[there],
            np.concatenate((starts[there], starts[-1:])),
            classes,
            dict(zip(held, values)),
        )

    def is_smaller(self, n_vectors: int) -> bool:
        """Whether the lists take less room than rows with a number for each of so many classes."""
        number = sum(array.itemsize for array in self.values.values())
        pairs = len(self.classes) * (number + _unsigned(n_vectors).itemsize) + 8 * len(self.rows)
        return pairs < len(self.rows) * n_vectors * number

    def spread(self, n_vectors: int, n_rows: int) -> dict[str, Array]:
        """As arrays that have a number for each class: of all rows, where these are most of them."""
        rows, given = self.rows, {ROWS: self.rows.astype(index_type(n_rows))}
        if has_most(rows, n_rows):
            given = {}
        else:
            rows, n_rows = np.arange(len(rows)), len(rows)
        places = np.repeat(rows, np.diff(self.starts))
        arrays = {name: np.zeros((n_rows, n_vectors), values.dtype) for name, values in self.values.items()}
        for name, values in self.values.items():
            arrays[name][places, self.classes] = values
        return given | arrays

    def packed(self, n_vectors: int, n_rows: int) -> dict[str, Array]:
        """As arrays; there are so many classes and, with those that have no numbers, rows."""
        which, first = np.empty(len(self.rows), np.int32), np.empty(len(self.rows), np.int64)
        classes = self.classes.astype(_unsigned(n_vectors))
        first = first[: engine.share_rows(self.starts, [classes, *self.values.values()], which, first)]
        sizes = np.diff(self.starts)[first]
        picked = _ranges(self.starts[first], sizes)
        return {
            ROWS: self.rows.astype(index_type(n_rows)),
            LISTS: which,
            SIZES: sizes.astype(_unsigned(n_vectors)),
            CLASSES: classes[picked],
        } | {name: array[picked] for name, array in self.values.items()}


def check(arrays: dict[str, Array], names: Iterable[str], n_rows: int, k: int) -> None:
    """Refuse arrays that do not fit together, or so many rows and classes, before memory is allocated for them."""
    rows = schema.numbers(arrays, ROWS, index_type(n_rows), None, below=n_rows)
    schema.require(k > 1 and bool(np.all(np.diff(rows) > 0)), ROWS)
    sizes = schema.numbers(arrays, SIZES, _unsigned(k), None, below=k + 1).astype(np.int64)
    schema.require(bool(np.all(sizes > 0)), SIZES)
    which = schema.numbers(arrays, LISTS, np.int32, len(rows), below=len(sizes))
    classes = schema.numbers(arrays, CLASSES, _unsigned(k), int(sizes.sum()), below=k).astype(np.int64)
    ascends = np.diff(classes) > 0
    ascends[np.cumsum(sizes)[:-1] - 1] = True  # from one list to the next
    schema.require(bool(np.all(ascends)), CLASSES)
    for name in names:
        schema.require(name not in arrays or arrays[name].shape == classes.shape, name)
    pair = 16 + sum(arrays[name].itemsize for name in names if name in arrays)
    memory.check(2 * pair * int(sizes[which].sum()), "its weights", "load it where there is more")


def unpacked(arrays: dict[str, Array], names: Iterable[str]) -> Pairs:
    """The pairs of arrays that were checked."""
    sizes, which = arrays[SIZES].astype(np.int64), arrays[LISTS]
    counts = sizes[which]
    picked = _ranges((np.cumsum(sizes) - sizes)[which], counts)
    values = {name: arrays[name][picked] for name in names if name in arrays}
    starts = np.concatenate(([0], np.cumsum(counts)))
    return Pairs(arrays[ROWS].astype(np.int64), starts, arrays[CLASSES][picked].astype(np.int32), values)


def _ranges(starts: Array, sizes: Array) -> Array:
    """The numbers ``start, start + 1, …`` of each range, one range behind the other."""
    ends = np.cumsum(sizes)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes))


def has_most(rows: Array, n_rows: int) -> bool:
    """Whether these are most of so many rows, so that it is not worth telling which."""
    return 2 * len(rows) > n_rows - 1


def _unsigned(most: int) -> np.dtype[Any]:
    """The smallest type of whole numbers from 0 to ``most``."""
    return np.min_scalar_type(most)


def index_type(n_rows: int) -> Any:
    """The type of the numbers of so many rows."""
    return np.int32 if n_rows < 1 << 31 else np.int64
