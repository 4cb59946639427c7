"""Files to rows: svmlight, Vowpal Wabbit, CSV, JSON lines, Parquet and Arrow, whole or block by block, and back.

Files of sentences, CoNLL columns and JSON lines of tokens, have doors of their own: `read_sentences` and its kin,
which are imported when they are first named.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .arrow_files import ArrowFile, Parquet
from .bad_rows import Skipped
from .blocks import Block
from .columns import Columns
from .conversion import convert
from .csr import Csr
from .csv_files import Csv
from .encoder import Encoder, TextEncoder
from .json_lines import JsonLines
from .plain_text import PlainText
from .reading import Data, Stream, read, stream
from .sparse_text import Svmlight, VowpalWabbit
from .writing import write, write_svmlight

if TYPE_CHECKING:
    from .conll import Conll, Conllu
    from .sentence_files import SentenceStream, read_sentences, stream_sentences, write_sentences
    from .tagged import TaggedSentences
    from .tagged_json import TaggedJson, Words

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

#: Where the names are defined that are about sentences.
_HOMES = {
    **dict.fromkeys(("Conll", "Conllu"), "conll"),
    **dict.fromkeys(("SentenceStream", "read_sentences", "stream_sentences", "write_sentences"), "sentence_files"),
    "TaggedSentences": "tagged",
    **dict.fromkeys(("TaggedJson", "Words"), "tagged_json"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value
