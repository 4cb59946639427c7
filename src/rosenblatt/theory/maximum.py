"""The maximum margin: the hard-margin quadratic programme, solved until a bracket around the margin closes.

    minimise ½‖w‖²  subject to  w·z + b·f ≥ 1 for all vectors            (the margin is 1/‖w‖)
    its dual: maximise Σ λ − ½‖Σ λ z‖²  subject to  λ ≥ 0, Σ λ f = 0     (w = Σ λ z)

Both ends of the bracket are proofs: any (w, b) shows the margin that it has, ``min (w·z + b·f)/‖w‖``, and any λ ≥ 0
with Σ λ f = 0 shows that none is larger than ``‖Σ λ z‖/Σ λ``. The vectors with λ > 0 are the support points. Where the
bias counts in the norm (the margin of (x, 1)), its columns belong to z and there is no f.

Two methods find which vectors support the margin: an interior-point method where the vectors or their columns are few,
which does not mind columns of very different scales; coordinate ascent in the dual, by the native loop, where both are
many. Then the linear equations "these have margin exactly 1" give λ and w to full precision.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from ..core import engine
from ..core.rules import hard_margin
from .effort import Effort
from .vectors import Vectors

Array = NDArray[Any]

#: The bracket is closed when its ends agree to this, or where too many points support it for their equations, roughly.
CLOSED, _CLOSED_ROUGHLY = 1e-10, 1e-6
_PASSES = 10  # of the ascent, between two looks at all vectors
_DENSE = 4000  # support points for which the equations are solved; their matrix is dense
_AFTER_INTERIOR = 1e9  # multiplications after the interior-point method, which seldom leaves anything to do
_OVERHEAD = 2e5  # multiplications that take as long as what a turn of the ascent does besides them
_SMALL = 1000  # support points whose equations are solved by orthogonal factors


@dataclass
class Maximum:
    """Weights (w, b), dual λ, and the bracket around the maximum margin that they prove."""

    w: Array
    b: Array
    lam: Array
    lower: float
    upper: float

    def moved(self, centre: Array, n_classes: int) -> Maximum:
        """The same for rows less a centre: ``w·x + b = w·(x − c) + (b + w·c)``."""
        w = self.w.reshape(1 if n_classes == 2 else n_classes, -1)
        return replace(self, b=self.b + w @ centre)

    @property
    def gap(self) -> float:
        """How far the ends are apart, relative to the upper one."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0


