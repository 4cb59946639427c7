"""Text transformers: scikit-learn's contract over :mod:`rosenblatt.text`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError

from ..text.analysis import Analysis
from ..text.documents import Documents
from ..text.hashing import Hashing, Rows, threads
from ..text.vocabulary import Vocabulary
from .contract import parameters
from .locking import Locked, reads, writes
from .shared import TEXT_PARAMETERS, entries_of, with_entries

Array = NDArray[Any]
M = TypeVar("M", bound=Callable[..., Any])


_DOCUMENTS = """Parameters
----------
X : list, array, Series or Arrow column of text; or files, by ``input``
    The documents.
y : array-like or None
    The labels of the documents, which ``supervised`` needs; else not used."""


def _documented(method: M) -> M:
    """Fill in what the methods take, the same in all."""
    taken = _DOCUMENTS if "y" in inspect.signature(method).parameters else _DOCUMENTS.partition("\ny :")[0]
    method.__doc__ = (inspect.getdoc(method) or "").replace("{documents}", taken)
    return method


# No set_output: frames have no place for so many columns, nearly all zero.
@parameters
class TextTransformer(TransformerMixin, Locked, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """What both transformers share: how documents are read, and rows as a CSR matrix."""

    ngrams: tuple[int, int] = (1, 1)
    analyzer: str = "word"
    lowercase: bool = True
    min_length: int = 2
    symbols: bool = False
    stop_words: Any = None
    negations: Any = None
    input: str = "content"
    decode_error: str = "strict"
    dtype: Any = np.float32
    n_jobs: int | None = -1

    _learns_in = ("_core",)
    _makes: ClassVar[Any]  # its core, ``Hashing`` or ``Vocabulary``,
    _settings: ClassVar[tuple[str, ...]]  # and the parameters that are the core's own

    def _new(self) -> Any:
        """A core that has learned nothing yet; refuses parameters that make none."""
        own = {name: getattr(self, name) for name in self._settings}
        analysis = Analysis(**{field.name: getattr(self, field.name) for field in fields(Analysis) if field.init})
        return self._makes(analysis, **own, dtype=self.dtype, n_threads=threads(self.n_jobs))

    @classmethod
    def _of(cls, core: Any) -> Any:
        """A fitted transformer of what its core has learned, as a model file gives it back."""
        own = {name: getattr(core, name) for name in cls._settings}
        made = cls(**core.analysis.settings(), **own, dtype=np.dtype(core.dtype).type)
        made._core = core
        return made

    @property
    def _is_stateless(self) -> bool:
        """Whether there is nothing to learn from documents."""
        raise NotImplementedError

    def _labels(self, y: Any) -> tuple[Any, ...]:
        """The labels, for a core that learns from them."""
        return ()

    @property
    def _fitted(self) -> Any:
        if "_core" in self.__dict__:
            return self._core
        new = self._new()
        if self._is_stateless:
            return new
        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
            "using this estimator."
        )

    @_documented
    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn from documents what their rows need: counts, names or a vocabulary.

        {documents}

        Returns
        -------
        self
        """
        new = self._new()
        new.learn(Documents(X, self.input), *self._labels(y))
        self._core = new
        return self

    @reads
    @_documented
    def transform(self, X: Any) -> Any:
        """Rows of documents, by what was learned.

        {documents}

        Returns
        -------
        csr_matrix of shape (n_documents, n_columns)
        """
        core = self._fitted
        return _matrix(core.encode(Documents(X, self.input)), core.n_columns)

    @_documented
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit``, then ``transform`` of the same documents.

        {documents}

        Returns
        -------
        csr_matrix of shape (n_documents, n_columns)
        """
        new = self._new()
        rows = new.learn_then_encode(Documents(X, self.input), *self._labels(y))
        self._core = new
        return _matrix(rows, new.n_columns)

    @reads
    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """A name for each column.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of str
            The n-gram of the column. Of hashed text several are joined by " | ", and where none is known it is "#" and
            the column's number; ``names_of`` is quicker for a few.
        """
        return self._fitted.column_names()  # type: ignore[no-any-return]

    def __sklearn_is_fitted__(self) -> bool:
        return "_core" in self.__dict__ or self._is_stateless

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = not self._is_stateless
        return tags


def _matrix(rows: Rows, n_columns: int) -> Any:
    starts, columns, values = rows
    if starts.dtype != columns.dtype:
        columns = columns.astype(starts.dtype)
    return sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, n_columns))


@with_entries(entries_of(Analysis, Hashing) | TEXT_PARAMETERS)
@parameters
class HashedText(TextTransformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Text to sparse rows by hashing: streaming, without a vocabulary.

    An n-gram counts in the column ``hash mod 2**bits``. The hash of a word is MurmurHash3_x86_32 with seed 0 of its
    UTF-8 bytes, that of several words is made from theirs. The value of a column is ``weight(n) · idf / norm``, with
    ``supervised`` times the root of its log-count ratio.

    Parameters
    ----------
    ngrams : (int, int), default=(1, 2)
        The shortest and the longest n-grams.
    {parameters}

    Attributes
    ----------
    n_documents_ : int
        Documents that were counted.
    n_names_ : int
        N-grams that were kept, with ``keep_names=True``.
    n_collisions_ : int
        Columns where two or more different n-grams were met, with ``keep_names=True``.
    names_complete_ : bool
        Whether every n-gram that was met was kept, with ``keep_names=True``.

    Notes
    -----
    Without ``idf``, ``supervised`` and ``keep_names`` there is nothing to fit: ``transform`` works at once. With them,
    ``fit`` counts all documents, ``partial_fit`` counts more of them, and ``transform`` weighs by the counts so far.

    With ``supervised`` the weight of a column has the factor √(max over classes j of abs r_j), where r_j =
    ln((c_j + 1)/(N_j + 1)) − ln((d − c_j + 1)/(N − N_j + 1)) and c_j of the N_j documents of class j have the column:
    the log-count ratio of Wang and Manning (2012) of each class against all others, tempered by the root. Of the
    classes without the column the largest is asked; of a small one the 1 that is added would say all.

    In a stream use ``partial_fit_transform``: it counts each document, itself included, before it weighs it and goes
    to the next, so that the rows are the same in whatever pieces the stream comes.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> text = rb.text.HashedText(keep_names=True)
    >>> text.fit_transform(["movie good", "movie bad", "not good"]).shape
    (3, 4194304)
    >>> [name for name, column, value in text.features("not good")]
    ['not', 'not good', 'good']
    """

    ngrams: tuple[int, int] = (1, 2)
    bits: int = 22
    weighting: str = "log"
    idf: bool = False
    norm: str | None = "l2"
    supervised: bool = False
    characters: tuple[int, int] | None = None
    keep_names: bool = False
    max_names: int | None = None

    _makes = Hashing
    _settings = ("bits", "weighting", "idf", "norm", "supervised", "characters", "keep_names", "max_names")

    @property
    def _is_stateless(self) -> bool:
        return not (self.idf or self.supervised or self.keep_names)

    def _labels(self, y: Any) -> tuple[Any, ...]:
        return (y if self.supervised else None,)

    @writes
    @_documented
    def partial_fit(self, X: Any, y: Any = None) -> HashedText:
        """Count more documents and keep their n-grams; before or after rows are made, as one likes.

        {documents}

        Returns
        -------
        self
        """
        hashing = self.__dict__.get("_core") or self._new()
        hashing.learn(Documents(X, self.input), *self._labels(y))
        self._core = hashing
        return self

    @writes
    @_documented
    def partial_fit_transform(self, X: Any, y: Any = None) -> Any:
        """Count each document, then weigh it by the counts so far, then the next: for streams, in pieces of any size.

        {documents}

        Returns
        -------
        csr_matrix of shape (n_documents, 2**bits)
        """
        hashing = self.__dict__.get("_core") or self._new()
        rows = hashing.learn_and_encode(Documents(X, self.input), *self._labels(y))
        self._core = hashing
        return _matrix(rows, hashing.n_columns)

    # ---- names ---------------------------------------------------------------------------------------------------

    @reads
    def features(self, text: str) -> list[tuple[str, int, float]]:
        """What one document consists of.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        list of (str, int, float)
            N-gram, column and value of each n-gram, in the order they come first. Names need not have been kept.
        """
        return self._fitted.features(text)  # type: ignore[no-any-return]

    @reads
    def names_of(self, columns: Iterable[int]) -> list[list[str]]:
        """The n-grams that were met in columns, with ``keep_names=True``.

        Parameters
        ----------
        columns : iterable of int
            The columns.

        Returns
        -------
        list of list of str
            Those of each column, in the order they came: none where none was met, several where they collide.
        """
        return self._fitted.names_of(columns)  # type: ignore[no-any-return]

    @reads
    def collisions(self) -> dict[int, list[str]]:
        """Columns where two or more different n-grams were met, with these; with ``keep_names=True``.

        Returns
        -------
        dict of int to list of str
        """
        return self._fitted.collisions()  # type: ignore[no-any-return]

    @property
    @reads
    def n_documents_(self) -> int:
        """Documents that were counted."""
        return self._state.n_documents

    @property
    @reads
    def n_names_(self) -> int:
        """N-grams that were kept."""
        return self._state.n_names

    @property
    @reads
    def n_collisions_(self) -> int:
        """Columns where two or more different n-grams were met."""
        _, n_names = np.unique(self._state.named_columns()[0], return_counts=True)
        return int((n_names > 1).sum())

    @property
    @reads
    def names_complete_(self) -> bool:
        """Whether every n-gram that was met was kept."""
        return self._state.names_complete

    @property
    def _state(self) -> Hashing:
        if "_core" not in self.__dict__:
            raise AttributeError("this is there after fit")
        return self._core  # type: ignore[no-any-return]


