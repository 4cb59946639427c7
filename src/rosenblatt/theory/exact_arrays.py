"""Exact vectors of large tables: screened by the native core, their weights in arrays."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ..core import exact
from . import inputs
from .exact_vectors import ExactVectors, Number, Place, Point, Vector, kind_of_bias
from .vectors import Vectors

Array = NDArray[Any]

_LARGEST = 400  # points of a certificate that is computed in exact numbers


class ArrayVectors(ExactVectors):
    """All z of a table or a sparse matrix."""

    def _candidates(self, w: Vector, among: Any) -> dict[tuple[int, int], list[Place]]:
        """For each class and rival the vectors that may have the least ``w·z``, as far as floats can tell."""
        weights = self.as_weights(w)
        among = None if among is None else np.asarray(among, dtype=np.intp)
        scores = inputs.scores(self.X, weights)
        off = 2 * inputs.rounding_of_margins(self.X, weights)
        candidates = {}
        codes, n_classes = self.known.codes, len(self.known.classes)
        for right in range(n_classes):
            rows = np.flatnonzero(codes == right) if among is None else among[codes[among] == right]
            for rival in range(n_classes) if len(rows) else ():
                if rival == right:
                    continue
                own = scores[rows, 0] * (1 if right == 1 else -1) if self.two else (
                    scores[rows, right] - scores[rows, rival]
                )  # fmt: skip
                low = rows[~(own > own.min() + off)]  # all, where a score overflows
                candidates[right, rival] = [(i, rival) for i in low.tolist()]
        return candidates

    def as_weights(self, w: Vector, biases: list[Number] | None = None, over: Number = 0) -> inputs.Weights:
        """A vector as weights in floats."""
        return inputs.Weights(*map(np.array, super().as_weights(w, biases, over)))

    def as_fractions(self, w: Vector, biases: list[Number] | None = None) -> tuple[Array, Array]:
        """The same as it is, in arrays of objects."""
        vectors, b = super().as_fractions(w, biases)
        return np.array(vectors, dtype=object).reshape(len(b), self.width), np.array(b, dtype=object)

    def per_row(self, point: Point) -> Array:
        """λ of each row, or of each row and rival, in an array of objects."""
        return np.array(super().per_row(point), dtype=object)


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
    exact_vectors = ArrayVectors(X, known, kind_of_bias(vectors.fit_intercept), exact.Work())
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
    return np.asarray(weights.astype(np.int64) if weights.max() < 2**63 else weights)
