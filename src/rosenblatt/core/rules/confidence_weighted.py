"""Confidence-weighted learning, CW and SCW: each example is to be right with probability η after its step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from ...errors import ParameterError
from ..checks import check_finite, check_name, is_finite
from .passive_aggressive import C_CONTROL
from .rule import Control, Example, Number
from .second_order import CONFIDENCE_IN_WORDS, SecondOrder, Shrink

_ETA = Control("eta", "Confidence η", "how probable a right answer is to be after the step", 0.51, 0.999, 0.01)


@lru_cache
def _quantile(eta: float) -> float:
    """φ = Φ⁻¹(η) of the standard normal, to 13 digits, which every machine agrees on."""
    from statistics import NormalDist  # takes its time to import, and few need it

    return float(f"{NormalDist().inv_cdf(float(eta)):.13g}")


class _Probable(SecondOrder):
    """A rule with a probability η."""

    rational = False

    def __post_init__(self) -> None:
        super().__post_init__()
        eta = self.parameters["eta"]
        if not is_finite(eta) or not 0.5 < eta < 1:
            raise ParameterError(f"eta must lie between 0.5 and 1, and be neither, got {eta!r}", "eta")

    @property
    def phi(self) -> float:
        """φ = Φ⁻¹(η)."""
        return _quantile(self.parameters["eta"])

    def _by_deviation(self, e: Example, alpha: Number) -> Shrink:
        """√u = (−αvφ + √(α²v²φ² + 4v))/2, here without a difference, c = αφ/√u and β = αφ/(√u + vαφ)."""
        step = alpha * self.phi
        along = step * e.v
        root = 2 * e.v / (math.sqrt(along * along + 4 * e.v) + along)
        return self._shrunk(False, step / root, step / (root + along))


def _deviation_step(m: Number, v: Number, phi: float) -> Number:
    """(−mψ + √(m²φ⁴/4 + vφ²ζ))/(vζ), ψ = 1 + φ²/2, ζ = 1 + φ²; where m > 0, so written that nothing cancels."""
    phi2 = phi * phi
    half = m * phi2 / 2
    root = math.sqrt(half * half + v * phi2 * (1 + phi2))
    if m > 0:
        return (phi2 * v - m * m) / (v * (root + m * (1 + phi2 / 2)))
    return (root - m * (1 + phi2 / 2)) / (v * (1 + phi2))


@dataclass(frozen=True, eq=False, repr=False)
class CW(_Probable):
    """Confidence-weighted learning: the nearest Gaussian that gets the example right with probability η.

    ``min KL(N(w', Σ') ‖ N(w, Σ))`` such that ``m' ≥ φ·v'`` ("variance") or ``m' ≥ φ√v'`` ("stdev"), φ = Φ⁻¹(η). Every
    example is made right, wrong labels too: SCW and AROW bear those.

    Parameters
    ----------
    eta : float, default=0.9
        The probability, between 0.5 and 1.
    variant : {"stdev", "variance"}, default="stdev"
        Which constraint: the margin against its standard deviation, which is the probability itself, or against the
        variance, as first published.
    confidence : {"diagonal", "full"}, default="diagonal"
        A variance for each weight, or the whole of Σ.

    References
    ----------
    Dredze, Crammer & Pereira (2008), "Confidence-weighted linear classification" (variance); Crammer, Dredze & Pereira
    (2008), "Exact convex confidence-weighted learning" (stdev).
    """

    eta: float = 0.9
    variant: str = "stdev"
    confidence: str = "diagonal"

    option, title = "cw", "CW"
    variants: ClassVar[tuple[str, ...]] = ("stdev", "variance")
    descriptions: ClassVar[dict[str, str]] = {
        "eta": "cw and scw: how probable a right answer is to be after a step, between 0.5 and 1 (default: 0.9)",
        "variant": "cw: the margin against its standard deviation or its variance (default: stdev)",
        "confidence": CONFIDENCE_IN_WORDS,
    }
    controls = (_ETA,)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_name("variant", self.variant, self.variants)

    def step(self, e: Example) -> Number:
        """stdev: (−mψ + √(m²φ⁴/4 + vφ²ζ))/(vζ); variance: (−(1 + 2φm) + √((1 + 2φm)² − 8φ(m − φv)))/(4φv)."""
        m, v, phi = e.margin, e.v, self.phi
        if not v > 0:
            return 0
        if self.variant == "stdev":
            return _deviation_step(m, v, phi) if m < phi * math.sqrt(v) else 0
        if not m < phi * v:
            return 0
        b = 1 + 2 * phi * m
        root = math.sqrt(b * b + 8 * phi * (phi * v - m))
        return 2 * (phi * v - m) / (v * (root + b)) if b > 0 else (root - b) / (4 * phi * v)

    def shrink(self, e: Example, alpha: Number) -> Shrink:
        """Of variance c = 2αφ; else as SCW's."""
        if self.variant == "stdev":
            return self._by_deviation(e, alpha)
        c = 2 * alpha * self.phi
        return self._shrunk(False, c, c / (1 + c * e.v))

    def native(self, share: str) -> tuple[object, ...]:
        return ("CW", self.phi, float(self.variant == "variance"), float(self.keeps == "full"))

    def formula(self, several: bool) -> str:
        if self.variant == "stdev":
            return "«τ» = (−«m»ψ + √(«m»²«φ»⁴/4 + «v»«φ»²ζ))/(«v»ζ) = {}"
        return "«τ» = (−(1 + 2«φ»«m») + √((1 + 2«φ»«m»)² − 8«φ»(«m» − «φ»«v»)))/(4«φ»«v») = {}"

    def shrink_formula(self) -> str:
        if self.variant == "variance":
            return "«c» = 2«τ»«φ»" if self.keeps != "full" else "«β» = 2«τ»«φ»/(1 + 2«τ»«φ»«v»)"
        return "«c» = «τ»«φ»/√«u»" if self.keeps != "full" else "«β» = «τ»«φ»/(√«u» + «v»«τ»«φ»)"


