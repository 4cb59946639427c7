"""What training did: a record for the model file and ``--json``, and its lines in a terminal."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from .. import schema
from ..core.verdicts import NO_MARGIN, SEPARATED, STOPPED
from . import terminal
from .parameters import spelled_value, written
from .terminal import on_one_line, several, shown

if TYPE_CHECKING:
    from ..model_files import Model
    from .evaluate import ConfusionMatrix, RegressionErrors
    from .features import Features
    from .training import TrainingRun

#: The section of a model file.
SECTION = "training"
#: What the verdicts mean (docs/explanation/convergence.md).
VERDICTS = {
    SEPARATED: "the last weights classify every training {noun} correctly",
    NO_MARGIN: "any separator has a relative margin of at most --tol",
    STOPPED: "training ended before the {noun}s were shown to be separable or not",
}
#: Classes of which less is found are named beside an accuracy.
LEAST_RECALL = 0.1
#: Most passes, files and classes that a line lists.
MOST_PASSES, MOST_NAMES = 12, 8


def record(run: TrainingRun, streamed: bool, held_out: ConfusionMatrix | RegressionErrors | None) -> dict[str, Any]:
    """What training did, as plain values."""
    learner, counts = run.learner, run.mistakes
    # Of shards nobody ships the weights; and n-grams that are weighed by labels tell those of the rows to be judged.
    is_judged = run.passes_on_cluster is None and not run.features.is_supervised
    judged = learner.progressive if is_judged else None
    share = 1 - judged.wrong / judged.seen if judged is not None and judged.seen else None
    classifies, proof = not run.is_regression, equal_rows(learner, run.equal_rows)
    return {
        "files": list(run.files),
        "resumed": run.arguments.resume,
        "rows": run.rows,
        "how": "block by block" if streamed else "in memory",
        "passes": len(counts),
        "mistakes": counts if classifies else None,
        "outside_epsilon": None if classifies else counts,
        "updates": learner.n_updates - run.updates_before,
        "progressive_accuracy": share if classifies else None,
        "progressive_within_epsilon": None if classifies else share,
        "label_order": None if run.order is None else run.order.to_dict(),
        "shuffled_within": run.shuffled_within or None,
        "progressive_readout": None if judged is None else judged.readout,
        "verdict": learner.verdict,
        "held_out": None if held_out is None else held_out.to_dict(),
        "skipped": run.skipped.count,
        "interrupted": run.interrupted,
        **({} if run.rows_with_weight in (None, run.rows) else {"rows_with_weight": run.rows_with_weight}),
        **({} if proof is None else {"equal_rows": proof}),
        **({} if run.features.density is None else {"row_scale": _row_scale(run.features)}),
        **({} if run.choices is None else {"choices": run.choices.record()}),
        **({} if run.passes_on_cluster is None else {"cluster": _cluster_record(run.passes_on_cluster)}),
    }


def fault_in_words(run: TrainingRun) -> str:
    """What ended training early, and where the model so far is."""
    assert run.fault is not None
    what, path, learner = terminal.in_words(run.fault), run.arguments.output, run.learner
    if run.passes_on_cluster is None:
        return f"{what}; the model so far, of {several(learner.visited, 'example')}, is in {path}"
    checkpoint = run.arguments.checkpoint
    how = f"the same command continues from {checkpoint}" if checkpoint else "with --checkpoint FILE it could continue"
    return f"{what}; the model after pass {learner.n_iter}, the last complete one, is in {path}; {how}"


_OF_CLASS = schema.record(precision=schema.real(), recall=schema.real(), f1=schema.real(), rows=schema.whole())
_OF_PHRASES = schema.record(
    precision=schema.real(), recall=schema.real(), f1=schema.real(), phrases=schema.whole(), predicted=schema.whole(),
    right=schema.whole(),
)  # fmt: skip
_EVALUATION = schema.either(
    scores_of_tags=schema.record(
        ("phrases", "types"),
        sentences=schema.whole(),
        tokens=schema.whole(),
        accuracy=schema.real(),
        sentence_accuracy=schema.real(),
        phrases=_OF_PHRASES,
        types=schema.named(_OF_PHRASES),
    ),
    a_confusion_matrix=schema.record(
        rows=schema.whole(), accuracy=schema.real(), classes=schema.named(_OF_CLASS), confusion=schema.json_value
    ),
    errors_of_a_regression=schema.record(
        rows=schema.whole(), mae=schema.number, rmse=schema.number, r2=schema.optional(schema.number)
    ),
)
_COUNTS = schema.optional(schema.listed(schema.whole()))
#: What the record must be in a model file.
SCHEMA = schema.record(
    (
        "outside_epsilon",
        "progressive_within_epsilon",
        "progressive_readout",
        "label_order",
        "shuffled_within",
        "equal_rows",
        "row_scale",
        "choices",
        "tuning",
        "cluster",
        "tokens",
        "rows_with_weight",
    ),
    files=schema.listed(schema.text),
    resumed=schema.optional(schema.text),
    rows=schema.whole(),
    rows_with_weight=schema.whole(),
    tokens=schema.whole(),
    how=schema.text,
    passes=schema.whole(),
    mistakes=_COUNTS,
    outside_epsilon=_COUNTS,
    updates=schema.whole(-schema.MOST),
    progressive_accuracy=schema.optional(schema.real()),
    progressive_within_epsilon=schema.optional(schema.real()),
    label_order=schema.json_value,
    shuffled_within=schema.optional(schema.whole()),
    progressive_readout=schema.optional(schema.text),
    verdict=schema.optional(schema.text),
    equal_rows=schema.optional(schema.listed(schema.text)),
    row_scale=schema.json_value,
    choices=schema.json_value,
    tuning=schema.json_value,
    held_out=schema.optional(_EVALUATION),
    skipped=schema.whole(),
    interrupted=schema.flag,
    cluster=schema.json_value,
)


def lines(run: TrainingRun, record: dict[str, Any]) -> list[tuple[str, str]]:
    """The record for a terminal: names and texts."""
    learner: Any = run.learner
    path, passes = run.arguments.output, several(record["passes"], "pass", "passes")
    kept = f", {several(len(learner.support), 'support example')}" if learner.space == "kernel" else ""
    why = f", the default for {run.why}" if run.why else ""
    why += "" if learner.fit_intercept else ", no bias"
    within = record["shuffled_within"]
    how = record["how"] + (f", shuffled within {several(within, 'row')}" if within else "")
    rows = [
        ("data", f"{rows_in_words(record)}, {several(learner.n_features, 'feature')}, {_labels(run)}"),
        ("columns", "" if run.columns is None else run.columns.worded(terminal.option)),
        ("rows", _row_scale_in_words(record["row_scale"]) if "row_scale" in record else ""),
        ("features", "\n".join(run.features.in_words())),
        ("chosen", choices_in_words(record["choices"]) if "choices" in record else ""),
        ("learner", f"{run.name}, {rule_in_words(learner)}, readout {learner.readout}{why}"),
        ("training", f"{how}, {passes}, {several(record['updates'], 'update')}{kept}"),
        ("cluster", _cluster_line(record["cluster"]) if "cluster" in record else ""),
        *mistakes_in_words(record),
    ]
    if record["verdict"] is not None:
        rows.append(("verdict", verdict_in_words(record["verdict"], record.get("equal_rows"))))
    rows += [("progressive", _progressive(record, learner)), ("label order", _label_order(record))]
    if record["held_out"] is not None:
        rows.append(("held out", evaluation_in_words(record["held_out"])))
    return [*rows, ("model", f"{path} ({size_of(path)}), written after {record['seconds']:.2f} s")]


def rows_in_words(record: dict[str, Any]) -> str:
    """How many rows were read, and learned from where some have no weight."""
    words = several(record["rows"], "row")
    if "rows_with_weight" not in record:
        return words
    return f"{words} ({record['rows_with_weight']:,} of them with weight, which alone are learned from)"


def _row_scale(features: Features) -> dict[str, Any]:
    """How dense rows of numbered features are, and what was done to them for it."""
    density = features.density
    assert density is not None
    scaling = None if features.scaling is None else features.scaling.name
    per_row = round(density.entries / max(density.rows, 1), 2)
    return {"scaling": scaling, "entries_per_row": per_row, "features": density.features, "share": density.share}


def _row_scale_in_words(record: dict[str, Any]) -> str:
    done = {"norm": "scaled to norm 1, as text is", "standardised": "standardised, as numeric columns are"}
    return (
        f"{done.get(record['scaling'], 'as they are')}; the first ones have {record['entries_per_row']:g} of "
        f"{several(record['features'], 'feature')} ({record['share']:.2%})"
    )


#: Metrics for people.
_SHOWN = {"accuracy": "{:.2%}", "mae": "mean error {:.4g}"}


def choices_in_words(record: dict[str, Any]) -> str:
    """What was chosen on a part of the rows, and why."""
    lines = list(record["reasons"])
    if record["compared"]:
        lines.append(f"on {several(record['rows'], 'row')}, each half of them predicted by a model of the other:")
    for one in record["compared"]:
        tried = [(value, _SHOWN[record["metric"]].format(metric)) for value, metric in one["tried"]]
        [chosen] = [f"{written(one['option'], value)}: {metric}" for value, metric in tried if value == one["chosen"]]
        others = [f"{spelled_value(value)}: {metric}" for value, metric in tried if value != one["chosen"]]
        lines.append(f"{chosen} ({', '.join(others)})")
    return "\n".join(lines)


def _progressive(record: dict[str, Any], learner: Any) -> str:
    """The share of right answers in the first pass."""
    share, within = record["progressive_accuracy"], record["progressive_within_epsilon"]
    if share is None and within is None:
        return ""
    right = f"{within:.2%} within ε = {learner.epsilon:g}" if share is None else f"accuracy {share:.2%}"
    weights = f"by the {record['progressive_readout']} weights"
    return f"{right} {weights} in the first pass, each row predicted before it was learned from"


def _label_order(record: dict[str, Any]) -> str:
    """What is wrong with the order of the labels, and what to do."""
    order = record["label_order"]
    if order is None or order["random"]:
        return ""
    judged = record["progressive_accuracy"] is not None or record["progressive_within_epsilon"] is not None
    advice = "shuffle the rows of the files first"
    if record["how"] == "in memory":
        advice = "leave out --no-shuffle"
    elif not record["shuffled_within"]:
        advice += f", or say --shuffle-buffer {record['rows']}"
    return (
        f"the labels come in {several(order['runs'], 'run')}, and in random order they would in about "
        f"{order['expected_runs']:,.0f}"
        + (";\nthe progressive figure means nothing then" if judged else "")
        + f":\n{advice}"
    )


def mistakes_in_words(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Mistakes in each pass; of a regression, how often the prediction was not within ε."""
    for name, counts in (("mistakes", record["mistakes"]), ("outside ε", record.get("outside_epsilon"))):
        if counts is not None:
            words = [f"{n:,}" for n in counts]
            if len(words) > MOST_PASSES:
                words = [*words[: MOST_PASSES - 2], "…", words[-1]]
            of = "sentences, " if "tokens" in record else ""
            return [(name, ", ".join(words) + f" ({of}in each pass)")]
    return []


