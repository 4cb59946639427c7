"""What `rosenblatt tune` tries: values of the command's options, by the kind of the rows.

The first value of each option is the default of the kind. Of all combinations a budget takes the first: the default,
those that differ from it in one option, and then others in an order that is drawn once and for all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..errors import ParameterError
from .choices import CHARACTERS

Options = dict[str, Any]

#: After so many passes a run is judged; the most is what it makes, the first is `train`'s and taken where others are no
#: better, as where a run ends early. (One pass is made block by block.)
PASSES = (5, 3, 10, 2)

#: A learner with its parameter is one choice: C of one rule means nothing to another.
_PA1 = [{"algorithm": "pa1", "C": C} for C in (1.0, 0.3, 3.0, 0.1, 0.03, 10.0)]
_FEW = [{"algorithm": "pa1", "C": C} for C in (0.1, 0.01, 0.001, 1.0, 0.0001)]
_OTHERS: list[Options] = [
    {"algorithm": "arow", "r": 1.0},
    {"algorithm": "arow", "r": 0.1},
    {"algorithm": "averaged"},
    {"algorithm": "pa2", "C": 1.0},
    {"algorithm": "pa2", "C": 0.1},
]

#: Of each kind of rows, the axes of features and the axis of learners.
FEATURES: dict[str, dict[str, list[Any]]] = {
    "text": {
        "characters": ["none", CHARACTERS],
        "weighting": ["binary", "log"],
        "ngrams": [2, 1, 3],
        "supervised": [True, False],
        "fit_intercept": [False, True],
    },
    "sparse": {"norm": ["l2", "none"], "fit_intercept": [False, True]},
    "numbers": {"fit_intercept": [True, False]},
    "regression": {},
}
LEARNERS: dict[str, list[Options]] = {
    "text": [*_PA1, *_OTHERS],
    "sparse": [*_PA1, *_OTHERS],
    "numbers": [
        {"algorithm": "averaged"},
        *_FEW,
        {"algorithm": "arow", "r": 1.0},
        {"algorithm": "arow", "r": 10.0},
        {"algorithm": "pa2", "C": 0.01},
        {"algorithm": "pa2", "C": 0.0001},
    ],
    "regression": [
        {"algorithm": "pa2-regressor", "C": C, "epsilon": epsilon}
        for C, epsilon in product((1.0, 0.1, 0.01, 0.001), (0.1, 0.0, 0.5))
    ],
}
#: Parameters of learners; one that does not take those that are asked for is not tried.
_PARAMETERS = ("C", "r", "epsilon")
#: What may be searched, by name.
GRIDS = ("all", "features", "learners")


def check_grid(grid: str) -> None:
    """Refuse what is no name of a grid."""
    if grid not in GRIDS:
        raise ParameterError(f"grid must be one of {', '.join(GRIDS)}; got {grid!r}", "grid")


def algorithms_of(kind: str) -> set[str]:
    """The algorithms that are tried on a kind of rows."""
    return {learner["algorithm"] for learner in LEARNERS[kind]}


def configurations(
    kind: str,
    grid: str,
    asked: Mapping[str, Any],
    first: Mapping[str, Any],
    fixed: Mapping[str, Any],
    most: int,
    *,
    no_shorter: bool = False,
    refused: Collection[str] = (),
) -> list[Options]:
    """At most so many configurations of a kind of rows.

    ``asked`` has what options name, which is not searched; ``first`` what is known to be good, with which the first
    configuration begins; ``fixed`` what the rows leave no choice of: a value, or None where it does not go with them.
    ``no_shorter``: than its n-grams none are, as a part of the rows is compared on: the longer they are, the more rows
    it takes to see what they are worth. ``refused``: algorithms that do not take what is asked for.
    """
    check_grid(grid)
    known = {name: value for name, value in fixed.items() if name not in asked and value is not None}
    axes = {name: values for name, values in FEATURES[kind].items() if name not in asked and name not in fixed}
    begin = {name: first.get(name, values[0]) for name, values in axes.items()}
    if no_shorter and "ngrams" in axes:
        axes["ngrams"] = [longest for longest in axes["ngrams"] if longest >= begin["ngrams"]]
    if grid == "learners":
        known, axes, begin = {**begin, **known}, {}, {}
    learners: list[Options] = []
    for learner in sorted(LEARNERS[kind], key=lambda one: any(first.get(name, one[name]) != one[name] for name in one)):
        takes = learner["algorithm"] not in refused and all(name in learner for name in _PARAMETERS if name in asked)
        own = {name: value for name, value in learner.items() if name not in asked}
        if takes and asked.get("algorithm", learner["algorithm"]) == learner["algorithm"] and own not in learners:
            learners.append(own)
    learners = learners or [{}]  # an algorithm is asked for that the grid does not have
    found = _ordered(begin, axes, learners[:1] if grid == "features" else learners)
    return [{**known, **options} for _, options in zip(range(most), found)]


def _ordered(begin: Options, axes: Mapping[str, Sequence[Any]], learners: Sequence[Options]) -> Iterator[Options]:
    """All combinations: the first, those of one change, then the others."""
    seen: set[tuple[tuple[str, Any], ...]] = set()

    def new(options: Options) -> bool:
        key = tuple(sorted((name, value) for name, value in options.items()))
        known = key in seen
        seen.add(key)
        return not known

    changes = [{**begin, name: value, **learners[0]} for name, values in axes.items() for value in values]
    changes += [{**begin, **learner} for learner in learners]
    near = [options for options in [{**begin, **learners[0]}, *changes] if new(options)]
    # In turn a change of features and one of the learner, so that a small budget has some of both.
    features = [options for options in near[1:] if all(options.get(k) == v for k, v in learners[0].items())]
    others = [options for options in near[1:] if options not in features]
    yield near[0]
    while features or others:
        for some in (features, others):
            if some:
                yield some.pop(0)
    rest = [
        options
        for values in product(*axes.values())
        for learner in learners
        if new(options := {**dict(zip(axes, values)), **learner})
    ]
    for i in np.random.default_rng(0).permutation(len(rest)).tolist():
        yield rest[i]
