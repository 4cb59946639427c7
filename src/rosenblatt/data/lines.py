"""Lines of sparse examples through the native parser: one chunk of svmlight or Vowpal Wabbit text to arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine
from ..errors import DataError
from .csr import Array, Csr, index_type
from .faults import REMEMBERED, Judge, quoted
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


def threads_of(n_threads: int | None) -> int:
    """How many threads to use: those asked for, else the processors this process may run on."""
    if n_threads is None:
        return engine.threads()
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    return n_threads


def parse(
    text: bytes | memoryview | NDArray[np.uint8],
    format: tuple[Any, ...],
    dtype: Any,
    wanted: frozenset[str],
    judge: Judge,
    place: tuple[Source, int],
    sentences: dict[str, str],
    n_threads: int,
    part_bytes: int = PART_BYTES,
) -> Parsed:
    """Parse whole lines; ``place`` is their source and the first one's number, ``wanted`` is kept beside labels."""
    bytes_ = text if isinstance(text, np.ndarray) else np.frombuffer(text, np.uint8)
    parts = np.empty(7 * (1 + len(text) // part_bytes), np.int64)
    n_parts, most_rows, most_entries = engine.measure_lines(bytes_, format, part_bytes, n_threads, parts)
    kind: Any = index_type(most_entries)
    source, first_line = place
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
            bytes_, format, parts[: 7 * n_parts], arrays, REMEMBERED, not judge.skip, n_threads
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
        judge.hear(errors, faulty)
    lines[:rows] += first_line - 1

    def kept(array: Any, n: int) -> Any:
        # A copy where more than an eighth of the room was left over, else a view of it.
        return array if array is None or n == len(array) else array[:n].copy() if 8 * n < 7 * len(array) else array[:n]

    csr = Csr(kept(indptr, rows + 1), kept(indices, entries), kept(data, entries), largest + 1)
    return Parsed(csr, smallest, *(kept(array, rows) for array in (labels, lines, weights, query_ids, tags)))
