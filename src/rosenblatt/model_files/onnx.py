"""Models as ONNX graphs, which predict wherever ONNX runs: the scores of the readout, and the labels they give."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..atomic_files import replacing
from ..core.spaces.kernel.learner import KernelLearner
from ..core.spaces.kernel.rows import dense
from . import Model

Array = NDArray[Any]

#: Operators and file format as old as will do, so that old runtimes read it.
_OPSET, _IR_VERSION = 13, 8


@dataclass
class Table:
    """The columns of a table that a model's rows are made of, as a graph makes them.

    Parameters
    ----------
    numeric : list of str
        Columns of numbers, the first of the rows.
    mean, deviation : ndarray or None
        By which they are standardised: (x − mean)/deviation, and 0 where the deviation is 0. None: they are not.
    unit_norm : bool
        Whether every row is divided by its norm.
    absent : bool
        Whether a missing number, NaN, counts as 0 once it is standardised.
    dates : list of str
        Those of the numeric columns that hold dates, as days since 1970-01-01.
    categories : dict of str to dict
        Of each column of categories the values that were met, each with its column of the rows, which holds 1.
    """

    numeric: list[str]
    mean: Array | None = None
    deviation: Array | None = None
    unit_norm: bool = False
    absent: bool = False
    dates: list[str] = field(default_factory=list)
    categories: dict[str, dict[str, int]] = field(default_factory=dict)


def write(path: str | os.PathLike[str], model: Model, table: Table | None = None) -> None:
    """Write a model as an ONNX graph, of encoded rows or of a table; the file appears whole or not at all."""
    write_graph(path, graph(model, table))


def write_graph(path: str | os.PathLike[str], proto: Any) -> None:
    """Write a graph; the file appears whole or not at all."""
    content = proto.SerializeToString()
    with replacing(path) as file:
        file.write(content)


def graph(model: Model, table: Table | None = None) -> Any:
    """The graph of a model: X → scores → label; or of a table: X and categories → rows → scores → label."""
    try:
        import onnx
    except ImportError:
        raise ImportError("export_onnx needs the onnx package: pip install 'rosenblatt[onnx]'") from None
    drawn = _Drawing(onnx)
    learner = model.learner
    if learner.space == "sequence":
        raise ValueError("an ONNX graph has no search over sequences of tags; save the tagger, and load it by rb.load")
    inputs = [drawn.value("X", learner.dtype, [None, learner.n_features])] if table is None else _inputs(drawn, table)
    X = "X" if table is None else _standardised(drawn, table, learner.dtype)
    if not isinstance(learner, KernelLearner):
        scores = _linear_scores(drawn, model, X, table)
    elif table is not None and table.categories:
        raise ValueError("an ONNX graph of a kernel model takes columns of numbers alone, and this one has categories")
    else:
        scores = _kernel_scores(drawn, learner, X)
    if model.classes is None:
        outputs = [drawn.output("variable", scores, learner.dtype, [None, 1])]
    else:
        labels = _labels(model)
        several = learner.n_vectors > 1
        if several:
            code = drawn.node("ArgMax", scores, axis=1, keepdims=0)
        else:
            scores = drawn.node("Squeeze", scores, drawn.array(np.array([1], np.int64)))
            positive = drawn.node("Greater", scores, drawn.array(np.zeros((), learner.dtype)))
            code = drawn.node("Cast", positive, to=onnx.TensorProto.INT64)
        label = drawn.node("Gather", drawn.array(labels), code, axis=0)
        shape = [None, learner.n_vectors] if several else [None]
        outputs = [
            drawn.output("label", label, labels.dtype, [None]),
            drawn.output("scores", scores, learner.dtype, shape),
        ]
    domains = {"": _OPSET} | ({"ai.onnx.ml": 2} if table is not None and table.categories else {})
    proto = onnx.helper.make_model(
        onnx.helper.make_graph(drawn.nodes, model.algorithm, inputs, outputs, drawn.arrays),
        opset_imports=[onnx.helper.make_opsetid(domain, version) for domain, version in domains.items()],
        ir_version=_IR_VERSION,
        producer_name="rosenblatt",
        producer_version=__version__,
    )
    if table is not None:
        names = {"X": table.numeric, "categories": [*table.categories], "dates": table.dates}
        onnx.helper.set_model_props(proto, {name: json.dumps(columns) for name, columns in names.items()})
    onnx.checker.check_model(proto)
    return proto


class _Drawing:
    """Nodes and arrays of a graph, in the order they were made."""

    def __init__(self, onnx: Any) -> None:
        self.onnx, self.nodes, self.arrays = onnx, [], []  # type: ignore[var-annotated]

    def array(self, values: Array) -> str:
        name = f"array{len(self.arrays)}"
        text = values.dtype.kind in "OU"
        self.arrays.append(self.onnx.numpy_helper.from_array(values.astype(object) if text else values, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def value(self, name: str, dtype: np.dtype[Any], shape: list[Any]) -> Any:
        text = dtype.kind in "OU"
        kind = self.onnx.TensorProto.STRING if text else self.onnx.helper.np_dtype_to_tensor_dtype(dtype)
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)

    def output(self, name: str, source: str, dtype: np.dtype[Any], shape: list[Any]) -> Any:
        self.nodes.append(self.onnx.helper.make_node("Identity", [source], [name]))
        return self.value(name, dtype, shape)


def _inputs(drawn: _Drawing, table: Table) -> list[Any]:
    """Numbers as ``X``, and text as ``categories``; each with the columns of the table in their order."""
    shapes = {"X": [None, len(table.numeric)], "categories": [None, len(table.categories)]}
    types = {"X": np.dtype(np.float64), "categories": np.dtype(object)}
    return [drawn.value(name, types[name], shape) for name, shape in shapes.items() if shape[1]]


def _standardised(drawn: _Drawing, table: Table, dtype: np.dtype[Any]) -> str:
    """The columns of numbers as the rows have them."""
    scaled = "X"
    if table.mean is not None and table.deviation is not None and table.numeric:
        scaled = drawn.node("Sub", scaled, drawn.array(table.mean))
        constant = table.deviation == 0
        scaled = drawn.node("Div", scaled, drawn.array(np.where(constant, 1.0, table.deviation)))
        if constant.any():
            scaled = drawn.node("Where", drawn.array(constant), drawn.array(np.zeros(())), scaled)
    if table.unit_norm:
        norm = drawn.node("ReduceL2", scaled, axes=[1], keepdims=1)
        zero = drawn.array(np.zeros(()))
        scaled = drawn.node(
            "Div", scaled, drawn.node("Where", drawn.node("Equal", norm, zero), drawn.array(np.ones(())), norm)
        )
    if table.absent:
        scaled = drawn.node("Where", drawn.node("IsNaN", "X"), drawn.array(np.zeros(())), scaled)
    if dtype != np.float64:
        scaled = drawn.node("Cast", scaled, to=drawn.onnx.helper.np_dtype_to_tensor_dtype(dtype))
    return scaled


def _linear_scores(drawn: _Drawing, model: Model, X: str, table: Table | None) -> str:
    """``x·w + b``; a category adds its weights, and one that was not met adds nothing."""
    weights = model.learner.read()[:, : model.learner.n_vectors]
    scores, bias, weights = "", np.ascontiguousarray(weights[0]), weights[1:]
    if table is None or table.numeric:
        numeric = weights if table is None else weights[: len(table.numeric)]
        scores = drawn.node("MatMul", X, drawn.array(np.ascontiguousarray(numeric)))
    scores = drawn.node("Add", scores, drawn.array(bias)) if scores else drawn.array(bias)
    for i, columns in enumerate({} if table is None else table.categories.values()):
        value = drawn.node("Gather", "categories", drawn.array(np.array(i, np.int64)), axis=1)
        numbers = range(1, 1 + len(columns))
        place = drawn.node(
            "LabelEncoder",
            value,
            domain="ai.onnx.ml",
            keys_strings=[*columns],
            values_int64s=[*numbers],
            default_int64=0,
        )
        known = np.concatenate((np.zeros_like(bias)[None], weights[[*columns.values()]]))
        scores = drawn.node("Add", drawn.node("Gather", drawn.array(known), place, axis=0), scores)
    return scores


def _kernel_scores(drawn: _Drawing, learner: KernelLearner, X: str) -> str:
    """``Σ α·K(x_j, x)``; the bias is in the kernel, as a constant."""
    kernel, vectors = learner.kernel, learner.support.vectors
    if not isinstance(kernel.name, str) or kernel.name == "precomputed":
        raise ValueError("an ONNX graph needs a kernel that has a name, neither a function nor a precomputed one")
    if learner.readout == "voted":
        raise ValueError("a vote is not exported to ONNX; export est.with_readout('averaged') instead")
    if vectors is None:
        vectors = np.zeros((0, learner.n_features), learner.dtype)

    def number(value: float) -> str:
        return drawn.array(np.array(value, learner.dtype))

    examples = np.ascontiguousarray(dense(vectors))
    # Scaled here: onnxruntime joins a product and a scale into one step, whose scale is float32.
    scale = {"linear": 1.0, "rbf": -2.0}.get(kernel.name, kernel.gamma)
    K = drawn.node("MatMul", X, drawn.array(np.ascontiguousarray(learner.dtype.type(scale) * examples.T)))
    if kernel.name == "rbf":
        squares = drawn.node("ReduceSum", drawn.node("Mul", X, X), drawn.array(np.array([1], np.int64)), keepdims=1)
        distance = drawn.node("Add", squares, drawn.array(np.einsum("ij,ij->i", examples, examples)))
        distance = drawn.node("Max", drawn.node("Add", distance, K), number(0))
        K = drawn.node("Exp", drawn.node("Mul", distance, number(-kernel.gamma)))
    elif kernel.name in ("poly", "sigmoid"):
        K = drawn.node("Add", K, number(kernel.coef0))
        K = drawn.node("Tanh", K) if kernel.name == "sigmoid" else drawn.node("Pow", K, number(kernel.degree))
    if kernel.bias:
        K = drawn.node("Add", K, number(1))
    return drawn.node("MatMul", K, drawn.array(np.ascontiguousarray(learner.dual())))


def _labels(model: Model) -> Array:
    """The classes as ONNX has them: text, whole numbers, numbers or truth values."""
    assert model.classes is not None
    classes = np.array(model.classes.tolist()) if model.classes.dtype == object else model.classes
    if classes.dtype.kind in "iu" and classes.dtype != np.uint64:
        classes = classes.astype(np.int64)
    if classes.ndim != 1 or classes.dtype.kind not in "biufU" or len(classes) == 0:
        raise ValueError(f"an ONNX graph has labels of text or numbers, not {model.classes.tolist()}")
    return np.repeat(classes, 2) if len(classes) == 1 else classes  # one class: either answer is it
