"""The command ``explain``: what a score is the sum of.

The parts are features times weights, or with a kernel training examples. A score is that of the predicted class minus
that of the runner-up; of a regression, the predicted number itself.
"""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..core import engine
from ..data import Block, VowpalWabbit
from ..data.arrow import arrow
from ..data.columns import first_columns
from ..data.csr import Csr
from ..model_files import Model
from ..tables import Table, signed
from . import inputs
from .features import Features
from .kind_of_files import refuse_options_of_sentences
from .terminal import CommandError, emit, shown

Array = Any

#: A word with such an ending is the name of a file and no text.
_FILE_NAME = re.compile(r"^\S+\.(csv|tsv|txt|svm|svmlight|libsvm|vw|jsonl|ndjson|parquet|pq|arrow|feather)(\.\w+)?$")


def run(arguments: argparse.Namespace) -> None:
    """Explain a model, or the predictions of rows."""
    model = inputs.read_model(arguments.model)
    if inputs.is_tagger(model):
        from . import tagger_use

        tagger_use.explain(arguments, model)
        return
    refuse_options_of_sentences(arguments)
    features = Features.of_model(model, arguments.model)
    _refuse_votes(model, arguments.model)
    if model.classes is not None and len(model.classes) < 2:
        raise CommandError(
            f"{arguments.model} knows only one class and predicts it for every row: there is nothing to explain"
        )
    if arguments.example is None:
        strongest = strongest_parts(model, features, arguments.top)
        if arguments.json:
            emit({side: [part.to_dict() for part in parts] for side, parts in strongest.items()})
            return
        for number, (side, parts) in enumerate(strongest.items()):
            sure = [(f"± {part.deviation:.4f}",) if part.deviation is not None else () for part in parts]
            rows = [(part.name, signed(part.weight), *one) for part, one in zip(parts, sure)]
            print(end="\n" if number else "")
            headings = (f"for {side}", "weight", *(("deviation",) if any(sure) else ()))
            Table(headings, rows, "lrr"[: len(headings)]).show()
        return
    for block, row, place in _rows_to_explain(arguments, features):
        explanation = explain_row(model, features, block, row, arguments.top)
        if arguments.json:
            emit({"place": place or None, **explanation.to_dict(arguments.top)})
        else:
            explanation.table(arguments.top, place).show()


def _refuse_votes(model: Model, path: str) -> None:
    if model.learner.readout == "voted":
        raise CommandError(
            f"{path} is a vote of {1 + model.learner.length:,} weight vectors, which is not a sum of features; train "  # type: ignore[attr-defined]
            "with --readout averaged, which predicts nearly the same"
        )


def _rows_to_explain(arguments: argparse.Namespace, features: Features) -> Iterator[tuple[Block, int, str]]:
    """Rows, each as a block, its number in it, and its place in the file."""
    if arguments.example != "-" and not os.path.exists(arguments.example):
        if _FILE_NAME.search(arguments.example):
            raise CommandError(f"there is no file {arguments.example!r}")
        inputs.refuse_broken_text(arguments.example)
        yield _block_of_text(features, arguments.example), 0, ""
        return
    left = arguments.rows
    inputs.keep_pipes(arguments, arguments.example)
    with inputs.open_for_model(features, [arguments.example], arguments, labelled=False) as stream:
        if not isinstance(stream.format, VowpalWabbit):
            inputs.release_pipes(arguments, [arguments.example])
        for block in stream:
            n = min(left, len(block))
            if n and isinstance(stream.format, VowpalWabbit):
                sources, last_line = inputs.sources_of([arguments.example], arguments), int(block.lines[n - 1])
                features.hashed_names = inputs.hashed_names(sources, stream.format, last_line)
            for row in range(n):
                yield block, row, block.place(row)
            left -= n
            if not left:
                break


