"""How much memory there is, and the sentence for what would not fit into it.

Nothing is guessed from time: sizes are counted in bytes before they are asked for.
"""

from __future__ import annotations

import contextlib
import ctypes
import os

#: Less than this is not worth looking at how much there is.
SMALL = 1 << 28


def available() -> int | None:
    """Bytes that this process may still ask for, or None where that is not known.

    The least of what the machine has available, what the control group of the process has left (a container's limit),
    and what its limit of address space has left (``ulimit -v``).
    """
    left = [size for size in (_of_machine(), _of_group(), _of_address_space()) if size is not None]
    return max(0, min(left)) if left else None


def check(n_bytes: int, what: str, instead: str) -> None:
    """Refuse, by MemoryError and one sentence, what is larger than the memory that there is.

    ``what`` says what takes so much, ``instead`` what to do.
    """
    if n_bytes <= SMALL:
        return
    there = available()
    if there is not None and n_bytes > there:
        raise MemoryError(f"{what} would take {size(n_bytes)}, and {size(there)} of memory are available; {instead}")


def size(n_bytes: float) -> str:
    """Bytes as people say them: 4.8 GB."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.0f} EB"


def _of_machine() -> int | None:
    try:
        lines = _read("/proc/meminfo").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        pass
    try:  # all there is, where nobody says how much of it is in use
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _of_group() -> int | None:
    """What is left of a container's limit, under version 2 of control groups or version 1."""
    for folder, limit, used in (
        ("/sys/fs/cgroup", "memory.max", "memory.current"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        try:
            left = int(_read(f"{folder}/{limit}")) - int(_read(f"{folder}/{used}"))
            lines = _read(f"{folder}/memory.stat").splitlines()
            cached = [line.split()[1] for line in lines if "inactive_file" in line]
            return left + max(map(int, cached), default=0)  # of files, which is given up where it is needed
        except (OSError, ValueError):  # "max": there is no limit
            continue
    return None


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _of_address_space() -> int | None:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(_read("/proc/self/statm").split()[0])
        return limit - pages * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError):
        return None


def give_back() -> None:
    """Give the memory that was freed back to the system, which glibc keeps for later; elsewhere it does nothing."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
