"""Lines of sparse examples, parsed natively: svmlight/libsvm and Vowpal Wabbit text.

``label [qid:n] index:value index:value … # comment`` is a line of svmlight,
``[label [weight]] ['tag]|namespace[:scale] name[:value] … |namespace …`` one of Vowpal Wabbit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine
from ..errors import DataError
from ..text.analysis import whole_number
from ..text.hashing import check_dtype
from .bad_rows import REMEMBERED, BadRows, quoted
from .blocks import Block, Reader
from .chunks import Size, as_utf8, check_encoding_errors, chunks, skip_bom
from .csr import Array, Csr, index_type
from .sources import Source

#: Bytes that one thread parses at a time. The result does not depend on it.
PART_BYTES = 1 << 18

#: Bytes that a row takes for what is kept beside its label and line.
_ROW_BYTES = {"weights": 8, "query_ids": 8, "tags": 16}

#: What helps with a fault.
_REMEDIES: dict[str, dict[str, Any]] = {
    "zero_index": {"remedy": "if they count from 0, say {}", "parameter": "zero_based", "value": True}
}


class Parsed(NamedTuple):
    """What the lines of a chunk say."""

    csr: Csr  # as wide as its largest column
    smallest: int  # column; of no entries: larger than any
    labels: Array
    lines: Array
    weights: Array | None
    query_ids: Array | None
    tags: Array | None  # pairs of bytes: from, to


def parse(
    text: bytes | memoryview | NDArray[np.uint8],
    format: tuple[Any, ...],
    dtype: Any,
    wanted: frozenset[str],
    bad_rows: BadRows,
    place: tuple[Source, int],
    sentences: dict[str, str],
    n_threads: int,
    part_bytes: int = PART_BYTES,
) -> Parsed:
    """Parse whole lines; ``place`` is their source and the first one's number, ``wanted`` is kept beside labels."""
    dtype = check_dtype(dtype)  # by its name: in the byte order of this machine
    bytes_ = text if isinstance(text, np.ndarray) else np.frombuffer(text, np.uint8)
    parts = np.empty(7 * (1 + len(text) // part_bytes), np.int64)
    n_parts, most_rows, most_entries = engine.measure_lines(bytes_, format, part_bytes, n_threads, parts)
    kind: Any = index_type(most_entries)
    source, first_line = place
    remembered = REMEMBERED if bad_rows.lines is None else most_rows
    while True:
        width = np.dtype(kind).itemsize
        each = width + 16 + sum(size for what, size in _ROW_BYTES.items() if what in wanted)
        n_bytes = len(text) + most_rows * each + most_entries * (width + np.dtype(dtype).itemsize)
        source.check_room(n_bytes, most_rows)
        indptr, lines = np.empty(most_rows + 1, kind), np.empty(most_rows, np.int64)
        indices, data, labels = np.empty(most_entries, kind), np.empty(most_entries, dtype), np.empty(most_rows)
        weights = np.empty(most_rows) if "weights" in wanted else None
        query_ids = np.empty(most_rows, np.int64) if "query_ids" in wanted else None
        tags = np.empty((most_rows, 2), np.int64) if "tags" in wanted else None
        arrays = (indptr, indices, data, lines, labels, weights, query_ids, tags)
        rows, entries, smallest, largest, too_wide, faulty, first = engine.read_lines(
            bytes_, format, parts[: 7 * n_parts], arrays, remembered, not bad_rows.skip, n_threads
        )
        if not too_wide:
            break
        kind = np.int64
    if faulty:
        errors = []
        for fault, line, line_begin, begin, end in first:
            problem = sentences[fault].format(token=quoted(bytes_[begin:end].tobytes()))
            error = DataError(problem, file=source.name, line=first_line - 1 + line, byte=begin - line_begin + 1)
            errors.append(error.at(**_REMEDIES.get(fault, {})))
        bad_rows.report(errors, faulty)
    lines[:rows] += first_line - 1

    def kept(array: Any, n: int) -> Any:
        # A copy where more than an eighth of the room was left over, else a view of it.
        return array if array is None or n == len(array) else array[:n].copy() if 8 * n < 7 * len(array) else array[:n]

    csr = Csr(kept(indptr, rows + 1), kept(indices, entries), kept(data, entries), largest + 1)
    return Parsed(csr, smallest, *(kept(array, rows) for array in (labels, lines, weights, query_ids, tags)))


_ANY = 1 << 62  # columns, where there is no limit

SVMLIGHT_SENTENCES = {
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

    #: What the format is called.
    name: ClassVar[str] = "svmlight"

    def __post_init__(self) -> None:
        if self.zero_based not in (True, False, "auto"):
            raise ValueError(f"zero_based must be True, False or 'auto', got {self.zero_based!r}")
        if self.n_features is not None:
            whole_number("n_features", self.n_features, 0)
        check_dtype(self.dtype)


class SparseReader(Reader):
    """Blocks of lines of sparse examples, parsed by several threads."""

    def __init__(self, settings: Any, bad_rows: BadRows, n_threads: int | None) -> None:
        super().__init__(settings, bad_rows)
        if n_threads is not None and n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, got {n_threads}")
        self._threads = n_threads or engine.threads()


class SvmlightReader(SparseReader):
    """Blocks of svmlight files that belong together: what is settled by one holds for the next."""

    _width, _met_zero = 0, False

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of at most this size; comments and skipped lines leave them shorter."""
        if size is None:
            skip_bom(source)
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
        sentences = SVMLIGHT_SENTENCES
        if n_features is not None:
            beyond = SVMLIGHT_SENTENCES["index_beyond"].replace("{n_features}", str(n_features))
            sentences = SVMLIGHT_SENTENCES | {"index_beyond": beyond}
        wanted = frozenset({"query_ids"} if chosen.query_id else ())
        parsed = parse(
            text, ("svmlight", base, limit), chosen.dtype, wanted, self._bad_rows, (source, first_line),
            sentences, self._threads,
        )  # fmt: skip
        self._width = max(self._width, parsed.csr.n_features)
        self._met_zero |= parsed.smallest == 0
        csr = parsed.csr.widened(self._width if n_features is None else n_features)
        return Block(parsed.labels, parsed.lines, ((source.name, 0),), csr, query_ids=parsed.query_ids)

    def settled(self, blocks: list[Block]) -> list[Block]:
        """The blocks with ``zero_based="auto"`` decided by all of them, for them and for all that follow."""
        chosen = self.settings
        if chosen.zero_based != "auto":
            return blocks
        rows = [block.csr for block in blocks if block.csr is not None]
        if any(csr.nnz for csr in rows):  # else there is nothing to decide by
            self.settings = replace(chosen, zero_based=self._met_zero)
            if not self._met_zero:
                self._width -= 1
                for csr in rows:
                    np.subtract(csr.indices, 1, out=csr.indices)
            elif chosen.n_features is not None and self._width > chosen.n_features:
                raise _beyond(blocks, chosen.n_features)
        width = self._width if chosen.n_features is None else chosen.n_features
        return [replace(block, csr=replace(csr, n_features=width)) for block, csr in zip(blocks, rows)]


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


#: What Python takes for a tag, and for finding it.
_TAG_BYTES = 250

VW_SENTENCES = {
    "no_bar": "no '|' in the line: features stand behind a bar, as in '1 | good film'",
    "bad_label": "the label {token} is not a number (a tag begins with ' or touches the bar)",
    "label_not_finite": "the label {token} is not a finite number",
    "bad_weight": "the importance weight {token} is not a number from 0 on",
    "many_labels": "{token} is more than a label, a weight, a base and a tag before the bar",
    "bad_scale": "the weight of the namespace {token} is not a number",
    "no_name": "the feature {token} has no name",
    "bad_value": "the value of {token} is not a number",
    "value_not_finite": "the value of {token} is not a finite number of this type",
}


@dataclass(frozen=True)
class VowpalWabbit:
    """Settings of Vowpal Wabbit's text format.

    A feature is called ``namespace^name``, or ``name`` alone where its namespace has no name. Its column is the
    MurmurHash3_x86_32 (seed 0) of that in UTF-8, modulo 2^bits. Features that fall on one column are added.

    Parameters
    ----------
    bits : int, default=22
        There are 2^bits columns.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    dtype : numpy dtype, default="float64"
        float64 or float32.
    """

    bits: int = 22
    encoding_errors: str = "strict"
    dtype: Any = "float64"

    #: What the format is called.
    name: ClassVar[str] = "vw"

    def __post_init__(self) -> None:
        whole_number("bits", self.bits, 1, 32)
        check_encoding_errors(self.encoding_errors)
        check_dtype(self.dtype)


class VowpalWabbitReader(SparseReader):
    """Blocks of Vowpal Wabbit files."""

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of at most this size; skipped lines leave them shorter."""
        n_features = 1 << self.settings.bits
        wanted = frozenset({"weights", "tags"})
        for chunk in chunks(source, size):
            text = as_utf8(
                bytes(chunk.text), self.settings.encoding_errors, self._bad_rows, source.name, chunk.first_line
            )
            parsed = parse(
                text, ("vw", n_features), self.settings.dtype, wanted, self._bad_rows, (source, chunk.first_line),
                VW_SENTENCES, self._threads,
            )  # fmt: skip
            assert parsed.tags is not None
            tags = [""] * len(parsed.tags)
            tagged = np.flatnonzero(parsed.tags[:, 1] > parsed.tags[:, 0])
            source.check_room(len(text) + 8 * len(tags) + _TAG_BYTES * len(tagged), len(tags))
            for row, (begin, end) in zip(tagged.tolist(), parsed.tags[tagged].tolist()):
                tags[row] = text[begin:end].decode()
            yield Block(
                parsed.labels, parsed.lines, ((source.name, 0),), parsed.csr.widened(n_features),
                weights=parsed.weights, tags=tags,
            )  # fmt: skip


def vowpal_wabbit_names(text: str) -> list[str]:
    r"""What the features in lines of Vowpal Wabbit's format are called, each once, as they are hashed.

    >>> vowpal_wabbit_names("1 'a |u good:2 film\n-1 | bad film")
    ['u^good', 'u^film', 'bad', 'film']
    """
    names: dict[str, None] = {}
    for line in text.splitlines():
        for part in line.split("|")[1:]:
            words = [word.partition(":")[0] for word in part.split()]
            namespace = f"{words.pop(0)}^" if words and not part[0].isspace() else ""
            names.update((namespace + word, None) for word in words)
    return list(names)
