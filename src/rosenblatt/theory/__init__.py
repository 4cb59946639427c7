"""What can be proved of data and weights: margins, bounds, separability with certificates. SciPy solves the programmes."""

from .bounds import MistakeBound, mistake_bound
from .margins import Margin, PerceptronLoss, distances, margin, perceptron_loss, radius
from .separation import Separability, separability

__all__ = [
    "Margin",
    "MistakeBound",
    "PerceptronLoss",
    "Separability",
    "distances",
    "margin",
    "mistake_bound",
    "perceptron_loss",
    "radius",
    "separability",
]
