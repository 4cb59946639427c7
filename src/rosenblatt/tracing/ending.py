"""How a run ends, in exact numbers, and the sentences that say what it proved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import reference, rules
from ..convergence import NO_MARGIN, SEPARATED, STOPPED
from ..theory.revisits import Revisit
from . import wording
from .proof import dot

Number = Any  # int, Fraction or float

#: Entries of a certificate that a sentence shows.
MANY = 12


@dataclass
class Ending:
    """Where a run stands: its verdict so far, its counts, and what it knows of the best margin."""

    verdict: str | None
    n_iter: int = 0
    n_updates: int = 0
    lower: float = -math.inf
    upper: float = math.inf
    boundary: bool = False  # separated, but with rows on the boundary
    shown: str = ""  # the lower bound in words
    capped: str = ""  # the upper bound in words


class ExactEnd:
    """Decides after each pass whether the run is over, as the learner does (ALGORITHMS: "Ends"), without rounding."""

    def __init__(
        self,
        model: reference.Model,
        rule: rules.Rule,
        training_set: Sequence[tuple[Sequence[Number], Number]],
        tol: Number | None,
    ) -> None:
        self.model, self.rule, self.training_set, self.tol = model, rule, training_set, tol
        self.regression = model.form == "regression"
        self.start = self.vectors()
        self.tau = [0] * (len(model.w) if model.form == "ovr" else 1)
        R2 = max(dot(x, x) for x, _ in training_set) + (1 if model.one else 0)
        self.scale2 = R2 * (2 if model.form == "multiclass" else 1) or 1  # 0: all rows are zero
        self.ending = Ending(None if self.regression else STOPPED)
        self.upper2: Number | None = None  # the square of the upper bound

    def vectors(self) -> list[list[Number]]:
        """The weights with their biases: one list, or one for each class against the rest."""
        found = [[*w, b] if self.model.one else list(w) for w, b in zip(self.model.w, self.model.b)]
        return found if self.model.form in ("ovr", "binary") else [[v for w in found for v in w]]

    def add(self, step: reference.Step) -> None:
        """Count a step."""
        self.tau = [t + gain for t, gain in zip(self.tau, step.gains)]
        self.ending.n_updates += step.updates

    def over(self, number: int, mistakes: int, updates: int, last: bool) -> bool:
        """Whether the pass of this number ended the run; ``last``: it is the last one allowed."""
        ending = self.ending
        ending.n_iter = number
        if self.regression:
            return updates == 0 or last
        self.look()
        if (mistakes == 0 or last) and self.all_right():
            ending.verdict = SEPARATED
            self.show()
            return True
        if self.tol is not None and self.upper2 is not None and self.upper2 <= self.tol**2 * self.scale2:
            ending.verdict = NO_MARGIN
            return True
        return last

    def all_right(self) -> bool:
        """Whether the present weights make no mistake."""
        return not any(self.model.consider(self.rule, x, y).mistakes for x, y in self.training_set)

    def look(self) -> None:
        """Tighten the upper bound ``‖w − w₀‖/Σ τ``."""
        for now, then, tau in zip(self.vectors(), self.start, self.tau):
            moved = [a - b for a, b in zip(now, then)]
            square = dot(moved, moved)
            if tau > 0 and (self.upper2 is None or square / tau**2 < self.upper2):
                self.upper2 = square / tau**2
                self.ending.upper = math.sqrt(self.upper2)
                self.ending.capped = wording.about_root(self.upper2)

    def show(self) -> None:
        """The lower bound: the smallest margin of weights that are right everywhere."""
        bounds = []
        for c, vector in enumerate(self.vectors()):
            least = min(self._margin(c, x, y) for x, y in self.training_set)
            norm2 = dot(vector, vector)
            if norm2:
                bounds.append((float(least) / math.sqrt(norm2), wording.about_root(least**2 / norm2)))
        if bounds:
            self.ending.lower, self.ending.shown = min(bounds)
        self.ending.boundary = self.ending.lower <= 0

    def _margin(self, c: int, x: Sequence[Number], y: int) -> Number:
        step = self.model.consider(self.rule, x, y)
        if self.model.form == "ovr":
            return step.scores[c] if y == c else -step.scores[c]
        return step.margin


def sentences(ending: Ending, form: str, last: str, tol: Any, scale: float, revisit: str) -> list[str]:
    """What the run proved. ``last`` are its last weights in words, ``revisit`` what a certificate says."""
    passes, updates = wording.several(ending.n_iter, "pass"), wording.several(ending.n_updates, "update")
    if form == "regression":
        return [f"Ended in pass {ending.n_iter} after {updates}: {last}."]
    stacked = {"binary": "", "multiclass": " (class vectors stacked)", "ovr": " (of the worst class)"}[form]
    capped = f"no separator can have a margin above {ending.capped}" if ending.capped else ""
    told = []
    if ending.verdict == SEPARATED:
        told.append(f"Separated in pass {ending.n_iter} after {updates}: every row is right with {last}.")
        if ending.boundary:
            told.append("Its margin is 0: rows lie on the boundary, and count as right under ties='predict'.")
        elif ending.lower > 0:
            best = ending.shown == ending.capped and "≈" in ending.shown
            known = "the best there is" if best else f"and {capped}"
            told.append(f"Its margin{stacked} is {ending.shown}, {known}.")
        else:
            told.append("Its margin is too small to be told from rounding.")
    elif ending.verdict == NO_MARGIN and revisit:
        told.append(f"No margin, after {passes} and {updates}.")
    elif ending.verdict == NO_MARGIN:
        root2 = "√2·" if form == "multiclass" else ""
        bound = wording.number(float(tol) * scale)
        told.append(f"No margin after {passes} and {updates}: {capped}, which is at most tol·{root2}R = {bound}.")
    elif ending.verdict == STOPPED:
        known = f", and {capped}." if capped else "."
        told.append(f"Stopped after {passes} and {updates}, undecided: it found no separator{known}")
    return [*told, revisit] if revisit else told


def revisit_sentence(found: Revisit, labels: Sequence[str], one_class: str, weights: str, bias: bool) -> str:
    """What weights that came back prove."""
    when = "before the first step" if found.first == 0 else f"after step {found.first}"
    x = "(x, 1)" if bias else "x"
    if isinstance(found.certificate[0], list):
        told = _some(
            f"row {i} against {labels[r]}: {wording.number(a)}"
            for i, entry in enumerate(found.certificate)
            for r, a in enumerate(entry)
            if a
        )
        summed = f"what each class gains of {x} and what it loses cancel"
    else:
        told = _some(f"{i}: {wording.number(a)}" for i, a in enumerate(found.certificate) if a)
        told = wording.vector(found.certificate) if len(found.certificate) <= MANY else told
        summed = f"Σ λ·y·{x} = 0"
    what = f"the class {one_class} cannot be separated from the rest" if one_class else "no separator exists"
    return (
        f"After step {found.last} the weights are again those {when}{weights}. The steps in between come to λ = {told} "
        f"for the rows, and {summed}, verified exactly. So {what}."
    )


def _some(entries: Iterable[str]) -> str:
    told = list(entries)
    return "{" + ", ".join(told[:MANY]) + (", …" if len(told) > MANY else "") + "}"
