"""What is written where: progress and errors on standard error, results on standard output; exit codes.

Nothing but results and errors is written where standard error is no terminal.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

#: Exit codes. SIGTERM ends like Ctrl-C, with 143.
DONE, FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

_IN_OPTIONS = (
    (r"by rb\.data\.stream, or say memory=… to hold more", "by --stream, or say --memory SIZE to hold more"),
    (
        r"say a smaller block_rows, or memory=… to hold more",
        "say a smaller --block-rows, or --memory SIZE to hold more",
    ),
    (r"delimiter=", "--delimiter "),
    (r"zero_based=True", "--zero-based yes"),
    (r"missing='absent'", "--missing absent"),
    (r"say label_type='text'", "say --label-type text; if they are any numbers, --label-type number"),
    (r"for instance format='csv'", "for instance --format csv"),
    (r"say format='csv'", "say --format csv"),
    (r"name the label column", "name the label column, --label NAME"),
    (r"encoding_errors='replace'", "--encoding-errors replace"),
    (r"got np.str_\((.*?)\); say which number each is, .*", r"got \1; say which number each is by --classes"),
    (r"leave (\w+)=None", r"leave --\1 out"),
    (r"\b(multiclass|ties|readout|kernel|gamma|init|budget_policy)='([\w+-]+)'", r"--\1 \2"),
    (r"--budget_policy", "--budget-policy"),
)


class CommandError(Exception):
    """What was asked for cannot be done: one sentence for the user."""


class UsageError(CommandError):
    """The command line cannot be read."""

    code = USAGE


class Outcome:
    """How a command ended."""

    code = DONE


class Abandoned(BaseException):
    """Interrupted for the second time: not even what is under way is to be finished."""


@contextlib.contextmanager
def failures(as_json: bool = False) -> Iterator[Outcome]:
    """Errors of files, data and models as one sentence and an exit code; anything else is a fault of this program."""
    outcome = Outcome()
    try:
        yield outcome
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        outcome.code = PIPE_CLOSED
    except (CommandError, ValueError, ImportError, MemoryError, OSError, KeyboardInterrupt, Abandoned) as error:
        outcome.code = getattr(error, "code", INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED)
        complain(in_words(error), as_json)


def in_words(error: BaseException) -> str:
    """What went wrong, in one sentence."""
    if isinstance(error, (KeyboardInterrupt, Abandoned)):
        return "interrupted; nothing was written"
    if isinstance(error, MemoryError):
        return (
            f"there is not enough memory ({error}); --stream learns block by block" if str(error) else "out of memory"
        )
    sentence = str(error)
    if isinstance(error, OSError):
        where = "standard output: " if error.filename is None and error.errno == errno.ENOSPC else ""
        where = where if error.filename is None else f"{error.filename}: "
        sentence = where + (error.strerror or str(error))
    return " ".join(in_options(sentence).split())


def in_options(text: str) -> str:
    """What the library says in terms of Python, in terms of the command line."""
    for there, here in _IN_OPTIONS:
        text = re.sub(there, here, text)
    return text


def complain(sentence: str, as_json: bool = False) -> None:
    """One sentence on standard error; for machines on standard output too."""
    print(f"rosenblatt: {sentence}", file=sys.stderr, flush=True)
    try:
        if as_json:
            emit({"error": sentence})
        sys.stdout.flush()
    except OSError:  # there is nowhere to write to
        _discard_output()


def _discard_output() -> None:
    """Let nothing be flushed at exit into what takes nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(sentence: str) -> None:
    """Something that the user should know, which is no error."""
    print(in_options(sentence), file=sys.stderr, flush=True)


def emit(document: dict[str, Any]) -> None:
    """A result for machines; what is not finite is null, for JSON has no other word for it."""
    print(json.dumps(_plain(document), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


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


def several(n: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


class Progress:
    """A line on a terminal that is written again and again, at most ten times a second."""

    def __init__(self, wanted: bool = True) -> None:
        self._live = wanted and sys.stderr.isatty()
        self._last = 0.0
        self.began = time.monotonic()

    def __call__(self, *parts: str, share: float | None = None, since: float | None = None) -> None:
        """Tell of what is going on, and that this share of it was done since a time.

        Where the line is too narrow, the first part and the last ones have precedence.
        """
        now = time.monotonic()
        if not self._live or now - self._last < 0.1:
            return
        self._last = now
        told = list(parts)
        if share is not None and 0.02 < share <= 1:
            told.insert(1, f"{share:.0%}")
            told.append(_duration((now - (since or self.began)) * (1 - share) / share) + " left")
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        while len(told) > 1 and len(", ".join(told)) >= columns:
            del told[1]
        sys.stderr.write(f"\r\x1b[K{', '.join(told)[: columns - 1]}")
        sys.stderr.flush()

    def line(self, text: str) -> None:
        """A line that stays."""
        if self._live:
            sys.stderr.write(f"\r\x1b[K{text}\n")
            sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Interrupt:
    """Ctrl-C, or SIGTERM, between steps and never within one: while it is held, it waits; the second one does not."""

    def __init__(self) -> None:
        self._held = self._asked = False
        self._before: dict[int, Any] = {}
        self.code = INTERRUPTED

    def __enter__(self) -> Interrupt:
        with contextlib.suppress(ValueError):  # not in the main thread: whoever runs this there stops it otherwise
            self._before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _hear(self, number: int, _: object) -> None:
        self.code = 128 + number
        if not self._held:
            raise _with_code(KeyboardInterrupt(), self.code)
        if self._asked:
            raise _with_code(Abandoned(), self.code)
        self._asked = True

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep it until the end of this step."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.check()

    @contextlib.contextmanager
    def ignored(self) -> Iterator[None]:
        """A last step: once it is done there is nothing left to interrupt."""
        self._held = True
        yield
        self._asked = False

    def check(self) -> None:
        """A place where it may stop."""
        if self._asked:
            self._asked = False
            raise _with_code(KeyboardInterrupt(), self.code)


def _with_code(error: BaseException, code: int) -> BaseException:
    error.code = code  # type: ignore[attr-defined]
    return error
