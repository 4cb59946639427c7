"""CoNLL columns: a token a line, a blank line behind each sentence. Plain columns (2000, 2002, 2003) and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..sequences.sentences import Sentences, counted
from .chunks import carriage_return, check_encoding_errors, heads
from .columns import nearest
from .sources import Source
from .tagged import SentenceReader, TaggedSentences, check_cells

Column: TypeAlias = int | str

#: The columns of CoNLL-U.
CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
#: What a line of plain columns begins with where a document does: no token, and the end of a sentence.
DOCUMENT = "-DOCSTART-"
#: What stands in a column of CoNLL-U that is not annotated.
NOTHING = "_"

_GLOBAL = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
_DOCUMENT = re.compile(rf"{DOCUMENT}(?:[ \t]|$)")
_COMMENT = re.compile("#")
_NO_WORD = re.compile(r"#|\d+[-.]\d")  # a comment, a range of words written as one, or a node that is no word
_BLANKS = re.compile(r"[ \t]+")


def _check_columns(settings: Any) -> None:
    """Refuse columns that are neither numbers from 1 nor names."""
    check_encoding_errors(settings.encoding_errors)
    if isinstance(settings.columns, (str, int)):
        raise TypeError(f"columns must be a tuple of columns, such as (1, 2), got {settings.columns!r}")
    if settings.columns is not None:
        object.__setattr__(settings, "columns", tuple(settings.columns))
        if not settings.columns:
            raise ValueError("columns must name one column at least that features are made of")
    for column in (settings.tag, *(settings.columns or ())):
        is_number = isinstance(column, int) and not isinstance(column, bool)
        if not (isinstance(column, str) or (is_number and column > 0) or (column is None and column is settings.tag)):
            raise ValueError(f"a column is named by its number, from 1, or by its name; got {column!r}")


@dataclass(frozen=True)
class Conll:
    """Settings of plain CoNLL columns: a token a line, its columns separated by blanks, its tag in the last one.

    Lines whose first column is ``-DOCSTART-`` are no tokens. A ``#`` is a word: plain columns have no comments.

    Parameters
    ----------
    tag : int, "last" or None, default="last"
        The column of the tag, counted from 1. None: there are no tags.
    columns : tuple of int or None, default=None
        The columns that features are made of; None: all but the tag.
    separator : "tab", "blanks" or None, default=None
        What separates columns: one tab, or spaces and tabs, however many. None: one tab where the first
        line has tabs, and no space beside them.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    tag: Column | None = "last"
    columns: Sequence[Column] | None = None
    separator: str | None = None
    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "conll"

    def __post_init__(self) -> None:
        _check_columns(self)
        if self.separator not in (None, "tab", "blanks"):
            raise ValueError(f"separator must be 'tab', 'blanks' or None, got {self.separator!r}")


