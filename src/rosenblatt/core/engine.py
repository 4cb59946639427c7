"""The engine: the only module that imports the native core. It admits rows and hands on what the core does.

What the core takes are objects that check what they are made of once, and keep it:

- rows, the *view* of some data: ``DenseRows(data)`` or ``CsrRows(indptr, indices, data, n_features)``, and in kernel
  space ``GramRows(data)``, a block by its kernel matrix;
- ``Model(form=…, weights=…, n_vectors=…, …)``, weights and how they are used,
  or, with ``lists=ClassLists(…)``, the biases alone, and for each feature a list of the classes that ever moved;
- ``Rule(name, …)``, a rule by its name and numbers;
- ``Tally(n_vectors)``, what a run has counted: Σ τ and the smallest margin of each vector, a bound on what the steps
  can have added to ‖W‖² and the room for that, examples visited, mistakes, updates, and the pocket's numbers.

``learn(rows=…, model=…, rule=…, targets=…, tally=…)`` is one pass, in an ``order`` and with weights; with
``stop`` it ends at the first mistake or step, and leaves that step to the caller. ``dual`` holds for the hard-margin
rule the coefficient of each row so far, ``steps`` takes the coefficients of each row's step, ``pocket`` the weights of
the pocket. Everything changes in place. False: it ended before a step for which there was no room, so that no number
ever overflows. ``score(rows=…, model=…, out=…)`` writes the scores of all rows to ``out``. One row of named features
goes by its dict and the columns of the names: ``learn_one``, ``score_one``, and ``decide_one``, the code that the
scores give it, by the average over so many examples.

What the text encoders take are tuples (``rosenblatt.text`` makes them):

- documents: a list of ``str`` or ``bytes``, or capsules of Arrow's C interface, ``(schema, array)`` or ``(stream,)``;
- an analysis: ``(analyzer, min_n, max_n, lowercase, replace, min_length, stop_words, negations)``;
- an encoding: ``(weighting, norm, dtype, n_threads)``;
- a lexicon, n-grams by number: their bytes, where each starts, and the slots that ``index_ngrams`` makes.

Sentences (``rosenblatt.sequences`` has them) are a tuple of columns, lists of ``str``, and where each sentence starts,
``TokenTemplates(((text, ((row, column, ((function, n), …), text), …)), …), named_edges)`` are templates of features.

``measure_lines``, ``read_lines``, ``csv_rows``, ``cut_csv`` and ``hash_texts`` read files; ``arrow_strings``
hands text on; rosenblatt.data says how. ``place_features`` is of rosenblatt.core.places, ``share_rows`` of
rosenblatt.model_files.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._native import ClassCounts as ClassCounts
from .._native import ClassLists as ClassLists
from .._native import CsrRows as CsrRows
from .._native import DenseRows as DenseRows
from .._native import GramRows as GramRows
from .._native import Links as Links
from .._native import Model as Model
from .._native import Rule as Rule
from .._native import Sentences as Sentences
from .._native import Tally as Tally
from .._native import TokenTemplates as TokenTemplates
from .._native import arrow_strings as arrow_strings
from .._native import count_columns as count_columns
from .._native import csv_rows as csv_rows
from .._native import cut_csv as cut_csv
from .._native import decide_one as decide_one
from .._native import decode as decode
from .._native import equal_rows as equal_rows
from .._native import gather_feature_names as gather_feature_names
from .._native import gather_ngrams as gather_ngrams
from .._native import hash_feature as hash_feature
from .._native import hash_ngrams as hash_ngrams
from .._native import hash_text as hash_text
from .._native import hash_texts as hash_texts
from .._native import index_ngrams as index_ngrams
from .._native import k_best as k_best
from .._native import keep_freed_memory as keep_freed_memory
from .._native import learn as learn
from .._native import learn_one as learn_one
from .._native import learn_sentences as learn_sentences
from .._native import list_ngrams as list_ngrams
from .._native import look_up_text as look_up_text
from .._native import measure_lines as measure_lines
from .._native import named_token_rows as named_token_rows
from .._native import place_features as place_features
from .._native import populate as populate
from .._native import read_lines as read_lines
from .._native import score as score
from .._native import score_one as score_one
from .._native import share_rows as share_rows
from .._native import token_feature_names as token_feature_names
from .._native import token_rows as token_rows
from .._native import unicode_version as unicode_version
from .._native import weigh_by_table as weigh_by_table
from .._native import weigh_columns as weigh_columns
from ..errors import DataError
from .strides import stride_of as stride_of

#: The types that numbers are kept in, and the largest number of each.
_LARGEST = {np.dtype(kind): float(np.finfo(kind).max) for kind in (np.float32, np.float64)}
#: More columns than these are numbered anew before rows are multiplied.
_MANY = 1 << 22

Array = NDArray[Any]
View = Union[DenseRows, CsrRows]


class Rows(NamedTuple):
    """Rows that were looked at once: finite, in canonical form, with squares that do not overflow."""

    view: View
    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    largest: float  # max |x|
    is_mapped: bool = False  # the columns of the view are places in a learner's arrays (rosenblatt.core.places)

    def radius2(self, order: Array | None = None) -> float:
        """R² without the bias feature, max ‖x‖² over the rows in ``order`` (None: all): one reading of the data."""
        return self.view.radius2(order)

    def features_of(self, n_rows: int) -> Array | None:
        """The features that the first rows have, some of them more than once; None: all of them."""
        view = self.view
        return None if view.is_dense else np.asarray(view.indices[view.indptr[0] : view.indptr[n_rows]])

    def radius(self, order: Array | None = None) -> float:
        """R, also where the squares would vanish: the numbers are scaled up until they do not."""
        square, scale = self.radius2(order), 1.0
        while square < 1e-250 and self.largest and scale < 2.0**1000:
            scale *= 2.0**250
            with np.errstate(over="ignore"):  # of rows that are not in the order
                data = self.view.data.astype(np.float64) * scale
            view = self.view
            scaled = DenseRows(data) if view.is_dense else CsrRows(view.indptr, view.indices, data, view.n_features)
            square = scaled.radius2(order)
        return float(np.sqrt(square)) / scale

    def depth(self, order: Array | None = None) -> int:
        """How many roundings lie between a score and its terms: those of a lane, of the tree, of product and bias.

        A lane has as many terms as there are numbers in a row, or blocks of 16 columns up to its last one, at most.
        Zeros round nothing and do not count, so that a row has the same depth in every container.
        """
        return max(1, self.view.terms_in_lane(order)) + 6


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse matrices or arrays (without importing SciPy)."""
    return hasattr(type(X), "tocsr") and hasattr(type(X), "nnz")


