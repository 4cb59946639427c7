"""A step in formulas with its numbers in them: the score, whether that is right, how far to move, and the new weights.

A formula is a list of parts: text, or ``[symbol]``, which the page explains. Templates have symbols in «…».
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..core import exact
from ..tracing import Step, Trace
from ..tracing.wording import label, number, vector
from .requests import Problem

Formula = list[Any]  # of str and [str]

#: More numbers than this are written by the names of their features, those that are not 0.
MANY = 6
#: So many terms of a sum over rows are written by name too; of more classes than two, so many of each are written.
FEW = 3


def of(step: Step, run: Trace, problem: Problem) -> list[tuple[str, Formula]]:
    """The formulas of a step, each with a heading."""
    writer = (_Several if run.setting.form == "multiclass" else _Two)(step, run, problem)
    formulas = [("score", writer.score()), ("right?", writer.judged()), ("how far", writer.size())]
    if step.moved:
        formulas.append(("update", writer.update()))
        if step.variance is not None:
            formulas.append(("confidence", writer.confidence()))
    return formulas


def written(template: str, *values: str) -> Formula:
    """A template as parts, each {} in it replaced by the next value."""
    left = iter(values)
    parts = re.split(r"(«[^»]+»|\{\})", template)
    formula: Formula = []
    for part in filter(None, parts):
        if part.startswith("«"):
            formula.append([part[1:-1]])
            continue
        text = next(left) if part == "{}" else part
        if formula and isinstance(formula[-1], str):
            formula[-1] += text
        else:
            formula.append(text)
    return formula


class _Writer:
    def __init__(self, step: Step, run: Trace, problem: Problem) -> None:
        self.step, self.names = step, run.setting.names
        self.in_kernel, self.bias = run.setting.kernel is not None, run.setting.bias_apart
        self.classes = run.setting.classes or []
        self.code = self.classes.index(step.y)
        self.rule, self.batch = problem.learning_rule, problem.settings.batch
        self.rows, self.kernel, self.decimals = run.data.X, run.data.kernel, run.setting.exact == "decimals"

    def vector(self, values: Sequence[Any]) -> str:
        names = self.names or [str(j) for j in range(len(values))]
        return vector(values) if len(values) <= MANY else vector(values, names)

    def kernel_with(self, j: int) -> Any:
        """K of a row with that of the step: exact where the run is."""
        x, z = self.rows[j], self.step.x
        if isinstance(self.step.norm2, float):
            return self.kernel.between(x, z)
        value = exact.number(self.kernel.in_fractions(sum(Fraction(a) * Fraction(b) for a, b in zip(x, z))))
        return exact.Decimals(value) if isinstance(value, Fraction) and self.decimals else value

    def terms(self, alpha: Sequence[Any]) -> str:
        """α·K of each row that has an α: 1·2 − 1·1.3679."""
        there = [j for j, a in enumerate(alpha) if a]
        text = "".join(_added(alpha[j], f"·{_bracketed(self.kernel_with(j))}") for j in there[:MANY])
        return _first(text) + (f" + … {len(there) - MANY} more" if len(there) > MANY else "")

    def outcome(self) -> str:
        """What the margin of the step comes to."""
        step, value = self.step, self.step.margin
        if step.mistake:
            return f"{' < 0' if value < 0 else ''}: {step.why}, a mistake"
        if step.moved:
            below = self.rule.moves_below(self.code)
            compared = "" if below is None else f" {below[0]} {number(below[1])}"
            return f"{compared}: right, but {step.why}"
        return " > 0: right" if value > 0 else ": a tie, and right by what predict says"

    def size(self) -> Formula:
        """How far to move."""
        step, several = self.step, len(self.classes) > 2
        if not step.moved:
            return written("«τ» = 0: nothing changes")
        norm = "«K»(x, x)" if self.in_kernel else "«‖x‖²»"
        template = self.rule.formula(several).replace("«‖z‖²»", f"(2{norm})" if several else norm)
        template += "; it waits for the end of the pass" if self.batch else ""
        start, values = "", []
        if step.v is not None and "«v»" in template:
            start, values = (
                ("«v» = «x»ᵀ«Σ»«x» of both classes = {},  " if several else "«v» = «x»ᵀ«Σ»«x» = {},  "),
                [number(step.v)],
            )
        if "«ℓ»" in template:
            start, values = start + "«ℓ» = 1 − {} = {},  ", [*values, _bracketed(step.margin), number(1 - step.margin)]
        return written(start + template, *values, number(step.tau))

    def confidence(self) -> Formula:
        """How sure the rule is afterwards."""
        step, how = self.step, self.rule.shrink_formula()
        value = "" if step.shrink is None or " = " not in how else f" = {number(step.shrink)}"
        pairs = [(0, step.variance)] if len(self.classes) == 2 else enumerate(step.variance)
        moved = [(c, v) for c, v in pairs if step.coef[c]]
        each = ",  ".join(
            f"{label(self.classes[c])} {self.vector(v)}" if len(self.classes) > 2 else self.vector(v) for c, v in moved
        )
        formula = written(how + "{},  «Σ» of the weights = {}", value, each)
        return formula + (
            written(", of «b» {}", number(step.variance_b)) if self.bias and len(self.classes) == 2 else []
        )


class _Two(_Writer):
    """Two classes, one weight vector."""

    def score(self) -> Formula:
        step = self.step
        if self.in_kernel:
            there = [j for j, a in enumerate(step.alpha_before) if a]
            if not there:
                return written("«s» = Σ «α»·«K»(«x»ⱼ, «x») over no row yet = 0")
            named = _first("".join(_added(step.alpha_before[j], f"·K(x{_below(j)}, x)") for j in there))
            by_name = f" = {named}" if len(there) <= FEW else ""
            return written(
                "«s» = Σ «α»·«K»(«x»ⱼ, «x»){} = {} = {}", by_name, self.terms(step.alpha_before), number(step.score)
            )
        w, x, s = self.vector(step.w_before), self.vector(step.x), number(step.score)
        if self.bias:
            return written("«s» = «w»·«x» + «b» = {}·{}{} = {}", w, x, _plus(step.b_before), s)
        return written("«s» = «w»·«x» = {}·{} = {}", w, x, s)

    def judged(self) -> Formula:
        sign, step = "+1" if self.code else "−1", self.step
        return written(
            "«y»·«s» = {}·{} = {}{}", sign, _bracketed(step.score), number(step.margin), self.outcome()
        )  # fmt: skip

    def update(self) -> Formula:
        step, a = self.step, self.step.coef[0]
        if self.in_kernel:
            before, now = (number(values[step.row]) for values in (step.alpha_before, step.alpha))
            return written("«α» of row {}: «α» + «τ»·«y» = {}{} = {}", str(step.row), before, _plus(a), now)
        if self.batch and step.w is step.w_before:
            return written("«w» will gain «τ»·«y»·«x» = {}·{}", number(a), self.vector(step.x))
        if self.batch:
            formula = written("«w» ← «w» + Σ «τ»·«y»·«x» of this pass = {}", self.vector(step.w))
            return formula + (written(",  «b» = {}", number(step.b)) if self.bias else [])
        before, x, now = self.vector(step.w_before), self.vector(step.x), self.vector(step.w)
        sign, size = "+" if a > 0 else "−", number(abs(a))
        if step.variance is not None:
            return self._sure_update(before, now, sign, size)
        formula = written(self.rule.update_formula() + " = {} {} {}·{} = {}", before, sign, size, x, now)
        if self.bias:
            formula += written(",  «b» ← «b» + «τ»·«y» = {}{} = {}", number(step.b_before), _plus(a), number(step.b))
        return formula

    def _sure_update(self, before: str, now: str, sign: str, size: str) -> Formula:
        """Of a second-order rule, which moves by the variances before the step."""
        step = self.step
        biased = written(",  «b» = {}", number(step.b)) if self.bias else []
        template = self.rule.update_formula()
        if "«τ»" not in template:
            return written(template + " = {}", now) + biased
        along = self.vector([v * x for v, x in zip(step.variance_before, step.x)])
        return written(template + " = {} {} {}·{} = {}", before, sign, size, along, now) + biased


class _Several(_Writer):
    """More classes, a weight vector for each."""

    def score(self) -> Formula:
        step = self.step
        each = ",  ".join(f"{label(c)}: {number(s)}" for c, s in zip(self.classes, step.score))
        if self.in_kernel and max(sum(1 for a in alpha if a) for alpha in step.alpha_before) in range(1, FEW + 1):
            sums = [f"{self.terms(alpha)} = " if any(alpha) else "" for alpha in step.alpha_before]
            each = ",  ".join(f"{label(c)}: {told}{number(s)}" for c, told, s in zip(self.classes, sums, step.score))
        what = "Σ «α»·«K»(«x»ⱼ, «x»)" if self.in_kernel else "«w»·«x» + «b»" if self.bias else "«w»·«x»"
        return written("«s» of each class = " + what + ":  {}", each)

    def judged(self) -> Formula:
        scores = self.step.score
        rival = max((c for c in range(len(scores)) if c != self.code), key=lambda c: scores[c])
        return written(
            "«s» of {}, its class, − «s» of {}, the best wrong one = {} − {} = {}{}",
            label(self.classes[self.code]), label(self.classes[rival]), _bracketed(scores[self.code]),
            _bracketed(scores[rival]), number(self.step.margin), self.outcome(),
        )  # fmt: skip

    def update(self) -> Formula:
        symbol, formula = "«α»" if self.in_kernel else "«w»", written("")
        for c, a in sorted(enumerate(self.step.coef), key=lambda entry: -entry[1]):
            if a:
                verb = "gains" if a > 0 else "loses"
                start = ",  " if formula else ""
                of = "«Σ»«x»" if self.step.variance is not None else "«x»"
                formula += written(start + symbol + " of {} {} {}·" + of, label(self.classes[c]), verb, number(abs(a)))
        return formula + ([" at the end of the pass"] if self.batch else [])


def _plus(value: Any) -> str:
    """A number that is added."""
    return f" {'−' if value < 0 else '+'} {number(abs(value))}"


def _added(value: Any, of: str) -> str:
    """A term of a sum with its sign before it."""
    return f" {'−' if value < 0 else '+'} {number(abs(value))}{of}"


def _first(terms: str) -> str:
    """Terms as a sum begins with them: without a plus."""
    return "−" + terms[3:] if terms.startswith(" − ") else terms[3:]


def _below(number: int) -> str:
    """A whole number below the line."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _bracketed(value: Any) -> str:
    return f"({number(value)})" if value < 0 else number(value)
