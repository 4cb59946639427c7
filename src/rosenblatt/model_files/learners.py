"""A learner as plain values and arrays, and back: all that its run has come to, so that it goes on to the bit.

What belongs to its space alone is in ``linear``, ``kernel`` and ``sequences``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .. import schema
from ..core import engine, rules
from ..core.convergence import Evidence
from ..core.learner import Learner
from ..core.verdicts import VERDICTS
from ..errors import ParameterError
from . import in_memory, linear
from .linear import Array
from .values import decode, encode

Section = tuple[dict[str, Any], dict[str, Array]]

#: What a learner is made with,
_MADE_WITH = {
    "readout": schema.text,
    "ties": schema.text,
    "multiclass": schema.text,
    "ratchet": schema.flag,
}
#: and what its run has come to.
_RUN = {
    "passes": schema.listed(schema.whole()),
    "held_out_scores": schema.listed(schema.number),
    "n_iter": schema.whole(),
    "streaming": schema.flag,
    "weighted": schema.flag,
    "verdict": schema.optional(schema.choice(*VERDICTS)),
}
_REST = {
    "space": schema.text,
    "rule": schema.instance(rules.Rule),
    "dtype": schema.choice("float32", "float64"),
    "n_classes": schema.whole(),
    "n_features": schema.whole(0, schema.MOST_COLUMNS),
    "evidence": schema.record(
        ("equal_rows", "slack"),
        lower=schema.real(finite=False),
        upper=schema.real(finite=False),
        peak2=schema.real(0, finite=False),
        base2=schema.real(0, finite=False),
        mixings=schema.whole(),
        equal_rows=schema.optional(schema.listed(schema.whole())),
        slack=schema.real(0),
    ),
}


def _space_of(name: Any) -> Any:
    schema.choice("linear", "kernel", "sequence")(name, "learner.space")
    if name == "linear":
        return linear
    if name == "sequence":
        from . import sequences

        return sequences
    from . import kernel  # takes its time to import, and few need it

    return kernel


def are_compatible(one: Learner, other: Learner) -> bool:
    """Whether two learners are of the same space, and both classifiers or both regressions."""
    return (one.space, one.epsilon is None) == (other.space, other.epsilon is None)


def keeps_order(plain: dict[str, Any]) -> bool:
    """Whether the classes of the learner of this state stand in the order in which they came, and are not sorted."""
    return bool(_space_of(plain.get("space")).IN_ORDER)


def n_vectors(plain: dict[str, Any]) -> int:
    """How many weight vectors the learner has whose state has these plain values."""
    return int(_space_of(plain["space"]).vectors(plain["n_classes"]))


def made_with(learner: Learner) -> dict[str, Any]:
    """What a learner is made with, as plain values: it stays the same for a whole run."""
    space = _space_of(learner.space)
    plain = {name: encode(getattr(learner, name), name) for name in (*_MADE_WITH, *space.MADE_WITH)}
    return {"space": learner.space, "rule": encode(learner.rule, "rule"), **plain}


def why_not_mapped(learner: Learner) -> str | None:
    """Why no file of this learner can be mapped; None: one can."""
    return _space_of(learner.space).why_not_mapped(learner)  # type: ignore[no-any-return]


def to_state(learner: Learner, *, mappable: bool = False) -> Section:
    """Plain values and arrays: all that ``from_state`` needs to go on; ``mappable``: weights as they are in memory."""
    if mappable and learner.places is not None:
        learner = from_state(*to_state(learner))  # in which features have rows that have weights, and no others
    space = _space_of(learner.space)
    reason = why_not_mapped(learner) if mappable else None
    if reason is not None:
        raise ParameterError(f"{reason}; save it without {{mappable}}", "mappable", mappable=True)
    if type(learner) not in space.LEARNERS:  # one that has more to it
        raise TypeError(f"a model file does not hold a {type(learner).__name__}")
    plain = made_with(learner) | {"dtype": learner.dtype.name}
    plain |= {name: encode(getattr(learner, name), name) for name in ("n_classes", "n_features", *_RUN, *space.RUN)}
    plain |= {"evidence": encode(asdict(learner.evidence), "evidence")}
    more, arrays = space.state_of(learner, mappable)
    return plain | more, {"tally": learner.tally.values} | arrays


def from_state(plain: Any, arrays: dict[str, Array]) -> Learner:
    """The learner of which ``to_state`` is the state; refuses, by ValueError, what does not fit together."""
    plain = decode(plain)
    schema.named()(plain, "learner")
    space = _space_of(plain.get("space"))
    entries = _MADE_WITH | _RUN | _REST | space.MADE_WITH | space.RUN | space.REST
    schema.record((in_memory.LAYOUT,), **entries)(plain, "learner")
    learner: Learner = space.made(plain, **{name: plain[name] for name in (*_MADE_WITH, *space.MADE_WITH)})
    n_classes = plain["n_classes"]
    is_regression = learner.epsilon is not None
    schema.require((n_classes == 0) == is_regression == (plain["verdict"] is None), "n_classes")
    k = space.vectors(n_classes)
    tally = _tally(arrays, k, np.dtype(plain["dtype"]))  # before room is made for so many classes and features
    space.check_size(plain, arrays, k)
    space.allocate(learner, plain)
    for name in (*_RUN, *space.RUN):
        setattr(learner, name, plain[name])
    learner.evidence = Evidence(**plain["evidence"])
    schema.require(len(learner.evidence.equal_rows or (0, 1)) == 2, "equal_rows")
    learner.tally.values[:] = tally.values
    learner._make_room()
    space.fill(learner, plain, arrays)
    learner._build_native()
    if in_memory.LAYOUT in plain:
        in_memory.finish(learner, arrays)
    return learner


def _tally(arrays: dict[str, Array], k: int, dtype: Any) -> engine.Tally:
    """The tally of k vectors: sums and margins, of which some may be infinite, then counts."""
    schema.require("tally" in arrays, "tally")
    values = arrays["tally"]
    schema.require(values.shape == (2 * k + 9,) and values.dtype == np.float64 and not np.isnan(values).any(), "tally")
    tally = engine.Tally.of(values)
    counts = tally.counts
    schema.require(bool(np.all((counts >= 0) & (counts <= schema.MOST) & (counts == np.floor(counts)))), "tally")
    schema.require(0 <= tally.growth < np.inf and tally.room <= float(np.finfo(dtype).max) / 16, "tally")
    return tally
