"""Where bytes come from and go to: files by name, glob or list, standard input and output, compressed or not."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from .. import atomic_files
from ..core import engine
from ..errors import DataError
from .arrow import arrow
from .memory_limit import MemoryLimit
from .pipes import Pieces, open_file, standard_input

#: What a file compressed in each way begins with.
MAGIC = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_MAGIC_BYTES = max(map(len, MAGIC))
#: The names that files compressed in each way have, and that are written so.
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}

#: Files that are larger together are read block by block in every pass. A compressed byte counts for five.
IN_MEMORY = 1 << 30
_COMPRESSED = (*SUFFIXES, ".zip", ".parquet", ".pq", ".feather")

_STEP = 1 << 20


class Source:
    """Bytes of one file from its beginning, decompressed. Reads that fail say so in a `DataError`.

    Parameters
    ----------
    where : str, path or binary file object
        ``"-"`` is standard input.
    memory_limit : MemoryLimit or None, default=None
        What may be held of it, where that is counted.
    """

    def __init__(self, where: Any, memory_limit: MemoryLimit | None = None) -> None:
        self._memory_limit = memory_limit
        self.inner_name: str | None = None  # of the one file in an archive
        self._owned: Any = None  # what is to be closed
        self._size: int | None = None  # of a plain file
        self._passed = 0  # bytes of it: who asks the file itself waits for the thread that reads it
        self._peeked = b""  # looked at ahead of reading
        self._whole: bytes | None = None
        if where == "-":
            self.name, raw = "<stdin>", standard_input()
        elif hasattr(where, "read"):
            self.name, raw = str(getattr(where, "name", "<file object>")), where
            if isinstance(where, io.TextIOBase):
                raise TypeError(f"{self.name} is open as text; open it in binary mode, open(path, 'rb')")
        else:
            self.name = os.fspath(where)
            raw = self._owned = open_file(self.name)
            status = os.fstat(raw.fileno())
            self._size = status.st_size if stat.S_ISREG(status.st_mode) else None
        try:
            head, raw = _begun(raw)
        except OSError as error:
            raise self._named(error) from None
        self._raw: BinaryIO = raw
        self._file: Any = raw
        self.compression = next((how for magic, how in MAGIC.items() if head.startswith(magic)), None)
        named = SUFFIXES.get(suffix(self.name).lower())
        if named and head and self.compression is None and any(magic.startswith(head) for magic in MAGIC):
            self.close()
            raise self._cut_short(named)
        if self.compression in ("gzip", "bzip2", "xz"):
            self._file = _compressed_file(self.compression, raw, "rb")
        elif self.compression == "zstd":
            self._file = arrow("zstd files").CompressedInputStream(raw, "zstd")
        elif self.compression == "zip":
            try:
                self._file, self.inner_name = self._zipped()
            except DataError:
                self.close()
                raise

    def _zipped(self) -> tuple[Any, str]:
        """The one file in a zip archive, and its name."""
        import zipfile

        try:
            archive = zipfile.ZipFile(self._raw if self._raw.seekable() else io.BytesIO(self._raw.read()))
            inside = [one for one in archive.namelist() if not one.endswith("/") and not one.startswith("__MACOSX/")]
            if "xl/workbook.xml" in inside:
                raise DataError("the file is an Excel workbook", "save it as CSV", file=self.name)
            if len(inside) != 1:
                problem = f"the zip archive holds {len(inside)} files: {', '.join(inside[:3])}, …"
                raise DataError(problem, "unpack it, and name those to read", file=self.name)
            return archive.open(inside[0]), inside[0]
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise DataError(f"the zip archive cannot be read ({error})", file=self.name) from error

    def rewrite(self, convert: Callable[[Iterator[bytes]], Iterator[bytes]]) -> None:
        """Read what ``convert`` makes of the bytes instead of these."""
        file, ahead, self._peeked = self._file, self._peeked, b""
        pieces = convert(itertools.chain([ahead], iter(lambda: file.read(_STEP), b"")))
        self._file = io.BufferedReader(Pieces(pieces), _STEP)

    @property
    def seekable(self) -> bool:
        """Whether it is a regular file that may be read in any order."""
        return self._size is not None and self._file is self._raw

    @property
    def progress(self) -> tuple[int, int] | None:
        """Bytes of the file taken so far and all of them, where that is known."""
        return (min(self._passed, self._size), self._size) if self._size else None

    def peek(self, n: int) -> bytes:
        """The first n bytes, or all there are; they will still be read."""
        while len(self._peeked) < n and (more := self._take(n - len(self._peeked))):
            self._peeked += more
        return self._peeked[:n]

    def read(self, n: int) -> bytes:
        """The next bytes, at most n; none at the end of the file."""
        if self._peeked:
            some, self._peeked = self._peeked[:n], self._peeked[n:]
            return some
        return self._take(n)

    def read_into(self, room: memoryview) -> int:
        """The next bytes, at most as many as there is room for; how many they are, 0 at the end of the file."""
        if not self._peeked and self._file is self._raw and hasattr(self._raw, "readinto1"):
            n = int(self._raw.readinto1(room))
            self._passed += n
            return n
        some = self.read(len(room))
        room[: len(some)] = some
        return len(some)

    def check_room(self, n_bytes: int, rows: int = 0) -> None:
        """Refuse to hold so many bytes, of so many rows, where that is more than may be held."""
        if self._memory_limit is not None:
            self._memory_limit.check(n_bytes, self.name, rows)

    def read_all(self) -> bytes:
        """All that is left."""
        if self.seekable:
            self.check_room(self._size or 0)
            rest, self._peeked, self._passed = self._peeked, b"", self._size or 0
            return rest + self._raw.read() if rest else self._raw.read()
        parts, size = [], 0
        while some := self.read(_STEP):
            size += len(some)
            self.check_room(2 * size)  # these, and one behind the other
            parts.append(some)
        return b"".join(parts)

    def read_array(self) -> NDArray[np.uint8]:
        """All that is left, as an array: of a plain file without a copy."""
        if not self.seekable or not self._size:
            return np.frombuffer(self.read_all(), np.uint8)
        self.check_room(self._size)
        head, self._peeked = self._peeked, b""
        room = np.empty(len(head) + max(self._size - self._raw.tell(), 0) + 1, np.uint8)  # + 1: to see that it ended
        engine.populate(room)
        room[: len(head)] = np.frombuffer(head, np.uint8)
        n = len(head)
        file: Any = self._raw
        while n < len(room) and (more := file.readinto(room[n:])):
            n += more
        self._passed = self._size
        if n == len(room):  # it has grown meanwhile
            return np.frombuffer(room.tobytes() + self._raw.read(), np.uint8)
        return room[:n]

    def whole(self) -> bytes:
        """The whole file, kept: for formats that are read in any order."""
        if self._whole is None:
            self._whole = self.read_all()
        return self._whole

    def _take(self, n: int) -> bytes:
        try:
            some = bytes(self._file.read(n))
            self._passed = self._raw.tell() if self._size else 0
            return some
        except EOFError:
            raise self._cut_short(self.compression or "") from None
        except _read_errors() as error:
            if self.compression is None:
                raise self._named(error) from None
            if "truncated" in str(error).lower():
                raise self._cut_short(self.compression) from None
            raise DataError(f"the {self.compression} data are damaged ({error})", file=self.name) from error

    def _named(self, error: Exception) -> Exception:
        """The same, with the file's name if it has none: a file that is open does not tell it."""
        if isinstance(error, OSError) and error.filename is None and error.errno is not None:
            error.filename = self.name
        return error

    def _cut_short(self, how: str) -> DataError:
        problem = f"the {how} data stop before their end: the file was cut short"
        return DataError(problem, "fetch or write it again", file=self.name)

    def close(self) -> None:
        if self._file is not self._raw:
            self._file.close()
        if self._owned is not None:
            self._owned.close()


