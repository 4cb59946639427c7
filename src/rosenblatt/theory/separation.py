"""Separable or not, proved.

Cheap proofs come first: rows that contradict each other, a perceptron that separates. Then the linear programme
decides, or exact numbers where floats cannot, and the hard-margin programme finds the largest margin.
"""

from __future__ import annotations

from itertools import combinations
from numbers import Real
from typing import Any

from ..core.checks import check_flag, check_name
from . import inputs
from .answer import Separability
from .effort import Effort
from .search import Search
from .verification import of_pairs

METHODS = ("auto", "duplicates", "run", "revisit", "programme")


def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    multiclass: str = "kesler",
    method: str = "auto",
    maximize: bool = True,
    time_limit: float | None = None,
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
    time_limit : float or None, default=None
        Seconds after which to stop looking, roughly. What is proved by then is the answer. Small data are decided
        whatever the clock says. None: no clock decides; the work is counted, and a search that takes more than minutes
        ends.
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
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise ValueError(f"time_limit must be a number of seconds > 0 or None, got {time_limit!r}")
    check_flag("fit_intercept", fit_intercept)
    fit_intercept = bool(fit_intercept)
    X = inputs.table(X)
    known = inputs.encode_labels(y, X.shape[0])
    effort, say = Effort().within(None if time_limit is None else float(time_limit)), print if verbose else None
    if len(known.classes) > 2 and multiclass == "pairwise":
        return _pairwise(X, known, fit_intercept, method, maximize, effort, say)
    return Search(X, known, fit_intercept, effort, say).answer(method, maximize)


def _pairwise(
    X: Any, known: inputs.Labels, fit_intercept: bool, method: str, maximize: bool, effort: Effort, say: Any
) -> Separability:
    """Each two classes by themselves."""
    inputs.radius2(X)  # refuses what is not finite, naming its row in the whole
    pairs: dict[tuple[Any, Any], Separability] = {}
    labels = known.classes.tolist()
    couples = list(combinations(range(len(labels)), 2))
    for done, (first, second) in enumerate(couples):
        rows, pair = known.pair(first, second)
        search = Search(X[rows], pair, fit_intercept, effort.share(1 / (len(couples) - done)), say)
        pairs[labels[first], labels[second]] = search.answer(method, maximize)
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
