"""CSV and TSV, cut natively where all is text, else through Arrow: guesses stated, every fault with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..core import engine, memory
from ..errors import DataError
from .arrow import Strings, Texts, arrow
from .blocks import Block
from .chunks import Chunk, Quoting, Size, check_encoding_errors, chunks, heads, skip_bom, utf8_error
from .columns import repeated
from .csr import Array
from .headers import guess_header
from .profiles import MISSING, NUMBERED, Profile, profile_strings
from .sources import Source
from .tables import SAMPLE_ROWS, VALUE_BYTES, TableReader, codes_of, convert_row_by_row, types_of

DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Csv:
    r"""Settings of CSV and TSV.

    Parameters
    ----------
    delimiter : str or None, default=None
        What stands between values; None: that of ``, ; tab |`` which cuts the first rows alike.
    header : bool or None, default=None
        Whether the first row has the names of the columns; None: guessed from its values against those below, and
        stated where that is in doubt. A column without a name is called by its place, c1, c2, …
    quote : str, default='"'
        What values are quoted by; "": nothing.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    delimiter: str | None = None
    header: bool | None = None
    quote: str = '"'
    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "csv"

    def __post_init__(self) -> None:
        for what in ("delimiter", "quote"):
            value = getattr(self, what)
            if value and (not isinstance(value, str) or len(value) != 1 or ord(value) > 127 or value in "\r\n"):
                raise ValueError(f"{what} must be one ASCII character, got {value!r}")
        if self.delimiter is not None and self.delimiter == self.quote:
            raise ValueError(f"{self.quote!r} cannot both delimit values and quote them")
        if self.header not in (None, True, False):
            raise ValueError(f"header must be True, False or None, got {self.header!r}")
        check_encoding_errors(self.encoding_errors)

    @property
    def quoting(self) -> Quoting:
        """Delimiter and quote as the native reader takes them."""
        return Quoting(ord(self.delimiter or ","), ord(self.quote) if self.quote else 0)


_UNUSUAL = re.compile(rb"(?<![0-9.])0[0-9xX]")

#: What is said of a guess that is in doubt.
_DOUBTS = {
    True: "header: guessed, in doubt: the first line is read as the names of columns; if it is a row, say {}",
    False: "header: guessed, in doubt: the first line is read as a row; if it names the columns, say {}",
}


