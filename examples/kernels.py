"""What no line separates: XOR, circles, and digits in the space of a kernel; one run read in three ways."""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import load_digits, make_circles
from sklearn.model_selection import train_test_split

import rosenblatt as rb


def heading(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def xor() -> None:
    heading("XOR: no line, but a conic")
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    print(rb.separability(X, y))
    model = rb.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, shuffle=False).fit(X, y)
    low, high = model.margin_bounds_
    print(
        f"\nwith (x·x' + 1)²: {model.verdict_} after {model.n_updates_} updates; predicted {model.predict(X).tolist()}"
    )
    print(f"coefficients of the rows: {model.dual_coef_[0]}; the best margin there lies in [{low:.4f}, {high:.4f}]")


def circles() -> None:
    heading("Circles: 400 points on two rings")
    X, y = make_circles(400, noise=0.06, factor=0.5, random_state=0)
    line = rb.Perceptron(random_state=0, max_iter=50, tol=None).fit(X, y)
    print(f"a line gets {line.score(X, y):.0%} of them right")
    for kernel in ("poly", "rbf"):
        model = rb.KernelPerceptron(kernel=kernel, degree=2, random_state=0).fit(X, y)
        print(
            f"{kernel:<5} {model.verdict_} in {model.n_iter_} passes by {len(model.support_)} of the {len(X)} points, "
            f"{model.score(X, y):.0%} right"
        )


def digits() -> None:
    heading("Digits: one run of 5 passes, read as the last, the averaged and the voted weights")
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, stratify=y, random_state=0)
    began = time.perf_counter()
    model = rb.VotedPerceptron(
        kernel="poly", degree=3, gamma=1.0, multiclass="ovr", max_iter=5, tol=None, random_state=0
    )
    model.fit(X_train, y_train)
    taken, mistakes = time.perf_counter() - began, model.mistakes_.tolist()
    print(f"{taken:.2f} s, {len(model.support_)} support vectors, mistakes {mistakes}")
    for readout in ("last", "averaged", "voted"):
        began = time.perf_counter()
        accuracy = np.mean(model.with_readout(readout).predict(X_test) == y_test)
        note = f", {model.n_voters_} voters" if readout == "voted" else ""
        print(
            f"{readout:<9} {accuracy:.1%} of {len(X_test)} held-out digits, {time.perf_counter() - began:.2f} s{note}"
        )


if __name__ == "__main__":
    xor()
    circles()
    digits()
