"""Other libraries take the estimators as they take scikit-learn's."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from discovery import CLASSIFIERS
from identity import same_bits
from refusals import one_sentence
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import rosenblatt as rb

pytestmark = pytest.mark.filterwarnings("ignore")  # of the other libraries

LINEAR = [rb.AveragedPerceptron(), rb.PassiveAggressiveRegressor()]


def rows(n_classes=2, seed=0):
    X = np.random.default_rng(seed).normal(5, 3, (90, 4))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], [5.0] if n_classes == 2 else [3.0, 6.0])]


def ran(script):
    """What a process prints that has imported nothing yet."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_no_other_library_is_imported():
    imported = ran("import sys, rosenblatt as rb; rb.Perceptron; rb.compat; print(*sys.modules)").split()
    assert not {"skl2onnx", "eli5", "river", "skops"} & set(imported)


# ---- skl2onnx ------------------------------------------------------------------------------------------------------


@pytest.fixture
def answers():
    pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")

    def run(graph, **inputs):
        graph = graph if isinstance(graph, bytes) else graph.SerializeToString()
        session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
        return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))

    return run


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
def test_skl2onnx_converts_pipelines(kind, n_classes, answers, tmp_path):
    import skl2onnx

    X, y = rows(n_classes)
    model = kind(readout="averaged", random_state=0) if kind is rb.VotedPerceptron else kind(random_state=0)
    pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
    rb.export_onnx(pipeline, tmp_path / "pipeline.onnx")
    for found in (
        answers(skl2onnx.to_onnx(pipeline, X[:1]), X=X),
        answers((tmp_path / "pipeline.onnx").read_bytes(), X=X),
    ):
        assert list(found) == ["label", "scores"]
        np.testing.assert_allclose(found["scores"], pipeline.decision_function(X), rtol=1e-6, atol=1e-6)
        scores = pipeline.decision_function(X)
        ranked = np.sort(scores, axis=1) if n_classes > 2 else np.column_stack([np.zeros(len(X)), np.abs(scores)])
        decisive = ranked[:, -1] - ranked[:, -2] > 1e-5  # elsewhere rounding may decide
        assert decisive.mean() > 0.5
        assert found["label"][decisive].tolist() == pipeline.predict(X)[decisive].tolist()


def test_skl2onnx_converts_regressors_and_columns_of_several_types(answers):
    import skl2onnx

    X, _ = rows()
    regression = make_pipeline(StandardScaler(), rb.PassiveAggressiveRegressor()).fit(X, X[:, 0])
    found = answers(skl2onnx.to_onnx(regression, X[:1]), X=X)
    np.testing.assert_allclose(found["variable"][:, 0], regression.predict(X), rtol=1e-9)
    frame = pd.DataFrame({"x": X[:, 0], "city": np.array(["Rome", "Oslo"])[np.arange(len(X)) % 2]})
    columns = ColumnTransformer([("number", StandardScaler(), ["x"]), ("city", OneHotEncoder(), ["city"])])
    y = (X[:, 0] > 5) ^ (frame["city"] == "Rome")
    model = make_pipeline(columns, rb.AveragedPerceptron(random_state=0)).fit(frame, y)
    inputs = {"x": frame[["x"]].to_numpy(), "city": frame[["city"]].to_numpy(object)}
    found = answers(skl2onnx.to_onnx(model, frame[:1]), **inputs)
    assert found["label"].tolist() == model.predict(frame).tolist()


def test_pipelines_that_cannot_be_exported_are_refused(answers, tmp_path):
    path = tmp_path / "model.onnx"
    text = make_pipeline(rb.text.HashedText(bits=6), rb.Perceptron()).fit(["good", "bad"], [1, 0])
    one_sentence(lambda: rb.export_onnx(text, path), ValueError, "HashedText, Perceptron", "ONNX cannot express it")
    X, y = rows()
    voted = make_pipeline(StandardScaler(), rb.VotedPerceptron()).fit(X, y)
    one_sentence(lambda: rb.export_onnx(voted, path), ValueError, "StandardScaler, VotedPerceptron", "vote")
    one_sentence(lambda: rb.export_onnx(StandardScaler().fit(X), path), TypeError, "StandardScaler is not one of them")
    assert not path.exists()


# ---- eli5 ----------------------------------------------------------------------------------------------------------


def weights_told(explanation):
    target = explanation.targets[0].feature_weights
    return {one.feature: one.weight for one in (*target.pos, *target.neg)}


