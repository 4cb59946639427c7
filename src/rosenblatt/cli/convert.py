"""Write files in another format: svmlight, Vowpal Wabbit, CSV, TSV, JSON lines, Parquet or Arrow.

The format of the new file is told by its name. svmlight has numbers for columns and labels: words are hashed, and
labels are numbered in their order (two: -1 and 1) unless --classes says otherwise.
"""

from __future__ import annotations

import argparse
from typing import Any

from . import options
from .terminal import CommandError, beside, emit, note, option, several

EXAMPLE = "rosenblatt convert rows.svm.gz rows.parquet"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    options.add_files(parser)
    parser.add_argument("output", metavar="NEW", help="the new file, or - for standard output (with --to)")
    parser.add_argument("--to", choices=options.FORMATS, help="its format (told by its name)")
    parser.add_argument(
        "--classes", metavar="LABEL=N,…", type=_classes, help="the number of each label, for svmlight and vw"
    )
    parser.add_argument("--output-zero-based", action="store_true", help="count svmlight indices from 0")
    options.add_json(parser)
    options.add_columns(options.add_reading(parser))
    options.add_encoding(parser)
    parser.set_defaults(no_standardise=True, named_rows=0)


def _classes(text: str) -> dict[str, float]:
    try:
        return {name: float(number) for name, number in (pair.rsplit("=", 1) for pair in options.names(text))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list such as neg=-1,pos=1") from None


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from .. import data
    from ..data.writing import target_format
    from .features import Features
    from .inputs import columns_of, keep_pipes, refuse_to_replace, release_pipes, settings_of, sources_of

    refuse_to_replace(arguments.output, arguments.files)
    target = target_format(arguments.output, arguments.to, "to")
    columns, classes = columns_of(arguments), arguments.classes
    files: Any = arguments.files
    if classes is None and target in ("svmlight", "vw"):
        keep_pipes(arguments, *files)
        classes = _numbered(arguments, columns)
        files = sources_of(files, arguments)
        release_pipes(arguments, arguments.files)

    def encoder(resolved: Any) -> Any:
        return Features.asked_for(resolved, None, arguments).encoder

    try:
        n, skipped = data.convert(
            files, arguments.output, to=target, block_rows=arguments.block_rows, classes=classes,
            encoder=encoder if target == "svmlight" else None, zero_based=arguments.output_zero_based,
            format=arguments.format, columns=columns, on_error=arguments.on_error,
            memory=arguments.memory, **settings_of(arguments),
        )  # fmt: skip
    except TypeError as error:  # an option that does not go with the format
        raise CommandError(str(error)) from None
    if skipped:
        note(skipped.worded(option))
    if arguments.output == "-":
        return
    told = f"{several(n, 'row')} in {arguments.output}"
    with beside(told, required=arguments.json):
        if arguments.json:
            emit({"rows": n, "skipped": skipped.count})
        else:
            print(told)


def _numbered(arguments: argparse.Namespace, columns: Any) -> dict[Any, float] | None:
    """A number for each label that is a word, in their order; None: they are numbers already."""
    import numpy as np

    from .inputs import opened

    met: set[str] = set()
    with opened(arguments.files, arguments, columns) as stream:
        for block in stream:
            if block.labels is None or block.labels.dtype.kind not in "US":
                return None
            met.update(np.unique(block.labels).tolist())
    ordered = sorted(met)
    numbers = (-1.0, 1.0) if len(ordered) == 2 else map(float, range(len(ordered)))
    return dict(zip(ordered, numbers))
