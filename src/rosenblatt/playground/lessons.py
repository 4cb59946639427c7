"""Lessons: scenes on real runs, read from a small JSON file, with the numbers of the library in their sentences.

A lesson is an object with a ``title``, perhaps a sentence ``about`` it, and ``scenes``. A scene has a ``text`` and says
what the page is about then: data, settings, the step, and which panels to show. What it leaves out stays as in the
scene before. ``{…}`` in a text is replaced by what the run says there; ``FACTS`` lists what there is.
"""

from __future__ import annotations

import math
import re
from typing import Any

from ..tracing.wording import above, number
from . import certificates, fields, generator, held_out, proofs, records
from .examples import examples
from .pasted import phrases
from .requests import Problem, RequestError, problem

#: Limits of a lesson.
MOST_SCENES, LONGEST_TEXT = 40, 600
#: Panels that a scene may show beside the picture.
PANELS = ("formulas", "numbers", "trace", "weights", "certificate", "predict", "race", "text", "lift", "lattice")
#: The ways to give data, of which a scene has one, or none to keep those of the scene before.
DATA = ("example", "points", "phrases", "generate")

#: What {…} in a text may be, beside the columns of the trace at the step of the scene.
FACTS = {
    "points": "how many points there are",
    "steps": "steps of the whole run",
    "passes": "its passes",
    "updates": "its updates",
    "verdict": "how it ends",
    "M": "mistakes up to the step of the scene",
    "U": "updates up to there",
    "right": "points that the weights get right there",
    "wrong": "points that they get wrong",
    "model wrong": "points that the model of the readout gets wrong there",
    "held out": "points that are held out",
    "held-out wrong": "of these, those that the model of the readout gets wrong there",
    "R": "the length of the longest vector",
    "γ": "the best margin",
    "(R/γ)²": "Novikoff's bound, rounded up",
    "λ": "the weights of the certificate",
    "support": "points that prove the answer",
    "u·w": "how far w has come towards the best separator u, of length 1",
    "γM": "how far it must have come by then",
    "‖w‖": "how long w is",
    "√M·R": "how long it can be at most",
}


def scene(request: dict[str, Any]) -> dict[str, Any]:
    """One scene of a lesson: the state of the page, and the sentence with the numbers of that state in it."""
    lesson: Any = request.get("lesson")
    at = request.get("scene", 0)
    scenes = validated(lesson)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(scenes):
        number_of = at + 1 if isinstance(at, int) else at
        raise RequestError(f"the lesson has scenes 1 to {len(scenes)}; there is no scene {number_of!r}")
    try:
        state = _state(scenes[: at + 1])
        asked = problem(state)
        run = records.summary(asked)
        state["step"] = _step(scenes[at], len(run["steps"]))
        text = _filled(scenes[at]["text"], asked, run, state)
    except ValueError as error:
        raise RequestError(f"scene {at + 1} of the lesson: {error}") from None
    shown = {"title": lesson["title"], "scene": at, "scenes": len(scenes), "text": text}
    return shown | state | {"show": scenes[at].get("show", ["formulas"])}


def validated(lesson: Any) -> list[dict[str, Any]]:
    """The scenes of a lesson, each of the right form; what is wrong is said in one sentence."""
    if not isinstance(lesson, dict):
        raise RequestError("a lesson must be a JSON object with a title and scenes")
    _known(lesson, ("title", "about", "scenes"), "a lesson")
    for name in ("title", "about"):
        if not isinstance(lesson.get(name, ""), str) or len(lesson.get(name, "")) > LONGEST_TEXT:
            raise RequestError(f"the {name} of a lesson must be text of at most {LONGEST_TEXT} characters")
    if not lesson.get("title"):
        raise RequestError("a lesson must have a title")
    scenes = lesson.get("scenes")
    if not isinstance(scenes, list) or not 1 <= len(scenes) <= MOST_SCENES:
        raise RequestError(f"scenes must be a list of 1 to {MOST_SCENES} scenes")
    for place, each in enumerate(scenes, 1):
        _validate(each, f"scene {place}", place == 1)
    return scenes


def _validate(scene: Any, name: str, first: bool) -> None:
    if not isinstance(scene, dict):
        raise RequestError(f"{name} must be a JSON object with a text")
    _known(scene, ("text", *DATA, "labels", "names", "classes", "captions", "pairs", "settings", "step", "show"), name)
    text, show = scene.get("text"), scene.get("show", [])
    if not isinstance(text, str) or not text or len(text) > LONGEST_TEXT:
        raise RequestError(f"{name}: text must be a sentence of at most {LONGEST_TEXT} characters")
    data = [kind for kind in DATA if kind in scene]
    if len(data) > 1 or (first and not data):
        raise RequestError(
            f"{name} must have one of {', '.join(DATA)}{', and one alone' if data else ' to begin with'}"
        )
    if not isinstance(show, list) or any(panel not in PANELS for panel in show):
        raise RequestError(f"{name}: show must be a list of some of {', '.join(PANELS)}; got {show!r}")
    if not isinstance(scene.get("settings", {}), dict):
        raise RequestError(f"{name}: settings must be a JSON object")
    step = scene.get("step", 0)
    if step != "end" and (not isinstance(step, int) or isinstance(step, bool) or step < 0):
        raise RequestError(f'{name}: step must be the number of a step or "end", got {step!r}')


