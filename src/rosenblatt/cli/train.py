"""Learn a model from files, and save it.

Which column is what, the format and the learner are guessed, and every guess is stated. The model file holds all that
prediction needs.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from . import algorithms, clustered, options
from .parameters import OPTIONS, asked_for, spelled
from .terminal import DONE, CommandError, Interrupt, Progress, beside, emit, in_words, note, show

EXAMPLE = "rosenblatt train reviews.csv -o mood.model --held-out 0.1"

#: Passes over the files, unless told otherwise.
PASSES = 5


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    options.add_files(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file to write")
    parser.add_argument("--resume", metavar="MODEL", help="go on with this model, one pass block by block")
    parser.add_argument(
        "--passes", "--max-iter", metavar="N", type=options.count, help=f"passes over the files ({PASSES})"
    )
    parser.add_argument(
        "--held-out",
        metavar="FILE|SHARE",
        type=options.fraction_or_file,
        help="judge the model on this file, or on a share of the rows (0.1: each tenth), which it does not learn from",
    )
    parser.add_argument(
        "--seed", "--random-state", metavar="N", type=options.seed, default=0, help="of the random order of rows (0)"
    )
    parser.add_argument(
        "--stream",
        action="store_true",
        help="learn block by block, in the order of the files; so does one pass, and files of more than 1 GB",
    )
    parser.add_argument(
        "--shuffle-buffer", metavar="N", type=options.count, help="learn block by block, in blocks of N rows, shuffled"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    options.add_json(parser)
    algorithms.add_options(parser)
    clustered.add_options(parser)
    options.add_columns(options.add_reading(parser))
    options.add_encoding(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it."""
    from ..core import engine
    from ..data.holding import TooMuchError
    from ..model_files import write
    from . import inputs, story, training

    began = time.monotonic()
    engine.keep_freed_memory()
    _refuse(arguments)
    if arguments.shuffle_buffer:
        arguments.block_rows, arguments.stream = arguments.shuffle_buffer, True
    with Interrupt() as interrupt:
        with Progress(not arguments.quiet) as progress:
            if clustered.is_asked_for(arguments):
                course = clustered.learned(arguments, arguments.passes or PASSES, progress, interrupt)
                streamed = arguments.stream
            else:
                inputs.keep_pipes(arguments, *arguments.files, *_held_out_files(arguments))
                course = _course(arguments, progress, interrupt)
                streamed = _is_streamed(course, arguments)
                if not course.reads_again(streamed):
                    inputs.release_pipes(arguments, arguments.files)
                try:
                    if not streamed:
                        try:
                            training.in_memory(course)
                        except TooMuchError as error:
                            course, streamed = _once_more(course, arguments, error), True
                    if streamed:
                        training.by_blocks(course)
                finally:
                    if course.skipped:
                        note(str(course.skipped))
            held_out, fault = _held_out(course)
            told = story.of(course, streamed, held_out)
            saved = f"the model is in {arguments.output}"
            with interrupt.ignored(saved):
                write(arguments.output, _model(course, told))
        told["seconds"] = round(time.monotonic() - began, 3)
        if course.interrupted:
            note(f"interrupted after {course.learner.visited:,} examples; the model so far is in {arguments.output}")
        if course.fault is not None:
            raise CommandError(story.where_it_ended(course))
        if fault is not None:
            raise CommandError(f"{in_words(fault)}; {saved}, but it was not judged")
        with beside(saved, required=arguments.json):
            if arguments.json:
                emit(told)
            elif not arguments.quiet:
                show(story.summary(course, told))
    return interrupt.code if course.interrupted else DONE


def _is_streamed(course: Any, arguments: argparse.Namespace) -> bool:
    """Whether to learn block by block; refuses what cannot be done so."""
    from .inputs import fit_in_memory

    parameters = course.parameters
    all_rows = {
        "--class-weight balanced": parameters.get("class_weight") == "balanced",
        "--init random": parameters.get("init") == "random",
    }
    at_once = any(all_rows.values()) or course.name == "BatchPerceptron" or course.learner.kernel is not None
    streamed = bool(arguments.resume or arguments.stream or (course.passes == 1 and not at_once))
    streamed = streamed or not fit_in_memory(arguments.files)
    for option, asked in all_rows.items():
        if asked and streamed and not arguments.resume:
            raise CommandError(f"{option} needs all rows at once, and these are learned from block by block")
    return streamed


def _held_out_files(arguments: argparse.Namespace) -> list[str]:
    return [arguments.held_out] if isinstance(arguments.held_out, str) else []


def _once_more(course: Any, arguments: argparse.Namespace, error: Exception) -> Any:
    """The course from its beginning, to learn block by block from what cannot be held; refuses where it may not."""
    from . import inputs

    if inputs.come_once(arguments.files) or course.name == "BatchPerceptron":
        raise error
    arguments.stream = True
    reason = str(error).rpartition(";")[0]
    try:
        _is_streamed(course, arguments)
    except CommandError as refusal:
        raise CommandError(f"{refusal}, as {reason}; say --memory SIZE to hold more") from None
    note(f"{reason}; so it is learned from block by block, in the order of the files")
    return _course(arguments, course.progress, course.interrupt)


