"""The space of a kernel: weights are a sum of examples, and their coordinates the coefficients of the rows.

``w = Σ α·φ(x)`` over the rows, so that ``w·φ(x') = Σ α·K(x, x')``; a bias is the constant 1 added to the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import engine, reference, rules
from ..core.run import Run
from ..theory import inputs
from . import wording
from .space import Moment, Number, Space, exactly_rows, fraction

Array = NDArray[Any]

#: The kernel of some rows (a slice of them) with others.
Values = Callable[[slice, slice], Array]


class Gram(Sequence[list[Number]]):
    """The kernel matrix of the rows: columns as they are asked for, each computed once. A sequence of its rows."""

    def __init__(self, values: Values, n_rows: int) -> None:
        self._values, self._n_rows = values, n_rows
        self._columns: dict[int, Array] = {}
        self._diagonal: dict[int, Number] = {}

    def column(self, j: int) -> Array:
        """K of all rows with row j."""
        if j not in self._columns:
            self._columns[j] = self._values(slice(None), slice(j, j + 1))[:, 0]
        return self._columns[j]

    def norm2(self, i: int) -> Number:
        """K(x, x) of a row."""
        if i not in self._diagonal:
            self._diagonal[i] = reference.wide(self._values(slice(i, i + 1), slice(i, i + 1))[0, 0])
        return self._diagonal[i]

    def __len__(self) -> int:
        return self._n_rows

    def __getitem__(self, i: Any) -> Any:
        return [self.column(j)[i] for j in range(len(self))]

    def __iter__(self) -> Iterator[list[Number]]:
        return map(self.__getitem__, range(len(self)))


class DualModel(reference.KernelModel):
    """The reference over the numbers of the rows. It keeps a coefficient for each row, all scores, and ‖w‖²."""

    def __init__(self, gram: Gram, form: str, n_classes: int, dtype: Any, **options: Any) -> None:
        super().__init__(lambda j, i: gram.column(j)[i], form, n_classes, **options)
        self.gram = gram
        self.w = [[self.number(0)] * len(gram) for _ in range(n_classes)]
        self.totals = np.full((len(gram), n_classes), self.number(0), dtype)  # added up in the order of the updates
        self.kept: dict[int, None] = {}  # the rows that were updated on, in the order they first were
        self.norms2 = [reference.wide(self.number(0))] * n_classes
        self.rounding = [0.0] * n_classes  # what may be hidden in those

    def norm2(self, x: Any) -> Number:
        return self.gram.norm2(x)

    def scores(self, x: Any) -> list[Number]:
        scores: list[Number] = self.totals[x].tolist()
        return scores

    def visit(self, rule: rules.Rule, x: Any, y: Number, weight: Number = 1) -> reference.Step:
        step = super().visit(rule, x, y, weight)
        if step.moves:
            self.kept[x] = None
            coef = np.array(step.coef, self.totals.dtype)
            self.totals = self.totals + np.multiply.outer(self.gram.column(x), coef)
            for c, (a, s) in enumerate(zip(coef.tolist(), step.scores)):
                self.w[c][x] = self.w[c][x] + step.coef[c]
                self.norms2[c] += 2 * a * s + a * a * self.norm2(x)
                if isinstance(a, float):
                    size = 2 * abs(a * s) + a * a * abs(self.norm2(x))
                    self.rounding[c] += 8 * float(np.finfo(self.totals.dtype).eps) * size
        return step

    def mean(self) -> list[list[Number]]:
        """The mean of the coefficients after each visited example: an update counts from when it was made."""
        w: list[list[Number]] = [[0 * reference.wide(v) for v in ws] for ws in self.w]
        for row, coef, time in self.history:
            passed = time - 1
            share = 1 - (Fraction(passed, self.visited) if self.totals.dtype == object else passed / self.visited)
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

    def __init__(self, run: Run, X: Any, exact: bool | str) -> None:
        super().__init__(run, exact)
        learner: Any = run.learner
        kernel, given_rows, space = learner.kernel, run.rows.X, run.spec.space
        shown = exactly_rows(X) if exact else given_rows.toarray() if engine.is_sparse(given_rows) else given_rows
        self.xs = [tuple(self.plain(v) for v in row) for row in shown]
        self.rows, self.n_coordinates = range(len(self.xs)), len(self.xs)
        if exact:
            present = shown if run.weight is None else [x for x, v in zip(shown, run.weight) if v > 0]
            constants = _gamma(kernel.name, space.gamma, present), fraction(kernel.coef0)
            values = _exact_values(kernel, np.array(shown, object), *constants)
        else:
            constants, values = (kernel.gamma, kernel.coef0), inputs.kernel_values(kernel, given_rows)
        self.kernel, self.function = formula(kernel, *map(self.plain, constants)), kernel
        self.x = "K(x, ·)" if kernel.name == "precomputed" else "x"
        self.gram = Gram(values, len(self.xs))
        self.model = DualModel(
            self.gram, learner.form, learner.n_vectors, object if exact else learner.dtype, ties=learner.ties,
            share=learner.multiclass, number=self.number,
        )  # fmt: skip

    # ---- geometry ------------------------------------------------------------------------------------------------

    def dot(self, a: Sequence[Number], b: Sequence[Number]) -> Number:
        """The inner product of two weights, stacked: ``Σ a·b·K`` for each vector."""
        n, total = self.n_coordinates, self.number(0)
        for start in range(0, len(b), n):
            left = np.array(a[start : start + n], object if self.exact else float)
            for j, v in enumerate(b[start : start + n]):
                if v:
                    total = total + v * (left @ self.gram.column(j))
        return reference.wide(total)

    def norm2(self, i: int) -> Number:
        """K(x, x) of a row."""
        return self.gram.norm2(i)

    def scores(self, w: Sequence[Sequence[Number]], b: Sequence[Number], i: int) -> list[Number]:
        """Scores of a row by any weights."""
        return [reference.wide(sum(a * self.gram.column(j)[i] for j, a in enumerate(ws) if a)) for ws in w]

    def norms2(self) -> list[Number]:
        """‖w‖², of all vectors together or of each against the rest. It may be negative: a kernel that is none."""
        model = self.model
        return self.slots([0.0 if -r <= v < 0 else v for v, r in zip(model.norms2, model.rounding)])

    moved2 = norms2  # a run begins at zero

    def total2(self) -> Number:
        """‖w‖² over all vectors."""
        return self.plain(sum(self.norms2()))

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
        totals = self.model.totals if c is None else self.model.totals[:, c]
        return tuple(totals.ravel().tolist())

    def read(self, pocket: reference.Pocket | None) -> Moment:
        """The coefficients of the readout (of votes there are none: the last ones)."""
        w = self.model.w if pocket is None else pocket.w
        w = self.model.mean() if self.run.learner.readout == "averaged" else w
        return [[self.plain(self.number(v)) for v in ws] for ws in w], None

    def dual(self, w: Sequence[Sequence[Number]]) -> Array:
        """The coefficients of the rows kept, (n_vectors, n_support)."""
        return self.array([[ws[j] for j in self.model.kept] for ws in w]).reshape(len(w), len(self.model.kept))

    def model_fields(self, pocket: reference.Pocket | None) -> dict[str, Any]:
        """What the trace says of the model, as ``fit`` does."""
        dual = self.dual(self.read(pocket)[0])
        bias = dual.sum(axis=1) if self.run.learner.fit_intercept else self.array([0] * len(dual))
        return {
            "coef_": None,
            "intercept_": bias,
            "support_": np.array(list(self.model.kept), np.int64),
            "dual_coef_": dual,
            "survived": self.model.survived(),
        }


# ---- exact kernels -----------------------------------------------------------------------------------------------


def _exact_values(kernel: Any, X: Array, gamma: Fraction, coef0: Fraction) -> Values:
    """The kernel in fractions; refuses those whose values are none."""
    name, one = kernel.name, int(kernel.bias)
    if name == "precomputed":
        return lambda a, b: X[a, b] + one
    if callable(name):
        return lambda a, b: _called(name, X[a], X[b]) + one
    exact_kernel = replace(kernel, gamma=gamma, coef0=coef0)
    if exact_kernel.in_fractions(X[:1] @ X[:1].T) is not None:
        return lambda a, b: exact_kernel.in_fractions(X[a] @ X[b].T)
    what = f"kernel='poly' with degree={kernel.degree:g}" if name == "poly" else f"kernel={name!r}"
    raise ValueError(f"{what} has values that are no fractions: trace it with exact=False")


def _called(kernel: Callable[[Any, Any], Any], A: Array, B: Array) -> Array:
    """What a function makes of two blocks of fractions."""
    try:
        K = np.asarray(kernel(A, B), dtype=object)
    except Exception as error:
        why = f"it raised {type(error).__name__}"
    else:
        inexact = [v for v in K.ravel() if not isinstance(v, (Rational, np.integer))]
        if K.shape == (len(A), len(B)) and not inexact:
            return np.array([[fraction(v) for v in row] for row in K], object)
        why = f"it returned {inexact[0]!r}" if inexact else f"it returned shape {K.shape} for {(len(A), len(B))}"
    raise ValueError(
        f"the kernel function does not compute with fractions ({why} for blocks of Python's Fraction): trace it with "
        "exact=False"
    )


def _gamma(kernel: Any, gamma: Any, rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """γ without rounding: that of "scale" is 1/(n_features·variance)."""
    if not isinstance(gamma, str):
        return fraction(gamma)
    if kernel != "poly":
        return Fraction(1)  # and is not used
    values = [v for row in rows for v in row]
    mean = sum(values, Fraction(0)) / len(values)
    spread = sum(((v - mean) ** 2 for v in values), Fraction(0)) / len(values) if gamma == "scale" else Fraction(1)
    return 1 / (len(rows[0]) * (spread or Fraction(1)))


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
