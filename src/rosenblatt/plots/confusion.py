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

    ``from_estimator(estimator, X, y)`` and ``from_predictions(y_true, y_pred)`` take what scikit-learn's do. One hue
    from light to dark, and every count written out.
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Any:
        """Draw what a fitted classifier takes rows for.

        Parameters
        ----------
        estimator : fitted classifier or Pipeline
            The model.
        X, y : array-like
            Rows and their labels.
        **options
            What scikit-learn's takes.
        """
        return super().from_estimator(estimator, X, y, **(SHADES | options))

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, **options: Any) -> Any:
        """Draw what labels were taken for.

        Parameters
        ----------
        y_true, y_pred : array-like
            What they are, and what they were taken for.
        **options
            What scikit-learn's takes.
        """
        return super().from_predictions(y_true, y_pred, **(SHADES | options))

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What scikit-learn's takes.
        """
        if options.get("values_format") is None and self.confusion_matrix.dtype.kind != "f":
            options["values_format"] = ",d"
        side = 2.6 + 0.75 * len(self.confusion_matrix)
        with style.canvas(ax, "a confusion matrix", (max(side, 5), max(side - 0.4, 4.4))) as ax:
            super().plot(ax=ax, **(SHADES | options))
            ax.set_xlabel("predicted class")
            ax.set_ylabel("true class (examples)")
            for spine in ax.spines.values():
                spine.set_visible(True)
        return self
