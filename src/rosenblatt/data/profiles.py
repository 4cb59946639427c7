"""What the values of a column look like in the first rows: which kind they are, and whether they name their row."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..text.defaults import count_without_spaces

#: Longer strings than this on average, or more words, are text.
TEXT_LENGTH, TEXT_WORDS = 40, 3.0

#: From fewer rows than this nothing is concluded from values that differ.
FEW_ROWS = 20

#: What stands for a number that is not there. In a column of words they are words, all but the empty one.
MISSING = (
    "", "NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NaN", "nan", "-nan", "-NaN", "null", "NULL", "Null", "None", "none",
    "?", "-",
)  # fmt: skip
_MISSING = frozenset(MISSING)

#: 007 is a name, and no number.
NUMBERED = re.compile(r"\s*[-+]?0[0-9]")
_WITH_COMMAS = re.compile(r"\s*[-+]?[0-9.]*[0-9](,[0-9]+)*([.,][0-9]+)?\s*")
_DATE = re.compile(
    r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[-+]\d{2}:?\d{2})?)?\s*"
)


class Mostly(NamedTuple):
    """What a column holds that is not all numbers, but mostly."""

    numbers: Profile  # of these alone
    n: int  # values that are not missing
    odd: str  # the first one that is no number,
    place: int  # and its line or row
    once: bool  # each of these occurs once


class Profile(NamedTuple):
    """What a sample of a column looks like."""

    kind: str  # "integer", "number", "boolean", "string", "dictionary", "date", "index" or the name of another type
    n: int  # values that are not missing
    distinct: int
    length: float  # mean characters
    words: float  # mean words
    counts: bool = False  # whole numbers, each of them one more than the one before
    mostly: Mostly | None = None  # None: none or all are numbers, or too few to tell the others from words
    commas: bool = False  # strings that are all numbers, if a comma may stand in them

    @property
    def is_text(self) -> bool:
        return self.length > TEXT_LENGTH or self.words > TEXT_WORDS

    @property
    def repeats(self) -> bool:
        return self.n < FEW_ROWS or 2 * self.distinct <= self.n

    @property
    def is_index(self) -> bool:
        """Whether it can be the numbers of rows, if it has no name."""
        return self.kind == "integer" and self.distinct == self.n


def is_missing(value: Any) -> bool:
    """Whether a value of a column of numbers is not there."""
    return value is None or (isinstance(value, str) and value.strip() in _MISSING)


def is_date(value: str) -> bool:
    """Whether a text is a date, with or without a time."""
    return _DATE.fullmatch(value) is not None


def profile_strings(values: Sequence[str], places: Sequence[int] = ()) -> Profile:
    """A column of text as CSV gives it: numbers where all that is there are numbers.

    ``places`` are the lines of the values; none: they are counted from 1.
    """
    there = [value for value in values if not is_missing(value)]
    kind = kind_of_strings(there)
    if kind != "string":
        return _profile(kind, there)
    seen = _profile(kind, [value for value in values if value.strip()])
    return seen._replace(mostly=mostly_numbers(values, places), commas=_have_commas(there))


def are_long(values: Sequence[str]) -> bool:
    """Whether strings are text by their length alone: to count their words takes longer."""
    there = [value for value in values if value.strip()]
    return sum(map(len, there)) > TEXT_LENGTH * len(there)


def mostly_numbers(values: Sequence[str], places: Sequence[int] = ()) -> Mostly | None:
    """What is said of strings that are mostly numbers, none of them a name such as 007."""
    found = _mostly(values, places, is_number, profile_strings)
    are_names = found is not None and any(NUMBERED.match(value) and is_number(value) for value in values)
    return None if are_names else found


def profile_values(values: Sequence[Any], places: Sequence[int] = ()) -> Profile:
    """A column of Python values as JSON gives them; ``places`` as in `profile_strings`."""
    there = [value for value in values if not is_missing(value)]
    kinds = {type(value) for value in there}
    if kinds == {bool}:
        kind = "boolean"
    elif kinds == {int}:
        kind = "integer"
    elif kinds and kinds <= {int, float, bool}:
        kind = "number"
    elif kinds <= {int, float, bool, str}:
        there = [value for value in values if value is not None]
        dates = kinds == {str} and all(map(is_date, there))
        kind = "date" if dates else "string"
    else:
        kind = "object or list"
    seen = _profile(kind, [value for value in map(str, there) if value.strip()])
    if kind not in ("string", "object or list"):
        return seen
    return seen._replace(mostly=_mostly(values, places, lambda value: type(value) in (int, float), profile_values))


def _mostly(
    values: Sequence[Any], places: Sequence[int], is_one: Callable[[Any], bool], profile: Callable[[list[Any]], Profile]
) -> Mostly | None:
    """What is said of 20 values or more that are numbers, but for one in ten at most."""
    there = [i for i, value in enumerate(values) if not is_missing(value)]
    odd: list[int] = []
    for i in there if len(there) >= FEW_ROWS else ():
        if not is_one(values[i]):
            odd.append(i)
            if 10 * len(odd) > len(there):
                return None
    if not odd:
        return None
    first, gone = odd[0], set(odd)
    once = len({str(values[i]).strip() for i in odd}) == len(odd)
    numbers = profile([values[i] for i in there if i not in gone])
    return Mostly(numbers, len(there), str(values[first]), places[first] if places else first + 1, once)


def _profile(kind: str, there: Sequence[str]) -> Profile:
    n = len(there)
    length = sum(map(len, there)) / max(n, 1)
    words = sum(map(words_of, there)) / max(n, 1)
    counts = kind == "integer" and all(int(b) - int(a) == 1 for a, b in itertools.pairwise(there))
    return Profile(kind, n, len(set(there)), length, words, counts)


def words_of(value: str) -> int:
    """How many words a string has; in scripts that put no spaces between them two characters are taken for one."""
    return max(len(value.split()), 0 if value.isascii() else count_without_spaces(value) // 2)


def _have_commas(there: Sequence[str]) -> bool:
    """Whether values are numbers, some of them such as 1,5 or 1,234.50 or 1.234,50."""
    return any("," in value for value in there) and all(map(_WITH_COMMAS.fullmatch, there))


def is_number(value: str) -> bool:
    """Whether a text is a number; Python alone reads 1_000 as one."""
    try:
        float(value)
    except ValueError:
        return False
    return "_" not in value


def kind_of_strings(there: Sequence[str]) -> str:
    """What all of these are: "integer", "number", "date" or "string"."""
    if not there or any("_" in value or NUMBERED.match(value) for value in there):
        return "date" if there and all(map(is_date, there)) else "string"
    for kind, parse in (("integer", int), ("number", float)):
        with contextlib.suppress(ValueError):
            for value in there:
                parse(value)
            return kind
    return "date" if all(map(is_date, there)) else "string"
