"""Documents in any container, as the native core reads them: a list, or Arrow's capsules, whose text is not copied."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..errors import DataError
from .analysis import choice

R = TypeVar("R")

INPUTS = ("content", "filename", "lines")


class Documents:
    """A column of text.

    Parameters
    ----------
    documents : list, array, Series, Arrow array or iterable of str or bytes; or paths
        The documents, or the files that hold them.
    input : {"content", "filename", "lines"}, default="content"
        Whether these are the documents, files of one document each, or a file (or several) of one document per line.
    """

    def __init__(self, documents: Any, input: str = "content") -> None:  # noqa: A002
        choice("input", input, INPUTS)
        self._origins: list[dict[str, Any]] | None = None  # the file and line of each document, where they have any
        if input == "content":
            self.column = _column(documents)
            return
        paths = [documents] if isinstance(documents, (str, os.PathLike)) else [*_column(documents)]
        if input == "filename" and isinstance(documents, (str, os.PathLike)):
            raise ValueError(f"input='filename' takes a list of files, got one; write [{documents!r}]")
        texts: list[bytes] = []
        self._origins = []
        for path in paths:
            if not isinstance(path, (str, os.PathLike)):
                raise TypeError(f"input={input!r} takes paths of files, got {type(path).__name__}")
            with open(path, "rb") as file:
                text = file.read().removeprefix(b"\xef\xbb\xbf")
            own = text.splitlines() if input == "lines" else [text]
            texts += own
            numbers = range(1, len(own) + 1) if input == "lines" else (None,)
            self._origins += [{"file": os.fspath(path), "line": line} for line in numbers]
        self.column = texts

    def read_by(self, call: Callable[..., R], *arguments: Any) -> R:
        """Call a native function with the documents; an error gets the file and line of its document."""
        column = self.column
        if not isinstance(column, list):
            if hasattr(column, "validate"):  # of Arrow: its offsets may have been written to since
                column.validate()
            stream = getattr(column, "__arrow_c_stream__", None)
            column = column.__arrow_c_array__() if stream is None else (stream(),)
        try:
            return call(column, *arguments)
        except DataError as error:
            if error.row is not None and self._origins is not None:
                origin = self._origins[error.row]
                error.at(**origin, row=error.row if origin.get("line") else None)  # a file of one document has no rows
            raise


def _column(documents: Any) -> Any:
    """A list, or what has Arrow's C interface."""
    if type(documents) is list:
        return documents
    kind = type(documents).__name__
    if isinstance(documents, (str, bytes, bytearray, memoryview)):
        raise ValueError(f"documents come in a list or another container, got one {kind}; write [text]")
    shape = getattr(documents, "shape", (0,))
    if hasattr(documents, "columns") or hasattr(documents, "schema") or (isinstance(shape, tuple) and len(shape) != 1):
        raise ValueError(f"documents must be one column of text, got {kind} of shape {shape}; choose a column of it")
    if hasattr(documents, "iloc"):  # pandas: the text of an Arrow-backed column is read where it lies
        if not hasattr(documents.array, "__arrow_array__"):
            return documents.tolist()
        try:
            return documents.array.__arrow_array__()
        except ImportError:
            return documents.tolist()
    if hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__"):
        return documents
    if hasattr(documents, "tolist"):
        return documents.tolist()
    if isinstance(documents, (Mapping, set, frozenset)) or not isinstance(documents, Iterable):
        raise TypeError(f"documents must be a list, an array or a column of text, got {kind}")
    return list(documents)
