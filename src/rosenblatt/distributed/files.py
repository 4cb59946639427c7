"""Shards that are files: opened on the worker, read whole into its memory, or looked through block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import data
from ..core import labels
from ..data import Block, Columns, Svmlight
from ..data.csr import Csr, vstack
from ..data.encoder import Read
from ..data.features import Features, Section
from ..data.moments import RunningScale
from ..data.sources import size_of
from ..errors import DataError
from .in_memory import Examples, Look
from .tasks import at_shard

Array = NDArray[Any]


@dataclass(frozen=True)
class FileShard:
    """The files of a shard, and how they are read."""

    name: str
    paths: tuple[str, ...]
    format: Any
    columns: Columns | None
    settings: dict[str, Any]

    def open(self) -> data.Stream:
        """Its blocks from the beginning."""
        return data.stream(list(self.paths), format=self.format, columns=self.columns, **self.settings)

    def whole(self) -> data.Data:
        """Its rows at once: an index anywhere may decide how all of them are read."""
        settings = {name: value for name, value in self.settings.items() if name != "block_rows"}
        return data.read(list(self.paths), format=self.format, columns=self.columns, **settings)


class Peek(NamedTuple):
    """What the first block of the first file settles."""

    format: Any
    columns: Columns | None
    labels: Array  # the different ones in that block


class FilesRead(NamedTuple):
    """A shard in memory before its rows are weighed by what was learned of all."""

    reads: list[Read | Csr]
    y: Array
    weight: Array | None
    places: list[Block]  # without their rows
    section: Section  # what was learned in reading: names, categories, means
    scale: RunningScale | None  # the means of its numeric columns
    met_zero: bool  # an svmlight index of 0
    skipped: int  # rows that were left out as faulty


class Weighed(NamedTuple):
    """Rows, and what was learned on the way to them."""

    examples: Examples
    section: Section


def peek(shard: FileShard) -> Peek:
    """Open a shard, and see what its first block settles."""
    with at_shard(shard.name), shard.open() as stream:
        block = next(stream)
        if stream.columns is not None and not stream.columns.features:
            raise DataError(
                "no column is left to learn from", "name text, numeric or categorical ones", file=block.file(0)
            )
        if block.labels is None:
            raise DataError("there are no labels", "name their column", file=block.file(0))
        return Peek(stream.format, stream.columns, np.unique(block.labels))


def size(shard: FileShard) -> int:
    """Bytes of its files, those that are compressed five times."""
    return size_of(shard.paths)


def read(shard: FileShard, blank: Section, regression: bool) -> FilesRead:
    """Read a shard whole."""
    features = Features.of_section(blank)
    reads, ys, weights, places, met_zero, skipped = [], [], [], [], False, 0

    def take(block: Block) -> None:
        ys.append(block.targets(regression))
        reads.append(features.read(block, learn=True))
        weights.append(np.ones(len(block)) if block.weights is None else block.weights)
        places.append(Block(None, block.lines, block.files, unit=block.unit))

    with at_shard(shard.name):
        if isinstance(shard.format, Svmlight):
            whole = shard.whole()
            met_zero, skipped = whole.format.zero_based is True, whole.skipped.count
            take(whole.block)
        else:
            with shard.open() as stream:
                for block in stream:
                    take(block)
                skipped = stream.skipped.count
    scale = None
    if features.encoder is not None:
        for one in reads:
            features.encoder.learn_means(one)  # type: ignore[arg-type]
        scale = features.encoder.scale
    weight = np.concatenate(weights)
    return FilesRead(
        reads, np.concatenate(ys), None if np.all(weight == 1) else weight, places, features.to_section(), scale,
        met_zero, skipped,
    )  # fmt: skip


def looked_at(files: FilesRead, regression: bool) -> Look:
    """What has to be known of a shard that was read."""
    features = Features.of_section(files.section)
    y = files.y if files.weight is None else files.y[files.weight > 0]
    classes, counts = (None, None) if regression else counted(y)
    if features.encoder is not None:
        return Look(
            len(files.y), features.n_features, features.dtype, None, classes, counts, files.scale, False, files.skipped
        )
    rows = [one for one in files.reads if isinstance(one, Csr)]
    width, dtype = max(one.n_features for one in rows), np.dtype(rows[0].dtype)
    return Look(len(files.y), width, dtype, None, classes, counts, None, files.met_zero, files.skipped)


def counted(y: Array) -> tuple[Array, Array]:
    """The classes that labels name, and how often."""
    classes = labels.distinct(y)
    return classes, np.bincount(labels.encode(y, classes).astype(np.intp), minlength=len(classes))


def look_through(shard: FileShard, blank: Section, regression: bool) -> Look:
    """Read a shard block by block for its labels, and for the columns that its rows have."""
    features = Features.of_section(blank)
    n_rows, width, classes, counts = 0, 0, None, None
    dtype = np.dtype(np.float64) if features.encoder is None else features.dtype
    with at_shard(shard.name), shard.open() as stream:
        for block in stream:
            y = block.targets(regression)
            n_rows += len(y)
            if block.csr is not None:
                width, dtype = max(width, block.csr.n_features), np.dtype(block.csr.dtype)
            if not regression:
                y = y if block.weights is None else y[block.weights > 0]
                classes, counts = added(classes, counts, *counted(y))
        skipped = stream.skipped.count
    n_features = width if features.encoder is None else features.n_features
    return Look(n_rows, n_features, dtype, None, classes, counts, skipped=skipped)


def added(classes: Array | None, counts: Array | None, more: Array, more_counts: Array) -> tuple[Array, Array]:
    """Classes and their counts, with more of them."""
    if classes is None or counts is None:
        return more, more_counts
    known = labels.extend(classes, more)
    total = np.zeros(len(known), counts.dtype)
    total[labels.encode(classes, known)] += counts
    total[labels.encode(more, known)] += more_counts
    return known, total


def weigh(files: FilesRead, scale: RunningScale | None, n_features: int, zero_based: bool, name: str) -> Weighed:
    """The rows of a shard that was read: standardised by the means of all shards, weighed by counts up to each row."""
    features = Features.of_section(files.section)
    if features.encoder is not None:
        features.encoder.scale = scale
    features.met = n_features
    reads = _counted_from_0(files).reads if zero_based else files.reads
    with at_shard(name):
        parts = [features.weigh(_copied(one), learn=True, means=False) for one in reads]
    return Weighed(Examples(vstack(parts), files.y, files.weight, None, files.places), features.to_section())


def _copied(one: Read | Csr) -> Read | Csr:
    """Text is weighed in place, and what a task is given must stay as it was."""
    if isinstance(one, Csr):
        return one
    return one._replace(text=[(indptr, indices, values.copy()) for indptr, indices, values in one.text])


def _counted_from_0(files: FilesRead) -> FilesRead:
    """Rows of svmlight of a shard that met no index 0, where another did: they count from 0 as well."""
    if files.met_zero:
        return files
    moved = [
        replace(one, indices=one.indices + 1, n_features=one.n_features + 1) if isinstance(one, Csr) else one
        for one in files.reads
    ]
    return files._replace(reads=moved)


def settled(learned: Section, scale: RunningScale | None, zero_based: bool) -> Section:
    """What all shards have learned, with the means by which their rows were standardised, and where indices begin."""
    plain, arrays = learned
    if scale is not None:
        arrays = {**arrays, **{f"scale.{name}": array for name, array in scale.to_arrays().items()}}
    if "zero_based" in plain.get("settings", {}):
        plain = {**plain, "settings": {**plain["settings"], "zero_based": zero_based}}
    return plain, arrays


def examples_of(weighed: Weighed) -> Examples:
    """The rows."""
    return weighed.examples


def section_of(weighed: Weighed) -> Section:
    """What was learned."""
    return weighed.section
