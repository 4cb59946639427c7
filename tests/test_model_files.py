"""Model files: what is loaded is what was saved, to the bit and in what it does next; and files that are not models."""

import errno
import io
import json
import os
import pickle
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from discovery import CLASSIFIERS, ESTIMATORS, KERNEL, LINEAR, REGRESSORS, learned, named
from hypothesis import given
from hypothesis import strategies as st
from identity import every, same_bits
from problems import problems
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import model_files, whole_files
from rosenblatt.kernel_space.learner import KernelLearner
from rosenblatt.model_files import Model, ModelFileError, container, values

SETTINGS = [
    *[found(max_iter=3, random_state=0) for found in ESTIMATORS],
    *[
        rb.OnlineClassifier(rule=rule(), readout=readout, max_iter=3, random_state=1, ties="predict")
        for rule in rb.rules.ALL
        for readout in ("last", "averaged", "pocket")
    ],
    *[rb.OnlineClassifier(rule=rb.rules.PA2(C=0.3), readout=readout, multiclass="ovr") for readout in ("averaged",)],
    rb.AveragedPerceptron(max_iter=6, early_stopping=True, validation_fraction=0.3, random_state=3, tol=None),
    rb.Perceptron(init="random", random_state=2, max_iter=2, fit_intercept=False),
    rb.Perceptron(class_weight={0: 0.5, 2: 3.0}, margin=0.7, eta0=0.3, max_iter=2, multiclass="uniform"),
    rb.PassiveAggressiveRegressor(average=True, epsilon=0.5, variant="PA-II", C=0.1),
    *[rb.KernelPerceptron(readout=readout, max_iter=3) for readout in ("averaged", "voted", "pocket")],
    *[rb.KernelPerceptron(kernel=kernel, max_iter=3) for kernel in ("linear", "poly", "sigmoid")],
    rb.KernelPerceptron(rule=rb.rules.PA1(C=0.2), multiclass="ovr", max_iter=3, gamma=0.5, block_size=2, cache_size=1),
]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def data(estimator, n_classes=3, dtype=np.float64, n=40):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, 5)).astype(dtype)
    y = np.arange(n) % n_classes if type(estimator) in CLASSIFIERS else X[:, 0] - 2 * X[:, 1]
    return X, rng.permutation(y) if type(estimator) in CLASSIFIERS else y


def through_a_file(model, folder, name="model"):
    path = Path(folder) / name
    model.save(path)
    return rb.load(path)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """A folder that the examples of a hypothesis test may share."""
    return tmp_path_factory.mktemp("models")


# ---- the same, to the bit ----------------------------------------------------------------------------------------

#: Made anew from the rest, only used within a call, or compared by what is in use of them.
NOT_COMPARED = {"_block", "_frozen", "history", "support", "weights", "total", "pocket", "start", "alpha"}


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
        vectors = expected.support.vectors
        if vectors is not None:
            assert sp.issparse(vectors) == sp.issparse(got.support.vectors)
            same_bits(
                got.support.vectors.toarray() if sp.issparse(vectors) else got.support.vectors,
                vectors.toarray() if sp.issparse(vectors) else vectors,
            )
        return
    for name in ("weights", "total", "pocket", "start"):
        was = getattr(expected, name)
        assert (was is None) == (getattr(got, name) is None)
        if was is not None:
            same_bits(getattr(got, name)[: 1 + got.n_features, :k], was[: 1 + expected.n_features, :k])
            assert getattr(got, name).flags.writeable


def same_model(got, expected):
    assert type(got) is type(expected)
    assert repr(got.get_params()) == repr(expected.get_params())
    assert vars(got).keys() == vars(expected).keys()
    assert got._columns == expected._columns
    assert got._columns is None or list(got._columns) == list(expected._columns)
    if type(expected) in CLASSIFIERS:
        assert got.classes_.dtype == expected.classes_.dtype
        assert [type(label) for label in got._labels] == [type(label) for label in expected._labels]
        assert (got._labels, got._code) == (expected._labels, expected._code)
    same_learner(got._learner, expected._learner)


