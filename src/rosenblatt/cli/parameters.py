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
        weights = options.numbers_of_labels(text)
    except argparse.ArgumentTypeError:
        weights = {}
    if not weights or not all(0 <= weight < float("inf") for weight in weights.values()):
        raise argparse.ArgumentTypeError(f"{text!r} is neither balanced nor a list such as neg=1,pos=2")
    return weights


def _templates(text: str) -> str | list[str]:
    if text in ("words", "chunking"):
        return text
    try:
        with open(text, encoding="utf-8-sig") as file:
            return file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise argparse.ArgumentTypeError(f"{text!r} is neither words nor chunking nor a file of templates "
                                         f"({reason})") from None  # fmt: skip


_SPELLED = {"C": ("-C",), "fit_intercept": ("--fit-intercept", "--intercept"), "features": ("--templates",)}
_YES_OR_NO = argparse.BooleanOptionalAction


def _option(text: str, **settings: Any) -> dict[str, Any]:
    return {"help": text, **settings}


def _of_rules() -> dict[str, dict[str, Any]]:
    """The parameters of the rules; one that several rules have is an option of them all."""
    texts: dict[str, dict[str, None]] = {}  # each once
    parse: dict[str, Any] = {}
    words: dict[str, dict[str, None]] = {"variant": {}, "confidence": dict.fromkeys(rules.CONFIDENCES)}
    for kind in rules.ALL:
        words["variant"] |= dict.fromkeys(kind.variants)
        for name, value in kind().parameters.items():
            texts.setdefault(name, {})[kind.descriptions[name]] = None
            parse[name] = options.numbers if isinstance(value, tuple) else options.number
    return {
        name: _option("; ".join(told), choices=tuple(words[name]))
        if name in words
        else _option("; ".join(told), metavar=name.upper(), type=parse[name])
        for name, told in texts.items()
    }


#: Each parameter that is an option, and its settings for argparse.
OPTIONS: dict[str, dict[str, Any]] = {
    **_of_rules(),
    "epsilon": _option("regressors: a prediction within this distance is right (default: 0.1)", metavar="E",
                       type=options.number_from_0),
    "average": _option("predict with the mean of the weights (default: yes for pa, mira and the regressors)",
                       action=_YES_OR_NO),
    "ratchet": _option("pocket: keep only weights with fewer mistakes on all rows (default: yes)",
                       action=_YES_OR_NO),
    "rule": _option("update rule of online, kernel, voted and tagger (default: perceptron; tagger: pa1)",
                    choices=tuple(rules.BY_OPTION)),
    "readout": _option("weights that online, kernel, voted and tagger predict with (default: last; voted: voted; "
                       "tagger: averaged)",
                       choices=("last", "averaged", "pocket", "voted")),
    "kernel": _option("kernel of kernel and voted (default: rbf; voted: linear)",
                      choices=("rbf", "poly", "linear", "sigmoid")),
    "gamma": _option("coefficient of the kernels rbf, poly and sigmoid: a number, scale or auto (default: scale)",
                     metavar="G", type=_gamma),
    "degree": _option("degree of the kernel poly (default: 3)", metavar="D", type=options.number),
    "coef0": _option("constant term of the kernels poly and sigmoid (default: 1)", metavar="C0", type=options.number),
    "budget": _option("most examples that a kernel model keeps (default: no limit)", metavar="N", type=options.count),
    "budget_policy": _option("with --budget, which example is evicted for a new one (default: random)",
                             choices=("random", "forgetron", "projectron", "projectron++")),
    "projection_tol": _option("largest norm that a projectron may lose by projecting a step (default: 0.1)",
                              metavar="T", type=options.number_from_0),
    "block_size": _option("examples per matrix product of a kernel; changes only the speed", metavar="N",
                          type=options.count),
    "cache_size": _option("megabytes for kernel values that are kept between passes (default: 1000)", metavar="MB",
                          type=options.number_from_0),
    "device": _option("where kernels are computed (default: cpu)", choices=("cpu", "cuda")),
    "precision": _option("how float32 rows are multiplied on a CUDA device (default: float32)",
                         choices=("float32", "tf32")),
    "features": _option("tagger: what the features of a token are: words (the built-in set), chunking (CRFsuite's), or "
                        "a file of templates in the manner of CRF++ (default: words)",
                        metavar="words|chunking|FILE", type=_templates),
    "order": _option("tagger: how many tags before a token count (default: 1)", choices=(1, 2), type=int),
    "constraints": _option("tagger: which tag may follow which: those that did in training, or those that the scheme "
                           "of phrases allows (default: any)", choices=("seen", "bio", "bioes")),
    "cost": _option("tagger: what wrong tags cost in the loss: how many there are, the square root of that, or 1 "
                    "(default: hamming)", choices=("hamming", "sqrt", "one")),
    "fit_intercept": _option("learn a bias (default: yes; pa and mira on text: no)", action=_YES_OR_NO),
    "intercept_scaling": _option("constant feature whose weight is the bias: the smaller, the slower the bias moves "
                                 "(default: 1)", metavar="S", type=options.number),
    "shuffle": _option("visit the rows in a new random order in each pass (default: yes)", action=_YES_OR_NO),
    "multiclass": _option("with several classes, which wrong classes an update moves: the best one, all alike, all in "
                          "proportion, or one against the rest (default: max)",
                          choices=("max", "uniform", "proportional", "ovr")),
    "ties": _option("whether a score of 0 is always a mistake, or only if the prediction is wrong (default: mistake)",
                    choices=("mistake", "predict")),
    "class_weight": _option("weights of the classes (default: 1)", metavar="balanced|LABEL=W,…", type=_class_weight),
    "init": _option("starting weights (default: zeros)", choices=("zeros", "random")),
    "tol": _option("stop once no margin above TOL·R is possible (default: never)", metavar="TOL",
                   type=options.number_from_0),
}  # fmt: skip


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


def spelled_value(value: Any) -> str:
    """A value of an option as it is written."""
    if isinstance(value, (list, tuple)):
        return "-".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def written(option: str, value: Any) -> str:
    """An option with its value, as it is written."""
    if isinstance(value, bool):
        return spelled(option, value)
    return f"{spelled(option, value)} {spelled_value(value)}"
