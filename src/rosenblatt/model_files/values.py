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
from numpy.typing import NDArray

from .. import schema
from ..core import rules

#: Types of the numbers of an array.
_NUMBERS = (
    "bool",
    "float16",
    "float32",
    "float64",
    *(f"{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)),
)
#: Lists within lists, at most.
_DEEPEST = 64


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
    if rules.is_rule(value):
        return {"$rule": rules.stored_name(value), **encode(value.parameters, what)}
    return _encode_generator(value, what)


def _encode_generator(value: Any, what: str) -> Any:
    state: Any = {"bit_generator": None}
    if isinstance(value, np.random.Generator):
        tag, state = "$generator", value.bit_generator.state
    elif isinstance(value, np.random.RandomState):
        tag, state = "$random_state", value.get_state(legacy=False)
    if state["bit_generator"] in _STATES:
        return {tag: state["bit_generator"], "state": encode(state, what)}
    shown = " ".join(repr(value).split())[:100]
    if callable(value):
        raise TypeError(f"a model file holds no code, and {what} is a function: {shown}; use one that has a name")
    raise TypeError(f"a model file holds plain values, and {what} is not: {shown}")


def decode(value: Any, depth: int = 0) -> Any:
    """The value that ``encode`` wrote; refuses, by ValueError, what it never writes."""
    if depth > _DEEPEST:
        raise ValueError("its values are nested too deeply")
    if isinstance(value, list):
        return [decode(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "")
    if not tag.startswith("$"):
        return {key: decode(item, depth + 1) for key, item in value.items()}
    first = decode(value[tag], depth + 1)
    rest = {key: decode(item, depth + 1) for key, item in value.items() if key != tag}
    if tag in _WITH_REST:
        return _WITH_REST[tag](first, rest)
    if tag not in _ALONE:
        raise ValueError(f"{schema.cut(tag)} is no kind of value")
    schema.record()(rest, tag)
    return _ALONE[tag](first)


def _float(text: Any) -> float:
    schema.choice("inf", "-inf", "nan")(text, "$float")
    return float(text)


def _bytes(text: Any) -> bytes:
    schema.text(text, "$bytes")
    return bytes(text.encode("latin-1"))


def _tuple(items: Any) -> tuple[Any, ...]:
    schema.listed()(items, "$tuple")
    return tuple(items)


def _dict(items: Any) -> dict[Any, Any]:
    schema.listed(schema.listed())(items, "$dict")
    try:
        return dict(items)
    except TypeError:  # that is no pair, or whose key cannot be hashed
        raise ValueError(f"$dict must be pairs of a key and a value, not {schema.cut(items)}") from None


def _array(name: Any, rest: dict[str, Any]) -> NDArray[Any]:
    schema.choice(*_NUMBERS)(name, "$array")
    schema.record(values=schema.listed(_number))(rest, "$array")
    made = np.array(rest["values"], name)
    if [repr(value) for value in made.tolist()] != [repr(value) for value in rest["values"]]:
        raise ValueError(f"$array holds numbers that are not of the type {name}")
    return made


def _number(value: Any, place: str) -> None:
    if type(value) not in (bool, int, float):
        raise ValueError(f"{place} must be a number, not {schema.cut(value)}")


def _rule(name: Any, rest: dict[str, Any]) -> rules.Rule:
    schema.choice(*rules.BY_NAME)(name, "$rule")
    kind = rules.BY_NAME[name]
    schema.record(**{field.name: schema.anything for field in fields(kind)})(rest, f"$rule {name}")
    return kind(**rest)


def _generator(name: Any, rest: dict[str, Any], *more: str) -> np.random.Generator:
    """A generator of this state, which is checked first: NumPy would read at any position that it names."""
    schema.choice(*_STATES)(name, "$generator")
    schema.record(state=schema.named())(rest, "$generator")
    state = {key: value for key, value in rest["state"].items() if key not in more}
    schema.record(bit_generator=schema.choice(name), **_STATES[name])(state, "$generator.state")
    bits = getattr(np.random, name)(0)
    bits.state = state
    return np.random.Generator(bits)


def _random_state(name: Any, rest: dict[str, Any]) -> np.random.RandomState:
    generator = np.random.RandomState(_generator(name, rest, *_LEFT_OVER).bit_generator)
    own = {key: value for key, value in rest["state"].items() if key in _LEFT_OVER}
    schema.record(**_LEFT_OVER)(own, "$random_state.state")
    generator.set_state(rest["state"])
    return generator


def _of(dtype: str, n: int) -> schema.Check:
    """An array of n numbers of this type."""

    def check(value: Any, place: str) -> None:
        if not (isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == (n,)):
            raise ValueError(f"{place} must be an array of {n} numbers of the type {dtype}, not {schema.cut(value)}")

    return check


_SPARE = {"has_uint32": schema.whole(0, 1), "uinteger": schema.whole(0, 2**32 - 1)}
_COUNTER = schema.record(state=schema.whole(0, 2**128 - 1), inc=schema.whole(0, 2**128 - 1))
#: What the states of NumPy's generators are, by the names of these,
_STATES: dict[str, dict[str, schema.Check]] = {
    "PCG64": {"state": _COUNTER, **_SPARE},
    "PCG64DXSM": {"state": _COUNTER, **_SPARE},
    "MT19937": {"state": schema.record(key=_of("uint32", 624), pos=schema.whole(0, 624))},
    "Philox": {
        "state": schema.record(counter=_of("uint64", 4), key=_of("uint64", 2)),
        "buffer": _of("uint64", 4),
        "buffer_pos": schema.whole(0, 4),
        **_SPARE,
    },
    "SFC64": {"state": schema.record(state=_of("uint64", 4)), **_SPARE},
}
#: and what a RandomState has besides: the half of a pair of normal numbers that is left over.
_LEFT_OVER: dict[str, schema.Check] = {"has_gauss": schema.whole(0, 1), "gauss": schema.real()}

#: What decodes each tag: of its value alone, or of that and the other entries.
_ALONE: dict[str, Callable[[Any], Any]] = {"$float": _float, "$bytes": _bytes, "$tuple": _tuple, "$dict": _dict}
_WITH_REST: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "$array": _array,
    "$rule": _rule,
    "$generator": _generator,
    "$random_state": _random_state,
}
