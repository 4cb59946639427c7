"""What the n-grams of a document are."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, fields
from typing import Any

from .. import schema
from ..core import engine
from .lexicon import Lexicon

ANALYZERS = ("word", "char", "char_wb")
DECODE_ERRORS = ("strict", "replace")

#: The longest n-grams of a model file: with longer ones a small file could keep a machine busy with any long document.
LONGEST = 100

#: Words that negate in English, as words are read here: "don't" is "don", since a single letter is no word. "can't" and
#: "won't" are left out: they read as "can" and "won".
ENGLISH_NEGATIONS = (
    "no", "not", "nor", "never", "none", "nobody", "nothing", "nowhere", "neither", "cannot", "without", "hardly",
    "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "mustn", "needn", "shan",
    "shouldn", "wasn", "weren", "wouldn",
)  # fmt: skip


@dataclass(frozen=True)
class Analysis:
    r"""How a document is read: its words or characters, and n-grams of them.

    A word is what ``re.findall(r"(?u)\b\w\w+\b", text.lower())`` finds, in any script. With ``symbols``, so is every
    punctuation mark, sign and emoji, and accents and vowel signs that follow a letter are of its word. The words of an
    n-gram are joined by one space.

    Parameters
    ----------
    ngrams : (int, int), default=(1, 1)
        The shortest and the longest n-grams.
    analyzer : {"word", "char", "char_wb"}, default="word"
        N-grams of words, of characters, or of the characters of each word with a space before and after it.
    lowercase : bool, default=True
        Read the text in lower case, as ``str.lower()`` makes it.
    min_length : int, default=2
        Characters that a word has at least.
    symbols : bool, default=False
        Read every punctuation mark, sign and emoji as a word of its own; of words alone.
    stop_words : iterable of str or None, default=None
        Words to leave out before n-grams are made.
    negations : iterable of str or None, default=None
        Words after which every word gets the prefix ``not_``, up to the next of ``.,;:!?``; for example
        ``rb.text.ENGLISH_NEGATIONS``.
    decode_error : {"strict", "replace"}, default="strict"
        Whether bytes that are not UTF-8 are refused, or read as U+FFFD.
    """

    ngrams: tuple[int, int] = (1, 1)
    analyzer: str = "word"
    lowercase: bool = True
    min_length: int = 2
    symbols: bool = False
    stop_words: tuple[str, ...] | None = None
    negations: tuple[str, ...] | None = None
    decode_error: str = "strict"
    native: tuple[Any, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        choice("analyzer", self.analyzer, ANALYZERS)
        choice("decode_error", self.decode_error, DECODE_ERRORS)
        for name in ("lowercase", "symbols"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.symbols and self.analyzer != "word":
            raise ValueError(
                f"symbols=True reads them as words, and analyzer={self.analyzer!r} reads every character; leave it out"
            )
        whole_number("min_length", self.min_length, 1)
        keep = object.__setattr__
        keep(self, "ngrams", ngram_range("ngrams", self.ngrams))
        replace = self.decode_error == "replace"
        plain = (self.analyzer, *self.ngrams, self.lowercase, replace, self.symbols, int(self.min_length))
        keep(self, "native", (*plain, None, None))
        keep(self, "stop_words", self._words("stop_words"))
        keep(self, "negations", self._words("negations"))
        tables = [None if words is None else Lexicon.of(words).native for words in (self.stop_words, self.negations)]
        keep(self, "native", (*plain, *tables))

    def _words(self, name: str) -> tuple[str, ...] | None:
        """A list of words, each a word as this analysis reads it: another would never be met."""
        listed = getattr(self, name)
        if listed is None:
            return None
        if isinstance(listed, (str, bytes, Mapping, Iterator)) or not isinstance(listed, Iterable):
            raise ValueError(f"{name} must be a list of words or None, got {listed!r}")
        if self.analyzer != "word":
            raise ValueError(f"{name} are words, and analyzer={self.analyzer!r} reads characters; leave them out")
        words = dict.fromkeys(sorted(listed, key=str) if isinstance(listed, Set) else listed)
        single = Analysis(lowercase=self.lowercase, min_length=self.min_length, symbols=self.symbols)
        for word in words:
            if not isinstance(word, str):
                raise ValueError(f"{name} must be strings, got {word!r}")
            read = engine.list_ngrams([word], single.native)
            if any(part not in words for part in read):
                raise ValueError(
                    f"{word!r} among the {name} would never be met: text is read as {read!r} there; give it so"
                )
        return tuple(words)

    def ngrams_of(self, text: str | bytes) -> list[str]:
        """The n-grams of one document, as they come."""
        return engine.list_ngrams([text], self.native)

    @classmethod
    def of_settings(cls, plain: dict[str, Any]) -> Analysis:
        """What ``settings`` gave; refuses, by ValueError, what it never gives."""
        words = schema.optional(schema.listed(schema.text))
        schema.record(
            ngrams=schema.listed(schema.whole(1, LONGEST)),
            analyzer=schema.text,
            lowercase=schema.flag,
            min_length=schema.whole(1),
            symbols=schema.flag,
            stop_words=words,
            negations=words,
            decode_error=schema.text,
        )(plain, "analysis")
        return cls(**plain)

    def stored(self) -> dict[str, Any]:
        """The beginning of the state of what reads text by it; see `STORED_ANALYSIS`."""
        return {"analysis": self.settings(), "unicode": engine.unicode_version()}

    def settings(self) -> dict[str, Any]:
        """The parameters, as plain values for a model file."""
        if self.ngrams[1] > LONGEST:
            raise ValueError(
                f"a model file holds n-grams of at most {LONGEST}, and these are of up to {self.ngrams[1]}"
            )
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}


STORED_ANALYSIS: dict[str, schema.Check] = {"analysis": schema.named(), "unicode": schema.text}


def choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse what is not one of these values."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")


def whole_number(name: str, value: object, low: int, high: int | None = None) -> None:
    """Refuse what is not a whole number from ``low`` to ``high``."""
    fits = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not fits or not low <= value or (high is not None and value > high):  # type: ignore[operator]
        limits = f">= {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {limits}, got {value!r}")


def ngram_range(name: str, value: Any) -> tuple[int, int]:
    """The shortest and the longest n-grams; refuses what is no such pair."""
    pair = tuple(value) if isinstance(value, (tuple, list)) else ()
    whole = all(isinstance(n, numbers.Integral) and not isinstance(n, bool) for n in pair)
    if len(pair) != 2 or not whole or not 1 <= pair[0] <= pair[1]:
        raise ValueError(f"{name} must be (shortest, longest) with 1 <= shortest <= longest, got {value!r}")
    return int(pair[0]), int(pair[1])
