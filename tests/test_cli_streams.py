"""Pipes in place of files, standard streams that are closed or full, and the ends of processes."""

import contextlib
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from clockless import GUARD

import rosenblatt as rb
from rosenblatt import cli, model_files
from rosenblatt.cli import train as train_command
from rosenblatt.cli import training
from rosenblatt.core import engine
from rosenblatt.data import pipes

pytestmark = pytest.mark.posix

ROWS = b"".join(b"%d 1:%d 2:%d\n" % (1 if i % 3 else -1, i % 7, i % 5) for i in range(1, 61))
TABLE = b"label,text,size\n" + b"".join(
    b"%s,%s film that I saw,%d\n" % ((b"pos", b"good", i % 7) if i % 3 else (b"neg", b"bad", i % 5)) for i in range(60)
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.svm").write_bytes(ROWS)
    (tmp_path / "table.csv").write_bytes(TABLE)
    with gzip.open("zipped.csv.gz", "wb") as file:
        file.write(TABLE)
    return tmp_path


@contextlib.contextmanager
def piped(*names, at_a_time=1 << 16):
    """Named pipes that give the bytes of these files, once."""
    os.mkdir("pipes")

    def feed(name):
        with (
            contextlib.suppress(BrokenPipeError),
            open(f"pipes/{name}", "wb", buffering=0) as pipe,
            open(name, "rb") as file,
        ):
            while some := file.read(at_a_time):
                pipe.write(some)

    for name in names:
        os.mkfifo(f"pipes/{name}")
    threads = [threading.Thread(target=feed, args=[name], daemon=True) for name in names]
    for thread in threads:
        thread.start()
    yield [f"pipes/{name}" for name in names]
    for thread in threads:
        thread.join(GUARD)
        assert not thread.is_alive()
    shutil.rmtree("pipes")


def rosenblatt(*words):
    return cli.main([str(word) for word in words])


def process(*words, **options):
    return subprocess.Popen([sys.executable, "-m", "rosenblatt", *map(str, words)], **options)


def in_a_shell(command, **options):
    """What a command comes to in a shell, where ``$R`` is rosenblatt."""
    command = command.replace("$R", f"{sys.executable} -m rosenblatt")
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=GUARD, **options)


def same(one, other):
    assert np.array_equal(rb.load(one).coef_, rb.load(other).coef_)
    assert rb.load(one).verdict_ == rb.load(other).verdict_


# ---- pipes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rows.svm", []),
        ("rows.svm", ["--stream", "--passes", 3]),
        ("rows.svm", ["--held-out", 0.25]),
        ("table.csv", []),
        ("table.csv", ["--passes", 1]),
        ("table.csv", ["--stream", "--held-out", 0.25, "--block-rows", 7]),
        ("table.csv", ["--class-weight", "balanced"]),
        ("zipped.csv.gz", ["--stream", "--passes", 3]),
    ],
    ids=str,
)
def test_a_pipe_teaches_what_the_file_does(name, options, here, capsys):
    assert rosenblatt("train", name, "-o", "of_file", "--json", *options) == 0
    expected = json.loads(capsys.readouterr().out)
    with piped(name, at_a_time=1000) as [pipe]:
        assert rosenblatt("train", pipe, "-o", "of_pipe", "--json", *options) == 0
    found = json.loads(capsys.readouterr().out)
    same("of_file", "of_pipe")
    assert {**found, "files": [name], "seconds": 0} == {**expected, "seconds": 0}


def test_an_index_0_far_down_a_pipe_counts_as_in_a_file(here):
    (here / "late.svm").write_bytes(ROWS + b"1 0:1 1:1\n")
    assert rosenblatt("train", "late.svm", "-o", "of_file", "-q") == 0
    with piped("late.svm") as [pipe]:
        assert rosenblatt("train", pipe, "-o", "of_pipe", "-q", "--block-rows", 5) == 0
    same("of_file", "of_pipe")


