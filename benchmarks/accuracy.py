"""Held-out accuracy of every learner of ours beside the peers', the same features and the same passes for all.

Not timed, so all may use every core. One seed; the standard error √(p(1−p)/n) is that of the test set.
"""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import contract
import datasets
import numpy as np
import target
from files import WABBIT_TEXT, WORD
from harness import Missing, Row, Setting, Work, peer, row
from passes import SGD
from processes import done, ours, wabbit
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

import rosenblatt as rb

QUESTION = "accuracy"
PASSES = (5, 20)
KERNEL_ROWS = 4_000  # of the training rows, for learners in kernel space, whose cost grows with the square
KERNEL_TEST = 10_000  # and of the unseen ones
KERNEL_NOTE = f"of {KERNEL_ROWS:,} rows, on {KERNEL_TEST:,}"
Split = tuple[Any, Any, Any, Any]


def hashed(name: str) -> Split:
    """Words and pairs, binary × idf, rows of norm 1, hashed to 2**20 columns."""
    encode = rb.text.HashedText(bits=20, weighting="binary", idf=True)
    (texts, y), (held_out, labels) = datasets.texts(name, "train"), datasets.texts(name, "test")
    X = encode.fit_transform(texts)
    return X, y, encode.transform(held_out), labels


def digits() -> Split:
    X, y, X_test, y_test = datasets.mnist()
    return sparse.csr_matrix(X / np.float32(255)), y, sparse.csr_matrix(X_test / np.float32(255)), y_test


DATA: dict[str, tuple[str, Callable[[], Split]]] = {
    "imdb": ("words and pairs, binary × idf, rows of norm 1, 2²⁰ columns by HashedText", partial(hashed, "imdb")),
    "20news": ("the same features, 20 classes", partial(hashed, "20news")),
    "mnist": ("pixels in [0, 1], CSR, 10 classes", digits),
    "a9a": ("123 columns of 0 and 1", datasets.a9a),
    "covtype": (
        "54 columns, the ten measured ones standardised, every fifth row held out, 7 classes",
        datasets.covtype,
    ),
}


def learners(passes: int) -> dict[str, Any]:
    """Every classifier of ours, by discovery, and the variants that people would choose."""
    made: dict[str, Any] = {}
    for kind in contract.estimators():
        if is_classifier(kind()) and kind is not rb.OnlineClassifier:  # whose default is the Perceptron
            made[kind.__name__] = partial(kind, tol=None, max_iter=passes, random_state=0)
    pa, mira = made["PassiveAggressiveClassifier"], made["MIRA"]
    made["PassiveAggressiveClassifier, averaged"] = partial(pa, average=True)
    made["PassiveAggressiveClassifier, PA-II, C=0.1, averaged"] = partial(pa, variant="PA-II", C=0.1, average=True)
    made["MIRA, C=0.1, averaged"] = partial(mira, C=0.1, average=True)
    return made


def peers(passes: int) -> dict[str, Any]:
    name = partial(peer, "scikit-learn")
    common: dict[str, Any] = {"tol": None, "max_iter": passes, "random_state": 0, "n_jobs": 2}
    logistic = LogisticRegression(solver="liblinear", dual=True, max_iter=passes, tol=1e-9)
    return {
        name("Perceptron"): partial(SklearnPerceptron, **common),
        name("SGDClassifier, perceptron, averaged"): partial(SGD["averaged"], **common),
        name("SGDClassifier, pa1, averaged"): partial(SGD["pa1"], average=True, **common),
        name("SGDClassifier, pa2, averaged"): partial(SGD["pa2"], average=True, **common),
        name("LinearSVC"): partial(LinearSVC, dual=True, max_iter=passes, tol=1e-9, random_state=0),
        name("LogisticRegression, liblinear"): lambda: OneVsRestClassifier(logistic, n_jobs=2),
    }


def row_of(data: str, passes: int, side: str, name: str, right: float, n: int, what: str, note: str = "") -> Row:
    values = {side: [right], f"{side}_name": name}
    return row(
        QUESTION, f"{data}/{passes}/{name}", what, unit="accuracy", note=note,
        more={"data": data, "passes": passes, "n": n, "side": side}, **values,
    )  # fmt: skip


def scored(data: str, passes: int, which: str, name: str, make: Callable[[], Any], split: Split, note: str = "") -> Row:
    """The row of one learner; one that fails does not keep the others from being measured."""
    X, y, X_test, y_test = split
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = float(np.mean(make().fit(X, y).predict(X_test) == y_test))
    except Exception as error:
        said = f"failed: {type(error).__name__}: {error}"[:200]
        return {"question": QUESTION, "name": f"{data}/{passes}/{name}", "missing": said}
    return row_of(data, passes, which, name, right, len(y_test), DATA[data][0], note)


