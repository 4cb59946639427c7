"""The command ``tune``: the features and the learner that do best on rows of files, then trained as ``train`` does."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import engine, labels
from ..core.spec import Spec
from ..data.blocks import mean_length
from ..data.memory_limit import MemoryLimitError
from ..errors import DataError, ParameterError, keyword
from ..model_files import write
from ..tables import Table
from ..tuning import choices, grids
from ..tuning.halving import Halving, Trial, as_record, budget_of, refuse
from ..tuning.judging import Candidate, Judge
from ..tuning.metrics import METRICS, metric_of
from ..tuning.sample import Sample, drawn
from . import algorithms, choosing, inputs, summary, train, training
from .features import Features
from .parameters import spelled_value, written
from .terminal import (
    DONE,
    CommandError,
    Interrupt,
    Interrupted,
    Progress,
    UsageError,
    emit,
    in_words,
    note,
    optional_output,
    several,
    show,
)
from .training import TrainingRun

#: Of rows that are compared on, at least so many bytes are taken whatever the budget.
BYTES = 1 << 22

#: Options of the search and of what is printed; they are left out of the command that trains the same model.
_OF_SEARCH = ("--budget", "--metric", "--grid")
_OF_OUTPUT = ("--json", "-q", "--quiet")


@dataclass
class Found:
    """What a search came to."""

    search: Halving
    interrupted: bool

    @property
    def best(self) -> Trial:
        return self.search.best

    @property
    def options(self) -> dict[str, Any]:
        """The options of the best configuration, passes among them."""
        return {**self.best.candidate.options, "passes": self.best.passes}


def run(arguments: argparse.Namespace) -> int:
    """Search, train with what was found, save the model and print what was tried."""
    with Interrupt() as interrupt:
        trained, record, fault = _tune(arguments, interrupt)
        saved, command = f"the model is in {arguments.output}", record["tuning"]["command"]
        if trained.interrupted:
            seen = f"interrupted after {trained.learner.visited:,} examples"
            note(f"{seen}; the model so far is in {arguments.output}, and all of it is made by: {command}")
        elif record["tuning"]["interrupted"]:
            note(f"interrupted; the best so far was trained, {saved}, and the same again by: {command}")
        with optional_output(saved, required=arguments.json):
            if arguments.json and fault is None:
                emit(record)
            elif not (arguments.json or arguments.quiet):
                table_of(record["tuning"]).show()
                print()
                again = "all of it" if trained.interrupted else "the same"
                show([*summary.lines(trained, record), (again, command)])
        if fault is not None:
            raise fault
    return interrupt.code if record["tuning"]["interrupted"] or trained.interrupted else DONE


def run_quietly(words: Sequence[str]) -> dict[str, Any]:
    """The record of the command with these words; what is wrong with them, or with the data, is a ValueError.

    Its sentence spells options as keywords of Python.
    """
    from .commands import parser

    arguments = argparse.Namespace(pipes={}, typed=list(words), setting=as_keyword)
    try:
        parser(["tune"]).parse_args(["tune", *words], arguments)
        with Interrupt() as interrupt:
            _, record, fault = _tune(arguments, interrupt)
            if fault is not None:
                raise fault
            return record
    except UsageError as error:
        wrong = error.__context__  # of one argument, else of all of them
        if not isinstance(wrong, argparse.ArgumentError) or wrong.argument_name is None:
            raise ValueError(str(error).rpartition("; ")[0]) from None
        name = wrong.argument_name.split("/")[0].lstrip("-").replace("-", "_")
        raise ValueError(f"{name}: {wrong.message}") from None
    except CommandError as error:
        raise ValueError(error.worded(as_keyword)) from None
    except DataError as error:
        settings = [_option_of(*one) for one in ((error.parameter, error.value), *error.others)]
        raise error.at(parameter=settings[0][0], value=settings[0][1], others=tuple(settings[1:])) from None
    finally:
        for pipe in arguments.pipes.values():
            pipe.close()


def as_keyword(parameter: str, value: Any) -> str:
    """A setting as it is given to `rb.tune`."""
    return keyword(*_option_of(parameter, value))


def _option_of(parameter: Any, value: Any) -> tuple[Any, Any]:
    """The option that a setting of the readers is: one of columns is an option of its own."""
    if parameter == "columns" and isinstance(value, Mapping) and len(value) == 1:
        [(parameter, value)] = value.items()
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
    return parameter, value


def option_strings() -> set[str]:
    """The options of the command, as they are typed."""
    from .commands import parser

    [commands] = [one for one in parser(["tune"])._actions if isinstance(one, argparse._SubParsersAction)]
    return {string for action in commands.choices["tune"]._actions for string in action.option_strings}


def _tune(
    arguments: argparse.Namespace, interrupt: Interrupt
) -> tuple[TrainingRun, dict[str, Any], CommandError | None]:
    """Search, train and save; the run, what it did, and why held-out rows were not evaluated, if they were to be."""
    began = time.monotonic()
    engine.keep_freed_memory()
    train.refuse_outputs(arguments)
    train.note_repeated(arguments)
    with Progress(not arguments.quiet) as progress:
        inputs.keep_pipes(arguments, *arguments.files, *train.held_out_files(arguments))
        asked = {name: value for name, value in vars(arguments).items() if value is not None}
        run = train.prepare(arguments, progress, interrupt, learner_for=_first_learner)
        found = search(run, asked)
        command = command_of(arguments.typed, found.options)
        interrupt.left = f"nothing was written; the best so far: {command}"
        choosing.apply(run, found.options)
        run, streamed = train.learn(run, arguments)
        if found.interrupted and run.interrupted:
            raise Interrupted(interrupt.code, interrupt.left)
        held_out, fault = train.evaluate_held_out(run)
        record = summary.record(run, streamed, held_out)
        record["tuning"] = as_record(found.search, arguments.search_budget, command, found.interrupted)
        saved = f"the model is in {arguments.output}"
        with interrupt.ignored(saved):
            write(arguments.output, train.model_of(run, record))
    record["seconds"] = round(time.monotonic() - began, 3)
    if run.fault is not None:
        raise CommandError(summary.fault_in_words(run))
    unjudged = (
        None
        if fault is None
        else CommandError(f"{in_words(fault, getattr(arguments, 'setting', None))}; {saved}, but it was not evaluated")
    )
    return run, record, unjudged


def search(run: TrainingRun, asked: Mapping[str, Any]) -> Found:
    """Compare the configurations of the grid on rows of the files; what options ``asked`` for is kept."""
    arguments = run.arguments
    if run.learner.space == "kernel":
        problem = "{algorithm} is not tuned; leave it out, or name a linear one"
        raise CommandError(problem, algorithm=arguments.algorithm)
    how = budget_of(arguments.search_budget)
    whole = inputs.are_small(arguments.files)
    try:
        blocks = choosing.training_rows(run, in_memory=whole)
    except MemoryLimitError as error:
        raise CommandError(
            f"{in_words(error.at(remedy=''))}, and tune holds all rows in memory; say {{memory}} to hold more, or "
            "tune on a part of the rows",
            memory=...,
        ) from None
    if not any(len(choosing.part_with_weight(run, block)) for block in blocks if len(block)):
        raise CommandError(f"{', '.join(arguments.files)}: {training.NO_WEIGHT}")
    n, size = sum(map(len, blocks)), sum(block.content for block in blocks)
    rows = how.rows(n, size)
    block = drawn(blocks, rows, max(BYTES, int(size * how.share) + 1) if rows < n else size + 1, arguments.seed)
    y = run.targets_of(block)
    classes = None if run.is_regression else labels.classes_of(y)
    if classes is not None:
        if whole:
            of_all = np.concatenate([run.targets_of(one) for one in blocks])
            training.refuse_other_classes(run, labels.classes_of(of_all))
        whole_is_more = rows < n or run.held_out is not None or block.weights is not None or run.unweighted
        inputs.refuse_one_class(classes, arguments.files, "compared on" if whole_is_more else "")
        inputs.refuse_unique(classes, len(y), arguments.files)
        training.refuse_many_classes(classes, arguments.files)
    metric = metric_of(arguments.metric, None if classes is None else len(classes))
    targets = y if classes is None else labels.encode(y, classes)
    sample = Sample(block, targets, classes, block.weights)
    candidates = _candidates(run, asked, how.candidates, block, n)
    refuse(candidates, how, len(y))

    def report(search: Halving) -> None:
        tried = search.ranked
        words = [f"{len(tried)} of {len(search.trials)} tried"]
        if tried:
            options = tried[0].candidate.options.items()
            words += [f"best {metric.shown(tried[0].value)}", ", ".join(written(*option) for option in options)]
        run.progress(*words, share=search.done / search.all, since=since)

    since = time.monotonic()
    judge = Judge(sample, metric, how.passes if arguments.passes is None else (arguments.passes,), run.interrupt.check)
    found, interrupted = Halving(judge, candidates, how.rungs, how.cuts, report), False
    try:
        found.run()
    except KeyboardInterrupt:
        if not found.ranked:
            raise
        interrupted = True
    return Found(found, interrupted)


def _candidates(run: TrainingRun, asked: Mapping[str, Any], most: int, block: Any, n_rows: int) -> list[Candidate]:
    """The configurations of the grid, with the features and the learner of each."""
    arguments = run.arguments
    kind, first, fixed = _kind_of(run, block, n_rows)
    made: list[Candidate] = []
    features: dict[Any, Features] = {}
    tried = grids.configurations(
        kind, arguments.grid, asked, first, fixed, most, no_shorter=len(block) < n_rows,
        refused={name for name in grids.algorithms_of(kind) if not _goes_with(name, arguments)},
    )  # fmt: skip
    for options in tried:
        own = argparse.Namespace(**{**vars(arguments), **options})
        key = tuple((name, options[name]) for name in sorted(options) if name not in ("algorithm", "C", "r", "epsilon"))
        if key not in features:
            features[key] = Features.asked_for(run.columns, run.format, own, run.features.density)
        passes = arguments.passes or grids.PASSES[0]
        name, parameters, _ = algorithms.for_training(own, features[key], run.is_regression, passes)
        made.append(Candidate(options, features[key], Spec.of(name, parameters)))
    return made


def _first_learner(
    arguments: argparse.Namespace, features: Features, numbers: bool, passes: int
) -> tuple[str, dict[str, Any], str]:
    """As `algorithms.for_training`, or where options that are named do not go with the default, the first that does."""
    try:
        return algorithms.for_training(arguments, features, numbers, passes)
    except (CommandError, ParameterError):
        kind = _kind(features, numbers)
        fit = [one["algorithm"] for one in grids.LEARNERS[kind] if _goes_with(one["algorithm"], arguments)]
        if arguments.algorithm is not None or not fit:
            raise
        arguments.algorithm = fit[0]
        return algorithms.for_training(arguments, features, numbers, passes)


def _kind(features: Features, numbers: bool) -> str:
    """The kind of the rows, of which the grid has options."""
    if numbers:
        return "regression"
    return "text" if features.has_text else "sparse" if features.are_sparse else "numbers"


def _goes_with(algorithm: str, arguments: argparse.Namespace) -> bool:
    """Whether an algorithm takes all options that are named."""
    try:
        Spec.of(*algorithms.chosen(arguments, algorithm))
    except (CommandError, ParameterError):
        return False
    return True


def _kind_of(run: TrainingRun, block: Any, n_rows: int) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The kind of the rows, what `train` would choose of them, and what they leave no choice of (`grids`)."""
    kind = _kind(run.features, run.is_regression)
    if not run.features.has_text:
        return kind, {}, {}
    first = choosing.choices_for(run, block, n_rows).options
    fixed: dict[str, Any] = {} if run.features.is_text else {"fit_intercept": None}
    if "analyzer" in first:
        fixed["analyzer"] = first["analyzer"]
    if first.get("analyzer", run.arguments.analyzer or "word") != "word":
        fixed |= {"ngrams": 3, "characters": "none"}
    elif mean_length(block, run.columns.text) > choices.SHORT:
        fixed["characters"] = "none"
    if kind == "text":
        return kind, first, fixed
    usual = {name: values[0] for name, values in grids.FEATURES["text"].items() if name in choosing.OF_TEXT}
    return kind, {}, {**usual, **{name: first[name] for name in usual if name in first}, **fixed}