def admit(X: Any, dtype: Any = None, names: Any = None) -> Rows:
    """Rows of a 2-D array or SciPy sparse matrix, without a copy where they are floats in C order or canonical CSR.

    Refuses NaN, infinity and numbers whose squares overflow, naming row and column.
    """
    dtype = np.dtype(np.float64 if X.dtype not in _LARGEST else X.dtype) if dtype is None else np.dtype(dtype)
    view: View
    if is_sparse(X):
        view = csr(X, dtype)
    elif X.dtype == dtype:
        view = DenseRows(np.ascontiguousarray(X))
    else:
        with np.errstate(over="ignore"):  # what overflows is named below
            view = DenseRows(np.ascontiguousarray(X, dtype))
    largest = view.largest()
    if not view.is_dense and not view.is_canonical and not math.isnan(largest):
        if hasattr(X, "sorted_indices"):  # SciPy sorts fast, but adds duplicates in any order
            view = csr(X.tocsr().sorted_indices(), dtype)
        if not view.is_canonical:
            view = _canonical(csr(X, dtype))
            largest = view.largest()
    if math.isnan(largest):
        raise _not_finite(X, view, names)
    if largest * largest * X.shape[1] > _LARGEST[dtype] and not np.isfinite(view.radius2()):
        problem = f"the squared norm overflows {dtype} (max |x| is {largest:g})"
        raise DataError(problem, "scale X down", row=_longest(view, largest))
    return Rows(view, X.shape[0], X.shape[1], dtype, largest)


