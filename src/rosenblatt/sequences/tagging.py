"""Tags as codes, which of them may follow on which, and learning from sentences: what every door of a tagger does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.spaces.sequences import following
from ..core.spaces.sequences.learner import SequenceLearner
from ..core.spaces.sequences.rows import SentenceRows, admitted
from ..core.spec import Spec
from ..errors import DataError, DataTypeError
from .encoding import TokenEncoder
from .phrases import valid_transitions
from .sentences import TokenRows, check_tags, counted, place_of, placed

Array = NDArray[Any]


def rows_of(tokens: TokenRows, dtype: Any = np.float32) -> SentenceRows:
    """Rows of tokens as the learner takes them."""
    return admitted(tokens.starts, tokens.indptr, tokens.indices, tokens.data, tokens.n_columns, dtype)


# ---- tags ----------------------------------------------------------------------------------------------------------


def flat(y: Any, starts: Array) -> list[str]:
    """The tags of all tokens, sentence after sentence: one for each token, and text."""
    if isinstance(y, (str, bytes, Mapping, Set)) or not isinstance(y, Iterable):
        raise DataTypeError(
            f"tags must be a list of lists, got {type(y).__name__}", "give each sentence a list of tags"
        )
    sentences: list[Any] = list(y)
    check_lengths(len(starts) - 1, len(sentences))
    for number, (tags, n_tokens) in enumerate(zip(sentences, np.diff(starts).tolist())):
        if not isinstance(tags, (list, tuple)):
            if isinstance(tags, (str, bytes, Mapping, Set)) or not isinstance(tags, Iterable):
                problem = f"the tags of a sentence must be a list of text, got {type(tags).__name__}"
                raise DataTypeError(problem, "give one tag for each token", sentence=number)
            tags = sentences[number] = list(tags)
        if len(tags) != n_tokens:
            problem = f"a sentence has {counted(n_tokens, 'token')} and {counted(len(tags), 'tag')}"
            raise DataError(problem, "give one tag for each token", sentence=number)
    tags = list(chain.from_iterable(sentences))
    kinds = set(map(type, tags))
    if kinds - {str, np.str_}:
        at = next(i for i, tag in enumerate(tags) if not isinstance(tag, str))
        sentence, token = place_of(starts, at)
        raise DataTypeError(f"a tag must be text, got {tags[at]!r}", "give tags as str", sentence=sentence, token=token)
    try:
        check_tags(tags)
    except DataError as error:
        raise placed(error, starts) from None
    return tags if kinds == {str} else [str(tag) for tag in tags]


def check_lengths(n_sentences: int, n_tagged: int) -> None:
    """Refuse tags of more or fewer sentences than there are."""
    if n_sentences != n_tagged:
        problem = f"there are tags of {counted(n_tagged, 'sentence')} for {counted(n_sentences, 'sentence')}"
        raise DataError(problem, "give a list of tags for each")


def check_sentences(starts: Array) -> None:
    """Refuse sentences that have nothing to learn from."""
    if len(starts) < 2:
        raise DataError("there are no sentences to learn from", "give some")
    empty = np.flatnonzero(np.diff(starts) == 0)
    if len(empty):
        raise DataError("a sentence has no tokens", "leave it out", sentence=int(empty[0]))


def coded(tags: Sequence[str], known: dict[str, int]) -> Array:
    """Codes of tags; −1 for those that are not known."""
    get = known.get
    return np.fromiter((get(tag, -1) for tag in tags), np.int32, len(tags))


# ---- which tag may follow which ------------------------------------------------------------------------------------


def constrain(
    learner: SequenceLearner, constraints: str | None, tags: Sequence[str], codes: Array, starts: Array
) -> None:
    """Let the learner take the sequences alone that ``constraints`` allows, and these among them.

    "seen": a tag may follow another where it did in what was learned from; "bio" and "bioes": where the scheme has it.
    """
    if constraints is not None:
        seen = following.seen(codes, starts, len(tags), 1) if constraints == "seen" else None
        allow(learner, constraints, tags, seen)


def allow(learner: SequenceLearner, constraints: str, tags: Sequence[str], seen: Array | None) -> None:
    """The same, where it is known what was seen, of order 1: see ``following.seen``."""
    if seen is None:
        valid = valid_transitions(list(tags), constraints)
        seen = np.zeros((len(tags) + 2, len(tags)), np.uint8)
        seen[1], seen[2:], seen[0] = valid[-1, :-1], valid[:-1, :-1], valid[:-1, -1]
    now = seen if learner.n_before == 1 else following.widened(seen)
    if constraints == "seen" and learner.allowed is not None:
        now = now | following.grown(learner.allowed, len(tags), learner.n_before)
    if learner.allowed is None or not np.array_equal(now, learner.allowed):
        learner.allow(now)


def check_scheme(scheme: str | None, labels: Sequence[str], starts: Array) -> None:
    """Refuse tags that break the scheme of phrases that is asked for, naming the first place."""
    if scheme not in ("bio", "bioes"):
        return
    tags = sorted(set(labels))
    valid, codes = valid_transitions(tags, scheme), coded(labels, {tag: code for code, tag in enumerate(tags)})
    begins = np.zeros(len(codes) + 1, bool)
    begins[starts] = True
    before = np.where(begins[:-1], len(tags), np.concatenate(([0], codes[:-1])))
    follows, ends = valid[before, codes], valid[codes, -1]
    wrong = np.flatnonzero(~follows | (begins[1:] & ~ends))
    if len(wrong):
        at = int(wrong[0])
        sentence, token = place_of(starts, at)
        where = "at the start of a sentence" if begins[at] else f"after {labels[at - 1]}"
        where = "at the end of a sentence" if follows[at] else where
        raise DataError(
            f"the tag {labels[at]} {where} breaks the scheme {scheme.upper()}",
            "mend the tags, or use constraints='seen' or none", sentence=sentence, token=token,
        )  # fmt: skip


# ---- learning ------------------------------------------------------------------------------------------------------


@dataclass
class TaggingRun:
    """A fit made ready: everything read and checked, the learner at zero, nothing learned."""

    spec: Spec
    encoder: TokenEncoder
    learner: SequenceLearner
    tags: list[str]
    rows: SentenceRows
    codes: Array  # of the tags of all tokens
    rng: np.random.Generator

    def fit(self, **options: Any) -> None:
        """Learn."""
        spec = self.spec
        self.rows = self.learner.map_rows(self.rows, learn=True)  # and the columns are not kept beside their places
        self.learner.fit(
            self.rows, self.codes, max_iter=spec.max_iter, tol=spec.tol, shuffle=spec.shuffle, rng=self.rng, **options
        )


def start(spec: Spec, encoder: TokenEncoder, tags: Sequence[str]) -> SequenceLearner:
    """A learner with zero weights for these tags."""
    learner = spec.learner()
    assert isinstance(learner, SequenceLearner)
    learner.allocate(encoder.n_features, len(tags), np.float32)
    return learner


def learn_on(
    learner: SequenceLearner, constraints: str | None, tags: list[str], rows: SentenceRows, labels: Sequence[str]
) -> list[str]:
    """Learn from the next sentences of a stream, of whose tags some may be new; returns the tags then known.

    It goes in stretches that end where a tag, or one after another where that counts, is met for the first time: as one
    sentence at a time would.
    """
    known = {tag: code for code, tag in enumerate(tags)}
    codes, starts = coded(labels, known), rows.starts
    done = 0
    while done < rows.n_rows:
        own = slice(int(starts[done]), int(starts[done + 1]))
        if (codes[own] < 0).any():
            for label in labels[own]:
                if label not in known:
                    learner.add_class(len(known))
                    known[label] = len(known)
            codes = coded(labels, known)
        constrain(learner, constraints, list(known), codes[own], starts[done : done + 2] - starts[done])
        new = codes[starts[done] :] < 0
        if constraints == "seen":
            new |= _is_unseen(learner, codes[starts[done] :], starts[done:] - starts[done])
        places = np.flatnonzero(new)
        stop = place_of(starts, int(starts[done] + places[0]))[0] if len(places) else rows.n_rows
        learner.partial_fit(rows, np.maximum(codes, 0), None, (done, stop))
        done = stop
    return list(known)


def _is_unseen(learner: SequenceLearner, codes: Array, starts: Array) -> Array:
    """Whether the tag of each token follows on what it did not so far, or ends a sentence as it did not."""
    assert learner.allowed is not None
    first = following.narrowed(learner.allowed, learner.n_before).astype(bool)
    begins = np.zeros(len(codes) + 1, bool)
    begins[starts] = True
    before = np.where(begins[:-1], 1, np.concatenate(([0], np.maximum(codes[:-1], 0))) + 2)
    tags = np.maximum(codes, 0)
    return np.asarray(~first[before, tags] | (begins[1:] & ~first[0, tags]))