class HardMargin:
    """The programme of some vectors, with a bias that is free or counts in the norm.

    Parameters
    ----------
    vectors : Vectors
        The z.
    free : bool
        Whether the bias is left out of the norm: the geometric margin.
    """

    def __init__(self, vectors: Vectors, free: bool, start: Maximum | None = None) -> None:
        self.vectors, self.rule = vectors, engine.Rule(*hard_margin.HardMargin().native("max"))
        self.free = free and vectors.F.shape[1] > 0
        n, self.n_columns, self.n_biases = len(vectors), vectors.Z.shape[1], vectors.F.shape[1]
        self.radius = math.sqrt(float(np.max(vectors.norms2))) or 1.0
        self.best = Maximum(np.zeros(self.n_columns), np.zeros(self.n_biases), np.zeros(n), -np.inf, np.inf)
        # Free biases are regularised about a centre that moves after them. The scale of their columns says how far it
        # moves: further the longer the vectors, less far the more of them hold it.
        self.scale, self.lam, self.centre = 1.0, np.zeros(n), np.zeros(self.n_biases)
        if start is not None:
            self.lam = start.lam / start.upper**2 / max(start.lam.sum(), 1e-300)  # so that the margins are about 1
        if self.free:
            self.scale = self.radius / math.sqrt(float(np.count_nonzero(self.lam)) or 1.0)
        if self.free and start is not None:
            self.centre = start.b / start.lower / max(float(np.sqrt(start.w @ start.w)), 1e-300) / self.scale
        self.rows = engine.admit(vectors.with_bias(self.scale))

    # ---- the bracket ---------------------------------------------------------------------------------------------

    def look(self, w: Array, b: Array, lam: Array) -> Array:
        """Tighten the bracket by these weights and this λ; returns the scores."""
        scores = self.vectors.scores(w, b)
        norm = float(np.sqrt(w @ w + (0.0 if self.free else b @ b)))
        if norm > 0 and scores.min() / norm > self.best.lower:
            self.best.lower, self.best.w, self.best.b = float(scores.min() / norm), w.copy(), b.copy()
        balanced = self._balanced(lam)
        if balanced.sum() > 0 and (upper := self._upper(balanced)) < self.best.upper:
            self.best.upper, self.best.lam = upper, balanced
        return scores

    def _upper(self, lam: Array) -> float:
        """``‖Σ λ z‖/Σ λ``."""
        v, f = self.vectors.combine(lam)
        return float(np.sqrt(v @ v + (0.0 if self.free else f @ f)) / lam.sum())

    def _balanced(self, lam: Array) -> Array:
        """λ with Σ λ f = 0, as a bound on the geometric margin needs: both classes brought to the same sum."""
        if not self.free:
            return lam
        F = self.vectors.F
        if F.shape[1] == 1:
            positive = F[:, 0] > 0
            sums = lam[positive].sum(), lam[~positive].sum()
            if min(sums) <= 0:
                return np.zeros_like(lam)
            return np.asarray(lam / np.where(positive, *sums))
        off = F.T @ lam
        return lam if np.abs(off).max() <= 1e-13 * lam.sum() else np.zeros_like(lam)

    # ---- the interior-point method -------------------------------------------------------------------------------

    def interior(self, w: Array, b: Array, deadline: float = math.inf) -> bool:
        """Tighten the bracket by Mehrotra's method, from weights that separate; False: it cannot be used here."""
        Z = self.vectors.Z
        m, columns = Z.shape
        smaller = min(m, columns)
        if m * columns > 5e7 or m * smaller**2 > 3e10:
            return False
        Z = np.asarray(Z.toarray()) if engine.is_sparse(Z) else Z
        basis = None
        if columns > m:  # w lies in the span of the vectors
            basis, triangle = linalg.qr(Z.T, mode="economic")
            Z, w = triangle.T, basis.T @ w
        F = self.vectors.F
        F = F[:, :-1] if F.shape[1] > 1 and self.free else F  # a constant added to all biases changes nothing
        start_b = b - b[-1] if F.shape[1] < len(b) else b
        A = np.hstack((Z, F))
        widths = np.sqrt((A**2).sum(axis=0))
        widths[widths == 0] = 1.0
        A /= widths
        hessian = 1 / widths**2
        if self.free:
            hessian[Z.shape[1] :] = 0.0
        x = np.concatenate((w, start_b[: F.shape[1]])) * widths
        least = float((A @ x).min())
        if not least > 0:
            return True  # too narrow for floats
        x *= 2 / least
        lam = np.zeros(m)
        for point, lam in _interior_points(A, hessian, x):
            v = point / widths
            w, b = v[: Z.shape[1]], np.concatenate((v[Z.shape[1] :], np.zeros(self.n_biases - F.shape[1])))
            before = self.best.gap
            if time.monotonic() > deadline:
                break
            self.look(w if basis is None else basis @ w, b, lam)
            if self.best.gap <= CLOSED or (before < 1e-6 and self.best.gap > before / 1.5):
                break
        self.solve(_before_the_drop(lam, smaller + self.n_biases + 1))
        return True

    @np.errstate(all="ignore")  # a step that leaves the floats ends it
    def near(self, separator: tuple[Array, Array]) -> Array:
        """λ that may be close to those of the maximum margin, by the interior-point method alone."""
        self.interior(*separator)
        return self._tidied().lam if self.best.lower > 0 else self.best.lam

    # ---- coordinate ascent ---------------------------------------------------------------------------------------

    @np.errstate(all="ignore")
    def run(
        self,
        separator: tuple[Array, Array],
        effort: Effort,
        report: Callable[[Maximum], None],
    ) -> Maximum:
        """Ascend and solve in turns until the bracket is closed, or the effort is spent."""
        most, work, rng = effort.floats, 0.0, np.random.default_rng(0)
        if self.interior(*separator, effort.deadline):
            most = min(most, _AFTER_INTERIOR)
        if self.best.gap <= max(1e-7, 1e3 * np.finfo(float).eps * self.radius / self.best.upper):
            return self._tidied()  # what is left is rounding
        n, lam = len(self.vectors), self.lam
        weights = engine.zeros(1 + self.rows.n_features, 1, np.float64)
        self._place(weights)
        model = engine.Model(form="binary", weights=weights, n_vectors=1, fit_intercept=False)
        codes, active = np.ones(n, np.int8), np.arange(n, dtype=np.int32)
        next_solve, gap = 4, np.inf
        entries = self.vectors.entries
        for turn in range(1, 1_000_000):
            work += entries * (1 + _PASSES * len(active) / n) + _OVERHEAD
            tally = engine.Tally(1)
            tally.room = np.inf
            for _ in range(_PASSES):
                rng.shuffle(active)
                engine.learn(
                    rows=self.rows.view, model=model, rule=self.rule, targets=codes, order=active, dual=lam, tally=tally
                )
            w, b = weights[1 : 1 + self.n_columns, 0], weights[1 + self.n_columns :, 0] * self.scale
            scores = self.look(w, b, lam)
            active = np.flatnonzero((lam > 0) | (scores < 1 + max(0.1, 1 - scores.min()))).astype(np.int32)
            if self.free:  # the method of multipliers: the centre moves by what is left of Σ λ f
                self.centre += self.scale * (self.vectors.F.T @ lam)
                self._place(weights)
            if turn == next_solve:
                self.solve(np.flatnonzero(lam > 1e-12 * lam.max()))
                next_solve = 2 * turn
                if turn > 64 and gap <= 1e-7 and self.best.gap > gap / 2:
                    break  # what is left is rounding
                gap = self.best.gap
            report(self.best)
            closed = CLOSED if np.count_nonzero(lam) <= _DENSE else _CLOSED_ROUGHLY
            if self.best.gap <= closed or work > most or time.monotonic() > effort.deadline:
                break
        return self._tidied()

    def _place(self, weights: Array) -> None:
        """The weights that λ and the centre make."""
        w, f = self.vectors.combine(self.lam)
        weights[1 : 1 + self.n_columns, 0] = w
        weights[1 + self.n_columns :, 0] = self.centre + self.scale * f

    # ---- the equations of the support points -----------------------------------------------------------------------

    def solve(self, support: Array) -> None:
        """Tighten the bracket by weights that give just these vectors the margin 1, correcting the set as needed."""
        for _ in range(12):
            if not 0 < len(support) <= _DENSE:
                return
            solution = self._equations(support)
            if solution is None:
                return
            part, b = solution
            lam = np.zeros(len(self.vectors))
            lam[support] = part
            w, f = self.vectors.combine(lam)
            b = b if self.free else f
            good = np.maximum(lam, 0.0)
            scores = self.look(w, b, good)
            short = np.flatnonzero(scores < 1 - 1e-9)
            short = short[np.argsort(scores[short])][: max(20, len(support))]
            negative = part < -1e-12 * np.abs(part).max()
            if not negative.any() and not len(short):
                return
            if negative.any() and not len(short):  # the weights are right, but this λ does not show it
                self._represent(support, w, b, self.best.upper)
                if self.best.gap <= CLOSED:
                    return
            support = np.union1d(support[~negative], short)

    def _equations(self, support: Array) -> tuple[Array, Array] | None:
        """λ of the support points, and the free biases, from ``w·z + b·f = 1`` on all of them."""
        F, n = self.vectors.F[support], len(support)
        try:
            if n <= _SMALL:
                return self._by_projection(self.vectors.dense(support), F)
            Z = self.vectors.Z[support]
            gram = np.asarray((Z @ Z.T).toarray() if engine.is_sparse(Z) else Z @ Z.T)
            matrix, right = gram + F @ F.T, np.ones(n)
            if self.free:
                matrix = np.block([[gram, F], [F.T, np.zeros((F.shape[1], F.shape[1]))]])
                right = np.concatenate((right, np.zeros(F.shape[1])))
            with warnings.catch_warnings():
                warnings.simplefilter("error", linalg.LinAlgWarning)
                solution = linalg.solve(matrix, right, assume_a="sym", overwrite_a=True)
        except (linalg.LinAlgError, linalg.LinAlgWarning, ValueError):
            return None
        return solution[:n], solution[n:]

    def _by_projection(self, Z: Array, F: Array) -> tuple[Array, Array]:
        """The same by orthogonal factors, which squares no condition number: the shortest w, then its λ."""
        ones = np.ones(len(Z))
        if not self.free:
            A = np.hstack((Z, F))
            x = linalg.lstsq(A, ones)[0]
            return linalg.lstsq(A.T, x)[0], x[:0]
        N = linalg.null_space(F.T)
        w = linalg.lstsq(N.T @ Z, N.T @ ones)[0]
        return N @ linalg.lstsq(Z.T @ N, w)[0], linalg.lstsq(F, ones - Z @ w)[0]

    def _represent(self, support: Array, w: Array, b: Array, at_most: float) -> None:
        """λ ≥ 0 with Σ λ z = w on as few of these points as need be, if that shows an upper bound of ``at_most``.

        Support points in special position have many λ; non-negative least squares finds one on independent points.
        """
        if len(support) > _SMALL:
            return
        Z, F = self.vectors.dense(support), self.vectors.F[support]
        try:
            goal = np.linalg.lstsq(Z, self.vectors.Z[support] @ w, rcond=None)[0]  # w in the columns that are there
        except np.linalg.LinAlgError:
            return
        A, target = np.hstack((Z, F)), np.concatenate((goal, np.zeros(len(b)) if self.free else b))
        widths = np.maximum(np.sqrt((A**2).sum(axis=0)), 1e-300)
        try:
            part = optimize.nnls((A / widths).T, target / widths)[0]
        except (RuntimeError, ValueError):  # too many steps, or numbers that have left the floats
            return
        lam = np.zeros(len(self.vectors))
        lam[support] = part
        lam = self._balanced(lam)
        if lam.sum() > 0 and (upper := self._upper(lam)) <= at_most:
            self.best.upper, self.best.lam = upper, lam

    def _tidied(self) -> Maximum:
        """The best, with λ on as few support points as need be."""
        best = self.best
        scores = self.vectors.scores(best.w, best.b)
        active = np.flatnonzero(scores <= scores.min() * (1 + 1e-7))
        if best.gap <= 1e-7:
            self._represent(active, best.w / scores.min(), best.b / scores.min(), best.upper * (1 + 1e-9))
        return best


