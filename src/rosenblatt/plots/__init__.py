"""Plots of models, runs and proofs (matplotlib), and animations of runs. ``pip install "rosenblatt[plots]"``.

Displays follow scikit-learn's: ``from_estimator`` and its kin draw, ``plot(ax=None)`` draws again, ``ax_`` and
``figure_`` are where. Nothing here loads matplotlib before something is drawn.
"""

from .boundary import BoundaryDisplay
from .run import MarginBoundsDisplay, MistakesDisplay, ProofDisplay, RunDisplay, ScoreDisplay, plot_trace

__all__ = ["BoundaryDisplay", "MistakesDisplay", "plot_trace"]
