"""Whether labels come in random order, by a runs test. If they do not, a score of rows to come says little.

A run is a stretch of equal labels. In a random order of N labels, n_c of each class, the number R of runs has

    E R = (N(N + 1) − Σ n_c²) / N,
    Var R = (Σ n_c² (Σ n_c² + N(N + 1)) − 2N Σ n_c³ − N³) / (N² (N − 1))

(Wald and Wolfowitz 1940 for two classes, Barton and David 1957 for more), and is nearly normal.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from ..core.labels import counts_of

#: Labels are said to come in runs if so few would come about by chance less often than this,
LEVEL = 1e-6
#: and if there are at least this share fewer than expected: among millions of rows the least drift is significant.
FEWER = 0.1


def changes_of(labels: Any) -> int:
    """How often a label, or its code, is another than the one before."""
    return int(np.count_nonzero(labels[1:] != labels[:-1]))


class LabelOrder:
    """The runs of labels as they came, block by block."""

    def __init__(self) -> None:
        self.runs = 0
        self.counts: Counter[Any] = Counter()
        self._last: Any = None
        self._middle: float | None = None

    def add(self, labels: Any, counts: Counter[Any] | None, changes: int | None = None) -> None:
        """Take in the next labels, how often each occurs, and `changes_of` them, where that is known.

        No counts: they are numbers of a regression, and count as below or above the median of the first ones.
        """
        if not len(labels):
            return
        if counts is None:
            self._middle = float(np.median(labels)) if self._middle is None else self._middle
            labels = labels > self._middle
            counts = counts_of(labels)
        self.runs += changes_of(labels) if changes is None else changes
        self.runs += not self.counts or labels[0] != self._last
        self.counts.update(counts)
        self._last = labels[-1]

    @property
    def expected(self) -> float:
        """The runs that a random order has on average."""
        n = self.counts.total()
        return (n * (n + 1) - sum(c**2 for c in self.counts.values())) / max(n, 1)

    @property
    def chance(self) -> float:
        """How often a random order has so few runs."""
        n, squares = self.counts.total(), sum(c**2 for c in self.counts.values())
        cubes = sum(c**3 for c in self.counts.values())
        variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / max(n**2 * (n - 1), 1)
        if variance <= 0:
            return 1.0
        return math.erfc((self.expected - self.runs) / math.sqrt(2 * variance)) / 2

    @property
    def is_random(self) -> bool:
        """Whether nothing speaks against it."""
        return self.chance >= LEVEL or self.runs > (1 - FEWER) * self.expected

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"runs": self.runs, "expected_runs": self.expected, "random": self.is_random}
