"""Estimators as River's models: streams of dicts, one at a time."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from river import base

from ..estimators import AveragedPerceptron, KernelPerceptron, PassiveAggressiveRegressor
from ..estimators.classification import LinearClassifier


class RiverModel:
    """What both kinds share: a copy of the estimator, which learns."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self._model = copy.copy(estimator)

    def learn_one(self, x: dict[Any, float], y: Any) -> None:
        """Learn from one example."""
        self._model.learn_one(x, y)

    @property
    def _is_fitted(self) -> bool:
        return bool(self._model.__sklearn_is_fitted__())


class RiverClassifier(RiverModel, base.Classifier):
    """A classifier of rosenblatt as one of River's.

    Its scores are not probabilities, so that ``predict_proba_one`` raises NotImplementedError, as those of River's own
    classifiers do that have none.

    Parameters
    ----------
    estimator
        A classifier with ``learn_one``; see `rosenblatt.compat.river`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> model = rb.compat.river(rb.AveragedPerceptron())
    >>> model.learn_one({"good": 1}, "+")
    >>> model.learn_one({"bad": 1}, "-")
    >>> model.predict_one({"good": 1})
    '+'
    """

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_one(self, x: dict[Any, float], **kwargs: Any) -> Any:
        """The label of one example; None before any was learned from."""
        return self._model.predict_one(x) if self._is_fitted else None

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": AveragedPerceptron()}


class RiverRegressor(RiverModel, base.Regressor):
    """A regressor of rosenblatt as one of River's.

    Parameters
    ----------
    estimator
        A regressor with ``learn_one``; see `rosenblatt.compat.river`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> model = rb.compat.river(rb.PassiveAggressiveRegressor())
    >>> model.learn_one({"x": 1.0}, 3.0)
    >>> round(model.predict_one({"x": 1.0}), 1)
    2.0
    """

    def predict_one(self, x: dict[Any, float], **kwargs: Any) -> float:
        """The number predicted for one example; 0 before any was learned from."""
        return float(self._model.predict_one(x)) if self._is_fitted else 0.0

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": PassiveAggressiveRegressor()}


def river(estimator: Any) -> RiverClassifier | RiverRegressor:
    """The adapter of an estimator; see `rosenblatt.compat.river`."""
    if isinstance(estimator, LinearClassifier) and not isinstance(estimator, KernelPerceptron):
        return RiverClassifier(estimator)
    if isinstance(estimator, PassiveAggressiveRegressor):
        return RiverRegressor(estimator)
    raise TypeError(f"River's models learn from named features, and {type(estimator).__name__} does not")
