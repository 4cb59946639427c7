"""How far apart the weights of two features stand, which also says in which lanes sums over weights go."""

from __future__ import annotations


def stride_of(n_vectors: int) -> int:
    """Numbers stored per feature: one, or the vectors padded to what a vector register takes."""
    return 1 if n_vectors == 1 else 4 if n_vectors <= 4 else -8 * (-n_vectors // 8)
