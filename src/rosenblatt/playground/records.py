"""A run as the page draws it: every step, its numbers, and what is proved so far. All of it is read from a trace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import exact
from ..theory import inputs, kernels, radius
from ..tracing import Trace, trace_run
from . import formulas, plans, roots
from .requests import Problem

Array = NDArray[Any]


@dataclass(frozen=True)
class Recorded:
    """A trace, and the weights that it went through as arrays: one moment at the start and one after each move.

    Attributes
    ----------
    coordinates : ndarray of shape (n_moments, n_vectors, n)
        The weights and, last, their bias; in kernel space the coefficients of the rows.
    after : list of int
        The moment after each step.
    scores : ndarray of shape (n_moments, n_points, n_vectors)
        What each moment says of each point.
    """

    problem: Problem
    trace: Trace
    coordinates: Array
    after: list[int]
    scores: Array

    @property
    def classes(self) -> list[Any]:
        """The classes, of which the second is y = +1 where there are two."""
        return list(self.trace.setting.classes or ())

    @property
    def codes(self) -> Array:
        """The class of each point as its number."""
        place = {label: code for code, label in enumerate(self.classes)}
        return np.array([place[label] for label in self.problem.labels])

    def margins(self) -> Array:
        """y·s of each point at each moment; several classes: how far the right one leads."""
        known = inputs.Labels(np.array(self.classes), self.codes)
        return np.array([inputs.margins_of(scores.copy(), known) for scores in self.scores])

    def right(self) -> Array:
        """Whether each moment is right on each point, ties by the tie rule."""
        margins, ties = self.margins(), self.problem.settings.ties
        if ties == "mistake":
            return margins > 0
        predicted = self.scores[:, :, 0] > 0 if len(self.classes) == 2 else self.scores.argmax(axis=2)
        return np.asarray(predicted == self.codes)


@lru_cache(maxsize=8)
def recorded(problem: Problem) -> Recorded:
    """The run of a problem, made once for all that is asked about it."""
    title = plans.estimator(problem)
    run = trace_run(plans.run_of(problem), problem.X, problem.y, problem.exact, title=title)
    vectors = [_vectors(run, _start(run, problem), 0.0 if run.setting.b is None else run.setting.b)]
    after = []
    for step in run:
        if step.coordinates is not step.coordinates_before or step.b is not step.b_before:
            vectors.append(_vectors(run, step.coordinates, step.b))
        after.append(len(vectors) - 1)
    coordinates = np.array(vectors, dtype=object if problem.exact else float)
    if problem.exact:
        scores = _exact_scores(problem, coordinates)
    else:
        scores = np.matmul(basis(problem, problem.X), coordinates.swapaxes(1, 2))
    return Recorded(problem, run, coordinates.astype(float), after, scores)


def _exact_scores(problem: Problem, coordinates: Array) -> Array:
    """Scores rounded only at the end, so that ties are ties: in whole numbers, by floats where these hold them all."""
    rows = exact.rows(problem.X)
    if problem.settings.in_kernel:
        gram = kernels.Gram.of(plans.kernel_of(problem.settings), rows)
        over, scale = gram.values, gram.scale
    else:
        over, scale = exact.scaled(np.array([[*row, 1] for row in rows], dtype=object))
    weights, factor = exact.scaled(coordinates.swapaxes(1, 2))
    if over.shape[1] * max(np.abs(over).max(), 1) * max(np.abs(weights).max(), 1) < 2**53:
        over, weights = over.astype(float), weights.astype(float)
    return np.asarray(np.matmul(over, weights) / (scale * factor)).astype(float)


def basis(problem: Problem, X: Array) -> Array:
    """What coordinates are multiplied by: (x, 1), or the kernel of x with each point."""
    if problem.settings.in_kernel:
        return np.asarray(plans.kernel_of(problem.settings).matrix(X, problem.X))
    return np.hstack([X, np.ones((len(X), 1))])


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
                "vectors": _rounded(vectors), "scores": _rounded(scores, 6), "right": np.flatnonzero(good).tolist(),
                "lower": _number(lower),
            }
            for vectors, scores, good, lower in zip(made.coordinates, made.scores, right, lowers)
        ],
        "form": run.setting.form, "kernel": run.setting.kernel, "classes": [str(label) for label in made.classes],
        "codes": made.codes.tolist(), "verdict": run.verdict, "passes": run.n_iter, "updates": run.n_updates,
        "mistakes": run.mistakes, "bounds": [_number(bound) for bound in run.margin_bounds], "proved": run.proved,
        "certificate": _certificate(run), "R": radius_of(problem), "cut": _cut(problem, run),
        "program": plans.program(problem), "arithmetic": _arithmetic(problem), "novikoff": _is_novikoff(problem),
        "fractions": roots.so_far(problem, run),
    }  # fmt: skip


def film(problem: Problem) -> str:
    """The run as a page that plays by itself."""
    return recorded(problem).trace.animate().to_html()  # type: ignore[no-any-return]


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
    least = made.margins().min(axis=1)
    return [float(m) / n if n > 0 else -math.inf for m, n in zip(least, norms)]


def radius_of(problem: Problem) -> float:
    """The length of the longest vector that is learned from."""
    if problem.settings.in_kernel:
        return math.sqrt(max(0.0, float(np.diagonal(basis(problem, problem.X)).max())))
    return radius(problem.X, problem.settings.bias)


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
    return sum(value) if isinstance(value, tuple) else value


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _rounded(values: Array, digits: int = 12) -> list[list[float]]:
    return [[float(f"{v:.{digits}g}") for v in row] for row in values]
