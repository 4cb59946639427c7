"""What workers do: pure functions of what they are given, so that one that is lost can be run again, to the bit.

A *state* is a learner as ``model_files.learners.to_state`` gives it: plain values and arrays, of large weights only the
rows in use.
"""

from __future__ import annotations

import copy
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import engine, mixing
from ..core.learner import Learner
from ..core.mixing import Held, Mixture, ShardReport, Share
from ..data import Skipped
from ..data.features import Section
from ..data.moments import Moments
from ..errors import DataError
from ..model_files import learners, listed

Array = NDArray[Any]
State = tuple[dict[str, Any], dict[str, Array]]

#: 1 in the environment of a worker: its allocator keeps freed memory for the next block (docs/how-to/cluster.md).
KEEP_FREED_MEMORY = "ROSENBLATT_KEEP_FREED_MEMORY"


@dataclass
class Measured:
    """What is measured of a shard's rows once: R² without the bias feature, and how deep a score is summed."""

    radius2: float = 0.0
    depth: int = 0


@dataclass
class Report:
    """What is told of a shard's pass: how it went, and what the next one starts with."""

    outcome: ShardReport
    measured: Measured | None
    rng: np.random.Generator
    seconds: float
    worker: str
    nbytes: int  # of the part that waits on the worker
    skipped: Skipped | None  # rows that were left out as faulty, where it read files


class Passed(NamedTuple):
    """A report, the rows that changed, and what was learned by what makes rows, in its first pass."""

    report: Report
    part: Held
    learned: Section | None = None


class Sum(NamedTuple):
    """A mixture of some shards, where it and its parts were made, and the bytes that moved between workers for it."""

    mixture: Mixture
    worker: str
    workers: frozenset[str]
    moved: int


class Scored(NamedTuple):
    """How weights do on a shard, without learning."""

    mistakes: int
    least: Array
    measured: Measured


class Judged(NamedTuple):
    """Predictions on a held-out shard: right ones of n; of a regression the squares that R² is made of."""

    n: int = 0  # rows; of sentences, tokens
    right: int = 0
    off2: float = 0.0
    truths: Moments = Moments()


def held_of(state: State, like: Array) -> Held:
    """The weights of a state, by rows or by cells, as mixed weights ``like`` these are."""
    plain, arrays = state
    k, n_rows = learners.n_vectors(plain), 1 + plain["n_features"]
    by_cell = like.shape[1] < k
    names = [name for name in ("weights", "total") if name in arrays]
    if listed.LISTS in arrays:
        pairs = listed.unpacked(arrays, names)
    elif by_cell:
        pairs = listed.Pairs.of({name: arrays[name] for name in names}, arrays.get(listed.ROWS))
    if by_cell:
        cells = np.repeat(pairs.rows.astype(np.int64), np.diff(pairs.starts)) * k + pairs.classes
        total = pairs.values["total"][:, None] if "total" in names else None
        return Held(cells, pairs.values["weights"][:, None], total)
    if listed.LISTS in arrays:
        arrays = pairs.spread(k, n_rows)
    return Held(arrays.get(listed.ROWS), arrays["weights"], arrays.get("total"))


def as_it_is(value: Any) -> Any:
    """Whatever is to lie on a worker."""
    return value


def one_pass(state: State, shard: Any, name: str, rng: np.random.Generator, shuffle: bool, measure: bool) -> Passed:
    """One pass over a shard from the mixed weights."""
    began = time.perf_counter()
    if os.environ.get(KEEP_FREED_MEMORY) == "1":
        engine.keep_freed_memory()
    rng, shard = copy.deepcopy(rng), copy.copy(shard)
    learner = learners.from_state(*state)
    measured = Measured() if measure else None
    with at_shard(name):
        outcome, part = mixing.shard_pass(learner, _measuring(shard.pieces(learner, shuffle, rng), learner, measured))
    skipped = getattr(shard, "skipped", None)
    report = Report(outcome, measured, rng, time.perf_counter() - began, worker(), part.nbytes, skipped)
    return Passed(report, part, getattr(shard, "learned", None))  # only what is streamed learns in a pass


