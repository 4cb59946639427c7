"""Results on standard output, progress and errors on standard error; exit codes and signals.

Progress is shown only where standard error is a terminal.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import DataError, ParameterError, SettingsError, WordedError, keyword

#: Exit codes. SIGTERM and SIGHUP end like Ctrl-C, with 143 and 129.
DONE, FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141


class CommandError(SettingsError):
    """A command cannot be carried out: one sentence for the user.

    A parameter that it names twice, with other values, has ``_`` behind it the second time.
    """

    code = FAILED

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        return super().worded(lambda name, value: setting(name.rstrip("_"), value))


class UsageError(CommandError):
    """The command line is wrong."""

    code = USAGE


class Interrupted(KeyboardInterrupt):
    """Ended by a signal: the exit code, and a sentence about what is left behind."""

    def __init__(self, code: int = INTERRUPTED, left: str = "") -> None:
        super().__init__(code, left)
        self.code, self.left = code, left


class Abandoned(BaseException):
    """Interrupted for the second time: not even the step under way is finished."""

    def __init__(self, code: int, left: str) -> None:
        super().__init__(code, left)
        self.code, self.left = code, left


class Outcome:
    """How a command ended."""

    code = DONE


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
    except (
        CommandError,
        ValueError,
        ImportError,
        MemoryError,
        OSError,
        WordedError,
        KeyboardInterrupt,
        Abandoned,
    ) as raised:
        error: BaseException = raised
        if isinstance(raised, ImportError) and _ended_by:
            error = Interrupted(128 + _ended_by[-1])
        if isinstance(error, (CommandError, Interrupted, Abandoned)):
            outcome.code = error.code
        else:
            outcome.code = INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED
        report_error(in_words(error), as_json)


def in_words(error: BaseException, setting: Callable[[str, Any], str] | None = None) -> str:
    """What went wrong, in one sentence; ``setting`` as in `DataError.worded`, None: options are spelled."""
    if isinstance(error, (Interrupted, Abandoned)) and error.left:
        return f"interrupted; {error.left}"
    if isinstance(error, (KeyboardInterrupt, Abandoned)):
        return "interrupted"
    if isinstance(error, MemoryError):
        return (
            f"there is not enough memory ({error}); --stream learns block by block" if str(error) else "out of memory"
        )
    if isinstance(error, DataError) and setting is None:
        from ..data.formats import AS_SENTENCES  # loaded long since, if there was data
        from ..data.memory_limit import SMALLER_BLOCKS, STREAM_INSTEAD
        from ..data.sentence_files import SMALLER_PARTS
        from ..data.sentence_files import STREAM_INSTEAD as STREAM_SENTENCES

        options = {
            STREAM_SENTENCES: "read some at a time with --stream, or hold more with {}",
            SMALLER_PARTS: "hold more with {}",
            AS_SENTENCES: "those are for taggers, which train makes of such files unless an option such as --algorithm "
            "or --label asks for rows; say {} if it is a table",
            STREAM_INSTEAD: "read block by block with --stream, or hold more with {}",
            SMALLER_BLOCKS: "make blocks smaller with --block-rows N, or hold more with {}",
        }
        error.at(remedy=options.get(error.remedy, error.remedy))
    sentence = error.worded(setting or option) if isinstance(error, WordedError) else str(error)
    if setting is None and isinstance(error, ParameterError) and sentence.startswith(f"{error.parameter} "):
        from .parameters import spelled

        sentence = spelled(error.parameter, None) + sentence[len(error.parameter) :]
    if isinstance(error, OSError):
        if error.filename is None and error.errno == errno.EBADF:
            return "standard output is closed"
        where = "standard output: " if error.filename is None and error.errno in (errno.ENOSPC, errno.EIO) else ""
        where = where if error.filename is None else f"{error.filename}: "
        sentence = where + (error.strerror or str(error))
    return " ".join(sentence.split())


#: Settings of Python's whose option is not spelled as they are.
_OPTIONS = {
    "memory": "--memory SIZE",
    "columns": "--label NAME",
    "label_type": "--label-type text; if they are any numbers, --label-type number",
    "worker_timeout": "--worker-timeout S",
    "in_memory": "--stream",
    "client": "leave out --workers",
}
#: And those of files of sentences; columns of a table are a dict.
_OF_SENTENCES = {"columns": "--columns COLUMNS", "tag": "--tag N", "tags": "--tag NAME", "tokens": "--tokens NAME",
                 "separator": "--delimiter ' '"}  # fmt: skip
#: And those of any value.
_ANY = {
    "margins": "--margins M,M,…",
    "classes": "leave out --stream, or have rows of each class in the first block",
}


def option(parameter: str, value: Any) -> str:
    """A setting of Python's as an option of the command line."""
    import shlex  # for sentences alone

    if parameter == "columns" and isinstance(value, dict) and "label" not in value:
        named = {kind: names if isinstance(names, str) else ",".join(names) for kind, names in value.items()}
        return " ".join(f"--{kind.replace('_', '-')} {shlex.quote(names)}" for kind, names in named.items())
    if parameter in _OF_SENTENCES and not isinstance(value, dict):
        return _OF_SENTENCES[parameter]
    if parameter in _OPTIONS:
        return _OPTIONS[parameter]
    if parameter == "header":
        return "--header" if value else "--no-header"
    if value is ... and parameter in _ANY:
        return _ANY[parameter]
    if value is ... or (isinstance(value, bool) and parameter != "zero_based"):
        from .parameters import spelled

        return spelled(parameter, value)
    if isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, dict):
        value = ",".join(f"{key}={number}" for key, number in value.items())
    name = f"--{parameter.replace('_', '-')}"
    if value is None:
        return f"{name} out"
    words = shlex.quote(str(value).replace("\t", r"\t"))
    return f"{name} {words}"


