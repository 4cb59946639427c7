"""The native core of rosenblatt: one pass over rows, scores, the scan that admits data, and readers of text."""

from typing import Any

from numpy.typing import NDArray

def learn(
    rows: tuple[Any, ...],
    model: tuple[Any, ...],
    rule: tuple[Any, ...],
    examples: tuple[Any, ...],
    pocket: tuple[Any, ...] | None,
    tally: NDArray[Any],
    stop_at_mistake: bool,
) -> bool:
    """One pass over the examples, in place; False: it ended before a step that could overflow."""

def score(rows: tuple[Any, ...], model: tuple[Any, ...], out: NDArray[Any]) -> None:
    """Scores of every row, one per class, written to out."""

def decide(row: tuple[Any, ...], model: tuple[Any, ...]) -> int:
    """Code of the class of the largest score of one row, the first of equals; two classes: 1 if it is > 0."""

def scan(rows: tuple[Any, ...]) -> tuple[str, float]:
    """(fault, max |x|) of the rows."""

def radius2(rows: tuple[Any, ...], order: NDArray[Any] | None) -> float:
    """R² of the rows without the bias feature: max ‖x‖²."""

def measure_lines(
    text: NDArray[Any], format: tuple[Any, ...], part_bytes: int, n_threads: int, out: NDArray[Any]
) -> tuple[int, int, int]:
    """(parts, most rows, most entries) of a text; its parts go to out."""

def read_lines(
    text: NDArray[Any],
    format: tuple[Any, ...],
    parts: NDArray[Any],
    arrays: tuple[Any, ...],
    remembered: int,
    stop_at_fault: bool,
    n_threads: int,
) -> tuple[int, int, int, int, bool, int, list[tuple[str, int, int, int, int]]]:
    """Reads the parts of a text into the arrays; (rows, entries, least and largest column, an index was too wide,
    faulty lines, the first of them).
    """

def csv_rows(
    text: NDArray[Any], delimiter: int, quote: int, last: bool, begins: NDArray[Any], lines: NDArray[Any]
) -> tuple[int, int, int, bool]:
    """Where rows begin, as many as there is room for; (rows, bytes, lines, open quote)."""

def hash_texts(text: NDArray[Any], offsets: NDArray[Any], out: NDArray[Any]) -> None:
    """MurmurHash3_x86_32 with seed 0 of each text between two offsets."""
