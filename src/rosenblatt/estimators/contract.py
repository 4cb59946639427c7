"""What every estimator shares: reading X and y, starting a run, and the fitted attributes.

A call either succeeds or leaves the estimator as it was: ``fit`` works on a copy that replaces the estimator's state at
the end; ``partial_fit`` and ``learn_one`` check what they are given before the first step, and what can only be found
midway (weights that would overflow) is undone. Several threads may share an estimator: ``locking`` says how.
"""

from __future__ import annotations

import copy
import math
import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core import engine, memory, progress, rules
from ..core.learner import Learner, Run
from ..core.state import INITS, check_name
from . import places
from .locking import Locked, reads

Array = NDArray[Any]

#: What there is to learn from: X, its rows, targets (codes of the classes, or numbers), weights, classes (or None).
Task = tuple[Any, engine.Rows, Array, Array | None, Array | None]

#: Checks of scikit-learn's contract that an online learner fails by its definition, with the reason.
ONLINE_EXCEPTIONS = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "an online learner visits a repeated row twice and a weighted row once: repeating is not weighting",
)


class FittedState(Locked):
    """What an estimator holds once it is fitted: a learner, and names of the columns where there are any."""

    _learner: Learner
    _columns: Any = None  # {name: column}, or None where they have no names
    _extras: Any = None  # sections that a model file held besides, which go into the next one
    _text: Any = None  # what makes rows of text, once it was asked for

    _learns_in = ("_learner", "_columns", "_text", "random_state")

    # ---- named features ------------------------------------------------------------------------------------------

    @property
    @reads
    def feature_names_in_(self) -> Array:
        """Names of the columns, where they have names that are all strings."""
        if self._columns is None or not all(isinstance(name, str) for name in self._columns):
            raise AttributeError("feature_names_in_")
        return np.array(list(self._columns), dtype=object)

    @feature_names_in_.setter
    def feature_names_in_(self, names: Array) -> None:
        self._columns = {name: column for column, name in enumerate(names)}

    @feature_names_in_.deleter
    def feature_names_in_(self) -> None:
        self.__dict__.pop("_columns", None)

    @property
    def n_features_in_(self) -> int:
        """How many columns there are; names may bring more."""
        if "_learner" not in self.__dict__:
            raise AttributeError("n_features_in_")
        return self._learner.n_features

    @n_features_in_.setter
    def n_features_in_(self, n: int) -> None:
        pass  # scikit-learn notes it while it reads X; the learner knows it

    def _names(self) -> list[Any] | None:
        return None if self._columns is None else list(self._columns)

    def _check_named(self, x: Any, sample_weight: float = 1.0) -> None:
        one = type(sample_weight) is float and sample_weight == 1.0
        if not one and not (isinstance(sample_weight, numbers.Real) and 0 <= float(sample_weight) < math.inf):
            raise ValueError(f"sample_weight must be a finite number >= 0, got {sample_weight!r}")
        if not isinstance(x, dict):
            raise TypeError(f"one example is a dict of named features, {{name: number}}; got {type(x).__name__}")
        if self._columns is None and "_learner" in self.__dict__:
            raise ValueError(
                "this model was fitted on columns without names, so a dict of names cannot be matched to them; "
                "fit on a DataFrame, or stream with learn_one from the start"
            )

    # ---- fitted attributes ---------------------------------------------------------------------------------------

    @property
    def _fitted(self) -> Learner:
        try:
            return self.__dict__["_learner"]  # type: ignore[no-any-return]
        except KeyError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            ) from None

    @property
    @reads
    def coef_(self) -> Array:
        """Weights of the readout, (n_vectors, n_features); computed when read."""
        return by_vector(self._fitted)[0]

    @property
    @reads
    def intercept_(self) -> Array:
        """Biases of the readout, (n_vectors,); computed when read."""
        learner = self._fitted
        return np.array(learner.stored()[0, : learner.n_vectors])

    @property
    @reads
    def n_iter_(self) -> int:
        """Passes made; all calls of a stream together are one."""
        return self._fitted.n_iter

    @property
    @reads
    def n_updates_(self) -> int:
        """Updates made, over all passes."""
        return self._fitted.n_updates

    @property
    @reads
    def validation_scores_(self) -> Array:
        """Score of the readout on the held-out part after each pass, with ``early_stopping=True``."""
        if not self._fitted.held_out_scores:
            raise AttributeError("validation_scores_ is there after a fit with early_stopping=True")
        return np.array(self._fitted.held_out_scores)

    @reads
    def with_readout(self, readout: str) -> Any:
        """The same run read another way, without retraining.

        Parameters
        ----------
        readout : {"last", "averaged", "pocket"}
            "last" is always there; the others where the run kept what they need.

        Returns
        -------
        estimator
            A fitted copy that predicts with that readout.
        """
        learner = self._fitted
        learner.stored(readout)  # says so where it cannot
        other = copy.copy(self)
        if readout == "last":
            other._learner.readout, other._learner.total, other._learner.pocket = "last", None, None
            other._learner._build_native()
        return other

    @property
    def text_(self) -> Any:
        """What makes rows of text, in a model that was saved with it, or trained on text by the command line."""
        if self._text is None and self._extras is not None:
            from .raw_text import transformer_of

            self._text = transformer_of(self._extras, self._fitted.n_features)
        if self._text is None:
            raise AttributeError("text_ is there in a model that reads text alone, saved by est.save(path, text=…)")
        return self._text

    def _read(self, X: Any) -> Any:
        """X, or where it is text and the model knows how to read it, its rows."""
        if self._extras is None:
            return X
        from .raw_text import is_text

        return self.text_.transform(X) if is_text(X) and hasattr(self, "text_") else X

    @reads
    def save(self, path: str | os.PathLike[str], text: Any = None) -> None:
        """Write the model to a file, from which ``rb.load`` brings it back as it is: it predicts and learns on alike.

        The file is a safetensors file and holds no code. What was there before is replaced once the new file is
        complete, or not at all.

        Parameters
        ----------
        path : str or Path
            Where to.
        text : HashedText, BagOfWords or None, default=None
            What made the rows of text. It goes along, and is ``text_`` of the loaded model, which predicts from text as
            well: ``rb.load(path).predict(["a fine film"])``. So does ``rosenblatt predict``, from a column called
            "text", where it is a HashedText. None: that with which this model was loaded, if any. The loaded one reads
            documents, whatever ``input`` says here: a file does not decide what is read.
        """
        from .files import save

        save(self, path, text)

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in self.__dict__


