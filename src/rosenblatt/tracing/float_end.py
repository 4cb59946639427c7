"""How a run in floats ends, in plain Python: the verdict and the bounds of the learner, by the same sums.

In linear space they have the learner's bits (``core.convergence``, ``native/models.hpp``); in the space of a kernel,
where it adds up in blocks, they agree to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core import reference
from ..core.sums import total
from ..core.verdicts import NO_MARGIN, PASSES_BEFORE_NO_MARGIN, SEPARATED
from .ending import ExactEnd

_EPS, _TINY, _SMALLEST = 2.0**-52, 2.0**-1022, 2.0**-1074


class FloatEnd(ExactEnd):
    """Decides after each pass whether the run is over, with room for rounding in every bound."""

    def __init__(self, *terms: Any) -> None:
        super().__init__(*terms)
        self.ending.scale = self._scale()
        self.tau = [0.0] * len(self.tau)
        self.growth = 0.0  # what the steps since base2 was computed can have added to ‖W‖²
        self.peak2 = self.base2 = 0.0  # a bound on max ‖W‖², and ‖W‖²
        self.least = math.inf  # the smallest margin of the pass, or of the last look at all rows
        self.looked = False  # for equal rows

    # ---- what is counted -----------------------------------------------------------------------------------------

    def add(self, row: int, step: reference.Step) -> None:
        """Count a step."""
        super().add(row, step)
        self.least = min(self.least, step.margin)
        if step.moves:
            self._grow(row, step)

    def _grow(self, row: int, step: reference.Step) -> None:
        A = self.model.norm2(self.space.rows[row]) + _TINY
        if len(step.coef) == 1:
            along, moved2 = step.gains[0] * step.margin, step.gains[0] * (step.gains[0] * A)
        else:
            along = moved2 = 0.0
            for a, s in zip(step.coef, step.scores):
                along, moved2 = along + a * s, moved2 + a * (a * A)
        if self.model.batch:  # steps that are summed may all point one way
            reach = math.sqrt(self.growth) + math.sqrt(moved2)
            self.growth = reach * reach
        else:
            self.growth = self.growth + max(0.0, 2 * along) + moved2

    # ---- the end -------------------------------------------------------------------------------------------------

    def over(self, number: int, mistakes: int, updates: int, last: bool) -> bool:
        """Whether the pass of this number ended the run; ``last``: it is the last one allowed."""
        ending = self.ending
        ending.n_iter = number
        separated = mistakes == 0
        if separated and (updates or self.space.kernel is not None):
            separated = self.all_right()
        self.look()
        if separated:
            return self._separated()
        if self.tol is not None and (last or number >= PASSES_BEFORE_NO_MARGIN):
            if not self.looked:
                self.looked, ending.equal_rows = True, self._equal_rows()
                ending.upper = ending.upper if ending.equal_rows is None else min(ending.upper, 0.0)
            if ending.upper <= self.tol * ending.scale:
                ending.verdict = NO_MARGIN
                self._close()
                return True
        if last and self.all_right():
            return self._separated()
        self.least = math.inf
        if last:
            self._close()
        return last

    def _separated(self) -> bool:
        self.ending.verdict, self.ending.boundary = SEPARATED, self.least <= 0
        lower = self._lower()
        if lower is not None:
            self.ending.lower = max(self.ending.lower, 0.0, lower)
        self._close()
        return True

    def _close(self) -> None:
        self.ending.upper = min(self.ending.upper, self._upper())

    def all_right(self) -> bool:
        """Whether the present weights make no mistake, and by what margin at least."""
        judged = [self.model.consider(self.rule, x, y) for x, y in self.training_set]
        if any(step.mistakes for step in judged):
            return False
        self.least = min(step.margin for step in judged)
        return True

    # ---- bounds --------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Tighten the upper bound by the weights as they are now."""
        times = 2 if self.model.batch else 1  # a batch is looked at when it moves, and when its pass ends
        for _ in range(times):
            self.ending.upper = min(self.ending.upper, self._upper())
            self.peak2 = max(self.peak2, self.base2 + self.growth)
            self.base2, self.growth = total(self._squares()), 0.0

    def _upper(self) -> float:
        """``‖w‖/Σ τ``, with room for rounding: ``2ε·max‖w‖·M/Σ τ``, M updates."""
        tau = self.tau[0] if self.rule.additive else 0.0
        if not tau > 0:
            return math.inf
        peak = math.sqrt(max(self.peak2, self.base2 + self.growth) + _TINY)
        updates = self.ending.n_updates
        roundings = updates * (2 + len(self.model.w)) if self.model.form == "multiclass" else updates
        return (self._length() + (2 * _EPS * peak + _TINY) * roundings) / tau * (1 + 8 * _EPS)

    def _lower(self) -> float | None:
        """The margin that the present weights show, less what rounding may have added to it."""
        depth = max(1, max(map(_lane, self.space.xs), default=1)) + 6
        length, rounding = self._length(), _EPS * depth * self._scale()
        return (self.least - 32 * depth * _SMALLEST) / length - rounding if length > 0 else None

    def _length(self) -> float:
        """‖W‖, also where its square would vanish."""
        square = total(self._squares())
        if square > _TINY / _EPS**2:
            return math.sqrt(square)
        size = max(abs(v) for vector in self._vectors() for v in vector)
        return math.sqrt(total(self._squares(size or 1.0))) * size

    def _vectors(self) -> list[list[float]]:
        return [[b, *w] for w, b in zip(self.model.w, self.model.b)]

    def _squares(self, over: float = 1.0) -> list[float]:
        """Σ w² of each vector with its bias, in the order of the native sums."""
        lanes = reference.LANES if len(self.model.w) == 1 else 1
        return [_squared([v / over for v in vector], lanes) for vector in self._vectors()]

    def _scale(self) -> float:
        """R with the bias feature, or √2·R between classes."""
        several = 2 if self.model.form == "multiclass" else 1
        constant2 = self.space.constant**2 if self.space.bias else 0.0
        R2 = max(reference.dot(self.space.xs[i], self.space.xs[i]) for i in self.present) + constant2
        if R2 * _EPS**2 > _TINY:
            return math.sqrt(R2 * several)
        return max(math.hypot(*self.space.xs[i]) for i in self.present) * math.sqrt(several) or 1.0


