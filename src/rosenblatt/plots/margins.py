"""The two bounds on the best margin, closing in on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..tracing import Trace
from ..tracing.wording import number
from . import style
from .display import TraceDisplay
from .history import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


class MarginBoundsDisplay(TraceDisplay):
    """The two bounds on the best possible margin, closing in on each other with the updates.

    The smallest margin of weights that the run has had shows that a margin is possible, and ``‖w − w₀‖/Σ τ`` that no
    more than that is: ``γ_lower ≤ γ* ≤ γ_upper``, at any time, for every additive rule. With a bias they are margins of
    the vectors (x, 1).

    Parameters
    ----------
    updates : ndarray
        How many updates had been made.
    lower, upper : ndarray
        The bounds after them.
    best : float or None, default=None
        γ*, if it is known.
    image : str, default="x"
        What the margins are of.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lower_, upper_
        The lines.
    """

    what = "a plot of margin bounds"

    def __init__(
        self, *, updates: Array, lower: Array, upper: Array, best: float | None = None, image: str = "x"
    ) -> None:
        self.updates, self.lower, self.upper, self.best, self.image = updates, lower, upper, best, image

    @classmethod
    def from_trace(cls, run: Trace, *, best: float | None = None, ax: Axes | None = None) -> MarginBoundsDisplay:
        """Draw the bounds of a trace.

        Parameters
        ----------
        run : Trace
            The run.
        best : float, default=None
            γ*, such as ``rb.separability(X, y).margin_augmented``, to be drawn between them.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        history = History.of(run)
        if not history.moves:
            raise ValueError("the run made no update, so it has no bounds to draw")
        if not np.isfinite(history.upper).any():
            raise ValueError(
                "the rule of this run bounds no margin from above, so that there are no two bounds to draw"
            )
        image = (
            "φ(x)"
            if run.setting.kernel is not None
            else f"(x, {run.setting.constant:g})"
            if run.setting.fit_intercept
            else "x"
        )
        return cls(updates=history.updates, lower=history.lower, upper=history.upper, best=best, image=image).plot(ax)

    def _draw(self, ax: Axes) -> None:
        finite = np.isfinite(self.lower) & np.isfinite(self.upper)
        M, lower, upper = self.updates[finite], self.lower[finite], self.upper[finite]
        few = "o" if len(M) <= 60 else None
        options: dict[str, Any] = {"drawstyle": "steps-post", "markersize": 6}
        (self.upper_,) = ax.plot(
            M, upper, color=style.COLOURS[5], marker=few, **options,
            label=rf"$\gamma_{{upper}}$ = ‖w − w₀‖/Σ τ: {number(float(upper[-1]))}",
        )  # fmt: skip
        (self.lower_,) = ax.plot(
            M, lower, color=style.COLOURS[0], ls="--", marker=few and "s", **options,
            label=rf"$\gamma_{{lower}}$, shown by w: {number(float(lower[-1]))}",
        )  # fmt: skip
        ax.fill_between(M, lower, upper, step="post", color=style.QUIET, alpha=0.15, label="γ* lies here")
        if self.best is not None:
            ax.axhline(self.best, color=style.ink(ax), ls=":", label=f"the best margin γ*: {number(float(self.best))}")
        ax.axhline(0, color=style.QUIET, lw=1)
        top = min(float(upper[0]), 4 * float(upper[-1])) or 1.0  # the first bounds are far off
        ax.set_ylim(max(float(lower.min()), -0.6 * top) - 0.05 * top, 1.08 * top)
        ax.set_xlabel("updates")
        ax.set_ylabel(f"margin of {self.image}" + ("" if "φ" in self.image else " (units of x)"))
        style.counted(ax.xaxis)
        ax.legend(loc="upper right")