def part_of(passed: Passed) -> Passed:
    """A pass without what was learned on the way, which need not travel with the rows that changed."""
    return Passed(passed.report, passed.part)


def _measuring(pieces: Iterator[Any], learner: Learner, measured: Measured | None) -> Iterator[Any]:
    for piece in pieces:
        yield piece
        if measured is not None:
            rows, _, order, _ = piece
            measured.radius2 = max(measured.radius2, rows.radius2(order))
            measured.depth = max(measured.depth, rows.depth(order))


def summed(state: State, shares: Sequence[Share], passed: Sequence[Passed]) -> Sum:
    """The mixture of neighbouring shards."""
    here = worker()
    moved = sum(one.part.nbytes for one in passed if one.report.worker != here)
    old = held_of(state, passed[0].part.weights)
    terms = [mixing.term(share, one.part, old) for share, one in zip(shares, passed)]
    return Sum(mixing.mixture(terms, old), here, frozenset({here, *(one.report.worker for one in passed)}), moved)


def added(state: State, sums: Sequence[Sum]) -> Sum:
    """The mixture of neighbouring mixtures."""
    here = worker()
    moved = sum(one.moved + (one.mixture.nbytes if one.worker != here else 0) for one in sums)
    workers = frozenset({here}).union(*(one.workers for one in sums))
    old = held_of(state, sums[0].mixture.weights)
    return Sum(mixing.mixture([one.mixture for one in sums], old), here, workers, moved)


def finished(state: State, root: Sum, visited: int) -> tuple[Held, frozenset[str], int]:
    """The mixed rows, the workers that took part, and the bytes that moved between them for it."""
    moved = root.moved + (root.mixture.nbytes if root.worker != worker() else 0)
    held = mixing.rounded(root.mixture, np.dtype(state[0]["dtype"]), visited)
    return held, root.workers | {worker()}, moved


def score(state: State, shard: Any, name: str, stop_at_mistake: bool) -> Scored:
    """Judge every row of a shard by the weights."""
    learner, measured = learners.from_state(*state), Measured()
    mistakes, least = 0, np.full(learner.slots, np.inf)
    with at_shard(name):
        for rows, targets, order, _ in _measuring(shard.still(), learner, measured):
            mistakes += learner._score(rows, targets, order, stop_at_mistake)
            least = np.minimum(least, learner.least)
            if mistakes and stop_at_mistake:
                break
    return Scored(mistakes, least, measured)


def judge(state: State, shard: Any, name: str) -> Judged:
    """Predict the rows of a held-out shard."""
    learner = learners.from_state(*state)
    total = Judged()
    with at_shard(name):
        for rows, targets, _, _ in shard.still():
            predicted = learner.predict(rows)
            if learner.epsilon is None:
                one = Judged(len(targets), right=int(np.sum(predicted == targets)))
            else:
                off2 = float(np.sum((targets - predicted) ** 2))
                one = Judged(len(targets), off2=off2, truths=Moments.of(targets))
            total = together([total, one])
    return total


def together(parts: Sequence[Judged]) -> Judged:
    """Of several shards."""
    total = parts[0]
    for one in parts[1:]:
        truths = total.truths.joined(one.truths)
        total = Judged(total.n + one.n, total.right + one.right, total.off2 + one.off2, truths)
    return total


def worker() -> str:
    """The address of the worker that runs this; "" in this process."""
    if sys.modules.get("distributed") is None:
        return ""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return ""


@contextmanager
def at_shard(name: str) -> Iterator[None]:
    """Say in which shard it was that something was refused."""
    try:
        yield
    except DataError as error:
        error.at(shard=name)
        raise
    except (ValueError, TypeError, OSError) as error:
        raise worded(error, f"{name}: {error}") from error


def worded(error: BaseException, sentence: str) -> BaseException:
    """An error of the kind that users expect, with more to say."""
    kinds = (FileNotFoundError, OSError, TypeError, ValueError)
    return next((kind for kind in kinds if isinstance(error, kind)), type(error))(sentence)