@dataclass(frozen=True)
class Conllu:
    """Settings of CoNLL-U and CoNLL-U Plus: ten columns, or those that ``# global.columns =`` names, separated by tabs.

    Lines that begin with ``#`` are comments. Ranges (``1-2``) and empty nodes (``1.1``) are no tokens; what is written
    back has them all. Where every tag is ``_``, there are none.

    Parameters
    ----------
    tag : str, int or None, default="upos"
        The column of the tag, by name or counted from 1; "last" is the last one. None: there are no tags.
    columns : tuple of str or int, or None, default=None
        The columns that features are made of; None: the form alone, as the others are annotation.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    tag: Column | None = "upos"
    columns: Sequence[Column] | None = None
    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "conllu"

    def __post_init__(self) -> None:
        _check_columns(self)


class KeptLines(NamedTuple):
    """The lines of a part, and where its tokens are among them."""

    lines: list[str]
    token_at: NDArray[np.int64]


class ConllReader(SentenceReader):
    """Sentences of plain CoNLL columns."""

    settings: Any
    _n_columns: int = 0
    _tag: int | None = None  # places of columns, from 0
    _used: tuple[int, ...] = ()
    _names: tuple[str, ...] = ()  # of all columns, where they have any

    # ---- which column is what, by the first token of a file ----------------------------------------------------------

    def prepare(self, source: Source) -> None:
        """Settle the separator and the columns by the first line of the file that has a token."""
        line, number = self._first_token(source)
        if getattr(self.settings, "separator", "tab") is None:
            by_tabs = "\t" in line and " \t" not in line and "\t " not in line
            self.settings = replace(self.settings, separator="tab" if by_tabs else "blanks")
        n = len(self._cells(line))
        if self._n_columns and n != self._n_columns:
            problem = f"{counted(n)} where the files before have {self._n_columns}"
            raise DataError(problem, "read files of other columns by themselves", file=source.name, line=number)
        self._n_columns = n
        try:
            self._settle()
        except DataError as error:
            raise error.at(file=source.name, line=number) from None

    def _first_token(self, source: Source) -> tuple[str, int]:
        """The first line with a token, and its number."""
        fault = None
        for head, whole in heads(source):
            text = head.replace(b"\r\n", b"\n")
            fault = carriage_return(text if whole else text.rstrip(b"\r"), source.name, 1)
            if fault is not None and not self._bad_rows.skip:
                raise fault
            lines = text.decode("utf-8", "replace").split("\n")
            for number, line in enumerate(lines if whole else lines[:-1], 1):
                if number == 1:
                    self._read_names(line)
                if line.strip(" \t") and "\r" not in line and not self._other.match(line):
                    return line, number
        if fault is not None:
            raise fault
        raise DataError("there are no sentences", "a token stands on a line of its own", file=source.name)

    def _read_names(self, line: str) -> None:
        """Take the names of columns from the first line, where the format has any."""

    def _settle(self) -> None:
        """Find the columns of the settings among those of the file."""
        self._tag = self._place(self.settings.tag) if self.settings.tag is not None else None
        columns = self.settings.columns
        if columns is None:
            columns = self._default_columns()
        places = [self._place(column) for column in columns]
        if None in places:
            raise self._missing(columns[places.index(None)], "columns", tuple(columns))
        self._used = tuple(place for place in places if place is not None)
        optional = not self._tags_required and isinstance(self.settings.tag, int)
        if self._tag is None and self.settings.tag is not None and not optional:
            raise self._missing(self.settings.tag, "tag", self.settings.tag)
        if self._tag in self._used:
            name = self._name(self._tag or 0)
            raise DataError(f"column {name} is both the tag and a feature", "leave it out of {}", parameter="columns",
                            value=...)  # fmt: skip
        if not self._used and self._tags_required:
            raise DataError("there is one column alone, and it is the tag", "give each token a word before its tag")
        if not self._used:
            raise DataError("there is one column alone, and it is the tag", "say {} if it has the words",
                            parameter="tag", value=None)  # fmt: skip
        self.settings = replace(
            self.settings, columns=tuple(map(self._named, self._used)),
            tag=self.settings.tag if self._tag is None else self._named(self._tag),
        )  # fmt: skip

    def _default_columns(self) -> tuple[Column, ...]:
        return tuple(place + 1 for place in range(self._n_columns) if place != self._tag)

    def _place(self, column: Column) -> int | None:
        """The place of a column, from 0; None: it is not there."""
        if isinstance(column, int):
            return column - 1 if column <= self._n_columns else None
        if column.lower() in self._names:
            return self._names.index(column.lower())
        return self._n_columns - 1 if column == "last" else None

    def _named(self, place: int) -> Column:
        return self._names[place] if self._names else place + 1

    def _name(self, place: int) -> str:
        return str(self._named(place))

    def _missing(self, column: Column, parameter: str, value: Any) -> DataError:
        if isinstance(column, int) or self._names:
            known = f": {', '.join(self._names)}" if self._names else ""
            near = nearest(column, self._names) if isinstance(column, str) else ""
            there = f"{counted(self._n_columns)}{known}"
            return DataError(f"there is no column {column!r}{near}, and a line has {there}", "name another by {}",
                             parameter=parameter, value=...)  # fmt: skip
        problem = f"there is no column {column!r}: plain CoNLL columns have no names"
        example = 3 if parameter == "tag" else (1, 2)
        return DataError(problem, "say its number, from 1, for instance {}", parameter=parameter, value=example)

    # ---- lines to columns --------------------------------------------------------------------------------------------

    @property
    def _by_tabs(self) -> bool:
        return bool(self.settings.separator == "tab")

    @property
    def _other(self) -> re.Pattern[str]:
        """What lines begin with that are neither blank nor tokens."""
        return _DOCUMENT

    def _cells(self, line: str) -> list[str]:
        return line.split("\t") if self._by_tabs else _BLANKS.split(line.strip(" \t"))

    def _parsed(self, text: str, first_line: int, file: str, unreadable: dict[int, DataError]) -> TaggedSentences:
        lines = text.split("\n")
        indented = text.startswith((" ", "\t")) or "\n " in text or "\n\t" in text
        filled = map(methodcaller("strip", " \t"), lines) if indented else lines
        blank = np.fromiter(map(len, filled), np.int64, len(lines)) == 0
        places = np.flatnonzero(~blank)
        if self._has_other_lines(text):
            is_other = self._other.match
            places = np.array([i for i in places.tolist() if not is_other(lines[i])], np.int64)
            self._break_at(blank, places)
        sentence_of = np.cumsum(blank)[places]
        columns, faults = self._columns([lines[i] for i in places.tolist()])
        wrong = {int(places[i]): fault.at(file=file, line=first_line + int(places[i])) for i, fault in faults.items()}
        wrong |= {number - first_line: fault for number, fault in unreadable.items()}
        if wrong:
            good = self._good(sentence_of, np.cumsum(blank), wrong)
            columns = [[value for value, keep in zip(column, good.tolist()) if keep] for column in columns]
            places, sentence_of = places[good], sentence_of[good]
        begins = np.flatnonzero(np.diff(sentence_of, prepend=-1))
        n_used = len(self._used)
        return TaggedSentences(
            Sentences(tuple(columns[:n_used]), np.append(begins, len(places)).astype(np.int64)),
            None if self._tag is None else self._tags(columns[n_used], file, first_line),
            places[begins] + first_line, ((file, 0),), tuple(map(self._name, self._used)),
            KeptLines(lines, places) if self._keep else None,
        )  # fmt: skip

    def _has_other_lines(self, text: str) -> bool:
        """Whether some lines that are not blank may be no tokens."""
        return DOCUMENT in text

    def _break_at(self, blank: NDArray[np.bool_], places: NDArray[np.int64]) -> None:
        """Let lines that are no tokens end a sentence."""
        blank[:] = True
        blank[places] = False

    def _tags(self, tags: list[str], file: str, line: int) -> list[str] | None:
        return tags

    @property
    def _wanted(self) -> tuple[int, ...]:
        """The columns that are read: those of features, and the tag behind them."""
        return self._used if self._tag is None else (*self._used, self._tag)

    def _columns(self, tokens: list[str]) -> tuple[list[list[str]], dict[int, DataError]]:
        """The columns of tokens, and what is wrong with some: their cells are empty."""
        number = {line: i for i, line in enumerate(dict.fromkeys(tokens))}  # most words came before, with the same tag
        columns, bad = self._split(list(number))
        numbers = list(map(number.__getitem__, tokens))
        faults = {i: self._fault(self._cells(tokens[i])) for i, j in enumerate(numbers) if j in bad} if bad else {}
        return [list(map(column.__getitem__, numbers)) for column in columns], faults

    def _split(self, lines: list[str]) -> tuple[list[list[str]], set[int]]:
        """The columns that are read of lines, and which of the lines are faulty: their cells are empty."""
        n, mark = self._n_columns, "\t" if self._by_tabs else " "
        text, count = "\n".join(["", *lines, ""]), methodcaller("count", mark)
        other = (mark + mark, mark + "\n", "\n" + mark, "" if self._by_tabs else "\t")
        if set(map(count, lines)) == {n - 1} and not any(one and one in text for one in other):
            # Each row is let go at once: very many lists together would keep the garbage collector busy.
            return [self._once([line.split(mark, c + 1)[c] for line in lines]) for c in self._wanted], set()
        rows = list(map(self._cells, lines))
        bad = {i for i, row in enumerate(rows) if len(row) != n or "" in row}
        rows = [[""] * n if i in bad else row for i, row in enumerate(rows)]
        return [self._once([row[place] for row in rows]) for place in self._wanted], bad

    def _fault(self, row: list[str]) -> DataError:
        """What is wrong with the cells of a line."""
        n = self._n_columns
        if len(row) != n:
            problem = f"{counted(len(row))} where the first line has {n}"
            remedy = f"separate {n} columns by {'a tab' if self._by_tabs else 'blanks'} each"
            if isinstance(self.settings, Conll) and self._by_tabs and any(" " in cell for cell in row):
                return DataError(problem, f"{remedy}, or say {{}}", parameter="separator", value="blanks")
            return DataError(problem, f"{remedy}, and sentences by a blank line")
        return DataError(f"column {self._name(row.index(''))} is empty", f"write {NOTHING} where there is nothing")

    def _good(self, sentence_of: Any, breaks: Any, wrong: dict[int, DataError]) -> NDArray[np.bool_]:
        """Which tokens are of sentences without a fault; the first fault of each of the others is reported."""
        first: dict[int, DataError] = {}
        for place in sorted(wrong):
            first.setdefault(int(breaks[place]), wrong[place])
        self._bad_rows.report(list(first.values()))
        return np.asarray(~np.isin(sentence_of, list(first)))

    # ---- and back ----------------------------------------------------------------------------------------------------

    def written(self, part: TaggedSentences, tags: Sequence[str]) -> str:
        """The lines of a part with a further column, the tag; where documents begin, it is ``O``."""
        lines, tokens = list(part.kept.lines), part.kept.token_at
        mark = "\t" if self._by_tabs else " "
        check_cells(tags, "\t" if self._by_tabs else " \t")
        for place, tag in zip(tokens.tolist(), tags):
            lines[place] = f"{lines[place].rstrip(' ')}{mark}{tag}"
        is_other, left = self._other.match, np.ones(len(lines), bool)
        left[tokens] = False
        for place in np.flatnonzero(left).tolist():
            if is_other(lines[place]):
                lines[place] = f"{lines[place].rstrip(' ')}{mark}O"
        return "\n".join(lines)


class ConlluReader(ConllReader):
    """Sentences of CoNLL-U and CoNLL-U Plus."""

    _names = CONLLU

    def prepare(self, source: Source) -> None:
        """Settle the columns by ``# global.columns`` and the first word."""
        self._names = CONLLU
        super().prepare(source)

    def _read_names(self, line: str) -> None:
        match = _GLOBAL.fullmatch(line.strip().removeprefix("\ufeff"))
        if match is not None:
            self._names = tuple(match[1].lower().split())

    def _settle(self) -> None:
        if self._n_columns != len(self._names):
            raise DataError(
                f"{counted(self._n_columns)} where CoNLL-U has {len(self._names)}",
                "separate them by tabs, or say {}", parameter="format", value="conll",
            )  # fmt: skip
        super()._settle()

    def _default_columns(self) -> tuple[Column, ...]:
        return ("form",) if "form" in self._names else super()._default_columns()

    @property
    def _by_tabs(self) -> bool:
        return True

    @property
    def _other(self) -> re.Pattern[str]:
        return _NO_WORD if self._names[0] == "id" else _COMMENT

    def _has_other_lines(self, text: str) -> bool:
        return True

    def _break_at(self, blank: NDArray[np.bool_], places: NDArray[np.int64]) -> None:
        """Comments, ranges and empty nodes end no sentence."""

    def _tags(self, tags: list[str], file: str, line: int) -> list[str] | None:
        if any(tag != NOTHING for tag in tags):
            return tags
        if self._tags_required and tags:
            name = self._name(self._tag or 0)
            raise DataError(f"no word has a tag in column {name}: all are {NOTHING} from here on",
                            "name another column by {}", parameter="tag", value=..., file=file, line=line)  # fmt: skip
        return None

    def written(self, part: TaggedSentences, tags: Sequence[str]) -> str:
        """The lines of a part with these tags in the column of the tag, and everything else as it was."""
        lines, at = list(part.kept.lines), self._tag
        if at is None:
            raise ValueError("say by tag=… which column the tags are written to")
        check_cells(tags, "\t")
        for place, tag in zip(part.kept.token_at.tolist(), tags):
            cells = lines[place].split("\t")
            cells[at] = tag
            lines[place] = "\t".join(cells)
        return "\n".join(lines)
