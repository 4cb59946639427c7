"""The rules: how far to move on an example. A file for each kin says everything that is known of its rules.

A rule is a frozen dataclass: its parameters with their ranges, its step in plain Python (``native/rules.hpp`` has the
same compiled), the theorem of its paper, its formula, what it goes with. ``Rule`` has the defaults.

>>> from rosenblatt import rules
>>> rules.PA1(C=0.1)
PA1(C=0.1)
"""

from __future__ import annotations

from typing import Any, TypeGuard

from .arow import AROW, NHERD
from .confidence_weighted import CW, SCW
from .mira import MIRA, NormMIRA
from .passive_aggressive import PA, PA1, PA2
from .paum import PAUM
from .perceptron import Perceptron
from .rule import SHARES as SHARES
from .rule import Example as Example
from .rule import Rule
from .second_order import CONFIDENCES as CONFIDENCES
from .second_order import Shrink as Shrink
from .second_order_perceptron import SecondOrderPerceptron
from .theorems import MistakeTheorem as MistakeTheorem

__all__ = [
    "AROW", "CW", "MIRA", "NHERD", "PA", "PA1", "PA2", "PAUM", "SCW", "NormMIRA", "Perceptron", "Rule",
    "SecondOrderPerceptron",
]  # fmt: skip

#: The table of rules.
ALL: tuple[type[Rule], ...] = (
    Perceptron, PAUM, PA, PA1, PA2, MIRA, NormMIRA, SecondOrderPerceptron, CW, AROW, SCW, NHERD,
)  # fmt: skip
#: The same by their names in model files, and on the command line and the page.
BY_NAME = {kind.__name__: kind for kind in ALL}
BY_OPTION = {kind.option: kind for kind in ALL}


def checked(rule: Any) -> Rule:
    """The rule that a parameter asks for, None for Rosenblatt's; refuses what is no rule, or none for one example."""
    if rule is None:
        return Perceptron()
    if is_rule(rule) and rule.online:
        return rule
    known = ", ".join(f"rules.{name}(…)" for name in BY_NAME)
    raise ValueError(f"rule must be one of {known}, or of another subclass of rules.Rule; got {rule!r}")


def is_rule(value: Any) -> TypeGuard[Rule]:
    """Whether it is a rule, of the table or not."""
    return isinstance(value, Rule)


def stored_name(rule: Rule) -> str:
    """Its name in model files, which hold rules of the table alone."""
    name = type(rule).__name__
    if BY_NAME.get(name) is not type(rule):
        raise TypeError(f"a model file holds rules of rosenblatt.rules, and {name} is not among them")
    return name
