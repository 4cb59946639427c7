"""The learners in plain Python: the specification, the oracle of the tests, and what a trace runs.

Numbers may be of any type: ``float``, ``int``, ``Fraction`` (no rounding at all) or NumPy's ``float32``. With
floats the native core gives the same bits, because both sum a score in 16 lanes (feature j in lane j mod 16),
add the lanes in a halving tree and the bias last; a rule computes in double precision and its step is rounded
once to the type of the weights.

Degenerate cases, decided here once:

- A score of 0 is a mistake for either class (``ties="mistake"``), or what ``predict`` says, the first class
  (``ties="predict"``). Several classes: a tie with a wrong class is a mistake, or one only if that class comes first.
- A row of zeros without a bias: the perceptron's mistake on it is an update that changes nothing (it still counts in
  ``Σ τ``, and rightly: no margin is possible); a passive-aggressive step on it is 0.
- NaN and infinity never come here: whoever reads data refuses them.

>>> from rosenblatt.core import reference, rules
>>> model = reference.Model("binary", n_features=2, fit_intercept=False)
>>> for x, y in [((1, 3), 1), ((2, 3), 0), ((-3, 1), 1), ((1, -1), 0)]:
...     step = model.visit(rules.Perceptron(eta0=1), x, y)
...     print(step.score, step.moves, model.w[0])
0 True [1, 3]
11 True [-1, 0]
3 False [-1, 0]
-1 False [-1, 0]
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from . import confidence, exact, rules
from .rules import Example

Number = Any  # int, float, Fraction or a NumPy scalar
LANES = 16


def dot(x: Sequence[Number], w: Sequence[Number]) -> Number:
    """Sum of products in 16 lanes and a halving tree: the order of addition that fixes the bits."""
    lanes: list[Number] = [type(x[0])(0) if len(x) else 0] * LANES
    for j, (a, b) in enumerate(zip(x, w)):
        lanes[j % LANES] = lanes[j % LANES] + a * b
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] = lanes[lane] + lanes[lane + half]
        half //= 2
    return lanes[0]


def wide(value: Number) -> Number:
    """A NumPy scalar as a Python number, so that rules compute in double precision; anything else as it is."""
    return value.item() if hasattr(value, "item") else value


# ---- models and their readouts -------------------------------------------------------------------------------


@dataclass
class Step:
    """What one visit did: the scores before it, the coefficients a_r of W_r += a_r·x, and what the classes gained."""

    scores: list[Number]
    margin: Number
    mistakes: int  # 0 or 1; one-against-the-rest counts one per class
    coef: list[Number]
    gains: list[Number]  # one; one-against-the-rest has one per class
    updates: int
    #: Of a rule that keeps a Σ, for which W_r += a_r·Σ_r·x: xᵀΣx, one; one-against-the-rest has one per class,
    v: list[Number] = field(default_factory=list)
    shrinks: list[tuple[str, Number] | None] = field(default_factory=list)  # and how the Σ of each becomes smaller

    @property
    def score(self) -> Number:
        return self.scores[0]

    @property
    def moves(self) -> bool:
        return self.updates > 0


class Model:
    """Weights and the learning of one example.

    Parameters
    ----------
    form : {"binary", "multiclass", "ovr", "regression"}
        One vector for two classes (targets 0 and 1), one per class, one per class against the rest, or one for numbers.
    n_features, n_classes : int
        ``n_classes`` counts the weight vectors: 1 for "binary" and "regression".
    fit_intercept : bool
        Learn a bias, the weight of a constant feature.
    constant : number
        That feature. The bias ``b`` is its weight times it, what a score adds: a step a·x moves b by a times its
        square, which also counts in ‖x‖².
    ties : {"mistake", "predict"}
        Whether a tie is a mistake for either class or whatever ``predict`` says.
    share : {"max", "uniform", "proportional"}
        Which wrong classes lose what the right one gains.
    epsilon : number
        Half-width of the zone in which a regression is right.
    number : callable
        Type of the weights: ``int``, ``float``, ``Fraction``, ``numpy.float32``.
    batch : bool
        Steps wait until ``end_batch`` and are taken together.
    """

    def __init__(
        self,
        form: str,
        n_features: int,
        n_classes: int = 1,
        *,
        fit_intercept: bool = True,
        constant: Number = 1,
        ties: str = "mistake",
        share: str = "max",
        epsilon: Number = 0,
        number: Callable[[Any], Number] = lambda value: value,
        batch: bool = False,
    ) -> None:
        self.form, self.ties, self.share, self.epsilon = form, ties, share, epsilon
        self.number, self.batch = number, batch
        self.constant2 = number(constant * constant if fit_intercept else 0)
        self.w = [[number(0)] * n_features for _ in range(n_classes)]
        self.b = [number(0)] * n_classes
        self.visited = 0
        nothing = wide(number(0))
        self.total_w: list[list[Number]] = [[nothing] * n_features for _ in range(n_classes)]  # Σ (t − 1)·Δ_t
        self.total_b: list[Number] = [nothing] * n_classes
        self.gradient_w = copy.deepcopy(self.w)
        self.gradient_b = list(self.b)
        self.sure: confidence.Confidence | None = None  # what a second-order rule keeps, from its first example on

    def scores(self, x: Sequence[Number]) -> list[Number]:
        return [wide(dot(x, w) + b) for w, b in zip(self.w, self.b)]

    def norm2(self, x: Sequence[Number]) -> Number:
        """‖x‖², the bias feature included."""
        return wide(dot(x, x) + self.constant2)

    def visit(self, rule: rules.Rule, x: Sequence[Number], y: Number, weight: Number = 1) -> Step:
        """Score the example, judge it, and take the rule's step."""
        step = self.consider(rule, x, y, weight)
        self.visited += 1
        for c, a in enumerate(step.coef):
            shrink = step.shrinks[c] if step.shrinks else None
            if a != 0 and shrink is not None and self.sure is not None:
                self.sure.learn(self, c, a, x, shrink, step.scores[c])
            elif a != 0:
                self._add(c, a, x)
        return step

    def lanes(self, x: Sequence[Number], w: Sequence[Number]) -> Number:
        """``dot``, of rows of no features too."""
        return dot(x, w) if len(x) else self.number(0)

    def variances(self, rule: rules.Rule, x: Sequence[Number]) -> list[Number]:
        """xᵀΣx of each class, of a rule that keeps a Σ; else none."""
        if rule.keeps is None:
            return []
        if self.sure is None:
            self.sure = confidence.kept(rule, self)
        return [wide(self.sure.v(self, x, c)) for c in range(len(self.w))]

    def consider(self, rule: rules.Rule, x: Sequence[Number], y: Number, weight: Number = 1) -> Step:
        scores, A = self.scores(x), self.norm2(x)
        if rule.keeps is not None:
            return self._surely(rule, scores, A, int(y), weight, self.variances(rule, x))
        judge = {"multiclass": self._against_rivals, "regression": self._against_number}.get(
            self.form, self._against_zero
        )
        return judge(rule, scores, A, y, weight)

    def _against_zero(
        self, rule: rules.Rule, scores: list[Number], A: Number, target: int, weight: Number, v: Sequence[Number] = ()
    ) -> Step:
        """One vector for y = ±1, or each class's vector against the rest."""
        step = Step(scores, math.inf, 0, [], [], 0)
        for c, s in enumerate(scores):
            y = 1 if target == (1 if self.form == "binary" else c) else -1
            margin = y * s
            wrong = margin < 0 or (margin == 0 and (self.ties == "mistake" or y == 1))
            e = Example(margin, 1 - margin, wrong, weight, A, A, y=target, v=v[c] if v else 0)
            tau = self.number(rule.step(e))
            if v and confidence.is_exhausted(tau):
                tau = self.number(0)
            if v:
                step.shrinks.append(rule.shrink(e, wide(tau)) if tau != 0 else None)
            step.margin = min(step.margin, margin)
            step.mistakes += wrong
            step.updates += bool(tau > 0)
            step.coef.append(y * tau)
            step.gains.append(wide(tau))
        return step

    def _against_rivals(self, rule: rules.Rule, scores: list[Number], A: Number, y: int, weight: Number) -> Step:
        e = self._judged(scores, A, y, weight)
        return self._played(rule, e)

    def _judged(self, scores: list[Number], A: Number, y: int, weight: Number) -> Example:
        """An example of class y against its rival, the best wrong class."""
        rival = max((r for r in range(len(scores)) if r != y), key=lambda r: (scores[r], -r))
        margin = scores[y] - scores[rival]
        wrong = margin < 0 or (margin == 0 and (self.ties == "mistake" or rival < y))
        return Example(margin, 1 - margin, wrong, weight, A, 2 * A, scores, y, rival)

    def _played(self, rule: rules.Rule, e: Example) -> Step:
        """What the rule makes of an example that is judged against its rival."""
        coef = [self.number(a) for a in rule.spread(e, self.share)]
        exhausted = rule.keeps is not None and confidence.is_exhausted(coef[e.y])
        if not coef[e.y] > 0 or exhausted:  # rounding left nothing to gain
            coef = [self.number(0)] * len(coef)
        return Step(e.scores, e.margin, int(e.wrong), coef, [wide(coef[e.y])], int(coef[e.y] > 0))

    def _surely(
        self, rule: rules.Rule, scores: list[Number], A: Number, y: int, weight: Number, v: list[Number]
    ) -> Step:
        """Of a rule that keeps a Σ: the same judgement, with xᵀΣx of the classes that play."""
        if self.form == "multiclass":
            e = self._judged(scores, A, y, weight)
            e.v = v[y] + v[e.rival]
            step = self._played(rule, e)
            step.shrinks = [rule.shrink(e, step.gains[0]) if a != 0 else None for a in step.coef]
            step.v = [e.v]
        else:
            step = self._against_zero(rule, scores, A, y, weight, v)
            step.v = v
        return step

    def _against_number(self, rule: rules.Rule, scores: list[Number], A: Number, y: Number, weight: Number) -> Step:
        loss = abs(scores[0] - y) - self.epsilon
        tau = self.number(rule.step(Example(0, loss, False, weight, A, A)))
        return Step(scores, 0, int(loss > 0), [tau if y > scores[0] else -tau], [wide(tau)], int(tau > 0))

    def _add(self, c: int, a: Number, x: Sequence[Number]) -> None:
        w, b = (self.gradient_w, self.gradient_b) if self.batch else (self.w, self.b)
        for j, value in enumerate(x):
            old, w[c][j] = w[c][j], w[c][j] + a * value
            self.total_w[c][j] = self.total_w[c][j] + (self.visited - 1) * (wide(w[c][j]) - wide(old))
        old, b[c] = b[c], b[c] + a * self.constant2
        self.total_b[c] = self.total_b[c] + (self.visited - 1) * (wide(b[c]) - wide(old))

    def put(self, c: int, j: int | None, value: Number) -> None:
        """Let a weight, or a bias (j is None), have a new value, with what the averaged readout makes of the change."""
        held, total = (self.b, self.total_b) if j is None else (self.w[c], self.total_w[c])
        place = c if j is None else j
        old, held[place] = held[place], value
        total[place] = total[place] + (self.visited - 1) * (wide(value) - wide(old))

    def end_batch(self) -> None:
        """Take the summed step of the batch learner."""
        for c, gradient in enumerate(self.gradient_w):
            self.w[c] = [w + g for w, g in zip(self.w[c], gradient)]
            self.b[c] = self.b[c] + self.gradient_b[c]
        self.gradient_w = [[self.number(0)] * len(w) for w in self.w]
        self.gradient_b = [self.number(0)] * len(self.b)

    def averaged(self) -> tuple[list[list[Number]], list[Number]]:
        """The mean of the weights after each visited example: ``w − (Σ (t − 1)·Δ_t)/t``."""
        t = self.visited
        w = [[wide(v) - u / t for v, u in zip(ws, us)] for ws, us in zip(self.w, self.total_w)]
        return w, [wide(v) - u / t for v, u in zip(self.b, self.total_b)]


