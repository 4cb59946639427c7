"""A sentence as a model of words reads it: what each word adds to the score."""

from __future__ import annotations

from typing import Any

from ..core.sums import total
from . import fields, records
from .pasted import ngrams
from .requests import Problem, RequestError

#: Characters of a sentence at most.
LONGEST = 500


def summary(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The words and pairs of a sentence that have a weight at a step, with what each adds to the scores."""
    text, at = request.get("text"), request.get("at", 0)
    if not isinstance(text, str) or len(text) > LONGEST:
        raise RequestError(f"a sentence must be text of at most {LONGEST} characters")
    if problem.names is None or problem.settings.in_kernel:
        raise RequestError(
            "each word has a share where features are words, in linear space: load phrases, or paste some"
        )
    (field,) = fields.summary(problem, {"at": [at]})["fields"]
    vectors, classes = field["vectors"], [str(label) for label in records.recorded(problem).classes]
    names = list(problem.names)
    found = ngrams(text, pairs=any(" " in name for name in names))
    shares: list[dict[str, Any]] = []
    for j, name in enumerate(names):
        count = found.count(name)
        if count:
            weights = [vector[j] for vector in vectors]
            shares.append({"word": name, "count": count, "weights": weights, "shares": [count * w for w in weights]})
    biases = [vector[-1] for vector in vectors]
    scores = [total([bias, *(share["shares"][c] for share in shares)]) for c, bias in enumerate(biases)]
    code = records.decided(scores)
    return {
        "shares": shares, "biases": biases, "scores": scores, "classes": classes, "said": classes[code],
        "tie": sorted(scores)[-2:] == [max(scores)] * 2 if len(scores) > 1 else scores[0] == 0,
        "unknown": sorted({word for word in found if word not in names and " " not in word}),
    }  # fmt: skip
