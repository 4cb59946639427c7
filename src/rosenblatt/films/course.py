"""What the weights of a run say after each move: of its rows, of any places, and of the best margin. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from ..core.sums import product
from ..tracing import Trace
from ..tracing.moves import Moves, margin
from ..tracing.wording import nearest

Scores = list[list[float]]  # of each row, a number for each weight vector


class Course:
    """A run from move to move.

    Parameters
    ----------
    trace : Trace
        The run, from its beginning.
    """

    def __init__(self, trace: Trace) -> None:
        self.read, self.trace = Moves.of(trace), trace
        self.rows = [[nearest(v) for v in trace.data.X[i]] for i in trace.data.present]
        self.codes = self.read.codes

    def __len__(self) -> int:
        return len(self.read.coordinates)

    def over(self, places: Sequence[Sequence[float]]) -> Iterator[Scores]:
        """The scores of some places: before the first move, and after each."""
        if self.trace.data.kernel is None:
            for w, b in zip(self.read.coordinates, self.read.biases):
                yield [[product(v, x) + bias for v, bias in zip(w, b)] for x in places]
            return
        learned = [[nearest(v) for v in row] for row in self.trace.data.X]
        image = self.trace.data.kernel.values(places, learned)
        before = [[0.0] * len(learned)] * len(self.read.coordinates[0])
        scores = [[0.0] * len(before) for _ in places]
        for now in self.read.coordinates:
            for c, (alpha, earlier) in enumerate(zip(now, before)):
                for j, (a, was) in enumerate(zip(alpha, earlier)):
                    if a != was:
                        for own, row in zip(scores, image):
                            own[c] += (a - was) * row[j]
            before = now
            yield [list(own) for own in scores]

    @cached_property
    def own(self) -> list[Scores]:
        """The scores of the rows themselves."""
        return list(self.over(self.rows))

    # ---- bounds on the best margin -------------------------------------------------------------------------------

    @cached_property
    def lower(self) -> list[float]:
        """Lower bound after each move: the largest of the smallest margins so far."""
        least = (
            min(m / n if n > 0 else -math.inf for m, n in zip(self._least(scores), norms))
            for scores, norms in zip(self.own, self._norms())
        )
        return list(accumulate(least, max))

    @cached_property
    def upper(self) -> list[float]:
        """Upper bound: ``‖w − w₀‖/Σ τ``, the smallest so far, ∞ where the run bounds nothing."""
        if math.isinf(self.trace.margin_bounds[1]):
            return [math.inf] * len(self)
        return list(
            accumulate(
                (
                    min(n / t if t > 0 else math.inf for n, t in zip(norms, tau))
                    for norms, tau in zip(self._norms(self.read.coordinates[0], self.read.biases[0]), self.read.tau)
                ),
                min,
            )
        )

    def _least(self, scores: Scores) -> list[float]:
        """The smallest margin over all rows; one against the rest: of each class."""
        if self.trace.setting.form != "ovr":
            return [min(margin(own, code) for own, code in zip(scores, self.codes))]
        return [
            min(own[c] if code == c else -own[c] for own, code in zip(scores, self.codes))
            for c in range(len(scores[0]))
        ]

    def _norms(self, w0: Scores | None = None, b0: Sequence[float] | None = None) -> Iterator[list[float]]:
        """‖w − w₀‖ after each move, of all vectors together or of each against the rest."""
        alone = self.trace.setting.form == "ovr"
        if self.trace.data.kernel is not None:
            if alone:
                raise ValueError("one against the rest in the space of a kernel keeps no ‖w‖ of each class to draw")
            yield from ([0.0], *([step.norm] for step in self.read.moves))
            return
        apart = self.trace.setting.bias_apart
        for w, b in zip(self.read.coordinates, self.read.biases):
            from_w, from_b = w0 or [[0.0] * len(v) for v in w], b0 or [0.0] * len(b)
            lengths = [
                math.hypot(*map(float.__sub__, v, v0), bias - bias0 if apart else 0.0)
                for v, v0, bias, bias0 in zip(w, from_w, b, from_b)
            ]
            yield lengths if alone else [math.hypot(*lengths)]
