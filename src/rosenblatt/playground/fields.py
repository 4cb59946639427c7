"""Scores over the plane: what the model, and the last weights, say of each place at some steps of a run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..core.spaces.kernel.function import KernelFunction
from ..tracing.wording import number, vector
from . import plans, readouts
from .readouts import Scores
from .records import Recorded, Vectors, basis, decided, recorded
from .requests import LARGEST, Problem, RequestError, is_number

Place = tuple[float, ...]

#: Places across, and steps in one answer.
MOST_ACROSS, MOST_AT_ONCE = 64, 24


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The model at the steps of the request: its scores over the plane, its weights, and which points it gets right."""
    made = recorded(problem)
    at = request.get("at")
    if not isinstance(at, list) or not 0 < len(at) <= MOST_AT_ONCE:
        raise RequestError(f"at must be a list of 1 to {MOST_AT_ONCE} step numbers")
    for step in at:
        if not isinstance(step, int) or isinstance(step, bool) or not 0 <= step <= len(made.trace):
            raise RequestError(
                f"there is no step {step!r}: the run has steps 1 to {len(made.trace)}, and 0 is its start"
            )
    over = None
    if problem.n_features == 2 and request.get("window") is not None:
        over = over_plane(problem, grid(request["window"]))
    models = [_model(made, *each) for each in zip(at, readouts.scores(made, at, basis(problem)))]
    if over is not None:
        drawn: dict[Any, list[list[float]]] = {}  # what is the same for some steps, by what it is
        for model, scores in zip(models, readouts.scores(made, at, over)):
            model["model"] = drawn.get(id(scores)) or drawn.setdefault(id(scores), columns(scores))
            if problem.settings.in_kernel and problem.settings.readout != "last":
                moment = ("last", made.after[model["step"] - 1] if model["step"] else 0)
                if moment not in drawn:
                    drawn[moment] = columns(readouts.weighed(made.coordinates[moment[1]], over))
                model["last"] = drawn[moment]
    return {"fields": models}


def _model(made: Recorded, step: int, scores: Scores) -> dict[str, Any]:
    right = [i for i, (each, code) in enumerate(zip(scores, made.codes)) if decided(each) == code]
    settings = made.problem.settings
    model: dict[str, Any] = {"step": step, "right": right}
    if settings.readout != "voted":
        model["vectors"] = vectors = readouts.coordinates(made, step)
        if settings.exact and settings.readout != "last" and not settings.in_kernel and len(vectors) == 1:
            *w, b = readouts.in_fractions(made, step)[0]
            model["fractions"] = [vector(w), number(b)]
    return model


def over_plane(problem: Problem, places: tuple[Place, ...]) -> Vectors:
    """What coordinates are multiplied by at each place: (x, 1), or the kernel of x with each point."""
    if not problem.settings.in_kernel:
        return [[*place, 1.0] for place in places]
    kernel = plans.kernel_of(problem.settings)
    return [list(line) for line in zip(*(_column(kernel, point, places) for point in problem.points))]


@lru_cache(maxsize=200)
def _column(kernel: KernelFunction, point: Place, places: tuple[Place, ...]) -> list[float]:
    """The kernel of a point with each place of a picture, kept while other points are moved."""
    return [kernel.between(place, point, roughly=True) for place in places]


def grid(window: Any) -> tuple[Place, ...]:
    """The places of a window [left, right, bottom, top, across], row by row from the bottom."""
    if not isinstance(window, list) or len(window) != 5 or not all(map(is_number, window)):
        raise RequestError("window must be [left, right, bottom, top, places across]")
    left, right, bottom, top, across = window
    if not -4 * LARGEST <= left < right <= 4 * LARGEST or not -4 * LARGEST <= bottom < top <= 4 * LARGEST:
        raise RequestError("window must have its left before its right, and its bottom below its top")
    if across != int(across) or not 2 <= across <= MOST_ACROSS:
        raise RequestError(f"a window must be 2 to {MOST_ACROSS} places across, got {across!r}")
    x, y = _between(left, right, int(across)), _between(bottom, top, int(across))
    return tuple((a, b) for b in y for a in x)


def _between(first: float, last: float, count: int) -> list[float]:
    """Numbers from the first to the last, equally far from each other."""
    step = (last - first) / (count - 1)
    return [first + i * step for i in range(count - 1)] + [float(last)]


def columns(scores: Scores) -> list[list[float]]:
    """Scores by vector, to the five digits that a picture needs."""
    return [[float(f"{v:.5g}") for v in column] for column in zip(*scores)]
