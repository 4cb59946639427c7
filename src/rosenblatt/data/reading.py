"""read and stream: files of any format to blocks, all at once or one after the other."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError
from ..text.analysis import whole_number
from .bad_rows import BadRows, Skipped
from .blocks import Block, Reader, joined
from .chunks import BLOCK_BYTES, BLOCK_ROWS, Size
from .columns import Columns, columns_of
from .file_streams import FileStream, FileWalk
from .formats import format_of, reader_of
from .memory_limit import SMALLER_BLOCKS, STREAM_INSTEAD, MemoryLimit
from .sources import Source
from .tables import TableReader

if TYPE_CHECKING:
    from .formats import Format


class _Reading(FileWalk):
    """Files of rows and what reads them, settled by the first of them."""

    reader: Reader

    def __init__(
        self,
        paths: Any,
        format: Any,
        columns: Any,
        on_error: str,
        n_threads: int | None,
        memory_limit: MemoryLimit,
        missing: str | None,
        encoding: str | None,
        settings: dict[str, Any],
        as_stored: bool = False,
    ) -> None:
        chosen = columns_of(columns)
        super().__init__(paths, BadRows.of(on_error), memory_limit, encoding)

        def reader_of_first(source: Source) -> Reader:
            reader = reader_of(format_of(format, settings, source), chosen, self.bad_rows, n_threads, missing)
            if isinstance(reader, TableReader):
                reader.as_stored = as_stored
            if reader.columns is None and (chosen != Columns() or chosen.drop):
                raise TypeError(f"a file of format {reader.settings.name} has no columns to choose")
            return reader

        self.settle(reader_of_first)

    def blocks(self, size: Size | None) -> Generator[Block, None, None]:
        """The blocks of all files. Closing it closes the file at hand."""
        rows = 0
        self.bad_rows.lines = None if size is None else []
        self.left_out = np.empty(0, np.int64)  # before the next row
        with closing(self.sources()) as sources:
            for source in sources:
                for block in self.reader.blocks(source, size):
                    rows += len(block)
                    self.left_out = np.append(self.left_out, self.bad_rows.positions(block.lines))
                    if len(block):
                        block = replace(block, left_out=self.left_out)
                        self.left_out = self.left_out[:0]
                        yield block
                    del block  # or it would be in memory while the next one is read
        if not rows:
            raise DataError(self.none_of("rows"), file=", ".join(self.names))


def read(
    path: Any,
    *,
    format: str | Format | None = None,
    columns: Columns | Mapping[str, Any] | None = None,
    on_error: str = "raise",
    missing: str | None = None,
    encoding: str | None = None,
    n_threads: int | None = None,
    memory: int | str | None = None,
    **settings: Any,
) -> Data:
    r"""Read files whole.

    Parameters
    ----------
    path : str, path, binary file object, or a list of them
        ``"-"`` is standard input; ``*``, ``?`` and ``**`` stand for the files that match, sorted. Compressed files
        (gzip, bzip2, xz, zstd) are known by their first bytes.
    format : str or format, default=None
        "svmlight", "vw", "csv", "jsonl", "parquet", "arrow", or one of these with its settings, such as
        ``Svmlight(zero_based=True)``. None: guessed from the name and the first lines of the first file.
    columns : Columns or dict, default=None
        Which columns of a table are what; None: guessed.
    on_error : "raise" or "skip", default="raise"
        Whether a faulty row is an error, or is left out and counted in ``skipped``.
    missing : "raise", "absent" or None, default=None
        Rows of a table that an `Encoder` with this ``missing`` refuses are faulty; None: they are read.
    encoding : str or None, default=None
        How text is encoded, such as "latin-1", "cp1252" or "utf-16"; None: UTF-8, or UTF-16 if the first bytes say so.
    n_threads : int or None, default=None
        Threads that parse svmlight and Vowpal Wabbit text; None: all processors. The result is the same.
    memory : int, str or None, default=None
        How much may be held: bytes, or such as "2 GB"; None: three quarters of the memory that is available. Files
        that would take more, which a small compressed one may, are refused before they do: use `stream`.
    **settings
        Settings of the format, such as ``zero_based=True`` or ``delimiter=";"``.

    Returns
    -------
    Data
        The rows as one block, with ``format``, ``columns`` and ``skipped``.

    Examples
    --------
    >>> import io, rosenblatt as rb
    >>> rows = rb.data.read(io.BytesIO(b"+1 1:0.5 3:2\n-1 2:1  # a comment\n"))
    >>> rows.y.tolist(), rows.X.toarray().tolist(), rows.format.name
    ([1.0, -1.0], [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], 'svmlight')
    """
    memory_limit = MemoryLimit(memory, STREAM_INSTEAD)
    reading = _Reading(path, format, columns, on_error, n_threads, memory_limit, missing, encoding, settings)
    blocks = []
    for block in reading.blocks(None):
        memory_limit.keep(block.nbytes, len(block), block.file(0))
        blocks.append(block)
    if len(blocks) > 1:  # and all of it once more, in one block
        memory_limit.check(sum(block.nbytes for block in blocks), blocks[-1].file(0))
    reader, blocks = reading.reader, reading.reader.settled(blocks)
    return Data(joined(blocks), reader.settings, reader.columns, reading.bad_rows.skipped)


class Data:
    """Rows of files that were read whole: a `Block`, and how it was read.

    Attributes
    ----------
    block : Block
        The rows. Its attributes (``X``, ``y``, ``csr``, ``table``, ``lines``, …) are those of this object too.
    format : format
        How the files were read, every guess made.
    columns : Columns or None
        Which columns of a table are what, every guess made.
    skipped : Skipped
        What was left out under ``on_error="skip"``.
    """

    def __init__(self, block: Block, format: Any, columns: Columns | None, skipped: Skipped) -> None:
        self.block, self.format, self.columns, self.skipped = block, format, columns, skipped

    def __len__(self) -> int:
        return len(self.block)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "block":
            raise AttributeError(name)
        return getattr(self.block, name)

    def __repr__(self) -> str:
        return repr(self.block)


def stream(
    path: Any,
    *,
    block_rows: int | None = None,
    format: str | Format | None = None,
    columns: Columns | Mapping[str, Any] | None = None,
    on_error: str = "raise",
    missing: str | None = None,
    encoding: str | None = None,
    n_threads: int | None = None,
    memory: int | str | None = None,
    **settings: Any,
) -> Stream:
    r"""Read files block by block: memory for two blocks, however long the files are.

    The next block is parsed in another thread while the caller works on this one. Blocks never span files, so that
    the last one of each file may be shorter. The other parameters are those of `read`.

    Parameters
    ----------
    path, format, columns, on_error, missing, encoding, n_threads, memory, **settings
        See `read`; here ``memory`` is for one block. A stream cannot look ahead: see `Svmlight` for what
        ``zero_based="auto"`` means here.
    block_rows : int or None, default=None
        Rows of a block (at most: in svmlight and Vowpal Wabbit files, lines). None: 8,192, or as many as 4 MiB of text
        hold.

    Returns
    -------
    Stream
        An iterator of blocks, and a context manager: leaving it, or ``close``, ends the thread and closes the file.

    Examples
    --------
    >>> import io, rosenblatt as rb
    >>> reviews = io.BytesIO(b"label,text\npos,good film\nneg,bad film\npos,fine\n")
    >>> with rb.data.stream(reviews, block_rows=2) as blocks:
    ...     for block in blocks:
    ...         print(block.labels, block.table["text"].to_pylist(), block.lines)
    ['pos' 'neg'] ['good film', 'bad film'] [2 3]
    ['pos'] ['fine'] [4]
    """
    memory_limit = MemoryLimit(memory, SMALLER_BLOCKS)
    return Stream(
        _Reading(path, format, columns, on_error, n_threads, memory_limit, missing, encoding, settings),
        block_size(block_rows),
    )


def stream_as_stored(
    path: Any,
    block_rows: int | None,
    drop: Sequence[str],
    *,
    format: Any = None,
    on_error: str = "raise",
    encoding: str | None = None,
    memory: Any = None,
    **settings: Any,
) -> Stream:
    """Blocks of all columns of tables as they are stored, text of CSV as text, to be written to another file."""
    memory_limit = MemoryLimit(memory, SMALLER_BLOCKS)
    columns = Columns(drop=drop)
    reading = _Reading(path, format, columns, on_error, None, memory_limit, None, encoding, settings, as_stored=True)
    return Stream(reading, block_size(block_rows))


def block_size(block_rows: int | None) -> Size:
    """The size of blocks, of so many rows if they are counted."""
    if block_rows is None:
        return Size(BLOCK_ROWS, BLOCK_BYTES)
    whole_number("block_rows", block_rows, 1)
    return Size(int(block_rows))


class Stream(FileStream[Block]):
    """Blocks of files, one after the other; `stream` makes it, and gives it its ``reading`` and ``size``.

    Attributes
    ----------
    format : format
        How the files are read, every guess made; svmlight's ``zero_based`` is decided by the first block.
    columns : Columns or None
        Which columns of a table are what, every guess made.
    skipped : Skipped
        What was left out so far under ``on_error="skip"``.
    progress : float or None
        How much of the files was read, from 0 to 1; None where that cannot be known.
    left_out : int
        Rows that were skipped behind the last block.
    """

    _reading: _Reading

    def __init__(self, reading: _Reading, size: Size) -> None:
        super().__init__(reading, reading.blocks(size), "rosenblatt-reader")

    @property
    def columns(self) -> Columns | None:
        return self._reading.reader.columns

    @property
    def left_out(self) -> int:
        return len(self._reading.left_out)
