"""What can be read once, such as a pipe or standard input: recognised, and kept to be read again."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import DataError

#: Bytes that are kept in memory; then they go to a temporary file without a name, which may have so many.
IN_MEMORY, MOST = 1 << 26, 1 << 34


def standard_input() -> Any:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise OSError("standard input is closed; name files to read")
    return getattr(sys.stdin, "buffer", sys.stdin)


def open_file(name: str, buffering: int = -1) -> Any:
    """A file open for reading; refuses folders and sockets."""
    if os.path.isdir(name):
        raise IsADirectoryError(f"{name} is a folder; name its files, for instance {os.path.join(name, '*')!r}")
    try:
        return open(name, "rb", buffering)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {name!r} (in {os.getcwd()})") from None
    except OSError:
        if os.path.exists(name) and stat.S_ISSOCK(os.stat(name).st_mode):
            raise OSError(f"{name} is a socket; write what comes from it to a file or a pipe, and read that") from None
        raise


def identity(path: Any) -> Any:
    """What identifies a pipe or device that can be read only once; None: it can be read again, or does not exist."""
    try:
        status = os.fstat(standard_input().fileno()) if path == "-" else os.stat(path)
    except (OSError, TypeError):
        return "-" if path == "-" else None
    again = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    return (status.st_dev, status.st_ino) if path == "-" or not again else None


def refuse_twice(paths: Iterable[Any]) -> None:
    """Refuse what is named twice and can be read only once."""
    seen = set()
    for path in paths:
        one = identity(path) if isinstance(path, (str, os.PathLike)) else None
        if one is not None and one in seen:
            raise DataError("it is named twice, and can be read only once", file=display_name(path))
        seen.add(one)


def display_name(path: Any) -> str:
    """The name of a file in errors."""
    return "<stdin>" if path == "-" else os.fspath(path)


class ReplayablePipe:
    """A pipe that can be read from its beginning again and again: its bytes are kept until `release`.

    One reading at a time: opening it again ends the one before.

    Parameters
    ----------
    path : str
        ``"-"`` is standard input. It is opened when it is first read.
    """

    def __init__(self, path: str) -> None:
        import tempfile  # which takes its time

        self._path: str = path
        self._raw: Any = None
        self._store = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (it goes with this)
        self._stored = 0
        self._reader: Any = None  # the one under way,
        self._last: Any = None  # and the one that no other will follow
        self._lock = threading.Lock()

    def open(self) -> io.BufferedReader:
        """A binary file from its beginning."""
        if self._raw is None:
            # Not buffered, or it could not be closed while a thread waits for it.
            self._raw = standard_input() if self._path == "-" else open_file(self._path, 0)
            self._more = getattr(self._raw, "read1", self._raw.read)
        assert self._last is None, "released, and opened again"
        self._reader = _Reader(self, display_name(self._path))
        return io.BufferedReader(self._reader, 1 << 16)

    def release(self) -> None:
        """Keep no more: the reading that is under way is the last one."""
        self._last = self._reader

    def close(self) -> None:
        """Close the pipe, and drop what was kept."""
        self._reader = None
        if self._raw is not None and self._path != "-":
            self._raw.close()
        with contextlib.suppress(OSError):  # of a disk that is full, which was reported
            self._store.close()

    def read(self, reader: _Reader, at: int, n: int) -> bytes:
        """The next bytes from a place on, at most n; none at the end, and none to a reading that has ended."""
        with self._lock:
            if reader is not self._reader:
                return b""
            if at < self._stored:
                self._store.seek(at)
                return self._store.read(min(n, self._stored - at))
            some: bytes = self._more(n)
            if reader is not self._last:
                self._keep(some)
            elif self._stored:
                self._store.truncate(0)
                self._stored = 0
            return some

    def _keep(self, some: bytes) -> None:
        if self._stored + len(some) > MOST:
            problem = f"more than {MOST >> 30} GiB have come, which are kept as they are read more than once"
            raise DataError(problem, "write them to a file first", file=display_name(self._path))
        try:
            self._store.seek(self._stored)
            self._store.write(some)
        except OSError as error:
            raise OSError(
                error.errno, "it is read more than once, and could not be kept in the folder of temporary files, as "
                f"{error.strerror or error}; write it to a file first", display_name(self._path),
            ) from error  # fmt: skip
        self._stored += len(some)


class _Reader(io.RawIOBase):
    """One reading of what is kept."""

    def __init__(self, kept: ReplayablePipe, name: str) -> None:
        self._kept, self.name, self._at = kept, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        some = self._kept.read(self, self._at, len(room))
        room[: len(some)] = some
        self._at += len(some)
        return len(some)


class Pieces(io.RawIOBase):
    """A file of the pieces that an iterator gives."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        some, self._rest = self._rest[: len(room)], self._rest[len(room) :]
        room[: len(some)] = some
        return len(some)
