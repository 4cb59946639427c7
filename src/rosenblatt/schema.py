"""Checks of the plain values of a file, before anything is made of them.

A check is called with a value and its place in the file, and raises a ValueError of one sentence where the value is not
what it must be. Checks are put together as the values are::

    SETTINGS = record(bits=whole(1, 30), norm=optional(choice("l2")), columns=listed(text))
    SETTINGS(values, "features.text")
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

Array = Any  # of NumPy, which takes its time to import
Check = Callable[[Any, str], None]

#: The largest count: from there on a float64 does not tell two neighbours apart.
MOST = 2**53
#: The most columns: their indices are 64-bit numbers, of which few need to be in use.
MOST_COLUMNS = 2**62


def anything(value: Any, place: str) -> None:
    """Any value."""


def flag(value: Any, place: str) -> None:
    """True or false."""
    _refuse_unless(type(value) is bool, value, place, "true or false")


def text(value: Any, place: str) -> None:
    """Text."""
    _refuse_unless(type(value) is str, value, place, "text")


def whole(low: int = 0, high: int | None = MOST) -> Check:
    """A whole number from ``low`` to ``high`` (None: without end)."""
    limits = f">= {low}" if high is None else f"from {low} to {high}"

    def check(value: Any, place: str) -> None:
        fits = type(value) is int and value >= low and (high is None or value <= high)
        _refuse_unless(fits, value, place, f"a whole number {limits}")

    return check


def real(low: float = -math.inf, *, finite: bool = True) -> Check:
    """A number of at least ``low``, never NaN."""
    kind = "a finite number" if finite else "a number"
    limit = "" if low == -math.inf else f" >= {low:g}"

    def check(value: Any, place: str) -> None:
        try:
            fits = type(value) in (int, float) and float(value) >= low and (not finite or math.isfinite(value))
        except OverflowError:  # a whole number beyond any float
            fits = False
        _refuse_unless(fits, value, place, kind + limit)

    return check


def number(value: Any, place: str) -> None:
    """A number that is shown and not computed with: infinite or NaN too."""
    _refuse_unless(type(value) in (int, float), value, place, "a number")


def choice(*allowed: Any) -> Check:
    """One of these values, of the same type."""

    def check(value: Any, place: str) -> None:
        fits = any(type(value) is type(one) and value == one for one in allowed)
        _refuse_unless(fits, value, place, "one of " + ", ".join(map(repr, allowed)))

    return check


def instance(*kinds: type) -> Check:
    """An object of one of these classes."""

    def check(value: Any, place: str) -> None:
        _refuse_unless(isinstance(value, kinds), value, place, "a " + " or ".join(kind.__name__ for kind in kinds))

    return check


def optional(inner: Check) -> Check:
    """None, or what the inner check asks for."""

    def check(value: Any, place: str) -> None:
        if value is not None:
            inner(value, place)

    return check


def either(**checks: Check) -> Check:
    """What one of the checks asks for; their names are the words of the message."""

    def check(value: Any, place: str) -> None:
        for inner in checks.values():
            try:
                return inner(value, place)
            except ValueError:
                continue
        raise ValueError(f"{place} must be {' or '.join(name.replace('_', ' ') for name in checks)}, not {cut(value)}")

    return check


def listed(inner: Check = anything) -> Check:
    """A list (or tuple) of such values."""

    def check(value: Any, place: str) -> None:
        _refuse_unless(type(value) in (list, tuple), value, place, "a list")
        for i, one in enumerate(value if inner is not anything else ()):
            inner(one, f"{place}[{i}]")

    return check


def named(inner: Check = anything) -> Check:
    """A dict from text to such values."""

    def check(value: Any, place: str) -> None:
        _refuse_unless(type(value) is dict and all(type(name) is str for name in value), value, place, "values by name")
        for name, one in value.items() if inner is not anything else ():
            inner(one, f"{place}.{cut(name)}")

    return check


_NAMED = named()


def record(_missing: tuple[str, ...] = (), /, **fields: Check) -> Check:
    """A dict with these entries and no others; ``_missing`` names those that need not be there."""

    def check(value: Any, place: str) -> None:
        _NAMED(value, place)
        lacking = [name for name in fields if name not in value and name not in _missing]
        unknown = [name for name in value if name not in fields]
        if lacking or unknown:
            raise ValueError(f"{place} {'lacks' if lacking else 'has no entry'} {cut((lacking or unknown)[0])}")
        for name, one in value.items():
            fields[name](one, f"{place}.{name}")

    return check


def json_value(value: Any, place: str) -> None:
    """What JSON has: no bytes, generators or arrays."""
    if type(value) in (list, tuple):
        listed(json_value)(value, place)
    elif type(value) is dict:
        named(json_value)(value, place)
    else:
        _refuse_unless(value is None or type(value) in (bool, int, float, str), value, place, "a value that JSON has")


def array(
    arrays: Mapping[str, Array], name: str, dtype: Any, shape: tuple[int | None, ...], *, finite: bool = True
) -> Array:
    """The array of this name, which must have this type and shape (None: of any length), and finite numbers."""
    if name not in arrays:
        raise ValueError(f"the tensor {cut(name)} is missing")
    stored = arrays[name]
    fits = len(stored.shape) == len(shape) and all(b is None or a == b for a, b in zip(stored.shape, shape))
    if not fits or stored.dtype != dtype:
        raise ValueError(f"{name} does not fit the rest: it is {stored.dtype} of shape {cut(list(stored.shape))}")
    import numpy as np

    if finite and stored.dtype.kind == "f" and not np.isfinite(stored).all():
        raise ValueError(f"{name} does not fit the rest: it holds NaN or infinity")
    return stored


def numbers(arrays: Mapping[str, Array], name: str, dtype: Any, n: int | None, below: int) -> Array:
    """Whole numbers from 0 to less than ``below``, n of them (None: any)."""
    stored = array(arrays, name, dtype, (n,))
    if len(stored) and not 0 <= int(stored.min()) <= int(stored.max()) < below:
        raise ValueError(f"{name} does not fit the rest: its numbers must lie from 0 to {below - 1}")
    return stored


def require(holds: bool, what: str) -> None:
    """Refuse what does not fit the rest of a file."""
    if not holds:
        raise ValueError(f"{what} does not fit the rest")


def cut(value: Any) -> str:
    """A value as a message shows it: in one line, and not all of it."""
    return " ".join(_short.repr(value).split())


_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60
_short.maxlong = 40


def _refuse_unless(fits: bool, value: Any, place: str, kind: str) -> None:
    if not fits:
        raise ValueError(f"{place} must be {kind}, not {cut(value)}")
