"""Model files: what is loaded is what was saved, to the bit and in what it does next."""

import json
import os
import re
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clockless import calls
from discovery import CLASSIFIERS, ESTIMATORS, LINEAR, learned, named
from hypothesis import given
from hypothesis import strategies as st
from identity import every, same_bits
from problems import problems
from refusals import one_sentence
from safetensors import safe_open
from safetensors.numpy import load_file
from saved import SETTINGS, data, mostly_zero, same_learner, same_model, scores, through_a_file
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import atomic_files, model_files
from rosenblatt.core.learner import Learner
from rosenblatt.model_files import Model, container, values

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """A folder that the examples of a hypothesis test may share."""
    return tmp_path_factory.mktemp("models")


# ---- to the bit --------------------------------------------------------------------------------------------------


@pytest.mark.diagonal
@every(SETTINGS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_loaded_model_is_the_one_that_was_saved_and_goes_on_as_it_would(estimator, dtype, n_classes, tmp_path):
    X, y = data(estimator, n_classes, dtype)
    model = clone(estimator).fit(X[:25], y[:25])
    loaded = through_a_file(model, tmp_path)
    same_model(loaded, model)
    same_bits(scores(loaded, X), scores(model, X))
    same_bits(loaded.predict(X), model.predict(X))
    for chunk in (slice(25, 26), slice(26, 33), slice(33, 40)):
        loaded = through_a_file(loaded.partial_fit(X[chunk], y[chunk]), tmp_path)
        model.partial_fit(X[chunk], y[chunk])
        same_model(loaded, model)
    if type(estimator) in CLASSIFIERS:  # a class never met before
        same_model(loaded.partial_fit(X[:3], [7, 8, 7]), model.partial_fit(X[:3], [7, 8, 7]))
        same_bits(scores(loaded, X), scores(model, X))


@every([model for model in SETTINGS if type(model) in LINEAR])
def test_a_loaded_model_starts_warm_as_it_would(estimator, tmp_path):
    X, y = data(estimator)
    model = clone(estimator).set_params(warm_start=True, shuffle=False) if hasattr(estimator, "shuffle") else estimator
    model = clone(model).set_params(warm_start=True, random_state=5).fit(X, y)
    loaded = through_a_file(model, tmp_path)
    same_model(loaded.fit(X[::-1], y[::-1]), model.fit(X[::-1], y[::-1]))


def test_weights_that_are_all_zero_take_no_room(tmp_path):
    model = mostly_zero()
    model._learner.weights[77, 1] = -0.0  # which is a bit of its own
    loaded = through_a_file(model, tmp_path)
    rows = load_file(tmp_path / "model")["weight_rows"]
    assert {0, 77} < set(rows.tolist()) < set(range(1001))
    assert (tmp_path / "model").stat().st_size < 20_000 < model._learner.total.nbytes
    same_model(loaded, model)
    assert np.signbit(loaded._learner.weights[77, 1])
    X = sp.random(9, 1000, 0.1, format="csr", random_state=4)
    same_model(loaded.partial_fit(X, np.arange(9) % 3), model.partial_fit(X, np.arange(9) % 3))


@pytest.mark.parametrize("found", LINEAR, ids=named)
def test_a_stream_of_names_goes_on(found, tmp_path):
    names = ["good", "not good", "", "schön", "好", "𝒳", "a/b", "$tuple", "\ud800", "\n", 'quo"te']
    model = found()
    for step in range(len(names)):
        x = {name: 1.0 + i for i, name in enumerate(names[: 1 + step])}
        y = ["+", "-", "0"][step % 3] if found in CLASSIFIERS else step / 3
        model.learn_one(x, y)
        loaded = through_a_file(model, tmp_path)
        same_model(loaded, model)
        assert loaded.predict_one(x) == model.predict_one(x)
        model = loaded  # many times through the file, as well as on without it
    twin = found()
    for step in range(len(names)):
        x = {name: 1.0 + i for i, name in enumerate(names[: 1 + step])}
        twin.learn_one(x, ["+", "-", "0"][step % 3] if found in CLASSIFIERS else step / 3)
    same_model(model, twin)
    same_bits(learned(model), learned(twin))


@pytest.mark.parametrize("names", [[3, 1, 2], [("a", 1), ("b", 2)], [1.5, True, None, b"\xff"]], ids=str)
def test_names_of_features_need_not_be_text(names, tmp_path):
    model = rb.Perceptron()
    for i, name in enumerate(names):
        model.learn_one({name: 1.0}, i % 2)
    loaded = through_a_file(model, tmp_path)
    same_model(loaded, model)
    assert [type(name) for name in loaded._columns] == [type(name) for name in names]


def test_columns_of_a_frame_keep_their_names(tmp_path):
    X, y = data(rb.Perceptron())
    frame = pd.DataFrame(X, columns=list("abçde"))
    for found in (rb.AveragedPerceptron, rb.KernelPerceptron):
        model = found(max_iter=2).fit(frame, y)
        loaded = through_a_file(model, tmp_path)
        same_model(loaded, model)
        same_bits(loaded.predict(frame), model.predict(frame))
        with pytest.raises(ValueError, match="feature names"):
            loaded.predict(frame[list("edçba")])


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"], ["ja", "nein", "vielleicht, 好"], [-1, 1], [2**40, -(2**40), 0], [0.0, 1.0, -2.0], [False, True],
        np.array([3, 1, 2], np.int8), np.array([3, 1], np.float32), np.array(["a", "b"], object),
        np.array([b"a", b"b\xff"]), np.array([1, 2, 3], np.uint16),
    ],
    ids=repr,
)  # fmt: skip
def test_labels_keep_their_type(labels, tmp_path):
    labels = np.asarray(labels)
    y = labels[np.arange(20) % len(labels)]
    model = rb.Perceptron(max_iter=2).partial_fit(np.random.default_rng(0).standard_normal((20, 3)), y)
    same_model(through_a_file(model, tmp_path), model)


