"""The linear programme that decides separability, solved by HiGHS.

    minimise ‖Σ λ z‖₁  subject to  λ ≥ 0, Σ λ = 1

It is 0 just if no separator exists, and then λ is Gordan's certificate. Its dual is ``max_{|u_j| ≤ 1} min u·z``, so
that otherwise the multipliers of the same solution are a separator u. A solution at a vertex has few λ > 0. Vectors and
columns are scaled to length 1 first, which changes neither answer. What comes out is a proposal: whoever asks verifies.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy import sparse as sp

from .effort import Effort
from .vectors import Vectors

Array = NDArray[Any]


class Proposal(NamedTuple):
    """A separator (w, b), or the λ of a certificate, or neither, where it was too much work."""

    w: Array | None
    b: Array | None
    lam: Array | None


def propose(vectors: Vectors, effort: Effort) -> Proposal:
    """Solve the programme."""
    scaled, lengths, widths = _scaled(vectors)
    m, columns = scaled.shape
    eye = sp.eye(columns, format="csc")
    A = sp.vstack([sp.hstack([scaled.T, eye, -eye]), np.concatenate((np.ones(m), np.zeros(2 * columns)))[None]])
    cost = np.concatenate((np.zeros(m), np.ones(2 * columns)))
    right = np.concatenate((np.zeros(columns), [1.0]))
    solution = _solve(cost, A.tocsc(), right, effort)
    if solution is None:
        return Proposal(None, None, None)
    lam = np.maximum(solution.x[:m], 0.0) / lengths
    u = -solution.eqlin.marginals[:columns] / widths
    w, b = np.split(u, [vectors.Z.shape[1]])
    return Proposal(w, b, None if np.all(vectors.scores(w, b) > 0) else lam)


def other_certificates(vectors: Vectors, tries: int, effort: Effort) -> list[Array]:
    """Certificates at other vertices: the cheapest under random costs. The vectors must be inseparable."""
    scaled, lengths, _ = _scaled(vectors)
    m, columns = scaled.shape
    A = sp.vstack([scaled.T, np.ones((1, m))]).tocsc()
    right = np.concatenate((np.zeros(columns), [1.0]))
    rng = np.random.default_rng(0)
    solutions = [_solve(rng.random(m), A, right, effort) for _ in range(tries)]
    return [np.maximum(solution.x, 0.0) / lengths for solution in solutions if solution is not None]


def _solve(cost: Array, A: Any, right: Array, effort: Effort) -> Any:
    """The solution, or None where it takes more pivots than the effort allows: each reads the matrix about once."""
    pivots = min(100 + int(effort.floats / (A.nnz + sum(A.shape))), 10**9)
    options: dict[str, Any] = {"maxiter": pivots, "presolve": True}
    if math.isfinite(effort.deadline):
        options["time_limit"] = max(0.1, effort.left)
    solution = optimize.linprog(cost, A_eq=A, b_eq=right, bounds=(0, None), method="highs-ds", options=options)
    return solution if solution.status == 0 else None


def _scaled(vectors: Vectors) -> tuple[Any, Array, Array]:
    """The vectors with their bias columns, each column and then each vector of length 1, and the lengths taken out."""
    M = sp.csr_matrix(vectors.with_bias())
    widths = np.sqrt(np.asarray(M.multiply(M).sum(axis=0)).ravel())
    widths[widths == 0] = 1.0
    M = M @ sp.diags(1 / widths)
    lengths = np.sqrt(np.asarray(M.multiply(M).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    return sp.diags(1 / lengths) @ M, lengths, widths
