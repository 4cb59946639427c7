"""Sentences as JSON lines, ``{"tokens": ["The", "cat"], "tags": ["DT", "NN"]}``, and as plain text, one a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from ..errors import DataError
from ..sequences.sentences import Sentences, check_tags, counted, starts_of
from .bad_rows import quoted
from .chunks import check_encoding_errors
from .json_lines import object_of_line, read_array
from .sources import Source
from .tagged import SentenceReader, TaggedSentences, check_cells


@dataclass(frozen=True)
class TaggedJson:
    """Settings of sentences as JSON lines, or as one array: an object for each, with its tokens and their tags.

    A token is a string, or a list of strings, its columns. Other names in an object are left as they are.

    Parameters
    ----------
    tokens : str, default="tokens"
        The name of the tokens.
    tags : str, default="tags"
        The name of the tags.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    tokens: str = "tokens"
    tags: str = "tags"
    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "tagged-json"

    def __post_init__(self) -> None:
        check_encoding_errors(self.encoding_errors)
        for name in (self.tokens, self.tags):
            if not isinstance(name, str) or not name:
                raise ValueError(f"tokens and tags are called by a name, got {name!r}")
        if self.tokens == self.tags:
            raise ValueError(f"tokens and tags cannot both be called {self.tags!r}")


class TaggedJsonReader(SentenceReader):
    """Sentences of JSON lines."""

    settings: TaggedJson
    a_line = returns_are_blanks = True
    _n_columns: int | None = None  # of a token; 0: tokens are strings
    _tagged: bool | None = None  # decided by the first sentence of a file

    def prepare(self, source: Source) -> None:
        """Read the elements of an array as lines, if it is one."""
        self._tagged = None
        read_array(source)

    def _parsed(self, text: str, first_line: int, file: str, unreadable: dict[int, DataError]) -> TaggedSentences:
        rows, lines, faults = [], [], []
        for number, line in enumerate(text.split("\n"), first_line):
            if not line.strip():
                continue
            try:
                if number in unreadable:
                    raise unreadable[number]
                row = object_of_line(line.encode(), file, number)
                self._check(row)
            except DataError as fault:
                faults.append(fault.at(file=file, line=number))
            else:
                rows.append(row)
                lines.append(number)
        self._bad_rows.report(faults)
        names = self.settings
        tokens = [row[names.tokens] for row in rows]
        flat = list(chain.from_iterable(tokens))
        columns = [flat] if not self._n_columns else [[token[c] for token in flat] for c in range(self._n_columns)]
        tags = self._once([tag for row in rows for tag in row[names.tags]]) if self._tagged else None
        return TaggedSentences(
            Sentences(tuple(map(self._once, columns)), starts_of([*map(len, tokens)])), tags,
            np.array(lines, np.int64), ((file, 0),), tuple(str(c + 1) for c in range(self._n_columns or 1)),
            rows if self._keep else None,
        )  # fmt: skip

    def _check(self, row: dict[str, Any]) -> None:
        """Refuse an object that is no sentence, or not like those before."""
        names = self.settings
        if names.tokens not in row:
            there = ", ".join(map(quoted, row)) or "none"
            raise DataError(f"the object has no {quoted(names.tokens)}, its names are {there}", "say {}",
                            parameter="tokens", value=...)  # fmt: skip
        self._check_tokens(row[names.tokens])
        tags = row.get(names.tags)
        if self._tagged is None:
            self._tagged = tags is not None
        if tags is None and (self._tagged or self._tags_required):
            raise DataError(f"the sentence has no {quoted(names.tags)}", "tag every sentence, or say {}",
                            parameter="tags", value=...)  # fmt: skip
        if not self._tagged:
            return
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            wrong = tags if not isinstance(tags, list) else next(tag for tag in tags if not isinstance(tag, str))
            raise DataError(f"{quoted(names.tags)} must be a list of strings, got {json.dumps(wrong)[:80]}")
        if len(tags) != len(row[names.tokens]):
            counts = f"{counted(len(row[names.tokens]), 'token')} and {counted(len(tags), 'tag')}"
            raise DataError(counts, "give each token one")
        check_tags(tags)

    def _check_tokens(self, tokens: Any) -> None:
        name = quoted(self.settings.tokens)
        if not isinstance(tokens, list):
            raise DataError(f"{name} must be a list, got {json.dumps(tokens)[:80]}", "split the sentence into words")
        for token in tokens:
            is_row = isinstance(token, list) and token and all(isinstance(cell, str) for cell in token)
            if not is_row and not isinstance(token, str):
                raise DataError(f"a token is a string, or a list of strings, got {json.dumps(token)[:80]}")
            n = len(token) if is_row else 0
            if self._n_columns is None:
                self._n_columns = n
            if n != self._n_columns:
                kinds = [counted(k) if k else "a string" for k in (n, self._n_columns)]
                raise DataError(
                    f"a token is {kinds[0]}, where those before are {kinds[1]}", "give all the same columns"
                )

    def written(self, part: TaggedSentences, tags: Sequence[str]) -> str:
        """The objects of a part, a line each, with these tags."""
        divided = part.divided(list(tags))
        objects = ({**row, self.settings.tags: own} for row, own in zip(part.kept, divided))
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


@dataclass(frozen=True)
class Words:
    """Settings of plain text, to be tagged: a sentence a line, words separated by blanks. A blank line has no words.

    Parameters
    ----------
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    """

    encoding_errors: str = "strict"

    #: What the format is called.
    name: ClassVar[str] = "words"

    def __post_init__(self) -> None:
        check_encoding_errors(self.encoding_errors)


class WordsReader(SentenceReader):
    """Sentences of plain text."""

    settings: Words
    a_line = True

    def prepare(self, source: Source) -> None:
        """Refuse plain text where tags are needed."""
        if self._tags_required:
            raise DataError("plain text has no tags", "say {} if it is columns", file=source.name, parameter="format",
                            value="conll")  # fmt: skip

    def _parsed(self, text: str, first_line: int, file: str, unreadable: dict[int, DataError]) -> TaggedSentences:
        lines = text.split("\n")
        if not lines[-1]:
            del lines[-1]
        numbers = [number for number in range(first_line, first_line + len(lines)) if number not in unreadable]
        self._bad_rows.report(list(unreadable.values()))
        words = [lines[number - first_line].split() for number in numbers]
        return TaggedSentences(
            Sentences((self._once(list(chain.from_iterable(words))),), starts_of([*map(len, words)])), None,
            np.array(numbers, np.int64), ((file, 0),), ("1",), words if self._keep else None,
        )  # fmt: skip

    def written(self, part: TaggedSentences, tags: Sequence[str]) -> str:
        """The words and tags in two columns, a blank line behind each sentence."""
        check_cells(tags, " \t")
        divided = part.divided(list(tags))
        sentences = ("".join(f"{word} {tag}\n" for word, tag in zip(*pair)) for pair in zip(part.kept, divided))
        return "".join(sentence + "\n" for sentence in sentences)
