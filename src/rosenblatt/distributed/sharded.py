"""The passes of a mixed learner, as tasks: each shard's pass, the tree of sums, the scoring, the held-out rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.mixing import Held, MixedLearner, ShardReport, Share
from ..model_files import learners
from . import equal_rows, tasks
from .cluster import Workers
from .tasks import Judged, Measured, Report

Array = NDArray[Any]

#: So many neighbours are added in one task: a power of 2, so that the tree is the same.
FAN_IN = 4


@dataclass
class Shard:
    """A shard as the client knows it: its name, the promise of its rows, and the generator of its next order."""

    name: str
    promise: Any
    rng: np.random.Generator


@dataclass
class Sharded:
    """Shards on workers: what a mixed learner learns from (``mixing.Shards``)."""

    workers: Workers
    shards: list[Shard]
    shuffle: bool
    held_out: Callable[[], list[Any]] | None = None  # names and promises of held-out shards
    learns: Callable[[list[Any]], None] | None = None  # told of the first pass, in which rows taught something
    changes: bool = False  # rows are others in other passes, and measured in each
    measured: Measured | None = None
    reports: list[Report] = field(default_factory=list)  # of the last pass
    seconds: float = 0.0  # that it took,
    bytes_moved: int = 0  # and that moved between processes,
    began_with: int = 0  # of weights as they travel
    equal_places: tuple[str, str] | None = None  # where two equal rows of different labels stood, if in files

    _state: Any = None  # where the pass began,
    _held: int = -1  # after so many examples
    _judged: list[Any] | None = None  # held-out shards, once they were asked for
    _passed: list[Any] = field(default_factory=list)
    _state_bytes: int = 0

    def learn(self, learner: MixedLearner) -> list[ShardReport]:
        began = time.monotonic()
        self._hold(learner)
        self.began_with = self._state_bytes
        measure = self.measured is None or self.changes
        self._passed = [
            self.workers.submit(
                tasks.one_pass, self._state, one.promise, one.name, one.rng, self.shuffle, measure, shard=i
            )
            for i, one in enumerate(self.shards)
        ]
        reports = [self.workers.submit(getitem, passed, 0) for passed in self._passed]
        self.reports = self.workers.gather(reports)
        if measure:
            self._measure([report.measured for report in self.reports])
        self.seconds = time.monotonic() - began
        return [report.outcome for report in self.reports]

    def mixed(self, learner: MixedLearner, shares: tuple[Share, ...], visited: int) -> Held:
        began = time.monotonic()
        submit, groups = self.workers.submit, range(0, len(shares), FAN_IN)
        if self.learns is not None:
            self.learns([submit(getitem, passed, 2) for passed in self._passed])
            self._passed = [submit(tasks.part_of, passed) for passed in self._passed]
            self.learns = None
        sums = [submit(tasks.summed, self._state, shares[i : i + FAN_IN], self._passed[i : i + FAN_IN]) for i in groups]
        root = in_groups(self.workers, tasks.added, sums, self._state)
        held: Held
        [(held, took_part, moved)] = self.workers.gather([submit(tasks.finished, self._state, root, visited)])
        used = len(took_part - {""})  # each of them got the weights
        self.bytes_moved = moved + used * self.began_with + held.nbytes if used else 0
        for shard, report in zip(self.shards, self.reports):
            shard.rng = report.rng
        self._passed = []
        self.seconds += time.monotonic() - began
        return held

    def score(self, learner: MixedLearner, stop_at_mistake: bool) -> tuple[int, Array]:
        state = self.workers.hold(learners.to_state(learner.plain()))
        scored = self.workers.gather(
            [
                self.workers.submit(tasks.score, state, one.promise, one.name, stop_at_mistake, shard=i)
                for i, one in enumerate(self.shards)
            ]
        )
        self._measure([one.measured for one in scored])
        return sum(one.mistakes for one in scored), np.min([one.least for one in scored], axis=0)

    def equal_rows(self) -> tuple[int, int] | None:
        found = equal_rows.find(self.workers, [(one.name, one.promise) for one in self.shards])
        self.equal_places = None if found is None or not all(found.places) else found.places
        return None if found is None else found.rows

    def accuracy(self, learner: MixedLearner) -> float | None:
        """The share of the held-out rows that the readout gets right, or R²; None: nothing is held out."""
        if self.held_out is None:
            return None
        if self._judged is None:
            self._judged = self.held_out()
        self._hold(learner)
        parts: Sequence[Judged] = self.workers.gather(
            [
                self.workers.submit(tasks.judge, self._state, promise, name, shard=i)
                for i, (name, promise) in enumerate(self._judged)
            ]
        )
        judged = tasks.together(parts)
        if learner.epsilon is None:
            return judged.right / judged.n
        return 1 - judged.off2 / judged.truths.squares if judged.truths.squares else 0.0

    def radius2(self, order: Array | None = None) -> float:
        return math.nan if self.measured is None else self.measured.radius2

    def radius(self, order: Array | None = None) -> float:
        return math.sqrt(self.radius2(order))

    def depth(self, order: Array | None = None) -> int:
        return 0 if self.measured is None else self.measured.depth

    def _hold(self, learner: MixedLearner) -> None:
        """Put the weights where workers can get them, as they are after a pass."""
        if self._state is not None and self._held == learner.visited:
            return
        self._held = learner.visited
        state = learners.to_state(learner.plain())
        self._state_bytes = sum(array.nbytes for array in state[1].values())
        self._state = self.workers.hold(state)

    def renew(self, promises: Sequence[Any]) -> None:
        """Shards that make their rows in another way from now on."""
        for shard, promise in zip(self.shards, promises):
            shard.promise = promise

    def _measure(self, measured: Sequence[Measured | None]) -> None:
        for one in measured:
            if one is not None:
                before = self.measured or Measured()
                self.measured = Measured(max(before.radius2, one.radius2), max(before.depth, one.depth))


def in_groups(workers: Workers, task: Callable[..., Any], promises: list[Any], *first: Any) -> Any:
    """One promise of many, neighbours together in each task, then neighbours of these."""
    while len(promises) > 1:
        promises = [workers.submit(task, *first, promises[i : i + FAN_IN]) for i in range(0, len(promises), FAN_IN)]
    return promises[0]
