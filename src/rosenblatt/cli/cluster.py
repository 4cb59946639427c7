"""Training on a cluster: workers train on shards of the files, and the weights are averaged after every pass."""

from __future__ import annotations

import argparse
import os
import warnings
from typing import Any

from ..core.mixing import refuse_unmixable
from ..core.spec import Spec
from ..data.sources import expand
from ..distributed import ClusterError
from ..distributed.checkpoints import Checkpoint
from ..distributed.cluster import WORKER_TIMEOUT, workers_of
from ..distributed.file_sources import files_of
from ..distributed.job import Job, run
from ..tuning.choices import Choices
from . import algorithms, choosing, inputs
from .features import Features
from .terminal import CommandError, Interrupt, Interrupted, Progress, option
from .training import TrainingRun


def train(arguments: argparse.Namespace, passes: int, progress: Progress, interrupt: Interrupt) -> TrainingRun:
    """Train on the cluster; the result is like that of one machine."""
    own = _Run(arguments, passes, progress, interrupt)
    reading = {"format": arguments.format, "columns": inputs.column_options(arguments), "on_error": arguments.on_error}
    reading |= {"block_rows": arguments.block_rows, "missing": arguments.missing, "encoding": arguments.encoding}
    reading |= inputs.format_settings(arguments)
    try:
        limit = arguments.worker_timeout or WORKER_TIMEOUT
        with workers_of(arguments.cluster or arguments.workers, 3, limit) as workers:
            for line in workers.notes:
                progress.line(line)
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
            so_far = f"the run so far is in {before}, and the same command continues from it" if before else ""
            if isinstance(error, ClusterError):
                raise CommandError("; ".join(filter(None, (error.worded(option), so_far)))) from error
            if isinstance(error, KeyboardInterrupt) and so_far:
                raise Interrupted(interrupt.code, so_far) from None
            raise
        if isinstance(error, KeyboardInterrupt):
            return own.result(interrupted=True)
        return own.result(fault=error)
    return own.result()


class _Run:
    """A run whose learner is chosen once a worker has seen the first block."""

    def __init__(self, arguments: argparse.Namespace, passes: int, progress: Progress, interrupt: Interrupt) -> None:
        self.arguments, self.passes, self.progress, self.interrupt = arguments, passes, progress, interrupt
        self.job: Any = None  # none yet
        self.choices: Choices | None = None

    def features_for(self, settled: Any) -> Features:
        """What makes rows of the first block's format and columns; chooses the learner, too."""
        arguments, columns = self.arguments, settled.columns
        inputs.refuse_unlabelled(columns, arguments.files)
        numbers = inputs.are_numbers(settled.labels, arguments)
        if columns is not None and columns.text:
            self._settle_text(numbers, settled.text)
        features = Features.asked_for(columns, settled.format, arguments, settled.density)
        self.density = settled.density
        self.columns, self.format = columns, settled.format
        self.kind, self.parameters, self.why = algorithms.for_training(arguments, features, numbers, self.passes)
        spec = Spec.of(self.kind, self.parameters)
        learner = spec.learner()
        refuse_unmixable(learner)
        class_weight = algorithms.class_weights(spec.class_weight, settled.labels)
        self.job = Job(
            self.kind, spec, learner, spec.generator(), self.passes, mix=arguments.mix or "uniform",
            class_weight=class_weight, tell=self._tell,
        )  # fmt: skip
        if arguments.checkpoint:
            self.job.checkpoint = Checkpoint(arguments.checkpoint, self.kind, self.parameters)
            self.job.resume = True
        return features

    def _settle_text(self, numbers: bool, text: str) -> None:
        """How text is read: by its script and the defaults; nothing is compared, as no machine has all rows."""
        choosing.settle_supervision(self.arguments, numbers)
        options, reason = choosing.by_script(self.arguments, text)
        for name, value in options.items():
            setattr(self.arguments, name, value)
        nothing = "nothing was compared, as the rows are on a cluster"
        self.choices = Choices(options=options, reasons=[*filter(None, [reason]), nothing])

    def _tell(self, record: Any) -> None:
        self.progress.line(str(record))
        if record.number < self.passes:
            self.progress(f"pass {record.number + 1} of {self.passes}", share=record.number / self.passes)

    def result(self, interrupted: bool = False, fault: Exception | None = None) -> TrainingRun:
        """The state of the run after its last complete pass."""
        job = self.job
        learner = job.mixed.plain()
        classifies = learner.epsilon is None
        run = TrainingRun(
            self.arguments, expand(self.arguments.files), self.columns, self.format, Features.of_section(job.features),
            learner, self.kind, self.parameters, self.passes, None, self.progress, self.interrupt, job.known,
            begun=True, rows=learner.visited // max(len(job.history), 1), interrupted=interrupted, why=self.why,
            mistakes=[record.mistakes if classifies else record.updates for record in job.history],
        )  # fmt: skip
        run.features.density, run.choices = self.density, self.choices
        run.passes_on_cluster, run.fault, run.skipped = job.history, fault, job.skipped
        run.equal_rows = job.equal_rows
        return run
