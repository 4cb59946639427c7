"""The perceptron with uneven margins: a margin for each class, so that a rare one can ask for more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ParameterError
from ..checks import check_finite, is_finite
from .perceptron import Perceptron
from .rule import SHARES, Control, Example, Number, Rule
from .theorems import EqualSteps, MistakeTheorem


@dataclass(frozen=True, eq=False, repr=False)
class PAUM(Rule):
    """The perceptron with uneven margins: a row of class y moves it while ``y·s ≤ m_y`` (several: ``s_y − s_r ≤ m_y``).

    Parameters
    ----------
    margins : tuple of float, default=(0.0, 1.0)
        The margin m ≥ 0 of each class, in the order of ``classes_``: with two classes that of the negative and that of
        the positive one. 0 updates on mistakes alone; a larger one for a rare class moves the boundary away from it.
        A stream has to name all its classes at the beginning.
    eta0 : float, default=1.0
        The step η > 0.

    References
    ----------
    Li, Zaragoza, Herbrich, Shawe-Taylor & Kandola (2002), "The perceptron algorithm with uneven margins".
    """

    margins: tuple[float, ...] = (0.0, 1.0)
    eta0: float = 1.0

    option, title = "paum", "PAUM"
    descriptions: ClassVar[dict[str, str]] = {
        "margins": "paum: for each class in sorted order, the score up to which right answers update (default: 0,1)",
        "eta0": Perceptron.descriptions["eta0"],
    }
    controls = (
        Control("margin_others", "Margin", "margin of all classes but the last", 0, 1000, 0.5),
        Control("margin_last", "Margin, last", "margin of the last class, the positive one of two", 0, 1000, 0.5),
        *(control for control in Perceptron.controls if control.name == "eta0"),
    )
    spaces = ("linear", "kernel")  # a sentence is of no class
    shares = tuple(share for share in SHARES if share != "ovr")
    shares_reason = "which has no margin for a class against the rest"
    additive, divides_by_norm, short_in_fractions = True, False, True

    def __post_init__(self) -> None:
        check_finite("eta0", self.eta0, 0, strict=True)
        if not isinstance(self.margins, tuple):
            raise ParameterError(
                f"margins must be a tuple of numbers, one for each class; got {self.margins!r}", "margins"
            )
        if len(self.margins) < 2 or not all(is_finite(margin) and margin >= 0 for margin in self.margins):
            given = ", ".join(map(str, self.margins))
            raise ParameterError(f"margins must be two or more finite numbers >= 0, got {given}", "margins")

    def _perceptron(self, margin: Number) -> Perceptron:
        return Perceptron(self.eta0, margin)

    @property
    def _widest(self) -> Perceptron:
        """The perceptron of the largest margin, whose bounds hold for all."""
        return self._perceptron(max(self.margins))

    def step(self, e: Example) -> Number:
        """That of the perceptron with the margin of the row's class."""
        return self._perceptron(self.margins[e.y]).step(e)

    def spread(self, e: Example, share: str) -> list[Number]:
        """That of the perceptron with the margin of the row's class."""
        return self._perceptron(self.margins[e.y]).spread(e, share)

    def native(self, share: str) -> tuple[object, ...]:
        return ("PAUM", float(self.eta0), share, *map(float, self.margins))

    def check_classes(self, n_classes: int) -> None:
        if n_classes not in (0, len(self.margins)):
            stream = "; a stream must know all its classes from the beginning: {classes}"
            raise ParameterError(
                f"PAUM has {len(self.margins)} margins, and there {_classes(n_classes)}: give one for each, {{margins}}"
                + (stream if n_classes < len(self.margins) else ""),
                "margins", margins=..., classes=...,
            )  # fmt: skip

    @classmethod
    def from_controls(cls, values: Mapping[str, Any], n_classes: int) -> PAUM:
        parameters, (others, last) = dict(values), cls().margins
        others, last = parameters.pop("margin_others", others), parameters.pop("margin_last", last)
        return cls(margins=(others,) * (n_classes - 1) + (last,), **parameters)

    def control_value(self, name: str) -> Any:
        places = {"margin_others": 0, "margin_last": -1}
        return self.margins[places[name]] if name in places else super().control_value(name)

    @property
    def step_factor(self) -> float:
        return self.eta0

    @property
    def unit_steps(self) -> bool:
        return self._widest.unit_steps

    def mistake_theorem(self, R2: Any, gamma: Any, two: str, batch_rows: int | None = None) -> MistakeTheorem:
        """The perceptron's with the largest margin m: each update adds at most η²R² + 2ηm to ‖w‖²."""
        theorem = self._widest.mistake_theorem(R2, gamma, two, batch_rows)
        return theorem._replace(words=f"{theorem.words}, m the largest margin") if theorem.of_updates else theorem

    @property
    def bounds_one_pass(self) -> bool:
        return self._widest.bounds_one_pass

    def potential(self, batch: bool) -> EqualSteps:
        return _LargestMargin(self.eta0, max(self.margins))

    def moves_below(self, y: int) -> tuple[str, Number]:
        return "≤", self.margins[y]

    def formula(self, several: bool) -> str:
        return "«τ» = «η» = {}"


class _LargestMargin(EqualSteps):
    """Steps of size η while the margin is at most that of the row's class, and so at most the largest."""

    def updates_bound_in_words(self) -> tuple[str, str]:
        name, quotient = super().updates_bound_in_words()
        return f"{name}, m the largest margin" if self.margin else name, quotient


def _classes(n: int) -> str:
    return "is 1 class" if n == 1 else f"are {n} classes"
