"""A learner as plain values and arrays, and back: all that its run has come to, so that it goes on to the bit.

What is of its space alone is told by ``linear`` and ``kernel``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from ..convergence import Evidence
from ..learner import Learner
from ..state import VISITED
from . import linear
from .fitting import Array, fitting, require
from .values import decode, encode

Section = tuple[dict[str, Any], dict[str, Array]]

#: What a learner is made with,
_MADE_WITH = ("readout", "ties", "multiclass", "ratchet")
#: and what its run has come to.
_RUN = ("passes", "held_out_scores", "n_iter", "streaming", "weighted", "verdict")


def _space_of(name: str) -> Any:
    if name == "linear":
        return linear
    from . import kernel  # takes its time to import, and few need it

    return kernel


def to_state(learner: Learner) -> Section:
    """Plain values and arrays: all that ``from_state`` needs to go on."""
    name = "kernel" if hasattr(learner, "kernel") else "linear"
    space = _space_of(name)
    if type(learner) not in space.LEARNERS:  # one that has more to it
        raise TypeError(f"a model file does not hold a {type(learner).__name__}")
    names = (*_MADE_WITH, *space.MADE_WITH, "n_classes", "n_features", *_RUN, *space.RUN)
    plain = {"space": name, "rule": encode(learner.rule, "rule"), "dtype": learner.dtype.name}
    plain |= {name: encode(getattr(learner, name), name) for name in names}
    plain |= {"evidence": encode(asdict(learner.evidence), "evidence")}
    more, arrays = space.state_of(learner)
    return plain | more, {"tally": learner.tally} | arrays


def from_state(plain: dict[str, Any], arrays: dict[str, Array]) -> Learner:
    """The learner that ``to_state`` told of; refuses, by ValueError, what does not fit together."""
    plain = decode(plain)
    space = _space_of(plain["space"])
    learner: Learner = space.made(plain, **{name: plain[name] for name in (*_MADE_WITH, *space.MADE_WITH)})
    n_features, n_classes, dtype = int(plain["n_features"]), int(plain["n_classes"]), np.dtype(plain["dtype"])
    require(n_features >= 0 and n_classes >= 0 and dtype in (np.float32, np.float64), "its sizes")
    space.check_size(arrays, n_features, n_classes if n_classes > 2 and learner.epsilon is None else 1)
    learner.allocate(n_features, n_classes, dtype)
    for name in (*_RUN, *space.RUN):
        setattr(learner, name, plain[name])
    learner.evidence = Evidence(**plain["evidence"])
    learner.tally[:] = fitting(arrays, "tally", learner.tally.shape, np.float64)
    require(bool(np.all(learner.tally[VISITED:] >= 0) and np.isfinite(learner.tally[VISITED:]).all()), "tally")
    space.fill(learner, plain, arrays)
    learner._arrange()
    return learner
