"""The native core of rosenblatt: one pass over rows, scores, and the scan that admits data."""

from typing import Any

from numpy.typing import NDArray

def learn(
    rows: tuple[Any, ...],
    model: tuple[Any, ...],
    rule: tuple[Any, ...],
    examples: tuple[Any, ...],
    pocket: tuple[Any, ...] | None,
    tau: NDArray[Any],
    least: NDArray[Any],
    visited: int,
    stop_at_mistake: bool,
) -> tuple[Any, ...]:
    """One pass over the examples: steps the weights in place and returns the counts."""

def score(rows: tuple[Any, ...], model: tuple[Any, ...], out: NDArray[Any]) -> None:
    """Scores of every row, one per class, written to out."""

def scan(rows: tuple[Any, ...]) -> tuple[float, str, int, int]:
    """(max ‖x‖², fault, row, column) of the rows."""
