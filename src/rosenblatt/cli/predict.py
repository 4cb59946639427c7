"""Labels or scores of the rows of files, by a model; numbers, by a regression.

One line for each row, in their order, written as the files are read.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from . import options
from .terminal import CommandError, Progress, note, option, shown

EXAMPLE = "rosenblatt predict mood.model new.csv --scores > answers.csv"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    options.add_files(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to (standard output)")
    parser.add_argument("--scores", action="store_true", help="scores of the classes too")
    parser.add_argument("--only-scores", action="store_true", help="scores and no labels")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of CSV")
    parser.add_argument("--no-header", action="store_true", help="no line of names above the CSV")
    options.add_reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from ..data.sources import replacing
    from .inputs import refuse_to_replace
    from .judging import loaded, opened_for, scored

    refuse_to_replace(arguments.output, [arguments.model, *arguments.files])
    model, features = loaded(arguments.model)
    write: Lines | Numbers
    if model.classes is None:
        if arguments.scores or arguments.only_scores:
            raise CommandError(f"{arguments.model} is a regression: its predictions are numbers, and it has no scores")
        write = Numbers(arguments)
    else:
        write = Lines(arguments, [shown(label) for label in model.classes.tolist()])
    with opened_for(features, arguments.files, arguments, labelled=False) as stream, Progress() as progress:
        with replacing(arguments.output) as file:
            file.write(write.header())
            n = 0
            for block, scores, codes in scored(features, model.learner, stream):
                file.write("".join(write.lines(scores, codes)).encode())
                n += len(block)
                progress(f"{n:,} rows", share=stream.progress)
        if stream.skipped:
            note(stream.skipped.worded(option))


class Lines:
    """Predictions as lines of CSV or JSON."""

    def __init__(self, arguments: argparse.Namespace, names: list[str]) -> None:
        self.json, self.no_header, self.names = arguments.json, arguments.no_header, names
        self.labels, self.scores = not arguments.only_scores, arguments.scores or arguments.only_scores
        self.written = [json.dumps(name, ensure_ascii=False) if self.json else _quoted(name) for name in names]

    def header(self) -> bytes:
        """The names of the columns."""
        if self.json or self.no_header:
            return b""
        columns = ["label"] if self.labels else []
        if self.scores:
            columns += ["score"] if len(self.names) <= 2 else [f"score:{name}" for name in self.names]
        return (",".join(map(_quoted, columns)) + "\n").encode()

    def lines(self, scores: Any, codes: Any) -> Iterator[str]:
        """A line for each row."""
        from ..data.writing import numbers

        labels = [self.written[code] for code in codes.tolist()]
        if not self.scores:
            for label in labels:
                yield f'{{"label": {label}}}\n' if self.json else label + "\n"
            return
        texts = numbers(scores.ravel())
        width = 1 if scores.ndim == 1 else scores.shape[1]
        for i, label in enumerate(labels):
            own = texts[i * width : (i + 1) * width]
            if not self.json:
                yield ",".join([label, *own] if self.labels else own) + "\n"
                continue
            told = own[0] if width == 1 else "{" + ", ".join(f"{n}: {s}" for n, s in zip(self.written, own)) + "}"
            yield "{" + (f'"label": {label}, ' if self.labels else "") + f'"score{"s" * (width > 1)}": {told}}}\n'


class Numbers:
    """Predictions of a regression as lines of CSV or JSON."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.json, self.no_header = arguments.json, arguments.no_header

    def header(self) -> bytes:
        """The name of the column."""
        return b"" if self.json or self.no_header else b"prediction\n"

    def lines(self, predicted: Any, _: Any) -> Iterator[str]:
        """A line for each row."""
        from ..data.writing import numbers

        for number in numbers(predicted):
            yield f'{{"prediction": {number}}}\n' if self.json else f"{number}\n"


def _quoted(text: str) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([text])
    return line.getvalue()
