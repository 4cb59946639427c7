"""Gordan's certificate that no separator exists: weights λ ≥ 0, not all zero, under which the examples cancel.

With two classes there is one λ for each row, and ``Σ λ·y·x = 0`` (with a bias also ``Σ λ·y = 0``). With more there is one
for each row and wrong class r, which plays W_y against W_r: what the rows of a class weigh against all others must
equal what the others weigh against it, ``Σ_{y=c} Σ_r λ_r·x = Σ_{y≠c} λ_c·x`` for each class c. If weights W separated the
data, Σ λ·(W_y − W_r)·x would be positive; it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Number = Any  # int or Fraction


def combination(
    rows: Sequence[Sequence[Number]], codes: Sequence[int], certificate: Sequence[Any], fit_intercept: bool
) -> list[Number]:
    """``Σ λ·z`` in exact arithmetic, the class sums one after the other: all zeros if the certificate holds.

    ``certificate`` has one number per row (codes 0 and 1), or one list per row with a number for each class.
    """
    width = len(rows[0]) + fit_intercept if rows else 0
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
