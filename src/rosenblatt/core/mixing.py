"""Iterative parameter mixing: one run over shards of the data that learn apart (McDonald, Hall and Mann 2010, fig. 3).

In each pass every shard i starts from the mixed weights W and makes one ordinary pass, which gives W_i. Then

    W' = Σ μ_i·W_i,   μ_i = 1/S ("uniform") or u_i/Σ u ("updates", u_i the updates that shard i has just made).

The sum is taken in float64 in a fixed tree: neighbours are added, then neighbours of these, and one that is left over
goes up as it is; W' is then rounded to the type of the weights. A row (a feature, all its classes) that no shard has
changed by a bit keeps its value. So only the rows that changed travel, as values, and whoever did not change a row has
its old value there; a feature that has no row (``weights``) has zeros. With one shard all of this is the identity.

Where a learner keeps its weights by lists (``weights``), what travels are cells, a feature and a class, in place of
rows: of the rows that changed, the cells that are not 0, or were not. They are numbered ``row·k + class``, and their
values are one column. Sums of zeros are zero, so the bits are those of rows.

The averaged readout is the mean of the weights after every example, of all shards and passes. The sum of these weights
is kept as ``total``, ``T = V·W − Σ W_t`` after V examples. A shard that starts at V and T visits N_i examples and comes
to ``T_i``, so that its weights after them sum up to ``(V + N_i)·W_i − T_i − (V·W − T)``; hence, with V' = V + Σ N_i,

    T' = V'·W' − (V·W − T) − Σ ((V + N_i)·W_i − T_i − (V·W − T))
       = Σ [μ_i·T_i + (1 − μ_i)·(T_i − T) + (V'·μ_i − V − N_i)·(W_i − W)] + V'·(W' − Σ μ_i·W_i),

a sum over the same tree, and the last term is what the rounding of W' took. One shard: T' = T_1.

The proofs of a run hold: W' − W₀ is again a sum of τ·y·x with τ ≥ 0, and Σ τ' = Σ μ_i·(Σ τ)_i. ``tests/mixing_twin.py``
is the same in plain Python.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .checks import check_name
from .convergence import Evidence
from .learner import Learner, Piece
from .lists import Entries, bits_of

Array = NDArray[Any]

MIXES = ("uniform", "updates")


def tree_sum(terms: Sequence[Any], add: Callable[[Any, Any], Any] = operator.add) -> Any:
    """Neighbours added, then neighbours of these; one that is left over goes up as it is."""
    while len(terms) > 1:
        pairs = [add(a, b) for a, b in zip(terms[::2], terms[1::2])]
        terms = [*pairs, terms[-1]] if len(terms) % 2 else pairs
    return terms[0]


class Held(NamedTuple):
    """Values of some rows of the weights, and of what the averaged readout sums."""

    rows: Array | None  # their numbers, ascending, row 0 the biases; None: all. Or those of cells
    weights: Array  # (rows, vectors), or (cells, 1)
    total: Array | None

    @property
    def nbytes(self) -> int:
        """What it weighs when it travels."""
        return sum(array.nbytes for array in self if array is not None)

    def at(self, rows: Array) -> Held:
        """The values of these rows, in float64; 0 where there are none."""
        return self.placed(rows, np.float64)

    def placed(self, rows: Array, dtype: Any = None) -> Held:
        """The values of these rows, in their own type or another; 0 where there are none."""
        if self.rows is None:
            place, there = rows, rows < len(self.weights)
        else:
            place = np.minimum(np.searchsorted(self.rows, rows), max(len(self.rows) - 1, 0))
            there = self.rows[place] == rows if len(self.rows) else np.zeros(len(rows), bool)

        def taken(values: Array) -> Array:
            chosen = np.zeros((len(rows), values.shape[1]), dtype or values.dtype)
            chosen[there] = values[place[there]]
            return chosen

        return Held(rows, taken(self.weights), None if self.total is None else taken(self.total))


@dataclass
class ShardReport:
    """A shard's report of its pass: small, and all that mixing needs besides the weights."""

    visited: int
    mistakes: int
    updates: int
    tau: Array  # Σ τ of the run that came by this shard
    least: Array  # the smallest margin of the pass
    growth: float
    evidence: Evidence
    weighted: bool
    n_features: int


