"""What a request asks for: points and settings, each read and checked. What is wrong is said in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Limits that keep every answer below a second, and the page legible.
MOST_POINTS, MOST_FEATURES, MOST_CLASSES, MOST_PASSES, MOST_STEPS, MOST_EXACT_STEPS = 100, 12, 4, 200, 1000, 400
MOST_COEFFICIENTS = 200_000
#: Coordinates lie between −LARGEST and LARGEST.
LARGEST = 1e6
#: Characters of a name that the page shows.
LONGEST_NAME = 40

RULES = ("perceptron", "batch", "pa", "pa1", "pa2", "mira", "norm-mira")
READOUTS = ("last", "averaged", "pocket", "voted")
SPACES = ("linear", "linear-kernel", "poly", "rbf", "sigmoid")

#: Numbers that may be set: from, to, and whether they are whole.
RANGES: dict[str, tuple[float, float, bool]] = {
    "eta": (0.001, 1000, False),
    "margin": (0, 1000, False),
    "C": (0.0001, 10_000, False),
    "beta": (0.0001, 100, False),
    "gamma": (0.0001, 1000, False),
    "degree": (1, 9, True),
    "coef0": (-100, 100, False),
    "seed": (0, 999_999, True),
    "passes": (1, MOST_PASSES, True),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "rule": RULES,
    "readout": READOUTS,
    "space": SPACES,
    "ties": ("mistake", "predict"),
    "order": ("given", "shuffled"),
}


class AskedError(ValueError):
    """A request that cannot be answered: one sentence for the user."""


@dataclass(frozen=True)
class Settings:
    """How to learn. The defaults are those of the page."""

    rule: str = "perceptron"
    readout: str = "last"
    space: str = "linear"
    eta: float = 1.0
    margin: float = 0.0
    C: float = 1.0
    beta: float = 0.01
    gamma: float = 1.0
    degree: int = 2
    coef0: float = 1.0
    bias: bool = True
    ties: str = "mistake"
    order: str = "given"
    seed: int = 0
    passes: int = 100
    exact: bool = False

    @property
    def in_kernel(self) -> bool:
        """Whether the weights are a sum of examples."""
        return self.space != "linear"


@dataclass(frozen=True)
class Problem:
    """Points with their labels, and how to learn from them. It can be looked up: equal ones have equal answers."""

    points: tuple[tuple[float, ...], ...]
    labels: tuple[Any, ...]
    names: tuple[str, ...] | None
    settings: Settings

    @property
    def X(self) -> Array:
        """The points as rows."""
        return np.array(self.points)

    @property
    def y(self) -> Array:
        """Their labels."""
        return np.array(self.labels)

    @property
    def n_features(self) -> int:
        """How many coordinates a point has."""
        return len(self.points[0])


def problem(asked: Any) -> Problem:
    """Points and settings of a request."""
    if not isinstance(asked, dict):
        raise AskedError("a request must be a JSON object with points, classes and settings")
    settings = settings_of(asked.get("settings", {}))
    points = points_of(asked.get("points"))
    given = asked.get("labels")
    if not isinstance(given, list) or len(given) != len(points):
        raise AskedError(f"labels must be a list of one class number for each of the {len(points)} points")
    codes = [_code(code, i) for i, code in enumerate(given)]
    if len(set(codes)) < 2:
        raise AskedError("Two classes are needed: place points of another class too.")
    names = _names(asked.get("names"), len(points[0]), "names", "feature")
    classes = _names(asked.get("classes"), max(codes) + 1, "classes", "class")
    return Problem(points, tuple(_labels(codes, classes)), names, settings)


def settings_of(given: Any) -> Settings:
    """The settings, checked."""
    if not isinstance(given, dict):
        raise AskedError("settings must be a JSON object")
    known = {field.name for field in fields(Settings)}
    for name in given:
        if name not in known:
            raise AskedError(f"there is no setting {_shown(name)}; there are {', '.join(sorted(known))}")
    told = {name: _setting(name, value) for name, value in given.items()}
    return _fitting(Settings(**told))


def _setting(name: str, value: Any) -> Any:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise AskedError(f"{name} must be one of {', '.join(CHOICES[name])}; got {_shown(value)}")
        return value
    if name in RANGES:
        low, high, whole = RANGES[name]
        if not is_number(value) or not low <= value <= high or (whole and value != int(value)):
            kind = "a whole number" if whole else "a number"
            raise AskedError(f"{name} must be {kind} from {low:g} to {high:g}, got {_shown(value)}")
        return int(value) if whole else float(value)
    if not isinstance(value, bool):
        raise AskedError(f"{name} must be true or false, got {_shown(value)}")
    return value


def _fitting(settings: Settings) -> Settings:
    """Refuse what does not go together, and say why."""
    rule, readout = settings.rule, settings.readout
    if rule == "batch" and (settings.in_kernel or readout != "last"):
        raise AskedError("batch descent moves linear weights once a pass: choose the linear space and the last weights")
    if readout == "voted" and not settings.in_kernel:
        raise AskedError(
            "a vote needs the history of a run, which is kept in kernel space: choose the space “linear kernel”"
        )
    if settings.exact and (rule not in ("perceptron", "batch") or settings.space in ("rbf", "sigmoid")):
        raise AskedError(
            "exact fractions go with the perceptron and batch rules, and with spaces whose numbers are fractions: "
            "linear, linear kernel and polynomial"
        )
    return settings


def points_of(given: Any) -> tuple[tuple[float, ...], ...]:
    """The points: lists of as many numbers each."""
    if not isinstance(given, list) or not given:
        raise AskedError("Place some points of two classes, or load an example.")
    if len(given) > MOST_POINTS:
        raise AskedError(f"{len(given)} points are too many: the page draws {MOST_POINTS} at most")
    width = len(given[0]) if isinstance(given[0], list) else 0
    if not 1 <= width <= MOST_FEATURES:
        raise AskedError(f"a point must be a list of 1 to {MOST_FEATURES} numbers; point 0 is {_shown(given[0])}")
    for i, point in enumerate(given):
        if not isinstance(point, list) or len(point) != width:
            raise AskedError(f"point {i} must have {width} numbers as point 0 has, got {_shown(point)}")
        for j, value in enumerate(point):
            if not is_number(value) or abs(value) > LARGEST:
                raise AskedError(
                    f"point {i}, coordinate {j}: {_shown(value)} is no number from −{LARGEST:,.0f} to {LARGEST:,.0f}"
                )
    return tuple(tuple(float(value) for value in point) for point in given)


def _code(code: Any, i: int) -> int:
    if not isinstance(code, int) or isinstance(code, bool) or not 0 <= code < MOST_CLASSES:
        raise AskedError(f"point {i}: a class must be a whole number from 0 to {MOST_CLASSES - 1}, got {_shown(code)}")
    return code


def _names(given: Any, count: int, what: str, of: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    fits = isinstance(given, list) and len(given) >= count and all(isinstance(name, str) for name in given)
    if not fits or any(len(name) > LONGEST_NAME for name in given):
        raise AskedError(f"{what} must be a name of at most {LONGEST_NAME} characters for each {of}, or null")
    if len(set(given)) < len(given):
        raise AskedError(f"{what} must all be different, got {_shown(given)}")
    return tuple(given[:count]) if of == "feature" else tuple(given)


def _labels(codes: Sequence[int], classes: Sequence[str] | None) -> list[Any]:
    """What the library is told: names, or −1 and +1, or letters where there are more than two classes."""
    if classes is not None:
        if list(classes) != sorted(classes):
            raise AskedError("classes must be in sorted order, in which the library numbers them")
        return [classes[code] for code in codes]
    return [2 * code - 1 for code in codes] if max(codes) == 1 else ["ABCD"[code] for code in codes]


def is_number(value: Any) -> bool:
    """Whether it is a finite number."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) < 2**63


def _shown(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= 60 else told[:59] + "…"
