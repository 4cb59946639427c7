"""The native core of rosenblatt: one pass over rows, scores, the checks that admit data, and readers of text."""

from typing import Any, Literal

from numpy.typing import NDArray

class Rows:
    """Rows of data, checked as they are made; they keep the arrays they are made of."""

    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def is_canonical(self) -> bool:
        """Columns ascend within each row, none twice."""

    def largest(self) -> float:
        """Max |x|; NaN where a number is not finite."""

    def radius2(self, order: NDArray[Any] | None = None) -> float:
        """R² without the bias feature: max ‖x‖² over the rows in order (None: all)."""

    def terms_in_lane(self, order: NDArray[Any] | None = None) -> int:
        """How many terms are added in one of the 16 lanes of a score, at most, over the rows in order (None: all)."""

class DenseRows(Rows):
    """Rows of a C-contiguous array, (n_rows, n_features)."""

    is_dense: Literal[True]
    def __init__(self, data: NDArray[Any]) -> None: ...
    @property
    def data(self) -> NDArray[Any]: ...

class CsrRows(Rows):
    """Rows of the three arrays of a CSR matrix."""

    is_dense: Literal[False]
    def __init__(self, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], n_features: int) -> None: ...
    @property
    def indptr(self) -> NDArray[Any]: ...
    @property
    def indices(self) -> NDArray[Any]: ...
    @property
    def data(self) -> NDArray[Any]: ...

class GramRows(Rows):
    """A block of examples by its kernel matrix; weights are its scores."""

    def __init__(self, data: NDArray[Any]) -> None: ...
    @property
    def data(self) -> NDArray[Any]: ...

class Model:
    """Weights and how they are used; it keeps the arrays that it is made of."""

    def __init__(
        self,
        *,
        form: str,
        weights: NDArray[Any],
        n_vectors: int,
        fit_intercept: bool = True,
        tie_is_mistake: bool = True,
        total: NDArray[Any] | None = None,
        gradient: NDArray[Any] | None = None,
        epsilon: float = 0.0,
        constant: float = 1.0,
        lists: ClassLists | None = None,
        precision: NDArray[Any] | None = None,
        covariance: NDArray[Any] | None = None,
        prior: float = 1.0,
        links: Links | None = None,
    ) -> None: ...
    @property
    def weights(self) -> NDArray[Any]: ...

class ClassLists:
    """Class vectors: for each feature the classes that ever moved, and weights."""

    def __init__(self, n_vectors: int, wide: bool, averaged: bool) -> None: ...
    @staticmethod
    def of(
        n_vectors: int,
        starts: NDArray[Any],
        classes: NDArray[Any],
        weights: NDArray[Any],
        total: NDArray[Any] | None,
    ) -> ClassLists:
        """Those with these entries, classes ascending in each row."""

    @property
    def n_rows(self) -> int: ...
    @property
    def n_vectors(self) -> int: ...
    def reserve(self, n_rows: int) -> None:
        """Room for so many features at least."""

    def add_class(self, code: int) -> None:
        """One class more; those from its code on move up."""

    def add_squares(self, rows: NDArray[Any] | None, out: NDArray[Any]) -> None:
        """Add Σ w² of each class to out, over these rows."""

    def average(self, visited: int) -> ClassLists:
        """Lists of the averages over so many examples."""

    def entries(
        self, rows: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        """Where the entries of each of these rows begin, their classes, ascending, weights and sums; no zeros."""

class Rule:
    """A rule by its name and numbers, as those of rosenblatt.core.rules list them."""

    def __init__(self, *args: object) -> None: ...

class Links:
    """Tags, how they follow on each other, and the rows of weights that are of that."""

    def __init__(
        self, *, n_tags: int, order: int, cost: str, rows: NDArray[Any], allowed: NDArray[Any] | None = None
    ) -> None: ...

class Sentences:
    """Sentences of tokens, which are rows of features; it keeps the arrays it is made of."""

    n_rows: int
    n_tokens: int
    n_features: int
    def __init__(
        self,
        sentences: NDArray[Any],
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any] | None,
        n_features: int,
    ) -> None: ...

