"""What a trace learns from: rows as a pipeline makes them, narrowed to the columns in use, with the names of these."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import engine
from ..core.reference import LANES

#: More columns than this are narrowed to those in use.
WIDE = 1000
#: More numbers than this are too many to show.
MOST = 20_000_000

NamesOf = Callable[[Sequence[int]], list[str]]


def transformed(pipeline: Any, X: Any, y: Any) -> tuple[Any, NamesOf | None]:
    """The rows that the last step of a pipeline learns from, and what names their columns, if anything does."""
    steps = [copy.deepcopy(step) for _, step in pipeline.steps[:-1] if hasattr(step, "fit_transform")]
    if not steps:
        return X, None
    *before, last = steps
    if hasattr(last, "keep_names"):  # of hashed words the words are wanted
        last.set_params(keep_names=True)
    for step in before:
        X = step.fit_transform(X, y)
    X = last.fit_transform(X, y)
    if hasattr(last, "keep_names"):
        return X, lambda columns: [" | ".join(names) for names in last.names_of(columns)]
    try:
        names = np.asarray(last.get_feature_names_out())
    except (AttributeError, ValueError):  # a step that has no names to give
        return X, None
    return X, lambda columns: [str(names[column]) for column in columns]


class Narrowed:
    """Sparse rows of many columns as rows of those in use, in the same lanes, so that sums are rounded alike.

    Attributes
    ----------
    X : CSR matrix
        The rows. Columns that only keep the others in their lanes are 0.
    names : list of str
        Of its columns; "#7" where column 7 has no name.
    """

    def __init__(self, X: Any, names_of: NamesOf | None) -> None:
        X = X.tocsr()
        self.width, used = X.shape[1], np.unique(X.indices)
        lanes = used % LANES
        in_lane = np.array([np.count_nonzero(lanes[:i] == lane) for i, lane in enumerate(lanes)], np.int64)
        places = LANES * in_lane + lanes
        width = LANES * (1 + int(in_lane.max(initial=0)))
        self.X = type(X)((X.data, places[np.searchsorted(used, X.indices)], X.indptr), shape=(X.shape[0], width))
        self.X.sort_indices()
        self.names = [""] * width
        self.used, self.places = used, places
        given = names_of(used.tolist()) if names_of is not None else [""] * len(used)
        for place, column, name in zip(places.tolist(), used.tolist(), given):
            self.names[place] = name or f"#{column}"

    def widened(self, coef: NDArray[Any]) -> NDArray[Any]:
        """Weights of the columns in use as weights of all columns."""
        wide = np.zeros((*coef.shape[:-1], self.width), coef.dtype)
        wide[..., self.used] = coef[..., self.places]
        return wide


def narrowed(X: Any, names_of: NamesOf | None, from_zero: bool) -> Narrowed | None:
    """Rows of many columns narrowed; None where they are few, or where the run needs them all."""
    n, d = X.shape if hasattr(X, "shape") and len(X.shape) == 2 else (0, 0)
    if d > WIDE and engine.is_sparse(X) and from_zero:
        return Narrowed(X, names_of)
    if n * d > MOST:
        raise ValueError(
            f"a trace keeps every number of X, and {n:,} × {d:,} are too many; rows of many columns can be traced in "
            "linear space as a sparse matrix, from zero and without a separator"
        )
    return None
