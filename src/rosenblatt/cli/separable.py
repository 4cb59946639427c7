"""The command ``separable``: whether the classes of a small file are linearly separable, with a proof."""

from __future__ import annotations

import argparse
from typing import Any

from ..theory import separability
from .inputs import read_small
from .terminal import emit, say


def run(arguments: argparse.Namespace) -> None:
    """Print the answer and its proof."""
    rows = read_small(arguments)
    answer = separability(rows.csr.to_scipy(), rows.labels, not arguments.no_intercept, time_limit=arguments.time_limit)
    if arguments.json:
        proof = answer.dual if answer.separable else answer.certificate
        weights = [] if proof is None else proof.tolist()
        by_place = {place: str(value) for place, value in zip(rows.places, weights) if _is_nonzero(value)}
        emit({"separable": answer.separable, "margin": answer.margin, "exact": answer.exact, "how": answer.how,
              "proof": by_place})  # fmt: skip
        return
    say(str(answer))
    say(f"\nRows are counted from 0: row 0 is {rows.places[0]}.")


def _is_nonzero(value: Any) -> bool:
    return any(value) if isinstance(value, list) else bool(value)
