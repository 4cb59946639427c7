"""Text cut behind whole rows: pieces of a file that can be parsed on their own, with the line of each row; in UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core import engine
from ..errors import DataError
from .bad_rows import BadRows
from .csr import Array
from .sources import Source

#: A row may not be longer than this many bytes: a file without line ends is not text of rows.
LONGEST_ROW = 1 << 30
#: Nor may the first rows, which guesses are made from.
LONGEST_FIRST_ROWS = 1 << 28

#: A block of a stream has so many rows, or fewer, where they have so many bytes of text, by default.
BLOCK_ROWS, BLOCK_BYTES = 8192, 1 << 22

_HEAD, _STEP = 1 << 18, 1 << 20
_BOM = b"\xef\xbb\xbf"  # some programs write this before UTF-8


class Size(NamedTuple):
    """How large a block is: so many rows, or those that begin within so many bytes of text."""

    rows: int
    bytes: int = 1 << 62


class Chunk(NamedTuple):
    """Bytes of whole rows, and what was seen while they were separated."""

    text: bytes | memoryview
    begins: Array  # the byte at which each row begins,
    lines: Array  # and its line
    first_line: int
    several_lines: bool  # a quoted value holds line ends
    longest: int  # bytes of a row

    @property
    def block_bytes(self) -> int:
        """Bytes that Arrow is to take at a time: a row must fit, and what is short is taken whole."""
        return max(1 << 16, self.longest + 1, min(len(self.text) + 1, 1 << 24))


class Quoting(NamedTuple):
    """How rows are separated: which bytes delimit and quote values (0 and 0: rows are lines)."""

    delimiter: int = 0
    quote: int = 0


LINES = Quoting()


def chunks(source: Source, size: Size | None, quoting: Quoting = LINES, line: int = 1) -> Iterator[Chunk]:
    """Chunks of this size, the last one shorter; None: the whole file at once.

    ``line`` is the number of the line at which the source stands. Empty lines, or where rows are
    lines blank ones, are no rows.
    """
    if line == 1:
        skip_bom(source)
    if size is None:
        text = source.read_all()
        most = text.count(b"\n") + text.count(b"\r") + 1
        source.check_room(len(text) + 16 * most, most)
        begins, lines = np.empty(most, np.int64), np.empty(most, np.int64)
        rows, _, _, is_open, several_lines, longest = engine.csv_rows(
            np.frombuffer(text, np.uint8), *quoting, True, begins, lines, len(text)
        )
        if is_open:
            raise _never_closed(source, int(lines[rows - 1]) + line)
        if rows:
            yield Chunk(text, begins[:rows], lines[:rows] + line, line, several_lines, longest)
        return
    room_for_block = size.bytes + size.bytes // 4 if size.bytes <= BLOCK_BYTES else 0
    held, filled, ended = np.empty(max(_STEP, room_for_block), np.uint8), 0, False  # what was read and not given away
    begins, lines = np.empty(size.rows, np.int64), np.empty(size.rows, np.int64)
    rows = consumed = passed = longest = 0  # in what is held: rows, their bytes, their lines, the longest
    several_lines = False
    while filled or not ended:
        new, used, ends, is_open, several, long = engine.csv_rows(
            held[consumed:filled], *quoting, ended, begins[rows:], lines[rows:], size.bytes - consumed
        )
        begins[rows : rows + new] += consumed
        lines[rows : rows + new] += line + passed
        rows, consumed, passed = rows + new, consumed + used, passed + ends
        several_lines, longest = several_lines or several, max(longest, long)
        if is_open:
            raise _never_closed(source, int(lines[rows - 1]))
        if rows == size.rows or consumed >= size.bytes or ended:
            rest = held[consumed:filled]
            room = np.empty(max(_STEP, len(rest), consumed + consumed // 4), np.uint8)
            room[: len(rest)] = rest
            filled = len(rest)
            if rows:
                yield Chunk(
                    held[:consumed].data, begins[:rows].copy(), lines[:rows].copy(), line, several_lines, longest
                )
            held = room
            line += passed
            rows = consumed = passed = longest = 0
            several_lines = False
            continue
        if filled - consumed > LONGEST_ROW:
            raise _endless(source, line + passed, LONGEST_ROW)
        source.check_room(2 * max(_STEP, filled))
        if filled == len(held):  # doubled, so that a row that does not end is not looked through too often
            held = np.concatenate((held, np.empty_like(held)))
        more = source.read_into(held[filled:].data)
        filled, ended = filled + more, not more


def _never_closed(source: Source, line: int) -> DataError:
    return DataError("a quoted value of the row that begins here is never closed", file=source.name, line=line)


def skip_bom(source: Source) -> None:
    """Pass over a byte-order mark at the beginning of a file."""
    if source.peek(len(_BOM)) == _BOM:
        source.read(len(_BOM))


def heads(source: Source, size: int = _HEAD) -> Iterator[tuple[bytes, bool]]:
    """The first bytes of a file, without a byte-order mark, more and more of them, and whether that is all there is.

    For whoever guesses from some whole rows; rows that do not end within 256 MiB are refused.
    """
    while True:
        head = source.peek(size)
        whole = len(head) < size
        yield head.removeprefix(_BOM), whole
        if whole:
            return
        if size >= LONGEST_FIRST_ROWS:
            raise _endless(source, 1, LONGEST_FIRST_ROWS)
        size *= 4


def _endless(source: Source, line: int, most: int) -> DataError:
    reason = f"no row ends within {most >> 20} MiB of here: is it text, and the quoting closed?"
    return DataError(reason, file=source.name, line=line)


def check_encoding_errors(errors: str) -> None:
    """Refuse an unknown treatment of bytes that are not UTF-8."""
    if errors not in ("strict", "replace"):
        raise ValueError(f"encoding_errors must be 'strict' or 'replace', got {errors!r}")


def carriage_return(text: bytes, file: str, first_line: int) -> DataError | None:
    """The error of the first carriage return of a text in which those before line feeds were left out."""
    place = text.find(b"\r")
    if place < 0:
        return None
    line_begin = text.rfind(b"\n", 0, place) + 1
    return no_line_end(file, first_line + text.count(b"\n", 0, place), place - line_begin + 1)


def no_line_end(file: str, line: int, byte: int) -> DataError:
    """The error of a carriage return that is taken for the end of a line."""
    return DataError(
        "a carriage return alone ends no line here", r"end each with a line feed, as \n or \r\n", file=file,
        line=line, byte=byte,
    )  # fmt: skip


def utf8_error(text: bytes, name: str, first_line: int) -> DataError | None:
    """The error of the first byte that is not UTF-8, if there is one."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line_begin = text.rfind(b"\n", 0, error.start) + 1
        line = first_line + text.count(b"\n", 0, error.start)
        return DataError(
            f"byte 0x{text[error.start]:02x} is not UTF-8 ({error.reason})", "convert the file, or say {}",
            file=name, line=line, byte=error.start - line_begin + 1, parameter="encoding", value="cp1252",
        )  # fmt: skip
    return None


def as_utf8(text: bytes, errors: str, bad_rows: BadRows, name: str, first_line: int) -> bytes:
    """The text as UTF-8. Where bad rows are skipped, lines that are not UTF-8 are left empty: all keep their number."""
    if text.isascii() or (fault := utf8_error(text, name, first_line)) is None:
        return text
    if errors == "replace":
        return text.decode("utf-8", "replace").encode()
    if not bad_rows.skip:
        raise fault
    kept, faults = [], []
    for number, line in enumerate(text.split(b"\n"), first_line):
        wrong = utf8_error(line, name, number)
        kept.append(b"" if wrong else line)
        if wrong:
            faults.append(wrong)
    bad_rows.report(faults)
    return b"\n".join(kept)
