"""Whether the points can be separated, with the proof to draw: a separator and its band, or points that coincide."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..theory import Separability, inputs
from ..theory.effort import Effort
from ..theory.search import Search
from .fields import columns, grid
from .records import basis
from .requests import Problem

Array = NDArray[Any]

#: Work for a proof, some tenths of a second. What is not proved by then is not claimed.
EFFORT = Effort(exact=1e5, floats=3e8)
#: Directions of a kernel's space that are shorter than this, relative to the longest, are rounding.
FLAT = 1e-10


@lru_cache(maxsize=8)
def answer(problem: Problem) -> Separability:
    """The library's answer; in the space of a kernel about rows that have its inner products."""
    settings = problem.settings
    if not settings.in_kernel:
        return _search(problem.X, problem, settings.bias)
    return _search(images(problem), problem, False)


def _search(X: Array, problem: Problem, bias: bool) -> Separability:
    return Search(X, inputs.encode_labels(problem.y, len(X)), bias, EFFORT).answer("auto", maximize=True)


def images(problem: Problem) -> Array:
    """Rows whose inner products are the kernel's values: the points in as many dimensions as they span there."""
    values, directions = np.linalg.eigh(basis(problem, problem.X))
    long = values > FLAT * max(values.max(), 0)
    return np.asarray(directions[:, long] * np.sqrt(values[long]))


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The answer as the page shows and draws it."""
    if problem.settings.space == "sigmoid":
        return {
            "separable": None,
            "text": "The sigmoid kernel is no inner product: its space has no margins to ask about.",
        }
    result = answer(problem)
    text = str(result)
    if problem.settings.in_kernel:  # which has the bias in its constant 1
        text = text.replace(" without a bias:", " in the space of the kernel:", 1)
    shown: dict[str, Any] = {
        "separable": result.separable, "text": text, "exact": result.exact, "R": result.R,
        "margin": result.margin, "margin_augmented": result.margin_augmented, "bound": result.mistake_bound,
        "support": result.support.tolist(), "in_kernel": problem.settings.in_kernel,
    }  # fmt: skip
    if result.separable and result.margin is not None:
        vectors = separator(problem, result)
        shown["vectors"] = vectors.tolist()
        if problem.settings.in_kernel and problem.n_features == 2 and request.get("window") is not None:
            shown["field"] = columns(basis(problem, grid(request["window"])) @ vectors.T)
    elif result.certificate is not None:
        shown |= {"meeting": meeting(problem, result), "lambda": _weights(result)}
        shown |= {"bias": problem.settings.bias, "several": result.certificate.ndim > 1}
    return shown


def separator(problem: Problem, result: Separability) -> Array:
    """The separator of the widest band, scaled so that the nearest points score 1: (n_vectors, n_coordinates)."""
    known = inputs.encode_labels(problem.y, len(problem.points))
    if problem.settings.in_kernel:
        vectors = _gains(_in_proportion(result.dual), known)
    else:
        w, b = np.atleast_2d(np.asarray(result.w, float)), np.atleast_1d(np.asarray(result.b, float))
        vectors = np.hstack([w, np.broadcast_to(b.reshape(-1, 1), (len(w), 1))])
    return np.asarray(vectors / inputs.margins_of(basis(problem, problem.X) @ vectors.T, known).min())


def _gains(weights: Array, known: inputs.Labels) -> Array:
    """What each class gains of each row under weights λ of the rows: (n_vectors, n_rows)."""
    if weights.ndim == 1:
        return (weights * known.signs)[None, :]
    gains = -weights.T.copy()
    gains[known.codes, np.arange(len(weights))] += weights.sum(axis=1)
    return gains


def meeting(problem: Problem, result: Separability) -> list[dict[str, Any]]:
    """For each vector the place where what it gains and what it loses coincide, and the rows that pull there.

    With a bias both are weighted means of points; without one they are sums over the same total.
    """
    known = inputs.encode_labels(problem.y, len(problem.points))
    gains = _gains(_in_proportion(result.certificate), known)
    places = []
    for gained in gains:
        gained = gained / max(gained.clip(0).sum(), (-gained).clip(0).sum(), 1e-300)
        if gained.any():
            places.append(
                {
                    "plus": (gained.clip(0) @ problem.X).tolist(), "minus": ((-gained).clip(0) @ problem.X).tolist(),
                    "rows": [[int(row), float(gained[row])] for row in np.flatnonzero(gained)],
                }
            )  # fmt: skip
    return places


def _in_proportion(weights: Any) -> Array:
    """Weights over the largest of them, as floats: whole numbers may be too long for those."""
    largest = max(map(Fraction, weights.ravel().tolist()))
    return np.array([float(Fraction(v) / largest) for v in weights.ravel().tolist()]).reshape(weights.shape)


def _weights(result: Separability) -> list[str]:
    """λ of each row, in words; long ones in proportion, as the answer shows them too."""
    assert result.certificate is not None
    per_row = result.certificate if result.certificate.ndim == 1 else result.certificate.sum(axis=1)
    if result.exact and max(per_row.tolist()) < 10**6:
        return [str(v) for v in per_row.tolist()]
    return [f"{v:.3g}" for v in _in_proportion(per_row)]
