"""In the hands of other libraries: adapters, and what they have to know of the estimators.

skl2onnx and eli5 are told of them as soon as both are imported, in whatever order; neither is imported for it.
"""

from __future__ import annotations

import importlib.util
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .river_models import RiverClassifier, RiverRegressor

__all__ = ["river", "skops_types"]

#: By library, the module that tells it of the estimators when it is imported.
_REGISTRARS = {"eli5": "eli5_weights", "skl2onnx": "onnx_pipelines"}


def river(estimator: Any) -> RiverClassifier | RiverRegressor:
    """An estimator as a model of River, for its pipelines, metrics and ``progressive_val_score``.

    Parameters
    ----------
    estimator : estimator
        One with ``learn_one``: any but the kernel ones. It is copied and not changed; the copy, which learns, goes on
        from what the estimator has learned, if it is fitted.

    Returns
    -------
    river.base.Classifier or river.base.Regressor
        It predicts labels or numbers, and no probabilities. ``model._model`` is the estimator that learns.

    Notes
    -----
    It needs River: ``pip install river``.
    """
    from . import river_models

    return river_models.river(estimator)


def skops_types(estimator: Any) -> list[str]:
    """The types that skops must trust to load an estimator of rosenblatt, alone or in a pipeline.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    list of str
        For ``skops.io.load(file, trusted=…)``, and for mlflow's
        ``save_model(…, serialization_format="skops", skops_trusted_types=…)``.

    Notes
    -----
    It needs skops: ``pip install skops``. A model file (``est.save``, ``rb.load``) needs no trust at all.
    """
    import skops.io

    unknown = skops.io.get_untrusted_types(data=skops.io.dumps(estimator))
    return [name for name in unknown if name.startswith("rosenblatt.") or name == "numpy.dtype"]


def register(library: str) -> None:
    """Tell a library, which is imported, of the estimators; a version of it that cannot be told still works."""
    try:
        importlib.import_module(f".{_REGISTRARS[library]}", __name__)
    except Exception as error:
        warnings.warn(
            f"{library} could not be told of rosenblatt's estimators: {error!r}", RuntimeWarning, stacklevel=2
        )


def spec_of(library: str) -> ModuleSpec | None:
    """Where a library is, as others find it; once it is imported, it is told of the estimators."""
    if library in _found:  # by this very function, which asks the others
        return None
    _found.add(library)
    spec = importlib.util.find_spec(library)
    if spec is not None and spec.loader is not None:
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            register(library)

        spec.loader.exec_module = exec_module  # type: ignore
    return spec


_found: set[str] = set()
