"""The table of conventions: the numbers of scikit-learn, River, mlxtend, NLTK and two texts, and each difference."""

import importlib.metadata
import re
import runpy
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mlxtend.classifier
import nltk.tag.perceptron
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.base import is_classifier

import rosenblatt as rb
from rosenblatt import conventions

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "other-perceptrons.md"
SCRIPT = Path(__file__).parent.parent / "scripts" / "conventions_docs.py"
PEERS = {"sklearn": sklearn, "mlxtend": mlxtend, "nltk": nltk}
SEEDS = range(4)
SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def peer(name, **more):
    """What the entry's own words set up there, with further arguments of it."""
    code = conventions.named(name).there.strip("`")
    if "pa1" in code and SKLEARN < (1, 8):
        pytest.skip("pa1 and pa2 came with scikit-learn 1.8")
    if code.startswith("river."):
        pytest.importorskip("river.linear_model", reason="River has no wheel for every Python")
        return eval(code, {"river": sys.modules["river"]}).clone(more)
    found = eval(code, PEERS)
    return found.set_params(**more) if more else found


def as_read(name):
    """Skip what looks like a slip of the peer where it is not the version that was read: it may be mended."""
    package, version = re.match(r"(\S+) ([\d.]+):", conventions.named(name).source).groups()
    if importlib.metadata.version(package.lower()) != version:
        pytest.skip(f"said of {package} {version}")


def build(name, **more):
    return conventions.named(name).build(**more)


def same(model, coef, intercept=0.0, exact=True):
    """Whether the weights are those, to the bit or but for rounding."""
    coef, intercept = np.reshape(coef, model.coef_.shape), np.broadcast_to(intercept, model.intercept_.shape)
    assert np.any(coef)
    if exact:
        assert np.array_equal(model.coef_, coef)
        assert np.array_equal(model.intercept_, intercept)
    else:
        assert np.allclose(model.coef_, coef, rtol=1e-12, atol=1e-12)
        assert np.allclose(model.intercept_, intercept, rtol=1e-12, atol=1e-12)
    return True


def differ(one, other):
    return not np.allclose(one, other, rtol=1e-3, atol=1e-3)


def whole_numbers(rng, n_rows=40, n_features=5, n_classes=2):
    """Rows of small whole numbers, so that sums are exact and ties happen; labels at random, so none separates."""
    X = rng.integers(-3, 4, (n_rows, n_features)).astype(float)
    return X, np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)]


def real_numbers(rng, n_rows=40, n_features=5, n_classes=2):
    return rng.standard_normal((n_rows, n_features)), whole_numbers(rng, n_rows, 1, n_classes)[1]


def separable(rng, n_rows=30, n_features=5):
    """Rows and a rule through the origin that separates them, with some margin."""
    X = rng.integers(-3, 4, (n_rows, n_features)).astype(float)
    scores = X @ np.arange(1, n_features + 1)
    return X[scores != 0], (scores[scores != 0] > 0).astype(int)


def dicts(X):
    return [{f"x{j}": value for j, value in enumerate(row) if value} for row in X.tolist()]


def passes(model, X, y, n):
    """The model after n passes that nothing ends, all classes known from the first row on."""
    told = {"classes": np.unique(y)} if is_classifier(model) else {}
    for _ in range(n):
        model.partial_fit(X, y, **told)
    return model


# ---- the same numbers: one check per entry ---------------------------------------------------------------------------

SAME = {}


def entry(name):
    """Say which entry of the table a check is for."""

    def register(check):
        SAME[name] = check
        return check

    return register


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("convention", conventions.ALL, ids=lambda convention: convention.name)
def test_the_numbers_are_the_same(convention, seed):
    SAME[convention.name](convention.name, np.random.default_rng(seed))


@entry("scikit-learn Perceptron")
def _(name, rng):
    for n_classes in (2, 3, 5):
        X, y = whole_numbers(rng, n_classes=n_classes)
        labels = np.array(["ash", "birch", "cedar", "elm", "fir"])[y]
        for options in ({}, {"fit_intercept": False}, {"eta0": 0.25}):
            theirs = peer(name, max_iter=7, **options).fit(X, labels)
            ours = build(name, max_iter=7, **options).fit(X, labels)
            assert ours.verdict_ == "stopped"
            assert same(ours, theirs.coef_, theirs.intercept_)
            assert np.array_equal(ours.predict(X), theirs.predict(X))
        sparse = sp.csr_array(X)
        theirs = peer(name, max_iter=7, fit_intercept=False).fit(sparse, labels)
        assert same(build(name, max_iter=7, fit_intercept=False).fit(sparse, labels), theirs.coef_)
        weight = rng.integers(1, 5, len(X)) / 2
        theirs = peer(name, max_iter=3).fit(X, labels, sample_weight=weight)
        assert same(build(name, max_iter=3).fit(X, labels, sample_weight=weight), theirs.coef_, theirs.intercept_)
    X, y = separable(rng)
    theirs, ours = peer(name, max_iter=200).fit(X, y), build(name, max_iter=200).fit(X, y)
    assert ours.verdict_ == "separated"
    assert ours.n_iter_ < theirs.n_iter_ == 200
    assert same(ours, theirs.coef_, theirs.intercept_)


