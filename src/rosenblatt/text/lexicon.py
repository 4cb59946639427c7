"""N-grams by number, in three arrays: their UTF-8 bytes one after the other, where each starts, slots to find them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine

Array = NDArray[Any]


class Lexicon:
    """A table of different n-grams, looked up by their hash.

    Parameters
    ----------
    text, starts : ndarray
        UTF-8 of all n-grams, and where each starts, the end included.
    """

    def __init__(self, text: Array, starts: Array) -> None:
        self.text = np.ascontiguousarray(text, np.uint8)
        self.starts = np.ascontiguousarray(starts, np.int64)

    @classmethod
    def of(cls, names: Iterable[str]) -> Lexicon:
        """A table of these n-grams, in their order."""
        coded = [name.encode() for name in names]
        starts = np.zeros(len(coded) + 1, np.int64)
        np.cumsum([len(name) for name in coded], out=starts[1:])
        return cls(np.frombuffer(b"".join(coded), np.uint8), starts)

    @cached_property
    def _slots(self) -> Array:
        return engine.index_ngrams(self.text, self.starts)

    def to_state(self) -> dict[str, Array]:
        """The arrays that a file holds of it."""
        return {"name_bytes": self.text, "name_starts": self.starts.astype(_start_type(self.text))}

    @classmethod
    def of_state(cls, arrays: dict[str, Array]) -> Lexicon:
        """The table that a file holds as ``name_bytes`` and ``name_starts``; refuses, by ValueError, anything else."""
        text = schema.array(arrays, "name_bytes", np.uint8, (None,))
        starts = schema.numbers(arrays, "name_starts", _start_type(text), None, below=len(text) + 1).astype(np.int64)
        rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(text) and bool(np.all(np.diff(starts) >= 0))
        schema.require(rising, "name_starts")
        text.tobytes().decode()  # says where it is no UTF-8
        inside = starts[starts < len(text)]
        schema.require(not np.any((text[inside] & 0xC0) == 0x80), "name_starts")  # in the midst of a character
        return cls(text, starts)

    @property
    def native(self) -> tuple[Array, Array, Array]:
        """What the native core takes."""
        return self.text, self.starts, self._slots

    @property
    def hashes(self) -> Array:
        """The 32-bit hash of each n-gram."""
        slots = self._slots[self._slots != 0]
        hashes = np.empty(len(self), np.uint32)
        hashes[(slots & np.uint64(0xFFFFFFFF)).astype(np.int64) - 1] = slots >> np.uint64(32)
        return hashes

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> str:
        return self.text[self.starts[i] : self.starts[i + 1]].tobytes().decode()

    def names(self) -> list[str]:
        """All n-grams, in their order."""
        whole, starts = self.text.tobytes(), self.starts.tolist()
        return [whole[a:b].decode() for a, b in pairwise(starts)]

    def where(self, kept: Array) -> Lexicon:
        """The n-grams for which ``kept`` is true."""
        lengths = np.diff(self.starts)
        starts = np.concatenate(([0], np.cumsum(lengths[kept])))
        return Lexicon(self.text[np.repeat(kept, lengths)], starts)

    def joined(self, text: Array, starts: Array) -> Lexicon:
        """These n-grams, and after them others."""
        return Lexicon(np.concatenate((self.text, text)), np.concatenate((self.starts, starts[1:] + self.starts[-1])))


def _start_type(text: Array) -> Any:
    """The type of places in a text, in files."""
    return np.int32 if len(text) < 1 << 31 else np.int64
