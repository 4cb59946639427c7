"""The run of an estimator as a trace: its rows and options as a plan, its end as the native learner has it."""

from __future__ import annotations

import copy
import dataclasses
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import engine
from ..core import exact as exactly
from ..core.learner import weighted_rows
from ..core.run import Run, Trainable
from ..core.spec import Spec
from ..core.verdicts import SEPARATED
from ..theory import inputs
from . import columns, separators, wording
from .ending import Ending
from .gram import Gram, in_fractions
from .gram import of_rows as gram_of_rows
from .kernel_space import KernelSpace
from .plan import Plan
from .record import Trace
from .replay import Replay, too_long
from .space import exactly_rows, fraction

Array = NDArray[Any]

#: A table of more numbers than this is none that a person would compute with by hand.
BY_HAND = 2000
#: A kernel matrix of at most so many values is computed one by one, each rounded alike on every machine.
FEW_VALUES = 10_000


def trace(
    est: Any,
    X: Any,
    y: Any,
    exact: bool | str = False,
    *,
    separator: Any = None,
    coef_init: Any = None,
    intercept_init: Any = None,
    sample_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    max_steps: int = 100_000,
) -> Trace:
    """Run an estimator's algorithm step by step and record every step.

    The run is the one that ``est.fit(X, y, coef_init, intercept_init, sample_weight)`` makes, to the bit: the same rows
    in the same order, the same weights at its end. ``est`` is not changed, and need not be fitted; with
    ``warm_start=True`` the run goes on from its last weights. A ``random_state`` that is a generator is not advanced
    either, so that the next ``fit`` makes just the run that was traced; with None each call draws a run of its own.

    In the space of a kernel the weights are a sum of examples, and a step tells their coefficients α. ``fit`` adds up
    scores there in blocks: the decisions are the same, which is checked and said at the end, and floats agree to
    rounding.

    Parameters
    ----------
    est : estimator or Pipeline
        One of this package's, fitted or not. Of a pipeline the last step is traced, on what the steps before it make
        of X; hashed words are shown as words.
    X, y : array-like
        What ``fit`` takes. A sparse matrix of many columns is shown by those in use.
    exact : bool or "decimals", default=False
        Compute with whole numbers and fractions, without rounding: 0.1 is 1/10, or is shown as 0.1 with "decimals". The
        run ends as ``fit`` does, and also where the weights come back to where they have been, which proves that no
        separator exists. Kernels whose values are fractions can be traced so: "linear", "poly" of a whole degree,
        "precomputed", or a function that takes and returns arrays of them.
    separator : w, (w, b), or an object with ``w`` and ``b`` or ``coef_`` and ``intercept_``, default=None
        Weights that separate the rows, of any length (several classes: one vector for each): an array, a Series, a
        fitted estimator, what ``separability`` returns. With them each step carries the quantities of the convergence
        proof. In the space of a kernel: a coefficient for each row, or a model fitted on these rows.
    coef_init, intercept_init, sample_weight : array-like, default=None
        What ``fit`` takes; in the space of a kernel a run begins at zero.
    feature_names : list of str, default=None
        Names of the columns; None: those of the data frame.
    max_steps : int, default=100_000
        A longer run is refused.

    Returns
    -------
    Trace
        The steps, where the run ended, and what was proved. Of a tagger, a ``SentenceTrace``.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
    >>> rb.trace(rb.Perceptron(shuffle=False), X, y, exact=True)
    Perceptron in exact numbers: 4 rows, from w = (0, 0), b = 0
    <BLANKLINE>
    step  pass  row  x        y   s  why         τ  w        b  ‖(w, b)‖
    ────────────────────────────────────────────────────────────────────
       1     1    0  (0, 0)  −1   0  tie         1  (0, 0)  −1         1
       2     1    1  (0, 1)   1  −1  wrong sign  1  (0, 1)   0         1
       3     1    2  (1, 0)   1   0  tie         1  (1, 1)   1        √3
       4     1    3  (1, 1)  −1   3  wrong sign  1  (0, 0)   0         0
    <BLANKLINE>
    No margin, after 1 pass and 4 updates.
    <BLANKLINE>
    After step 4 the weights are again those before the first step, w = (0, 0), b = 0. The steps in
      between come to λ = (1, 1, 1, 1) for the rows, and Σ λ·y·(x, 1) = 0, verified exactly. So no
      separator exists.
    """
    if isinstance(est, type):
        raise TypeError(f"trace needs an estimator, not its class: write {est.__name__}()")
    learner = est.steps[-1][1] if hasattr(est, "steps") else est
    if callable(getattr(learner, "trace", None)):  # a tagger, whose rows are sentences
        _refuse_for_sentences(separator, coef_init, intercept_init, sample_weight, feature_names)
        return learner.trace(X, y, exact, max_steps=max_steps)  # type: ignore[no-any-return]
    if not isinstance(learner, Trainable):
        raise TypeError(f"trace needs an estimator of this package, got {type(learner).__name__}")
    _refuse(learner.spec(), max_steps)
    X, names_of = columns.transformed(est, X, y) if learner is not est else (X, None)
    _check_shapes(X, y)
    own = copy.copy(learner)
    own.random_state = copy.deepcopy(learner.random_state)
    parameters, space = learner.spec().parameters, learner.spec().space.name
    from_zero = space == "linear" and parameters.get("init", "zeros") == "zeros" and not parameters["warm_start"]
    narrow = columns.narrowed(X, names_of, from_zero and coef_init is None and separator is None)
    rows = X if narrow is None else narrow.X
    run = own.prepare(rows, y, coef_init, intercept_init, sample_weight)
    if narrow is not None:
        run.names = narrow.names
    elif names_of is not None:
        run.names = names_of(range(run.learner.n_features))
    if feature_names is not None:
        run.names = _named(feature_names, run.learner.n_features)
    told = trace_run(
        run, rows, y, exact, separator=separator, max_steps=max_steps, title=" ".join(repr(est).split()),
        name=type(learner).__name__,
    )  # fmt: skip
    return told if narrow is None else dataclasses.replace(told, coef_=narrow.widened(told.coef_))