def scores(model, X):
    return model.decision_function(X) if type(model) in CLASSIFIERS else model.predict(X)


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
            loaded.predict(frame[list("edcba")])


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"], ["ja", "nein", "vielleicht, 好"], [-1, 1], [2**40, -(2**40), 0], [0.5, 1.5, -2.5], [False, True],
        np.array([3, 1, 2], np.int8), np.array([1.5, 0.1], np.float32), np.array(["a", "b"], object),
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
    for labels in ([("a", 1), ("b", 2), ("c", 3)], [10**30, 1], ["a" * 100, "b"], [b"x", b"y"]):
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


def test_a_precomputed_kernel(tmp_path):
    X, y = data(rb.KernelPerceptron())
    model = rb.KernelPerceptron(kernel="precomputed", max_iter=2).fit(X @ X.T, y)
    loaded = through_a_file(model, tmp_path)
    same_model(loaded, model)
    same_bits(loaded.decision_function(X @ X.T), model.decision_function(X @ X.T))


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
    for start, stop in zip(places, places[1:]):
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
from rosenblatt import engine, model_files
model = model_files.read({str(tmp_path / "model")!r})
print(model.algorithm, *model.classes[model.learner.predict(engine.admit(np.array({X[:5].tolist()})))])
model_files.write({str(tmp_path / "again")!r}, model)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["Perceptron", *model.predict(X[:5])], done.stderr
    same_model(rb.load(tmp_path / "again"), model)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_small_file_opens_in_milliseconds(tmp_path):
    rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y").save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 3000
    times = []
    for _ in range(20):
        began = time.perf_counter()
        rb.load(tmp_path / "model")
        times.append(time.perf_counter() - began)
    assert sorted(times)[10] < 0.02


