"""Learn a model from files, and save it.

Which column is what, the format and the learner are guessed, and every guess is stated. The model file holds all that
prediction needs.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from . import algorithms, options
from .terminal import DONE, INTERRUPTED, CommandError, Interrupt, Progress, emit, note, several, show, shown

EXAMPLE = "rosenblatt train reviews.csv -o mood.model --held-out 0.1"

#: Passes over the files, unless told otherwise.
PASSES = 5


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    options.add_files(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file to write")
    parser.add_argument("--resume", metavar="MODEL", help="go on with this model, one pass block by block")
    parser.add_argument("--passes", metavar="N", type=options.count, help=f"passes over the files ({PASSES})")
    parser.add_argument(
        "--held-out",
        metavar="FILE|SHARE",
        type=options.fraction_or_file,
        help="judge the model on this file, or on a share of the rows (0.1: each tenth), which it does not learn from",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the random order of rows (0)")
    parser.add_argument("--no-shuffle", action="store_true", help="visit the rows as they stand")
    parser.add_argument(
        "--stream",
        action="store_true",
        help="learn block by block, in the order of the files; so does one pass, and files of more than 1 GB",
    )
    parser.add_argument(
        "--shuffle-buffer", metavar="N", type=options.count, help="learn block by block, in blocks of N rows, shuffled"
    )
    parser.add_argument("--tol", metavar="TOL", type=float, help="end early once no margin above TOL·R can be left")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    options.add_json(parser)
    algorithms.add_options(parser)
    options.add_columns(options.add_reading(parser))
    options.add_encoding(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it."""
    from ..model_files import write
    from . import inputs, training

    began = time.monotonic()
    _refuse(arguments)
    if arguments.shuffle_buffer:
        arguments.block_rows, arguments.stream = arguments.shuffle_buffer, True
    with Progress(not arguments.quiet) as progress, Interrupt() as interrupt:
        course, kind, parameters = _course(arguments, progress, interrupt)
        streamed = arguments.resume or arguments.stream or (course.passes == 1 and kind != "BatchPerceptron")
        streamed = bool(streamed) or not inputs.fit_in_memory(arguments.files)
        if streamed and course.passes > 1 and "-" in arguments.files:
            raise CommandError("standard input cannot be read twice; say --passes 1, or leave --stream out")
        (training.by_blocks if streamed else training.in_memory)(course)
        held_out = None if course.interrupted else _held_out(course)
        story = _story(course, streamed, held_out, arguments)
        with interrupt.held():
            write(arguments.output, _model(course, kind, parameters, story))
    story["seconds"] = round(time.monotonic() - began, 3)
    if course.skipped:
        note(str(course.skipped))
    if course.interrupted:
        note(f"interrupted after {course.learner.visited:,} examples; the model so far is in {arguments.output}")
    if arguments.json:
        emit(story)
    elif not arguments.quiet:
        _summary(course, story, kind, arguments)
    return INTERRUPTED if course.interrupted else DONE


