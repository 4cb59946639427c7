"""The state of a run: its weights, its tally and its bounds, how classes are added, and the readouts."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engine, rules
from .checks import check_name
from .convergence import Evidence
from .lists import Entries, Listed, bits_of
from .places import Placed, Places
from .unique import unique
from .verdicts import STOPPED
from .weights import Weights, check_full

Array = NDArray[Any]

#: Rows of weights that are averaged at a time.
_PART = 1 << 16

READOUTS = ("last", "averaged", "pocket")
TIES = ("mistake", "predict")


class State(Weights):
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
        Learn the weight of a constant feature.
    intercept_scaling : float
        That feature. What is kept as the bias is its weight times it.
    ratchet : bool
        The pocket is replaced only by weights that make strictly fewer mistakes on the training set.
    batch : bool
        One step per pass: the sum of the steps of all rows, each judged by the weights at the start of the pass.
    epsilon : float or None
        A regression with this half-width of the zone that counts as right; None: a classifier.
    """

    #: Where the weights live: "linear", or "kernel", the learners of which have a ``kernel`` and a ``support``.
    space = "linear"
    #: The kernel of a learner in kernel space, the examples that it keeps, and what becomes of them on a budget.
    kernel: Any = None
    support: Any = None
    policy: Any = None

    def __init__(
        self,
        rule: rules.Rule,
        *,
        readout: str = "last",
        ties: str = "mistake",
        multiclass: str = "max",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        ratchet: bool = False,
        batch: bool = False,
        epsilon: float | None = None,
    ) -> None:
        check_name("readout", readout, READOUTS)
        check_name("ties", ties, TIES)
        check_name("multiclass", multiclass, rules.SHARES)
        rule.check_fits(self.space, multiclass, epsilon is not None)
        if batch and readout != "last":
            raise ValueError(
                f"the batch learner takes one step per pass and has the readout 'last' only, not {readout!r}"
            )
        if batch and rule.keeps is not None:
            raise ValueError(
                f"the batch learner adds up the steps of a pass, and {type(rule).__name__} learns from one how to take "
                "the next; use it online"
            )
        if epsilon is not None and readout == "pocket":
            raise ValueError("a regression makes no mistakes to count: the readout 'pocket' is for classifiers")
        self.rule, self.readout, self.ties, self.multiclass = rule, readout, ties, multiclass
        self.fit_intercept, self.ratchet, self.batch, self.epsilon = bool(fit_intercept), ratchet, batch, epsilon
        self.intercept_scaling = float(intercept_scaling) if fit_intercept else 1.0
        self.n_classes = 0
        self.n_features = 0
        self.dtype = np.dtype(np.float64)
        self.passes: list[int] = []  # mistakes of each finished pass
        self.held_out_scores: list[float] = []
        self.n_iter = 0
        self.streaming = False  # a pass is under way that goes on with each call
        self.weighted = False  # some example had a weight other than 1
        self.tally = engine.Tally(1)
        self.verdict: str | None = None if epsilon is not None else STOPPED

    # ---- the weights ---------------------------------------------------------------------------------------------

    @property
    def form(self) -> str:
        if self.epsilon is not None:
            return "regression"
        if self.n_vectors == 1:
            return "binary"
        return "ovr" if self.multiclass == "ovr" else "multiclass"

    def n_features_for(self, n_columns: int, n_classes: int) -> int:
        """How many features there are weights for, where rows have so many columns."""
        return n_columns

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """Zero weights for this many features and classes."""
        self.rule.check_classes(n_classes)
        self.n_features, self.n_classes, self.dtype = n_features, n_classes, np.dtype(dtype)
        self.lists, self.start = None, None
        self.precision = self.covariance = None
        if self.rule.keeps == "full":
            check_full(n_features, self.n_vectors)
        if self._wants_lists(n_features):
            self.lists = engine.ClassLists(self.n_vectors, self.dtype == np.float64, self.readout == "averaged")
        self._make_arrays()
        self.tally = engine.Tally(self.n_vectors)
        self.tally.is_current = 1
        self.evidence = Evidence()
        self._make_room()
        self._build_native()

    def _make_arrays(self) -> None:
        """Rows of zeros for all features, or for those that will be met; with lists, for the biases alone."""
        self.places = Places(self.n_features) if self._is_wide(self.n_features) else None
        n_rows = self.n_places
        if self.lists is not None:
            self.lists.reserve(n_rows)
            n_rows = 0
        self.weights = self._zeros(n_rows, engine.stride_of(self.n_vectors), self.dtype)
        self.total = np.zeros(self.weights.shape) if self.readout == "averaged" else None
        self.pocket = np.zeros(self.weights.shape, self.dtype) if self.readout == "pocket" else None
        self.precision = self._zeros(n_rows, self.weights.shape[1], self.dtype) if self.rule.keeps else None
        if self.rule.keeps == "full":
            self.precision, self.covariance = None, self._prior_covariance(n_rows, self.n_vectors)

    def _prior_covariance(self, n_features: int, n_vectors: int) -> Array:
        check_full(n_features, n_vectors)
        made, each = np.zeros((n_vectors, 1 + n_features, 1 + n_features)), np.arange(1 + n_features)
        made[:, each, each] = 1 / float(self.rule.prior)
        made[:, 0, 0] *= float(self.dtype.type(self.constant2))
        return made

    def leave_lists(self) -> None:
        """Have no lists; nothing was learned yet."""
        if self.lists is not None:
            self.lists = None
            self._make_arrays()

    def _make_room(self) -> None:
        """Let ‖W‖² grow to a size below which no score and no weight can overflow."""
        self.tally.room = float(np.finfo(self.dtype).max) / 16 - self.evidence.base2

    def _build_native(self) -> None:
        self._model = self._model_of(
            self.weights, total=self.total, lists=self.lists, precision=self.precision, covariance=self.covariance
        )
        self._native_rule = self._native_rule_of(self.rule)
        self._read: tuple[Array, engine.ClassLists | None] | None = None
        self._fast_path = (
            self.pocket is None and not self.batch and self.epsilon is None and self.places is None
            and self._native_rule is not None
        )  # fmt: skip
        self._capacity = len(self.weights) - 1 if self.lists is None else self.lists.n_rows

    def _native_rule_of(self, rule: rules.Rule) -> engine.Rule | None:
        """The rule for the compiled core; None: it has no native step, and learning says so."""
        terms = rule.native(self.multiclass)
        return None if terms is None else engine.Rule(*terms)

    @property
    def native_rule(self) -> engine.Rule:
        if self._native_rule is None:
            raise ValueError(
                f"{type(self.rule).__name__} has no native step; rb.trace(…, exact=True) runs it in plain Python"
            )
        return self._native_rule

    def __getstate__(self) -> dict[str, Any]:
        """All that is plain Python and NumPy: native objects are built anew, and other machines have other cores."""
        built = ("_model", "_native_rule", "_read", "_capacity", "_fast_path", "n_threads")
        state = {name: value for name, value in self.__dict__.items() if name not in built}
        lists = None if self.lists is None else (self.lists.n_vectors, *self.lists.entries())
        return state | {"tally": self.tally.values, "lists": lists}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tally = engine.Tally.of(state["tally"])
        self.lists = None if state["lists"] is None else engine.ClassLists.of(*state["lists"])
        self._build_native()
        self._frozen = False
        if not self.tally.is_writable:
            self.freeze()

    def freeze(self) -> None:
        """Know that the arrays are mapped from a file: they are copied before anything is learned."""
        self._frozen, self._fast_path = True, False

    def _thaw(self) -> None:
        for name in (*self._arrays(), *(("covariance",) if self.covariance is not None else ())):
            setattr(self, name, getattr(self, name).copy())
        self.tally = engine.Tally.of(self.tally.values.copy())
        self.places = copy.deepcopy(self.places)
        self._frozen = False
        self._build_native()

    def _model_of(
        self,
        weights: Array,
        *,
        fit_intercept: bool | None = None,
        total: Array | None = None,
        gradient: Array | None = None,
        lists: engine.ClassLists | None = None,
        precision: Array | None = None,
        covariance: Array | None = None,
    ) -> engine.Model:
        """These weights, used as the learner's own are; without sums and gradient they are only to be read."""
        return engine.Model(
            form=self.form, weights=weights, n_vectors=self.n_vectors,
            fit_intercept=self.fit_intercept if fit_intercept is None else fit_intercept,
            tie_is_mistake=self.ties == "mistake", total=total, gradient=gradient, epsilon=self.epsilon or 0.0,
            constant=self.intercept_scaling, lists=lists, prior=float(self.rule.prior), precision=precision,
            covariance=covariance,
        )  # fmt: skip

    @property
    def slots(self) -> int:
        """How many margins there are: one, or one per class against the rest."""
        return self.n_vectors if self.form == "ovr" else 1

    @property
    def tau(self) -> Array:
        """Σ τ, what the right class gained: one number, or one per class against the rest."""
        return self.tally.tau[: self.slots]

    @property
    def _bounding_tau(self) -> Array:
        """Σ τ as far as it bounds the best margin: 0 for a rule that is not known to be additive."""
        return self.tau if self.rule.additive else np.zeros_like(self.tau)

    @property
    def least(self) -> Array:
        """The smallest margin of the last pass: one number, or one per class against the rest."""
        return self.tally.least[: self.slots]

    @property
    def visited(self) -> int:
        """Examples visited, over all passes."""
        return self.tally.visited

    @property
    def n_updates(self) -> int:
        """Updates made, over all passes."""
        return self.tally.updates

    @property
    def mistakes(self) -> list[int]:
        """Mistakes in each pass; all calls of a stream together are one."""
        return [*self.passes, self.tally.mistakes] if self.streaming else self.passes

    def begin(self, coef: Array, intercept: Array) -> None:
        """Start from given weights, (n_vectors, n_features) and (n_vectors,), instead of zero."""
        self.make_dense()
        k = self.n_vectors
        self.weights[1 : 1 + self.n_features, :k] = np.asarray(coef).T
        self._begin_with(intercept)

    def begin_at(self, earlier: State) -> None:
        """Start from the last weights of another run with as many features and vectors."""
        if earlier.places is None or earlier.lists is not None:
            k = self.n_vectors
            weights = earlier.read("last")[:, :k]
            self.begin(weights[1:].T, weights[0])
            return
        self.lists = None
        self.places, n_rows = copy.deepcopy(earlier.places), earlier.n_places
        for name in self._arrays():
            held = getattr(self, name)
            setattr(self, name, self._zeros(n_rows, held.shape[1], held.dtype))
        self.weights[:] = earlier.weights[: 1 + n_rows]
        self._begin_with(earlier.weights[0, : self.n_vectors])

    def _begin_with(self, intercept: Array) -> None:
        self.weights[0, : self.n_vectors] = intercept if self.fit_intercept else 0
        self.weights += 0.0  # −0 would add up differently
        self.start = self.weights.copy()
        if self.pocket is not None:
            self.pocket[:] = self.weights
        self._build_native()
        self._tighten_upper()
        if not self.tally.room > 0:
            raise ValueError(
                f"the starting weights are too large: their squares overflow {self.dtype}; scale them down"
            )

    # ---- classes, bounds -----------------------------------------------------------------------------------------

    def add_class(self, code: int, used: Array | None = None) -> None:
        """Make room for one class more, whose code will be ``code``; those from there on move up by one.

        ``used``: the only features whose weights may not be 0; None: any.
        """
        self.rule.check_classes(self.n_classes + 1)
        if self._frozen:
            self._thaw()
        used = None if used is None or self.lists is not None else unique(used)
        before, stride = self.n_classes, engine.stride_of(self.n_vectors)
        share = self.rule.class_share if before == 2 and self.multiclass != "ovr" else 1.0
        self.n_classes += 1
        is_wider = self.lists is None and engine.stride_of(self.n_vectors) > stride
        if self.lists is not None:
            self.lists.add_class(code)
        elif self.places is None and is_wider and self._is_wide(self.n_features):
            self._compact(self._nonzero_features(self.n_features) if used is None else used)
        rows: Any = slice(None)
        if used is not None and self.start is None:
            rows = np.concatenate(([0], 1 + (used if self.places is None else self.places.places(used))))
        if before == 1 and code == 0:  # the class known so far was y = −1 and is now y = +1
            for name in self._signed_arrays():
                held = getattr(self, name)
                held[rows] = 0.0 - held[rows]  # which leaves no −0
        if self.n_classes > 2:
            kept = [c for c in range(self.n_classes) if c != code]
            stride = engine.stride_of(self.n_vectors)
            for name in self._arrays():
                old = getattr(self, name)
                if before > 2 and code == before and stride == old.shape[1]:
                    continue  # it comes last, where there are zeros for it
                part = old[rows]
                moved = np.zeros((len(part), stride), old.dtype)
                factors = (1, 1) if name == "precision" else (-share, share)
                moved[:, kept] = part * factors if before == 2 else part[:, :before]
                moved += 0.0  # −0 would add up differently
                new = old if stride == old.shape[1] else self._zeros(len(old) - 1, stride, old.dtype)
                new[rows] = moved
                setattr(self, name, new)
            if self.covariance is not None:
                old = self.covariance
                self.covariance = self._prior_covariance(old.shape[1] - 1, self.n_vectors)
                self.covariance[kept] = old
            tau = self.tally.tau
            self.tally = self.tally.with_vectors(self.n_vectors)
            if self.form == "ovr":
                self.tally.tau[kept] = tau
            else:
                self.tally.tau[0] = tau[0] * (share if before == 2 else 1.0)
            grown = 2 * share**2 if before == 2 else 1.0  # ‖(−w, w)‖² = 2‖w‖²
            self.tally.growth *= grown
            evidence = self.evidence
            self.evidence = Evidence(peak2=evidence.peak2 * grown, base2=evidence.base2 * grown)
            self._make_room()
        if is_wider and self._wants_lists_as_classes_come():
            self._make_lists()
        self._build_native()

    def _signed_arrays(self) -> list[str]:
        """Those whose numbers change their signs with the weights."""
        return [name for name in self._arrays() if name != "precision"]

    def _tighten_upper(self) -> None:
        """Tighten the bounds by the weights as they are now."""
        evidence = self.evidence
        evidence.tighten_upper(
            self.unscaled(self.measured), self._start_rows(), self._bounding_tau, self._roundings, self.tally.growth
        )
        self.tally.growth = 0
        self._make_room()

    @property
    def _roundings(self) -> float:
        """How many updates of one vector round as much: where classes share a step, what each loses is rounded too."""
        updates = self.n_updates * (1 if self.intercept_scaling == 1 else 2)  # its square is rounded too
        if self.form != "multiclass":
            return updates
        shares = self.n_vectors * float(np.finfo(np.float64).eps / np.finfo(self.dtype).eps)
        return updates * (2 + shares)

    def _start_rows(self) -> Any:
        """The weights at the start, to be subtracted from ``measured``; None: they were 0."""
        if self.start is None:
            return None
        return self.unscaled(self.in_order(self.start) if self.places is None else self._placed(self.start))

    @property
    def constant2(self) -> float:
        """The square of the constant feature; 0: there is no bias."""
        return self.intercept_scaling**2 if self.fit_intercept else 0.0

    def unscaled(self, weights: Any) -> Any:
        """Weights, row 0 the biases, as they are multiplied with (x, s): in whose space norms and margins are."""
        if self.intercept_scaling == 1:
            return weights
        if isinstance(weights, (Listed, Placed)):
            return weights._replace(biases=weights.biases / self.intercept_scaling)
        weights = weights.copy()
        weights[0] /= self.intercept_scaling
        return weights

    def _pocket_separator(self, n_rows: int) -> None:
        """Leave the present weights, which were scored on so many rows and are right, in the pocket."""
        if self.pocket is not None:
            self.pocket[:] = self.weights
        tally = self.tally
        tally.run = tally.best_run = max(tally.run, n_rows)
        tally.errors, tally.is_current, self._read = 0, 1, None

    def _restore(self, earlier: State) -> None:
        """Take back the weights of an earlier pass; the counts and bounds stay those of the whole run."""
        updates = self.n_updates
        for name in (*self._arrays(), "lists", "tally", "covariance"):
            setattr(self, name, getattr(earlier, name))
        self.tally.updates = updates
        proved = {name: getattr(self.evidence, name) for name in ("lower", "upper", "equal_rows")}
        self.evidence = replace(earlier.evidence, **proved)
        self._build_native()

    # ---- reading -------------------------------------------------------------------------------------------------

    @property
    def margin_bounds(self) -> tuple[float, float]:
        growth = self.tally.growth
        now = self.evidence.upper_bound(
            self.unscaled(self.measured), self._start_rows(), self._bounding_tau, self._roundings, growth
        )
        return self.evidence.lower, min(self.evidence.upper, now)

    def variances(self) -> Array:
        """The variance of each weight of a second-order rule, laid out as ``read``; 1/prior where nothing is known.

        That of a bias is of the constant feature's weight times the constant, as the bias itself.
        """
        if self.covariance is not None:
            held = np.diagonal(self.covariance, axis1=1, axis2=2).T[: 1 + self.n_features]
            return np.ascontiguousarray(held)
        if self.precision is None:
            raise ValueError(f"{type(self.rule).__name__} keeps no confidence of its weights; AROW and its kin do")
        return self._variances_of(self.expanded(self.precision))

    def variances_at(self, features: Array) -> Array:
        """The same, row 0 the biases, then one row for each of these features."""
        if self.precision is None:
            return self.variances()[np.concatenate(([0], 1 + features))]
        places = features if self.places is None else self.places.places(features)
        return self._variances_of(self.precision[np.concatenate(([0], 1 + places))])

    def _variances_of(self, precision: Array) -> Array:
        out = 1 / (float(self.rule.prior) + precision[:, : self.n_vectors].astype(np.float64))
        out[0] *= self.constant2
        return np.asarray(out)

    def read(self, readout: str | None = None) -> Array:
        """The weights of a readout: row 0 the biases, then one row per feature; one column per vector, and padding."""
        weights, lists = self.stored_with_lists(readout)
        if lists is None:
            return self.expanded(weights)
        entries = self.entries(lists)
        return self.spread(weights, entries, entries.weights)

    def weights_at(self, features: Array, readout: str | None = None) -> Array:
        """The weights of a readout: row 0 the biases, then one row for each of these features."""
        places = features if self.places is None else self.places.places(features)
        weights, lists = self.stored_with_lists(readout)
        if lists is None:
            return weights[np.concatenate(([0], 1 + places))]
        entries = Entries(*lists.entries(places.astype(np.int64)))
        rows = engine.zeros(1 + len(features), weights.shape[1], self.dtype)
        rows[0], rows[1 + entries.rows, entries.classes] = weights[0], entries.weights
        return rows

    def stored(self, readout: str | None = None) -> Array:
        """The weights of a readout, with the rows that ``weights`` has."""
        return self.stored_with_lists(readout)[0]

    def stored_with_lists(self, readout: str | None = None) -> tuple[Array, engine.ClassLists | None]:
        """The weights of a readout, with the rows that ``weights`` has, and its lists, where there are lists."""
        readout = readout or self.readout
        check_name("readout", readout, READOUTS)
        last = self.weights if self.lists is not None else self.weights[: 1 + self.n_places]
        if readout == "last":
            return last, self.lists
        if readout != self.readout:
            kept = "'last'" if self.readout == "last" else f"{self.readout!r} or 'last'"
            raise ValueError(f"this run can be read as {kept} only; fit a learner whose readout is {readout!r} instead")
        if self._read is None:
            if self.pocket is not None:
                self._read = self.pocket[: len(last)], None
            elif self.visited == 0:
                self._read = last, self.lists
            else:
                mean = self._zeros(len(last) - 1, last.shape[1], self.dtype)
                self._average(slice(0, len(last)), mean)
                self._read = mean, self.lists and self.lists.average(self.visited)
        return self._read

    def _average(self, part: slice, out: Array) -> None:
        """Write some rows of the averaged readout into ``out``."""
        assert self.total is not None
        engine.average(self.weights[part], self.total[part], self.visited, out)

    def take_readout(self, held: Array) -> None:
        """Have the averaged readout in these rows, as it need not be computed then; refuses other numbers."""
        for start in range(0, len(held), _PART):
            part = slice(start, min(start + _PART, len(held)))
            rows = np.empty_like(held[part])
            self._average(part, rows)
            if not np.array_equal(bits_of(held[part]), bits_of(rows)):
                raise ValueError("the averaged weights are not those that the weights and their sums come to")
        self._read = held, None
