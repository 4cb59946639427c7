"""Files in another format: tables with the names, the order and the types of their columns, or not at all."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..errors import DataError
from .arrow import arrow
from .bad_rows import Skipped
from .blocks import Block
from .columns import Columns, columns_of
from .encoder import Encoder
from .pipes import ReplayablePipe, identity
from .profiles import MISSING
from .reading import Stream, stream, stream_as_stored
from .sources import expand, replacing
from .sparse_text import Svmlight
from .writing import quoted_csv, table_writer, target_format, write

#: Formats of columns with names.
TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")

_MISSING = rf"^({'|'.join(map(re.escape, MISSING))})$"  # Arrow would load pandas for a set of strings
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$"


def convert(
    source: Any,
    target: Any,
    *,
    to: str | None = None,
    block_rows: int | None = None,
    classes: Mapping[Any, float] | None = None,
    encoder: Callable[[Any], Encoder] | None = None,
    zero_based: bool = False,
    drop: str | Sequence[str] = (),
    **reading: Any,
) -> tuple[int, Skipped]:
    """Write files in another format, block by block; returns the number of rows and what was skipped.

    From table to table (CSV, JSON lines, Parquet, Arrow) every column is kept, with its name, in its place, in its
    type: text of a CSV file becomes whole numbers, numbers or truth values only where all of a column is written as
    these are (``007`` is text), and dates become text where the new format has none. What the new format cannot hold,
    such as a list in CSV, is refused by its name.

    Parameters
    ----------
    source, **reading
        What `stream` takes. Which column is what matters for svmlight and Vowpal Wabbit alone.
    target : str or path
        The new file; not one of the sources.
    to : str or None, default=None
        Its format; None: by its name.
    block_rows : int or None, default=None
        Rows that are held at a time.
    classes, zero_based
        See `write`.
    encoder : callable or None, default=None
        Makes an `Encoder` of the resolved columns of a table, where numbers are needed.
    drop : str or sequence of str, default=()
        Columns of a table to leave out.
    """
    name = target_format(target, to, "to")
    sources = expand(source)
    _refuse_source(target, sources)
    with _replayable(sources) as opened:
        columns = columns_of(reading.pop("columns", None))
        columns = replace(columns, drop=drop) if drop else columns
        how = {key: value for key, value in reading.items() if key not in ("missing", "n_threads")}
        with stream_as_stored(opened(), block_rows, columns.drop, **how) as blocks:
            format, is_table = blocks.format, blocks.columns is not None
        if is_table and name in TABLES:
            return _convert_tables(opened, target, name, format, columns, block_rows, reading)
        with stream(opened(), block_rows=block_rows, columns=columns, **reading) as blocks:
            resolved = blocks.columns
        if resolved is not None:
            _refuse_ignored(columns, resolved, name)
        elif isinstance(format, Svmlight):
            reading = {"query_id": True} | reading
            if name in TABLES and reading.get("n_features") is None:
                reading |= _width(opened(), reading)
        with stream(opened(), block_rows=block_rows, columns=columns, **reading) as blocks:
            made = encoder(resolved) if encoder is not None and resolved is not None else None
            n = write(target, blocks, format=name, classes=classes, encoder=made, zero_based=zero_based)
            return n, blocks.skipped


def _refuse_source(target: Any, sources: Sequence[Any]) -> None:
    for source in sources:
        named = isinstance(source, (str, os.PathLike)) and os.path.exists(source) and os.path.exists(target)
        if named and os.path.samefile(target, source):
            problem, remedy = "this file is read from and would be overwritten", "name another file to write to"
            raise DataError(problem, remedy, file=os.fspath(target))


@contextmanager
def _replayable(sources: Sequence[Any]) -> Iterator[Callable[[], list[Any]]]:
    """What gives the sources from their beginning, again and again: pipes are kept, file objects turned back."""
    pipes = {i: ReplayablePipe(path) for i, path in enumerate(sources) if isinstance(path, str) and identity(path)}
    kept = pipes | {i: pipe for i, pipe in enumerate(sources) if isinstance(pipe, ReplayablePipe)}
    starts = {i: file.tell() for i, file in enumerate(sources) if hasattr(file, "seekable") and file.seekable()}

    def opened() -> list[Any]:
        for i, start in starts.items():
            sources[i].seek(start)
        return [kept[i].open() if i in kept else path for i, path in enumerate(sources)]

    try:
        yield opened
    finally:
        for pipe in pipes.values():
            pipe.close()


def _refuse_ignored(columns: Columns, resolved: Columns, format: str) -> None:
    """Refuse to lose a column that nobody asked to lose."""
    lost = [name for name in resolved.ignored if name not in columns.drop]
    if lost and not columns.features:
        problem = f"the column {lost[0]!r} would be lost in {format} ({resolved.why.get(lost[0], '')})"
        raise _refusal(problem, ",".join(lost))


def _refusal(problem: str, names: Any = ...) -> DataError:
    """The error of columns that cannot be kept."""
    return DataError(problem, "leave it out with {}", parameter="drop", value=names)


def _width(sources: Sequence[Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """How many features svmlight files have: a table has all its columns from its first row on."""
    with stream(sources, **reading) as blocks:
        width = max((block.csr.n_features for block in blocks if block.csr is not None), default=0)
        return {"n_features": width, "zero_based": blocks.format.zero_based}


# ---- from table to table ---------------------------------------------------------------------------------------------


def _convert_tables(
    opened: Callable[[], list[Any]],
    target: Any,
    name: str,
    format: Any,
    columns: Columns,
    block_rows: int | None,
    reading: Mapping[str, Any],
) -> tuple[int, Skipped]:
    if columns.used:
        problem = f"from table to table every column is kept, so that none need be named, and {columns.used[0]!r} is"
        raise _refusal(problem).at(remedy="to leave columns out say {}")
    how = {"on_error": reading.get("on_error", "raise"), "format": format}
    how |= {name: reading[name] for name in ("memory", "encoding") if name in reading}

    def blocks() -> Stream:
        return stream_as_stored(opened(), block_rows, columns.drop, **how)

    schema = _schema(blocks, format.name == "csv" and name not in ("csv", "tsv"))
    for field in schema:
        _refuse_type(field, name)
    header = not (format.name == "csv" and name in ("csv", "tsv") and not format.header)
    with blocks() as rows, replacing(target) as file:
        n = _write(file, (_typed(block, schema) for block in rows), schema, name, header)
        return n, rows.skipped


def _schema(blocks: Callable[[], Stream], is_text: bool) -> Any:
    """The columns of all blocks, each in a type that holds its values exactly; those of text, by how it is written."""
    pa = arrow("tables")
    with blocks() as rows:
        if not is_text:
            schemas = list({block.table.schema: None for block in rows})
            try:
                return pa.unify_schemas(schemas, promote_options="permissive")
            except pa.ArrowException as error:
                raise _refusal(f"a column has values of different types ({error})") from None
        kinds: dict[str, list[str]] = {}
        filled: set[str] = set()
        for block in rows:
            for name in block.table.column_names:
                there = _there(block.table[name])
                if len(there):
                    filled.add(name)
                    kinds[name] = [kind for kind in kinds.get(name, ["bool", "int64", "double"]) if _HOLDS[kind](there)]
                kinds.setdefault(name, ["bool", "int64", "double"])
    types = {name: own[0] if own and name in filled else "string" for name, own in kinds.items()}
    return pa.schema([(name, pa.type_for_alias(type_)) for name, type_ in types.items()])


def _there(strings: Any) -> Any:
    pc = arrow("tables", "pyarrow.compute")
    return strings.filter(pc.invert(pc.match_substring_regex(strings, _MISSING)))


def _are_truths(strings: Any) -> bool:
    different = set(strings.unique().to_pylist())
    return different <= {"true", "false"} or different <= {"True", "False"}


def _are_integers(strings: Any) -> bool:
    pc = arrow("tables", "pyarrow.compute")
    return bool(pc.all(pc.match_substring_regex(strings, _INTEGER)).as_py())


def _are_numbers(strings: Any) -> bool:
    """Whether all are decimals that float64 holds: of 15 digits, or such as it is written as."""
    pc = arrow("tables", "pyarrow.compute")
    if not pc.all(pc.match_substring_regex(strings, _NUMBER)).as_py():
        return False
    long = strings.filter(pc.greater(pc.utf8_length(strings), 15)).to_pylist()
    return all(repr(float(text)) == text for text in long)


_HOLDS: dict[str, Callable[[Any], bool]] = {"bool": _are_truths, "int64": _are_integers, "double": _are_numbers}


def _typed(block: Block, schema: Any) -> Any:
    """The rows of a block in the types of all."""
    pa, pc = arrow("tables"), arrow("tables", "pyarrow.compute")
    table, columns = block.table, []
    for field in schema:
        column = table[field.name] if field.name in table.column_names else pa.nulls(len(block), field.type)
        if column.type != field.type:
            if _is_text(column.type) and not _is_text(field.type):  # of CSV
                column = pc.if_else(pc.match_substring_regex(column, _MISSING), pa.scalar(None, column.type), column)
            try:
                column = column.cast(field.type)
            except pa.ArrowException as error:
                problem = f"not all values of the column {field.name!r} are {field.type} ({error})"
                raise _refusal(problem, field.name).at(file=block.file(0)) from None
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _refuse_type(field: Any, format: str) -> None:
    """Refuse a column of a type that a format does not have."""
    pa = arrow("tables")
    if format in ("csv", "tsv"):
        holds = _is_scalar(field.type)
    elif format == "jsonl":
        holds = _is_json(field.type)
    else:
        try:
            table_writer(pa.BufferOutputStream(), pa.schema([field]), format).close()
            holds = True
        except pa.ArrowException:
            holds = False
    if not holds:
        raise _refusal(f"the column {field.name!r} holds {field.type}, which {format} cannot", field.name)


def _is_scalar(type_: Any) -> bool:
    kinds = arrow("tables").types
    if kinds.is_dictionary(type_):
        return _is_scalar(type_.value_type)
    plain = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_null, kinds.is_decimal)
    return any(is_one(type_) for is_one in plain) or _is_text(type_)


def _is_text(type_: Any) -> bool:
    """Whether its values are text, or have one that stands for them."""
    kinds = arrow("tables").types
    text = (kinds.is_string, kinds.is_large_string, kinds.is_date, kinds.is_time, kinds.is_timestamp)
    return any(is_one(type_) for is_one in text) or str(type_) == "string_view"


def _is_json(type_: Any) -> bool:
    kinds = arrow("tables").types
    if kinds.is_struct(type_):
        return all(_is_json(field.type) and not kinds.is_temporal(field.type) for field in type_)
    if kinds.is_list(type_) or kinds.is_large_list(type_):
        return _is_json(type_.value_type) and not kinds.is_temporal(type_.value_type)
    return _is_scalar(type_)


def _write(file: Any, tables: Iterable[Any], schema: Any, format: str, header: bool) -> int:
    """Write tables of one schema; the number of rows."""
    n = 0
    if format in ("parquet", "arrow"):
        with table_writer(arrow("tables").PythonFile(file, "w"), schema, format) as writer:
            for table in tables:
                writer.write_table(table)
                n += table.num_rows
        return n
    comma = "\t" if format == "tsv" else ","
    if header and format != "jsonl":
        file.write((comma.join(quoted_csv(name, comma) for name in schema.names) + "\n").encode())
    for table in tables:
        if format == "jsonl":
            names = [json.dumps(name, ensure_ascii=False) for name in schema.names]
            columns = [_cells(column, _json_text, "null", name) for name, column in zip(schema.names, table.columns)]
            lines = ("{" + ", ".join(map(": ".join, zip(names, row))) + "}" for row in zip(*columns))
        else:
            columns = [_cells(column, lambda text: quoted_csv(text, comma), "", None) for column in table.columns]
            lines = (comma.join(row) for row in zip(*columns))
        file.write("".join(line + "\n" for line in lines).encode())
        n += table.num_rows
    return n


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _cells(column: Any, text: Callable[[Any], str], null: str, json_name: str | None) -> list[str]:
    """Each value as it is written: numbers as the shortest that read back the same, the rest as text."""
    pa = arrow("tables")
    kinds, type_ = pa.types, column.type
    if kinds.is_dictionary(type_):
        column, type_ = column.cast(type_.value_type), type_.value_type
    if kinds.is_float32(type_) or kinds.is_float16(type_):
        column = pa.chunked_array([[None if v is None else float(str(v)) for v in _numpy_values(column)]], pa.float64())
    elif _is_text(type_) or kinds.is_decimal(type_):
        column = column.cast(pa.string())
    values = column.to_pylist()
    if kinds.is_floating(type_) and json_name is not None and not all(v is None or math.isfinite(v) for v in values):
        row = next(i for i, v in enumerate(values) if v is not None and not math.isfinite(v))
        raise _refusal(f"JSON has no {values[row]}, which the column {json_name!r} holds", json_name)
    if kinds.is_boolean(type_):
        return [null if value is None else str(value).lower() for value in values]
    if kinds.is_integer(type_) or kinds.is_decimal(type_) or kinds.is_floating(type_):
        return [null if value is None else str(value) for value in values]
    try:
        return [null if value is None else text(value) for value in values]
    except ValueError as error:
        raise _refusal(f"the column {json_name!r} holds what JSON cannot ({error})", json_name) from None


def _numpy_values(column: Any) -> Iterator[Any]:
    for chunk in column.chunks:
        yield from (None if not valid else value for value, valid in zip(
            chunk.to_numpy(zero_copy_only=False), chunk.is_valid().to_pylist()))  # fmt: skip