def csr(X: Any, dtype: Any = None) -> CsrRows:
    """The arrays of a sparse matrix as CSR, or of a dense one without its zeros."""
    if not is_sparse(X):
        return _compressed(X)
    check_sparse(X, columns=False)
    X, dtype = X.tocsr(), X.dtype if dtype is None else dtype
    index = np.int32 if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32 else np.int64
    n_entries = int(X.indptr[-1])  # arrays may have room for more
    indptr = np.ascontiguousarray(X.indptr, index)
    indices: Array = np.ascontiguousarray(X.indices[:n_entries], index)
    with np.errstate(over="ignore"):
        data = np.ascontiguousarray(X.data[:n_entries], dtype)
    try:
        return CsrRows(indptr, indices, data, X.shape[1])
    except ValueError:
        outside = np.flatnonzero((indices < 0) | (indices >= X.shape[1]))
        row = _row_of(indptr, outside[0])
        problem = f"Input X has a column index outside its {X.shape[1]} columns"
        raise DataError(problem, "rebuild the matrix", row=row) from None


def check_sparse(X: Any, columns: bool = True) -> None:
    """Refuse a sparse matrix whose arrays do not fit together: SciPy's own operations would read beyond them.

    ``columns=False`` leaves the columns of CSR rows to ``CsrRows``, which checks them as it is made.
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


def _compressed(X: Array) -> CsrRows:
    starts = np.concatenate(([0], np.cumsum(np.count_nonzero(X, axis=1))))
    columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], X.dtype)
    _native.compress(DenseRows(np.ascontiguousarray(X)), starts, columns, values)
    small = starts[-1] <= np.iinfo(np.int32).max
    return CsrRows(
        starts.astype(np.int32) if small else starts,
        columns if small else columns.astype(np.int64),
        values,
        X.shape[1],
    )


def _canonical(view: CsrRows) -> CsrRows:
    """Sort each row by column and add duplicates in the order they are stored, as a dense array would."""
    indptr, indices, data = view.indptr, view.indices, view.data
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    by_place = np.lexsort((indices, rows))  # stable: storage order within a place
    rows, columns = rows[by_place], indices[by_place]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    summed = np.zeros(int(first.sum()), dtype=data.dtype)
    np.add.at(summed, np.cumsum(first) - 1, data[by_place])  # one at a time, in order
    counts = np.bincount(rows[first], minlength=len(indptr) - 1)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(indptr.dtype)
    return CsrRows(starts, np.ascontiguousarray(columns[first]), summed, view.n_features)


def _row_of(indptr: Array, entry: int) -> int:
    """The row of a CSR entry."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def _longest(view: View, largest: float) -> int:
    """The row of the largest norm."""
    squares = np.square(view.data / largest, dtype=np.float64)
    if view.is_dense:
        return int(np.argmax(squares.sum(axis=1)))
    rows = np.repeat(np.arange(view.n_rows), np.diff(view.indptr))
    return int(np.argmax(np.bincount(rows, squares)))


def _not_finite(X: Any, view: View, names: Any) -> DataError:
    """The first NaN or infinity, and where it is."""
    if view.is_dense:
        row, column = (int(place) for place in np.argwhere(~np.isfinite(view.data))[0])
        value, original = view.data[row, column], np.asarray(X)[row, column]
    else:
        entry = int(np.flatnonzero(~np.isfinite(view.data))[0])
        row, column, value = _row_of(view.indptr, entry), int(view.indices[entry]), view.data[entry]
        original = X.tocsr()[row, column]
    error = DataError("", row=row, column=column, name=None if names is None else names[column])
    if np.isfinite(original):
        return error.at(problem=f"Input X overflows {value.dtype}: it holds {original:g}", remedy="scale X down")
    what = "NaN" if np.isnan(value) else "infinity (inf)"
    return error.at(problem=f"Input X contains {what}", remedy="remove or impute such values first")


def product(A: Any, B: Any) -> Array:
    """``A·Bᵀ`` of blocks of which one at least is sparse, on all cores: zeros cost nothing."""
    a, b = csr(A), csr(B)
    if a.n_features > _MANY:  # the core keeps a number for each column
        columns = np.unique(a.indices)
        a, b = select_columns(a, columns), select_columns(b, columns)
    if a.indices.dtype != b.indices.dtype or a.data.dtype != b.data.dtype:
        a, b = (_retyped(view, np.int64, a.data.dtype) for view in (a, b))
    out = np.empty((a.n_rows, b.n_rows), a.data.dtype)
    _native.product(a, b, out, threads())
    return out


