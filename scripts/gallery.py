"""Draw the gallery: docs/how-to/gallery.md and its pictures, each with the code that made it. ``make gallery``."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "gallery.md"
FOLDER = PAGE.with_suffix("")

INTRODUCTION = """# Gallery

What the library sees, drawn: `pip install "rosenblatt[plots]"` brings matplotlib. Displays follow scikit-learn's:
`from_estimator` and its kin draw and return a display, which has `ax_` (or `axes_`) and `figure_`; `plot(ax)` draws it
again elsewhere. Colours are those of Okabe and Ito, and shapes, dashes and hatches say the same without them. Every
picture below is made by the code under it (`make gallery`), from the numbers of the library.

| | |
|---|---|
| a model | `BoundaryDisplay`, `SpaceDisplay`, `WeightsDisplay`, `ConfusionMatrixDisplay` |
| a run | `trace.plot()`, or one of its parts: `"boundary"`, `"mistakes"`, `"margins"`, `"proof"`, `"score"` |
| runs | `ErrorsDisplay` |
| an idea | `CriterionDisplay`, `SignsDisplay` |
| a sentence | `LatticeDisplay` |
| a film | `trace.animate()`: in a notebook it shows itself; `.save("run.html")`, `.gif`, `.mp4` |

All are in `rb.plots`. The data of the worked examples:

```python
import numpy as np
import rosenblatt as rb

X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
```
"""

X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]

CLOSING = """
## Films

![A perceptron on four points: the boundary turns with each mistake](gallery/run.gif)

```python
run = rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y, exact=True, separator=(-2, 1))
run.animate()  # in a notebook it shows itself
run.animate().save("run.html")
run.animate(steps="updates").save("run.gif")
```

The page stands alone: it loads nothing, works on a phone, in light and dark, with the keys of the
[playground](playground.md#keys) and with a screen reader. Beside the picture stand the numbers of each step, exact
where the trace is. Over two features it shows the boundary, or the regions of a kernel; with up to 40 features and two
classes, the weights as bars. `.mp4` needs the program ffmpeg.
"""


def boundary() -> Any:
    """The boundary, its half-spaces and its margin: w stands on it upright, the ring is the point nearest to it."""
    model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    return rb.plots.BoundaryDisplay.from_estimator(model, X, y)


def best_margin() -> Any:
    """The largest margin that there is, with the points that prove it."""
    return rb.plots.BoundaryDisplay.from_separability(rb.separability(X, y), X, y)


def xor() -> Any:
    """XOR has no boundary: one point lies between two of either class, and a line cannot leave it on both sides."""
    corners, label = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    return rb.plots.BoundaryDisplay.from_separability(rb.separability(corners, label), corners, label)


def three_classes() -> Any:
    """Regions of several classes; a cross is a point on the wrong side."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [2.2, 1.4], [-1, 2.9]], 20, axis=0)
    species = np.repeat(["ant", "bee", "cicada"], 20)
    model = rb.AveragedPerceptron(max_iter=20, tol=None, random_state=0).fit(points, species)
    return rb.plots.BoundaryDisplay.from_estimator(model, points, species, feature_names=["length (mm)", "weight (mg)"])


def kernel() -> Any:
    """A kernel bends the boundary; rings are the examples that it is made of."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 60), np.repeat([1, 2.2], 30) + rng.normal(0, 0.15, 60)
    points, where = (
        np.column_stack((radius * np.cos(angle), radius * np.sin(angle))),
        np.repeat(["inside", "outside"], 30),
    )
    model = rb.KernelPerceptron(kernel="rbf", gamma=0.7, random_state=0).fit(points, where)
    return rb.plots.BoundaryDisplay.from_estimator(model, points, where)


def run() -> Any:
    """A run at a glance. u = (−2, 1) is a separator, which the bound and the proof need."""
    run = rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y, exact=True, separator=(-2, 1))
    return run.plot()


def mistakes() -> Any:
    """Mistakes of each pass, their sum, and what Novikoff's theorem allows."""
    model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    return rb.plots.MistakesDisplay.from_estimator(model, X, y)


def margins() -> Any:
    """The certificate in one picture: what the run has shown of the best margin, and what it has not ruled out."""
    run = rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y)
    return run.plot("margins", best=rb.separability(X, y, fit_intercept=False).margin_augmented)


def proof() -> Any:
    """Why it must end: u·w grows like a line and ‖w‖ at most like a root, and u·w cannot exceed ‖w‖."""
    run = rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y, separator=(-2, 1))
    return run.plot("proof")


def score() -> Any:
    """The score of one example: each update on it moves it by ‖x‖² + 1 towards its side, the others pull it back."""
    run = rb.trace(rb.Perceptron(shuffle=False), X, y)
    return run.plot("score", row=1)


def criterion() -> Any:
    """The number of mistakes is flat almost everywhere; the perceptron criterion has a slope to go down."""
    return rb.plots.CriterionDisplay.from_weights(X, y, w=[2, 1], weight=0)


def signs() -> Any:
    """Switch the signs of the negative class, and to separate is to have every point on one side."""
    model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    return rb.plots.SignsDisplay.from_estimator(model, X, y)