def _known(record: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in record:
        if name not in names:
            raise RequestError(f"{what} has no {name!r}; there are {', '.join(names)}")


def _state(scenes: list[dict[str, Any]]) -> dict[str, Any]:
    """Data and settings after these scenes: a scene with data begins anew, another goes on from the one before."""
    state: dict[str, Any] = {}
    for scene in scenes:
        if any(kind in scene for kind in DATA):
            state = _data(scene)
        state = state | {"settings": state["settings"] | scene.get("settings", {})}
    return state


def _data(scene: dict[str, Any]) -> dict[str, Any]:
    if "example" in scene:
        name = scene["example"]
        if not isinstance(name, str) or name not in examples():
            raise RequestError(f"there is no example {name!r}; there are {', '.join(examples())}")
        example = examples()[name]
        return {"settings": {}} | {key: value for key, value in example.items() if key not in ("title", "about")}
    if "phrases" in scene:
        listed = scene["phrases"]
        if not isinstance(listed, list) or not all(_is_phrase(entry) for entry in listed):
            raise RequestError("phrases must be a list of pairs of a phrase and its label")
        return phrases([(text, label) for text, label in listed], scene.get("pairs", False) is True) | {"settings": {}}
    if "generate" in scene:
        return generator.summary({"generate": scene["generate"]}) | {"settings": {}}
    given = {key: scene[key] for key in ("points", "labels", "names", "classes", "captions") if key in scene}
    captions = given.get("captions")
    if captions is not None and (not isinstance(captions, list) or not all(isinstance(text, str) for text in captions)):
        raise RequestError("captions must be a list of texts, one for each point")
    return given | {"settings": {}}


def _is_phrase(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry)


def _step(scene: dict[str, Any], last: int) -> int:
    step = scene.get("step", 0)
    if step == "end":
        return last
    if step > last:
        raise RequestError(f"there is no step {step}: the run has steps 1 to {last}, and 0 is its start")
    return int(step)


# ---- numbers in sentences --------------------------------------------------------------------------------------------


def _filled(text: str, asked: Problem, run: dict[str, Any], state: dict[str, Any]) -> str:
    """The text with each {…} replaced by what the run says; nothing is computed that is not asked for."""
    step = state["step"]
    cells = _cells(run, step)

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name in cells:
            return str(cells[name])
        if name not in FACTS:
            raise RequestError(f"there is no {{{name}}} here; there are {', '.join([*cells, *FACTS])}")
        if name in ("held out", "held-out wrong"):
            return _of_held_out(name, asked, state)
        return _fact(name, asked, run, step)

    return re.sub(r"\{([^{}]*)\}", value, text)


def _cells(run: dict[str, Any], step: int) -> dict[str, str]:
    """The row of the trace at a step, by the headings of the columns without what they add in brackets."""
    if not step:
        return {}
    row = run["steps"][step - 1]["cells"]
    return {
        heading.partition(" (")[0]: " ".join(cell.split()).replace("( ", "(")
        for heading, cell in zip(run["headings"], row)
    }


def _fact(name: str, asked: Problem, run: dict[str, Any], step: int) -> str:
    done = run["steps"][step - 1] if step else {"mistakes": 0, "updates": 0, "after": 0}
    right = len(run["moments"][done["after"]]["right"])
    simple = {
        "points": len(asked.points), "steps": len(run["steps"]), "passes": run["passes"], "updates": run["updates"],
        "verdict": run["verdict"], "M": done["mistakes"], "U": done["updates"], "right": right,
        "wrong": len(asked.points) - right,
    }  # fmt: skip
    if name in simple:
        return str(simple[name])
    if name == "R":
        return number(float(run["R"]))
    if name == "model wrong":
        (field,) = fields.summary(asked, {"at": [step]})["fields"]
        return str(len(asked.points) - len(field["right"]))
    if name in ("γ", "(R/γ)²", "λ", "support"):
        return _of_answer(name, asked)
    return _of_proof(name, asked, step)


def _of_held_out(name: str, asked: Problem, state: dict[str, Any]) -> str:
    """What is known of the points that were held out."""
    if "generate" not in state:
        raise RequestError(f"there is no {{{name}}}: points are held out where they are generated")
    told = held_out.summary(asked, {"generate": state["generate"], "at": [state["step"]]})
    return str(told["of"] if name == "held out" else told["model"][0])


def _of_answer(name: str, asked: Problem) -> str:
    """What the certificate says."""
    answer = certificates.summary(asked, {})
    if name == "support":
        return str(len(answer["support"]))
    if name == "λ" and answer["separable"] is False:
        return "(" + ", ".join(answer["lambda"]) + ")"
    if name == "γ" and answer["separable"]:
        return number(float(answer["margin_augmented"]))
    if name == "(R/γ)²" and answer["bound"] is not None:
        near = float(f"{answer['bound']:.5g}")  # γ is a float below the true one, which may put the bound a hair above
        return number(near) if math.isclose(near, answer["bound"], rel_tol=1e-9) else above(answer["bound"])
    raise RequestError(
        f"the points are {'' if answer['separable'] else 'not '}separable, so that there is no {{{name}}}"
    )


def _of_proof(name: str, asked: Problem, step: int) -> str:
    """A quantity of the convergence proof after a step."""
    proof = proofs.summary(asked)
    if "why_not" in proof:
        raise RequestError(f"there is no {{{name}}}: {proof['why_not']}")
    done = [each for each in proof["updates"] if each["step"] <= step]
    if not done:
        return "0"
    key = {"u·w": "progress", "γM": "floor", "‖w‖": "norm", "√M·R": "ceiling"}[name]
    return number(float(done[-1][key]))
