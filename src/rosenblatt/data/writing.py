"""Rows back to files: every format, block by block, and from one format to another."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.engine import check_sparse, is_sparse
from ..errors import DataError
from .arrow import arrow
from .blocks import Block
from .csr import Array, Csr
from .encoder import Encoder
from .formats import SUFFIXES, known_format
from .plain_text import PlainText
from .sources import replacing, stem

#: A sparse matrix is written as a table only up to this many columns.
MOST_COLUMNS = 10_000


def write_svmlight(path: Any, X: Any, y: Any, *, zero_based: bool = False, query_ids: Any = None) -> None:
    """Write rows and labels as svmlight text; numbers are the shortest that read back the same.

    Parameters
    ----------
    path : str or path
        ``"-"`` is standard output; a name that ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is compressed so.
    X : array, SciPy sparse matrix or Csr of shape (n_rows, n_features)
        The rows; zeros of a dense array are left out.
    y : array of n_rows numbers
        The labels.
    zero_based : bool, default=False
        Whether indices count from 0.
    query_ids : array of n_rows integers or None, default=None
        Written as ``qid:n``.
    """
    csr = csr_of(X)
    labels = np.asarray(y)
    if labels.shape != (csr.shape[0],):
        raise ValueError(f"X has {csr.shape[0]} rows and y has the shape {labels.shape}; one label a row is needed")
    block = Block(
        labels, np.arange(1, len(labels) + 1), (), csr,
        query_ids=None if query_ids is None else np.asarray(query_ids),
    )  # fmt: skip
    if block.query_ids is not None and (
        block.query_ids.shape != labels.shape or block.query_ids.dtype.kind not in "iu"
    ):
        raise ValueError(f"query_ids must be {len(labels)} whole numbers, one a row")
    write(path, [block], format="svmlight", zero_based=zero_based)


def csr_of(X: Any) -> Csr:
    """Rows of any container as CSR."""
    if isinstance(X, Csr):
        return X
    if is_sparse(X):
        check_sparse(X)
    else:
        X = np.asarray(X)
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, got values of the type {X.dtype}")
    if X.dtype.kind == "b":
        X = X.astype(np.int8)
    if is_sparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return Csr(X.indptr, X.indices, X.data, X.shape[1])
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, got {X.ndim}")
    return Csr.of_dense(X)


def write(
    path: Any,
    blocks: Iterable[Block],
    *,
    format: str | None = None,
    classes: Mapping[Any, float] | None = None,
    encoder: Encoder | None = None,
    zero_based: bool = False,
) -> int:
    """Write blocks to a file, which appears when it is complete; returns the number of rows.

    Parameters
    ----------
    path : str or path
        Where to; ``"-"`` is standard output. An existing file is replaced only by a complete new one.
    blocks : iterable of Block
        The rows.
    format : str or None, default=None
        "svmlight", "vw", "csv", "tsv", "jsonl", "parquet" or "arrow"; None: by the name of the file.
    classes : dict or None, default=None
        The number that each label is written as: svmlight and Vowpal Wabbit have numbers for labels.
    encoder : Encoder or None, default=None
        What makes rows of numbers of a table, which svmlight needs.
    zero_based : bool, default=False
        Whether svmlight indices count from 0.
    """
    name = target_format(path, format)
    blocks = _encoded(blocks, encoder) if encoder is not None else blocks
    lines: dict[str, Callable[[Block], Iterator[str]]] = {
        "svmlight": lambda block: _svmlight_lines(block, classes, 0 if zero_based else 1),
        "vw": lambda block: _vw_lines(block, classes),
        "jsonl": _json_lines,
    }
    with replacing(path) as file:
        if name not in lines:
            return _write_tables(file, blocks, name)
        n = 0
        for block in blocks:
            file.write("".join(line + "\n" for line in lines[name](block)).encode())
            n += len(block)
    return n


def target_format(path: Any, format: str | None, parameter: str = "format") -> str:
    """The format to write: the one asked for by a parameter, else the one that the name tells."""
    name = format.lower() if format else SUFFIXES.get("." + stem(str(path)).rpartition(".")[2], "")
    if not name:
        raise DataError(
            "the name of the file tells no format", "say which to write, for instance {}",
            file=str(path), parameter=parameter, value="csv",
        )  # fmt: skip
    if name == "tsv" or (name == "csv" and stem(str(path)).endswith((".tsv", ".tab"))):
        return "tsv"
    if known_format(name) == PlainText.name:
        raise ValueError("plain text has no labels and no columns, and is not written; write CSV or JSON lines")
    return known_format(name)


def _encoded(blocks: Iterable[Block], encoder: Encoder) -> Iterator[Block]:
    for block in blocks:
        yield block if block.csr is not None else replace(block, csr=encoder.encode(block, learn=True), columns=None)


# ---- text ----------------------------------------------------------------------------------------------------------


def numbers(values: Array) -> list[str]:
    """The shortest decimal of each number that reads back as the same number of its type."""
    if values.dtype == np.float32:
        texts = values.astype(str).tolist()
    else:
        texts = list(map(repr, values.tolist()))
    return [text[:-2] if text.endswith(".0") else text for text in texts]


def _label_numbers(block: Block, classes: Mapping[Any, float] | None, format: str) -> list[str]:
    if block.labels is None:
        raise DataError(
            f"the rows have no labels, which {format} needs", "name the column of labels, for instance {}",
            file=block.file(0), parameter="columns", value={"label": "sentiment"},
        )  # fmt: skip
    labels = block.labels
    if classes is not None:
        unknown = next((label for label in labels.tolist() if label not in classes), None)
        if unknown is not None:
            raise ValueError(f"classes has no number for the label {unknown!r}")
        labels = np.array([classes[label] for label in labels.tolist()], float)
    if labels.dtype.kind not in "iufb":
        label = str(labels[0])
        raise DataError(
            f"labels of {format} are numbers, got {label!r}", "say which number each is, for instance {}",
            parameter="classes", value={label: 1},
        )  # fmt: skip
    _refuse_not_finite(block, labels, None, format)
    return numbers(labels.astype(np.int64) if labels.dtype.kind == "b" else labels)


def _refuse_not_finite(block: Block, values: Array, indptr: Array | None, format: str) -> None:
    """Refuse labels, or the values of rows that begin at ``indptr``, that no reader would take back."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        row = at if indptr is None else int(np.searchsorted(indptr, at, side="right")) - 1
        what = "label" if indptr is None else "value"
        raise DataError(f"{format} has finite numbers, and a {what} is {values[at]}", **block.origin(row))


