"""Models that read raw text: the transformer that made their rows travels with them, in a section of the model file.

That of hashed text is the section that the command line writes for a table of one text column: each reads the other's.
"""

from __future__ import annotations

from typing import Any

from .. import schema
from ..core import engine
from ..data import Columns
from ..data.features import Features
from ..model_files import Section
from ..text import Vocabulary
from .text import BagOfWords, HashedText

#: Sections of a model file: hashed columns of a table, and a vocabulary.
HASHED, BAG = "features", "bag_of_words"
#: The column of a table that the command line reads.
COLUMN = "text"


def is_text(X: Any) -> bool:
    """Whether X is a column of text, and not rows of numbers."""
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], (str, bytes))
    if hasattr(X, "columns") or engine.is_sparse(X) or len(getattr(X, "shape", (0,))) != 1:
        return False
    kind = getattr(getattr(X, "dtype", None), "kind", "O")
    arrow = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    return kind in "OUST" and (arrow or hasattr(X, "dtype"))


def with_text(extras: dict[str, Section], text: Any, n_features: int) -> dict[str, Section]:
    """Sections of a model file with that of a fitted transformer; one that was there keeps its settings."""
    if not isinstance(text, (HashedText, BagOfWords)):
        raise TypeError(f"text must be a HashedText or a BagOfWords, got {type(text).__name__}")
    core = text._fitted
    if core.n_columns != n_features:
        raise ValueError(f"text makes rows of {core.n_columns} columns, and the model has weights for {n_features}")
    plain, arrays = core.to_state()
    rest = {name: section for name, section in extras.items() if name not in (HASHED, BAG)}
    if isinstance(text, BagOfWords):
        return {**rest, BAG: ({"vocabulary": plain}, arrays)}
    table: dict[str, Any] = {
        "columns": Columns(text=(COLUMN,)).to_dict(), "standardise": False, "bits": 18, "missing": "raise",
        "dtype": core.dtype, "text": {COLUMN: {"named_rows": 0}},
    }  # fmt: skip
    if HASHED in extras and _reads_text_alone(extras[HASHED]):
        table = extras[HASHED][0]["table"]
    [(column, own)] = table["text"].items()
    table = {**table, "text": {column: {**own, "hashing": plain}}}
    arrays = {f"text.0.{name}": array for name, array in arrays.items()}
    return {**rest, HASHED: ({"table": table, "categories": []}, arrays)}


def transformer_of(extras: dict[str, Section], n_features: int) -> HashedText | BagOfWords | None:
    """The transformer of a model that reads text and nothing else; None: it is no such model.

    It takes documents, whatever took paths of files before it was saved: a file does not decide what is read.
    """
    made: HashedText | BagOfWords | None = None
    if BAG in extras:
        plain, arrays = extras[BAG]
        schema.record(vocabulary=schema.named())(plain, BAG)
        made = BagOfWords._of(Vocabulary.from_state(plain["vocabulary"], arrays, engine.threads()))
        schema.require(made._core.n_columns == n_features, BAG)
    if HASHED in extras:
        features = Features.of_section(extras[HASHED], n_features)  # refuses what the command line would
        columns: Any = [] if features.encoder is None else [*features.encoder.text.values()]
        if features.is_text and len(columns) == 1 and made is None:
            made = HashedText._of(columns[0].hashing)
    return made


def _reads_text_alone(section: Section) -> bool:
    table = section[0].get("table")
    return table is not None and len(table["text"]) == 1 == len(Columns(**table["columns"]).features)
