"""A run in a file after every pass, as an ordinary model file with one section more; and from there on.

What the run goes on from is all there: the learner to the bit, each shard's generator, what makes rows. So it comes to
the same bits as if it had never stopped.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import model_files, schema
from ..core.mixing import MIXES, Mixed, MixedLearner
from ..data.features import SECTION as FEATURES
from ..data.features import Features, Section
from ..model_files import Model, ModelFileError
from ..model_files.values import encode
from .records import PassRecord
from .tasks import Measured

#: The section of a model file.
SECTION = "distributed"
#: What of a record is kept in arrays.
_ARRAYS = ("shard_seconds", "shares")


@dataclass
class Progress:
    """Where a run stands, besides its learner."""

    mix: str
    shards: list[str]
    rows: list[int]  # of each shard, where they are known
    generators: list[np.random.Generator]
    mixing: Mixed
    measured: Measured | None = None
    scale: float | None = None  # what margins are measured by, from the first pass on
    history: list[PassRecord] = field(default_factory=list)
    ended: bool = False

    def to_section(self) -> Section:
        """Plain values and arrays for a model file."""
        records = [record.to_dict() for record in self.history]
        arrays = {name: np.array([record.pop(name) for record in records], np.float64) for name in _ARRAYS}
        plain = {
            "mix": self.mix, "shards": self.shards, "rows": self.rows, "generators": self.generators,
            "weighted_mistakes": self.mixing.weighted_mistakes, "history": records, "ended": self.ended,
            "measured": None if self.measured is None else asdict(self.measured), "scale": self.scale,
        }  # fmt: skip
        return plain, arrays

    @classmethod
    def of_section(cls, section: Section) -> Progress:
        plain, arrays = section
        _PROGRESS(plain, SECTION)
        n, shape = len(plain["shards"]), (len(plain["history"]), len(plain["shards"]))
        schema.require(len(plain["generators"]) == n > 0 and len(plain["rows"]) in (0, n), f"{SECTION}.shards")
        for name in _ARRAYS:
            schema.array(arrays, name, np.float64, shape)
        history = []
        for i, record in enumerate(plain["history"]):
            record |= {name: tuple(arrays[name][i].tolist()) for name in _ARRAYS}
            history.append(PassRecord(**{**record, "margin": tuple(record["margin"])}))
        mixing = Mixed(plain["weighted_mistakes"], history[-1].shares if history else ())
        measured = None if plain["measured"] is None else Measured(**plain["measured"])
        return cls(
            plain["mix"], plain["shards"], plain["rows"], plain["generators"], mixing, measured, plain["scale"],
            history, plain["ended"],
        )  # fmt: skip


_PROGRESS = schema.record(
    mix=schema.choice(*MIXES),
    shards=schema.listed(schema.text),
    rows=schema.listed(schema.whole()),
    generators=schema.listed(schema.instance(np.random.Generator)),
    weighted_mistakes=schema.real(0),
    history=schema.listed(
        schema.record(
            number=schema.whole(1),
            mistakes=schema.optional(schema.whole()),
            updates=schema.whole(),
            weighted_mistakes=schema.real(0),
            margin=schema.listed(schema.real(finite=False)),
            held_out=schema.optional(schema.number),
            seconds=schema.real(),
            workers=schema.whole(),
            bytes_moved=schema.whole(),
            weights_bytes=schema.whole(),
        )
    ),
    ended=schema.flag,
    measured=schema.optional(schema.record(radius2=schema.real(0), depth=schema.whole())),
    scale=schema.optional(schema.real(0)),
)


@dataclass
class Checkpoint:
    """The file of a run, and what goes into it besides the learner."""

    path: str | os.PathLike[str]
    algorithm: str
    parameters: dict[str, Any]

    def write(
        self, learner: MixedLearner, classes: Any, names: list[Any] | None, sections: dict[str, Section],
        progress: Progress,
    ) -> None:  # fmt: skip
        """Save a pass, whole or not at all; ``sections`` say what makes rows."""
        extras = {SECTION: progress.to_section()} | sections
        model_files.write(self.path, Model(self.algorithm, self.parameters, learner.plain(), classes, names, extras))

    def read(self) -> tuple[Model, Progress] | None:
        """The run so far; None: there is no such file, as no pass was complete."""
        if not os.path.exists(self.path):
            return None
        model = model_files.read(self.path)
        if SECTION not in model.extras:
            raise ModelFileError(
                f"{self.path} is a model, but not that of a distributed run: it cannot go on from there"
            )
        if model.algorithm != self.algorithm:
            held = schema.cut(model.algorithm).strip("'")
            raise ValueError(f"{self.path} holds a {held}, and this is a {self.algorithm}")
        for name, value in self.parameters.items():
            if name in ("max_iter", "verbose", "tol"):
                continue
            before = model.parameters.get(name)
            if encode(before, name) != encode(value, name):
                held = schema.cut(before)
                raise ValueError(f"{self.path} was begun with {name}={held}, and cannot go on with {name}={value!r}")
        with model_files.refusing(self.path):
            if FEATURES in model.extras:
                Features.of_section(model.extras[FEATURES], model.learner.n_features)  # refuses what is none
            return model, Progress.of_section(model.extras[SECTION])
