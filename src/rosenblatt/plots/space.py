"""Points in three dimensions with the plane that splits them, or with the reason why none does; more, seen along w."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..tracing.wording import number
from . import plane, style
from .hulls import Hulls

if TYPE_CHECKING:
    from ..theory import Separability

Array = NDArray[Any]


@dataclass(eq=False, repr=False, kw_only=True)
class SpaceDisplay:
    """Separability in three dimensions or more.

    Three features are drawn as they are: the separating plane of the largest margin, or, where none exists, the
    certificate: lines through points of each class that meet. More features are drawn as they look from the side of
    the boundary: upwards the distance from it, along w, and across the two directions, at right angles to w, in which
    the points vary most.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 3)
        The points as they are drawn.
    codes : ndarray of shape (n_samples,)
        Their classes, as places in ``classes``.
    classes : list
        The labels.
    names : list of str
        Of the three axes.
    plane : (ndarray, float) or None
        The normal vector and bias of the plane, in the coordinates that are drawn.
    hulls : Hulls or None
        A certificate.
    row_names : list of str or None
        Written beside the points.
    title : str, default=""
        Above the picture.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    surface_ : ndarray of shape (3, n, n)
        Points of the plane, NaN where it leaves the picture.
    """

    X: Array
    codes: Array
    classes: Sequence[Any]
    names: Sequence[str]
    plane: tuple[Array, float] | None = None
    hulls: Hulls | None = None
    row_names: Sequence[str] | None = None
    title: str = ""

    @classmethod
    def from_separability(
        cls,
        answer: Separability,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        row_names: Sequence[str] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> SpaceDisplay:
        """Draw what ``rb.separability(X, y)`` answered.

        Parameters
        ----------
        answer : Separability
            The answer, for two classes.
        X, y : array-like
            The points it was asked about, of three features (more, if they are separable), and their labels.
        feature_names : list of str, default=None
            Names of the features; None: those of the data frame.
        row_names : list of str, default=None
            A name for each row, written beside its point.
        ax : Axes3D, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.
        """
        rows = plane.table(X)
        codes = plane.encoded(y, answer.classes, len(rows))
        if len(answer.classes) != 2 or answer.n_rows != len(rows):
            raise ValueError(f"give the {answer.n_rows} rows of two classes that the answer is about")
        if row_names is not None and len(row_names) != len(rows):
            raise ValueError(f"row_names must hold a name for each of the {len(rows)} rows, got {len(row_names)}")
        if rows.shape[1] < 3:
            two = "; BoundaryDisplay.from_separability draws two" if rows.shape[1] == 2 else ""
            raise ValueError(f"this picture has three dimensions, but X has {rows.shape[1]}{two}")
        names = plane.names_of(X, feature_names) or plane.numbered(rows.shape[1])
        drawn: dict[str, Any] = {"title": answer.verdict}
        if rows.shape[1] > 3:
            if answer.w is None:
                raise ValueError(
                    f"the rows have {rows.shape[1]} features and no separator to look along; three can be drawn"
                )
            rows = beside_the_boundary(rows, answer)
            names = ["across (units of x)", "across (units of x)", "distance from the boundary"]
            drawn["plane"] = np.array([0.0, 0.0, 1.0]), 0.0
        elif answer.w is not None:
            drawn["plane"] = np.asarray(answer.w, float), float(answer.b)
        if answer.certificate is not None and answer.fit_intercept:
            drawn["title"] = "inseparable: the star is in both hulls"
            drawn["hulls"] = Hulls.of(answer.certificate, rows, codes)
        if answer.margin:
            drawn["title"] = f"separable: the largest margin is {number(float(answer.margin))}"
        return cls(
            X=rows, codes=codes, classes=np.asarray(answer.classes).tolist(), names=names, row_names=row_names, **drawn
        ).plot(ax, **options)

    def plot(self, ax: Any = None, *, elev: float = 17, azim: float = -66) -> SpaceDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes3D, default=None
            Where to draw; None: a new figure.
        elev, azim : float, default=17 and -66
            Where it is seen from, in degrees.
        """
        if ax is not None and not hasattr(ax, "zaxis"):
            raise ValueError("this picture has three dimensions: give axes made with projection='3d'")
        with style.canvas(ax, "a plot in space", (8.2, 6.4), subplot_kw={"projection": "3d"}) as ax:
            self.ax_, self.figure_ = ax, ax.figure
            low, high = self.X.min(axis=0), self.X.max(axis=0)
            is_cube = bool(np.all(np.isin(self.X, (0, 1))))
            room = (high - low) * (0.15 if is_cube else 0.3)
            if is_cube:
                _cube(ax)
            if self.plane is not None:
                self._surface(ax, *self.plane, low - room, high + room)
            for code, name in enumerate(style.class_names(self.classes)):
                here = self.X[self.codes == code]
                ax.scatter(
                    *here.T,
                    s=140,
                    depthshade=False,
                    edgecolors=style.ink(ax),
                    label=style.short(name),
                    **style.class_style(code),
                )
            for point, name in zip(self.X, self.row_names or ()):
                away = 0.14 if point[2] > (low + high)[2] / 2 else -0.14
                ax.text(
                    *point[:2], point[2] + away * (high - low)[2], str(name), zorder=12, fontweight="bold",
                    ha="center", va="center", bbox=style.plate(ax),
                )  # fmt: skip
            if self.hulls is not None:
                self._certificate(ax, self.hulls)
            for axis, name in zip((ax.xaxis, ax.yaxis, ax.zaxis), self.names):
                axis.set_label_text(style.short(name, 32))
                axis.set_pane_color(style.tint(ax, style.ink(ax), 0.05))
                axis.labelpad = 18 if axis is ax.zaxis else 12
                axis.set_major_locator(style.few_ticks(4))
            for limit, a, c in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), low - room, high + room):
                limit(a, c)
            if is_cube:
                ax.set(xticks=[0, 1], yticks=[0, 1], zticks=[0, 1])
            ax.tick_params(axis="z", pad=7)
            ax.view_init(elev, azim)
            ax.set_box_aspect(None, zoom=0.84)
            if self.title:
                ax.set_title(self.title)
            ax.legend(loc="upper left")
        return self

    def _surface(self, ax: Any, w: Array, b: float, low: Array, high: Array) -> None:
        """The plane, solved for the coordinate that it is steepest against, inside the range of the points."""
        k = int(np.argmax(np.abs(w)))
        i, j = (axis for axis in range(3) if axis != k)
        a, c = np.meshgrid(np.linspace(low[i], high[i], 12), np.linspace(low[j], high[j], 12))
        height = -(b + w[i] * a + w[j] * c) / w[k]
        parts: list[Any] = [None, None, None]
        parts[i], parts[j] = a, c
        parts[k] = np.where((height >= low[k] - 1e-9) & (height <= high[k] + 1e-9), height, np.nan)
        self.surface_ = np.array(parts)
        ax.plot_surface(*parts, color=style.tint(ax, style.ink(ax), 0.6), alpha=0.35, shade=False)

    def _certificate(self, ax: Any, hulls: Hulls) -> None:
        for code, members in enumerate(hulls.members):
            for a, c in itertools.combinations(members, 2):
                ax.plot(*zip(a, c), color=style.COLOURS[code], ls=style.DASHES[code], lw=2.4)
        ax.scatter(
            *hulls.meeting, marker="*", s=380, color=style.ground(ax), edgecolors=style.ink(ax), depthshade=False,
            label="Σ λ·y·(x, 1) = 0", zorder=11,
        )  # fmt: skip


def beside_the_boundary(X: Array, answer: Separability) -> Array:
    """Coordinates with the distance from the boundary last, and across it the directions of most variance."""
    w = np.asarray(answer.w, float)
    unit = w / np.linalg.norm(w)
    flat = X - X.mean(axis=0)
    flat = flat - np.outer(flat @ unit, unit)
    _, _, across = np.linalg.svd(flat, full_matrices=False)
    across = across[:2] * np.where(across[:2].sum(axis=1, keepdims=True) < 0, -1, 1)  # the same picture every time
    return np.column_stack((flat @ across.T, theory.distances(X, w, float(answer.b))))


def _cube(ax: Any) -> None:
    """The edges of the unit cube."""
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    for a, c in itertools.combinations(corners, 2):
        if np.abs(a - c).sum() == 1:
            ax.plot(*zip(a, c), color=style.QUIET, lw=1, alpha=0.7)