#: An estimator's parameters are the fields of a dataclass: the constructor only stores them.
parameters = dataclass(kw_only=True, eq=False, repr=False)


@parameters
class LinearEstimator(FittedState):
    """A learner with scikit-learn's face. Subclasses say which rule, readout and targets."""

    fit_intercept: bool = True
    max_iter: int = 1000
    init: str = "zeros"
    random_state: Any = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    warm_start: bool = False
    verbose: int = 0

    #: Checks of scikit-learn's contract that cannot hold, with the reason.
    _contract_exceptions: ClassVar[dict[str, str]] = ONLINE_EXCEPTIONS
    #: The warning of a run that ended undecided.
    _undecided: ClassVar[type[Warning]] = ConvergenceWarning

    # ---- what subclasses provide ---------------------------------------------------------------------------------

    def _rule(self) -> rules.Rule:
        """The rule that the parameters name."""
        raise NotImplementedError

    def _new_learner(self) -> Learner:
        """A learner with no weights yet; refuses parameters that make none."""
        raise NotImplementedError

    def _task(self, learner: Learner, X: Any, y: Any, sample_weight: Any) -> Task:
        """Read and check what there is to learn from, and allocate the learner for it."""
        raise NotImplementedError

    # ---- parameters and input ------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_name("init", self.init, INITS)
        check_number("max_iter", self.max_iter, 1, whole=True)
        check_number("n_iter_no_change", self.n_iter_no_change, 1, whole=True)
        check_number("verbose", self.verbose, 0)
        if getattr(self, "tol", None) is not None:
            check_number("tol", self.tol, 0)
        for name, value in self.get_params(deep=False).items():
            if isinstance(type(self).__dataclass_fields__[name].default, bool) and not isinstance(
                value, (bool, np.bool_)
            ):
                raise ValueError(f"{name} must be True or False, got {value!r}")
        if not (isinstance(self.validation_fraction, numbers.Real) and 0 < self.validation_fraction < 1):
            raise ValueError(f"validation_fraction must lie between 0 and 1, got {self.validation_fraction!r}")

    def _generator(self) -> np.random.Generator:
        """The one generator of a fit. A RandomState gives it its seed, so that drawing twice gives two runs."""
        seed = self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = seed.randint(np.iinfo(np.int32).max)
        try:
            return np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise ValueError(f"random_state must be None, a whole number >= 0 or a generator; got {seed!r}") from None

    def _is_plain(self, X: Any) -> bool:
        """Whether X can go to the core as it is, so that a call of one row costs microseconds."""
        learner = self.__dict__.get("_learner")
        return (
            learner is not None
            and type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype == learner.dtype
            and X.shape[1] == learner.n_features
            and X.shape[0] > 0
            and self._columns is None
        )

    def _admit(self, X: Any, dtype: Any = None) -> Any:
        """Rows that the learner takes, of numbers that were looked at."""
        return engine.admit(X, dtype, self._names())

    def _part(self, rows: Any, X: Any, which: Array) -> Any:
        """Some of the rows."""
        return self._admit(X[which], rows.dtype)

    def _rows(self, X: Any) -> Any:
        """Rows to predict."""
        if self._is_plain(X):
            return self._admit(X)
        check_is_fitted(self)
        X = self._validated(self._read(X), reset=False)
        wide = self._learner.dtype == np.float64
        return self._admit(X, np.float64 if wide else None)

    def _validated(self, X: Any, y: Any = "no_validation", *, reset: bool, **options: Any) -> Any:
        if engine.is_sparse(X):
            engine.check_sparse(X, columns=False)  # before scikit-learn converts it
        try:
            return validate_data(
                self,
                X,
                y,
                reset=reset,
                accept_sparse="csr",
                dtype=np.float32 if _is_float32_frame(X) else (np.float64, np.float32),
                order="C",
                ensure_all_finite=False,  # the core looks itself, and says where
                **options,
            )
        except (TypeError, ValueError) as error:
            raise places.located_cell(places.located(error, "y", y), X) from None

    def _sample_weights(self, sample_weight: Any, X: Any) -> Array | None:
        """Sample weights as numbers >= 0, or None where none are given."""
        if sample_weight is None:
            return None
        try:
            weight = np.asarray(sample_weight, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"sample_weight must hold numbers, got {sample_weight!r}") from None
        if weight.ndim == 0:
            weight = np.full(X.shape[0], weight)
        if weight.shape != (X.shape[0],):
            raise ValueError(f"sample_weight must hold one weight per row, shape {(X.shape[0],)}; got {weight.shape}")
        if not np.all(np.isfinite(weight)):
            raise places.located(ValueError("sample_weight must be finite"), "sample_weight", sample_weight)
        if np.any(weight < 0):
            row = int(np.flatnonzero(weight < 0)[0])
            raise ValueError(f"sample_weight must not be negative, but that of row {row} is {weight[row]:g}")
        return weight

    @contextmanager
    def _undone_on_error(self, risky: bool) -> Iterator[None]:
        """Take the state back if what is done with it fails; kept only where that is possible."""
        before = self.__dict__ | {"_learner": copy.deepcopy(self._learner)} if risky else None
        try:
            yield
        except BaseException:
            if before is not None:
                self._replace_state(before)
            raise

    # ---- a run ---------------------------------------------------------------------------------------------------

    def _start(self, learner: Learner, rng: np.random.Generator, coef: Any, intercept: Any) -> None:
        """Where the weights begin: at those given, at those of the last run (warm start), at random, or at zero."""
        shape = (learner.n_vectors, learner.n_features)
        earlier = self.__dict__.get("_learner") if self.warm_start else None
        if earlier is not None and (earlier.n_vectors, earlier.n_features) != shape:
            raise ValueError(
                f"warm_start=True goes on from {earlier.n_vectors} × {earlier.n_features} weights, but this data needs "
                f"{shape[0]} × {shape[1]}; fit it with warm_start=False"
            )
        if coef is None and intercept is None and earlier is None and self.init == "zeros":
            return
        if coef is None and intercept is None and earlier is not None:
            learner.begin_at(earlier)
            return
        memory.check(8 * shape[0] * shape[1], f"{shape[0]:,} × {shape[1]:,} starting weights", "start from zero")
        w, b = np.zeros(shape), np.zeros(shape[0])
        if earlier is not None:
            w, b = by_vector(earlier, "last")
        elif self.init == "random":
            w = rng.standard_normal(shape)
            b = rng.standard_normal(shape[0]) if self.fit_intercept else b
        if coef is not None:
            w = _start_of("coef_init", coef, shape)
        if intercept is not None:
            b = _start_of("intercept_init", intercept, shape[:1])
        learner.begin(w, b)

    @reads
    def _prepare(
        self, X: Any, y: Any, coef_init: Any, intercept_init: Any, sample_weight: Any
    ) -> tuple[LinearEstimator, Run]:
        """A copy to be fitted, and its run made ready: all that ``fit`` does before the first step."""
        fitted = self._blank()
        learner = fitted._new_learner()
        X, rows, targets, weight, classes = fitted._task(learner, X, y, sample_weight)
        rng = fitted._generator()
        fitted._start(learner, rng, coef_init, intercept_init)
        tol, shuffle = getattr(self, "tol", None), getattr(self, "shuffle", False)
        run = Run(learner, X, rows, targets, weight, classes, fitted._names(), rng, self.max_iter, tol, shuffle)
        return fitted, run

    def _blank(self) -> LinearEstimator:
        """A copy to be fitted, without what an earlier fit or a file has left but the weights."""
        fitted = self._shell()
        for name in ("_columns", "_extras", "_text"):
            fitted.__dict__.pop(name, None)
        return fitted

    def _run(self, run: Run) -> None:
        learner, X, rows, targets, weight, rng = run.learner, run.X, run.rows, run.targets, run.weight, run.rng
        held_out = None
        if self.early_stopping:
            from sklearn.model_selection import train_test_split

            present = np.arange(rows.n_rows) if weight is None else np.flatnonzero(weight > 0)
            train, test = train_test_split(
                present,
                test_size=self.validation_fraction,
                random_state=int(rng.integers(2**31)),
                stratify=None if run.classes is None else targets[present],
            )
            train.sort()
            held_out = self._part(rows, X, test), targets[test]
            rows, targets = self._part(rows, X, train), targets[train]
            weight = None if weight is None else weight[train]
        learner.fit(
            rows,
            targets,
            weight,
            max_iter=run.max_iter,
            tol=run.tol,
            shuffle=run.shuffle,
            rng=rng,
            held_out=held_out,
            n_iter_no_change=self.n_iter_no_change,
            progress=progress.printer(self.verbose),
            name=type(self).__name__,
            warning=self._undecided,
        )
        self._learner = learner
        if self.verbose:
            ending = "ended" if learner.verdict is None else learner.verdict
            print(f"{ending} after {learner.n_iter} passes, {learner.n_updates:,} updates")

    def _open_stream(self) -> None:
        """Begin with no features at all: names bring them."""
        if self.init == "random":
            raise ValueError("learn_one starts from zero weights: under init='random' a new name would have no start")
        learner = self._new_learner()
        learner.allocate(0, 0, np.float64)
        self._learner, self._columns = learner, {}

    def _become(self, fitted: LinearEstimator) -> None:
        """Take over what a copy was fitted to."""
        self._replace_state(fitted.__dict__)

    def _publish(self, fitted: LinearEstimator) -> None:
        """Take over what a copy was fitted to, once nobody reads or learns."""
        self._lock.write(self._become, fitted)


