"""Numbers, vectors and roots as a person would write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..core.exact import Decimals

Number = Any  # int, Fraction or float

#: Whole numbers, fractions and roots that take more places than this are shown as decimals; they are kept exact.
LONG_WHOLE, LONG_FRACTION, LONG_ROOT = 15, 9, 12
#: More features than this are shown by name, those that are not 0.
FEW = 8
#: So many entries of a vector, in about so many places, are shown by name.
MOST, ROOM = 6, 48
#: Names that take more places than this in all are shown with each number instead of in the heading.
SHORT = 28
#: A longer name is cut.
LONG_NAME = 24
#: Roots of larger numbers are not searched for square factors.
LARGE = 10**9


def number(value: Number) -> str:
    """A number with a true minus sign: exact ones as they are unless they are long, floats to five digits."""
    if isinstance(value, float):
        digits = f"{value + 0.0:.5g}"
    else:
        digits = "≈" + decimal(value) if _long(value) else str(value)
    return digits.replace("-", "−")


def above(value: float) -> str:
    """A float rounded up to five digits, so that an upper bound stays one."""
    return _rounded(value, ROUND_CEILING)


def below(value: float) -> str:
    """The same for a lower bound."""
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: float, way: str) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return number(float(Context(prec=5, rounding=way).create_decimal_from_float(value)))


def decimal(value: Number, digits: int = 5) -> str:
    """An exact number of any length to so many digits."""
    near = nearest(value)
    if near and math.isfinite(near):
        return f"{near:.{digits}g}"
    exact = Fraction(value)
    wide = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    quotient = wide.divide(wide.create_decimal(exact.numerator), Decimal(exact.denominator))
    return f"{quotient.normalize(wide):g}"


def nearest(value: Number) -> float:
    """The float nearest to a number; infinity beyond them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def square_root(value: Number) -> float:
    """√ as a float, of exact numbers too that are no floats themselves."""
    near = nearest(value)
    if (near and math.isfinite(near)) or not value:
        return math.sqrt(near)
    shift = (Fraction(value).numerator.bit_length() - Fraction(value).denominator.bit_length()) // 2
    try:
        return math.ldexp(math.sqrt(value / Fraction(4) ** shift), shift)
    except OverflowError:
        return math.inf


def _long(value: Number) -> bool:
    bits = Fraction(value).numerator.bit_length() + Fraction(value).denominator.bit_length()
    places = LONG_FRACTION if isinstance(value, Fraction) and value.denominator > 1 else LONG_WHOLE
    return bits > 4 * LONG_WHOLE or len(str(value)) > places


def is_number(value: Any) -> bool:
    """Whether a label is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def label(value: Any) -> str:
    """A label as the user gave it."""
    return number(value) if is_number(value) else str(value)


def column(name: str) -> str:
    """The name of a column; one that could be taken for a number in quotes."""
    return f'"{name}"' if name and not set(name) - set("0123456789+-.,eE") else name


def root(square: Number) -> str:
    """√ of an exact number with no square left below it, 3√2 or 1/(4√5); of a float, its value."""
    if square < 0:
        return f"√({number(square)})"
    if isinstance(square, float):
        return number(math.sqrt(square))
    (a, m), (b, n) = map(_square_part, (Fraction(square).numerator, Fraction(square).denominator))
    decimals = isinstance(square, Decimals)
    if m == n == 1:
        return number((Decimals if decimals else Fraction)(a, b))
    if max(a, m, b, n) < LARGE and not decimals:
        if m == 1:
            text = f"{a}/√{n}" if b == 1 else f"{a}/({b}√{n})"
        else:
            text = f"{a}√{m}/{b}" if n == 1 else f"{a}√({m}/{n})/{b}"
            text = text[1:] if a == 1 else text
        text = text.removesuffix("/1")
        if len(text) <= LONG_ROOT:
            return text
    return f"≈{square_root(square):.5g}"


@lru_cache(maxsize=4096)
def _square_part(n: int) -> tuple[int, int]:
    """(a, m) with a²·m = n; no square divides m, unless n is large."""
    a, m, single, d = 1, n, 1, 2
    while d**3 <= m < LARGE:  # what is left in the end is p, p² or p·q
        while m % (d * d) == 0:
            a, m = a * d, m // (d * d)
        if m % d == 0:
            m, single = m // d, single * d
        d += 1
    side = math.isqrt(m)
    return (a * side, single) if side * side == m else (a, m * single)


def about_root(square: Number) -> str:
    """√ of a number with its value."""
    return _beside(root(square), number(square_root(square)))


def about(value: Number) -> str:
    """A number; a fraction that is not whole with its value."""
    return _beside(number(value), number(nearest(value)))


def _beside(exact: str, short: str) -> str:
    """An exact number and its value, or either alone where that is all there is to say."""
    return exact if "≈" in exact or exact == short or exact.isdigit() else f"{exact} ≈ {short}"


def compare(value: Number, sign: str, bound: Number, write: Callable[[Number], str] = number) -> tuple[str, str, str]:
    """Two numbers and ≥ or ≤ between them; where rounding makes them look alike, the sign says what they are."""
    left, right = ("" if v is None else write(v) for v in (value, bound))
    if left == right and "≈" in left:
        sign = "=" if value == bound else {"≥": ">", "≤": "<"}[sign]
    return left, sign, right


def compared(value: Number, sign: str, bound: Number) -> str:
    """19 ≥ 13."""
    return " ".join(compare(value, sign, bound))


def fixed(value: float) -> str:
    """Three decimals, of a cosine."""
    return f"{value:.3f}".replace("-", "−")


def vector(values: Sequence[Number], names: Sequence[str] | None = None, widths: Sequence[int] | None = None) -> str:
    """(1, 3), each number in as many places as ``widths`` says; or {good: 1}, where there are names to go with them."""
    if names is not None:
        return named(values, names)
    cells = [number(v) for v in values]
    if widths is not None:
        cells = [text.rjust(width) for text, width in zip(cells, widths)]
    return "(" + ", ".join(cells) + ")"


def named(
    values: Sequence[Number], names: Sequence[str], first: Callable[[int], Any] | None = None, room: int = ROOM
) -> str:
    """{good: 1, bad: −1}, the entries that are not 0; if they are too many, those come first that ``first`` says."""
    there = [j for j, v in enumerate(values) if v]
    entries = _fitting(there, values, names, room)
    if len(entries) < len(there):
        if first is not None:
            there.sort(key=lambda j: not first(j))
            entries = _fitting(there, values, names, room)
        entries.append(f"… {len(there) - len(entries)} more")
    return "{" + ", ".join(entries) + "}" if entries else "0"


def _fitting(which: Sequence[int], values: Sequence[Number], names: Sequence[str], room: int) -> list[str]:
    """As many of these entries as there is room for, one at least."""
    entries: list[str] = []
    for j in which[:MOST]:
        entry = f"{cut(names[j])}: {number(values[j])}"
        if entries and len(entry) > room:
            break
        entries.append(entry)
        room -= len(entry) + 2
    return entries


def cut(name: str) -> str:
    """A name, or the beginning of a long one."""
    return name if len(name) <= LONG_NAME else name[: LONG_NAME - 1] + "…"


def widths(vectors: Sequence[Sequence[Number]]) -> list[int]:
    """How many places the numbers of each column take."""
    return [max(len(number(v)) for v in column) for column in zip(*vectors)]


def several(count: int, noun: str) -> str:
    """1 update, 1,000 updates, 2 passes."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count:,} {noun if count == 1 else plural}"
