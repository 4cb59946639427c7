"""What configurations are compared by: a number of predictions, and how far each row moves it.

The latter (the rows' influence, whose mean is 0) says how certain the number is: its standard error is the standard
deviation of the influence over √rows, and that of the difference of two numbers is that of the difference of their
influences, row by row. Of a mean it is what each row differs from it; of f1 and auc it is their derivative by the
weight of the row (the infinitesimal jackknife: Jaeckel 1972; of auc DeLong, DeLong and Clarke-Pearson 1988).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError

Array = NDArray[Any]


class Part(NamedTuple):
    """Rows that one model has predicted."""

    targets: Array
    predictions: Array
    scores: Array


class Measured(NamedTuple):
    """A number, and the influence of each row on it: those of the first part, then those of the next."""

    value: float
    influence: Array


class Gain(NamedTuple):
    """By how much one number is better than another of the same rows, and the standard error of that."""

    mean: float
    error: float

    def is_beyond(self, errors: float) -> bool:
        """Whether it is more than so many standard errors."""
        return self.mean > errors * self.error


@dataclass(frozen=True)
class Metric:
    """A measure of predictions.

    Parameters
    ----------
    name : str
        Its name.
    measure : callable
        (parts of the rows, number of classes) to what was measured on all of them.
    for_numbers : bool
        Whether it is of a regression.
    percent : bool
        Whether it is shown as a percentage.
    sign : int
        1 where larger is better, −1 where smaller is.
    by_scores : bool
        Whether it is of scores, and not of predictions.
    """

    name: str
    measure: Callable[[Sequence[Part], int], Measured]
    for_numbers: bool = False
    percent: bool = True
    sign: int = 1
    by_scores: bool = False

    def shown(self, value: float) -> str:
        """The number for people."""
        return f"{value:.2%}" if self.percent else f"{value:.4g}"

    def gain(self, one: Measured, other: Measured) -> Gain:
        """By how much one is better than the other."""
        error = np.std(one.influence - other.influence) / np.sqrt(len(one.influence))
        return Gain(self.sign * (one.value - other.value), float(error))

    def refusal(self, n_classes: int) -> str:
        """Why labels of so many classes (0: numbers) do not allow it; "": they do."""
        if self.for_numbers and n_classes:
            return f"{self.name} measures predictions of numbers, and the labels are {n_classes} classes"
        if not self.for_numbers and not n_classes:
            return f"{self.name} measures predictions of classes, and the labels are numbers"
        if self.name == "auc" and n_classes != 2:
            return f"auc is the area under the curve of two classes, and there are {n_classes}"
        return ""


def _mean(by_row: Array) -> Measured:
    value = float(np.mean(by_row))
    return Measured(value, by_row - value)


def _accuracy(parts: Sequence[Part], n_classes: int) -> Measured:
    targets, predictions = _all(parts)
    return _mean((predictions == targets) * 1.0)


def _mae(parts: Sequence[Part], n_classes: int) -> Measured:
    targets, predictions = _all(parts)
    return _mean(np.abs(predictions - targets))


def _f1(parts: Sequence[Part], n_classes: int) -> Measured:
    """The mean over the classes that occur of F = 2·right/(rows of the class + rows predicted as it)."""
    targets, predictions = _all(parts)
    is_right = predictions == targets
    right = np.bincount(targets[is_right], minlength=n_classes)
    both = np.bincount(targets, minlength=n_classes) + np.bincount(predictions, minlength=n_classes)
    there = both > 0
    both[~there] = 1
    f = 2 * right / both
    # dF/dv of a row of weight v: (2·[right] − F·([of the class] + [predicted as it]))/(rows of both)
    pull = len(targets) / (np.count_nonzero(there) * both)
    wrong = -(pull * f)[targets] - (pull * f)[predictions]
    influence = np.where(is_right, 2 * (pull * (1 - f))[targets], wrong)
    return Measured(float(np.mean(f[there])), influence)


def _auc(parts: Sequence[Part], n_classes: int) -> Measured:
    """The share of pairs, a row of each class in the same part, that scores put in the right order; ties count half."""
    in_order, pairs = [], []  # of each row
    for targets, _, scores in parts:
        values, place = np.unique(scores.ravel(), return_inverse=True)
        place = place.ravel()
        second, first = (np.bincount(place, targets == code, len(values)) for code in (1, 0))
        below, above = np.cumsum(first) - first / 2, np.cumsum(second[::-1])[::-1] - second / 2
        in_order.append(np.where(targets == 1, below[place], above[place]))
        pairs.append(np.where(targets == 1, first.sum(), second.sum()))
    right, of = np.concatenate(in_order), np.concatenate(pairs)
    if not of.any():
        return Measured(0.5, np.zeros(len(of)))
    value = float(right.sum() / of.sum())
    return Measured(value, 2 * len(of) * (right - value * of) / of.sum())


def _all(parts: Sequence[Part]) -> tuple[Array, Array]:
    """The targets and the predictions of all parts."""
    return np.concatenate([part.targets for part in parts]), np.concatenate([part.predictions for part in parts])


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", _accuracy),
        Metric("f1", _f1),
        Metric("auc", _auc, by_scores=True),
        Metric("mae", _mae, for_numbers=True, percent=False, sign=-1),
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
