"""What training did: for its summary, for machines, and for the model file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import schema
from . import clustered, terminal
from .terminal import several, shown

if TYPE_CHECKING:
    from .judging import Judgement, Regression
    from .training import Course


#: So many passes are told of in a line.
MOST_PASSES = 12


def of(course: Course, streamed: bool, held_out: Judgement | Regression | None) -> dict[str, Any]:
    """The story as plain values."""
    learner, counts = course.learner, course.mistakes
    share = 1 - counts[0] / course.rows if counts and course.rows else None
    judged = not course.is_regression
    return {
        "files": list(course.files),
        "resumed": course.arguments.resume,
        "rows": course.rows,
        "how": "block by block" if streamed else "in memory",
        "passes": len(counts),
        "mistakes": counts if judged else None,
        "outside_epsilon": None if judged else counts,
        "updates": learner.n_updates - course.updates_before,
        "progressive_accuracy": share if judged else None,
        "progressive_within_epsilon": None if judged else share,
        "verdict": learner.verdict,
        "held_out": None if held_out is None else held_out.document(),
        "skipped": course.skipped.count,
        "interrupted": course.interrupted,
        **({} if course.cluster is None else {"cluster": clustered.story(course.cluster)}),
    }


def where_it_ended(course: Course) -> str:
    """What went wrong in learning, and where that is which was learned before."""
    assert course.fault is not None
    what, path, learner = terminal.in_words(course.fault), course.arguments.output, course.learner
    if course.cluster is None:
        return f"{what}; the model so far, of {several(learner.visited, 'example')}, is in {path}"
    again = clustered.goes_on(course.arguments.checkpoint)
    return f"{what}; pass {learner.n_iter}, the last complete one, is in {path}; {again}"


_JUDGED = schema.either(
    a_judgement=schema.record(
        rows=schema.whole(), accuracy=schema.real(), classes=schema.json_value, confusion=schema.json_value
    ),
    a_regression=schema.record(
        rows=schema.whole(), mae=schema.number, rmse=schema.number, r2=schema.optional(schema.number)
    ),
)
_COUNTS = schema.optional(schema.listed(schema.whole()))
#: What the story is in a model file.
STORY = schema.record(
    ("outside_epsilon", "progressive_within_epsilon", "cluster"),
    files=schema.listed(schema.text),
    resumed=schema.optional(schema.text),
    rows=schema.whole(),
    how=schema.text,
    passes=schema.whole(),
    mistakes=_COUNTS,
    outside_epsilon=_COUNTS,
    updates=schema.whole(-schema.MOST),
    progressive_accuracy=schema.optional(schema.real()),
    progressive_within_epsilon=schema.optional(schema.real()),
    verdict=schema.optional(schema.text),
    held_out=schema.optional(_JUDGED),
    skipped=schema.whole(),
    interrupted=schema.flag,
    cluster=schema.json_value,
)


def summary(course: Course, story: dict[str, Any]) -> list[tuple[str, str]]:
    """The story for people."""
    learner, path = course.learner, course.arguments.output
    passes = several(story["passes"], "pass", "passes")
    kept = f", {several(len(learner.support), 'example')} kept" if learner.support is not None else ""
    why = f", the default for {course.why}" if course.why else ""
    why += ", no bias" if not getattr(learner, "fit_intercept", True) else ""
    rows = [
        ("data", f"{several(story['rows'], 'row')}, {several(learner.n_features, 'feature')}, {_labels(course)}"),
        ("columns", "" if course.columns is None else str(course.columns)),
        ("learner", f"{course.name}{why}"),
        ("training", f"{story['how']}, {passes}, {several(story['updates'], 'update')}{kept}"),
        ("cluster", clustered.summary(story["cluster"]) if "cluster" in story else ""),
        *counts(story),
    ]
    share, within = story["progressive_accuracy"], story["progressive_within_epsilon"]
    before = "on examples of the first pass before learning from them"
    if share is not None:
        rows += [("verdict", str(story["verdict"])), ("progressive", f"{share:.2%} right {before}")]
    if within is not None:
        rows.append(("progressive", f"{within:.2%} within ε = {learner.epsilon:g} {before}"))
    if story["held_out"] is not None:
        rows.append(("held out", in_words(story["held_out"])))
    return [*rows, ("model", f"{path} ({size(path)}), {story['seconds']:.2f} s")]


def counts(story: dict[str, Any]) -> list[tuple[str, str]]:
    """Mistakes of each pass; of a regression, how often it was not within ε."""
    for name, told in (("mistakes", story["mistakes"]), ("outside ε", story.get("outside_epsilon"))):
        if told is not None:
            first = [f"{n:,}" for n in told]
            if len(first) > MOST_PASSES:
                first = [*first[: MOST_PASSES - 2], "…", first[-1]]
            return [(name, ", ".join(first) + " (in each pass)")]
    return []


def in_words(judgement: dict[str, Any]) -> str:
    """What came of rows that were held out."""
    if "accuracy" in judgement:
        return f"{judgement['accuracy']:.2%} right on {several(judgement['rows'], 'row')}"
    r2 = "" if judgement["r2"] is None else f", R² {judgement['r2']:.4f}"
    return f"MAE {judgement['mae']:.4g}, RMSE {judgement['rmse']:.4g}{r2} on {several(judgement['rows'], 'row')}"


def size(path: str) -> str:
    """Of a file."""
    n = os.path.getsize(path)
    return f"{n / 1e6:,.1f} MB" if n >= 1e6 else f"{n / 1e3:,.1f} kB"


def _labels(course: Course) -> str:
    return "labels that are numbers" if course.classes is None else f"classes {classes(course.classes.tolist())}"


def classes(labels: Sequence[Any]) -> str:
    """The first classes, and how many there are."""
    names = [shown(label) for label in labels]
    return ", ".join(names[:8]) + (f", … ({len(names):,} in all)" if len(names) > 8 else "")
