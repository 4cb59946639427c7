"""Files appear whole or not at all: paths, full disks, sudden ends."""

import errno
import io
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import one_sentence
from saved import same_model, small

import rosenblatt as rb
from rosenblatt import atomic_files
from rosenblatt.model_files import ModelFileError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("name", ["model", "mit Leerzeichen.safetensors", "модель-好.model", "." + "n" * 200])
def test_names_of_files(name, tmp_path):
    for path in (str(tmp_path / name), tmp_path / name):
        small().save(path)
        same_model(rb.load(path), small())
    assert os.listdir(tmp_path) == [name]


@pytest.mark.posix
def test_a_relative_path_and_a_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small().save("model")
    os.symlink("model", "link")
    rb.Perceptron().learn_one({"c": 1}, 1).save("link")
    assert os.path.islink("link")
    assert rb.load("model").classes_.tolist() == [1]
    assert sorted(os.listdir(".")) == ["link", "model"]


@pytest.mark.posix
def test_paths_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    one_sentence(lambda: small().save(tmp_path / "none" / "model"), FileNotFoundError, "no such folder", "none")
    one_sentence(lambda: small().save(tmp_path / "folder"), IsADirectoryError, "it is a folder", "folder")
    one_sentence(lambda: small().save(f"{tmp_path}/new/"), IsADirectoryError, "it is a folder", "new/")
    one_sentence(lambda: small().save(tmp_path / "file" / "model"), NotADirectoryError, "is a file", "model")
    one_sentence(lambda: small().save(tmp_path / ("n" * 300)), OSError, "too long")
    os.mkfifo(tmp_path / "pipe")
    one_sentence(lambda: small().save(tmp_path / "pipe"), OSError, "not a regular file")
    with pytest.raises(TypeError):
        small().save(3)
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "pipe"]


