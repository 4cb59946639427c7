"""The vectors z of a data set in exact numbers, read one by one as they are needed, and the least of them along a w.

Which of them are the least is screened in floating point, where rounding cannot matter, and decided in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..core import exact
from ..core.sums import product

Number = Any  # int or Fraction
Place = tuple[int, int]  # of a vector: its row, and the class it plays against (two classes: the other one)
Vector = dict[tuple[int, int], Number]  # its numbers by block and column; two classes have one block
Point = dict[Place, Number]  # of the hull of the vectors: λ ≥ 0, which sum to 1


EPS = 2.0**-52


def kind_of_bias(fit_intercept: bool, augmented: bool = True) -> str:
    """How ``ExactVectors`` take the bias, for the margin of (x, 1) or for the geometric one."""
    return "none" if not fit_intercept else "counted" if augmented else "free"


class Codes(NamedTuple):
    """The classes, and the code of each row among them; two classes: 1 is y = +1."""

    classes: Sequence[Any]
    codes: Sequence[int]


class Least(NamedTuple):
    """A point of the hull with the least w·z, that value, and the biases of the classes that go with w."""

    point: Point
    value: Number
    biases: list[Number]


class ExactVectors:
    """All z of a data set.

    Parameters
    ----------
    X, known
        The table and its labels (``Codes``, or the same in arrays).
    bias : {"none", "counted", "free"}
        Whether there is a bias. Where it counts in the norm, it is the weight of a last column of ones, and any z is a
        point of the hull. Where it is free, the points are those of ``Σ λ·f = 0``: what each class has against
        others must equal what these have against it. Their vertices are cycles of classes.
    work : Work
        How much arithmetic is allowed.
    """

    def __init__(self, X: Any, known: Any, bias: str, work: exact.Work) -> None:
        self.X, self.known, self.bias, self.work = X, known, bias, work
        self.two = len(known.classes) == 2
        self.width = X.shape[1] if hasattr(X, "shape") else len(X[0])
        self._floats: list[list[float]] | None = None
        self._rows: dict[int, list[tuple[int, Number]]] = {}

    def row(self, i: int) -> list[tuple[int, Number]]:
        """The numbers of (x, 1), or of x, that are not 0, with their columns."""
        if i not in self._rows:
            self.work.count(self.width)
            ones = [(self.width, 1)] if self.bias == "counted" else []
            self._rows[i] = exact.entries(self.X, i) + ones
        return self._rows[i]

    def blocks(self, place: Place) -> list[tuple[int, int]]:
        """The blocks in which a vector has its row, and with which sign."""
        i, rival = place
        right = int(self.known.codes[i])
        return [(0, 1 if right == 1 else -1)] if self.two else [(right, 1), (rival, -1)]

    def combined(self, weights: Iterable[tuple[Place, Number]]) -> Vector:
        """``Σ λ·z``."""
        total: Vector = {}
        for place, weight in weights:
            row = self.row(place[0])
            self.work.count(4 * len(row), bits(weight))
            for block, sign in self.blocks(place):
                for column, value in row:
                    total[block, column] = total.get((block, column), 0) + sign * weight * value
        return total

    def bias_of(self, place: Place) -> list[int]:
        """f, the numbers of a vector in the columns of the biases: one, or one for each class."""
        signs = [0] * (1 if self.two else len(self.known.classes))
        for block, sign in self.blocks(place):
            signs[block] = sign
        return signs

    def product(self, u: Vector, v: Vector) -> Number:
        """``u·v``."""
        self.work.count(4 * len(u), max(map(bits, v.values()), default=0))
        return sum((value * v[at] for at, value in u.items() if at in v), Fraction(0))

    def squared(self, w: Vector) -> Number:
        """‖w‖²."""
        return sum((value * value for value in w.values()), Fraction(0))

    def along(self, w: Vector, place: Place) -> Number:
        """``w·z`` of one vector."""
        row = self.row(place[0])
        self.work.count(4 * len(row), max(map(bits, w.values()), default=0))
        return sum(
            (sign * w.get((block, column), 0) * value for block, sign in self.blocks(place) for column, value in row),
            Fraction(0),
        )

    def lowest(self, w: Vector, among: Sequence[int] | None = None) -> Least:
        """The point of least ``w·z``, of all vectors or of those of some rows."""
        least: dict[tuple[int, int], tuple[Number, Place]] = {}  # of each class against each other
        for pair, places in self._candidates(w, among).items():
            least[pair] = min(((self.along(w, place), place) for place in places), key=lambda pair: pair[0])
        if self.bias != "free":
            value, place = min(least.values(), key=lambda pair: pair[0])
            return Least({place: 1}, value, [])
        costs = {pair: value for pair, (value, _) in least.items()}
        cycle, mean, biases = _least_mean_cycle(len(self.known.classes), costs)
        return Least({least[pair][1]: Fraction(1, len(cycle)) for pair in cycle}, mean, biases)

    def _candidates(self, w: Vector, among: Sequence[int] | None) -> dict[tuple[int, int], list[Place]]:
        """For each class and rival the vectors that may have the least ``w·z``, as far as floats can tell."""
        vectors, biases = self.as_weights(w)
        if self._floats is None:
            self._floats = [[float(value) for value in self.X[i]] for i in range(len(self.known.codes))]
        size = math.hypot(*(v for vector in vectors for v in vector)) * max(math.hypot(*row) for row in self._floats)
        off = 16 * EPS * (self.width + 16) * (size + max(map(abs, biases))) + 2.0**-1000  # of roundings, of underflow
        rows = range(len(self.known.codes)) if among is None else among
        scores = {i: [product(v, self._floats[i]) + b for v, b in zip(vectors, biases)] for i in rows}
        near: dict[tuple[int, int], list[tuple[float, int]]] = {}
        for i in rows:
            right = int(self.known.codes[i])
            for rival in range(len(self.known.classes)):
                if rival != right:
                    at = scores[i][0] * (1 if right else -1) if self.two else scores[i][right] - scores[i][rival]
                    near.setdefault((right, rival), []).append((at, i))
        return {
            pair: [(i, pair[1]) for at, i in entries if not at > min(entries)[0] + off]  # all, where a score overflows
            for pair, entries in near.items()
        }

    def as_weights(self, w: Vector, biases: list[Number] | None = None, over: Number = 0) -> tuple[Any, Any]:
        """A vector as weights in floats, over some number (0: the largest of them); biases where they are free."""
        free = [] if not biases else [biases[1] - biases[0]] if self.two else biases
        over = over or max(map(abs, [*w.values(), *free]), default=0) or 1
        weights = [[0.0] * (self.width + 1) for _ in range(1 if self.two else len(self.known.classes))]
        try:
            for (block, column), value in w.items():
                weights[block][column] = float(Fraction(value) / over)
            for block, b in enumerate(free):
                weights[block][-1] += float(Fraction(b) / over)
        except OverflowError:
            return self.as_weights(w, biases)
        return [vector[:-1] for vector in weights], [vector[-1] for vector in weights]

    def as_fractions(self, w: Vector, biases: list[Number] | None = None) -> tuple[Any, Any]:
        """The same as it is."""
        weights: list[list[Number]] = [
            [0] * (self.width + 1) for _ in range(1 if self.two else len(self.known.classes))
        ]
        for (block, column), value in w.items():
            weights[block][column] = value
        if biases:
            for vector, b in zip(weights, [biases[1] - biases[0]] if self.two else biases):
                vector[-1] = b
        return [vector[:-1] for vector in weights], [vector[-1] for vector in weights]

    def point_of(self, weights: Any) -> list[tuple[Place, Number]]:
        """λ, one for each row or for each row and rival, as those of the vectors that are not 0."""
        weights = weights.tolist() if hasattr(weights, "tolist") else weights
        point: list[tuple[Place, Number]] = []
        for i, (entry, code) in enumerate(zip(weights, self.known.codes)):
            each = enumerate(entry) if isinstance(entry, (list, tuple)) else [(1 - int(code), entry)]
            point += [((i, r), weight) for r, weight in each if weight and r != code]
        return point

    def per_row(self, point: Point) -> Any:
        """The other way round."""
        n, n_classes = len(self.known.codes), len(self.known.classes)
        weights: list[Any] = [0] * n if self.two else [[0] * n_classes for _ in range(n)]
        for (i, rival), weight in point.items():
            if self.two:
                weights[i] = weight
            else:
                weights[i][rival] = weight
        return weights


def bits(value: Number) -> int:
    """How long a number is."""
    return int(value.numerator.bit_length() + value.denominator.bit_length())


def _least_mean_cycle(
    n_classes: int, costs: dict[tuple[int, int], Number]
) -> tuple[list[tuple[int, int]], Number, list[Number]]:
    """The cycle of classes whose costs have the least mean, that mean, and potentials b: cost + b_y − b_r ≥ mean.

    A cycle below the best mean so far is looked for (Bellman and Ford) until there is none.
    """

    def mean_of(cycle: list[tuple[int, int]]) -> Number:
        return sum((costs[pair] for pair in cycle), Fraction(0)) / len(cycle)

    pairs = list(costs)
    best = min(([(y, r), (r, y)] for y, r in pairs if (r, y) in costs), key=mean_of)
    while True:
        mean, potential, before = mean_of(best), [Fraction(0)] * n_classes, [-1] * n_classes
        for _ in range(n_classes + 1):
            changed = -1
            for y, r in pairs:
                if potential[y] + costs[y, r] - mean < potential[r]:
                    potential[r], before[r], changed = potential[y] + costs[y, r] - mean, y, r
            if changed < 0:
                return best, mean, potential
        for _ in range(n_classes):
            changed = before[changed]  # now on the cycle itself
        best, at = [], changed
        while not best or at != changed:
            best.append((before[at], at))
            at = before[at]
