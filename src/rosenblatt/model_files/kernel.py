"""A learner in kernel space, as plain values and arrays and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .. import schema
from ..core import engine
from ..core.learner import Learner
from ..core.spaces.kernel.budget_learner import BudgetLearner
from ..core.spaces.kernel.budgets import POLICIES, Budget
from ..core.spaces.kernel.kernels import NAMES, Kernel
from ..core.spaces.kernel.learner import KernelLearner
from ..core.spaces.kernel.rows import Support
from .linear import Array
from .linear import allocate as allocate
from .linear import vectors as vectors
from .values import encode

#: The learners that this is for,
LEARNERS: tuple[type[Learner], ...] = (KernelLearner, BudgetLearner)
#: whether their classes stand in the order in which they came,
IN_ORDER = False
#: what they are made with,
MADE_WITH = {
    "block_size": schema.optional(schema.whole(1, None)),
    "cache_size": schema.optional(schema.real(0, finite=False)),
}
#: what their run has come to,
RUN = {
    "first_row": schema.whole(-schema.MOST),
    "offered": schema.whole(),
    "pocketed": schema.whole(),
}
#: and what else ``state_of`` tells.
REST = {
    "kernel": schema.record(
        name=schema.choice(*NAMES),
        gamma=schema.real(),
        degree=schema.real(),
        coef0=schema.real(),
        bias=schema.flag,
    ),
    "budget": schema.optional(
        schema.record(size=schema.whole(1, None), policy=schema.choice(*POLICIES), eta=schema.real(0))
    ),
    "policy": schema.optional(schema.named()),
}


def why_not_mapped(learner: KernelLearner) -> str | None:
    """Why no file of this learner can be mapped."""
    return "a kernel model keeps examples instead of weights, and cannot be mapped"


def state_of(learner: KernelLearner, mappable: bool = False) -> tuple[dict[str, Any], dict[str, Array]]:
    """The kernel, the budget, and the examples that are kept."""
    plain: dict[str, Any] = {"kernel": encode(asdict(learner.kernel), "kernel"), "budget": None, "policy": None}
    k, support = learner.n_vectors, learner.support
    arrays: dict[str, Array] = {
        "alpha": learner.alpha[:, :k],
        "update_example": learner.which,
        "update_step": learner.coef[:, :k],
        "update_time": learner.time,
        "norm2": learner.norm2,
        "norm2_rounding": learner.norm2_rounding,
        "support_row": support.index,
        "support_code": support.codes,
    }
    if engine.is_sparse(support.vectors):
        arrays |= {f"support_{name}": getattr(support.vectors, name) for name in ("data", "indices", "indptr")}
    elif support.vectors is not None:
        arrays["support_vectors"] = support.vectors
    if isinstance(learner, BudgetLearner):
        kept, remembered = _split(vars(learner.policy))
        plain |= {"budget": asdict(learner.budget), "policy": encode(kept, "budget_policy")}
        arrays |= {f"policy_{name}": array for name, array in remembered.items()}
    return plain, arrays


def made(plain: dict[str, Any], **options: Any) -> KernelLearner:
    """A new learner."""
    kernel = Kernel(**plain["kernel"])
    if plain["budget"] is None:
        return KernelLearner(plain["rule"], kernel, **options)
    return BudgetLearner(plain["rule"], kernel, Budget(**plain["budget"]), **options)


def check_size(plain: dict[str, Any], arrays: dict[str, Array], k: int) -> None:
    """Refuse arrays of other sizes, before memory is allocated for so many features and vectors."""
    n = len(schema.numbers(arrays, "support_row", np.int64, None, below=schema.MOST))
    schema.require("alpha" in arrays and arrays["alpha"].shape == (n, k), "alpha")


def fill(learner: KernelLearner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Take over what ``state_of`` gave."""
    index, k, dtype = arrays["support_row"], learner.n_vectors, learner.dtype
    n = len(index)
    codes = schema.numbers(arrays, "support_code", np.int64, n, below=learner.n_classes)
    if learner.support.precomputed:  # rows are columns of the kernel's values
        schema.require(n == 0 or int(index.max()) < learner.n_features, "support_row")
    if not isinstance(learner, BudgetLearner):  # where slots change hands
        learner.slot = {row: slot for slot, row in enumerate(index.tolist())}
        schema.require(len(learner.slot) == n, "support_row")
    if n:
        learner.support.add(_vectors(learner.support, arrays, n, learner), index, codes)
    stride = learner.alpha.shape[1]
    learner.alpha = np.zeros((n, stride), dtype)
    learner.alpha[:, :k] = schema.array(arrays, "alpha", dtype, (n, k))
    learner.history = [_history(learner, arrays, n, stride)]
    for name in ("norm2", "norm2_rounding"):
        setattr(learner, name, schema.array(arrays, name, np.float64, (learner.slots,)))
    schema.require(bool(np.all(learner.norm2_rounding >= 0)), "norm2_rounding")
    if isinstance(learner, BudgetLearner):
        _fill_policy(learner, plain["policy"], arrays)