def equal_rows(learner: Any, places: Sequence[str] | None) -> list[str] | None:
    """The two rows that prove "no margin", if they do: their places, or numbers from 0 where these are not known."""
    if learner.verdict != NO_MARGIN or learner.evidence.equal_rows is None:
        return None
    return list(places or [f"row {number}" for number in learner.evidence.equal_rows])


def verdict_in_words(verdict: str, equal_rows: Sequence[str] | None, noun: str = "row") -> str:
    """A verdict and its meaning, or the two rows that prove it; one that a newer version wrote stands alone."""
    if verdict == NO_MARGIN and equal_rows:
        both = " and ".join(equal_rows)
        return f"{verdict} (upper bound 0, exact): {both} are equal and have different labels"
    return f"{verdict} ({VERDICTS[verdict].format(noun=noun)})" if verdict in VERDICTS else verdict


def evaluation_in_words(result: dict[str, Any]) -> str:
    """How the model does on held-out rows or sentences."""
    if "sentence_accuracy" in result:
        return _tags_in_words(result)
    if "accuracy" in result:
        return _accuracy_in_words(result)
    r2 = "" if result["r2"] is None else f", R² {result['r2']:.4f}"
    return f"MAE {result['mae']:.4g}, RMSE {result['rmse']:.4g}{r2} on {several(result['rows'], 'row')}"


