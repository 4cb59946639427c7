"""A run in pictures: its mistakes and their bound, the margin bounds closing in, the proof, the score of one example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..tracing import Trace, trace
from ..tracing.wording import number
from . import style
from .boundary import BoundaryDisplay
from .history import History, floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

#: A bound is drawn as a line where it is at most so many times what it bounds, and else told.
FAR = 12


class TraceDisplay:
    """A picture of a trace. Subclasses say what they draw."""

    ax_: Any
    figure_: Any

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
            Drawn.
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


class MistakesDisplay(TraceDisplay):
    """Mistakes of each pass, their sum so far, and the bound that the sum cannot cross.

    Parameters
    ----------
    mistakes : list of int
        Of each pass.
    bound : float or None, default=None
        So many at most, over all passes.
    formula : str, default="(R/γ)²"
        Where the bound comes from.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    bars_, line_, bound_
        Passes, sum and bound, as matplotlib's artists; ``bound_`` is None where no line is drawn.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    >>> model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> display = rb.plots.MistakesDisplay.from_estimator(model, X, y)
    >>> display.mistakes, round(display.bound, 6)
    ([2, 2, 2, 2, 2, 2, 1, 0], 65.0)
    """

    def __init__(self, *, mistakes: Sequence[int], bound: float | None = None, formula: str = "(R/γ)²") -> None:
        self.mistakes, self.bound, self.formula = [int(count) for count in mistakes], bound, formula

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, separator: Any = "best", ax: Axes | None = None,
        **options: Any,
    ) -> MistakesDisplay:  # fmt: skip
        """Draw the mistakes of a fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier
            One of this package's.
        X, y : array-like, default=None
            What it was fitted on; None: no bound is drawn.
        separator : "best", None, or what ``rb.mistake_bound`` takes as w, default="best"
            The weights that the bound is computed by; "best": those of ``rb.separability``.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.

        Returns
        -------
        MistakesDisplay
            Drawn.
        """
        if not hasattr(type(estimator), "mistakes_"):
            raise TypeError(f"mistakes are counted by classifiers of this package, got {type(estimator).__name__}")
        mistakes = estimator.mistakes_.tolist()
        bound = None
        if X is not None and separator is not None:
            w = best_separator(estimator, X, y) if isinstance(separator, str) and separator == "best" else separator
            if w is not None:
                pair = w if isinstance(w, tuple) else (w, 0.0)
                bound = theory.mistake_bound(X, y, *pair, estimator=estimator)
        if bound is None or bound.D > 0:  # a bound on one pass alone says nothing of the sum
            return cls(mistakes=mistakes).plot(ax, **options)
        return cls(mistakes=mistakes, bound=float(bound), formula=bound.theorem.partition(",")[0]).plot(ax, **options)

    @classmethod
    def from_trace(cls, run: Trace, *, ax: Axes | None = None, **options: Any) -> MistakesDisplay:
        """Draw the mistakes of a trace, with the bound if it was given a separator.

        Parameters
        ----------
        run : Trace
            The run.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.

        Returns
        -------
        MistakesDisplay
            Drawn.
        """
        if not run.mistakes:
            raise ValueError("a regression counts no mistakes; trace a classifier")
        bound = None if run.bound is None else float(run.bound)
        return cls(mistakes=run.mistakes, bound=bound, formula="").plot(ax, **options)

    def plot(self, ax: Axes | None = None) -> MistakesDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where; None: a new figure.

        Returns
        -------
        MistakesDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        with style.canvas(ax, "a plot of mistakes") as ax:
            self.ax_, self.figure_, self.bound_ = ax, ax.figure, None
            passes, total = np.arange(1, len(self.mistakes) + 1), np.cumsum(self.mistakes)
            few = len(passes) <= 40
            self.bars_ = ax.bar(
                passes, self.mistakes, width=0.7 if few else 1.0, color=style.tint(style.COLOURS[0], 0.55),
                edgecolor=style.COLOURS[0] if few else "none", label="in the pass",
            )  # fmt: skip
            (self.line_,) = ax.plot(
                passes, total, color=style.COLOURS[5], marker="o" if few else None, label=f"so far: {total[-1]:,}"
            )
            if self.bound is not None:
                told = f"bound: {self.formula + ' = ' if self.formula else ''}{number(self.bound)}"
                if self.bound <= FAR * max(total[-1], 1):
                    self.bound_ = ax.axhline(self.bound, color=style.INK, ls="--", label=told)
                else:
                    ax.plot([], [], color=style.INK, ls="--", label=told + ", far above")
            ax.set_xlabel("pass")
            ax.set_ylabel("mistakes (examples)")
            ax.set_ylim(bottom=0)
            style.counted(ax.xaxis)
            style.counted(ax.yaxis)
            ax.legend(loc="best")
        return self


class MarginBoundsDisplay(TraceDisplay):
    """The two bounds on the best possible margin, closing in on each other with the updates.

    The smallest margin of weights that the run has had shows that a margin is possible, and ``‖w − w₀‖/Σ τ`` that no
    more than that is: ``γ_lower ≤ γ* ≤ γ_upper``, at any time, whatever the rule. With a bias they are margins of the
    vectors (x, 1).

    Parameters
    ----------
    updates : ndarray
        How many updates had been made.
    lower, upper : ndarray
        The bounds after them.
    best : float or None, default=None
        γ*, if it is known.
    image : str, default="x"
        What the margins are of.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lower_, upper_
        The lines.
    """

    def __init__(
        self, *, updates: Array, lower: Array, upper: Array, best: float | None = None, image: str = "x"
    ) -> None:
        self.updates, self.lower, self.upper, self.best, self.image = updates, lower, upper, best, image

    @classmethod
    def from_trace(
        cls, run: Trace, *, best: float | None = None, ax: Axes | None = None, **options: Any
    ) -> MarginBoundsDisplay:
        """Draw the bounds of a trace.

        Parameters
        ----------
        run : Trace
            The run.
        best : float, default=None
            γ*, such as ``rb.separability(X, y).margin_augmented``, to be drawn between them.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.

        Returns
        -------
        MarginBoundsDisplay
            Drawn.
        """
        history = History.of(run)
        if not history.moves:
            raise ValueError("the run made no update, so it has no bounds to draw")
        image = "φ(x)" if run.setting.kernel is not None else "(x, 1)" if run.setting.fit_intercept else "x"
        display = cls(updates=history.updates, lower=history.lower, upper=history.upper, best=best, image=image)
        return display.plot(ax, **options)

    def plot(self, ax: Axes | None = None) -> MarginBoundsDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where; None: a new figure.

        Returns
        -------
        MarginBoundsDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        with style.canvas(ax, "a plot of margin bounds") as ax:
            self.ax_, self.figure_ = ax, ax.figure
            finite = np.isfinite(self.lower) & np.isfinite(self.upper)
            M, lower, upper = self.updates[finite], self.lower[finite], self.upper[finite]
            few = "o" if len(M) <= 60 else None
            options: dict[str, Any] = {"drawstyle": "steps-post", "markersize": 6}
            (self.upper_,) = ax.plot(
                M, upper, color=style.COLOURS[5], marker=few, **options,
                label=rf"$\gamma_{{upper}}$ = ‖w − w₀‖/Σ τ: {number(float(upper[-1]))}",
            )  # fmt: skip
            (self.lower_,) = ax.plot(
                M, lower, color=style.COLOURS[0], ls="--", marker=few and "s", **options,
                label=rf"$\gamma_{{lower}}$, shown by w: {number(float(lower[-1]))}",
            )  # fmt: skip
            ax.fill_between(M, lower, upper, step="post", color=style.QUIET, alpha=0.15, label="γ* lies here")
            if self.best is not None:
                ax.axhline(self.best, color=style.INK, ls=":", label=f"the best margin γ*: {number(float(self.best))}")
            ax.axhline(0, color=style.QUIET, lw=1)
            top = min(float(upper[0]), 4 * float(upper[-1])) or 1.0  # the first bounds are far off
            ax.set_ylim(max(float(lower.min()), -0.6 * top) - 0.05 * top, 1.08 * top)
            ax.set_xlabel("updates")
            ax.set_ylabel(f"margin of {self.image}" + ("" if "φ" in self.image else " (units of x)"))
            style.counted(ax.xaxis)
            ax.legend(loc="upper right")
        return self


class ProofDisplay(TraceDisplay):
    """The convergence proof: what u·w and ‖w‖ do, between the lines that bound them.

    For the perceptron from zero, with u of length 1: ``γ·M ≤ u·w ≤ ‖w‖ ≤ R·√M`` after M updates. A line cannot stay
    below a root for ever: they meet at ``M = (R/γ)²``, and there must be no update beyond. For other rules, whose
    weights have no such ceiling, u·w and its floor alone.

    Parameters
    ----------
    updates : ndarray
        How many updates had been made.
    progress, floor : ndarray
        u·w, and what it is at least.
    norm, ceiling : ndarray or None, default=None
        ‖w‖, and what it is at most.
    bound : float or None, default=None
        Where the lines meet.
    unit : bool, default=True
        Whether u has length 1.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lines_ : dict
        The lines by name: "progress", "floor", "norm", "ceiling".
    """

    def __init__(
        self, *, updates: Array, progress: Array, floor: Array, norm: Array | None = None,
        ceiling: Array | None = None, bound: float | None = None, unit: bool = True,
    ) -> None:  # fmt: skip
        self.updates, self.progress, self.floor, self.norm, self.ceiling = updates, progress, floor, norm, ceiling
        self.bound, self.unit = bound, unit

    @classmethod
    def from_trace(cls, run: Trace, *, ax: Axes | None = None, **options: Any) -> ProofDisplay:
        """Draw the proof beside a trace that was given a separator.

        Parameters
        ----------
        run : Trace
            The run, from ``rb.trace(…, separator=u)``.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.

        Returns
        -------
        ProofDisplay
            Drawn.
        """
        moves = [step for step in run.steps if step.moved]
        proofs = [step.proof for step in moves if step.proof is not None]
        if not proofs:
            why = "made no update" if run.steps and run.steps[0].proof is not None else "was given no separator"
            raise ValueError(f"the trace {why}, so there is no proof to draw: rb.trace(est, X, y, separator=u)")
        History.of(run)  # says so if updates are left out
        updates = np.cumsum([0, *(step.updates for step in moves)])
        progress, floor = (
            floats([0, *(getattr(proof, name) for proof in proofs)]) for name in ("progress", "progress_floor")
        )
        known = next((proof for proof in proofs if proof.cosine_floor), None)
        if known is None or known.cosine_floor is None:  # another rule, or another start
            return cls(updates=updates, progress=progress, floor=floor, unit=False).plot(ax, **options)
        norm, ceiling = (
            np.sqrt(floats([0, *(getattr(proof, name) for proof in proofs)])) for name in ("norm2", "norm2_ceiling")
        )
        length = float(known.progress_floor) / (known.cosine_floor * float(known.norm2_ceiling) ** 0.5)  # ‖u‖
        bound = None if run.bound is None else float(run.bound)
        return cls(
            updates=updates, progress=progress / length, floor=floor / length, norm=norm, ceiling=ceiling, bound=bound
        ).plot(ax, **options)

    def plot(self, ax: Axes | None = None) -> ProofDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where; None: a new figure.

        Returns
        -------
        ProofDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        with style.canvas(ax, "a plot of the proof") as ax:
            self.ax_, self.figure_ = ax, ax.figure
            blue, orange, marker = style.COLOURS[0], style.COLOURS[5], "o" if len(self.updates) <= 60 else None
            self.lines_ = {}
            if self.norm is not None and self.ceiling is not None:
                self._beyond(ax)
                self._line(ax, "ceiling", self.ceiling, "R·√M, the most", orange, ls="--")
                self._line(ax, "norm", self.norm, "‖w‖", orange, marker=marker)
            u = "u·w" if self.unit else "u·(w − w₀)"
            self._line(ax, "progress", self.progress, u, blue, marker=marker and "s")
            self._line(ax, "floor", self.floor, "γ·M, the least" if self.unit else "the least", blue, ls="--")
            ax.set_xlabel("updates M")
            ax.set_ylabel(f"{u} and ‖w‖ (‖u‖ = 1)" if self.unit else u)
            ax.set_xlim(left=0)
            ax.set_ylim(bottom=0)
            style.counted(ax.xaxis)
            ax.legend(loc="upper left")
        return self

    def _line(self, ax: Axes, name: str, values: Array, label: str, colour: str, **options: Any) -> None:
        (self.lines_[name],) = ax.plot(self.updates, values, color=colour, label=label, **options)

    def _beyond(self, ax: Axes) -> None:
        """The two lines on to where they meet, if that is in sight."""
        assert self.ceiling is not None
        last = int(self.updates[-1])
        if self.bound is None or not last or self.bound > FAR * last:
            if self.bound is not None:
                ax.plot([], [], " ", label=f"they meet at M = {number(self.bound)}")
            return
        M = np.linspace(last, self.bound, 100)
        for values, power in ((self.floor, 1.0), (self.ceiling, 0.5)):
            ax.plot(M, values[-1] * (M / last) ** power, color=style.QUIET, ls=":", lw=1.6)
        ax.axvline(self.bound, color=style.INK, lw=1.2, ls="-.", label=f"they meet at M = {number(self.bound)}")


class ScoreDisplay(TraceDisplay):
    """The score of one example over a run: it jumps by ``‖x‖² + 1`` with each update on that example.

    Parameters
    ----------
    steps : ndarray
        Numbers of the steps that moved the weights, 0 the first.
    scores : ndarray
        The score of the example after them.
    own : ndarray of bool
        Which of them were updates on the example itself.
    row : int
        Its row.
    sign : int
        +1 or −1: what it is.
    square : str
        What the jump is made of, such as "‖x‖² + 1".

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    line_, jumps_
        The score, and the heights of the jumps on the example itself.
    """

    def __init__(self, *, steps: Array, scores: Array, own: Array, row: int, sign: int, square: str) -> None:
        self.steps, self.scores, self.own, self.row, self.sign, self.square = steps, scores, own, row, sign, square

    @classmethod
    def from_trace(cls, run: Trace, row: int = 0, *, ax: Axes | None = None, **options: Any) -> ScoreDisplay:
        """Draw the score of a row of a trace.

        Parameters
        ----------
        run : Trace
            The run, of two classes.
        row : int, default=0
            Which row.
        ax : Axes, default=None
            Where to draw; None: a new figure.
        **options
            What ``plot`` takes.

        Returns
        -------
        ScoreDisplay
            Drawn.
        """
        if run.setting.form in ("multiclass", "ovr"):
            raise ValueError("the score of an example is drawn for two classes; here each class has a score")
        history, data, setting = History.of(run), run.data, run.setting
        if not 0 <= row < len(data.X):
            raise ValueError(f"row must lie between 0 and {len(data.X) - 1}, got {row}")
        scores = history.scores(floats([data.X[row]]))[:, 0, 0]
        square = "K(x, x)" if setting.kernel is not None else "‖x‖² + 1" if setting.fit_intercept else "‖x‖²"
        taus = {nearest for step in run.steps if step.moved for nearest in floats([step.tau]).tolist()}
        return cls(
            steps=np.array([0, *(move.number for move in history.moves)]), scores=scores,
            own=np.array([False, *(move.row == row for move in history.moves)]), row=row,
            sign=1 if data.y[row] == history.classes[1] else -1, square=square if taus == {1.0} else f"τ·({square})",
        ).plot(ax, **options)  # fmt: skip

    def plot(self, ax: Axes | None = None) -> ScoreDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where; None: a new figure.

        Returns
        -------
        ScoreDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        with style.canvas(ax, "a plot of a score") as ax:
            self.ax_, self.figure_ = ax, ax.figure
            colour = style.COLOURS[1 if self.sign > 0 else 0]
            (self.line_,) = ax.plot(
                self.steps, self.scores, drawstyle="steps-post", color=style.INK, marker=".",
                label=f"score of row {self.row}",
            )  # fmt: skip
            before = np.concatenate(([0.0], self.scores[:-1]))
            self.jumps_ = (self.scores - before)[self.own]
            ax.vlines(
                self.steps[self.own], before[self.own], self.scores[self.own], color=style.COLOURS[5], lw=5, alpha=0.75,
                label=f"updates on it: {self._told()}",
            )  # fmt: skip
            ax.axhline(0, color=style.QUIET, lw=1.2)
            low, high = ax.get_ylim()
            side = (0, high) if self.sign > 0 else (low, 0)
            told = f"the right side: it is {'+' if self.sign > 0 else '−'}"
            ax.axhspan(*side, color=style.tint(colour, 0.2), zorder=0, label=told)
            ax.set_ylim(low, high)
            ax.set_xlabel("step")
            ax.set_ylabel("score s = w·x" + (" + b" if "1" in self.square else ""))
            style.counted(ax.xaxis)
            ax.legend(loc="best")
        return self

    def _told(self) -> str:
        heights = np.unique(np.round(self.jumps_, 9))
        if len(heights) != 1:
            return f"±{self.square} each"
        return f"{'+' if heights[0] > 0 else '−'}({self.square}) = {number(float(heights[0]))}"


#: The pictures of a trace by name.
PICTURES: dict[str, Any] = {
    "boundary": BoundaryDisplay,
    "mistakes": MistakesDisplay,
    "margins": MarginBoundsDisplay,
    "proof": ProofDisplay,
    "score": ScoreDisplay,
}


class RunDisplay:
    """All pictures of a run that there are, in one figure.

    Attributes
    ----------
    displays : dict
        The pictures by name.
    axes_, figure_
        Where they were drawn.
    """

    def __init__(self, run: Trace) -> None:
        self.run, self.displays = run, {}  # type: tuple[Trace, dict[str, Any]]

    def plot(self) -> RunDisplay:
        """Draw it in a new figure.

        Returns
        -------
        RunDisplay
            Itself, with ``axes_`` and ``figure_``.
        """
        run = self.run
        if run.setting.form == "regression":
            raise ValueError("a regression has no boundary, mistakes or margin to draw; trace a classifier")
        wanted = ["mistakes"]
        if run.setting.n_features == 2 and getattr(run.data.kernel, "name", "") != "precomputed":
            wanted.insert(0, "boundary")
        if run.n_updates:
            wanted += ["margins"] + ["proof"] * (run.steps[0].proof is not None)
        with style.canvas(
            None, "a plot of a run", (7.6 * min(2, len(wanted)), 5 * -(-len(wanted) // 2)),
            nrows=-(-len(wanted) // 2), ncols=min(2, len(wanted)), squeeze=False,
        ) as axes:  # fmt: skip
            for name, ax in zip(wanted, axes.ravel()):
                self.displays[name] = PICTURES[name].from_trace(run, ax=ax)
            for ax in axes.ravel()[len(wanted) :]:
                ax.set_axis_off()
            self.axes_, self.figure_ = axes, axes[0, 0].figure
            self.figure_.suptitle(f"{run.setting.name}: {run.verdict}")
        return self


def plot_trace(run: Trace, what: str | None = None, **options: Any) -> Any:
    """What ``Trace.plot`` draws.

    Parameters
    ----------
    run : Trace
        The run.
    what : {"boundary", "mistakes", "margins", "proof", "score"}, default=None
        One picture; None: all of them that the trace has.
    **options
        What the picture takes.

    Returns
    -------
    display
        Drawn.
    """
    if what is None:
        return RunDisplay(run).plot(**options)
    if what not in PICTURES:
        raise ValueError(f"a trace is drawn as {', '.join(map(repr, PICTURES))} or None, got {what!r}")
    return PICTURES[what].from_trace(run, **options)
