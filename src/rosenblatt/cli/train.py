"""The command ``train``: a model from files."""

from __future__ import annotations

import argparse
import os
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..atomic_files import check
from ..core import engine
from ..data import Block
from ..data.memory_limit import MemoryLimitError, parse_limit
from ..data.numbered import FIRST_ROWS
from ..data.sources import expand
from ..errors import DataError
from . import algorithms, inputs, summary
from .commands import PASSES
from .held_out import HeldOut, holds_none
from .kind_of_files import refuse_options_of_sentences, sentences_are_meant
from .options import OF_TEXT, encoding_defaults
from .terminal import (
    DONE,
    CommandError,
    Interrupt,
    Progress,
    emit,
    in_words,
    note,
    option,
    optional_output,
    setting_of,
    show,
)

if TYPE_CHECKING:
    from ..model_files import Model
    from .evaluate import ConfusionMatrix, RegressionErrors
    from .training import TrainingRun

#: Options that need a cluster.
_CLUSTER_OPTIONS = ("mix", "shards", "checkpoint", "worker_timeout")


class Training(NamedTuple):
    """What training does with files of one kind."""

    train: Any  # (arguments, progress, interrupt) → the run, and whether it was block by block
    evaluate_held_out: Any
    record: Any
    model_of: Any
    lines: Any  # of the summary


def run(arguments: argparse.Namespace) -> int:
    """Train a model, evaluate it if asked to, save it and print a summary."""
    began = time.monotonic()
    refuse_outputs(arguments)
    note_repeated(arguments)
    if arguments.shuffle_buffer and arguments.shuffle is False:
        raise CommandError("--shuffle-buffer and --no-shuffle exclude each other; say one of them")
    if arguments.shuffle_buffer:
        arguments.block_rows, arguments.stream = arguments.shuffle_buffer, True
    with Interrupt() as interrupt:
        with Progress(not arguments.quiet) as progress:
            kind = _kind(arguments)
            run, streamed = kind.train(arguments, progress, interrupt)
            held_out, fault = kind.evaluate_held_out(run)
            record = kind.record(run, streamed, held_out)
            saved = f"the model is in {arguments.output}"
            from ..model_files import write

            with interrupt.ignored(saved):
                write(arguments.output, kind.model_of(run, record), mappable=_is_mappable(run, arguments))
        record["seconds"] = round(time.monotonic() - began, 3)
        if run.interrupted:
            note(f"interrupted after {run.learner.visited:,} examples; the model so far is in {arguments.output}")
        if run.fault is not None:
            raise CommandError(summary.fault_in_words(run))
        with optional_output(saved, required=arguments.json):
            if arguments.json and fault is None:
                emit(record)
            elif not (arguments.json or arguments.quiet):
                show(kind.lines(run, record))
        if fault is not None:
            raise CommandError(f"{in_words(fault)}; {saved}, but it was not evaluated")
    return interrupt.code if run.interrupted else DONE


def _is_mappable(run: Any, arguments: argparse.Namespace) -> bool:
    """Whether the file is to be one that can be mapped; where none can be, what was learned is not lost by it."""
    why_not = _why_not_mappable(run, arguments)
    if why_not is not None:
        note(f"{why_not}; the model is saved without --mappable")
    return bool(arguments.mappable) and why_not is None


def _why_not_mappable(run: Any, arguments: argparse.Namespace) -> str | None:
    """Why the file that is to be mapped cannot be; None: it can, or is not to be."""
    if not arguments.mappable:
        return None
    from ..model_files import learners

    return learners.why_not_mapped(run.learner)


