"""The command ``rosenblatt``: from files to a model, its predictions and its explanations. It needs no scikit-learn.

commands.py     every command with its help and options; options.py  the options they share
algorithms.py   the learners by name; parameters.py  their parameters as options
terminal.py     output, progress, errors, exit codes, signals
inputs.py       files to blocks of rows, and models; kind_of_files.py  whether they hold rows or sentences
features.py     blocks to rows of numbers, and the names of their columns
choosing.py     what no option names, chosen on a part of the rows
training.py     training on one machine; cluster.py  on a cluster; summary.py  what training did, in words
sentences.py    files of sentences and taggers; tagger_training.py, tagger_summary.py, tagger_use.py  the same for them

Each other module is the command of its name. It is imported when that command runs.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Sequence

from .commands import COMMANDS, parser
from .terminal import INTERRUPTED, Interrupted, end_on_signals, failures, open_closed_streams


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's idle threads are to sleep, not to spin
    with failures("--json" in words) as outcome:
        arguments = parser(words).parse_args(words, argparse.Namespace(pipes={}, typed=words[1:]))
        command = importlib.import_module(f".{arguments.command}", __name__)
        try:
            outcome.code = command.run(arguments) or 0
        finally:
            for pipe in arguments.pipes.values():
                pipe.close()
    return outcome.code


def run() -> None:
    """Run the command as a process of its own: quick to start and to end."""
    gc.set_threshold(100_000)  # or the many objects that imports make are looked through again and again
    open_closed_streams()
    end_on_signals()
    try:
        code = main()
    except SystemExit as ended:  # --help and --version
        with failures() as outcome:
            outcome.code = ended.code if isinstance(ended.code, int) else 0
        code = outcome.code
    except KeyboardInterrupt as interrupt:  # while an error was being printed
        code = interrupt.code if isinstance(interrupt, Interrupted) else INTERRUPTED
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)  # everything is written, and an orderly shutdown of Python takes its time


__all__ = ["COMMANDS", "INTERRUPTED", "main", "parser", "run"]
