"""In kernel space, on MNIST in [0, 1], float32: ``K = (1 + x·x')⁴``, ten classes against the rest, shuffled once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from datasets import mnist
from harness import Missing, Row, Setting, Work, peer, race
from sklearn.svm import SVC

import rosenblatt as rb

QUESTION = "kernels"
DEGREE = 4


@functools.lru_cache(1)
def digits() -> tuple[Any, Any, Any, Any]:
    X, y, X_test, y_test = mnist()
    order = np.random.default_rng(0).permutation(len(X))
    return np.ascontiguousarray(X[order]) / np.float32(255), y[order], X_test / np.float32(255), y_test


def ours(passes: int, **more: Any) -> rb.VotedPerceptron:
    return rb.VotedPerceptron(
        kernel="poly", degree=DEGREE, gamma=1.0, coef0=1.0, fit_intercept=False, multiclass="ovr", shuffle=False,
        tol=None, max_iter=passes, **more,
    )  # fmt: skip


def in_numpy(X: Any, y: Any, block: int = 512) -> tuple[Any, Any]:
    """The same pass as one would write it: a product for each block, and a loop over its rows."""
    signs = np.where(y[:, None] == np.arange(10), 1, -1).astype(X.dtype)
    support, alpha = np.zeros(0, np.int64), np.zeros((0, 10), X.dtype)
    mistakes = 0
    for start in range(0, len(X), block):
        rows, sign = X[start : start + block], signs[start : start + block]
        scores = (1 + rows @ X[support].T) ** DEGREE @ alpha
        gram = (1 + rows @ rows.T) ** DEGREE
        for i in range(len(rows)):
            wrong = sign[i] * scores[i] <= 0
            if wrong.any():
                step = np.where(wrong, sign[i], 0).astype(X.dtype)
                scores += gram[i][:, None] * step
                support, alpha = np.append(support, start + i), np.concatenate((alpha, step[None]))
                mistakes += int(wrong.sum())
    return support, mistakes


def one_by_one(model: rb.VotedPerceptron, rows: Any) -> Any:
    """Votes of a model by a plain loop over its voters, a kernel value each."""
    learner = model._kernel_learner
    counts = np.diff(np.concatenate((learner.time, [learner.visited + 1])))
    votes = np.zeros((len(rows), 10))
    for i, x in enumerate(rows):
        for c in range(10):
            own = np.flatnonzero(learner.coef[:, c])
            ends = np.append(learner.time[own][1:], learner.visited + 1)
            terms = zip(learner.coef[own, c], learner.which[own])
            scores = accumulate(a * (1 + learner.support.vectors[j] @ x) ** DEGREE for a, j in terms)
            votes[i, c] = sum(n * (1 if s > 0 else -1) for n, s in zip(ends - learner.time[own], scores))
            votes[i, c] -= learner.time[own][0] - 1 if len(own) else counts.sum()
    return votes


def training(precision: type) -> Callable[[Setting], Iterator[Row]]:
    def check(model: Any, other: tuple[Any, int]) -> str:
        support, mistakes = other
        assert abs(mistakes - model.mistakes_.sum()) <= 20, (mistakes, model.mistakes_)
        assert abs(len(support) - len(model.support_)) <= 20
        return f"{model.mistakes_.sum():,} mistakes, peer {mistakes:,}; {len(model.support_):,} examples kept"

    def measure(setting: Setting) -> Iterator[Row]:
        X, y, _, _ = digits()
        rows, kind = X.astype(precision), np.dtype(precision).name
        yield race(
            QUESTION, f"kernel-{kind}", "VotedPerceptron, one pass of training", lambda _: ours(1).fit(X, y),
            lambda _: in_numpy(rows, y), check, setting.repeats, ours_name="VotedPerceptron, float32",
            peer_name=f"NumPy {np.__version__} in blocks of 512, {kind}",
        )  # fmt: skip

    return measure


def voting(setting: Setting) -> Iterator[Row]:
    """Times are per row: ours of all rows of the test set, the loop of 20."""
    X, y, X_test, _ = digits()
    model, few = ours(1).fit(X, y), X_test[:20]

    def check(labels: Any, votes: Any) -> str:
        assert np.mean(labels[:20] != votes) < 0.05, "the votes differ"
        return f"a model of {len(model.support_):,} examples"

    raced = race(
        QUESTION, "kernel-vote", "voted prediction, per row", lambda _: model.decision_function(X_test),
        lambda _: one_by_one(model, few), check, setting.repeats, ours_name="VotedPerceptron",
        peer_name="a plain loop over the voters",
    )  # fmt: skip
    mine, theirs = [t / len(X_test) for t in raced["ours"]], [t / len(few) for t in raced["peer"]]
    yield raced | {"ours": mine, "peer": theirs, "unit": "us", "ratios": [b / a for a, b in zip(mine, theirs)]}


def svc(setting: Setting) -> Iterator[Row]:
    """Minutes: one fit of each."""
    X, y, X_test, y_test = digits()
    theirs = SVC(kernel="poly", degree=DEGREE, gamma=1.0, coef0=1.0, cache_size=4000)

    def check(one: Any, other: Any) -> str:
        wrong = [100 * np.mean(model.predict(X_test) != y_test) for model in (one, other)]
        return f"test error {wrong[0]:.2f} %, peer {wrong[1]:.2f} %"

    yield race(
        QUESTION, "kernel-svc", "training, one pass", lambda _: ours(1).fit(X, y), lambda _: theirs.fit(X, y), check, 1,
        ours_name="VotedPerceptron", peer_name=peer("scikit-learn", 'SVC(kernel="poly", degree=4)'),
    )  # fmt: skip


def cuda(setting: Setting) -> Iterator[Row]:
    """Ten passes on a CUDA device, from host memory to model."""
    X, y, X_test, y_test = digits()
    try:
        ours(1, device="cuda").fit(X[:5000], y[:5000])
    except Exception as error:
        raise Missing(f"no CUDA device: {error}") from None

    def check(model: Any, _: Any) -> str:
        wrong = 100 * np.mean(model.predict(X_test) != y_test)
        return f"{model.mistakes_.sum():,} mistakes, {len(model.support_):,} examples kept, vote {wrong:.2f} % wrong"

    yield race(
        QUESTION, "kernel-cuda", "ten passes on a GPU, from host memory to model",
        lambda _: ours(10, device="cuda").fit(X, y), None, check, setting.repeats, warm=True,
        ours_name="VotedPerceptron(device=\"cuda\")",
    )  # fmt: skip


WORKS = (
    Work("kernel-float64", QUESTION, training(np.float64), threads=None),
    Work("kernel-float32", QUESTION, training(np.float32), threads=None),
    Work("kernel-vote", QUESTION, voting, threads=None),
    Work("kernel-svc", QUESTION, svc, slow=True, threads=None),
    Work("kernel-cuda", QUESTION, cuda, slow=True, threads=None),
)