@pytest.mark.parametrize("options", [[], ["--stream"]])
def test_a_pipe_that_is_held_out_is_judged(options, here, capsys):
    assert rosenblatt("train", "table.csv", "-o", "m", "--held-out", "zipped.csv.gz", "--json", *options) == 0
    expected = json.loads(capsys.readouterr().out)["held_out"]
    with piped("table.csv", "zipped.csv.gz") as [rows, held_out]:
        assert rosenblatt("train", rows, "-o", "m", "--held-out", held_out, "--json", *options) == 0
    assert json.loads(capsys.readouterr().out)["held_out"] == expected


@pytest.mark.parametrize(
    "words", ["predict m FILE", "evaluate m FILE --json", "explain m FILE --json", "separable FILE --json",
              "trace FILE --passes 2", "convert FILE - --to vw", "convert FILE - --to jsonl",
              "convert FILE - --to svmlight"]
)  # fmt: skip
def test_every_command_reads_a_pipe(words, here, capfdbinary):
    assert rosenblatt("train", "table.csv", "-o", "m", "-q") == 0
    words = words.split()
    assert rosenblatt(*(word.replace("FILE", "table.csv") for word in words)) == 0
    expected = capfdbinary.readouterr().out
    with piped("table.csv") as [pipe]:
        assert rosenblatt(*(word.replace("FILE", pipe) for word in words)) == 0
    assert capfdbinary.readouterr().out.replace(b"pipes/", b"") == expected


def test_compression_is_known_from_bytes_that_come_one_by_one(here):
    with piped("zipped.csv.gz", at_a_time=1) as [pipe]:
        assert len(rb.data.read(pipe, format="csv")) == 60


def test_what_can_be_read_once_is_not_named_twice(here, capsys):
    os.mkfifo("pipe")
    os.symlink("pipe", "link")
    for words in (["train", "pipe", "link", "-o", "m"], ["train", "pipe", "-o", "m", "--held-out", "link"],
                  ["separable", "pipe", "pipe"], ["train", "-", "-o", "m", "--held-out", "-"]):  # fmt: skip
        assert rosenblatt(*words) == 1
        assert capsys.readouterr().err.endswith(": it is named twice, and can be read only once\n")
    with pytest.raises(rb.data.DataError, match="named twice"):
        rb.data.read(["pipe", "pipe"])


def test_workers_of_a_cluster_read_no_pipe(here):
    os.mkfifo("pipe")
    for name, what in (("pipe", "pipe is a pipe"), ("-", "standard input")):
        with pytest.raises(
            ValueError, match=f"{what}.* cannot be read by the workers of a cluster; write it to a file"
        ):
            rb.distributed.fit(rb.Perceptron(), name, client="here")
        with pytest.raises(ValueError, match=f"{what}.* cannot be read by the workers of a cluster"):
            rb.distributed.fit(rb.Perceptron(), "rows.svm", client="here", held_out=name)


def test_what_is_kept_has_a_limit_and_what_is_read_once_is_not_kept(here, capsys, monkeypatch):
    (here / "long.svm").write_bytes(ROWS * 2000)
    monkeypatch.setattr(pipes, "MOST", 1 << 20)
    with piped("long.svm") as [pipe]:
        assert rosenblatt("train", pipe, "-o", "m", "-q", "--passes", 1, "--block-rows", 100) == 0
    with piped("long.svm") as [pipe]:
        assert rosenblatt("train", pipe, "-o", "no", "--passes", 2, "--stream", "--block-rows", 100) == 1
    assert "long.svm: more than 0 GiB have come, which are kept as they are read more than" in capsys.readouterr().err
    assert not os.path.exists("no")


def test_a_folder_of_temporary_files_that_takes_nothing(here, capsys, monkeypatch):
    monkeypatch.setattr(pipes, "IN_MEMORY", 10)
    monkeypatch.setattr("tempfile.tempdir", str(here / "none"))
    with piped("rows.svm") as [pipe]:
        assert rosenblatt("train", pipe, "-o", "m") == 1
    said = (
        "could not be kept in the folder of temporary files, as No such file or directory; write it to a file first\n"
    )
    assert capsys.readouterr().err.endswith(said)


