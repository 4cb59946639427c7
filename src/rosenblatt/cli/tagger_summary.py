"""What training a tagger did: a record for the model file and ``--json``, and its lines in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..sequences import TokenEncoder
from . import summary
from .terminal import several

if TYPE_CHECKING:
    from .sentences import Judged
    from .tagger_training import TaggingRun


def record(run: TaggingRun, streamed: bool, held_out: Judged | None) -> dict[str, Any]:
    """What training did, as plain values."""
    learner = run.learner
    assert learner is not None
    proof = summary.equal_rows(learner, run.equal_rows)
    return {
        "files": list(run.files),
        "resumed": run.arguments.resume,
        "rows": run.rows,
        "tokens": run.tokens,
        "how": "part by part" if streamed else "in memory",
        "passes": len(run.mistakes),
        "mistakes": run.mistakes,
        "updates": learner.n_updates - run.updates_before,
        "progressive_accuracy": None,
        "verdict": learner.verdict,
        "held_out": None if held_out is None else held_out.to_dict(),
        "skipped": run.skipped.count,
        "interrupted": run.interrupted,
        **({} if proof is None else {"equal_rows": proof}),
    }


def lines(run: TaggingRun, record: dict[str, Any]) -> list[tuple[str, str]]:
    """The record for a terminal: names and texts."""
    learner, path = run.learner, run.arguments.output
    assert learner is not None
    passes, asked = several(record["passes"], "pass", "passes"), run.parameters.get("constraints")
    constrained = f", constraints {asked}" if asked else ""
    low, high = learner.margin_bounds
    bounds = [f"{word} {bound:.4g}" for word, bound in (("at least", low), ("at most", high)) if np.isfinite(bound)]
    rows = [
        ("data", f"{several(run.rows, 'sentence')}, {several(run.tokens, 'token')}, tags "
                 f"{summary.first_names(run.tags)}"),
        ("columns", format_in_words(run.format)),
        ("features", features_in_words(run.encoder)),
        ("learner", f"SequenceTagger, {summary.rule_in_words(learner)}, readout {learner.readout}, order "
                    f"{learner.n_before}{constrained}"),
        ("training", f"{record['how']}, {passes}, {several(record['updates'], 'update')}"),
        *summary.mistakes_in_words(record),
        ("verdict", summary.verdict_in_words(record["verdict"], record.get("equal_rows"), "sentence")
                    if record["verdict"] else ""),
        ("max margin", ", ".join(bounds)),
    ]  # fmt: skip
    if record["held_out"] is not None:
        rows.append(("held out", summary.evaluation_in_words(record["held_out"])))
    return [*rows, ("model", f"{path} ({summary.size_of(path)}), written after {record['seconds']:.2f} s")]


def format_in_words(format: Any) -> str:
    """How files of sentences are read."""
    columns = getattr(format, "columns", None)
    if columns is None:
        return f"{format.name} files"
    names = ", ".join(map(str, columns))
    if len(columns) > 1:  # whose cells count from 0, as those of CRF++
        names += f" ({', '.join(map(str, range(len(columns))))} in templates)"
    tag = "" if format.tag is None else f"; tag: {format.tag}"
    return f"features of {'column' if len(columns) == 1 else 'columns'} {names}{tag} ({format.name} files)"


def features_in_words(encoder: TokenEncoder) -> str:
    """What the features of a token are."""
    if encoder.is_named:
        return f"given by name; 2^{encoder.bits} columns"
    n = 0 if encoder.templates is None else len(encoder.templates)
    kind = "the built-in set, " if encoder.is_built_in else ""
    return f"{kind}{several(n, 'template')}; 2^{encoder.bits} columns"
