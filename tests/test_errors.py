"""Errors of data: fields that become a sentence, the same error from where it is raised to where it is shown."""

import copy
import io
import pickle

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.cli.terminal import in_words, option
from rosenblatt.data.blocks import Block, placed
from rosenblatt.distributed import cluster
from rosenblatt.errors import DataError, DataTypeError, ParameterError


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "it is wrong; mend it"),
        ({"row": 3}, "it is wrong at row 3; mend it"),
        ({"row": 3, "column": 2}, "it is wrong at row 3, column 2; mend it"),
        ({"row": 0, "column": 0, "name": "age"}, "it is wrong at row 0, column 0 ('age'); mend it"),
        ({"name": "age"}, "it is wrong at column 'age'; mend it"),
        ({"file": "a.csv"}, "a.csv: it is wrong; mend it"),
        ({"file": "a.csv", "line": 4, "byte": 7}, "a.csv, line 4, byte 7: it is wrong; mend it"),
        ({"row": 2, "file": "a.csv", "line": 4, "name": "age"}, "a.csv, line 4, column 'age': it is wrong; mend it"),
    ],
)
def test_the_place_is_put_into_words(fields, sentence):
    error = DataError("it is wrong", "mend it", **fields)
    assert str(error) == sentence
    assert str(DataError("it is wrong", "mend it").at(**fields)) == sentence
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(again), vars(again)) == (sentence, vars(error))
    assert str(error.at(shard="shard 1")) == f"shard 1: {sentence}"


def test_a_setting_is_in_the_words_of_the_door():
    error = DataError("{} is empty", "say {}, or fill {} in", parameter="missing", value="absent")
    assert str(error) == "{} is empty; say missing='absent', or fill missing='absent' in"
    assert in_words(error) == "{} is empty; say --missing absent, or fill --missing absent in"
    assert str(DataError("{}", "{}")) == "{}; {}"
    assert str(DataError("much", "hold {}", parameter="memory", value=...)) == "much; hold memory=…"
    settings = [("zero_based", True), ("delimiter", "\t"), ("delimiter", ";"), ("classes", {"a b": 1})]
    assert [option(*one) for one in settings] == [
        "--zero-based yes", r"--delimiter '\t'", "--delimiter ';'", "--classes 'a b=1'",
    ]  # fmt: skip


def test_kinds():
    assert issubclass(DataError, ValueError)
    assert issubclass(DataTypeError, DataError)
    assert issubclass(DataTypeError, TypeError)
    assert rb.data.DataError is DataError
    with pytest.raises(AssertionError):
        DataError("wrong").at(lane=3)


def test_rows_of_blocks_get_their_file_and_line():
    blocks = [
        Block(None, np.array([2, 3]), (("a", 0),)),
        Block(None, np.array([9, 4, 5]), (("a", 0), ("b", 1))),
    ]
    for row, place in enumerate(["a, line 2", "a, line 3", "a, line 9", "b, line 4", "b, line 5"]):
        with pytest.raises(DataError, match=rf"^{place}: wrong$"), placed(blocks):
            raise DataError("wrong", row=row)
        backwards = np.arange(5)[::-1]
        with pytest.raises(DataError, match=rf"^{place}: wrong$"), placed(blocks, backwards):
            raise DataError("wrong", row=4 - row)
    with pytest.raises(DataError, match=r"^wrong$"), placed(blocks):
        raise DataError("wrong")
    with pytest.raises(DataError, match=r"^wrong at row 1$"), placed([]):
        raise DataError("wrong", row=1)


def refusal(call):
    with pytest.raises(DataError) as caught:
        call()
    return caught.value


def fields(error, *names):
    return tuple(getattr(error, name) for name in names)


def test_fields_from_every_door(tmp_path):
    table = pd.DataFrame({"age": [1.0, 2.0, np.nan], "size": [1.0, 2.0, 3.0]})
    y = [0, 1, 0]
    cell = ("row", "column", "name")
    assert fields(refusal(lambda: rb.Perceptron().fit(table, y)), *cell) == (2, 0, "age")
    assert fields(refusal(lambda: rb.Perceptron().fit([[1.0], [np.inf]], y[:2])), *cell) == (1, 0, None)
    assert fields(refusal(lambda: rb.Perceptron().fit([[1.0], ["x"]], y[:2])), *cell) == (1, 0, None)
    assert refusal(lambda: rb.Perceptron().fit([[1.0], [2.0]], y[:2], sample_weight=[1, -1])).row == 1
    assert refusal(lambda: rb.text.BagOfWords().fit(["good", None])).row == 1
    assert isinstance(refusal(lambda: rb.text.BagOfWords().fit(["good", 3])), TypeError)
    lines = tmp_path / "lines.txt"
    lines.write_bytes(b"good\nb\xffd\n")
    error = refusal(lambda: rb.text.HashedText(input="lines").transform(lines))
    assert fields(error, "file", "line", "row") == (str(lines), 2, 1)
    error = refusal(lambda: rb.data.read(io.BytesIO(b"1 1:1\n1 2:x\n"), format="svmlight"))
    assert fields(error, "file", "line", "byte") == ("<file object>", 2, 3)
    error = refusal(lambda: rb.data.read(io.BytesIO(b"label,x\na,1\nb\n"), format="csv"))
    assert fields(error, "line", "byte", "name") == (3, None, None)


def test_a_shuffled_block_tells_the_line_of_the_row(tmp_path, capsys):
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{i % 2} 1:{1e300 if i == 5 else 1}\n" for i in range(40)))
    for seed in "01":
        command = ["train", path, "-o", tmp_path / "m", "--shuffle-buffer", "40", "--seed", seed, "--no-standardise"]
        assert cli.main(list(map(str, command))) == 1
        assert "rows.svm, line 6: the squared norm overflows float64" in capsys.readouterr().err
    assert cli.main(["train", str(path), "-o", str(tmp_path / "m")]) == 1
    assert "1e+300, in column 0 of those that are standardised, is too large" in capsys.readouterr().err


def test_braces_of_the_user_stay_in_a_sentence():
    class KilledWorker(Exception):  # noqa: N818 (the name that Dask gives it)
        task = "learn-1"

    error = cluster._failure(KilledWorker(), {"learn-1": "shard 1 ({in}.csv, {})"})
    assert "at the same work on shard 1 ({in}.csv, {}), most" in str(error)
    assert "stream them (in_memory=False)" in str(error)
    named = ParameterError("{mix} of {other}", "mix", mix="{other}", other=1)
    assert str(named) == "mix='{other}' of other=1"
