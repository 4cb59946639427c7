"""How much work may go into a proof. Work is counted, so that no busy machine changes an answer.

A clock matters only where the user sets a time limit; small problems are decided whatever it says.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from ..core.exact import Work


@dataclass(frozen=True)
class Effort:
    """The most work for an answer.

    Attributes
    ----------
    exact : float
        Operations in exact numbers (``exact.Work``), for each of: a certificate, a decision, a margin.
    floats : float
        Multiplications in floating point, for each of: a linear programme, the ascent to the maximum margin; a tenth of
        it for a run of the perceptron. Thousand millions take a second or so.
    time_limit : float
        Seconds, of which ``deadline`` is the end in ``time.monotonic()``.
    """

    exact: float = 2.5e6
    floats: float = 2e11
    time_limit: float = math.inf
    deadline: float = math.inf

    def within(self, time_limit: float | None) -> Effort:
        """The same with a time limit from now on."""
        if time_limit is None:
            return self
        return replace(self, time_limit=time_limit, deadline=time.monotonic() + time_limit)

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self.deadline - time.monotonic())

    def share(self, part: float) -> Effort:
        """The same, with only a part of the time that is left."""
        return self.within(None if math.isinf(self.deadline) else part * self.left)

    def exact_work(self, factor: float = 1.0) -> Work:
        """A budget for exact numbers."""
        return Work(factor * self.exact, self.deadline)
