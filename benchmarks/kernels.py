"""Times in kernel space against peers at the same work, on MNIST, in one run.

python benchmarks/kernels.py [train] [svc] [vote] [cuda] [--repeats 5]

train   one pass, ten classes against the rest, (1 + x·x')⁴: a straightforward NumPy version in blocks
svc     passes until the test error of scikit-learn's SVC with the same kernel is reached: its training time
vote    voted prediction of 10,000 rows: a plain loop over the voters, on a slice
cuda    ten passes on a CUDA device, from host memory to model: its time alone
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import sklearn
from datasets import mnist
from sklearn.svm import SVC

import rosenblatt as rb

DEGREE = 4


def ours(passes: int, **more: Any) -> rb.VotedPerceptron:
    return rb.VotedPerceptron(
        kernel="poly", degree=DEGREE, gamma=1.0, coef0=1.0, fit_intercept=False, multiclass="ovr", shuffle=False,
        tol=None, max_iter=passes, **more,
    )  # fmt: skip


def in_numpy(X: Any, y: Any, block: int = 512) -> tuple[Any, Any]:
    """The same pass as one would write it: a product for each block, and a loop over its rows."""
    signs = np.where(y[:, None] == np.arange(10), 1, -1).astype(np.float32)
    support, alpha = np.zeros(0, np.int64), np.zeros((0, 10), np.float32)
    mistakes = 0
    for start in range(0, len(X), block):
        rows, sign = X[start : start + block], signs[start : start + block]
        scores = (1 + rows @ X[support].T) ** DEGREE @ alpha
        gram = (1 + rows @ rows.T) ** DEGREE
        for i in range(len(rows)):
            wrong = sign[i] * scores[i] <= 0
            if wrong.any():
                step = np.where(wrong, sign[i], 0).astype(np.float32)
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


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def spread(values: list[float], unit: str = "") -> str:
    low, middle, high = np.percentile(values, (25, 50, 75))
    return f"{middle:.3g}{unit} ({low:.3g}–{high:.3g})"


def train(data: tuple[Any, ...], repeats: int) -> None:
    X, y, _, _ = data
    mine, theirs = [], []
    for _ in range(repeats):
        taken, model = seconds(lambda: ours(1).fit(X, y))
        mine.append(taken)
        taken, (support, mistakes) = seconds(lambda: in_numpy(X, y))
        theirs.append(taken)
        assert abs(mistakes - model.mistakes_.sum()) <= 20, (mistakes, model.mistakes_)
        assert abs(len(support) - len(model.support_)) <= 20
    ratios = [b / a for a, b in zip(mine, theirs)]
    print(
        f"train: ours {spread(mine, ' s')}, NumPy in blocks {spread(theirs, ' s')}, ratio {spread(ratios)}", flush=True
    )


def svc(data: tuple[Any, ...], repeats: int) -> None:
    X, y, X_test, y_test = data
    peer = SVC(kernel="poly", degree=DEGREE, gamma=1.0, coef0=1.0, cache_size=4000)
    theirs, _ = seconds(lambda: peer.fit(X, y))
    target = 100 * np.mean(peer.predict(X_test) != y_test)
    print(f"svc: scikit-learn {sklearn.__version__} {theirs:.0f} s, test error {target:.2f} %", flush=True)
    for passes in (1, 2, 4, 10):
        mine = [seconds(lambda passes=passes: ours(passes).fit(X, y)) for _ in range(min(repeats, 3))]
        taken, model = [t for t, _ in mine], mine[-1][1]
        errors = {r: 100 * np.mean(model.with_readout(r).predict(X_test) != y_test) for r in ("voted", "averaged")}
        told = ", ".join(f"{name} {error:.2f} %" for name, error in errors.items())
        print(
            f"     ours, T = {passes}: {spread(taken, ' s')}, {told}; ratio {theirs / np.median(taken):.1f}", flush=True
        )
        if min(errors.values()) <= target:
            break


def vote(data: tuple[Any, ...], repeats: int) -> None:
    X, y, X_test, _ = data
    model, slice_ = ours(1).fit(X, y), X_test[:20]
    mine = [seconds(lambda: model.decision_function(X_test))[0] / len(X_test) for _ in range(repeats)]
    taken, votes = seconds(lambda: one_by_one(model, slice_))
    found = model.decision_function(slice_)
    assert np.mean(found != votes) < 0.05, "the votes differ"
    each = taken / len(slice_)
    print(
        f"vote: ours {spread([1e6 * t for t in mine], ' µs')} a row, plain loop {1e6 * each:.0f} µs a row, "
        f"ratio {spread([each / t for t in mine])}; {model.prediction_cost(X_test[:1000])}",
        flush=True,
    )


def cuda(data: tuple[Any, ...], repeats: int) -> None:
    X, y, X_test, y_test = data
    ours(1, device="cuda").fit(X[:5000], y[:5000])
    times = []
    for _ in range(repeats + 1):
        taken, model = seconds(lambda: ours(10, device="cuda").fit(X, y))
        times.append(taken)
    error = 100 * np.mean(model.predict(X_test) != y_test)
    print(
        f"cuda: ten passes {spread(times[1:], ' s')}; {model.mistakes_.sum():,} mistakes, {len(model.support_):,} "
        f"examples kept, vote {error:.2f} %",
        flush=True,
    )


if __name__ == "__main__":
    works = {"train": train, "svc": svc, "vote": vote, "cuda": cuda}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", nargs="*", choices=list(works), default=["train", "vote", "svc"])
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    X, y, X_test, y_test = mnist()
    order = np.random.default_rng(0).permutation(len(X))
    data = (np.ascontiguousarray(X[order]) / np.float32(255), y[order], X_test / np.float32(255), y_test)
    for name in given.work or ["train", "vote", "svc"]:
        works[name](data, given.repeats)
