"""Sentences of files with their tags, and what all readers of them share: pieces of whole sentences, and errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..sequences.sentences import Sentences, starts_of
from .bad_rows import BadRows
from .chunks import LONGEST_FIRST_ROWS, carriage_return, skip_bom, utf8_error
from .sources import Source

Array = NDArray[Any]

#: Bytes of text that are parsed at a time: some thousand sentences.
STEP = 1 << 21
#: So many distinct strings are remembered, so that a file may be larger than memory.
MOST_STRINGS = 1 << 20
_TAIL = 1 << 16
_BREAK = re.compile(rb"\n[ \t\r]*\n")


@dataclass(frozen=True)
class TaggedSentences:
    """Consecutive sentences of one file, or of several in order.

    Parameters
    ----------
    sentences : Sentences
        The columns that features are made of.
    tags : list of str or None
        The tag of each token, of all sentences one behind the other; None where there are none.
    lines : array of int64
        The line on which each sentence begins, from 1.
    files : tuple of (str, int)
        Each file and the number of its first sentence here.
    names : tuple of str
        What the columns are called; those that have no name by their number, from 1.
    kept : any, default=None
        The text they were read from, where they are to be written back.
    """

    sentences: Sentences
    tags: list[str] | None
    lines: Array
    files: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    kept: Any = None

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def n_tokens(self) -> int:
        """How many tokens the sentences have."""
        return self.sentences.n_tokens

    @property
    def X(self) -> list[list[Any]]:
        """The sentences as lists of tokens: words, or tuples of columns where there are several."""
        columns = self.sentences.columns
        tokens: list[Any] = columns[0] if len(columns) == 1 else list(zip(*columns))
        return self.divided(tokens)

    @property
    def y(self) -> list[list[str]] | None:
        """The tags of each sentence; None where there are none."""
        return None if self.tags is None else self.divided(self.tags)

    def divided(self, values: list[Any]) -> list[list[Any]]:
        """Values of all tokens as a list for each sentence."""
        starts = self.sentences.starts.tolist()
        return [values[begin:end] for begin, end in pairwise(starts)]

    def origin(self, sentence: int) -> dict[str, Any]:
        """The file and line of a sentence, as fields of a `DataError`."""
        file = next(name for name, first in reversed(self.files) if first <= sentence)
        return {"file": file, "line": int(self.lines[sentence])}

    def __getitem__(self, part: slice) -> TaggedSentences:
        """Some sentences that follow each other; the text they were read from is not kept."""
        first, last, _ = part.indices(len(self))
        last = max(first, last)
        begin, end = self.sentences.starts[[first, last]].tolist()
        begun = [(name, max(start - first, 0)) for name, start in self.files if start < max(last, 1)]
        files = [one for one, following in zip(begun, [*begun[1:], None]) if following is None or following[1] > 0]
        return replace(
            self, sentences=self.sentences[first:last], tags=None if self.tags is None else self.tags[begin:end],
            lines=self.lines[first:last], files=tuple(files), kept=None,
        )  # fmt: skip

    def taken(self, mask: Array) -> TaggedSentences:
        """Those sentences of one file that the mask names; the text they were read from is not kept."""
        lengths = np.diff(self.sentences.starts)
        tokens = np.repeat(mask, lengths).tolist()
        columns = tuple(list(compress(column, tokens)) for column in self.sentences.columns)
        tags = None if self.tags is None else list(compress(self.tags, tokens))
        return replace(
            self, sentences=Sentences(columns, starts_of(lengths[mask].tolist())), tags=tags, lines=self.lines[mask],
            kept=None,
        )  # fmt: skip

    def __repr__(self) -> str:
        files, tagged = ", ".join(name for name, _ in self.files), "" if self.tags is None else ", tagged"
        return f"<TaggedSentences of {files}: {len(self):,} sentences, {self.n_tokens:,} tokens{tagged}>"


def joined(parts: Sequence[TaggedSentences]) -> TaggedSentences:
    """Consecutive parts as one; what was kept of their text is not."""
    if len(parts) == 1:
        return parts[0]
    lengths = [np.diff(part.sentences.starts) for part in parts]
    starts = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
    columns = zip(*(part.sentences.columns for part in parts))
    files: list[tuple[str, int]] = []
    for part, first in zip(parts, np.cumsum([0, *map(len, parts)]).tolist()):
        files += [(name, first + start) for name, start in part.files if not files or files[-1][0] != name]
    tags = [part.tags for part in parts]
    return TaggedSentences(
        Sentences(tuple(list(chain.from_iterable(column)) for column in columns), starts),
        None if None in tags else list(chain.from_iterable(filter(None, tags))),
        np.concatenate([part.lines for part in parts]), tuple(files), parts[0].names,
    )  # fmt: skip


class SentenceReader:
    """Reads sentences of files of one format; what the first file settles holds for the others.

    Parameters
    ----------
    settings : settings of a format
        Guesses are made by ``prepare``.
    bad_rows : BadRows
        What becomes of sentences that cannot be read.
    tags_required : bool
        Whether a file without tags is an error.
    keep : bool
        Whether the text is kept, to be written back with other tags.
    """

    settings: Any
    #: Whether a line is a sentence; else blank lines end them.
    a_line: ClassVar[bool] = False
    #: Whether a carriage return within a line is a blank; else it is an error.
    returns_are_blanks: ClassVar[bool] = False

    def __init__(self, settings: Any, bad_rows: BadRows, tags_required: bool, keep: bool) -> None:
        self.settings, self._bad_rows, self._tags_required, self._keep = settings, bad_rows, tags_required, keep
        self._known: dict[str, str] = {}  # each distinct string once
        self.lines_read = 0

    @property
    def distinct(self) -> int:
        """How many different strings were read."""
        return len(self._known)

    def prepare(self, source: Source) -> None:
        """Settle what is to be guessed from the first file, and check the others against it."""

    def parts(self, source: Source) -> Iterator[TaggedSentences]:
        """The sentences of a file, some thousand at a time."""
        self.prepare(source)
        self.lines_read = 0
        for text, line in pieces(source, self.a_line):
            unreadable = self._unreadable(text, source.name, line)
            part = self._parsed(text.decode("utf-8", "replace"), line, source.name, unreadable)
            self.lines_read = line + text.count(b"\n") - 1
            if len(part) or part.kept is not None:
                yield part

    def written(self, part: TaggedSentences, tags: Sequence[str]) -> str:
        """The text of a part that was kept, with these tags."""
        raise NotImplementedError

    def _parsed(self, text: str, first_line: int, file: str, unreadable: dict[int, DataError]) -> TaggedSentences:
        """The sentences of a text without carriage returns; unreadable lines are faulty."""
        raise NotImplementedError

    def _unreadable(self, text: bytes, file: str, first_line: int) -> dict[int, DataError]:
        """The error of each line that is not UTF-8, or has a carriage return in it."""
        fault = self._fault_of_text(text, file, first_line)
        if fault is None:
            return {}
        if not self._bad_rows.skip:
            raise fault
        faults = ((n, self._fault_of_text(line, file, n)) for n, line in enumerate(text.split(b"\n"), first_line))
        return {number: wrong for number, wrong in faults if wrong is not None}

    def _fault_of_text(self, text: bytes, file: str, first_line: int) -> DataError | None:
        """The first error of bytes that are no text of lines."""
        strict = self.settings.encoding_errors == "strict" and not text.isascii()
        not_utf8 = utf8_error(text, file, first_line) if strict else None
        return not_utf8 or (None if self.returns_are_blanks else carriage_return(text, file, first_line))

    def _once(self, values: Sequence[str]) -> list[str]:
        """The same strings, equal ones the same object: most words of a text came before."""
        if len(self._known) > MOST_STRINGS:
            self._known.clear()
        return list(map(self._known.setdefault, values, values))


def check_cells(cells: Iterable[str], marks: str) -> None:
    """Refuse what could not be told apart again in columns that these characters separate."""
    bad = next((cell for cell in sorted(set(cells)) if not cell.strip() or {*marks, "\n", "\r"} & {*cell}), None)
    if bad is not None:
        problem = f"the cell {bad!r} cannot be written in columns"
        raise DataError(problem, "write JSON lines by {}", parameter="format", value="tagged-json")


def pieces(source: Source, a_line: bool) -> Iterator[tuple[bytes, int]]:
    """Text of whole sentences, some at a time and without carriage returns, and the line where each piece begins.

    ``a_line``: a sentence is a line; else blank lines end them.
    """
    skip_bom(source)
    held, line = b"", 1
    while True:
        n, seen = max(STEP, len(held)), len(held)
        held += _some(source, n)
        if len(held) < seen + n:  # that was the last
            break
        source.check_room(3 * len(held))
        cut = held.rfind(b"\n") + 1 if a_line else _last_break(held, seen)
        if cut:
            piece, held = held[:cut].replace(b"\r\n", b"\n"), held[cut:]
            yield piece, line
            line += piece.count(b"\n")
        elif len(held) > LONGEST_FIRST_ROWS:
            raise DataError(
                f"no sentence ends within {LONGEST_FIRST_ROWS >> 20} MiB of here", "put a blank line behind each",
                file=source.name, line=line,
            )  # fmt: skip
    if held:
        yield held.replace(b"\r\n", b"\n"), line


def _some(source: Source, n: int) -> bytes:
    """The next n bytes, or all that are left."""
    parts = []
    while n > 0 and (some := source.read(n)):
        parts.append(some)
        n -= len(some)
    return b"".join(parts)


def _last_break(text: bytes, seen: int) -> int:
    """The end of the last blank line; ``seen``: there is none in so many bytes at the beginning."""
    for begin in (max(seen - _TAIL, len(text) - _TAIL, 0), max(seen - _TAIL, 0)):
        last = 0
        for match in _BREAK.finditer(text, begin):
            last = match.end()
        if last:
            return last
    return 0
