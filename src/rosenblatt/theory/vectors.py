"""The vectors that a separator must have on one side: ``u·z > 0`` for all of them.

With two classes there is one for each row, ``z = y·x``. With more there is one for each row and wrong class r, which
has x in the block of its class and −x in that of r, so that ``W·z = (W_y − W_r)·x`` (Kesler's construction). A bias
adds columns of its own, kept apart in ``F``: they count in the norms of the bounds, but not in the geometric margin.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import engine
from . import inputs

Array = NDArray[Any]


class Vectors:
    """All z of a data set, in the order of the rows.

    Attributes
    ----------
    Z : ndarray or CSR matrix of shape (n_vectors, n_columns)
        The vectors without their bias columns, float64.
    F : ndarray of shape (n_vectors, n_biases)
        The bias columns: none, one, or one per class.
    row, rival : ndarray of int
        The row that each vector comes from, and the class it plays against (two classes: −1).
    """

    Z: Any

    def __init__(self, X: Any, codes: Array, n_classes: int, fit_intercept: bool) -> None:
        import scipy.sparse as sp

        X = inputs.as_floats(X)
        n, self.n_features = X.shape
        self.codes, self.n_classes, self.fit_intercept = codes.astype(np.intp), n_classes, fit_intercept
        if n_classes == 2:
            y = np.where(codes == 1, 1.0, -1.0)
            self.Z = sp.csr_matrix(sp.diags(y) @ X) if engine.is_sparse(X) else np.ascontiguousarray(X * y[:, None])
            self.F = y[:, None] if fit_intercept else np.zeros((n, 0))
            self.row, self.rival = np.arange(n), np.full(n, -1)
            return
        self.row = np.repeat(np.arange(n), n_classes - 1)
        self.rival = np.array([[r for r in range(n_classes) if r != y] for y in self.codes]).ravel()
        right, every = self.codes[self.row], np.arange(len(self.row))
        self.F = np.zeros((len(self.row), n_classes if fit_intercept else 0))
        if fit_intercept:
            self.F[every, right], self.F[every, self.rival] = 1.0, -1.0
        rows = sp.csr_matrix(X)[self.row].tocoo()
        columns = [block[rows.row] * self.n_features + rows.col for block in (right, self.rival)]
        shape = (len(self.row), n_classes * self.n_features)
        entries = np.concatenate((rows.data, -rows.data))
        self.Z = sp.csr_matrix((entries, (np.tile(rows.row, 2), np.concatenate(columns))), shape=shape)

    def __len__(self) -> int:
        return int(self.Z.shape[0])

    @property
    def entries(self) -> int:
        """How many numbers they hold."""
        return int(self.Z.nnz if engine.is_sparse(self.Z) else self.Z.size)

    @cached_property
    def norms2(self) -> Array:
        """‖z‖² of each, without the bias columns."""
        Z = self.Z
        return np.asarray(Z.multiply(Z).sum(axis=1)).ravel() if engine.is_sparse(Z) else np.einsum("ij,ij->i", Z, Z)

    def with_bias(self, scale: float = 1.0) -> Any:
        """Z with the bias columns beside it, times ``scale``."""
        F = self.F * scale
        if not F.shape[1]:
            return self.Z
        if engine.is_sparse(self.Z):
            import scipy.sparse as sp

            return sp.hstack([self.Z, F], format="csr")
        return np.hstack([self.Z, F])

    def scores(self, w: Array, b: Array) -> Array:
        """``u·z`` of each."""
        return np.asarray(self.Z @ w + self.F @ b)

    def combine(self, lam: Array) -> tuple[Array, Array]:
        """``Σ λ·z``, and its bias part."""
        return np.asarray(self.Z.T @ lam), np.asarray(self.F.T @ lam)

    def dense(self, which: Array) -> Array:
        """Some of the z as a dense array of their columns that are not all 0."""
        part = self.Z[which]
        if not engine.is_sparse(part):
            return np.asarray(part)
        part = part.tocsc()
        return np.asarray(part[:, np.flatnonzero(np.diff(part.indptr))].toarray())

    def weights(self, w: Array, b: Array) -> tuple[Array, Array]:
        """Weights over the columns as (n_features,) and (1,), or (n_classes, n_features) and (n_classes,)."""
        if self.n_classes == 2:
            return w, b if len(b) else np.zeros(1)
        return w.reshape(self.n_classes, self.n_features), b if len(b) else np.zeros(self.n_classes)

    def per_row(self, weights: Any) -> Array:
        """One number per vector as one per row, or one per row and class."""
        lam: Array = np.asarray(weights)
        if self.n_classes == 2:
            return lam
        out = np.zeros((len(self.codes), self.n_classes), lam.dtype)
        out[self.row, self.rival] = lam
        return out
