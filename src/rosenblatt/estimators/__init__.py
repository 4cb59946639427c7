"""The estimators: scikit-learn's contract over the learner. The only layer that imports scikit-learn."""

from .classifiers import (
    MIRA,
    AveragedPerceptron,
    BatchPerceptron,
    OnlineClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    PocketPerceptron,
)
from .kernel import KernelPerceptron, VotedPerceptron
from .regressors import PassiveAggressiveRegressor

__all__ = [
    "MIRA",
    "AveragedPerceptron",
    "BatchPerceptron",
    "KernelPerceptron",
    "OnlineClassifier",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PocketPerceptron",
    "VotedPerceptron",
]
