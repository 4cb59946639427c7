"""What a run has proved about the best possible margin γ*, and the verdict that follows.

Every update adds ``τ·y·x`` with ``τ ≥ 0``, so ``γ*·Σ τ ≤ ‖w − w₀‖`` at any time; and weights that were scored on every
row prove a margin by showing it. Margins are those of the vectors (x, 1) when there is a bias, of the stacked class
vectors when there are several classes, and the smallest of the classes' margins one against the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engine
from .lists import Listed
from .places import Placed

Array = NDArray[Any]
Measured = Array | Listed | Placed  # weights, of which norms are taken

ON_THE_BOUNDARY = (
    "separated the data only in the sense of ties='predict': the margin is 0, because points lie on the boundary. With "
    "ties='mistake' it would go on until they do not."
)


class ConvergenceWarning(UserWarning):
    """A run stopped before it was decided whether the data can be separated."""


_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)


def squared_norms(weights: Measured, start: Array | Placed | None, per_vector: bool) -> Array:
    """‖W − W₀‖², of each column or of all together, summed in double precision."""
    if isinstance(weights, Placed):
        squares = (weights if start is None else weights.minus(start)).squares()
    elif isinstance(weights, Listed):
        squares = weights.squares()
    else:
        squares = engine.squares(weights if start is None else weights.astype(np.float64) - start)
    return squares if per_vector else squares.sum(keepdims=True)


def norms(weights: Measured, start: Array | Placed | None, per_vector: bool, squares: Array | None = None) -> Array:
    """‖W − W₀‖ to a few units in the last place, also where the squares would vanish; ``squares`` if they are known."""
    if squares is None:
        squares = squared_norms(weights, start, per_vector)
    if np.all(squares > _TINY / _EPS**2):
        return np.asarray(np.sqrt(squares))
    scaled: Measured
    if isinstance(weights, Listed):
        scaled, sizes = weights.scaled(per_vector)
    elif isinstance(weights, Placed):
        scaled, sizes = weights.minus(start).scaled(per_vector)
    else:
        moved = weights.astype(np.float64) - (0.0 if start is None else start)
        sizes = np.abs(moved).max(axis=0) if per_vector else np.abs(moved).max(keepdims=True)[0]
        scaled = moved / np.where(sizes > 0, sizes, 1.0)
    return np.asarray(np.sqrt(squared_norms(scaled, None, per_vector)) * sizes)


@dataclass
class Evidence:
    """Bounds on γ*, and what the upper one is computed from."""

    lower: float = -math.inf
    upper: float = math.inf
    peak2: float = 0.0  # bounds max ‖W‖² up to the last time that ‖W‖² was computed
    base2: float = 0.0  # ‖W‖² at that time
    mixings: int = 0  # roundings where weights were mixed, counted as updates
    slack: float = 0.0  # what rounding of feature vectors that were added up may have taken off the bound
    equal_rows: tuple[int, int] | None = None  # two of different labels, which no weights tell apart: γ* ≤ 0

    def note_equal_rows(self, rows: tuple[int, int] | None) -> None:
        """Take two equal rows of different labels, if there are any, as the proof that they are."""
        if rows is not None:
            self.equal_rows, self.upper = rows, min(self.upper, 0.0)

    def number_rows(self, numbers: Array) -> None:
        """Name the two rows by these numbers: they were rows of a part."""
        if self.equal_rows is not None:
            first, second = self.equal_rows
            self.equal_rows = int(numbers[first]), int(numbers[second])

    def upper_bound(
        self,
        weights: Measured,
        start: Array | Placed | None,
        tau: Array,
        updates: float,
        growth: float,
        squares: Array | None = None,
    ) -> float:
        """``‖w − w₀‖/Σ τ``, with room for rounding: ``2ε·max‖w‖·M/Σ τ``, M updates (and mixings).

        ``growth`` bounds what the steps since ``base2`` was computed can have added to ‖W‖².
        """
        if not np.any(tau > 0):
            return math.inf
        peak = math.sqrt(max(self.peak2, self.base2 + growth) + _TINY)
        distance = norms(weights, start, len(tau) > 1, squares)[: len(tau)]
        number = np.finfo(weights.dtype)
        each = 2 * float(number.eps) * peak + float(number.tiny)  # the latter: products that underflow
        bounds = np.divide(
            distance + each * (updates + self.mixings), tau, out=np.full(len(tau), np.inf), where=tau > 0
        )
        return float(np.min(bounds)) * (1 + 8 * _EPS) + self.slack  # of the norm, the sum and the quotient

    def tighten_upper(
        self, weights: Measured, start: Array | Placed | None, tau: Array, updates: float, growth: float
    ) -> None:
        """Tighten the upper bound from the weights as they are now."""
        length2 = squared_norms(weights, None, per_vector=False)
        squares = length2 if start is None and len(tau) == 1 else None  # one reading of the weights is enough
        self.upper = min(self.upper, self.upper_bound(weights, start, tau, updates, growth, squares))
        self.peak2 = max(self.peak2, self.base2 + growth)
        self.base2 = float(length2[0])

    def tighten_lower(self, weights: Measured, least: Array, rounding: float, lost: float) -> None:
        """Tighten the lower bound by weights that got every row right.

        ``least`` are their smallest scores, ``rounding`` is how far a score over ‖w‖ can be off, ``lost`` what it may
        have lost to underflow.
        """
        lengths = norms(weights, None, per_vector=len(least) > 1)[: len(least)]
        if np.all(lengths > 0):
            margin = float(np.min((least - lost) / lengths))
            self.lower = max(self.lower, 0.0, margin - rounding)


def undecided(name: str, evidence: Evidence, n_iter: int, scale: float, tol: float | None) -> str:
    """The warning of a run that max_iter ended: what is known, and what to try."""
    low, high = evidence.lower / scale, evidence.upper / scale
    if math.isinf(high):
        return (
            f"{name} stopped after max_iter={n_iter} passes, undecided: it found no separator, and such a run has no "
            "bound that could rule one out; raise max_iter, or set tol=None if you want a model rather than a proof."
        )
    return (
        f"{name} stopped after max_iter={n_iter} passes, undecided: it found no separator, and the best relative "
        f"margin (margin/R) lies between {low:.3g} and {high:.3g}; raise max_iter or tol (now {tol}) to decide it, or "
        "set tol=None if you want a model rather than a proof (an averaged one, if the data cannot be separated)."
    )
