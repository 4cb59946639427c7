"""The classifiers in kernel space, and the voted perceptron."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from ..core import engine
from ..core.checks import check_name
from ..core.spaces.kernel.budget_learner import BudgetLearner
from ..core.spaces.kernel.learner import READOUTS, KernelLearner
from ..core.spaces.kernel.rows import KernelRows
from ..core.spaces.kernel.space import see
from .arguments import documented
from .classification import LinearClassifier
from .contract import Examples
from .locking import reads
from .shared import published

Array = NDArray[Any]


@dataclass(frozen=True)
class PredictionCost:
    """What one prediction costs."""

    voters: int
    examples: int
    megabytes: float
    microseconds: float

    def __str__(self) -> str:
        voters = f"{self.voters:,} voter{'s' * (self.voters != 1)} over {self.examples:,} examples"
        return f"{voters}, {self.megabytes:,.3g} MB, {self.microseconds:,.3g} µs a prediction"


@published
class KernelPerceptron(LinearClassifier):
    """The perceptron in the space of a kernel: ``s = Σ α·y·K(x_j, x)`` over the examples of its updates.

    It learns in blocks that are matrix products, and makes exactly the mistakes of one example at a time (but where a
    score lies within rounding of the threshold).

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "sigmoid", "precomputed"} or callable, default="rbf"
        ``exp(−γ‖x − x'‖²)``, ``(γ·x·x' + c)^d``, ``x·x'``, ``tanh(γ·x·x' + c)``; X holds the kernel's values; or a
        function of two blocks of rows that returns their matrix. A bias adds the constant 1 to it.
    readout : {"last", "averaged", "voted", "pocket"}, default="last"
        Which weights are the model.
    {shared}

    References
    ----------
    Aizerman, Braverman & Rozonoer (1964); Freund & Schapire (1999).

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    >>> model = rb.KernelPerceptron(kernel="poly", degree=2, shuffle=False).fit(X, y)
    >>> model.verdict_, model.predict(X)
    ('separated', array([-1,  1,  1, -1]))
    """

    kernel: Any
    device: str
    precision: str

    @property
    def _is_precomputed(self) -> bool:
        """Whether X holds the kernel's values: what the run began with counts, else what the parameter says."""
        learner = self.__dict__.get("_learner")
        name = self.kernel if learner is None else learner.kernel.name
        return isinstance(name, str) and name == "precomputed"

    def _admit(self, X: Any, dtype: Any = None) -> Any:
        learner = self.__dict__.get("_learner")
        if learner is None:
            return self.spec().rows(X, dtype, self._names())
        return see(engine.admit(X, dtype, self._names()), learner.kernel, self.device, self.precision)

    def _part(self, rows: KernelRows, X: Any, which: Array) -> KernelRows:
        return rows.part(which)

    # ---- learning ------------------------------------------------------------------------------------------------

    @documented
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelPerceptron:  # type: ignore[override]
        """Learn from X and y, passing over them until the verdict.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The examples; with a precomputed kernel its square matrix.
        y : array of shape (n_samples,)
            Their labels, of two classes at least.
        {sample_weight}

        Returns
        -------
        {fitted}
        """
        self._fit(X, y, None, None, sample_weight)
        return self

    def _examples(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        self.__dict__.pop("_learner", None)  # through whose kernel rows would be seen
        return super()._examples(X, y, sample_weight)

    def _learn_rows(self, rows: Any, y: Array, weight: Array | None) -> None:
        if not self._learner.visited and (weight is None or np.any(weight > 0)):
            self.spec().space.settle(self._learner, rows, weight)
        super()._learn_rows(rows, y, weight)

    def _is_plain(self, X: Any) -> bool:
        # The first rows of a stream give it its γ.
        return super()._is_plain(X) and self._learner.visited > 0 and not self._is_precomputed

    @contextmanager
    def _undone_on_error(self, risky: bool) -> Iterator[None]:
        """Always ready to take the state back: a kernel can fail in any block."""
        with super()._undone_on_error(risky=True):
            yield

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        if self._is_precomputed:
            raise ValueError(
                "a stream has no kernel matrix in advance: partial_fit takes rows, not kernel='precomputed'"
            )
        super()._partial_fit(X, y, classes, sample_weight)

    def learn_one(self, x: dict[Any, float], y: Any, sample_weight: float = 1.0) -> KernelPerceptron:
        """Not there in kernel space, which takes rows of numbers: see ``partial_fit``."""
        raise TypeError("named features are for linear learners; in kernel space use partial_fit with a row of numbers")

    def predict_one(self, x: dict[Any, float]) -> Any:
        """Not there in kernel space, which takes rows of numbers: see ``predict``."""
        raise TypeError("named features are for linear learners; in kernel space use predict with a row of numbers")

    # ---- reading -------------------------------------------------------------------------------------------------

    @reads
    def with_readout(self, readout: str) -> Any:
        """The same run read another way, without retraining.

        Parameters
        ----------
        readout : {"last", "averaged", "voted", "pocket"}
            All but "pocket" are always there.

        Returns
        -------
        estimator
            A fitted copy that predicts with that readout.
        """
        learner = self._fitted
        check_name("readout", readout, READOUTS)
        if isinstance(learner, BudgetLearner) and readout != "last":
            raise ValueError(f"with a budget a run keeps its last weights alone, and cannot be read as {readout!r}")
        if readout == "pocket" != learner.readout:
            raise ValueError("this run kept no pocket; fit a learner whose readout is 'pocket' instead")
        other = copy.copy(self)
        other._learner.readout = readout
        return other

    @property
    def _kernel_learner(self) -> KernelLearner:
        learner = self._fitted
        assert isinstance(learner, KernelLearner)
        return learner

    @property
    @reads
    def support_(self) -> Array:
        """The rows that were updated on, in the order they first were; in a stream, counted from its start."""
        return self._kernel_learner.support.index.copy()

    @property
    @reads
    def support_vectors_(self) -> Any:
        """Those rows."""
        learner = self._kernel_learner
        vectors = learner.support.vectors
        if vectors is None:
            return np.zeros((0, learner.n_features), learner.dtype)
        return vectors.copy()

    @property
    @reads
    def n_support_(self) -> Array:
        """How many there are of each class."""
        learner = self._kernel_learner
        return np.bincount(learner.support.codes, minlength=learner.n_classes)

    @property
    @reads
    def dual_coef_(self) -> Array:
        """Their coefficients in the readout, (1, n_support) or (n_classes, n_support); of votes, the last ones."""
        return self._kernel_learner.dual().T.copy()

    @property
    @reads
    def intercept_(self) -> Array:
        """Biases of the readout: the constant feature's weight, Σ α."""
        learner = self._kernel_learner
        return np.asarray(learner.dual().sum(axis=0) * (1 if learner.fit_intercept else 0), learner.dtype)

    @property
    @reads
    def coef_(self) -> Array:
        """Weights of the readout, with a linear kernel alone."""
        learner = self._kernel_learner
        if learner.kernel.name != "linear":
            raise AttributeError("coef_ is there with kernel='linear' alone; see dual_coef_ and support_vectors_")
        weights = learner.dual().T @ self.support_vectors_
        return np.asarray(weights).reshape(learner.n_vectors, learner.n_features)

    @property
    @reads
    def n_voters_(self) -> int:
        """How many weight vectors the run went through, zero included."""
        if isinstance(self._fitted, BudgetLearner):
            raise AttributeError("n_voters_ is there without a budget alone, which keeps no history to vote")
        return 1 + self._kernel_learner.length

    def prediction_cost(self, X: Any = None) -> PredictionCost:
        """What a prediction costs: how many voters and examples it asks, what they take, and the time, measured.

        Parameters
        ----------
        X : array, default=None
            Rows to measure with; None: at most 256 of the examples kept.

        Returns
        -------
        PredictionCost
            ``voters`` (1 for a readout that is one weight vector), ``examples``, ``megabytes``, ``microseconds``.
        """
        learner = self._kernel_learner
        if X is None:
            X = self.support_vectors_[:256]
        X = X if hasattr(X, "shape") else np.asarray(X)
        if not X.shape[0]:
            raise ValueError("there are no examples to measure with: give some rows as X")
        times = []
        for _ in range(3):
            began = time.perf_counter()
            self.predict(X)
            times.append(time.perf_counter() - began)
        kept = learner.support.vectors
        stored = 0 if kept is None else kept.data.nbytes
        voted = learner.readout == "voted"
        stored += (learner.coef.nbytes + 2 * learner.which.nbytes) if voted else learner.alpha.nbytes
        return PredictionCost(
            self.n_voters_ if voted else 1, len(learner.support), stored / 1e6, 1e6 * min(times) / X.shape[0]
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


@published
class VotedPerceptron(KernelPerceptron):
    """The voted perceptron: every weight vector of the run votes, with the number of examples that it survived.

    ``decision_function`` is the vote: what those who say ``classes_[1]`` survived less what the others did, or the sum
    for each class. A vector that scores 0 votes for ``classes_[0]``. A prediction costs a kernel row and a sum over
    all ``n_voters_``: ``prediction_cost`` tells.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="linear"
        See ``KernelPerceptron``.
    readout : {"voted", "last", "averaged", "pocket"}, default="voted"
        Which weights are the model; see ``with_readout`` for the others of the same run.
    {shared}

    References
    ----------
    Freund & Schapire (1999), fig. 1.
    """

    _poor_score = True  # of a run that ends undecided the early vectors vote too, which the weights have not reached
