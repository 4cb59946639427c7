"""The space of a kernel, as parameters describe it: which kernel, where it is computed, and on what budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ....errors import ParameterError
from ...checks import check_name, check_number
from ...engine import Rows
from . import arrays
from .budget_learner import BudgetLearner
from .budgets import POLICIES, Budget
from .kernels import Kernel, gamma_of
from .learner import READOUTS, KernelLearner
from .rows import KernelRows, dense, seen_through

Array = NDArray[Any]


@dataclass(frozen=True)
class KernelSpace:
    """Where weights are a sum of examples.

    Parameters
    ----------
    kernel : Kernel
        The kernel, whose γ is 1 until the first rows are there if it depends on them.
    gamma : {"scale", "auto"} or float
        That γ, as it was asked for.
    budget : Budget or None
        How many examples are kept at most, and which one is evicted.
    block_size, cache_size : int, float or None
        Of the learner; the cache in bytes.
    device, precision : str
        Where matrices are multiplied, and how.
    """

    kernel: Kernel
    gamma: Any
    budget: Budget | None
    block_size: int | None
    cache_size: float | None
    device: str
    precision: str

    name: ClassVar[str] = "kernel"

    @property
    def draws(self) -> bool:
        return self.budget is not None

    def learner(self, rule: Any, **options: Any) -> KernelLearner:
        """A learner that has no examples yet."""
        options |= {"block_size": self.block_size, "cache_size": self.cache_size}
        if self.budget is not None:
            return BudgetLearner(rule, self.kernel, self.budget, **options)
        return KernelLearner(rule, self.kernel, **options)

    def rows(self, rows: Rows, learner: Any = None) -> KernelRows:
        """Rows seen through the kernel: that of a run under way, or, to begin one, that of the parameters."""
        if learner is not None:
            return see(rows, learner.kernel, self.device, self.precision)
        seen = see(rows, self.kernel, self.device, self.precision)
        if self.kernel.name == "precomputed" and seen.n_rows != seen.n_features:
            raise ValueError(
                f"Precomputed kernel must be a square matrix at fit. Input is a {seen.n_rows}x{seen.n_features} matrix."
            )
        return seen

    def settle(self, learner: Any, rows: Any, weight: Array | None) -> None:
        """Give the run its kernel, whose γ is that of its first rows; those of weight 0 do not count."""
        gamma = gamma_of(self.gamma, self.kernel.name, rows.weighted(weight))
        learner.kernel = rows.kernel = replace(self.kernel, gamma=gamma)

    def share_generator(self, learner: Any, rng: np.random.Generator | None) -> None:
        """Let a budget draw from the one generator of the run."""
        if self.budget is not None:
            learner.policy.rng = rng


def see(rows: Rows, kernel: Kernel, device: str, precision: str) -> KernelRows:
    """Rows seen through a kernel, where it is computed."""
    library = arrays.cuda() if device == "cuda" else arrays.NumPy()
    seen = seen_through(rows, kernel, library=library, precision=precision)
    if kernel.name == "precomputed":
        seen.X = dense(seen.X)
    return seen


def kernel_space(parameters: Mapping[str, Any]) -> KernelSpace:
    """The space that parameters describe; refuses what does not go together."""
    of = parameters.__getitem__
    check_name("readout", of("readout"), READOUTS)
    if of("block_size") is not None:
        check_number("block_size", of("block_size"), 1, whole=True)
    if of("cache_size") is not None:
        check_number("cache_size", of("cache_size"), 0)
    check_name("device", of("device"), ("cpu", "cuda"))
    check_name("precision", of("precision"), arrays.PRECISIONS)
    is_precomputed = isinstance(of("kernel"), str) and of("kernel") == "precomputed"
    if of("device") == "cuda" and is_precomputed:
        raise ParameterError(
            "a precomputed kernel leaves nothing to compute on a CUDA device; use {device}", "device", device="cpu"
        )
    if of("device") == "cpu" and of("precision") != "float32":
        raise ParameterError(
            "{precision} is for {device}; the processor multiplies in full", "precision", precision=of("precision"),
            device="cuda",
        )  # fmt: skip
    if isinstance(of("gamma"), str):
        check_name("gamma", of("gamma"), ("scale", "auto"))
    if of("warm_start") or of("init") != "zeros":
        raise ParameterError(
            "in kernel space a run begins with no examples: leave warm_start=False and init='zeros'",
            "warm_start" if of("warm_start") else "init",
        )
    gamma = 1.0 if isinstance(of("gamma"), str) else of("gamma")
    kernel = Kernel(of("kernel"), gamma, of("degree"), of("coef0"), bool(of("fit_intercept")))
    if of("early_stopping") and is_precomputed:
        raise ParameterError(
            "early_stopping needs rows to hold out, which a precomputed kernel matrix does not have", "early_stopping"
        )
    cache = None if of("cache_size") is None else 1e6 * of("cache_size")
    return KernelSpace(kernel, of("gamma"), _budget(parameters), of("block_size"), cache, of("device"), of("precision"))


def _budget(parameters: Mapping[str, Any]) -> Budget | None:
    size, policy, tol = (parameters[name] for name in ("budget", "budget_policy", "projection_tol"))
    check_name("budget_policy", policy, POLICIES)
    check_number("projection_tol", tol, 0)
    if math.isinf(tol):
        raise ParameterError("projection_tol must be finite, got inf: no example would ever be kept", "projection_tol")
    if size is None:
        if policy != POLICIES[0]:
            raise ParameterError(
                "{budget_policy} needs a budget, the most examples to keep, such as {budget}", "budget_policy",
                budget_policy=policy, budget=100,
            )  # fmt: skip
        return None
    check_number("budget", size, 1, whole=True)
    if parameters["device"] != "cpu":
        raise ParameterError("a budget is kept on the processor: use {device}", "device", device="cpu")
    return Budget(int(size), policy, float(tol))
