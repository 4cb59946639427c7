"""Files that appear whole or not at all: written where nobody sees them, synced, and then put in place."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

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

    Where the system can, it has no name until it is complete, so that nothing is left of it if the process dies.
    """
    try:
        target = Path(os.path.realpath(path))  # a link stays a link
        mode = _mode_of(target)
        handle, name = _open(target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                if mode is not None and os.name == "posix":
                    os.fchmod(handle, mode)
                os.fsync(handle)
                if name is None:
                    name = _new_name(target.parent)
                    os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle)  # the number makes it follow the link
            os.replace(name, target)
            name = None
            _sync(target.parent)
        finally:
            if name is not None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise OSError(error.errno, f"could not write the file, as {reason}; nothing was changed", str(path)) from error


def _mode_of(target: Path) -> int | None:
    """The permissions of a file that is to be replaced; None: there is none. Refuses what should not be replaced."""
    try:
        found = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found):
        raise OSError(errno.EINVAL, "it is a device or a pipe and no file")
    if not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return stat.S_IMODE(found)


def _open(folder: Path) -> tuple[int, Path | None]:
    """A new file on the disk of the folder, open for writing, and its name if it has one."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666), None
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):  # which say: not on this disk
                raise
    name = _new_name(folder)
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666), name


def _new_name(folder: Path) -> Path:
    return folder / f".{os.urandom(8).hex()}.part"


def _sync(folder: Path) -> None:
    """Make the new name last, where a folder can be synced."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # the file is in place and whole; some disks have no more to promise
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
