"""Many classes: each feature keeps those that ever moved. Every bit is that of class vectors side by side."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from identity import same_bits
from refusals import one_sentence
from saved import rewritten

import rosenblatt as rb
from rosenblatt import cli, model_files
from rosenblatt.core import engine, memory, rules, weights
from rosenblatt.core.learner import Learner, learn_labels
from rosenblatt.model_files import ModelFileError, container

K = 11

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def lists(monkeypatch):
    """Keep lists from now on, or not."""

    def switch(on):
        monkeypatch.setattr(weights, "WIDE", 0 if on else 1 << 60)
        monkeypatch.setattr(weights, "FEW", 0)
        monkeypatch.setattr(weights, "SIDE_BY_SIDE", 0)

    switch(True)
    return switch


def problem(n=150, d=90, k=K, seed=0, dtype=np.float64, density=0.1):
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density=density, format="csr", random_state=rng, dtype=dtype)
    return X, rng.integers(0, k, n)


def all_of(est, X):
    """All that a fitted estimator says, as bits."""
    learner = est._learner
    told = [
        learner.read("last"), learner.read(), learner.tally.values, np.array(learner.margin_bounds), est.coef_,
        est.intercept_, est.decision_function(X), est.decision_function(X.toarray()),
        est.decision_function(X.astype(np.float32 if X.dtype == np.float64 else np.float64)),
        learner.weights_at(np.array([3, 5, 88])),
    ]  # fmt: skip
    return [array.copy() for array in told]  # some are the learner's own


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        same_bits(np.asarray(a), np.asarray(b))


ESTIMATORS = {
    "last": rb.Perceptron(max_iter=4, tol=None, random_state=0),
    "averaged": rb.AveragedPerceptron(max_iter=4, random_state=0),
    "no bias": rb.PassiveAggressiveClassifier(max_iter=4, average=True, fit_intercept=False, random_state=0),
    "one against the rest": rb.Perceptron(max_iter=4, tol=None, multiclass="ovr", random_state=0),
    "one against the rest, averaged": rb.PassiveAggressiveClassifier(
        max_iter=3, average=True, multiclass="ovr", random_state=0
    ),
    "MIRA": rb.MIRA(max_iter=4, random_state=0),
    "early stopping": rb.AveragedPerceptron(max_iter=8, early_stopping=True, random_state=0),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_fit_save_load_and_go_on_to_the_bit(name, dtype, lists, tmp_path):
    X, y = problem(dtype=dtype)
    more, unseen = problem(seed=1, dtype=dtype), problem(seed=2, dtype=dtype)[0]
    results = {}
    for on in (True, False):
        lists(on)
        est = copy.deepcopy(ESTIMATORS[name]).fit(X, y)
        assert (est._learner.lists is not None) == on
        found = all_of(est, unseen)
        est.save(tmp_path / f"{on}.model")
        loaded = rb.load(tmp_path / f"{on}.model")
        assert (loaded._learner.lists is not None) == on
        found += all_of(loaded, unseen)
        if name != "early stopping":
            found += all_of(loaded.partial_fit(*more), unseen)
            loaded.save(tmp_path / f"{on}.on.model")
        found += all_of(copy.deepcopy(est).set_params(warm_start=True, early_stopping=False).fit(X, y), unseen)
        results[on] = found
    assert_same(results[True], results[False])
    for file in tmp_path.glob("True*"):
        assert file.read_bytes() == file.with_name(file.name.replace("True", "False")).read_bytes()


@pytest.mark.parametrize("n_features", [2000, 9000])  # with lists of all, and of those that were met
@pytest.mark.parametrize("multiclass", ["max", "ovr"])
def test_class_vectors_side_by_side_become_lists_where_they_take_too_much_memory(n_features, multiclass, monkeypatch):
    X, y = problem(n=200, d=2000, k=40, density=0.005)
    X.resize(200, n_features)
    monkeypatch.setattr(weights, "WIDE", 1 << 14)
    results, when = [], []
    for most in (1 << 30, 1 << 19, 0):
        monkeypatch.setattr(weights, "MOST", most)
        est = rb.AveragedPerceptron(max_iter=3, multiclass=multiclass, random_state=0)
        by_lists = []
        for start in range(0, 200, 20):
            est.partial_fit(X[start : start + 20], y[start : start + 20], classes=np.arange(40))
            by_lists.append(est._learner.lists is not None)
        when.append(sum(by_lists))
        results.append(all_of(est, X) + all_of(copy.deepcopy(est).fit(X, y), X))
    assert when[0] == 0 < when[1] < when[2] == 10
    assert_same(results[1], results[0])
    assert_same(results[2], results[0])


@pytest.mark.parametrize(("k", "are_lists"), [(200, False), (300, True)])
def test_up_to_256_classes_that_are_known_stand_side_by_side(k, are_lists, monkeypatch):
    monkeypatch.setattr(weights, "WIDE", 1 << 14)
    X, y = problem(n=2 * k, d=2000, k=k, density=0.005)
    est = rb.AveragedPerceptron(max_iter=1, random_state=0).partial_fit(X, y, classes=np.arange(k))
    assert (est._learner.lists is not None) == are_lists


def test_more_than_some_classes_are_lists_where_they_come_one_by_one(monkeypatch):
    """By the rule as it stands: a new class would move all vectors that stand side by side."""
    monkeypatch.setattr(weights, "FEW", 0)
    monkeypatch.setattr(weights, "WIDE", 1 << 14)
    X, y = problem(n=300, d=2000, k=60, density=0.005)
    learner, classes = Learner(rules.PA1(C=0.5), readout="averaged"), np.empty(0, np.int64)
    learner.allocate(X.shape[1], 0, np.float64)
    for start in range(0, 300, 10):
        classes = learn_labels(learner, engine.admit(X[start : start + 10]), y[start : start + 10], None, classes)
        assert (learner.lists is not None) == (len(classes) > weights.SOME)
    assert len(classes) > 50
    assert rb.AveragedPerceptron(max_iter=1).fit(X, y)._learner.lists is None


@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_classes_come_in_any_order(readout, lists):
    """A new class moves the codes of those after it; its lists are not read for that."""
    X, y = problem(n=200, k=30)
    results = []
    for on in (True, False):
        lists(on)
        learner, classes = Learner(rules.PA1(C=0.5), readout=readout), np.empty(0, np.int64)
        learner.allocate(X.shape[1], 0, np.float64)
        for start in range(0, 200, 9):
            rows = engine.admit(X[start : start + 9])
            classes = learn_labels(learner, rows, y[start : start + 9], None, classes)
        assert (learner.lists is not None) == on
        entries = learner.entries() if on else None
        assert entries is None or all(np.all(np.diff(part) > 0) for part in np.split(entries.classes, entries.starts))
        results.append([classes, learner.read(), learner.read("last"), learner.tally.values, *learner.margin_bounds])
    assert_same(*results)


def test_one_row_of_names_at_a_time(lists):
    rng = np.random.default_rng(0)
    stream = [({f"w{j}": float(v) for j, v in zip(rng.integers(0, 60, 8), rng.random(8))}, rng.integers(0, 9))
              for _ in range(150)]  # fmt: skip
    results = []
    for on in (True, False):
        lists(on)
        est, told = rb.AveragedPerceptron(), []
        for x, y in stream:
            if est.__dict__.get("_learner") is not None and len(est.classes_) > 2:
                told.append(
                    est.decision_function_one(x) if hasattr(est, "decision_function_one") else est.predict_one(x)
                )
            est.learn_one(x, int(y))
        assert (est._learner.lists is not None) == on
        results.append([est.coef_, est.intercept_, est._learner.tally.values, [repr(one) for one in told]])
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_pickle_and_a_copy_stand_for_themselves(lists):
    X, y = problem()
    est = rb.AveragedPerceptron(max_iter=3, random_state=0).fit(X, y)
    before = est.coef_
    for other in (pickle.loads(pickle.dumps(est)), copy.deepcopy(est), copy.copy(est)):
        same_bits(other.coef_, before)
        other.partial_fit(*problem(seed=3))
        assert not np.array_equal(other.coef_, before)
        same_bits(est.coef_, before)
    last = est.with_readout("last")
    last.partial_fit(*problem(seed=3))
    same_bits(est.coef_, before)


def test_dense_rows_pockets_and_starting_weights_have_class_vectors_side_by_side(lists):
    X, y = problem()
    assert rb.Perceptron(max_iter=1, tol=None).fit(X.toarray(), y)._learner.lists is None
    assert rb.PocketPerceptron(max_iter=1).fit(X, y)._learner.lists is None
    assert rb.BatchPerceptron(max_iter=1).fit(X, y)._learner.lists is None
    assert rb.Perceptron(max_iter=1, tol=None).fit(X, y, coef_init=np.ones((K, 90)))._learner.lists is None
    assert rb.Perceptron(max_iter=1, tol=None).fit(X, y % 2)._learner.lists is None
    assert rb.Perceptron(max_iter=1, tol=None).fit(X, y)._learner.lists is not None


def test_memory_is_that_of_the_pairs_that_moved():
    """By the rule as it stands: 2²⁰ columns of 300 classes would take 1.3 GB."""
    rng = np.random.default_rng(0)
    X = sp.csr_matrix((rng.random(6000), rng.integers(0, 1 << 20, 6000), np.arange(0, 6001, 20)), (300, 1 << 20))
    X.sum_duplicates()
    est = rb.AveragedPerceptron(max_iter=2).fit(X, np.arange(300))
    assert est._learner.lists is not None
    assert est._learner.weights.shape == (1, 304)
    entries = est._learner.entries()
    assert X.nnz <= len(entries.classes) <= 2 * est.n_updates_ * 20
    assert len(pickle.dumps(est)) < 30e6
    assert np.mean(est.predict(X) == np.arange(300)) > 0.99


def test_weights_that_do_not_fit_into_memory_are_refused_in_one_sentence(monkeypatch, lists):
    X, y = problem()
    est = rb.AveragedPerceptron(max_iter=2).fit(X, y)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    monkeypatch.setattr(memory, "SMALL", 0)
    one_sentence(lambda: est.coef_, MemoryError, "90 features", "11 classes")
    assert est.predict(X).shape == y.shape


# ---- model files -------------------------------------------------------------------------------------------------


def save(path):
    """A model whose file has lists."""
    X, y = problem(d=2000, density=0.005)
    rb.AveragedPerceptron(max_iter=2, random_state=0).fit(X, y).save(path)
    assert "weight_lists" in container.read(path)[1]


def test_rows_with_the_same_weights_share_a_list(lists, tmp_path):
    """n-grams that were met in one text alone move with it."""
    X = sp.csr_matrix(np.repeat(np.eye(30), 20, axis=1))
    est = rb.AveragedPerceptron(max_iter=3, random_state=0).fit(X, np.arange(30))
    est.save(tmp_path / "m")
    tensors = container.read(tmp_path / "m")[1]
    assert len(tensors["weight_rows"]) == 601
    assert len(tensors["list_sizes"]) <= 31
    assert tensors["list_classes"].dtype == np.uint8
    same_bits(rb.load(tmp_path / "m").coef_, est.coef_)


def swapped(array):
    array = array.copy()
    array[[0, 1]] = array[[1, 0]]
    return array


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("weight_rows", lambda a: a[::-1]),
        ("weight_rows", lambda a: a + 2000),
        ("weight_rows", lambda a: a[1:]),
        ("weight_rows", lambda a: a.astype(np.int64)),
        ("weight_lists", lambda a: a - 1),
        ("weight_lists", lambda a: a + 1),
        ("weight_lists", lambda a: a[1:]),
        ("weight_lists", lambda a: a.astype(np.float64)),
        ("list_sizes", lambda a: a[1:]),
        ("list_sizes", lambda a: np.where(np.arange(len(a)) == 3, 0, a).astype(a.dtype)),
        ("list_sizes", lambda a: np.where(np.arange(len(a)) == 3, 200, a).astype(a.dtype)),
        ("list_classes", swapped),
        ("list_classes", lambda a: a * 0),
        ("list_classes", lambda a: a + K),
        ("list_classes", lambda a: a.astype(np.int32)),
        ("weights", lambda a: a[1:]),
        ("weights", lambda a: a * np.nan),
        ("weights", lambda a: a.astype(np.float32)),
        ("weights", lambda a: a[:, None]),
        ("total", lambda a: a[:-1]),
        ("total", lambda a: a.astype(np.float32)),
    ],
)
@pytest.mark.parametrize("on", [True, False])
def test_forged_lists_are_refused(name, change, on, lists, tmp_path):
    path = tmp_path / "model"
    save(path)
    lists(on)
    rewritten(path, change_tensors=lambda t: t.update({name: np.ascontiguousarray(change(t[name]))}))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


@pytest.mark.parametrize("name", ["weight_rows", "weight_lists", "list_sizes", "list_classes", "weights", "total"])
def test_missing_parts_of_lists_are_refused(name, lists, tmp_path):
    path = tmp_path / "model"
    save(path)
    rewritten(path, change_tensors=lambda t: t.pop(name))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


def test_one_long_list_of_very_many_rows_is_refused_before_memory_is_taken(monkeypatch, lists, tmp_path):
    path = tmp_path / "model"
    save(path)
    monkeypatch.setattr(memory, "available", lambda: 100_000)
    monkeypatch.setattr(memory, "SMALL", 0)

    def forge(tensors):
        tensors.update(
            weight_rows=np.arange(2001, dtype=np.int32), weight_lists=np.zeros(2001, np.int32),
            list_sizes=np.full(1, K, np.uint8), list_classes=np.arange(K, dtype=np.uint8), weights=np.ones(K),
            total=np.ones(K),
        )  # fmt: skip

    rewritten(path, change_tensors=forge)
    one_sentence(lambda: rb.load(path), ModelFileError, "more memory than there is")


# ---- the border of the native core -------------------------------------------------------------------------------


def entries(starts=(0, 2, 3), classes=(0, 2, 1), values=(1.0, 2.0, 3.0), total=None):
    return np.array(starts, np.int64), np.array(classes, np.int32), np.array(values), total


@pytest.mark.parametrize(
    "wrong",
    [
        {"starts": (0, 3, 2)}, {"starts": (0, 2, 4)}, {"starts": (-1, 2, 3)}, {"starts": ()}, {"classes": (0, 3, 1)},
        {"classes": (0, -1, 1)}, {"classes": (2, 0, 1)}, {"classes": (1, 1, 1)}, {"values": (1.0,)},
        {"total": np.zeros(2)}, {"total": np.zeros(3, np.float32)},
    ],
)  # fmt: skip
def test_lists_of_arrays_that_do_not_fit_are_refused(wrong):
    engine.ClassLists.of(3, *entries())
    with pytest.raises(ValueError, match=r"."):
        engine.ClassLists.of(3, *entries(**wrong))


def test_lists_and_the_rest_of_a_model_fit_together():
    def model(lists, **options):
        given = {"form": "multiclass", "weights": np.zeros((1, 4)), "n_vectors": 3, "lists": lists}
        return engine.Model(**given | options)

    lists = engine.ClassLists.of(3, *entries())
    out = np.zeros((1, 3))
    wide, rows = engine.admit(sp.csr_matrix(np.ones((1, 3)))).view, engine.admit(sp.csr_matrix(np.ones((1, 2)))).view
    dense = engine.admit(np.ones((1, 2))).view
    made = model(lists)
    engine.score(rows=rows, model=made, out=out)
    assert out.tolist() == [[1, 3, 2]]
    for wrong in (
        lambda: model(lists, n_vectors=4),
        lambda: model(lists, weights=np.zeros((1, 4), np.float32)),
        lambda: model(lists, total=np.zeros((1, 4))),
        lambda: model(lists, gradient=np.zeros((1, 4))),
        lambda: engine.score(rows=wide, model=made, out=out),
        lambda: engine.score(rows=dense, model=made, out=out),
        lambda: lists.add_class(4),
        lambda: lists.add_class(-1),
        lambda: lists.average(3),
        lambda: engine.ClassLists(1, True, False),
    ):
        with pytest.raises(ValueError, match=r"."):
            wrong()
    lists.add_class(1)  # the model was made for three
    with pytest.raises(ValueError, match="other classes"):
        engine.score(rows=rows, model=made, out=out)
    assert lists.entries()[1].tolist() == [0, 3, 2]
    assert lists.entries(np.array([7, 1, -1]))[0].tolist() == [0, 0, 1, 1]


# ---- by the command ----------------------------------------------------------------------------------------------


def test_the_command_trains_explains_and_predicts_many_classes(tmp_path, capsys):
    rng = np.random.default_rng(0)
    lines = [f"c{c:03d},w{c} v{c} u{rng.integers(50)}\n" for c in rng.permutation(np.repeat(np.arange(260), 2))]
    (tmp_path / "t.csv").write_text("label,text\n" + "".join(lines))
    models = [tmp_path / "memory.model", tmp_path / "stream.model"]
    for model, more in zip(models, ((), ("--stream", "--block-rows", "50"))):
        assert (
            cli.main(
                ["train", str(tmp_path / "t.csv"), "-o", str(model), "--text", "text", "--bits", "20", "-q", *more]
            )
            == 0
        )
        assert model.stat().st_size < 500_000
        assert model_files.read(model).learner.lists is not None
        assert cli.main(["evaluate", str(model), str(tmp_path / "t.csv"), "--json"]) == 0
    capsys.readouterr()
    assert cli.main(["explain", str(models[0]), "w7 v7"]) == 0
    assert "predicted c007" in capsys.readouterr().out
    assert cli.main(["explain", str(models[0]), "--top", "2"]) == 0
    assert "for c099" in capsys.readouterr().out
    assert cli.main(["inspect", str(models[0])]) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_thousands_of_classes_take_little_memory(tmp_path):
    rng = np.random.default_rng(0)
    labels = np.concatenate((np.arange(2000), rng.integers(0, 2000, 500)))
    texts = (f"c{c},k{c} l{c} {' '.join(f'w{i}' for i in rng.integers(0, 300, 10))}\n" for c in labels)
    (tmp_path / "t.csv").write_text("label,text\n" + "".join(texts))
    program = (
        "from rosenblatt.cli import main\n"
        "main(['train', 't.csv', '-o', 'm', '--text', 'text', '-q'])\n"
        "print(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 450
    assert (tmp_path / "m").stat().st_size < 10e6
