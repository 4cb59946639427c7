"""Few among very many features: those that have weights, and where their weights are.

A score is summed in 16 lanes, feature j in lane j mod 16, so a feature may have its weight in any place of its lane.
The features that were met have places one behind the other, and memory grows with them instead of with the largest
index. The first 16 places are those of all other features: their weights stay 0.

One vector's squares are summed in the 16 lanes too, so that there features come in groups of 16 neighbours. Of several
vectors each feature comes by itself, and gets the next place of its lane: a zero changes none of their sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import engine

Array = NDArray[Any]

SIXTEEN = 16  # lanes


class Groups:
    """The groups of features that were met, in the order they were met: of 16 neighbours, or each by itself."""

    def __init__(self, *, alone: bool) -> None:
        self.count = 1  # the first is that of all features that were not met
        self._keys = np.full(32, -1, np.int64)  # the feature of group g, or a sixteenth of its first one
        self._table: Array | None = np.zeros((64, 2), np.int64)  # None: it is made anew when it is asked for
        self._used = np.ones(SIXTEEN, np.int64) if alone else None  # by lane, sixteens of places in use
        self._in_order: tuple[int, Array] = 1, self._keys[:0]  # the places of ``features()`` when there were so many

    @classmethod
    def of_places(cls, held: Array, *, alone: bool) -> Groups | None:
        """Groups in which features have the places where they stand here (−1: none); None: there are no such groups.

        All that native code goes by is made anew.
        """
        made, taken = cls(alone=alone), np.flatnonzero(held >= 0)
        places = made.add(held[taken], len(held))
        fits = places is not None and len(made) == len(held) and np.array_equal(places, taken)
        return made if fits else None

    def by_place(self) -> Array:
        """The feature of each place; −1: none."""
        held = np.full(len(self), -1)
        held[self.places_in_order()] = self.features()
        return held

    def __len__(self) -> int:
        """How many places there are."""
        return SIXTEEN * (self.count if self._used is None else int(self._used.max()))

    def places(self, features: Array) -> Array:
        """The place of each feature; of one that was not met, one whose weight is 0."""
        out = np.empty_like(features)
        engine.place_features(features, self._looked_up(), self._keys, self._used, self.count, False, out)
        return out

    def rest(self) -> None:
        """Give the memory of the table back, 48 bytes a group, until it is asked for: no new features come soon."""
        self.places_in_order()
        self._table = None

    def _looked_up(self) -> Array:
        if self._table is None:
            self._number(self._keys[1 : self.count], len(self._keys))
        assert self._table is not None
        return self._table

    def add(self, features: Array, most: int) -> Array | None:
        """The place of each feature, of new ones too; None: that would be more than ``most`` places."""
        out, done = np.empty_like(features), 0
        self._expect(len(features))
        while True:
            part = features[done:]
            more, self.count = engine.place_features(
                part, self._looked_up(), self._keys, self._used, self.count, True, out[done:]
            )
            if len(self) > most:
                return None
            done += more
            if done == len(features):
                return out
            self._grow()

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` groups alone."""
        self._number(self._keys[1:count], len(self._keys))

    def _expect(self, n: int) -> None:
        """Have room for so many features, of which most come again and again, without growing step by step."""
        room = min(1 << (n // 8).bit_length(), 1 << 20)
        if room > len(self._keys):
            self._number(self._keys[1 : self.count], room)

    def _grow(self) -> None:
        self._number(self._keys[1 : self.count], 2 * len(self._keys))

    def _number(self, keys: Array, room: int) -> None:
        """Groups in this order, with room for so many."""
        numbered, table = np.full(room, -1, np.int64), np.zeros((2 * room, 2), np.int64)
        used, first = (None, SIXTEEN * keys) if self._used is None else (np.ones_like(self._used), keys)
        engine.place_features(first, table, numbered, used, 1, True, np.empty_like(first))
        self._keys, self._table, self._used, self.count = numbered, table, used, 1 + len(keys)

    def features(self) -> Array:
        """All features of the groups, ascending."""
        keys = np.sort(self._keys[1 : self.count])
        if self._used is not None:
            return keys
        return np.asarray((SIXTEEN * keys[:, None] + np.arange(SIXTEEN)).ravel())

    def places_in_order(self) -> Array:
        """Where the weights of ``features()`` are."""
        if self._in_order[0] != self.count:
            self._in_order = self.count, self.places(self.features())
        return self._in_order[1]


class Placed(NamedTuple):
    """Weights of several vectors: the biases, (1, stride), and rows of which those in ``order`` are the features'."""

    biases: Array
    held: Array
    order: Array

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.held.dtype

    def squares(self) -> Array:
        """Σ w² of each vector, in double precision."""
        out = engine.squares(self.biases)
        engine.add_squares(self.held, self.order, out)
        return out

    def rows(self) -> Array:
        """All rows, first the biases."""
        return np.concatenate((self.biases, self.held[self.order]))
