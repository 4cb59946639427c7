"""JSON lines through Arrow: one object a line, every fault with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .blocks import Block
from .chunks import Chunk, chunks, without_mark
from .columns import Columns, check_names, profile_values, resolved
from .csr import Array
from .extras import arrow
from .faults import DataError, Judge
from .sources import Source
from .tables import SAMPLE_ROWS, block_of, empty_as_null, typed_with_care, types_of
from .utf8 import checked

_HEAD = 1 << 18


@dataclass(frozen=True)
class JsonLines:
    """Settings of JSON lines.

    Parameters
    ----------
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    encoding_errors: str = "strict"

    name: ClassVar[str] = "jsonl"


class JsonLinesReader:
    """Blocks of JSON lines files with the same keys."""

    def __init__(self, settings: JsonLines, columns: Columns, judge: Judge) -> None:
        self.settings = settings
        self.columns = columns
        self._judge = judge
        self._types: dict[str, Any] = {}

    def prepare(self, source: Source) -> None:
        """Settle what is to be guessed by the first file."""
        if self._types:
            return
        size, sample = _HEAD, []
        while True:
            head = source.peek(size)
            whole = len(head) < size
            lines = without_mark(head).split(b"\n")
            sample = [line for line in (lines if whole else lines[:-1]) if line.strip()][:SAMPLE_ROWS]
            if sample or whole:
                break
            size *= 4
        if not sample:
            raise DataError("the file is empty", source.name)
        values: dict[str, list[Any]] = {}
        n = 0
        for line in sample:
            try:
                row = json.loads(line)
            except ValueError:
                continue  # told with its place when the row is read
            for name, value in row.items() if isinstance(row, dict) else ():
                values.setdefault(name, [None] * n).append(value)
            n += 1
            for column in values.values():
                column += [None] * (n - len(column))
        if not values:
            json_fault = _fault(sample[0], source.name, 1)
            raise json_fault or DataError("no line is a JSON object", source.name, 1)
        self.columns = resolved(
            self.columns, {name: profile_values(column) for name, column in values.items()}, source.name
        )
        pa = arrow("JSON lines")
        natural = {"integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
        for name, type_ in types_of(self.columns).items():  # categories may be written as numbers
            seen = profile_values(values[name]).kind
            self._types[name] = natural.get(seen, type_) if type_ == pa.string() else type_

    def blocks(self, source: Source, block_rows: int | None) -> Iterator[Block]:
        """Blocks of ``block_rows`` rows, the last one and those with skipped rows shorter."""
        self.prepare(source)
        seen = False
        for chunk in chunks(source, block_rows):
            text = checked(bytes(chunk.text), self.settings.encoding_errors, self._judge, source.name, chunk.first_line)
            if not seen:
                self._check_names(text, source.name)
                seen = True
            yield self._parsed(chunk._replace(text=text), source.name)
        if not seen:
            raise DataError("the file is empty", source.name)

    def _check_names(self, text: bytes, file: str) -> None:
        """A key that the first rows of a file do not have at all is a column that is not there."""
        there: dict[str, None] = {}
        for line in text.split(b"\n", SAMPLE_ROWS)[:SAMPLE_ROWS]:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            there |= dict.fromkeys(row) if isinstance(row, dict) else {}
        if there:
            check_names(self.columns.used, list(there), file)

    def _parsed(self, chunk: Chunk, file: str) -> Block:
        pa, reader = arrow("JSON lines"), arrow("JSON lines", "pyarrow.json")
        lines = chunk.lines
        faults: list[DataError] = []
        size = max(1 << 16, min(len(chunk.text) + 1, 1 << 24))
        try:
            table = reader.read_json(
                pa.BufferReader(chunk.text),
                reader.ReadOptions(block_size=size),
                reader.ParseOptions(
                    explicit_schema=pa.schema(list(self._types.items())), unexpected_field_behavior="ignore"
                ),
            )
            good = table.num_rows == len(lines)
            table = table.select(list(self._types)).cast(pa.schema(list(types_of(self.columns).items())))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            good = False
        if not good:
            table, lines, faults = self._read_with_care(chunk, file)
        return block_of(empty_as_null(table, self.columns), self.columns, lines, file, self._judge, faults)

    def _read_with_care(self, chunk: Chunk, file: str) -> tuple[Any, Array, list[DataError]]:
        """The same rows one at a time, where something is wrong with them."""
        names = self.columns.used
        values: dict[str, list[Any]] = {name: [] for name in names}
        kept: list[int] = []
        faults = []
        for number, line in enumerate(bytes(chunk.text).split(b"\n"), chunk.first_line):
            if not line.strip():
                continue
            fault = _fault(line, file, number)
            if fault is not None:
                faults.append(fault)
                continue
            row = json.loads(line)
            kept.append(number)
            for name in names:
                values[name].append(row.get(name))
        table, lines, others = typed_with_care(values, self.columns, np.array(kept, np.int64), file)
        return table, lines, [*faults, *others]


def _fault(line: bytes, file: str, number: int) -> DataError | None:
    """What is wrong with a line of JSON, if anything."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return DataError(f"not JSON: {error.msg}", file, number, error.colno)
    except (ValueError, RecursionError) as error:
        return DataError(f"not JSON: {error}", file, number)
    if not isinstance(row, dict):
        return DataError("the line is JSON but not an object with names and values", file, number)
    return None
