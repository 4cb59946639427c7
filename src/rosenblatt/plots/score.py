"""The score of one example over a run, and how it jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..tracing import Trace
from ..tracing.wording import number
from . import style
from .display import TraceDisplay
from .history import History, floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


class ScoreDisplay(TraceDisplay):
    """The score of one example over a run: it jumps by ``‖x‖² + 1`` with each update on that example.

    Parameters
    ----------
    steps : ndarray
        Numbers of the steps that moved the weights, 0 the first.
    scores : ndarray
        The score of the example after them.
    own : ndarray of bool
        Which of them were updates on the example itself.
    row : int
        Its row.
    sign : int
        +1 or −1: what it is.
    square : str
        What the jump is made of, such as "‖x‖² + 1".

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    line_, jumps_
        The score, and the heights of the jumps on the example itself.
    """

    what = "a plot of a score"

    def __init__(self, *, steps: Array, scores: Array, own: Array, row: int, sign: int, square: str) -> None:
        self.steps, self.scores, self.own, self.row, self.sign, self.square = steps, scores, own, row, sign, square

    @classmethod
    def from_trace(cls, run: Trace, row: int = 0, *, ax: Axes | None = None) -> ScoreDisplay:
        """Draw the score of a row of a trace.

        Parameters
        ----------
        run : Trace
            The run, of two classes.
        row : int, default=0
            Which row.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        if run.setting.several:
            raise ValueError("the score of an example is drawn for two classes; here each class has a score")
        history, data, setting = History.of(run), run.data, run.setting
        if not 0 <= row < len(data.X):
            raise ValueError(f"row must lie between 0 and {len(data.X) - 1}, got {row}")
        scores = history.scores(history.image(floats([data.X[row]])))[:, 0, 0]
        square = (
            "K(x, x)"
            if setting.kernel is not None
            else f"‖x‖² + {setting.constant**2:g}"
            if setting.fit_intercept
            else "‖x‖²"
        )
        taus = {nearest for step in run.steps if step.moved for nearest in floats([step.tau]).tolist()}
        return cls(
            steps=np.array([0, *(move.number for move in history.moves)]), scores=scores,
            own=np.array([False, *(move.row == row for move in history.moves)]), row=row,
            sign=1 if data.y[row] == history.classes[1] else -1, square=square if taus == {1.0} else f"τ·({square})",
        ).plot(ax)  # fmt: skip

    def _draw(self, ax: Axes) -> None:
        colour = style.COLOURS[1 if self.sign > 0 else 0]
        (self.line_,) = ax.plot(
            self.steps, self.scores, drawstyle="steps-post", color=style.ink(ax), marker=".",
            label=f"score of row {self.row}",
        )  # fmt: skip
        before = np.concatenate(([0.0], self.scores[:-1]))
        self.jumps_ = (self.scores - before)[self.own]
        ax.vlines(
            self.steps[self.own], before[self.own], self.scores[self.own], color=style.COLOURS[5], lw=5, alpha=0.75,
            label=f"updates on it: {self._jump()}",
        )  # fmt: skip
        ax.axhline(0, color=style.QUIET, lw=1.2)
        low, high = ax.get_ylim()
        side = (0, high) if self.sign > 0 else (low, 0)
        label = f"the right side: it is {'+' if self.sign > 0 else '−'}"
        ax.axhspan(*side, color=style.tint(ax, colour, 0.2), zorder=0, label=label)
        ax.set_ylim(low, high)
        ax.set_xlabel("step")
        ax.set_ylabel("score s = w·x" + (" + b" if "1" in self.square else ""))
        style.counted(ax.xaxis)
        ax.legend(loc="best")

    def _jump(self) -> str:
        heights = np.unique(np.round(self.jumps_, 9))
        if len(heights) != 1:
            return f"±{self.square} each"
        return f"{'+' if heights[0] > 0 else '−'}({self.square}) = {number(float(heights[0]))}"
