"""A separator as it may be given to a trace: weights, a pair with a bias, or an object that has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..theory import inputs
from .proof import Examples

Number = Any  # Fraction or float


def weights_of(
    separator: Any, examples: Examples, number: Callable[[Any], Number]
) -> tuple[list[list[Number]], list[Number]]:
    """The class vectors and biases of a separator: w, (w, b), or an object that has them.

    In the space of a kernel they are coefficients of the rows, without a bias.
    """
    space, k = examples.space, examples.n_vectors
    d, in_kernel = space.n_coordinates, space.kernel is not None
    if in_kernel and hasattr(separator, "fit"):
        separator = inputs.coefficients(separator, d, "separator")
    w, b = _parts(separator)
    if w is None:
        raise ValueError("the separator given has no weights: it says that the data cannot be separated")
    try:
        vectors = np.atleast_2d(np.asarray(w, dtype=object))
        biases = np.zeros(k, dtype=object) if b is None else np.ravel(np.asarray(b, dtype=object))
        numbers = [[number(v) for v in row] for row in vectors.tolist()], [number(v) for v in biases.tolist()]
        if any(isinstance(v, float) and not math.isfinite(v) for row in (*numbers[0], numbers[1]) for v in row):
            raise ValueError
    except (TypeError, ValueError):
        kind = type(separator).__name__
        what = f"coefficients of the {d} rows, all" if in_kernel else "weights w or a pair (w, b) of"
        raise ValueError(f"separator must be {what} finite numbers, got {kind}") from None
    if in_kernel and b is not None:
        raise ValueError("in the space of a kernel a separator has no bias: give a coefficient for each row")
    if vectors.shape != (k, d) or len(biases) != k:
        each = f"{d} coefficients, one for each row" if in_kernel else f"{d} weights"
        wanted = each if k == 1 else f"{k} vectors (one for each class) of {each}"
        had = " × ".join(map(str, np.shape(w)))
        if in_kernel:
            raise ValueError(f"separator must have {wanted}; got {had}")
        raise ValueError(
            f"separator must have {wanted} and {k} bias{'es' if k > 1 else ''}; got {had} weights and {len(biases)}"
        )
    if any(numbers[1]) and not space.bias:
        raise ValueError("the separator has a bias, but the estimator has none (fit_intercept=False)")
    return numbers


def _parts(separator: Any) -> tuple[Any, Any]:
    if hasattr(separator, "__array__"):  # a Series may have an entry named w
        return separator, None
    for w, b in (("w", "b"), ("coef_", "intercept_")):
        if hasattr(separator, w):
            return getattr(separator, w), getattr(separator, b, None)
    if hasattr(separator, "fit"):
        raise ValueError(f"the separator is a {type(separator).__name__} that is not fitted: fit it first")
    if isinstance(separator, (tuple, list)) and len(separator) == 2 and np.ndim(separator[0]):
        return separator[0], separator[1]
    return separator, None
