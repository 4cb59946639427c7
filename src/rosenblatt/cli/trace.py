"""Every step of a learner on a small file, as a table: score, what it counts as, and the weights after it.

The rows come in the order of the file. Words are counted; say --ngrams 2 for pairs of words too.
"""

from __future__ import annotations

import argparse
from typing import Any

from . import algorithms, options
from .learners import learner_of, rows_for, start

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
    from ..tracing import trace
    from . import whole

    kind, parameters = algorithms.chosen(arguments, arguments.algorithm)
    parameters["shuffle"] = bool(arguments.shuffle)
    regression = algorithms.ALGORITHMS[arguments.algorithm].is_regression
    rows = whole.read(arguments, MOST_ROWS, regression=regression)
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
        self.random_state, self.gamma = arguments.seed, parameters.get("gamma", "scale")

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items() if name != "shuffle")
        return f"{self.kind}({told})"

    def _prepare(self, X: Any, y: Any, *_: Any) -> tuple[Planned, Any]:
        import numpy as np

        from .. import labels
        from ..learner import Run

        parameters, rng = self.parameters, np.random.default_rng(self.random_state)
        learner = learner_of(self.kind, parameters)
        rows, classes = rows_for(learner, X), None if learner.epsilon is not None else labels.classes_of(y)
        start(learner, rows, 0 if classes is None else len(classes), None, parameters, rng)
        targets = np.asarray(y, np.float64) if classes is None else labels.encode(y, classes)
        tol = parameters.get("tol", None if classes is None else 1e-4)
        return self, Run(
            learner, X, rows, targets, None, classes, self.names, rng, self.arguments.passes, tol,
            parameters["shuffle"],
        )  # fmt: skip
