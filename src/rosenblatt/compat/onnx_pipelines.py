"""Estimators within pipelines as ONNX graphs, by skl2onnx: what it has to know of them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import onnx
import skl2onnx
from skl2onnx.common import data_types

from .. import estimators
from ..estimators.contract import LinearEstimator
from ..estimators.files import model_of
from ..model_files import onnx as onnx_files

_TYPES = {
    onnx.TensorProto.STRING: data_types.StringTensorType,
    onnx.TensorProto.BOOL: data_types.BooleanTensorType,
    onnx.TensorProto.INT64: data_types.Int64TensorType,
    onnx.TensorProto.UINT64: data_types.UInt64TensorType,
    onnx.TensorProto.FLOAT16: data_types.Float16TensorType,
    onnx.TensorProto.FLOAT: data_types.FloatTensorType,
    onnx.TensorProto.DOUBLE: data_types.DoubleTensorType,
}


def _register() -> None:
    """Make skl2onnx convert the estimators, alone and within pipelines."""
    for kind in (getattr(estimators, name) for name in estimators.__all__):
        if not issubclass(kind, LinearEstimator):  # a tagger's search is no graph
            continue
        name = kind.__name__
        skl2onnx.update_registered_converter(kind, f"Rosenblatt{name}", _shapes, _convert, parser=_parse)


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare the outputs, called as those of `export_onnx`; their types follow from the model."""
    operator = scope.declare_local_operator(f"Rosenblatt{type(model).__name__}", model)
    operator.inputs = inputs
    names = ("label", "scores") if hasattr(model, "classes_") else ("variable",)
    operator.outputs.extend(scope.declare_local_variable(name, data_types.DoubleTensorType()) for name in names)
    return operator.outputs


def _shapes(operator: Any) -> None:
    """The types and shapes of the outputs: those of the graph."""
    graph = onnx_files.graph(_model(operator)).graph
    for variable, output in zip(operator.outputs, graph.output):
        tensor = output.type.tensor_type
        variable.type = _TYPES[tensor.elem_type]([dim.dim_value or None for dim in tensor.shape.dim])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """The nodes of the model's own graph, under names that are new here."""
    proto = onnx_files.graph(_model(operator)).graph
    names = {array.name: scope.get_unique_variable_name(array.name) for array in proto.initializer}
    names |= {name: scope.get_unique_variable_name(name) for node in proto.node for name in node.output}
    names |= {output.name: variable.full_name for output, variable in zip(proto.output, operator.outputs)}
    names["X"] = scope.get_unique_variable_name("rows")
    for array in proto.initializer:
        values = onnx.numpy_helper.to_array(array)
        container.add_initializer(names[array.name], array.data_type, list(values.shape), values.ravel().tolist())
    columns = [variable.full_name for variable in operator.inputs]
    joined = columns[0]
    if len(columns) > 1:
        joined = scope.get_unique_variable_name("joined")
        container.add_node("Concat", columns, [joined], op_version=13, axis=1)
    to = proto.input[0].type.tensor_type.elem_type
    container.add_node("Cast", [joined], [names["X"]], op_version=13, to=to)
    for node in proto.node:
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        inputs, outputs = [names[name] for name in node.input], [names[name] for name in node.output]
        container.add_node(node.op_type, inputs, outputs, op_version=13, **attributes)


def _model(operator: Any) -> Any:
    estimator = operator.raw_operator
    if estimator._encoding is not None:
        raise ValueError("within a pipeline a model takes rows of numbers, and this one was trained on a table or text")
    return estimator._lock.read(model_of, estimator)


def write(pipeline: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted pipeline as an ONNX graph of one matrix ``X``; the file appears whole or not at all."""
    steps = ", ".join(type(step).__name__ for step in pipeline)
    if not hasattr(pipeline, "n_features_in_"):
        raise ValueError(
            f"the pipeline of {steps} takes no matrix of numbers, or is not fitted: ONNX cannot express it"
        )
    is_float32 = isinstance(pipeline[-1], LinearEstimator) and pipeline[-1]._fitted.dtype == np.float32
    kind = data_types.FloatTensorType if is_float32 else data_types.DoubleTensorType
    try:
        proto = skl2onnx.to_onnx(pipeline, initial_types=[("X", kind([None, pipeline.n_features_in_]))])
    except Exception as error:
        raise ValueError(
            f"skl2onnx cannot convert the pipeline of {steps} as a graph of one matrix ({error}); "
            "skl2onnx.to_onnx(pipeline, X) takes columns of several types"
        ) from error
    onnx_files.write_graph(path, proto)


_register()
