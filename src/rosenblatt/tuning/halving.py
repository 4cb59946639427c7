"""Successive halving: all configurations on few rows, the better half of them on twice as many, and so on.

Every rung learns anew from the first rows of the sample and judges the rows after them, which were not learned from
yet: the progressive error, rung by rung, of the readout that would ship. The last rung judges each half of the sample
by a model of the other. The default, which stands first, goes through all rungs, and is taken unless another is better
by more than a standard error (the rule of Breiman et al. 1984): the best of many is best by chance, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..data.csr import Array
from ..errors import ParameterError
from .judging import Candidate, Judge, Judged

#: Of the best candidates as many go on to the next rung.
KEPT = 1 / 2


class Budget(NamedTuple):
    """How much is tried: it counts work and no seconds."""

    candidates: int
    share: float  # of the rows that are compared on, where there are very many
    rungs: int


BUDGETS = {"small": Budget(12, 1 / 4, 3), "medium": Budget(24, 1 / 2, 3), "large": Budget(48, 1.0, 4)}
#: With fewer rows configurations are not compared.
LEAST_ROWS = 40


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
    value: float = float("nan")


class Halving:
    """The search.

    Parameters
    ----------
    judge : Judge
        Learns and judges.
    candidates : sequence of Candidate
        Those that are tried; the first is the default.
    rungs : int
        How many.
    progress : callable, default=None
        Called with this object after each candidate.

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
        progress: Callable[[Halving], None] | None = None,
    ) -> None:
        self.judge, self._progress = judge, progress or (lambda search: None)
        self.trials = [Trial(candidate, number) for number, candidate in enumerate(candidates)]
        sizes = [len(judge.sample) >> k for k in range(rungs, 0, -1)]
        self._sizes = [size for size in sizes if size >= LEAST_ROWS / 2] or sizes[-1:]
        counts = [len(self.trials)]
        while len(counts) < len(self._sizes):
            counts.append(kept(counts[-1]))
        self.done, self.all = 0, sum(n * size for n, size in zip(counts, self._sizes)) + counts[-1] * self._sizes[-1]

    def run(self) -> None:
        """Try all, rung by rung; what interrupts it leaves the trials as they are."""
        left = list(self.trials)
        for rung, size in enumerate(self._sizes):
            last = rung == len(self._sizes) - 1
            order = np.arange(len(self.judge.sample))
            folds = [(order[:size], order[size : 2 * size])]
            if last:
                folds = [(order[:size], order[size:]), (order[size:], order[:size])]
            for trial in sorted(left, key=lambda one: (id(one.candidate.features), one.number)):
                self._try(trial, rung, folds)
            n = kept(len(left))
            left = sorted(left, key=self.rank)
            if self.trials[0] not in left[:n]:  # the default is compared to the end
                left[n - 1] = self.trials[0]
            left = left[:n]

    def _try(self, trial: Trial, rung: int, folds: Sequence[tuple[Array, Array]]) -> None:
        """Learn and judge; over several folds the values are averaged, weighted by the rows judged."""
        found: dict[int, list[tuple[float, int]]] = {}
        for learned, judged in folds:
            results = self.judge.judge(trial.candidate, learned, judged)
            for passes in self._passes(trial):
                value = next((one.value for one in results if one.passes >= passes), results[-1].value)
                found.setdefault(passes, []).append((value, len(judged)))
            self.done += len(learned)
        n = sum(len(judged) for _, judged in folds)
        means = [
            Judged(passes, sum(value * rows for value, rows in own) / n, np.empty(0)) for passes, own in found.items()
        ]
        best = self.judge.best(means)
        trial.rung, trial.learned, trial.judged = rung, len(folds[0][0]), n
        trial.passes, trial.value = best.passes, best.value
        self._progress(self)

    def _passes(self, trial: Trial) -> list[int]:
        """The numbers of passes that a candidate is judged after."""
        most = trial.candidate.spec.max_iter
        return [passes for passes in self.judge.passes if passes <= most] or [most]

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
        """The best; the default, where that is within one standard error of it: so much is chance."""
        first, default = self.ranked[0], self.trials[0]
        if self.judge.metric.name == "accuracy" and default.rung == first.rung:
            error = np.sqrt(max(0.0, first.value * (1 - first.value)) / first.judged)
            if first.value - default.value <= error:
                return default
        return first


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