def first_rows(split: Split) -> Split:
    X, y, X_test, y_test = split
    some = np.random.default_rng(0).permutation(X.shape[0])[:KERNEL_ROWS]
    return X[some], y[some], X_test[:KERNEL_TEST], y_test[:KERNEL_TEST]


def compared(data: str) -> Callable[[Setting], Iterator[Row]]:
    def measure(setting: Setting) -> Iterator[Row]:
        what, load = DATA[data]
        split = load()
        n = len(split[3])
        is_text = data in ("imdb", "20news")
        for passes in PASSES:
            for name, make in learners(passes).items():
                in_kernel_space = issubclass(make.func, rb.KernelPerceptron)
                if in_kernel_space and is_text:
                    continue
                some, note = (first_rows(split), KERNEL_NOTE) if in_kernel_space else (split, "")
                yield scored(data, passes, "ours", name, make, some, note)
            for name, make in peers(passes).items():
                yield scored(data, passes, "peer", name, make, split)
            try:
                right = wabbit_score(data, split, passes, setting.folder)
                note = "its own words and pairs" if is_text else ""
                yield row_of(data, passes, "peer", peer("vowpalwabbit"), right, n, what, note)
            except Missing as reason:
                yield {"question": QUESTION, "name": f"{data}/{passes}/vowpalwabbit", "missing": str(reason)}
        if is_text or data == "a9a":  # where it ends soon
            yield scored(data, 0, "peer", peer("scikit-learn", "LinearSVC"), LinearSVC, split, "")
        if not is_text:
            note = f"{KERNEL_NOTE}, to the end"
            yield scored(data, 0, "peer", peer("scikit-learn", "SVC"), SVC, first_rows(split), note)

    return measure


def examples(data: str, part: str, X: Any, codes: Any) -> Iterator[str]:
    """Rows in Vowpal Wabbit's format."""
    if data in ("imdb", "20news"):
        for code, text in zip(codes.tolist(), datasets.texts(data, part)[0]):
            yield f"{code} | {' '.join(WORD.findall(text.lower()))}\n"
        return
    X = sparse.csr_matrix(X)
    for code, a, b in zip(codes.tolist(), X.indptr[:-1].tolist(), X.indptr[1:].tolist()):
        entries = " ".join(f"{j}:{v:.6g}" for j, v in zip(X.indices[a:b].tolist(), X.data[a:b].tolist()))
        yield f"{code} | {entries}\n"


@functools.cache
def wabbit_file(data: str, folder: Path) -> dict[str, Path]:
    return {part: folder / f"{data}-{part}.vw" for part in ("train", "test")}


def wabbit_score(data: str, split: Split, passes: int, folder: Path) -> float:
    peer("vowpalwabbit")
    X, y, X_test, y_test = split
    classes = np.unique(y)
    k = len(classes)
    paths = wabbit_file(data, folder)
    for part, rows, labels in (("train", X, y), ("test", X_test, y_test)):
        if not paths[part].exists():
            codes = np.searchsorted(classes, labels)
            codes = 2 * codes - 1 if k == 2 else codes + 1
            with paths[part].open("w", encoding="utf-8") as file:
                file.writelines(examples(data, part, rows, codes))
    model, answers = folder / "accuracy.vwmodel", folder / "answers"
    options: tuple[Any, ...] = WABBIT_TEXT if data in ("imdb", "20news") else ("--loss_function", "logistic", "--quiet")
    many = ("--oaa", k) if k > 2 else ()
    if data == "20news":
        options = tuple(24 if option == 22 else option for option in options)  # 20 classes share the table
    done(wabbit("-d", paths["train"], *many, *options, "--passes", passes, "-c", "-k", "--holdout_off", "-f", model))
    done(wabbit("-d", paths["test"], "-t", "--quiet", "-i", model, "-p", answers))
    numbers = np.loadtxt(answers)
    picked = (numbers > 0).astype(int) if k == 2 else numbers.astype(int) - 1
    return float(np.mean(classes[picked] == y_test))


def commands(setting: Setting) -> Iterator[Row]:
    """What a newcomer gets: `rosenblatt train FILE`, then `evaluate`."""
    for data, pair in (("imdb", target.imdb), ("20news", target.news), ("a9a", target.a9a)):
        train, test = pair(setting.folder)
        model = setting.folder / "defaults.model"
        done(ours("train", train, "-o", model, "-q"))
        judged = json.loads(done(ours("evaluate", model, test, "--json")))
        yield row_of(data, 5, "ours", "rosenblatt train, as it comes", float(judged["accuracy"]), int(judged["rows"]),
                   DATA[data][0], "its own features")  # fmt: skip


WORKS = (
    *(Work(f"accuracy-{data}", QUESTION, compared(data), threads=None) for data in DATA),
    Work("accuracy-command", QUESTION, commands, threads=None),
)
