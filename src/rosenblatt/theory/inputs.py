"""What the theory is asked about: a table X, labels y, and weights (w, b), read once and refused in one sentence."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine, labels
from ..errors import DataError

Array = NDArray[Any]

EPS = float(np.finfo(np.float64).eps)
_SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
_BLOCK_NUMBERS = 1 << 21  # a block that has to be converted holds about this many numbers


def table(X: Any) -> Any:
    """X as a 2-D array or a CSR matrix, its numbers as they were given."""
    if engine.is_sparse(X):
        engine.check_sparse(X)
        X = X.tocsr()
    else:
        if hasattr(X, "to_pandas") and not hasattr(X, "to_numpy"):  # an Arrow table has no array form of its own
            X = X.to_pandas()
        try:
            X = np.asarray(X)
        except ValueError:
            raise ValueError("X must be a table: its rows have different lengths") from None
    if X.ndim != 2:
        hint = "; one column is X.reshape(-1, 1), one row X.reshape(1, -1)" if X.ndim == 1 else ""
        raise ValueError(f"X must be a table of rows and columns, got {X.ndim} dimension(s){hint}")
    if X.shape[0] == 0:
        raise ValueError("X has no rows")
    if X.dtype.kind not in "biufO":
        raise ValueError(f"X must hold real numbers, got {X.dtype}")
    return X


def as_floats(X: Any) -> Any:
    """The numbers of a table as float64, without a copy where they are."""
    try:
        return X.astype(np.float64) if X.dtype != np.float64 else X
    except (TypeError, ValueError, OverflowError):
        for row, column in np.ndindex(*X.shape):
            try:
                float(X[row, column])
            except (TypeError, ValueError, OverflowError):
                problem = f"X must hold numbers, got {X[row, column]!r}"
                raise DataError(problem, row=row, column=column) from None
        raise


def centred(X: Any) -> tuple[Any, Array]:
    """A dense table as float64 less its first row, and that row: what a large offset hides in floats comes out."""
    if X.dtype.kind in "bu":
        X = X.astype(np.int64 if X.dtype.itemsize < 8 else object)
    return as_floats(X - X[0]), np.asarray(X[0], dtype=np.float64)


def float_blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """A table as float64: whole where it is that already, else converted a block at a time, never all of it."""
    ready = X.dtype == np.float64 and (engine.is_sparse(X) or X.flags.c_contiguous)
    size = X.shape[0] if ready else max(1, _BLOCK_NUMBERS // max(1, X.shape[1]))
    for start in range(0, X.shape[0], size):
        part = slice(start, min(start + size, X.shape[0]))
        yield part, as_floats(X if ready else X[part])


def blocks(X: Any) -> Iterator[tuple[slice, engine.Rows]]:
    """A table as rows that the native core takes, block by block."""
    for part, block in float_blocks(X):
        try:
            rows = engine.admit(block)
        except ValueError:
            engine.admit(as_floats(X))  # says in which row of the whole
            raise
        yield part, rows


class Labels(NamedTuple):
    """The classes of y and the code of each row; two classes: 1 is y = +1."""

    classes: Array
    codes: Array

    @property
    def signs(self) -> Array:
        return np.where(self.codes == 1, 1.0, -1.0)

    def pair(self, first: int, second: int) -> tuple[Array, Labels]:
        """The rows of two of the classes, and their labels."""
        rows = np.flatnonzero((self.codes == first) | (self.codes == second))
        return rows, Labels(self.classes[[first, second]], (self.codes[rows] == second).astype(np.int8))


def encode_labels(y: Any, n_rows: int) -> Labels:
    """Labels of the rows: −1 and +1 as they are, any two others or more in sorted order."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (n_rows,):
        raise ValueError(f"y must hold one label per row, shape ({n_rows},); got {y.shape}")
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError(f"y[{int(np.flatnonzero(~np.isfinite(y))[0])}] is not a label: {y[~np.isfinite(y)][0]}")
    classes = labels.distinct(y)
    if y.dtype.kind in "if" and set(classes.tolist()) <= {-1, 1}:
        classes = np.array([-1, 1], y.dtype)
    if len(classes) < 2:
        raise ValueError(f"y holds only one class, {classes.tolist()[0]!r}; two are needed (or labels −1 and +1)")
    codes = labels.encode(y, classes)
    if np.any(codes < 0):
        row = int(np.flatnonzero(codes < 0)[0])
        raise ValueError(f"y[{row}] is not a label: {y[row]!r} does not equal itself")
    return Labels(classes, codes)


class Weights(NamedTuple):
    """Weights as (n_vectors, n_features) and (n_vectors,)."""

    w: Array
    b: Array

    @property
    def n_vectors(self) -> int:
        return len(self.w)

    def norm(self, constant: float) -> float:
        """‖w‖, or with a constant feature s > 0 ``‖(w, b/s)‖``, whose product with (x, s) is the score."""
        return math.hypot(*self.w.ravel().tolist(), *((self.b / constant).tolist() if constant else ()))


