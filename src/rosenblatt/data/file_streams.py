"""Files one after the other, and a stream of what is read from them: the base of those of rows and of sentences."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Iterator
from typing import Any, Generic, TypeVar

from .bad_rows import BadRows, Skipped
from .memory_limit import MemoryLimit
from .pipes import refuse_twice
from .read_ahead import ReadAhead
from .sources import Source, expand, look_into

Part = TypeVar("Part")
Own = TypeVar("Own", bound="FileStream[Any]")


class FileWalk:
    """Files that are opened one after the other; the first is open from the start, and settles what reads them."""

    reader: Any  # what reads them, settled by the first

    def __init__(self, paths: Any, bad_rows: BadRows, memory_limit: MemoryLimit, encoding: str | None) -> None:
        self.paths, self.bad_rows, self.memory_limit = expand(paths), bad_rows, memory_limit
        refuse_twice(self.paths)
        self.names: list[str] = []  # of the files opened so far
        self._encoding = encoding
        self._at: tuple[int, Source | None] = 0, None  # files done, and the one at hand; replaced at once
        self._opened(0)

    def settle(self, reader_of: Callable[[Source], Any]) -> None:
        """Have this reader of the first file read them all; the file is closed if there is none."""
        source = self._at[1]
        assert source is not None
        try:
            self.reader = reader_of(source)
            self.reader.prepare(source)
        except BaseException:
            source.close()
            raise

    def _opened(self, number: int) -> Source:
        source = Source(self.paths[number], self.memory_limit)
        self._at = number, source
        try:
            self.names.append(source.name)
            look_into(source, self._encoding)
        except BaseException:
            source.close()
            raise
        return source

    def sources(self) -> Generator[Source, None, None]:
        """Each file in turn. Closing it closes the file at hand."""
        try:
            for number in range(len(self.paths)):
                source = self._at[1] or self._opened(number)
                yield source
                self._at = number + 1, None
                source.close()
        finally:
            if self._at[1] is not None:
                self._at[1].close()

    def none_of(self, noun: str) -> str:
        """That there are none of these in the files, and how many were skipped."""
        skipped = self.bad_rows.skipped
        return f"there are no {noun}" + (f"; {skipped.count} were skipped" if skipped else "")

    @property
    def progress(self) -> float | None:
        done, source = self._at
        inside = (0, 1) if source is None else source.progress
        return None if inside is None else (done + inside[0] / inside[1]) / len(self.paths)


class FileStream(Generic[Part]):
    """Parts of files, one after the other; while the caller works on one, a thread reads the next."""

    def __init__(self, reading: FileWalk, parts: Iterator[Part], thread: str) -> None:
        self._reading = reading
        self._ahead: ReadAhead[Part, Part] | None = ReadAhead(parts, lambda part: part, thread)
        self._end = weakref.finalize(self, self._ahead.stop)

    @property
    def format(self) -> Any:
        return self._reading.reader.settings

    @property
    def skipped(self) -> Skipped:
        return self._reading.bad_rows.skipped

    @property
    def progress(self) -> float | None:
        return self._reading.progress

    def __iter__(self) -> Iterator[Part]:
        return self

    def __next__(self) -> Part:
        if self._ahead is None:
            raise StopIteration
        try:
            return next(self._ahead)
        except StopIteration:
            self.close()
            raise

    def close(self) -> None:
        """End the thread and close the file; what was read is not lost, but no more comes."""
        self._ahead = None
        self._end()

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
