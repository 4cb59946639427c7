"""Work done ahead of its use, in a thread of its own: the next block is read while the caller works on this one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")


class ReadAhead(Generic[Item, Done]):
    """``work(item)`` of each item in turn: while the caller is busy with one, the next is made.

    At most ``depth`` are ready at a time, and the next is not begun before one of them is taken. What ``items`` or
    ``work`` raises is raised by ``next``, once all that came before is taken. In the end, however it comes,
    ``items`` is closed.
    """

    def __init__(self, items: Iterator[Item], work: Callable[[Item], Done], name: str, depth: int = 1) -> None:
        self._items, self._work, self._depth = items, work, depth
        self._ready: list[tuple[Any, BaseException | None, bool]] = []  # what was made, or how it ended
        self._change = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            while self._one():
                pass
        except BaseException as raised:
            error = raised
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
            self._put((None, error, True))

    def _one(self) -> bool:
        """Make one ready, and wait until there is room for another; nothing of it stays alive in this thread."""
        try:
            item = next(self._items)
        except StopIteration:
            return False
        self._put((self._work(item), None, False))
        del item
        with self._change:
            self._change.wait_for(lambda: len(self._ready) < self._depth or self._stopped)
        return not self._stopped

    def _put(self, made: tuple[Any, BaseException | None, bool]) -> None:
        with self._change:
            self._ready.append(made)
            self._change.notify_all()

    def __iter__(self) -> Iterator[Done]:
        return self

    def __next__(self) -> Done:
        with self._change:
            self._change.wait_for(lambda: bool(self._ready))
            made, error, ended = self._ready[0]
            if not ended:
                self._ready.pop(0)
                self._change.notify_all()
                return made  # type: ignore[no-any-return]
            self._ready[0] = (None, None, True)
        raise StopIteration if error is None else error

    def __enter__(self) -> ReadAhead[Item, Done]:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self, wait: float = 1.0) -> None:
        """End the thread, and wait so many seconds for that; what it made and nobody took is lost."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(wait)  # it may be waiting for standard input, which nothing can end
