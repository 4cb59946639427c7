"""Raw text to a model and to predictions, in Python, against scikit-learn; both sides may use every core.

Ours hashes to 2**22 columns on all cores, but with 20 classes to 2**20; ``HashingVectorizer`` as it comes hashes to
2**20, on the one it can use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import datasets
import numpy as np
import passes
from harness import Row, Setting, Work, peer, race
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

import rosenblatt as rb

QUESTION = "text"
QUICK_REVIEWS = 8_000  # of 25,000 in the quick run: 10 MB of text, as the peer takes 9 s for all of them


def ours(n: int, seed: int, bits: int = 22) -> Pipeline:
    learner = rb.AveragedPerceptron(max_iter=n, tol=None, random_state=seed)
    return make_pipeline(rb.text.HashedText(bits=bits), learner)


def theirs(n: int, seed: int) -> Pipeline:
    learner = passes.SGD["averaged"](max_iter=n, tol=None, random_state=seed)
    return make_pipeline(HashingVectorizer(ngram_range=(1, 2)), learner)


NAMES = {"ours_name": "HashedText + AveragedPerceptron"}


def their_name() -> str:
    return peer("scikit-learn", "HashingVectorizer + SGDClassifier(average=True)")


def training(
    name: str, source: str, what: str, n_passes: int, quick_texts: int | None, bits: int = 22, **more: Any
) -> Callable[[Setting], Iterator[Row]]:
    """From raw text to a trained model."""

    def measure(setting: Setting) -> Iterator[Row]:
        texts, y = datasets.texts(source, "train")
        asked = more
        if setting.quick and quick_texts is not None:  # what is asked for is asked of all of them
            texts, y, asked = texts[:quick_texts], y[:quick_texts], {}
        for kind in (ours, theirs):
            kind(1, 0).fit(texts[:200], y[:200])

        def check(one: Pipeline, other: Pipeline) -> str:
            for model in (one, other):
                assert model[-1].n_iter_ == n_passes
            held_out, labels = datasets.texts(source, "test")
            some = slice(1000) if setting.quick else slice(None)
            right = [model.score(held_out[some], labels[some]) for model in (one, other)]
            return f"test accuracy {right[0]:.4f}, peer {right[1]:.4f}"

        size = sum(map(len, texts)) / 1e6
        said = f"{what}, {n_passes} {'pass' if n_passes == 1 else 'passes'}, {len(texts):,} texts, {size:.0f} MB"
        yield race(
            QUESTION, name, said, lambda seed: ours(n_passes, seed, bits).fit(texts, y),
            lambda seed: theirs(n_passes, seed).fit(texts, y), check, setting.repeats, peer_name=their_name(),
            **NAMES, **asked,
        )  # fmt: skip

    return measure


def predicting(setting: Setting) -> Iterator[Row]:
    """From raw text to labels."""
    texts, y = datasets.texts("imdb", "train")
    unseen, labels = datasets.texts("imdb", "test")
    if setting.quick:
        texts, y, unseen, labels = (some[:QUICK_REVIEWS] for some in (texts, y, unseen, labels))
    models = [kind(1, 0).fit(texts[:10_000], y[:10_000]) for kind in (ours, theirs)]

    def check(mine: Any, other: Any) -> str:
        return f"test accuracy {np.mean(mine == labels):.4f}, peer {np.mean(other == labels):.4f}"

    yield race(
        QUESTION, "text-predict", f"imdb, raw text to labels, words and pairs, {len(unseen):,} texts",
        lambda _: models[0].predict(unseen), lambda _: models[1].predict(unseen), check, setting.repeats, reach=15,
        peer_name=their_name(), **NAMES,
    )  # fmt: skip


def counting(setting: Setting) -> Iterator[Row]:
    """A vocabulary and counts."""
    texts, _ = datasets.texts("imdb", "train")

    def check(mine: Any, other: Any) -> str:
        assert (mine != other).nnz == 0
        return f"the same {mine.nnz:,} counts of {mine.shape[1]:,} words"

    yield race(
        QUESTION, "bag", f"imdb, vocabulary and counts of words, {len(texts):,} texts",
        lambda _: rb.text.BagOfWords().fit_transform(texts), lambda _: CountVectorizer().fit_transform(texts), check,
        setting.repeats, reach=5, ours_name="BagOfWords", peer_name=peer("scikit-learn", "CountVectorizer"),
    )  # fmt: skip


imdb = partial(training, source="imdb", what="imdb, raw text to model, words and pairs", quick_texts=QUICK_REVIEWS)
news = partial(
    training, source="20news", what="20news, raw text to a model of 20 classes, words and pairs, 2²⁰ columns", bits=20
)
WORKS = (
    Work("text-1", QUESTION, imdb("text-1", n_passes=1, reach=15, aim=30), quick=True, threads=None),
    Work("text-5", QUESTION, imdb("text-5", n_passes=5, reach=10, aim=30), threads=None),
    Work("text-predict", QUESTION, predicting, threads=None),
    Work("20news", QUESTION, news("20news", n_passes=5, quick_texts=3_000, reach=12), quick=True, threads=None),
    Work("bag", QUESTION, counting, threads=None),
)
