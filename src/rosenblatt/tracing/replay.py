"""The run of an estimator, made again by the reference one step at a time and recorded."""

from __future__ import annotations

import copy
import dataclasses
import math
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..core import exact as exactly
from ..core import reference
from ..core.convergence import NO_MARGIN, SEPARATED
from ..core.learner import weighted_rows
from ..core.run import Run, Trainable
from ..core.spec import Spec
from ..errors import ParameterError
from ..theory.revisits import Revisit, Revisits
from . import closing, columns, wording
from .ending import Ending, ExactEnd
from .kernel_space import KernelSpace
from .proof import Examples, Ledger
from .record import Data, Setting, Step, Trace
from .space import LinearSpace, fraction

Number = Any  # int, Fraction or float

#: A table of more numbers than this is none that a person would compute with by hand.
BY_HAND = 2000


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
    max_steps : int, default=100_000
        A longer run is refused.

    Returns
    -------
    Trace
        The steps, where the run ended, and what was proved.

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
    told = trace_run(
        run, rows, y, exact, separator=separator, max_steps=max_steps, title=" ".join(repr(est).split()),
        name=type(learner).__name__,
    )  # fmt: skip
    return told if narrow is None else dataclasses.replace(told, coef_=narrow.widened(told.coef_))


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
        raise _too_long(f"one pass over {n_visited:,} rows", max_steps)
    space = (KernelSpace if run.spec.space.name == "kernel" else LinearSpace)(run, X, exact)
    replay = Replay(run, y, space)
    if separator is not None:
        replay.prove(separator)
    ending = replay.exactly(max_steps) if exact else replay.natively(max_steps)
    return replay.record(ending, title, name or run.spec.algorithm)


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


def _too_long(what: str, max_steps: int) -> ParameterError:
    sentence = f"{what} would be more than the {{max_steps}} steps; take fewer rows, fewer passes or more steps"
    return ParameterError(sentence, "max_steps", max_steps=max_steps)


