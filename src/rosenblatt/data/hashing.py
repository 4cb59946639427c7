"""Names to columns by hash: MurmurHash3_x86_32 with seed 0 of the UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core import engine


def hash_names(names: Sequence[str]) -> NDArray[np.uint32]:
    """The 32-bit hash of each name.

    >>> [hex(h) for h in hash_names(["", "a"])]
    ['0x0', '0x3c2569b2']
    """
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    out = np.empty(len(names), np.uint32)
    engine.hash_texts(np.frombuffer(b"".join(encoded), np.uint8), offsets, out)
    return out
