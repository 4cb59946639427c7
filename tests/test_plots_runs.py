"""Pictures of runs against the worked traces and the theorems."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import few

import rosenblatt as rb
from rosenblatt.plots.history import History

mpl.use("Agg")
import matplotlib.pyplot as plt

X, y = np.array([[1, 3], [2, 3], [-3, 1], [1, -1]]), np.array([1, -1, 1, -1])
CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    plt.close("all")


def perceptron(**options):
    return rb.Perceptron(fit_intercept=False, shuffle=False, **options)


@pytest.fixture(scope="module")
def run():
    return rb.trace(perceptron(), X, y, exact=True, separator=(-2, 1))


# ---- mistakes ----------------------------------------------------------------------------------------------------


def test_mistakes_and_their_bound(run):
    model = perceptron().fit(X, y)
    for display in (rb.plots.MistakesDisplay.from_estimator(model, X, y), run.plot("mistakes")):
        assert [bar.get_height() for bar in display.bars_] == model.mistakes_.tolist() == [2, 2, 2, 2, 2, 2, 1, 0]
        assert display.line_.get_ydata().tolist() == np.cumsum(model.mistakes_).tolist()
        assert np.allclose(display.bound_.get_ydata(), 65)
        assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("pass", "mistakes (examples)")


def test_without_a_separator_there_is_no_bound():
    model = rb.Perceptron(shuffle=False, max_iter=5, tol=None).fit(CORNERS, XOR)
    assert rb.plots.MistakesDisplay.from_estimator(model, CORNERS, XOR).bound_ is None
    assert rb.plots.MistakesDisplay.from_estimator(model).bound is None
    assert rb.trace(perceptron(), X, y).plot("mistakes").bound_ is None
    weighted = perceptron().fit(X, y, sample_weight=[1, 2, 1, 1])  # no theorem here speaks of it
    assert rb.plots.MistakesDisplay.from_estimator(weighted, X, y).bound is None
    with pytest.raises(ValueError, match="of which no bound here speaks"):
        rb.plots.MistakesDisplay.from_estimator(weighted, X, y, separator=[-2, 1])


def test_the_bound_is_that_of_the_rule():
    model = rb.PassiveAggressiveClassifier(variant="PA-II", C=0.5, random_state=0).fit(X, y)
    answer = rb.separability(X, y)
    display = rb.plots.MistakesDisplay.from_estimator(model, X, y)
    assert display.bound == pytest.approx(float(rb.mistake_bound(X, y, answer, estimator=model)))


def test_a_bound_far_above_is_told_and_not_drawn():
    display = rb.plots.MistakesDisplay(mistakes=[3, 0], bound=1e6).plot()
    assert display.bound_ is None
    assert any("far above" in text.get_text() for text in display.ax_.get_legend().get_texts())
    assert display.ax_.get_ylim()[1] < 10


# ---- margin bounds -----------------------------------------------------------------------------------------------


def test_margin_bounds_of_the_worked_trace(run):
    display = run.plot("margins", best=1 / np.sqrt(5))
    assert display.upper[1] == pytest.approx(np.sqrt(10))
    assert display.upper[-1] == pytest.approx(np.sqrt(34) / 13) == pytest.approx(run.margin_bounds[1])
    assert display.lower[-1] == pytest.approx(1 / np.sqrt(34)) == pytest.approx(run.margin_bounds[0])
    assert display.updates.tolist() == list(range(14))
    assert display.upper_.get_xydata()[-1].tolist() == pytest.approx([13, np.sqrt(34) / 13])
    assert display.lower_.get_xydata()[-1].tolist() == pytest.approx([13, 1 / np.sqrt(34)])


LEARNERS = {
    "perceptron": rb.Perceptron(shuffle=False, max_iter=30),
    "no bias": rb.Perceptron(shuffle=False, max_iter=30, fit_intercept=False),
    "margin": rb.Perceptron(margin=0.5, shuffle=False, max_iter=30),
    "PA-I": rb.PassiveAggressiveClassifier(random_state=0, max_iter=10),
    "batch": rb.BatchPerceptron(max_iter=10),
    "averaged": rb.AveragedPerceptron(random_state=0, max_iter=10),
    "random start": rb.Perceptron(init="random", random_state=0, max_iter=10),
    "kernel": rb.KernelPerceptron(kernel="linear", random_state=0, max_iter=10),
}


@pytest.mark.parametrize("name", LEARNERS)
@given(data=st.data())
@few
def test_the_best_margin_lies_between_the_bounds_at_any_time(name, data):
    rows = data.draw(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.booleans()), min_size=3, max_size=8))
    points, label = np.array([row[:2] for row in rows], float), np.array([row[2] for row in rows])
    if len(set(label.tolist())) < 2:
        return
    est = LEARNERS[name]
    run = rb.trace(est, points, label)
    history = History.of(run)
    answer = rb.separability(points, label, fit_intercept=est.fit_intercept)
    best = answer.margin_augmented if answer.separable else 0.0
    slack = 1e-9 * (1 + best)
    assert np.all(history.upper >= best - slack)
    if answer.separable:
        assert np.all(history.lower <= best + slack)
    lower, upper = run.margin_bounds
    if run.verdict == "separated" and lower > 0:
        assert history.lower[-1] >= lower - slack
    if upper and (est.fit_intercept or points.any(axis=1).all()):  # equal rows prove 0; rows of zeros move nothing
        assert history.upper[-1] <= upper + slack
    if name not in ("kernel", "batch"):
        for w, b, shown in zip(history.coordinates[1:], history.biases[1:], least(history)):
            if np.any(w) or b[0]:
                by_library = rb.margin(
                    np.column_stack((points, np.ones(len(points)))), np.where(label, 1, -1), [*w[0], b[0]]
                )
                assert shown == pytest.approx(float(by_library), abs=1e-9)


def least(history):
    return np.concatenate([margins for _, margins in history.margins()])[1:]


@pytest.mark.parametrize(
    "est",
    [
        rb.Perceptron(random_state=0, max_iter=20),
        rb.Perceptron(random_state=0, max_iter=20, multiclass="uniform"),
        rb.MIRA(random_state=0, max_iter=20),
        rb.Perceptron(random_state=0, max_iter=20, multiclass="ovr"),
        rb.KernelPerceptron(kernel="poly", degree=2, random_state=0, max_iter=20),
    ],
    ids=["max", "uniform", "MIRA", "ovr", "kernel"],
)
def test_several_classes(est):
    rng = np.random.default_rng(1)
    rows = 0.4 * rng.normal(size=(30, 2)) + np.repeat([[0, 0], [3, 1], [0, 3]], 10, axis=0)
    label = np.repeat(["a", "b", "c"], 10)
    run = rb.trace(est, rows, label)
    assert run.verdict == "separated"
    history = History.of(run)
    assert history.lower[-1] >= run.margin_bounds[0] * (1 - 1e-9)
    assert least(history)[-1] == pytest.approx(run.margin_bounds[0], rel=1e-6)  # the last weights show it
    assert history.upper[-1] <= run.margin_bounds[1] * (1 + 1e-9)
    assert np.all(np.diff(history.lower[2:]) >= 0)
    assert np.all(history.upper >= history.lower[-1] * (1 - 1e-9))
    assert run.plot("margins").ax_.lines


# ---- the proof ---------------------------------------------------------------------------------------------------


def test_the_proof_lines_of_the_worked_trace(run):
    display = run.plot("proof")
    M = np.arange(14)
    w = np.array([(0, 0), *(step.w for step in run.updates())], float)
    u = np.array([-2, 1]) / np.sqrt(5)
    assert np.allclose(display.lines_["progress"].get_xydata(), np.column_stack((M, w @ u)))
    assert np.allclose(display.lines_["norm"].get_ydata(), np.linalg.norm(w, axis=1))
    assert np.allclose(display.lines_["floor"].get_ydata(), M / np.sqrt(5))
    assert np.allclose(display.lines_["ceiling"].get_ydata(), np.sqrt(13 * M))
    beyond = [line.get_xydata()[-1] for line in display.ax_.lines if line.get_linestyle() == ":"]
    assert len(beyond) == 2  # on to where they meet
    assert np.allclose(beyond, [[65, np.sqrt(65 * 13)]] * 2)


def test_the_proof_of_a_rule_without_a_ceiling():
    run = rb.trace(rb.PassiveAggressiveClassifier(fit_intercept=False, shuffle=False), X, y, separator=(-2, 1))
    display = run.plot("proof")
    assert set(display.lines_) == {"progress", "floor"}
    proofs = [step.proof for step in run.updates()]
    assert display.lines_["progress"].get_ydata()[1:].tolist() == [proof.progress for proof in proofs]
    assert display.lines_["floor"].get_ydata()[1:].tolist() == [proof.progress_floor for proof in proofs]
    assert display.ax_.get_ylabel() == "u·(w − w₀)"


def test_the_bound_is_a_number_of_the_trace(run):
    assert run.bound == 65
    assert rb.trace(perceptron(), X, y).bound is None
    started = rb.trace(perceptron(), X, y, separator=(-2, 1), coef_init=[[1, 0]])
    assert started.bound == pytest.approx(float(rb.mistake_bound(X, y, [-2, 1], w0=[1, 0])))
    wide = rb.trace(rb.Perceptron(margin=1.0, fit_intercept=False, shuffle=False), X, y, separator=(-2, 1))
    assert wide.bound == pytest.approx((13 + 2) * 5)


# ---- the score ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "est",
    [
        rb.Perceptron(shuffle=False),
        perceptron(),
        rb.KernelPerceptron(kernel="poly", degree=2, shuffle=False, gamma=1.0),
    ],
    ids=["bias", "no bias", "kernel"],
)
def test_the_score_of_an_example_is_that_of_its_visits_and_jumps_by_its_square(est):
    run = rb.trace(est, X, y)
    display = run.plot("score", row=1)
    steps, scores = display.line_.get_data()
    for step in run:
        if step.row == 1:
            assert scores[np.searchsorted(steps, step.number) - 1] == pytest.approx(step.score, abs=1e-9)
    square = {"Perceptron": 13 + est.fit_intercept, "KernelPerceptron": 14**2 + 1}[type(est).__name__]
    assert len(display.jumps_) == sum(step.moved for step in run if step.row == 1)
    assert np.allclose(display.jumps_, -square)
    assert any(f"= −{square}" in text.get_text() for text in display.ax_.get_legend().get_texts())


# ---- the whole ---------------------------------------------------------------------------------------------------


def test_all_pictures_of_a_run_in_one_figure(run):
    display = run.plot()
    assert list(display.displays) == ["boundary", "mistakes", "margins", "proof"]
    assert {d.ax_ for d in display.displays.values()} == set(display.axes_.ravel())
    assert display.figure_.get_suptitle() == "Perceptron: separated"
    xor = rb.trace(rb.KernelPerceptron(gamma=1.0, shuffle=False), CORNERS, XOR).plot()
    assert list(xor.displays) == ["boundary", "mistakes", "margins"]


def test_the_boundary_after_a_step(run):
    for place, w in ((0, (1, 3)), (1, (-1, 0)), (3, (-1, 0)), (-1, (-5, 3))):
        display = run.plot("boundary", step=place)
        assert tuple(display.w) == w == tuple(run[place].w)
    display = run.plot("boundary", step=1)
    assert display.title == "after step 2, pass 1"
    assert display.wrong.tolist() == X[(X @ (-1, 0) > 0) != (y > 0)].tolist() == [[1, 3]]


def test_rows_without_weight_are_not_there():
    rows, label, weight = np.vstack((X, [[5, 5]])), [*y, 1], [1, 1, 1, 1, 0]
    for est in (perceptron(), rb.KernelPerceptron(kernel="linear", fit_intercept=False, shuffle=False)):
        run = rb.trace(est, rows, label, sample_weight=weight)
        history = History.of(run)
        assert history.X.tolist() == X.tolist()
        scores = history.scores(history.own)[-1, :, 0]
        assert scores.tolist() == est.fit(rows, label, sample_weight=weight).decision_function(X).tolist()
        assert run.plot("margins").lower[-1] == pytest.approx(1 / np.sqrt(34))


def test_prefixes_and_updates_are_drawn_and_gaps_are_refused(run):
    assert run[:6].plot("margins").updates.tolist() == [0, 1, 2, 3, 4]
    assert run.updates().plot("margins").updates.tolist() == list(range(14))
    for gap in (run[3:], run[1:], run.updates()[::2]):
        with pytest.raises(ValueError, match="leaves out steps before step"):
            gap.plot("margins")


REFUSALS = {
    "unknown": (
        lambda: rb.trace(perceptron(), X, y).plot("loss"),
        "'boundary', 'mistakes', 'margins', 'proof', 'score'",
    ),
    "axes of all": (lambda: rb.trace(perceptron(), X, y).plot(ax=plt.gca()), "name one to give it ax"),
    "no proof": (lambda: rb.trace(perceptron(), X, y).plot("proof"), "was given no separator"),
    "row": (lambda: rb.trace(perceptron(), X, y).plot("score", row=4), "row must lie between 0 and 3, got 4"),
    "regression": (
        lambda: rb.trace(rb.PassiveAggressiveRegressor(max_iter=2), X, y).plot(),
        "a regression has no boundary, mistakes or margin",
    ),
    "regression's margins": (
        lambda: rb.trace(rb.PassiveAggressiveRegressor(max_iter=2), X, y).plot("margins"),
        "a regression has no classes and no margin",
    ),
    "classes": (
        lambda: rb.trace(rb.Perceptron(max_iter=2, tol=None), X, [0, 1, 2, 1]).plot("score"),
        "drawn for two classes; here each class has a score",
    ),
    "features": (
        lambda: rb.trace(rb.Perceptron(), np.column_stack((X, X)), y).plot("boundary"),
        "drawn over two features, but X has 4",
    ),
    "empty": (lambda: rb.trace(perceptron(), X, y)[:0].plot("margins"), "no steps to draw"),
    "precomputed": (
        lambda: rb.trace(rb.KernelPerceptron(kernel="precomputed", shuffle=False), X @ X.T, y).plot("margins"),
        "a precomputed kernel has no rows of features",
    ),
    "mistakes of a peer": (lambda: rb.plots.MistakesDisplay.from_estimator(3), "classifiers of this package, got int"),
}


@pytest.mark.parametrize(("draw", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(draw, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        draw()


def test_from_estimator_traces_with_the_best_separator():
    display = rb.plots.ProofDisplay.from_estimator(perceptron(), X, y)
    answer = rb.separability(X, y, fit_intercept=False)
    assert display.bound == pytest.approx(answer.mistake_bound) == pytest.approx(65)
    assert rb.plots.MarginBoundsDisplay.from_estimator(rb.Perceptron(shuffle=False), CORNERS, XOR).upper[-1] == 0