def _tags_in_words(result: dict[str, Any]) -> str:
    """The share of right tags and sentences, and of phrases F1."""
    line = (
        f"accuracy {result['accuracy']:.2%} of {several(result['tokens'], 'token')}, "
        f"{result['sentence_accuracy']:.2%} of {several(result['sentences'], 'sentence')}"
    )
    if "phrases" not in result:
        return line
    phrases = result["phrases"]
    return (
        f"F1 {phrases['f1']:.2%} of {several(phrases['phrases'], 'phrase')} (precision {phrases['precision']:.2%}, "
        f"recall {phrases['recall']:.2%});\n{line}"
    )


def _accuracy_in_words(result: dict[str, Any]) -> str:
    """The accuracy, beside it the share of the largest class, and the recall of classes that are hardly ever found."""
    line = f"accuracy {result['accuracy']:.2%} on {several(result['rows'], 'row')}"
    there = {name: one for name, one in result["classes"].items() if one["rows"]}
    if not there:
        return line
    largest = max(there, key=lambda name: there[name]["rows"])
    share = there[largest]["rows"] / sum(one["rows"] for one in there.values())
    line += f", of which {share:.2%} are {on_one_line(largest)}, the largest class"
    missed = [name for name, one in there.items() if one["recall"] < LEAST_RECALL]
    if not missed:
        return line
    shares = ", ".join(f"{on_one_line(name)} {there[name]['recall']:.2%}" for name in missed)
    which = f": {shares}" if len(missed) < 4 else f" for {len(missed):,} of {len(there):,} classes"
    return f"{line};\nrecall under {LEAST_RECALL:.0%}{which}"


