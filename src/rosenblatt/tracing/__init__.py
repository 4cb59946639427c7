"""A run, step by step: the reference learner, recorded, with what each step proves and what the run proved."""

from .proof import Proof
from .record import Step, Trace
from .replay import has_short_decimals, trace, trace_run

__all__ = ["Proof", "Step", "Trace", "has_short_decimals", "trace", "trace_run"]
