"""A shard in a worker's memory: rows that were looked at once, and are visited in a fresh order in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import engine, labels
from ..learner import Learner, Piece, weighted_rows

Array = NDArray[Any]


class Examples(NamedTuple):
    """Rows as they came: numbers, labels, weights where there are any, names of columns where they have some."""

    X: Any
    y: Array
    weight: Array | None
    names: list[Any] | None


class Look(NamedTuple):
    """What has to be known of all shards before the first pass."""

    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    names: list[Any] | None
    classes: Array | None  # None: a regression
    counts: Array | None  # rows of positive weight of each class


class Coding(NamedTuple):
    """What the looks at all shards have settled: how labels become codes, and rows numbers of one type."""

    dtype: np.dtype[Any]
    classes: Array | None
    by_class: Array | None  # weights of the classes


@dataclass
class HeldShard:
    """Rows with their codes."""

    rows: engine.Rows
    targets: Array
    weight: Array | None

    @property
    def natural(self) -> Array | None:
        return weighted_rows(self.weight)

    def pieces(self, learner: Learner, shuffle: bool, rng: np.random.Generator) -> Iterator[Piece]:
        """The one piece to learn from, in the order of the next pass."""
        yield self.rows, self.targets, learner.order(self.rows, self.natural, shuffle, rng), self.weight

    def still(self, learner: Learner) -> Iterator[Piece]:
        """The one piece as it stands, to be judged."""
        yield self.rows, self.targets, self.natural, self.weight


def look(examples: Examples, regression: bool) -> Look:
    """See what the examples hold."""
    X, y, weight, names = examples
    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    if regression:
        return Look(X.shape[0], X.shape[1], dtype, names, None, None)
    met = y if weight is None else y[weight > 0]
    classes = labels.distinct(met)
    counts = np.bincount(labels.encode(met, classes).astype(np.intp), minlength=len(classes))
    return Look(X.shape[0], X.shape[1], dtype, names, classes, counts)


def ready(examples: Examples, coding: Coding) -> HeldShard:
    """Examples made ready to be learned from."""
    X, y, weight, names = examples
    rows = engine.admit(X, coding.dtype, names)
    if coding.classes is None:
        return HeldShard(rows, np.ascontiguousarray(y, np.float64), weight)
    codes = coded(y, weight, coding.classes)
    if coding.by_class is not None:
        own: Array = coding.by_class[codes]
        weight = own if weight is None else weight * own
    return HeldShard(rows, codes, weight)


def coded(y: Array, weight: Array | None, classes: Array) -> Array:
    """Codes of labels; refuses one that is no class, with its row. Rows of weight 0 may have any."""
    codes = labels.encode(y, classes)
    if weight is not None:
        codes = np.where(weight > 0, codes, np.maximum(codes, 0)).astype(codes.dtype)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(unknown[0])
        raise UnknownLabelError(row, y[row : row + 1].tolist()[0], classes.tolist())
    return codes


class UnknownLabelError(ValueError):
    """A label that is not among the classes."""

    def __init__(self, row: int, label: Any, classes: list[Any], place: str = "") -> None:
        self.row, self.label, self.classes = row, label, classes
        known = ", ".join(map(repr, classes[:8])) + (", …" if len(classes) > 8 else "")
        super().__init__(f"{place or f'row {row}'}: the label {label!r} is not among the classes: {known}")

    def __reduce__(self) -> Any:
        return ValueError, (str(self),)
