"""The second-order perceptron, and the bound on its mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..checks import check_finite
from .rule import Example, Number
from .second_order import CONFIDENCE_IN_WORDS, SecondOrder, Shrink, positive


@dataclass(frozen=True, eq=False, repr=False)
class SecondOrderPerceptron(SecondOrder):
    """The second-order perceptron: on a mistake ``b ← b + y·x`` and ``A ← A + x xᵀ``; the weights are ``w = A⁻¹b``.

    It begins with ``A = a·I``. The paper judges by the sign of ``b·(A + x xᵀ)⁻¹x``, that is ``w·x/(1 + xᵀA⁻¹x)``, so by
    that of ``w·x``. With ``confidence="diagonal"`` the off-diagonal of A is dropped, ``w_j = b_j/A_j``.

    Parameters
    ----------
    a : float, default=1.0
        > 0. The larger, the nearer to the perceptron. An example of weight v adds v·y·x and v·x xᵀ.
    confidence : {"diagonal", "full"}, default="diagonal"
        A number for each weight, or the whole of A.

    References
    ----------
    Cesa-Bianchi, Conconi & Gentile (2005), "A second-order perceptron algorithm", fig. 3.1 and theorem 3.1.
    """

    a: float = 1.0
    confidence: str = "diagonal"

    option, title = "sop", "Second-order perceptron"
    descriptions: ClassVar[dict[str, str]] = {
        "a": "sop: the larger, the nearer to the perceptron (default: 1)",
        "confidence": CONFIDENCE_IN_WORDS,
    }
    controls = (positive("a", "a", "the larger, the nearer to the perceptron"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_finite("a", self.a, 0, strict=True)

    @property
    def prior(self) -> float:
        return self.a

    def step(self, e: Example) -> Number:
        """1 on a mistake: what b gains of y·x."""
        return e.weight if e.wrong else 0

    def shrink(self, e: Example, alpha: Number) -> Shrink:
        """A gains x xᵀ."""
        return Shrink("sums", alpha)

    def native(self, share: str) -> tuple[object, ...]:
        return ("SOP",)

    @property
    def bounds_own_run(self) -> bool:
        """With the whole of A; of its diagonal no theorem speaks."""
        return self.keeps == "full"

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "≤", 0

    def update_formula(self) -> str:
        return "«w» ← «A»⁻¹·Σ «y»«x» over the mistakes"

    def shrink_formula(self) -> str:
        return "«A» ← «A» + «x»«x»ᵀ"
