"""Gordan's certificate that no separator exists: weights λ ≥ 0, not all zero, under which the examples cancel.

With two classes there is one λ for each row, and ``Σ λ·y·x = 0`` (with a bias also ``Σ λ·y = 0``). With more there is
one for each row and wrong class r, which plays W_y against W_r: what the rows of a class weigh against all others must
equal what the others weigh against it, ``Σ_{y=c} Σ_r λ_r·x = Σ_{y≠c} λ_c·x`` for each class c. If weights W separated
the data, Σ λ·(W_y − W_r)·x would be positive; it is 0.
"""

from __future__ import annotations

from typing import Any

from ..core import exact
from .exact_vectors import Codes, ExactVectors, Vector, kind_of_bias


def combination(rows: Any, codes: Any, certificate: Any, fit_intercept: bool) -> Vector:
    """``Σ λ·z`` in exact arithmetic: all zeros if the certificate holds.

    ``certificate`` has one number per row (codes 0 and 1), or one list per row with a number for each class.
    """
    weights = _listed(certificate)
    known = Codes(range(len(weights[0]) if isinstance(weights[0], list) else 2), _listed(codes))
    vectors = ExactVectors(rows, known, kind_of_bias(fit_intercept), exact.Work())
    return vectors.combined(vectors.point_of(weights))


def holds(rows: Any, codes: Any, certificate: Any, fit_intercept: bool) -> bool:
    """Whether it proves that no separator exists: λ ≥ 0, not all zero, and the examples cancel exactly."""
    weights = _listed(certificate)
    each = [entry if isinstance(entry, list) else [entry] for entry in weights]
    numbers = [weight for entry in each for weight in entry]
    if len(weights) != len(rows) or not any(numbers) or min(numbers) < 0:
        return False
    if isinstance(weights[0], list) and any(entry[code] for entry, code in zip(each, codes)):
        return False  # a row does not play against its own class
    return not any(combination(rows, codes, weights, fit_intercept).values())


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)
