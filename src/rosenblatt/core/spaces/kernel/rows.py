"""Rows seen through a kernel, wherever it is computed, and the examples that are kept of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import engine
from .arrays import NumPy
from .kernels import Kernel

Array = NDArray[Any]

_NUMPY = NumPy()
_SMALL = np.iinfo(np.int32).max


class ExhaustedError(MemoryError):
    """There is no room, not even for the smallest piece."""


class Stack:
    """Rows of an array that grows at its end."""

    def __init__(self, library: NumPy) -> None:
        self.library, self.count = library, 0
        self._room: Any = None

    def add(self, rows: Any) -> None:
        """Put some rows on top."""
        count = self.count + len(rows)
        if self._room is None:
            self._room = rows
        elif len(self._room) < count or getattr(getattr(self._room, "flags", None), "writeable", True) is False:
            room = self.library.empty((2 * count, *rows.shape[1:]), str(rows.dtype).removeprefix("torch."))
            room[: self.count] = self.rows
            self._room = room
        if self._room is not rows:
            self._room[self.count : count] = rows
        self.count = count

    def pad(self, width: int) -> None:
        """Zeros behind each row, until it is so wide."""
        self._room = np.pad(self.rows, ((0, 0), (0, width - self._room.shape[1])))

    def retype(self, dtype: Any) -> None:
        """Keep them as numbers of another type."""
        self._room = None if self._room is None else self._room.astype(dtype)

    @property
    def rows(self) -> Any:
        return self._room[: self.count]


class Support:
    """The examples that the weights are a sum of, in the order they were kept."""

    def __init__(self, precomputed: bool) -> None:
        self.precomputed = precomputed
        self.index = np.zeros(0, np.int64)  # which rows they were,
        self.codes = np.zeros(0, np.int64)  # and of which class
        self._parts: list[Stack] = []  # a dense array, or starts, columns and values
        self._width = 0

    def __len__(self) -> int:
        return len(self.index)

    def add(self, rows: Any, index: Array, codes: Array) -> None:
        """Keep some rows more."""
        self.index = np.concatenate((self.index, index))
        self.codes = np.concatenate((self.codes, codes))
        if self.precomputed:
            return
        if not self._parts:
            self._parts = [Stack(_NUMPY) for _ in range(3 if engine.is_sparse(rows) else 1)]
            self._width = rows.shape[1]
            if self.is_sparse:
                self._parts[0].add(np.zeros(1, np.int32 if self._width <= _SMALL else np.int64))
        pieces = self._more(rows) if self.is_sparse else (dense(rows),)  # as the first were
        for part, piece in zip(self._parts, pieces):
            part.add(piece)

    def widen(self, n_features: int) -> None:
        """Let the rows have so many columns, of which the new ones hold zeros."""
        if self._parts and not self.is_sparse:
            self._parts[0].pad(n_features)
        self._width = n_features

    def _more(self, rows: Any) -> tuple[Array, ...]:
        """Where rows more start, their columns and values: one type of numbers for starts and columns, as SciPy has."""
        more = engine.csr(rows)
        starts, columns, values = more.indptr, more.indices, more.data
        before = self._parts[0].rows
        kind = before.dtype
        if kind == np.int32 and int(before[-1]) + int(starts[-1]) > _SMALL:
            kind = np.dtype(np.int64)
            for part in self._parts[:2]:
                part.retype(kind)
        return (int(before[-1]) + starts[1:].astype(np.int64)).astype(kind), columns.astype(kind, copy=False), values

    @property
    def is_sparse(self) -> bool:
        return len(self._parts) == 3

    @property
    def vectors(self) -> Any:
        """Their rows; None: there are none."""
        if not self.is_sparse:
            return self._parts[0].rows if self._parts else None
        import scipy.sparse as sp

        starts, columns, values = (part.rows for part in self._parts)
        return sp.csr_matrix((values, columns, starts), shape=(len(self), self._width), copy=False)


def dense(rows: Any) -> Any:
    """Rows as an array that stores every number."""
    return rows.toarray() if engine.is_sparse(rows) else rows


@dataclass
class KernelRows:
    """Rows seen through a kernel. With a precomputed one, X holds the kernel's values in its columns."""

    X: Any
    kernel: Kernel
    dtype: np.dtype[Any]
    index: Array | None = None  # which rows of a larger table they are,
    n_all: int | None = None  # and how many that has
    library: NumPy = _NUMPY
    precision: str = "float32"
    score_cache: Any = None  # the scores of all rows, where they are a training set to pass over
    _there: Any = None  # X where the library has its arrays, if there is room for it
    _asked: bool = False
    _kept: Stack | None = None  # the examples kept there
    _kept_of: Support | None = None
    _taken: Any = None  # what was taken last, of which numbers

    def part(self, which: Array) -> KernelRows:
        """Some of the rows, which go by their old numbers."""
        return replace(
            self,
            X=self.X[which],
            index=which,
            n_all=self.n_rows,
            score_cache=None,
            _there=None,
            _asked=False,
            _taken=None,
        )

    @property
    def view(self) -> KernelRows:
        return self

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def largest(self) -> float:
        return 1.0

    def features_of(self, n_rows: int) -> None:
        """What a step changes here are no weights of features."""

    def weighted(self, weight: Array | None) -> Any:
        """X without rows of weight 0, which are not there at all."""
        return self.X if weight is None or np.all(weight > 0) else self.X[np.flatnonzero(weight > 0)]

    def diagonal(self) -> Array:
        """K(x, x) of every row."""
        if self.kernel.name == "precomputed":
            return np.asarray(np.diagonal(self.X) + (1 if self.kernel.bias else 0))
        return self.kernel.diagonal(self.X)

    def radius2(self, order: Array | None = None) -> float:
        """R² without the bias feature: max K(x, x) over the rows in ``order`` (None: all)."""
        squares = self.diagonal() if order is None else self.diagonal()[order]
        return max(0.0, float(squares.max(initial=0.0)) - self.kernel.bias)

    def radius(self, order: Array | None = None) -> float:
        """R; never quite 0, because a kernel that vanishes may be that of rows too short for their squares."""
        return max(float(np.sqrt(self.radius2(order))), float(np.finfo(np.float64).smallest_subnormal))

    # ---- where the library has its arrays --------------------------------------------------------------------------

    @property
    def _here(self) -> bool:
        """Whether the library takes the rows as they are."""
        return type(self.library) is NumPy

    def take(self, which: Any) -> Any:
        """Some of the rows, by their numbers or a slice."""
        if self._here:
            return self.X[which]
        if not self._asked:
            self._asked = True
            if not engine.is_sparse(self.X) and self._has_room(self.X):
                self._there = self.library.put(self.X)
        if self._taken is None or self._taken[0] is not which:
            elsewhere = self._there is None
            part = self.library.put(dense(self.X[which])) if elsewhere else self._there[self.library.index(which)]
            self._taken = (which, part)
        return self._taken[1]

    def _has_room(self, X: Any) -> bool:
        return bool(4 * X.shape[0] * X.shape[1] * self.dtype.itemsize < self.library.free())

    def kept(self, support: Support, slots: Any) -> Any:
        """Rows of some of the examples kept."""
        if self._here:
            return support.vectors[slots]
        if self._kept_of is not support:
            self._kept, self._kept_of = Stack(self.library), support
        assert self._kept is not None
        if self._kept.count < len(support) and self._has_room(support.vectors):
            self._kept.add(self.library.put(dense(support.vectors[self._kept.count :])))
        if self._kept.count < len(support):
            return self.library.put(dense(support.vectors[slots]))
        return self._kept.rows[self.library.index(slots)]

    def in_strips(self, n: int, width: int, work: Callable[[int, int], None]) -> None:
        """Call ``work(start, stop)`` over n rows of a matrix so wide, as many at once as memory holds."""
        size, start = max(1, self.library.chunk // max(1, width)), 0
        while start < n:
            stop = min(n, start + size)
            try:
                work(start, stop)
            except self.library.out_of_memory as error:
                self.library.release()
                if stop - start == 1:
                    raise self.exhausted(width) from error
                size = (stop - start) // 2
                continue
            start = stop

    def exhausted(self, numbers: int) -> ExhaustedError:
        """What to raise when so many numbers more find no room."""
        where, free = " of the device" if self.library.on_cuda else "", self.library.free() / 1e6
        left = f"; {free:,.0f} MB are free" if free < np.inf else ""
        return ExhaustedError(
            f"the memory{where} is exhausted: {numbers * self.dtype.itemsize / 1e6:,.3g} MB more find no room{left}. "
            f"Give partial_fit fewer rows at once, or choose a smaller block_size or cache_size, or device='cpu'"
        )

    # ---- the kernel ------------------------------------------------------------------------------------------------

    def within(self, which: Array) -> Any:
        """The kernel matrix of some rows."""
        if self.kernel.name == "precomputed":
            return self.X[np.ix_(which, which)] + self.dtype.type(self.kernel.bias)
        part = self.take(which)
        return self.kernel.matrix(part, part)

    def against(self, which: Any, support: Support, slots: Any = slice(None)) -> Any:
        """The kernel of some rows with the examples kept, or some of those."""
        if self.kernel.name == "precomputed":
            return self.X[which][:, support.index[slots]] + self.dtype.type(self.kernel.bias)
        return self.kernel.matrix(self.take(which), self.kept(support, slots))

    def against_all(self, which: slice, support: Support) -> Any:
        """The same with all examples kept, however many of them find room at once."""
        n = which.stop - which.start
        K = self.library.empty((n, len(support)), self.dtype)

        def fill(start: int, stop: int) -> None:
            K[:, start:stop] = self.against(which, support, slice(start, stop))

        self.in_strips(len(support), max(n, self.n_features), fill)
        return K

    def scores(self, which: Any, support: Support, dual: Array, slots: Any = slice(None)) -> Any:
        """Scores of some rows by a sum of the examples kept, or of some of those: (n, n_vectors)."""
        n = which.stop - which.start if isinstance(which, slice) else len(which)
        weights = self.library.put(np.ascontiguousarray(dual, self.dtype))
        total = self.library.zeros((n, dual.shape[1]), self.dtype)
        first = slots.start or 0 if isinstance(slots, slice) else 0

        def add(start: int, stop: int) -> None:
            nonlocal total
            part = slice(first + start, first + stop) if isinstance(slots, slice) else slots[start:stop]
            total += self.against(which, support, part) @ weights[start:stop]

        self.in_strips(len(dual), max(n, self.n_features), add)
        return total


def seen_through(rows: engine.Rows, kernel: Kernel, **options: Any) -> KernelRows:
    """Rows that were looked at, seen through a kernel."""
    view = rows.view
    if view.is_dense:
        return KernelRows(view.data, kernel, rows.dtype, **options)
    import scipy.sparse as sp

    X = sp.csr_matrix((view.data, view.indices, view.indptr), shape=(view.n_rows, view.n_features))
    return KernelRows(X, kernel, rows.dtype, **options)
