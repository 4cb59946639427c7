"""N-grams by number, in three arrays: their UTF-8 bytes one after the other, where each starts, and slots to find them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine

Array = NDArray[Any]


class Lexicon:
    """A table of different n-grams, found by their hash.

    Parameters
    ----------
    bytes, starts : ndarray
        UTF-8 of all n-grams, and where each starts, the end included.
    """

    def __init__(self, bytes: Array, starts: Array) -> None:  # noqa: A002
        self.bytes = np.ascontiguousarray(bytes, np.uint8)
        self.starts = np.ascontiguousarray(starts, np.int64)
        self._slots = engine.index_ngrams(self.bytes, self.starts)

    @classmethod
    def of(cls, names: Iterable[str]) -> Lexicon:
        """A table of these n-grams, in their order."""
        coded = [name.encode() for name in names]
        starts = np.zeros(len(coded) + 1, np.int64)
        np.cumsum([len(name) for name in coded], out=starts[1:])
        return cls(np.frombuffer(b"".join(coded), np.uint8), starts)

    @property
    def native(self) -> tuple[Array, Array, Array]:
        """What the native core takes."""
        return self.bytes, self.starts, self._slots

    @property
    def hashes(self) -> Array:
        """The 32-bit hash of each n-gram."""
        slots = self._slots[self._slots != 0]
        found = np.empty(len(self), np.uint32)
        found[(slots & np.uint64(0xFFFFFFFF)).astype(np.int64) - 1] = slots >> np.uint64(32)
        return found

    @property
    def nbytes(self) -> int:
        """Memory that the table takes."""
        return self.bytes.nbytes + self.starts.nbytes + self._slots.nbytes

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> str:
        return self.bytes[self.starts[i] : self.starts[i + 1]].tobytes().decode()

    def names(self) -> list[str]:
        """All n-grams, in their order."""
        whole, starts = self.bytes.tobytes(), self.starts.tolist()
        return [whole[a:b].decode() for a, b in zip(starts[:-1], starts[1:])]

    def where(self, kept: Array) -> Lexicon:
        """The n-grams for which ``kept`` is true."""
        lengths = np.diff(self.starts)
        starts = np.concatenate(([0], np.cumsum(lengths[kept])))
        return Lexicon(self.bytes[np.repeat(kept, lengths)], starts)

    def joined(self, bytes: Array, starts: Array) -> Lexicon:  # noqa: A002
        """These n-grams, and after them others."""
        return Lexicon(np.concatenate((self.bytes, bytes)), np.concatenate((self.starts, starts[1:] + self.starts[-1])))
