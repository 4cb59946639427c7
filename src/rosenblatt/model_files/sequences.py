"""A learner of sentences, as arrays and back: weights as of a linear one, those of the links behind the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import schema
from ..core.spaces.sequences import links
from ..core.spaces.sequences.learner import COSTS, SequenceLearner
from . import in_memory, linear
from .linear import Array

#: The learners that this is for,
LEARNERS = (SequenceLearner,)
#: whether their classes stand in the order in which they came,
IN_ORDER = True
#: what they are made with,
MADE_WITH = {"n_before": schema.whole(1, 2), "cost": schema.choice(*COSTS)}
#: what their run has come to,
RUN: dict[str, schema.Check] = {}
#: and what else ``state_of`` tells.
REST = {"n_columns": schema.whole(1, schema.MOST_COLUMNS), **linear.REST}

#: Which tag may follow which link, where not any may.
_ALLOWED = "allowed"


def why_not_mapped(learner: SequenceLearner) -> str | None:
    """Why no file of this learner can be mapped: there is no reason."""
    return None


def state_of(learner: SequenceLearner, mappable: bool = False) -> tuple[dict[str, Any], dict[str, Array]]:
    """How many columns of features there are, the weights, and which tag may follow which."""
    plain, arrays = linear.state_of(learner, mappable)
    if learner.allowed is not None:
        arrays[_ALLOWED] = learner.allowed
    return plain | {"n_columns": learner.n_columns}, arrays


def made(plain: dict[str, Any], **options: Any) -> SequenceLearner:
    """A new learner."""
    n_links = links.n_links(plain["n_classes"], plain["n_before"])
    schema.require(plain["n_features"] == plain["n_columns"] + n_links, "n_features")
    return SequenceLearner(plain["rule"], **options)


def vectors(n_classes: int) -> int:
    """How many weight vectors there are of so many tags."""
    return max(2, n_classes)


def check_size(plain: dict[str, Any], arrays: dict[str, Array], k: int) -> None:
    """Refuse arrays of other sizes."""
    linear.check_size(plain, arrays, k)


def allocate(learner: SequenceLearner, plain: dict[str, Any]) -> None:
    """Zero weights of the sizes that the file tells."""
    learner.allocate(plain["n_columns"], plain["n_classes"], np.dtype(plain["dtype"]))


def fill(learner: SequenceLearner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Take over what ``state_of`` gave."""
    linear.fill(learner, plain, arrays)
    if in_memory.LAYOUT in plain:
        learner.find_links()
    if _ALLOWED in arrays:
        allowed = schema.array(arrays, _ALLOWED, np.uint8, (learner.n_links, learner.n_classes))
        schema.require(bool(np.all(allowed <= 1)), _ALLOWED)
        learner.allowed = allowed
