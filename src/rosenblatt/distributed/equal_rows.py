"""Two equal rows of different labels, wherever the shards lie: by the hashes of all rows, and then number by number.

Each shard hashes its rows and sorts the hashes into ranges. All hashes of a range come together in one task, which
finds those that occur with different labels. Only their rows are fetched and compared: a hash alone proves nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import accumulate, chain
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine
from ..core.spaces.sequences.rows import SentenceRows
from ..errors import DataError
from .cluster import Workers
from .tasks import at_shard

Array = NDArray[Any]

#: Most ranges into which hashes are sorted, each of which one task takes in.
MOST_RANGES = 16
#: So many pairs of the same hash are compared. That two rows of one hash differ happens once in 2⁶⁴ pairs.
MOST_COMPARED = 16
#: So many numbers are hashed at once.
_NUMBERS = 1 << 20


class Hashed(NamedTuple):
    """Rows whose hashes are in one range."""

    hashes: Array
    codes: Array  # of their labels; of sentences, hashes of their tags
    rows: Array  # their numbers in the shard


class Row(NamedTuple):
    """A row as the learner sees it, zeros left out, and where it stood, if it is of a file."""

    columns: Array
    values: Array
    place: str

    def equals(self, other: Row) -> bool:
        return np.array_equal(self.columns, other.columns) and np.array_equal(self.values, other.values)


class EqualRows(NamedTuple):
    """Two equal rows of different labels: their numbers among the rows of all shards, and where they stood."""

    rows: tuple[int, int]
    places: tuple[str, str]


def find(workers: Workers, shards: Sequence[tuple[str, Any]]) -> EqualRows | None:
    """Of the rows of all shards, names and promises, the first that equals an earlier one of another label.

    That one and it, as ``engine.equal_rows`` finds them in one table.
    """
    submit, n_ranges = workers.submit, min(len(shards), MOST_RANGES)
    hashed = [submit(hashes, shard, name, n_ranges, shard=i) for i, (name, shard) in enumerate(shards)]
    counts: list[int] = workers.gather([submit(getitem, one, 0) for one in hashed])
    starts = list(accumulate(counts, initial=0))
    ranges = [[submit(getitem, one, 1 + k) for one in hashed] for k in range(n_ranges)]
    found: list[list[tuple[int, int]]] = workers.gather([submit(conflicts, parts, starts) for parts in ranges])
    for second, first in sorted(chain(*found))[:MOST_COMPARED]:
        tasks = []
        for row in (first, second):
            i = int(np.searchsorted(starts, row, side="right")) - 1
            name, shard = shards[i]
            tasks.append(submit(fetch, shard, name, row - starts[i], shard=i))
        one, other = workers.gather(tasks)
        if one.equals(other):
            return EqualRows((first, second), (one.place, other.place))
    return None


# ---- on the worker -------------------------------------------------------------------------------------------------


def hashes(shard: Any, name: str, n_ranges: int) -> tuple[Any, ...]:
    """How many rows a shard has, and for each range of hashes those that it has in it."""
    parts, n_rows = [], 0
    with at_shard(name):
        for rows, targets, order, _ in shard.still():
            which = np.arange(rows.n_rows) if order is None else order
            own, codes = (
                sentence_hashes(rows, targets) if isinstance(rows, SentenceRows) else (row_hashes(rows.view), targets)
            )
            parts.append(Hashed(own[which], codes[which], n_rows + which.astype(np.int64)))
            n_rows += rows.n_rows
    whole = Hashed(*(np.concatenate(column) for column in zip(*parts)))
    ranges = (whole.hashes >> np.uint64(32)) * np.uint64(n_ranges) >> np.uint64(32)
    return n_rows, *(Hashed(*(column[ranges == k] for column in whole)) for k in range(n_ranges))


def conflicts(parts: Sequence[Hashed], starts: Sequence[int]) -> list[tuple[int, int]]:
    """Of a range of hashes, pairs of rows of one hash and different labels, the later row first.

    Of each hash it is its first row, and the first after it of another label.
    """
    hashes, codes = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    rows = np.concatenate([start + part.rows for start, part in zip(starts, parts)])
    order = np.argsort(hashes, kind="stable")  # shard after shard, rows are in order already
    hashes, codes, rows = hashes[order], codes[order], rows[order]
    new = np.ones(len(hashes), bool)
    new[1:] = hashes[1:] != hashes[:-1]
    firsts = np.flatnonzero(new)[np.cumsum(new) - 1]
    others = np.flatnonzero(codes != codes[firsts])
    _, places = np.unique(firsts[others], return_index=True)
    others = others[places]
    return sorted(zip(rows[others].tolist(), rows[firsts[others]].tolist()))[:MOST_COMPARED]


def fetch(shard: Any, name: str, number: int) -> Row:
    """One row of a shard."""
    with at_shard(name):
        place, before = shard.place(number), 0
        for rows, *_ in shard.still():
            if number < before + rows.n_rows:
                return Row(*_numbers(rows, number - before), place)
            before += rows.n_rows
    raise DataError(f"there were more than {number:,} rows, and now there are {before:,}").at(shard=name)


def row_hashes(view: engine.View) -> Array:
    """A hash of each row: a sum over its numbers, in which zeros of either sign, stored or not, do not count."""
    n = view.n_rows
    found = np.empty(n, np.uint64)
    numbers = view.data.size
    step = max(1, _NUMBERS * n // max(numbers, 1))
    for start in range(0, n, step):
        end = min(start + step, n)
        if view.is_dense:
            found[start:end] = _terms(np.arange(view.data.shape[1]), view.data[start:end]).sum(axis=1, dtype=np.uint64)
            continue
        inside = slice(*view.indptr[[start, end]].tolist())
        sums = np.zeros(inside.stop - inside.start + 1, np.uint64)
        np.cumsum(_terms(view.indices[inside], view.data[inside]), out=sums[1:])  # modulo 2⁶⁴, as differences of it are
        ends = view.indptr[start : end + 1] - inside.start
        found[start:end] = sums[ends[1:]] - sums[ends[:-1]]
    return found


def _terms(columns: Array, values: Array) -> Array:
    """For each number a hash of it and its column; 0 for a zero. (MurmurHash3's mixing of 64 bits.)"""
    bits = np.ascontiguousarray(values).view(f"u{values.itemsize}").astype(np.uint64)
    mixed = bits ^ ((columns.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(33)
    return np.where(values == 0, np.uint64(0), mixed)


def sentence_hashes(rows: SentenceRows, tags: Array) -> tuple[Array, Array]:
    """A hash of each sentence, and one of its tags, which stands for them as the code of a label does."""
    numbers = range(rows.n_rows)
    return (
        np.array([_hash(rows.content(i)) for i in numbers], np.uint64),
        np.array([_hash(rows.tags_of(tags, i).tobytes()) for i in numbers], np.uint64),
    )


def _hash(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def _numbers(rows: Any, row: int) -> tuple[Array, Array]:
    """The columns in which a row is not 0, and its numbers there; of a sentence, its content."""
    if isinstance(rows, SentenceRows):
        return np.empty(0, np.int32), np.frombuffer(rows.content(row), np.uint8)
    view: engine.View = rows.view
    if view.is_dense:
        columns = np.flatnonzero(view.data[row])
        return columns, view.data[row, columns]
    inside = slice(*view.indptr[[row, row + 1]].tolist())
    kept = view.data[inside] != 0
    return view.indices[inside][kept], view.data[inside][kept]
