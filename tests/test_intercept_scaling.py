"""The constant feature whose weight is the bias: it counts in every step, norm and bound."""

import math

import numpy as np
import pytest
from problems import SEARCH, best_margin, signed

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.core import rules

RULES = [
    rules.Perceptron(),
    rules.Perceptron(margin=0.5),
    rules.PA1(C=0.3),
    rules.PA2(),
    rules.MIRA(),
    rules.NormMIRA(),
]
SCALES = [0.125, 0.5, 4.0]


def problem(k, seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (n, 4)) / 8
    y = np.argmax(X @ rng.standard_normal((4, k)) + rng.standard_normal(k) / 4, axis=1)
    assert len(np.unique(y)) == k
    return X, y


def with_column(X, value):
    return np.hstack((X, np.full((len(X), 1), value)))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize(("k", "share"), [(2, "max"), (3, "max"), (3, "ovr")])
def test_it_is_a_column_of_that_value(rule, k, share, scale):
    if share not in rule.shares:
        pytest.skip("not of this rule")
    X, y = problem(k)
    options = {"rule": rule, "multiclass": share, "readout": "averaged", "random_state": 0, "max_iter": 6}
    model = rb.OnlineClassifier(**options, intercept_scaling=scale).fit(X, y)
    column = rb.OnlineClassifier(**options, fit_intercept=False).fit(with_column(X, scale), y)
    assert model.mistakes_.tolist() == column.mistakes_.tolist()
    np.testing.assert_allclose(model.coef_, column.coef_[:, :-1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, scale * column.coef_[:, -1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.margin_bounds_, column.margin_bounds_, rtol=1e-9)


@pytest.mark.parametrize("scale", [0.03, 0.5, 20.0])
@pytest.mark.filterwarnings("ignore:.*undecided")
@pytest.mark.parametrize("kind", [rb.Perceptron, rb.BatchPerceptron, rb.PassiveAggressiveClassifier])
def test_the_bounds_are_of_rows_with_that_constant(kind, scale):
    X, y = problem(2, seed=2)
    least, most = best_margin(signed(with_column(X, scale), 2 * y - 1))
    for dtype in (np.float64, np.float32):
        options = {} if kind is rb.BatchPerceptron else {"random_state": 0}
        model = kind(**SEARCH, **options, intercept_scaling=scale).fit(X.astype(dtype), y)
        low, high = model.margin_bounds_
        assert low <= most * (1 + 1e-6)
        assert high >= least * (1 - 1e-6)
        if model.verdict_ == "separated":
            shown = shown_margin(model, X, y, scale)
            assert low <= shown * (1 + 1e-6)
            if dtype is np.float64:  # float32 leaves room for its rounding
                assert np.isclose(low, shown, rtol=1e-9)


def shown_margin(model, X, y, scale):
    last = model.with_readout("last")
    length = math.hypot(*last.coef_.ravel(), float(last.intercept_[0]) / scale)
    return float(np.min((2 * y - 1) * last.decision_function(X))) / length


def test_a_regression_too():
    X, _ = problem(2)
    y = X @ [1.0, 2.0, -1.0, 0.5] + 3
    model = rb.PassiveAggressiveRegressor(intercept_scaling=0.5, random_state=0).fit(X, y)
    column = rb.PassiveAggressiveRegressor(fit_intercept=False, random_state=0).fit(with_column(X, 0.5), y)
    np.testing.assert_allclose(model.predict(X), column.predict(with_column(X, 0.5)), rtol=1e-9)


def test_one_is_what_it_was_and_without_a_bias_it_is_nothing():
    X, y = problem(3)
    for options in ({}, {"fit_intercept": False}):
        plain = rb.Perceptron(random_state=0, max_iter=5, tol=None, **options).fit(X, y)
        other = rb.Perceptron(
            random_state=0, max_iter=5, tol=None, intercept_scaling=7.0 if options else 1, **options
        ).fit(X, y)
        assert plain.coef_.tobytes() == other.coef_.tobytes()
        assert plain.margin_bounds_ == other.margin_bounds_


def test_a_trace_and_a_mistake_bound_go_by_it():
    X, y = problem(2, seed=2, n=12)
    options = {"shuffle": False, "max_iter": 500}
    model, column = rb.Perceptron(intercept_scaling=0.5, **options), rb.Perceptron(fit_intercept=False, **options)
    wide = with_column(X, 0.5)
    u = rb.separability(wide, y, fit_intercept=False)
    assert u.separable
    separator = (u.w[:-1], 0.5 * u.w[-1])
    for exact in (False, True):
        run = rb.trace(model, X, y, exact=exact, separator=separator)
        same = rb.trace(column, wide, y, exact=exact, separator=u.w)
        assert [step.row for step in run if step.moved] == [step.row for step in same if step.moved]
        assert [float(step.norm2) for step in run] == pytest.approx([float(step.norm2) for step in same])
        assert float(run.bound) == pytest.approx(float(same.bound))
        assert run.margin_bounds == pytest.approx(same.margin_bounds)
        assert "(x, 0.5)" in " ".join(run.proved)
        assert "‖(w, b/0.5)‖" in str(rb.trace(model, X, y, exact=exact))
    told = rb.mistake_bound(X, y, *separator, estimator=model.fit(X, y))
    assert float(told) == pytest.approx(float(rb.mistake_bound(wide, y, u.w, estimator=column.fit(wide, y))))
    assert "the longest vector (x, 0.5)" in str(told)


def test_a_file_goes_on_with_it(tmp_path):
    X, y = problem(2)
    model = rb.AveragedPerceptron(intercept_scaling=0.25).partial_fit(X[:30], y[:30])
    model.save(tmp_path / "m")
    loaded = rb.load(tmp_path / "m")
    assert loaded.intercept_scaling == 0.25
    for one in (model, loaded):
        one.partial_fit(X[30:], y[30:])
    assert model.intercept_.tobytes() == loaded.intercept_.tobytes()
    assert model.margin_bounds_ == loaded.margin_bounds_


@pytest.mark.parametrize("value", [0, -1.0, math.inf, math.nan, "1", None, True, 1e-10, 1e10], ids=repr)
def test_what_it_cannot_be(value):
    with pytest.raises(ValueError, match="intercept_scaling must be a number between 1e-9 and 1e9"):
        rb.Perceptron(intercept_scaling=value).fit(*problem(2))


def test_kernels_add_their_own_constant(tmp_path, capsys):
    with pytest.raises(TypeError, match="intercept_scaling"):
        rb.KernelPerceptron(intercept_scaling=0.5)
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{i % 2} 1:{i % 2 + 0.5} 2:{i % 3}\n" for i in range(20)))
    command = ["train", str(path), "-o", str(tmp_path / "m"), "--intercept-scaling", "0.5", "-q"]
    assert cli.main([*command, "-a", "kernel"]) == 1
    assert "--intercept-scaling does not go with --algorithm kernel" in capsys.readouterr().err
    assert cli.main([*command, "-a", "perceptron"]) == 0
    assert rb.load(tmp_path / "m")._learner.intercept_scaling == 0.5


def test_the_slow_bias_of_scikit_learn_on_sparse_rows():
    from scipy import sparse
    from sklearn.linear_model import Perceptron

    X, y = problem(2, seed=3)
    theirs = Perceptron(shuffle=False, tol=None, max_iter=4).fit(sparse.csr_matrix(X), y)
    ours = rb.Perceptron(shuffle=False, tol=None, max_iter=4, intercept_scaling=0.1).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-12)
