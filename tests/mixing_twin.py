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
from rosenblatt.core.spaces.sequences.reference import Tagger

#: Rows, their targets, and their weights where they have any.
Shard = tuple[Any, ...]
#: A weight, and what the averaged readout sums of it.
Pair = tuple[Number, Number]


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
    passed.shares = _shares(passed.updates, mix, isinstance(wide(model.number(1)), (int, Fraction)))
    _mix(model, runs, passed.shares, averaged)
    return passed


def _shares(updates: list[int], mix: str, exact: bool) -> list[Number]:
    counts = updates if mix == "updates" and any(updates) else [1] * len(updates)
    return [Fraction(n, sum(counts)) if exact else n / sum(counts) for n in counts]


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
            _put(model, c, j, *_mixed(model, runs, shares, was[c], [row[c] for row in now]))


def _mixed(
    model: Model | Tagger, runs: Sequence[Any], shares: Sequence[Number], was: Pair, now: Sequence[Pair]
) -> tuple[Number, Number]:
    """One weight and its sum, of what they were and of what they have become in each run."""
    W, T = was
    terms, totals = [], []
    for mu, run, (W_i, T_i) in zip(shares, runs, now):
        lag = model.visited * mu - run.visited  # V'·μ − V − N
        terms.append(mu * W_i)
        totals.append(mu * T_i + ((1 - mu) * (T_i - T) + lag * (W_i - W)))
    mixed = tree_sum(terms)
    rounded = model.number(mixed) + model.number(0)
    return rounded, tree_sum(totals) + model.visited * (wide(rounded) - mixed)


def _at(model: Model, c: int, j: int) -> tuple[Number, Number]:
    """Weight and sum of feature j of class c."""
    return (wide(model.b[c]), model.total_b[c]) if j < 0 else (wide(model.w[c][j]), model.total_w[c][j])


def _put(model: Model, c: int, j: int, weight: Number, total: Number) -> None:
    if j < 0:
        model.b[c], model.total_b[c] = weight, total
    else:
        model.w[c][j], model.total_w[c][j] = weight, total


# ---- sentences -----------------------------------------------------------------------------------------------------


def mixed_tagger_pass(
    tagger: Tagger, rule: rules.Rule, shards: Sequence[Shard], orders: Sequence[Sequence[int]], mix: str, averaged: bool
) -> Passed:
    """The same for a tagger, where a shard is sentences and their tags; a row is a column, or a link, of all tags."""
    runs, passed = [], Passed([], [], [], [])
    for (sentences, tags), order in zip(shards, orders):
        run = copy.deepcopy(tagger)
        steps = [run.visit(rule, sentences[i], tags[i]) for i in order]
        runs.append(run)
        passed.mistakes.append(sum(step.wrong for step in steps))
        passed.updates.append(sum(step.tau != 0 for step in steps))
        passed.gains.append(sum(step.tau for step in steps))
    passed.shares = _shares(passed.updates, mix, False)
    before, V = copy.deepcopy(tagger), tagger.visited
    tagger.visited = V + sum(run.visited - V for run in runs)
    for kind, which in sorted({key[:2] for run in runs for key in run.w}):
        was = [_of_tag(before, (kind, which, tag)) for tag in range(tagger.n_tags)]
        now = [[_of_tag(run, (kind, which, tag)) for tag in range(tagger.n_tags)] for run in runs]
        if all(row == was if averaged else [w for w, _ in row] == [w for w, _ in was] for row in now):
            continue
        for tag in range(tagger.n_tags):
            key = kind, which, tag
            tagger.w[key], tagger.total[key] = _mixed(tagger, runs, passed.shares, was[tag], [row[tag] for row in now])
    return passed


def _of_tag(tagger: Tagger, key: Any) -> Pair:
    nothing = tagger.number(0)
    return wide(tagger.w.get(key, nothing)), tagger.total.get(key, wide(nothing))