@entry("scikit-learn averaged perceptron")
def _(name, rng):
    for n_classes in (2, 3, 5):
        X, y = whole_numbers(rng, n_classes=n_classes)
        for options in ({}, {"fit_intercept": False}, {"eta0": 0.25}):
            theirs = peer(name, max_iter=7, **options).fit(X, y)
            ours = build(name, max_iter=7, **options).fit(X, y)
            assert ours.verdict_ == "stopped"
            assert same(ours, theirs.coef_, theirs.intercept_, exact=False)
        theirs = peer(name, max_iter=7, fit_intercept=False).fit(sp.csr_array(X), y)
        assert same(build(name, max_iter=7, fit_intercept=False).fit(sp.csr_array(X), y), theirs.coef_, exact=False)
    X, y = separable(rng)
    theirs = peer(name, max_iter=50).fit(X, y)
    assert same(passes(build(name), X, y, 50), theirs.coef_, theirs.intercept_, exact=False)


VARIANTS = {"pa1": "PA-I", "pa2": "PA-II"}


@entry("scikit-learn PA")
def _(name, rng):
    for rate, variant in VARIANTS.items():
        for C in (0.01, 0.1, 10.0):
            for n_classes in (2, 3):
                X, y = real_numbers(rng, n_classes=n_classes)
                ones = np.column_stack([X, np.ones(len(X))])
                theirs = peer(name, learning_rate=rate, eta0=C, max_iter=5)
                ours = build(name, variant=variant, C=C, max_iter=5)
                assert same(ours.fit(X, y), theirs.fit(X, y).coef_, exact=False)
                assert ours.verdict_ == "stopped"
                assert np.array_equal(ours.predict(X), theirs.predict(X))
                assert same(ours.fit(sp.csr_array(X), y), theirs.fit(sp.csr_array(X), y).coef_, exact=False)
                theirs.fit(ones, y)
                ours.set_params(fit_intercept=True).fit(X, y)
                assert same(ours, theirs.coef_[:, :-1], theirs.coef_[:, -1], exact=False)
                ours.set_params(average=True, fit_intercept=False).fit(X, y)
                assert same(ours, theirs.set_params(average=True).fit(X, y).coef_, exact=False)
    X, y = real_numbers(rng)
    assert same(
        build(name, variant="PA", max_iter=5).fit(X, y), peer(name, eta0=1e9, max_iter=5).fit(X, y).coef_, exact=False
    )
    X, y = separable(rng)
    theirs = peer(name, max_iter=50).fit(X, y)
    assert same(passes(build(name), X, y, 50), theirs.coef_, exact=False)


@entry("scikit-learn PA regression")
def _(name, rng):
    X, targets = rng.standard_normal((40, 5)), rng.standard_normal(40)
    ones = np.column_stack([X, np.ones(len(X))])
    assert same(build(name, max_iter=5).fit(X, targets), peer(name, max_iter=5).fit(X, targets).coef_, exact=False)
    for rate, variant in VARIANTS.items():
        for C, epsilon in ((0.01, 0.0), (0.1, 0.5), (10.0, 0.1)):
            theirs = peer(name, learning_rate=rate, eta0=C, epsilon=epsilon, max_iter=5)
            ours = build(name, variant=variant, C=C, epsilon=epsilon, max_iter=5)
            assert same(ours.fit(X, targets), theirs.fit(X, targets).coef_, exact=False)
            assert same(ours.fit(sp.csr_array(X), targets), theirs.fit(sp.csr_array(X), targets).coef_, exact=False)
            theirs.fit(ones, targets)
            ours.set_params(fit_intercept=True).fit(X, targets)
            assert same(ours, theirs.coef_[:-1], theirs.coef_[-1], exact=False)
            ours.set_params(average=True, fit_intercept=False).fit(X, targets)
            assert same(ours, theirs.set_params(average=True).fit(X, targets).coef_, exact=False)


def streamed(name, X, y, n_passes=3, ours=None, theirs=None):
    """Both after the same stream of dicts, and their weights in the order of ours."""
    theirs, ours = peer(name, **(theirs or {})), build(name, **(ours or {}))
    for _ in range(n_passes):
        for x, label in zip(dicts(X), y.tolist()):
            theirs.learn_one(x, label)
            ours.learn_one(x, label)
    return ours, theirs, [theirs.weights[key] for key in ours.feature_names_in_]


@entry("River Perceptron")
def _(name, rng):
    X, codes = whole_numbers(rng)
    for y in (codes == 1, codes == 0):  # either class first
        ours, theirs, weights = streamed(name, X, y)
        assert same(ours, weights, theirs.intercept)
        assert same(passes(build(name), X, y, 3), [theirs.weights[f"x{j}"] for j in range(5)], theirs.intercept)
        for x in (*dicts(X), *dicts(rng.integers(-3, 4, (200, 5))), {}):
            assert ours.predict_one(x) == theirs.predict_one(x)
        theirs, ours = peer(name), build(name)
        for x, label, weight in zip(dicts(X), y.tolist(), rng.integers(1, 4, len(X)).tolist()):
            theirs.learn_one(x, label, w=float(weight))
            ours.learn_one(x, label, sample_weight=weight)
        assert same(ours, [theirs.weights[key] for key in ours.feature_names_in_], theirs.intercept)