class Replay:
    """One run through the reference, with whoever watches it."""

    def __init__(self, run: Run, y: Any, space: LinearSpace | KernelSpace) -> None:
        self.run, self.space, learner, exact = run, space, run.learner, space.exact
        self.exact, self.plain, self.model, self.rows, self.xs = exact, space.plain, space.model, space.rows, space.xs
        self.natural = weighted_rows(run.weight)
        self.present = list(range(run.rows.n_rows)) if self.natural is None else self.natural.tolist()
        self.targets = run.targets.tolist()
        if exact and learner.epsilon is not None:
            self.targets = [fraction(v) for v in np.ravel(np.asarray(y, dtype=object))]
        weight = None if run.weight is None else run.weight.tolist()
        self.weights = [fraction(v) for v in weight] if exact and weight is not None else weight
        self.rule = learner.rule.as_numbers(fraction if exact else float)
        self.pocket = None
        self.training_set = [(self.rows[i], self.targets[i]) for i in self.present]
        if learner.readout == "pocket":
            self.pocket = reference.Pocket(self.model, self.training_set if learner.ratchet else None)
        self.labels = [_label(v) for v in (self.targets if run.classes is None else run.classes[run.targets].tolist())]
        self.steps: list[Step] = []
        self.ledger: Ledger | None = None
        self.revisit: tuple[Revisit, int | None] | None = None  # and the class that was against the rest
        self.start = self.now = space.moment()
        self.norm2 = space.total2()
        self.watches = self._watches()
        self.agreement = ""  # with fit, where that rounds in another order

    def _watches(self) -> list[tuple[Revisits, int | None]]:
        """Who looks out for weights that come back: one, or one for each class against the rest."""
        learner = self.run.learner
        if learner.epsilon is not None:
            return []
        rows, codes, bias = self.space.watched(), self.run.targets.tolist(), self.space.bias
        if rows is None:
            return []
        state = self.space.state
        if learner.form == "ovr":
            return [
                (Revisits(rows, [int(code == c) for code in codes], bias, state(self.now, c)), c)
                for c in range(learner.n_vectors)
            ]
        return [(Revisits(rows, codes, bias, state(self.now, None), max(learner.n_vectors, 2)), None)]

    # ---- the two ways to run -------------------------------------------------------------------------------------

    def orders(self) -> Iterator[Sequence[int]]:
        """The rows in the order of each pass, as ``fit`` draws it."""
        rng, run = copy.deepcopy(self.run.rng), self.run
        while True:
            order = run.learner.order(run.rows, self.natural, run.spec.shuffle, rng)
            yield self.present if order is None else order.tolist()

    def natively(self, max_steps: int) -> Ending:
        """As many passes as the native learner makes; its verdict and bounds."""
        run = self.run
        native = copy.deepcopy(run.learner)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the trace says how it ended
            run.fit(native, copy.deepcopy(run.rng))
        if native.n_iter * len(self.present) > max_steps:
            raise _too_long(f"{native.n_iter:,} passes over {len(self.present):,} rows", max_steps)
        for number, order in zip(range(1, native.n_iter + 1), self.orders()):
            for _ in self.pass_over(number, order):
                pass
        if isinstance(self.space, KernelSpace):
            self.agreement = self._agreement(self.space, native)
        lower, upper = native.margin_bounds
        shown = wording.number(lower) if math.isfinite(lower) else ""
        capped = wording.above(upper) if math.isfinite(upper) else ""
        boundary = native.verdict == SEPARATED and bool(native.least.min() <= 0)
        return Ending(
            native.verdict, native.n_iter, native.n_updates, lower, upper, boundary, shown=shown, capped=capped,
            equal_rows=native.evidence.equal_rows,
        )  # fmt: skip

    def _agreement(self, space: KernelSpace, native: Any) -> str:
        """Whether the native learner, whose scores are rounded in blocks, decided the same everywhere."""
        mistakes, updates = sum(step.mistakes for step in self.steps), sum(step.updates for step in self.steps)
        counts = (sum(native.mistakes), native.n_updates)
        if counts == (mistakes, updates) and list(space.model.kept) == native.support.index.tolist():
            dual = space.dual(space.model.w)
            slack = math.sqrt(float(np.finfo(native.dtype).eps))
            if np.allclose(dual, native.dual("last").T, rtol=slack, atol=slack * float(np.abs(dual).max(initial=0.0))):
                return "The mistakes and updates are those of fit, which adds up the scores in blocks."
        made = [wording.several(n, noun) for n, noun in zip(counts, ("mistake", "update"))]
        return (
            "Some score lies within rounding of where the rule decides, and fit, which adds up the scores in blocks, "
            f"decided otherwise there: it made {made[0]} and {made[1]}, this trace {mistakes:,} and {updates:,}. The "
            "verdict and the bounds are those of fit."
        )

    def exactly(self, max_steps: int) -> Ending:
        """Until it is decided in exact numbers; a certificate ends it at once."""
        tol = None if self.run.spec.tol is None else fraction(self.run.spec.tol)
        end = ExactEnd(self.space, self.rule, self.training_set, self.present, tol)
        for number, order in zip(range(1, self.run.spec.max_iter + 1), self.orders()):
            if len(self.steps) + len(order) > max_steps:
                raise _too_long(f"pass {number}, and no end yet,", max_steps)
            first = len(self.steps)
            for step in self.pass_over(number, order):
                end.add(step)
                if self.revisit is not None and self._decides(*self.revisit):
                    end.look()
                    end.ending.n_iter, end.ending.verdict = number, NO_MARGIN
                    return end.ending
            done = self.steps[first:]
            mistakes, updates = sum(step.mistakes for step in done), sum(step.updates for step in done)
            if end.over(number, mistakes, updates, last=number == self.run.spec.max_iter):
                break
        return end.ending

    def _decides(self, revisit: Revisit, c: int | None) -> bool:
        """Whether the certificate leaves no weights that are right: under ties="predict" some may still be.

        There a row may lie on the boundary if the class that ``predict`` names on a tie is its own.
        """
        if self.model.ties == "mistake":
            return True
        for code, entry in zip(self.run.targets.tolist(), revisit.certificate):
            strict = entry[:code] if isinstance(entry, list) else [entry] if code == (1 if c is None else c) else []
            if any(strict):
                return True
        return False

    def pass_over(self, number: int, order: Sequence[int]) -> Iterator[reference.Step]:
        """One pass, recorded."""
        visits = reference.visits(self.model, self.rule, self.rows, self.targets, order, self.weights, self.pocket)
        for place, (i, step) in enumerate(visits, 1):
            moved = place == len(order) if self.model.batch else step.moves
            before = self.now
            if moved:
                self.now, self.norm2 = self.space.moment(), self.space.total2()
            self._watch(i, step, moved)
            self.steps.append(self._record(number, i, step, before, moved))
            yield step

    def _watch(self, i: int, step: reference.Step, moved: bool) -> None:
        for watch, c in self.watches:
            coef = step.coef if c is None else [step.coef[c]]
            watch.add(i, [exactly.number(reference.wide(a)) for a in coef] if step.moves else [0])
            revisit = watch.look(self.space.state(self.now, c)) if moved else None
            if revisit is not None and self.revisit is None:
                self.revisit = revisit, c

    # ---- the record ----------------------------------------------------------------------------------------------

    def prove(self, separator: Any) -> None:
        """Keep the books of the convergence proof with this separator."""
        learner = self.run.learner
        if learner.form == "regression":
            raise ValueError("a regression has no separator: leave it out")
        if learner.form == "ovr":
            raise ValueError(
                "one against the rest trains a perceptron for each class, which have no common separator: leave it "
                "out, or trace each class with y == label"
            )
        if not self.rule.additive:
            raise ValueError(
                f"no convergence proof is known of {type(self.rule).__name__} that a separator could show: leave it out"
            )
        number = fraction if self.exact else float
        examples = Examples(self.space, self.targets, self.weights, self.present, self.labels, learner.n_vectors)
        start = [number(v) for v in self.space.stacked(self.start)]
        self.ledger = Ledger(separator, examples, self.rule, learner.batch, start, number)

    def _record(self, number: int, i: int, step: reference.Step, before: Any, moved: bool) -> Step:
        plain, one = self.plain, self.space.one
        scores, gains = tuple(map(plain, step.scores)), tuple(map(plain, step.gains))
        proof = None
        if self.ledger is not None:
            inside = [fraction(v) if self.exact else v for v in self.space.stacked(self.now)]
            proof = self.ledger.entry(i, step, inside, moved)
            if self.exact:
                entries = {name: plain(v) if isinstance(v, Fraction) else v for name, v in vars(proof).items()}
                proof = dataclasses.replace(proof, **entries)
        return Step(
            number=len(self.steps) + 1, pass_number=number, row=i, x=self.xs[i], y=self.labels[i],
            score=one(scores), predicted=self._predicted(scores), margin=plain(step.margin),
            mistakes=0 if self.model.form == "regression" else step.mistakes, why=self._why(step),
            tau=gains if self.model.form == "ovr" else gains[0], coef=tuple(map(plain, step.coef)),
            updates=step.updates, norm2=self.norm2, proof=proof, **self.space.fields(before, self.now),
        )  # fmt: skip

    def _predicted(self, scores: tuple[Number, ...]) -> Any:
        classes = self.run.classes
        if classes is None:
            return scores[0]
        code = int(scores[0] > 0) if len(scores) == 1 else scores.index(max(scores))
        return _label(classes.tolist()[code])

    def _why(self, step: reference.Step) -> str:
        if self.model.form == "regression":
            return "outside the tube" if step.mistakes else ""
        if step.mistakes:
            wrong = "wrong class" if self.model.form == "multiclass" else "wrong sign"
            return wrong if step.margin < 0 else "tie"
        return "inside the margin" if step.moves else ""

    def record(self, ending: Ending, title: str, name: str) -> Trace:
        """The record with its closing sentences."""
        learner, run = self.run.learner, self.run
        if self.pocket is not None and ending.verdict == SEPARATED:
            self.pocket.separated(self.model, len(self.present))
        names = None if run.names is None else [str(name) for name in run.names]
        classes = None if run.classes is None else [_label(v) for v in run.classes.tolist()]
        mistakes = [0] * ending.n_iter
        for step in self.steps:
            mistakes[step.pass_number - 1] += step.mistakes
        setting = Setting(
            estimator=title, name=name, exact=self.exact, form=learner.form,
            fit_intercept=learner.fit_intercept, classes=classes, names=names, n_rows=len(self.xs),
            n_features=learner.n_features, start=run.start, kernel=self.space.kernel, x=self.space.x,
            constant=learner.intercept_scaling,
            **self.space.begins(self.start),
        )  # fmt: skip
        return Trace(
            steps=tuple(self.steps), setting=setting, verdict=ending.verdict, n_iter=ending.n_iter,
            n_updates=ending.n_updates, mistakes=[] if learner.epsilon is not None else mistakes,
            margin_bounds=(ending.lower, ending.upper), revisit=None if self.revisit is None else self.revisit[0],
            proved=closing.proved(self, ending, setting), bound=self._bound(),
            data=Data(tuple(self.xs), tuple(self.labels), tuple(self.present), self.space.function),
            **self.space.model_fields(self.pocket),
        )  # fmt: skip

    def _bound(self) -> Number | None:
        bound = None if self.ledger is None else self.ledger.bound
        return None if bound is None else self.plain(bound)


def _label(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
