"""A share of the rows of files that is held out: drawn at random, and known block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..data import Block
from .terminal import CommandError, several

Array = Any

#: So many draws are made together.
_DRAWS = 1024


class HeldOut(NamedTuple):
    """One row of each 1/share consecutive ones, drawn at random.

    So the share is held out of any part of the files, and rows that come with a period (every tenth of one kind) are
    held out as often as others.
    """

    share: float  # at most 0.5
    seed: int

    def mask(self, start: int, n: int) -> Array:
        """Which of n rows are held out, of which the first is number ``start`` of all."""
        strata = np.arange(max(0, int(start * self.share) - 1), int((start + n) * self.share) + 2)
        ends = np.ceil(np.append(strata, strata[-1] + 1) / self.share - 1e-9).astype(np.int64)
        drawn = np.concatenate(
            [
                np.random.default_rng([self.seed, k]).random(_DRAWS)
                for k in range(strata[0] // _DRAWS, strata[-1] // _DRAWS + 1)
            ]
        )[strata - strata[0] // _DRAWS * _DRAWS]
        rows = ends[:-1] + (drawn * np.diff(ends)).astype(np.int64)
        return np.isin(np.arange(start, start + n), rows)

    def refuse_none(self, n: int, noun: str) -> None:
        """Refuse a share that holds out none of n rows, or whatever ``noun`` calls them."""
        if n * self.share < 2 and not self.mask(0, n).any():
            raise holds_none(self.share, n, noun, "; say a larger share")

    def part(self, block: Block, start: int, held_out: bool) -> Block:
        """The held-out rows of a block, or the others; ``start`` rows came before it."""
        out = self.mask(start, len(block))
        return block.taken(np.flatnonzero(out if held_out else ~out))  # a block of a stream is of one file


def holds_none(held_out: float | str, n: int, noun: str, remedy: str = "") -> CommandError:
    """The refusal of a share, or a file, that holds out nothing beside n rows."""
    return CommandError(f"{{held_out}} holds out none of {several(n, noun)}{remedy}", held_out=held_out)
