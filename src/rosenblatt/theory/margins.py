"""Distances, margins, the radius and the perceptron criterion: what the theorems speak of, measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_flag, check_name
from ..core.state import TIES
from . import inputs

if TYPE_CHECKING:
    from typing_extensions import Self

Array = NDArray[Any]


def distances(X: Any, w: Any, b: float = 0.0) -> Array:
    """Signed distance of each point to the hyperplane ``w·x + b = 0``: ``(w·x + b)/‖w‖``, positive where the score is.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The points.
    w : array of shape (n_features,)
        The normal vector. A fitted estimator, or an answer of ``separability``, brings its own bias.
    b : float, default=0.0
        The bias.

    Returns
    -------
    ndarray of shape (n_samples,)
        The distances.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> rb.distances([[0, 0], [3, 4]], w=[3, 4], b=-5)
    array([-1.,  4.])
    """
    X = inputs.table(X)
    weights = _of_moderate_length(inputs.as_weights(w, b, X.shape[1]))
    return inputs.scores(X, weights)[:, 0] / weights.norm(False)


class _Measured(float):
    """A number that carries what it comes from."""

    def __new__(cls, value: float, **parts: Any) -> Self:
        self = super().__new__(cls, value)
        self.__dict__.update(parts)
        return self


class Margin(_Measured):
    """The margin of a data set, a number, with what it comes from.

    Attributes
    ----------
    points : ndarray of shape (n_samples,)
        The margin of each point: positive where it lies on its side of the boundary.
    closest : ndarray of int
        The rows whose margin is the smallest, the margin of the data set (equal up to rounding).
    from_origin : float or None
        The distance of the hyperplane from the origin, ``|b|/‖w‖``; None with more than two classes.
    """

    points: Array
    closest: Array
    from_origin: float | None

    def __repr__(self) -> str:
        rows = ", ".join(map(str, self.closest[:6])) + (", …" if len(self.closest) > 6 else "")
        wrong = int(np.sum(self.points <= 0))
        words = [f"margin {float(self):.6g}, attained at row{'s' * (len(self.closest) > 1)} {rows}"]
        if wrong:
            words.append(f"{wrong} of {len(self.points)} points not on their side of the boundary")
        if self.from_origin is not None:
            words.append(f"hyperplane {self.from_origin:.6g} from the origin")
        return "; ".join(words)

    __str__ = float.__repr__


def margin(X: Any, y: Any, w: Any, b: Any = 0.0, *, fit_intercept: bool = False) -> Margin:
    """The margin of each point and of the data set: ``min y·(w·x + b)/‖w‖``.

    With several classes, one vector each, it is ``min (s_y − s_r)/‖W‖`` over the rows and their wrong classes r, with
    ‖W‖ over all vectors.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The points.
    y : array of shape (n_samples,)
        Their labels: −1 and +1, or any classes; of two, the second in sorted order is +1.
    w : array of shape (n_features,) or (n_classes, n_features)
        The weights. A fitted estimator, or an answer of ``separability``, brings its own bias.
    b : float or array of shape (n_classes,), default=0.0
        The bias.
    fit_intercept : bool, default=False
        The margin of the vectors (x, 1), over ‖(w, b)‖, which the mistake bounds of a learner with a bias and its
        ``margin_bounds_`` speak of. False: the geometric one.

    Returns
    -------
    Margin
        A float with ``points``, ``closest`` and ``from_origin``.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> rb.margin([[0, 0], [3, 4], [6, 8]], [-1, 1, 1], w=[3, 4], b=-5)
    margin 1, attained at row 0; hyperplane 1 from the origin
    """
    X = inputs.table(X)
    known = inputs.encode_labels(y, X.shape[0])
    weights = _of_moderate_length(inputs.as_weights(w, b, X.shape[1], len(known.classes)))
    check_flag("fit_intercept", fit_intercept)
    points = inputs.functional_margins(X, known, weights) / weights.norm(fit_intercept)
    least = float(points.min())
    close = np.flatnonzero(points - least <= 1e-12 * np.abs(points).max())
    from_origin = abs(float(weights.b[0])) / weights.norm(False) if weights.n_vectors == 1 else None
    return Margin(least, points=points, closest=close, from_origin=from_origin)


def radius(X: Any, fit_intercept: bool = False) -> float:
    """``R = max ‖x‖``, the radius of the smallest ball around the origin that holds the points.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The points.
    fit_intercept : bool, default=False
        Of the vectors (x, 1), as a learner with a bias sees them.

    Returns
    -------
    float
        The radius.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> rb.radius([[3, 4], [0, 1]]), rb.radius([[2, 2], [0, 1]], fit_intercept=True)
    (5.0, 3.0)
    """
    check_flag("fit_intercept", fit_intercept)
    return math.hypot(inputs.radius(inputs.table(X)), fit_intercept)


class PerceptronLoss(_Measured):
    """The perceptron criterion, a number, with its gradient.

    Attributes
    ----------
    gradient : ndarray, shaped as w
        Its derivative with respect to the weights. ``w − η·gradient`` is the batch perceptron's step.
    gradient_intercept : ndarray of shape (n_vectors,)
        Its derivative with respect to the bias.
    points : ndarray of shape (n_samples,)
        The loss of each point.
    mistaken : ndarray of int
        The rows that count as mistakes: those that the gradient sums over.
    """

    gradient: Array
    gradient_intercept: Array
    points: Array
    mistaken: Array


def perceptron_loss(X: Any, y: Any, w: Any, b: Any = 0.0, *, ties: str = "mistake") -> PerceptronLoss:
    """The perceptron criterion ``Σ max(0, −y·(w·x + b))`` and its gradient, ``−Σ y·x`` over the mistakes.

    Descending it one example at a time is the perceptron: the step is ``η·y·x`` on a mistake and nothing elsewhere. All
    at once it is the batch perceptron. The number of mistakes itself is flat almost everywhere and cannot be descended.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The points.
    y : array of shape (n_samples,)
        Their labels: −1 and +1, or any classes; of two, the second in sorted order is +1.
    w : array of shape (n_features,) or (n_classes, n_features)
        The weights; several classes: the loss of a point is ``max(0, s_r − s_y)`` for its best wrong class r.
    b : float or array of shape (n_classes,), default=0.0
        The bias.
    ties : {"mistake", "predict"}, default="mistake"
        At a score of exactly 0 the loss has a corner, and any slope from −y·x to 0 is a gradient: a mistake for either
        class (slope −y·x), or whatever ``predict`` says.

    Returns
    -------
    PerceptronLoss
        A float with ``gradient``, ``gradient_intercept``, ``points`` and ``mistaken``.

    References
    ----------
    Duda & Hart (1973), section 5.5.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> loss = rb.perceptron_loss([[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1], w=[1, 1])
    >>> loss, loss.mistaken, loss.gradient
    (7.0, array([1, 2, 3]), array([6., 1.]))
    """
    check_name("ties", ties, TIES)
    X = inputs.table(X)
    known = inputs.encode_labels(y, X.shape[0])
    weights = inputs.as_weights(w, b, X.shape[1], len(known.classes))
    scores = inputs.scores(X, weights)
    codes = known.codes.astype(np.intp)
    steps = np.zeros_like(scores)  # ∂loss/∂s
    if weights.n_vectors == 1:
        margins, prefers_other = scores[:, 0] * known.signs, codes == 1
    else:
        every = np.arange(len(codes))
        right = scores[every, codes]
        scores[every, codes] = -np.inf
        rival = scores.argmax(axis=1)
        margins, prefers_other = right - scores[every, rival], rival < codes
    mistaken = np.flatnonzero((margins < 0) | ((margins == 0) & ((ties == "mistake") | prefers_other)))
    if weights.n_vectors == 1:
        steps[mistaken, 0] = -known.signs[mistaken]
    else:
        steps[mistaken, codes[mistaken]] -= 1
        steps[mistaken, rival[mistaken]] += 1
    points = np.maximum(0.0, -margins)
    gradient = np.zeros(weights.w.shape)
    for part, block in inputs.float_blocks(X):
        gradient += np.asarray(block.T @ steps[part]).T
    gradient = gradient.reshape(np.shape(w)) if np.size(w) == gradient.size else gradient
    return PerceptronLoss(
        math.fsum(points), gradient=gradient, gradient_intercept=steps.sum(axis=0), points=points, mistaken=mistaken
    )


def _of_moderate_length(weights: inputs.Weights) -> inputs.Weights:
    """The same hyperplane, its weights times a power of 2 that keeps their squares within range: nothing is rounded."""
    length = weights.norm(False)
    if not length > 0:
        raise ValueError("w is zero, so it has no hyperplane and no margin; give weights that are not all 0")
    scale = 2.0 ** -math.frexp(length)[1] if not 1e-100 < length < 1e100 else 1.0
    return inputs.Weights(weights.w * scale, weights.b * scale)
