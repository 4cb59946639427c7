"""scikit-learn's contract, for every public estimator: its own checks, and the ways its users combine estimators."""

import json
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from discovery import CLASSIFIERS, ESTIMATORS, LINEAR, REGRESSORS, learned, named
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_regression
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import rosenblatt as rb

undecided_is_fine = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WEIGHT_EQUIVALENCE = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}

#: Separable, so that no run ends undecided: iris without the flower that overlaps, and all of it by numbers.
IRIS = load_iris(as_frame=True)
PLAIN = IRIS.target != 2
FRAME, KIND = IRIS.data[PLAIN], IRIS.target[PLAIN].map({0: "setosa", 1: "versicolor"})
ROWS, CODES = FRAME.to_numpy(), IRIS.target[PLAIN].to_numpy()


def data_for(found):
    """A frame and targets that the estimator can learn."""
    return (FRAME, KIND) if found in CLASSIFIERS else (FRAME, FRAME["petal width (cm)"] * 2 - 1)


# ---- scikit-learn's checks ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def array_api_results():
    """What the checks say that need SCIPY_ARRAY_API set before SciPy is loaded: they run in a process of their own."""
    script = """
import json, rosenblatt as rb
from discovery import ESTIMATORS
from sklearn.utils.estimator_checks import estimator_checks_generator
results = {}
for found in ESTIMATORS:
    for estimator, check in estimator_checks_generator(found()):
        if check.func.__name__.startswith("check_array_api"):
            check(estimator)
            results.setdefault(found.__name__, []).append(check.func.__name__)
print(json.dumps(results))
"""
    env = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@undecided_is_fine
@parametrize_with_checks(
    [found() for found in ESTIMATORS], expected_failed_checks=lambda estimator: estimator._contract_exceptions
)
def test_scikit_learns_checks(estimator, check, request):
    if check.func.__name__.startswith("check_array_api"):
        passed = request.getfixturevalue("array_api_results")
        assert check.func.__name__ in passed[type(estimator).__name__]
    else:
        check(estimator)


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_the_only_exception_is_that_an_online_learner_does_not_weigh_as_it_repeats(found):
    expected = set() if found is rb.BatchPerceptron else WEIGHT_EQUIVALENCE
    assert set(found._contract_exceptions) == expected
    assert all(reason.strip() for reason in found._contract_exceptions.values())


@undecided_is_fine
@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_no_exception_is_declared_needlessly(found):
    for estimator, check in estimator_checks_generator(found()):
        if check.func.__name__ in found._contract_exceptions:
            with pytest.raises(AssertionError, match="not equivalent to fitting with removed or repeated"):
                check(estimator)


#: The longest checks: every day for a learner of each kind in linear space, where a pass takes less than with kernels.
EVERY_DAY = (rb.Perceptron, rb.PocketPerceptron, rb.BatchPerceptron, rb.PassiveAggressiveRegressor, rb.AROW)
ONE_OF_EACH_KIND = [
    pytest.param(found, id=named(found), marks=[] if found in EVERY_DAY else pytest.mark.slow) for found in ESTIMATORS
]


@undecided_is_fine
@pytest.mark.parametrize("found", ONE_OF_EACH_KIND)
def test_only_an_estimator_that_misses_a_score_says_so(found, monkeypatch):
    tags = get_tags(found())
    poor = (tags.classifier_tags or tags.regressor_tags).poor_score
    if found in CLASSIFIERS:
        monkeypatch.setattr(found, "_poor_score", False)
    missed = []
    for estimator, check in estimator_checks_generator(found()):
        if check.func.__name__ in (
            "check_classifiers_train",
            "check_class_weight_classifiers",
            "check_regressors_train",
        ):
            try:
                check(estimator)
            except AssertionError:
                missed.append(check.func.__name__)
    assert missed == (["check_class_weight_classifiers"] if poor else [])


# ---- scikit-learn's own tests of its perceptron, where both define the same thing ---------------------------------


def textbook_perceptron(X, y, passes):
    """As scikit-learn's tests write it: w += y·x and b += y wherever sign(w·x + b) is not y (so 0 is a mistake)."""
    w, b = np.zeros(X.shape[1]), 0.0
    for _ in range(passes):
        for x, label in zip(X, y):
            if np.sign(x @ w + b) != label:
                w, b = w + label * x, b + label
    return w, b


@pytest.mark.parametrize(
    "container", [np.asarray, sparse.csr_matrix, sparse.csr_array], ids=["dense", "csr", "csr array"]
)
def test_two_passes_over_iris_are_those_of_the_textbook(container):
    order = np.random.RandomState(12).permutation(len(IRIS.target))
    X, y = IRIS.data.to_numpy()[order], np.where(IRIS.target.to_numpy()[order] == 1, 1, -1)
    w, b = textbook_perceptron(X, y, passes=2)
    model = rb.Perceptron(max_iter=2, shuffle=False, tol=None).fit(container(X), y)
    np.testing.assert_allclose(model.coef_, w[None], rtol=1e-12)
    np.testing.assert_array_equal(model.intercept_, [b])


