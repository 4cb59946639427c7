"""The engine: the only module that calls the native core. It admits rows, runs passes and scores.

Data reach the core as a tuple, the *view*: ``(array,)`` for dense rows, ``(indptr, indices, data, n_features)`` for
CSR, ``({name: number}, {name: column})`` for one row of named features.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _native

Array = NDArray[Any]
View = tuple[Any, ...]
Model = tuple[Any, ...]


class Rows(NamedTuple):
    """Rows that were looked at once: finite, in canonical form, with their radius."""

    view: View
    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    radius2: float  # max ‖x‖², without the bias feature

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.view if isinstance(part, np.ndarray))


class Tally(NamedTuple):
    """What one pass counted."""

    visited: int
    mistakes: int
    updates: int
    growth: float
    moved: float
    run: int
    best: int
    errors: int
    current: bool
    radius2: float  # of a row of named features; others were admitted before


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse matrices or arrays (told without importing SciPy)."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def admit(X: Any, dtype: Any = None, names: Any = None) -> Rows:
    """Rows of a 2-D array or SciPy sparse matrix, without a copy where they are floats in C order or canonical CSR.

    Refuses NaN, infinity and numbers whose squares overflow, naming row and column.
    """
    if dtype is None:
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    dtype = np.dtype(dtype)
    view = _csr_view(X, dtype) if is_sparse(X) else (np.ascontiguousarray(X, dtype),)
    radius2, fault, row, column = _native.scan(view)
    if fault == "not canonical":
        view = _canonical(view)
        radius2, fault, row, column = _native.scan(view)
    if fault != "none":
        raise ValueError(_complaint(view, fault, row, column, names))
    return Rows(view, X.shape[0], X.shape[1], dtype, radius2)


def _csr_view(X: Any, dtype: np.dtype[Any]) -> View:
    X = X.tocsr()
    index = np.int32 if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32 else np.int64
    return (
        np.ascontiguousarray(X.indptr, index),
        np.ascontiguousarray(X.indices, index),
        np.ascontiguousarray(X.data, dtype),
        X.shape[1],
    )


def _canonical(view: View) -> View:
    """Sort each row by column and add duplicates in the order they are stored, as a dense array would."""
    indptr, indices, data, n_features = view
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    by_place = np.lexsort((indices, rows))  # stable: storage order within a place
    rows, columns = rows[by_place], indices[by_place]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    summed = np.zeros(int(first.sum()), dtype=data.dtype)
    np.add.at(summed, np.cumsum(first) - 1, data[by_place])  # one at a time, in order
    counts = np.bincount(rows[first], minlength=len(indptr) - 1)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(indptr.dtype)
    return starts, np.ascontiguousarray(columns[first]), summed, n_features


def _complaint(view: View, fault: str, row: int, column: int, names: Any) -> str:
    if fault == "index out of range":
        return f"Input X has a column index in row {row} that is not below its {view[3]} columns; rebuild the matrix"
    if fault == "too large":
        return (
            f"Input X: the squared norm of row {row} overflows {view[-2 if len(view) == 4 else 0].dtype}; scale X down"
        )
    if len(view) == 1:
        value = view[0][row, column]
    else:
        entries = slice(view[0][row], view[0][row + 1])
        value = view[2][entries][view[1][entries] == column].sum()
    what = "NaN" if np.isnan(value) else "infinity (inf)"
    place = f"column {column}" if names is None else f"column {column} ({names[column]!r})"
    return f"Input X contains {what} at row {row}, {place}; remove or impute such values first"


def learn(
    view: View,
    model: Model,
    rule: tuple[Any, ...],
    targets: Array,
    order: Array | None,
    weight: Array | None,
    tau: Array,
    least: Array,
    *,
    pocket: tuple[Any, ...] | None = None,
    visited: int = 0,
    stop_at_mistake: bool = False,
) -> Tally:
    """One pass over the rows in ``order`` (None: all, as they stand); weights, tau and least change in place."""
    return Tally._make(
        _native.learn(view, model, rule, (targets, order, weight), pocket, tau, least, visited, stop_at_mistake)
    )


def score(view: View, model: Model, out: Array) -> Array:
    """Scores of all rows, one per weight vector, in ``out``."""
    _native.score(view, model, out)
    return out


def stride_of(n_vectors: int) -> int:
    """Numbers stored per feature: one, or the vectors padded to what a vector register takes."""
    return 1 if n_vectors == 1 else 4 if n_vectors <= 4 else -8 * (-n_vectors // 8)


def zeros(n_rows: int, stride: int, dtype: Any) -> Array:
    """Zeros of (n_rows, stride) placed so that row 1, the first feature, starts a cache line."""
    dtype = np.dtype(dtype)
    line = 64 // dtype.itemsize
    raw = np.zeros(n_rows * stride + line, dtype)
    skip = (-(raw.ctypes.data // dtype.itemsize) - stride) % line
    return raw[skip : skip + n_rows * stride].reshape(n_rows, stride)
