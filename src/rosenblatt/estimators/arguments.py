"""Arguments of methods that several estimators have, documented once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_ENTRIES = {
    "X": """X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
    The examples.""",
    "rows": """X : array, sparse matrix or DataFrame of shape (n_samples, n_features), or what `rb.data.read` returns
    The examples. Rows read from svmlight or Vowpal Wabbit files are taken as ``rosenblatt predict`` takes them:
    columns that do not occur in the file are zeros, and those that the model has not met count for nothing.""",
    "labels": """y : array of shape (n_samples,)
    Their labels.""",
    "targets": """y : array of shape (n_samples,)
    Their targets.""",
    "sample_weight": """sample_weight : array of shape (n_samples,), default=None
    Weights of the examples; rows of weight 0 are left out.""",
    "fitted": """self
    The fitted estimator. Where a separator was neither found nor ruled out, a ConvergenceWarning says so.""",
    "further": """self
    The estimator, further along.""",
    "x": """x : dict
    The features, {name: number}; those left out are 0.""",
    "one_weight": """sample_weight : float, default=1.0
    Its weight; with 0 it is left out.""",
}


def documented(method: F) -> F:
    """Fill in the entries that the docstring of a method names on lines of their own, such as ``{X}``."""

    def entry(line: re.Match[str]) -> str:
        indent, name = line.groups()
        return indent + _ENTRIES[name].replace("\n", "\n" + indent)

    method.__doc__ = re.sub(r"^( *)\{(\w+)\}$", entry, method.__doc__ or "", flags=re.MULTILINE)
    return method