class KernelFloatEnd(FloatEnd):
    """The same in the space of a kernel, whose ‖w‖² is kept by the steps."""

    model: Any  # DualModel

    def _grow(self, row: int, step: reference.Step) -> None:
        """Nothing: ‖w‖² is known after each step."""

    def look(self) -> None:
        self.ending.upper = min(self.ending.upper, self._upper())

    def _norm2(self) -> tuple[float, float]:
        """‖w‖², and what rounding may have hidden in it."""
        return total(self.model.norms2), total(self.model.rounding)

    def _upper(self) -> float:
        """``‖w‖/Σ τ``; a kernel that is no inner product (a negative ‖w‖² gives it away) bounds nothing."""
        norm2, rounding = self._norm2()
        tau = self.tau[0] if self.rule.additive else 0.0
        if not tau > 0 or self.space.plan.kernel.name == "sigmoid" or norm2 + rounding < 0:  # type: ignore[union-attr]
            return math.inf
        return math.sqrt(max(norm2, 0.0) + rounding) / tau

    def _lower(self) -> float | None:
        norm2, hidden = self._norm2()
        if not norm2 - hidden > 0:
            return None
        R2 = max(0.0, *(self.space.norm2(i) for i in self.present))
        steps = zip(*(map(abs, coef) for _, coef, _ in self.model.history))
        size = max(map(total, steps), default=0.0)
        depth = len(self.model.kept) / 16 + 16
        rounding = (_EPS * depth * R2 + 4 * _TINY) * size / math.sqrt(norm2 - hidden)
        return float(self.least / math.sqrt(norm2 + hidden) - rounding)

    def _scale(self) -> float:
        R2 = max(0.0, *(self.space.norm2(i) for i in self.present))
        return math.sqrt(R2 * (2 if self.model.form == "multiclass" else 1)) or 1.0

    def _equal_rows(self) -> tuple[int, int] | None:
        kernel: Any = self.space.plan.kernel
        if kernel.name not in ("linear", "poly", "rbf"):  # of what else a value may be, nothing is known
            return None
        return super()._equal_rows()


def _squared(values: Sequence[float], n_lanes: int) -> float:
    """Σ v² in lanes that carry what their additions round off (Knuth's two-sum), added in a halving tree."""
    sums, lost = [0.0] * n_lanes, [0.0] * n_lanes
    for i, value in enumerate(values):
        lane, square = i % n_lanes, value * value
        now = sums[lane] + square
        part = now - sums[lane]
        lost[lane] += (sums[lane] - (now - part)) + (square - part)
        sums[lane] = now
    return _tree(sums) + _tree(lost)


def _tree(lanes: list[float]) -> float:
    half = len(lanes) // 2
    while half:
        lanes = [lanes[i] + lanes[i + half] for i in range(half)]
        half //= 2
    return lanes[0]


def _lane(row: Sequence[float]) -> int:
    """The most terms that a lane of this row has."""
    places = [j for j, value in enumerate(row) if value]
    return min(len(places), -(-(places[-1] + 1) // 16)) if places else 0
