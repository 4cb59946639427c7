"""How every plot looks: colours and shapes that survive greyscale, slide-size type; matplotlib loaded when needed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..films.looks import COLOURS as COLOURS
from ..films.looks import class_names as class_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One shape for each class, so that colour is never alone; fewer than colours, so that 56 classes differ. Those of the
#: playground too.
MARKERS = ("s", "o", "^", "D", "v", "P", "p")
#: One dash for each line.
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
INK, CHALK, QUIET = "#1a1a1a", "#f2f2f2", "#767676"
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


def ground(ax: Any) -> tuple[float, float, float]:
    """The colour that is drawn on: that of the axes, or of the figure behind axes one can see through."""
    to_rgba = importlib.import_module("matplotlib.colors").to_rgba
    for behind in (ax, ax.figure):
        *colour, alpha = to_rgba(behind.get_facecolor())
        if alpha > 0:
            return tuple(colour)
    return 1.0, 1.0, 1.0


def is_dark(ax: Any) -> bool:
    """Whether it is drawn on a dark ground, such as that of matplotlib's ``dark_background``."""
    return float(np.dot(ground(ax), (0.2126, 0.7152, 0.0722))) < 0.5


def ink(ax: Any) -> str:
    """The colour of lines and letters: it stands out from the ground."""
    return CHALK if is_dark(ax) else INK


def plate(ax: Any) -> dict[str, Any]:
    """What is behind text that stands on something else."""
    return PLATE | {"fc": ground(ax)}


def tint(ax: Any, colour: str, strength: float) -> tuple[float, float, float]:
    """A colour mixed with the ground."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(back + strength * (part - back) for part, back in zip(parts, ground(ax)))  # type: ignore[return-value]


def class_style(code: int) -> dict[str, Any]:
    """Colour and shape of the points of a class."""
    return {"color": COLOURS[code % len(COLOURS)], "marker": MARKERS[code % len(MARKERS)]}


def short(name: str, most: int = 28) -> str:
    """A name, or the beginning and the end of a long one."""
    return name if len(name) <= most else f"{name[: most // 2].rstrip()}…{name[1 - most // 2 :].lstrip()}"


def beside(ax: Axes) -> None:
    """A legend to the right of the axes, where the figure makes room for it; else inside them, away from neighbours."""
    if not ax.get_legend_handles_labels()[0]:
        return
    if ax.figure.get_layout_engine() is None:
        ax.legend(loc="best", handletextpad=0.5, fontsize="small", framealpha=0.7)
    else:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, handletextpad=0.5)
