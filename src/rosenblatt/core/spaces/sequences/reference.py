"""Learning from sentences in plain Python: the specification, and the oracle of the tests.

A sequence of tags y scores ``S(y) = Σ_t W_{y_t}·φ_t + Σ_t T[link_t, y_t] + T[end link, y_n]``: a token's emission in
the fixed 16 lanes, then sums over the tokens from the first to the last, emission before link, in double precision. The
rival is the best sequence other than the right one, among equals the one of the lowest tag, decided from the last token
back. A step moves the weights by ``τ·ΔΦ``, the difference of the features of the two, merged over the tokens: first the
emissions where the tags differ, token by token, the right tag's before the rival's, then the links likewise. Sums over
ΔΦ (its squared norm, its variance) go in this order too, in 16 lanes by the places of the weights.

>>> from rosenblatt.core import rules
>>> from rosenblatt.core.spaces.sequences import reference
>>> tagger = reference.Tagger(n_columns=3, n_tags=2)
>>> sentence = [{0: 1}, {1: 1}, {2: 1}]  # three tokens, each with the one feature of its word
>>> for _ in range(3):
...     step = tagger.visit(rules.Perceptron(eta0=1), sentence, [0, 1, 0])
...     print(step.rival, step.margin, step.tau)
(0, 0, 0) 0 1
(1, 1, 0) 1 0
(1, 1, 0) 1 0
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import confidence, rules
from ...reference import LANES, wide
from ...rules import Example
from ...strides import stride_of
from . import links
from .viterbi import Search

Number = Any
Sentence = Sequence[Mapping[int, Number]]  # of each token its features: column and number
Key = tuple[str, int, int]  # ("column" or "link", which, tag)


def tree(lanes: list[Number]) -> Number:
    """The sum of 16 lanes by a halving tree."""
    half = LANES // 2
    while half:
        lanes = [lanes[lane] + lanes[lane + half] for lane in range(half)]
        half //= 2
    return lanes[0]


@dataclass
class Judged:
    """What the weights say of a sentence: its emissions, S(right), the rival and S(rival), whether that is a mistake.

    Where there is no other sequence, the rival is the right one, and S(rival) is −∞.
    """

    emissions: Sequence[Sequence[Number]]
    score: Number
    rival: tuple[int, ...]
    rival_score: Number
    wrong: bool

    @property
    def margin(self) -> Number:
        return self.score - self.rival_score


@dataclass
class Step:
    """What a visit did: the weights' judgement before it, τ, ΔΦ."""

    judged: Judged
    tau: Number
    difference: dict[Key, Number]

    @property
    def rival(self) -> tuple[int, ...]:
        return self.judged.rival

    @property
    def margin(self) -> Number:
        return self.judged.margin

    @property
    def wrong(self) -> bool:
        return self.judged.wrong


