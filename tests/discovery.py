"""Every public estimator, found by its name in the package: those that learn from rows of numbers, and taggers."""

import inspect

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor

import rosenblatt as rb

_FOUND = [
    found
    for found in (getattr(rb, name) for name in rb.__all__)
    if inspect.isclass(found) and issubclass(found, BaseEstimator)
]
#: Those that learn from sentences; ``test_tagger`` has their manners.
TAGGERS = [found for found in _FOUND if issubclass(found, rb.SequenceTagger)]
ESTIMATORS = [found for found in _FOUND if found not in TAGGERS]
CLASSIFIERS = [found for found in ESTIMATORS if is_classifier(found())]
REGRESSORS = [found for found in ESTIMATORS if is_regressor(found())]
#: Those in kernel space have examples and their coefficients for weights: no names, no start but zero.
KERNEL = [found for found in ESTIMATORS if issubclass(found, rb.KernelPerceptron)]
LINEAR = [found for found in ESTIMATORS if found not in KERNEL]
LINEAR_CLASSIFIERS = [found for found in LINEAR if found in CLASSIFIERS]


def named(found):
    """The id of a test: the estimator's name."""
    return found.__name__


def learned(model):
    """All that a model learned, as numbers: its weights, or the examples kept and how much of each."""
    if type(model) in LINEAR:
        return np.column_stack((np.atleast_2d(model.coef_), model.intercept_))
    vectors = model.support_vectors_
    vectors = vectors.toarray() if hasattr(vectors, "toarray") else vectors
    return np.column_stack((model.support_, model.dual_coef_.T, vectors))
