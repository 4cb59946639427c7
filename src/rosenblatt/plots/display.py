"""What pictures on one pair of axes share, and pictures of a run: of a trace, or of an estimator that is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .. import theory
from ..tracing import trace
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Self = TypeVar("Self", bound="Display")

#: A bound is drawn as a line where it is at most so many times what it bounds, and else told.
FAR = 12


class Display:
    """A picture on one pair of axes. Subclasses say what it is and draw it."""

    ax_: Any
    figure_: Any
    #: What it is, for errors that name it.
    what: ClassVar[str]

    @property
    def _size(self) -> tuple[float, float]:
        """Size of a new figure, in inches."""
        return 8.0, 5.0

    def plot(self: Self, ax: Axes | None = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        with style.canvas(ax, self.what, self._size) as ax:
            self.ax_, self.figure_ = ax, ax.figure
            self._draw(ax)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError


class TraceDisplay(Display):
    """A picture of a trace. Subclasses say how it is drawn."""

    from_trace: ClassVar[Callable[..., Any]]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Axes | None = None, **options: Any) -> Any:
        """Trace the run that ``estimator.fit(X, y)`` makes, and draw it.

        Parameters
        ----------
        estimator : estimator
            One of this package's, fitted or not.
        X, y : array-like
            What ``fit`` takes.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``from_trace`` takes.
        """
        return cls.from_trace(trace(estimator, X, y, separator=best_separator(estimator, X, y)), ax=ax, **options)


def best_separator(estimator: Any, X: Any, y: Any) -> Any:
    """The separator of the largest margin, of the kind that the estimator has; None where there is none to be had."""
    if hasattr(type(estimator), "dual_coef_") or getattr(estimator, "multiclass", None) == "ovr":
        return None
    answer = theory.separability(X, y, fit_intercept=bool(estimator.fit_intercept))
    if not answer.separable or answer.w is None:
        return None
    return (answer.w, answer.b) if answer.w_augmented is None else (answer.w_augmented, answer.b_augmented)


def check_fitted(estimator: Any) -> None:
    """Raise scikit-learn's NotFittedError for an estimator of this package that is not fitted."""
    if hasattr(type(estimator), "_fitted"):
        estimator._fitted  # noqa: B018 - reading it raises