def test_a_reading_that_was_given_up_takes_nothing_from_the_next(here):
    """A thread that waits for a pipe cannot be ended: what it gets is kept, and it gets no more."""
    os.mkfifo("pipe")
    kept, got = pipes.ReplayablePipe("pipe"), []
    writing = threading.Thread(target=lambda: got.append(open("pipe", "wb", buffering=0)))  # noqa: SIM115
    writing.start()
    first = kept.open()
    writing.join()
    [pipe] = got
    waiting = threading.Thread(target=lambda: got.append(first.read()))
    pipe.write(b"ab")
    waiting.start()
    second = kept.open()
    kept.release()
    pipe.write(b"cd")
    pipe.close()
    assert second.read() == b"abcd"
    waiting.join(GUARD)
    kept.close()


def test_a_socket_and_a_folder_are_no_files(here, capsys):
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        assert rosenblatt("train", "socket", "-o", "m") == 1
    assert "socket is a socket; write what comes from it to a file" in capsys.readouterr().err
    assert rosenblatt("train", ".", "-o", "m") == 1
    assert "is a folder; name its files" in capsys.readouterr().err


# ---- files that change ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [(lambda: os.remove("rows.svm"), "there is no file 'rows.svm'"),
     (lambda: Path("rows.svm").write_bytes(ROWS * 2), "rows.svm: the file has changed since it was first opened")],
    ids=["removed", "longer"],
)  # fmt: skip
def test_a_file_that_changes_between_passes_costs_the_rest_alone(change, sentence, here, capsys, monkeypatch):
    made = training._one_pass

    def one_pass(course, stream, number, rng):
        made(course, stream, number, rng)
        if number == 2:
            change()

    monkeypatch.setattr(training, "_one_pass", one_pass)
    assert rosenblatt("train", "rows.svm", "-o", "m", "--stream", "--passes", 4) == 1
    err = capsys.readouterr().err
    assert sentence in err
    assert err.endswith("; the model so far, of 120 examples, is in m\n")
    assert rb.load("m")._learner.visited == 120


def test_a_file_that_changes_before_it_is_held_out_of_is_not_judged(here, capsys, monkeypatch):
    made = training.in_memory

    def in_memory(course):
        made(course)
        os.utime("rows.svm", ns=(0, 0))

    monkeypatch.setattr(training, "in_memory", in_memory)
    assert rosenblatt("train", "rows.svm", "-o", "m", "--held-out", 0.25) == 1
    assert (
        "the file has changed since it was first opened; the model is in m, but it was not evaluated"
        in capsys.readouterr().err
    )


def test_what_is_read_from_is_not_replaced(here, capsys):
    os.link("rows.svm", "other.svm")
    for words in (["rows.svm", "-o", "other.svm"], ["*.svm", "-o", "rows.svm"],
                  ["table.csv", "-o", "rows.svm", "--held-out", "rows.svm"],
                  ["table.csv", "-o", "m", "--workers", 2, "--checkpoint", "table.csv"]):  # fmt: skip
        assert rosenblatt("train", *words) == 1
        assert ": this file is read from and would be overwritten; name another" in capsys.readouterr().err
    assert rosenblatt("train", "table.csv", "-o", "m", "--workers", 2, "--checkpoint", "m") == 1
    assert "the checkpoint and the model must be two files" in capsys.readouterr().err
    (here / "reviews.csv").write_text("mine")
    assert rosenblatt("demo", "--keep", ".") == 1
    assert "reviews.csv exists with other content" in capsys.readouterr().err
    assert (here / "rows.svm").read_bytes() == ROWS
    assert (here / "reviews.csv").read_text() == "mine"


