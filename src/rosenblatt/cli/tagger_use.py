"""``predict``, ``evaluate`` and ``explain`` of a tagger."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.spaces.sequences import links
from ..data import SentenceStream, TaggedSentences
from ..data.sources import replacing
from ..errors import DataError
from ..model_files import Model
from ..sequences import Sentences, TaggedSentence, tagging
from ..tables import Table, signed
from . import inputs, sentences
from .sentences import Tagger
from .summary import evaluation_in_words, first_names
from .terminal import CommandError, Progress, emit, note, option, say

Array = Any

#: What a link leads from or to at the ends of a sentence.
START, END = "start", "end"


# ---- predict -------------------------------------------------------------------------------------------------------


def predict(arguments: argparse.Namespace, model: Model) -> None:
    """Write the sentences with their tags."""
    tagger = Tagger.of_model(model, arguments.model)
    if arguments.only_scores or (arguments.scores and not arguments.json):
        raise CommandError("a sentence has one score, for which columns have no place; say --json --scores")
    inputs.keep_pipes(arguments, *arguments.files)
    with tagger.open(arguments.files, arguments, tagged=False, keep=not arguments.json) as stream:
        inputs.release_pipes(arguments, arguments.files)
        with Progress() as progress, replacing(arguments.output) as file:
            n = 0
            for part in stream:
                if arguments.json:
                    text = "".join(
                        json.dumps(one, ensure_ascii=False) + "\n" for one in _objects(tagger, part, arguments)
                    )
                else:
                    text = _columns(stream, part, tagger.predicted(part))
                file.write(text.encode())
                n += len(part)
                progress(f"{n:,} sentences", share=stream.progress)
        if stream.skipped:
            note(stream.skipped.worded(option))


def _columns(stream: SentenceStream, part: TaggedSentences, tags: list[str]) -> str:
    """Sentences as they came, with their tags."""
    try:
        return stream.written(part, tags)
    except DataError as error:
        raise error.at(remedy="say --json for JSON lines", parameter=None) from None


def _objects(tagger: Tagger, part: TaggedSentences, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Each sentence with its tags, and with its score and how far it is above the runner-up's."""
    decoded = tagger.learner.decode(tagger.rows(part), second=arguments.scores)
    tags = tagger.tags
    own = part.divided([tags[code] for code in decoded[0].tolist()])
    for i, (tokens, predicted) in enumerate(zip(part.X, own)):
        one: dict[str, Any] = {"tokens": tokens, "tags": predicted}
        if arguments.scores:
            gap = float(decoded[3][i])
            one |= {"score": float(decoded[1][i]), "gap": gap if np.isfinite(gap) else None}
        yield one


# ---- evaluate ------------------------------------------------------------------------------------------------------


def evaluate(arguments: argparse.Namespace, model: Model) -> None:
    """Compare the tags of files with those that the tagger predicts."""
    tagger = Tagger.of_model(model, arguments.model)
    for name in ("label", "label_type"):
        if getattr(arguments, name):
            raise CommandError(f"--{name.replace('_', '-')} is for tables; say --tag for the column of the tags")
    inputs.keep_pipes(arguments, *arguments.files)
    with tagger.open(arguments.files, arguments, tagged=True) as stream, Progress() as progress:
        inputs.release_pipes(arguments, arguments.files)
        result = sentences.judged(tagger, progress.through(stream, "sentences"))
        skipped = stream.skipped
    if skipped:
        note(skipped.worded(option))
    if result.unknown:
        note(f"tags that the model does not know and never predicts: {first_names(result.unknown)}")
    plain = result.to_dict()
    if arguments.json:
        emit({**plain, "skipped": skipped.count, "unknown_tags": result.unknown})
        return
    say(evaluation_in_words(plain))
    if result.scores.by_type is not None:
        print()
        result.scores.table().show()


# ---- explain -------------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """What a feature of a token, or a tag beside its neighbours, adds to the best tags and not to the second-best."""

    name: str
    token: int | None  # None: the end of the sentence
    tag: str
    over: str
    adds: float


