"""What is wrong with a file, and where: the one error of this package, and the record of what was skipped."""

from __future__ import annotations

from dataclasses import dataclass, field

#: How many of the rows that were skipped are remembered with their place and reason.
REMEMBERED = 5


class DataError(ValueError):
    """A file that cannot be read as asked: one sentence with the file, the line and the byte or column.

    Attributes
    ----------
    path : str
        The file, as it was named; ``<stdin>`` for standard input.
    line : int or None
        The line, from 1 (of a Parquet or Arrow file: the row).
    column : int, str or None
        The byte of the line, from 1, or the name of the column.
    reason : str
        What is wrong, without the place.
    """

    def __init__(
        self, reason: str, path: str | None = None, line: int | None = None, column: int | str | None = None
    ) -> None:
        self.path, self.line, self.column, self.reason = path, line, column, reason
        place = [] if path is None else [path]
        if line is not None:
            place.append(f"line {line}")
        if column is not None:
            place.append(f"byte {column}" if isinstance(column, int) else f"column {column!r}")
        super().__init__(": ".join(filter(None, [", ".join(place), reason])))


@dataclass
class Skipped:
    """Rows that were left out under ``on_error="skip"``: how many, and the first few with their place and reason."""

    count: int = 0
    first: list[DataError] = field(default_factory=list)

    def add(self, count: int, errors: list[DataError]) -> None:
        self.count += count
        self.first += errors[: REMEMBERED - len(self.first)]

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        if not self.count:
            return "no rows skipped"
        told = [f"{self.count} row{'s' if self.count > 1 else ''} skipped"]
        told += [f"  {error}" for error in self.first]
        if self.count > len(self.first):
            told.append(f"  … and {self.count - len(self.first)} more")
        return "\n".join(told)


@dataclass
class Judge:
    """Decides on faulty rows: raises the first, or counts them all."""

    skip: bool
    skipped: Skipped = field(default_factory=Skipped)

    def hear(self, errors: list[DataError], count: int | None = None) -> None:
        """Errors in file order; ``count`` says how many rows they stand for, if not one each."""
        if errors and not self.skip:
            raise errors[0]
        self.skipped.add(len(errors) if count is None else count, errors)


def judge_of(on_error: str) -> Judge:
    """The judge that ``on_error`` asks for."""
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', got {on_error!r}")
    return Judge(on_error == "skip")


def quoted(token: bytes | str, longest: int = 40) -> str:
    """A piece of a file as it is shown in an error."""
    text = token.decode("utf-8", "backslashreplace") if isinstance(token, bytes) else token
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")
