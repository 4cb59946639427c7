"""What a score is the sum of: features times weights, or in the space of a kernel, training examples.

A score is that of the class it gives less that of the class that comes next; of a regression, the number itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core import engine
from ..core.planning import rows_for
from ..data.csr import Csr
from ..model_files import Model
from ..tables import Table
from . import names
from .features import Features
from .terminal import shown

Array = Any


class Part(NamedTuple):
    """A feature or an example: what it is in this row, what it weighs, and what it adds to the score."""

    name: str
    weight: float
    value: float | None = None
    of_example: bool = False

    @property
    def adds(self) -> float:
        return (1.0 if self.value is None else self.value) * self.weight

    def document(self) -> dict[str, Any]:
        told: dict[str, Any] = {"example" if self.of_example else "feature": self.name, "weight": self.weight}
        return told if self.value is None else {**told, "value": self.value, "adds": self.adds}


@dataclass
class Reasons:
    """Why a row got its label."""

    label: str | None  # None: a regression
    over: str | None
    score: float
    bias: float | None  # None: there is none, or it is in what the examples add
    parts: list[Part]  # those that add most first

    def document(self, top: int) -> dict[str, Any]:
        """As plain values, with so many parts."""
        sides = {"prediction": self.score} if self.label is None else {"label": self.label, "over": self.over}
        kind = "examples" if self.parts and self.parts[0].of_example else "features"
        parts = [part.document() for part in self.parts[:top]]
        return {**sides, "score": self.score, "bias": self.bias, kind: parts}

    def table(self, top: int, place: str) -> Table:
        """For people."""
        rest = self.parts[top:]
        rows = [
            (part.name, f"{part.value:.4g}", f"{part.weight:+.4f}", f"{part.adds:+.4f}") for part in self.parts[:top]
        ]
        noun = "example" if self.parts and self.parts[0].of_example else "feature"
        if rest:
            many = noun if len(rest) == 1 else noun + "s"
            rows.append((f"{len(rest)} more {many}", "", "", f"{sum(part.adds for part in rest):+.4f}"))
        if self.bias is not None:
            rows.append(("bias", "", "", f"{self.bias:+.4f}"))
        rows.append(("prediction" if self.label is None else "score", "", "", f"{self.score:+.4f}"))
        said = f"{self.score:.6g}" if self.label is None else f"{self.label}, over {self.over}"
        value = "kernel" if noun == "example" else "value"
        return Table((noun, value, "weight", "adds"), rows, "lrrr", title=f"{place}: {said}" if place else said)


def table(side: str, parts: Sequence[Part]) -> Table:
    """The strongest parts of a side."""
    return Table((f"for {side}", "weight"), [(part.name, f"{part.weight:+.4f}") for part in parts], "lr")


def strongest(model: Model, features: Features, n: int) -> dict[str, list[Part]]:
    """Features that speak for each class (of a regression, for larger and smaller numbers), the strongest first."""
    in_kernel = _is_in_kernel(model.learner)
    columns: Array | None = None
    if in_kernel:
        weights = model.learner.dual()  # type: ignore[attr-defined]
    else:
        columns, weights = _weights(model.learner)
        weights = weights[1:]
    found = {}
    for side, towards in _sides(model, weights):
        n_top = min(n, len(towards))
        top = np.argpartition(-towards, n_top - 1)[:n_top] if n_top else np.empty(0, int)
        top = top[np.argsort(-towards[top], kind="stable")]
        top = top[towards[top] > 0]
        places = top if columns is None else columns[top]
        called = _called(model, features, top) if in_kernel else names.of_columns(features, places.tolist())
        found[side] = [Part(name, float(towards[i]), None, in_kernel) for name, i in zip(called, top.tolist())]
    return found


def _sides(model: Model, weights: Array) -> list[tuple[str, Array]]:
    """What weights may speak for, and how much they do."""
    if model.classes is None:
        return [("larger numbers", weights[:, 0]), ("smaller numbers", -weights[:, 0])]
    labels = [shown(label) for label in model.classes.tolist()]
    if model.learner.n_vectors > 1:
        return [(side, weights[:, code]) for code, side in enumerate(labels)]
    return [(side, weights[:, 0] * (1 if code else -1)) for code, side in enumerate(labels)]


def of_row(model: Model, features: Features, block: Any, row: int, top: int) -> Reasons:
    """What each part of a row adds to its score; of those that add most, so many have their names."""
    learner: Any = model.learner
    csr = features.rows(block, learn=False).rows(row, row + 1)
    rows = rows_for(learner, csr, np.float64 if learner.dtype == np.float64 else None)
    label, over, score, side = _sided(model, learner.scores(rows))
    in_kernel = _is_in_kernel(learner)
    if in_kernel:
        weights, bias = side(learner.dual()), None
        values = rows.against(slice(0, 1), learner.support)[0].astype(np.float64)
    else:
        towards, values = side(_weights_at(learner, csr.indices)), csr.data.astype(np.float64)
        weights, bias = towards[1:], float(towards[0]) if learner.fit_intercept else None
    order = np.argsort(-np.abs(values * weights), kind="stable")
    if in_kernel:
        called = _called(model, features, order[:top])
    else:
        known = names.of_row(features, block, row)
        called = [known.get(i, f"#{i}") for i in csr.indices[order].tolist()]
    called += [""] * (len(order) - len(called))
    found = zip(called, weights[order].tolist(), values[order].tolist())
    return Reasons(label, over, score, bias, [Part(*part, in_kernel) for part in found])


def _sided(model: Model, scores: Array) -> tuple[str | None, str | None, float, Any]:
    """The label of a row, the class that comes next, by how much; and weights as they speak for that."""
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


def _is_in_kernel(learner: Any) -> bool:
    """Whether the weights are a sum of examples in a space that has no features to name."""
    return learner.kernel is not None and learner.kernel.name != "linear"


def _weights(learner: Any) -> tuple[Array | None, Array]:
    """The features that may have weights (None: all), and the biases, then one row for each of these features."""
    if learner.kernel is None:
        return learner.features(), learner.in_order(learner.stored())
    vectors = learner.support.vectors
    columns = np.unique(vectors.indices) if hasattr(vectors, "indptr") else None
    return columns, _weights_at(learner, np.arange(learner.n_features) if columns is None else columns)


def _weights_at(learner: Any, columns: Array) -> Array:
    """Weights of the readout: the biases, then one row for each of these features."""
    if learner.kernel is None:
        return np.asarray(learner.weights_at(columns))
    dual, vectors = learner.dual().astype(np.float64), learner.support.vectors
    if hasattr(vectors, "indptr"):
        part = engine.select_columns(engine.csr(vectors), columns)
        w = Csr(part.indptr, part.indices, part.data, part.n_features).to_scipy().T @ dual
    else:
        w = np.zeros((len(columns), dual.shape[1])) if vectors is None else vectors[:, columns].T @ dual
    return np.concatenate([dual.sum(axis=0, keepdims=True) * learner.fit_intercept, np.asarray(w)])


def _called(model: Model, features: Features, slots: Array) -> list[str]:
    """Training examples by number, label and what is largest in them."""
    support: Any = model.learner.support
    assert model.classes is not None
    labels = [shown(label) for label in model.classes.tolist()]
    vectors, found = support.vectors, []
    for slot in slots.tolist():
        columns, values = _entries(vectors, slot)
        largest = np.argsort(-np.abs(values), kind="stable")[:3]
        told = names.of_columns(features, columns[largest].tolist())
        if not features.has_text:
            told = [f"{name}={value:.3g}" for name, value in zip(told, values[largest].tolist())]
        place = f"row {support.index[slot] + 1} ({labels[support.codes[slot]]})"
        found.append(f"{place}: {', '.join(told)}" if told else place)
    return found


def _entries(vectors: Any, slot: int) -> tuple[Array, Array]:
    """Columns and values of an example kept."""
    if hasattr(vectors, "indptr"):
        part = slice(vectors.indptr[slot], vectors.indptr[slot + 1])
        return vectors.indices[part], vectors.data[part]
    columns = np.flatnonzero(vectors[slot])
    return columns, vectors[slot][columns]
