"""Error on points that were held out: what the model after a step says of points that it has never seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from . import readouts
from .fields import over_plane
from .generator import Generator, generator_of
from .records import recorded
from .requests import Problem, RequestError

#: Steps in one answer.
MOST_AT_ONCE = 64


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """How many held-out points the model of the readout, and the last weights, get wrong after some steps."""
    generator, at = generator_of(request.get("generate")), request.get("at")
    if not isinstance(at, list) or not 0 < len(at) <= MOST_AT_ONCE or not all(type(step) is int for step in at):
        raise RequestError(f"at must be a list of 1 to {MOST_AT_ONCE} step numbers")
    last = replace(problem, settings=replace(problem.settings, readout="last"))
    return {
        "of": len(generator.held_out()[0]),
        "at": at,
        "model": wrong(problem, at, generator),
        "last": wrong(last, at, generator),
    }


def wrong(problem: Problem, at: Sequence[int], generator: Generator) -> list[int]:
    """How many held-out points the readout gets wrong after each of these steps."""
    if problem.n_features != 2 or len(set(problem.labels)) != 2:
        raise RequestError("points are held out for two classes in the plane alone")
    made, (points, codes) = recorded(problem), generator.held_out()
    if not all(0 <= step <= len(made.trace) for step in at):
        raise RequestError(f"the run has steps 0 to {len(made.trace)}")
    over = over_plane(problem, tuple((x, y) for x, y in points))
    return [
        sum((float(scores[0]) > 0) != bool(code) for scores, code in zip(said, codes))
        for said in readouts.scores(made, at, over)
    ]
