"""A run: a learner, its examples, and what it goes by. ``prepare`` makes one ready without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from . import labels
from .learner import Learner
from .spec import Spec

Array = NDArray[Any]


@runtime_checkable
class Mixable(Protocol):
    """What a cluster asks of an estimator."""

    random_state: Any
    undecided_warning: type[Warning]

    def spec(self) -> Spec:
        """The learner that its parameters stand for."""

    def earlier(self, classes: Array | None) -> Learner | None:
        """The learner to go on from, if any."""

    def adopt(
        self, learner: Learner, classes: Array | None, names: Sequence[Any] | None, extras: Any, **attributes: Any
    ) -> None:
        """Be what a run elsewhere has come to."""


@runtime_checkable
class Trainable(Mixable, Protocol):
    """What a trace asks of an estimator."""

    def prepare(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Run:
        """All that ``fit`` does before the first step."""


@dataclass
class Run:
    """A fit made ready: everything read and checked, the learner at its starting weights, nothing learned.

    Parameters
    ----------
    spec : Spec
        What the learner is, and how the run goes.
    learner : Learner
        At its first weights.
    X : table
        What there is to learn from, as it came in.
    rows : Rows
        The same, as the learner takes it.
    targets : array
        Codes of the classes, or numbers.
    weight : array or None
        Weights of the rows; those of weight 0 are left out. None: all are 1.
    classes : array or None
        The labels; None: a regression.
    names : list or None
        Of the columns, where they have names.
    rng : Generator
        The one generator of the run.
    start : str
        Where the weights begin, in words.
    """

    spec: Spec
    learner: Learner
    X: Any
    rows: Any
    targets: Array
    weight: Array | None
    classes: Array | None
    names: list[Any] | None
    rng: np.random.Generator
    start: str = "zero"

    def fit(self, learner: Learner | None = None, rng: np.random.Generator | None = None, **options: Any) -> Learner:
        """Learn: the run's own learner, or a copy that draws from a generator of its own."""
        learner = self.learner if learner is None else learner
        learner.fit(
            self.rows, self.targets, self.weight, max_iter=self.spec.max_iter, tol=self.spec.tol,
            shuffle=self.spec.shuffle, rng=self.rng if rng is None else rng, **options,
        )  # fmt: skip
        return learner


def prepare(spec: Spec, X: Any, y: Any, *, names: Sequence[str] | None = None) -> Run:
    """The run of a learner over rows and their labels, or numbers, which were read and are as they should be."""
    learner, rng, rows = spec.learner(), spec.generator(), spec.rows(X, names=names)
    classes = None if spec.epsilon is not None else labels.classes_of(y)
    start = spec.start(learner, rows, 0 if classes is None else len(classes), rng)
    targets = np.asarray(y, np.float64) if classes is None else labels.encode(y, classes)
    return Run(spec, learner, X, rows, targets, None, classes, None if names is None else list(names), rng, start)
