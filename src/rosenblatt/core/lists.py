"""Weights of several classes by lists, as they are read: for each feature, the classes that ever moved.

The lists themselves, ``engine.ClassLists``, are native: they grow while they are learned in. What is left out is 0, and
adds nothing to any sum, so that every number is that of weights side by side, to the bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import engine

Array = NDArray[Any]


class Entries(NamedTuple):
    """The entries of some features, one behind the other: classes ascend in each, and zeros are left out."""

    starts: Array  # where those of each feature begin, and the last ones end
    classes: Array
    weights: Array
    total: Array | None  # what the averaged readout sums

    @classmethod
    def of(cls, weights: Array, total: Array | None, n_vectors: int) -> Entries:
        """Those of rows that have a number for each class, and padding."""
        held = [weights[:, :n_vectors]] if total is None else [weights[:, :n_vectors], total[:, :n_vectors]]
        starts, classes, values = engine.pairs_in_use(held)
        return cls(starts, classes, values[0], None if total is None else values[1])

    @property
    def rows(self) -> Array:
        """The number of the feature of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def lists(self, n_vectors: int) -> engine.ClassLists:
        """Lists of these entries, to score and to learn."""
        return engine.ClassLists.of(n_vectors, *self)


class Listed(NamedTuple):
    """All weights: the biases of all classes, (1, stride), and lists, whose rows are read in an order (None: all)."""

    biases: Array
    lists: engine.ClassLists
    order: Array | None

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.biases.dtype

    def squares(self) -> Array:
        """Σ w² of each class, in double precision."""
        out = engine.squares(self.biases)
        self.lists.add_squares(self.order, out)
        return out

    def scaled(self, per_vector: bool) -> tuple[Listed, Array]:
        """The weights in double precision, over the largest of each class or of all; and these."""
        biases, entries = self.biases.astype(np.float64), Entries(*self.lists.entries(self.order))
        weights, sizes = entries.weights.astype(np.float64), np.abs(biases[0])
        np.maximum.at(sizes, entries.classes, np.abs(weights))
        sizes = sizes if per_vector else sizes.max(keepdims=True)
        over = np.broadcast_to(np.where(sizes > 0, sizes, 1.0), biases[0].shape)
        entries = entries._replace(weights=weights / over[entries.classes], total=None)
        return Listed(biases / over, entries.lists(self.lists.n_vectors), None), sizes


def bits_of(numbers: Array) -> Array:
    """Numbers as whole ones, of which −0 is not 0."""
    return numbers.view(np.dtype(f"u{numbers.itemsize}"))
