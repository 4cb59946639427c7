"""Where data are written: a file that appears whole or not at all, compressed as its name says; or standard output."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .. import atomic_files
from .extras import arrow
from .sources import SUFFIXES


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when all is written; if anything fails, ``path`` is as it was.

    What it is compressed by is told by the name. ``"-"`` is standard output, which is written at once.
    """
    if path == "-":
        if sys.stdout is None:
            raise OSError("standard output is closed; name a file to write to")
        sys.stdout.flush()  # what was printed before comes before
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with atomic_files.replacing(path) as file, _compressed(file, Path(path).suffix.lower()) as stream:
        yield stream


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
