"""Whether files hold rows or sentences: what every command asks before it imports what reads either."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..data.sentence_guess import guess_sentence_format
from ..data.sources import Source, expand, look_into
from . import algorithms, inputs, options
from .terminal import CommandError


def sentences_are_meant(arguments: argparse.Namespace) -> bool:
    """Whether to train a tagger: options ask for it, or the first file holds sentences and no option says otherwise."""
    of_sentences = arguments.format in options.OF_SENTENCES
    if arguments.algorithm is not None and not algorithms.ALGORITHMS[arguments.algorithm].is_of_sentences:
        if of_sentences:
            raise CommandError(
                f"--algorithm {arguments.algorithm} learns from rows, and --format {arguments.format} has sentences: "
                f"leave out --algorithm, and say --rule NAME for another rule than pa1"
            )
        return False
    if of_sentences or arguments.algorithm is not None:
        return True
    if arguments.resume:
        return inputs.is_tagger(inputs.read_model(arguments.resume))
    as_rows = arguments.format or arguments.label_from or inputs.column_options(arguments)
    return not as_rows and guessed(arguments.files, arguments) is not None


def guessed(files: Sequence[str], arguments: argparse.Namespace) -> str | None:
    """The format of sentences that the first file seems to be in; None: it does not seem to hold any."""
    with FirstFile(files, arguments) as source:
        return guess_sentence_format(source) if source.peek(1) else None


class FirstFile:
    """The first of files, to be looked into."""

    def __init__(self, files: Sequence[str], arguments: argparse.Namespace) -> None:
        self._source = Source(inputs.sources_of(expand(list(files))[:1], arguments)[0])
        self._encoding = arguments.encoding

    def __enter__(self) -> Source:
        try:
            if self._source.peek(1):
                look_into(self._source, self._encoding)
        except BaseException:
            self._source.close()
            raise
        return self._source

    def __exit__(self, *_: object) -> None:
        self._source.close()


def refuse_options_of_sentences(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing for rows."""
    for name in inputs.SENTENCE_OPTIONS:
        if getattr(arguments, name) is not None:
            raise CommandError(f"--{name} is for files of sentences; if these are such, say --format conll")
