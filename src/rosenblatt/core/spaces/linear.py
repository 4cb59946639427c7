"""Linear space: one weight for each feature and class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..engine import Rows
from ..learner import Learner


@dataclass(frozen=True)
class LinearSpace:
    """Where weights are numbers, one for each feature, and perhaps a bias."""

    fit_intercept: bool = True
    intercept_scaling: float = 1.0

    name: ClassVar[str] = "linear"
    budget: ClassVar[None] = None
    gamma: ClassVar[None] = None
    draws: ClassVar[bool] = False  # whether a learner in it draws random numbers of its own

    def learner(self, rule: Any, **options: Any) -> Learner:
        """A learner that has no weights yet."""
        return Learner(rule, fit_intercept=self.fit_intercept, intercept_scaling=self.intercept_scaling, **options)

    def rows(self, rows: Rows, learner: Learner | None = None) -> Rows:
        """Rows as the learner takes them."""
        return rows

    def settle(self, learner: Any, rows: Any, weight: Any) -> None:
        """Nothing about the space is left to the first rows."""

    def share_generator(self, learner: Any, rng: Any) -> None:
        """Nothing is drawn."""
