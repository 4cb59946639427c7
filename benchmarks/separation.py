"""Separable problems: how often each learner separates them, at its defaults and with 1,000 passes.

The problems have a margin by construction: points of a random cloud that lie beyond a gap on both sides of a random
hyperplane with a bias. Achieved is what is counted: zero errors of the fitted model on its own rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import Missing, Row, Setting, Work, peer, row
from sklearn.linear_model import Perceptron as SklearnPerceptron

import rosenblatt as rb

QUESTION = "separation"
PASSES = 1_000
SEEDS = 5
#: rows, columns, half the gap in standard deviations of the score
KINDS = {
    "wide margin": (100, 10, 0.5), "narrow margin": (100, 10, 0.05), "plane": (100, 2, 0.1),
    "many columns": (60, 200, 0.05), "unscaled": (100, 5, 0.2),
}  # fmt: skip


def problem(kind: str, seed: int) -> tuple[Any, Any]:
    n, d, gap = KINDS[kind]
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4 * n, d)) + rng.standard_normal(d)
    w = rng.standard_normal(d)
    scores = X @ w
    scores = (scores - np.median(scores)) / scores.std()
    X, y = X[np.abs(scores) > gap][:n], (scores[np.abs(scores) > gap][:n] > 0).astype(np.int64)
    if kind == "unscaled":
        X = X * np.array([1, 1, 10, 10, 30.0])
    return X, y


def fitted(make: Callable[[int], Any]) -> Callable[[Any, Any, int], bool]:
    def separates(X: Any, y: Any, seed: int) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(np.all(make(seed).fit(X, y).predict(X) == y))

    return separates


def river(most: int) -> Callable[[Any, Any, int], bool]:
    peer("river")
    from river.linear_model import Perceptron

    def separates(X: Any, y: Any, seed: int) -> bool:
        rows, labels, model = [dict(enumerate(x)) for x in X.tolist()], [bool(one) for one in y], Perceptron()
        for _ in range(most):
            for x, label in zip(rows, labels):
                model.learn_one(x, label)
            if all(model.predict_one(x) == label for x, label in zip(rows, labels)):
                return True
        return False

    return separates


def mlxtend(**options: Any) -> Callable[[Any, Any, int], bool]:
    peer("mlxtend")
    from mlxtend.classifier import Perceptron

    return fitted(lambda seed: Perceptron(random_seed=seed, **options))


def rates(separates: Callable[[Any, Any, int], bool]) -> dict[str, float]:
    return {
        kind: float(np.mean([separates(*problem(kind, seed), seed) for seed in range(SEEDS)])) for kind in KINDS
    }  # fmt: skip


def separation(setting: Setting) -> Iterator[Row]:
    def proved(X: Any, y: Any, seed: int) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = rb.Perceptron(random_state=seed).fit(X, y)
        separated = bool(np.all(model.predict(X) == y))
        assert separated == (model.verdict_ == "separated"), "the verdict is wrong"
        return separated

    sides: dict[str, tuple[str, Callable[[Any, Any, int], bool], list[tuple[str, str, Callable[[], Any]]]]] = {
        "default": ("Perceptron()", proved, [
            ("sklearn", "scikit-learn", lambda: fitted(lambda seed: SklearnPerceptron(random_state=seed))),
            ("mlxtend", "mlxtend", mlxtend),
            ("river", "river", lambda: river(1)),
        ]),
        "1000": (f"Perceptron(tol=None, max_iter={PASSES:,})",
            fitted(lambda seed: rb.Perceptron(tol=None, max_iter=PASSES, random_state=seed)), [
            ("sklearn", "scikit-learn",
                lambda: fitted(lambda seed: SklearnPerceptron(tol=None, max_iter=PASSES, random_state=seed))),
            ("mlxtend", "mlxtend", lambda: mlxtend(epochs=PASSES)),
            ("river", "river", lambda: river(PASSES)),
        ]),
    }  # fmt: skip
    for budget, (name, mine, others) in sides.items():
        ours = rates(mine)
        for key, package, make in others:
            what = "defaults" if budget == "default" else f"{PASSES:,} passes"
            try:
                theirs, peer_name = rates(make()), peer(package, "Perceptron")
                peer_name += ", a stream: one pass" if key == "river" and budget == "default" else ""
            except Missing as reason:
                yield {"question": QUESTION, "name": f"separated-{budget}-{key}", "missing": str(reason)}
                continue
            yield row(
                QUESTION, f"separated-{budget}-{key}", f"{len(KINDS) * SEEDS} separable problems, {what}", unit="share",
                ours=[float(np.mean(list(ours.values())))], peer=[float(np.mean(list(theirs.values())))],
                ours_name=name, peer_name=peer_name,
                more={"ours": ours, "peer": theirs},
            )  # fmt: skip


WORKS = (Work("separation", QUESTION, separation),)
