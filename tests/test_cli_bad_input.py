"""Bad input: one sentence with the file and the line, exit code 1, and nothing half-written or damaged."""

import gzip
import json
import os
import pathlib
import subprocess
import sys

import pytest

import rosenblatt as rb
from rosenblatt import atomic_files, cli
from rosenblatt.cli import training
from rosenblatt.cli.held_out import HeldOut

ROWS = b"1 1:1 2:0.5\n-1 2:1\n1 1:2\n-1 3:1\n"


@pytest.fixture
def model(tmp_path):
    """A model of two text classes."""
    path = tmp_path / "reviews.csv"
    path.write_text("label,text\n" + "pos,a good film that I liked\nneg,a bad film that was long\n" * 5)
    assert cli.main(["train", "-q", str(path), "-o", str(tmp_path / "mood.model"), "--bits", "12"]) == 0
    return tmp_path / "mood.model"


FAULTS = {
    "index 0 counted from 1": ("a.svm", b"1 1:1\n-1 0:1\n", ["--zero-based", "no"], "line 2, byte 4: index 0"),
    "falling indices": ("a.svm", b"1 1:1\n-1 3:1 2:1\n", [], "line 2, byte 8: the index of '2:1' is less"),
    "no number": ("a.svm", b"1 1:abc\n-1 2:1\n", [], "line 1, byte 3: the value of '1:abc' is not a number"),
    "NaN": ("a.svm", b"1 1:1\n-1 2:nan\n", [], "line 2, byte 4: the value of '2:nan' is not a finite number"),
    "no label": ("a.svm", b"1 1:1\n2:1 3:1\n", [], "line 2"),
    "ragged": ("a.csv", b"label,text\npos,good\nneg,bad,more\n", [], "line 3"),
    "empty": ("a.csv", b"", [], "the file is empty"),
    "header alone": ("a.csv", b"label,text\n", [], "there are no rows"),
    "label missing": ("a.csv", b"label,text\npos,good film\n,bad film\n", [], "line 3, column 'label': the label is"),
    "one class": ("a.csv", b"label,text\npos,good film\npos,bad film\n", [], "all labels are the same, 'pos'"),
    "one class in a stream": ("a.svm", b"1 1:1\n1 2:1\n", ["--stream"], "all labels are the same, '1'"),
    "unknown column": ("a.csv", b"label,review\npos,good\nneg,bad\n", ["--text", "reveiw"], "did you mean 'review'?"),
    "wrong delimiter": ("a.csv", b"label;text\npos;good\nneg;bad\n", ["--delimiter", ","], "say --delimiter ';'"),
    "not UTF-8": ("a.csv", b"label,text\npos,good\nneg,b\xffd\n", [], "line 3"),
    "missing number": ("a.csv", b"label,size\na,1\nb,\na,2\n", [], "line 3, column 'size': the value is missing"),
    "missing number, said how": ("a.csv", b"label,size\na,1\nb,\na,2\n", [], "or say --missing absent"),
    "no labels at all": ("a.csv", b"size,weight\n1.5,2.5\n1.25,3.5\n", [], "no column looks like the labels"),
    "a regression": ("a.svm", b"1 1:1\n0.25 2:1\n", ["-a", "pa1"], "line 2: classes are whole numbers or words"),
    "an unforeseen regression": ("a.svm", b"1 1:1\n0.25 2:1\n", ["--block-rows", "1"], "say --algorithm pa2-r"),
    "labels that are infinite": ("a.svm", b"0.5 1:1\n1e999 2:1\n", ["-a", "pa-regressor"], "line 2"),
    "no label in Vowpal Wabbit's text": ("a.vw", b"1 | a\n| b\n-1 | c\n", [], "line 2: the label is missing"),
    "too large": ("a.svm", b"1 1:1\n-1 2:1e300\n", ["--no-standardise"], "line 2: the squared norm overflows float64"),
    "too large in a stream": ("a.svm", b"1 1:1\n-1 2:1e300\n", ["--stream", "--no-standardise"], "line 2: the"),
    "no weight at all": ("a.csv", b"label,x,w\na,1,0\nb,2,0\n", ["--weight", "w"], "all weights are 0"),
    "wrong setting": ("a.svm", ROWS, ["--delimiter", ";"], "svmlight has no setting 'delimiter'"),
    "wrong parameter": ("a.svm", ROWS, ["-C", "2"], "-C does not go with --algorithm averaged"),
    "bits of svmlight": ("a.svm", ROWS, ["--bits", "8"], "--bits is of columns of text, and the features of svmlight"),
    "bits of vw": ("a.vw", b"1 | a b\n-1 | c\n", ["--bits", "8"], "vw files are hashed to 2^22; leave it out"),
    "bad parameter": ("a.svm", ROWS, ["-a", "pa1", "-C", "-1"], "-C must be a finite number > 0"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_training_says_what_is_wrong_where_and_writes_nothing(fault, tmp_path, capsys):
    name, content, options, sentence = FAULTS[fault]
    (tmp_path / name).write_bytes(content)
    assert cli.main(["train", str(tmp_path / name), "-o", str(tmp_path / "m"), *options]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rosenblatt: ")
    assert len(err.splitlines()) == 1
    assert sentence in err
    if not fault.startswith(("wrong setting", "wrong parameter", "bad parameter", "bits")):
        assert name in err
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


def test_a_compressed_file_that_was_cut_short(tmp_path, capsys):
    whole = gzip.compress(ROWS * 1000)
    (tmp_path / "a.svm.gz").write_bytes(whole[: len(whole) // 2])
    assert cli.main(["train", str(tmp_path / "a.svm.gz"), "-o", str(tmp_path / "m")]) == 1
    assert "cut short" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_no_such_file(tmp_path, capsys):
    assert cli.main(["train", str(tmp_path / "none.csv"), "-o", str(tmp_path / "m")]) == 1
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("no/such/folder/m", "there is no such folder"),
        (".", "it is a folder"),
        pytest.param("/dev/null", "it is not a regular file", marks=pytest.mark.posix),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path, capsys, monkeypatch, output, sentence):
    (tmp_path / "a.svm").write_bytes(ROWS)
    monkeypatch.setattr(training, "in_memory", pytest.fail)
    assert cli.main(["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / output)]) == 1
    assert sentence in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written_is_refused_before_the_work(what, tmp_path, capsys, monkeypatch):
    (tmp_path / "a.svm").write_bytes(ROWS)
    (tmp_path / "ro").mkdir()
    (tmp_path / "ro" / "m").write_bytes(b"")
    (tmp_path / "ro" / ("." if what == "folder" else "m")).chmod(0o555)
    monkeypatch.setattr(training, "in_memory", pytest.fail)
    assert cli.main(["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "ro" / "m")]) == 1
    assert "there is no permission to write here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "early"),
    [(None, True), (b"txt,label\ngood,pos\n", True), (b"text,label\ngood,pos\nb\xffd,neg\n", False)],
)
def test_a_held_out_file_that_is_wrong_is_told_before_the_work_or_costs_no_model(
    content, early, tmp_path, capsys, monkeypatch
):
    (tmp_path / "a.csv").write_text("label,text\npos,good film\nneg,bad film\n")
    if content is not None:
        (tmp_path / "test.csv").write_bytes(content)
    if early:
        monkeypatch.setattr(training, "in_memory", pytest.fail)
    command = ["train", str(tmp_path / "a.csv"), "-o", str(tmp_path / "m"), "--text", "text", "--bits", "8"]
    assert cli.main([*command, "--held-out", str(tmp_path / "test.csv")]) == 1
    err = capsys.readouterr().err
    assert "test.csv" in err
    assert (f"; the model is in {tmp_path / 'm'}, but it was not evaluated" in err) is not early
    assert (tmp_path / "m").exists() is not early


def test_a_full_disk_leaves_the_model_that_was_there(model, tmp_path, capsys, monkeypatch):
    import errno

    before = model.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fsync", full)
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(["train", str(tmp_path / "a.svm"), "-o", str(model)]) == 1
    assert "could not write the file, as the disk is full; nothing was changed" in capsys.readouterr().err
    assert model.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svm", "mood.model", "reviews.csv"]


def test_skip_counts_and_reports(tmp_path, capsys):
    (tmp_path / "a.svm").write_bytes(ROWS + b"1 3:1 2:1\n1 1:abc\n")
    options = ["-o", str(tmp_path / "m"), "--on-error", "skip", "--no-standardise"]
    assert cli.main(["train", "-q", str(tmp_path / "a.svm"), *options]) == 0
    err = capsys.readouterr().err
    assert err.startswith("2 rows skipped\n")
    assert "line 5" in err
    assert "line 6" in err
    good = rb.data.read(tmp_path / "a.svm", on_error="skip")
    expected = rb.AveragedPerceptron(max_iter=5, tol=None, random_state=0).fit(good.X, good.y)
    assert (rb.load(tmp_path / "m").coef_ == expected.coef_).all()


def test_what_was_skipped_is_told_even_if_nothing_comes_of_the_rest(tmp_path, capsys):
    (tmp_path / "a.svm").write_bytes(b"1 1:1\n-1 2:nan\n")
    assert cli.main(["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), "--on-error", "skip"]) == 1
    first, place, last = capsys.readouterr().err.splitlines()
    assert first == "1 row skipped"
    assert "line 2, byte 4" in place
    assert "all labels are the same, '1'" in last


@pytest.mark.parametrize("part", [["--held-out", "0.5"], ["--weight", "w"]], ids=" ".join)
@pytest.mark.parametrize("command", [["train"], ["train", "--stream"], ["tune"]], ids=" ".join)
def test_labels_that_are_the_same_in_a_part_of_the_rows_are_told_of_that_part(command, part, tmp_path, capsys):
    """One row of the other class is held out, or has no weight: the labels of the file are not all the same."""
    rows = [("ham", "good film", 1)] * 100
    rows[0 if HeldOut(0.5, 0).mask(0, 1)[0] else 1] = ("spam", "bad film", 0)
    (tmp_path / "a.csv").write_text(
        "label,text,w\n" + "".join(f"{a},{b} {i},{c}\n" for i, (a, b, c) in enumerate(rows))
    )
    assert cli.main([*command, str(tmp_path / "a.csv"), "-o", str(tmp_path / "m"), "--text", "text", *part]) == 1
    which = "compared on" if command == ["tune"] else "learned from"
    assert f"all labels of the rows that are {which} are the same, 'ham'" in capsys.readouterr().err


GOOD_AND_BAD = {
    "a.svm": b"1 1:1\n-1 2:x\n-1 2:1\n",
    "a.vw": b"1 | a:1\n-1 | b:x\n-1 | b:1\n",
    "a.csv": b"label,text\npos,good\nneg,bad,worse\nneg,bad\n",
    "a.tsv": b"label\ttext\npos\tgood\nneg\tbad\tworse\nneg\tbad\n",
    "a.jsonl": b'{"label": "pos", "text": "good"}\n{"label": \n{"label": "neg", "text": "bad"}\n',
    "utf8.jsonl": b'{"label": "pos", "text": "good"}\n{"label": "neg", "text": "\xff"}\n{"label": "neg", "text": ""}\n',
}


@pytest.mark.parametrize("name", GOOD_AND_BAD)
def test_skip_in_every_format_and_command(name, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(GOOD_AND_BAD[name])
    columns = [] if name.endswith(("svm", "vw")) else ["--text", "text", "--bits", "8"]
    train = ["train", str(path), "-o", str(tmp_path / "m"), *columns]
    assert cli.main(train) == 1
    assert f"{path}, line " in capsys.readouterr().err
    assert cli.main([*train, "--on-error", "skip", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["rows"] == 2
    assert json.loads(out)["skipped"] == 1
    assert err.startswith("1 row skipped\n")
    assert "encoding=" not in err
    for command in ("predict", "evaluate"):
        assert cli.main([command, str(tmp_path / "m"), str(path)]) == 1
        capsys.readouterr()
        assert cli.main([command, str(tmp_path / "m"), str(path), "--on-error", "skip"]) == 0
        out, err = capsys.readouterr()
        assert err.startswith("1 row skipped\n")
        if command == "evaluate":
            assert "100.00% on 2 rows" in out
        else:
            assert len(out.splitlines()) == 4
            assert out.splitlines().count("") == 1


def test_bytes_that_are_not_text_can_be_replaced(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"label,text\npos,good film\nneg,b\xffd film\n")
    options = ["--encoding-errors", "replace", "-q"]
    assert cli.main(["train", str(tmp_path / "a.csv"), "-o", str(tmp_path / "m"), *options]) == 0


def test_names_of_columns_with_commas_and_quotes(tmp_path):
    (tmp_path / "t.csv").write_text('label,"a, b","say ""x""",other\np,1,2,3\nn,-1,-2,5\n')
    columns = ["--numeric", '"a, b","say ""x"""', "--no-standardise"]
    assert cli.main(["train", "-q", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m"), *columns]) == 0
    plain, _ = rb.load(tmp_path / "m")._extras["features"]
    assert plain["table"]["columns"]["numeric"] == ["a, b", 'say "x"']


def test_labels_that_the_model_does_not_know_are_told(model, tmp_path, capsys):
    (tmp_path / "t.csv").write_text("label,text\npos,good film that I liked\nso so,a film\n")
    assert cli.main(["evaluate", str(model), str(tmp_path / "t.csv")]) == 0
    out, err = capsys.readouterr()
    assert "accuracy 50.00% on 2 rows" in out
    assert err == "labels that the model does not know and never predicts: so so\n"


def test_evaluate_reads_labels_of_another_column_and_type(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("label,size\n1,3\n0,-3\n")
    assert cli.main(["train", "-q", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]) == 0
    (tmp_path / "u.csv").write_text("y,size\n1.0,3\n0.0,-3\n")
    evaluate = ["evaluate", str(tmp_path / "m"), str(tmp_path / "u.csv"), "--label", "y"]
    assert cli.main(evaluate) == 1
    assert "--label-type number" in capsys.readouterr().err
    assert cli.main([*evaluate, "--label-type", "number"]) == 0
    assert "accuracy 100.00% on 2 rows" in capsys.readouterr().out


# ---- a model and data that do not fit ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["predict", "evaluate"])
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"label,txt\npos,good\n", "there is no column 'text' (did you mean 'txt'?)"),
        ("a.svm", ROWS, "a.svm: the model needs a table with the columns text; "),
    ],
)
def test_other_columns(model, tmp_path, capsys, command, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    assert cli.main([command, str(model), str(tmp_path / name)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err


def test_rows_that_a_model_cannot_go_on_with(model, tmp_path, capsys):
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(["train", str(tmp_path / "a.svm"), "--resume", str(model), "-o", str(tmp_path / "n")]) == 1
    assert "a.svm: the model needs a table with the columns text; " in capsys.readouterr().err


def test_a_table_for_a_model_of_numbered_features(tmp_path, capsys):
    (tmp_path / "a.svm").write_bytes(ROWS)
    assert cli.main(["train", "-q", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m")]) == 0
    (tmp_path / "a.csv").write_text("label,text\npos,good\n")
    assert cli.main(["predict", str(tmp_path / "m"), str(tmp_path / "a.csv"), "--format", "csv"]) == 1
    assert "the model needs numbered features" in capsys.readouterr().err


def test_a_file_that_is_no_model(tmp_path, capsys):
    (tmp_path / "m").write_bytes(b"nothing of the kind")
    for command in (["inspect"], ["explain"], ["predict"], ["evaluate"]):
        files = [] if command[0] in ("inspect", "explain") else [str(tmp_path / "m")]
        assert cli.main([*command, str(tmp_path / "m"), *files]) == 1
        assert str(tmp_path / "m") in capsys.readouterr().err


def test_a_damaged_model(model, capsys):
    content = bytearray(model.read_bytes())
    content[-10] ^= 1
    model.write_bytes(content)
    assert cli.main(["inspect", str(model)]) == 1
    assert "rosenblatt: " in capsys.readouterr().err


def test_a_fault_late_in_a_file_leaves_no_half_of_the_predictions(model, tmp_path, capsys):
    (tmp_path / "new.csv").write_bytes(b"text\n" + b"good film\n" * 50 + b"b\xffd\n")
    arguments = [
        "predict",
        str(model),
        str(tmp_path / "new.csv"),
        "-o",
        str(tmp_path / "out.csv"),
        "--block-rows",
        "10",
    ]
    assert cli.main(arguments) == 1
    assert not (tmp_path / "out.csv").exists()


def test_usage_errors_have_their_own_code(capsys):
    assert cli.main(["train", "a.csv"]) == 2
    assert "-o/--output" in capsys.readouterr().err


def test_one_class_alone_has_no_reasons(tmp_path, capsys):
    rb.Perceptron().partial_fit([[1.0, 2.0]], ["x"]).save(tmp_path / "m")
    (tmp_path / "a.svm").write_bytes(ROWS)
    for more in ([], [str(tmp_path / "a.svm")]):
        assert cli.main(["explain", str(tmp_path / "m"), *more]) == 1
        assert "only one class" in capsys.readouterr().err


@pytest.mark.posix
def test_what_is_read_is_not_replaced(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.svm").write_bytes(ROWS)
    assert cli.main(["train", "a.svm", "-o", "m", "-q"]) == 0
    os.symlink("a.svm", "link")
    before = {name: pathlib.Path(name).read_bytes() for name in ("a.svm", "m")}
    commands = [["predict", "m", "a.svm", "-o", name] for name in ("m", "a.svm", "./a.svm", "link")]
    commands += [["convert", "a.svm", name, "--to", "csv"] for name in ("a.svm", "link")]
    commands += [["train", "a.svm", "-o", name] for name in ("a.svm", "link")]
    for words in commands:
        assert cli.main(words) == 1
        assert "would be overwritten" in capsys.readouterr().err
    with open("a.svm", "rb") as file:
        command = [sys.executable, "-m", "rosenblatt", "convert", "-", "a.svm", "--to", "csv"]
        ended = subprocess.run(command, stdin=file, capture_output=True)
    assert ended.returncode == 1
    assert b"would be overwritten" in ended.stderr
    for name in ("/dev/stdout", "/dev/fd/1"):
        with open("kept.txt", "wb") as file:
            file.write(b"kept\n")
            file.flush()
            command = [sys.executable, "-m", "rosenblatt", "predict", "m", "a.svm", "-o", name]
            ended = subprocess.run(command, stdout=file, stderr=subprocess.PIPE)
        assert ended.returncode == 1
        assert b"an open stream" in ended.stderr
        assert pathlib.Path("kept.txt").read_bytes() == b"kept\n"
    assert {name: pathlib.Path(name).read_bytes() for name in before} == before


def test_a_file_without_a_header_is_read_as_the_error_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("yes,yes\n" + "yes,good\nno,bad\n" * 3)
    train = ["train", "t.csv", "-o", "m", "--bits", "8"]
    assert cli.main([*train, "--header"]) == 1
    assert "two columns are called 'yes'; rename one, or say --no-header" in capsys.readouterr().err
    assert cli.main([*train, "--no-header", "--label", "c1", "--text", "c2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 7


def test_a_text_to_explain_that_is_not_utf8_is_told_as_such(model, tmp_path, capsys):
    (tmp_path / "words.conll").write_text("a DT\ndog NN\n\nthe DT\ncat NN\n\n" * 3)
    tagger = str(tmp_path / "words.model")
    assert cli.main(["train", "-q", str(tmp_path / "words.conll"), "-o", tagger]) == 0
    for path in (str(model), tagger):
        assert cli.main(["explain", path, "\udcff\udcfe film"]) == 1
        said = r"'\udcff\udcfe film' is neither a file nor UTF-8; give the text as UTF-8"
        assert capsys.readouterr() == ("", f"rosenblatt: {said}\n")