MODES = {0: "PA", 1: "PA-I", 2: "PA-II"}


@entry("River PAClassifier")
def _(name, rng):
    X, codes = real_numbers(rng)
    always = np.column_stack([X, np.ones(len(X))])
    ours, _, weights = streamed(name, X, codes == 1)
    assert same(ours, weights, exact=False)
    for mode, variant in MODES.items():
        for C, y in ((0.01, codes == 1), (1.0, codes == 0)):  # either class first
            told = {"ours": {"variant": variant, "C": C}, "theirs": {"mode": mode, "C": C}}
            ours, theirs, weights = streamed(name, X, y, **told)
            assert same(ours, weights, theirs.intercept, exact=False)
            assert [ours.predict_one(x) for x in dicts(X)] == [theirs.predict_one(x) for x in dicts(X)]
            _, theirs, _ = streamed(name, always, y, **told)
            ours = passes(build(name, variant=variant, C=C, fit_intercept=True), X, y, 3)
            assert same(ours, [theirs.weights[f"x{j}"] for j in range(5)], theirs.weights["x5"], exact=False)


@entry("River PARegressor")
def _(name, rng):
    X, ones = rng.standard_normal((40, 5)), np.ones(40)
    ours, _, weights = streamed(name, X, ones)
    assert same(ours, weights, exact=False)
    for mode, variant in MODES.items():
        for C, epsilon in ((0.01, 0.1), (1.0, 0.0)):
            told = {"C": C, "mode": mode, "eps": epsilon}
            ours, _, weights = streamed(
                name, X, ones, ours={"variant": variant, "C": C, "epsilon": epsilon}, theirs=told
            )
            assert same(ours, weights, exact=False)


def mlxtend_run(seed, n_rows, n_features, n_passes):
    """The start and the order of rows that a seed gives there."""
    start = np.random.RandomState(seed).normal(0.0, 0.01, n_features)
    shuffles = np.random.RandomState(seed)
    return start, np.concatenate([shuffles.permutation(n_rows) for _ in range(n_passes)])


