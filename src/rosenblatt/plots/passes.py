"""How wrong a model is after each pass: readouts of one run, or runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import style
from .display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


class ErrorsDisplay(Display):
    """Errors after each pass.

    Parameters
    ----------
    errors : dict of str to ndarray
        The share of rows that are wrong after each pass, by the name of the curve.
    where : str, default="rows"
        Which rows.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lines_ : dict
        The curves by name.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> rng = np.random.default_rng(0)
    >>> X, noise = rng.standard_normal((400, 5)), rng.standard_normal(400)
    >>> model = rb.VotedPerceptron(kernel="linear", random_state=0)
    >>> display = rb.plots.ErrorsDisplay.from_estimator(
    ...     model, X[:200], X[:200, 0] + noise[:200] > 0, X[200:], X[200:, 0] + noise[200:] > 0, passes=3
    ... )
    >>> list(display.errors), len(display.errors["voted"])
    (['last', 'averaged', 'voted'], 3)
    """

    what = "a plot of errors"

    def __init__(self, *, errors: Mapping[str, Array], where: str = "rows") -> None:
        self.errors, self.where = dict(errors), where

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        X_test: Any = None,
        y_test: Any = None,
        *,
        readouts: Sequence[str] | None = None,
        passes: int = 10,
        ax: Axes | None = None,
    ) -> ErrorsDisplay:
        """Fit for 1, 2, … passes and draw the errors: of each readout of one run, or of several estimators.

        Parameters
        ----------
        estimator : estimator, or dict of str to estimator
            One of this package's, or several by name. They are not changed. A ``random_state`` of None is taken as 0,
            so that all points of a curve belong to one run.
        X, y : array-like
            What ``fit`` takes.
        X_test, y_test : array-like, default=None
            Rows to count errors on; None: those that it was fitted on.
        readouts : list of str, default=None
            What ``with_readout`` takes: a curve for each. None: of one estimator all that its run keeps, of several
            their own.
        passes : int, default=10
            How many passes to draw.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        """
        if not isinstance(passes, int) or isinstance(passes, bool) or passes < 1:
            raise ValueError(f"passes must be a whole number >= 1, got {passes!r}")
        if (X_test is None) != (y_test is None):
            raise ValueError(
                "X_test and y_test go together: give both, or neither to count errors on the rows fitted on"
            )
        several = isinstance(estimator, Mapping)
        rows, targets = (X, y) if X_test is None else (X_test, y_test)
        targets = np.asarray(targets).ravel()
        errors: dict[str, list[float]] = {}
        for name, one in (estimator if several else {"": estimator}).items():
            if not hasattr(one, "with_readout"):
                raise TypeError(f"errors are drawn for estimators of this package, got {type(one).__name__}")
            for n_passes in range(1, passes + 1):
                fitted = _fitted(one, X, y, n_passes)
                for readout in readouts or (["own"] if several else _readouts(fitted)):
                    model = fitted if readout == "own" else fitted.with_readout(readout)
                    curve = name if readout == "own" else f"{name} {readout}".strip()
                    errors.setdefault(curve, []).append(float(np.mean(model.predict(rows) != targets)))
        where = f"the {len(targets):,} {'training' if X_test is None else 'unseen'} rows"
        return cls(errors={name: np.array(values) for name, values in errors.items()}, where=where).plot(ax)

    def _draw(self, ax: Axes) -> None:
        self.lines_ = {}
        for i, (name, values) in enumerate(self.errors.items()):
            k = i % len(style.DASHES)
            (self.lines_[name],) = ax.plot(
                np.arange(1, len(values) + 1), 100 * values, color=style.COLOURS[(5, 0, 2, 3, 4, 1)[k]],
                ls=style.DASHES[k], marker=style.MARKERS[k], label=name,
            )  # fmt: skip
        ax.set_xlabel("pass")
        ax.set_ylabel(f"errors on {self.where} (%)")
        ax.set_ylim(bottom=0)
        style.counted(ax.xaxis)
        ax.legend(loc="best")


def _fitted(estimator: Any, X: Any, y: Any, passes: int) -> Any:
    """A new estimator of the same kind after so many passes."""
    parameters = estimator.get_params(deep=False)
    parameters |= {"max_iter": passes, "tol": None, "early_stopping": False, "warm_start": False}
    if parameters["random_state"] is None:
        parameters["random_state"] = 0
    elif not isinstance(parameters["random_state"], (int, np.integer)):
        raise ValueError("random_state must be a whole number or None here: each curve is fitted again from its start")
    return type(estimator)(**parameters).fit(X, y)


def _readouts(fitted: Any) -> list[str]:
    """The readouts that a run keeps."""
    readouts = []
    for readout in ("last", "averaged", "voted", "pocket"):
        try:
            fitted.with_readout(readout)
        except ValueError:
            continue
        readouts.append(readout)
    return readouts
