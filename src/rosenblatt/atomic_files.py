"""Files that appear whole or not at all: written where nobody sees them, synced, and then put in place."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zlib
from collections.abc import Iterator
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Why a file could not be written, in words.
_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than a file may be here",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "there is no permission to write here",
    errno.EPERM: "there is no permission to write here",
    errno.ENOENT: "there is no such folder",
    errno.ENOTDIR: "what should be its folder is a file",
    errno.EISDIR: "it is a folder; name a file in it",
    errno.ENAMETOOLONG: "the name is too long",
}


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` once all is written; if anything fails, ``path`` is as it was.

    Where the system can, it has no name until it is complete. What a process that was killed has left of its own is
    removed by the next one that writes in that folder (see `_sweep`).
    """
    of_another: OSError | None = None  # file, which is read to be written here
    try:
        target = _target(path)
        mode = _mode_of(target)
        folder = os.path.dirname(target)
        _sweep(folder)
        handle, name = _open(folder)
        try:
            with os.fdopen(handle, "wb") as file:
                try:
                    yield file
                except OSError as error:
                    of_another = error if error.errno is None or error.filename is not None else None
                    raise
                file.flush()
                if mode is not None and os.name == "posix":
                    os.fchmod(handle, mode)
                os.fsync(handle)
                if name is None:
                    name = _new_name(folder)
                    os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle)  # the number makes it follow the link
                if os.name == "posix":  # elsewhere a file that is open cannot be renamed
                    os.replace(name, target)  # while it is locked, so that nobody takes it for a leftover
                    name = None
            if name is not None:
                os.replace(name, target)
                name = None
            _sync(folder)
        finally:
            if name is not None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)
    except OSError as error:
        if error is of_another:
            raise
        raise _in_words(error, path) from error


def check(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written to, as far as that can be seen before the work is done."""
    try:
        target = _target(path)
        _mode_of(target)
        folder = os.path.dirname(target)
        if not stat.S_ISDIR(os.stat(folder).st_mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _in_words(error, path) from error


def _in_words(error: OSError, path: str | os.PathLike[str]) -> OSError:
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    return OSError(error.errno, f"could not write the file, as {reason}; nothing was changed", str(path))


def _target(path: str | os.PathLike[str]) -> str:
    """Where to put the file: a link stays a link. A path that ends in a slash is not a file."""
    if os.fspath(path).endswith(tuple(filter(None, (os.sep, os.altsep)))):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    name = os.path.normpath(os.fspath(path))
    if name in ("/dev/stdout", "/dev/stderr") or os.path.dirname(name) in ("/dev/fd", "/proc/self/fd"):
        raise OSError(errno.EINVAL, "it is an open stream, whose file would be replaced; name a file")
    return os.path.realpath(path)


def _mode_of(target: str) -> int | None:
    """The permissions of a file that is to be replaced; None: there is none. Refuses what should not be replaced."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return stat.S_IMODE(mode)


def _open(folder: str) -> tuple[int, str | None]:
    """A new file on the disk of the folder, open for writing and locked, and its name if it has one."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            handle = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):  # which say: not on this disk
                raise
        else:
            _lock(handle)
            return handle, None
    while True:
        name = _new_name(folder)
        handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
        _lock(handle)
        if fcntl is None or _is_called(handle, name):
            return handle, name
        os.close(handle)  # swept away before it was locked


# ---- what a killed process leaves ----------------------------------------------------------------------------------

_PREFIX, _SUFFIX = ".rosenblatt-", ".part"
_swept: set[str] = set()


def _new_name(folder: str) -> str:
    """A name that nobody else makes: its second half is a checksum of the first."""
    random = os.urandom(8).hex()
    return os.path.join(folder, f"{_PREFIX}{random}{_checksum(random)}{_SUFFIX}")


def _checksum(random: str) -> str:
    return f"{zlib.crc32(f'rosenblatt {random}'.encode()):08x}"


def _is_ours(name: str) -> bool:
    middle = name[len(_PREFIX) : -len(_SUFFIX)]
    return name == f"{_PREFIX}{middle}{_SUFFIX}" and len(middle) == 24 and _checksum(middle[:16]) == middle[16:]


def _sweep(folder: str) -> None:
    """Remove files that were left here by processes that died as they wrote, once in the life of this process.

    A process that writes holds a lock on its file, and the lock goes with the process, on whatever machine it was: a
    file that can be locked is nobody's. What is not called, or not owned, as our files are is left alone; and so is
    everything where files cannot be locked.
    """
    if fcntl is None or folder in _swept:
        return
    _swept.add(folder)
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if _is_ours(entry.name)]:
            with contextlib.suppress(OSError):
                _remove_if_left(os.path.join(folder, name))


def _remove_if_left(path: str) -> None:
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_called(handle, path):
                os.unlink(path)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Tell others that a process is at work on a file, until it is closed or the process dies."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a disk without locks, where nobody sweeps
            fcntl.flock(handle, fcntl.LOCK_EX)


def _is_called(handle: int, path: str) -> bool:
    """Whether an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _sync(folder: str) -> None:
    """Make the new name last, where a folder can be synced."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # the file is in place and whole; some disks have no more to promise
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
