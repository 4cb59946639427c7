"""Separable or not, proved.

Cheap proofs come first: rows that contradict each other, a perceptron that separates. Then the linear programme
decides, or exact numbers where floats cannot, and the hard-margin programme finds the largest margin.
"""

from __future__ import annotations

import time
from itertools import combinations
from numbers import Real
from typing import Any

from ..core.checks import check_name
from . import given
from .answer import Separability
from .search import Search
from .verification import of_pairs, rows_of_pair

METHODS = ("auto", "duplicates", "run", "revisit", "programme")


def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    multiclass: str = "kesler",
    method: str = "auto",
    maximize: bool = True,
    time_limit: float = 300.0,
    verbose: int = 0,
) -> Separability:
    """Whether a hyperplane can separate the classes, with a proof that can be checked.

    If it can: a separator, the maximum margin, and the support points that prove it maximal. If it cannot: Gordan's
    certificate, weights λ ≥ 0 under which the examples cancel, with as few rows as were easily found.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The rows: whole numbers, fractions, or floats, which are read as the decimals that they print as.
    y : array of shape (n_samples,)
        Their labels.
    fit_intercept : bool, default=True
        Whether the hyperplane may lie off the origin.
    multiclass : {"kesler", "pairwise"}, default="kesler"
        With more than two classes: one vector for each such that the right class always scores highest, or a hyperplane
        between each two classes. Kesler's sense implies the other.
    method : {"auto", "duplicates", "run", "revisit", "programme"}, default="auto"
        How to look: for equal rows with different labels (or zero rows without a bias), by a perceptron that separates,
        by one in exact numbers that comes back to weights it has had, by linear programming; or the first, the second
        and the last in turn.
    maximize : bool, default=True
        Whether to find the maximum margin too, which takes most of the time on large data.
    time_limit : float, default=300.0
        Seconds after which to stop looking, roughly. What is proved by then is the answer. Small data are decided
        whatever the clock says.
    verbose : int, default=0
        1: say what is being tried.

    Returns
    -------
    Separability
        The answer; ``separable`` is None where neither could be proved.

    References
    ----------
    Gordan (1873); Duda & Hart (1973), section 5.12 for Kesler's construction.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> words = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]]  # good, bad, not good, not bad
    >>> answer = rb.separability(words, ["+", "-", "-", "+"])
    >>> answer.separable, answer.certificate, bool(answer.verify(words, ["+", "-", "-", "+"]))
    (False, array([1, 1, 1, 1]), True)
    >>> answer = rb.separability([[0, 0], [1, 0], [0, 1]], [-1, 1, 1])
    >>> answer.separable, answer.margin_squared, answer.margin_augmented_squared
    (True, Fraction(1, 8), Fraction(1, 9))
    """
    check_name("multiclass", multiclass, ("kesler", "pairwise"))
    check_name("method", method, METHODS)
    if not (isinstance(time_limit, Real) and time_limit > 0):
        raise ValueError(f"time_limit must be a number of seconds > 0, got {time_limit!r}")
    fit_intercept = given.check_bool("fit_intercept", fit_intercept)
    X = given.table(X)
    known = given.label(y, X.shape[0])
    if len(known.classes) > 2 and multiclass == "pairwise":
        return _pairwise(X, known, fit_intercept, method, maximize, time_limit, verbose)
    search = Search(X, known, fit_intercept, time_limit, print if verbose else None)
    return search.answer(method, maximize)


def _pairwise(
    X: Any, known: given.Labels, fit_intercept: bool, method: str, maximize: bool, time_limit: float, verbose: int
) -> Separability:
    """Each two classes by themselves."""
    given.radius2(X)  # refuses what is not finite, naming its row in the whole
    deadline = time.monotonic() + time_limit
    pairs: dict[tuple[Any, Any], Separability] = {}
    couples = list(combinations(known.classes.tolist(), 2))
    for done, (first, second) in enumerate(couples):
        rows = rows_of_pair(known, first, second)
        left = max(0.1, deadline - time.monotonic()) / (len(couples) - done)
        pairs[first, second] = separability(
            X[rows], known.classes[known.codes[rows]], fit_intercept,
            method=method, maximize=maximize, time_limit=left, verbose=verbose,
        )  # fmt: skip
    count = sum(answer.separable is True for answer in pairs.values())
    return Separability(
        **of_pairs(pairs),
        how=f"{count} of {len(couples)} pairs of classes are separable",
        exact=all(answer.exact for answer in pairs.values()),
        n_rows=X.shape[0],
        fit_intercept=fit_intercept,
        classes=known.classes,
        pairs=pairs,
    )
