"""Progress of a run in a terminal: one line a pass at first, then one a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from .learner import Pass


def printer(verbose: int, out: TextIO | None = None) -> Callable[[Pass], None] | None:
    """A reporter of passes: none at 0, about one line a second at 1, every pass from 2 on."""
    if not verbose:
        return None
    stream = out or sys.stdout
    began = last = time.monotonic()

    def report(done: Pass) -> None:
        nonlocal last
        now = time.monotonic()
        if verbose < 2 and done.number > 3 and done.mistakes and now - last < 1:
            return
        last = now
        held_out = "" if done.held_out is None else f"  held-out score {done.held_out:.4f}"
        print(
            f"pass {done.number:>5}  {done.mistakes:>9,} mistakes  {done.updates:>9,} updates  "
            f"best margin in [{done.evidence.lower:.3g}, {done.evidence.upper:.3g}]{held_out}  {now - began:.1f} s",
            file=stream,
            flush=True,
        )

    return report
