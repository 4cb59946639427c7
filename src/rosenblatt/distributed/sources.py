"""Data as shards: what each is called, and a promise of its examples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import labels
from ..core.engine import check_sparse, is_sparse
from ..core.learner import Learner
from ..data.features import SECTION as FEATURES
from ..data.features import Section
from ..errors import DataError
from . import in_memory
from .cluster import Workers
from .in_memory import Coding, Examples, Look
from .tasks import at_shard

Array = NDArray[Any]


class Data:
    """Data as shards, on workers."""

    names: list[str]
    learns = False  # what makes rows, in the first pass
    section_name = FEATURES  # of a model file, which says what makes rows

    def look(self, regression: bool, needed: bool) -> list[Look]:
        """What each shard holds; where labels are not ``needed``, perhaps only what one is like."""
        raise NotImplementedError

    def prepare(self, learner: Learner, coding: Coding) -> None:
        """Tell a learner that has its first weights what else the looks have settled."""

    def ready(self, coding: Coding, learned: Section | None) -> list[Any]:
        """Promises of the shards; ``learned`` by what makes rows, in a run that goes on."""
        raise NotImplementedError

    def settle(self, learned: list[Any]) -> list[Any]:
        """Promises of the shards from the second pass on, by what was learned in the first."""
        raise NotImplementedError

    def section(self) -> Section | None:
        """What makes rows, and what it has learned; None: rows came as they are."""
        return None

    def open_held_out(self, held_out: Any) -> None:
        """Take what is held out; says what is wrong with it."""
        raise NotImplementedError

    def judged(self, coding: Coding) -> list[tuple[str, Any]]:
        """Names and promises of held-out shards, by what was learned until now."""
        raise NotImplementedError


class Rows(Data):
    """Rows that are there as numbers: arrays, sparse matrices, frames, whole or as pieces of a Dask collection."""

    def __init__(self, workers: Workers, data: Any, y: Any, weight: Any, shards: int | None, regression: bool) -> None:
        self._workers, self._regression = workers, regression
        self._promises = self._examples(data, y, weight, shards, "shard")
        self.names = [f"shard {i}" for i in range(len(self._promises))]
        self._held_out: list[Any] = []

    def _examples(self, data: Any, y: Any, weight: Any, shards: int | None, name: str) -> list[Any]:
        if isinstance(data, tuple) and len(data) == 2 and y is None:
            data, y = data
        if y is None:
            raise ValueError("there are no labels: give (X, y), or y=…")
        pieces = (_pieces if _is_dask(data) else _cut)(data, y, weight, shards, self._workers)
        return [
            self._workers.submit(examples_of, f"{name} {i}", *parts, self._regression, shard=i)
            for i, parts in enumerate(pieces)
        ]

    def look(self, regression: bool, needed: bool) -> list[Look]:
        looks = self._workers.gather([self._workers.submit(in_memory.look, one, regression) for one in self._promises])
        widths = sorted({look.n_features for look in looks})
        if len(widths) > 1 or len({tuple(look.names or ()) for look in looks}) > 1:
            raise ValueError(f"the shards have different columns: {widths[0]} in one, {widths[-1]} in another")
        return looks

    def ready(self, coding: Coding, learned: Section | None) -> list[Any]:
        rows, self._promises = self._promises, []  # what is ready is enough to keep
        return [
            self._workers.submit(in_memory.ready, one, coding, name, shard=i)
            for i, (one, name) in enumerate(zip(rows, self.names))
        ]

    def open_held_out(self, held_out: Any) -> None:
        if not (isinstance(held_out, tuple) and len(held_out) == 2):
            raise TypeError("held_out must be (X, y), as the data are rows")
        self._held_out = self._examples(held_out, None, None, None if _is_dask(held_out[0]) else 1, "held-out shard")

    def judged(self, coding: Coding) -> list[tuple[str, Any]]:
        names = [f"held-out shard {i}" for i in range(len(self._held_out))]
        submit = self._workers.submit
        return [(name, submit(in_memory.ready, one, coding, name, False)) for name, one in zip(names, self._held_out)]


def _is_dask(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr") or hasattr(data, "__dask_graph__")


# ---- arrays and frames ---------------------------------------------------------------------------------------------


def _cut(X: Any, y: Any, weight: Any, shards: int | None, workers: Workers) -> list[Any]:
    """Rows that are here, cut into as many shards as were asked for."""
    if shards is None:
        raise ValueError("say into how many shards the rows are to be cut: shards=…")
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    check_count("shards", shards)
    if shards > n:
        raise ValueError(f"{n} rows cannot be cut into {shards} shards; ask for fewer")
    y = np.asarray(y)
    weight = None if weight is None else np.asarray(weight)
    for name, values in (("y", y), ("sample_weight", weight)):
        if values is not None and (values.ndim == 0 or len(values) != n):
            raise ValueError(f"X has {n} rows, and {name} has the shape {values.shape}; give one for each row")
    edges = [i * n // shards for i in range(shards + 1)]

    def part(values: Any, a: int, b: int) -> list[Any]:
        rows = values.iloc[a:b] if hasattr(values, "iloc") else values[a:b]
        return [workers.hold(rows)]

    if not hasattr(X, "iloc"):
        if is_sparse(X):
            check_sparse(X)
        X = X.tocsr() if is_sparse(X) else np.asarray(X)
    return [(part(X, a, b), part(y, a, b), None if weight is None else part(weight, a, b)) for a, b in pairwise(edges)]


def _pieces(X: Any, y: Any, weight: Any, shards: int | None, workers: Workers) -> list[Any]:
    """Chunks of a Dask collection, each a shard, or neighbours together."""
    if isinstance(y, str):
        if not hasattr(X, "columns"):
            raise TypeError(f"y={y!r} names a column, and X has none; give y as a dask array")
        X, y = X.drop(columns=[y]), X[y]
    columns = [X, y] if weight is None else [X, y, weight]
    for name, values in zip(("X", "y", "sample_weight"), columns):
        if not _is_dask(values):
            raise TypeError(f"{name} must be a dask collection as X is, chunked alike; got {type(values).__name__}")
    if len(getattr(X, "chunks", ())) == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    known = getattr(X, "chunks", ((np.nan,),))[0]
    delayed = []
    for values in [X, *columns[1:]]:
        own = getattr(values, "chunks", ((np.nan,),))[0]
        if own != known and not np.isnan([*own, *known]).any():
            values = values.rechunk({0: known})
        delayed.append(np.ravel(np.asarray(values.to_delayed(), dtype=object)).tolist())
    if len({len(parts) for parts in delayed}) > 1:
        counts = " and ".join(str(len(parts)) for parts in delayed)
        raise ValueError(f"X and y are cut into {counts} pieces; chunk them alike, or use .compute_chunk_sizes()")
    promised = [workers.parts(parts) for parts in delayed]
    groups = dealt(range(len(delayed[0])), shards)
    return [
        tuple([parts[i] for i in group] for parts in promised) + ((None,) if weight is None else ()) for group in groups
    ]


def dealt(items: Sequence[Any], shards: int | None) -> list[list[Any]]:
    """Neighbours together in this many shards; None: each by itself."""
    if shards is None:
        return [[item] for item in items]
    check_count("shards", shards)
    n = len(items)
    if shards > n:
        raise ValueError(f"there are {n} pieces, which cannot be dealt into {shards} shards; ask for fewer")
    edges = [i * n // shards for i in range(shards + 1)]
    return [list(items[a:b]) for a, b in pairwise(edges)]


def check_count(name: str, value: Any) -> None:
    """Refuse what is no whole number of at least 1."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number >= 1, got {value!r}")