def test_there_is_no_pickle():
    for source in (*Path(model_files.__file__).parent.glob("*.py"), Path(whole_files.__file__)):
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
    refused(lambda: model.save(tmp_path / "model"), TypeError, "a model file", *telling)
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_stored_is_refused(tmp_path):
    X, y = data(rb.Perceptron(), 2)

    def dot(a, b):
        return a @ b.T

    path = tmp_path / "model"
    rb.Perceptron(max_iter=2).fit(X, y).save(path)
    before = path.read_bytes()
    model = rb.KernelPerceptron(kernel=dot, max_iter=2).fit(X, y)
    refused(lambda: model.save(path), TypeError, "holds no code", "kernel", "dot", "one that has a name")
    for found in ESTIMATORS:
        with pytest.raises(NotFittedError, match=named(found)):
            found().save(path)

    class Mine(rb.Perceptron):
        pass

    refused(lambda: Mine(max_iter=2).fit(X, y).save(path), TypeError, "Mine", "not one of them")
    stream = rb.Perceptron().learn_one({"x": 1.0}, pd.Timestamp(2020, 1, 1))
    refused(lambda: stream.save(path), TypeError, "a label", "Timestamp")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def refused(call, kind, *telling):
    """One sentence that tells what it must."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert [part for part in telling if part not in message] == [], message
    assert "\n" not in message and len(message) < 500, message


# ---- damaged and foreign files -----------------------------------------------------------------------------------


def some_files(folder):
    X, y = data(rb.Perceptron())
    for i, model in enumerate((
        rb.AveragedPerceptron(max_iter=2).fit(X, np.array(["a", "b", "c"])[y]),
        rb.KernelPerceptron(max_iter=2, kernel="poly").fit(sp.csr_matrix(X), y),
        rb.PassiveAggressiveRegressor().learn_one({"höhe": 1.0, "breite": 2.0}, 3.0),
    )):  # fmt: skip
        path = Path(folder) / f"good{i}"
        model.save(path)
        yield path.read_bytes(), model


@pytest.fixture(scope="session")
def good(shared_folder):
    return list(some_files(shared_folder))


@given(which=st.integers(0, 2), place=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_a_flipped_byte_is_found(which, place, mask, good, shared_folder):
    content, model = good[which]
    bad = bytearray(content)
    bad[int(place * len(bad))] ^= mask
    loads_equal_or_is_refused(bad, model, shared_folder)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_every_byte_of_the_header_and_many_others(which, good, shared_folder):
    content, model = good[which]
    for place in [*range(0, 40), *range(40, len(content), 7)]:
        for mask in (1, 0x20, 0x80):
            bad = bytearray(content)
            bad[place] ^= mask
            loads_equal_or_is_refused(bad, model, shared_folder)


@given(which=st.integers(0, 2), share=st.floats(0, 1, exclude_max=True), more=st.binary(max_size=20))
def test_a_file_cut_short_or_with_more_at_its_end_is_refused(which, share, more, good, shared_folder):
    content, _ = good[which]
    bad = content[: int(share * len(content))] + more
    path = shared_folder / "bad"
    path.write_bytes(bad)
    if bad != content:
        refused(lambda: rb.load(path), ModelFileError, str(path))
    path.write_bytes(content + more)
    if more:
        refused(lambda: rb.load(path), ModelFileError, str(path))


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(content, shared_folder):
    for prefix in (b"", len(content).to_bytes(8, "little")):
        path = shared_folder / "bad"
        path.write_bytes(prefix + content)
        refused(lambda path=path: rb.load(path), ModelFileError, str(path))


def loads_equal_or_is_refused(content, model, folder):
    path = folder / "bad"
    path.write_bytes(content)
    try:
        loaded = rb.load(path)
    except ModelFileError as error:
        assert str(path) in str(error) and "\n" not in str(error)
    else:
        same_model(loaded, model)


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


@pytest.mark.parametrize(
    ("change", "telling"),
    [
        (lambda m: m.update(format_version="2"), ("format 2", "upgrade")),
        (lambda m: m.update(format_version="x"), ("format version is 'x'",)),
        (lambda m: m.update(format="pt"), ("safetensors", "not a model of rosenblatt")),
        (lambda m: m.pop("format"), ("not a model of rosenblatt",)),
        (lambda m: m.pop("model"), ("not a model of rosenblatt",)),
        (lambda m: m.pop("sha256"), ("checksum",)),
        (lambda m: m.update(model=m["model"].replace("Perceptron", "MIRA")), ("checksum",)),
    ],
)
def test_other_versions_and_tampered_headers(change, telling, tmp_path):
    path = tmp_path / "model"
    rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y").save(path)
    rewritten(path, change_metadata=change)
    refused(lambda: rb.load(path), ModelFileError, str(path), *telling)


DOCUMENTS = [
    (lambda d: d.update(algorithm="Adaline"), ("Adaline", "does not know")),
    (lambda d: d.update(algorithm="KernelRows"), ("does not know",)),
    (lambda d: d["parameters"].update(wings=2), ("wings",)),
    (lambda d: d["learner"].update(n_features=3), ("weights does not fit",)),
    (lambda d: d["learner"].update(n_features=2**60), ("weights does not fit",)),
    (lambda d: d["learner"].update(n_classes=3), ("weights does not fit",)),
    (lambda d: d["learner"].update(n_classes=-1), ("sizes",)),
    (lambda d: d["learner"].update(dtype="float16"), ("sizes",)),
    (lambda d: d["learner"].update(readout="averaged"), ("its readout does not fit",)),
    (lambda d: d["learner"].update(readout="mean"), ("readout must be one of",)),
    (lambda d: d["learner"].update(rule={"$rule": "Exec", "code": "1"}), ("Exec",)),
    (lambda d: d["learner"].update(rule={"$generator": "seed", "state": {}}), ("seed",)),
    (lambda d: d["learner"].pop("evidence"), ("evidence",)),
    (lambda d: d["classes"]["labels"].append("z"), ("classes do not fit",)),
    (lambda d: d.update(classes=None), ("classes do not fit",)),
    (lambda d: d["classes"].update(type="|V8"), ("",)),
    (lambda d: d.pop("extras"), ("extras",)),
    (lambda d: d.update(learner=[]), ("",)),
]


@pytest.mark.parametrize(("change", "telling"), DOCUMENTS)
def test_documents_that_do_not_fit_are_refused(change, telling, tmp_path):
    path = tmp_path / "model"
    rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y").save(path)
    rewritten(path, change_document=change)
    refused(lambda: rb.load(path), ModelFileError, str(path), *telling)


KERNEL_TENSORS = [
    ("alpha", lambda a: a[1:]),
    ("update_example", lambda a: a + 10**6),
    ("update_example", lambda a: a - 10**6),
    ("update_step", lambda a: a[:, :1]),
    ("update_time", lambda a: a.astype(np.int32)),
    ("support_code", lambda a: a + 3),
    ("support_row", lambda a: a * 0),
    ("support_indices", lambda a: a + 100),
    ("support_indptr", lambda a: a[::-1].copy()),
    ("support_data", lambda a: a.astype(np.float32)),
    ("norm2", lambda a: a * np.nan),
    ("tally", lambda a: a[1:]),
    ("tally", lambda a: a * np.nan),
]


@pytest.mark.parametrize(("name", "change"), KERNEL_TENSORS, ids=lambda part: part if isinstance(part, str) else "")
def test_tensors_that_do_not_fit_are_refused(name, change, tmp_path):
    path, (X, y) = tmp_path / "model", data(rb.KernelPerceptron())
    rb.KernelPerceptron(max_iter=2).fit(sp.csr_matrix(X), y).save(path)
    rewritten(path, change_tensors=lambda tensors: tensors.update({name: change(tensors[name])}))
    refused(lambda: rb.load(path), ModelFileError, str(path))


def test_the_names_of_features_must_fit(tmp_path):
    path = tmp_path / "model"
    rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y").save(path)
    for names in (b'["a"]', b'["a","a"]', b"{", b"\xff"):
        tampered = np.frombuffer(names, np.uint8)
        content = path.read_bytes()
        rewritten(path, change_tensors=lambda tensors, names=tampered: tensors.update(feature_names=names))
        refused(lambda: rb.load(path), ModelFileError, str(path))
        path.write_bytes(content)


def test_foreign_files(tmp_path):
    path = tmp_path / "file"
    save_file({"weights": np.zeros(3)}, path)
    refused(lambda: rb.load(path), ModelFileError, "not a model of rosenblatt")
    header = b'{"w":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    refused(lambda: rb.load(path), ModelFileError, "not a model of rosenblatt")
    for content in (b"", pickle.dumps([1]), b"PK\x03\x04" + bytes(100), b"%PDF-1.4" + b"x" * 1000, b"{}" * 50):
        path.write_bytes(content)
        refused(lambda: rb.load(path), ModelFileError, "not a model file")


# ---- paths, full disks, sudden ends ------------------------------------------------------------------------------


def small():
    return rb.Perceptron().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")


@pytest.mark.parametrize("name", ["model", "mit Leerzeichen.safetensors", "модель-好.model", "." + "n" * 200])
def test_names_of_files(name, tmp_path):
    for path in (str(tmp_path / name), tmp_path / name):
        small().save(path)
        same_model(rb.load(path), small())
    assert os.listdir(tmp_path) == [name]


def test_a_relative_path_and_a_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small().save("model")
    os.symlink("model", "link")
    rb.Perceptron().learn_one({"c": 1}, 1).save("link")
    assert os.path.islink("link")
    assert rb.load("model").classes_.tolist() == [1]
    assert sorted(os.listdir(".")) == ["link", "model"]


def test_paths_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    refused(lambda: small().save(tmp_path / "none" / "model"), FileNotFoundError, "no such folder", "none")
    refused(lambda: small().save(tmp_path / "folder"), IsADirectoryError, "it is a folder", "folder")
    refused(lambda: small().save(tmp_path / "file" / "model"), NotADirectoryError, "is a file", "model")
    refused(lambda: small().save(tmp_path / ("n" * 300)), OSError, "too long")
    os.mkfifo(tmp_path / "pipe")
    refused(lambda: small().save(tmp_path / "pipe"), OSError, "a device or a pipe")
    with pytest.raises(TypeError):
        small().save(3)
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "pipe"]


def test_paths_that_cannot_be_read(tmp_path):
    refused(lambda: rb.load(tmp_path / "none"), FileNotFoundError, "none")
    refused(lambda: rb.load(tmp_path), IsADirectoryError, str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    refused(lambda: rb.load(tmp_path / "pipe"), ModelFileError, "pipe")


def test_permissions(tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    small().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640  # as it was
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for one who is not root
    before = path.read_bytes()
    refused(lambda: rb.Perceptron().learn_one({"c": 1}, 1).save(path), PermissionError, "no permission")
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    refused(lambda: small().save(tmp_path / "model"), PermissionError, "no permission")
    tmp_path.chmod(0o700)
    assert os.listdir(tmp_path) == []


class Full(io.BufferedWriter):
    """A file on a disk that fills after some bytes."""

    room = 0

    def write(self, data):
        if len(data) > self.room:
            super().write(memoryview(data)[: self.room])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(data)
        return super().write(data)


@pytest.fixture(params=["nameless", "named"])
def kind_of_file(request, monkeypatch):
    """Whether the system can make files without a name, as Linux can, or not."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return request.param


