"""The scores of all rows of a training set: those at the start of a pass, and what the pass has added."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rows import KernelRows, Support

Array = NDArray[Any]


class ScoreCache:
    """Scores of all rows of a training set by the weights at the start of a pass, and the updates since.

    So a pass costs the kernel of the rows with the examples that it updates on, not with all that were kept. Whole rows
    of the kernel matrix, which the next start needs of each of those, are remembered as far as ``cache_size`` goes.

    Parameters
    ----------
    rows : KernelRows
        The training set.
    support : Support
        The examples kept, which grow as the run goes on.
    n_vectors : int
        How many weight vectors there are.
    cache_size : float
        Bytes to remember rows of the kernel matrix in.
    """

    def __init__(self, rows: KernelRows, support: Support, n_vectors: int, cache_size: float) -> None:
        self.rows, self.support, self.n_vectors = rows, support, n_vectors
        worth = rows.kernel.name != "precomputed"
        self.capacity = int(min(rows.n_rows, cache_size / (rows.n_rows * rows.dtype.itemsize))) if worth else 0
        self.cache: Any = None
        self.remembered = 0  # the rows of so many examples, the first that were kept
        self.start: Any = None  # scores of all rows, in double precision, which does not drift; None: 0
        self.slots, self.steps = np.zeros(0, np.int64), np.zeros((0, n_vectors))  # the updates since

    def add(self, slots: Array, steps: Array) -> None:
        """Note updates: of which examples kept, each once in a pass, and by how much for each vector."""
        self.slots, self.steps = np.concatenate((self.slots, slots)), np.concatenate((self.steps, steps))

    def scores(self, which: Any) -> Any:
        """Scores of some rows by the present weights."""
        scores = self.rows.scores(which, self.support, self.steps, _run(self.slots))
        if self.start is not None:
            scores += self.start[self.rows.library.index(which)]
        return scores

    def update(self) -> None:
        """Bring the scores of all rows to the present: the start of the next pass."""
        if not len(self.slots):
            return
        try:
            start = self._updated()
        except self.rows.library.out_of_memory as error:
            raise self.rows.exhausted(4 * self.rows.n_rows * self.n_vectors) from error
        self.start, self.slots, self.steps = start, self.slots[:0], self.steps[:0]

    def refresh(self, dual: Array) -> None:
        """Compute the scores of all rows anew from the coefficients of the examples kept, as a prediction does."""
        rows = self.rows
        total = rows.library.zeros((rows.n_rows, self.n_vectors), np.float64)

        def compute(start: int, stop: int) -> None:
            part = slice(start, stop)
            total[part] = rows.scores(part, self.support, dual)

        rows.in_strips(rows.n_rows, max(rows.n_features, len(self.support)), compute)
        self.start, self.slots, self.steps = total, self.slots[:0], self.steps[:0]

    def _updated(self) -> Any:
        rows, total = self.rows, self.rows.library.zeros((self.rows.n_rows, self.n_vectors), np.float64)
        if self.start is not None:
            total += self.start
        self._remember()
        known = self.slots < self.remembered
        recalled, fresh = np.flatnonzero(known), np.flatnonzero(~known)

        def recall(start: int, stop: int) -> None:
            nonlocal total
            total += self._recalled(self.slots[recalled[start:stop]], self.steps[recalled[start:stop]])

        def compute(start: int, stop: int) -> None:
            part = slice(start, stop)
            total[part] += rows.scores(part, self.support, self.steps[fresh], _run(self.slots[fresh]))

        rows.in_strips(len(recalled), rows.n_rows, recall)
        rows.in_strips(rows.n_rows if len(fresh) else 0, rows.n_features, compute)
        return total

    def _recalled(self, slots: Array, steps: Array) -> Any:
        """What all rows gain by updates whose rows of the kernel matrix are remembered."""
        library = self.rows.library
        return self.cache[library.index(_run(slots))].T @ library.put(np.ascontiguousarray(steps, self.rows.dtype))

    def _remember(self) -> None:
        """Compute the rows of the kernel matrix that there is room for and that are not remembered yet."""
        rows, first, last = self.rows, self.remembered, min(len(self.support), self.capacity)
        if first == last:
            return
        if self.cache is None:
            try:
                self.cache = rows.library.empty((self.capacity, rows.n_rows), rows.dtype)
            except rows.library.out_of_memory:
                rows.library.release()
                self.capacity = 0
                return

        def group(start: int, stop: int) -> None:
            chosen = slice(first + start, first + stop)

            def strip(start: int, stop: int) -> None:
                self.cache[chosen, start:stop] = rows.against(slice(start, stop), self.support, chosen).T

            rows.in_strips(rows.n_rows, stop - start, strip)

        rows.in_strips(last - first, rows.n_features, group)
        self.remembered = last


def _run(slots: Array) -> Any:
    """Slots that follow each other as a slice, which copies nothing."""
    first = int(slots[0]) if len(slots) else 0
    return slice(first, first + len(slots)) if np.array_equal(slots, np.arange(first, first + len(slots))) else slots
