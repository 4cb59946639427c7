"""The confusion matrix: scikit-learn's, in the look of the other plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn import metrics

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One hue from light to dark, which needs no explaining and survives greyscale.
SHADES = {"cmap": "Blues", "colorbar": False}


class ConfusionMatrixDisplay(metrics.ConfusionMatrixDisplay):
    """How often each class was taken for each other: scikit-learn's display in the look of the other plots.

    ``from_estimator(estimator, X, y)``, ``from_predictions(y_true, y_pred)`` and ``plot`` take what scikit-learn's do.
    One hue from light to dark, and every count written out.

    Parameters
    ----------
    confusion_matrix : array of shape (n_classes, n_classes)
        How often each class (row) was taken for each class (column).
    display_labels : list or None
        What the classes are called.
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Any:
        """Draw what a fitted classifier, or a Pipeline, takes rows for."""
        return super().from_estimator(estimator, X, y, **(SHADES | options))

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, **options: Any) -> Any:
        """Draw what labels were taken for."""
        return super().from_predictions(y_true, y_pred, **(SHADES | options))

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the picture, on ``ax`` or in a new figure."""
        if options.get("values_format") is None and self.confusion_matrix.dtype.kind != "f":
            options["values_format"] = ",d"
        side = 2.6 + 0.75 * len(self.confusion_matrix)
        with style.canvas(ax, "a confusion matrix", (max(side, 5), max(side - 0.4, 4.4))) as ax:
            super().plot(ax=ax, **(SHADES | options))
            self._fit_into_cells(ax)
            ax.set_xlabel("predicted class")
            ax.set_ylabel("true class (examples)")
            for spine in ax.spines.values():
                spine.set_visible(True)
        return self

    def _fit_into_cells(self, ax: Axes) -> None:
        """Letters no larger than the cells let them be; names that do not fit beside each other stand upright."""
        cell = 72 * ax.get_window_extent().width / ax.figure.dpi / len(self.confusion_matrix)  # in points
        for text in [] if self.text_ is None else self.text_.ravel():
            text.set_fontsize(min(text.get_fontsize(), cell / (0.8 * len(text.get_text()) + 0.4)))
        names = ax.get_xticklabels()
        for name in (*names, *ax.get_yticklabels()):
            name.set_fontsize(min(name.get_fontsize(), 0.8 * cell))
        if max(0.6 * len(name.get_text()) * float(name.get_fontsize()) for name in names) > cell:
            ax.tick_params(axis="x", rotation=90)
