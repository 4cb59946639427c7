"""The command ``predict``: labels, scores or numbers for the rows of files, as CSV or JSON lines."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..core.learner import Learner, rows_per_call
from ..data import Block
from ..data.blocks import placed
from ..data.sources import replacing
from ..data.writing import numbers
from .features import Features
from .inputs import is_tagger, note_unseen, open_for_model, read_model, refuse_to_replace
from .kind_of_files import refuse_options_of_sentences
from .terminal import CommandError, Progress, note, option, shown


def run(arguments: argparse.Namespace) -> None:
    """Write a line for each row."""
    refuse_to_replace(arguments.output, [arguments.model, *arguments.files])
    model = read_model(arguments.model)
    if is_tagger(model):
        from . import tagger_use

        tagger_use.predict(arguments, model)
        return
    refuse_options_of_sentences(arguments)
    features = Features.of_model(model, arguments.model)
    if model.classes is None and (arguments.scores or arguments.only_scores):
        raise CommandError(f"{arguments.model} is a regression model: it predicts numbers and has no scores")
    # A class is written as it was: 7.0 of a table is no 7, while svmlight's numbers are all of one kind.
    fractional = features.encoder is not None and features.encoder.columns.label_type == "number"
    written = str if fractional else shown
    write = Writer(arguments, None if model.classes is None else [written(label) for label in model.classes.tolist()])
    with open_for_model(features, arguments.files, arguments, labelled=False) as stream, Progress() as progress:
        with replacing(arguments.output) as file:
            file.write(write.header())
            n = 0
            for block, scores, codes in score_blocks(features, model.learner, stream):
                lines = list(write.lines(scores, codes))
                for place in reversed([] if block.left_out is None else block.left_out.tolist()):
                    lines.insert(place, write.blank)
                file.write("".join(lines).encode())
                n += len(block)
                progress(f"{n:,} rows", share=stream.progress)
            file.write((write.blank * stream.left_out).encode())
        if stream.skipped:
            note(stream.skipped.worded(option))
        note_unseen(features)


def score_blocks(features: Features, learner: Learner, blocks: Iterable[Block]) -> Iterator[tuple[Block, Any, Any]]:
    """Each block with the scores of its rows, and the codes of the predicted classes or the predicted numbers."""
    dtype = np.float64 if learner.dtype == np.float64 else None
    for block in blocks:
        csr, parts = features.rows(block, learn=False), []
        step = rows_per_call(len(csr.indices), max(len(block), 1), learner.n_vectors)
        for start in range(0, max(len(block), 1), step):  # so that signals are heard
            stop = min(start + step, len(block))
            with placed([Block(None, block.lines[start:stop], block.files)]):
                parts.append(learner.scores(learner.admit(csr.rows(start, stop), dtype)))
        scores = np.concatenate(parts)
        yield block, scores, learner.decide(scores)


class Writer:
    """Predicted labels and scores, or the numbers of a regression, as lines of CSV or JSON."""

    def __init__(self, arguments: argparse.Namespace, names: list[str] | None) -> None:
        self.json, self.no_header, self.names = arguments.json, arguments.no_output_header, names
        self.labels, self.scores = not arguments.only_scores, arguments.scores or arguments.only_scores
        self.written = [json.dumps(name, ensure_ascii=False) if self.json else _quoted(name) for name in names or ()]
        what = "prediction" if names is None else "label"
        self.blank = f'{{"{what}": null}}\n' if self.json else "\n"  # for a row that could not be read

    def header(self) -> bytes:
        """The header line of the CSV."""
        if self.json or self.no_header:
            return b""
        columns = ["prediction"] if self.names is None else ["label"] if self.labels else []
        if self.scores and self.names is not None:
            columns += ["score"] if len(self.names) <= 2 else [f"score:{name}" for name in self.names]
        return (",".join(map(_quoted, columns)) + "\n").encode()

    def lines(self, scores: Any, codes: Any) -> Iterator[str]:
        """A line for each row."""
        if self.names is None:
            for number in numbers(scores):
                yield f'{{"prediction": {number}}}\n' if self.json else f"{number}\n"
            return
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
            score = own[0] if width == 1 else "{" + ", ".join(f"{n}: {s}" for n, s in zip(self.written, own)) + "}"
            yield "{" + (f'"label": {label}, ' if self.labels else "") + f'"score{"s" * (width > 1)}": {score}}}\n'


def _quoted(text: str) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([text])
    return line.getvalue()