class KernelModel(Model):
    """Weights in the space of a kernel, kept as the updates that they are a sum of: ``s = Σ a·K(x_j, x)``.

    Parameters
    ----------
    kernel : callable
        K(x, x') of two examples, which may be anything that it takes; a bias is a kernel with 1 added.
    form, n_classes, ties, share, number
        As those of a Model.

    Examples
    --------
    >>> from rosenblatt.core import reference, rules
    >>> conic = reference.KernelModel(lambda x, z: (x[0] * z[0] + x[1] * z[1] + 1) ** 2, "binary")
    >>> for x, y in [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 0)]:
    ...     step = conic.visit(rules.Perceptron(eta0=1), x, y)
    ...     print(step.score, step.coef)
    0 [-1]
    -1 [1]
    0 [1]
    7 [-1]
    """

    def __init__(self, kernel: Callable[[Any, Any], Number], form: str, n_classes: int = 1, **options: Any) -> None:
        super().__init__(form, 0, n_classes, fit_intercept=False, **options)
        self.kernel = kernel
        self.history: list[tuple[Any, list[Number], int]] = []  # example, coefficients, when (from 1)

    def norm2(self, x: Any) -> Number:
        return wide(self.kernel(x, x))

    def scores(self, x: Any) -> list[Number]:
        return self.weighed(x, [1] * len(self.history))

    def weighed(self, x: Any, shares: Sequence[Number]) -> list[Number]:
        """Scores by the updates, each times its share."""
        total = [self.number(0)] * len(self.b)
        for (other, coef, _), share in zip(self.history, shares):
            value = self.kernel(other, x)
            total = [s + share * a * value for s, a in zip(total, coef)]
        return [wide(s) for s in total]

    def visit(self, rule: rules.Rule, x: Any, y: Number, weight: Number = 1) -> Step:
        step = self.consider(rule, x, y, weight)
        self.visited += 1
        if step.moves:
            self.history.append((x, step.coef, self.visited))
        return step

    def averaged_scores(self, x: Any) -> list[Number]:
        """Scores by the mean of the weights after each visited example: an update counts from when it was made."""
        return self.weighed(x, [1 - (time - 1) / self.visited for _, _, time in self.history])

    def votes(self, x: Any) -> list[int]:
        """Votes of all weight vectors, each for what it would predict, as often as it survived an example.

        The example that made it counts. Two classes, or one against the rest: +1 or −1 for each vector; else one for
        the class of the largest score, the first of equals.
        """
        k = len(self.b)
        totals, scores, updates = [0] * k, [self.number(0)] * k, {time: (z, coef) for z, coef, time in self.history}
        for time in range(1, self.visited + 1):
            if time in updates:
                other, coef = updates[time]
                value = self.kernel(other, x)
                scores = [s + a * value for s, a in zip(scores, coef)]
            if self.form == "multiclass":
                totals[max(range(k), key=lambda r: (scores[r], -r))] += 1
            else:
                totals = [total + (1 if s > 0 else -1) for total, s in zip(totals, scores)]
        return totals


