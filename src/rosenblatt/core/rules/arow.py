"""AROW and NHERD: the second-order rules that move while the loss 1 − m is positive, and damp the step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..checks import check_finite, check_name
from .passive_aggressive import C_CONTROL
from .rule import Example, Number
from .second_order import CONFIDENCE_IN_WORDS, SecondOrder, Shrink, positive


@dataclass(frozen=True, eq=False, repr=False)
class AROW(SecondOrder):
    """Adaptive regularisation of weights: ``w ← w + α·y·Σx``, ``α = (1 − m)/(v + r)`` while the margin m is below 1.

    Features that were seen often move little, rare ones much. Unlike confidence-weighted learning it does not insist
    that every example be right after its step, so that it bears wrong labels.

    Parameters
    ----------
    r : float, default=1.0
        > 0. The larger, the smaller the steps, and the slower the confidence grows: ``β = 1/(v + r)``. An example of
        weight v has r/v.
    variant : {"inverse", "covariance"}, default="inverse"
        With ``confidence="diagonal"``, what is dropped: the off-diagonal of Σ⁻¹, ``1/Σ_j ← 1/Σ_j + x_j²/r``, or that
        of Σ, ``Σ_j ← Σ_j − β·Σ_j²x_j²``.
    confidence : {"diagonal", "full"}, default="diagonal"
        A variance for each weight, or the whole of Σ.

    References
    ----------
    Crammer, Kulesza & Dredze (2009), "Adaptive regularization of weight vectors", fig. 1.
    """

    r: float = 1.0
    variant: str = "inverse"
    confidence: str = "diagonal"

    option, title = "arow", "AROW"
    variants: ClassVar[tuple[str, ...]] = ("inverse", "covariance")
    descriptions: ClassVar[dict[str, str]] = {
        "r": "arow: the larger, the smaller the steps (default: 1)",
        "variant": "arow: drop the off-diagonal of the inverse covariance or of the covariance (default: inverse)",
        "confidence": CONFIDENCE_IN_WORDS,
    }
    controls = (positive("r", "r", "the larger, the smaller the steps"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_finite("r", self.r, 0, strict=True)
        check_name("variant", self.variant, self.variants)

    def step(self, e: Example) -> Number:
        """(1 − m)/(v + r)."""
        return e.loss / (e.v + self.r / e.weight) if e.loss > 0 and e.v > 0 else 0

    def shrink(self, e: Example, alpha: Number) -> Shrink:
        """C = 1/r, β = 1/(v + r)."""
        return self._shrunk(self.variant == "covariance", e.weight / self.r, 1 / (e.v + self.r / e.weight))

    def native(self, share: str) -> tuple[object, ...]:
        return ("AROW", float(self.r), float(self.variant == "covariance" or self.keeps == "full"))

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "<", 1

    def formula(self, several: bool) -> str:
        return "«τ» = «ℓ»/(«v» + «r») = {}"

    def shrink_formula(self) -> str:
        if self.keeps == "full" or self.variant == "covariance":
            return "«β» = 1/(«v» + «r»)"
        return "«c» = 1/«r»"


@dataclass(frozen=True, eq=False, repr=False)
class NHERD(SecondOrder):
    """Gaussian herding: ``w ← w + α·y·Σx``, ``α = (1 − m)/(v + 1/C)`` while the margin m is below 1.

    Every weight vector of the Gaussian is moved so that it errs less on the example: their mean as AROW's with r = 1/C,
    and Σ by ``β = (C²v + 2C)/(1 + Cv)²``, about twice as fast.

    Parameters
    ----------
    C : float, default=1.0
        > 0. The larger, the nearer each example comes to margin 1. An example of weight v has C·v.
    variant : {"project", "drop", "exact"}, default="project"
        With ``confidence="diagonal"``: drop the off-diagonal of Σ⁻¹, ``1/Σ_j ← 1/Σ_j + (C²v + 2C)·x_j²``; drop that of
        Σ, ``Σ_j ← Σ_j − β·Σ_j²x_j²``; or herd each weight by itself, ``Σ_j ← Σ_j/(1 + C·x_j²Σ_j)²``.
    confidence : {"diagonal", "full"}, default="diagonal"
        A variance for each weight, or the whole of Σ.

    References
    ----------
    Crammer & Lee (2010), "Learning via Gaussian herding".
    """

    C: float = 1.0
    variant: str = "project"
    confidence: str = "diagonal"

    option, title = "nherd", "NHERD"
    variants: ClassVar[tuple[str, ...]] = ("project", "drop", "exact")
    descriptions: ClassVar[dict[str, str]] = {
        "C": "nherd: the larger, the nearer each row comes to margin 1 (default: 1)",
        "variant": "nherd: how Σ is kept diagonal (default: project)",
        "confidence": CONFIDENCE_IN_WORDS,
    }
    controls = (C_CONTROL,)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_finite("C", self.C, 0, strict=True)
        check_name("variant", self.variant, self.variants)

    def step(self, e: Example) -> Number:
        """(1 − m)/(v + 1/C)."""
        return e.loss / (e.v + 1 / (e.weight * self.C)) if e.loss > 0 and e.v > 0 else 0

    def shrink(self, e: Example, alpha: Number) -> Shrink:
        """C = C²v + 2C, β = (C²v + 2C)/(1 + Cv)²."""
        C = e.weight * self.C
        if self.variant == "exact" and self.keeps != "full":
            return Shrink("herd", C)
        c, rest = C * (2 + C * e.v), 1 + C * e.v
        return self._shrunk(self.variant == "drop", c, c / (rest * rest))

    def native(self, share: str) -> tuple[object, ...]:
        is_covariance = self.variant == "drop" or self.keeps == "full"
        return ("NHERD", float(self.C), 1.0 if is_covariance else 2.0 if self.variant == "exact" else 0.0)

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "<", 1

    def formula(self, several: bool) -> str:
        return "«τ» = «ℓ»/(«v» + 1/«C») = {}"

    def shrink_formula(self) -> str:
        if self.keeps == "full" or self.variant == "drop":
            return "«β» = («C»²«v» + 2«C»)/(1 + «C»«v»)²"
        return "«C»" if self.variant == "exact" else "«c» = «C»²«v» + 2«C»"
