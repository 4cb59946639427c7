"""Blocks of tables: columns in the types of their roles, faulty rows left out, labels taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np

from ..errors import DataError
from .arrow import Strings, Texts, arrow
from .bad_rows import BadRows, quoted
from .blocks import Block, Reader
from .chunks import Chunk
from .columns import Columns, check_names, resolve
from .csr import Array
from .profiles import NUMBERED, Profile, is_missing
from .sources import Source

#: What Python takes for a short string or number in a list.
VALUE_BYTES = 64

#: A number that is larger is refused: the squares of 2^40 of them still have a sum.
LARGEST = 2.0**490

_DATE = "timestamp[us]"  # a type of Arrow

#: Rows that guesses are made from.
SAMPLE_ROWS = 1000


class TableReader(Reader):
    """What the readers of tables share: columns that the first file settles, and blocks of typed tables."""

    columns: Columns
    _notes: tuple[tuple[str, str, Any], ...] = ()  # guesses that are in doubt
    _unit = "line"
    #: Whether all columns are read as they are stored, text as text, to be written to another file.
    as_stored = False

    def __init__(self, settings: Any, bad_rows: BadRows, columns: Columns, missing: str | None) -> None:
        super().__init__(settings, bad_rows)
        self.columns, self._settled = columns, False
        if missing is not None:
            check_missing(missing)
        self._missing = missing

    def prepare(self, source: Source) -> None:
        """Settle what is to be guessed by the first file."""
        if not self._settled:
            profiles = self._profiles(source)
            if self.as_stored:
                check_names(self.columns.drop, list(profiles), source.name)
                names = [name for name in profiles if name not in self.columns.drop]
                self.columns = Columns(label=False, text=names, drop=self.columns.drop)
            else:
                self.columns = resolve(self.columns, profiles, source.name, self._bad_rows.skip, self._unit)
            self.columns = replace(self.columns, notes=self._notes)
            self._settled = True

    def _check_names(self, there: Sequence[str], file: str) -> None:
        """Refuse a file without the columns that are read; all of them are, if they are read as they are stored."""
        check_names(self.columns.used, there, file)
        known = {*self.columns.used, *self.columns.drop}
        more = [name for name in there if name not in known] if self.as_stored else []
        if more:
            raise DataError(f"the column {more[0]!r} is not in the first file", "leave it out with {}", file=file,
                            parameter="drop", value=more[0])  # fmt: skip

    def _profiles(self, source: Source) -> dict[str, Profile]:
        """What the columns of a file look like; its rows are still to be read."""
        raise NotImplementedError

    def _check_room(self, source: Source, chunk: Chunk) -> None:
        """Refuse a chunk of text whose table would be more than may be held."""
        rows = len(chunk.lines)
        source.check_room(2 * len(chunk.text) + rows * (16 + 8 * len(self.columns.used)), rows)

    def _check_room_row_by_row(self, source: Source, chunk: Chunk) -> None:
        """The same where values are looked at one by one, each an object of Python."""
        rows = len(chunk.lines)
        source.check_room(3 * len(chunk.text) + rows * (16 + 3 * VALUE_BYTES * len(self.columns.used)), rows)

    def _block(self, table: Any, lines: Array, file: str, faults: Sequence[DataError] = ()) -> Block:
        table = missing_as_null(table, self.columns)
        return self._checked(Block(None, lines, ((file, 0),), columns=table, unit=self._unit), faults)

    def _checked(self, block: Block, earlier: Sequence[DataError]) -> Block:
        """The block without faulty rows: those with no label, with a weight that is none, or that cannot be encoded."""
        columns, table, lines = self.columns, block.columns, block.lines
        faults = {} if self._missing is None else unusable(table, columns, self._missing)
        labels, unlabelled = _labels(table[columns.label]) if columns.label else (None, ())
        bad = _bad_weights(table[columns.weight]) if columns.weight else ()
        infinite = np.flatnonzero(np.isinf(labels)) if labels is not None and labels.dtype.kind == "f" else ()
        for name, what, rows in (
            (columns.label, "the label is missing", unlabelled),
            (columns.label, "the label is infinite", infinite),
            (columns.weight, "the weight is not a number from 0 on", bad),
        ):
            for row in rows:
                faults.setdefault(int(row), DataError(what, name=name or None))
        found = [*earlier, *(fault.at(**block.origin(row)) for row, fault in faults.items())]
        self._bad_rows.report(sorted(found, key=lambda error: error.line or error.row or 0))
        if faults:
            kept = np.ones(len(lines), bool)
            kept[list(faults)] = False
            table = (table.table if isinstance(table, Texts) else table).filter(kept)
            lines = lines[kept]
            labels = _labels(table[columns.label])[0] if columns.label else None
        weights = numpy_of(table[columns.weight]) if columns.weight else None
        return replace(block, labels=labels, lines=lines, columns=table.select(columns.features), weights=weights)


def types_of(columns: Columns) -> dict[str, Any]:
    """The Arrow type of every column that is read."""
    pa = arrow("tables")
    labels = {"integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_(), "text": pa.string(), None: None}
    types = dict.fromkeys((*(columns.text or ()), *(columns.categorical or ())), pa.string())
    types |= dict.fromkeys(columns.numeric or (), pa.float64())
    types |= dict.fromkeys(columns.dates or (), pa.timestamp("us"))
    if columns.label:
        types[columns.label] = labels[columns.label_type]
    if columns.weight:
        types[columns.weight] = pa.float64()
    return types


def check_missing(missing: str) -> None:
    """Refuse an unknown treatment of missing values."""
    if missing not in ("raise", "absent"):
        raise ValueError(f"missing must be 'raise' or 'absent', got {missing!r}")


def unusable(table: Any, columns: Columns, missing: str) -> dict[int, DataError]:
    """The rows that cannot be encoded, by a value that is missing, if that is a fault, or infinite or too large."""
    faults: dict[int, DataError] = {}
    for name in columns.features if missing == "raise" else ():
        if table[name].null_count:
            gone = arrow("tables", "pyarrow.compute").is_null(table[name]).to_pylist()
            for row in np.flatnonzero(gone).tolist():
                error = DataError("the value is missing", "fill it in, or say {}", name=name)
                faults.setdefault(row, error.at(parameter="missing", value="absent"))
    for name in columns.numeric or ():
        values = numpy_of(table[name])
        for row in np.flatnonzero(np.abs(values) > LARGEST).tolist():
            what = "infinite" if np.isinf(values[row]) else f"{values[row]:g}, which is too large to be squared"
            faults.setdefault(row, DataError(f"the value is {what}", name=name))
    return faults


def _labels(column: Any) -> tuple[Array, Array]:
    """The labels, and the rows that have none: null, NaN, or nothing but blanks."""
    if str(column.type) == "string" or str(column.type).startswith("dictionary"):
        words, codes = codes_of(column)
        there = np.array([bool(word.strip()) for word in words] + [False])  # the code −1 is the last
        return np.array(words or [""], dtype=str)[codes], np.flatnonzero(~there[codes])
    values = numpy_of(column)
    if column.null_count:
        return values, np.flatnonzero([value is None for value in column.to_pylist()])
    return values, np.flatnonzero(np.isnan(values)) if values.dtype.kind == "f" else np.empty(0, np.int64)


def _bad_weights(column: Any) -> Array:
    values = numpy_of(column)
    return np.flatnonzero(~((values >= 0) & np.isfinite(values)))


def numpy_of(column: Any) -> Array:
    """A column of numbers as a NumPy array, null as NaN.

    Arrow's own conversions load pandas, where it is there: a third of a second. So they are for nulls alone.
    """
    whole = column.combine_chunks() if hasattr(column, "chunks") else column
    if hasattr(whole, "chunks"):  # of no chunks, in some versions
        whole = whole.chunk(0)
    dtypes = {"double": np.float64, "int64": np.int64, "int32": np.int32}
    dtype = dtypes.get(str(whole.type))
    if dtype is None or whole.null_count or not len(whole):
        return np.asarray(whole.to_numpy(zero_copy_only=False))
    return np.frombuffer(whole.buffers()[1], dtype, len(whole) + whole.offset)[whole.offset :]


def codes_of(column: Any) -> tuple[list[str], Array]:
    """The different strings of a column, and the number of each row's among them; −1 where it is null."""
    if isinstance(column, Strings):
        return column.numbered()
    if not str(column.type).startswith("dictionary"):
        column = column.dictionary_encode()
    values: dict[str, int] = {}
    codes = [np.empty(0, np.int64)]
    for part in column.chunks:
        own = [values.setdefault(value, len(values)) for value in part.dictionary.to_pylist()]
        numbers = part.indices
        numbers = [-1 if i is None else i for i in numbers.to_pylist()] if numbers.null_count else numpy_of(numbers)
        codes.append(np.array([*own, -1])[numbers])
    return list(values), np.concatenate(codes)


