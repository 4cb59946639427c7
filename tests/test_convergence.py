"""Verdicts, bounds and counts: what a run says of itself, it can prove."""

import re
import warnings

import numpy as np
import pytest
from discovery import CLASSIFIERS, KERNEL, LINEAR, named
from problems import SEARCH, against_rivals, augmented, best_margin, signed
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

import rosenblatt as rb
from rosenblatt.core import convergence, engine, rules
from rosenblatt.core.learner import Learner

#: The four points of the worked trace A: two mistakes a pass, one in the seventh, none in the eighth.
TRACE_X, TRACE_Y = np.array([[1.0, 3], [2, 3], [-3, 1], [1, -1]]), np.array([1, -1, 1, -1])
#: Trace B: at w = (1, 1, −1, −1) two rows lie on the boundary.
WORDS_X, WORDS_Y = np.array([[1.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]), ["pos", "neg", "neg"]
XOR_X, XOR_Y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])

RULES = [
    rules.Perceptron(),
    rules.Perceptron(eta0=0.3),
    rules.Perceptron(margin=1.0),
    rules.PA(),
    rules.PA1(C=0.3),
    rules.PA2(C=0.5),
    rules.MIRA(),
    rules.MIRA(C=0.2),
    rules.NormMIRA(),
]
FORMS = [(rule, "max", 2) for rule in RULES] + [(rule, share, 3) for rule in RULES for share in rule.shares]
every_form = pytest.mark.parametrize(("rule", "share", "k"), FORMS, ids=repr)
every_classifier = pytest.mark.parametrize("found", CLASSIFIERS, ids=named)
every_kernel = pytest.mark.parametrize("found", KERNEL, ids=named)


def in_linear_space(found, **params):
    """The estimator where margins are those of the rows themselves."""
    return found(**params, **({"kernel": "linear"} if found in KERNEL else {}))


@pytest.fixture(autouse=True)
def a_warning_is_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def clouds(k, seed=0):
    """Integer points around k corners far apart, each class on its own side of the origin."""
    rng = np.random.default_rng(seed)
    codes = np.arange(30) % k
    return rng.integers(-2, 3, (30, k)) + 6.0 * np.eye(k)[codes], codes


def contradictions(k, seed=3):
    """Points with labels at random, some half-way between two of another class: no separator, and no two rows equal."""
    rng = np.random.default_rng(seed)
    X, codes = rng.permutation(343)[:24, None] // [1, 7, 49] % 7 - 3.0, rng.integers(0, k, 24)
    ends = np.array([np.flatnonzero(codes == code)[:2] for code in range(k)])
    return np.vstack((X, X[ends].mean(axis=1))), np.concatenate((codes, (np.arange(k) + 1) % k))


def with_equal_rows(X, codes):
    """The first row again, of the other class: no kernel separates them."""
    return np.vstack((X, X[:1])), np.append(codes, 1 - codes[0])


def margin_of(X, codes, k, share):
    """Proven bounds on γ* as a run defines it: of y = ±1, of class vectors, or the smallest against the rest."""
    rows = augmented(X, True)
    if k == 2:
        return best_margin(signed(rows, 2 * codes - 1))
    if share != "ovr":
        return best_margin(against_rivals(rows, codes, k))
    lows, highs = zip(*(best_margin(signed(rows, np.where(codes == c, 1, -1))) for c in range(k)))
    return min(lows), min(highs)


# ---- separated ---------------------------------------------------------------------------------------------------


def test_the_counts_of_a_worked_trace():
    model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(TRACE_X, TRACE_Y)
    assert (model.verdict_, model.converged_) == ("separated", True)
    assert model.mistakes_.tolist() == [2, 2, 2, 2, 2, 2, 1, 0]
    assert np.issubdtype(model.mistakes_.dtype, np.integer)
    assert (model.n_iter_, model.n_updates_) == (8, 13)
    low, high = model.margin_bounds_
    assert low == pytest.approx(np.min(TRACE_Y * (TRACE_X @ [-5, 3])) / np.sqrt(34))
    assert high >= best_margin(signed(TRACE_X, TRACE_Y))[0] >= low


def test_a_run_that_max_iter_ends_is_separated_if_its_last_weights_are_right():
    model = rb.Perceptron(fit_intercept=False, shuffle=False, max_iter=7).fit(TRACE_X, TRACE_Y)
    assert (model.verdict_, model.converged_, model.n_iter_) == ("separated", True, 7)
    assert model.mistakes_[-1] == 1
    assert model.margin_bounds_[0] == pytest.approx(1 / np.sqrt(34))


