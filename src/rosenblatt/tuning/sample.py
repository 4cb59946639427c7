"""Rows on which configurations are compared: read once, encoded once for all of them.

The n-grams of each length are hashed once. A configuration masks those that it does not use, and weighs the others by
the counts of the rows that it may learn from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import engine
from ..data import Block
from ..data.arrow import Texts, arrow, chained
from ..data.csr import Array, Csr, hstack, vstack
from ..data.encoder import Encoder, Read, strings_of
from ..data.features import Features
from ..text import Analysis, Documents, Hashing
from ..text.class_counts import ClassCounts

#: N-grams are told apart by so many bits of their hashes.
_BITS = 22


def drawn(blocks: Sequence[Block], rows: int, text_bytes: int, seed: int) -> Block:
    """At most so many rows, and about so many bytes of columns, of blocks, drawn at random and in a random order."""
    n = sum(map(len, blocks))
    per_row = sum(block.content for block in blocks) / max(n, 1)
    most = max(1, min(rows, n, int(text_bytes / max(per_row, 1e-9))))
    order = np.random.default_rng(seed).permutation(n)[:most]
    ends = np.cumsum([len(block) for block in blocks])
    parts, places = [], []
    for block, end in zip(blocks, ends):
        inside = np.flatnonzero((order >= end - len(block)) & (order < end))
        if len(inside):
            parts.append(block.taken(order[inside] - (end - len(block))))
            places.append(inside)
    together = _together(parts)
    return together.taken(np.argsort(np.concatenate(places), kind="stable"))


def _together(parts: Sequence[Block]) -> Block:
    """One block of several; where its rows stood is left out."""

    def all_of(name: str, join: Any) -> Any:
        found = [getattr(part, name) for part in parts]
        return None if any(one is None for one in found) else join(found)

    def columns(tables: Sequence[Any]) -> Any:
        if all(isinstance(table, Texts) for table in tables):
            names = tables[0].column_names
            return Texts({name: chained([table[name] for table in tables]) for name in names})
        tables = [table.table if isinstance(table, Texts) else table for table in tables]
        return arrow("tables").concat_tables(tables)

    return Block(
        all_of("labels", np.concatenate), np.concatenate([part.lines for part in parts]), parts[0].files,
        all_of("csr", vstack), all_of("columns", columns), all_of("weights", np.concatenate), unit=parts[0].unit,
    )  # fmt: skip


class Sample:
    """Rows and what they are to be predicted as.

    Parameters
    ----------
    block : Block
        The rows, in the order in which they are learned from.
    targets : array
        Codes of classes, or numbers.
    classes : array or None
        The classes; None: a regression.
    weight : array or None
        Weights of the rows; None: all are 1.
    """

    def __init__(self, block: Block, targets: Array, classes: Array | None, weight: Array | None = None) -> None:
        self.block, self.targets, self.classes, self.weight = block, targets, classes, weight
        self._texts: dict[str, TextRows] = {}
        self._table: Read | None = None

    def __len__(self) -> int:
        return len(self.block)

    def rows(self, features: Features | None, learned: Array) -> Csr:
        """All rows as features make them that have learned from those with the numbers ``learned``.

        None: as they are.
        """
        if features is None or features.encoder is None:
            csr = self.block.csr
            assert csr is not None
            if features is None or features.scaling is None:
                return csr
            scaling = type(features.scaling)()
            scaling.learn_means(csr.taken(learned))
            return scaling.rows(csr, learn=False)
        encoder = features.encoder
        parts = []
        if encoder.columns.numeric or encoder.columns.categorical:
            parts.append(self._numbers_and_categories(encoder, learned))
        codes = None if self.classes is None else self.targets
        for name in encoder.columns.text or ():
            if name not in self._texts:
                self._texts[name] = TextRows(strings_of(self.block, name))
            column: Any = encoder.text[name]
            text = self._texts[name].weighed(column.hashing, codes, learned)
            parts.append(replace(text, data=text.data.astype(encoder.dtype, copy=False)))
        return hstack(parts)

    def _numbers_and_categories(self, encoder: Encoder, learned: Array) -> Csr:
        plain = Encoder(
            replace(encoder.columns, text=None), standardise=encoder.standardise,
            number_weight=encoder.number_weight, bits=encoder.bits, missing=encoder.missing, dtype=encoder.dtype,
        )  # fmt: skip
        if self._table is None:
            self._table = plain.read(self.block, learn=True)
        read = self._table
        plain.count(read._replace(numeric=None if read.numeric is None else read.numeric[learned]), None)
        return plain.weigh(read, learn=False)


class TextRows:
    """The n-grams of a column of text."""

    def __init__(self, strings: Any) -> None:
        self._documents = Documents(strings)
        self._pieces: dict[Analysis, Csr] = {}
        self._number = np.empty((1 << _BITS, 1), np.int32)  # of the columns that were met last
        self._joined: dict[tuple[Analysis, ...], tuple[Csr, int]] = {}

    def weighed(self, hashing: Hashing, codes: Array | None, learned: Array) -> Csr:
        """Rows as this hashing would make them, but for n-grams that it would hash to one column."""
        raw, width = self._join(tuple(hashing.parts))
        parts = (len(hashing.parts), width, hashing.norm is not None)
        n_columns, n_threads = parts[0] * width, engine.threads()
        data = _VALUES[hashing.weighting](raw.data)
        rows = raw.indptr, raw.indices, data
        own = raw.taken(learned)
        if hashing.supervised:
            counts = ClassCounts(n_columns)
            assert codes is not None
            counts.count((own.indptr, own.indices, own.data), codes[learned], parts, n_threads)
            counts.weigh(rows, None, parts, hashing.idf, n_threads)
        else:
            n = len(learned)
            met = np.bincount(own.indices, minlength=n_columns) if hashing.idf else np.full(n_columns, n)
            engine.weigh_columns(rows, met.astype(np.uint32), n, parts, False, n_threads)
        return Csr(raw.indptr, raw.indices, data, n_columns)

    def _join(self, parts: tuple[Analysis, ...]) -> tuple[Csr, int]:
        """Counts of the n-grams of each part, in so many columns."""
        if parts not in self._joined:
            made = [hstack([self._piece(one) for one in _by_length(part)]) for part in parts]
            width = max(1, *(part.n_features for part in made))
            self._joined[parts] = hstack([part.widened(width) for part in made]), width
        return self._joined[parts]

    def _piece(self, analysis: Analysis) -> Csr:
        """Counts of n-grams, each in a column of its own."""
        if analysis not in self._pieces:
            how = ("count", False, "float32", engine.threads())
            indptr, columns, counts = self._documents.read_by(engine.hash_text, (analysis.native,), how, _BITS)
            met = engine.distinct([columns], 1 << _BITS)
            self._number[met, 0] = np.arange(len(met), dtype=np.int32)
            self._pieces[analysis] = Csr(indptr, engine.take_rows(self._number, columns)[:, 0], counts, len(met))
        return self._pieces[analysis]


def _by_length(analysis: Analysis) -> Iterable[Analysis]:
    """The same for n-grams of one length each; of characters together, as short words count once for all lengths."""
    if analysis.analyzer == "char_wb":
        return [analysis]
    low, high = analysis.ngrams
    return [replace(analysis, ngrams=(n, n)) for n in range(low, high + 1)]


#: What an n-gram weighs by its counts.
_VALUES: dict[str, Callable[[Array], Array]] = {
    "binary": np.ones_like,
    "count": np.copy,
    "log": lambda counts: 1 + np.log(counts),
}