@with_entries(entries_of(Analysis, Vocabulary) | TEXT_PARAMETERS)
@parameters
class BagOfWords(TextTransformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Text to sparse rows of counts by a vocabulary: a column for each n-gram that was met, in alphabetical order.

    The columns and counts of scikit-learn's ``CountVectorizer`` with the same options.

    Parameters
    ----------
    {parameters}
    vocabulary : iterable of str, dict or None, default=None
        The n-grams, in the order of their columns, or with their columns. None: those of the documents.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each n-gram.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> words = rb.text.BagOfWords(ngrams=(1, 2))
    >>> words.fit_transform(["good", "not good", "not bad"]).toarray().astype(int).tolist()
    [[0, 1, 0, 0, 0], [0, 1, 1, 0, 1], [1, 0, 1, 1, 0]]
    >>> words.get_feature_names_out().tolist()
    ['bad', 'good', 'not', 'not bad', 'not good']
    """

    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    binary: bool = False
    vocabulary: Any = None

    _makes = Vocabulary
    _settings = ("min_df", "max_df", "max_features", "binary")

    def _new(self) -> Vocabulary:
        new = super()._new()
        if self.vocabulary is not None:
            new.set_names(self.vocabulary)
        return new  # type: ignore[no-any-return]

    @property
    def _is_stateless(self) -> bool:
        return self.vocabulary is not None

    @property
    @reads
    def vocabulary_(self) -> dict[str, int]:
        """The column of each n-gram; made when read."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError("vocabulary_ is there after fit")
        return {name: column for column, name in enumerate(self._fitted.lexicon.names())}
