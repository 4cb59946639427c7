"""Files to rows: svmlight, Vowpal Wabbit, CSV, JSON lines, Parquet and Arrow, whole or block by block, and back.

Files of sentences, CoNLL columns and JSON lines of tokens, have doors of their own: `read_sentences` and its kin.
"""

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
