"""The shortest vector of the hull of the z, in fractions: it decides separability, and it is the maximum margin.

If it is 0, its λ are Gordan's certificate. Else its length is the maximum margin γ, and it separates: ``w·z ≥ ‖w‖²``
for every z. Wolfe's method: a point is the shortest of the affine hull of some vertices; a vertex that lies below it
joins them; those whose weight would become negative leave. Every round is shorter than the one before, so that no set
of vertices comes twice and it ends, in exact numbers always.

References: Wolfe (1976), Finding the nearest point in a polytope.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from ..core import exact
from .exact_vectors import ExactVectors, Number, Point, Vector

_MOST_AT_ONCE = 60  # vertices of a start whose equations are solved in one go


class Shortest(NamedTuple):
    """The shortest vector, its square, its λ (which sum to 1), and the biases of the classes where they are free."""

    w: Vector
    square: Number
    point: Point
    biases: list[Number]


def shortest(vectors: ExactVectors, near: Any = None) -> Shortest:
    """The shortest vector of the hull; ``near``: λ in floats that may be close to its own, which saves work.

    TimeoutError where it is too much work.
    """
    corral = Corral(vectors)
    rows = [] if near is None else sorted({i for (i, _), _ in vectors.point_of(near)})
    if rows:
        least = supported(vectors, near)
        if least is not None:
            return least
        corral.descend(rows)
    return corral.descend()


def supported(vectors: ExactVectors, near: Any) -> Shortest | None:
    """The shortest vector, if it has its λ where these are, and these are few.

    They solve ``w·z + b·f = 1`` on all of them, with w = Σ λ·z and, where the bias is free, Σ λ·f = 0.
    """
    places = [place for place, _ in vectors.point_of(near)]
    if len(places) > _MOST_AT_ONCE:
        return None
    images = [vectors.combined([(place, 1)]) for place in places]
    matrix = [[vectors.product(u, v) for v in images] for u in images]
    right: list[Number] = [1] * len(places)
    if vectors.bias == "free":
        signs = [vectors.bias_of(place) for place in places]
        n_classes = len(signs[0])
        matrix = [[*line, *f] for line, f in zip(matrix, signs)]
        matrix += [[f[c] for f in signs] + [0] * n_classes for c in range(n_classes)]
        right += [0] * n_classes
    weights = exact.solve(matrix, right, vectors.work)
    if weights is None or min(weights[: len(places)]) < 0:
        return None
    total = sum(weights[: len(places)])
    point = {place: weight / total for place, weight in zip(places, weights) if weight}
    w = vectors.combined(point.items())
    low, square = vectors.lowest(w), vectors.squared(w)
    return Shortest(w, square, point, low.biases) if low.value == square else None


class Corral:
    """Vertices of the hull, affinely independent, and the weights of the shortest point of their affine hull."""

    def __init__(self, vectors: ExactVectors) -> None:
        self.vectors = vectors
        self.points: list[Point] = []
        self.images: list[Vector] = []  # Σ λ·z of each
        self.products: list[list[Number]] = []
        self.weights: list[Number] = []

    def descend(self, rows: list[int] | None = None) -> Shortest:
        """Go on until no vertex, of all or of those of some rows, lies below the shortest point."""
        while True:
            point: Point = {}
            for weight, vertex in zip(self.weights, self.points):
                for place, share in vertex.items():
                    point[place] = point.get(place, 0) + weight * share
            w = self.vectors.combined(point.items())
            square = self.vectors.squared(w)
            low = self.vectors.lowest(w, rows)
            if self.points and low.value >= square:
                return Shortest(w, square, point, low.biases)
            self.add(low.point)
            self.weights.append(Fraction(int(len(self.points) == 1)))
            self.settle()

    def add(self, point: Point) -> None:
        """One vertex more."""
        image = self.vectors.combined(point.items())
        self.points.append(point)
        self.images.append(image)
        line = [self.vectors.product(image, other) for other in self.images]
        for products, product in zip(self.products, line):
            products.append(product)
        self.products.append(line)

    def affine(self) -> list[Fraction]:
        """The weights of the shortest point of the affine hull."""
        n = len(self.points)
        matrix = [[*line, 1] for line in self.products] + [[1] * n + [0]]
        right: list[Number] = [0] * n + [1]
        solution = exact.solve(matrix, right, self.vectors.work)
        if solution is None:
            raise ArithmeticError("there is no shortest point: these products are no inner products")
        return solution[:n]

    def settle(self) -> None:
        """Move to the shortest point of the affine hull; where that leaves the hull, stop at its edge and go on."""
        while True:
            goal = self.affine()
            if min(goal) >= 0:
                self.weights = goal
                self.drop()
                return
            step = min(a / (a - b) for a, b in zip(self.weights, goal) if b < 0)
            self.weights = [a + step * (b - a) for a, b in zip(self.weights, goal)]
            self.drop()

    def drop(self) -> None:
        """Leave the vertices of weight 0."""
        kept = [i for i, weight in enumerate(self.weights) if weight]
        self.points, self.images = [self.points[i] for i in kept], [self.images[i] for i in kept]
        self.weights = [self.weights[i] for i in kept]
        self.products = [[self.products[i][j] for j in kept] for i in kept]
