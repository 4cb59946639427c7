"""The one way in which everything here is timed, and the one shape of what comes out: a row of the table.

A race runs two sides in turns, each going first every other time, with the same seeds, and tells the ratio of each
*pair* of runs, so that a slow minute of the machine hits both sides of it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]
Run = Callable[[int], Any]  # takes a seed; what it gives back goes to the check


class Missing(Exception):  # noqa: N818 (a reason, shown in the table)
    """Data or a peer that a row needs is not here; the message says which."""


@dataclass(frozen=True)
class Setting:
    """How this run measures."""

    repeats: int
    quick: bool
    folder: Path  # for files that live as long as the run


@dataclass(frozen=True)
class Work:
    """Something to measure, which gives one row or more."""

    name: str
    question: str
    measure: Callable[[Setting], Iterable[Row]]
    quick: bool = False  # part of the quick run too
    slow: bool = False  # minutes: only when asked for
    threads: int | None = 1  # of the libraries' own; None: as many as they like
    early: bool = False  # measured while this process is small


def peer(package: str, what: str = "") -> str:
    """A peer's name with its version."""
    try:
        return f"{package} {version(package)} {what}".strip()
    except PackageNotFoundError:
        raise Missing(f"{package} is not installed") from None


def seconds(run: Run, seed: int) -> tuple[float, Any]:
    gc.collect()
    start = time.perf_counter()
    result = run(seed)
    return time.perf_counter() - start, result


def row(question: str, name: str, what: str, **more: Any) -> Row:
    """A row; what is left out is not known."""
    made: Row = {
        "question": question, "name": name, "what": what, "ours_name": "", "peer_name": "", "unit": "s", "ours": [],
        "peer": [], "ratios": [], "at_most": False, "reach": None, "aim": None, "learned": "", "note": "", "more": {},
    }  # fmt: skip
    unknown = set(more) - set(made)
    if unknown:
        raise TypeError(f"a row has no {', '.join(sorted(unknown))}")
    return made | more


def race(
    question: str, name: str, what: str, ours: Run, peer: Run | None, check: Callable[[Any, Any], str] | None,
    repeats: int, calls: int = 1, warm: bool = False, **more: Any,
) -> Row:  # fmt: skip
    """Times of both in turns; without a peer, of ours alone. ``check`` refuses a run that left work out."""
    sides = {"ours": ours} if peer is None else {"ours": ours, "peer": peer}
    times: dict[str, list[float]] = {side: [] for side in sides}
    results: dict[str, Any] = {}
    if warm:
        for run in sides.values():
            run(0)
    for repeat in range(repeats):
        for side in sides if repeat % 2 == 0 else reversed(sides):
            elapsed, results[side] = seconds(sides[side], repeat)
            times[side].append(elapsed / calls)
    learned = check(results["ours"], results.get("peer")) if check else ""
    ratios = [b / a for a, b in zip(times["ours"], times.get("peer", []))]
    unit = "us" if calls > 1 else "s"
    return row(question, name, what, **times, ratios=ratios, unit=unit, learned=learned, **more)


def middle(values: list[float]) -> tuple[float, float, float]:
    """The lower quartile, the median and the upper quartile."""
    low, median, high = np.percentile(values, (25, 50, 75))
    return float(low), float(median), float(high)


def reached(row: Row) -> bool | None:
    """Whether the row is as it has to be; None where nothing is asked or it was not measured."""
    if row.get("missing") or row["reach"] is None or not row["ratios"]:
        return None
    ratio = middle(row["ratios"])[1]
    return bool(ratio <= row["reach"] if row["at_most"] else ratio >= row["reach"])
