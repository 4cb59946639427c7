"""Weights and predictions explained by eli5."""

from __future__ import annotations

from typing import Any

from eli5.base import Explanation
from eli5.sklearn import explain_prediction, explain_weights

from ..estimators import KernelPerceptron, PassiveAggressiveRegressor
from ..estimators.classification import LinearClassifier


def _register() -> None:
    """Make eli5 explain linear classifiers and regressors; in kernel space, those with a linear kernel."""
    for module, classifier, regressor in (
        (explain_weights, "explain_linear_classifier_weights", "explain_linear_regressor_weights"),
        (explain_prediction, "explain_prediction_linear_classifier", "explain_prediction_linear_regressor"),
    ):
        explain = getattr(module, classifier)
        module.register(LinearClassifier)(explain)
        module.register(KernelPerceptron)(_where_linear(explain))
        module.register(PassiveAggressiveRegressor)(getattr(module, regressor))


def _where_linear(explain: Any) -> Any:
    def explained(estimator: Any, *args: Any, **options: Any) -> Any:
        if hasattr(estimator, "coef_"):
            return explain(estimator, *args, **options)
        return Explanation(estimator=repr(estimator), error="only kernel='linear' has weights of features")

    return explained


_register()
