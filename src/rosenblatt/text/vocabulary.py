"""A vocabulary: the n-grams that were met, sorted, each a column."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..core import engine
from .analysis import STORED_ANALYSIS, Analysis, whole_number
from .documents import Documents
from .hashing import DTYPES, Rows, check_dtype
from .lexicon import Lexicon

Array = NDArray[Any]


class Vocabulary:
    """Documents to rows of counts by a vocabulary.

    Parameters
    ----------
    analysis : Analysis
        What the n-grams are.
    min_df : int or float, default=1
        Keep n-grams that at least so many documents have; a float is a share of the documents.
    max_df : int or float, default=1.0
        Keep n-grams that at most so many documents have; a float is a share of the documents.
    max_features : int or None, default=None
        Of these keep the most frequent, the first in order among equals.
    binary : bool, default=False
        1 for each n-gram that occurs, instead of how often.
    dtype : {"float32", "float64"}, default="float32"
        Type of the values.
    n_threads : int, default=1
        Threads that encode. The rows are the same for any number.
    """

    def __init__(
        self,
        analysis: Analysis,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        binary: bool = False,
        dtype: Any = "float32",
        n_threads: int = 1,
    ) -> None:
        _check_df("min_df", min_df)
        _check_df("max_df", max_df)
        if max_features is not None:
            whole_number("max_features", max_features, 1)
        if not isinstance(binary, (bool, np.bool_)):
            raise ValueError(f"binary must be True or False, got {binary!r}")
        self.analysis = analysis
        self.min_df, self.max_df, self.max_features = min_df, max_df, max_features
        self.binary, self.n_threads = bool(binary), n_threads
        self.dtype = check_dtype(dtype)
        self.lexicon = Lexicon.of([])
        self.is_fixed = False

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.lexicon)

    def learn(self, documents: Documents) -> None:
        """Find the n-grams of documents and keep those wanted, in the order of their code points."""
        if self.is_fixed:
            return
        texts, starts, n_with, n_times, _, n_documents = documents.read_by(
            engine.gather_ngrams, self.analysis.native, None, -1, True, self.n_threads
        )
        if len(starts) == 1:
            raise ValueError("the documents hold no n-grams: they are empty, or hold nothing but stop words")
        least, most = _times(self.min_df, n_documents), _times(self.max_df, n_documents)
        if most < least:
            raise ValueError(
                f"max_df={self.max_df!r} allows fewer documents than min_df={self.min_df!r} asks for: "
                f"{most:g} and {least:g} of {n_documents}"
            )
        kept = (n_with >= least) & (n_with <= most)
        if self.max_features is not None and kept.sum() > self.max_features:
            often = np.where(kept, n_with if self.binary else n_times, -1)
            kept = np.zeros(len(kept), dtype=bool)
            kept[np.argsort(-often, kind="stable")[: self.max_features]] = True
        if not kept.any():
            raise ValueError(
                f"no n-gram of the {n_documents} documents is left: min_df={self.min_df!r} and max_df={self.max_df!r} "
                f"keep those that {least:g} to {most:g} documents have; lower min_df or raise max_df"
            )
        self.lexicon = Lexicon(texts, starts).where(kept)

    def encode(self, documents: Documents) -> Rows:
        """Rows of documents; n-grams that are not in the vocabulary count nowhere."""
        encoding = ("binary" if self.binary else "count", False, self.dtype, self.n_threads)
        return documents.read_by(engine.look_up_text, self.analysis.native, encoding, self.lexicon.native)

    def learn_then_encode(self, documents: Documents) -> Rows:
        """Learn from all the documents, then encode them."""
        self.learn(documents)
        return self.encode(documents)

    def column_names(self) -> Array:
        """The n-grams, in the order of their columns."""
        return np.array(self.lexicon.names(), dtype=object)

    def set_names(self, names: Iterable[str] | Mapping[str, int]) -> None:
        """Take this vocabulary: n-grams in order, or their columns, which must be 0 to n - 1."""
        if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
            raise ValueError(f"vocabulary must be a list of n-grams, or a dict of their columns; got {names!r}")
        if isinstance(names, Mapping):
            if sorted(names.values()) != list(range(len(names))):
                raise ValueError(f"the columns of the vocabulary must be 0 to {len(names) - 1}, each once")
            ordered = sorted(names, key=lambda name: names[name])
        else:
            ordered = sorted(names) if isinstance(names, (set, frozenset)) else list(names)
        if not ordered:
            raise ValueError("the vocabulary is empty")
        for name in ordered:
            if not isinstance(name, str):
                raise ValueError(f"the vocabulary must hold strings, got {name!r}")
        if len(set(ordered)) < len(ordered):
            twice = next(name for name in ordered if ordered.count(name) > 1)
            raise ValueError(f"{twice!r} is twice in the vocabulary")
        try:
            self.lexicon = Lexicon.of(ordered)
            self.is_fixed = True
        except UnicodeEncodeError as error:
            raise ValueError(f"{error.object!r} of the vocabulary holds a lone surrogate, which is not text") from None

    # ---- state ---------------------------------------------------------------------------------------------------

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Settings as plain values, and arrays: all that :meth:`from_state` needs."""
        plain = self.analysis.stored() | {name: getattr(self, name) for name in _MADE_WITH}
        return plain, self.lexicon.to_state()

    @classmethod
    def from_state(cls, plain: dict[str, Any], arrays: dict[str, Array], n_threads: int = 1) -> Vocabulary:
        """What :meth:`to_state` gave, as it was; refuses, by ValueError, what does not fit together."""
        schema.record(**STORED_ANALYSIS, **_MADE_WITH)(plain, "vocabulary")
        options = {name: plain[name] for name in _MADE_WITH}
        made = cls(Analysis.of_settings(plain["analysis"]), **options, n_threads=n_threads)
        made.lexicon = Lexicon.of_state(arrays)
        assert made.lexicon.native  # which refuses n-grams that are not all different
        return made


#: What it is made with, besides the analysis.
_MADE_WITH = {
    "min_df": schema.real(0),
    "max_df": schema.real(0),
    "max_features": schema.optional(schema.whole(1, None)),
    "binary": schema.flag,
    "dtype": schema.choice(*DTYPES),
}


def _check_df(name: str, value: Any) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    share = isinstance(value, numbers.Real) and not isinstance(value, (bool, numbers.Integral))
    if not (whole and value >= 1) and not (share and 0 <= value <= 1):
        raise ValueError(f"{name} must be a whole number of documents >= 1, or a share from 0.0 to 1.0; got {value!r}")


def _times(value: Any, n_documents: int) -> float:
    return float(value) if isinstance(value, numbers.Integral) else float(value) * n_documents
