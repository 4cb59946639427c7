"""What is drawn of models is what the library computes: lines, regions, points and bars, number by number."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline

import rosenblatt as rb

mpl.use("Agg")
import matplotlib.pyplot as plt

#: Trace A of ALGORITHMS: four points through the origin.
X, y = np.array([[1, 3], [2, 3], [-3, 1], [1, -1]]), np.array([1, -1, 1, -1])
CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
PHRASES = ["good", "bad", "not good", "not bad"]
MOOD = np.array(["pos", "neg", "neg", "pos"])
WORDS = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]])
PAIRS = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 1, 1, 0, 1]])


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    plt.close("all")


def perceptron(**options):
    return rb.Perceptron(fit_intercept=False, shuffle=False, **options)


def vertices(contour):
    """The points of all lines of a contour."""
    return np.vstack([path.vertices for path in contour.get_paths()])


def scattered(ax):
    """The points drawn under each label."""
    return {drawn.get_label(): np.asarray(drawn.get_offsets()) for drawn in ax.collections if len(drawn.get_offsets())}


def told(ax):
    """The texts of a legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---- loading -----------------------------------------------------------------------------------------------------


def run(script):
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_is_loaded_before_something_is_drawn():
    script = """
import sys, rosenblatt as rb
def loaded():
    print(sorted({name.partition(".")[0] for name in sys.modules} & {"matplotlib", "sklearn"}))
loaded()
rb.plots.BoundaryDisplay, rb.plots.Animation
loaded()
rb.plots.ConfusionMatrixDisplay  # the only one that is made of scikit-learn's
loaded()
"""
    assert run(script).splitlines() == ["[]", "[]", "['sklearn']"]


def test_without_matplotlib_one_sentence_names_the_extra_and_a_page_is_still_written(tmp_path):
    script = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import rosenblatt as rb
from rosenblatt import *
X, y = {X.tolist()}, {y.tolist()}
run = rb.trace(rb.Perceptron(shuffle=False), X, y)
for draw in (run.plot, lambda: run.plot("margins"), lambda: run.animate().save("no.gif"),
             lambda: rb.plots.BoundaryDisplay.from_estimator(rb.Perceptron().fit(X, y), X, y)):
    try:
        draw()
    except ImportError as error:
        print(error)
