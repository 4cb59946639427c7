"""Why a model says what it says: the strongest features of each class, or of one example.

Give a text, or a file and --rows, to see what each word of it adds to the score.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from . import options
from .terminal import CommandError, emit, shown

if TYPE_CHECKING:
    from ..model_files import Model
    from .features import Features

EXAMPLE = 'rosenblatt explain mood.model "not a bad film"'


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("example", metavar="TEXT|FILE", nargs="?", help="a text, a file, or - for standard input")
    parser.add_argument("--top", metavar="N", type=options.count, default=12, help="features to show (12)")
    parser.add_argument("--rows", metavar="N", type=options.count, default=1, help="rows of the file to explain (1)")
    options.add_json(parser)
    options.add_reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from .judging import loaded

    model, features = loaded(arguments.model)
    if arguments.example is None:
        _classes(arguments, model, features)
    else:
        _examples(arguments, model, features)


# ---- the strongest features ----------------------------------------------------------------------------------------


def _classes(arguments: argparse.Namespace, model: Model, features: Features) -> None:
    from ..tables import Table

    found = strongest(model, features, arguments.top)
    if arguments.json:
        emit({name: [{"feature": f, "weight": w} for f, w in rows] for name, rows in found.items()})
        return
    for i, (name, rows) in enumerate(found.items()):
        table = Table((f"for {name}", "weight"), [(feature, f"{weight:+.4f}") for feature, weight in rows], "lr")
        print(f"{'' if i == 0 else chr(10)}{table}")


def strongest(model: Model, features: Features, n: int) -> dict[str, list[tuple[str, float]]]:
    """Features that speak for each class, the strongest first."""
    import numpy as np

    from . import names

    learner = model.learner
    assert model.classes is not None
    weights = learner.read()[1 : 1 + learner.n_features]
    found = {}
    for code, label in enumerate(model.classes.tolist()):
        towards = weights[:, code] if learner.n_vectors > 1 else weights[:, 0] * (1 if code else -1)
        n_top = min(n, len(towards))
        top = np.argpartition(-towards, n_top - 1)[:n_top] if n_top else np.empty(0, int)
        top = top[np.argsort(-towards[top], kind="stable")]
        top = top[towards[top] > 0]
        found[shown(label)] = list(zip(names.of_columns(features, top.tolist()), towards[top].tolist()))
    return found


# ---- examples ------------------------------------------------------------------------------------------------------


def _examples(arguments: argparse.Namespace, model: Model, features: Features) -> None:
    from .judging import opened_for

    if arguments.example == "-" or os.path.exists(arguments.example):
        left = arguments.rows
        with opened_for(features, [arguments.example], arguments, labelled=False) as stream:
            for block in stream:
                for row in range(min(left, len(block))):
                    _tell(arguments, explained(model, features, block, row), block.place(row))
                left -= min(left, len(block))
                if not left:
                    break
        return
    _tell(arguments, explained(model, features, _of_text(features, arguments), 0), "")


def _of_text(features: Features, arguments: argparse.Namespace) -> Any:
    """A block of one row, the text."""
    import numpy as np

    from ..data import Block
    from ..data.extras import arrow

    pa = arrow("text")

    columns = None if features.encoder is None else features.encoder.columns
    if columns is None or len(columns.features) != 1 or not columns.text:
        wanted = "numbered features" if columns is None else f"the columns {', '.join(columns.features)}"
        raise CommandError(
            f"there is no file {arguments.example!r}, and the model does not read text alone: it needs {wanted}"
        )
    written = arguments.example.encode()
    buffers = [None, pa.py_buffer(np.array([0, len(written)], np.int32)), pa.py_buffer(written)]  # array() loads pandas
    table = pa.Table.from_arrays([pa.Array.from_buffers(pa.string(), 1, buffers)], [columns.text[0]])
    return Block(None, np.array([1]), (("the text", 0),), table=table)


def explained(model: Model, features: Features, block: Any, row: int) -> dict[str, Any]:
    """What each feature of a row adds to the score of its class, less that of the class that comes next."""
    import numpy as np

    from .. import engine
    from . import names

    learner = model.learner
    assert model.classes is not None
    csr = features.rows(block, learn=False).rows(row, row + 1)
    scores = learner.scores(engine.admit(csr, np.float64 if learner.dtype == np.float64 else None))
    code = int(learner.decide(scores)[0])
    weights = learner.read()
    if learner.n_vectors == 1:
        other, side = 1 - code, 1 if code else -1
        towards, score = weights[:, 0] * np.float64(side), float(scores[0]) * side
    else:
        ranked = np.argsort(-scores[0], kind="stable")
        other = int(ranked[ranked != code][0])
        towards = weights[:, code].astype(np.float64) - weights[:, other]
        score = float(scores[0, code]) - float(scores[0, other])
    called = names.of_row(features, block, row)
    parts = [
        {"feature": called.get(column, f"#{column}"), "value": value, "weight": float(towards[1 + column])}
        for column, value in zip(csr.indices.tolist(), csr.data.tolist())
    ]
    for part in parts:
        part["adds"] = part["value"] * part["weight"]
    parts.sort(key=lambda part: -abs(part["adds"]))
    labels = [shown(label) for label in model.classes.tolist()]
    return {"label": labels[code], "over": labels[other], "score": score, "bias": float(towards[0]), "features": parts}


def _tell(arguments: argparse.Namespace, told: dict[str, Any], place: str) -> None:
    from ..tables import Table

    if arguments.json:
        emit({"place": place or None, **told, "features": told["features"][: arguments.top]})
        return
    shown_parts, rest = told["features"][: arguments.top], told["features"][arguments.top :]
    rows = [
        (part["feature"], f"{part['value']:.4g}", f"{part['weight']:+.4f}", f"{part['adds']:+.4f}")
        for part in shown_parts
    ]
    if rest:
        rows.append((f"{len(rest)} more features", "", "", f"{sum(part['adds'] for part in rest):+.4f}"))
    rows += [("bias", "", "", f"{told['bias']:+.4f}"), ("score", "", "", f"{told['score']:+.4f}")]
    title = f"{place}: {told['label']}" if place else told["label"]
    print(Table(("feature", "value", "weight", "adds"), rows, "lrrr", title=f"{title}, over {told['over']}"))
