"""A kernel as a function of two examples, in plain Python: exact where its values are fractions, else rounded once.

exp and tanh are correctly rounded, which no mathematical library promises, so that every machine gets the same number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from operator import sub
from typing import Any

from ... import exact
from ...checks import check_finite
from ...sums import product

Number = Any  # int, Fraction or float

#: The kernels that have a name, and the parameters that each uses.
USES: dict[str, tuple[str, ...]] = {
    "linear": (), "poly": ("gamma", "degree", "coef0"), "rbf": ("gamma",), "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
}  # fmt: skip
NAMES = tuple(USES)
_DIGITS = Context(prec=40)  # of exp and tanh before they are rounded to the 16 or 17 of a float


@dataclass(frozen=True)
class KernelFunction:
    """A kernel and its parameters.

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable
        ``x·x'``, ``(γ·x·x' + c)^d``, ``exp(−γ‖x − x'‖²)``, ``tanh(γ·x·x' + c)``, the rows of X are the kernel's, or a
        function of two blocks that returns their matrix.
    gamma, degree, coef0 : float
        γ, d and c.
    bias : bool
        Add the constant 1: the bias as a constant feature.
    """

    name: str | Callable[[Any, Any], Any]
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0
    bias: bool = True

    def __post_init__(self) -> None:
        if not callable(self.name) and not (isinstance(self.name, str) and self.name in NAMES):
            known = ", ".join(map(repr, NAMES))
            raise ValueError(f"kernel must be one of {known} or a function of two blocks of rows; got {self.name!r}")
        check_finite("gamma", self.gamma, 0, strict=True)
        check_finite("degree", self.degree, 1)
        check_finite("coef0", self.coef0)

    def __deepcopy__(self, memo: Any) -> KernelFunction:
        """Itself: nothing in it changes, and a function of the user's stays the user's."""
        return self

    def in_fractions(self, product: Any) -> Any:
        """K from an inner product x·x' (or a block of them) in exact numbers; None where it is no fraction of it."""
        if self.name == "linear":
            return product + int(self.bias)
        if self.name == "poly" and self.degree == int(self.degree):
            shifted = exact.number(self.gamma) * product + exact.number(self.coef0)
            return shifted ** int(self.degree) + int(self.bias)
        return None

    def between(self, x: Sequence[float], z: Sequence[float], roughly: bool = False) -> float:
        """K(x, z) of two examples of floats; ``roughly``: for a picture, by what the machine makes of exp and tanh."""
        if self.name == "rbf":
            apart = list(map(sub, x, z))
            square = product(apart, apart)
            value = math.exp(-self.gamma * square) if roughly else _exp(-self.gamma * square)
        else:
            value = product(x, z)
            if self.name == "poly":
                value = _power(self.gamma * value + self.coef0, self.degree)
            elif self.name == "sigmoid":
                value = self.gamma * value + self.coef0
                value = math.tanh(value) if roughly else _tanh(value)
            elif self.name != "linear":
                raise ValueError(f"a kernel that is {self.name!r} has no function of two examples")
        return value + 1.0 if self.bias else value + 0.0

    def values(self, A: Sequence[Sequence[float]], B: Sequence[Sequence[float]]) -> list[list[float]]:
        """K of the rows of two blocks, for a picture."""
        return [[self.between(a, b, roughly=True) for b in B] for a in A]


def _power(value: float, degree: float) -> float:
    return math.prod([value] * int(degree)) if degree == int(degree) else float(value**degree)


def _exp(value: float) -> float:
    with localcontext(_DIGITS):
        return float(Decimal(value).exp())


def _tanh(value: float) -> float:
    if abs(value) > 25:  # which rounds to 1
        return math.copysign(1.0, value)
    with localcontext(_DIGITS):
        twice = Decimal(2 * value).exp()
        return float((twice - 1) / (twice + 1)) if abs(value) > 1e-8 else value
