"""Where in the input a fault lies. Looked for only once something was refused, so that good input pays nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DataError, DataTypeError


def not_finite(name: str, values: Any) -> DataError | None:
    """The error of the first NaN, infinity or pandas.NA in a column of numbers or labels, if there is one."""
    for row, value in enumerate(np.ravel(np.asarray(values, dtype=object)).tolist()):
        missing = type(value).__name__ == "NAType"
        if missing or (isinstance(value, float) and not np.isfinite(value)):
            what = "NA" if missing else "NaN" if np.isnan(value) else "infinity"
            return DataError(f"Input {name} contains {what}", "remove or impute such values first", row=row)
    return None


def not_a_number(error: Exception, X: Any) -> Exception:
    """The refusal of a table, with the place of the first entry that is no number, if any, and what to do."""
    if type(error) not in (TypeError, ValueError) or getattr(getattr(X, "dtype", None), "kind", "O") in "biuf":
        return error
    if np.iscomplexobj(X):
        return ValueError("Complex data not supported: X holds complex numbers; use their real and imaginary parts")
    kind = DataTypeError if isinstance(error, TypeError) else DataError
    cells = np.asarray(X, dtype=object)
    if cells.ndim == 1 and len(cells) and isinstance(cells[0], (str, dict)):
        what, remedy = (
            ("text", "rosenblatt.text.BagOfWords") if isinstance(cells[0], str) else ("dicts", "DictVectorizer")
        )
        return kind(f"{error}: X holds {what}", f"make numbers of it first, for example with {remedy}")
    names = getattr(X, "columns", None)
    for row, entries in enumerate(cells if cells.ndim == 2 else ()):
        for column, value in enumerate(entries):
            if not _is_number(value):
                name = None if names is None else names[column]
                remedy = "turn it into a number first"
                return kind(f"Input X: {error}", remedy, row=row, column=column, name=name)
    return error


def other_width(estimator: Any, width: int, *, learning: bool) -> ValueError:
    """The refusal of a sparse matrix of another width, which may come from a file in which not all columns occur."""
    expected = estimator.n_features_in_
    problem = f"X has {width} features, but {type(estimator).__name__} is expecting {expected} features as input"
    ways = [] if learning else ["give what rb.data.read returns, not its X"]
    ways += [f"read it with n_features={expected}"] if width < expected else []
    return ValueError(f"{problem}; if it is of a file, {', or '.join(ways)}" if ways else problem)


def _is_number(value: Any) -> bool:
    try:
        return value is None or float(value) is not None
    except (TypeError, ValueError):
        return False
