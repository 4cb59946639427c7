"""Means and variances as rows come: of columns, to standardise them, and of numbers to be predicted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..errors import DataError

Array = NDArray[Any]


class Moments(NamedTuple):
    """The count, the mean and Σ (x − mean)² of some numbers."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, values: Array) -> Moments:
        """Those of an array."""
        mean = float(values.mean())
        return cls(len(values), mean, float(np.square(values - mean).sum()))

    def joined(self, other: Moments) -> Moments:
        """Those of these numbers and of others (Chan, Golub and LeVeque 1979)."""
        total = max(self.n + other.n, 1)
        apart = other.mean - self.mean
        squares = self.squares + (other.squares + apart**2 * self.n * other.n / total)
        return Moments(self.n + other.n, self.mean + apart * other.n / total, squares)


class RunningScale:
    """Means and variances of columns over all rows so far (Welford 1962), missing values (NaN) left out.

    ``z = (x − mean)/sd``, where mean and variance (divided by n) are those of the rows *up to and including* x while it
    learns: so a stream in any blocks gives the same bits. A column that has been constant so far gives 0.
    """

    def __init__(self, n_columns: int) -> None:
        self.count = np.zeros(n_columns)
        self.total = np.zeros(n_columns)  # Σ x
        self.squares = np.zeros(n_columns)  # Σ (x − mean)²

    @property
    def mean(self) -> Array:
        return self.total / np.maximum(self.count, 1)

    @property
    def variance(self) -> Array:
        return self.squares / np.maximum(self.count, 1)

    def transform(self, x: Array, *, learn: bool) -> Array:
        """Standardised rows; with ``learn`` they are first added to the statistics, one by one. NaN stays NaN."""
        if not learn or not len(x):
            return self._scaled(x, self.mean, self.variance)
        there = ~np.isnan(x)
        values = np.where(there, x, 0.0)
        # Sums one row at a time, each going on from the last: np.cumsum adds in order, so that chunks do not show.
        count = self._running(self.count, there)
        total = self._running(self.total, values)
        mean = total / np.maximum(count, 1)
        before = mean[:-1]
        with np.errstate(over="ignore", invalid="ignore"):
            growth = np.where(there, (values - np.where(count[:-1] > 0, before, values)) * (values - mean[1:]), 0.0)
        if not np.isfinite(growth).all():
            row, column = np.argwhere(~np.isfinite(growth))[0].tolist()
            raise DataError(
                f"{values[row, column]:g}, in column {column} of those that are standardised, is too large: its square "
                "overflows float64", "scale the column down, or do not standardise",
            )  # fmt: skip
        squares = self._running(self.squares, growth)
        self.count, self.total, self.squares = count[-1].copy(), total[-1].copy(), squares[-1].copy()
        return self._scaled(x, mean[1:], squares[1:] / np.maximum(count[1:], 1))

    @staticmethod
    def _running(start: Array, steps: Array) -> Array:
        return np.cumsum(np.concatenate([start[None], steps]), axis=0)

    @staticmethod
    def _scaled(x: Array, mean: Array, variance: Array) -> Array:
        constant = variance <= 0
        scaled = (x - mean) / np.sqrt(np.where(constant, 1.0, variance))
        return np.where(constant & ~np.isnan(x), 0.0, scaled)

    def merge(self, other: RunningScale) -> None:
        """Take in the statistics of other rows, as `Moments.joined` does, but with sums: these go on row by row."""
        both = self.count + other.count
        apart = np.where((self.count > 0) & (other.count > 0), other.mean - self.mean, 0.0)
        self.squares = self.squares + other.squares + apart**2 * (self.count * other.count / np.maximum(both, 1))
        self.count, self.total = both, self.total + other.total

    def to_arrays(self) -> dict[str, Array]:
        """The state, for a model file."""
        return {"count": self.count, "total": self.total, "squares": self.squares}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Array], n_columns: int) -> RunningScale:
        """The state again, which must be that of so many columns."""
        scale = cls(n_columns)
        scale.count, scale.total, scale.squares = (
            schema.array(arrays, name, np.float64, (n_columns,), finite=False).copy()
            for name in ("count", "total", "squares")
        )
        schema.require(bool(np.all(scale.count >= 0)), "scale.count")
        return scale
