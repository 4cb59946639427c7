"""The engine: the only module that imports the native core. It admits rows and hands on what the core does.

What the core takes are tuples:

- rows, the *view* of some data: ``(array,)``, ``(indptr, indices, data, n_features)``, or for one row of named features
  ``({name: number}, {name: column})``;
- a model: ``(form, weights, n_vectors, fit_intercept, tie_is_mistake, total, gradient, epsilon)``;
- examples: targets, the order in which to visit the rows (None: as they stand), weights (None: 1), where to begin, and
  for the hard-margin rule what each row has been given so far, which changes in place;
- a pocket (None: none is kept): its weights, and whether it is ratcheted.

``learn(view, model, rule, examples, pocket, tally, stop)`` is one pass; with ``stop`` it ends at the first mistake or
step, and leaves that step to the caller. Everything changes in place: the weights, and the tally of the run, which
holds Σ τ and the smallest margin of each vector, a bound on what the steps can have added to ‖W‖² and the room for
that, how many examples were visited, the mistakes, the updates, and the pocket's run, best run, errors and whether it
holds the present weights. False: it ended before a step for which there was no room, so that no number ever overflows.
``score(view, model, out)`` writes the scores of all rows to ``out``. One row of named features: ``score_one`` writes
its scores, ``decide_one(view, model, visited)`` is the code that they give it, by the average of so many examples.

What the text encoders take (``rosenblatt.text`` makes these tuples):

- documents: a list of ``str`` or ``bytes``, or capsules of Arrow's C interface, ``(schema, array)`` or ``(stream,)``;
- an analysis: ``(analyzer, min_n, max_n, lowercase, replace, min_length, stop_words, negations)``;
- an encoding: ``(weighting, norm, dtype, n_threads)``;
- a lexicon, n-grams by number: their bytes, where each starts, and the slots that ``index_ngrams`` makes.

``measure_lines``, ``read_lines``, ``csv_rows``, ``cut_csv`` and ``hash_texts`` read files; ``arrow_strings``
hands text on; rosenblatt.data says how. ``place_features`` is of rosenblatt.core.groups.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._native import (
    arrow_strings,
    count_columns,
    csv_rows,
    cut_csv,
    decide_one,
    gather_ngrams,
    hash_ngrams,
    hash_text,
    hash_texts,
    index_ngrams,
    keep_freed_memory,
    learn,
    list_ngrams,
    look_up_text,
    measure_lines,
    place_features,
    populate,
    read_lines,
    score,
    score_one,
    unicode_version,
    weigh_columns,
)
from ..errors import DataError

__all__ = [
    "keep_freed_memory",
    "Model",
    "Rows",
    "View",
    "admit",
    "among",
    "check_sparse",
    "count_columns",
    "csr",
    "csv_rows",
    "cut_csv",
    "arrow_strings",
    "decide_one",
    "gather_ngrams",
    "hash_ngrams",
    "hash_text",
    "hash_texts",
    "index_ngrams",
    "is_sparse",
    "learn",
    "list_ngrams",
    "look_up_text",
    "measure_lines",
    "place_features",
    "populate",
    "product",
    "read_lines",
    "score",
    "score_one",
    "stride_of",
    "threads",
    "unicode_version",
    "weigh_columns",
    "zeros",
]

#: More columns than these are numbered anew before rows are multiplied.
_MANY = 1 << 22

Array = NDArray[Any]
View = tuple[Any, ...]
Model = tuple[Any, ...]


class Rows(NamedTuple):
    """Rows that were looked at once: finite, in canonical form, with squares that do not overflow."""

    view: View
    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    largest: float  # max |x|
    placed: bool = False  # the view has places among the weights of a learner (rosenblatt.core.groups) for features

    def radius2(self, order: Array | None = None) -> float:
        """R² without the bias feature, max ‖x‖² over the rows in ``order`` (None: all): one reading of the data."""
        return _native.radius2(self.view, order)

    def features_of(self, n_rows: int) -> Array | None:
        """The features that the first rows have, some of them more than once; None: all of them."""
        if len(self.view) == 1:
            return None
        found: Array = self.view[1][self.view[0][0] : self.view[0][n_rows]]
        return found

    def radius(self, order: Array | None = None) -> float:
        """R, also where the squares would vanish: the numbers are scaled up until they do not."""
        found, scale, rows = self.radius2(order), 1.0, self
        while found < 1e-250 and rows.largest and scale < 2.0**1000:
            scale *= 2.0**250
            parts = list(self.view)
            place = 0 if len(parts) == 1 else 2
            with np.errstate(over="ignore"):  # of rows that are not in the order
                parts[place] = parts[place].astype(np.float64) * scale
            found = _native.radius2(tuple(parts), order)
        return float(np.sqrt(found)) / scale

    def depth(self, order: Array | None = None) -> int:
        """How many roundings lie between a score and its terms: those of a lane, of the tree, of product and bias.

        A lane has as many terms as there are numbers in a row, or blocks of 16 columns up to its last one, at most.
        Zeros round nothing and do not count, so that a row has the same depth in every container.
        """
        most = max(1, -(-self.n_features // 16))
        return max(1, _lane(self.view, order, most)) + 6


def _lane(view: View, order: Array | None, most: int) -> int:
    """The most terms in a lane, by a row's numbers and its last column; it looks no further once that is ``most``."""
    if most == 1:
        return 1
    if len(view) == 1:
        X, found = view[0], 0
        n_rows, block = len(X) if order is None else len(order), max(1, (1 << 20) // X.shape[1])
        for start in range(0, n_rows, block):
            part = X[start : start + block] if order is None else X[order[start : start + block]]
            held = part != 0
            last = X.shape[1] - np.argmax(held[:, ::-1], axis=1)
            lanes = np.minimum(np.count_nonzero(held, axis=1), -(-last // 16))
            found = max(found, int(lanes.max(initial=0)))
            if found == most:
                break
        return found
    starts, columns, values, _ = view
    if not values.all():  # zeros that are stored
        kept = np.flatnonzero(values)
        starts, columns = np.searchsorted(kept, starts), columns[kept]
    counts = np.diff(starts)
    some = np.flatnonzero(counts if order is None else counts * np.isin(np.arange(len(counts)), order))
    if not len(some):
        return 0
    last = np.maximum.reduceat(columns, starts[:-1][counts > 0])[np.searchsorted(np.flatnonzero(counts), some)]
    return int(np.minimum(counts[some], last // 16 + 1).max())


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse matrices or arrays (told without importing SciPy)."""
    return hasattr(type(X), "tocsr") and hasattr(type(X), "nnz")


def admit(X: Any, dtype: Any = None, names: Any = None) -> Rows:
    """Rows of a 2-D array or SciPy sparse matrix, without a copy where they are floats in C order or canonical CSR.

    Refuses NaN, infinity and numbers whose squares overflow, naming row and column.
    """
    if dtype is None:
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    dtype = np.dtype(dtype)
    with np.errstate(over="ignore"):
        view = csr(X, dtype) if is_sparse(X) else (np.ascontiguousarray(X, dtype),)
    fault, largest = _native.scan(view)
    if fault == "not canonical" and hasattr(X, "sorted_indices"):  # SciPy sorts fast, but adds duplicates in any order
        view = csr(X.tocsr().sorted_indices(), dtype)
        fault, largest = _native.scan(view)
    if fault == "not canonical":
        view = _canonical(csr(X, dtype))
        fault, largest = _native.scan(view)
    if fault == "index out of range":
        row = _row_of(view, np.flatnonzero((view[1] < 0) | (view[1] >= X.shape[1]))[0])
        raise DataError(f"Input X has a column index outside its {X.shape[1]} columns", "rebuild the matrix", row=row)
    if fault == "not finite":
        raise _not_finite(X, view, names)
    if largest * largest * X.shape[1] > float(np.finfo(dtype).max) and not np.isfinite(_native.radius2(view, None)):
        problem = f"the squared norm overflows {dtype} (max |x| is {largest:g})"
        raise DataError(problem, "scale X down", row=_longest(view, largest))
    return Rows(view, X.shape[0], X.shape[1], dtype, largest)


def csr(X: Any, dtype: Any = None) -> View:
    """The arrays of a sparse matrix as CSR, or of a dense one without its zeros."""
    if not is_sparse(X):
        return _compressed(X)
    check_sparse(X, columns=False)
    X, dtype = X.tocsr(), X.dtype if dtype is None else dtype
    index = np.int32 if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32 else np.int64
    n_entries = int(X.indptr[-1])  # arrays may have room for more
    return (
        np.ascontiguousarray(X.indptr, index),
        np.ascontiguousarray(X.indices[:n_entries], index),
        np.ascontiguousarray(X.data[:n_entries], dtype),
        X.shape[1],
    )


def check_sparse(X: Any, columns: bool = True) -> None:
    """Refuse a sparse matrix whose arrays do not fit together: SciPy's own operations would read beyond them.

    ``columns=False`` leaves the columns of CSR rows to ``admit``, which looks at them in the same go as at the values.
    """
    form = getattr(X, "format", "csr")
    if form in ("csr", "csc", "bsr"):
        n_lines, width = X.shape[::-1] if form == "csc" else X.shape
        if form == "bsr":
            n_lines, width = n_lines // X.data.shape[1], width // X.data.shape[2]
        _check_lines(X, form, n_lines)
        if columns or form != "csr":
            _check_places(X.indices[: int(X.indptr[-1])], width, form)
    elif form == "coo" and len(X.shape) == 2:
        if not len(X.row) == len(X.col) == len(X.data):
            counts = f"{len(X.row)} rows, {len(X.col)} columns and {len(X.data)} values"
            raise ValueError(f"Input X is not a valid COO matrix: its entries have {counts}; rebuild the matrix")
        _check_places(X.row, X.shape[0], form)
        _check_places(X.col, X.shape[1], form)


def _check_lines(X: Any, form: str, n_lines: int) -> None:
    """Where rows (of CSC: columns) begin must rise from 0 to at most the number of entries."""
    indptr, n_entries = np.asarray(X.indptr), min(len(X.indices), len(X.data))
    what = f"Input X is not a valid {form.upper()} matrix"
    if indptr.dtype.kind not in "iu" or np.asarray(X.indices).dtype.kind not in "iu":
        raise ValueError(f"{what}: its indices are not whole numbers; rebuild the matrix")
    if indptr.shape != (n_lines + 1,):
        raise ValueError(
            f"{what}: its shape is {X.shape}, so that indptr needs {n_lines + 1} numbers, but it has {indptr.size}; "
            "rebuild the matrix"
        )
    if indptr[0] != 0:
        raise ValueError(f"{what}: indptr begins with {indptr[0]}, not 0; rebuild the matrix")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if len(falls):
        raise ValueError(f"{what}: indptr falls after place {falls[0]}; rebuild the matrix")
    if indptr[-1] > n_entries:
        raise ValueError(f"{what}: indptr ends at {indptr[-1]}, but there are {n_entries} entries; rebuild the matrix")


def _check_places(places: Any, size: int, form: str) -> None:
    """Row or column indices, of which there are so many."""
    places = np.asarray(places)
    if len(places) and not 0 <= int(places.min()) <= int(places.max()) < size:
        entry = int(np.flatnonzero((places < 0) | (places >= size))[0])
        raise ValueError(
            f"Input X is not a valid {form.upper()} matrix: the index {places[entry]} of its entry {entry} lies "
            "outside its shape; rebuild the matrix"
        )


def _compressed(X: Array) -> View:
    starts = np.concatenate(([0], np.cumsum(np.count_nonzero(X, axis=1))))
    columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], X.dtype)
    _native.compress((np.ascontiguousarray(X),), starts, columns, values)
    small = starts[-1] <= np.iinfo(np.int32).max
    return (
        starts.astype(np.int32) if small else starts,
        columns if small else columns.astype(np.int64),
        values,
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


def _row_of(view: View, entry: int) -> int:
    """The row of a CSR entry."""
    return int(np.searchsorted(view[0], entry, side="right")) - 1


def _longest(view: View, largest: float) -> int:
    """The row of the largest norm."""
    values = view[0] if len(view) == 1 else view[2]
    squares = np.square(values / largest, dtype=np.float64)
    if len(view) == 1:
        return int(np.argmax(squares.sum(axis=1)))
    rows = np.repeat(np.arange(len(view[0]) - 1), np.diff(view[0]))
    return int(np.argmax(np.bincount(rows, squares)))


def _not_finite(X: Any, view: View, names: Any) -> DataError:
    """The first NaN or infinity, and where it is."""
    if len(view) == 1:
        row, column = (int(place) for place in np.argwhere(~np.isfinite(view[0]))[0])
        value, given = view[0][row, column], np.asarray(X)[row, column]
    else:
        entry = int(np.flatnonzero(~np.isfinite(view[2]))[0])
        row, column, value = _row_of(view, entry), int(view[1][entry]), view[2][entry]
        given = X.tocsr()[row, column]
    error = DataError("", row=row, column=column, name=None if names is None else names[column])
    if np.isfinite(given):
        return error.at(problem=f"Input X overflows {value.dtype}: it holds {given:g}", remedy="scale X down")
    what = "NaN" if np.isnan(value) else "infinity (inf)"
    return error.at(problem=f"Input X contains {what}", remedy="remove or impute such values first")


def product(A: Any, B: Any) -> Array:
    """``A·Bᵀ`` of blocks of which one at least is sparse, on all cores: zeros cost nothing."""
    a, b = csr(A), csr(B)
    if a[3] > _MANY:  # the core keeps a number for each column
        columns = np.unique(a[1])
        a, b = among(a, columns), among(b, columns)
    if a[1].dtype != b[1].dtype:
        a, b = ((view[0].astype(np.int64), view[1].astype(np.int64), *view[2:]) for view in (a, b))
    out = np.empty((len(a[0]) - 1, len(b[0]) - 1), a[2].dtype)
    _native.product(a, (*b[:2], b[2].astype(out.dtype, copy=False), b[3]), out, threads())
    return out


def among(view: View, columns: Array) -> View:
    """CSR rows with these columns alone, ascending, which are numbered from 0."""
    indptr, indices, data, _ = view
    place = np.minimum(np.searchsorted(columns, indices), max(len(columns) - 1, 0))
    kept = columns[place] == indices if len(columns) else np.zeros(len(indices), bool)
    ends = np.concatenate(([0], np.cumsum(kept)))[indptr].astype(indptr.dtype)
    return ends, place[kept].astype(indices.dtype), data[kept], len(columns)


def threads() -> int:
    """How many cores this process may use: those it is bound to, at most ``OMP_NUM_THREADS``."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(bound, int(asked)) if asked.isdigit() and int(asked) else bound


def stride_of(n_vectors: int) -> int:
    """Numbers stored per feature: one, or the vectors padded to what a vector register takes."""
    return 1 if n_vectors == 1 else 4 if n_vectors <= 4 else -8 * (-n_vectors // 8)


def squares(weights: Array) -> Array:
    """Σ w² of each column, in double precision."""
    out = np.empty(weights.shape[1])
    _native.squares(np.ascontiguousarray(weights), out)
    return out


def zeros(n_rows: int, stride: int, dtype: Any) -> Array:
    """Zeros of (n_rows, stride) placed so that row 1, the first feature, starts a cache line."""
    dtype = np.dtype(dtype)
    line = 64 // dtype.itemsize
    raw = np.zeros(n_rows * stride + line, dtype)
    skip = (-(raw.ctypes.data // dtype.itemsize) - stride) % line
    return raw[skip : skip + n_rows * stride].reshape(n_rows, stride)
