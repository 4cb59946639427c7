"""Work done ahead: in order, never further ahead than asked for, and with every end told."""

import threading

import pytest
from clockless import GUARD, is_waiting, until

from rosenblatt.data.read_ahead import ReadAhead


class Items:
    """Numbers, and how many of them were asked for; waits where it is told to."""

    def __init__(self, n, fails_at=None, waits_at=None):
        self.n, self.fails_at, self.waits_at = n, fails_at, waits_at
        self.given, self.closed, self.go = 0, False, threading.Event()

    def __iter__(self):
        return self

    def __next__(self):
        if self.given == self.fails_at:
            raise RuntimeError(f"item {self.given} is bad")
        if self.given == self.waits_at:
            self.go.wait(GUARD)
        if self.given == self.n:
            raise StopIteration
        self.given += 1
        return self.given - 1

    def close(self):
        self.closed = True


@pytest.mark.parametrize("depth", [1, 3])
def test_in_order_and_no_further_ahead(depth):
    done = []

    def work(i):
        done.append(i)
        return i * i

    items = Items(5)
    ahead = ReadAhead(items, work, "test", depth)
    for i in range(5):
        made = min(i + depth, 5)
        until(lambda made=made: len(done) > made or (len(done) == made and (made == 5 or is_waiting("test"))))
        assert done == list(range(made))  # the next is not begun before one of these is taken
        assert next(ahead) == i * i
    assert list(ahead) == []
    assert list(ahead) == []
    assert items.closed


@pytest.mark.parametrize("where", ["items", "work"])
def test_an_error_comes_after_what_was_before_it(where):
    items = Items(5, fails_at=2 if where == "items" else None)

    def work(i):
        if i == 2:
            raise RuntimeError("item 2 is bad")
        return i

    ahead = ReadAhead(items, work, "test")
    assert [next(ahead), next(ahead)] == [0, 1]
    with pytest.raises(RuntimeError, match="item 2 is bad"):
        next(ahead)
    assert list(ahead) == []
    assert items.closed


def test_stopping_ends_the_thread():
    items = Items(5)
    ahead = ReadAhead(items, lambda i: i, "to be stopped")
    next(ahead)
    ahead.stop()
    until(lambda: items.closed)
    assert not [thread for thread in threading.enumerate() if thread.name == "to be stopped"]
