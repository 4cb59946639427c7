"""Every step of a learner on a small file, as a table: score, what it counts as, and the weights after it.

The rows come in the order of the file. Words are counted; say --ngrams 2 for pairs of words too.
"""

from __future__ import annotations

import argparse
from typing import Any

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
    from . import whole

    rows = whole.read(arguments, MOST_ROWS)
    kind, parameters = algorithms.chosen(arguments, for_text=False)
    planned = type(kind, (Planned,), {})(kind, parameters, arguments, rows.names)
    found = trace(planned, rows.dense(), rows.labels, exact=arguments.exact, max_steps=arguments.max_steps)
    if arguments.json:
        print(found.to_json())
        return
    print(found.updates() if arguments.updates else found)


class Planned:
    """What a trace asks of an estimator, without scikit-learn: a run made ready."""

    early_stopping = warm_start = False

    def __init__(
        self, kind: str, parameters: dict[str, Any], arguments: argparse.Namespace, names: list[str] | None
    ) -> None:
        self.kind, self.parameters, self.arguments, self.names = kind, parameters, arguments, names
        self.random_state = arguments.seed

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items() if name != "fit_intercept")
        return f"{self.kind}({told})"

    def _prepare(self, X: Any, y: Any, *_: Any) -> tuple[Planned, Any]:
        import numpy as np

        from .. import engine, labels
        from ..learner import Run

        rows, classes = engine.admit(X), labels.classes_of(y)
        learner = algorithms.learner_of(self.kind, self.parameters)
        learner.allocate(rows.n_features, len(classes), rows.dtype)
        rng = np.random.default_rng(self.random_state)
        codes, arguments = labels.encode(y, classes), self.arguments
        return self, Run(
            learner, X, rows, codes, None, classes, self.names, rng, arguments.passes, 1e-4, arguments.shuffle
        )