def test_labels_of_a_stream_may_be_anything_plain(tmp_path):
    for labels in (
        [("a", 1), ("b", 2), ("c", 3)],
        [10**30, 1],
        ["a" * 100, "b"],
        [b"x", b"y"],
        [0.1, 0.25],
        [True, False],
    ):
        model = rb.Perceptron()
        for label in labels:
            model.learn_one({"x": 1.0}, label)
        loaded = through_a_file(model, tmp_path)
        same_model(loaded, model)
        assert type(loaded.predict_one({"x": 1.0})) is type(labels[0])


@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_kernel_models_keep_their_examples_and_every_readout(readout, make, tmp_path):
    X, y = data(rb.KernelPerceptron())
    X = make(np.round(X))
    model = rb.KernelPerceptron(readout=readout, max_iter=3, kernel="poly").fit(X, y)
    loaded = through_a_file(model, tmp_path)
    same_model(loaded, model)
    for name in ("last", "averaged", "voted"):
        read = through_a_file(loaded.with_readout(name), tmp_path)
        same_bits(read.decision_function(X), model.with_readout(name).decision_function(X))
    same_model(loaded.partial_fit(X[:9], y[:9]), model.partial_fit(X[:9], y[:9]))


@pytest.mark.parametrize("budget", [None, 8])
def test_sparse_examples(budget, tmp_path):
    X = np.zeros((60, 400))
    X[np.arange(60), np.arange(60) * 6] = 1.0
    X = sp.csr_matrix(X)
    y = np.arange(60) % 3
    model = rb.KernelPerceptron(budget=budget, random_state=0, max_iter=1, tol=None).fit(X, y)
    loaded = through_a_file(model, tmp_path)
    same_model(loaded, model)
    same_bits(loaded.support_vectors_.toarray(), model.support_vectors_.toarray())
    same_model(loaded.partial_fit(X[::-1], y), model.partial_fit(X[::-1], y))


def test_a_precomputed_kernel(tmp_path):
    X, y = data(rb.KernelPerceptron())
    model = rb.KernelPerceptron(kernel="precomputed", max_iter=2).fit(X @ X.T, y)
    loaded = through_a_file(model, tmp_path)
    same_model(loaded, model)
    same_bits(loaded.decision_function(X @ X.T), model.decision_function(X @ X.T))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("policy", ["random", "forgetron", "projectron", "projectron++"])
def test_a_budget_goes_on(policy, make, tmp_path):
    X, y = data(rb.KernelPerceptron(), 2, n=120)
    X = make(np.round(X))
    model = rb.KernelPerceptron(
        budget=6, budget_policy=policy, fit_intercept=False, random_state=np.random.default_rng(2)
    )
    model.partial_fit(X[:30], y[:30])
    for start in range(30, 120, 30):
        loaded = through_a_file(model, tmp_path)
        same_model(loaded, model)
        part = slice(start, start + 30)
        same_model(loaded.partial_fit(X[part], y[part]), model.partial_fit(X[part], y[part]))
        same_bits(loaded.decision_function(X), model.decision_function(X))
    loaded = through_a_file(model, tmp_path)
    model.set_params(max_iter=2), loaded.set_params(max_iter=2)
    same_model(loaded.fit(X, y), model.fit(X, y))  # of one generator, for the run and for who gives way


@pytest.mark.parametrize("readout", ["averaged", "pocket"])
def test_with_readout_before_and_after(readout, tmp_path):
    X, y = data(rb.Perceptron())
    model = rb.OnlineClassifier(readout=readout, max_iter=3).fit(X, y)
    same_model(through_a_file(model.with_readout("last"), tmp_path), model.with_readout("last"))
    same_model(through_a_file(model, tmp_path).with_readout("last"), model.with_readout("last"))


