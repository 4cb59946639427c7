"""The weight arrays of a run: which row of them a feature has, and how they grow.

Weights stand class-minor: row 0 the biases, then one row per feature, in it one number per weight vector, and padding.
Where there are very many features and few of them have weights, each gets its row when it is met (``places``): memory
grows with those that were met. Where there are more than two classes besides, the arrays have the row of the biases
alone, and a feature has a list of the classes that ever moved (``lists``). Every sum goes over the same numbers in the
same order either way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from . import engine, memory, rules
from .lists import Entries, Listed
from .places import Placed, Places

Array = NDArray[Any]

#: Weights of more bytes than these, of more features than a few, are kept for the features that were met alone,
WIDE, FEW = 1 << 26, 1 << 10
#: unless they are more than this share of all. Of more classes than these only those that moved are kept, feature by
#: feature, unless the run has a pocket, sums up the steps of a pass, starts from given weights, or learns from dense
#: rows. Of so few, to learn takes several times as long in such lists as side by side.
SHARE, SIDE_BY_SIDE = 2, 256
#: So it is with more classes than these once the features that were met would take more bytes than this side by side.
SOME, MOST = 32, 1 << 29
#: Bytes of a feature that has a list, besides its list.
LIST = 8
#: The most features of which a whole covariance is kept: 200 MB of it for each vector.
FULL = 5000


def check_full(n_features: int, n_vectors: int) -> None:
    """Refuse a whole covariance of more features than it is for, or than there is memory for."""
    n_bytes = 8 * n_vectors * (1 + n_features) ** 2
    vectors = f" for each of {n_vectors:,} classes" if n_vectors > 1 else ""
    what = f"confidence='full' keeps {1 + n_features:,} × {1 + n_features:,} numbers{vectors}"
    if n_features > FULL:
        raise ParameterError(
            f"{what}, {memory.size(n_bytes)}, and is for at most {FULL:,} features; set confidence='diagonal'",
            "confidence",
        )
    memory.check(n_bytes, what, "set confidence='diagonal'")


class Weights:
    """The arrays: the weights, their sums for the averaged readout, those in the pocket, and those at the start."""

    rule: rules.Rule
    n_features: int
    n_classes: int
    readout: str
    batch: bool
    dtype: np.dtype[Any]
    epsilon: float | None
    weights: Array
    total: Array | None
    pocket: Array | None
    start: Array | None  # W₀; None: zero
    #: What a second-order rule keeps (rules/second_order.py): a number for each weight, laid out as they are,
    precision: Array | None = None
    #: or for each vector a matrix, of which the first row is that of the bias.
    covariance: Array | None = None
    #: Which features have rows among the weights, and where; None: all, in their order.
    places: Places | None = None
    #: The weights of the features, and their sums, where the arrays have the biases alone.
    lists: engine.ClassLists | None = None
    n_threads: int  # that learn, and look features up, at most
    _capacity: int  # features that the arrays have room for
    _frozen = False  # the arrays are mapped from a file, and read-only

    def _build_native(self) -> None:
        """Make anew what is built of the arrays for native calls."""

    def _thaw(self) -> None:
        """Copy arrays that are mapped from a file, to learn on."""

    @property
    def n_vectors(self) -> int:
        return self.n_classes if self.n_classes > 2 and self.epsilon is None else 1

    @property
    def active(self) -> Any:
        """The weights in use: row 0 the biases, then one row per feature; one column per vector, and padding.

        Features that have no rows are left out. Weights by lists are ``Listed``.
        """
        if self.lists is None:
            return self.in_order(self.weights)
        return Listed(self.weights, self.lists, self._places_in_order)

    @property
    def measured(self) -> Any:
        """``active``, to be measured: where features have places nothing is copied."""
        if self.places is None or self.lists is not None:
            return self.active
        return self._placed(self.weights)

    def _placed(self, held: Array) -> Placed:
        """The rows in use of ``weights``, or of an array that has the same, read in the order of the features."""
        assert self.places is not None
        order = 1 + self.places.places_in_order()
        return Placed(held[:1], held[: 1 + len(self.places)], order)

    def entries(self, lists: engine.ClassLists | None = None) -> Entries:
        """The entries of the lists, or of others that have the same rows, in the order of the features."""
        lists = lists or self.lists
        assert lists is not None
        return Entries(*lists.entries(self._places_in_order))

    @property
    def _places_in_order(self) -> Array | None:
        return None if self.places is None else self.places.places_in_order()

    @property
    def row_order(self) -> slice | Array:
        """Which rows of ``weights`` are the biases' and those of ``features``, in this order."""
        if self.places is None:
            return slice(1 + self.n_features)
        return np.concatenate(([0], 1 + self.places.places_in_order()))

    def in_order(self, held: Array) -> Array:
        """The rows of ``weights``, or of an array that has the same, in the order of the features: see ``features``."""
        return np.asarray(held[self.row_order])

    @property
    def n_places(self) -> int:
        """How many rows of ``weights`` are in use, besides that of the biases."""
        return self.n_features if self.places is None else len(self.places)

    def features(self) -> Array | None:
        """The features that have rows, ascending. None: all have."""
        return None if self.places is None else self.places.features()

    def _arrays(self) -> list[str]:
        return [
            name for name in ("weights", "total", "pocket", "start", "precision") if getattr(self, name) is not None
        ]

    def reserve(self, n_rows: int) -> None:
        """Room for the weights of this many features that have any, at least doubling what there was."""
        capacity = self._capacity
        if n_rows <= capacity:
            return
        if self.lists is not None:
            n_rows = max(n_rows, min(2 * capacity, self.n_features), 64)
            self._check_room(LIST * n_rows, n_rows)
            self.lists.reserve(n_rows)
            self._capacity = n_rows
            return
        larger = {}
        room = max(n_rows, 2 * capacity, 64)
        if self.covariance is not None:
            check_full(n_rows, self.n_vectors)
            room = min(room, FULL)
            larger["covariance"] = self._grown(self.covariance, room)
        for name in self._arrays():
            old = getattr(self, name)
            larger[name] = self._zeros(room, old.shape[1], old.dtype)
            larger[name][: len(old)] = old
        self._replace(larger)

    def _prior_covariance(self, n_features: int, n_vectors: int) -> Array:
        """Of weights of which nothing is known; refuses more features than it is for."""
        raise NotImplementedError

    def _grown(self, held: Array, n_features: int) -> Array:
        """A covariance of more features, of which nothing is known."""
        larger = self._prior_covariance(n_features, len(held))
        larger[:, : held.shape[1], : held.shape[1]] = held
        return larger

    def _replace(self, arrays: dict[str, Any]) -> None:
        """Take over arrays all at once, so that an error or an interrupt leaves the old ones or the new ones."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__ | arrays)
        other._build_native()
        self.__dict__ = other.__dict__

    def _zeros(self, n_rows: int, stride: int, dtype: Any) -> Array:
        """Zeros for the biases and for so many features; refuses what is larger than the memory that there is."""
        self._check_room((1 + n_rows) * stride * np.dtype(dtype).itemsize, n_rows)
        return engine.zeros(1 + n_rows, stride, dtype)

    def zeros_by_vector(self) -> Array:
        """Zeros of (n_vectors, n_features); refuses what is larger than the memory that there is."""
        self._check_room(self.n_vectors * self.n_features * self.dtype.itemsize, self.n_features)
        return np.zeros((self.n_vectors, self.n_features), self.dtype)

    def _check_room(self, n_bytes: int, n_features: int) -> None:
        vectors = f" × {self.n_vectors:,} classes" if self.n_vectors > 1 else ""
        memory.check(
            n_bytes, f"weights of {n_features:,} features{vectors}",
            "number or hash the features into fewer columns (to learn from sparse rows and to score them needs no such "
            "array)",
        )  # fmt: skip

    def _is_wide(self, n_features: int) -> bool:
        """Whether a row for each of so many features would take much memory."""
        if self.rule.keeps == "full":  # which is for few
            return False
        row = engine.stride_of(self.n_vectors) * self.dtype.itemsize if self.lists is None else LIST
        return n_features > FEW and n_features * row > WIDE

    def _wants_lists(self, n_features: int) -> bool:
        """Whether the weights of so many features are to be kept by lists, and are not yet."""
        return self.n_vectors > SIDE_BY_SIDE and self._may_have_lists and self._is_wide(n_features)

    def _wants_lists_as_classes_come(self) -> bool:
        """The same, of more than some classes of which not all were known: a new one moves all vectors but in lists."""
        most = min(SOME, SIDE_BY_SIDE)
        return self.n_vectors > most and self._may_have_lists and self._is_wide(self.n_features)

    def _outgrows_rows(self, n_rows: int) -> bool:
        """Whether the weights of so many features that have any are to be kept by lists, and are not yet."""
        row = sum(held.shape[1] * held.itemsize for held in (getattr(self, name) for name in self._arrays()))
        return n_rows * row > MOST and self.n_vectors > SOME and self._may_have_lists

    @property
    def _may_have_lists(self) -> bool:
        if self.lists is not None or self.n_vectors == 1 or self.batch or self.readout not in ("last", "averaged"):
            return False
        return self.rule.keeps is None and self.start is None

    def keep_lists(self) -> None:
        """Keep the weights by lists again, if they are not."""
        if self.lists is None:
            self._make_lists()
            self._build_native()

    def _make_lists(self) -> None:
        """Keep the weights by lists. Then ``_build_native`` is due."""
        total = self.total
        entries = Entries.of(self.weights[1:], None if total is None else total[1:], self.n_vectors)
        self.lists = entries.lists(self.n_vectors)
        self.weights = self.weights[:1].copy()
        self.total = None if total is None else total[:1].copy()
        if self.places is not None and not self._is_wide(self.n_features):
            self.expand()

    @property
    def _most_places(self) -> int:
        return self.n_features // SHARE

    def map_rows(self, rows: engine.Rows, *, learn: bool) -> engine.Rows:
        """Rows whose columns are the places of their features in the arrays; ``learn``: new features get places."""
        if (self.places is None and self.lists is None) or rows.is_mapped:
            return rows
        if rows.view.is_dense and learn:  # dense rows have every feature
            self.make_dense()
            return rows
        if rows.view.is_dense and self.lists is not None:
            rows = rows._replace(view=engine.csr(rows.view.data))
        view = rows.view
        if self.places is None or view.is_dense:
            return rows
        indptr, indices = view.indptr, view.indices
        used = slice(int(indptr[0]), int(indptr[-1]))
        places = self._places_of(indices[used], learn=learn)
        if places is None or self.places is None:
            return rows
        if used.start:
            places = np.concatenate((np.zeros(used.start, indices.dtype), places))
        mapped = engine.CsrRows(indptr, places, view.data, len(self.places))
        return rows._replace(view=mapped, is_mapped=True)

    def _places_of(self, columns: Array, *, learn: bool) -> Array | None:
        """Places of columns; ``learn``: new features get one. None: every feature has a row from now on."""
        places = self.places
        assert places is not None
        if not learn:
            return places.places(columns, self.n_threads)
        try:
            made = places.add(columns, self._most_places, self.n_threads)
        except BaseException:
            self._reserve_places(places)
            raise
        if self._outgrows_rows(self.n_features if made is None else len(places)):
            self.places = places.within(self._capacity)
            self.keep_lists()
            return None if self.places is None else self._places_of(columns, learn=True)
        if made is None:
            self.expand()
        else:
            self._reserve_places(places)
        return made

    def _reserve_places(self, places: Places) -> None:
        """Have room for all places, or for none that is new."""
        try:
            self.reserve(len(places))
        except BaseException:
            if self.places is places and len(places) > self._capacity:
                self.places = places.within(self._capacity)
            raise

    def rows_for(self, numbers: Array) -> Array:
        """The rows of ``weights`` for these: 0 the biases, 1 + j feature j, ascending; new features get one."""
        biases = int(len(numbers) > 0 and numbers[0] == 0)
        features = numbers[biases:] - 1
        places = None if self.places is None else self.places.add(features, self._most_places)
        if self.places is None or places is None:
            self.expand()
            return numbers
        self.reserve(len(self.places))
        return np.concatenate((numbers[:biases], 1 + places))

    def expand(self) -> None:
        """Give every feature a row, as dense rows and named features need."""
        if self.places is None:
            return
        if self.lists is None:
            self._replace({name: self.expanded(getattr(self, name)) for name in self._arrays()} | {"places": None})
            return
        self._check_room(LIST * self.n_features, self.n_features)
        entries = Entries(*self.lists.entries(self.places.places(np.arange(self.n_features))))
        self._replace({"lists": entries.lists(self.n_vectors), "places": None})

    def fill_lists(self, features: Array, entries: Entries) -> None:
        """Have the lists of these features, ascending, and no others."""
        places = features if self.places is None else self.places.add(features, self._most_places)
        if places is None:
            self._check_room(LIST * self.n_features, self.n_features)
            self.places, places = None, features
        if self.places is None:
            counts = np.zeros(self.n_features, np.int64)
            counts[features] = np.diff(entries.starts)
            entries = entries._replace(starts=np.concatenate(([0], np.cumsum(counts))))
        else:
            order = np.full(len(self.places), -1)
            order[places] = np.arange(len(features))
            entries = Entries(*entries.lists(self.n_vectors).entries(order))
        self.lists = entries.lists(self.n_vectors)

    def make_dense(self) -> None:
        """Give every feature a row, and every class a place in it."""
        if self.lists is None:
            self.expand()
            return
        entries = self.entries()
        dense = {"weights": self.spread(self.weights, entries, entries.weights)}
        if self.total is not None and entries.total is not None:
            dense["total"] = self.spread(self.total, entries, entries.total)
        self._replace({**dense, "lists": None, "places": None})

    def spread(self, biases: Array, entries: Entries, values: Array) -> Array:
        """Values of entries as rows: first the biases, then one row for each feature."""
        rows, features = self._zeros(self.n_features, biases.shape[1], biases.dtype), self.features()
        rows[0] = biases[0]
        numbers = entries.rows if features is None else features[entries.rows]
        rows[1 + numbers, entries.classes] = values
        return rows

    def expanded(self, held: Array) -> Array:
        """The rows of ``weights``, or of an array that has the same, one for each feature."""
        if self.places is None:
            return held[: 1 + self.n_features]
        rows = self._zeros(self.n_features, held.shape[1], held.dtype)
        features, places = self.places.features(), self.places.places_in_order()
        there = (features < self.n_features) & (places < len(held) - 1)
        rows[0], rows[1 + features[there]] = held[0], held[1 + places[there]]
        return rows

    def widen(self, n_features: int) -> None:
        """Let there be so many features, of which the new ones have no weights yet."""
        if self._frozen:
            self._thaw()
        if self.places is None and n_features > self._capacity:
            before, self.n_features = self.n_features, max(n_features, self.n_features)
            if self._wants_lists(n_features):
                self.keep_lists()
            if self._is_wide(n_features) and self._compact(self._nonzero_features(before)):
                self._build_native()
            else:
                if self._outgrows_rows(n_features):
                    self.keep_lists()
                self.reserve(n_features)
        self.n_features = n_features

    def _nonzero_features(self, n_features: int) -> Array:
        """Those of the first features whose weights are not all 0."""
        if self.lists is not None:
            return np.flatnonzero(np.diff(self.entries().starts)[:n_features])
        used = np.zeros(n_features, bool)
        for name in self._arrays():
            used |= (getattr(self, name)[1 : 1 + n_features] != 0).any(axis=1)
        return np.flatnonzero(used)

    def _compact(self, features: Array) -> bool:
        """Keep rows for these features alone; False: they are too many for that. Then ``_build_native`` is due."""
        made = Places(self.n_features)
        places = made.add(features, self._most_places)
        if places is None:
            return False
        if self.lists is not None:
            order = np.full(len(made), -1)
            order[places] = features
            self.lists = Entries(*self.lists.entries(order)).lists(self.n_vectors)
            self.places = made
            return True
        for name in self._arrays():
            old = getattr(self, name)
            new = self._zeros(len(made), old.shape[1], old.dtype)
            new[0], new[1 + places] = old[0], old[1 + features]
            setattr(self, name, new)
        self.places = made
        return True
