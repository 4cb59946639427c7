"""The space of a kernel: weights are a sum of examples, and their coordinates the coefficients of the rows.

``w = Σ α·φ(x)`` over the rows, so that ``w·φ(x') = Σ α·K(x, x')``; a bias is the constant 1 added to the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..core import reference, rules
from ..core.sums import product, total
from . import wording
from .gram import Gram
from .plan import Plan
from .space import Moment, Number, Space, exactly_rows


class DualModel(reference.KernelModel):
    """The reference over the numbers of the rows. It keeps a coefficient for each row, all scores, and ‖w‖²."""

    def __init__(self, gram: Gram, form: str, n_classes: int, eps: float, **options: Any) -> None:
        super().__init__(lambda j, i: gram.column(j)[i], form, n_classes, **options)
        self.gram, self.eps = gram, eps  # 0: nothing is rounded
        self.w = [[self.number(0)] * len(gram) for _ in range(n_classes)]
        self.totals = [[self.number(0)] * n_classes for _ in range(len(gram))]  # added up in the order of the updates
        self.kept: dict[int, None] = {}  # the rows that were updated on, in the order they first were
        self.norms2 = [reference.wide(self.number(0))] * n_classes
        self.rounding = [0.0] * n_classes  # what may be hidden in those

    def norm2(self, x: Any) -> Number:
        return self.gram.norm2(x)

    def scores(self, x: Any) -> list[Number]:
        return [reference.wide(s) for s in self.totals[x]]

    def visit(self, rule: rules.Rule, x: Any, y: Number, weight: Number = 1) -> reference.Step:
        step = super().visit(rule, x, y, weight)
        if step.moves:
            self.kept[x] = None
            for total, value in zip(self.totals, self.gram.column(x)):
                total[:] = [s + value * a for s, a in zip(total, step.coef)]
            norm2 = self.norm2(x)
            for c, s in enumerate(step.scores):
                a = reference.wide(step.coef[c])
                self.w[c][x] = self.w[c][x] + step.coef[c]
                self.norms2[c] += 2 * a * s + a * a * norm2
                if self.eps:
                    self.rounding[c] += 8 * self.eps * (2 * abs(a * s) + a * a * abs(norm2))
        return step

    def mean(self) -> list[list[Number]]:
        """The mean of the coefficients after each visited example: an update counts from when it was made."""
        w: list[list[Number]] = [[0 * reference.wide(v) for v in ws] for ws in self.w]
        for row, coef, time in self.history:
            passed = time - 1
            share = 1 - (passed / self.visited if self.eps else Fraction(passed, self.visited))
            for c, a in enumerate(coef):
                w[c][row] = w[c][row] + reference.wide(a) * share
        return w

    def survived(self) -> list[Any]:
        """How many examples each weight vector survived, zero the first; against the rest, a list for each class."""

        def counts(times: list[int]) -> list[int]:
            ends = [1, *times, self.visited + 1]
            return [later - earlier for earlier, later in pairwise(ends)]

        if self.form != "ovr":
            return counts([time for _, _, time in self.history])
        return [counts([time for _, coef, time in self.history if coef[c]]) for c in range(len(self.w))]


class KernelSpace(Space):
    """Weights as coefficients of the rows."""

    image = "φ(x)"
    model: DualModel
    _last: tuple[tuple[Number, ...], ...] = ()

    def __init__(self, plan: Plan, exact: bool | str) -> None:
        super().__init__(plan, exact)
        assert plan.kernel is not None
        assert plan.gram is not None
        shown = exactly_rows(plan.given) if exact else plan.rows
        self.xs = [tuple(self.plain(v) for v in row) for row in shown]
        self.rows, self.n_coordinates = range(len(self.xs)), len(self.xs)
        self.gram, *constants = plan.gram(exact)
        self.kernel, self.function = formula(plan.kernel, *map(self.plain, constants)), plan.kernel
        self.x = "K(x, ·)" if plan.kernel.name == "precomputed" else "x"
        self.model = DualModel(
            self.gram, plan.form, plan.n_vectors, 0.0 if exact else epsilon_of(plan.number), ties=plan.ties,
            share=plan.share, number=self.number,
        )  # fmt: skip

    # ---- geometry ------------------------------------------------------------------------------------------------

    def dot(self, a: Sequence[Number], b: Sequence[Number]) -> Number:
        """The inner product of two weights, stacked: ``Σ a·b·K`` for each vector."""
        n, summed = self.n_coordinates, self.number(0)
        for start in range(0, len(b), n):
            for j, v in enumerate(b[start : start + n]):
                if v:
                    summed = summed + v * product(a[start : start + n], self.gram.column(j))
        return reference.wide(summed)

    def norm2(self, i: int) -> Number:
        """K(x, x) of a row."""
        return self.gram.norm2(i)

    def scores(self, w: Sequence[Sequence[Number]], b: Sequence[Number], i: int) -> list[Number]:
        """Scores of a row by any weights."""
        return [reference.wide(total(a * self.gram.column(j)[i] for j, a in enumerate(ws) if a)) for ws in w]

    def norms2(self) -> list[Number]:
        """‖w‖², of all vectors together or of each against the rest. It may be negative: a kernel that is none."""
        model = self.model
        return self.slots([0.0 if -r <= v < 0 else v for v, r in zip(model.norms2, model.rounding)])

    moved2 = norms2  # a run begins at zero

    def total2(self) -> Number:
        """‖w‖² over all vectors."""
        return self.plain(total(self.norms2()))

    # ---- the record ----------------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        """The coefficients as they are now, and how many examples are kept."""
        now = [tuple(map(self.plain, w)) for w in self.model.w]
        self._last = tuple(old if old == new else new for old, new in zip(self._last or now, now))  # kept once
        return self._last, len(self.model.kept)

    def stacked(self, moment: Moment) -> list[Number]:
        """All coefficients in one list."""
        return [value for ws in moment[0] for value in ws]

    def fields(self, before: Moment, now: Moment) -> dict[str, Any]:
        """What a step says of the weights."""
        return {"alpha_before": self.one(before[0]), "alpha": self.one(now[0]), "n_support": now[1]}

    def begins(self, start: Moment) -> dict[str, Any]:
        """A run begins at zero."""
        return {"w": None, "b": None}

    def watched(self) -> Sequence[Sequence[Number]] | None:
        """The rows of the kernel matrix: they cancel just if the examples do. Rounded ones are not looked at."""
        return self.gram if self.exact else None

    def state(self, moment: Moment, c: int | None) -> Any:
        """All scores, which tell weights from others: coefficients of the same weights may differ."""
        return tuple(s for total in self.model.totals for s in (total if c is None else total[c : c + 1]))

    def read(self, pocket: reference.Pocket | None) -> Moment:
        """The coefficients of the readout (of votes there are none: the last ones)."""
        w = self.model.w if pocket is None else pocket.w
        w = self.model.mean() if self.plan.readout == "averaged" else w
        return [[self.plain(self.number(v)) for v in ws] for ws in w], None

    def dual(self, w: Sequence[Sequence[Number]]) -> list[list[Number]]:
        """The coefficients of the rows kept, of each vector."""
        return [[ws[j] for j in self.model.kept] for ws in w]

    def model_fields(self, pocket: reference.Pocket | None) -> dict[str, Any]:
        """What the trace says of the model, as ``fit`` does."""
        dual = self.dual(self.read(pocket)[0])
        return {
            "coef_": None,
            "intercept_": [total(coef) if self.plan.fit_intercept else 0 for coef in dual],
            "support_": list(self.model.kept),
            "dual_coef_": dual,
            "survived": self.model.survived(),
        }


def epsilon_of(number: Any) -> float:
    """How far a float of this type is from the next, relatively."""
    return 2.0**-52 if number is float else float(number(1).dtype.type(2.0) ** -23)


def formula(kernel: Any, gamma: Number, coef0: Number) -> str:
    """A kernel as a person would write it; the bias is its constant 1."""
    number, name = wording.number, kernel.name
    product = "x·x'" if gamma == 1 else f"{number(gamma)}·x·x'"
    shifted = product + (f" {'−' if coef0 < 0 else '+'} {number(abs(coef0))}" if coef0 else "")
    one = " + 1" if kernel.bias else ""
    if name == "precomputed":
        return f"K = X{one}"
    formula_of_kernel = {
        "linear": "x·x'",
        "poly": shifted if kernel.degree == 1 else f"({shifted}){_power(kernel.degree)}",
        "rbf": f"exp(−{'' if gamma == 1 else number(gamma) + '·'}‖x − x'‖²)",
        "sigmoid": f"tanh({shifted})",
    }.get(name if isinstance(name, str) else "", f"{getattr(name, '__name__', type(name).__name__)}(x, x')")
    return f"K(x, x') = {formula_of_kernel}{one}"


def _power(degree: float) -> str:
    return "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(degree)] if degree == int(degree) < 10 else f"^{degree:g}"
