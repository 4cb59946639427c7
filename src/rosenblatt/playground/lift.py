"""The lift: what a polynomial kernel of degree 2 makes of the plane, as a surface that a plane cuts.

The score of such a kernel is a square form and a line, f(x) = q(x) + d·x + c. Over the plane, z = q(x) is a paraboloid
or a saddle, and f is positive where that lies above the plane z = −(d·x + c): a curve below is a straight cut above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.sums import total
from . import certificates, fields
from .requests import Problem, RequestError


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The surface and the plane of the model after a step, or of the best separator, and the height of each point.

    Both are divided by the mean of the two squares' coefficients, so that a round paraboloid is z = x² + y².
    """
    settings = problem.settings
    if problem.n_features != 2 or len(set(problem.labels)) != 2 or settings.space != "poly" or settings.degree != 2:
        raise RequestError("The lift is drawn for two classes in the plane and the polynomial kernel of degree 2.")
    weights = _weights(problem, request)
    if weights is None:
        return {"flat": True}
    xx, xy, yy, x, y, constant = score_of(problem, weights)
    scale = (xx + yy) / 2
    largest = max(abs(xx), abs(xy), abs(yy))
    if abs(scale) < 1e-6 * largest:  # a saddle
        scale = largest
    if not largest:
        return {"flat": True}
    surface, plane = [v / scale for v in (xx, xy, yy)], [-v / scale for v in (x, y, constant)]
    return {
        "flat": False, "surface": surface, "plane": plane, "above": int(scale > 0),
        "round": abs(xx - yy) < 1e-6 * largest and abs(xy) < 1e-6 * largest,
        "heights": [surface[0] * a * a + surface[1] * a * b + surface[2] * b * b for a, b in problem.points],
    }  # fmt: skip


def _weights(problem: Problem, request: dict[str, Any]) -> Sequence[float] | None:
    """The coefficient of each point; None where there is none to show."""
    if request.get("best") is True:
        vectors = certificates.summary(problem, {}).get("vectors")
        return None if vectors is None else list(vectors[0])
    (field,) = fields.summary(problem, {"at": [request.get("at", 0)]})["fields"]
    if "vectors" not in field:
        raise RequestError("A vote has no surface of its own: choose another readout.")
    return list(field["vectors"][0])


def score_of(problem: Problem, weights: Sequence[float]) -> tuple[float, float, float, float, float, float]:
    """The coefficients of x², xy, y², x, y and 1 in Σ α·K(xⱼ, x)."""
    gamma, c, bias = problem.settings.gamma, problem.settings.coef0, problem.settings.bias
    weighted = [(w, *point) for w, point in zip(weights, problem.points)]

    def moment(power_x: int, power_y: int) -> float:
        return float(total(w * math.prod([x] * power_x + [y] * power_y) for w, x, y in weighted))

    square, line = gamma * gamma, 2 * gamma * c
    return (
        square * moment(2, 0), 2 * square * moment(1, 1), square * moment(0, 2), line * moment(1, 0),
        line * moment(0, 1), (c * c + int(bias)) * moment(0, 0),
    )  # fmt: skip
