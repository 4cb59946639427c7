"""Novikoff's proof beside a run: u·w grows at least as fast as γ·Σ τ, ‖w‖ at most as fast as R·√M, and they meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..tracing import Step, Trace
from ..tracing.wording import square_root
from . import certificates, records
from .requests import Problem, RequestError

#: Places at which the two curves are drawn ahead of the run.
AHEAD = 80


def summary(problem: Problem) -> dict[str, Any]:
    """The four quantities after each update, for the best separator u brought to length 1, and where they must meet."""
    run = proved(problem)
    if isinstance(run, str):
        return {"why_not": run}
    moves = [step for step in run if step.moved]
    scale = next((_scale(step) for step in moves if step.proof is not None and step.proof.progress > 0), 1.0)
    curves = [_curves(step, scale) for step in moves]
    return {"updates": curves, "bound": None if run.bound is None else float(run.bound), "ahead": _ahead(run, curves)}


@lru_cache(maxsize=8)
def proved(problem: Problem) -> Trace | str:
    """The run with the columns of the proof, or why it has none."""
    answer = certificates.answer(problem)
    if answer.separable is None:
        return "Whether a separator exists is not known, so there is no u to prove it with."
    if not answer.separable:
        return "No separator u exists, so the proof has nothing to begin with."
    separator = _separator(problem, answer)
    if separator is None:
        return "The separator cannot be written down in floating point."
    try:
        return records.traced(problem, separator)
    except ValueError as error:  # floats that do not separate although exact numbers would
        raise RequestError(str(error)) from None


def _separator(problem: Problem, answer: Any) -> Any:
    """The separator of the best margin of the vectors that are learned from, (x, 1) where there is a bias.

    It is the weights and the bias of each vector; None where it cannot be written down.
    """
    if problem.settings.in_kernel:
        vectors = certificates.separator(problem, answer)
        return None if vectors is None else (vectors, [0.0] * len(vectors))
    w, b = (answer.w, answer.b) if answer.w_augmented is None else (answer.w_augmented, answer.b_augmented)
    w, b = (w, b) if isinstance(w[0], list) else ([w], [b])
    return w, b if problem.settings.bias else [0] * len(w)


def _scale(step: Step) -> float:
    """1/‖u‖: the cosine is u·w over both lengths, and a run begins at zero."""
    assert step.proof is not None
    assert step.proof.cosine is not None
    return step.proof.cosine * step.norm / float(step.proof.progress)


def _curves(step: Step, scale: float) -> dict[str, Any]:
    proof = step.proof
    assert proof is not None
    ceiling = None if proof.norm2_ceiling is None else square_root(proof.norm2_ceiling)
    return {
        "step": step.number, "progress": scale * float(proof.progress), "floor": scale * float(proof.progress_floor),
        "norm": step.norm, "ceiling": ceiling, "cosine": proof.cosine, "cosine_floor": proof.cosine_floor,
    }  # fmt: skip


def _ahead(run: Trace, curves: Sequence[dict[str, Any]]) -> list[list[float]]:
    """[M, γ·Σ τ, √M·R] from the start to where they meet, for equal steps: as far as M mistakes could go at all."""
    if not curves or run.bound is None or curves[0]["ceiling"] is None:
        return []
    first = curves[0]
    for count, each in enumerate(curves, 1):  # steps of other sizes, or a margin that is asked for, grow otherwise
        floor, ceiling = count * first["floor"], math.sqrt(count) * first["ceiling"]
        if not math.isclose(each["floor"], floor, rel_tol=1e-9) or not math.isclose(
            each["ceiling"], ceiling, rel_tol=1e-9
        ):
            return []
    most = (first["ceiling"] / first["floor"]) ** 2
    places = [most * (k / AHEAD) ** 2 for k in range(AHEAD + 1)]  # denser where √M is steep
    return [[M, M * first["floor"], math.sqrt(M) * first["ceiling"]] for M in places]
