"""Fit an estimator on shards."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import labels
from ..learner import Learner
from ..mixing import MixedLearner, refuse_unmixable
from . import held
from .cluster import Workers, workers_of
from .held import Coding, Look
from .sharded import Shard, Sharded
from .sources import Source, check_count, sources_of
from .telling import PassRecord, printer

Array = NDArray[Any]


def fit(
    estimator: Any,
    data: Any,
    y: Any = None,
    *,
    client: Any = None,
    passes: int | None = None,
    mix: str = "uniform",
    shards: int | None = None,
    classes: Any = None,
    sample_weight: Any = None,
    held_out: Any = None,
    progress: bool | Callable[[PassRecord], None] = True,
    retries: int = 3,
) -> Any:
    """Fit."""
    fitted = estimator._blank()
    learner = fitted._new_learner()
    refuse_unmixable(learner)
    max_iter = estimator.max_iter if passes is None else passes
    check_count("passes", max_iter)
    with workers_of(client, retries) as workers:
        sources = sources_of(data, y, sample_weight, shards, workers, learner.epsilon is not None)
        coding = _settle(fitted, learner, sources, workers, classes)
        rng = fitted._generator()
        fitted._start(learner, rng, None, None)
        ready = [workers.submit(held.ready, source.promise, coding) for source in sources]
        sharded = Sharded(
            workers,
            [
                Shard(s.name, p, g)
                for s, p, g in zip(sources, ready, generators(estimator.random_state, rng, len(ready)))
            ],
            getattr(estimator, "shuffle", False),
        )
        mixed = MixedLearner.of(learner, mix)
        history: list[PassRecord] = []

        def report(done: Any) -> None:
            history.append(
                PassRecord(
                    done.number,
                    done.mistakes,
                    done.updates,
                    mixed.mixing.weighted_mistakes,
                    done.margin,
                    sharded.accuracy(mixed),
                    sharded.seconds,
                    tuple(r.seconds for r in sharded.reports),
                    len({r.worker for r in sharded.reports}),
                    sharded.bytes_moved,
                    sharded.state_bytes,
                    mixed.mixing.shares,
                )
            )
            if tell is not None:
                tell(history[-1])

        tell = printer() if progress is True else progress or None
        mixed.fit_shards(
            sharded,
            max_iter=max_iter,
            tol=getattr(estimator, "tol", None),
            progress=report,
            name=type(estimator).__name__,
        )
    fitted._learner = mixed.plain()
    fitted.distributed_ = history
    estimator._become(fitted)
    return estimator


def _settle(fitted: Any, learner: Learner, sources: list[Source], workers: Workers, classes: Any) -> Coding:
    """Look at all shards, and make room for what they hold."""
    regression = learner.epsilon is not None
    looks: list[Look] = workers.gather([workers.submit(held.look, source.promise, regression) for source in sources])
    widths = {look.n_features for look in looks}
    if len(widths) > 1:
        raise ValueError(f"the shards have different numbers of columns: {sorted(widths)}")
    dtype = np.result_type(*(look.dtype for look in looks))
    known = None
    if not regression:
        known = _classes(looks, sources, classes)
        fitted._know(known)
    if looks[0].names is not None:
        fitted.feature_names_in_ = looks[0].names
    learner.allocate(looks[0].n_features, 0 if known is None else len(known), dtype)
    return Coding(dtype, known, None)


def _classes(looks: list[Look], sources: list[Source], given: Any) -> Array:
    if given is not None:
        return labels.distinct(np.asarray(given))
    known = looks[0].classes
    assert known is not None
    for look in looks[1:]:
        assert look.classes is not None
        known = labels.extend(known, look.classes)
    if len(known) < 2:
        raise ValueError("one class")
    return known


def generators(seed: Any, rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """One for each shard: the first has the run's own, as a local fit has; the others are seeded by their number."""
    if not isinstance(seed, (int, np.integer)):
        seed = int(copy.deepcopy(rng).integers(2**63))
    return [rng, *(np.random.default_rng([seed, i]) for i in range(1, n))]