def size_of(path: str) -> str:
    """The size of a file."""
    n = os.path.getsize(path)
    return f"{n / 1e6:,.1f} MB" if n >= 1e6 else f"{n / 1e3:,.1f} kB"


def rule_in_words(learner: Any) -> str:
    """The rule with its parameters."""
    values = {name: value for name, value in learner.rule.parameters.items() if value is not None}
    parameters = ", ".join(f"{name} {_written(value)}" for name, value in values.items())
    return f"rule {learner.rule.option}" + (f" ({parameters})" if parameters else "")


def _written(value: Any) -> str:
    """A parameter of a rule: a word, a number, or a number for each class."""
    if isinstance(value, str):
        return value
    return ",".join(f"{one:g}" for one in (value if isinstance(value, tuple) else [value]))


def _labels(run: TrainingRun) -> str:
    return "numeric labels" if run.classes is None else f"classes {first_names(run.classes.tolist())}"


def first_names(labels: Sequence[Any]) -> str:
    """The first classes or files, and how many there are if there are more."""
    names = [on_one_line(shown(label)) for label in labels]
    return ", ".join(names[:MOST_NAMES]) + (f", … ({len(names):,} in all)" if len(names) > MOST_NAMES else "")


def note_new_classes(resumed: Model, classes: Sequence[Any], occurring: Collection[Any], noun: str) -> None:
    """Say which classes, or tags, a model that was continued had not known, and whether none of its own occurs."""
    own = [] if resumed.classes is None else resumed.classes.tolist()
    new = [label for label in classes if label not in own]
    if new:
        several_new = several(len(new), noun, "classes" if noun == "class" else "")
        alone = "" if any(label in occurring for label in own) else f"; none of its own ({first_names(own)}) occurs"
        terminal.note(f"{several_new} that the model did not know: {first_names(new)}{alone}")


def note_unweighted_classes(run: TrainingRun) -> None:
    """Say which classes have the weight 0, so that their rows were not learned from."""
    weights = run.parameters.get("class_weight")
    gone = [label for label in sorted(run.unweighted) if isinstance(weights, dict) and not weights[label]]
    if gone:
        one = len(gone) == 1
        words = ("class", "has", "its") if one else ("classes", "have", "their")
        terminal.note(f"{words[0]} {first_names(gone)} {words[1]} weight 0: none of {words[2]} rows is learned from")


def note_alike(classes: Sequence[Any]) -> None:
    """Say which classes are written as another but for case and blanks: most are meant to be one."""
    first: dict[str, str] = {}
    alike = []
    for label in (label for label in classes if isinstance(label, str)):
        other = first.setdefault(" ".join(label.casefold().split()), label)
        if other is not label:
            alike.append((other, label))
    if alike:
        (one, other), others = alike[0], len(alike) - 1
        more = f"; and so {'does' if others == 1 else 'do'} {several(others, 'other')}" if others else ""
        terminal.note(f"the classes {one!r} and {other!r} differ in case or blanks alone{more}: they are learned apart")


def _cluster_record(passes: list[Any]) -> dict[str, Any]:
    """The passes of a cluster, as plain values."""
    return {
        "shards": len(passes[-1].shares),
        "workers": passes[-1].workers,
        "each": [one.to_dict() for one in passes],
    }


def _cluster_line(record: dict[str, Any]) -> str:
    """The passes of a cluster, in a line."""
    from ..distributed.records import size

    moved = sum(one["bytes_moved"] for one in record["each"])
    last = record["each"][-1]
    slowest = max(range(record["shards"]), key=last["shard_seconds"].__getitem__)
    return (
        f"{several(record['workers'], 'worker')}, {several(record['shards'], 'shard')}, {size(moved)} transferred; "
        f"slowest in the last pass: shard {slowest}, {last['shard_seconds'][slowest]:.2f} of {last['seconds']:.2f} s"
    )
