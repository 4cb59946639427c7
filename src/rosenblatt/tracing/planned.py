"""What a trace asks of an estimator, without scikit-learn: a learner, and how it is to be run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine, labels
from ..kernel_space.learner import KernelLearner
from ..kernel_space.rows import KernelRows
from ..learner import Learner, Run

Array = NDArray[Any]


class Planned:
    """A run made ready, which :func:`trace` takes in place of an estimator.

    Parameters
    ----------
    told : str
        The estimator in words.
    learner : Learner or KernelLearner
        The rule, the readout and the space, with no weights yet.
    names : list of str or None
        Names of the columns.
    max_iter, shuffle, seed
        Passes at most, whether each has an order of its own, and the seed of those.
    """

    early_stopping = warm_start = False

    def __init__(
        self, told: str, learner: Learner, names: list[str] | None, *, max_iter: int, shuffle: bool, seed: int
    ) -> None:
        self.told, self._learner, self.names = told, learner, names
        self.max_iter, self.shuffle, self.random_state = max_iter, shuffle, seed

    def __repr__(self) -> str:
        return self.told

    @classmethod
    def called(cls, name: str, *arguments: Any, **options: Any) -> Planned:
        """One whose class has the name of the estimator."""
        made: Planned = type(name, (cls,), {})(*arguments, **options)
        return made

    @property
    def gamma(self) -> float:
        """γ of the kernel."""
        assert isinstance(self._learner, KernelLearner)
        return self._learner.kernel.gamma

    def _prepare(self, X: Any, y: Any, *_: Any) -> tuple[Planned, Run]:
        rows, classes, learner = engine.admit(X), labels.classes_of(y), self._learner
        if isinstance(learner, KernelLearner):
            rows = KernelRows(rows.view[0], learner.kernel, rows.dtype)  # type: ignore[assignment]
        learner.allocate(rows.n_features, len(classes), rows.dtype)
        rng = np.random.default_rng(self.random_state)
        codes = labels.encode(y, classes)
        return self, Run(
            learner, X, rows, codes, None, classes, self.names, rng, self.max_iter, 1e-4, self.shuffle
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
