"""The answer to "separable or not?", with its proof: what it holds, how it is checked, how it reads."""

from __future__ import annotations

import html
import importlib
import math
import sys
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .verification import Verification

    Array = NDArray[Any]

#: How far ``Σ λ z`` in floats may be from 0, relative to ``Σ λ·|z|`` in each column, and weights from their margin.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Separability:
    """Whether data can be separated, with the proof.

    Attributes
    ----------
    separable : bool or None
        True, False, or None where neither could be proved: then ``margin_augmented_bounds`` say what is known.
    margin : float or None
        The maximum margin, the distance of the nearest point to the best boundary; 0.0 if inseparable.
    margin_augmented : float or None
        The maximum margin of the vectors (x, 1), over ‖(w, b)‖, which mistake bounds and ``margin_bounds_`` speak of.
        The same as ``margin`` without a bias.
    w : ndarray of shape (n_features,) or (n_classes, n_features), or None
        Weights that separate with that margin. Fractions where no floats near them separate.
    b : float, ndarray of shape (n_classes,), or None
        Their bias.
    certificate : ndarray of shape (n_samples,) or (n_samples, n_classes), or None
        If inseparable: weights λ ≥ 0, one for each row (several classes: for each row and wrong class), under which the
        examples cancel: ``Σ λ·y·x = 0``, and with a bias ``Σ λ·y = 0``. Whole numbers if ``exact``.
    how : str
        What decided it.
    exact : bool
        Whether the proof holds without rounding. (That w separates always does.)
    margin_bounds, margin_augmented_bounds : (float, float)
        Proven bounds on the two margins: neighbouring floats where it is exact, else they agree to rounding, or to a
        relative 1e-6 on very large data.
    dual, dual_augmented : ndarray like a certificate, or None
        Weights λ ≥ 0 of the support points, which prove the margins maximal: none exceeds ``‖Σ λ·z‖/Σ λ``. Fractions
        where they could be found.
    w_augmented, b_augmented
        Weights and bias that have ``margin_augmented``; None without a bias, or where it was not looked for.
    R : float
        The radius of the vectors that the bounds speak of.
    n_rows : int
        How many rows it is about.
    fit_intercept : bool
        Whether separators may have a bias.
    classes : ndarray
        The labels; of two, the second is y = +1.
    pairs : dict
        With ``multiclass="pairwise"``: the answer for each pair of labels.
    in_kernel : bool
        Whether it is about the space of a kernel, which has the bias in its constant 1.
    """

    separable: bool | None = None
    margin: float | None = None
    margin_augmented: float | None = None
    w: Array | None = None
    b: Any = None
    certificate: Array | None = None
    how: str = ""
    exact: bool = False
    margin_bounds: tuple[float, float] = (-math.inf, math.inf)
    margin_augmented_bounds: tuple[float, float] = (-math.inf, math.inf)
    dual: Array | None = None
    dual_augmented: Array | None = None
    w_augmented: Array | None = None
    b_augmented: Any = None
    R: float = math.nan
    n_rows: int = 0
    fit_intercept: bool = True
    classes: Any = None
    pairs: dict[tuple[Any, Any], Separability] = field(default_factory=dict)
    in_kernel: bool = False

    @property
    def verdict(self) -> str:
        """The answer in a word: "separable", "inseparable" or "undecided"."""
        return {True: "separable", False: "inseparable", None: "undecided"}[self.separable]

    @property
    def support(self) -> Array:
        """The rows that prove the answer: those with a weight in ``certificate`` or ``dual``."""
        import numpy as np

        return np.array(support_of(self), dtype=int)

    @property
    def margin_squared(self) -> Fraction | None:
        """γ² of the maximum margin as a fraction, where it was found exactly."""
        return _squared(self.dual)

    @property
    def margin_augmented_squared(self) -> Fraction | None:
        """γ² of the maximum margin of (x, 1) as a fraction, where it was found exactly."""
        return _squared(self.dual_augmented)

    @property
    def mistake_bound(self) -> float | None:
        """``(R/γ)²`` for the best γ, the most mistakes that a perceptron from zero makes; several classes: 2(R/γ)².

        It is rounded up in the last places, as R, the quotient and its square are rounded.
        """
        if not self.separable or not self.margin_augmented_bounds[0] > 0:
            return None
        bound = (1 if len(self.classes) == 2 else 2) * (self.R / self.margin_augmented_bounds[0]) ** 2
        return bound * (1 + 8 * sys.float_info.epsilon)

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the answer from the data alone, however it was found.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The rows that it was asked about.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        Verification
            True or false in an ``if``, with ``exact``, ``tolerance`` and ``reason``. An undecided answer claims
            nothing, and does not verify.
        """
        verified: Verification = importlib.import_module(".verification", __package__).verify(self, X, y)
        return verified

    def __str__(self) -> str:
        return "\n".join(_describe(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def support_of(answer: Separability) -> list[int]:
    """The rows that prove an answer."""
    weights = answer.certificate if answer.certificate is not None else answer.dual
    rows = [] if weights is None else listed(weights)
    return [i for i, entry in enumerate(rows) if (any(entry) if isinstance(entry, list) else entry)]


def listed(weights: Any) -> list[Any]:
    """λ of each row, or a list of them: of an array, or as they are."""
    return list(weights.tolist() if hasattr(weights, "tolist") else weights)


def _squared(dual: Any) -> Fraction | None:
    if dual is None or (hasattr(dual, "dtype") and dual.dtype != object):
        return None
    weights = [weight for entry in listed(dual) for weight in (entry if isinstance(entry, list) else [entry])]
    return None if any(isinstance(weight, float) for weight in weights) else 1 / Fraction(sum(weights))


def _describe(answer: Separability) -> list[str]:
    """The lines that a person reads."""
    space = "in the space of the kernel" if answer.in_kernel else f"with{'' if answer.fit_intercept else 'out'} a bias"
    lines = [f"{answer.verdict} {space}: {answer.how}"]
    if answer.pairs:
        lines += [f"  {a!r} against {b!r}: {pair.verdict}, {pair.how}" for (a, b), pair in answer.pairs.items()]
    elif answer.separable is None:
        upper = answer.margin_augmented_bounds[1]
        known = f"is at most {_outward(upper, ROUND_CEILING)}" if math.isfinite(upper) else "is not known"
        lines.append(f"  the best margin{' of (x, 1)' * answer.fit_intercept} {known}")
    elif answer.certificate is not None:
        lines += _describe_certificate(answer)
    elif answer.margin is not None:
        for name, value, squared, bounds in (
            ("margin", answer.margin, answer.margin_squared, answer.margin_bounds),
            ("margin of (x, 1)", answer.margin_augmented, answer.margin_augmented_squared,
             answer.margin_augmented_bounds),
        )[: 2 if answer.fit_intercept else 1]:  # fmt: skip
            if squared is None:
                proof = f"proved to lie in {_interval(bounds)}"
            elif len(str(squared)) < 40:
                proof = f"γ² = {squared} exactly"
            else:
                proof = "the root of a fraction that was found exactly"
            lines.append(f"  maximum {name}: {value:.6g}, {proof}")
        lines.append(f"  proved by {_count(len(support_of(answer)), 'support point')}: {_list(support_of(answer))}")
        if answer.mistake_bound is not None:
            formula = "(R/γ)²" if len(answer.classes) == 2 else "2(R/γ)²"
            lines.append(f"  a perceptron from zero makes at most {answer.mistake_bound:.6g} mistakes, {formula} with "
                         f"R = {answer.R:.6g}")  # fmt: skip
    elif answer.in_kernel:
        lines.append(
            f"  the maximum margin is proved to lie in {_interval(answer.margin_bounds)}, and not known closer"
        )
    return lines


def _interval(bounds: tuple[float, float]) -> str:
    return f"[{_outward(bounds[0], ROUND_FLOOR)}, {_outward(bounds[1], ROUND_CEILING)}]"


def _outward(bound: float, rounding: str) -> str:
    """A bound in nine digits, which bound as well."""
    return f"{float(Context(prec=9, rounding=rounding).create_decimal(bound)):.9g}"


def _describe_certificate(answer: Separability) -> list[str]:
    assert answer.certificate is not None
    rows, weights = support_of(answer), listed(answer.certificate)
    proof = "exact: a proof" if answer.exact else f"in floats: Σ λ·z is 0 to a relative {TOLERANCE:g}"
    entries: list[tuple[int, str, Any]] = []
    for row in rows:
        each = weights[row]
        if isinstance(each, list):
            entries += [(row, f" against {answer.classes[r]!s}", weight) for r, weight in enumerate(each) if weight]
        else:
            entries.append((row, "", each))
    largest = max(weight for _, _, weight in entries)
    if largest >= 10**6 or not answer.exact:  # too long to read: in proportion
        shown = [f"row {row}{rival}: {float(weight / largest):.3g}" for row, rival, weight in entries]
        name = "λ in proportion"
    else:
        shown = [f"row {row}{rival}: {weight}" for row, rival, weight in entries]
        name = "λ"
    return [f"  certificate of {_count(len(rows), 'row')}, Σ λ·z = 0 ({proof})", f"  {name}: {_list(shown)}"]


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _list(items: list[Any], most: int = 12) -> str:
    return ", ".join(map(str, items[:most])) + (", …" if len(items) > most else "")