def explain(arguments: argparse.Namespace, model: Model) -> None:
    """Explain the tags of sentences, or the tagger by its links."""
    tagger = Tagger.of_model(model, arguments.model)
    if len(tagger.tags) < 2:
        raise CommandError(f"{arguments.model} knows only one tag: there is nothing to explain")
    if arguments.example is None:
        _explain_whole(tagger, arguments)
        return
    for number, (sentence, words, place) in enumerate(_to_explain(tagger, arguments)):
        best, parts = explained(tagger, sentence, words)
        if arguments.json:
            emit(_plain(place, best, parts, arguments.top))
            continue
        print(end="\n" if number else "")
        if place:
            say(place)
        best.show()
        if parts:
            print()
            _table(best, parts, arguments.top).show()


def _to_explain(tagger: Tagger, arguments: argparse.Namespace) -> Iterator[tuple[Sentences, list[str], str]]:
    """Sentences, each with its words and its place in the file."""
    if arguments.example != "-" and not os.path.exists(arguments.example):
        words = arguments.example.split()
        if len(words) == 1 and "." in words[0][1:-1]:
            raise CommandError(f"there is no file {arguments.example!r}")
        inputs.refuse_broken_text(arguments.example)
        tagger.check_words()
        if tagger.n_columns > 1:
            raise CommandError(
                f"there is no file {arguments.example!r}, and the model cannot be given words alone: it needs "
                f"{tagger.n_columns} columns of each token"
            )
        if not words:
            raise CommandError("the sentence has no words; there is nothing to explain")
        yield Sentences.of_words([words]), words, ""
        return
    left = arguments.rows
    inputs.keep_pipes(arguments, arguments.example)
    with tagger.open([arguments.example], arguments, tagged=False) as stream:
        inputs.release_pipes(arguments, [arguments.example])
        for part in stream:
            for i in range(min(left, len(part))):
                own = part.sentences[i : i + 1]
                if own.n_tokens:
                    yield own, own.columns[0], "{file}, line {line}".format(**part.origin(i))
            left -= len(part)
            if left <= 0:
                break


def explained(tagger: Tagger, sentence: Sentences, words: list[str]) -> tuple[TaggedSentence, list[Part]]:
    """A sentence with its best tags, and the parts of how far the second-best are behind, the largest first."""
    learner, tags = tagger.learner, tagger.tags
    rows = tagging.rows_of(tagger.encoder.encode(sentence), learner.dtype)
    codes, scores, others, gaps = learner.decode(rows, second=True)
    drawn = TaggedSentence.of_decoded(words, tags, codes, scores, others, gaps)
    if drawn.runner_up is None:
        return drawn, []
    parts = [*_of_features(tagger, sentence, codes, others), *_of_links(tagger, codes, others)]
    return drawn, sorted(parts, key=lambda part: -abs(part.adds))


def _of_features(tagger: Tagger, sentence: Sentences, codes: Array, others: Array) -> Iterator[Part]:
    """What the features of each token add that has another tag in the second-best sequence."""
    tags, named = tagger.tags, tagger.encoder.names_of(sentence)
    for t in np.flatnonzero(codes != others).tolist():
        names: dict[int, list[str]] = {}
        for name, column in named[t]:
            names.setdefault(column, []).append(name)
        columns = np.array(sorted(names), np.int64)
        weights = tagger.learner.weights_at(columns)[1:].astype(np.float64)
        adds = weights[:, codes[t]] - weights[:, others[t]]
        for column, one in zip(columns.tolist(), adds.tolist()):
            if one == 0:
                continue
            yield Part(" | ".join(dict.fromkeys(names[column])), t, tags[codes[t]], tags[others[t]], one)


def _of_links(tagger: Tagger, codes: Array, others: Array) -> Iterator[Part]:
    """What each tag adds by those before it, where the two sequences differ in them."""
    learner, tags = tagger.learner, tagger.tags
    weights, n = learner.link_weights(constrained=False), learner.n_before  # a sentence may fit no constraints
    along = [list(links.along(one.tolist(), n)) for one in (codes, others)]
    for t, (own, other) in enumerate(zip(*along)):
        if own != other:
            tag, over = (_way(one.tolist(), t, tags, n) for one in (codes, others))
            yield Part("transition", t if t < len(codes) else None, tag, over, float(weights[own] - weights[other]))


def _way(codes: list[int], t: int, tags: list[str], n_before: int) -> str:
    """The tag of a token behind those that its link knows."""
    names = [START] * n_before + [tags[code] for code in codes] + [END]
    return " → ".join(names[t : t + n_before + 1])


