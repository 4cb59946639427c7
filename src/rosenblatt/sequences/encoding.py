"""Sentences to rows of features: each feature of a token is hashed to a column.

The hash H of a string is FNV-1a of its UTF-8 bytes (64 bits), finished by MurmurHash3's ``fmix64``. A feature that is
given by name has H(name). One of a template starts with H of the text around its cells (pieces with a zero byte between
them), and each cell's string s joins it, from left to right: h becomes fmix64(h xor H(s)). The column is the lowest
``bits`` bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from .. import schema
from ..core import engine
from ..errors import DataError, DataTypeError, ParameterError
from ..text import Lexicon
from .features import CHUNKING, words
from .names import FeatureNames
from .sentences import Sentences, TokenRows, counted, lists_of, placed, starts_of
from .templates import EDGES, Templates

#: The section of a model file that says what the features of a token are.
SECTION = "tokens"

#: Features of a token as a caller names them.
Features = str | Iterable[str] | Templates | None


class TokenEncoder:
    r"""What the features of a token are, and their columns.

    Parameters
    ----------
    features : "words", "chunking", str, list of str, Templates or None, default="words"
        The built-in set for words (and further columns, where tokens have them); :data:`CHUNKING`; or templates, as
        text or lines; or None: tokens are dicts or lists of their features by name.
    bits : int, default=24
        There are ``2**bits`` columns; 1 to 30.

    Examples
    --------
    >>> rows = TokenEncoder("U00:%x[0,0]\nU01:%x[-1,0]", bits=18).encode([["The", "cat"]])
    >>> rows.indptr.tolist(), rows.indices.shape, rows.data
    ([0, 2, 4], (4,), None)
    """

    def __init__(self, features: Features = "words", bits: int = 24) -> None:
        if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= 30:
            raise ParameterError(f"bits must be a whole number from 1 to 30, got {bits!r}", "bits")
        self.bits = bits
        self.is_named = features is None
        self.is_built_in = isinstance(features, str) and features == "words"
        self.n_columns: int | None = None  # that tokens have, as the first sentences that were encoded
        self.templates = None if self.is_named or self.is_built_in else _templates(features)

    @property
    def n_features(self) -> int:
        """How many columns rows have."""
        return 1 << self.bits

    def encode(self, X: Any) -> TokenRows:
        """Rows of the tokens of sentences: lists of tokens, or :class:`Sentences`."""
        if self.is_named:
            return self._encode_named(X)
        sentences = self._sentences(X)
        assert self.templates is not None
        try:
            rows = engine.token_rows(sentences.columns, sentences.starts, self.templates.native, self.bits)
        except DataError as error:
            raise placed(error, sentences.starts) from None
        return TokenRows(*rows, None, self.n_features, sentences.starts)

    def names_of(self, sentence: Any) -> list[list[tuple[str, int]]]:
        """Of each token of one sentence, the readable name and the column of each feature."""
        if self.is_named:
            return [[(name, engine.hash_feature(name) & (self.n_features - 1)) for name in _names(token)]
                    for token in sentence]  # fmt: skip
        whole = self._sentences(sentence if isinstance(sentence, Sentences) else [sentence])
        assert self.templates is not None
        return engine.token_feature_names(whole.columns, whole.starts, self.templates.native, self.bits)

    def gather_names(self, X: Any, known: FeatureNames, most: int | None = None) -> FeatureNames:
        """The names that are known and, after them, those of features that are met in these sentences first.

        At most so many in all, or as many as there are columns.
        """
        room = max(0, (self.n_features if most is None else most) - len(known))
        if self.is_named:
            fresh = {engine.hash_feature(name): name for sentence in X for token in sentence for name in _names(token)}
            met = set(known.hashes.tolist())
            new = [(code, name) for code, name in fresh.items() if code not in met]
            lexicon = Lexicon.of(name for _, name in new[:room])
            hashes = np.array([code for code, _ in new[:room]], np.uint64)
            return known.joined(lexicon.text, lexicon.starts, hashes, len(new) <= room)
        whole = self._sentences(X)
        assert self.templates is not None
        found = engine.gather_feature_names(whole.columns, whole.starts, self.templates.native, known.hashes, room)
        return known.joined(*found)

    def _sentences(self, X: Any) -> Sentences:
        """Sentences, with columns as those that came first."""
        sentences = X if isinstance(X, Sentences) else sentences_of(X)
        if self.n_columns is None:
            if self.is_built_in:
                self.templates = words(sentences.n_columns)
            assert self.templates is not None
            self.templates.check_columns(sentences.n_columns)
            self.n_columns = sentences.n_columns
        elif sentences.n_columns != self.n_columns and sentences.n_tokens:
            problem = f"tokens have {counted(sentences.n_columns)}, and the first ones that came had {self.n_columns}"
            raise DataError(problem, "give the columns that the tagger was trained on")
        return sentences

    def _encode_named(self, X: Any) -> TokenRows:
        if isinstance(X, Sentences):
            problem = "features=None takes tokens as dicts or lists of their features by name, got columns of strings"
            raise DataTypeError(problem, 'set features="words" or give templates')
        X = lists_of(X)
        starts = starts_of([len(sentence) for sentence in X])
        try:
            rows = engine.named_token_rows(list(chain.from_iterable(X)), self.bits)
        except DataError as error:
            raise placed(error, starts) from None
        return TokenRows(*rows, self.n_features, starts)

    # ---- state ---------------------------------------------------------------------------------------------------

    def to_state(self) -> dict[str, Any]:
        """Settings as plain values: all that :meth:`from_state` needs."""
        lines = None if self.templates is None else list(self.templates.lines)  # of the built-in set too: it may change
        kind = "words" if self.is_built_in else "names" if self.is_named else "templates"
        edges = EDGES[0] if self.templates is None else self.templates.edges
        return {"features": kind, "templates": lines, "edges": edges, "bits": self.bits, "n_columns": self.n_columns}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TokenEncoder:
        """What :meth:`to_state` gave, as it was; refuses, by ValueError, what does not fit together."""
        _STORED(state, "encoder")
        kind, lines, n_columns = state["features"], state["templates"], state["n_columns"]
        schema.require((lines is None) == (kind == "names" or (kind == "words" and n_columns is None)), "templates")
        made = cls({"words": "words", "names": None}.get(kind, lines), state["bits"])
        made.n_columns = n_columns
        if lines is not None:
            made.templates = Templates(lines, state["edges"])
            if n_columns is not None:
                made.templates.check_columns(n_columns)
        return made


#: The most columns a model file may say tokens have: the built-in set grows with them.
_MOST_COLUMNS = 64
_STORED = schema.record(
    (),
    features=schema.choice("words", "names", "templates"),
    templates=schema.optional(schema.listed(schema.text)),
    edges=schema.choice(*EDGES),
    bits=schema.whole(1, 30),
    n_columns=schema.optional(schema.whole(1, _MOST_COLUMNS)),
)


def sentences_of(X: Any) -> Sentences:
    """Sentences from lists of tokens, each a str or the strings of its columns."""
    X = lists_of(X)
    first = next((token for sentence in X for token in sentence), "")
    if isinstance(first, str):
        return Sentences.of_words(X)
    if isinstance(first, (tuple, list)):
        return Sentences.of_columns(X)
    if isinstance(first, Mapping):
        problem = "a token is a dict, whose features are given by name, while features are to be made of words"
        raise DataTypeError(problem, "set {}", sentence=0, token=0, parameter="features", value=None)
    problem = f"a token must be a str, or the strings of its columns in a tuple, got {type(first).__name__}"
    raise DataTypeError(problem, "give sentences as lists of tokens", sentence=0, token=0)


def _templates(features: Any) -> Templates:
    if isinstance(features, Templates):
        return features
    if isinstance(features, str) and features == "chunking":
        return CHUNKING
    is_word = isinstance(features, str) and features.isalpha() and features[0] not in "UB"
    if is_word or isinstance(features, Mapping) or not isinstance(features, Iterable):
        problem = f'features must be "words", "chunking", templates or None, got {features!r}'
        raise ParameterError(problem, "features")
    return Templates(features)


def _names(token: Any, before: str = "") -> Iterable[str]:
    """The features of a token by name, as the native core reads them."""
    if not isinstance(token, Mapping):
        yield from (before + name for name in token)
        return
    for key, value in token.items():
        if isinstance(value, str):
            yield f"{before}{key}:{value}"
        elif isinstance(value, (Mapping, list, tuple, set, frozenset)):
            yield from _names(value, f"{before}{key}:")
        elif value:
            yield before + key
