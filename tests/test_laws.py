"""Laws that every learner obeys: what flips, scales, drops out, goes on after a stop, and how readouts relate."""

import copy
import pickle
from fractions import Fraction

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identity import every, is_regressor, same_bits
from problems import few, problems
from scipy import sparse
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt.core import engine, reference, rules

pytestmark = pytest.mark.filterwarnings("ignore:The number of unique classes is greater")

PERCEPTRONS = [
    rb.Perceptron(),
    rb.Perceptron(multiclass="uniform"),
    rb.Perceptron(multiclass="proportional", fit_intercept=False),
    rb.Perceptron(multiclass="ovr"),
    rb.AveragedPerceptron(),
    rb.PocketPerceptron(),
    rb.PocketPerceptron(ratchet=False, fit_intercept=False),
]
OTHERS = [
    rb.Perceptron(margin=0.7),
    rb.PassiveAggressiveClassifier(variant="PA", average=True),
    rb.PassiveAggressiveClassifier(C=0.2),
    rb.PassiveAggressiveClassifier(variant="PA-II", multiclass="ovr"),
    rb.MIRA(),
    rb.MIRA(C=0.1, average=True),
    rb.MIRA(variant="norm"),
    rb.OnlineClassifier(rule=rules.PA(), readout="pocket", ratchet=True),
    rb.AROW(r=0.3),
    rb.AROW(confidence="full", average=True),
    rb.SCW(variant="II", multiclass="ovr"),
    rb.ConfidenceWeighted(variant="variance", average=True),
    rb.SecondOrderPerceptron(),
    rb.OnlineClassifier(rule=rules.NHERD(confidence="full"), readout="pocket"),
]
BATCH = [rb.BatchPerceptron(), rb.BatchPerceptron(fit_intercept=False, multiclass="uniform")]
REGRESSORS = [rb.PassiveAggressiveRegressor(), rb.PassiveAggressiveRegressor(variant="PA-II", average=True)]
CLASSIFIERS = PERCEPTRONS + OTHERS + BATCH
EVERY = CLASSIFIERS + REGRESSORS


def set_up(estimator, **more):
    """A fresh estimator of at most three passes, without a warning at their end."""
    more = {"max_iter": 3, "random_state": 5, "tol": None, **more}
    return clone(estimator).set_params(**{k: v for k, v in more.items() if k in estimator.get_params()})


def same_model(got, expected):
    same_bits(got.coef_, expected.coef_)
    same_bits(got.intercept_, expected.intercept_)
    assert got.n_updates_ == expected.n_updates_
    if not is_regressor(expected):
        assert got.mistakes_.tolist() == expected.mistakes_.tolist()
        assert got.verdict_ == expected.verdict_
        assert got.margin_bounds_ == expected.margin_bounds_


def targets(estimator, problem):
    return problem.targets if is_regressor(estimator) else problem.codes


# ---- symmetries ----------------------------------------------------------------------------------------------


@every(CLASSIFIERS)
@few
@given(problem=problems(classes=(2,)))
def test_flipped_labels_flip_the_weights(estimator, problem):
    model = set_up(estimator).fit(problem.X, problem.codes)
    flipped = set_up(estimator).fit(problem.X, 1 - problem.codes)
    same_bits(flipped.coef_, -model.coef_ + 0.0)
    same_bits(flipped.intercept_, -model.intercept_ + 0.0)
    assert flipped.mistakes_.tolist() == model.mistakes_.tolist()
    assert flipped.margin_bounds_ == model.margin_bounds_


@few
@given(problem=problems(classes=(2,)))
def test_a_flipped_regression_flips_the_weights(problem):
    model = set_up(REGRESSORS[0]).fit(problem.X, problem.targets)
    flipped = set_up(REGRESSORS[0]).fit(problem.X, -problem.targets)
    same_bits(flipped.coef_, -model.coef_ + 0.0)


