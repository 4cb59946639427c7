"""Defaults that serve what an estimator is for: how long a run goes on, and what ends it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from rosenblatt.core import engine, rules

PROOFS = (rb.Perceptron, rb.PocketPerceptron, rb.BatchPerceptron)
MODELS = (rb.AveragedPerceptron, rb.PassiveAggressiveClassifier, rb.MIRA, rb.OnlineClassifier, rb.KernelPerceptron)


@pytest.mark.parametrize("kind", [*PROOFS, *MODELS, rb.VotedPerceptron], ids=lambda kind: kind.__name__)
def test_who_looks_for_a_proof(kind):
    wanted = (1000, 1e-4) if kind in PROOFS else (10, None)
    assert (kind().max_iter, kind().tol) == wanted
    assert f"max_iter : int, default={wanted[0]}\n" in kind.__doc__
    assert f"tol : float or None, default={wanted[1]}\n" in kind.__doc__


def test_no_margin_ends_no_run_before_its_tenth_pass():
    words, mood = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], [1, -1, -1, 1]
    model = rb.Perceptron(shuffle=False).fit(words, mood)  # whose weights come back to zero in the first pass
    assert (model.verdict_, model.n_iter_, model.margin_bounds_[1] < 1e-12) == ("no margin", 10, True)
    short = rb.Perceptron(shuffle=False, max_iter=3).fit(words, mood)
    assert (short.verdict_, short.n_iter_) == ("no margin", 3)  # it is known by then, and so it is said


# ---- equal rows with different labels --------------------------------------------------------------------------------


def conflicting(n=40, d=5, classes=2, seed=0, first=7, second=30):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) + rng.random((n, d)) / 4
    y = rng.integers(0, classes, n)
    X[second], y[second] = X[first], (y[first] + 1) % classes
    return X, y


def stored_zeros(X):
    """CSR that stores every zero, and some as −0."""
    csr = sparse.csr_array(np.ones_like(X))
    csr.data[:] = X.ravel()
    csr.data[::2] = np.where(csr.data[::2] == 0, -0.0, csr.data[::2])
    return csr


CONTAINERS = {
    "dense": np.asarray, "float32": lambda X: X.astype(np.float32), "csr": sparse.csr_array,
    "csc": sparse.csc_array, "stored zeros": stored_zeros, "negative zeros": lambda X: np.where(X == 0, -0.0, X),
}  # fmt: skip


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize(("classes", "share"), [(2, "max"), (3, "max"), (3, "ovr")])
@pytest.mark.parametrize("ties", ["mistake", "predict"])
def test_equal_rows_end_the_search(container, classes, share, ties):
    X, y = conflicting(classes=classes)
    X[:, 0] = 0.0
    model = rb.Perceptron(random_state=0, multiclass=share, ties=ties).fit(container(X), y)
    assert (model.verdict_, model.n_iter_, model.equal_rows_) == ("no margin", 10, (7, 30))
    assert model.margin_bounds_[1] == 0.0


def test_zeros_of_either_sign_stored_or_not_are_zeros():
    X = np.array([[1.0, 0.0], [1.0, -0.0], [2.0, 1.0]])
    assert engine.equal_rows(rows=engine.DenseRows(X), targets=np.array([0, 1, 0], np.int8)) == (0, 1)
    stored = engine.CsrRows(
        *(np.array(part, np.int32) for part in ([0, 2, 3], [0, 1, 0])), np.array([1.0, 0.0, 1.0]), 2
    )
    assert engine.equal_rows(rows=stored, targets=np.array([0, 1], np.int8)) == (0, 1)


def test_equal_rows_of_one_label_prove_nothing():
    X, y = conflicting()
    y[30] = y[7]
    model = rb.Perceptron(random_state=0, max_iter=12)
    with pytest.warns(UserWarning, match="undecided"):
        assert model.fit(X, y).equal_rows_ is None
    assert model.verdict_ == "stopped"


def test_rows_without_weight_are_not_there():
    X, y = conflicting()
    weight = np.ones(len(y))
    weight[30] = 0
    with pytest.warns(UserWarning, match="undecided"):
        assert rb.Perceptron(random_state=0, max_iter=12).fit(X, y, sample_weight=weight).equal_rows_ is None
    weight[30], weight[:5] = 0.5, 0
    assert rb.Perceptron(random_state=0, max_iter=12).fit(X, y, sample_weight=weight).equal_rows_ == (7, 30)


def test_who_does_not_look():
    X, y = conflicting()
    assert rb.Perceptron(tol=None, max_iter=12).fit(X, y).equal_rows_ is None
    stream = rb.Perceptron().partial_fit(X, y)
    assert stream.equal_rows_ is None
    rb.PassiveAggressiveRegressor().fit(X, y.astype(float))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [rb.Perceptron, rb.KernelPerceptron])
def test_early_stopping_looks_at_the_rows_that_are_learned_from(kind, weighted):
    X, y = conflicting()
    weight = np.ones(len(y))
    weight[:5] = 0  # so that rows of a part have other numbers than those of the whole
    ends = set()
    for seed in range(12):
        model = kind(random_state=seed, early_stopping=True, n_iter_no_change=20, max_iter=14, tol=1e-4)
        model.fit(X, y, sample_weight=weight if weighted else None)
        assert (model.margin_bounds_[1] == 0.0) == (model.equal_rows_ is not None) == (model.verdict_ == "no margin")
        ends.add((model.n_iter_, model.equal_rows_) if model.verdict_ == "no margin" else None)
    assert ends == {(10, (7, 30)), None}  # held out is none of the two, or one


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_equal_rows_in_kernel_space(kernel):
    X, y = conflicting()
    for container in (np.asarray, sparse.csr_array):
        model = rb.KernelPerceptron(kernel=kernel, tol=1e-4, random_state=0, max_iter=20).fit(container(X), y)
        assert (model.verdict_, model.equal_rows_, model.margin_bounds_[1]) == ("no margin", (7, 30), 0.0)
    function = rb.KernelPerceptron(kernel=lambda A, B: A @ B.T, tol=0, random_state=0, max_iter=12)
    with pytest.warns(UserWarning, match="undecided"):
        assert function.fit(X, y).equal_rows_ is None  # nothing is known of it


def test_a_file_keeps_the_two_rows(tmp_path):
    model = rb.Perceptron(random_state=0).fit(*conflicting())
    model.save(tmp_path / "m")
    loaded = rb.load(tmp_path / "m")
    assert (loaded.equal_rows_, loaded.margin_bounds_, loaded.verdict_) == ((7, 30), model.margin_bounds_, "no margin")


def test_a_trace_ends_as_the_fit_does():
    X, y = conflicting(n=12, d=2, first=2, second=9)
    model = rb.Perceptron(shuffle=False).fit(X, y)
    for run in (rb.trace(rb.Perceptron(shuffle=False), X, y), rb.trace(rb.Perceptron(shuffle=False), X, y, exact=True)):
        assert (run.verdict, run.n_iter, run.margin_bounds[1]) == ("no margin", model.n_iter_, 0.0)
        assert "rows 2 and 9 are equal and have different labels" in run.proved[0]


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1), st.integers(0, 2)), min_size=1, max_size=12),
    numbers=st.data(),
)
def test_the_first_two_equal_rows_are_found(rows, numbers):
    order = numbers.draw(st.permutations(range(len(rows))))
    y = np.array([label for label, *_ in rows], np.int8)
    X = np.array([row for _, *row in rows], float)
    wanted = next(
        ((i, j) for n, j in enumerate(order) for i in order[:n] if y[i] != y[j] and (X[i] == X[j]).all()), None
    )
    places = np.array(order, np.int32)
    for view in (engine.DenseRows(X), engine.csr(sparse.csr_array(X))):
        found = engine.equal_rows(rows=view, targets=y, order=places)
        assert (found is None) == (wanted is None)
        if found is not None:
            assert found[1] == wanted[1]
            assert (X[found[0]] == X[found[1]]).all()
            assert y[found[0]] != y[found[1]]


# ---- the pocket of a run that separates ------------------------------------------------------------------------------


@pytest.mark.parametrize("ratchet", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_a_separated_run_leaves_its_separator_in_the_pocket(ratchet, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0.1).astype(int)
    for rule in (rules.Perceptron(), rules.PA1(C=0.1)):
        linear = rb.OnlineClassifier(rule=rule, readout="pocket", ratchet=ratchet, max_iter=2000, random_state=seed)
        kernel = rb.KernelPerceptron(kernel="linear", rule=rule, readout="pocket", max_iter=2000, random_state=seed)
        for model in (linear, kernel):
            assert model.fit(X, y).verdict_ == "separated"
            assert model.score(X, y) == 1
            last = model.with_readout("last")
            assert np.array_equal(model.decision_function(X), last.decision_function(X))


# ---- streams with the classes named in each call ---------------------------------------------------------------------


@pytest.mark.parametrize("classes", [[0, 1], [1, 0], (0, 1), np.array([0, 1])], ids=str)
def test_known_classes_cost_no_look(classes, monkeypatch):
    X, y = conflicting()
    plain, named = rb.Perceptron(), rb.Perceptron()
    for model in (plain, named):
        model.partial_fit(X[:2], [0, 1])
    look = rb.Perceptron._partial_fit
    monkeypatch.setattr(rb.Perceptron, "_partial_fit", None)  # the way of everything that has to be looked at
    for i in range(2, len(y)):
        plain.partial_fit(X[i : i + 1], y[i : i + 1])
        named.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes)
    assert np.array_equal(plain.coef_, named.coef_)
    monkeypatch.setattr(rb.Perceptron, "_partial_fit", look)
    for asked, label in ((classes, 2), ([0], 1), ([0, 2], 1), ([0, 0], 1)):
        with pytest.raises(ValueError, match="not among classes="):
            named.partial_fit(X[:1], [label], classes=asked)
    assert named.partial_fit(X[:1], [2], classes=[0, 1, 2]).classes_.tolist() == [0, 1, 2]


# ---- what scikit-learn's estimators take -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*PROOFS, *MODELS, rb.VotedPerceptron], ids=lambda kind: kind.__name__)
def test_jobs_are_taken_and_change_nothing(kind):
    X, y = conflicting(classes=3)
    options = {"multiclass": "max", "random_state": 0, "max_iter": 2, "tol": None}
    one, two = (kind(**options, n_jobs=n).fit(X, y) for n in (None, 2))
    assert np.array_equal(one.decision_function(X), two.decision_function(X))
    for wrong in (0, 1.5, "all", True):
        with pytest.raises(ValueError, match="n_jobs must be None or a whole number other than 0"):
            kind(n_jobs=wrong).fit(X, y)