def _read_errors() -> tuple[type[Exception], ...]:
    """What reading a file raises, compressed or not."""
    import lzma

    return OSError, zlib.error, lzma.LZMAError


def _compressed_file(how: str, file: Any, mode: Literal["rb", "wb"]) -> Any:
    """What reads or writes a compressed file. Each module is imported when it is needed: most files are plain."""
    if how == "gzip":
        import gzip

        return gzip.GzipFile(filename="", mode=mode, fileobj=file, mtime=0, compresslevel=6)
    if how == "bzip2":
        import bz2

        return bz2.BZ2File(file, mode)
    import lzma

    return lzma.LZMAFile(file, mode)


def _begun(raw: Any) -> tuple[bytes, Any]:
    """The first bytes of a file, and the file, of which they are still to be read. A pipe gives them as they come."""
    can_seek = getattr(raw, "seekable", lambda: False)()
    at = raw.tell() if can_seek else 0
    head = b""
    while len(head) < _MAGIC_BYTES and (more := raw.read(_MAGIC_BYTES - len(head))):
        head += more
    if can_seek:
        raw.seek(at)
        return head, raw
    more = getattr(raw, "read1", raw.read)
    return head, io.BufferedReader(Pieces(itertools.chain([head], iter(lambda: more(_STEP) or b"", b""))), _STEP)


