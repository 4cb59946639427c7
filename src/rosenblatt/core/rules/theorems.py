"""What papers prove of rules: bounds on their mistakes, and the potential that each update lowers.

With a separator u, z = y·x and γ' = min u·z, both come from one argument: every update lowers ``‖w − αu‖²``, which
cannot fall below 0. References: Novikoff (1962); Crammer et al. (2006), lemma 1.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

Number = Any  # int, Fraction or float


class MistakeTheorem(NamedTuple):
    """A bound α²/β² on the mistakes: each takes at least β² off ``‖w/η − αŵ‖²``, ŵ of length 1."""

    words: str
    alpha: float
    beta2: float
    of_updates: bool = False  # it bounds the updates, of which mistakes are some


class Potential:
    """``‖w − αu‖²``, and what an update of size T takes off it at least."""

    #: Whether ‖w‖² has a ceiling too, from which a bound on the angle between w and u follows.
    bounds_norm: ClassVar[bool] = False
    #: Whether Σ ℓ² ≤ (R/γ)² from zero weights.
    bounds_losses: bool = False

    def alpha(self, gamma: Number, R2: Number, largest: Number) -> Number:
        """The multiple of u; ``largest`` is the largest weight of an example (in a batch: of all together)."""
        raise NotImplementedError

    def fall(self, T: Number, R2: Number, gained: Number) -> Number:
        """By how much it falls at least; ``gained`` is 2Σ τ·ℓ − ‖Δw‖²."""
        raise NotImplementedError

    def fall_in_words(self, T: str, w: str) -> str:
        """The same in symbols."""
        raise NotImplementedError

    def growth(self, T: Number, R2: Number) -> Number:
        """By how much ‖w‖² grows at most, where it ``bounds_norm``."""
        raise NotImplementedError

    def growth_in_words(self, T: str) -> str:
        """The same in symbols."""
        raise NotImplementedError

    def updates_bound(self, step: Number, R2: Number) -> Number | None:
        """γ² times a bound on the updates from zero weights, all of this size; None: no theorem speaks of them."""
        return None

    def updates_bound_in_words(self) -> tuple[str, str]:
        """Whose bound that is, and its formula."""
        raise NotImplementedError


class EqualSteps(Potential):
    """Of the perceptron: steps of size η while the margin is at most m."""

    bounds_norm = True

    def __init__(self, eta: Number, margin: Number) -> None:
        self.eta, self.margin = eta, margin

    def alpha(self, gamma: Number, R2: Number, largest: Number) -> Number:
        return (self.eta * largest * R2 + self.margin) / gamma

    def fall(self, T: Number, R2: Number, gained: Number) -> Number:
        return T * T * R2

    def fall_in_words(self, T: str, w: str) -> str:
        return f"{T}²R²"

    def growth(self, T: Number, R2: Number) -> Number:
        return T * T * R2 + 2 * T * self.margin

    def growth_in_words(self, T: str) -> str:
        return f"{T}²R²" + (f" + 2{T}m" if self.margin else "")

    def updates_bound(self, step: Number, R2: Number) -> Number:
        return R2 + 2 * self.margin / step

    def updates_bound_in_words(self) -> tuple[str, str]:
        return ("Margin perceptron", "(R² + 2m/η)/γ²") if self.margin else ("Novikoff", "(R/γ)²")


class HingeLoss(Potential):
    """Of the passive-aggressive rules: with α = 1/γ' it falls by at least 2Σ τ·ℓ − ‖Δw‖² > 0."""

    def __init__(self, bounds_losses: bool = False) -> None:
        self.bounds_losses = bounds_losses

    def alpha(self, gamma: Number, R2: Number, largest: Number) -> Number:
        return 1 / gamma

    def fall(self, T: Number, R2: Number, gained: Number) -> Number:
        return gained

    def fall_in_words(self, T: str, w: str) -> str:
        return f"2Σ τ·ℓ − ‖Δ{w}‖²"
