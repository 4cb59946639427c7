"""Sentiment from raw text: four phrases that words alone cannot tell apart, then real reviews where they are there:
25,000 of imdb, and the 2,000 of Pang & Lee.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

import rosenblatt as rb

PHRASES, MOOD = ["good", "bad", "not good", "not bad"], ["pos", "neg", "neg", "pos"]


def heading(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def phrases() -> None:
    heading('"good" +, "bad" −, "not good" −, "not bad" +: single words, then pairs too')
    for ngrams in ((1, 1), (1, 2)):
        words = rb.text.BagOfWords(ngrams=ngrams)
        X = words.fit_transform(PHRASES)
        model = rb.Perceptron(shuffle=False, fit_intercept=False).fit(X, MOOD)
        names = words.get_feature_names_out()
        print(f"{', '.join(names)}: {model.verdict_} after {model.n_updates_} updates")
        if model.converged_:
            weights = ", ".join(f"{name} {w:+g}" for name, w in zip(names, model.coef_[0], strict=True))
            print(f"  weights: {weights}")
        else:
            print(f"  {rb.separability(X, MOOD, fit_intercept=False)}".replace("\n", "\n  "))


def short_of_data(folder: Path) -> bool:
    """Whether real reviews are missing, which is said."""
    if not folder.is_dir():
        print(f"\n{folder} is not there; set ROSENBLATT_DATA to train on these reviews")
    return not folder.is_dir()


def few_reviews(folder: Path) -> None:
    """Pang & Lee's 2,000 reviews: ten parts, each labelled by what was learned from the other nine."""
    with zipfile.ZipFile(folder / "movie_reviews.zip") as archive:
        names = sorted(name for name in archive.namelist() if re.search(r"/cv\d+_\d+\.txt$", name))
        texts = [archive.read(name) for name in names]  # UTF-8 bytes are taken as they are
    labels = np.array([name.split("/")[-2] for name in names])
    parts = np.array([int(name.split("/cv")[-1][0]) for name in names])  # cv0… to cv9…, a hundred of each kind
    heading(f"{len(texts):,} longer reviews, ten-fold: words, then words and pairs, 10 passes")
    for ngrams in ((1, 1), (1, 2)):
        began, right = time.perf_counter(), []
        for part in range(10):
            text = rb.text.HashedText(ngrams=ngrams, weighting="binary", idf=True)
            learner = rb.PassiveAggressiveClassifier(average=True, max_iter=10, tol=None, random_state=0)
            learner.fit(text.fit_transform([texts[i] for i in np.flatnonzero(parts != part)]), labels[parts != part])
            unseen = text.transform([texts[i] for i in np.flatnonzero(parts == part)])
            right.append(np.mean(learner.predict(unseen) == labels[parts == part]))
        took = time.perf_counter() - began
        name = "words" if ngrams == (1, 1) else "words and pairs"
        print(f"{name}: {np.mean(right):.1%} right (from {min(right):.1%} to {max(right):.1%}), {took:.1f} s")


def reviews(folder: Path) -> None:
    parts = []
    csv.field_size_limit(sys.maxsize)
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.csv.gz", "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        parts += [[row["text"] for row in rows], np.array([row["label"] for row in rows])]
    texts, labels, unseen, truth = parts
    heading(f"{len(texts):,} film reviews: words and pairs, binary counts × idf, averaged PA-I, 5 passes")
    text = rb.text.HashedText(weighting="binary", idf=True)
    learner = rb.PassiveAggressiveClassifier(average=True, max_iter=5, tol=None, random_state=0)
    began = time.perf_counter()
    X = text.fit_transform(texts)
    encoded = time.perf_counter()
    learner.fit(X, labels)
    trained = time.perf_counter()
    right = np.mean(learner.predict(text.transform(unseen)) == truth)
    print(f"text to rows {encoded - began:.2f} s, rows to model {trained - encoded:.2f} s, ", end="")
    print(f"{len(unseen):,} unseen reviews labelled in {time.perf_counter() - trained:.2f} s: {right:.1%} right")

    began = time.perf_counter()
    named = rb.text.HashedText(weighting="binary", idf=True, keep_names=True).fit(texts)
    took = time.perf_counter() - began
    print(f"\n{named.n_names_:,} names kept in {took:.2f} s; {named.n_collisions_:,} columns have two or more of them")
    weights = learner.coef_[0]
    order = np.argsort(weights)
    for label, columns in ((learner.classes_[0], order[:8]), (learner.classes_[1], order[: -8 - 1 : -1])):
        print(f"{label}: {', '.join(' | '.join(names) for names in named.names_of(columns))}")

    phrase = "Not bad at all, but I would not call it a masterpiece."
    label = learner.predict(text.transform([phrase]))[0]
    print(f"\nWhy {phrase!r} is {label}:")
    shares = [(value * weights[column], gram) for gram, column, value in text.features(phrase)]
    for share, gram in sorted(shares, key=lambda pair: -abs(pair[0]))[:8]:
        print(f"  {share:+.3f}  {gram}")


if __name__ == "__main__":
    phrases()
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    data = Path(os.environ.get("ROSENBLATT_DATA", beside))
    for folder, example in ((data / "imdb", reviews), (data / "movie_reviews", few_reviews)):
        if not short_of_data(folder):
            example(folder)
