"""Parquet and Arrow IPC files (Feather) through Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import DataError
from .arrow import arrow
from .blocks import Block
from .chunks import Size
from .columns import repeated
from .profiles import Profile, profile_values
from .sources import Source
from .tables import SAMPLE_ROWS, TableReader, types_of

_ROWS = 1 << 16

#: Guesses are made from so many bytes of a column at most.
_SAMPLE_BYTES = 1 << 26


@dataclass(frozen=True)
class Parquet:
    """Parquet has no settings: types and names are in the file."""

    #: What the format is called.
    name: ClassVar[str] = "parquet"


@dataclass(frozen=True)
class ArrowFile:
    """Arrow IPC, as a file (Feather) or a stream, has no settings: types and names are in the file."""

    #: What the format is called.
    name: ClassVar[str] = "arrow"


class ArrowReader(TableReader):
    """Blocks of Parquet or Arrow files with the same columns."""

    settings: Parquet | ArrowFile
    _unit = "row"

    def _profiles(self, source: Source) -> dict[str, Profile]:
        pa = arrow("Parquet and Arrow files")
        with _TableFile(source, self.settings.name) as opened:
            sample = next(opened.batches(None, SAMPLE_ROWS), None)
        profiles = {}
        for i, field in enumerate(opened.schema):
            values = pa.array([], field.type) if sample is None else sample.column(i).slice(0, SAMPLE_ROWS)
            while len(values) > 1 and _decoded_bytes(values) > _SAMPLE_BYTES:
                values = values.slice(0, len(values) // 2)
            profiles[field.name] = _profile(field.type, values)
        return profiles

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of this size, the last one and those with skipped rows shorter."""
        self.prepare(source)
        pa = arrow("Parquet and Arrow files")
        types = types_of(self.columns)
        most, step = (1 << 62, _ROWS) if size is None else (size.rows, size.rows)
        pending: list[Any] = []
        first, rows, n_bytes = 1, 0, 0
        with _TableFile(source, self.settings.name) as opened:
            self._check_names(opened.schema.names, source.name)
            if self.as_stored:
                types = {name: opened.schema.field(name).type for name in types}
            for batch in opened.batches(list(types), step):
                while batch.num_rows:
                    pending.append(batch.slice(0, most - rows))
                    rows, n_bytes = rows + len(pending[-1]), n_bytes + _bytes_as_read(pending[-1], types)
                    source.check_room(n_bytes, rows)
                    batch = batch.slice(len(pending[-1]))
                    if rows == most:
                        yield self._typed(pa.Table.from_batches(pending), types, first, source.name)
                        first += rows
                        pending, rows, n_bytes = [], 0, 0
            if pending:
                yield self._typed(pa.Table.from_batches(pending), types, first, source.name)

    def _typed(self, table: Any, types: dict[str, Any], first: int, file: str) -> Block:
        lines = np.arange(first, first + table.num_rows, dtype=np.int64)
        table = cast_columns(table, types, file)
        if self.as_stored:
            return Block(None, lines, ((file, 0),), columns=table, unit=self._unit)
        return self._block(table, lines, file)


def cast_columns(table: Any, types: dict[str, Any], file: str | None = None) -> Any:
    """The columns of an Arrow table that are read, in the types that they are read as."""
    pa = arrow("Parquet and Arrow files")
    columns = []
    for name, type_ in types.items():
        column = table[name]
        try:
            if str(type_) == "double" and pa.types.is_decimal(column.type):
                column = column.cast(pa.string())  # the nearest of float64 is what is read of it: Arrow's own is not
            # A whole number is the nearest of float64, as in every other format.
            safe = not pa.types.is_temporal(type_) and not (str(type_) == "double" and pa.types.is_integer(column.type))
            columns.append(column.cast(type_, safe=safe))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            problem = f"values of type {column.type} cannot be read as {type_} ({error})"
            raise DataError(problem, file=file, name=name) from error
    return pa.Table.from_arrays(columns, list(types))


