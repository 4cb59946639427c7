"""The convergence proof, kept step by step beside a run: what a separator u promises, and what comes true.

u need not have length 1. With z = y·x (and the bias feature where there is one; the class vectors stacked where there
are several, so that a z has norm √2·‖x‖; in the space of a kernel φ(x) for x), γ' = min u·z and R = max‖z‖:

- ``u·(w − w₀)`` grows by at least γ'·τ with each update, whatever the rule;
- ``‖w‖²`` grows by at most τ²R² + 2τm with each update of the perceptron (m is its margin, 0 if none is asked for);
- from w₀ = 0 the angle follows: ``cos(w, u) ≥ γ'·Σ τ/(‖u‖·√ceiling)``, which is γ√M/R after M equal steps;
- ``‖w − αu‖²`` falls by at least τ²R² with each update of the perceptron, α = (τ_max·R² + m)/γ'; for the
  passive-aggressive rules, with α = 1/γ', by at least 2Σ τ_r·ℓ_r − ‖Δw‖², which is τ(2ℓ − τ‖z‖²) where one class loses.

A batch learner moves once a pass, by the sum of its rows' steps: T, the sum of their τ, stands for τ then.

References: Novikoff (1962); Crammer et al. (2006), lemma 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core import reference, rules
from ..core.rules.theorems import Potential
from ..core.sums import total
from . import wording

if TYPE_CHECKING:
    from .kernel_space import KernelSpace
    from .space import LinearSpace

Number = Any  # Fraction or float


@dataclass(frozen=True)
class Proof:
    """What the proof says after a step; None where the theorem does not speak of the rule."""

    progress: Number  # u·(w − w₀)
    progress_floor: Number  # γ'·Σ τ
    norm2: Number  # ‖w‖²
    norm2_ceiling: Number | None
    cosine: float | None  # of the angle between w and u; None while w = 0
    cosine_floor: float | None
    distance: Number | None  # ‖w − αu‖²
    fall: Number | None  # by how much this step lowered it
    fall_floor: Number | None


@dataclass(frozen=True)
class Examples:
    """What is separated: rows in their space, codes, and the rows that have weight."""

    space: LinearSpace | KernelSpace
    codes: Sequence[int]
    weights: Sequence[Number] | None
    present: Sequence[int]
    labels: Sequence[Any]
    n_vectors: int

    def margins(self, w: Sequence[Sequence[Number]], b: Sequence[Number], i: int) -> list[Number]:
        """u·z of a row: one, or one for each wrong class."""
        scores, y = self.space.scores(w, b, i), self.codes[i]
        if len(scores) == 1:
            return [scores[0] if y == 1 else -scores[0]]
        return [scores[y] - s for r, s in enumerate(scores) if r != y]

    def radius2(self) -> Number:
        """R² = max‖z‖²."""
        return max(map(self.space.norm2, self.present)) * (2 if self.n_vectors > 1 else 1)


class Ledger:
    """The books of the proof during a run; ``entry`` makes one for each step."""

    def __init__(
        self,
        separator: tuple[list[list[Number]], list[Number]],
        examples: Examples,
        rule: rules.Rule,
        batch: bool,
        start: Sequence[Number],
        number: Callable[[Any], Number],
    ) -> None:
        self.examples, self.rule, self.batch, self.start = examples, rule, batch, start
        self.dot, self.bias = examples.space.dot, examples.space.bias
        self.w, self.b = separator
        self.u = examples.space.stacked((self.w, self.b))
        self.u2 = self.dot(self.u, self.u)
        self.gamma = least_margin(self.w, self.b, examples)
        self.R2 = examples.radius2()
        self.tau = self.pending = self.losses2 = self.pending_fall = number(0)
        self.updates = 0
        self.equal_steps: Number | None = None  # the size of all steps, while they are equal
        self.potential = rule.potential(batch)
        self.bounds_norm = self.potential is not None and self.potential.bounds_norm
        self.norm2_ceiling = self.dot(start, start) if self.bounds_norm else None
        self.alpha = self._alpha()
        self.first_distance = self.distance = self._distance(start)

    def _alpha(self) -> Number | None:
        if self.potential is None:
            return None
        weights = [1 if self.examples.weights is None else self.examples.weights[i] for i in self.examples.present]
        return self.potential.alpha(self.gamma, self.R2, total(weights) if self.batch else max(weights))

    def _distance(self, w: Sequence[Number]) -> Number | None:
        if self.alpha is None:
            return None
        gap = [a - self.alpha * c for a, c in zip(w, self.u)]
        return self.dot(gap, gap)

    def entry(self, row: int, step: reference.Step, w: Sequence[Number], moved: bool) -> Proof:
        """The books after a step that led to the weights w; ``moved`` is False while a batch waits."""
        if step.updates:
            self._count(row, step)
        before, floor = self.distance, self.pending_fall
        if moved:
            floor = self._move()
            self.distance = self._distance(w)
        else:
            floor = 0 * self.pending
        norm2 = self.dot(w, w)
        progress = self.dot(self.u, w) - self.dot(self.u, self.start)
        fall = None if before is None or self.distance is None else before - self.distance
        return Proof(
            progress, self.gamma * (self.tau - self.pending), norm2, self.norm2_ceiling, *self._cosine(w, norm2),
            self.distance, fall, None if fall is None else floor,
        )  # fmt: skip

    def _count(self, row: int, step: reference.Step) -> None:
        gain = step.gains[0]
        self.updates += 1
        self.equal_steps = gain if self.updates == 1 or self.equal_steps == gain else None
        self.tau += gain
        self.pending += gain
        self.losses2 += max(1 - step.margin, 0) ** 2
        if self.potential is not None:
            moved2 = total(reference.wide(a) ** 2 for a in step.coef) * self.examples.space.norm2(row)
            gained = total((1 - margin) * tau for margin, tau in self._losers(row, step))
            self.pending_fall += 2 * gained - moved2

    def _losers(self, row: int, step: reference.Step) -> list[tuple[Number, Number]]:
        """Margin and step against each opponent."""
        if len(step.coef) == 1:
            return [(step.margin, step.gains[0])]
        y = self.examples.codes[row]
        return [(step.scores[y] - s, -reference.wide(step.coef[r])) for r, s in enumerate(step.scores) if r != y]

    def _move(self) -> Number:
        """The weights took the pending steps; by how much the distance must have fallen."""
        floor, T = self.pending_fall, self.pending
        if self.potential is not None:
            floor = self.potential.fall(T, self.R2, floor)
            if self.bounds_norm:
                self.norm2_ceiling += self.potential.growth(T, self.R2)
        self.pending = self.pending_fall = 0 * T
        return floor

    def _cosine(self, w: Sequence[Number], norm2: Number) -> tuple[float | None, float | None]:
        if norm2 == 0:
            return None, None
        length = wording.square_root(self.u2)
        cosine = wording.nearest(self.dot(self.u, w)) / (length * wording.square_root(norm2))
        if not self.norm2_ceiling or any(self.start) or self.pending:
            return cosine, None
        floor = wording.nearest(self.gamma * self.tau) / (length * wording.square_root(self.norm2_ceiling))
        return cosine, floor

    # ---- in words ------------------------------------------------------------------------------------------------

    def proved(self, last: Proof | None) -> list[str]:
        """What the separator has proved of the run."""
        sentences = [self._separator_in_words()]
        if last is None or not self.updates:
            return sentences
        sentences.append(self._grew(last))
        if self.potential is not None:
            sentences.append(self._fell(last, self.potential))
            sentences += self._bound_in_words(self.potential)
            if self.potential.bounds_losses and not any(self.start):
                losses2, bound = wording.about(self.losses2), wording.about(self.R2 * self.u2 / self.gamma**2)
                sentences.append(f"Crammer et al.: Σ ℓ² = {losses2} ≤ (R/γ)² = {bound}.")
        return sentences

    @property
    def _w(self) -> str:
        """What the weights are called: v where they go with their biases."""
        return "v" if self.bias else "w"

    def _separator_in_words(self) -> str:
        several, bias, x = self.examples.n_vectors > 1, self.bias, self.examples.space.image
        z = f"z = {x} of the right class and −{x} of a wrong one" if several else f"z = y·{x}"
        margin, R2 = wording.about_root(self.gamma**2 / self.u2), wording.about(self.R2)
        constant = "" if not bias or self.examples.space.constant == 1 else f"/{float(self.examples.space.constant):g}"
        names = f"v is (w, b{constant})" if bias else "w is" if several else ""
        names += (", " if bias else " ") + "the vectors of all classes" if several else ""
        return (
            f"The separator u{', its bias included,' if bias else ''} has min u·z = {wording.number(self.gamma)} for "
            f"{z}, so its margin is γ = {margin}; R² = max‖z‖² = {R2}." + (f" Here {names}." if names else "")
        )

    def _grew(self, last: Proof) -> str:
        w, compared = self._w, wording.compared
        T, claim = "τ", "Each update"
        if self.batch:
            T, claim = "T", "Each pass moves by the sum of its rows' steps; with T the sum of their τ, it"
        claim += f" adds at least {T}·min u·z to u·{w}"
        seen = f"u·({w} − {w}₀) = {compared(last.progress, '≥', last.progress_floor)}"
        if self.potential is not None and self.bounds_norm:
            claim += f" and at most {self.potential.growth_in_words(T)} to ‖{w}‖²"
            seen += f" and ‖{w}‖² = {compared(last.norm2, '≤', last.norm2_ceiling)}"
        if last.cosine_floor is not None and last.cosine is not None:
            seen += f", so cos({w}, u) = {wording.fixed(last.cosine)} ≥ {wording.fixed(last.cosine_floor)}"
        return f"{claim}: in the end {seen}."

    def _fell(self, last: Proof, potential: Potential) -> str:
        each, T = ("pass", "T") if self.batch else ("update", "τ")
        least = potential.fall_in_words(T, self._w)
        number, alpha = wording.number, "α" if self.examples.space.kernel is None else "ρ"
        return (
            f"Each {each} lowers ‖{self._w} − {alpha}u‖², {alpha} = {number(self.alpha)}, by at least {least}: it fell "
            f"from {number(self.first_distance)} to {number(last.distance)}."
        )

    @property
    def bound(self) -> Number | None:
        """So many updates at most, where they were equal steps of the perceptron; None: no theorem speaks of them."""
        step = self.equal_steps
        if self.potential is None or step is None or self.batch:
            return None
        gamma2_times = self.potential.updates_bound(step, self.R2)
        if gamma2_times is None:
            return None
        if any(self.start):
            return self.first_distance / (step * step * self.R2)
        return gamma2_times * self.u2 / self.gamma**2

    def _bound_in_words(self, potential: Potential) -> list[str]:
        """The bound on the number of updates, if there is one."""
        bound, w = self.bound, self._w
        if bound is None:
            return []
        M = wording.several(self.updates, "update")
        if any(self.start):
            return [f"From this start: {M} ≤ ‖{w}₀ − αu‖²/(ηR)² = {wording.about(bound)}."]
        name, quotient = potential.updates_bound_in_words()
        return [f"{name}: {M} ≤ {quotient} = {wording.about(bound)}."]


def least_margin(w: list[list[Number]], b: list[Number], examples: Examples) -> Number:
    """γ' = min u·z; refuses weights that do not separate."""
    least = None
    for i in examples.present:
        margin = min(examples.margins(w, b, i))
        if not margin > 0:
            x = examples.space.image if examples.space.kernel else "x"
            score = f"u·{x}" if examples.space.kernel else "(u·x + b)"
            what = f"y·{score}" if len(w) == 1 else f"the smallest (u_y − u_r)·{x}"
            raise ValueError(
                f"separator does not separate the rows: at row {i}, of class {examples.labels[i]!r}, {what} is "
                f"{wording.number(margin)}, and must be above 0"
            )
        least = margin if least is None or margin < least else least
    return least