class Share(NamedTuple):
    """How a shard counts: μ, and V'·μ − V − N, by which its change of the weights counts in the average."""

    mu: float
    lag: float


class Mixture(NamedTuple):
    """A sum over neighbouring shards: whose shares, and the rows that one of them has changed, in float64."""

    shares: tuple[Share, ...]
    rows: Array
    weights: Array
    total: Array | None

    @property
    def nbytes(self) -> int:
        return Held(*self[1:]).nbytes


# ---- a shard's pass ------------------------------------------------------------------------------------------------


def shard_pass(learner: Learner, pieces: Iterable[Piece]) -> tuple[ShardReport, Held]:
    """One pass of a learner that stands at the mixed weights: its report, and the rows that it changed."""
    by_cell = _settled(learner)
    visited = learner.visited
    before = _all_of(learner)
    mistakes, updates = learner.pass_over(pieces)
    if by_cell:
        learner.keep_lists()  # dense rows have no use for them
    find = _changed_cells if by_cell else _changed_rows
    held = find(before, _all_of(learner), learner.n_vectors)
    report = ShardReport(
        learner.visited - visited, mistakes, updates, learner.tau.copy(), learner.least.copy(),
        learner.tally.growth, learner.evidence, learner.weighted, learner.n_features,
    )  # fmt: skip
    return report, held


def _settled(learner: Learner) -> bool:
    """Whether the weights travel by cells: where they are kept by lists, of which then every feature has one."""
    if learner.lists is None:
        return False
    learner.expand()
    return True


def _all_of(learner: Learner) -> Held:
    """All rows that a learner's weights have, or all cells of its lists; its own arrays stay as they are."""
    if learner.lists is not None:
        return cells_of(learner)
    order, features, total = learner.row_order, learner.features(), learner.total
    rows = None if features is None else np.concatenate(([0], 1 + features))
    return Held(rows, learner.weights[order].copy(), None if total is None else total[order].copy())


def cells_of(learner: Learner) -> Held:
    """The weights of a learner that keeps lists: the cells of the biases, and those of features that are not 0."""
    k, entries, total = learner.n_vectors, learner.entries(), learner.total
    cells = np.concatenate((np.arange(k), (1 + entries.rows) * k + entries.classes))
    weights = np.concatenate((learner.weights[0, :k], entries.weights))[:, None]
    if total is None or entries.total is None:
        return Held(cells, weights, None)
    return Held(cells, weights, np.concatenate((total[0, :k], entries.total))[:, None])


def _changed_rows(before: Held, now: Held, k: int) -> Held:
    """The rows of which a bit has changed, without padding; those that are new were 0."""
    if before.rows is not None:
        before = before.placed(np.arange(len(now.weights)) if now.rows is None else now.rows)
    changed = _changed(before.weights, now.weights)
    if before.total is not None and now.total is not None:
        changed |= _changed(before.total, now.total)
    which = np.flatnonzero(changed)
    rows = which if now.rows is None else now.rows[which]
    rows = rows.astype(np.int32 if not len(rows) or rows[-1] < 1 << 31 else np.int64)
    total = None if now.total is None else np.ascontiguousarray(now.total[which, :k])
    return Held(rows, np.ascontiguousarray(now.weights[which, :k]), total)


