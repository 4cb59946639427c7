"""Kernels: inner products of examples in a space where they may be easier to separate. Over blocks of rows.

A kernel is a function of two blocks that returns the matrix of K(x, x'). The ones with a name are matrix products and
arithmetic alone, so that they run on any library of ``arrays``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import engine
from ...engine import is_sparse
from .arrays import cast, is_double, namespace
from .function import NAMES as NAMES
from .function import USES, KernelFunction

Array = NDArray[Any]


@dataclass(frozen=True)
class Kernel(KernelFunction):
    """A kernel over blocks of rows: the function of two examples, made for matrices of them."""

    def matrix(self, A: Any, B: Any) -> Any:
        """K(a, b) for the rows of two blocks, in their number type."""
        K = self._called(A, B) if callable(self.name) else self._named(A, B)
        if self.bias:
            K += 1
        return K

    def values(self, A: Any, B: Any) -> list[list[float]]:
        """The same as lists, of a function of the user's too."""
        return self.matrix(np.array(A, float), np.array(B, float)).tolist()  # type: ignore[no-any-return]

    def _called(self, A: Any, B: Any) -> Any:
        """What a function returns, looked at: an array of the library that the blocks are of."""
        assert callable(self.name)
        K, xp = self.name(A, B), namespace(A)
        if xp is np:
            K = np.asarray(K)
        if tuple(K.shape) != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"the kernel function returned shape {tuple(K.shape)} for blocks of {A.shape[0]} and {B.shape[0]} "
                f"rows; it must return {(A.shape[0], B.shape[0])}"
            )
        if (xp is np and K.dtype.kind not in "fiub") or not bool(xp.isfinite(K).all()):
            raise ValueError("the kernel function returned NaN, infinity or something that is not a number")
        return K.astype(A.dtype, copy=True) if hasattr(K, "astype") else K.to(A.dtype, copy=True)

    def _named(self, A: Any, B: Any) -> Any:
        if self.name == "rbf":
            return self._gaussian(A, B)
        K = product(A, B)
        xp = namespace(K)
        if self.name in ("poly", "sigmoid"):
            K *= self.gamma
            K += self.coef0
            K = xp.tanh(K, out=K) if self.name == "sigmoid" else self._power(K)
        return K

    def _gaussian(self, A: Any, B: Any) -> Any:
        """In double precision whatever the rows are: the squares cancel, and more so the farther the rows lie from 0.

        A distance that is lost in their rounding is 0, so that a row is at no distance from itself.
        """
        a, b = (X if is_double(X) else cast(X, "float64") for X in (A, B))
        K = product(a, b)
        xp, sizes = namespace(K), squares(a)[:, None] + squares(b)[None, :]
        K *= -2
        K += sizes
        sizes *= 8 * np.finfo(np.float64).eps
        K *= sizes < K
        K *= -self.gamma
        xp.exp(K, out=K)
        return K if is_double(A) else cast(K, str(A.dtype).removeprefix("torch."))

    def _power(self, K: Any) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            K = power(K, self.degree)
            total = float(K.sum())
        xp = namespace(K)
        if not math.isfinite(total) and not bool(xp.isfinite(K).all()):
            overflow = not bool(xp.isnan(K).any())
            what = f"overflow {K.dtype}: scale X down" if overflow else "are NaN: use a whole degree"
            raise ValueError(f"the values of the kernel (γ·x·x' + c)^{self.degree:g} {what}")
        return K

    def diagonal(self, A: Any) -> Array:
        """K(a, a) for the rows of a block."""
        if callable(self.name):
            step = 256
            parts = [np.diagonal(self.matrix(A[i : i + step], A[i : i + step])) for i in range(0, A.shape[0], step)]
            return np.concatenate(parts)
        bias = 1 if self.bias else 0
        if self.name == "rbf":
            return np.full(A.shape[0], 1 + bias, A.dtype)
        K = squares(A)
        if self.name in ("poly", "sigmoid"):
            K = self.gamma * K + self.coef0
            K = np.tanh(K) if self.name == "sigmoid" else self._power(K)
        return np.asarray(K + bias, A.dtype)


def product(A: Any, B: Any) -> Any:
    """``A·Bᵀ`` as a dense array of its own."""
    return engine.product(A, B) if is_sparse(A) or is_sparse(B) else A @ B.T


def squares(A: Any) -> Array:
    """‖a‖² of each row."""
    if is_sparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    squares: Array = namespace(A).einsum("ij,ij->i", A, A)
    return squares


def power(K: Any, degree: float) -> Any:
    """K to the power of the degree, in place: whole ones by squaring, which is many times faster than ``pow``."""
    if degree != int(degree):
        K **= degree
        return K
    exponent, result = int(degree), None
    while True:
        if exponent & 1:
            if result is None:
                result = K if exponent == 1 else K + 0
            else:
                result *= K
        exponent >>= 1
        if not exponent:
            return result
        K *= K


def gamma_of(asked: float | str, kernel: Any, X: Any) -> float:
    """The γ that a run begins with: a number, or what "scale" and "auto" come to for its first rows."""
    if not isinstance(asked, str):
        return float(asked)
    if callable(kernel) or "gamma" not in USES[kernel]:
        return 1.0
    spread = _variance(X) if asked == "scale" else 1.0
    gamma = float(1 / max(1, X.shape[1]) / (spread or 1.0))
    if not 0 < gamma < math.inf:
        raise ValueError(
            f"gamma='scale' overflows float64, as X.var() is {spread:g}: scale X, or give gamma as a number"
        )
    return gamma


def _variance(X: Any) -> float:
    """Of all numbers of a table, zeros that a sparse one does not store included."""
    if X.min() == X.max():
        return 0.0  # where rounding may say otherwise
    if not engine.is_sparse(X):
        return float(np.var(X, dtype=np.float64))
    values, size = X.data.astype(np.float64), X.shape[0] * X.shape[1]
    mean = float(values.sum()) / size
    return float((np.square(values - mean).sum() + (size - len(values)) * mean**2) / size)
