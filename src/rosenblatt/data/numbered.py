"""Rows of numbered features, as svmlight and Vowpal Wabbit have them, brought to a scale that learners want.

Sparse ones, which are like text, are scaled to norm 1. Dense ones are standardised, as the numeric columns of tables
are: the same numbers make the same rows in either format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import schema
from ..core.unique import union
from ..errors import DataError
from .blocks import Block
from .csr import Array, Csr, index_type, vstack
from .moments import RunningScale

#: Rows with a smaller share of entries that are not 0 are sparse. Standardised rows are dense: they are at most so many
#: times as long as they were. Measured in docs/reference/measured.md.
DENSE = 1 / 8
#: So many rows decide it, or all where there are fewer; however they are read.
FIRST_ROWS = 1_000

#: Rows that are standardised at a time, for which several dense arrays are made.
_PART = 1 << 13
#: Most entries of so many rows, once they are standardised.
_MOST_ENTRIES = 1 << 27


class Density(NamedTuple):
    """How dense the first rows are."""

    rows: int
    entries: int  # that are not 0
    features: int  # from the smallest index that occurs to the largest; hashed ones: as many as occur

    @classmethod
    def of(cls, blocks: Iterable[Block], hashed: bool) -> Density:
        """That of the first rows of blocks, of which no more are read than it takes."""
        rows = entries = 0
        met: Array = np.empty(0, np.int64)
        for block in blocks:
            assert block.csr is not None
            part = block.csr.rows(0, min(len(block), FIRST_ROWS - rows))
            there = part.indices[part.data != 0]
            rows, entries = rows + part.shape[0], entries + len(there)
            met = union(met, there)
            if rows == FIRST_ROWS:
                break
        features = len(met) if hashed or not len(met) else int(met[-1] - met[0]) + 1
        return cls(rows, entries, features)

    @property
    def share(self) -> float:
        """Entries that are not 0, among all."""
        return self.entries / max(self.rows * self.features, 1)

    @property
    def is_dense(self) -> bool:
        return self.share >= DENSE


class UnitNorm:
    """Every row divided by its norm; a row of zeros stays as it is."""

    name = "norm"

    def learn_means(self, csr: Csr) -> None:
        """There are none."""

    def rows(self, csr: Csr, *, learn: bool) -> Csr:
        """The rows, of norm 1."""
        n, lengths = csr.shape[0], np.diff(csr.indptr)
        of_row = np.repeat(np.arange(n), lengths)
        largest = np.zeros(n)  # first, or squares of large numbers would be infinite, and those of small ones 0
        np.maximum.at(largest, of_row, np.abs(csr.data))
        data = csr.data / np.where(largest > 0, largest, 1.0)[of_row]
        norms = np.sqrt(np.bincount(of_row, data**2, n))  # which adds in order, so that blocks do not show
        data = data / np.where(norms > 0, norms, 1.0)[of_row]
        return replace(csr, data=data.astype(csr.dtype, copy=False))

    def nbytes(self, csr: Csr) -> int:
        """Bytes that rows take once they are scaled."""
        return int(csr.indptr.nbytes + csr.indices.nbytes + csr.data.nbytes)

    def merge(self, other: UnitNorm) -> None:
        """Nothing is learned."""

    def shifted(self) -> UnitNorm:
        return self

    def to_arrays(self) -> dict[str, Array]:
        return {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_features: int) -> UnitNorm:
        schema.require(not arrays, "features.scaling")
        return cls()


class Standardised:
    """Columns standardised by their means and variances so far, as `RunningScale` does; where none is stated it is 0.

    A column that did not occur yet has been 0 in all rows so far, and counts like that.

    Attributes
    ----------
    columns : array of int64
        Those that occur, ascending.
    scale : RunningScale
        Their means and variances, over all rows.
    """

    name = "standardised"

    def __init__(self) -> None:
        self.columns: Array = np.empty(0, np.int64)
        self.scale = RunningScale(0)
        self._n_rows = 0

    def learn_means(self, csr: Csr) -> None:
        """Update means and variances with rows, and nothing else."""
        self._learn_columns(csr)
        self._refuse_too_many(csr.shape[0])
        for start in range(0, csr.shape[0], _PART):
            self._transform(csr.rows(start, min(start + _PART, csr.shape[0])), learn=True)

    def rows(self, csr: Csr, *, learn: bool) -> Csr:
        """The rows, standardised; ``learn``: means and variances go on with them."""
        if learn:
            self._learn_columns(csr)
        n = csr.shape[0]
        self._refuse_too_many(n)
        kind: Any = index_type(max(n * len(self.columns), csr.n_features))
        columns, parts = self.columns.astype(kind), []
        for start in range(0, max(n, 1), _PART):
            part = Csr.of_dense(self._transform(csr.rows(start, min(start + _PART, n)), learn=learn))
            data = part.data.astype(csr.dtype, copy=False)
            parts.append(Csr(part.indptr.astype(kind), columns[part.indices], data, csr.n_features))
        return vstack(parts)

    def _refuse_too_many(self, n_rows: int) -> None:
        if min(n_rows, _PART) * len(self.columns) > _MOST_ENTRIES:
            raise DataError(
                f"standardised rows are dense, and these have {len(self.columns):,} features, which is too many",
                "do not standardise them",
            )

    def nbytes(self, csr: Csr) -> int:
        """Bytes that rows take once they are scaled."""
        n_columns = len(union(self.columns, csr.indices))
        return int(csr.shape[0] * n_columns * (csr.indices.itemsize + csr.data.itemsize) + csr.indptr.nbytes)

    def _transform(self, csr: Csr, *, learn: bool) -> Array:
        """A dense array of the columns that are known, standardised."""
        places, known = self._places(csr)
        x = np.zeros((csr.shape[0], len(self.columns)))
        of_row = np.repeat(np.arange(len(x)), np.diff(csr.indptr))
        x[of_row[known], places[known]] = csr.data[known]
        if learn:
            self._n_rows += len(x)
        return np.nan_to_num(self.scale.transform(x, learn=learn), copy=False)

    def _places(self, csr: Csr) -> tuple[Array, Array]:
        """The place of each entry among the columns, and whether it has one."""
        places = np.searchsorted(self.columns, csr.indices)
        known = places < len(self.columns)
        known[known] = self.columns[places[known]] == csr.indices[known]
        return places, known

    def _learn_columns(self, csr: Csr) -> None:
        new = csr.indices[~self._places(csr)[1]]
        if len(new):
            self._widen(union(self.columns, new))

    def _widen(self, columns: Array) -> None:
        """Take in these columns, among which are those that are known; the others have been 0."""
        before, scale = np.searchsorted(columns, self.columns), RunningScale(len(columns))
        scale.count[:] = self._n_rows
        scale.total[before], scale.squares[before] = self.scale.total, self.scale.squares
        self.columns, self.scale = columns.astype(np.int64), scale

    def merge(self, other: Standardised) -> None:
        """Take in the statistics of other rows."""
        columns, theirs = union(self.columns, other.columns), Standardised()
        theirs.columns, theirs.scale, theirs._n_rows = other.columns, other.scale, other._n_rows
        self._widen(columns)
        theirs._widen(columns)
        self.scale.merge(theirs.scale)
        self._n_rows += other._n_rows

    def shifted(self) -> Standardised:
        """The same for columns that are one further on."""
        made = Standardised()
        made.columns, made.scale, made._n_rows = self.columns + 1, self.scale, self._n_rows
        return made

    def to_arrays(self) -> dict[str, Array]:
        """The state, for a model file."""
        n_rows = np.array([self._n_rows], np.int64)
        return {"columns": self.columns, "n_rows": n_rows, "total": self.scale.total, "squares": self.scale.squares}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_features: int) -> Standardised:
        """The state again, which must be that of some of so many columns."""
        schema.require({*arrays} <= {"columns", "n_rows", "total", "squares"}, "features.scaling")
        made = cls()
        made.columns = schema.numbers(arrays, "columns", np.int64, None, n_features).copy()
        schema.require(bool(np.all(np.diff(made.columns) > 0)), "columns")
        [made._n_rows] = schema.numbers(arrays, "n_rows", np.int64, 1, schema.MOST).tolist()
        made.scale = RunningScale(len(made.columns))
        made.scale.count[:] = made._n_rows
        made.scale.total, made.scale.squares = (
            schema.array(arrays, name, np.float64, (len(made.columns),), finite=False).copy()
            for name in ("total", "squares")
        )
        return made


#: What brings rows to scale, by the name that a model file has.
SCALINGS: dict[str, type[UnitNorm | Standardised]] = {kind.name: kind for kind in (UnitNorm, Standardised)}


def scaling_for(density: Density) -> UnitNorm | Standardised:
    """What brings rows to scale, by how dense the first ones are."""
    return Standardised() if density.is_dense else UnitNorm()
