"""The model after each step: what a readout makes of the weights that a run has gone through so far."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from ..core import exact
from .records import Recorded, Vectors, decided

Scores = list[list[float]]  # of each place, a number for each vector


def coordinates(made: Recorded, step: int) -> Vectors:
    """The weights of the readout after so many steps; of votes there are none: the last ones."""
    return coordinates_at(made, [step])[0]


def coordinates_at(made: Recorded, steps: Sequence[int]) -> list[Vectors]:
    """The weights of the readout after so many steps each."""
    return _read(made.coordinates, made, steps)


def in_fractions(made: Recorded, step: int) -> list[list[Fraction]]:
    """The weights of the readout as fractions, of a run whose numbers are short decimals."""
    moments = [[[Fraction(exact.number(v)) for v in vector] for vector in moment] for moment in made.coordinates]
    vectors: list[list[Fraction]] = _read(moments, made, [step])[0]
    return vectors


def _read(moments: Sequence[Any], made: Recorded, steps: Sequence[int]) -> list[Any]:
    """What the readout makes of the weights of all moments, after so many steps each."""
    readout = made.problem.settings.readout
    if readout == "pocket":
        return [moments[_pocket(made, step) if step else 0] for step in steps]
    if readout != "averaged":
        return [moments[made.after[step - 1] if step else 0] for step in steps]
    means, summed, done = {0: moments[0]}, [[0 * value for value in vector] for vector in moments[0]], 0
    for step in sorted(set(steps) - {0}):
        for moment, times in _survived(made, step, done):
            summed = [[s + times * v for s, v in zip(*pair)] for pair in zip(summed, moments[moment])]
        done, means[step] = step, [[value / step for value in vector] for vector in summed]
    return [means[step] for step in steps]


def scores(made: Recorded, steps: Sequence[int], basis: Vectors) -> list[Scores]:
    """Scores by the readout after so many steps each, or votes. ``basis`` has the places."""
    if made.problem.settings.readout == "voted":
        return _votes(made, steps, basis)
    made_of: dict[int, Scores] = {}  # by the weights, which stay the same for some steps
    return [made_of.get(id(w)) or made_of.setdefault(id(w), weighed(w, basis)) for w in coordinates_at(made, steps)]


def weighed(vectors: Vectors, basis: Vectors) -> Scores:
    """Scores of places by weights."""
    columns, scores = list(zip(*basis)), []
    for vector in vectors:
        summed = [0.0] * len(basis)
        for value, column in zip(vector, columns):
            if value:
                summed = [s + value * x for s, x in zip(summed, column)]
        scores.append(summed)
    return [list(place) for place in zip(*scores)]


def _votes(made: Recorded, steps: Sequence[int], basis: Vectors) -> list[Scores]:
    """Votes of all weight vectors so far, each as often as it survived an example."""
    k = len(made.coordinates[0])
    counted: dict[int, Scores] = {}
    votes = [[0.0] * k for _ in basis]
    said: dict[int, list[int]] = {}  # what each moment says of each place
    done = 0
    for step in sorted(set(steps)):
        for moment, times in _survived(made, step, done):
            if moment not in said:
                said = {moment: [decided(scores) for scores in weighed(made.coordinates[moment], basis)]}
            for place, code in zip(votes, said[moment]):
                if k == 1:
                    place[0] += times if code else -times
                else:
                    place[code] += times
        done = step
        counted[step] = [list(place) for place in votes]
    return [counted[step] for step in steps]


def _survived(made: Recorded, step: int, first: int = 0) -> list[tuple[int, int]]:
    """The moments of some steps, each with how many examples it survived, the one that made it included."""
    return [(moment, len(list(times))) for moment, times in groupby(made.after[first:step])]


def _pocket(made: Recorded, step: int) -> int:
    """The moment in the pocket: the longest run of right answers, replaced only by fewer mistakes on all points."""
    wrong = [right.count(False) for right in made.right()]
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
