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
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core import engine, progress
from ..core.learner import Learner
from ..core.run import Run
from ..core.spec import ALGORITHMS, Spec, by_vector
from ..errors import DataError
from . import places
from .arguments import documented
from .locking import Locked, reads

Array = NDArray[Any]
Own = TypeVar("Own", bound="LinearEstimator")

#: What there is to learn from: X, its rows, targets (codes of the classes, or numbers), weights, classes (or None).
Examples = tuple[Any, engine.Rows, Array, Array | None, Array | None]


def is_read_from_files(X: Any) -> bool:
    """Whether X is what `rb.data.read` returns; what was never imported has returned nothing."""
    reading = sys.modules.get("rosenblatt.data.reading")
    return reading is not None and isinstance(X, reading.Data)


#: So many rows of a table are encoded at a time to predict them.
PART = 1 << 15

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
    _encoding: Any = None  # what makes rows of what they hold: columns of a table, or text

    _learns_in: ClassVar[tuple[str, ...]] = ("_learner", "_columns", "_encoding", "random_state")

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
        if self._encoding is None or self._encoding.text is None:
            raise AttributeError("text_ is there in a model that reads text alone, saved by est.save(path, text=…)")
        return self._encoding.text

    @property
    def encoder_(self) -> Any:
        """What makes rows of the columns of a table, an `rb.data.Encoder`, in a model trained by the command line."""
        if self._encoding is None or self._encoding.features is None or self._encoding.features.encoder is None:
            raise AttributeError("encoder_ is there in a model that was trained on a table by the command line")
        return self._encoding.encoder

    def _read(self, X: Any) -> Any:
        """X as rows, where the model knows what it was trained on."""
        return X if self._encoding is None else self._encoding.rows(X)

    @contextmanager
    def _read_to_learn(self, X: Any, y: Any) -> Iterator[Any]:
        """X, labelled y, as rows; what makes them has counted them once they are learned from without an error."""
        if self._encoding is None:
            yield X
            return
        encoding, rows = self._encoding.learn_rows(X, y)
        yield rows
        self._encoding = encoding

    def _take_sections(self, extras: Any) -> None:
        """Keep sections of a model file; where columns have names of their own, they need no other encoding."""
        if not extras:
            return
        from ..data.features import SECTION
        from .encodings import encoding_of

        encoding = encoding_of(extras, self._fitted.n_features)
        if self._columns is None:
            self._extras, self._encoding = extras, encoding
        else:
            self._extras = {name: section for name, section in extras.items() if name != SECTION}

    @reads
    def save(self, path: str | os.PathLike[str], text: Any = None, *, mappable: bool = False) -> None:
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
        mappable : bool, default=False
            Write the weights as they stand in memory, averaged ones too, so that ``rb.load(path, mmap_mode="r")`` can
            map them. Such a file is larger. Kernel models are refused, and linear ones that keep very many classes in
            lists.
        """
        from .files import save

        save(self, path, text, mappable)

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in self.__dict__


#: An estimator's parameters are the fields of a dataclass: the constructor only stores them.
parameters = dataclass(kw_only=True, eq=False, repr=False)


class LinearEstimator(FittedState):
    """A learner with scikit-learn's face. Subclasses are ``published``, with the parameters of ``core.spec``."""

    init: str
    random_state: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    warm_start: bool
    verbose: int

    #: The algorithm that it is, whatever a subclass is called.
    _algorithm: ClassVar[str]
    #: Checks of scikit-learn's contract that cannot hold, with the reason.
    _contract_exceptions: ClassVar[dict[str, str]] = ONLINE_EXCEPTIONS
    #: The warning of a run that ended undecided.
    undecided_warning: ClassVar[type[Warning]] = ConvergenceWarning

    # ---- the learner that the parameters stand for ---------------------------------------------------------------

    def spec(self) -> Spec:
        """The learner that the parameters stand for: rule, readout, space, and how its run goes.

        Returns
        -------
        Spec
            Checked: parameters that make no learner are refused.
        """
        defaults = ALGORITHMS[self._algorithm].defaults
        return Spec.of(self._algorithm, {name: getattr(self, name) for name in defaults})

    def _examples(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        """Read and check what there is to learn from."""
        raise NotImplementedError

    # ---- input ---------------------------------------------------------------------------------------------------

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
            and self._encoding is None
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
        return self._encoded_rows(self._read(X))

    def _encoded_rows(self, X: Any) -> Any:
        wide = self._learner.dtype == np.float64
        return self._admit(self._validated(X, reset=False), np.float64 if wide else None)

    def _for_each_part(self, X: Any, answer: Callable[[Any], Array]) -> Array:
        """The answers to rows, which are those to all of X, part by part where it has to be encoded."""
        encoding = self._encoding
        if "_learner" in self.__dict__ and is_read_from_files(X):
            from .encodings import rows_of_files

            X = rows_of_files(X, self._learner, self._names(), encoding, self._extras)
        if encoding is None or "_learner" not in self.__dict__:
            return answer(self._rows(X))
        most = PART if self._learner.space == "linear" else None  # products of a kernel round by block
        parts = [answer(self._encoded_rows(part)) for part in encoding.parts(X, most)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

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
            if not reset and engine.is_sparse(X) and X.shape[1] != self.n_features_in_:
                raise places.other_width(self, X.shape[1], learning=not isinstance(y, str)) from None
            raise places.not_finite("y", y) or places.not_a_number(error, X) from None

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
            raise places.not_finite("sample_weight", sample_weight) or DataError("sample_weight must be finite")
        if np.any(weight < 0):
            row = int(np.flatnonzero(weight < 0)[0])
            raise DataError(f"sample_weight must not be negative, but is {weight[row]:g}", row=row)
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

    @documented
    def fit(
        self: Own, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Own:
        """Learn from X and y: pass over them until the verdict, or ``max_iter`` times.

        Parameters
        ----------
        {X}
        y : array of shape (n_samples,)
            Their labels, of two classes at least; of a regressor their targets.
        coef_init : array of the shape of ``coef_``, default=None
            Weights to start from.
        intercept_init : array of the shape of ``intercept_``, default=None
            Biases to start from.
        {sample_weight}

        Returns
        -------
        {fitted}
        """
        self._fit(X, y, coef_init, intercept_init, sample_weight)
        return self

    @reads
    @documented
    def predict(self, X: Any) -> Array:
        """The label of each row; of a regressor the predicted number.

        Parameters
        ----------
        {rows}

        Returns
        -------
        ndarray of shape (n_samples,)
            The labels or numbers.
        """
        return self._named(self._for_each_part(X, lambda rows: self._learner.predict(rows)))

    def _named(self, predicted: Array) -> Array:
        """What the learner predicts, as the user knows it: labels for codes."""
        return predicted

    @reads
    def prepare(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Run:
        """All that ``fit`` does before the first step: everything read and checked, nothing learned.

        Parameters
        ----------
        X, y, coef_init, intercept_init, sample_weight : array-like
            What ``fit`` takes.

        Returns
        -------
        Run
            The learner at its starting weights, with its rows; ``rb.trace`` shows it step by step.
        """
        return self._blank()._prepare(X, y, coef_init, intercept_init, sample_weight)

    def _prepare(self, X: Any, y: Any, coef_init: Any, intercept_init: Any, sample_weight: Any) -> Run:
        spec = self.spec()
        learner = spec.learner()
        learner.n_threads = self._n_threads()
        X, rows, targets, weight, classes = self._examples(X, y, sample_weight)
        rng, n_classes = spec.generator(), 0 if classes is None else len(classes)
        start = spec.start(
            learner, rows, n_classes, rng, weight, coef=coef_init, intercept=intercept_init,
            earlier=self.earlier(classes),
        )  # fmt: skip
        return Run(spec, learner, X, rows, targets, weight, classes, self._names(), rng, start)

    def _n_threads(self) -> int:
        """How many threads may learn."""
        return 1

    def earlier(self, classes: Array | None) -> Learner | None:
        """The learner of the last run, which ``warm_start=True`` goes on from; it must have the same classes.

        Parameters
        ----------
        classes : array or None
            The labels of the run that is about to begin; None: a regression.

        Returns
        -------
        Learner or None
            None: the run starts anew.
        """
        if not self.warm_start or "_learner" not in self.__dict__:
            return None
        if classes is not None and self.classes_.tolist() != classes.tolist():
            raise ValueError(
                f"warm_start=True goes on with the classes {self.classes_.tolist()}, but y holds {classes.tolist()}; "
                "fit it with warm_start=False"
            )
        return self._learner

    def _blank(self) -> LinearEstimator:
        """A copy to be fitted, without what an earlier fit or a file has left but the weights."""
        fitted = self._shell()
        for name in ("_columns", "_extras", "_encoding"):
            fitted.__dict__.pop(name, None)
        return fitted

    def _fit(self, X: Any, y: Any, coef_init: Any, intercept_init: Any, sample_weight: Any) -> None:
        """Learn on a copy, and take over what it has learned."""
        fitted = self._lock.read(self._blank)
        run = fitted._prepare(X, y, coef_init, intercept_init, sample_weight)
        held_out = numbers = None
        if self.early_stopping:
            run, held_out, numbers = fitted._split(run)
        learner = run.fit(
            held_out=held_out, n_iter_no_change=self.n_iter_no_change, progress=progress.printer(self.verbose),
            name=type(self).__name__, warning=self.undecided_warning,
        )  # fmt: skip
        if numbers is not None:
            learner.evidence.number_rows(numbers)
        if self.verbose:
            ending = "ended" if learner.verdict is None else learner.verdict
            print(f"{ending} after {learner.n_iter} passes, {learner.n_updates:,} updates")
        self.adopt(learner, run.classes, run.names)

    def _split(self, run: Run) -> tuple[Run, tuple[Any, Array], Array]:
        """The run without the part that is held out, that part, and the numbers of the rows that are left."""
        from sklearn.model_selection import train_test_split

        rows, targets, weight = run.rows, run.targets, run.weight
        train, test = train_test_split(
            np.arange(rows.n_rows) if weight is None else np.flatnonzero(weight > 0),
            test_size=self.validation_fraction,
            random_state=int(run.rng.integers(2**31)),
            stratify=None if run.classes is None else targets if weight is None else targets[weight > 0],
        )
        train.sort()
        kept = replace(
            run, rows=self._part(rows, run.X, train), targets=targets[train],
            weight=None if weight is None else weight[train],
        )  # fmt: skip
        return kept, (self._part(rows, run.X, test), targets[test]), train

    def adopt(
        self,
        learner: Learner,
        classes: Array | None = None,
        names: Sequence[Any] | None = None,
        extras: Any = None,
        **attributes: Any,
    ) -> None:
        """Be what a run elsewhere has come to, as if this estimator had been fitted.

        Parameters
        ----------
        learner : Learner
            What was learned.
        classes : array or None
            The labels that its codes stand for; None: a regression.
        names : sequence or None
            Of the columns, where they have names.
        extras : dict or None
            Sections of a model file that say how its rows are made.
        **attributes : any
            More fitted attributes, by their names.
        """
        fitted = self._lock.read(self._blank)
        fitted.__dict__.update(attributes)
        fitted._learner = learner
        if names is not None:
            fitted._columns = {name: column for column, name in enumerate(names)}
        if classes is not None:
            fitted._know(classes)
        if extras:
            fitted._take_sections(extras)
        self._lock.write(self._become, fitted)

    def _know(self, classes: Array) -> None:
        """Keep the labels; there are none in a regression."""

    def _open_stream(self) -> None:
        """Begin with no features at all: names bring them."""
        if self.init == "random":
            raise ValueError("learn_one starts from zero weights: under init='random' a new name would have no start")
        learner = self.spec().learner()
        learner.allocate(0, 0, np.float64)
        self._learner, self._columns = learner, {}

    def _become(self, fitted: LinearEstimator) -> None:
        """Take over what a copy was fitted to."""
        self._replace_state(fitted.__dict__)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _is_float32_frame(X: Any) -> bool:
    """Whether X is a frame of float32 that scikit-learn, which knows pandas alone, would widen."""
    return hasattr(X, "columns") and not hasattr(X, "iloc") and np.asarray(X[:1]).dtype == np.float32


def refuse_no_weight(weight: Array | None) -> None:
    """Refuse weights that leave nothing to learn from."""
    if weight is not None and not np.any(weight > 0):
        raise ValueError("sample_weight and class_weight leave no row to learn from: all weights are zero")
