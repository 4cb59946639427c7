"""Scores over the plane: what the model, and the last weights, say of each place at some steps of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import readouts
from .records import Recorded, basis, recorded
from .requests import LARGEST, Problem, RequestError, is_number

Array = NDArray[Any]

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
    places = None if problem.n_features != 2 or request.get("window") is None else grid(request["window"])
    over = None if places is None else basis(problem, places)
    scores = readouts.scores(made, at, basis(problem, problem.X))
    over_plane = [None] * len(at) if over is None else readouts.scores(made, at, over)
    return {"fields": [_field(made, *each, over) for each in zip(at, scores, over_plane)]}


def _field(made: Recorded, step: int, scores: Array, plane: Array | None, over: Array | None) -> dict[str, Any]:
    settings = made.problem.settings
    right = (scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0) == made.codes
    field: dict[str, Any] = {"step": step, "right": np.flatnonzero(right).tolist()}
    if settings.readout != "voted":
        field["vectors"] = [[float(v) for v in vector] for vector in readouts.coordinates(made, step)]
    if plane is not None and over is not None:
        field["model"] = columns(plane)
        if settings.in_kernel and settings.readout != "last":
            field["last"] = columns(over @ made.coordinates[made.after[step - 1] if step else 0].T)
    return field


def grid(window: Any) -> Array:
    """The places of a window [left, right, bottom, top, across], row by row from the bottom."""
    if not isinstance(window, list) or len(window) != 5 or not all(map(is_number, window)):
        raise RequestError("window must be [left, right, bottom, top, places across]")
    left, right, bottom, top, across = window
    if not -4 * LARGEST <= left < right <= 4 * LARGEST or not -4 * LARGEST <= bottom < top <= 4 * LARGEST:
        raise RequestError("window must have its left before its right, and its bottom below its top")
    if across != int(across) or not 2 <= across <= MOST_ACROSS:
        raise RequestError(f"a window must be 2 to {MOST_ACROSS} places across, got {across!r}")
    x, y = np.linspace(left, right, int(across)), np.linspace(bottom, top, int(across))
    return np.array([(a, b) for b in y for a in x])


def columns(scores: Array) -> list[list[float]]:
    """Scores by vector, to the five digits that a picture needs."""
    return [[float(f"{v:.5g}") for v in column] for column in scores.T]
