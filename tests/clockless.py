"""What tests use in place of a clock: waiting for a condition, looking whether a thread waits, and counting work."""

import sys
import threading
import time

GUARD = 300.0  # seconds after which a test has hung; no test that works comes near it


def until(condition):
    """Wait for a condition to hold, for as long as that takes."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < GUARD, "it never came to it"
        time.sleep(0.001)


def is_waiting(name):
    """Whether a thread of this name has nothing to do before another thread wakes it."""
    frames = sys._current_frames()
    at = [frames.get(thread.ident) for thread in threading.enumerate() if thread.name == name]
    return any(frame is not None and frame.f_code is threading.Condition.wait.__code__ for frame in at)


def set_clock(monkeypatch, look):
    """Let ``look()`` be the monotonic clock of this thread; others, left over from earlier tests, keep the real one."""
    real, own = time.monotonic, threading.get_ident()
    monkeypatch.setattr(time, "monotonic", lambda: look() if threading.get_ident() == own else real())


def calls(work):
    """How many functions, of Python and of C, some work calls: more work is more calls, on any machine."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return count
