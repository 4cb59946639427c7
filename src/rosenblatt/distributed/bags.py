"""Bags of examples, (features, label) each: features are a dict of names to numbers, or text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import labels
from ..data import Columns
from ..data.csr import Csr, index_type
from ..data.features import Features, Section, merged
from ..text import Documents
from . import in_memory
from .cluster import Workers
from .file_sources import default_features
from .files import Peek
from .in_memory import Coding, Examples, Look, counted
from .sharded import in_groups
from .sources import Data, dealt
from .tasks import at_shard

Array = NDArray[Any]

#: What the column of text is called, in a model file too.
COLUMN = "text"

Part = list[tuple[Any, Any]]


def is_bag(data: Any) -> bool:
    """Whether data are a bag of Dask."""
    return type(data).__module__.startswith("dask.bag")


class Bag(Data):
    """A bag as shards: each partition one, or neighbours together.

    Names of features get columns in the order in which they are met, shard after shard. Text is hashed, by the document
    counts of all shards where it is weighed by them.
    """

    def __init__(self, workers: Workers, bag: Any, shards: int | None, text: Any, regression: bool) -> None:
        self._workers, self._regression = workers, regression
        self._parts = self._of(bag, shards)
        self.names = [f"shard {i}" for i in range(len(self._parts))]
        settled = Peek(None, Columns(label=False, text=(COLUMN,)), np.empty(0))
        self._features = default_features(text, supervised=False, named_rows=0, standardise=False)(settled)
        self._makes: Any = None  # names of columns, or the promise of what hashes text, once it is known
        self._is_text = False
        self._held_out: list[Any] = []

    def _of(self, bag: Any, shards: int | None) -> list[list[Any]]:
        if not is_bag(bag):
            raise TypeError(f"held_out must be a bag, as the data are one; got {type(bag).__name__}")
        return dealt(self._workers.parts(list(bag.to_delayed())), shards)

    def look(self, regression: bool, needed: bool) -> list[Look]:
        submit, gather = self._workers.submit, self._workers.gather
        blank = self._workers.hold(self._features.to_section())
        kinds = gather([submit(is_text, part, name) for part, name in zip(self._parts, self.names)])
        if len(set(kinds)) > 1:
            raise ValueError("some shards hold text and others dicts of numbers; a bag holds one of them")
        self._is_text = kinds[0]
        looked = [submit(look, part, blank, regression, name) for part, name in zip(self._parts, self.names)]
        looks: list[Look] = gather([submit(getitem, one, 0) for one in looked])
        if self._is_text:
            self._makes = in_groups(self._workers, merged, [submit(getitem, one, 1) for one in looked])
            return [one._replace(names=None) for one in looks]
        names = list(dict.fromkeys(name for one in looks for name in one.names or ()))
        self._makes = self._workers.hold(names)
        return [one._replace(names=names, n_features=len(names)) for one in looks]

    def ready(self, coding: Coding, learned: Section | None) -> list[Any]:
        submit, parts = self._workers.submit, self._parts
        self._parts = []  # rows are enough to keep
        rows = [
            submit(rows_of, part, self._makes, self._regression, name, shard=i)
            for i, (part, name) in enumerate(zip(parts, self.names))
        ]
        return [
            submit(in_memory.ready, one, coding, name, shard=i) for i, (one, name) in enumerate(zip(rows, self.names))
        ]

    def section(self) -> Section | None:
        if not self._is_text:
            return None
        section: Section
        [section] = self._workers.gather([self._makes])
        return section

    def open_held_out(self, held_out: Any) -> None:
        self._held_out = self._of(held_out, None)

    def judged(self, coding: Coding) -> list[tuple[str, Any]]:
        submit, shards = self._workers.submit, []
        for i, part in enumerate(self._held_out):
            name = f"held-out shard {i}"
            rows = submit(rows_of, part, self._makes, self._regression, name)
            shards.append((name, submit(in_memory.ready, rows, coding, name, False)))
        return shards


# ---- on the worker -------------------------------------------------------------------------------------------------


def is_text(parts: Sequence[Part], name: str) -> bool:
    """Whether the examples are text, and not dicts."""
    with at_shard(name):
        examples = list(chain.from_iterable(parts))
        for i, one in enumerate(examples):
            if not (isinstance(one, tuple) and len(one) == 2):
                raise TypeError(f"example {i} must be (features, label), got {_shown(one)}")
            if not isinstance(one[0], (str, dict)):
                raise TypeError(f"example {i} must be text or a dict of names to numbers, got {_shown(one[0])}")
            if isinstance(one[0], str) != isinstance(examples[0][0], str):
                raise TypeError(f"example {i} is not of the kind of those before: text, or dicts of numbers")
        if not examples:
            raise ValueError("there are no examples")
        return isinstance(examples[0][0], str)


def look(parts: Sequence[Part], blank: Section, regression: bool, name: str) -> tuple[Look, Section | None]:
    """Names, classes, and of text what was learned."""
    examples = list(chain.from_iterable(parts))
    with at_shard(name):
        y = _targets(examples, regression)
        classes, counts = counted(y, regression)
        if isinstance(examples[0][0], str):
            features = Features.of_section(blank)
            hashing = _hashing(features)
            hashing.learn(Documents([text for text, _ in examples]), y)
            dtype = np.dtype(hashing.dtype)
            return Look(len(y), hashing.n_columns, dtype, None, classes, counts), features.to_section()
        names = list(dict.fromkeys(feature for x, _ in examples for feature in x))
        return Look(len(y), len(names), np.dtype(np.float64), names, classes, counts), None


def rows_of(parts: Sequence[Part], makes: Any, regression: bool, name: str) -> Examples:
    """The examples as rows: by names of columns, or by what hashes text. Names that are not known count as absent."""
    examples = list(chain.from_iterable(parts))
    with at_shard(name):
        y = _targets(examples, regression)
        if isinstance(makes, tuple):
            hashing = _hashing(Features.of_section(makes))
            indptr, indices, values = hashing.encode(Documents([text for text, _ in examples]))
            return Examples(Csr(indptr, indices, values, hashing.n_columns), y, None, None)
        columns = {feature: column for column, feature in enumerate(makes)}
        places: list[int] = []
        numbers: list[float] = []
        ends = [0]
        for i, (x, _) in enumerate(examples):
            row = sorted((columns[feature], feature) for feature in x if feature in columns)
            places += [column for column, _ in row]
            for _, feature in row:
                try:
                    numbers.append(float(x[feature]))
                except (TypeError, ValueError):
                    raise ValueError(f"feature {feature!r} of example {i} is {_shown(x[feature])}, no number") from None
            ends.append(len(places))
        kind = index_type(max(len(columns), len(places)))
        rows = Csr(np.array(ends, kind), np.array(places, kind), np.array(numbers, np.float64), len(columns))
        return Examples(rows, y, None, list(makes))


def _targets(examples: Part, regression: bool) -> Array:
    return labels.targets(np.asarray([label for _, label in examples]), regression)


def _hashing(features: Features) -> Any:
    assert features.encoder is not None
    return features.encoder.text[COLUMN].hashing  # type: ignore[attr-defined]


def _shown(value: Any) -> str:
    return repr(value)[:60]
