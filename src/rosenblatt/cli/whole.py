"""Small files at once, without columns that are empty: for questions about all rows together."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.blocks import joined
from ..data.csr import Csr
from ..data.memory_limit import MemoryLimit
from . import names
from .features import Features
from .inputs import columns_of, opened, targets_of
from .terminal import CommandError
from .training import refuse_one_class


@dataclass
class Whole:
    """Rows of files, their labels, what the columns are called and where the rows stood."""

    csr: Csr
    labels: Any
    names: list[str] | None  # None: numbered
    places: list[str]

    def dense(self) -> Any:
        """The rows as an array."""
        X = np.zeros(self.csr.shape)
        X[np.repeat(np.arange(len(X)), np.diff(self.csr.indptr)), self.csr.indices] = self.csr.data
        return X


def read(arguments: argparse.Namespace, most: int | None = None, regression: bool = False) -> Whole:
    """The rows of files with their classes, or numbers for a regression; refuses more than ``most``."""
    with opened(arguments.files, arguments, columns_of(arguments)) as stream:
        if stream.columns is not None and not stream.columns.label:
            raise CommandError(f"{', '.join(arguments.files)}: no column looks like the labels; name it by --label")
        holding = MemoryLimit(arguments.memory, "this is for small files; say --memory SIZE to hold more")
        blocks, n = [], 0
        for part in stream:
            n += len(part)
            if most is not None and n > most:
                raise CommandError(f"{part.file(0)}: more than {most:,} rows; this is for small files")
            holding.keep(2 * part.nbytes, len(part), part.file(0))  # and all of them in one
            blocks.append(part)
        block, columns, format = joined(blocks), stream.columns, stream.format
    y = targets_of(block, regression)
    if not regression:
        refuse_one_class(np.unique(y), arguments.files)
    features = Features.asked_for(columns, format, arguments)
    csr = features.rows(block, learn=True)
    places = [block.place(row) for row in range(len(block))]
    if features.encoder is None and csr.n_features <= 1000:
        return Whole(csr, y, None, places)
    used, indices = np.unique(csr.indices, return_inverse=True)
    called = names.of_columns(features, used.tolist())
    return Whole(Csr(csr.indptr, indices.astype(csr.indices.dtype), csr.data, len(used)), y, called, places)
