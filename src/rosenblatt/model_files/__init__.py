"""Model files: an estimator's description and its learner, in a safetensors file with a JSON document.

It needs NumPy alone: the estimators put their face over it, the command line uses it as it is.

container.py   the file: a document and arrays, a checksum, all or nothing
values.py      plain values as JSON, and back
learners.py    a learner as plain values and arrays, and back
in_memory.py   linear weights as they stand in memory, in files that can be mapped
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__, schema
from ..core.learner import Learner
from ..errors import DataError, ParameterError
from . import container, in_memory, learners
from .container import ModelFileError
from .learners import Section
from .linear import MAPPED
from .values import decode, encode

__all__ = ["Model", "ModelFileError", "Section", "read", "refusing", "write"]

Array = NDArray[Any]

_FEATURE_NAMES = "feature_names"
_HISTORY = ("verdict", "margin_bounds", "passes", "mistakes", "updates", "examples", "held_out_scores")


@dataclass
class Model:
    """What a model file holds.

    Parameters
    ----------
    algorithm : str
        Name of the estimator's class.
    parameters : dict
        Those of its constructor.
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
        bounds, mistakes = (list(learner.margin_bounds), list(learner.mistakes)) if judged else (None, None)
        told = (learner.verdict, bounds, learner.n_iter, mistakes, learner.n_updates, learner.visited)
        return dict(zip(_HISTORY, (*told, learner.held_out_scores)))


def write(path: str | os.PathLike[str], model: Model, *, mappable: bool = False) -> None:
    """Save a model; what was there before is replaced once the new file is complete, or not at all.

    Parameters
    ----------
    path : str or Path
        Where to.
    model : Model
        The model.
    mappable : bool, default=False
        Write the weights as they stand in memory, so that the file can be mapped.
    """
    state, arrays = learners.to_state(model.learner, mappable=mappable)
    tensors = dict(arrays)
    if model.columns is not None:
        names = [encode(name, "the name of a feature") for name in model.columns]
        tensors[_FEATURE_NAMES] = np.frombuffer(container.json_text(names).encode(), np.uint8)
    sections = {}
    for name, (plain, own) in model.extras.items():
        _check_section(name)
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


def read(path: str | os.PathLike[str], mmap_mode: str | None = None) -> Model:
    """The model in a file.

    Parameters
    ----------
    path : str or Path
        Where it lies.
    mmap_mode : {"r"} or None, default=None
        "r": map the weights of a file that was saved to be mapped; None: read them into memory of their own.

    Returns
    -------
    Model
        As it was saved. A file that is cut short, damaged, foreign or of a later version raises ModelFileError.
    """
    if mmap_mode not in (None, "r"):
        raise ParameterError(f"mmap_mode must be None or 'r', got {mmap_mode!r}", "mmap_mode")
    document, tensors = container.read(path, MAPPED if mmap_mode else ())
    with refusing(path):
        _DOCUMENT(document, "the document")
        if mmap_mode and in_memory.LAYOUT not in document["learner"]:
            raise ModelFileError(
                f"{path} was not saved to be mapped; load it without mmap_mode, or save it again with mappable=True"
            )
        return _model(document, tensors)


