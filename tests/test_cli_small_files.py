"""Proofs, traces, conversions, the tour and completion."""

import io
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.cli import inputs

PHRASES, MOOD = ["good", "bad", "not good", "not bad"], ["pos", "neg", "neg", "pos"]


@pytest.fixture
def phrases(tmp_path):
    path = tmp_path / "phrases.csv"
    path.write_text("label,text\n" + "".join(f"{mood},{text}\n" for mood, text in zip(MOOD, PHRASES)))
    return path


@pytest.mark.parametrize(("ngrams", "separable"), [(1, False), (2, True)])
def test_separable_is_separability(phrases, capsys, ngrams, separable):
    arguments = ["separable", str(phrases), "--text", "text", "--ngrams", str(ngrams)]
    assert cli.main([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    expected = rb.separability(rb.text.BagOfWords(ngrams=(1, ngrams)).fit_transform(PHRASES), MOOD)
    assert told["separable"] is expected.separable is separable
    assert told["margin"] == pytest.approx(expected.margin)
    assert set(told["proof"]) == {f"{phrases}, line {line}" for line in (2, 3, 4, 5)}
    assert cli.main(arguments) == 0
    assert ("inseparable" in capsys.readouterr().out) is not separable


@pytest.mark.parametrize(
    ("options", "estimator"),
    [
        ([], rb.Perceptron()),
        (["--exact"], rb.Perceptron()),
        (["-a", "pa1", "-C", "0.5", "--last"], rb.PassiveAggressiveClassifier(C=0.5)),
        (["-a", "averaged"], rb.AveragedPerceptron()),
    ],
)
def test_a_trace_is_that_of_the_estimator(tmp_path, capsys, options, estimator):
    X, y = np.array([[1.0, 3], [2, 3], [-3, 1], [1, -1]]), np.array([1.0, -1, 1, -1])
    rb.data.write_svmlight(tmp_path / "a.svm", X, y)
    assert cli.main(["trace", str(tmp_path / "a.svm"), "--json", *options]) == 0
    told = json.loads(capsys.readouterr().out)
    estimator.set_params(shuffle=False, max_iter=100)
    expected = json.loads(rb.trace(estimator, X, y, exact="--exact" in options).to_json())
    for one in (told, expected):
        one.pop("estimator")
    assert told == expected


def test_a_trace_of_text_names_its_words(phrases, capsys):
    assert cli.main(["trace", str(phrases), "--text", "text", "--ngrams", "2"]) == 0
    out = capsys.readouterr().out
    assert "not good: 1" in out
    assert "#" not in out


def test_a_trace_of_hashed_features_names_them(tmp_path, capsys):
    (tmp_path / "a.vw").write_text("1 'a| good film\n-1 0.5 |s bad:2 film |t 7:0.5\n-1 |s not bad:1\n")
    assert cli.main(["trace", str(tmp_path / "a.vw")]) == 0
    out = capsys.readouterr().out
    assert "{film: 1, good: 1}" in out
    assert {"s^bad: 2", "s^film: 1", "t^7: 0.5", "s^not: 1"} <= set(re.findall(r"[\w^]+: [\d.]+", out))
    assert "#" not in out
    in_one_column = inputs.hashed_names([str(tmp_path / "a.vw")], rb.data.VowpalWabbit(bits=1))
    names = {"good", "film", "s^bad", "s^film", "t^7", "s^not"}
    assert {name for same in in_one_column.values() for name in same} == names
    assert len(in_one_column) == 2


@pytest.mark.parametrize("piped", [False, True])
def test_rows_of_hashed_features_are_explained_by_their_names(piped, tmp_path, capsys, monkeypatch):
    text = "1 'a| good film\n\n-1 0.5 |s bad:2 film |t 7:0.5\n-1 |s not bad:1\n"
    (tmp_path / "a.vw").write_text(text)
    assert cli.main(["train", str(tmp_path / "a.vw"), "-o", str(tmp_path / "m"), "-q", "--no-standardise"]) == 0
    name = str(tmp_path / "a.vw")
    if piped:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        name = "-"
    assert cli.main(["explain", str(tmp_path / "m"), name, "--rows", "2", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert {part["feature"] for part in first["features"]} == {"good", "film"}
    assert {part["feature"] for part in second["features"]} == {"s^bad", "s^film", "t^7"}


def test_a_trace_of_too_much_says_so(tmp_path, capsys):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 1:1\n" * 6000)
    assert cli.main(["trace", str(tmp_path / "a.svm")]) == 1
    assert "more than 10,000 rows" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["b.parquet", "b.jsonl", "b.tsv", "b.arrow", "b.csv.gz"])
def test_convert_and_back(phrases, tmp_path, name):
    assert cli.main(["convert", str(phrases), str(tmp_path / name)]) == 0
    again = rb.data.read(tmp_path / name, columns={"label": "label", "text": ["text"]})
    assert again.labels.tolist() == MOOD
    assert again.table["text"].to_pylist() == PHRASES


def test_convert_numbers_the_labels_of_svmlight(phrases, tmp_path, capsys):
    target = tmp_path / "b.svm"
    assert cli.main(["convert", str(phrases), str(target), "--text", "text"]) == 0
    assert rb.data.read(target).y.tolist() == [1, -1, -1, 1]
    assert cli.main(["convert", str(phrases), str(target), "--text", "text", "--classes", "neg=7,pos=9"]) == 0
    assert rb.data.read(target).y.tolist() == [9, 7, 7, 9]
    assert cli.main(["convert", str(phrases), str(target), "--text", "text", "--classes", "neg=7"]) == 1
    assert "pos" in capsys.readouterr().err
    assert rb.data.read(target).y.tolist() == [9, 7, 7, 9]  # what was there before


def test_the_tour_runs_and_cleans_up(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "$ rosenblatt train reviews.csv -o mood.model" in out
    assert "inseparable" in out
    assert list(tmp_path.iterdir()) == []
    assert cli.main(["demo", "--keep", str(tmp_path / "here")]) == 0
    assert (tmp_path / "here" / "mood.model").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_values(tmp_path, capsys):
    assert cli.main(["completion", "bash"]) == 0
    (tmp_path / "c").write_text(capsys.readouterr().out)

    def completed(*words):
        line = " ".join(f'"{word}"' for word in words)
        script = f"cd {tmp_path}; source c; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _shtab_rosenblatt; "
        script += 'echo "${COMPREPLY[@]}"'
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()

    assert completed("rosenblatt", "tr") == ["train", "trace"]
    assert completed("rosenblatt", "train", "--shuffle-") == ["--shuffle-buffer"]
    assert completed("rosenblatt", "train", "--algorithm", "ker") == ["kernel"]
    assert "c" not in completed("rosenblatt", "train", "--algorithm", "")  # files are no algorithms
    assert completed("rosenblatt", "completion", "z") == ["zsh"]
    (tmp_path / "two words.csv").write_text("")
    assert completed("rosenblatt", "train", "tw") == ["two", "words.csv"]
    assert completed("rosenblatt", "predict", "c") == ["c"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in cli.COMMANDS)