def test_a_clean_pass_with_points_on_the_boundary_has_margin_zero():
    with pytest.warns(ConvergenceWarning, match="points lie on the boundary"):
        model = rb.Perceptron(fit_intercept=False, shuffle=False, ties="predict").fit(WORDS_X, WORDS_Y)
    assert model.verdict_ == "separated"
    assert model.margin_bounds_[0] == 0.0
    assert model.mistakes_.tolist() == [3, 1, 0]
    strict = rb.Perceptron(fit_intercept=False, shuffle=False).fit(WORDS_X, WORDS_Y)
    assert strict.mistakes_.tolist() == [3, 3, 1, 0]
    assert strict.margin_bounds_[0] > 0


@every_form
@pytest.mark.parametrize("ties", ["mistake", "predict"])
def test_every_rule_separates_what_can_be_separated(rule, share, k, ties):
    X, codes = clouds(k)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*points lie on the boundary")
        model = rb.OnlineClassifier(**SEARCH, rule=rule, multiclass=share, ties=ties, random_state=0).fit(X, codes)
    assert (model.verdict_, model.converged_) == ("separated", True)
    assert np.all(model.predict(X) == codes)
    assert model.n_iter_ == len(model.mistakes_)
    least, most = margin_of(X, codes, k, share)
    low, high = model.margin_bounds_
    assert low >= 0  # 0 where the margin found is no larger than the rounding of a score
    assert low <= most * (1 + 1e-12)
    assert high >= least
    if isinstance(rule, rules.Perceptron) and rule.margin == 0:
        assert model.n_updates_ == model.mistakes_.sum()


def test_the_verdict_speaks_of_the_last_weights_and_the_averaged_ones_may_err():
    X, y = cloud_with_a_gap(0, 5, 200, 2, 0.01)
    model = rb.AveragedPerceptron(**SEARCH, random_state=0).fit(X, y)
    last = model.with_readout("last")
    assert (model.verdict_, last.verdict_) == ("separated", "separated")
    assert np.all(last.predict(X) == y)
    assert np.any(model.predict(X) != y)
    norm = np.sqrt(np.sum(last.coef_**2) + last.intercept_[0] ** 2)
    assert model.margin_bounds_[0] == pytest.approx(np.min(last.decision_function(X) * y) / norm)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_a_passive_aggressive_learner_also_updates_on_right_answers(variant):
    X, codes = clouds(2)
    model = rb.PassiveAggressiveClassifier(**SEARCH, variant=variant, shuffle=False, random_state=0).fit(X / 10, codes)
    assert model.verdict_ == "separated"
    assert model.n_updates_ > model.mistakes_.sum()


def test_separated_is_said_only_of_weights_that_were_scored_on_every_row():
    clean_but_wrong = 0
    for seed in range(1300):
        rng = np.random.default_rng(seed)
        X, codes = rng.integers(-3, 4, (6, 2)).astype(float), rng.integers(0, 2, 6)
        if len(np.unique(codes)) == 2:
            model = rb.PassiveAggressiveClassifier(variant="PA", shuffle=False, max_iter=30, tol=None).fit(X, codes)
            all_right = np.min((2 * codes - 1) * model.decision_function(X)) > 0
            assert (seed, model.verdict_) == (seed, "separated" if all_right else "stopped")
            clean_but_wrong += 0 in model.mistakes_[:-1]
    assert clean_but_wrong  # a pass without a mistake whose updates spoiled an earlier row


def test_a_start_that_separates_needs_one_pass_and_proves_no_upper_bound():
    model = rb.Perceptron(fit_intercept=False).fit(TRACE_X, TRACE_Y, coef_init=[-2.0, 1.0])
    assert (model.verdict_, model.n_iter_, model.n_updates_) == ("separated", 1, 0)
    assert model.margin_bounds_ == (pytest.approx(1 / np.sqrt(5)), np.inf)


def test_rows_of_weight_zero_are_not_there():
    model = rb.Perceptron(random_state=0).fit(XOR_X, XOR_Y, sample_weight=[1, 1, 1, 0])
    assert model.verdict_ == "separated"
    assert model.score(XOR_X[:3], XOR_Y[:3]) == 1.0


# ---- no margin ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffle", [True, False])
def test_xor_has_no_margin(shuffle):
    model = rb.Perceptron(shuffle=shuffle, random_state=0).fit(XOR_X, XOR_Y)
    assert (model.verdict_, model.converged_) == ("no margin", False)
    low, high = model.margin_bounds_
    assert low == -np.inf
    assert 0 <= high <= 1e-4 * np.sqrt(3)


