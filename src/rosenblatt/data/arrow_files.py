"""Parquet and Arrow IPC files (Feather) through Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .blocks import Block
from .columns import Columns, Profile, check_names, profile_values, resolved
from .extras import arrow
from .faults import DataError, Judge
from .sources import Source
from .tables import SAMPLE_ROWS, block_of, empty_as_null, types_of

_ROWS = 1 << 16


@dataclass(frozen=True)
class Parquet:
    """Parquet has no settings: types and names are in the file."""

    name: ClassVar[str] = "parquet"


@dataclass(frozen=True)
class ArrowFile:
    """Arrow IPC, as a file (Feather) or a stream, has no settings: types and names are in the file."""

    name: ClassVar[str] = "arrow"


class ArrowReader:
    """Blocks of Parquet or Arrow files with the same columns."""

    def __init__(self, settings: Parquet | ArrowFile, columns: Columns, judge: Judge) -> None:
        self.settings = settings
        self.columns = columns
        self._judge = judge
        self._settled = False

    def prepare(self, source: Source) -> None:
        """Settle what is to be guessed by the first file; it is read again from its beginning."""
        if self._settled:
            return
        pa = arrow("Parquet and Arrow files")
        with _Opened(source, self.settings.name) as opened:
            sample = next(opened.batches(None, SAMPLE_ROWS), None)
        profiles = {}
        for i, field in enumerate(opened.schema):
            values = pa.array([], field.type) if sample is None else sample.column(i).slice(0, SAMPLE_ROWS)
            profiles[field.name] = _profile(field.type, values)
        self.columns = resolved(self.columns, profiles, source.name)
        self._settled = True

    def blocks(self, source: Source, block_rows: int | None) -> Iterator[Block]:
        """Blocks of ``block_rows`` rows, the last one and those with skipped rows shorter."""
        self.prepare(source)
        pa = arrow("Parquet and Arrow files")
        opened = _Opened(source, self.settings.name)
        check_names(self.columns.used, opened.schema.names, source.name)
        types = types_of(self.columns)
        pending: list[Any] = []
        first = 1
        with opened:
            for batch in _whole(opened.batches(list(types), block_rows or _ROWS), block_rows):
                pending.append(batch)
                if block_rows is not None:
                    yield self._block(pa.Table.from_batches(pending), types, first, source.name)
                    first += batch.num_rows
                    pending = []
            if pending:
                yield self._block(pa.Table.from_batches(pending), types, first, source.name)

    def _block(self, table: Any, types: dict[str, Any], first: int, file: str) -> Block:
        pa = arrow("Parquet and Arrow files")
        table = table.select(list(types))
        for i, (name, type_) in enumerate(types.items()):
            try:
                table = table.set_column(i, name, table[name].cast(type_))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise DataError(
                    f"values of type {table[name].type} cannot be read as {type_} ({error})", file, None, name
                ) from error
        lines = np.arange(first, first + table.num_rows, dtype=np.int64)
        return block_of(empty_as_null(table, self.columns), self.columns, lines, file, self._judge)


class _Opened:
    """An open Parquet or Arrow file: its schema, and its rows as record batches."""

    def __init__(self, source: Source, format: str) -> None:
        pa = arrow("Parquet and Arrow files")
        self._source = source
        self._file: Any
        self.schema: Any
        self._handle = pa.OSFile(source.name) if source.seekable else pa.BufferReader(source.whole())
        try:
            if format == "parquet":
                self._file = arrow("Parquet files", "pyarrow.parquet").ParquetFile(
                    self._handle, pre_buffer=False, buffer_size=1 << 20
                )
                self.schema = self._file.schema_arrow
            else:
                self._file = self._ipc(pa)
                self.schema = self._file.schema
        except (pa.ArrowInvalid, OSError) as error:
            reason = f"not a {format.capitalize()} file, or one that was cut short ({str(error).splitlines()[0]})"
            raise DataError(reason, source.name) from error

    def _ipc(self, pa: Any) -> Any:
        try:
            return pa.ipc.open_file(self._handle)
        except pa.ArrowInvalid:
            self._handle.seek(0)
            return pa.ipc.open_stream(self._handle)

    def batches(self, names: list[str] | None, rows: int) -> Iterator[Any]:
        pa = arrow("Parquet and Arrow files")
        file = self._file
        try:
            if hasattr(file, "iter_batches"):
                yield from file.iter_batches(batch_size=rows, columns=names)
            elif hasattr(file, "num_record_batches"):
                yield from (file.get_batch(i) for i in range(file.num_record_batches))
            else:
                yield from file
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"the file is damaged ({str(error).splitlines()[0]})", self._source.name) from error

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()


def _whole(batches: Iterator[Any], block_rows: int | None) -> Iterator[Any]:
    """Batches of exactly ``block_rows`` rows, the last one shorter; None: as they come."""
    if block_rows is None:
        yield from (batch for batch in batches if batch.num_rows)
        return
    pa = arrow("Parquet and Arrow files")
    held: list[Any] = []
    n = 0
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, block_rows - n)
            batch = batch.slice(part.num_rows)
            held.append(part)
            n += part.num_rows
            if n == block_rows:
                yield _one(pa, held)
                held, n = [], 0
    if held:
        yield _one(pa, held)


def _one(pa: Any, batches: list[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _profile(type_: Any, values: Any) -> Profile:
    pa = arrow("Parquet and Arrow files")
    kinds = pa.types
    if kinds.is_dictionary(type_):
        kind = "dictionary"
    elif kinds.is_integer(type_):
        kind = "integer"
    elif kinds.is_floating(type_) or kinds.is_decimal(type_):
        kind = "number"
    elif kinds.is_boolean(type_):
        kind = "boolean"
    elif kinds.is_string(type_) or kinds.is_large_string(type_):
        kind = "string"
    else:
        kind = str(type_)
    return profile_values(values.to_pylist())._replace(kind=kind)
