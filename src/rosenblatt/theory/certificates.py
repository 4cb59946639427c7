"""Gordan's certificate that no separator exists: weights λ ≥ 0, not all zero, under which the examples cancel.

With two classes there is one λ for each row, and ``Σ λ·y·x = 0`` (with a bias also ``Σ λ·y = 0``). With more there is
one for each row and wrong class r, which plays W_y against W_r: what the rows of a class weigh against all others must
equal what the others weigh against it, ``Σ_{y=c} Σ_r λ_r·x = Σ_{y≠c} λ_c·x`` for each class c. If weights W separated
the data, Σ λ·(W_y − W_r)·x would be positive; it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ..core import engine, exact
from .vectors import Vectors

Array = NDArray[Any]
Number = Any  # int or Fraction

_LARGEST = 400  # points of a certificate that is computed in exact numbers


def combination(
    rows: Sequence[Sequence[Number]], codes: Sequence[int], certificate: Sequence[Any], fit_intercept: bool
) -> list[Number]:
    """``Σ λ·z`` in exact arithmetic, the class sums one after the other: all zeros if the certificate holds.

    ``certificate`` has one number per row (codes 0 and 1), or one list per row with a number for each class.
    """
    width = len(rows[0]) + fit_intercept if len(rows) else 0
    n_classes = len(certificate[0]) if len(certificate) and hasattr(certificate[0], "__len__") else 1
    total: list[Number] = [0] * (n_classes * width)

    def add(c: int, a: Number, x: Sequence[Number]) -> None:
        for j, value in enumerate(x):
            total[c * width + j] += a * value
        if fit_intercept:
            total[c * width + width - 1] += a

    for x, y, weight in zip(rows, codes, certificate):
        if n_classes == 1:
            if weight:
                add(0, weight if y == 1 else -weight, x)
            continue
        for r, a in enumerate(weight):
            if a and r != y:
                add(y, a, x)
                add(r, -a, x)
    return total


def holds(
    rows: Sequence[Sequence[Number]], codes: Sequence[int], certificate: Sequence[Any], fit_intercept: bool
) -> bool:
    """Whether it proves that no separator exists: λ ≥ 0, not all zero, and the examples cancel exactly."""
    flat = [a for entry in certificate for a in (entry if hasattr(entry, "__len__") else (entry,))]
    if any(entry[y] for entry, y in zip(certificate, codes) if hasattr(entry, "__len__")):
        return False  # a row does not play against its own class
    if len(certificate) != len(rows) or not flat or min(flat) < 0 or not any(flat):
        return False
    return not any(combination(rows, codes, certificate, fit_intercept))


def rows_of(X: Any, which: Array) -> list[list[Number]]:
    """Some rows in exact numbers, without the columns that are 0 in all of them."""
    part = X[which]
    if engine.is_sparse(part):
        part = part.tocsc()
        part = part[:, np.flatnonzero(np.diff(part.indptr))].tocsr()
    return exact.rows(part)


def vector(x: Sequence[Number], y: int, rival: int, n_classes: int, fit_intercept: bool) -> list[Number]:
    """One z in exact numbers: ``y·x`` for two classes, else x in the block of its class and −x in that of the rival."""
    x = [*x, 1] if fit_intercept else list(x)
    if n_classes == 2:
        return x if y == 1 else [-value for value in x]
    z: list[Number] = [0] * (n_classes * len(x))
    z[y * len(x) : (y + 1) * len(x)] = x
    z[rival * len(x) : (rival + 1) * len(x)] = [-value for value in x]
    return z


def made_exact(X: Any, vectors: Vectors, lam: Array, work: exact.Work) -> Array | None:
    """The certificate that has its positive weights where ``lam`` has them, in whole numbers; None if there is none.

    The equations ``Σ λ z = 0`` over these points have one solution, up to a factor, if they are as few as they can be.
    TimeoutError where they are too many, or it is too much work.
    """
    points = np.flatnonzero(lam > 1e-9 * lam.max(initial=0.0))
    if len(points) > _LARGEST:
        raise TimeoutError
    if not len(points):
        return None
    owners, place = np.unique(vectors.row[points], return_inverse=True)
    rows, codes = rows_of(X, owners), vectors.codes[owners].tolist()
    fit_intercept, k = vectors.fit_intercept, vectors.n_classes
    z = [vector(rows[i], codes[i], r, k, fit_intercept) for i, r in zip(place.tolist(), vectors.rival[points].tolist())]
    floats = np.array(z, dtype=np.float64)
    solution: list[Fraction] | None = [Fraction(1)] * len(points)
    if floats.any():
        floats /= np.maximum(np.abs(floats).max(axis=0), np.finfo(float).tiny)
        _, triangle, order = linalg.qr(floats, mode="economic", pivoting=True)
        size = np.abs(np.diag(triangle))
        rank = int(np.sum(size > 1e-12 * size[0]))
        solution = exact.solve([[point[j] for point in z] for j in order[:rank].tolist()], work=work)
    if solution is None or min(solution) < 0 < max(solution):
        return None
    weights = exact.whole(abs(a) for a in solution)
    flat = np.zeros(len(vectors), dtype=object)
    flat[points] = weights
    certificate = vectors.per_row(flat)
    if not holds(rows, codes, certificate[owners].tolist(), fit_intercept):
        return None
    return certificate.astype(np.int64) if max(weights) < 2**63 else certificate
