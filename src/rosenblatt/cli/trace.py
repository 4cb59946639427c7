"""The command ``trace``: every step of a learner on a small file, as a table."""

from __future__ import annotations

import argparse

from ..tracing import trace
from ..tracing.planned import Planned
from . import algorithms
from .inputs import read_small

#: Rows of a file that is traced, at most.
MOST_ROWS = 10_000


def run(arguments: argparse.Namespace) -> None:
    """Print the steps of a run."""
    kind, parameters = algorithms.chosen(arguments, arguments.algorithm)
    regression = algorithms.ALGORITHMS[arguments.algorithm].is_regression
    rows = read_small(arguments, MOST_ROWS, regression=regression)
    planned = Planned.called(
        kind, parameters, rows.names, max_iter=arguments.passes, shuffle=bool(arguments.shuffle), seed=arguments.seed
    )
    steps = trace(planned, rows.dense(), rows.labels, exact=arguments.exact, max_steps=arguments.max_steps)
    if arguments.json:
        print(steps.to_json())
        return
    (steps.updates() if arguments.updates else steps).show()
