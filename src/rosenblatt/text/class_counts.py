"""How many documents of each class have each column: what the supervised weight of n-grams is made of."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine

Array = NDArray[Any]
Rows = tuple[Array, Array, Array]
#: How many parts a row has, the columns of each, and whether each is scaled to its norm.
Parts = tuple[int, int, bool]

#: With more entries than 1/64 of the columns, the weight of each column is made once.
MANY = 64
#: Most classes; their numbers take two bytes.
MOST_CLASSES = 1 << 15


class Places:
    """Places, side by side and in order, of some columns among very many; in each part a first one for all others.

    Parameters
    ----------
    met : sequence of arrays
        The columns that get places, each any number of times.
    n_columns : int
        All columns.
    parts : tuple
        The parts of rows.
    """

    def __init__(self, met: Sequence[Array], n_columns: int, parts: Parts) -> None:
        columns = engine.distinct(met, n_columns)
        n_parts, self._width, _ = parts
        ends = np.searchsorted(columns, self._width * np.arange(n_parts + 1))
        self.width = 1 + int(np.diff(ends).max())  # of a part
        self.size = n_parts * self.width
        self.columns = np.zeros(self.size, np.int32)  # of the places
        self._place = np.zeros((n_columns, 1), np.int32)  # of the columns; 0: it was not met
        for part, (first, last) in enumerate(itertools.pairwise(ends.tolist())):
            places = np.arange(last - first, dtype=np.int32) + (part * self.width + 1)
            self.columns[places] = columns[first:last]
            self._place[columns[first:last], 0] = places
        self._found = [(some, self._places_of(some)) for some in met]  # of rows that will be counted, then weighed

    def has(self, columns: Array) -> bool:
        """Whether all of these columns have places."""
        return any(some is columns for some, _ in self._found) or bool(self._places_of(columns).all())

    def _places_of(self, columns: Array) -> Array:
        return engine.take_rows(self._place, columns)[:, 0]

    def of(self, columns: Array, *, last: bool = False) -> Array:
        """The place of each of these columns; ``last``: they are not asked for again."""
        for i, (some, places) in enumerate(self._found):
            if some is columns:
                if last:
                    del self._found[i]
                return places
        places = self._places_of(columns)
        if self.size > self.width:  # those of others are in the part that their column is in
            np.maximum(places, columns // self._width * self.width, out=places)
        return places


class ClassCounts:
    """Counts of documents by class and column.

    Where it is known which columns rows have, and they have fewer entries than there are columns, those that were met
    stand side by side: of small files, to touch the memory of all columns takes longer than to count.

    Parameters
    ----------
    n_columns : int
        The columns.
    """

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns
        self._places: Places | None = None  # of the columns that were met; None: each column has its own
        self._table: Array | None = None  # the weight of each column, once there were many entries to weigh,
        self._table_idf = False  # with idf or without
        self._numbers: dict[Any, int] = {}  # of classes, in the order they came

    @cached_property
    def _native(self) -> Any:
        """The counts, made when they are first needed, as they take much memory."""
        return engine.ClassCounts(self._n_places)

    @property
    def _n_places(self) -> int:
        return self._n_columns if self._places is None else self._places.size

    def _counts(self) -> tuple[Array, ...]:
        """The columns that were met, of each how many classes have it, which, and how often; documents of classes."""
        columns, *others = self._native.counts()
        return (columns if self._places is None else self._places.columns[columns], *others)

    def _spread(self) -> None:
        """A place for each column, as others than those that were met may come."""
        if self._places is not None:
            counts, self._places = self._counts(), None
            self._native = engine.ClassCounts(self._n_columns)
            self._native.add(counts)

    def _placed(self, rows: Rows, parts: Parts, *, last: bool = False) -> tuple[Rows, Parts]:
        """The rows and their parts as they are counted; ``last``: these rows are not asked for again."""
        if self._places is None:
            return rows, parts
        return (rows[0], self._places.of(rows[1], last=last), rows[2]), (parts[0], self._places.width, parts[2])

    def numbers(self, labels: Any) -> Array:
        """The number of each document's class; those that are new get the next."""
        given = np.asarray(labels).tolist()
        new = [label for label in dict.fromkeys(given) if label not in self._numbers]
        if len(self._numbers) + len(new) > MOST_CLASSES:
            raise ValueError(f"at most {MOST_CLASSES:,} classes are supported; set supervised=False")
        for label in new:
            self._numbers[label] = len(self._numbers)
        return np.array([self._numbers[label] for label in given], np.uint16)

    def expect(self, columns: Sequence[Array], parts: Parts) -> None:
        """Rows of these columns are all that will be counted; more may come, but take longer."""
        if not self._numbers and "_native" not in self.__dict__ and sum(map(len, columns)) < self._n_columns:
            self._places = Places(columns, self._n_columns, parts)

    def count(self, rows: Rows, labels: Any, parts: Parts, n_threads: int) -> None:
        """Count each row."""
        self._table = None
        if self._places is not None and not self._places.has(rows[1]):
            self._spread()
        rows, parts = self._placed(rows, parts)
        self._native.count(rows, self.numbers(labels), parts, n_threads)

    def weigh(self, rows: Rows, labels: Any, parts: Parts, idf: bool, n_threads: int) -> None:
        """Weigh rows in place; ``labels``: count each first, before the next; None: the counts stay as they are."""
        if labels is not None:
            self._table = None
            self._spread()
            self._native.weigh(rows, self.numbers(labels), parts, idf, n_threads)
            return
        rows, parts = self._placed(rows, parts, last=True)
        table, n_places = self._table if self._table_idf == idf else None, self._n_places
        if table is None and len(rows[1]) >= n_places // MANY:
            table = np.empty(n_places)
            self._native.weights(idf, n_threads, table)
            self._table, self._table_idf = table, idf
        if table is None:
            self._native.weigh(rows, None, parts, idf, n_threads)
        else:
            engine.weigh_by_table(rows, table, parts, n_threads)

    def forget(self, rows: Rows, labels: Any) -> None:
        """Take back the counts of rows: those that were counted last, or classes would be in another order."""
        self._table = None
        self._spread()
        columns, sizes, classes, counts, documents = self._native.counts()
        of = self.numbers(labels)
        each = np.repeat(of, np.diff(rows[0])).astype(np.int64)
        gone, n = np.unique(rows[1].astype(np.int64) << 16 | each, return_counts=True)
        known = np.repeat(columns.astype(np.int64), sizes) << 16 | classes
        left = counts.astype(np.int64)
        left[np.searchsorted(known, gone)] -= n
        kept = left > 0
        sizes = np.bincount(np.repeat(np.arange(len(columns)), sizes)[kept], minlength=len(columns)).astype(sizes.dtype)
        documents = documents - np.bincount(of, minlength=len(documents)).astype(documents.dtype)
        n_classes = int(np.count_nonzero(documents))  # a class that only these rows had was the last to come
        self._numbers = dict(list(self._numbers.items())[:n_classes])
        self._native = engine.ClassCounts(self._n_columns)
        self._native.add(
            (
                columns[sizes > 0],
                sizes[sizes > 0],
                classes[kept],
                left[kept].astype(counts.dtype),
                documents[:n_classes],
            )
        )

    def add(self, other: ClassCounts) -> None:
        """Add the counts of other documents."""
        self._table = None
        self._spread()
        columns, sizes, classes, counts, documents = other._counts()
        numbers = self.numbers(np.array([*other._numbers], dtype=object)) if other._numbers else np.zeros(0, np.uint16)
        order = np.lexsort((numbers[classes], np.repeat(np.arange(len(columns)), sizes)))
        here = np.zeros(len(self._numbers), np.uint64)
        here[numbers] = documents
        self._native.add((columns, sizes, numbers[classes][order], counts[order], here))

    def __reduce__(self) -> Any:
        return _restored, (self._n_columns, self._numbers, self._counts())

    def __deepcopy__(self, memo: dict[int, Any]) -> ClassCounts:
        return _restored(self._n_columns, self._numbers, self._counts())

    # ---- state ---------------------------------------------------------------------------------------------------

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Classes as plain values, and arrays for a model file."""
        columns, sizes, classes, counts, documents = self._counts()
        arrays = {
            "counted_columns": columns,
            "counted_classes": _smallest(sizes),
            "class_of_count": _smallest(classes),
            "class_counts": _smallest(counts),
            "class_documents": documents,
        }
        return {"classes": list(self._numbers)}, arrays

    @classmethod
    def from_state(cls, n_columns: int, plain: Any, arrays: Mapping[str, Array]) -> ClassCounts:
        """What :meth:`to_state` gave; refuses, by ValueError, what does not fit together."""
        label = schema.either(text=schema.text, number=schema.number, truth=schema.flag, bytes=schema.instance(bytes))
        schema.record(classes=schema.listed(label))(plain, "supervised")
        numbers = {label: i for i, label in enumerate(plain["classes"])}
        schema.require(len(numbers) == len(plain["classes"]) <= MOST_CLASSES, "classes")
        columns = schema.array(arrays, "counted_columns", np.int32, (None,))
        given = [columns]
        for name, kind in (("counted_classes", np.uint16), ("class_of_count", np.uint16), ("class_counts", np.uint32)):
            given.append(_unsigned(arrays, name, kind))
        documents = schema.array(arrays, "class_documents", np.uint64, (len(numbers),))
        return _restored(n_columns, numbers, (*given, documents))


def _restored(n_columns: int, numbers: dict[Any, int], counts: tuple[Array, ...]) -> ClassCounts:
    made = ClassCounts(n_columns)
    made._native.add(tuple(map(np.ascontiguousarray, counts)))
    made._numbers.update(numbers)
    return made


def _smallest(values: Array) -> Array:
    """The same in the smallest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _unsigned(arrays: Mapping[str, Array], name: str, kind: Any) -> Array:
    """An array of whole numbers, none below 0, that this type holds."""
    found = arrays.get(name)
    fits = found is not None and found.ndim == 1 and found.dtype.kind == "u"
    schema.require(fits and bool(found.max(initial=0) <= np.iinfo(kind).max), name)  # type: ignore[union-attr]
    return found.astype(kind)  # type: ignore[union-attr]
