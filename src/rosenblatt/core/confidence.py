"""How sure the weights are, in plain Python: the covariance Σ that second-order rules keep, as ``reference`` learns it.

``rules/second_order.py`` says what is kept and why. Numbers may be of any type, as in ``reference``; the order of every
sum is fixed here too. A diagonal Σ is kept in the type of the weights, a full one in double precision.

Biases are the weights of a constant feature s, times it: so s² is their ``x`` and their ``x²``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Union

from . import rules

if TYPE_CHECKING:
    from .reference import Model

Number = Any  # int, float, Fraction or a NumPy scalar
Shrink = tuple[str, Number]

#: The largest float32.
_LARGEST_FLOAT32 = 3.4028234663852886e38
#: The largest p of float32 and of float64: there Σ is as good as 0, and yet a step that undoes a margin, m/v, is a
#: number with room to spare. Rules that make every example right come there soon where labels are wrong.
_SUREST = 2.0**96, 2.0**768


class Diagonal:
    """A variance for each weight, ``Σ_j = 1/(1/a + p_j)``: kept as p, of which 0 is a feature that was never met."""

    def __init__(self, rule: rules.Rule, model: Model) -> None:
        self.number, self.square = model.number, model.constant2
        self.moved = Moved(rule.prior, self.number)
        self.prior = self.moved.prior
        self.p = [[self.number(0)] * len(w) for w in model.w]
        self.p_b = [self.number(0)] * len(model.b)

    def variances(self, c: int) -> tuple[list[Number], Number]:
        """Of the weights of a class, and of its constant feature."""
        return [1 / (self.prior + p) for p in self.p[c]], 1 / (self.prior + self.p_b[c])

    def v(self, model: Model, x: Sequence[Number], c: int) -> Number:
        """xᵀΣx."""
        variances, of_bias = self.variances(c)
        return model.lanes([a * a for a in x], variances) + self.square * of_bias

    def learn(self, model: Model, c: int, a: Number, x: Sequence[Number], shrink: Shrink, score: Number) -> None:
        """Move the weights of a class by ``a·Σx``, and make Σ smaller."""
        for j, value in enumerate(x):
            w, self.p[c][j] = self.moved(shrink, a, value, value * value, model.w[c][j], self.p[c][j])
            model.put(c, j, w)
        b, self.p_b[c] = self.moved(shrink, a, self.square, self.square, model.b[c], self.p_b[c])
        model.put(c, None, b)


class Moved:
    """How a step moves one weight of a diagonal Σ, and its p."""

    def __init__(self, prior: Number, number: Callable[[Any], Number]) -> None:
        self.prior, self.number = number(prior), number
        self.largest, self.most = _largest(number), _surest(number)

    def __call__(
        self, shrink: Shrink, a: Number, x: Number, square: Number, w: Number, p: Number
    ) -> tuple[Number, Number]:
        """A weight and its p after a step; of a bias both x and its square are s²."""
        form, number = shrink
        sign = self.number(1 if a > 0 else -1)
        amount = self.number(number) if self.largest is None or number < _wide(self.largest) else self.largest
        known = self.prior + p
        variance = 1 / known
        gain = self._product(amount, square)
        if form == "sums":  # w = b/A: b gains v·y·x, A gains v·x²
            return w + amount * (sign * x - square * w) / (known + gain), self._at_most(p + gain)
        w = w + a * (variance * x)
        if form == "inverse":
            return w, self._at_most(p + gain)
        if form == "herd":
            return w, self._at_most(p + self._product(gain, 2 + self._product(gain, variance)))
        rest = 1 - self._product(gain, variance)
        return w, self._at_most(p + gain / rest) if rest > 0 else self.most

    def _product(self, a: Number, b: Number) -> Number:
        """a·b of numbers from 0 on; one that is too large is infinite, without the warning of NumPy's floats."""
        if self.largest is None or _wide(a) * _wide(b) <= _wide(self.largest):
            return a * b
        return self.number(math.inf)

    def _at_most(self, p: Number) -> Number:
        return p if self.most is None or p <= self.most else self.most


class Full:
    """The covariance of all weights of a class and its bias, which comes first; in double precision."""

    def __init__(self, rule: rules.Rule, model: Model) -> None:
        self.number = model.number
        a = 1 / (self.number if _is_exact(self.number) else float)(rule.prior)
        bias, n = a * _wide(model.constant2), 1 + len(model.w[0])
        self.sigma = [
            [[(bias if i == 0 else a) if i == j else a * 0 for j in range(n)] for i in range(n)] for _ in model.w
        ]

    def variances(self, c: int) -> tuple[list[Number], Number]:
        """Of the weights of a class, and of its bias (the constant feature's, times s²)."""
        diagonal = [row[i] for i, row in enumerate(self.sigma[c])]
        return diagonal[1:], diagonal[0]

    def image(self, x: Sequence[Number], c: int) -> tuple[list[Number], Number]:
        """Σx and xᵀΣx, summed from the bias on, zeros left out."""
        entries = [(0, 1), *((1 + j, _wide(value)) for j, value in enumerate(x) if value != 0)]
        u = [value * 0 for value in self.sigma[c][0]]
        for i, value in entries:
            row = self.sigma[c][i]
            u = [total + value * s for total, s in zip(u, row)]
        v: Number = 0
        for i, value in entries:
            v = v + value * u[i]
        return u, v if v > 0 else v * 0

    def v(self, model: Model, x: Sequence[Number], c: int) -> Number:
        """xᵀΣx."""
        return self.image(x, c)[1]

    def learn(self, model: Model, c: int, a: Number, x: Sequence[Number], shrink: Shrink, score: Number) -> None:
        """Move all weights of a class by ``a·Σx``, and take ``β·Σx xᵀΣ`` off Σ."""
        form, beta = shrink
        u, v = self.image(x, c)
        step = _wide(a)
        if form == "sums":  # w = A⁻¹b, of the class by itself
            beta = 1 / (v + 1 / beta)
            step = ((1 if a > 0 else -1) - score) * beta
        for j in range(len(model.w[c])):
            model.put(c, j, model.w[c][j] + self.number(step * u[1 + j]))
        model.put(c, None, model.b[c] + self.number(step * u[0]))
        self.sigma[c] = [[s - beta * (p * q) for s, q in zip(row, u)] for row, p in zip(self.sigma[c], u)]


Confidence = Union[Diagonal, Full]


def kept(rule: rules.Rule, model: Model) -> Confidence:
    """What a rule keeps at the beginning of a run."""
    return (Full if rule.keeps == "full" else Diagonal)(rule, model)


def _wide(value: Number) -> Number:
    return value.item() if hasattr(value, "item") else value


def _is_exact(number: Callable[[Any], Number]) -> bool:
    return isinstance(number(1), (int, Fraction))


def is_exhausted(step: Number) -> bool:
    """Whether a step is no number any more, because so little is left of Σ along x: then there is none."""
    return isinstance(_wide(step), float) and not math.isfinite(step)


def _surest(number: Callable[[Any], Number]) -> Number:
    """The largest p of a type of floats; None: there is none."""
    one = number(1)
    if isinstance(one, (int, Fraction)):
        return None
    return number(_SUREST[0 if getattr(one, "itemsize", 8) == 4 else 1])


def _largest(number: Callable[[Any], Number]) -> Number:
    """The largest number of a type of floats; None: there is none."""
    one = number(1)
    if isinstance(one, (int, Fraction)):
        return None
    return number(_LARGEST_FLOAT32 if getattr(one, "itemsize", 8) == 4 else sys.float_info.max)
