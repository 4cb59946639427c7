"""Steps to the largest margin, which theory uses to find it."""

from __future__ import annotations

from dataclasses import dataclass

from .rule import Example, Number, Rule


@dataclass(frozen=True)
class HardMargin(Rule):
    """Steps to the largest margin: passive-aggressive, but a step may also take back some of the row's earlier ones.

    ``τ = max(−α, ℓ/‖x‖²)``, where α is the sum of the row's steps so far and ℓ = 1 − y·s may be negative. This is
    coordinate ascent in the dual of the hard-margin problem. It needs a number for each row, so it is no online rule
    and not in the table.

    References
    ----------
    Hildreth (1957), "A quadratic programming procedure".
    """

    shares = ("max",)
    online = False

    def step(self, e: Example) -> Number:
        """max(−α, ℓ/‖x‖²), where the example's weight is α, the sum of its steps so far."""
        return max(-e.weight, e.loss / e.norm2) if e.norm2 > 0 else 0

    def native(self, share: str) -> tuple[object, ...]:
        return ("hard margin",)
