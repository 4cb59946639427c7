"""Estimators that went through a file: many settings of them, and what it means that one came back as it was."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from discovery import CLASSIFIERS, ESTIMATORS
from identity import same_bits
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import rosenblatt as rb
from rosenblatt.core.spaces.kernel.learner import KernelLearner
from rosenblatt.model_files import container
from rosenblatt.model_files.values import encode

SETTINGS = [
    *[found(max_iter=3, random_state=0) for found in ESTIMATORS],
    *[
        rb.OnlineClassifier(rule=rule(), readout=readout, max_iter=3, random_state=1, ties="predict")
        for rule in rb.rules.ALL
        if rule is not rb.rules.PAUM  # which takes no new classes; test_rules has its file
        for readout in ("last", "averaged", "pocket")
    ],
    *[rb.OnlineClassifier(rule=rb.rules.PA2(C=0.3), readout=readout, multiclass="ovr") for readout in ("averaged",)],
    rb.AROW(confidence="full", average=True, max_iter=3, random_state=2),
    rb.SecondOrderPerceptron(confidence="full", multiclass="ovr", max_iter=3, random_state=2),
    rb.AveragedPerceptron(max_iter=6, early_stopping=True, validation_fraction=0.3, random_state=3, tol=None),
    rb.Perceptron(init="random", random_state=2, max_iter=2, fit_intercept=False),
    rb.Perceptron(class_weight={0: 0.5, 2: 3.0}, margin=0.7, eta0=0.3, max_iter=2, multiclass="uniform"),
    rb.PassiveAggressiveRegressor(average=True, epsilon=0.5, variant="PA-II", C=0.1),
    *[rb.KernelPerceptron(readout=readout, max_iter=3) for readout in ("averaged", "voted", "pocket")],
    *[rb.KernelPerceptron(kernel=kernel, max_iter=3) for kernel in ("linear", "poly", "sigmoid")],
    rb.KernelPerceptron(budget=4, random_state=1, max_iter=3),
    rb.KernelPerceptron(budget=5, budget_policy="projectron", random_state=1, max_iter=3, rule=rb.rules.PA1(C=0.5)),
    rb.KernelPerceptron(budget=30, budget_policy="projectron++", random_state=1, max_iter=2),
    rb.KernelPerceptron(rule=rb.rules.PA1(C=0.2), multiclass="ovr", max_iter=3, gamma=0.5, block_size=2, cache_size=1),
]


def data(estimator, n_classes=3, dtype=np.float64, n=40):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, 5)).astype(dtype)
    y = np.arange(n) % n_classes if type(estimator) in CLASSIFIERS else X[:, 0] - 2 * X[:, 1]
    return X, rng.permutation(y) if type(estimator) in CLASSIFIERS else y


def through_a_file(model, folder, name="model"):
    path = Path(folder) / name
    model.save(path)
    return rb.load(path)


def small():
    """A model of a few hundred bytes."""
    return rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")


def mostly_zero(**options):
    """A model of a thousand features, of which it has met a few."""
    X = sp.random(30, 1000, 0.004, format="csr", random_state=3)
    return rb.AveragedPerceptron(max_iter=3, random_state=0, **options).fit(X, np.arange(30) % 3)


def rewritten(path, change_metadata=None, change_document=None, change_tensors=None):
    """A file whose parts were changed by someone who knows how to make the checksum right again."""
    document, tensors = container.read(path)
    if change_tensors:
        change_tensors(tensors)
    if change_document:
        change_document(document)
    container.write(path, document, tensors)
    if change_metadata:
        with safe_open(path, "np") as file:
            metadata = file.metadata()
        tensors = load_file(path)
        change_metadata(metadata)
        save_file(tensors, path, metadata)


#: Made anew from the rest, only used within a call, or compared by what is in use of them.
NOT_COMPARED = {"_block", "_frozen", "history", "support", "weights", "total", "pocket", "start", "alpha", "policy",
                "tally", "precision", "covariance"}  # fmt: skip


def same_policy(got, expected):
    """Of a budget: all that it remembers, and what it draws next."""
    assert type(got) is type(expected)
    assert vars(got).keys() == vars(expected).keys()
    for name, value in vars(expected).items():
        if isinstance(value, np.ndarray):
            same_bits(getattr(got, name), value)
        elif name == "rng":
            assert repr(got.rng.bit_generator.state) == repr(expected.rng.bit_generator.state)
        else:
            assert getattr(got, name) == value


def same_learner(got, expected):
    """Every attribute of the state, whatever there is: one that is added and not stored is found here."""
    assert type(got) is type(expected)
    before, after = expected.__getstate__(), got.__getstate__()
    assert before.keys() - NOT_COMPARED == after.keys() - NOT_COMPARED
    for name in before.keys() - NOT_COMPARED:
        if isinstance(before[name], np.ndarray):
            same_bits(after[name], before[name])
        else:
            assert after[name] == before[name], name
            assert type(after[name]) is type(before[name]) or isinstance(before[name], (bool, int, float)), name
    same_bits(got.tally.values, expected.tally.values)
    assert got.margin_bounds == expected.margin_bounds
    k = expected.n_vectors
    if isinstance(expected, KernelLearner):
        for name in ("alpha", "coef"):
            same_bits(getattr(got, name)[:, :k], getattr(expected, name)[:, :k])
            assert getattr(got, name).shape == getattr(expected, name).shape
        for name in ("which", "time"):
            same_bits(getattr(got, name), getattr(expected, name))
        for name in ("index", "codes"):
            same_bits(getattr(got.support, name), getattr(expected.support, name))
        assert got.support.precomputed == expected.support.precomputed
        if expected.policy is not None:
            same_policy(got.policy, expected.policy)
        vectors = expected.support.vectors
        if vectors is not None:
            assert sp.issparse(vectors) == sp.issparse(got.support.vectors)
            same_bits(
                got.support.vectors.toarray() if sp.issparse(vectors) else got.support.vectors,
                vectors.toarray() if sp.issparse(vectors) else vectors,
            )
        return
    for name in ("weights", "total", "pocket", "start", "precision"):
        was = getattr(expected, name)
        assert (was is None) == (getattr(got, name) is None)
        if was is not None:
            same_bits(getattr(got, name)[: 1 + got.n_features, :k], was[: 1 + expected.n_features, :k])
            assert getattr(got, name).flags.writeable
    assert (expected.covariance is None) == (got.covariance is None)
    if expected.covariance is not None:
        there = slice(1 + expected.n_features)
        same_bits(got.covariance[:, there, there], expected.covariance[:, there, there])


def same_model(got, expected):
    assert type(got) is type(expected)
    assert repr(encode(got.get_params(), "it")) == repr(encode(expected.get_params(), "it"))
    held, told = ({name for name, value in vars(model).items() if value is not None} for model in (got, expected))
    assert held == told
    assert got._columns == expected._columns
    assert got._columns is None or list(got._columns) == list(expected._columns)
    if type(expected) in CLASSIFIERS:
        assert got.classes_.dtype == expected.classes_.dtype
        assert [type(label) for label in got._labels] == [type(label) for label in expected._labels]
        assert (got._labels, got._code) == (expected._labels, expected._code)
    same_learner(got._learner, expected._learner)


def scores(model, X):
    return model.decision_function(X) if type(model) in CLASSIFIERS else model.predict(X)
