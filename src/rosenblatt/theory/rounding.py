"""How far what is computed in floating point can be off, so that a bound stays a bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import inputs

EPS = float(np.finfo(np.float64).eps)
_SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


def of_margins(X: Any, weights: inputs.Weights) -> float:
    """How far a margin in floats can be off: roundings of a lane, of the tree, of reading the numbers, and underflow.

    Infinity where a score may have overflowed.
    """
    with np.errstate(over="ignore"):
        size = weights.norm(False) * inputs.radius(X) + float(np.abs(weights.b).max())
    lost = 4 * (X.shape[1] + 2) * _SMALLEST  # a product that underflows, a number that is read as 0
    off = 2 * EPS * (-(-X.shape[1] // 16) + 12) * size + lost
    return float(off) if size < 1e300 else np.inf
