"""What can be proved of data and weights: margins, bounds, separability with certificates.

Certificates and the shortest vector of a hull are plain Python. The rest needs NumPy and SciPy, and is loaded when it
is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answer import Separability
    from .bounds import MistakeBound, mistake_bound
    from .margins import Margin, PerceptronLoss, distances, margin, perceptron_loss, radius
    from .separation import separability
    from .verification import Verification

__all__ = [
    "Margin",
    "MistakeBound",
    "PerceptronLoss",
    "Separability",
    "Verification",
    "distances",
    "margin",
    "mistake_bound",
    "perceptron_loss",
    "radius",
    "separability",
]

#: Where a name is defined, if not among the margins.
_HOMES = {
    "MistakeBound": "bounds",
    "Separability": "answer",
    "Verification": "verification",
    "mistake_bound": "bounds",
    "separability": "separation",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + _HOMES.get(name, "margins"), __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
