"""ONNX graphs, run by onnxruntime, answer as the estimators do."""

import os
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from discovery import CLASSIFIERS
from identity import every, same_bits
from refusals import one_sentence
from saved import SETTINGS, data
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rosenblatt as rb

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def run(model, X, folder):
    """What the graph answers, by the names of its outputs."""
    path = folder / "model.onnx"
    rb.export_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, {"X": X})))


@pytest.mark.diagonal
@every([model for model in SETTINGS if getattr(model, "readout", None) != "voted"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_graph_answers_as_the_estimator(estimator, dtype, n_classes, tmp_path):
    X, y = data(estimator, n_classes, dtype)
    model = clone(estimator).fit(X, y)
    found = run(model, X, tmp_path)
    if type(model) not in CLASSIFIERS:
        assert found.keys() == {"variable"}
        assert found["variable"].shape == (len(X), 1)
        np.testing.assert_allclose(found["variable"][:, 0], model.predict(X), rtol=1e-4, atol=1e-4)
        return
    assert list(found) == ["label", "scores"]
    scores = model.decision_function(X)
    assert (found["scores"].dtype, found["scores"].shape) == (dtype, scores.shape)
    close = 1e3 * np.finfo(dtype).eps * max(1, np.abs(scores).max())
    np.testing.assert_allclose(found["scores"], scores, rtol=0, atol=close)
    sure = np.abs(scores) > close if n_classes == 2 else np.diff(np.sort(scores)[:, -2:])[:, 0] > close
    assert sure.mean() > (0.5 if type(model) is rb.ConfidenceWeighted else 0.9)  # whose scores of noise have all sizes
    np.testing.assert_array_equal(found["label"][sure], model.predict(X)[sure])


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], ["好", "b", "c"], [-1, 1], [True, False], np.array([3, 1, 2], np.int8), [0.0, 2.0]],
    ids=repr,
)
def test_whole_numbers_give_the_same_bits_and_labels_their_type(labels, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (60, 4)).astype(float), np.asarray(labels)[np.arange(60) % len(labels)]
    model = rb.Perceptron(max_iter=2).fit(X, y)
    found = run(model, X, tmp_path)
    same_bits(found["scores"], model.decision_function(X))
    assert found["label"].tolist() == model.predict(X).tolist()


def test_a_tie_goes_to_the_first_class(tmp_path):
    model = rb.Perceptron().partial_fit([[1.0, 0.0], [0.0, 1.0]], ["b", "a"])
    assert run(model, np.zeros((1, 2)), tmp_path)["label"].tolist() == model.predict(np.zeros((1, 2))).tolist()
    several = rb.Perceptron(fit_intercept=False).fit(np.eye(3), ["c", "b", "a"])
    assert run(several, np.zeros((1, 3)), tmp_path)["label"].tolist() == several.predict(np.zeros((1, 3))).tolist()


def test_streams(tmp_path):
    model = rb.AveragedPerceptron().learn_one({"a": 1}, "only")
    assert run(model, np.array([[5.0], [-5.0]]), tmp_path)["label"].tolist() == ["only", "only"]
    model.learn_one({"b": 1}, "x").learn_one({"c": 1}, "y")
    for name, row in zip("abc", np.eye(3)):
        assert run(model, row[None], tmp_path)["label"].tolist() == [model.predict_one({name: 1})]


def test_examples_that_are_sparse(tmp_path):
    X, y = data(rb.KernelPerceptron())
    model = rb.KernelPerceptron(max_iter=3).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(run(model, X, tmp_path)["scores"], model.decision_function(X), atol=1e-10)


def test_the_graph_says_where_it_comes_from(tmp_path):
    rb.export_onnx(rb.MIRA().fit(np.eye(3), [0, 1, 2]), str(tmp_path / "m.onnx"))
    graph = onnx.load(tmp_path / "m.onnx")
    assert (graph.producer_name, graph.producer_version, graph.graph.name) == ("rosenblatt", rb.__version__, "MIRA")


def test_what_cannot_be_exported_is_refused(tmp_path, monkeypatch):
    X, y = data(rb.KernelPerceptron(), 2)
    path = tmp_path / "m.onnx"
    one_sentence(lambda: rb.export_onnx(rb.VotedPerceptron(max_iter=1).fit(X, y), path), ValueError, "vote", "averaged")
    own = rb.KernelPerceptron(kernel=lambda a, b: a @ b.T, max_iter=1).fit(X, y)
    one_sentence(lambda: rb.export_onnx(own, path), ValueError, "a kernel that has a name")
    given = rb.KernelPerceptron(kernel="precomputed", max_iter=1).fit(X @ X.T, y)
    one_sentence(lambda: rb.export_onnx(given, path), ValueError, "a kernel that has a name")
    odd = rb.Perceptron().learn_one({"a": 1}, ("x", 1)).learn_one({"a": 1}, ("y", 2))
    one_sentence(lambda: rb.export_onnx(odd, path), ValueError, "labels of text or numbers")
    with pytest.raises(NotFittedError):
        rb.export_onnx(rb.Perceptron(), path)
    one_sentence(lambda: rb.export_onnx(3, path), TypeError, "int")
    model = rb.Perceptron(max_iter=1, tol=None).fit(X, y)
    one_sentence(lambda: rb.export_onnx(model, tmp_path / "none" / "m"), FileNotFoundError, "no such folder")
    monkeypatch.setitem(sys.modules, "onnx", None)
    one_sentence(lambda: rb.export_onnx(model, path), ImportError, "rosenblatt[onnx]")
    assert os.listdir(tmp_path) == []
