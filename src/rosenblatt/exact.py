"""Data as exact numbers: integers, and fractions where they must be.

A float is read as the decimal number that it prints as: 0.1 is 1/10, which a person wrote, and not the nearest binary
fraction.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Union

import numpy as np

Exact = Union[int, Fraction]


def number(value: Any) -> Exact:
    """One number as an int if it is whole, else as a Fraction."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        fraction = Fraction(str(float(value)))
    else:
        fraction = Fraction(value.item() if isinstance(value, np.generic) else value)
    return fraction.numerator if fraction.denominator == 1 else fraction


def rows(X: Any, which: Iterable[int] | None = None) -> list[list[Exact]]:
    """Rows of an array, a sparse matrix, a frame or a list of lists, all of them or those in ``which``."""
    X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    X = X if which is None else X[list(which)]
    return [[number(value) for value in row] for row in (X.toarray() if hasattr(X, "tocsr") else X)]


def whole(values: Iterable[Exact]) -> list[int]:
    """The smallest whole numbers in the same proportion."""
    fractions = [Fraction(value) for value in values]
    scale = math.lcm(*(value.denominator for value in fractions))
    scaled = [int(value * scale) for value in fractions]
    return [value // (math.gcd(*scaled) or 1) for value in scaled]


def solve(
    matrix: list[list[Exact]], right: list[Exact] | None = None, deadline: float = math.inf
) -> list[Fraction] | None:
    """A solution of ``matrix · x = right``, or with None a solution of ``matrix · x = 0`` that is not 0.

    Elimination in whole numbers (Bareiss 1968). Unknowns that the equations leave open are 0, but for the last one in
    the homogeneous case, which is 1. None if there is no solution. TimeoutError once ``time.monotonic()`` is past the
    deadline.
    """
    n = len(matrix[0])
    homogeneous = right is None
    rows = [whole([*row, 0 if right is None else right[i]]) for i, row in enumerate(matrix)]
    M = np.array(rows, dtype=object)
    done, previous, pivots = 0, 1, []
    for column in range(n):
        below = [i for i in range(done, len(M)) if M[i, column] != 0]
        if not below:
            continue
        in_time(deadline)
        best = min(below, key=lambda i: abs(M[i, column]))
        M[[done, best]] = M[[best, done]]
        pivot, top = M[done, column], M[done, column:].copy()
        M[done + 1 :, column:] = (M[done + 1 :, column:] * pivot - np.outer(M[done + 1 :, column], top)) // previous
        previous = pivot
        pivots.append(column)
        done += 1
    if any(M[i, n] != 0 for i in range(done, len(M))) or (homogeneous and done == n):
        return None
    x = [Fraction(0)] * n
    if homogeneous:
        x[max(set(range(n)) - set(pivots))] = Fraction(1)
    for i in reversed(range(done)):
        known = sum((M[i, j] * x[j] for j in range(pivots[i] + 1, n) if x[j]), Fraction(0))
        x[pivots[i]] = (M[i, n] - known) / M[i, pivots[i]]
    return x


def in_time(deadline: float) -> None:
    """Raise TimeoutError past the deadline."""
    if time.monotonic() > deadline:
        raise TimeoutError("exact arithmetic takes too long here")


def cancelling(vectors: list[list[Exact]], deadline: float = math.inf) -> tuple[list[Exact] | None, list[Exact] | None]:
    """Either λ ≥ 0 with Σ λ = 1 and Σ λ·vector = 0, or u with u·vector > 0 for all: one of them is None (Gordan).

    The first phase of the simplex method in fractions, with Bland's rule, which never cycles. TimeoutError as in
    ``solve``.
    """
    m, n = len(vectors), len(vectors[0]) + 1
    # One equation for each coordinate and one for Σ λ = 1; an artificial unknown for each, whose sum is to become 0.
    T = np.array([[Fraction(v) for v in column] for column in zip(*vectors)] or np.zeros((0, m)), dtype=object)
    T = np.vstack((T.reshape(n - 1, m), np.array([[Fraction(1)] * m], dtype=object)))
    unit = np.array([[Fraction(int(i == j)) for j in range(n)] for i in range(n)], dtype=object)
    T = np.hstack((T, unit, unit[:, -1:]))
    cost = np.array([*(-T[:, :m].sum(axis=0)), *[Fraction(0)] * n, Fraction(-1)], dtype=object)
    basis = list(range(m, m + n))
    while (entering := next((j for j in range(m) if cost[j] < 0), None)) is not None:
        in_time(deadline)
        rows = [i for i in range(n) if T[i, entering] > 0]  # not empty: the sum of the artificial ones is bounded
        row = min(rows, key=lambda i: (T[i, -1] / T[i, entering], basis[i]))
        T[row] = T[row] / T[row, entering]
        for i in range(n):
            if i != row and T[i, entering] != 0:
                T[i] = T[i] - T[i, entering] * T[row]
        cost = cost - cost[entering] * T[row]
        basis[row] = entering
    if cost[-1] == 0:
        lam: list[Exact] = [0] * m
        for i, j in enumerate(basis):
            if j < m:
                lam[j] = number(T[i, -1])
        return lam, None
    return None, [number(cost[m + i] - 1) for i in range(n - 1)]
