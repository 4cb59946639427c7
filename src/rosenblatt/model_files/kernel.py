"""A learner in kernel space, as plain values and arrays and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .. import engine
from ..kernel_space.budget_learner import BudgetLearner
from ..kernel_space.budgets import Budget
from ..kernel_space.kernels import Kernel
from ..kernel_space.learner import KernelLearner
from ..kernel_space.rows import Support
from ..learner import Learner
from .fitting import Array, fitting, numbers, require
from .values import encode

#: The learners that this is for,
LEARNERS: tuple[type[Learner], ...] = (KernelLearner, BudgetLearner)
#: what they are made with,
MADE_WITH = ("block_size", "cache_size")
#: and what their run has come to.
RUN = ("first_row", "offered", "run", "best_run", "pocketed", "pocket_errors", "refused")


def state_of(learner: KernelLearner) -> tuple[dict[str, Any], dict[str, Array]]:
    """The kernel, the budget, and the examples that are kept."""
    plain = {"kernel": encode(asdict(learner.kernel), "kernel"), "budget": None}
    arrays = _arrays_of(learner)
    if isinstance(learner, BudgetLearner):
        kept, remembered = _split(vars(learner.policy))
        plain |= {"budget": asdict(learner.budget), "policy": encode(kept, "budget_policy")}
        arrays |= {f"policy_{name}": array for name, array in remembered.items()}
    return plain, arrays


def made(plain: dict[str, Any], **options: Any) -> KernelLearner:
    """A learner that has not begun."""
    kernel = Kernel(**plain["kernel"])
    if plain["budget"] is None:
        return KernelLearner(plain["rule"], kernel, **options)
    return BudgetLearner(plain["rule"], kernel, Budget(**plain["budget"]), **options)


def check_size(arrays: dict[str, Array], n_features: int, k: int) -> None:
    """Before room is made for so many features and vectors."""
    require(arrays["alpha"].shape == (len(arrays["support_row"]), k), "alpha")


def fill(learner: KernelLearner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Take over what ``state_of`` gave."""
    n, k, dtype = len(arrays["support_row"]), learner.n_vectors, learner.dtype
    index = fitting(arrays, "support_row", (n,), np.int64)
    codes = numbers(arrays, "support_code", n, below=max(learner.n_classes, 1))
    if not isinstance(learner, BudgetLearner):  # where slots change hands
        learner.slot = {row: slot for slot, row in enumerate(index.tolist())}
        require(len(learner.slot) == n, "support_row")
    if n:
        learner.support.add(_vectors(learner.support, arrays, n, learner), index, codes)
    stride, m = learner.alpha.shape[1], len(arrays["update_example"])
    learner.alpha, coef = np.zeros((n, stride), dtype), np.zeros((m, stride), dtype)
    learner.alpha[:, :k] = fitting(arrays, "alpha", (n, k), dtype)
    coef[:, :k] = fitting(arrays, "update_step", (m, k), dtype)
    which = numbers(arrays, "update_example", m, below=n)
    learner.history = [(which, coef, fitting(arrays, "update_time", (m,), np.int64))]
    for name in ("norm2", "norm2_rounding"):
        setattr(learner, name, fitting(arrays, name, (learner.slots,), np.float64))
    if isinstance(learner, BudgetLearner):
        _fill_policy(learner, plain["policy"], arrays)


def _fill_policy(learner: BudgetLearner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    policy, n = learner.policy, len(learner.support)
    require(plain["n"] == n <= learner.budget.size, "policy")
    for name in vars(policy):
        if name in plain:
            setattr(policy, name, plain[name])
        else:
            size = len(arrays[f"policy_{name}"])
            setattr(policy, name, fitting(arrays, f"policy_{name}", (size, size), np.float64))


def _vectors(support: Support, arrays: dict[str, Array], n: int, learner: Learner) -> Any:
    """The examples kept: dense, sparse, or none with a precomputed kernel."""
    if support.precomputed:
        return None
    if "support_vectors" in arrays:
        return fitting(arrays, "support_vectors", (n, learner.n_features), learner.dtype)
    import scipy.sparse as sp

    data = fitting(arrays, "support_data", arrays["support_data"].shape, learner.dtype)
    parts = (data, arrays["support_indices"], arrays["support_indptr"])
    found = sp.csr_matrix(parts, shape=(n, learner.n_features))
    found.check_format(full_check=True)
    return found


def _arrays_of(learner: KernelLearner) -> dict[str, Array]:
    k, support = learner.n_vectors, learner.support
    arrays = {
        "alpha": learner.alpha[:, :k],
        "update_example": learner.which,
        "update_step": learner.coef[:, :k],
        "update_time": learner.time,
        "norm2": learner.norm2,
        "norm2_rounding": learner.norm2_rounding,
        "support_row": support.index,
        "support_code": support.codes,
    }
    vectors = support.vectors
    if vectors is None:
        return arrays
    if engine.is_sparse(vectors):
        return arrays | {f"support_{name}": getattr(vectors, name) for name in ("data", "indices", "indptr")}
    return arrays | {"support_vectors": vectors}


def _split(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Plain values, and arrays."""
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    return {name: value for name, value in values.items() if name not in arrays}, arrays