@every(EVERY)
@few
@given(problem=problems(), columns=st.integers(1, 20))
def test_appended_zero_columns_change_nothing(estimator, problem, columns):
    y, d = targets(estimator, problem), problem.X.shape[1]
    padded = np.hstack((problem.X, np.zeros((len(problem.X), columns), problem.X.dtype)))
    model, wider = set_up(estimator).fit(problem.X, y), set_up(estimator).fit(padded, y)
    same_bits(wider.coef_[..., :d], model.coef_)
    same_bits(wider.intercept_, model.intercept_)
    assert not wider.coef_[..., d:].any()
    assert wider.n_updates_ == model.n_updates_
    if not is_regressor(estimator):
        assert wider.margin_bounds_ == model.margin_bounds_


@every(PERCEPTRONS + BATCH)
@few
@given(problem=problems(), power=st.integers(-6, 6))
def test_eta_only_scales_the_weights(estimator, problem, power):
    model = set_up(estimator).fit(problem.X, problem.codes)
    scaled = set_up(estimator, eta0=2.0**power).fit(problem.X, problem.codes)
    same_bits(scaled.coef_, model.coef_ * problem.X.dtype.type(2.0**power))
    same_bits(scaled.intercept_, model.intercept_ * problem.X.dtype.type(2.0**power))
    assert scaled.mistakes_.tolist() == model.mistakes_.tolist()


def test_eta_matters_from_a_given_start():
    X, y, start = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 1, 0], [[0.5, 0.25]]
    one = set_up(rb.Perceptron(), shuffle=False, max_iter=1).fit(X, y, coef_init=start)
    two = set_up(rb.Perceptron(), shuffle=False, max_iter=1, eta0=2.0).fit(X, y, coef_init=start)
    assert not np.array_equal(two.coef_, 2 * one.coef_)


# ---- weights of examples -------------------------------------------------------------------------------------


@every(EVERY)
@few
@given(problem=problems(classes=(2, 3, 5)), stream=st.booleans())
def test_a_row_of_weight_zero_is_not_there(estimator, problem, stream):
    y, weight = targets(estimator, problem), problem.weight
    kept = weight > 0
    learn = "partial_fit" if stream else "fit"
    told = {"classes": np.unique(y)} if stream and not is_regressor(estimator) else {}
    model = getattr(set_up(estimator), learn)(problem.X, y, sample_weight=weight, **told)
    without = getattr(set_up(estimator), learn)(problem.X[kept], y[kept], sample_weight=weight[kept], **told)
    same_bits(model.coef_, without.coef_)
    same_bits(model.intercept_, without.intercept_)
    assert model.n_updates_ == without.n_updates_
    if not is_regressor(estimator):
        assert model.mistakes_.tolist() == without.mistakes_.tolist()


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_a_row_of_weight_zero_does_not_count_in_the_radius(learn):
    """Else tol, which is relative to R, would end the run of separable data with the verdict "no margin"."""
    X, y = np.array([[1.0, 3.0], [2.0, 3.0], [-3.0, 1.0], [1.0, -1.0], [1e9, 0.0]]), np.array([1, 0, 1, 0, 1])
    weight = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    estimator = rb.Perceptron(fit_intercept=False, shuffle=False)
    expected = getattr(clone(estimator), learn)(X[:4], y[:4])
    same_model(getattr(clone(estimator), learn)(X, y, sample_weight=weight), expected)


def test_a_row_of_weight_zero_does_not_bring_its_class():
    """Neither to fit nor to a stream, in chunks or one at a time."""
    X, y, weight = np.array([[1.0], [2.0], [-1.0], [3.0]]), np.array([0, 1, 2, 1]), np.array([1.0, 1.0, 0.0, 1.0])
    expected = rb.Perceptron().partial_fit(X[weight > 0], y[weight > 0])
    one = rb.Perceptron()
    for x, label, v in zip(X, y.tolist(), weight.tolist()):
        one.learn_one({"x": float(x[0])}, label, sample_weight=v)
    same_model(one, expected)
    chunk = rb.Perceptron().partial_fit(X, y, sample_weight=weight)
    assert chunk.classes_.tolist() == [0, 1]
    same_model(chunk, expected)
    fitted = set_up(rb.Perceptron()).fit(X, y, sample_weight=weight)
    assert fitted.classes_.tolist() == [0, 1]
    same_model(fitted, set_up(rb.Perceptron()).fit(X[weight > 0], y[weight > 0]))