def _refuse(arguments: argparse.Namespace) -> None:
    """What can be said before hours of work."""
    folder = os.path.dirname(os.path.abspath(arguments.output))
    if os.path.isdir(arguments.output):
        raise CommandError(f"{arguments.output}: it is a folder; name a file in it")
    if not os.path.isdir(folder):
        raise CommandError(f"{arguments.output}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"{arguments.output}: there is no permission to write here")
    if isinstance(arguments.held_out, float) and "-" in arguments.files:
        raise CommandError("of standard input nothing can be held out, as it cannot be read twice; name a file")


def _course(arguments: argparse.Namespace, progress: Progress, interrupt: Interrupt) -> tuple[Any, str, dict[str, Any]]:
    from . import inputs
    from .features import Features
    from .judging import loaded
    from .training import Course

    every = round(1 / arguments.held_out) if isinstance(arguments.held_out, float) else None
    if arguments.resume:
        _refuse_other_settings(arguments)
        model, features = loaded(arguments.resume)
        columns = None if features.encoder is None else features.encoder.columns
        if model.algorithm == "BatchPerceptron":
            raise CommandError("the batch perceptron learns from all rows at once and cannot go on with others")
        course = Course(
            arguments, arguments.files, columns, features.format, features, model.learner, model.algorithm,
            arguments.passes or 1, every, progress, interrupt, model.classes,
        )  # fmt: skip
        return course, model.algorithm, model.parameters
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
    features = Features.asked_for(columns, format, arguments)
    kind, parameters = algorithms.chosen(arguments, features.has_text)
    passes = arguments.passes or PASSES
    parameters |= {"max_iter": passes, "tol": arguments.tol, "random_state": arguments.seed}
    if kind != "BatchPerceptron":
        parameters["shuffle"] = not arguments.no_shuffle
    learner = algorithms.learner_of(kind, parameters)
    course = Course(
        arguments, arguments.files, columns, format, features, learner, kind, passes, every, progress, interrupt
    )
    course.first = stream
    return course, kind, parameters


def _refuse_other_settings(arguments: argparse.Namespace) -> None:
    """A model goes on as it began."""
    settings = ("algorithm", "C", "eta0", "margin", "beta", "average", "multiclass", "ties", "tol")
    for name in (*settings, "label", "text", "numeric", "categorical", "weight"):
        if getattr(arguments, name) is not None:
            spelled = {"C": "-C", "average": "--last"}.get(name, f"--{name}")
            raise CommandError(f"{spelled} does not go with --resume: the model goes on as it began")


def _held_out(course: Any) -> Any:
    """How the model does on rows that it did not learn from; None: nothing was held out."""
    from .judging import judged, opened_for
    from .training import kept

    arguments, features = course.arguments, course.features
    if arguments.held_out is None:
        return None
    files = arguments.files if course.every else [arguments.held_out]
    with opened_for(features, files, arguments, labelled=True) as stream:

        def blocks() -> Any:
            seen = 0
            for block in stream:
                part = kept(block, seen, course.every, held_out=True)
                seen += len(block)
                if len(part):
                    yield part

        return judged(features, course.learner, course.classes, blocks())


def _story(course: Any, streamed: bool, held_out: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """What was done, for the summary and the model file."""
    learner = course.learner
    first = course.mistakes[0] if course.mistakes else None
    return {
        "files": arguments.files,
        "resumed": arguments.resume,
        "rows": course.rows,
        "how": "block by block" if streamed else "in memory",
        "passes": len(course.mistakes),
        "mistakes": course.mistakes,
        "updates": learner.n_updates,
        "progressive_accuracy": None if first is None or not course.rows else 1 - first / course.rows,
        "verdict": learner.verdict,
        "held_out": None if held_out is None else held_out.document(),
        "skipped": course.skipped.count,
        "interrupted": course.interrupted,
    }


def _model(course: Any, kind: str, parameters: dict[str, Any], story: dict[str, Any]) -> Any:
    from ..model_files import Model
    from .features import SECTION

    extras = {SECTION: course.features.to_section(), "training": (story, {})}
    return Model(kind, parameters, course.learner, course.classes, None, extras)


def _summary(course: Any, story: dict[str, Any], kind: str, arguments: argparse.Namespace) -> None:
    from .inputs import guesses

    classes = [shown(label) for label in course.classes.tolist()]
    named = ", ".join(classes[:8]) + (f", … ({len(classes)} in all)" if len(classes) > 8 else "")
    rows = [
        ("data", f"{story['rows']:,} rows, {course.learner.n_features:,} features, classes {named}"),
        ("columns", guesses(course.columns)),
        (
            "learner",
            f"{kind}, {story['how']}, {several(story['passes'], 'pass', 'passes')}, {story['updates']:,} updates",
        ),
        ("mistakes", ", ".join(f"{n:,}" for n in story["mistakes"]) + " (in each pass)"),
        ("verdict", str(story["verdict"])),
    ]
    if story["progressive_accuracy"] is not None:
        share = story["progressive_accuracy"]
        rows.append(("progressive", f"{share:.2%} right on examples of the first pass before learning from them"))
    if story["held_out"] is not None:
        rows.append(("held out", f"{story['held_out']['accuracy']:.2%} right on {story['held_out']['rows']:,} rows"))
    rows.append(
        ("model", f"{arguments.output} ({os.path.getsize(arguments.output) / 1e6:,.1f} MB), {story['seconds']:.2f} s")
    )
    show(rows)
