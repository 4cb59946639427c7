"""The passive-aggressive rules: the smallest step that mends the loss, whole (PA), capped (PA-I) or damped (PA-II)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..checks import check_finite
from .rule import Control, Example, Number, Rule
from .theorems import HingeLoss, MistakeTheorem

#: Of all rules that have a C.
C_CONTROL = Control("C", "C", "largest step, or aggressiveness", 0.0001, 10_000, 0.1)


class PassiveAggressive(Rule):
    """What PA, PA-I, PA-II and MIRA have in common: they move while the loss ℓ = 1 − margin is positive."""

    regression = True
    additive = True

    @property
    def class_share(self) -> float:
        return 0.5

    def potential(self, batch: bool) -> HingeLoss | None:
        return None if batch else HingeLoss()

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "<", 1


def capped_theorem(C: float | None, R2: Any, gamma: Any, two: str) -> MistakeTheorem:
    """Of steps of at most C; None: of any size. Crammer et al. (2006), theorems 2 and 4."""
    if C is None:
        return MistakeTheorem(f"{two}(R/γ)², that of passive-aggressive steps", 1 / gamma, 1 / R2)
    return MistakeTheorem(f"max({two}R², 1/C)/γ², that of steps capped by C", 1 / gamma, 1 / max(R2, 1 / C))


@dataclass(frozen=True, eq=False, repr=False)
class PA(PassiveAggressive):
    """Passive-aggressive: the smallest step after which the example has margin 1, ``τ = ℓ/‖x‖²``.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), fig. 1.
    """

    option, title = "pa", "PA"

    def step(self, e: Example) -> Number:
        """ℓ/‖x‖²."""
        return e.loss / e.norm2 if e.loss > 0 and e.norm2 > 0 else 0

    def native(self, share: str) -> tuple[object, ...]:
        return ("PA",)

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem | None:
        return None if batch_rows is not None else capped_theorem(None, R2, gamma, two)

    def potential(self, batch: bool) -> HingeLoss | None:
        return None if batch else HingeLoss(bounds_losses=True)

    def formula(self, several: bool) -> str:
        return "«τ» = «ℓ»/«‖z‖²» = {}"


@dataclass(frozen=True, eq=False, repr=False)
class _Tempered(PassiveAggressive):
    """PA whose steps a parameter C > 0 keeps small."""

    C: float = 1.0

    controls = (C_CONTROL,)

    def __post_init__(self) -> None:
        check_finite("C", self.C, 0, strict=True)


@dataclass(frozen=True, eq=False, repr=False)
class PA1(_Tempered):
    """PA-I: passive-aggressive with the step capped, ``τ = min(C, ℓ/‖x‖²)``.

    Parameters
    ----------
    C : float, default=1.0
        The cap, > 0: the largest step one example may cause.

    References
    ----------
    Crammer et al. (2006), fig. 1.
    """

    option, title = "pa1", "PA-I"
    descriptions: ClassVar[dict[str, str]] = {"C": "pa1: largest step (default: 1)"}

    def step(self, e: Example) -> Number:
        """min(C, ℓ/‖x‖²)."""
        return min(e.weight * self.C, e.loss / e.norm2) if e.loss > 0 and e.norm2 > 0 else 0

    def native(self, share: str) -> tuple[object, ...]:
        return ("PA1", float(self.C))

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem | None:
        return None if batch_rows is not None else capped_theorem(self.C, R2, gamma, two)

    def formula(self, several: bool) -> str:
        return "«τ» = min(«C», «ℓ»/«‖z‖²») = {}"


@dataclass(frozen=True, eq=False, repr=False)
class PA2(_Tempered):
    """PA-II: passive-aggressive with the step damped, ``τ = ℓ/(‖x‖² + 1/(2C))``.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness, > 0: the larger, the nearer to PA.

    References
    ----------
    Crammer et al. (2006), fig. 1.
    """

    option, title = "pa2", "PA-II"
    descriptions: ClassVar[dict[str, str]] = {"C": "pa2: the larger, the less a step is damped (default: 1)"}

    def step(self, e: Example) -> Number:
        """ℓ/(‖x‖² + 1/(2C))."""
        return e.loss / (e.norm2 + 1 / (2 * (e.weight * self.C))) if e.loss > 0 and e.norm2 > 0 else 0

    def native(self, share: str) -> tuple[object, ...]:
        return ("PA2", float(self.C))

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem | None:
        """Crammer et al. (2006), theorem 5."""
        if batch_rows is not None:
            return None
        return MistakeTheorem(f"({two}R² + 1/(2C))/γ², PA-II's", 1 / gamma, 1 / (R2 + 1 / (2 * self.C)))

    def formula(self, several: bool) -> str:
        return "«τ» = «ℓ»/(«‖z‖²» + 1/(2«C»)) = {}"
