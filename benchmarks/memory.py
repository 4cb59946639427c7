"""Peak memory of fit beyond the data, in a process of its own, by tracemalloc and by the resident set; and of streams.

``python benchmarks/memory.py CASE`` measures one fit and prints it as JSON; the runner calls it so.

tracemalloc counts what Python and NumPy allocate, to the byte. The native core allocates next to nothing itself; the
growth of the resident set's high-water mark (getrusage) would show it if it did. That mark never falls, and a child
inherits its parent's, so memory is first held up to it: whatever fit allocates then raises it.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import datasets
import numpy as np
from harness import Row, Setting, Work, row
from numpy.typing import NDArray
from processes import high_water, ours, peak, python
from threadpoolctl import threadpool_limits

import rosenblatt as rb

QUESTION = "memory"
BALLAST = 1 << 15  # doubles: 256 KiB, about what the kernel counts the resident set to
# glibc: arrays from 64 KiB on come from the system and go back to it at once, not to a free list fit could draw on.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


class Case(NamedTuple):
    """What is fitted on what."""

    estimator: type
    data: Callable[[], datasets.Examples]


CASES = {
    "dense": Case(rb.Perceptron, datasets.dense),
    "sparse": Case(rb.Perceptron, datasets.csr),
    "classes": Case(rb.Perceptron, datasets.digits),
    "averaged": Case(rb.AveragedPerceptron, datasets.csr),
}


def held_to_the_mark() -> list[NDArray[Any]]:
    """Memory in use, so much that the next allocation raises the high-water mark."""
    mark, held = high_water(), []
    while high_water() <= mark:
        held.append(np.ones(BALLAST))
    return held


def measured(name: str) -> dict[str, Any]:
    """Peaks of one fit of two passes, in bytes, and what is allowed: 6 × the weights and 8 bytes a row."""
    case = CASES[name]
    X, y, what = case.data()
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


def fits(setting: Setting) -> Iterator[Row]:
    """Each case in a fresh process."""
    for name in CASES:
        command = [sys.executable, __file__, name]
        ran = subprocess.run(command, env=os.environ | ALLOCATOR, stdout=subprocess.PIPE, check=True, text=True)
        report = json.loads(ran.stdout)
        yield row(
            QUESTION, f"fit-{name}", f"{report['estimator']}.fit, {report['what']}: peak beyond the data", unit="B",
            ours_name="traced allocations", ours=[report["traced"]], peer=[report["allowance"]],
            peer_name="allowed: 6 × weights + 8 B a row", ratios=[report["traced"] / report["allowance"]], reach=1,
            at_most=True, learned=f"resident set +{report['resident'] / 1e6:.1f} MB", more=report,
        )  # fmt: skip


STREAM = """
import sys, rosenblatt as rb
print(sum(len(block) for block in rb.data.stream(sys.argv[1], block_rows=int(sys.argv[2]))))
"""
KINDS = {
    "svm": (b"", b"1 " + b" ".join(b"%d:0.123456" % j for j in range(1, 41)) + b"\n"),
    "csv": (b"label,n,text\n", b'pos,3.5,"' + b"some words of a text, " * 20 + b'"\n'),
}


def growth(name: str, what: str, few: int, many: int, peaks: list[int]) -> Row:
    return row(
        QUESTION, name, f"{what}: {many} blocks against {few}", unit="B", ours=[peaks[1]], peer=[peaks[0]],
        ours_name=f"{many} blocks", peer_name=f"{few} blocks", ratios=[peaks[1] / peaks[0]], reach=1.1, at_most=True,
    )  # fmt: skip


def streams(setting: Setting) -> Iterator[Row]:
    """Peak resident memory of processes that stream a file of 20, then of 100 blocks."""
    block_rows = 5_000
    for kind, (head, line) in KINDS.items():
        path, peaks = setting.folder / f"long.{kind}", []
        for blocks in (20, 100):
            with path.open("wb") as file:
                file.write(head)
                for _ in range(blocks):
                    file.write(line * block_rows)
            peaks.append(peak(python(STREAM, path, block_rows)))
        path.unlink()
        yield growth(f"stream-{kind}", f"data.stream of {kind}, {block_rows:,} rows a block, peak", 20, 100, peaks)


def command(setting: Setting) -> Iterator[Row]:
    """Peak of the streamed command on a file of 20 and of 80 blocks."""
    path, peaks = setting.folder / "rows.csv", []
    line = b"pos,a good film that I liked from its first minute to the last\nneg,a bad film of many words\n"
    for blocks in (20, 80):
        path.write_bytes(b"label,text\n" + line * (1024 * blocks // 2))
        options = ("--stream", "--block-rows", 1024, "--passes", 2, "-q")
        peaks.append(peak(ours("train", path, "-o", setting.folder / "small.model", *options)))
    yield growth("stream-train", "rosenblatt train --stream, 1,024 rows of CSV a block, peak", 20, 80, peaks)


WORKS = (
    Work("fit-memory", QUESTION, fits, early=True),
    Work("stream-memory", QUESTION, streams, early=True),
    Work("command-memory", QUESTION, command, quick=True, early=True),
)

if __name__ == "__main__":
    with threadpool_limits(1):
        print(json.dumps(measured(sys.argv[1])))
