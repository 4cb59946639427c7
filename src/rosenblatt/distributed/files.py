"""Shards that are files: opened on the worker, read whole into its memory, or looked through block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import data
from ..core import labels
from ..data import Block, Columns, Svmlight, VowpalWabbit
from ..data.blocks import beginning
from ..data.csr import Csr, vstack
from ..data.encoder import Read
from ..data.features import Features, Section
from ..data.moments import RunningScale
from ..data.numbered import FIRST_ROWS, Density, Standardised
from ..errors import DataError
from .in_memory import Examples, Look, counted
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
    density: Density | None = None  # of the first rows, where they are numbers already
    text: str = ""  # the beginning of its text


class FilesRead(NamedTuple):
    """A shard in memory before its rows are weighed by what was learned of all."""

    look: Look
    reads: list[Read | Csr]
    y: Array
    weight: Array | None
    places: list[Block]  # without their rows
    section: Section  # what was learned in reading: names, categories, means, counts


def section_of(read: FilesRead) -> Section:
    """What a shard has learned of its rows."""
    return read.section


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
        text = "" if stream.columns is None else beginning(block, stream.columns.text or ())
        return Peek(stream.format, stream.columns, np.unique(block.labels), text=text)


def density(shard: FileShard) -> Density:
    """How dense the first rows are, in whatever blocks they are read; of faulty ones whoever trains on them tells."""
    lenient = {**shard.settings, "block_rows": FIRST_ROWS, "on_error": "skip"}
    first = replace(shard, settings=lenient)
    if isinstance(shard.format, Svmlight):
        first = replace(first, format=replace(shard.format, zero_based=True))  # an index of 0 is then none, either
    try:
        with first.open() as stream:
            return Density.of(stream, isinstance(stream.format, VowpalWabbit))
    except OSError:
        return Density(0, 0, 0)


def read(shard: FileShard, blank: Section, regression: bool) -> FilesRead:
    """Read a shard whole."""
    features = Features.of_section(blank)
    reads, ys, weights, places, met_zero = [], [], [], [], False

    def take(block: Block) -> None:
        ys.append(block.targets(regression))
        reads.append(features.read(block, learn=True))
        weights.append(np.ones(len(block)) if block.weights is None else block.weights)
        places.append(Block(None, block.lines, block.files, unit=block.unit))

    with at_shard(shard.name):
        if isinstance(shard.format, Svmlight):
            whole = shard.whole()
            met_zero, skipped = whole.format.zero_based is True, whole.skipped
            take(whole.block)
        else:
            with shard.open() as stream:
                for block in stream:
                    take(block)
                skipped = stream.skipped
    y, weight = np.concatenate(ys), np.concatenate(weights)
    classes = counted(y[weight > 0], regression)
    for one, own in zip(reads, ys):
        features.count(one, own)
    if features.encoder is not None:
        width, dtype = features.n_features, features.dtype
    else:
        rows = [one for one in reads if isinstance(one, Csr)]
        width, dtype = max(one.n_features for one in rows), np.dtype(rows[0].dtype)
        features.met = width
    scale = features.means
    look = Look(len(y), width, dtype, None, *classes, scale, met_zero, skipped)
    return FilesRead(look, reads, y, None if np.all(weight == 1) else weight, places, features.to_section())


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
                classes, counts = added(classes, counts, *counted(y, regression))
        skipped = stream.skipped
    n_features = width if features.encoder is None else features.n_features
    return Look(n_rows, n_features, dtype, None, classes, counts, skipped=skipped)


def added(classes: Any, counts: Any, more: Any, more_counts: Any) -> tuple[Any, Any]:
    """Classes and their counts, None where there are none yet, with more of them."""
    if classes is None:
        return more, more_counts
    known = labels.extend(classes, more)
    total = np.zeros(len(known), counts.dtype)
    total[labels.encode(classes, known)] += counts
    total[labels.encode(more, known)] += more_counts
    return known, total


def weigh(files: FilesRead, learned: Section, zero_based: bool, name: str) -> Examples:
    """The rows of a shard that was read, by the means and counts of all shards."""
    features = Features.of_section(learned)
    with at_shard(name):
        parts = [
            features.weigh(_ready(one, zero_based and not files.look.met_zero), learn=False) for one in files.reads
        ]
    return Examples(vstack(parts), files.y, files.weight, None, files.places)


def _ready(one: Read | Csr, move: bool) -> Read | Csr:
    """Rows to be weighed; ``move``: their shard met no svmlight index 0, where another did, and counts from 0 as well.

    Text is weighed in place, and what a task is given must stay as it was.
    """
    if isinstance(one, Csr):
        return replace(one, indices=one.indices + 1, n_features=one.n_features + 1) if move else one
    return one._replace(text=[(indptr, indices, values.copy()) for indptr, indices, values in one.text])


def settled(learned: Section, scale: RunningScale | Standardised | None, zero_based: bool, n_features: int) -> Section:
    """What all shards have learned, with the means by which their rows are standardised, and where indices begin."""
    plain, arrays = learned
    if scale is not None:
        arrays = {**arrays, **{f"scale.{name}": array for name, array in scale.to_arrays().items()}}
    if "zero_based" in plain.get("settings", {}):
        plain = {**plain, "settings": {**plain["settings"], "zero_based": zero_based}}
    if "n_features" in plain:
        plain = {**plain, "n_features": n_features}
    return plain, arrays
