"""Whole fits of some passes, CSR and dense, two and ten classes, against scikit-learn's learners at the same work."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import datasets
import numpy as np
from harness import Row, Setting, Work, peer, race
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

import rosenblatt as rb
from rosenblatt import rules

PASSES = 5
QUESTION = "passes"
#: scikit-learn's learners of the family, each as SGDClassifier has it; C of the passive-aggressive ones is eta0.
SGD: dict[str, Callable[..., Any]] = {
    "averaged": partial(SGDClassifier, loss="perceptron", average=True, learning_rate="constant", eta0=1, penalty=None),
    "pa1": partial(SGDClassifier, loss="hinge", learning_rate="pa1", eta0=1.0, penalty=None),
    "pa2": partial(SGDClassifier, loss="hinge", learning_rate="pa2", eta0=1.0, penalty=None),
}
OURS: dict[str, Callable[..., Any]] = {
    "averaged": rb.AveragedPerceptron,
    "pa1": partial(rb.PassiveAggressiveClassifier, C=1.0, variant="PA-I"),
    "pa2": partial(rb.PassiveAggressiveClassifier, C=1.0, variant="PA-II"),
}


def fits(
    setting: Setting, name: str, ours: Callable[..., Any], theirs: Callable[..., Any], data: datasets.Examples,
    ours_name: str, peer_name: str, question: str = QUESTION, **more: Any,
) -> Row:  # fmt: skip
    """Whole fits of PASSES shuffled passes."""
    X, y, what = data

    def run(kind: Callable[..., Any], seed: int) -> Any:
        return kind(tol=None, max_iter=PASSES, random_state=seed).fit(X, y)

    def check(one: Any, other: Any) -> str:
        for model in (one, other):
            assert model.n_iter_ == PASSES, f"{model} made {model.n_iter_} passes"
            assert model.coef_.dtype == X.dtype, f"{model} has weights of {model.coef_.dtype}"
        assert len(one.mistakes_) == PASSES
        wrong = ", ".join(f"{share:.1%}" for share in one.mistakes_ / len(y))
        rows = slice(None) if len(y) <= 100_000 else slice(100_000)
        right = [model.score(X[rows], y[rows]) for model in (one, other)]
        return f"mistakes per pass {wrong}; accuracy on the rows {right[0]:.3f}, peer {right[1]:.3f}"

    for kind in (ours, theirs):  # what is imported or made ready at the first fit is not timed
        kind(tol=None, max_iter=1).fit(X[:500], y[:500])
    shape = {"rows": len(y), "columns": X.shape[1], "stored": int(getattr(X, "nnz", X.size)), "passes": PASSES}
    return race(
        question, name, f"fit, {PASSES} shuffled passes, {what}", partial(run, ours), partial(run, theirs), check,
        setting.repeats, ours_name=ours_name, peer_name=peer("scikit-learn", peer_name),
        more=shape | more.pop("more", {}), **more,
    )  # fmt: skip


def perceptrons(name: str, data: Callable[[], datasets.Examples], **more: Any) -> Callable[[Setting], Iterator[Row]]:
    def measure(setting: Setting) -> Iterator[Row]:
        yield fits(setting, name, rb.Perceptron, SklearnPerceptron, data(), "Perceptron", "Perceptron", **more)

    return measure


def same_rule(name: str, key: str, data: Callable[[], datasets.Examples], **more: Any) -> Callable[..., Iterator[Row]]:
    """The learner ``key`` of both."""
    named = {
        "averaged": "AveragedPerceptron",
        "pa1": "PassiveAggressiveClassifier, PA-I",
        "pa2": "PassiveAggressiveClassifier, PA-II",
    }
    theirs = {
        "averaged": 'SGDClassifier(loss="perceptron", average=True)', "pa1": 'SGDClassifier(learning_rate="pa1")',
        "pa2": 'SGDClassifier(learning_rate="pa2")',
    }  # fmt: skip

    def measure(setting: Setting) -> Iterator[Row]:
        yield fits(setting, name, OURS[key], SGD[key], data(), named[key], theirs[key], **more)

    return measure


def one_against_the_rest(setting: Setting) -> Iterator[Row]:
    """scikit-learn's own algorithm for ten classes, in one reading of the rows."""
    ours = partial(rb.Perceptron, multiclass="ovr")
    yield fits(
        setting, "classes-ovr", ours, SklearnPerceptron, datasets.digits(), 'Perceptron(multiclass="ovr")', "Perceptron"
    )


def second_order(setting: Setting) -> Iterator[Row]:
    """AROW beside the nearest of scikit-learn, and each second-order rule beside PA-I of this package."""
    adaptive = partial(SGDClassifier, loss="hinge", learning_rate="adaptive", eta0=0.1, penalty=None)
    yield fits(
        setting, "arow", rb.AROW, adaptive, datasets.csr(), "AROW", 'SGDClassifier(learning_rate="adaptive")',
        note="another algorithm: its rate is one for all features, and falls where the loss does not",
    )  # fmt: skip
    X, y, what = datasets.csr()
    for option in ("arow", "scw", "cw", "nherd", "sop"):
        rule = rules.BY_OPTION[option]()

        def one_pass(rule: rules.Rule, seed: int) -> Any:
            return rb.OnlineClassifier(rule=rule, max_iter=1, random_state=seed).fit(X, y)

        def check(one: Any, other: Any) -> str:
            assert one.n_iter_ == other.n_iter_ == 1
            wrong = [float(model.mistakes_[0]) / len(y) for model in (one, other)]
            return (
                f"online mistakes {wrong[0]:.1%}, PA-I {wrong[1]:.1%}; updates {one.n_updates_:,}, {other.n_updates_:,}"
            )

        yield race(
            QUESTION, f"{option}-pa1", f"fit, 1 shuffled pass, {what}", partial(one_pass, rule),
            partial(one_pass, rules.PA1()), check, setting.repeats, warm=True, ours_name=rule.title,
            peer_name="PA-I of this package", reach=0.5, note="at most twice its time: a ratio of 0.5 at least",
        )  # fmt: skip


