"""The lattice of a sentence: every tag of every token, what each scores, and the paths through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..tracing.wording import number
from . import style
from .display import Display, check_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

#: A lattice of more nodes is not drawn: nobody could read it.
MOST_NODES = 200
#: One look for each path: colours that differ in brightness, and a dash.
LOOKS = ((style.COLOURS[0], "-"), (style.COLOURS[5], "--"), (style.COLOURS[2], "-."), (style.COLOURS[3], ":"))


class LatticeDisplay(Display):
    """The lattice of a short sentence with paths through it, such as the best and the right one.

    A node is a tag at a token, with the score of the token's features for it (the emission); a line from node to node
    is a transition. A path scores the sum of its nodes and lines: both are written along the paths.

    Parameters
    ----------
    tokens : list of str
        The words.
    tags : list of str
        The tags, each once.
    emissions : array of shape (n_tokens, n_tags)
        The score of every tag at every token.
    transitions : array of shape (n_tags + 1, n_tags + 1)
        The score of a tag after another: the first row is from the start, row 1 + i from tag i, the last column to the
        end. −∞ where a tag may not follow, and no line is drawn.
    paths : dict of str to list of str
        Sequences of tags by what they are called, the best first; where several share a line they lie side by side.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    scores : dict of str to float
        The score of each path.
    lines_ : dict of str to line
        The paths as matplotlib's artists.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> display = rb.plots.LatticeDisplay(
    ...     tokens=["fish", "swim"], tags=["N", "V"], emissions=[[1, 0.5], [0, 2]],
    ...     transitions=[[0.5, 0, 0], [-1, 1, 0], [0, -1, 0.25]], paths={"best": ["N", "V"], "rival": ["V", "N"]},
    ... )
    >>> display.scores
    {'best': 4.75, 'rival': 0.5}
    """

    what = "a plot of a lattice"

    def __init__(
        self,
        *,
        tokens: Sequence[str],
        tags: Sequence[str],
        emissions: Any,
        transitions: Any,
        paths: Mapping[str, Sequence[str]],
    ) -> None:
        n, k = len(tokens), len(tags)
        self.tokens, self.tags = [*tokens], [*tags]
        self.emissions, self.transitions = np.asarray(emissions, float), np.asarray(transitions, float)
        for name, shape in (("emissions", (n, k)), ("transitions", (k + 1, k + 1))):
            if getattr(self, name).shape != shape:
                got = getattr(self, name).shape
                raise ValueError(f"{name} of {n} tokens and {k} tags must have the shape {shape}, got {got}")
        if not n or n * k > MOST_NODES:
            raise ValueError(f"a lattice of 1 to {MOST_NODES} nodes can be drawn, got {n} tokens × {k} tags")
        if len(paths) > len(LOOKS):
            raise ValueError(f"{len(LOOKS)} paths can be told apart, got {len(paths)}")
        self.paths = {name: self._codes(name, path) for name, path in paths.items()}
        self.scores = {name: self._score(path) for name, path in self.paths.items()}

    @classmethod
    def from_estimator(
        cls, estimator: Any, sentence: Sequence[Any], y: Sequence[str] | None = None, *, ax: Axes | None = None
    ) -> LatticeDisplay:
        """Draw the lattice of a sentence by the weights of a fitted tagger.

        Parameters
        ----------
        estimator : fitted SequenceTagger
            Of order 1.
        sentence : list of tokens
            As a sentence of its ``fit``.
        y : list of str or None, default=None
            The right tags, which are drawn beside the best; None, or if they are the best: the second-best.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        check_fitted(estimator)
        drawn = estimator.tag(sentence)
        rival = ("right", y) if y is not None and list(y) != list(drawn.tags) else ("second-best", drawn.runner_up)
        paths = {name: path for name, path in (("best", drawn.tags), rival) if path is not None}
        emissions = estimator._learner.emissions(estimator._rows([sentence]))
        display = cls(
            tokens=drawn.tokens, tags=estimator.classes_.tolist(), emissions=emissions,
            transitions=estimator.transitions_, paths=paths,
        )  # fmt: skip
        if display.scores["best"] == -np.inf:  # no sequence fits the constraints: the tags are those without them
            display.transitions = estimator._transitions(constrained=False)
            display.scores = {name: display._score(path) for name, path in display.paths.items()}
        return display.plot(ax)

    def _codes(self, name: str, path: Sequence[str]) -> list[int]:
        if len(path) != len(self.tokens):
            raise ValueError(f"the path {name!r} has {len(path)} tags for {len(self.tokens)} tokens")
        unknown = next((tag for tag in path if tag not in self.tags), None)
        if unknown is not None:
            raise ValueError(f"the path {name!r} has the tag {unknown!r}, which is none of {', '.join(self.tags)}")
        return [self.tags.index(tag) for tag in path]

    def _steps(self, path: Sequence[int]) -> list[float]:
        """The transitions of a path, from the start to the end."""
        rows, columns = [0, *(1 + code for code in path)], [*path, len(self.tags)]
        return [float(value) for value in self.transitions[rows, columns]]

    def _score(self, path: Sequence[int]) -> float:
        """The score of a path, summed as the learner does: token by token, emission before transition."""
        steps, score = self._steps(path), 0.0
        for t, code in enumerate(path):
            score = score + float(self.emissions[t, code]) + steps[t]
        return score + steps[-1]

    @property
    def _size(self) -> tuple[float, float]:
        return max(6.0, 1.7 * (len(self.tokens) + 2)), max(3.0, 0.95 * len(self.tags) + 1.6)

    def _draw(self, ax: Axes) -> None:
        n, k = self.emissions.shape
        middle = (k - 1) / 2
        for t, i, j in np.ndindex(n + 1, k, k):  # every transition that may be
            begin, end = (-1.0, middle) if t == 0 else (t - 1.0, i), (float(n), middle) if t == n else (float(t), j)
            allowed = np.isfinite(self.transitions[0 if t == 0 else 1 + i, k if t == n else j])
            if allowed and (t > 0 or i == 0) and (t < n or j == 0):
                ax.plot(*zip(begin, end), color=style.QUIET, lw=0.8, alpha=0.45, zorder=1)
        self.lines_ = {}
        for place, (name, path) in enumerate(self.paths.items()):
            shift = 0.07 * (place - (len(self.paths) - 1) / 2)
            y = [middle, *path, middle]
            (self.lines_[name],) = ax.plot(
                range(-1, n + 1), [value + shift for value in y], color=LOOKS[place][0], ls=LOOKS[place][1], lw=3.4,
                zorder=2, label=f"{name}: {_total(self.scores[name])}",
            )  # fmt: skip
        self._label_steps(ax)
        self._draw_nodes(ax)
        ax.set_xlim(-1.35, n + 0.35)
        ax.set_ylim(k - 0.4, -0.6)
        ax.set_xticks(range(-1, n + 1), ["start", *(style.short(token, 14) for token in self.tokens), "end"])
        ax.set_yticks(range(k), [style.short(tag, 14) for tag in self.tags])
        ax.tick_params(length=0)
        ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
        for spine in ax.spines.values():
            spine.set_visible(False)
        if self.paths:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=len(self.paths), frameon=False)

    def _label_steps(self, ax: Axes) -> None:
        """The transitions along the paths; one that paths share is written once, in ink."""
        middle = (len(self.tags) - 1) / 2
        for t in range(len(self.tokens) + 1):
            steps: dict[tuple[float, float], list[tuple[str, float]]] = {}
            for (colour, _), path in zip(LOOKS, self.paths.values()):
                y = [middle, *path, middle]
                steps.setdefault((y[t], y[t + 1]), []).append((colour, self._steps(path)[t]))
            heights: list[float] = []
            for (left, right), of_paths in steps.items():
                colour, value = of_paths[0] if len(of_paths) == 1 else (style.ink(ax), of_paths[0][1])
                along = 0.5  # between the tokens; away from there where lines cross
                while any(abs(left + along * (right - left) - height) < 0.3 for height in heights) and along > 0.2:
                    along -= 0.05
                heights.append(left + along * (right - left))
                ax.annotate(
                    _signed(value), (t - 1 + along, heights[-1]), ha="center", va="center", fontsize="small",
                    color=colour, bbox=style.plate(ax) | {"alpha": 0.9}, zorder=5,
                )  # fmt: skip

    def _draw_nodes(self, ax: Axes) -> None:
        """A plate for each tag of each token, darker where its emission is larger than others of the token."""
        n, k = self.emissions.shape
        low, high = self.emissions.min(axis=1), self.emissions.max(axis=1)
        for t, i in np.ndindex(n, k):
            strength = (self.emissions[t, i] - low[t]) / (high[t] - low[t]) if high[t] > low[t] else 0.0
            on_path = any(path[t] == i for path in self.paths.values())
            ax.annotate(
                _signed(float(self.emissions[t, i])), (t, i), ha="center", va="center", zorder=4,
                bbox={"boxstyle": "round,pad=0.35", "fc": style.tint(ax, style.COLOURS[1], 0.55 * strength),
                      "ec": style.ink(ax) if on_path else style.QUIET, "lw": 1.6 if on_path else 0.6},
            )  # fmt: skip
        for x in (-1, n):
            ax.plot(x, (k - 1) / 2, "o", color=style.ink(ax), zorder=4)


def _total(score: float) -> str:
    return "forbidden" if score == -np.inf else number(score)


def _signed(value: float) -> str:
    if value == -np.inf:
        return "forbidden"
    return f"{value:+.3g}".replace("-", "−") if value else "0"
