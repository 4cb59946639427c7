"""The learner of sentences: rule × readout in the space of sequences, with all that ``Learner`` has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import engine, rules
from ...checks import check_name
from ...learner import Learner, Progressive
from ...places import SIXTEEN
from . import following, links
from .rows import SentenceRows

Array = NDArray[Any]

COSTS = ("hamming", "sqrt", "one")


class SequenceLearner(Learner):
    """A learner of sentences and their tags.

    The weights of links stand among those of features, behind the last column: so all readouts, bounds and files have
    them. Tags are codes in the order in which they came to be known.

    Parameters
    ----------
    rule : Rule
        How far to move.
    n_before : {1, 2}
        How many tags before a token its link knows (the order).
    cost : {"hamming", "sqrt", "one"}
        ρ in the loss ``ρ − margin`` of the passive-aggressive rules.
    **options : any
        Those of ``Learner``: readout, ties, ratchet.
    """

    space = "sequence"

    def __init__(self, rule: rules.Rule, *, n_before: int = 1, cost: str = "hamming", **options: Any) -> None:
        super().__init__(rule, fit_intercept=False, **options)
        check_name("cost", cost, COSTS)
        if n_before not in links.ORDERS or isinstance(n_before, bool):
            raise ValueError(f"order must be 1 or 2, how many tags before a token count; got {n_before!r}")
        if rule.keeps == "full":
            raise ValueError("confidence='full' is for few features; use confidence='diagonal' for sequences")
        self.n_before, self.cost = int(n_before), cost
        self.n_columns = 0
        self._links_at: tuple[tuple[int, bool], Array] | None = None  # where links are: once they are there they stay
        self.allowed: Array | None = None  # which tag may follow which link; None: any

    @property
    def n_vectors(self) -> int:
        return max(2, self.n_classes)

    @property
    def form(self) -> str:
        return "sequence"

    @property
    def n_links(self) -> int:
        return links.n_links(self.n_classes, self.n_before)

    # ---- the weights ---------------------------------------------------------------------------------------------

    def n_features_for(self, n_columns: int, n_classes: int) -> int:
        return n_columns + links.n_links(n_classes, self.n_before)

    def allocate(self, n_features: int, n_classes: int, dtype: Any) -> None:
        """Zero weights for this many columns and tags."""
        self.n_columns, self.n_classes, self._links_at = n_features, n_classes, None
        super().allocate(n_features + self.n_links, n_classes, dtype)

    @property
    def _may_have_lists(self) -> bool:
        return False

    def _make_arrays(self) -> None:
        super()._make_arrays()
        if self.places is not None:
            self.places.add(self._link_columns(), self._most_places)
            for name in self._arrays():
                old = getattr(self, name)
                setattr(self, name, self._zeros(len(self.places), old.shape[1], old.dtype))

    def _link_columns(self) -> Array:
        return np.arange(self.n_columns, self.n_columns + self.n_links, dtype=np.int64)

    def link_rows(self) -> Array:
        """The rows of ``weights`` that are those of the links."""
        known = self.n_links, self.places is None
        if self._links_at is None or self._links_at[0] != known:
            columns = self._link_columns()
            self._links_at = known, 1 + (columns if self.places is None else self.places.places(columns))
        return self._links_at[1]

    def find_links(self) -> None:
        """Look up anew where the links are, where features were given their places from elsewhere."""
        self._links_at = None
        if self.places is not None and bool(np.any(self.link_rows() <= SIXTEEN)):
            raise ValueError("some links between tags have no weights")

    def _model_of(self, weights: Array, *, constrained: bool = True, **more: Any) -> engine.Model:
        for name in ("fit_intercept", "gradient", "lists"):
            more.pop(name, None)
        return engine.Model(
            form="sequence", weights=weights, n_vectors=self.n_vectors, fit_intercept=False,
            tie_is_mistake=self.ties == "mistake", prior=float(self.rule.prior),
            links=engine.Links(
                n_tags=self.n_classes, order=self.n_before, cost=self.cost, rows=self.link_rows(),
                allowed=self.allowed if constrained else None,
            ),
            **more,
        )  # fmt: skip

    def allow(self, allowed: Array | None) -> None:
        """Say which tag may follow which link, from now on; None: any."""
        self.allowed = None if allowed is None else np.ascontiguousarray(allowed, np.uint8)
        self._build_native()

    def add_class(self, code: int, used: Array | None = None) -> None:
        """Make room for one tag more, the last one; a new tag may follow any link unless some are forbidden."""
        if code != self.n_classes:
            raise ValueError("tags are known in the order in which they come")
        if self._frozen:
            self._thaw()
        before = self.n_vectors
        stride = engine.stride_of(max(2, self.n_classes + 1))
        for name in self._arrays():
            old = getattr(self, name)
            if old.shape[1] < stride:
                new = self._zeros(len(old) - 1, stride, old.dtype)
                new[:, :before] = old[:, :before]
                setattr(self, name, new)
        self.n_classes += 1
        if self.n_vectors != self.tally.n_vectors:
            tau = float(self.tally.tau[0])
            self.tally = self.tally.with_vectors(self.n_vectors)
            self.tally.tau[0] = tau
        if self.allowed is not None:
            self.allowed = following.grown(self.allowed, self.n_classes, self.n_before)
        self.evidence.lower = -np.inf  # there are more sequences to be wrong by
        self._capacity = len(self.weights) - 1
        self.widen(self.n_columns + self.n_links)
        if self.places is not None:
            self.rows_for(1 + self._link_columns())
        self._links_at = None  # the new ones had no places when they were looked for
        self._build_native()

    def map_rows(self, rows: Any, *, learn: bool) -> Any:
        """Sentences whose columns are the places of their features; ``learn``: new features get places."""
        if rows.is_mapped:
            return rows
        if learn:
            rows.check_norms()
            self._note_merging(rows)
        if learn and self._frozen:
            self._thaw()
        places = None if self.places is None else self._places_of(rows.indices, learn=learn)
        if places is None or self.places is None:
            return rows.seen_at(rows.indices, self.n_features)
        return rows.seen_at(places, len(self.places))

    # ---- learning ------------------------------------------------------------------------------------------------

    def _learn_call(self, **call: Any) -> bool:
        call.pop("n_threads", None)
        return engine.learn_sentences(**call)

    def _numbers_of(self, view: Any) -> int:
        return int(view.n_tokens) * (16 + self.n_classes)

    def equal_rows(self, rows: Any, targets: Array, order: Array | None) -> tuple[int, int] | None:
        return rows.equal_rows(targets, order)  # type: ignore[no-any-return]

    def scale_of(self, rows: Any, order: Array | None = None) -> float:
        """What margins are measured against: a bound on max ‖ΔΦ‖."""
        return rows.radius(order)  # type: ignore[no-any-return]

    def _tighten_lower(self, rows: Any, order: Array | None) -> None:
        """Tighten the lower bound by the present weights, which got every sentence right.

        A sentence of n tokens has Σ ‖φ_t‖ + n + 1 ≤ R/√2 and n + 1 ≤ R/2, so that R says it all.
        """
        number, wide = np.finfo(self.dtype), np.finfo(np.float64)
        depth, R = rows.depth(order), rows.radius(order)
        each = float(number.eps) * depth + float(wide.eps) * (R + 1)
        lost = 32 * depth * float(number.smallest_subnormal) * (R / 2 + 1)
        self.evidence.tighten_lower(self.measured, self.least, 1.5 * R * each, lost)

    def _note_merging(self, rows: SentenceRows) -> None:
        """Numbers that are not whole may round where ΔΦ is merged: the upper bound gives that room."""
        if rows.data is None or bool(np.all(rows.data == np.floor(rows.data))):
            return
        tokens, _ = rows.lengths()
        slack = float(np.finfo(self.dtype).eps) * float(tokens.max(initial=0)) * rows.radius()
        self.evidence.slack = max(self.evidence.slack, slack)

    def fit(self, rows: Any, targets: Array, weight: Array | None = None, **options: Any) -> None:
        rows = self.map_rows(rows, learn=True)
        if self.places is not None:
            self.places.rest()
        super().fit(rows, targets, weight, **options)

    def partial_fit(self, rows: Any, targets: Any, weight: Array | None, span: tuple[int, int]) -> None:
        super().partial_fit(rows, targets, weight, span)
        self._tags_judged += int(rows.starts[span[1]] - rows.starts[span[0]])

    def pass_over(self, pieces: Iterable[Any]) -> tuple[int, int]:
        held = list(pieces)
        done = super().pass_over(held)
        for rows, _, order, _ in held:
            tokens, _ = rows.lengths(order)
            self._tags_judged += int(tokens.sum())
        return done

    # Progressive validation counts tags: so many were judged.
    _tags_judged = 0

    def start_progressive(self) -> None:
        super().start_progressive()
        self._tags_judged = 0

    @property
    def progressive(self) -> Progressive | None:
        if self._misread is None:
            return self._progressive
        return Progressive(self.readout, self._tags_judged, int(self._misread[0]))

    def may_overflow(self, rows: Any, weight: Array | None, targets: Array | None = None) -> bool:
        return rows.n_rows > 1 and (rows.data is not None or weight is not None or self.rule.step_factor > 1e4)

    # ---- predicting ----------------------------------------------------------------------------------------------

    def reader(self, *, constrained: bool = True) -> engine.Model:
        """The weights of the readout, for native calls that only read."""
        return self._model_of(np.ascontiguousarray(self.stored()), constrained=constrained)

    def predict(self, rows: Any) -> Array:
        """Codes of the tags of all tokens, sentence after sentence."""
        return self.decode(rows)[0]

    def decode(self, rows: Any, *, second: bool = False, n_threads: int | None = None) -> tuple[Array, ...]:
        """Codes of the tags of all tokens and the scores of the sentences.

        ``second``: then those of the second-best sequences, and how far they are behind (∞: there is no other).
        A sentence for which the constraints leave no sequence at all is decoded without them.
        """
        rows = self.map_rows(rows, learn=False)
        found = self._decoded(rows, self.reader(), second, n_threads)
        never = np.flatnonzero(found[1] == -np.inf)
        if len(never):
            free = self._decoded(rows, self.reader(constrained=False), second, n_threads)
            for i in never:
                own = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
                for number, (mine, other) in enumerate(zip(found, free)):
                    place = own if number % 2 == 0 else i
                    mine[place] = other[place]
        return found

    def _decoded(self, rows: Any, model: engine.Model, second: bool, n_threads: int | None) -> tuple[Array, ...]:
        out, scores = np.empty(rows.n_tokens, np.int32), np.empty(rows.n_rows)
        others = np.empty(rows.n_tokens, np.int32) if second else None
        gaps = np.empty(rows.n_rows) if second else None
        engine.decode(
            rows=rows.view, model=model, out=out, scores=scores, others=others, gaps=gaps,
            n_threads=engine.threads() if n_threads is None else n_threads,
        )  # fmt: skip
        return (out, scores) if others is None or gaps is None else (out, scores, others, gaps)

    def k_best(self, rows: Any, k: int) -> tuple[Array, Array]:
        """The k best sequences of one sentence, (at most k, n_tokens), and their scores."""
        rows = self.map_rows(rows, learn=False)
        k = min(k, self.n_classes**rows.n_tokens)  # there are no more
        out, scores = np.empty((k, rows.n_tokens), np.int32), np.empty(k)
        found = engine.k_best(rows=rows.view, model=self.reader(), k=k, out=out, scores=scores)
        if not found:  # as `decode`
            model = self.reader(constrained=False)
            found = engine.k_best(rows=rows.view, model=model, k=k, out=out, scores=scores)
        return out[:found], scores[:found]

    def emissions(self, rows: Any) -> Array:
        """The score of every tag at every token, (n_tokens, n_tags), without links."""
        rows, weights = self.map_rows(rows, learn=False), np.ascontiguousarray(self.stored())
        data = np.ones(len(rows.indices), self.dtype) if rows.data is None else rows.data
        tokens = engine.CsrRows(rows.indptr, rows.indices.astype(np.int64), data, len(weights) - 1)
        model = engine.Model(form="multiclass", weights=weights, n_vectors=self.n_vectors, fit_intercept=False)
        out = np.empty((rows.n_tokens, self.n_vectors), self.dtype)
        engine.score(rows=tokens, model=model, out=out)
        return out[:, : self.n_classes]

    def link_weights(self, *, constrained: bool = True) -> Array:
        """The weights of the links, (n_links, n_tags); ``constrained``: −∞ where a tag may not follow."""
        held = self.stored()[self.link_rows(), : self.n_classes].astype(np.float64)
        return held if self.allowed is None or not constrained else np.where(self.allowed, held, -np.inf)

    def accuracy(self, rows: Any, targets: Array) -> float:
        """The share of tags that the readout gets right."""
        return float(np.mean(self.predict(rows) == targets)) if len(targets) else 0.0
