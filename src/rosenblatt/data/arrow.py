"""Arrow, imported when it is needed, and columns of strings laid out as Arrow does it, without importing it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..core import engine
from .csr import Array


def arrow(what: str, module: str = "pyarrow") -> Any:
    """The module of pyarrow that reads or writes ``what``."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} need pyarrow, which comes with rosenblatt: pip install pyarrow") from error


class Strings:
    """A column of strings without nulls.

    Parameters
    ----------
    starts : bytes
        Where each string begins in the text, and the end of the last, as int32.
    text : bytes
        The strings one behind the other, in UTF-8, and maybe room behind them.
    codes : bytes or None
        The number of each row's string, as int32; None: each row has its own.
    """

    null_count = 0
    type = "string"

    def __init__(self, starts: bytes, text: bytes, codes: bytes | None = None) -> None:
        self.starts, self.text, self.codes = starts, text, codes

    def __len__(self) -> int:
        return len(self.codes) // 4 if self.codes is not None else len(self.starts) // 4 - 1

    @property
    def nbytes(self) -> int:
        """Bytes of memory that they take."""
        return len(self.starts) + len(self.text) + len(self.codes or b"")

    @property
    def content(self) -> int:
        """Bytes of UTF-8 that all rows have."""
        starts = np.frombuffer(self.starts, np.int32)
        return int(starts[-1] if self.codes is None else np.diff(starts)[np.frombuffer(self.codes, np.int32)].sum())

    @property
    def n_characters(self) -> int:
        """How many characters all rows have."""
        starts = np.frombuffer(self.starts, np.int32)
        begins = np.frombuffer(self.text, np.int8)[: starts[-1]] >= -64  # the other bytes of a character are below
        if self.codes is None:
            return int(np.count_nonzero(begins))
        before = np.concatenate(([0], np.cumsum(begins)))
        return int(np.diff(before[starts])[np.frombuffer(self.codes, np.int32)].sum())

    def head(self, n: int) -> Strings:
        """The first n rows."""
        if n == len(self):
            return self
        starts = self.starts[: 4 * (n + 1)]
        return Strings(starts, self.text[: int(np.frombuffer(starts, np.int32)[-1])])

    def taken(self, which: Array) -> Strings:
        """The rows with these numbers, in this order."""
        if self.codes is not None:
            return Strings(self.starts, self.text, np.frombuffer(self.codes, np.int32)[which].tobytes())
        starts = np.frombuffer(self.starts, np.int32)
        text = b"".join([self.text[a:b] for a, b in zip(starts[which].tolist(), starts[which + 1].tolist())])
        ends = np.cumsum([0, *(starts[which + 1] - starts[which])], dtype=np.int32)
        return Strings(ends.tobytes(), text)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Capsules of Arrow's C interface: of the strings, without their codes."""
        return engine.arrow_strings(self.starts, self.text)

    def numbered(self) -> tuple[list[str], Array]:
        """The different strings, and the number of each row's among them."""
        assert self.codes is not None
        starts = np.frombuffer(self.starts, np.int32)
        words = [self.text[start:end].decode() for start, end in zip(starts.tolist(), starts[1:].tolist())]
        return words, np.frombuffer(self.codes, np.int32)

    def to_arrow(self) -> Any:
        """The same as an Arrow array."""
        pa = arrow("tables")
        strings = pa.array(self)
        if self.codes is None:
            return strings
        numbers = pa.Array.from_buffers(pa.int32(), len(self), [None, pa.py_buffer(self.codes)])
        return pa.DictionaryArray.from_arrays(numbers, strings)


class Texts:
    """A table that has nothing but text in it: what is needed of an Arrow table on the way from a file to a model."""

    def __init__(self, columns: Mapping[str, Strings]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> Strings:
        return self._columns[name]

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the columns take."""
        return sum(column.nbytes for column in self._columns.values())

    @property
    def column_names(self) -> list[str]:
        return list(self._columns)

    def select(self, names: Sequence[str]) -> Texts:
        """These columns alone."""
        return Texts({name: self._columns[name] for name in names})

    def taken(self, which: Array) -> Texts:
        """The rows with these numbers, in this order."""
        return Texts({name: column.taken(which) for name, column in self._columns.items()})

    @cached_property
    def table(self) -> Any:
        """The same as an Arrow table."""
        pa = arrow("tables")
        return pa.Table.from_arrays([column.to_arrow() for column in self._columns.values()], self.column_names)


def content_of(column: Any) -> int:
    """Bytes of what a column holds, ours or Arrow's: UTF-8 of strings, 8 for each number."""
    if isinstance(column, Strings):
        return column.content
    kinds, pc = arrow("tables").types, arrow("tables", "pyarrow.compute")
    if kinds.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (kinds.is_string(column.type) or kinds.is_large_string(column.type)):
        return 8 * len(column)
    return int(pc.sum(pc.binary_length(column)).as_py() or 0)


def chained(parts: Sequence[Any]) -> Any:
    """Columns of strings one behind the other, ours or Arrow's, for whoever reads Arrow's C interface."""
    if len(parts) == 1:
        return parts[0]
    if not all(isinstance(part, Strings) for part in parts) or sum(len(part.text) for part in parts) >= 1 << 31:
        arrays = [part.to_arrow() if isinstance(part, Strings) else part for part in parts]
        return arrow("tables").chunked_array([chunk for array in arrays for chunk in getattr(array, "chunks", [array])])
    starts = [np.frombuffer(part.starts, np.int32) for part in parts]
    sizes = [int(own[-1]) for own in starts]
    ends = np.cumsum([0, *sizes])
    all_starts = np.concatenate([own[:-1] + end for own, end in zip(starts, ends)] + [ends[-1:]])
    text = b"".join(part.text[:size] for part, size in zip(parts, sizes))
    return Strings(all_starts.astype(np.int32).tobytes(), text)
