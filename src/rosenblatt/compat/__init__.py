"""In the hands of other libraries: adapters, and what they have to know of the estimators."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from ..core.checks import check_name

if TYPE_CHECKING:
    from .river_models import RiverClassifier, RiverRegressor

__all__ = ["register", "river", "skops_types"]

#: By library, the module that tells it of the estimators when it is imported.
_REGISTRARS = {"eli5": "eli5_weights", "skl2onnx": "onnx_pipelines"}


def register(*libraries: str) -> tuple[str, ...]:
    """Make skl2onnx convert the estimators, and eli5 explain them: these go by the type of a model, and know it then.

    Parameters
    ----------
    *libraries : {"eli5", "skl2onnx"}
        Which; none named: those that are installed. They are imported.

    Returns
    -------
    tuple of str
        The libraries that know the estimators now. To call it again changes nothing.

    Notes
    -----
    ``rb.export_onnx(pipeline, path)`` needs no such call.
    """
    for name in libraries:
        check_name("libraries", name, tuple(_REGISTRARS))
    asked = libraries or tuple(name for name in _REGISTRARS if importlib.util.find_spec(name) is not None)
    for name in asked:
        importlib.import_module(f".{_REGISTRARS[name]}", __name__)
    return asked


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
