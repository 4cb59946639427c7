"""Links: what the tags before a token are, and how links are numbered, here as in ``native/lattice.hpp``. Plain Python.

A link has a weight for every tag that may come next; links to the end have one for every tag that may be the last. Of
order 1 a link is the tag before, or the start; of order 2 the two before. "Middle" is what is known of the tag before:
0 is the start, 1 + c is tag c. A tag more leaves the numbers of the links that are there as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

ORDERS = (1, 2)


def n_links(n_tags: int, order: int) -> int:
    """How many links there are."""
    return n_tags + 2 if order == 1 else (n_tags + 1) * (n_tags + 2)


def pair(a: int, b: int) -> int:
    """The link of middles a and b, one before the other, of order 2."""
    shell = max(a, b)
    return shell * (shell + 1) + 1 + (b if a == shell else shell + 1 + a)


def end(middle: int, order: int) -> int:
    """The link to the end from a last token with this middle before it."""
    return 0 if order == 1 else middle * (middle + 1)


def into(tags: Sequence[int], t: int, order: int) -> int:
    """The link into token t of a sequence of tags."""
    if order == 1:
        return 1 if t == 0 else 2 + tags[t - 1]
    before = [0 if s < 0 else 1 + tags[s] for s in (t - 2, t - 1)]
    return pair(*before)


def along(tags: Sequence[int], order: int) -> Iterator[tuple[int, int]]:
    """(link, tag) of every token of a sequence, and of its end."""
    for t, tag in enumerate(tags):
        yield into(tags, t, order), tag
    middle = 0 if order == 1 or len(tags) == 1 else 1 + tags[-2]
    yield end(middle, order), tags[-1]


def names(tags: Sequence[str], order: int) -> list[str]:
    """Each link by its tags: "DET→" before a tag, "→end" after it; of order 2 "DET NOUN→"."""
    out = [""] * n_links(len(tags), order)
    if order == 1:
        out[0], out[1] = "→end", "start→"
        out[2:] = [f"{tag}→" for tag in tags]
        return out
    for b, last in enumerate(("", *tags)):
        out[end(b, 2)] = f"{last} →end" if last else "→end"  # the last tag stands between
        for a, first in enumerate(("start", *tags)):
            out[pair(a, b)] = f"{first} {last}→" if last else "start→"
    return out


def name(names: Sequence[str], tags: Sequence[str], link: int, tag: int) -> str:
    """One link with the tag that follows it, or that is the last: "DET→NOUN", "NOUN→end"."""
    before, arrow, after = names[link].partition("→")
    return f"{before}{tags[tag]}{arrow}{after}" if after else f"{before}{arrow}{tags[tag]}"
