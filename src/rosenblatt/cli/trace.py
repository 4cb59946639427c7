"""Every step of a learner on a small file, as a table: score, what it counts as, and the weights after it.

The rows come in the order of the file. Words are counted; say --ngrams 2 for pairs of words too.
"""

from __future__ import annotations

import argparse

from . import algorithms, options

EXAMPLE = "rosenblatt trace phrases.csv --algorithm perceptron --exact"

#: Rows of a file that is traced, at most.
MOST_ROWS = 10_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    options.add_whole(parser)
    parser.add_argument("--passes", metavar="N", type=options.count, default=100, help="passes at most (100)")
    parser.add_argument("--exact", action="store_true", help="compute in fractions, without rounding")
    parser.add_argument("--updates", action="store_true", help="show only steps that change the weights")
    parser.add_argument("--shuffle", action="store_true", help="visit the rows in a random order")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of that order (0)")
    parser.add_argument("--max-steps", metavar="N", type=options.count, default=10_000, help="steps at most (10000)")
    options.add_json(parser)
    algorithms.add_options(parser)
    parser.set_defaults(algorithm="perceptron")


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from ..tracing import trace
    from ..tracing.planned import Planned
    from . import whole

    rows = whole.read(arguments, MOST_ROWS)
    kind, parameters = algorithms.chosen(arguments, for_text=False)
    settings = ", ".join(f"{name}={value!r}" for name, value in parameters.items() if name != "fit_intercept")
    planned = Planned.called(
        kind, f"{kind}({settings})", algorithms.learner_of(kind, parameters), rows.names, max_iter=arguments.passes,
        shuffle=arguments.shuffle, seed=arguments.seed,
    )  # fmt: skip
    found = trace(planned, rows.dense(), rows.labels, exact=arguments.exact, max_steps=arguments.max_steps)
    if arguments.json:
        print(found.to_json())
        return
    print(found.updates() if arguments.updates else found)
