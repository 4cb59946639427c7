"""docs/reference/scaling.md: what shards cost and are worth, from the rows of shards.py; and what follows for a
billion examples on a hundred machines. Called by report.py; no number is typed but the assumptions.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
from figures import saved
from harness import Row, middle
from report import by_question, machine, measure, races, standard_error, table

from rosenblatt.plots.style import COLOURS, DASHES, MARKERS, canvas

#: Assumed, not measured: the examples, the machines, and what a network carries.
EXAMPLES, MACHINES, CORES, NETWORK = 10**9, 100, (1, 16), 1.25e9


def simulations(rows: list[Row]) -> list[Row]:
    return [row for row in rows if "shards" in row["more"]]


def page(results: dict[str, Any]) -> str:
    """The page, or nothing where nothing was measured."""
    rows = [row for row in by_question(results["rows"], "shards") if not row.get("missing")]
    if not rows:
        return ""
    parts = [
        "# Shards: what they cost and what they are worth",
        "Made by `python benchmarks/report.py` from `benchmarks/results.json`; nothing here is typed but the "
        "assumptions. How to use a cluster: [train on a cluster](../how-to/cluster.md).",
        f"{machine(results)}; {results['date']}.",
    ]
    timed = {row["name"]: row for row in rows if "shards" not in row["more"]}
    if timed:
        parts += ["## Two workers against one", workers(timed)]
    if simulations(rows):
        parts += ["## Passes and accuracy by the number of shards", accuracy(simulations(rows))]
    if "workers-2" in timed and "overhead" in timed:
        parts += ["## A billion examples on a hundred machines", billion(timed, simulations(rows))]
    return "\n\n".join(parts) + "\n"


def workers(timed: dict[str, Row]) -> str:
    said = [races([timed[name] for name in ("workers-2", "overhead") if name in timed])]
    if "bytes" in timed:
        moved, weights = timed["bytes"]["ours"], timed["bytes"]["peer"]
        cells = [
            (str(i + 1), measure([one], "B"), measure([weights[i - 1]], "B") if i else "none yet",
             f"{one / weights[i - 1]:.2f}" if i else "")
            for i, one in enumerate(moved)
        ]  # fmt: skip
        said.append(
            "What travels: the weights in use to each worker, and from each the rows that its pass has changed, as "
            f"values. All weights and their sums, dense, would be {measure([timed['bytes']['more']['dense']], 'B')} "
            "each way."
        )
        said.append(table(("pass", "moved by 2 workers", "the weights it began with", "times the weights"), cells))
    return "\n\n".join(said)


def accuracy(rows: list[Row]) -> str:
    """A table for each data set, and its plot."""
    parts = [
        "Simulated: the shards learn one after another in one process, which gives the same bits as a cluster. The "
        "rows were shuffled once and cut into equal shards."
    ]
    for data in dict.fromkeys(row["more"]["data"] for row in rows):
        own = [row for row in rows if row["more"]["data"] == data]
        first = own[0]["more"]
        error = 100 * standard_error(max(max(row["ours"]) for row in own), first["n"])
        cells = [
            (row["ours_name"], row["more"]["mix"], str(row["more"]["shards"]),
             f"{first['rows'] / row['more']['shards']:,.0f}", *(f"{100 * one:.2f}" for one in row["ours"]))
            for row in own
        ]  # fmt: skip
        head = (
            "learner",
            "mix",
            "shards",
            "rows a shard",
            *(f"{k} pass{'es' if k > 1 else ''}, %" for k in first["passes"]),
        )
        parts.append(f"**{data}**: {own[0]['what']}; {first['n']:,} unseen rows, standard error {error:.2f} %.")
        parts += [f"![Accuracy by passes and shards, {data}](../images/bench-shards-{data}.svg)", table(head, cells)]
    return "\n\n".join(parts)


def billion(timed: dict[str, Row], rows: list[Row]) -> str:
    """Time and traffic of a pass, worked out."""
    one = middle(timed["overhead"]["ours"])[1] / timed["overhead"]["more"]["rows"]  # seconds an example, one core
    two = timed["workers-2"]["more"]
    combine = middle([whole - slow for whole, slow in zip(timed["workers-2"]["ours"], two["slowest"])])[1]
    weights = timed["bytes"]["more"]["dense"]
    cells = []
    for cores in CORES:
        shards = MACHINES * cores
        levels = math.ceil(math.log2(shards))
        between = math.ceil(math.log2(MACHINES))
        learning = EXAMPLES / shards * one
        mixing = levels * combine
        network = 2 * between * weights / NETWORK
        traffic = 2 * MACHINES * weights
        cells.append((
            f"{MACHINES} × {cores}", f"{shards:,}", f"{learning:,.0f} s", f"{mixing:.1f} s", f"{network:.1f} s",
            f"{learning + mixing + network:,.0f} s", f"{traffic / 1e9:.1f} GB",
            f"{100 * learning / (learning + mixing + network):.0f} %",
        ))  # fmt: skip
    near = [row for row in rows if row["more"]["data"] == "imdb" and row["more"]["shards"] in (1, 64, 256)]
    fits = "; ".join(
        f"{row['more']['shards']} shard{'s' if row['more']['shards'] > 1 else ''}, {row['more']['mix']}: "
        f"{100 * row['ours'][-1]:.2f} %" for row in near if row["ours_name"] == near[0]["ours_name"]
    )  # fmt: skip
    parts = [
        f"Measured above: {1e6 * one:.1f} µs for an example of text on one core, reading included; {combine:.2f} s "
        f"from the end of the slowest shard to the mixed weights of two. "
        f"Assumed: reviews of the same length, {NETWORK / 1.25e8:.0f} Gbit/s between machines, a tree of "
        "⌈log₂ shards⌉ levels in which every level costs what mixing two costs here, and at each level of machines all "
        f"{measure([weights], 'B')} of weights and sums once up and once down, as if every column were in use and "
        "changed in every pass.",
        table(("machines × cores", "shards", "learning", "mixing", "network", "a pass", "traffic of a pass", "share of "
               "the time that learns"), cells),
    ]  # fmt: skip
    if fits:
        most = max(row["more"]["shards"] for row in near)
        parts.append(
            f"What the shards cost in accuracy after {near[0]['more']['passes'][-1]} passes of imdb, simulated: "
            f"{fits}. There {most:,.0f} shards have {near[0]['more']['rows'] / most:,.0f} reviews each; of a billion "
            f"each of {MACHINES * CORES[-1]:,} would have {EXAMPLES / (MACHINES * CORES[-1]):,.0f}, and mixed weights "
            "differ less from one another the more examples each shard has."
        )
    return "\n\n".join(parts)


def draw(results: dict[str, Any], folder: Path, kind: str = "svg") -> None:
    """A plot for each data set: accuracy after passes, a line for each number of shards."""
    rows = simulations([row for row in by_question(results["rows"], "shards") if not row.get("missing")])
    for data in dict.fromkeys(row["more"]["data"] for row in rows):
        own = [row for row in rows if row["more"]["data"] == data]
        kinds = list(dict.fromkeys(row["ours_name"] for row in own))
        with canvas(None, "the plot of shards", (11.0, 4.6), ncols=len(kinds)) as axes:
            for ax, name in zip(axes if len(kinds) > 1 else [axes], kinds):
                for row in own:
                    if row["ours_name"] != name:
                        continue
                    more = row["more"]
                    place = sorted({one["more"]["shards"] for one in own}).index(more["shards"])
                    uniform = more["mix"] == "uniform"
                    ax.plot(more["passes"], [100 * one for one in row["ours"]], linestyle=DASHES[0 if uniform else 1],
                            color=COLOURS[place % len(COLOURS)], marker=MARKERS[place % len(MARKERS)],
                            label=f"{more['shards']}" if uniform else None)  # fmt: skip
                ax.set(xscale="log", xlabel="passes", title=name, xticks=own[0]["more"]["passes"])
                ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
                ax.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
            first = axes[0] if len(kinds) > 1 else axes
            first.set_ylabel("right on unseen rows, %")
            first.legend(title="shards (dashed: mixed by updates)", ncols=3)
            saved(first, folder / f"bench-shards-{data}.{kind}")
