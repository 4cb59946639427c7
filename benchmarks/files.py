"""Reading svmlight files against scikit-learn, and whole commands, process start to model, against Vowpal Wabbit.

Both sides read the same file (it is in the page cache) into float64 CSR with labels, checked to be the same bit for
bit. Ours uses all the processors it may run on, scikit-learn the one it can use. Vowpal Wabbit reads its own format,
prepared beforehand, words cut and lower-cased.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import numpy as np
from harness import Row, Setting, Work, peer, race
from processes import available_cores, done, ours, pinned, wabbit
from sklearn.datasets import load_svmlight_file
from wabbit_script import WABBIT_TEXT, WORD

import rosenblatt as rb

QUESTION = "files"
#: Cores to pin to, and how many times as fast as Vowpal Wabbit, which learns on one, the command is asked to be.
CORES = {1: 1.0, 2: 1.0, 4: 2.0, 16: 3.0}

#: Options that make the same n-grams of a text as Vowpal Wabbit does, of words of two letters up, and compare nothing.
SAME_NGRAMS = (
    "--no-symbols", "--ngrams", 2, "--characters", "none", "--weighting", "binary", "--no-supervised", "-C", 1,
)  # fmt: skip


def least_ratio(cores: int) -> float:
    """What is asked of so many cores: what is asked of the next fewer that stand above."""
    return CORES[max(n for n in CORES if n <= cores)]


def a9a(folder: Path) -> tuple[Path, str]:
    return datasets.unpacked(folder, "a9a", "a9a.gz"), "a9a"


@functools.cache
def reals(folder: Path, n: int = 50_000, d: int = 100) -> tuple[Path, str]:
    path = folder / "reals.svm"
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for row in rng.standard_normal((n, d)):
            entries = " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row, 1))
            file.write(f"{1 if row[0] > 0 else -1} {entries}\n")
    return path, f"{n:,} × {d} normal numbers of 6 digits"


def covtype(folder: Path, rows: int = 100_000) -> tuple[Path, str]:
    path = folder / "covtype.svm"
    with rb.data.stream(datasets.source("covtype", "covtype.csv.gz"), block_rows=rows) as blocks:
        block = next(blocks)
    X = np.column_stack([column.to_numpy() for column in block.table.columns])
    rb.data.write_svmlight(path, X, block.labels)
    return path, f"covtype, the first {rows:,} rows"


def parsing(name: str, make: Callable[[Path], tuple[Path, str]], reach: float) -> Callable[[Setting], Iterator[Row]]:
    def check(mine: Any, other: tuple[Any, Any]) -> str:
        X, y = other
        assert np.array_equal(mine.y, y)
        for part in ("indptr", "indices", "data"):
            assert np.array_equal(getattr(mine.X, part), getattr(X, part)), f"{part} differs"
        return f"the same {X.nnz:,} entries, bit for bit"

    def measure(setting: Setting) -> Iterator[Row]:
        path, what = make(setting.folder)
        size = path.stat().st_size
        yield race(
            QUESTION, name, f"parse svmlight, {what}, {size / 1e6:.1f} MB", lambda _: rb.data.read(str(path)),
            lambda _: load_svmlight_file(str(path)), check, setting.repeats, reach=reach, ours_name="data.read",
            peer_name=peer("scikit-learn", "load_svmlight_file"), more={"bytes": size},
        )  # fmt: skip

    return measure


@functools.cache
def reviews(folder: Path, part: str, times: int = 1) -> Path:
    """The reviews as CSV, and beside it in Vowpal Wabbit's format."""
    path = folder / f"{part}{times}.csv"
    header, _, rows = datasets.unpacked(folder, "imdb", f"{part}.csv.gz").read_bytes().partition(b"\n")
    path.write_bytes(header + b"\n" + rows * times)
    texts, labels = datasets.texts("imdb", part)
    with path.with_suffix(".vw").open("w", encoding="utf-8") as file:
        lines = "".join(
            f"{1 if label == 'pos' else -1} | {' '.join(WORD.findall(text.lower()))}\n"
            for label, text in zip(labels.tolist(), texts)
        )
        file.write(lines * times)
    return path


