"""docs/reference/benchmarks.md, its plots, and the table of the README, from the JSON of a run. No number is typed.

``python benchmarks/report.py benchmarks/results.json``

A ``results_models.json`` beside it, which models_of_files.py writes, becomes docs/reference/models-of-files.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, middle, reached

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
#: The rows that open the page.
SHORT = (
    "sparse", "dense", "classes", "averaged", "partial_fit", "learn_one", "text-1", "text-predict", "20news",
    "svmlight-reals", "train-svmlight", "train-text", "imdb-90-cold", "first-fit",
)  # fmt: skip
#: Those of them that the README shows: one of each kind of work, and one where a peer is faster.
FEWEST = ("sparse", "dense", "classes", "partial_fit", "text-1", "imdb-90-cold", "first-fit")
#: Each question: its heading and what is asked.
QUESTIONS = {
    "passes": ("Passes per second", "How long do five passes take, on sparse and dense rows, with two and ten classes, "
               "as rows, columns and stored entries grow?"),
    "text": ("From raw text in Python", "How long from a list of texts to a trained model, or to labels?"),
    "files": ("From a file", "How long to parse svmlight files, and for the whole command from a file to a model on "
              "disk?"),
    "target": ("Time to a given accuracy", "How long from a raw file to a model that is right on so many unseen rows, "
               "with and without starting Python and importing everything?"),
    "accuracy": ("Accuracy", "How often is each learner right on unseen rows, after the same number of passes over the "
                 "same features?"),
    "one": ("One example at a time", "What does one call cost when examples come one by one?"),
    "memory": ("Memory", "How much memory does `fit` need beyond the data, and does a stream need more when the file "
               "is longer?"),
    "startup": ("Start-up", "How long until the package is there, and until a first model is?"),
    "separation": ("Separation of separable data", "Of problems that a hyperplane does separate, how many does each "
                   "learner separate?"),
    "growth": ("How cost grows", "What do ten times the rows, more classes, or a second thread change?"),
    "kernels": ("In kernel space", "How long do a pass of training and a vote take in the space of a kernel (MNIST, "
                "`K = (1 + x·x')⁴`, ten classes)?"),
    "sequences": ("Sentences", "How long do taggers take to learn and to tag, how much memory, and how often are they "
                  "right?"),
    "shards": ("On a cluster", "What are two workers worth, what travels between them, and what does a cluster cost?"),
    "contract": ("scikit-learn's contract", "How many of scikit-learn's own checks does each estimator pass?"),
    "ceilings": ("Ceilings of the machine", "How near is each kernel to what the machine can do at most?"),
}  # fmt: skip

METHOD = Path(__file__).with_name("method.md")  # how times are taken, and fairness: words for the page


def by_question(rows: Iterable[Row], question: str) -> list[Row]:
    return [row for row in rows if row["question"] == question]


def number(value: float) -> str:
    """Three digits, without an exponent."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-3 else f"{value:.2g}"


def spread(values: list[float], unit: str = "", scale: float = 1.0) -> str:
    """The median and, of more than one value, the quartiles in brackets."""
    low, median, high = (scale * value for value in middle(values))
    text = f"{number(median)}{unit}"
    return text if len(values) == 1 else f"{text} ({number(low)}–{number(high)})"


def measure(values: list[float], unit: str) -> str:
    """Values with their unit, in one that reads well."""
    if not values:
        return ""
    if unit == "B":
        return spread(values, " MB", 1e-6)
    if unit in ("share", "accuracy"):
        return f"{100 * values[0]:.{0 if unit == 'share' else 2}f} %"
    if unit == "us":
        return spread(values, " µs", 1e6)
    if unit == "s" and middle(values)[1] < 0.1:
        return spread(values, " ms", 1e3)
    return spread(values, f" {unit}")


def peer_wins(row: Row) -> bool:
    """Whether a peer was faster at the same work (more than 1 % in the median)."""
    if (
        row.get("missing")
        or row["at_most"]
        or row["question"] in ("ceilings", "shards")
        or row["peer_name"] == "1 thread"
    ):
        return False
    return bool(row["ratios"]) and middle(row["ratios"])[1] < 0.99


