"""A learner as plain values and arrays, and back: all that its run has come to, so that it goes on to the bit."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..convergence import Evidence
from ..kernel_space.budget_learner import BudgetLearner
from ..kernel_space.budgets import Budget
from ..kernel_space.kernels import Kernel
from ..kernel_space.learner import KernelLearner
from ..kernel_space.rows import Support
from ..learner import Learner
from ..state import VISITED
from .values import decode, encode

Array = NDArray[Any]
Section = tuple[dict[str, Any], dict[str, Array]]

#: What a learner is made with,
_MADE_WITH = ("ties", "multiclass", "ratchet")
_LINEAR = ("fit_intercept", "batch", "epsilon")
_KERNEL = ("block_size", "cache_size")
#: and what its run has come to.
_RUN = ("passes", "held_out_scores", "n_iter", "streaming", "weighted", "verdict")
_KERNEL_RUN = ("first_row", "offered", "run", "best_run", "pocketed", "pocket_errors", "refused")
#: Arrays whose rows are the biases and the features, and whose columns are the weight vectors; all but the first may
#: be missing.
_WEIGHTS = ("weights", "total", "pocket", "start")
#: The rows that they have, where most are 0.
_ROWS = "weight_rows"


def to_state(learner: Learner) -> Section:
    """Plain values and arrays: all that ``from_state`` needs to go on."""
    if type(learner) not in (Learner, KernelLearner, BudgetLearner):  # one that has more to it
        raise TypeError(f"a model file does not hold a {type(learner).__name__}")
    kernel = isinstance(learner, KernelLearner)
    names = ("readout", *_MADE_WITH, *(_KERNEL if kernel else _LINEAR), "n_classes", "n_features", *_RUN)
    plain = {"space": "kernel" if kernel else "linear", "rule": encode(learner.rule, "rule")}
    plain |= {name: encode(getattr(learner, name), name) for name in names}
    plain |= {"dtype": learner.dtype.name, "evidence": encode(asdict(learner.evidence), "evidence")}
    arrays = {"tally": learner.tally}
    if isinstance(learner, KernelLearner):
        plain |= {name: encode(getattr(learner, name), name) for name in _KERNEL_RUN}
        plain |= {"kernel": encode(asdict(learner.kernel), "kernel"), "budget": None}
        if isinstance(learner, BudgetLearner):
            kept, remembered = _split(vars(learner.policy))
            plain |= {"budget": asdict(learner.budget), "policy": encode(kept, "budget_policy")}
            arrays |= {f"policy_{name}": array for name, array in remembered.items()}
        return plain, arrays | _kernel_arrays(learner)
    held = {name: getattr(learner, name) for name in _WEIGHTS if getattr(learner, name) is not None}
    held = {name: found[: 1 + learner.n_features, : learner.n_vectors] for name, found in held.items()}  # no padding
    rows = _rows_in_use(list(held.values()))
    if 2 * len(rows) > learner.n_features:
        return plain, arrays | held
    return plain, arrays | {_ROWS: rows} | {name: found[rows] for name, found in held.items()}


def _rows_in_use(held: list[Array]) -> Array:
    """The rows in which any bit is set: of 2^22 hashed columns most are empty."""
    used = np.zeros(len(held[0]), bool)
    for found in held:
        bits = np.ascontiguousarray(found).view(np.dtype(f"u{found.itemsize}"))
        used |= bits.ravel() != 0 if bits.shape[1] == 1 else bits.any(axis=1)
    return np.flatnonzero(used).astype(_index_type(len(used)))


def _split(values: dict[str, Any]) -> Section:
    """Plain values, and arrays."""
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    return {name: value for name, value in values.items() if name not in arrays}, arrays


def _kernel_arrays(learner: KernelLearner) -> dict[str, Array]:
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


def from_state(plain: dict[str, Any], arrays: dict[str, Array]) -> Learner:
    """The learner that ``to_state`` told of; refuses, by ValueError, what does not fit together."""
    plain = decode(plain)
    kernel = plain["space"] == "kernel"
    options = {name: plain[name] for name in (*_MADE_WITH, *(_KERNEL if kernel else _LINEAR))}
    readout, rule = plain["readout"], plain["rule"]
    learner: Learner
    if kernel and plain["budget"] is not None:
        budget = Budget(**plain["budget"])
        learner = BudgetLearner(rule, Kernel(**plain["kernel"]), budget, readout=readout, **options)
    elif kernel:
        learner = KernelLearner(rule, Kernel(**plain["kernel"]), readout=readout, **options)
    else:
        learner = Learner(rule, readout=readout, **options)
    n_features, n_classes, dtype = int(plain["n_features"]), int(plain["n_classes"]), np.dtype(plain["dtype"])
    _require(n_features >= 0 and n_classes >= 0 and dtype in (np.float32, np.float64), "its sizes")
    k = n_classes if n_classes > 2 and learner.epsilon is None else 1
    if kernel:  # before room is made for so many
        _require(arrays["alpha"].shape == (len(arrays["support_row"]), k), "alpha")
    else:
        _require(arrays["weights"].shape == (len(arrays[_ROWS]) if _ROWS in arrays else 1 + n_features, k), "weights")
    learner.allocate(n_features, n_classes, dtype)
    for name in _RUN:
        setattr(learner, name, plain[name])
    learner.evidence = Evidence(**plain["evidence"])
    learner.tally[:] = _fitting(arrays, "tally", learner.tally.shape, np.float64)
    _require(bool(np.all(learner.tally[VISITED:] >= 0) and np.isfinite(learner.tally[VISITED:]).all()), "tally")
    if isinstance(learner, KernelLearner):
        for name in _KERNEL_RUN:
            setattr(learner, name, plain[name])
        _fill_kernel(learner, arrays)
        if isinstance(learner, BudgetLearner):
            _fill_policy(learner, plain["policy"], arrays)
    else:
        _fill_weights(learner, arrays)
    learner._arrange()
    return learner


def _index_type(n_rows: int) -> Any:
    return np.int32 if n_rows < 1 << 31 else np.int64


def _fill_weights(learner: Learner, arrays: dict[str, Array]) -> None:
    rows: Any = slice(None)
    shape = (1 + learner.n_features, learner.n_vectors)
    if _ROWS in arrays:
        rows = _numbers(arrays, _ROWS, len(arrays[_ROWS]), below=shape[0], dtype=_index_type(shape[0]))
        _require(bool(np.all(np.diff(rows) > 0)), _ROWS)
        shape = (len(rows), shape[1])
    if "start" in arrays:
        learner.start = np.zeros_like(learner.weights)
    _require({name for name in _WEIGHTS if name in arrays} == set(learner._arrays()), "its readout")
    for name in learner._arrays():
        into = getattr(learner, name)
        into[rows, : shape[1]] = _fitting(arrays, name, shape, into.dtype)


def _fill_kernel(learner: KernelLearner, arrays: dict[str, Array]) -> None:
    n, k, dtype = len(arrays["support_row"]), learner.n_vectors, learner.dtype
    index = _fitting(arrays, "support_row", (n,), np.int64)
    codes = _numbers(arrays, "support_code", n, below=max(learner.n_classes, 1))
    if not isinstance(learner, BudgetLearner):  # where slots change hands
        learner.slot = {row: slot for slot, row in enumerate(index.tolist())}
        _require(len(learner.slot) == n, "support_row")
    if n:
        learner.support.add(_vectors(learner.support, arrays, n, learner), index, codes)
    stride, m = learner.alpha.shape[1], len(arrays["update_example"])
    learner.alpha, coef = np.zeros((n, stride), dtype), np.zeros((m, stride), dtype)
    learner.alpha[:, :k] = _fitting(arrays, "alpha", (n, k), dtype)
    coef[:, :k] = _fitting(arrays, "update_step", (m, k), dtype)
    which = _numbers(arrays, "update_example", m, below=n)
    learner.history = [(which, coef, _fitting(arrays, "update_time", (m,), np.int64))]
    for name in ("norm2", "norm2_rounding"):
        setattr(learner, name, _fitting(arrays, name, (learner.slots,), np.float64))


def _fill_policy(learner: BudgetLearner, plain: dict[str, Any], arrays: dict[str, Array]) -> None:
    policy, n = learner.policy, len(learner.support)
    _require(plain["n"] == n <= learner.budget.size, "policy")
    for name in vars(policy):
        if name in plain:
            setattr(policy, name, plain[name])
        else:
            size = len(arrays[f"policy_{name}"])
            setattr(policy, name, _fitting(arrays, f"policy_{name}", (size, size), np.float64))


def _vectors(support: Support, arrays: dict[str, Array], n: int, learner: Learner) -> Any:
    """The examples kept: dense, sparse, or none with a precomputed kernel."""
    if support.precomputed:
        return None
    if "support_vectors" in arrays:
        return _fitting(arrays, "support_vectors", (n, learner.n_features), learner.dtype)
    import scipy.sparse as sp

    data = _fitting(arrays, "support_data", arrays["support_data"].shape, learner.dtype)
    parts = (data, arrays["support_indices"], arrays["support_indptr"])
    found = sp.csr_matrix(parts, shape=(n, learner.n_features))
    found.check_format(full_check=True)
    return found


def _numbers(arrays: dict[str, Array], name: str, n: int, below: int, dtype: Any = np.int64) -> Array:
    found = _fitting(arrays, name, (n,), dtype)
    _require(n == 0 or 0 <= found.min() <= found.max() < below, name)
    return found


def _fitting(arrays: dict[str, Array], name: str, shape: tuple[int, ...], dtype: Any) -> Array:
    found = arrays[name]
    _require(found.shape == shape and found.dtype == dtype, name)
    _require(name == "tally" or found.dtype.kind != "f" or bool(np.isfinite(found).all()), name)
    return found


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} does not fit the rest")