def _kind(arguments: argparse.Namespace) -> Training:
    """Whether to train on rows or on sentences."""
    on_cluster = _is_on_cluster(arguments)
    if not on_cluster:
        inputs.keep_pipes(arguments, *arguments.files, *held_out_files(arguments))
    if not (on_cluster and "-" in arguments.files) and sentences_are_meant(arguments):  # which a cluster refuses
        from . import tagger_summary
        from . import tagger_training as own

        return Training(own.train, own.evaluate_held_out, tagger_summary.record, own.model_of, tagger_summary.lines)
    refuse_options_of_sentences(arguments)
    engine.keep_freed_memory()
    return Training(_train, evaluate_held_out, summary.record, model_of, summary.lines)


def _train(arguments: argparse.Namespace, progress: Progress, interrupt: Interrupt) -> tuple[TrainingRun, bool]:
    """The run after training, and whether it was block by block."""
    if _is_on_cluster(arguments):
        from . import cluster  # needs Dask

        run = cluster.train(arguments, arguments.passes or PASSES, progress, interrupt)
        if run.skipped:
            note(run.skipped.worded(option))
        return run, arguments.stream
    run = prepare(arguments, progress, interrupt)
    why_not = _why_not_mappable(run, arguments)
    if why_not is not None:  # which is known before hours of work
        raise CommandError(f"{why_not}; train it without --mappable")
    return learn(run, arguments)


def learn(run: TrainingRun, arguments: argparse.Namespace) -> tuple[TrainingRun, bool]:
    """Train a run that is prepared, all rows in memory or block by block; the run, and whether it was the latter."""
    from . import choosing, training

    streamed = _is_streamed(run, arguments)
    if not run.reads_again(streamed):
        inputs.release_pipes(arguments, arguments.files)
    try:
        if not streamed:
            try:
                choosing.choose(run, in_memory=True)
                training.in_memory(run)
            except MemoryLimitError as error:
                run, streamed = _prepare_streaming(run, arguments, error), True
        if streamed:
            choosing.choose(run, in_memory=False)
            training.by_blocks(run)
        summary.note_unweighted_classes(run)
        if run.resumed is not None and run.classes is not None and run.order is not None:
            summary.note_new_classes(run.resumed, run.classes.tolist(), run.order.counts, "class")
        summary.note_alike([] if run.classes is None else run.classes.tolist())
    finally:
        if run.skipped:
            note(run.skipped.worded(setting_of(arguments)))
    return run, streamed


def _is_on_cluster(arguments: argparse.Namespace) -> bool:
    """Whether to train on a cluster; refuses options that do not go with it."""
    if not arguments.cluster and not arguments.workers:
        for name in _CLUSTER_OPTIONS:
            if getattr(arguments, name) is not None:
                raise CommandError(f"--{name.replace('_', '-')} is for a cluster: say --workers N or --cluster ADDRESS")
        return False
    if arguments.cluster and arguments.workers:
        raise CommandError("--cluster and --workers exclude each other; say one of them")
    if arguments.resume:
        raise CommandError(
            "--resume does not go with a cluster; there --checkpoint FILE continues a run that was interrupted"
        )
    if arguments.shuffle_buffer:
        raise CommandError(
            "--shuffle-buffer does not go with a cluster; without --stream each shard is shuffled as a whole"
        )
    if isinstance(arguments.held_out, float):
        raise CommandError("--held-out SHARE does not go with a cluster; name a file, --held-out FILE")
    return True


def _is_streamed(run: TrainingRun, arguments: argparse.Namespace) -> bool:
    """Whether to train block by block; refuses what needs all rows."""
    parameters = run.parameters
    all_rows = {
        ("class_weight", "balanced"): parameters.get("class_weight") == "balanced",
        ("init", "random"): parameters.get("init") == "random",
        ("algorithm", "batch"): run.name == "BatchPerceptron",
        ("tol", ...): parameters.get("tol") is not None and run.passes > 1,
    }
    at_once = any(all_rows.values()) or run.learner.space == "kernel"
    asked_for, small = bool(arguments.resume or arguments.stream), inputs.are_small(arguments.files)
    streamed = asked_for or not small or (run.passes == 1 and not at_once)
    if not asked_for and not small:
        _shuffle_in_buffer(run, arguments)
    for (name, value), asked in all_rows.items():
        if asked and streamed and not arguments.resume:
            problem = f"{{{name}}} needs all rows in memory, and these files are trained on block by block"
            raise CommandError(problem, **{name: value})
    return streamed


