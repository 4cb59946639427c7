"""Files as shards: in the workers' memory, or read again in every pass; and what makes rows of them."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import getitem
from typing import Any

from ..core.checks import check_name
from ..data import Columns, Svmlight
from ..data.features import Features, Section, bits_for, merged
from ..data.moments import RunningScale
from ..data.numbered import SCALINGS, Standardised, scaling_for
from ..data.pipes import identity
from ..data.sources import IN_MEMORY, expand, size_of
from ..text import Hashing
from ..text.defaults import analyzer_for, default_hashing
from . import files
from . import in_memory as shards_in_memory
from .cluster import Workers
from .files import FileShard, Peek
from .in_memory import Coding, Look
from .sharded import in_groups
from .sources import Data, dealt
from .streamed import StreamedShard

#: Makes what makes rows, of what the first block has settled.
MakeFeatures = Callable[[Peek], Features]


def are_files(data: Any) -> bool:
    """Whether data are names of files."""
    some = data if isinstance(data, (list, tuple)) else [data]
    return bool(some) and all(isinstance(one, (str, os.PathLike)) for one in some)


def files_of(
    workers: Workers,
    paths: Any,
    shards: int | None,
    *,
    reading: dict[str, Any] | None,
    make_features: MakeFeatures,
    in_memory: bool | None,
) -> FileData:
    """The shards of files, each file one, or neighbours together."""
    reading = dict(reading or {})
    format, columns = reading.pop("format", None), reading.pop("columns", None)
    found_paths = for_workers(paths)
    groups = dealt(found_paths, shards)
    named = [
        FileShard(f"shard {i} ({', '.join(group[:3])}{', …' if len(group) > 3 else ''})", tuple(group), format, columns,
                  reading)
        for i, group in enumerate(groups)
    ]  # fmt: skip
    settled: Peek
    [settled] = workers.gather([workers.submit(files.peek, named[0])])
    if in_memory is None:
        in_memory = sum(workers.gather([workers.submit(size_of, shard.paths) for shard in named])) <= IN_MEMORY
    own = settled.format
    zero_based = getattr(format, "zero_based", reading.get("zero_based", "auto"))
    if in_memory and isinstance(own, Svmlight):
        own = replace(own, zero_based=zero_based)  # all rows may decide it
    of_rows = ("block_rows", "on_error", "missing", "encoding", "n_threads")
    reading = {name: value for name, value in reading.items() if name in of_rows}
    named = [replace(shard, format=own, columns=settled.columns, settings=reading) for shard in named]
    kind = FilesInMemory if in_memory else StreamedFiles
    if settled.columns is None:
        first = replace(named[0], paths=tuple(found_paths))
        [density] = workers.gather([workers.submit(files.density, first)])
        settled = settled._replace(density=density)
    return kind(workers, named, make_features(settled._replace(format=own)))


def for_workers(paths: Any) -> list[str]:
    """Every file that is named, of which none is a pipe: workers read files, and more than once."""
    files = [os.fspath(path) for path in expand(paths)]
    for path in files:
        if identity(path) is not None:
            what = "standard input" if path == "-" else f"{path} is a pipe or a device, which"
            raise ValueError(f"{what} cannot be read by the workers of a cluster; write it to a file, and name that")
    return files


def default_features(
    text: Any = None, supervised: bool = True, scale: str | None = None, **options: Any
) -> MakeFeatures:
    """What makes rows of tables unless told otherwise: as ``rosenblatt train`` does.

    ``text``: a ``HashedText`` that says how text is hashed, before it has met any. ``supervised``: weigh n-grams by the
    classes that have them, where ``text`` does not say it. ``scale``: how numbered features are brought to scale.
    """
    if text is not None and not hasattr(text, "_new"):
        raise TypeError(f"text must be a HashedText, got {type(text).__name__}")
    if scale is not None:
        check_name("scale", scale, ("auto", *SCALINGS))

    def make(settled: Peek) -> Features:
        own = {"text": text, **options}
        if settled.columns is None:
            given = [name for name, value in own.items() if value is not None]
            if given:
                raise ValueError(
                    f"features={{{given[0]!r}: …}} is of tables, and these files hold numbered features, which 'scale' "
                    "brings to scale"
                )
            if scale != "auto":
                return Features(None, settled.format, SCALINGS[scale]() if scale else None)
            assert settled.density is not None
            return Features(None, settled.format, scaling_for(settled.density))
        if scale is not None:
            raise ValueError(
                "features={'scale': …} is of numbered features, as svmlight has them, and these files are tables, "
                "whose numbers 'standardise' brings to scale"
            )

        def hashing() -> Hashing:
            if text is not None:
                made: Hashing = text._new()
                if not isinstance(made, Hashing):
                    raise TypeError("a vocabulary is not known before all text was read; hash text on a cluster")
                return made
            bits = bits_for(len(settled.columns.text or ()))  # type: ignore[union-attr]
            analyzer, _ = analyzer_for(settled.text)
            return default_hashing(bits, analyzer=analyzer, supervised=supervised, keep_names=True)

        return Features.of_table(settled.columns, hashing, **options)

    return make


class FileData(Data):
    """Shards of files, and what makes rows of them."""

    keeps = False  # held-out rows in memory

    def __init__(self, workers: Workers, shards: Sequence[FileShard], features: Features) -> None:
        self._workers, self._shards = workers, list(shards)
        self.names = [shard.name for shard in shards]
        self.columns: Columns | None = shards[0].columns
        texts = features.encoder.text.values() if features.encoder is not None else ()
        named = max((column.named_rows for column in texts), default=0)  # type: ignore[attr-defined]
        features.keep_names_of(-(-named // len(self._shards)))  # so many rows in all
        self._width = features.n_features, None if features.encoder is None else features.dtype
        self._blank = workers.hold(features.to_section())
        self._learned: Any = None  # promise of what all have learned
        self._held_out: list[FileShard] = []

    def section(self) -> Section | None:
        if self._learned is None:
            return None
        section: Section
        [section] = self._workers.gather([self._learned])
        return section

    def open_held_out(self, held_out: Any) -> None:
        """Open held-out files once: what is wrong with them is said before the work."""
        if not are_files(held_out):
            raise TypeError(f"held_out must name files, as the data do; got {type(held_out).__name__}")
        self._held_out = [
            replace(self._shards[0], name=f"held-out {path}", paths=(path,)) for path in for_workers(held_out)
        ]
        self._workers.gather([self._workers.submit(files.peek, shard) for shard in self._held_out])

    def judged(self, coding: Coding) -> list[tuple[str, Any]]:
        shards = []
        for one in self._held_out:
            shard = replace(one, format=self._format())
            lying = self._workers.submit(StreamedShard, shard, self._learned, coding, False, False)
            shards.append(
                (shard.name, self._workers.submit(shards_in_memory.keep, lying, shard.name) if self.keeps else lying)
            )
        return shards

    def _format(self) -> Any:
        return self._shards[0].format


class FilesInMemory(FileData):
    """Files that are read once, and lie as rows in the workers' memory."""

    keeps = True
    _reads: list[Any]
    _scale: RunningScale | Standardised | None = None
    _zero_based = False

    def look(self, regression: bool, needed: bool) -> list[Look]:
        submit = self._workers.submit
        self._reads = [submit(files.read, one, self._blank, regression, shard=i) for i, one in enumerate(self._shards)]
        looks: list[Look] = self._workers.gather([submit(getitem, one, 0) for one in self._reads])
        self._zero_based = any(look.met_zero for look in looks)
        moved_on = [self._zero_based and not look.met_zero for look in looks]
        if self._zero_based:  # whose shard met no 0 has one column more
            looks = [look if look.met_zero else look._replace(n_features=look.n_features + 1) for look in looks]
        for scale, moved in zip([look.scale for look in looks], moved_on):
            if isinstance(scale, Standardised) and moved:
                scale = scale.shifted()
            if scale is not None and self._scale is not None:
                self._scale.merge(scale)  # type: ignore[arg-type]
            elif scale is not None:
                self._scale = copy.deepcopy(scale)
        return looks

    def ready(self, coding: Coding, learned: Section | None) -> list[Any]:
        submit = self._workers.submit
        sections = [submit(files.section_of, one) for one in self._reads]
        learned_of_all = in_groups(self._workers, merged, sections)
        self._learned = submit(files.settled, learned_of_all, self._scale, self._zero_based, coding.n_features)
        weighed = [
            submit(files.weigh, one, self._learned, self._zero_based, name, shard=i)
            for i, (one, name) in enumerate(zip(self._reads, self.names))
        ]
        self._reads = []
        return [
            submit(shards_in_memory.ready, one, coding, name, shard=i)
            for i, (one, name) in enumerate(zip(weighed, self.names))
        ]

    def _format(self) -> Any:
        own = self._shards[0].format
        return replace(own, zero_based=self._zero_based) if isinstance(own, Svmlight) else own


class StreamedFiles(FileData):
    """Files that are read again in every pass, by workers that hold two blocks of them."""

    learns = True
    _coding: Coding

    def look(self, regression: bool, needed: bool) -> list[Look]:
        n_features, dtype = self._width
        if not needed and dtype is not None:  # of a table all is known
            return [Look(0, n_features, dtype, None, None, None)]
        submit = self._workers.submit
        return self._workers.gather(
            [submit(files.look_through, one, self._blank, regression, shard=i) for i, one in enumerate(self._shards)]
        )

    def ready(self, coding: Coding, learned: Section | None) -> list[Any]:
        self._coding = coding
        if learned is not None:
            return self.settle([self._workers.hold(learned)])
        return [self._workers.submit(StreamedShard, shard, self._blank, coding, True) for shard in self._shards]

    def settle(self, learned: list[Any]) -> list[Any]:
        self._learned = in_groups(self._workers, merged, learned)
        return [
            self._workers.submit(StreamedShard, shard, self._learned, self._coding, False) for shard in self._shards
        ]
