"""The learners by name: the estimator that each is in Python, and the options that are its parameters."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core import rules
from . import parameters
from .parameters import asked_for, spelled
from .terminal import CommandError, listed, shown

if TYPE_CHECKING:
    from .features import Features


class Named(NamedTuple):
    """What a name stands for: an algorithm of ``core.spec``, and the parameters that the name sets."""

    estimator: str
    preset: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()  # parameters of the algorithm that mean nothing under this name
    rule: str = ""  # that the name stands for, where the algorithm takes any
    default_rule: str = "perceptron"  # where it takes any, and no option names one

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that options may set, by their names in Python."""
        from ..core import spec

        defaults = spec.ALGORITHMS[self.estimator].defaults
        return tuple(name for name in parameters.OPTIONS if name in defaults and name not in self.without)

    @property
    def is_regression(self) -> bool:
        return "epsilon" in self.takes

    @property
    def is_of_sentences(self) -> bool:
        return "constraints" in self.takes


def _passive_aggressive(estimator: str, variant: str) -> Named:
    without = ("variant", "C") if variant == "PA" else ("variant",)
    return Named(estimator, {"variant": variant, "average": True}, without)


_CLASSIFIER, _REGRESSOR = "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"
ALGORITHMS: dict[str, Named] = {
    "averaged": Named("AveragedPerceptron"),
    "perceptron": Named("Perceptron"),
    "pocket": Named("PocketPerceptron"),
    "batch": Named("BatchPerceptron"),
    "pa1": _passive_aggressive(_CLASSIFIER, "PA-I"),
    "pa2": _passive_aggressive(_CLASSIFIER, "PA-II"),
    "pa": _passive_aggressive(_CLASSIFIER, "PA"),
    "mira": Named("MIRA", {"variant": "margin", "average": True}, ("variant", "beta", "multiclass")),
    "norm-mira": Named("MIRA", {"variant": "norm", "average": True}, ("variant", "C", "multiclass")),
    "arow": Named("AROW"),
    "scw": Named("SCW"),
    "cw": Named("ConfidenceWeighted"),
    "sop": Named("SecondOrderPerceptron"),
    "online": Named("OnlineClassifier"),
    "nherd": Named("OnlineClassifier", {"rule": rules.NHERD()}, without=("rule",), rule="nherd"),
    "voted": Named("VotedPerceptron", without=("init",)),
    "kernel": Named("KernelPerceptron", without=("init",)),
    "pa1-regressor": _passive_aggressive(_REGRESSOR, "PA-I"),
    "pa2-regressor": _passive_aggressive(_REGRESSOR, "PA-II"),
    "pa-regressor": _passive_aggressive(_REGRESSOR, "PA"),
    "tagger": Named("SequenceTagger", default_rule="pa1"),
}
#: The best of those tried on text and on sparse rows (docs/reference/measured.md). Its C is in units of rows of norm
#: 1, which these have.
FOR_TEXT = "pa1"
#: On such rows a bias takes half of every step of these, and is worth nothing.
_NO_BIAS_ON_TEXT = ("PassiveAggressiveClassifier", "MIRA")
#: Elsewhere rows have any scale, which does not matter to a perceptron that starts at zero.
FOR_NUMBERS = "averaged"
#: For labels that are numbers and no classes; their scale does not matter to it, but for ε.
FOR_REGRESSION = "pa2-regressor"
#: For files of sentences, and for nothing else.
FOR_SENTENCES = "tagger"

#: Classes of Python are names too: of several variants, the one that is their default.
_IN_PYTHON = {named.estimator: name for name, named in reversed(ALGORITHMS.items())}


#: The budgets that --projection-tol is of.
_PROJECTRONS = ("projectron", "projectron++")

#: The options of each rule: its parameters.
_OF_RULES = {name: kind().parameters for name, kind in rules.BY_OPTION.items()}


def add_options(parser: argparse.ArgumentParser, without: tuple[str, ...] = ()) -> None:
    """Which learner, and its parameters; without those of taggers no tagger."""
    group = parser.add_argument_group("learning (options are the parameters of the estimator in Python)")
    names = [name for name, named in ALGORITHMS.items() if not ("constraints" in without and named.is_of_sentences)]
    sentences = f"{FOR_SENTENCES} for sentences, " if FOR_SENTENCES in names else ""
    group.add_argument(
        "-a",
        "--algorithm",
        choices=names,
        type=lambda text: _IN_PYTHON.get(text, text),
        metavar="NAME",
        help=f"{', '.join(names)}, or the name of an estimator in Python (default: {sentences}{FOR_TEXT} for text and "
        f"sparse rows, {FOR_REGRESSION} for labels that are not whole numbers, else {FOR_NUMBERS})",
    )
    parameters.add_options(group, without)


