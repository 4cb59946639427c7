"""The state of a run: its weights, its tally and its bounds, how they grow, and the readouts.

Weights stand class-minor: row 0 the biases, then one row per feature, in it one number per weight vector, and padding.
Where there are very many features and few of them have weights, the others have no row (``groups``): memory grows
with the features that were met. Every sum goes over the same numbers in the same order either way.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engine, memory, rules
from .convergence import STOPPED, Evidence
from .groups import SIXTEEN, Groups

Array = NDArray[Any]

#: Places in the tally that a run keeps. Before them stand Σ τ and the smallest margin of each vector.
GROWTH, ROOM, VISITED, MISTAKES, UPDATES, RUN, BEST, ERRORS, CURRENT = range(-9, 0)

#: Weights of more bytes than these, of more features than a few, are kept for the features that were met alone,
WIDE, FEW = 1 << 26, 1 << 10
#: unless they are more than this share of all.
SHARE = 2
#: Rows of weights that are averaged at a time.
_PART = 1 << 16

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

    #: Where the weights live: "linear", or "kernel", the learners of which have a ``kernel`` and a ``support``.
    space = "linear"

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

    #: Which features have rows among the weights; None: all.
    groups: Groups | None = None

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """Zero weights for this many features and classes."""
        self.n_features, self.n_classes, self.dtype = n_features, n_classes, np.dtype(dtype)
        self.groups = Groups() if self._is_wide(n_features) else None
        n_rows = n_features if self.groups is None else len(self.groups)
        self.weights = self._zeros(n_rows, engine.stride_of(self.n_vectors), self.dtype)
        self.total = np.zeros(self.weights.shape) if self.readout == "averaged" else None
        self.pocket = np.zeros(self.weights.shape, dtype) if self.readout == "pocket" else None
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
        self._swift = self.pocket is None and not self.batch and self.epsilon is None and self.groups is None
        self._capacity = len(self.weights) - 1

    def __getstate__(self) -> dict[str, Any]:
        ready = ("_model", "_native_rule", "_read", "_capacity", "_swift")
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
        self.groups = copy.deepcopy(self.groups)
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
        """The weights in use: row 0 the biases, then one row per feature; one column per vector, and padding.

        Features that have no rows are left out, sixteen neighbours at a time.
        """
        return self.in_order(self.weights)

    def in_order(self, held: Array) -> Array:
        """The rows of ``weights``, or of an array that has the same, in the order of the features: see ``features``."""
        if self.groups is None:
            return held[: 1 + self.n_features]
        return held[np.concatenate(([0], 1 + self.groups.places_in_order()))]

    def features(self) -> Array | None:
        """The features that have rows, ascending; the last ones may be beyond the last feature. None: all have."""
        return None if self.groups is None else self.groups.features()

    def begin(self, coef: Array, intercept: Array) -> None:
        """Start from given weights, (n_vectors, n_features) and (n_vectors,), instead of zero."""
        self.spread()
        k = self.n_vectors
        self.weights[1 : 1 + self.n_features, :k] = np.asarray(coef).T
        self._begin_with(intercept)

    def begin_at(self, earlier: State) -> None:
        """Start from the last weights of another run with as many features and vectors."""
        if earlier.groups is None:
            k = self.n_vectors
            weights = earlier.active[:, :k]
            self.begin(weights[1:].T, weights[0])
            return
        self.groups = copy.deepcopy(earlier.groups)
        for name in self._arrays():
            held = getattr(self, name)
            setattr(self, name, self._zeros(len(earlier.weights) - 1, held.shape[1], held.dtype))
        self.weights[:] = earlier.weights
        self._begin_with(earlier.weights[0, : self.n_vectors])

    def _begin_with(self, intercept: Array) -> None:
        self.weights[0, : self.n_vectors] = intercept if self.fit_intercept else 0
        self.weights += 0.0  # −0 would add up differently
        self.start = self.weights.copy()
        if self.pocket is not None:
            self.pocket[:] = self.weights
        self._arrange()
        self._look()
        if not self.tally[ROOM] > 0:
            raise ValueError(
                f"the starting weights are too large: their squares overflow {self.dtype}; scale them down"
            )

    def _arrays(self) -> list[str]:
        return [name for name in ("weights", "total", "pocket", "start") if getattr(self, name) is not None]

    def reserve(self, n_rows: int) -> None:
        """Room for the weights of this many features that have any, at least doubling what there was."""
        capacity = self._capacity
        if n_rows <= capacity:
            return
        larger = {}
        for name in self._arrays():
            old = getattr(self, name)
            larger[name] = self._zeros(max(n_rows, 2 * capacity, 64), old.shape[1], old.dtype)
            larger[name][: len(old)] = old
        self._replace(larger)

    def _replace(self, arrays: dict[str, Any]) -> None:
        """Take over arrays all at once, so that an error or an interrupt leaves the old ones or the new ones."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__ | arrays)
        other._arrange()
        self.__dict__ = other.__dict__

    def _zeros(self, n_rows: int, stride: int, dtype: Any) -> Array:
        """Zeros for the biases and for so many features; refuses what is larger than the memory that there is."""
        self._check_room((1 + n_rows) * stride * np.dtype(dtype).itemsize, n_rows)
        return engine.zeros(1 + n_rows, stride, dtype)

    def zeros_by_vector(self) -> Array:
        """Zeros of (n_vectors, n_features); refuses what is larger than the memory that there is."""
        self._check_room(self.n_vectors * self.n_features * self.dtype.itemsize, self.n_features)
        return np.zeros((self.n_vectors, self.n_features), self.dtype)

    def _check_room(self, n_bytes: int, n_features: int) -> None:
        vectors = f" × {self.n_vectors:,} classes" if self.n_vectors > 1 else ""
        memory.check(
            n_bytes, f"weights of {n_features:,} features{vectors}",
            "number or hash the features into fewer columns (to learn from sparse rows and to score them needs no such "
            "array)",
        )  # fmt: skip

    # ---- few among very many features ----------------------------------------------------------------------------

    def _is_wide(self, n_features: int) -> bool:
        """Whether a weight for each of so many features would take much memory."""
        return n_features > FEW and n_features * engine.stride_of(self.n_vectors) * self.dtype.itemsize > WIDE

    @property
    def _most_groups(self) -> int:
        return self.n_features // (SHARE * SIXTEEN)

    def placed(self, rows: engine.Rows, *, learn: bool) -> engine.Rows:
        """Rows with the places of their features among the weights; ``learn``: features that are new get places."""
        groups = self.groups
        if groups is None or rows.placed:
            return rows
        if len(rows.view) == 1:  # dense rows have every feature
            if learn:
                self.spread()
            return rows
        indptr, indices, data, _ = rows.view
        used = slice(int(indptr[0]), int(indptr[-1]))
        known = groups.count
        try:
            places = groups.meet(indices[used], self._most_groups) if learn else groups.places(indices[used])
            if places is None:
                self.spread()
                return rows
            if learn:
                self.reserve(len(groups))
        except BaseException:
            if self.groups is groups and len(groups) > self._capacity:  # there is no room for those that are new
                groups.forget(known)
            raise
        if used.start:
            places = np.concatenate((indices[: used.start], places))
        return rows._replace(view=(indptr, places, data, len(groups)), placed=True)

    def rows_for(self, numbers: Array) -> Array:
        """The rows of ``weights`` for these: 0 the biases, 1 + j feature j, ascending; new features get one."""
        biases = int(len(numbers) > 0 and numbers[0] == 0)
        features = numbers[biases:] - 1
        places = None if self.groups is None else self.groups.meet(features, self._most_groups)
        if self.groups is None or places is None:
            self.spread()
            return numbers
        self.reserve(len(self.groups))
        return np.concatenate((numbers[:biases], 1 + places))

    def spread(self) -> None:
        """Give every feature a row, as dense rows and named features need."""
        if self.groups is not None:
            self._replace({name: self.dense(getattr(self, name)) for name in self._arrays()} | {"groups": None})

    def dense(self, held: Array) -> Array:
        """The rows of ``weights``, or of an array that has the same, one for each feature."""
        if self.groups is None:
            return held[: 1 + self.n_features]
        rows = self._zeros(self.n_features, held.shape[1], held.dtype)
        features, places = self.groups.features(), self.groups.places_in_order()
        there = (features < self.n_features) & (places < len(held) - 1)
        rows[0], rows[1 + features[there]] = held[0], held[1 + places[there]]
        return rows

    def widen(self, n_features: int) -> None:
        """Let there be so many features, of which the new ones have no weights yet."""
        if self._frozen:
            self._thaw()
        if self.groups is None and n_features > self._capacity:
            before, self.n_features = self.n_features, max(n_features, self.n_features)
            if not (self._is_wide(n_features) and self._gather(self._with_weights(before))):
                self.reserve(n_features)
        self.n_features = n_features

    def _with_weights(self, n_features: int) -> Array:
        """Those of the first features whose weights are not all 0."""
        used = np.zeros(n_features, bool)
        for name in self._arrays():
            used |= (getattr(self, name)[1 : 1 + n_features] != 0).any(axis=1)
        return np.flatnonzero(used)

    def _gather(self, features: Array) -> bool:
        """Keep rows for these features alone; False: they are too many for that."""
        groups = Groups()
        places = groups.meet(features, self._most_groups)
        if places is None:
            return False
        for name in self._arrays():
            old = getattr(self, name)
            new = self._zeros(len(groups), old.shape[1], old.dtype)
            new[0], new[1 + places] = old[0], old[1 + features]
            setattr(self, name, new)
        self.groups = groups
        self._arrange()
        return True

    # ---- classes, bounds -----------------------------------------------------------------------------------------

    def add_class(self, code: int, used: Array | None = None) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one.

        ``used``: the only features whose weights may not be 0; None: any.
        """
        if self._frozen:
            self._thaw()
        used = None if used is None else np.unique(used)
        before, stride = self.n_classes, engine.stride_of(self.n_vectors)
        self.n_classes += 1
        if self.groups is None and engine.stride_of(self.n_vectors) > stride and self._is_wide(self.n_features):
            self._gather(self._with_weights(self.n_features) if used is None else used)
        rows: Any = slice(None)
        if used is not None and self.start is None:
            rows = np.concatenate(([0], 1 + (used if self.groups is None else self.groups.places(used))))
        if before == 1 and code == 0:  # the class known so far was y = −1 and is now y = +1
            for name in self._arrays():
                held = getattr(self, name)
                held[rows] = 0.0 - held[rows]  # which leaves no −0
        if self.n_classes > 2:
            share = 1.0 if self.multiclass == "ovr" else self.rule.class_share
            kept = [c for c in range(self.n_classes) if c != code]
            stride = engine.stride_of(self.n_vectors)
            for name in self._arrays():
                old = getattr(self, name)
                if before > 2 and code == before and stride == old.shape[1]:
                    continue  # it comes last, where there are zeros for it
                part = old[rows]
                moved = np.zeros((len(part), stride), old.dtype)
                moved[:, kept] = part * (-share, share) if before == 2 else part[:, :before]
                moved += 0.0  # −0 would add up differently
                new = old if stride == old.shape[1] else self._zeros(len(old) - 1, stride, old.dtype)
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
        return None if self.start is None else self.in_order(self.start)

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
        return self.dense(self.stored(readout))

    def weights_at(self, features: Array, readout: str | None = None) -> Array:
        """The weights of a readout: row 0 the biases, then one row for each of these features."""
        places = features if self.groups is None else self.groups.places(features)
        return self.stored(readout)[np.concatenate(([0], 1 + places))]

    def stored(self, readout: str | None = None) -> Array:
        """The weights of a readout, with the rows that ``weights`` has."""
        readout = readout or self.readout
        check_name("readout", readout, READOUTS)
        last = self.weights if self.groups is not None else self.active
        if readout == "last":
            return last
        if readout != self.readout:
            kept = "'last'" if self.readout == "last" else f"{self.readout!r} or 'last'"
            raise ValueError(f"this run can be read as {kept} only; fit a learner whose readout is {readout!r} instead")
        if self._read is None:
            if self.pocket is not None:
                self._read = self.pocket[: len(last)]
            elif self.visited == 0:
                self._read = last
            else:
                assert self.total is not None
                mean = self._zeros(len(last) - 1, last.shape[1], self.dtype)
                for start in range(0, len(last), _PART):
                    part = slice(start, min(start + _PART, len(last)))
                    mean[part] = last[part] - self.total[part] / self.visited
                self._read = mean
        return self._read
