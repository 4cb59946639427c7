"""What is written where: progress and errors on standard error, results on standard output; exit codes.

Nothing but results and errors is written where standard error is no terminal.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

#: Exit codes. argparse uses 2 for a command line that it cannot read.
DONE, FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

#: What the library says in terms of Python, in terms of the command line.
_IN_OPTIONS = (
    (r"delimiter=", "--delimiter "),
    (r"zero_based=True", "--zero-based yes"),
    (r"missing='absent'", "--missing absent"),
    (r"label_type='text'", "--label-type text"),
    (r"for instance format='csv'", "for instance --format csv"),
    (r"say format='csv'", "say --format csv"),
    (r"name the label column", "name the label column, --label NAME"),
    (r"encoding_errors='replace'", "--encoding-errors replace"),
)


class CommandError(Exception):
    """What was asked for cannot be done: one sentence for the user."""


class Outcome:
    """How a command ended."""

    code = DONE


@contextlib.contextmanager
def failures() -> Iterator[Outcome]:
    """Errors of files, data and models as one sentence and an exit code; anything else is a fault of this program."""
    outcome = Outcome()
    try:
        yield outcome
        sys.stdout.flush()
    except (CommandError, ValueError, ImportError) as error:
        complain(str(error))
        outcome.code = FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that nothing is flushed into it at exit
        outcome.code = PIPE_CLOSED
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        complain(where + (error.strerror or str(error)))
        outcome.code = FAILED
    except KeyboardInterrupt:
        complain("interrupted; nothing was written")
        outcome.code = INTERRUPTED


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    for there, here in _IN_OPTIONS:
        sentence = re.sub(there, here, sentence)
    print(f"rosenblatt: {sentence}", file=sys.stderr, flush=True)


def note(sentence: str) -> None:
    """Something that the user should know, which is no error."""
    print(sentence, file=sys.stderr, flush=True)


def emit(document: dict[str, Any]) -> None:
    """A result for machines."""
    print(json.dumps(document, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def show(pairs: Sequence[tuple[str, str]]) -> None:
    """Lines of a name and what it is, below each other."""
    width = max((len(name) for name, value in pairs if value), default=0)
    for name, value in pairs:
        for i, line in enumerate(value.splitlines()):
            print(f"{'' if i else name:<{width}}  {line}")


def shown(label: Any) -> str:
    """A label as people write it: 1 and not 1.0."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def several(n: int, one: str, many: str) -> str:
    """A count with its noun."""
    return f"{n:,} {one if n == 1 else many}"


class Progress:
    """A line on a terminal that is written again and again, at most ten times a second."""

    def __init__(self, wanted: bool = True) -> None:
        self._live = wanted and sys.stderr.isatty()
        self._last = 0.0
        self.began = time.monotonic()

    def __call__(self, text: str, share: float | None = None) -> None:
        now = time.monotonic()
        if not self._live or now - self._last < 0.1:
            return
        self._last = now
        if share is not None and 0.02 < share <= 1:
            left = (now - self.began) * (1 - share) / share
            text += f", {share:.0%}, {left:.0f} s left"
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        sys.stderr.write(f"\r\x1b[K{text[: columns - 1]}")
        sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Interrupt:
    """Ctrl-C between steps and never within one: while it is held, it waits."""

    def __init__(self) -> None:
        self._held = self._asked = False

    def __enter__(self) -> Interrupt:
        with contextlib.suppress(ValueError):  # not in the main thread: whoever runs this there stops it otherwise
            self._before: Any = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ValueError, AttributeError):
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, *_: object) -> None:
        if self._held and not self._asked:  # asked twice it does not wait
            self._asked = True
            return
        raise KeyboardInterrupt

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep it until the end of this step."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.check()

    def check(self) -> None:
        """A place where it may stop."""
        if self._asked:
            self._asked = False
            raise KeyboardInterrupt
