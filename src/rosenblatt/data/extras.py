"""pyarrow, which is imported when it is needed; where it is missing, one sentence says which extra brings it."""

from __future__ import annotations

import importlib
from typing import Any


def arrow(what: str, module: str = "pyarrow") -> Any:
    """The module of pyarrow that reads or writes ``what``."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} need pyarrow: pip install 'rosenblatt[data]'") from error