def _block_of_text(features: Features, text: str) -> Block:
    """A block of one row, the text."""
    pa = arrow("text")
    columns = None if features.encoder is None else features.encoder.columns
    if columns is None or len(columns.features) != 1 or not columns.text:
        wanted = "numbered features" if columns is None else f"the columns {', '.join(first_columns(columns.features))}"
        raise CommandError(f"there is no file {text!r}, and the model cannot be given a text alone: it needs {wanted}")
    written = text.encode()
    buffers = [None, pa.py_buffer(np.array([0, len(written)], np.int32)), pa.py_buffer(written)]  # array() loads pandas
    table = pa.Table.from_arrays([pa.Array.from_buffers(pa.string(), 1, buffers)], [columns.text[0]])
    return Block(None, np.array([1]), (("the text", 0),), columns=table)


class Part(NamedTuple):
    """A feature, or a training example: its weight, its value in a row, and what it adds to the score."""

    name: str
    weight: float
    value: float | None = None
    is_example: bool = False
    deviation: float | None = None  # of the weight, where the rule keeps how sure it is
    factors: Mapping[str, float] = MappingProxyType({})  # of the value of an n-gram: its idf, its weight by class

    @property
    def adds(self) -> float:
        return (1.0 if self.value is None else self.value) * self.weight

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"example" if self.is_example else "feature": self.name, "weight": self.weight}
        if self.deviation is not None:
            plain["deviation"] = self.deviation
        plain |= {name.replace(" ", "_"): factor for name, factor in self.factors.items()}
        return plain if self.value is None else {**plain, "value": self.value, "adds": self.adds}


@dataclass
class Explanation:
    """Why a row got its label."""

    label: str | None  # None: a regression
    over: str | None  # the runner-up
    score: float
    bias: float | None  # None: there is none, or it is part of what the examples add
    parts: list[Part]  # those that add most first
    is_text: bool = False  # the parts are words

    @property
    def noun(self) -> str:
        """What its parts are."""
        return "example" if self.parts and self.parts[0].is_example else "feature"

    def to_dict(self, top: int) -> dict[str, Any]:
        """As plain values, with the first ``top`` parts."""
        sides = {"prediction": self.score} if self.label is None else {"label": self.label, "over": self.over}
        parts = [part.to_dict() for part in self.parts[:top]]
        known = sum(part.weight != 0 for part in self.parts)
        return {**sides, "score": self.score, "bias": self.bias, "known": known, f"{self.noun}s": parts}

    def table(self, top: int, place: str) -> Table:
        """The first ``top`` parts, the sum of the others, and the score."""
        rest = self.parts[top:]
        sure = any(part.deviation is not None for part in self.parts)
        factors = list(dict.fromkeys(name for part in self.parts for name in part.factors))
        empty = ("", "", *(("",) if sure else ()), *("" for _ in factors))
        rows: list[tuple[str, ...]] = [
            (
                part.name, *(f"{part.factors[name]:.3g}" if name in part.factors else "" for name in factors),
                f"{part.value:.4g}", signed(part.weight),
                *((f"± {part.deviation:.4f}",) if part.deviation is not None else ()), signed(part.adds),
            )
            for part in self.parts[:top]
        ]  # fmt: skip
        if rest:
            more = self.noun if len(rest) == 1 else self.noun + "s"
            rows.append((f"{len(rest)} more {more}", *empty, signed(sum(part.adds for part in rest))))
        if self.bias is not None:
            rows.append(("bias", *empty, signed(self.bias)))
        rows.append(("prediction" if self.label is None else "score", *empty, signed(self.score)))
        prediction = f"predicted {self.score:.6g}" if self.label is None else f"predicted {self.label} over {self.over}"
        if not any(part.weight for part in self.parts):
            reason = "by the bias alone" if self.bias else "for no reason"
            prediction = f"no {'word' if self.is_text else self.noun} of it is known; {prediction}, {reason}"
        value, title = (
            "kernel" if self.noun == "example" else "value",
            f"{place}: {prediction}" if place else prediction,
        )
        headings = (self.noun, *factors, value, "weight", *(("deviation",) if sure else ()), "adds")
        return Table(headings, rows, "l" + "r" * (len(headings) - 1), title=title)


