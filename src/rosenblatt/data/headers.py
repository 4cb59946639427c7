"""Whether the first row of a table of text has the names of its columns: by its values against those below."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from .profiles import are_long, is_date, is_missing, kind_of_strings, mostly_numbers, profile_strings

#: Names that a label column has, in order of preference.
LABEL_NAMES = ("label", "labels", "target", "y", "class", "sentiment", "outcome")

#: What a value says: names surely, names perhaps, nothing, a row perhaps, a row surely.
_NAME, _PERHAPS_NAME, _NOTHING, _PERHAPS_VALUE, _VALUE = 2, 1, 0, -1, -2

_LONGEST_NAME = 80


class Guess(NamedTuple):
    """Whether the first row has names, and whether that is beyond doubt."""

    is_header: bool
    is_sure: bool


def guess_header(first: Sequence[str], below: Sequence[Sequence[str]]) -> Guess:
    """Guess from each value of the first row and the values below it.

    A word above numbers or dates is a name, and so is the usual name of labels; a value that occurs again below is
    none, nor is a fraction above numbers. Whole numbers above numbers are names if they count up (four or more of
    them), perhaps if all lie outside what is below them. Where values contradict each other, or say nothing, the guess
    is in doubt.
    """
    columns = list(zip(*(row for row in below if len(row) == len(first))))
    if not columns:
        return Guess(_looks_like_names(first), False)
    votes = [_vote(value.strip(), column) for value, column in zip(first, columns)]
    votes += [_vote_of_whole_numbers(first, columns)]
    if not first[0].strip() and profile_strings(columns[0]).is_index:  # as pandas writes it
        votes.append(_NAME)
    names, values = votes.count(_NAME), votes.count(_VALUE)
    if names or values:
        contradicted = bool(names and values) or (bool(names) and _PERHAPS_VALUE in votes)
        return Guess(names > values, not contradicted)
    if sum(votes):
        return Guess(sum(votes) > 0, sum(votes) not in (0, 1))
    return Guess(_looks_like_names(first), False)


def _vote(value: str, below: Sequence[str]) -> int:
    there = [other for other in below if not is_missing(other)]
    if not there or is_missing(value):
        return _NOTHING
    kind = kind_of_strings(there)
    if kind == "string" and mostly_numbers(there) is not None:
        kind = "number"
    if kind in ("integer", "number"):
        own = kind_of_strings([value])
        return {"integer": _NOTHING, "number": _VALUE}.get(own, _NAME)
    if kind == "date":
        return _VALUE if is_date(value) else _NAME
    if any(other.strip() == value for other in there):
        return _VALUE
    if value.lower() in LABEL_NAMES:
        return _NAME
    words = len(value.split())
    if are_long(below) or (seen := profile_strings(below)).is_text:
        return _VALUE if words > 5 or len(value) > _LONGEST_NAME else _PERHAPS_NAME if words <= 2 else _NOTHING
    return _PERHAPS_NAME if seen.n > 3 and 2 * seen.distinct <= seen.n else _NOTHING


def _vote_of_whole_numbers(first: Sequence[str], columns: Sequence[Sequence[str]]) -> int:
    """What the whole numbers among the first values say together, where numbers are below them."""
    numbers, inside = [], False
    for value, column in zip(first, columns):
        there = [other for other in column if not is_missing(other)]
        if kind_of_strings([value]) == "integer" and kind_of_strings(there) in ("integer", "number"):
            below = [float(other) for other in there]
            numbers.append(int(value))
            inside |= min(below) <= int(value) <= max(below)
    if not numbers:
        return _NOTHING
    counting = len(numbers) > 3 and all(b - a == 1 for a, b in itertools.pairwise(numbers))
    if counting and (numbers[0] in (0, 1) or not inside):
        return _NAME
    return _PERHAPS_NAME if not inside and len(numbers) > 1 and len(columns[0]) > 4 else _PERHAPS_VALUE


def _looks_like_names(row: Sequence[str]) -> bool:
    """Whether a row alone can be names: no numbers, nothing empty or long, nothing twice."""
    usual = all(value.strip() and len(value) <= _LONGEST_NAME for value in row)
    return usual and len(set(row)) == len(row) and all(kind_of_strings([value]) == "string" for value in row)
