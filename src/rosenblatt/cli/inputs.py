"""What commands read: files as blocks of rows, small files whole, models, and the labels of rows."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import data
from ..core import labels
from ..data import Block, Columns, Data, Stream
from ..data.blocks import joined
from ..data.chunks import Size, chunks
from ..data.csr import Csr
from ..data.encoder import hash_names
from ..data.memory_limit import MemoryLimit
from ..data.numbered import FIRST_ROWS, Density
from ..data.pipes import ReplayablePipe, identity, refuse_twice
from ..data.sources import IN_MEMORY, Source, expand, size_of
from ..errors import DataError
from ..schema import cut
from . import algorithms, options
from .parameters import OPTIONS, asked_for, spelled
from .terminal import CommandError, note, setting_of, several, shown

if TYPE_CHECKING:  # else when they are needed: files are opened first, and read while other modules are imported
    from ..model_files import Model
    from .features import Features

#: More different whole numbers than these may be the classes of labels, or the numbers of a regression.
MOST_NUMBERED = 50

#: Options that name columns.
COLUMN_OPTIONS = ("label", "text", "numeric", "categorical", "weight", "label_type", "drop")
#: And those that name columns of files of sentences.
SENTENCE_OPTIONS = ("tag", "columns", "tokens")


def format_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings of the format that options name."""
    settings: dict[str, Any] = {}
    if arguments.delimiter is not None:
        settings["delimiter"] = arguments.delimiter.replace("\\t", "\t")
    if arguments.zero_based not in (None, "auto"):
        settings["zero_based"] = arguments.zero_based == "yes"
    for name in ("header", "encoding_errors", "label_from"):
        if (choice := getattr(arguments, name)) is not None:
            settings[name] = choice
    return settings