def as_weights(w: Any, b: Any, n_features: int, n_classes: int = 2, name: str = "w") -> Weights:
    """Weights of the right shape: one vector for two classes, one per class for more.

    ``w`` may also be a fitted estimator, or anything that has ``w`` and ``b``.
    """
    if hasattr(w, "coef_") and hasattr(w, "intercept_"):
        w, b = w.coef_, w.intercept_
    elif hasattr(w, "w") and hasattr(w, "b"):
        w, b = w.w, w.b
    try:
        vectors = np.atleast_2d(np.asarray(w, dtype=np.float64))
        biases = np.atleast_1d(np.asarray(b, dtype=np.float64)).ravel()
    except (TypeError, ValueError):
        shown = f"{reprlib.repr(w)} and {reprlib.repr(b)}"
        raise ValueError(f"{name} and its bias must be numbers, got {shown}") from None
    n_vectors = 1 if n_classes == 2 else n_classes
    if vectors.shape != (n_vectors, n_features):
        shape = f"({n_features},)" if n_vectors == 1 else f"({n_vectors}, {n_features}), one row per class"
        raise ValueError(f"{name} must have the shape {shape}, to match X and y; got {np.shape(w)}")
    if len(biases) == 1:
        biases = np.repeat(biases, n_vectors)
    if len(biases) != n_vectors:
        raise ValueError(f"the bias of {name} must be one number{' per class' * (n_vectors > 1)}, got {np.shape(b)}")
    if not (np.all(np.isfinite(vectors)) and np.all(np.isfinite(biases))):
        raise ValueError(f"{name} or its bias contains NaN or infinity")
    return Weights(vectors, biases)


def scores(X: Any, weights: Weights) -> Array:
    """``w·x + b`` of every row: (n_rows, n_vectors), by the native core, without a copy of the data."""
    k = weights.n_vectors
    stacked = engine.zeros(1 + X.shape[1], engine.stride_of(k), np.float64)
    stacked[1:, :k], stacked[0, :k] = weights.w.T, weights.b
    out = np.empty((X.shape[0], k))
    model = engine.Model(form="binary" if k == 1 else "multiclass", weights=stacked, n_vectors=k)
    for part, rows in blocks(X):
        engine.score(rows=rows.view, model=model, out=out[part])
    return out


def functional_margins(X: Any, known: Labels, weights: Weights) -> Array:
    """``y·(w·x + b)`` of every row; several classes: ``s_y − s_r`` against the best wrong class r."""
    return margins_of(scores(X, weights), known)


def margins_of(scores: Array, known: Labels) -> Array:
    """The same from the scores of every row, which change."""
    if scores.shape[1] == 1:
        return np.asarray(scores[:, 0] * known.signs)
    right = np.take_along_axis(scores, known.codes[:, None].astype(np.intp), axis=1)[:, 0]
    np.put_along_axis(scores, known.codes[:, None].astype(np.intp), -np.inf, axis=1)
    return np.asarray(right - scores.max(axis=1))


def rounding_of_margins(X: Any, weights: Weights) -> float:
    """How far a margin in floats can be off: roundings of a lane, of the tree, of reading the numbers, and underflow.

    Infinity where a score may have overflowed.
    """
    with np.errstate(over="ignore"):
        size = weights.norm(False) * radius(X) + float(np.abs(weights.b).max())
    lost = 4 * (X.shape[1] + 2) * _SMALLEST  # a product that underflows, a number that is read as 0
    off = 2 * EPS * (-(-X.shape[1] // 16) + 12) * size + lost
    return float(off) if size < 1e300 else np.inf


def radius2(X: Any) -> float:
    """R² = max ‖x‖², without the bias feature."""
    return max(rows.radius2() for _, rows in blocks(X))


def radius(X: Any) -> float:
    """R = max ‖x‖; numbers whose squares would vanish are scaled up first."""
    largest = math.sqrt(radius2(X))
    if largest > 1e-140:
        return largest
    scale = 2.0**500
    return max((math.sqrt(engine.admit(block * scale).radius2()) for _, block in float_blocks(X)), default=0.0) / scale


def kernel_values(kernel: Any, X: Any) -> Callable[[slice, slice], Array]:
    """The kernel of some rows with others, both as slices; a precomputed one is read from X."""
    if kernel.name == "precomputed":
        X = X.toarray() if engine.is_sparse(X) else X
        return lambda a, b: np.asarray(X[a, b] + X.dtype.type(kernel.bias))
    return lambda a, b: np.asarray(kernel.matrix(X[a], X[b]))


def coefficients(model: Any, n_rows: int, name: str) -> Array:
    """What a model fitted in kernel space has for each of the rows that it was fitted on: (n_vectors, n_rows)."""
    if not hasattr(type(model), "dual_coef_"):
        expected = f"{name} must be coefficients of the rows, or a model fitted on them in kernel space"
        raise ValueError(f"{expected}; got {type(model).__name__}")
    support, dual = model.support_, model.dual_coef_
    if len(support) and support.max() >= n_rows:
        raise ValueError(f"{name} was fitted on other rows: it keeps row {support.max()}, but there are {n_rows}")
    dense = np.zeros((len(dual), n_rows), dual.dtype)
    dense[:, support] = dual
    return dense
