"""What becomes of faulty rows: the first is raised, or all are left out, counted, and the first few remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, keyword

Array = NDArray[Any]

#: How many of the rows that were skipped are remembered with their place and reason.
REMEMBERED = 5


@dataclass
class Skipped:
    """Rows that were left out under ``on_error="skip"``: how many, and the first few with their place and reason.

    Attributes
    ----------
    count : int
        How many.
    first : list of DataError
        The first five.
    noun : str
        What they are: "row" or "sentence".
    """

    count: int = 0
    first: list[DataError] = field(default_factory=list)
    noun: str = "row"

    def add(self, count: int, errors: list[DataError]) -> None:
        """Count more of them."""
        self.count += count
        self.first += errors[: REMEMBERED - len(self.first)]

    def __bool__(self) -> bool:
        return self.count > 0

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        """Their number and the first few, a line each; ``setting`` as in `DataError.worded`."""
        if not self.count:
            return f"no {self.noun}s skipped"
        lines = [f"{self.count} {self.noun}{'s' if self.count > 1 else ''} skipped"]
        lines += [f"  {error.worded(setting)}" for error in self.first]
        if self.count > len(self.first):
            lines.append(f"  … and {self.count - len(self.first)} more")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.worded()


class BadRows:
    """What to do about faulty rows: raise the error of the first, or skip and count them."""

    def __init__(self, skip: bool, skipped: Skipped) -> None:
        self.skip, self.skipped = skip, skipped
        self.lines: list[int] | None = None  # of those skipped since they were last looked at; None: not kept

    def report(self, errors: list[DataError], count: int | None = None) -> None:
        """Errors in file order; ``count`` says how many rows they stand for, if not one each."""
        if errors and not self.skip:
            raise errors[0]
        self.skipped.add(len(errors) if count is None else count, errors)
        if self.lines is not None:
            self.lines += [error.line or error.row or 0 for error in errors]

    def positions(self, lines: Array) -> Array:
        """How many of the rows on these lines come before each that was skipped since this was last asked."""
        skipped, self.lines = self.lines or [], None if self.lines is None else []
        return np.searchsorted(lines, sorted(skipped))

    @classmethod
    def of(cls, on_error: str, noun: str = "row") -> BadRows:
        """As ``on_error`` says: "raise" or "skip"; ``noun`` is what rows are called."""
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error must be 'raise' or 'skip', got {on_error!r}")
        return cls(on_error == "skip", Skipped(noun=noun))


def quoted(token: bytes | str, longest: int = 40) -> str:
    """A piece of a file as it is shown in an error."""
    text = token.decode("utf-8", "backslashreplace") if isinstance(token, bytes) else token
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")
