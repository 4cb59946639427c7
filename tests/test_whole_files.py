"""Files appear whole or not at all: paths, full disks, sudden ends."""

import errno
import io
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest
from refusals import one_sentence
from saved import same_model, small

import rosenblatt as rb
from rosenblatt import whole_files
from rosenblatt.model_files import ModelFileError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("name", ["model", "mit Leerzeichen.safetensors", "модель-好.model", "." + "n" * 200])
def test_names_of_files(name, tmp_path):
    for path in (str(tmp_path / name), tmp_path / name):
        small().save(path)
        same_model(rb.load(path), small())
    assert os.listdir(tmp_path) == [name]


def test_a_relative_path_and_a_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small().save("model")
    os.symlink("model", "link")
    rb.Perceptron().learn_one({"c": 1}, 1).save("link")
    assert os.path.islink("link")
    assert rb.load("model").classes_.tolist() == [1]
    assert sorted(os.listdir(".")) == ["link", "model"]


def test_paths_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    one_sentence(lambda: small().save(tmp_path / "none" / "model"), FileNotFoundError, "no such folder", "none")
    one_sentence(lambda: small().save(tmp_path / "folder"), IsADirectoryError, "it is a folder", "folder")
    one_sentence(lambda: small().save(tmp_path / "file" / "model"), NotADirectoryError, "is a file", "model")
    one_sentence(lambda: small().save(tmp_path / ("n" * 300)), OSError, "too long")
    os.mkfifo(tmp_path / "pipe")
    one_sentence(lambda: small().save(tmp_path / "pipe"), OSError, "a device or a pipe")
    with pytest.raises(TypeError):
        small().save(3)
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "pipe"]


def test_paths_that_cannot_be_read(tmp_path):
    one_sentence(lambda: rb.load(tmp_path / "none"), FileNotFoundError, "none")
    one_sentence(lambda: rb.load(tmp_path), IsADirectoryError, str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    one_sentence(lambda: rb.load(tmp_path / "pipe"), ModelFileError, "pipe")


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


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
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

    monkeypatch.setattr(whole_files.os, "fdopen", fdopen)
    for name in ("model", "new"):
        one_sentence(
            lambda name=name: larger.save(tmp_path / name), OSError, "the disk is full", "nothing was changed", name
        )
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("call", ["fsync", "fchmod", "replace"])
def test_a_failure_at_the_last_moment(call, kind_of_file, tmp_path, monkeypatch):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(whole_files.os, call, fail)
        one_sentence(lambda: rb.Perceptron().learn_one({"c": 1}, 1).save(path), OSError, "the disk is full")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]
    rb.Perceptron().learn_one({"c": 1}, 1).save(path)
    assert rb.load(path).classes_.tolist() == [1]


SAVE = """
import os, resource, signal, sys, numpy as np, rosenblatt as rb
from rosenblatt import whole_files
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


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_process_that_dies_leaves_nothing_behind(tmp_path):
    path = tmp_path / "model"
    small().save(path)
    before = path.read_bytes()
    script = "whole_files.os.fsync = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL); model.save(sys.argv[1])"
    assert in_a_process(script, path).returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_the_file_and_its_folder_are_synced(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def note(handle):
        synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        fsync(handle)

    monkeypatch.setattr(whole_files.os, "fsync", note)
    small().save(tmp_path / "model")
    assert synced == [False, True]


def test_an_interrupt_while_writing(kind_of_file, tmp_path):
    def interrupted():
        with whole_files.replacing(tmp_path / "model") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert os.listdir(tmp_path) == []
