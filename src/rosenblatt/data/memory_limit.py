"""How much memory the rows of files may take, counted in bytes before it is allocated."""

from __future__ import annotations

import re
from typing import Any

from ..core import memory
from ..errors import DataError

#: What to do where files are read whole.
STREAM_INSTEAD = "read block by block with rb.data.stream, or hold more with {}"
#: And where they are read in blocks.
SMALLER_BLOCKS = "make blocks smaller with block_rows=…, or hold more with {}"

#: What is held may take this share of the memory that is available, by default.
SHARE = 3 / 4


class MemoryLimitError(DataError):
    """Rows that would take more memory than the limit."""


class MemoryLimit:
    """The memory that rows take, and its limit.

    Parameters
    ----------
    limit : int, str or None
        Bytes, or such as "2 GB"; None: three quarters of the memory that is available.
    remedy : str
        What to do instead, for the sentence.
    """

    def __init__(self, limit: Any, remedy: str) -> None:
        self.limit = parse_limit(limit)
        self._remedy = remedy
        self._kept = self._rows = 0  # of what was read

    def check(self, n_bytes: int, file: str, rows: int = 0) -> None:
        """Refuse so many bytes, of so many rows, beyond what is kept, if that exceeds the limit."""
        if self.limit is not None and self._kept + n_bytes > self.limit:
            rows += self._rows
            subject = f"{rows:,} rows take" if rows else "it takes"
            limit, needed = memory.size(self.limit), memory.size(self._kept + n_bytes)
            problem = f"{subject} {needed} of memory or more, and {limit} is the limit"
            raise MemoryLimitError(problem, self._remedy, file=file, parameter="memory", value=...)

    def keep(self, n_bytes: int, rows: int, file: str) -> None:
        """Count so many bytes, of so many rows, as kept."""
        self.check(n_bytes, file, rows)
        self._kept, self._rows = self._kept + n_bytes, self._rows + rows


def parse_limit(limit: Any) -> int | None:
    """Bytes, from a number or from such as "2 GB"; None: those that are available, if that is known."""
    if limit is None:
        there = memory.available()
        return None if there is None else int(SHARE * there)
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?)(i?)b?\s*", limit.lower())
        if match is not None and float(match[1]) > 0:
            return max(1, int(float(match[1]) * (1024 if match[3] else 1000) ** " kmgt".index(match[2] or " ")))
    elif isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
        return limit
    raise ValueError(f"memory must be a number of bytes or such as '2 GB', got {limit!r}")
