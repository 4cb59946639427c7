"""Model files: an estimator's description and its learner, in a safetensors file with a JSON document.

It needs NumPy and safetensors alone: the estimators put their face over it, the command line uses it as it is.

container.py   the file: a document and arrays, a checksum, all or nothing
values.py      plain values as JSON, and back
learners.py    a learner as plain values and arrays, and back
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..learner import Learner
from . import container, learners
from .container import ModelFileError
from .learners import Section
from .values import decode, encode

__all__ = ["Model", "ModelFileError", "Section", "read", "write"]

Array = NDArray[Any]

_FEATURE_NAMES = "feature_names"


@dataclass
class Model:
    """What a model file holds.

    Parameters
    ----------
    algorithm : str
        Name of the estimator's class.
    parameters : dict
        What its constructor was given.
    learner : Learner
        The run, ready to predict and to go on.
    classes : ndarray or None
        The labels that the codes stand for; None: a regression.
    columns : list or None
        Names of the features, where they have names.
    extras : dict
        Sections by name, each plain values and arrays: where those who make rows from something else (a text encoder,
        columns of a table) put all that it takes to make them again.
    written_by : str
        The version of rosenblatt that wrote it.
    """

    algorithm: str
    parameters: dict[str, Any]
    learner: Learner
    classes: Array | None = None
    columns: list[Any] | None = None
    extras: dict[str, Section] = field(default_factory=dict)
    written_by: str = __version__

    @property
    def history(self) -> dict[str, Any]:
        """What the run did and proved; a regression makes no mistakes and proves nothing."""
        learner, judged = self.learner, self.classes is not None
        return {
            "verdict": learner.verdict,
            "margin_bounds": list(learner.margin_bounds) if judged else None,
            "passes": learner.n_iter,
            "mistakes": list(learner.mistakes) if judged else None,
            "updates": learner.n_updates,
            "examples": learner.visited,
            "held_out_scores": learner.held_out_scores,
        }


def write(path: str | os.PathLike[str], model: Model) -> None:
    """Save a model; what was there before is replaced once the new file is complete, or not at all.

    Parameters
    ----------
    path : str or Path
        Where to.
    model : Model
        The model.
    """
    state, arrays = learners.to_state(model.learner)
    tensors = dict(arrays)
    if model.columns is not None:
        names = [encode(name, "the name of a feature") for name in model.columns]
        tensors[_FEATURE_NAMES] = np.frombuffer(container.json_text(names).encode(), np.uint8)
    sections = {}
    for name, (plain, own) in model.extras.items():
        if not name or "/" in name:
            raise ValueError(f"a section of a model file needs a name without '/', not {name!r}")
        sections[name] = encode(plain, name)
        tensors |= {f"{name}/{key}": array for key, array in own.items()}
    document = {
        "rosenblatt": __version__,
        "algorithm": model.algorithm,
        "parameters": {name: encode(value, name) for name, value in model.parameters.items()},
        "classes": None if model.classes is None else _encode_classes(model.classes),
        "history": encode(model.history, "history"),
        "learner": state,
        "extras": sections,
    }
    container.write(path, document, tensors)


def read(path: str | os.PathLike[str]) -> Model:
    """The model in a file.

    Parameters
    ----------
    path : str or Path
        Where it lies.

    Returns
    -------
    Model
        As it was saved. A file that is cut short, damaged, foreign or of a later version raises ModelFileError.
    """
    document, tensors = container.read(path)
    try:
        return _model(document, tensors)
    except Exception as error:  # whatever someone wrote there: it is the file that is wrong
        what = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
        raise ModelFileError(f"{path} is no model that this version of rosenblatt can read ({what})") from error


def _model(document: dict[str, Any], tensors: dict[str, Array]) -> Model:
    own = {name: array for name, array in tensors.items() if "/" not in name}
    names = own.pop(_FEATURE_NAMES, None)
    learner = learners.from_state(document["learner"], own)
    classes = None if document["classes"] is None else _decode_classes(document["classes"])
    columns = None if names is None else decode(json.loads(names.tobytes()))
    if len(() if classes is None else classes) != learner.n_classes or (classes is None) == (learner.epsilon is None):
        raise ValueError("its classes do not fit its weights")
    if columns is not None and len(set(columns)) != learner.n_features:
        raise ValueError("its feature names do not fit its weights")
    extras = {}
    for name, plain in document["extras"].items():
        prefix = f"{name}/"
        arrays = {key[len(prefix) :]: array for key, array in tensors.items() if key.startswith(prefix)}
        extras[name] = (decode(plain), arrays)
    parameters = {name: decode(value) for name, value in document["parameters"].items()}
    return Model(document["algorithm"], parameters, learner, classes, columns, extras, document["rosenblatt"])


def _encode_classes(classes: Array) -> dict[str, Any]:
    if classes.dtype.kind not in "biufUSO":
        raise TypeError(f"a model file does not hold labels of the type {classes.dtype}; use text or numbers")
    return {"type": classes.dtype.str, "labels": [encode(label, "a label") for label in classes.tolist()]}


def _decode_classes(plain: dict[str, Any]) -> Array:
    dtype, found = np.dtype(plain["type"]), decode(plain["labels"])
    if dtype.kind != "O":
        return np.array(found, dtype)
    classes = np.empty(len(found), object)
    for i, label in enumerate(found):  # which may be tuples
        classes[i] = label
    return classes
