"""A run on shards from its first look at them to its verdict, without scikit-learn: the command line runs it too."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import labels
from ..core.convergence import ConvergenceWarning
from ..core.learner import Learner, Pass
from ..core.mixing import MixedLearner
from ..core.spec import Spec
from ..data import Skipped
from ..data.features import SECTION as FEATURES
from ..data.features import Section
from ..model_files import ModelFileError, learners
from .checkpoints import Checkpoint, Progress
from .cluster import Workers
from .files import added
from .in_memory import Coding, Look
from .records import PassRecord
from .sharded import Shard, Sharded
from .sources import Data
from .tasks import Report

Array = NDArray[Any]


@dataclass
class Job:
    """What is to be learned, and how."""

    name: str  # of the estimator
    spec: Spec  # a whole number as its random_state seeds the generators of the shards
    learner: Learner  # which has no weights yet
    rng: np.random.Generator  # the run's own
    max_iter: int  # passes at most
    earlier: Callable[[Array | None], Learner | None] | None = None  # to go on from, given the classes (warm_start)
    mix: str = "uniform"  # how the shards' weights are mixed, or "updates"
    classes: Any = None  # labels, where they are known before any was read
    class_weight: Any = None  # a dict, "balanced" or None
    tell: Callable[[PassRecord], None] | None = None  # is told of every pass
    checkpoint: Checkpoint | None = None  # where every pass is saved,
    resume: bool = False  # and whether the run goes on from there
    warning: type[Warning] = ConvergenceWarning  # of a run that ended undecided

    # What it comes to:

    mixed: MixedLearner | None = None  # as of the last complete pass, once there is one
    known: Array | None = None  # classes
    names: list[Any] | None = None  # of columns
    features: Section | None = None  # what makes rows,
    section_name: str = FEATURES  # in the section of this name
    skipped: Skipped = field(default_factory=Skipped)  # rows that were left out as faulty
    history: list[PassRecord] = field(default_factory=list)
    equal_rows: tuple[str, str] | None = None  # where two of different labels stand, if it looked for them, in files
    saved: int = 0  # passes that are in the checkpoint


def run(job: Job, data: Data, workers: Workers, held_out: Any = None) -> None:
    """Do the job; what it comes to is in it, also where it fails: then as of the last complete pass."""
    resumed = job.checkpoint.read() if job.checkpoint is not None and job.resume else None
    job.saved = 0 if resumed is None else len(resumed[1].history)
    if held_out is not None:
        data.open_held_out(held_out)
    regression = job.learner.epsilon is not None
    needed = not regression and (job.classes is None or job.class_weight == "balanced")
    looks = data.look(regression, needed)
    coding = _settled(job, looks)
    job.known, job.names, job.section_name = coding.classes, looks[0].names, data.section_name
    _count_skipped(job, looks)
    rows = [look.n_rows for look in looks] if len(looks) == len(data.names) else []
    if resumed is None:
        learner = job.learner
        learner.allocate(coding.n_features, 0 if coding.classes is None else len(coding.classes), coding.dtype)
        job.spec.begin(learner, job.rng, earlier=None if job.earlier is None else job.earlier(coding.classes))
        data.prepare(learner, coding)
        mixed = MixedLearner.of(learner, job.mix)
        own = generators(job.spec.parameters["random_state"], job.rng, len(data.names))
        progress = Progress(job.mix, data.names, rows, own, mixed.mixing)
        learned = None
    else:
        model, progress = resumed
        _refuse_another_run(job, progress, data, rows, coding, model)
        mixed = MixedLearner.of(model.learner, job.mix)
        mixed.mixing = progress.mixing
        learned = model.extras.get(data.section_name)
        job.mixed, job.history = mixed, progress.history
        if progress.ended and (mixed.verdict != "stopped" or mixed.n_iter >= job.max_iter):
            job.features = learned if data.section_name == FEATURES else data.section()  # which the looks have settled
            return
    shards = [Shard(*one) for one in zip(data.names, data.ready(coding, learned), progress.generators)]
    judged = None if held_out is None else lambda: data.judged(coding)
    sharded = Sharded(workers, shards, job.spec.shuffle, judged)
    sharded.measured = progress.measured
    sharded.changes = data.learns
    if data.learns and learned is None:
        sharded.learns = lambda lexicons: sharded.renew(data.settle(lexicons))
    _passes(job, mixed, sharded, data, progress)


def _passes(job: Job, mixed: MixedLearner, sharded: Sharded, data: Data, progress: Progress) -> None:
    shards: Any = sharded

    def save(ended: bool) -> None:
        if job.features is None:
            job.features = data.section()
        if job.checkpoint is not None:
            progress.generators, progress.ended = [shard.rng for shard in sharded.shards], ended
            progress.measured = sharded.measured
            sections = {} if job.features is None else {job.section_name: job.features}
            job.checkpoint.write(mixed, job.known, job.names, sections, progress)
            job.saved = len(progress.history)

    def report(done: Pass) -> None:
        job.mixed, job.history = mixed, progress.history
        reports = sharded.reports
        if not progress.rows and not job.skipped:  # not every shard was looked at before the first pass
            _count_skipped(job, reports)
        if progress.scale is None and job.learner.epsilon is None:
            progress.scale = mixed.scale_of(shards) or 1.0
        progress.history.append(
            PassRecord(
                number=done.number,
                mistakes=done.mistakes,
                updates=done.updates,
                weighted_mistakes=mixed.mixing.weighted_mistakes,
                margin=done.margin,
                held_out=sharded.accuracy(mixed),
                seconds=sharded.seconds,
                shard_seconds=tuple(one.seconds for one in reports),
                workers=len({one.worker for one in reports}),
                bytes_moved=sharded.bytes_moved,
                weights_bytes=sharded.began_with,
                shares=mixed.mixing.shares,
            )
        )
        save(ended=False)
        if job.tell is not None:
            job.tell(progress.history[-1])

    mixed.fit_shards(
        sharded, max_iter=job.max_iter, tol=job.spec.tol, progress=report, first=mixed.n_iter + 1, scale=progress.scale,
        name=job.name, warning=job.warning,
    )  # fmt: skip
    job.equal_rows = sharded.equal_places
    drawn_on = sharded.shards[0].rng  # and so is the generator that was given
    job.rng.bit_generator.state = drawn_on.bit_generator.state
    save(ended=True)


def _count_skipped(job: Job, parts: Sequence[Look | Report]) -> None:
    """Take in the rows that were left out as faulty, and warn of them."""
    for part in parts:
        if part.skipped is not None:
            job.skipped.add(part.skipped.count, part.skipped.first)
    if job.skipped:
        warnings.warn(f"{job.skipped}, as was asked for", stacklevel=4)


def _settled(job: Job, looks: list[Look]) -> Coding:
    """What the looks at all shards come to."""
    n_features = max(look.n_features for look in looks)
    dtype = np.result_type(*(look.dtype for look in looks))
    if job.learner.epsilon is not None:
        return Coding(n_features, dtype, None, None)
    known, counts = None, None
    for look in looks if looks[0].classes is not None else ():
        known, counts = added(known, counts, look.classes, look.counts)
    if job.classes is not None:
        classes = labels.distinct(np.asarray(job.classes))
        if counts is not None and known is not None and job.class_weight == "balanced":
            whole = np.zeros(len(classes), counts.dtype)
            there = labels.encode(known, classes)
            whole[there[there >= 0]] = counts[there >= 0]
            counts = whole
        known = classes
    assert known is not None
    by_class, unweighted, which = None, None, "all labels"
    if job.class_weight is not None and len(known):
        by_class = labels.class_weights(job.class_weight, known, counts)
        if job.classes is None and not by_class.all():
            known, by_class, unweighted = known[by_class > 0], by_class[by_class > 0], known[by_class == 0]
            which = "all labels of rows with weight"
    if not len(known):
        leave = "sample_weight leaves" if job.class_weight is None else "sample_weight and class_weight leave"
        raise ValueError(f"{leave} no row to learn from: all weights are zero")
    if len(known) < 2:
        only = ", ".join(repr(label) for label in known.tolist())
        raise ValueError(f"{which} are the same, {only}; learning needs two classes at least")
    return Coding(n_features, dtype, known, by_class, unweighted)


def _refuse_another_run(job: Job, progress: Progress, data: Data, rows: list[int], coding: Coding, model: Any) -> None:
    """A run goes on as it began."""
    assert job.checkpoint is not None
    path, known = job.checkpoint.path, coding.classes
    if learners.made_with(model.learner) != learners.made_with(job.learner):
        raise ModelFileError(f"{path} is damaged or was tampered with: its learner is not that of its parameters")
    if progress.mix != job.mix:
        raise ValueError(f"{path} was begun with mix={progress.mix!r}, and cannot go on with mix={job.mix!r}")
    if len(progress.shards) != len(data.names) or (rows and progress.rows and rows != progress.rows):
        raise ValueError(
            f"{path} is of a run over {len(progress.shards)} shards of {sum(progress.rows):,} rows, and these are "
            f"{len(data.names)} of {sum(rows):,}; go on with the same data in the same shards"
        )
    if (known is None) != (model.classes is None) or (known is not None and known.tolist() != model.classes.tolist()):
        raise ValueError(f"{path} is of a run over other classes; go on with the same data")
    n_features = job.learner.n_features_for(coding.n_features, 0 if known is None else len(known))
    if model.learner.n_features != n_features or model.learner.dtype != coding.dtype:
        raise ValueError(
            f"{path} is of a run over {model.learner.n_features} columns of {model.learner.dtype}, and these are "
            f"{n_features} of {coding.dtype}; go on with the same data"
        )


def generators(seed: Any, rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """One for each shard: the first has the run's own, as a local fit has; the others are seeded by their number."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
        seed = int(copy.deepcopy(rng).integers(2**63))
    return [rng, *(np.random.default_rng([int(seed), i]) for i in range(1, n))]
