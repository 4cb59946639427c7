"""What a model is, how it was trained, its verdict and its bounds."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from typing import Any

from . import options
from .story import STORY, classes, counts, in_words, size
from .terminal import emit, show, shown

EXAMPLE = "rosenblatt inspect mood.model"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from ..model_files import refusing
    from .features import SECTION, Features
    from .judging import checked

    model = checked(arguments.model)
    if SECTION in model.extras:
        Features.of_model(model, arguments.model)  # refuses what is none
    with refusing(arguments.model):
        if "training" in model.extras:
            STORY(model.extras["training"][0], "training")
    document = _document(model)
    if arguments.json:
        emit(document)
        return
    history = document["history"]
    rows = [
        (
            "model",
            f"{arguments.model} ({size(arguments.model)}), rosenblatt {model.written_by}",
        ),
        ("learner", document["algorithm"]),
        ("parameters", _wrapped(f"{name}={value}" for name, value in document["parameters"].items())),
        ("classes", classes(document["classes"]) if document["classes"] else "a regression"),
        ("features", f"{document['features']:,}" + ("" if model.columns is None else ", with names")),
        ("made from", "\n".join(_made_from(model))),
        ("examples", f"{history['examples']:,} visited, {history['updates']:,} updates"),
    ]
    if history["mistakes"] is not None:
        low, high = history["margin_bounds"]
        known = [f"{word} {bound:.4g}" for word, bound in (("at least", low), ("at most", high)) if bound is not None]
        rows += [("verdict", str(history["verdict"])), ("best margin", ", ".join(known))]
    story = document["training"]
    if story is not None:
        after = f", after {story['resumed']}" if story["resumed"] else ""
        rows.append(("trained on", f"{story['rows']:,} rows of {', '.join(story['files'])}, {story['how']}{after}"))
        rows += counts(story)
        if story["held_out"]:
            rows.append(("held out", in_words(story["held_out"])))
    show(rows)


def _document(model: Any) -> dict[str, Any]:
    history = dict(model.history)
    if history["margin_bounds"] is not None:
        history["margin_bounds"] = [bound if math.isfinite(bound) else None for bound in history["margin_bounds"]]
    return {
        "algorithm": model.algorithm,
        "parameters": {name: _plain(value) for name, value in model.parameters.items()},
        "classes": None if model.classes is None else [shown(label) for label in model.classes.tolist()],
        "features": model.learner.n_features,
        "history": history,
        "training": model.extras["training"][0] if "training" in model.extras else None,
        "rows_from": model.extras["features"][0] if "features" in model.extras else None,
        "written_by": model.written_by,
    }


def _wrapped(names: Iterable[str]) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(", ".join(names), 100))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def _made_from(model: Any) -> list[str]:
    """Where the features come from, a line each."""
    if "features" not in model.extras:
        return []
    plain = model.extras["features"][0]
    if "table" not in plain:
        return [f"{plain['format']} files"]
    columns, lines = plain["table"]["columns"], []
    for name in columns["text"] or ():
        text = plain["table"]["text"][name]["hashing"]
        low, high = text["analysis"]["ngrams"]
        idf = f" × idf of {text['n_documents']:,} documents" if text["idf"] else ""
        lines.append(f"text {name}: runs of {low} to {high} words, {text['weighting']}{idf}, 2^{text['bits']} columns")
    if columns["numeric"]:
        how = ", standardised" if plain["table"]["standardise"] else ""
        lines.append(f"numbers{how}: {', '.join(columns['numeric'])}")
    if columns["categorical"]:
        lines.append(f"categories: {', '.join(columns['categorical'])}")
    return [*lines, f"label: {columns['label']}"] if columns["label"] else lines