def liblinear(setting: Setting) -> Iterator[Row]:
    """LIBLINEAR's dual coordinate descent: another algorithm, for reference."""
    X, y, what = datasets.csr()

    def theirs(seed: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return LinearSVC(dual=True, max_iter=PASSES, tol=1e-9, random_state=seed).fit(X, y)

    def check(one: Any, other: Any) -> str:
        right = [model.score(X[:100_000], y[:100_000]) for model in (one, other)]
        return f"accuracy on the rows {right[0]:.3f}, peer {right[1]:.3f}"

    yield race(
        QUESTION, "liblinear", f"fit, {PASSES} passes, {what}",
        lambda seed: OURS["averaged"](tol=None, max_iter=PASSES, random_state=seed).fit(X, y), theirs, check,
        setting.repeats, ours_name="AveragedPerceptron",
        peer_name=peer("scikit-learn", "LinearSVC(dual=True), LIBLINEAR"),
        note="another algorithm at the same passes, for reference",
    )  # fmt: skip


def mlxtend(setting: Setting) -> Iterator[Row]:
    X, y, what = datasets.narrow()
    name = peer("mlxtend", "Perceptron")
    from mlxtend.classifier import Perceptron

    def check(one: Any, other: Any) -> str:
        assert len(other.cost_) == PASSES
        return f"accuracy on the rows {one.score(X, y):.3f}, peer {other.score(X, y):.3f}"

    yield race(
        QUESTION, "mlxtend", f"fit, {PASSES} passes, {what}",
        lambda seed: rb.Perceptron(tol=None, max_iter=PASSES, random_state=seed).fit(X, y),
        lambda seed: Perceptron(eta=1.0, epochs=PASSES, random_seed=seed).fit(X, y.astype(np.int64)), check,
        setting.repeats, warm=True, ours_name="Perceptron", peer_name=name, note="a loop in Python: small data",
    )  # fmt: skip


def sizes(setting: Setting) -> Iterator[Row]:
    """As rows, columns and stored entries grow, one at a time."""
    rows = [(25_000, 50_000, 48), (100_000, 50_000, 48)]
    columns = [(100_000, 5_000, 48), (100_000, 500_000, 48)]
    entries = [(100_000, 50_000, 12), (100_000, 50_000, 192)]
    for n, d, length in rows + columns + entries:
        name = f"csr-{n // 1000}k-{d // 1000}k-{length}"
        yield fits(setting, name, rb.Perceptron, SklearnPerceptron, datasets.csr(n, d, length), "Perceptron",
                   "Perceptron")  # fmt: skip
    for n, d in [(20_000, 784), (200_000, 50), (20_000, 4_000)]:
        yield fits(setting, f"dense-{n // 1000}k-{d}", rb.Perceptron, SklearnPerceptron, datasets.dense(n, d),
                   "Perceptron", "Perceptron")  # fmt: skip


def digits_csr() -> datasets.Examples:
    from scipy import sparse

    X, y, what = datasets.digits()
    made = sparse.csr_matrix(X)
    return datasets.Examples(made, y, what.replace("dense", "CSR") + f", {made.nnz / len(y):.0f} a row")


WORKS = (
    Work("sparse", QUESTION, perceptrons("sparse", datasets.csr, reach=2.2, aim=3), quick=True),
    Work("dense", QUESTION, perceptrons("dense", datasets.dense, reach=2.8, aim=4), quick=True),
    Work("classes", QUESTION, perceptrons("classes", datasets.digits, reach=8, aim=20), quick=True),
    Work("classes-ovr", QUESTION, one_against_the_rest),
    Work("classes-csr", QUESTION, perceptrons("classes-csr", digits_csr)),
    Work("averaged", QUESTION, same_rule("averaged", "averaged", datasets.csr, reach=2.4, aim=3), quick=True),
    Work("averaged-classes", QUESTION, same_rule("averaged-classes", "averaged", datasets.digits)),
    Work("pa1", QUESTION, same_rule("pa1", "pa1", datasets.csr), quick=True),
    Work("pa2", QUESTION, same_rule("pa2", "pa2", datasets.csr)),
    Work("pa1-dense", QUESTION, same_rule("pa1-dense", "pa1", datasets.dense)),
    Work("pa1-classes", QUESTION, same_rule("pa1-classes", "pa1", datasets.digits)),
    Work("second-order", QUESTION, second_order),
    Work("liblinear", QUESTION, liblinear),
    Work("mlxtend", QUESTION, mlxtend),
    Work("sizes", QUESTION, sizes),
)
