"""Where the weights of a run live, and what a trace asks of that space. Here: over the features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..core import exact as exactly
from ..core import reference
from ..core.sums import product as dot
from ..core.sums import total
from .plan import Plan

Number = Any  # int, Fraction or float
Moment = tuple[Any, Any]  # what the weights are at one time


class Space:
    """What both spaces share: the run, its kind of numbers, and how its vectors are stacked.

    Attributes
    ----------
    rows : sequence
        What the model visits.
    xs : list of tuple
        The rows as they are shown.
    model : reference.Model
        Its ``w`` are coordinates of the weights: one for each feature, or one for each row.
    kernel : str or None
        The kernel in words.
    bias : bool
        Whether there is a bias beside the coordinates.
    """

    rows: Sequence[Any]
    xs: list[tuple[Number, ...]]
    model: reference.Model
    kernel: str | None = None
    function: Any = None  # the kernel itself
    bias = False
    constant: Number = 1  # the feature whose weight, times it, is the bias
    x = "x"  # what a row holds,
    image = "x"  # and what the weights are added up from

    def __init__(self, plan: Plan, exact: bool | str) -> None:
        self.plan, self.exact = plan, exact
        self.several = plan.form in ("multiclass", "ovr")
        self.number: Any = fraction if exact else plan.number

    def plain(self, value: Number) -> Number:
        """A number as it is shown and kept: whole ones as int in exact mode, floats of any width as Python's."""
        if not self.exact:
            return reference.wide(value)
        value = exactly.number(value)
        return exactly.Decimals(value) if self.exact == "decimals" and isinstance(value, Fraction) else value

    def one(self, vectors: Any) -> Any:
        """Of several vectors or numbers all, of one that one."""
        return vectors if self.several else vectors[0]

    def confidence(self, step: reference.Step) -> dict[str, Any]:
        """What a step says of how sure the weights are; nothing, where the rule keeps no such thing."""
        return {}

    def slots(self, squares: Sequence[Number]) -> list[Number]:
        """Squared norms of the vectors, summed where they are stacked: all but one against the rest."""
        return [total(squares)] if self.model.form == "multiclass" else list(squares)


