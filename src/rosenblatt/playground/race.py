"""Two to four learners on the same points: how many mistakes each has made, and where its boundary is."""

from __future__ import annotations

from typing import Any

from . import fields, held_out, records
from .generator import HELD_OUT, generator_of
from .requests import Problem, RequestError, problem

#: Learners at most.
MOST_LANES = 4


def summary(request: dict[str, Any]) -> dict[str, Any]:
    """Each learner: its mistakes after every step, and its model after the step of the request, or after its last."""
    lanes, at = request.get("lanes"), request.get("at", 0)
    if not isinstance(lanes, list) or not 1 <= len(lanes) <= MOST_LANES:
        raise RequestError(f"lanes must be a list of the settings of 1 to {MOST_LANES} learners")
    if not isinstance(at, int) or isinstance(at, bool) or at < 0:
        raise RequestError(f"at must be the number of a step, got {at!r}")
    return {"lanes": [_lane(problem(request | {"settings": settings}), request, at) for settings in lanes]}


def _lane(asked: Problem, request: dict[str, Any], at: int) -> dict[str, Any]:
    if asked.settings.readout == "voted":
        raise RequestError("votes do not race: to count them anew at every place of the plane takes seconds")
    run = records.recorded(asked).trace
    step = min(at, len(run))
    (field,) = fields.summary(asked, {"at": [step], "window": request.get("window")})["fields"]
    mistakes, total = [0], 0
    for each in run:
        total += each.mistakes
        mistakes.append(total)
    lane = {
        "mistakes": mistakes, "steps": len(run), "step": step, "verdict": run.verdict, "passes": run.n_iter,
        "wrong": len(asked.points) - len(field["right"]), "model": field.get("model"),
    }  # fmt: skip
    if request.get("generate") is not None:
        generator = generator_of(request["generate"])
        lane |= {"held_out": held_out.wrong(asked, [step], generator)[0], "held_out_of": HELD_OUT}
    return lane