class Tally:
    """What a run has counted, in one array of float64."""

    growth: float
    room: float
    visited: int
    mistakes: int
    updates: int
    run: int
    best_run: int
    errors: int
    is_current: int
    def __init__(self, n_vectors: int) -> None: ...
    @staticmethod
    def of(values: NDArray[Any]) -> Tally:
        """The tally that an array holds, which it shares."""

    def with_vectors(self, n_vectors: int) -> Tally:
        """The same counts for another number of vectors, of which nothing is known yet."""

    @property
    def values(self) -> NDArray[Any]: ...
    @property
    def tau(self) -> NDArray[Any]: ...
    @property
    def least(self) -> NDArray[Any]: ...
    @property
    def counts(self) -> NDArray[Any]: ...
    @property
    def n_vectors(self) -> int: ...
    @property
    def is_writable(self) -> bool: ...

def learn(
    *,
    rows: Rows,
    model: Model,
    rule: Rule,
    targets: NDArray[Any] | int,
    order: NDArray[Any] | None = None,
    weight: NDArray[Any] | None = None,
    first: int = 0,
    dual: NDArray[Any] | None = None,
    steps: NDArray[Any] | None = None,
    pocket: NDArray[Any] | None = None,
    ratchet: bool = False,
    tally: Tally,
    stop: bool = False,
    misread: NDArray[Any] | None = None,
    n_threads: int = 1,
) -> bool:
    """One pass over the examples, in place, or up to the first mistake or step, which is then left to the caller.

    False: it ended before a step that could overflow.
    """

def learn_sentences(
    *,
    rows: Sentences,
    model: Model,
    rule: Rule,
    targets: NDArray[Any],
    order: NDArray[Any] | None = None,
    weight: NDArray[Any] | None = None,
    first: int = 0,
    pocket: NDArray[Any] | None = None,
    ratchet: bool = False,
    tally: Tally,
    stop: bool = False,
    misread: NDArray[Any] | None = None,
) -> bool:
    """`learn` of sentences, whose targets are the tags of all tokens."""

def decode(
    *,
    rows: Sentences,
    model: Model,
    out: NDArray[Any],
    scores: NDArray[Any] | None = None,
    others: NDArray[Any] | None = None,
    gaps: NDArray[Any] | None = None,
    n_threads: int = 1,
) -> None:
    """Tags of the best sequence of every sentence and its score; tags of the second best, and how far it is behind."""

def k_best(*, rows: Sentences, model: Model, k: int, out: NDArray[Any], scores: NDArray[Any]) -> int:
    """The k best sequences of one sentence, best first, and their scores; how many there are."""

def learn_one(
    *,
    row: dict[Any, float],
    columns: dict[Any, int],
    model: Model,
    rule: Rule,
    target: float,
    weight: float = 1.0,
    pocket: NDArray[Any] | None = None,
    tally: Tally,
) -> bool:
    """The same of one row of named features; names that are new get the next columns."""

def score(*, rows: Rows, model: Model, out: NDArray[Any]) -> None:
    """Scores of every row, one per class, written to out."""

def score_one(*, row: dict[Any, float], columns: dict[Any, int], model: Model, visited: int, out: NDArray[Any]) -> None:
    """Scores of one row of named features by the weights, or by their average over so many examples visited > 0."""

def decide_one(*, row: dict[Any, float], columns: dict[Any, int], model: Model, visited: int) -> int:
    """Code of the class of the largest of these scores, the first of equals; two classes: 1 if it is > 0."""

def product(a: CsrRows, b: CsrRows, out: NDArray[Any], n_threads: int) -> None:
    """Out = a·bᵀ of CSR rows."""

def compress(rows: DenseRows, start: NDArray[Any], feature: NDArray[Any], x: NDArray[Any]) -> None:
    """Columns and values of the numbers of dense rows that are not zero; start says where each row's begin."""

def equal_rows(*, rows: Rows, targets: NDArray[Any] | int, order: NDArray[Any] | None = None) -> tuple[int, int] | None:
    """The first of the rows in order that equals an earlier one of another label, after that one; None: no two."""

def squares(weights: NDArray[Any], out: NDArray[Any]) -> None:
    """Out = Σ w² of each column of the weights."""

def average(weights: NDArray[Any], total: NDArray[Any], visited: float, out: NDArray[Any], n_threads: int) -> None:
    """Out = weights − total/visited, the averaged readout."""

def add_squares(weights: NDArray[Any], order: NDArray[Any], out: NDArray[Any]) -> None:
    """Out += Σ w² of each column over these rows of the weights, in order."""

def share_rows(starts: NDArray[Any], columns: list[NDArray[Any]], which: NDArray[Any], first: NDArray[Any]) -> int:
    """Number the rows by their content; which: the number of each, first: the first row of each number; how many."""

