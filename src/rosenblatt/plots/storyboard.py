"""A trace as pictures: the states of the weights that are drawn, and for each frame the numbers beside the picture."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..tracing import Step, Trace
from ..tracing.layout import Vectors
from ..tracing.wording import above, below, label, number
from . import plane, style
from .history import History

#: More frames than this are refused; of more steps than ``FEW`` the updates alone are shown unless all are asked for.
MOST, FEW = 2000, 200
#: So many weights are drawn as bars where there is no plane to draw.
BARS = 40
#: The side of the grid on which the regions of a kernel are drawn.
GRID = 60
#: A class of a cell in one character, as JavaScript reads it to the base 36.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Storyboard:
    """What an animation shows, in the words of JSON.

    Parameters
    ----------
    trace : Trace
        The run, from its beginning.
    steps : {"updates", "all"} or None
        Which steps are frames; None: all, unless they are many.
    title : str or None
        None: what was run.
    """

    def __init__(self, trace: Trace, steps: str | None = None, title: str | None = None) -> None:
        if steps not in (None, "updates", "all"):
            raise ValueError(f"steps must be 'updates', 'all' or None, got {steps!r}")
        self.history, self.trace, setting = History.of(trace), trace, trace.setting
        self.picture = _picture(self.history)
        chosen = [step for step in trace.steps if step.moved] if steps == "updates" else list(trace.steps)
        if steps is None and len(chosen) > FEW:
            chosen = [step for step in chosen if step.moved]
        most = MOST if self.picture != "regions" else MOST // 4  # each of them is a picture of its own
        if len(chosen) > most:
            fewer = ", or the updates alone, steps='updates'" if steps == "all" else ""
            raise ValueError(
                f"an animation of {len(chosen):,} frames would be too long, {most:,} can be shown: animate the "
                f"beginning, trace[:{most}]{fewer}"
            )
        self.chosen: list[Step | None] = [None, *chosen]
        ending = f", {trace.verdict}" if self.history.is_whole else ", the beginning"
        self.title = title or f"{setting.name}: {setting.n_rows} rows{ending}"
        self._x, self._w = Vectors(setting), Vectors(setting, weights=True)
        self._last = trace.steps[-1].number

    # ---- the record ----------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Everything that the page needs."""
        history, setting = self.history, self.trace.setting
        low, high = plane.span(history.X) if self.picture != "weights" else ([], [])
        names = setting.names or plane.numbered(setting.n_features)
        return {
            "title": self.title,
            "picture": self.picture,
            "names": names[:BARS],
            "classes": style.class_names(history.classes),
            "colours": [style.COLOURS[code % len(style.COLOURS)] for code in range(len(history.classes))],
            "points": _rounded(history.X) if self.picture != "weights" else [],
            "codes": history.y.tolist(),
            "rows": list(self.trace.data.present),
            "low": _rounded(low),
            "high": _rounded(high),
            "grid": GRID,
            "states": [self._state(place) for place in range(len(history.coordinates))],
            "frames": self._frames(),
            "proved": self.trace.proved if history.is_whole else [],
        }

    def _state(self, place: int) -> dict[str, Any]:
        """The weights after so many moves: vectors (w, b), or the regions; and the rows that they get wrong."""
        history, at = self.history, slice(place, place + 1)
        own = history.scores(history.own, at)[0]
        state: dict[str, Any] = {"wrong": np.flatnonzero(history.said(own) != history.y).tolist()}
        if self.picture == "regions":
            codes = history.said(history.scores(self._cells, at)[0])
            state["regions"] = "".join(DIGITS[code] for code in codes.tolist())
        else:
            stacked = np.column_stack((history.coordinates[place], history.biases[place]))
            if len(stacked) == 1:  # two classes: the other has no weights
                stacked = np.vstack((np.zeros_like(stacked), stacked))
            state["vectors"] = _rounded(stacked)
        return state

    @cached_property
    def _cells(self) -> Any:
        """The image of the grid: the middles of its cells."""
        low, high = plane.span(self.history.X)
        half = (high - low) / (2 * GRID)
        return self.history.image(plane.grid(low + half, high - half, GRID)[2])

    def _frames(self) -> list[dict[str, Any]]:
        """One for each step shown, and one for where the weights begin."""
        history, wanted = self.history, {step.number for step in self.chosen if step is not None}
        place, mistakes, updates = 0, 0, 0
        frames = [self._frame(None, 0, 0, 0)]
        moved = {move.number for move in history.moves}
        for step in self.trace.steps:
            mistakes, updates = mistakes + step.mistakes, updates + step.updates
            place += step.number in moved
            if step.number in wanted:
                frames.append(self._frame(step, place, mistakes, updates))
        return frames

    def _frame(self, step: Step | None, place: int, mistakes: int, updates: int) -> dict[str, Any]:
        history, setting, bound = self.history, self.trace.setting, self.trace.bound
        numbers: dict[str, str] = {}
        if step is None:
            numbers["step"] = f"0 of {self._last}: the start"
        else:
            numbers["step"] = f"{step.number} of {self._last}, pass {step.pass_number}"
            numbers["example"] = f"row {step.row}, {setting.x} = {self._x.write([step.x])[0]}, y = {label(step.y)}"
            numbers["score"] = f"{self._score(step)}: {step.why or 'right'}"
            numbers["update"] = self._update(step)
        w, b = self._weights(step)
        numbers["α" if setting.kernel is not None else "w"] = w
        if b is not None:
            numbers["b"] = b
        numbers["mistakes"] = f"{mistakes:,} so far"
        numbers["updates"] = f"{updates:,}" + (f", at most {number(bound)}" if bound is not None else "")
        lower, upper = float(history.lower[place]), float(history.upper[place])
        numbers["best margin"] = f"{below(lower)} ≤ γ* ≤ {above(upper)}"
        return {
            "state": place,
            "row": None if step is None else self.trace.data.present.index(step.row),
            "moved": step is not None and step.moved,
            "wrong": step is not None and step.mistake,
            "numbers": list(numbers.items()),
        }

    # ---- in words ------------------------------------------------------------------------------------------------

    def _score(self, step: Step) -> str:
        if isinstance(step.score, tuple):
            return ", ".join(f"{name} {number(s)}" for name, s in zip(self.trace.setting.class_names, step.score))
        return f"s = {number(step.score)}"

    def _update(self, step: Step) -> str:
        """What was added to what."""
        if not step.moved:
            return "none"
        kernel, several = self.trace.setting.kernel is not None, len(step.coef) > 1
        updates = []
        for name, a in zip(self.trace.setting.class_names if several else [""], step.coef):
            if not a:
                continue
            sign, size = "−" if a < 0 else "+", number(abs(a))
            if kernel:
                updates.append(f"{name + ': ' if name else ''}α[{step.row}] ← α[{step.row}] {sign} {size}")
            else:
                what = f"{name + ': ' if name else ''}w ← w {sign} {'' if size == '1' else size + '·'}x"
                updates.append(what + (f", b ← b {sign} {size}" if self.trace.setting.bias_apart else ""))
        return "; ".join(updates)

    def _weights(self, step: Step | None) -> tuple[str, str | None]:
        """Weights and bias after a step."""
        setting = self.trace.setting
        w, b = (setting.w, setting.b) if step is None else (step.coordinates, step.b)
        if w is None:
            return "0", None
        if setting.several:
            weights = "; ".join(
                f"{name} {self._w.write([vector])[0]}" for name, vector in zip(self.trace.setting.class_names, w)
            )
            bias = (
                "; ".join(f"{name} {number(v)}" for name, v in zip(self.trace.setting.class_names, b))
                if b is not None
                else None
            )
        else:
            weights, bias = self._w.write([w])[0], None if b is None else number(b)
        return weights + self._w.suffix, bias if setting.bias_apart else None


def _picture(history: History) -> str:
    """What can be drawn: lines in the plane, regions of a kernel, or weights as bars."""
    setting, kernel = history.trace.setting, history.trace.data.kernel
    if kernel is not None and kernel.name == "precomputed":
        raise ValueError(
            "a precomputed kernel has no features to draw; give the kernel itself and rows of two features"
        )
    if kernel is not None and len(history.classes) > len(DIGITS):
        raise ValueError(f"the regions of {len(history.classes)} classes cannot be told apart in a picture")
    if setting.n_features == 2:
        return "lines" if kernel is None else "regions"
    if kernel is not None:
        raise ValueError(
            f"an animation in the space of a kernel is drawn over two features, and here are {setting.n_features}; "
            "trace it on two of them"
        )
    if setting.form != "binary" or setting.n_features > BARS:
        raise ValueError(
            f"an animation draws two features, or the weights of at most {BARS} between two classes; here are "
            f"{setting.n_features} features and {len(history.classes)} classes"
        )
    return "weights"


def _rounded(values: Any) -> Any:
    """Floats to the digits that a picture needs."""
    values = np.asarray(values, np.float64)
    if values.ndim:
        return [_rounded(value) for value in values]
    return float(f"{float(values):.9g}")
