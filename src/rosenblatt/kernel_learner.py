"""The learner in kernel space: its weights are a sum of examples, and it learns in blocks.

For a block of rows the scores by all examples kept so far are one matrix product, and the kernel matrix of the block
corrects them as the native loop walks through it: the same loop as in linear space, over the scores of the block
instead of weights. The result is that of one example at a time, whatever the size of the blocks.

What is kept is the history of updates: which example, by how much for each class, and when. All readouts are read from
it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engine, rules
from .convergence import Evidence
from .kernels import Kernel
from .learner import Learner
from .state import CURRENT, GROWTH, MISTAKES, ROOM, UPDATES, VISITED, State, check_name

Array = NDArray[Any]

READOUTS = ("last", "averaged", "voted", "pocket")
_CHUNK = 1 << 22  # numbers of a matrix that is made and used piece by piece


@dataclass
class KernelRows:
    """Rows seen through a kernel. With a precomputed one, X holds the kernel's values in its columns."""

    X: Any
    kernel: Kernel
    dtype: np.dtype[Any]
    index: Array | None = None  # which rows of a larger table they are,
    n_all: int | None = None  # and how many that has
    on_cuda: bool = False
    _device: Any = None

    @property
    def device(self) -> Any:
        """The rows on a CUDA device, once they are asked for there; None: they stay where they are."""
        if self.on_cuda and self._device is None:
            from .kernel_cuda import Device

            self._device = Device(self.X, self.kernel)
        return self._device

    def part(self, which: Array) -> KernelRows:
        """Some of the rows, which go by their old numbers."""
        return KernelRows(self.X[which], self.kernel, self.dtype, which, self.n_rows, self.on_cuda)

    @property
    def view(self) -> KernelRows:
        return self

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def largest(self) -> float:
        return 1.0

    def diagonal(self) -> Array:
        """K(x, x) of every row."""
        if self.kernel.name == "precomputed":
            return np.asarray(np.diagonal(self.X) + (1 if self.kernel.bias else 0))
        return self.kernel.diagonal(self.X)

    def radius2(self, order: Array | None = None) -> float:
        """R² without the bias feature: max K(x, x) over the rows in ``order`` (None: all)."""
        found = self.diagonal() if order is None else self.diagonal()[order]
        return max(0.0, float(found.max(initial=0.0)) - self.kernel.bias)

    def within(self, which: Array) -> Array:
        """The kernel matrix of some rows."""
        if self.kernel.name == "precomputed":
            return np.ascontiguousarray(self.X[np.ix_(which, which)] + self.dtype.type(self.kernel.bias))
        part = self.X[which]
        return np.ascontiguousarray(self.kernel.matrix(part, part), self.dtype)

    def against(self, which: Any, support: Support) -> Array:
        """The kernel of some rows with the examples kept."""
        if self.on_cuda:
            made: Array = self.device.against(which, support).get()
            return made
        if self.kernel.name == "precomputed":
            return np.asarray(self.X[which][:, support.index] + self.dtype.type(self.kernel.bias))
        return self.kernel.matrix(self.X[which], support.vectors)


class Support:
    """The examples that the weights are a sum of, in the order they were kept."""

    def __init__(self, precomputed: bool) -> None:
        self.index = np.zeros(0, np.int64)  # which rows they were
        self.precomputed = precomputed
        self._room: Any = None  # a dense array with room for more, or one sparse matrix

    def __len__(self) -> int:
        return len(self.index)

    def add(self, rows: Any, index: Array) -> None:
        """Keep some rows more."""
        before = len(self)
        self.index = np.concatenate((self.index, index))
        if self.precomputed:
            return
        if engine.is_sparse(self._room if before else rows):  # as the first were
            import scipy.sparse as sp

            self._room = sp.vstack([self._room, rows], format="csr") if before else rows
            return
        rows = rows.toarray() if engine.is_sparse(rows) else rows
        if self._room is None or len(self._room) < len(self):
            grown = np.empty((2 * len(self), rows.shape[1]), rows.dtype)
            if self._room is not None:
                grown[:before] = self._room[:before]
            self._room = grown
        self._room[before : len(self)] = rows

    @property
    def vectors(self) -> Any:
        """Their rows."""
        if self._room is None or engine.is_sparse(self._room):
            return self._room
        return self._room[: len(self)]


