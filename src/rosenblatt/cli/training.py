"""Learning from files: in memory, as an estimator's ``fit``, or block by block, as its ``partial_fit``.

To the bit. In memory every pass visits the rows in a fresh random order; block by block they come as they stand, or
shuffled within each block. What is learned on the way from file to row is learned in the first pass: document counts,
and means of columns, which in memory are those of all rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ..core import engine, labels
from ..core.learner import Learner, Pass, learn_labels
from ..core.planning import rows_for, start
from ..data import Block, Skipped, Svmlight
from ..data.ahead import Ahead
from ..data.blocks import placed
from ..data.csr import Csr, stacked
from ..data.features import nbytes_of
from ..data.holding import HOLD_LESS, Holding
from .algorithms import class_weights
from .features import Features
from .inputs import are_words, labels_of, opened, read_whole, stamps, targets_of
from .terminal import CommandError, Interrupt, Progress, shown

Array = Any

#: Of more different labels than these it is refused to learn classes.
MOST_CLASSES = 1 << 15

#: So many blocks are taken apart ahead of learning.
AHEAD = 2


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
    parameters: dict[str, Any]
    passes: int
    every: int | None  # of how many rows one is held out
    progress: Progress
    interrupt: Interrupt
    classes: Array = None  # none yet, or a regression
    begun: bool = False
    updates_before: int = 0  # those of the model that goes on
    rows: int = 0  # of a pass
    mistakes: list[int] = field(default_factory=list)  # of each pass; of a regression, how often it was not within ε
    read_s: float = 0.0
    skipped: Skipped = field(default_factory=Skipped)
    interrupted: bool = False
    why: str = ""  # this learner, where none was asked for
    resumed: Any = None  # the model that goes on
    first: Any = None  # the stream of the first pass, where it is open already,
    ahead: tuple[Block, ...] = ()  # and blocks that were taken from it
    stamps: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the files, before they were opened
    cluster: list[Any] | None = None  # what each pass of a cluster came to
    fault: Exception | None = None  # what ended it before its time, after a whole pass

    @property
    def is_regression(self) -> bool:
        return self.learner.epsilon is not None

    @property
    def errors(self) -> int:
        """Mistakes of the stream so far; of a regression, steps, which it takes wherever it is not within ε."""
        learner = self.learner
        return learner.n_updates if self.is_regression else learner.mistakes[-1] if learner.streaming else 0

    def reads_again(self, streamed: bool) -> bool:
        """Whether the files, which are open, will be opened once more."""
        if streamed:
            return self.every is not None or self.passes > 1
        return self.every is not None or isinstance(self.format, Svmlight)

    def refuse_changed(self) -> None:
        """Refuse files that are no longer those that were opened first: other rows would be taken for the same."""
        now = stamps(self.files)
        for name, before in self.stamps.items():
            if name in now and now[name] != before:
                raise CommandError(f"{name}: the file has changed since it was first opened")

    def targets_of(self, block: Block) -> Array:
        """What there is to learn: labels, or numbers."""
        if self.is_regression:
            return targets_of(block)
        labels = labels_of(block)
        if self.classes is not None and len(self.classes) and are_words(labels) != are_words(self.classes):
            kinds = ("words", "numbers") if are_words(labels) else ("numbers", "words")
            raise CommandError(f"{block.file(0)}: the labels are {kinds[0]}, and those of the model are {kinds[1]}")
        return labels

    def blocks(self, stream: Any) -> Iterator[Block]:
        """The blocks of a stream without the rows that are held out."""
        seen, ahead = 0, self.ahead
        self.ahead = ()
        for block in chain(ahead, stream):
            yield kept(block, seen, self.every, held_out=False)
            seen += len(block)

    def open(self) -> Any:
        """The files once more from their beginning."""
        if self.first is not None:
            stream, self.first = self.first, None
            return stream
        self.refuse_changed()
        stream = opened(self.files, self.arguments, self.columns, format=self.format)
        encoder = self.features.encoder
        if encoder is not None and encoder.columns.label is None:  # a model of Python, which knows no such column
            assert stream.columns is not None
            self.columns = encoder.columns = stream.columns
        return stream


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
        None if block.columns is None else block.table.take(which),
        None if block.weights is None else block.weights[which],
    )


# ---- in memory -----------------------------------------------------------------------------------------------------


def in_memory(course: Course) -> None:
    """Read everything, then learn as ``fit`` does."""
    began = time.monotonic()
    X, y, weight, places = _read(course)
    course.read_s, course.rows = time.monotonic() - began, len(y)
    learner, arguments, parameters = course.learner, course.arguments, course.parameters
    weight = _weights(course, y, weight)
    if weight is not None and not np.any(weight > 0):
        raise CommandError(f"{', '.join(course.files)}: all weights are 0, and no row is left to learn from")
    if not course.is_regression:
        course.classes = labels.classes_of(y if weight is None else y[weight > 0])
        refuse_many_classes(course.classes, course.files)
        refuse_one_class(course.classes, course.files)
        refuse_other_classes(course)
    with placed(places):
        rows, rng = rows_for(learner, X, parameters=parameters), np.random.default_rng(arguments.seed)
    start(learner, rows, 0 if course.classes is None else len(course.classes), weight, parameters, rng)
    targets = y if course.is_regression else labels.encode(y, course.classes)

    def report(done: Pass) -> None:
        course.mistakes.append(done.updates if done.mistakes is None else done.mistakes)
        speed = f"{done.number * rows.n_rows / max(time.monotonic() - began, 1e-9):,.0f} examples/s"
        told = _so_far(course, course.mistakes[-1], rows.n_rows)
        share = done.number / course.passes
        course.progress(f"pass {done.number} of {course.passes}", speed, *told, share=share, since=began)
        course.interrupt.check()

    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the summary tells the verdict
        _interruptible(
            course,
            lambda: learner.fit(
                rows, targets, weight, max_iter=course.passes, tol=parameters.get("tol"),
                shuffle=parameters.get("shuffle", True), rng=rng, progress=report, name=course.name,
            ),
        )  # fmt: skip


def _interruptible(course: Course, work: Callable[[], None]) -> None:
    try:
        with course.interrupt.held():
            work()
    except KeyboardInterrupt:
        course.interrupted = True


def _read(course: Course) -> tuple[Csr, Array, Array, list[Block]]:
    """All rows, labels and weights, and where they stood."""
    reads, ys, weights, n = [], [], [], 0
    holding = Holding(course.arguments.memory, HOLD_LESS)
    places: list[Block] = []
    with course.open() as stream:
        course.skipped = stream.skipped
        blocks = course.blocks(stream)
        if isinstance(stream.format, Svmlight) and course.every is None:
            course.refuse_changed()
            stream.close()  # read whole, an index 0 on any line tells that they count from 0
            whole = read_whole(course.files, course.arguments)
            course.skipped, course.features.format = whole.skipped, whole.format
            blocks = iter([whole.block])
        for block in blocks:
            ys.append(course.targets_of(block))
            reads.append(course.features.read(block, learn=True))
            weights.append(np.ones(len(block)) if block.weights is None else block.weights)
            places.append(Block(None, block.lines, block.files))
            n += len(block)
            own = nbytes_of(reads[-1]) + ys[-1].nbytes + weights[-1].nbytes
            holding.keep(2 * own + block.lines.nbytes, len(block), block.file(0))  # and all of them in one
            speed = n / max(time.monotonic() - course.progress.began, 1e-9)
            course.progress("reading", f"{n:,} examples", f"{speed:,.0f}/s", share=stream.progress)
        _settle(course, stream)
    weight = np.concatenate(weights)
    return stacked(course.features.weighed(reads)), np.concatenate(ys), None if np.all(weight == 1) else weight, places


def _settle(course: Course, stream: Any) -> None:
    """Take over what the first block decided: the format, and whether svmlight indices count from 0."""
    features = course.features
    unknown = features.format is None and features.encoder is None  # a model of Python
    if unknown or getattr(features.format, "zero_based", None) == "auto":
        features.format = stream.format


# ---- block by block ------------------------------------------------------------------------------------------------


def by_blocks(course: Course) -> None:
    """Learn from one block after the other, and read the files again for each pass."""
    learner = course.learner
    draws = course.arguments.shuffle_buffer or course.parameters.get("init") == "random" or learner.policy is not None
    rng = np.random.default_rng(course.arguments.seed) if draws else None
    course.features.leave_a_thread()
    number = 1
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
    except (CommandError, ValueError, OSError) as error:
        if number == 1:
            raise
        course.fault = error  # the file was faultless before: what was learned from it is not lost
    if not course.is_regression:
        refuse_one_class(course.classes, course.files)
        refuse_other_classes(course)


def _one_pass(course: Course, stream: Any, number: int, rng: np.random.Generator | None) -> None:
    """One pass over a stream. The next block is taken apart while this one is learned from."""
    before, seen, first = course.errors, 0, number == 1

    def apart(block: Block) -> tuple[Block, Any]:
        told = Block(block.labels, block.lines, block.files, weights=block.weights)
        return told, course.features.read(block, learn=first)

    blocks = Ahead(course.blocks(stream), apart, "rosenblatt-encoder", AHEAD)
    try:
        if not course.begun and course.features.encoder is not None and course.learner.kernel is None:
            _begin(course, course.features, None, rng)  # while the first block is read
        for block, read in blocks:
            y = course.targets_of(block)  # Ctrl-C may come before this block, or after it
            with course.interrupt.held():
                seen += len(block)
                course.rows += len(block) if first else 0
                _learn(course, block, course.features.weigh(read, learn=first), y, rng)
                course.mistakes[number - 1 :] = [course.errors - before]
            del read  # or it would be in memory while the next one is waited for
            _tell(course, number, seen, course.mistakes[-1], stream.progress)
    finally:
        blocks.stop()


def _begin(course: Course, rows: Any, weight: Array | None, rng: np.random.Generator | None) -> None:
    """Start the run, with weights whose memory is asked for now and not when it is first needed."""
    learner = course.learner
    start(learner, rows, 0, weight, course.parameters, rng)
    course.begun = True
    for name in ("total", "weights", "pocket"):
        if (held := getattr(learner, name, None)) is not None:
            engine.populate(held)


def _learn(course: Course, block: Block, csr: Csr, y: Array, rng: np.random.Generator | None) -> None:
    learner = course.learner
    weight = _weights(course, y, block.weights)
    if course.arguments.shuffle_buffer and rng is not None:
        order = rng.permutation(len(block))
        csr, y, weight = csr.taken(order), y[order], None if weight is None else weight[order]
    if course.begun and csr.n_features > learner.n_features:
        learner.widen(csr.n_features)
    with placed([block]):
        rows = rows_for(learner, csr, learner.dtype if course.begun else None, course.parameters)
    if not course.begun:
        _begin(course, rows, weight, rng)
    if course.is_regression:
        learner.partial_fit(rows, y, weight, (0, rows.n_rows))
    else:
        known = set(() if course.classes is None else course.classes.tolist())
        refuse_many_classes(known.union(y.tolist()), course.files)
        course.classes = learn_labels(learner, rows, y, weight, y[:0] if course.classes is None else course.classes)


def _weights(course: Course, y: Array, weight: Array | None) -> Array | None:
    """Weights of the rows times those of their classes; None: all are 1."""
    asked = course.parameters.get("class_weight")
    if asked is None or not len(y):
        return weight
    classes = labels.classes_of(y if weight is None else y[weight > 0])
    codes = labels.encode(y, classes)
    if asked == "balanced":
        counts = np.bincount(codes[codes >= 0] if weight is None else codes[weight > 0], minlength=len(classes))
        by_class = counts.sum() / (len(classes) * counts.astype(np.float64))
    else:
        asked = course.parameters["class_weight"] = class_weights(asked, y)
        by_class = np.array([asked.get(label, 1.0) for label in classes.tolist()], np.float64)
    return by_class[codes] if weight is None else weight * by_class[codes]


def _tell(course: Course, number: int, seen: int, mistakes: int, share: float | None) -> None:
    if share is not None:
        share = (number - 1 + share) / course.passes
    total = (number - 1) * course.rows + seen
    speed = total / max(time.monotonic() - course.progress.began, 1e-9)
    told = _so_far(course, mistakes, seen)
    examples = f"{seen:,} examples", f"{speed:,.0f}/s"
    course.progress(f"pass {number} of {course.passes}", *examples, *told, share=share)


def _so_far(course: Course, mistakes: int, seen: int) -> list[str]:
    right = f"{1 - mistakes / max(seen, 1):.2%}"
    return [f"{right} within ε"] if course.is_regression else [f"{mistakes:,} mistakes", f"{right} right"]


def refuse_one_class(classes: Array, files: Sequence[str]) -> None:
    """Refuse labels that are all the same."""
    if len(classes) < 2:
        only = ", ".join(shown(label) for label in classes.tolist())
        raise CommandError(
            f"{', '.join(files)}: all labels are the same, {only!r}; learning needs two classes at least"
        )


def refuse_many_classes(classes: Collection[Any], files: Sequence[str]) -> None:
    """Refuse labels of so many different values that they are hardly classes: each row is scored for each of them."""
    if len(classes) > MOST_CLASSES:
        raise CommandError(
            f"{', '.join(files)}: {len(classes):,} different labels, and {MOST_CLASSES:,} classes are the most; name "
            "the column of the classes by --label, or for numbers say --algorithm pa2-regressor"
        )


def refuse_other_classes(course: Course) -> None:
    """Refuse weights of classes that are not there."""
    asked = course.parameters.get("class_weight")
    known = course.classes.tolist()
    for label in asked if isinstance(asked, dict) and not course.interrupted else ():
        if label not in known:
            there = ", ".join(map(shown, known[:8]))
            raise CommandError(f"--class-weight names {shown(label)}, which is no class; the classes are {there}")
