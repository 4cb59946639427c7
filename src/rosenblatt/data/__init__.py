"""Files to rows: svmlight, Vowpal Wabbit, CSV, JSON lines, Parquet and Arrow, whole or block by block, and back."""

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

__all__ = [
    "ArrowFile",
    "Block",
    "Columns",
    "Csr",
    "Csv",
    "Data",
    "DataError",
    "Encoder",
    "JsonLines",
    "Parquet",
    "PlainText",
    "Skipped",
    "Stream",
    "Svmlight",
    "TextEncoder",
    "VowpalWabbit",
    "convert",
    "read",
    "stream",
    "write",
    "write_svmlight",
]
