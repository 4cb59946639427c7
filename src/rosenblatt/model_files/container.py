"""The file: a JSON document and named arrays, as safetensors, with a checksum over both.

The metadata of the safetensors header are ``format`` ("rosenblatt"), ``format_version``, ``model`` (the document) and
``sha256``: the checksum of checksums, that of the document's UTF-8 text and then those of the pieces, of 4 MiB each and
the last of what is left, of every tensor, in the order of their names: so several threads make them at a time. The
document lists the tensors with their types and shapes.

It is written and read here rather than by the ``safetensors`` package: to go into a file without a name, and without a
second copy of the arrays; and because the package maps files into memory, where a file that someone cuts short while it
is read ends the process: here they are mapped for those alone who ask for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import mmap
import os
import stat
import threading
from collections import deque
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import schema
from ..atomic_files import replacing
from ..core import engine

if TYPE_CHECKING:
    from pathlib import Path

Array = NDArray[Any]

FORMAT, VERSION = "rosenblatt", 2
#: Bytes of a piece that has a checksum.
PIECE = 1 << 22

#: Of the types that safetensors knows, those that occur here, by their names there.
TYPES = {
    "BOOL": np.dtype(np.bool_),
    "U8": np.dtype(np.uint8),
    "U16": np.dtype(np.uint16),
    "U32": np.dtype(np.uint32),
    "U64": np.dtype(np.uint64),
    "I8": np.dtype(np.int8),
    "I32": np.dtype(np.int32),
    "I64": np.dtype(np.int64),
    "F32": np.dtype(np.float32),
    "F64": np.dtype(np.float64),
}
_NAMES = {dtype: name for name, dtype in TYPES.items()}


class ModelFileError(ValueError):
    """A file is not a model, or not the one that was written, or it is of a later version."""


def write(path: str | os.PathLike[str], document: dict[str, Any], tensors: dict[str, Array]) -> None:
    """Write a document and arrays; the file appears whole or not at all."""
    wide_first = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))  # so that all are aligned
    arrays = {name: _stored(tensors[name]) for name in wide_first}
    listed = {name: _listed(arrays[name]) for name in sorted(arrays)}
    text = json_text({**document, "tensors": listed})
    offsets = itertools.pairwise(itertools.accumulate((array.nbytes for array in arrays.values()), initial=0))
    header: dict[str, Any] = {
        name: {"dtype": listed[name][0], "shape": listed[name][1], "data_offsets": list(place)}
        for name, place in zip(arrays, offsets)
    }

    def head(digest: str) -> bytes:
        metadata = {"format": FORMAT, "format_version": str(VERSION), "sha256": digest, "model": text}
        whole = json_text({"__metadata__": metadata, **header}).encode()
        whole += b" " * (-len(whole) % 8)
        return len(whole).to_bytes(8, "little") + whole

    digest: list[str] = []
    thread = threading.Thread(target=lambda: digest.append(_digest(text, arrays)))
    thread.start()  # while the arrays are written
    with replacing(path) as file:
        file.seek(len(head("0" * 64)))
        for array in arrays.values():
            file.write(_bytes(array))
        file.flush()
        if hasattr(os, "fdatasync"):
            os.fdatasync(file.fileno())  # most of it, while the checksum is made
        thread.join()
        file.seek(0)
        file.write(head(digest[0]))


def read(path: str | os.PathLike[str], mapped: Collection[str] = ()) -> tuple[dict[str, Any], dict[str, Array]]:
    """The document and the arrays of a file that is whole and of this format, or one sentence that says what is not.

    Everything is read into memory of its own, once: what others do to the file afterwards changes nothing here. But the
    arrays named in ``mapped`` are views of the file, which cannot be written to.
    """
    from pathlib import Path  # which writing needs not

    place = Path(path)
    if not stat.S_ISREG(place.stat().st_mode) and not place.is_dir():
        raise ModelFileError(f"{place} is not a regular file, and a model is read from one")
    with place.open("rb", buffering=0) as file:  # says what is wrong with the path
        room = os.fstat(file.fileno()).st_size - 8
        try:
            header = _read_header(file, room, place)
            metadata = header.pop("__metadata__", {})
            schema.named(schema.text)(metadata, "its metadata")
            _check_format(place, metadata)
            tensors = _read_tensors(file, header, mapped)
        except ModelFileError:
            raise
        except MemoryError as error:
            raise ModelFileError(f"{place} needs more memory than there is: it has {room + 8:,} bytes") from error
        except (ValueError, RecursionError) as error:
            raise ModelFileError(f"{place} is not a model file, or not a whole one: {first_line(error)}") from error
    text = metadata["model"]
    try:
        if _digest(text, tensors) != metadata.get("sha256"):
            raise ModelFileError(f"{place} is damaged or was tampered with: its checksum is wrong")
        document = json.loads(text, parse_constant=_refuse_constant)
        listed = document.pop("tensors")
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(f"{place} is not a model of rosenblatt: {first_line(error)}") from error
    if listed != {name: _listed(array) for name, array in tensors.items()}:
        raise ModelFileError(f"{place} is damaged or was tampered with: its tensors are not those that it lists")
    return document, tensors


def _read_header(file: Any, room: int, place: Path) -> dict[str, Any]:
    """The header of a safetensors file, after whose length there are so many bytes."""
    length = int.from_bytes(_filled(file, bytearray(8)), "little")
    brace = file.read(1)
    if brace != b"{" and room > 0:
        raise ModelFileError(f"{place} is not a model file")
    if not 2 <= length <= room:
        raise ValueError(f"its header would have {length:,} bytes, and the file has {room + 8:,}")
    header = json.loads((brace + _filled(file, bytearray(length - 1))).decode())
    schema.named()(header, "its header")
    return header  # type: ignore[no-any-return]


def _read_tensors(file: Any, header: dict[str, Any], mapped: Collection[str]) -> dict[str, Array]:
    """The arrays that a header tells of, which must fill what is left of the file without a gap."""
    schema.named(_TENSOR)(header, "its header")
    tensors: dict[str, Array] = {}
    first, end = file.tell(), 0
    room = os.fstat(file.fileno()).st_size - first
    view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else None
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, dtype = end, TYPES[entry["dtype"]]
        end += math.prod(entry["shape"]) * dtype.itemsize
        if entry["data_offsets"] != [begin, end] or end > room:
            raise ValueError(f"the tensor {schema.cut(name)} does not lie where its header says")
        if view is not None and name in mapped:
            if (first + begin) % dtype.itemsize:
                raise ValueError(f"the tensor {schema.cut(name)} does not lie where it can be mapped")
            tensors[name] = np.ndarray(entry["shape"], dtype.newbyteorder("<"), view, first + begin)
            continue
        tensors[name] = np.empty(entry["shape"], dtype.newbyteorder("<"))
        file.seek(first + begin)
        _filled(file, _bytes(tensors[name]))
        if dtype == np.bool_ and begin < end and tensors[name].view(np.uint8).max() > 1:
            raise ValueError(f"the tensor {schema.cut(name)} holds bytes that are neither true nor false")
    if end != room:
        raise ValueError(f"its tensors take {end:,} bytes, and there are {room:,}")
    return {name: tensors[name].astype(TYPES[header[name]["dtype"]], copy=False) for name in sorted(tensors)}


_TENSOR = schema.record(
    dtype=schema.choice(*TYPES), shape=schema.listed(schema.whole()), data_offsets=schema.listed(schema.whole())
)


def _filled(file: Any, into: Any) -> Any:
    """A buffer, filled from the file to its last byte."""
    view, done = memoryview(into), 0
    while done < len(view):
        n = file.readinto(view[done:])
        if not n:
            raise ValueError(f"{len(view) - done:,} bytes are missing at its end")
        done += n
    return into


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _check_format(place: Path, metadata: dict[str, str]) -> None:
    if metadata.get("format") != FORMAT or "model" not in metadata:
        raise ModelFileError(f"{place} is a safetensors file, but not a model of rosenblatt")
    version = metadata.get("format_version", "")
    if not version.isdecimal() or len(version) > 9:
        raise ModelFileError(f"{place} is damaged: its format version is {schema.cut(version)}")
    if int(version) > VERSION:
        raise ModelFileError(
            f"{place} is of format {version}, and this version of rosenblatt reads format {VERSION}: upgrade it"
        )
    if int(version) < VERSION:
        raise ModelFileError(
            f"{place} is of format {version}, of an earlier version of rosenblatt, and this one reads format "
            f"{VERSION}: train it again, or load it with that version"
        )


def first_line(error: object) -> str:
    """What an error says, without its details."""
    return str(error).partition("\n")[0][:200]


def json_text(value: Any) -> str:
    """A value as JSON: readable, or where text has no UTF-8 (half a surrogate pair), escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text


def _digest(text: str, arrays: dict[str, Array]) -> str:
    pieces = [memoryview(text.encode())]
    for name in sorted(arrays):
        whole = _bytes(_stored(arrays[name]))
        pieces += [whole[start : start + PIECE] for start in range(0, len(whole), PIECE)]
    digests = [b""] * len(pieces)
    left = deque(range(len(pieces)))

    def work() -> None:
        with contextlib.suppress(IndexError):  # nothing is left
            while True:
                place = left.popleft()
                digests[place] = hashlib.sha256(pieces[place]).digest()

    threads = [threading.Thread(target=work) for _ in range(min(engine.threads(), len(pieces)) - 1)]
    with contextlib.suppress(RuntimeError):  # no more threads to be had: those there are do it
        for thread in threads:
            thread.start()
    work()
    for thread in threads:
        if thread.ident is not None:  # it was started
            thread.join()
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _listed(array: Array) -> list[Any]:
    return [_NAMES.get(array.dtype.newbyteorder("="), array.dtype.name), list(array.shape)]


def _stored(array: Array) -> Array:
    """In C order and little-endian, as the file has it."""
    if array.dtype.newbyteorder("=") not in _NAMES:
        raise TypeError(f"a model file does not hold arrays of {array.dtype}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