@every(PERCEPTRONS + BATCH)
@few
@given(problem=problems(kinds=("integers",)), v=st.integers(1, 5))
def test_a_common_weight_is_a_step_size(estimator, problem, v):
    weighted = set_up(estimator).fit(problem.X, problem.codes, sample_weight=np.full(len(problem.X), float(v)))
    same_model(weighted, set_up(estimator, eta0=float(v)).fit(problem.X, problem.codes))


@given(problem=problems(classes=(2, 3), kinds=("integers",)), fit_intercept=st.booleans())
def test_an_integer_weight_multiplies_the_step_of_its_row(problem, fit_intercept):
    """An integer run of the reference, where a step is ``v·y·x`` without any rounding."""
    k = 1 if problem.n_classes == 2 else 3
    weight = np.where(np.arange(len(problem.X)) % 3 == 1, 4.0, 1.0)
    model = set_up(rb.Perceptron(), shuffle=False, fit_intercept=fit_intercept, max_iter=1)
    model.fit(problem.X, problem.codes, sample_weight=weight)
    w, b = np.zeros((k, problem.X.shape[1])), np.zeros(k)
    for x, c, v in zip(problem.X.astype(float), problem.codes, weight):
        s = w @ x + b
        if k == 1:
            moves = {0: 1 if c else -1} if (s[0] if c else -s[0]) <= 0 else {}
        else:
            rival = max((r for r in range(k) if r != c), key=lambda r: (s[r], -r))
            moves = {c: 1, rival: -1} if s[c] <= s[rival] else {}
        for r, sign in moves.items():
            w[r] += sign * v * x
            b[r] += sign * v * fit_intercept
    assert np.array_equal(model.coef_, w)
    assert np.array_equal(model.intercept_, b)


@every(CLASSIFIERS)
@few
@given(problem=problems(classes=(2, 3)))
def test_class_weight_multiplies_sample_weight(estimator, problem):
    by_class = {0: 0.5, 1: 3.0}
    weight = np.maximum(problem.weight, 0.5)
    product = weight * [by_class.get(int(c), 1.0) for c in problem.codes]
    got = set_up(estimator, class_weight=by_class).fit(problem.X, problem.codes, sample_weight=weight)
    same_model(got, set_up(estimator).fit(problem.X, problem.codes, sample_weight=product))


# ---- stopping and going on -----------------------------------------------------------------------------------


def through_a_file(model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    return joblib.load(tmp_path / "model.joblib")


COPIES = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "joblib": through_a_file,
}


@pytest.mark.diagonal
@pytest.mark.parametrize("how", COPIES)
@every(EVERY)
def test_copied_and_continued_is_never_stopped(estimator, how, tmp_path):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((40, 21))
    y = X[:, 0] if is_regressor(estimator) else rng.integers(0, 4, 40)  # the fourth class comes late
    y[:20] = np.minimum(y[:20], 1)
    straight, stopped = set_up(estimator), set_up(estimator)
    for a in range(0, 40, 10):
        straight.partial_fit(X[a : a + 10], y[a : a + 10])
        stopped.partial_fit(X[a : a + 10], y[a : a + 10])
        before = stopped
        stopped = COPIES[how](stopped, tmp_path)
        same_model(stopped, before)
        same_bits(stopped.predict(X), before.predict(X))
    same_model(stopped, straight)
    before.partial_fit(X[:5], y[:5])  # what a copy was made of is not the copy
    same_model(stopped, straight)


