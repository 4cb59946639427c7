"""Models on files: scores of rows, and what the right and wrong ones come to."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import engine, labels
from ..data import Block
from ..learner import Learner
from ..model_files import Model, read
from ..tables import Table
from .features import Features
from .inputs import labels_of, opened
from .terminal import CommandError, shown

Array = Any


def loaded(path: str) -> tuple[Model, Features]:
    """A model and what makes its rows."""
    model = read(path)
    features = Features.of_model(model, path)
    if model.classes is None:
        raise CommandError(f"{path} is a regression, which the command line does not run; use rb.load in Python")
    return model, features


def opened_for(features: Features, files: Sequence[str], arguments: argparse.Namespace, labelled: bool) -> Any:
    """The blocks of files that a model is used on."""
    columns = None
    if features.encoder is not None:
        columns = features.encoder.columns if labelled else features.encoder.columns.without_label()
    format = features.format if arguments.format in (None, getattr(features.format, "name", None)) else None
    stream = opened(files, arguments, None if format is not None else columns, format=format)
    return stream


def scored(features: Features, learner: Learner, blocks: Iterable[Block]) -> Iterator[tuple[Block, Array, Array]]:
    """Each block with the scores of its rows and the codes of the classes that they give."""
    wide = learner.dtype == np.float64
    for block in blocks:
        rows = engine.admit(features.rows(block, learn=False), np.float64 if wide else None)
        scores = learner.scores(rows)
        yield block, scores, learner.decide(scores)


@dataclass
class Judgement:
    """How often each class was given to the rows of each class."""

    classes: list[Any]
    confusion: Array  # (true, predicted)

    @property
    def rows(self) -> int:
        return int(self.confusion.sum())

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.confusion)) / max(self.rows, 1)

    def by_class(self) -> list[tuple[Any, float, float, float, int]]:
        """Label, precision, recall, F1 and rows of each class; 0 where nothing was predicted or is there."""
        right = np.diag(self.confusion).astype(float)
        predicted, there = self.confusion.sum(axis=0), self.confusion.sum(axis=1)
        precision, recall = right / np.maximum(predicted, 1), right / np.maximum(there, 1)
        f1 = 2 * right / np.maximum(predicted + there, 1)
        return list(zip(self.classes, precision.tolist(), recall.tolist(), f1.tolist(), there.tolist()))

    def document(self) -> dict[str, Any]:
        """The judgement as plain values."""
        names = ("precision", "recall", "f1", "rows")
        return {
            "rows": self.rows,
            "accuracy": self.accuracy,
            "classes": {shown(label): dict(zip(names, row)) for label, *row in self.by_class()},
            "confusion": {"labels": [shown(label) for label in self.classes], "counts": self.confusion.tolist()},
        }

    def tables(self) -> list[Table]:
        """Precision, recall and F1; and who was taken for whom."""
        per_class = [
            (shown(label), f"{precision:.4f}", f"{recall:.4f}", f"{f1:.4f}", f"{rows:,}")
            for label, precision, recall, f1, rows in self.by_class()
        ]
        names = [shown(label) for label in self.classes]
        counts = [[name, *(f"{n:,}" for n in row)] for name, row in zip(names, self.confusion.tolist())]
        return [
            Table(("class", "precision", "recall", "F1", "rows"), per_class, "lrrrr"),
            Table(("true \\ predicted", *names), counts, "l" + "r" * len(names)),
        ]


def judged(features: Features, learner: Learner, classes: Array, blocks: Iterable[Block]) -> Judgement:
    """Compare what a model says of labelled rows; labels that it does not know are classes that it never gives."""
    known = list(classes.tolist())
    confusion = np.zeros((len(known), len(known)), np.int64)
    for block, _, codes in scored(features, learner, blocks):
        truth = labels_of(block)
        if (truth.dtype.kind in "US") != (classes.dtype.kind in "US"):
            truth = truth.astype(str) if classes.dtype.kind in "US" else _numbers(truth, block)
        for label in labels.distinct(truth).tolist():
            if label not in known:
                known.append(label)
                confusion = np.pad(confusion, ((0, 1), (0, 1)))
        place = {label: i for i, label in enumerate(known)}
        rows = np.array([place[label] for label in truth.tolist()], np.int64)
        n = len(known)
        confusion += np.bincount(rows * n + codes, minlength=n * n).reshape(n, n)
    return Judgement(known, confusion)


def _numbers(truth: Array, block: Block) -> Array:
    try:
        return truth.astype(float)
    except ValueError:
        raise CommandError(f"{block.file(0)}: the labels are words, and those of the model are numbers") from None
