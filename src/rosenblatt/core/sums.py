"""Sums from left to right, each addition rounded: the built-in ``sum`` has carried what floats lose since Python 3.12.

Where numbers are to be the same on every Python, they are added up here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add, mul
from typing import Any

Number = Any  # int, Fraction, float or a NumPy scalar


def total(values: Iterable[Number]) -> Number:
    """The sum, from left to right; 0 of nothing."""
    return reduce(add, values, 0)


def product(a: Iterable[Number], b: Iterable[Number]) -> Number:
    """The sum of products, from left to right."""
    return reduce(add, map(mul, a, b), 0)
