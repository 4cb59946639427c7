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
    stop: bool,
) -> bool:
    """One pass over the examples, in place, or up to the first mistake or step, which is then left to the caller.

    False: it ended before a step that could overflow.
    """

def score(rows: tuple[Any, ...], model: tuple[Any, ...], out: NDArray[Any]) -> None:
    """Scores of every row, one per class, written to out."""

def score_one(row: tuple[Any, ...], model: tuple[Any, ...], visited: int, out: NDArray[Any]) -> None:
    """Scores of one row; averaged, where so many examples were visited, or 0: by the weights as they are."""

def decide_one(row: tuple[Any, ...], model: tuple[Any, ...], visited: int) -> int:
    """Code of the class of the largest of these scores, the first of equals; two classes: 1 if it is > 0."""

def product(a: tuple[Any, ...], b: tuple[Any, ...], out: NDArray[Any], n_threads: int) -> None:
    """Out = a·bᵀ of CSR rows."""

def compress(rows: tuple[Any, ...], start: NDArray[Any], feature: NDArray[Any], x: NDArray[Any]) -> None:
    """Columns and values of the numbers of dense rows that are not zero; start says where each row's begin."""

def scan(rows: tuple[Any, ...]) -> tuple[str, float]:
    """(fault, max |x|) of the rows."""

def squares(weights: NDArray[Any], out: NDArray[Any]) -> None:
    """Out = Σ w² of each column of the weights."""

def place_features(
    features: NDArray[Any], table: NDArray[Any], met: NDArray[Any], count: int, add: bool, out: NDArray[Any]
) -> tuple[int, int]:
    """Places of features among the weights of the groups that were met; (features done, groups then)."""

def radius2(rows: tuple[Any, ...], order: NDArray[Any] | None) -> float:
    """R² of the rows without the bias feature: max ‖x‖²."""

def hash_text(
    documents: Any, analysis: tuple[Any, ...], encoding: tuple[Any, ...], bits: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """CSR rows (starts, columns, values): an n-gram counts in the column that the low bits of its hash are."""

def look_up_text(
    documents: Any, analysis: tuple[Any, ...], encoding: tuple[Any, ...], lexicon: tuple[Any, ...]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """CSR rows (starts, columns, values): an n-gram counts in the column of its number."""

def gather_ngrams(
    documents: Any, analysis: tuple[Any, ...], known: tuple[Any, ...] | None, limit: int, by_name: bool, n_threads: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], bool, int]:
    """N-grams that are not known (bytes, starts), how many documents have each, how often it occurs, whether that
    is all (at most `limit`, in the order they came, or by name), and how many documents there are.
    """

def index_ngrams(text: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Slots that n-grams are found by."""

def list_ngrams(documents: Any, analysis: tuple[Any, ...]) -> list[str]:
    """The n-grams, as they come."""

def hash_ngrams(ngrams: Any) -> NDArray[Any]:
    """The 32-bit hash of each."""

def count_columns(columns: NDArray[Any], counts: NDArray[Any]) -> None:
    """Count each column, in place."""

def weigh_columns(
    rows: tuple[Any, ...], counts: NDArray[Any], n_documents: int, norm: bool, stream: bool, n_threads: int
) -> None:
    """Weigh rows by inverse document frequency, in place."""

def unicode_version() -> str:
    """Version of the tables of characters."""

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
    text: NDArray[Any],
    delimiter: int,
    quote: int,
    last: bool,
    begins: NDArray[Any],
    lines: NDArray[Any],
    enough_bytes: int,
) -> tuple[int, int, int, bool, bool, int]:
    """Where rows begin, as many as there is room for, until there are enough bytes; (rows, bytes, lines, open quote, a
    value has several lines, bytes of the longest row).
    """

def cut_csv(
    text: NDArray[Any],
    begins: NDArray[Any],
    delimiter: int,
    quote: int,
    n_columns: int,
    wanted: list[int],
    numbered: list[bool],
) -> list[tuple[bytes | None, bytes, bytes]] | None:
    """The text of columns of rows that begin there: (None, starts, text) of each, or, numbered, codes with the starts
    and text of the different ones; None where something is not plain UTF-8 text.
    """

def arrow_strings(starts: bytes, text: bytes) -> tuple[Any, Any]:
    """The capsules of Arrow's C interface, schema and array, of a column of strings."""

def hash_texts(text: NDArray[Any], offsets: NDArray[Any], out: NDArray[Any]) -> None:
    """MurmurHash3_x86_32 with seed 0 of each text between two offsets."""

def populate(array: NDArray[Any]) -> None:
    """Have the system make room for the zeros of a large array in the background, before they are written to."""

def keep_freed_memory() -> None:
    """Of this process, from now on: for commands that read files block by block."""
