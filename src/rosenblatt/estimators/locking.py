"""Several threads at one estimator: one learns at a time, and nobody reads meanwhile."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable
from threading import get_ident
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator

F = TypeVar("F", bound=Callable[..., Any])
Own = TypeVar("Own", bound="Locked")


class ReadWriteLock:
    """Any number of readers, or one writer: ``with lock:`` writes, ``with lock.reading:`` reads.

    Whoever comes second waits. A thread that would wait for itself, since it is called back while it learns or reads
    (by ``__float__`` of a value, say), gets a RuntimeError if it wants to write, and may read.

    Where a ``with`` would cost as much as the call, ``begin`` and ``end`` do the same for a writer, and ``look`` and
    ``looked`` for one who reads for a moment, and alone.
    """

    __slots__ = ("_acquire", "_idle", "_readers", "_release", "_writing", "reading")

    def __init__(self) -> None:
        mutex = threading.RLock()  # a writer has it all the time, a reader while it begins
        self._acquire, self._release = mutex.acquire, mutex.release
        self.reading = _Reading(self)
        self._writing = False
        self._readers: list[int] = []  # threads, once for each call that reads; 0: one that has the mutex
        self._idle = threading.Condition(threading.Lock())

    def __reduce__(self) -> tuple[type[ReadWriteLock], tuple[()]]:
        return ReadWriteLock, ()  # a copy is another lock, and open

    def begin(self) -> None:
        """Wait until nobody reads or learns, and keep it so."""
        self._acquire()
        if self._writing or self._readers:
            try:
                self._wait_for_others()
            except BaseException:
                self._release()
                raise
        self._writing = True

    def end(self) -> None:
        """Let others in."""
        self._writing = False
        self._release()

    def look(self) -> int:
        """Wait until nobody learns, and keep others out; what it gives is given back to ``looked``."""
        if self._readers and get_ident() in self._readers:  # a writer may wait for the call that this one is part of
            self._readers.append(get_ident())
            return get_ident()
        self._acquire()
        self._readers.append(_LOOKING)
        return _LOOKING

    def looked(self, reader: int) -> None:
        """Let others in."""
        if reader != _LOOKING:
            self.reading.__exit__()
            return
        self._readers.remove(_LOOKING)
        self._release()

    def __enter__(self) -> None:
        self.begin()

    def __exit__(self, *_: object) -> None:
        self.end()

    def _wait_for_others(self) -> None:
        if self._writing or _LOOKING in self._readers or get_ident() in self._readers:
            raise RuntimeError(_CALLED_BACK.format("learning" if self._writing else "predicting"))
        with self._idle:
            while self._readers:  # no new ones begin meanwhile
                self._idle.wait()


_LOOKING = 0  # no thread has this number
_CALLED_BACK = (
    "this estimator is {} in this very thread, and was called again to learn before that had ended; "
    "learn from within __float__, __hash__, a kernel or a signal handler with another estimator"
)


class _Reading:
    __slots__ = ("_lock",)

    def __init__(self, lock: ReadWriteLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        lock, me = self._lock, get_ident()
        if me in lock._readers:  # a writer may wait for the call that this one is part of
            lock._readers.append(me)
            return
        lock._acquire()
        lock._readers.append(me)
        lock._release()

    def __exit__(self, *_: object) -> None:
        lock = self._lock
        with lock._idle:
            lock._readers.remove(get_ident())
            if not lock._readers:
                lock._idle.notify_all()


class Locked(BaseEstimator):
    """An estimator with a lock of its own, which neither a copy nor a pickle shares."""

    _lock: ReadWriteLock

    def __new__(cls: type[Own], *args: Any, **parameters: Any) -> Own:
        made: Own = super().__new__(cls)
        made.__dict__["_lock"] = ReadWriteLock()
        return made

    def _replace_state(self, state: dict[str, Any]) -> None:
        """Take over attributes, all at once: whoever reads without the lock sees the old ones or the new ones."""
        self.__dict__ = {**state, "_lock": self._lock}

    def _shell(self: Own) -> Own:
        """A copy that shares what was fitted, to be fitted anew."""
        other = type(self).__new__(type(self))
        other._replace_state(self.__dict__)
        return other

    #: Attributes that change in place while the estimator learns.
    _learns_in: ClassVar[tuple[str, ...]] = ()

    def __copy__(self: Own) -> Own:
        other = self._shell()
        other._replace_state(self.__getstate__())
        return other

    def __getstate__(self) -> dict[str, Any]:
        """All attributes, those that go on learning as copies of this moment: a pickle or a copy is of one state."""
        with self._lock.reading:
            state = {name: value for name, value in self.__dict__.items() if name != "_lock"}
            shared = {id(value): value for name, value in state.items() if name not in self._learns_in}
            return state | {name: copy.deepcopy(state[name], shared) for name in self._learns_in if name in state}


def writes(method: F) -> F:
    """A method that learns: it waits until nobody reads or learns."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *args, **options)

    return locked  # type: ignore[return-value]


def reads(method: F) -> F:
    """A method that reads what was learned: it waits until nobody learns."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **options: Any) -> Any:
        with self._lock.reading:
            return method(self, *args, **options)

    return locked  # type: ignore[return-value]
