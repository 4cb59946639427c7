"""What is drawn over two features: their names and range, a grid, the points of each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core import labels
from ..core.engine import is_sparse
from ..films.looks import around
from ..films.looks import numbered as numbered
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

#: So many classes have a name in the legend.
MANY = 12


def table(X: Any) -> Array:
    """X as floats, whatever holds it."""
    X = X.toarray() if is_sparse(X) else X
    return np.asarray(X, dtype=np.float64)


def names_of(X: Any, names: Sequence[str] | None = None) -> list[str] | None:
    """The names of the columns: these, those of a data frame, or None."""
    if names is not None:
        return [str(name) for name in names]
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def encoded(y: Any, classes: Any, n_rows: int) -> Array:
    """The places of labels among the classes."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (n_rows,):
        raise ValueError(f"y must hold one label for each of the {n_rows} rows of X, got the shape {y.shape}")
    codes = labels.encode(y, np.asarray(classes))
    if np.any(codes < 0):
        row = int(np.flatnonzero(codes < 0)[0])
        known = ", ".join(repr(label) for label in np.asarray(classes).tolist())
        raise ValueError(f"y[{row}] is {y.tolist()[row]!r}, which is none of the classes {known}")
    return np.asarray(codes)


def span(X: Array, room: float = 0.15) -> tuple[Array, Array]:
    """The corners of the picture: the range of the points with some room around."""
    low, high = around(X.min(axis=0).tolist(), X.max(axis=0).tolist(), room)
    return np.array(low), np.array(high)


def is_to_scale(low: Array, high: Array) -> bool:
    """Whether both sides have the same unit, so that right angles look right."""
    side = high - low
    return bool(np.isclose(side[0], side[1]))


def grid(low: Array, high: Array, resolution: int) -> tuple[Array, Array, Array]:
    """Two coordinate matrices, and their points as rows."""
    xx, yy = np.meshgrid(*(np.linspace(a, b, resolution) for a, b in zip(low, high)))
    return xx, yy, np.column_stack((xx.ravel(), yy.ravel()))


def like(X: Any, rows: Array) -> Any:
    """Rows in a table of the same kind, so that a model knows its columns."""
    return type(X)(dict(zip(X.columns, rows.T))) if hasattr(X, "columns") else rows


def frame(ax: Axes, low: Array, high: Array, names: Sequence[str]) -> None:
    """Range, scale and names of the axes."""
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    if is_to_scale(low, high):
        ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel(style.short(names[0], 40))
    ax.set_ylabel(style.short(names[1], 40))


def points(ax: Axes, X: Array, codes: Array, classes: Sequence[Any]) -> None:
    """The points of each class in its colour and shape, the smaller the more there are."""
    names = [style.short(name) for name in style.class_names(classes)]
    if len(names) > MANY:  # so that the legend is no longer than the picture
        names = [*names[: MANY - 1], f"… {len(names) - MANY + 1} more classes", *[""] * (len(names) - MANY)]
    for code, name in enumerate(names):
        here = X[codes == code]
        ax.scatter(
            here[:, 0], here[:, 1], s=float(np.clip(16_000 / len(X), 14, 80)), edgecolors=style.ink(ax), linewidths=1,
            zorder=4, label=name, **style.class_style(code),
        )  # fmt: skip


def rings(ax: Axes, X: Array, label: str) -> None:
    """A ring around some points."""
    ax.scatter(
        X[:, 0], X[:, 1], s=260, facecolors="none", edgecolors=style.ink(ax), linewidths=1.6, zorder=5, label=label
    )


def crosses(ax: Axes, X: Array, label: str) -> None:
    """A cross behind some points, whose arms stick out so that the class still shows."""
    ax.scatter(X[:, 0], X[:, 1], s=230, marker="x", color=style.ink(ax), linewidths=2.2, zorder=3.5, label=label)


def arrow(ax: Axes, start: Array, move: Array) -> Any:
    """The vector w with its name at the tip."""
    drawn = ax.annotate(
        "", xy=tuple(start + move), xytext=tuple(start), zorder=7,
        arrowprops={"arrowstyle": "-|>", "color": style.ink(ax), "lw": 2.4, "mutation_scale": 18, "shrinkA": 0,
                    "shrinkB": 0},
    )  # fmt: skip
    length = float(np.hypot(*move)) or 1.0
    ax.annotate(
        "w", xy=tuple(start + move), xytext=tuple(12 * move / length), textcoords="offset points", ha="center",
        va="center", color=style.ink(ax), fontweight="bold", zorder=8, bbox=style.plate(ax),
    )  # fmt: skip
    return drawn
