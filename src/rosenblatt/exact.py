"""Data as exact numbers: integers, and fractions where they must be.

A float is a rational number and is taken as just that one, unless it is to be read ``as_written``: then 0.1 is 1/10,
the number that a person wrote, and not the nearest binary fraction.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Union

import numpy as np

Exact = Union[int, Fraction]


def number(value: Any, as_written: bool = False) -> Exact:
    """One number as an int if it is whole, else as a Fraction."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        fraction = Fraction(str(value)) if as_written else Fraction(float(value))
    else:
        fraction = Fraction(value.item() if isinstance(value, np.generic) else value)
    return fraction.numerator if fraction.denominator == 1 else fraction


def rows(X: Any, which: Iterable[int] | None = None, as_written: bool = False) -> list[list[Exact]]:
    """Rows of an array, a sparse matrix, a frame or a list of lists, all of them or those in ``which``."""
    X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    X = X if which is None else X[list(which)]
    return [[number(value, as_written) for value in row] for row in (X.toarray() if hasattr(X, "tocsr") else X)]
