"""Several threads at one estimator: one learns at a time, and nobody reads meanwhile."""

from __future__ import annotations

import copy
import functools
import os
import sys
import threading
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")
Own = TypeVar("Own", bound="Locked")


class ReadWriteLock:
    """Any number of readers, or one writer; whoever comes second waits.

    Every reading thread has a lock of its own, which it takes alone; a writer takes a mutex and then the locks of all
    readers. They are taken by ``with`` alone, and nothing else is kept: an exception of a signal handler, which may
    come between any two steps of Python, leaves nothing locked.

    Where a row takes a microsecond, ``learn_one`` and ``predict_one`` take the mutex themselves while nobody has read.

    A thread that would wait for itself, since it is called back while it learns or reads (by ``__float__`` of a value,
    say), gets a RuntimeError if it wants to write, and may read.
    """

    __slots__ = ("__weakref__", "mutex", "readers")

    def __init__(self) -> None:
        self.mutex: Any = threading.RLock()
        self.readers: dict[int, Any] = {}  # the lock of each thread that has read
        _LOCKS.add(self)

    def __reduce__(self) -> tuple[type[ReadWriteLock], tuple[()]]:
        return ReadWriteLock, ()  # a copy is another lock, and open

    def write(self, call: Callable[..., R], *args: Any, **options: Any) -> R:
        """Make a call while nobody else reads or writes."""
        mutex, readers = self.mutex, self.readers
        if mutex._is_owned() or (readers and get_ident() in readers and readers[get_ident()]._is_owned()):
            raise RuntimeError(_CALLED_BACK)
        with mutex:
            return self.without_readers(call, *args, **options)

    def without_readers(self, call: Callable[..., R], *args: Any, **options: Any) -> R:
        """Make a call while nobody reads, by whoever has the mutex."""
        return self._beside_none(self._reader_locks(), call, args, options)

    def _beside_none(self, locks: list[Any], call: Callable[..., R], args: Any, options: Any) -> R:
        if not locks:
            return call(*args, **options)
        with locks[0]:
            return self._beside_none(locks[1:], call, args, options)

    def _reader_locks(self) -> list[Any]:
        if len(self.readers) > _MANY:  # threads come and go
            alive = sys._current_frames()
            for gone in [thread for thread in self.readers if thread not in alive]:
                del self.readers[gone]
        return list(self.readers.values())

    def read(self, call: Callable[..., R], *args: Any, **options: Any) -> R:
        """Make a call while nobody else writes."""
        own = self.readers.get(get_ident())
        if own is None:
            if self.mutex._is_owned():  # this very thread writes
                return call(*args, **options)
            with self.mutex:
                own = self.readers.setdefault(get_ident(), threading.RLock())
        with own:
            return call(*args, **options)

    def look(self, call: Callable[..., R], *args: Any) -> R:
        """Make a short call alone: it costs less than ``read``, and writing costs no more after it."""
        readers = self.readers
        if readers and get_ident() in readers and readers[get_ident()]._is_owned():
            return call(*args)  # a writer may wait for the call that this one is part of
        with self.mutex:
            return call(*args)


#: So many threads may have read before it is asked which of them are still there.
_MANY = 32
_CALLED_BACK = (
    "this estimator is learning or predicting in this very thread, and was called again to learn before that had "
    "ended; learn from within __float__, __hash__, a kernel or a signal handler with another estimator"
)
_LOCKS: weakref.WeakSet[ReadWriteLock] = weakref.WeakSet()


class _Forked:
    """In place of a mutex that a thread had which is not in this process: what it was writing is not whole."""

    def _is_owned(self) -> bool:
        return False

    def acquire(self, blocking: bool = True) -> bool:
        return False

    def __enter__(self) -> None:
        raise RuntimeError(
            "this process was forked while another thread was learning with this estimator, so that its state is not "
            "whole here; load or copy the model after the fork, or start processes by spawn"
        )

    def __exit__(self, *_: object) -> None:
        pass


def _after_fork() -> None:
    for lock in _LOCKS:
        whole = lock.mutex.acquire(blocking=False)  # by a thread that is not here, or free
        lock.mutex, lock.readers = threading.RLock() if whole else _Forked(), {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


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
        return self._lock.read(self._state_now)

    def _state_now(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_lock"}
        shared = {id(value): value for name, value in state.items() if name not in self._learns_in}
        return state | {name: copy.deepcopy(state[name], shared) for name in self._learns_in if name in state}


def writes(method: F) -> F:
    """A method that learns: it waits until nobody reads or learns."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **options: Any) -> Any:
        return self._lock.write(method, self, *args, **options)

    return locked  # type: ignore[return-value]


def reads(method: F) -> F:
    """A method that reads what was learned: it waits until nobody learns."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **options: Any) -> Any:
        return self._lock.read(method, self, *args, **options)

    return locked  # type: ignore[return-value]
