"""Array libraries that kernel space computes with: NumPy on the processor, CuPy or PyTorch on a CUDA device.

What all three spell alike (``@``, ``exp``, slices, ``sum(axis=…)``) is used as it is, by ``namespace``; the rest is
here: how arrays come and go, what memory is left, how it says that there is none, and whether products may be rounded.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import SettingsError

Array = NDArray[Any]

PRECISIONS = ("float32", "tf32")


def namespace(array: Any) -> Any:
    """The library that an array is of."""
    home = type(array).__module__.partition(".")[0]
    return importlib.import_module(home) if home in ("cupy", "torch") else np


def is_double(array: Any) -> bool:
    """Whether its numbers are float64."""
    return str(array.dtype).endswith("float64")


def cast(array: Any, dtype: str) -> Any:
    """The same with numbers of another type."""
    xp = namespace(array)
    return array.to(getattr(xp, dtype)) if xp.__name__ == "torch" else array.astype(dtype)


class NumPy:
    """Arrays on the processor: nothing is copied."""

    on_cuda = False
    chunk = 1 << 22  # numbers of a matrix that is made and used piece by piece
    block_size = 512
    out_of_memory: tuple[type[BaseException], ...] = (MemoryError,)

    def put(self, array: Array) -> Any:
        return array

    def get(self, array: Any) -> Array:
        return np.asarray(array)

    def index(self, which: Any) -> Any:
        """A slice or an array of numbers, as the library's arrays take it."""
        return which if isinstance(which, slice) else self.put(which)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return np.empty(shape, dtype)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        array = self.empty(shape, dtype)
        array[...] = 0
        return array

    def free(self) -> float:
        """Bytes that are left."""
        return np.inf

    def release(self) -> None:
        """Give back what is kept for later."""

    @contextmanager
    def products(self, precision: str) -> Iterator[None]:
        """Within it, float32 products are in full precision, or in the faster one that was asked for."""
        yield


class CuPy(NumPy):
    """Arrays on a CUDA device, in CuPy."""

    on_cuda = True
    chunk = 1 << 27
    block_size = 4096

    def __init__(self) -> None:
        self.xp: Any = importlib.import_module("cupy")
        if not self.xp.cuda.runtime.getDeviceCount():
            raise RuntimeError
        self.out_of_memory = (MemoryError, self.xp.cuda.memory.OutOfMemoryError)

    def put(self, array: Array) -> Any:
        return self.xp.asarray(array)

    def get(self, array: Any) -> Array:
        return np.asarray(array.get())

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self.xp.empty(shape, dtype)

    def free(self) -> float:
        return float(self.xp.cuda.runtime.memGetInfo()[0] + self.xp.get_default_memory_pool().free_bytes())

    def release(self) -> None:
        self.xp.get_default_memory_pool().free_all_blocks()

    @contextmanager
    def products(self, precision: str) -> Iterator[None]:
        linalg: Any = importlib.import_module("cupy._core._routines_linalg")  # there is no public switch
        kinds = {"float32": linalg.COMPUTE_TYPE_FP32, "tf32": linalg.COMPUTE_TYPE_TF32}
        before = linalg.get_compute_type(np.float32)
        linalg.set_compute_type(np.float32, kinds[precision])
        try:
            yield
        finally:
            linalg.set_compute_type(np.float32, before)


class Torch(NumPy):
    """Arrays of PyTorch, on a CUDA device or (for tests) on the processor."""

    def __init__(self, device: str = "cuda") -> None:
        self.xp: Any = importlib.import_module("torch")
        self.device, self.on_cuda = device, device == "cuda"
        if self.on_cuda:
            if not self.xp.cuda.is_available():
                raise RuntimeError
            self.chunk, self.block_size = CuPy.chunk, CuPy.block_size
            self.out_of_memory = (MemoryError, self.xp.cuda.OutOfMemoryError)

    def put(self, array: Array) -> Any:
        array = np.ascontiguousarray(array)
        return self.xp.from_numpy(array if array.flags.writeable else array.copy()).to(self.device)

    def get(self, array: Any) -> Array:
        return np.asarray(array.cpu().numpy())

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self.xp.empty(shape, dtype=getattr(self.xp, np.dtype(dtype).name), device=self.device)

    def free(self) -> float:
        if not self.on_cuda:
            return np.inf
        cuda = self.xp.cuda
        return float(cuda.mem_get_info()[0] + cuda.memory_reserved() - cuda.memory_allocated())

    def release(self) -> None:
        self.xp.cuda.empty_cache()

    @contextmanager
    def products(self, precision: str) -> Iterator[None]:
        settings = self.xp.backends.cuda.matmul
        before = settings.allow_tf32
        settings.allow_tf32 = precision == "tf32"
        try:
            yield
        finally:
            settings.allow_tf32 = before


class NoDeviceError(SettingsError, RuntimeError):
    """There is no CUDA device, or nothing is installed that could use it."""


def cuda() -> NumPy:
    """CuPy or PyTorch, whichever is installed and finds a device, or one sentence that says what is missing."""
    installed = False
    for kind in (CuPy, Torch):
        try:
            return kind()
        except ImportError:
            continue
        except Exception:  # each library has errors of its own for a machine without a device or a driver
            installed = True
    if installed:
        raise NoDeviceError("{device} finds no CUDA device here; leave it out, and the CPU is used", device="cuda")
    raise NoDeviceError("{device} needs CuPy or PyTorch; install one of them for your CUDA version", device="cuda")