def _refuse_for_sentences(*options: Any) -> None:
    if any(option is not None for option in options):
        raise ValueError("a run over sentences is traced from zero, without separator, weights and names of columns")


def _named(names: Sequence[str], n_features: int) -> list[str]:
    if isinstance(names, str) or len(names) != n_features:
        raise ValueError(f"feature_names must be {n_features} names, one for each column; got {names!r}")
    return [str(name) for name in names]


def trace_run(
    run: Run,
    X: Any,
    y: Any,
    exact: bool | str = False,
    *,
    separator: Any = None,
    max_steps: int = 100_000,
    title: str,
    name: str | None = None,
) -> Trace:
    """The same for a run made ready (``core.run.prepare``), without an estimator and scikit-learn.

    ``title`` is how it was asked for, and ``name`` that of the algorithm, if it is not the spec's.
    """
    if exact not in (False, True, "decimals"):
        raise ValueError(f"exact must be True, False or 'decimals', got {exact!r}")
    _refuse(run.spec, max_steps)
    n_visited = run.rows.n_rows if run.weight is None else int(np.count_nonzero(run.weight > 0))
    if n_visited > max_steps:
        raise too_long(f"one pass over {n_visited:,} rows", max_steps)
    replay = Replay(plan_of(run, X, y, name or run.spec.algorithm), exact)
    if separator is not None:
        examples, number = replay.examples(), fraction if exact else float
        replay.prove(separators.weights_of(separator, examples, number))
    ending = replay.until_decided(max_steps) if exact else _natively(run, replay, max_steps)
    return _with_arrays(replay.record(ending, title), object if exact else run.learner.dtype)


def _with_arrays(trace: Trace, dtype: Any) -> Trace:
    """The same trace with its model in arrays, as ``fit`` gives it."""
    model: dict[str, Any] = {"intercept_": np.array(trace.intercept_, dtype)}
    if trace.setting.kernel is None:
        coef = np.array(trace.coef_, dtype)
        model["coef_"] = coef.reshape(*coef.shape[:-1], trace.setting.n_features)
    else:
        dual = np.array(trace.dual_coef_, dtype).reshape(len(trace.dual_coef_ or ()), -1)
        model |= {"support_": np.array(trace.support_, np.int64), "dual_coef_": dual}
        model["intercept_"] = dual.sum(axis=1) if trace.setting.fit_intercept else np.zeros(len(dual), dtype)
    return dataclasses.replace(trace, **model)


def plan_of(run: Run, X: Any, y: Any, name: str) -> Plan:
    """The plan of a run made ready."""
    learner, spec = run.learner, run.spec
    dtype = np.dtype(learner.dtype)
    number: Any = float if dtype == np.float64 else dtype.type
    kernel, start = None, dict[str, Any]()
    if spec.space.name == "kernel":
        kernel = learner.kernel
    else:
        weights = learner.read("last")[:, : learner.n_vectors]
        start = {"w": [[number(v) for v in w] for w in weights[1:].T], "b": [number(v) for v in weights[0]]}
    plan = Plan(
        name=name, form=learner.form, rule=learner.rule, rows=[[number(v) for v in row] for row in _rows(run)],
        given=X, targets=run.targets.tolist(), given_targets=np.ravel(np.asarray(y, dtype=object)).tolist(),
        classes=None if run.classes is None else [_label(v) for v in run.classes.tolist()],
        n_features=learner.n_features, n_vectors=learner.n_vectors, orders=lambda: _orders(run),
        max_iter=spec.max_iter, tol=spec.tol, number=number, readout=learner.readout, ratchet=learner.ratchet,
        batch=learner.batch, fit_intercept=learner.fit_intercept, ties=learner.ties, share=learner.multiclass,
        epsilon=learner.epsilon, constant=learner.intercept_scaling,
        weights=None if run.weight is None else run.weight.tolist(),
        names=None if run.names is None else [str(column) for column in run.names], start=run.start, kernel=kernel,
        **start,
    )  # fmt: skip
    return plan if kernel is None else dataclasses.replace(plan, gram=lambda exact: _gram(run, plan, exact))


