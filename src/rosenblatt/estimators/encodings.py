"""What made the rows of a model (columns of a table, or text) travels with it, in a section of the model file.

The section of a table is that of the command line: each reads the other's. So a loaded model takes what it was trained
on, and makes rows of it as they were made in training.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import schema
from ..core import engine
from ..data import Block, Columns, Csr, Encoder
from ..data.encoder import MOST_CATEGORIES, TRUTHS, Read, hash_names
from ..data.features import SECTION as TABLE
from ..data.features import Features, TextColumn
from ..data.frames import block_of_matrix, block_of_table, is_table
from ..data.numbered import Standardised
from ..errors import DataError, keyword
from ..model_files import Section
from ..model_files.onnx import Table
from ..text import Documents, Vocabulary
from .text import BagOfWords, HashedText

if TYPE_CHECKING:
    from ..data import Data

#: The section of a vocabulary.
BAG = "bag_of_words"
#: The column of a table that the command line reads the text of a Python model from.
COLUMN = "text"


def encoding_of(extras: dict[str, Section], n_features: int) -> Encoding | None:
    """What makes rows of so many columns, from the sections of a model file; None: rows come as numbers."""
    if BAG in extras:
        plain, arrays = extras[BAG]
        schema.record(vocabulary=schema.named())(plain, BAG)
        words = BagOfWords._of(Vocabulary.from_state(plain["vocabulary"], arrays, engine.threads()))
        schema.require(words._core.n_columns == n_features, BAG)
        return Encoding(None, words)
    if TABLE not in extras:
        return None
    features = Features.of_section(extras[TABLE], n_features)  # refuses what the command line would
    if features.encoder is None:
        return None if features.scaling is None else NumberedEncoding(features)
    return Encoding(features)


class Encoding:
    """What makes rows of numbers of what a model was trained on; it changes nothing that it holds.

    Parameters
    ----------
    features : Features or None
        The columns of a table; None: text by a vocabulary.
    text : HashedText, BagOfWords or None
        What reads a model's only column, of text; None: it is made of the features.
    """

    def __init__(self, features: Features | None, text: HashedText | BagOfWords | None = None) -> None:
        self.features, self.text = features, text
        if features is not None and text is None and features.is_text and len(self.encoder.text) == 1:
            self.text = HashedText._of(self._text_column().hashing)

    @classmethod
    def of_text(cls, text: Any, n_features: int, before: Encoding | None) -> Encoding:
        """That of a fitted transformer; the column is called as before, if text was read before."""
        if not isinstance(text, (HashedText, BagOfWords)):
            raise TypeError(f"text must be a HashedText or a BagOfWords, got {type(text).__name__}")
        core = text._fitted
        if core.n_columns != n_features:
            raise ValueError(f"text makes rows of {core.n_columns} columns, and the model has weights for {n_features}")
        if isinstance(text, BagOfWords):
            return cls(None, text)
        columns, named_rows = Columns(text=(COLUMN,)), 0
        if before is not None and isinstance(before.text, HashedText):
            columns, named_rows = before.encoder.columns, before._text_column().named_rows
        [name] = columns.text or ()
        encoder = Encoder(columns, {name: TextColumn(core, named_rows)}, dtype=core.dtype)
        return cls(Features(encoder, None), text)

    @property
    def encoder(self) -> Encoder:
        """The encoder of a table."""
        assert self.features is not None
        assert self.features.encoder is not None
        return self.features.encoder

    def _text_column(self) -> Any:
        """The only column, of text, with what its transformer has learned meanwhile."""
        [column] = self.encoder.text.values()
        if self.text is not None:
            column.hashing = self.text._fitted  # type: ignore[attr-defined]
        return column

    def into(self, extras: dict[str, Section]) -> dict[str, Section]:
        """Sections of a model file, with that of this encoding in the place of another."""
        rest = {name: section for name, section in extras.items() if name not in (TABLE, BAG)}
        if self.features is not None:
            return {**rest, TABLE: self._section()}
        assert self.text is not None
        plain, arrays = self.text._fitted.to_state()
        return {**rest, BAG: ({"vocabulary": plain}, arrays)}

    def _section(self) -> Section:
        assert self.features is not None
        if self.text is not None:
            self._text_column()
        return self.features.to_section()

    def as_graph(self) -> Table:
        """What an ONNX graph needs to make the rows; refuses what ONNX cannot express."""
        columns = self.encoder.columns if self.features is not None else None
        if columns is None or columns.text:
            raise ValueError(
                "ONNX has no operator that reads text as this model does; export_onnx(…, encoded=True) writes a graph "
                "of the rows that text_ or encoder_ makes of it"
            )
        met, scale = list(self.encoder.categories), self.encoder.scale
        if len(met) >= MOST_CATEGORIES:
            raise ValueError(f"the model has met {MOST_CATEGORIES:,} categories or more, and so many are not named")
        numeric, categories = list(columns.numeric or ()), {}
        for name in columns.categorical or ():
            pairs = [pair for pair in met if pair.startswith(f"{name}=")]
            places = len(numeric) + hash_names(pairs).astype(np.int64) % (1 << self.encoder.bits)
            met_values = dict(zip((pair[len(name) + 1 :] for pair in pairs), places.tolist()))
            truths = {other: met_values[value] for other, value in TRUTHS.items() if value in met_values}
            categories[name] = met_values | truths
        table = Table(numeric, absent=self.encoder.missing == "absent", categories=categories)
        table.dates = list(columns.dates or ())
        if scale is not None:
            table.mean, table.deviation = scale.mean, np.sqrt(np.maximum(scale.variance, 0))
        return table

    # ---- rows ----------------------------------------------------------------------------------------------------

    def rows(self, X: Any) -> Any:
        """The rows of what the model was trained on; what is encoded already is returned as it is."""
        [rows] = self.parts(X, None)
        return rows

    def parts(self, X: Any, most: int | None) -> Iterator[Any]:
        """The same, of a table at most so many at a time: encoded they take several times its memory."""
        if self.text is not None and is_text(X):
            yield self.text.transform(X)
            return
        block = self._block(X)
        if block is None:
            yield X
            return
        if self.text is not None:
            self._text_column()
        n = max(1, len(block))
        for start in range(0, n, most or n):
            lines = block.lines[start : start + (most or n)]
            part = replace(block, lines=lines, columns=block.columns.slice(start, len(lines)))
            try:
                yield _encoded(self.encoder, part, learn=False).to_scipy()
            except DataError as error:
                raise error if error.row is None else error.at(row=start + error.row) from None

    def learn_rows(self, X: Any, y: Any) -> tuple[Encoding, Any]:
        """The rows of X, labelled y, as a stream makes them, and the encoding that has counted them.

        This one stays as it is.
        """
        if self.features is None:  # a vocabulary learns nothing more
            return self, self.rows(X)
        features = Features.of_section(self._section())
        encoder = features.encoder
        assert encoder is not None
        if self.text is not None and is_text(X):
            [column] = encoder.text.values()
            strings = Documents(X, self.text.input).column
            csr = encoder.weigh(Read(None, None, [column.read(strings, learn=True)]), learn=True, labels=y)
        else:
            block = self._block(X)
            if block is None:
                return self, X
            csr = _encoded(encoder, replace(block, labels=y), learn=True)
        features.to_section()  # which waits until the names of n-grams are kept
        if self.text is None:
            return Encoding(features), csr.to_scipy()
        [column] = encoder.text.values()
        text = self.text._shell()
        text._core = column.hashing  # type: ignore[attr-defined]
        return Encoding(features, text), csr.to_scipy()

    def _block(self, X: Any) -> Block | None:
        """The rows as a table; None: they are encoded already. What could be neither is refused."""
        if self.features is None:
            return None
        columns = self.encoder.columns
        if is_table(X):
            return block_of_table(X, columns, self.encoder.categories)
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        hashed = bool(columns.categorical or columns.text)
        if len(shape) == 2 and shape[1] == (self.features.n_features if hashed else len(columns.numeric or ())):
            return None if hashed else block_of_matrix(X, columns)
        names = columns.features
        told = ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
        what = "text" if is_text(X) else type(X).__name__
        if len(shape) == 2:
            what = f"{shape[1]} column{'s' * (shape[1] != 1)} without names"
        texts = "a list of str, " if self.text is not None else ""
        remedy = f"give {texts}a frame, or a list of dicts"
        raise DataError(f"the model needs the columns {told}, and X is {what}", remedy)


class NumberedEncoding(Encoding):
    """What brings rows of numbered features, as svmlight has them, to the scale that a model was trained on."""

    def as_graph(self) -> Table:
        assert self.features is not None
        n, scaling = self.features.n_features, self.features.scaling
        table = Table([str(column) for column in range(n)])
        if isinstance(scaling, Standardised):
            table.mean, table.deviation = np.zeros(n), np.zeros(n)
            table.mean[scaling.columns] = scaling.scale.mean
            table.deviation[scaling.columns] = np.sqrt(np.maximum(scaling.scale.variance, 0))
        else:
            table.unit_norm = True
        return table

    def parts(self, X: Any, most: int | None) -> Iterator[Any]:
        csr = self._csr(X)
        if csr is None:
            yield X
            return
        n = max(1, csr.shape[0])
        for start in range(0, n, most or n):
            part = csr.rows(start, min(start + (most or n), csr.shape[0]))
            assert self.features is not None
            yield self.features.weigh(part, learn=False).to_scipy()

    def learn_rows(self, X: Any, y: Any) -> tuple[Encoding, Any]:
        csr = self._csr(X)
        if csr is None:
            return self, X
        features = Features.of_section(self._section())
        return NumberedEncoding(features), features.weigh(csr, learn=True).to_scipy()

    def _csr(self, X: Any) -> Csr | None:
        """The rows; None: X is not rows of as many finite numbers, and what learns from it says what is wrong."""
        assert self.features is not None
        if isinstance(X, Csr):  # of a file, among any columns
            return X
        try:
            csr = _csr_of(X) if engine.is_sparse(X) else Csr.of_dense(np.asarray(X, np.float64))
        except (TypeError, ValueError):
            return None
        return csr if csr.n_features == self.features.n_features and np.isfinite(csr.data).all() else None


def rows_of_files(
    data: Data, learner: Any, names: Any, encoding: Encoding | None, extras: dict[str, Section] | None
) -> Any:
    """What was read from files as a model takes it to predict: a table, or numbered rows, as the command takes them.

    Columns that do not occur in the files are zeros, those that the model has not met count for nothing. Indices that
    were counted otherwise than in training would stand for other columns, and are refused.
    """
    file = data.file(0)
    if data.csr is None:
        return data.table
    if learner.space == "kernel" and learner.kernel.name == "precomputed":
        raise DataError("the model has a precomputed kernel, whose values cannot be read from files", file=file)
    numbered = encoding is None or isinstance(encoding, NumberedEncoding)
    if names is not None or not numbered:
        wanted = names if encoding is None or encoding.features is None else encoding.encoder.columns.features
        shown = ", ".join(map(str, (wanted or [COLUMN])[:6]))
        raise DataError(f"the model needs a table with the columns {shown}", file=file)
    features = None if encoding is None else encoding.features
    if features is None and TABLE in (extras or {}):
        features = Features.of_section((extras or {})[TABLE])
    if features is None:  # the model does not say what it was trained on
        features = Features(None, data.format)
        features.met = learner.n_features
    _check_settings(features.format, data.format, file)
    csr = replace(data.csr, data=data.csr.data.astype(np.float64, copy=False))
    return csr if encoding is not None else features.weigh(csr, learn=False).to_scipy()


def _check_settings(trained: Any, read: Any, file: str) -> None:
    """Refuse rows of another format than those of training, or whose columns were counted otherwise."""
    if trained.name != read.name:
        raise DataError(f"these are rows of {read.name}, and the model was trained on {trained.name}", file=file)
    for name in ("zero_based", "bits"):
        theirs, own = (getattr(format, name, "auto") for format in (trained, read))
        if theirs != own and "auto" not in (theirs, own):
            problem = f"the rows were read with {keyword(name, own)}, and those of training with {theirs}"
            raise DataError(problem, "read them with {}", file=file, parameter=name, value=theirs)


def _csr_of(X: Any) -> Csr:
    """The rows of a sparse matrix, each of its entries once."""
    engine.check_sparse(X)
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Csr(X.indptr, X.indices, X.data.astype(np.float64, copy=False), X.shape[1])


def _encoded(encoder: Encoder, block: Block, learn: bool) -> Csr:
    try:
        return encoder.encode(block, learn=learn)
    except DataError as error:
        if error.parameter == "missing":  # of the command and of the encoder, not of estimators
            error.at(remedy="fill it in, or set encoder_.missing = 'absent'", parameter=None)
        raise


def is_text(X: Any) -> bool:
    """Whether X is a column of text, and not rows of numbers."""
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], (str, bytes))
    if hasattr(X, "columns") or engine.is_sparse(X) or len(getattr(X, "shape", (0,))) != 1:
        return False
    kind = getattr(getattr(X, "dtype", None), "kind", "O")
    arrow = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    return kind in "OUST" and (arrow or hasattr(X, "dtype"))
