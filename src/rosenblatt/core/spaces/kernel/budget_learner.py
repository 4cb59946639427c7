"""The learner in kernel space on a budget: at most so many examples are kept, in a stream of any length.

It learns in the same exact blocks through the same native loop, which stops at every step: a policy says what becomes
of it (``budgets``), and the scores of the rows that follow in the block are corrected by the same. Nothing else of the
run is kept, so its memory and its time per example are bounded for ever.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import DataError, ParameterError
from ... import engine, rules
from ...state import State
from .budgets import Budget, Change, Random, Step
from .kernels import Kernel
from .learner import KernelLearner
from .rows import KernelRows, Support, dense

Array = NDArray[Any]


class Slots(Support):
    """The examples kept, where one may take the place of another."""

    def put(self, slots: Array, rows: Any, index: Array, codes: Array) -> Slots:
        """With rows written into slots, those of them that are new last and in order."""
        before, old = len(self), slots < len(self)
        self.index[slots[old]], self.codes[slots[old]] = index[old], codes[old]
        if self.precomputed or not engine.is_sparse(self.vectors):
            if not self.precomputed and np.any(old):
                self.vectors[slots[old]] = dense(rows[old])
            if not np.all(old):
                self.add(None if self.precomputed else rows[~old], index[~old], codes[~old])
            return self
        import scipy.sparse as sp

        take = np.concatenate((np.arange(before), slots[~old]))
        take[slots] = before + np.arange(len(slots))
        rows = sp.vstack([self.vectors, rows], format="csr")[take]
        other = Slots(self.precomputed)
        other.add(rows, *(np.concatenate((a, b[~old])) for a, b in ((self.index, index), (self.codes, codes))))
        return other


class BudgetLearner(KernelLearner):
    """A mistake-driven learner in kernel space that keeps at most ``budget.size`` examples.

    Parameters
    ----------
    budget : Budget
        How many, and which example is evicted.
    """

    policy: Random

    def __init__(self, rule: rules.Rule, kernel: Kernel, budget: Budget, *, readout: str = "last", **options: Any):
        if readout != "last":
            raise ParameterError(
                f"a budget keeps the examples of the last weights alone, so its readout is 'last', not {readout!r}; "
                "leave {budget} for the other readouts", "readout", budget=None,
            )  # fmt: skip
        super().__init__(rule, kernel, readout=readout, **options)
        self.budget = budget
        self.policy = budget.start(0.0)
        if self.policy.unit_steps and not rule.unit_steps:
            raise ValueError(
                f"budget_policy={budget.policy!r} is for Rosenblatt's rule with steps of 1, rules.Perceptron(), not "
                f"for {rule!r}; 'random' and 'projectron' go with every rule"
            )

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """No examples kept yet."""
        super().allocate(n_features, n_classes, dtype)
        self._check_form()
        self.support = Slots(self.support.precomputed)
        self.policy = self.budget.start(float(np.finfo(self.dtype).eps))

    def _build_native(self) -> None:
        super()._build_native()
        self._native_rule = self._native_rule_of(self.policy.rule(self.rule))

    def add_class(self, code: int, used: Array | None = None) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one."""
        super().add_class(code, used)
        self._check_form()

    def _check_form(self) -> None:
        form, policy = self.form, self.budget.policy
        if policy == "forgetron" and form != "binary":
            raise ValueError("budget_policy='forgetron' is defined for two classes; use 'random' or a projectron")
        if policy == "projectron++" and form != "binary" and self.multiclass != "max":
            raise ValueError(
                "budget_policy='projectron++' takes several classes with multiclass='max' alone, "
                f"not {self.multiclass!r}; use 'random' or 'projectron'"
            )

    def _restore(self, earlier: State) -> None:
        assert isinstance(earlier, BudgetLearner)
        super()._restore(earlier)
        self.policy = earlier.policy

    def _thaw(self) -> None:
        super()._thaw()
        self.policy, self.support = copy.deepcopy((self.policy, self.support))

    # ---- learning ------------------------------------------------------------------------------------------------

    def _open_score_cache(self, rows: Any) -> None:
        """None: the steps of evicted examples would have to be taken back there too."""

    def _pass(self, view: Any, targets: Any, order: Array | None, weight: Array | None, ratchet: bool = False) -> None:
        if self.policy.unit_steps and weight is not None and np.any((weight != 0) & (weight != 1)):
            row = int(np.flatnonzero((weight != 0) & (weight != 1))[0])
            raise DataError(
                f"budget_policy={self.budget.policy!r} is defined for steps of 1, so weights may be 0 or 1 alone, but "
                f"there is a weight {weight[row]:g}", "'random' and 'projectron' take any", row=row,
            )  # fmt: skip
        super()._pass(view, targets, order, weight, ratchet)

    def _matrices(self, rows: Any, which: Array) -> tuple[Array, Array]:
        """The kernel matrix of a block, and its kernel with the examples kept, with room for those of its own."""
        gram, m = np.ascontiguousarray(rows.within(which)), len(self.support)
        near = np.empty((len(which), min(self.budget.size, m + len(which))), self.dtype)
        if m:
            near[:, :m] = rows.against(which, self.support)
        return gram, near

    def _learn_block(
        self, rows: Any, targets: Array, which: Array, weight: Array | None, gram: Array, near: Array
    ) -> None:
        part = np.ascontiguousarray(targets[which])
        weights = None if weight is None else np.ascontiguousarray(weight[which])
        refused = self.policy.refusal(np.diagonal(gram))
        if refused is not None:
            raise refused.at(row=int(which[refused.row]))
        n, k, m, room = len(which), self.n_vectors, len(self.support), near.shape[1]
        alpha = np.zeros((room, self.alpha.shape[1]), self.dtype)
        alpha[:m] = self.alpha
        scores = engine.zeros(1 + n, engine.stride_of(k), self.dtype)
        scores[1:, :k] = near[:, :m] @ alpha[:m, :k]
        block = _Block(gram, near, alpha[:, :k], scores[1:, :k], m)
        block_rows, model = engine.GramRows(gram), self._model_of(scores, fit_intercept=False)
        steps, slots, first, begin = np.zeros((n, k)), {}, self.visited, 0
        while begin < n:
            mistakes = self.tally.mistakes
            if not engine.learn(
                rows=block_rows, model=model, rule=self.native_rule, targets=part, weight=weights, first=begin,
                steps=steps, tally=self.tally, stop=True,
            ):  # fmt: skip
                raise ValueError(self._overflow)
            begin = self.tally.visited - first
            i = begin - 1
            if steps[i].any():
                change = self._change(block, i, steps[i], self.tally.mistakes > mistakes)
                if change.slot is not None:
                    slots[change.slot] = i
        if not np.isfinite(alpha).all():
            raise ValueError(self._overflow)
        self.alpha = alpha[: block.kept]
        self._put(rows, which, targets, slots)

    def _change(self, block: _Block, i: int, coef: Array, wrong: bool) -> Change:
        """Ask the policy what becomes of the step on a row, and let the block follow."""
        near = block.near[i, : block.kept].astype(np.float64)
        margin = float(coef @ block.scores[i])  # of a step of 1; no one asks for that of others
        change = self.policy.change(Step(coef, margin, wrong, near, float(block.gram[i, i])), block.alpha[: block.kept])
        taken = coef if change.coef is None else change.coef
        if not change.moves or change.coef is not None:  # the loop has counted a step of 1
            gain = float(np.abs(taken).max()) if change.moves else 0.0
            self.tally.updates -= not change.moves
            self.tau[0] += gain - float(np.abs(coef).max())
        if change.moves:
            block.follow(i, change, taken.astype(self.dtype))
        return change

    def _put(self, rows: Any, which: Array, targets: Array, slots: dict[int, int]) -> None:
        """Keep the rows of a block that stand in slots at its end."""
        if not slots:
            return
        places = np.array(sorted(slots))
        local = which[[slots[slot] for slot in places.tolist()]]
        index = self.first_row + (local if rows.index is None else rows.index[local])
        assert isinstance(self.support, Slots)
        vectors = None if self.support.precomputed else rows.X[local]
        self.support = self.support.put(places, vectors, index, targets[local].astype(np.int64))

    # ---- bounds and readouts -------------------------------------------------------------------------------------

    def _upper(self) -> float:
        """None: what was removed or projected is no sum of examples any more."""
        return math.inf

    def _tighten_lower(self, rows: Any, order: Array | None) -> None:
        """The lower bound needs ``‖w‖² = αᵀKα`` of the examples kept."""
        kept = rows if self.support.precomputed else KernelRows(self.support.vectors, self.kernel, self.dtype)
        alpha = self.alpha[:, : self.n_vectors].astype(np.float64)
        norms, sizes = np.zeros((2, self.n_vectors))
        for start in range(0, len(alpha), 256):
            part = slice(start, min(start + 256, len(alpha)))
            K = kept.against(self.support.index[part] if self.support.precomputed else part, self.support)
            K = K.astype(np.float64)
            norms += np.einsum("ij,ij->j", alpha[part], K @ alpha)
            sizes += np.einsum("ij,ij->j", np.abs(alpha[part]), np.abs(K) @ np.abs(alpha))
        if self.slots == 1:
            norms, sizes = norms.sum(keepdims=True), sizes.sum(keepdims=True)
        self.norm2, self.norm2_rounding = norms, 8 * float(np.finfo(self.dtype).eps) * sizes
        super()._tighten_lower(rows, order)


class _Block:
    """A block of rows under way: its kernel values, the dual, and the scores of the rows that are still to come."""

    def __init__(self, gram: Array, near: Array, alpha: Array, scores: Array, kept: int) -> None:
        self.gram, self.near, self.alpha, self.scores, self.kept = gram, near, alpha, scores, kept

    def follow(self, i: int, change: Change, coef: Array) -> None:
        """Make a change that a step on row i has led to."""
        later, m = slice(i + 1, None), self.kept
        near, alpha, scores = self.near, self.alpha, self.scores[later]
        if change.scale != 1:
            alpha[:m] *= change.scale
            scores *= change.scale
            coef = coef * change.scale
        if change.spread is not None:
            share = change.spread.astype(alpha.dtype)
            alpha[:m] += share[:, None] * coef
            scores += (near[later, :m] @ share)[:, None] * coef
        if change.slot is not None:
            slot, column = change.slot, self.gram[later, i]
            if slot < m:
                scores -= near[later, slot, None] * alpha[slot]
            scores += column[:, None] * coef
            near[later, slot], alpha[slot] = column, coef
            self.kept = max(m, slot + 1)
