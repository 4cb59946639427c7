"""Phrases of tags such as B-NP, read and counted as conlleval does; which tags may follow each other.

A phrase is right if its type and both its ends are. Tags that break their scheme are read as conlleval reads them: an
``I-NP`` after ``O``, or after a tag of another type, begins a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, ParameterError
from ..tables import Table

Array = NDArray[Any]

#: ``O``, or one of B, I, E and S, alone or with the type of the phrase behind a hyphen; a type may hold hyphens.
PHRASE_TAG = re.compile(r"O|([BIES])(?:-(.*))?", re.DOTALL)
#: What the schemes of `valid_transitions` are called, and the letters that their tags begin with.
SCHEMES = {"bio": "BIO", "bioes": "BIOES"}
#: What stands for the type of phrases that have none, as in seqeval.
NO_TYPE = "_"


class Phrase(NamedTuple):
    """A phrase of a sentence: its ``type``, its first token ``begin`` and the one behind its last, ``end``, from 0."""

    type: str
    begin: int
    end: int


@dataclass(frozen=True)
class PhraseCounts:
    """How many phrases there are, how many were predicted, and how many of those are right.

    Parameters
    ----------
    true : int
        Phrases there are.
    predicted : int
        Phrases predicted.
    right : int
        Predicted phrases that are there: the same type, the same first and last token.
    """

    true: int
    predicted: int
    right: int

    @property
    def precision(self) -> float:
        """The share right / predicted, from 0 to 1; 0 where nothing was predicted, as in conlleval."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share right / true, from 0 to 1; 0 where there is nothing to be found."""
        return self.right / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """2·right / (true + predicted): the harmonic mean of precision and recall, from 0 to 1."""
        return 2 * self.right / (self.true + self.predicted) if self.right else 0.0


