"""A block: consecutive rows of a file with their labels, their columns and where they stood."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core import labels
from ..errors import DataError
from .arrow import Strings, Texts, arrow, content_of
from .csr import Csr, vstack

if TYPE_CHECKING:
    from .bad_rows import BadRows
    from .chunks import Size
    from .columns import Columns
    from .sources import Source

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive rows of one file, or of several in order.

    Attributes
    ----------
    labels : array or None
        Labels as the file gives them, numbers or strings; None where it has none. (A Vowpal Wabbit line without a label
        has NaN.)
    lines : array of int64
        The line on which each row begins, from 1; where there are no lines, as in Parquet, its number from 1.
    files : tuple of (str, int)
        Each file and the number of its first row in this block.
    csr : Csr or None
        The rows of an svmlight or Vowpal Wabbit file.
    columns : pyarrow.Table, Texts or None
        The columns of any other: text and categorical ones as strings, numeric ones as float64.
    weights : array or None
        Importance weights, where the file has any.
    tags : list of str or None
        Tags of a Vowpal Wabbit file.
    query_ids : array or None
        ``qid`` of an svmlight file, where asked for; −1 where a line has none.
    left_out : array or None
        For each row that a stream skipped since the block before: how many rows of this block come before it.
    unit : "line" or "row"
        What ``lines`` counts.
    """

    labels: Array | None
    lines: Array
    files: tuple[tuple[str, int], ...]
    csr: Csr | None = None
    columns: Any = None
    weights: Array | None = None
    tags: list[str] | None = None
    query_ids: Array | None = None
    left_out: Array | None = None
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that its arrays and columns take."""
        held: list[Any] = [self.labels, self.lines, self.weights, self.query_ids, self.columns]
        held += [] if self.csr is None else [self.csr.indptr, self.csr.indices, self.csr.data]
        return sum(int(one.nbytes) for one in held if one is not None) + 8 * len(self.tags or ())

    @property
    def content(self) -> int:
        """Bytes of what its rows hold, whatever file they are of: UTF-8 of strings, 8 a number, 12 an entry."""
        if self.csr is not None:
            return 12 * len(self.csr.data)
        return 0 if self.columns is None else sum(content_of(self.columns[name]) for name in self.columns.column_names)

    @property
    def table(self) -> Any:
        """The columns as a ``pyarrow.Table``; None where the rows are numbers already."""
        return self.columns.table if isinstance(self.columns, Texts) else self.columns

    @property
    def X(self) -> Any:
        """The rows as a SciPy ``csr_matrix``."""
        if self.csr is None:
            raise AttributeError("a block of a table has columns, not a matrix: see .table, or encode it")
        return self.csr.to_scipy()

    @property
    def y(self) -> Array | None:
        """The labels."""
        return self.labels

    @property
    def n_features(self) -> int:
        """Columns of ``X``."""
        return int(self.X.shape[1])

    def targets(self, regression: bool) -> Array:
        """The labels, which must be there: classes, or the numbers of a regression as float64."""
        if self.labels is None:
            raise DataError(
                "there are no labels", "name their column, for instance {}",
                file=self.file(0), parameter="columns", value={"label": "sentiment"},
            )  # fmt: skip
        with placed([self]):
            return labels.targets(self.labels, regression)

    def taken(self, which: Array) -> Block:
        """The rows with these numbers, in this order; a block of several files must keep them apart."""
        columns = self.columns
        if columns is not None:
            columns = columns.taken(which) if isinstance(columns, Texts) else columns.take(which)
        return Block(
            None if self.labels is None else self.labels[which], self.lines[which], self.files,
            None if self.csr is None else self.csr.taken(which), columns,
            None if self.weights is None else self.weights[which], unit=self.unit,
        )  # fmt: skip

    def file(self, row: int) -> str:
        """The file of a row."""
        return next(name for name, start in reversed(self.files) if start <= row)

    def origin(self, row: int) -> dict[str, Any]:
        """The file and line of a row, as fields of a `DataError`; its number, where it is of no file."""
        if not self.files:
            return {"row": row}
        return {"file": self.file(row), self.unit: int(self.lines[row])}

    def place(self, row: int) -> str:
        """The file and line of a row, in words."""
        return DataError("", **self.origin(row)).place

    def __repr__(self) -> str:
        names = ", ".join(name for name, _ in self.files)
        if self.csr is not None:
            what = f"{len(self)} rows, {self.csr.n_features} features, {self.csr.nnz} entries"
        else:
            what = f"{len(self)} rows of {', '.join(self.columns.column_names) or 'no columns'}"
        return f"<Block of {names}: {what}>"


def joined(blocks: Sequence[Block]) -> Block:
    """Consecutive blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    files: list[tuple[str, int]] = []
    start = 0
    for block in blocks:
        for name, first in block.files:
            if not files or files[-1][0] != name:
                files.append((name, start + first))
        start += len(block)

    def all_of(name: str, join: Callable[[list[Any]], Any] = np.concatenate) -> Any:
        parts = [getattr(block, name) for block in blocks]
        return None if any(part is None for part in parts) else join(parts)

    return Block(
        all_of("labels"), all_of("lines"), tuple(files), all_of("csr", vstack),
        all_of("table", lambda tables: arrow("tables").concat_tables(tables)),
        all_of("weights"), all_of("tags", lambda tags: list(chain(*tags))), all_of("query_ids"), unit=blocks[0].unit,
    )  # fmt: skip


def beginning(block: Block, names: Sequence[str]) -> str:
    """The first of the text of some columns, which tells in what script it is."""
    parts = []
    for column in (block.columns[name] for name in names):
        if isinstance(column, Strings):
            parts.append(column.text[: 1 << 16].decode("utf-8", "ignore"))
        else:
            parts.append("".join(value or "" for value in column.slice(0, 200).to_pylist()))
    return "".join(parts)


def mean_length(block: Block, names: Sequence[str]) -> float:
    """How many characters the text of some columns has on average in a row, however the block holds it."""
    n = 0
    for column in (block.columns[name] for name in names):
        if isinstance(column, Strings):
            n += column.n_characters
        else:
            n += sum(len(str(value)) for value in column.to_pylist() if value is not None)
    return n / max(len(block), 1)


class Reader:
    """Reads files of one format, block by block; what the first file settles holds for the others."""

    settings: Any  # of the format
    columns: Columns | None = None  # of a table; None: there are none to choose

    def __init__(self, settings: Any, bad_rows: BadRows) -> None:
        self.settings, self._bad_rows = settings, bad_rows

    def prepare(self, source: Source) -> None:
        """Settle what is to be guessed from the first file."""

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of at most this size; None: the whole file as one."""
        raise NotImplementedError

    def settled(self, blocks: list[Block]) -> list[Block]:
        """All blocks of files that were read whole, once what they decide together is known."""
        return blocks


def place_of(blocks: Sequence[Block], row: int) -> str:
    """The file and line, in words, of a row of these blocks; "": they are of no file."""
    for block in blocks:
        if row < len(block):
            return block.place(row) if block.files else ""
        row -= len(block)
    return ""


@contextmanager
def placed(blocks: Sequence[Block], order: Array | None = None) -> Iterator[None]:
    """Add the file and line to the error of a row of these blocks; ``order``: the rows were put in this order first."""
    try:
        yield
    except DataError as error:
        if error.row is None or error.file is not None or not blocks:
            raise
        row, block = error.row if order is None else int(order[error.row]), 0
        while row >= len(blocks[block]):
            row, block = row - len(blocks[block]), block + 1
        error.at(**blocks[block].origin(row))
        raise
