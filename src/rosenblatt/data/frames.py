"""Tables in memory as blocks, read as those of files are.

Frames of pandas and polars and Arrow tables are read as Parquet is; dicts of columns and lists of dicts, which hold any
values of Python, as JSON lines are, and so are the columns of frames that should be numbers and are strings. But a
category that is a number is spelled as it was met in training: a file of text may have said 7 or 7.0.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from .arrow import arrow
from .arrow_files import cast_columns
from .blocks import Block
from .columns import Columns, check_names, repeated
from .tables import convert_row_by_row, missing_as_null, types_of


def is_table(X: Any) -> bool:
    """Whether X is a table whose columns have names."""
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], Mapping)
    return isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "schema")


def block_of_table(X: Any, columns: Columns, met: Container[str] = ()) -> Block:
    """The rows of a table without their labels; a `DataError` names the row and the column that it is about.

    ``met`` are categories as `Encoder` keeps them, ``name=value``.
    """
    wanted = columns.without_label()
    values = _values_by_column(X, wanted.used)
    if values is None:
        table = _arrow_table(X, wanted.used)
        for name in wanted.categorical or ():
            table = table.set_column(table.column_names.index(name), name, _spelled_column(table[name], name, met))
        for name, column in _numbers_of_words(X, table, wanted).items():
            table = table.set_column(table.column_names.index(name), name, column)
        table = cast_columns(table, types_of(wanted))
    else:
        for name in wanted.categorical or ():
            values[name] = [_spelled(value, name, met) for value in values[name]]
        table = _table_of_values(values, wanted)
    table = missing_as_null(table, wanted)
    return Block(None, np.arange(table.num_rows), (), columns=table.select(wanted.features))


def block_of_matrix(X: Any, columns: Columns) -> Block:
    """The rows of a matrix whose columns are the numeric ones, in their order."""
    names = columns.numeric or ()
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return block_of_table(arrow("tables").table({name: dense[:, i] for i, name in enumerate(names)}), columns)


def _values_by_column(X: Any, names: Sequence[str]) -> dict[str, list[Any]] | None:
    """The values of each column, of dicts; None: X is a frame or an Arrow table."""
    if isinstance(X, (list, tuple)):
        for row, one in enumerate(X):
            if not isinstance(one, Mapping):
                raise DataError(f"one row is a dict of named values, got {type(one).__name__}", row=row)
        check_names(names, list(dict.fromkeys(str(name) for row in X for name in row)), None, _OWNER)
        return {name: [row.get(name) for row in X] for name in names}
    if not isinstance(X, Mapping):
        return None
    check_names(names, [str(name) for name in X], None, _OWNER)
    values = {}
    for name in names:
        column = X[name].tolist() if hasattr(X[name], "tolist") else X[name]
        if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Sequence):
            raise DataError("a dict of columns holds a list of values for each; for one row give [dict]", name=name)
        values[name] = list(column)
    lengths = {name: len(column) for name, column in values.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise DataError(f"the columns are of different lengths: {told}")
    return values


_OWNER = "the model needs all its columns, and "


def _table_of_values(values: dict[str, list[Any]], columns: Columns) -> Any:
    there = {name: [None if _is_nan(value) else value for value in column] for name, column in values.items()}
    n = len(next(iter(there.values()), []))
    table, _, faults = convert_row_by_row(there, columns, np.arange(n), "")
    for fault in faults:
        raise fault.at(file=None, line=None, row=fault.line)
    return table


def _spelled(value: Any, name: str, met: Container[str]) -> Any:
    """A category as text, as it was met."""
    if value is None or _is_nan(value) or isinstance(value, (str, list, dict)):
        return value
    spellings = [str(value)]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value % 1 == 0:
        spellings += [str(int(value)), str(float(value))]
    return next((text for text in spellings if f"{name}={text}" in met), spellings[0])


def _spelled_column(column: Any, name: str, met: Container[str]) -> Any:
    """An Arrow column of categories as text."""
    pa = arrow("tables")
    if "string" in str(column.type):  # or a dictionary of strings
        return column
    column = column.dictionary_encode().combine_chunks()
    words = [_spelled(value, name, met) for value in column.dictionary.to_pylist()]
    words = [None if _is_nan(word) else word for word in words]
    return pa.DictionaryArray.from_arrays(column.indices, pa.array(words, pa.string()))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _arrow_table(X: Any, names: Sequence[str]) -> Any:
    """These columns of a frame or an Arrow table."""
    pa = arrow("tables")
    if hasattr(X, "iloc"):  # pandas, whose columns may be called by anything
        there = [str(name) for name in X.columns]
        _check_names(names, there)
        frame = X.iloc[:, [there.index(name) for name in names]].set_axis(list(names), axis=1)
        try:
            return pa.Table.from_pandas(frame, preserve_index=False)
        except pa.ArrowException:  # objects of several types
            return pa.table({name: _mixed(pa, frame[name]) for name in names})
    if not hasattr(X, "__arrow_c_stream__") and hasattr(X, "to_arrow"):
        X = X.to_arrow()
    table = X if isinstance(X, pa.Table) else pa.table(X)
    _check_names(names, table.column_names)
    return table.select(names)


def _numbers_of_words(X: Any, table: Any, columns: Columns) -> dict[str, Any]:
    """The columns of numbers and dates that hold strings, or values of several types, read as those of dicts are."""
    values = {}
    for name in columns.numeric or ():
        if "string" not in str(table[name].type):  # or a dictionary of strings
            continue
        values[name] = table[name].to_pylist()
        if hasattr(X, "iloc"):
            column = X.iloc[:, [str(other) for other in X.columns].index(name)]
            if column.dtype == object:  # True is no string here
                values[name] = [None if gone else value for value, gone in zip(column.tolist(), column.isna())]
    if not values:
        return {}
    dates = [name for name in columns.dates or () if name in values]
    read = _table_of_values(values, Columns(label=False, numeric=list(values), dates=dates))
    return {name: read[name] for name in values}


def _mixed(pa: Any, column: Any) -> Any:
    """A column of pandas; one of several types as text, None and NaN as missing."""
    try:
        return pa.Array.from_pandas(column)
    except pa.ArrowException:
        return pa.array([None if value is None or _is_nan(value) else str(value) for value in column.tolist()])


def _check_names(names: Sequence[str], there: Sequence[str]) -> None:
    check_names(names, there, None, _OWNER)
    twice = repeated(name for name in there if name in set(names))
    if twice is not None:
        raise DataError(f"two columns are called {twice!r}", "rename one")