@pytest.mark.parametrize("found", CLASSIFIERS, ids=named)
@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_no_probabilities_are_promised(found, method):
    assert not hasattr(found(), method)
    assert not hasattr(found().fit(ROWS, CODES), method)


# ---- parameters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_clone_and_parameters(found):
    model = found(max_iter=7, random_state=3, fit_intercept=False)
    params = model.get_params()
    assert {name: params[name] for name in ("max_iter", "random_state", "fit_intercept")} == {
        "max_iter": 7,
        "random_state": 3,
        "fit_intercept": False,
    }
    twin = clone(model.fit(*data_for(found)))
    assert twin.get_params() == params
    assert not hasattr(twin, "coef_")
    assert not hasattr(twin, "n_iter_")
    assert twin.set_params(max_iter=9) is twin
    assert (twin.max_iter, model.max_iter) == (9, 7)
    with pytest.raises(ValueError, match="Invalid parameter 'passes'"):
        twin.set_params(passes=2)
    with pytest.raises(TypeError, match="positional"):
        found(1.0)


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_the_constructor_stores_and_does_nothing_else(found):
    odd = {name: object() for name in found().get_params()}
    assert {name: value for name, value in vars(found(**odd)).items() if name != "_lock"} == odd


# ---- pipelines, searches, other estimators over these ---------------------------------------------------------------


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_pipeline_of_frames(found):
    X, y = data_for(found)
    pipeline = make_pipeline(StandardScaler(), found(random_state=0)).set_output(transform="pandas").fit(X, y)
    last = pipeline[-1]
    assert list(last.feature_names_in_) == list(X.columns)
    by_hand = found(random_state=0).fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(learned(last), learned(by_hand))
    np.testing.assert_array_equal(pipeline.predict(X), by_hand.predict(StandardScaler().fit_transform(X)))


@undecided_is_fine
@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_grid_search_refits_the_best(found):
    X, y = data_for(found)
    search = GridSearchCV(found(random_state=0), {"max_iter": [1, 20]}, cv=KFold(3, shuffle=True, random_state=0))
    search.fit(X, y)
    best = found(random_state=0, **search.best_params_).fit(X, y)
    np.testing.assert_array_equal(learned(search.best_estimator_), learned(best))
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


def test_grid_search_over_rules_and_readouts():
    grid = {
        "rule": [None, rb.rules.Perceptron(margin=1.0), rb.rules.PA1(C=0.1), rb.rules.MIRA()],
        "readout": ["last", "averaged", "pocket"],
    }
    search = GridSearchCV(rb.OnlineClassifier(random_state=0), grid, cv=3, error_score="raise").fit(FRAME, KIND)
    assert len(search.cv_results_["params"]) == 12
    assert search.best_estimator_.get_params()["rule"] == search.best_params_["rule"]


@undecided_is_fine
@pytest.mark.parametrize("found", ONE_OF_EACH_KIND)
def test_cross_validation_in_two_processes_is_that_in_one(found):
    X, y = data_for(found)
    scores = [cross_val_score(found(random_state=0), X, y, cv=3, n_jobs=jobs) for jobs in (1, 2)]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("found", CLASSIFIERS, ids=named)
def test_calibration_adds_the_probabilities(found):
    model = CalibratedClassifierCV(found(random_state=0), cv=3).fit(FRAME, KIND)
    chances = model.predict_proba(FRAME)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    inner = model.calibrated_classifiers_[0].estimator
    assert type(inner) is found
    assert inner.verdict_ == "separated"