# ---- standard streams ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("train rows.svm -o m >&-", 0, ""),
        ("train rows.svm -o m <&- >&- 2>&-", 0, ""),
        ("train rows.svm -o m --json >&-", 1, "rosenblatt: standard output is closed; the model is in m\n"),
        ("convert rows.svm m.csv >&-", 0, ""),
        ("predict model rows.svm >&-", 1, "rosenblatt: standard output is closed\n"),
        ("train - -o no <&-", 1, "rosenblatt: standard input is closed; name files to read\n"),
        ("train none.svm -o no 2>&-", 1, ""),
        ("train rows.svm -o m > /dev/full", 0, "standard output: No space left on device; the model is in m\n"),
        ("train rows.svm -o m --json > /dev/full", 1,
         "rosenblatt: standard output: No space left on device; the model is in m\n"),
        ("--help > /dev/full", 1, "rosenblatt: standard output: No space left on device\n"),
        ("train faulty.svm -o m -q --on-error skip 2> /dev/full", 0, ""),
    ],
)  # fmt: skip
def test_standard_streams_that_are_closed_or_full(command, code, said, here):
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("there is no disk that is full")
    rosenblatt("train", "rows.svm", "-o", "model", "-q")
    (here / "faulty.svm").write_bytes(ROWS + b"1 2:x\n")
    ended = in_a_shell(f"$R {command}")
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, "", said)
    assert not os.path.exists("no")
    if " -o m" in command:
        assert rb.load("m").n_updates_ > 0


def test_standard_input_is_kept_too(here):
    assert rosenblatt("train", "rows.svm", "-o", "of_file", "-q", "--stream", "--held-out", 0.25) == 0
    for command in ("cat rows.svm | $R train -", "$R train - < rows.svm", "cat rows.svm | $R train /dev/stdin"):
        ended = in_a_shell(f"{command} -o of_pipe -q --stream --held-out 0.25")
        assert (ended.returncode, ended.stderr) == (0, "")
        same("of_file", "of_pipe")


def test_a_result_in_a_file_does_not_depend_on_who_reads_the_summary(here):
    """The reader of the pipe is gone before anything is written."""
    read, write = os.pipe()
    os.close(read)
    with process("train", "rows.svm", "-o", "m", stdout=write, stderr=subprocess.PIPE) as training_process:
        os.close(write)
        _, err = training_process.communicate(timeout=GUARD)
    assert (training_process.returncode, err) == (0, b"")
    assert rb.load("m").n_updates_ > 0