def asked(row: Row) -> str:
    if row["reach"] is None:
        return ""
    sign = "≤" if row["at_most"] else "≥"
    aim = "" if row["aim"] is None else f", aim {row['aim']:g}"
    verdict = {True: "", False: " **short**", None: ""}[reached(row)]
    return f"{sign} {row['reach']:g}{aim}{verdict}"


def table(head: tuple[str, ...], cells: Iterable[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
    return "\n".join(lines)


def side(row: Row, which: str) -> str:
    """Who, and the time."""
    text = measure(row[which], row["unit"])
    passes = row["more"].get("passes")
    if passes and row["question"] == "passes" and row[which]:
        text += f", {number(passes / middle(row[which])[1])} passes/s"
    return f"{row[which + '_name']}: {text}" if row[which] else row[which + "_name"]


def ratio(row: Row) -> str:
    if not row["ratios"]:
        return ""
    ratio = spread(row["ratios"], "" if row["at_most"] else "×")
    return f"**{ratio}, the peer is faster**" if peer_wins(row) else ratio


def races(rows: list[Row]) -> str:
    """The table of rows that have two sides."""
    cells = [
        (f"`{row['name']}`", row["what"], side(row, "ours"), side(row, "peer"), ratio(row), asked(row)) for row in rows
    ]  # fmt: skip
    return table(("name", "work", "ours", "peer", "ratio", "asked"), cells)


def notes(rows: list[Row]) -> str:
    notes = [f"- `{row['name']}`: {row['note']}." for row in rows if row.get("note") and row["question"] != "accuracy"]
    return "\n".join(notes)


def outcome(rows: list[Row]) -> str:
    """One sentence on races."""
    timed = [row for row in rows if row["ratios"] and not row["at_most"] and row["peer_name"] != "1 thread"]
    limits = [row for row in rows if row["ratios"] and row["at_most"]]
    sentences = []
    if timed:
        ratios = [middle(row["ratios"])[1] for row in timed]
        ahead = sum(not peer_wins(row) for row in timed)
        sentences.append(
            f"Ours is ahead or level in {ahead} of {len(timed)} rows, by ratios from {number(min(ratios))} to "
            f"{number(max(ratios))}, {number(float(np.median(ratios)))} in the middle."
        )
    if limits:
        kept = sum(bool(reached(row)) for row in limits)
        sentences.append(f"{kept} of {len(limits)} limits are kept.")
    return " ".join(sentences)


def plain(rows: list[Row]) -> str:
    return "\n\n".join(part for part in (outcome(rows), races(rows), notes(rows)) if part)


def passes(rows: list[Row]) -> str:
    return plain(rows) + "\n\n![Stored entries a second](../images/bench-passes.svg)"


def standard_error(p: float, n: int) -> float:
    return float(np.sqrt(p * (1 - p) / n))


def accuracy(rows: list[Row]) -> str:
    """A table for each data set, the best first; kernel learners and SVC saw fewer rows, as their note says."""
    parts, sentences = [], []
    for data in dict.fromkeys(row["more"]["data"] for row in rows):
        own = [row for row in rows if row["more"]["data"] == data]
        n, what = own[0]["more"]["n"], own[0]["what"]
        by_name: dict[tuple[str, str, str], dict[int, float]] = {}
        for row in own:
            which = row["more"]["side"]
            key = (which, row[which + "_name"], row["note"])
            by_name.setdefault(key, {})[row["more"]["passes"]] = row[which][0]
        best = {
            which: max((one, key[1]) for key, values in by_name.items() if key[0] == which for one in values.values())
            for which in ("ours", "peer")
            if any(key[0] == which for key in by_name)
        }  # fmt: skip
        if len(best) == 2:
            (mine, my_name), (theirs, their_name) = best["ours"], best["peer"]
            error = standard_error(theirs, n)
            word = (
                "ahead"
                if mine > theirs + error
                else "behind"
                if mine < theirs - error
                else "level, within a standard error"
            )
            sentences.append(
                f"{data}: {100 * mine:.2f} % ({my_name}) against {100 * theirs:.2f} % ({their_name}), {word}"
            )
        top = max(max(values.values()) for values in by_name.values())
        cells = []
        for (which, name, note), values in sorted(by_name.items(), key=lambda item: -max(item[1].values())):
            shown = [f"{100 * values[p]:.2f}" if p in values else "" for p in (5, 20)]
            whole = f"{100 * values[0]:.2f}" if 0 in values else ""
            cells.append((f"**{name}**" if which == "ours" else name, *shown, whole, note))
        parts.append(
            f"**{data}**: {what}; {n:,} unseen rows, standard error {100 * standard_error(top, n):.2f} % at best.\n\n"
            + table(("learner (ours bold)", "5 passes, %", "20 passes, %", "to the end, %", "note"), cells)
        )
    said = "The best of each side: " + "; ".join(sentences) + "."
    words = (
        "Learners in kernel space and `SVC` are trained on a part of the rows, as the note says, since their cost "
        "grows with the square of them; on text, with its million columns, they are left out. "
        "`OnlineClassifier` is left out, as its default is the `Perceptron`. One seed."
    )
    return "\n\n".join([said, words, "![Accuracy by data set](../images/bench-accuracy.svg)", *parts])


def separation(rows: list[Row]) -> str:
    cells = []
    for row in rows:
        kinds = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in row["more"]["peer"].items() if share < 1)
        cells.append((f"`{row['name']}`", row["what"], side(row, "ours"), side(row, "peer"), kinds))
    ours = {row["ours_name"]: row["ours"][0] for row in rows}
    worst = {row["peer_name"]: row["peer"][0] for row in rows if "default" in row["name"]}
    said = "Ours separates " + ", ".join(f"{100 * share:.0f} % ({name})" for name, share in ours.items())
    said += "; at their defaults " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in worst.items()) + "."
    return said + "\n\n" + table(("name", "problems", "ours", "peer", "where the peer fell short"), cells)


