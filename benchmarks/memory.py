"""Peak memory of fit beyond the data, measured twice in a process of its own: by tracemalloc and by the resident set.

``python benchmarks/memory.py CASE [--quick]`` measures one case and prints it as JSON; speed.py calls it so.

tracemalloc counts what Python and NumPy allocate, to the byte. The native core allocates next to nothing itself; the
growth of the resident set's high-water mark (getrusage) would show it if it did. That mark never falls, and a child
inherits its parent's, so memory is first held up to it: whatever fit allocates then raises it.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import datasets
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import rosenblatt as rb

BALLAST = 1 << 15  # doubles: 256 KiB, about what the kernel counts the resident set to
# glibc: arrays from 64 KiB on come from the system and go back to it at once, not to a free list fit could draw on.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


class Case(NamedTuple):
    """What is fitted on what."""

    estimator: type
    data: Callable[[bool], datasets.Examples]


CASES = {
    "dense": Case(rb.Perceptron, datasets.dense),
    "sparse": Case(rb.Perceptron, datasets.csr),
    "classes": Case(rb.Perceptron, datasets.digits),
    "averaged": Case(rb.AveragedPerceptron, datasets.csr),
}


def high_water() -> int:
    """Bytes the resident set has had at most."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def held_to_the_mark() -> list[NDArray[Any]]:
    """Memory in use, so much that the next allocation raises the high-water mark."""
    mark, held = high_water(), []
    while high_water() <= mark:
        held.append(np.ones(BALLAST))
    return held


def measure(name: str, quick: bool) -> dict[str, Any]:
    """Peaks of one fit of two passes, in bytes, and what is allowed: 6 × the weights and 8 bytes a row."""
    case = CASES[name]
    X, y, what = case.data(quick)
    case.estimator(tol=None, max_iter=1).fit(X[:200], y[:200])  # loads what the first fit loads
    model = case.estimator(tol=None, max_iter=2, random_state=0)
    gc.collect()
    held = held_to_the_mark()
    before = high_water()
    model.fit(X, y)
    resident = high_water() - before
    held.clear()

    model = case.estimator(tol=None, max_iter=2, random_state=0)
    gc.collect()
    tracemalloc.start()
    model.fit(X, y)
    _, traced = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    weights = model.coef_.nbytes + model.intercept_.nbytes
    return {
        "name": name, "what": what, "estimator": case.estimator.__name__, "traced": traced, "resident": resident,
        "weights": weights, "rows": len(y), "allowance": 6 * weights + 8 * len(y),
    }  # fmt: skip


def measured_apart(name: str, quick: bool) -> dict[str, Any]:
    """``measure`` in a fresh process."""
    command = [sys.executable, __file__, name, *(["--quick"] if quick else [])]
    done = subprocess.run(command, env=os.environ | ALLOCATOR, stdout=subprocess.PIPE, check=True, text=True)
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Peak memory of one fit beyond the data.")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options = parser.parse_args()
    with threadpool_limits(1):
        print(json.dumps(measure(options.case, options.quick)))
