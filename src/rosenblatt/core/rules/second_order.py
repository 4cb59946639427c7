"""What the second-order rules have in common: beside the weights they keep how sure they are of each.

The weights are the mean of a Gaussian of covariance Σ, which begins as ``a·I``. An example has the margin m and the
variance ``v = xᵀΣx`` (several classes: ``xᵀΣ_y x + xᵀΣ_r x``, one Σ for each). A step moves the mean by ``α·y·Σx``, by
the Σ before it, and makes Σ smaller along x:

    Σ ← Σ − β·Σx xᵀΣ,   which is   Σ⁻¹ ← Σ⁻¹ + c·x xᵀ   with   β = c/(1 + c·v).

``confidence="full"`` keeps all of Σ; "diagonal" keeps a number for each weight, and there what is dropped makes a
difference: the off-diagonal of Σ⁻¹ ("inverse": ``1/Σ_j ← 1/Σ_j + c·x_j²``) or that of Σ ("covariance":
``Σ_j ← Σ_j − β·Σ_j²x_j²``). What is stored is ``p`` with ``Σ_j = 1/(1/a + p_j)``, so that a feature that was never met
has 0.

A step is not a multiple of y·x. So nothing here bounds the best margin from above, and no run of such a rule ends
with the verdict "no margin".
"""

from __future__ import annotations

from typing import NamedTuple

from ..checks import check_name
from .rule import Control, Example, Number, Rule

CONFIDENCES = ("diagonal", "full")
#: What parameters of several of these rules are, in words.
CONFIDENCE_IN_WORDS = (
    "arow, scw, cw, nherd and sop: keep a number for each weight, or a matrix, for at most some thousands of features "
    "(default: diagonal)"
)


class Shrink(NamedTuple):
    """How Σ becomes smaller: which form of the update, and its number.

    "inverse" adds ``c·x_j²`` to ``1/Σ_j``, "covariance" takes ``β·Σ_j²x_j²`` off Σ_j (a full Σ: ``β·Σx xᵀΣ``), "herd"
    divides Σ_j by ``(1 + C·x_j²Σ_j)²``, and "sums" is the second-order perceptron's, which adds ``v·y·x`` to b and
    ``v·x xᵀ`` to A, of an example of weight v.
    """

    form: str
    number: Number


class SecondOrder(Rule):
    """A rule that keeps a covariance Σ beside the weights."""

    spaces = ("linear", "sequence")
    divides_by_norm = True

    @property
    def keeps(self) -> str:
        return str(self.parameters["confidence"])

    def __post_init__(self) -> None:
        check_name("confidence", self.parameters["confidence"], CONFIDENCES)

    @property
    def class_share(self) -> float:
        """Half of w for each of two class vectors; both take over what was learned of the confidence."""
        return 0.5

    def check_fits(self, space: str, share: str, regression: bool) -> None:
        if space == "kernel":
            raise ValueError(
                f"{type(self).__name__} keeps a confidence for each feature, which the space of a kernel has not; it "
                "goes with linear learners"
            )
        super().check_fits(space, share, regression)

    def shrink(self, e: Example, alpha: Number) -> Shrink:
        """How Σ becomes smaller at a step α."""
        raise NotImplementedError(f"{type(self).__name__} has no shrink: define shrink(self, e, alpha)")

    def _shrunk(self, is_covariance: bool, c: Number, beta: Number) -> Shrink:
        """By c where the inverse is added to, by β where the covariance is taken from, as a full one always is."""
        return Shrink("covariance", beta) if is_covariance or self.keeps == "full" else Shrink("inverse", c)

    def update_formula(self) -> str:
        return "«w» ← «w» + «τ»·«y»·«Σ»«x»"


def positive(name: str, label: str, title: str) -> Control:
    """A control of a parameter > 0."""
    return Control(name, label, title, 0.0001, 10_000, 0.1)
