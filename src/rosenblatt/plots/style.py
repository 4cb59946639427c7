"""How every plot looks: colours and shapes that survive greyscale, slide-size type; matplotlib loaded when needed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's colours, which the colour-blind tell apart; neighbours differ in brightness too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
#: One shape for each class, so that colour is never alone; one more than colours, so that 42 classes differ.
MARKERS = ("s", "o", "^", "D", "v", "P", "p")
#: One dash for each line.
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
INK, QUIET = "#1a1a1a", "#767676"
#: Behind text that stands on something else.
PLATE = {"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.8}

#: What a figure of ours begins with; axes that are given keep the settings they have.
SLIDE: dict[Any, Any] = {
    "font.size": 14,
    "axes.titlesize": 15,
    "axes.labelsize": 14,
    "legend.fontsize": 12,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "lines.linewidth": 2.2,
    "lines.markersize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "none",
    "savefig.dpi": 100,
}


def pyplot(what: str) -> Any:
    """The pyplot of matplotlib, which draws ``what``; where it is missing, one sentence says which extra brings it."""
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError(f'{what} needs matplotlib: pip install "rosenblatt[plots]"') from error


@contextmanager
def canvas(ax: Any, what: str, figsize: tuple[float, float] = (8.0, 5.0), **options: Any) -> Iterator[Any]:
    """The axes given, or those of a new figure in the house style; ``options`` go to ``subplots``."""
    plt = pyplot(what)
    if ax is not None:
        yield ax
        return
    with plt.rc_context(SLIDE):
        _, made = plt.subplots(figsize=figsize, layout="constrained", **options)
        for one in np.ravel(made):
            one.tick_params(labelsize=SLIDE["xtick.labelsize"])
        yield made


def pair_of(axes: Any) -> Any:
    """Two axes as they may be given; None: a new figure."""
    if axes is not None and np.size(axes) != 2:
        raise ValueError(f"this plot has two panels: give a pair of axes as ax, got {np.size(axes)}")
    return None if axes is None else np.ravel(axes)


def few_ticks(most: int) -> Any:
    """A locator of round numbers, so many intervals at most."""
    return importlib.import_module("matplotlib.ticker").MaxNLocator(most)


def counted(axis: Any) -> None:
    """Whole numbers alone along an axis."""
    ticker = importlib.import_module("matplotlib.ticker")
    axis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """A colour mixed with white."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(1 - strength * (1 - part) for part in parts)  # type: ignore[return-value]


def class_style(code: int) -> dict[str, Any]:
    """Colour and shape of the points of a class."""
    return {"color": COLOURS[code % len(COLOURS)], "marker": MARKERS[code % len(MARKERS)]}


def class_names(classes: Sequence[Any]) -> list[str]:
    """The classes as a legend names them: −1 and +1 with their signs."""
    return ["−1", "+1"] if list(classes) == [-1, 1] else [str(label) for label in classes]


def beside(ax: Axes) -> None:
    """A legend to the right of the axes, where it hides nothing."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, handletextpad=0.5)