class KernelLearner(Learner):
    """A mistake-driven learner in kernel space. ``State`` tells the parameters that it shares with the linear one.

    Parameters
    ----------
    kernel : Kernel
        The kernel, which adds the constant feature itself.
    block_size : int
        How many examples go through a matrix product together. It changes nothing but the time.
    """

    def __init__(
        self, rule: rules.Rule, kernel: Kernel, *, readout: str = "last", block_size: int = 256, **options: Any
    ) -> None:
        check_name("readout", readout, READOUTS)
        super().__init__(rule, fit_intercept=kernel.bias, **options)
        self.readout, self.kernel, self.block_size = readout, kernel, block_size

    # ---- the history ---------------------------------------------------------------------------------------------

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """No examples kept yet."""
        self.n_features, self.n_classes, self.dtype = n_features, n_classes, np.dtype(dtype)
        self.total = self.pocket = self.start = None
        self.tally = np.zeros(2 * self.n_vectors + 9)
        self.tally[CURRENT] = 1
        self.evidence = Evidence()
        self.support = Support(self.kernel.name == "precomputed")
        self.slot: dict[int, int] = {}  # of each row kept
        stride = engine.stride_of(self.n_vectors)
        self.alpha = np.zeros((0, stride), self.dtype)  # summed steps of each example kept; padded as all weights are
        self.coef = np.zeros((0, stride), self.dtype)  # the step of each update,
        self.which = np.zeros(0, np.int64)  # the slot of its example
        self.time = np.zeros(0, np.int64)  # and when it was, from 1
        self.first_row = self.offered = 0  # what the rows of a call are counted from, and how many there have been
        self.norm2 = np.zeros(self.slots)  # ‖w‖², of all vectors together or of each against the rest
        self.norm2_rounding = np.zeros(self.slots)
        self.run = self.best_run = self.pocketed = self.pocket_errors = 0  # pocketed: so many updates are in the pocket
        self.refused = -1  # so many updates were no better
        self._make_room()
        self._arrange()

    def _arrange(self) -> None:
        self._native_rule = self.rule.native(self.multiclass)
        self._read = None
        self._swift = False
        self._capacity = 0

    def _make_room(self) -> None:
        self.tally[ROOM] = float(np.finfo(self.dtype).max) / 16

    def _arrays(self) -> list[str]:
        return ["alpha", "coef"]

    def add_class(self, code: int) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one."""
        before, share = self.n_classes, self.rule.class_share
        super().add_class(code)
        if self.n_classes > 2 and self.form == "ovr":
            kept = [c for c in range(self.n_classes) if c != code]
            norms = np.zeros((2, self.n_classes))
            norms[:, kept] = (self.norm2, self.norm2_rounding)
            self.norm2, self.norm2_rounding = norms
        elif before == 2:
            self.norm2, self.norm2_rounding = self.norm2 * 2 * share**2, self.norm2_rounding * 2 * share**2

    # ---- learning ------------------------------------------------------------------------------------------------

    def _whole_pass(self, rows: Any, targets: Array, order: Array | None, weight: Array | None) -> tuple[int, int]:
        self.first_row, self.offered, self.kernel = 0, rows.n_all or rows.n_rows, rows.kernel
        return super()._whole_pass(rows, targets, order, weight)

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
        for name in ("support", "slot", "which", "time", "norm2", "norm2_rounding", "pocketed"):
            setattr(self, name, getattr(earlier, name))

    def _pass(self, view: Any, targets: Any, order: Array | None, weight: Array | None, ratchet: bool = False) -> None:
        """Learn from the rows in order, a block at a time."""
        self._read = None
        if weight is not None and not self.weighted:
            self.weighted = bool(np.any((weight != 1) & (weight != 0)))
        which = np.arange(view.n_rows) if order is None else order.astype(np.int64)
        if self.readout == "pocket" and ratchet and not self.visited:
            self.pocket_errors = self._score(view, targets, order)
        step = min(self.block_size, view.device.most(self.n_vectors)) if view.on_cuda else self.block_size
        for start in range(0, len(which), step):
            self._learn_block(view, targets, which[start : start + step], weight)
            if self.readout == "pocket":
                self._fill_pocket(view, targets, order, ratchet)
        if self.readout == "pocket":
            self._settle(view, targets, order, ratchet, len(self.which))

    def _learn_block(self, rows: Any, targets: Array, which: Array, weight: Array | None) -> None:
        part = np.ascontiguousarray(targets[which])
        weights = None if weight is None else np.ascontiguousarray(weight[which])
        before, walk = self.visited, self._walk_on_cuda if rows.on_cuda else self._walk
        visited, steps, diagonal = walk(rows, which, part, weights)
        moved = np.flatnonzero(steps.any(axis=1))
        self._block = (visited, part, moved, len(self.which))
        self._keep(rows, which[moved], steps[moved], before + 1 + moved)
        self._note_norms(steps[moved], visited[moved], diagonal[moved])

    def _walk(self, rows: Any, which: Array, targets: Array, weight: Array | None) -> tuple[Array, Array, Array]:
        """Go through a block: the scores at each visit, the steps, and K(x, x)."""
        gram = rows.within(which)
        k, n = self.n_vectors, len(which)
        scores = engine.zeros(1 + n, engine.stride_of(k), self.dtype)
        scores[1:, :k] = self._scores_of(rows, which, self.alpha)
        model = (self.form, scores, k, False, self.ties == "mistake", None, None, self.epsilon or 0.0)
        steps = np.zeros((n, k))
        examples = (targets, None, weight, 0, None, steps)
        if not engine.learn(("gram", gram), model, self._native_rule, examples, None, self.tally, False):
            raise ValueError(self._overflow)
        return scores[1:, :k].astype(np.float64), steps, np.diagonal(gram).astype(np.float64)

    def _walk_on_cuda(
        self, rows: Any, which: Array, targets: Array, weight: Array | None
    ) -> tuple[Array, Array, Array]:
        """The same there; what the native loop counts is counted from what comes back."""
        scores, steps, diagonal = rows.device.walk(self, which, targets, weight)
        if not np.all(np.isfinite(scores)):
            raise ValueError(self._overflow)
        scores = scores.astype(np.float64)
        margin, wrong = self._margins(scores, targets)
        if self.form == "multiclass":
            gains = steps[np.arange(len(which)), targets][:, None]
        else:
            gains = np.abs(steps)
        self.tau[:] += gains.sum(axis=0)
        self.least[:] = np.minimum(self.least, margin.min(axis=0))
        self.tally[VISITED] += len(which)
        self.tally[MISTAKES] += wrong.sum()
        self.tally[UPDATES] += np.count_nonzero(gains)
        return scores, steps, diagonal.astype(np.float64)

    def _keep(self, rows: Any, index: Array, steps: Array, times: Array) -> None:
        """Write updates into the history."""
        names = (self.first_row + (index if rows.index is None else rows.index[index])).tolist()
        new = [i for i, name in enumerate(names) if name not in self.slot]
        for i in new:
            self.slot[names[i]] = len(self.slot)
        if new:
            self.support.add(None if self.support.precomputed else rows.X[index[new]], np.array(names)[new])
            self.alpha = np.concatenate((self.alpha, np.zeros((len(new), self.alpha.shape[1]), self.dtype)))
        slots = np.array([self.slot[name] for name in names], np.int64)
        coef = np.zeros((len(names), self.alpha.shape[1]), self.dtype)
        coef[:, : self.n_vectors] = steps
        np.add.at(self.alpha, slots, coef)
        self.which, self.coef = np.concatenate((self.which, slots)), np.concatenate((self.coef, coef))
        self.time = np.concatenate((self.time, times))

    def _note_norms(self, steps: Array, scores: Array, diagonal: Array) -> None:
        """‖w‖² grows by ``2·a·s + a²·K(x, x)`` with each update; and by how much rounding may have hidden."""
        grown = 2 * steps * scores + steps**2 * diagonal[:, None]
        size = 2 * np.abs(steps * scores) + steps**2 * np.abs(diagonal[:, None])
        axis = 0 if self.slots > 1 else None
        self.norm2 = self.norm2 + grown.sum(axis=axis)
        self.norm2_rounding = self.norm2_rounding + 8 * float(np.finfo(self.dtype).eps) * size.sum(axis=axis)

    def _scores_of(self, rows: Any, which: Any, dual: Array) -> Array:
        """Scores of some rows by a sum of the examples kept."""
        n = len(which) if not isinstance(which, slice) else which.stop - which.start
        if not len(self.support):
            return np.zeros((n, self.n_vectors), self.dtype)
        if rows.on_cuda:
            found: Array = rows.device.scores(which, self.support, dual[:, : self.n_vectors].astype(rows.dtype))
            return found
        return np.asarray(rows.against(which, self.support) @ dual[:, : self.n_vectors].astype(rows.dtype, copy=False))

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
        step = max(self.block_size, 1024)
        for start in range(0, len(which), step):
            part = which[start : start + step]
            scores = self._scores_of(rows, part, self.alpha if dual is None else dual)
            margin, wrong = self._margins(scores.astype(np.float64), targets[part])
            mistakes += int(wrong.sum())
            least = np.minimum(least, margin.min(axis=0))
            if mistakes and stop_at_mistake:
                break
        if dual is None:
            self.least[:] = least
        return mistakes

    def _fill_pocket(self, rows: Any, targets: Array, order: Array | None, ratchet: bool) -> None:
        """Follow the runs of right answers through a block; one that beats all before it fills the pocket."""
        scores, part, moved, updates = self._block
        wrong: list[bool] = np.any(self._margins(scores, part)[1], axis=1).tolist()
        moves = np.zeros(len(part), bool)
        moves[moved] = True
        for is_wrong, is_moved in zip(wrong, moves.tolist()):
            self.run += not is_wrong
            if is_wrong or is_moved:
                self._settle(rows, targets, order, ratchet, updates)
                self.run = 0
                updates += is_moved

    def _settle(self, rows: Any, targets: Array, order: Array | None, ratchet: bool, updates: int) -> None:
        """Put the weights after so many updates into the pocket, if their run is the longest (and they do better)."""
        if self.run <= self.best_run or updates == self.refused:
            return
        if updates != self.pocketed and ratchet:
            errors = self._score(rows, targets, order, dual=self._summed(updates))
            if errors >= self.pocket_errors:
                self.refused = updates
                return
            self.pocket_errors = errors
        self.best_run, self.pocketed = self.run, updates

    # ---- bounds --------------------------------------------------------------------------------------------------

    def _upper(self) -> float:
        """``‖w‖/Σ τ``; a kernel that is no inner product (a negative ‖w‖² gives it away) bounds nothing."""
        inner_product = self.kernel.name != "sigmoid" and np.all(self.norm2 + self.norm2_rounding >= 0)
        if not np.any(self.tau > 0) or not inner_product:
            return math.inf
        norm = np.sqrt(np.maximum(self.norm2, 0) + self.norm2_rounding)
        return float(np.min(np.divide(norm, self.tau, out=np.full(len(self.tau), np.inf), where=self.tau > 0)))

    def _look(self) -> None:
        """Tighten the upper bound by the weights as they are now."""
        self.evidence.upper = min(self.evidence.upper, self._upper())
        self.tally[GROWTH] = 0

    def _show(self, rows: Any, order: Array | None) -> None:
        """Tighten the lower bound by the present weights, which got every row right."""
        norm = np.sqrt(np.maximum(self.norm2 - self.norm2_rounding, 0))
        if np.all(norm > 0):
            R2 = rows.radius2(order) + self.fit_intercept
            depth = len(self.support) / 16 + 16
            rounding = (
                float(np.finfo(self.dtype).eps) * depth * R2 * float(np.abs(self.alpha).sum(axis=0).max()) / norm.min()
            )
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
            found = self._summed(len(self.which), 1 - (self.time - 1) / self.visited)
        else:
            found = self._summed(self.pocketed) if readout == "pocket" else self.alpha
        return found[:, : self.n_vectors]

    def scores(self, rows: Any, readout: str | None = None) -> Array:
        """Scores of the rows by the readout, or the votes: (n,) with one vector, else (n, n_vectors)."""
        readout = readout or self.readout
        check_name("readout", readout, READOUTS)
        step = max(1, _CHUNK // max(1, len(self.support)))
        out = np.empty((rows.n_rows, self.n_vectors), np.float64 if readout == "voted" else rows.dtype)
        dual = None if readout == "voted" else self.dual(readout)
        for start in range(0, rows.n_rows, step):
            part = slice(start, min(start + step, rows.n_rows))
            out[part] = self._votes(rows, part) if dual is None else self._scores_of(rows, part, dual)
        return out[:, 0] if self.n_vectors == 1 else out

    def _votes(self, rows: Any, part: slice) -> Array:
        """Each weight vector votes with the number of examples that it survived for what it would predict."""
        n, k = part.stop - part.start, self.n_vectors
        out = np.zeros((n, k))
        K = rows.against(part, self.support) if len(self.support) else np.zeros((n, 0))
        several = self.form == "multiclass"
        step = max(1, _CHUNK // max(1, len(self.which) * (k if several else 1)))
        for start in range(0, n, step):
            block = slice(start, min(start + step, n))
            if several:
                prefix = np.cumsum(K[block][:, self.which, None] * self.coef[None, :, :k], axis=1)
                counts, winner = self._counts(self.time), prefix.argmax(axis=2)
                out[block] = np.stack([(winner == c) @ counts[1:] for c in range(k)], axis=1)
                out[block, 0] += counts[0]
                continue
            for c in range(k):
                own = np.flatnonzero(self.coef[:, c])
                counts = self._counts(self.time[own])
                prefix = np.cumsum(K[block][:, self.which[own]] * self.coef[own, c], axis=1)
                out[block, c] = np.where(prefix > 0, 1.0, -1.0) @ counts[1:] - counts[0]
        return out

    def _counts(self, times: Array) -> Array:
        """How many examples each weight vector survived, the one that made it included; the first vector is zero."""
        return np.diff(np.concatenate(([1], times, [self.visited + 1]))).astype(np.float64)
