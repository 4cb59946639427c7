"""A shard in a worker's memory: rows that were looked at once, and are visited in a fresh order in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine, labels
from ..core.learner import Learner, Piece, weighted_rows
from ..data import Block, Skipped
from ..data.blocks import place_of, placed
from ..data.moments import RunningScale
from ..data.numbered import Standardised
from ..errors import DataError
from .tasks import at_shard

Array = NDArray[Any]


class Examples(NamedTuple):
    """Rows as they came: numbers, labels, weights where there are any, names of columns where they have some."""

    X: Any
    y: Array
    weight: Array | None
    names: list[Any] | None
    places: list[Block] | None = None  # of rows of files, without these


class Look(NamedTuple):
    """What has to be known of all shards before the first pass."""

    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    names: list[Any] | None
    classes: Array | None  # None: a regression
    counts: Array | None  # rows of positive weight of each class
    scale: RunningScale | Standardised | None = None  # means of numeric columns
    met_zero: bool = False  # an svmlight index of 0
    skipped: Skipped | None = None  # rows that were left out as faulty


class Coding(NamedTuple):
    """What the looks at all shards have settled: how labels become codes, and rows numbers of one type."""

    n_features: int
    dtype: np.dtype[Any]
    classes: Array | None
    by_class: Array | None  # weights of the classes
    unweighted: Array | None = None  # labels that are no classes, as their weight is 0


@dataclass
class HeldShard:
    """Rows, or sentences, with their codes."""

    rows: Any
    targets: Array
    weight: Array | None
    places: list[Block]  # of rows of files, without these

    @property
    def natural(self) -> Array | None:
        return weighted_rows(self.weight)

    def pieces(self, learner: Learner, shuffle: bool, rng: np.random.Generator) -> Iterator[Piece]:
        """The one piece to learn from, in the order of the next pass."""
        yield self.rows, self.targets, learner.order(self.rows, self.natural, shuffle, rng), self.weight

    def still(self) -> Iterator[Piece]:
        """The one piece as it stands, to be judged."""
        yield self.rows, self.targets, self.natural, self.weight

    def place(self, row: int) -> str:
        """The file and line of a row; "": it is of no file."""
        return place_of(self.places, row)


@dataclass
class KeptShard:
    """Rows to be judged, in memory."""

    kept: list[Piece]

    def still(self) -> Iterator[Piece]:
        yield from self.kept


def keep(shard: Any, name: str) -> KeptShard:
    """A shard that is read again and again, in memory from now on."""
    with at_shard(name):
        return KeptShard(list(shard.still()))


def look(examples: Examples, regression: bool) -> Look:
    """See what the examples hold."""
    X, y, weight, names, _ = examples
    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    return Look(X.shape[0], X.shape[1], dtype, names, *counted(y if weight is None else y[weight > 0], regression))


def counted(y: Array, regression: bool) -> tuple[Array | None, Array | None]:
    """The classes that labels name, and how often; None: a regression."""
    if regression:
        return None, None
    classes = labels.distinct(y)
    return classes, np.bincount(labels.encode(y, classes).astype(np.intp), minlength=len(classes))


def ready(examples: Examples, coding: Coding, name: str, strict: bool = True) -> HeldShard:
    """Examples made ready to be learned from; not ``strict``: to be judged, where a label may be unknown."""
    X, y, weight, names, places = examples
    with at_shard(name), placed(places or []):
        rows = engine.admit(X, coding.dtype, names)
        targets, weight = targets_for(y, weight, coding, strict)
    return HeldShard(rows, targets, weight, places or [])


def targets_for(y: Array, weight: Array | None, coding: Coding, strict: bool = True) -> tuple[Array, Array | None]:
    """Codes of labels (or the numbers of a regression) and weights of the rows; refuses a label that is no class.

    Rows of weight 0 may have any label.
    """
    if coding.classes is None:
        return np.ascontiguousarray(y, np.float64), weight
    codes = labels.encode(y, coding.classes)
    if coding.unweighted is not None and strict:
        gone = labels.encode(y, coding.unweighted) >= 0
        weight = np.where(gone, 0.0, 1.0 if weight is None else weight)
    if weight is not None and strict:
        codes = np.where(weight > 0, codes, np.maximum(codes, 0)).astype(codes.dtype)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown) and strict:
        row, known = int(unknown[0]), coding.classes.tolist()
        shown = ", ".join(map(repr, known[:8])) + (", …" if len(known) > 8 else "")
        problem = f"the label {y[row : row + 1].tolist()[0]!r} is not among the classes ({shown})"
        raise DataError(problem, row=row)
    if coding.by_class is None:
        return codes, weight
    own: Array = coding.by_class[codes]
    return codes, own if weight is None else weight * own
