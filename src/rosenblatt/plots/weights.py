"""The weights of a model as signed bars, by the names of the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import style
from .display import Display, check_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


class WeightsDisplay(Display):
    """The largest weights of a linear model, to the right those that speak for a class and to the left those against.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        In the order of the bars, from the bottom up.
    names : list of str
        Of the features.
    towards, against : str
        The class that positive weights speak for, and the one that negative weights do.
    deviations : ndarray of shape (n,) or None, default=None
        Standard deviations of the weights, where the rule keeps how sure it is of each: drawn as a whisker across the
        end of each bar.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    bars_
        The bars.
    whiskers_
        The standard deviations, or None.
    """

    what = "a plot of weights"

    def __init__(
        self, *, weights: Array, names: Sequence[str], towards: str, against: str, deviations: Array | None = None
    ) -> None:
        self.weights, self.names, self.towards, self.against = weights, list(names), towards, against
        self.deviations = deviations

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        label: Any = None,
        top: int = 20,
        ax: Axes | None = None,
    ) -> WeightsDisplay:
        """Draw the largest weights of a fitted linear model; those of AROW and its kin with their standard deviations.

        Parameters
        ----------
        estimator : fitted estimator or Pipeline
            With ``coef_``; of a pipeline the last step, with the names that the steps before it give.
        feature_names : list of str, default=None
            A name for each column; None: those that the model or the pipeline knows, else their numbers.
        label : label, default=None
            Of more than two classes the one whose weights are drawn.
        top : int, default=20
            So many: the largest of either sign, half of each where there are enough.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        model = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
        check_fitted(model)
        if not hasattr(model, "coef_"):
            raise TypeError(f"{type(model).__name__} has no weights of features (coef_) to draw")
        if not isinstance(top, (int, np.integer)) or top < 1:
            raise ValueError(f"top must be a whole number >= 1, got {top!r}")
        weights, towards, against = _towards(model, label)
        chosen = _largest(weights, int(top))
        names = _names(estimator, model, chosen, len(weights), feature_names)
        deviations = _deviations(model, label, chosen)
        return cls(weights=weights[chosen], names=names, towards=towards, against=against, deviations=deviations).plot(
            ax
        )

    @property
    def _size(self) -> tuple[float, float]:
        return 8.0, max(2.6, 1.2 + 0.32 * len(self.weights))

    def _draw(self, ax: Axes) -> None:
        n = len(self.weights)
        positive = self.weights > 0
        colours = np.where(positive, style.COLOURS[1], style.COLOURS[0])
        self.bars_ = ax.barh(np.arange(n), self.weights, color=colours.tolist(), edgecolor=style.ink(ax), linewidth=0.8)
        for bar, right in zip(self.bars_, positive):
            if not right:
                bar.set_hatch("///")
        self.whiskers_ = None
        if self.deviations is not None:
            self.whiskers_ = ax.errorbar(
                self.weights, np.arange(n), xerr=self.deviations, fmt="none", ecolor=style.ink(ax), elinewidth=1.6,
                capsize=4, capthick=1.6,
            )  # fmt: skip
        ax.set_yticks(np.arange(n), [style.short(name, 36) for name in self.names])
        ax.axvline(0, color=style.ink(ax), lw=1.4)
        ax.margins(x=0.02, y=0.01)
        what = "weight" if self.deviations is None else "weight ± its standard deviation"
        ax.set_xlabel(f"←  {style.short(self.against, 20)}      {what}      {style.short(self.towards, 20)}  →")


def _largest(weights: Array, top: int) -> Array:
    """The columns of the largest weights of either sign, from the lowest weight up."""
    order = np.argsort(weights, kind="stable")
    negative, positive = order[weights[order] < 0], order[weights[order] > 0]
    n_negative = min(len(negative), max(top // 2, top - len(positive)))
    n_positive = min(len(positive), top - n_negative)
    return np.concatenate((negative[:n_negative], positive[len(positive) - n_positive :]))


def _towards(model: Any, label: Any) -> tuple[Array, str, str]:
    """The weights that speak for a class, its name, and that of what negative ones speak for."""
    coef = np.atleast_2d(np.asarray(model.coef_, np.float64))
    classes = getattr(model, "classes_", None)
    if classes is None:
        return coef[0], "larger", "smaller"
    known = np.asarray(classes).tolist()
    names = style.class_names(known)
    if len(coef) == 1:
        code = 1 if label is None else _place(known, label)
        return (coef[0] if code else -coef[0]), names[code], names[1 - code]
    if label is None:
        raise ValueError(f"there is a weight vector for each class: say which as label, one of {known}")
    code = _place(known, label)
    return coef[code], names[code], f"not {names[code]}"


def _deviations(model: Any, label: Any, columns: Array) -> Array | None:
    """Standard deviations of the weights of these columns; None: the model does not keep them."""
    variances = getattr(model, "variance_", None)
    if variances is None:
        return None
    variances = np.atleast_2d(np.asarray(variances, np.float64))
    code = 0 if len(variances) == 1 else np.asarray(model.classes_).tolist().index(label)
    return np.asarray(np.sqrt(variances[code][columns]))


def _place(known: list[Any], label: Any) -> int:
    if label not in known:
        raise ValueError(f"label must be one of the classes {known}, got {label!r}")
    return known.index(label)


def _names(
    estimator: Any, model: Any, columns: Array, n_columns: int, feature_names: Sequence[str] | None
) -> list[str]:
    """The names of some columns."""
    if feature_names is not None:
        if len(feature_names) != n_columns:
            raise ValueError(f"feature_names must name the {n_columns} features, got {len(feature_names)} names")
        return [str(feature_names[j]) for j in columns]
    if hasattr(estimator, "steps") and len(estimator.steps) > 1:
        before = estimator.steps[-2][1]
        if getattr(before, "keep_names", False):  # one of 2²² columns: ask for these alone
            hashed = before.names_of(columns.tolist())
            return [" | ".join(names) if names else f"#{j}" for j, names in zip(columns, hashed)]
        try:
            return [str(name) for name in np.asarray(estimator[:-1].get_feature_names_out())[columns]]
        except (AttributeError, ValueError):  # a step that has no names to give
            return [f"#{j}" for j in columns]
    known = getattr(model, "feature_names_in_", None)
    return [f"#{j}" if known is None else str(known[j]) for j in columns]