@every_form
def test_every_rule_proves_that_contradictions_have_no_margin(rule, share, k):
    X, codes = contradictions(k)
    model = rb.OnlineClassifier(**SEARCH, rule=rule, multiclass=share, random_state=0).fit(X, codes)
    assert (model.verdict_, model.converged_) == ("no margin", False)
    scale = np.sqrt(np.max(np.sum(X**2, axis=1)) + 1) * (np.sqrt(2) if k > 2 and share != "ovr" else 1)
    low, high = model.margin_bounds_
    assert low == -np.inf
    assert 0 <= high <= 1e-4 * scale
    earlier = rb.OnlineClassifier(rule=rule, multiclass=share, random_state=0, max_iter=1000, tol=0.01).fit(X, codes)
    assert earlier.n_iter_ < model.n_iter_
    assert earlier.mistakes_.tolist() == model.mistakes_.tolist()[: earlier.n_iter_]


def test_the_batch_perceptron_takes_one_step_a_pass_and_reaches_both_verdicts():
    X, codes = clouds(2)
    model = rb.BatchPerceptron().fit(X, codes)
    assert model.verdict_ == "separated"
    assert model.n_updates_ == model.mistakes_.sum()
    assert rb.BatchPerceptron().fit(XOR_X, XOR_Y).verdict_ == "no margin"
    three, codes = clouds(3)
    assert rb.BatchPerceptron().fit(three, codes).verdict_ == "separated"


# ---- stopped -----------------------------------------------------------------------------------------------------


@every_classifier
def test_an_undecided_run_warns_with_both_bounds_and_what_to_try(found):
    X, codes = contradictions(2)
    with pytest.warns(ConvergenceWarning) as caught:
        model = in_linear_space(found, max_iter=3, tol=1e-4, random_state=0).fit(X, codes)
    assert (model.verdict_, model.converged_, model.n_iter_) == ("stopped", False, 3)
    [warning] = caught
    assert warning.filename == __file__
    low, high = np.array(model.margin_bounds_) / np.sqrt(np.max(np.sum(X**2, axis=1)) + 1)
    text = str(warning.message)
    assert f"{found.__name__} stopped after max_iter=3 passes" in text
    if np.isinf(high):  # a rule of second order, which bounds no margin from above
        assert "confidence" in model.get_params()
        assert "no bound that could rule one out; raise max_iter, or set tol=None" in text
        return
    assert f"between {low:.3g} and {high:.3g}" in text
    for hint in ("raise max_iter or tol (now 0.0001)", "tol=None", "averaged"):
        assert hint in text


@every_classifier
def test_tol_none_makes_exactly_max_iter_passes_unless_one_separates(found):
    X, codes = with_equal_rows(*contradictions(2))
    model = found(max_iter=150, tol=None, random_state=0).fit(X, codes)  # without tol it would end before, or warn
    assert (model.verdict_, model.n_iter_, len(model.mistakes_)) == ("stopped", 150, 150)
    X, codes = clouds(2)
    model = found(max_iter=1000, tol=None, random_state=0).fit(X, codes)
    assert model.verdict_ == "separated"
    assert model.n_iter_ < 1000


@every_classifier
def test_a_stream_is_never_decided(found):
    X, codes = clouds(2)
    model = in_linear_space(found, random_state=0).fit(X, codes)
    passes, updates = model.n_iter_, model.n_updates_
    for chunk in np.array_split(np.arange(30), 4):
        model.partial_fit(X[chunk], codes[chunk])
        assert (model.verdict_, model.converged_) == ("stopped", False)
        assert (model.n_iter_, len(model.mistakes_)) == (passes + 1, passes + 1)
    assert model.n_updates_ >= updates
    fresh = in_linear_space(found).partial_fit(X, codes)
    low, high = fresh.margin_bounds_
    assert (fresh.verdict_, fresh.n_iter_, low) == ("stopped", 1, -np.inf)
    assert high >= margin_of(X, codes, 2, "max")[0]
    one_row = found().fit(X, codes)
    passes = one_row.n_iter_
    assert one_row.partial_fit(X[:1], codes[:1]).n_iter_ == passes + 1
    if found in KERNEL:
        return
    named_stream = found()
    for x, y in zip(X, codes):
        named_stream.learn_one(dict(enumerate(x)), int(y))
    assert (named_stream.verdict_, named_stream.n_iter_) == ("stopped", 1)
    if found is not rb.BatchPerceptron:  # which takes one step a call
        assert named_stream.mistakes_.tolist() == fresh.mistakes_.tolist()
        assert named_stream.margin_bounds_ == fresh.margin_bounds_


