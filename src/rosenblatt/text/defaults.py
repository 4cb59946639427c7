"""How text is read where nobody says otherwise: by the command, and on a cluster."""

from __future__ import annotations

import re
from typing import Any

from .analysis import Analysis
from .hashing import Hashing

#: Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han.
WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
_LETTERS = re.compile(r"[^\W\d_]")


def analyzer_for(text: str) -> tuple[str, str]:
    """Whether text is read as words or as characters, by its script, and why it is the latter."""
    letters, without = len(_LETTERS.findall(text)), len(WITHOUT_SPACES.findall(text))
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
