"""The features of a model: what makes rows of numbers of blocks, and is saved with the model to make them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .. import schema
from ..errors import DataError
from ..text import Documents, Hashing
from .arrow import Strings, chained
from .blocks import Block, placed
from .columns import Columns
from .csr import Csr
from .encoder import Encoder, Read, Rows
from .formats import settings_of
from .moments import RunningScale
from .numbered import SCALINGS, Standardised, UnitNorm
from .read_ahead import ReadAhead
from .weigh_ahead import WeighAhead

#: The section of a model file.
SECTION = "features"
#: So many blocks are read ahead of learning.
AHEAD = 2
#: 2^22 columns for text: more are of no use on the reviews of imdb, unless n-grams have more than two words. With many
#: texts fewer, but not less than 2^16.
MOST_BITS, LEAST_BITS = 22, 16

#: Memory that most text needs is asked for ahead; of more, what is needed.
MOST_POPULATED = 1 << 28

#: Plain values and arrays, as a model file holds them.
Section = tuple[dict[str, Any], dict[str, Any]]
Own = TypeVar("Own", bound="Features")


class TextColumn:
    """Hashed text as a `TextEncoder`; n-grams of the first rows are kept by name."""

    def __init__(self, hashing: Hashing, named_rows: int) -> None:
        self.hashing, self.named_rows, self.n_columns = hashing, named_rows, hashing.n_columns
        self._read = hashing.n_documents  # rows, in learning
        self._all_named = True
        self._unnamed: list[Any] = []  # strings of the first rows, whose n-grams are taken in together,
        self._naming: list[ReadAhead[Documents, None]] = []  # by another thread

    def read(self, strings: Any, *, learn: bool) -> Rows:
        if learn and self.hashing.names is not None:
            named = min(max(self.named_rows - self._read, 0), len(strings))
            self._read += len(strings)
            if named:
                self._unnamed.append(strings.head(named) if isinstance(strings, Strings) else strings[:named])
            if self._read >= self.named_rows:
                self._name()
            self._all_named &= named == len(strings)
        return self.hashing.read(Documents(strings))

    def _name(self) -> None:
        if self._unnamed:
            strings, self._unnamed = Documents(chained(self._unnamed)), []
            self._naming.append(ReadAhead(iter([strings]), self.hashing.learn_names, "rosenblatt-names"))

    def expect(self, rows: Sequence[Rows]) -> None:
        """Rows that were read, which are all that will be counted, as far as is known."""
        self.hashing.expect(rows)

    def count(self, rows: Rows, labels: Any) -> None:
        self.hashing.count(rows, labels)

    def weigh(self, rows: Rows, *, learn: bool, labels: Any = None) -> Rows:
        if learn:
            self.hashing.learn_and_weigh(rows, labels)
        else:
            self.hashing.weigh(rows)
        return rows

    def forget(self, rows: Rows, labels: Any) -> None:
        self.hashing.forget(rows, labels)

    def to_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        self._name()
        while self._naming:
            next(self._naming.pop())
        self.hashing.names_complete &= self._all_named
        plain, arrays = self.hashing.to_state()
        return {"hashing": plain, "named_rows": self.named_rows}, arrays

    def merge(self, other: TextColumn) -> None:
        """Add what another has learned from other text."""
        self.hashing.merge(other.hashing)
        self._read += other._read

    @classmethod
    def from_state(cls, plain: dict[str, Any], arrays: dict[str, Any], most_columns: int | None = None) -> TextColumn:
        from ..core.engine import threads

        schema.record(hashing=schema.named(), named_rows=schema.whole())(plain, "text")
        return cls(Hashing.from_state(plain["hashing"], arrays, threads(), most_columns), plain["named_rows"])


class Features:
    """What makes rows of numbers of blocks: an encoder of tables, or the format of rows that are numbers already.

    ``scaling`` brings the latter to scale; None: they stay as they are.
    """

    def __init__(self, encoder: Encoder | None, format: Any, scaling: UnitNorm | Standardised | None = None) -> None:
        self.encoder, self.format, self.scaling = encoder, format, scaling
        self.met = 0  # columns of rows that are numbers already

    @classmethod
    def of_table(
        cls: type[Own],
        columns: Columns,
        hashing: Callable[[], Hashing],
        *,
        named_rows: int = 2_000,
        standardise: bool = True,
        missing: str = "raise",
    ) -> Own:
        """For the columns of a table; ``hashing`` makes what hashes a text column, before it has met any text.

        Standardised numbers beside text are divided by the root of how many they are: all together they weigh as much
        as a text then, and do not drown it.
        """
        text = {name: TextColumn(hashing(), named_rows) for name in columns.text or ()}
        n_numbers = len(columns.numeric or ())
        encoder = Encoder(
            columns, text, standardise=bool(n_numbers) and standardise,
            number_weight=n_numbers**-0.5 if text and n_numbers else 1.0, missing=missing,
            dtype="float32" if text else "float64",
        )  # fmt: skip
        return cls(encoder, None)

    @property
    def has_text(self) -> bool:
        return self.encoder is not None and bool(self.encoder.columns.text)

    @property
    def is_text(self) -> bool:
        """Whether it is text and nothing else."""
        return self.encoder is not None and self.encoder.columns.features == [*(self.encoder.columns.text or ())]

    @property
    def is_supervised(self) -> bool:
        """Whether labels decide the rows: n-grams are weighed by the classes that have them."""
        texts: Any = {} if self.encoder is None else self.encoder.text
        return any(column.hashing.supervised for column in texts.values())

    @property
    def n_features(self) -> int:
        return self.met if self.encoder is None else self.encoder.n_features

    @property
    def means(self) -> RunningScale | Standardised | None:
        """What rows are standardised by; None: they are not."""
        if self.encoder is not None:
            return self.encoder.scale
        return self.scaling if isinstance(self.scaling, Standardised) else None

    @means.setter
    def means(self, means: Any) -> None:
        if self.encoder is not None:
            self.encoder.scale = means
        elif means is not None:
            self.scaling = means

    @property
    def dtype(self) -> Any:
        """Of the rows of a table."""
        assert self.encoder is not None
        return self.encoder.dtype

    def rows(self, block: Block, *, learn: bool) -> Csr:
        """The rows of a block; ``learn``: counts and means go on with them."""
        return self.weigh(self.read(block, learn=learn), learn=learn, labels=block.labels)

    # The two steps of it: the first may be taken ahead, in another thread.

    def read_ahead(self, blocks: Iterator[Block], *, learn: bool) -> ReadAhead[Block, tuple[Block, Read | Csr]]:
        """Each block without its columns, and what it holds: the next are read while the caller works on this one."""

        def apart(block: Block) -> tuple[Block, Read | Csr]:
            rest = Block(block.labels, block.lines, block.files, weights=block.weights, unit=block.unit)
            return rest, self.read(block, learn=learn)

        return ReadAhead(blocks, apart, "rosenblatt-encoder", AHEAD)

    def weigh_ahead(
        self,
        blocks: ReadAhead[Block, tuple[Block, Read | Csr]],
        look_at_labels: Callable[[Block], Any],
        dtype: Any,
        *,
        learn: bool,
    ) -> WeighAhead[tuple[Block, Read]]:
        """Each block of text, what it held, its rows, these looked at, and what its labels were seen to be.

        Rows are weighed while the caller learns from others: of text alone, whose counts can be taken back. What
        ``look_at_labels`` makes of a block has the labels as ``y``; the rows are looked at as numbers of this type.
        """
        from ..core.engine import admit

        encoder = self.encoder
        assert encoder is not None
        assert self.is_text
        supervised = any(column.hashing.supervised for column in encoder.text.values())  # type: ignore[attr-defined]

        def weigh(item: tuple[Block, Any]) -> tuple[Csr, Any, Any]:
            block, read = item
            seen = look_at_labels(block)
            csr = encoder.weigh(read, learn=learn, labels=seen.y if supervised and learn else None)
            with placed([block]):
                return csr, admit(csr, dtype), seen

        def forget(item: tuple[Block, Any]) -> None:
            if learn:
                encoder.forget(item[1], look_at_labels(item[0]).y if supervised else None)

        return WeighAhead(blocks, weigh, forget, AHEAD)  # type: ignore[arg-type]

    def read(self, block: Block, *, learn: bool) -> Read | Csr:
        """What a block holds, before anything that counts and means decide."""
        if self.encoder is not None:
            if block.columns is None:
                wanted = ", ".join(self.encoder.columns.features[:6])
                raise DataError(f"the model needs a table with the columns {wanted}", file=block.file(0))
            return self.encoder.read(block, learn=learn)
        if block.csr is None:
            raise DataError("the model needs numbered features, as svmlight has, not a table", file=block.file(0))
        return block.csr

    def weighed(self, reads: Sequence[Read | Csr], labels: Sequence[Any]) -> list[Csr]:
        """The rows of all that was read, and their labels, in training: by the means and counts of all of them."""
        if self.encoder is not None:
            for number, name in enumerate(self.encoder.columns.text or ()):
                rows = [read.text[number] for read in reads]  # type: ignore[union-attr]
                self.encoder.text[name].expect(rows)  # type: ignore[attr-defined]
        for read, own in zip(reads, labels):
            self.count(read, own)
        return [self.weigh(read, learn=False) for read in reads]

    def count(self, read: Read | Csr, labels: Any) -> None:
        """Learn from what was read, means and counts, and weigh nothing."""
        if not isinstance(read, Csr):
            assert self.encoder is not None
            self.encoder.count(read, labels)
            return
        self.met = max(self.met, read.n_features)
        if self.scaling is not None:
            self.scaling.learn_means(read)

    def weigh(self, read: Read | Csr, *, learn: bool, labels: Any = None) -> Csr:
        """The rows of what was read; ``learn``: counts and means go on with them, row by row."""
        if isinstance(read, Csr):
            if learn:
                self.met = max(self.met, read.n_features)
            rows = read if self.scaling is None else self.scaling.rows(read, learn=learn)
            return _clipped(rows, self.met)
        assert self.encoder is not None
        return self.encoder.weigh(read, learn=learn, labels=labels)

    def nbytes_of(self, read: Read | Csr) -> int:
        """Bytes that the rows of what was read take."""
        return self.scaling.nbytes(read) if self.scaling is not None and isinstance(read, Csr) else nbytes_of(read)

    def populate(self) -> None:
        """Allocate the memory of counts now, and not when it is first written to."""
        from ..core.engine import populate

        for column in self.encoder.text.values() if self.encoder is not None else ():
            counts = column.hashing.document_counts  # type: ignore[attr-defined]
            if counts is not None and counts.nbytes <= MOST_POPULATED:
                populate(counts)

    def leave_threads(self) -> None:
        """Read with three quarters of the threads, or all but one: the others learn and weigh meanwhile."""
        from ..core.engine import threads

        for column in self.encoder.text.values() if self.encoder is not None else ():
            column.hashing.n_threads = max(1, min(threads() - 1, 3 * threads() // 4))  # type: ignore[attr-defined]

    # ---- in a model ----------------------------------------------------------------------------------------------

    def to_section(self) -> Section:
        """Plain values and arrays for a model file."""
        if self.encoder is not None:
            plain, arrays = self.encoder.to_state()
            return {"table": plain, "categories": list(self.encoder.categories)}, arrays
        settings = {key: value for key, value in asdict(self.format).items() if key in ("zero_based", "bits")}
        plain = {"format": self.format.name, "settings": settings, "n_features": self.met}
        if self.scaling is None:
            return plain, {}
        arrays = {f"scale.{name}": array for name, array in self.scaling.to_arrays().items()}
        return {**plain, "scaling": self.scaling.name}, arrays

    @classmethod
    def of_section(cls: type[Own], section: Section, n_features: int | None = None) -> Own:
        """What ``to_section`` gave, as it was; refuses what does not make rows of so many columns (None: any)."""
        plain, arrays = section
        schema.named()(plain, SECTION)
        if "table" in plain:
            _TABLE(plain, SECTION)
            text = partial(TextColumn.from_state, most_columns=n_features)
            encoder = Encoder.from_state(plain["table"], arrays, text)
            encoder.categories.update(dict.fromkeys(plain["categories"]))
            made = cls(encoder, None)
        else:
            _NUMBERED(plain, SECTION)
            _FORMATS[plain["format"]](plain["settings"], f"{SECTION}.settings")
            made = cls(None, settings_of(plain["format"])(**plain["settings"]))
            made.met = plain["n_features"]
            if "scaling" in plain:
                own = {name.removeprefix("scale."): array for name, array in arrays.items()}
                made.scaling = SCALINGS[plain["scaling"]].from_arrays(own, made.met)
        schema.require(n_features is None or made.n_features == n_features, SECTION)
        return made

    def merge(self, other: Features) -> None:
        """Add what another has learned from other rows, after these: counts and means of both, names in order."""
        self.met = max(self.met, other.met)
        if self.encoder is not None and other.encoder is not None:
            self.encoder.merge(other.encoder)
        if self.scaling is not None:
            self.scaling.merge(other.scaling)  # type: ignore[arg-type]

    def keep_names_of(self: Own, rows: int) -> Own:
        """Keep the n-grams of this many rows by name; called before any text is read."""
        for column in self.encoder.text.values() if self.encoder is not None else ():
            assert isinstance(column, TextColumn)
            column.named_rows = rows
        return self


#: What formats of numbered features there are, and their settings.
_FORMATS = {
    "svmlight": schema.record(zero_based=schema.choice(True, False, "auto")),
    "vw": schema.record(bits=schema.whole(1, 32)),
}
_TABLE = schema.record(table=schema.named(), categories=schema.listed(schema.text))
_NUMBERED = schema.record(
    ("scaling",),
    format=schema.choice(*_FORMATS),
    settings=schema.named(),
    n_features=schema.whole(0, schema.MOST_COLUMNS),
    scaling=schema.choice(*SCALINGS),
)


def nbytes_of(read: Read | Csr) -> int:
    """Bytes of memory that rows take, before or after they are weighed."""
    if isinstance(read, Csr):
        return int(read.indptr.nbytes + read.indices.nbytes + read.data.nbytes)
    numeric = 0 if read.numeric is None else int(read.numeric.nbytes)
    categorical = 0 if read.categorical is None else nbytes_of(read.categorical)
    return numeric + categorical + sum(array.nbytes for rows in read.text for array in rows)


def merged(sections: Sequence[Section]) -> Section:
    """One section of several that were learned from different rows; one alone is returned as it is."""
    if len(sections) == 1:
        return sections[0]
    first, *others = (Features.of_section(section) for section in sections)
    for other in others:
        first.merge(other)
    return first.to_section()


def bits_for(n_texts: int, longest: int = 2) -> int:
    """As many columns for each text, of n-grams of so many words, as are of use.

    Or fewer, so that weights and sums, 12 bytes each, take 512 MB.
    """
    bits = MOST_BITS + (longest > 2)
    while bits > LEAST_BITS and 12 * n_texts << bits > 1 << 29:
        bits -= 1
    return bits


def _clipped(csr: Csr, n_features: int) -> Csr:
    """Rows among this many columns: features beyond, which have no weight, are left out."""
    if csr.n_features <= n_features:
        return csr.widened(n_features)
    kept = csr.indices < n_features
    ends = np.concatenate([[0], np.cumsum(kept)])[csr.indptr].astype(csr.indptr.dtype)
    return Csr(ends, csr.indices[kept], csr.data[kept], n_features)
