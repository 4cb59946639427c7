"""The regressor: passive-aggressive steps towards a number."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ..core import engine
from ..core.spec import by_vector
from .arguments import documented
from .contract import Examples, LinearEstimator, refuse_no_weight
from .locking import reads, writes
from .shared import published

Array = NDArray[Any]


@published
class PassiveAggressiveRegressor(RegressorMixin, LinearEstimator):
    """Passive-aggressive regression: the smallest step after which the prediction is within ε of the target.

    ``ℓ = max(0, |s − y| − ε)``, ``w ← w + sign(y − s)·τ·x`` with τ as for the classifier. The bias counts in ``‖x‖²``.

    Parameters
    ----------
    epsilon : float, default=0.1
        Half-width of the zone around the target in which a prediction is right.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Which step.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    {shared}

    Notes
    -----
    A regression has no verdict: it ends at ``max_iter``, or after a pass without an update.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), section 5.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> model = rb.PassiveAggressiveRegressor(epsilon=0.01, variant="PA", shuffle=False, max_iter=200)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(1)
    array([7.])
    """

    def _examples(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        X, rows, targets, weight = self._read_rows(X, y, sample_weight, None, reset=True)
        refuse_no_weight(weight)
        return X, rows, targets, weight, None

    @writes
    @documented
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> PassiveAggressiveRegressor:
        """Learn from the next rows of a stream, in the order given; all calls together are one pass.

        Parameters
        ----------
        {X}
        {targets}
        {sample_weight}

        Returns
        -------
        {further}
        """
        stream = self if "_learner" in self.__dict__ else self._shell()
        with stream._read_to_learn(X, y) as rows:
            stream._partial_fit(rows, y, sample_weight)
        if stream is not self:
            self._become(stream)
        return self

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        fresh = "_learner" not in self.__dict__
        spec = self.spec() if fresh else None
        learner = self._learner if spec is None else spec.learner()
        dtype = None if fresh else learner.dtype
        X, rows, targets, weight = self._read_rows(X, y, sample_weight, dtype, reset=fresh)
        if spec is not None:
            learner.allocate(rows.n_features, 0, rows.dtype)
            spec.begin(learner, spec.generator())
            self._learner = learner
        with self._undone_on_error(learner.may_overflow(rows, weight, targets)):
            learner.partial_fit(rows, targets, weight, (0, rows.n_rows))

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, dtype: Any, reset: bool
    ) -> tuple[Any, engine.Rows, Array, Array | None]:
        X, y = self._validated(X, y, reset=reset, y_numeric=True)
        targets = np.ascontiguousarray(y, dtype=np.float64)
        rows = self._admit(X, dtype)
        return X, rows, targets, self._sample_weights(sample_weight, X)

    @writes
    @documented
    def learn_one(self, x: dict[Any, float], y: float, sample_weight: float = 1.0) -> PassiveAggressiveRegressor:
        """Learn from one example of named features; new names included.

        Parameters
        ----------
        {x}
        y : float
            Its target.
        {one_weight}

        Returns
        -------
        {further}
        """
        if self._encoding is not None:
            with self._read_to_learn([x], [y]) as rows:
                self._partial_fit(rows, [y], sample_weight)
            return self
        self._check_named(x, sample_weight)
        if not (isinstance(y, numbers.Real) and abs(y) < math.inf and abs(y) <= float(np.finfo(np.float64).max)):
            raise ValueError(f"the target must be a finite number, got {y!r}")
        stream = self
        if "_learner" not in self.__dict__:
            stream = self._shell()
            stream._open_stream()
        if sample_weight > 0:
            stream._learner.learn_one(x, stream._columns, float(y), sample_weight)
        if stream is not self:
            self._become(stream)
        return self

    @documented
    def predict_one(self, x: dict[Any, float]) -> float:
        """The predicted number of one example of named features; names never met count as absent.

        Parameters
        ----------
        {x}

        Returns
        -------
        float
            The prediction.
        """
        return self._lock.look(self._predict_one, x)

    def _predict_one(self, x: dict[Any, float]) -> float:
        learner = self._fitted
        if self._encoding is not None:
            return float(learner.predict(self._rows([x]))[0])
        self._check_named(x)
        return float(learner.scores_one(x, self._columns)[0])

    @property
    @reads
    def coef_(self) -> Array:
        """Weights of the readout, (n_features,)."""
        weights: Array = by_vector(self._fitted)[0][0]
        return weights