class CsvReader(TableReader):
    """Blocks of CSV files with the same columns."""

    settings: Csv

    def _profiles(self, source: Source) -> dict[str, Profile]:
        for head, whole in heads(source):  # until two rows are whole: names, and values
            text = head.decode("utf-8", "replace")
            delimiter = self.settings.delimiter or sniff_delimiter(text, self.settings.quote, whole)
            lines: list[int] = []
            rows = _rows(text, delimiter, self.settings.quote, whole, lines=lines)
            if whole or len(rows) > 1:
                break
        if not rows:
            raise DataError("the file is empty", file=source.name)
        self._check_delimiter(text, whole, rows, source.name)
        header = self.settings.header
        if header is None:
            header = self._guessed_header(rows)
        self.settings = replace(self.settings, delimiter=delimiter, header=header)
        names = self._names(rows[0], source.name)
        kept = [i for i in range(1 if header else 0, len(rows)) if len(rows[i]) == len(names)][:SAMPLE_ROWS]
        sample, places = [rows[i] for i in kept], [lines[i] for i in kept]
        profiles = {name: profile_strings([row[i] for row in sample], places) for i, name in enumerate(names)}
        if header and not rows[0][0].strip() and profiles[names[0]].is_index:
            profiles[names[0]] = profiles[names[0]]._replace(kind="index")
        return profiles

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of this size, the last one and those with skipped rows shorter."""
        self.prepare(source)
        names, line = self._header(source)
        for chunk in chunks(source, size, self.settings.quoting, line):
            self._check_room(source, chunk)
            yield self._parsed(chunk, names, source)

    def _guessed_header(self, rows: list[list[str]]) -> bool:
        """Whether the first row has names: those that are asked for, else by a guess."""
        wanted = self.columns.used
        if wanted and all(name in named(rows[0]) for name in wanted):
            return True
        if wanted and all(re.fullmatch(r"c\d+", name) for name in wanted):
            return False
        header, is_sure = guess_header(rows[0], rows[1:])
        if not is_sure:
            self._notes = ((_DOUBTS[header], "header", not header),)
        return header

    def _check_delimiter(self, text: str, whole: bool, rows: list[list[str]], file: str) -> None:
        delimiter = self.settings.delimiter
        if delimiter is None or len(rows[0]) > 1:
            return
        better = sniff_delimiter(text, self.settings.quote, whole)
        fields = max((len(row) for row in _rows(text, better, self.settings.quote, whole)[:1]), default=0)
        if fields > 1:
            raise DataError(
                f"with the delimiter {delimiter!r} a row is one value, with {better!r} it is {fields}", "say {}",
                file=file, line=1, parameter="delimiter", value=better,
            )  # fmt: skip

    def _names(self, first: Sequence[str], file: str) -> list[str]:
        names = named(first if self.settings.header else [""] * len(first))
        twice = repeated(names)
        if twice is not None:
            raise DataError(
                f"two columns are called {twice!r}", "rename one, or say {}",
                file=file, line=1, parameter="header", value=False,
            )  # fmt: skip
        return names

    def _header(self, source: Source) -> tuple[list[str], int]:
        """The names of the columns of this file, and the line behind them; the header is read, if there is one."""
        begin, line = np.empty(1, np.int64), np.empty(1, np.int64)
        for text, whole in heads(source, 1 << 12):
            rows, end, lines, *_ = engine.csv_rows(
                np.frombuffer(text, np.uint8), *self.settings.quoting, whole, begin, line, len(text)
            )
            if rows or whole:
                break
        if not rows:
            raise DataError("the file is empty", file=source.name)
        assert self.settings.delimiter is not None
        row = text[int(begin[0]) : end]
        fault = utf8_error(row, source.name, int(line[0]) + 1)
        if fault is not None and self.settings.header and self.settings.encoding_errors == "strict":
            raise fault
        first = row.decode("utf-8", "replace")
        names = self._names(_rows(first, self.settings.delimiter, self.settings.quote, True)[0], source.name)
        self._check_names(names, source.name)
        if not self.settings.header:
            return names, 1
        skip_bom(source)
        left = end
        while left:
            left -= len(source.read(left))
        return names, 1 + lines

    def _parsed(self, chunk: Chunk, names: list[str], source: Source) -> Block:
        lines, file = chunk.lines, source.name
        texts = self._cut(chunk, names)
        if texts is not None:
            return self._block(texts, lines, file)
        pa = arrow("CSV files")
        faults: list[DataError] = []
        types = types_of(self.columns)
        if self.columns.label and self.columns.label_type == "text":
            types[self.columns.label] = pa.dictionary(pa.int32(), pa.string())
        try:
            table = self._read(chunk, names, types, threads=True)
            good = table.num_rows == len(lines) and not self._has_unusual_labels(chunk, names)
        except pa.ArrowInvalid:
            good = False
        if not good:
            self._check_room_row_by_row(source, chunk)
            table, lines, faults = self._read_row_by_row(chunk, names, file)
        return self._block(table, lines, file, faults)

    def _cut(self, chunk: Chunk, names: list[str]) -> Any:
        """The table, cut natively, which is faster than Arrow; None: not all columns are strings."""
        label, wanted = self.columns.label, self.columns.used
        if self.columns.numeric or self.columns.weight or (label and self.columns.label_type != "text"):
            return None
        place = {name: i for i, name in enumerate(names)}
        columns = engine.cut_csv(
            np.frombuffer(chunk.text, np.uint8), chunk.begins, *self.settings.quoting, len(names),
            [place[name] for name in wanted], [name == label for name in wanted],
        )  # fmt: skip
        if columns is None:
            return None
        texts = Texts({name: Strings(starts, text, codes) for name, (codes, starts, text) in zip(wanted, columns)})
        return texts.table if self.columns.categorical else texts

    def _has_unusual_labels(self, chunk: Chunk, names: list[str]) -> bool:
        """Whether a label is such as 0x10 or 007, which Arrow alone takes for a whole number."""
        if self.columns.label_type != "integer" or not _UNUSUAL.search(chunk.text):
            return False
        label, pa = self.columns.label, arrow("CSV files")
        words = codes_of(self._read(chunk, names, {label: pa.string()}, threads=True)[label])[0]
        return any(NUMBERED.match(word) or x in word for word in words for x in "xX")

    def _read(self, chunk: Chunk, names: list[str], types: Any, threads: bool, ragged: Any = None) -> Any:
        reader = arrow("CSV files", "pyarrow.csv")
        pa = arrow("CSV files")
        return reader.read_csv(
            pa.BufferReader(chunk.text),
            reader.ReadOptions(column_names=names, use_threads=threads, block_size=chunk.block_bytes),
            reader.ParseOptions(
                delimiter=self.settings.delimiter,
                quote_char=self.settings.quote or False,
                newlines_in_values=chunk.several_lines,
                invalid_row_handler=ragged,
            ),
            reader.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=list(MISSING), strings_can_be_null=False
            ),
        )

    def _read_row_by_row(self, chunk: Chunk, names: list[str], file: str) -> tuple[Any, Array, list[DataError]]:
        """The same rows where something is wrong with them: ragged rows, bytes that are not UTF-8, then values."""
        pa = arrow("CSV files")
        ragged: list[tuple[int, int]] = []

        def remember(row: Any) -> str:
            ragged.append((row.number - 1, row.actual_columns))
            return "skip"

        # Arrow tells of ragged rows in UTF-8 alone: until they are separated, each byte stands for a character.
        wanted, lines = self.columns.used, chunk.lines
        text = bytes(chunk.text)
        text = text if text.isascii() else text.decode("latin-1").encode()
        wide = chunk._replace(text=text, longest=2 * chunk.longest)
        table = self._read(wide, names, dict.fromkeys(wanted, pa.string()), False, remember)
        if len(ragged) + table.num_rows != len(lines):
            raise DataError("its rows do not separate: is every quoted value closed?", file=file, line=int(lines[0]))
        expected = len(names)
        ragged_errors = [
            DataError(
                f"{n} value{'s' if n != 1 else ''} where {expected} columns are expected",
                f"quote a value that holds the delimiter {self.settings.delimiter!r}",
                file=file,
                line=int(lines[row]),
            )
            for row, n in sorted(ragged)
        ]
        lines = np.delete(lines, [row for row, _ in ragged])
        values: dict[str, list[Any]] = {}
        faults: dict[int, DataError] = {}
        for name in wanted:
            values[name] = column = [value.encode("latin-1") for value in table[name].to_pylist()]
            for row, value in enumerate(column):
                try:
                    column[row] = value.decode("utf-8", self.settings.encoding_errors)
                except UnicodeDecodeError:
                    fault = utf8_error(value, file, 1)
                    assert fault is not None
                    faults.setdefault(row, fault.at(line=int(lines[row]), byte=None, name=name))
        kept = [row for row in range(len(lines)) if row not in faults]
        values = {name: [column[row] for row in kept] for name, column in values.items()}
        table, lines, others = convert_row_by_row(values, self.columns, lines[kept], file)
        return table, lines, [*ragged_errors, *faults.values(), *others]


def named(header: Sequence[str]) -> list[str]:
    """The names of columns; one without a name is called by its place."""
    return [name.strip() or f"c{i}" for i, name in enumerate(header, 1)]


def _rows(
    text: str, delimiter: str, quote: str, whole: bool, most: int = SAMPLE_ROWS + 1, lines: list[int] | None = None
) -> list[list[str]]:
    """The first rows of a text; the last one only if it is whole. The line of each is added to ``lines``."""
    options: dict[str, Any] = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    rows = []
    values = text.count(delimiter)
    memory.check(VALUE_BYTES * values, f"a table whose first rows have {values:,} values", "write it as svmlight")
    limit = csv.field_size_limit(len(text) + 1)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **options)
        line = 1
        for row in reader:
            if row:
                rows.append(row)
                if lines is not None:
                    lines.append(line)
            line = reader.line_num + 1
            if len(rows) > most:
                break
    except csv.Error:
        pass  # refused with its place when the row is read
    finally:
        csv.field_size_limit(limit)
    return rows if whole or len(rows) > most else rows[:-1]


#: Characters that a delimiter is guessed from.
_SNIFFED = 1 << 24


def sniff_delimiter(text: str, quote: str, whole: bool) -> str:
    """The delimiter that cuts most of the first rows into the same number of values, more than one."""
    best = (0.0, 0)
    chosen = ","
    text, whole = text[:_SNIFFED], whole and len(text) <= _SNIFFED
    for delimiter in DELIMITERS:
        counts = [len(row) for row in _rows(text, delimiter, quote, whole, 50)]
        if not counts or counts[0] < 2:
            continue
        alike = sum(count == counts[0] for count in counts) / len(counts)
        if (alike, counts[0]) > best:
            best, chosen = (alike, counts[0]), delimiter
    return chosen
