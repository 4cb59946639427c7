"""The command ``convert``: files in another format."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from .. import data
from ..data.sources import expand
from ..data.writing import target_format
from .features import Features
from .inputs import column_options, format_settings, keep_pipes, open_files, refuse_to_replace
from .terminal import CommandError, emit, note, option, optional_output, say, several


def run(arguments: argparse.Namespace) -> None:
    """Write the rows of files to a new file."""
    refuse_to_replace(arguments.output, arguments.files)
    target = target_format(arguments.output, arguments.to, "to")
    columns, classes = column_options(arguments), arguments.classes
    keep_pipes(arguments, *arguments.files)
    if classes is None and target in ("svmlight", "vw"):
        classes = _number_labels(arguments, columns)
    files = [arguments.pipes.get(name, name) for name in expand(arguments.files)]

    def encoder(resolved: Any) -> Any:
        return Features.asked_for(resolved, None, arguments).encoder

    try:
        n, skipped = data.convert(
            files, arguments.output, to=target, block_rows=arguments.block_rows, classes=classes,
            encoder=encoder if target == "svmlight" else None, zero_based=arguments.output_zero_based,
            format=arguments.format, columns=columns, on_error=arguments.on_error,
            memory=arguments.memory, encoding=arguments.encoding, **format_settings(arguments),
        )  # fmt: skip
    except TypeError as error:  # an option that does not go with the format
        raise CommandError(str(error)) from None
    if skipped:
        note(skipped.worded(option))
    if arguments.output == "-":
        return
    dropped = f", without {', '.join(arguments.drop)}" if arguments.drop else ""
    result = f"{several(n, 'row')} written to {arguments.output}{dropped}"
    with optional_output(result, required=arguments.json):
        if arguments.json:
            emit({"rows": n, "skipped": skipped.count, "dropped": arguments.drop or []})
        else:
            say(result)


def _number_labels(arguments: argparse.Namespace, columns: Any) -> dict[Any, float] | None:
    """A number for each label that is text, in sorted order; None: they are numbers already."""
    met: set[str] = set()
    with open_files(arguments.files, arguments, columns) as stream:
        for block in stream:
            if block.labels is None or block.labels.dtype.kind not in "US":
                return None
            met.update(np.unique(block.labels).tolist())
    ordered = sorted(met)
    numbers = (-1.0, 1.0) if len(ordered) == 2 else map(float, range(len(ordered)))
    return dict(zip(ordered, numbers))