def test_the_learner_has_a_warning_of_its_own():
    X, codes = contradictions(2)
    learner = Learner(rules.Perceptron())
    learner.allocate(3, 2, np.float64)
    with pytest.warns(convergence.ConvergenceWarning, match="The learner stopped after max_iter=2"):
        learner.fit(engine.admit(X), codes.astype(np.int32), max_iter=2, shuffle=False)
    assert learner.verdict == "stopped"
    assert not issubclass(convergence.ConvergenceWarning, ConvergenceWarning)


# ---- regression --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_a_regression_has_no_verdict_and_ends_after_a_pass_without_an_update(variant):
    X = np.arange(8.0)[:, None] / 8
    y = 3 * X[:, 0] + 1
    model = rb.PassiveAggressiveRegressor(epsilon=0.5, max_iter=1000, variant=variant, shuffle=False).fit(X, y)
    for name in ("verdict_", "converged_", "margin_bounds_", "mistakes_"):
        assert not hasattr(model, name)
    assert model.n_iter_ < 1000
    assert np.all(np.abs(model.predict(X) - y) <= 0.5)
    once_more = rb.PassiveAggressiveRegressor(epsilon=0.5, max_iter=model.n_iter_ - 1, variant=variant, shuffle=False)
    assert once_more.fit(X, y).n_updates_ == model.n_updates_  # the last pass made none
    noisy = rb.PassiveAggressiveRegressor(epsilon=0.0, max_iter=6, variant=variant).fit(X, y + np.arange(8) % 2)
    assert noisy.n_iter_ == 6


# ---- early stopping ----------------------------------------------------------------------------------------------

READERS = [
    rb.Perceptron(),
    rb.AveragedPerceptron(),
    rb.PocketPerceptron(ratchet=False),
    rb.PassiveAggressiveClassifier(average=True),
    rb.PassiveAggressiveClassifier(multiclass="ovr"),
    rb.PassiveAggressiveRegressor(max_iter=1000, average=True),
    rb.KernelPerceptron(gamma=0.03),
    rb.KernelPerceptron(kernel="linear", multiclass="ovr", readout="averaged", block_size=3),
    rb.VotedPerceptron(),
]


