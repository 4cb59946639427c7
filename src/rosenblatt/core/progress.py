"""Progress of a run in a terminal: a line for each of the first passes, then about one a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from .learner import Pass


def printer(verbose: int, out: TextIO | None = None) -> Callable[[Pass], None] | None:
    """A reporter of passes: none at 0, the first three and then about one a second at 1, every one from 2 on."""
    if not verbose:
        return None
    stream = out or sys.stdout
    began = last = time.monotonic()

    def report(done: Pass) -> None:
        nonlocal last
        now = time.monotonic()
        if verbose < 2 and done.number > 3 and done.mistakes != 0 and now - last < 1:
            return
        last = now
        words = [f"pass {done.number:>5}", f"{done.updates:>9,} updates", f"{now - began:.1f} s"]
        if done.held_out is not None:
            words.insert(2, f"held-out score {done.held_out:.4f}")
        if done.mistakes is not None:
            low, high = done.margin
            words[1:2] = [f"{done.mistakes:>9,} mistakes", words[1], f"best margin/R in [{low:.3g}, {high:.3g}]"]
        print("  ".join(words), file=stream, flush=True)

    return report
