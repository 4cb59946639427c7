"""Plain text: a document a line, labelled by the name of its file or folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import DataError
from .arrow import Strings, Texts
from .blocks import Block
from .chunks import Size, as_utf8, check_encoding_errors, chunks
from .profiles import Profile
from .sources import Source
from .tables import TableReader


@dataclass(frozen=True)
class PlainText:
    """Settings of plain text, of which every line that is not blank is a document: the column ``text``.

    Parameters
    ----------
    label_from : "file", "folder" or None, default=None
        What the column ``label`` has: the name of the file, up to its first dot, or of its folder. None: there is none.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    label_from: str | None = None
    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "text"

    def __post_init__(self) -> None:
        if self.label_from not in (None, "file", "folder"):
            raise ValueError(f"label_from must be 'file', 'folder' or None, got {self.label_from!r}")
        check_encoding_errors(self.encoding_errors)


class PlainTextReader(TableReader):
    """Blocks of documents."""

    settings: PlainText

    def _profiles(self, source: Source) -> dict[str, Profile]:
        text = {"text": Profile("string", 1, 1, 100.0, 20.0)}
        return text if self.settings.label_from is None else {"label": Profile("string", 1, 1, 1.0, 1.0), **text}

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of this size, the last one and those with skipped rows shorter."""
        self.prepare(source)
        for chunk in chunks(source, size):
            self._check_room(source, chunk)
            text = as_utf8(
                bytes(chunk.text), self.settings.encoding_errors, self._bad_rows, source.name, chunk.first_line
            )
            documents = {number: line.strip() for number, line in enumerate(text.split(b"\n"), chunk.first_line)}
            documents = {number: line for number, line in documents.items() if line}
            columns = {"text": _strings(list(documents.values()))}
            if self.columns.label:
                label = _strings([self._label(source).encode()])
                columns["label"] = Strings(label.starts, label.text, np.zeros(len(documents), np.int32).tobytes())
            yield self._block(Texts(columns), np.array(list(documents), np.int64), source.name)

    def _label(self, source: Source) -> str:
        if source.name.startswith("<"):
            raise DataError("it has no name to take the label from", "write it to a file", file=source.name)
        folder, name = os.path.split(os.path.abspath(source.name))
        return os.path.basename(folder) if self.settings.label_from == "folder" else name.partition(".")[0]


def _strings(texts: list[bytes]) -> Strings:
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    return Strings(starts.tobytes(), b"".join(texts))
