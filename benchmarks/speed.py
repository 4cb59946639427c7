"""Times of rosenblatt and of its peers, run in turns on the same data, and the peak memory of fit, in one table.

``python benchmarks/speed.py [--quick] [--only NAME ...] [--repeats 5] [--json FILE]``
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import contests
import memory
import numpy as np
import scipy
from threadpoolctl import threadpool_limits

import rosenblatt as rb

HEADER = ("work", "on", "ours", "peer", "peer's", "ratio", "reach", "aim")


def seconds(run: Callable[[int], Any], seed: int) -> tuple[float, Any]:
    gc.collect()
    start = time.perf_counter()
    result = run(seed)
    return time.perf_counter() - start, result


def timed(work: contests.Work, quick: bool, repeats: int) -> dict[str, Any]:
    """Times of both in turns, each going first every other time."""
    contest = work.prepare(quick)
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    results: dict[str, Any] = {}
    for repeat in range(repeats):
        for side in ("ours", "peer") if repeat % 2 == 0 else ("peer", "ours"):
            elapsed, results[side] = seconds(getattr(contest, side), repeat)
            times[side].append(elapsed / max(contest.calls, 1))
    learned = contest.check(results["ours"], results["peer"])
    ratios = [theirs / mine for mine, theirs in zip(times["ours"], times["peer"], strict=True)]
    return {
        "name": work.name, "title": work.title, "what": contest.what, "peer_name": work.peer, **times,
        "ratios": ratios, "ratio": float(np.median(ratios)), "reach": work.reach, "aim": work.aim,
        "per_call": contest.calls > 0, "learned": learned,
    }  # fmt: skip


def spread(values: list[float], unit: str = "", scale: float = 1.0, digits: int = 3) -> str:
    """The median and, in brackets, the quartiles."""
    low, middle, high = np.percentile(np.array(values) * scale, (25, 50, 75))
    return f"{middle:.{digits}f}{unit} ({low:.{digits}f}-{high:.{digits}f})"


def time_cells(row: dict[str, Any]) -> tuple[str, ...]:
    if row["per_call"]:
        mine, theirs = (spread(row[side], " us", 1e6, 1) for side in ("ours", "peer"))
    else:
        mine, theirs = (spread(row[side], " s") for side in ("ours", "peer"))
    aim = "" if row["aim"] is None else f"{row['aim']:g}"
    return (
        row["title"], row["what"], mine, row["peer_name"], theirs, spread(row["ratios"], digits=2),
        f">= {row['reach']:g}", aim,
    )  # fmt: skip


def memory_cells(row: dict[str, Any]) -> tuple[str, ...]:
    mine = f"{row['traced'] / 1e3:,.0f} kB (RSS +{row['resident'] / 1e3:,.0f} kB)"
    allowed = f"{row['allowance'] / 1e3:,.0f} kB"
    title = f"peak memory, {row['estimator']}.fit"
    return title, row["what"], mine, "allowance: 6 x weights + 8 B a row", allowed, f"{row['ratio']:.2f}", "<= 1", ""


def table(cells: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in [HEADER, *cells]) for i in range(len(HEADER))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    head = " | ".join(cell.ljust(width) for cell, width in zip(HEADER, widths, strict=True)).rstrip()
    return "\n".join([head, "-|-".join("-" * width for width in widths), *lines])


def machine() -> str:
    """The processor, as the system names it."""
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return names[0].partition(": ")[2] if names else platform.processor() or platform.machine()


def environment(repeats: int, quick: bool) -> dict[str, Any]:
    return {
        "rosenblatt": rb.__version__,
        "source": str(Path(rb.__file__).parent),
        "peers": [contests.SKLEARN, contests.RIVER],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
        "machine": machine(),
        "repeats": repeats,
        "quick": quick,
    }


def report(times: list[dict[str, Any]], peaks: list[dict[str, Any]], repeats: int) -> None:
    print()
    print(table([*map(time_cells, times), *map(memory_cells, peaks)]))
    print(f"\nMedian (quartiles) of {repeats} runs of each, in turns; ratio: peer's time / ours, of each pair of runs.")
    print("Times of fit are of the whole call, input validation included; memory is beyond the data, measured/allowed.")
    if times:
        print("\nWhat was learned, so that the work is known to have been done:")
        for row in times:
            print(f"  {row['name']:<12} {row['learned']}")
    missed = [row["name"] for row in times if row["ratio"] < row["reach"]]
    missed += [f"memory of {row['name']}" for row in peaks if row["ratio"] > 1]
    print(f"\nShort of the ratio to reach: {', '.join(missed) or 'none'}.")


def main() -> None:
    names = [work.name for work in contests.ALL]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows; too few for the ratios to count")
    parser.add_argument("--only", nargs="+", choices=[*names, "memory"], help="these rows alone")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side (default 5)")
    parser.add_argument("--json", type=Path, help="write every single time to this file too")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    chosen = options.only or [*names, "memory"]

    peaks: list[dict[str, Any]] = []
    if "memory" in chosen:  # first, while this process is small: a child inherits the mark of its resident set
        for name in memory.CASES:
            print(f"memory of {name} ...", file=sys.stderr, flush=True)
            found = memory.measured_apart(name, options.quick)
            peaks.append(found | {"ratio": found["traced"] / found["allowance"]})
    times: list[dict[str, Any]] = []
    with threadpool_limits(1):
        for work in contests.ALL:
            if work.name in chosen:
                print(f"{work.name} ...", file=sys.stderr, flush=True)
                times.append(timed(work, options.quick, options.repeats))
    setting = environment(options.repeats, options.quick)
    print(f"rosenblatt {rb.__version__} of {setting['source']}")
    print(f"{setting['machine']}, single-threaded, Python {setting['python']}, NumPy {setting['numpy']}"
          + (", --quick: a tenth of the rows" if options.quick else ""))  # fmt: skip
    report(times, peaks, options.repeats)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({**setting, "times": times, "memory": peaks}, indent=1))


if __name__ == "__main__":
    main()
