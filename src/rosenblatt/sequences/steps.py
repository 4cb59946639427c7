"""The run of a tagger as a trace: its sentences and options as a plan, its end as the native learner has it."""

from __future__ import annotations

import copy
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np

from ..core.verdicts import SEPARATED
from ..tracing import wording
from ..tracing.sentence_record import SentenceTrace
from ..tracing.sentences import SentencePlan, SentenceReplay, ended, trace_sentences
from .tagging import TaggingRun

Names = Sequence[Sequence[Sequence[tuple[str, int]]]]  # of each token of each sentence, its features and their columns


def trace_run(
    run: TaggingRun, words: Sequence[Sequence[str]], names: Names, exact: bool | str, *, max_steps: int, name: str
) -> SentenceTrace:
    """The trace of a run that was made ready."""
    if exact not in (False, True, "decimals"):
        raise ValueError(f"exact must be True, False or 'decimals', got {exact!r}")
    if not isinstance(max_steps, int) or isinstance(max_steps, bool) or max_steps < 1:
        raise ValueError(f"max_steps must be a whole number >= 1, got {max_steps!r}")
    plan = plan_of(run, words, names, name, bool(exact))
    plan.check_size(1, max_steps)
    return trace_sentences(plan, exact, max_steps) if exact else _natively(run, plan, max_steps)


def plan_of(run: TaggingRun, words: Sequence[Sequence[str]], names: Names, name: str, exact: bool) -> SentencePlan:
    """The plan of a run."""
    rows, spec, learner = run.rows, run.spec, run.learner
    number: Any = Fraction if exact else learner.dtype.type
    columns, ends, starts = rows.indices.tolist(), rows.indptr.tolist(), rows.starts.tolist()
    values = ["1"] * len(columns) if rows.data is None else [str(value) for value in rows.data]
    tokens = [
        {column: number(value) for column, value in zip(columns[a:b], values[a:b])} for a, b in itertools.pairwise(ends)
    ]
    called: dict[int, list[str]] = {}
    for feature, column in (entry for sentence in names for token in sentence for entry in token):
        known = called.setdefault(column, [])
        if feature not in known:
            known.append(feature)
    codes = run.codes.tolist()
    return SentencePlan(
        name=name, rule=learner.rule, words=words, sentences=[tokens[a:b] for a, b in itertools.pairwise(starts)],
        targets=[codes[a:b] for a, b in itertools.pairwise(starts)], tags=run.tags,
        names={column: " or ".join(known) for column, known in called.items()},
        orders=lambda: _orders(run), max_iter=spec.max_iter, tol=spec.tol, scale=rows.radius() or 1.0,
        n_columns=rows.n_columns, number=number, order=learner.n_before, cost=learner.cost, ties=learner.ties,
        allowed=None if learner.allowed is None else learner.allowed.tolist(),
        equal_rows=rows.equal_rows(run.codes) if exact and spec.tol is not None else None,
    )  # fmt: skip


def _orders(run: TaggingRun) -> Iterator[Sequence[int]]:
    """The sentences in the order of each pass, as ``fit`` draws it."""
    rng, rows = copy.deepcopy(run.rng), cast(Any, run.rows)
    while True:
        order = run.learner.order(rows, None, run.spec.shuffle, rng)
        yield list(range(rows.n_rows)) if order is None else order.tolist()


def _natively(run: TaggingRun, plan: SentencePlan, max_steps: int) -> SentenceTrace:
    """As many passes as the native learner makes; its verdict and bounds."""
    native = copy.copy(run)
    native.learner, native.rng = copy.deepcopy(run.learner), copy.deepcopy(run.rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the trace says how it ended
        native.fit()
    learner = native.learner
    plan.check_size(learner.n_iter, max_steps)
    replay = SentenceReplay(plan)
    with np.errstate(all="ignore"):
        replay.passes(learner.n_iter)
    lower, upper = learner.margin_bounds
    verdict = str(learner.verdict)
    proved = [ended(verdict, learner.n_iter, learner.n_updates)]
    above = f"no weights have one above {wording.above(upper)}" if math.isfinite(upper) else ""
    if verdict == SEPARATED and lower > 0:
        known = f", and {above}" if above else ""
        proved.append(f"Its margin over all other sequences is at least {wording.below(lower)}{known}.")
    elif above:
        proved.append(f"Of margins over all other sequences {above}.")
    return replay.record(verdict, proved)
