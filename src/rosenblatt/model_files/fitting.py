"""Arrays of a model file, refused by ValueError where they do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def numbers(arrays: dict[str, Array], name: str, n: int, below: int, dtype: Any = np.int64) -> Array:
    """Whole numbers, n of them, from 0 to less than ``below``."""
    found = fitting(arrays, name, (n,), dtype)
    require(n == 0 or 0 <= found.min() <= found.max() < below, name)
    return found


def fitting(arrays: dict[str, Array], name: str, shape: tuple[int, ...], dtype: Any) -> Array:
    """The array of this name, which must have this shape and type, and finite numbers."""
    found = arrays[name]
    require(found.shape == shape and found.dtype == dtype, name)
    require(name == "tally" or found.dtype.kind != "f" or bool(np.isfinite(found).all()), name)
    return found


def require(holds: bool, what: str) -> None:
    """Refuse what does not hold."""
    if not holds:
        raise ValueError(f"{what} does not fit the rest")