def exponent(points: list[tuple[float, float]]) -> float:
    """The slope of a line through the points, both axes logarithmic."""
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def lines_of(rows: list[Row]) -> dict[tuple[str, str], dict[str, list[tuple[float, float]]]]:
    """Points of every series: (axis, series) to ours and the peer's."""
    series: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        if "series" in row["more"]:
            both = series.setdefault((row["more"]["axis"], row["more"]["series"]), {"ours": [], "peer": []})
            for which in both:
                both[which].append((row["more"]["x"], middle(row[which])[1]))
    return series


def growth(rows: list[Row]) -> str:
    cells = []
    for (axis, series), both in lines_of(rows).items():
        values = [f"{exponent(both[which]):.2f}" if len(both[which]) > 1 else "" for which in ("ours", "peer")]
        span = f"{both['ours'][0][0]:,.0f} to {both['ours'][-1][0]:,.0f}"
        cells.append((series, axis, span, *values))
    said = "Time grows as a power of the size; 1 is in proportion. " + "; ".join(
        f"{series}: {ours} in {axis}, the peer's {theirs}" for series, axis, _, ours, theirs in cells
    )  # fmt: skip
    threads = [
        f"two threads make `{row['name']}` {ratio(row)} as fast" for row in rows if row["peer_name"] == "1 thread"
    ]
    parts = [said + "." + (" " + "; ".join(threads).capitalize() + "." if threads else "")]
    if cells:
        parts.append(table(("work", "grows in", "from … to", "exponent, ours", "exponent, peer"), cells))
        parts.append(
            "![Time by rows](../images/bench-growth-rows.svg)\n\n![Time by classes](../images/bench-growth-classes.svg)"
        )
    return "\n\n".join([*parts, outcome(rows), races(rows)])


