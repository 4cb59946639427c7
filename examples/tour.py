"""A tour in four stops: a textbook trace, a separable set, an inseparable one, and every learner on real digits."""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

import rosenblatt as rb


def heading(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def trace() -> None:
    heading("1  The textbook's trace: four points through the origin")
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    perceptron = rb.Perceptron(fit_intercept=False, shuffle=False)
    print(rb.trace(perceptron, X, y, exact=True, separator=[-2, 1]).updates())
    fitted = perceptron.fit(X, y)
    print(f"\nThe native learner agrees: {fitted.n_updates_} updates, w = {fitted.coef_[0]}, {fitted.verdict_}.")


def separable() -> None:
    heading("2  Separable: 1,000 points in 50 dimensions, nobody nearer than 0.05 to a plane off the origin")
    rng = np.random.default_rng(0)
    u = rng.standard_normal(50)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((2000, 50))
    score = X @ u + 1
    X, y = X[abs(score) > 0.05][:1000], np.sign(score)[abs(score) > 0.05][:1000]
    model = rb.Perceptron(random_state=0).fit(X, y)
    low, high = model.margin_bounds_
    print(f"verdict: {model.verdict_} after {model.n_iter_} passes and {model.n_updates_:,} updates")
    print(f"the best margin of (x, 1) lies in [{low:.4f}, {high:.4f}]; ours by construction: {0.05 / 2**0.5:.4f}")
    best = rb.separability(X, y).margin_augmented
    print(f"the quadratic programme says {best:.6f}, and proves it by its support points")


def inseparable() -> None:
    heading('3  Inseparable: "good" +, "bad" −, "not good" −, "not bad" + as single words, then with word pairs')
    words = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]])
    pairs = np.hstack([words, [[0, 0], [0, 0], [1, 0], [0, 1]]])
    y = ["+", "-", "-", "+"]
    for name, X in [("good, bad, not", words), ("… and not-good, not-bad", pairs)]:
        model = rb.Perceptron(shuffle=False).fit(X, y)
        low, high = model.margin_bounds_
        print(f"{name:<24} verdict: {model.verdict_:<10} best margin in [{low:.3g}, {high:.3g}]")
    answer = rb.separability(words, y)
    print(f"No weights for the words alone can be right. The proof:\n\n{answer}\n\nWith the pairs:\n")
    print(rb.separability(pairs, y))


def digits() -> None:
    heading("4  Every linear learner on scikit-learn's digits: 1,347 to learn from, 450 held out")
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, stratify=y, random_state=0)
    learners = {
        "Perceptron": rb.Perceptron(),
        "  with a margin": rb.Perceptron(margin=1.0),
        "  one against the rest": rb.Perceptron(multiclass="ovr"),
        "AveragedPerceptron": rb.AveragedPerceptron(),
        "PocketPerceptron": rb.PocketPerceptron(),
        "BatchPerceptron": rb.BatchPerceptron(),
        "PassiveAggressive PA": rb.PassiveAggressiveClassifier(variant="PA"),
        "PassiveAggressive PA-I": rb.PassiveAggressiveClassifier(C=0.01),
        "  averaged": rb.PassiveAggressiveClassifier(C=0.01, average=True),
        "PassiveAggressive PA-II": rb.PassiveAggressiveClassifier(variant="PA-II", C=0.01),
        "MIRA": rb.MIRA(),
        "MIRA, smallest norm": rb.MIRA(variant="norm"),
    }
    print(f"{'learner':<25}{'held out':>9}{'passes':>8}{'updates':>9}{'seconds':>9}  verdict, best margin in")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the verdict says it below
        for name, model in learners.items():
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            began = time.perf_counter()
            model.fit(X_train, y_train)
            seconds = time.perf_counter() - began
            low, high = model.margin_bounds_
            print(
                f"{name:<25}{model.score(X_test, y_test):>9.3f}{model.n_iter_:>8}{model.n_updates_:>9,}{seconds:>9.3f}"
                f"  {model.verdict_:<10} [{low:.2g}, {high:.2g}]"
            )


if __name__ == "__main__":
    print(f"rosenblatt {rb.__version__}")
    trace()
    separable()
    inseparable()
    digits()
