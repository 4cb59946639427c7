"""Mistakes of each pass, their sum, and the bound on it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import theory
from ..tracing import Trace
from ..tracing.wording import number
from . import style
from .display import FAR, Display, best_separator

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MistakesDisplay(Display):
    """Mistakes of each pass, their sum so far, and the bound that the sum cannot cross.

    Parameters
    ----------
    mistakes : list of int
        Of each pass.
    bound : float or None, default=None
        So many at most, over all passes.
    formula : str, default="(R/γ)²"
        Where the bound comes from.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    bars_, line_, bound_
        Passes, sum and bound, as matplotlib's artists; ``bound_`` is None where no line is drawn.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    >>> model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> display = rb.plots.MistakesDisplay.from_estimator(model, X, y)
    >>> display.mistakes, round(display.bound, 6)
    ([2, 2, 2, 2, 2, 2, 1, 0], 65.0)
    """

    what = "a plot of mistakes"

    def __init__(self, *, mistakes: Sequence[int], bound: float | None = None, formula: str = "(R/γ)²") -> None:
        self.mistakes, self.bound, self.formula = [int(count) for count in mistakes], bound, formula

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, separator: Any = "best", ax: Axes | None = None
    ) -> MistakesDisplay:
        """Draw the mistakes of a fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier
            One of this package's.
        X, y : array-like, default=None
            What it was fitted on; None: no bound is drawn.
        separator : "best", None, or what ``rb.mistake_bound`` takes as w, default="best"
            The weights that the bound is computed by; "best": those of ``rb.separability``, and no bound where there
            are none or no theorem speaks of the learner.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        if not hasattr(type(estimator), "mistakes_"):
            raise TypeError(f"mistakes are counted by classifiers of this package, got {type(estimator).__name__}")
        mistakes = estimator.mistakes_.tolist()
        bound = None
        if X is not None and isinstance(separator, str) and separator == "best":
            w = best_separator(estimator, X, y)
            with contextlib.suppress(ValueError):  # of some learners no bound speaks: then none is drawn
                bound = None if w is None else theory.mistake_bound(X, y, *w, estimator=estimator)
        elif X is not None and separator is not None:
            pair = separator if isinstance(separator, tuple) else (separator, 0.0)
            bound = theory.mistake_bound(X, y, *pair, estimator=estimator)
        if bound is None or bound.D > 0:  # a bound on one pass alone says nothing of the sum
            return cls(mistakes=mistakes).plot(ax)
        return cls(mistakes=mistakes, bound=float(bound), formula=bound.theorem.partition(",")[0]).plot(ax)

    @classmethod
    def from_trace(cls, run: Trace, *, ax: Axes | None = None) -> MistakesDisplay:
        """Draw the mistakes of a trace, with the bound if it was given a separator.

        Parameters
        ----------
        run : Trace
            The run.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        if not run.mistakes:
            raise ValueError("a regression counts no mistakes; trace a classifier")
        bound = None if run.bound is None else float(run.bound)
        return cls(mistakes=run.mistakes, bound=bound, formula="").plot(ax)

    def _draw(self, ax: Axes) -> None:
        self.bound_: Any = None
        passes, total = np.arange(1, len(self.mistakes) + 1), np.cumsum(self.mistakes)
        few = len(passes) <= 40
        self.bars_ = ax.bar(
            passes, self.mistakes, width=0.7 if few else 1.0, color=style.tint(ax, style.COLOURS[0], 0.55),
            edgecolor=style.COLOURS[0] if few else "none", label="in the pass",
        )  # fmt: skip
        (self.line_,) = ax.plot(
            passes, total, color=style.COLOURS[5], marker="o" if few else None, label=f"so far: {total[-1]:,}"
        )
        if self.bound is not None:
            label = f"bound: {self.formula + ' = ' if self.formula else ''}{number(self.bound)}"
            if self.bound <= FAR * max(total[-1], 1):
                self.bound_ = ax.axhline(self.bound, color=style.ink(ax), ls="--", label=label)
            else:
                ax.plot([], [], color=style.ink(ax), ls="--", label=label + ", far above")
        ax.set_xlabel("pass")
        ax.set_ylabel("mistakes (examples)")
        ax.set_ylim(bottom=0)
        style.counted(ax.xaxis)
        style.counted(ax.yaxis)
        ax.legend(loc="best")
