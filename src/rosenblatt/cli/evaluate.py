"""The command ``evaluate``: a model on labelled files, as a confusion matrix or as errors of a regression."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core import labels
from ..core.learner import Learner
from ..data import Block
from ..data.moments import Moments
from ..tables import Table
from .features import Features
from .inputs import are_text, is_tagger, note_unseen, open_for_model, read_model, targets_of
from .kind_of_files import refuse_options_of_sentences
from .predict import score_blocks
from .summary import evaluation_in_words, first_names
from .terminal import CommandError, Progress, emit, note, option, say, several, shown

Array = Any

#: With more classes than these, tables show the largest ones, and the most frequent confusions.
MOST_CLASSES = 20


def run(arguments: argparse.Namespace) -> None:
    """Evaluate a model on files."""
    model = read_model(arguments.model)
    if is_tagger(model):
        from . import tagger_use

        tagger_use.evaluate(arguments, model)
        return
    refuse_options_of_sentences(arguments)
    features = Features.of_model(model, arguments.model)
    other = {name: value for name in ("label", "label_type") if (value := getattr(arguments, name))}
    if other:
        if features.encoder is None:
            raise CommandError(f"{arguments.model} reads {features.format.name} files, which have no columns to choose")
        features.encoder.columns = replace(features.encoder.columns, **other)
    with open_for_model(features, arguments.files, arguments, labelled=True) as stream, Progress() as progress:
        result = evaluate(features, model.learner, model.classes, progress.through(stream, "rows"))
        skipped = stream.skipped
    if skipped:
        note(skipped.worded(option))
    if isinstance(result, ConfusionMatrix) and result.unknown:
        note(f"labels that the model does not know and never predicts: {first_names(result.unknown)}")
    unseen = note_unseen(features)
    if arguments.json:
        emit({**result.to_dict(), "skipped": skipped.count, "unseen_categories": unseen})
        return
    say(str(result))
    for table in result.tables():
        say()
        table.show()


def evaluate(
    features: Features, learner: Learner, classes: Array | None, blocks: Iterable[Block]
) -> ConfusionMatrix | RegressionErrors:
    """Compare predictions with labels; labels that the model does not know become classes of their own."""
    if classes is None:
        errors = RegressionErrors()
        for block, numbers, _ in score_blocks(features, learner, blocks):
            errors.add(targets_of(block, regression=True), numbers.astype(np.float64))
        return errors
    known = list(classes.tolist())
    counts = np.zeros((len(known), len(known)), np.int64)
    for block, _, codes in score_blocks(features, learner, blocks):
        truth = targets_of(block, regression=False)
        if are_text(truth) != are_text(classes):
            truth = truth.astype(str) if are_text(classes) else _as_numbers(truth, block)
        for label in labels.distinct(truth).tolist():
            if label not in known:
                known.append(label)
                counts = np.pad(counts, ((0, 1), (0, 1)))
        place = {label: i for i, label in enumerate(known)}
        rows = np.array([place[label] for label in truth.tolist()], np.int64)
        n = len(known)
        counts += np.bincount(rows * n + codes, minlength=n * n).reshape(n, n)
    return ConfusionMatrix(known, counts, len(classes))


def _as_numbers(truth: Array, block: Block) -> Array:
    try:
        return truth.astype(float)
    except ValueError:
        raise CommandError(f"{block.file(0)}: the labels are text, and those of the model are numbers") from None


@dataclass
class ConfusionMatrix:
    """How often each class was predicted for the rows of each class."""

    classes: list[Any]
    counts: Array  # (true, predicted)
    n_known: int  # classes of the model; those behind are of the file alone

    @property
    def unknown(self) -> list[Any]:
        """Labels of the file that are no classes of the model."""
        return self.classes[self.n_known :]

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.counts)) / max(self.rows, 1)

    def by_class(self) -> list[tuple[Any, float, float, float, int]]:
        """Label, precision, recall, F1 and rows of each class; 0 where a class was never predicted or has no rows."""
        right = np.diag(self.counts).astype(float)
        predicted, true = self.counts.sum(axis=0), self.counts.sum(axis=1)
        precision, recall = right / np.maximum(predicted, 1), right / np.maximum(true, 1)
        f1 = 2 * right / np.maximum(predicted + true, 1)
        return list(zip(self.classes, precision.tolist(), recall.tolist(), f1.tolist(), true.tolist()))

    def __str__(self) -> str:
        return evaluation_in_words(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        names = ("precision", "recall", "f1", "rows")
        return {
            "rows": self.rows,
            "accuracy": self.accuracy,
            "classes": {shown(label): dict(zip(names, row)) for label, *row in self.by_class()},
            "confusion": {"labels": [shown(label) for label in self.classes], "counts": self.counts.tolist()},
        }

    def tables(self) -> list[Table]:
        """Precision, recall and F1 of the classes, and the confusion matrix."""
        per_class = [
            (shown(label), f"{precision:.4f}", f"{recall:.4f}", f"{f1:.4f}", f"{rows:,}")
            for label, precision, recall, f1, rows in self.by_class()
        ]
        heads, names = ("class", "precision", "recall", "F1", "rows"), [shown(label) for label in self.classes]
        if len(names) <= MOST_CLASSES:
            counts = [[name, *(f"{n:,}" for n in row)] for name, row in zip(names, self.counts.tolist())]
            return [
                Table(heads, per_class, "lrrrr"),
                Table(("true \\ predicted", *names), counts, "l" + "r" * len(names)),
            ]
        largest = np.argsort(-self.counts.sum(axis=1), kind="stable")[:MOST_CLASSES].tolist()
        wrong = self.counts - np.diag(np.diag(self.counts))
        most = [np.unravel_index(i, wrong.shape) for i in np.argsort(-wrong, axis=None, kind="stable")[:MOST_CLASSES]]
        confused = [(names[i], names[j], f"{wrong[i, j]:,}") for i, j in most if wrong[i, j]]
        title = f"the {MOST_CLASSES} largest of {len(names):,} classes (--json prints all)"
        return [
            Table(heads, [per_class[i] for i in largest], "lrrrr", title=title),
            Table(("true", "predicted", "rows"), confused, "llr", title="the most frequent confusions"),
        ]


@dataclass
class RegressionErrors:
    """How far predicted numbers lie from the true ones."""

    absolute: float = 0.0  # Σ |y − s|
    squared: float = 0.0  # Σ (y − s)²
    truths: Moments = field(default_factory=Moments)  # of y

    def add(self, truth: Array, predicted: Array) -> None:
        """Take in more rows."""
        error = truth - predicted
        self.truths = self.truths.joined(Moments.of(truth))
        self.absolute, self.squared = self.absolute + float(np.abs(error).sum()), self.squared + float(error @ error)

    @property
    def rows(self) -> int:
        return self.truths.n

    @property
    def mae(self) -> float:
        return self.absolute / max(self.rows, 1)

    @property
    def rmse(self) -> float:
        return float(np.sqrt(self.squared / max(self.rows, 1)))

    @property
    def r2(self) -> float | None:
        """The share of the variance that is explained; None: all labels are the same."""
        return 1 - self.squared / self.truths.squares if self.truths.squares else None

    def __str__(self) -> str:
        r2 = "undefined, as all labels are the same" if self.r2 is None else f"{self.r2:.4f}"
        return f"MAE {self.mae:.6g}, RMSE {self.rmse:.6g}, R² {r2}, on {several(self.rows, 'row')}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"rows": self.rows, "mae": self.mae, "rmse": self.rmse, "r2": self.r2}

    def tables(self) -> list[Table]:
        """There are none."""
        return []
