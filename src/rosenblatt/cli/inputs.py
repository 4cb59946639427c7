"""Files to blocks, as the options say."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .terminal import CommandError

if TYPE_CHECKING:
    from ..data import Block, Data, Stream


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings of the format that options name."""
    found: dict[str, Any] = {}
    if arguments.delimiter is not None:
        found["delimiter"] = arguments.delimiter.replace("\\t", "\t")
    if arguments.zero_based not in (None, "auto"):
        found["zero_based"] = arguments.zero_based == "yes"
    if arguments.encoding_errors is not None:
        found["encoding_errors"] = arguments.encoding_errors
    return found


def columns_of(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """What the options say of columns."""
    told = {
        role: getattr(arguments, role)
        for role in ("label", "text", "numeric", "categorical", "weight", "label_type")
        if getattr(arguments, role, None)
    }
    return told or None


def keep_pipes(arguments: argparse.Namespace, *files: str) -> None:
    """Keep what comes through pipes and standard input, as it may be read more than once; refuse one named twice."""
    from ..data.pipes import ReplayablePipe, identity, refuse_twice
    from ..data.sources import expand

    names = [name for file in files for name in expand(file)]
    refuse_twice(names)
    arguments.kept = {name: ReplayablePipe(name) for name in names if identity(name) is not None}


def release_pipes(arguments: argparse.Namespace, files: Sequence[str]) -> None:
    """Keep no more of these: the reading that is under way is the last one."""
    from ..data.sources import expand

    for name in expand(list(files)):
        if name in _kept(arguments):
            _kept(arguments)[name].release()


def refuse_to_replace(path: str, inputs: Sequence[str]) -> None:
    """Refuse to write to a file that is read from, by whatever name."""
    from ..data.sources import expand

    if path == "-" or not os.path.exists(path):
        return
    for name in expand(list(inputs)):
        try:
            same = os.path.samestat(os.fstat(0), os.stat(path)) if name == "-" else os.path.samefile(path, name)
        except OSError:  # there is no such file, or standard input is closed
            continue
        if same:
            raise CommandError(f"{path}: it is read from, and would be replaced; name another file to write to")


def come_once(files: Sequence[str]) -> bool:
    """Whether some of the files are pipes, or standard input."""
    from ..data.pipes import identity
    from ..data.sources import expand

    return any(identity(name) is not None for name in expand(list(files)))


def sources_of(files: Sequence[str], arguments: argparse.Namespace) -> list[Any]:
    """The files, from their beginning: their names, or what was kept of them."""
    from ..data.sources import expand

    kept = _kept(arguments)
    return [kept[name].open() if name in kept else name for name in expand(list(files))]


def _kept(arguments: argparse.Namespace) -> dict[str, Any]:
    return getattr(arguments, "kept", {})  # by commands that read more than once


def stamps(files: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """What changes when a file is written to or replaced, of those that can be read again."""
    from ..data.pipes import identity
    from ..data.sources import expand

    found: dict[str, tuple[int, ...]] = {}
    for name in expand(list(files)):
        if os.path.isfile(name) and identity(name) is None:
            told = os.stat(name)
            found[name] = (told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns)
    return found


def opened(files: Sequence[str], arguments: argparse.Namespace, columns: Any = None, *, format: Any = None) -> Stream:
    """The blocks of files."""
    from .. import data

    settings = {} if format is not None else settings_of(arguments)
    try:
        return data.stream(
            sources_of(files, arguments),
            block_rows=arguments.block_rows,
            format=format or arguments.format,
            columns=columns,
            on_error=arguments.on_error,
            memory=arguments.memory,
            **settings,
        )
    except TypeError as error:  # an option that does not go with the format
        wanted = getattr(columns, "features", None)  # of a model
        needs = (
            f"{', '.join(files)}: the model needs a table with the columns {', '.join(wanted[:6])}; " if wanted else ""
        )
        raise CommandError(f"{needs}{error}") from None


def read_whole(files: Sequence[str], arguments: argparse.Namespace) -> Data:
    """The rows of files at once."""
    from .. import data

    settings = settings_of(arguments)
    return data.read(
        sources_of(files, arguments),
        format=arguments.format,
        on_error=arguments.on_error,
        memory=arguments.memory,
        **settings,
    )


def fit_in_memory(files: Sequence[str]) -> bool:
    """Whether files are small enough to be kept as rows; what comes through a pipe counts as small."""
    from ..data.sources import IN_MEMORY, expand, size_of

    return size_of(expand(list(files))) <= IN_MEMORY


def targets_of(block: Block, regression: bool) -> Any:
    """The labels of a block, which must be there: classes, or numbers to come near to."""
    from ..errors import DataError

    try:
        return block.targets(regression)
    except DataError as error:
        if error.row is not None and error.remedy:  # which names classes of Python
            error.at(remedy="for classes choose another --algorithm" if regression else "say --algorithm pa2-regressor")
        raise


def are_numbers_of_a_regression(block: Block) -> bool:
    """Whether some label is a number that is not whole."""
    return block.labels is not None and are_fractions(block.labels)


def are_fractions(labels: Any) -> bool:
    """Whether some label is a number that is not whole."""
    return labels.dtype.kind == "f" and bool((labels % 1 > 0).any())


def n_vectors_for(block: Block) -> int:
    """How many weight vectors the labels of the first rows ask for."""
    if block.labels is None or are_numbers_of_a_regression(block):
        return 1
    classes = len(set(block.labels.tolist()))  # np.unique would load NumPy's masked arrays
    return classes if classes > 2 else 1


def are_words(labels: Any) -> bool:
    """Whether labels are text; in an array of objects the first one tells."""
    return labels.dtype.kind in "US" or (labels.dtype.kind == "O" and len(labels) > 0 and isinstance(labels[0], str))
