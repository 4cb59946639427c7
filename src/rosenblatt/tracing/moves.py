"""The weights that a trace went through as floats: those of the start, and those after each move. Plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .record import Step, Trace
from .wording import nearest

Vectors = list[list[float]]  # one for each weight vector


@dataclass(frozen=True)
class Moves:
    """A run by the moves of its weights.

    Attributes
    ----------
    trace : Trace
        The run.
    moves : tuple of Step
        The steps that changed the weights.
    coordinates : list of vectors
        Weights (or in the space of a kernel the coefficients of ``data``'s rows), those of the start first.
    biases : list of lists
        Their biases; 0 in the space of a kernel, which has them in its constant 1.
    tau : list of lists
        The sum of all steps; one against the rest has one for each class.
    """

    trace: Trace
    moves: tuple[Step, ...]
    coordinates: list[Vectors]
    biases: list[list[float]]
    tau: list[list[float]]

    @classmethod
    def of(cls, trace: Trace) -> Moves:
        """Read a trace; refuses one that leaves out updates."""
        setting = trace.setting
        if not trace.steps:
            raise ValueError("the trace has no steps to draw")
        if setting.form == "regression":
            raise ValueError("a regression has no classes and no margin to draw; trace a classifier")
        now = start = _start(trace)
        moves, total = [], [0.0] * (len(setting.classes or ()) if setting.form == "ovr" else 1)
        sums = [total]
        for step in trace.steps:
            if (step.coordinates_before, step.b_before) != now:
                raise ValueError(
                    f"this trace leaves out steps before step {step.number} that moved the weights: draw the whole "
                    "trace, its beginning such as trace[:8], or trace.updates()"
                )
            total = [sum_ + nearest(tau) for sum_, tau in zip(total, _several(step.tau))]
            if (step.coordinates, step.b) != now:
                now = step.coordinates, step.b
                moves.append(step)
                sums.append(total)
        places = [start, *((step.coordinates, step.b) for step in moves)]
        w = [[[nearest(v) for v in vector] for vector in _vectors(held)] for held, _ in places]
        b = [[nearest(v) for v in _several(0 if bias is None else bias)] for _, bias in places]
        return cls(trace, tuple(moves), w, [bias if len(bias) == len(w[0]) else bias * len(w[0]) for bias in b], sums)

    @property
    def codes(self) -> list[int]:
        """The classes of the rows that have weight, as their places."""
        place = {label: code for code, label in enumerate(self.trace.setting.classes or ())}
        return [place[self.trace.data.y[i]] for i in self.trace.data.present]

    @property
    def is_whole(self) -> bool:
        """Whether no update of the run comes after the last step."""
        return sum(step.updates for step in self.trace.steps) == self.trace.n_updates


def margin(scores: Sequence[float], code: int) -> float:
    """y·s, or how far the right class leads the best wrong one."""
    if len(scores) == 1:
        return scores[0] if code else -scores[0]
    return scores[code] - max(score for r, score in enumerate(scores) if r != code)


def decided(scores: Sequence[float]) -> int:
    """The class that scores say: the second where there is one vector and it is positive, else the first largest."""
    return int(scores[0] > 0) if len(scores) == 1 else scores.index(max(scores))


def _start(trace: Trace) -> tuple[Any, Any]:
    """The weights before the first step as steps hold them; in the space of a kernel, no coefficient at all."""
    if trace.setting.kernel is None:
        return trace.setting.w, trace.setting.b
    held = trace.steps[0].coordinates_before
    return (tuple((0,) * len(ws) for ws in held) if isinstance(held[0], tuple) else (0,) * len(held)), None


def _vectors(held: Any) -> Any:
    return held if isinstance(held[0], (tuple, list)) else [held]


def _several(value: Any) -> Any:
    return value if isinstance(value, (tuple, list)) else [value]