def command_of(typed: Sequence[str], options: Mapping[str, Any]) -> str:
    """The command ``train`` that gives the same model: what was typed, without the options of the search, and these."""
    cut = typed.index("--") if "--" in typed else len(typed)  # behind it are files alone
    words: list[str] = []
    rest = iter(word for word in typed[:cut] if word not in _OF_OUTPUT)
    for word in rest:
        if word in _OF_SEARCH:
            next(rest, None)  # its value
        elif word.partition("=")[0] not in _OF_SEARCH:
            words.append(word)
    asked = {word.partition("=")[0] for word in words if word.startswith("-")}
    for name, value in options.items():
        new = written(name, value)
        if new.partition(" ")[0] not in asked:
            words += shlex.split(new)
    return shlex.join(["rosenblatt", "train", *words, *typed[cut:]])


def table_of(record: Mapping[str, Any]) -> Table:
    """What was tried, the best first, of the record of a search."""
    metric, tried = METRICS[record["metric"]], record["tried"]
    names = list(dict.fromkeys(name for trial in tried for name in trial["options"]))
    rows = [
        (
            "→" if place == record["chosen"] else "", metric.shown(trial["value"]),
            f"{trial['judged']:,}", f"{trial['learned']:,}", str(trial["passes"]),
            *(_cell(trial["options"].get(name)) for name in names),
        )
        for place, trial in enumerate(tried)
    ]  # fmt: skip
    title = f"{several(len(tried), 'configuration')} on {several(record['rows'], 'row')}, the best first"
    if record["chosen"]:
        title += "; →: the default, as no other is better by more than two standard errors"
    header = ("", metric.name, "on rows", "learned from", "passes", *(name.replace("_", " ") for name in names))
    return Table(header, rows, "l" + "r" * 4 + "l" * len(names), title=title)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return ("yes" if value else "no") if isinstance(value, bool) else spelled_value(value)