def missing_as_null(table: Any, columns: Columns) -> Any:
    """Empty strings of categorical columns, and NaN of numeric ones, as what they are: missing; dates as days."""
    changed: dict[str, Any] = {}
    for name in columns.dates or ():
        pa, pc = arrow("tables"), arrow("tables", "pyarrow.compute")
        microseconds = table[name].cast(pa.int64()).cast(pa.float64(), safe=False)
        changed[name] = pc.divide(microseconds, 86_400e6)
    for name in (*(columns.categorical or ()), *(columns.numeric or ())):
        column = changed.get(name, table[name])
        numeric = str(column.type) == "double"
        if numeric and not column.null_count and not any(np.isnan(numpy_of(c)).any() for c in column.chunks if len(c)):
            continue
        pa, pc = arrow("tables"), arrow("tables", "pyarrow.compute")
        # The same as to compare these strings with "", but for values from Python Arrow imports pandas.
        gone = pc.is_nan(column) if numeric else pc.invert(pc.binary_length(column).cast("bool"))
        if pc.any(gone).as_py():
            changed[name] = pc.if_else(gone, pa.scalar(None, column.type), column)
    if not changed:
        return table
    names = table.column_names
    return arrow("tables").Table.from_arrays([changed.get(name, table[name]) for name in names], names)


