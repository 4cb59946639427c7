"""The boundary over two features: half-spaces or regions, the margin, the points that hold it or are wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..tracing import Trace
from ..tracing.wording import number
from . import plane, style
from .display import check_fitted
from .history import History, floats
from .hulls import Hulls

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..theory import Separability

Array = NDArray[Any]


@dataclass(eq=False, repr=False, kw_only=True)
class BoundaryDisplay:
    """The boundary of a model over two features.

    The half-spaces (several classes or a kernel: regions) have the colours of their classes. The boundary is a solid
    line; w is drawn as its normal vector, with the length of the arrow chosen for the picture; dashed lines mark the
    margin, with rings around the points that hold it (kernels: the examples that the model is made of). A cross is a
    point on the wrong side.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
        The points.
    codes : ndarray of shape (n_samples,)
        Their classes, as places in ``classes``.
    classes : list
        The labels.
    xx0, xx1 : ndarray
        The grid.
    response : ndarray of shape (n_rows, n_columns, n_vectors)
        Scores over the grid: of the second class, or one for each.
    names : list of str
        Names of the two features.
    w, b : ndarray and float, default=None
        The weights of a linear boundary between two classes.
    margin : Margin, default=None
        That of the points, if they are separated.
    support, wrong : ndarray of shape (n, 2), default=None
        Points to ring, and points to cross out.
    support_name : str, default="on the margin"
        What the rings are.
    hulls : Hulls, default=None
        A certificate to draw.
    title : str, default=""
        Above the picture.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    surface_, lines_, arrow_
        Regions, boundary lines and the vector w, as matplotlib's artists; None where there is none.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    >>> model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> display = rb.plots.BoundaryDisplay.from_estimator(model, X, y)
    >>> display.w.tolist(), display.margin
    ([-5.0, 3.0], margin 0.171499, attained at row 1; hyperplane 0 from the origin)
    """

    X: Array
    codes: Array
    classes: Sequence[Any]
    xx0: Array
    xx1: Array
    response: Array
    names: Sequence[str]
    w: Array | None = None
    b: float | None = None
    margin: Any = None
    support: Array | None = None
    wrong: Array | None = None
    support_name: str = "on the margin"
    hulls: Hulls | None = None
    title: str = ""

    # ---- where it comes from -------------------------------------------------------------------------------------

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        grid_resolution: int = 200,
        ax: Axes | None = None,
        **options: Any,
    ) -> BoundaryDisplay:
        """Draw the boundary of a fitted classifier, of this package or of any other.

        Parameters
        ----------
        estimator : fitted classifier
            With ``decision_function`` and ``predict``.
        X : array or DataFrame of shape (n_samples, 2)
            The points.
        y : array of shape (n_samples,)
            Their labels.
        feature_names : list of str, default=None
            Names of the features; None: those of the data frame.
        grid_resolution : int, default=200
            So many points of the grid in each direction.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.
        """
        _check_fitted(estimator)
        linear = "WeightsDisplay.from_estimator draws the weights of any number, or " * hasattr(estimator, "coef_")
        rows = _two_features(X, lambda _: linear + "fit a model on two of the columns")
        known = getattr(estimator, "classes_", None)
        if known is None:
            raise ValueError(f"{type(estimator).__name__} has no classes_ to draw regions of; give a classifier")
        codes = plane.encoded(y, known, len(rows))
        low, high = plane.span(rows)
        xx0, xx1, points = plane.grid(low, high, grid_resolution)
        response = np.asarray(estimator.decision_function(plane.like(X, points)), np.float64)
        drawn: dict[str, Any] = {}
        voted = getattr(estimator, "readout", None) == "voted"
        if hasattr(estimator, "coef_") and len(known) == 2 and not voted:
            drawn = _linear(np.ravel(estimator.coef_), float(np.ravel(estimator.intercept_)[0]), rows, codes)
        elif hasattr(estimator, "support_vectors_"):
            drawn = {"support": plane.table(estimator.support_vectors_), "support_name": "support: updated on"}
        wrong = rows[np.asarray(estimator.predict(X)) != np.asarray(y).ravel()]
        display = cls(
            X=rows, codes=codes, classes=np.asarray(known).tolist(), xx0=xx0, xx1=xx1,
            response=response.reshape(*xx0.shape, -1), names=_names(X, feature_names), wrong=wrong, **drawn,
        )  # fmt: skip
        return display.plot(ax, **options)

    @classmethod
    def from_separability(
        cls,
        answer: Separability,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> BoundaryDisplay:
        """Draw what ``rb.separability(X, y)`` answered, with its proof.

        Of separable points the boundary of the largest margin and the support points that prove it; of others the
        certificate: the points that have a weight λ, and the weighted mean of each class, which lie in the same place.

        Parameters
        ----------
        answer : Separability
            The answer.
        X, y : array-like
            The points it was asked about, and their labels.
        feature_names : list of str, default=None
            Names of the features; None: those of the data frame.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.
        """
        rows = _two_features(X, lambda n: _instead_of_the_plane(answer, n))
        if answer.n_rows != len(rows):
            raise ValueError(f"the answer is about {answer.n_rows} rows, but X has {len(rows)}; give the same rows")
        codes = plane.encoded(y, answer.classes, len(rows))
        xx0, xx1, points = plane.grid(*plane.span(rows), resolution=200)
        several = len(answer.classes) > 2
        drawn: dict[str, Any] = {"title": answer.verdict}
        response = np.zeros((*xx0.shape, 1))
        if answer.w is not None:
            w, b = np.atleast_2d(answer.w).astype(float), np.atleast_1d(answer.b).astype(float)
            response = (points @ w.T + b).reshape(*xx0.shape, -1)
            drawn |= {} if several else _linear(w[0], float(b[0]), rows, codes)
            if answer.margin is not None and not several:
                drawn["title"] = f"separable: the largest margin is {number(float(answer.margin))}"
        if len(answer.support):
            proof = "has a weight λ" if answer.certificate is not None else "support: proves the margin"
            drawn |= {"support": rows[answer.support], "support_name": proof}
        if answer.certificate is not None and answer.certificate.ndim == 1 and answer.fit_intercept:
            drawn |= {"hulls": Hulls.of(answer.certificate, rows, codes),
                      "title": "inseparable: the star is in both hulls"}  # fmt: skip
        display = cls(
            X=rows, codes=codes, classes=np.asarray(answer.classes).tolist(), xx0=xx0, xx1=xx1, response=response,
            names=_names(X, feature_names), **drawn,
        )  # fmt: skip
        return display.plot(ax, **options)

    @classmethod
    def from_trace(
        cls, trace: Trace, step: int = -1, *, grid_resolution: int = 200, ax: Axes | None = None, **options: Any
    ) -> BoundaryDisplay:
        """Draw the boundary as it stood after a step of a trace: that of the weights themselves, whatever the readout.

        Parameters
        ----------
        trace : Trace
            The run.
        step : int, default=-1
            A place in the trace, as in ``trace[step]``.
        grid_resolution : int, default=200
            So many points of the grid in each direction.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.
        """
        history = History.of(trace)
        _check_features(history.X.shape[1], "trace.plot('mistakes') is drawn for any number of them")
        at = trace[step]
        place = sum(move.number <= at.number for move in history.moves)
        display = cls.at_move(history, place, grid_resolution)
        display.title = f"after step {at.number}, pass {at.pass_number}"
        return display.plot(ax, **options)

    @classmethod
    def at_move(cls, history: History, place: int, grid_resolution: int) -> BoundaryDisplay:
        """The boundary after so many moves of the weights, not yet drawn."""
        X, codes, setting = history.X, history.y, history.trace.setting
        xx0, xx1, points = plane.grid(*plane.span(X), resolution=grid_resolution)
        response = history.scores(history.image(points), slice(place, place + 1))[0]
        own = history.scores(history.own, slice(place, place + 1))[0]
        drawn: dict[str, Any] = {}
        if setting.kernel is not None:
            used = np.any(history.coordinates[place] != 0, axis=0)
            support = floats([row for row, is_used in zip(history.trace.data.X, used) if is_used]).reshape(-1, 2)
            drawn = {"support": support, "support_name": "support: updated on"}
        elif len(history.classes) == 2:
            drawn = _linear(history.coordinates[place, 0], float(history.biases[place, 0]), X, codes)
        return cls(
            X=X, codes=codes, classes=history.classes, xx0=xx0, xx1=xx1, response=response.reshape(*xx0.shape, -1),
            names=setting.names or plane.numbered(2), wrong=X[history.said(own) != codes], **drawn,
        )  # fmt: skip

    # ---- drawing -------------------------------------------------------------------------------------------------

    def plot(self, ax: Axes | None = None, *, legend: bool = True, normal: bool = True) -> BoundaryDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None: a new figure.
        legend : bool, default=True
            Whether to say beside it what is what.
        normal : bool, default=True
            Whether to draw w.
        """
        with style.canvas(ax, "a boundary", (8.6, 5.6)) as ax:
            self.ax_, self.figure_ = ax, ax.figure
            low = np.array([self.xx0.min(), self.xx1.min()])
            high = np.array([self.xx0.max(), self.xx1.max()])
            plane.points(ax, self.X, self.codes, self.classes)
            self._regions(ax)
            self.arrow_ = self._normal(ax, low, high) if normal and self.w is not None else None
            if self.hulls is not None:
                self.hulls.draw(ax)
            if self.support is not None and len(self.support):
                plane.rings(ax, self.support, self.support_name)
            if self.wrong is not None and len(self.wrong):
                plane.crosses(ax, self.wrong, "wrong side")
            plane.frame(ax, low, high, self.names)
            if self.title:
                ax.set_title(self.title)
            if legend:
                style.beside(ax)
        return self

    def _regions(self, ax: Axes) -> None:
        """Each class's part of the plane, and the lines between them."""
        self.surface_, self.lines_ = [], []
        parts = self._leads()
        for code, lead in parts:
            if lead.max() <= 0:
                continue
            colour = style.tint(ax, style.COLOURS[code % len(style.COLOURS)], 0.28 if code % 2 == 0 else 0.2)
            self.surface_.append(
                ax.contourf(self.xx0, self.xx1, lead, levels=[0, math.inf], colors=[colour], zorder=0, extend="neither")
            )
        for _, lead in parts[len(parts) == 2 :]:
            if lead.min() < 0 < lead.max():
                self.lines_.append(
                    ax.contour(self.xx0, self.xx1, lead, levels=[0], colors=style.ink(ax), linewidths=2.2, zorder=2)
                )
        if self.margin is not None and self.margin > 0 and self.w is not None:
            level = float(self.margin) * float(np.hypot(*self.w))
            self.lines_.append(
                ax.contour(
                    self.xx0, self.xx1, self.response[..., 0], levels=[-level, level], colors=style.ink(ax),
                    linewidths=1.4, linestyles="dashed", zorder=2,
                )
            )  # fmt: skip
            label = f"margin {number(float(self.margin))}"
            ax.plot([], [], color=style.ink(ax), lw=1.4, ls="--", label=label)

    def _leads(self) -> list[tuple[int, Array]]:
        """By how much each class leads the best other, over the grid."""
        if self.response.shape[2] == 1:
            return [(0, -self.response[..., 0]), (1, self.response[..., 0])]
        leads = []
        for code in range(self.response.shape[2]):
            others = np.delete(self.response, code, axis=2).max(axis=2)
            leads.append((code, self.response[..., code] - others))
        return leads

    def _normal(self, ax: Axes, low: Array, high: Array) -> Any:
        """The vector w from a point of the boundary; not where the axes have different units."""
        assert self.w is not None
        size, w = float(np.hypot(*self.w)), self.w
        if not size > 0 or not plane.is_to_scale(low, high):
            return None
        middle = (low + high) / 2 if self.b or np.any(low > 0) or np.any(high < 0) else np.zeros(2)
        foot = middle - w * (float(middle @ w) + float(self.b or 0)) / size**2  # the nearest point of the boundary
        if np.any(foot < low) or np.any(foot > high):
            return None
        return plane.arrow(ax, foot, 0.22 * (high - low)[0] * w / size)


