"""A block of a table as rows of numbers: numeric, categorical and text columns side by side in one CSR matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine
from .arrow import arrow
from .blocks import Block
from .columns import Columns, check_names
from .csr import Array, Csr, hstack, index_type
from .moments import RunningScale
from .tables import check_missing, codes_of, numpy_of, unusable

#: So many names of categories are kept.
MOST_CATEGORIES = 1 << 18

Rows = tuple[Array, Array, Array]  # indptr, indices, data


def hash_names(names: Sequence[str]) -> NDArray[np.uint32]:
    """MurmurHash3_x86_32 with seed 0 of the UTF-8 bytes of each name.

    >>> [hex(h) for h in hash_names(["", "a"])]
    ['0x0', '0x3c2569b2']
    """
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    out = np.empty(len(names), np.uint32)
    engine.hash_texts(np.frombuffer(b"".join(encoded), np.uint8), offsets, out)
    return out


#: Truths, as Parquet and JSON spell them, by other spellings.
TRUTHS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}


def category(name: str, value: Any) -> str:
    """A category as it is hashed, ``name=value``; true and false are the same however a file spells them."""
    return f"{name}={TRUTHS.get(value, value)}"


def strings_of(block: Block, name: str) -> Any:
    """A column of text; a missing one is empty."""
    strings = block.columns[name]
    return arrow("tables", "pyarrow.compute").fill_null(strings, "") if strings.null_count else strings


class TextEncoder(Protocol):
    """What turns a column of strings into rows of numbers, in two steps: the first may be taken ahead of the second."""

    n_columns: int

    def read(self, strings: Any, *, learn: bool) -> Rows:
        """Rows of an Arrow array of strings without nulls; ``learn``: names may be kept."""
        ...

    def count(self, rows: Rows, labels: Any) -> None:
        """Learn from rows that were read, of documents with these labels, and weigh none."""
        ...

    def weigh(self, rows: Rows, *, learn: bool, labels: Any = None) -> Rows:
        """The rows by what was learned so far; ``learn``: it goes on with each row before it is weighed."""
        ...

    def forget(self, rows: Rows, labels: Any) -> None:
        """Take back what was learned from the rows, the last that were learned from."""
        ...

    def merge(self, other: Any) -> None:
        """Add what another of the same settings has learned from other rows."""
        ...

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Settings as plain values, and the arrays that were learned."""
        ...


class Read(NamedTuple):
    """What a block holds: numbers as they stand, categories, rows of each text column that are not weighed yet."""

    numeric: Array | None
    categorical: Csr | None
    text: list[Rows]


