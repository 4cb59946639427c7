"""Models on files: scores of rows, and what the right and wrong ones come to."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import labels
from ..core.learner import Learner
from ..core.planning import learner_of, rows_for
from ..data import Block
from ..data.moments import Moments
from ..model_files import Model, learners, read, refusing
from ..schema import cut
from ..tables import Table
from . import algorithms
from .features import Features
from .inputs import are_words, opened, targets_of
from .terminal import CommandError, several, shown

Array = Any


def loaded(path: str) -> tuple[Model, Features]:
    """A model and what makes its rows."""
    model = checked(path)
    return model, Features.of_model(model, path)


def checked(path: str) -> Model:
    """A model whose parameters are those of its learner."""
    model = read(path)
    with refusing(path):
        if model.algorithm not in {named.estimator for named in algorithms.ALGORITHMS.values()}:
            raise ValueError(f"{cut(model.algorithm)} is no learner")
        labels.check_class_weight(model.parameters.get("class_weight"))
        if not learners.are_compatible(learner_of(model.algorithm, model.parameters), model.learner):
            raise ValueError(f"its learner is not that of a {model.algorithm}")
    return model


def opened_for(features: Features, files: Sequence[str], arguments: argparse.Namespace, labelled: bool) -> Any:
    """The blocks of files that a model is used on."""
    columns = None
    if features.encoder is not None:
        columns = features.encoder.columns if labelled else features.encoder.columns.without_label()
    format = features.format if arguments.format in (None, getattr(features.format, "name", None)) else None
    return opened(files, arguments, None if format is not None else columns, format=format)


def scored(features: Features, learner: Learner, blocks: Iterable[Block]) -> Iterator[tuple[Block, Array, Array]]:
    """Each block with the scores of its rows and the codes of the classes that they give, or the numbers."""
    wide = learner.dtype == np.float64
    for block in blocks:
        rows = rows_for(learner, features.rows(block, learn=False), np.float64 if wide else None)
        scores = learner.scores(rows)
        yield block, scores, learner.decide(scores)


#: With more classes than these, the largest are told of, and the confusions that are most frequent.
MOST_CLASSES = 20


@dataclass
class Judgement:
    """How often each class was given to the rows of each class."""

    classes: list[Any]
    confusion: Array  # (true, predicted)
    n_known: int  # classes of the model; those behind are of the file alone

    @property
    def unknown(self) -> list[Any]:
        """Labels of the file that are no classes of the model."""
        return self.classes[self.n_known :]

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

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.2%} on {several(self.rows, 'row')}"

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
        heads, names = ("class", "precision", "recall", "F1", "rows"), [shown(label) for label in self.classes]
        if len(names) <= MOST_CLASSES:
            counts = [[name, *(f"{n:,}" for n in row)] for name, row in zip(names, self.confusion.tolist())]
            return [
                Table(heads, per_class, "lrrrr"),
                Table(("true \\ predicted", *names), counts, "l" + "r" * len(names)),
            ]
        largest = np.argsort(-self.confusion.sum(axis=1), kind="stable")[:MOST_CLASSES].tolist()
        wrong = self.confusion - np.diag(np.diag(self.confusion))
        most = [np.unravel_index(i, wrong.shape) for i in np.argsort(-wrong, axis=None, kind="stable")[:MOST_CLASSES]]
        confused = [(names[i], names[j], f"{wrong[i, j]:,}") for i, j in most if wrong[i, j]]
        title = f"the {MOST_CLASSES} largest of {len(names):,} classes (--json tells of all)"
        return [
            Table(heads, [per_class[i] for i in largest], "lrrrr", title=title),
            Table(("true", "predicted", "rows"), confused, "llr", title="the most frequent confusions"),
        ]


@dataclass
class Regression:
    """How far predicted numbers lie from the true ones."""

    off: float = 0.0  # Σ |y − s|
    off2: float = 0.0  # Σ (y − s)²
    truths: Moments = field(default_factory=Moments)  # of y

    def add(self, truth: Array, predicted: Array) -> None:
        """Some rows more."""
        off = truth - predicted
        self.truths = self.truths.joined(Moments.of(truth))
        self.off, self.off2 = self.off + float(np.abs(off).sum()), self.off2 + float(off @ off)

    @property
    def rows(self) -> int:
        return self.truths.n

    @property
    def mae(self) -> float:
        return self.off / max(self.rows, 1)

    @property
    def rmse(self) -> float:
        return float(np.sqrt(self.off2 / max(self.rows, 1)))

    @property
    def r2(self) -> float | None:
        """The share of the variance that is explained; None: there is none."""
        return 1 - self.off2 / self.truths.squares if self.truths.squares else None

    def __str__(self) -> str:
        r2 = "none, as all labels are the same" if self.r2 is None else f"{self.r2:.4f}"
        return f"MAE {self.mae:.6g}, RMSE {self.rmse:.6g}, R² {r2}, on {several(self.rows, 'row')}"

    def document(self) -> dict[str, Any]:
        """The judgement as plain values."""
        return {"rows": self.rows, "mae": self.mae, "rmse": self.rmse, "r2": self.r2}

    def tables(self) -> list[Table]:
        """None: that is all."""
        return []


def judged(
    features: Features, learner: Learner, classes: Array | None, blocks: Iterable[Block]
) -> Judgement | Regression:
    """Compare what a model says of labelled rows; labels that it does not know are classes that it never gives."""
    if classes is None:
        regression = Regression()
        for block, numbers, _ in scored(features, learner, blocks):
            regression.add(targets_of(block, regression=True), numbers.astype(np.float64))
        return regression
    known = list(classes.tolist())
    confusion = np.zeros((len(known), len(known)), np.int64)
    for block, _, codes in scored(features, learner, blocks):
        truth = targets_of(block, regression=False)
        if are_words(truth) != are_words(classes):
            truth = truth.astype(str) if are_words(classes) else _numbers(truth, block)
        for label in labels.distinct(truth).tolist():
            if label not in known:
                known.append(label)
                confusion = np.pad(confusion, ((0, 1), (0, 1)))
        place = {label: i for i, label in enumerate(known)}
        rows = np.array([place[label] for label in truth.tolist()], np.int64)
        n = len(known)
        confusion += np.bincount(rows * n + codes, minlength=n * n).reshape(n, n)
    return Judgement(known, confusion, len(classes))


def _numbers(truth: Array, block: Block) -> Array:
    try:
        return truth.astype(float)
    except ValueError:
        raise CommandError(f"{block.file(0)}: the labels are words, and those of the model are numbers") from None