class _TableFile:
    """An open Parquet or Arrow file: its schema, and its rows as record batches."""

    def __init__(self, source: Source, format: str) -> None:
        pa = arrow("Parquet and Arrow files")
        self._source = source
        self._file: Any
        self.schema: Any
        self._handle = pa.OSFile(source.name) if source.seekable else pa.BufferReader(source.whole())
        try:
            if format == "parquet":
                self._file = self._parquet()
                self.schema = self._file.schema_arrow
                if repeating := _repeating(self._file.metadata, self.schema):
                    self._file = self._parquet(read_dictionary=repeating)
            else:
                self._file = self._ipc(pa)
                self.schema = self._file.schema
            names = self.schema.names
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self._handle.close()
            reason = f"not a {format.capitalize()} file, or one that was cut short ({str(error).splitlines()[0]})"
            raise DataError(reason, file=source.name) from error
        twice = repeated(names)
        if twice is not None:
            self._handle.close()
            raise DataError(f"two columns are called {twice!r}", "rename one", file=source.name)

    def _parquet(self, **options: Any) -> Any:
        file = arrow("Parquet files", "pyarrow.parquet").ParquetFile
        return file(self._handle, pre_buffer=False, buffer_size=1 << 20, **options)

    def _ipc(self, pa: Any) -> Any:
        try:
            return pa.ipc.open_file(self._handle)
        except pa.ArrowInvalid:
            self._handle.seek(0)
            return pa.ipc.open_stream(self._handle)

    def batches(self, names: list[str] | None, rows: int) -> Iterator[Any]:
        """Record batches of the columns, checked: what lies in a damaged file may point anywhere, or be no UTF-8."""
        pa = arrow("Parquet and Arrow files")
        file = self._file
        batches: Iterator[Any]
        if hasattr(file, "iter_batches"):
            batches = file.iter_batches(batch_size=rows, columns=names)
        elif hasattr(file, "num_record_batches"):
            batches = (file.get_batch(i) for i in range(file.num_record_batches))
        else:
            batches = iter(file)
        try:
            for batch in batches:
                batch = batch if names is None else batch.select(names)
                batch.validate(full=True)
                yield batch
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"the file is damaged ({str(error).splitlines()[0]})", file=self._source.name) from error

    def __enter__(self) -> _TableFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()


def _repeating(metadata: Any, schema: Any) -> list[str]:
    """Columns of strings that may be much larger than they are in the file, where equal ones are stored once.

    They are read as the different ones and the number of each row's, and are counted before they are written out.
    """
    strings = {field.name for field in schema if str(field.type) in ("string", "large_string", "string_view")}
    names: dict[str, None] = {}
    for group in range(metadata.num_row_groups if strings else 0):
        about = metadata.row_group(group)
        for i in range(about.num_columns):
            column = about.column(i)
            once = any("DICTIONARY" in how for how in column.encodings)
            # Stored once, a value may be as long as all of the column is there.
            most = min(column.num_values, _ROWS) * max(column.total_uncompressed_size, 1)
            if once and column.path_in_schema in strings and most > _SAMPLE_BYTES:
                names[column.path_in_schema] = None
    return list(names)


def _bytes_as_read(batch: Any, types: dict[str, Any]) -> int:
    """Bytes that a batch takes once its columns have the types that are read."""
    columns = zip(batch.schema.names, batch.columns)
    return sum(max(_decoded_bytes(column), 8 * len(column) * (name in types)) for name, column in columns)


def _decoded_bytes(values: Any) -> int:
    """Bytes of a column, each string written out."""
    if not str(values.type).startswith("dictionary") or "string" not in str(values.type.value_type):
        return int(values.nbytes)
    pc = arrow("Parquet and Arrow files", "pyarrow.compute")
    lengths = pc.fill_null(pc.binary_length(values.dictionary), 0).cast("int64")
    return 4 * len(values) + (pc.sum(lengths.take(values.indices)).as_py() or 0)


def _profile(type_: Any, values: Any) -> Profile:
    pa = arrow("Parquet and Arrow files")
    kinds = pa.types
    if kinds.is_dictionary(type_):
        kind = "dictionary"
    elif kinds.is_integer(type_) or (kinds.is_decimal(type_) and type_.scale <= 0):
        kind = "integer"
    elif kinds.is_floating(type_) or kinds.is_decimal(type_):
        kind = "number"
    elif kinds.is_boolean(type_):
        kind = "boolean"
    elif kinds.is_string(type_) or kinds.is_large_string(type_) or str(type_) == "string_view":
        kind = "string"
    elif kinds.is_timestamp(type_) or kinds.is_date(type_):
        kind = "date"
    else:
        kind = str(type_)
    return profile_values(values.to_pylist())._replace(kind=kind)