def split(seed, X, fraction, strata):
    """What a run trains on, what it holds out, and its generator after that: the split comes before the shuffles."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2**31))
    train, test = train_test_split(np.arange(len(X)), test_size=fraction, random_state=number, stratify=strata)
    return np.sort(train), test, rng


@pytest.mark.parametrize("reader", READERS, ids=repr)
@pytest.mark.parametrize("k", [2, 3])
def test_early_stopping_scores_what_the_user_gets_and_keeps_the_best_pass(reader, k):
    X, codes = contradictions(k)
    y = codes if hasattr(reader, "ties") else X[:, 0] + codes
    options = {"validation_fraction": 0.4, "n_iter_no_change": 4, "random_state": 5, "early_stopping": True}
    if hasattr(reader, "ties"):
        options["tol"] = 0.0
    model = type(reader)(**(reader.get_params() | options)).fit(X, y)
    train, test, rng = split(5, X, 0.4, codes if y is codes else None)
    copy, scores, weights = type(reader)(**reader.get_params()), [], []
    known = {"classes": np.arange(k)} if y is codes else {}
    for _ in range(model.n_iter_):  # the same run by hand
        order = train[rng.permutation(len(train))]
        copy.partial_fit(X[order], y[order], **known)
        scores.append(copy.score(X[test], y[test]))
        weights.append((getattr(copy, "coef_", None), copy.intercept_, copy.predict(X)))
    np.testing.assert_allclose(model.validation_scores_, scores, rtol=1e-12)
    best = int(np.argmax(scores))
    assert model.n_iter_ == best + 1 + 4
    if type(reader) in LINEAR:
        np.testing.assert_array_equal(model.coef_, weights[best][0])
        np.testing.assert_array_equal(model.intercept_, weights[best][1])
    else:  # a row that comes by again is a new one in a stream, so that sums are rounded in another order
        np.testing.assert_allclose(model.intercept_, weights[best][1], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), weights[best][2])
    if y is codes:
        assert model.verdict_ == "stopped"  # and nothing was warned of


def test_early_stopping_keeps_the_best_pass_where_there_is_no_margin():
    X, y = np.tile(XOR_X, (10, 1)), np.tile(XOR_Y, 10)
    options = {"early_stopping": True, "n_iter_no_change": 50, "validation_fraction": 0.3}
    fallen = 0
    for seed in range(50):
        model = rb.Perceptron(random_state=seed, **options).fit(X, y)
        if model.verdict_ == "no margin":
            _, test, _ = split(seed, X, 0.3, y)
            assert model.score(X[test], y[test]) == max(model.validation_scores_)
            fallen += model.validation_scores_[-1] < max(model.validation_scores_)
    assert fallen


def test_bounds_after_early_stopping_are_those_of_the_run():
    X, codes = np.array([[4.0, 0], [3, 1], [1, 4]]), np.array([1, 0, 0], np.int32)
    held_out = engine.admit(np.array([[2.0, 4], [-2, -1], [-4, 1], [2, 1]])), np.array([0, 0, 0, 1], np.int32)
    learner = Learner(rules.Perceptron())
    learner.allocate(2, 2, np.float64)
    learner.fit(engine.admit(X), codes, shuffle=False, held_out=held_out, n_iter_no_change=3)
    assert (learner.verdict, learner.n_iter) == ("stopped", 4)
    assert learner.margin_bounds[1] >= margin_of(X, codes, 2, "max")[0]


@every_kernel
def test_a_run_in_kernel_space_ends_as_in_linear_space(found):
    """The verdicts are those of the space of the kernel, where R² is the largest K(x, x)."""
    XOR = found(kernel="poly", degree=2, readout="last", max_iter=100, random_state=0).fit(XOR_X, XOR_Y)
    assert (XOR.verdict_, XOR.converged_, XOR.score(XOR_X, XOR_Y)) == ("separated", True, 1.0)
    assert 0 < XOR.margin_bounds_[0] <= XOR.margin_bounds_[1]
    X, codes = contradictions(2)
    model = found(kernel="rbf", random_state=0, max_iter=1000, tol=0.05).fit(*with_equal_rows(X, codes))
    assert (model.verdict_, model.converged_) == ("no margin", False)
    assert model.margin_bounds_[0] == -np.inf
    assert 0 <= model.margin_bounds_[1] <= 0.05 * np.sqrt(2)
    with pytest.warns(ConvergenceWarning) as caught:
        model = found(kernel="rbf", max_iter=3, tol=1e-4, random_state=0).fit(X, codes)
    [warning] = caught
    low, high = np.array(model.margin_bounds_) / np.sqrt(2)
    assert f"between {low:.3g} and {high:.3g}" in str(warning.message)


@pytest.mark.diagonal
@every_kernel
@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("k", [2, 3])
def test_rows_in_any_chunks_are_one_stream(found, readout, kernel, k):
    X, codes = contradictions(k)
    weight = np.arange(len(X)) % 3 * 1.0  # every third row is not there
    params = {"kernel": kernel, "gamma": 0.1, "readout": readout, "block_size": 4}
    whole = found(**params).partial_fit(X, codes, sample_weight=weight)
    present = found(**params).partial_fit(X[weight > 0], codes[weight > 0], sample_weight=weight[weight > 0])
    np.testing.assert_allclose(present.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    for size in (1, 7):
        chunked = found(**params)
        for start in range(0, len(X), size):
            part = slice(start, start + size)
            chunked.partial_fit(X[part], codes[part], sample_weight=weight[part])
        np.testing.assert_allclose(chunked.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(chunked.predict(X), whole.predict(X))
        assert (chunked.n_updates_, chunked.n_voters_) == (whole.n_updates_, whole.n_voters_)
        np.testing.assert_array_equal(chunked.support_vectors_, whole.support_vectors_)


@every_kernel
def test_a_stream_of_arrays_and_sparse_matrices_is_that_of_arrays(found):
    X, codes = contradictions(3)
    parts = np.array_split(np.arange(len(X)), 5)
    for first in (0, 1):
        mixed, dense = found(kernel="rbf", gamma=0.1), found(kernel="rbf", gamma=0.1)
        for number, part in enumerate(parts):
            mixed.partial_fit(sparse.csr_array(X[part]) if number % 2 == first else X[part], codes[part])
            dense.partial_fit(X[part], codes[part])
        np.testing.assert_array_equal(mixed.support_, dense.support_)
        for rows in (X, sparse.csr_array(X)):
            np.testing.assert_allclose(mixed.decision_function(rows), dense.decision_function(X), rtol=1e-9, atol=1e-12)


@every_kernel
@pytest.mark.parametrize("early_stopping", [False, True])
def test_support_counts_the_rows_of_fit_and_goes_on_in_a_stream(found, early_stopping):
    X, codes = contradictions(2)
    weight = np.arange(len(X)) % 4 * 1.0
    model = found(early_stopping=early_stopping, max_iter=3, tol=None, random_state=0)
    model.fit(X, codes, sample_weight=weight)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert np.all(weight[model.support_] > 0)
    for _ in range(2):
        model.partial_fit(X, 1 - codes, sample_weight=weight)
    assert len(np.unique(model.support_)) == model.n_support_.sum()
    np.testing.assert_array_equal(model.support_vectors_, np.vstack((X, X, X))[model.support_])


@every_kernel
def test_the_width_of_a_kernel_is_that_of_the_rows_that_are_there(found):
    X, codes = contradictions(2)
    weight = (np.arange(len(X)) % 3 > 0) * 1.0
    there = weight > 0
    gamma = 1 / (X.shape[1] * X[there].var())
    params = {"kernel": "rbf", "random_state": 0, "max_iter": 5, "tol": None}
    by_number = found(**params, gamma=gamma).fit(X[there], codes[there])
    for rows in (X, sparse.csr_array(X)):
        weighted = found(**params).fit(rows, codes, sample_weight=weight)
        np.testing.assert_allclose(weighted.decision_function(X), by_number.decision_function(X), rtol=1e-9)
    early = found(**params, early_stopping=True).fit(X[there], codes[there])
    numbered = found(**params, early_stopping=True, gamma=gamma).fit(X[there], codes[there])
    np.testing.assert_array_equal(early.validation_scores_, numbered.validation_scores_)
    np.testing.assert_allclose(early.decision_function(X), numbered.decision_function(X), rtol=1e-9)
    stream = found(kernel="rbf").partial_fit(X, codes, classes=[0, 1], sample_weight=0.0)
    stream.partial_fit(X, codes, sample_weight=weight)
    other = found(kernel="rbf", gamma=gamma).partial_fit(X[there], codes[there])
    np.testing.assert_allclose(stream.decision_function(X), other.decision_function(X), rtol=1e-9)


# ---- progress ----------------------------------------------------------------------------------------------------


def test_verbose_tells_of_each_pass_and_of_the_verdict(capsys):
    model = rb.Perceptron(fit_intercept=False, shuffle=False, verbose=2).fit(TRACE_X, TRACE_Y)
    *passes, verdict = capsys.readouterr().out.splitlines()
    assert [int(re.match(r"pass +(\d+) +(\d+) mistakes", line)[2]) for line in passes] == model.mistakes_.tolist()
    low, high = np.array(model.margin_bounds_) / np.sqrt(13)
    assert f"best margin/R in [{low:.3g}, {high:.3g}]" in passes[-1]
    assert verdict == "separated after 8 passes, 13 updates"
    rb.Perceptron(early_stopping=True, validation_fraction=0.5, verbose=1, random_state=0).fit(*clouds(2))
    assert "held-out score" in capsys.readouterr().out
    rb.Perceptron(random_state=0).fit(TRACE_X, TRACE_Y)
    assert capsys.readouterr().out == ""


# ---- the promise -------------------------------------------------------------------------------------------------


def cloud_with_a_gap(seed, d, n, offset, gap):
    """n points of N(0, I) at least ``gap`` away from the plane u·x + offset = 0, and their sides."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((2 * n, d))
    s = X @ u + offset
    keep = np.flatnonzero(np.abs(s) >= gap)[:n]
    assert len(keep) == n
    return X[keep], np.sign(s[keep])


@pytest.mark.diagonal
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("shape", [(5, 200, 2, 0.1), (20, 500, 2, 0.1), (50, 1000, 1, 0.05)], ids=repr)
def test_whatever_can_be_separated_is_separated(shape, container):
    _, _, offset, gap = shape
    runs = 0
    for seed in range(100):
        X, y = cloud_with_a_gap(seed, *shape)
        if len(np.unique(y)) < 2:
            continue
        X, runs = container(X), runs + 1
        model = rb.Perceptron(random_state=seed).fit(X, y)
        low, high = model.margin_bounds_
        assert (seed, model.verdict_, model.score(X, y)) == (seed, "separated", 1.0)
        assert 0 < low <= high
        assert high >= gap / np.sqrt(1 + offset**2)
    assert runs > 90
