"""The orders that ``numpy.random.default_rng(seed).shuffle`` puts rows in, in plain Python: for where NumPy is not.

SeedSequence makes the state of the generator from a seed (O'Neill 2015), PCG64 draws 64 bits at a time (O'Neill 2014),
and Fisher and Yates shuffle from the end.

>>> orders = shuffles(seed=0, n=5)
>>> next(orders), next(orders)
([2, 4, 3, 0, 1], [4, 1, 2, 0, 3])
"""

from __future__ import annotations

from collections.abc import Iterator

_32, _64, _128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
_POOL = 4  # words of entropy


def shuffles(seed: int, n: int) -> Iterator[list[int]]:
    """One order of ``0 … n − 1`` after another, each a fresh shuffle."""
    words = _words(seed)
    while True:
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = _up_to(words, i)
            order[i], order[j] = order[j], order[i]
        yield order


def _up_to(words: Iterator[int], most: int) -> int:
    """A number from 0 to ``most``, each as likely: as many bits as it has, drawn until they are not above it."""
    bits = (1 << most.bit_length()) - 1
    while (drawn := next(words) & bits) > most:
        pass
    return drawn


def _words(seed: int) -> Iterator[int]:
    """32 bits after another of PCG64, of each 64 the lower ones first."""
    high, low, sequence_high, sequence_low = _state(seed)
    step = ((sequence_high << 64 | sequence_low) << 1 | 1) & _128
    multiplier = 0x2360ED051FC65DA44385DF649FCCF645
    state = ((step + (high << 64 | low)) * multiplier + step) & _128
    while True:
        state = (state * multiplier + step) & _128
        mixed, turn = (state >> 64) ^ (state & _64), state >> 122
        drawn = (mixed >> turn | mixed << (64 - turn)) & _64
        yield drawn & _32
        yield drawn >> 32


def _state(seed: int) -> list[int]:
    """Four numbers of 64 bits that a SeedSequence makes of a seed."""
    entropy = [seed >> shift & _32 for shift in range(0, max(seed.bit_length(), 1), 32)]
    factor = 0x43B0D7E5

    def hashed(value: int) -> int:
        nonlocal factor
        value ^= factor
        factor = factor * 0x931E8875 & _32
        value = value * factor & _32
        return value ^ value >> 16

    def mixed(x: int, y: int) -> int:
        value = (x * 0xCA01F9DD - y * 0x4973F715) & _32
        return value ^ value >> 16

    pool = [hashed(entropy[i] if i < len(entropy) else 0) for i in range(_POOL)]
    for source in range(_POOL):
        for place in range(_POOL):
            if place != source:
                pool[place] = mixed(pool[place], hashed(pool[source]))
    for word in entropy[_POOL:]:
        pool = [mixed(entry, hashed(word)) for entry in pool]
    factor, words = 0x8B51F9DD, []
    for i in range(8):
        value = pool[i % _POOL] ^ factor
        factor = factor * 0x58F38DED & _32
        value = value * factor & _32
        words.append(value ^ value >> 16)
    return [words[i] | words[i + 1] << 32 for i in range(0, 8, 2)]
