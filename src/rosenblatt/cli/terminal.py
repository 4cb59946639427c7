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
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import DataError, ParameterError

#: Exit codes. SIGTERM and SIGHUP end like Ctrl-C, with 143 and 129.
DONE, FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

_IN_OPTIONS = (
    (r"with rb\.data\.stream", "with --stream"),
    (r"block_rows=…", "--block-rows N"),
    (r"worker_timeout=…", "--worker-timeout S"),
    (r"in_memory=False", "--stream"),
    (r"; a script that starts them needs .*", ""),
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
    except (CommandError, ValueError, ImportError, MemoryError, OSError, KeyboardInterrupt, Abandoned) as raised:
        error: BaseException = raised
        if isinstance(raised, ImportError) and _ended_by:
            error = _with_code(KeyboardInterrupt(), 128 + _ended_by[-1])
        outcome.code = getattr(error, "code", INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED)
        complain(in_words(error), as_json)


def in_words(error: BaseException) -> str:
    """What went wrong, in one sentence."""
    if isinstance(error, (KeyboardInterrupt, Abandoned)):
        return "; ".join(["interrupted", *filter(None, [getattr(error, "left", "")])])
    if isinstance(error, MemoryError):
        return (
            f"there is not enough memory ({error}); --stream learns block by block" if str(error) else "out of memory"
        )
    sentence = error.worded(option) if isinstance(error, (DataError, ParameterError)) else str(error)
    if isinstance(error, OSError):
        if error.filename is None and error.errno == errno.EBADF:
            return "standard output is closed"
        where = "standard output: " if error.filename is None and error.errno in (errno.ENOSPC, errno.EIO) else ""
        where = where if error.filename is None else f"{error.filename}: "
        sentence = where + (error.strerror or str(error))
    return " ".join(in_options(sentence).split())


#: Settings of Python's whose option is not spelled as they are.
_OPTIONS = {
    "memory": "--memory SIZE",
    "columns": "--label NAME",
    "label_type": "--label-type text; if they are any numbers, --label-type number",
    "header": "header=False in Python",
}


def option(parameter: str, value: Any) -> str:
    """A setting of Python's as an option of the command line."""
    if parameter in _OPTIONS:
        return _OPTIONS[parameter]
    if isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, dict):
        value = ",".join(f"{key}={number}" for key, number in value.items())
    name = f"--{parameter.replace('_', '-')}"
    if value is None:
        return f"{name} out"
    words = shlex.quote(str(value).replace("\t", r"\t"))
    return f"{name} {words}"


def in_options(text: str) -> str:
    """What the library says in terms of Python, in terms of the command line."""
    for there, here in _IN_OPTIONS:
        text = re.sub(there, here, text)
    return text


def complain(sentence: str, as_json: bool = False) -> None:
    """One sentence on standard error; for machines on standard output too."""
    note(f"rosenblatt: {sentence}")
    try:
        if as_json:
            emit({"error": sentence})
        sys.stdout.flush()
    except OSError:  # there is nowhere to write to
        _discard_output()


def _discard_output() -> None:
    """Let nothing be flushed at exit into what takes nothing."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(sentence: str) -> None:
    """Something that the user should know, which is no error; where nobody listens, the work goes on."""
    with contextlib.suppress(OSError):
        print(in_options(sentence), file=sys.stderr, flush=True)


@contextlib.contextmanager
def beside(result: str, required: bool) -> Iterator[None]:
    """What is printed beside a result that is in a file, as ``result`` says.

    Where nobody takes it the result is there all the same, and that is no failure unless it was asked for (as JSON is).
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:  # it is not about standard output
            raise
        _discard_output()
        if required:
            raise (
                error if isinstance(error, BrokenPipeError) else CommandError(f"{in_words(error)}; {result}")
            ) from error
        if error.errno not in (errno.EPIPE, errno.EBADF):  # which were closed on purpose
            note(f"{in_words(error)}; {result}")


def emit(document: dict[str, Any]) -> None:
    """A result for machines; what is not finite is null, for JSON has no other word for it."""
    ascii_alone = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    print(json.dumps(_plain(document), ensure_ascii=ascii_alone, allow_nan=False))


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
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except OSError:  # the terminal is gone
            return
        while len(told) > 1 and len(", ".join(told)) >= columns:
            del told[1]
        self._write(", ".join(told)[: columns - 1])

    def line(self, text: str) -> None:
        """A line that stays."""
        if self._live:
            self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        except OSError:  # the terminal is gone; the work goes on
            self._live = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._last:
            self._write("")


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


# ---- a process ------------------------------------------------------------------------------------------------------


def take_over_streams() -> None:
    """Make the standard streams of this process such that nothing else falls into them or out of them.

    Of one that is closed (``<&-``, ``>&-``, ``2>&-``) the number would be that of the next file to be opened. Reading
    from standard input then says that it is closed, writing to standard output fails, and what would have been said on
    standard error is said nowhere. A character that a terminal cannot show is told by its number.
    """
    for number, how in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, how)  # which takes the lowest number that is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    with contextlib.suppress(AttributeError):  # whoever runs this has put something else in its place
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def end_on_signals() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, with its files put in order."""
    for number in _SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)


def _end(number: int, _: object) -> None:
    _ended_by.append(number)
    raise _with_code(KeyboardInterrupt(), 128 + number)


#: Signals that have ended this process: a module that was being imported may have made another error of it.
_ended_by: list[int] = []


#: What ends a command: Ctrl-C, SIGTERM, and the end of its terminal.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupt:
    """Ctrl-C (SIGTERM, SIGHUP) between steps and never within one: while it is held, it waits; the second one does not.

    One that is ignored, as under ``nohup``, stays ignored. ``left`` says what there is after an interrupt.
    """

    def __init__(self) -> None:
        self._held = self._asked = False
        self._before: dict[int, Any] = {}
        self.code = INTERRUPTED
        self.left = "nothing was written"

    def __enter__(self) -> Interrupt:
        heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        with contextlib.suppress(ValueError):  # not in the main thread: whoever runs this there stops it otherwise
            self._before = {number: signal.signal(number, self._hear) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _hear(self, number: int, _: object) -> None:
        self.code = 128 + number
        if not self._held:
            raise _with_code(KeyboardInterrupt(), self.code, self.left)
        if self._asked:
            raise _with_code(Abandoned(), self.code, self.left)
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
    def ignored(self, left: str) -> Iterator[None]:
        """A step that leaves this when it is done, and in which an interrupt comes too late."""
        self._held = True
        try:
            yield
            self.left = left
        finally:
            self._held = self._asked = False

    def check(self) -> None:
        """A place where it may stop."""
        if self._asked:
            self._asked = False
            raise _with_code(KeyboardInterrupt(), self.code, self.left)


def _with_code(error: BaseException, code: int, left: str = "") -> BaseException:
    error.code, error.left = code, left  # type: ignore[attr-defined]
    return error
