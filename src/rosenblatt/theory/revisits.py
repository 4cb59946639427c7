"""A run that comes back to weights it has had before proves that no separator exists.

Every update adds ``τ·y·x`` with ``τ ≥ 0``. Between two moments with the same weights these sum to zero, so the summed
steps λ of the rows are Gordan's certificate. It is issued only after that sum was computed again, from the data and in
exact numbers.

>>> watch = Revisits([[0, 0], [0, 1], [1, 0], [1, 1]], codes=[0, 1, 1, 0], fit_intercept=True, start=(0, 0, 0))
>>> for row, coef, weights in [(0, -1, (0, 0, -1)), (1, 1, (0, 1, 0)), (2, 1, (1, 1, 1)), (3, -1, (0, 0, 0))]:
...     watch.add(row, [coef])
...     found = watch.look(weights)
>>> found
Revisit(first=0, last=4, certificate=[1, 1, 1, 1])
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from .certificates import holds

Number = Any  # int or Fraction


@dataclass(frozen=True)
class Revisit:
    """Weights met again: after how many visits they were there first and last, and what that proves."""

    first: int
    last: int
    certificate: list[Any]


class Revisits:
    """Watches a run for weights that come back, until it has a certificate.

    Parameters
    ----------
    rows, codes, fit_intercept
        The data, in exact numbers, by which a certificate is verified. Codes are 0 and 1, or 0 … k − 1.
    start : hashable
        The weights before the first visit, all of them, with the biases if there are any.
    n_classes : int, default=2
        With more than two there is one weight vector for each, and a certificate has a number for each wrong class.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[Number]],
        codes: Sequence[int],
        fit_intercept: bool,
        start: Hashable,
        n_classes: int = 2,
    ) -> None:
        self.rows, self.codes, self.fit_intercept, self.n_classes = rows, codes, fit_intercept, n_classes
        self.steps: list[tuple[int, Sequence[Number]]] = []
        self.visits = 0
        self.seen: dict[Hashable, tuple[int, int]] = {start: (0, 0)}  # weights: visits and updates when last there
        self.open = True  # False: nothing to find any more

    def add(self, row: int, coef: Sequence[Number]) -> None:
        """Tell of a visit: the row, and the exact coefficients a_r of ``W_r += a_r·x``; two classes have just one."""
        self.visits += 1
        if self.open and any(coef):
            self.steps.append((row, coef))

    def look(self, weights: Hashable) -> Revisit | None:
        """Tell of the weights after the visits so far; whether they were met before, with an update since then.

        A certificate that does not hold (where weights were rounded) ends the search.
        """
        if not self.open:
            return None
        visits, updates = self.seen.get(weights, (0, len(self.steps)))
        self.seen[weights] = self.visits, len(self.steps)
        if updates == len(self.steps):
            return None
        self.open = False
        certificate = self._summed(updates)
        return Revisit(visits, self.visits, certificate) if self.holds(certificate) else None

    def holds(self, certificate: Sequence[Any]) -> bool:
        """Whether it proves that no separator exists: λ ≥ 0, not all zero, and the examples cancel exactly."""
        return holds(self.rows, self.codes, certificate, self.fit_intercept)

    def _summed(self, first: int) -> list[Any]:
        """λ: what each row's steps since then come to."""
        if self.n_classes == 2:
            total: list[Any] = [0] * len(self.rows)
            for row, (a,) in self.steps[first:]:
                total[row] += abs(a)
            return total
        by_class: list[list[Any]] = [[0] * self.n_classes for _ in self.rows]
        for row, coef in self.steps[first:]:
            for r, a in enumerate(coef):
                if r != self.codes[row]:
                    by_class[row][r] -= a
        return by_class
