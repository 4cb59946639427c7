"""The command as a process: quick, quiet when piped, without scikit-learn, and polite when interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import rosenblatt as rb
from rosenblatt import cli

ROWS = b"1 1:1 2:0.5\n-1 2:1\n1 1:2\n-1 3:1\n"


def rosenblatt(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "rosenblatt", *map(str, arguments)], capture_output=True, text=True, **options
    )


@pytest.fixture
def mood(tmp_path):
    (tmp_path / "reviews.csv").write_text(
        "label,text\n" + "pos,a good film that I liked\nneg,a bad film that was long\n" * 5
    )
    assert cli.main(["train", "-q", str(tmp_path / "reviews.csv"), "-o", str(tmp_path / "mood.model")]) == 0
    return tmp_path / "mood.model"


def test_version_is_told_without_numpy():
    code = "import sys; sys.argv[1:] = ['--version']\nfrom rosenblatt.cli import main\ntry: main()\nexcept SystemExit: "
    code += "print('numpy' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout.split() == ["rosenblatt", rb.__version__, "False"]


def test_no_command_imports_scikit_learn(mood, tmp_path):
    (tmp_path / "a.svm").write_bytes(ROWS)
    commands = [
        ["train", tmp_path / "reviews.csv", "-o", tmp_path / "n"],
        ["predict", mood, tmp_path / "reviews.csv"],
        ["evaluate", mood, tmp_path / "reviews.csv"],
        ["explain", mood],
        ["explain", mood, "good film"],
        ["inspect", mood],
        ["convert", tmp_path / "reviews.csv", tmp_path / "b.jsonl"],
        ["completion", "bash"],
    ]
    with_scipy = [["separable", tmp_path / "a.svm"], ["trace", tmp_path / "a.svm"], ["demo"]]
    for command in commands + with_scipy:
        code = f"import sys\nfrom rosenblatt.cli import main\nassert main({list(map(str, command))!r}) == 0\n"
        code += "assert 'sklearn' not in sys.modules"
        if command not in with_scipy:
            code += " and 'scipy' not in sys.modules and 'pandas' not in sys.modules"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert ended.returncode == 0, (command, ended.stderr)


@pytest.mark.parametrize("module", cli.COMMANDS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_help_begins_with_an_example_that_parses(module):
    name = module.__name__.rpartition(".")[2]
    ended = rosenblatt(name, "--help")
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"example: rosenblatt {name}")
    import shlex

    words = shlex.split(module.EXAMPLE.partition(">")[0])[1:]
    assert cli.parser().parse_args(words).command == name


def test_quiet_when_piped(mood, tmp_path):
    ended = rosenblatt("predict", mood, tmp_path / "reviews.csv", "--no-header")
    assert ended.stderr == ""
    assert ended.stdout.split() == ["pos", "neg"] * 5


def test_a_closed_pipe_is_no_error(mood, tmp_path):
    (tmp_path / "long.csv").write_text("text\n" + "good film\n" * 200_000)
    command = f"{sys.executable} -m rosenblatt predict {mood} {tmp_path / 'long.csv'} | head -1"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert ended.stdout == "label\n"
    assert ended.stderr == ""


def test_progress_on_a_terminal_is_a_line_that_goes_away(tmp_path):
    (tmp_path / "a.svm").write_bytes(ROWS * 50_000)
    main, side = pytest.importorskip("pty").openpty()
    command = [
        sys.executable,
        "-m",
        "rosenblatt",
        "train",
        str(tmp_path / "a.svm"),
        "-o",
        str(tmp_path / "m"),
        "--stream",
    ]
    process = subprocess.Popen(command, stderr=side, stdout=subprocess.DEVNULL)
    os.close(side)
    written = b""
    while True:
        try:
            some = os.read(main, 4096)
        except OSError:
            break
        if not some:
            break
        written += some
    os.close(main)
    assert process.wait() == 0
    told = written.decode()
    assert "examples, " in told
    assert "mistakes" in told
    assert "s left" in told
    assert told.endswith("\r\x1b[K")


def test_json_for_machines(mood, tmp_path):
    for command in (["inspect", mood], ["evaluate", mood, tmp_path / "reviews.csv"], ["explain", mood],
                    ["explain", mood, "good"], ["train", tmp_path / "reviews.csv", "-o", tmp_path / "n"]):  # fmt: skip
        ended = rosenblatt(*command, "--json")
        assert ended.returncode == 0
        assert json.loads(ended.stdout)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_ctrl_c_saves_the_model_so_far_and_says_so(tmp_path):
    (tmp_path / "a.svm").write_bytes((ROWS + b"1 4:1\n-1 4:1\n") * 100_000)  # which nothing separates
    for options in (["--stream", "--passes", "20000"], ["--passes", "100000"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "rosenblatt", "train", tmp_path / "a.svm", "-o", tmp_path / "m", *options],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.startswith("interrupted after ")
        assert f"the model so far is in {tmp_path / 'm'}" in err
        assert rb.load(tmp_path / "m").n_updates_ > 0
        (tmp_path / "m").unlink()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_ctrl_c_before_anything_was_learned_writes_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "train", "-", "-o", tmp_path / "m", "--format", "svmlight"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted; nothing was written" in err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("options", [["--stream"], ["--tol", "0.01"], ["-a", "pocket"], ["-a", "mira"]])
def test_inspect_tells_of_any_model(tmp_path, capsys, options):
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(["train", "-q", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), *options]) == 0
    assert cli.main(["inspect", str(tmp_path / "m")]) == 0
    out = capsys.readouterr().out
    assert "best margin  at" in out
    assert "svmlight files" in out


# ---- explanations --------------------------------------------------------------------------------------------------


def test_what_the_features_add_comes_to_the_score(mood, tmp_path, capsys):
    assert cli.main(["explain", str(mood), "not a good film", "--json", "--top", "100"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {part["feature"] for part in told["features"]} == {"not", "good", "not good", "film", "good film"}
    assert sum(part["adds"] for part in told["features"]) + told["bias"] == pytest.approx(told["score"], abs=1e-6)
    assert told["label"] == "pos"


def test_the_strongest_features_have_their_words(mood, capsys):
    assert cli.main(["explain", str(mood), "--json", "--top", "4"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "good" in {row["feature"] for row in told["pos"]}
    assert "bad" in {row["feature"] for row in told["neg"]}


def test_mixed_columns_are_explained_by_name(tmp_path, capsys):
    rows = [
        "red,1.5,cook,good film that I liked",
        "green,-1,pilot,bad film that was long",
        "blue,9,cook,so so it was a film",
    ]
    (tmp_path / "t.csv").write_text("label,size,job,text\n" + "\n".join(rows * 8) + "\n")
    assert cli.main(["train", "-q", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]) == 0
    assert (
        cli.main(["explain", str(tmp_path / "m"), str(tmp_path / "t.csv"), "--json", "--top", "99", "--rows", "3"]) == 0
    )
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["label"] for line in lines] == ["red", "green", "blue"]
    for line in lines:
        assert sum(part["adds"] for part in line["features"]) + line["bias"] == pytest.approx(line["score"], abs=1e-5)
    names = {part["feature"] for part in lines[1]["features"]}
    assert {"size", "job=pilot", "bad", "bad film"} <= names
    assert cli.main(["explain", str(tmp_path / "m"), "--json", "--top", "99"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "job=pilot" in {row["feature"] for row in told["green"]}
    assert not any(row["feature"].startswith("#") for rows in told.values() for row in rows)
