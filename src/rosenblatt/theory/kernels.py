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
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import exact
from . import certificates, inputs, programme
from .answer import Separability
from .effort import Effort
from .exact_vectors import ExactVectors, Least, Number, Place, Point, Vector, bits
from .maximum import HardMargin
from .search import Search
from .shortest import shortest
from .vectors import Vectors

Array = NDArray[Any]

_DECIMALS = 50  # of the values of an RBF kernel
_MOST_MONOMIALS = 1000  # where there are more, the rows of the kernel matrix serve as well
_CLOSED = 1e-9  # an interval relatively as narrow as this is not narrowed further


def separability(X: Any, y: Any, kernel: Any, effort: Effort) -> Separability:
    """Whether the classes can be separated in the space of a kernel, the 1 of its bias included, with the proof.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The rows; floats are read as the decimals that they print as, and so are the kernel's parameters.
    y : array of shape (n_samples,)
        Their labels.
    kernel : Kernel
        The kernel.
    effort : Effort
        The most work for it.

    Returns
    -------
    Separability
        Its λ, of the certificate or of the margin, are those of the rows: ``w = Σ λ·y·φ(x)``.
    """
    X = inputs.table(X)
    known = inputs.encode_labels(y, X.shape[0])
    about = {"n_rows": X.shape[0], "classes": known.classes, "fit_intercept": False, "in_kernel": True}
    conflict = Search(X, known, True, effort).duplicates()
    if conflict is not None:
        return replace(conflict, **about, R=math.nan)
    if not is_inner_product(kernel):
        return Separability(**about, how=_unknown(kernel))
    gram = Gram.of(kernel, exact.rows(X))
    about |= {"R": exact.root_above(gram.largest)}
    separable: bool | None = True
    how = "an RBF kernel separates any points of which equal ones have equal labels"
    if kernel.name != "rbf":
        found = Search(features(kernel, exact.rows(X), gram), known, False, effort).answer("auto", maximize=False)
        if found.certificate is not None and found.exact:
            rows = found.support.tolist()
            if len(rows) == 2 and found.certificate.sum() == 2:  # which the rows themselves are not
                about["how"] = f"rows {rows[0]} and {rows[1]} have equal images but different labels"
            return replace(found, **about)
        separable, how = found.separable or None, found.how
    return _with_margin(Separability(**about, separable=separable, how=how), gram, known, effort)


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
    values : ndarray of int, of shape (n_rows, n_rows)
        K·scale.
    scale, error : int
        The error is 0 where the values of the kernel are fractions.
    """

    def __init__(self, values: Array, scale: int, error: int) -> None:
        self.values, self.scale, self.error = values, scale, error

    @classmethod
    def of(cls, kernel: Any, rows: list[list[Number]]) -> Gram:
        """That of a kernel whose values are rational, or of the RBF kernel."""
        X = np.array(rows, dtype=object).reshape(len(rows), -1)
        K = kernel.in_fractions(X @ X.T)
        if K is None:
            return cls(_gaussian(X, exact.number(kernel.gamma)) + kernel.bias * 10**_DECIMALS, 10**_DECIMALS, 1)
        return cls(*exact.scaled(K), 0)

    @property
    def largest(self) -> Fraction:
        """R² at most."""
        return Fraction(max(self.values.diagonal().tolist()) + self.error, self.scale)


def _gaussian(X: Array, gamma: Number) -> Array:
    """exp(−γ‖x − x'‖²)·10^decimals, none off by a whole unit: exponent and exp are rounded ten decimals further on."""
    K = np.full((len(X), len(X)), 10**_DECIMALS, dtype=object)
    with localcontext(Context(prec=_DECIMALS + 10)):
        for i in range(len(X)):
            for j in range(i):
                t = Fraction(gamma * sum((X[i] - X[j]) ** 2))
                value = (-Decimal(t.numerator) / Decimal(t.denominator)).exp()
                K[i, j] = K[j, i] = int((value * 10**_DECIMALS).to_integral_value())
    return K


def features(kernel: Any, rows: list[list[Number]], gram: Gram) -> Array:
    """Rational rows that are separable without a bias just if the rows are in the space of a polynomial kernel.

    The monomials that have a positive coefficient in ``(γ·x·x' + c)^d + 1``; how large it is matters to the margin
    alone. Where they are too many, the rows of the kernel matrix: ``Σ λ·z`` is 0 just if its products with all z are.
    """
    degree = int(kernel.degree) if kernel.name == "poly" else 1
    coef0 = exact.number(kernel.coef0) if kernel.name == "poly" else 0
    degrees = {degree} | (set(range(degree)) if coef0 > 0 else set())
    degrees |= {0} if kernel.bias and (degree > 1 or coef0 + 1 > 0) else set()
    if sum(math.comb(len(rows[0]) + k - 1, k) for k in degrees) > _MOST_MONOMIALS:
        top = max(gram.values.diagonal().tolist()) or 1  # in proportion, as floats have to hold them
        return np.array([[Fraction(v, top) for v in row] for row in gram.values.tolist()], dtype=object)
    chosen = [columns for k in sorted(degrees) for columns in combinations_with_replacement(range(len(rows[0])), k)]
    monomials = [[math.prod(row[j] for j in columns) for columns in chosen] for row in rows]
    return np.array(monomials, dtype=object).reshape(len(rows), -1)


# ---- the margin ----------------------------------------------------------------------------------------------------


class KernelVectors(ExactVectors):
    """All z in the space of a kernel: the coordinates of a vector are the coefficients of the rows."""

    def __init__(self, gram: Gram, known: inputs.Labels, work: exact.Work) -> None:
        super().__init__(gram.values, known, "none", work)
        self.gram = gram

    def row(self, i: int) -> list[tuple[int, Number]]:
        """φ(x) of a row: itself."""
        return [(i, 1)]

    def product(self, u: Vector, v: Vector) -> Number:
        """``u·v``."""
        self.work.count(4 * len(u) * len(v), max(map(bits, v.values()), default=0))
        return sum(
            (a * b * self.X[i, j] for (block, i), a in u.items() for (other, j), b in v.items() if block == other),
            Fraction(0),
        )

    def squared(self, w: Vector) -> Number:
        """‖w‖²."""
        return self.product(w, w)

    def lowest(self, w: Vector, among: Array | None = None) -> Least:
        """The vector of least ``w·z``, of all or of those of some rows."""
        rows = np.arange(len(self.X)) if among is None else among
        n_classes = len(self.known.classes)
        self.work.count(len(rows) * len(w), max(map(bits, w.values()), default=0))
        shared = math.lcm(*(Fraction(a).denominator for a in w.values()))
        scores = np.zeros((1 if self.two else n_classes, len(rows)), dtype=object)
        for (block, j), a in w.items():
            scores[block] += int(a * shared) * self.X[rows, j]
        least: list[tuple[Number, Place]] = []
        for at, i in enumerate(rows.tolist()):
            for rival in range(n_classes):
                if rival != self.known.codes[i]:
                    value = sum(sign * scores[block, at] for block, sign in self.blocks((i, rival)))
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


def _with_margin(result: Separability, gram: Gram, known: inputs.Labels, effort: Effort) -> Separability:
    """The same with what λ prove of the margin; decided, where they show one or that there is none."""
    z, near = KernelVectors(gram, known, exact.Work()), _proposed(gram, known, effort)
    total = sum(map(Fraction, near.ravel().tolist()))
    point = {place: Fraction(weight) / total for place, weight in z.point_of(near)}
    low, high = z.proved(point) if point else (Fraction(0), gram.largest * (1 if z.two else 2))  # ‖z‖² at most
    if low < high * Fraction(1 - _CLOSED) or not gram.error:
        try:
            point = shortest(KernelVectors(gram, known, effort.exact_work()), near).point
            low, high = z.proved(point)
        except (TimeoutError, ArithmeticError):  # too much work, or rounding has left nothing that is the shortest
            pass
    if not high:
        certificate = certificates.in_whole_numbers(z, point)
        none = (-math.inf, 0.0)
        return replace(
            result, separable=False, certificate=certificate, exact=True, margin=0.0, margin_augmented=0.0,
            margin_bounds=none, margin_augmented_bounds=none, how="exact numbers found a certificate",
        )  # fmt: skip
    bounds = exact.root_below(low) if low else 0.0, exact.root_above(high)
    if not low and not result.separable:
        return replace(result, margin_augmented_bounds=(-math.inf, bounds[1]))
    how, is_exact = result.how if result.separable else "exact numbers show a margin", low == high
    dual = z.per_row({place: share / high for place, share in point.items()})
    dual = dual if is_exact else dual.astype(float)
    margin = exact.root(high) if is_exact else bounds[0] or None
    return replace(
        result, separable=True, how=how, exact=is_exact, margin=margin, margin_augmented=margin, margin_bounds=bounds,
        margin_augmented_bounds=bounds, dual=dual, dual_augmented=dual,
    )  # fmt: skip


def _proposed(gram: Gram, known: inputs.Labels, effort: Effort) -> Array:
    """λ that may be near the best ones, from images of the rows as far as floats can tell: all 0 where they cannot."""
    K = np.array([[float(Fraction(v, gram.scale)) for v in row] for row in gram.values.tolist()])
    sizes, directions = np.linalg.eigh(K / (K.diagonal().max() or 1.0))
    vectors = Vectors(directions * np.sqrt(sizes.clip(0)), known.codes, len(known.classes), False)
    proposal = programme.propose(vectors, effort)
    lam = proposal.lam
    if lam is None and proposal.w is not None and proposal.b is not None:
        lam = HardMargin(vectors, free=False).near((proposal.w, proposal.b))
    if lam is None:
        lam = np.zeros(len(vectors))
    return vectors.per_row(np.where(lam > 1e-9 * lam.max(initial=0.0), lam, 0.0))
