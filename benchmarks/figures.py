"""The plots of docs/reference/benchmarks.md, from the rows of a run, in the style of ``rosenblatt.plots``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import report
from harness import Row, middle

from rosenblatt.plots.style import COLOURS, DASHES, INK, MARKERS, PLATE, QUIET, canvas

OURS, PEER = COLOURS[0], COLOURS[1]
DETERMINISTIC: dict[str, Any] = {"svg.hashsalt": "rosenblatt", "svg.fonttype": "path"}
SMALL = {"fontsize": 11}
LEAST_SHOWN = 65  # per cent: a few steps of batch descent would squeeze all the others into a corner


def saved(ax: Any, path: Path) -> None:
    figure = ax.figure
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    mpl.pyplot.close(figure)


def ratios(results: dict[str, Any], path: Path) -> None:
    """The rows of the short table, a bar each from 1."""
    rows = {row["name"]: row for row in results["rows"]}
    chosen = [rows[name] for name in report.SHORT if name in rows and rows[name].get("ratios")]
    if not chosen:
        return
    with canvas(None, "the plot of ratios", (9.0, 0.42 * len(chosen) + 1.4)) as ax:
        for i, row in enumerate(reversed(chosen)):
            low, ratio, high = middle(row["ratios"])
            ax.barh(i, ratio - 1, left=1, height=0.62, color=OURS if ratio >= 1 else PEER)
            ax.plot([low, high], [i, i], color=INK, linewidth=1.5)
            ax.text(max(ratio, high, 1) * 1.06, i, f"{report.number(ratio)}×", va="center", color=INK, **SMALL)
        ax.axvline(1, color=INK, linewidth=1)
        ax.set(xscale="log", yticks=range(len(chosen)), yticklabels=[row["name"] for row in reversed(chosen)])
        ax.set_xlim(
            min(0.5, *(0.8 * middle(row["ratios"])[0] for row in chosen)),
            1.9 * max(middle(row["ratios"])[2] for row in chosen),
        )
        plain_ticks(ax.xaxis)
        ax.set_xlabel("times as fast as the peer (line: quartiles)")
        saved(ax, path)


def plain_ticks(axis: Any) -> None:
    """Numbers on a logarithmic axis as they are."""
    axis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(mpl.ticker.NullFormatter())


def entries(results: dict[str, Any], path: Path) -> None:
    """Millions of stored entries a second, of ours and the peer."""
    chosen = [row for row in report.by_question(results["rows"], "passes") if "stored" in row.get("more", {})]
    if not chosen:
        return
    with canvas(None, "the plot of passes", (9.0, 0.4 * len(chosen) + 1.6)) as ax:
        for i, row in enumerate(reversed(chosen)):
            rate = row["more"]["stored"] * row["more"]["passes"] / 1e6
            mine, theirs = (rate / middle(row[side])[1] for side in ("ours", "peer"))
            ax.plot([theirs, mine], [i, i], color=QUIET, linewidth=1.2, zorder=1)
            ax.scatter(mine, i, color=OURS, marker=MARKERS[0], s=55, label="ours" if i == 0 else None)
            ax.scatter(theirs, i, color=PEER, marker=MARKERS[1], s=55, label="peer" if i == 0 else None)
        ax.set(xscale="log", yticks=range(len(chosen)), yticklabels=[row["name"] for row in reversed(chosen)])
        plain_ticks(ax.xaxis)
        ax.set_xlabel("million stored entries a second")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        saved(ax, path)


def growth(results: dict[str, Any], axis: str, path: Path) -> None:
    """Seconds by size, both axes logarithmic; the exponent stands in the legend."""
    rows = [row for row in report.by_question(results["rows"], "growth") if not row.get("missing")]
    lines = {series: both for (on, series), both in report.lines_of(rows).items() if on == axis}
    if not lines:
        return
    with canvas(None, "the plot of growth", (10.0, 5.2)) as ax:
        for i, (series, both) in enumerate(lines.items()):
            for side, dash, filled in (("ours", DASHES[0], True), ("peer", DASHES[1], False)):
                x, y = zip(*both[side], strict=True)
                power = f", exponent {report.exponent(both[side]):.2f}" if len(x) > 1 else ""
                colour = COLOURS[i % len(COLOURS)]
                ax.plot(x, y, linestyle=dash, color=colour, marker=MARKERS[i % len(MARKERS)],
                        markerfacecolor=colour if filled else "white", label=f"{series}: {side}{power}")  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel=axis, ylabel="seconds")
        plain_ticks(ax.xaxis)
        plain_ticks(ax.yaxis)
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
        saved(ax, path)


def best_passes(row: Row) -> int:
    return int(row["more"]["passes"])


def accuracy(results: dict[str, Any], path: Path) -> None:
    """A strip of points for each data set: all learners after 20 passes, and the commands as they come."""
    rows = [row for row in report.by_question(results["rows"], "accuracy") if not row.get("missing")]
    names = list(dict.fromkeys(row["more"]["data"] for row in rows))
    if not names:
        return
    with canvas(None, "the plot of accuracy", (9.0, 0.95 * len(names) + 1.5), nrows=1) as ax:
        for i, data in enumerate(reversed(names)):
            for side, colour, marker, shift in (("ours", OURS, MARKERS[0], 0.14), ("peer", PEER, MARKERS[1], -0.14)):
                values = [
                    100 * row[side][0] for row in rows
                    if row["more"]["data"] == data and row["more"]["side"] == side and best_passes(row) != 5
                ]  # fmt: skip
                label = f"{side}, 20 passes" if i == 0 else None
                ax.scatter(
                    values, np.full(len(values), i + shift), color=colour, marker=marker, s=60, alpha=0.75, label=label
                )
            command = [
                row["ours"][0] for row in rows if row["more"]["data"] == data and "as it comes" in row["ours_name"]
            ]
            if command:
                ax.scatter(100 * command[0], i + 0.14, facecolor="none", edgecolor=INK, marker="o", s=170,
                           label="rosenblatt train, as it comes" if i == len(names) - 1 else None)  # fmt: skip
        ax.set(yticks=range(len(names)), yticklabels=list(reversed(names)), xlabel="right on unseen rows, %")
        ax.set_ylim(-0.5, len(names) - 0.5)
        if any((row["ours"] or row["peer"])[0] < LEAST_SHOWN / 100 for row in rows):
            ax.set_xlim(left=LEAST_SHOWN)
            ax.set_xlabel(f"right on unseen rows, % (below {LEAST_SHOWN} not shown)")
        ax.grid(axis="x", color="#dddddd", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=3)
        saved(ax, path)


def shares(results: dict[str, Any], path: Path) -> None:
    """Each kernel's share of the ceiling that binds it."""
    chosen = [row for row in report.by_question(results["rows"], "ceilings") if row.get("ratios")]
    if not chosen:
        return
    with canvas(None, "the plot of ceilings", (9.0, 0.45 * len(chosen) + 1.4)) as ax:
        for i, row in enumerate(reversed(chosen)):
            share = 100 * middle(row["ratios"])[1]
            ax.barh(i, share, height=0.62, color=OURS if share >= 50 else PEER)
            ax.text(share + 1.5, i, f"{share:.0f} %", va="center", color=INK, bbox=PLATE, **SMALL)
        ax.axvline(50, color=INK, linewidth=1, linestyle=DASHES[1])
        ax.axvline(100, color=INK, linewidth=1)
        names = [row["name"].removeprefix("share-") for row in reversed(chosen)]
        ax.set(yticks=range(len(chosen)), yticklabels=names, xlabel="share of the ceiling that binds, %")
        ax.set_xlim(0, max(110, *(108 * middle(row["ratios"])[1] + 5 for row in chosen)))
        saved(ax, path)


def draw(results: dict[str, Any], folder: Path, kind: str = "svg") -> None:
    """All plots; those without rows are left out."""
    mpl.use("Agg")
    import matplotlib.pyplot

    with matplotlib.rc_context(DETERMINISTIC):
        ratios(results, folder / f"bench-ratios.{kind}")
        entries(results, folder / f"bench-passes.{kind}")
        for axis in ("rows", "classes"):
            growth(results, axis, folder / f"bench-growth-{axis}.{kind}")
        accuracy(results, folder / f"bench-accuracy.{kind}")
        shares(results, folder / f"bench-ceilings.{kind}")