def column_options(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """The columns that options name; None: all are to be guessed."""
    named = {option: value for option in COLUMN_OPTIONS if (value := getattr(arguments, option))}
    return named or None


def keep_pipes(arguments: argparse.Namespace, *files: str) -> None:
    """Buffer pipes and standard input, as they may be read more than once; refuse one that is named twice."""
    names = [name for file in files for name in expand(file)]
    refuse_twice(names)
    arguments.pipes = {name: ReplayablePipe(name) for name in names if identity(name) is not None}


def release_pipes(arguments: argparse.Namespace, files: Sequence[str]) -> None:
    """Stop buffering these: they are being read for the last time."""
    for name in expand(list(files)):
        if name in arguments.pipes:
            arguments.pipes[name].release()


def refuse_to_replace(path: str, inputs: Sequence[str]) -> None:
    """Refuse to write to a file that is read from, by whatever name."""
    if path == "-" or not os.path.exists(path):
        return
    for name in expand(list(inputs)):
        try:
            same = os.path.samestat(os.fstat(0), os.stat(path)) if name == "-" else os.path.samefile(path, name)
        except OSError:  # there is no such file, or standard input is closed
            continue
        if same:
            raise CommandError(
                f"{path}: this file is read from and would be overwritten; name another file to write to"
            )


def has_pipes(files: Sequence[str]) -> bool:
    """Whether some of the files are pipes, or standard input."""
    return any(identity(name) is not None for name in expand(list(files)))


def sources_of(files: Sequence[str], arguments: argparse.Namespace) -> list[Any]:
    """The files to read from their beginning: their names, or buffered pipes."""
    pipes = arguments.pipes
    return [pipes[name].open() if name in pipes else name for name in expand(list(files))]


def file_stamps(files: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Device, inode, size and time of each regular file: they change when it is written to or replaced."""
    stamps: dict[str, tuple[int, ...]] = {}
    for name in expand(list(files)):
        if os.path.isfile(name) and identity(name) is None:
            status = os.stat(name)
            stamps[name] = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return stamps


def open_files(
    files: Sequence[str],
    arguments: argparse.Namespace,
    columns: Columns | dict[str, Any] | None = None,
    *,
    format: Any = None,
) -> Stream:
    """The blocks of files; ``columns`` are those of a model, or those that options name."""
    settings = {} if format is not None else format_settings(arguments)
    try:
        return data.stream(
            sources_of(files, arguments),
            block_rows=arguments.block_rows,
            format=format or arguments.format,
            columns=columns,
            on_error=arguments.on_error,
            missing=arguments.missing,
            encoding=arguments.encoding,
            memory=arguments.memory,
            **settings,
        )
    except TypeError as error:  # an option that does not go with the format
        if isinstance(columns, Columns):
            wanted = ", ".join(columns.features[:6])
            raise CommandError(
                f"{', '.join(files)}: the model needs a table with the columns {wanted}; {error}"
            ) from None
        raise CommandError(str(error)) from None


def density(first: Block, format: Any, files: Sequence[str], arguments: argparse.Namespace) -> Density:
    """How dense the first rows of files of numbered features are, in whatever blocks they are read."""
    hashed = isinstance(format, data.VowpalWabbit)
    if len(first) >= FIRST_ROWS:
        return Density.of([first], hashed)
    again = argparse.Namespace(**{**vars(arguments), "block_rows": FIRST_ROWS})
    with open_files(files, again) as stream:
        return Density.of(stream, hashed)


def refuse_broken_text(text: str) -> None:
    """Refuse a text of the command line whose bytes are not UTF-8, for which Python puts lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise CommandError(f"{text!r} is neither a file nor UTF-8; give the text as UTF-8") from None


def read_whole(files: Sequence[str], arguments: argparse.Namespace) -> Data:
    """All rows of files at once."""
    return data.read(
        sources_of(files, arguments),
        format=arguments.format,
        on_error=arguments.on_error,
        encoding=arguments.encoding,
        memory=arguments.memory,
        **format_settings(arguments),
    )


def are_small(files: Sequence[str]) -> bool:
    """Whether files are small enough to be trained on in memory; a pipe counts as small."""
    return size_of(expand(list(files))) <= IN_MEMORY


# ---- labels --------------------------------------------------------------------------------------------------------


def targets_of(block: Block, regression: bool) -> Any:
    """The labels of a block, which must be there: classes, or the numbers of a regression."""
    try:
        return block.targets(regression)
    except DataError as error:
        if error.row is not None and error.remedy:  # which names classes of Python
            remedy = "for classes choose another {}" if regression else "say {}"
            error.at(remedy=remedy, parameter="algorithm", value=... if regression else algorithms.FOR_REGRESSION)
        raise


def are_fractions(labels: Any) -> bool:
    """Whether some label is a number that is not whole."""
    return labels is not None and labels.dtype.kind == "f" and bool((labels % 1 > 0).any())


def are_numbers(labels: Any, arguments: argparse.Namespace) -> bool:
    """Whether labels are the numbers of a regression; asks, where whole numbers may be that or classes."""
    if labels is None or arguments.algorithm or arguments.label_type not in (None, "number"):
        return are_fractions(labels)
    if arguments.label_type == "number" or are_fractions(labels):
        return True
    different = sorted(set(labels.tolist())) if labels.dtype.kind in "iuf" else []
    if len(different) > MOST_NUMBERED:
        said = f"the labels are {len(different):,} different whole numbers in the first rows"
        if different[0] not in (0, 1) or different[-1] - different[0] >= len(different):
            raise CommandError(
                f"{', '.join(arguments.files)}: {said}, which looks like a regression; say {{algorithm}} for a "
                "regression, or {algorithm_} for classes",
                algorithm=algorithms.FOR_REGRESSION, algorithm_=algorithms.FOR_NUMBERS,
            )  # fmt: skip
        regression = setting_of(arguments)("algorithm", algorithms.FOR_REGRESSION)
        note(f"{said}, and are taken for classes; for a regression say {regression}")
    return False


def are_text(labels: Any) -> bool:
    """Whether labels are text; in an array of objects the first one decides."""
    return labels.dtype.kind in "US" or (labels.dtype.kind == "O" and len(labels) > 0 and isinstance(labels[0], str))


def refuse_unlabelled(columns: Columns | None, files: Sequence[str]) -> None:
    """Refuse a table in which no column looks like the labels."""
    if columns is not None and not columns.label:
        raise CommandError(f"{', '.join(files)}: no column looks like the labels; name it with {{label}}", label=...)


def refuse_unique(classes: Any, n_rows: int, files: Sequence[str]) -> None:
    """Refuse labels of which each occurs once: none could be told from an example."""
    if len(classes) == n_rows > 2:
        raise CommandError(
            f"{', '.join(files)}: each of the {n_rows:,} rows has a label of its own; name the column of the "
            "classes with {label}, or for a regression say {algorithm}",
            label=..., algorithm=algorithms.FOR_REGRESSION,
        )  # fmt: skip


def refuse_one_class(classes: Any, files: Sequence[str], part: str = "") -> None:
    """Refuse labels that are all the same; ``part`` says of which rows, if not of all."""
    if len(classes) < 2:
        only = ", ".join(shown(label) for label in classes.tolist())
        which = f"all labels of the rows that are {part}" if part else "all labels"
        raise CommandError(f"{', '.join(files)}: {which} are the same, {only!r}; training needs at least two classes")


# ---- small files ---------------------------------------------------------------------------------------------------


class SmallData(NamedTuple):
    """All rows of small files, without empty columns."""

    csr: Csr
    labels: Any
    names: list[str] | None  # of the columns; None: they are numbered
    places: list[str]  # file and line of each row


def read_small(arguments: argparse.Namespace, most: int | None = None, regression: bool = False) -> SmallData:
    """Rows and classes of files, or numbers for a regression; refuses more than ``most`` rows."""
    keep_pipes(arguments, *arguments.files)
    with open_files(arguments.files, arguments, column_options(arguments)) as stream:
        refuse_unlabelled(stream.columns, arguments.files)
        holding = MemoryLimit(arguments.memory, "this command is for small files; say --memory SIZE to hold more")
        blocks, n = [], 0
        for part in stream:
            n += len(part)
            if most is not None and n > most:
                raise CommandError(f"{part.file(0)}: more than {most:,} rows; this command is for small files")
            holding.keep(2 * part.nbytes, len(part), part.file(0))  # and all of them in one
            blocks.append(part)
        block, columns, format = joined(blocks), stream.columns, stream.format
    from .features import Features

    y = targets_of(block, regression)
    if not regression:
        refuse_one_class(np.unique(y), arguments.files)
    features = Features.asked_for(columns, format, arguments)
    csr = features.rows(block, learn=True)
    places = [block.place(row) for row in range(len(block))]
    if features.encoder is None and csr.n_features <= 1000:
        return SmallData(csr, y, None, places)
    used, indices = np.unique(csr.indices, return_inverse=True)
    features.to_section()  # which waits until the words of all rows are named
    if isinstance(format, data.VowpalWabbit):
        features.hashed_names = hashed_names(sources_of(arguments.files, arguments), format)
    named = features.column_names(used.tolist())
    return SmallData(Csr(csr.indptr, indices.astype(csr.indices.dtype), csr.data, len(used)), y, named, places)


def hashed_names(sources: Sequence[Any], format: data.VowpalWabbit, rows: int | None = None) -> dict[int, list[str]]:
    """The names of features in files of Vowpal Wabbit's format, by the columns that they are hashed to.

    ``rows``: those of so many rows of each are enough.
    """
    from ..data.sparse_text import vowpal_wabbit_names

    hashed: dict[int, list[str]] = {}
    for place in sources:
        source = Source(place)
        chunk = next(chunks(source, None if rows is None else Size(rows)), None)
        names = [] if chunk is None else vowpal_wabbit_names(str(chunk.text, "utf-8", "replace"))
        source.close()
        for name, column in zip(names, hash_names(names).tolist()):
            same = hashed.setdefault(column % (1 << format.bits), [])
            same += [name] if name not in same else []
    return hashed


# ---- models --------------------------------------------------------------------------------------------------------


def load_model(path: str) -> tuple[Model, Features]:
    """A model of rows, and what makes them."""
    from .features import Features

    model = read_model(path)
    if is_tagger(model):
        raise CommandError(f"{path} is a tagger, which learns from sentences: these are rows")
    return model, Features.of_model(model, path)


def is_tagger(model: Model) -> bool:
    """Whether a model is for sentences."""
    return model.learner.space == "sequence"


def read_model(path: str) -> Model:
    """A model; refuses parameters that are not those of its learner."""
    from ..core.spec import Spec
    from ..model_files import learners, read, refusing

    model = read(path)
    with refusing(path):
        if model.algorithm not in {named.estimator for named in algorithms.ALGORITHMS.values()}:
            raise ValueError(f"{cut(model.algorithm)} is no learner")
        labels.check_class_weight(model.parameters.get("class_weight"))
        if not learners.are_compatible(Spec.of(model.algorithm, model.parameters).learner(), model.learner):
            raise ValueError(f"its learner is not that of a {model.algorithm}")
    return model


def refuse_other_settings(arguments: argparse.Namespace) -> None:
    """Refuse options that would change a model that is continued."""
    chosen = {"algorithm": arguments.algorithm, **asked_for(arguments)}
    chosen |= {name: getattr(arguments, name) for name in (*COLUMN_OPTIONS, *SENTENCE_OPTIONS)}
    for name, value in chosen.items():
        if value is not None:
            written = spelled(name, value) if name in OPTIONS else f"--{name.replace('_', '-')}"
            raise CommandError(f"{written} does not go with --resume: the model keeps its parameters and columns")
    for name, usual in options.encoding_defaults().items():
        if getattr(arguments, name) != usual:
            written = f"--{name.replace('_', '-')}"
            raise CommandError(f"{written} does not go with --resume: the model keeps its features")


def open_for_model(features: Features, files: Sequence[str], arguments: argparse.Namespace, labelled: bool) -> Stream:
    """The blocks of files that a model is used on."""
    columns = None
    if features.encoder is not None:
        features.encoder.missing = arguments.missing = arguments.missing or features.encoder.missing
        columns = features.encoder.columns if labelled else features.encoder.columns.without_label()
    arguments.missing = arguments.missing or "raise"
    known = features.format
    if known is None or arguments.format not in (None, known.name):
        return open_files(files, arguments, columns)
    return open_files(files, arguments, format=known)


def note_unseen(features: Features) -> dict[str, int]:
    """Say in how many rows a column has a category that the model has never met."""
    unseen = {} if features.encoder is None else {name: n for name, n in features.encoder.unseen.items() if n}
    for name, n in unseen.items():
        note(f"{several(n, 'row')} with a value of {name} that was not met in training")
    return unseen
