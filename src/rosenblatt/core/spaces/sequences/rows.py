"""Sentences as a learner takes them: rows of tokens, which are rows of features."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import DataError
from ... import engine

Array = NDArray[Any]


@dataclass(frozen=True)
class SentenceRows:
    """Sentences whose features were looked at once: finite, and columns that are there.

    Parameters
    ----------
    starts : array of int64
        Sentence i has the tokens ``starts[i]`` to ``starts[i + 1] − 1``.
    indptr, indices : arrays of int64 and int32
        Token t has the features ``indices[indptr[t]:indptr[t + 1]]``, ascending, none twice.
    data : array or None
        Their numbers; None: all are 1.
    n_columns : int
        How many columns of features there are.
    dtype : dtype
        The type of the weights.
    view : Sentences or None
        The same for native calls; None until a learner has said where the columns are among its weights.
    """

    starts: Array
    indptr: Array
    indices: Array
    data: Array | None
    n_columns: int
    dtype: np.dtype[Any]
    view: Any = None

    @property
    def n_rows(self) -> int:
        return len(self.starts) - 1

    @property
    def n_tokens(self) -> int:
        return len(self.indptr) - 1

    @property
    def n_features(self) -> int:
        return self.n_columns

    @property
    def is_mapped(self) -> bool:
        return self.view is not None

    def seen_at(self, indices: Array, n_features: int) -> SentenceRows:
        """The same sentences, with these places of their features in place of columns, for native calls."""
        view = engine.Sentences(self.starts, self.indptr, indices, self.data, n_features)
        return replace(self, indices=indices, view=view)

    # ---- how long feature vectors are ----------------------------------------------------------------------------

    def lengths(self, order: Array | None = None) -> tuple[Array, Array]:
        """Of each sentence in ``order`` (None: all) its number of tokens, and Σ_t ‖φ_t‖."""
        if self.data is None:
            squares = np.diff(self.indptr).astype(np.float64)
        else:
            ends = np.concatenate(([0.0], np.cumsum(np.square(self.data, dtype=np.float64))))
            squares = np.maximum(ends[self.indptr[1:]] - ends[self.indptr[:-1]], 0.0) * (1 + 1e-9) + 1e-300
        sums = np.concatenate(([0.0], np.cumsum(np.sqrt(squares))))
        tokens, norms = np.diff(self.starts), (sums[self.starts[1:]] - sums[self.starts[:-1]]) * (1 + 1e-9)
        return (tokens, norms) if order is None else (tokens[order], norms[order])

    def radius2(self, order: Array | None = None) -> float:
        """A bound on R² = max ‖Φ(x, y) − Φ(x, z)‖² over all sentences and sequences: each Φ is at most half as long."""
        tokens, norms = self.lengths(order)
        return float(4 * (np.square(norms) + np.square(tokens + 1.0)).max(initial=0.0))

    def radius(self, order: Array | None = None) -> float:
        """Its root."""
        return math.sqrt(self.radius2(order))

    def check_norms(self) -> None:
        """Refuse numbers so large that the squared norm of a difference may overflow: no step could be made of it."""
        if self.data is None:
            return
        large = np.flatnonzero(4 * np.square(self.lengths()[1]) > float(np.finfo(self.dtype).max))
        if len(large):
            problem = f"the squared norm of a sentence's features overflows {self.dtype}"
            raise DataError(problem, "scale their numbers down", sentence=int(large[0]))

    def depth(self, order: Array | None = None) -> int:
        """How many roundings lie between an emission and its terms."""
        most = int(np.diff(self.indptr).max(initial=1))
        return max(1, min(most, -(-self.n_columns // 16))) + 6

    def equal_rows(self, tags: Array, order: Array | None = None) -> tuple[int, int] | None:
        """Two equal sentences of different tags, which no weights tell apart; None: there are none."""
        met: dict[bytes, int] = {}
        for i in range(self.n_rows) if order is None else order.tolist():
            other = met.setdefault(self.content(i), i)
            if other != i and not np.array_equal(self.tags_of(tags, i), self.tags_of(tags, other)):
                return other, i
        return None

    def content(self, sentence: int) -> bytes:
        """The features of a sentence: those of an equal one, and of no other, are the same bytes."""
        first, last = int(self.starts[sentence]), int(self.starts[sentence + 1])
        own = slice(int(self.indptr[first]), int(self.indptr[last]))
        data = np.ones(own.stop - own.start, self.dtype) if self.data is None else self.data[own]
        return b"".join(part.tobytes() for part in (np.diff(self.indptr[first : last + 1]), self.indices[own], data))

    def tags_of(self, tags: Array, sentence: int) -> Array:
        """Those of one sentence, of the tags of all tokens."""
        return tags[self.starts[sentence] : self.starts[sentence + 1]]


def admitted(
    starts: Array, indptr: Array, indices: Array, data: Array | None, n_columns: int, dtype: Any = np.float32
) -> SentenceRows:
    """Sentences of finite numbers; refuses others, naming the sentence and the token."""
    dtype = np.dtype(dtype)
    if data is not None:
        with np.errstate(over="ignore"):
            held: Array = np.ascontiguousarray(data, dtype)
        bad = np.flatnonzero(~np.isfinite(held))
        if len(bad):
            token = int(np.searchsorted(indptr, bad[0], side="right")) - 1
            sentence = int(np.searchsorted(starts, token, side="right")) - 1
            raise DataError(
                f"token {token - int(starts[sentence])} of sentence {sentence} has a feature of {data[bad[0]]}, which "
                f"is no finite number of {dtype}", "leave it out or scale it",
            )  # fmt: skip
        data = held
    indptr, indices = np.ascontiguousarray(indptr, np.int64), np.ascontiguousarray(indices, np.int32)
    return SentenceRows(np.ascontiguousarray(starts, np.int64), indptr, indices, data, n_columns, dtype)
