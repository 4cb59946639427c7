"""What weightings and learners are worth on the imdb reviews: the table of docs/reference/measured.md.

``python benchmarks/weightings.py``
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import datasets
import numpy as np

import rosenblatt as rb


def main(seeds: int = 3) -> None:
    """Test accuracy by weighting, learner and passes, the mean over some seeds."""
    texts, y = datasets.texts("imdb", "train")
    unseen, labels = datasets.texts("imdb", "test")
    passive_aggressive = functools.partial(rb.PassiveAggressiveClassifier, average=True)
    learners: dict[str, Callable[..., Any]] = {
        "averaged perceptron": rb.AveragedPerceptron,
        "averaged PA-I, C=1": passive_aggressive,
        "averaged PA-I, C=1, no bias": functools.partial(passive_aggressive, fit_intercept=False),
        "averaged PA-I, C=0.3, no bias": functools.partial(passive_aggressive, fit_intercept=False, C=0.3),
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
            print(f"{weighed:<26} {name:<30} {'  '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
