"""Checking what is claimed of separability, from the data alone, whoever claims it.

Signs are decided in floating point where rounding cannot change them, and in exact rational numbers where it could; so
"separates" is a proof. A certificate in whole numbers or fractions is checked exactly, one in floats to a tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import exact
from . import given
from .certificates import combination, holds, rows_of
from .vectors import Vectors

Array = NDArray[Any]

#: How far ``Σ λ z`` in floats may be from 0, relative to ``Σ λ·|z|`` in each column, and a margin from its proof.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Verification:
    """Whether a claim holds: true or false in an ``if``, with the reason.

    Attributes
    ----------
    holds : bool
        Whether it does.
    exact : bool
        Whether that was shown without rounding, so that it is a proof.
    tolerance : float
        Relative tolerance where it was not; 0.0 where it was.
    reason : str
        What was checked, or what is wrong.
    """

    holds: bool
    exact: bool
    tolerance: float
    reason: str

    def __bool__(self) -> bool:
        return self.holds


def first_wrong(X: Any, known: given.Labels, weights: given.Weights) -> int | None:
    """The first row whose margin ``y·s`` (or ``s_y − s_r``) is not positive, decided without rounding."""
    margins = given.functional_margins(X, known, weights)
    size = weights.norm(False) * math.sqrt(given.radius2(X)) + float(np.abs(weights.b).max())
    rounding = 2 * float(np.finfo(np.float64).eps) * (-(-X.shape[1] // 16) + 10) * size
    wrong = np.flatnonzero(margins < -rounding)
    if len(wrong):
        return int(wrong[0])
    w = [[exact.number(value) for value in vector] for vector in weights.w.tolist()]
    b = [exact.number(value) for value in weights.b.tolist()]
    for i in np.flatnonzero(margins <= rounding).tolist():
        x = exact.rows(X, [i])[0]
        if exact_margin(x, int(known.codes[i]), w, b) <= 0:
            return i
    return None


def exact_margin(x: list[Any], code: int, w: list[list[Any]], b: list[Any]) -> Any:
    """``y·s``, or ``s_y − s_r`` against the best wrong class, of one row in exact numbers."""
    s = [sum((u * v for u, v in zip(vector, x) if u and v), bias) for vector, bias in zip(w, b)]
    if len(s) == 1:
        return s[0] if code == 1 else -s[0]
    return s[code] - max(value for r, value in enumerate(s) if r != code)


def certificate(X: Any, known: given.Labels, weights: Any, fit_intercept: bool) -> Verification:
    """Check a certificate of inseparability."""
    weights = np.asarray(weights)
    expected = (X.shape[0],) if len(known.classes) == 2 else (X.shape[0], len(known.classes))
    if weights.shape != expected:
        return Verification(
            False, True, 0.0, f"the certificate has the shape {weights.shape}, the data ask for {expected}"
        )
    is_exact = weights.dtype.kind in "biuO"
    support = np.flatnonzero((weights != 0).reshape(len(weights), -1).any(axis=1))
    if np.any(weights < 0):
        return Verification(
            False, is_exact, 0.0, f"the weight of row {int(np.argwhere(weights < 0)[0][0])} is negative"
        )
    if not len(support):
        return Verification(False, is_exact, 0.0, "all weights are zero, which proves nothing")
    rows, codes = rows_of(X, support), known.codes[support].tolist()
    chosen = [
        [exact.number(a) for a in entry] if weights.ndim == 2 else exact.number(entry) for entry in weights[support]
    ]
    if is_exact:
        good = holds(rows, codes, chosen, fit_intercept)
        reason = f"Σ λ·z is exactly 0 over {len(support)} rows" if good else "Σ λ·z is not 0"
        return Verification(good, True, 0.0, reason)
    off = combination(rows, codes, chosen, fit_intercept)
    size = combination([[abs(v) for v in x] for x in rows], [1] * len(rows), _row_sums(chosen), fit_intercept)
    worst = max((float(abs(a) / s) for a, s in zip(off, size * (len(off) // len(size))) if s), default=0.0)
    good = worst <= TOLERANCE
    reason = (
        f"Σ λ·z is 0 to a relative {worst:.1e} over {len(support)} rows"
        if good
        else (f"Σ λ·z is not 0: off by a relative {worst:.1e}")
    )
    return Verification(good, False, TOLERANCE, reason)


def _row_sums(weights: list[Any]) -> list[Any]:
    return [sum(entry) if isinstance(entry, list) else entry for entry in weights]


def separator(X: Any, known: given.Labels, weights: given.Weights) -> Verification:
    """Check that weights get every row right, exactly."""
    row = first_wrong(X, known, weights)
    if row is not None:
        return Verification(False, True, 0.0, f"row {row} is not on its side of the boundary")
    return Verification(True, True, 0.0, f"all {X.shape[0]} rows are on their side of the boundary")


def upper_bound(X: Any, known: given.Labels, dual: Array | None, fit_intercept: bool, augmented: bool) -> float:
    """``‖Σ λ z‖/Σ λ``, which no separator's margin exceeds; infinity if λ does not show a bound.

    The margin of (x, 1), augmented, has the bias in its norm; the other one needs ``Σ λ·y = 0`` instead (to rounding,
    where λ are floats).
    """
    if dual is None:
        return math.inf
    free = fit_intercept and not augmented
    support = np.flatnonzero((dual != 0).reshape(len(dual), -1).any(axis=1))
    if not len(support) or np.any(dual < 0):
        return math.inf
    if dual.dtype == object:
        rows, codes = exact.rows(X, support), known.codes[support].tolist()
        combined = combination(rows, codes, dual[support].tolist(), fit_intercept)
        width = len(rows[0]) + fit_intercept
        bias = combined[width - 1 :: width] if fit_intercept else []
        if free and any(bias):
            return math.inf
        total = sum(_row_sums(dual[support].tolist()), Fraction(0))
        return math.sqrt(sum((a * a for a in combined), Fraction(0)) / total**2)
    vectors = Vectors(X[support], known.codes[support], len(known.classes), fit_intercept)
    part = dual[support]
    lam = part if part.ndim == 1 else part[vectors.row, vectors.rival]
    v, f = vectors.combine(lam)
    if free and np.abs(f).max(initial=0.0) > TOLERANCE * lam.sum():
        return math.inf
    return float(np.sqrt(v @ v + (0.0 if free else f @ f)) / lam.sum())
