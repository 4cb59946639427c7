"""Successive halving: all configurations on few rows, the better half of them on twice as many, and so on.

Every rung learns anew from the first rows of the sample and judges the rows after them, which were not learned from
yet: the progressive error, rung by rung, of the readout that would ship. The last rung judges each part of the sample
by a model of the others. The default, which stands first, goes through all rungs, and is taken unless another is better
by more than two standard errors of the difference, row by row (as in the rule of Breiman et al. 1984, paired): the best
of many is best by chance, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..data.csr import Array
from ..errors import ParameterError
from .grids import PASSES
from .judging import Candidate, Judge, Judged
from .metrics import Measured

#: Of the best candidates as many go on to the next rung.
KEPT = 1 / 2
#: After so many passes the rungs before the last judge, if it is one of those that are tried: they tell who is better.
EARLY = 3
#: What is taken in place of the default, or of the usual number of passes, must be better by so many standard errors.
BETTER_BY = 2.0
#: Into so many parts the last rung cuts the rows.
FOLDS = 3
#: The rows to learn from and those to judge.
Fold = tuple[Array, Array]
#: How a candidate did on each fold, with the rows that it was judged on, by the number of passes.
_Results = dict[int, list[tuple[Judged, Array]]]


#: Of more rows, or bytes of text, the budget takes a share, but so many rows at least.
FEW_ROWS, FEW_BYTES, ROWS = 1 << 13, 1 << 23, 1 << 12


class Budget(NamedTuple):
    """How much is tried: it counts work and no seconds."""

    candidates: int
    share: float  # of the rows that are compared on, where there are very many
    rungs: int
    cuts: int = 1  # how often the last rung cuts the rows into parts, in other orders, where they are few
    passes: Sequence[int] = PASSES  # after which the last rung judges, each of them at no cost but that of the most

    def rows(self, n: int, size: int = 0) -> int:
        """How many of n rows, of so many bytes of text, are compared on."""
        return n if n <= FEW_ROWS and size <= FEW_BYTES else max(min(n, ROWS), int(n * self.share))


BUDGETS = {
    "small": Budget(12, 1 / 4, 3, passes=tuple(passes for passes in PASSES if passes <= PASSES[0])),
    "medium": Budget(24, 1 / 2, 3),
    "large": Budget(40, 1.0, 5, cuts=2),
}
#: With fewer rows configurations are not compared.
LEAST_ROWS = 40
#: Of fewer rows, or less than a quarter of them, no rung learns, and on fewer, if there are more, none judges: it would
#: drop the best by chance.
LEAST_LEARNED, LEAST_JUDGED = 400, 2_000


def budget_of(name: str) -> Budget:
    """The budget of this name; a number: so many configurations, on all rows."""
    if name in BUDGETS:
        return BUDGETS[name]
    if not (name.isascii() and name.isdigit() and int(name) > 0):
        raise ParameterError(f"budget must be {', '.join(BUDGETS)} or a number of configurations; got {name}", "budget")
    return Budget(int(name), 1.0, 3)


def refuse(candidates: Sequence[Candidate], budget: Budget, n_rows: int) -> None:
    """Refuse what leaves nothing to compare."""
    if budget.candidates < 2:
        raise ParameterError("the budget is one configuration, and at least two are compared", "budget")
    if len(candidates) < 2:
        raise ValueError("all options are named, and no two configurations are left to compare; leave some of them out")
    if n_rows < LEAST_ROWS:
        raise ValueError(f"configurations are compared on at least {LEAST_ROWS} rows, and there are {n_rows}")


@dataclass
class Trial:
    """A candidate, and how it did on the last rung that it reached."""

    candidate: Candidate
    number: int  # in the order of the grid
    rung: int = -1  # from 0; −1: it was not tried
    learned: int = 0  # rows
    judged: int = 0
    passes: int = 0
    measured: Measured | None = None

    @property
    def value(self) -> float:
        return float("nan") if self.measured is None else self.measured.value


class Halving:
    """The search.

    Parameters
    ----------
    judge : Judge
        Learns and judges.
    candidates : sequence of Candidate
        Those that are tried; the first is the default.
    rungs : int
        How many, at most.
    cuts : int, default=1
        How often the last rung cuts the sample into parts, each time in another order, if it is no larger than
        ``FEW_ROWS``: a value is then the mean of all. In which order rows are learned from moves accuracy about as much
        as which rows judge.
    progress : callable, default=None
        Called with this object each time after one has learned.

    Attributes
    ----------
    trials : list of Trial
        One for each candidate.
    done, all : int
        Rows that are learned from once for each candidate: so far, and in the whole search.
    """

    def __init__(
        self,
        judge: Judge,
        candidates: Sequence[Candidate],
        rungs: int,
        cuts: int = 1,
        progress: Callable[[Halving], None] | None = None,
    ) -> None:
        self.judge, self._progress = judge, progress or (lambda search: None)
        self.trials = [Trial(candidate, number) for number, candidate in enumerate(candidates)]
        n, counts = len(judge.sample), [len(self.trials)]
        while len(counts) < rungs:
            counts.append(kept(counts[-1]))
        sizes = [n >> k for k in range(rungs, 1, -1)]
        least = max(LEAST_ROWS // 2, min(LEAST_LEARNED, n // 4))
        few = sum(size < least for size in sizes)  # rungs that are left out
        self._rungs = [*zip(counts[few + 1 :], map(self._halves, sizes[few:])), (1, self._folds(cuts))]
        left = [len(self.trials), *(count for count, _ in self._rungs)]
        self.done, self.all = 0, sum(m * _learned(parts) for m, (_, parts) in zip(left, self._rungs))

    def _halves(self, size: int) -> list[Fold]:
        """The first rows to learn from, and those after them to judge."""
        order = np.arange(len(self.judge.sample))
        return [(order[:size], order[size : size + max(size, LEAST_JUDGED)])]

    def _folds(self, cuts: int) -> list[Fold]:
        """Each part to judge, and the others to learn from; of a small sample, of parts that are cut anew."""
        size, folds = len(self.judge.sample), []
        for cut in range(cuts if size <= FEW_ROWS else 1):
            order = np.random.default_rng(cut).permutation(size) if cut else np.arange(size)
            parts = np.array_split(order, FOLDS)
            folds += [(np.concatenate(parts[:i] + parts[i + 1 :]), part) for i, part in enumerate(parts)]
        return folds

    def run(self) -> None:
        """Try all, rung by rung; what interrupts it leaves the trials as they are."""
        left = list(self.trials)
        try:
            for rung, (n, folds) in enumerate(self._rungs):
                early = EARLY in self.judge.passes and rung < len(self._rungs) - 1
                for alike in _with_equal_features(left):
                    self._try(alike, rung, folds, (EARLY,) if early else self.judge.passes)
                left = sorted(left, key=self.rank)
                if self.trials[0] not in left[:n]:  # the default is compared to the end
                    left[n - 1] = self.trials[0]
                left = left[:n]
        finally:
            self.judge.forget_rows()

    def _try(self, alike: Sequence[Trial], rung: int, folds: Sequence[Fold], after: Sequence[int]) -> None:
        """Learn and judge after some passes, fold by fold, as all of these have the same rows."""
        found: list[_Results] = [{} for _ in alike]
        for number, (learned, judged) in enumerate(folds, 1):
            for trial, own in zip(alike, found):
                results = self.judge.judge(trial.candidate, learned, judged, after)
                for passes in after:
                    one = next((one for one in results if one.passes >= passes), results[-1])
                    own.setdefault(passes, []).append((one, judged))
                self.done += len(learned)
                if number == len(folds):
                    trial.passes, trial.measured = self._best_passes(own)
                    trial.rung, trial.learned = rung, len(folds[0][0])
                    trial.judged = len(np.unique(np.concatenate([judged for _, judged in folds])))
                self._progress(self)

    def _best_passes(self, found: _Results) -> tuple[int, Measured]:
        """The best number of passes, the first unless another is better beyond chance, and its value."""
        chosen: tuple[int, Measured] | None = None
        for passes, own in found.items():
            measured = self._mean_of_cuts(own)
            if chosen is None or self._is_better(measured, chosen[1]):
                chosen = passes, measured
        assert chosen is not None
        return chosen

    def _mean_of_cuts(self, own: Sequence[tuple[Judged, Array]]) -> Measured:
        """The metric of all parts of a cut together, the mean of the cuts."""
        values, influence = [], np.zeros(len(self.judge.sample))
        for start in range(0, len(own), FOLDS):
            cut = own[start : start + FOLDS]
            measured = self.judge.measure(cut)
            values.append(measured.value)
            influence[np.concatenate([judged for _, judged in cut])] += measured.influence
        rows = np.sort(np.concatenate([judged for _, judged in own[:FOLDS]]))  # those of any other cut, too
        return Measured(float(np.mean(values)), influence[rows] / len(values))

    def _is_better(self, one: Measured, other: Measured) -> bool:
        """Whether a value is better than another, of the same rows, beyond chance."""
        return self.judge.metric.gain(one, other).is_beyond(BETTER_BY)

    def rank(self, trial: Trial) -> tuple[int, float, int]:
        """The best first: those of the last rung, by their value; of equals the one that stands first in the grid."""
        value = -self.judge.metric.sign * trial.value if trial.rung >= 0 else float("inf")
        return -trial.rung, value, trial.number

    @property
    def ranked(self) -> list[Trial]:
        """Those that were tried, the best first."""
        return sorted((trial for trial in self.trials if trial.rung >= 0), key=self.rank)

    @property
    def best(self) -> Trial:
        """The best; the default, where what it errs more is within chance."""
        first, default = self.ranked[0], self.trials[0]
        if default.rung != first.rung or default.measured is None or first.measured is None:
            return first
        return first if self._is_better(first.measured, default.measured) else default


def _with_equal_features(trials: Sequence[Trial]) -> list[list[Trial]]:
    """The trials, those together whose rows are made alike."""
    groups: dict[int, list[Trial]] = {}
    for trial in sorted(trials, key=lambda one: one.number):
        groups.setdefault(id(trial.candidate.features), []).append(trial)
    return [*groups.values()]


def _learned(folds: Sequence[Fold]) -> int:
    return sum(len(learned) for learned, _ in folds)


def kept(n: int) -> int:
    """How many of n candidates go on: the better half, two at least."""
    return max(min(n, 2), int(np.ceil(n * KEPT)))


def as_record(search: Halving, budget: str, command: str, interrupted: bool = False) -> dict[str, Any]:
    """A search as plain values."""
    return {
        "budget": budget,
        "metric": search.judge.metric.name,
        "interrupted": interrupted,
        "command": command,
        "rows": len(search.judge.sample),
        "chosen": search.ranked.index(search.best),
        "tried": [
            {
                "options": dict(trial.candidate.options), "passes": trial.passes, "value": trial.value,
                "learned": trial.learned, "judged": trial.judged,
            }
            for trial in search.ranked
        ],
    }  # fmt: skip
