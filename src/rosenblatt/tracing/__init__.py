"""A run, step by step: the reference learner, recorded, with what each step proves and what the run proved.

runs.py alone needs NumPy, and is loaded when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .plan import Plan
from .proof import Proof
from .record import Step, Trace
from .replay import trace_plan
from .sentence_record import SentenceStep, SentenceTrace

if TYPE_CHECKING:
    from .runs import has_short_decimals, trace, trace_run

__all__ = [
    "Plan",
    "Proof",
    "SentenceStep",
    "SentenceTrace",
    "Step",
    "Trace",
    "has_short_decimals",
    "trace",
    "trace_plan",
    "trace_run",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(".runs", __name__), name)