@every(EVERY)
def test_a_learn_one_stream_is_copied_whole(estimator):
    straight, stopped = set_up(estimator), set_up(estimator)
    rng = np.random.default_rng(9)
    for i in range(60):
        x = {f"word {j}": float(rng.integers(1, 4)) for j in rng.integers(0, 2 + 2 * i, 4)}
        y = float(i % 7) if is_regressor(estimator) else i % (1 + i // 10)
        straight.learn_one(x, y)
        stopped = pickle.loads(pickle.dumps(stopped)).learn_one(x, y)
        assert stopped.predict_one(x) == straight.predict_one(x)
    same_model(stopped, straight)


@every(EVERY)
@few
@given(problem=problems(classes=(2, 3)))
def test_warm_start_goes_on_from_the_last_weights(estimator, problem):
    y = targets(estimator, problem)
    first = set_up(estimator, max_iter=2).fit(problem.X, y)
    last = first.with_readout("last")
    expected = set_up(estimator, max_iter=2).fit(problem.X, y, coef_init=last.coef_, intercept_init=last.intercept_)
    warm = set_up(estimator, max_iter=2, warm_start=True).fit(problem.X, y).fit(problem.X, y)
    same_model(warm, expected)


@given(problem=problems(classes=(2, 3, 5)))
def test_warm_passes_add_up(problem):
    """A pass and a pass are two: the perceptron's last weights, the rows as they stand."""
    straight = set_up(rb.Perceptron(), shuffle=False).fit(problem.X, problem.codes)
    warm = set_up(rb.Perceptron(), shuffle=False, warm_start=True, max_iter=1)
    for _ in range(3):
        warm.fit(problem.X, problem.codes)
    same_bits(warm.coef_, straight.coef_)
    same_bits(warm.intercept_, straight.intercept_)


@every(EVERY)
def test_fit_forgets(estimator):
    rng = np.random.default_rng(1)
    X, Z = rng.standard_normal((2, 12, 4))
    y = X[:, 0] if is_regressor(estimator) else np.arange(12) % 3
    same_model(set_up(estimator).fit(Z, y).fit(X, y), set_up(estimator).fit(X, y))


# ---- a class that comes in mid-stream ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "share"),
    [
        (rb.Perceptron(), 1),
        (rb.Perceptron(multiclass="ovr"), 1),
        (rb.PassiveAggressiveClassifier(variant="PA"), 0.5),
        (rb.PassiveAggressiveClassifier(), 0.5),
        (rb.MIRA(), 0.5),
    ],
    ids=str,
)
@pytest.mark.parametrize(("third", "place"), [(0, 0), (2, 1), (9, 2)])
@given(problem=problems(classes=(2,)))
def test_a_third_class(estimator, share, third, place, problem):
    """W becomes (−w, +w, 0), or half of it, the new class in its sorted place; then its first example is learned."""
    y = np.where(problem.codes, 3, 1)
    model = set_up(estimator).partial_fit(problem.X, y, classes=[1, 3])
    w, b = model.coef_[0], model.intercept_[0]
    x = problem.X[:1]
    model.partial_fit(x, [third])
    W = np.insert(np.array([-w, w]) * x.dtype.type(share), place, 0, axis=0)
    B = np.insert(np.array([-b, b]) * x.dtype.type(share), place, 0)
    form = "ovr" if estimator.multiclass == "ovr" else "multiclass"
    twin = reference.Model(form, len(w), 3, number=x.dtype.type)
    twin.w, twin.b = [list(v + x.dtype.type(0)) for v in W], list(B + x.dtype.type(0))
    twin.visit(model.spec().rule, list(x[0]), place)
    assert model.classes_.tolist() == sorted([1, 3, third])
    same_bits(model.coef_, np.array(twin.w, x.dtype))
    same_bits(model.intercept_, np.array(twin.b, x.dtype))


