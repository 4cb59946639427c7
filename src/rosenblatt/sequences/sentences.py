"""Sentences as columns of strings, and the rows of features of their tokens."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, DataTypeError

Array = NDArray[Any]


def starts_of(lengths: Sequence[int]) -> NDArray[np.int64]:
    """Where sentences of these lengths start among the tokens of all, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def place_of(starts: Array, token: int) -> tuple[int, int]:
    """The sentence of a token that is counted through all sentences, and its number in that sentence."""
    sentence = int(np.searchsorted(starts, token, side="right")) - 1
    return sentence, token - int(starts[sentence])


def placed(error: DataError, starts: Array) -> DataError:
    """The error of a token that was counted through all sentences, with its sentence."""
    if error.token is None:
        return error
    sentence, token = place_of(starts, error.token)
    return error.at(sentence=sentence, token=token)


def counted(n: int, noun: str = "column") -> str:
    """So many of a thing, in words."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def lists_of(sentences: Any) -> Sequence[Sequence[Any]]:
    """Sentences as lists or tuples of tokens: of arrays, Series and generators, too; refuses what is no sequence."""
    if isinstance(sentences, _NO_SEQUENCE) or not isinstance(sentences, Iterable):
        problem = f"sentences must be a list of lists of tokens, got {type(sentences).__name__}"
        raise DataTypeError(problem, "put a single sentence into a list: [sentence]")
    outer = sentences if isinstance(sentences, (list, tuple)) else list(sentences)
    if all(isinstance(sentence, (list, tuple)) for sentence in outer):
        return outer
    for number, sentence in enumerate(outer):
        if isinstance(sentence, _NO_SEQUENCE) or not isinstance(sentence, Iterable):
            problem = f"a sentence must be a list of tokens, got {type(sentence).__name__}"
            remedy = "split text into words first, and put one sentence into a list"
            raise DataTypeError(problem, remedy, sentence=number)
    return [sentence.tolist() if isinstance(sentence, np.ndarray) else list(sentence) for sentence in outer]


_NO_SEQUENCE = (str, bytes, Mapping, Set)


def check_tags(tags: Sequence[str]) -> None:
    """Refuse a tag that is not text, as UTF-8 has no bytes for it; ``token`` of the error counts through all."""
    for tag in dict.fromkeys(tags):
        try:
            tag.encode()
        except UnicodeEncodeError:
            problem, remedy = f"the tag {tag!r} holds a lone surrogate, which is not text", "decode it anew"
            raise DataError(problem, remedy, token=tags.index(tag)) from None


@dataclass(frozen=True)
class Sentences:
    """Sentences as files hold them: columns of strings over all tokens, and where each sentence starts.

    Parameters
    ----------
    columns : tuple of list of str
        ``columns[c][i]`` is column c of token i, counted through all sentences.
    starts : ndarray of int64, (n_sentences + 1,)
        Sentence s has the tokens ``starts[s]`` to ``starts[s + 1] - 1``.

    Examples
    --------
    >>> two = Sentences.of_words([["The", "cat", "sat"], ["It", "slept"]])
    >>> len(two), two.n_tokens, two.sentence(1)
    (2, 5, [('It',), ('slept',)])
    """

    columns: tuple[list[str], ...]
    starts: Array

    def __post_init__(self) -> None:
        starts = np.ascontiguousarray(self.starts, np.int64)
        object.__setattr__(self, "starts", starts)
        if starts.ndim != 1 or len(starts) == 0 or starts[0] != 0 or np.any(np.diff(starts) < 0):
            raise DataError(
                "starts must rise from 0 to the number of tokens", "give one for each sentence, and the end"
            )
        for number, column in enumerate(self.columns):
            if len(column) != starts[-1]:
                problem = f"column {number} holds {len(column)} strings for {starts[-1]} tokens"
                raise DataError(problem, "give one for each token")

    @classmethod
    def of_words(cls, sentences: Sequence[Sequence[str]]) -> Sentences:
        """Sentences of words: one column."""
        sentences = lists_of(sentences)
        return cls((list(chain.from_iterable(sentences)),), starts_of([len(sentence) for sentence in sentences]))

    @classmethod
    def of_columns(cls, sentences: Sequence[Sequence[Sequence[str]]]) -> Sentences:
        """Sentences whose tokens are tuples or lists of strings, one for each column."""
        sentences = lists_of(sentences)
        starts = starts_of([len(sentence) for sentence in sentences])
        tokens = list(chain.from_iterable(sentences))
        odd = {kind for kind in set(map(type, tokens)) if not issubclass(kind, (tuple, list))}
        if odd:
            number = next(i for i, token in enumerate(tokens) if type(token) in odd)
            sentence, place = place_of(starts, number)
            problem = f"a token must be the strings of its columns in a tuple, got {type(tokens[number]).__name__}"
            raise DataTypeError(problem, "give every token the same columns", sentence=sentence, token=place)
        n_columns = len(tokens[0]) if tokens else 1
        if n_columns == 0 or set(map(len, tokens)) - {n_columns}:
            number = next((i for i, token in enumerate(tokens) if len(token) != n_columns), 0)
            sentence, place = place_of(starts, number)
            problem = f"a token has {counted(len(tokens[number]))}, where the first has {counted(n_columns)}"
            problem = problem if n_columns else "a token has no columns"
            raise DataError(problem, "give every token the same columns", sentence=sentence, token=place)
        return cls(tuple(list(map(itemgetter(c), tokens)) for c in range(n_columns)), starts)

    @property
    def n_columns(self) -> int:
        """How many columns a token has."""
        return len(self.columns)

    @property
    def n_tokens(self) -> int:
        """How many tokens all sentences have."""
        return int(self.starts[-1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[list[tuple[str, ...]]]:
        return map(self.sentence, range(len(self)))

    @overload
    def __getitem__(self, part: slice) -> Sentences: ...
    @overload
    def __getitem__(self, part: int) -> list[tuple[str, ...]]: ...
    def __getitem__(self, part: slice | int) -> Sentences | list[tuple[str, ...]]:
        """Some sentences that follow each other, or one, as the columns of each of its tokens."""
        if not isinstance(part, slice):
            number = operator.index(part)
            return self.sentence(number + len(self) if number < 0 else number)
        first, last, step = part.indices(len(self))
        if step != 1:
            raise ValueError("sentences are taken in their order, one after the other; leave the step out")
        starts = self.starts[first : max(first, last) + 1]
        begin, end = int(starts[0]), int(starts[-1])
        return Sentences(tuple(column[begin:end] for column in self.columns), starts - begin)

    def sentence(self, number: int) -> list[tuple[str, ...]]:
        """One sentence, as the columns of each of its tokens."""
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} sentences, and none has the number {number}")
        begin, end = int(self.starts[number]), int(self.starts[number + 1])
        return list(zip(*(column[begin:end] for column in self.columns)))


@dataclass(frozen=True)
class TokenRows:
    """Features of the tokens of sentences, in rows: token i has ``indices[indptr[i]:indptr[i + 1]]``, ascending.

    Parameters
    ----------
    indptr : ndarray of int64, (n_tokens + 1,)
        Where the row of each token starts, and the last one ends.
    indices : ndarray of int32
        Columns of features, each at most once in a token.
    data : ndarray of float32 or None
        Their values; None where all are 1.
    n_columns : int
        Columns lie from 0 to ``n_columns - 1``.
    starts : ndarray of int64, (n_sentences + 1,)
        Where sentences start among the tokens.
    """

    indptr: Array
    indices: Array
    data: Array | None
    n_columns: int
    starts: Array

    @property
    def n_tokens(self) -> int:
        """How many tokens all sentences have."""
        return int(self.starts[-1])

    def __len__(self) -> int:
        return len(self.starts) - 1