@entry("mlxtend Perceptron")
def _(name, rng):
    seed = int(rng.integers(1000))
    X, y = whole_numbers(rng)
    start, order = mlxtend_run(seed, *X.shape, 50)
    theirs = peer(name, random_seed=seed).fit(X, y)
    ours = build(name, max_iter=1).fit(X[order], y[order], coef_init=start)
    assert same(ours, theirs.w_, theirs.b_, exact=False)
    assert ours.n_updates_ == sum(theirs.cost_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert build(name).fit(X, y).n_iter_ == len(theirs.cost_)
    # from zero there are ties, and they go to the other class: the labels are swapped, the weights negated
    theirs = peer(name, random_seed=seed, epochs=4, eta=0.25)
    theirs.w_, theirs.b_, theirs.cost_ = np.zeros((5, 1)), np.zeros(1), []
    theirs.fit(X, y, init_params=False)
    _, order = mlxtend_run(seed, *X.shape, 4)
    ours = build(name, eta0=0.5, max_iter=1).fit(X[order], 1 - y[order])
    assert same(ours, -theirs.w_, -theirs.b_)
    assert ours.n_updates_ == sum(theirs.cost_)
    assert np.array_equal(1 - ours.predict(X), theirs.predict(X))


def nltk_run(rows, labels, n_passes):
    """NLTK's perceptron after so many passes in the given order, not averaged yet."""
    model = peer("NLTK AveragedPerceptron")
    model.classes = set(labels)
    for _ in range(n_passes):
        for x, label in zip(rows, labels):
            model.update(label, model.predict(x)[0], x)
    return model


def nltk_weights(model, names, labels):
    """Its weights as ours stand: one row per class, or the second class alone; of labels in that order."""
    table = np.array([[model.weights.get(name, {}).get(label, 0.0) for name in names] for label in labels])
    return table if len(labels) > 2 else table[1:]


@entry("NLTK AveragedPerceptron")
def _(name, rng):
    for n_classes in (2, 3, 5):
        X, y = whole_numbers(rng, n_rows=25, n_features=6, n_classes=n_classes)
        X = (X > 0).astype(float)  # features that are there or not
        backwards = "edcba"[:n_classes]  # our class 0 is their last label
        labels = [backwards[code] for code in y]
        for bias in (False, True):
            rows = [x | ({"bias": 1} if bias else {}) for x in dicts(X)]
            theirs = nltk_run(rows, labels, 4)
            ours = build(name, max_iter=4, **({"fit_intercept": True} if bias else {})).fit(X, y)
            last = ours.with_readout("last")
            names = [f"x{j}" for j in range(6)]
            assert ours.verdict_ == "stopped"
            assert same(last, nltk_weights(theirs, names, backwards), nltk_weights(theirs, ["bias"], backwards)[:, 0])
            guesses = [theirs.predict(x)[0] for x in rows]
            assert [backwards[code] for code in last.predict(X)] == guesses
            # 100 visits: three decimals hold the mean exactly
            theirs.average_weights()
            before = ours.coef_ - last.coef_ / 100, ours.intercept_ - last.intercept_ / 100
            assert np.allclose(nltk_weights(theirs, names, backwards), before[0], rtol=0, atol=1e-12)
            assert np.allclose(nltk_weights(theirs, ["bias"], backwards)[:, 0], before[1], rtol=0, atol=1e-12)


def ciml_perceptron(rows, targets, max_iter):
    """Algorithm 5."""
    w, b = [0] * len(rows[0]), 0
    for _ in range(max_iter):
        for x, y in zip(rows, targets):
            a = sum(wd * xd for wd, xd in zip(w, x)) + b
            if y * a <= 0:
                w, b = [wd + y * xd for wd, xd in zip(w, x)], b + y
    return w, b


def ciml_averaged(rows, targets, max_iter):
    """Algorithm 7."""
    w, b, u, beta, c = [0] * len(rows[0]), 0, [0] * len(rows[0]), 0, 1
    for _ in range(max_iter):
        for x, y in zip(rows, targets):
            if y * (sum(wd * xd for wd, xd in zip(w, x)) + b) <= 0:
                w, b = [wd + y * xd for wd, xd in zip(w, x)], b + y
                u, beta = [ud + y * c * xd for ud, xd in zip(u, x)], beta + y * c
            c += 1
    return [wd - Fraction(ud, c) for wd, ud in zip(w, u)], b - Fraction(beta, c)


def plain(X, y):
    """Rows of whole numbers and targets of ±1, for the pseudocode."""
    return X.astype(int).tolist(), (2 * y - 1).tolist()


@entry("CIML perceptron")
def _(name, rng):
    for X, y in (whole_numbers(rng), separable(rng)):
        for max_iter in (1, 7, 200):
            w, b = ciml_perceptron(*plain(X, y), max_iter)
            ours = build(name, max_iter=max_iter).fit(X, 2 * y - 1)
            assert same(ours, w, b)
    assert ours.n_iter_ < 200
    points = rng.integers(-3, 4, (100, 5))
    signs = np.sign(points @ w + b)  # sign(0) is left open
    assert np.array_equal(ours.predict(points)[signs != 0], signs[signs != 0])


@entry("CIML averaged perceptron")
def _(name, rng):
    X, y = whole_numbers(rng)
    for max_iter in (1, 7):
        w, b = ciml_averaged(*plain(X, y), max_iter)
        visits = max_iter * len(X)
        ours = build(name, max_iter=max_iter).fit(X, 2 * y - 1)
        assert ours.verdict_ == "stopped"
        scaled = [float(value * Fraction(visits + 1, visits)) for value in (*w, b)]
        assert same(ours, scaled[:-1], scaled[-1], exact=False)
        assert np.array_equal(ours.predict(X), np.sign(X @ np.array(w, float) + float(b)))
    X, y = separable(rng)
    w, b = ciml_averaged(*plain(X, y), 20)
    scaled = [float(value * Fraction(20 * len(X) + 1, 20 * len(X))) for value in (*w, b)]
    assert same(passes(build(name), X, 2 * y - 1, 20), scaled[:-1], scaled[-1], exact=False)


def freund_schapire(rows, targets, T):
    """The training of fig. 1: the vectors and how many rows each survived; sign(0) is no label, so a mistake."""
    found = [([0] * len(rows[0]), 0)]
    for _ in range(T):
        for x, y in zip(rows, targets):
            v, c = found[-1]
            if np.sign(sum(a * b for a, b in zip(v, x))) == y:
                found[-1] = v, c + 1
            else:
                found.append(([a + y * b for a, b in zip(v, x)], 1))
    return found


@entry("Freund & Schapire averaged")
def _(name, rng):
    X, y = whole_numbers(rng)
    for T in (1, 7):
        found = freund_schapire(*plain(X, y), T)
        ours = build(name, max_iter=T).fit(X, 2 * y - 1)
        assert ours.verdict_ == "stopped"
        assert ours.n_updates_ == len(found) - 1
        total = sum(c * np.array(v) for v, c in found)
        assert same(ours, total / (T * len(X)), exact=False)
        assert same(ours.with_readout("last"), found[-1][0])
    X, y = whole_numbers(rng, n_classes=3)
    sums = [sum(c * np.array(v) for v, c in freund_schapire(*plain(X, (y == r).astype(int)), 7)) for r in range(3)]
    assert same(build(name, max_iter=7).fit(X, y), np.array(sums) / (7 * len(X)), exact=False)
    X, y = separable(rng)
    total = sum(c * np.array(v) for v, c in freund_schapire(*plain(X, y), 20))
    assert same(passes(build(name), X, 2 * y - 1, 20), total / (20 * len(X)), exact=False)


@entry("Freund & Schapire voted")
def _(name, rng):
    X, y = whole_numbers(rng)
    points = rng.standard_normal((50, 5))
    for T in (1, 7):
        found = freund_schapire(*plain(X, y), T)
        ours = build(name, max_iter=T).fit(X, 2 * y - 1)
        assert ours.verdict_ == "stopped"
        assert ours.n_voters_ == len(found)
        votes = sum(c * np.where(points @ np.array(v) > 0, 1, -1) for v, c in found)
        assert ours.decision_function(points).tolist() == votes.tolist()
        assert same(ours.with_readout("last"), found[-1][0])
    X, y = whole_numbers(rng, n_classes=3)
    ours = build(name, max_iter=7).fit(X, y).decision_function(points)
    for r in range(3):
        found = freund_schapire(*plain(X, (y == r).astype(int)), 7)
        assert ours[:, r].tolist() == sum(c * np.where(points @ np.array(v) > 0, 1, -1) for v, c in found).tolist()


# ---- each difference -------------------------------------------------------------------------------------------------

X_ONE, Y_ONE = np.array([[1.0, 0.5]]), np.array([1])


def our_margin_after_one_step(name):
    """Of x = (1, 0.5) with label 1, after an uncapped step from zero, with a bias."""
    ours = build(name, C=100.0, fit_intercept=True).partial_fit(X_ONE, Y_ONE, classes=[0, 1])
    return ours.decision_function(X_ONE)[0]


def test_an_uncapped_step_with_a_bias_leaves_margin_1_here_and_more_in_scikit_learn():
    theirs = peer("scikit-learn PA", eta0=100.0, fit_intercept=True).partial_fit(X_ONE, Y_ONE, classes=[0, 1])
    assert theirs.decision_function(X_ONE) == pytest.approx(1.8)
    assert theirs.intercept_ == pytest.approx(0.8)
    assert our_margin_after_one_step("scikit-learn PA") == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    for x in rng.standard_normal((20, 1, 3)):
        theirs.set_params(eta0=1e6).fit(np.vstack([x, 0 * x]), [1, 0])  # a row of zeros changes nothing there
        assert theirs.decision_function(x) == pytest.approx(1 + 1 / np.sum(x * x))


def test_an_uncapped_step_with_a_bias_leaves_margin_1_here_and_more_in_river():
    x = {"a": 1.0, "b": 0.5}
    theirs = peer("River PAClassifier", C=100.0, learn_intercept=True)
    theirs.learn_one(x, True)
    assert theirs.weights["a"] + 0.5 * theirs.weights["b"] + theirs.intercept == pytest.approx(1.8)
    assert our_margin_after_one_step("River PAClassifier") == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["scikit-learn PA regression", "River PARegressor"])
