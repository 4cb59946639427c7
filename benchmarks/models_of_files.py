"""The model of a file: accuracy on unseen rows and time, of our commands and of what others offer for the same file.

``python benchmarks/models_of_files.py [--sets NAME ...] [--recipes NAME ...] [--repeats 5] [--json FILE]``

Every recipe is a process of its own, started on the same CSV or svmlight file and ended when its model is on disk, all
pinned to two cores. Rows that FILE holds already and that are not measured now are kept, so that ``--recipes ours``
measures our commands again beside the peers of an earlier run; report.py makes docs/reference/models-of-files.md of it.
"""

from __future__ import annotations

import argparse
import csv
import functools
import io
import json
import math
import os
import re
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import target
from harness import Missing, Row, Setting, middle, peer, row
from processes import available_cores, done, ours, pinned, script

QUESTION = "models"
CORES = 2
SLOW = 8.0  # seconds: what takes longer is run once
TUNE_FACTOR = 10  # of the time of a default fit, which `tune --budget large` may take
Fold = tuple[Path, Path]  # a file to train on and one to be judged by


@dataclass(frozen=True)
class DataSet:
    """Files of one data set; with several folds accuracy is that of all of them, and each is one run."""

    name: str
    what: str
    is_text: bool
    folds: Callable[[Path], list[Fold]]
    triples: bool = False  # whether n-grams of three words are tried too: opinions, as in the paper of NBSVM


def packed(name: str, folder: Path) -> list[Fold]:
    train, test = (datasets.unpacked(folder, name, f"{part}.csv.gz") for part in ("train", "test"))
    return [(train, test)]


