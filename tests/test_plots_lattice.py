"""The lattice that is drawn is that of the tagger: scores of paths, transitions that may be, and every emission."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.plots import LatticeDisplay, style

mpl.use("Agg")
import matplotlib.pyplot as plt

X = [["the", "old", "man", "the", "boats"], ["the", "man", "sleeps"], ["they", "man", "the", "old", "boats"]]
Y = [["D", "N", "V", "D", "N"], ["D", "N", "V"], ["P", "V", "D", "A", "N"]]
FISH = {
    "tokens": ["fish", "swim"], "tags": ["N", "V"], "emissions": [[1, 0.5], [0, 2]],
    "transitions": [[0.5, 0, 0], [-1, 1, 0], [0, -np.inf, 0.25]],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module", params=[None, "seen"])
def tagger(request):
    return rb.SequenceTagger(random_state=0, max_iter=3, constraints=request.param).fit(X, Y)


def test_the_paths_score_what_the_tagger_says(tagger):
    for sentence in X:
        display = LatticeDisplay.from_estimator(tagger, sentence)
        (best, score), (second, other) = tagger.predict_k_best([sentence], k=2)[0]
        assert display.scores == pytest.approx({"best": score, "second-best": other})
        for name, tags in (("best", best), ("second-best", second)):
            heights = np.asarray(display.lines_[name].get_ydata())[1:-1]
            assert [display.tags[round(height)] for height in heights] == tags
            assert np.abs(heights - np.round(heights)).max() < 0.1


def test_the_right_path_is_drawn_where_it_is_not_the_best(tagger):
    best = tagger.predict([X[0]])[0]
    wrong = ["A"] * 5 if tagger.constraints is None else [*Y[0][:4], "A"]
    assert list(LatticeDisplay.from_estimator(tagger, X[0], best).paths) == ["best", "second-best"]
    assert wrong != best
    assert list(LatticeDisplay.from_estimator(tagger, X[0], wrong).paths) == ["best", "right"]


@given(st.integers(1, 4), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_path_scores_its_emissions_and_transitions(n, k, random):
    """All paths of a tiny lattice, start and end included."""
    emissions = [[random.uniform(-1, 1) for _ in range(k)] for _ in range(n)]
    transitions = [[random.uniform(-1, 1) for _ in range(k + 1)] for _ in range(k + 1)]
    tags = [f"T{i}" for i in range(k)]
    for path in itertools.product(range(k), repeat=n):
        display = LatticeDisplay(
            tokens=["w"] * n, tags=tags, emissions=emissions, transitions=transitions,
            paths={"it": [tags[code] for code in path]},
        )  # fmt: skip
        between = sum(transitions[1 + a][b] for a, b in itertools.pairwise(path))
        edges = transitions[0][path[0]] + transitions[1 + path[-1]][k]
        assert display.scores["it"] == pytest.approx(sum(emissions[t][c] for t, c in enumerate(path)) + between + edges)


def test_every_emission_and_the_transitions_of_paths_are_written_those_shared_once():
    display = LatticeDisplay(**FISH, paths={"best": ["N", "V"], "rival": ["V", "V"]}).plot()
    assert sorted(texts(display.ax_)) == sorted(["+1", "+0.5", "0", "+2", "+0.5", "0", "+1", "forbidden", "+0.25"])
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["best: 4.75", "rival: forbidden"]
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["start", "fish", "swim", "end"]


def test_no_line_is_drawn_where_a_tag_may_not_follow():
    drawn = [line for line in LatticeDisplay(**FISH, paths={}).plot().ax_.lines if line.get_color() == style.QUIET]
    ends = {tuple(zip(*map(tuple, line.get_data()))) for line in drawn}
    assert len(drawn) == len(ends) == 2 + 3 + 2
    assert ((0.0, 1.0), (1.0, 1.0)) not in ends


def test_it_is_drawn_on_dark_ground_and_on_axes_that_are_given():
    with plt.style.context("dark_background"):
        _, ax = plt.subplots()
        display = LatticeDisplay(**FISH, paths={"best": ["N", "V"]}).plot(ax)
        assert display.ax_ is ax
        ax.figure.canvas.draw()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"emissions": [[1, 2]]}, r"emissions of 2 tokens and 2 tags must have the shape \(2, 2\), got \(1, 2\)"),
        ({"transitions": [[1, 2], [3, 4]]}, r"transitions of 2 tokens and 2 tags must have the shape \(3, 3\)"),
        ({"paths": {"a": ["N"]}}, "the path 'a' has 1 tags for 2 tokens"),
        ({"paths": {"a": ["N", "X"]}}, "the path 'a' has the tag 'X', which is none of N, V"),
        ({"paths": {name: ["N", "N"] for name in "abcde"}}, "4 paths can be told apart, got 5"),
        ({"tokens": [], "emissions": np.empty((0, 2))}, "a lattice of 1 to 200 nodes can be drawn, got 0 tokens × 2"),
        ({"tokens": ["w"] * 101, "emissions": np.zeros((101, 2))}, "got 101 tokens × 2 tags"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        LatticeDisplay(**(FISH | {"paths": {}} | change))
