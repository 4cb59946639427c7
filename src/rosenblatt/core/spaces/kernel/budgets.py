"""Budgets: how a sum of examples stays one of at most ``budget`` of them, however long the run.

A policy is asked at every step what becomes of it. It answers with a ``Change`` of the dual, the coefficients of the
examples kept, which stand in slots: all of them times φ, the step spread over them, or x itself in a slot, the next one
or that of an example that gives way. What a policy has to remember of the examples kept, it remembers itself.

``reference.BudgetModel`` is the same in plain Python, beside its sources.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....errors import DataError
from ... import rules

Array = NDArray[Any]


class Step(NamedTuple):
    """A step to be taken on an example x."""

    coef: Array  # (n_vectors,): W_r += a_r·x
    margin: float  # before it, and whether that was a mistake
    wrong: bool
    k: Array  # K(x, x_j) of each example kept
    K: float  # K(x, x)


class Change(NamedTuple):
    """What becomes of it."""

    scale: float = 1.0  # φ, of all coefficients
    slot: int | None = None  # where x is kept; the one that was there gives way
    spread: Array | None = None  # shares of the examples kept in the step
    coef: Array | None = None  # the step itself, where it is not the one asked for
    moves: bool = True


@dataclass(frozen=True)
class Budget:
    """How many examples are kept at most, and who gives way.

    Parameters
    ----------
    size : int
        The examples kept at most.
    policy : {"random", "forgetron", "projectron", "projectron++"}
        Who gives way.
    eta : float
        The largest norm that a projection may lose.
    """

    size: int
    policy: str = "random"
    eta: float = 0.1

    def start(self, precision: float) -> Random:
        """The policy with nothing kept; kernel values are right to ``precision``, relatively."""
        kinds = {"random": Random, "forgetron": Forgetron, "projectron": Projectron, "projectron++": ProjectronPlus}
        return kinds[self.policy](self.size, self.eta, precision)


#: What share of an example's square may stand out of the span before the basis counts as ill-conditioned.
_THIN = 1e-4
#: Numbers up to here can be multiplied with each other and added up.
_LARGEST = 1e100

#: By name; the first is the default.
POLICIES = ("random", "forgetron", "projectron", "projectron++")


class Random:
    """One at random gives way. It goes with every rule.

    References
    ----------
    Cavallanti, Cesa-Bianchi & Gentile (2007), Machine Learning 69.
    """

    unit_steps = False  # whether it is for Rosenblatt's rule with steps of 1 alone

    def __init__(self, size: int, eta: float, precision: float) -> None:
        self.size, self.eta, self.precision = size, eta, precision
        self.rng = np.random.default_rng()
        self.n = 0  # examples kept
        self.gram = np.zeros((0, 0))  # their kernel matrix, with room for more

    def change(self, step: Step, alpha: Array) -> Change:
        """What becomes of a step, when the examples kept have the coefficients α (n, n_vectors)."""
        return Change(slot=self._next() if self.n < self.size else int(self.rng.integers(self.size)))

    def rule(self, rule: rules.Rule) -> rules.Rule:
        """The rule by which the loop stops for steps."""
        return rule

    def refusal(self, K: Array) -> DataError | None:
        """The error of the first of some rows, of these K(x, x), that it cannot take."""
        return None

    def is_sound(self, alpha: Array) -> bool:
        """Whether all that it remembers fits together, and the coefficients α; it may come from a file."""
        return self.n <= self.size and len(self.gram) == 0

    def _remembers_all(self) -> bool:
        """Whether its kernel matrix has room for the examples kept, and numbers that can be multiplied."""
        sizes = self.n <= len(self.gram) <= self.size
        return sizes and float(np.abs(self.gram).max(initial=0.0)) <= _LARGEST

    def _next(self) -> int:
        self.n += 1
        return self.n - 1

    def _remember(self, slot: int, step: Step) -> None:
        """Write a new example into the kernel matrix."""
        if slot >= len(self.gram):
            grown = np.zeros((min(self.size, 2 * slot + 8),) * 2)
            grown[:slot, :slot] = self.gram[:slot, :slot]
            self.gram = grown
        n = len(step.k)
        self.gram[slot, :n] = self.gram[:n, slot] = step.k
        self.gram[slot, slot] = step.K


class Forgetron(Random):
    """The oldest gives way, after all have shrunk by as much as keeps the damage below the gain of the mistakes.

    Self-tuned: φ is the largest in (0, 1] for which ``Ψ(σφ, φμ) + Q ≤ (15/32)·M``, ``Ψ(λ, μ) = λ² + 2λ − 2λμ``, where
    σ is the size of the oldest's α, μ its margin after the step, M the mistakes and Q the sum of Ψ so far.

    References
    ----------
    Dekel, Shalev-Shwartz & Singer (2008), SIAM J. Comput. 37: the self-tuned variant.
    """

    unit_steps = True

    def __init__(self, size: int, eta: float, precision: float) -> None:
        super().__init__(size, eta, precision)
        self.mistakes, self.Q = 0, 0.0

    def refusal(self, K: Array) -> DataError | None:
        long = np.flatnonzero(1 + 64 * self.precision < K)
        if not len(long):
            return None
        return DataError(
            f"the Forgetron needs K(x, x) <= 1, the 1 of a bias included, but K(x, x) = {K[long[0]]:.6g}",
            "use fit_intercept=False, with kernel='rbf' or rows scaled so that none is longer than 1",
            row=int(long[0]),
        )

    def is_sound(self, alpha: Array) -> bool:
        in_turn = self.mistakes == self.n < self.size or self.mistakes >= self.n == self.size
        steps = float(np.abs(alpha).max(initial=0.0)) <= 1 + 64 * self.precision
        return in_turn and steps and (self.mistakes + 1) * 15 / 32 > self.Q and self._remembers_all()

    def change(self, step: Step, alpha: Array) -> Change:
        slot, full = self.mistakes % self.size, self.n == self.size  # in turn, so that the next is the oldest
        self.mistakes += 1
        if not full:
            self._remember(self._next(), step)
            return Change(slot=slot)
        sigma = abs(float(alpha[slot, 0]))
        mu = math.copysign(1, alpha[slot, 0]) * float(self.gram[slot] @ alpha[:, 0] + step.coef[0] * step.k[slot])
        square, linear, constant = sigma**2 - 2 * sigma * mu, 2 * sigma, self.Q - self.mistakes * 15 / 32
        phi = 1.0
        if square + linear + constant > 0:  # < 0 at φ = 0, so that one root lies between
            phi = -2 * constant / (linear + math.sqrt(linear**2 - 4 * square * constant))
        self.Q += square * phi**2 + linear * phi
        self._remember(slot, step)
        return Change(scale=phi, slot=slot)


class Projectron(Random):
    """A step is projected onto the span of the examples kept, if that loses a norm of η at most or the budget is full.

    It keeps an orthonormal basis of the span: the rows of T are the coefficients of its vectors, so that x has the
    coordinates ``T·k``, and ``K⁻¹ = TᵀT``. Nothing ever gives way, so T only grows by a row with each example kept;
    this is Gram and Schmidt's procedure, and loses far fewer digits than an inverse that is kept up to date. It goes
    with every rule: a step of length ‖a‖ loses ``‖a‖·√δ``.

    References
    ----------
    Orabona, Keshet & Caputo (2009), JMLR 10: the Projectron.
    """

    def __init__(self, size: int, eta: float, precision: float) -> None:
        super().__init__(size, eta, precision)
        self.T = np.zeros((0, 0))
        self.inverse: Array | None = None  # K⁻¹, once the budget is full: half the work
        self.thinnest = 1.0  # the smallest δ/K(x, x) with which an example was kept: how far T may be off
        self.R2 = 0.0  # max K(x, x) of those kept

    def is_sound(self, alpha: Array) -> bool:
        basis = self.T if self.inverse is None else self.inverse
        sizes = len(basis) == len(self.gram) if self.inverse is None else len(basis) == self.n == self.size
        numbers = float(np.abs(basis).max(initial=0.0)) <= _LARGEST and 0 <= self.thinnest <= 1 and self.R2 >= 0
        return sizes and numbers and self._remembers_all()

    def change(self, step: Step, alpha: Array) -> Change:
        c, delta = self._span(step)
        if delta * float(step.coef @ step.coef) <= self.eta**2 or self.n == self.size:
            return Change(spread=c)
        return Change(slot=self._widen(step, c, delta))

    def _span(self, step: Step) -> tuple[Array, float]:
        """How x is best made of the examples kept, and the square δ of what is left, 0 within rounding."""
        k = step.k
        c = self._inverse_times(k)
        delta = step.K - float(c @ k)
        if self.thinnest < _THIN:  # make good what an ill-conditioned T left over
            gram = self.gram[: self.n, : self.n]
            for _ in range(2):
                c += self._inverse_times(k - gram @ c)
            delta = step.K - float(c @ (2 * k - gram @ c))
        rounding = 16 * self.precision * max(step.K, self.R2) * (1 + float(np.abs(c).sum())) ** 2
        return c, delta if delta > rounding else 0.0

    def _inverse_times(self, k: Array) -> Array:
        if self.inverse is not None:
            return np.asarray(self.inverse @ k)
        T = self.T[: self.n, : self.n]
        return np.asarray((T @ k) @ T)

    def _widen(self, step: Step, c: Array, delta: float) -> int:
        """Take x into the span."""
        slot = self._next()
        self._remember(slot, step)
        if len(self.T) < len(self.gram):
            grown = np.zeros_like(self.gram)
            grown[:slot, :slot] = self.T[:slot, :slot]
            self.T = grown
        root = math.sqrt(delta)
        self.T[slot, :slot], self.T[slot, slot] = -c / root, 1 / root
        self.thinnest = min(self.thinnest, delta / step.K)
        self.R2 = max(self.R2, step.K)
        if self.n == self.size and self.thinnest >= _THIN:
            self.inverse, self.T = self.T.T @ self.T, self.T[:0, :0].copy()
        return slot


class ProjectronPlus(Projectron):
    """The Projectron++: it also moves on right answers of margin below 1, if they lose more than their projection.

    Several classes by Kesler's construction, the right class against its rival: all squared norms are doubled.

    References
    ----------
    Orabona, Keshet & Caputo (2009), JMLR 10: the Projectron++.
    """

    unit_steps = True

    def rule(self, rule: rules.Rule) -> rules.Rule:
        return rules.Perceptron(margin=1.0)

    def change(self, step: Step, alpha: Array) -> Change:
        if step.wrong:
            return super().change(step, alpha)
        c, delta = self._span(step)
        twice = float(step.coef @ step.coef)  # 1, or 2 against a rival
        loss, lost, norm2 = 1 - step.margin, math.sqrt(twice * delta), twice * (step.K - delta)
        room = loss if lost == 0 else loss - lost / self.eta if self.eta > 0 else 0.0
        if not (room > 0 and norm2 > 0):
            return Change(moves=False)
        return Change(spread=c, coef=min(loss / norm2, 2 * room / norm2, 1) * step.coef)