def test_letters_that_standard_output_has_not(here):
    (here / "greek.csv").write_text("label,size\n" + "α,1\nβ,5\n" * 9)
    assert rosenblatt("train", "greek.csv", "-o", "m", "-q") == 0
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = in_a_shell("$R evaluate m greek.csv && $R evaluate m greek.csv --json", env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "\\u03b1" in ended.stdout
    assert set(json.loads(ended.stdout.splitlines()[-1])["classes"]) == {"α", "β"}


# ---- signals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "name", "code"),
    [
        ("train pipe -o new", "SIGHUP", 129),
        ("predict model pipe -o new", "SIGTERM", 143),
        ("convert pipe new.csv", "SIGINT", 130),
    ],
)
def test_a_signal_while_a_pipe_is_waited_for(words, name, code, here):
    rosenblatt("train", "rows.svm", "-o", "model", "-q")
    os.mkfifo("pipe")
    before = sorted(os.listdir())
    with (
        process(*words.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reading,
        open("pipe", "wb", buffering=0) as pipe,  # once it is read from
    ):
        pipe.write(ROWS[:20])
        reading.send_signal(getattr(signal, name))
        out, err = reading.communicate(timeout=GUARD)
    assert (reading.returncode, out) == (code, "")
    assert err in ("rosenblatt: interrupted; nothing was written\n", "rosenblatt: interrupted\n")
    assert sorted(os.listdir()) == before


def test_what_is_ignored_stays_ignored(here, monkeypatch):
    """As under nohup, or in the background of a script."""
    made = training._one_pass

    def one_pass(*arguments):
        signal.raise_signal(signal.SIGTERM)
        made(*arguments)

    monkeypatch.setattr(training, "_one_pass", one_pass)
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert rosenblatt("train", "rows.svm", "-o", "m", "-q", "--stream") == 0
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_interrupt_of_an_import_is_one(here):
    """NumPy makes an ImportError of whatever is raised while it is imported."""
    (here / "numpy.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGTERM)\n    while True: pass\n"
        "except BaseException as error:\n    raise ImportError('read this') from error\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(here)}
    ended = in_a_shell("$R train rows.svm -o m", env=environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "", "rosenblatt: interrupted\n")


def test_an_interrupt_after_saving_says_where_the_model_is(here, capsys, monkeypatch):
    monkeypatch.setattr(train_command, "show", lambda _: signal.raise_signal(signal.SIGTERM))
    assert rosenblatt("train", "rows.svm", "-o", "m") == 143
    assert capsys.readouterr().err == "rosenblatt: interrupted; the model is in m\n"
    assert rb.load("m").n_updates_ > 0


def test_a_terminal_that_goes_away_costs_no_model(here):
    """The terminal hangs up in the midst of learning: the model so far is saved, though nobody can be told."""
    import pty

    (here / "long.svm").write_bytes(ROWS * 200)
    main, side = pty.openpty()
    words = ["train", "long.svm", "-o", "m", "--stream", "--passes", "1000000"]
    with process(*words, stdin=side, stdout=side, stderr=side, start_new_session=True) as learning:
        os.close(side)
        written = b""
        while b"mistakes" not in written:
            written += os.read(main, 4096)
        os.close(main)
        learning.send_signal(signal.SIGHUP)
        assert learning.wait(GUARD) == 129
    assert rb.load("m").n_updates_ > 0


# ---- signals within a pass -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [[], ["--stream"], ["--algorithm", "pocket"], ["--algorithm", "voted"]], ids=str)
def test_native_calls_are_cut_by_their_work_without_changing_a_bit(how, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)).round(3), rng.integers(4, size=200)
    rb.data.write_svmlight(tmp_path / "a.svm", X, y)
    arguments = ["train", str(tmp_path / "a.svm"), "--quiet", "--passes", "3", *how, "-o"]
    assert cli.main([*arguments, str(tmp_path / "whole")]) == 0
    monkeypatch.setattr("rosenblatt.core.learner._CALL", 7 * 5 * 4)
    assert cli.main([*arguments, str(tmp_path / "cut")]) == 0
    one, other = (model_files.read(tmp_path / name).learner for name in ("whole", "cut"))
    rows = one.admit(X)
    np.testing.assert_array_equal(one.scores(rows), other.scores(rows))
    assert (one.visited, one.n_updates, one.passes) == (other.visited, other.n_updates, other.passes)


@pytest.mark.posix
@pytest.mark.parametrize("how", [[], ["--stream"], ["--algorithm", "kernel", "--block-size", "16"]], ids=str)
def test_a_signal_is_obeyed_within_a_pass(how, tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)).round(3), rng.integers(4, size=200)
    rb.data.write_svmlight(tmp_path / "a.svm", X, y)
    monkeypatch.setattr("rosenblatt.core.learner._CALL", 7 * 5 * 4)
    learn, calls = engine.learn, []

    def interrupted(**arguments):
        calls.append(1)
        if len(calls) == 20:
            os.kill(os.getpid(), signal.SIGTERM)
        return learn(**arguments)

    monkeypatch.setattr(engine, "learn", interrupted)
    assert cli.main(["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), *how]) == 143
    assert len(calls) == 20
    assert "the model so far is in" in capsys.readouterr().err
    visited = model_files.read(tmp_path / "m").learner.visited
    assert visited % 200
    assert visited < 1000
    assert cli.main(["inspect", str(tmp_path / "m")]) == 0
    assert cli.main(["train", str(tmp_path / "a.svm"), "--resume", str(tmp_path / "m"), "-o", str(tmp_path / "n")]) == 0