def _changed_cells(before: Held, now: Held, k: int) -> Held:
    """The cells of rows of which a bit has changed."""
    assert before.rows is not None
    assert now.rows is not None
    cells = np.union1d(before.rows, now.rows)
    was, become = before.placed(cells), now.placed(cells)
    changed = bits_of(was.weights[:, 0]) != bits_of(become.weights[:, 0])
    if was.total is not None and become.total is not None:
        changed |= bits_of(was.total[:, 0]) != bits_of(become.total[:, 0])
    kept = np.isin(cells // k, np.unique(cells[changed] // k))
    return Held(cells[kept], become.weights[kept], None if become.total is None else become.total[kept])


def _changed(before: Array, now: Array) -> Array:
    """Of which rows a bit has changed; rows that are new were 0."""
    bits = np.dtype(f"u{now.itemsize}")
    changed = np.zeros(len(now), bool)
    changed[: len(before)] = (before.view(bits) != now[: len(before)].view(bits)).any(axis=1)
    changed[len(before) :] = now[len(before) :].view(bits).any(axis=1)
    return changed


# ---- mixing --------------------------------------------------------------------------------------------------------


def shares_of(reports: Sequence[ShardReport], mix: str, visited: int) -> tuple[Share, ...]:
    """The share of each shard in a mixture of runs that stood at ``visited`` examples before this pass."""
    check_name("mix", mix, MIXES)
    updates = sum(shard.updates for shard in reports)
    now = visited + sum(shard.visited for shard in reports)
    shares = []
    for shard in reports:
        mu = shard.updates / updates if mix == "updates" and updates else 1 / len(reports)
        shares.append(Share(mu, now * mu - (visited + shard.visited)))
    return tuple(shares)


def term(share: Share, part: Held, old: Held) -> Mixture:
    """What one shard adds to the mixture."""
    assert part.rows is not None
    mu, lag = share
    weights = part.weights.astype(np.float64)
    total = None
    if part.total is not None:
        before = old.at(part.rows)
        assert before.total is not None
        total = mu * part.total + ((1 - mu) * (part.total - before.total) + lag * (weights - before.weights))
    return Mixture((share,), part.rows, mu * weights, total)


def mixture(terms: Sequence[Mixture], old: Held) -> Mixture:
    """The sum over shards, in the order of the tree."""
    root: Mixture = tree_sum(terms, lambda a, b: _added(a, b, old))
    return root


def _added(a: Mixture, b: Mixture, old: Held) -> Mixture:
    if np.array_equal(a.rows, b.rows):
        total = None if a.total is None or b.total is None else a.total + b.total
        return Mixture(a.shares + b.shares, a.rows, a.weights + b.weights, total)
    rows, place_a, place_b = _union(a.rows, b.rows)
    (weights, total), (more, more_total) = _filled(a, rows, place_a, old), _filled(b, rows, place_b, old)
    weights += more
    if total is not None and more_total is not None:
        total += more_total
    return Mixture(a.shares + b.shares, rows, weights, total)


def _union(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The rows of either, ascending, and where among them those of each are."""
    end = 1 + max(int(rows[-1]) if len(rows) else 0 for rows in (a, b))
    if end > min(64 * (len(a) + len(b)), 1 << 24):
        rows = np.union1d(a, b)
        return rows, np.searchsorted(rows, a), np.searchsorted(rows, b)
    there = np.zeros(end, bool)  # faster, where they are not few
    there[a] = there[b] = True
    place = np.cumsum(there, dtype=a.dtype) - a.dtype.type(1)
    return np.flatnonzero(there).astype(a.dtype), place[a], place[b]


def _filled(m: Mixture, rows: Array, place: Array, old: Held) -> tuple[Array, Array | None]:
    """The values of a mixture at these rows: those that none of its shards changed are sums of their old values."""
    missing = np.ones(len(rows), bool)
    missing[place] = False
    before = old.at(rows[missing])
    mus = tuple(share.mu for share in m.shares)

    def filled(changed: Array, was: Array) -> Array:
        values = np.empty((len(rows), changed.shape[1]))
        values[place], values[missing] = changed, _sum_of_same(mus, was)
        return values

    weights = filled(m.weights, before.weights)
    return weights, None if m.total is None or before.total is None else filled(m.total, before.total)


def _sum_of_same(mus: tuple[float, ...], values: Array) -> Array:
    """Σ μ_i·values in the order of the tree; the halves of it that are alike are summed once."""
    if len(mus) == 1:
        return mus[0] * values
    left = 1 << ((len(mus) - 1).bit_length() - 1)  # the largest power of 2 below
    first = _sum_of_same(mus[:left], values)
    same = mus[:left] == mus[left:]
    return np.asarray(first + (first if same else _sum_of_same(mus[left:], values)))


def rounded(root: Mixture, dtype: Any, visited: int) -> Held:
    """The mixed rows, once all shards are in; ``visited`` examples by then."""
    weights = root.weights.astype(dtype) + np.dtype(dtype).type(0)  # a tiny negative sum may round to −0
    if root.total is None:
        return Held(root.rows, weights, None)
    return Held(root.rows, weights, root.total + visited * (weights.astype(np.float64) - root.weights))


# ---- the mixed learner ---------------------------------------------------------------------------------------------


class Shards(Protocol):
    """Where the shards are, and who works on them: what a mixed learner learns from."""

    def learn(self, learner: MixedLearner) -> list[ShardReport]:
        """One pass of each shard from the weights of the learner."""
        ...

    def mixed(self, learner: MixedLearner, shares: tuple[Share, ...], visited: int) -> Held:
        """The rows that changed in it, mixed."""
        ...

    def score(self, learner: MixedLearner, stop_at_mistake: bool) -> tuple[int, Array]:
        """The mistakes of the weights on all shards, and their smallest margins."""
        ...

    def equal_rows(self) -> tuple[int, int] | None:
        """Two equal rows of different labels, by their numbers among the rows of all shards."""
        ...

    def radius2(self, order: Array | None = None) -> float:
        """R² of all rows, without the bias feature."""
        ...

    def radius(self, order: Array | None = None) -> float:
        """Its root."""
        ...

    def depth(self, order: Array | None = None) -> int:
        """As that of rows."""
        ...


@dataclass
class Mixed:
    """What mixing has come to: the convergence theorem's Σ_n Σ_i μ_{i,n}·k_{i,n}, and the shares of the last pass."""

    weighted_mistakes: float = 0.0
    shares: tuple[float, ...] = field(default_factory=tuple)


class MixedLearner(Learner):
    """A learner whose passes are made by shards, apart, and then mixed; the loop over passes is the learner's own."""

    kind: ClassVar[type[Learner]] = Learner  # what it is in all else
    mix: str
    mixing: Mixed

    @classmethod
    def of(cls, learner: Learner, mix: str) -> MixedLearner:
        """A learner that goes on with shards; refuses what cannot be mixed."""
        check_name("mix", mix, MIXES)
        refuse_unmixable(learner)
        _settled(learner)
        kind = _mixed(type(learner))
        made = kind.__new__(kind)
        made.__setstate__(learner.__getstate__())
        made.mix, made.mixing = mix, Mixed()
        return made

    def plain(self) -> Learner:
        """The same run as an ordinary learner; the arrays are shared."""
        own = self.__getstate__()
        plain = self.kind.__new__(self.kind)
        plain.__setstate__({name: value for name, value in own.items() if name not in ("mix", "mixing")})
        return plain

    def fit_shards(self, shards: Shards, **options: Any) -> None:
        """``fit`` on shards; the options are its own."""
        nothing: Any = None
        rows: Any = shards
        self.fit(rows, nothing, shuffle=False, **options)

    def equal_rows(self, rows: Any, targets: Any, order: Array | None) -> tuple[int, int] | None:
        shards: Shards = rows
        return shards.equal_rows()

    def map_rows(self, rows: Any, *, learn: bool) -> Any:
        return rows  # each shard maps its own

    def order(self, rows: Any, natural: Array | None, shuffle: bool, rng: np.random.Generator) -> Array | None:
        return None  # each shard has its own

    def _whole_pass(self, rows: Any, targets: Any, order: Array | None, weight: Array | None) -> tuple[int, int]:
        shards: Shards = rows
        reports = shards.learn(self)
        shares = shares_of(reports, self.mix, self.visited)
        visited = self.visited + sum(shard.visited for shard in reports)
        self._take(reports, shares, shards.mixed(self, shares, visited))
        self.mixing.weighted_mistakes += math.fsum(share.mu * shard.mistakes for share, shard in zip(shares, reports))
        self.mixing.shares = tuple(share.mu for share in shares)
        return self.passes[-1], sum(shard.updates for shard in reports)

    def _take(self, reports: Sequence[ShardReport], shares: tuple[Share, ...], held: Held) -> None:
        """Stand where the shards have come to, mixed."""
        n_features = max(self.n_features, *(shard.n_features for shard in reports))
        if self.places is None:
            self.reserve(n_features)
        self.n_features = n_features
        if self.lists is not None:
            self._take_cells(held)
        else:
            assert held.rows is not None
            rows = self.rows_for(held.rows)
            self.weights[rows, : self.n_vectors] = held.weights
            if self.total is not None and held.total is not None:
                self.total[rows, : self.n_vectors] = held.total
        self.tau[:] = tree_sum([share.mu * shard.tau for share, shard in zip(shares, reports)])
        self.least[:] = np.min([shard.least for shard in reports], axis=0)
        self.tally.visited += sum(shard.visited for shard in reports)
        self.tally.updates += sum(shard.updates for shard in reports)
        self.tally.mistakes = sum(shard.mistakes for shard in reports)
        self.tally.growth = max(shard.growth for shard in reports)
        self.weighted = self.weighted or any(shard.weighted for shard in reports)
        self.evidence = replace(
            self.evidence,
            upper=min(shard.evidence.upper for shard in reports),
            peak2=max(shard.evidence.peak2 for shard in reports),
            base2=max(shard.evidence.base2 for shard in reports),
            mixings=self.evidence.mixings + roundings(len(reports)),
            slack=max(shard.evidence.slack for shard in reports),
        )
        self.passes.append(self.tally.mistakes)
        self._read = None

    def _take_cells(self, held: Held) -> None:
        """Take over cells; the others stay."""
        k, own = self.n_vectors, cells_of(self)
        assert own.rows is not None
        assert held.rows is not None
        cells = np.union1d(own.rows, held.rows)
        into, places = own.placed(cells), np.searchsorted(cells, held.rows)
        into.weights[places] = held.weights
        self.weights[0, :k] = into.weights[:k, 0]
        if self.total is not None and into.total is not None and held.total is not None:
            into.total[places] = held.total
            self.total[0, :k] = into.total[:k, 0]
        rows, counts = np.unique(cells[k:] // k, return_counts=True)
        entries = Entries(
            np.concatenate(([0], np.cumsum(counts))), (cells[k:] % k).astype(np.int32),
            np.ascontiguousarray(into.weights[k:, 0]), None if into.total is None else into.total[k:, 0].copy(),
        )  # fmt: skip
        self.fill_lists(rows - 1, entries)
        self._build_native()

    def _score(self, rows: Any, targets: Any, order: Array | None, stop_at_mistake: bool = False) -> int:
        shards: Shards = rows
        mistakes, least = shards.score(self, stop_at_mistake)
        self.least[:] = least
        return mistakes


def _mixed(kind: type[Learner]) -> type[MixedLearner]:
    """A learner of this kind whose passes are made by shards."""
    return MixedLearner if kind is Learner else type(f"Mixed{kind.__name__}", (MixedLearner, kind), {"kind": kind})


def roundings(n_shards: int) -> int:
    """How many updates round as much as one mixing of so many shards does.

    With d levels of the tree the terms of Σ μ_i·W_i are rounded d + 1 times in float64, those of Σ τ likewise, each μ
    once, and W' once to its own type: (2d + 4)·(ε/2)·max‖W_i‖ at most. An update is given room for 2ε·max‖w‖; so
    (d + 2)/2 of them would do. It is twice that.
    """
    return 0 if n_shards == 1 else (n_shards - 1).bit_length() + 2


def refuse_unmixable(learner: Learner) -> None:
    """Refuse, in one sentence, a learner whose weights are not such that a mean of them is one of its own."""
    if learner.kernel is not None:
        raise ValueError("a kernel's weights are examples and cannot be mixed; use a linear learner on a cluster")
    if learner.rule.keeps is not None:
        raise ValueError(
            f"{type(learner.rule).__name__} keeps how sure it is of each weight, without which a mean of weights of "
            "several shards would be wrong; use a perceptron or a passive-aggressive rule on a cluster"
        )
    if learner.batch:
        raise ValueError(
            "the batch perceptron takes one step for all rows at once, which shards cannot; use Perceptron"
        )
    if learner.readout == "pocket":
        raise ValueError(
            "the pocket holds one weight vector that lasted long, and mixing ends them all; use the readout 'averaged'"
        )
