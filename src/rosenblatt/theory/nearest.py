"""The shortest vector of the hull of the z in floats, from their inner products alone: a proposal for exact numbers.

Wolfe's method, as in ``shortest.py``. The weights of the affine hull of some vertices are ``A⁻¹·1`` in proportion, with
A their inner products plus 1; A⁻¹ is kept up to date as vertices join and leave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.sums import product, total
from .exact_vectors import Codes, Place

Matrix = list[list[float]]

_NOTHING, _FLAT = 1e-12, 1e-13  # a weight, and a vertex beyond the affine hull of the others, relatively
_ROUNDING = 1e-15  # of a score, the longest vector being 1


def proposed(K: Sequence[Sequence[float]], known: Codes, most: float) -> list[Any]:
    """λ of the rows (several classes: of each row and rival), from the inner products of the rows; ``most``: products.

    All 0 where it would be too much work.
    """
    n_classes, codes = len(known.classes), list(known.codes)
    places: list[Place] = [(i, r) for i, code in enumerate(codes) for r in range(n_classes) if r != code]
    largest = max(K[i][i] for i in range(len(K))) or 1.0

    def column(at: int) -> list[float]:
        i, rival = places[at]
        line, code = K[i], codes[i]
        if n_classes == 2:
            return [line[j] / largest * (1 if codes[j] == code else -1) for j, _ in places]
        return [line[j] / largest * _overlap(code, rival, codes[j], r) for j, r in places]

    lam = dict(zip(places, nearest(column, len(places), most)))
    if n_classes == 2:
        return [lam[i, 1 - code] for i, code in enumerate(codes)]
    return [[lam.get((i, r), 0.0) for r in range(n_classes)] for i in range(len(codes))]


def _overlap(y: int, r: int, other_y: int, other_r: int) -> int:
    """The inner product of two z, each with +1 in the block of its class and −1 in that of its rival."""
    return (y == other_y) - (y == other_r) - (r == other_y) + (r == other_r)


def nearest(column: Callable[[int], list[float]], n: int, most: float) -> list[float]:
    """λ of the n vectors whose inner products with each of them ``column`` gives; all 0: too much work."""
    corral = _Corral(column, n)
    fresh = False  # the inverse was just computed anew
    for _ in range(20 * n):
        if corral.work > most:
            return [0.0] * n
        scores = corral.scores()
        low = min(range(n), key=scores.__getitem__)
        value = product(corral.weights, [scores[at] for at in corral.chosen])
        if scores[low] >= value - max(_NOTHING * value, _ROUNDING):
            break
        if low not in corral.chosen and corral.join(low):
            fresh = False
        elif fresh or not corral.refresh():
            break
        else:
            fresh = True
        corral.settle()
    lam = [0.0] * n
    for weight, at in zip(corral.weights, corral.chosen):
        lam[at] = weight if weight > 1e-9 * max(corral.weights) else 0.0
    return lam


class _Corral:
    """Vertices, their weights, and the inverse of their inner products plus 1."""

    def __init__(self, column: Callable[[int], list[float]], n: int) -> None:
        self._column, self.n, self.work = column, n, 0.0
        self._columns: dict[int, list[float]] = {}
        first = min(range(n), key=lambda at: self.column(at)[at])
        self.chosen, self.weights = [first], [1.0]
        self.inverse: Matrix = [[1 / (self.column(first)[first] + 1)]]

    def column(self, at: int) -> list[float]:
        if at not in self._columns:
            self._columns[at] = self._column(at)
        return self._columns[at]

    def scores(self) -> list[float]:
        """``w·z`` of all vectors."""
        self.work += self.n * len(self.chosen)
        columns = [self.column(at) for at in self.chosen]
        return [product(self.weights, line) for line in zip(*columns)]

    def join(self, at: int) -> bool:
        """One vertex more; False: it lies in the affine hull of the others, as far as floats can tell."""
        column = self.column(at)
        own, beside = column[at] + 1, [column[other] + 1 for other in self.chosen]
        self.work += 2 * len(beside) ** 2
        u = [product(line, beside) for line in self.inverse]
        beyond = own - product(u, beside)
        if not beyond > _FLAT * own:
            return False
        self.inverse = [
            [b + p * q / beyond for b, q in zip(line, u)] + [-p / beyond] for line, p in zip(self.inverse, u)
        ]
        self.inverse.append([*(-p / beyond for p in u), 1 / beyond])
        self.chosen.append(at)
        self.weights.append(0.0)
        return True

    def leave(self, k: int) -> None:
        """One vertex less."""
        self.work += len(self.chosen) ** 2
        out = self.inverse[k]
        kept = [i for i in range(len(out)) if i != k]
        self.inverse = [[self.inverse[i][j] - out[i] * out[j] / out[k] for j in kept] for i in kept]
        del self.chosen[k], self.weights[k]

    def refresh(self) -> bool:
        """The inverse anew, without what rounding has left in it; False: there is none (Gauss and Jordan)."""
        k = len(self.chosen)
        self.work += k**3
        M = [[self.column(i)[j] + 1 for j in self.chosen] + [float(i == j) for j in self.chosen] for i in self.chosen]
        for c in range(k):
            best = max(range(c, k), key=lambda i: abs(M[i][c]))
            M[c], M[best] = M[best], M[c]
            if not abs(M[c][c]) > _ROUNDING:
                return False
            top = [value / M[c][c] for value in M[c]]
            M = [top if i == c else [a - row[c] * b for a, b in zip(row, top)] for i, row in enumerate(M)]
        self.inverse = [row[k:] for row in M]
        return True

    def settle(self) -> None:
        """Move to the shortest point of the affine hull; where that leaves the hull, stop at its edge and go on."""
        while True:
            sums = [total(line) for line in self.inverse]
            whole = total(sums) or 1.0
            goal = [value / whole for value in sums]
            if min(goal) > _NOTHING or len(goal) == 1:
                self.weights = goal
                return
            step, k = min(
                (a / (a - b) if a > b else 0.0, i) for i, (a, b) in enumerate(zip(self.weights, goal)) if b <= _NOTHING
            )
            self.weights = [a + step * (b - a) for a, b in zip(self.weights, goal)]
            self.leave(k)
