"""Runs without scikit-learn: the learner that an estimator of some class and parameters has, its rows, its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from .learner import Learner
    from .rules import Rule

_READOUTS = {"AveragedPerceptron": "averaged", "PocketPerceptron": "pocket", "VotedPerceptron": "voted"}
_KERNELS = {"KernelPerceptron": "rbf", "VotedPerceptron": "linear"}


def learner_of(kind: str, parameters: dict[str, Any]) -> Learner:
    """The learner, which has no weights yet."""
    if kind in _KERNELS:
        return _kernel_learner(kind, parameters)
    from .learner import Learner

    readout = parameters.get("readout") or _READOUTS.get(kind)
    options: dict[str, Any] = {
        "readout": readout or ("averaged" if parameters.get("average") else "last"),
        "fit_intercept": parameters.get("fit_intercept", True),
    }
    if kind == "PassiveAggressiveRegressor":
        options["epsilon"] = parameters.get("epsilon", 0.1)
    else:
        options |= {name: parameters[name] for name in ("ties", "multiclass") if name in parameters}
        options["ratchet"] = kind in ("PocketPerceptron", "OnlineClassifier") and parameters.get("ratchet", True)
        options["batch"] = kind == "BatchPerceptron"
    return Learner(_rule(kind, parameters), **options)


def _kernel_learner(kind: str, parameters: dict[str, Any]) -> Learner:
    from .spaces.kernel.arrays import PRECISIONS
    from .spaces.kernel.budget_learner import BudgetLearner
    from .spaces.kernel.budgets import Budget
    from .spaces.kernel.kernels import Kernel
    from .spaces.kernel.learner import KernelLearner
    from .state import check_name

    told = parameters.get
    gamma = told("gamma", "scale")
    kernel = Kernel(
        told("kernel", _KERNELS[kind]), 1.0 if isinstance(gamma, str) else gamma, told("degree", 3),
        told("coef0", 1.0), told("fit_intercept", True),
    )  # fmt: skip
    cache = told("cache_size")
    options = {
        "readout": told("readout", _READOUTS.get(kind, "last")),
        "ties": told("ties", "mistake"),
        "multiclass": told("multiclass", "max"),
        "ratchet": told("readout") == "pocket",
        "block_size": told("block_size"),
        "cache_size": None if cache is None else 1e6 * cache,
    }
    check_name("device", told("device", "cpu"), ("cpu", "cuda"))
    check_name("precision", told("precision", "float32"), PRECISIONS)
    policy, size = told("budget_policy", "random"), told("budget")
    if size is None:
        if policy != "random":
            raise ValueError(f"budget_policy={policy!r} needs a budget: say --budget N, the examples to keep at most")
        return KernelLearner(_rule(kind, parameters), kernel, **options)
    budget = Budget(size, policy, told("projection_tol", 0.1))
    if told("device", "cpu") != "cpu":
        raise ValueError("a budget is kept on the processor: leave --device out")
    return BudgetLearner(_rule(kind, parameters), kernel, budget, **options)


def _rule(kind: str, parameters: dict[str, Any]) -> Rule:
    from . import rules

    variant = parameters.get("variant")
    if parameters.get("rule") is not None:
        rule: Rule = parameters["rule"]
        return rule
    if variant in ("PA-I", "PA-II"):
        return (rules.PA1 if variant == "PA-I" else rules.PA2)(parameters.get("C", 1.0))
    if variant == "PA":
        return rules.PA()
    if kind == "MIRA":
        return rules.NormMIRA(parameters.get("beta", 0.01)) if variant == "norm" else rules.MIRA(parameters.get("C"))
    return rules.Perceptron(eta0=parameters.get("eta0", 1.0), margin=parameters.get("margin", 0.0))


def rows_for(learner: Any, X: Any, dtype: Any = None, parameters: dict[str, Any] | None = None) -> Any:
    """Rows as the learner takes them: the numbers, looked at, or seen through its kernel."""
    from . import engine

    rows = engine.admit(X, dtype)
    if learner.kernel is None:
        return rows
    from .spaces.kernel import arrays
    from .spaces.kernel.rows import seen_through

    told = parameters or {}
    library = arrays.cuda() if told.get("device") == "cuda" else arrays.NumPy()
    return seen_through(rows, learner.kernel, library=library, precision=told.get("precision", "float32"))


def start(
    learner: Any, rows: Any, n_classes: int, weight: Any, parameters: dict[str, Any], rng: np.random.Generator | None
) -> None:
    """Make room for the rows of a run and begin, as the estimator does: with a kernel's γ, or at random weights.

    Without a kernel, of the rows only ``n_features`` and ``dtype`` are asked for.
    """
    learner.allocate(rows.n_features, n_classes, rows.dtype)
    if learner.kernel is not None:
        from dataclasses import replace

        from .spaces.kernel.kernels import gamma_of

        gamma = gamma_of(parameters.get("gamma", "scale"), learner.kernel.name, rows.weighted(weight))
        learner.kernel = rows.kernel = replace(learner.kernel, gamma=gamma)
    if learner.policy is not None:
        learner.policy.rng = rng  # the one generator of a run
    begin(learner, parameters, rng)


def begin(learner: Any, parameters: dict[str, Any], rng: np.random.Generator | None) -> None:
    """Give a learner that has room its first weights, if they are not 0."""
    if parameters.get("init") == "random" and rng is not None:
        from . import memory

        shape = (learner.n_vectors, learner.n_features)
        memory.check(8 * shape[0] * shape[1], f"{shape[0]:,} × {shape[1]:,} random starting weights", "start from zero")
        w = rng.standard_normal(shape)
        b = rng.standard_normal(learner.n_vectors) if learner.fit_intercept else 0.0
        learner.begin(w, b)
