"""The convergence proof in one picture: a line and a root that must meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..tracing import Trace
from ..tracing.wording import number
from . import style
from .display import FAR, TraceDisplay
from .history import History, floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


class ProofDisplay(TraceDisplay):
    """The convergence proof: what u·w and ‖w‖ do, between the lines that bound them.

    For the perceptron from zero, with u of length 1: ``γ·M ≤ u·w ≤ ‖w‖ ≤ R·√M`` after M updates. A line cannot stay
    below a root for ever: they meet at ``M = (R/γ)²``, and there must be no update beyond. For other rules, whose
    weights have no such ceiling, u·w and its floor alone.

    Parameters
    ----------
    updates : ndarray
        How many updates had been made.
    progress, floor : ndarray
        u·w, and what it is at least.
    norm, ceiling : ndarray or None, default=None
        ‖w‖, and what it is at most.
    bound : float or None, default=None
        Where the lines meet.
    unit : bool, default=True
        Whether u has length 1.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lines_ : dict
        The lines by name: "progress", "floor", "norm", "ceiling".
    """

    what = "a plot of the proof"

    def __init__(
        self, *, updates: Array, progress: Array, floor: Array, norm: Array | None = None,
        ceiling: Array | None = None, bound: float | None = None, unit: bool = True,
    ) -> None:  # fmt: skip
        self.updates, self.progress, self.floor, self.norm, self.ceiling = updates, progress, floor, norm, ceiling
        self.bound, self.unit = bound, unit

    @classmethod
    def from_trace(cls, run: Trace, *, ax: Axes | None = None) -> ProofDisplay:
        """Draw the proof beside a trace that was given a separator.

        Parameters
        ----------
        run : Trace
            The run, from ``rb.trace(…, separator=u)``.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        moves = [step for step in run.steps if step.moved]
        proofs = [step.proof for step in moves if step.proof is not None]
        if not proofs:
            why = "made no update" if run.steps and run.steps[0].proof is not None else "was given no separator"
            raise ValueError(f"the trace {why}, so there is no proof to draw: rb.trace(est, X, y, separator=u)")
        History.of(run)  # says so if updates are left out
        updates = np.cumsum([0, *(step.updates for step in moves)])
        progress, floor = (
            floats([0, *(getattr(proof, name) for proof in proofs)]) for name in ("progress", "progress_floor")
        )
        known = next((proof for proof in proofs if proof.cosine_floor), None)
        if known is None or known.cosine_floor is None or known.norm2_ceiling is None:  # another rule, or another start
            return cls(updates=updates, progress=progress, floor=floor, unit=False).plot(ax)
        norm, ceiling = (
            np.sqrt(floats([0, *(getattr(proof, name) for proof in proofs)])) for name in ("norm2", "norm2_ceiling")
        )
        length = float(known.progress_floor) / (known.cosine_floor * float(known.norm2_ceiling) ** 0.5)  # ‖u‖
        bound = None if run.bound is None else float(run.bound)
        return cls(
            updates=updates, progress=progress / length, floor=floor / length, norm=norm, ceiling=ceiling, bound=bound
        ).plot(ax)

    def _draw(self, ax: Axes) -> None:
        blue, orange, marker = style.COLOURS[0], style.COLOURS[5], "o" if len(self.updates) <= 60 else None
        self.lines_: dict[str, Any] = {}
        if self.norm is not None and self.ceiling is not None:
            self._beyond(ax)
            self._line(ax, "ceiling", self.ceiling, "R·√M, the most", orange, ls="--")
            self._line(ax, "norm", self.norm, "‖w‖", orange, marker=marker)
        u = "u·w" if self.unit else "u·(w − w₀)"
        self._line(ax, "progress", self.progress, u, blue, marker=marker and "s")
        self._line(ax, "floor", self.floor, "γ·M, the least" if self.unit else "the least", blue, ls="--")
        ax.set_xlabel("updates M")
        ax.set_ylabel(f"{u} and ‖w‖ (‖u‖ = 1)" if self.unit else u)
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        style.counted(ax.xaxis)
        ax.legend(loc="upper left")

    def _line(self, ax: Axes, name: str, values: Array, label: str, colour: str, **options: Any) -> None:
        (self.lines_[name],) = ax.plot(self.updates, values, color=colour, label=label, **options)

    def _beyond(self, ax: Axes) -> None:
        """The two lines on to where they meet, if that is in sight."""
        assert self.ceiling is not None
        last = int(self.updates[-1])
        if self.bound is None or not last or self.bound > FAR * last:
            if self.bound is not None:
                ax.plot([], [], " ", label=f"they meet at M = {number(self.bound)}")
            return
        M = np.linspace(last, self.bound, 100)
        for values, power in ((self.floor, 1.0), (self.ceiling, 0.5)):
            ax.plot(M, values[-1] * (M / last) ** power, color=style.QUIET, ls=":", lw=1.6)
        ax.axvline(self.bound, color=style.ink(ax), lw=1.2, ls="-.", label=f"they meet at M = {number(self.bound)}")
