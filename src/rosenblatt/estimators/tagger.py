"""The tagger: the perceptron family on sentences."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ..core import progress
from ..core.checks import check_number
from ..core.spaces.sequences.learner import SequenceLearner
from ..core.spaces.sequences.rows import SentenceRows
from ..core.spec import ALGORITHMS, Spec
from ..core.verdicts import SEPARATED
from ..errors import DataError
from ..sequences import TokenEncoder, steps, tagging
from ..sequences.encoding import SECTION
from ..sequences.sentences import Sentences, lists_of
from ..tracing.sentence_record import SentenceTrace
from .contract import FittedState
from .locking import reads, writes
from .shared import published

Array = NDArray[Any]


@published
class SequenceTagger(FittedState):
    """A tag for each token of a sentence: the structured perceptron, by every rule and readout of the family.

    A sequence of tags scores the sum of the weights of each token's features with its tag, and of each tag with those
    before it. The best sequence is found by Viterbi's search. On a mistake (or a small margin, as the rule says) the
    weights move by a multiple of the difference between the features of the right sequence and those of its rival.

    Parameters
    ----------
    rule : Rule or None, default=None
        How far to move (``rb.rules``): the perceptron, PA, PA-I, PA-II, MIRA, or a second-order rule; None: PA-I.
    readout : {"last", "averaged", "pocket"}, default="averaged"
        Which weights are the model.
    order : {1, 2}, default=1
        How many tags before a token count.
    features : "words", "chunking", templates, or None, default="words"
        What the features of a token are: the built-in set, made of its word, the words around it and further columns;
        the templates of CRFsuite's chunking example; templates in the manner of CRF++, as text or lines
        (``U05:%x[-1,0]/%x[0,0]``); or None: tokens are dicts or lists of their features by name, as python-crfsuite
        takes them.
    bits : int, default=24
        Features are hashed into 2**bits columns; memory grows with those that are met.
    constraints : {"seen", "bio", "bioes"} or None, default=None
        Which tag may follow which: any; those that did in training; or what the scheme of phrases allows. A sentence
        that no allowed sequence fits (shorter than any seen, say) is tagged without constraints.
    cost : {"hamming", "sqrt", "one"}, default="hamming"
        What a rival costs in the loss ``ρ − margin``: how many of its tags are wrong, the square root of that, or 1.
    ratchet : bool, default=True
        Of the readout "pocket": replace the weights in the pocket only by such as get strictly more sentences right.
    {shared}

    References
    ----------
    Collins (2002), "Discriminative training methods for hidden Markov models"; Crammer et al. (2006), section 9;
    McDonald, Crammer & Pereira (2005) for MIRA.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X = [["the", "cat", "sat"], ["a", "dog", "slept"], ["the", "dog", "sat"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> tagger = rb.SequenceTagger(random_state=0).fit(X, y)
    >>> tagger.predict([["a", "cat", "slept"]]), tagger.verdict_
    ([['DET', 'NOUN', 'VERB']], 'separated')
    """

    _learner: SequenceLearner
    _encoder: TokenEncoder
    _sections: dict[str, Any]  # of the file it was loaded from, which go into the next one
    classes_: Array

    features: Any
    bits: int
    constraints: str | None
    verbose: int

    _algorithm: ClassVar[str]
    undecided_warning: ClassVar[type[Warning]] = ConvergenceWarning
    _learns_in = ("_learner", "_encoder", "random_state")

    def spec(self) -> Spec:
        """The learner that the parameters stand for: rule, readout, space, and how its run goes.

        Returns
        -------
        Spec
            Checked: parameters that make no learner are refused.
        """
        defaults = ALGORITHMS[self._algorithm].defaults
        return Spec.of(self._algorithm, {name: getattr(self, name) for name in defaults})

    # ---- learning ------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> SequenceTagger:
        """Learn from sentences and their tags.

        Parameters
        ----------
        X : list of sentences, or Sentences
            Each a list (or array, Series, iterator) of tokens: words, tuples or lists of the strings of columns; with
            ``features=None`` dicts or lists of features by name.
        y : list of lists of str
            The tag of each token.

        Returns
        -------
        self
            The fitted tagger.
        """
        run = self._prepared(X, y)
        run.fit(
            progress=progress.printer(self.verbose), name=type(self).__name__, warning=self.undecided_warning,
        )  # fmt: skip
        self._lock.write(self._take, run.learner, run.encoder, run.tags, _sections={})
        return self

    def _prepared(self, X: Any, y: Any) -> tagging.TaggingRun:
        """All that ``fit`` does before the first step."""
        spec, encoder = self.spec(), TokenEncoder(self.features, self.bits)
        rows, labels = self._examples(encoder, X, y)
        tags = sorted(set(labels))
        if len(tags) < 2:
            raise DataError(
                f"all tokens have the one tag {tags[0]!r}",
                "fit needs two tags at least (partial_fit takes a stream that holds one so far)",
            )
        tagging.check_scheme(self.constraints, labels, rows.starts)
        learner = tagging.start(spec, encoder, tags)
        codes = tagging.coded(labels, {tag: code for code, tag in enumerate(tags)})
        tagging.constrain(learner, self.constraints, tags, codes, rows.starts)
        return tagging.TaggingRun(spec, encoder, learner, tags, rows, codes, spec.generator())

    def trace(self, X: Any, y: Any, exact: bool | str = False, *, max_steps: int = 10_000) -> SentenceTrace:
        """Run the algorithm step by step on a small problem and record every step, with its lattice.

        The run is the one that ``fit(X, y)`` makes, to the bit: the same sentences in the same order, the same steps.
        The tagger is not changed. ``print(trace)`` is a table of the steps, ``print(trace[0])`` one of them: what each
        tag scores at each token, the sums of the right tags and of the rival, and the difference that the weights move
        along.

        Parameters
        ----------
        X : list of sentences, or Sentences
            As ``fit`` takes them.
        y : list of lists of str
            The tag of each token.
        exact : bool or "decimals", default=False
            Compute with whole numbers and fractions, without rounding; the run then also ends where weights come back,
            which proves that none get every sentence right.
        max_steps : int, default=10_000
            A longer run is refused.

        Returns
        -------
        SentenceTrace
            The steps, where the run ended, and what was proved.
        """
        own = copy.copy(self)
        own.random_state = copy.deepcopy(self.random_state)
        X = X if isinstance(X, Sentences) else lists_of(X)
        run = own._prepared(X, y)
        words = [[_word(token) for token in sentence] for sentence in X]
        names = [run.encoder.names_of(sentence) for sentence in X]
        return steps.trace_run(run, words, names, exact, max_steps=max_steps, name=type(self).__name__)

    def _examples(self, encoder: TokenEncoder, X: Any, y: Any) -> tuple[SentenceRows, list[str]]:
        """Sentences to learn from, as rows, and the tags of all their tokens."""
        tokens = encoder.encode(X)
        tagging.check_sentences(tokens.starts)
        return tagging.rows_of(tokens), tagging.flat(y, tokens.starts)

    def _take(self, learner: SequenceLearner, encoder: TokenEncoder, tags: Sequence[str], **attributes: Any) -> None:
        state = self.__dict__ | attributes
        self._replace_state(state | {"_learner": learner, "_encoder": encoder, "classes_": np.array(tags, object)})

    @writes
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> SequenceTagger:
        """Learn from the next sentences of a stream, in the order given; all calls together are one pass.

        The same sentences give the same weights in any chunks. Tags and features may appear at any time; a tag that is
        new comes last in ``classes_``.

        Parameters
        ----------
        X : list of sentences, or Sentences
            As ``fit`` takes them.
        y : list of lists of str
            The tag of each token.
        classes : list of str, default=None
            Tags known in advance; not needed. With them a stream learns what ``fit`` does in one pass without
            shuffling.

        Returns
        -------
        self
            The tagger, further along.
        """
        begun = "_learner" in self.__dict__
        encoder = self._encoder if begun else TokenEncoder(self.features, self.bits)
        rows, labels = self._examples(encoder, X, y)
        if begun:
            learner, tags = self._learner, self.classes_.tolist()
        else:
            given = [] if classes is None else sorted({str(tag) for tag in classes})
            tags = given or list(dict.fromkeys(labels[: int(rows.starts[1])]))
            learner = tagging.start(self.spec(), encoder, tags)
        tagging.check_scheme(self.constraints, labels, rows.starts)
        if begun and learner.may_overflow(rows, None):
            learner = copy.deepcopy(learner)  # what fails midway is forgotten
        tags = tagging.learn_on(learner, self.constraints, tags, rows, labels)
        self._take(learner, encoder, tags)
        return self

    def earlier(self, classes: Any) -> None:
        """The learner to go on from: none, as a fit begins anew.

        Parameters
        ----------
        classes : array
            The tags of the run that is about to begin.
        """

    def adopt(
        self, learner: Any, classes: Any = None, names: Any = None, extras: Any = None, **attributes: Any
    ) -> None:
        """Be what a run elsewhere has come to, as if this tagger had been fitted.

        Parameters
        ----------
        learner : SequenceLearner
            What was learned.
        classes : array
            The tags that its codes stand for.
        names : None
            Features have no names.
        extras : dict
            The section of a model file that says what the features of a token are.
        **attributes : any
            More fitted attributes, by their names.
        """
        encoder = TokenEncoder.from_state(extras[SECTION][0])
        self._lock.write(self._take, learner, encoder, classes.tolist(), _sections={}, **attributes)

    # ---- predicting ----------------------------------------------------------------------------------------------

    def _rows(self, X: Any) -> SentenceRows:
        self._fitted  # noqa: B018  says so where it is not
        return tagging.rows_of(self._encoder.encode(X), self._learner.dtype)

    def _split(self, codes: Array, starts: Array) -> list[list[str]]:
        tags = self.classes_[codes].tolist()
        ends = starts.tolist()
        return [tags[first:last] for first, last in itertools.pairwise(ends)]

    @reads
    def predict(self, X: Any) -> list[list[str]]:
        """The tags of each sentence.

        Parameters
        ----------
        X : list of sentences, or Sentences
            As ``fit`` takes them. A sentence without tokens has no tags.

        Returns
        -------
        list of lists of str
            A tag for each token.
        """
        rows = self._rows(X)
        return self._split(self._learner.decode(rows)[0], rows.starts)

    @reads
    def predict_k_best(self, X: Any, k: int = 5) -> list[list[tuple[list[str], float]]]:
        """The k best sequences of tags of each sentence, and their scores.

        Parameters
        ----------
        X : list of sentences, or Sentences
            As ``fit`` takes them.
        k : int, default=5
            How many; a short sentence may have fewer.

        Returns
        -------
        list of lists of (tags, score)
            Best first.
        """
        check_number("k", k, 1, whole=True)
        self._fitted  # noqa: B018
        out: list[list[tuple[list[str], float]]] = []
        X = X if isinstance(X, Sentences) else lists_of(X)
        for i in range(len(X)):
            try:
                rows = self._rows(X[i : i + 1])
            except DataError as error:
                raise error.at(sentence=i) from None
            if rows.n_tokens == 0:
                out.append([([], 0.0)])
                continue
            codes, scores = self._learner.k_best(rows, int(k))
            out.append([(self.classes_[each].tolist(), float(score)) for each, score in zip(codes, scores)])
        return out

    @reads
    def decision_function(self, X: Any) -> Array:
        """The score of the best sequence of each sentence, less that of the second best.

        Parameters
        ----------
        X : list of sentences, or Sentences
            As ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_sentences,)
            ≥ 0: how sure it is of all tags together; infinite where there is no other sequence.
        """
        return self._learner.decode(self._rows(X), second=True)[3]

    @reads
    def score(self, X: Any, y: Any) -> float:
        """The share of tags that are right.

        Parameters
        ----------
        X : list of sentences, or Sentences
            As ``fit`` takes them.
        y : list of lists of str
            The right tags.

        Returns
        -------
        float
            Right tags by all tags.
        """
        rows = self._rows(X)
        labels = tagging.flat(y, rows.starts)
        if not labels:
            raise DataError("there are no tokens to be judged by", "give some sentences")
        codes = tagging.coded(labels, {tag: code for code, tag in enumerate(self.classes_.tolist())})
        return self._learner.accuracy(rows, codes)

    @reads
    def tag(self, sentence: Any) -> Any:
        """One sentence with its tags, drawn in a terminal or a notebook.

        Parameters
        ----------
        sentence : list of tokens
            As a sentence of ``fit``.

        Returns
        -------
        TaggedSentence
            Its tokens and tags, the score, and the second-best tags with how far they are behind.
        """
        from ..sequences.drawing import TaggedSentence

        (sentence,) = lists_of([sentence])
        decoded = self._learner.decode(self._rows([sentence]), second=True)
        return TaggedSentence.of_decoded([_word(token) for token in sentence], self.classes_.tolist(), *decoded)

    # ---- what was learned ----------------------------------------------------------------------------------------

    @property
    @reads
    def verdict_(self) -> str:
        """Whether weights were found that get every sentence right: "separated", "no margin" or "stopped"."""
        return str(self._fitted.verdict)

    @property
    @reads
    def margin_bounds_(self) -> tuple[float, float]:
        """Bounds on the best margin over all wrong sequences of all sentences seen."""
        return self._fitted.margin_bounds

    @property
    def converged_(self) -> bool:
        """Whether the verdict is "separated"."""
        return self.verdict_ == SEPARATED

    @property
    @reads
    def equal_rows_(self) -> tuple[int, int] | None:
        """Two equal sentences with different tags, if they are what proves "no margin"."""
        return self._fitted.evidence.equal_rows

    @property
    @reads
    def mistakes_(self) -> Array:
        """Sentences that were mistaken in each pass; all calls of a stream together are one."""
        return np.array(self._fitted.mistakes)

    @property
    def coef_(self) -> Array:
        raise AttributeError(
            "a tagger's weights are hashed into too many columns to be listed; transitions_ has those of the tags"
        )

    @property
    def intercept_(self) -> Array:
        raise AttributeError("a tagger has no bias")

    @property
    @reads
    def transitions_(self) -> Array:
        """Weights of a tag after another, of order 1: from the start and the tags (rows) to the tags and the end."""
        return self._transitions()

    def _transitions(self, *, constrained: bool = True) -> Array:
        learner = self._fitted
        if learner.n_before != 1:  # type: ignore[attr-defined]
            raise AttributeError("transitions_ is of taggers of order 1")
        held = learner.link_weights(constrained=constrained)  # type: ignore[attr-defined]
        ends = np.concatenate(([0.0], held[0]))
        return np.column_stack((held[1:], ends))

    # ---- files ---------------------------------------------------------------------------------------------------

    def _names(self) -> None:
        return None

    @property
    def _extras(self) -> Any:
        encoder = self.__dict__.get("_encoder")
        return {} if encoder is None else {**self.__dict__.get("_sections", {}), SECTION: (encoder.to_state(), {})}

    def _know(self, classes: Array) -> None:
        self.classes_ = np.array(classes.tolist(), object)

    def _take_sections(self, extras: Any) -> None:
        if SECTION not in extras:
            raise ValueError("it does not say what the features of a token are")
        self._encoder, self._sections = TokenEncoder.from_state(extras[SECTION][0]), dict(extras)
        if self._encoder.n_features != self._learner.n_columns:
            raise ValueError("its features do not fit its weights")


def _word(token: Any) -> str:
    """A token to be shown: itself, its first column, or what a dict calls its word."""
    if isinstance(token, str):
        return token
    if isinstance(token, dict):
        for name in ("word", "w", "form", "token", "w[0]"):
            if isinstance(token.get(name), str):
                return str(token[name])
        return next((value for value in token.values() if isinstance(value, str)), "·")
    return str(token[0]) if len(token) else "·"
