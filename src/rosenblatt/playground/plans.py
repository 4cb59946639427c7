"""The estimator that settings name: the run for a trace, and how it is written in Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from ..core.shuffles import shuffles
from ..core.spaces.kernel.function import KernelFunction
from ..theory.exact_vectors import Codes
from ..theory.small import encode
from ..tracing import Plan
from ..tracing.gram import of_rows
from .requests import MOST_COEFFICIENTS, MOST_EXACT_COEFFICIENTS, MOST_STEPS, Problem, Settings


def kernel_of(settings: Settings) -> KernelFunction:
    """The kernel, the 1 of a bias included."""
    return KernelFunction(
        settings.space.removesuffix("-kernel"), settings.gamma, settings.degree, settings.coef0, settings.bias
    )


def passes_of(problem: Problem) -> int:
    """Passes at most: as many as are asked for, and as the page can show."""
    most = MOST_STEPS
    if problem.settings.in_kernel:
        most = min(most, (MOST_EXACT_COEFFICIENTS if problem.exact else MOST_COEFFICIENTS) // problem.coefficients)
    return max(1, min(problem.settings.passes, most // len(problem.points)))


def known(problem: Problem) -> Codes:
    """The classes of the points."""
    return encode(problem.labels)


def plan_of(problem: Problem) -> Plan:
    """The run, for a trace: that of the estimator which ``estimator`` names."""
    settings, codes = problem.settings, known(problem)
    name, kernel, several = _class(settings), None, len(codes.classes) > 2
    rows = [list(point) for point in problem.points]
    if settings.in_kernel:
        kernel = kernel_of(settings)
    return Plan(
        name=name, form="multiclass" if several else "binary", rule=problem.learning_rule, rows=rows, given=rows,
        targets=list(codes.codes), given_targets=list(problem.labels), classes=list(codes.classes),
        n_features=problem.n_features, n_vectors=len(codes.classes) if several else 1,
        orders=lambda: _orders(problem), max_iter=passes_of(problem), tol=_TOLERANCES.get(name),
        readout=settings.readout, ratchet=settings.readout == "pocket", batch=settings.batch,
        fit_intercept=settings.bias, ties=settings.ties,
        names=None if problem.names is None else list(problem.names), kernel=kernel,
        gram=None if kernel is None else lambda exact: of_rows(kernel, rows, exact),
    )  # fmt: skip


def _orders(problem: Problem) -> Iterator[list[int]]:
    """The points in the order of each pass."""
    n, settings = len(problem.points), problem.settings
    return shuffles(settings.seed, n) if settings.order == "shuffled" and not settings.batch else repeat(list(range(n)))


# ---- in Python ---------------------------------------------------------------------------------------------------

#: The estimators that are Rosenblatt's rule with a readout, in linear space.
_PERCEPTRONS = {"last": "Perceptron", "averaged": "AveragedPerceptron", "pocket": "PocketPerceptron"}
#: The relative margin below which these end, their ``tol``; the others are for a model, and have none.
_TOLERANCES = dict.fromkeys(("Perceptron", "PocketPerceptron", "BatchPerceptron"), 1e-4)
#: The parameters that each kernel takes.
_PARAMETERS = {"linear": (), "rbf": ("gamma",), "poly": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0")}


def _class(settings: Settings) -> str:
    if settings.batch:
        return "BatchPerceptron"
    if settings.in_kernel:
        return "KernelPerceptron"
    return _PERCEPTRONS[settings.readout] if settings.rule == "perceptron" else "OnlineClassifier"


def _parameters(problem: Problem) -> dict[str, Any]:
    """The parameters of the estimator; what it takes anyway is left out."""
    settings, standard = problem.settings, Settings()
    kind, rule, parameters = _class(settings), problem.learning_rule, dict[str, Any]()
    if settings.in_kernel:
        kernel = kernel_of(settings)
        parameters["kernel"] = kernel.name
        parameters |= {name: getattr(kernel, name) for name in _PARAMETERS[str(kernel.name)]}
    if kind in ("KernelPerceptron", "OnlineClassifier"):
        parameters["rule"] = rule
        parameters |= {"readout": settings.readout} if settings.readout != "last" else {}
    else:
        usual = type(rule)().parameters
        parameters |= {name: value for name, value in rule.parameters.items() if value != usual[name]}
    parameters |= {} if settings.bias else {"fit_intercept": False}
    return parameters | ({"ties": settings.ties} if settings.ties != standard.ties else {})


def estimator(problem: Problem) -> str:
    """The estimator of this run, as it is written in Python."""
    settings, kind = problem.settings, _class(problem.settings)
    parameters = _parameters(problem) | {"max_iter": passes_of(problem)}
    if not settings.batch:
        parameters |= {"random_state": settings.seed} if settings.order == "shuffled" else {"shuffle": False}
    arguments = (f"{name}={'rb.rules.' if name == 'rule' else ''}{value!r}" for name, value in parameters.items())
    return f"rb.{kind}({', '.join(arguments)})"


def program(problem: Problem) -> str:
    """A few lines of Python that make the same trace."""
    X = [[int(v) if v == int(v) else v for v in point] for point in problem.points]
    exact = f", exact={problem.exact!r}" if problem.exact else ""
    names = f", feature_names={list(problem.names)}" if problem.names is not None else ""
    return (
        f"import rosenblatt as rb\nX = {X}\ny = {list(problem.labels)}\n"
        f"trace = rb.trace({estimator(problem)}, X, y{exact}{names})\nprint(trace)\n"
    )
