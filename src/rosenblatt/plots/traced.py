"""What all pictures of a trace share: they are drawn from a trace, or from an estimator that is traced first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import theory
from ..tracing import Trace, trace
from .display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A bound is drawn as a line where it is at most so many times what it bounds, and else told.
FAR = 12


class TraceDisplay(Display):
    """A picture of a trace. Subclasses say what they draw."""

    @classmethod
    def from_trace(cls, run: Trace, *, ax: Axes | None = None, **options: Any) -> Any:
        """Draw a trace."""
        raise NotImplementedError

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

        Returns
        -------
        display
            The picture, drawn.
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
