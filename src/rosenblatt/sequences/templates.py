"""Templates of features, in the manner of CRF++: ``U05:%x[-1,0]/%x[0,0]`` is the word before and the word itself.

A cell ``%x[row,column]`` stands for the string in that column of the token ``row`` places further on. Other functions
in its place stand for something made of that string, and a dot puts one after the other:
``%lower.suffix3[0,0]`` is the last three characters of the word in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..core import engine
from ..errors import ParameterError

#: How far, in tokens, a cell may lie from the token at hand: CRF++'s limit.
REACH = 8

#: The longest prefix or suffix.
LONGEST_AFFIX = 20

#: What lies beyond the sentence: strings ``_B-1``, ``_B+1``, …; or no feature, and ``__BOS__``, ``__EOS__`` instead.
EDGES = ("crf++", "crfsuite")

#: Functions of a cell, with what they give.
FUNCTIONS = {
    "x": "the string itself",
    "lower": "its lower case",
    "prefixN": "its first N characters, where it has so many",
    "suffixN": "its last N characters, where it has so many",
    "shape": "X for a capital, x for a small letter, d for a digit, others as they are; of what repeats at most four",
    "digit": "nothing but that it holds a digit",
    "hyphen": "nothing but that it holds a hyphen",
    "title": "nothing but that it begins with a capital",
    "upper": "nothing but that it is longer than a character, with capitals and without small letters",
}

_CELL = re.compile(r"%([A-Za-z0-9_.]*)\[([+-]?[0-9]+),([0-9]+)\]")
_FUNCTION = re.compile(r"(prefix|suffix)([0-9]+)")

#: A function for the native core: its name and how many characters it takes.
Step = tuple[str, int]


@dataclass(frozen=True)
class Cell:
    """A place in a template: some form of the string in a column of a token so far away."""

    row: int
    column: int
    form: tuple[Step, ...]
    after: str  # the text up to the next cell


@dataclass(frozen=True)
class Template:
    """One template: text, and the cells in it."""

    text: str
    line: int
    before: str  # the text up to the first cell
    cells: tuple[Cell, ...]

    @property
    def native(self) -> tuple[Any, ...]:
        """What the native core takes."""
        return self.before, tuple((cell.row, cell.column, cell.form, cell.after) for cell in self.cells)


@dataclass(frozen=True)
class Templates:
    r"""A set of templates, which say what the features of a token are.

    Parameters
    ----------
    lines : str or iterable of str
        One template a line. A line that begins with ``B`` alone stands for pairs of neighbouring tags, which a tagger
        always has; ``#`` begins a comment.
    edges : {"crf++", "crfsuite"}, default="crf++"
        What a cell holds that lies beyond the sentence: CRF++'s ``_B-1``, ``_B-2``, …, ``_B+1``, …; or nothing, so that
        the feature is left out, while the first token has a feature ``__BOS__`` and the last one ``__EOS__``, as in
        CRFsuite's examples.

    Examples
    --------
    >>> pairs = Templates("U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB")
    >>> len(pairs), pairs.n_columns
    (2, 1)
    """

    lines: tuple[str, ...]
    edges: str = "crf++"
    list: tuple[Template, ...] = field(init=False, repr=False, compare=False)
    native: engine.TokenTemplates = field(init=False, repr=False, compare=False)

    def __init__(self, lines: str | Iterable[str], edges: str = "crf++") -> None:
        if edges not in EDGES:
            raise ParameterError(f"edges must be {' or '.join(map(repr, EDGES))}, got {edges!r}", "edges")
        split = tuple(lines.splitlines() if isinstance(lines, str) else lines)
        for line in split:
            if not isinstance(line, str):
                raise ParameterError(f"templates must be lines of text, got {line!r}", "features")
        parsed = tuple(one for one in (_parsed(line, i + 1) for i, line in enumerate(split)) if one is not None)
        if not parsed:
            problem = "the templates name no feature; write one a line, for example U00:%x[0,0]"
            raise ParameterError(problem, "features")
        keep = object.__setattr__
        keep(self, "lines", split)
        keep(self, "edges", edges)
        keep(self, "list", parsed)
        keep(self, "native", engine.TokenTemplates(tuple(one.native for one in parsed), edges == "crf++"))

    def __reduce__(self) -> tuple[Any, ...]:
        return Templates, (self.lines, self.edges)

    def __len__(self) -> int:
        return len(self.list)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def n_columns(self) -> int:
        """How many columns of a token the templates ask for."""
        return 1 + max((cell.column for one in self.list for cell in one.cells), default=0)

    def check_columns(self, n_columns: int) -> None:
        """Refuse sentences that lack a column which a template asks for."""
        for one in self.list:
            for cell in one.cells:
                if cell.column >= n_columns:
                    has = "1 column, number 0" if n_columns == 1 else f"{n_columns} columns, 0 to {n_columns - 1}"
                    problem = f"templates, line {one.line}: {one.text!r} asks for column {cell.column}, and tokens have"
                    raise ParameterError(f"{problem} {has}", "features")


def _parsed(line: str, number: int) -> Template | None:
    """The template of a line; None of one that says nothing of tokens."""
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    if text.startswith("B"):
        if "%" in text:
            problem = f"templates, line {number}: {text!r} is a feature of two tags, and those have none of tokens"
            raise ParameterError(f"{problem}; write B alone, or U for a feature of one tag", "features")
        return None
    pieces, cells, at = [], [], 0
    for found in _CELL.finditer(text):
        pieces.append(text[at : found.start()])
        cells.append(_cell(found, line, number))
        at = found.end()
    pieces.append(text[at:])
    _refuse_half_cells(pieces, text, line, number)
    if not cells and not text.startswith("U"):
        problem = f"templates, line {number}: {text!r} begins with neither U nor B, and has no cell such as %x[0,0]"
        raise ParameterError(problem, "features")
    made = tuple(Cell(row, column, form, after) for (row, column, form), after in zip(cells, pieces[1:]))
    return Template(text, number, pieces[0], made)


def _at(line: str, number: int, place: int) -> str:
    return f"templates, line {number}, column {line.index(line.strip()) + place + 1}"


def _refuse_half_cells(pieces: list[str], text: str, line: str, number: int) -> None:
    """Refuse a percent sign that begins no cell."""
    if any("%" in piece for piece in pieces):
        places = [found.start() for found in re.finditer("%", text)]
        cells = {found.start() for found in _CELL.finditer(text)}
        place = next(place for place in places if place not in cells)
        shown = text[place:].split("/")[0]
        raise ParameterError(f"{_at(line, number, place)}: {shown!r} is no cell; write %x[row,column]", "features")


def _cell(found: re.Match[str], line: str, number: int) -> tuple[int, int, tuple[Step, ...]]:
    where, row, column = _at(line, number, found.start()), int(found[2]), int(found[3])
    if abs(row) > REACH:
        problem = f"{where}: {found[0]!r} lies {abs(row)} tokens away, and at most {REACH} are looked at"
        raise ParameterError(problem, "features")
    form = []
    for name in found[1].split("."):
        affix = _FUNCTION.fullmatch(name)
        if affix and 1 <= int(affix[2]) <= LONGEST_AFFIX:
            form.append((affix[1], int(affix[2])))
        elif name in FUNCTIONS and name != "x":
            form.append((name, 0))
        elif name != "x":
            known = ", ".join(f"%{name}" for name in FUNCTIONS)
            raise ParameterError(f"{where}: {name!r} in {found[0]!r} is no function of a cell; there are {known}",
                                 "features")  # fmt: skip
    return row, column, tuple(form)
