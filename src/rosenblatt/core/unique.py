"""The distinct values of arrays, sorted, as NumPy finds them where it counts them too.

Where it does not, ``np.unique`` and ``np.union1d`` import NumPy's masked arrays, a tenth of the start of a command.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def unique(values: Array) -> Array:
    """The distinct values of an array."""
    return np.asarray(np.unique(values, return_counts=True)[0])


def union(one: Array, other: Array) -> Array:
    """The distinct values of two arrays."""
    return unique(np.concatenate((one, other)))
