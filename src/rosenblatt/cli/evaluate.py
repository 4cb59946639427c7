"""How often a model is right on labelled files.

Accuracy; precision, recall and F1 of each class; and which class is taken for which. Of a regression: the mean absolute
error (MAE), the root mean square error (RMSE), and the share of the variance that is explained (R²).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from . import options
from .story import classes
from .terminal import CommandError, Progress, emit, note, option

EXAMPLE = "rosenblatt evaluate mood.model test.csv"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    options.add_files(parser)
    options.add_json(parser)
    group = options.add_reading(parser)
    group.add_argument("--label", metavar="NAME", help="the column of the labels (that of training)")
    options.add_label_type(group, "that of training")


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from dataclasses import replace

    from .judging import Judgement, judged, loaded, opened_for

    model, features = loaded(arguments.model)
    asked = {name: value for name in ("label", "label_type") if (value := getattr(arguments, name))}
    if asked:
        if features.encoder is None:
            raise CommandError(f"{arguments.model} reads {features.format.name} files, which have no columns to choose")
        features.encoder.columns = replace(features.encoder.columns, **asked)
    with opened_for(features, arguments.files, arguments, labelled=True) as stream, Progress() as progress:
        found = judged(features, model.learner, model.classes, _told(stream, progress))
        skipped = stream.skipped
    if skipped:
        note(skipped.worded(option))
    if isinstance(found, Judgement) and found.unknown:
        note(f"labels that the model never gives, as it does not know them: {classes(found.unknown)}")
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