# ---- on the worker -------------------------------------------------------------------------------------------------


def examples_of(name: str, X: list[Any], y: list[Any], weight: list[Any] | None, regression: bool) -> Examples:
    """The pieces of a shard as its examples."""
    with at_shard(name):
        names = list(X[0].columns) if hasattr(X[0], "columns") else None
        rows = _joined([_numbers(part) for part in X])
        targets = np.concatenate([np.asarray(part) for part in y])
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = targets[:, 0]
        weights = None if weight is None else np.concatenate([np.asarray(part, np.float64) for part in weight])
        if targets.ndim != 1 or len(targets) != rows.shape[0]:
            raise ValueError(f"X has {rows.shape[0]} rows, and y has the shape {targets.shape}; give one label per row")
        if rows.shape[0] == 0:
            raise ValueError("there are no rows")
        targets = labels.targets(targets, regression)
        if weights is not None:
            _check_weights(weights, len(targets))
        return Examples(rows, targets, weights, names)


def _numbers(part: Any) -> Any:
    if is_sparse(part):
        return part.tocsr()
    rows = np.asarray(part)
    if rows.ndim != 2:
        raise ValueError(f"X must have two dimensions, and has the shape {rows.shape}")
    if rows.dtype.kind not in "biuf":
        rows = rows.astype(np.float64)
    return rows


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if any(is_sparse(part) for part in parts):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    return np.concatenate(parts)


def _check_weights(weight: Array, n_rows: int) -> None:
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight must hold one weight per row, {n_rows}; got the shape {weight.shape}")
    wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(f"sample_weight must be finite and not negative, but is {weight[row]:g}", row=row)
