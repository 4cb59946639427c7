"""What a picture of a run looks like, whoever draws it: colours and names of the classes, and the part of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..palette import COLOURS as COLOURS
from ..tracing.wording import is_number, label

#: The plane is drawn to scale, so that w stands upright on the boundary, unless a side would be so many times longer.
LONG = 5.0


def class_names(classes: Sequence[Any]) -> list[str]:
    """The classes as a picture names them: a number so that it is not taken for a value, −1 and +1 with their signs."""
    if list(classes) == [-1, 1]:
        return ["class −1", "class +1"]
    return [f"class {label(c)}" if is_number(c) else str(c) for c in classes]


def numbered(n: int) -> list[str]:
    """Names for columns that have none, as ``Trace.to_frame`` has them."""
    return [f"x[{j}]" for j in range(n)]


def around(low: Sequence[float], high: Sequence[float], room: float = 0.15) -> tuple[list[float], list[float]]:
    """The corners of a picture of points within these: with some room around, to scale unless one side is long."""
    largest = max([b - a for a, b in zip(low, high)]) or 1.0
    sides = [b - a if b > a else largest for a, b in zip(low, high)]
    if max(sides) <= LONG * min(sides):  # to scale: a square
        sides = [max(sides)] * len(sides)
    half = [side * (0.5 + room) for side in sides]
    middle = [(a + b) / 2 for a, b in zip(low, high)]
    return [m - h for m, h in zip(middle, half)], [m + h for m, h in zip(middle, half)]
