"""Learn from some rows of a sample, and judge on others that were not learned from."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core import labels
from ..core.learner import Pass
from ..core.spec import Spec
from ..data.csr import Array, Csr
from ..data.features import Features
from .metrics import Measured, Metric, Part
from .sample import Sample


@dataclass(frozen=True)
class Candidate:
    """Something to try.

    Parameters
    ----------
    options : mapping
        What is set, by the names of the command's options.
    features : Features or None
        What makes the rows; None: they are as they are.
    spec : Spec
        The learner; how many passes it makes, the judge says.
    """

    options: Mapping[str, Any]
    features: Features | None
    spec: Spec


class Judged(NamedTuple):
    """What a candidate says of rows that it had not learned from."""

    passes: int
    predictions: Array
    scores: Array


class _Made(NamedTuple):
    """Rows that were made, and of what."""

    features: Features | None
    learned: Array
    judged: Array
    to_learn: Csr
    to_judge: Csr

    def are_of(self, features: Features | None, learned: Array, judged: Array) -> bool:
        same = np.array_equal(self.learned, learned) and np.array_equal(self.judged, judged)
        return self.features is features and same


class Judge:
    """Judges candidates on a sample by a metric, after each of some numbers of passes.

    Parameters
    ----------
    sample : Sample
        The rows.
    metric : Metric
        What is to be best.
    passes : sequence of int
        After which passes a run is judged, each time by the readout that would ship.
    check : callable, default=None
        Called after each pass; what it raises ends the run.
    kept_parts : int, default=1
        Of so many parts of the sample the rows are kept for the next learner.
    """

    def __init__(
        self, sample: Sample, metric: Metric, passes: Sequence[int], check: Any = None, kept_parts: int = 1
    ) -> None:
        self.sample, self.metric, self.passes = sample, metric, list(passes)
        self._check = check or (lambda: None)
        self._kept_parts = kept_parts
        self._made: deque[_Made] = deque()

    def forget_rows(self) -> None:
        """Let go of the rows that are kept."""
        self._made.clear()

    def judge(
        self, candidate: Candidate, learned: Array, judged: Array, after: Sequence[int] | None = None
    ) -> list[Judged]:
        """How the rows ``judged`` are predicted after each number of passes over the rows ``learned``.

        ``after``: after these, the most of which is made; None: after all that are asked for.
        """
        after = self.passes if after is None else after
        sample, spec = self.sample, candidate.spec
        to_learn, to_judge = self._rows_of(candidate, learned, judged)
        learner, rng, rows = spec.learner(), spec.generator(), spec.rows(to_learn)
        targets, weight = sample.targets[learned], _weights(spec, sample, learned)
        spec.start(learner, rows, 0 if sample.classes is None else len(sample.classes), rng, weight)
        others = spec.rows(to_judge, learner.dtype, learner=learner)
        found: list[Judged] = []

        def look(passes: int) -> None:
            scores = learner.scores(others)
            found.append(Judged(passes, learner.decide(scores), scores if self.metric.by_scores else scores[:0]))

        def report(done: Pass) -> None:
            if done.number in after:
                look(done.number)
            self._check()

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner.fit(
                rows, targets, weight, max_iter=max(after), tol=spec.tol, shuffle=spec.shuffle, rng=rng,
                progress=report,
            )  # fmt: skip
        if not found or found[-1].passes < learner.n_iter:  # it ended between two of them
            look(learner.n_iter)
        return found

    def _rows_of(self, candidate: Candidate, learned: Array, judged: Array) -> tuple[Csr, Csr]:
        """The rows to learn from and those to judge, made once for those that ask for the same one after the other."""
        features = candidate.features
        for made in self._made:
            if made.are_of(features, learned, judged):
                return made.to_learn, made.to_judge
        if len(self._made) == self._kept_parts:
            self._made.popleft()  # before the next are in memory
        all_rows = self.sample.rows(features, learned)
        made = _Made(features, learned, judged, all_rows.taken(learned), all_rows.taken(judged))
        self._made.append(made)
        return made.to_learn, made.to_judge

    def measure(self, results: Sequence[tuple[Judged, Array]]) -> Measured:
        """The metric of what was said of rows with these numbers, which differ; the influence is in that order."""
        targets = self.sample.targets
        parts = [Part(targets[judged], one.predictions, one.scores) for one, judged in results]
        return self.metric.measure(parts, 0 if self.sample.classes is None else len(self.sample.classes))


def _weights(spec: Spec, sample: Sample, learned: Array) -> Array | None:
    """Weights of the rows times those of their classes."""
    weight = None if sample.weight is None else sample.weight[learned]
    if spec.class_weight is None or sample.classes is None:
        return weight
    codes = sample.targets[learned]
    counts = np.bincount(codes if weight is None else codes[weight > 0], minlength=len(sample.classes))
    balanced = spec.class_weight == "balanced"
    by_class = labels.class_weights(spec.class_weight, sample.classes, counts, stream=not balanced)
    return by_class[codes] if weight is None else weight * by_class[codes]
