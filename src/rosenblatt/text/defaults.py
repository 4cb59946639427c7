"""How text is read where nobody says otherwise: by the command, and on a cluster."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .analysis import Analysis
from .hashing import Hashing

#: Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han. (As a pattern they take ten
#: milliseconds to compile.)
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
)  # fmt: skip
_LETTERS = re.compile(r"[^\W\d_]")


def count_without_spaces(text: str) -> int:
    """How many characters are of scripts that put no spaces between words."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return sum(int(np.count_nonzero((codes >= first) & (codes <= last))) for first, last in _WITHOUT_SPACES)


def analyzer_for(text: str) -> tuple[str, str]:
    """Whether text is read as words or as characters, by its script, and why it is the latter."""
    letters, without = len(_LETTERS.findall(text)), count_without_spaces(text)
    if not letters or without < letters / 4:
        return "word", ""
    return "char", f"{min(1, without / letters):.0%} of the letters are of scripts without spaces between words"


def default_hashing(
    bits: int,
    *,
    analyzer: str | None = None,
    ngrams: int | None = None,
    symbols: bool | None = None,
    min_length: int | None = None,
    negations: Any = None,
    weighting: str | None = None,
    **options: Any,
) -> Hashing:
    """Words from one letter up and every other symbol, 1 to 2 in a row, or 1 to 3 characters; each counts once.

    What is None is left open; ``ngrams`` is the longest, ``options`` are those of `Hashing`.
    """
    analyzer = analyzer or "word"
    words = analyzer == "word"
    symbols = words and symbols is not False
    analysis = Analysis(
        ngrams=(1, ngrams or (2 if words else 3)), analyzer=analyzer, symbols=symbols,
        min_length=min_length or (1 if symbols else 2), negations=negations,
    )  # fmt: skip
    return Hashing(analysis, bits=bits, weighting=weighting or "binary", **{"idf": True, **options})