def place_features(
    features: NDArray[Any],
    table: NDArray[Any],
    met: NDArray[Any],
    used: NDArray[Any],
    count: int,
    add: bool,
    out: NDArray[Any],
    n_threads: int,
) -> tuple[int, int]:
    """Places of features among the weights of those that were met; (features done, how many were met then)."""

def hash_text(
    documents: Any, analyses: tuple[Any, ...], encoding: tuple[Any, ...], bits: int
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
    rows: tuple[Any, ...],
    counts: NDArray[Any],
    n_documents: int,
    parts: tuple[int, int, bool],
    stream: bool,
    n_threads: int,
) -> None:
    """Weigh rows by inverse document frequency, in place."""

def weigh_by_table(rows: tuple[Any, ...], table: NDArray[Any], parts: tuple[int, int, bool], n_threads: int) -> None:
    """Weigh rows by a weight of each column, in place."""

class ClassCounts:
    """How many documents of each class have each column."""

    def __init__(self, n_columns: int) -> None: ...
    def count(self, rows: tuple[Any, ...], classes: NDArray[Any], parts: tuple[int, int, bool], n_threads: int) -> None:
        """Count each row."""

    def weigh(
        self,
        rows: tuple[Any, ...],
        classes: NDArray[Any] | None,
        parts: tuple[int, int, bool],
        idf: bool,
        n_threads: int,
    ) -> None:
        """Weigh rows by log-count ratio, and idf, in place; of known classes, count each first."""

    def weights(self, idf: bool, n_threads: int, out: NDArray[Any]) -> None:
        """Write the weight of each column."""

    def counts(self) -> tuple[NDArray[Any], ...]:
        """Columns, how many classes each has, classes, counts, documents of each class."""

    def add(self, counts: tuple[NDArray[Any], ...]) -> None:
        """Add the counts of other documents."""

class TokenTemplates:
    """Templates of features of tokens."""

    def __init__(self, templates: tuple[Any, ...], named_edges: bool) -> None: ...

def token_rows(
    columns: tuple[list[str], ...], starts: NDArray[Any], templates: TokenTemplates, bits: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """CSR rows (starts, columns) of the tokens of sentences: a feature's column is the low bits of its hash."""

def token_feature_names(
    columns: tuple[list[str], ...], starts: NDArray[Any], templates: TokenTemplates, bits: int
) -> list[list[tuple[str, int]]]:
    """Of each token, (name, column) of each feature, in the order of the templates."""

def gather_feature_names(
    columns: tuple[list[str], ...], starts: NDArray[Any], templates: TokenTemplates, known: NDArray[Any], limit: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], bool]:
    """Names (bytes, starts), hashes of the features that are not known, at most `limit`, and whether that is all."""

def named_token_rows(tokens: list[Any], bits: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """CSR rows (starts, columns, values or None) of tokens that are dicts or lists of named features."""

def hash_feature(name: str) -> int:
    """The 64-bit hash of a feature that is given by name."""

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

def rows_in_use(arrays: list[NDArray[Any]], out: NDArray[Any], n_threads: int) -> int:
    """The numbers of the rows, as bytes, in which any bit of any array is set, written to out; how many they are."""

def set_flags(numbers: NDArray[Any], flags: NDArray[Any]) -> None:
    """Set the flags, bytes, with these numbers to 1."""

def take_rows(rows: NDArray[Any], numbers: NDArray[Any], out: NDArray[Any], n_threads: int) -> None:
    """Write the rows, as bytes, with these numbers to out, one behind the other."""

def count_pairs(
    arrays: list[NDArray[Any]], n_vectors: int, order: NDArray[Any], counts: NDArray[Any], n_threads: int
) -> None:
    """Write how many vectors of each row, in this order, have a number other than 0."""

def take_pairs(
    arrays: list[NDArray[Any]],
    n_vectors: int,
    order: NDArray[Any],
    starts: NDArray[Any],
    vectors: NDArray[Any],
    out: list[NDArray[Any]],
    n_threads: int,
) -> None:
    """Write which these are, from the start of each row on, and the numbers of each array."""

def populate(array: NDArray[Any]) -> None:
    """Have the system make room for the zeros of a large array in the background, before they are written to."""

def keep_freed_memory() -> None:
    """Of this process, from now on: for commands that read files block by block."""
