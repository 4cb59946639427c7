"""Numbers, vectors and roots as a person would write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Number = Any  # int, Fraction or float

#: Exact numbers that take more places than this are shown as decimals; they are kept exact.
LONG = 15
#: More features than this are shown by name, those that are not 0.
FEW = 8
#: Names that take more places than this in all are shown with each number instead of in the heading.
SHORT = 28


def number(value: Number) -> str:
    """A number with a true minus sign: exact ones as they are unless they are very long, floats to five digits."""
    told = f"{value + 0.0:.5g}" if isinstance(value, float) else str(value)
    if len(told) > LONG:
        told = f"≈{float(value):.5g}"
    return told.replace("-", "−")


def label(value: Any) -> str:
    """A label as the user gave it."""
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def root(square: Number) -> str:
    """√ of an exact number, in its simplest form; of a float, its value."""
    if isinstance(square, float):
        return number(math.sqrt(square))
    top, bottom = Fraction(square).numerator, Fraction(square).denominator
    a, b = math.isqrt(top), math.isqrt(bottom)
    if a * a == top and b * b == bottom:
        return number(Fraction(a, b))
    told = f"{a}/√{bottom}" if a * a == top else f"√{top}/{b}" if b * b == bottom else f"√({top}/{bottom})"
    told = told.removesuffix("/1")
    return told if len(told) <= LONG else f"≈{math.sqrt(square):.5g}"


def about_root(square: Number) -> str:
    """√ of a number with its value."""
    return _beside(root(square), math.sqrt(square))


def about(value: Number) -> str:
    """A number; a fraction that is not whole with its value."""
    return _beside(number(value), float(value))


def _beside(told: str, value: float) -> str:
    """An exact number and its value, or the value alone where that is all there is to say."""
    short = number(value)
    return short if "≈" in told or told == short else f"{told} ≈ {short}"


def vector(values: Sequence[Number], names: Sequence[str] | None = None, widths: Sequence[int] | None = None) -> str:
    """(1, 3), each number in as many places as ``widths`` says; or {good: 1}, where there are names to go with them."""
    if names is not None:
        told = [f"{name}: {number(v)}" for name, v in zip(names, values) if v]
        told = told if len(told) <= FEW else [*told[:FEW], f"… {len(told) - FEW} more"]
        return "{" + ", ".join(told) + "}" if told else "0"
    told = [number(v) for v in values]
    if widths is not None:
        told = [text.rjust(width) for text, width in zip(told, widths)]
    return "(" + ", ".join(told) + ")"


def widths(vectors: Sequence[Sequence[Number]]) -> list[int]:
    """How many places the numbers of each column take."""
    return [max(len(number(v)) for v in column) for column in zip(*vectors)]


def several(count: int, noun: str) -> str:
    """1 update, 1,000 updates, 2 passes."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count:,} {noun if count == 1 else plural}"
