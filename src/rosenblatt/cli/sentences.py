"""Files of sentences and the taggers that read them: whether files are such, how they are read, models and tags."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

from .. import data, schema
from ..core.spaces.sequences.learner import SequenceLearner
from ..data import Conll, Conllu, SentenceStream, TaggedJson, TaggedSentences, Words
from ..data.sentence_files import SENTENCE_FORMATS
from ..errors import DataError
from ..model_files import Model, refusing
from ..sequences import FeatureNames, TaggingScores, TokenEncoder, score_tags, tagging
from ..sequences.encoding import SECTION as TOKENS
from ..sequences.names import SECTION as NAMES
from . import algorithms, inputs, options
from .kind_of_files import FirstFile, guessed
from .terminal import CommandError, note, several

#: The section of a model file that says how the files it was trained on are read.
SECTION = "sentence_files"
#: Of the head of a file so many bytes are looked at.
_HEAD = 1 << 16


# ---- files ---------------------------------------------------------------------------------------------------------


def refuse_options_of_rows(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing for sentences."""
    if arguments.shuffle_buffer:
        raise CommandError("--shuffle-buffer is for rows; sentences are shuffled in memory, or learned in their order")
    if arguments.cluster or arguments.workers:
        raise CommandError("a tagger is trained on a cluster from Python, by rb.distributed.fit; leave out --cluster")
    for name in inputs.COLUMN_OPTIONS:
        if getattr(arguments, name) is not None:
            remedy = "say --tag for the column of the tags" if name == "label" else "say --columns for those to be read"
            raise CommandError(f"--{name.replace('_', '-')} is for tables, and these files hold sentences; {remedy}")
    for name, usual in options.encoding_defaults().items():
        if name not in ("bits", "named_rows") and getattr(arguments, name) != usual:
            raise CommandError(
                f"--{name.replace('_', '-')} is for tables, and these files hold sentences; --templates FILE says what "
                "the features of tokens are"
            )


