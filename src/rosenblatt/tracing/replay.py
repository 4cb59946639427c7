"""A run, made again by the reference one step at a time and recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from ..core import exact as exactly
from ..core import reference
from ..core.verdicts import NO_MARGIN, SEPARATED
from ..errors import ParameterError
from ..theory.revisits import Revisit, Revisits
from . import closing
from .ending import Ending, ExactEnd
from .float_end import FloatEnd, KernelFloatEnd
from .kernel_space import KernelSpace
from .plan import Plan
from .proof import Examples, Ledger
from .record import Data, Setting, Step, Trace
from .space import LinearSpace, fraction

Number = Any  # int, Fraction or float
Vectors = tuple[list[list[Number]], list[Number]]  # weights and biases


def trace_plan(
    plan: Plan, exact: bool | str = False, *, separator: Vectors | None = None, max_steps: int = 100_000, title: str
) -> Trace:
    """The trace of a plan, in plain Python alone: it ends where the learner ends, by the same sums.

    ``title`` is how it was asked for. A ``separator`` is (w, b), one list and one number for each vector, in fractions
    where the trace is exact.
    """
    replay = Replay(plan, exact)
    if separator is not None:
        replay.prove(separator)
    return replay.record(replay.until_decided(max_steps), title)


def too_long(what: str, max_steps: int) -> ParameterError:
    """What is said of a run of more steps than there may be."""
    sentence = f"{what} would be more than the {{max_steps}} steps; take fewer rows, fewer passes or more steps"
    return ParameterError(sentence, "max_steps", max_steps=max_steps)


class Replay:
    """One run through the reference, with whoever watches it."""

    def __init__(self, plan: Plan, exact: bool | str = False) -> None:
        if exact and not plan.rule.rational:
            raise ValueError(
                f"{type(plan.rule).__name__} takes square roots, so that its numbers are no fractions: trace it with "
                "exact=False"
            )
        space = (LinearSpace if plan.kernel is None else KernelSpace)(plan, exact)
        self.plan, self.space, self.exact = plan, space, exact
        self.plain, self.model, self.rows, self.xs = space.plain, space.model, space.rows, space.xs
        self.present = plan.present
        self.targets = plan.targets
        if exact and plan.epsilon is not None:
            self.targets = [fraction(v) for v in plan.given_targets]
        weights = plan.weights
        self.weights = [fraction(v) for v in weights] if exact and weights is not None else weights
        self.rule = plan.rule.as_numbers(fraction if exact else float)
        self.pocket = None
        self.training_set = [(self.rows[i], self.targets[i]) for i in self.present]
        if plan.readout == "pocket":
            self.pocket = reference.Pocket(self.model, self.training_set if plan.ratchet else None)
        self.labels = self.targets if plan.classes is None else [plan.classes[code] for code in plan.targets]
        self.steps: list[Step] = []
        self.ledger: Ledger | None = None
        self.revisit: tuple[Revisit, int | None] | None = None  # and the class that was against the rest
        self.start = self.now = space.moment()
        self.norm2 = space.total2()
        self.watches = self._watches()
        self.agreement = ""  # with fit, where that rounds in another order

    def _watches(self) -> list[tuple[Revisits, int | None]]:
        """Who looks out for weights that come back: one, or one for each class against the rest."""
        plan = self.plan
        if plan.epsilon is not None or plan.rule.keeps is not None:  # whose weights are no sums of rows
            return []
        rows, codes, bias = self.space.watched(), plan.targets, self.space.bias
        if rows is None:
            return []
        state = self.space.state
        if plan.form == "ovr":
            return [
                (Revisits(rows, [int(code == c) for code in codes], bias, state(self.now, c)), c)
                for c in range(plan.n_vectors)
            ]
        return [(Revisits(rows, codes, bias, state(self.now, None), max(plan.n_vectors, 2)), None)]

    # ---- running -------------------------------------------------------------------------------------------------

    def passes(self, n_iter: int, max_steps: int) -> None:
        """So many passes."""
        if n_iter * len(self.present) > max_steps:
            raise too_long(f"{n_iter:,} passes over {len(self.present):,} rows", max_steps)
        for number, order in zip(range(1, n_iter + 1), self.plan.orders()):
            for _ in self.pass_over(number, order):
                pass

    def until_decided(self, max_steps: int) -> Ending:
        """Until the learner's criterion ends it; in exact numbers a certificate ends it at once."""
        plan, end = self.plan, self._end()
        for number, order in zip(range(1, plan.max_iter + 1), plan.orders()):
            if len(self.steps) + len(order) > max_steps:
                raise too_long(f"pass {number}, and no end yet,", max_steps)
            first = len(self.steps)
            for i, step in self.pass_over(number, order):
                end.add(i, step)
                if self.exact and self.revisit is not None and self._decides(*self.revisit):
                    end.look()
                    end.ending.n_iter, end.ending.verdict = number, NO_MARGIN
                    return end.ending
            done = self.steps[first:]
            mistakes, updates = sum(step.mistakes for step in done), sum(step.updates for step in done)
            if end.over(number, mistakes, updates, last=number == plan.max_iter):
                break
        return end.ending if self.exact else end.ending.in_words()

    def _end(self) -> ExactEnd:
        kind: type[ExactEnd] = ExactEnd
        if not self.exact:
            kind = FloatEnd if self.plan.kernel is None else KernelFloatEnd
        tol: Number | None = self.plan.tol
        if self.exact and tol is not None:
            tol = fraction(tol)
        return kind(self.space, self.rule, self.training_set, self.present, tol)

    def _decides(self, revisit: Revisit, c: int | None) -> bool:
        """Whether the certificate leaves no weights that are right: under ties="predict" some may still be.

        There a row may lie on the boundary if the class that ``predict`` names on a tie is its own.
        """
        if self.model.ties == "mistake":
            return True
        for code, entry in zip(self.plan.targets, revisit.certificate):
            strict = entry[:code] if isinstance(entry, list) else [entry] if code == (1 if c is None else c) else []
            if any(strict):
                return True
        return False

    def pass_over(self, number: int, order: Sequence[int]) -> Iterator[tuple[int, reference.Step]]:
        """One pass, recorded."""
        visits = reference.visits(self.model, self.rule, self.rows, self.targets, order, self.weights, self.pocket)
        for place, (i, step) in enumerate(visits, 1):
            moved = place == len(order) if self.model.batch else step.moves
            before = self.now
            if moved:
                self.now, self.norm2 = self.space.moment(), self.space.total2()
            self._watch(i, step, moved)
            self.steps.append(self._record(number, i, step, before, moved))
            yield i, step

    def _watch(self, i: int, step: reference.Step, moved: bool) -> None:
        for watch, c in self.watches:
            coef = step.coef if c is None else [step.coef[c]]
            watch.add(i, [exactly.number(reference.wide(a)) for a in coef] if step.moves else [0])
            revisit = watch.look(self.space.state(self.now, c)) if moved else None
            if revisit is not None and self.revisit is None:
                self.revisit = revisit, c

    # ---- the record ----------------------------------------------------------------------------------------------

    def examples(self) -> Examples:
        """What a separator separates; refuses runs that have none."""
        form = self.plan.form
        if form == "regression":
            raise ValueError("a regression has no separator: leave it out")
        if form == "ovr":
            raise ValueError(
                "one against the rest trains a perceptron for each class, which have no common separator: leave it "
                "out, or trace each class with y == label"
            )
        if not self.rule.additive:
            raise ValueError(
                f"no convergence proof is known of {type(self.rule).__name__} that a separator could show: leave it out"
            )
        return Examples(self.space, self.targets, self.weights, self.present, self.labels, self.plan.n_vectors)

    def prove(self, separator: Vectors) -> None:
        """Keep the books of the convergence proof with this separator, weights and biases of each vector."""
        number = fraction if self.exact else float
        start = [number(v) for v in self.space.stacked(self.start)]
        self.ledger = Ledger(separator, self.examples(), self.rule, self.plan.batch, start, number)

    def _record(self, number: int, i: int, step: reference.Step, before: Any, moved: bool) -> Step:
        plain, one = self.plain, self.space.one
        scores, gains = tuple(map(plain, step.scores)), tuple(map(plain, step.gains))
        proof = None
        if self.ledger is not None:
            inside = [fraction(v) if self.exact else v for v in self.space.stacked(self.now)]
            proof = self.ledger.entry(i, step, inside, moved)
            if self.exact:
                entries = {name: plain(v) if isinstance(v, Fraction) else v for name, v in vars(proof).items()}
                proof = dataclasses.replace(proof, **entries)
        return Step(
            number=len(self.steps) + 1, pass_number=number, row=i, x=self.xs[i], y=self.labels[i],
            score=one(scores), predicted=self._predicted(scores), margin=plain(step.margin),
            mistakes=0 if self.model.form == "regression" else step.mistakes, why=self._why(step),
            tau=gains if self.model.form == "ovr" else gains[0], coef=tuple(map(plain, step.coef)),
            updates=step.updates, norm2=self.norm2, proof=proof, **self.space.fields(before, self.now),
            **self.space.confidence(step),
        )  # fmt: skip

    def _predicted(self, scores: tuple[Number, ...]) -> Any:
        classes = self.plan.classes
        if classes is None:
            return scores[0]
        return classes[int(scores[0] > 0) if len(scores) == 1 else scores.index(max(scores))]

    def _why(self, step: reference.Step) -> str:
        if self.model.form == "regression":
            return "outside the tube" if step.mistakes else ""
        if step.mistakes:
            wrong = "wrong class" if self.model.form == "multiclass" else "wrong sign"
            return wrong if step.margin < 0 else "tie"
        return "inside the margin" if step.moves else ""

    def record(self, ending: Ending, title: str) -> Trace:
        """The record with its closing sentences."""
        plan = self.plan
        if self.pocket is not None and ending.verdict == SEPARATED:
            self.pocket.separated(self.model, len(self.present))
        mistakes = [0] * ending.n_iter
        for step in self.steps:
            mistakes[step.pass_number - 1] += step.mistakes
        setting = Setting(
            estimator=title, name=plan.name, exact=self.exact, form=plan.form, fit_intercept=plan.fit_intercept,
            classes=plan.classes, names=plan.names, n_rows=len(self.xs), n_features=plan.n_features,
            start=plan.start, kernel=self.space.kernel, x=self.space.x, constant=plan.constant,
            **self.space.begins(self.start),
        )  # fmt: skip
        return Trace(
            steps=tuple(self.steps), setting=setting, verdict=ending.verdict, n_iter=ending.n_iter,
            n_updates=ending.n_updates, mistakes=[] if plan.epsilon is not None else mistakes,
            margin_bounds=(ending.lower, ending.upper), revisit=None if self.revisit is None else self.revisit[0],
            proved=closing.proved(self, ending, setting), bound=self._bound(),
            data=Data(tuple(self.xs), tuple(self.labels), tuple(self.present), self.space.function),
            **self.space.model_fields(self.pocket),
        )  # fmt: skip

    def _bound(self) -> Number | None:
        bound = None if self.ledger is None else self.ledger.bound
        return None if bound is None else self.plain(bound)