@pytest.mark.parametrize(
    "random_state",
    [
        7, [1, 2, 3], np.int64(3), np.random.default_rng(5), np.random.RandomState(5),
        *[np.random.Generator(getattr(np.random, name)(3)) for name in ("PCG64DXSM", "MT19937", "Philox", "SFC64")],
    ],
    ids=lambda seed: type(getattr(seed, "bit_generator", seed)).__name__,
)  # fmt: skip
def test_generators_go_on_where_they_stood(random_state, tmp_path):
    X, y = data(rb.Perceptron())
    model = rb.Perceptron(random_state=random_state, max_iter=2, tol=None)
    if isinstance(random_state, np.random.RandomState):
        random_state.standard_normal()  # half of a pair is left over
    model.fit(X, y)
    loaded = through_a_file(model, tmp_path)
    same_learner(loaded._learner, model._learner)
    for _ in range(2):
        same_learner(loaded.fit(X, y)._learner, model.fit(X, y)._learner)


@given(problem=problems(), estimator=st.sampled_from(SETTINGS), cuts=st.lists(st.integers(0, 30), max_size=3))
def test_stopping_anywhere_changes_nothing(problem, estimator, cuts, shared_folder):
    y = problem.codes if type(estimator) in CLASSIFIERS else problem.targets
    through, on = clone(estimator), clone(estimator)
    places = [0, *sorted({min(cut, len(y)) for cut in cuts} - {0}), len(y)]
    for start, stop in pairwise(places):
        if start < stop:
            through.partial_fit(problem.X[start:stop], y[start:stop], sample_weight=problem.weight[start:stop])
            on.partial_fit(problem.X[start:stop], y[start:stop], sample_weight=problem.weight[start:stop])
        if through.__sklearn_is_fitted__():
            through = through_a_file(through, shared_folder)
            same_model(through, on)
            same_bits(scores(through, problem.X), scores(on, problem.X))


# ---- what is in the file -----------------------------------------------------------------------------------------


def test_the_file_is_safetensors_and_tells_the_run(tmp_path):
    X, y = data(rb.Perceptron(), n_classes=2)
    model = rb.AveragedPerceptron(max_iter=4, early_stopping=True, random_state=0, tol=None).fit(X, y)
    model.save(tmp_path / "model")
    with safe_open(tmp_path / "model", "np") as file:
        metadata = file.metadata()
    document = json.loads(metadata["model"])
    assert metadata["format"] == "rosenblatt"
    assert document["rosenblatt"] == rb.__version__
    assert document["algorithm"] == "AveragedPerceptron"
    assert document["parameters"] == model.get_params()
    history = document["history"]
    assert history["mistakes"] == model.mistakes_.tolist()
    assert history["held_out_scores"] == model.validation_scores_.tolist()
    assert (history["updates"], history["passes"]) == (model.n_updates_, model.n_iter_)
    assert history["verdict"] == model.verdict_
    assert tuple(values.decode(history["margin_bounds"])) == model.margin_bounds_
    tensors = load_file(tmp_path / "model")
    assert {name: [{"float64": "F64"}[array.dtype.name], list(array.shape)] for name, array in tensors.items()} == (
        document["tensors"]
    )
    mean = tensors["weights"] - tensors["total"] / history["examples"]
    same_bits(mean[1:].T, model.coef_)
    same_bits(mean[0], model.intercept_)


def test_sections_of_others_travel_along(tmp_path):
    X, y = data(rb.Perceptron())
    rb.Perceptron(max_iter=2).fit(X, y).save(tmp_path / "model")
    model = model_files.read(tmp_path / "model")
    table = np.arange(6, dtype=np.uint64).reshape(2, 3)
    plain = {"ngrams": (1, 2), "norm": None, "$odd": {1: float("inf")}, "columns": ["a", "ü"]}
    model.extras["text"] = (plain, {"table": table, "none": np.zeros((0, 3), np.float32)})
    model_files.write(tmp_path / "model", model)
    estimator = rb.load(tmp_path / "model")
    estimator.partial_fit(X, y).with_readout("last").save(tmp_path / "again")  # an estimator hands them on
    found, arrays = model_files.read(tmp_path / "again").extras["text"]
    assert found == plain
    same_bits(arrays["table"], table)
    assert arrays["none"].shape == (0, 3)
    estimator.fit(X, y).save(tmp_path / "anew")  # of rows that were made otherwise, for all it knows
    assert model_files.read(tmp_path / "anew").extras == {}
    model.extras["a/b"] = ({}, {})
    with pytest.raises(ValueError, match="without '/'"):
        model_files.write(tmp_path / "model", model)


