"""Checks of parameters, each refused by one sentence that names it."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ..errors import ParameterError


def check_name(parameter: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse a name that is not one of those allowed."""
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ParameterError(f"{parameter} must be one of {names}; got {value!r}", parameter)


def check_number(parameter: str, value: Any, low: float, whole: bool = False) -> None:
    """Refuse what is not a number of at least ``low``."""
    kind: Any = numbers.Integral if whole else numbers.Real
    if not isinstance(value, kind) or (isinstance(value, bool) and whole) or not value >= low:
        what = f"{'whole ' if whole else ''}number >= {low}"
        raise ParameterError(f"{parameter} must be a {what}, got {value!r}", parameter)


def check_finite(parameter: str, value: Any, low: float = -math.inf, strict: bool = False) -> None:
    """Refuse what is not a finite number of at least ``low``, or above it where that is ``strict``."""
    if not is_finite(value) or value < low or (strict and value == low):
        bound = "" if low == -math.inf else f" {'>' if strict else '>='} {low:g}"
        raise ParameterError(f"{parameter} must be a finite number{bound}, got {value!r}", parameter)


def is_finite(value: Any) -> bool:
    """Whether it is a number, and finite."""
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond any float
        return False


def check_constant(value: Any) -> None:
    """Refuse a constant feature whose square is not a number of any type of weights, or lost beside other numbers."""
    if not is_finite(value) or not 1e-9 <= value <= 1e9:
        problem = f"intercept_scaling must be a number between 1e-9 and 1e9, got {value!r}"
        raise ParameterError(problem, "intercept_scaling")


def check_jobs(value: Any) -> None:
    """Refuse what is no number of jobs as scikit-learn counts them."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value == 0:
        raise ParameterError(f"n_jobs must be None or a whole number other than 0, got {value!r}", "n_jobs")


def check_share(parameter: str, value: Any) -> None:
    """Refuse what does not lie between 0 and 1."""
    if not (isinstance(value, numbers.Real) and 0 < float(value) < 1):
        raise ParameterError(f"{parameter} must lie between 0 and 1, got {value!r}", parameter)


def check_flag(parameter: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if isinstance(value, bool):
        return
    import numpy as np  # rules are named without it

    if not isinstance(value, np.bool_):
        raise ParameterError(f"{parameter} must be True or False, got {value!r}", parameter)