@functools.cache
def movie_reviews(folder: Path) -> list[Fold]:
    """The ten parts of its publication in pairs, each judged by what the others teach; rows shuffled (seed 0)."""
    with zipfile.ZipFile(datasets.source("movie_reviews", "movie_reviews.zip")) as archive:
        names = sorted(name for name in archive.namelist() if re.search(r"/cv\d+_\d+\.txt$", name))
        rows = [(name.split("/")[-2], archive.read(name).decode("utf-8", "replace")) for name in names]
    pairs = [int(name.split("/cv")[-1][0]) // 2 for name in names]  # cv0… and cv1…, cv2… and cv3…, …
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    folds = []
    for pair in range(5):
        fold = tuple(folder / f"movie_reviews-{pair}-{which}.csv" for which in ("train", "test"))
        for path, held_out in zip(fold, (False, True)):
            text = io.StringIO()
            writer = csv.writer(text)
            writer.writerow(("label", "text"))
            writer.writerows(rows[i] for i in order if (pairs[i] == pair) is held_out)
            path.write_text(text.getvalue(), encoding="utf-8", newline="")
        folds.append((fold[0], fold[1]))
    return folds


@functools.cache
def covtype(folder: Path) -> list[Fold]:
    """Every fifth row held out after one shuffle, seed 0: the split of ``datasets.covtype``."""
    header, *lines = datasets.unpacked(folder, "covtype", "covtype.csv.gz").read_bytes().splitlines()
    order = np.random.default_rng(0).permutation(len(lines))
    held_out = np.arange(len(lines)) % 5 == 0
    paths = (folder / "covtype-train.csv", folder / "covtype-test.csv")
    for path, chosen in zip(paths, (order[~held_out], order[held_out])):
        path.write_bytes(b"\n".join([header, *(lines[i] for i in chosen.tolist())]) + b"\n")
    return [paths]


def a9a(folder: Path) -> list[Fold]:
    return [target.a9a(folder)]


SETS = (
    DataSet("imdb", "film reviews, 2 classes", True, partial(packed, "imdb"), triples=True),
    DataSet("20news", "newsgroups by date, with headers, 20 classes", True, partial(packed, "20news")),
    DataSet("movie_reviews", "long film reviews, 2 classes, five folds", True, movie_reviews, True),
    DataSet("mr", "sentences of film reviews, 2 classes", True, partial(packed, "mr"), triples=True),
    DataSet("tweet_emotion", "tweets, 4 emotions", True, partial(packed, "tweet_emotion")),
    DataSet("banking77", "questions to a bank, 77 intents", True, partial(packed, "banking77")),
    DataSet("reuters_r52", "news stories, 52 uneven topics", True, partial(packed, "reuters_r52")),
    DataSet("a9a", "census income, svmlight, 123 columns of 0 and 1, 2 classes", False, a9a),
    DataSet("covtype", "forest cover, CSV, 54 columns, 7 classes, every fifth row held out (shuffled, seed 0)", False,
            covtype),
)  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """One way from a file to a model, and how the model is judged."""

    key: str
    name: Callable[[], str]  # raises Missing where it is not installed
    family: str  # of the plot
    command: Callable[[Path, Path, int], list[str]]  # from (training file, model file, seconds that a search may take)
    judge: Callable[[Path, Path], float]  # accuracy, from (model file, file of unseen rows)
    fits: Callable[[DataSet], bool]
    note: str = ""
    as_long_as_ours: bool = False  # whether it searches for so many seconds as our largest search takes

    @property
    def side(self) -> str:
        return "ours" if self.family.startswith("rosenblatt") else "peer"


def our_accuracy(model: Path, test: Path) -> float:
    return float(json.loads(done(ours("evaluate", model, test, "--json")))["accuracy"])


def score_of(file: str) -> Callable[[Path, Path], float]:
    return lambda model, test: float(done(script(file, "score", model, test)))


def by_tune(budget: str) -> Recipe:
    def name() -> str:
        try:
            done(ours("tune", "--help"))
        except RuntimeError:
            raise Missing("this version of rosenblatt has no command `tune`") from None
        return f"rosenblatt tune --budget {budget}"

    return Recipe(
        f"tune-{budget}", name, "rosenblatt tune",
        lambda train, model, _: ours("tune", "--budget", budget, train, "-o", model), our_accuracy, lambda _: True,
    )  # fmt: skip


def by_script(
    key: str, file: str, package: str, what: str, family: str, recipe: str, fits: Callable[[DataSet], bool],
    note: str = "",
) -> Recipe:  # fmt: skip
    """A peer's script, whose recipe may have the seconds of our search in it."""

    def name() -> str:
        peer(package)  # has to be there; its version stands at the top of the page
        return what

    return Recipe(
        key, name, family,
        lambda train, model, seconds: script(file, recipe.format(seconds=seconds), train, model), score_of(file), fits,
        note, "{seconds}" in recipe,
    )  # fmt: skip


def is_text(data: DataSet) -> bool:
    return data.is_text


fasttext = partial(by_script, file="fasttext_script.py", package="fasttext-numpy2-wheel", fits=is_text)
sklearn = partial(by_script, file="sklearn_script.py", package="scikit-learn")
wabbit = partial(by_script, file="wabbit_script.py", package="vowpalwabbit", family="Vowpal Wabbit")
RECIPES = (
    Recipe("train", lambda: "rosenblatt train", "rosenblatt train",
           lambda train, model, _: ours("train", train, "-o", model, "-q"), our_accuracy, lambda _: True),
    *map(by_tune, ("small", "medium", "large")),
    fasttext("fasttext-pairs", what="fastText, pairs", family="fastText", recipe="pairs"),
    fasttext("fasttext-tutorial", what="fastText, pairs, lr 1, 25 epochs", family="fastText", recipe="tutorial",
             note="the settings at which its tutorial arrives"),
    fasttext("fasttext-autotune", what="fastText autotune, our time", family="fastText autotune",
             recipe="autotune-{seconds}"),
    sklearn("nbsvm-pairs", what="NBSVM, pairs", family="NBSVM", recipe="pairs-nbsvm-0", fits=is_text,
            note="as published"),
    sklearn("nbsvm-triples", what="NBSVM, triples", family="NBSVM", recipe="triples-nbsvm-0",
            fits=lambda data: data.triples, note="as published"),
    sklearn("nbsvm-unit", what="NBSVM, pairs, rows of norm 1", family="NBSVM",
            recipe="pairs-unitnbsvm-0", fits=is_text, note="no interpolation"),
    sklearn("svc-tfidf", what="LinearSVC on tf-idf, pairs", family="LinearSVC", recipe="tfidf-svc-0",
            fits=is_text),
    sklearn("svc-table", what="LinearSVC, standardised", family="LinearSVC", recipe="standard-svc-0",
            fits=lambda data: data.name == "covtype"),
    sklearn("svc-scaled", what="LinearSVC, standardised", family="LinearSVC",
            recipe="scaled-svc-0", fits=lambda data: data.name == "a9a"),
    sklearn("sgd-table", what="SGDClassifier, standardised", family="SGDClassifier", recipe="standard-sgd-0",
            fits=lambda data: data.name == "covtype"),
    sklearn("sgd-scaled", what="SGDClassifier, standardised", family="SGDClassifier",
            recipe="scaled-sgd-0", fits=lambda data: data.name == "a9a"),
    wabbit("vw-1", what="Vowpal Wabbit, 1 pass", recipe="1", fits=lambda _: True),
    wabbit("vw-5", what="Vowpal Wabbit, 5 passes", recipe="5", fits=lambda _: True),
)  # fmt: skip


def timed(command: list[str]) -> tuple[float, float, str]:
    """Seconds by the clock, seconds of processors, and what the process printed."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before, began = spent(), time.perf_counter()
    printed = done(command)
    return time.perf_counter() - began, spent() - before, printed


def runs(recipe: Recipe, folds: list[Fold], seconds: int, setting: Setting) -> Iterator[tuple[Any, ...]]:
    """Every fold once; one fold alone as often as asked, or once where it is slow. The last model of each is judged."""
    for train, test in folds:
        with tempfile.TemporaryDirectory(dir=setting.folder) as scratch:
            model = Path(scratch) / "model"
            command = recipe.command(train, model, seconds)
            times = [timed(command)]
            if len(folds) == 1 and times[0][0] < SLOW:
                times += [timed(command) for _ in range(setting.repeats - 1)]
            yield times, recipe.judge(model, test), rows_of(test)


def rows_of(path: Path) -> int:
    """Rows of a CSV or svmlight file."""
    if path.suffix != ".csv":
        return len(path.read_bytes().splitlines())
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.reader(file)) - 1


def measured(data: DataSet, recipe: Recipe, seconds: int, setting: Setting, head: dict[str, Any]) -> Row:
    """The row of one recipe on one data set; where it cannot be measured, one that says why."""
    row_name = f"{data.name}/{recipe.key}"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # before it begins: the work of others
    try:
        name = recipe.name()
        folds = data.folds(setting.folder)
        with pinned(CORES) as is_pinned:
            outcomes = list(runs(recipe, folds, seconds, setting))
    except Missing as reason:
        return {"question": QUESTION, "name": row_name, "missing": str(reason)}
    except RuntimeError as error:
        return {"question": QUESTION, "name": row_name, "missing": last_line(str(error), setting.folder)}
    times = [one for of_fold, _, _ in outcomes for one in of_fold]
    n = sum(count for _, _, count in outcomes)
    more = {
        "data": data.name, "key": recipe.key, "family": recipe.family, "side": recipe.side, "n": n,
        "rows": rows_of(folds[0][0]), "accuracy": sum(right * count for _, right, count in outcomes) / n,
        "cpu": [one[1] for one in times], "pinned": is_pinned, "load": load,
        "commit": head["commit"], "date": head["date"],
    }  # fmt: skip
    if recipe.family.startswith(("fastText", "Vowpal")):
        more["prepared"] = [float(one[2]) for one in times]
    if recipe.as_long_as_ours:
        more["searched"] = seconds
    return row(QUESTION, row_name, data.what, **{recipe.side: [one[0] for one in times]},
               **{f"{recipe.side}_name": name}, note=recipe.note, more=more)  # fmt: skip


def last_line(text: str, folder: Path) -> str:
    """What a failed process said last, without the kind of error and places of this machine."""
    return re.sub(r"^\w*(Error|Exception): ", "", text.strip().splitlines()[-1]).replace(str(folder), "…")[:200]


def time_to_search(rows: dict[str, Row], data: DataSet) -> int:
    """Whole seconds of our largest search; before there is one, what it may take at most."""
    for key, factor in (("tune-large", 1), ("train", TUNE_FACTOR)):
        known = rows.get(f"{data.name}/{key}", {}).get("ours")
        if known:
            return max(1, math.ceil(factor * middle(known)[1]))
    raise Missing(f"our own time on {data.name} is not known yet: measure --recipes ours first")


def chosen_recipes(names: list[str] | None) -> list[Recipe]:
    """Those with these keys; ``ours`` and ``peers`` are all of a side."""
    sides = {"ours": "ours", "peers": "peer"}
    known = {recipe.key for recipe in RECIPES} | set(sides)
    unknown = sorted(set(names or ()) - known)
    if unknown:
        raise SystemExit(f"no recipe is called {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    wanted = set(names or sides)
    return [one for one in RECIPES if one.key in wanted or any(sides[s] == one.side for s in wanted & set(sides))]


def told(row: Row) -> str:
    """One line about a row."""
    if row.get("missing"):
        return f"{row['name']:<36} not measured: {row['missing']}"
    times = row["ours"] or row["peer"]
    low, median, high = middle(times)
    spread = f"({low:.2f}–{high:.2f})" if len(times) > 1 else "(one run)"
    return f"{row['name']:<36} {100 * row['more']['accuracy']:6.2f} %  {median:8.2f} s {spread}"


def main() -> None:
    from bench import environment

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", metavar="NAME", choices=[data.name for data in SETS])
    parser.add_argument("--recipes", nargs="+", metavar="NAME", help="ours, peers, or keys of recipes")
    parser.add_argument("--repeats", type=int, default=5, help=f"runs of what takes less than {SLOW:g} s (5)")
    parser.add_argument("--json", type=Path, help="add the rows to this file, in place of those of the same name")
    options = parser.parse_args()
    recipes = chosen_recipes(options.recipes)
    if available_cores() < CORES:
        parser.error(f"{CORES} cores are pinned to, and {available_cores()} is here")
    earlier = json.loads(options.json.read_text()) if options.json and options.json.exists() else {"rows": []}
    rows: dict[str, Row] = {row["name"]: row for row in earlier["rows"]}
    with tempfile.TemporaryDirectory() as made:
        setting = Setting(options.repeats, False, Path(made))
        head = environment(setting)
        for data in SETS:
            for recipe in recipes:
                if (options.sets and data.name not in options.sets) or not recipe.fits(data):
                    continue
                try:
                    seconds = time_to_search(rows, data) if recipe.as_long_as_ours else 0
                    row = measured(data, recipe, seconds, setting, head)
                except Missing as reason:
                    row = {"question": QUESTION, "name": f"{data.name}/{recipe.key}", "missing": str(reason)}
                rows[row["name"]] = row
                print(told(row), flush=True)
                if options.json:
                    order = [f"{data.name}/{recipe.key}" for data in SETS for recipe in RECIPES]
                    kept = [rows[name] for name in order if name in rows]
                    options.json.write_text(json.dumps(head | {"rows": kept}, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()
