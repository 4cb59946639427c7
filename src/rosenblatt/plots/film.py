"""An animation as GIF or MP4, drawn by matplotlib with the displays of this package."""

from __future__ import annotations

import importlib
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from ..films.storyboard import Storyboard
from . import plane, style
from .boundary import BoundaryDisplay
from .history import History
from .weights import WeightsDisplay

#: Pixels an inch.
DPI = 80


def made(story: Storyboard, kind: str, fps: float) -> bytes:
    """The film as the bytes of a file."""
    if not (isinstance(fps, (int, float)) and 0 < fps <= 60):
        raise ValueError(f"fps must be a number above 0 and at most 60, got {fps!r}")
    plt = style.pyplot(f"a {kind} film")
    animation: Any = importlib.import_module("matplotlib.animation")
    if kind == ".mp4" and not animation.FFMpegWriter.isAvailable():
        raise RuntimeError(
            "an .mp4 film needs the program ffmpeg, which was not found: install it, or save .gif or .html"
        )
    with tempfile.TemporaryDirectory() as folder, plt.rc_context(style.SLIDE):
        figure, axes = plt.subplots(ncols=2, figsize=(12, 6), gridspec_kw={"width_ratios": [1, 1]})
        figure.subplots_adjust(left=0.07, right=0.99, bottom=0.12, top=0.9, wspace=0.12)
        try:
            target = Path(folder, "film" + kind)
            writer = (animation.PillowWriter if kind == ".gif" else animation.FFMpegWriter)(fps=fps)
            record, history = story.record(), History.of(story.trace)
            with writer.saving(figure, str(target), dpi=DPI):
                for frame in record["frames"]:
                    _draw(axes, history, record, frame)
                    writer.grab_frame()
            return target.read_bytes()
        finally:
            plt.close(figure)


def _draw(axes: Any, history: History, record: dict[str, Any], frame: dict[str, Any]) -> None:
    """One frame: the picture, and the numbers beside it."""
    for ax in axes:
        ax.clear()
        ax.tick_params(labelsize=style.SLIDE["xtick.labelsize"])
    axes[0].figure.suptitle(record["title"], fontsize=16)
    if record["picture"] == "weights":
        _bars(axes[0], record, frame)
    else:
        shown = BoundaryDisplay.at_move(history, frame["state"], grid_resolution=80)
        shown.support = None
        shown.plot(axes[0], legend=False)
        if frame["row"] is not None:
            plane.rings(axes[0], history.X[[frame["row"]]], "this example")
    lines = []
    for name, text in frame["numbers"]:
        lines += textwrap.wrap(f"{name}:  {text}", 52, subsequent_indent="      ")
    axes[1].set_axis_off()
    axes[1].text(0, 1, "\n".join(lines), va="top", fontsize=15, linespacing=1.7)


def _bars(ax: Any, record: dict[str, Any], frame: dict[str, Any]) -> None:
    weights = np.array([state["vectors"][1] for state in record["states"]])
    against, towards = record["classes"]
    WeightsDisplay(
        weights=weights[frame["state"]], names=[*record["names"], "bias"], towards=towards, against=against
    ).plot(ax)
    ax.invert_yaxis()
    most = np.abs(weights).max() or 1.0
    ax.set_xlim(-1.1 * most, 1.1 * most)