class BudgetModel(KernelModel):
    """Weights in the space of a kernel that are a sum of at most ``budget`` examples, however long the run.

    The examples kept stand in slots. A new one takes the next slot, or once all are taken the slot of the one that
    gives way. An example that comes again is another one.

    Parameters
    ----------
    kernel, form, n_classes, ties, share, number
        As those of a KernelModel.
    budget : int
        How many examples are kept at most.
    policy : {"random", "forgetron", "projectron", "projectron++"}
        Which example is evicted. The Forgetron and the Projectron++ are for Rosenblatt's rule with steps of 1, the
        Forgetron for two classes and K(x, x) ≤ 1.
    eta : number
        The largest norm that a projection may lose.
    draw : callable
        ``draw(n)`` is a number of 0 … n − 1, for "random".

    Examples
    --------
    >>> from rosenblatt.core import reference, rules
    >>> line = reference.BudgetModel(lambda x, z: x * z + 1, "binary", budget=2, policy="projectron", eta=0)
    >>> for x, y in [(1, 1), (3, 0), (2, 1)]:
    ...     step = line.visit(rules.Perceptron(eta0=1), x, y)
    ...     print(step.score, line.dual)
    0 [[1]]
    4 [[1], [-1]]
    -4 [[Fraction(3, 2)], [Fraction(-1, 2)]]
    """

    def __init__(
        self,
        kernel: Callable[[Any, Any], Number],
        form: str,
        n_classes: int = 1,
        *,
        budget: int,
        policy: str = "random",
        eta: Number = 0.1,
        draw: Callable[[int], int] = random.randrange,
        **options: Any,
    ) -> None:
        super().__init__(kernel, form, n_classes, **options)
        self.budget, self.policy, self.eta, self.draw = budget, policy, eta, draw
        self.mistakes = 0  # the Forgetron's M
        self.Q: Number = 0  # and what its removals have cost so far

    @property
    def dual(self) -> list[list[Number]]:
        """Coefficients of the examples kept, slot by slot."""
        return [coef for _, coef, _ in self.history]

    def visit(self, rule: rules.Rule, x: Any, y: Number, weight: Number = 1) -> Step:
        step = self.consider(rule, x, y, weight)
        self.visited += 1
        if step.moves:
            {"random": self._random, "forgetron": self._forgetron}.get(self.policy, self._project)(x, step.coef)
        elif self.policy == "projectron++" and step.margin < 1:
            step = self._margin_step(x, int(y), step)
        return step

    def _keep(self, x: Any, coef: list[Number], slot: int | None = None) -> None:
        """In the next slot, or in that of one that gives way."""
        if slot is None:
            self.history.append((x, coef, self.visited))
        else:
            self.history[slot] = (x, coef, self.visited)

    def _random(self, x: Any, coef: list[Number]) -> None:
        """Cavallanti, Cesa-Bianchi & Gentile (2007): once there are B, one of them at random gives way."""
        self._keep(x, coef, self.draw(self.budget) if len(self.history) == self.budget else None)

    def _forgetron(self, x: Any, coef: list[Number]) -> None:
        """Dekel, Shalev-Shwartz & Singer (2008), the self-tuned Forgetron: all shrink by φ, the oldest is removed."""
        self.mistakes += 1
        if len(self.history) < self.budget:
            self._keep(x, coef)
            return
        slot = min(range(self.budget), key=lambda j: self.history[j][2])
        oldest, (alpha,), _ = self.history[slot]
        sigma, sign = abs(alpha), 1 if alpha > 0 else -1
        after = self.scores(oldest)[0] + coef[0] * self.kernel(x, oldest)  # f' = f + y·K(x, ·) of the oldest
        mu = sign * after
        # Ψ(σφ, φμ) + Q ≤ (15/32)·M, where Ψ(λ, μ) = λ² + 2λ − 2λμ
        square, linear, constant = sigma**2 - 2 * sigma * mu, 2 * sigma, self.Q - self.mistakes * 15 / 32
        phi: Number = 1
        if square + linear + constant > 0:  # < 0 at φ = 0, so that one root lies between
            phi = -2 * constant / (linear + math.sqrt(linear**2 - 4 * square * constant))
        self.Q = self.Q + square * phi**2 + linear * phi
        self.history = [(z, [phi * a for a in other], time) for z, other, time in self.history]
        self._keep(x, [phi * a for a in coef], slot)

    def _span(self, x: Any) -> tuple[list[Number], Number]:
        """How x is best made of the examples kept, ``c = K⁻¹k``, and ``δ = K(x, x) − c·k``, the square of the rest.

        Orabona, Keshet & Caputo (2009), on the practical computation of the projection.
        """
        kept = [z for z, _, _ in self.history]
        k = [self.kernel(z, x) for z in kept]
        c = _solution([[self.kernel(z, other) for other in kept] for z in kept], k)
        return c, self.norm2(x) - sum(a * b for a, b in zip(c, k))

    def _project(self, x: Any, coef: list[Number]) -> None:
        """Orabona et al. (2009), the Projectron: projected if that loses a norm of η at most, ‖a‖·√δ ≤ η; else kept.

        Once the budget is full, always projected.
        """
        c, delta = self._span(x)
        if delta * sum(a * a for a in coef) <= self.eta**2 or len(self.history) == self.budget:
            self._spread(c, coef)
        else:
            self._keep(x, coef)

    def _spread(self, c: list[Number], coef: list[Number]) -> None:
        """The step is taken by the examples kept, each its share."""
        self.history = [
            (z, [a + share * b for a, b in zip(other, coef)], time) for share, (z, other, time) in zip(c, self.history)
        ]

    def _margin_step(self, x: Any, y: int, step: Step) -> Step:
        """Orabona et al. (2009), the Projectron++: right, but with a loss ℓ = 1 − margin above ‖δ‖/η.

        It moves by ``τ = min(ℓ/‖Px‖², 2(ℓ − ‖δ‖/η)/‖Px‖², 1)`` along the projection Px. Several classes by Kesler's
        construction: the direction is that of the right class against its rival, whose squared norms are twice x's.
        """
        c, delta = self._span(x)
        rival = max((r for r in range(len(step.scores)) if r != y), key=lambda r: (step.scores[r], -r), default=0)
        coef: list[Number] = [1 if r == y else -1 if r == rival else 0 for r in range(len(step.scores))]
        if self.form == "binary":
            coef = [1 if y == 1 else -1]
        twice = sum(a * a for a in coef)  # 1, or 2 against a rival
        lost, norm2 = math.sqrt(max(0, twice * delta)), twice * (self.norm2(x) - delta)
        room = 1 - step.margin - (lost / self.eta if lost else 0) if self.eta or not lost else -1
        if not (room > 0 and norm2 > 0):
            return step
        tau = min((1 - step.margin) / norm2, 2 * room / norm2, 1)
        coef = [tau * a for a in coef]
        self._spread(c, coef)
        return replace(step, coef=coef, gains=[tau], updates=1)


