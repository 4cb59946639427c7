"""Plots of models, runs and proofs (matplotlib), and animations of runs. ``pip install "rosenblatt[plots]"``.

Displays follow scikit-learn's: ``from_estimator`` and its kin draw, ``plot(ax=None)`` draws again; each returns the
display, whose ``ax_`` and ``figure_`` are where. Nothing here loads matplotlib before something is drawn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .animation import Animation
from .boundary import BoundaryDisplay
from .criterion import CriterionDisplay
from .lattice import LatticeDisplay
from .margins import MarginBoundsDisplay
from .mistakes import MistakesDisplay
from .passes import ErrorsDisplay
from .proof import ProofDisplay
from .run import RunDisplay, plot_trace
from .score import ScoreDisplay
from .signs import SignsDisplay
from .space import SpaceDisplay
from .weights import WeightsDisplay

if TYPE_CHECKING:
    from .confusion import ConfusionMatrixDisplay

__all__ = [
    "Animation",
    "BoundaryDisplay",
    "ConfusionMatrixDisplay",
    "CriterionDisplay",
    "ErrorsDisplay",
    "LatticeDisplay",
    "MarginBoundsDisplay",
    "MistakesDisplay",
    "ProofDisplay",
    "RunDisplay",
    "ScoreDisplay",
    "SignsDisplay",
    "SpaceDisplay",
    "WeightsDisplay",
    "plot_trace",
]


def __getattr__(name: str) -> Any:
    if name != "ConfusionMatrixDisplay":  # the only one that loads scikit-learn
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    display = importlib.import_module("rosenblatt.plots.confusion").ConfusionMatrixDisplay
    globals()[name] = display
    return display


def __dir__() -> list[str]:
    return sorted(__all__)
