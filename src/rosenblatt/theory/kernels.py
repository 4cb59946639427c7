"""Separable or not in the space of a kernel: only what exact numbers prove is claimed.

Equal rows with different labels have equal scores under every kernel: they are a certificate. Beyond that:

- A polynomial kernel (and the linear one) of rational points has an explicit map into rational numbers, the monomials
  of the coordinates. There it is an ordinary question, and decided exactly.
- The RBF kernel is strictly positive definite: distinct points are linearly independent, so that any labels separate
  (Micchelli 1986). Its values are irrational, and are taken to 50 decimals with a bound on what is left.
- Of other kernels nothing is known beforehand, and nothing is claimed.

The margin needs inner products alone. The shortest vector of the hull is found in fractions where that is not too much
work, and proposed by floats where it is; either way its λ prove an interval, and one of no width where the values are
rational and λ the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from ..core import exact
from ..core.spaces.kernel.function import KernelFunction
from .answer import Separability, support_of
from .effort import Effort
from .exact_vectors import Codes, ExactVectors, Least, Number, Place, Point, Vector, bits
from .nearest import proposed
from .shortest import shortest
from .small import Rows, Small, conflict

_DECIMALS = 50  # of the values of an RBF kernel
_MOST_MONOMIALS = 1000  # where there are more, the rows of the kernel matrix serve as well
_CLOSED = 1e-9  # an interval relatively as narrow as this is not narrowed further


def separability(rows: Rows, known: Codes, kernel: KernelFunction, effort: Effort) -> Separability:
    """Whether the classes can be separated in the space of a kernel, the 1 of its bias included, with the proof.

    Parameters
    ----------
    rows : list of lists of int or Fraction
        The rows; the kernel's parameters are read as the decimals that they print as.
    known : Codes
        Their classes.
    kernel : KernelFunction
        The kernel.
    effort : Effort
        The most work for it.

    Returns
    -------
    Separability
        With lists for arrays. Its λ, of the certificate or of the margin, are those of the rows: ``w = Σ λ·y·φ(x)``.
    """
    about: dict[str, Any] = {
        "n_rows": len(rows), "classes": known.classes, "fit_intercept": False, "in_kernel": True
    }  # fmt: skip
    equal = conflict(rows, known, True)
    if equal is not None:
        return replace(equal, **about, R=math.nan)
    if not is_inner_product(kernel):
        return Separability(**about, how=_unknown(kernel))
    gram = Gram.of(kernel, rows)
    about |= {"R": exact.root_above(gram.largest)}
    separable: bool | None = True
    how = "an RBF kernel separates any points of which equal ones have equal labels"
    if kernel.name != "rbf":
        found = Small(features(kernel, rows, gram), known, False, effort).answer(maximize=False)
        if found.certificate is not None:
            support = support_of(found)
            if len(support) == 2 and _total(found.certificate) == 2:  # which the rows themselves are not
                about["how"] = f"rows {support[0]} and {support[1]} have equal images but different labels"
            return replace(found, **about)
        separable, how = found.separable or None, found.how
    return _with_margin(Separability(**about, separable=separable, how=how), gram, known, effort)


def _total(certificate: Any) -> int:
    return sum(sum(entry) if isinstance(entry, list) else entry for entry in certificate)


def is_inner_product(kernel: Any) -> bool:
    """Whether a kernel is known to be one: all its coefficients of powers of x·x' are at least 0, or it is Gaussian."""
    if kernel.name != "poly":
        return kernel.name in ("linear", "rbf")
    constant = kernel.coef0 + kernel.bias if kernel.degree == 1 else kernel.coef0
    return bool(kernel.degree == int(kernel.degree) and constant >= 0)


def _unknown(kernel: Any) -> str:
    name = kernel.name if isinstance(kernel.name, str) else "given"
    if name in ("sigmoid", "poly"):
        return f"this {name} kernel is no inner product: its space has no margins to ask about"
    return f"nothing is known of a {name} kernel that would prove it"


