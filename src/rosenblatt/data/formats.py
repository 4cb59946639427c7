"""The formats by name, and which one a file is in: by its name, else by its first lines."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import DataError
from .bad_rows import BadRows
from .blocks import Reader
from .columns import Columns, nearest
from .sentence_guess import guess_sentence_format
from .sources import Source, stem, suffix

if TYPE_CHECKING:
    from .arrow_files import ArrowFile, Parquet
    from .csv_files import Csv
    from .json_lines import JsonLines
    from .plain_text import PlainText
    from .sparse_text import Svmlight, VowpalWabbit

    Format: TypeAlias = Svmlight | VowpalWabbit | Csv | JsonLines | PlainText | Parquet | ArrowFile

#: Of each format the module, its settings and what reads it: imported when it is first named, as a run needs one.
FORMATS = {
    "svmlight": ("sparse_text", "Svmlight", "SvmlightReader"),
    "vw": ("sparse_text", "VowpalWabbit", "VowpalWabbitReader"),
    "csv": ("csv_files", "Csv", "CsvReader"),
    "jsonl": ("json_lines", "JsonLines", "JsonLinesReader"),
    "text": ("plain_text", "PlainText", "PlainTextReader"),
    "parquet": ("arrow_files", "Parquet", "ArrowReader"),
    "arrow": ("arrow_files", "ArrowFile", "ArrowReader"),
}
#: Other names that formats go by.
ALIASES = {
    "libsvm": "svmlight", "vowpalwabbit": "vw", "tsv": "csv", "jsonlines": "jsonl", "ndjson": "jsonl", "json": "jsonl",
    "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
#: What the names of files end in.
SUFFIXES = {
    ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight", ".vw": "vw", ".csv": "csv", ".tsv": "csv",
    ".tab": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip

_HEAD = 1 << 16
#: Compiled when a file's name does not tell its format.
_SVMLIGHT = rb"[-+0-9.,eE]+[ \t]+(qid:\d+|\d+:[-+0-9.]\S*)([ \t].*)?"
_VW_HEAD = rb"(?s)[-+0-9.eE]+[ \t].*|([-+0-9.eE]+)?('\S*)?[ \t]*"
_VW_REST = rb"(\S*)([ \t].*)?"


#: What to do about a file of sentences where a table is wanted.
AS_SENTENCES = "read them with rb.data.read_sentences, or say {} if they are a table"


def format_of(format: str | Format | None, settings: dict[str, Any], source: Source) -> Format:
    """The format that is asked for, or the one that the file seems to be in, with settings."""
    if format is not None and not isinstance(format, str):
        if not isinstance(format, tuple(map(settings_of, FORMATS))):
            raise TypeError(f"format must be one of {', '.join(FORMATS)}, or settings of one; got {format!r}")
        if settings:
            raise TypeError(f"say {min(settings)!r} in the format itself, {format!r}")
        return format
    if format is None and "label_from" in settings:
        format = "text"  # which alone has no column for it
    if format is None and guess_sentence_format(source) in ("conll", "conllu"):  # JSON may be a table with lists
        raise DataError(
            "it holds sentences, a token a line",
            AS_SENTENCES,
            file=source.name, parameter="format", value="csv",
        )  # fmt: skip
    name = guess_format(source) if format is None else known_format(format)
    if (format or "").lower() == "tsv" or stem(source.inner_name or source.name).endswith((".tsv", ".tab")):
        settings = {"delimiter": "\t"} | settings if name == "csv" else settings
    kind = settings_of(name)
    known = [field.name for field in fields(kind)]
    for key in settings:
        if key not in known:
            has = f"its settings are {', '.join(known)}" if known else "it has no settings"
            raise TypeError(f"the format {name} has no setting {key!r}{nearest(key, known)}; {has}")
    return kind(**settings)


def settings_of(name: str) -> type[Format]:
    """The settings of the format of this name."""
    module, settings, _ = FORMATS[name]
    kind: type[Format] = getattr(import_module(f".{module}", __package__), settings)
    return kind


def known_format(name: str) -> str:
    """The name of the format that is called so."""
    known = ALIASES.get(name.lower(), name.lower())
    if known not in FORMATS:
        from .sentence_files import SENTENCE_FORMATS

        if known in SENTENCE_FORMATS:
            raise ValueError(f"{known} is a format of sentences; read them with rb.data.read_sentences")
        near = nearest(name, [*FORMATS, *ALIASES])
        raise ValueError(f"there is no format {name!r}{near}; there are {', '.join(FORMATS)}")
    return known


def guess_format(source: Source) -> str:
    """The name of the format of a file."""
    head = source.peek(_HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    by_name = SUFFIXES.get(suffix(stem(source.inner_name or source.name)))
    if by_name is not None:
        return by_name
    lines = head.split(b"\n")
    lines = [line.strip() for line in (lines if len(head) < _HEAD else lines[:-1] or lines)]
    lines = [line for line in lines if line and not line.startswith(b"#")][:50]
    if not lines:
        raise DataError("the file is empty", file=source.name)
    from .json_lines import is_array

    # What more than half of the lines look like; the parser tells of the others.
    half = len(lines) / 2
    if sum(line.startswith(b"{") for line in lines) > half or is_array(head):
        return "jsonl"
    if sum(re.fullmatch(_SVMLIGHT, line) is not None for line in lines) > half:
        return "svmlight"
    if sum(map(_is_vw, lines)) > half:
        return "vw"
    if b"\x00" in head:
        raise DataError(
            "not a text of rows, nor Parquet or Arrow", "say which format it is, for instance {}",
            file=source.name, parameter="format", value="csv",
        )  # fmt: skip
    return "csv"


def _is_vw(line: bytes) -> bool:
    """Whether a line may be Vowpal Wabbit's; cut at the bar first, so that no line takes long to look at."""
    head, bar, rest = line.partition(b"|")
    return bool(bar) and re.fullmatch(_VW_HEAD, head) is not None and re.fullmatch(_VW_REST, rest) is not None


def reader_of(
    format: Format, columns: Columns, bad_rows: BadRows, n_threads: int | None, missing: str | None
) -> Reader:
    """What reads files of a format."""
    module, _, kind = FORMATS[format.name]
    own = (n_threads,) if module == "sparse_text" else (columns, missing)
    reader: Reader = getattr(import_module(f".{module}", __package__), kind)(format, bad_rows, *own)
    return reader