def _plain(place: str, best: TaggedSentence, parts: list[Part], top: int) -> dict[str, Any]:
    return {
        "place": place or None, "tokens": list(best.tokens), "tags": list(best.tags), "score": best.score,
        "runner_up": None if best.runner_up is None else list(best.runner_up), "gap": best.gap,
        "parts": [part._asdict() for part in parts[:top]],
    }  # fmt: skip


def _table(best: TaggedSentence, parts: list[Part], top: int) -> Table:
    """The first parts, the sum of the others, and how far the runner-up is behind."""

    def word(t: int | None) -> str:
        return "" if t is None else f"{t + 1} {best.tokens[t]}"

    rows = [(word(part.token), part.name, part.tag, part.over, signed(part.adds)) for part in parts[:top]]
    rest = parts[top:]
    if rest:
        rows.append(("", f"{len(rest)} more", "", "", signed(sum(part.adds for part in rest))))
    rows.append(("", "above the runner-up", "", "", signed(sum(part.adds for part in parts))))
    return Table(("token", "feature", "tag", "over", "adds"), rows, "llllr")


def _explain_whole(tagger: Tagger, arguments: argparse.Namespace) -> None:
    """The largest weights of features that have names, and of a tag behind others."""
    features, moves = _largest_features(tagger, arguments.top), _largest_links(tagger, arguments.top)
    if arguments.json:
        plain = {"transitions": [dict(zip(("from", "to", "weight"), row)) for row in moves]}
        if features:
            plain["features"] = [dict(zip(("feature", "tag", "weight"), row)) for row in features]
        emit(plain)
        return
    if features:
        shown = [(name, tag, signed(weight)) for name, tag, weight in features]
        Table(("feature", "tag", "weight"), shown, "llr", title="features with the largest weights").show()
        print()
    title = "transitions with the largest weights" + ("" if features else "; to see those of features, give a sentence")
    Table(("from", "to", "weight"), [(a, b, signed(weight)) for a, b, weight in moves], "llr", title=title).show()


def _largest_features(tagger: Tagger, top: int) -> list[tuple[str, str, float]]:
    """The features with the largest weights among those whose names were kept, with their tags."""
    if tagger.names is None or not len(tagger.names):
        return []
    columns = np.unique(tagger.names.hashes & np.uint64(tagger.encoder.n_features - 1)).astype(np.int64)
    weights = tagger.learner.weights_at(columns)[1:, : len(tagger.tags)]
    order = np.argsort(-np.abs(weights), axis=None, kind="stable")[:top]
    rows, codes = np.divmod(order, len(tagger.tags))
    named = tagger.names.of_columns(columns[rows].tolist(), tagger.encoder.bits)
    return [
        (" | ".join(dict.fromkeys(names)), tagger.tags[code], float(weights[row, code]))
        for names, row, code in zip(named, rows, codes)
        if weights[row, code]
    ]


def _largest_links(tagger: Tagger, top: int) -> list[tuple[str, str, float]]:
    """The largest weights of a tag behind others."""
    learner, tags = tagger.learner, tagger.tags
    weights, names = learner.link_weights(), _link_names(tags, learner.n_before)
    order = np.argsort(-np.abs(np.where(np.isfinite(weights), weights, 0.0)), axis=None, kind="stable")
    rows = []
    for flat in order[:top].tolist():
        link, code = divmod(flat, len(tags))
        if np.isfinite(weights[link, code]) and weights[link, code]:
            before, after = names[link]
            rows.append((before or tags[code], after or tags[code], float(weights[link, code])))
    return rows


def _link_names(tags: list[str], order: int) -> dict[int, tuple[str, str]]:
    """What each link leads from, or, where it leads to the end, that: ("B-NP", "") and ("", "end")."""
    middles = [START, *tags]
    if order == 1:
        return {0: ("", END), 1: (START, "")} | {2 + code: (tag, "") for code, tag in enumerate(tags)}
    named = {links.end(b, 2): (f"{middles[b]} → …", END) for b in range(len(middles))}
    for a in range(len(middles)):
        for b in range(len(middles)):
            named[links.pair(a, b)] = (f"{middles[a]} → {middles[b]}", "")
    return named