@undecided_is_fine
def test_one_vs_rest_by_scikit_learn_is_ovr():
    X, y = IRIS.data.to_numpy(), IRIS.target.to_numpy()
    params = {"shuffle": False, "max_iter": 30, "tol": None}
    theirs = OneVsRestClassifier(rb.PassiveAggressiveClassifier(**params)).fit(X, y)
    ours = rb.PassiveAggressiveClassifier(multiclass="ovr", **params).fit(X, y)
    assert ours.n_iter_ == 30
    assert [each.n_iter_ < 30 for each in theirs.estimators_] == [
        True,
        False,
        False,
    ]  # one alone ends when it separates
    for k in (1, 2):
        np.testing.assert_array_equal(theirs.estimators_[k].coef_[0], ours.coef_[k])


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_sample_weight_is_routed_through_a_pipeline(found):
    X, y = data_for(found)
    weight = np.where(np.arange(len(X)) % 3, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = found(random_state=0).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = make_pipeline(scaler, model).fit(X, y, sample_weight=weight)
        with pytest.raises(TypeError, match="sample_weight"):
            make_pipeline(scaler, model.set_fit_request(sample_weight=False)).fit(X, y, sample_weight=weight)
    scaled = StandardScaler().fit_transform(X)
    by_hand = found(random_state=0).fit(scaled, y, sample_weight=weight)
    np.testing.assert_array_equal(learned(routed[-1]), learned(by_hand))
    unweighted = found(random_state=0).fit(scaled, y)
    assert not np.array_equal(learned(unweighted), learned(by_hand))


# ---- fitted or not ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_an_unfitted_estimator_says_so(found):
    model = found()
    calls = [
        lambda: model.predict(ROWS),
        lambda: model.with_readout("last"),
        lambda: model.coef_,
        lambda: model.intercept_,
        lambda: model.n_iter_,
        lambda: model.n_updates_,
        lambda: model.validation_scores_,
    ]
    if found in LINEAR:
        calls.append(lambda: model.predict_one({"a": 1.0}))
    else:
        calls += [
            lambda: model.support_,
            lambda: model.support_vectors_,
            lambda: model.n_support_,
            lambda: model.dual_coef_,
            lambda: model.n_voters_,
        ]
    if found in CLASSIFIERS:
        calls += [
            lambda: model.decision_function(ROWS),
            lambda: model.verdict_,
            lambda: model.converged_,
            lambda: model.margin_bounds_,
            lambda: model.mistakes_,
        ]
    for call in calls:
        with pytest.raises(NotFittedError, match=f"This {found.__name__} instance is not fitted yet"):
            call()
    with pytest.raises(NotFittedError):
        sklearn.utils.validation.check_is_fitted(model)


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_names_of_columns_and_of_labels(found):
    X, y = data_for(found)
    model = found(random_state=0).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.n_features_in_ == X.shape[1]
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        unnamed = model.predict(X.to_numpy())
    np.testing.assert_array_equal(model.predict(X), unnamed)
    with pytest.raises(ValueError, match=r"feature names should match.*\n.*unseen at fit time:\n- other"):
        model.predict(X.rename(columns={X.columns[1]: "other"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[X.columns[::-1]])
    if found in CLASSIFIERS:
        assert model.classes_.tolist() == ["setosa", "versicolor"]
        assert set(model.predict(X)) == {"setosa", "versicolor"}
        np.testing.assert_array_equal(model.predict(X) == "versicolor", model.decision_function(X) > 0)
        categories = found(random_state=0).fit(X, pd.Categorical(y))
        np.testing.assert_array_equal(learned(categories), learned(model))
    refitted = model.fit(X.to_numpy(), y)
    assert not hasattr(refitted, "feature_names_in_")


@pytest.mark.diagonal
@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
@pytest.mark.parametrize("tool", ["pickle", "joblib", "pickle of a stream"])
def test_round_trips_keep_everything(found, tool, tmp_path):
    X, y = data_for(found)
    model = found(random_state=0).fit(X, y)
    if tool == "pickle":
        again = pickle.loads(pickle.dumps(model))
    elif tool == "joblib":
        again = joblib.load(joblib.dump(model, tmp_path / "model")[0])
    else:
        model = found(random_state=0).partial_fit(X[:10], y[:10])
        again = pickle.loads(pickle.dumps(model))
    assert again.get_params() == model.get_params()
    for _ in range(2):  # as it is, and further along
        np.testing.assert_array_equal(learned(again), learned(model))
        np.testing.assert_array_equal(again.intercept_, model.intercept_)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert (again.n_iter_, again.n_updates_) == (model.n_iter_, model.n_updates_)
        if found in CLASSIFIERS:
            assert (again.verdict_, again.margin_bounds_) == (model.verdict_, model.margin_bounds_)
            np.testing.assert_array_equal(again.mistakes_, model.mistakes_)
        for each in (again, model):
            each.partial_fit(X[::-1], y[::-1])


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_that_were_read_are_a_copy(found, classes):
    X, y = np.eye(4), np.array([0, 1, 1, classes - 1])
    model = found(random_state=0).partial_fit(X, y)
    predicted = model.predict(X)
    names = ["coef_", "intercept_"] if found in LINEAR else ["intercept_", "dual_coef_", "support_", "support_vectors_"]
    for name in names:
        read = getattr(model, name)
        read += 5
    np.testing.assert_array_equal(model.predict(X), predicted)
    before = [(getattr(model, name), getattr(model, name).copy()) for name in names]
    model.partial_fit(X + 1, y[::-1])
    for read, copied in before:
        np.testing.assert_array_equal(read, copied)


@pytest.mark.parametrize("found", REGRESSORS, ids=named)
def test_a_regressor_has_a_flat_coef_and_a_score(found):
    X, y = make_regression(60, 4, n_informative=4, noise=0.0, random_state=0)
    model = found(random_state=0, max_iter=50).fit(X, y)
    assert model.coef_.shape == (4,)
    assert model.intercept_.shape == (1,)
    np.testing.assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_)
    residual, spread = y - model.predict(X), y - y.mean()
    assert model.score(X, y) == pytest.approx(1 - (residual @ residual) / (spread @ spread))
