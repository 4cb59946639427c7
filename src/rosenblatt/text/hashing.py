"""Hashed text: an n-gram's column is the low bits of its hash. No vocabulary; counts and names where asked for.

The hash of a word is MurmurHash3_x86_32 with seed 0 of its UTF-8 bytes. That of an n-gram is made from its words, those
that spaces part: (h + 1)·0x9E3779B1 + h' mod 2³² joins h, of the words so far, and h', of the next. The column is the
lowest ``bits`` bits. There is no sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine
from .analysis import LONGEST, STORED_ANALYSIS, Analysis, choice, ngram_range, whole_number
from .class_counts import ClassCounts
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
    return engine.threads_for(n_jobs)


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
    supervised : bool, default=False
        Multiply by √(max over classes of the absolute log-count ratio), by the labels of the documents that were
        learned from (of the classes without the column the largest is asked): what is as common in every class counts
        little, and what none of them has counts nothing.
    characters : (int, int) or None, default=None
        Join to the words of a row the n-grams, the shortest and the longest, of the characters of each word (as
        ``analyzer="char_wb"``), in ``2**bits`` columns of their own.
    norm : {"l2", None}, default="l2"
        Divide each row by its Euclidean norm. With ``characters``, words and characters each get half of its square.
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
        supervised: bool = False,
        characters: tuple[int, int] | None = None,
        keep_names: bool = False,
        max_names: int | None = None,
        n_threads: int = 1,
    ) -> None:
        whole_number("bits", bits, 1, 30)
        for name, value in (("idf", idf), ("supervised", supervised), ("keep_names", keep_names)):
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False, got {value!r}")
        choice("weighting", weighting, WEIGHTINGS)
        if norm not in NORMS:
            raise ValueError(f"norm must be 'l2' or None, got {norm!r}")
        if max_names is not None:
            whole_number("max_names", max_names, 1, 2**31 - 1)
        self.analysis, self.bits = analysis, int(bits)
        self.weighting, self.idf, self.norm = weighting, bool(idf), norm
        self.supervised = bool(supervised)
        self.parts = [analysis]  # what reads each part of a row
        if characters is not None:
            if analysis.analyzer != "word":
                raise ValueError(f"characters are joined to words, and analyzer={analysis.analyzer!r} reads none")
            n, plain = ngram_range("characters", characters), analysis
            self.parts.append(Analysis(n, "char_wb", plain.lowercase, decode_error=plain.decode_error))
        self.characters = self.parts[1].ngrams if characters is not None else None
        self.dtype = check_dtype(dtype)
        self.keep_names, self.max_names = bool(keep_names), None if max_names is None else int(max_names)
        self.n_threads = n_threads
        self.n_documents = 0
        self.document_counts = np.zeros(self.n_columns, np.uint32) if idf and not supervised else None
        self.class_counts = ClassCounts(self.n_columns) if supervised else None
        self.names = [Lexicon.of([]) for _ in self.parts] if keep_names else None  # of each part
        self.names_complete = True

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.parts) << self.bits

    @property
    def _most_names(self) -> int:
        return self.n_columns if self.max_names is None else self.max_names

    @property
    def _is_weighed(self) -> bool:
        """Whether what was learned weighs columns."""
        return self.idf or self.supervised

    # ---- documents -----------------------------------------------------------------------------------------------

    def encode(self, documents: Documents) -> Rows:
        """Rows of documents, by what was learned so far."""
        rows = self.read(documents)
        self.weigh(rows)
        return rows

    def learn(self, documents: Documents, labels: Any = None) -> None:
        """Count documents and keep names."""
        names = self._gathered(documents)
        if self._is_weighed:
            self.count(self.read(documents), labels)
        self._take(names)

    def learn_then_encode(self, documents: Documents, labels: Any = None) -> Rows:
        """Learn from all the documents, then encode them by what was learned."""
        rows = self._learn_names_and_read(documents, labels)
        self.count(rows, labels)
        self.weigh(rows)
        return rows

    def learn_and_encode(self, documents: Documents, labels: Any = None) -> Rows:
        """Learn from each document and encode it before the next: the same rows, in whatever pieces documents come."""
        rows = self._learn_names_and_read(documents, labels)
        self.learn_and_weigh(rows, labels)
        return rows

    def _learn_names_and_read(self, documents: Documents, labels: Any) -> Rows:
        names = self._gathered(documents)
        rows = self.read(documents)
        self._labels(rows, labels)  # which may be refused, and then no names are kept
        self._take(names)
        return rows

    # The two halves of learning and encoding: the first may be done ahead, in another thread.

    def read(self, documents: Documents) -> Rows:
        """Rows of documents before they are weighed by what was learned."""
        now = self.norm is not None and not self._is_weighed
        encoding = (self.weighting, now, self.dtype, self.n_threads)
        return documents.read_by(engine.hash_text, tuple(part.native for part in self.parts), encoding, self.bits)

    def learn_names(self, documents: Documents) -> None:
        """Keep the names of documents, and learn nothing else: one thread does it, beside those that read."""
        self._take(self._gathered(documents, 1))

    def expect(self, rows: Sequence[Rows]) -> None:
        """These, which were read, are all the rows that will be counted, as far as is known."""
        if self.class_counts is not None:
            self.class_counts.expect([columns for _, columns, _ in rows], self._parts)

    def count(self, rows: Rows, labels: Any = None) -> None:
        """Count rows that were read, and weigh none; ``labels``: of the documents, which ``supervised`` needs."""
        if self.class_counts is not None:
            self.class_counts.count(rows, self._labels(rows, labels), self._parts, self.n_threads)
        elif self.document_counts is not None:
            self._thaw()
            engine.count_columns(rows[1], self.document_counts)
        self.n_documents += len(rows[0]) - 1

    def weigh(self, rows: Rows) -> None:
        """Weigh rows by what was learned so far, in place."""
        self._weigh_columns(rows, None)

    def learn_and_weigh(self, rows: Rows, labels: Any = None) -> None:
        """Count each row and weigh it, in place, before the next."""
        self._thaw()
        self._weigh_columns(rows, self._labels(rows, labels), learn=True)
        self.n_documents += len(rows[0]) - 1

    def forget(self, rows: Rows, labels: Any = None) -> None:
        """Take back the counts of rows, weighed or not, that were counted last; names stay."""
        if self.class_counts is not None:
            self.class_counts.forget(rows, self._labels(rows, labels))
        elif self.document_counts is not None:
            columns, n = np.unique(rows[1], return_counts=True)
            self.document_counts[columns] -= n.astype(np.uint32)
        self.n_documents -= len(rows[0]) - 1

    def features(self, text: str | bytes) -> list[tuple[str, int, float]]:
        """(n-gram, column, value) of each n-gram of one document, in the order they come first.

        The value is that of the column: n-grams that share one have the same. Those of characters stand in quotes.
        """
        _, columns, values = self.encode(Documents([text]))
        found: list[tuple[str, int, float]] = []
        for part, analysis in enumerate(self.parts):
            grams = list(dict.fromkeys(analysis.ngrams_of(text)))
            hashed = columns_of(grams, self.bits) + (part << self.bits)
            own = values[np.searchsorted(columns, hashed)]
            found += zip([_shown(gram, part) for gram in grams], hashed.tolist(), own.tolist())
        return found

    def column_weights(self, columns: Array) -> dict[str, Array]:
        """What columns, ascending, are multiplied by: ``idf`` and the weight ``by class``, as far as they are used."""
        found: dict[str, Array] = {}
        starts, columns = np.array([0, len(columns)], np.int32), columns.astype(np.int32)
        parts = (len(self.parts), 1 << self.bits, False)

        def weights(idf: bool) -> Array:
            rows = starts, columns, np.ones(len(columns))
            if self.class_counts is not None:
                self.class_counts.weigh(rows, None, parts, idf, 1)
            else:
                assert self.document_counts is not None
                engine.weigh_columns(rows, self.document_counts, self.n_documents, parts, False, 1)
            return rows[2]

        if self.idf:
            found["idf"] = weights(True)
        if self.supervised:
            found["by class"] = weights(False)
            if self.idf:
                with np.errstate(invalid="ignore"):
                    found["idf"] = found["idf"] / found["by class"]  # NaN where the classes have it alike
        return found

    @property
    def _parts(self) -> tuple[int, int, bool]:
        """Parts of a row, the columns of each, and whether each is scaled to its norm."""
        return len(self.parts), 1 << self.bits, self.norm is not None

    def _labels(self, rows: Rows, labels: Any) -> Any:
        """The labels of rows, where they are needed."""
        if not self.supervised:
            return None
        if labels is None:
            raise ValueError("supervised=True weighs n-grams by the labels of their documents; give y")
        labels = np.asarray(labels)
        if labels.ndim != 1:
            raise ValueError(f"y must be one label for each document, got an array of shape {labels.shape}")
        if len(labels) != len(rows[0]) - 1:
            n = len(rows[0]) - 1
            raise ValueError(f"inconsistent numbers of samples: [{n}, {len(labels)}]; give a label for each document")
        return labels

    def _weigh_columns(self, rows: Rows, labels: Any, learn: bool = False) -> None:
        if self.class_counts is not None:
            self.class_counts.weigh(rows, labels, self._parts, self.idf, self.n_threads)
        elif self.document_counts is not None:
            counts = self.document_counts
            n_threads = max(1, self.n_threads // 4) if learn else self.n_threads  # more would wait for memory
            engine.weigh_columns(rows, counts, self.n_documents, self._parts, learn, n_threads)

    def _thaw(self) -> None:
        """Counts of its own to go on with, where they are mapped from a file."""
        if self.document_counts is not None and not self.document_counts.flags.writeable:
            self.document_counts = self.document_counts.copy()

    # ---- names ---------------------------------------------------------------------------------------------------

    def _gathered(self, documents: Documents, n_threads: int | None = None) -> list[tuple[Array, Array, bool]] | None:
        """New names of each part, not kept yet: a later step may refuse the documents."""
        if self.names is None:
            return None
        room, gathered = self._most_names - self.n_names, []
        for analysis, names in zip(self.parts, self.names):
            text, starts, _, _, complete, _ = documents.read_by(
                engine.gather_ngrams, analysis.native, names.native, room, False, n_threads or self.n_threads
            )
            gathered.append((text, starts, complete))
            room -= len(starts) - 1
        return gathered

    def _take(self, gathered: list[tuple[Array, Array, bool]] | None) -> None:
        if gathered is None or self.names is None:
            return
        for part, (text, starts, complete) in enumerate(gathered):
            if len(starts) > 1:
                self.names[part] = self.names[part].joined(text, starts)
            self.names_complete = self.names_complete and complete

    @property
    def n_names(self) -> int:
        """N-grams whose names were kept."""
        return sum(map(len, self.names or ()))

    def named_columns(self) -> tuple[Array, Array]:
        """The columns of all names that were kept, ascending, and the names' numbers in that order."""
        if self.names is None:
            raise ValueError("no names were kept; set keep_names=True before the text is read")
        mask = np.uint32((1 << self.bits) - 1)
        columns = np.concatenate(
            [(names.hashes & mask).astype(np.int64) + (part << self.bits) for part, names in enumerate(self.names)]
        )
        order = np.argsort(columns, kind="stable")
        return columns[order], order

    def _name(self, number: int) -> str:
        """The name of this number, those of a part after those of the part before."""
        assert self.names is not None
        part = 0 if number < len(self.names[0]) else 1
        return _shown(self.names[part][number - part * len(self.names[0])], part)

    def names_of(self, columns: Iterable[int]) -> list[list[str]]:
        """The n-grams that were met in each of these columns, in the order they came."""
        ascending, order = self.named_columns()
        wanted = np.asarray(list(columns), dtype=np.int64)
        first, last = np.searchsorted(ascending, wanted, "left"), np.searchsorted(ascending, wanted, "right")
        return [[self._name(i) for i in order[a:b]] for a, b in zip(first, last)]

    def collisions(self) -> dict[int, list[str]]:
        """Columns where two or more different n-grams were met, with these."""
        ascending, _ = self.named_columns()
        columns, counts = np.unique(ascending, return_counts=True)
        shared = columns[counts > 1]
        return dict(zip(shared.tolist(), self.names_of(shared)))

    def column_names(self) -> Array:
        """A name for every column: its n-grams, joined by " | ", or "#" and its number where none was met."""
        named = np.array([f"#{column}" for column in range(self.n_columns)], dtype=object)
        if self.names is not None:
            ascending, order = self.named_columns()
            texts = [_shown(name, part) for part, names in enumerate(self.names) for name in names.names()]
            columns, first = np.unique(ascending, return_index=True)
            for column, numbers in zip(columns, np.split(order, first[1:]) if len(order) else ()):
                named[column] = " | ".join(texts[i] for i in numbers)
        return named

    def merge(self, other: Hashing) -> None:
        """Add what another has learned from other documents, after these: counts add up, names follow."""
        if self.document_counts is not None and other.document_counts is not None:
            self._thaw()
            self.document_counts += other.document_counts
        if self.class_counts is not None and other.class_counts is not None:
            self.class_counts.add(other.class_counts)
        self.n_documents += other.n_documents
        if self.names is None or other.names is None:
            return
        room = self._most_names - self.n_names
        self.names_complete = self.names_complete and other.names_complete
        for part, theirs in enumerate(other.names):
            known = set(self.names[part].names())
            new = [name for name in theirs.names() if name not in known]
            self.names_complete = self.names_complete and len(new) <= room
            more = Lexicon.of(new[: max(room, 0)])
            self.names[part] = self.names[part].joined(more.text, more.starts)
            room -= len(more)

    # ---- state ---------------------------------------------------------------------------------------------------

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Settings and counts as plain values, and arrays: all that :meth:`from_state` needs to go on."""
        plain = self.analysis.stored() | {name: getattr(self, name) for name in (*_MADE_WITH, *_LEARNED)}
        arrays: dict[str, Array] = {}
        if self.document_counts is not None:
            table = self.document_counts[:, np.newaxis]
            columns = engine.rows_in_use([table])
            counts = engine.take_rows(table, columns)[:, 0].astype(_count_type(self.n_documents), copy=False)
            arrays |= {"counted_columns": columns, "document_counts": counts}
        if self.class_counts is not None:
            plain["supervised_by"], own = self.class_counts.to_state()
            arrays |= own
        for part, names in enumerate(self.names or ()):
            arrays |= {_PREFIXES[part] + name: array for name, array in names.to_state().items()}
        return plain, arrays

    @classmethod
    def from_state(
        cls, plain: dict[str, Any], arrays: dict[str, Array], n_threads: int = 1, most_columns: int | None = None
    ) -> Hashing:
        """What :meth:`to_state` gave, as it was; refuses, by ValueError, what does not fit together.

        ``most_columns``: what claims more is refused before counts of them take memory.
        """
        schema.record(("supervised_by",), **STORED_ANALYSIS, **_MADE_WITH, **_LEARNED, supervised_by=schema.named())(
            plain, "hashing"
        )
        options = {name: plain[name] for name in _MADE_WITH}
        schema.require(options["characters"] is None or len(options["characters"]) == 2, "characters")
        made = cls(Analysis.of_settings(plain["analysis"]), **options, n_threads=n_threads)
        schema.require(most_columns is None or made.n_columns <= most_columns, "bits")
        made.n_documents, made.names_complete = plain["n_documents"], plain["names_complete"]
        if made.document_counts is not None:
            columns = schema.numbers(arrays, "counted_columns", np.int32, None, below=made.n_columns)
            made.document_counts[columns] = schema.array(
                arrays, "document_counts", _count_type(made.n_documents), (len(columns),)
            )
        if made.class_counts is not None:
            made.class_counts = ClassCounts.from_state(made.n_columns, plain.get("supervised_by"), arrays)
        if made.names is not None:
            for part, prefix in enumerate(_PREFIXES[: len(made.parts)]):
                own = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
                made.names[part] = Lexicon.of_state(own)
            schema.require(made.n_names <= made._most_names, "name_starts")
        return made


def _shown(gram: str, part: int) -> str:
    """An n-gram by name; of characters in quotes, as their spaces count."""
    return f'"{gram}"' if part else gram


def _count_type(n_documents: int) -> np.dtype[Any]:
    """The smallest type of counts of so many documents."""
    return np.min_scalar_type(min(n_documents, 2**32 - 1))


#: Of the names of each part, in a model file.
_PREFIXES = ("", "character_")
#: What it is made with, besides the analysis, and what it has learned.
_MADE_WITH = {
    "bits": schema.whole(1, 30),
    "weighting": schema.choice(*WEIGHTINGS),
    "idf": schema.flag,
    "norm": schema.choice(*NORMS),
    "supervised": schema.flag,
    "characters": schema.optional(schema.listed(schema.whole(1, LONGEST))),
    "dtype": schema.choice(*DTYPES),
    "keep_names": schema.flag,
    "max_names": schema.optional(schema.whole(1, 2**31 - 1)),
}
_LEARNED = {"n_documents": schema.whole(), "names_complete": schema.flag}
