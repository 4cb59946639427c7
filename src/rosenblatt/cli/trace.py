"""The command ``trace``: every step of a learner on a small file, as a table."""

from __future__ import annotations

import argparse

from ..core.run import prepare
from ..core.spec import Spec
from ..tracing import has_short_decimals, trace_run
from . import algorithms
from .inputs import read_small

#: Rows of a file that is traced, at most.
MOST_ROWS = 10_000


def run(arguments: argparse.Namespace) -> None:
    """Print the steps of a run."""
    name, parameters = algorithms.chosen(arguments, arguments.algorithm)
    title = f"{name}({', '.join(f'{option}={value!r}' for option, value in parameters.items())})"
    settings = {"max_iter": arguments.passes, "random_state": arguments.seed}
    if "shuffle" in algorithms.ALGORITHMS[arguments.algorithm].takes:
        settings["shuffle"] = bool(arguments.shuffle)
    spec = Spec.of(name, parameters | settings)
    rows = read_small(arguments, MOST_ROWS, regression=spec.epsilon is not None)
    run = prepare(spec, rows.csr.to_dense().astype("float64"), rows.labels, names=rows.names)
    exact = arguments.exact or (has_short_decimals(run, run.X) and "decimals")
    steps = trace_run(run, run.X, rows.labels, exact, max_steps=arguments.max_steps, title=title)
    if arguments.updates:
        steps = steps.updates()
    if arguments.json:
        print(steps.to_json())
        return
    steps.show()
