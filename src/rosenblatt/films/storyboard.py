"""A trace as pictures: the states of the weights that are drawn, and for each frame the numbers beside the picture."""

from __future__ import annotations

from typing import Any

from ..tracing import Step, Trace
from ..tracing.layout import Vectors
from ..tracing.moves import decided, margin
from ..tracing.wording import above, below, label, number
from . import looks
from .course import Course, Scores

#: More frames than this are refused; of more steps than ``FEW`` the updates alone are shown unless all are asked for.
MOST, FEW = 2000, 200
#: So many weights are drawn as bars where there is no plane to draw.
BARS = 40
#: Classes whose regions are drawn.
REGIONS = 36
#: Places across and up at which the scores of a kernel are written; the page draws the lines between them.
GRID = 49
#: A score takes two of these: 4,095 steps, finer towards 0, where the boundary is.
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FINEST = 2047
ROUNDING = 1e-14


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
        self.course, self.trace, setting = Course(trace), trace, trace.setting
        self.picture = _picture(trace)
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
        ending = f", {trace.verdict}" if self.course.read.is_whole else ", the beginning"
        self.title = title or f"{setting.name}: {setting.n_rows} rows{ending}"
        self._x, self._w = Vectors(setting), Vectors(setting, weights=True)
        self._last = trace.steps[-1].number

    # ---- the record ----------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Everything that the page needs."""
        course, setting = self.course, self.trace.setting
        classes, names = setting.classes or [], setting.names or looks.numbered(setting.n_features)
        columns = list(zip(*course.rows))
        corners = looks.around([*map(min, columns)], [*map(max, columns)]) if self.picture != "weights" else ([], [])
        low, high = _rounded(corners)
        return {
            "title": self.title,
            "picture": self.picture,
            "names": names[:BARS],
            "classes": looks.class_names(classes),
            "colours": [looks.COLOURS[code % len(looks.COLOURS)] for code in range(len(classes))],
            "points": _rounded(course.rows) if self.picture != "weights" else [],
            "codes": course.codes,
            "rows": list(self.trace.data.present),
            "low": low,
            "high": high,
            "grid": GRID,
            "states": self._regions(*corners) if self.picture == "regions" else self._vectors(),
            "frames": self._frames(),
            "proved": self.trace.proved if course.read.is_whole else [],
        }

    def _regions(self, low: list[float], high: list[float]) -> list[dict[str, Any]]:
        """After each move, what is above 0 in the region of each class; and the rows that are wrong."""
        sides = [[a + (b - a) * k / (GRID - 1) for k in range(GRID)] for a, b in zip(low, high)]
        scores = self.course.over([(x, y) for y in sides[1] for x in sides[0]])
        return [
            {"wrong": wrong, "leads": [written(lead) for lead in _leads(over)]}
            for wrong, over in zip(self._wrong(), scores)
        ]

    def _vectors(self) -> list[dict[str, Any]]:
        """After each move the vectors (w, b), and the rows that are wrong."""
        states = []
        for wrong, w, b in zip(self._wrong(), self.course.read.coordinates, self.course.read.biases):
            stacked = [[*vector, bias] for vector, bias in zip(w, b)]
            if len(stacked) == 1:  # two classes: the other has no weights
                stacked = [[0.0] * len(stacked[0]), *stacked]
            states.append({"wrong": wrong, "vectors": _rounded(stacked)})
        return states

    def _wrong(self) -> list[list[int]]:
        """The rows that the weights get wrong, as ``predict`` decides."""
        codes = self.course.codes
        return [
            [i for i, (scores, code) in enumerate(zip(moment, codes)) if decided(scores) != code]
            for moment in self.course.own
        ]

    def _frames(self) -> list[dict[str, Any]]:
        """One for each step shown, and one for where the weights begin."""
        wanted = {step.number for step in self.chosen if step is not None}
        place, mistakes, updates = 0, 0, 0
        frames = [self._frame(None, 0, 0, 0)]
        moved = {move.number for move in self.course.read.moves}
        for step in self.trace.steps:
            mistakes, updates = mistakes + step.mistakes, updates + step.updates
            place += step.number in moved
            if step.number in wanted:
                frames.append(self._frame(step, place, mistakes, updates))
        return frames

    def _frame(self, step: Step | None, place: int, mistakes: int, updates: int) -> dict[str, Any]:
        setting, bound = self.trace.setting, self.trace.bound
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
        lower, upper = self.course.lower[place], self.course.upper[place]
        numbers["best margin"] = f"{below(lower)} ≤ γ* ≤ {above(upper)}"
        return {
            "state": place,
            "row": None if step is None else self.trace.data.present.index(step.row),
            "pass": 0 if step is None else step.pass_number,
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
            times, sure = "" if size == "1" else size + "·", step.variance is not None
            if kernel:
                updates.append(f"{name + ': ' if name else ''}α[{step.row}] ← α[{step.row}] {sign} {size}")
            else:
                what = f"{name + ': ' if name else ''}w ← w {sign} {times}{'Σx' if sure else 'x'}"
                bias = self.trace.setting.bias_apart and not sure  # whose own share of Σ is in its step
                updates.append(what + (f", b ← b {sign} {size}" if bias else ""))
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


def _picture(trace: Trace) -> str:
    """What can be drawn: lines in the plane, regions of a kernel, or weights as bars."""
    setting, kernel, n_classes = trace.setting, trace.data.kernel, len(trace.setting.classes or ())
    if kernel is not None and kernel.name == "precomputed":
        raise ValueError(
            "a precomputed kernel has no features to draw; give the kernel itself and rows of two features"
        )
    if kernel is not None and n_classes > REGIONS:
        raise ValueError(f"the regions of {n_classes} classes cannot be told apart in a picture")
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
            f"{setting.n_features} features and {n_classes} classes"
        )
    return "weights"


def _leads(scores: Scores) -> list[list[float]]:
    """What is above 0 in the region of a class: the score of the second of two, or how far each leads the others."""
    n_vectors = len(scores[0])
    return [[margin(own, c if n_vectors > 1 else 1) for own in scores] for c in range(n_vectors)]


def written(values: list[float]) -> str:
    """Numbers in two characters each: their signs, and cube roots in proportion to the largest.

    What is lost in the rounding of that is 0.
    """
    largest = max(map(abs, values)) or 1.0
    text = []
    for value in values:
        share = abs(value) / largest
        size = max(1, round(FINEST * share ** (1 / 3))) if share > ROUNDING else 0
        code = FINEST + (size if value > 0 else -size)
        text.append(DIGITS[code >> 6] + DIGITS[code & 63])
    return "".join(text)


def _rounded(values: Any) -> Any:
    """Floats to the digits that a picture needs."""
    return [_rounded(v) for v in values] if isinstance(values, (list, tuple)) else float(f"{values:.9g}")
