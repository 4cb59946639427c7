"""Files of sentences: which format they are in, read whole or some thousand sentences at a time, and written."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import fields
from itertools import chain
from typing import Any, TypeAlias

from ..errors import DataError
from ..sequences.sentences import Sentences, counted
from ..text.analysis import whole_number
from .bad_rows import BadRows
from .columns import nearest
from .conll import Conll, ConllReader, Conllu, ConlluReader
from .file_streams import FileStream, FileWalk
from .memory_limit import MemoryLimit
from .sentence_guess import JSON_SUFFIXES, guess_sentence_format
from .sources import Source, replacing, stem, suffix
from .tagged import SentenceReader, TaggedSentences, check_cells, joined
from .tagged_json import TaggedJson, TaggedJsonReader, Words, WordsReader

SentenceFormat: TypeAlias = Conll | Conllu | TaggedJson | Words

SENTENCE_FORMATS: dict[str, type[SentenceFormat]] = {kind.name: kind for kind in (Conll, Conllu, TaggedJson, Words)}
#: Other names that formats go by.
ALIASES = {"conll2000": "conll", "conll2002": "conll", "conll2003": "conll", "iob": "conll", "bio": "conll",
           "conllup": "conllu", "conll-u": "conllu", "tagged-jsonl": "tagged-json"}  # fmt: skip
STREAM_INSTEAD = "read some at a time with rb.data.stream_sentences, or hold more with {}"
SMALLER_PARTS = "hold more with {}"

_READERS: dict[type[SentenceFormat], type[SentenceReader]] = {
    Conll: ConllReader, Conllu: ConlluReader, TaggedJson: TaggedJsonReader, Words: WordsReader,
}  # fmt: skip


def sentence_format(format: str | SentenceFormat | None, settings: dict[str, Any], source: Source) -> SentenceFormat:
    """The format that is asked for, or the one that the file seems to be in, with settings."""
    if isinstance(format, (Conll, Conllu, TaggedJson, Words)):
        if settings:
            raise TypeError(f"say {min(settings)!r} in the format itself, {format!r}")
        return format
    if format is not None and not isinstance(format, str):
        raise TypeError(f"format must be one of {', '.join(SENTENCE_FORMATS)}, or settings of one; got {format!r}")
    name = guess_sentence_format(source) if format is None else ALIASES.get(format.lower(), format.lower())
    if name is None:
        raise DataError(
            "it is not seen to be a file of sentences", "say which format it is, for instance {}",
            file=source.name, parameter="format", value="conll",
        )  # fmt: skip
    if name not in SENTENCE_FORMATS:
        near = nearest(name, [*SENTENCE_FORMATS, *ALIASES])
        raise ValueError(f"there is no format {name!r} of sentences{near}; there are {', '.join(SENTENCE_FORMATS)}")
    kind = SENTENCE_FORMATS[name]
    known = [field.name for field in fields(kind)]
    for key in settings:
        if key not in known:
            raise TypeError(f"the format {name} has no setting {key!r}{nearest(key, known)}; it has {', '.join(known)}")
    return kind(**settings)


class _Reading(FileWalk):
    """Files of sentences and what reads them, settled by the first of them."""

    reader: SentenceReader

    def __init__(
        self, paths: Any, format: Any, on_error: str, encoding: str | None, tags_required: bool, keep: bool,
        memory_limit: MemoryLimit, settings: dict[str, Any],
    ) -> None:  # fmt: skip
        super().__init__(paths, BadRows.of(on_error, "sentence"), memory_limit, encoding)
        self.n_sentences = 0

        def reader_of_first(source: Source) -> SentenceReader:
            chosen = sentence_format(format, settings, source)
            return _READERS[type(chosen)](chosen, self.bad_rows, tags_required, keep)

        self.settle(reader_of_first)

    def parts(self, most: int | None) -> Generator[TaggedSentences, None, None]:
        """Parts of all files, of so many sentences at most. Closing it closes the file at hand."""
        with closing(self.sources()) as sources:
            for source in sources:
                for part in self.reader.parts(source):
                    self.n_sentences += len(part)
                    yield from _cut(part, most)
        if not self.n_sentences:
            raise DataError(self.none_of("sentences"), file=", ".join(self.names))


def _cut(part: TaggedSentences, most: int | None) -> Iterator[TaggedSentences]:
    """A part in parts of so many sentences at most; one whose text is kept stays whole."""
    if most is None or len(part) <= most or part.kept is not None:
        yield part
        return
    for begin in range(0, len(part), most):
        yield part[begin : begin + most]


def read_sentences(
    path: Any,
    *,
    format: str | SentenceFormat | None = None,
    tags_required: bool = False,
    on_error: str = "raise",
    encoding: str | None = None,
    memory: int | str | None = None,
    **settings: Any,
) -> TaggedSentences:
    r"""Read files of sentences whole.

    Parameters
    ----------
    path : str, path, binary file object, or a list of them
        As `read` takes them.
    format : str or format, default=None
        "conll", "conllu", "tagged-json", "words", or one of these with its settings, such as ``Conll(tag=2)``. None: by
        the name of the first file and its first lines; what is not seen to be sentences is refused.
    tags_required : bool, default=False
        Whether a file without tags is an error.
    on_error : "raise" or "skip", default="raise"
        Whether a faulty sentence is an error or is left out.
    encoding : str or None, default=None
        How text is encoded, as in `read`.
    memory : int, str or None, default=None
        How much may be held, as in `read`.
    **settings
        Settings of the format, such as ``tag="xpos"``.

    Returns
    -------
    TaggedSentences
        With ``sentences``, which an estimator takes as they are, or ``X``, lists of tokens; and with ``y``.

    Examples
    --------
    >>> import io, rosenblatt as rb
    >>> columns = io.BytesIO(b"The DT B-NP\ncat NN I-NP\nsat VBD B-VP\n\nIt PRP B-NP\nslept VBD B-VP\n")
    >>> two = rb.data.read_sentences(columns, format="conll")
    >>> two.X[1], two.y
    ([('It', 'PRP'), ('slept', 'VBD')], [['B-NP', 'I-NP', 'B-VP'], ['B-NP', 'B-VP']])
    """
    memory_limit = MemoryLimit(memory, STREAM_INSTEAD)
    reading = _Reading(path, format, on_error, encoding, tags_required, False, memory_limit, settings)
    parts, distinct = [], 0
    for part in reading.parts(None):
        columns = len(part.sentences.columns) + (part.tags is not None)
        new, distinct = reading.reader.distinct - distinct, reading.reader.distinct
        memory_limit.keep(8 * columns * part.n_tokens + _STRING * new, len(part), part.files[0][0])
        parts.append(part)
    return joined(parts)


#: Bytes of a string and its place in a dictionary, about.
_STRING = 160


def stream_sentences(
    path: Any,
    *,
    part_sentences: int | None = None,
    format: str | SentenceFormat | None = None,
    tags_required: bool = False,
    keep: bool = False,
    on_error: str = "raise",
    encoding: str | None = None,
    memory: int | str | None = None,
    **settings: Any,
) -> SentenceStream:
    r"""Read files of sentences some thousand at a time: memory for two parts, however long the files are.

    The next part is parsed in another thread while the caller works on this one. Parts never span files.

    Parameters
    ----------
    path, format, tags_required, on_error, encoding, memory, **settings
        See `read_sentences`.
    part_sentences : int or None, default=None
        Sentences of a part, at most; None: those of 2 MiB of text.
    keep : bool, default=False
        Whether the text is kept with each part, so that ``written`` can give it back with other tags; parts are then
        those of 2 MiB.

    Returns
    -------
    SentenceStream
        An iterator of `TaggedSentences`, and a context manager.

    Examples
    --------
    >>> import io, rosenblatt as rb
    >>> columns = io.BytesIO(b"The DT\ncat NN\n\nIt PRP\n")
    >>> with rb.data.stream_sentences(columns, format="conll", keep=True, tag=None) as parts:
    ...     for part in parts:
    ...         print(part.X, parts.written(part, ["B-NP", "I-NP", "B-NP"]), sep="\n")
    [[('The', 'DT'), ('cat', 'NN')], [('It', 'PRP')]]
    The DT B-NP
    cat NN I-NP
    <BLANKLINE>
    It PRP B-NP
    <BLANKLINE>
    """
    if part_sentences is not None:
        whole_number("part_sentences", part_sentences, 1)
    memory_limit = MemoryLimit(memory, SMALLER_PARTS)
    reading = _Reading(path, format, on_error, encoding, tags_required, keep, memory_limit, settings)
    return SentenceStream(reading, part_sentences)


class SentenceStream(FileStream[TaggedSentences]):
    """Parts of files of sentences, one after the other; `stream_sentences` makes it, with its ``reading`` and ``most``.

    Attributes
    ----------
    format : format
        How the files are read, every guess made.
    skipped : Skipped
        What was left out so far under ``on_error="skip"``.
    progress : float or None
        How much of the files was read, from 0 to 1; None where that cannot be known.
    lines_read : int
        Lines of the file at hand that were read so far.
    """

    _reading: _Reading

    def __init__(self, reading: _Reading, most: int | None) -> None:
        super().__init__(reading, reading.parts(most), "rosenblatt-sentences")

    @property
    def lines_read(self) -> int:
        return self._reading.reader.lines_read

    def written(self, part: TaggedSentences, tags: Sequence[str]) -> str:
        """The text of a part with these tags, one for each token of all its sentences.

        Plain columns get a further one, as conlleval reads it; in CoNLL-U and JSON the tags take the place of those
        that were there; plain text becomes two columns.
        """
        if part.kept is None:
            raise ValueError("the text of this part was not kept; say keep=True")
        if len(tags) != part.n_tokens:
            raise ValueError(f"{part.n_tokens} tokens need as many tags, got {len(tags)}")
        return self._reading.reader.written(part, tags)


def write_sentences(path: Any, sentences: Any, tags: Any = None, *, format: str | None = None) -> None:
    """Write sentences and their tags as CoNLL columns or as JSON lines.

    Parameters
    ----------
    path : str or path
        ``"-"`` is standard output; a name that ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is compressed so.
    sentences : TaggedSentences, Sentences, or list of lists of tokens
        A token is a string, or a tuple of strings, its columns.
    tags : list of lists of str, or None, default=None
        The tags, which become the last column; None: those of the sentences, if they have any.
    format : "conll", "tagged-json" or None, default=None
        None: by the name, ``.jsonl`` and its kin are JSON, all others columns. They are separated by a space, or by a
        tab where a cell has a space in it.
    """
    if isinstance(sentences, TaggedSentences):
        tags = sentences.y if tags is None else tags
        sentences = sentences.sentences
    if isinstance(sentences, Sentences):
        sentences = [sentences.sentence(s) for s in range(len(sentences))]
    rows = [[(token,) if isinstance(token, str) else tuple(token) for token in one] for one in sentences]
    if tags is not None and len(tags) != len(rows):
        raise DataError(f"there are {len(rows)} sentences and tags of {len(tags)}")
    for s, (one, own) in enumerate(zip(rows, tags or ())):
        if len(one) != len(own):
            counts = f"{counted(len(one), 'token')} and {counted(len(own), 'tag')}"
            raise DataError(counts, "give each token one", sentence=s)
    if format is None:
        format = "tagged-json" if str(path) != "-" and suffix(stem(str(path))) in JSON_SUFFIXES else "conll"
    if format not in ("conll", "tagged-json"):
        raise ValueError(f"sentences are written as conll or tagged-json, got {format!r}")
    text = _columns(rows, tags) if format == "conll" else _objects(rows, tags)
    with replacing(path) as file:
        for piece in text:
            file.write(piece.encode())


def _columns(rows: list[list[tuple[str, ...]]], tags: Any) -> Iterator[str]:
    """Sentences in columns; what cannot be told from columns or line ends is refused."""
    tagged = rows if tags is None else [[(*token, tag) for token, tag in zip(*pair)] for pair in zip(rows, tags)]
    cells = set(chain.from_iterable(chain.from_iterable(tagged)))
    check_cells(cells, "\t")
    mark = "\t" if any(" " in cell for cell in cells) else " "
    for s, one in enumerate(tagged):
        if not one:
            raise DataError("an empty sentence cannot be written in columns", "write JSON lines by {}", sentence=s,
                            parameter="format", value="tagged-json")  # fmt: skip
        yield "".join(mark.join(token) + "\n" for token in one) + "\n"


def _objects(rows: Iterable[list[tuple[str, ...]]], tags: Any) -> Iterator[str]:
    for s, one in enumerate(rows):
        tokens = [token[0] if len(token) == 1 else list(token) for token in one]
        row = {"tokens": tokens} if tags is None else {"tokens": tokens, "tags": list(tags[s])}
        yield json.dumps(row, ensure_ascii=False) + "\n"
