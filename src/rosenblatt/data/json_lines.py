"""JSON lines through Arrow: one object a line, every fault with its line."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from ..core import memory
from ..errors import DataError
from .arrow import arrow
from .blocks import Block
from .chunks import Chunk, Size, check_encoding_errors, chunks, heads, no_line_end, utf8_error
from .columns import check_names
from .csr import Array
from .profiles import Profile, profile_values
from .sources import Source
from .tables import SAMPLE_ROWS, VALUE_BYTES, TableReader, convert_row_by_row, types_of


@dataclass(frozen=True)
class JsonLines:
    """Settings of JSON lines.

    Parameters
    ----------
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "jsonl"

    def __post_init__(self) -> None:
        check_encoding_errors(self.encoding_errors)


class JsonLinesReader(TableReader):
    """Blocks of JSON lines files with the same keys."""

    settings: JsonLines
    _seen: dict[str, Profile]  # of the first file

    def _profiles(self, source: Source) -> dict[str, Profile]:
        self._look_for_array(source)
        lines, rows, places = _sample(source)
        names = dict.fromkeys(name for row in rows for name in row)
        if not names:
            object_of_line(lines[0], source.name, 1)
            raise DataError("no line is a JSON object", file=source.name, line=1)
        self._seen = {name: profile_values([row.get(name) for row in rows], places) for name in names}
        return self._seen

    def _look_for_array(self, source: Source) -> None:
        if read_array(source):
            self._unit = "row"

    @property
    def _types(self) -> dict[str, Any]:
        """What Arrow is to read: categories may be written as numbers."""
        pa = arrow("JSON lines")
        natural = {"integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
        return {
            name: natural.get(self._seen[name].kind, type_) if type_ == pa.string() else type_
            for name, type_ in types_of(self.columns).items()
        }

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of this size, the last one and those with skipped rows shorter."""
        self.prepare(source)
        self._look_for_array(source)
        there = list(dict.fromkeys(name for row in _sample(source)[1] for name in row))
        if there:  # a key that none of the first rows has is a column that is not there
            check_names([] if self.as_stored else self.columns.used, there, source.name)
        for chunk in chunks(source, size):
            text = bytes(chunk.text)
            if self.settings.encoding_errors == "replace" and not text.isascii():
                text = text.decode("utf-8", "replace").encode()
            self._check_room(source, chunk)
            yield self._parsed(chunk._replace(text=text), source)

    def _parsed(self, chunk: Chunk, source: Source) -> Block:
        if self.as_stored:
            return self._stored(chunk, source)
        pa, reader = arrow("JSON lines"), arrow("JSON lines", "pyarrow.json")
        lines, types, file = chunk.lines, self._types, source.name
        faults: list[DataError] = []
        try:
            str(chunk.text, "utf-8")  # which Arrow does not look at
            table = reader.read_json(
                pa.BufferReader(chunk.text),
                reader.ReadOptions(block_size=chunk.block_bytes),
                reader.ParseOptions(explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore"),
            )
            good = table.num_rows == len(lines)
            table = table.select(list(types)).cast(pa.schema(list(types_of(self.columns).items())))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
            good = False
        if not good:
            self._check_room_row_by_row(source, chunk)
            table, lines, faults = self._read_row_by_row(chunk, file)
        for fault in faults if self._unit == "row" else ():
            fault.at(row=fault.line, line=None)
        return self._block(table, lines, file, faults)

    def _read_row_by_row(self, chunk: Chunk, file: str) -> tuple[Any, Array, list[DataError]]:
        """The same rows one at a time, where something is wrong with them."""
        rows, kept, faults = _objects(chunk, file)
        values = {name: [row.get(name) for row in rows] for name in self.columns.used}
        table, lines, others = convert_row_by_row(values, self.columns, np.array(kept, np.int64), file)
        return table, lines, [*faults, *others]

    def _stored(self, chunk: Chunk, source: Source) -> Block:
        """The rows with all that they hold, each column in the type that Arrow has for its values."""
        pa = arrow("JSON lines")
        self._check_room_row_by_row(source, chunk)
        rows, lines, faults = _objects(chunk, source.name)
        self._bad_rows.report(faults)
        columns = {}
        for name in dict.fromkeys(name for row in rows for name in row if name not in self.columns.drop):
            try:
                columns[name] = pa.array([row.get(name) for row in rows])
            except (pa.ArrowException, OverflowError) as error:
                problem = f"its values have no type in common ({error})"
                raise DataError(problem, "leave it out with {}", file=source.name, name=name, parameter="drop",
                                value=name) from None  # fmt: skip
        return Block(None, np.array(lines, np.int64), ((source.name, 0),), columns=pa.table(columns))


_HEAD = 1 << 10
_LINE_END = re.compile(rb"\r?\n")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|["\[\]{},]', re.DOTALL)


def is_array(head: bytes) -> bool:
    """Whether a file that begins so is a JSON array of objects."""
    return re.match(rb"(\xef\xbb\xbf)?\s*\[\s*(\{|\]|$)", head) is not None


def read_array(source: Source) -> bool:
    """Have the elements of a JSON array read as lines; whether the file is one."""
    if not is_array(source.peek(_HEAD)):
        return False
    source.rewrite(lambda pieces: elements(pieces, source.name))
    return True


def elements(pieces: Iterable[bytes], file: str) -> Iterator[bytes]:
    """The elements of a JSON array, each on a line of its own.

    An array that is never closed is refused, as the file may have been cut short, and so is text behind its end.
    """
    text, begin, place, depth = b"", 0, 0, 0
    n, ended = 0, False
    line = array_line = 1  # at which the text begins, and the array

    def fault(problem: str, at: int) -> DataError:
        return DataError(problem, file=file, line=line + text.count(b"\n", 0, at))

    for piece in pieces:
        line += text.count(b"\n", 0, begin)
        text, begin, place = text[begin:] + piece, 0, place - begin
        while not ended and (token := _TOKEN.search(text, place)) and token[0] != b'"':  # closed in a piece to come
            place = token.end()
            depth += (token[0] in b"[{") - (token[0] in b"]}")
            if depth == 1 and token[0] == b"[":
                begin, array_line = place, line + text.count(b"\n", 0, place)
            elif depth == 0 and token[0] == b"}":
                raise fault("'}' closes no object here", token.start())
            elif depth == 0 or (depth == 1 and token[0] == b","):
                ended = depth == 0
                element = text[begin : token.start()]
                if element and not element.isspace():
                    yield _LINE_END.sub(b" ", element) + b"\n"
                elif n or not ended:
                    what = token[0].decode()
                    raise fault(f"nothing stands before this {what!r}: is there a comma too many?", token.start())
                begin, n = place, n + 1
        behind = text[begin:].lstrip() if ended else b""
        if behind:
            raise fault("the array has ended, and there is text behind it", len(text) - len(behind))
    if not ended:
        raise DataError("the array that begins here is never closed: is the file whole?", file=file, line=array_line)


def _objects(chunk: Chunk, file: str) -> tuple[list[dict[str, Any]], list[int], list[DataError]]:
    """The objects of a chunk, the line of each, and what is wrong with the other lines."""
    rows, lines, faults = [], [], []
    for number, line in enumerate(bytes(chunk.text).split(b"\n"), chunk.first_line):
        if not line.strip():
            continue
        try:
            rows.append(object_of_line(line, file, number))
            lines.append(number)
        except DataError as fault:
            faults.append(fault)
    return rows, lines, faults


def _sample(source: Source) -> tuple[list[bytes], list[dict[str, Any]], list[int]]:
    """The first lines that are not blank, the objects among them, and their lines, which are still to be read."""
    for head, whole in heads(source):
        lines = head.split(b"\n")
        there = enumerate(lines if whole else lines[:-1], 1)
        sample = list(islice(((number, line) for number, line in there if line.strip()), SAMPLE_ROWS))
        if sample or whole:
            break
    if not sample:
        raise DataError("the file is empty", file=source.name)
    rows, places = [], []
    for number, line in sample:
        with contextlib.suppress(DataError):  # raised with its place when the row is read
            rows.append(object_of_line(line, source.name, number))
            places.append(number)
    return [line for _, line in sample], rows, places


def object_of_line(line: bytes, file: str, number: int) -> dict[str, Any]:
    """The object on a line; refuses one of so many values that Python has no room for them."""
    wrong = utf8_error(line, file, number)
    if wrong is not None:
        raise wrong
    values = sum(map(line.count, (b",", b"[", b"{")))
    memory.check(VALUE_BYTES * values, f"a line of JSON with {values:,} values", "write them as svmlight")
    try:
        row = json.loads(str(line, "utf-8"))  # of bytes the encoding would be guessed
    except json.JSONDecodeError as error:
        before = error.doc[: error.pos]
        end = before.find("\r", len(before.rstrip())) if error.msg == "Extra data" else -1
        if end >= 0:  # another object on the same line
            raise no_line_end(file, number, len(before[:end].encode()) + 1) from None
        raise DataError(f"not JSON: {error.msg}", file=file, line=number, byte=len(before.encode()) + 1) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", file=file, line=number) from None
    if not isinstance(row, dict):
        raise DataError("the line is JSON but not an object with names and values", file=file, line=number)
    return row
