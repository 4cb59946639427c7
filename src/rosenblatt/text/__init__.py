"""Text to rows: n-grams of words or characters, hashed to columns or looked up in a vocabulary, straight from UTF-8.

``HashedText`` and ``BagOfWords`` are scikit-learn transformers, and load it when first named. What they do is here
without it: an :class:`Analysis` says what the n-grams of a document are, :class:`Hashing` and :class:`Vocabulary` turn
documents into CSR rows, with NumPy alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..core.engine import unicode_version
from .analysis import ENGLISH_NEGATIONS, Analysis
from .documents import Documents
from .hashing import Hashing, columns_of
from .lexicon import Lexicon
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..estimators.text import BagOfWords, HashedText

__all__ = [
    "ENGLISH_NEGATIONS",
    "Analysis",
    "BagOfWords",
    "Documents",
    "HashedText",
    "Hashing",
    "Lexicon",
    "Vocabulary",
    "columns_of",
    "unicode_version",
]


def __getattr__(name: str) -> Any:
    if name not in ("BagOfWords", "HashedText"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    transformer = getattr(importlib.import_module("rosenblatt.estimators.text"), name)
    globals()[name] = transformer
    return transformer


def __dir__() -> list[str]:
    return sorted(__all__)
