"""Learning on a cluster: the files are shards, which its workers open and learn from, mixed after every pass."""

from __future__ import annotations

import argparse
import os
import warnings
from typing import TYPE_CHECKING, Any

from .options import count, seconds
from .terminal import CommandError, Interrupt, Progress, several

if TYPE_CHECKING:
    from .training import Course

#: What goes with a cluster alone.
_OPTIONS = ("mix", "shards", "checkpoint", "worker_timeout")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a cluster."""
    group = parser.add_argument_group("on a cluster (needs dask: pip install 'rosenblatt[distributed]')")
    group.add_argument(
        "--cluster", metavar="ADDRESS", help="learn on the workers of this Dask scheduler, a file a shard"
    )
    group.add_argument(
        "--workers", metavar="N", type=count, help="the same on a cluster of N processes of this machine"
    )
    group.add_argument("--shards", metavar="N", type=count, help="deal neighbouring files into N shards")
    group.add_argument(
        "--mix",
        metavar="HOW",
        choices=("uniform", "updates"),
        help="how shards count when their weights are mixed: alike, or by the updates that they made (uniform)",
    )
    group.add_argument(
        "--checkpoint", metavar="FILE", help="save the run here after every pass; if it is there, go on from it"
    )
    group.add_argument(
        "--worker-timeout", metavar="S", type=seconds, help="seconds to wait while there is no worker, or inf (300)"
    )


def is_asked_for(arguments: argparse.Namespace) -> bool:
    """Whether to learn on a cluster; refuses what does not go together."""
    if not arguments.cluster and not arguments.workers:
        for name in _OPTIONS:
            if getattr(arguments, name) is not None:
                raise CommandError(
                    f"--{name.replace('_', '-')} is for a cluster: say --workers N, or --cluster ADDRESS"
                )
        return False
    if arguments.cluster and arguments.workers:
        raise CommandError("--cluster and --workers are two clusters; name one")
    if arguments.resume:
        raise CommandError(
            "--resume goes on with other rows on one machine; on a cluster --checkpoint goes on with a run"
        )
    if arguments.shuffle_buffer:
        raise CommandError("--shuffle-buffer does not go with a cluster; without --stream shards are shuffled whole")
    if arguments.on_error == "skip":
        raise CommandError("--on-error skip counts what it skips, which a cluster does not; mend the files first")
    if isinstance(arguments.held_out, float):
        raise CommandError("on a cluster nothing is held out of the shards; name a file, --held-out FILE")
    return True


def learned(arguments: argparse.Namespace, passes: int, progress: Progress, interrupt: Interrupt) -> Course:
    """Learn on the cluster: what comes of it, as of one machine."""
    from ..distributed import ClusterError
    from ..distributed.cluster import WORKER_TIMEOUT, workers_of
    from ..distributed.file_sources import files_of
    from ..distributed.job import run
    from . import inputs

    own = _Run(arguments, passes, progress, interrupt)
    reading = {"format": arguments.format, "columns": inputs.columns_of(arguments), "on_error": arguments.on_error}
    reading |= {"block_rows": arguments.block_rows, **inputs.settings_of(arguments)}
    try:
        limit = arguments.worker_timeout or WORKER_TIMEOUT
        with workers_of(arguments.cluster or arguments.workers, 3, limit) as workers:
            for told in workers.notes:
                progress.line(told)
            data = files_of(
                workers, arguments.files, arguments.shards, reading=reading, make_features=own.features_for,
                in_memory=False if arguments.stream else None,
            )  # fmt: skip
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the summary tells the verdict
                run(own.job, data, workers, arguments.held_out)
    except (Exception, KeyboardInterrupt) as error:
        if own.job is None or own.job.features is None:  # no pass was complete
            before = arguments.checkpoint if os.path.exists(arguments.checkpoint or "") else None
            so_far = f"the run so far is in {before}, and the same command goes on from there" if before else ""
            if isinstance(error, ClusterError):
                raise CommandError("; ".join(filter(None, (str(error), so_far)))) from error
            if isinstance(error, KeyboardInterrupt) and so_far:
                error.left = so_far  # type: ignore[attr-defined]
            raise
        if isinstance(error, KeyboardInterrupt):
            return own.course(interrupted=True)
        return own.course(fault=error)
    return own.course()


class _Run:
    """A run that is made ready once a worker has seen the first block."""

    def __init__(self, arguments: argparse.Namespace, passes: int, progress: Progress, interrupt: Interrupt) -> None:
        self.arguments, self.passes, self.progress, self.interrupt = arguments, passes, progress, interrupt
        self.job: Any = None  # none yet
        self.why = ""

    def features_for(self, settled: Any) -> Any:
        """What makes rows; the learner, too, is chosen by what was seen."""
        from ..core.spec import Spec
        from . import algorithms, inputs
        from .features import Features

        arguments, columns = self.arguments, settled.columns
        if columns is not None and not columns.label:
            raise CommandError(f"{', '.join(arguments.files)}: no column looks like the labels; name it by --label")
        numbers = inputs.are_fractions(settled.labels)
        features = Features.asked_for(columns, settled.format, arguments, 1 if numbers else _vectors(settled.labels))
        name = arguments.algorithm
        if name is None:
            name, self.why = algorithms.default(features.has_text, numbers)
        kind, parameters = algorithms.chosen(arguments, name, features.is_text)
        parameters |= {"max_iter": self.passes, "random_state": arguments.seed}
        if "tol" in algorithms.ALGORITHMS[name].takes:
            parameters.setdefault("tol", None)
        self.columns, self.format, self.kind, self.parameters = columns, settled.format, kind, parameters
        spec = Spec.of(kind, parameters)
        self._make_job(spec, algorithms.class_weights(spec.class_weight, settled.labels))
        return features

    def _make_job(self, spec: Any, class_weight: Any) -> None:
        from ..core.mixing import refuse_unmixable
        from ..distributed.checkpoints import Checkpoint
        from ..distributed.job import Job

        arguments, learner = self.arguments, spec.learner()
        refuse_unmixable(learner)
        self.job = Job(
            self.kind, spec, learner, spec.generator(), self.passes, mix=arguments.mix or "uniform",
            class_weight=class_weight, tell=self._tell,
        )  # fmt: skip
        if arguments.checkpoint:
            self.job.checkpoint = Checkpoint(arguments.checkpoint, self.kind, self.parameters)
            self.job.resume = True

    def _tell(self, record: Any) -> None:
        self.progress.line(str(record))
        if record.number < self.passes:
            self.progress(f"pass {record.number + 1} of {self.passes}", share=record.number / self.passes)

    def course(self, interrupted: bool = False, fault: Exception | None = None) -> Course:
        """What the run has come to."""
        from .features import Features
        from .training import Course

        job = self.job
        learner = job.mixed.plain()
        judged = learner.epsilon is None
        course = Course(
            self.arguments, self.arguments.files, self.columns, self.format, Features.of_section(job.features), learner,
            self.kind, self.parameters, self.passes, None, self.progress, self.interrupt, job.known, begun=True,
            rows=learner.visited // max(len(job.history), 1), interrupted=interrupted, why=self.why,
            mistakes=[record.mistakes if judged else record.updates for record in job.history],
        )  # fmt: skip
        course.cluster, course.fault = job.history, fault
        return course


def _vectors(labels: Any) -> int:
    return len(labels) if len(labels) > 2 else 1


def goes_on(checkpoint: str | None) -> str:
    """How a run that ended before its time goes on."""
    return f"the same command goes on from {checkpoint}" if checkpoint else "with --checkpoint FILE it could go on"


def story(history: list[Any]) -> dict[str, Any]:
    """The passes of a cluster, as plain values."""
    return {
        "shards": len(history[-1].shares),
        "workers": history[-1].workers,
        "each": [one.to_dict() for one in history],
    }


def summary(told: dict[str, Any]) -> str:
    """The same for people."""
    from ..distributed.records import size

    moved = sum(one["bytes_moved"] for one in told["each"])
    last = told["each"][-1]
    slowest = max(range(told["shards"]), key=last["shard_seconds"].__getitem__)
    return (
        f"{several(told['workers'], 'worker')}, {several(told['shards'], 'shard')}, {size(moved)} moved; slowest in "
        f"the last pass: shard {slowest}, {last['shard_seconds'][slowest]:.2f} of {last['seconds']:.2f} s"
    )
