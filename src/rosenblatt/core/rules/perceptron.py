"""Rosenblatt's perceptron, with or without a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..checks import check_finite
from .rule import SHARES, Control, Example, Number, Rule
from .theorems import EqualSteps, MistakeTheorem


@dataclass(frozen=True, eq=False, repr=False)
class Perceptron(Rule):
    """Rosenblatt's rule: ``w ← w + η·y·x`` on a mistake, or whenever ``y·s ≤ margin`` if a margin is asked for.

    Parameters
    ----------
    eta0 : float, default=1.0
        The step η > 0. From zero weights it only scales them.
    margin : float, default=0.0
        Update on right answers too while their score is at most this. 0 updates on mistakes alone.

    References
    ----------
    Rosenblatt (1958); with a margin, Duda & Hart (1973), section 5.5. Several classes: Crammer & Singer (2003).
    """

    eta0: float = 1.0
    margin: float = 0.0

    option, title = "perceptron", "Perceptron"
    descriptions: ClassVar[dict[str, str]] = {
        "eta0": "learning rate of the perceptron rules (default: 1)",
        "margin": "the perceptron also updates on right answers that score at most this (default: 0)",
    }
    controls = (
        Control("eta0", "η", "learning rate", 0.001, 1000, 0.1),
        Control("margin", "Margin", "also move on right answers that score no more than this", 0, 1000, 0.5),
    )
    shares = SHARES
    additive, divides_by_norm, short_in_fractions = True, False, True

    def __post_init__(self) -> None:
        check_finite("eta0", self.eta0, 0, strict=True)
        check_finite("margin", self.margin, 0)

    def step(self, e: Example) -> Number:
        """η on a mistake, or whenever the margin is at most the one asked for."""
        inside = self.margin > 0 and e.margin <= self.margin
        return self.eta0 * e.weight if e.wrong or inside else 0

    def spread(self, e: Example, share: str) -> list[Number]:
        """The offenders lose what the right class gains: the rival, all alike, or in proportion to their excess."""
        coef: list[Number] = [0] * len(e.scores)
        tau = self.step(e)
        if tau == 0:
            return coef
        if share == "max":
            coef[e.rival] = -tau
        else:
            excess = {r: self.margin - (e.scores[e.y] - s) for r, s in enumerate(e.scores) if r != e.y}
            offenders = {r: value for r, value in excess.items() if value >= 0}
            total: Number = 0
            for value in offenders.values():
                total = total + value
            for r, value in offenders.items():
                coef[r] = -(tau * (value / total)) if share == "proportional" and total > 0 else -(tau / len(offenders))
        coef[e.y] = tau
        return coef

    def native(self, share: str) -> tuple[object, ...]:
        return ("perceptron", float(self.eta0), float(self.margin), share)

    @property
    def step_factor(self) -> float:
        return self.eta0

    @property
    def unit_steps(self) -> bool:
        return self.eta0 == 1 and self.margin == 0

    @property
    def class_share(self) -> float:
        return 1.0

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem:
        """Novikoff's; with a margin m it bounds the updates, and a batch of n rows multiplies R² by n."""
        beta2, n = R2, "" if batch_rows is None else "n"
        if batch_rows is not None:
            beta2 = batch_rows * R2
        if self.margin > 0:
            beta2 = beta2 + 2 * self.margin / self.eta0
            which = "margin perceptron's" if batch_rows is None else "batch perceptron's with a margin"
            words = f"({two}{n}R² + 2m/η)/γ², the {which}, of updates"
        else:
            words = f"{two}(R/γ)², Novikoff 1962" if not n else f"{two}n·(R/γ)², the batch perceptron's"
        return MistakeTheorem(words, beta2 / gamma, beta2, self.margin > 0)

    @property
    def bounds_one_pass(self) -> bool:
        return self.margin == 0

    def potential(self, batch: bool) -> EqualSteps:
        return EqualSteps(self.eta0, self.margin)

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "≤", self.margin

    def formula(self, several: bool) -> str:
        return "«τ» = «η» = {}"