def _entries(csr: Csr, base: int) -> Iterator[list[str]]:
    """index:value of each row."""
    texts = numbers(csr.data)
    indices, ends = (csr.indices + base).tolist(), csr.indptr.tolist()
    for begin, end in itertools.pairwise(ends):
        yield [f"{j}:{text}" for j, text in zip(indices[begin:end], texts[begin:end])]


def _svmlight_lines(block: Block, classes: Mapping[Any, float] | None, base: int) -> Iterator[str]:
    csr = block.csr
    if csr is None:
        raise ValueError("svmlight has numbers for columns: give an encoder that makes them of this table")
    _refuse_not_finite(block, csr.data, csr.indptr, "svmlight")
    rows = _entries(csr, base)
    ids = [] if block.query_ids is None else block.query_ids.tolist()
    for i, (label, entries) in enumerate(zip(_label_numbers(block, classes, "svmlight"), rows)):
        if ids and ids[i] >= 0:
            entries.insert(0, f"qid:{ids[i]}")
        yield " ".join([label, *entries])


def _vw_lines(block: Block, classes: Mapping[Any, float] | None) -> Iterator[str]:
    """A column of a table is a namespace, its words or its value the features; those of a matrix have their number."""
    if block.csr is not None:
        _refuse_not_finite(block, block.csr.data, block.csr.indptr, "vw")
    rows = list(_vw_rows(block))
    labels = [""] * len(block)
    if block.labels is not None:
        there = block.labels == block.labels  # a label that is NaN is not there
        labelled = replace(block, labels=block.labels[there], lines=block.lines[there])
        for i, label in zip(np.flatnonzero(there).tolist(), _label_numbers(labelled, classes, "vw")):
            labels[i] = label
    weights = None if block.weights is None else numbers(block.weights)
    for i, features in enumerate(rows):
        head = labels[i]
        if weights is not None and head and weights[i] != "1":
            head += f" {weights[i]}"
        if block.tags is not None and block.tags[i]:
            head += f" '{block.tags[i]}"
        yield f"{head.strip()} {features}".lstrip()


