"""Whether the classes of a file can be separated, with a proof that can be checked.

If they can: the maximum margin and the support points that prove it. If not: weights under which the rows cancel.
Words are counted; say --ngrams 2 for pairs of words too.
"""

from __future__ import annotations

import argparse
from typing import Any

from . import options
from .terminal import emit

EXAMPLE = "rosenblatt separable rows.svm"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    options.add_whole(parser)
    parser.add_argument("--no-intercept", action="store_true", help="separate by planes through the origin alone")
    parser.add_argument("--time-limit", metavar="S", type=float, help="seconds to look for a proof at most (no limit)")
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from ..theory import separability
    from . import whole

    rows = whole.read(arguments)
    answer = separability(rows.csr.to_scipy(), rows.labels, not arguments.no_intercept, time_limit=arguments.time_limit)
    if arguments.json:
        proof = answer.dual if answer.separable else answer.certificate
        weights = [] if proof is None else proof.tolist()
        told = {place: str(value) for place, value in zip(rows.places, weights) if _any(value)}
        emit({"separable": answer.separable, "margin": answer.margin, "exact": answer.exact, "how": answer.how,
              "proof": told})  # fmt: skip
        return
    print(answer)
    print(f"\nrow 0 is {rows.places[0]}")


def _any(value: Any) -> bool:
    return any(value) if isinstance(value, list) else bool(value)