def settings_of(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings of a format of sentences that options name; refuses one that the format does not have."""
    asked = {option: getattr(arguments, option) for option in inputs.SENTENCE_OPTIONS}
    asked = {option: value for option, value in asked.items() if value is not None}
    if name == "tagged-json" and "tag" in asked:
        asked["tags"] = str(asked.pop("tag"))
    if arguments.delimiter is not None:
        asked["separator"] = "tab" if arguments.delimiter in ("\t", "\\t") else "blanks"
        if name != "conll" or arguments.delimiter not in ("\t", "\\t", " "):
            raise CommandError("--delimiter separates values of CSV; of CoNLL columns it is a tab or a space")
    if arguments.encoding_errors is not None:
        asked["encoding_errors"] = arguments.encoding_errors
    known = SENTENCE_FORMATS[name].__dataclass_fields__
    for option in asked:
        if option not in known:
            raise CommandError(f"--{'tag' if option == 'tags' else option} means nothing for the format {name}")
    return asked


def open_files(
    files: Sequence[str], arguments: argparse.Namespace, format: Any = None, *, tagged: bool, keep: bool = False
) -> SentenceStream:
    """The parts of files of sentences, in a format with all its settings, or the one that options or the file name."""
    if format is None:
        name = arguments.format or guessed(files, arguments)
        format = None if name is None else _with(SENTENCE_FORMATS[name](), settings_of(name, arguments))
    return data.stream_sentences(
        inputs.sources_of(files, arguments),
        part_sentences=arguments.block_rows,
        format=format,
        tags_required=tagged,
        keep=keep,
        on_error=arguments.on_error,
        encoding=arguments.encoding,
        memory=arguments.memory,
    )


def _with(format: Any, settings: dict[str, Any]) -> Any:
    """A format with other settings; the columns of features are not those of training where the tag is another."""
    try:
        return replace(format, **settings)
    except (TypeError, ValueError) as error:
        raise CommandError(str(error)) from None


# ---- models --------------------------------------------------------------------------------------------------------


@dataclass
class Tagger:
    """A tagger of a model file: its learner, what makes rows of sentences, and how files are read."""

    path: str
    model: Model
    encoder: TokenEncoder
    format: Any  # None: it was trained in Python
    names: FeatureNames | None = None  # of features that were met first

    @classmethod
    def of_model(cls, model: Model, path: str) -> Tagger:
        """The tagger in a file; refuses what it cannot be."""
        with refusing(path):
            schema.require(TOKENS in model.extras, TOKENS)
            encoder = TokenEncoder.from_state(model.extras[TOKENS][0])
            schema.require(encoder.n_features == model.learner.n_columns, TOKENS)  # type: ignore[attr-defined]
            format = _format_of(model.extras[SECTION][0]) if SECTION in model.extras else None
            names = FeatureNames.from_state(*model.extras[NAMES]) if NAMES in model.extras else None
        return cls(path, model, encoder, format, names)

    @property
    def learner(self) -> SequenceLearner:
        assert isinstance(self.model.learner, SequenceLearner)
        return self.model.learner

    @property
    def tags(self) -> list[str]:
        assert self.model.classes is not None
        return list(self.model.classes.tolist())

    def open(
        self, files: Sequence[str], arguments: argparse.Namespace, *, tagged: bool, keep: bool = False
    ) -> SentenceStream:
        """The parts of files that the tagger is used on."""
        self.check_words()
        format = self.format_for(files, arguments, tagged)
        try:
            return open_files(files, arguments, format, tagged=tagged, keep=keep)
        except DataError as error:
            if error.parameter == "columns" and arguments.columns is None:
                error.at(remedy=f"the model needs {several(self.n_columns, 'column')}", parameter=None)
            raise

    def check_words(self) -> None:
        """Refuse a tagger that cannot make the features of words."""
        if self.encoder.is_named:
            raise CommandError(f"{self.path} takes features by name, which files do not hold; use rb.load in Python")

    @property
    def n_columns(self) -> int:
        return self.encoder.n_columns or 1

    def format_for(self, files: Sequence[str], arguments: argparse.Namespace, tagged: bool) -> Any:
        """How files are read: by --format, else as the first of them looks, with the settings of training."""
        name = arguments.format
        if name is not None and name not in options.OF_SENTENCES:
            raise CommandError(f"{self.path} is a tagger: it reads {', '.join(options.OF_SENTENCES)}, and no {name}")
        if name is None:
            name = guessed(files, arguments)
        if name is None:
            name = "words" if not tagged and self._is_plain_text(files, arguments) else self._usual.name
        if name == "words" and self.n_columns > 1:
            raise CommandError(
                f"{', '.join(files)}: the model needs {self.n_columns} columns of each token, and plain text has words "
                "alone; give it columns"
            )
        format = self._usual if name == self._usual.name else _of_columns(name, self.n_columns)
        return _with(format, settings_of(name, arguments))

    @property
    def _usual(self) -> Any:
        return _of_columns("conll", self.n_columns) if self.format is None else self.format

    def _is_plain_text(self, files: Sequence[str], arguments: argparse.Namespace) -> bool:
        """Whether a file that does not look like columns is text, a sentence a line. What it is taken for is said.

        Lines of one word each are a column; and so are two lines or more that all have as many as those of training.
        """
        with FirstFile(files, arguments) as source:
            head, name = source.peek(_HEAD), source.name
        lines = [line.split() for line in head.splitlines() if line.strip()]
        lengths = set(map(len, lines))
        if lengths <= {1}:
            return False
        usual = isinstance(self._usual, Conll) and lengths == {_width(self._usual)} and len(lines) > 1
        if self.n_columns > 1 or usual:
            note(f"{name} is read as {self._usual.name}, as in training; --format names another format")
            return False
        note(f"{name} is read as plain text, a sentence a line; if it has columns, say --format {self._usual.name}")
        return True

    # ---- tags ------------------------------------------------------------------------------------------------------

    def rows(self, part: TaggedSentences) -> Any:
        """The sentences of a part as the learner takes them."""
        return tagging.rows_of(encoded(self.encoder, part), self.learner.dtype)

    def predicted(self, part: TaggedSentences) -> list[str]:
        """The tags of all tokens of a part."""
        tags = self.tags
        return [tags[code] for code in self.learner.decode(self.rows(part))[0].tolist()]


def encoded(encoder: TokenEncoder, part: TaggedSentences) -> Any:
    """Rows of the tokens of a part; what is wrong with one is told by file and line."""
    try:
        return encoder.encode(part.sentences)
    except DataError as error:
        raise at_line(error, part) from None


def at_line(error: DataError, part: TaggedSentences) -> DataError:
    """The error of a sentence of a part, with its file and line."""
    if error.sentence is None:
        return error.at(file=part.files[0][0])
    return error.at(**part.origin(error.sentence), sentence=None, token=None)


def section_of(format: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """How files are read, for a model file."""
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(format).items()}
    return {"format": format.name, "settings": settings}, {}


_STORED = schema.record(format=schema.choice(*SENTENCE_FORMATS), settings=schema.named(schema.json_value))


def _format_of(plain: Any) -> Any:
    _STORED(plain, SECTION)
    return SENTENCE_FORMATS[plain["format"]](**plain["settings"])


def _of_columns(name: str, n_columns: int) -> Any:
    """A format whose tokens have so many columns, as far as it has a say in them."""
    made = {"conll": Conll(tag=n_columns + 1, columns=tuple(range(1, n_columns + 1))), "conllu": Conllu(),
            "tagged-json": TaggedJson(), "words": Words()}  # fmt: skip
    return made[name]


def _width(format: Conll) -> int:
    """How many columns a line of training had, at least."""
    numbers = [column for column in (format.tag, *(format.columns or ())) if isinstance(column, int)]
    return max(numbers, default=0)


# ---- how good tags are ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """Predicted tags beside the right ones."""

    scores: TaggingScores
    unknown: list[str]  # tags that the model has not

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        scores, plain = self.scores, {}
        if scores.by_type is not None and scores.phrases is not None:
            plain = {"phrases": _counts(scores.phrases),
                     "types": {name: _counts(one) for name, one in scores.by_type.items()}}  # fmt: skip
        return {
            "sentences": scores.n_sentences, "tokens": scores.n_tokens, "accuracy": scores.accuracy,
            "sentence_accuracy": scores.sentence_accuracy, **plain,
        }  # fmt: skip


def _counts(one: Any) -> dict[str, Any]:
    return {
        "precision": one.precision, "recall": one.recall, "f1": one.f1, "phrases": one.true,
        "predicted": one.predicted, "right": one.right,
    }  # fmt: skip


def judged(tagger: Tagger, parts: Iterable[TaggedSentences]) -> Judged:
    """Compare predicted tags with those of the files."""
    true: list[list[str]] = []
    predicted: list[list[str]] = []
    for part in parts:
        assert part.y is not None
        true += part.y
        predicted += part.divided(tagger.predicted(part))
    known = set(tagger.tags)
    met = dict.fromkeys(chain.from_iterable(true))
    return Judged(score_tags(true, predicted), [tag for tag in met if tag not in known])


def asked_parameters(arguments: argparse.Namespace, name: str, passes: int) -> dict[str, Any]:
    """The parameters of a tagger that options name."""
    _, parameters = algorithms.chosen(arguments, name)
    parameters |= {"max_iter": passes, "random_state": arguments.seed}
    return parameters if arguments.bits is None else parameters | {"bits": arguments.bits}
