"""Training a tagger on files of sentences: in memory, as its ``fit``, or part by part, as its ``partial_fit``.

Strings are let go as soon as they are hashed: what is kept of a sentence are the numbers of its features.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import memory
from ..core.learner import Pass
from ..core.spaces.sequences.learner import SequenceLearner
from ..core.spaces.sequences.rows import SentenceRows
from ..core.spec import Spec
from ..core.verdicts import SEPARATED
from ..data import SentenceStream, Skipped, TaggedSentences
from ..data.memory_limit import MemoryLimit
from ..data.sentence_files import STREAM_INSTEAD
from ..data.sources import expand
from ..errors import DataError
from ..model_files import Model
from ..sequences import FeatureNames, TokenEncoder, tagging
from ..sequences.encoding import SECTION as TOKENS
from ..sequences.names import SECTION as NAMES
from ..sequences.sentences import TokenRows
from . import algorithms, inputs, sentences, summary
from .commands import TAGGER_PASSES
from .held_out import HeldOut, holds_none
from .sentences import SECTION, Judged, Tagger
from .terminal import CommandError, Interrupt, Progress, note, option
from .training import Widest, show_progress

Array = Any

#: Most tags: every two of them have a weight.
MOST_TAGS = 1 << 12
#: Sentences that are learned from at a time, part by part: of a part in which a tag is new some work is done again.
PART = 1 << 10


@dataclass
class TaggingRun:
    """What training a tagger is to do, and how far it has come."""

    arguments: argparse.Namespace
    files: Sequence[str]
    format: Any  # None: by the first file
    encoder: TokenEncoder
    learner: SequenceLearner | None  # None until the first tags are known
    parameters: dict[str, Any]
    passes: int
    held_out: HeldOut | None
    progress: Progress
    interrupt: Interrupt
    tags: list[str] = field(default_factory=list)
    occurring: set[str] = field(default_factory=set)  # tags of a model that is continued may not
    resumed: Model | None = None
    updates_before: int = 0
    rows: int = 0  # sentences
    rows_read: int = 0  # and those in the files, with the ones that are held out
    tokens: int = 0
    mistakes: list[int] = field(default_factory=list)  # sentences, in each pass
    skipped: Skipped = field(default_factory=Skipped)
    interrupted: bool = False
    fault: Exception | None = None  # what ended training early, after a complete pass
    stamps: dict[str, tuple[int, ...]] = field(default_factory=dict)
    equal_rows: tuple[str, str] | None = None
    names: FeatureNames = field(default_factory=FeatureNames.none)
    named: int = 0  # sentences whose features have names

    passes_on_cluster: None = None
    is_regression: bool = False

    @property
    def spec(self) -> Spec:
        return Spec.of("SequenceTagger", self.parameters)

    def refuse_changed(self) -> None:
        """Refuse files that have changed since they were first opened."""
        now = inputs.file_stamps(self.files)
        for name, before in self.stamps.items():
            if now.get(name, before) != before:
                raise CommandError(f"{name}: the file has changed since it was first opened")

    def open(self) -> SentenceStream:
        """The files from their beginning."""
        self.refuse_changed()
        stream = sentences.open_files(self.files, self.arguments, self.format, tagged=True)
        self.format = stream.format
        return stream

    def parts(self, stream: SentenceStream) -> Iterator[TaggedSentences]:
        """The parts of a stream without held-out and empty sentences."""
        seen = 0
        for part in stream:
            lengths = np.diff(part.sentences.starts)
            out = np.zeros(len(part), bool) if self.held_out is None else self.held_out.mask(seen, len(part))
            seen += len(part)
            if not lengths.all():
                empty = int(np.flatnonzero(lengths == 0)[0])
                raise sentences.at_line(DataError("a sentence has no tokens", "leave it out", sentence=empty), part)
            yield part.taken(~out) if out.any() else part
        self.rows_read = seen

    def name_features(self, part: TaggedSentences) -> None:
        """Keep the names of the features of the first sentences, for ``explain``."""
        room = self.arguments.named_rows - self.named
        if room > 0 and self.resumed is None:
            self.names = self.encoder.gather_names(part.sentences[:room], self.names)
            self.named += min(room, len(part))


def prepare(arguments: argparse.Namespace, progress: Progress, interrupt: Interrupt) -> TaggingRun:
    """A run before its first sentence."""
    held_out = HeldOut(arguments.held_out, arguments.seed) if isinstance(arguments.held_out, float) else None
    files = expand(arguments.files)
    stamps = inputs.file_stamps(files)
    if arguments.resume:
        return _resumed(arguments, files, held_out, progress, interrupt, stamps)
    sentences.refuse_options_of_rows(arguments)
    passes = arguments.passes or TAGGER_PASSES
    parameters = sentences.asked_parameters(arguments, algorithms.FOR_SENTENCES, passes)
    spec = Spec.of("SequenceTagger", parameters)
    encoder = TokenEncoder(spec.parameters["features"], spec.parameters["bits"])
    run = TaggingRun(
        arguments, files, None, encoder, None, parameters, passes, held_out, progress, interrupt, stamps=stamps
    )
    if isinstance(arguments.held_out, str):  # opened once, so that its faults are known before the work
        sentences.open_files([arguments.held_out], arguments, tagged=True).close()
    return run


def _resumed(
    arguments: argparse.Namespace, files: Sequence[str], held_out: HeldOut | None, progress: Progress,
    interrupt: Interrupt, stamps: dict[str, tuple[int, ...]],
) -> TaggingRun:  # fmt: skip
    """A run that goes on with a model."""
    inputs.refuse_other_settings(arguments)
    model = inputs.read_model(arguments.resume)
    if model.learner.space != "sequence":
        raise CommandError(f"{arguments.resume} is a {model.algorithm}, and learns from rows, not from sentences")
    tagger = Tagger.of_model(model, arguments.resume)
    format = tagger.format_for(files, arguments, tagged=True)
    return TaggingRun(
        arguments, files, format, tagger.encoder, tagger.learner, model.parameters, arguments.passes or 1, held_out,
        progress, interrupt, tagger.tags, resumed=model, updates_before=model.learner.n_updates, stamps=stamps,
    )  # fmt: skip


def train(arguments: argparse.Namespace, progress: Progress, interrupt: Interrupt) -> tuple[TaggingRun, bool]:
    """The run after training, and whether it was part by part."""
    run = prepare(arguments, progress, interrupt)
    small = inputs.are_small(arguments.files)
    streamed = bool(arguments.resume or arguments.stream or not small)
    if streamed and run.parameters.get("tol") is not None and run.passes > 1 and not arguments.resume:
        raise CommandError("--tol needs all sentences in memory, and these files are trained on part by part")
    try:
        if streamed:
            arguments.block_rows = arguments.block_rows or PART
            by_parts(run)
            if run.resumed is not None:
                summary.note_new_classes(run.resumed, run.tags, run.occurring, "tag")
        else:
            in_memory(run)
    finally:
        if run.skipped:
            note(run.skipped.worded(option))
    return run, streamed


# ---- in memory -----------------------------------------------------------------------------------------------------


def in_memory(run: TaggingRun) -> None:
    """Read all sentences, then train as ``fit`` does."""
    rows, labels, places = _read(run)
    run.tags = sorted(set(labels))
    _refuse_one_tag(run)
    _refuse_many_tags(run)
    constraints, spec = run.parameters.get("constraints"), run.spec
    try:
        tagging.check_scheme(constraints, labels, rows.starts)
    except DataError as error:
        raise places.at(error) from None
    run.learner = learner = tagging.start(spec, run.encoder, run.tags)
    codes = tagging.coded(labels, {tag: code for code, tag in enumerate(run.tags)})
    del labels
    tagging.constrain(learner, constraints, run.tags, codes, rows.starts)
    rows = learner.map_rows(rows, learn=True)  # now, and not in fit, so that what they were is let go
    memory.give_back()
    began = time.monotonic()

    def report(done: Pass) -> None:
        run.mistakes.append(done.mistakes or 0)
        show_progress(run, done.number, run.rows, 1.0, began)
        run.interrupt.check()

    def pulse() -> None:
        seen = learner.visited - len(run.mistakes) * run.rows
        if 0 < seen < run.rows:  # else a pass is being judged
            show_progress(run, len(run.mistakes) + 1, seen, seen / run.rows, began, learner.tally.mistakes)
        run.interrupt.check()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the summary has the verdict
        learner.pulse = pulse
        try:
            with run.interrupt.held():
                learner.fit(
                    rows, codes, max_iter=run.passes, tol=spec.tol, shuffle=spec.shuffle, rng=spec.generator(),
                    progress=report, name="SequenceTagger",
                )  # fmt: skip
        except KeyboardInterrupt:
            run.interrupted = True
        finally:
            del learner.pulse
    if learner.evidence.equal_rows is not None:
        first, second = learner.evidence.equal_rows
        run.equal_rows = places.of(first), places.of(second)


class _Places:
    """The files and lines of sentences, of which no strings are kept."""

    def __init__(self) -> None:
        self.lines: list[Array] = []
        self.files: list[tuple[str, int]] = []
        self.count = 0

    def add(self, part: TaggedSentences) -> None:
        self.lines.append(part.lines)
        self.files += [(name, self.count + first) for name, first in part.files]
        self.count += len(part)

    def origin(self, sentence: int) -> dict[str, Any]:
        """As ``TaggedSentences.origin``."""
        file = next(name for name, first in reversed(self.files) if first <= sentence)
        return {"file": file, "line": int(np.concatenate(self.lines)[sentence])}

    def of(self, sentence: int) -> str:
        return "{file}, line {line}".format(**self.origin(sentence))

    def at(self, error: DataError) -> DataError:
        """The error of a sentence, with its file and line."""
        return error if error.sentence is None else error.at(**self.origin(error.sentence), sentence=None, token=None)


def _read(run: TaggingRun) -> tuple[SentenceRows, list[str], _Places]:
    """All sentences as rows, the tags of all tokens, and where the sentences stand."""
    parts: list[TokenRows] = []
    labels: list[str] = []
    places, holding = _Places(), MemoryLimit(run.arguments.memory, STREAM_INSTEAD)
    with run.open() as stream:
        if run.held_out is None:
            inputs.release_pipes(run.arguments, run.arguments.files)
        for part in run.parts(stream):
            assert part.tags is not None
            tokens = sentences.encoded(run.encoder, part)
            run.name_features(part)
            parts.append(tokens)
            labels += part.tags
            places.add(part)
            holding.keep(3 * tokens.indices.nbytes + 24 * part.n_tokens, len(part), part.files[0][0])
            del part  # with its strings, before the next one is waited for
            run.rows, run.tokens = run.rows + len(tokens), run.tokens + tokens.n_tokens
            speed = run.rows / max(time.monotonic() - run.progress.began, 1e-9)
            run.progress("reading", f"{run.rows:,} sentences", f"{speed:,.0f}/s", share=stream.progress)
        run.skipped = stream.skipped
    if not run.rows:
        raise CommandError(f"{', '.join(run.arguments.files)}: --held-out leaves no sentence to learn from")
    if run.held_out is not None:
        run.held_out.refuse_none(run.rows_read, "sentence")
    return tagging.rows_of(_joined(parts)), labels, places


def _joined(parts: list[TokenRows]) -> TokenRows:
    """Rows of consecutive parts as one; the list is empty then."""
    if len(parts) == 1:
        return parts.pop()
    starts, indptr = (
        np.concatenate([[0], np.cumsum(np.concatenate([np.diff(getattr(part, name)) for part in parts]))])
        for name in ("starts", "indptr")
    )
    n_columns, indices = parts[0].n_columns, np.empty(int(indptr[-1]), parts[0].indices.dtype)
    end = len(indices)
    while parts:  # the last one first, so that each is let go as soon as it is copied
        own = parts.pop().indices
        indices[end - len(own) : end] = own
        end -= len(own)
    return TokenRows(indptr, indices, None, n_columns, starts)


# ---- part by part --------------------------------------------------------------------------------------------------


def by_parts(run: TaggingRun) -> None:
    """Train on one part after the other, reading the files again for each pass, until one separates the sentences."""
    number = 1
    try:
        for number in range(1, run.passes + 1):
            with run.open() as stream:
                if run.passes == 1 and run.held_out is None:
                    inputs.release_pipes(run.arguments, run.arguments.files)
                _one_pass(run, stream, number)
                run.skipped = stream.skipped if number == 1 else run.skipped
            _refuse_one_tag(run)
            last = number == run.passes
            if run.passes > 1 and (last or not run.mistakes[-1]) and _separates(run):
                break
    except KeyboardInterrupt:
        if not run.rows or len(run.tags) < 2:
            raise
        run.interrupted = True
    except (CommandError, ValueError, OSError) as error:
        if number == 1:
            raise
        run.fault = error  # the model of the passes before is not lost


def _one_pass(run: TaggingRun, stream: SentenceStream, number: int) -> None:
    constraints, seen = run.parameters.get("constraints"), 0
    before = run.learner.mistakes[-1] if run.learner is not None and run.learner.streaming else 0
    for part in run.parts(stream):
        assert part.tags is not None
        rows, labels = tagging.rows_of(sentences.encoded(run.encoder, part)), part.tags
        run.name_features(part)
        try:
            tagging.check_scheme(constraints, labels, rows.starts)
        except DataError as error:
            raise sentences.at_line(error, part) from None
        if not rows.n_rows:
            continue
        _refuse_many_tags(run, labels)
        with run.interrupt.held():
            if run.learner is None:
                run.tags = list(dict.fromkeys(labels[: int(rows.starts[1])]))
                run.learner = tagging.start(run.spec, run.encoder, run.tags)
            run.tags = tagging.learn_on(run.learner, constraints, run.tags, rows, labels)
            run.occurring.update(labels)
            seen += rows.n_rows
            if number == 1:
                run.rows, run.tokens = run.rows + rows.n_rows, run.tokens + rows.n_tokens
            run.mistakes[number - 1 :] = [run.learner.mistakes[-1] - before]
            show_progress(run, number, seen, stream.progress, run.progress.began)


def _separates(run: TaggingRun) -> bool:
    """Whether the weights get every sentence right: the files are read once more, up to the first mistake."""
    learner, widest = run.learner, Widest()
    assert learner is not None
    rows: Any
    known, least = {tag: code for code, tag in enumerate(run.tags)}, np.full(learner.slots, np.inf)
    with run.open() as stream:
        for part in run.parts(stream):
            assert part.tags is not None
            rows = tagging.rows_of(sentences.encoded(run.encoder, part))
            if learner._score(rows, tagging.coded(part.tags, known), None, stop_at_mistake=True):
                return False
            least = np.minimum(least, learner.least)
            widest.add(rows, None)
    learner.streaming, learner.verdict, learner.least[:] = False, SEPARATED, least  # no more sentences are to come
    learner.passes.append(learner.tally.mistakes)
    learner._tighten_lower(widest, None)
    if learner.readout == "pocket":
        learner._pocket_separator(run.rows)
    return True


def _refuse_one_tag(run: TaggingRun) -> None:
    if len(run.tags) == 1:
        raise CommandError(
            f"{', '.join(run.arguments.files)}: all tokens have the one tag {run.tags[0]!r}; name the column of the "
            "tags with --tag"
        )


def _refuse_many_tags(run: TaggingRun, labels: Sequence[str] = ()) -> None:
    n = len({*run.tags, *labels})
    if n > MOST_TAGS:
        raise CommandError(
            f"{', '.join(run.arguments.files)}: {n:,} different tags, and at most {MOST_TAGS:,} are supported; name "
            "the column of the tags with --tag"
        )


# ---- afterwards ----------------------------------------------------------------------------------------------------


def evaluate_held_out(run: TaggingRun) -> tuple[Judged | None, Exception | None]:
    """How the model does on held-out sentences, or the error that prevented it; (None, None): none were held out."""
    arguments, drawn = run.arguments, run.held_out
    if arguments.held_out is None or run.interrupted or run.fault is not None:
        return None, None

    def parts(stream: SentenceStream) -> Iterator[TaggedSentences]:
        seen = 0
        for part in stream:
            out = None if drawn is None else drawn.mask(seen, len(part))
            seen += len(part)
            part = part if out is None else part.taken(out)
            if len(part):
                yield part

    try:
        if drawn:
            run.refuse_changed()
        tagger = Tagger(arguments.output, model_of(run, None), run.encoder, run.format)
        files = run.files if drawn else [arguments.held_out]
        with tagger.open(files, arguments, tagged=True) as stream:
            inputs.release_pipes(arguments, files)
            result = sentences.judged(tagger, parts(stream))
        if not result.scores.n_sentences:
            raise holds_none(arguments.held_out, run.rows, "sentence")
        if result.unknown:
            note(f"tags that the model does not know and never predicts: {summary.first_names(result.unknown)}")
        return result, None
    except KeyboardInterrupt:
        run.interrupted = True
        return None, None
    except (CommandError, ValueError, OSError) as error:  # the trained model is not lost by it
        return None, error


def model_of(run: TaggingRun, record: dict[str, Any] | None) -> Model:
    """The model of a run, with what makes its rows, how its files are read, and a record of its training."""
    assert run.learner is not None
    extras = {} if run.resumed is None else run.resumed.extras
    extras = {**extras, TOKENS: (run.encoder.to_state(), {}), SECTION: sentences.section_of(run.format)}
    if len(run.names):
        extras[NAMES] = run.names.to_state()
    if record is not None:
        extras[summary.SECTION] = (record, {})
    return Model("SequenceTagger", run.parameters, run.learner, np.array(run.tags, object), None, extras)