def _shuffle_in_buffer(run: TrainingRun, arguments: argparse.Namespace) -> None:
    """Let rows that are too many for the memory be shuffled, as many at a time as it holds."""
    if run.spec.shuffle and run.learner.space == "linear":
        run.buffer = (parse_limit(arguments.memory) or 1 << 30) // 4  # they are held, joined and put in order


def held_out_files(arguments: argparse.Namespace) -> list[str]:
    """The file that is held out, if one is named."""
    return [arguments.held_out] if isinstance(arguments.held_out, str) else []


def _prepare_streaming(run: TrainingRun, arguments: argparse.Namespace, error: DataError) -> TrainingRun:
    """The run again from its beginning, block by block, as not all rows fit in memory; refuses where it needs them."""
    if inputs.has_pipes(arguments.files):
        raise error
    arguments.stream = True
    reason = str(error.at(remedy=""))
    try:
        _is_streamed(run, arguments)
    except CommandError as refusal:
        problem = f"{refusal.problem}, as {reason}; say {{memory}} to hold more"
        raise CommandError(problem, **refusal.values, memory=...) from None
    note(f"{reason}; training block by block instead, on as many rows at a time, shuffled, as a quarter of it holds")
    run = prepare(arguments, run.progress, run.interrupt)
    _shuffle_in_buffer(run, arguments)
    return run


