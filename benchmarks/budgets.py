"""Budgets on a stream that drifts: µs per example, how flat they are, and the mistakes.

    python benchmarks/budgets.py [rows]

A boundary in ten dimensions that turns twice around in the stream, with 2 % of the labels wrong; rows come in parts of
2,000. "flat" is the time of the last fifth of the stream over that of the second.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import rosenblatt as rb

PART = 2_000
POLICIES = ("random", "forgetron", "projectron", "projectron++")


def drifting(n, d=10, seed=0):
    rng = np.random.default_rng(seed)
    X, angle = rng.standard_normal((n, d)), 4 * np.pi * np.arange(n) / n
    score = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) + 0.5 * X[:, 2] * X[:, 3]
    return X, (score > 0) ^ (rng.random(n) < 0.02)


def streamed(X, y, **params):
    """The model after the stream, and µs per example in each part of it."""
    model = rb.KernelPerceptron(kernel="rbf", gamma=0.1, fit_intercept=False, random_state=0, **params)
    times = []
    for start in range(0, len(X), PART):
        before = time.perf_counter()
        model.partial_fit(X[start : start + PART], y[start : start + PART])
        times.append((time.perf_counter() - before) / PART * 1e6)
    return model, np.array(times)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    X, y = drifting(n)
    print(f"{'budget':>6}  {'policy':12}  {'µs/example':>10}  {'flat':>5}  {'mistakes':>8}  {'support':>7}")
    for budget in (100, 500):
        for policy in POLICIES:
            model, times = streamed(X, y, budget=budget, budget_policy=policy)
            fifth = max(1, len(times) // 5)
            flat = np.median(times[-fifth:]) / np.median(times[fifth : 2 * fifth])
            mistakes = model.mistakes_[0] / n
            print(
                f"{budget:6}  {policy:12}  {np.median(times):10.1f}  {flat:5.2f}  {mistakes:8.1%}  {len(model.support_):7}"
            )


if __name__ == "__main__":
    main()
