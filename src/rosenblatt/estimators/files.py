"""Estimators in files: saved and loaded as they are, or exported to predict elsewhere."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .. import estimators, model_files
from ..core import labels
from ..core.learner import Learner
from ..model_files import Model, ModelFileError, learners
from ..model_files import onnx as onnx_files
from ..model_files.values import encode
from ..schema import cut
from .contract import FittedState
from .encodings import Encoding


def save(estimator: FittedState, path: str | os.PathLike[str], text: Any = None, mappable: bool = False) -> None:
    """Write a fitted estimator to a model file, and with it what made its rows of text."""
    model = model_of(estimator)
    for name, value in model.parameters.items():
        encode(value, name)  # says what a file cannot hold
    _check_parameters(estimator)
    encoding = estimator._encoding
    if text is not None:
        encoding = Encoding.of_text(text, model.learner.n_features, encoding)
    if encoding is not None:
        model.extras = encoding.into(model.extras)
    model_files.write(path, model, mappable=mappable)


def load(path: str | os.PathLike[str], mmap_mode: str | None = None) -> Any:
    """The estimator that was saved in a file.

    It predicts as the one that was saved, and learns on as if it had never stopped, to the bit. One that the command
    line trained takes what the command took, columns of a table by their names or text. No code in the file is ever
    run, for there is none.

    Parameters
    ----------
    path : str or Path
        The file, written by ``save`` or on the command line.
    mmap_mode : {"r"} or None, default=None
        "r": map the weights of a file that was saved with ``mappable=True`` instead of reading them. Processes that map
        the same file share its memory. Whoever learns on copies the weights first; the file is never written to.
        ``save`` puts a new file in the place of the old one, which stays mapped as it was. But a program that cuts
        a mapped file short ends every process that reads from it, and one that writes to it changes predictions. None:
        read everything into memory of its own.

    Returns
    -------
    estimator
        Of the class that was saved. A file that is cut short, damaged, forged, foreign or of a later version raises
        ``ModelFileError``, a ValueError, which says so.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rosenblatt as rb
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mood.model"
    >>> stream = rb.Perceptron().learn_one({"good": 1}, "+").learn_one({"not": 1, "good": 1, "not good": 1}, "-")
    >>> stream.save(path)
    >>> rb.load(path).learn_one({"good": 1}, "+").predict_one({"good": 1})
    '+'
    """
    model = model_files.read(path, mmap_mode)
    with model_files.refusing(path):
        return _estimator(model, path)


def _estimator(model: Model, path: str | os.PathLike[str]) -> Any:
    kinds = {name: getattr(estimators, name) for name in estimators.__all__}
    try:
        estimator = kinds[model.algorithm](**model.parameters)
    except (KeyError, TypeError) as error:
        parameters = " ".join(", ".join(model.parameters).split())[:300]
        raise ModelFileError(
            f"{path} holds a model that this version of rosenblatt does not know: {cut(model.algorithm)} with the "
            f"parameters {parameters}, written by version {cut(model.written_by)}"
        ) from error
    if not learners.are_compatible(_check_parameters(estimator), model.learner):
        raise ValueError(f"its learner is not that of a {model.algorithm}")
    estimator._learner = model.learner
    _share_generator(estimator)
    if model.columns is not None:
        estimator._columns = {name: column for column, name in enumerate(model.columns)}
    if model.classes is not None:
        estimator._know(model.classes)
    estimator._take_sections(model.extras)
    return estimator


def _check_parameters(estimator: Any) -> Learner:
    """Refuse parameters by which no run could begin, as ``fit`` does; the learner that they make."""
    spec = estimator.spec()
    labels.check_class_weight(spec.class_weight)
    if not isinstance(estimator.random_state, np.random.RandomState):  # from which it would draw
        spec.generator()
    learner: Learner = spec.learner()
    return learner


def _share_generator(estimator: Any) -> None:
    """Where a budget draws from the very generator that was given, let it do so again: one that stands at the same."""
    seed, policy = estimator.random_state, getattr(estimator._learner, "policy", None)
    if isinstance(seed, np.random.Generator) and policy is not None:
        states = [encode(generator, "random_state") for generator in (seed, policy.rng)]
        if states[0] == states[1]:
            policy.rng = seed


def export_onnx(estimator: Any, path: str | os.PathLike[str], encoded: bool = False) -> None:
    """Write a fitted estimator as an ONNX graph, which predicts without this package or Python.

    The input ``X`` has the columns and the number type of the training data. Outputs are ``label`` and ``scores``, what
    ``predict`` and ``decision_function`` return, or ``variable`` for a regressor: those of the readout in use. Scores
    are summed in another order than here, and may differ in the last digits.

    A model that the command line trained on a table takes its columns as they stand: numbers as ``X``, in the order of
    ``encoder_.columns.numeric``, and text as ``categories``, in that of ``encoder_.columns.categorical``. They are
    standardised and looked up in the graph. Dates are numbers there: days since 1970-01-01. ONNX has no hash of text: a
    model of text is refused unless ``encoded``.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A linear model, or a kernel model whose kernel has a name and whose readout is not a vote; or a fitted pipeline
        of scikit-learn that takes a matrix of numbers and has such a model in it, which skl2onnx converts.
    path : str or Path
        Where to. The file appears whole or not at all.
    encoded : bool, default=False
        Write a graph that takes rows that are encoded already, by ``text_.transform`` or ``encoder_.encode``.

    Notes
    -----
    It needs the ``onnx`` package: ``pip install rosenblatt[onnx]``.
    """
    if isinstance(estimator, Pipeline):
        try:
            pipelines = importlib.import_module("rosenblatt.compat.onnx_pipelines")
        except ImportError:
            raise ImportError("export_onnx of a pipeline needs the skl2onnx package: pip install skl2onnx") from None
        pipelines.write(estimator, path)
        return
    _check_kind(estimator)

    def write() -> None:
        encoding = None if encoded else estimator._encoding
        onnx_files.write(path, model_of(estimator), None if encoding is None else encoding.as_graph())

    estimator._lock.read(write)


def _check_kind(estimator: Any) -> None:
    name = type(estimator).__name__
    if type(estimator) is not getattr(estimators, name, None):
        raise TypeError(f"a model file is for the estimators of rosenblatt, and {name} is not one of them")


def model_of(estimator: Any) -> Model:
    """What is to be stored of a fitted estimator."""
    _check_kind(estimator)
    learner = estimator._fitted
    return Model(
        type(estimator).__name__,
        estimator.get_params(deep=False),
        learner,
        None if learner.epsilon is not None else estimator.classes_,
        estimator._names(),
        estimator._extras or {},
    )