@contextmanager
def refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn any error raised while a model is made from a file into a ModelFileError that names the file."""
    try:
        yield
    except ModelFileError:
        raise
    except MemoryError as error:
        raise ModelFileError(f"{path} is a model that needs more memory than there is") from error
    except Exception as error:
        named = "" if type(error) in (ValueError, DataError) else f"{type(error).__name__}: "
        what = container.first_line(f"{named}{error}")
        raise ModelFileError(f"{path} is not a model that this version of rosenblatt can read ({what})") from error


_DOCUMENT = schema.record(
    rosenblatt=schema.text,
    algorithm=schema.text,
    parameters=schema.named(),
    classes=schema.optional(schema.record(type=schema.text, labels=schema.listed())),
    history=schema.record(**dict.fromkeys(_HISTORY, schema.anything)),
    learner=schema.named(),
    extras=schema.named(),
)


def _model(document: Any, tensors: dict[str, Array]) -> Model:
    own = {name: array for name, array in tensors.items() if "/" not in name}
    names = own.pop(_FEATURE_NAMES, None)
    in_order = learners.keeps_order(document["learner"])
    classes = None if document["classes"] is None else _decode_classes(document["classes"], in_order)
    if document["learner"].get("n_classes") != (0 if classes is None else len(classes)):  # before room is made for them
        raise ValueError("its classes do not fit its weights")
    learner = learners.from_state(document["learner"], own)
    columns = None if names is None else _decode_names(names, learner.n_features)
    parameters = {name: decode(value) for name, value in document["parameters"].items()}
    extras = {}
    for name, plain in document["extras"].items():
        _check_section(name)
        prefix = f"{name}/"
        extras[name] = decode(plain), {key[len(prefix) :]: tensors[key] for key in tensors if key.startswith(prefix)}
    return Model(document["algorithm"], parameters, learner, classes, columns, extras, document["rosenblatt"])


def _decode_names(stored: Array, n_features: int) -> list[Any]:
    """The names of the columns: one for each, all different, and plain."""
    schema.array({_FEATURE_NAMES: stored}, _FEATURE_NAMES, np.uint8, (None,))
    names = json.loads(stored.tobytes().decode())
    schema.listed()(names, _FEATURE_NAMES)
    if not all(type(name) is str for name in names):
        names = decode(names)
        schema.listed(_hashable)(names, _FEATURE_NAMES)
    if not len(names) == n_features == len(set(names)):
        raise ValueError(f"its feature names do not fit its weights: {n_features:,} different ones are needed")
    return list(names)


def _check_section(name: str) -> None:
    if not name or "/" in name:
        raise ValueError(f"a section of a model file needs a name without '/', not {name!r}")


def _encode_classes(classes: Array) -> dict[str, Any]:
    if classes.dtype.kind not in "biufUSO":
        raise TypeError(f"a model file does not hold labels of the type {classes.dtype}; use text or numbers")
    return {"type": classes.dtype.str, "labels": [encode(label, "a label") for label in classes.tolist()]}


def _decode_classes(plain: dict[str, Any], in_order: bool = False) -> Array:
    """The labels as an array, sorted, or text in any order; it takes the room that it needs, not what the file says."""
    kind, labels = plain["type"].lstrip("<>|="), decode(plain["labels"])
    schema.listed(_hashable)(labels, "classes.labels")
    if not labels:
        raise ValueError("classes.labels holds no label")
    if kind == "O":
        classes = np.empty(len(labels), object)
        for i, label in enumerate(labels):  # which may be tuples
            classes[i] = label
    elif kind[:1] in ("U", "S") and kind[1:].isdecimal():
        schema.listed(schema.instance(str if kind[0] == "U" else bytes))(labels, "classes.labels")
        classes = np.array(labels)
    else:
        schema.choice(*_NUMBERS)(kind, "classes.type")
        classes = np.array(labels, kind)
    if [*map(repr, classes.tolist())] != [*map(repr, labels)]:
        raise ValueError("its labels are not of the type that it tells")
    if in_order and not (all(type(label) is str for label in labels) and len(set(labels)) == len(labels)):
        raise ValueError("its tags are not text, or not different")
    if not in_order and not all(bool(one < other) for one, other in pairwise(labels)):
        raise ValueError("its labels are not sorted, or not different")
    return classes


#: NumPy's names of the numbers that labels may be.
_NUMBERS = ("b1", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8")


def _hashable(value: Any, place: str) -> None:
    """Text, bytes, a number, a truth value, None, or a tuple of such: what names and labels are."""
    if type(value) is tuple:
        schema.listed(_hashable)(value, place)
    elif not (value is None or type(value) in (str, bytes, bool, int, float)):
        raise ValueError(f"{place} must be text, a number, bytes or a tuple of such, not {schema.cut(value)}")
