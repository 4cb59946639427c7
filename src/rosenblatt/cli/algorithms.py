"""The learners by name: the estimator that each is in Python, its parameters, and the learner itself."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .terminal import CommandError

if TYPE_CHECKING:
    from ..learner import Learner
    from ..rules import Rule

_PERCEPTRON = ("eta0", "margin")

#: The class of each name, the parameters that the name fixes, and those that options may set.
ALGORITHMS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "averaged": ("AveragedPerceptron", {}, _PERCEPTRON),
    "perceptron": ("Perceptron", {}, _PERCEPTRON),
    "pocket": ("PocketPerceptron", {}, _PERCEPTRON),
    "batch": ("BatchPerceptron", {}, _PERCEPTRON),
    "pa": ("PassiveAggressiveClassifier", {"variant": "PA"}, ("average",)),
    "pa1": ("PassiveAggressiveClassifier", {"variant": "PA-I"}, ("C", "average")),
    "pa2": ("PassiveAggressiveClassifier", {"variant": "PA-II"}, ("C", "average")),
    "mira": ("MIRA", {"variant": "margin"}, ("C", "average")),
    "norm-mira": ("MIRA", {"variant": "norm"}, ("beta", "average")),
}
#: The best of those tried on text (docs/text.md). Its C is in units of rows of norm 1, which text has.
FOR_TEXT = "pa1"
#: Elsewhere rows have any scale, which does not matter to a perceptron that starts at zero.
FOR_NUMBERS = "averaged"

_READOUTS = {"AveragedPerceptron": "averaged", "PocketPerceptron": "pocket"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which learner, and its parameters."""
    group = parser.add_argument_group("learning")
    group.add_argument(
        "-a", "--algorithm", choices=tuple(ALGORITHMS), help=f"the learner ({FOR_TEXT} for text, else {FOR_NUMBERS})"
    )
    group.add_argument("-C", dest="C", metavar="C", type=float, help="largest step of pa1, damping of pa2 (1)")
    group.add_argument("--eta0", metavar="η", type=float, help="step of a perceptron (1)")
    group.add_argument("--margin", metavar="M", type=float, help="a perceptron moves while the score is at most M (0)")
    group.add_argument("--beta", metavar="β", type=float, help="margin of norm-mira (0.01)")
    group.add_argument(
        "--last", dest="average", action="store_false", default=None, help="use the last weights, not their mean"
    )
    group.add_argument("--no-intercept", action="store_true", help="learn no bias")
    group.add_argument(
        "--multiclass", choices=("max", "uniform", "proportional", "ovr"), help="who loses with several classes (max)"
    )
    group.add_argument("--ties", choices=("mistake", "predict"), help="what a score of 0 counts as (mistake)")


def chosen(arguments: argparse.Namespace, for_text: bool) -> tuple[str, dict[str, Any]]:
    """The class of the learner asked for, and its own parameters."""
    name = arguments.algorithm or (FOR_TEXT if for_text else FOR_NUMBERS)
    kind, fixed, settable = ALGORITHMS[name]
    parameters: dict[str, Any] = dict(fixed)
    if "average" in settable:
        parameters["average"] = True
    for option in ("eta0", "margin", "C", "beta", "average"):
        value = getattr(arguments, option)
        if value is None:
            continue
        if option not in settable:
            spelled = {"C": "-C", "average": "--last"}.get(option, f"--{option}")
            raise CommandError(f"{spelled} does not go with --algorithm {name}")
        parameters[option] = value
    parameters["fit_intercept"] = not arguments.no_intercept
    for option in ("multiclass", "ties"):
        if getattr(arguments, option) is not None:
            parameters[option] = getattr(arguments, option)
    return kind, parameters


def learner_of(kind: str, parameters: dict[str, Any]) -> Learner:
    """The learner that the estimator of this class and these parameters has."""
    from ..learner import Learner

    return Learner(
        _rule(kind, parameters),
        readout=_READOUTS.get(kind) or ("averaged" if parameters.get("average") else "last"),
        ties=parameters.get("ties", "mistake"),
        multiclass=parameters.get("multiclass", "max"),
        fit_intercept=parameters["fit_intercept"],
        ratchet=kind == "PocketPerceptron",
        batch=kind == "BatchPerceptron",
    )


def _rule(kind: str, parameters: dict[str, Any]) -> Rule:
    from .. import rules

    if kind == "PassiveAggressiveClassifier":
        if parameters["variant"] == "PA":
            return rules.PA()
        return (rules.PA1 if parameters["variant"] == "PA-I" else rules.PA2)(parameters.get("C", 1.0))
    if kind == "MIRA":
        if parameters["variant"] == "norm":
            return rules.NormMIRA(parameters.get("beta", 0.01))
        return rules.MIRA(parameters.get("C"))
    return rules.Perceptron(eta0=parameters.get("eta0", 1.0), margin=parameters.get("margin", 0.0))
