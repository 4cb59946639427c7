"""The command ``inspect``: what a model file says of its parameters, its features and its training."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Iterable
from typing import Any

from ..model_files import Model, refusing
from . import summary
from .features import SECTION, Features
from .inputs import is_tagger, read_model
from .sentences import Tagger
from .terminal import emit, show, shown


def run(arguments: argparse.Namespace) -> None:
    """Print what a model is."""
    model, made_from = read_model(arguments.model), []
    names = ("classes", "examples", "row") if not is_tagger(model) else ("tags", "sentences", "sentence")
    if is_tagger(model):
        made_from = _of_tagger(Tagger.of_model(model, arguments.model))
    elif SECTION in model.extras:
        features = Features.of_model(model, arguments.model)  # refuses a damaged section
        made_from = features.in_words()
        if features.encoder is not None and features.encoder.columns.label:
            made_from.append(f"label: {features.encoder.columns.label}")
    with refusing(arguments.model):
        if summary.SECTION in model.extras:
            summary.SCHEMA(model.extras[summary.SECTION][0], summary.SECTION)
    document = _document(model)
    if arguments.json:
        emit(document)
        return
    history, training = document["history"], document["training"]
    with_names = "" if model.columns is None else ", with names"
    rows = [
        ("model", f"{arguments.model} ({summary.size_of(arguments.model)}), written by rosenblatt {model.written_by}"),
        ("learner", document["algorithm"]),
        ("parameters", _wrapped(f"{name}={value}" for name, value in document["parameters"].items())),
        (names[0], summary.first_names(document["classes"]) if document["classes"] else "none, a regression"),
        ("features", "" if is_tagger(model) else f"{document['features']:,}{with_names}"),
        ("made from", "\n".join(made_from)),
        ("training", f"{history['examples']:,} {names[1]} visited, {history['updates']:,} updates"),
    ]
    if history["mistakes"] is not None:
        low, high = history["margin_bounds"]
        known = [f"{word} {bound:.4g}" for word, bound in (("at least", low), ("at most", high)) if bound is not None]
        proof = summary.equal_rows(model.learner, None if training is None else training.get("equal_rows"))
        verdict = summary.verdict_in_words(history["verdict"], proof, names[2])
        rows += [("verdict", verdict), ("max margin", ", ".join(known))]
    if training is not None:
        after = f", continuing {training['resumed']}" if training["resumed"] else ""
        files = summary.first_names(training["files"])
        n = f"{training['rows']:,} sentences" if "tokens" in training else summary.rows_in_words(training)
        rows.append(("trained on", f"{n} of {files}, {training['how']}{after}"))
        if "choices" in training:
            rows.append(("chosen", summary.choices_in_words(training["choices"])))
        if "tuning" in training:
            rows.append(
                ("tuned", f"best of {len(training['tuning']['tried'])}; the same by: {training['tuning']['command']}")
            )
        rows += summary.mistakes_in_words(training)
        if training["held_out"]:
            rows.append(("held out", summary.evaluation_in_words(training["held_out"])))
    show(rows)


def _of_tagger(tagger: Tagger) -> list[str]:
    """What the features of tokens are, and which columns of files they are made of."""
    from .tagger_summary import features_in_words, format_in_words

    told = [features_in_words(tagger.encoder)]
    return told if tagger.format is None else [*told, format_in_words(tagger.format)]


def _document(model: Model) -> dict[str, Any]:
    history = dict(model.history)
    if history["margin_bounds"] is not None:
        history["margin_bounds"] = [bound if math.isfinite(bound) else None for bound in history["margin_bounds"]]
    return {
        "algorithm": model.algorithm,
        "parameters": {name: _plain(value) for name, value in model.parameters.items()},
        "classes": None if model.classes is None else [shown(label) for label in model.classes.tolist()],
        "features": model.learner.n_features,
        "history": history,
        "training": model.extras[summary.SECTION][0] if summary.SECTION in model.extras else None,
        "rows_from": model.extras[SECTION][0] if SECTION in model.extras else None,
        "written_by": model.written_by,
    }


def _wrapped(names: Iterable[str]) -> str:
    return "\n".join(textwrap.wrap(", ".join(names), 100))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
