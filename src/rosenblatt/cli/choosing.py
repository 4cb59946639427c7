"""Features and parameters that no option names, chosen on a part of the training rows (`tuning.choices`)."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import labels
from ..core.spec import Spec
from ..data import Block
from ..data.blocks import beginning, mean_length
from ..data.memory_limit import STREAM_INSTEAD, MemoryLimit
from ..errors import DataError
from ..text.defaults import analyzer_for
from . import algorithms
from .features import Features
from .terminal import CommandError
from .training import TrainingRun, weights_of

if TYPE_CHECKING:
    from ..tuning.choices import Choices
    from ..tuning.judging import Candidate

#: Options of text that are chosen.
OF_TEXT = ("ngrams", "characters", "weighting")


def settle_supervision(arguments: argparse.Namespace, numbers: bool) -> None:
    """N-grams are weighed by the classes, where there are classes, unless an option says otherwise."""
    if arguments.supervised and numbers:
        problem = "{supervised} weighs n-grams by classes, and the labels are numbers; leave it out"
        raise CommandError(problem, supervised=True)
    if arguments.supervised is None:
        arguments.supervised = not numbers


def choose(run: TrainingRun, *, in_memory: bool) -> None:
    """Choose what options leave open of how text is read and learned from; the features and the learner are made anew.

    In memory on rows drawn from all of them, which are read for it and kept; else on the first ones.
    """
    if run.begun or run.columns is None or not run.columns.text:
        run.features.populate()
        return
    if _undecided(run):
        from ..tuning import choices  # which takes its time, and is not for runs whose options say it all
        from ..tuning.sample import drawn

        blocks = training_rows(run, in_memory)
        n_rows = sum(map(len, blocks))
        sample = drawn(blocks, choices.ROWS, choices.BYTES, run.arguments.seed)
        run.choices = choices_for(run, sample, n_rows if in_memory else 0)
        apply(run, run.choices.options)
    run.features.populate()


def _undecided(run: TrainingRun) -> set[str]:
    """The options that are compared and that nobody has named."""
    undecided = {name for name in OF_TEXT if getattr(run.arguments, name) is None}
    if run.arguments.algorithm is None and run.arguments.C is None and not run.is_regression:
        undecided.add("C")
    return undecided


def training_rows(run: TrainingRun, in_memory: bool) -> list[Block]:
    """All rows with weight, or the first ones, that are trained on; the blocks are put back to be read from."""
    if in_memory:
        holding = MemoryLimit(run.arguments.memory, STREAM_INSTEAD)
        known = len(run.ahead)
        for number, block in enumerate(chain([*run.ahead], run.first)):
            holding.keep(3 * block.nbytes, len(block), block.file(0))  # the text, and the rows that are made of it
            run.interrupt.check()
            if number >= known:
                run.ahead.append(block)
            run.progress("reading", share=run.first.progress)
    blocks = list(run.ahead)
    if run.held_out is not None:
        if in_memory:
            run.held_out.refuse_none(sum(map(len, blocks)), "row")
        ends = np.cumsum([0, *map(len, blocks)]).tolist()
        blocks = [run.held_out.part(block, start, held_out=False) for block, start in zip(blocks, ends)]
    weighted = [part_with_weight(run, block) for block in blocks]
    return weighted if any(map(len, weighted)) else blocks  # which training refuses


def part_with_weight(run: TrainingRun, block: Block) -> Block:
    """The rows of a block that have weight, and are of a class that has."""
    weight = block.weights
    if isinstance(run.parameters.get("class_weight"), dict):
        with contextlib.suppress(DataError):  # of a label, which training tells
            weight = weights_of(run, run.targets_of(block), weight)
        run.arguments.class_weight = run.parameters["class_weight"]  # by labels as the file has them
    return block if weight is None else block.taken(np.flatnonzero(weight > 0))


def choices_for(run: TrainingRun, block: Block, n_rows: int) -> Choices:
    """What some of so many rows, in a random order, decide; nothing where they cannot."""
    from ..tuning import choices
    from ..tuning.judging import Candidate
    from ..tuning.sample import Sample

    arguments, nothing, undecided = run.arguments, choices.Choices(), _undecided(run)
    block = block.taken(np.arange(min(len(block), choices.ROWS)))
    try:
        y = run.targets_of(block)
    except (CommandError, DataError):
        return nothing  # training says where
    options, reason = by_script(arguments, beginning(block, run.columns.text))
    if options:
        nothing.options |= options
        nothing.reasons.append(reason)
    if options or (arguments.analyzer or "word") != "word":
        undecided = undecided - {"characters", "ngrams"}
    length = mean_length(block, run.columns.text)
    classes = None if run.is_regression else labels.classes_of(y)
    of_one_class = classes is not None and len(classes) < 2
    if of_one_class or len(y) < choices.LEAST_ROWS:
        few = f"there are fewer than {choices.LEAST_ROWS} rows to look at"
        nothing.reasons.append(
            f"no comparison, as {'the rows looked at are all of one class' if of_one_class else few}"
        )
        if "characters" in undecided:
            nothing.options |= choices.uncompared(length)
        return nothing
    targets = y if classes is None else labels.encode(y, classes)
    sample = Sample(block, targets, classes, block.weights)
    features: dict[Any, Features] = {}

    def make(options: Mapping[str, Any]) -> Candidate:
        run.interrupt.check()
        run.progress("choosing", ", ".join(f"{name} {value}" for name, value in options.items()))
        asked = argparse.Namespace(**{**vars(arguments), **nothing.options, **options})
        key = tuple(options.get(name) for name in OF_TEXT)
        if key not in features:
            features[key] = Features.asked_for(run.columns, None, asked)
        kind, parameters, _ = algorithms.for_training(
            asked, features[key], run.is_regression, min(run.passes, choices.PASSES)
        )
        return Candidate(options, features[key], Spec.of(kind, parameters))

    chooser = choices.Chooser(sample, make, min(run.passes, choices.PASSES), run.interrupt.check)
    chooser.choices.options |= nothing.options
    chooser.choices.reasons += nothing.reasons
    try:
        return choices.choose_for_text(chooser, undecided, length, n_rows)
    except DataError:
        return nothing  # training says where


def apply(run: TrainingRun, options: Mapping[str, Any]) -> None:
    """Make the features and the learner by these options, too."""
    for name, value in options.items():
        setattr(run.arguments, name, value)
    run.passes = options.get("passes", run.passes)
    run.features = Features.asked_for(run.columns, run.format, run.arguments, run.features.density)
    run.name, run.parameters, run.why = algorithms.for_training(
        run.arguments, run.features, run.is_regression, run.passes
    )
    run.__dict__.pop("spec", None)
    run.learner = run.spec.learner()


def by_script(arguments: argparse.Namespace, text: str) -> tuple[dict[str, Any], str]:
    """The options that the script of a text decides, and why, unless an option speaks of how it is read."""
    if arguments.analyzer is not None or arguments.ngrams is not None or _names_words(arguments):
        return {}, ""
    analyzer, reason = analyzer_for(text)
    return ({}, "") if analyzer == "word" else ({"analyzer": analyzer, "characters": "none"}, reason)


def _names_words(arguments: argparse.Namespace) -> bool:
    """Whether an option speaks of words."""
    named = (arguments.symbols, arguments.min_length, arguments.characters, arguments.negation or None)
    return any(value is not None for value in named)
