"""Files to rows: svmlight, Vowpal Wabbit, CSV, JSON lines, Parquet and Arrow, whole or block by block, and back.

Files of sentences, CoNLL columns and JSON lines of tokens, have doors of their own: `read_sentences`,
`stream_sentences` and `write_sentences`. A name is imported when it is first used: a program needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..errors import DataError
    from .arrow_files import ArrowFile, Parquet
    from .bad_rows import Skipped
    from .blocks import Block
    from .columns import Columns
    from .conll import Conll, Conllu
    from .conversion import convert
    from .csr import Csr
    from .csv_files import Csv
    from .encoder import Encoder, TextEncoder
    from .json_lines import JsonLines
    from .plain_text import PlainText
    from .reading import Data, Stream, read, stream
    from .sentence_files import SentenceStream, read_sentences, stream_sentences, write_sentences
    from .sparse_text import Svmlight, VowpalWabbit
    from .tagged import TaggedSentences
    from .tagged_json import TaggedJson, Words
    from .writing import write, write_svmlight

__all__ = [
    "ArrowFile",
    "Block",
    "Columns",
    "Conll",
    "Conllu",
    "Csr",
    "Csv",
    "Data",
    "DataError",
    "Encoder",
    "JsonLines",
    "Parquet",
    "PlainText",
    "SentenceStream",
    "Skipped",
    "Stream",
    "Svmlight",
    "TaggedJson",
    "TaggedSentences",
    "TextEncoder",
    "VowpalWabbit",
    "Words",
    "convert",
    "read",
    "read_sentences",
    "stream",
    "stream_sentences",
    "write",
    "write_sentences",
    "write_svmlight",
]

#: Where each name is defined.
_HOMES = {
    "DataError": "..errors",
    **dict.fromkeys(("ArrowFile", "Parquet"), ".arrow_files"),
    "Skipped": ".bad_rows",
    "Block": ".blocks",
    "Columns": ".columns",
    **dict.fromkeys(("Conll", "Conllu"), ".conll"),
    "convert": ".conversion",
    "Csr": ".csr",
    "Csv": ".csv_files",
    **dict.fromkeys(("Encoder", "TextEncoder"), ".encoder"),
    "JsonLines": ".json_lines",
    "PlainText": ".plain_text",
    **dict.fromkeys(("Data", "Stream", "read", "stream"), ".reading"),
    **dict.fromkeys(("SentenceStream", "read_sentences", "stream_sentences", "write_sentences"), ".sentence_files"),
    **dict.fromkeys(("Svmlight", "VowpalWabbit"), ".sparse_text"),
    "TaggedSentences": ".tagged",
    **dict.fromkeys(("TaggedJson", "Words"), ".tagged_json"),
    **dict.fromkeys(("write", "write_svmlight"), ".writing"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