def _interior_points(A: Array, hessian: Array, x: Array) -> Iterator[tuple[Array, Array]]:
    """Ever better (x, λ) of: minimise ½ Σ h·x² subject to A·x ≥ 1, from an x with A·x > 1.

    Mehrotra's predictor and corrector: a step towards the solution shows how far one can go, a second one goes there
    along the central path.
    """
    m = len(A)
    s = A @ x - 1
    lam = max(float(hessian @ x**2), 1e-300) / m / s
    for _ in range(100):
        off_dual, off_primal, mu = hessian * x - A.T @ lam, A @ x - s - 1, float(lam @ s) / m
        D = lam / s
        matrix = (A.T * D) @ A
        matrix[np.diag_indices_from(matrix)] += hessian + 1e-15 * np.trace(matrix) / len(matrix)
        if not np.all(np.isfinite(matrix)):
            return
        try:
            factor = linalg.cho_factor(matrix)
        except linalg.LinAlgError:
            return

        def step(off_centre: Array) -> tuple[Array, Array, Array]:
            dx = linalg.cho_solve(factor, -off_dual - A.T @ (off_centre / s + D * off_primal))  # noqa: B023
            ds = A @ dx + off_primal  # noqa: B023
            return dx, ds, -(off_centre + lam * ds) / s  # noqa: B023

        dx, ds, dlam = step(lam * s)
        reach = min(_reach(s, ds), _reach(lam, dlam))
        centring = (float((lam + reach * dlam) @ (s + reach * ds)) / m / mu) ** 3
        dx, ds, dlam = step(lam * s + ds * dlam - centring * mu)
        reach_s, reach_lam = 0.995 * _reach(s, ds), 0.995 * _reach(lam, dlam)
        if not np.all(np.isfinite(dx)) or max(reach_s, reach_lam) < 1e-8:
            return
        reach = min(1.0, reach_s, reach_lam)
        x, s, lam = x + reach * dx, s + reach * ds, lam + reach * dlam
        yield x, lam


def _before_the_drop(lam: Array, most: int) -> Array:
    """The vectors whose λ stand before the steepest drop, among the largest: the support points near a solution."""
    order = np.argsort(-lam)[: most + 1]
    sizes = np.maximum(lam[order], 1e-300)
    return np.sort(order[: 1 + int(np.argmax(sizes[:-1] / sizes[1:]))]) if len(order) > 1 else order


def _reach(values: Array, step: Array) -> float:
    """How far along the step, up to 1, the values stay positive."""
    shrinking = step < 0
    return min(1.0, float(np.min(-values[shrinking] / step[shrinking]))) if shrinking.any() else 1.0
