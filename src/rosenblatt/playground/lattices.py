"""Tagged sentences as a structured perceptron learns them: the lattice of each visit, its two paths, the difference."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ..core import rules
from ..core.spaces.sequences import links
from ..tracing import wording
from ..tracing.sentence_record import Lattice, SentenceStep, SentenceTrace
from ..tracing.sentences import SentencePlan, trace_sentences
from .requests import RequestError

#: What the page begins with: *old* and *man* are what the word after them says.
TOY = "the/DET old/NOUN man/VERB the/DET boats/NOUN\nthe/DET old/ADJ man/NOUN sleeps/VERB"
#: Limits: of the text in characters, of sentences, their words, their tags, and passes.
LONGEST, MOST_SENTENCES, MOST_WORDS, MOST_TAGS, MOST_PASSES = 1000, 6, 8, 6, 12
RULES = {"perceptron": rules.Perceptron(eta0=1), "pa": rules.PA()}


def summary(request: dict[str, Any]) -> dict[str, Any]:
    """The run over the sentences of a request, one word and its tag after the other as ``old/NOUN``, a line each."""
    text, name = request.get("sentences", TOY), request.get("rule", "perceptron")
    if not isinstance(name, str) or name not in RULES:
        raise RequestError(f"rule must be one of {', '.join(RULES)}; got {name!r}")
    words, tags = read(text)
    trace = recorded(words, tags, name)
    return {
        "sentences": text, "rule": name, "tags": list(trace.tags), "verdict": trace.verdict, "passes": trace.n_iter,
        "updates": trace.n_updates, "proved": trace.proved, "steps": [_step(step) for step in trace],
        "program": program(words, tags, name),
    }  # fmt: skip


def read(text: Any) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences and their tags; what cannot be read is said with its line."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise RequestError(f"sentences must be text of at most {LONGEST:,} characters")
    words: list[list[str]] = []
    tags: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        pairs = [token.rpartition("/") for token in line.split()]
        for word, slash, tag in pairs:
            if not word or not tag:
                token = word + slash + tag
                raise RequestError(f"line {number}: write each word with its tag, as old/NOUN; got {token}")
        if len(pairs) > MOST_WORDS:
            raise RequestError(f"line {number}: a sentence may have {MOST_WORDS} words, got {len(pairs)}")
        if pairs:
            words.append([word for word, _, _ in pairs])
            tags.append([tag for _, _, tag in pairs])
    if not 1 <= len(words) <= MOST_SENTENCES:
        raise RequestError(f"there must be 1 to {MOST_SENTENCES} sentences, a line each; got {len(words)}")
    kinds = len({tag for sentence in tags for tag in sentence})
    if not 2 <= kinds <= MOST_TAGS:
        raise RequestError(f"there must be 2 to {MOST_TAGS} different tags; got {kinds}")
    return words, tags


def recorded(words: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], rule: str) -> SentenceTrace:
    """The trace of the run in exact numbers; the one feature of a token is its word."""
    columns = {word: column for column, word in enumerate(sorted({word for each in words for word in each}))}
    known = sorted({tag for each in tags for tag in each})
    return trace_sentences(
        SentencePlan(
            name="SequenceTagger", rule=RULES[rule], words=words, tags=known, max_iter=MOST_PASSES,
            sentences=[[{columns[word]: 1} for word in sentence] for sentence in words],
            targets=[[known.index(tag) for tag in sentence] for sentence in tags],
            names={column: f"word={word}" for word, column in columns.items()},
            orders=lambda: itertools.repeat(range(len(words))), n_columns=len(columns),
        ),
        exact=True,
    )  # fmt: skip


def program(words: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], rule: str) -> str:
    """The same in Python."""
    made = {"perceptron": "rb.rules.Perceptron(eta0=1)", "pa": "rb.rules.PA()"}[rule]
    return (
        "import rosenblatt as rb\n\n"
        f"X = {[list(each) for each in words]!r}\n"
        f"y = {[list(each) for each in tags]!r}\n"
        f'tagger = rb.SequenceTagger(rule={made}, features="word=%x[0,0]", shuffle=False, max_iter={MOST_PASSES})\n'
        "trace = tagger.trace(X, y, exact=True)\n"
        "print(trace)\n"
    )


def _step(step: SentenceStep) -> dict[str, Any]:
    number, lattice = wording.number, step.lattice
    return {
        "pass": step.pass_number, "sentence": step.sentence, "words": list(step.words), "right": list(step.codes),
        "rival": list(step.rival_codes), "score": number(step.score), "rival_score": number(step.rival_score),
        "margin": number(step.margin), "why": step.why, "moved": step.moved, "tau": number(step.tau),
        "norm2": number(step.norm2), "told": _told(step),
        "emissions": [[number(value) for value in row] for row in lattice.emissions],
        "links": [[number(value) for value in row] for row in _links(lattice)],
        "changes": [
            {"name": each.name, "difference": ("+" if each.difference > 0 else "") + number(each.difference),
             "before": number(each.before), "after": number(each.after)}
            for each in step.changes if each.difference
        ],
    }  # fmt: skip


def _links(lattice: Lattice) -> Iterator[list[Any]]:
    """Weights of links: from the start and each tag, to each tag and the end."""
    n_tags = len(lattice.tags)
    for link in range(1, links.n_links(n_tags, 1)):
        end = lattice.links.get((0, link - 2), 0) if link > 1 else 0
        yield [*(lattice.links.get((link, tag), 0) for tag in range(n_tags)), end]


def _told(step: SentenceStep) -> str:
    """The step in words."""
    number = wording.number
    scores = f"the right tags score {number(step.score)}, the rival {' '.join(step.rival)} {number(step.rival_score)}"
    if step.why == "wrong tags":
        return f"A mistake: {scores}. The weights move by τ = {number(step.tau)} times the difference."
    if step.why == "tie":
        return (
            f"A tie, which is a mistake: {scores} too. The weights move by τ = {number(step.tau)} times the difference."
        )
    if step.moved:
        return f"Right, but too close: {scores}. The weights move by τ = {number(step.tau)} times the difference."
    return f"Right: {scores}. Nothing moves."
