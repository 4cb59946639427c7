"""Viterbi's search in plain Python, of any numbers: the best sequence of tags, and the best other than a given one.

A state is the last tag or, of order 2, the last two; a way to it is the tags up to there. Sums go as in ``reference``,
from the first token to the last, emission before link, and rounding never changes an order: so the largest of all the
rounded sums is found. Among equals the lowest tag is taken, decided from the last token back, here as in
``native/lattice.hpp``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import links

Number = Any
State = tuple[int, ...]
Ways = dict[State, Number]  # the score of the best way to each state of a token


class Search:
    """All sequences of tags of one sentence.

    Parameters
    ----------
    emissions : sequence of sequences of numbers
        The score of each tag at each token.
    link : callable
        ``link(number, tag)``: the weight of a tag after a link; −∞ where it may not follow.
    order : {1, 2}
        How many tags before a token its link knows.
    """

    def __init__(self, emissions: Sequence[Sequence[Number]], link: Callable[[int, int], Number], order: int) -> None:
        self.emissions, self.link, self.order = emissions, link, order
        self.n_tags, self.last = len(emissions[0]), len(emissions) - 1

    def best(self, other_than: Sequence[int] | None = None) -> tuple[Number, tuple[int, ...]] | None:
        """(score, tags) of the best sequence, or of the best other than this one; None: there is none."""
        right = None if other_than is None else tuple(other_than)
        free: list[Ways] = []
        apart: list[Ways] = []  # the same, of ways that are not those of the right sequence
        for t in range(self.last + 1):
            free.append({state: self._most(t, state, free) for state in self._states(t)})
            held = free[t]
            if right is not None:
                own = self._state_of(right, t)
                held = held | {own: self._most(t, own, apart) if t else -math.inf}
            apart.append(held)
        top: Number = -math.inf
        state: State = ()
        for each in sorted(self._states(self.last), key=lambda state: state[::-1]):
            middle = 1 + each[-2] if self.order == 2 and len(each) == 2 else 0
            total = apart[self.last][each] + self.link(links.end(middle, self.order), each[-1])
            if total > top:
                top, state = total, each
        return None if top == -math.inf else (top, self._back(state, right, free, apart))

    def _back(self, state: State, right: State | None, free: list[Ways], apart: list[Ways]) -> tuple[int, ...]:
        """The tags of the best way to a state of the last token."""
        tags = [state[-1]]
        for t in range(self.last, 0, -1):
            if right is not None and state != self._state_of(right, t):
                right = None  # it has left the right one: any way goes on
            most: Number = -math.inf
            for before, score in self._arrivals(t, state, free if right is None else apart):
                if score > most:
                    most, came_from = score, before
            state = came_from
            tags.append(state[-1])
        return tuple(reversed(tags))

    def _states(self, t: int) -> Iterator[State]:
        return itertools.product(range(self.n_tags), repeat=min(self.order, t + 1))

    def _state_of(self, tags: Sequence[int], t: int) -> State:
        return tuple(tags[max(0, t + 1 - self.order) : t + 1])

    def _arrivals(self, t: int, state: State, ways: list[Ways]) -> Iterator[tuple[State, Number]]:
        """The states before that lead to a state, the lowest first, and the score of going there from each."""
        tag, emission = state[-1], self.emissions[t][state[-1]]
        if t == 0:
            yield (), (0 + emission) + self.link(links.into(state, 0, self.order), tag)
            return
        known = state[:-1]  # of order 2 the tag before, which the states before end with
        for before in self._states(t - 1):
            if not known or before[-1] == known[-1]:
                link = links.into((*before, tag), len(before), self.order)
                yield before, (ways[t - 1][before] + emission) + self.link(link, tag)

    def _most(self, t: int, state: State, ways: list[Ways]) -> Number:
        most: Number = -math.inf
        for _, score in self._arrivals(t, state, ways):
            most = score if score > most else most
        return most