def _is_float32_frame(X: Any) -> bool:
    """Whether X is a frame of float32 that scikit-learn, which knows pandas alone, would widen."""
    return hasattr(X, "columns") and not hasattr(X, "iloc") and np.asarray(X[:1]).dtype == np.float32


def by_vector(learner: Learner, readout: str | None = None) -> tuple[Array, Array]:
    """(n_vectors, n_features) weights and (n_vectors,) biases, as copies."""
    k, weights, features = learner.n_vectors, learner.stored(readout), learner.features()
    if features is None:
        coef = np.array(weights[1:, :k].T, order="C")
    else:
        coef = learner.zeros_by_vector()
        there = features < learner.n_features
        coef[:, features[there]] = learner.in_order(weights)[1:, :k][there].T
    return coef, weights[0, :k].copy()


def _start_of(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, got {value!r}") from None
    if array.size != np.prod(shape) or (len(shape) == 2 and shape[0] > 1 and array.shape != shape):
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} contains NaN or infinity; give finite starting weights")
    return array.reshape(shape)


def refuse_no_weight(weight: Array | None) -> None:
    """Refuse weights that leave nothing to learn from."""
    if weight is not None and not np.any(weight > 0):
        raise ValueError("sample_weight and class_weight leave no row to learn from: all weights are zero")


def check_number(name: str, value: Any, low: float, whole: bool = False) -> None:
    """Refuse what is not a number of at least ``low``."""
    kind: Any = numbers.Integral if whole else numbers.Real
    if not isinstance(value, kind) or (isinstance(value, bool) and whole) or not value >= low:
        raise ValueError(f"{name} must be a {'whole ' if whole else ''}number >= {low}, got {value!r}")
