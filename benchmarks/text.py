"""Raw text to a model and to predictions, against scikit-learn in the same run, and what the settings are worth.

``python benchmarks/text.py [--quick] [--only NAME ...] [--repeats 5] [--accuracy] [--json FILE]``

It needs the imdb reviews (``ROSENBLATT_DATA``, else ``../shared/data``). Both sides may use every core that the process
may; scikit-learn's hashing uses one.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gzip
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import contests
import datasets
import numpy as np
import speed
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

import rosenblatt as rb

Review = tuple[list[str], np.ndarray[Any, Any]]


@functools.cache
def reviews(part: str, quick: bool) -> Review:
    """The texts and labels of ``train`` or ``test``."""
    path = datasets.folder() / "imdb" / f"{part}.csv.gz"
    if not path.exists():
        sys.exit(f"{path} is not there; set ROSENBLATT_DATA to the folder of the data sets")
    csv.field_size_limit(sys.maxsize)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[: 2_500 if quick else None]
    return [row["text"] for row in rows], np.array([row["label"] for row in rows])


def ours(passes: int, seed: int) -> Pipeline:
    learner = rb.AveragedPerceptron(max_iter=passes, tol=None, random_state=seed)
    return make_pipeline(rb.text.HashedText(), learner)


def theirs(passes: int, seed: int) -> Pipeline:
    learner = contests.averaged_sgd(max_iter=passes, tol=None, random_state=seed)
    return make_pipeline(HashingVectorizer(ngram_range=(1, 2)), learner)


def training(passes: int) -> Callable[[bool], contests.Contest]:
    """From raw text to a trained model."""

    def prepare(quick: bool) -> contests.Contest:
        texts, y = reviews("train", quick)
        for kind in (ours, theirs):
            kind(1, 0).fit(texts[:200], y[:200])

        def check(one: Pipeline, other: Pipeline) -> str:
            for model in (one, other):
                assert model[-1].n_iter_ == passes
            accuracies = [model.score(*reviews("test", quick)) for model in (one, other)]
            return f"test accuracy {accuracies[0]:.4f}, peer {accuracies[1]:.4f}"

        what = f"imdb, {len(texts):,} reviews"
        return contests.Contest(
            lambda seed: ours(passes, seed).fit(texts, y), lambda seed: theirs(passes, seed).fit(texts, y), check, what
        )

    return prepare


def predicting(quick: bool) -> contests.Contest:
    """From raw text to labels."""
    texts, y = reviews("train", quick)
    unseen, labels = reviews("test", quick)
    one, other = ours(1, 0).fit(texts, y), theirs(1, 0).fit(texts, y)

    def check(mine: Any, peer: Any) -> str:
        return f"test accuracy {np.mean(mine == labels):.4f}, peer {np.mean(peer == labels):.4f}"

    what = f"imdb, {len(unseen):,} reviews"
    return contests.Contest(lambda _: one.predict(unseen), lambda _: other.predict(unseen), check, what)


def counting(quick: bool) -> contests.Contest:
    """A vocabulary and counts."""
    texts, _ = reviews("train", quick)

    def check(mine: Any, peer: Any) -> str:
        assert (mine != peer).nnz == 0
        return f"the same {mine.nnz:,} counts of {mine.shape[1]:,} words"

    return contests.Contest(
        lambda _: rb.text.BagOfWords().fit_transform(texts),
        lambda _: CountVectorizer().fit_transform(texts),
        check,
        f"imdb, {len(texts):,} reviews",
    )


HASHING = f"{contests.SKLEARN} HashingVectorizer + SGDClassifier(average=True)"
ALL = (
    contests.Work("one pass", "text to model, words and pairs, 1 pass", HASHING, 15, 30, training(1)),
    contests.Work("five passes", "text to model, words and pairs, 5 passes", HASHING, 10, 30, training(5)),
    contests.Work("predict", "text to labels, words and pairs", HASHING, 15, None, predicting),
    contests.Work("bag", "vocabulary and counts, words", f"{contests.SKLEARN} CountVectorizer", 5, None, counting),
)


def accuracies(quick: bool, seeds: int = 3) -> None:
    """Test accuracy by weighting, learner and passes, the mean over some seeds."""
    texts, y = reviews("train", quick)
    unseen, labels = reviews("test", quick)
    learners: dict[str, Callable[..., Any]] = {
        "averaged perceptron": rb.AveragedPerceptron,
        "averaged PA-I, C=1": functools.partial(rb.PassiveAggressiveClassifier, average=True),
        "averaged PA-I, C=0.3": functools.partial(rb.PassiveAggressiveClassifier, average=True, C=0.3),
    }
    passes = (1, 2, 3, 5, 10)
    print("\nTest accuracy in %, imdb, words and pairs, l2, after passes:", *passes)
    for weighting, idf in (("log", False), ("binary", False), ("log", True), ("binary", True), ("binary", "stream")):
        text = rb.text.HashedText(weighting=weighting, idf=bool(idf))
        X = text.partial_fit_transform(texts) if idf == "stream" else text.fit_transform(texts)
        held_out = text.transform(unseen)
        for name, kind in learners.items():
            cells = []
            for n in passes:
                models = [kind(max_iter=n, tol=None, random_state=seed).fit(X, y) for seed in range(seeds)]
                cells.append(f"{100 * np.mean([model.score(held_out, labels) for model in models]):.2f}")
            weighed = weighting + (" × idf, as a stream" if idf == "stream" else " × idf" if idf else "")
            print(f"{weighed:<26} {name:<21} {'  '.join(cells)}", flush=True)


def main() -> None:
    names = [work.name for work in ALL]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the reviews")
    parser.add_argument("--only", nargs="+", choices=names, help="these rows alone")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side (default 5)")
    parser.add_argument("--accuracy", action="store_true", help="test accuracy of weightings and learners too")
    parser.add_argument("--json", type=Path, help="write every single time to this file too")
    options = parser.parse_args()
    times = []
    for work in ALL:
        if work.name in (options.only or names):
            print(f"{work.name} ...", file=sys.stderr, flush=True)
            times.append(speed.timed(work, options.quick, options.repeats))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"rosenblatt {rb.__version__}, {speed.machine()}, {cores} cores, {time.strftime('%Y-%m-%d')}")
    speed.report(times, [], options.repeats)
    if options.accuracy:
        accuracies(options.quick)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(
            json.dumps({**speed.environment(options.repeats, options.quick), "times": times}, indent=1)
        )


if __name__ == "__main__":
    main()
