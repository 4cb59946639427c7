"""Times of reading files against scikit-learn, in turns in one process, and the peak memory of streams.

``python benchmarks/data.py [--quick] [--repeats 7]``

Both sides read the same file from disk (it is in the page cache) into float64 CSR with labels; what they read is
checked to be the same, bit for bit. Ours uses all the processors it may run on, scikit-learn the one it can use.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file

import rosenblatt as rb
from rosenblatt.data.lines import threads_of

HEADER = ("work", "file", "ours", "scikit-learn's", "ratio", "reach")


class Work(NamedTuple):
    """A file that both read."""

    title: str
    make: Callable[[Path, bool], str | None]  # writes the file, says what it is; None: it cannot
    reach: float


def a9a(path: Path, quick: bool) -> str | None:
    source = datasets.folder() / "a9a" / "a9a.gz"
    if not source.exists():
        return None
    path.write_bytes(gzip.decompress(source.read_bytes()))
    return "a9a"


def reals(path: Path, quick: bool) -> str:
    n, d = (5_000 if quick else 50_000), 100
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for row in rng.standard_normal((n, d)):
            entries = " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row, 1))
            file.write(f"{1 if row[0] > 0 else -1} {entries}\n")
    return f"{n:,} x {d} normal numbers of 6 digits"


def covtype(path: Path, quick: bool) -> str | None:
    source = datasets.folder() / "covtype" / "covtype.csv.gz"
    if not source.exists():
        return None
    rows = 5_000 if quick else 100_000
    with rb.data.stream(source, block_rows=rows) as blocks:
        block = next(blocks)
    X = np.column_stack([column.to_numpy() for column in block.table.columns])
    rb.data.write_svmlight(path, X, block.labels)
    return f"covtype, the first {rows:,} rows"


WORKS = (
    Work("binary", a9a, 12),
    Work("real-valued", reals, 20),
    Work("mixed", covtype, 12),
)


def timed(run: Callable[[str], Any], path: str) -> tuple[float, Any]:
    gc.collect()
    start = time.perf_counter()
    result = run(path)
    return time.perf_counter() - start, result


def check(ours: Any, theirs: tuple[Any, Any]) -> None:
    X, y = theirs
    assert np.array_equal(ours.y, y)
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(ours.X, name), getattr(X, name)), f"{name} differs"


def spread(values: list[float], digits: int, unit: str = "") -> str:
    low, middle, high = np.percentile(values, (25, 50, 75))
    return f"{middle:.{digits}f}{unit} ({low:.{digits}f}-{high:.{digits}f})"


def contest(work: Work, folder: Path, quick: bool, repeats: int) -> tuple[str, ...] | None:
    path = folder / "rows.svm"
    what = work.make(path, quick)
    if what is None:
        return None
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    sides: dict[str, Callable[[str], Any]] = {"ours": rb.data.read, "theirs": load_svmlight_file}
    results: dict[str, Any] = {}
    for repeat in range(repeats):
        for side in ("ours", "theirs") if repeat % 2 == 0 else ("theirs", "ours"):
            elapsed, results[side] = timed(sides[side], str(path))
            times[side].append(1000 * elapsed)
        check(results["ours"], results["theirs"])
    ratios = [b / a for a, b in zip(times["ours"], times["theirs"], strict=True)]
    size = f"{what}, {path.stat().st_size / 1e6:.1f} MB"
    return (
        f"parse svmlight, {work.title}", size, spread(times["ours"], 1, " ms"), spread(times["theirs"], 0, " ms"),
        spread(ratios, 1), f">= {work.reach:g}",
    )  # fmt: skip


PEAK = """
import sys, rosenblatt as rb
rows = sum(len(block) for block in rb.data.stream(sys.argv[1], block_rows=int(sys.argv[2])))
print(rows, *[line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")])
"""


def memory(folder: Path, quick: bool) -> list[tuple[str, ...]]:
    """Peak resident memory of a process that streams a file of 20, then of 100 blocks (Linux)."""
    block_rows = 500 if quick else 5000
    kinds = {
        "svm": (b"", b"1 " + b" ".join(b"%d:0.123456" % j for j in range(1, 41)) + b"\n"),
        "csv": (b"label,n,text\n", b"pos,3.5,\"" + b"some words of a text, " * 20 + b"\"\n"),
    }  # fmt: skip
    cells = []
    for kind, (head, row) in kinds.items():
        peaks = []
        path = folder / f"long.{kind}"
        for blocks in (20, 100):
            with path.open("wb") as file:
                file.write(head)
                for _ in range(blocks):
                    file.write(row * block_rows)
            command = [sys.executable, "-c", PEAK, str(path), str(block_rows)]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
            rows, peak = map(int, done.stdout.split())
            assert rows == blocks * block_rows
            peaks.append(peak / 1024)
        what = f"{kind}, blocks of {block_rows:,} rows ({len(row) * block_rows / 1e6:.1f} MB): 20 and 100 blocks"
        growth = f"{peaks[1] / peaks[0]:.3f}"
        cells.append(("peak memory of a stream", what, f"{peaks[0]:.0f} and {peaks[1]:.0f} MiB", "", growth, "<= 1.1"))
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small files: it shows that everything runs")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each side (default 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cells = [found for work in WORKS if (found := contest(work, folder, options.quick, options.repeats))]
        if sys.platform.startswith("linux"):
            cells += memory(folder, options.quick)
    print(f"rosenblatt {rb.__version__}, {threads_of(None)} threads; scikit-learn {sklearn.__version__}\n")
    widths = [max(len(row[i]) for row in [HEADER, *cells]) for i in range(len(HEADER))]
    for row in (HEADER, tuple("-" * width for width in widths), *cells):
        print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(f"\nMedian (quartiles) of {options.repeats} runs, in turns; ratio: theirs / ours of each pair of runs.")


if __name__ == "__main__":
    main()
