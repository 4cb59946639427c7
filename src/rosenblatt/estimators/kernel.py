"""The classifiers in kernel space, and the voted perceptron."""

from __future__ import annotations

import copy
import inspect
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from ..core import engine, rules
from ..core.spaces.kernel import arrays
from ..core.spaces.kernel.budget_learner import BudgetLearner
from ..core.spaces.kernel.budgets import POLICIES, Budget
from ..core.spaces.kernel.kernels import Kernel, gamma_of
from ..core.spaces.kernel.learner import READOUTS, KernelLearner
from ..core.spaces.kernel.rows import KernelRows, dense, seen_through
from ..core.state import check_name
from .classification import LinearClassifier
from .contract import Task, check_number, parameters
from .locking import reads
from .shared import CLASSIFIER_ATTRIBUTES, C, documented

Array = NDArray[Any]

#: Where both classes say the same: what stands in linear space for a start of its own has none here.
_PARAMETERS = """gamma : {"scale", "auto"} or float, default="scale"
    The γ > 0 of "poly", "rbf" and "sigmoid": ``1/(n_features·X.var())``, ``1/n_features``, or a number.
degree : float, default=3
    The d of "poly".
coef0 : float, default=1.0
    The c of "poly" and "sigmoid".
rule : Rule or None, default=None
    How far to move (``rb.rules``); None: Rosenblatt's rule.
block_size : int or None, default=None
    Examples that go through a matrix product together; it changes nothing but the time. None: what suits the device.
cache_size : float or None, default=None
    Megabytes to remember rows of the kernel matrix in, from one pass to the next. None: 1000, or half of the free
    memory of a CUDA device.
budget : int or None, default=None
    Keep so many examples at most, for ever: a stream of any length in bounded memory and time per example. The readout
    is then "last", and there is no upper margin bound.
budget_policy : {"random", "forgetron", "projectron", "projectron++"}, default="random"
    Who gives way to a new example: one at random; the oldest, after all were shrunk (Rosenblatt's rule, two classes,
    K(x, x) ≤ 1); or no one: the step is projected onto those kept, on mistakes, or on small margins too
    (Rosenblatt's rule, two classes or ``multiclass="max"``).
projection_tol : float, default=0.1
    The largest norm that a projection may lose while the budget is not full; for the projectrons.
device : {"cpu", "cuda"}, default="cpu"
    Where to compute. "cuda" needs CuPy or PyTorch; sparse rows are made dense there, a block at a time.
precision : {"float32", "tf32"}, default="float32"
    How float32 rows are multiplied on a CUDA device: in full, so that it decides as the processor does, or faster.
init : {"zeros"}, default="zeros"
    In kernel space a run begins with no examples, at zero.
warm_start : bool, default=False
    For linear learners: only False here; ``partial_fit`` goes on with a run.
random_state : int, Generator, RandomState or None, default=None
    Seed of the shuffles, of the held-out part and of who gives way at random."""

_ATTRIBUTES = """support_ : ndarray of int
    The rows that were updated on, in the order they first were; with a budget, those kept, by slot (one that came
    again is there again).
support_vectors_ : ndarray or sparse matrix
    Those rows; none with a precomputed kernel.
n_support_ : ndarray of int, (n_classes,)
    How many there are of each class.
dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
    Their coefficients in the readout (of the votes there is none: the last ones).
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights of the readout, with ``kernel="linear"`` alone.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Biases of the readout, sums of its coefficients; 0 without ``fit_intercept``.
n_voters_ : int
    How many weight vectors the run went through, zero included: so many vote.
""" + CLASSIFIER_ATTRIBUTES[CLASSIFIER_ATTRIBUTES.index("classes_ : ") :]


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


def _documented(cls: C) -> C:
    """Fill in what the kernel classes share, and then what all do."""
    own = inspect.getdoc(cls) or ""
    cls.__doc__ = own.replace("{kernel}", _PARAMETERS).replace("{attributes}", _ATTRIBUTES)
    return documented(cls)