def order() -> Any:
    """The order matters: all positives first, then all negatives, and the perceptron says whatever it heard last."""
    rng = np.random.default_rng(1)
    points = rng.uniform(size=(300, 2))
    points = points[np.abs(points.sum(axis=1) - 1) > 0.05]
    side = np.where(points.sum(axis=1) > 1, 1, -1)
    positives_first = np.argsort(-side, kind="stable")
    orders = {
        "positives, then negatives": rb.Perceptron(shuffle=False),
        "shuffled in each pass": rb.Perceptron(random_state=0),
    }
    return rb.plots.ErrorsDisplay.from_estimator(orders, points[positives_first], side[positives_first], passes=16)


def readouts() -> Any:
    """Last weights against averaged against voted, from one run on noisy rows."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(400, 10))
    label = np.where(rows @ rng.normal(size=10) + 1.5 * rng.normal(size=400) > 0, "yes", "no")
    model = rb.VotedPerceptron(kernel="linear", random_state=0)
    return rb.plots.ErrorsDisplay.from_estimator(model, rows[:200], label[:200], rows[200:], label[200:], passes=10)


def cube() -> Any:
    """Four phrases as corners of a cube: both diagonals pass through its middle, so no plane splits them."""
    phrases, mood = ["good", "bad", "not good", "not bad"], ["pos", "neg", "neg", "pos"]
    words = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]]
    return rb.plots.SpaceDisplay.from_separability(
        rb.separability(words, mood), words, mood, feature_names=["good", "bad", "not"], row_names=phrases
    )


def five_features() -> Any:
    """With “not good” and “not bad” as fourth and fifth feature a plane does: five dimensions, seen along it."""
    phrases, mood = ["good", "bad", "not good", "not bad"], ["pos", "neg", "neg", "pos"]
    pairs = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 1, 1, 0, 1]]
    return rb.plots.SpaceDisplay.from_separability(rb.separability(pairs, mood), pairs, mood, row_names=phrases)


def weights() -> Any:
    """The words that speak for and against; a pipeline brings their names."""
    from sklearn.pipeline import make_pipeline

    reviews = [
        "A wonderful film, warm and funny",
        "A dull film with poor jokes",
        "Not bad at all, a great ending",
        "Not good: the plot is a mess",
        "Great actors and a great script",
        "Bad script, poor actors, a waste",
        "Funny and warm, a wonderful ending",
        "The ending is a waste and not funny",
    ]
    mood = ["pos", "neg"] * 4
    model = make_pipeline(rb.text.BagOfWords(ngrams=(1, 2)), rb.AveragedPerceptron(random_state=0)).fit(reviews, mood)
    return rb.plots.WeightsDisplay.from_estimator(model, top=18)


def confusion() -> Any:
    """Which digit was taken for which: scikit-learn's display in the same look."""
    from sklearn.datasets import load_digits

    pixels, digit = load_digits(return_X_y=True)
    model = rb.AveragedPerceptron(max_iter=5, tol=None, random_state=0).fit(pixels[:1000], digit[:1000])
    return rb.plots.ConfusionMatrixDisplay.from_estimator(model, pixels[1000:], digit[1000:])


def lattice() -> Any:
    """A sentence that a tagger gets wrong: the best path and the right one, with all that they add up."""
    known = [["the", "man", "sleeps"], ["old", "boats", "sleep"], ["they", "man", "the", "old", "boats"]]
    tags = [["D", "N", "V"], ["A", "N", "V"], ["P", "V", "D", "A", "N"]]
    tagger = rb.SequenceTagger(rule=rb.rules.Perceptron(), max_iter=3, random_state=0).fit(known, tags)
    right = ["D", "N", "V", "D", "N"]
    return rb.plots.LatticeDisplay.from_estimator(tagger, ["the", "old", "man", "the", "boats"], right)


#: The pictures under their headings.
CHAPTERS: dict[str, list[Callable[[], Any]]] = {
    "Boundaries": [boundary, best_margin, xor, three_classes, kernel],
    "A run": [run, mistakes, margins, proof, score],
    "Ideas": [criterion, signs, order, readouts, cube, five_features],
    "For a report": [weights, confusion],
    "Sentences": [lattice],
}


def code_of(make: Callable[[], Any]) -> str:
    """The code of a picture: what its function does, as one would write it."""
    lines = inspect.getsource(make).splitlines()[2:]
    return textwrap.dedent("\n".join(lines)).replace("return ", "")


def page() -> str:
    """The page as it should be."""
    parts = [INTRODUCTION]
    for heading, pictures in CHAPTERS.items():
        parts.append(f"\n## {heading}\n")
        for make in pictures:
            told = (make.__doc__ or "").strip()
            name = make.__name__
            parts.append(f"\n![{told}](gallery/{name}.png)\n\n{told}\n\n```python\n{code_of(make)}\n```\n")
    return "".join(parts) + CLOSING


def main() -> None:
    """Draw everything."""
    import matplotlib.pyplot as plt

    FOLDER.mkdir(exist_ok=True)
    for make in (make for pictures in CHAPTERS.values() for make in pictures):
        figure = make().figure_
        figure.savefig(FOLDER / f"{make.__name__}.png", dpi=72, metadata={"Software": None})
        plt.close(figure)
    story = rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y, exact=True, separator=(-2, 1))
    story.animate(steps="updates").save(FOLDER / "run.gif")
    PAGE.write_text(page(), encoding="utf-8")
    size = sum(file.stat().st_size for file in FOLDER.iterdir())
    print(f"{PAGE.name} and {len(list(FOLDER.iterdir()))} pictures, {size / 1e6:.2f} MB")


mpl.use("Agg")
import numpy as np  # noqa: E402 - as the page shows it

import rosenblatt as rb  # noqa: E402

if __name__ == "__main__":
    main()
