"""Whether the points can be separated, with the proof to draw: a separator and its band, or points that coincide."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..core import exact
from ..core.sums import total
from ..theory import kernels, small
from ..theory.answer import Separability, support_of
from ..theory.effort import Effort
from . import plans, readouts, roots
from .fields import columns, grid, over_plane
from .records import Vectors, basis, margin, radius_of
from .requests import Problem

#: Work for a proof, some tenths of a second. What is not proved by then is not claimed.
EFFORT = Effort(exact=1e5, floats=3e7)
EPS = 2.0**-52


@lru_cache(maxsize=8)
def answer(problem: Problem) -> Separability:
    """The library's answer."""
    settings, rows = problem.settings, exact.rows(problem.points)
    if settings.in_kernel:
        return kernels.separability(rows, plans.known(problem), plans.kernel_of(settings), EFFORT)
    return small.separability(rows, plans.known(problem), settings.bias, EFFORT)


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The answer as the page shows and draws it."""
    result = answer(problem)
    shown: dict[str, Any] = {
        "separable": result.separable, "text": str(result), "exact": result.exact, "R": radius_of(problem),
        "margin": result.margin, "margin_augmented": result.margin_augmented, "bound": result.mistake_bound,
        "support": support_of(result), "in_kernel": problem.settings.in_kernel,
        "fractions": roots.margin(problem, result),
    }  # fmt: skip
    vectors = None
    if result.separable and result.margin is not None:
        shown["margin_text"], vectors = _margin_text(result), separator(problem, result)
    if vectors is not None:
        shown["vectors"] = vectors
        if problem.settings.in_kernel and problem.n_features == 2 and request.get("window") is not None:
            shown["field"] = columns(readouts.weighed(vectors, over_plane(problem, grid(request["window"]))))
    elif result.certificate is not None:
        at_one_place = len({problem.points[row] for row in support_of(result)}) == 1
        if at_one_place or not problem.settings.in_kernel:  # where points meet, not their images in a kernel's space
            shown["meeting"] = meeting(problem, result)
        shown |= {
            "lambda": _weights(result),
            "bias": problem.settings.bias,
            "several": isinstance(result.certificate[0], list),
        }
    return shown


def _margin_text(result: Separability) -> str:
    """The best margin in five digits, with what these are: it, about it, or the ends of what was proved."""
    (low, high), squared = result.margin_augmented_bounds, result.margin_augmented_squared
    if squared is not None and Fraction(f"{low:.5g}") ** 2 == squared:
        return f"= {low:.5g}"
    if f"{low:.5g}" == f"{high:.5g}":
        return f"≈ {low:.5g}"
    return f"in [{low!r}, {high!r}]"


def separator(problem: Problem, result: Separability) -> Vectors | None:
    """The separator of the widest band, scaled so that the nearest points score 1: one vector, or one for each class.

    None where its scores are lost in the rounding of floats, so that it cannot be drawn.
    """
    vectors: Any
    w: Any
    if problem.settings.in_kernel:
        vectors = _gains(_in_proportion(result.dual), problem)
    else:
        w, b = result.w, result.b
        w, b = (w, b) if isinstance(w[0], list) else ([w], [b])
        vectors = [[*map(float, vector), float(bias)] for vector, bias in zip(w, b)]
    over = basis(problem)
    least = min(map(margin, readouts.weighed(vectors, over), plans.known(problem).codes))
    sizes = readouts.weighed([[abs(v) for v in vector] for vector in vectors], [[abs(v) for v in row] for row in over])
    if problem.settings.in_kernel and not least > 1e3 * EPS * max(map(max, sizes)):
        return None
    return [[value / least for value in vector] for vector in vectors]


def _gains(weights: list[Any], problem: Problem) -> Vectors:
    """What each class gains of each row under weights λ of the rows: a number for each row, of each vector."""
    codes = plans.known(problem).codes
    if not isinstance(weights[0], list):
        return [[weight if code else -weight for weight, code in zip(weights, codes)]]
    return [
        [total(entry) - entry[c] if code == c else -entry[c] for entry, code in zip(weights, codes)]
        for c in range(len(weights[0]))
    ]


def meeting(problem: Problem, result: Separability) -> list[dict[str, Any]]:
    """For each vector the place where what it gains and what it loses coincide, and the rows that pull there.

    With a bias both are weighted means of points; without one they are sums over the same total.
    """
    places = []
    for gained in _gains(_in_proportion(result.certificate), problem):
        most = max(total(v for v in gained if v > 0), -total(v for v in gained if v < 0))
        if most:
            pulls = [(row, value / most) for row, value in enumerate(gained) if value]
            places.append(
                {
                    "plus": _pulled(problem, [(row, v) for row, v in pulls if v > 0]),
                    "minus": _pulled(problem, [(row, -v) for row, v in pulls if v < 0]),
                    "rows": [[row, value] for row, value in pulls],
                }
            )
    return places


def _pulled(problem: Problem, weights: list[tuple[int, float]]) -> list[float]:
    """Points times their weights, summed."""
    return [total(weight * problem.points[row][j] for row, weight in weights) for j in range(problem.n_features)]


def _in_proportion(weights: Any) -> list[Any]:
    """Weights over the largest of them, as floats: whole numbers may be too long for those."""
    largest = max(Fraction(v) for entry in weights for v in (entry if isinstance(entry, list) else [entry]))

    def over(entry: Any) -> Any:
        return [over(v) for v in entry] if isinstance(entry, list) else float(Fraction(entry) / largest)

    return [over(entry) for entry in weights]


def _weights(result: Separability) -> list[str]:
    """λ of each row, in words; long ones in proportion, as the answer shows them too."""
    assert result.certificate is not None
    per_row = [sum(entry) if isinstance(entry, list) else entry for entry in result.certificate]
    if result.exact and max(per_row) < 10**6:
        return [str(v) for v in per_row]
    return [f"{v:.3g}" for v in _in_proportion(per_row)]
