"""Sentences and what is read from their tokens: columns of strings, templates of features, rows of hashed columns."""

from __future__ import annotations

from .drawing import TaggedSentence
from .encoding import TokenEncoder
from .features import CHUNKING, words
from .names import FeatureNames
from .phrases import Phrase, PhraseCounts, TaggingScores, are_phrase_tags, phrases_of, score_tags, valid_transitions
from .sentences import Sentences, TokenRows
from .templates import Templates

__all__ = [
    "CHUNKING",
    "FeatureNames",
    "Phrase",
    "PhraseCounts",
    "Sentences",
    "TaggedSentence",
    "TaggingScores",
    "Templates",
    "TokenEncoder",
    "TokenRows",
    "are_phrase_tags",
    "phrases_of",
    "score_tags",
    "valid_transitions",
    "words",
]
