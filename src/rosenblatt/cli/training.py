"""Training on files: in memory, as an estimator's ``fit``, or block by block, as its ``partial_fit``, to the bit.

In memory every pass visits the rows in a fresh random order; block by block they come in the order of the files, or
shuffled within each block. Document counts and the means of columns are learned in the first pass; in memory the means
are those of all rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import data
from ..core import engine, labels
from ..core.learner import Learner, Pass, learn_labels, rows_per_call, weighted_rows
from ..core.spec import Spec
from ..core.verdicts import SEPARATED
from ..data import Block, Skipped
from ..data.blocks import place_of, placed
from ..data.csr import Csr, vstack
from ..data.features import nbytes_of
from ..data.memory_limit import STREAM_INSTEAD, MemoryLimit
from ..data.weigh_ahead import WeighAhead
from .algorithms import FOR_REGRESSION, class_weights
from .features import Features
from .held_out import HeldOut
from .inputs import are_text, file_stamps, open_files, read_whole, refuse_one_class, refuse_unique, targets_of
from .label_order import LabelOrder, changes_of
from .terminal import CommandError, Interrupt, Progress, shown

if TYPE_CHECKING:
    from ..model_files import Model
    from ..tuning.choices import Choices

Array = Any

#: Most classes; more different labels are refused.
MOST_CLASSES = 1 << 15


#: What is wrong where nothing has weight.
NO_WEIGHT = "all weights are 0, so there is no row to train on"


@dataclass(eq=False, repr=False)
class TrainingRun:
    """What training is to do, and how far it has come."""

    arguments: argparse.Namespace
    files: Sequence[str]  # as they are read; arguments.files holds patterns, as they were typed
    columns: Any  # resolved, of a table; None: rows of numbers
    format: Any
    features: Features
    learner: Learner
    name: str  # of the estimator
    parameters: dict[str, Any]
    passes: int
    held_out: HeldOut | None  # rows of the files; None: none of them
    progress: Progress
    interrupt: Interrupt
    classes: Array = None  # None: none yet, or a regression
    begun: bool = False  # the learner has its first weights
    updates_before: int = 0  # updates of the model that is continued
    rows: int = 0  # in a pass
    rows_with_weight: int | None = None  # those of weight 0 are not learned from; None: they were not counted
    rows_read: int = 0  # and in the files, with those that are held out
    mistakes: list[int] = field(default_factory=list)  # in each pass; of a regression, how often it was not within ε
    skipped: Skipped = field(default_factory=Skipped)
    interrupted: bool = False
    why: str = ""  # what the learner is the default for; "": it was asked for
    resumed: Model | None = None  # the model that is continued
    first: Any = None  # the stream of the first pass, if it is open already,
    ahead: deque[Block] = field(default_factory=deque)  # and the blocks that were read from it
    stamps: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the files, before they were opened
    passes_on_cluster: list[Any] | None = None  # a record of each pass; None: on this machine
    fault: Exception | None = None  # what ended training early, after a complete pass
    order: LabelOrder | None = None  # of the labels in the first pass; None: all rows were shuffled
    buffer: int = 0  # block by block: bytes of rows that are gathered and shuffled; 0: those of a block, if any
    shuffled_within: int = 0  # rows, at most; 0: none were shuffled
    choices: Choices | None = None  # of features and parameters that no option names; None: there were none to make
    unweighted: set[Any] = field(default_factory=set)  # labels of rows without weight that --class-weight names
    equal_rows: tuple[str, str] | None = None  # where two of different labels stand, which prove that nothing separates

    @cached_property
    def spec(self) -> Spec:
        return Spec.of(self.name, self.parameters)

    @property
    def is_regression(self) -> bool:
        return self.learner.epsilon is not None

    @property
    def errors(self) -> int:
        """Mistakes of the stream so far; of a regression, its updates, one wherever it is not within ε."""
        learner = self.learner
        return learner.n_updates if self.is_regression else learner.mistakes[-1] if learner.streaming else 0

    @property
    def learned_part(self) -> str:
        """What is said of the rows where there are others, which are held out or have no weight."""
        others = self.held_out is not None or self.rows_with_weight not in (None, self.rows)
        return "learned from" if others else ""

    def reads_again(self, streamed: bool) -> bool:
        """Whether the files, which are open, will be opened again."""
        return self.held_out is not None or (self.passes > 1 if streamed else isinstance(self.format, data.Svmlight))

    def refuse_changed(self) -> None:
        """Refuse files that have changed since they were first opened."""
        now = file_stamps(self.files)
        for name, before in self.stamps.items():
            if name in now and now[name] != before:
                raise CommandError(f"{name}: the file has changed since it was first opened")

    def targets_of(self, block: Block) -> Array:
        """The labels of a block, or its numbers for a regression."""
        labels = targets_of(block, self.is_regression)
        if self.is_regression:
            return labels
        if self.classes is not None and len(self.classes) and are_text(labels) != are_text(self.classes):
            kinds = ("text", "numbers") if are_text(labels) else ("numbers", "text")
            raise CommandError(f"{block.file(0)}: the labels are {kinds[0]}, and those of the model are {kinds[1]}")
        return labels

    def blocks(self, stream: Any) -> Iterator[Block]:
        """The blocks of a stream without the held-out rows."""
        seen = 0
        while (block := self.ahead.popleft() if self.ahead else next(stream, None)) is not None:
            yield block if self.held_out is None else self.held_out.part(block, seen, held_out=False)
            seen += len(block)
        self.rows_read = seen

    def open(self) -> Any:
        """The files from their beginning."""
        if self.first is not None:
            stream, self.first = self.first, None
            return stream
        self.refuse_changed()
        stream = open_files(self.files, self.arguments, self.columns, format=self.format)
        encoder = self.features.encoder
        if encoder is not None and encoder.columns.label is None:  # a model trained in Python does not know it
            assert stream.columns is not None
            self.columns = encoder.columns = stream.columns
        return stream


# ---- in memory -----------------------------------------------------------------------------------------------------


def in_memory(run: TrainingRun) -> None:
    """Read all rows, then train as ``fit`` does."""
    X, y, weight, places = _read(run)
    run.rows = len(y)
    learner, arguments = run.learner, run.arguments
    weight = weights_of(run, y, weight)
    run.rows_with_weight = with_weight(weight, len(y))
    if not run.rows_with_weight:
        raise CommandError(f"{', '.join(run.arguments.files)}: {NO_WEIGHT}")
    if not run.is_regression:
        run.classes = labels.classes_of(y if weight is None else y[weight > 0])
        refuse_many_classes(run.classes, run.arguments.files)
        refuse_other_classes(run)
        refuse_one_class(run.classes, run.arguments.files, run.learned_part)
        refuse_unique(run.classes, run.rows, run.arguments.files)
    with placed(places):
        rows, rng = run.spec.rows(X), np.random.default_rng(arguments.seed)
    run.spec.start(learner, rows, 0 if run.classes is None else len(run.classes), rng, weight)
    targets = y if run.is_regression else labels.encode(y, run.classes)
    if not run.spec.shuffle:
        run.order = LabelOrder()
        run.order.add(y, None if run.is_regression else labels.counts_of(y))
    learner.start_progressive()
    n_rows = run.rows_with_weight

    def report(done: Pass) -> None:
        if done.number == 1:
            learner.stop_progressive()
        run.mistakes.append(done.updates if done.mistakes is None else done.mistakes)
        show_progress(run, done.number, n_rows, 1.0, began)
        run.interrupt.check()

    def pulse() -> None:
        seen = learner.visited - len(run.mistakes) * n_rows
        if 0 < seen < n_rows:  # else a pass is being judged
            show_progress(run, len(run.mistakes) + 1, seen, seen / n_rows, began, learner.tally.mistakes)
        run.interrupt.check()

    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the summary has the verdict
        learner.pulse, learner.n_threads = pulse, engine.threads()
        try:
            with run.interrupt.held():
                learner.fit(
                    rows, targets, weight, max_iter=run.passes, tol=run.spec.tol,
                    shuffle=run.spec.shuffle, rng=rng, progress=report, name=run.name,
                )  # fmt: skip
        except KeyboardInterrupt:
            run.interrupted = True
        finally:
            del learner.pulse
    if learner.evidence.equal_rows is not None:
        first, second = learner.evidence.equal_rows
        run.equal_rows = place_of(places, first), place_of(places, second)


def _read(run: TrainingRun) -> tuple[Csr, Array, Array, list[Block]]:
    """All rows, labels and weights, and the places of the rows."""
    reads, ys, weights, n = [], [], [], 0
    holding = MemoryLimit(run.arguments.memory, STREAM_INSTEAD)
    places: list[Block] = []
    with run.open() as stream:
        run.skipped = stream.skipped
        blocks = run.blocks(stream)
        if isinstance(stream.format, data.Svmlight) and run.held_out is None:
            run.refuse_changed()
            stream.close()  # as an index 0 on any line decides that they start at 0
            whole = read_whole(run.files, run.arguments)
            run.skipped, run.features.format = whole.skipped, whole.format
            blocks = iter([whole.block])
        for block in blocks:
            ys.append(run.targets_of(block))
            reads.append(run.features.read(block, learn=True))
            weights.append(np.ones(len(block)) if block.weights is None else block.weights)
            places.append(Block(None, block.lines, block.files, unit=block.unit))
            n += len(block)
            own = run.features.nbytes_of(reads[-1]) + ys[-1].nbytes + weights[-1].nbytes
            holding.keep(2 * own + block.lines.nbytes, len(block), block.file(0))  # and all of them in one
            speed = n / max(time.monotonic() - run.progress.began, 1e-9)
            run.progress("reading", f"{n:,} examples", f"{speed:,.0f}/s", share=stream.progress)
        _settle(run, stream)
    if run.held_out is not None:
        run.held_out.refuse_none(run.rows_read, "row")
    weight = np.concatenate(weights)
    return vstack(run.features.weighed(reads, ys)), np.concatenate(ys), None if np.all(weight == 1) else weight, places


def _settle(run: TrainingRun, stream: Any) -> None:
    """Keep what the first block decided: the format, and whether svmlight indices start at 0."""
    features = run.features
    unknown = features.format is None and features.encoder is None  # a model trained in Python
    if unknown or (isinstance(features.format, data.Svmlight) and features.format.zero_based == "auto"):
        features.format = stream.format


# ---- block by block ------------------------------------------------------------------------------------------------


def by_blocks(run: TrainingRun) -> None:
    """Train on one block after the other, reading the files again for each pass, until one separates the rows.

    As in memory, a pass without mistakes may have moved the weights, and those of the last pass are judged in any case.
    """
    draws = run.arguments.shuffle_buffer or run.buffer or run.spec.draws
    rng = np.random.default_rng(run.arguments.seed) if draws else None
    run.order = LabelOrder()
    run.features.leave_threads()
    run.learner.n_threads = engine.threads() if engine.threads() > 4 else 1  # the others read and weigh
    if run.begun:
        run.learner.start_progressive()
    number = 1
    try:
        for number in range(1, run.passes + 1):
            with run.open() as stream:
                _one_pass(run, stream, number, rng)
                run.learner.stop_progressive()
                run.skipped = stream.skipped if number == 1 else run.skipped
                _settle(run, stream)
            last = number == run.passes
            if run.is_regression and not run.mistakes[-1]:
                break
            if not run.is_regression and run.passes > 1 and (last or not run.mistakes[-1]) and _separates(run):
                break
    except KeyboardInterrupt:
        if not run.rows or (run.classes is not None and len(run.classes) < 2):
            raise
        run.interrupted = True
    except (CommandError, ValueError, OSError) as error:
        if number == 1:
            raise
        run.fault = error  # the model of the passes before is not lost
    if not run.is_regression:
        if not run.interrupted and not run.resumed:
            refuse_other_classes(run)
        if not run.rows_with_weight and not len(run.classes):
            raise CommandError(f"{', '.join(run.arguments.files)}: {NO_WEIGHT}")
        refuse_one_class(run.classes, run.arguments.files, run.learned_part)
        if not run.resumed:
            refuse_unique(run.classes, run.rows, run.arguments.files)


def _one_pass(run: TrainingRun, stream: Any, number: int, rng: np.random.Generator | None) -> None:
    """One pass over a stream. The next blocks are encoded and weighed while this one is learned from."""
    first = number == 1
    with run.features.read_ahead(run.blocks(stream), learn=first) as blocks:
        if not run.begun and run.features.encoder is not None and run.learner.space == "linear":
            _begin(run, run.features, None, rng)  # while the first block is read
            from .. import model_files as model_files  # which is needed in the end
        ahead = _weighed_ahead(run, blocks, first)
        try:
            _learn_all(run, _gathered(run, blocks, ahead, first), ahead, stream, number, rng)
        except KeyboardInterrupt:
            if ahead is not None:
                with run.interrupt.held():  # the model so far is written, with the counts of what it has learned
                    ahead.stop()
            raise
        finally:
            if ahead is not None:
                ahead.stop()


def _weighed_ahead(run: TrainingRun, blocks: Any, first: bool) -> WeighAhead[Any] | None:
    """The blocks weighed by a thread of its own, where that can be undone and there is a core for it; else None."""
    text = run.features.is_text and run.begun and run.learner.space == "linear"
    if not text or engine.threads() < 2:
        return None
    return run.features.weigh_ahead(
        blocks, lambda block: _look_at(run, run.targets_of(block)), run.learner.dtype, learn=first
    )


def _learn_all(
    run: TrainingRun, parts: Iterator[_Part], ahead: Any, stream: Any, number: int, rng: np.random.Generator | None
) -> None:
    """Learn from each part of a pass in turn."""
    before, seen, first = run.errors, 0, number == 1
    for gathered in parts:
        with run.interrupt.held():
            if ahead is not None:
                ahead.taken(len(gathered.places))
            for learned, weighted in _learn(run, gathered, rng, first):
                seen += learned
                if first:
                    run.rows += learned
                    run.rows_with_weight = (run.rows_with_weight or 0) + weighted
                run.mistakes[number - 1 :] = [run.errors - before]
                show_progress(run, number, seen, stream.progress, run.progress.began)
                run.interrupt.check()


class _Labels(NamedTuple):
    """The labels of some rows, and what is seen of them; of a regression the numbers alone."""

    y: Array
    classes: Array | None = None  # those of the run when they were looked at
    codes: Array | None = None  # among these; None: a label is new
    counts: Counter[Any] | None = None  # of each label
    changes: int | None = None  # how often a label is another than the one before


class _Part(NamedTuple):
    """Rows to learn from, and their places in the files."""

    csr: Csr
    labels: _Labels
    weight: Array | None
    places: list[Block]
    admitted: Any = None  # the rows as they were looked at; None: they were not


def _look_at(run: TrainingRun, y: Array) -> _Labels:
    classes = run.classes  # which another thread may be adding to
    if run.is_regression:
        return _Labels(y)
    codes = None if classes is None else labels.encode(y, classes)
    if codes is None or np.any(codes < 0):
        return _Labels(y, classes, None, labels.counts_of(y), changes_of(y))
    return _Labels(y, classes, codes, labels.counts_of_codes(codes, classes), changes_of(codes))


def _weighed(run: TrainingRun, blocks: Iterator[tuple[Block, Any]], first: bool) -> Iterator[tuple[Any, Any]]:
    """As ``Features.weigh_ahead``, here and now, of any features; nothing of it is looked at."""
    for block, read in blocks:
        with run.interrupt.held():  # document counts go with the rows that are learned
            y = run.targets_of(block)
            csr = run.features.weigh(read, learn=first, labels=y)
        del read  # or it would be in memory while the next one is waited for
        yield (block, None), (csr, None, _Labels(y))


def _gathered(run: TrainingRun, blocks: Any, ahead: WeighAhead[Any] | None, first: bool) -> Iterator[_Part]:
    """Each block, or as many together as the buffer takes, which are then shuffled."""
    parts: list[_Part] = []
    held = 0
    for (block, _), (csr, admitted, seen) in _weighed(run, blocks, first) if ahead is None else ahead:
        weight = weights_of(run, seen.y, block.weights)
        part = _Part(csr, seen, weight, [Block(None, block.lines, block.files)], admitted)
        del csr, admitted
        if not run.buffer:
            yield part
            continue
        own = nbytes_of(part.csr) + seen.y.nbytes + block.lines.nbytes
        if parts and held + own > run.buffer:
            yield _joined(parts)
            held = 0
        parts.append(part)
        held += own
    if parts:
        yield _joined(parts)


def _joined(parts: list[_Part]) -> _Part:
    """All of them as one, and the list is empty then."""
    weights = [np.ones(len(part.places[0])) if part.weight is None else part.weight for part in parts]
    weight = None if all(part.weight is None for part in parts) else np.concatenate(weights)
    places = [place for part in parts for place in part.places]
    csr, y = vstack([part.csr for part in parts]), np.concatenate([part.labels.y for part in parts])
    parts.clear()
    return _Part(csr, _Labels(y), weight, places)


def _separates(run: TrainingRun) -> bool:
    """Whether the weights get every row of the files right: they are read once more, up to the first mistake."""
    learner, least, widest = run.learner, np.full(run.learner.slots, np.inf), Widest()
    with run.open() as stream, run.features.read_ahead(run.blocks(stream), learn=False) as blocks:
        for block, read in blocks:
            y = run.targets_of(block)
            rows = run.spec.rows(run.features.weigh(read, learn=False), learner.dtype, learner=learner)
            order = weighted_rows(weights_of(run, y, block.weights))
            if learner._score(rows, labels.encode(y, run.classes), order, stop_at_mistake=True):
                return False
            least = np.minimum(least, learner.least)
            if learner.space == "linear":
                widest.add(rows, order)
    learner.passes.append(learner.tally.mistakes)
    learner.streaming, learner.verdict, learner.least[:] = False, SEPARATED, least  # no more rows are to come
    if learner.space == "linear":
        learner._tighten_lower(widest, None)  # type: ignore[arg-type]
    if learner.readout == "pocket":
        learner._pocket_separator(run.rows)
    return True


class Widest:
    """What bounds the rounding of scores: the largest norm and the longest sum of the rows of all blocks."""

    def __init__(self) -> None:
        self._radius2 = self._radius = 0.0
        self._depth = 0

    def add(self, rows: Any, order: Array | None) -> None:
        self._radius2 = max(self._radius2, rows.radius2(order))
        self._radius = max(self._radius, rows.radius(order))
        self._depth = max(self._depth, rows.depth(order))

    def radius2(self, order: None) -> float:
        return self._radius2

    def radius(self, order: None) -> float:
        return self._radius

    def depth(self, order: None) -> int:
        return self._depth


def _begin(run: TrainingRun, rows: Any, weight: Array | None, rng: np.random.Generator | None) -> None:
    """Give the learner its first weights, and populate their memory now, not page by page when it is first used."""
    learner = run.learner
    run.spec.start(learner, rows, 0, rng, weight)
    learner.start_progressive()
    run.begun = True
    if learner.space == "linear":
        for weights in (learner.total, learner.weights, learner.pocket):
            if weights is not None:
                engine.populate(weights)


def _learn(run: TrainingRun, part: _Part, rng: np.random.Generator | None, first: bool) -> Iterator[tuple[int, int]]:
    """Learn from rows, some after the others; after each call, how many they were, and how many with weight."""
    learner = run.learner
    csr, seen, weight, places, admitted = part
    y = seen.y
    order = rng.permutation(len(y)) if (run.arguments.shuffle_buffer or run.buffer) and rng is not None else None
    if order is not None:
        csr, y, weight = csr.taken(order), y[order], None if weight is None else weight[order]
        run.shuffled_within = max(run.shuffled_within, len(y))
    if order is not None or seen.changes is None or seen.classes is not run.classes:
        seen = _look_at(run, y)
    if first and run.order is not None:
        run.order.add(y, seen.counts, seen.changes)
    if run.begun and csr.n_features > learner.n_features:
        learner.widen(csr.n_features)
    rows: Any
    with placed(places, order):
        if admitted is not None and order is None:
            rows = run.spec.space.rows(admitted, learner)
        else:
            rows = run.spec.rows(csr, learner.dtype if run.begun else None, learner=learner if run.begun else None)
    if not run.begun:
        _begin(run, rows, weight, rng)
    n_known = 0 if run.classes is None else len(run.classes)
    classes = {*(seen.counts or ()), *(() if run.classes is None else run.classes.tolist())}
    refuse_many_classes(classes, run.arguments.files)
    new = len(classes) - n_known
    size = max(len(y), 1), max(len(classes), 1)
    step = rows_per_call(len(csr.indices), *size)
    if new:  # which takes a walk through all weights, unless these are lists
        step = min(step, max(16, rows_per_call(new * csr.n_features, *size)))
    for start in range(0, len(y), step):
        span = start, min(start + step, len(y))
        if run.is_regression:
            learner.partial_fit(rows, y, weight, span)
        else:
            known = y[:0] if run.classes is None else run.classes
            run.classes = learn_labels(learner, rows, y, weight, known, span, seen.codes)
        n = span[1] - start
        yield n, with_weight(None if weight is None else weight[slice(*span)], n)


def weights_of(run: TrainingRun, y: Array, weight: Array | None) -> Array | None:
    """Weights of the rows times the weights of their classes; None: all are 1. What has none is noted in the run."""
    asked = run.parameters.get("class_weight")
    if asked is None or not len(y):
        return weight
    classes = labels.classes_of(y if weight is None else y[weight > 0])
    codes = labels.encode(y, classes)
    counts = np.bincount(codes if weight is None else codes[weight > 0], minlength=len(classes))
    asked = run.parameters["class_weight"] = class_weights(asked, y)
    by_class = labels.class_weights(asked, classes, counts, stream=asked != "balanced")
    weight = by_class[codes] if weight is None else weight * by_class[codes]
    if isinstance(asked, dict):
        run.unweighted |= asked.keys() & set(labels.classes_of(y[weight == 0]).tolist())
    return weight


def with_weight(weight: Array | None, n: int) -> int:
    """How many of n rows have a weight above 0; None: all have weight 1."""
    return n if weight is None else int(np.count_nonzero(weight > 0))


def show_progress(
    run: Any, number: int, seen: int, share: float | None, since: float, mistakes: int | None = None
) -> None:
    """Show how far a pass has come, of whose rows ``share`` were seen, and its mistakes."""
    mistakes = run.mistakes[-1] if mistakes is None else mistakes
    speed = ((number - 1) * run.rows + seen) / max(time.monotonic() - since, 1e-9)
    right = f"{1 - mistakes / max(seen, 1):.2%}"
    accuracy = [f"{right} within ε"] if run.is_regression else [f"{mistakes:,} mistakes", f"{right} right"]
    done = None if share is None else (number - 1 + share) / run.passes
    words = f"pass {number} of {run.passes}", f"{seen:,} examples", f"{speed:,.0f}/s"
    run.progress(*words, *accuracy, share=done, since=since)


def refuse_many_classes(classes: Collection[Any], files: Sequence[str]) -> None:
    """Refuse so many different labels that they are hardly classes: each row is scored for each of them."""
    if len(classes) > MOST_CLASSES:
        raise CommandError(
            f"{', '.join(files)}: {len(classes):,} different labels, and at most {MOST_CLASSES:,} classes are supported"
            "; name the column of the classes with {label}, or for a regression say {algorithm}",
            label=..., algorithm=FOR_REGRESSION,
        )  # fmt: skip


def refuse_other_classes(run: TrainingRun, occurring: Array | None = None) -> None:
    """Refuse weights of classes that do not occur, as --class-weight gives them.

    ``occurring`` None: those that occur among the rows with weight are the classes of the run.
    """
    weights = run.parameters.get("class_weight")
    known = (run.classes if occurring is None else occurring).tolist()
    known = sorted({*known, *run.unweighted})
    for label in weights if isinstance(weights, dict) else ():
        if label not in known:
            there = ", ".join(map(shown, known[:8]))
            raise CommandError(
                f"{{class_weight}} names {shown(label)}, which is not among the labels; the classes are {there}",
                class_weight=...,
            )
