"""Vowpal Wabbit's text: ``[label [weight]] ['tag]|namespace[:scale] name[:value] … |namespace …``, a line each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..text.analysis import whole_number
from .blocks import Block
from .chunks import Size, chunks
from .faults import Judge
from .lines import parse, threads_of
from .sources import Source
from .svmlight import checked_dtype
from .utf8 import check_errors, checked

#: What Python takes for a tag, and for finding it.
_TAG_BYTES = 250

SENTENCES = {
    "no_bar": "no '|' in the line: features stand behind a bar, as in '1 | good film'",
    "bad_label": "the label {token} is not a number (a tag begins with ' or touches the bar)",
    "label_not_finite": "the label {token} is not a finite number",
    "bad_weight": "the importance weight {token} is not a number from 0 on",
    "many_labels": "{token} is more than a label, a weight, a base and a tag before the bar",
    "bad_scale": "the weight of the namespace {token} is not a number",
    "no_name": "the feature {token} has no name",
    "bad_value": "the value of {token} is not a number",
    "value_not_finite": "the value of {token} is not a finite number of this type",
}


@dataclass(frozen=True)
class VowpalWabbit:
    """Settings of Vowpal Wabbit's text format.

    A feature is called ``namespace^name``, or ``name`` alone where its namespace has no name. Its column is the
    MurmurHash3_x86_32 (seed 0) of that in UTF-8, modulo 2^bits. Features that fall on one column are added.

    Parameters
    ----------
    bits : int, default=22
        There are 2^bits columns.
    encoding_errors : "strict" or "replace", default="strict"
        Whether bytes that are not UTF-8 are an error or become ``U+FFFD``.
    dtype : numpy dtype, default="float64"
        float64 or float32.
    """

    bits: int = 22
    encoding_errors: str = "strict"
    dtype: Any = "float64"

    name: ClassVar[str] = "vw"

    def __post_init__(self) -> None:
        whole_number("bits", self.bits, 1, 32)
        check_errors(self.encoding_errors)
        checked_dtype(self.dtype)


class VowpalWabbitReader:
    """Blocks of Vowpal Wabbit files."""

    def __init__(self, settings: VowpalWabbit, judge: Judge, n_threads: int | None = None) -> None:
        self.settings = settings
        self._judge = judge
        self._threads = threads_of(n_threads)

    def blocks(self, source: Source, size: Size | None) -> Iterator[Block]:
        """Blocks of at most this size; skipped lines leave them shorter."""
        n_features = 1 << self.settings.bits
        wanted = frozenset({"weights", "tags"})
        for chunk in chunks(source, size):
            text = checked(bytes(chunk.text), self.settings.encoding_errors, self._judge, source.name, chunk.first_line)
            found = parse(
                text, ("vw", n_features), self.settings.dtype, wanted, self._judge, (source, chunk.first_line),
                SENTENCES, self._threads,
            )  # fmt: skip
            assert found.tags is not None
            tags = [""] * len(found.tags)
            tagged = np.flatnonzero(found.tags[:, 1] > found.tags[:, 0])
            source.check_room(len(text) + 8 * len(tags) + _TAG_BYTES * len(tagged), len(tags))
            for row, (begin, end) in zip(tagged.tolist(), found.tags[tagged].tolist()):
                tags[row] = text[begin:end].decode()
            yield Block(
                found.labels, found.lines, ((source.name, 0),), found.csr.widened(n_features),
                weights=found.weights, tags=tags,
            )  # fmt: skip
