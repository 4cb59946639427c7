"""A shard that is read again in every pass, block by block: two blocks of it are in memory, however long it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core import engine
from ..core.learner import Learner, Piece, weighted_rows
from ..data import Skipped
from ..data.blocks import placed
from ..data.features import Features, Section
from .files import FileShard
from .in_memory import Coding, targets_for


@dataclass
class StreamedShard:
    """Files, and what makes rows of them; in its first pass that may learn on the way."""

    files: FileShard
    section: Section
    coding: Coding
    learns: bool
    strict: bool = True  # a label that is no class is refused
    learned: Section | None = None  # in this pass
    skipped: Skipped | None = None  # rows that were left out of it as faulty

    def pieces(self, learner: Learner, shuffle: bool, rng: Any) -> Iterator[Piece]:
        """Block by block, as they stand."""
        features = self._features()
        yield from self._blocks(features, self.learns)
        if self.learns:
            self.learned = features.to_section()

    def still(self) -> Iterator[Piece]:
        """Block by block, to be judged by what was learned so far."""
        yield from self._blocks(self._features(), learn=False)

    def place(self, row: int) -> str:
        """The file and line of a row."""
        with self.files.open() as stream:
            for block in stream:
                if row < len(block):
                    return block.place(row)
                row -= len(block)
        return ""

    def _features(self) -> Features:
        features = Features.of_section(self.section)
        if features.encoder is None:
            features.met = self.coding.n_features
        return features

    def _blocks(self, features: Features, learn: bool) -> Iterator[Piece]:
        regression = self.coding.classes is None
        with self.files.open() as stream, features.read_ahead(stream, learn=learn) as blocks:
            for block, read in blocks:
                with placed([block]):
                    y = block.targets(regression)
                csr = features.weigh(read, learn=learn, labels=y)
                del read  # or it would be in memory while the next one is waited for
                with placed([block]):
                    rows = engine.admit(csr, self.coding.dtype)
                    targets, weight = targets_for(y, block.weights, self.coding, self.strict)
                yield rows, targets, weighted_rows(weight), weight
            self.skipped = stream.skipped
