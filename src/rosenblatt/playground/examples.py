"""Points to begin with, each with a sentence on what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .pasted import phrases

#: "good" and "bad" with and without "not": no weights of single words can be right.
PHRASES = (("good", "pos"), ("bad", "neg"), ("not good", "neg"), ("not bad", "pos"))

#: Petal length and width in cm of every second flower of two species (Fisher 1936), first versicolor, then virginica.
IRIS = (
    (4.7, 1.4), (4.9, 1.5), (4.6, 1.5), (4.7, 1.6), (4.6, 1.3), (3.5, 1.0), (4.0, 1.0), (3.6, 1.3), (4.5, 1.5),
    (4.5, 1.5), (4.8, 1.8), (4.9, 1.5), (4.3, 1.3), (4.8, 1.4), (4.5, 1.5), (3.8, 1.1), (3.9, 1.2), (4.5, 1.5),
    (4.7, 1.5), (4.1, 1.3), (4.4, 1.2), (4.0, 1.2), (4.2, 1.3), (4.2, 1.3), (3.0, 1.1),
    (6.0, 2.5), (5.9, 2.1), (5.8, 2.2), (4.5, 1.7), (5.8, 1.8), (5.1, 2.0), (5.5, 2.1), (5.1, 2.4), (5.5, 1.8),
    (6.9, 2.3), (5.7, 2.3), (6.7, 2.0), (5.7, 2.1), (4.8, 1.8), (5.6, 2.1), (6.1, 1.9), (5.6, 2.2), (5.6, 1.4),
    (5.6, 2.4), (4.8, 1.8), (5.6, 2.4), (5.1, 1.9), (5.7, 2.5), (5.0, 1.9), (5.4, 2.3),
)  # fmt: skip


def _spirals(turns: int = 16) -> list[tuple[float, float]]:
    """Two spirals around each other, their points in turn."""
    points = []
    for k in range(turns):
        t = 0.5 + 0.33 * k
        x, y = 0.35 * t * math.cos(1.5 * t), 0.35 * t * math.sin(1.5 * t)
        points += [(x, y), (-x, -y)]
    return points


def _example(title: str, about: str, points: Any, labels: Sequence[int], **settings: Any) -> dict[str, Any]:
    points = [[round(float(v), 2) + 0.0 for v in point] for point in points]
    return {"title": title, "about": about, "points": points, "labels": list(labels), "settings": settings}


#: Drawn from two and three clouds, to one decimal.
SEPARABLE = ((0.2, 0.8), (1.9, 2.0), (0.0, 0.1), (1.6, 1.5), (-0.1, 0.0), (1.6, 2.2), (0.2, 1.4), (1.9, 2.5),
             (-0.1, 0.2), (2.8, 2.2), (0.5, 0.8), (1.2, 2.0), (0.3, 0.0), (2.7, 2.4), (0.2, 1.0), (1.8, 2.0),
)  # fmt: skip
OVERLAPPING = ((-1.7, -1.2), (0.9, 1.2), (0.4, -1.2), (0.6, 1.3), (-0.7, 0.5), (0.7, 1.3), (-1.3, -0.5), (2.2, -0.1),
               (-0.6, -0.3), (1.0, 0.1), (-1.9, -0.3), (0.9, -0.6), (0.7, -1.9), (0.2, 0.4), (0.2, -0.3), (1.7, 1.7),
               (-1.3, 1.6), (-0.5, -0.2), (0.1, -1.6), (1.4, -1.4))  # fmt: skip
THREE = ((-2.3, -1.1), (1.9, -1.6), (-0.7, 2.2), (-1.3, -0.6), (2.0, -1.2), (-0.9, 0.9), (-2.2, -1.2), (2.6, -0.6),
         (-0.2, 1.5), (-2.1, -0.2), (2.0, -0.6), (0.1, 3.2), (-2.2, -1.2), (1.8, -0.4), (-0.5, 1.7), (-1.8, -1.1),
         (2.0, -0.7), (0.1, 2.3))  # fmt: skip


@lru_cache(maxsize=1)
def examples() -> dict[str, dict[str, Any]]:
    """All of them by name, in the order in which the page lists them."""
    ring = [(math.cos(math.pi * k / 6), math.sin(math.pi * k / 6)) for k in range(12)]
    circles = [(0.8 * x, 0.8 * y) for x, y in ring[::2]] + [(2.2 * x, 2.2 * y) for x, y in ring]
    return {
        "four points": _example(
            "Four points", "Without a bias the boundary goes through the origin: 13 updates in 8 passes.",
            [(1, 3), (2, 3), (-3, 1), (1, -1)], [1, 0, 1, 0], bias=False,
        ),
        "separable": _example(
            "Separable", "Two clouds with room between them: a few mistakes, and it is done.", SEPARABLE, [0, 1] * 8
        ),
        "narrow margin": _example(
            "Narrow margin", "Separable, but barely: the mistakes go with (R/γ)².",
            [(-2, -1.4), (2, 0.7), (-1, -0.5), (1, 0.7), (0, -0.2), (0.4, 0.5), (1.4, 0.3), (-1.6, -0.7), (2.4, 0.9),
             (-0.8, 0.2)], [0, 0, 0, 1, 0, 1, 0, 1, 0, 1],
        ),
        "inseparable": _example(
            "Inseparable", "Two clouds that overlap: it never rests, and a certificate says why.",
            OVERLAPPING, [0, 1] * 10, passes=20,
        ),
        "xor": _example(
            "XOR", "Back at zero after four updates: no line can do it. Try a kernel.",
            [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0],
        ),
        "and": _example(
            "AND", "+1 only where both are 1: a line can do it.", [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 0, 0, 1]
        ),
        "or": _example(
            "OR", "+1 where one of them is 1: a line can do it too.", [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 1]
        ),
        "circles": _example(
            "Circles", "A ring around a ring: no line, but a kernel of degree 2.",
            circles, [0] * 6 + [1] * 12, passes=20,
        ),
        "spirals": _example(
            "Spirals", "Two spirals around each other: choose an RBF kernel.", _spirals(), [0, 1] * 16, passes=20
        ),
        "iris": _example(
            "Iris", "Petals of two species. One of each has the same petals: nothing can tell these two apart.",
            [point for pair in zip(IRIS[:25], IRIS[25:]) for point in pair], [0, 1] * 25, passes=20,
        ) | {"names": ["petal length", "petal width"], "classes": ["versicolor", "virginica"]},
        "three classes": _example(
            "Three classes", "One weight vector for each class: the right one gains x, the best wrong one loses it.",
            THREE, [0, 1, 2] * 6,
        ),
        "phrases, words": {
            "title": "Phrases: words",
            "about": "good, bad, not good, not bad: no weights of the three words can be right.",
            **phrases(PHRASES, pairs=False), "settings": {"exact": True},
        },
        "phrases, pairs": {
            "title": "Phrases: words and pairs",
            "about": "With “not good” and “not bad” as features of their own they can.",
            **phrases(PHRASES, pairs=True), "settings": {"exact": True},
        },
    }  # fmt: skip
