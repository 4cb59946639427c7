"""What configurations are compared by: a number of predictions that is the better the larger it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError

Array = NDArray[Any]


@dataclass(frozen=True)
class Metric:
    """A measure of predictions.

    Parameters
    ----------
    name : str
        Its name.
    compute : callable
        (targets, predictions, scores, number of classes) to a number.
    for_numbers : bool
        Whether it is of a regression.
    percent : bool
        Whether it is shown as a percentage.
    sign : int
        1 where larger is better, −1 where smaller is.
    by_row : bool
        Whether it is, but for its sign, a mean over rows, so that two are compared row by row.
    """

    name: str
    compute: Callable[[Array, Array, Array, int], float]
    for_numbers: bool = False
    percent: bool = True
    sign: int = 1
    by_row: bool = False

    def shown(self, value: float) -> str:
        """The number for people."""
        return f"{value:.2%}" if self.percent else f"{value:.4g}"

    def refusal(self, n_classes: int) -> str:
        """Why labels of so many classes (0: numbers) do not allow it; "": they do."""
        if self.for_numbers and n_classes:
            return f"{self.name} measures predictions of numbers, and the labels are {n_classes} classes"
        if not self.for_numbers and not n_classes:
            return f"{self.name} measures predictions of classes, and the labels are numbers"
        if self.name == "auc" and n_classes != 2:
            return f"auc is the area under the curve of two classes, and there are {n_classes}"
        return ""


def _accuracy(targets: Array, predictions: Array, scores: Array, n_classes: int) -> float:
    return float(np.mean(predictions == targets))


def _f1(targets: Array, predictions: Array, scores: Array, n_classes: int) -> float:
    """The mean over the classes that occur of 2·right/(rows of the class + rows predicted as it)."""
    right = np.bincount(targets[predictions == targets], minlength=n_classes)
    both = np.bincount(targets, minlength=n_classes) + np.bincount(predictions, minlength=n_classes)
    there = both > 0
    return float(np.mean(2 * right[there] / both[there]))


def _auc(targets: Array, predictions: Array, scores: Array, n_classes: int) -> float:
    """The share of pairs, one row of each class, that scores put in the right order; equal ones count half."""
    values, place = np.unique(scores.ravel(), return_inverse=True)
    second, first = (np.bincount(place, targets == code, len(values)) for code in (1, 0))
    below = np.cumsum(first) - first
    pairs = first.sum() * second.sum()
    return float(second @ (below + first / 2) / pairs) if pairs else 0.5


def _mae(targets: Array, predictions: Array, scores: Array, n_classes: int) -> float:
    return float(np.mean(np.abs(predictions - targets)))


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", _accuracy, by_row=True),
        Metric("f1", _f1),
        Metric("auc", _auc),
        Metric("mae", _mae, for_numbers=True, percent=False, sign=-1, by_row=True),
    )
}


def check_metric(name: str | None) -> None:
    """Refuse what is no name of a metric."""
    if name is not None and name not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}; got {name!r}")


def metric_of(name: str | None, n_classes: int | None) -> Metric:
    """The metric of this name (None: the default of the labels), which so many classes (None: numbers) must allow."""
    if name is None:
        return METRICS["mae" if n_classes is None else "accuracy"]
    check_metric(name)
    refusal = METRICS[name].refusal(n_classes or 0)
    if refusal:
        fit = [other.name for other in METRICS.values() if not other.refusal(n_classes or 0)]
        raise ParameterError(f"{refusal}; choose {' or '.join(fit)}", "metric")
    return METRICS[name]
