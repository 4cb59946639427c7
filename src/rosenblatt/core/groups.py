"""Few among very many features: those that have weights, by sixteens, and where their weights are.

A score is summed in 16 lanes, feature j in lane j mod 16, so a feature may have its weight in any place of its lane.
Features come in groups of 16 neighbours; the groups that were met have places for 16 weights each, one behind the
other, and memory grows with them instead of with the largest index. The first group is that of all other features: its
weights stay 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engine

Array = NDArray[Any]

#: Features of a group, one for each lane.
SIXTEEN = 16


class Groups:
    """The groups of features that were met, in the order they were met."""

    def __init__(self) -> None:
        self.count = 1  # the first is that of all features that were not met
        self._keys = np.full(32, -1, np.int64)  # the features of group g are 16·keys[g] …
        self._table = np.zeros((64, 2), np.int64)

    def __len__(self) -> int:
        """How many places there are."""
        return SIXTEEN * self.count

    def places(self, features: Array) -> Array:
        """The place of each feature; of one that was not met, one whose weight is 0."""
        out = np.empty_like(features)
        engine.place_features(features, self._table, self._keys, self.count, False, out)
        return out

    def add(self, features: Array, most: int) -> Array | None:
        """The place of each feature, of new ones too; None: that would be more than ``most`` groups."""
        out, done = np.empty_like(features), 0
        while True:
            part = features[done:]
            more, self.count = engine.place_features(part, self._table, self._keys, self.count, True, out[done:])
            if self.count > most:
                return None
            done += more
            if done == len(features):
                return out
            self._grow()

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` groups alone."""
        self._number(self._keys[1:count], len(self._keys))

    def _grow(self) -> None:
        self._number(self._keys[1 : self.count], 2 * len(self._keys))

    def _number(self, keys: Array, room: int) -> None:
        """Groups in this order, with room for so many."""
        numbered, table, first = np.full(room, -1, np.int64), np.zeros((2 * room, 2), np.int64), SIXTEEN * keys
        engine.place_features(first, table, numbered, 1, True, np.empty_like(first))
        self._keys, self._table, self.count = numbered, table, 1 + len(keys)

    def _in_order(self) -> Array:
        return 1 + np.argsort(self._keys[1 : self.count])

    def features(self) -> Array:
        """All features of the groups, ascending."""
        first = SIXTEEN * self._keys[self._in_order()]
        return np.asarray((first[:, None] + np.arange(SIXTEEN)).ravel())

    def places_in_order(self) -> Array:
        """Where the weights of ``features()`` are."""
        return np.asarray((SIXTEEN * self._in_order()[:, None] + np.arange(SIXTEEN)).ravel())
