"""Whether the points can be separated, with the proof to draw: a separator and its band, or points that coincide."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..theory import Separability, inputs, kernels
from ..theory.effort import Effort
from ..theory.search import Search
from . import plans, roots
from .fields import columns, grid
from .records import basis, radius_of
from .requests import Problem

Array = NDArray[Any]

#: Work for a proof, some tenths of a second. What is not proved by then is not claimed.
EFFORT = Effort(exact=1e5, floats=3e8)


@lru_cache(maxsize=8)
def answer(problem: Problem) -> Separability:
    """The library's answer."""
    settings = problem.settings
    if settings.in_kernel:
        return kernels.separability(problem.X, problem.y, plans.kernel_of(settings), EFFORT)
    known = inputs.encode_labels(problem.y, len(problem.points))
    return Search(problem.X, known, settings.bias, EFFORT).answer("auto", maximize=True)


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The answer as the page shows and draws it."""
    result = answer(problem)
    shown: dict[str, Any] = {
        "separable": result.separable, "text": str(result), "exact": result.exact, "R": radius_of(problem),
        "margin": result.margin, "margin_augmented": result.margin_augmented, "bound": result.mistake_bound,
        "support": result.support.tolist(), "in_kernel": problem.settings.in_kernel,
        "fractions": roots.margin(problem, result),
    }  # fmt: skip
    vectors = None
    if result.separable and result.margin is not None:
        shown["margin_text"], vectors = _margin_text(result), separator(problem, result)
    if vectors is not None:
        shown["vectors"] = vectors.tolist()
        if problem.settings.in_kernel and problem.n_features == 2 and request.get("window") is not None:
            shown["field"] = columns(basis(problem, grid(request["window"])) @ vectors.T)
    elif result.certificate is not None:
        at_one_place = len({problem.points[row] for row in result.support}) == 1
        if at_one_place or not problem.settings.in_kernel:  # where points meet, not their images in a kernel's space
            shown["meeting"] = meeting(problem, result)
        shown |= {"lambda": _weights(result), "bias": problem.settings.bias, "several": result.certificate.ndim > 1}
    return shown


def _margin_text(result: Separability) -> str:
    """The best margin in five digits, with what these are: it, about it, or the ends of what was proved."""
    (low, high), squared = result.margin_augmented_bounds, result.margin_augmented_squared
    if squared is not None and Fraction(f"{low:.5g}") ** 2 == squared:
        return f"= {low:.5g}"
    if f"{low:.5g}" == f"{high:.5g}":
        return f"≈ {low:.5g}"
    return f"in [{low!r}, {high!r}]"


def separator(problem: Problem, result: Separability) -> Array | None:
    """The separator of the widest band, scaled so that the nearest points score 1: (n_vectors, n_coordinates).

    None where its scores are lost in the rounding of floats, so that it cannot be drawn.
    """
    known = inputs.encode_labels(problem.y, len(problem.points))
    if problem.settings.in_kernel:
        vectors = _gains(_in_proportion(result.dual), known)
    else:
        w, b = np.atleast_2d(np.asarray(result.w, float)), np.atleast_1d(np.asarray(result.b, float))
        vectors = np.hstack([w, np.broadcast_to(b.reshape(-1, 1), (len(w), 1))])
    over = basis(problem, problem.X)
    least = inputs.margins_of(over @ vectors.T, known).min()
    rounding = 1e3 * inputs.EPS * (np.abs(over) @ np.abs(vectors).T).max()
    return np.asarray(vectors / least) if least > rounding or not problem.settings.in_kernel else None


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
