"""The worked examples of the perceptron lectures, step by step: `python examples/worked_traces.py [--plain]`.

Four points through the origin, three film reviews under both tie rules, four phrases that no weights of single words
get right (with the certificate that proves it) and that word pairs make separable, and XOR.
"""

from __future__ import annotations

import sys

import pandas as pd

import rosenblatt as rb


def heading(text: str) -> None:
    print(f"\n{text}\n{'━' * len(text)}\n")


def show(trace: rb.Trace) -> None:
    """Folded to the width of the terminal, or as it is on demand."""
    if "--plain" in sys.argv:
        print(trace)
    else:
        trace.show()
    print()


def bag_of(texts: list[str], words: list[str]) -> pd.DataFrame:
    """Which of the words, or pairs of words, each text holds."""
    return pd.DataFrame([[int(f" {word} " in f" {text} ") for word in words] for text in texts], columns=words)


def four_points() -> None:
    heading("A  Four points through the origin")
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    perceptron = rb.Perceptron(fit_intercept=False, shuffle=False)
    show(rb.trace(perceptron, X, y, exact=True))
    print("The same run beside the convergence proof, with the separator u = (−2, 1); updates only:\n")
    show(rb.trace(perceptron, X, y, exact=True, separator=(-2, 1)).updates())


def reviews() -> None:
    texts, y = ["movie good", "movie bad", "not good"], [1, -1, -1]
    X = bag_of(texts, ["movie", "good", "bad", "not"])
    for ties, meaning in [("predict", "a score of 0 is the prediction −1"), ("mistake", "a score of 0 is a mistake")]:
        heading(f"B  “movie good” +, “movie bad” −, “not good” −: {meaning}")
        show(rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False, ties=ties), X, y, exact=True))


def phrases() -> None:
    texts, y = ["good", "bad", "not good", "not bad"], [1, -1, -1, 1]
    words, pairs = ["good", "bad", "not"], ["not good", "not bad"]
    for bias in (False, True):
        with_bias = "not even with a bias" if bias else "single words cannot do it"
        heading(f"C  “good” +, “bad” −, “not good” −, “not bad” +: {with_bias}")
        show(rb.trace(rb.Perceptron(fit_intercept=bias, shuffle=False), bag_of(texts, words), y, exact=True))
    for ties in ("mistake", "predict"):
        heading(f"C  The same with the pairs “not good” and “not bad” as features, ties={ties!r}")
        perceptron = rb.Perceptron(fit_intercept=False, shuffle=False, ties=ties)
        show(rb.trace(perceptron, bag_of(texts, words + pairs), y, exact=True))


def xor() -> None:
    heading("D  XOR, with a bias")
    show(rb.trace(rb.Perceptron(shuffle=False), [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1], exact=True))


if __name__ == "__main__":
    four_points()
    reviews()
    phrases()
    xor()
