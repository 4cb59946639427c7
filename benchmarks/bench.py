"""Measure rosenblatt beside its peers: one runner, one JSON, from which report.py makes docs/reference/benchmarks.md.

``python benchmarks/bench.py [--quick] [--only NAME ...] [--slow] [--repeats 5] [--json FILE]``

--only takes names of works (``--list`` prints them) and of questions. What fails, or whose data or peer is missing, is
reported with the reason, and the others go on. The JSON is written after every work.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import accuracy
import ceilings
import contract
import files
import growth
import kernels
import memory
import numpy as np
import one_by_one
import passes
import processes
import separation
import sequences
import shards
import target
import text
from harness import Missing, Row, Setting, Work, middle, reached
from threadpoolctl import threadpool_limits

import rosenblatt as rb

#: In the order of the work: what takes longest comes last. The page has its own order.
MODULES = (
    passes, text, files, one_by_one, memory, processes, growth, ceilings, kernels, separation, contract, target,
    sequences, accuracy, shards,
)  # fmt: skip
WORKS: list[Work] = [work for module in MODULES for work in module.WORKS]
PACKAGES = (
    "numpy",
    "scipy",
    "pyarrow",
    "scikit-learn",
    "river",
    "vowpalwabbit",
    "fasttext-numpy2-wheel",
    "nltk",
    "python-crfsuite",
    "mlxtend",
    "matplotlib",
    "distributed",
)


def processor() -> str:
    """The processor, as the system names it."""
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return names[0].partition(": ")[2] if names else platform.processor() or platform.machine()


def memory_of_machine() -> int | None:
    """Bytes of memory, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def commit() -> str:
    """The commit that is checked out, and whether files differ from it."""
    here = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=here, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "../src", "../native", ".", ":!results.json")
        return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def versions() -> dict[str, str]:
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def environment(setting: Setting) -> dict[str, Any]:
    return {
        "rosenblatt": rb.__version__, "commit": commit(), "date": time.strftime("%Y-%m-%d"), "processor": processor(),
        "cores": processes.available_cores(), "memory": memory_of_machine(), "system": platform.system(),
        "python": platform.python_version(), "versions": versions(), "repeats": setting.repeats,
        "quick": setting.quick,
    }  # fmt: skip


def measured(work: Work, setting: Setting) -> list[Row]:
    """The rows of a work; where it cannot be measured, one row that says why."""
    rows: list[Row] = []
    try:
        with threadpool_limits(work.threads) if work.threads else nullcontext():
            for row in work.measure(setting):
                rows.append(row)
                tell(row)
    except Missing as reason:
        rows.append({"question": work.question, "name": work.name, "missing": str(reason)})
        tell(rows[-1])
    except Exception as error:
        traceback.print_exc()
        said = " ".join(f"failed: {type(error).__name__}: {error}".split())
        for place in (setting.folder, Path(__file__).resolve().parents[1], Path.home()):
            said = said.replace(str(place), "…")
        rows.append({"question": work.question, "name": work.name, "missing": said[:300]})
        tell(rows[-1])
    return rows


def tell(row: Row) -> None:
    """One line about a row."""
    if row.get("missing"):
        print(f"{row['name']:<22} not measured: {row['missing']}", flush=True)
        return
    if not row["ratios"]:
        if row["question"] != "accuracy":
            first = " ".join(f"{value:.4g}" for value in row["ours"][:1])
            print(f"{row['name']:<22} {first} {row['unit']} {row['ours_name']}", flush=True)
        return
    low, ratio, high = middle(row["ratios"])
    asked = "" if row["reach"] is None else f"{'≤' if row['at_most'] else '≥'} {row['reach']:g}"
    verdict = {True: "", False: "short", None: ""}[reached(row)]
    print(
        f"{row['name']:<22} {ratio:8.3g} ({low:.3g}–{high:.3g})  {asked:<7} {verdict:<6} {row['peer_name']}", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the essential ratios, in less than two minutes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these works or questions alone")
    parser.add_argument("--slow", action="store_true", help="what takes minutes too")
    parser.add_argument("--list", action="store_true", help="print the names of works, and stop")
    parser.add_argument("--repeats", type=int, help="runs of each side (5; quick: 3)")
    parser.add_argument("--json", type=Path, help="write every single time to this file")
    options = parser.parse_args()
    if options.list:
        for work in WORKS:
            print(f"{work.name:<18} {work.question}{' (quick)' if work.quick else ''}{' (slow)' if work.slow else ''}")
        return
    names = {work.name for work in WORKS} | {work.question for work in WORKS}
    unknown = sorted(set(options.only or ()) - names)
    if unknown:
        parser.error(f"no work is called {', '.join(unknown)}; --list prints the names")
    repeats = options.repeats or (3 if options.quick else 5)
    if repeats < 1:
        parser.error("--repeats must be at least 1")
    if options.only:
        chosen = [work for work in WORKS if {work.name, work.question} & set(options.only)]
    else:
        chosen = [work for work in WORKS if (work.quick or not options.quick) and (options.slow or not work.slow)]

    began = time.perf_counter()
    results: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as made:
        setting = Setting(repeats, options.quick, Path(made))
        head = environment(setting)
        for work in sorted(chosen, key=lambda work: not work.early):
            started = time.perf_counter()
            results[work.name] = measured(work, setting)
            took = time.perf_counter() - started
            for row in results[work.name]:
                row["work"] = work.name
            print(f"{work.name}: {took:.1f} s", file=sys.stderr, flush=True)
            head["took"] = time.perf_counter() - began
            if options.json:
                rows = [row for one in WORKS for row in results.get(one.name, [])]
                options.json.parent.mkdir(parents=True, exist_ok=True)
                options.json.write_text(json.dumps(head | {"rows": rows}, indent=1, default=float) + "\n")
    missed = [row["name"] for rows in results.values() for row in rows if reached(row) is False]
    absent = [row["name"] for rows in results.values() for row in rows if row.get("missing")]
    print(f"\nShort of what is asked: {', '.join(missed) or 'none'}. Not measured: {', '.join(absent) or 'none'}.")
    print(f"{np.sum([len(rows) for rows in results.values()])} rows in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