@dataclass(frozen=True, eq=False, repr=False)
class SCW(_Probable):
    """Soft confidence-weighted learning: CW (stdev) that may miss its constraint at the price C of the loss.

    The loss ``ℓ = max(0, φ√v − m)`` is added to CW's problem, times C (I) or squared and times C (II).

    Parameters
    ----------
    C : float, default=1.0
        > 0. The larger, the nearer to CW. An example of weight v has C·v.
    eta : float, default=0.9
        The probability, between 0.5 and 1.
    variant : {"I", "II"}, default="I"
        The loss as it is, so that α is at most C; or squared.
    confidence : {"diagonal", "full"}, default="diagonal"
        A variance for each weight, or the whole of Σ.

    References
    ----------
    Wang, Zhao & Hoi (2012), "Exact soft confidence-weighted learning", propositions 1 and 2.
    """

    C: float = 1.0
    eta: float = 0.9
    variant: str = "I"
    confidence: str = "diagonal"

    option, title = "scw", "SCW"
    variants: ClassVar[tuple[str, ...]] = ("I", "II")
    descriptions: ClassVar[dict[str, str]] = {
        "C": "scw: largest step (I), or how little it is damped (II) (default: 1)",
        "eta": CW.descriptions["eta"],
        "variant": "scw: the loss as it is or squared (default: I)",
        "confidence": CONFIDENCE_IN_WORDS,
    }
    controls = (C_CONTROL, _ETA)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_finite("C", self.C, 0, strict=True)
        check_name("variant", self.variant, self.variants)

    def step(self, e: Example) -> Number:
        """I: CW's, at most C; II: (−m(2n + φ²v) + φ√(φ²m²v² + 4nv(n + vφ²)))/(2n(n + vφ²)), n = v + 1/(2C)."""
        m, v, phi, C = e.margin, e.v, self.phi, e.weight * self.C
        if not (v > 0 and m < phi * math.sqrt(v)):
            return 0
        if self.variant == "I":
            return min(C, _deviation_step(m, v, phi))
        n, spread = v + 1 / (2 * C), phi * phi * v
        along, both = m * (2 * n + spread), n + spread
        root = phi * math.sqrt(m * m * spread * v + 4 * n * v * both)
        return 2 * (phi * phi * v - m * m) / (root + along) if m > 0 else (root - along) / (2 * n * both)

    def shrink(self, e: Example, alpha: Number) -> Shrink:
        """√u = (−αvφ + √(α²v²φ² + 4v))/2, c = αφ/√u, β = αφ/(√u + vαφ)."""
        return self._by_deviation(e, alpha)

    def native(self, share: str) -> tuple[object, ...]:
        return ("SCW", self.phi, float(self.C), float(self.variant == "II"), float(self.keeps == "full"))

    def formula(self, several: bool) -> str:
        if self.variant == "I":
            return "«τ» = min(«C», (−«m»ψ + √(«m»²«φ»⁴/4 + «v»«φ»²ζ))/(«v»ζ)) = {}"
        return "«τ» = (−«m»(2«n» + «φ»²«v») + «φ»√(«φ»²«m»²«v»² + 4«n»«v»(«n» + «v»«φ»²)))/(2«n»(«n» + «v»«φ»²)) = {}"

    def shrink_formula(self) -> str:
        return "«c» = «τ»«φ»/√«u»" if self.keeps != "full" else "«β» = «τ»«φ»/(√«u» + «v»«τ»«φ»)"
