"""Separable or not, of small data, in plain Python: floats propose and exact numbers decide.

The margins, the certificates and the sentences are those of ``separability``; where a problem has several
certificates, another may be found.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..core import exact, reference
from ..core.sums import product, total
from .answer import Separability
from .effort import Effort
from .exact_vectors import Codes, ExactVectors, Number, Point, kind_of_bias
from .nearest import proposed
from .shortest import Shortest, shortest, supported

Rows = Sequence[Sequence[Number]]  # in exact numbers

_FAR = (100.0, 10.0, 1.0)  # the constant feature, over the longest row: the larger, the freer the bias
_TRIES, _FEW = 12, 500  # other certificates to look for, and numbers of the vectors up to which they are


def encode(labels: Sequence[Any]) -> Codes:
    """The classes of labels, sorted, and the code of each."""
    classes = sorted(set(labels))
    place = {label: code for code, label in enumerate(classes)}
    return Codes(classes, [place[label] for label in labels])


def radius(rows: Sequence[Sequence[float]], fit_intercept: bool = False) -> float:
    """R = max ‖x‖ of rows of floats, or of (x, 1)."""
    return math.hypot(math.sqrt(max(reference.dot(row, row) for row in rows)), fit_intercept)


def separability(rows: Rows, known: Codes, fit_intercept: bool, effort: Effort) -> Separability:
    """Whether a hyperplane can separate the classes, with its proof and the maximum margins.

    Parameters
    ----------
    rows : list of lists of int or Fraction
        The rows.
    known : Codes
        Their classes.
    fit_intercept : bool
        Whether the hyperplane may lie off the origin.
    effort : Effort
        The most work for it. What is not proved by then is not claimed.

    Returns
    -------
    Separability
        With lists for arrays.
    """
    return Small(rows, known, fit_intercept, effort).answer()


def conflict(rows: Rows, known: Codes, fit_intercept: bool) -> Separability | None:
    """Equal rows with different labels; without a bias also a row of zeros, whose score is always 0."""
    small = Small(rows, known, fit_intercept, Effort())
    return small.zero_row() or small.equal_rows()


class Small:
    """One question, and how it is answered."""

    def __init__(self, rows: Rows, known: Codes, fit_intercept: bool, effort: Effort) -> None:
        self.rows, self.known, self.fit_intercept, self.effort = rows, known, fit_intercept, effort
        self.floats = [[float(value) for value in row] for row in rows]
        self.two = len(known.classes) == 2
        squares = [reference.dot(row, row) for row in self.floats]
        self.about: dict[str, Any] = {
            "R": math.sqrt(max(squares) + fit_intercept), "n_rows": len(rows), "classes": known.classes,
            "fit_intercept": fit_intercept,
        }  # fmt: skip

    def answer(self, maximize: bool = True) -> Separability:
        """The answer, verified as it is made."""
        found = self.zero_row() or self.equal_rows()
        if found is not None:
            return found
        z = self.vectors(kind_of_bias(self.fit_intercept))
        point = self._smallest(z)
        return self._maximized(z, maximize) if point is None else self._certified(z, point)

    def _smallest(self, z: ExactVectors) -> Point | None:
        """The certificate of the fewest rows, and of these of the smallest numbers, among a few; None: none was found.

        One of all rows, and others of some of them, drawn at random but the same each time.
        """
        n, rng = len(self.rows), random.Random(0)
        tries = _TRIES if n * z.width * (len(self.known.classes) - 1) <= _FEW else 0
        points: list[Point] = []
        with contextlib.suppress(TimeoutError):
            for which in [list(range(n)), *([i for i in range(n) if rng.random() < 0.5] for _ in range(tries))]:
                point = self._cancelling(z, self._proposal(which)) if which else None
                points += [] if point is None else [point]
                if not points or len(points[0]) == 2:
                    break
        return min(points, key=lambda point: (len(point), max(point.values())), default=None)

    def _proposal(self, which: list[int]) -> list[Any]:
        """λ of some rows that may cancel: in orthogonal columns, where floats see best, and λ cancel as they are."""
        rows = [[*self.floats[i], *[1.0] * self.fit_intercept] for i in which]
        rows = [list(row) for row in zip(*_orthogonal(zip(*rows)))]
        lengths = [_length(row) or 1.0 for row in rows]
        rows = [[value / length for value in row] for row, length in zip(rows, lengths)]
        known = Codes(self.known.classes, [self.known.codes[i] for i in which])
        lam: list[Any] = [0.0 if self.two else [0.0] * len(known.classes)] * len(self.rows)
        for i, entry, length in zip(which, proposed(_products(rows), known, self.effort.floats), lengths):
            lam[i] = [weight / length for weight in entry] if isinstance(entry, list) else entry / length
        return lam

    def _cancelling(self, z: ExactVectors, lam: list[Any]) -> Point | None:
        """The certificate that has its weights where λ in floats have them, if it is one."""
        point = z.point_of(lam)
        images = [z.combined([(place, 1)]) for place, _ in point]
        columns = sorted(set().union(*images))
        for at in columns:  # where the sum is far from 0, they are none
            terms = [weight * float(image.get(at, 0)) for (_, weight), image in zip(point, images)]
            if abs(total(terms)) > 1e-6 * max(map(abs, terms)):
                return None
        if not point:
            return None
        solution = exact.solve([[image.get(at, 0) for image in images] for at in columns], work=z.work)
        if solution is None or min(solution) < 0 < max(solution):
            return None
        weights = exact.whole([abs(weight) for weight in solution])
        cancelling: Point = {place: weight for (place, _), weight in zip(point, weights) if weight}
        return None if any(z.combined(cancelling.items()).values()) else cancelling

    def _certified(self, z: ExactVectors, point: Point) -> Separability:
        weights = z.per_row(dict(zip(point, exact.whole(point.values()))))
        return self.inseparable(weights, f"exact numbers found a certificate of {len({i for i, _ in point})} rows")

    def _maximized(self, z: ExactVectors, maximize: bool) -> Separability:
        """The shortest vector decides, and is the margin; where it is too much work, what floats show."""
        rows = [[*row, *[1.0] * self.fit_intercept] for row in self.floats]
        near = proposed(_products(rows), self.known, self.effort.floats)
        try:
            least = shortest(z, near)
        except TimeoutError:
            return self._shown(z, near) or self._undecided(z, near)
        if not least.square:
            return self._certified(z, least.point)
        found = self._separated(z, least, "_augmented" if self.fit_intercept else "")
        if not maximize or not self.fit_intercept:
            return found
        try:
            inner = self._separated(self.vectors("free"), self._widest(), "")
        except TimeoutError:
            return replace(found, how=found.how + "; its widest band was too much work")
        return replace(inner, **{name: getattr(found, name) for name in _OUTER})

    def _widest(self) -> Shortest:
        """The shortest vector where the bias is free: where one of some proposals has its λ, else from the first on."""
        proposals = [self._near_free(far) for far in _FAR]
        for lam in proposals:
            with contextlib.suppress(TimeoutError):
                least = supported(self.vectors("free"), lam)
                if least is not None:
                    return least
        return shortest(self.vectors("free"), proposals[0])

    def _near_free(self, far: float) -> list[Any]:
        """λ that may be those of the widest band: of rows about their mean, in whose norm the bias hardly counts."""
        n = len(self.floats)
        mean = [total(column) / n for column in zip(*self.floats)]
        rows = [[value - centre for value, centre in zip(row, mean)] for row in self.floats]
        far *= max(map(_length, rows))
        return proposed(_products([[*row, far] for row in rows]), self.known, self.effort.floats)

    def vectors(self, bias: str) -> ExactVectors:
        """All z, with the work allowed."""
        return ExactVectors(self.rows, self.known, bias, self.effort.exact_work())

    # ---- answers -------------------------------------------------------------------------------------------------

    def inseparable(self, certificate: Any, how: str) -> Separability:
        """The answer "inseparable", by a certificate in whole numbers that was found exactly."""
        none = (-math.inf, 0.0)
        return Separability(
            separable=False, margin=0.0, margin_augmented=0.0, certificate=certificate, how=how, exact=True,
            margin_bounds=none, margin_augmented_bounds=none, **self.about,
        )  # fmt: skip

    def _separated(self, z: ExactVectors, least: Shortest, name: str) -> Separability:
        """The answer "separable" with one of the margins (without a bias both are the same)."""
        w, b = z.as_weights(least.w, least.biases, over=least.square)
        if not self._separates(w, b):
            w, b = z.as_fractions(least.w, least.biases)
        fields: dict[str, Any] = {
            f"dual{name}": z.per_row({place: share / least.square for place, share in least.point.items()}),
            f"margin{name}": exact.root(least.square),
            f"margin{name}_bounds": (exact.root_below(least.square), exact.root_above(least.square)),
            f"w{name}": w[0] if self.two else w,
            f"b{name}": b[0] if self.two else b,
        }
        if not self.fit_intercept:
            for field in ("dual", "margin", "margin_bounds"):
                fields[field.replace("margin", "margin_augmented").replace("dual", "dual_augmented")] = fields[field]
        return Separability(separable=True, exact=True, how="exact numbers found a separator", **fields, **self.about)

    def _separates(self, w: Any, b: Any) -> bool:
        """Whether weights get every row right, exactly: floats are the binary fractions that they are."""
        vectors = [[Fraction(v) for v in vector] for vector in w]
        biases = [Fraction(v) for v in b]
        for row, code in zip(self.rows, self.known.codes):
            scores = [sum((v * x for v, x in zip(vector, row)), c) for vector, c in zip(vectors, biases)]
            if self.two:
                right = scores[0] > 0 if code else scores[0] < 0
            else:
                right = all(scores[code] > s for r, s in enumerate(scores) if r != code)
            if not right:
                return False
        return True

    def _shown(self, z: ExactVectors, lam: list[Any]) -> Separability | None:
        """The answer "separable" by the weights that λ in floats stand for, if these separate."""
        point, whole = z.point_of(lam), total(Fraction(weight) for _, weight in z.point_of(lam))
        if not whole:
            return None
        z = self.vectors(z.bias)
        z.work = exact.Work()  # one look at each vector
        w = z.combined((place, Fraction(weight) / whole) for place, weight in point)
        square, least = z.squared(w), z.lowest(w).value
        if not least > 0:
            return None
        bounds, (vectors, biases) = (exact.root_below(least**2 / square), exact.root_above(square)), z.as_fractions(w)
        if self.fit_intercept:
            biases = [w.get((block, z.width), 0) for block in range(len(vectors))]
        return Separability(
            separable=True, how="a separator was found in floats", exact=True, w=vectors[0] if self.two else vectors,
            b=biases[0] if self.two else biases, margin_bounds=(bounds[0], math.inf), margin_augmented_bounds=bounds,
            **self.about,
        )  # fmt: skip

    def _undecided(self, z: ExactVectors, lam: list[Any]) -> Separability:
        """What λ prove of the margin all the same."""
        z = self.vectors(z.bias)
        z.work = exact.Work()
        point, whole = z.point_of(lam), total(Fraction(weight) for _, weight in z.point_of(lam))
        upper = math.inf
        if whole:
            upper = exact.root_above(z.squared(z.combined((place, Fraction(v) / whole) for place, v in point)))
        how = "neither a separator nor a certificate was found with the work allowed"
        return Separability(how=how, margin_augmented_bounds=(-math.inf, upper), **self.about)

    # ---- rows that contradict each other -------------------------------------------------------------------------

    def zero_row(self) -> Separability | None:
        """Without a bias a row of zeros, whose score is always 0."""
        i = next((i for i, row in enumerate(self.rows) if not any(row)), None)
        if i is None or self.fit_intercept:
            return None
        return self.inseparable(self._weights_on({i: None}), f"row {i} is zero: its score is 0 without a bias")

    def equal_rows(self) -> Separability | None:
        """Two equal rows with different labels."""
        firsts: dict[tuple[Number, ...], int] = {}
        for second, row in enumerate(self.rows):
            first = firsts.setdefault(tuple(row), second)
            if self.known.codes[first] != self.known.codes[second]:
                how = f"rows {first} and {second} are equal but have different labels"
                return self.inseparable(self._weights_on({first: second, second: first}), how)
        return None

    def _weights_on(self, rivals: dict[int, int | None]) -> Any:
        """A certificate of weight 1 on some rows, each against the class of another (or against any)."""
        codes = self.known.codes
        if self.two:
            return [int(i in rivals) for i in range(len(self.rows))]
        weights = [[0] * len(self.known.classes) for _ in self.rows]
        for row, other in rivals.items():
            weights[row][codes[other] if other is not None else int(codes[row] == 0)] = 1
        return weights


#: What the margin of (x, 1) says in an answer.
_OUTER = ("dual_augmented", "margin_augmented", "margin_augmented_bounds", "w_augmented", "b_augmented")


def _orthogonal(columns: Iterable[Sequence[float]]) -> list[list[float]]:
    """Orthogonal columns of length 1 that span the same (Gram and Schmidt, twice); those in the span are left out."""
    basis: list[list[float]] = []
    for column in columns:
        length = _length(column)
        rest = [value / (length or 1.0) for value in column]
        for _ in range(2):
            for other in basis:
                along = product(rest, other)
                rest = [a - along * b for a, b in zip(rest, other)]
        left = _length(rest)
        if left > 1e-12:
            basis.append([value / left for value in rest])
    return basis


def _length(values: Sequence[float]) -> float:
    return math.sqrt(product(values, values))


def _products(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[product(x, z) for z in rows] for x in rows]
