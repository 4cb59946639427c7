"""Errors in data and parameters, in fields: what is wrong, where, what to do. They become a sentence where shown.

Whoever raises one fills in what it knows: the row of an array, the byte of a line. Whoever knows more, such as a reader
that knows which file a row came from, adds it to the same error by :meth:`DataError.at`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar


def keyword(parameter: str, value: Any) -> str:
    """A setting as Python writes it; an ellipsis stands for any value."""
    return f"{parameter}={'…' if value is ... else repr(value)}"


class WordedError(Exception):
    """An error that is put into words where it is shown: as Python writes settings, or as options."""

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        """The sentence; ``setting`` puts a parameter and its value into the words of whoever reads it."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.worded()


Same = TypeVar("Same", bound=WordedError)  # a class, as to compile its name takes a millisecond


class DataError(WordedError, ValueError):
    """Data that cannot be used, in one sentence: the problem, its place and a remedy.

    Parameters
    ----------
    problem : str
        What is wrong, without the place.
    remedy : str, default=""
        What to do; ``{}`` in it stands for the setting ``parameter=value``, if there is one.

    Attributes
    ----------
    row, column : int or None
        The place in an array, from 0; of a file that has no lines, such as Parquet, the row from 1.
    name : str or None
        The name of the column.
    sentence, token : int or None
        The place in a list of sentences, and in the sentence, from 0.
    file : str or None
        The file, as it was named; ``<stdin>`` for standard input.
    line : int or None
        The line of the file, from 1.
    byte : int or None
        The byte of the line, from 1.
    shard : str or None
        The shard of a distributed run.
    parameter, value : str and any, or None
        A setting that helps.
    others : tuple of (str, any)
        Further ones, which stand for ``{1}``, ``{2}``, … in the remedy.
    """

    def __init__(
        self, problem: str, remedy: str = "", *, row: int | None = None, column: int | None = None,
        name: str | None = None, file: str | None = None, line: int | None = None, byte: int | None = None,
        parameter: str | None = None, value: Any = None, sentence: int | None = None, token: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(problem, remedy)  # with which it is made again where it is pickled; the fields follow
        self.problem, self.remedy, self.parameter, self.value = problem, remedy, parameter, value
        self.row, self.column, self.name = row, column, name
        self.file, self.line, self.byte = file, line, byte
        self.sentence, self.token = sentence, token
        self.shard: str | None = None
        self.others: tuple[tuple[str, Any], ...] = ()

    def at(self: Same, **fields: Any) -> Same:
        """The same error with more fields known, or with others."""
        assert fields.keys() <= vars(self).keys(), fields
        vars(self).update(fields)
        return self

    @property
    def place(self) -> str:
        """Where, in words: ``rows.csv, line 4, column 'age'`` of a file, ``row 3, column 2 ('age')`` of an array."""
        name = None if self.name is None else repr(self.name)
        if self.file is not None:
            row = self.row if self.line is None else None
            parts = {"line": self.line, "row": row, "byte": self.byte, "column": name}
            return ", ".join([self.file, *(f"{key} {value}" for key, value in parts.items() if value is not None)])
        if name is not None and self.column is not None:
            name = f"{self.column} ({name})"
        parts = {"row": self.row, "column": self.column if name is None else name}
        parts |= {"sentence": self.sentence, "token": self.token}
        return ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        """The sentence; ``setting`` puts a parameter and its value into the words of whoever reads it."""
        place, sentence = self.place, self.problem
        if self.file is not None:
            sentence = f"{place}: {sentence}"
        elif place:
            sentence = f"{sentence} at {place}"
        if self.shard is not None:
            sentence = f"{self.shard}: {sentence}"
        remedy = self.remedy
        if self.parameter is not None:
            settings = [(self.parameter, self.value), *self.others]
            remedy = re.sub(r"\{(\d?)\}", lambda one: setting(*settings[int(one[1] or 0)]), remedy)
        return f"{sentence}; {remedy}" if remedy else sentence


class DataTypeError(DataError, TypeError):
    """Data of a type that cannot be used."""


class SettingsError(WordedError):
    """A sentence in which each ``{name}`` stands for a parameter and its value, one of ``values``.

    They are spelled as whoever reads it does: ``device='cpu'`` in Python, ``--device cpu`` on the command line.
    """

    def __init__(self, problem: str, *more: Any, **values: Any) -> None:
        super().__init__(problem, *more)  # with which it is made again where it is pickled; the values follow
        self.problem, self.values = problem, values

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        """The sentence, in the words of whoever reads it; other braces in it are not ours, and stay."""
        if not self.values:
            return self.problem
        names = "|".join(map(re.escape, self.values))
        return re.sub(rf"\{{({names})\}}", lambda name: setting(name[1], self.values[name[1]]), self.problem)


class ParameterError(SettingsError, ValueError):
    """A parameter that cannot be, or that does not go with another.

    Parameters
    ----------
    problem : str
        What is wrong.
    parameter : str
        The parameter that is refused.
    **values : any
        Parameters that the sentence names.
    """

    def __init__(self, problem: str, parameter: str, **values: Any) -> None:
        super().__init__(problem, parameter, **values)
        self.parameter = parameter
