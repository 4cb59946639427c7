"""The learner in kernel space: its weights are a sum of examples, and it learns in blocks.

For a block of rows the scores by all examples kept so far are one matrix product, and the kernel matrix of the block
corrects them as the native loop walks through it: the same loop as in linear space, over the scores of the block
instead of weights. The result is that of one example at a time, whatever the size of the blocks.

What is kept is the history of updates: which example, by how much for each class, and when. All readouts are read from
it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import engine, rules
from ...checks import check_name
from ...convergence import Evidence
from ...learner import Learner, Progressive
from ...state import State
from . import cuda
from .arrays import namespace
from .kernels import Kernel
from .rows import ExhaustedError, Support, seen_through
from .score_cache import ScoreCache

Array = NDArray[Any]

READOUTS = ("last", "averaged", "voted", "pocket")


class KernelLearner(Learner):
    """A mistake-driven learner in kernel space. ``State`` has the parameters that it shares with the linear one.

    Parameters
    ----------
    kernel : Kernel
        The kernel, which adds the constant feature itself.
    block_size : int or None
        How many examples go through a matrix product together; None: what suits the device. It changes nothing but the
        time.
    cache_size : float or None
        Bytes to remember rows of the kernel matrix in, from one pass to the next; None: 10⁹, or half of the memory that
        is free on a CUDA device.
    """

    space = "kernel"

    def __init__(
        self,
        rule: rules.Rule,
        kernel: Kernel,
        *,
        readout: str = "last",
        block_size: int | None = None,
        cache_size: float | None = None,
        **options: Any,
    ) -> None:
        check_name("readout", readout, READOUTS)
        super().__init__(rule, fit_intercept=kernel.bias, **options)
        self.readout, self.kernel, self.block_size, self.cache_size = readout, kernel, block_size, cache_size

    def admit(self, X: Any, dtype: Any = None, names: Any = None) -> Any:
        """Rows seen through the kernel, on the processor."""
        return seen_through(engine.admit(X, dtype, names), self.kernel)

    kernel: Kernel
    support: Support
    scores_drift = True  # they are kept from pass to pass, so that a verdict is judged by scores made anew

    # ---- the history ---------------------------------------------------------------------------------------------

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """No examples kept yet."""
        self.rule.check_classes(n_classes)
        self.n_features, self.n_classes, self.dtype = n_features, n_classes, np.dtype(dtype)
        self.total = self.pocket = self.start = None
        self.tally = engine.Tally(self.n_vectors)
        self.tally.is_current = 1
        self.evidence = Evidence()
        self.support = Support(self.kernel.name == "precomputed")
        self.slot: dict[int, int] = {}  # of each row kept
        stride = engine.stride_of(self.n_vectors)
        self.alpha = np.zeros((0, stride), self.dtype)  # summed steps of each example kept; padded as all weights are
        self.history = [(np.zeros(0, np.int64), np.zeros((0, stride), self.dtype), np.zeros(0, np.int64))]
        self.first_row = self.offered = 0  # what the rows of a call are counted from, and how many there have been
        self.norm2 = np.zeros(self.slots)  # ‖w‖², of all vectors together or of each against the rest
        self.norm2_rounding = np.zeros(self.slots)
        self.pocketed = 0  # so many updates are in the pocket; the tally counts its runs
        self._make_room()
        self._build_native()

    def _build_native(self) -> None:
        self._native_rule = self._native_rule_of(self.rule)
        self._read = None
        self._fast_path = False
        self._capacity = 0

    def _make_room(self) -> None:
        self.tally.room = float(np.finfo(self.dtype).max) / 16

    def _arrays(self) -> list[str]:
        return ["alpha", "coef"]

    def _write(self, updates: tuple[Array, Array, Array]) -> None:
        """Add updates to the history, whose pieces halve in length: each is copied a few times at most."""
        while self.history and 2 * len(updates[0]) >= len(self.history[-1][0]):
            updates = _joined([self.history.pop(), updates])
        self.history.append(updates)

    def _merged(self) -> tuple[Array, Array, Array]:
        """The history in one piece."""
        if len(self.history) > 1:
            self.history = [_joined(self.history)]
        return self.history[0]

    @property
    def which(self) -> Array:
        """The slot of the example of each update."""
        return self._merged()[0]

    @property
    def coef(self) -> Array:
        """The step of each update, (updates, vectors and padding)."""
        return self._merged()[1]

    @coef.setter
    def coef(self, coef: Array) -> None:
        which, _, time = self._merged()
        self.history = [(which, coef, time)]

    @property
    def time(self) -> Array:
        """When each update was, counted in examples from 1."""
        return self._merged()[2]

    @property
    def length(self) -> int:
        """How many updates there are in the history."""
        return sum(len(which) for which, _, _ in self.history)

    def reserve(self, n_features: int) -> None:
        """Let the examples kept have so many features: those that are new to them are 0."""
        self.support.widen(n_features)

    def add_class(self, code: int, used: Array | None = None) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one."""
        before = self.n_classes
        super().add_class(code, used)
        self.support.codes = self.support.codes + (self.support.codes >= code)
        if self.n_classes > 2 and self.form == "ovr":
            kept = [c for c in range(self.n_classes) if c != code]
            norms = np.zeros((2, self.n_classes))
            norms[:, kept] = (self.norm2, self.norm2_rounding)
            self.norm2, self.norm2_rounding = norms
        elif before == 2:
            grown = 2 * self.rule.class_share**2
            self.norm2, self.norm2_rounding = self.norm2 * grown, self.norm2_rounding * grown

    # ---- learning ------------------------------------------------------------------------------------------------

    def _whole_pass(self, rows: Any, targets: Array, order: Array | None, weight: Array | None) -> tuple[int, int]:
        self.first_row, self.offered, self.kernel = 0, rows.n_all or rows.n_rows, rows.kernel
        self._open_score_cache(rows)
        return super()._whole_pass(rows, targets, order, weight)

    def equal_rows(self, rows: Any, targets: Array, order: Array | None) -> tuple[int, int] | None:
        if self.kernel.name not in ("linear", "poly", "rbf"):  # of what else a value may be, nothing is known
            return None
        view = engine.csr(rows.X) if engine.is_sparse(rows.X) else engine.DenseRows(rows.X)
        return engine.equal_rows(rows=view, targets=targets, order=order)

    def _open_score_cache(self, rows: Any) -> None:
        """Bring the cached scores of all rows up to date, at the start of a pass."""
        if rows.score_cache is None:
            size = self.cache_size
            if size is None:
                size = rows.library.free() / 2 if rows.library.on_cuda else 1e9
            rows.score_cache = ScoreCache(rows, self.support, self.n_vectors, size)
        with rows.library.products(rows.precision):
            rows.score_cache.update()

    def start_progressive(self) -> None:
        """Nothing to begin: the mistakes of a pass are what its last weights predicted wrongly."""

    def stop_progressive(self) -> None:
        """Take the mistakes of the first pass, where the last weights are the model and each row makes one at most."""
        if self.readout == "last" and self.form != "ovr" and len(self.passes) == 1:
            self._progressive = Progressive("last", self.visited, self.passes[0])

    def partial_fit(self, rows: Any, targets: Any, weight: Array | None, span: tuple[int, int]) -> None:
        """Learn from some rows of a stream, which are new each time."""
        if not self.visited:
            self.kernel = rows.kernel
        self.first_row = self.offered - span[0]
        targets = np.array([targets], np.int32) if np.ndim(targets) == 0 else targets
        super().partial_fit(rows, targets, weight, span)
        self.offered += span[1] - span[0]

    def _restore(self, earlier: State) -> None:
        """Take back the history of an earlier pass; the counts and bounds stay those of the whole run."""
        assert isinstance(earlier, KernelLearner)
        super()._restore(earlier)
        for name in ("support", "slot", "history", "norm2", "norm2_rounding", "pocketed"):
            setattr(self, name, getattr(earlier, name))

    def _pass(self, view: Any, targets: Any, order: Array | None, weight: Array | None, ratchet: bool = False) -> None:
        """Learn from the rows in order, a block at a time."""
        self._read = None
        if weight is not None and not self.weighted:
            self.weighted = bool(np.any((weight != 1) & (weight != 0)))
        which = np.arange(view.n_rows) if order is None else order.astype(np.int64)
        if self.readout == "pocket" and ratchet and not self.visited:
            self.tally.errors = self._score(view, targets, order)
        with view.library.products(view.precision):
            step, start = self.block_size or view.library.block_size, 0
            while start < len(which):
                block = which[start : start + step]
                try:
                    matrices = self._matrices(view, block)
                except view.library.out_of_memory as error:  # nothing is learned yet: a smaller block will do
                    view.library.release()
                    if len(block) == 1:
                        raise error if isinstance(error, ExhaustedError) else view.exhausted(view.n_features) from error
                    step = len(block) // 2
                    continue
                self._learn_block(view, targets, block, weight, *matrices)
                if self.readout == "pocket":
                    self._fill_pocket(view, targets, order, ratchet)
                start += len(block)
                if self.pulse is not None:
                    self.pulse()
        if self.readout == "pocket":
            self._settle(view, targets, order, ratchet, self.length)

    def _matrices(self, rows: Any, which: Array) -> tuple[Any, Any]:
        """What a block needs that is large: its kernel matrix, and its scores by the weights before it."""
        return rows.within(which), self._scores_now(rows, which)

    def _learn_block(
        self, rows: Any, targets: Array, which: Array, weight: Array | None, gram: Any, before: Any
    ) -> None:
        """Learn from a block of rows."""
        targets = np.ascontiguousarray(targets[which])
        weight = None if weight is None else np.ascontiguousarray(weight[which])
        self._take(rows, which, targets, *self._walk(rows, gram, before, targets, weight))

    def _walk(
        self, rows: Any, gram: Any, before: Any, targets: Array, weight: Array | None
    ) -> tuple[Array, Array, Array]:
        """Go through a block: the scores at each visit, the steps, and K(x, x)."""
        k, n = self.n_vectors, len(targets)
        if cuda.available(rows.library):
            return self._walk_on_cuda(rows, gram, before, targets, weight)
        gram = np.ascontiguousarray(rows.library.get(gram))
        scores = engine.zeros(1 + n, engine.stride_of(k), self.dtype)
        scores[1:, :k] = rows.library.get(before)
        steps = np.zeros((n, k))
        if not engine.learn(
            rows=engine.GramRows(gram), model=self._model_of(scores, fit_intercept=False), rule=self.native_rule,
            targets=targets, weight=weight, steps=steps, tally=self.tally,
        ):  # fmt: skip
            raise ValueError(self._overflow)
        return scores[1:, :k].astype(np.float64), steps, np.diagonal(gram).astype(np.float64)

    def _walk_on_cuda(
        self, rows: Any, gram: Any, before: Any, targets: Array, weight: Array | None
    ) -> tuple[Array, Array, Array]:
        """The same there; what the native loop counts is counted from what comes back."""
        ties, terms = self.ties == "mistake", self.native_rule and self.rule.native(self.multiclass)
        results = cuda.walk(rows.library, gram, before, targets, weight, self.form, ties, terms)
        scores, steps, diagonal = (array.astype(np.float64) for array in results)
        if not np.all(np.isfinite(scores)):
            raise ValueError(self._overflow)
        margin, wrong = self._margins(scores, targets)
        if self.form == "multiclass":
            gains = steps[np.arange(len(targets)), targets][:, None]
        else:
            gains = np.abs(steps)
        self.tau[:] += gains.sum(axis=0)
        self.least[:] = np.minimum(self.least, margin.min(axis=0))
        self.tally.visited += len(targets)
        self.tally.mistakes += int(wrong.sum())
        self.tally.updates += int(np.count_nonzero(gains))
        return scores, steps, diagonal

    def _scores_now(self, rows: Any, which: Array) -> Any:
        """Scores of some rows by the present weights, where the library has its arrays."""
        if rows.score_cache is not None:
            return rows.score_cache.scores(which)
        return rows.scores(which, self.support, self.alpha[:, : self.n_vectors])

    def _take(self, rows: Any, which: Array, targets: Array, scores: Array, steps: Array, diagonal: Array) -> None:
        """Take the steps of a block in."""
        moved = np.flatnonzero(steps.any(axis=1))
        self._block = (scores, targets, moved, self.length)
        times = self.visited - len(which) + 1 + moved
        slots = self._keep(rows, which[moved], targets[moved], steps[moved], times)
        if rows.score_cache is not None:
            rows.score_cache.add(slots, steps[moved])
        self._note_norms(steps[moved], scores[moved], diagonal[moved])

    def _keep(self, rows: Any, index: Array, codes: Array, steps: Array, times: Array) -> Array:
        """Write updates into the history; returns the slots of their examples."""
        names = (self.first_row + (index if rows.index is None else rows.index[index])).tolist()
        new = [i for i, name in enumerate(names) if name not in self.slot]
        for i in new:
            self.slot[names[i]] = len(self.slot)
        if new:
            vectors = None if self.support.precomputed else rows.X[index[new]]
            self.support.add(vectors, np.array(names)[new], codes[new].astype(np.int64))
            self.alpha = np.concatenate((self.alpha, np.zeros((len(new), self.alpha.shape[1]), self.dtype)))
        slots = np.array([self.slot[name] for name in names], np.int64)
        coef = np.zeros((len(names), self.alpha.shape[1]), self.dtype)
        coef[:, : self.n_vectors] = steps
        np.add.at(self.alpha, slots, coef)
        self._write((slots, coef, times))
        return slots

    def _note_norms(self, steps: Array, scores: Array, diagonal: Array) -> None:
        """‖w‖² grows by ``2·a·s + a²·K(x, x)`` with each update; and by how much rounding may have hidden."""
        grown = 2 * steps * scores + steps**2 * diagonal[:, None]
        number = np.finfo(self.dtype)
        size = 2 * np.abs(steps * scores) + steps**2 * np.abs(diagonal[:, None])
        lost = float(number.tiny) * (2 * np.abs(steps) * float(np.abs(self.alpha).sum()) + steps**2)  # underflow
        axis = 0 if self.slots > 1 else None
        self.norm2 = self.norm2 + grown.sum(axis=axis)
        self.norm2_rounding = self.norm2_rounding + (8 * float(number.eps) * size + lost).sum(axis=axis)

    # ---- judging -------------------------------------------------------------------------------------------------

    def _margins(self, scores: Array, targets: Array) -> tuple[Array, Array]:
        """Margins of rows, one column for each that counts, and which of them are wrong."""
        strict = self.ties == "mistake"
        if self.form == "multiclass":
            every = np.arange(len(targets))
            right = scores[every, targets].copy()
            others = scores.copy()
            others[every, targets] = -np.inf
            rival = others.argmax(axis=1)
            margin = (right - others[every, rival])[:, None]
            tied = strict | (rival < targets)[:, None]
        else:
            y = np.where(targets[:, None] == (1 if self.form == "binary" else np.arange(scores.shape[1])), 1.0, -1.0)
            margin = y * scores
            tied = strict | (y == 1)
        return margin, (margin < 0) | ((margin == 0) & tied)

    def _score(
        self, rows: Any, targets: Array, order: Array | None, stop_at_mistake: bool = False, dual: Array | None = None
    ) -> int:
        """Judge every row by the present weights, or by others, without learning; returns the mistakes."""
        which = np.arange(rows.n_rows) if order is None else order.astype(np.int64)
        mistakes, least = 0, np.full(self.slots, math.inf)

        def judge(start: int, stop: int) -> None:
            nonlocal mistakes, least
            if not (mistakes and stop_at_mistake):
                part = which[start:stop]
                scores = self._scores_now(rows, part) if dual is None else rows.scores(part, self.support, dual)
                margin, wrong = self._margins(rows.library.get(scores).astype(np.float64), targets[part])
                mistakes += int(wrong.sum())
                least = np.minimum(least, margin.min(axis=0))

        with rows.library.products(rows.precision):
            if dual is None and rows.score_cache is not None and not stop_at_mistake:
                rows.score_cache.refresh(self.alpha[:, : self.n_vectors])
            rows.in_strips(len(which), max(rows.n_features, 4096), judge)
        if dual is None:
            self.least[:] = least
        return mistakes

    def _fill_pocket(self, rows: Any, targets: Array, order: Array | None, ratchet: bool) -> None:
        """Follow the runs of right answers through a block, as the native loop does."""
        scores, part, moved, updates = self._block
        wrong: list[bool] = np.any(self._margins(scores, part)[1], axis=1).tolist()
        moves = np.zeros(len(part), bool)
        moves[moved] = True
        tally = self.tally
        for is_wrong, is_moved in zip(wrong, moves.tolist()):
            tally.run += not is_wrong
            if is_wrong or is_moved:
                self._settle(rows, targets, order, ratchet, updates)
                tally.run = 0
                tally.is_current = tally.is_current and not is_moved
                updates += is_moved

    def _pocket_separator(self, n_rows: int) -> None:
        super()._pocket_separator(n_rows)
        self.pocketed = self.length

    def _settle(self, rows: Any, targets: Array, order: Array | None, ratchet: bool, updates: int) -> None:
        """Put the weights after so many updates into the pocket, if their run is the longest (and they do better)."""
        tally = self.tally
        if tally.run <= tally.best_run:
            return
        if not tally.is_current:
            if ratchet:
                errors = self._score(rows, targets, order, dual=self._summed(updates)[:, : self.n_vectors])
                if errors >= tally.errors:
                    return
                tally.errors = errors
            self.pocketed = updates
        tally.best_run, tally.is_current = tally.run, 1

    # ---- bounds --------------------------------------------------------------------------------------------------

    def _upper(self) -> float:
        """``‖w‖/Σ τ``; a kernel that is no inner product (a negative ‖w‖² gives it away) bounds nothing."""
        inner_product = self.kernel.name != "sigmoid" and np.all(self.norm2 + self.norm2_rounding >= 0)
        tau = self._bounding_tau
        if not np.any(tau > 0) or not inner_product:
            return math.inf
        norm = np.sqrt(np.maximum(self.norm2, 0) + self.norm2_rounding)
        return float(np.min(np.divide(norm, tau, out=np.full(len(tau), np.inf), where=tau > 0)))

    def _tighten_upper(self) -> None:
        """Tighten the upper bound by the weights as they are now."""
        self.evidence.upper = min(self.evidence.upper, self._upper())
        self.tally.growth = 0

    def _tighten_lower(self, rows: Any, order: Array | None) -> None:
        """Tighten the lower bound by the present weights, which got every row right."""
        norm = np.sqrt(np.maximum(self.norm2 - self.norm2_rounding, 0))
        if np.all(norm > 0):
            number = np.finfo(self.dtype)
            R2 = rows.radius2(order) + self.fit_intercept
            depth = len(self.support) / 16 + 16
            size = max(float(np.abs(part).sum(axis=0).max(initial=0)) for part in (self.alpha, self.coef))
            rounding = (float(number.eps) * depth * R2 + 4 * float(number.tiny)) * size / norm.min()
            least = float(np.min(self.least / np.sqrt(self.norm2 + self.norm2_rounding)))
            self.evidence.lower = max(self.evidence.lower, 0.0, least - float(rounding))

    @property
    def margin_bounds(self) -> tuple[float, float]:
        return self.evidence.lower, min(self.evidence.upper, self._upper())

    # ---- reading -------------------------------------------------------------------------------------------------

    def _summed(self, updates: int, share: Array | None = None) -> Array:
        """The first so many updates summed for each example kept, each times its share."""
        coef = self.coef[:updates] if share is None else self.coef * share[:, None]
        out = np.zeros(self.alpha.shape)
        np.add.at(out, self.which[:updates], coef)
        return out.astype(self.dtype)

    def dual(self, readout: str | None = None) -> Array:
        """Coefficients of the examples kept, (n_support, n_vectors), in a readout that is a sum of them."""
        readout = readout or self.readout
        if readout == "averaged" and self.visited:
            dual = self._summed(self.length, 1 - (self.time - 1) / self.visited)
        else:
            dual = self._summed(self.pocketed) if readout == "pocket" else self.alpha
        return dual[:, : self.n_vectors]

    def scores(self, rows: Any, readout: str | None = None) -> Array:
        """Scores of the rows by the readout, or the votes: (n,) with one vector, else (n, n_vectors)."""
        readout = readout or self.readout
        check_name("readout", readout, READOUTS)
        voted = readout == "voted"
        out = np.empty((rows.n_rows, self.n_vectors), np.float64 if voted else rows.dtype)
        dual = None if voted else self.dual(readout)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            scores = self._votes(rows, part) if dual is None else rows.scores(part, self.support, dual)
            out[part] = rows.library.get(scores)

        with rows.library.products(rows.precision):
            rows.in_strips(rows.n_rows, max(rows.n_features, len(self.support), self._width if voted else 1), work)
        return out[:, 0] if self.n_vectors == 1 else out

    @property
    def _width(self) -> int:
        """How many numbers the votes for one row take at once."""
        if self.form == "multiclass":
            return self.length * self.n_vectors
        return int(np.count_nonzero(self.coef[:, : self.n_vectors], axis=0).max(initial=0))

    def _votes(self, rows: Any, part: slice) -> Any:
        """Each weight vector votes with the number of examples that it survived for what it would predict."""
        n, k, put = part.stop - part.start, self.n_vectors, rows.library.put
        out = rows.library.zeros((n, k), np.float64)
        K = rows.against_all(part, self.support)
        xp, several = namespace(K), self.form == "multiclass"
        for c in [0] if several else range(k):
            own = np.arange(self.length) if several else np.flatnonzero(self.coef[:, c])
            first, *later = self._counts(self.time[own])
            counts, terms = put(np.array(later)), K[:, put(self.which[own])]
            if several:
                winner = xp.cumsum(terms[:, :, None] * put(self.coef[None, :, :k]), axis=1).argmax(axis=2)
                for r in range(k):
                    out[:, r] = ((winner == r) * counts).sum(axis=1) + (first if r == 0 else 0)
            else:
                terms *= put(self.coef[own, c])
                out[:, c] = 2 * ((xp.cumsum(terms, axis=1) > 0) * counts).sum(axis=1) - self.visited
        return out

    def _counts(self, times: Array) -> Array:
        """How many examples each weight vector survived, the one that made it included; the first vector is zero."""
        return np.diff(np.concatenate(([1], times, [self.visited + 1]))).astype(np.float64)


def _joined(pieces: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    which, coef, time = zip(*pieces)
    return np.concatenate(which), np.concatenate(coef), np.concatenate(time)
