"""Hashed text: an n-gram's column is the low bits of its hash. No vocabulary; counts and names where asked for.

The hash of a word is MurmurHash3_x86_32 with seed 0 of its UTF-8 bytes. That of an n-gram is made from its words, those
that spaces part: (h + 1)·0x9E3779B1 + h' mod 2³² joins h, of the words so far, and h', of the next. The column is the
lowest ``bits`` bits. There is no sign.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine
from .analysis import STORED_ANALYSIS, Analysis, choice, whole_number
from .documents import Documents
from .lexicon import Lexicon

Array = NDArray[Any]

#: CSR rows: where each row starts, columns, values.
Rows = tuple[Array, Array, Array]

WEIGHTINGS = ("count", "binary", "log")
NORMS = ("l2", None)
DTYPES = ("float32", "float64")


def columns_of(ngrams: Iterable[str], bits: int = 22) -> Array:
    """The columns that n-grams hash to.

    Parameters
    ----------
    ngrams : list of str
        The n-grams, words joined by spaces.
    bits : int, default=22
        There are ``2**bits`` columns.

    Examples
    --------
    >>> columns_of(["good", "not good"]).tolist()
    [2195521, 2748198]
    """
    whole_number("bits", bits, 1, 30)
    if isinstance(ngrams, (str, bytes)):
        raise ValueError(f"n-grams come in a list or another container, got one; write [{ngrams!r}]")
    hashes = engine.hash_ngrams(list(ngrams))
    return (hashes & np.uint32((1 << bits) - 1)).astype(np.int32)


def threads(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` asks for: -1 for all cores, -2 for all but one, None for one."""
    if n_jobs is None:
        return 1
    whole_number("n_jobs", n_jobs, -(2**31))
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; set 1 for one thread, -1 for all cores")
    return int(n_jobs) if n_jobs > 0 else max(1, engine.threads() + 1 + int(n_jobs))


def check_dtype(dtype: Any) -> str:
    """The name of the type, which must be float32 or float64."""
    try:
        name = str(np.dtype(dtype).name)
    except TypeError:
        name = ""
    if name not in DTYPES:
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
    return name


