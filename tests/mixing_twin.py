"""Iterative parameter mixing in plain Python: what ``rosenblatt.core.mixing`` does, over any number type.

One pass of every shard from the same weights, then the weights are mixed (McDonald, Hall and Mann 2010, fig. 3). Floats
are summed in double precision, in the tree of ``tree_sum``, and rounded once to the type of the weights.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rosenblatt.core import rules
from rosenblatt.core.mixing import tree_sum
from rosenblatt.core.reference import Model, Number, visits, wide

#: Rows, their targets, and their weights where they have any.
Shard = tuple[Any, ...]


@dataclass
class Passed:
    """What one pass of all shards came to."""

    shares: list[Number]  # μ of each shard
    mistakes: list[int]
    updates: list[int]
    gains: list[Number]  # Σ τ of the pass in each shard, of all classes together

    @property
    def weighted_mistakes(self) -> Number:
        """What the pass adds to the left side of the convergence theorem, Σ_i μ_i·k_i."""
        return sum(mu * k for mu, k in zip(self.shares, self.mistakes))


def mixed_pass(
    model: Model,
    rule: rules.Rule,
    shards: Sequence[Shard],
    orders: Sequence[Sequence[int]],
    mix: str = "uniform",
    averaged: bool = True,
) -> Passed:
    """Let every shard make one pass from the model's weights, and give the model the mixture.

    ``averaged``: the sums of the averaged readout are kept; without them a row is unchanged when its weights are.
    """
    runs, passed = [], Passed([], [], [], [])
    for (rows, targets, *weights), order in zip(shards, orders):
        run = copy.deepcopy(model)
        steps = [step for _, step in visits(run, rule, rows, targets, order, weights[0] if weights else None)]
        runs.append(run)
        passed.mistakes.append(sum(step.mistakes for step in steps))
        passed.updates.append(sum(step.updates for step in steps))
        passed.gains.append(sum(gain for step in steps for gain in step.gains))
    counts = [1] * len(runs)
    if mix == "updates" and any(passed.updates):
        counts = passed.updates
    exact = isinstance(wide(model.number(1)), (int, Fraction))
    passed.shares = [Fraction(n, sum(counts)) if exact else n / sum(counts) for n in counts]
    _mix(model, runs, passed.shares, averaged)
    return passed


def _mix(model: Model, runs: Sequence[Model], shares: Sequence[Number], averaged: bool) -> None:
    """W' = Σ μ_i·W_i, and the sums of the average to match; a row that no run has changed stays."""
    before, V = copy.deepcopy(model), model.visited
    model.visited = V + sum(run.visited - V for run in runs)
    k, n_features = len(model.b), len(model.w[0]) if model.w else 0
    for j in range(-1, n_features):  # −1: the biases
        was = [_at(before, c, j) for c in range(k)]
        now = [[_at(run, c, j) for c in range(k)] for run in runs]
        if all(row == was if averaged else [w for w, _ in row] == [w for w, _ in was] for row in now):
            continue
        for c in range(k):
            W, T = was[c]
            terms, totals = [], []
            for mu, run, row in zip(shares, runs, now):
                W_i, T_i = row[c]
                lag = model.visited * mu - run.visited  # V'·μ − V − N
                terms.append(mu * W_i)
                totals.append(mu * T_i + ((1 - mu) * (T_i - T) + lag * (W_i - W)))
            mixed = tree_sum(terms)
            rounded = model.number(mixed) + model.number(0)
            _put(model, c, j, rounded, tree_sum(totals) + model.visited * (wide(rounded) - mixed))


def _at(model: Model, c: int, j: int) -> tuple[Number, Number]:
    """Weight and sum of feature j of class c."""
    return (wide(model.b[c]), model.total_b[c]) if j < 0 else (wide(model.w[c][j]), model.total_w[c][j])


def _put(model: Model, c: int, j: int, weight: Number, total: Number) -> None:
    if j < 0:
        model.b[c], model.total_b[c] = weight, total
    else:
        model.w[c][j], model.total_w[c][j] = weight, total
