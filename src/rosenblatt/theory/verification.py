"""Checking what is claimed of separability, from the data alone, whoever claims it.

Signs are decided in floating point where rounding cannot change them, and in exact rational numbers where it could; so
"separates" is a proof. A certificate in whole numbers or fractions is checked exactly, one in floats to a tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from numbers import Rational
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
_EPS = float(np.finfo(np.float64).eps)


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


def wrong(reason: str) -> Verification:
    """A claim that does not hold."""
    return Verification(False, True, 0.0, reason)


def score_rounding(X: Any, weights: given.Weights) -> float:
    """How far a margin in floats can be off: the roundings of a lane, of the tree, and of reading the numbers."""
    size = weights.norm(False) * math.sqrt(given.radius2(X)) + float(np.abs(weights.b).max())
    return float(2 * _EPS * (-(-X.shape[1] // 16) + 12) * size)


def shown_margin(X: Any, known: given.Labels, weights: given.Weights, augmented: bool) -> tuple[float, float]:
    """The smallest margin of weights over ‖w‖, or over ‖(w, b)‖, and how far rounding can have moved it."""
    norm = weights.norm(augmented)
    if norm == 0:
        return math.inf, 0.0
    least = float(given.functional_margins(X, known, weights).min())
    return least / norm, score_rounding(X, weights) / norm


def first_below(X: Any, known: given.Labels, w: list[list[Any]], b: list[Any], level: int) -> int | None:
    """The first row whose margin ``y·s`` (or ``s_y − s_r``) is not above 0, or not at least 1, without rounding.

    ``w`` and ``b`` are exact numbers. Floating point decides where rounding cannot matter, fractions where it could.
    """
    weights = given.Weights(np.array([[float(v) for v in vector] for vector in w]), np.array([float(v) for v in b]))
    weights = given.Weights(weights.w.reshape(len(w), X.shape[1]), weights.b)
    margins = given.functional_margins(X, known, weights)
    rounding = score_rounding(X, weights) + 4 * _EPS * level
    low = np.flatnonzero(margins < level - rounding)
    if len(low):
        return int(low[0])
    for i in np.flatnonzero(margins <= level + rounding).tolist():
        margin = exact_margin(exact.rows(X, [i])[0], int(known.codes[i]), w, b)
        if margin < level or margin == level == 0:
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
    expected = _shape(X, known)
    if weights.shape != expected:
        return wrong(f"the certificate has the shape {weights.shape}, the data ask for {expected}")
    strange = [a for a in weights.ravel().tolist() if not (isinstance(a, Rational) or _is_finite(a))]
    if strange:
        return wrong(f"the certificate holds {strange[0]!r}, which is not a finite number")
    is_exact = all(isinstance(a, Rational) for a in weights.ravel().tolist())
    support = np.flatnonzero((weights != 0).reshape(len(weights), -1).any(axis=1))
    if np.any(weights < 0):
        return wrong(f"the weight of row {int(np.argwhere(weights < 0)[0][0])} is negative")
    if not len(support):
        return wrong("all weights are zero, which proves nothing")
    rows, codes = rows_of(X, support), known.codes[support].tolist()
    chosen = [
        [exact.number(a) for a in entry] if weights.ndim == 2 else exact.number(entry) for entry in weights[support]
    ]
    if is_exact:
        good = holds(rows, codes, chosen, fit_intercept)
        reason = f"Σ λ·z is exactly 0 over {len(support)} rows" if good else "Σ λ·z is not 0"
        return Verification(good, True, 0.0, reason)
    if fit_intercept:  # measured against how far the rows lie apart, not how far from the origin
        rows = [[v - first for v, first in zip(x, rows[0])] for x in rows]
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
    w = [[exact.number(value) for value in vector] for vector in weights.w.tolist()]
    row = first_below(X, known, w, [exact.number(value) for value in weights.b.tolist()], 0)
    if row is not None:
        return wrong(f"row {row} is not on its side of the boundary")
    return Verification(True, True, 0.0, f"all {X.shape[0]} rows are on their side of the boundary")


def exact_optimum(
    X: Any, known: given.Labels, dual: Array, fit_intercept: bool, augmented: bool
) -> tuple[list[Any], Any] | None:
    """(w, b) of the maximum margin of two classes, if λ in fractions shows it: then γ² = 1/Σ λ.

    ``w = Σ λ·y·x``; every row has the margin 1 at least, those with λ > 0 exactly; and ``b = Σ λ·y`` where the bias is
    in the norm, else ``Σ λ·y = 0``.
    """
    support = np.flatnonzero(dual != 0)
    if not len(support) or min(dual[support]) < 0:
        return None
    rows, codes, part = exact.rows(X, support), known.codes[support].tolist(), dual[support].tolist()
    combined = combination(rows, codes, part, fit_intercept)
    w, b = combined[: X.shape[1]], combined[-1] if fit_intercept else 0
    if fit_intercept and not augmented:
        if b != 0:
            return None
        b = (1 if codes[0] == 1 else -1) - sum(u * v for u, v in zip(w, rows[0]))
    if any(exact_margin(x, code, [w], [b]) != 1 for x, code in zip(rows, codes)):
        return None
    return (w, b) if first_below(X, known, [w], [b], 1) is None else None


def upper_bound(X: Any, known: given.Labels, dual: Array, fit_intercept: bool, augmented: bool) -> float:
    """``‖Σ λ z‖/Σ λ``, which no separator's margin exceeds; infinity if λ does not show a bound.

    The margin of (x, 1), augmented, has the bias in its norm; the other one needs ``Σ λ·y = 0`` instead (to rounding,
    where λ are floats).
    """
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


# ---- whole answers -----------------------------------------------------------------------------------------------


def verify(answer: Any, X: Any, y: Any) -> Verification:
    """Check all that a ``Separability`` claims."""
    X = given.table(X)
    known = given.label(y, X.shape[0])
    if known.classes.tolist() != np.asarray(answer.classes).tolist():
        return wrong(f"y holds the classes {known.classes.tolist()}, the answer is about {answer.classes}")
    if X.shape[0] != answer.n_rows:
        return wrong(f"X has {X.shape[0]} rows, the answer is about {answer.n_rows}")
    if answer.separable is None:
        return wrong("it is undecided: nothing is claimed")
    if answer.pairs:
        return _pairs(answer, X, known)
    if answer.separable:
        return _separable(answer, X, known)
    if any((answer.margin, answer.margin_augmented, answer.margin_bounds[1], answer.margin_augmented_bounds[1])):
        return wrong("inseparable data have no margin, but one is claimed")
    if answer.certificate is None:
        return wrong("no certificate is given")
    return certificate(X, known, answer.certificate, answer.fit_intercept)


def _separable(answer: Any, X: Any, known: given.Labels) -> Verification:
    if answer.w is None or answer.certificate is not None:
        return wrong("no separator is given" if answer.w is None else "a certificate says the opposite")
    weights = given.weigh(answer.w, answer.b, X.shape[1], len(known.classes))
    if not answer.fit_intercept and np.any(weights.b != 0):
        return wrong("it has a bias, and separators without one were asked for")
    found = separator(X, known, weights)
    if not found:
        return found
    longer = weights
    if answer.w_augmented is not None:
        longer = given.weigh(answer.w_augmented, answer.b_augmented, X.shape[1], len(known.classes))
    R = math.sqrt(given.radius2(X) + answer.fit_intercept)
    if not abs(R - answer.R) <= TOLERANCE * R:
        return wrong(f"the radius is {R:.9g}, not {answer.R:.9g}")
    tolerance, is_exact = 0.0, True
    for name, augmented, vector, claimed, bounds, dual in (
        ("margin", False, weights, answer.margin, answer.margin_bounds, answer.dual),
        ("margin of (x, 1)", True, longer, answer.margin_augmented, answer.margin_augmented_bounds,
         answer.dual_augmented),
    ):  # fmt: skip
        shown, rounding = shown_margin(X, known, vector, answer.fit_intercept and augmented)
        slack = TOLERANCE * abs(shown) + rounding
        if not bounds[0] <= shown + slack:
            return wrong(f"the weights show a {name} of {shown:.9g}, not {bounds[0]:.9g}")
        if claimed is None:
            if math.isfinite(bounds[1]):
                return wrong(f"nothing shows that no {name} exceeds {bounds[1]:.9g}")
            continue
        if not (bounds[0] <= claimed <= bounds[1]) or dual is None or dual.shape != _shape(X, known):
            return wrong(f"the {name} claimed, {claimed:.9g}, is not what its bounds and support points say")
        if abs(claimed - shown) > slack:
            return wrong(f"the weights show a {name} of {shown:.9g}, claimed is {claimed:.9g}")
        proved = upper_bound(X, known, dual, answer.fit_intercept, augmented)
        if not bounds[1] >= proved - slack - _EPS * (np.count_nonzero(dual) + 12) * R:
            return wrong(f"the support points show that no {name} exceeds {proved:.9g}; claimed is {bounds[1]:.9g}")
        if dual.dtype == object:
            if exact_optimum(X, known, dual, answer.fit_intercept, augmented) is None:
                return wrong(f"the support points do not have the {name} that their weights say")
        else:
            is_exact = False
        tolerance = max(tolerance, min(1.0, slack / shown if shown > 0 else 1.0), (bounds[1] - bounds[0]) / bounds[1])
    if answer.margin is None:
        return found
    reason = f"{found.reason}, and the support points prove that no margin is larger"
    if is_exact:
        return Verification(True, True, 0.0, reason)
    return Verification(True, False, tolerance, f"{reason} by more than a relative {tolerance:.1e}")


def _pairs(answer: Any, X: Any, known: given.Labels) -> Verification:
    couples = list(combinations(known.classes.tolist(), 2))
    if list(answer.pairs) != couples:
        return wrong("not every pair of classes is answered")
    for (first, second), pair in answer.pairs.items():
        rows = rows_of_pair(known, first, second)
        if pair.separable is not None:
            found = verify(pair, X[rows], known.classes[known.codes[rows]])
            if not found:
                return wrong(f"{first!r} against {second!r}: {found.reason}")
    decided = [pair.separable for pair in answer.pairs.values()]
    if answer.separable != (None if None in decided and False not in decided else all(decided)):
        return wrong("the pairs do not say so")
    is_exact = all(pair.exact for pair in answer.pairs.values())
    return Verification(True, is_exact, 0.0 if is_exact else TOLERANCE, "every pair was checked")


def rows_of_pair(known: given.Labels, first: Any, second: Any) -> Array:
    """The rows of two of the classes."""
    labels = known.classes.tolist()
    return np.flatnonzero((known.codes == labels.index(first)) | (known.codes == labels.index(second)))


def _shape(X: Any, known: given.Labels) -> tuple[int, ...]:
    return (X.shape[0],) if len(known.classes) == 2 else (X.shape[0], len(known.classes))


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)