def strongest_parts(model: Model, features: Features, n: int) -> dict[str, list[Part]]:
    """The ``n`` largest weights for each class (of a regression, for larger and smaller numbers), the largest first."""
    by_examples = _has_no_features(model.learner)
    strongest: dict[str, list[Part]] = {}
    for side, columns, towards in _sides(model):
        n_top = min(n, len(towards))
        top = np.argpartition(-towards, n_top - 1)[:n_top] if n_top else np.empty(0, int)
        top = top[np.argsort(-towards[top], kind="stable")]
        top = top[towards[top] > 0]
        places = top if columns is None else columns[top]
        names = _example_names(model, features, top) if by_examples else features.column_names(places.tolist())
        spreads = _deviations(model, places, len(strongest))
        strongest[side] = [
            Part(name, float(towards[i]), None, by_examples, spread)
            for name, i, spread in zip(names, top.tolist(), spreads)
        ]
    return strongest


def _deviations(model: Model, columns: Array, code: int, other: int | None = None) -> list[float | None]:
    """Standard deviations of the weights of a class (against another) at these columns, where the rule keeps them."""
    learner: Any = model.learner
    if learner.rule.keeps is None:
        return [None] * len(columns)
    held = learner.variances_at(columns)[1:]
    both = held[:, 0] if learner.n_vectors == 1 else held[:, code] + (0 if other is None else held[:, other])
    return list(np.sqrt(both).tolist())


def _sides(model: Model) -> Iterator[tuple[str, Array | None, Array]]:
    """What weights may speak for (a class, or larger or smaller numbers), their columns, and they, signed towards it.

    The columns are None where all have a weight, or where these are of examples.
    """
    learner: Any = model.learner
    labels = [shown(label) for label in ([] if model.classes is None else model.classes.tolist())]
    if learner.lists is not None:
        columns, of_class, weights = _by_class(learner)
        ends = np.searchsorted(of_class, np.arange(len(labels) + 1))
        yield from ((side, columns[a:b], weights[a:b]) for side, a, b in zip(labels, ends, ends[1:]))
        return
    columns, weights = (None, learner.dual()) if _has_no_features(learner) else _weights(learner)
    if model.classes is None:
        yield "larger numbers", columns, weights[:, 0]
        yield "smaller numbers", columns, -weights[:, 0]
    for code, side in enumerate(labels):
        yield side, columns, weights[:, code] if learner.n_vectors > 1 else weights[:, 0] * (1 if code else -1)


def explain_row(model: Model, features: Features, block: Block, row: int, top: int) -> Explanation:
    """What each part of a row adds to its score; of examples, the ``top`` that add most are named."""
    learner: Any = model.learner
    csr = features.rows(block, learn=False).rows(row, row + 1)
    rows = learner.admit(csr, np.float64 if learner.dtype == np.float64 else None)
    label, over, score, side = _sided(model, learner.scores(rows))
    by_examples = _has_no_features(learner)
    if by_examples:
        weights, bias = side(learner.dual()), None
        values = rows.against(slice(0, 1), learner.support)[0].astype(np.float64)
    else:
        towards, values = side(_weights_at(learner, csr.indices)), csr.data.astype(np.float64)
        weights, bias = towards[1:], float(towards[0]) if learner.fit_intercept else None
    order = np.argsort(-np.abs(values * weights), kind="stable")
    if by_examples:
        names = _example_names(model, features, order[:top])
    else:
        known = features.row_names(block, row)
        names = [known.get(i, f"#{i}") for i in csr.indices[order].tolist()]
    names += [""] * (len(order) - len(names))
    sides = _codes(model, label, over)
    spreads = [None] * len(order) if by_examples else _deviations(model, csr.indices[order], *sides)
    factors = [{} for _ in order] if by_examples else _factors(features, csr.indices, order)
    parts = [
        Part(*part)
        for part in zip(
            names, weights[order].tolist(), values[order].tolist(), [by_examples] * len(order), spreads, factors
        )
    ]
    return Explanation(label, over, score, bias, parts, features.is_text and not by_examples)


def _codes(model: Model, *labels: str | None) -> tuple[int, ...]:
    """The codes of labels as they are shown; of a regression 0."""
    known = [shown(label) for label in ([] if model.classes is None else model.classes.tolist())]
    return tuple(known.index(label) for label in labels if label is not None) or (0,)


