"""The learner: the loop over passes, streams, and what it predicts. It needs NumPy alone.

Labels are codes here: 0 and 1 for two classes (1 is y = +1), 0 … k − 1 for more, numbers for a regression. The
estimators put scikit-learn's contract over it.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import engine, labels
from .convergence import ON_THE_BOUNDARY, ConvergenceWarning, undecided
from .lists import Entries
from .state import State
from .verdicts import NO_MARGIN, PASSES_BEFORE_NO_MARGIN, SEPARATED, STOPPED

Array = NDArray[Any]

_STILL = engine.Rule("still")  # judges, and takes no step

#: Products that one native call sums, about: some tenths of a second at most. In between signals are heard.
_CALL = 1 << 26

#: Rows to learn from: they, their targets, the order in which to visit them and their weights (None: as they stand; 1).
Piece = tuple[engine.Rows, Array, Array | None, Array | None]


class Pass(NamedTuple):
    """The report of a pass while the run goes on."""

    number: int
    mistakes: int | None  # None: a regression makes none
    updates: int
    margin: tuple[float, float]  # what is known of the best relative margin, margin/R
    held_out: float | None


class Progressive(NamedTuple):
    """Progressive validation: the weights that would ship, judged on each example before it was learned from.

    References
    ----------
    Blum, Kalai & Langford (1999), "Beating the hold-out".
    """

    readout: str  # which weights
    seen: int  # examples judged
    wrong: int  # wrong predictions; of a regression, those not within ε


def weighted_rows(weight: Array | None) -> Array | None:
    """The rows that are there at all, those of positive weight; None: all."""
    return None if weight is None or np.all(weight > 0) else np.flatnonzero(weight > 0).astype(np.int32)


def learn_labels(
    learner: Any,
    rows: Any,
    y: Array,
    weight: Array | None,
    classes: Array,
    span: tuple[int, int] | None = None,
    codes: Array | None = None,
) -> Array:
    """Learn from the next rows of a stream by their labels, of which some may be new; returns the classes then known.

    ``span``: from rows ``span[0]`` to ``span[1] − 1`` alone. ``codes``: of all labels, where none is new.

    It goes in stretches that end where a class is met for the first time, as one row at a time would. Rows of weight 0
    bring no new class.
    """
    start, end = span or (0, rows.n_rows)
    if codes is not None:
        learner.partial_fit(rows, codes, weight, (start, end))
        return classes
    own = slice(start, end)
    fresh = learner.visited == (start if weight is None else 0)  # it has met no other rows

    def coded() -> Array:
        codes = labels.encode(y[own], classes)
        if weight is not None:
            codes = np.where(weight[own] > 0, codes, np.maximum(codes, 0)).astype(codes.dtype)
        if span is None:
            return codes
        of_all = np.zeros(len(y), codes.dtype)
        of_all[own] = codes
        return of_all

    while start < end:
        codes = coded()
        if codes[start] < 0:
            classes, code = labels.insert(classes, y[start])
            learner.add_class(code, rows.features_of(start) if fresh else None)
            codes = coded()
        new = np.flatnonzero(codes[start:end] < 0)
        stop = start + int(new[0]) if len(new) else end
        learner.partial_fit(rows, codes, weight, (start, stop))
        start = stop
    return classes


def rows_per_call(numbers: int, n_rows: int, n_vectors: int) -> int:
    """How many of these rows, that have so many numbers, a native call should take at most."""
    return max(1, _CALL * n_rows // max(1, numbers * n_vectors))


class Learner(State):
    """A mistake-driven learner: a rule, a readout, and linear weights. ``State`` has its parameters."""

    scores_drift = False  # a pass without updates has judged every row by the weights themselves
    n_threads = 1  # that learn, at most; the weights are the same
    pulse: Callable[[], None] | None = None  # called within a pass, now and then; it may end the run by an exception

    def admit(self, X: Any, dtype: Any = None, names: Any = None) -> Any:
        """Rows as this learner takes them, of numbers that were looked at."""
        return engine.admit(X, dtype, names)

    # ---- learning ------------------------------------------------------------------------------------------------

    _misread: Array | None = None  # counts wrong predictions of the readout while it is judged
    _judged_from = 0
    _progressive: Progressive | None = None

    def start_progressive(self) -> None:
        """From now on judge the readout on each row before it is learned from, which takes another reading of the row.

        The last weights and their average are; a pocket, votes and a batch are not.
        """
        if self.readout in ("last", "averaged") and not self.batch:
            self._misread, self._judged_from = np.zeros(1, np.int64), self.visited

    def stop_progressive(self) -> None:
        """Judge no further; ``progressive`` stays what it is."""
        self._progressive, self._misread = self.progressive, None

    @property
    def progressive(self) -> Progressive | None:
        """What judging the readout came to; None: it was not judged."""
        if self._misread is None:
            return self._progressive
        return Progressive(self.readout, self.visited - self._judged_from, int(self._misread[0]))

    def fit(
        self,
        rows: Any,
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
        first: int = 1,
        scale: float | None = None,
        name: str = "The learner",
        warning: type[Warning] = ConvergenceWarning,
    ) -> None:
        """Pass over the rows until they are separated, no margin above ``tol`` is left, or ``max_iter`` is reached.

        Of a run that goes on, ``first`` is the number of the next pass, and ``scale`` what margins are measured by.
        """
        original, rows, natural = rows, self.map_rows(rows, learn=True), weighted_rows(weight)
        if held_out is not None:
            held_out = self.map_rows(held_out[0], learn=False), held_out[1]
        rng = rng or np.random.default_rng()
        best: Learner | None = None
        order: Array | None = None
        looked = False  # for equal rows
        self.streaming = False
        if self.pocket is not None and self.ratchet:
            self.tally.errors = self._score(rows, targets, natural)
        for number in range(first, max_iter + 1):
            order = None  # frees the last one before the next is made
            order = self.order(rows, natural, shuffle, rng)
            mistakes, updates = self._whole_pass(rows, targets, order, weight)
            self.n_iter = number
            separated = self.epsilon is None and mistakes == 0
            if separated and (updates or self.scores_drift):
                separated = self._score(rows, targets, natural) == 0
            self._tighten_upper()
            if separated:
                self._tighten_lower(original, natural)
            score = None
            if held_out is not None:
                score = self.accuracy(*held_out)
                if best is None or score > max(self.held_out_scores):
                    best = copy.deepcopy(self)
                self.held_out_scores.append(score)
            if self.epsilon is None and scale is None and (tol is not None or progress is not None):
                scale = self.scale_of(rows, natural) or 1.0  # 0: all rows are zero
            if progress is not None:
                margin = (self.evidence.lower / (scale or 1), self.evidence.upper / (scale or 1))
                progress(Pass(number, mistakes if self.epsilon is None else None, updates, margin, score))
            if self.epsilon is not None and updates == 0:
                break
            if separated:
                self.verdict = SEPARATED
                break
            if tol is not None and scale is not None and number >= min(max_iter, PASSES_BEFORE_NO_MARGIN):
                if not looked:
                    self.evidence.note_equal_rows(self.equal_rows(original, targets, natural))
                    looked = True
                if self.evidence.upper <= tol * scale:
                    self.verdict = NO_MARGIN
                    break
            if held_out is not None and number - int(np.argmax(self.held_out_scores)) > n_iter_no_change:
                break
        else:
            if self.epsilon is None and self._score(rows, targets, natural, stop_at_mistake=True) == 0:
                self._tighten_lower(original, natural)
                self.verdict = SEPARATED
            elif tol is not None and scale is not None and held_out is None:
                warnings.warn(undecided(name, self.evidence, max_iter, scale, tol), warning, stacklevel=5)
        if self.verdict == SEPARATED and self.readout == "pocket":
            self._pocket_separator(rows.n_rows if natural is None else len(natural))
        if self.verdict == SEPARATED and self.least.min() <= 0 and tol is not None:
            warnings.warn(f"{name} {ON_THE_BOUNDARY}", warning, stacklevel=5)
        if best is not None and self.verdict != SEPARATED:
            self._restore(best)

    def equal_rows(self, rows: Any, targets: Array, order: Array | None) -> tuple[int, int] | None:
        """Two equal rows of different labels, which no weights tell apart: a proof, where there are such."""
        return engine.equal_rows(rows=rows.view, targets=targets, order=order)

    def order(self, rows: engine.Rows, natural: Array | None, shuffle: bool, rng: np.random.Generator) -> Array | None:
        """The order of the next pass: ``natural`` (None: all rows as they stand), or a fresh shuffle of it."""
        if not shuffle or self.batch:
            return natural
        order = np.arange(rows.n_rows, dtype=np.int32) if natural is None else natural.copy()
        rng.shuffle(order)  # the same draw as rng.permutation
        return order

    def _whole_pass(
        self, rows: engine.Rows, targets: Array, order: Array | None, weight: Array | None
    ) -> tuple[int, int]:
        """One pass over the training set; returns its mistakes and updates."""
        return self.pass_over([(rows, targets, order, weight)])

    def pass_over(self, pieces: Iterable[Piece]) -> tuple[int, int]:
        """One pass over a training set in one piece or several; returns its mistakes and updates."""
        self.least[:] = math.inf
        self.tally.mistakes, before = 0, self.n_updates
        for rows, targets, order, weight in pieces:
            self._pass(self.map_rows(rows, learn=True).view, targets, order, weight, ratchet=self.ratchet)
        self.passes.append(self.tally.mistakes)
        return self.passes[-1], self.n_updates - before

    def partial_fit(self, rows: Any, targets: Any, weight: Array | None, span: tuple[int, int]) -> None:
        """Learn from rows ``span[0]`` to ``span[1] − 1`` in the order given; all such calls together are one pass."""
        order = None if span == (0, rows.n_rows) else np.arange(*span, dtype=np.int32)
        if weight is not None and not np.all(weight > 0):
            order = np.arange(*span, dtype=np.int32)
            order = order[weight[order] > 0]
        if self._frozen:
            self._thaw()
        self._stream(self._pass, self.map_rows(rows, learn=True).view, targets, order, weight)

    def may_overflow(self, rows: engine.Rows, weight: Array | None, targets: Array | None = None) -> bool:
        """Whether a step in the midst of these rows might overflow, so that it is worth keeping what was before.

        One row never needs that: a step that would overflow is not taken.
        """
        large = float(np.finfo(self.dtype).max) ** 0.125
        heaviest = 1.0 if weight is None else float(weight.max(initial=0.0))
        return rows.n_rows > 1 and (
            max(rows.largest, heaviest, self.rule.step_factor) > large
            or (self.rule.divides_by_norm and self.constant2 * large < 1)  # a large step on a tiny row
            or (targets is not None and float(np.abs(targets).max(initial=0.0)) > large)
        )

    def learn_one(self, x: dict[Any, float], columns: dict[Any, int], target: int | float, weight: float = 1.0) -> None:
        """Learn from one row of named features; new names get the next columns."""
        known, visited = len(columns), self.tally.visited
        try:
            if (
                self._fast_path and self.streaming and weight == 1.0 and known + len(x) <= self._capacity
                and engine.learn_one(
                    row=x, columns=columns, model=self._model, rule=self._native_rule, target=target, tally=self.tally  # type: ignore[arg-type]
                )
            ):  # fmt: skip
                self._read = None
                return
            self.expand()
            self.reserve(known + len(x))
            self._stream(self._learn_named, x, columns, target, weight)
        except BaseException:
            # unless it was learned, and interrupted then
            while len(columns) > known and self.tally.visited == visited:
                columns.popitem()
            raise
        finally:
            self.n_features = len(columns)

    def _stream(self, learn: Callable[..., None], *examples: Any) -> None:
        """Learn from part of a stream: all calls together are one pass, and speak of what came by."""
        if self._frozen:
            self._thaw()
        if self.streaming:
            learn(*examples)
            return
        self.tally.mistakes = 0
        learn(*examples)
        self.streaming = True
        self.n_iter += 1
        self.evidence.lower = -math.inf
        self.verdict = self.verdict and STOPPED

    def _learn_named(self, x: dict[Any, float], columns: dict[Any, int], target: int | float, weight: float) -> None:
        """Learn from one row of named features, for whose names there is room."""
        self.weighted = self.weighted or weight not in (0, 1)

        def learn(model: engine.Model, first: int) -> bool:
            return engine.learn_one(
                row=x, columns=columns, model=model, rule=self.native_rule, target=target, weight=weight,
                pocket=self.pocket, tally=self.tally,
            )  # fmt: skip

        self._learn_in_room(learn)

    def _pass(
        self, view: engine.View, targets: Any, order: Array | None, weight: Array | None, ratchet: bool = False
    ) -> None:
        """Learn from the rows in order; the target of one row may be a number."""
        if weight is not None and not self.weighted:
            self.weighted = bool(np.any((weight != 1) & (weight != 0)))

        def learn(model: engine.Model, first: int) -> bool:
            return all(
                self._learn_call(
                    rows=view, model=model, rule=self.native_rule, targets=targets, order=part, weight=weight,
                    first=start, pocket=self.pocket, ratchet=ratchet, tally=self.tally, misread=self._misread,
                    n_threads=self.n_threads,
                )
                for part, start in self._calls(view, order, first, whole=ratchet)
            )  # fmt: skip

        self._learn_in_room(learn)

    def _calls(
        self, view: engine.View, order: Array | None, first: int = 0, whole: bool = False
    ) -> Iterator[tuple[Array | None, int]]:
        """The order of each native call and where to begin in it; ``whole``: one call has to see all rows."""
        count = view.n_rows if order is None else len(order)
        step = count if whole or count < 64 else rows_per_call(self._numbers_of(view), view.n_rows, self.n_vectors)
        if step >= count:
            yield order, first
            return
        for start in range(first, count, step):
            stop = min(start + step, count)
            yield np.arange(start, stop, dtype=np.int32) if order is None else order[start:stop], 0
            if self.pulse is not None and not self.batch:  # whose step is taken at the end
                self.pulse()

    def _learn_call(self, **call: Any) -> bool:
        """One native call: what it is learned from is of this space."""
        return engine.learn(**call)

    def _numbers_of(self, view: Any) -> int:
        """How many numbers the rows have, of which the time of a call is a multiple."""
        return int(view.data.size)

    def _learn_in_room(self, learn: Callable[[engine.Model, int], bool]) -> None:
        """Call ``learn(model, number of examples done)`` until it says that all are done; refuse an overflow."""
        gradient, model = None, self._model
        if self.batch:
            gradient = np.zeros_like(self.weights)
            model = self._model_of(self.weights, gradient=gradient)
        before = self.tally.visited
        self._read = None
        while not learn(model, self.tally.visited - before):
            if self.tally.growth == 0 or self.batch:
                raise ValueError(self._overflow)
            self._tighten_upper()  # the bound was too careful: take the true norm, and go on where it stopped
        if gradient is not None:
            self.weights += gradient
            self._tighten_upper()

    @property
    def _overflow(self) -> str:
        return f"the weights would overflow {self.dtype}: the data or the steps are too large; scale X down"

    def _score(self, rows: engine.Rows, targets: Array, order: Array | None, stop_at_mistake: bool = False) -> int:
        """Judge every row by the present weights, without learning; returns the mistakes."""
        tally = engine.Tally(self.n_vectors)
        tally.tau[:] = tally.least[:] = tally.room = math.inf
        rows, model = self.map_rows(rows, learn=True), self._model_of(self.weights, lists=self.lists)
        for part, _ in self._calls(rows.view, order):
            if not self._learn_call(
                rows=rows.view, model=model, rule=_STILL, targets=targets, order=part, tally=tally,
                stop=stop_at_mistake, n_threads=self.n_threads,
            ):  # fmt: skip
                raise ValueError(self._overflow)
            if stop_at_mistake and tally.mistakes:
                break
        self.least[:] = tally.least[: self.slots]
        return tally.mistakes

    # ---- predicting ----------------------------------------------------------------------------------------------

    def _tighten_lower(self, rows: engine.Rows, order: Array | None) -> None:
        """Tighten the lower bound by the present weights, which got every row right."""
        depth, number = rows.depth(order), np.finfo(self.dtype)
        rounding = float(number.eps) * depth * self.scale_of(rows, order)
        lost = 32 * depth * float(number.smallest_subnormal)  # of 16 lanes, of two scores
        self.evidence.tighten_lower(self.unscaled(self.measured), self.least, rounding, lost)

    def scale_of(self, rows: engine.Rows, order: Array | None = None) -> float:
        """What margins are measured against: R with the bias feature, or √2·R between classes."""
        several = 2 if self.form == "multiclass" else 1
        R2, number = rows.radius2(order) + self.constant2, np.finfo(self.dtype)
        if R2 * float(number.eps) ** 2 > float(number.tiny):
            return math.sqrt(R2 * several)
        return rows.radius(order) * math.sqrt(several)  # squares that vanish

    def scores(self, rows: engine.Rows, readout: str | None = None) -> Array:
        """Scores of the rows by the readout: (n,) with one vector, else (n, n_vectors)."""
        rows = self.map_rows(rows, learn=False)
        model = self._model
        if (readout or self.readout) != "last" or self.places is not None or rows.dtype != self.dtype:
            weights, lists = self.stored_with_lists(readout)
            if self.places is not None and not rows.is_mapped:
                weights, lists = self.read(readout), None
            if lists is not None and rows.dtype != self.dtype:
                entries = Entries(*lists.entries())
                lists = entries._replace(weights=entries.weights.astype(rows.dtype)).lists(self.n_vectors)
            model = self._model_of(np.ascontiguousarray(weights, rows.dtype), lists=lists)
        out = np.empty((rows.n_rows, self.n_vectors), rows.dtype)
        engine.score(rows=rows.view, model=model, out=out)
        return out[:, 0] if self.n_vectors == 1 else out

    def scores_one(self, x: dict[Any, float], columns: dict[Any, int]) -> Array:
        """Scores of one row of named features; names never met count as absent."""
        out = np.empty(self.n_vectors, self.dtype)
        model, visited = self._for_one()
        engine.score_one(row=x, columns=columns, model=model, visited=visited, out=out)
        return out

    def predict_one(self, x: dict[Any, float], columns: dict[Any, int]) -> int:
        """Code of the predicted class of one row of named features."""
        model, visited = (self._model, 0) if self.readout == "last" and self.places is None else self._for_one()
        code = engine.decide_one(row=x, columns=columns, model=model, visited=visited)
        return code if self.n_classes > 1 else 0

    def _for_one(self) -> tuple[engine.Model, int]:
        """What scores one row, and how many examples it is the average of: not all of it is averaged for one row."""
        if self.places is not None:
            return self._model_of(self.read()), 0
        if self.readout == "last":
            return self._model, 0
        if self.readout == "averaged" and self._read is None and self.visited and not self._frozen:
            return self._model, self.visited
        weights, lists = self.stored_with_lists()
        return self._model_of(weights, lists=lists), 0

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