def test_an_uncapped_regression_step_with_a_bias_overshoots_there(name):
    if name.startswith("River"):
        theirs = peer(name, C=100.0, eps=0.0, learn_intercept=True)
        theirs.learn_one({"a": 1.0, "b": 0.5}, 1.0)
        assert theirs.predict_one({"a": 1.0, "b": 0.5}) == pytest.approx(1.8)
    else:
        theirs = peer(name, eta0=100.0, epsilon=0.0, fit_intercept=True).partial_fit(X_ONE, [1.0])
        assert theirs.predict(X_ONE) == pytest.approx(1.8)
    ours = build(name, C=100.0, epsilon=0.0, fit_intercept=True).partial_fit(X_ONE, [1.0])
    assert ours.predict(X_ONE) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["scikit-learn Perceptron", "scikit-learn averaged perceptron"])
def test_the_bias_of_sparse_rows_moves_at_one_percent_there(name):
    biases = [
        made(name).partial_fit(X, Y_ONE, classes=[0, 1]).intercept_[0]
        for made in (peer, build)
        for X in (X_ONE, sp.csr_array(X_ONE))
    ]
    assert biases == pytest.approx([1, 0.01, 1, 1])


def test_the_bias_of_sparse_rows_moves_at_one_percent_of_a_pa_step_there():
    for name, label in (("scikit-learn PA", {"classes": [0, 1]}), ("scikit-learn PA regression", {})):
        biases = [
            made(name, fit_intercept=True, **{cap: 0.25}).partial_fit(X, Y_ONE, **label).intercept_[0]
            for made, cap in ((peer, "eta0"), (build, "C"))
            for X in (X_ONE, sp.csr_array(X_ONE))
        ]
        assert biases == pytest.approx([0.25, 0.0025, 0.25, 0.25])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_column_of_a_tenth_is_scikit_learns_bias_of_sparse_rows(n_classes):
    name = "scikit-learn Perceptron"
    X, y = real_numbers(np.random.default_rng(0), n_classes=n_classes)
    theirs = peer(name, max_iter=7).fit(sp.csr_array(X), y)
    ours = build(name, max_iter=7, fit_intercept=False).fit(sp.csr_array(np.column_stack([X, np.full(len(X), 0.1)])), y)
    assert np.allclose(ours.coef_[:, :-1], theirs.coef_, rtol=1e-12)
    assert np.allclose(0.1 * ours.coef_[:, -1], theirs.intercept_, rtol=1e-12)
    assert differ(build(name, max_iter=7).fit(sp.csr_array(X), y).coef_, theirs.coef_)