def _check_fitted(estimator: Any) -> None:
    if isinstance(estimator, type) or not hasattr(estimator, "decision_function"):
        name = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(f"a boundary is drawn of a fitted classifier with decision_function, got {name}")
    check_fitted(estimator)


def _two_features(X: Any, instead: Callable[[int], str]) -> Array:
    rows = plane.table(X)
    if rows.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns, got {rows.ndim} dimension(s)")
    _check_features(rows.shape[1], instead(rows.shape[1]))
    return rows


def _instead_of_the_plane(answer: Separability, n: int) -> str:
    """What can be drawn of an answer about more features: three as they are, more as they look along w."""
    in_space = len(answer.classes) == 2 and (n == 3 or (n > 3 and answer.w is not None))
    return "SpaceDisplay.from_separability draws them" if in_space else "ask rb.separability about two of the columns"


def _check_features(n: int, instead: str) -> None:
    if n != 2:
        raise ValueError(f"this picture is drawn over two features, but X has {n}; {instead}")


def _names(X: Any, names: Sequence[str] | None) -> list[str]:
    names = plane.names_of(X, names) or plane.numbered(2)
    if len(names) != 2:
        raise ValueError(f"feature_names must name the two features, got {len(names)} names")
    return names


def _linear(w: Array, b: float, X: Array, codes: Array) -> dict[str, Any]:
    """Weights, their margin, and the points that hold it if they separate."""
    w = np.asarray(w, np.float64)
    if not np.any(w):
        return {"w": w, "b": b}
    margin = theory.margin(X, np.where(codes == 1, 1, -1), w, b)
    return {"w": w, "b": b, "margin": margin, "support": X[margin.closest] if margin > 0 else None}
