"""Checking what is claimed of separability, from the data alone, whoever claims it.

Signs are decided in floating point where rounding cannot change them, and in exact rational numbers where it could; so
"separates" is a proof. Bounds are computed in fractions where the rows that decide them are few, and else in floating
point with room for all its roundings: they are bounds either way. A certificate in whole numbers or fractions is
checked exactly, one in floats to a tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine, exact
from . import inputs
from .answer import TOLERANCE
from .certificates import combination, holds
from .exact_arrays import ArrayVectors
from .exact_vectors import kind_of_bias
from .shortest import shortest
from .vectors import Vectors

Array = NDArray[Any]

_FEW = 2_000  # numbers in rows that are read exactly


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
        Where it was not: how far a certificate may be from 0, or the bounds of a margin are apart, relatively.
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


class Separator(NamedTuple):
    """Weights as they are claimed, which may be fractions, and the floats nearest to them."""

    w: Array  # (n_vectors, n_features)
    b: Array
    floats: inputs.Weights

    def norm2(self, augmented: bool) -> Fraction:
        """‖w‖² or ‖(w, b)‖², never too small."""
        numbers = [*self.w.ravel().tolist(), *(self.b.tolist() if augmented else ())]
        if len(numbers) <= _FEW:
            return sum((Fraction(exact.number(v)) ** 2 for v in numbers if v), Fraction(0))
        return Fraction(self.floats.norm(augmented) * (1 + 8 * inputs.EPS)) ** 2

    def margin(self, X: Any, known: inputs.Labels, row: int) -> Any:
        """``y·s``, or ``s_y − s_r`` against the best wrong class, of one row in exact numbers."""
        x = exact.entries(X, row)
        scores = [
            sum((exact.number(w[column]) * value for column, value in x), Fraction(exact.number(b)))
            for w, b in zip(self.w, self.b)
        ]
        code = int(known.codes[row])
        if len(scores) == 1:
            return scores[0] if code == 1 else -scores[0]
        return scores[code] - max(score for r, score in enumerate(scores) if r != code)


def as_separator(w: Any, b: Any, n_features: int, n_classes: int) -> Separator:
    """Weights that are to be checked."""
    floats = inputs.as_weights(w, b, n_features, n_classes)
    given_w, given_b = np.atleast_2d(np.asarray(w)), np.atleast_1d(np.asarray(b)).ravel()
    if given_w.dtype != object and given_b.dtype != object:
        return Separator(floats.w, floats.b, floats)
    return Separator(given_w, np.broadcast_to(given_b, (len(given_w),)), floats)


def separator(X: Any, known: inputs.Labels, weights: Separator) -> Verification:
    """Check that weights get every row right, exactly."""
    margins = inputs.functional_margins(X, known, weights.floats)
    off = inputs.rounding_of_margins(X, weights.floats)
    wrong_rows = np.flatnonzero(margins < -off)
    doubtful = () if len(wrong_rows) else np.flatnonzero(~(margins > off)).tolist()  # all, where scores overflow
    row = next((i for i in doubtful if not weights.margin(X, known, i) > 0), None)
    if len(wrong_rows) or row is not None:
        return wrong(f"row {int(wrong_rows[0]) if row is None else row} is not on its side of the boundary")
    return Verification(True, True, 0.0, f"all {X.shape[0]} rows are on their side of the boundary")


def lower_bound(X: Any, known: inputs.Labels, weights: Separator, augmented: bool) -> float:
    """A margin that weights which separate have at least, over ‖w‖ or over ‖(w, b)‖."""
    norm2 = weights.norm2(augmented)
    if norm2 == 0:
        return math.inf
    margins = inputs.functional_margins(X, known, weights.floats)
    off = inputs.rounding_of_margins(X, weights.floats)
    least = float(margins.min())
    lowest = np.flatnonzero(~(margins > least + 2 * off))
    if len(lowest) * X.shape[1] <= _FEW:
        shown = Fraction(min(weights.margin(X, known, i) for i in lowest.tolist()))
    else:
        shown = Fraction(math.nextafter(least - off, -math.inf)) if math.isfinite(least - off) else Fraction(0)
    return exact.root_below(shown**2 / norm2) if shown > 0 else 0.0


def certificate(X: Any, known: inputs.Labels, weights: Any, fit_intercept: bool) -> Verification:
    """Check a certificate of inseparability."""
    weights = np.asarray(weights)
    expected = _shape(X, known)
    if weights.shape != expected:
        return wrong(f"the certificate has the shape {weights.shape}, the data ask for {expected}")
    strange = [
        a
        for a in weights.ravel().tolist()
        if not (isinstance(a, Rational) or (isinstance(a, float) and math.isfinite(a)))
    ]
    if strange:
        return wrong(f"the certificate holds {strange[0]!r}, which is not a finite number")
    support = rows_with_weight(weights)
    if np.any(weights < 0):
        return wrong(f"the weight of row {int(np.argwhere(weights < 0)[0][0])} is negative")
    if not len(support):
        return wrong("all weights are zero, which proves nothing")
    own = _own_class(weights, known)
    if own is not None:
        return wrong(f"row {own} has a weight against its own class, which it does not play against")
    rows, codes = _exact_rows(X, support), known.codes[support]
    chosen = np.vectorize(exact.number, otypes=[object])(weights[support])
    if all(isinstance(a, Rational) for a in weights.ravel().tolist()):
        good = holds(rows, codes, chosen, fit_intercept)
        reason = f"Σ λ·z is exactly 0 over {len(support)} rows" if good else "Σ λ·z is not 0"
        return Verification(good, True, 0.0, reason)
    if not _may_cancel(X, known, support, fit_intercept):
        return wrong("Σ λ·z is close to 0, but the rows that have weights can be separated")
    if fit_intercept:  # measured against how far the rows lie apart, not how far from the origin
        rows = [[v - first for v, first in zip(x, rows[0])] for x in rows]
    off = combination(rows, codes, chosen, fit_intercept)
    totals = chosen.reshape(len(rows), -1).sum(axis=1)
    size = combination([[abs(v) for v in x] for x in rows], np.ones(len(rows)), totals, fit_intercept)
    worst = max((float(abs(a) / size[0, column]) for (_, column), a in off.items() if a), default=0.0)
    if worst > TOLERANCE:
        return Verification(False, False, TOLERANCE, f"Σ λ·z is not 0: off by a relative {worst:.1e}")
    return Verification(True, False, TOLERANCE, f"Σ λ·z is 0 to a relative {worst:.1e} over {len(support)} rows")


def _exact_rows(X: Any, which: Array) -> list[list[Any]]:
    """Some rows in exact numbers, without the columns that are 0 in all of them."""
    part = X[which]
    if engine.is_sparse(part):
        part = part.tocsc()
        part = part[:, np.flatnonzero(np.diff(part.indptr))].tocsr()
    return exact.rows(part)


def rows_with_weight(weights: Array) -> Array:
    """The rows that have a weight, of a certificate or a dual."""
    return np.flatnonzero((weights != 0).reshape(len(weights), -1).any(axis=1))


def _may_cancel(X: Any, known: inputs.Labels, support: Array, fit_intercept: bool) -> bool:
    """False where exact numbers show, without too much work, that no certificate has its weights on these rows."""
    if len(support) * X.shape[1] > _FEW:
        return True
    some = inputs.Labels(known.classes, known.codes[support])
    vectors = ArrayVectors(X[support], some, kind_of_bias(fit_intercept), exact.Work(exact.Work.SMALL))
    try:
        return not shortest(vectors).square > 0
    except TimeoutError:
        return True


def _own_class(weights: Array, known: inputs.Labels) -> int | None:
    """The first row that has a weight against its own class."""
    if weights.ndim == 1:
        return None
    rows = np.flatnonzero(weights[np.arange(len(weights)), known.codes] != 0)
    return int(rows[0]) if len(rows) else None


def exact_optimum(X: Any, known: inputs.Labels, dual: Array, fit_intercept: bool, augmented: bool) -> Fraction | None:
    """γ² of the maximum margin, if λ in fractions shows it: then it is 1/Σ λ.

    With ``w = Σ λ·z`` every vector has the margin 1 at least, and ``‖w‖² = Σ λ``; where the bias is free, with the
    best one, and ``Σ λ·f = 0``. Then no margin is above ``‖w‖/Σ λ``, and w has it.
    """
    vectors = ArrayVectors(X, known, kind_of_bias(fit_intercept, augmented), exact.Work())
    weights = vectors.point_of(dual)
    if not weights or not all(isinstance(weight, (int, Fraction)) and weight > 0 for _, weight in weights):
        return None
    total = sum((Fraction(weight) for _, weight in weights), Fraction(0))
    w = vectors.combined(weights)
    if any(_unbalanced(vectors, weights)) or vectors.squared(w) != total or vectors.lowest(w).value < 1:
        return None
    return 1 / total


def _unbalanced(vectors: ArrayVectors, weights: Any) -> list[Any]:
    """``Σ λ·f``, which is 0 where λ bound the margin of a free bias."""
    if vectors.bias != "free":
        return []
    total: list[Any] = [0] * (1 if vectors.two else len(vectors.known.classes))
    for place, weight in weights:
        total = [a + weight * f for a, f in zip(total, vectors.bias_of(place))]
    return total


def upper_bound(X: Any, known: inputs.Labels, dual: Array, fit_intercept: bool, augmented: bool) -> float:
    """``‖Σ λ z‖/Σ λ``, which no separator's margin exceeds; infinity if λ does not show a bound.

    The margin of (x, 1), augmented, has the bias in its norm. Where the bias is free, ``u·Σ λ z + b·Σ λ f ≥ γ·Σ λ``;
    and as every class has a row on its side, the biases of a separator lie no further apart than its scores.
    """
    support = rows_with_weight(dual)
    if not len(support) or not np.all(dual >= 0) or not np.all(np.isfinite(dual.astype(float))):
        return math.inf
    if fit_intercept and len(np.unique(known.codes)) < len(known.classes):
        return math.inf  # a bias may be as large as it likes
    n_blocks = 1 if len(known.classes) == 2 else len(known.classes)
    relative = 1 + inputs.EPS * (n_blocks * X.shape[1] + np.count_nonzero(dual) + 32)
    apart = inputs.radius(X) * relative * (1 if n_blocks == 1 else math.sqrt(2))
    if len(support) * X.shape[1] <= _FEW:
        vectors = ArrayVectors(X, known, kind_of_bias(fit_intercept, augmented), exact.Work())
        weights = [(place, Fraction(weight)) for place, weight in vectors.point_of(dual)]
        if vectors.bias == "free" and vectors.two:
            weights = _balanced(vectors, weights)
        total = sum((weight for _, weight in weights), Fraction(0))
        if not total:
            return math.inf
        off = sum(map(abs, _unbalanced(vectors, weights)), Fraction(0))
        bound = exact.root_above(vectors.squared(vectors.combined(weights)) / total**2)
        return bound if not off else float(math.nextafter(bound + apart * float(off / total), math.inf))
    part = dual[support].astype(float)
    few = Vectors(X[support], known.codes[support], len(known.classes), fit_intercept)
    lam = part if part.ndim == 1 else part[few.row, few.rival]
    v, f = few.combine(lam)
    free = fit_intercept and not augmented
    size = math.hypot(apart, fit_intercept and not free)
    room = 2 * inputs.EPS * (len(lam) + 16) * size
    bias = apart * float(np.abs(f).sum()) if free else 0.0
    return float((np.sqrt(v @ v + (0.0 if free else f @ f)) + bias) / lam.sum() * relative + room)


def _balanced(vectors: ArrayVectors, weights: Any) -> list[Any]:
    """λ of two classes brought to the same sum, so that Σ λ·f = 0; none where a class has none."""
    sums = [Fraction(0), Fraction(0)]
    for (row, _), weight in weights:
        sums[int(vectors.known.codes[row])] += weight
    if not all(sums):
        return []
    return [(place, weight / sums[int(vectors.known.codes[place[0]])]) for place, weight in weights]


# ---- whole answers -----------------------------------------------------------------------------------------------


def verify(answer: Any, X: Any, y: Any) -> Verification:
    """Check all that a ``Separability`` claims."""
    X = inputs.table(X)
    return check(answer, X, inputs.encode_labels(y, X.shape[0]))


def check(answer: Any, X: Any, known: inputs.Labels) -> Verification:
    """The same of a table and labels that were read."""
    if known.classes.tolist() != np.asarray(answer.classes).tolist():
        return wrong(f"y holds the classes {known.classes.tolist()}, the answer is about {answer.classes}")
    if X.shape[0] != answer.n_rows:
        return wrong(f"X has {X.shape[0]} rows, the answer is about {answer.n_rows}")
    if answer.separable is None:
        return wrong("it is undecided: nothing is claimed")
    if answer.in_kernel:
        return wrong("it is about the space of a kernel, of which the rows alone show nothing")
    if answer.pairs:
        return _pairs(answer, X, known)
    if answer.separable:
        return _separable(answer, X, known)
    bounded = all(low <= 0 == high for low, high in (answer.margin_bounds, answer.margin_augmented_bounds))
    if answer.margin or answer.margin_augmented or not bounded or answer.w is not None:
        return wrong("inseparable data have no separator and no margin, but one is claimed")
    if answer.certificate is None:
        return wrong("no certificate is given")
    return certificate(X, known, answer.certificate, answer.fit_intercept)


def _separable(answer: Any, X: Any, known: inputs.Labels) -> Verification:
    if answer.w is None or answer.certificate is not None:
        return wrong("no separator is given" if answer.w is None else "a certificate says the opposite")
    weights = longer = as_separator(answer.w, answer.b, X.shape[1], len(known.classes))
    if answer.w_augmented is not None:
        longer = as_separator(answer.w_augmented, answer.b_augmented, X.shape[1], len(known.classes))
    if not answer.fit_intercept and (np.any(weights.b != 0) or longer is not weights):
        return wrong("it has a bias, and separators without one were asked for")
    for vector in (weights, longer):
        check = separator(X, known, vector)
        if not check:
            return check
    R = math.hypot(inputs.radius(X), answer.fit_intercept)
    if not abs(R - answer.R) <= TOLERANCE * R:
        return wrong(f"the radius is {R:.9g}, not {answer.R:.9g}")
    inner = (answer.margin, answer.margin_bounds, answer.dual)
    outer = (answer.margin_augmented, answer.margin_augmented_bounds, answer.dual_augmented)
    proofs = [_margin(X, known, answer.fit_intercept, "margin", False, weights, *inner)]
    if answer.fit_intercept or inner[:2] != outer[:2] or inner[2] is not outer[2]:  # else it is the same margin
        proofs.append(_margin(X, known, answer.fit_intercept, "margin of (x, 1)", True, longer, *outer))
    refuted = [proof for proof in proofs if not proof]
    if refuted or answer.margin is None is answer.margin_augmented:
        return refuted[0] if refuted else check
    reason = f"{check.reason}, and the support points prove that no margin is larger"
    tolerance = max(proof.tolerance for proof in proofs)
    if all(proof.exact for proof in proofs):
        return Verification(True, True, 0.0, reason)
    return Verification(True, False, tolerance, f"{reason} by more than a relative {tolerance:.1e}")


def _margin(
    X: Any, known: inputs.Labels, fit_intercept: bool, name: str, augmented: bool, weights: Separator, claimed: Any,
    bounds: tuple[float, float], dual: Any,
) -> Verification:  # fmt: skip
    """Check what is claimed of one margin: its bounds by what was proved, and its weights by their own margin."""
    shown = lower_bound(X, known, weights, fit_intercept and augmented)
    if claimed is None:
        if not (bounds[0] <= shown and bounds[1] == math.inf):
            return wrong(f"the weights show a {name} of {shown:.9g} at least and none at most, not {bounds}")
        return Verification(True, True, 0.0, "")
    if dual is None or dual.shape != _shape(X, known) or _own_class(dual, known) is not None:
        return wrong(f"no support points say that no {name} is larger")
    is_exact = dual.dtype == object
    if is_exact:
        square = exact_optimum(X, known, dual, fit_intercept, augmented)
        if square is None:
            return wrong(f"the support points do not have the {name} that their weights say")
        low, high = exact.root_below(square), exact.root_above(square)
    else:
        low, high = shown, upper_bound(X, known, dual, fit_intercept, augmented)
    if not (bounds[0] <= low and high <= bounds[1]):
        return wrong(f"the {name} is proved to lie in [{low!r}, {high!r}], claimed are {bounds}")
    if not (low <= claimed <= high):
        return wrong(f"the {name} lies in [{low!r}, {high!r}], claimed is {claimed!r}")
    off = inputs.rounding_of_margins(X, weights.floats) / weights.floats.norm(fit_intercept and augmented)
    if not shown >= claimed * (1 - TOLERANCE) - off:
        return wrong(f"the weights show a {name} of {shown:.9g}, claimed is {claimed:.9g}")
    return Verification(True, is_exact, 0.0 if is_exact else min(1.0, (bounds[1] - bounds[0]) / bounds[1]), "")


def of_pairs(pairs: dict[Any, Any]) -> dict[str, Any]:
    """What the answers for each two classes say together: the smallest margin, and bounds on it."""
    answers = list(pairs.values())
    decided = [answer.separable for answer in answers]
    separable = None if None in decided and False not in decided else all(decided)
    fields: dict[str, Any] = {"separable": separable, "R": max(answer.R for answer in answers)}
    for name in ("margin", "margin_augmented"):
        margins = [getattr(answer, name) for answer in answers]
        bounds = [getattr(answer, f"{name}_bounds") for answer in answers]
        low, high = min(low for low, _ in bounds), min(high for _, high in bounds)
        fields[name] = 0.0 if separable is False else None if None in margins else min(margins)
        fields[f"{name}_bounds"] = (-math.inf, 0.0) if separable is False else (low, high)
    return fields


def _pairs(answer: Any, X: Any, known: inputs.Labels) -> Verification:
    couples = list(combinations(known.classes.tolist(), 2))
    if list(answer.pairs) != couples:
        return wrong("not every pair of classes is answered")
    checks = []
    for ((first, second), pair), codes in zip(answer.pairs.items(), combinations(range(len(known.classes)), 2)):
        rows, labels = known.pair(*codes)
        if pair.fit_intercept != answer.fit_intercept:
            return wrong(f"{first!r} against {second!r}: the answer is about other separators, with or without a bias")
        if pair.separable is not None:
            checks.append(check(pair, X[rows], labels))
            if not checks[-1]:
                return wrong(f"{first!r} against {second!r}: {checks[-1].reason}")
    if any(getattr(answer, name) != value for name, value in of_pairs(answer.pairs).items()):
        return wrong("the pairs do not say so")
    is_exact = len(checks) == len(couples) and all(each.exact for each in checks)
    tolerance = max((each.tolerance for each in checks), default=0.0)
    return Verification(True, is_exact, 0.0 if is_exact else tolerance or TOLERANCE, "every pair was checked")


def _shape(X: Any, known: inputs.Labels) -> tuple[int, ...]:
    return (X.shape[0],) if len(known.classes) == 2 else (X.shape[0], len(known.classes))
