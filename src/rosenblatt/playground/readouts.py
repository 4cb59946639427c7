"""The model after each step: what a readout makes of the weights that a run has gone through so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .records import Recorded

Array = NDArray[Any]


def coordinates(made: Recorded, step: int) -> Array:
    """The weights of the readout after so many steps; of votes there are none: the last ones."""
    if not step:
        return np.asarray(made.coordinates[0])
    readout = made.problem.settings.readout
    if readout == "averaged":
        return np.asarray(np.tensordot(_survived(made, step), made.coordinates, axes=1) / step)
    return np.asarray(made.coordinates[_pocket(made, step) if readout == "pocket" else made.after[step - 1]])


def scores(made: Recorded, steps: Sequence[int], basis: Array) -> list[Array]:
    """Scores by the readout after so many steps each, or votes: (n, n_vectors). ``basis`` has the points."""
    if made.problem.settings.readout != "voted":
        return [np.asarray(basis @ coordinates(made, step).T) for step in steps]
    each = np.matmul(
        basis, made.coordinates[: max(made.after[step - 1] if step else 0 for step in steps) + 1].swapaxes(1, 2)
    )
    if each.shape[2] == 1:
        votes = np.where(each > 0, 1.0, -1.0)
    else:
        votes = np.eye(each.shape[2])[each.argmax(axis=2)]
    return [np.tensordot(_survived(made, step)[: len(votes)], votes, axes=1) for step in steps]


def _survived(made: Recorded, step: int) -> Array:
    """How many examples each weight vector survived, the one that made it included."""
    return np.bincount(made.after[:step], minlength=len(made.coordinates))


def _pocket(made: Recorded, step: int) -> int:
    """The moment in the pocket: the longest run of right answers, replaced only by fewer mistakes on all points."""
    wrong = (~made.right()).sum(axis=1)
    present = made.after[step - 1]
    if not wrong[present]:
        return present  # a run that ends here has separated, and leaves them there
    kept = best = run = 0
    for i, visited in enumerate(made.trace[:step]):
        now = made.after[i - 1] if i else 0
        if not visited.mistakes:
            run += 1
            if run > best and (now == kept or wrong[now] < wrong[kept]):
                kept, best = now, run
        if visited.mistakes or visited.moved:
            run = 0
    return kept
