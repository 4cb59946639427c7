"""What can be proved of data and weights: margins, bounds, separability with certificates."""

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