def convert_row_by_row(
    values: Mapping[str, Sequence[Any]], columns: Columns, lines: Array, file: str
) -> tuple[Any, Array, list[DataError]]:
    """A typed table from columns of strings or JSON values, one value at a time: finds which rows are at fault."""
    pa = arrow("tables")
    faults: dict[int, DataError] = {}
    typed: dict[str, list[Any]] = {}
    types = types_of(columns)
    for name, type_ in types.items():
        typed[name] = column = []
        for row, value in enumerate(values[name]):
            try:
                column.append(_converted(value, type_))
            except (TypeError, ValueError):
                kind = {
                    "int64": "an integer",
                    "double": "a number",
                    "bool": "true or false",
                    _DATE: "a date such as 2020-12-31",
                }.get(str(type_), "a string")
                error = DataError(f"{quoted(str(value))} is not {kind}, which the column holds")
                if name == columns.label and str(type_) != "string":
                    error.at(remedy="if labels are words, say {}", parameter="label_type", value="text")
                faults.setdefault(row, error.at(file=file, line=int(lines[row]), name=name))
                column.append(None)
    table = pa.table({name: pa.array(column, types[name]) for name, column in typed.items()})
    kept = np.ones(len(lines), bool)
    kept[list(faults)] = False
    return table.filter(kept), lines[kept], list(faults.values())


def _converted(value: Any, type_: Any) -> Any:
    """One value of a column, converted to its type."""
    kind = str(type_)
    if value is None or (kind != "string" and is_missing(value)):
        return None
    if isinstance(value, (list, dict)):
        raise TypeError
    if kind == "string":
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # as Arrow writes it
        text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
        text.encode()  # half a surrogate pair, which JSON can write, is no text
        return text
    if kind == _DATE:
        when = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
        if not isinstance(when, date):
            raise TypeError
        return when
    if kind == "bool":
        if isinstance(value, str):
            value = {"true": True, "false": False, "1": True, "0": False}.get(value.strip().lower())
        if not isinstance(value, bool):
            raise TypeError
        return value
    if isinstance(value, str) and ("_" in value or (kind == "int64" and NUMBERED.match(value))):
        raise ValueError
    number = float(value) if kind == "double" else int(value)
    if kind == "int64" and (not -(1 << 63) <= number < 1 << 63 or number != float(value)):
        raise ValueError
    return number
