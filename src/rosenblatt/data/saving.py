"""Files that appear whole or not at all: written under another name, synced, then renamed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .extras import arrow
from .sources import SUFFIXES


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when all is written; if anything fails, ``path`` is as it was.

    What it is compressed by is told by the name. ``"-"`` is standard output, which is written at once.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name a file in it")
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r} to write {target.name!r} in")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            with _compressed(file, target.suffix.lower()) as stream:
                yield stream
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def _compressed(file: BinaryIO, suffix: str) -> Iterator[Any]:
    how = SUFFIXES.get(suffix)
    if how is None:
        yield file
    elif how == "gzip":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as stream:
            yield stream
    elif how == "zstd":
        pa = arrow("zstd files")
        # Arrow closes what it writes to: give it a copy of the descriptor's file that may be closed.
        inner = os.fdopen(os.dup(file.fileno()), "wb")
        with pa.CompressedOutputStream(pa.PythonFile(inner, "w"), "zstd") as stream:
            yield stream
    else:
        with bz2.BZ2File(file, "wb") if how == "bzip2" else lzma.LZMAFile(file, "wb") as stream:
            yield stream


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
