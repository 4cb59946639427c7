"""Learning from files: in memory, as an estimator's ``fit``, or block by block, as its ``partial_fit``.

To the bit. In memory every pass visits the rows in a fresh random order; block by block they come as they stand, or
shuffled within each block. What is learned on the way from file to row (document counts, means of columns) is learned
in the first pass.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import engine, labels
from ..data import Block, Skipped, Svmlight
from ..data.ahead import Ahead
from ..data.csr import Csr, stacked
from ..learner import Learner, Pass, learn_labels
from .features import Features
from .inputs import labels_of, opened, read_whole
from .terminal import CommandError, Interrupt, Progress, shown

Array = Any


@dataclass
class Course:
    """What training is to do, and what it has come to."""

    arguments: argparse.Namespace
    files: Sequence[str]
    columns: Any  # resolved, of a table
    format: Any
    features: Features
    learner: Learner
    name: str  # of the estimator
    passes: int
    every: int | None  # of how many rows one is held out
    progress: Progress
    interrupt: Interrupt
    classes: Array = None
    rows: int = 0  # of a pass
    mistakes: list[int] = field(default_factory=list)  # of each pass
    read_s: float = 0.0
    skipped: Skipped = field(default_factory=Skipped)
    interrupted: bool = False
    first: Any = None  # the stream of the first pass, where it is open already

    def blocks(self, stream: Any) -> Iterator[Block]:
        """The blocks of a stream without the rows that are held out."""
        seen = 0
        for block in stream:
            yield kept(block, seen, self.every, held_out=False)
            seen += len(block)

    def open(self) -> Any:
        """The files once more from their beginning."""
        if self.first is not None:
            stream, self.first = self.first, None
            return stream
        return opened(self.files, self.arguments, self.columns, format=self.format)


def kept(block: Block, seen: int, every: int | None, held_out: bool) -> Block:
    """The rows of a block that are held out, each ``every``-th of the file, or the others."""
    if every is None:
        return block
    out = (np.arange(seen, seen + len(block)) + 1) % every == 0
    which = np.flatnonzero(out if held_out else ~out)
    if not len(which):
        which = np.empty(0, np.int64)
    return Block(
        None if block.labels is None else block.labels[which],
        block.lines[which],
        block.files,  # a block of a stream has one
        None if block.csr is None else block.csr.taken(which),
        None if block.table is None else block.table.take(which),
        None if block.weights is None else block.weights[which],
    )


# ---- in memory -----------------------------------------------------------------------------------------------------


def in_memory(course: Course) -> None:
    """Read everything, then learn as ``fit`` does."""
    began = time.monotonic()
    X, y, weight = _read(course)
    course.read_s, course.rows = time.monotonic() - began, len(y)
    course.classes = labels.classes_of(y if weight is None else y[weight > 0])
    refuse_one_class(course.classes, course.files)
    rows = engine.admit(X)
    learner, arguments = course.learner, course.arguments
    learner.allocate(rows.n_features, len(course.classes), rows.dtype)

    def report(done: Pass) -> None:
        course.mistakes = list(learner.passes)
        right = 1 - (done.mistakes or 0) / rows.n_rows
        told = f"pass {done.number} of {course.passes}: {done.mistakes:,} mistakes, {right:.2%} right"
        course.progress(told, done.number / course.passes)
        course.interrupt.check()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the summary tells the verdict
        _interruptible(
            course,
            lambda: learner.fit(
                rows, labels.encode(y, course.classes), weight, max_iter=course.passes, tol=arguments.tol,
                shuffle=not arguments.no_shuffle, rng=np.random.default_rng(arguments.seed), progress=report,
                name=course.name,
            ),
        )  # fmt: skip
    course.mistakes = list(learner.passes)


def _interruptible(course: Course, work: Callable[[], None]) -> None:
    try:
        with course.interrupt.held():
            work()
    except KeyboardInterrupt:
        course.interrupted = True


def _read(course: Course) -> tuple[Csr, Array, Array]:
    """All rows, labels and weights."""
    parts, ys, weights, n = [], [], [], 0
    with course.open() as stream:
        course.skipped = stream.skipped
        blocks = course.blocks(stream)
        if isinstance(stream.format, Svmlight) and course.every is None and "-" not in course.files:
            stream.close()  # read whole, an index 0 on any line tells that they count from 0
            whole = read_whole(course.files, course.arguments)
            course.skipped, course.features.format = whole.skipped, whole.format
            blocks = iter([whole.block])
        for block in blocks:
            ys.append(labels_of(block))
            parts.append(course.features.rows(block, learn=True))
            weights.append(np.ones(len(block)) if block.weights is None else block.weights)
            n += len(block)
            speed = n / max(time.monotonic() - course.progress.began, 1e-9)
            course.progress(f"reading: {n:,} examples, {speed:,.0f}/s", stream.progress)
        _settle(course, stream)
    weight = np.concatenate(weights)
    return stacked(parts), np.concatenate(ys), None if np.all(weight == 1) else weight


def _settle(course: Course, stream: Any) -> None:
    """Take over what the first block decided: whether svmlight indices count from 0."""
    if getattr(course.features.format, "zero_based", None) == "auto":
        course.features.format = stream.format


# ---- block by block ------------------------------------------------------------------------------------------------


def by_blocks(course: Course) -> None:
    """Learn from one block after the other, and read the files again for each pass."""
    rng = np.random.default_rng(course.arguments.seed) if course.arguments.shuffle_buffer else None
    try:
        for number in range(1, course.passes + 1):
            with course.open() as stream:
                _one_pass(course, stream, number, rng)
                course.skipped = stream.skipped if number == 1 else course.skipped
                _settle(course, stream)
    except KeyboardInterrupt:
        if not course.rows:
            raise
        course.interrupted = True
    refuse_one_class(course.classes, course.files)


def _one_pass(course: Course, stream: Any, number: int, rng: np.random.Generator | None) -> None:
    """One pass over a stream. The next block is taken apart while this one is learned from."""
    before, seen, first = _mistakes(course), 0, number == 1

    def apart(block: Block) -> tuple[Any, Array, Array]:
        return course.features.read(block, learn=first), labels_of(block), block.weights

    blocks = Ahead(course.blocks(stream), apart, "rosenblatt-encoder")
    if course.classes is None and course.features.encoder is not None:  # the first block is not there yet
        _allocate(course, course.features.n_features, course.features.encoder.dtype)
    try:
        for read, y, weight in blocks:
            with course.interrupt.held():  # Ctrl-C may come before a block, or after it
                _learn(course, course.features.weigh(read, learn=first), y, weight, rng)
                seen += len(y)
                course.rows += len(y) if first else 0
                course.mistakes[number - 1 :] = [_mistakes(course) - before]
            del read  # or it would be in memory while the next one is waited for
            _tell(course, number, seen, course.mistakes[-1], stream.progress)
    finally:
        blocks.stop()


def _mistakes(course: Course) -> int:
    return int(course.learner.mistakes[-1]) if course.learner.mistakes else 0


def _allocate(course: Course, n_features: int, dtype: Any) -> None:
    """Weights, whose memory is asked for now and not when it is first needed."""
    learner = course.learner
    learner.allocate(n_features, 0, dtype)
    for held in (learner.weights, learner.total, learner.pocket):
        if held is not None:
            held.fill(0)


def _learn(course: Course, csr: Csr, y: Array, weight: Array, rng: np.random.Generator | None) -> None:
    learner = course.learner
    if rng is not None:  # a shuffle buffer is a block
        order = rng.permutation(len(y))
        csr, y, weight = csr.taken(order), y[order], None if weight is None else weight[order]
    if not learner.n_features and course.classes is None:
        _allocate(course, csr.n_features, csr.dtype)
    if csr.n_features > learner.n_features:
        learner.reserve(csr.n_features)
        learner.n_features = csr.n_features
    classes = y[:0] if course.classes is None else course.classes
    course.classes = learn_labels(learner, engine.admit(csr, learner.dtype), y, weight, classes)


def _tell(course: Course, number: int, seen: int, mistakes: int, share: float | None) -> None:
    if share is not None:
        share = (number - 1 + share) / course.passes
    total = (number - 1) * course.rows + seen
    speed = total / max(time.monotonic() - course.progress.began, 1e-9)
    told = f"pass {number} of {course.passes}: {seen:,} examples, {speed:,.0f}/s, {mistakes:,} mistakes"
    course.progress(f"{told}, {1 - mistakes / max(seen, 1):.2%} right", share)


def refuse_one_class(classes: Array, files: Sequence[str]) -> None:
    """Refuse labels that are all the same."""
    if len(classes) < 2:
        only = ", ".join(shown(label) for label in classes.tolist())
        raise CommandError(
            f"{', '.join(files)}: all labels are the same, {only!r}; learning needs two classes at least"
        )
