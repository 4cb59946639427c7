"""Very many features of which few are used: memory grows with those, and every bit is what it would be otherwise."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt import model_files
from rosenblatt.core import memory, weights
from rosenblatt.core.places import Places

WIDTH = 60_000

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def sparse_rows(n_rows=80, width=WIDTH, n_used=50, seed=0, dtype=np.float64):
    """Rows over few columns, some of them neighbours, the others far apart."""
    rng = np.random.default_rng(seed)
    used = np.sort(np.concatenate((rng.choice(width, n_used, replace=False), np.arange(100, 120), [width - 1])))
    dense = rng.standard_normal((n_rows, len(used))) * (rng.random((n_rows, len(used))) < 0.2)
    found = sp.csr_matrix(dense.astype(dtype))
    return sp.csr_matrix((found.data, np.unique(used)[: found.shape[1]][found.indices], found.indptr), (n_rows, width))


def labels_for(X, k, seed=1):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, X.shape[0])


@pytest.fixture
def wide(monkeypatch):
    """Keep rows for the features that were met alone, from now on."""

    def switch(on):
        monkeypatch.setattr(weights, "WIDE", 1 << 10 if on else 1 << 60)

    return switch


ESTIMATORS = {
    "last": (rb.Perceptron(max_iter=4, tol=None, random_state=0), 2),
    "averaged": (rb.AveragedPerceptron(max_iter=4, random_state=0), 2),
    "pocket": (rb.PocketPerceptron(max_iter=4, random_state=0), 2),
    "batch": (rb.BatchPerceptron(max_iter=4, random_state=0), 2),
    "PA": (rb.PassiveAggressiveClassifier(max_iter=4, random_state=0, average=True), 2),
    "several classes": (rb.AveragedPerceptron(max_iter=4, random_state=0), 5),
    "one against the rest": (rb.Perceptron(max_iter=4, tol=None, multiclass="ovr", random_state=0), 3),
    "MIRA": (rb.MIRA(max_iter=4, random_state=0), 5),
    "pocket of several": (rb.PocketPerceptron(max_iter=4, random_state=0), 4),
    "early stopping": (rb.AveragedPerceptron(max_iter=8, early_stopping=True, random_state=0), 3),
    "no bias": (rb.AveragedPerceptron(max_iter=4, fit_intercept=False, random_state=0), 2),
    "regression": (rb.PassiveAggressiveRegressor(max_iter=4, random_state=0), None),
}


def told_of(est, X):
    """All that a fitted estimator says."""
    score = est.decision_function if hasattr(est, "decision_function") else est.predict
    found = [est.coef_, est.intercept_, score(X), score(X.toarray()), est.n_updates_]
    if hasattr(est, "margin_bounds_"):
        found += [est.margin_bounds_, est.mistakes_, est.verdict_]
    return found


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.diagonal
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_bits_are_those_of_a_weight_for_every_feature(name, dtype, wide, tmp_path):
    est, k = ESTIMATORS[name]
    X, unseen = sparse_rows(dtype=dtype), sparse_rows(seed=5, dtype=dtype)
    y = np.asarray(X.sum(axis=1)).ravel() if k is None else labels_for(X, k)
    est.set_params(warm_start=False)
    results = {}
    for on in (True, False):
        wide(on)
        fitted = copy.deepcopy(est).fit(X, y)
        assert (fitted._learner.places is not None) == on
        found = told_of(fitted, unseen)
        fitted.save(tmp_path / f"{on}.model")
        found += told_of(rb.load(tmp_path / f"{on}.model"), unseen)
        fitted.set_params(warm_start=True)
        found += told_of(fitted.fit(X, y), unseen)
        if name not in ("batch", "early stopping"):
            going_on = rb.load(tmp_path / f"{on}.model")
            going_on.partial_fit(unseen, y)
            found += told_of(going_on, unseen)
            going_on.save(tmp_path / f"{on}.on.model")
        results[on] = found
    assert_same(results[True], results[False])
    for which in ("", ".on"):
        if (tmp_path / f"True{which}.model").exists():
            files = [(tmp_path / f"{on}{which}.model").read_bytes() for on in (True, False)]
            assert files[0] == files[1]


@pytest.mark.parametrize("k", [2, 5])
def test_a_stream_meets_features_and_classes_as_it_goes(k, wide):
    X = sparse_rows(n_rows=120)
    y = np.sort(labels_for(X, k))  # a class comes when the one before has gone
    results = []
    for on in (True, False):
        wide(on)
        est = rb.AveragedPerceptron()
        for start in range(0, 120, 7):
            est.partial_fit(X[start : start + 7], y[start : start + 7])
        assert (est._learner.places is not None) == on
        results.append(told_of(est, X))
    assert_same(*results)


def test_a_pickle_and_a_copy_stand_for_themselves(wide):
    wide(True)
    X = sparse_rows()
    est = rb.AveragedPerceptron(max_iter=3, random_state=0).fit(X, labels_for(X, 2))
    other = pickle.loads(pickle.dumps(est))
    before = est.decision_function(X)
    other.partial_fit(sparse_rows(seed=9), labels_for(X, 2))
    np.testing.assert_array_equal(est.decision_function(X), before)
    assert len(other._learner.places) > len(est._learner.places)


def test_a_model_that_is_mapped_from_a_file_predicts_and_learns_on(wide, tmp_path):
    joblib = pytest.importorskip("joblib")
    wide(True)
    X = sparse_rows()
    y = labels_for(X, 2)
    est = rb.AveragedPerceptron(max_iter=3, random_state=0).fit(X, y)
    joblib.dump(est, tmp_path / "m")
    mapped = joblib.load(tmp_path / "m", mmap_mode="r")
    np.testing.assert_array_equal(mapped.decision_function(X), est.decision_function(X))
    more = sparse_rows(seed=9)
    np.testing.assert_array_equal(mapped.partial_fit(more, y).coef_, est.partial_fit(more, y).coef_)


def test_rows_that_use_most_features_get_a_weight_for_each(wide):
    wide(True)
    X = sp.random(200, 3000, density=0.1, format="csr", random_state=0)
    est = rb.AveragedPerceptron(max_iter=2, random_state=0).fit(X, labels_for(X, 2))
    assert est._learner.places is None
    wide(False)
    np.testing.assert_array_equal(
        est.coef_, rb.AveragedPerceptron(max_iter=2, random_state=0).fit(X, labels_for(X, 2)).coef_
    )


def test_a_stream_that_turns_wide_goes_on(wide, tmp_path):
    """svmlight files are as wide as the largest index so far."""
    (tmp_path / "a.svm").write_text("1 1:1 3:2\n-1 2:1 5:3\n" * 4 + "1 1:1 90000:2\n-1 2:1 89990:3\n" * 4)
    results = []
    for on in (True, False):
        wide(on)
        model = tmp_path / f"{on}.model"
        assert _main("train", tmp_path / "a.svm", "-o", model, "--stream", "--block-rows", "3", "-q") == 0
        learner = model_files.read(model).learner
        assert (learner.places is not None) == on
        results.append([learner.read(), learner.margin_bounds, learner.mistakes])
    assert_same(*results)


@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize(
    ("n_features", "below"), [(1 << 40, 1 << 40), (200_000, 200_000), (100, 200_000), (100, 1 << 40)]
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_features_get_the_next_place_of_their_lane(n_features, below, n_threads, dtype):
    """By their numbers, by their hashes, and where more come than were expected."""
    rng = np.random.default_rng(0)
    features = rng.integers(0, min(below, np.iinfo(dtype).max), 80_000).astype(dtype)
    held = Places(n_features)
    met = {}
    free = [16 + lane for lane in range(16)]
    for j in features.tolist():
        if j not in met:
            met[j] = free[j % 16]
            free[j % 16] += 16
    expected = np.array([met[j] for j in features.tolist()])
    for part in np.array_split(features, 3):  # as blocks come
        assert held.add(part, 1 << 40, n_threads) is not None
    places = held.places(features, n_threads)
    assert places.dtype == dtype
    np.testing.assert_array_equal(places, expected)
    assert len(held) == max(free) // 16 * 16
    never = np.setdiff1d(np.arange(100), features)
    np.testing.assert_array_equal(held.places(never), never % 16)
    np.testing.assert_array_equal(held.features(), np.unique(features))
    np.testing.assert_array_equal(held.places(held.features()), held.places_in_order())
    by_place = held.by_place()
    np.testing.assert_array_equal(by_place[expected], features)
    assert set(by_place[:16]) == {-1}
    assert np.count_nonzero(by_place >= 0) == len(met) == held.count


@pytest.mark.parametrize("n_features", [1 << 30, 200_000])
def test_places_are_taken_back_and_copied(n_features):
    features = np.random.default_rng(0).integers(0, 200_000, 5000)
    held = Places(n_features)
    places = held.add(features, 1 << 40)
    fewer = held.within(16 * 100)
    firsts = features[np.sort(np.unique(features, return_index=True)[1])]  # in the order they were met
    assert len(fewer) <= 16 * 100
    assert fewer.count < held.count == len(firsts)
    np.testing.assert_array_equal(fewer.features(), np.sort(firsts[: fewer.count]))
    following = firsts[fewer.count]
    assert np.count_nonzero(firsts[: fewer.count] % 16 == following % 16) == 99  # its lane is full
    np.testing.assert_array_equal(fewer.places(firsts[: fewer.count]), held.places(firsts[: fewer.count]))
    assert fewer.places(firsts[fewer.count :]).max() < 16
    assert held.add(features, 16 * 100) is None
    held.rest()
    for same in (held, copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        np.testing.assert_array_equal(same.places(features), places)
        np.testing.assert_array_equal(same.add(features, 1 << 40), places)


FILE = "1 1:1 {far}:2\n{second} 2:1 5:3\n1 3:1 {near}:1\n"


#: Memory that a process has had at most, in MB: getrusage would count its parent's before it was another program.
MOST_USED = "most = int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) // 1024\n"


def _main(*arguments):
    from rosenblatt.cli import main

    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as ended:
        return ended.code


def _in_little_memory(folder, *commands):
    """Each command in a process that may have 1 GB of address space; the largest that one of them was, in MB."""
    program = (
        "import json, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "from rosenblatt.cli import main\n"
        "for command in json.loads(sys.argv[1]):\n"
        "    try: code = main(command)\n"
        "    except SystemExit as ended: code = ended.code\n"
        "    assert not code, command\n"
        f"{MOST_USED}"
        "print(most, file=sys.stderr)\n"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps([list(map(str, command)) for command in commands])],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stderr.split()[-1])


@pytest.mark.diagonal
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
@pytest.mark.parametrize("algorithm", ["averaged", "pocket", "kernel"])
@pytest.mark.parametrize("far", [300_000_000, 10**18 - 1])
def test_three_lines_with_a_large_index_take_little_memory(far, algorithm, tmp_path):
    (tmp_path / "t.svm").write_text(FILE.format(far=far, near=far - 1, second=-1))
    (tmp_path / "k.svm").write_text(FILE.format(far=far, near=far - 1, second=7) + "3 2:1\n")
    used = []
    for file in ("t.svm", "k.svm"):
        used += [
            ("train", file, "-o", "m", "-q", "--algorithm", algorithm),
            ("predict", "m", file),
            ("evaluate", "m", file),
            ("explain", "m"),
            ("explain", "m", file),
            ("inspect", "m"),
            ("train", file, "-o", "m2", "--resume", "m", "-q"),
        ]
    assert _in_little_memory(tmp_path, *used) < 300


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_python_fits_predicts_saves_and_loads_a_large_index(tmp_path):
    (tmp_path / "t.svm").write_text(FILE.format(far=300_000_000, near=299_999_999, second=-1))
    program = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "import rosenblatt as rb\n"
        "data = rb.data.read('t.svm')\n"
        "for est in (rb.AveragedPerceptron(warm_start=True), rb.PocketPerceptron(), rb.KernelPerceptron()):\n"
        "    est.fit(data.X, data.y).fit(data.X, data.y)\n"
        "    est.save('m')\n"
        "    loaded = rb.load('m')\n"
        "    assert loaded.predict(data.X).tolist() == est.predict(data.X).tolist()\n"
        "    loaded.partial_fit(data.X, data.y)\n"
        f"{MOST_USED}"
        "print(most)\n"
        "est = rb.AveragedPerceptron().fit(data.X, data.y)\n"
        "try: est.coef_\n"
        "except MemoryError as error: print(error)\n"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    used, sentence = done.stdout.splitlines()
    assert int(used) < 400
    assert "weights of 300,000,000 features would take 2.4 GB" in sentence
    assert "available" in sentence


def test_a_dense_readout_that_cannot_be_is_one_sentence(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**9)
    X = sp.csr_matrix((np.ones(2), np.array([0, 10**17]), np.array([0, 1, 2])), (2, 10**17 + 1))
    est = rb.Perceptron().fit(X, [0, 1])
    assert est.predict(X).tolist() == [0, 1]
    with pytest.raises(MemoryError, match=r"100,000,000,000,000,001 features would take 800 PB, and 1 GB .* fewer"):
        est.coef_  # noqa: B018
    with pytest.raises(MemoryError, match="starting weights would take 800 PB"):
        rb.Perceptron(init="random").fit(X, [0, 1])
