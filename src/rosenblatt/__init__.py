"""rosenblatt: the perceptron family, at native speed, honest about convergence.

Nothing heavy is loaded here: an estimator loads scikit-learn when it is first named.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import compat, conventions, data, distributed, plots, sequences, text
    from .core import rules
    from .estimators import (
        AROW,
        MIRA,
        SCW,
        AveragedPerceptron,
        BatchPerceptron,
        ConfidenceWeighted,
        KernelPerceptron,
        OnlineClassifier,
        PassiveAggressiveClassifier,
        PassiveAggressiveRegressor,
        Perceptron,
        PocketPerceptron,
        SecondOrderPerceptron,
        SequenceTagger,
        VotedPerceptron,
    )
    from .estimators.files import export_onnx, load
    from .playground.notebook import play
    from .theory import Separability, distances, margin, mistake_bound, perceptron_loss, radius, separability
    from .tracing import SentenceStep, SentenceTrace, Step, Trace, trace
    from .tuner import Tuned, tune

__version__ = "0.1.0"

__all__ = [
    "AROW",
    "MIRA",
    "SCW",
    "AveragedPerceptron",
    "BatchPerceptron",
    "ConfidenceWeighted",
    "KernelPerceptron",
    "OnlineClassifier",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PocketPerceptron",
    "SecondOrderPerceptron",
    "SentenceStep",
    "SentenceTrace",
    "Separability",
    "SequenceTagger",
    "Step",
    "Trace",
    "Tuned",
    "VotedPerceptron",
    "__version__",
    "compat",
    "conventions",
    "data",
    "distances",
    "distributed",
    "export_onnx",
    "load",
    "margin",
    "mistake_bound",
    "perceptron_loss",
    "play",
    "plots",
    "radius",
    "rules",
    "separability",
    "sequences",
    "text",
    "trace",
    "tune",
]


#: Where a public name is defined, if not among the estimators.
_HOMES = {
    **dict.fromkeys(("export_onnx", "load"), "estimators.files"),
    **dict.fromkeys(("SentenceStep", "SentenceTrace", "Step", "Trace", "trace"), "tracing"),
    "play": "playground.notebook",
    **dict.fromkeys(("Tuned", "tune"), "tuner"),
    **dict.fromkeys(
        ("Separability", "distances", "margin", "mistake_bound", "perceptron_loss", "radius", "separability"), "theory"
    ),
}
#: Public names that are modules, loaded when first named.
_MODULES = {
    **{name: name for name in ("compat", "conventions", "data", "distributed", "plots", "sequences", "text")},
    "rules": "core.rules",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _MODULES.get(name) or _HOMES.get(name, "estimators")
    module = importlib.import_module("." + home, __name__)
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Importing:
    """Sees skl2onnx and eli5 imported, which are then told of the estimators; the others find them."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        return importlib.import_module(".compat", __name__).spec_of(name) if name in _TOLD else None


#: Libraries that have to know the estimators; see `compat`.
_TOLD = ("eli5", "skl2onnx")
sys.meta_path.insert(0, _Importing)
for _name in _TOLD:
    if _name in sys.modules:
        importlib.import_module(".compat", __name__).register(_name)
