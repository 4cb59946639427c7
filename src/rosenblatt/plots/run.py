"""The pictures of a trace by name, and all of them in one figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing import Trace
from . import style
from .boundary import BoundaryDisplay
from .history import History
from .margins import MarginBoundsDisplay
from .mistakes import MistakesDisplay
from .proof import ProofDisplay
from .score import ScoreDisplay

#: The pictures of a trace by name.
PICTURES: dict[str, Any] = {
    "boundary": BoundaryDisplay,
    "mistakes": MistakesDisplay,
    "margins": MarginBoundsDisplay,
    "proof": ProofDisplay,
    "score": ScoreDisplay,
}


class RunDisplay:
    """All pictures of a run that there are, in one figure.

    Parameters
    ----------
    run : Trace
        The run.

    Attributes
    ----------
    displays : dict
        The pictures by name.
    axes_, figure_
        Where they were drawn.
    """

    def __init__(self, run: Trace) -> None:
        self.run, self.displays = run, {}  # type: tuple[Trace, dict[str, Any]]

    def plot(self) -> RunDisplay:
        """Draw it in a new figure."""
        run = self.run
        if run.setting.form == "regression":
            raise ValueError("a regression has no boundary, mistakes or margin to draw; trace a classifier")
        wanted = ["mistakes"]
        if run.setting.n_features == 2 and getattr(run.data.kernel, "name", "") != "precomputed":
            wanted.insert(0, "boundary")
        if run.n_updates:
            wanted += ["margins"] * bool(np.isfinite(History.of(run).upper).any())
            wanted += ["proof"] * (run.steps[0].proof is not None)
        with style.canvas(
            None, "a plot of a run", (7.6 * min(2, len(wanted)), 5 * -(-len(wanted) // 2)),
            nrows=-(-len(wanted) // 2), ncols=min(2, len(wanted)), squeeze=False,
        ) as axes:  # fmt: skip
            for name, ax in zip(wanted, axes.ravel()):
                self.displays[name] = PICTURES[name].from_trace(run, ax=ax)
            for ax in axes.ravel()[len(wanted) :]:
                ax.set_axis_off()
            self.axes_, self.figure_ = axes, axes[0, 0].figure
            self.figure_.suptitle(f"{run.setting.name}: {run.verdict}")
        return self


def plot_trace(run: Trace, what: str | None = None, **options: Any) -> Any:
    """What ``Trace.plot`` draws.

    Parameters
    ----------
    run : Trace
        The run.
    what : {"boundary", "mistakes", "margins", "proof", "score"}, default=None
        One picture; None: all of them that the trace has.
    **options
        What the picture takes.
    """
    if what is None:
        if options:
            raise ValueError(
                f"all pictures together make a figure of their own: name one to give it {', '.join(options)}"
            )
        return RunDisplay(run).plot()
    if what not in PICTURES:
        raise ValueError(f"a trace is drawn as {', '.join(map(repr, PICTURES))} or None, got {what!r}")
    return PICTURES[what].from_trace(run, **options)
