"""Rows in CSR form as three arrays: what readers and encoders give, and what `rosenblatt.core.engine.admit` takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_NARROW = int(np.iinfo(np.int32).max)
#: Rows in so few runs of consecutive ones are copied run by run.
_FEW_RUNS = 8


@dataclass(frozen=True, eq=False)
class Csr:
    """A sparse matrix: the entries of row i are those from ``indptr[i]`` to ``indptr[i + 1]``.

    Attributes
    ----------
    indptr, indices : arrays of int32 where everything fits, else int64
        Where rows begin, and the columns, ascending within a row.
    data : array of float32 or float64
        The values.
    n_features : int
        The number of columns.
    """

    indptr: Array
    indices: Array
    data: Array
    n_features: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.indptr) - 1, self.n_features

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """How many entries are stored."""
        return len(self.data)

    def tocsr(self) -> Csr:
        """Itself: with ``nnz`` it is what the engine knows a sparse matrix by."""
        return self

    def __getitem__(self, place: tuple[int, int]) -> Any:
        """One number of the matrix."""
        row, column = place
        where = slice(self.indptr[row], self.indptr[row + 1])
        entries = np.flatnonzero(self.indices[where] == column)
        return self.data[where][entries[0]] if len(entries) else self.data.dtype.type(0)

    def to_scipy(self) -> Any:
        """The same arrays as a SciPy ``csr_matrix``."""
        from scipy.sparse import csr_matrix

        matrix = csr_matrix((self.data, self.indices, self.indptr), shape=self.shape, copy=False)
        matrix.has_canonical_format = True
        return matrix

    @classmethod
    def of_dense(cls, X: Array) -> Csr:
        """The entries of an array that are not zero."""
        rows, columns = np.nonzero(X)
        kind = index_type(max(X.size, X.shape[1]))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))]).astype(kind)
        return cls(indptr, columns.astype(kind), X[rows, columns], X.shape[1])

    def to_dense(self) -> Array:
        """The same as an array."""
        X = np.zeros(self.shape, self.dtype)
        X[np.repeat(np.arange(len(X)), np.diff(self.indptr)), self.indices] = self.data
        return X

    def rows(self, start: int, stop: int) -> Csr:
        """Some of the rows; indices and data are views."""
        first, last = int(self.indptr[start]), int(self.indptr[stop])
        ends = self.indptr[start : stop + 1]
        return Csr(ends - ends[0], self.indices[first:last], self.data[first:last], self.n_features)

    def taken(self, which: Array) -> Csr:
        """The rows with these numbers, from 0 on and in this order, as copies."""
        assert which.dtype.kind == "i"  # a mask has no numbers
        ends_of_runs = np.flatnonzero(np.diff(which) != 1) + 1
        if len(which) and len(ends_of_runs) < _FEW_RUNS:
            runs = np.split(which, ends_of_runs)
            return _joined([self.rows(int(run[0]), int(run[-1]) + 1) for run in runs])
        lengths = np.diff(self.indptr)[which]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(self.indptr.dtype)
        place = np.arange(ends[-1]) + np.repeat(self.indptr[:-1][which] - ends[:-1], lengths)
        return Csr(ends, self.indices[place], self.data[place], self.n_features)

    def widened(self, n_features: int) -> Csr:
        """The same entries among more columns."""
        return replace(self, n_features=max(n_features, self.n_features))


def index_type(largest: int) -> type[np.signedinteger[Any]]:
    """int32 where numbers up to ``largest`` fit."""
    return np.int32 if largest <= _NARROW else np.int64


def vstack(parts: Sequence[Csr]) -> Csr:
    """Rows of several matrices one below the other; as wide as the widest."""
    return parts[0] if len(parts) == 1 else _joined(parts)


def _joined(parts: Sequence[Csr]) -> Csr:
    """The same as copies."""
    starts = np.cumsum([0, *(part.nnz for part in parts)])
    kind = np.result_type(index_type(int(starts[-1])), *(part.indices for part in parts))
    ends = [part.indptr[1:].astype(np.int64) + start for part, start in zip(parts, starts)]
    return Csr(
        np.concatenate([[0], *ends]).astype(kind),
        np.concatenate([part.indices for part in parts]).astype(kind, copy=False),
        np.concatenate([part.data for part in parts]),
        max(part.n_features for part in parts),
    )


def hstack(parts: Sequence[Csr]) -> Csr:
    """Columns of several matrices side by side, in this order."""
    if len(parts) == 1:
        return parts[0]
    lengths = np.array([np.diff(part.indptr) for part in parts])
    ends = np.concatenate([[0], np.cumsum(lengths.sum(axis=0), dtype=np.int64)])
    n_features = sum(part.n_features for part in parts)
    kind = index_type(max(n_features, int(ends[-1])))
    indices = np.empty(int(ends[-1]), kind)
    data = np.empty(int(ends[-1]), np.result_type(*(part.data for part in parts)))
    place, shift = ends[:-1].copy(), 0  # where each row's next part goes
    for part, length in zip(parts, lengths):
        to = np.arange(part.nnz) + np.repeat(place - part.indptr[:-1], length)
        indices[to] = part.indices.astype(kind) + kind(shift)
        data[to] = part.data
        place += length
        shift += part.n_features
    return Csr(ends.astype(kind), indices, data, n_features)
