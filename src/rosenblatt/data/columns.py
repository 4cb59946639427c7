"""Which column of a table is the label and what the others are: as said, or guessed, with the reason for each guess."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from ..errors import DataError, keyword
from .bad_rows import quoted
from .headers import LABEL_NAMES
from .profiles import FEW_ROWS, Mostly, Profile

_MOST_CLASSES = 50
#: Most columns of a kind that are listed for people.
_MOST_SHOWN = 12

#: What columns are called that name their row.
_KEY = re.compile(r"(.*[_ .-])?(id|key|uuid|guid|index|rowid|rownum)|.*[a-z](ID|Id)|__index_level_\d+__", re.DOTALL)


@dataclass(frozen=True)
class Columns:
    """The columns of a table and what they are.

    Parameters
    ----------
    label : str, None or False, default=None
        The column of the labels. None: guessed. False: there is none.
    text, numeric, categorical : sequences of str or None, default=None
        Columns of each kind. If none of the three is given, all columns are guessed; else only those given are used.
    weight : str or None, default=None
        A column of importance weights.
    label_type : "integer", "number", "boolean", "text" or None, default=None
        What labels are read as. None: guessed from the first rows.
    dates : sequence of str or None, default=None
        Numeric columns of dates, read as days since 1970. None: those that are dates in the first rows.
    drop : sequence of str, default=()
        Columns to leave out.

    Attributes
    ----------
    ignored : tuple of str
        Columns of the file that are not used.
    why : dict of str
        The reason for each guess, by column.
    notes : tuple of (str, str, any)
        Guesses about the file that are in doubt: a sentence, and the parameter and value that stand for ``{}`` in it.
    """

    label: str | Literal[False] | None = None
    text: Sequence[str] | None = None
    numeric: Sequence[str] | None = None
    categorical: Sequence[str] | None = None
    weight: str | None = None
    label_type: str | None = None
    dates: Sequence[str] | None = None
    drop: Sequence[str] = field(default=(), compare=False)
    ignored: tuple[str, ...] = field(default=(), compare=False)
    why: Mapping[str, str] = field(default_factory=dict, compare=False)
    notes: tuple[tuple[str, str, Any], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for kind in ("text", "numeric", "categorical", "dates", "drop"):
            names = getattr(self, kind)
            if names is not None:
                object.__setattr__(self, kind, (names,) if isinstance(names, str) else tuple(names))
        if self.label_type not in (None, "integer", "number", "boolean", "text"):
            raise ValueError(f"label_type must be 'integer', 'number', 'boolean' or 'text', got {self.label_type!r}")
        named = [*self.used, *self.drop]
        for name in named:
            if not isinstance(name, str):
                raise TypeError(f"a column is named by a string, got {name!r}")
        twice = repeated(named)
        if twice is not None:
            raise ValueError(f"column {twice!r} is named twice; a column is one thing")

    @property
    def used(self) -> list[str]:
        """Every column that is read."""
        features = [*(self.text or ()), *(self.numeric or ()), *(self.categorical or ())]
        return [name for name in (self.label, self.weight) if name] + features

    @property
    def features(self) -> list[str]:
        """The columns that become features, in the order numeric, categorical, text."""
        return [*(self.numeric or ()), *(self.categorical or ()), *(self.text or ())]

    def without_label(self) -> Columns:
        """The columns that prediction needs: a file to predict on may have no labels."""
        return replace(self, label=False, label_type=None, weight=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a model file."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.compare}
        if not plain["dates"]:
            del plain["dates"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Columns:
        """What ``to_dict`` gave."""
        return cls(**{"dates": (), **plain})

    def __str__(self) -> str:
        return self.worded()

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        """What each column is and why, a line each; ``setting`` as in `DataError.worded`."""
        lines = []
        for role in ("label", "weight", "text", "numeric", "categorical", "ignored"):
            value = getattr(self, role)
            names = [value] if isinstance(value, str) else list(value or ())
            for name in first_columns(names):
                reason = self.why.get(name)
                lines.append(f"{role}: {name}" + (f" ({reason})" if reason else ""))
        lines += [note.replace("{}", setting(parameter, value)) for note, parameter, value in self.notes]
        return "\n".join(lines)


def first_columns(names: Sequence[str]) -> list[str]:
    """The names of the first columns, and how many more there are."""
    more = len(names) - _MOST_SHOWN
    return [*names[:_MOST_SHOWN], *([f"… and {more} more"] if more > 0 else [])]


def columns_of(columns: Columns | Mapping[str, Any] | None) -> Columns:
    """What the user said about columns, as `Columns`."""
    if columns is None or isinstance(columns, Columns):
        return columns or Columns()
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns must be a dict such as {{'label': 'sentiment', 'text': ['review']}}, got {columns!r}")
    known = [f.name for f in fields(Columns)]
    for name in columns:
        if name not in known:
            raise TypeError(f"columns has no setting {name!r}{nearest(name, known)}")
    return Columns(**columns)


def nearest(name: str, among: Iterable[str]) -> str:
    """“ (did you mean …?)” where a known name is similar."""
    import difflib

    among = list(among)
    lower = {other.lower(): other for other in among}
    close = difflib.get_close_matches(name.lower(), lower, 1, 0.6)
    return f" (did you mean {lower[close[0]]!r}?)" if close else ""


def repeated(names: Iterable[str]) -> str | None:
    """The first name, in the order of the alphabet, that occurs more than once."""
    return min((name for name, n in Counter(names).items() if n > 1), default=None)


def check_names(wanted: Iterable[str], there: Sequence[str], file: str | None, owner: str = "") -> None:
    """Refuse a file that lacks a column. ``owner`` says who wants it, if not the caller."""
    known = set(there)
    for name in wanted:
        if name not in known:
            shown = ", ".join(there[:12]) + (f", … ({len(there)} in all)" if len(there) > 12 else "")
            problem = f"{owner}there is no column {name!r}{nearest(name, there)}"
            raise DataError(problem, f"the columns are: {shown}", file=file)


def resolve(
    columns: Columns, profiles: Mapping[str, Profile], file: str, skip: bool = False, unit: str = "line"
) -> Columns:
    """Columns with every guess made.

    ``skip``: rows at fault are left out, so that a column that is mostly numbers is one of numbers; else it is refused.
    ``unit`` is what the places of values are: "line" or "row".
    """
    check_names([*columns.used, *columns.drop], list(profiles), file)
    why = dict.fromkeys(columns.drop, "dropped, as asked")
    profiles = {name: seen for name, seen in profiles.items() if name not in why}
    label = columns.label
    if label is None:
        taken = set(columns.used)
        label = _label({name: seen for name, seen in profiles.items() if name not in taken}, why)
    label_type = columns.label_type
    if label and label_type is None:
        kind, mostly = profiles[label].kind, profiles[label].mostly
        if mostly is not None and _are_numbers(mostly):
            if not skip:
                raise _doubtful_label(label, mostly).at(**{"file": file, unit: mostly.place})
            kind = mostly.numbers.kind
            share = f"{mostly.numbers.n} of {mostly.n} are numbers"
            why[label] = f"{why[label]}; {share}" if label in why else share
        elif profiles[label].commas:
            why[label] = f"{why[label]}; {_COMMAS}" if label in why else _COMMAS
        label_type = kind if kind in ("integer", "number", "boolean") else "text"
    kinds = ("text", "numeric", "categorical")
    if columns.text is None and columns.numeric is None and columns.categorical is None:
        free = {name: seen for name, seen in profiles.items() if name not in (label, columns.weight)}
        roles = {name: _kind(seen, name, why) for name, seen in free.items()}
        why |= {name: f"{why[name]}; {_COMMAS}" for name, seen in free.items() if seen.commas}
        for name, seen in free.items():
            if roles[name] != "categorical" and seen.mostly and _kind(seen.mostly.numbers, name, {}) == "numeric":
                if not skip:
                    raise _doubtful(name, seen.mostly).at(**{"file": file, unit: seen.mostly.place})
                roles[name] = "numeric"
                why[name] = f"guessed: {seen.mostly.numbers.n} of {seen.mostly.n} are numbers"
        chosen: dict[str, Any] = {kind: tuple(name for name in roles if roles[name] == kind) for kind in kinds}
    else:
        chosen = {kind: tuple(getattr(columns, kind) or ()) for kind in kinds}
    if columns.dates is None:
        chosen["dates"] = tuple(name for name in chosen["numeric"] if profiles[name].kind == "date")
    why |= dict.fromkeys(chosen.get("dates", ()), "dates, as days since 1970")
    result = replace(columns, label=label or False, label_type=label_type, why=why, **chosen)
    if not result.used:
        raise DataError("no column holds labels, text, numbers or categories", "name those to use", file=file)
    used = set(result.used)
    ignored = (*(name for name in profiles if name not in used), *columns.drop)
    return replace(result, ignored=ignored)


def _doubtful(name: str, seen: Mostly) -> DataError:
    """The error of a column that is either of numbers, some of them at fault, or of words."""
    return DataError(
        f"{seen.numbers.n} of the first {seen.n} values are numbers, and {quoted(seen.odd)} is not",
        "name the columns to use, this one with {} or {1}, or leave out the column with {2}, or such rows with {3}",
        name=name, parameter="columns", value={"numeric": [name]},
    ).at(others=(("columns", {"text": [name]}), ("columns", {"drop": [name]}), ("on_error", "skip")))  # fmt: skip


def _are_numbers(labels: Mostly) -> bool:
    """Whether labels that are mostly numbers are these, some of them at fault, and not names such as 1, 2 and 3a.

    They are if they measure, as fractions and numbers that hardly repeat do, or if each of the others occurs but once.
    """
    numbers = labels.numbers
    return numbers.kind == "number" or not numbers.repeats or labels.once


def _doubtful_label(name: str, seen: Mostly) -> DataError:
    """The error of labels that are either numbers, some of them at fault, or words."""
    return DataError(
        f"{seen.numbers.n} of the first {seen.n} labels are numbers, and {quoted(seen.odd)} is not",
        "if labels are words, say {}, or leave out such rows with {1}",
        name=name, parameter="columns", value={"label_type": "text"},
    ).at(others=(("on_error", "skip"),))  # fmt: skip


def _label(profiles: Mapping[str, Profile], why: dict[str, str]) -> str | None:
    by_name = {name.lower(): name for name in profiles}
    for known in LABEL_NAMES:
        if known in by_name:
            why[by_name[known]] = "guessed from its name"
            return by_name[known]
    names = list(profiles)
    for place, name in (("last", names[-1]), ("first", names[0])) if len(names) > 1 else ():
        seen = profiles[name]
        few = seen.distinct <= _MOST_CLASSES and seen.repeats and not seen.is_text
        if few and seen.n and seen.kind in ("integer", "boolean", "string", "dictionary"):
            values = "the same value" if seen.distinct == 1 else f"{seen.distinct} different values"
            why[name] = f"guessed: the {place} column, {values} in the first {seen.n}"
            return name
    return None


_COMMAS = "numbers with a comma are read as words: write 1.5 for 1,5, and 1000 for 1,000"
_UNUSED = {
    "date": "not used: dates",
    "index": "not used: whole numbers without a name, different in every row, as an index is",
}


def _kind(seen: Profile, name: str, why: dict[str, str]) -> str | None:
    if _is_key(seen, name):
        why[name] = "not used: different in every row, as keys are"
        return None
    if seen.kind in ("integer", "number"):
        why[name] = "guessed: numbers"
        return "numeric"
    if seen.kind == "boolean":  # as words, which they are in CSV files
        why[name] = "guessed: true or false"
        return "categorical"
    if seen.kind == "dictionary" and (seen.repeats or not seen.is_text):
        why[name] = "stored as categories"
        return "categorical"
    if seen.kind not in ("string", "dictionary"):
        why[name] = _UNUSED.get(seen.kind, f"not used: values of type {seen.kind}")
        return None
    if seen.n == 0:
        why[name] = "not used: empty in the first rows"
        return None
    if seen.is_text or not seen.repeats:
        n = f"{seen.words:.0f}"
        words = f"{n} word" if n == "1" else f"{n} words"
        why[name] = f"guessed: strings of {words}" if seen.is_text else "guessed: strings that differ"
        return "text"
    strings = "the same short string" if seen.distinct == 1 else f"{seen.distinct} different short strings"
    why[name] = f"guessed: {strings} in the first {seen.n}"
    return "categorical"


def _is_key(seen: Profile, name: str) -> bool:
    """Whether a column names its row: whole numbers or single words that differ in all of the first rows.

    Words, if there are 20 or more or the column is called so (``id``, ``user_id``, ``PassengerId``); whole numbers, if
    it is called so, or if each of 20 or more is one more than the one before. Other numbers are measurements.
    """
    if seen.n < 2 or seen.distinct < seen.n:
        return False
    called, many = _KEY.fullmatch(name) or _KEY.fullmatch(name.lower()), seen.n >= FEW_ROWS
    if seen.kind == "integer":
        return bool(called) or (many and seen.counts)
    return seen.kind == "string" and seen.words <= 1 and not seen.is_text and (many or bool(called))
