"""docs/reference/models-of-files.md and its plots, from the rows of models_of_files.py. Called by report.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from figures import DETERMINISTIC, plain_ticks, saved
from harness import Row, middle
from models_of_files import CORES, QUESTION, RECIPES, SETS, SLOW
from report import by_question, machine, measure, number, peers_used, standard_error, table

from rosenblatt.plots.style import COLOURS, INK, MARKERS, canvas

TEXT = tuple(data.name for data in SETS if data.is_text)
FAMILIES = tuple(dict.fromkeys(recipe.family for recipe in RECIPES))
SHAPES = (*MARKERS, "X", "*")  # one for each family
PANELS = 3  # in a row of the plot
BUSY = CORES + 1.5  # a load average that runs of this benchmark do not make themselves

METHOD = Path(__file__).with_name("models_method.md")  # words for the page


def kept(results: dict[str, Any]) -> list[Row]:
    """What was measured, recipe by recipe."""
    order = [recipe.key for recipe in RECIPES]
    rows = [row for row in by_question(results["rows"], QUESTION) if not row.get("missing")]
    return sorted(rows, key=lambda row: order.index(row["more"]["key"]))


def times(row: Row) -> list[float]:
    return list(row["ours"] or row["peer"])


def name_of(row: Row) -> str:
    return str(row["ours_name"] or row["peer_name"])


def overview(rows: list[Row], value: Callable[[Row], float], shown: Callable[[float], str], mean: Callable[[Any], Any],
             best: Callable[[Any], Any], mean_name: str) -> str:  # fmt: skip
    """A line for each recipe and a column for each set; the best of each column bold; the mean where all texts are."""
    sets = [data.name for data in SETS if any(row["more"]["data"] == data.name for row in rows)]
    texts = [name for name in TEXT if name in sets]
    lines: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        lines.setdefault((row["more"]["side"], name_of(row)), {})[row["more"]["data"]] = value(row)
    for line in lines.values():
        if texts and all(name in line for name in texts):
            line[mean_name] = float(mean([line[name] for name in texts]))
    columns = [*texts, mean_name, *(name for name in sets if name not in texts)]
    top = {name: best([line[name] for line in lines.values() if name in line] or [np.nan]) for name in columns}
    cells = []
    for (side, recipe), line in lines.items():
        marked = [
            "" if name not in line else f"**{shown(line[name])}**" if line[name] == top[name] else shown(line[name])
            for name in columns
        ]
        cells.append((f"**{recipe}**" if side == "ours" else recipe, *marked))
    return table(("recipe (ours bold)", *columns), cells)


def detail(rows: list[Row]) -> str:
    """All that was measured on one set, the best first."""
    cells = []
    for row in sorted(rows, key=lambda row: -row["more"]["accuracy"]):
        more = row["more"]
        notes = [row["note"]] if row["note"] else []
        if "searched" in more:
            notes.append(f"searched for {more['searched']} s")
        runs = f"{len(times(row))} runs" if len(times(row)) > 1 else "1 run"
        cells.append((
            f"**{name_of(row)}**" if more["side"] == "ours" else name_of(row), f"{100 * more['accuracy']:.2f}",
            measure(times(row), "s"), measure(more.get("prepared", []), "s"), f"{number(middle(more['cpu'])[1])} s",
            "; ".join([runs, *notes]),
        ))  # fmt: skip
    return table(("recipe (ours bold)", "right, %", "time", "of which converting", "CPU", "note"), cells)


def page(results: dict[str, Any]) -> str:
    """The page, or nothing where nothing was measured."""
    rows = kept(results)
    if not rows:
        return ""
    commits = " and ".join(dict.fromkeys(row["more"]["commit"] for row in rows if row["more"]["side"] == "ours"))
    by_us = f"rosenblatt {results['rosenblatt']} at commit {commits}" if commits else "rosenblatt is not measured"
    absent = [row for row in by_question(results["rows"], QUESTION) if row.get("missing")]
    parts = [
        "# The model of a file",
        "*Given a file and no knowledge, how good is the model, and how long does it take?*",
        "Made by `python benchmarks/report.py` from `benchmarks/results_models.json`, which `python "
        "benchmarks/models_of_files.py` writes; nothing here is typed.",
        f"{by_us}, {results['date']}. {machine(results)}. Python {results['python']}; {peers_used(results)}.",
        busy(rows),
        "![Error by time, mean of the text sets](../images/bench-models-mean.svg)",
        "Error and time of each recipe that all text sets have; lower and to the left is better. The points of a "
        "family are joined (passes, n-grams, budgets). What errs more than twice as often as the best stands at the "
        "top.",
        "## Right on unseen rows, %",
        overview(rows, lambda row: 100 * row["more"]["accuracy"], lambda v: f"{v:.2f}", np.mean, max, "mean of texts"),
        "## Seconds",
        overview(rows, lambda row: middle(times(row))[1], number, lambda v: np.exp(np.mean(np.log(v))), min,
                 "geometric mean of texts"),
        "## Seconds of processors",
        overview(rows, lambda row: middle(row["more"]["cpu"])[1], number, lambda v: np.exp(np.mean(np.log(v))), min,
                 "geometric mean of texts"),
        "## Set by set",
        "![Error by time, set by set](../images/bench-models.svg)",
    ]  # fmt: skip
    for data in SETS:
        own = [row for row in rows if row["more"]["data"] == data.name]
        if own:
            more = own[0]["more"]
            error = 100 * standard_error(max(row["more"]["accuracy"] for row in own), more["n"])
            parts += [
                f"**{data.name}**: {own[0]['what']}; {more['rows']:,} rows to learn from, {more['n']:,} unseen, "
                f"standard error {error:.2f} % at best.",
                detail(own),
            ]
    if absent:
        reasons = dict.fromkeys(row["missing"] for row in absent)
        names = {why: ", ".join(f"`{row['name']}`" for row in absent if row["missing"] == why) for why in reasons}
        parts += ["## Not measured", "\n".join(f"- {names[why]}: {why}" for why in reasons)]
    parts.append(METHOD.read_text(encoding="utf-8").format(cores=CORES, slow=SLOW).rstrip())
    return "\n\n".join(part for part in parts if part) + "\n"


def busy(rows: list[Row]) -> str:
    """A sentence where others used the machine meanwhile."""
    loads = [row["more"]["load"] for row in rows if row["more"].get("load")]
    if not loads or max(loads) < BUSY:
        return ""
    return (
        f"**The machine was busy**: its load average was {number(min(loads))} to {number(max(loads))} as these runs "
        "began. Times by the clock are longer than on an idle one, and those of processors say more."
    )


def points(ax: Any, lines: dict[str, list[tuple[float, float]]]) -> None:
    """Error by time; the variants of a family are joined in the order of their time.

    What errs more than twice as often as the best stands at the top with its error, so that the others are told apart.
    """
    top = 2 * min(error for of_family in lines.values() for _, error in of_family)
    for family, of_family in lines.items():
        i, ours = FAMILIES.index(family), family.startswith("rosenblatt")
        x, errors = zip(*sorted(of_family))
        size = {"markersize": 11 if ours else 8, "markeredgewidth": 0.8 + ours, "zorder": 3 + ours, "linewidth": 1.2}
        ax.plot(x, np.minimum(errors, top), color=COLOURS[i % len(COLOURS)], marker=SHAPES[i],
                markeredgecolor=INK, label=family, **size)  # fmt: skip
        for seconds, error in zip(x, errors):
            if error > top:
                ax.annotate(f"{error:.0f} %", (seconds, top), (0, -14), textcoords="offset points", ha="center",
                            va="top", color=INK, fontsize=10)  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
    plain_ticks(ax.xaxis)
    ax.grid(color="#dddddd", linewidth=0.8)
    ax.set_axisbelow(True)


def by_family(rows: list[Row], point: Callable[[list[Row]], tuple[float, float]]) -> dict[str, list[Any]]:
    """The points of each family, one for each recipe."""
    recipes: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        recipes.setdefault((row["more"]["family"], row["more"]["key"]), []).append(row)
    lines: dict[str, list[Any]] = {}
    for (family, _), own in recipes.items():
        lines.setdefault(family, []).append(point(own))
    return {family: lines[family] for family in FAMILIES if family in lines}


def centre(rows: list[Row]) -> tuple[float, float]:
    """The geometric mean of the times, and the mean of the errors, %."""
    seconds = np.exp(np.mean([np.log(middle(times(row))[1]) for row in rows]))
    return float(seconds), float(100 - 100 * np.mean([row["more"]["accuracy"] for row in rows]))


def draw(results: dict[str, Any], folder: Path, kind: str = "svg") -> None:
    """The mean of the text sets, and a panel for each set."""
    rows = kept(results)
    if not rows:
        return
    mpl.use("Agg")
    with mpl.rc_context(DETERMINISTIC):
        texts = [row for row in rows if row["more"]["data"] in TEXT]
        sets = {row["more"]["data"] for row in texts}
        everywhere = [
            row for row in texts
            if {one["more"]["data"] for one in texts if one["more"]["key"] == row["more"]["key"]} == sets
        ]  # fmt: skip
        if everywhere:
            with canvas(None, "the plot of models", (9.0, 5.4)) as ax:
                points(ax, by_family(everywhere, centre))
                ax.set(xlabel="seconds from file to model (geometric mean)", ylabel="error, % (mean)")
                ax.set_title(f"{len(sets)} text sets")
                ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
                saved(ax, folder / f"bench-models-mean.{kind}")
        names = [data.name for data in SETS if any(row["more"]["data"] == data.name for row in rows)]
        height = -(-len(names) // PANELS)
        with canvas(None, "the plot of models", (13.0, 3.6 * height + 0.9), nrows=height, ncols=PANELS) as axes:
            panels = list(np.ravel(axes))
            for ax, name in zip(panels, names):
                points(ax, by_family([row for row in rows if row["more"]["data"] == name], centre))
                ax.set_title(name)
            for ax in panels[len(names) :]:
                ax.set_visible(False)
            for ax in panels[: len(names)][-PANELS:]:
                ax.set_xlabel("seconds")
            for ax in panels[::PANELS]:
                ax.set_ylabel("error, %")
            shown = {label: line for ax in panels for line, label in zip(*ax.get_legend_handles_labels())}
            ordered = [family for family in FAMILIES if family in shown]
            panels[0].figure.legend([shown[family] for family in ordered], ordered, loc="outside lower center", ncols=4)
            saved(panels[0], folder / f"bench-models.{kind}")