def expand(paths: Any) -> list[Any]:
    """Every file that is named, in that order; a glob stands for its files in sorted order."""
    if isinstance(paths, (list, tuple)) or (
        isinstance(paths, Iterable) and not isinstance(paths, (str, bytes, os.PathLike)) and not hasattr(paths, "read")
    ):
        files = [one for path in paths for one in expand(path)]
        if not files:
            raise ValueError("no file was named")
        return files
    if not isinstance(paths, (str, os.PathLike)):
        if hasattr(paths, "read"):
            return [paths]
        raise TypeError(f"a file is named by a string or a path, or is a binary file object; got {paths!r}")
    name = os.fspath(paths)
    if name == "-" or os.path.exists(name):
        return [name]
    import glob

    if not glob.has_magic(name):
        return [name]
    matched = sorted(path for path in glob.glob(name, recursive=True) if not os.path.isdir(path))
    if not matched:
        raise FileNotFoundError(f"no file matches {name!r} (in {os.getcwd()})")
    return list(matched)


def size_of(paths: Iterable[Any]) -> int:
    """Bytes of files, those that are compressed five times; what is no file counts for nothing."""
    size = 0
    for path in paths:
        if isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
            size += os.path.getsize(path) * (5 if str(path).lower().endswith(_COMPRESSED) else 1)
    return size


def stem(name: str) -> str:
    """A file's name in lower case without the suffix of its compression."""
    inner, ending = os.path.splitext(os.path.basename(name.lower()))
    return inner if ending in SUFFIXES else inner + ending


def suffix(name: str) -> str:
    """What a file's name ends in, from the last dot on; "" where it has none."""
    return os.path.splitext(name)[1]


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when all is written; if anything fails, ``path`` is as it was.

    Its name says how it is compressed. ``"-"`` is standard output, which is written at once.
    """
    if path == "-":
        if sys.stdout is None:
            raise OSError("standard output is closed; name a file to write to")
        sys.stdout.flush()  # what was printed before comes before
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with atomic_files.replacing(path) as file, _compressed(file, suffix(os.fspath(path)).lower()) as stream:
        yield stream


@contextlib.contextmanager
def _compressed(file: BinaryIO, ending: str) -> Iterator[Any]:
    how = SUFFIXES.get(ending)
    if how is None:
        yield file
    elif how == "zstd":
        pa = arrow("zstd files")
        # Arrow closes what it writes to: give it a copy of the descriptor's file that may be closed.
        inner = os.fdopen(os.dup(file.fileno()), "wb")
        with pa.CompressedOutputStream(pa.PythonFile(inner, "w"), "zstd") as stream:
            yield stream
    else:
        with _compressed_file(how, file, "wb") as stream:
            yield stream


def look_into(source: Source, encoding: str | None) -> None:
    """Refuse an empty file, and have text read as UTF-8; None: it is, or it is UTF-16 or UTF-32 by its first bytes."""
    head = source.peek(4)
    if not head:
        raise DataError("the file is empty", file=source.name)
    if encoding is not None and head in (b"PAR1", b"ARRO"):
        raise TypeError(f"{source.name} is no text and has no encoding")
    if encoding is None:
        encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if encoding is None and not _ASCII.fullmatch(head):  # else nothing more is waited for
        wide = _wide_encoding(source.peek(_LOOKED_AT))
        if wide is not None:
            raise DataError(f"looks like {wide[:6].upper()} without a byte-order mark", "say {}", file=source.name,
                            parameter="encoding", value=wide)  # fmt: skip
    if encoding is not None:
        source.rewrite(decoded(encoding, source.name))


#: Byte-order marks; those of UTF-32 come first, as one begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_ASCII = re.compile(rb"[\t\n\r -~]*")
_LOOKED_AT = 512  # bytes


def _wide_encoding(head: bytes) -> str | None:
    """The encoding of two or four bytes a character that a text without a byte-order mark seems to be in, if any.

    It decodes the text to no control characters and, as spaces, digits and line ends are ASCII in any language, to one
    such character in 16 or more. Each takes a zero byte at the right place, of which text in other encodings has none.
    """
    share = {}
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        with contextlib.suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder(encoding)().decode(head)
            if text and not _CONTROL.search(text):
                share[encoding] = sum(map(str.isascii, text)) / len(text)
    likeliest = max(share, key=share.__getitem__, default="")
    return likeliest if share.get(likeliest, 0) >= 1 / 16 else None


_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


def decoded(encoding: str, file: str) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """What makes UTF-8 of text in another encoding."""
    try:
        make = codecs.getincrementaldecoder(encoding)
    except LookupError:
        raise ValueError(f"there is no encoding {encoding!r}; usual ones are utf-8, latin-1, cp1252, utf-16") from None

    def convert(pieces: Iterator[bytes]) -> Iterator[bytes]:
        decoder = make()
        try:
            for piece in pieces:
                yield decoder.decode(piece).encode()
            yield decoder.decode(b"", True).encode()
        except UnicodeError as error:
            raise DataError(f"the text is not {encoding} ({error})", file=file) from error

    return convert
