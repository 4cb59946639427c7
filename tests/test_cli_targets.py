"""Labels that are whole numbers: classes or the numbers of a regression, and where that is not clear, a question."""

import json
import random

import pytest

from rosenblatt import cli

_random = random.Random(1)
ROWS = [(_random.gauss(0, 1), _random.gauss(0, 1)) for _ in range(400)]


def written(path, targets):
    """A file of rows and targets, by its name CSV or svmlight."""
    if path.suffix == ".csv":
        path.write_text("x,z,target\n" + "".join(f"{x},{z},{t}\n" for (x, z), t in zip(ROWS, targets)))
    else:
        path.write_text("".join(f"{t} 1:{x} 2:{z}\n" for (x, z), t in zip(ROWS, targets)))
    return str(path)


@pytest.mark.parametrize("name", ["t.csv", "t.svm"])
def test_many_whole_numbers_are_asked_about(name, tmp_path, capsys):
    path = written(tmp_path / name, [round(50 * x - 20 * z) for x, z in ROWS])
    train = ["train", path, "-o", str(tmp_path / "m"), "--json"]
    assert cli.main(train) == 1
    said = capsys.readouterr().err
    assert "which looks like a regression; say --algorithm pa2-regressor for a regression, or --algorithm ave" in said
    assert not (tmp_path / "m").exists()
    assert cli.main([*train, "--algorithm", "pa2-regressor"]) == 0
    assert json.loads(capsys.readouterr().out)["mistakes"] is None
    assert cli.main([*train, "--algorithm", "averaged", "--passes", "1"]) == 0
    assert len(json.loads(capsys.readouterr().out)["mistakes"]) == 1


def test_label_type_number_is_a_regression_and_integer_is_not(tmp_path, capsys):
    path = written(tmp_path / "t.csv", [round(50 * x - 20 * z) for x, z in ROWS])
    train = ["train", path, "-o", str(tmp_path / "m")]
    assert cli.main([*train, "--label-type", "number"]) == 0
    said = capsys.readouterr().out
    assert "PassiveAggressiveRegressor" in said
    assert "the default for --label-type number" in said
    assert cli.main([*train, "--label-type", "integer"]) == 0
    assert "AveragedPerceptron" in capsys.readouterr().out


def test_numbered_classes_are_classes_and_said(tmp_path, capsys):
    path = written(tmp_path / "t.csv", [i % 60 for i in range(len(ROWS))])
    assert cli.main(["train", path, "-o", str(tmp_path / "m"), "-q"]) == 0
    assert "60 different whole numbers in the first rows, and are taken for classes" in capsys.readouterr().err
    path = written(tmp_path / "t.csv", [i % 40 for i in range(len(ROWS))])
    assert cli.main(["train", path, "-o", str(tmp_path / "m"), "-q"]) == 0
    assert not capsys.readouterr().err


@pytest.mark.parametrize("how", [[], ["--stream"], ["--stream", "--block-rows", "50"]])
def test_labels_that_occur_once_are_refused(how, tmp_path, capsys):
    path = written(tmp_path / "t.csv", [f"w{i}" for i in range(len(ROWS))])
    assert cli.main(["train", path, "-o", str(tmp_path / "m"), "-q", *how]) == 1
    assert "each of the 400 rows has a label of its own" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()
