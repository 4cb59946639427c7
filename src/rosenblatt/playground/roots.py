"""What holds so far in exact numbers: lengths and margins as roots of fractions, with their values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..core import exact
from ..theory import Separability
from ..tracing import Step, Trace
from ..tracing.wording import about, about_root, root
from . import plans
from .requests import Problem


def so_far(problem: Problem, run: Trace) -> dict[str, Any] | None:
    """After each step ‖w‖ and the bounds on the best margin, and R; None where fractions are not asked for."""
    if problem.settings.exact is not True:
        return None
    texts, tau, best, reached = [], Fraction(0), None, None
    bounded, codes = run.margin_bounds[1] != float("inf"), _codes(run, problem)
    for step in run:
        tau += sum(step.tau) if isinstance(step.tau, tuple) else step.tau
        moved = step.coordinates is not step.coordinates_before or step.b is not step.b_before
        if moved and tau and bounded:
            upper = Fraction(step.norm2) / tau**2
            best = upper if best is None else min(best, upper)
        if moved and step.w is not None and step.norm2:
            reached = _largest(reached, _margin2(step, run, codes))
        texts.append({"norm": _about_root(step.norm2), "upper": _root(best), "lower": _root(reached)})
    return {"steps": texts, "R": _about_root(_radius2(problem))}


def margin(problem: Problem, result: Separability) -> dict[str, str] | None:
    """The best margin, and the bound on mistakes that it gives, where they are known in fractions and asked for so."""
    squared = result.margin_augmented_squared
    if problem.settings.exact is not True or not result.separable or not squared:
        return None
    several = 2 if len(set(problem.labels)) > 2 else 1
    bound = about(several * _radius2(problem) / Fraction(squared))
    return {"margin": _about_root(Fraction(squared)), "bound": bound if "≈" in bound else f"= {bound}"}


def _codes(run: Trace, problem: Problem) -> list[int]:
    places = {label: code for code, label in enumerate(run.setting.classes or ())}
    return [places[label] for label in problem.labels]


def _margin2(step: Step, run: Trace, codes: Sequence[int]) -> Fraction | None:
    """The square of the margin that the weights of a step show; None where they do not separate."""
    least: Any = None
    for x, code in zip(run.data.X, codes):
        if run.setting.form == "binary":
            lead = _score(step.w, step.b, x) * (1 if code else -1)
        else:
            scores = [_score(w, b, x) for w, b in zip(step.w, step.b or [0] * len(step.w))]
            lead = scores.pop(code) - max(scores)
        if lead <= 0:
            return None
        least = lead if least is None else min(least, lead)
    return Fraction(least) ** 2 / Fraction(step.norm2)


def _score(w: Sequence[Any], b: Any, x: Sequence[Any]) -> Any:
    return sum(Fraction(v) * Fraction(u) for v, u in zip(w, x)) + Fraction(b or 0)


def _radius2(problem: Problem) -> Fraction:
    squares: list[Any] = [sum(Fraction(exact.number(v)) ** 2 for v in point) for point in problem.points]
    if problem.settings.in_kernel:
        kernel: Any = plans.kernel_of(problem.settings)
        return Fraction(max(kernel.in_fractions(square) for square in squares))
    return Fraction(max(squares)) + bool(problem.settings.bias)


def _largest(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return other if one is None else one if other is None else max(one, other)


def _about_root(square: Any) -> str:
    """= √13 ≈ 3.6056, or ≈ 3.6056 where the root is long."""
    text = about_root(square)
    return text.replace("≈", "≈ ") if text.startswith("≈") else f"= {text}"


def _root(square: Fraction | None) -> str | None:
    """The root alone; None where it is long, and rounded to a bound elsewhere."""
    text = None if square is None else root(square)
    return None if text is None or "≈" in text else text
