"""The command ``rosenblatt``: from a file to a model, its predictions and its reasons. It needs no scikit-learn.

terminal.py     what is written where: progress, tables, errors, exit codes
options.py      options that commands share, and help that begins with an example
inputs.py       files to blocks, as the options say
features.py     blocks to rows of numbers, and all that it takes to make them again, kept in the model
algorithms.py   the learners by name
parameters.py   their parameters as options
training.py     learning from files, in memory or block by block
story.py        what training did, in words
judging.py      models on files: scores, and what they come to
reasons.py      what a score is the sum of
names.py        what the columns of a model are called
whole.py        small files at once, without columns that are empty

Each other module is a command.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Sequence

from .. import __version__
from .options import Parser
from .terminal import INTERRUPTED, end_on_signals, failures, take_over_streams

#: The commands, in the order in which help lists them.
COMMANDS = (
    "train", "predict", "evaluate", "explain", "inspect", "separable", "trace", "play", "convert", "demo", "completion",
)  # fmt: skip


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line, or, which takes less time, of one command."""
    made = Parser(
        prog="rosenblatt",
        example="rosenblatt train reviews.csv -o mood.model",
        description="Train, judge, explain and use models of the perceptron family from files.",
    )
    made.add_argument("--version", action="version", version=f"rosenblatt {__version__}")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name in COMMANDS if only is None else [only]:
        module = importlib.import_module(f".{name}", __name__)
        summary = (module.__doc__ or "").partition("\n")[0]
        own = commands.add_parser(name, help=summary, description=module.__doc__, example=module.EXAMPLE)
        module.add_options(own)
        own.set_defaults(run=module.run)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's idle threads are to sleep, not to spin
    with failures("--json" in words) as outcome:
        arguments = parser(words[0] if words and words[0] in COMMANDS else None).parse_args(words)
        try:
            outcome.code = arguments.run(arguments) or 0
        finally:
            for pipe in getattr(arguments, "kept", {}).values():
                pipe.close()
    return outcome.code


def run() -> None:
    """Run the command as a process of its own: quick to start and to end."""
    gc.set_threshold(100_000)  # or the many objects that imports make are looked through again and again
    take_over_streams()
    end_on_signals()
    try:
        code = main()
    except SystemExit as ended:  # --help and --version
        with failures() as outcome:
            outcome.code = ended.code if isinstance(ended.code, int) else 0
        code = outcome.code
    except KeyboardInterrupt as again:  # while the last words were said
        code = getattr(again, "code", INTERRUPTED)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)  # all is written, and taking Python apart takes its time


__all__ = ["COMMANDS", "INTERRUPTED", "main", "parser", "run"]
