"""One example at a time: partial_fit of one row, and dicts of named features, against scikit-learn, river and NLTK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import datasets
import numpy as np
from harness import Row, Setting, Work, peer, race
from sklearn.linear_model import Perceptron as SklearnPerceptron

import rosenblatt as rb

QUESTION = "one"


def one_row_calls(setting: Setting) -> Iterator[Row]:
    """partial_fit with one row at a time; the first call names the classes, which scikit-learn needs."""
    X, y, what = datasets.narrow()
    stream = [(X[i : i + 1], y[i : i + 1]) for i in range(len(y))]
    classes = np.unique(y)

    def run(model: Any) -> Any:
        model.partial_fit(*stream[0], classes=classes)
        for x, label in stream[1:]:
            model.partial_fit(x, label)
        return model

    def check(one: Any, other: Any) -> str:
        assert one.n_updates_ > 0
        assert other.t_ == 1 + len(stream), "a call was left out"  # scikit-learn's t_ starts at 1
        wrong = one.mistakes_.sum() / len(stream)
        return f"mistakes {wrong:.1%}; accuracy on the rows {one.score(X, y):.3f}, peer {other.score(X, y):.3f}"

    yield race(
        QUESTION, "partial_fit", f"partial_fit, one row a call, {what}", lambda _: run(rb.Perceptron()),
        lambda _: run(SklearnPerceptron()), check, setting.repeats, calls=len(stream), reach=20,
        ours_name="Perceptron", peer_name=peer("scikit-learn", "Perceptron"),
    )  # fmt: skip


def predicted_rows(setting: Setting) -> Iterator[Row]:
    """Predict with one row at a time."""
    X, y, what = datasets.narrow()
    rows = [X[i : i + 1] for i in range(1000)]
    models = [kind(max_iter=3, tol=None, random_state=0).fit(X, y) for kind in (rb.Perceptron, SklearnPerceptron)]

    def check(one: Any, other: Any) -> str:
        return f"accuracy {np.mean(one == y[:1000]):.3f}, peer {np.mean(other == y[:1000]):.3f}"

    yield race(
        QUESTION, "predict", f"predict, one row a call, {what}",
        lambda _: np.concatenate([models[0].predict(row) for row in rows]),
        lambda _: np.concatenate([models[1].predict(row) for row in rows]), check, setting.repeats, calls=len(rows),
        ours_name="Perceptron", peer_name=peer("scikit-learn", "Perceptron"),
    )  # fmt: skip


def right_before_learning(model: Any, rows: list[dict[str, float]], labels: list[bool]) -> int:
    """predict_one, then learn_one, example by example; the first is learned without a prediction."""
    model.learn_one(rows[0], labels[0])
    right = 0
    for x, label in zip(rows[1:], labels[1:], strict=True):
        right += model.predict_one(x) == label
        model.learn_one(x, label)
    return right


def learned_one_by_one(setting: Setting, name: str, ours: Any, theirs: Any, **options: Any) -> Row:
    """The same dicts in the same order to a learner of each side."""
    rows, labels, what = datasets.named()

    def check(one: int, other: int) -> str:
        n = len(rows) - 1
        assert min(one, other) > 0.5 * n, "one of the two did not learn"
        return f"right before learning {one / n:.3f}, peer {other / n:.3f}"

    return race(
        QUESTION, name, f"predict_one, then learn_one, {what}",
        lambda _: right_before_learning(ours(), rows, labels), lambda _: right_before_learning(theirs(), rows, labels),
        check, setting.repeats, calls=len(rows), ours_name=ours.__name__, **options,
    )  # fmt: skip


def named_examples(setting: Setting) -> Iterator[Row]:
    name = peer("river", "Perceptron")
    from river.linear_model import Perceptron

    yield learned_one_by_one(setting, "learn_one", rb.Perceptron, Perceptron, reach=2, aim=4, peer_name=name)


class AdaGrad:
    """The nearest that River has to AROW: a step for each feature, by the squares that it has seen."""

    def __init__(self) -> None:
        from river import linear_model, optim

        self.model = linear_model.LogisticRegression(optim.AdaGrad(0.1))
        self.predict_one, self.learn_one = self.model.predict_one, self.model.learn_one


def second_order(setting: Setting) -> Iterator[Row]:
    name = peer("river", "LogisticRegression(AdaGrad)")
    yield learned_one_by_one(
        setting,
        "learn_one-arow",
        rb.AROW,
        AdaGrad,
        peer_name=name,
        note="another algorithm: River has none of second order",
    )


class Tagger:
    """NLTK's averaged perceptron behind the same two methods: its update takes the guess, so learning predicts too."""

    def __init__(self) -> None:
        from nltk.tag.perceptron import AveragedPerceptron

        self.model = AveragedPerceptron()
        self.guess: Any = None

    def predict_one(self, x: dict[str, float]) -> Any:
        self.guess = self.model.predict(x)[0]  # and a confidence
        return self.guess

    def learn_one(self, x: dict[str, float], label: Any) -> None:
        self.model.classes.add(label)
        self.model.update(label, self.guess, x)  # the guess that was just made: nothing is done twice


def tagged_examples(setting: Setting) -> Iterator[Row]:
    yield learned_one_by_one(
        setting, "learn_one-nltk", rb.AveragedPerceptron, Tagger, peer_name=peer("nltk", "AveragedPerceptron"),
        note="ours predicts by the average while it learns; NLTK's by the last weights, moved by 1 whatever the value",
    )  # fmt: skip


WORKS = (
    Work("partial_fit", QUESTION, one_row_calls, quick=True),
    Work("predict", QUESTION, predicted_rows),
    Work("learn_one", QUESTION, named_examples, quick=True),
    Work("learn_one-arow", QUESTION, second_order),
    Work("learn_one-nltk", QUESTION, tagged_examples),
)