# ---- the kernel in exact numbers -----------------------------------------------------------------------------------


class Gram:
    """The kernel matrix times a scale, in whole numbers, none off by more than ``error``.

    Attributes
    ----------
    values : list of lists of int
        K·scale.
    scale, error : int
        The error is 0 where the values of the kernel are fractions.
    """

    def __init__(self, values: list[list[int]], scale: int, error: int) -> None:
        self.values, self.scale, self.error = values, scale, error

    @classmethod
    def of(cls, kernel: KernelFunction, rows: Rows) -> Gram:
        """That of a kernel whose values are rational, or of the RBF kernel."""
        if kernel.name == "rbf":
            values = _gaussian(rows, exact.number(kernel.gamma), int(kernel.bias) * 10**_DECIMALS)
            return cls(values, 10**_DECIMALS, 1)
        products = [[sum(a * b for a, b in zip(x, z)) for z in rows] for x in rows]
        return cls(*exact.scaled([[kernel.in_fractions(product) for product in line] for line in products]), 0)

    @property
    def largest(self) -> Fraction:
        """R² at most."""
        return Fraction(max(line[i] for i, line in enumerate(self.values)) + self.error, self.scale)


def _gaussian(rows: Rows, gamma: Number, one: int) -> list[list[int]]:
    """exp(−γ‖x − x'‖²)·10^decimals, none off by a whole unit: exponent and exp are rounded ten decimals further on."""
    K = [[10**_DECIMALS + one] * len(rows) for _ in rows]
    with localcontext(Context(prec=_DECIMALS + 10)):
        for i, x in enumerate(rows):
            for j in range(i):
                t = Fraction(gamma * sum((a - b) ** 2 for a, b in zip(x, rows[j])))
                value = (-Decimal(t.numerator) / Decimal(t.denominator)).exp()
                K[i][j] = K[j][i] = int((value * 10**_DECIMALS).to_integral_value()) + one
    return K


def features(kernel: KernelFunction, rows: Rows, gram: Gram) -> list[list[Number]]:
    """Rational rows that are separable without a bias just if the rows are in the space of a polynomial kernel.

    The monomials that have a positive coefficient in ``(γ·x·x' + c)^d + 1``; how large it is matters to the margin
    alone. Where they are too many, the rows of the kernel matrix: ``Σ λ·z`` is 0 just if its products with all z are.
    """
    degree = int(kernel.degree) if kernel.name == "poly" else 1
    coef0 = exact.number(kernel.coef0) if kernel.name == "poly" else 0
    degrees = {degree} | (set(range(degree)) if coef0 > 0 else set())
    degrees |= {0} if kernel.bias and (degree > 1 or coef0 + 1 > 0) else set()
    if sum(math.comb(len(rows[0]) + k - 1, k) for k in degrees) > _MOST_MONOMIALS:
        top = max(line[i] for i, line in enumerate(gram.values)) or 1  # in proportion, as floats have to hold them
        return [[Fraction(v, top) for v in row] for row in gram.values]
    chosen = [columns for k in sorted(degrees) for columns in combinations_with_replacement(range(len(rows[0])), k)]
    return [[math.prod(row[j] for j in columns) for columns in chosen] for row in rows]


# ---- the margin ----------------------------------------------------------------------------------------------------


