"""Every step of a learner on a small file, as a table: score, what it counts as, and the weights after it.

The rows come in the order of the file. Words are counted; say --ngrams 2 for pairs of words too.
"""

from __future__ import annotations

import argparse

from . import algorithms, options

EXAMPLE = "rosenblatt trace phrases.csv --algorithm perceptron --exact"

#: Rows of a file that is traced, at most.
MOST_ROWS = 10_000

#: Parameters that a run step by step does not have: what a budget forgets is in no record.
NOT_TRACED = (
    "budget", "budget_policy", "projection_tol", "block_size", "cache_size", "device", "precision", "class_weight",
)  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    options.add_whole(parser)
    parser.add_argument(
        "--passes", "--max-iter", metavar="N", type=options.count, default=100, help="passes at most (100)"
    )
    parser.add_argument("--exact", action="store_true", help="compute in fractions, without rounding")
    parser.add_argument("--updates", action="store_true", help="show only steps that change the weights")
    parser.add_argument(
        "--seed", "--random-state", metavar="N", type=options.seed, default=0, help="of a random order of rows (0)"
    )
    parser.add_argument("--max-steps", metavar="N", type=options.count, default=10_000, help="steps at most (10000)")
    options.add_json(parser)
    algorithms.add_options(parser, without=NOT_TRACED)
    parser.set_defaults(algorithm="perceptron")


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from ..core.run import prepare
    from ..core.spec import Spec
    from ..tracing import trace_run
    from . import whole

    name, parameters = algorithms.chosen(arguments, arguments.algorithm)
    title = f"{name}({', '.join(f'{option}={value!r}' for option, value in parameters.items())})"
    settings = {"max_iter": arguments.passes, "random_state": arguments.seed}
    if "shuffle" in algorithms.ALGORITHMS[arguments.algorithm].takes:
        settings["shuffle"] = bool(arguments.shuffle)
    spec = Spec.of(name, parameters | settings)
    rows = whole.read(arguments, MOST_ROWS, regression=spec.epsilon is not None)
    run = prepare(spec, rows.dense(), rows.labels, names=rows.names)
    found = trace_run(run, run.X, rows.labels, arguments.exact, max_steps=arguments.max_steps, title=title)
    if arguments.json:
        print(found.to_json())
        return
    print(found.updates() if arguments.updates else found)
