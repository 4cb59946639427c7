"""Every public estimator, found by its name in the package."""

import inspect

from sklearn.base import BaseEstimator, is_classifier, is_regressor

import rosenblatt as rb

ESTIMATORS = [
    found
    for found in (getattr(rb, name) for name in rb.__all__)
    if inspect.isclass(found) and issubclass(found, BaseEstimator)
]
CLASSIFIERS = [found for found in ESTIMATORS if is_classifier(found())]
REGRESSORS = [found for found in ESTIMATORS if is_regressor(found())]


def named(found):
    """The id of a test: the estimator's name."""
    return found.__name__