def _solution(A: list[list[Number]], b: list[Number]) -> list[Number]:
    """The x of A·x = b, exact where the numbers are."""
    if all(isinstance(value, (int, Fraction)) for row in (*A, b) for value in row):
        return (exact.solve(A, b) or []) if b else []
    import numpy as np  # what a trace runs does without it

    return list(np.linalg.solve(np.array(A, dtype=float), np.array(b, dtype=float)).tolist())


class Pocket:
    """The weights with the longest run of right answers; with a training set, replaced only by strictly better ones."""

    def __init__(self, model: Model, ratchet_on: Sequence[tuple[Sequence[Number], int]] | None = None) -> None:
        self.training_set = ratchet_on
        self.best_run = self.run = 0
        self.keep(model)

    def keep(self, model: Model) -> None:
        self.w, self.b, self.holds_current = copy.deepcopy(model.w), list(model.b), True
        self.errors = self.count(model)

    def count(self, model: Model) -> int:
        return sum(model.consider(rules.Perceptron(), x, y).mistakes for x, y in self.training_set or ())

    def separated(self, model: Model, n_rows: int) -> None:
        """The weights were scored on so many rows, all there are, and are right: the run ends, and leaves them."""
        self.keep(model)
        self.run = self.best_run = max(self.run, n_rows)

    def before(self, model: Model, step: Step) -> None:
        """Note a step, with the weights as they were before it."""
        if step.mistakes == 0:
            self.run += 1
            if self.run > self.best_run and (
                self.holds_current or self.training_set is None or self.count(model) < self.errors
            ):
                if not self.holds_current:
                    self.keep(model)
                self.best_run = self.run
        if step.mistakes or step.moves:
            self.run = 0
            self.holds_current = self.holds_current and not step.moves


def passes(
    model: Model,
    rule: rules.Rule,
    rows: Sequence[Sequence[Number]],
    targets: Sequence[Number],
    orders: Iterable[Sequence[int]],
    weights: Sequence[Number] | None = None,
    pocket: Pocket | None = None,
) -> Iterator[list[Step]]:
    """Run one pass in each of the orders, yielding its steps."""
    for order in orders:
        yield [step for _, step in visits(model, rule, rows, targets, order, weights, pocket)]


def visits(
    model: Model,
    rule: rules.Rule,
    rows: Sequence[Sequence[Number]],
    targets: Sequence[Number],
    order: Sequence[int],
    weights: Sequence[Number] | None = None,
    pocket: Pocket | None = None,
) -> Iterator[tuple[int, Step]]:
    """Run one pass, yielding each row's number and step once it is learned; a batch moves with its last row."""
    for place, i in enumerate(order, 1):
        v = 1 if weights is None else weights[i]
        if pocket is not None:
            pocket.before(model, model.consider(rule, rows[i], targets[i], v))
        step = model.visit(rule, rows[i], targets[i], v)
        if model.batch and place == len(order):
            model.end_batch()
        yield int(i), step