def contract(rows: list[Row]) -> str:
    cells = [
        (row["ours_name"], f"{row['ours'][0]:.0f} of {row['more']['of']}", row["learned"] or "none") for row in rows
    ]
    first = rows[0]
    cells.append((first["peer_name"], f"{first['peer'][0]:.0f} of {first['more']['peer_of']}",
                  ", ".join(first["more"]["peer_failed"]) or "none"))  # fmt: skip
    whole = sum(row["ours"][0] == row["more"]["of"] for row in rows)
    shared = set.intersection(
        *(set(filter(None, row["learned"].split(", "))) for row in rows if row["learned"]),
        set(first["more"]["peer_failed"]),
    )
    said = f"{whole} of {len(rows)} estimators pass every check that applies to them"
    said += (
        f"; what fails elsewhere fails in scikit-learn's Perceptron too: {', '.join(sorted(shared))}."
        if shared
        else "."
    )
    return said + "\n\n" + table(("estimator", "checks passed", "failed"), cells)


def ceilings(rows: list[Row]) -> str:
    plain_rows = [row for row in rows if not row["ratios"]]
    shares = [row for row in rows if row["ratios"]]
    parts = []
    if shares:
        passes = [row for row in shares if row["reach"] is not None]
        near = sum(bool(reached(row)) for row in passes)
        parts.append(f"{near} of {len(passes)} kernels of a pass are at half or more of the ceiling that binds them.")
    if plain_rows:
        cells = [
            (f"`{row['name']}`", row["what"], row["ours_name"], measure(row["ours"], row["unit"])) for row in plain_rows
        ]
        parts.append(table(("name", "ceiling", "by", "rate"), cells))
    if shares:
        parts.append(
            "The least time is what the ceiling allows for the bytes that must move, the weights that must be "
            "gathered, or the products that must be summed; where several apply, the longest binds. The share is that "
            "time over the one measured, which can pass 100 % where data repeat in caches."
        )
        cells = [
            (f"`{row['name']}`", row["what"], measure(row["ours"], "s"),
             f"{row['peer_name']}: {measure(row['peer'], 's')}",
             spread(row["ratios"], " %", 100) + (" **below half**" if reached(row) is False else ""))
            for row in shares
        ]  # fmt: skip
        parts += [table(("name", "work", "time", "ceiling that binds", "share"), cells), notes(shares)]
        parts.append("![Shares of the ceilings](../images/bench-ceilings.svg)")
    return "\n\n".join(part for part in parts if part)


def shards(rows: list[Row]) -> str:
    """Those that are timed; the others are on a page of their own."""
    timed = [row for row in rows if row["ratios"]]
    return "\n\n".join([*([races(timed)] if timed else []), "More, and what follows from it: [shards](scaling.md)."])


SECTIONS: dict[str, Callable[[list[Row]], str]] = {
    "passes": passes, "accuracy": accuracy, "separation": separation, "growth": growth, "contract": contract,
    "ceilings": ceilings, "shards": shards,
}  # fmt: skip


def machine(results: dict[str, Any]) -> str:
    memory = f", {results['memory'] / 2**30:.0f} GiB of memory" if results.get("memory") else ""
    return f"{results['cores']} cores of an {results['processor']}{memory}, {results['system']}"


def peers_used(results: dict[str, Any]) -> str:
    return ", ".join(f"{name} {number}" for name, number in results["versions"].items())


def short(results: dict[str, Any], names: Iterable[str] = SHORT) -> str:
    """The rows that say most."""
    rows = {row["name"]: row for row in results["rows"]}
    cells = [
        (rows[name]["what"], rows[name]["ours_name"], rows[name]["peer_name"], ratio(rows[name]))
        for name in names if name in rows and not rows[name].get("missing")
    ]  # fmt: skip
    return table(("work", "ours", "against", "ratio (quartiles)"), cells)


