"""Why the number of mistakes cannot be descended and the perceptron criterion can: both over one weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..theory import inputs
from ..tracing.wording import number
from . import plane, style

Array = NDArray[Any]

#: At more corners than this, every so many are looked at.
MOST = 1000


class CriterionDisplay:
    """Mistakes and the perceptron criterion as one weight changes and the others stay.

    The number of mistakes is piecewise constant: it has no slope to follow. The criterion ``Σ max(0, −y·s)`` is
    continuous, convex and made of straight pieces, with corners where a point changes sides: its slope says which way
    to go. Both are drawn exactly, from corner to corner.

    Parameters
    ----------
    corners : ndarray of shape (n,)
        Values of the weight where something changes, and the ends of the picture.
    mistakes : ndarray of shape (n − 1,)
        Between them.
    loss : ndarray of shape (n,)
        The criterion at them.
    at : float
        Where the weight is now.
    at_loss, slope : float
        The criterion there, and its derivative.
    at_mistakes : int
        The mistakes there.
    name : str
        Of the weight.

    Attributes
    ----------
    ax_, axes_, figure_
        Where it was drawn: the criterion, both panels, the figure.
    stairs_, line_
        Mistakes and criterion, as matplotlib's artists.
    """

    def __init__(
        self, *, corners: Array, mistakes: Array, loss: Array, at: float, at_loss: float, slope: float,
        at_mistakes: int, name: str,
    ) -> None:  # fmt: skip
        self.corners, self.mistakes, self.loss, self.name = corners, mistakes, loss, name
        self.at, self.at_loss, self.slope, self.at_mistakes = at, at_loss, slope, at_mistakes

    @classmethod
    def from_weights(
        cls,
        X: Any,
        y: Any,
        w: Any,
        b: float = 0.0,
        *,
        weight: int = 0,
        span: tuple[float, float] | None = None,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> CriterionDisplay:
        """Draw both around some weights.

        Parameters
        ----------
        X, y : array-like
            Rows and labels of two classes.
        w : array of shape (n_features,), or a fitted estimator
            The weights.
        b : float, default=0.0
            Their bias.
        weight : int, default=0
            Which weight changes.
        span : (float, float), default=None
            From where to where; None: wide enough to show the corners around it.
        feature_names : list of str, default=None
            Names of the features; None: those of the data frame.
        ax : pair of Axes, default=None
            Where to draw; None: a new figure.
        """
        names = plane.names_of(X, feature_names)
        rows = plane.table(X)
        known = inputs.encode_labels(y, len(rows))
        if len(known.classes) != 2:
            raise ValueError(f"the criterion is drawn over one weight of two classes, but y holds {len(known.classes)}")
        weights = inputs.as_weights(w, b, rows.shape[1])
        vector, bias = weights.w[0], float(weights.b[0])
        if not 0 <= weight < len(vector):
            raise ValueError(f"weight must lie between 0 and {len(vector) - 1}, got {weight}")

        def loss(value: float) -> theory.margins.PerceptronLoss:
            return theory.perceptron_loss(rows, y, [*vector[:weight], value, *vector[weight + 1 :]], bias)

        column, at = rows[:, weight], float(vector[weight])
        rest = rows @ vector + bias - at * column
        crossing = np.unique(-rest[column != 0] / column[column != 0])
        low, high = _around(crossing, at) if span is None else span
        if not low < high:
            raise ValueError(f"span must be two numbers, the smaller first; got {span}")
        inside = crossing[(low < crossing) & (crossing < high)]
        corners = np.unique(np.concatenate(([low], inside[:: 1 + len(inside) // MOST], [high])))
        middles = (corners[:-1] + corners[1:]) / 2
        here, name = loss(at), (names or plane.numbered(len(vector)))[weight]
        return cls(
            corners=corners,
            mistakes=np.array([len(loss(v).mistaken) for v in middles]),
            loss=np.array([float(loss(v)) for v in corners]),
            at=at,
            at_loss=float(here),
            at_mistakes=len(here.mistaken),
            slope=float(np.ravel(here.gradient)[weight]),
            name=f"weight of {name}",
        ).plot(ax)

    def plot(self, ax: Any = None) -> CriterionDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : pair of Axes, default=None
            Where: mistakes above, the criterion below; None: a new figure.
        """
        pair = style.pair_of(ax)
        with style.canvas(pair, "a plot of the criterion", (8, 6.4), nrows=2, sharex=True) as axes:
            above, below = self.axes_ = axes
            self.ax_, self.figure_ = below, below.figure
            self.stairs_ = above.stairs(self.mistakes, self.corners, color=style.COLOURS[0], lw=2.6, baseline=None)
            above.plot(self.at, self.at_mistakes, "o", color=style.COLOURS[5], ms=11, mec=style.ink(above), zorder=5)
            above.set_ylabel("mistakes")
            above.set_ylim(-0.4, max(self.mistakes.max(), 1) * 1.25)
            style.counted(above.yaxis)
            above.set_title("mistakes: flat, no slope to follow", loc="left")
            (self.line_,) = below.plot(self.corners, self.loss, color=style.COLOURS[0], lw=2.6)
            below.plot(self.at, self.at_loss, "o", color=style.COLOURS[5], ms=11, mec=style.ink(below), zorder=5)
            self._downhill(below)
            below.set_ylabel("criterion Σ max(0, −y·s)")
            below.set_xlabel(self.name)
            below.set_xlim(self.corners[0], self.corners[-1])
            slope = (
                f"slope {number(self.slope)}: go {'left' if self.slope > 0 else 'right'}" if self.slope else "slope 0"
            )
            below.set_title(f"the perceptron criterion: {slope}", loc="left")
        return self

    def _downhill(self, ax: Any) -> None:
        """An arrow along the slope, a fifth of the way to the end of the picture."""
        if not self.slope:
            return
        move = -np.sign(self.slope) * 0.16 * (self.corners[-1] - self.corners[0])
        ax.annotate(
            "", xy=(self.at + move, self.at_loss + self.slope * move), xytext=(self.at, self.at_loss),
            arrowprops={"arrowstyle": "-|>", "color": style.COLOURS[5], "lw": 3, "mutation_scale": 22}, zorder=6,
        )  # fmt: skip


def _around(crossing: Array, at: float) -> tuple[float, float]:
    """A range with the corners in it, without those far off."""
    if not len(crossing):
        return at - 1.0, at + 1.0
    low, high = np.quantile(np.append(crossing, at), [0.05, 0.95])
    room = 0.35 * max(high - low, abs(at), 1e-3)
    return float(min(low, at) - room), float(max(high, at) + room)
