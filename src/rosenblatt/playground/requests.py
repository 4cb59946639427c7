"""A request: points and settings, each read and validated. What is wrong is said in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..core import exact as exactly
from ..core import rules
from ..core.rules import Rule

#: Limits that keep every answer below a second, and the page legible.
MOST_POINTS, MOST_FEATURES, MOST_CLASSES, MOST_PASSES, MOST_STEPS = 100, 12, 4, 200, 1000
MOST_COEFFICIENTS, MOST_EXACT_COEFFICIENTS = 200_000, 100_000
#: Coordinates lie between −LARGEST and LARGEST, and are 0 or as far from it as SMALLEST: their squares are numbers too.
LARGEST, SMALLEST = 1e6, 1e-60
#: Characters of a name that the page shows.
LONGEST_NAME = 40

#: The rules of the page; batch descent is the perceptron's, with one step a pass.
RULES: dict[str, type[Rule]] = {"perceptron": rules.Perceptron, "batch": rules.Perceptron} | rules.BY_OPTION
#: Their parameters that the page offers.
CONTROLS = {control.name: control for kind in rules.ALL for control in kind.controls}
READOUTS = ("last", "averaged", "pocket", "voted")
SPACES = ("linear", "linear-kernel", "poly", "rbf", "sigmoid")

#: Numbers that may be set: from, to, and whether they are whole.
RANGES: dict[str, tuple[float, float, bool]] = {
    **{name: (control.low, control.high, False) for name, control in CONTROLS.items()},
    "gamma": (0.0001, 1000, False),
    "degree": (1, 9, True),
    "coef0": (-100, 100, False),
    "seed": (0, 999_999, True),
    "passes": (1, MOST_PASSES, True),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "rule": tuple(RULES),
    "readout": READOUTS,
    "space": SPACES,
    "ties": ("mistake", "predict"),
    "order": ("given", "shuffled"),
}


class RequestError(ValueError):
    """A request that cannot be answered; its message is one sentence for the user."""


@dataclass(frozen=True)
class Settings:
    """How to learn. The defaults are those of the page."""

    rule: str = "perceptron"
    readout: str = "last"
    space: str = "linear"
    gamma: float = 1.0
    degree: int = 2
    coef0: float = 1.0
    bias: bool = True
    ties: str = "mistake"
    order: str = "given"
    seed: int = 0
    passes: int = 100
    exact: bool = False
    parameters: tuple[tuple[str, float], ...] = ()  # of rules, by name; the others have their defaults

    @property
    def in_kernel(self) -> bool:
        """Whether the weights are a sum of examples."""
        return self.space != "linear"

    @property
    def batch(self) -> bool:
        """Whether the weights move once a pass."""
        return self.rule == "batch"

    def learning_rule(self, n_classes: int) -> Rule:
        """The rule, with the parameters that it takes."""
        kind = RULES[self.rule]
        offered = {control.name for control in kind.controls}
        return kind.from_controls({name: value for name, value in self.parameters if name in offered}, n_classes)


@dataclass(frozen=True)
class Problem:
    """Points with their labels, and how to learn from them; equal ones have equal answers, which are cached."""

    points: tuple[tuple[float, ...], ...]
    labels: tuple[Any, ...]
    names: tuple[str, ...] | None
    settings: Settings

    @property
    def learning_rule(self) -> Rule:
        """The rule, for as many classes as there are."""
        return self.settings.learning_rule(len(set(self.labels)))

    @property
    def coefficients(self) -> int:
        """How many numbers an update brings in kernel space: one of each point for each class."""
        return len(self.points) * len(set(self.labels))

    @property
    def exact(self) -> bool | str:
        """Whether it is computed without rounding: in fractions, as is asked, or in decimals as by hand."""
        return self.settings.exact or (not self.rounded_because and "decimals")

    @property
    def rounded_because(self) -> str:
        """Why decimals would not stay short decimals, so that it is computed in floating point; empty: they do."""
        settings, rule = self.settings, self.learning_rule
        if not rule.short_in_fractions:
            return "the rule divides"
        if settings.space in ("rbf", "sigmoid"):
            return "the values of this kernel are no decimals"
        if settings.in_kernel and self.coefficients * MOST_STEPS > MOST_EXACT_COEFFICIENTS:
            return "there are many points"
        used = [*rule.parameters.values(), settings.gamma, settings.coef0, *(v for point in self.points for v in point)]
        numbers = [v for value in used for v in (value if isinstance(value, tuple) else (value,))]
        return "" if exactly.are_short(numbers) else "not all numbers have four decimals at most"

    @property
    def n_features(self) -> int:
        """How many coordinates a point has."""
        return len(self.points[0])


def problem(request: Any) -> Problem:
    """Points and settings of a request."""
    if not isinstance(request, dict):
        raise RequestError("a request must be a JSON object with points, classes and settings")
    settings = settings_of(request.get("settings", {}))
    points = points_of(request.get("points"))
    labels = request.get("labels")
    if not isinstance(labels, list) or len(labels) != len(points):
        raise RequestError(f"labels must be a list of one class number for each of the {len(points)} points")
    codes = [_code(code, i) for i, code in enumerate(labels)]
    if len(set(codes)) < 2:
        raise RequestError("Two classes are needed: place points of another class too.")
    names = _names(request.get("names"), len(points[0]), "names", "feature")
    classes = _names(request.get("classes"), max(codes) + 1, "classes", "class")
    return Problem(points, tuple(_labels(codes, classes)), names, settings)


def settings_of(values: Any) -> Settings:
    """The settings, validated."""
    if not isinstance(values, dict):
        raise RequestError("settings must be a JSON object")
    known = {field.name for field in fields(Settings)} - {"parameters"} | CONTROLS.keys()
    for name in values:
        if name not in known:
            raise RequestError(f"there is no setting {_shown(name)}; there are {', '.join(sorted(known))}")
    valid = {name: _setting(name, value) for name, value in values.items()}
    parameters = tuple((name, valid.pop(name)) for name in CONTROLS if name in valid)
    return _consistent(Settings(**valid, parameters=parameters))


def _setting(name: str, value: Any) -> Any:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise RequestError(f"{name} must be one of {', '.join(CHOICES[name])}; got {_shown(value)}")
        return value
    if name in RANGES:
        low, high, whole = RANGES[name]
        if not is_number(value) or not low <= value <= high or (whole and value != int(value)):
            kind = "a whole number" if whole else "a number"
            raise RequestError(f"{name} must be {kind} from {low:g} to {high:g}, got {_shown(value)}")
        return int(value) if whole else float(value)
    if not isinstance(value, bool):
        raise RequestError(f"{name} must be true or false, got {_shown(value)}")
    return value


def _consistent(settings: Settings) -> Settings:
    """Refuse settings that do not go together, and say why."""
    readout = settings.readout
    if settings.batch and (settings.in_kernel or readout != "last"):
        raise RequestError(
            "batch descent moves linear weights once a pass: choose the linear space and the last weights"
        )
    if readout == "voted" and not settings.in_kernel:
        raise RequestError(
            "a vote needs the history of a run, which is kept in kernel space: choose the space “linear kernel”"
        )
    kind = RULES[settings.rule]
    if settings.in_kernel and "kernel" not in kind.spaces:
        raise RequestError(
            f"{kind.title} keeps how sure it is of the weight of each feature, which a kernel has not: choose the "
            "linear space"
        )
    if settings.exact and (not RULES[settings.rule].short_in_fractions or settings.space in ("rbf", "sigmoid")):
        short = ", ".join(name for name, kind in RULES.items() if kind.short_in_fractions)
        raise RequestError(
            f"exact fractions go with the rules {short}, and with spaces whose numbers are fractions: linear, linear "
            "kernel and polynomial"
        )
    return settings


def points_of(points: Any) -> tuple[tuple[float, ...], ...]:
    """The points: lists of as many numbers each."""
    if not isinstance(points, list) or not points:
        raise RequestError("Place some points of two classes, or load an example.")
    if len(points) > MOST_POINTS:
        raise RequestError(f"{len(points)} points are too many: the page draws {MOST_POINTS} at most")
    width = len(points[0]) if isinstance(points[0], list) else 0
    if not 1 <= width <= MOST_FEATURES:
        raise RequestError(f"a point must be a list of 1 to {MOST_FEATURES} numbers; point 0 is {_shown(points[0])}")
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != width:
            raise RequestError(f"point {i} must have {width} numbers as point 0 has, got {_shown(point)}")
        for j, value in enumerate(point):
            if not is_number(value) or abs(value) > LARGEST:
                raise RequestError(
                    f"point {i}, coordinate {j}: {_shown(value)} is no number from −{LARGEST:,.0f} to {LARGEST:,.0f}"
                )
            if 0 < abs(value) < SMALLEST:
                raise RequestError(
                    f"point {i}, coordinate {j}: {_shown(value)} is too near to 0: {SMALLEST:g} at least"
                )
    return tuple(tuple(float(value) for value in point) for point in points)


def _code(code: Any, i: int) -> int:
    if not isinstance(code, int) or isinstance(code, bool) or not 0 <= code < MOST_CLASSES:
        raise RequestError(
            f"point {i}: a class must be a whole number from 0 to {MOST_CLASSES - 1}, got {_shown(code)}"
        )
    return code


def _names(names: Any, count: int, what: str, of: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    fits = isinstance(names, list) and len(names) >= count and all(isinstance(name, str) for name in names)
    if not fits or any(len(name) > LONGEST_NAME for name in names):
        raise RequestError(f"{what} must be a name of at most {LONGEST_NAME} characters for each {of}, or null")
    if len(set(names)) < len(names):
        raise RequestError(f"{what} must all be different, got {_shown(names)}")
    return tuple(names[:count]) if of == "feature" else tuple(names)


def _labels(codes: Sequence[int], classes: Sequence[str] | None) -> list[Any]:
    """The labels for the library: names, or −1 and +1, or letters where there are more than two classes."""
    if classes is not None:
        if list(classes) != sorted(classes):
            raise RequestError("classes must be in sorted order, in which the library numbers them")
        return [classes[code] for code in codes]
    return [2 * code - 1 for code in codes] if max(codes) == 1 else ["ABCD"[code] for code in codes]


def is_number(value: Any) -> bool:
    """Whether it is a finite number."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) < 2**63


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