@pytest.mark.parametrize(
    ("rule", "share"),
    [(rules.Perceptron(), 1), (rules.PA(), Fraction(1, 2)), (rules.MIRA(), Fraction(1, 2))],
    ids=str,
)
@pytest.mark.parametrize("ties", ["mistake", "predict"])
@given(problem=problems(classes=(2,), features=(1, 2, 3), kinds=("integers", "eighths"), dtypes=(np.float64,)))
def test_that_is_where_two_class_vectors_would_have_stood(rule, share, ties, problem):
    binary = reference.Model("binary", problem.X.shape[1], ties=ties, number=Fraction)
    pair = reference.Model("multiclass", problem.X.shape[1], 2, ties=ties, number=Fraction)
    for x, c in zip(problem.X, problem.codes.tolist()):
        x = [Fraction(v) for v in x.tolist()]
        one, two = binary.visit(rule, x, c), pair.visit(rule, x, c)
        assert one.mistakes == two.mistakes
    assert pair.w == [[-share * v for v in binary.w[0]], [share * v for v in binary.w[0]]]
    assert pair.b == [-share * binary.b[0], share * binary.b[0]]


# ---- readouts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["max", "uniform", "ovr"])
@given(problem=problems(classes=(2, 3, 9)))
def test_averaged_read_as_last_is_the_perceptron(multiclass, problem):
    perceptron = set_up(rb.Perceptron(multiclass=multiclass)).fit(problem.X, problem.codes)
    for kind in (rb.AveragedPerceptron, rb.PocketPerceptron):
        model = set_up(kind(multiclass=multiclass)).fit(problem.X, problem.codes)
        kept = model.coef_
        same_model(model.with_readout("last"), perceptron)
        same_bits(model.with_readout("last").decision_function(problem.X), perceptron.decision_function(problem.X))
        same_bits(model.coef_, kept)


def test_a_readout_that_was_not_kept_is_refused():
    model = rb.Perceptron().fit([[1.0], [-1.0]], [0, 1])
    for readout in ("averaged", "pocket"):
        with pytest.raises(ValueError, match=readout):
            model.with_readout(readout)


@pytest.mark.parametrize(
    "estimator",
    [rb.AveragedPerceptron(), rb.AveragedPerceptron(multiclass="ovr"), rb.PassiveAggressiveClassifier(average=True)],
    ids=str,
)
@given(problem=problems(classes=(2, 3, 5), dtypes=(np.float64,)), count=st.sampled_from([1, 2, 7, 8, 16]))
def test_averaged_is_the_mean_of_the_weights_after_each_example(estimator, problem, count):
    model, after = set_up(estimator), []
    for i in range(count):
        row = [i % len(problem.X)]
        model.partial_fit(problem.X[row], problem.codes[row], classes=range(problem.n_classes))
        last = model.with_readout("last")
        after.append(np.column_stack((last.coef_, last.intercept_)))
    exact = np.vectorize(float)(sum(np.vectorize(Fraction)(w) for w in after) / count)
    got = np.column_stack((model.coef_, model.intercept_))
    assert np.allclose(got, exact, rtol=1e-12, atol=1e-13 * np.abs(after).max())
    eighths = np.array_equal(problem.X * 8, np.round(problem.X * 8))
    if eighths and isinstance(estimator, rb.AveragedPerceptron) and count in (1, 2, 8, 16):  # nothing is rounded
        assert np.array_equal(got, exact)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.sampled_from(["max", "ovr"]), st.booleans())
def test_new_classes_of_a_stream_move_only_the_weights_in_use(labels, multiclass, averaged):
    """The weights are rearranged where rows before have features, or all of them: it is the same."""
    rng = np.random.default_rng(len(labels))
    X = sparse.random(len(labels), 40, 0.1, random_state=rng, format="csr")
    kind = rb.AveragedPerceptron if averaged else rb.Perceptron
    one, other = (kind(multiclass=multiclass, tol=None) for _ in range(2))
    one.partial_fit(X, labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.Rows, "features_of", lambda *_: None)
        other.partial_fit(X, labels)
    np.testing.assert_array_equal(one._learner.weights, other._learner.weights)
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.coef_, other.coef_)
