"""The learner: weights, counts and bounds of one run, the loop over passes, and the readouts. It needs NumPy alone.

Labels are codes here: 0 and 1 for two classes (1 is y = +1), 0 … k − 1 for more, numbers for a regression. The
estimators put scikit-learn's contract over it.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import engine, rules
from .convergence import (
    NO_MARGIN,
    ON_THE_BOUNDARY,
    SEPARATED,
    STOPPED,
    ConvergenceWarning,
    Evidence,
    undecided,
)

Array = NDArray[Any]

#: Places in the tally that a run keeps. Before them stand Σ τ and the smallest margin of each vector.
GROWTH, ROOM, VISITED, MISTAKES, UPDATES, RUN, BEST, ERRORS, CURRENT = range(-9, 0)

READOUTS = ("last", "averaged", "pocket")
TIES = ("mistake", "predict")
INITS = ("zeros", "random")


class Pass(NamedTuple):
    """What is told of a pass while the run goes on."""

    number: int
    mistakes: int
    updates: int
    evidence: Evidence
    held_out: float | None


def check_name(what: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse a name that is not one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, allowed))}; got {value!r}")


class Learner:
    """A mistake-driven learner: a rule, a readout, and linear weights.

    Parameters
    ----------
    rule : Rule
        How far to move (``rosenblatt.rules``).
    readout : {"last", "averaged", "pocket"}
        Which weights are the model.
    ties : {"mistake", "predict"}
        Whether a score of exactly 0 is a mistake for either class, or whatever ``predict`` says.
    multiclass : {"max", "uniform", "proportional", "ovr"}
        Who loses what the right class gains when there are more than two.
    fit_intercept : bool
        Learn the weight of a constant feature 1.
    ratchet : bool
        The pocket is replaced only by weights that make strictly fewer mistakes on the training set.
    batch : bool
        One step per pass: the sum of the steps of all rows, each judged by the weights at the start of the pass.
    epsilon : float or None
        A regression with this half-width of the zone that counts as right; None: a classifier.
    """

    def __init__(
        self,
        rule: rules.Rule,
        *,
        readout: str = "last",
        ties: str = "mistake",
        multiclass: str = "max",
        fit_intercept: bool = True,
        ratchet: bool = False,
        batch: bool = False,
        epsilon: float | None = None,
    ) -> None:
        check_name("readout", readout, READOUTS)
        check_name("ties", ties, TIES)
        check_name("multiclass", multiclass, rules.SHARES)
        if multiclass not in rule.shares:
            raise ValueError(
                f"multiclass={multiclass!r} does not go with {type(rule).__name__}, whose step fixes who moves; "
                f"use {' or '.join(map(repr, rule.shares))}"
            )
        if batch and readout != "last":
            raise ValueError(
                f"the batch learner takes one step per pass and has the readout 'last' only, not {readout!r}"
            )
        if epsilon is not None and readout == "pocket":
            raise ValueError("a regression makes no mistakes to count: the readout 'pocket' is for classifiers")
        self.rule, self.readout, self.ties, self.multiclass = rule, readout, ties, multiclass
        self.fit_intercept, self.ratchet, self.batch, self.epsilon = bool(fit_intercept), ratchet, batch, epsilon
        self.n_classes = 0
        self.n_features = 0
        self.dtype = np.dtype(np.float64)
        self.passes: list[int] = []  # mistakes of each finished pass
        self.held_out_scores: list[float] = []
        self.n_iter = 0
        self.streaming = False  # a pass is under way that goes on with each call
        self.tally = np.zeros(9)
        self.verdict: str | None = None if epsilon is not None else STOPPED

    # ---- the weights ---------------------------------------------------------------------------------------------

    @property
    def n_vectors(self) -> int:
        return self.n_classes if self.n_classes > 2 and self.epsilon is None else 1

    @property
    def form(self) -> str:
        if self.epsilon is not None:
            return "regression"
        if self.n_vectors == 1:
            return "binary"
        return "ovr" if self.multiclass == "ovr" else "multiclass"

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """Zero weights for this many features and classes."""
        self.n_features, self.n_classes, self.dtype = n_features, n_classes, np.dtype(dtype)
        self.weights = engine.zeros(1 + n_features, engine.stride_of(self.n_vectors), dtype)
        self.total = np.zeros(self.weights.shape) if self.readout == "averaged" else None
        self.pocket = np.zeros_like(self.weights) if self.readout == "pocket" else None
        self.start: Array | None = None  # W₀; None: zero
        self.tally = np.zeros(2 * self.n_vectors + 9)
        self.tally[CURRENT] = 1
        self.evidence = Evidence()
        self._make_room()
        self._arrange()

    def _make_room(self) -> None:
        """Let ‖W‖² grow to a size below which no score and no weight can overflow."""
        self.tally[ROOM] = float(np.finfo(self.dtype).max) / 16 - self.evidence.base2

    def _arrange(self) -> None:
        """What follows from the shape of the weights, kept ready for calls of one row."""
        self._model = self._model_of(self.weights)
        self._native_rule = self.rule.native(self.multiclass)
        self._read: Array | None = None
        self._one_example = [(code, None, None) for code in range(self.n_classes)]
        self._swift = self.pocket is None and not self.batch and self.epsilon is None
        self._capacity = len(self.weights) - 1

    def __getstate__(self) -> dict[str, Any]:
        ready = ("_model", "_native_rule", "_read", "_capacity", "_one_example", "_swift")
        return {name: value for name, value in self.__dict__.items() if name not in ready}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._arrange()
        self._frozen = not self.tally.flags.writeable  # loaded as a memory map
        self._swift = self._swift and not self._frozen

    _frozen = False

    def _thaw(self) -> None:
        """Own copies of arrays that are mapped from a file, to learn on."""
        for name in (*self._arrays(), "tally"):
            setattr(self, name, getattr(self, name).copy())
        self._frozen = False
        self._arrange()

    def _model_of(self, weights: Array, gradient: Array | None = None, still: bool = False) -> engine.Model:
        total = None if still else self.total
        ties = self.ties == "mistake"
        return (self.form, weights, self.n_vectors, self.fit_intercept, ties, total, gradient, self.epsilon or 0.0)

    @property
    def slots(self) -> int:
        """How many margins there are: one, or one per class against the rest."""
        return self.n_vectors if self.form == "ovr" else 1

    @property
    def tau(self) -> Array:
        """Σ τ, what the right class gained: one number, or one per class against the rest."""
        return self.tally[: self.slots]

    @property
    def least(self) -> Array:
        """The smallest margin of the last pass: one number, or one per class against the rest."""
        return self.tally[self.n_vectors :][: self.slots]

    @property
    def visited(self) -> int:
        """Examples visited, over all passes."""
        return int(self.tally[VISITED])

    @property
    def n_updates(self) -> int:
        """Updates made, over all passes."""
        return int(self.tally[UPDATES])

    @property
    def mistakes(self) -> list[int]:
        """Mistakes in each pass; all calls of a stream together are one."""
        return [*self.passes, int(self.tally[MISTAKES])] if self.streaming else self.passes

    @property
    def active(self) -> Array:
        """The weights in use: row 0 the biases, then one row per feature; one column per vector, and padding."""
        return self.weights[: 1 + self.n_features]

    def begin(self, coef: Array, intercept: Array) -> None:
        """Start from given weights, (n_vectors, n_features) and (n_vectors,), instead of zero."""
        k = self.n_vectors
        self.weights[1 : 1 + self.n_features, :k] = np.asarray(coef).T
        self.weights[0, :k] = intercept if self.fit_intercept else 0
        self.weights += 0.0  # −0 would add up differently
        self.start = self.weights.copy()
        if self.pocket is not None:
            self.pocket[:] = self.weights
        self._look()

    def _arrays(self) -> list[str]:
        return [name for name in ("weights", "total", "pocket", "start") if getattr(self, name) is not None]

    def reserve(self, n_features: int) -> None:
        """Room for this many features, at least doubling what there was."""
        capacity = self._capacity
        if n_features <= capacity:
            return
        for name in self._arrays():
            old = getattr(self, name)
            new = engine.zeros(1 + max(n_features, 2 * capacity, 64), old.shape[1], old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)
        self._arrange()

    def add_class(self, code: int) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one."""
        before = self.n_classes
        if before == 1 and code == 0:  # the class known so far was y = −1 and is now y = +1
            for name in self._arrays():
                np.negative(getattr(self, name), out=getattr(self, name))
                getattr(self, name)[...] += 0.0
        self.n_classes += 1
        if self.n_classes > 2:
            share = 1.0 if self.multiclass == "ovr" else self.rule.class_share
            kept = [c for c in range(self.n_classes) if c != code]
            for name in self._arrays():
                old = getattr(self, name)
                new = engine.zeros(len(old), engine.stride_of(self.n_vectors), old.dtype)
                new[:, kept] = old * (-share, share) if before == 2 else old[:, :before]
                new += 0.0  # −0 would add up differently
                setattr(self, name, new)
            tau = self.tally[: before if before > 2 else 1]
            counts = self.tally[GROWTH:]
            self.tally = np.concatenate((np.zeros(2 * self.n_vectors), counts))
            if self.form == "ovr":
                self.tally[kept] = tau
            else:
                self.tally[0] = tau[0] * (share if before == 2 else 1.0)
            grown = 2 * share**2 if before == 2 else 1.0  # ‖(−w, w)‖² = 2‖w‖²
            self.tally[GROWTH] *= grown
            evidence = self.evidence
            self.evidence = Evidence(peak2=evidence.peak2 * grown, base2=evidence.base2 * grown)
            self._make_room()
        self._arrange()

    # ---- learning ------------------------------------------------------------------------------------------------

    def fit(
        self,
        rows: engine.Rows,
        targets: Array,
        weight: Array | None = None,
        *,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        shuffle: bool = True,
        rng: np.random.Generator | None = None,
        held_out: tuple[engine.Rows, Array] | None = None,
        n_iter_no_change: int = 5,
        progress: Callable[[Pass], None] | None = None,
        name: str = "The learner",
        warning: type[Warning] = ConvergenceWarning,
    ) -> None:
        """Pass over the rows until they are separated, no margin above ``tol`` is left, or ``max_iter`` is reached."""
        natural = None if weight is None or np.all(weight > 0) else np.flatnonzero(weight > 0).astype(np.int32)
        visits = rows.n_rows if natural is None else len(natural)
        rng = rng or np.random.default_rng()
        scale: float | None = None
        if self.pocket is not None and self.ratchet:
            self.tally[ERRORS] = self._score(rows, targets, natural)
        best: Learner | None = None
        order: Array | None = None
        self.streaming = False
        for number in range(1, max_iter + 1):
            order = None  # frees the last one before the next is made
            order = natural
            if shuffle and not self.batch:
                order = np.arange(visits, dtype=np.int32) if natural is None else natural.copy()
                rng.shuffle(order)  # the same draw as rng.permutation(visits)
            self.least[:] = math.inf
            self.tally[MISTAKES], before = 0, self.n_updates
            self._pass(rows.view, targets, order, weight, ratchet=self.ratchet)
            mistakes, updates = int(self.tally[MISTAKES]), self.n_updates - before
            self.n_iter = number
            self.passes.append(mistakes)
            separated = (
                self.epsilon is None and mistakes == 0 and (updates == 0 or self._score(rows, targets, natural) == 0)
            )
            self._look()
            if separated:
                self._show()
            score = None
            if held_out is not None:
                score = self.accuracy(*held_out)
                if best is None or score > max(self.held_out_scores):
                    best = self._snapshot()
                self.held_out_scores.append(score)
            if progress is not None:
                progress(Pass(number, mistakes, updates, self.evidence, score))
            if self.epsilon is not None and updates == 0:
                break
            if separated:
                self.verdict = SEPARATED
                break
            if self.epsilon is None and tol is not None:
                scale = self.scale_of(rows, natural) if scale is None else scale
                if self.evidence.upper <= tol * scale:
                    self.verdict = NO_MARGIN
                    break
            if held_out is not None and number - int(np.argmax(self.held_out_scores)) > n_iter_no_change:
                break
        else:
            if self.epsilon is None and self._score(rows, targets, natural, stop_at_mistake=True) == 0:
                self._show()
                self.verdict = SEPARATED
            elif scale is not None and held_out is None:
                warnings.warn(undecided(name, self.evidence, max_iter, scale, tol), warning, stacklevel=5)
        if self.verdict == SEPARATED and self.evidence.lower <= 0 and tol is not None:
            warnings.warn(f"{name} {ON_THE_BOUNDARY}", warning, stacklevel=5)
        if best is not None and self.verdict != SEPARATED:
            self._restore(best)

    def partial_fit(self, rows: engine.Rows, targets: Any, weight: Array | None, span: tuple[int, int]) -> None:
        """Learn from rows ``span[0]`` to ``span[1] − 1`` in the order given; all such calls together are one pass."""
        order = None if span == (0, rows.n_rows) else np.arange(*span, dtype=np.int32)
        if weight is not None and not np.all(weight > 0):
            order = np.arange(*span, dtype=np.int32)
            order = order[weight[order] > 0]
        self._stream(rows.view, targets, order, weight)

    def may_overflow(self, rows: engine.Rows, weight: Array | None, targets: Array | None = None) -> bool:
        """Whether a step in the midst of these rows might overflow, so that it is worth keeping what was before.

        One row never needs that: a step that would overflow is not taken.
        """
        large = float(np.finfo(self.dtype).max) ** 0.125
        heaviest = 1.0 if weight is None else float(weight.max(initial=0.0))
        return rows.n_rows > 1 and (
            max(rows.largest, heaviest, getattr(self.rule, "eta0", 1.0)) > large
            or (self.rule.class_share != 1 and not self.fit_intercept)  # a passive-aggressive step on a tiny row
            or (targets is not None and float(np.abs(targets).max(initial=0.0)) > large)
        )

    def learn_one(self, x: dict[Any, float], columns: dict[Any, int], target: int | float, weight: float = 1.0) -> None:
        """Learn from one row of named features; new names get the next columns."""
        known, model = len(columns), self._model
        if self._swift and self.streaming and weight == 1.0 and known + len(x) <= self._capacity:
            examples = self._one_example[target]  # type: ignore[index]
            if engine.learn((x, columns), model, self._native_rule, examples, None, self.tally, False):
                self._read = None
                self.n_features = len(columns)
                return
        self.reserve(known + len(x))
        weights = None if weight == 1.0 else np.array([weight], dtype=np.float64)
        targets = target if self.epsilon is None else np.array([target], np.float64)
        try:
            self._stream((x, columns), targets, None, weights)
        except ValueError:
            while len(columns) > known:
                columns.popitem()
            raise
        self.n_features = len(columns)

    def _stream(self, view: engine.View, targets: Any, order: Array | None, weight: Array | None) -> None:
        """Part of a stream: all calls together are one pass, and speak of what came by."""
        if self._frozen:
            self._thaw()
        if self.streaming:
            self._pass(view, targets, order, weight)
            return
        self.tally[MISTAKES] = 0
        self._pass(view, targets, order, weight)
        self.streaming = True
        self.n_iter += 1
        self.evidence.lower = -math.inf
        self.verdict = self.verdict and STOPPED

    def _pass(
        self, view: engine.View, targets: Any, order: Array | None, weight: Array | None, ratchet: bool = False
    ) -> None:
        """Learn from the rows in order; one row may have its target given as a number."""
        pocket = gradient = None
        model = self._model
        if self.pocket is not None:
            pocket = (self.pocket, ratchet)
        if self.batch:
            gradient = np.zeros_like(self.weights)
            model = self._model_of(self.weights, gradient)
        before = 0 if type(targets) is int else self.visited
        self._read = None
        while not engine.learn(view, model, self._native_rule, (targets, order, weight), pocket, self.tally, False):
            if self.tally[GROWTH] == 0 or self.batch:
                raise ValueError(self._overflow)
            self._look()  # the bound was too careful: take the true norm, and go on where it stopped
            if type(targets) is not int:
                order = (np.arange(len(targets), dtype=np.int32) if order is None else order)[self.visited - before :]
                before = self.visited
        if gradient is not None:
            self.weights += gradient

    def _look(self) -> None:
        """Tighten the bounds by the weights as they are now."""
        evidence = self.evidence
        evidence.look(self.active, self._start_rows(), self.tau, self.n_updates, float(self.tally[GROWTH]))
        self.tally[GROWTH] = 0
        self._make_room()

    @property
    def _overflow(self) -> str:
        return f"the weights would overflow {self.dtype}: the data or the steps are too large; scale X down"

    def _score(self, rows: engine.Rows, targets: Array, order: Array | None, stop_at_mistake: bool = False) -> int:
        """Judge every row by the present weights, without learning; returns the mistakes."""
        tally = np.zeros_like(self.tally)
        tally[:GROWTH] = tally[ROOM] = math.inf
        model = self._model_of(self.weights, still=True)
        if not engine.learn(rows.view, model, ("still",), (targets, order, None), None, tally, stop_at_mistake):
            raise ValueError(self._overflow)
        self.least[:] = tally[self.n_vectors :][: self.slots]
        return int(tally[MISTAKES])

    def _show(self) -> None:
        self.evidence.show(self.active, self.least)

    def _start_rows(self) -> Array | None:
        return None if self.start is None else self.start[: 1 + self.n_features]

    def _snapshot(self) -> Learner:
        return copy.deepcopy(self)

    def _restore(self, earlier: Learner) -> None:
        """Take back the weights of an earlier pass; the counts and bounds stay those of the whole run."""
        updates = self.n_updates
        for name in (*self._arrays(), "tally"):
            setattr(self, name, getattr(earlier, name))
        self.tally[UPDATES] = updates
        self.evidence = replace(earlier.evidence, lower=self.evidence.lower, upper=self.evidence.upper)
        self._arrange()

    # ---- reading -------------------------------------------------------------------------------------------------

    def scale_of(self, rows: engine.Rows, order: Array | None = None) -> float:
        """What margins are measured against: R with the bias feature, or √2·R between classes."""
        return math.sqrt((rows.radius2(order) + self.fit_intercept) * (2 if self.form == "multiclass" else 1))

    @property
    def margin_bounds(self) -> tuple[float, float]:
        growth = float(self.tally[GROWTH])
        now = self.evidence.upper_now(self.active, self._start_rows(), self.tau, self.n_updates, growth)
        return self.evidence.lower, min(self.evidence.upper, now)

    def read(self, readout: str | None = None) -> Array:
        """The weights of a readout: row 0 the biases, then one row per feature; one column per vector, and padding."""
        readout = readout or self.readout
        check_name("readout", readout, READOUTS)
        if readout == "last":
            return self.active
        if readout != self.readout:
            raise ValueError(
                f"this run kept only what {self.readout!r} needs: it can be read as {self.readout!r} or 'last', not as "
                f"{readout!r}; fit with that readout"
            )
        if self._read is None:
            if self.pocket is not None:
                self._read = self.pocket[: 1 + self.n_features]
            elif self.visited == 0:
                self._read = self.active
            else:
                assert self.total is not None
                mean = self.active - self.total[: 1 + self.n_features] / self.visited
                self._read = engine.zeros(len(mean), mean.shape[1], self.dtype)
                self._read[:] = mean
        return self._read

    def scores(self, rows: engine.Rows, readout: str | None = None) -> Array:
        """Scores of the rows by the readout: (n,) with one vector, else (n, n_vectors)."""
        weights = self.read(readout)
        if rows.dtype != weights.dtype:
            weights = weights.astype(rows.dtype)
        out = np.empty((rows.n_rows, self.n_vectors), rows.dtype)
        engine.score(rows.view, self._model_of(np.ascontiguousarray(weights), still=True), out)
        return out[:, 0] if self.n_vectors == 1 else out

    def scores_one(self, x: dict[Any, float], columns: dict[Any, int]) -> Array:
        """Scores of one row of named features; names never met count as absent."""
        out = np.empty(self.n_vectors, self.dtype)
        engine.score(*self._one(x, columns), out)
        return out

    def predict_one(self, x: dict[Any, float], columns: dict[Any, int]) -> int:
        """Code of the predicted class of one row of named features."""
        if self.n_classes < 2:
            return int(engine.decide(*self._one(x, columns)) * 0)  # the one class so far, if the row can be read
        if self.readout == "last":
            return engine.decide((x, columns), self._model)
        return engine.decide(*self._one(x, columns))

    def _one(self, x: dict[Any, float], columns: dict[Any, int]) -> tuple[engine.View, engine.Model]:
        """One row of named features and the readout that scores it."""
        view: engine.View = (x, columns)
        if self.readout == "last":
            return view, self._model
        if self.readout == "averaged" and self._read is None and self.visited:
            engine.decide(view, self._model)  # refuses values that are no numbers
            view, weights = self._averaged_part(x, columns)
        else:
            weights = self.read()
        return view, self._model_of(weights, still=True)

    def _averaged_part(self, x: dict[Any, float], columns: dict[Any, int]) -> tuple[engine.View, Array]:
        """The row and just its averaged weights, renumbered so that each feature keeps its lane: the same bits."""
        assert self.total is not None
        named = sorted((columns[name], value) for name, value in x.items() if name in columns)
        places = [0, *(1 + column for column, _ in named)]
        part = (self.weights[places] - self.total[places] / self.visited).astype(self.dtype)
        lanes = [16 * i + column % 16 for i, (column, _) in enumerate(named)]
        weights = engine.zeros(1 + 16 * len(named), part.shape[1], self.dtype)
        weights[[0, *(1 + lane for lane in lanes)]] = part
        return ({lane: value for lane, (_, value) in zip(lanes, named)}, {lane: lane for lane in lanes}), weights

    def predict(self, rows: engine.Rows) -> Array:
        """Codes of the predicted classes, or the predicted numbers."""
        return self.decide(self.scores(rows))

    def decide(self, scores: Array) -> Array:
        if self.epsilon is not None:
            return scores
        if self.n_vectors > 1:
            return np.asarray(np.argmax(scores, axis=-1))
        return ((scores > 0) & (self.n_classes > 1)).astype(np.intp)

    def accuracy(self, rows: engine.Rows, targets: Array) -> float:
        """The share of rows that the readout gets right; for a regression R², the share of variance explained."""
        predicted = self.predict(rows)
        if self.epsilon is None:
            return float(np.mean(predicted == targets))
        spread = float(np.sum((targets - targets.mean()) ** 2))
        return 1 - float(np.sum((targets - predicted) ** 2)) / spread if spread else 0.0
