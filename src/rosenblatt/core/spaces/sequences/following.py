"""Which tag may follow which link, as arrays: those that did, and those that a scheme allows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .links import end, n_links, pair

Array = NDArray[Any]


def seen(tags: Array, starts: Array, n_tags: int, order: int) -> Array:
    """Which links are followed by which tags somewhere in these sentences: (n_links, n_tags) of 0 and 1.

    Of order 2 a link counts as seen where its last tag was seen before the next one: two tags that follow on each other
    are what is looked for, not three.
    """
    first = np.zeros((n_tags + 2, n_tags), np.uint8)  # of order 1
    if len(tags):
        begins = np.zeros(len(tags), bool)
        begins[starts[:-1][starts[:-1] < starts[1:]]] = True
        before = np.concatenate(([0], tags[:-1])) + 2
        first[np.where(begins, 1, before), tags] = 1
        first[0, tags[np.concatenate((np.flatnonzero(begins)[1:], [len(tags)])) - 1]] = 1
    return first if order == 1 else widened(first)


def widened(first: Array) -> Array:
    """What may follow of order 2, where this may of order 1."""
    n_tags = first.shape[1]
    out = np.zeros((n_links(n_tags, 2), n_tags), np.uint8)
    for b in range(n_tags + 1):
        out[end(b, 2)] = first[0]
        for a in range(n_tags + 1):
            out[pair(a, b)] = first[1 + b]
    return out


def narrowed(allowed: Array, order: int) -> Array:
    """What may follow of order 1, of which this is what may of either order (``widened``)."""
    if order == 1:
        return allowed
    n_tags = allowed.shape[1]
    return allowed[[end(0, 2), *(pair(0, b) for b in range(n_tags + 1))]]


def grown(allowed: Array, n_tags: int, order: int) -> Array:
    """What may follow, for more tags, of which nothing may follow yet."""
    first, held = np.zeros((n_tags + 2, n_tags), np.uint8), narrowed(allowed, order)
    first[: len(held), : held.shape[1]] = held
    return first if order == 1 else widened(first)
