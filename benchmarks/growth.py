"""How cost grows: rows × 1, 10, 100; classes 2 … 1,000; threads 1 and 2. A plot and a fitted exponent for each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import datasets
import files
import numpy as np
import passes
import text
from harness import Missing, Row, Setting, Work, peer, race
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron as SklearnPerceptron

import rosenblatt as rb

QUESTION = "growth"


def point(series: str, axis: str, x: int) -> dict[str, Any]:
    return {"series": series, "axis": axis, "x": x}


def rows(setting: Setting) -> Iterator[Row]:
    whole = {"CSR": datasets.csr(), "dense": datasets.dense()}
    for series, (X, y, _) in whole.items():
        for n in (len(y) // 100, len(y) // 10, len(y)):
            part = datasets.Examples(X[:n], y[:n], f"{series}, {n:,} rows")
            yield passes.fits(
                setting, f"rows-{series}-{n}", rb.Perceptron, SklearnPerceptron, part, "Perceptron", "Perceptron",
                question=QUESTION, more=point(f"fit, {series}", "rows", n),
            )  # fmt: skip


def texts(setting: Setting) -> Iterator[Row]:
    everything, y = datasets.texts("imdb", "train")
    for n in (len(y) // 100, len(y) // 10, len(y)):
        some, labels = everything[:n], y[:n]
        yield race(
            QUESTION, f"texts-{n}", f"raw text to model, 1 pass, {n:,} reviews",
            lambda seed, some=some, labels=labels: text.ours(1, seed).fit(some, labels),
            lambda seed, some=some, labels=labels: text.theirs(1, seed).fit(some, labels), None,
            min(setting.repeats, 3), peer_name=text.their_name(), more=point("text to model", "rows", n), **text.NAMES,
        )  # fmt: skip


def svmlight(setting: Setting) -> Iterator[Row]:
    for times in (1, 10, 100):
        path = files.census(setting.folder, times)
        yield race(
            QUESTION, f"parse-{times}", f"parse svmlight, a9a × {times}", lambda _, path=path: rb.data.read(str(path)),
            lambda _, path=path: load_svmlight_file(str(path)), None, min(setting.repeats, 3), ours_name="data.read",
            peer_name=peer("scikit-learn", "load_svmlight_file"),
            more=point("parse svmlight", "rows", 32_561 * times),
        )  # fmt: skip
        path.unlink()
        path.with_suffix(".vw").unlink()
    files.census.cache_clear()


def classes(setting: Setting) -> Iterator[Row]:
    few = replace(setting, repeats=min(setting.repeats, 3))
    for k in (2, 10, 100, 1_000):
        data = datasets.many_classes(5_000, 5_000, k)
        for series, ours in (("max", rb.Perceptron), ("ovr", partial(rb.Perceptron, multiclass="ovr"))):
            yield passes.fits(
                few, f"classes-{series}-{k}", ours, SklearnPerceptron, data, f'Perceptron(multiclass="{series}")',
                "Perceptron", question=QUESTION, more=point(f'multiclass="{series}"', "classes", k),
            )  # fmt: skip


def threads(setting: Setting) -> Iterator[Row]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores < 2:
        raise Missing("one core: there is nothing to share work with")
    some = datasets.texts("imdb", "train")[0][:8_000]
    encode = [rb.text.HashedText(n_jobs=n) for n in (2, 1)]

    def same(one: Any, other: Any) -> str:
        for part in ("indptr", "indices", "data"):
            assert np.array_equal(getattr(one, part), getattr(other, part)), f"{part} differs"
        return f"the same {one.nnz:,} entries, bit for bit"

    yield race(
        QUESTION, "threads-encode", f"HashedText.transform, {len(some):,} reviews", lambda _: encode[0].transform(some),
        lambda _: encode[1].transform(some), same, setting.repeats, warm=True, ours_name="2 threads",
        peer_name="1 thread",
    )  # fmt: skip
    path, what = files.reals(setting.folder)
    yield race(
        QUESTION, "threads-parse", f"data.read of svmlight, {what}", lambda _: rb.data.read(str(path), n_threads=2).X,
        lambda _: rb.data.read(str(path), n_threads=1).X, same, setting.repeats, warm=True, ours_name="2 threads",
        peer_name="1 thread",
    )  # fmt: skip
    yield from learning(setting)


def learning(setting: Setting) -> Iterator[Row]:
    """One against the rest, on two threads and on one."""

    def same(one: Any, other: Any) -> str:
        assert np.array_equal(one.coef_, other.coef_), "the weights differ"
        assert one.mistakes_.tolist() == other.mistakes_.tolist(), "the mistakes differ"
        return f"the same {one.coef_.size:,} weights and {one.n_updates_:,} updates, bit for bit"

    def fit(X: Any, y: Any, n_jobs: int, _: int) -> Any:
        return rb.AveragedPerceptron(multiclass="ovr", n_jobs=n_jobs, max_iter=5, tol=None, random_state=0).fit(X, y)

    for key, (X, y, what) in (("digits", datasets.digits()), ("csr", datasets.many_classes(100_000, 5_000, 20))):
        yield race(
            QUESTION, f"threads-ovr-{key}", f"fit, 5 shuffled passes, one against the rest, {what}",
            partial(fit, X, y, 2), partial(fit, X, y, 1), same, setting.repeats, warm=True, ours_name="2 threads",
            peer_name="1 thread",
        )  # fmt: skip


WORKS = (
    Work("growth-rows", QUESTION, rows),
    Work("growth-texts", QUESTION, texts, threads=None),
    Work("growth-svmlight", QUESTION, svmlight, threads=None),
    Work("growth-classes", QUESTION, classes),
    Work("threads", QUESTION, threads, threads=None),
)
