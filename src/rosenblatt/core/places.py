"""Few among very many features: those that have weights, and where their weights are.

A score is summed in 16 lanes, feature j in lane j mod 16, so a feature may have its weight in any place of its lane.
Each that is met gets the next place of its lane, and memory grows with the features that were met instead of with the
largest index. The first 16 places are those of all other features: their weights stay 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import engine

Array = NDArray[Any]

SIXTEEN = 16  # lanes
#: Of at most so many features, of which there is room for one in so many, the place of each is noted by its number;
#: else in a table by the hashes of those that were met.
BY_NUMBER, SPARSE = 1 << 24, 16
#: The most features for which there is room before any was met.
_EXPECTED = 1 << 20


class Places:
    """The places of the features that were met.

    Parameters
    ----------
    n_features : int
        How many features are expected; others may come.
    """

    def __init__(self, n_features: int) -> None:
        self.count = 0  # features met
        self._size = n_features
        self._met = np.zeros(64, np.int64)  # the features, in the order they were met, and room for more
        self._used = np.ones(SIXTEEN, np.int64)  # by lane, sixteens of places in use
        self._table: Array | None = None  # it is made when it is asked for
        self._in_order: tuple[Array, Array] | None = None  # the features, ascending, and their places

    @classmethod
    def of_places(cls, held: Array, n_features: int) -> Places | None:
        """Those in which features have the places where they stand here (−1: none); None: there are no such places.

        All that native code goes by is made anew.
        """
        made, taken = cls(n_features), np.flatnonzero(held >= 0)
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
        return SIXTEEN * int(self._used.max())

    def __getstate__(self) -> dict[str, Any]:
        """The features alone, of which all else is made anew."""
        return {"met": self._met[: self.count].copy(), "size": self._size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["size"])  # type: ignore[misc]
        self.add(state["met"], SIXTEEN * (1 + len(state["met"])))
        self.rest()

    def places(self, features: Array, n_threads: int = 1) -> Array:
        """The place of each feature; of one that was not met, one whose weight is 0."""
        out = np.empty_like(features)
        engine.place_features(features, self._looked_up(), self._met, self._used, self.count, False, out, n_threads)
        return out

    def add(self, features: Array, most: int, n_threads: int = 1) -> Array | None:
        """The place of each feature, of new ones too; None: that would be more than ``most`` places."""
        out, done = np.empty_like(features), 0
        self._expect(len(features))
        while True:
            more, self.count = engine.place_features(
                features[done:], self._looked_up(), self._met, self._used, self.count, True, out[done:], n_threads
            )
            done += more
            if len(self) > most:
                return None
            if done == len(features):
                return out
            self._make_room(int(features[done]))

    def within(self, n_places: int) -> Places:
        """Others, of the features that were met before the first for which there is no room among so many places."""
        met = self._met[: self.count]
        lanes, end = met % SIXTEEN, len(met)
        for lane in range(SIXTEEN):
            beyond = np.flatnonzero(lanes == lane)[n_places // SIXTEEN - 1 :]
            end = min(end, int(beyond[0])) if len(beyond) else end
        made = Places(self._size)
        made.add(met[:end], n_places)
        return made

    def rest(self) -> None:
        """Give the memory of the table back until it is asked for: no new features come soon."""
        self._sorted()
        self._table = None

    def features(self) -> Array:
        """The features that were met, ascending."""
        return self._sorted()[0]

    def places_in_order(self) -> Array:
        """The places of ``features()``."""
        return self._sorted()[1]

    def _sorted(self) -> tuple[Array, Array]:
        held = self._in_order
        if held is None or len(held[0]) != self.count:
            table = self._looked_up()
            if self._is_by_number:
                features = engine.rows_in_use([table[:, None]]).astype(np.int64)
            else:
                features = np.sort(self._met[: self.count])
            held = self._in_order = features, self.places(features, engine.threads())
        return held

    @property
    def _is_by_number(self) -> bool:
        return self._size <= min(BY_NUMBER, SPARSE * len(self._met))

    def _looked_up(self) -> Array:
        """The place of each feature by its number; or of those that were met, each + 1, in pairs by their hashes."""
        table = self._table
        if table is None:  # readers may make it side by side
            room = len(self._met)
            table = np.zeros(self._size, np.int32) if self._is_by_number else np.zeros(4 * room, np.int64)
            met = self._met[: self.count]
            engine.place_features(
                met, table, np.zeros(room, np.int64), np.ones(SIXTEEN, np.int64), 0, True, np.empty_like(met), 1
            )
            self._table = table
        return table

    def _expect(self, n: int) -> None:
        """Have room for so many features, of which most come again and again, without growing step by step."""
        room = min(1 << (n // 8).bit_length(), _EXPECTED)
        if room > len(self._met):
            self._grow(room)

    def _make_room(self, feature: int) -> None:
        """Have room for one more feature at least, this one, which may be larger than any that was expected."""
        if feature >= self._size:
            self._size, self._table = max(2 * self._size, feature + 1), None
        if self.count == len(self._met) or not self._is_by_number:
            self._grow(2 * len(self._met))

    def _grow(self, room: int) -> None:
        if not self._is_by_number:
            self._table = None
        larger = np.zeros(room, np.int64)
        larger[: self.count] = self._met[: self.count]
        self._met = larger


class Placed(NamedTuple):
    """Weights as they stand in places: their sums are those of an array with a row for every feature, to the bit.

    Parameters
    ----------
    biases : array of shape (1, stride)
        The biases.
    held : array of shape (1 + places, stride)
        Row 0 is not read, the others are those of the places.
    order : array
        The rows of the features, in their order.
    """

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

    def minus(self, start: Any) -> Placed:
        """How far they are from others that stand likewise, in double precision; None: from 0."""
        biases, held = self.biases.astype(np.float64), self.held.astype(np.float64)
        return (
            Placed(biases, held, self.order)
            if start is None
            else Placed(biases - start.biases, held - start.held, self.order)
        )

    def scaled(self, per_vector: bool) -> tuple[Placed, Array]:
        """The weights over the largest of each vector or of all; and these."""
        sizes = np.maximum(np.abs(self.biases[0]), np.abs(self.held[1:]).max(axis=0))
        sizes = sizes if per_vector else sizes.max(keepdims=True)
        over = np.where(sizes > 0, sizes, 1.0)
        return Placed(self.biases / over, self.held / over, self.order), sizes