def _rows(run: Run) -> Any:
    """The rows as an array, whatever they were."""
    if run.spec.space.name == "kernel":
        return run.rows.X.toarray() if engine.is_sparse(run.rows.X) else run.rows.X
    view = run.rows.view
    if view.is_dense:
        return view.data
    X = np.zeros((view.n_rows, view.n_features), view.data.dtype)
    X[np.repeat(np.arange(view.n_rows), np.diff(view.indptr)), view.indices] = view.data
    return X


def _orders(run: Run) -> Iterator[Sequence[int]]:
    """The rows in the order of each pass, as ``fit`` draws it."""
    rng, natural = copy.deepcopy(run.rng), weighted_rows(run.weight)
    present = list(range(run.rows.n_rows)) if natural is None else natural.tolist()
    while True:
        order = run.learner.order(run.rows, natural, run.spec.shuffle, rng)
        yield present if order is None else order.tolist()


# ---- the end that fit has --------------------------------------------------------------------------------------------


def _natively(run: Run, replay: Replay, max_steps: int) -> Ending:
    """As many passes as the native learner makes; its verdict and bounds."""
    native = copy.deepcopy(run.learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the trace says how it ended
        run.fit(native, copy.deepcopy(run.rng))
    replay.passes(native.n_iter, max_steps)
    if isinstance(replay.space, KernelSpace):
        replay.agreement = _agreement(replay, replay.space, native)
    lower, upper = native.margin_bounds
    boundary = native.verdict == SEPARATED and bool(native.least.min() <= 0)
    scale = 1.0 if native.epsilon is not None else native.scale_of(run.rows, weighted_rows(run.weight)) or 1.0
    return Ending(
        native.verdict, native.n_iter, native.n_updates, lower, upper, boundary, equal_rows=native.evidence.equal_rows,
        scale=scale,
    ).in_words()  # fmt: skip


def _agreement(replay: Replay, space: KernelSpace, native: Any) -> str:
    """Whether the native learner, whose scores are rounded in blocks, decided the same everywhere."""
    mistakes, updates = (sum(getattr(step, kind) for step in replay.steps) for kind in ("mistakes", "updates"))
    counts = (sum(native.mistakes), native.n_updates)
    if counts == (mistakes, updates) and list(space.model.kept) == native.support.index.tolist():
        dual = np.array(space.dual(space.model.w), float).reshape(len(space.model.w), -1)
        slack = math.sqrt(float(np.finfo(native.dtype).eps))
        if np.allclose(dual, native.dual("last").T, rtol=slack, atol=slack * float(np.abs(dual).max(initial=0.0))):
            return "The mistakes and updates are those of fit, which adds up the scores in blocks."
    made = [wording.several(n, noun) for n, noun in zip(counts, ("mistake", "update"))]
    return (
        "Some score lies within rounding of where the rule decides, and fit, which adds up the scores in blocks, "
        f"decided otherwise there: it made {made[0]} and {made[1]}, this trace {mistakes:,} and {updates:,}. The "
        "verdict and the bounds are those of fit."
    )


# ---- kernels ---------------------------------------------------------------------------------------------------------


def _gram(run: Run, plan: Plan, exact: bool | str) -> tuple[Gram, Any, Any]:
    """The kernel matrix of the rows, its γ and its constant."""
    kernel: Any = plan.kernel
    if exact:
        rows = exactly_rows(plan.given)
        present = [rows[i] for i in plan.present]
        gamma, coef0 = _gamma(kernel.name, run.spec.space.gamma, present), fraction(kernel.coef0)
        return _exact_gram(kernel, rows, gamma, coef0), gamma, coef0
    named = isinstance(kernel.name, str) and kernel.name != "precomputed"
    if named and plan.number is float and len(plan.rows) ** 2 <= FEW_VALUES:
        return gram_of_rows(kernel, plan.rows, exact)
    values = inputs.kernel_values(kernel, run.rows.X)

    def column(j: int) -> list[Any]:
        return [plan.number(v) for v in values(slice(None), slice(j, j + 1))[:, 0]]

    gram = Gram(column, lambda i: values(slice(i, i + 1), slice(i, i + 1))[0, 0], len(plan.rows))
    return gram, kernel.gamma, kernel.coef0


def _exact_gram(kernel: Any, rows: list[list[Fraction]], gamma: Fraction, coef0: Fraction) -> Gram:
    """The kernel matrix in fractions."""
    one = int(kernel.bias)
    if kernel.name == "precomputed":
        return Gram(lambda j: [row[j] + one for row in rows], lambda i: rows[i][i] + one, len(rows))
    if not callable(kernel.name):
        return in_fractions(kernel, rows, gamma, coef0)
    X = np.array(rows, object)

    def values(a: slice, b: slice) -> Array:
        return _called(kernel.name, X[a], X[b]) + one

    return Gram(
        lambda j: list(values(slice(None), slice(j, j + 1))[:, 0].tolist()),
        lambda i: values(slice(i, i + 1), slice(i, i + 1))[0, 0], len(rows),
    )  # fmt: skip


def _called(kernel: Callable[[Any, Any], Any], A: Array, B: Array) -> Array:
    """What a function makes of two blocks of fractions."""
    try:
        K = np.asarray(kernel(A, B), dtype=object)
    except Exception as error:
        why = f"it raised {type(error).__name__}"
    else:
        inexact = [v for v in K.ravel() if not isinstance(v, (Rational, np.integer))]
        if K.shape == (len(A), len(B)) and not inexact:
            return np.array([[fraction(v) for v in row] for row in K], object)
        why = f"it returned {inexact[0]!r}" if inexact else f"it returned shape {K.shape} for {(len(A), len(B))}"
    raise ValueError(
        f"the kernel function does not compute with fractions ({why} for blocks of Python's Fraction): trace it with "
        "exact=False"
    )


def _gamma(kernel: Any, gamma: Any, rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """γ without rounding: that of "scale" is 1/(n_features·variance)."""
    if not isinstance(gamma, str):
        return fraction(gamma)
    if kernel != "poly":
        return Fraction(1)  # and is not used
    values = [v for row in rows for v in row]
    mean = sum(values, Fraction(0)) / len(values)
    spread = sum(((v - mean) ** 2 for v in values), Fraction(0)) / len(values) if gamma == "scale" else Fraction(1)
    return 1 / (len(rows[0]) * (spread or Fraction(1)))


# ---- what is traced --------------------------------------------------------------------------------------------------


def has_short_decimals(run: Run, X: Any) -> bool:
    """Whether a run is on decimals that a person would compute with by hand, few of them, which stay short in it.

    Whole numbers alone are none: floats hold them as they are.
    """
    learner: Any = run.learner
    if not learner.rule.short_in_fractions or np.size(X) > BY_HAND:
        return False
    used = [learner.epsilon or 0, *([] if run.weight is None else run.weight)]
    for value in learner.rule.parameters.values():
        used += value if isinstance(value, tuple) else [value]
    if run.spec.space.name == "kernel":
        kernel = learner.kernel
        if kernel.name not in ("linear", "poly") or kernel.degree != int(kernel.degree):
            return False
        used += [] if kernel.name == "linear" else [kernel.gamma, kernel.coef0]
    else:
        used += [learner.intercept_scaling, *learner.read("last").ravel().tolist()]  # and the weights at the start
    return exactly.are_short([*np.ravel(X), *used]) and not np.all(np.rint(X) == X)


def _refuse(spec: Spec, max_steps: Any) -> None:
    if spec.space.budget is not None:
        raise ValueError("a run with a budget is not traced: what it forgets is not in the record; set budget=None")
    if spec.parameters["early_stopping"]:
        raise ValueError("a run with early_stopping=True is not traced: it ends by held-out rows; set it to False")
    if not isinstance(max_steps, int) or isinstance(max_steps, bool) or max_steps < 1:
        raise ValueError(f"max_steps must be a whole number >= 1, got {max_steps!r}")


def _check_shapes(X: Any, y: Any) -> None:
    table, labels = _shape(X, "X"), _shape(y, "y")
    if len(table) != 2:
        hint = "; the order is trace(est, X, y)" if len(labels) == 2 and len(table) == 1 else ""
        raise ValueError(f"X must be a table of rows and columns, got {_dimensions(table)}{hint}")
    if labels not in (table[:1], (table[0], 1)):
        raise ValueError(f"y must hold one label for each of the {table[0]} rows of X, got {_dimensions(labels)}")


def _shape(values: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(values.shape) if hasattr(values, "shape") else np.shape(values)
    except ValueError:
        raise ValueError(f"{name} must be a table, but its rows have different lengths") from None


def _dimensions(shape: tuple[int, ...]) -> str:
    return "no array" if not shape else f"{len(shape)} dimension{'s' * (len(shape) > 1)}, shape {shape}"


def _label(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