@_documented
@parameters
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
    {kernel}
    {parameters}

    Attributes
    ----------
    {attributes}

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

    kernel: Any = "rbf"
    gamma: Any = "scale"
    degree: float = 3
    coef0: float = 1.0
    rule: Any = None
    readout: str = "last"
    shuffle: bool = True
    block_size: int | None = None
    cache_size: float | None = None
    budget: int | None = None
    budget_policy: str = "random"
    projection_tol: float = 0.1
    device: str = "cpu"
    precision: str = "float32"

    def _rule(self) -> rules.Rule:
        return rules.checked(self.rule)

    def _kernel(self, gamma: float) -> Kernel:
        return Kernel(self.kernel, gamma, self.degree, self.coef0, bool(self.fit_intercept))

    def _new_learner(self) -> Any:
        self._check_parameters()
        check_name("readout", self.readout, READOUTS)
        if self.block_size is not None:
            check_number("block_size", self.block_size, 1, whole=True)
        if self.cache_size is not None:
            check_number("cache_size", self.cache_size, 0)
        check_name("device", self.device, ("cpu", "cuda"))
        check_name("precision", self.precision, arrays.PRECISIONS)
        if self.device == "cuda" and self._is_precomputed:
            raise ValueError("a precomputed kernel leaves nothing to compute on a CUDA device; use device='cpu'")
        if self.device == "cpu" and self.precision != "float32":
            raise ValueError(f"precision={self.precision!r} is for device='cuda'; the processor multiplies in full")
        if isinstance(self.gamma, str):
            check_name("gamma", self.gamma, ("scale", "auto"))
        if self.warm_start or self.init != "zeros":
            raise ValueError("in kernel space a run begins with no examples: leave warm_start=False and init='zeros'")
        kernel = self._kernel(1.0 if isinstance(self.gamma, str) else self.gamma)
        if self.early_stopping and kernel.name == "precomputed":
            raise ValueError("early_stopping needs rows to hold out, which a precomputed kernel matrix does not have")
        budget = self._budget()
        options: dict[str, Any] = {
            "readout": self.readout,
            "ties": self.ties,
            "multiclass": self.multiclass,
            "ratchet": self.readout == "pocket",
            "block_size": self.block_size,
            "cache_size": None if self.cache_size is None else 1e6 * self.cache_size,
        }
        if budget is not None:
            return BudgetLearner(self._rule(), kernel, budget, **options)
        return KernelLearner(self._rule(), kernel, **options)

    def _budget(self) -> Budget | None:
        check_name("budget_policy", self.budget_policy, POLICIES)
        check_number("projection_tol", self.projection_tol, 0)
        if math.isinf(self.projection_tol):
            raise ValueError("projection_tol must be finite, got inf: with it no example is ever kept")
        if self.budget is None:
            if self.budget_policy != POLICIES[0]:
                raise ValueError(f"budget_policy={self.budget_policy!r} needs a budget: the examples to keep at most")
            return None
        check_number("budget", self.budget, 1, whole=True)
        if self.device != "cpu":
            raise ValueError("a budget is kept on the processor: use device='cpu'")
        return Budget(int(self.budget), self.budget_policy, float(self.projection_tol))

    def _start(self, learner: Any, rng: np.random.Generator, coef: Any, intercept: Any) -> None:
        super()._start(learner, rng, coef, intercept)
        if isinstance(learner, BudgetLearner):
            learner.policy.rng = rng  # the one generator of a run

    def _library(self) -> arrays.NumPy:
        return arrays.cuda() if self.device == "cuda" else arrays.NumPy()

    @property
    def _is_precomputed(self) -> bool:
        """Whether X holds the kernel's values: what the run began with counts, else what the parameter says."""
        learner = self.__dict__.get("_learner")
        name = self.kernel if learner is None else learner.kernel.name
        return isinstance(name, str) and name == "precomputed"

    def _admit(self, X: Any, dtype: Any = None) -> Any:
        rows = engine.admit(X, dtype, self._names())
        learner = self.__dict__.get("_learner")
        kernel = self._kernel(1.0) if learner is None else learner.kernel
        seen = seen_through(rows, kernel, library=self._library(), precision=self.precision)
        X = seen.X
        if self._is_precomputed:
            X = seen.X = dense(X)
            if "_learner" not in self.__dict__ and X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed kernel must be a square matrix at fit. Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
        return seen

    def _take_kernel(self, learner: KernelLearner, rows: KernelRows, weight: Array | None) -> None:
        """Give the run its kernel, whose γ is that of its first rows; those of weight 0 are not there."""
        gamma = gamma_of(self.gamma, self.kernel, rows.weighted(weight))
        learner.kernel = rows.kernel = self._kernel(gamma)

    def _part(self, rows: KernelRows, X: Any, which: Array) -> KernelRows:
        return rows.part(which)

    # ---- learning ------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelPerceptron:  # type: ignore[override]
        """Learn from X and y, passing over them until the verdict.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The examples; with a precomputed kernel its square matrix.
        y : array of shape (n_samples,)
            Their labels, of two classes at least.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the examples; rows of weight 0 are left out.

        Returns
        -------
        self
            The fitted estimator. Where a separator was neither found nor ruled out, a ConvergenceWarning says so.
        """
        fitted, run = self._prepare(X, y, None, None, sample_weight)
        fitted._run(run)
        self._publish(fitted)
        return self

    def _task(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> Task:
        self.__dict__.pop("_learner", None)
        X, rows, targets, weight, classes = super()._task(learner, X, y, sample_weight)
        self._take_kernel(learner, rows, weight)  # type: ignore[arg-type]
        return X, rows, targets, weight, classes

    def _learn_rows(self, rows: Any, y: Array, weight: Array | None) -> None:
        if not self._learner.visited and (weight is None or np.any(weight > 0)):
            self._take_kernel(self._kernel_learner, rows, weight)
        super()._learn_rows(rows, y, weight)

    def _is_plain(self, X: Any) -> bool:
        return super()._is_plain(X) and self._learner.visited > 0  # the first rows of a stream give it its γ

    @contextmanager
    def _undone_on_error(self, risky: bool) -> Iterator[None]:
        """Always ready to take the state back: a kernel can fail in any block."""
        with super()._undone_on_error(risky=True):
            yield

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> KernelPerceptron:
        """Learn from the next rows of a stream, in the order given; all calls together are one pass.

        The same rows give the same predictions in any chunks, but that ``gamma="scale"`` is that of the first call. The
        rule, the kernel, the readout and the tie convention are those with which the stream began.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their labels.
        classes : array, default=None
            Labels known in advance; not needed.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the examples; rows of weight 0 are left out.

        Returns
        -------
        self
            The estimator, further along.
        """
        if self._is_precomputed:
            raise ValueError(
                "a stream has no kernel matrix in advance: partial_fit takes rows, not kernel='precomputed'"
            )
        super().partial_fit(X, y, classes, sample_weight)
        return self

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
        found = learner.support.vectors
        if found is None:
            return np.zeros((0, learner.n_features), learner.dtype)
        return found.copy()

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


@_documented
@parameters
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
    {kernel}
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Freund & Schapire (1999), fig. 1.
    """

    kernel: Any = "linear"
    readout: str = "voted"

    _poor_score = True  # of a run that ends undecided the early vectors vote too, which the weights have not reached
