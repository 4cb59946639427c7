"""Why a model says what it says: the strongest features of each class, or of one example.

Give a text, or a file and --rows, to see what each word of it adds to the score. A model in the space of a kernel
tells the training examples that it is a sum of instead of features, unless the kernel is linear.
"""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING, Any

from . import options
from .terminal import CommandError, emit

if TYPE_CHECKING:
    from ..model_files import Model
    from .features import Features

#: A word with such an ending is the name of a file and no text.
_SEEMS_A_FILE = re.compile(r"^\S+\.(csv|tsv|txt|svm|svmlight|libsvm|vw|jsonl|ndjson|parquet|pq|arrow|feather)(\.\w+)?$")

EXAMPLE = 'rosenblatt explain mood.model "not a bad film"'


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("example", metavar="TEXT|FILE", nargs="?", help="a text, a file, or - for standard input")
    parser.add_argument("--top", metavar="N", type=options.count, default=12, help="features to show (12)")
    parser.add_argument("--rows", metavar="N", type=options.count, default=1, help="rows of the file to explain (1)")
    options.add_json(parser)
    options.add_reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from . import reasons
    from .judging import loaded

    model, features = loaded(arguments.model)
    _refuse_votes(model, arguments.model)
    if model.classes is not None and len(model.classes) < 2:
        raise CommandError(
            f"{arguments.model} knows one class alone and gives it to every row: there is no reason to tell"
        )
    if arguments.example is None:
        found = reasons.strongest(model, features, arguments.top)
        if arguments.json:
            emit({side: [part.document() for part in parts] for side, parts in found.items()})
        else:
            print("\n\n".join(str(reasons.table(side, parts)) for side, parts in found.items()))
        return
    for block, row, place in _examples(arguments, features):
        told = reasons.of_row(model, features, block, row, arguments.top)
        if arguments.json:
            emit({"place": place or None, **told.document(arguments.top)})
        else:
            print(told.table(arguments.top, place))


def _refuse_votes(model: Model, path: str) -> None:
    if model.learner.readout == "voted":
        raise CommandError(
            f"{path} is a vote of {1 + model.learner.length:,} weight vectors, which is no sum of parts that could be "  # type: ignore[attr-defined]
            "told; train with --readout averaged, which predicts nearly the same"
        )


def _examples(arguments: argparse.Namespace, features: Features) -> Any:
    """Rows to explain: their block, number and place."""
    from .judging import opened_for

    if arguments.example != "-" and not os.path.exists(arguments.example):
        if _SEEMS_A_FILE.search(arguments.example):
            raise CommandError(f"there is no file {arguments.example!r}")
        yield _of_text(features, arguments), 0, ""
        return
    left = arguments.rows
    with opened_for(features, [arguments.example], arguments, labelled=False) as stream:
        for block in stream:
            for row in range(min(left, len(block))):
                yield block, row, block.place(row)
            left -= min(left, len(block))
            if not left:
                break


def _of_text(features: Features, arguments: argparse.Namespace) -> Any:
    """A block of one row, the text."""
    import numpy as np

    from ..data import Block
    from ..data.arrow import arrow

    pa = arrow("text")

    columns = None if features.encoder is None else features.encoder.columns
    if columns is None or len(columns.features) != 1 or not columns.text:
        wanted = "numbered features" if columns is None else f"the columns {', '.join(columns.features)}"
        raise CommandError(
            f"there is no file {arguments.example!r}, and the model does not read text alone: it needs {wanted}"
        )
    written = arguments.example.encode()
    buffers = [None, pa.py_buffer(np.array([0, len(written)], np.int32)), pa.py_buffer(written)]  # array() loads pandas
    table = pa.Table.from_arrays([pa.Array.from_buffers(pa.string(), 1, buffers)], [columns.text[0]])
    return Block(None, np.array([1]), (("the text", 0),), columns=table)
