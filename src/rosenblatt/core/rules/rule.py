"""What every rule can be asked. Nothing is known and nothing is claimed of a rule that does not say so itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

from ...errors import ParameterError
from ..checks import is_finite
from .theorems import MistakeTheorem, Potential

Number = Any  # int, float, Fraction or a NumPy scalar

#: How the classes share a step when there are more than two; "ovr" trains one against the rest.
SHARES = ("max", "uniform", "proportional", "ovr")


@dataclass
class Example:
    """What a rule sees of an example: its scores judged, its norm and its weight v."""

    margin: Number  # y·s, or s_y − s_rival
    loss: Number  # 1 − margin; for regression |s − y| − ε
    wrong: bool
    weight: Number
    A: Number  # ‖x‖², the bias feature included
    norm2: Number  # of the direction of a step: A, or 2A against a rival
    scores: list[Number] = field(default_factory=list)
    y: int = 0  # the code of its class
    rival: int = 0
    v: Number = 0  # xᵀΣx, of a rule that keeps a covariance Σ; against a rival that of both classes


class Control(NamedTuple):
    """A parameter as the playground offers it: a number from ``low`` to ``high``."""

    name: str
    label: str
    title: str
    low: float
    high: float
    step: float


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """How far to move on an example: the base of all rules.

    A subclass is a frozen dataclass of its parameters with a ``step``. That much runs in ``rb.trace(…, exact=True)``;
    with ``native`` it runs in the compiled core. The rest says what is known of it, and by default nothing is: no
    bound, no proof, no verdict "no margin".

    >>> class Shy(Rule):
    ...     def step(self, e):
    ...         return e.weight if e.wrong else 0
    >>> Shy().mistake_theorem(R2=1, gamma=1, two="") is None
    True
    """

    #: Its name on the command line and on the page; "" for a rule that is not in the table.
    option: ClassVar[str] = ""
    #: Its published name, as the page lists it.
    title: ClassVar[str] = ""
    #: Its parameters in words, as the help of the command line lists them.
    descriptions: ClassVar[dict[str, str]] = {}
    #: Its parameters that the page offers.
    controls: ClassVar[tuple[Control, ...]] = ()
    #: The values of ``multiclass`` that it goes with.
    shares: ClassVar[tuple[str, ...]] = ("max", "ovr")
    #: Why not with the others.
    shares_reason: ClassVar[str] = "whose step fixes which classes move"
    #: The spaces that it goes with: where a step needs scores and ‖x‖ alone, all.
    spaces: ClassVar[tuple[str, ...]] = ("linear", "kernel", "sequence")
    #: Whether it has a step for numbers as targets.
    regression: ClassVar[bool] = False
    #: Whether it learns from one example at a time and needs nothing but weights, as an estimator's rule does.
    online: ClassVar[bool] = True
    #: Whether each update adds Σ τ_r·x to the right class and −τ_r·x to each class r, all τ_r ≥ 0 (two classes: τ·y·x).
    #: Then u·(w − w₀) ≥ γ·Σ τ for every separator u: that bounds the best margin from above and decides "no margin".
    additive: ClassVar[bool] = False
    #: Whether a step may be large because ‖x‖² is small. True is the careful answer.
    divides_by_norm: ClassVar[bool] = True
    #: Whether its steps of whole numbers stay short numbers, so that long exact runs take little time.
    short_in_fractions: ClassVar[bool] = False
    #: Whether its steps on fractions are fractions, so that a trace can be exact.
    rational: ClassVar[bool] = True
    #: What its parameter ``variant`` may be, where it has one.
    variants: ClassVar[tuple[str, ...]] = ()

    # ---- the step ------------------------------------------------------------------------------------------------

    def step(self, e: Example) -> Number:
        """τ ≥ 0 against one opponent; 0: no update."""
        raise NotImplementedError(f"{type(self).__name__} has no step: define step(self, e), which returns τ")

    def spread(self, e: Example, share: str) -> list[Number]:
        """What each class gains of x, several classes: by default the rival loses what the right class gains."""
        tau = self.step(e)
        return [tau if r == e.y else -tau if r == e.rival else 0 for r in range(len(e.scores))]

    @property
    def keeps(self) -> str | None:
        """What it keeps beside the weights: "diagonal", a variance of each, or "full", their covariance; None: nothing.

        A rule that keeps such sees ``v`` of an example and has ``shrink`` (``second_order.py``).
        """
        return None

    @property
    def prior(self) -> float:
        """Where it keeps such, 1/a: the inverse of the variance that a weight begins with."""
        return 1.0

    def shrink(self, e: Example, alpha: Number) -> tuple[str, Number]:
        """Where it keeps such, how that becomes smaller at a step α: the form, and its number."""
        raise NotImplementedError(f"{type(self).__name__} keeps no confidence")

    def shrink_formula(self) -> str:
        """The same in symbols «…»; "" where it keeps nothing."""
        return ""

    def update_formula(self) -> str:
        """What the weights become, two classes, in symbols «…»; a «τ» in it stands for its number."""
        return "«w» ← «w» + «τ»·«y»·«x»"

    def native(self, share: str) -> tuple[object, ...] | None:
        """The rule as the compiled core takes it: its name there and its numbers. None: it has no native step."""
        return None

    def as_numbers(self, number: Callable[[Any], Number]) -> Rule:
        """The rule with its parameters as numbers of this kind."""
        numbers = {name: number(value) for name, value in self.parameters.items() if is_finite(value)}
        several = {name: value for name, value in self.parameters.items() if isinstance(value, tuple)}
        return replace(self, **numbers, **{name: tuple(map(number, value)) for name, value in several.items()})

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # Written once, for all rules of the table: a dataclass compiles its own, which every command would wait for.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule) or type(other) is not type(self):
            return NotImplemented
        return self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash(tuple(self.parameters.values()))

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__qualname__}({parameters})"

    def check_fits(self, space: str, share: str, regression: bool) -> None:
        """Refuse what it does not go with."""
        name = type(self).__name__
        if share not in self.shares:
            others = " or ".join(self.shares)
            raise ParameterError(
                f"{{multiclass}} does not go with {name}, {self.shares_reason}; use {others}",
                "multiclass", multiclass=share,
            )  # fmt: skip
        if space not in self.spaces:
            raise ValueError(f"{name} has no step in {space} space; it goes with {' and '.join(self.spaces)} space")
        if regression and not self.regression:
            raise ValueError(f"{name} has no step for regression; the passive-aggressive rules have")

    def check_classes(self, n_classes: int) -> None:
        """Refuse a number of classes that its parameters are not for, before a run has them; 0: none is known yet."""

    # ---- on the page ---------------------------------------------------------------------------------------------

    @classmethod
    def from_controls(cls, values: Mapping[str, Any], n_classes: int) -> Rule:
        """The rule of these values of its controls, for so many classes; a control left out has its default."""
        return cls(**values)

    def control_value(self, name: str) -> Any:
        """The value of a control."""
        return self.parameters[name]

    # ---- what is known of it -------------------------------------------------------------------------------------

    @property
    def step_factor(self) -> float:
        """A parameter that every step is a multiple of (η); 1 where there is none."""
        return 1.0

    @property
    def unit_steps(self) -> bool:
        """Whether it moves by 1 on mistakes alone, which some budgets need."""
        return False

    @property
    def class_share(self) -> float:
        """What the first two class vectors are of the one vector of two classes: W = (−w, +w) times this."""
        raise ValueError(
            f"{type(self).__name__} does not say what two class vectors are of one (class_share), so that a run of two "
            "classes takes no third: name all classes at the beginning"
        )

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem | None:
        """The theorem that bounds its mistakes on rows that are separated with margin γ; None: none is known.

        Parameters
        ----------
        R2, gamma : float
            max‖z‖² and the margin of unit weights.
        two : {"", "2"}
            What R² is multiplied by in words: with several classes a step moves two vectors.
        batch_rows : int or None, default=None
            How many rows a batch learner sums; None: it learns one by one.
        """
        return None

    @property
    def bounds_one_pass(self) -> bool:
        """Whether Freund and Schapire's theorem bounds its mistakes in one pass over rows that are not separated."""
        return False

    @property
    def bounds_own_run(self) -> bool:
        """Whether a theorem bounds its mistakes in any run, by the examples that it erred on (``run_bound``)."""
        return False

    def potential(self, batch: bool) -> Potential | None:
        """What its convergence proof follows; None: no proof is known."""
        return None

    # ---- in words ------------------------------------------------------------------------------------------------

    def moves_below(self, y: int) -> tuple[str, Number] | None:
        """The margin at which right answers of class y move it too, as ("<", 1); None: that is not known."""
        return None

    def formula(self, several: bool) -> str:
        """τ in symbols «…», then {}, its number; «‖z‖²» is the squared norm of the direction of a step."""
        return "«τ» = {}"