def _factors(features: Features, columns: Array, order: Array) -> list[dict[str, float]]:
    """What the values at these columns, in this order, were multiplied by before rows were scaled."""
    found: list[dict[str, float]] = [{} for _ in order]
    for name, weights in features.column_weights(columns).items():
        for own, weight in zip(found, weights[order].tolist()):
            if not math.isnan(weight):
                own[name] = weight
    return found


def _sided(model: Model, scores: Array) -> tuple[str | None, str | None, float, Any]:
    """The predicted label, the runner-up, the score, and a function that signs weights towards the label."""
    learner = model.learner
    if model.classes is None:
        return None, None, float(scores[0]), lambda weights: weights[:, 0].astype(np.float64)
    labels = [shown(label) for label in model.classes.tolist()]
    code = int(learner.decide(scores)[0])
    if learner.n_vectors == 1:
        sign = 1 if code else -1
        return labels[code], labels[1 - code], float(scores[0]) * sign, lambda weights: weights[:, 0] * np.float64(sign)
    ranked = np.argsort(-scores[0], kind="stable")
    other = int(ranked[ranked != code][0])
    score = float(scores[0, code]) - float(scores[0, other])
    return labels[code], labels[other], score, lambda w: w[:, code].astype(np.float64) - w[:, other]


def _has_no_features(learner: Any) -> bool:
    """Whether the weights are a sum of training examples in a space whose features have no names."""
    return bool(learner.space == "kernel" and learner.kernel.name != "linear")


def _weights(learner: Any) -> tuple[Array | None, Array]:
    """The columns that may have weights (None: all), and the weights, one row for each such column."""
    if learner.space == "linear":
        return learner.features(), learner.in_order(learner.stored())[1:]
    vectors = learner.support.vectors
    columns = np.unique(vectors.indices) if learner.support.is_sparse else None
    return columns, _weights_at(learner, np.arange(learner.n_features) if columns is None else columns)[1:]


def _by_class(learner: Any) -> tuple[Array, Array, Array]:
    """Of weights by lists, class after class: the columns, ascending in each class, the classes and the weights."""
    entries, features = learner.entries(learner.stored_with_lists()[1]), learner.features()
    order = np.argsort(entries.classes, kind="stable")
    columns = entries.rows if features is None else features[entries.rows]
    return columns[order], entries.classes[order], entries.weights[order]


def _weights_at(learner: Any, columns: Array) -> Array:
    """Weights of the readout: the biases, then one row for each of these columns."""
    if learner.space == "linear":
        return np.asarray(learner.weights_at(columns))
    dual, vectors = learner.dual().astype(np.float64), learner.support.vectors
    if learner.support.is_sparse:
        part = engine.select_columns(engine.csr(vectors), columns)
        w = Csr(part.indptr, part.indices, part.data, part.n_features).to_scipy().T @ dual
    else:
        w = np.zeros((len(columns), dual.shape[1])) if vectors is None else vectors[:, columns].T @ dual
    return np.concatenate([dual.sum(axis=0, keepdims=True) * learner.fit_intercept, np.asarray(w)])


def _example_names(model: Model, features: Features, slots: Array) -> list[str]:
    """Training examples by their row, their label and their largest features."""
    support: Any = model.learner.support
    assert model.classes is not None
    labels = [shown(label) for label in model.classes.tolist()]
    vectors, names = support.vectors, []
    for slot in slots.tolist():
        columns, values = _entries(vectors, slot)
        largest = np.argsort(-np.abs(values), kind="stable")[:3]
        inside = features.column_names(columns[largest].tolist())
        if not features.has_text:
            inside = [f"{name}={value:.3g}" for name, value in zip(inside, values[largest].tolist())]
        place = f"row {support.index[slot] + 1} ({labels[support.codes[slot]]})"
        names.append(f"{place}: {', '.join(inside)}" if inside else place)
    return names


def _entries(vectors: Any, slot: int) -> tuple[Array, Array]:
    """Columns and values of a training example."""
    if engine.is_sparse(vectors):
        part = slice(vectors.indptr[slot], vectors.indptr[slot + 1])
        return vectors.indices[part], vectors.data[part]
    columns = np.flatnonzero(vectors[slot])
    return columns, vectors[slot][columns]
