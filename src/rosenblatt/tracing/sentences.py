"""A run over sentences, made again by the reference one visit at a time and recorded. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..core import exact as exactly
from ..core.reference import wide
from ..core.rules import Rule
from ..core.spaces.sequences import links, reference
from ..core.sums import total
from ..core.verdicts import NO_MARGIN, PASSES_BEFORE_NO_MARGIN, SEPARATED, STOPPED
from ..errors import ParameterError
from . import wording
from .sentence_record import Change, Lattice, SentenceStep, SentenceTrace
from .space import fraction

Number = Any  # int, Fraction or float

#: Ways from a state of a lattice to the next that a trace may look at in all: some minutes of plain Python.
MOST_WAYS = 5_000_000


@dataclass(frozen=True, kw_only=True)
class SentencePlan:
    """A run over sentences to be traced.

    Attributes
    ----------
    name : str
        Of the algorithm.
    rule : Rule
        How far to move.
    words : sequence of sequences of str
        The tokens as they are shown.
    sentences : sequence of sequences of mappings
        Of each token its features, column and number.
    targets : sequence of sequences of int
        The right tags by their codes.
    tags : sequence of str
        The tags.
    names : mapping
        Of each column its name.
    orders : callable
        Yields the sentences in the order of each pass, over and over.
    max_iter, tol
        How the run ends; where ``tol`` is set, ``scale`` is what margins are measured by.
    n_columns : int
        How many columns there are.
    number : type
        Of the learner's floats.
    order, cost, ties, allowed
        Options of the learner.
    equal_rows : tuple or None
        Two equal sentences of different tags.
    """

    name: str
    rule: Rule
    words: Sequence[Sequence[str]]
    sentences: Sequence[Sequence[Mapping[int, Number]]]
    targets: Sequence[Sequence[int]]
    tags: Sequence[str]
    names: Mapping[int, str]
    orders: Callable[[], Iterator[Sequence[int]]]
    max_iter: int
    tol: float | None = None
    scale: float = 1.0
    n_columns: int
    number: Any = float
    order: int = 1
    cost: str = "hamming"
    ties: str = "mistake"
    allowed: Any = None
    equal_rows: tuple[int, int] | None = None

    def check_size(self, n_iter: int, max_steps: int) -> None:
        """Refuse what is no small problem."""
        n, tokens, passes = len(self.sentences), sum(map(len, self.sentences)), wording.several(n_iter, "pass")
        if n_iter * n > max_steps:
            raise ParameterError(
                f"{passes} over {wording.several(n, 'sentence')} would be more than the {{max_steps}} steps; take "
                "fewer sentences, fewer passes or more steps", "max_steps", max_steps=max_steps,
            )  # fmt: skip
        if n_iter * tokens * len(self.tags) ** (self.order + 1) > MOST_WAYS:
            raise ValueError(
                f"a trace is of small problems, and {passes} over {tokens:,} tokens with {len(self.tags):,} tags of "
                f"order {self.order} are too many; take fewer sentences or set max_iter"
            )


class SentenceReplay:
    """One run through the reference, recorded."""

    def __init__(self, plan: SentencePlan, exact: bool | str = False) -> None:
        if exact and not plan.rule.rational:
            raise ValueError(
                f"{type(plan.rule).__name__} takes square roots, so that its numbers are no fractions: trace it with "
                "exact=False"
            )
        if exact and plan.cost == "sqrt":
            raise ValueError("cost='sqrt' is no fraction: trace it with exact=False, or with another cost")
        self.plan, self.exact = plan, exact
        self.rule = plan.rule.as_numbers(fraction if exact else float)
        self.model = reference.Tagger(
            plan.n_columns, len(plan.tags), plan.order, cost=plan.cost, ties=plan.ties,
            number=fraction if exact else plan.number, allowed=plan.allowed,
        )  # fmt: skip
        self.links = links.names(plan.tags, plan.order)
        self.steps: list[SentenceStep] = []
        self.moves: list[tuple[Number, dict[reference.Key, Number]]] = []  # τ and ΔΦ of each step
        self.met: dict[Any, int] = {frozenset(): 0}  # weights, and the step after which they were there first
        self.revisit: tuple[int, int] | None = None
        self.mistakes: list[int] = []

    # ---- running -------------------------------------------------------------------------------------------------

    def passes(self, n_iter: int) -> None:
        """So many passes."""
        for number, order in zip(range(1, n_iter + 1), self.plan.orders()):
            for _ in self.pass_over(number, order):
                pass

    def pass_over(self, number: int, order: Sequence[int]) -> Iterator[SentenceStep]:
        """One pass, recorded."""
        self.mistakes.append(0)
        for i in order:
            before = dict(self.model.w)
            step = self.model.visit(self.rule, self.plan.sentences[i], self.plan.targets[i])
            self.moves.append((step.tau, step.difference))
            self.steps.append(self._record(number, i, step, before))
            self.mistakes[-1] += step.wrong
            if step.tau > 0:
                self._watch()
            yield self.steps[-1]

    def until_decided(self, max_steps: int) -> str:
        """Until the learner's criterion ends it, or weights that come back prove that it never will; the verdict."""
        plan = self.plan
        for number, order in zip(range(1, plan.max_iter + 1), plan.orders()):
            plan.check_size(number, max_steps)
            for _ in self.pass_over(number, order):
                if self.revisit is not None and plan.ties == "mistake":
                    return NO_MARGIN
            last = number == plan.max_iter
            if (self.mistakes[-1] == 0 or last) and self._all_right():
                return SEPARATED
            if plan.tol is not None and (last or number >= PASSES_BEFORE_NO_MARGIN):
                upper2 = self.upper2()
                if plan.equal_rows is not None or (
                    upper2 is not None and upper2 <= (fraction(plan.tol) * fraction(plan.scale)) ** 2
                ):
                    return NO_MARGIN
        return STOPPED

    def _all_right(self) -> bool:
        return not any(
            self.model.judge(sentence, right).wrong for sentence, right in zip(self.plan.sentences, self.plan.targets)
        )

    def _watch(self) -> None:
        """Look whether the weights, which are exact, were there before; the differences since are added up anew."""
        if not self.exact or self.revisit is not None or self.rule.keeps is not None:
            return
        now = frozenset((key, value) for key, value in self.model.w.items() if value)
        first = self.met.setdefault(now, len(self.steps))
        if first == len(self.steps):
            return
        sums: dict[reference.Key, Number] = {}
        for tau, difference in self.moves[first:]:
            for key, value in difference.items():
                sums[key] = sums.get(key, 0) + tau * value
        if not any(sums.values()):
            self.revisit = first, len(self.steps)

    # ---- what is known of margins --------------------------------------------------------------------------------

    def norm2(self) -> Number:
        """‖w‖²."""
        return total(wide(value) * wide(value) for value in self.model.w.values())

    def upper2(self) -> Number | None:
        """The square of ``‖w‖/Σ τ``, above which no margin is; None: other than additive rules bound nothing."""
        steps = total(tau for tau, _ in self.moves)
        return self.norm2() / (steps * steps) if self.rule.additive and steps > 0 else None

    def least(self) -> Number:
        """The smallest margin that the last weights have."""
        return min(
            self.model.judge(sentence, right).margin for sentence, right in zip(self.plan.sentences, self.plan.targets)
        )

    # ---- the record ----------------------------------------------------------------------------------------------

    def plain(self, value: Number) -> Number:
        """A number as it is shown and kept."""
        if not self.exact or value in (math.inf, -math.inf):
            return wide(value)
        value = exactly.number(value)
        return exactly.Decimals(value) if self.exact == "decimals" and isinstance(value, Fraction) else value

    def name_of(self, key: reference.Key) -> str:
        """A weight by its feature and tag."""
        kind, which, tag = key
        if kind == "link":
            return links.name(self.links, self.plan.tags, which, tag)
        return f"{self.plan.names.get(which, f'#{which}')}|{self.plan.tags[tag]}"

    def _record(self, number: int, i: int, step: reference.Step, before: dict[reference.Key, Number]) -> SentenceStep:
        plan, judged, plain = self.plan, step.judged, self.plain
        right = tuple(plan.targets[i])
        tags = tuple(plan.tags)
        best = right if judged.margin > 0 else judged.rival
        if judged.margin == 0:  # among equals the lowest tag, decided from the last token back
            best = min(right, judged.rival, key=lambda codes: codes[::-1])
        after, zero = self.model.w, self.model.number(0)
        changes = tuple(
            Change(self.name_of(key), plain(value), plain(before.get(key, zero)), plain(after.get(key, zero)))
            for key, value in step.difference.items()
        )

        def named(codes: Sequence[int]) -> tuple[str, ...]:
            return tuple(tags[code] for code in codes)

        return SentenceStep(
            number=len(self.steps) + 1, pass_number=number, sentence=i, words=tuple(plan.words[i]), right=named(right),
            rival=named(judged.rival), predicted=named(best), score=plain(judged.score),
            rival_score=plain(judged.rival_score), margin=plain(judged.margin), mistake=judged.wrong,
            why=self._why(step), tau=plain(step.tau), codes=right, rival_codes=judged.rival, changes=changes,
            norm2=plain(self.model.lanes((key, value * value) for key, value in step.difference.items())),
            lattice=Lattice(
                tuple(plan.words[i]), tags, tuple(tuple(map(plain, row)) for row in judged.emissions),
                self._link_weights(before), plan.order,
            ),
        )  # fmt: skip

    def _link_weights(self, weights: Mapping[reference.Key, Number]) -> dict[tuple[int, int], Number]:
        held = {(which, tag): self.plain(v) for (kind, which, tag), v in weights.items() if kind == "link" and v}
        if self.plan.allowed is not None:
            held |= {
                (link, tag): -math.inf
                for link in range(len(self.links))
                for tag in range(len(self.plan.tags))
                if not self.plan.allowed[link][tag]
            }
        return held

    def _why(self, step: reference.Step) -> str:
        if step.wrong:
            return "wrong tags" if step.margin < 0 else "tie"
        return "inside the margin" if step.tau > 0 else ""

    def record(self, verdict: str, proved: Sequence[str]) -> SentenceTrace:
        """The record with its closing sentences."""
        keys = [key for key, value in self.model.w.items() if value]
        return SentenceTrace(
            steps=tuple(self.steps), name=self.plan.name, exact=self.exact, tags=tuple(self.plan.tags),
            n_sentences=len(self.plan.sentences), verdict=verdict, n_iter=len(self.mistakes),
            n_updates=sum(step.moved for step in self.steps), mistakes=[*self.mistakes],
            weights={self.name_of(key): self.plain(self.model.w[key]) for key in keys},
            averaged={self.name_of(key): self.plain(self.model.averaged(key)) for key in self.model.total},
            proved=list(proved),
        )  # fmt: skip

    def proved(self, verdict: str) -> list[str]:
        """How an exact run ended, and what it proved."""
        lines = [ended(verdict, len(self.mistakes), sum(step.moved for step in self.steps))]
        upper2 = self.upper2()
        if verdict == SEPARATED:
            least, norm2 = self.least(), self.norm2()
            if least > 0 and norm2 > 0 and least != math.inf:
                square = self.plain(fraction(least) ** 2 / norm2)
                lines.append(f"Its margin over all other sequences is {wording.about_root(square)}.")
        if self.revisit is not None:
            first, last = self.revisit
            when = "before the first step" if first == 0 else f"after step {first}"
            lines.append(
                f"After step {last} the weights are again those {when}: the differences of the steps in between, each "
                "τ times, add up to 0, verified exactly. So no weights get every sentence right."
            )
        elif verdict == NO_MARGIN and self.plan.equal_rows is not None:
            first, last = self.plan.equal_rows
            lines.append(f"Sentences {first} and {last} are equal and have different tags: no weights get both right.")
        elif upper2 is not None and verdict != SEPARATED:
            lines.append(f"No weights have a margin above {wording.about_root(self.plain(upper2))}.")
        return [line.replace("is ≈", "≈ ") for line in lines]


def ended(verdict: str, n_iter: int, n_updates: int) -> str:
    """How a run ended, in a sentence."""
    passes, updates = wording.several(n_iter, "pass"), wording.several(n_updates, "update")
    if verdict == SEPARATED:
        return f"Separated in pass {n_iter} after {updates}: every sentence is right with the last weights."
    if verdict == NO_MARGIN:
        return f"No margin, after {passes} and {updates}."
    return f"Stopped after {passes} and {updates}, undecided: no weights were found that get every sentence right."


def trace_sentences(plan: SentencePlan, exact: bool | str = False, max_steps: int = 10_000) -> SentenceTrace:
    """The trace of a plan in plain Python alone, until it is decided."""
    plan.check_size(1, max_steps)
    replay = SentenceReplay(plan, exact)
    verdict = replay.until_decided(max_steps)
    return replay.record(verdict, replay.proved(verdict))