class KernelVectors(ExactVectors):
    """All z in the space of a kernel: the coordinates of a vector are the coefficients of the rows."""

    def __init__(self, gram: Gram, known: Codes, work: exact.Work) -> None:
        super().__init__(gram.values, known, "none", work)
        self.gram = gram

    def row(self, i: int) -> list[tuple[int, Number]]:
        """φ(x) of a row: itself."""
        return [(i, 1)]

    def product(self, u: Vector, v: Vector) -> Number:
        """``u·v``."""
        self.work.count(4 * len(u) * len(v), max(map(bits, v.values()), default=0))
        return sum(
            (a * b * self.X[i][j] for (block, i), a in u.items() for (other, j), b in v.items() if block == other),
            Fraction(0),
        )

    def squared(self, w: Vector) -> Number:
        """‖w‖²."""
        return self.product(w, w)

    def lowest(self, w: Vector, among: Sequence[int] | None = None) -> Least:
        """The vector of least ``w·z``, of all or of those of some rows."""
        rows = range(len(self.X)) if among is None else among
        n_classes = len(self.known.classes)
        self.work.count(len(rows) * len(w), max(map(bits, w.values()), default=0))
        shared = math.lcm(*(Fraction(a).denominator for a in w.values()))
        whole = [(block, j, int(a * shared)) for (block, j), a in w.items()]
        least: list[tuple[Number, Place]] = []
        for i in rows:
            scores = [0] * (1 if self.two else n_classes)
            for block, j, a in whole:
                scores[block] += a * self.X[i][j]
            for rival in range(n_classes):
                if rival != self.known.codes[i]:
                    value = sum(sign * scores[block] for block, sign in self.blocks((i, rival)))
                    least.append((value, (i, rival)))
        value, place = min(least, key=lambda pair: pair[0])
        return Least({place: 1}, Fraction(value, shared), [])

    def proved(self, point: Point) -> tuple[Fraction, Fraction]:
        """What λ that sum to 1 prove: the squared margin that ``w = Σ λ·z`` has at least, and none exceeds."""
        w = self.combined(point.items())
        lengths = dict.fromkeys((block for block, _ in w), Fraction(0))
        for (block, _), a in w.items():
            lengths[block] += abs(a)
        error, scale = self.gram.error, self.gram.scale
        square = self.squared(w) + error * sum(length**2 for length in lengths.values())
        least = self.lowest(w).value - error * sum(lengths.values())
        return least**2 / square / scale if least > 0 else Fraction(0), square / scale


def _with_margin(result: Separability, gram: Gram, known: Codes, effort: Effort) -> Separability:
    """The same with what λ prove of the margin; decided, where they show one or that there is none."""
    K = [[float(Fraction(v, gram.scale)) for v in row] for row in gram.values]
    z, near = KernelVectors(gram, known, exact.Work()), proposed(K, known, effort.floats)
    total = sum(Fraction(weight) for _, weight in z.point_of(near))
    point: Point = {place: Fraction(weight) / total for place, weight in z.point_of(near)}
    low, high = z.proved(point) if point else (Fraction(0), gram.largest * (1 if z.two else 2))  # ‖z‖² at most
    if low < high * Fraction(1 - _CLOSED) or not gram.error:
        try:
            point = shortest(KernelVectors(gram, known, effort.exact_work()), near).point
            low, high = z.proved(point)
        except (TimeoutError, ArithmeticError):  # too much work, or rounding has left nothing that is the shortest
            pass
    if not high:
        certificate = z.per_row(dict(zip(point, exact.whole(point.values()))))
        none = (-math.inf, 0.0)
        return replace(
            result, separable=False, certificate=certificate, exact=True, margin=0.0, margin_augmented=0.0,
            margin_bounds=none, margin_augmented_bounds=none, how="exact numbers found a certificate",
        )  # fmt: skip
    bounds = exact.root_below(low) if low else 0.0, exact.root_above(high)
    if not low and not result.separable:
        return replace(result, margin_augmented_bounds=(-math.inf, bounds[1]))
    how, is_exact = result.how if result.separable else "exact numbers show a margin", low == high
    dual = z.per_row({place: share / high if is_exact else float(share / high) for place, share in point.items()})
    margin = exact.root(high) if is_exact else bounds[0] or None
    return replace(
        result, separable=True, how=how, exact=is_exact, margin=margin, margin_augmented=margin, margin_bounds=bounds,
        margin_augmented_bounds=bounds, dual=dual, dual_augmented=dual,
    )  # fmt: skip