def test_eli5_explains_weights_and_predictions():
    eli5 = pytest.importorskip("eli5")
    X, y = rows()
    for model in (rb.AveragedPerceptron(), rb.KernelPerceptron(kernel="linear")):
        model.fit(X, y)
        told = weights_told(eli5.explain_weights(model))
        expected = {f"x{i}": weight for i, weight in enumerate(model.coef_[0])} | {"<BIAS>": model.intercept_[0]}
        assert told == pytest.approx(expected)
        told = eli5.explain_prediction(model, X[0]).targets[0]
        assert abs(told.score) == pytest.approx(abs(model.decision_function(X[:1])[0]))
    several = rb.Perceptron().fit(*rows(3))
    assert [target.target for target in eli5.explain_weights(several).targets] == ["a", "b", "c"]
    numbers = rb.PassiveAggressiveRegressor().fit(X, X[:, 0])
    assert weights_told(eli5.explain_weights(numbers))["x0"] == pytest.approx(numbers.coef_[0])
    assert "kernel='linear'" in eli5.explain_weights(rb.KernelPerceptron(kernel="rbf").fit(X, y)).error


def test_the_library_may_be_imported_first():
    pytest.importorskip("eli5")
    fit = "eli5.explain_weights(rb.Perceptron().fit([[1], [2]], [0, 1]))"
    assert ran(f"import eli5, rosenblatt as rb\nprint({fit}.error)") == "None"


def test_a_library_that_cannot_be_told_still_works(monkeypatch):
    monkeypatch.setitem(rb.compat._REGISTRARS, "eli5", "of_another_version")
    with pytest.warns(RuntimeWarning, match="eli5 could not be told"):
        rb.compat.register("eli5")


# ---- skops ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
def test_skops_loads_what_it_is_told_to_trust(kind):
    io = pytest.importorskip("skops.io")
    X, y = rows()
    model = make_pipeline(StandardScaler(), kind(random_state=0)).fit(X, y)
    stored, trusted = io.dumps(model), rb.compat.skops_types(model)
    assert any(name.endswith(kind.__name__) for name in trusted)
    loaded = io.loads(stored, trusted=trusted)
    same_bits(loaded.decision_function(X), model.decision_function(X))
    same_bits(loaded[-1].partial_fit(X, y).decision_function(X), model[-1].partial_fit(X, y).decision_function(X))


@pytest.mark.parametrize("n_classes", [20, 280])
def test_skops_loads_class_vectors_that_are_kept_sparse(n_classes):
    io = pytest.importorskip("skops.io")
    texts, labels = [f"film number{i} is good" for i in range(560)], [f"class {i % n_classes}" for i in range(560)]
    model = make_pipeline(rb.text.HashedText(), rb.AveragedPerceptron(random_state=0)).fit(texts, labels)
    assert (model[-1]._learner.lists is None, model[-1]._learner.places is None) == (n_classes == 20, n_classes == 280)
    loaded = io.loads(io.dumps(model), trusted=rb.compat.skops_types(model))
    same_bits(loaded.decision_function(texts), model.decision_function(texts))


# ---- River ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", LINEAR, ids=lambda estimator: type(estimator).__name__)
def test_river_checks(estimator):
    checks = pytest.importorskip("river.checks")
    model = rb.compat.river(estimator)
    for check in checks.yield_checks(model):
        check(model.clone())


def test_river_streams_give_the_same_bits():
    pytest.importorskip("river")
    from river import compose, evaluate, metrics, preprocessing

    X, y = rows(3)
    estimator, model = rb.AveragedPerceptron(), rb.compat.river(rb.AveragedPerceptron())
    right = 0
    for row, label in zip(X, y):
        x = dict(enumerate(row.tolist()))
        right += hasattr(estimator, "classes_") and estimator.predict_one(x) == label
        estimator.learn_one(x, label)
        assert model.predict_one(x) is None or isinstance(model.predict_one(x), str)
        model.learn_one(x, label)
    same_bits(model._model.coef_, estimator.coef_)
    stream = ((dict(enumerate(row.tolist())), label) for row, label in zip(X, y))
    fresh = compose.Pipeline(preprocessing.StandardScaler(), rb.compat.river(rb.AveragedPerceptron()))
    assert evaluate.progressive_val_score(stream, fresh, metrics.Accuracy()).get() > 0.5
    go_on = rb.compat.river(estimator)
    go_on.learn_one({0: 1.0}, "b")
    assert go_on._model.n_updates_ >= estimator.n_updates_ == model._model.n_updates_  # which was copied


def test_kernels_have_no_names_for_river():
    pytest.importorskip("river")
    one_sentence(lambda: rb.compat.river(rb.KernelPerceptron()), TypeError, "named features", "KernelPerceptron")