class Encoder:
    """Blocks of a table to CSR rows for a model.

    The columns of the result are: the numeric ones in their order; 2^bits for the categorical ones; then those of each
    text column. A category is hashed one-hot: 1 in column ``MurmurHash3("name=value") mod 2^bits``.
    True, TRUE and true are one category, and so are False, FALSE and false.

    Parameters
    ----------
    columns : Columns
        Resolved columns, as ``read`` and ``stream`` give them.
    text : dict of TextEncoder, default=None
        What encodes each text column, by its name.
    standardise : bool, default=False
        Whether numeric columns are standardised by their running mean and variance (`RunningScale`).
    number_weight : float, default=1.0
        What they are multiplied by then.
    bits : int, default=18
        The categorical columns share 2^bits columns.
    missing : "raise" or "absent", default="raise"
        A missing value is an error with its place, or has no entry in the row (it counts as 0; standardised, as the
        mean; a missing text, as empty).
    dtype : numpy dtype, default="float64"
        Type of the values.

    Attributes
    ----------
    categories : dict of None
        The categories that were met in learning, as ``name=value``, up to 2^18.
    unseen : Counter
        By column, how many rows had a category later that was not met in learning.
    """

    def __init__(
        self,
        columns: Columns,
        text: Mapping[str, TextEncoder] | None = None,
        *,
        standardise: bool = False,
        number_weight: float = 1.0,
        bits: int = 18,
        missing: str = "raise",
        dtype: Any = "float64",
    ) -> None:
        check_missing(missing)
        if not 1 <= bits <= 32:
            raise ValueError(f"bits must be from 1 to 32, got {bits}")
        self.columns, self.text = columns, dict(text or {})
        self.standardise, self.bits, self.missing, self.dtype = standardise, bits, missing, np.dtype(dtype)
        self.number_weight = number_weight
        self.categories: dict[str, None] = {}
        self.unseen: Counter[str] = Counter()
        for name in columns.text or ():
            if name not in self.text:
                raise ValueError(f"nothing encodes the text column {name!r}; give text={{{name!r}: …}}")
        self.scale = RunningScale(len(columns.numeric or ())) if standardise else None

    @property
    def n_features(self) -> int:
        """Columns of the result."""
        categorical = (1 << self.bits) if self.columns.categorical else 0
        text = sum(self.text[name].n_columns for name in self.columns.text or ())
        return len(self.columns.numeric or ()) + categorical + text

    def encode(self, block: Block, *, learn: bool) -> Csr:
        """The rows of a block; ``learn``: running means and counts go on with them, as in training."""
        return self.weigh(self.read(block, learn=learn), learn=learn, labels=block.labels)

    # The two steps of it: the first may be taken ahead, in another thread, while the rows before are learned from.

    def read(self, block: Block, *, learn: bool) -> Read:
        """What a block holds, before anything that running means and counts decide."""
        if block.columns is None:
            raise TypeError("a block of an svmlight or Vowpal Wabbit file is encoded already: see .csr")
        file = block.files[0][0] if block.files else ""
        check_names(self.columns.features, block.columns.column_names, file, "the model needs all its columns, and ")
        faults = unusable(block.columns, self.columns, self.missing)
        if faults:
            row = min(faults)
            raise faults[row].at(**block.origin(row))
        numeric = self._numeric(block) if self.columns.numeric else None
        categorical = self._categorical(block, learn) if self.columns.categorical else None
        text = []
        for name in self.columns.text or ():
            text.append(self.text[name].read(strings_of(block, name), learn=learn))
        if numeric is None and categorical is None and not text:
            raise ValueError("no column is left to learn from; name text, numeric or categorical columns")
        return Read(numeric, categorical, text)

    def count(self, read: Read, labels: Any) -> None:
        """Learn from what was read, means and counts of text, and weigh nothing."""
        if self.scale is not None and read.numeric is not None:
            self.scale.transform(read.numeric, learn=True)
        for name, rows in zip(self.columns.text or (), read.text):
            self.text[name].count(rows, labels)

    def weigh(self, read: Read, *, learn: bool, labels: Any = None) -> Csr:
        """The rows of what was read; ``learn``: running counts and means go on with them."""
        parts = []
        if read.numeric is not None:
            parts.append(self._scaled(read.numeric, learn))
        if read.categorical is not None:
            parts.append(read.categorical)
        for name, rows in zip(self.columns.text or (), read.text):
            indptr, indices, data = self.text[name].weigh(rows, learn=learn, labels=labels)
            parts.append(Csr(indptr, indices, data.astype(self.dtype, copy=False), self.text[name].n_columns))
        return hstack(parts)

    def forget(self, read: Read, labels: Any) -> None:
        """Take back what text has learned from what was read, the last that was; means cannot."""
        for name, rows in zip(self.columns.text or (), read.text):
            self.text[name].forget(rows, labels)

    def _numeric(self, block: Block) -> Array:
        names = self.columns.numeric or ()
        return np.column_stack([numpy_of(block.table[name]) for name in names]).astype(np.float64, copy=False)

    def _scaled(self, x: Array, learn: bool) -> Csr:
        if self.scale is not None:
            x = self.scale.transform(x, learn=learn) * self.number_weight
        return Csr.of_dense(np.nan_to_num(x, copy=False).astype(self.dtype, copy=False))

    def _categorical(self, block: Block, learn: bool) -> Csr:
        names = self.columns.categorical or ()
        places = np.empty((len(block), len(names)), np.int64)
        for i, name in enumerate(names):
            values, codes = codes_of(block.table[name])
            met = [category(name, value) for value in values]
            if learn and len(self.categories) < MOST_CATEGORIES:
                self.categories.update(dict.fromkeys(met))
            elif not learn and len(self.categories) < MOST_CATEGORIES:
                is_new = np.array([*(category not in self.categories for category in met), False])
                self.unseen[name] += int(is_new[codes].sum())
            hashes = hash_names(met) & np.uint32((1 << self.bits) - 1)
            places[:, i] = np.append(hashes.astype(np.int64), -1)[codes]  # the code −1 is the last
        places.sort(axis=1)
        there = places >= 0
        same = np.zeros_like(there)
        same[:, 1:] = there[:, 1:] & (places[:, 1:] == places[:, :-1])
        entries = there & ~same
        # Categories that fall together are added: 1 for each.
        order = np.cumsum(entries.ravel()) - 1
        data = np.bincount(order[there.ravel()], minlength=int(entries.sum())).astype(self.dtype)
        n_features = 1 << self.bits
        kind = index_type(max(n_features, places.size))
        indptr = np.concatenate([[0], np.cumsum(entries.sum(axis=1))]).astype(kind)
        return Csr(indptr, places[entries].astype(kind), data, n_features)

    def merge(self, other: Encoder) -> None:
        """Add what another of the same settings has learned from other rows, after these."""
        self.categories.update(other.categories)
        if self.scale is not None and other.scale is not None:
            self.scale.merge(other.scale)
        for name, encoder in self.text.items():
            encoder.merge(other.text[name])

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Settings as plain values, and the arrays that were learned, for a model file."""
        settings: dict[str, Any] = {
            "columns": self.columns.to_dict(), "standardise": self.standardise, "bits": self.bits,
            "missing": self.missing, "dtype": self.dtype.name, "text": {},
        }  # fmt: skip
        if self.number_weight != 1:
            settings["number_weight"] = self.number_weight
        arrays: dict[str, Array] = {}
        if self.scale is not None:
            arrays |= {f"scale.{key}": value for key, value in self.scale.to_arrays().items()}
        for i, name in enumerate(self.columns.text or ()):
            settings["text"][name], learned = self.text[name].to_state()
            arrays |= {f"text.{i}.{key}": value for key, value in learned.items()}
        return settings, arrays

    @classmethod
    def from_state(
        cls,
        settings: Mapping[str, Any],
        arrays: Mapping[str, Array],
        text: Callable[[dict[str, Any], dict[str, Array]], TextEncoder] | None = None,
    ) -> Encoder:
        """The encoder of this state; ``text`` makes each text encoder of its own settings and arrays."""
        _SETTINGS(settings, "table")
        columns = Columns.from_dict(settings["columns"])
        schema.require([*settings["text"]] == [*(columns.text or ())], "table.text")
        encoders, parts = {}, _by_part(arrays)
        for i, name in enumerate(columns.text or ()):
            if text is None:
                raise ValueError(f"nothing makes the encoder of the text column {name!r}")
            encoders[name] = text(settings["text"][name], parts.get(f"text.{i}", {}))
        made = cls(
            columns, encoders, standardise=settings["standardise"], number_weight=settings.get("number_weight", 1.0),
            bits=settings["bits"], missing=settings["missing"], dtype=settings["dtype"],
        )  # fmt: skip
        if made.scale is not None:
            made.scale = RunningScale.from_arrays(parts.get("scale", {}), len(columns.numeric or ()))
        return made


_NAMES = schema.optional(schema.listed(schema.text))
_SETTINGS = schema.record(
    ("number_weight",),
    columns=schema.record(
        ("dates",),
        label=schema.optional(schema.either(text=schema.text, false=schema.choice(False))),
        text=_NAMES,
        numeric=_NAMES,
        categorical=_NAMES,
        dates=_NAMES,
        weight=schema.optional(schema.text),
        label_type=schema.optional(schema.text),
    ),
    standardise=schema.flag,
    number_weight=schema.real(1e-9),
    bits=schema.whole(1, 32),
    missing=schema.text,
    dtype=schema.choice("float32", "float64"),
    text=schema.named(),
)


def _by_part(arrays: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
    """Arrays called ``part.name`` by their part, which may have a dot itself."""
    parts: dict[str, dict[str, Array]] = {}
    for key, value in arrays.items():
        part, _, name = key.rpartition(".")
        parts.setdefault(part, {})[name] = value
    return parts