def setting_of(arguments: argparse.Namespace) -> Callable[[str, Any], str]:
    """What words settings for whoever gave these: as options, unless they came from Python."""
    setting: Callable[[str, Any], str] = getattr(arguments, "setting", option)
    return setting


def report_error(sentence: str, as_json: bool = False) -> None:
    """One sentence on standard error; for machines on standard output too."""
    note(f"rosenblatt: {sentence}")
    try:
        if as_json:
            emit({"error": sentence})
        sys.stdout.flush()
    except OSError:  # there is nowhere to write to
        _discard_output()


def _discard_output() -> None:
    """Point standard output at the null device, so that no flush at exit fails again."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(sentence: str) -> None:
    """A warning or remark on standard error; if that is closed, the work goes on."""
    with contextlib.suppress(OSError):
        print(printable(sentence), file=sys.stderr, flush=True)


@contextlib.contextmanager
def optional_output(result: str, required: bool) -> Iterator[None]:
    """Print a summary beside a result that is in a file, as the sentence ``result`` says.

    If standard output cannot be written to, the result is there all the same: a failure only if what is printed was
    asked for (as JSON is).
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
    """A result as JSON; numbers that are not finite become null, as JSON has none."""
    import json  # which few results need

    ascii_alone = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    print(json.dumps(_plain(document), ensure_ascii=ascii_alone, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if type(value).__module__ == "numpy":  # which is not imported for it
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def on_one_line(text: str) -> str:
    """A name or a line for people: control characters are shown escaped."""
    if text.isprintable():  # as nearly all are, without an import
        return text
    from ..tables import visible

    return visible(text)


def printable(text: str) -> str:
    """Lines for people: control characters are shown escaped."""
    return "\n".join(map(on_one_line, text.split("\n")))


def say(text: str = "") -> None:
    """Print lines for people."""
    print(printable(text))


def show(pairs: Sequence[tuple[str, str]]) -> None:
    """Print pairs of a name and a text as two aligned columns; pairs without text are left out."""
    width = max((len(name) for name, value in pairs if value), default=0)
    for name, value in pairs:
        for i, line in enumerate(value.split("\n") if value else ()):
            say(f"{'' if i else name:<{width}}  {line}")


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
    """A progress line on a terminal, rewritten at most ten times a second."""

    def __init__(self, wanted: bool = True) -> None:
        self._live = wanted and sys.stderr.isatty()
        self._last = 0.0
        self.began = time.monotonic()

    def __call__(self, *parts: str, share: float | None = None, since: float | None = None) -> None:
        """Show these parts, with the share that is done and the time left, by the time since ``since``.

        Where the line is too narrow, the first part and the last ones are kept.
        """
        now = time.monotonic()
        if not self._live or now - self._last < 0.1:
            return
        self._last = now
        words = list(parts)
        if share is not None and 0.02 < share <= 1:
            words.insert(1, f"{share:.0%}")
            words.append(_duration((now - (since or self.began)) * (1 - share) / share) + " left")
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except OSError:  # the terminal is gone
            return
        while len(words) > 1 and len(", ".join(words)) >= columns:
            del words[1]
        self._write(", ".join(words)[: columns - 1])

    def through(self, stream: Any, noun: str) -> Iterator[Any]:
        """The parts of a stream, while a line tells how many rows or sentences were read."""
        n = 0
        for part in stream:
            n += len(part)
            self(f"{n:,} {noun}", share=stream.progress)
            yield part

    def line(self, text: str) -> None:
        """A line that stays."""
        if self._live:
            self._write(text, end="\n")

    def _write(self, text: str, end: str = "") -> None:
        try:
            sys.stderr.write(f"\r\x1b[K{printable(text)}{end}")
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


def open_closed_streams() -> None:
    """Open the null device for each standard stream that is closed (``<&-``, ``>&-``, ``2>&-``).

    The next file to be opened would get its number otherwise. Reading from standard input then says that it is closed,
    writing to standard output fails, and standard error is discarded. Characters that the terminal's encoding does not
    have are printed as escapes.
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
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, with unfinished files removed."""
    for number in _SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)


def _end(number: int, _: object) -> None:
    _ended_by.append(number)
    raise Interrupted(128 + number)


#: Signals received: a module that was being imported may have turned the interrupt into an ImportError.
_ended_by: list[int] = []


#: Signals that end a command: Ctrl-C, SIGTERM, and the end of its terminal. Windows has no SIGHUP.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupt:
    """Defers Ctrl-C, SIGTERM and SIGHUP to the end of the step under way; a second one ends the command at once.

    A signal that is ignored, as under ``nohup``, stays ignored. ``left`` says what an interrupt leaves behind.
    """

    def __init__(self) -> None:
        self._held = self._asked = False
        self._before: dict[int, Any] = {}
        self.code = INTERRUPTED
        self.left = "nothing was written"

    def __enter__(self) -> Interrupt:
        handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        with contextlib.suppress(ValueError):  # not in the main thread: whoever runs this there stops it otherwise
            self._before = {number: signal.signal(number, self._handle) for number in handled}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _handle(self, number: int, _: object) -> None:
        self.code = 128 + number
        if not self._held:
            raise Interrupted(self.code, self.left)
        if self._asked:
            raise Abandoned(self.code, self.left)
        self._asked = True

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Defer an interrupt to the end of this step."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.check()

    @contextlib.contextmanager
    def ignored(self, left: str) -> Iterator[None]:
        """A step that one interrupt does not end; when it is done, ``left`` says what there is."""
        self._held = True
        try:
            yield
            self.left = left
        finally:
            self._held = self._asked = False

    def check(self) -> None:
        """Raise an interrupt that was deferred."""
        if self._asked:
            self._asked = False
            raise Interrupted(self.code, self.left)