def _refuse(arguments: argparse.Namespace) -> None:
    """What can be said before hours of work."""
    from ..atomic_files import check
    from . import inputs

    for path in filter(None, (arguments.output, arguments.checkpoint)):
        check(path)
        inputs.refuse_to_replace(path, [*arguments.files, *_held_out_files(arguments)])
    if arguments.checkpoint and os.path.realpath(arguments.checkpoint) == os.path.realpath(arguments.output):
        raise CommandError(f"{arguments.output}: the checkpoint and the model are two files; name another for one")


def _course(arguments: argparse.Namespace, progress: Progress, interrupt: Interrupt) -> Any:
    from ..core.planning import learner_of
    from . import inputs
    from .features import Features
    from .training import Course

    every = round(1 / arguments.held_out) if isinstance(arguments.held_out, float) else None
    if arguments.resume:
        from .judging import loaded

        _refuse_other_settings(arguments)
        model, features = loaded(arguments.resume)
        columns = None if features.encoder is None else features.encoder.columns
        if model.algorithm == "BatchPerceptron":
            raise CommandError("the batch perceptron learns from all rows at once and cannot go on with others")
        return Course(
            arguments, arguments.files, columns, features.format, features, model.learner, model.algorithm,
            model.parameters, arguments.passes or 1, every, progress, interrupt, model.classes, begun=True,
            resumed=model, updates_before=model.learner.n_updates, stamps=inputs.stamps(arguments.files),
        )  # fmt: skip
    stamps = inputs.stamps(arguments.files)
    stream = inputs.opened(arguments.files, arguments, inputs.columns_of(arguments))
    columns, format = stream.columns, stream.format
    if columns is not None and not columns.features:
        next(stream)  # says so if there are no rows
        raise CommandError(
            f"{', '.join(arguments.files)}: no column is left to learn from; name them by --text, --numeric or "
            "--categorical"
        )
    if columns is not None and not columns.label:
        raise CommandError(f"{', '.join(arguments.files)}: no column looks like the labels; name it by --label")
    first = next(stream)
    features = Features.asked_for(columns, format, arguments, inputs.n_vectors_for(first))
    features.populate()
    _look_into_held_out(features, arguments)
    name, why = arguments.algorithm, ""
    if name is None:
        name, why = algorithms.default(features.has_text, inputs.are_numbers_of_a_regression(first))
    kind, parameters = algorithms.chosen(arguments, name, features.is_text)
    passes = arguments.passes or PASSES
    parameters |= {"max_iter": passes, "random_state": arguments.seed}
    if "tol" in algorithms.ALGORITHMS[name].takes:
        parameters.setdefault("tol", None)
    return Course(
        arguments, arguments.files, columns, format, features, learner_of(kind, parameters), kind, parameters, passes,
        every, progress, interrupt, why=why, first=stream, ahead=(first,), stamps=stamps,
    )  # fmt: skip


def _refuse_other_settings(arguments: argparse.Namespace) -> None:
    """A model goes on as it began."""
    asked = {"algorithm": arguments.algorithm, **asked_for(arguments)}
    columns = ("label", "label_type", "text", "numeric", "categorical", "weight")
    asked |= {name: getattr(arguments, name) for name in columns}
    for name, value in asked.items():
        if value is not None:
            written = spelled(name, value) if name in OPTIONS else f"--{name.replace('_', '-')}"
            raise CommandError(f"{written} does not go with --resume: the model goes on as it began")
    for name, usual in options.encoding_defaults().items():
        if getattr(arguments, name) != usual:
            written = f"--{name.replace('_', '-')}"
            raise CommandError(f"{written} does not go with --resume: the model makes its rows as it began")


def _look_into_held_out(features: Any, arguments: argparse.Namespace) -> None:
    """Open the held-out file once: what is wrong with it is said before the work."""
    if isinstance(arguments.held_out, str):
        from .judging import opened_for

        opened_for(features, [arguments.held_out], arguments, labelled=True).close()


def _held_out(course: Any) -> tuple[Any, Exception | None]:
    """How the model does on rows that it did not learn from, or why that cannot be told; None: nothing was held out."""
    arguments, features = course.arguments, course.features
    if arguments.held_out is None or course.interrupted or course.fault is not None:
        return None, None
    from .inputs import release_pipes
    from .judging import judged, opened_for
    from .training import kept

    files = arguments.files if course.every else [arguments.held_out]

    def blocks(stream: Any) -> Any:
        seen = 0
        for block in stream:
            part = kept(block, seen, course.every, held_out=True)
            seen += len(block)
            if len(part):
                yield part

    try:
        if course.every:
            course.refuse_changed()
        with opened_for(features, files, arguments, labelled=True) as stream:
            release_pipes(arguments, files)
            return judged(features, course.learner, course.classes, blocks(stream)), None
    except KeyboardInterrupt:
        course.interrupted = True
        return None, None
    except (CommandError, ValueError, OSError) as error:  # hours of learning are not lost by it
        return None, error


def _model(course: Any, told: dict[str, Any]) -> Any:
    from ..model_files import Model
    from .features import SECTION

    before = course.resumed
    extras = {} if before is None else before.extras
    extras = {**extras, SECTION: course.features.to_section(), "training": (told, {})}
    names = None if before is None else before.columns
    return Model(course.name, course.parameters, course.learner, course.classes, names, extras)
