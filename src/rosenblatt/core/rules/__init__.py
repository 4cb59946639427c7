"""The rules: how far to move on an example. One frozen dataclass each: parameters, ranges, source.

The arithmetic stands in ``reference.py`` (plain Python) and ``native/rules.hpp`` (the same, compiled).

>>> from rosenblatt import rules
>>> rules.PA1(C=0.1)
PA1(C=0.1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, Union

__all__ = ["MIRA", "NormMIRA", "PA", "PA1", "PA2", "Perceptron"]

#: How the classes share a step when there are more than two; "ovr" trains one against the rest.
SHARES = ("max", "uniform", "proportional", "ovr")


def _number(rule: object, name: str, low: float, strict: bool) -> None:
    value = getattr(rule, name)
    ok = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not ok or value < low or (strict and value == low):
        bound = f"{'>' if strict else '>='} {low:g}"
        raise ValueError(f"{name} must be a finite number {bound}, got {value!r}")


@dataclass(frozen=True)
class Perceptron:
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
    shares: ClassVar[tuple[str, ...]] = SHARES
    #: What the first two class vectors are of the one binary vector: W = (−w, +w) times this.
    class_share: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        _number(self, "eta0", 0, strict=True)
        _number(self, "margin", 0, strict=False)

    def native(self, share: str) -> tuple[object, ...]:
        return ("perceptron", float(self.eta0), float(self.margin), share)


@dataclass(frozen=True)
class PA:
    """Passive-aggressive: the smallest step after which the example has margin 1, ``τ = ℓ/‖x‖²``.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), fig. 1.
    """

    shares: ClassVar[tuple[str, ...]] = ("max", "ovr")
    class_share: ClassVar[float] = 0.5

    def native(self, share: str) -> tuple[object, ...]:
        return ("PA",)


@dataclass(frozen=True)
class PA1:
    """PA-I: passive-aggressive with the step capped, ``τ = min(C, ℓ/‖x‖²)``.

    Parameters
    ----------
    C : float, default=1.0
        The cap, > 0: the largest step one example may cause.

    References
    ----------
    Crammer et al. (2006), fig. 1.
    """

    C: float = 1.0
    shares: ClassVar[tuple[str, ...]] = ("max", "ovr")
    class_share: ClassVar[float] = 0.5

    def __post_init__(self) -> None:
        _number(self, "C", 0, strict=True)

    def native(self, share: str) -> tuple[object, ...]:
        return ("PA1", float(self.C))


@dataclass(frozen=True)
class PA2:
    """PA-II: passive-aggressive with the step damped, ``τ = ℓ/(‖x‖² + 1/(2C))``.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness, > 0: the larger, the nearer to PA.

    References
    ----------
    Crammer et al. (2006), fig. 1.
    """

    C: float = 1.0
    shares: ClassVar[tuple[str, ...]] = ("max", "ovr")
    class_share: ClassVar[float] = 0.5

    def __post_init__(self) -> None:
        _number(self, "C", 0, strict=True)

    def native(self, share: str) -> tuple[object, ...]:
        return ("PA2", float(self.C))


@dataclass(frozen=True)
class MIRA:
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
    shares: ClassVar[tuple[str, ...]] = ("max",)
    class_share: ClassVar[float] = 0.5

    def __post_init__(self) -> None:
        if self.C is not None:
            _number(self, "C", 0, strict=True)

    def native(self, share: str) -> tuple[object, ...]:
        return ("MIRA", math.inf if self.C is None else float(self.C))


@dataclass(frozen=True)
class NormMIRA:
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
    shares: ClassVar[tuple[str, ...]] = ("max",)
    class_share: ClassVar[float] = 0.5

    def __post_init__(self) -> None:
        _number(self, "beta", 0, strict=True)

    def native(self, share: str) -> tuple[object, ...]:
        return ("NormMIRA", float(self.beta))


@dataclass(frozen=True)
class HardMargin:
    """Steps to the largest margin: passive-aggressive, but a row also gives back what it was given too much of.

    ``τ = max(−α, ℓ/‖x‖²)``, where α is what the row has been given so far and ℓ = 1 − y·s may be negative. This is
    coordinate ascent in the dual of the hard-margin problem. It needs a number for each row, so it is no online rule
    and not in the table: the theory uses it to find the maximum margin.

    References
    ----------
    Hildreth (1957), "A quadratic programming procedure".
    """

    shares: ClassVar[tuple[str, ...]] = ("max",)
    class_share: ClassVar[float] = 0.5

    def native(self, share: str) -> tuple[object, ...]:
        return ("hard margin",)


Rule = Union[Perceptron, PA, PA1, PA2, MIRA, NormMIRA, HardMargin]
#: The table of rules.
ALL = (Perceptron, PA, PA1, PA2, MIRA, NormMIRA)
