"""svmlight/libsvm text: ``label [qid:n] index:value index:value … # comment``, one example a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..text.analysis import whole_number
from .blocks import Block
from .chunks import Size, chunks, skip_mark
from .csr import Csr
from .faults import Judge
from .lines import parse, threads_of
from .sources import Source

_ANY = 1 << 62  # columns, where there is no limit

SENTENCES = {
    "no_label": "the line begins with {token}: its label is missing",
    "several_labels": "several labels {token}: files of several labels a row are not read; keep one label",
    "bad_label": "the label {token} is not a number",
    "label_not_finite": "the label {token} is not a finite number",
    "no_pair": "{token} is not index:value",
    "bad_index": "the index of {token} is not a whole number",
    "negative_index": "the index of {token} is negative",
    "zero_index": "index 0 in {token}, where indices count from 1",
    "huge_index": "the index of {token} is too large; at most 18 digits are read",
    "index_beyond": "the index of {token} is beyond the {n_features} features asked for",
    "repeated_index": "the index of {token} is the one before it again; indices must rise along a line",
    "falling_index": "the index of {token} is less than the one before it; indices must rise along a line",
    "bad_value": "the value of {token} is not a number",
    "value_not_finite": "the value of {token} is not a finite number of this type",
    "bad_qid": "the query id of {token} is not a whole number",
}


@dataclass(frozen=True)
class Svmlight:
    """Settings of the svmlight/libsvm format.

    Parameters
    ----------
    zero_based : bool or "auto", default="auto"
        Whether indices count from 0. "auto" counts from 1 unless an index 0 occurs: in `read` anywhere in the files, in
        `stream` in the first block that has entries. A 0 that comes later in a stream is an error, never a shift.
    n_features : int or None, default=None
        The number of columns; an index beyond is an error. None: as many as were met so far.
    query_id : bool, default=False
        Whether ``qid:n`` is kept in ``query_ids``; else it is passed over.
    dtype : numpy dtype, default="float64"
        float64 or float32; each value is the nearest number of that type.
    """

    zero_based: bool | Literal["auto"] = "auto"
    n_features: int | None = None
    query_id: bool = False
    dtype: Any = "float64"

    name: ClassVar[str] = "svmlight"

    def __post_init__(self) -> None:
        if self.zero_based not in (True, False, "auto"):
            raise ValueError(f"zero_based must be True, False or 'auto', got {self.zero_based!r}")
        if self.n_features is not None:
            whole_number("n_features", self.n_features, 0)
        checked_dtype(self.dtype)


def checked_dtype(dtype: Any) -> np.dtype[Any]:
    """float32 or float64."""
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
    return found


class SvmlightReader:
    """Blocks of svmlight files that belong together: what is settled by one holds for the next."""

    def __init__(self, settings: Svmlight, judge: Judge, n_threads: int | None = None) -> None:
        self.settings = settings
        self._judge = judge
        self._threads = threads_of(n_threads)
        self._width = 0
        self._met_zero = False

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of at most this size; comments and skipped lines leave them shorter."""
        if size is None:
            skip_mark(source)
            yield self._parsed(source.read_array(), source, 1)
            return
        for chunk in chunks(source, size):
            block = self._parsed(chunk.text, source, chunk.first_line)
            if self.settings.zero_based == "auto" and block.csr is not None and block.csr.nnz:
                block = self.settled([block])[0]
            yield block

    def _parsed(self, text: bytes | memoryview | NDArray[np.uint8], source: Source, first_line: int) -> Block:
        chosen = self.settings
        base = 0 if chosen.zero_based in (True, "auto") else 1
        n_features = chosen.n_features
        limit = _ANY if n_features is None else n_features + (chosen.zero_based == "auto")
        sentences = SENTENCES
        if n_features is not None:
            beyond = SENTENCES["index_beyond"].replace("{n_features}", str(n_features))
            sentences = SENTENCES | {"index_beyond": beyond}
        wanted = frozenset({"query_ids"} if chosen.query_id else ())
        found = parse(
            text, ("svmlight", base, limit), chosen.dtype, wanted, self._judge, (source, first_line),
            sentences, self._threads,
        )  # fmt: skip
        self._width = max(self._width, found.csr.n_features)
        self._met_zero |= found.smallest == 0
        csr = found.csr.widened(self._width if n_features is None else n_features)
        return Block(found.labels, found.lines, ((source.name, 0),), csr, query_ids=found.query_ids)

    def settled(self, blocks: list[Block]) -> list[Block]:
        """The blocks with ``zero_based="auto"`` decided by all of them, for them and for all that follow."""
        chosen = self.settings
        if chosen.zero_based != "auto":
            return blocks
        rows = [block.csr for block in blocks if block.csr is not None and block.csr.nnz]
        if not rows:  # nothing to decide by
            return [replace(block, csr=_as_wide(block.csr, chosen.n_features or 0)) for block in blocks]
        self.settings = replace(chosen, zero_based=self._met_zero)
        if self._met_zero:
            width = self._width
            if chosen.n_features is not None and width > chosen.n_features:
                raise _beyond(blocks, chosen.n_features)
        else:
            width = self._width = self._width - 1
            for csr in rows:
                np.subtract(csr.indices, 1, out=csr.indices)
        width = width if chosen.n_features is None else chosen.n_features
        return [replace(block, csr=_as_wide(block.csr, width)) for block in blocks]


def _as_wide(csr: Csr | None, n_features: int) -> Csr | None:
    return None if csr is None else replace(csr, n_features=n_features)


def _beyond(blocks: list[Block], n_features: int) -> DataError:
    """An index that only turned out to be beyond the columns when a 0 was met, so that indices count from 0."""
    for block in blocks:
        assert block.csr is not None
        far = np.flatnonzero(block.csr.indices >= n_features)
        if len(far):
            row = int(np.searchsorted(block.csr.indptr, far[0], side="right")) - 1
            reason = (
                f"index {block.csr.indices[far[0]]} is beyond the {n_features} features asked for, counted from 0 "
                "(an index 0 occurs)"
            )
            return DataError(reason, **block.origin(row))
    raise AssertionError("no index is beyond")
