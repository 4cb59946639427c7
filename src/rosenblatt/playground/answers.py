"""What the page asks, answered: the one door for the server and for the page that is only files. Plain Python.

A question is JSON of a kind; an answer is JSON too, of what was asked for or of ``{"error": sentence}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..core import rules
from . import (
    certificates,
    fields,
    generator,
    held_out,
    lattices,
    lessons,
    lift,
    pasted,
    proofs,
    race,
    records,
    sentences,
)
from .examples import examples
from .requests import (
    CHOICES,
    LARGEST,
    LONGEST_NAME,
    MOST_CLASSES,
    MOST_POINTS,
    RANGES,
    RULES,
    RequestError,
    problem,
)

#: What can be asked, and how it is computed.
ANSWERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "examples": lambda request: examples(),
    "run": lambda request: records.summary(problem(request)),
    "field": lambda request: fields.summary(problem(request), request),
    "separable": lambda request: certificates.summary(problem(request), request),
    "proof": lambda request: proofs.summary(problem(request)),
    "scene": lessons.scene,
    "points": generator.summary,
    "held": lambda request: held_out.summary(problem(request), request),
    "race": race.summary,
    "sentence": lambda request: sentences.summary(problem(request), request),
    "lift": lambda request: lift.summary(problem(request), request),
    "lattice": lattices.summary,
    "film": lambda request: {"html": records.film(problem(request))},
    "table": lambda request: pasted.table(request.get("csv"), request.get("pairs", False)),
}


def answer(kind: str, question: str | bytes) -> str:
    """The answer to a question of a kind; what cannot be answered is said in a sentence."""
    try:
        request = json.loads(question, parse_constant=_refuse_constant)
        if not isinstance(request, dict):
            raise RequestError("a request must be a JSON object")
        return dumps(ANSWERS[kind](request))
    except (RecursionError, UnicodeDecodeError, json.JSONDecodeError):
        return dumps({"error": "The request is no JSON that can be read."})
    except ValueError as error:
        return dumps({"error": str(error)})


def dumps(value: Any) -> str:
    """JSON as short as it gets."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _refuse_constant(name: str) -> Any:
    raise RequestError(f"{name} is no number")


def rules_module() -> str:
    """The rules, their parameters and what may be set, as a module of the page, so that it has those of the library."""
    listed = [
        {
            "name": name, "title": "Batch descent" if name == "batch" else kind.title,
            "fractions": kind.short_in_fractions, "controls": [control.name for control in kind.controls],
        }
        for name, kind in RULES.items()
    ]  # fmt: skip
    controls = {
        control.name: {**control._asdict(), "default": kind().control_value(control.name)}
        for kind in rules.ALL
        for control in kind.controls
    }
    limits = {"points": MOST_POINTS, "classes": MOST_CLASSES, "name": LONGEST_NAME, "coordinate": LARGEST}
    exported = {
        "RULES": listed, "CONTROLS": list(controls.values()), "CHOICES": CHOICES, "RANGES": RANGES, "MOST": limits,
        "GENERATED": generator.RANGES,
    }  # fmt: skip
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in exported.items())
