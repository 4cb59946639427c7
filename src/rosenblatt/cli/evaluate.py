"""How often a model is right on labelled files.

Accuracy; precision, recall and F1 of each class; and which class is taken for which. Of a regression: the mean absolute
error (MAE), the root mean square error (RMSE), and the share of the variance that is explained (R²).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from . import options
from .terminal import Progress, emit, note

EXAMPLE = "rosenblatt evaluate mood.model test.csv"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    options.add_files(parser)
    options.add_json(parser)
    group = options.add_reading(parser)
    group.add_argument("--label", metavar="NAME", help="the column of the labels (that of training)")


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from dataclasses import replace

    from .judging import judged, loaded, opened_for

    model, features = loaded(arguments.model)
    if arguments.label and features.encoder is not None:
        features.encoder.columns = replace(features.encoder.columns, label=arguments.label)
    with opened_for(features, arguments.files, arguments, labelled=True) as stream, Progress() as progress:
        found = judged(features, model.learner, model.classes, _told(stream, progress))
        skipped = stream.skipped
    if skipped:
        note(str(skipped))
    if arguments.json:
        emit({**found.document(), "skipped": skipped.count})
        return
    print(found)
    for table in found.tables():
        print(f"\n{table}")


def _told(stream: Any, progress: Progress) -> Iterator[Any]:
    n = 0
    for block in stream:
        n += len(block)
        progress(f"{n:,} rows", share=stream.progress)
        yield block