def test_a_class_weight_counts_in_one_problem_of_several_in_scikit_learn():
    name, weight = "scikit-learn Perceptron", {0: 1.0, 1: 3.0, 2: 0.5}
    X, y = whole_numbers(np.random.default_rng(0), n_classes=3)
    theirs = peer(name, max_iter=7, class_weight=weight).fit(X, y)
    assert differ(build(name, max_iter=7, class_weight=weight).fit(X, y).coef_, theirs.coef_)
    for r in range(3):
        alone = build(name, max_iter=7, class_weight={1: weight[r]}).fit(X, (y == r).astype(int))
        assert np.array_equal(alone.coef_[0], theirs.coef_[r])
    two = (y > 0).astype(int)
    theirs = peer(name, max_iter=7, class_weight=weight).fit(X, two)
    assert same(build(name, max_iter=7, class_weight={0: 1.0, 1: 3.0}).fit(X, two), theirs.coef_, theirs.intercept_)


@pytest.mark.parametrize("name", ["scikit-learn Perceptron", "scikit-learn averaged perceptron", "scikit-learn PA"])
def test_the_weight_of_one_class_moves_the_vectors_of_all_only_here(name):
    X, y = whole_numbers(np.random.default_rng(0), n_classes=3)
    for made, moved in ((peer, [True, False, False]), (build, [True, True, True])):
        plain, weighted = (made(name, max_iter=7, class_weight=weight).fit(X, y).coef_ for weight in (None, {0: 0.125}))
        assert [differ(*vectors) for vectors in zip(plain, weighted)] == moved


@pytest.mark.parametrize("name", ["scikit-learn PA", "scikit-learn PA regression"])
def test_a_sample_weight_multiplies_the_step_in_scikit_learn_and_C_here(name):
    label = {"classes": [0, 1]} if name == "scikit-learn PA" else {}
    told = {} if label else {"epsilon": 0.0}
    theirs = peer(name, eta0=100.0, **told).partial_fit(X_ONE, Y_ONE, sample_weight=[2.0], **label)
    ours = build(name, C=100.0, **told).partial_fit(X_ONE, Y_ONE, sample_weight=[2.0], **label)
    assert theirs.coef_ @ X_ONE[0] == pytest.approx(2.0)
    assert ours.coef_ @ X_ONE[0] == pytest.approx(1.0)
    theirs = peer(name, eta0=0.1, **told).partial_fit(X_ONE, Y_ONE, sample_weight=[2.0], **label)
    ours = build(name, C=0.1, **told).partial_fit(X_ONE, Y_ONE, sample_weight=[2.0], **label)
    assert np.allclose(ours.coef_, theirs.coef_)


@pytest.mark.parametrize("name", ["scikit-learn Perceptron", "scikit-learn averaged perceptron", "scikit-learn PA"])
def test_scikit_learns_shuffles_are_its_own(name):
    X, y = whole_numbers(np.random.default_rng(0))
    theirs = peer(name, max_iter=3, shuffle=True, random_state=0).fit(X, y)
    assert differ(build(name, max_iter=3, shuffle=True, random_state=0).fit(X, y).coef_, theirs.coef_)


def test_scikit_learn_ends_where_the_loss_stays_level():
    rng = np.random.default_rng(4)
    X = rng.integers(-9, 10, (60, 4)).astype(float)
    y = (X @ [5, -3, 2, 1] > 1).astype(int)
    theirs = peer("scikit-learn Perceptron", tol=1e-3, max_iter=1000).fit(X, y)
    ours = build("scikit-learn Perceptron", max_iter=1000).fit(X, y)
    assert ours.verdict_ == "separated"
    assert theirs.n_iter_ < ours.n_iter_
    assert theirs.score(X, y) < 1


@pytest.mark.parametrize("name", ["scikit-learn averaged perceptron", "scikit-learn PA"])
def test_a_separator_ends_our_fit_and_not_scikit_learns(name):
    X, y = separable(np.random.default_rng(0))
    theirs, ours = peer(name, max_iter=100).fit(X, y), build(name, max_iter=100).fit(X, y)
    assert ours.verdict_ == "separated"
    assert ours.n_iter_ < theirs.n_iter_
    assert differ(ours.coef_, theirs.coef_)


