"""The space of sequences, as parameters describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....errors import ParameterError
from ...checks import check_name, check_number
from .learner import COSTS, SequenceLearner

CONSTRAINTS = ("seen", "bio", "bioes")
MOST_BITS = 28


@dataclass(frozen=True)
class SequenceSpace:
    """Where a row is a sentence and a target its tags.

    Parameters
    ----------
    n_before : {1, 2}
        How many tags before a token count.
    cost : {"hamming", "sqrt", "one"}
        What a wrong sequence costs.
    """

    n_before: int = 1
    cost: str = "hamming"

    name: ClassVar[str] = "sequence"
    budget: ClassVar[None] = None
    gamma: ClassVar[None] = None
    draws: ClassVar[bool] = False

    def learner(self, rule: Any, **options: Any) -> SequenceLearner:
        """A learner that has no weights yet."""
        return SequenceLearner(rule, n_before=self.n_before, cost=self.cost, **options)

    def rows(self, rows: Any, learner: Any = None) -> Any:
        """Sentences as the learner takes them."""
        return rows

    def settle(self, learner: Any, rows: Any, weight: Any) -> None:
        """Nothing about the space is left to the first sentences."""

    def share_generator(self, learner: Any, rng: Any) -> None:
        """Nothing is drawn."""


def sequence_space(parameters: Mapping[str, Any]) -> SequenceSpace:
    """The space that parameters describe; refuses what does not go together."""
    check_name("cost", parameters["cost"], COSTS)
    if parameters["order"] not in (1, 2) or isinstance(parameters["order"], bool):
        raise ParameterError(
            f"order must be 1 or 2, how many tags before a token count; got {parameters['order']!r}", "order"
        )
    check_number("bits", parameters["bits"], 1, whole=True)
    if parameters["bits"] > MOST_BITS:
        raise ParameterError(f"bits must be at most {MOST_BITS}; got {parameters['bits']}", "bits")
    if parameters["constraints"] is not None:
        check_name("constraints", parameters["constraints"], CONSTRAINTS)
    return SequenceSpace(int(parameters["order"]), parameters["cost"])