class Hashing:
    """Documents to rows by hashing, and what it learns of them: document counts for idf, names of columns.

    Parameters
    ----------
    analysis : Analysis
        What the n-grams are.
    bits : int, default=22
        There are ``2**bits`` columns; 1 to 30. A learner keeps numbers for each column and class: with many classes
        take fewer.
    weighting : {"count", "binary", "log"}, default="log"
        What an n-gram that occurs n times weighs: n, 1, or 1 + ln n.
    idf : bool, default=False
        Multiply by ln((1 + N)/(1 + d)) + 1, where d of the N documents that were learned from have the column.
    norm : {"l2", None}, default="l2"
        Divide each row by its Euclidean norm.
    dtype : {"float32", "float64"}, default="float32"
        Type of the values.
    keep_names : bool, default=False
        Keep the n-grams of the documents that were learned from, so that columns have names.
    max_names : int or None, default=None
        Keep at most so many, those that come first; None: as many as there are columns.
    n_threads : int, default=1
        Threads that encode. The rows are the same for any number.
    """

    def __init__(
        self,
        analysis: Analysis,
        bits: int = 22,
        weighting: str = "log",
        idf: bool = False,
        norm: str | None = "l2",
        dtype: Any = "float32",
        keep_names: bool = False,
        max_names: int | None = None,
        n_threads: int = 1,
    ) -> None:
        whole_number("bits", bits, 1, 30)
        for name, value in (("idf", idf), ("keep_names", keep_names)):
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False, got {value!r}")
        choice("weighting", weighting, WEIGHTINGS)
        if norm not in NORMS:
            raise ValueError(f"norm must be 'l2' or None, got {norm!r}")
        if max_names is not None:
            whole_number("max_names", max_names, 1, 2**31 - 1)
        self.analysis, self.bits = analysis, int(bits)
        self.weighting, self.idf, self.norm = weighting, bool(idf), norm
        self.dtype = check_dtype(dtype)
        self.keep_names, self.max_names = bool(keep_names), None if max_names is None else int(max_names)
        self.n_threads = n_threads
        self.n_documents = 0
        self.document_counts = np.zeros(1 << self.bits, np.uint32) if idf else None
        self.names = Lexicon.of([]) if keep_names else None
        self.names_complete = True

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return 1 << self.bits

    @property
    def _most_names(self) -> int:
        return self.n_columns if self.max_names is None else self.max_names

    # ---- documents -----------------------------------------------------------------------------------------------

    def encode(self, documents: Documents) -> Rows:
        """Rows of documents, by what was learned so far."""
        rows = self.read(documents)
        self.weigh(rows)
        return rows

    def learn(self, documents: Documents) -> None:
        """Count documents and keep names."""
        names = self._gathered(documents)
        if self.idf:
            self._count(self.read(documents))
        self._take(names)

    def learn_then_encode(self, documents: Documents) -> Rows:
        """Learn from all the documents, then encode them by what was learned."""
        rows = self._learn_names_and_read(documents)
        self._count(rows)
        self.weigh(rows)
        return rows

    def learn_and_encode(self, documents: Documents) -> Rows:
        """Learn from each document and encode it before the next: the same rows, in whatever pieces documents come."""
        rows = self._learn_names_and_read(documents)
        self.learn_and_weigh(rows)
        return rows

    def _learn_names_and_read(self, documents: Documents) -> Rows:
        names = self._gathered(documents)
        rows = self.read(documents)
        self._take(names)
        return rows

    # The two halves of learning and encoding: the first may be done ahead, in another thread.

    def read(self, documents: Documents) -> Rows:
        """Rows of documents before they are weighed by what was learned."""
        now = self.norm is not None and not self.idf
        encoding = (self.weighting, now, self.dtype, self.n_threads)
        return documents.read_by(engine.hash_text, self.analysis.native, encoding, self.bits)

    def learn_names(self, documents: Documents) -> None:
        """Keep the names of documents, and learn nothing else."""
        self._take(self._gathered(documents))

    def weigh(self, rows: Rows) -> None:
        """Weigh rows by what was learned so far, in place."""
        self._weigh_columns(rows, learn=False)

    def learn_and_weigh(self, rows: Rows) -> None:
        """Count each row and weigh it, in place, before the next."""
        self._thaw()
        self._weigh_columns(rows, learn=True)
        self.n_documents += len(rows[0]) - 1

    def features(self, text: str | bytes) -> list[tuple[str, int, float]]:
        """(n-gram, column, value) of each n-gram of one document, in the order they come first.

        The value is that of the column: n-grams that share one have the same.
        """
        grams = list(dict.fromkeys(self.analysis.ngrams_of(text)))
        _, columns, values = self.encode(Documents([text]))
        hashed = columns_of(grams, self.bits)
        return [
            (gram, int(column), float(value))
            for gram, column, value in zip(grams, hashed, values[np.searchsorted(columns, hashed)])
        ]

    def _weigh_columns(self, rows: Rows, learn: bool) -> None:
        if self.document_counts is not None:
            engine.weigh_columns(
                rows, self.document_counts, self.n_documents, self.norm is not None, learn, self.n_threads
            )

    def _thaw(self) -> None:
        """Counts of its own to go on with, where they are mapped from a file."""
        if self.document_counts is not None and not self.document_counts.flags.writeable:
            self.document_counts = self.document_counts.copy()

    def _count(self, rows: Rows) -> None:
        self._thaw()
        if self.document_counts is not None:
            engine.count_columns(rows[1], self.document_counts)
        self.n_documents += len(rows[0]) - 1

    # ---- names ---------------------------------------------------------------------------------------------------

    def _gathered(self, documents: Documents) -> tuple[Array, Array, bool] | None:
        """New names, not kept yet: a later step may refuse the documents."""
        if self.names is None:
            return None
        room = self._most_names - len(self.names)
        gathered = documents.read_by(
            engine.gather_ngrams, self.analysis.native, self.names.native, room, False, self.n_threads
        )
        return gathered[0], gathered[1], gathered[4]

    def _take(self, names: tuple[Array, Array, bool] | None) -> None:
        if names is None or self.names is None:
            return
        if len(names[1]) > 1:
            self.names = self.names.joined(names[0], names[1])
        self.names_complete = self.names_complete and names[2]

    def _named(self) -> tuple[Lexicon, Array, Array]:
        """The names, their columns in ascending order, and the names' numbers in that order."""
        if self.names is None:
            raise ValueError("no names were kept; set keep_names=True before the text is read")
        columns = (self.names.hashes & np.uint32(self.n_columns - 1)).astype(np.int64)
        order = np.argsort(columns, kind="stable")
        return self.names, columns[order], order

    def names_of(self, columns: Iterable[int]) -> list[list[str]]:
        """The n-grams that were met in each of these columns, in the order they came."""
        names, ascending, order = self._named()
        wanted = np.asarray(list(columns), dtype=np.int64)
        first, last = np.searchsorted(ascending, wanted, "left"), np.searchsorted(ascending, wanted, "right")
        return [[names[i] for i in order[a:b]] for a, b in zip(first, last)]

    def collisions(self) -> dict[int, list[str]]:
        """Columns where two or more different n-grams were met, with these."""
        _, ascending, _ = self._named()
        columns, counts = np.unique(ascending, return_counts=True)
        shared = columns[counts > 1]
        return dict(zip(shared.tolist(), self.names_of(shared)))

    def column_names(self) -> Array:
        """A name for every column: its n-grams, joined by " | ", or "#" and its number where none was met."""
        named = np.array([f"#{column}" for column in range(self.n_columns)], dtype=object)
        if self.names is not None:
            names, ascending, order = self._named()
            texts = names.names()
            columns, first = np.unique(ascending, return_index=True)
            for column, numbers in zip(columns, np.split(order, first[1:]) if len(order) else ()):
                named[column] = " | ".join(texts[i] for i in numbers)
        return named

    def merge(self, other: Hashing) -> None:
        """Add what another has learned from other documents, after these: counts add up, names follow."""
        if self.document_counts is not None and other.document_counts is not None:
            self.document_counts += other.document_counts
        self.n_documents += other.n_documents
        if self.names is None or other.names is None:
            return
        known = set(self.names.names())
        room = self._most_names - len(known)
        new = [name for name in other.names.names() if name not in known]
        self.names_complete = self.names_complete and other.names_complete and len(new) <= room
        more = Lexicon.of(new[: max(room, 0)])
        self.names = self.names.joined(more.text, more.starts)

    # ---- state ---------------------------------------------------------------------------------------------------

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Settings and counts as plain values, and arrays: all that :meth:`from_state` needs to go on."""
        plain = self.analysis.stored() | {name: getattr(self, name) for name in (*_MADE_WITH, *_LEARNED)}
        arrays: dict[str, Array] = {}
        if self.document_counts is not None:
            columns = np.flatnonzero(self.document_counts != 0)  # of flags, which is faster
            counts = self.document_counts[columns].astype(_count_type(self.n_documents))
            arrays |= {"counted_columns": columns.astype(np.int32), "document_counts": counts}
        if self.names is not None:
            arrays |= self.names.to_state()
        return plain, arrays

    @classmethod
    def from_state(cls, plain: dict[str, Any], arrays: dict[str, Array], n_threads: int = 1) -> Hashing:
        """What :meth:`to_state` gave, as it was; refuses, by ValueError, what does not fit together."""
        schema.record(**STORED_ANALYSIS, **_MADE_WITH, **_LEARNED)(plain, "hashing")
        options = {name: plain[name] for name in _MADE_WITH}
        made = cls(Analysis.of_settings(plain["analysis"]), **options, n_threads=n_threads)
        made.n_documents, made.names_complete = plain["n_documents"], plain["names_complete"]
        if made.document_counts is not None:
            columns = schema.numbers(arrays, "counted_columns", np.int32, None, below=made.n_columns)
            made.document_counts[columns] = schema.array(
                arrays, "document_counts", _count_type(made.n_documents), (len(columns),)
            )
        if made.names is not None:
            made.names = Lexicon.of_state(arrays)
            schema.require(len(made.names) <= made._most_names, "name_starts")
        return made


def _count_type(n_documents: int) -> np.dtype[Any]:
    """The smallest type of counts of so many documents."""
    return np.min_scalar_type(min(n_documents, 2**32 - 1))


#: What it is made with, besides the analysis, and what it has learned.
_MADE_WITH = {
    "bits": schema.whole(1, 30),
    "weighting": schema.choice(*WEIGHTINGS),
    "idf": schema.flag,
    "norm": schema.choice(*NORMS),
    "dtype": schema.choice(*DTYPES),
    "keep_names": schema.flag,
    "max_names": schema.optional(schema.whole(1, 2**31 - 1)),
}
_LEARNED = {"n_documents": schema.whole(), "names_complete": schema.flag}
