"""Plain values as JSON, and back as they were. No code is ever stored, and none is run to read them.

What JSON has is written as it is. The rest is an object with one key that begins with ``$``:

=================================================  ==========================================
``{"$float": "inf"}``                              infinity, or NaN
``{"$tuple": [...]}``, ``{"$dict": [[key, …]]}``   a tuple; a dict whose keys are not all text
``{"$bytes": "…"}``                                bytes, one character each
``{"$rule": "PA1", "C": 0.1}``                     a rule and its parameters
``{"$array": "uint32", "values": [...]}``          a small array
``{"$generator": "PCG64", "state": {...}}``        a NumPy generator and where it stands; ``$random_state`` likewise
=================================================  ==========================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from .. import rules

_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
_RULES = {kind.__name__: kind for kind in rules.ALL}


def encode(value: Any, what: str) -> Any:
    """A value as JSON has it; ``what`` says in the message what cannot be stored."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return float(value) if math.isfinite(value) else {"$float": repr(float(value))}
    if isinstance(value, bytes):
        return {"$bytes": value.decode("latin-1")}
    if isinstance(value, (list, tuple)):
        items = [encode(item, f"{what}[{i}]") for i, item in enumerate(value)]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, dict):
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: encode(item, f"{what}[{key!r}]") for key, item in value.items()}
        return {"$dict": [[encode(key, what), encode(item, f"{what}[{key!r}]")] for key, item in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim == 1:
        return {"$array": value.dtype.name, "values": encode(value.tolist(), what)}
    if isinstance(value, rules.ALL):
        own = {field.name: encode(getattr(value, field.name), what) for field in fields(value)}
        return {"$rule": type(value).__name__, **own}
    return _encode_generator(value, what)


def _encode_generator(value: Any, what: str) -> Any:
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        drawn = isinstance(value, np.random.Generator)
        state = value.bit_generator.state if isinstance(value, np.random.Generator) else value.get_state(legacy=False)
        name = state["bit_generator"]
        if name in _BIT_GENERATORS:
            return {"$generator" if drawn else "$random_state": name, "state": encode(state, what)}
    shown = " ".join(repr(value).split())[:100]
    if callable(value):
        raise TypeError(f"a model file holds no code, and {what} is a function: {shown}; use one that has a name")
    raise TypeError(f"a model file holds plain values, and {what} is not: {shown}")


def decode(value: Any) -> Any:
    """The value that ``encode`` was given."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "")
    if not tag.startswith("$"):
        return {key: decode(item) for key, item in value.items()}
    return _DECODERS[tag](value[tag], {key: decode(item) for key, item in value.items() if key != tag})


def _generator(name: str, rest: dict[str, Any]) -> np.random.Generator:
    if name not in _BIT_GENERATORS:
        raise ValueError(f"{name!r} is no bit generator")
    bits = getattr(np.random, name)(0)
    bits.state = rest["state"]
    return np.random.Generator(bits)


def _random_state(name: str, rest: dict[str, Any]) -> np.random.RandomState:
    found = np.random.RandomState(_generator(name, rest).bit_generator)
    found.set_state(rest["state"])
    return found


_DECODERS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "$float": lambda text, _: float(text),
    "$bytes": lambda text, _: text.encode("latin-1"),
    "$tuple": lambda items, _: tuple(decode(items)),
    "$dict": lambda items, _: {decode(key): decode(item) for key, item in items},
    "$array": lambda name, rest: np.array(rest["values"], np.dtype(name)),
    "$rule": lambda name, rest: _RULES[name](**rest),
    "$generator": _generator,
    "$random_state": _random_state,
}
