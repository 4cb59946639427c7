"""How many of scikit-learn's own checks of an estimator pass, ours and its own Perceptron."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

from harness import Row, Setting, Work, peer, row
from sklearn.base import BaseEstimator
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.utils.estimator_checks import check_estimator

import rosenblatt as rb

QUESTION = "contract"


def estimators() -> list[type]:
    """Every public estimator, found by its name in the package."""
    public = (getattr(rb, name) for name in rb.__all__)
    return [one for one in public if inspect.isclass(one) and issubclass(one, BaseEstimator)]


def checked(estimator: Any) -> tuple[int, int, list[str]]:
    """Checks that passed, checks that ran, and the names of those that failed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    ran = [result for result in results if result["status"] != "skipped"]
    failed = [result["check_name"] for result in ran if result["status"] != "passed"]
    return len(ran) - len(failed), len(ran), failed


def contract(setting: Setting) -> Iterator[Row]:
    passed, ran, failed = checked(SklearnPerceptron())
    for kind in estimators():
        mine, of, ours_failed = checked(kind())
        yield row(
            QUESTION, f"checks-{kind.__name__}", "check_estimator", unit="checks", ours=[mine], peer=[passed],
            ours_name=kind.__name__, peer_name=peer("scikit-learn", "Perceptron"),
            learned=", ".join(ours_failed), more={"of": of, "peer_of": ran, "peer_failed": failed},
        )  # fmt: skip


WORKS = (Work("contract", QUESTION, contract),)
