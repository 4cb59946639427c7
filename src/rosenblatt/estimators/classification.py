"""What every classifier shares: labels, learning from tables, streams and single examples, predicting, the verdict."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets

from ..core import engine, labels
from ..core.learner import learn_labels
from ..core.verdicts import SEPARATED
from .arguments import documented
from .contract import Examples, LinearEstimator, refuse_no_weight
from .locking import reads, writes

Array = NDArray[Any]


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """Everything a linear classifier of the family can do. Subclasses name a rule and a readout."""

    class_weight: Any

    #: Whether the definition misses a score that scikit-learn's checks ask for. One of them wants 87 % of noisy rows
    #: given to a class of weight 1000 against 0.0001. The perceptron's last weights give it 86 % (the pocket, which
    #: counts rows and not weights, 60 %), and MIRA without C 50 %: there a weight only selects.
    _poor_score: ClassVar[bool] = False

    # ---- learning ------------------------------------------------------------------------------------------------

    def _examples(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        X, y = self._validated(X, y, reset=True)
        rows = self._admit(X)
        check_labels(y)
        weight = self._weights(sample_weight, X, y, stream=False)
        refuse_no_weight(weight)
        classes = labels.classes_of(y if weight is None else y[weight > 0])
        if len(classes) < 2:
            raise ValueError(
                f"y holds only one class, {classes.tolist()[0]!r}, among the rows that have weight; fit needs two "
                "classes at least (partial_fit takes a stream that holds one class so far)"
            )
        return X, rows, labels.encode(y, classes), weight, classes

    @writes
    @documented
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> LinearClassifier:
        """Learn from the next rows of a stream, in the order given; all calls together are one pass.

        The same rows give the same weights in any chunks. Classes may appear at any time. The rule, the readout and the
        tie convention are those with which the stream began: ``set_params`` takes effect at the next ``fit``.

        Parameters
        ----------
        {X}
        {labels}
        classes : array, default=None
            Labels known in advance; not needed.
        {sample_weight}

        Returns
        -------
        {further}
        """
        if sample_weight is None and self.class_weight is None and self._is_plain(X) and self._are_known(classes):
            one = np.asarray(y)
            if one.shape == (1,) and len(X) == 1:
                code = self._code_of(one[0])
                if code >= 0:
                    self._learner.partial_fit(self._admit(X), code, None, (0, 1))
                    return self
        stream = self if "_learner" in self.__dict__ else self._shell()
        with stream._read_to_learn(X, y) as rows:
            stream._partial_fit(rows, y, classes, sample_weight)
        if stream is not self and len(stream.classes_):  # rows without weight are not there at all
            self._become(stream)
        return self

    def _are_known(self, classes: Any) -> bool:
        """Whether these are the classes that the stream has, so that there is nothing to do about them."""
        if classes is None:
            return True
        try:
            names = classes.tolist() if isinstance(classes, np.ndarray) else classes
            return isinstance(names, (list, tuple)) and set(names) == self._code.keys()
        except TypeError:  # they cannot be hashed: whoever looks at them closely refuses them
            return False

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        fresh = "_learner" not in self.__dict__
        spec = self.spec() if fresh else None
        learner = self._learner if spec is None else spec.learner()
        learner.n_threads = self._n_threads()
        X, y = self._validated(X, y, reset=fresh)
        rows = self._admit(X, None if fresh else learner.dtype)
        check_labels(y)
        known = y[:0] if fresh else self.classes_
        announced = known if classes is None else labels.distinct(np.asarray(classes))
        if classes is not None and np.any(labels.encode(y, announced) < 0):
            row = int(np.flatnonzero(labels.encode(y, announced) < 0)[0])
            raise ValueError(f"y[{row}] is {y.tolist()[row]!r}, which is not among classes={announced.tolist()}")
        weight = self._weights(sample_weight, X, y, stream=True)
        met = y if weight is None else y[weight > 0]
        ahead = labels.extend(labels.extend(known, announced), met)  # refuses a mixture of types
        if spec is not None:
            known = labels.extend(known, announced)
            learner.allocate(rows.n_features, len(known), rows.dtype)
            spec.begin(learner, spec.generator())
            self._learner = learner
            self._know(known)
        with self._undone_on_error(len(ahead) > len(known) or learner.may_overflow(rows, weight)):
            for label in announced[labels.encode(announced, known) < 0]:
                self._add_class(label)
            self._learn_rows(rows, y, weight)

    def _n_threads(self) -> int:
        """One for some of the classes each, where they learn one against the rest."""
        return engine.threads_for(self.n_jobs) if self.multiclass == "ovr" else 1

    def _weights(self, sample_weight: Any, X: Any, y: Array, stream: bool) -> Array | None:
        """Sample weight × class weight, or None where none are given."""
        weight = self._sample_weights(sample_weight, X)
        if self.class_weight is None:
            return weight
        met = y if weight is None else y[weight > 0]
        classes = labels.classes_of(met)
        counts = np.bincount(labels.encode(met, classes), minlength=len(classes))
        occurring = classes if weight is None or stream else labels.classes_of(y)
        by_class = labels.class_weights(self.class_weight, classes, counts, stream=stream, occurring=occurring)
        by_row: Array = by_class[labels.encode(y, classes)]
        return by_row if weight is None else weight * by_row

    def _learn_rows(self, rows: engine.Rows, y: Array, weight: Array | None) -> None:
        classes = learn_labels(self._learner, rows, y, weight, self.classes_)
        if len(classes) > len(self.classes_):
            self._know(classes)

    def _add_class(self, label: Any) -> None:
        classes, code = labels.insert(self.classes_, label)
        self._learner.add_class(code)
        self._know(classes)

    def _know(self, classes: Array) -> None:
        self.classes_ = classes
        self._labels = classes.tolist()
        self._code = {label: code for code, label in enumerate(self._labels)}

    def _code_of(self, label: Any) -> int:
        """Code of one label, −1 if it is new."""
        try:
            code = self._code.get(label, -1)
            return self._code.get(label.item(), -1) if code < 0 and isinstance(label, np.generic) else code
        except TypeError:  # cannot be hashed: whoever adds it as a class refuses it
            return -1

    @documented
    def learn_one(self, x: dict[Any, float], y: Any, sample_weight: float = 1.0) -> LinearClassifier:
        """Learn from one example of named features; new names and new labels included.

        Parameters
        ----------
        {x}
        y : label
            Its label.
        {one_weight}

        Returns
        -------
        {further}
        """
        lock = self._lock
        if lock.readers or lock.mutex._is_owned():
            lock.write(self._learn_one, x, y, sample_weight)
            return self
        with lock.mutex:
            if lock.readers:  # meanwhile
                lock.without_readers(self._learn_one, x, y, sample_weight)
            else:
                self._learn_one(x, y, sample_weight)
        return self

    def _learn_one(self, x: dict[Any, float], y: Any, sample_weight: float) -> None:
        if self._encoding is not None:
            with self._read_to_learn([x], [y]) as rows:
                self._partial_fit(rows, [y], None, sample_weight)
            return
        if type(x) is not dict or self._columns is None or sample_weight != 1.0:
            self._check_named(x, sample_weight)
        learner = self.__dict__.get("_learner")
        if learner is None:
            if sample_weight != 0:
                stream = self._shell()
                stream._open_stream()
                stream._know(labels.alone(y)[:0])
                stream._learn_one(x, y, sample_weight)
                self._become(stream)
            return
        if self.class_weight is not None:
            sample_weight *= float(labels.class_weights(self.class_weight, labels.alone(y), stream=True)[0])
        if sample_weight == 0:
            return
        code = self._code_of(y)
        if code >= 0:
            learner.learn_one(x, self._columns, code, sample_weight)
            return
        learner.scores_one(x, self._columns)  # refuses a bad row before the class is added
        with self._undone_on_error(risky=True):
            self._add_class(y)
            learner.learn_one(x, self._columns, self._code_of(y), sample_weight)

    # ---- predicting ----------------------------------------------------------------------------------------------

    @reads
    @documented
    def decision_function(self, X: Any) -> Array:
        """Scores of the readout: (n_samples,) with two classes, > 0 for ``classes_[1]``; else (n_samples, n_classes).

        Parameters
        ----------
        {rows}

        Returns
        -------
        ndarray
            The scores.
        """
        return self._for_each_part(X, lambda rows: self._learner.scores(rows))

    def _named(self, predicted: Array) -> Array:
        return self.classes_[predicted]

    @documented
    def predict_one(self, x: dict[Any, float]) -> Any:
        """The label of one example of named features; names never met count as absent.

        Parameters
        ----------
        {x}

        Returns
        -------
        label
            The predicted label.
        """
        lock = self._lock
        if lock.readers:
            return lock.look(self._predict_one, x)
        with lock.mutex:
            return self._predict_one(x)

    def _predict_one(self, x: dict[Any, float]) -> Any:
        learner = self._fitted if "_learner" not in self.__dict__ else self._learner
        if self._encoding is not None:
            return self._labels[learner.predict(self._rows([x]))[0]]
        if type(x) is not dict or self._columns is None:
            self._check_named(x)
        return self._labels[learner.predict_one(x, self._columns)]

    # ---- fitted attributes ---------------------------------------------------------------------------------------

    @property
    @reads
    def mistakes_(self) -> Array:
        """Mistakes in each pass; all calls of a stream together are one."""
        return np.array(self._fitted.mistakes)

    @property
    @reads
    def verdict_(self) -> str:
        """Why the run ended: "separated", "no margin" or "stopped"."""
        return str(self._fitted.verdict)

    @property
    @reads
    def converged_(self) -> bool:
        """Whether the verdict is "separated"."""
        return self._fitted.verdict == SEPARATED

    @property
    @reads
    def margin_bounds_(self) -> tuple[float, float]:
        """Bounds on the best possible margin of the training set."""
        return self._fitted.margin_bounds

    @property
    @reads
    def equal_rows_(self) -> tuple[int, int] | None:
        """Two equal rows of X with different labels, if they are what proves "no margin"."""
        return self._fitted.evidence.equal_rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._poor_score
        return tags


def check_labels(y: Array) -> None:
    """Refuse targets that are not labels: of mixed types, or numbers of a regression."""
    if y.dtype == object:
        labels.distinct(y)
    if y.dtype.kind not in "biuUS":  # whole numbers and text are labels as they are, and need no look
        check_classification_targets(y)