def test_the_learner_alone_is_saved_and_loaded_without_scikit_learn(tmp_path):
    X, y = data(rb.Perceptron(), n_classes=2)
    model = rb.Perceptron(max_iter=2).fit(X, np.array(["no", "yes"])[y])
    model.save(tmp_path / "model")
    script = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "scipy", "pandas", "torch", "onnx"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import numpy as np
from rosenblatt import model_files
from rosenblatt.core import engine
model = model_files.read({str(tmp_path / "model")!r})
print(model.algorithm, *model.classes[model.learner.predict(engine.admit(np.array({X[:5].tolist()})))])
model_files.write({str(tmp_path / "again")!r}, model)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["Perceptron", *model.predict(X[:5])], done.stderr
    same_model(rb.load(tmp_path / "again"), model)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_small_file_opens_with_little_work(tmp_path):
    rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y").save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 3000
    rb.load(tmp_path / "model")  # what is imported once
    tracemalloc.start()
    try:
        assert calls(lambda: rb.load(tmp_path / "model")) < 20_000  # some milliseconds
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_there_is_no_pickle():
    for source in (*Path(model_files.__file__).parent.glob("*.py"), Path(atomic_files.__file__)):
        assert not re.search(r"pickle|marshal|eval\(|exec\(|allow_pickle", source.read_text(encoding="utf-8"))


# ---- plain values ------------------------------------------------------------------------------------------------

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
PLAIN = st.recursive(
    LEAVES | st.sampled_from([rb.rules.PA1(C=0.1), rb.rules.MIRA(), rb.rules.Perceptron(0.5, 2.0)]),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.sampled_from(["$tuple", "$float"]), inner)
    ),
    max_leaves=8,
)


@given(PLAIN)
def test_plain_values_come_back_as_they_were(value):
    text = container.json_text(values.encode(value, "it"))
    assert repr(values.decode(json.loads(text))) == repr(value)
    assert text.encode().decode() == text


@pytest.mark.parametrize(
    ("params", "telling"),
    [
        ({"random_state": np.random.PCG64(3)}, ("random_state", "PCG64")),
        ({"random_state": np.random.SeedSequence(3)}, ("random_state", "SeedSequence")),
        ({"class_weight": {0: 1.0, 1: object()}}, ("class_weight[1]",)),
        ({"verbose": sys.stdout.write}, ("verbose", "function")),
    ],
    ids=["bits", "seeds", "object", "function"],
)
def test_parameters_that_are_not_plain_are_refused(params, telling, tmp_path):
    X, y = data(rb.Perceptron(), 2)
    model = rb.Perceptron(max_iter=2).fit(X, y).set_params(**params)
    one_sentence(lambda: model.save(tmp_path / "model"), TypeError, "a model file", *telling)
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_stored_is_refused(tmp_path):
    X, y = data(rb.Perceptron(), 2)

    def dot(a, b):
        return a @ b.T

    path = tmp_path / "model"
    rb.Perceptron(max_iter=2).fit(X, y).save(path)
    before = path.read_bytes()
    model = rb.KernelPerceptron(kernel=dot, max_iter=2).fit(X, y)
    one_sentence(lambda: model.save(path), TypeError, "holds no code", "kernel", "dot", "one that has a name")
    for found in ESTIMATORS:
        with pytest.raises(NotFittedError, match=named(found)):
            found().save(path)

    class Mine(rb.Perceptron):
        pass

    one_sentence(lambda: Mine(max_iter=2).fit(X, y).save(path), TypeError, "Mine", "not one of them")
    stream = rb.Perceptron().learn_one({"x": 1.0}, pd.Timestamp(2020, 1, 1))
    one_sentence(lambda: stream.save(path), TypeError, "a label", "Timestamp")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_a_learner_of_another_kind_is_refused(tmp_path):
    class Richer(Learner):
        pass

    model = Model("Perceptron", {}, Richer(rb.rules.Perceptron()), np.array([0, 1]))
    one_sentence(lambda: model_files.write(tmp_path / "model", model), TypeError, "Richer")
    with pytest.raises(TypeError, match="float16"):
        container.write(tmp_path / "model", {}, {"a": np.zeros(3, np.float16)})
    assert os.listdir(tmp_path) == []


def test_every_estimator_is_covered():
    assert {type(model) for model in SETTINGS} == set(ESTIMATORS)


@pytest.mark.parametrize("content", [b"label,text\npos,good\n", b"PK\x03\x04" * 9, b"\0" * 40, b'{"weights": [1]}'])
def test_what_is_no_model_file_is_told_as_such(content, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(model_files.ModelFileError) as refused:
        rb.load(path)
    assert str(refused.value) == f"{path} is not a model file"