def _retyped(view: CsrRows, index: Any, dtype: Any) -> CsrRows:
    return CsrRows(view.indptr.astype(index), view.indices.astype(index), view.data.astype(dtype), view.n_features)


def select_columns(view: CsrRows, columns: Array) -> CsrRows:
    """CSR rows with these columns alone, ascending, which are numbered from 0."""
    indptr, indices = view.indptr, view.indices
    place = np.minimum(np.searchsorted(columns, indices), max(len(columns) - 1, 0))
    kept = columns[place] == indices if len(columns) else np.zeros(len(indices), bool)
    ends = np.concatenate(([0], np.cumsum(kept)))[indptr].astype(indptr.dtype)
    return CsrRows(ends, place[kept].astype(indices.dtype), view.data[kept], len(columns))


def threads() -> int:
    """How many cores this process may use: those it is bound to, at most ``OMP_NUM_THREADS``."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(bound, int(asked)) if asked.isdigit() and int(asked) else bound


_MOST_THREADS = 1024  # more than there are cores to run them


def threads_for(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` asks for: a number of them; -1 or None for all cores, -2 for all but one."""
    n_jobs = -1 if n_jobs is None else int(n_jobs)
    return min(n_jobs, _MOST_THREADS) if n_jobs > 0 else max(1, threads() + 1 + n_jobs)


def rows_in_use(arrays: Sequence[Array]) -> Array:
    """The rows in which any number of any of these tables is set, ascending; −0 is, too."""
    n_rows = len(arrays[0])
    out = np.empty(n_rows, np.int32 if n_rows < 1 << 31 else np.int64)
    return out[: _native.rows_in_use([array.view(np.uint8) for array in arrays], out, threads())]


def distinct(numbers: Sequence[Array], below: int) -> Array:
    """The different ones of arrays of int32 numbers from 0 to ``below`` − 1, ascending."""
    flags = np.zeros((below, 1), np.uint8)
    for some in numbers:
        _native.set_flags(some, flags[:, 0])
    return rows_in_use([flags])


def take_rows(table: Array, rows: Array) -> Array:
    """These rows of a table of numbers."""
    out = np.empty((len(rows), table.shape[1]), table.dtype)
    _native.take_rows(table.view(np.uint8), rows, out.view(np.uint8), threads())
    return out


def pairs_in_use(tables: Sequence[Array], order: slice | Array = slice(None)) -> tuple[Array, Array, list[Array]]:
    """The vectors, columns, that have a number other than 0 in any of these tables, row by row in this order.

    Where those of each row begin, and the last ones end; which they are, ascending in each row; and the numbers of each
    table. −0 is not 0.
    """
    n_vectors, rows = tables[0].shape[1], np.arange(len(tables[0]))[order]
    held, n_threads = [table.view(np.uint8) for table in tables], threads()
    starts = np.zeros(len(rows) + 1, np.int64)
    _native.count_pairs(held, n_vectors, rows, starts[1:], n_threads)
    np.cumsum(starts, out=starts)
    vectors, numbers = np.empty(starts[-1], np.int32), [np.empty(starts[-1], table.dtype) for table in tables]
    room = [values.view(np.uint8) for values in numbers]
    _native.take_pairs(held, n_vectors, rows, starts, vectors, room, n_threads)
    return starts, vectors, numbers


def squares(weights: Array) -> Array:
    """Σ w² of each column, in double precision."""
    out = np.empty(weights.shape[1])
    _native.squares(np.ascontiguousarray(weights), out)
    return out


def add_squares(weights: Array, order: Array, out: Array) -> None:
    """Add Σ w² of each of several columns over these rows, in order, as ``squares`` goes on."""
    _native.add_squares(weights, order, out)


def average(weights: Array, total: Array, visited: int, out: Array) -> None:
    """The averaged readout after so many examples, ``weights − total/visited``, into ``out``."""
    _native.average(weights, total, visited, out, threads())


def zeros(n_rows: int, stride: int, dtype: Any) -> Array:
    """Zeros of (n_rows, stride) placed so that row 1, the first feature, starts a cache line."""
    dtype = np.dtype(dtype)
    line = 64 // dtype.itemsize
    raw = np.zeros(n_rows * stride + line, dtype)
    skip = (-(raw.ctypes.data // dtype.itemsize) - stride) % line
    return raw[skip : skip + n_rows * stride].reshape(n_rows, stride)
