"""The native core of rosenblatt: one pass over rows, scores, and the scan that admits data."""

from typing import Any

from numpy.typing import NDArray

def learn(
    rows: tuple[Any, ...],
    model: tuple[Any, ...],
    rule: tuple[Any, ...],
    examples: tuple[Any, ...],
    pocket: tuple[Any, ...] | None,
    tally: NDArray[Any],
    stop: bool,
) -> bool:
    """One pass over the examples, in place, or up to the first mistake or step, which is then left to the caller.

    False: it ended before a step that could overflow.
    """

def score(rows: tuple[Any, ...], model: tuple[Any, ...], out: NDArray[Any]) -> None:
    """Scores of every row, one per class, written to out."""

def decide(row: tuple[Any, ...], model: tuple[Any, ...]) -> int:
    """Code of the class of the largest score of one row, the first of equals; two classes: 1 if it is > 0."""

def product(a: tuple[Any, ...], b: tuple[Any, ...], out: NDArray[Any], n_threads: int) -> None:
    """Out = a·bᵀ of CSR rows."""

def compress(rows: tuple[Any, ...], start: NDArray[Any], feature: NDArray[Any], x: NDArray[Any]) -> None:
    """Columns and values of the numbers of dense rows that are not zero; start says where each row's begin."""

def scan(rows: tuple[Any, ...]) -> tuple[str, float]:
    """(fault, max |x|) of the rows."""

def radius2(rows: tuple[Any, ...], order: NDArray[Any] | None) -> float:
    """R² of the rows without the bias feature: max ‖x‖²."""