def refuse_outputs(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written, before hours of work."""
    for path in filter(None, (arguments.output, arguments.checkpoint)):
        if path == "-":
            raise CommandError("-: a model is not written to standard output; name a file")
        check(path)
        inputs.refuse_to_replace(path, [*arguments.files, *held_out_files(arguments)])
    if arguments.checkpoint and os.path.realpath(arguments.checkpoint) == os.path.realpath(arguments.output):
        raise CommandError(f"{arguments.output}: the checkpoint and the model must be two files; name another for one")


def note_repeated(arguments: argparse.Namespace) -> None:
    """Say which files are named twice, and which are held out though they are trained on."""
    trained_on: set[str] = set()
    for name in expand(arguments.files):
        if os.path.isfile(name):
            if os.path.realpath(name) in trained_on:
                note(f"{name} is named twice: its rows count twice")
            trained_on.add(os.path.realpath(name))
    for name in held_out_files(arguments):
        if os.path.realpath(name) in trained_on:
            note(f"{name} is trained on, too: how the model does on it says nothing of other rows")


def prepare(
    arguments: argparse.Namespace, progress: Progress, interrupt: Interrupt, learner_for: Any = algorithms.for_training
) -> TrainingRun:
    """A run before its first row: the files opened, the columns and the learner chosen."""
    held_out = HeldOut(arguments.held_out, arguments.seed) if isinstance(arguments.held_out, float) else None
    files = expand(arguments.files)
    stamps = inputs.file_stamps(files)
    if arguments.resume:
        from .training import TrainingRun

        inputs.refuse_other_settings(arguments)
        model, features = inputs.load_model(arguments.resume)
        columns = None if features.encoder is None else features.encoder.columns
        arguments.missing = "raise" if features.encoder is None else features.encoder.missing
        if model.algorithm == "BatchPerceptron":
            raise CommandError("the batch perceptron needs all rows at once and cannot continue on others")
        return TrainingRun(
            arguments, files, columns, features.format, features, model.learner, model.algorithm, model.parameters,
            arguments.passes or 1, held_out, progress, interrupt, model.classes, begun=True, resumed=model,
            updates_before=model.learner.n_updates, stamps=stamps,
        )  # fmt: skip
    stream = inputs.open_files(files, arguments, inputs.column_options(arguments))
    from ..core.spec import Spec  # while the first block is read
    from . import choosing
    from .features import Features
    from .training import TrainingRun

    columns, format = stream.columns, stream.format
    if columns is not None and not columns.features:
        next(stream)  # raises if there are no rows
        reasons = "".join(f"; {name}: {columns.why[name]}" for name in columns.ignored if name in columns.why)
        raise CommandError(
            f"{', '.join(arguments.files)}: no column is left to learn from; name them with {{text}}, {{numeric}} or "
            f"{{categorical}}{reasons}",
            text=..., numeric=..., categorical=...,
        )  # fmt: skip
    inputs.refuse_unlabelled(columns, arguments.files)
    if columns is None or not columns.text:
        _refuse_options_of_text(arguments)
    first = next(stream)
    numbers = inputs.are_numbers(first.labels, arguments)
    density = None
    if first.csr is not None:
        density = inputs.density(first, format, files, arguments)
        if len(first) < FIRST_ROWS:  # then files were opened again, which ends the first reading of a pipe
            stream.close()
            stream = inputs.open_files(files, arguments)
            first = next(stream)
    if columns is not None and columns.text:
        choosing.settle_supervision(arguments, numbers)
    features = Features.asked_for(columns, format, arguments, density)
    if isinstance(arguments.held_out, str):  # opened once, so that its faults are known before the work
        inputs.open_for_model(features, [arguments.held_out], arguments, labelled=True).close()
    passes = arguments.passes or PASSES
    kind, parameters, why = learner_for(arguments, features, numbers, passes)
    return TrainingRun(
        arguments, files, columns, format, features, Spec.of(kind, parameters).learner(), kind, parameters, passes,
        held_out, progress, interrupt, why=why, first=stream, ahead=deque([first]), stamps=stamps,
    )  # fmt: skip


def _refuse_options_of_text(arguments: argparse.Namespace) -> None:
    """Refuse options that say how text is read, where there is none."""
    usual = encoding_defaults()
    for name in OF_TEXT:
        value = getattr(arguments, name)
        if value != usual[name]:
            raise CommandError(
                f"{', '.join(arguments.files)}: {{{name}}} is of text, and no column is text; name one with {{text}}, "
                "or leave it out",
                text=..., **{name: value if value is False else ...},
            )  # fmt: skip


def evaluate_held_out(run: TrainingRun) -> tuple[ConfusionMatrix | RegressionErrors | None, Exception | None]:
    """How the model does on held-out rows, or the error that prevented it; (None, None): nothing was held out."""
    arguments, features = run.arguments, run.features
    if arguments.held_out is None or run.interrupted or run.fault is not None:
        return None, None
    from .evaluate import evaluate

    drawn = run.held_out
    files = run.files if drawn else [arguments.held_out]

    def blocks(stream: Any) -> Iterator[Block]:
        seen = 0
        for block in stream:
            part = drawn.part(block, seen, held_out=True) if drawn else block
            seen += len(block)
            if len(part):
                yield part

    try:
        if drawn:
            run.refuse_changed()
        with inputs.open_for_model(features, files, arguments, labelled=True) as stream:
            inputs.release_pipes(arguments, files)
            result = evaluate(features, run.learner, run.classes, blocks(stream))
        if not result.rows:
            raise holds_none(arguments.held_out, run.rows, "row")
        return result, None
    except KeyboardInterrupt:
        run.interrupted = True
        return None, None
    except (CommandError, ValueError, OSError) as error:  # the trained model is not lost by it
        return None, error


def model_of(run: TrainingRun, record: dict[str, Any]) -> Model:
    """The model of a run, with what makes its rows and a record of its training."""
    from ..model_files import Model
    from .features import SECTION

    before = run.resumed
    extras = {} if before is None else before.extras
    extras = {**extras, SECTION: run.features.to_section(), summary.SECTION: (record, {})}
    names = None if before is None else before.columns
    return Model(run.name, run.parameters, run.learner, run.classes, names, extras)
