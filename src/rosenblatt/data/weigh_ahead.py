"""Rows weighed ahead of learning, by a thread of its own: the counts that weigh them go on with rows to come."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from .read_ahead import ReadAhead

Item = TypeVar("Item")


class WeighAhead(Generic[Item]):
    """Each item and ``weigh(item)``: while the caller learns from one, the next are weighed.

    Weighing counts. The caller says by ``taken`` which items it has learned from, or is about to; in the end, however
    it comes, ``stop`` calls ``forget`` for the others that were weighed, the last first, so that the counts are of what
    was learned.
    """

    def __init__(
        self, items: Iterator[Item], weigh: Callable[[Item], Any], forget: Callable[[Item], None], depth: int
    ) -> None:
        self._weigh, self._forget = weigh, forget
        self._lock = threading.Lock()
        self._weighed: deque[Item] = deque()  # and not taken yet
        self._stopped = False
        self._ready = ReadAhead(items, self._one, "rosenblatt-weigher", depth)

    def _one(self, item: Item) -> tuple[Item, Any]:
        with self._lock:
            if self._stopped:
                return item, None
            made = self._weigh(item)
            self._weighed.append(item)
        return item, made

    def __iter__(self) -> Iterator[tuple[Item, Any]]:
        return self._ready

    def taken(self, n: int) -> None:
        """So many more of the items, in their order, are learned from."""
        for _ in range(n):
            self._weighed.popleft()

    def stop(self) -> None:
        """Weigh no more, and forget what was weighed and not taken."""
        with self._lock:  # what is being weighed is weighed to its end
            self._stopped = True
            while self._weighed:
                self._forget(self._weighed.pop())
        self._ready.stop(0)  # it ends when the items do
