"""Parameters of the estimators as options, by their names in Python."""

from __future__ import annotations

import argparse
from typing import Any

from ..core import rules
from . import options


def _gamma(text: str) -> float | str:
    return text if text in ("scale", "auto") else options.number(text)


def _class_weight(text: str) -> str | dict[str, float]:
    if text == "balanced":
        return text
    try:
        pairs = [pair.rsplit("=", 1) for pair in options.names(text)]
        return {name: options.number_from_0(weight) for name, weight in pairs}
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError(f"{text!r} is neither balanced nor a list such as neg=1,pos=2") from None


_SPELLED = {"C": ("-C",), "fit_intercept": ("--fit-intercept", "--intercept")}
_YES_OR_NO = argparse.BooleanOptionalAction


def _option(told: str, **how: Any) -> dict[str, Any]:
    return {"help": told, **how}


#: Each parameter that is an option, and what argparse is told of it.
OPTIONS: dict[str, dict[str, Any]] = {
    "C": _option("largest step of pa1 and mira, damping of pa2 (1; mira: none)", metavar="C", type=options.number),
    "eta0": _option("step of a perceptron (1)", metavar="η", type=options.number),
    "margin": _option("a perceptron moves while the score is at most M (0)", metavar="M", type=options.number),
    "beta": _option("margin of norm-mira (0.01)", metavar="β", type=options.number),
    "epsilon": _option("a regressor is right within ε of the number (0.1)", metavar="ε", type=options.number_from_0),
    "average": _option("the model is the mean of the weights (pa, mira, regressors: yes)", action=_YES_OR_NO),
    "ratchet": _option("the pocket takes only weights with fewer mistakes on all rows (yes)", action=_YES_OR_NO),
    "rule": _option("of online, kernel and voted, with its own options (perceptron)", choices=tuple(rules.BY_OPTION)),
    "readout": _option(
        "which weights of online, kernel (last) and voted (voted) are the model",
        choices=("last", "averaged", "pocket", "voted"),
    ),
    "kernel": _option("of kernel (rbf) and voted (linear)", choices=("rbf", "poly", "linear", "sigmoid")),
    "gamma": _option("of rbf, poly and sigmoid: a number, scale or auto (scale)", metavar="γ", type=_gamma),
    "degree": _option("of poly (3)", metavar="D", type=options.number),
    "coef0": _option("constant of poly and sigmoid (1)", metavar="C0", type=options.number),
    "budget": _option("a kernel model keeps N examples at most", metavar="N", type=options.count),
    "budget_policy": _option(
        "who gives way to a new example (random)", choices=("random", "forgetron", "projectron", "projectron++")
    ),
    "projection_tol": _option(
        "what a projection may lose before the budget is full (0.1)", metavar="T", type=options.number_from_0
    ),
    "block_size": _option(
        "examples of a kernel's matrix products; changes only the time", metavar="N", type=options.count
    ),
    "cache_size": _option(
        "memory for kernel values from one pass to the next (1000)", metavar="MB", type=options.number_from_0
    ),
    "device": _option("where kernels are computed in training (cpu)", choices=("cpu", "cuda")),
    "precision": _option("of float32 rows on a CUDA device (float32)", choices=("float32", "tf32")),
    "fit_intercept": _option("learn a bias (yes; pa and mira on text: no)", action=_YES_OR_NO),
    "shuffle": _option("visit the rows in a fresh random order each pass (yes)", action=_YES_OR_NO),
    "multiclass": _option("who loses with several classes (max)", choices=("max", "uniform", "proportional", "ovr")),
    "ties": _option("what a score of 0 counts as (mistake)", choices=("mistake", "predict")),
    "class_weight": _option("weights of the classes (1)", metavar="balanced|LABEL=W,…", type=_class_weight),
    "init": _option("starting weights (zeros)", choices=("zeros", "random")),
    "tol": _option("end early once no margin above TOL·R can be left", metavar="TOL", type=options.number_from_0),
}
for _rule in rules.ALL:
    for _control in _rule.controls:
        _title = f"{_control.title}, of the rule {_rule.option}"
        OPTIONS.setdefault(_control.name, _option(_title, metavar=_control.label, type=options.number))


def add_options(group: argparse._ArgumentGroup, without: tuple[str, ...] = ()) -> None:
    """All of them."""
    for name, how in OPTIONS.items():
        if name not in without:
            group.add_argument(*_flags(name), dest=name, **how)
    group.add_argument("--last", dest="average", action="store_false", default=None, help="the same as --no-average")


def _flags(name: str) -> tuple[str, ...]:
    return _SPELLED.get(name) or (f"--{name.replace('_', '-')}",)


def asked_for(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters that options name."""
    return {name: value for name in OPTIONS if (value := getattr(arguments, name, None)) is not None}


def spelled(option: str, value: Any) -> str:
    """An option as it is written."""
    if option == "average" and value is False:
        return "--last"
    written = _flags(option)[0]
    return f"--no-{written[2:]}" if value is False else written
