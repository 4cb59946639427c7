"""Time to a given held-out accuracy, from raw file to a model on disk: whole processes (cold), and in process (warm).

Each side tries its recipes in the order of what they cost, untimed; the first that reaches the accuracy then races.
Cold includes starting Python and all imports; warm is the same work in a process that has it all loaded.
"""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import datasets
import files
import numpy as np
import sklearn_script
from harness import Missing, Row, Setting, Work, peer, race
from processes import done, ours, script, wabbit

import rosenblatt.cli

QUESTION = "target"
#: The passes of ours, in order; what scikit-learn users would try, the cheapest first.
PASSES = (1, 2, 3, 5, 10)
TEXT_RECIPES = (
    "tfidfwords-pa1-1",
    "tfidfwords-svc-0",
    "hashing-averaged-5",
    "tfidf-pa1-1",
    "tfidf-pa1-5",
    "tfidf-svc-0",
)
TABLE_RECIPES = ("raw-averaged-5", "raw-hinge-5", "raw-averaged-20", "raw-svc-0")
WABBIT_PASSES = (1, 2, 5)


def our_command(train: Path, model: Path, passes: int) -> list[str]:
    return ours("train", train, "-o", model, "--passes", passes, "-q")


@functools.cache
def our_accuracy(train: Path, test: Path, passes: int) -> float:
    model = train.with_suffix(".trial")
    done(our_command(train, model, passes))
    return float(json.loads(done(ours("evaluate", model, test, "--json")))["accuracy"])


@functools.cache
def their_accuracy(train: Path, test: Path, recipe: str) -> float:
    model = train.with_suffix(".pickle")
    done(script("sklearn_script.py", recipe, train, model))
    return float(done(script("sklearn_script.py", "score", model, test)))


def wabbit_command(train: Path, model: Path, passes: int) -> list[str]:
    options = files.WABBIT_TEXT if train.suffix == ".csv" else ("--loss_function", "logistic", "--quiet")
    more = ("--passes", passes, "-c", "-k", "--holdout_off") if passes > 1 else ()
    return wabbit("-d", train.with_suffix(".vw"), *options, *more, "-f", model)


@functools.cache
def wabbit_accuracy(train: Path, test: Path, passes: int) -> float:
    model, answers = train.with_suffix(".vwmodel"), train.with_suffix(".answers")
    done(wabbit_command(train, model, passes))
    done(wabbit("-d", test.with_suffix(".vw"), "-t", "--quiet", "-i", model, "-p", answers))
    truth = [line.startswith("1") for line in test.with_suffix(".vw").read_text(encoding="utf-8").splitlines()]
    return float(np.mean((np.loadtxt(answers) > 0) == truth))


def first(who: str, recipes: Any, accuracy: Callable[[Any], float], aim: float) -> tuple[Any, float]:
    """The first recipe that reaches the accuracy."""
    reached = {}
    for recipe in recipes:
        reached[recipe] = accuracy(recipe)
        if reached[recipe] >= aim:
            return recipe, reached[recipe]
    best = max(reached, key=lambda recipe: reached[recipe])
    raise Missing(f"{who} did not reach {aim:.1%}: {reached[best]:.2%} with {best}")


def quietly(words: list[str]) -> int:
    """Our command in this process."""
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = rosenblatt.cli.main(words)
    assert code == 0
    return code


def to(
    name: str, what: str, pair: Callable[[Path], tuple[Path, Path]], recipes: Any, aim: float, with_wabbit: bool
) -> Any:
    """Cold and warm against scikit-learn, cold against Vowpal Wabbit."""

    def measure(setting: Setting) -> Iterator[Row]:
        train, test = pair(setting.folder)
        model = setting.folder / "target.model"
        mine, right = first("ours", PASSES, lambda n: our_accuracy(train, test, n), aim)
        ours_name = f"rosenblatt train --passes {mine}"

        def versus(key: str, peer_name: str, run: Callable[[int], Any], theirs: float, said: str) -> Row:
            return race(
                QUESTION, f"{name}-{key}", f"{what} to {aim:.1%}, {said}",
                lambda _: done(our_command(train, model, mine)), run, None, setting.repeats,
                ours_name=ours_name, peer_name=peer_name,
            ) | {"learned": f"test accuracy {right:.4f}, peer {theirs:.4f}"}  # fmt: skip

        try:
            recipe, theirs = first("scikit-learn", recipes, lambda r: their_accuracy(train, test, r), aim)
            peer_name = peer("scikit-learn", recipe)
            command = script("sklearn_script.py", recipe, train, model.with_suffix(".pickle"))
            yield versus("cold", peer_name, lambda _: done(command), theirs, "process start included")
            words = our_command(train, model, mine)[3:]
            yield race(
                QUESTION, f"{name}-warm", f"{what} to {aim:.1%}, all loaded before", lambda _: quietly(words),
                lambda _: sklearn_script.train(recipe, str(train)), None, setting.repeats, warm=True,
                ours_name=ours_name, peer_name=peer_name,
            ) | {"learned": f"test accuracy {right:.4f}, peer {theirs:.4f}"}  # fmt: skip
        except Missing as reason:
            yield {"question": QUESTION, "name": f"{name}-sklearn", "missing": str(reason)}
        if with_wabbit:
            try:
                peer("vowpalwabbit")
                n, theirs = first("Vowpal Wabbit", WABBIT_PASSES, lambda n: wabbit_accuracy(train, test, n), aim)
                prepared = "words cut" if train.suffix == ".csv" else "its format made"
                rival = peer("vowpalwabbit", f"{n} {'pass' if n == 1 else 'passes'}, {prepared} beforehand")
                command_vw = wabbit_command(train, model.with_suffix(".vwmodel"), n)
                yield versus("vw", rival, lambda _: done(command_vw), theirs, "process start included")
            except Missing as reason:
                yield {"question": QUESTION, "name": f"{name}-vw", "missing": str(reason)}

    return measure


def imdb(folder: Path) -> tuple[Path, Path]:
    return files.reviews(folder, "train"), files.reviews(folder, "test")


def news(folder: Path) -> tuple[Path, Path]:
    train, test = (datasets.unpacked(folder, "20news", f"{part}.csv.gz") for part in ("train", "test"))
    return train, test


def a9a(folder: Path) -> tuple[Path, Path]:
    made = []
    for part in ("a9a", "a9a.t"):
        rows = datasets.unpacked(folder, "a9a", f"{part}.gz").read_bytes()
        path = folder / f"census-{'test' if part.endswith('t') else 'train'}.svm"
        path.write_bytes(rows)
        lines = [line.lstrip(b"+").replace(b" ", b" | ", 1) for line in rows.splitlines()]
        path.with_suffix(".vw").write_bytes(b"\n".join(lines) + b"\n")
        made.append(path)
    return made[0], made[1]


WORKS = (
    Work("imdb-89", QUESTION, to("imdb-89", "imdb, CSV", imdb, TEXT_RECIPES[1:], 0.89, True), threads=None),
    Work("imdb-90", QUESTION, to("imdb-90", "imdb, CSV", imdb, TEXT_RECIPES[1:], 0.90, True), threads=None),
    Work("20news-84", QUESTION, to("20news-84", "20news, CSV", news, TEXT_RECIPES, 0.84, False), threads=None),
    Work("a9a-845", QUESTION, to("a9a-845", "a9a, svmlight", a9a, TABLE_RECIPES, 0.845, True), threads=None),
)
