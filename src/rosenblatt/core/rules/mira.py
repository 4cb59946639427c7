"""MIRA, whose step moves all class vectors at once: for a margin, and as first published for the smallest norm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..checks import check_finite
from .passive_aggressive import PassiveAggressive, capped_theorem
from .rule import Control, Example, Number, Rule
from .theorems import MistakeTheorem

_SHARED = "«τ» = {}, shared among the classes as MIRA does"


@dataclass(frozen=True, eq=False, repr=False)
class MIRA(PassiveAggressive):
    """MIRA: the smallest change of all class vectors after which every wrong class is beaten by 1.

    Parameters
    ----------
    C : float or None, default=None
        Caps the summed step, > 0; None: no cap. With two classes it is PA, or PA-I with this C.

    References
    ----------
    Crammer & Singer (2003), section 5; Crammer et al. (2006), section 8.
    """

    C: float | None = None

    option, title = "mira", "MIRA"
    descriptions: ClassVar[dict[str, str]] = {"C": "mira: largest sum of steps (default: no limit)"}
    shares = ("max",)

    def __post_init__(self) -> None:
        if self.C is not None:
            check_finite("C", self.C, 0, strict=True)

    def step(self, e: Example) -> Number:
        """Two classes: min(C, ℓ/‖x‖²)."""
        C = math.inf if self.C is None else self.C
        return min(e.weight * C, e.loss / e.norm2) if e.loss > 0 and e.norm2 > 0 else 0

    def spread(self, e: Example, share: str) -> list[Number]:
        """The smallest change after which every wrong class is beaten by 1, with a shared slack under C."""
        coef: list[Number] = [0] * len(e.scores)
        cap_A = math.inf if self.C is None else e.weight * self.C * e.A
        if not (e.loss > 0 and e.A > 0 and cap_A > 0):
            return coef
        losses = sorted((1 - (e.scores[e.y] - s) for r, s in enumerate(e.scores) if r != e.y), reverse=True)
        total: Number = 0
        k = 0
        for loss in losses:
            if not (k + 1) * loss > total:
                break
            total, k = total + loss, k + 1
        level, lift = total / (k + 1), 0
        if self.C is not None and level > cap_A:
            total, k = 0, 0
            for loss in losses:
                if not k * loss > total - cap_A:
                    break
                total, k = total + loss, k + 1
            level, lift = total / k, e.weight * self.C / k
        gain: Number = 0
        for r, s in enumerate(e.scores):
            tau = (1 - (e.scores[e.y] - s) - level) / e.A + lift
            if r != e.y and tau > 0:
                coef[r] = -tau
                gain = gain + tau
        coef[e.y] = gain
        return coef

    def native(self, share: str) -> tuple[object, ...]:
        return ("MIRA", math.inf if self.C is None else float(self.C))

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem | None:
        return None if batch_rows is not None else capped_theorem(self.C, R2, gamma, two)

    def formula(self, several: bool) -> str:
        return _SHARED if several else "«τ» = «ℓ»/«‖z‖²» = {}"


@dataclass(frozen=True, eq=False, repr=False)
class NormMIRA(Rule):
    """MIRA as first published: the class vectors of smallest norm, each moved by at most one example.

    Parameters
    ----------
    beta : float, default=0.01
        The margin below which an example counts as wrong, > 0: with 0 it would never leave zero weights.

    References
    ----------
    Crammer & Singer (2003), fig. 3.
    """

    beta: float = 0.01

    option, title = "norm-mira", "MIRA, norm"
    descriptions: ClassVar[dict[str, str]] = {"beta": "norm-mira: margin below which it updates (default: 0.01)"}
    controls = (Control("beta", "β", "the margin asked for", 0.0001, 100, 0.01),)
    spaces = ("linear", "kernel")  # of sentences it has no step against one rival
    shares = ("max",)
    additive = True

    def __post_init__(self) -> None:
        check_finite("beta", self.beta, 0, strict=True)

    def step(self, e: Example) -> Number:
        """Two classes: W = (−w/2, +w/2), so w moves by twice what the right class gains, at most 2."""
        return min(2.0, (self.beta - e.margin) / e.norm2) if e.margin < self.beta and e.norm2 > 0 else 0

    def spread(self, e: Example, share: str) -> list[Number]:
        """Crammer & Singer's dual, solved by sorting: τ_r = min(θ, D_r) − B_r/A.

        Where the right class gains 1, all it may, scores are measured from the best wrong one, else from its own: so no
        step loses digits to larger numbers, and Σ τ is 0.
        """
        k = len(e.scores)
        if not (e.margin < self.beta and e.A > 0):
            return [0] * k
        ordered = sorted((s for r, s in enumerate(e.scores) if r != e.y), reverse=True)
        below = [(ordered[0] - s) / e.A for s in ordered]
        above = [(self.beta - (e.scores[e.y] - s)) / e.A for s in ordered]
        total: Number = 0
        drop: Number = 0
        for p in range(1, k):
            total = total + below[p - 1]
            drop = (total + 1) / p
            if p < k - 1 and drop <= below[p]:
                break
        if above[0] - drop >= 1:
            return [1 if r == e.y else min((ordered[0] - s) / e.A - drop, 0) for r, s in enumerate(e.scores)]
        theta: Number = 0
        total = 0
        for p in range(1, k):
            total = total + above[p - 1]
            theta = total / (p + 1)
            if p < k - 1 and theta >= above[p]:
                break
        B = [(self.beta - (e.scores[e.y] - s)) / e.A for s in e.scores]
        return [theta if r == e.y else min(theta, B[r]) - B[r] for r in range(k)]

    def native(self, share: str) -> tuple[object, ...]:
        return ("NormMIRA", float(self.beta))

    @property
    def class_share(self) -> float:
        return 0.5

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "<", self.beta

    def formula(self, several: bool) -> str:
        return _SHARED
