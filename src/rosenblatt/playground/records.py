"""A run as the page draws it: every step, its numbers, and what is proved so far. All of it is read from a trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..core import exact
from ..core.sums import product, total
from ..films import pages
from ..films.storyboard import Storyboard
from ..theory import kernels, small
from ..tracing import Step, Trace, trace_plan
from ..tracing.moves import decided as decided
from ..tracing.moves import margin as margin
from . import formulas, plans, roots
from .requests import Problem

Vectors = list[list[float]]  # one for each weight vector


@dataclass(frozen=True)
class Recorded:
    """A trace, and the weights that it went through: one moment at the start and one after each move.

    Attributes
    ----------
    coordinates : list of vectors
        Of each moment: the weights and, last, their bias; in kernel space the coefficients of the rows.
    after : list of int
        The moment after each step.
    scores : list of lists of lists
        What each moment says of each point: a number for each vector.
    """

    problem: Problem
    trace: Trace
    coordinates: list[Vectors]
    after: list[int]
    scores: list[list[list[float]]]
    variances: list[Vectors]  # of a second-order rule, those of the coordinates; else none

    @property
    def classes(self) -> list[Any]:
        """The classes, of which the second is y = +1 where there are two."""
        return list(self.trace.setting.classes or ())

    @property
    def codes(self) -> list[int]:
        """The class of each point as its number."""
        return list(plans.known(self.problem).codes)

    def margins(self) -> list[list[float]]:
        """y·s of each point at each moment; several classes: how far the right one leads."""
        codes = self.codes
        return [[margin(scores, code) for scores, code in zip(moment, codes)] for moment in self.scores]

    def right(self) -> list[list[bool]]:
        """Whether each moment is right on each point, ties by the tie rule."""
        if self.problem.settings.ties == "mistake":
            return [[value > 0 for value in margins] for margins in self.margins()]
        codes = self.codes
        return [[decided(scores) == code for scores, code in zip(moment, codes)] for moment in self.scores]


def traced(problem: Problem, separator: Any = None) -> Trace:
    """The trace of a problem; with a separator each step has the quantities of the convergence proof."""
    return trace_plan(plans.plan_of(problem), problem.exact, separator=separator, title=plans.estimator(problem))


@lru_cache(maxsize=8)
def recorded(problem: Problem) -> Recorded:
    """The run of a problem, made once for all that is asked about it."""
    run = traced(problem)
    vectors = [_vectors(run, _start(run, problem), 0.0 if run.setting.b is None else run.setting.b)]
    after, moves = [], []
    sure = [
        _vectors(run, step.variance_before, step.variance_b_before) for step in run[:1] if step.variance is not None
    ]
    for step in run:
        if step.coordinates is not step.coordinates_before or step.b is not step.b_before:
            vectors.append(_vectors(run, step.coordinates, step.b))
            moves.append(step)
            if sure:
                sure.append(_vectors(run, step.variance, step.variance_b))
        after.append(len(vectors) - 1)
    scores = _kernel_scores(problem, moves) if problem.settings.in_kernel else _linear_scores(problem, vectors)
    coordinates, variances = (
        [[[float(v) for v in vector] for vector in moment] for moment in moments] for moments in (vectors, sure)
    )
    return Recorded(problem, run, coordinates, after, scores, variances)


def _linear_scores(problem: Problem, moments: list[list[list[Any]]]) -> list[list[list[float]]]:
    """Scores of the points at each moment; exact ones are rounded only at the end, so that ties are ties."""
    if not problem.exact:
        points = [[*point, 1.0] for point in problem.points]
        return [[[product(vector, point) for vector in moment] for point in points] for moment in moments]
    whole, scale = exact.scaled([[*row, 1] for row in exact.rows(problem.points)])
    weights, factor = exact.scaled([vector for moment in moments for vector in moment])
    k, over = len(moments[0]), scale * factor
    return [
        [[product(vector, point) / over for vector in weights[start : start + k]] for point in whole]
        for start in range(0, len(weights), k)
    ]


def _kernel_scores(problem: Problem, moves: Sequence[Step]) -> list[list[list[float]]]:
    """The same in kernel space, where each move adds its coefficients times the kernel of its row."""
    columns: Sequence[Sequence[Any]]
    steps: Sequence[Sequence[Any]]
    if problem.exact:
        gram = kernels.Gram.of(plans.kernel_of(problem.settings), exact.rows(problem.points))
        steps, factor = exact.scaled([step.coef for step in moves]) if moves else ([], 1)
        columns, over = gram.values, gram.scale * factor
    else:
        columns, steps, over = basis(problem), [step.coef for step in moves], 1
    n_classes = len(set(problem.labels))
    now: list[list[Any]] = [[0] * (1 if n_classes == 2 else n_classes) for _ in problem.points]
    moments = [now]
    for step, coef in zip(moves, steps):
        column = columns[step.row]
        now = [[s + value * a for s, a in zip(scores, coef)] for scores, value in zip(now, column)]
        moments.append(now)
    return [[[s / over for s in scores] for scores in moment] for moment in moments]


@lru_cache(maxsize=8)
def basis(problem: Problem) -> Vectors:
    """What coordinates are multiplied by at each point: (x, 1), or the kernel of x with each point."""
    if not problem.settings.in_kernel:
        return [[*point, 1.0] for point in problem.points]
    kernel = plans.kernel_of(problem.settings)
    return [[kernel.between(x, z) for z in problem.points] for x in problem.points]


def _start(run: Trace, problem: Problem) -> Any:
    if run.setting.kernel is None:
        return run.setting.w
    zero = (0,) * len(problem.points)
    return zero if run.setting.form == "binary" else (zero,) * len(run.setting.classes or ())


def _vectors(run: Trace, coordinates: Any, b: Any) -> list[list[Any]]:
    one = run.setting.form == "binary"
    vectors = [coordinates] if one else coordinates
    if run.setting.kernel is not None:
        return [list(vector) for vector in vectors]
    biases = [b] if one else b if isinstance(b, tuple) else [b] * len(vectors)
    return [[*vector, c] for vector, c in zip(vectors, biases)]


# ---- for the page --------------------------------------------------------------------------------------------------


def summary(problem: Problem) -> dict[str, Any]:
    """Everything that the page shows of a run."""
    made = recorded(problem)
    run, table = made.trace, made.trace.table()
    tau, mistakes, updates, best = 0.0, 0, 0, math.inf
    bounded = math.isfinite(run.margin_bounds[1]) or not run.n_updates
    lowers, right = _lowers(made), made.right()
    steps = []
    for i, (step, cells) in enumerate(zip(run, table.rows)):
        tau, mistakes, updates = tau + float(_total(step.tau)), mistakes + step.mistakes, updates + step.updates
        moved = made.after[i] != (made.after[i - 1] if i else 0)
        if moved and tau > 0 and bounded:
            best = min(best, step.norm / tau)
        steps.append(
            {
                "step": step.number, "pass": step.pass_number, "row": step.row, "why": step.why,
                "mistake": step.mistake, "moved": step.moved, "coef": [float(a) for a in step.coef],
                "after": made.after[i], "cells": list(cells), "norm": _number(step.norm), "tau": _number(tau),
                "mistakes": mistakes, "updates": updates, "upper": _number(best),
                "formulas": formulas.of(step, run, problem),
            }
        )  # fmt: skip
    return {
        "title": table.title, "headings": list(table.headings), "align": table.align, "steps": steps,
        "moments": [
            {
                "vectors": _rounded(vectors), "scores": _rounded(scores, 6),
                "right": [i for i, is_right in enumerate(good) if is_right],
                "lower": _number(lower), **({"variances": _rounded(made.variances[i])} if made.variances else {}),
            }
            for i, (vectors, scores, good, lower) in enumerate(zip(made.coordinates, made.scores, right, lowers))
        ],
        "form": run.setting.form, "kernel": run.setting.kernel, "classes": [str(label) for label in made.classes],
        "codes": made.codes, "verdict": run.verdict, "passes": run.n_iter, "updates": run.n_updates,
        "mistakes": run.mistakes, "bounds": [_number(bound) for bound in run.margin_bounds], "proved": run.proved,
        "certificate": _certificate(run), "R": radius_of(problem), "cut": _cut(problem, run),
        "program": plans.program(problem), "arithmetic": _arithmetic(problem), "novikoff": _is_novikoff(problem),
        "fractions": roots.so_far(problem, run),
    }  # fmt: skip


def film(problem: Problem) -> str:
    """The run as a page that plays by itself."""
    return pages.to_html(Storyboard(recorded(problem).trace))


def _arithmetic(problem: Problem) -> str:
    if problem.exact:
        return "exact decimals" if problem.exact == "decimals" else "exact fractions"
    return f"floating point: {problem.rounded_because}"


def _is_novikoff(problem: Problem) -> bool:
    """Whether (R/γ)² bounds the mistakes."""
    return problem.learning_rule.bounds_one_pass and not problem.settings.batch


def _lowers(made: Recorded) -> list[float]:
    """The margin that each moment shows: a lower bound on the best one where it is positive."""
    norms = [0.0] * len(made.coordinates)
    for step, moment in zip(made.trace, made.after):
        norms[moment] = step.norm
    return [min(margins) / n if n > 0 else -math.inf for margins, n in zip(made.margins(), norms)]


def radius_of(problem: Problem) -> float:
    """The length of the longest vector that is learned from."""
    if problem.settings.in_kernel:
        return math.sqrt(max(0.0, *(row[i] for i, row in enumerate(basis(problem)))))
    return small.radius(problem.points, problem.settings.bias)


def _certificate(run: Trace) -> Any:
    """λ of weights that came back, as the page draws it: a number for each point."""
    if run.certificate is None:
        return None
    return [float(_total(tuple(entry) if isinstance(entry, list) else entry)) for entry in run.certificate]


def _cut(problem: Problem, run: Trace) -> str:
    """Whether the page's limit ended the run, in words."""
    passes = plans.passes_of(problem)
    if run.verdict != "stopped" or run.n_iter < passes or passes == problem.settings.passes:
        return ""
    return f"The page shows {passes} passes of {len(problem.points)} points at most."


def _total(value: Any) -> Any:
    return total(value) if isinstance(value, tuple) else value


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _rounded(values: Vectors, digits: int = 12) -> list[list[float]]:
    return [[float(f"{v:.{digits}g}") for v in row] for row in values]
