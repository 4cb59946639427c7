"""Sentences and their tags as shards: lists that are here, bags of (sentence, tags), or files of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.learner import Learner
from ..core.spaces.sequences import following
from ..core.spaces.sequences.learner import SequenceLearner
from ..core.spaces.sequences.rows import SentenceRows
from ..core.spec import Spec
from ..data.features import Section
from ..data.sentence_files import read_sentences
from ..errors import DataError, DataTypeError
from ..sequences import Sentences, TokenEncoder, tagging
from ..sequences.encoding import SECTION
from ..sequences.sentences import place_of
from .bags import is_bag
from .cluster import Workers
from .file_sources import are_files, for_workers
from .in_memory import Coding, HeldShard, Look
from .sources import Data, check_count, dealt
from .tasks import at_shard

Array = NDArray[Any]

#: What a worker makes sentences and their tags of, and what that is given.
Source = tuple[Callable[[Any], "Tagged"], Any]


class SentenceData(Data):
    """Sentences as shards, each in the memory of its worker, which makes their features.

    What may follow in "seen" sequences is what did in any shard.
    """

    section_name = SECTION

    def __init__(
        self, workers: Workers, data: Any, y: Any, shards: int | None, spec: Spec, reading: dict[str, Any] | None
    ) -> None:
        parameters = spec.parameters
        self._workers, self._constraints = workers, parameters["constraints"]
        self._reading = dict(reading or {})
        self._encoder = TokenEncoder(parameters["features"], parameters["bits"]).to_state()
        sources, self.names = self._sources(data, y, shards, "shard")
        self._promises = [self._encoded(*one, i) for i, one in enumerate(zip(sources, self.names))]
        self._looks: list[SentenceLook] = []
        self._held_out: tuple[list[Source], list[str]] = [], []

    def _sources(self, data: Any, y: Any, shards: int | None, name: str) -> tuple[list[Source], list[str]]:
        if are_files(data):
            _refuse_tags(y, "files hold")
            groups = dealt(for_workers(data), shards)
            names = [
                f"{name} {i} ({', '.join(own[:3])}{', …' if len(own) > 3 else ''})" for i, own in enumerate(groups)
            ]
            return [(of_files, (own, self._reading)) for own in groups], names
        if is_bag(data):
            _refuse_tags(y, "a bag holds")
            parts = dealt(self._workers.parts(list(data.to_delayed())), shards)
            sources: list[Source] = [(of_bag, own) for own in parts]
        else:
            sources = [(of_lists, self._workers.hold(part)) for part in _cut(data, y, shards)]
        return sources, [f"{name} {i}" for i in range(len(sources))]

    def _encoded(self, source: Source, name: str, number: int) -> Any:
        return self._workers.submit(encoded, *source, self._encoder, name, self._constraints, shard=number)

    def look(self, regression: bool, needed: bool) -> list[Look]:
        submit = self._workers.submit
        self._looks = self._workers.gather([submit(look, one) for one in self._promises])
        self._encoder = self._looks[0].encoder
        for name, one in zip(self.names, self._looks):
            if one.encoder != self._encoder:
                n, first = one.encoder["n_columns"], self._encoder["n_columns"]
                problem = f"tokens have {n} columns, and those of {self.names[0]} have {first}"
                raise DataError(problem, "give every token the same columns").at(shard=name)
        return [one.look for one in self._looks]

    def prepare(self, learner: Learner, coding: Coding) -> None:
        assert isinstance(learner, SequenceLearner)
        assert coding.classes is not None
        if self._constraints is None:
            return
        tags = coding.classes.tolist()
        known, seen = {tag: code for code, tag in enumerate(tags)}, None
        if self._constraints == "seen":
            seen = np.zeros((len(tags) + 2, len(tags)), np.uint8)
            for one in self._looks:
                assert one.look.classes is not None
                codes = tagging.coded(one.look.classes.tolist(), known)
                own = np.flatnonzero(codes >= 0)  # those that are not known are refused later
                rows = np.concatenate(([0, 1], 2 + own))
                seen[np.ix_(np.concatenate(([0, 1], 2 + codes[own])), codes[own])] |= one.seen[np.ix_(rows, own)]
        tagging.allow(learner, self._constraints, tags, seen)

    def ready(self, coding: Coding, learned: Section | None) -> list[Any]:
        rows, self._promises = self._promises, []  # what is ready is enough to keep
        return [
            self._workers.submit(ready, one, coding, name, True, shard=i)
            for i, (one, name) in enumerate(zip(rows, self.names))
        ]

    def section(self) -> Section:
        return self._encoder, {}

    def open_held_out(self, held_out: Any) -> None:
        one = None if are_files(held_out) or is_bag(held_out) else 1
        self._held_out = self._sources(held_out, None, one, "held-out shard")

    def judged(self, coding: Coding) -> list[tuple[str, Any]]:
        submit, scheme = self._workers.submit, None  # what is judged may break it
        shards = []
        for i, (source, name) in enumerate(zip(*self._held_out)):
            rows = submit(encoded, *source, self._encoder, name, scheme, shard=i)
            shards.append((name, submit(ready, rows, coding, name, False, shard=i)))
        return shards


def _refuse_tags(y: Any, who: str) -> None:
    if y is not None:
        raise ValueError(f"{who} the tags of the sentences as well: leave y out")


def _cut(data: Any, y: Any, shards: int | None) -> list[tuple[Any, Any]]:
    """Sentences that are here, and their tags, cut into as many shards as were asked for."""
    if isinstance(data, tuple) and len(data) == 2 and y is None:
        data, y = data
    if y is None:
        raise ValueError("there are no tags: give (X, y), or y=…")
    for values in (data, y):
        if not isinstance(values, (Sequence, Sentences)):
            problem = f"a tagger learns from lists of sentences and of their tags, got {type(values).__name__}"
            raise DataTypeError(problem, "give lists, a bag of (sentence, tags), or names of files")
    tagging.check_lengths(len(data), len(y))
    if shards is None:
        raise ValueError("say into how many shards the sentences are to be cut: shards=…")
    check_count("shards", shards)
    n = len(data)
    if shards > n:
        raise ValueError(f"{n} sentences cannot be cut into {shards} shards; ask for fewer")
    return [(data[a:b], y[a:b]) for a, b in pairwise(i * n // shards for i in range(shards + 1))]


# ---- on the worker -------------------------------------------------------------------------------------------------


class Tagged(NamedTuple):
    """Sentences and their tags, and where each sentence stood, as fields of an error."""

    X: Any
    y: Any
    origin: Callable[[int], dict[str, Any]] | None = None


class TaggedRows(NamedTuple):
    """Sentences as rows, with their tags as codes of those that this shard has."""

    rows: SentenceRows
    tags: list[str]  # ascending
    codes: Array  # of all tokens
    encoder: dict[str, Any]  # the state of what made the rows


class SentenceLook(NamedTuple):
    """What has to be known of a shard, what made its rows, and which of its tags followed which, of order 1."""

    look: Look
    encoder: dict[str, Any]
    seen: Array


def of_lists(part: tuple[Any, Any]) -> Tagged:
    """Sentences and tags that were sent along."""
    return Tagged(*part)


def of_bag(parts: Sequence[Sequence[Any]]) -> Tagged:
    """Partitions of a bag."""
    examples = list(chain.from_iterable(parts))
    for i, one in enumerate(examples):
        if not (isinstance(one, tuple) and len(one) == 2):
            raise TypeError(f"example {i} must be (sentence, tags), got {repr(one)[:60]}")
    return Tagged([sentence for sentence, _ in examples], [tags for _, tags in examples])


def of_files(files: tuple[list[str], dict[str, Any]]) -> Tagged:
    """Files that the worker opens."""
    paths, reading = files
    whole = read_sentences(paths, **{"tags_required": True, **reading})
    return Tagged(whole.sentences, whole.y, whole.origin)


def encoded(
    read: Callable[[Any], Tagged], source: Any, encoder: dict[str, Any], name: str, scheme: str | None
) -> TaggedRows:
    """The sentences of a shard as rows; refuses tags that break a scheme of phrases."""
    with at_shard(name):
        X, y, origin = read(source)
        try:
            makes = TokenEncoder.from_state(encoder)
            tokens = makes.encode(X)
            tagging.check_sentences(tokens.starts)
            labels = tagging.flat(y, tokens.starts)
            tagging.check_scheme(scheme, labels, tokens.starts)
            rows = tagging.rows_of(tokens)
        except DataError as error:
            if origin is not None and error.sentence is not None:
                error.at(**origin(error.sentence))
            raise
    tags = sorted(set(labels))
    codes = tagging.coded(labels, {tag: code for code, tag in enumerate(tags)})
    return TaggedRows(rows, tags, codes, makes.to_state())


def look(shard: TaggedRows) -> SentenceLook:
    """See what a shard holds."""
    rows, tags, codes, encoder = shard
    classes, counts = np.array(tags, object), np.bincount(codes, minlength=len(tags))
    seen = following.seen(codes, rows.starts, len(tags), 1)
    return SentenceLook(Look(rows.n_rows, rows.n_columns, rows.dtype, None, classes, counts), encoder, seen)


def ready(shard: TaggedRows, coding: Coding, name: str, strict: bool) -> HeldShard:
    """Sentences made ready to be learned from; not ``strict``: to be judged, where a tag may be unknown."""
    assert coding.classes is not None
    known = coding.classes.tolist()
    codes = tagging.coded(shard.tags, {tag: code for code, tag in enumerate(known)})[shard.codes]
    unknown = np.flatnonzero(codes < 0)
    if len(unknown) and strict:
        sentence, token = place_of(shard.rows.starts, int(unknown[0]))
        tag = shard.tags[shard.codes[unknown[0]]]
        shown = ", ".join(map(repr, known[:8])) + (", …" if len(known) > 8 else "")
        problem = f"the tag {tag!r} is not among the classes ({shown})"
        raise DataError(problem, sentence=sentence, token=token).at(shard=name)
    return HeldShard(shard.rows, codes, None, [])
