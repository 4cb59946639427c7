"""Gordan's certificate that no separator exists: weights λ ≥ 0, not all zero, under which the examples cancel.

With two classes there is one λ for each row, and ``Σ λ·y·x = 0`` (with a bias also ``Σ λ·y = 0``). With more there is
one for each row and wrong class r, which plays W_y against W_r: what the rows of a class weigh against all others must
equal what the others weigh against it, ``Σ_{y=c} Σ_r λ_r·x = Σ_{y≠c} λ_c·x`` for each class c. If weights W separated
the data, Σ λ·(W_y − W_r)·x would be positive; it is 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ..core import exact
from . import inputs
from .exact_vectors import ExactVectors, Point, Vector, kind_of_bias
from .vectors import Vectors

Array = NDArray[Any]

_LARGEST = 400  # points of a certificate that is computed in exact numbers


def combination(rows: Any, codes: Any, certificate: Any, fit_intercept: bool) -> Vector:
    """``Σ λ·z`` in exact arithmetic: all zeros if the certificate holds.

    ``certificate`` has one number per row (codes 0 and 1), or one list per row with a number for each class.
    """
    weights = np.array(certificate, dtype=object)
    classes = np.arange(2 if weights.ndim == 1 else weights.shape[1])
    known = inputs.Labels(classes, np.asarray(codes, dtype=int))
    vectors = ExactVectors(np.array(rows, dtype=object), known, kind_of_bias(fit_intercept), exact.Work())
    return vectors.combined(vectors.point_of(weights))


def holds(rows: Any, codes: Any, certificate: Any, fit_intercept: bool) -> bool:
    """Whether it proves that no separator exists: λ ≥ 0, not all zero, and the examples cancel exactly."""
    weights = np.array(certificate, dtype=object)
    if len(weights) != len(rows) or not weights.any() or weights.min() < 0:
        return False
    if weights.ndim == 2 and weights[np.arange(len(weights)), codes].any():
        return False  # a row does not play against its own class
    return not any(combination(rows, codes, weights, fit_intercept).values())


def made_exact(X: Any, known: inputs.Labels, vectors: Vectors, lam: Array, work: exact.Work) -> Array | None:
    """The certificate that has its positive weights where ``lam`` has them, in whole numbers; None if there is none.

    The equations ``Σ λ z = 0`` over these points have one solution, up to a factor, if they are as few as they can be.
    TimeoutError where they are too many, or it is too much work.
    """
    lam = np.where(lam > 1e-9 * lam.max(initial=0.0), lam, 0.0)
    if np.count_nonzero(lam) > _LARGEST:
        raise TimeoutError
    if not lam.any():
        return None
    exact_vectors = ExactVectors(X, known, kind_of_bias(vectors.fit_intercept), exact.Work())
    places = [place for place, _ in exact_vectors.point_of(vectors.per_row(lam))]
    z = [exact_vectors.combined([(place, 1)]) for place in places]
    columns = sorted(set().union(*z))
    solution: list[Fraction] | None = [Fraction(1)] * len(z)
    if columns:
        equations = [[point.get(column, 0) for point in z] for column in columns]
        floats = np.array(equations, dtype=np.float64).T
        floats /= np.maximum(np.abs(floats).max(axis=0), np.finfo(float).tiny)
        _, triangle, order = linalg.qr(floats, mode="economic", pivoting=True)
        size = np.abs(np.diag(triangle))
        rank = int(np.sum(size > 1e-12 * size[0]))
        solution = exact.solve([equations[j] for j in order[:rank].tolist()], work=work)
    if solution is None or min(solution) < 0 < max(solution):
        return None
    point = dict(zip(places, map(abs, solution)))
    return None if any(exact_vectors.combined(point.items()).values()) else in_whole_numbers(exact_vectors, point)


def in_whole_numbers(vectors: ExactVectors, point: Point) -> Array:
    """λ as a certificate: the smallest whole numbers in the same proportion, as int64 where they fit."""
    weights = vectors.per_row(dict(zip(point, exact.whole(point.values()))))
    return weights.astype(np.int64) if weights.max() < 2**63 else weights