def _vw_rows(block: Block) -> Iterator[str]:
    if block.csr is not None:
        yield from ("| " + " ".join(entries) for entries in _entries(block.csr, 0))
        return
    parts = []
    for name, column in zip(block.table.column_names, block.table.columns):
        space = _vw_name(name)
        values = column.to_pylist()
        if str(column.type) == "double":
            texts = numbers(np.array([0.0 if value is None else value for value in values]))
            parts.append(["" if v is None else f"|{space} {space}:{text}" for v, text in zip(values, texts)])
        else:
            parts.append([f"|{space} " + " ".join(map(_vw_name, (value or "").split())) for value in values])
    yield from (" ".join(filter(None, row)) or "|" for row in zip(*parts))


def _vw_name(word: str) -> str:
    """A word without what means something to Vowpal Wabbit."""
    return "_".join(word.split()).replace(":", "_").replace("|", "_")


def _json_lines(block: Block) -> Iterator[str]:
    heads = _heads(block)
    names = list(heads)
    columns = [[None if value != value else value for value in values.tolist()] for values in heads.values()]
    if block.csr is None:
        names += block.table.column_names
        columns += [column.to_pylist() for column in block.table.columns]
        for row in zip(*columns):
            yield json.dumps(dict(zip(names, row)), ensure_ascii=False)
        return
    csr = block.csr
    indices, values, ends = csr.indices.tolist(), csr.data.tolist(), csr.indptr.tolist()
    for i in range(len(block)):
        head = {name: column[i] for name, column in zip(names, columns)}
        entries = {f"f{indices[k]}": values[k] for k in range(ends[i], ends[i + 1])}
        yield json.dumps(head | entries, ensure_ascii=False)


def _heads(block: Block) -> dict[str, Array]:
    """Labels and weights by the names that they are written under, which no other column may have."""
    ids = block.query_ids if block.query_ids is not None and (block.query_ids >= 0).any() else None
    tags = np.array(block.tags) if block.tags is not None and any(block.tags) else None
    heads = {"label": block.labels, "weight": block.weights, "qid": ids, "tag": tags}
    columns = {name: values for name, values in heads.items() if values is not None}
    taken = set(columns) & set(() if block.table is None else block.table.column_names)
    if taken:
        raise ValueError(
            f"the {min(taken)}s are written as a column {min(taken)!r}, and another has that name; rename it"
        )
    return columns


# ---- tables --------------------------------------------------------------------------------------------------------


def table_of(block: Block) -> Any:
    """Labels, weights and columns of a block as one Arrow table; columns of a matrix are called f0, f1, …"""
    pa = arrow("tables")
    columns: dict[str, Any] = {
        name: pa.array(values, mask=np.isnan(values) if values.dtype.kind == "f" else None)
        for name, values in _heads(block).items()
    }
    if block.csr is None:
        columns |= {name: block.table[name] for name in block.table.column_names}
        return pa.table(columns)
    if block.csr.n_features > MOST_COLUMNS:
        raise ValueError(
            f"a table of {block.csr.n_features} columns is too wide, {MOST_COLUMNS} are the most; write svmlight"
        )
    dense = block.csr.to_dense()
    return pa.table(columns | {f"f{j}": pa.array(dense[:, j].copy()) for j in range(dense.shape[1])})


def _write_tables(file: Any, blocks: Iterable[Block], format: str) -> int:
    pa = arrow("tables")
    writer: Any = None
    sink = pa.PythonFile(file, "w")
    n = 0
    try:
        for block in blocks:
            table = table_of(block)
            if writer is None:
                schema, writer = table.schema, table_writer(sink, table.schema, format)
            elif table.schema != schema:
                raise ValueError("blocks have different columns; say n_features, so that all rows are as wide")
            writer.write_table(table)
            n += len(block)
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise ValueError("there are no rows to write")
    return n


def table_writer(sink: Any, schema: Any, format: str) -> Any:
    """What writes Arrow tables of this schema."""
    if format in ("csv", "tsv"):
        csv = arrow("CSV files", "pyarrow.csv")
        options = csv.WriteOptions(delimiter="\t" if format == "tsv" else ",")
        return csv.CSVWriter(sink, schema, write_options=options)
    if format == "parquet":
        return arrow("Parquet files", "pyarrow.parquet").ParquetWriter(sink, schema)
    return arrow("Arrow files").ipc.new_file(sink, schema)


def quoted_csv(text: str, delimiter: str) -> str:
    """A value of CSV, in quotes where it would be read as something else without: if it is empty, that is missing."""
    if text and not any(char in text for char in (delimiter, '"', "\n", "\r")) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'
