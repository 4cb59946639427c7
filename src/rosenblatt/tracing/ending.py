"""How a run ends: its verdict and what it knows of the best margin, in exact numbers where the run is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core import reference, rules
from ..core.verdicts import NO_MARGIN, PASSES_BEFORE_NO_MARGIN, SEPARATED, STOPPED
from . import wording

if TYPE_CHECKING:
    from .kernel_space import KernelSpace
    from .space import LinearSpace

Number = Any  # int, Fraction or float


@dataclass
class Ending:
    """Where a run stands: its verdict so far, its counts, and what it knows of the best margin."""

    verdict: str | None
    n_iter: int = 0
    n_updates: int = 0
    lower: float = -math.inf
    upper: float = math.inf
    boundary: bool = False  # separated, but with rows on the boundary
    best: bool = False  # the two bounds are the same number
    shown: str = ""  # the lower bound in words
    capped: str = ""  # the upper bound in words
    equal_rows: tuple[int, int] | None = None  # of different labels, which prove it
    scale: float = 1.0  # what margins are measured against: R, or √2·R between classes

    def in_words(self) -> Ending:
        """The same with its bounds, which are floats, in words."""
        self.shown = wording.number(self.lower) if math.isfinite(self.lower) else ""
        self.capped = wording.above(self.upper) if math.isfinite(self.upper) else ""
        return self


class ExactEnd:
    """Decides after each pass whether the run is over, as the learner does (ALGORITHMS: "Ends"), without rounding."""

    def __init__(
        self,
        space: LinearSpace | KernelSpace,
        rule: rules.Rule,
        training_set: Sequence[tuple[Any, Number]],
        present: Sequence[int],
        tol: Number | None,
    ) -> None:
        self.space, self.rule, self.training_set, self.tol = space, rule, training_set, tol
        self.present = present
        self.model = model = space.model
        self.regression = model.form == "regression"
        self.tau: list[Number] = [0] * (len(model.w) if model.form == "ovr" else 1)
        R2 = max(map(space.norm2, present))
        self.scale2 = R2 * (2 if model.form == "multiclass" else 1) or 1  # 0: all rows are zero
        self.ending = Ending(None if self.regression else STOPPED, scale=wording.square_root(max(self.scale2, 0)))
        self.upper2: Number | None = None  # the square of the upper bound

    def add(self, row: int, step: reference.Step) -> None:
        """Count a step."""
        self.tau = [t + gain for t, gain in zip(self.tau, step.gains)]
        self.ending.n_updates += step.updates

    def over(self, number: int, mistakes: int, updates: int, last: bool) -> bool:
        """Whether the pass of this number ended the run; ``last``: it is the last one allowed."""
        ending = self.ending
        ending.n_iter = number
        if self.regression:
            return updates == 0 or last
        self.look()
        if (mistakes == 0 or last) and self.all_right():
            ending.verdict = SEPARATED
            self.show()
            return True
        if self.tol is None or not (last or number >= PASSES_BEFORE_NO_MARGIN):
            return last
        ending.equal_rows = self._equal_rows()
        if ending.equal_rows is not None:
            self.upper2, ending.upper, ending.capped = 0, 0.0, "0"
        if self.upper2 is not None and self.upper2 <= self.tol**2 * self.scale2:
            ending.verdict = NO_MARGIN
            return True
        return last

    def _equal_rows(self) -> tuple[int, int] | None:
        """Two rows that are equal and have different labels, which no weights tell apart."""
        firsts: dict[Any, int] = {}
        for i in self.present:
            first = firsts.setdefault(tuple(self.space.xs[i]), i)
            if self.space.plan.targets[first] != self.space.plan.targets[i]:
                return first, i
        return None

    def all_right(self) -> bool:
        """Whether the present weights make no mistake."""
        return not any(self.model.consider(self.rule, x, y).mistakes for x, y in self.training_set)

    def look(self) -> None:
        """Tighten the upper bound ``‖w − w₀‖/Σ τ``; other than additive rules and inner products bound nothing."""
        if not self.rule.additive:
            return
        for square, tau in zip(self.space.moved2(), self.tau):
            if tau > 0 and square >= 0 and (self.upper2 is None or square / tau**2 < self.upper2):
                self.upper2 = square / tau**2
                self.ending.upper = wording.square_root(self.upper2)
                self.ending.capped = wording.about_root(self.space.plain(self.upper2))

    def show(self) -> None:
        """The lower bound: the smallest margin of weights that are right everywhere."""
        bounds, self.ending.boundary = [], False
        for c, norm2 in enumerate(self.space.norms2()):
            least = min(self._margin(c, x, y) for x, y in self.training_set)
            self.ending.boundary |= bool(least <= 0)
            if norm2 > 0:
                square = least**2 / norm2
                bounds.append((math.copysign(wording.square_root(square), wording.nearest(least)), square))
        if bounds:
            self.ending.lower, square = min(bounds)
            self.ending.shown = wording.about_root(self.space.plain(square))
            self.ending.best = square == self.upper2

    def _margin(self, c: int, x: Sequence[Number], y: int) -> Number:
        step = self.model.consider(self.rule, x, y)
        if self.model.form == "ovr":
            return step.scores[c] if y == c else -step.scores[c]
        return step.margin