@pytest.mark.posix
def test_paths_that_cannot_be_read(tmp_path):
    one_sentence(lambda: rb.load(tmp_path / "none"), FileNotFoundError, "none")
    one_sentence(lambda: rb.load(tmp_path), IsADirectoryError, str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    one_sentence(lambda: rb.load(tmp_path / "pipe"), ModelFileError, "pipe")


@pytest.mark.posix
def test_permissions(tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    small().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640  # as it was
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for one who is not root
    before = path.read_bytes()
    one_sentence(lambda: rb.Perceptron().learn_one({"c": 1}, 1).save(path), PermissionError, "no permission")
    assert path.read_bytes() == before


@pytest.mark.posix
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    one_sentence(lambda: small().save(tmp_path / "model"), PermissionError, "no permission")
    tmp_path.chmod(0o700)
    assert os.listdir(tmp_path) == []


class Full(io.BufferedWriter):
    """A file on a disk that fills after some bytes."""

    room = 0

    def write(self, data):
        if len(data) > self.room:
            super().write(memoryview(data)[: self.room])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(data)
        return super().write(data)


@pytest.fixture(params=["nameless", "named"])
def kind_of_file(request, monkeypatch):
    """Whether the system can make files without a name, as Linux can, or not."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return request.param


@pytest.mark.parametrize("share", [0, 0.002, 0.01, 0.5, 0.999])
def test_a_disk_that_fills_while_saving(share, kind_of_file, tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    larger = rb.AveragedPerceptron(max_iter=2).fit(np.eye(100), np.arange(100) % 3)
    larger.save(tmp_path / "new")
    room = int(share * (tmp_path / "new").stat().st_size)
    (tmp_path / "new").unlink()

    def fdopen(handle, mode):
        file = Full(io.FileIO(handle, mode))
        file.room = room
        return file

    monkeypatch.setattr(atomic_files.os, "fdopen", fdopen)
    for name in ("model", "new"):
        one_sentence(
            lambda name=name: larger.save(tmp_path / name), OSError, "the disk is full", "nothing was changed", name
        )
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.posix
@pytest.mark.parametrize("call", ["fsync", "fchmod", "replace"])
def test_a_failure_at_the_last_moment(call, kind_of_file, tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(atomic_files.os, call, fail)
        one_sentence(lambda: rb.Perceptron().learn_one({"c": 1}, 1).save(path), OSError, "the disk is full")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]
    rb.Perceptron().learn_one({"c": 1}, 1).save(path)
    assert rb.load(path).classes_.tolist() == [1]


def test_a_fault_of_another_file_is_told_as_that(kind_of_file, tmp_path):
    def copied():
        with atomic_files.replacing(tmp_path / "new") as file, open(tmp_path / "none", "rb") as other:
            file.write(other.read())

    with pytest.raises(FileNotFoundError) as caught:
        copied()
    assert caught.value.filename == str(tmp_path / "none")
    assert os.listdir(tmp_path) == []


SAVE = """
import os, resource, signal, sys, numpy as np, rosenblatt as rb
from rosenblatt import atomic_files
model = rb.AveragedPerceptron(max_iter=1, tol=None, shuffle=False).fit(np.ones((10, 20_000)), [0, 1] * 5)
"""


def in_a_process(script, path):
    return subprocess.run([sys.executable, "-c", SAVE + script, path], capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_real_limit_of_the_system(tmp_path):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    done = in_a_process("resource.setrlimit(resource.RLIMIT_FSIZE, (100_000,) * 2); model.save(sys.argv[1])", path)
    assert "OSError: [Errno 27] could not write the file, as it would be larger than a file may be here" in done.stderr
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


# ---- what a killed process leaves, and who removes it ---------------------------------------------------------------

KILLED_AT = """
import os, signal, sys
from rosenblatt import atomic_files
kind, call, path = sys.argv[1:]
if kind == "named":
    vars(os).pop("O_TMPFILE", None)
def dies(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(atomic_files.os, call, dies)
with atomic_files.replacing(path) as file:
    file.write(b"new")
"""


def killed(kind, call, path):
    """A process that replaces a file, and is killed where it would call a function of the system."""
    ended = subprocess.run([sys.executable, "-c", KILLED_AT, kind, call, path], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.mark.posix
@pytest.mark.parametrize("call", ["fdopen", "fchmod", "fsync", "link", "replace"])
def test_a_killed_process_leaves_the_file_as_it_was_and_the_next_one_removes_the_rest(kind_of_file, call, tmp_path):
    if kind_of_file == "named" and call == "link":
        pytest.skip("a file that has a name gets no other")
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    killed(kind_of_file, call, path)
    assert path.read_bytes() == before
    left = sorted(set(os.listdir(tmp_path)) - {"model"})
    nameless = kind_of_file == "nameless" and hasattr(os, "O_TMPFILE")
    assert len(left) == (0 if nameless and call != "replace" else 1)
    atomic_files._swept.clear()  # as a process that has not been here
    small().save(tmp_path / "another")
    assert sorted(os.listdir(tmp_path)) == ["another", "model"]


@pytest.mark.posix
def test_what_a_live_process_is_writing_is_not_removed(kind_of_file, tmp_path):
    with atomic_files.replacing(tmp_path / "slow") as slow:
        slow.write(b"half")
        atomic_files._swept.clear()
        small().save(tmp_path / "model")
        slow.write(b" and half")
    assert (tmp_path / "slow").read_bytes() == b"half and half"
    assert sorted(os.listdir(tmp_path)) == ["model", "slow"]


@pytest.mark.posix
def test_one_that_was_removed_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    lock, first = atomic_files._lock, []

    def late(handle):
        if not first:
            first.extend(os.listdir(tmp_path))
            atomic_files._swept.clear()
            atomic_files._sweep(tmp_path)
            assert os.listdir(tmp_path) == []
        lock(handle)

    monkeypatch.setattr(atomic_files, "_lock", late)
    small().save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]
    assert len(first) == 1


@pytest.mark.posix
def test_what_strangers_have_called_alike_is_not_removed(tmp_path, monkeypatch):
    ours = os.path.basename(atomic_files._new_name(tmp_path))
    strangers = [".0123456789abcdef.part", ".rosenblatt-0123456789abcdef01234567.part", ".rosenblatt-.part", ours + "x"]
    for name in strangers:
        (tmp_path / name).write_text("mine")
    link, pipe = (Path(atomic_files._new_name(tmp_path)) for _ in range(2))
    os.symlink(strangers[0], link)
    os.mkfifo(pipe)
    small().save(tmp_path / "model")
    assert sorted(os.listdir(tmp_path)) == sorted([*strangers, link.name, pipe.name, "model"])
    other = Path(atomic_files._new_name(tmp_path))  # of another user
    other.write_text("mine")
    atomic_files._swept.clear()
    with monkeypatch.context() as patch:
        patch.setattr(atomic_files.os, "geteuid", lambda: os.getuid() + 1)
        small().save(tmp_path / "model")
    assert other.exists()


def test_a_system_without_locks_removes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic_files, "fcntl", None)
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    left = Path(atomic_files._new_name(tmp_path))
    left.write_text("")
    small().save(tmp_path / "model")
    assert sorted(os.listdir(tmp_path)) == [left.name, "model"]


@pytest.mark.posix
def test_a_place_to_write_to_is_checked_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    os.symlink(tmp_path / "none" / "model", tmp_path / "link")
    atomic_files.check(tmp_path / "file")
    atomic_files.check(tmp_path / "new")
    one_sentence(lambda: atomic_files.check(tmp_path), IsADirectoryError, "it is a folder")
    one_sentence(lambda: atomic_files.check(tmp_path / "none" / "model"), FileNotFoundError, "no such folder")
    one_sentence(lambda: atomic_files.check(tmp_path / "link"), FileNotFoundError, "no such folder", "link")
    one_sentence(lambda: atomic_files.check(tmp_path / "file" / "model"), NotADirectoryError, "is a file")
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


@pytest.mark.posix
def test_the_file_and_its_folder_are_synced(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def note(handle):
        synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        fsync(handle)

    monkeypatch.setattr(atomic_files.os, "fsync", note)
    small().save(tmp_path / "model")
    assert synced == [False, True]


def test_an_interrupt_while_writing(kind_of_file, tmp_path):
    def interrupted():
        with atomic_files.replacing(tmp_path / "model") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert os.listdir(tmp_path) == []
