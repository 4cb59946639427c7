"""Two runs side by side: which ratios changed, and whether by more than they spread.

``python benchmarks/compare.py BEFORE.json AFTER.json``
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from harness import Row, middle
from report import spread

LEAST = 0.05  # a smaller change of the median is none: runs of different minutes differ by as much


FEW = 5  # of fewer runs the quartiles say little: the whole range counts


def span(values: list[float]) -> tuple[float, float]:
    """The quartiles; of few runs the least and the most."""
    low, _, high = middle(values)
    return (low, high) if len(values) >= FEW else (min(values), max(values))


def verdict(before: Row, after: Row) -> str:
    """Say "better" or "worse" where the spreads do not overlap and the medians differ by 5 % or more; else ""."""
    if before["what"] != after["what"]:
        return "not the same work"
    (low_a, high_a), (low_b, high_b) = span(before["ratios"]), span(after["ratios"])
    a, b = middle(before["ratios"])[1], middle(after["ratios"])[1]
    apart = low_b > high_a or low_a > high_b
    if not apart or abs(b / a - 1) < LEAST:
        return ""
    return "better" if (b > a) != before["at_most"] else "worse"


def compared(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """For each row that both have: name, ratio before, ratio after, change, verdict."""
    old = {row["name"]: row for row in before["rows"] if row.get("ratios")}
    new = {row["name"]: row for row in after["rows"] if row.get("ratios")}
    cells = []
    for name in [name for name in old if name in new]:
        a, b = old[name], new[name]
        change = middle(b["ratios"])[1] / middle(a["ratios"])[1] - 1
        cells.append((name, spread(a["ratios"]), spread(b["ratios"]), f"{change:+.1%}", verdict(a, b)))
    return cells


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What else differs between the two, so that ratios may differ for another reason than the code."""
    same = ("processor", "cores", "python", "versions", "quick")
    return [f"{key}: {before.get(key)} and {after.get(key)}" for key in same if before.get(key) != after.get(key)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    options = parser.parse_args()
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (options.before, options.after))
    head = ("row", f"{before['commit']}", f"{after['commit']}", "change", "")
    cells = compared(before, after)
    widths = [max(len(row[i]) for row in [head, *cells]) for i in range(len(head))]
    for row in (head, *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    missing = {row["name"] for row in before["rows"]} ^ {row["name"] for row in after["rows"]}
    if missing:
        print(f"\nIn one of the two only: {', '.join(sorted(missing))}.")
    for line in differences(before, after):
        print(f"Not the same: {line}.")
    print(
        '\n"better", "worse": the quartiles (of few runs: all) do not overlap, and the medians differ by 5 % or more.'
    )


if __name__ == "__main__":
    main()