@dataclass(frozen=True)
class TaggingScores:
    """How good predicted tags are: `score_tags` makes it.

    ``print`` shows what conlleval prints.

    Parameters
    ----------
    n_tokens, n_right_tokens : int
        Tokens, and those whose tag is right.
    n_sentences, n_right_sentences : int
        Sentences, and those of which every tag is right.
    by_type : dict of str to PhraseCounts, or None
        Phrases of each type; None where tags are not of phrases.
    """

    n_tokens: int
    n_right_tokens: int
    n_sentences: int
    n_right_sentences: int
    by_type: dict[str, PhraseCounts] | None = None

    @property
    def accuracy(self) -> float:
        """The share of tokens whose tag is right; 0 where there are none."""
        return self.n_right_tokens / self.n_tokens if self.n_tokens else 0.0

    @property
    def sentence_accuracy(self) -> float:
        """The share of sentences of which every tag is right; 0 where there are none."""
        return self.n_right_sentences / self.n_sentences if self.n_sentences else 0.0

    @property
    def phrases(self) -> PhraseCounts | None:
        """Phrases of all types together; None where tags are not of phrases."""
        if self.by_type is None:
            return None
        counts = self.by_type.values()
        return PhraseCounts(*(sum(getattr(one, name) for one in counts) for name in ("true", "predicted", "right")))

    def table(self) -> Table:
        """Precision, recall and F1 by type, then of all phrases; of tags that are not of phrases the accuracies."""
        if self.phrases is None:
            rows = [
                ("tokens", _percent(self.accuracy), f"{self.n_tokens:,}"),
                ("sentences", _percent(self.sentence_accuracy), f"{self.n_sentences:,}"),
            ]
            return Table(("right", "share", "of"), rows, align="lrr")
        rows_of = {**(self.by_type or {}), "all phrases": self.phrases}
        rows_of_phrases = [
            (
                name, _percent(one.precision), _percent(one.recall), _percent(one.f1),
                f"{one.true:,}", f"{one.predicted:,}", f"{one.right:,}",
            )
            for name, one in rows_of.items()
        ]  # fmt: skip
        headings = ("type", "precision", "recall", "F1", "phrases", "predicted", "right")
        return Table(headings, rows_of_phrases, align="lrrrrrr", strong=[len(rows_of) - 1], breaks=[len(rows_of) - 1])

    def __str__(self) -> str:
        """What conlleval prints; of tags that are not of phrases the accuracies."""
        phrases = self.phrases
        if phrases is None:
            return (
                f"processed {self.n_tokens} tokens in {self.n_sentences} sentences.\n"
                f"accuracy: {100 * self.accuracy:6.2f}%; whole sentences: {100 * self.sentence_accuracy:6.2f}%"
            )
        lines = [
            f"processed {self.n_tokens} tokens with {phrases.true} phrases; "
            f"found: {phrases.predicted} phrases; correct: {phrases.right}.",
            f"accuracy: {100 * self.accuracy:6.2f}%; {_conlleval(phrases)}",
        ]
        lines += [f"{name:>17}: {_conlleval(one)}  {one.predicted}" for name, one in (self.by_type or {}).items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self.table().html()


def _conlleval(counts: PhraseCounts) -> str:
    precision, recall = 100 * counts.precision, 100 * counts.recall
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {100 * counts.f1:6.2f}"


def _percent(share: float) -> str:
    return f"{share:.2%}"


def are_phrase_tags(tags: Iterable[str]) -> bool:
    """Whether ``tags`` are those of phrases.

    They are if each is ``O``, or B, I, E or S, alone or with a type behind a hyphen, and one at least is not ``O``.
    """
    distinct = set(tags)
    return bool(distinct - {"O"}) and all(map(PHRASE_TAG.fullmatch, distinct))


def phrases_of(tags: Sequence[str]) -> list[Phrase]:
    """The phrases of the tags of one sentence.

    Between the tags ``p-P`` and ``t-T`` of two tokens (before and after the sentence stands ``O``) a phrase

    - ends if p is E or S; if p is B or I and t is B, S or O; or if p is not O and P ≠ T;
    - begins if t is B or S; if t is I or E and p is O, E or S; or if t is not O and P ≠ T.

    These are the rules of conlleval.pl, for tags of B, I and O (IOB1, IOB2) and of I, E and O (IOE1, IOE2). It has no
    S, and goes on with the same phrase at a B that follows an E of its type, as no scheme of its day had both: there,
    for BIOES, the rules are those of seqeval (its default, not strict mode).

    Parameters
    ----------
    tags : list of str
        Tags of phrases, see `are_phrase_tags`; others are refused.

    Examples
    --------
    >>> phrases_of(["B-NP", "I-NP", "O", "I-VP", "I-NP"])
    [Phrase(type='NP', begin=0, end=2), Phrase(type='VP', begin=3, end=4), Phrase(type='NP', begin=4, end=5)]
    """
    codes, types = _codes([tags])
    begins, ends, kinds = _spans(codes, types, _starts([tags]))
    names = list(types.names)
    return [Phrase(names[kind], begin, end) for begin, end, kind in zip(begins.tolist(), ends.tolist(), kinds.tolist())]


def score_tags(y_true: Sequence[Sequence[str]], y_pred: Sequence[Sequence[str]]) -> TaggingScores:
    """Accuracy of predicted tags, and precision, recall and F1 of phrases where the tags are those of phrases.

    Parameters
    ----------
    y_true, y_pred : list of lists of str
        The tags of each sentence, and the predicted ones.

    Returns
    -------
    TaggingScores
        Equal to what conlleval counts (see `phrases_of`), and to seqeval.

    Examples
    --------
    >>> print(score_tags([["B-NP", "I-NP", "O", "B-NP"]], [["B-NP", "I-NP", "O", "B-VP"]]))
    processed 4 tokens with 2 phrases; found: 2 phrases; correct: 1.
    accuracy:  75.00%; precision:  50.00%; recall:  50.00%; FB1:  50.00
                   NP: precision: 100.00%; recall:  50.00%; FB1:  66.67  1
                   VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
    """
    if len(y_true) != len(y_pred):
        raise DataError(f"there are {len(y_true)} sentences and predicted tags of {len(y_pred)}")
    starts = _starts(y_true)
    differing = np.flatnonzero(starts != _starts(y_pred))
    if len(differing):
        s = int(differing[0]) - 1
        raise DataError(f"sentence {s} (from 0) has {len(y_true[s])} tags and {len(y_pred[s])} predicted ones")
    numbers = {tag: number for number, tag in enumerate(dict.fromkeys(chain(*y_true, *y_pred)))}
    true, predicted = (_numbered(y, numbers, int(starts[-1])) for y in (y_true, y_pred))
    wrong = true != predicted
    wrong_before = np.concatenate(([0], np.cumsum(wrong)))[starts]
    by_type = None
    if are_phrase_tags(numbers):
        types = _Types(numbers)
        by_type = _counted(_spans(true, types, starts), _spans(predicted, types, starts), types)
    return TaggingScores(
        len(true), len(true) - int(wrong.sum()), len(y_true), int((np.diff(wrong_before) == 0).sum()), by_type
    )


_OUTSIDE, _BEGIN, _INSIDE, _END, _SINGLE = range(5)


class _Types:
    """Of each number of a tag: its letter as a code, and its type as one; −1 is the type of ``O``."""

    def __init__(self, numbers: Iterable[str]) -> None:
        self.names: dict[str, int] = {}
        letters, types = [], []
        for tag in numbers:
            match = PHRASE_TAG.fullmatch(tag)
            if match is None:
                raise DataError(f"{tag!r} is no tag of a phrase: O, or one of B-, I-, E- and S- with a type behind it")
            letters.append("OBIES".index(match[1] or "O"))
            types.append(self.names.setdefault(match[2] or NO_TYPE, len(self.names)) if match[1] else -1)
        self.letters, self.types = np.array(letters, np.int64), np.array(types, np.int64)


def _starts(sentences: Sequence[Sequence[str]]) -> Array:
    return np.concatenate(([0], np.cumsum(np.fromiter(map(len, sentences), np.int64, len(sentences)))))


def _numbered(sentences: Iterable[Sequence[str]], numbers: dict[str, int], n: int) -> Array:
    return np.fromiter(map(numbers.__getitem__, chain.from_iterable(sentences)), np.int64, n)


def _codes(sentences: Sequence[Sequence[str]]) -> tuple[Array, _Types]:
    numbers = {tag: number for number, tag in enumerate(dict.fromkeys(chain(*sentences)))}
    return _numbered(sentences, numbers, sum(map(len, sentences))), _Types(numbers)


def _spans(tags: Array, types: _Types, starts: Array) -> tuple[Array, Array, Array]:
    """Of each phrase its first token, the one behind its last, and its type, in order of the tokens."""
    letter, kind = types.letters[tags], types.types[tags]
    before, kind_before = np.roll(letter, 1), np.roll(kind, 1)
    after, kind_after = np.roll(letter, -1), np.roll(kind, -1)
    full = starts[:-1] < starts[1:]  # sentences with a token
    first, last = starts[:-1][full], starts[1:][full] - 1
    before[first], kind_before[first] = _OUTSIDE, -1
    after[last], kind_after[last] = _OUTSIDE, -1
    begins = np.isin(letter, (_BEGIN, _SINGLE))
    begins |= np.isin(letter, (_INSIDE, _END)) & (np.isin(before, (_OUTSIDE, _END, _SINGLE)) | (kind != kind_before))
    ends = np.isin(letter, (_END, _SINGLE))
    ends |= np.isin(letter, (_BEGIN, _INSIDE)) & (np.isin(after, (_OUTSIDE, _BEGIN, _SINGLE)) | (kind != kind_after))
    begin = np.flatnonzero(begins)  # every token that is not O is in a phrase: each begin has its end
    return begin, np.flatnonzero(ends) + 1, kind[begin]


def _counted(
    true: tuple[Array, Array, Array], predicted: tuple[Array, Array, Array], types: _Types
) -> dict[str, PhraseCounts]:
    """Phrases counted by type, in order of the alphabet."""
    n = len(types.names)
    # A phrase begins at a token once at most in each: those of both are where begins, ends and types agree.
    _, in_true, in_predicted = np.intersect1d(true[0], predicted[0], True, return_indices=True)
    same = (true[1][in_true] == predicted[1][in_predicted]) & (true[2][in_true] == predicted[2][in_predicted])
    counts = [np.bincount(kinds, minlength=n) for kinds in (true[2], predicted[2], true[2][in_true][same])]
    by_code = np.transpose(counts).tolist()
    return {name: PhraseCounts(*by_code[code]) for name, code in sorted(types.names.items())}


def valid_transitions(tags: Sequence[str], scheme: str) -> NDArray[np.bool_]:
    """Which tag may follow which in a scheme of phrases.

    - "bio": ``I-X`` follows ``B-X`` or ``I-X`` (IOB2, as CoNLL-2000 has it);
    - "bioes": ``I-X`` and ``E-X`` follow ``B-X`` or ``I-X``, and only they do.

    Parameters
    ----------
    tags : list of str
        The tags, each once.
    scheme : "bio" or "bioes"
        The scheme; tags that are not of it are refused.

    Returns
    -------
    array of bool, of shape (len(tags) + 1, len(tags) + 1)
        Whether tag j may follow tag i; the last row is the start of the sentence, the last column its end. A sentence
        may have no valid tags at all, such as one of a single token where the tags are ``B-X`` and ``E-X`` alone.

    Examples
    --------
    >>> valid_transitions(["B-NP", "I-NP", "O"], "bio").astype(int)
    array([[1, 1, 1, 1],
           [1, 1, 1, 1],
           [1, 0, 1, 1],
           [1, 0, 1, 1]])
    """
    if scheme not in SCHEMES:
        raise ParameterError(f"constraints must be one of {', '.join(SCHEMES)}, got {scheme!r}", "constraints")
    alien = next((tag for tag in tags if not PHRASE_TAG.fullmatch(tag) or tag[0] not in SCHEMES[scheme]), None)
    if alien is not None:
        example = ", ".join(f"{letter}-NP" if letter != "O" else letter for letter in SCHEMES[scheme])
        raise ParameterError(
            f"the tag {alien!r} is none of the scheme {scheme}, whose tags are such as {example}; "
            "{constraints} would do for any tags",
            "constraints", constraints="seen",
        )  # fmt: skip
    edge = ("O", "")
    parts = [(tag[0], tag[2:]) for tag in tags]
    rows = [
        [_may_follow(left, right, scheme == "bioes") for right in (*parts, edge)] for left in (*parts, edge)
    ]  # what may stand at the edge of a sentence may stand beside O
    return np.array(rows)


def _may_follow(left: tuple[str, str], right: tuple[str, str], closes: bool) -> bool:
    """Whether one tag, a letter and a type, may follow another; ``closes``: a phrase must be ended by E or S."""
    goes_on = right[0] in "IE"
    is_open = left[0] in "BI"
    if goes_on:
        return is_open and left[1] == right[1]
    return not (closes and is_open)