@functools.cache
def census(folder: Path, times: int) -> Path:
    """The rows of a9a so many times over, as svmlight and in Vowpal Wabbit's format."""
    rows = datasets.unpacked(folder, "a9a", "a9a.gz").read_bytes().strip() + b"\n"
    path = folder / f"rows{times}.svm"
    path.write_bytes(rows * times)
    lines = [re.sub(rb"^\+?(-?1) ", rb"\1 | ", line) for line in rows.splitlines()]
    path.with_suffix(".vw").write_bytes((b"\n".join(lines) + b"\n") * times)
    return path


def written(folder: Path) -> Callable[[Any, Any], str]:
    def check(one: Any, other: Any) -> str:
        sizes = [(folder / name).stat().st_size / 1e6 for name in ("ours.model", "vw.model")]
        return f"models of {sizes[0]:.1f} MB and {sizes[1]:.1f} MB on disk"

    return check


def svmlight_command(setting: Setting) -> Iterator[Row]:
    name, folder = peer("vowpalwabbit"), setting.folder
    path = census(folder, 40)
    yield race(
        QUESTION, "train-svmlight", "1.3 million rows of svmlight (a9a forty times) to a model on disk, 1 pass",
        lambda _: done(ours("train", path, "-o", folder / "ours.model", "--passes", 1, "-q")),
        lambda _: done(wabbit("-d", path.with_suffix(".vw"), "--quiet", "-f", folder / "vw.model")), written(folder),
        setting.repeats, warm=True, reach=1.5, ours_name="rosenblatt train", peer_name=name,
    )  # fmt: skip


def text_command(setting: Setting) -> Iterator[Row]:
    """On all cores and, where processes can be pinned and the run is not the quick one, on fewer."""
    name, folder = peer("vowpalwabbit", "--ngram 2 -b 22"), setting.folder
    path, most = reviews(folder, "train", 4), available_cores()
    fewer = [] if setting.quick or not hasattr(os, "sched_setaffinity") else [n for n in CORES if n < most]
    what = "100,000 reviews (imdb four times) from CSV to a model on disk, 1 pass, process"
    note = "Vowpal Wabbit's words were cut and lower-cased beforehand; it keeps no document frequencies and no names"
    theirs = wabbit("-d", path.with_suffix(".vw"), *WABBIT_TEXT, "-f", folder / "vw.model")

    def raced(key: str, said: str, options: tuple[object, ...], **more: Any) -> Row:
        mine = ours("train", path, "-o", folder / "ours.model", "--passes", 1, "-q", *options)
        return race(
            QUESTION, key, f"{what}{said}", lambda _: done(mine), lambda _: done(theirs), written(folder),
            setting.repeats, warm=True, peer_name=name, **more,
        )  # fmt: skip

    for cores in (*fewer, most):
        with pinned(cores):
            yield raced(
                "train-text" if cores == most else f"train-text-{cores}",
                "" if cores == most else f", both pinned to {cores} core{'s' if cores > 1 else ''}", SAME_NGRAMS,
                reach=least_ratio(cores), ours_name="rosenblatt train, words and pairs", note=note,
                more={"cores": cores},
            )  # fmt: skip
    if setting.quick:
        return
    yield raced(
        "train-text-chosen", "; ours reads symbols too, weighs by class and compares", (), note=note,
        ours_name="rosenblatt train",
    )  # fmt: skip


WORKS = (
    Work("svmlight-a9a", QUESTION, parsing("svmlight-a9a", a9a, 12), quick=True, threads=None),
    Work("svmlight-reals", QUESTION, parsing("svmlight-reals", reals, 20), quick=True, threads=None),
    Work("svmlight-covtype", QUESTION, parsing("svmlight-covtype", covtype, 12), threads=None),
    Work("train-svmlight", QUESTION, svmlight_command, quick=True, threads=None),
    Work("train-text", QUESTION, text_command, quick=True, threads=None),
)
