"""Files to blocks, as the options say."""

from __future__ import annotations

import argparse
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


def opened(files: Sequence[str], arguments: argparse.Namespace, columns: Any = None, *, format: Any = None) -> Stream:
    """The blocks of files."""
    from .. import data

    settings = {} if format is not None else settings_of(arguments)
    try:
        return data.stream(
            list(files),
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
        list(files), format=arguments.format, on_error=arguments.on_error, memory=arguments.memory, **settings
    )


def fit_in_memory(files: Sequence[str]) -> bool:
    """Whether files are small enough to be kept as rows; standard input counts as small."""
    from ..data.sources import IN_MEMORY, expand, size_of

    return size_of(expand(list(files))) <= IN_MEMORY


def labels_of(block: Block) -> Any:
    """The labels of a block, which must be there and be classes."""
    import numpy as np

    labels = _there(block)
    if labels.dtype.kind == "f":
        broken = np.flatnonzero(labels != np.round(labels))
        if len(broken):
            row = int(broken[0])
            raise CommandError(
                f"{block.place(row)}: the label {labels[row]:g} is a number of a regression and no class; "
                "say --algorithm pa2-regressor"
            )
    return labels


def targets_of(block: Block) -> Any:
    """The labels of a block as numbers to come near to."""
    import numpy as np

    labels = _there(block)
    if labels.dtype.kind in "US":
        for row, text in enumerate(labels.tolist()):
            try:
                float(text)
            except ValueError:
                raise CommandError(
                    f"{block.place(row)}: the label {text!r} is no number, and a regression needs numbers; for classes "
                    "choose another --algorithm"
                ) from None
    targets = labels.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(targets))
    if len(wrong):
        row = int(wrong[0])
        raise CommandError(f"{block.place(row)}: the label {labels[row]} is not a finite number")
    return np.ascontiguousarray(targets)


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


def _there(block: Block) -> Any:
    import numpy as np

    labels = block.labels
    if labels is None:
        raise CommandError(f"{block.file(0)}: there are no labels; name their column by --label")
    if labels.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(labels))
        if len(missing):
            raise CommandError(f"{block.place(int(missing[0]))}: the label is missing")
    return labels
