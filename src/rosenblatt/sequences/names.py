"""Readable names of the features that were met, by their hash: optional, so that large weights can be shown by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..text import Lexicon

Array = NDArray[Any]

#: The section of a model file that has them.
SECTION = "token_names"


class FeatureNames:
    """Names of features and their 64-bit hashes, in the order they were met.

    Parameters
    ----------
    names : Lexicon
        The names.
    hashes : ndarray of uint64
        The hash of each: its column is the lowest bits, and different features may share one.
    complete : bool, default=True
        Whether no feature was left out for want of room.
    """

    def __init__(self, names: Lexicon, hashes: Array, complete: bool = True) -> None:
        self.names, self.hashes, self.complete = names, hashes, complete

    @classmethod
    def none(cls) -> FeatureNames:
        """No names yet."""
        return cls(Lexicon.of([]), np.empty(0, np.uint64))

    def __len__(self) -> int:
        return len(self.hashes)

    def joined(self, text: Array, starts: Array, hashes: Array, complete: bool) -> FeatureNames:
        """These names, and after them others."""
        joined = self.names.joined(text, starts) if len(hashes) else self.names
        return FeatureNames(joined, np.concatenate((self.hashes, hashes)), self.complete and complete)

    def of_columns(self, columns: Iterable[int], bits: int) -> list[list[str]]:
        """The features that were met in each of these of ``2**bits`` columns, in the order they came."""
        own = (self.hashes & np.uint64((1 << bits) - 1)).astype(np.int64)
        order = np.argsort(own, kind="stable")
        wanted = np.asarray(list(columns), dtype=np.int64)
        first, last = (np.searchsorted(own, wanted, side, sorter=order) for side in ("left", "right"))
        return [[self.names[int(i)] for i in order[a:b]] for a, b in zip(first, last)]

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Plain values and arrays: all that :meth:`from_state` needs."""
        return {"names_complete": self.complete}, self.names.to_state() | {"name_hashes": self.hashes}

    @classmethod
    def from_state(cls, plain: dict[str, Any], arrays: dict[str, Array]) -> FeatureNames:
        """What :meth:`to_state` gave; refuses, by ValueError, what does not fit together."""
        schema.record(names_complete=schema.flag)(plain, "names")
        names = Lexicon.of_state(arrays)
        hashes = schema.array(arrays, "name_hashes", np.uint64, (len(names),))
        return cls(names, hashes, plain["names_complete"])
