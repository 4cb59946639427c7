"""What switching the signs of the negative class does: two classes on two sides become one cloud on one side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import plane, style
from .boundary import BoundaryDisplay

Array = NDArray[Any]


class SignsDisplay:
    """The same separator twice: beside the points x of two classes, and beside ``z = y·x``.

    A boundary through the origin separates the classes just if ``w·z > 0`` for every z: the points of the negative
    class, mirrored at the origin, must lie on the side of w with all the others. To look for a separator is to look for
    one vector w that has an acute angle with every z.

    Parameters
    ----------
    before : BoundaryDisplay
        The picture of the points x.

    Attributes
    ----------
    z : ndarray of shape (n_samples, 2)
        The points with their signs switched.
    ax_, axes_, figure_
        Where it was drawn: the right panel, both panels, the figure.
    """

    def __init__(self, *, before: BoundaryDisplay) -> None:
        self.before = before
        self.z = before.X * np.where(before.codes == 1, 1.0, -1.0)[:, None]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **options: Any) -> SignsDisplay:
        """Draw the separator of a fitted linear classifier of two classes without a bias.

        Parameters
        ----------
        estimator : fitted classifier
            With ``fit_intercept=False``.
        X : array or DataFrame of shape (n_samples, 2)
            The points.
        y : array of shape (n_samples,)
            Their labels, of two classes.
        ax : pair of Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``BoundaryDisplay.from_estimator`` takes.
        """
        pair = style.pair_of(ax)
        with style.canvas(pair, "a plot of signs", (12, 5.6), ncols=2) as axes:
            before = BoundaryDisplay.from_estimator(estimator, X, y, ax=axes[0], legend=False, **options)
            if before.w is None:
                raise ValueError("signs are switched for a linear boundary between two classes; this model has none")
            if before.b:
                raise ValueError(
                    "with a bias the vectors are (x, 1) and this picture would have three dimensions; fit the model "
                    "with fit_intercept=False"
                )
            return cls(before=before).plot(axes)

    def plot(self, ax: Any = None) -> SignsDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : pair of Axes, default=None
            Where to draw; None: a new figure.
        """
        pair, before = style.pair_of(ax), self.before
        with style.canvas(pair, "a plot of signs", (12, 5.6), ncols=2) as axes:
            self.axes_, self.ax_, self.figure_ = axes, axes[1], axes[1].figure
            everything = np.vstack((before.X, self.z, np.zeros((1, 2))))
            low, high = plane.span(everything)
            xx0, xx1, points = plane.grid(low, high, 50)
            response = (points @ before.w)[:, None].reshape(*xx0.shape, 1)
            for ax, X, title in (
                (axes[0], before.X, "x: a side for each class"),
                (axes[1], self.z, "z = y·x: one side"),
            ):
                ax.clear()
                ax.tick_params(labelsize=style.SLIDE["xtick.labelsize"] if pair is None else None)
                BoundaryDisplay(
                    X=X, codes=before.codes, classes=before.classes, xx0=xx0, xx1=xx1, response=response,
                    names=before.names, w=before.w, b=0.0, title=title,
                ).plot(ax, legend=False)  # fmt: skip
                ax.plot(0, 0, "+", color=style.ink(ax), ms=12, mew=2, zorder=3)
            self._mirrored(axes[1])
            axes[1].set_xlabel(f"y·{before.names[0]}")
            axes[1].set_ylabel(f"y·{before.names[1]}")
            style.beside(axes[1])
        return self

    def _mirrored(self, ax: Any) -> None:
        """Where the points of the negative class were, and the way through the origin that they went."""
        moved = self.before.codes == 0
        for x, z in zip(self.before.X[moved], self.z[moved]):
            ax.plot(*zip(x, z), color=style.QUIET, ls=":", lw=1.4, zorder=2)
        ax.scatter(
            *self.before.X[moved].T, marker=style.MARKERS[0], facecolors="none", edgecolors=style.QUIET, s=60, zorder=3,
            label="before the switch",
        )  # fmt: skip