def for_training(
    arguments: argparse.Namespace, features: Features, numbers: bool, passes: int
) -> tuple[str, dict[str, Any], str]:
    """The class of the learner that is asked for or the default, its parameters, and what it is the default for."""
    name, why = arguments.algorithm, ""
    if name is None and numbers:
        asked = arguments.label_type == "number"
        name, why = FOR_REGRESSION, "--label-type number" if asked else "labels that are not whole numbers"
    elif name is None:
        name, why = FOR_NUMBERS, "numbers"
        if features.has_text or features.are_sparse:
            name, why = FOR_TEXT, "text" if features.has_text else "sparse rows"
    kind, parameters = chosen(arguments, name, features.is_text or features.are_sparse)
    parameters |= {"max_iter": passes, "random_state": arguments.seed}
    if "tol" in ALGORITHMS[name].takes:
        parameters.setdefault("tol", None)
    return kind, parameters, why


def chosen(arguments: argparse.Namespace, name: str, is_text: bool = False) -> tuple[str, dict[str, Any]]:
    """The class of a learner, and the parameters that its name, the data and the options set."""
    named, asked = ALGORITHMS[name], asked_for(arguments)
    chosen = dict(named.preset)
    if is_text and named.estimator in _NO_BIAS_ON_TEXT:
        chosen["fit_intercept"] = False
    if named.rule:
        asked = _with_rule(asked | {"rule": named.rule}, name)
        chosen["rule"] = asked.pop("rule")
    elif "rule" in named.takes:
        asked = _with_rule(asked, name)
    for option, value in asked.items():
        if option not in named.takes:
            raise CommandError(_does_not_go(option, name), algorithm=name, **{option: _whether(value)})
        chosen[option] = value
    if "kernel" in named.takes:
        _refuse_unused(chosen, named, name)
    if "intercept_scaling" in chosen and not chosen.get("fit_intercept", True):
        raise CommandError(
            "{intercept_scaling} is of a bias, and the learner has none here; say {fit_intercept}, or leave it out",
            intercept_scaling=..., fit_intercept=True,
        )  # fmt: skip
    if named.estimator == "OnlineClassifier" and chosen.get("readout") == "voted":
        raise CommandError(
            "{readout} needs the examples of the run: say {algorithm}", readout="voted", algorithm="voted"
        )
    if named.is_of_sentences and chosen.get("readout") == "voted":
        raise CommandError(f"--readout voted does not go with --algorithm {name}; it goes with voted")
    return named.estimator, chosen


def _refuse_unused(chosen: dict[str, Any], named: Named, name: str) -> None:
    """Refuse parameters of a kernel, or of a budget, that the one chosen does not use."""
    from ..core import spec
    from ..core.spaces.kernel.function import USES

    kernel = chosen.get("kernel", spec.ALGORITHMS[named.estimator].defaults["kernel"])
    default = "" if "kernel" in chosen else f", the default of {name}"
    for option in chosen:
        takes = [other for other, used in USES.items() if option in used]
        if takes and kernel not in takes:
            raise CommandError(
                f"{spelled(option, chosen[option])} does not go with --kernel {kernel}{default}; it goes with --kernel "
                f"{listed(takes)}"
            )
    if "projection_tol" in chosen and chosen.get("budget_policy") not in _PROJECTRONS:
        raise CommandError(
            f"--projection-tol goes with --budget-policy {listed(_PROJECTRONS)}, which project a step; name one of "
            "them and --budget N, or leave it out"
        )


def _with_rule(asked: dict[str, Any], name: str) -> dict[str, Any]:
    """The same with the options of a rule in it."""
    rule = asked.get("rule", ALGORITHMS[name].default_rule)
    own = {option: asked[option] for option in _OF_RULES[rule] if option in asked}
    rest = {option: value for option, value in asked.items() if option not in own}
    for option, value in rest.items():
        space = "kernel" if "kernel" in ALGORITHMS[name].takes else "linear"
        takes = [
            other
            for other, options in _OF_RULES.items()
            if option in options and space in rules.BY_OPTION[other].spaces
        ]
        if takes:
            of = "{algorithm}" if ALGORITHMS[name].rule else "{rule} of {algorithm}"
            raise CommandError(
                f"{{{option}}} does not go with {of}; it goes with {listed(['{rule_}', *takes[1:]])}",
                algorithm=name, rule=rule, rule_=takes[0], **{option: _whether(value)},
            )  # fmt: skip
    return rest | {"rule": rules.BY_OPTION[rule](**own)} if own or "rule" in asked else rest


def _whether(value: Any) -> Any:
    """The value of an option as a refusal tells it: of one that is said or not, which; of others that there is one."""
    return value if isinstance(value, bool) else ...


def _does_not_go(option: str, name: str) -> str:
    takes = [
        other
        for other, named in ALGORITHMS.items()
        if option in named.takes
        or option in _OF_RULES.get(named.rule, ())
        or ("rule" in named.takes and any(option in own for own in _OF_RULES.values()))
    ]
    return f"{{{option}}} does not go with {{algorithm}}; it goes with {listed(takes)}"


def class_weights(asked: Any, labels: Any) -> Any:
    """Weights of classes by labels of the type that a file has; refuses one that is none."""
    if not isinstance(asked, dict) or labels.dtype.kind in "US":
        return asked
    try:
        return {float(name): weight for name, weight in asked.items()}
    except ValueError:
        named = ", ".join(asked)
        raise CommandError(
            f"{{class_weight}} names {named}, and the labels are numbers such as {shown(labels[0].item())}",
            class_weight=...,
        ) from None
