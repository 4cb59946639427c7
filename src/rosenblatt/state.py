"""The state of a run: its weights, its tally and its bounds, how they grow, and the readouts.

Weights stand class-minor: row 0 the biases, then one row per feature, in it one number per weight vector, and padding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engine, rules
from .convergence import STOPPED, Evidence

Array = NDArray[Any]

#: Places in the tally that a run keeps. Before them stand Σ τ and the smallest margin of each vector.
GROWTH, ROOM, VISITED, MISTAKES, UPDATES, RUN, BEST, ERRORS, CURRENT = range(-9, 0)

READOUTS = ("last", "averaged", "pocket")
TIES = ("mistake", "predict")
INITS = ("zeros", "random")


def check_name(what: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse a name that is not one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, allowed))}; got {value!r}")


class State:
    """What a learner is made of, a rule and a readout, and what its run has come to.

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
        self.weighted = False  # some example had a weight other than 1
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
        self._one_example = [(code, None, None, 0) for code in range(self.n_classes)]
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
        if not self.tally[ROOM] > 0:
            raise ValueError(
                f"the starting weights are too large: their squares overflow {self.dtype}; scale them down"
            )

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

    def add_class(self, code: int, used: Array | None = None) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one.

        ``used``: the only features whose weights may not be 0; None: any.
        """
        if self._frozen:
            self._thaw()
        before = self.n_classes
        rows = slice(None) if used is None or self.start is not None else np.concatenate(([0], 1 + used))
        if before == 1 and code == 0:  # the class known so far was y = −1 and is now y = +1
            for name in self._arrays():
                held = getattr(self, name)
                held[rows] = 0.0 - held[rows]  # which leaves no −0
        self.n_classes += 1
        if self.n_classes > 2:
            share = 1.0 if self.multiclass == "ovr" else self.rule.class_share
            kept = [c for c in range(self.n_classes) if c != code]
            stride = engine.stride_of(self.n_vectors)
            for name in self._arrays():
                old = getattr(self, name)
                part = old[rows]
                moved = np.zeros((len(part), stride), old.dtype)
                moved[:, kept] = part * (-share, share) if before == 2 else part[:, :before]
                moved += 0.0  # −0 would add up differently
                new = old if stride == old.shape[1] else engine.zeros(len(old), stride, old.dtype)
                new[rows] = moved
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

    def _look(self) -> None:
        """Tighten the bounds by the weights as they are now."""
        evidence = self.evidence
        evidence.look(self.active, self._start_rows(), self.tau, self._roundings, float(self.tally[GROWTH]))
        self.tally[GROWTH] = 0
        self._make_room()

    @property
    def _roundings(self) -> float:
        """How many updates of one vector round as much: where classes share a step, what each loses is rounded too."""
        if self.form != "multiclass":
            return self.n_updates
        shares = self.n_vectors * float(np.finfo(np.float64).eps / np.finfo(self.dtype).eps)
        return self.n_updates * (2 + shares)

    def _start_rows(self) -> Array | None:
        return None if self.start is None else self.start[: 1 + self.n_features]

    def _restore(self, earlier: State) -> None:
        """Take back the weights of an earlier pass; the counts and bounds stay those of the whole run."""
        updates = self.n_updates
        for name in (*self._arrays(), "tally"):
            setattr(self, name, getattr(earlier, name))
        self.tally[UPDATES] = updates
        self.evidence = replace(earlier.evidence, lower=self.evidence.lower, upper=self.evidence.upper)
        self._arrange()

    # ---- reading -------------------------------------------------------------------------------------------------

    @property
    def margin_bounds(self) -> tuple[float, float]:
        growth = float(self.tally[GROWTH])
        now = self.evidence.upper_now(self.active, self._start_rows(), self.tau, self._roundings, growth)
        return self.evidence.lower, min(self.evidence.upper, now)

    def read(self, readout: str | None = None) -> Array:
        """The weights of a readout: row 0 the biases, then one row per feature; one column per vector, and padding."""
        readout = readout or self.readout
        check_name("readout", readout, READOUTS)
        if readout == "last":
            return self.active
        if readout != self.readout:
            kept = "'last'" if self.readout == "last" else f"{self.readout!r} or 'last'"
            raise ValueError(f"this run can be read as {kept} only; fit a learner whose readout is {readout!r} instead")
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