def readme_part(results: dict[str, Any]) -> str:
    return (
        f"Against peers in the same run, {machine(results)}, {results['date']}, medians of {results['repeats']} runs "
        "of each\nin turns; above 1 ours is faster. `make bench` repeats it all: "
        "[benchmarks](docs/reference/benchmarks.md).\n\n"
        f"{short(results, FEWEST)}"
    )


def page(results: dict[str, Any]) -> str:
    """docs/reference/benchmarks.md."""
    rows = [row for row in results["rows"] if not row.get("missing")]
    absent = [row for row in results["rows"] if row.get("missing")]
    minutes = results.get("took", 0) / 60
    parts = [
        "# Benchmarks",
        "Made by `make bench` (benchmarks/report.py) from `benchmarks/results.json`; nothing here is typed.",
        f"rosenblatt {results['rosenblatt']} at commit {results['commit']}, {results['date']}. {machine(results)}. "
        f"Python {results['python']}; {peers_used(results)}. {results['repeats']} runs of each side; {minutes:.0f} "
        "minutes in all.",
        results.get("note", ""),
        "## In short",
        short(results),
        "![Ratios](../images/bench-ratios.svg)",
    ]
    for key, (title, question) in QUESTIONS.items():
        own = by_question(rows, key)
        if own:
            parts += [f"## {title}", f"*{question}*", SECTIONS.get(key, plain)(own)]
    faster = [row for row in rows if peer_wins(row)]
    parts.append("## Where a peer is faster")
    parts.append("\n".join(
        f"- `{row['name']}`: {row['what']}; {row['peer_name']}, ratio {spread(row['ratios'], '×')}"
        + (f". {row['note'][0].upper()}{row['note'][1:]}." if row["note"] else ".") for row in faster
    ) or "Nowhere in these rows.")  # fmt: skip
    missed = [row for row in rows if reached(row) is False]
    parts.append("## Short of what is asked")
    parts.append("\n".join(
        f"- `{row['name']}`: {row['what']}: {spread(row['ratios'])}, "
        f"asked {'≤' if row['at_most'] else '≥'} {row['reach']:g}"
        for row in missed
    ) or "Nothing.")  # fmt: skip
    if absent:
        parts.append("## Not measured")
        parts.append("\n".join(f"- `{row['name']}`: {row['missing']}" for row in absent))
    parts.append(METHOD.read_text(encoding="utf-8").format(repeats=results["repeats"]).rstrip())
    learned = [
        f"- `{row['name']}`: {row['learned']}" for row in rows if row["learned"] and row["question"] != "contract"
    ]
    if learned:
        parts += ["## What both sides learned", "\n".join(learned)]
    return "\n\n".join(part for part in parts if part) + "\n"


def between_markers(text: str, inner: str) -> str:
    """The text with what stands between the markers replaced."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md needs the lines {BEGIN} and {END} around its table")
    return f"{head}{BEGIN}\n{inner}\n{END}{tail}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the JSON that bench.py wrote")
    parser.add_argument("--root", type=Path, default=ROOT, help="where docs/ and README.md are")
    options = parser.parse_args()
    results = json.loads(options.results.read_text(encoding="utf-8"))
    images, pages = options.root / "docs" / "images", options.root / "docs" / "reference"
    for folder in (images, pages):
        folder.mkdir(parents=True, exist_ok=True)
    (pages / "benchmarks.md").write_text(page(results), encoding="utf-8")
    readme = options.root / "README.md"
    if readme.exists():
        readme.write_text(between_markers(readme.read_text(encoding="utf-8"), readme_part(results)), encoding="utf-8")
    import figures
    import models_page
    import scaling

    figures.draw(results, images)
    scaling.draw(results, images)
    if text := scaling.page(results):
        (pages / "scaling.md").write_text(text, encoding="utf-8")
    models = options.results.with_name("results_models.json")
    if models.exists():
        results = json.loads(models.read_text(encoding="utf-8"))
        (pages / "models-of-files.md").write_text(models_page.page(results), encoding="utf-8")
        models_page.draw(results, images)


if __name__ == "__main__":
    main()