def test_a_pass_without_an_update_ends_our_regression_and_only_the_average_sees_it():
    name, X, targets = "scikit-learn PA regression", np.eye(3), np.array([1.0, 2.0, -1.0])
    theirs, ours = (made(name, epsilon=0.5, max_iter=9) for made in (peer, build))
    assert same(ours.fit(X, targets), theirs.fit(X, targets).coef_, exact=False)
    assert ours.n_iter_ < theirs.n_iter_ == 9
    theirs.set_params(average=True).fit(X, targets)
    assert differ(ours.set_params(average=True).fit(X, targets).coef_, theirs.coef_)
    assert same(passes(build(name, epsilon=0.5, average=True), X, targets, 9), theirs.coef_, exact=False)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scikit_learns_partial_fit_drops_the_bias_while_it_averages(n_classes):
    name = "scikit-learn averaged perceptron"
    as_read(name)
    X, y = whole_numbers(np.random.default_rng(0), n_classes=n_classes)
    at_once, in_calls = peer(name, max_iter=3).fit(X, y), passes(peer(name), X, y, 3)
    assert differ(in_calls.coef_, at_once.coef_)
    assert same(passes(build(name), X, y, 3), at_once.coef_, at_once.intercept_, exact=False)
    origin = passes(peer(name, fit_intercept=False), X, y, 3)
    assert same(passes(build(name, fit_intercept=False), X, y, 3), origin.coef_, exact=False)


@pytest.mark.parametrize(("rate", "counted"), [("pa1", False), ("pa2", True)])
@pytest.mark.parametrize("name", ["scikit-learn PA", "scikit-learn PA regression"])
def test_scikit_learns_pa_1_leaves_rows_of_zeros_out_of_the_average(name, rate, counted):
    X, y = real_numbers(np.random.default_rng(0))
    X[::4] = 0
    theirs = peer(name, learning_rate=rate, average=True, max_iter=3).fit(X, y)
    ours = build(name, variant=VARIANTS[rate], average=True, max_iter=3)
    assert differ(ours.fit(X, y).coef_, theirs.coef_) != counted
    rows = np.ones(len(X), bool) if counted else X.any(axis=1)
    assert same(ours.fit(X[rows], y[rows]), theirs.coef_, exact=False)


def test_rivers_batches_are_batch_perceptron_steps():
    X, y = real_numbers(np.random.default_rng(0))
    theirs, ours = peer("River Perceptron"), rb.BatchPerceptron(eta0=1 / 8)
    for i in range(0, 40, 8):
        frame = pd.DataFrame(X[i : i + 8], columns=list("abcde"))
        theirs.learn_many(frame, pd.Series(y[i : i + 8] == 1))
        ours.partial_fit(X[i : i + 8], y[i : i + 8], classes=[0, 1])
    assert same(ours, [theirs.weights[key] for key in "abcde"], theirs.intercept, exact=False)


def test_river_learns_a_target_of_3_as_5():
    name = "River PARegressor"
    peer(name)
    as_read(name)
    for target, learned in ((1.0, 1.0), (3.0, 5.0)):
        theirs, ours = peer(name, C=100.0, eps=0.0), build(name, C=100.0, epsilon=0.0)
        for _ in range(9):
            theirs.learn_one({"a": 1.0}, target)
            ours.learn_one({"a": 1.0}, target)
        assert theirs.predict_one({"a": 1.0}) == learned
        assert ours.predict_one({"a": 1.0}) == target


def test_a_score_of_zero_is_class_1_in_mlxtend():
    X, y = np.array([[1.0], [1.0]]), np.array([1, 0])
    seed = next(seed for seed in range(99) if mlxtend_run(seed, 2, 1, 1)[1].tolist() == [0, 1])
    theirs = peer("mlxtend Perceptron", epochs=1, random_seed=seed)
    theirs.w_, theirs.b_, theirs.cost_ = np.zeros((1, 1)), np.zeros(1), []
    theirs.fit(X, y, init_params=False)
    assert (theirs.cost_, theirs.w_) == ([1], -0.2)  # the row of class 1 was right
    ours = build("mlxtend Perceptron", max_iter=1).fit(X, y)
    assert (ours.n_updates_, ours.coef_) == (2, 0.0)


def test_mlxtend_takes_the_labels_0_and_1_alone():
    for labels in ([-1, 1], [1, 2], [0, 1, 2]):
        with pytest.raises(AttributeError, match=r"Labels not in|negative labels"):
            peer("mlxtend Perceptron").fit(np.eye(len(labels)), np.array(labels))


def test_nltks_tagger_has_a_feature_that_is_always_there():
    tagger = nltk.tag.perceptron.PerceptronTagger(load=False)
    tagger.train([[("a", "Y"), ("b", "X"), ("c", "Y"), ("d", "X")]], nr_iter=1)
    assert "bias" in tagger.model.weights
    model = build("NLTK AveragedPerceptron")
    assert not model.partial_fit([[1.0], [1.0]], [1, 0], classes=[0, 1]).intercept_.any()


def test_nltks_ties_go_to_the_last_label():
    theirs = nltk_run([{"a": 1}], ["x"], 0)
    theirs.classes = {"x", "z", "y"}
    assert theirs.predict({"a": 1})[0] == "z"
    ours = build("NLTK AveragedPerceptron").partial_fit([[0.0]], ["x"], classes=["x", "y", "z"])
    assert ours.predict([[1.0]]) == ["x"]
    assert ours.n_updates_ == 0


