"""The work that is timed: ours and a peer's, on the very same arrays, with a check that both did all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import datasets
import numpy as np
import sklearn
from river.linear_model import Perceptron as RiverPerceptron
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

import rosenblatt as rb

PASSES = 5
SKLEARN, RIVER = f"scikit-learn {sklearn.__version__}", f"river {version('river')}"


class Contest(NamedTuple):
    """Two runs to be timed against each other. Each takes a seed; what it gives back goes to the check."""

    ours: Callable[[int], Any]
    peer: Callable[[int], Any]
    check: Callable[[Any, Any], str]  # refuses a run that left work out; says what the two learned
    what: str
    calls: int = 0  # times are told per call, where there are many


@dataclass(frozen=True)
class Work:
    """A row of the table."""

    name: str
    title: str
    peer: str
    reach: float
    aim: float | None
    prepare: Callable[[bool], Contest]


def fits(ours: type, peer: Callable[..., Any], data: datasets.Examples) -> Contest:
    """Whole fits of PASSES shuffled passes."""
    X, y, what = data

    def run(kind: Callable[..., Any], seed: int) -> Any:
        return kind(tol=None, max_iter=PASSES, random_state=seed).fit(X, y)

    def check(one: Any, other: Any) -> str:
        for model in (one, other):
            assert model.n_iter_ == PASSES, f"{model} made {model.n_iter_} passes"
            assert model.coef_.dtype == X.dtype, f"{model} has weights of {model.coef_.dtype}"
        assert len(one.mistakes_) == PASSES
        assert one.verdict_ != "separated"
        wrong = ", ".join(f"{share:.1%}" for share in one.mistakes_ / len(y))
        return f"mistakes per pass {wrong}; accuracy on the rows {one.score(X, y):.3f}, peer {other.score(X, y):.3f}"

    for kind in (ours, peer):  # what is imported or made ready at the first fit is not timed
        kind(tol=None, max_iter=1).fit(X[:200], y[:200])
    return Contest(lambda seed: run(ours, seed), lambda seed: run(peer, seed), check, what)


def averaged_sgd(**parameters: Any) -> Any:
    """scikit-learn's averaged perceptron."""
    return SGDClassifier(loss="perceptron", average=True, learning_rate="constant", eta0=1, penalty=None, **parameters)


def one_row_calls(quick: bool) -> Contest:
    """partial_fit with one row at a time; the first call names the classes, which scikit-learn needs."""
    X, y, what = datasets.narrow(quick)
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

    return Contest(lambda _: run(rb.Perceptron()), lambda _: run(SklearnPerceptron()), check, what, len(stream))


def named_examples(quick: bool) -> Contest:
    """predict_one, then learn_one, example by example; the first is learned without a prediction."""
    rows, labels, what = datasets.named(quick)

    def run(model: Any) -> int:
        model.learn_one(rows[0], labels[0])
        right = 0
        for x, label in zip(rows[1:], labels[1:], strict=True):
            right += model.predict_one(x) == label
            model.learn_one(x, label)
        return right

    def check(one: int, other: int) -> str:
        n = len(rows) - 1
        assert min(one, other) > 0.5 * n, "one of the two did not learn"
        return f"right before learning {one / n:.3f}, peer {other / n:.3f}"

    return Contest(lambda _: run(rb.Perceptron()), lambda _: run(RiverPerceptron()), check, what, len(rows))


ALL = (
    Work("sparse", f"fit, {PASSES} shuffled passes", f"{SKLEARN} Perceptron", 2.2, 3,
         lambda quick: fits(rb.Perceptron, SklearnPerceptron, datasets.csr(quick))),
    Work("dense", f"fit, {PASSES} shuffled passes", f"{SKLEARN} Perceptron", 2.8, 4,
         lambda quick: fits(rb.Perceptron, SklearnPerceptron, datasets.dense(quick))),
    Work("classes", f"fit, ten classes, {PASSES} passes", f"{SKLEARN} Perceptron (one against the rest)", 8, 20,
         lambda quick: fits(rb.Perceptron, SklearnPerceptron, datasets.digits(quick))),
    Work("averaged", f"fit, averaged, {PASSES} passes", f"{SKLEARN} SGDClassifier(average=True)", 2.4, 3,
         lambda quick: fits(rb.AveragedPerceptron, averaged_sgd, datasets.csr(quick))),
    Work("partial_fit", "partial_fit, one row per call", f"{SKLEARN} Perceptron", 20, None, one_row_calls),
    Work("learn_one", "predict_one + learn_one", f"{RIVER} Perceptron", 2, 4, named_examples),
)  # fmt: skip