class LinearSpace(Space):
    """Weights over the features, and their biases."""

    def __init__(self, plan: Plan, exact: bool | str) -> None:
        super().__init__(plan, exact)
        self.bias = plan.fit_intercept
        self.constant = fraction(plan.constant) if exact else plan.constant
        self.image = f"(x, {plan.constant:g})" if self.bias else "x"
        self.rows = exactly_rows(plan.given) if exact else plan.rows
        self.xs = [tuple(self.plain(v) for v in row) for row in self.rows]
        self.n_coordinates = plan.n_features
        self._wide = self.rows if exact else self.xs
        epsilon = plan.epsilon or 0
        self.model = reference.Model(
            plan.form, plan.n_features, plan.n_vectors, fit_intercept=plan.fit_intercept,
            constant=self.constant, ties=plan.ties, share=plan.share,
            epsilon=fraction(epsilon) if exact else epsilon, number=self.number, batch=plan.batch,
        )  # fmt: skip
        if plan.w is not None and plan.b is not None:
            self.model.w = [[self.number(v) for v in w] for w in plan.w]
            self.model.b = [self.number(v) for v in plan.b]
        self._start = self._vectors()
        self._sure: Moment | None = None  # the variances after the last step

    # ---- geometry ------------------------------------------------------------------------------------------------

    def dot(self, a: Sequence[Number], b: Sequence[Number]) -> Number:
        """The inner product of two weights, stacked."""
        return dot(a, b)

    def norm2(self, i: int) -> Number:
        """‖x‖² of a row, the bias feature included."""
        return dot(self._wide[i], self._wide[i]) + (self.constant**2 if self.bias else 0)

    def scores(self, w: Sequence[Sequence[Number]], b: Sequence[Number], i: int) -> list[Number]:
        """Scores of a row by any weights."""
        return [dot(ws, self._wide[i]) + c for ws, c in zip(w, b)]

    def _vectors(self) -> list[list[Number]]:
        """As they are multiplied with (x, s), in whose space norms are."""
        return [[*w, b / self.constant] if self.bias else list(w) for w, b in zip(self.model.w, self.model.b)]

    def norms2(self) -> list[Number]:
        """‖w‖² with the biases, of all vectors together or of each against the rest."""
        return self.slots([dot(w, w) for w in self._vectors()])

    def moved2(self) -> list[Number]:
        """‖w − w₀‖² likewise."""
        moved = [[a - b for a, b in zip(*pair)] for pair in zip(self._vectors(), self._start)]
        return self.slots([dot(w, w) for w in moved])

    def total2(self) -> Number:
        """‖w‖² over all vectors, in double precision."""
        values = [reference.wide(v) for vector in self._vectors() for v in vector]
        return self.plain(dot(values, values))

    # ---- the record ----------------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        """The weights as they are now."""
        return tuple(tuple(map(self.plain, w)) for w in self.model.w), tuple(map(self.plain, self.model.b))

    def stacked(self, moment: Moment) -> list[Number]:
        """All weights in one list: those of each vector and of its constant feature, if there is one."""
        return [value for ws, c in zip(*moment) for value in (*ws, *((c / self.constant,) if self.bias else ()))]

    def fields(self, before: Moment, now: Moment) -> dict[str, Any]:
        """What a step says of the weights."""
        (w0, b0), (w, b) = before, now
        return {"w_before": self.one(w0), "b_before": self.one(b0), "w": self.one(w), "b": self.one(b)}

    def confidence(self, step: reference.Step) -> dict[str, Any]:
        sure, form = self.model.sure, self.model.form
        if sure is None:
            return {}
        before, self._sure = self._sure, self._variances()
        before = self._prior() if before is None else before
        shrinks = [None if shrink is None else self.plain(reference.wide(shrink[1])) for shrink in step.shrinks]
        shrinks = [None if isinstance(number, float) and math.isinf(number) else number for number in shrinks]
        numbers = [number for number in shrinks if number is not None]
        v = tuple(map(self.plain, step.v))
        return {
            "v": v if form == "ovr" else v[0], "shrink": tuple(shrinks) if form == "ovr" else (*numbers, None)[0],
            "variance_before": self.one(before[0]), "variance_b_before": self.one(before[1]),
            "variance": self.one(self._sure[0]), "variance_b": self.one(self._sure[1]),
        }  # fmt: skip

    def _variances(self) -> Moment:
        """The variances of all weights, and of the biases."""
        sure: Any = self.model.sure
        held = [sure.variances(c) for c in range(len(self.model.w))]
        scale = reference.wide(self.model.constant2) if self.plan.rule.keeps == "diagonal" else 1
        weights = tuple(tuple(self.plain(reference.wide(v)) for v in of) for of, _ in held)
        return weights, tuple(self.plain(reference.wide(b) * scale) for _, b in held)

    def _prior(self) -> Moment:
        """The same before the first example."""
        a = 1 / (fraction if self.exact else float)(self.plan.rule.prior)
        d, k = self.plan.n_features, len(self.model.w)
        bias = self.plain(a * reference.wide(self.model.constant2))
        return ((self.plain(a),) * d,) * k, (bias,) * k

    def begins(self, start: Moment) -> dict[str, Any]:
        """What the setting says of where they begin."""
        w, b = start
        return {"w": self.one(w), "b": self.one(b)}

    def watched(self) -> Sequence[Sequence[Number]] | None:
        """The rows that cancel if weights come back, in exact numbers; None: that is not looked out for."""
        return self.xs if self.exact else exactly.rows(self.xs)

    def state(self, moment: Moment, c: int | None) -> Any:
        """What tells weights from others: all of them, or those of one class against the rest."""
        return moment if c is None else (moment[0][c], moment[1][c])

    def read(self, pocket: reference.Pocket | None) -> Moment:
        """The weights and biases that predict."""
        w, b = self.model.w, self.model.b
        if self.plan.readout == "averaged":
            w, b = self.model.averaged()
        elif pocket is not None:
            w, b = pocket.w, pocket.b
        return [[self.plain(v) for v in row] for row in w], [self.plain(v) for v in b]

    def model_fields(self, pocket: reference.Pocket | None) -> dict[str, Any]:
        """What the trace says of them, as ``fit`` does."""
        w, b = self.read(pocket)
        return {"coef_": w[0] if self.plan.epsilon is not None else w, "intercept_": b}


def fraction(value: Any) -> Fraction:
    """A number as a fraction, so that whole ones divide into fractions too."""
    return Fraction(exactly.number(value))


def exactly_rows(X: Any) -> list[list[Fraction]]:
    """The rows as fractions."""
    return [[Fraction(v) for v in row] for row in exactly.rows(X)]