class Tagger:
    """Weights of columns and links by tag, and the learning of one sentence.

    Parameters
    ----------
    n_columns, n_tags : int
        Features and tags.
    order : {1, 2}
        How many tags before a token its link knows.
    cost : {"hamming", "sqrt", "one"}
        ρ in the loss ``ρ − margin``: how many tags the rival has wrong, the square root of that, or 1.
    ties : {"mistake", "predict"}
        Whether a margin of 0 is a mistake, or one only where the rival would be predicted.
    number : callable
        The type of the weights.
    allowed : array or None
        Which tag may follow which link; None: any.
    """

    def __init__(
        self,
        n_columns: int,
        n_tags: int,
        order: int = 1,
        *,
        cost: str = "hamming",
        ties: str = "mistake",
        number: Callable[[Any], Number] = lambda value: value,
        allowed: Any = None,
    ) -> None:
        self.n_columns, self.n_tags, self.order, self.cost, self.ties = n_columns, n_tags, order, cost, ties
        self.number, self.allowed = number, allowed
        self.w: dict[Key, Number] = {}
        self.total: dict[Key, Number] = {}
        self.p: dict[Key, Number] = {}  # of rules that keep a variance
        self.visited = 0

    # ---- scores --------------------------------------------------------------------------------------------------

    def emission(self, token: Mapping[int, Number], tag: int) -> Number:
        """W_tag·φ in 16 lanes."""
        lanes = [self.number(0)] * LANES
        for column in sorted(token):
            weight = self.w.get(("column", column, tag), self.number(0))
            lanes[column % LANES] = lanes[column % LANES] + self.number(token[column]) * weight
        return wide(tree(lanes))

    def score(self, sentence: Sentence, tags: Sequence[int]) -> Number:
        """S(tags); −∞ where it may not be taken."""
        total: Number = 0
        steps = list(links.along(tags, self.order))
        for token, (link, tag) in zip(sentence, steps):
            total = (total + self.emission(token, tag)) + self.link(link, tag)
        return total + self.link(*steps[-1])

    def link(self, link: int, tag: int) -> Number:
        if self.allowed is not None and not self.allowed[link][tag]:
            return -math.inf
        return wide(self.w.get(("link", link, tag), self.number(0)))

    def ranked(
        self, sentence: Sentence, other_than: Sequence[int] | None = None
    ) -> list[tuple[Number, tuple[int, ...]]]:
        """All sequences that may be taken with their scores, best first: of equals the lowest tags, the last first."""
        found = []
        for tags in itertools.product(range(self.n_tags), repeat=len(sentence)):
            score = self.score(sentence, tags)
            if score != -math.inf and (other_than is None or tags != tuple(other_than)):
                found.append((score, tags))
        return sorted(found, key=lambda each: (-each[0], each[1][::-1]))

    def search(self, sentence: Sentence) -> Search:
        """Viterbi's search over all sequences."""
        emissions = [[self.emission(token, tag) for tag in range(self.n_tags)] for token in sentence]
        return Search(emissions, self.link, self.order)

    def decode(self, sentence: Sentence) -> tuple[int, ...]:
        """The best sequence."""
        best = self.search(sentence).best()
        if best is None:
            raise ValueError("no sequence of tags may be taken")
        return best[1]

    # ---- learning ------------------------------------------------------------------------------------------------

    def phi(self, sentence: Sentence, tags: Sequence[int]) -> dict[Key, Number]:
        """Φ(x, tags)."""
        out: dict[Key, Number] = {}
        for token, tag in zip(sentence, tags):
            for column in sorted(token):
                key = ("column", column, tag)
                out[key] = out.get(key, 0) + token[column]
        for link, tag in links.along(tags, self.order):
            out["link", link, tag] = out.get(("link", link, tag), 0) + 1
        return out

    def difference(self, sentence: Sentence, right: Sequence[int], rival: Sequence[int]) -> dict[Key, Number]:
        """ΔΦ = Φ(right) − Φ(rival), in the order in which its numbers are met."""
        out: dict[Key, Number] = {}

        def add(key: Key, value: Number) -> None:
            out[key] = out[key] + value if key in out else value

        for token, y, z in zip(sentence, right, rival):
            for column in sorted(token) if y != z else ():
                add(("column", column, y), self.number(token[column]))
                add(("column", column, z), -self.number(token[column]))
        for (mine, y), (other, z) in zip(links.along(right, self.order), links.along(rival, self.order)):
            if (mine, y) != (other, z):
                add(("link", mine, y), self.number(1))
                add(("link", other, z), -self.number(1))
        return out

    def place(self, key: Key) -> int:
        """Where a weight stands in the one vector of all, which begins with the second number of the first row."""
        kind, which, tag = key
        row = 1 + (which if kind == "column" else self.n_columns + which)
        return row * stride_of(max(2, self.n_tags)) + tag - 1

    def lanes(self, terms: Iterator[tuple[Key, Number]]) -> Number:
        """The sum of terms by weight, in 16 lanes by their places."""
        lanes = [self.number(0)] * LANES
        for key, term in terms:
            lane = self.place(key) % LANES
            lanes[lane] = lanes[lane] + term
        return wide(tree(lanes))

    def judge(self, sentence: Sentence, right: Sequence[int]) -> Judged:
        """Find the rival, and whether the right sequence is beaten by it."""
        search, right = self.search(sentence), tuple(right)
        score, other = self.score(sentence, right), search.best(other_than=right)
        if other is None:
            return Judged(search.emissions, score, right, -math.inf, False)
        rival_score, rival = other
        beaten = score < rival_score
        tied = score == rival_score and (self.ties == "mistake" or search.best() != (score, right))
        return Judged(search.emissions, score, rival, rival_score, beaten or tied)

    def visit(self, rule: rules.Rule, sentence: Sentence, right: Sequence[int], weight: Number = 1) -> Step:
        """Decode, judge, and take the rule's step."""
        self.visited += 1
        judged = self.judge(sentence, right)
        if judged.rival_score == -math.inf:
            return Step(judged, 0, {})
        rival, margin, wrong = judged.rival, judged.margin, judged.wrong
        difference = self.difference(sentence, right, rival)
        distance = sum(y != z for y, z in zip(right, rival))
        rho = {"hamming": distance, "sqrt": math.sqrt(distance), "one": 1}[self.cost]
        norm2 = self.lanes((key, value * value) for key, value in difference.items())
        e = Example(margin, rho - margin, wrong, weight, norm2, norm2)
        prior = self.number(rule.prior)
        if rule.keeps is not None:
            known = {key: prior + self.p.get(key, self.number(0)) for key in difference}
            e.v = self.lanes((key, value * value * (1 / known[key])) for key, value in difference.items())
        tau = self.number(rule.step(e))
        if not tau > 0 or (rule.keeps is not None and confidence.is_exhausted(tau)):
            return Step(judged, 0, difference)
        if rule.keeps is None:
            for key, value in difference.items():
                self._put(key, self.w.get(key, self.number(0)) + tau * value)
        else:
            self._surely(rule, rule.shrink(e, wide(tau)), tau, difference)
        return Step(judged, wide(tau), difference)

    def _surely(self, rule: rules.Rule, shrink: tuple[str, Number], tau: Number, difference: dict[Key, Number]) -> None:
        """A step τ·Σ·ΔΦ, and Σ becomes smaller."""
        moved = confidence.Moved(rule.prior, self.number)
        for key, value in difference.items():
            w, p = self.w.get(key, self.number(0)), self.p.get(key, self.number(0))
            w, self.p[key] = moved(shrink, tau, value, value * value, w, p)
            self._put(key, w)

    def _put(self, key: Key, now: Number) -> None:
        old = self.w.get(key, self.number(0))
        self.w[key] = now
        nothing = wide(self.number(0))
        self.total[key] = self.total.get(key, nothing) + (self.visited - 1) * (wide(now) - wide(old))

    def averaged(self, key: Key) -> Number:
        """A weight's mean after each visited sentence."""
        total = self.total[key] if key in self.total else wide(self.number(0))
        return wide(self.w.get(key, self.number(0))) - total / self.visited
