"""The estimators: scikit-learn's contract over the learner. The only layer that imports scikit-learn."""

from .classifiers import (
    AROW,
    MIRA,
    SCW,
    AveragedPerceptron,
    BatchPerceptron,
    ConfidenceWeighted,
    OnlineClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    PocketPerceptron,
    SecondOrderPerceptron,
)
from .kernel import KernelPerceptron, VotedPerceptron
from .regressors import PassiveAggressiveRegressor
from .tagger import SequenceTagger

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
    "SequenceTagger",
    "VotedPerceptron",
]
