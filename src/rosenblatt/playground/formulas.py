"""A step in formulas with its numbers in them: the score, whether that is right, how far to move, and the new weights.

A formula is a list of parts: text, or ``[symbol]``, or ``[symbol, text]``; the page explains each symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..tracing import Step, Trace
from ..tracing.wording import label, number, vector
from .asked import Problem

Part = Any  # str or list of str
Formula = list[Part]

#: More numbers than this are not written out in a formula.
MANY = 6


def of(step: Step, run: Trace, problem: Problem) -> list[tuple[str, Formula]]:
    """The formulas of a step, each with a heading."""
    writer = _Several(step, run, problem) if run.setting.form == "multiclass" else _Two(step, run, problem)
    told = [("score", writer.score()), ("right?", writer.judged()), ("how far", writer.step_size())]
    if step.moved:
        told.append(("update", writer.update()))
    return told


class _Writer:
    def __init__(self, step: Step, run: Trace, problem: Problem) -> None:
        self.step, self.settings, self.names = step, problem.settings, run.setting.names
        self.in_kernel, self.bias = run.setting.kernel is not None, run.setting.bias_apart
        self.classes = run.setting.classes or []
        self.code = self.classes.index(step.y)

    def vector(self, values: Sequence[Any]) -> str:
        """A vector, or the entries that are not 0 by their names."""
        return vector(values) if len(values) <= MANY else vector(values, self.names or [str(j) for j in range(len(values))])

    def loss_step(self, norm: Formula) -> Formula:
        """τ of the passive-aggressive rules."""
        rule = self.settings.rule
        if rule == "pa1":
            return [["τ"], " = min(", ["C"], ", ", ["ℓ"], "/", *norm, ")"]
        if rule == "pa2":
            return [["τ"], " = ", ["ℓ"], "/(", *norm, " + 1/(2", ["C"], "))"]
        return [["τ"], " = ", ["ℓ"], "/", *norm]

    def threshold(self) -> Any:
        """A score at most this is moved on, by the perceptron."""
        return self.settings.margin

    def comparison(self, value: Any) -> str:
        """Why the rule does what it does."""
        step, passive = self.step, self.settings.rule not in ("perceptron", "batch")
        if step.mistake:
            return f"{' < 0' if value < 0 else ''}: {step.why}, a mistake"
        if step.moved:
            return f" {'<' if passive else '≤'} {number(1 if passive else self.threshold())}: right, but {step.why}"
        return " > 0: right" if value > 0 else ": a tie, and right by what predict says"

    def size(self, values: Formula) -> Formula:
        """How far to move, with the number it comes to."""
        step, rule = self.step, self.settings.rule
        if not step.moved:
            return [["τ"], " = 0: nothing changes"]
        if rule in ("perceptron", "batch"):
            wait = "; it waits for the end of the pass" if rule == "batch" else ""
            return [["τ"], " = ", ["η"], f" = {number(step.tau)}{wait}"]
        return [*values, f" = {number(step.tau)}"]


class _Two(_Writer):
    """Two classes, one weight vector."""

    @property
    def y(self) -> int:
        return 2 * self.code - 1

    def score(self) -> Formula:
        step = self.step
        if self.in_kernel:
            used = sum(1 for a in step.alpha_before if a)
            return [["s"], " = Σ ", ["α"], "·", ["K"], "(", ["x"], "ⱼ, ", ["x"], f") over {used} rows = {number(step.score)}"]
        told: Formula = [["s"], " = ", ["w"], "·", ["x"], *([" + ", ["b"]] if self.bias else [])]
        told.append(f" = {self.vector(step.w_before)}·{self.vector(step.x)}")
        told.append(f"{_plus(step.b_before)} = {number(step.score)}" if self.bias else f" = {number(step.score)}")
        return told

    def judged(self) -> Formula:
        step = self.step
        sign = "+1" if self.y > 0 else "−1"
        return [["y"], "·", ["s"], f" = {sign}·{_bracketed(step.score)} = {number(step.margin)}{self.comparison(step.margin)}"]

    def step_size(self) -> Formula:
        norm: Formula = [["K"], "(x, x)"] if self.in_kernel else [["‖x‖²"]]
        loss = max(0, 1 - self.step.margin)
        return self.size([["ℓ"], f" = 1 − {_bracketed(self.step.margin)} = {number(loss)},  ", *self.loss_step(norm)])

    def update(self) -> Formula:
        step, a = self.step, self.step.coef[0]
        if self.in_kernel:
            before, now = step.alpha_before[step.row], step.alpha[step.row]
            return [["α"], f" of row {step.row}: ", ["α"], " + ", ["τ"], "·", ["y"], f" = {number(before)}{_plus(a)} = {number(now)}"]
        if self.settings.rule == "batch" and step.w is step.w_before:
            return [["w"], " gains ", ["τ"], "·", ["y"], "·", ["x"], f" = {number(a)}·{self.vector(step.x)} at the end of the pass"]
        if self.settings.rule == "batch":
            return [["w"], " ← ", ["w"], " + Σ ", ["τ"], "·", ["y"], "·", ["x"], f" of this pass = {self.vector(step.w)}", *self._bias()]
        times = f"{self.vector(step.w_before)} {'+' if a > 0 else '−'} {number(abs(a))}·{self.vector(step.x)}"
        return [["w"], " ← ", ["w"], " + ", ["τ"], "·", ["y"], "·", ["x"], f" = {times} = {self.vector(step.w)}", *self._bias()]

    def _bias(self) -> Formula:
        step = self.step
        if not self.bias:
            return []
        if self.settings.rule == "batch":
            return [",  ", ["b"], f" = {number(step.b)}"]
        return [",  ", ["b"], " ← ", ["b"], " + ", ["τ"], "·", ["y"], f" = {number(step.b_before)}{_plus(step.coef[0])} = {number(step.b)}"]


class _Several(_Writer):
    """More classes, a weight vector for each."""

    def score(self) -> Formula:
        each = ",  ".join(f"{label(c)}: {number(s)}" for c, s in zip(self.classes, self.step.score))
        formula: Formula = [["s"], " of each class = "]
        if self.in_kernel:
            formula += ["Σ ", ["α"], "·", ["K"], "(", ["x"], "ⱼ, ", ["x"], ")"]
        else:
            formula += [["w"], "·", ["x"], *([" + ", ["b"]] if self.bias else [])]
        return [*formula, ":  ", each]

    @property
    def rival(self) -> int:
        wrong = [c for c in range(len(self.classes)) if c != self.code]
        return max(wrong, key=lambda c: self.step.score[c])

    def judged(self) -> Formula:
        scores, own, other = self.step.score, label(self.classes[self.code]), label(self.classes[self.rival])
        lead = f"{_bracketed(scores[self.code])} − {_bracketed(scores[self.rival])} = {number(self.step.margin)}"
        return [["s"], f" of {own}, its class, − ", ["s"], f" of {other}, the best wrong one = {lead}{self.comparison(self.step.margin)}"]

    def step_size(self) -> Formula:
        if self.settings.rule in ("mira", "norm-mira"):
            return self.size([["τ"], " shared among the classes by MIRA"])
        norm: Formula = ["(2", ["K"], "(x, x))"] if self.in_kernel else ["(2", ["‖x‖²"], ")"]
        loss = max(0, 1 - self.step.margin)
        return self.size([["ℓ"], f" = 1 − {_bracketed(self.step.margin)} = {number(loss)},  ", *self.loss_step(norm)])

    def update(self) -> Formula:
        what: Callable[[Any], Formula] = lambda a: [f" {'gains' if a > 0 else 'loses'} {number(abs(a))}·", ["x"]]  # noqa: E731
        symbol = ["α"] if self.in_kernel else ["w"]
        told: Formula = []
        for c, a in sorted(enumerate(self.step.coef), key=lambda entry: -entry[1]):
            if a:
                told += [",  " if told else "", symbol, f" of {label(self.classes[c])}", *what(a)]
        if self.settings.rule == "batch":
            told.append(" at the end of the pass")
        return told


def _plus(value: Any) -> str:
    """A number that is added."""
    return f" {'−' if value < 0 else '+'} {number(abs(value))}"


def _bracketed(value: Any) -> str:
    return f"({number(value)})" if value < 0 else number(value)