run.animate().save({str(tmp_path / "run.html")!r})
"""
    lines = run(script).splitlines()
    assert len(lines) == 4
    assert all(line.endswith('needs matplotlib: pip install "rosenblatt[plots]"') for line in lines), lines
    assert (tmp_path / "run.html").stat().st_size > 10_000


# ---- boundaries --------------------------------------------------------------------------------------------------


def test_the_boundary_of_two_classes():
    model = perceptron().fit(X, y)
    display = rb.plots.BoundaryDisplay.from_estimator(model, X, y)
    assert display.w.tolist() == model.coef_[0].tolist() == [-5, 3]
    boundary, margins = display.lines_
    line = vertices(boundary)
    assert np.abs(line @ display.w).max() < 1e-9
    assert np.ptp(line, axis=0).max() > 5  # from edge to edge
    assert np.allclose(np.abs(rb.distances(vertices(margins), display.w)), 1 / np.sqrt(34))
    points = scattered(display.ax_)
    assert points["class −1"].tolist() == X[y == -1].tolist()
    assert points["class +1"].tolist() == X[y == 1].tolist()
    assert points["on the margin"].tolist() == X[rb.margin(X, y, model).closest].tolist()
    assert "wrong side" not in points
    arrow = np.subtract(display.arrow_.xy, display.arrow_.xyann)
    assert np.isclose(arrow @ display.w, np.linalg.norm(arrow) * np.linalg.norm(display.w))  # the same direction
    assert abs(np.dot(display.arrow_.xyann, display.w)) < 1e-9  # from the boundary
    assert display.ax_.get_aspect() == 1  # so that it stands upright
    assert "margin 0.1715" in told(display.ax_)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("x[0]", "x[1]")


def test_half_spaces_have_the_colour_of_their_class():
    display = rb.plots.BoundaryDisplay.from_estimator(perceptron().fit(X, y), X, y)
    negative, positive = display.surface_
    for point, sign in zip(X, y):
        assert [any(path.contains_point(point) for path in part.get_paths()) for part in (negative, positive)] == [
            sign < 0,
            sign > 0,
        ]


def test_points_on_the_wrong_side_are_crossed_out():
    model = rb.AveragedPerceptron(max_iter=3, tol=None, random_state=0).fit(CORNERS, XOR)
    display = rb.plots.BoundaryDisplay.from_estimator(model, CORNERS, XOR)
    wrong = CORNERS[model.predict(CORNERS) != XOR]
    assert len(wrong)
    assert scattered(display.ax_)["wrong side"].tolist() == wrong.tolist()


def blobs(n=20, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3 * n, 2)) + np.repeat([[0, 0], [2.2, 1.4], [-1, 2.9]], n, axis=0), np.repeat(
        ["ant", "bee", "cow"], n
    )


def test_regions_of_several_classes_meet_where_their_scores_do():
    rows, label = blobs()
    model = rb.AveragedPerceptron(max_iter=5, tol=None, random_state=0).fit(rows, label)
    display = rb.plots.BoundaryDisplay.from_estimator(model, rows, label)
    assert len(display.surface_) == 3
    for lines in display.lines_:
        scores = np.sort(model.decision_function(vertices(lines)), axis=1)
        step = np.ptp(scores) / 200  # the grid bends a corner by less than a cell
        assert np.all(scores[:, -1] - scores[:, -2] < step)
    for part, code in zip(display.surface_, range(3)):
        inside = [any(path.contains_point(point) for path in part.get_paths()) for point in rows]
        leads = np.partition(model.decision_function(rows), 1, axis=1)
        clear = leads[:, 2] - leads[:, 1] > np.ptp(leads) / 50
        assert np.array_equal(np.array(inside)[clear], (model.predict(rows) == model.classes_[code])[clear])


@pytest.mark.parametrize("estimator", [rb.KernelPerceptron, rb.VotedPerceptron])
def test_the_boundary_of_a_kernel(estimator):
    model = estimator(kernel="rbf", gamma=1.0, random_state=0).fit(CORNERS, XOR)
    display = rb.plots.BoundaryDisplay.from_estimator(model, CORNERS, XOR, grid_resolution=101)
    assert display.w is None
    assert display.arrow_ is None
    support = scattered(display.ax_)["support: updated on"]
    assert support.tolist() == model.support_vectors_.tolist()
    if estimator is rb.KernelPerceptron:  # votes have steps and no slope
        scores = model.decision_function(vertices(display.lines_[0]))
        assert np.abs(scores).max() < 0.02 * np.abs(display.response).max()


def test_frames_bring_their_names_and_other_classifiers_are_drawn_too():
    frame = pd.DataFrame(X, columns=["length", "weight"])
    for model in (rb.Perceptron(random_state=0), LogisticRegression()):
        display = rb.plots.BoundaryDisplay.from_estimator(model.fit(frame, y), frame, y)
        assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("length", "weight")
        line = vertices(display.lines_[0])
        assert np.allclose(line @ model.coef_[0] + model.intercept_[0], 0, atol=1e-9)


def test_different_units_are_not_drawn_to_scale():
    wide = X * [1000, 1]
    display = rb.plots.BoundaryDisplay.from_estimator(perceptron(max_iter=5, tol=None).fit(wide, y), wide, y)
    assert display.ax_.get_aspect() == "auto"
    assert display.arrow_ is None  # it would not look upright


def test_it_is_drawn_where_it_is_asked_for():
    _, axes = plt.subplots(ncols=2)
    display = rb.plots.BoundaryDisplay.from_estimator(perceptron().fit(X, y), X, y, ax=axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is axes[1].figure
    assert not axes[0].collections
    again = display.plot(axes[0])
    assert again is display
    assert axes[0].collections


def test_separable_points_with_the_best_boundary_and_its_proof():
    answer = rb.separability(X, y)
    display = rb.plots.BoundaryDisplay.from_separability(answer, X, y)
    assert float(display.margin) == pytest.approx(answer.margin)
    assert scattered(display.ax_)["support: proves the margin"].tolist() == X[answer.support].tolist()
    assert np.allclose(np.abs(rb.distances(vertices(display.lines_[1]), answer)), answer.margin)


def test_inseparable_points_with_the_certificate():
    answer = rb.separability(CORNERS, XOR)
    display = rb.plots.BoundaryDisplay.from_separability(answer, CORNERS, XOR)
    assert not display.lines_
    points = scattered(display.ax_)
    assert points["Σ λ·y·(x, 1) = 0"].tolist() == [[0.5, 0.5]]
    assert points["has a weight λ"].tolist() == CORNERS[answer.support].tolist()


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.booleans()), min_size=4, max_size=9))
def test_the_star_of_a_certificate_lies_in_both_hulls(rows):
    points, label = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    if len(set(label.tolist())) < 2:
        return
    answer = rb.separability(points, label)
    if answer.separable:
        return
    hulls = rb.plots.BoundaryDisplay.from_separability(answer, points, label).hulls
    weights = np.array([float(v) for v in answer.certificate])
    for side in (label, ~label):
        assert np.allclose(weights[side] @ points[side] / weights[side].sum(), hulls.meeting)
    plt.close("all")


# ---- space -------------------------------------------------------------------------------------------------------


def test_the_phrases_as_a_cube_that_no_plane_splits():
    answer = rb.separability(WORDS, MOOD)
    display = rb.plots.SpaceDisplay.from_separability(
        answer, WORDS, MOOD, feature_names=["good", "bad", "not"], row_names=PHRASES
    )
    assert display.plane is None
    assert display.hulls.meeting.tolist() == [0.5, 0.5, 0.5]
    assert {text.get_text() for text in display.ax_.texts} == set(PHRASES)
    assert display.ax_.get_zlabel() == "not"


def test_five_features_seen_along_the_separator():
    answer = rb.separability(PAIRS, MOOD)
    display = rb.plots.SpaceDisplay.from_separability(answer, PAIRS, MOOD, row_names=PHRASES)
    distance = rb.distances(PAIRS, answer)
    assert np.allclose(display.X[:, 2], distance)
    assert np.array_equal(distance > 0, MOOD == "pos")
    assert np.abs(distance).min() == pytest.approx(answer.margin)
    flat = PAIRS - PAIRS.mean(axis=0)  # what is across keeps its distances as well as two directions can
    rest = flat - np.outer(flat @ answer.w, answer.w) / (answer.w @ answer.w)
    assert np.sum(display.X[:, :2] ** 2) == pytest.approx(np.sum(np.linalg.svd(rest)[1][:2] ** 2))
    assert np.allclose(display.surface_[2], 0)


def test_the_plane_of_three_features_is_the_separator():
    rows = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2], [2, 2, 2], [1, 2, 3]])
    label = np.array([0, 0, 0, 0, 1, 1])
    answer = rb.separability(rows, label)
    display = rb.plots.SpaceDisplay.from_separability(answer, rows, label)
    corners = display.surface_.reshape(3, -1).T
    corners = corners[np.isfinite(corners).all(axis=1)]
    assert len(corners)
    assert np.allclose(corners @ answer.w + answer.b, 0, atol=1e-9)


# ---- ideas -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(0, 1))
def test_mistakes_and_criterion_over_one_weight(seed, weight):
    rng = np.random.default_rng(seed)
    rows, label, w = rng.normal(size=(12, 2)), rng.permutation(np.repeat([-1, 1], 6)), rng.normal(size=2)
    display = rb.plots.CriterionDisplay.from_weights(rows, label, w, 0.3, weight=weight)
    values, edges, _ = display.stairs_.get_data()
    curve = display.line_.get_xydata()
    for value in rng.uniform(edges[0], edges[-1], 30):
        at = w.copy()
        at[weight] = value
        loss = rb.perceptron_loss(rows, label, at, 0.3)
        assert values[np.searchsorted(edges, value) - 1] == len(loss.mistaken)
        assert np.interp(value, *curve.T) == pytest.approx(float(loss), rel=1e-9, abs=1e-9)
    here = rb.perceptron_loss(rows, label, w, 0.3)
    assert (display.at_loss, display.slope) == (float(here), here.gradient[weight])
    plt.close("all")


def test_the_worked_criterion():
    display = rb.plots.CriterionDisplay.from_weights(X, y, [2, 1])
    assert (display.at_mistakes, display.at_loss, display.slope) == (3, 13, 6)
    assert display.corners[1:-1].tolist() == pytest.approx([-3, -1.5, 1 / 3, 1])
    assert display.mistakes.tolist() == [1, 0, 1, 2, 3]
    assert display.axes_[1].get_title(loc="left") == "the perceptron criterion: slope 6: go left"


def test_switched_signs_put_every_point_on_one_side():
    model = perceptron().fit(X, y)
    display = rb.plots.SignsDisplay.from_estimator(model, X, y)
    assert display.z.tolist() == (X * y[:, None]).tolist()
    assert np.all(display.z @ model.coef_[0] > 0)
    before, after = (scattered(ax) for ax in display.axes_)
    assert before["class −1"].tolist() == X[y < 0].tolist()
    assert after["class −1"].tolist() == (-X[y < 0]).tolist()
    assert after["before the switch"].tolist() == X[y < 0].tolist()
    assert display.axes_[1].get_xlabel() == "y·x[0]"


# ---- passes, weights, confusion ----------------------------------------------------------------------------------


def test_errors_of_the_readouts_are_those_of_fits_of_so_many_passes():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 4))
    label = rows[:, 0] + rng.normal(size=120) > 0
    model = rb.VotedPerceptron(kernel="linear", random_state=3)
    display = rb.plots.ErrorsDisplay.from_estimator(model, rows[:60], label[:60], rows[60:], label[60:], passes=3)
    assert not hasattr(model, "_learner")
    assert list(display.errors) == list(display.lines_) == ["last", "averaged", "voted"]
    for passes in (1, 3):
        fitted = rb.VotedPerceptron(kernel="linear", random_state=3, max_iter=passes, tol=None).fit(
            rows[:60], label[:60]
        )
        for readout, line in display.lines_.items():
            wrong = 100 * np.mean(fitted.with_readout(readout).predict(rows[60:]) != label[60:])
            assert line.get_xydata()[passes - 1].tolist() == [passes, pytest.approx(wrong)]


def test_orders_side_by_side():
    estimators = {"given": perceptron(), "shuffled": rb.Perceptron(fit_intercept=False)}
    display = rb.plots.ErrorsDisplay.from_estimator(estimators, X, y, passes=9)
    assert display.errors["given"].tolist() == [
        float(np.mean(perceptron(max_iter=t, tol=None).fit(X, y).predict(X) != y)) for t in range(1, 10)
    ]
    assert display.errors["given"][7:].tolist() == [0, 0]  # separated in pass 8
    assert told(display.ax_) == ["given", "shuffled"]
    assert display.ax_.get_ylabel() == "errors on the 4 training rows (%)"


def test_weights_of_words_as_bars():
    model = make_pipeline(rb.text.BagOfWords(ngrams=(1, 2)), perceptron()).fit(PHRASES, MOOD)
    names, coef = model[0].get_feature_names_out(), model[-1].coef_[0]
    display = rb.plots.WeightsDisplay.from_estimator(model)
    drawn = dict(
        zip([text.get_text() for text in display.ax_.get_yticklabels()], [b.get_width() for b in display.bars_])
    )
    assert drawn == {name: weight for name, weight in zip(names, coef) if weight}
    assert list(drawn.values()) == sorted(drawn.values())
    assert {bar.get_hatch() for bar in display.bars_ if bar.get_width() < 0} == {"///"}
    assert display.ax_.get_xlabel() == "←  neg      weight      pos  →"
    hashed = make_pipeline(rb.text.HashedText(ngrams=(1, 2), keep_names=True), perceptron()).fit(PHRASES, MOOD)
    assert set(rb.plots.WeightsDisplay.from_estimator(hashed).names) == set(drawn)


def test_weights_of_one_class_and_of_either_side():
    rows, label = blobs()
    frame = pd.DataFrame(rows, columns=["length", "weight"])
    model = rb.Perceptron(max_iter=2, tol=None, random_state=0).fit(frame, label)
    display = rb.plots.WeightsDisplay.from_estimator(model, label="bee")
    assert dict(zip(display.names, display.weights)) == dict(zip(frame.columns, model.coef_[1]))
    assert display.against == "not bee"
    two = perceptron().fit(X, y)
    towards_negative = rb.plots.WeightsDisplay.from_estimator(two, label=-1)
    assert sorted(towards_negative.weights) == sorted(-two.coef_[0])


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12), st.integers(1, 14))
def test_the_largest_weights_of_either_sign_are_chosen(weights, top):
    from rosenblatt.plots.weights import _largest

    weights = np.array(weights, float)
    chosen = weights[_largest(weights, top)]
    assert len(chosen) == min(top, np.count_nonzero(weights))
    assert list(chosen) == sorted(chosen)
    for side in (1, -1):
        mine = sorted((side * weights[side * weights > 0]).tolist(), reverse=True)
        got = sorted((side * chosen[side * chosen > 0]).tolist(), reverse=True)
        assert got == mine[: len(got)]
        assert len(got) >= min(len(mine), top // 2)


def test_the_confusion_matrix():
    rows, label = blobs()
    model = rb.AveragedPerceptron(max_iter=3, tol=None, random_state=0).fit(rows, label)
    counts = confusion_matrix(label, model.predict(rows))
    for display in (
        rb.plots.ConfusionMatrixDisplay.from_estimator(model, rows, label),
        rb.plots.ConfusionMatrixDisplay.from_predictions(label, model.predict(rows)),
    ):
        assert [[int(cell.get_text()) for cell in line] for line in display.text_] == counts.tolist()
        assert display.ax_.get_xlabel() == "predicted class"
        assert display.im_.get_cmap().name == "Blues"


# ---- refusals ----------------------------------------------------------------------------------------------------


def three_features():
    return rb.Perceptron().fit(WORDS, [1, -1, -1, -1]), WORDS, [1, -1, -1, -1]


def boundary(model, *data, **options):
    return lambda: rb.plots.BoundaryDisplay.from_estimator(model, *data, **options)


def fitted():
    return perceptron().fit(X, y)


REFUSALS = {
    "unfitted": (boundary(rb.Perceptron(), X, y), "This Perceptron instance is not fitted yet"),
    "class": (boundary(rb.Perceptron, X, y), "drawn of a fitted classifier with decision_function, got Perceptron"),
    "regressor": (
        boundary(rb.PassiveAggressiveRegressor(max_iter=1).fit(X, y), X, y),
        "drawn of a fitted classifier with decision_function, got PassiveAggressiveRegressor",
    ),
    "three features": (
        boundary(*three_features()),
        "drawn over two features, but X has 3; WeightsDisplay.from_estimator draws",
    ),
    "one dimension": (boundary(fitted(), [1, 2], [1, 1]), "X must be a table of rows and columns, got 1 dimension"),
    "other labels": (boundary(fitted(), X, [1, -1, 2, 1]), r"y\[2\] is 2, which is none of the classes -1, 1"),
    "short y": (boundary(fitted(), X, y[:3]), r"one label for each of the 4 rows of X, got the shape \(3,\)"),
    "names": (boundary(fitted(), X, y, feature_names=["a"]), "feature_names must name the two features, got 1 names"),
    "other rows": (
        lambda: rb.plots.BoundaryDisplay.from_separability(rb.separability(X, y), X[:3], y[:3]),
        "the answer is about 4 rows, but X has 3",
    ),
    "two in space": (
        lambda: rb.plots.SpaceDisplay.from_separability(rb.separability(X, y), X, y),
        "three dimensions, but X has 2; BoundaryDisplay.from_separability draws two",
    ),
    "four in space": (
        lambda: rb.plots.SpaceDisplay.from_separability(
            rb.separability(np.column_stack((WORDS, WORDS[:, 0])), MOOD), np.column_stack((WORDS, WORDS[:, 0])), MOOD
        ),
        "4 features and no separator to look along; three can be drawn",
    ),
    "flat axes": (
        lambda: rb.plots.SpaceDisplay.from_separability(rb.separability(PAIRS, MOOD), PAIRS, MOOD, ax=plt.gca()),
        "give axes made with projection='3d'",
    ),
    "row names": (
        lambda: rb.plots.SpaceDisplay.from_separability(rb.separability(PAIRS, MOOD), PAIRS, MOOD, row_names=["a"]),
        "a name for each of the 4 rows, got 1",
    ),
    "one axes": (lambda: rb.plots.SignsDisplay.from_estimator(fitted(), X, y, ax=plt.gca()), "two panels: give a pair"),
    "bias": (
        lambda: rb.plots.SignsDisplay.from_estimator(rb.Perceptron(shuffle=False).fit(X + 1, y), X + 1, y),
        "with fit_intercept=False",
    ),
    "no linear boundary": (
        lambda: rb.plots.SignsDisplay.from_estimator(rb.KernelPerceptron(random_state=0).fit(X, y), X, y),
        "signs are switched for a linear boundary between two classes",
    ),
    "weight": (lambda: rb.plots.CriterionDisplay.from_weights(X, y, [1, 1], weight=2), "between 0 and 1, got 2"),
    "span": (lambda: rb.plots.CriterionDisplay.from_weights(X, y, [1, 1], span=(1, 0)), "the smaller first"),
    "three classes": (
        lambda: rb.plots.CriterionDisplay.from_weights(X, [0, 1, 2, 1], [1, 1]),
        "one weight of two classes, but y holds 3",
    ),
    "passes": (lambda: rb.plots.ErrorsDisplay.from_estimator(perceptron(), X, y, passes=0), "whole number >= 1, got 0"),
    "peer": (
        lambda: rb.plots.ErrorsDisplay.from_estimator(LogisticRegression(), X, y),
        "estimators of this package, got LogisticRegression",
    ),
    "half a test": (
        lambda: rb.plots.ErrorsDisplay.from_estimator(perceptron(), X, y, X),
        "X_test and y_test go together",
    ),
    "generator": (
        lambda: rb.plots.ErrorsDisplay.from_estimator(rb.Perceptron(random_state=np.random.default_rng(0)), X, y),
        "random_state must be a whole number or None here",
    ),
    "no weights": (
        lambda: rb.plots.WeightsDisplay.from_estimator(rb.KernelPerceptron(random_state=0).fit(X, y)),
        "KernelPerceptron has no weights of features",
    ),
    "weights of none": (lambda: rb.plots.WeightsDisplay.from_estimator(rb.Perceptron()), "not fitted yet"),
    "which class": (
        lambda: rb.plots.WeightsDisplay.from_estimator(rb.Perceptron(max_iter=1, tol=None).fit(*blobs())),
        r"say which as label, one of \['ant', 'bee', 'cow'\]",
    ),
    "no such class": (
        lambda: rb.plots.WeightsDisplay.from_estimator(fitted(), label="dog"),
        r"one of the classes \[-1, 1\], got 'dog'",
    ),
    "top": (lambda: rb.plots.WeightsDisplay.from_estimator(fitted(), top=0), "top must be a whole number >= 1, got 0"),
    "too few names": (
        lambda: rb.plots.WeightsDisplay.from_estimator(fitted(), feature_names=["a"]),
        "must name the 2 features, got 1 names",
    ),
}


@pytest.mark.parametrize(("draw", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(draw, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        draw()
    assert "\n" not in str(caught.value)


# ---- in any company ----------------------------------------------------------------------------------------------


def test_what_is_advised_instead_of_the_plane_can_be_drawn():
    X4, y4 = np.column_stack((X, X)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"X has 4; WeightsDisplay\.from_estimator draws the weights") as caught:
        rb.plots.BoundaryDisplay.from_estimator(perceptron().fit(X4, y4), X4, y4)
    assert "SpaceDisplay" not in str(caught.value)
    rb.plots.WeightsDisplay.from_estimator(perceptron().fit(X4, y4))
    with pytest.raises(ValueError, match="X has 4; fit a model on two of the columns"):
        rb.plots.BoundaryDisplay.from_estimator(rb.KernelPerceptron().fit(X4, y4), X4, y4)
    WORDS4 = np.column_stack((WORDS, WORDS[:, 0]))
    for rows, labels, in_space in ((X4, y4, True), (X4[:, :3], y4, True), (WORDS, MOOD, True), (WORDS4, MOOD, False)):
        answer = rb.separability(rows, labels)
        instead = "SpaceDisplay.from_separability draws them" if in_space else "ask rb.separability about two of the"
        with pytest.raises(ValueError, match=instead):
            rb.plots.BoundaryDisplay.from_separability(answer, rows, labels)
        if in_space:
            rb.plots.SpaceDisplay.from_separability(answer, rows, labels)
    with pytest.raises(ValueError, match=r"three dimensions, but X has 1$"):
        rb.plots.SpaceDisplay.from_separability(rb.separability(X[:, :1], y), X[:, :1], y)


def luminance(colour):
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in mpl.colors.to_rgb(colour)]
    return np.dot(linear, (0.2126, 0.7152, 0.0722))


def contrast(a, b):
    bright, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def everything():
    """One of each picture."""
    run = rb.trace(perceptron(), X, y, separator=[-2, 1])
    xor, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    yield rb.plots.BoundaryDisplay.from_estimator(fitted(), X, y)
    yield rb.plots.BoundaryDisplay.from_separability(rb.separability(xor, labels), xor, labels)
    yield rb.plots.SpaceDisplay.from_separability(rb.separability(PAIRS, MOOD), PAIRS, MOOD, row_names="abcd")
    yield rb.plots.WeightsDisplay.from_estimator(fitted())
    yield rb.plots.SignsDisplay.from_estimator(fitted(), X, y)
    yield rb.plots.CriterionDisplay.from_weights(X, y, [-1, 0])
    yield rb.plots.ErrorsDisplay.from_estimator(perceptron(), X, y, passes=2)
    yield from (run.plot(what) for what in ("mistakes", "margins", "proof", "score"))
    yield run.plot()


@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_lines_and_letters_stand_out_from_the_ground(look):
    with plt.style.context(look):
        for display in everything():
            figure = display.figure_
            for ax in figure.axes:
                ground = ax.get_facecolor()
                legend = ax.get_legend()
                letters = [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label, *(legend.get_texts() if legend else [])]
                for text in letters:
                    behind = text.get_bbox_patch().get_facecolor() if text.get_bbox_patch() else ground
                    assert not text.get_text() or contrast(text.get_color(), behind) > 4.5, text
                for line in ax.get_lines():
                    assert contrast(line.get_color(), ground) > 2, (display, line)
                for patch in ax.collections:
                    edges = [edge for edge in patch.get_edgecolor() if edge[3]]
                    assert all(contrast(edge[:3], ground) > 2 for edge in edges), (display, patch)
            plt.close(figure)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_a_legend_stays_away_from_the_neighbours(layout):
    figure, axes = plt.subplots(2, 3, layout=layout, figsize=(12, 8))
    for ax in axes.ravel():
        rb.plots.BoundaryDisplay.from_estimator(fitted(), X, y, ax=ax)
    figure.canvas.draw()
    for ax in axes.ravel():
        mine = ax.get_legend().get_window_extent()
        assert mine.x1 <= 1.01 * figure.bbox.x1
        assert not any(mine.overlaps(other.get_window_extent()) for other in axes.ravel() if other is not ax)


def test_classes_that_are_numbers_are_not_taken_for_values():
    model = rb.Perceptron(shuffle=False).fit(X, [1, 0, 1, 0])
    assert rb.plots.WeightsDisplay.from_estimator(model).ax_.get_xlabel() == "←  class 0      weight      class 1  →"
    display = rb.plots.BoundaryDisplay.from_estimator(model, X, [1, 0, 1, 0])
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][:2] == ["class 0", "class 1"]


def test_long_names_and_many_classes_leave_room_for_the_picture():
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(80, 2)), np.arange(80) % 40
    names = np.array([f"the class of all that is called {c} and more" for c in range(40)])
    frame = pd.DataFrame(rows, columns=["a column with the name of a ministry and its branch", "y"])
    model = rb.Perceptron(max_iter=1, tol=None).fit(frame, names[codes])
    display = rb.plots.BoundaryDisplay.from_estimator(model, frame, names[codes])
    told = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert told[0] == "the class of a…ed 0 and more"
    assert told[11:] == ["… 29 more classes", "wrong side"]
    assert display.ax_.get_xlabel() == "a column with the na…stry and its branch"
    display.figure_.canvas.draw()
    box = display.ax_.get_window_extent()
    assert box.width > 0.5 * display.figure_.bbox.width
    small = plt.subplots(2, 2)[1][0, 0]
    confused = rb.plots.ConfusionMatrixDisplay.from_predictions(codes, rng.permutation(codes), ax=small)
    cell = small.get_window_extent().width / 40
    assert all(text.get_window_extent().width <= cell for text in confused.text_.ravel())
