"""What a trace asks of an estimator, without scikit-learn: a run made ready."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import labels
from ..core.learner import Learner, Run
from ..core.planning import learner_of, rows_for, start
from ..core.spaces.kernel.learner import KernelLearner

Array = NDArray[Any]


class Planned:
    """A run made ready, which :func:`trace` takes in place of an estimator.

    Parameters
    ----------
    kind, parameters : str and dict
        The class of the estimator, and the parameters that are told.
    names : list of str or None
        Names of the columns.
    max_iter, shuffle, seed
        Passes at most, whether each has an order of its own, and the seed of those.
    told : str, default=None
        The estimator in words; None: its class and its parameters.
    """

    early_stopping = warm_start = False

    def __init__(
        self, kind: str, parameters: dict[str, Any], names: list[str] | None, *,
        max_iter: int, shuffle: bool, seed: int, told: str | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.parameters, self.names, self.told = kind, parameters, names, told
        self.max_iter, self.shuffle, self.random_state = max_iter, shuffle, seed
        self.gamma = parameters.get("gamma", "scale")
        self._learner: Learner = learner_of(kind, parameters)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return self.told or f"{self.kind}({told})"

    @classmethod
    def called(cls, kind: str, *arguments: Any, **options: Any) -> Planned:
        """One whose class has the name of the estimator."""
        made: Planned = type(kind, (cls,), {})(kind, *arguments, **options)
        return made

    def _prepare(self, X: Any, y: Any, *_: Any) -> tuple[Planned, Run]:
        learner, parameters, rng = self._learner, self.parameters, np.random.default_rng(self.random_state)
        rows, classes = rows_for(learner, X), None if learner.epsilon is not None else labels.classes_of(y)
        start(learner, rows, 0 if classes is None else len(classes), None, parameters, rng)
        targets = np.asarray(y, np.float64) if classes is None else labels.encode(y, classes)
        tol = parameters.get("tol", None if classes is None else 1e-4)
        return self, Run(
            learner, X, rows, targets, None, classes, self.names, rng, self.max_iter, tol, self.shuffle
        )  # fmt: skip

    # ---- what a trace compares its own run in kernel space with ----------------------------------------------------

    def with_readout(self, readout: str) -> Planned:
        """The same run, of whose last weights the properties below speak."""
        assert readout == "last"
        return self

    @property
    def support_(self) -> Array:
        """The rows that were updated on."""
        assert isinstance(self._learner, KernelLearner)
        return self._learner.support.index

    @property
    def dual_coef_(self) -> Array:
        """Their last coefficients."""
        assert isinstance(self._learner, KernelLearner)
        return self._learner.dual("last").T
