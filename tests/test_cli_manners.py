"""The command as a process: quick, quiet when piped, without scikit-learn, and polite when interrupted."""

import contextlib
import json
import os
import re
import shlex
import signal
import struct
import subprocess
import sys

import numpy as np
import pytest
from clockless import GUARD

import rosenblatt as rb
from rosenblatt import atomic_files, cli
from rosenblatt.cli import evaluate, terminal, training
from rosenblatt.core.learner import Learner

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
    files = [str(tmp_path / "reviews.csv"), "-o", str(tmp_path / "mood.model"), "--characters", "none"]
    assert cli.main(["train", "-q", *files, "--bits", "12"]) == 0
    return tmp_path / "mood.model"


def test_version_is_told_without_numpy():
    code = "import sys; sys.argv[1:] = ['--version']\nfrom rosenblatt.cli import main\ntry: main()\nexcept SystemExit: "
    code += "print('numpy' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout.split() == ["rosenblatt", rb.__version__, "False"]


def test_no_command_imports_scikit_learn(mood, tmp_path):
    (tmp_path / "a.svm").write_bytes(ROWS)
    (tmp_path / "numbers.svm").write_bytes(b"0.5 1:1\n1.5 2:1\n")
    train = ["train", tmp_path / "a.svm", "-o", tmp_path / "k"]
    light = [
        ["train", tmp_path / "reviews.csv", "-o", tmp_path / "n", "--bits", 10],
        ["train", tmp_path / "numbers.svm", "-o", tmp_path / "n"],
        ["predict", mood, tmp_path / "reviews.csv"],
        ["evaluate", mood, tmp_path / "reviews.csv"],
        ["explain", mood],
        ["explain", mood, "good film"],
        ["inspect", mood],
        ["convert", tmp_path / "reviews.csv", tmp_path / "b.jsonl"],
        ["completion", "bash"],
    ]
    with_scipy = [[*train, "-a", "kernel"], [*train, "-a", "voted"], ["predict", tmp_path / "k", tmp_path / "a.svm"],
                  ["separable", tmp_path / "a.svm"], ["trace", tmp_path / "a.svm"], ["demo"]]  # fmt: skip
    code = "import sys\nfrom rosenblatt.cli import main\n"
    for command in light + with_scipy:
        code += f"assert main({list(map(str, command))!r}) == 0\n"
        forbidden = {"sklearn", "pandas", "scipy"} if command in light else {"sklearn"}
        code += f"assert not {forbidden!r} & set(sys.modules), {command[0]!r}\n"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_begins_with_an_example_that_parses(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"example: rosenblatt {name}")
    assert lines[2].startswith(f"usage: rosenblatt {name} ")
    assert lines[2].endswith(" [options]")
    example = cli.COMMANDS[name].example
    words = shlex.split(example.partition(">")[0])[1:]
    assert cli.parser().parse_args(words).command == name


def test_quiet_when_piped(mood, tmp_path):
    ended = rosenblatt("predict", mood, tmp_path / "reviews.csv", "--no-output-header")
    assert ended.stderr == ""
    assert ended.stdout.split() == ["pos", "neg"] * 5


@pytest.mark.posix
def test_a_closed_pipe_is_no_error(mood, tmp_path):
    (tmp_path / "long.csv").write_text("text\n" + "good film\n" * 200_000)
    command = f"{sys.executable} -m rosenblatt predict {mood} {tmp_path / 'long.csv'} | head -1"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert ended.stdout == "label\n"
    assert ended.stderr == ""