@pytest.mark.parametrize("room", [0, 5, 8, 100, 900, 2500])
def test_a_disk_that_fills_while_saving(room, kind_of_file, tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    larger = rb.AveragedPerceptron(max_iter=2).fit(*data(rb.AveragedPerceptron(), n=300))

    def fdopen(handle, mode):
        file = Full(io.FileIO(handle, mode))
        file.room = room
        return file

    monkeypatch.setattr(whole_files.os, "fdopen", fdopen)
    for name in ("model", "new"):
        refused(
            lambda name=name: larger.save(tmp_path / name), OSError, "the disk is full", "nothing was changed", name
        )
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("call", ["fsync", "fchmod", "replace"])
def test_a_failure_at_the_last_moment(call, kind_of_file, tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(whole_files.os, call, fail)
        refused(lambda: rb.Perceptron().learn_one({"c": 1}, 1).save(path), OSError, "the disk is full")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]
    rb.Perceptron().learn_one({"c": 1}, 1).save(path)
    assert rb.load(path).classes_.tolist() == [1]


SAVE = """
import os, resource, signal, sys, numpy as np, rosenblatt as rb
from rosenblatt import whole_files
model = rb.AveragedPerceptron(max_iter=1, tol=None).fit(np.random.default_rng(0).standard_normal((10, 20_000)), [0, 1] * 5)
"""


def in_a_process(script, path):
    done = subprocess.run([sys.executable, "-c", SAVE + script, path], capture_output=True, text=True, check=False)
    return done


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("limit", [1000, 100_000])
def test_a_real_limit_of_the_system(limit, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    script = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); model.save(sys.argv[1])"
    done = in_a_process(script, path)
    assert "OSError: [Errno 27] could not write the file, as it would be larger than a file may be here" in done.stderr
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_process_that_dies_leaves_nothing_behind(call, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    script = f"whole_files.os.{call} = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL); model.save(sys.argv[1])"
    assert in_a_process(script, path).returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_the_file_and_its_folder_are_synced(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def note(handle):
        synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        fsync(handle)

    monkeypatch.setattr(whole_files.os, "fsync", note)
    small().save(tmp_path / "model")
    assert synced == [False, True]


def test_an_interrupt_while_writing(kind_of_file, tmp_path):
    with pytest.raises(KeyboardInterrupt), whole_files.replacing(tmp_path / "model") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


# ---- the library below -------------------------------------------------------------------------------------------


def test_a_learner_of_another_kind_is_refused(tmp_path):
    class Richer(rb.estimators.contract.Learner):
        pass

    model = Model("Perceptron", {}, Richer(rb.rules.Perceptron()), np.array([0, 1]))
    refused(lambda: model_files.write(tmp_path / "model", model), TypeError, "Richer")
    with pytest.raises(TypeError, match="float16"):
        container.write(tmp_path / "model", {}, {"a": np.zeros(3, np.float16)})
    assert os.listdir(tmp_path) == []


def test_every_estimator_is_covered():
    assert {type(model) for model in SETTINGS} == set(ESTIMATORS)
    assert {*KERNEL, *LINEAR, *REGRESSORS} == set(ESTIMATORS)