def test_nltks_updates_ignore_the_value_of_a_feature():
    theirs, x = peer("NLTK AveragedPerceptron"), {"a": 2, "b": 0}
    theirs.classes = {"x", "y"}
    theirs.update("x", theirs.predict(x)[0], x)
    assert theirs.weights == {"a": {"x": 1.0, "y": -1.0}, "b": {"x": 1.0, "y": -1.0}}
    ours = build("NLTK AveragedPerceptron").partial_fit([[2.0, 0.0]], [1], classes=[0, 1])
    assert ours.coef_.tolist() == [[2.0, 0.0]]


def test_nltks_mean_is_rounded_and_leaves_out_the_last_weights():
    rows, labels = [{"a": 1}, {"b": 1}, {"a": 1, "b": 1}], ["x", "y", "x"]
    theirs = nltk_run(rows, labels, 1)
    theirs.average_weights()
    assert theirs.weights["a"]["x"] == 0.667
    ours = build("NLTK AveragedPerceptron", max_iter=1).fit([[1, 0], [0, 1], [1, 1]], [1, 0, 1])
    assert ours.coef_[0, 0] == 1.0


def test_a_separator_ends_our_fit_and_not_that_of_the_others():
    X, y = separable(np.random.default_rng(0))
    rows, targets = plain(X, y)
    visits = 100 * len(X)
    w, _ = ciml_averaged(rows, targets, 100)
    ours = build("CIML averaged perceptron", max_iter=100).fit(X, y)
    assert ours.verdict_ == "separated"
    assert differ(ours.coef_, np.array(w, float) * (visits + 1) / visits)
    total = sum(c * np.array(v) for v, c in freund_schapire(rows, targets, 100))
    ours = build("Freund & Schapire averaged", max_iter=100).fit(X, y)
    assert ours.verdict_ == "separated"
    assert differ(ours.coef_, total / visits)
    X = (X > 0).astype(float)
    X, y = np.column_stack([X, y, 1 - y]), 1 - y
    theirs = nltk_run(dicts(X), ["ba"[code] for code in y], 100)
    theirs.average_weights()
    ours = build("NLTK AveragedPerceptron", max_iter=100).fit(X, y)
    assert ours.verdict_ == "separated"
    theirs = nltk_weights(theirs, [f"x{j}" for j in range(7)], "ba")
    assert differ(ours.coef_, theirs)
    ours = passes(build("NLTK AveragedPerceptron"), X, y, 100)
    before = ours.coef_ - ours.with_readout("last").coef_ / visits
    assert np.allclose(before, theirs, rtol=0, atol=0.0005001)


def test_a_vote_and_an_average_can_predict_differently():
    rng = np.random.default_rng(0)
    X, y = whole_numbers(rng)
    found = freund_schapire(*plain(X, y), 3)
    points = rng.standard_normal((200, 5))
    votes = np.sign(sum(c * np.sign(points @ v) for v, c in found))
    averaged = build("Freund & Schapire averaged", max_iter=3).fit(X, 2 * y - 1).predict(points)
    assert 0 < np.mean(votes != averaged) < 0.5


# ---- the table and its page ------------------------------------------------------------------------------------------


def test_each_entry_says_everything():
    names = [convention.name for convention in conventions.ALL]
    assert len(set(names)) == len(names)
    assert set(SAME) == set(names)
    for convention in conventions.ALL:
        for sentence in ("ties", "bias", "order", "averaging", "labels", "arguments", "differs"):
            text = getattr(convention, sentence)
            assert re.fullmatch(r"[^a-z\n|].*\.", text) or (sentence == "differs" and text == ""), (
                convention.name,
                sentence,
            )
        assert convention.there
        assert convention.source
        assert convention == conventions.named(convention.name)
        assert hash(convention) == hash(conventions.named(convention.name))


def test_each_entry_builds_what_it_shows():
    for convention in conventions.ALL:
        built = convention.build()
        assert type(built) is getattr(rb, convention.estimator)
        assert built.get_params() == eval(convention.here, {"rb": rb}).get_params()
        assert convention.parameters.items() <= built.get_params().items()
        assert convention.build(fit_intercept=True).fit_intercept


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"no convention is named 'sklearn'; there are 'scikit-learn Perceptron', "):
        conventions.named("sklearn")


def test_the_table_cannot_be_changed():
    convention = conventions.ALL[0]
    with pytest.raises(AttributeError):
        convention.ties = "None."
    with pytest.raises(TypeError):
        convention.parameters["ties"] = "predict"


def test_the_table_needs_the_standard_library_alone():
    script = "import sys, rosenblatt.conventions as c; c.ALL[0].here; print({'numpy', 'sklearn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_page_shows_the_table():
    page = runpy.run_path(str(SCRIPT))["page"]
    assert PAGE.read_text(encoding="utf-8") == page(), "run python scripts/conventions_docs.py"


def test_links_within_the_page_lead_somewhere():
    text = PAGE.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert len(links) == len(conventions.ALL)
    assert links <= anchors