def on_a_terminal(columns, *arguments):
    """What a command writes to a terminal of so many columns, as the lines that replace each other."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    main, side = pytest.importorskip("pty").openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", *map(str, arguments)], stderr=side, stdout=subprocess.DEVNULL
    )
    os.close(side)
    written = b""
    with contextlib.suppress(OSError):  # the end
        while some := os.read(main, 4096):
            written += some
    os.close(main)
    assert process.wait() == 0
    first, *lines = written.decode().split("\r\x1b[K")
    assert first == ""
    assert lines[-1] == ""  # it goes away
    return lines[:-1]


def test_progress_on_a_terminal_is_a_line_that_goes_away(tmp_path):
    (tmp_path / "a.svm").write_bytes(ROWS * 20_000)
    for columns in (80, 40):
        slowly = ("--block-rows", "128")  # so that there are several lines, ten a second
        lines = on_a_terminal(columns, "train", tmp_path / "a.svm", "-o", tmp_path / "m", "--stream", *slowly)
        assert all(len(line) < columns for line in lines)
        told = [line for line in lines if line.endswith(" s left")]
        assert told
        if columns >= 80:
            form = r"pass \d of 5, (\d+%, )?[\d,]+ examples, [\d,]+/s, [\d,]+ mistakes, \d+\.\d\d% right, \d+ s left"
            assert all(re.fullmatch(form, line) for line in told)
        else:
            assert all(re.fullmatch(r"pass \d of 5(, \d+\.\d\d% right)?, \d+ s left", line) for line in told)


def test_json_for_machines(mood, tmp_path, capsys):
    reviews = tmp_path / "reviews.csv"
    for command in (["inspect", mood], ["evaluate", mood, reviews], ["explain", mood], ["explain", mood, "good"],
                    ["train", reviews, "-o", tmp_path / "n", "--bits", 10], ["convert", reviews, tmp_path / "c.jsonl"],
                    ["trace", reviews, "--passes", 1], ["separable", reviews], ["predict", mood, reviews]):  # fmt: skip
        assert cli.main([*map(str, command), "--json"]) == 0
        for line in capsys.readouterr().out.splitlines():
            assert json.loads(line, parse_constant=pytest.fail)  # NaN is no JSON


@pytest.mark.parametrize(
    ("command", "code"),
    [("train no.csv -o m", 1), ("train no.csv", 2), ("inspect no", 1), ("predict no no", 1), ("trace no", 1),
     ("separable no", 1), ("convert no a.csv", 1), ("train no.csv -o m --no-such", 2), ("evaluate no no", 1)],
)  # fmt: skip
def test_errors_for_machines(command, code, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main([*command.split(), "--json"]) == code
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": err.removeprefix("rosenblatt: ").rstrip("\n")}


def test_what_is_not_finite_is_null(capsys):
    terminal.emit({"a": float("inf"), "b": [float("nan"), 1.5], "c": np.array([1, 2]), "d": (np.float64("-inf"),)})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5], "c": [1, 2], "d": [None]}


def test_json_beside_converted_rows_would_be_no_rows(mood, tmp_path, capfdbinary):
    assert cli.main(["convert", str(tmp_path / "reviews.csv"), "-", "--to", "jsonl", "--json"]) == 0
    assert len(capfdbinary.readouterr().out.splitlines()) == 10


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is full")
@pytest.mark.parametrize("command", ["inspect", "predict"])
def test_standard_output_that_takes_nothing(command, mood, tmp_path):
    files = [tmp_path / "reviews.csv"] if command == "predict" else []
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "rosenblatt", command, mood, *files], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert ended.returncode == 1
    assert ended.stderr == "rosenblatt: standard output: No space left on device\n"


# ---- interrupted ---------------------------------------------------------------------------------------------------


@pytest.fixture
def endless(tmp_path):
    (tmp_path / "a.svm").write_bytes((ROWS + b"1 4:1\n-1 4:1\n") * 2000)  # which nothing separates
    return ["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), "--passes", "1000000"]


def interrupting(monkeypatch, module, name, after, *signals):
    """Send signals to this process when a function is called so often, before it does anything."""
    calls, function = [], getattr(module, name)

    def called(*arguments, **options):
        calls.append(1)
        if len(calls) == after:
            for number in signals:
                signal.raise_signal(number)
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, called)


@pytest.mark.posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("options", [["--stream"], [], ["-a", "pa"], ["-a", "kernel", "--budget", "5", "--stream"]])
def test_an_interrupt_saves_the_model_so_far_and_says_so(number, code, options, endless, tmp_path, capsys, monkeypatch):
    where = (training, "_learn", 3) if "--stream" in options else (Learner, "_whole_pass", 3)
    interrupting(monkeypatch, *where, number)
    assert cli.main([*endless, *options, "--block-rows", "500"]) == code
    out, err = capsys.readouterr()
    n = 1500 if "--stream" in options else 3 * 12_000
    assert err == f"interrupted after {n:,} examples; the model so far is in {tmp_path / 'm'}\n"
    assert re.search(rf"model +{re.escape(str(tmp_path / 'm'))}", out)
    assert rb.load(tmp_path / "m")._learner.visited == n  # the step under way was finished


@pytest.mark.posix
def test_an_interrupt_of_the_process(endless, tmp_path):
    main, side = pytest.importorskip("pty").openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", *endless, "--stream", "--json"],
        stderr=side, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(side)
    written = os.read(main, 4096)
    while b"mistakes" not in written:  # it learns
        written += os.read(main, 4096)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):  # the end
        while some := os.read(main, 4096):
            written += some
    os.close(main)
    out, _ = process.communicate(timeout=GUARD)
    assert process.returncode == 130
    assert "\x1b[Kinterrupted after " in written.decode()
    assert json.loads(out)["interrupted"] is True
    assert rb.load(tmp_path / "m").n_updates_ > 0


@pytest.mark.posix
def test_interrupted_before_anything_was_learned_nothing_is_written(endless, tmp_path, capsys, monkeypatch):
    (tmp_path / "m").write_bytes(b"what was there")
    interrupting(monkeypatch, training, "_read", 1, signal.SIGINT)
    assert cli.main(endless) == 130
    assert capsys.readouterr().err == "rosenblatt: interrupted; nothing was written\n"
    assert (tmp_path / "m").read_bytes() == b"what was there"


@pytest.mark.posix
@pytest.mark.parametrize("options", [["--stream"], [], ["-a", "kernel", "--block-size", "9"]])
def test_the_second_interrupt_does_not_wait_and_writes_nothing(options, endless, tmp_path, capsys, monkeypatch):
    (tmp_path / "m").write_bytes(b"what was there")
    where = (training, "_learn", 3) if "--stream" in options else (Learner, "_whole_pass", 1)
    interrupting(monkeypatch, *where, signal.SIGINT, signal.SIGINT)
    assert cli.main([*endless, *options, "--block-rows", "500"]) == 130
    assert capsys.readouterr().err == "rosenblatt: interrupted; nothing was written\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svm", "m"]
    assert (tmp_path / "m").read_bytes() == b"what was there"


@pytest.mark.posix
def test_an_interrupt_while_saving_comes_too_late_and_a_second_one_leaves_what_was_there(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.svm").write_bytes(ROWS)
    command = ["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m")]
    interrupting(monkeypatch, atomic_files.os, "fsync", 1, signal.SIGINT)
    assert cli.main(command) == 0
    assert capsys.readouterr().err == ""
    before = (tmp_path / "m").read_bytes()
    interrupting(monkeypatch, atomic_files.os, "fsync", 1, signal.SIGINT, signal.SIGINT)
    assert cli.main([*command, "-a", "pa"]) == 130
    assert (tmp_path / "m").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svm", "m"]


@pytest.mark.posix
def test_an_interrupt_while_judging_loses_no_model(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.svm").write_bytes(ROWS * 5)
    interrupting(monkeypatch, evaluate, "evaluate", 1, signal.SIGINT)
    command = ["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), "--held-out", str(tmp_path / "a.svm")]
    assert cli.main(command) == 130
    assert "the model so far is in" in capsys.readouterr().err
    assert rb.load(tmp_path / "m").n_updates_ > 0


# ---- what a model is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [["--stream"], ["--tol", "0.01"], ["-a", "pocket"], ["-a", "mira"]])
def test_inspect_tells_of_any_model(tmp_path, capsys, options):
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(["train", "-q", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), *options]) == 0
    assert cli.main(["inspect", str(tmp_path / "m")]) == 0
    out = capsys.readouterr().out
    assert "max margin  at" in out
    assert "inf" not in out.split("max margin")[1].splitlines()[0]
    assert "svmlight files" in out


def test_a_thousand_classes_do_not_flood_the_terminal(tmp_path, capsys):
    lines = [f"c{i % 1000},{7 * i % 1000}\n" for i in range(2000)]
    (tmp_path / "t.csv").write_text("label,size\n" + "".join(lines))
    assert cli.main(["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m"), "--passes", "1"]) == 0
    assert "c100, c101, c102, c103, c104, … (1,000 in all)" in capsys.readouterr().out
    assert cli.main(["inspect", str(tmp_path / "m")]) == 0
    assert "(1,000 in all)" in capsys.readouterr().out
    assert cli.main(["evaluate", str(tmp_path / "m"), str(tmp_path / "t.csv")]) == 0
    out = capsys.readouterr().out
    assert "the 20 largest of 1,000 classes (--json prints all)" in out
    assert len(out.splitlines()) < 60
    assert max(map(len, out.splitlines())) < 80
    assert cli.main(["evaluate", str(tmp_path / "m"), str(tmp_path / "t.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    counts, names = np.array(told["confusion"]["counts"]), told["confusion"]["labels"]
    np.fill_diagonal(counts, 0)
    true, predicted, rows = out.splitlines()[out.splitlines().index("the most frequent confusions") + 4].split()
    assert int(rows) == counts.max() == counts[names.index(true), names.index(predicted)]


# ---- explanations --------------------------------------------------------------------------------------------------


def test_what_the_features_add_comes_to_the_score(mood, tmp_path, capsys):
    assert cli.main(["explain", str(mood), "not a good film", "--json", "--top", "100"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {part["feature"] for part in told["features"]} == {
        *("not", "a", "good", "film", "not a", "a good", "good film"),
    }
    assert sum(part["adds"] for part in told["features"]) == pytest.approx(told["score"], abs=1e-6)
    assert told["bias"] is None
    assert told["label"] == "pos"


def test_the_strongest_features_have_their_words(mood, capsys):
    assert cli.main(["explain", str(mood), "--json", "--top", "20"]) == 0
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
    assert cli.main(["train", "-q", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m"), "--bits", "12"]) == 0
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
    assert cli.main(["explain", str(tmp_path / "m"), "good film"]) == 1
    assert "the model cannot be given a text alone: it needs the columns size, job, text" in capsys.readouterr().err
    assert not any(row["feature"].startswith("#") for rows in told.values() for row in rows)


def test_a_word_that_ends_as_files_do_is_no_text(mood, capsys):
    assert cli.main(["explain", str(mood), "reveiws.csv"]) == 1
    assert capsys.readouterr().err == "rosenblatt: there is no file 'reveiws.csv'\n"
    assert cli.main(["explain", str(mood), "see reviews.csv"]) == 0


# ---- figures that stand alone ----------------------------------------------------------------------------------------


def test_an_accuracy_stands_beside_the_largest_class_and_classes_that_are_missed(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 2)).round(3), np.where(rng.random(400) < 0.05, "rare", "common")
    lines = [f"{a},{b},{label}\n" for (a, b), label in zip(X.tolist(), y)]
    path, model = tmp_path / "a.csv", str(tmp_path / "m")
    path.write_text("a,b,label\n" + "".join(lines))
    assert cli.main(["train", str(path), "-o", model, "--held-out", str(path)]) == 0
    share = np.mean(y == "common")
    said = rf"accuracy \d\d\.\d\d% on 400 rows, of which {share:.2%} are common, the largest class;\n *"
    said += r"recall under 10%: rare \d\.\d\d%\n"
    assert re.search(rf"held out +{said}", capsys.readouterr().out)
    assert cli.main(["evaluate", model, str(path)]) == 0
    assert re.match(said, capsys.readouterr().out)
    assert cli.main(["inspect", model]) == 0
    assert re.search(rf"held out +{said}", capsys.readouterr().out)


def test_no_recall_is_named_where_every_class_is_found(mood, tmp_path, capsys):
    assert cli.main(["evaluate", str(mood), str(tmp_path / "reviews.csv")]) == 0
    assert "the largest class\n\n" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["zzz qqq", ""])
def test_a_text_without_a_known_word_is_predicted_for_no_reason(text, mood, capsys):
    assert cli.main(["explain", str(mood), text]) == 0
    assert capsys.readouterr().out.startswith("no word of it is known; predicted neg over pos, for no reason\n")
    assert cli.main(["explain", str(mood), text, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["known"] == 0
    assert cli.main(["explain", str(mood), "good zzz"]) == 0
    assert capsys.readouterr().out.startswith("predicted pos over neg\n")


def test_rows_without_a_known_feature_are_predicted_by_the_bias(tmp_path, capsys):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 1:-1\n1 1:1\n1 2:1\n")
    (tmp_path / "b.svm").write_text("1 3:1\n")
    model = str(tmp_path / "m")
    assert cli.main(["train", str(tmp_path / "a.svm"), "-o", model, "-q", "--no-standardise"]) == 0
    assert cli.main(["explain", model, str(tmp_path / "b.svm")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "b.svm, line 1: no feature of it is known; predicted 1 over -1, by the bias alone " in said


@pytest.mark.parametrize("option", ["-o", "--checkpoint"])
def test_a_model_is_not_written_to_a_file_called_minus(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_bytes(ROWS)
    more = ["--workers", "1", "-o", "m"] if option == "--checkpoint" else []
    assert cli.main(["train", "a.svm", *more, option, "-"]) == 1
    assert "a model is not written to standard output; name a file" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.svm"]


def test_categories_that_were_not_met_in_training_are_counted(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("color,size,label\nred,1,x\nblue,2,y\nred,3,x\nblue,1,y\n")
    (tmp_path / "b.csv").write_text("color,size,label\nred,1,x\ngreen,2,y\npink,3,x\nblue,1,y\n")
    model, path = str(tmp_path / "m"), str(tmp_path / "b.csv")
    assert cli.main(["train", str(tmp_path / "a.csv"), "-o", model, "-q", "--categorical", "color"]) == 0
    for command in (["evaluate", model, path, "--json"], ["predict", model, path]):
        assert cli.main(command) == 0
        out, err = capsys.readouterr()
        assert err == "2 rows with a value of color that was not met in training\n"
        if "--json" in command:
            assert json.loads(out)["unseen_categories"] == {"color": 2}
    assert cli.main(["evaluate", model, str(tmp_path / "a.csv")]) == 0
    assert capsys.readouterr().err == ""


# ---- slips -----------------------------------------------------------------------------------------------------------


def test_files_that_are_named_twice_or_held_out_of_nothing_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(["train", "a.svm", "./a.svm", "--held-out", "a.svm", "-o", "m", "-q"]) == 0
    twice, held_out = capsys.readouterr().err.splitlines()
    assert twice == "./a.svm is named twice: its rows count twice"
    assert held_out == "a.svm is trained on, too: how the model does on it says nothing of other rows"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("train", "rows.svm"),
        ("train", "text.csv"),
        ("train", "words.conll"),
        ("tune", "rows.csv"),
        ("tune", "text.csv"),
    ],
)
def test_a_share_that_holds_out_no_row_is_refused_before_the_work(command, name, tmp_path, capsys, monkeypatch):
    files = {
        "rows.svm": "1 1:1\n-1 2:1\n" * 20, "rows.csv": "label,x\n" + "a,1\nb,2\n" * 20,
        "text.csv": "label,text\n" + "a,one good film\nb,one bad film\n" * 20,
        "words.conll": "a DT\ndog NN\n\n" * 40,
    }  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(files[name])
    monkeypatch.setattr(Learner, "fit", None)
    monkeypatch.setattr(Learner, "partial_fit", None)
    in_memory = [] if command == "tune" or name == "words.conll" else ["--passes", "2"]
    assert cli.main([command, name, "--held-out", "0.001", "-o", "m", *in_memory]) == 1
    noun = "sentences" if name == "words.conll" else "rows"
    said = f"rosenblatt: --held-out 0.001 holds out none of 40 {noun}; say a larger share\n"
    assert capsys.readouterr() == ("", said)
    assert os.listdir() == [name]


@pytest.mark.parametrize("command", ["train", "tune"])
def test_a_share_that_is_found_to_hold_out_no_row_leaves_the_summary(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    options = ["--stream"] if command == "train" else ["--budget", "2", "--passes", "1"]
    if command == "tune":
        monkeypatch.setattr("rosenblatt.cli.inputs.IN_MEMORY", 1)
    said = "--held-out 0.001 holds out none of 40 rows; the model is in m, but it was not evaluated"
    assert cli.main([command, "a.svm", "--held-out", "0.001", "-o", "m", *options]) == 1
    out, err = capsys.readouterr()
    assert err == f"rosenblatt: {said}\n"
    assert "\ndata  " in f"\n{out}"
    assert out.count("the best first") == (command == "tune")
    assert cli.main([command, "a.svm", "--held-out", "0.001", "-o", "m", *options, "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"error": said}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("train a.svm -o m --shuffle-buffer 2 --no-shuffle", "--shuffle-buffer and --no-shuffle exclude each other"),
        ("separable a.svm --time-limit 0", "0 is not a positive number of seconds"),
        ("trace a.svm --max-steps 1", "would be more than the --max-steps 1 steps; take fewer rows, fewer passes or"),
    ],
)
def test_options_that_cannot_be_are_refused_as_options(command, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(command.split()) > 0
    assert sentence in capsys.readouterr().err


def test_updates_alone_are_traced_for_machines_too(tmp_path, capsys):
    (tmp_path / "a.svm").write_bytes(ROWS)
    steps = {}
    for more in ([], ["--updates"]):
        assert cli.main(["trace", str(tmp_path / "a.svm"), "--passes", "2", "--json", *more]) == 0
        steps[bool(more)] = json.loads(capsys.readouterr().out)["steps"]
    assert steps[True] == [step for step in steps[False] if step["updates"]]
    assert len(steps[True]) < len(steps[False])


def test_control_characters_are_shown_escaped_to_people_and_kept_for_machines(tmp_path, capsys):
    label, name = "\x1b[31mred", "a\x9btext"
    rows = [{"label": (label, "two\nlines")[i % 2], name: f"some words {i} {'ab'[i % 2]}"} for i in range(30)]
    path, model = str(tmp_path / "rows.jsonl"), str(tmp_path / "rows.model")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    other = str(tmp_path / "other.jsonl")
    (tmp_path / "other.jsonl").write_text(json.dumps({"label": "\x07", name: "b"}) + "\n")
    commands = [
        ["train", path, "--text", name, "-o", model, "--bits", "8", "--held-out", "0.5"], ["inspect", model],
        ["evaluate", model, path], ["evaluate", model, other], ["explain", model], ["explain", model, path],
        ["train", path, "--label", "\x00", "-o", model], ["explain", model, "--\x07"],
    ]  # fmt: skip
    for command in commands:
        cli.main(command)
        shown = "".join(capsys.readouterr())
        assert re.search(r"\\x1b|\\x07|\\x00", shown)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown), command
        assert "two\nlines" not in shown
    assert cli.main(["predict", model, path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["label"] == label
    assert cli.main(["predict", model, path]) == 0
    assert label in capsys.readouterr().out
    assert cli.main(["evaluate", model, path, "--json"]) == 0
    assert label in json.loads(capsys.readouterr().out)["classes"]


@pytest.mark.parametrize("kind", ["numeric", "categorical", "text"])
def test_the_summary_and_inspect_list_the_first_columns_of_wide_tables(kind, tmp_path, capsys):
    names = [f"c{i}" for i in range(1000)]
    rows = [["ab"[i % 2], *(f"{(i + j) % 7}" for j in range(1000))] for i in range(24)]
    path, model = str(tmp_path / "wide.csv"), str(tmp_path / "wide.model")
    (tmp_path / "wide.csv").write_text("".join(",".join(row) + "\n" for row in [["label", *names], *rows]))
    assert cli.main(["train", path, f"--{kind}", ",".join(names), "--bits", "4", "-o", model]) == 0
    assert cli.main(["inspect", model]) == 0
    cli.main(["explain", model, "no row"])
    lines = "".join(capsys.readouterr()).splitlines()
    assert sum("… and 988 more" in line for line in lines) == 4  # columns, features, made from, and what is needed
    assert len(lines) < 80
    assert max(map(len, lines)) < 240


def test_a_text_may_stand_behind_options_and_a_dash_behind_two(mood, capsys):
    assert cli.main(["explain", str(mood), "good film"]) == 0
    explained = capsys.readouterr().out
    for words in (["--top", "12", "good film"], ["--top=12", "--", "good film"]):
        assert cli.main(["explain", str(mood), *words]) == 0
        assert capsys.readouterr().out == explained
    assert cli.main(["explain", str(mood), "--top", "12", "--", "-good film"]) == 0
    assert cli.main(["explain", str(mood), "--top", "12"]) == 0
    assert capsys.readouterr().out.count("for ") == 2
    assert cli.main(["explain", str(mood), "-good"]) == 2
    said = (
        "unknown option -good; what begins with a dash and is no option goes behind --; see rosenblatt explain --help"
    )
    assert capsys.readouterr().err == f"rosenblatt: {said}\n"
    assert cli.main(["play", "-x"]) == 2
    assert "behind --" not in capsys.readouterr().err