def _history(learner: KernelLearner, arrays: dict[str, Array], n: int, stride: int) -> tuple[Array, Array, Array]:
    """The updates in their order: of which examples kept, by how much, and when."""
    which = schema.numbers(arrays, "update_example", np.int64, None, below=n)
    time = schema.numbers(arrays, "update_time", np.int64, len(which), below=learner.visited + 1)
    schema.require(bool(np.all(np.diff(time, prepend=0) > 0)), "update_time")
    schema.require(not len(which) or not isinstance(learner, BudgetLearner), "update_example")
    coef = np.zeros((len(which), stride), learner.dtype)
    coef[:, : learner.n_vectors] = schema.array(arrays, "update_step", learner.dtype, (len(which), learner.n_vectors))
    return which, coef, time


def _fill_policy(learner: BudgetLearner, plain: Any, arrays: dict[str, Array]) -> None:
    policy, n = learner.policy, len(learner.support)
    kept, remembered = _split(vars(policy))
    matrices = {name: arrays[f"policy_{name}"] for name in vars(policy) if f"policy_{name}" in arrays}
    schema.record(**{name: _of_policy(value) for name, value in kept.items() if name not in matrices})(plain, "policy")
    schema.require(remembered.keys() <= matrices.keys(), "policy")
    for name, value in kept.items():
        if name in ("size", "eta", "precision"):  # which follow from the budget and the type of the numbers
            schema.require(plain.get(name) == value, f"policy.{name}")
    for name in matrices:
        size = len(matrices[name]) if matrices[name].ndim else 0
        matrices[name] = schema.array(arrays, f"policy_{name}", np.float64, (size, size))
    vars(policy).update(plain | matrices)
    schema.require(policy.n == n and policy.is_sound(learner.alpha[:, : learner.n_vectors]), "policy")


def _of_policy(value: Any) -> schema.Check:
    """The check of a value of a policy, by its value in a policy that keeps no example yet."""
    if isinstance(value, np.random.Generator):
        return schema.instance(np.random.Generator)
    if value is None:
        return schema.choice(None)
    return schema.whole(0, None) if type(value) is int else schema.real()


def _vectors(support: Support, arrays: dict[str, Array], n: int, learner: Learner) -> Any:
    """The examples kept: dense, sparse, or none with a precomputed kernel."""
    if support.precomputed:
        return None
    if "support_vectors" in arrays:
        return schema.array(arrays, "support_vectors", learner.dtype, (n, learner.n_features))
    data = schema.array(arrays, "support_data", learner.dtype, (None,))
    kind = np.int64 if "support_indices" in arrays and arrays["support_indices"].dtype == np.int64 else np.int32
    columns = schema.numbers(arrays, "support_indices", kind, len(data), below=learner.n_features)
    starts = schema.numbers(arrays, "support_indptr", kind, n + 1, below=len(data) + 1)
    schema.require(bool(starts[0] == 0 and starts[-1] == len(data) and np.all(np.diff(starts) >= 0)), "support_indptr")
    first = np.zeros(len(data) + 1, bool)
    first[starts] = True  # of each row; within it columns rise
    schema.require(bool(np.all((np.diff(columns) > 0) | first[1:-1])), "support_indices")
    import scipy.sparse as sp

    return sp.csr_matrix((data, columns, starts), shape=(n, learner.n_features))


def _split(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Plain values, and arrays."""
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    return {name: value for name, value in values.items() if name not in arrays}, arrays
