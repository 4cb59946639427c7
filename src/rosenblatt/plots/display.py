"""What pictures on one pair of axes share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Self = TypeVar("Self", bound="Display")


class Display:
    """A picture on one pair of axes. Subclasses say what it is and draw it."""

    ax_: Any
    figure_: Any
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

        Returns
        -------
        display
            Itself, with ``ax_`` and ``figure_``.
        """
        with style.canvas(ax, self.what, self._size) as ax:
            self.ax_, self.figure_ = ax, ax.figure
            self._draw(ax)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError


def check_fitted(estimator: Any) -> None:
    """Raise scikit-learn's NotFittedError for an estimator of this package that is not fitted."""
    if hasattr(type(estimator), "_fitted"):
        estimator._fitted  # noqa: B018 - reading it raises
