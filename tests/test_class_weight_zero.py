"""A class of weight 0: its rows are left out at every door, and so is the class, which the model does not know."""

import json

import numpy as np
import pytest
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt import cli

X = np.array([[1.0, 0], [0, 1], [1, 1], [2, 0], [0, 2], [3, 3]] * 20)
WORDS, NUMBERS = np.array(list("abcabc") * 20), np.array([0, 1, 2] * 40)


@pytest.fixture
def files(tmp_path):
    columns = list(zip(X.tolist(), WORDS, NUMBERS))
    (tmp_path / "t.csv").write_text("x,z,label\n" + "".join(f"{a},{b},{c}\n" for (a, b), c, _ in columns))
    (tmp_path / "w.csv").write_text(
        "x,z,label,w\n" + "".join(f"{a},{b},{c},{c != 'c':d}\n" for (a, b), c, _ in columns)
    )
    (tmp_path / "t.svm").write_text("".join(f"{n} 1:{a} 2:{b}\n" for (a, b), _, n in columns))
    return tmp_path


def command(capsys, *words, code=0):
    capsys.readouterr()
    assert cli.main([str(word) for word in words]) == code
    return capsys.readouterr()


ONE_BY_ONE = ["--stream", "--passes", 2]


@pytest.mark.parametrize("how", [[], ONE_BY_ONE], ids=["in memory", "by blocks"])
@pytest.mark.parametrize("name", ["t.csv", "t.svm"])
def test_train_leaves_its_rows_out_and_says_so(name, how, files, capsys):
    zero, left = ("c", ["a", "b"]) if name == "t.csv" else ("2", [0, 1])
    words = ["train", files / name, "-o", files / "m", "--class-weight", f"{zero}=0", "--no-standardise", *how]
    said = command(capsys, *words)
    assert f"class {zero} has weight 0: none of its rows is learned from\n" in said.err
    assert "120 rows (80 of them with weight, which alone are learned from)" in said.out
    loaded = rb.load(files / "m")
    assert loaded.classes_.tolist() == left
    params = {"max_iter": 2 if how else 5, "tol": None, "shuffle": not how, "random_state": 0}
    y, weight = (WORDS, {"c": 0}) if name == "t.csv" else (NUMBERS, {2: 0})
    expected = rb.AveragedPerceptron(class_weight=weight, **params).fit(X, y)
    assert expected.classes_.tolist() == left
    np.testing.assert_array_equal(loaded.coef_, expected.coef_)


@pytest.mark.parametrize("how", [[], ONE_BY_ONE], ids=["in memory", "by blocks"])
def test_what_is_left_must_be_two_classes(how, files, capsys):
    train = ["train", files / "t.csv", "-o", files / "m", *how, "--class-weight"]
    said = command(capsys, *train, "c=0,b=0", code=1).err
    assert (
        "t.csv: all labels of the rows that are learned from are the same, 'a'; training needs at least two classes"
        in said
    )
    assert (
        "t.csv: all weights are 0, so there is no row to train on" in command(capsys, *train, "a=0,b=0,c=0", code=1).err
    )
    said = command(capsys, *train, "z=0", code=1).err
    assert "--class-weight names z, which is not among the labels; the classes are a, b, c" in said


@pytest.mark.parametrize("how", [[], ONE_BY_ONE], ids=["in memory", "by blocks"])
def test_a_class_whose_rows_have_no_weight_may_be_named(how, files, capsys):
    command(capsys, "train", files / "w.csv", "-o", files / "m", "--weight", "w", "--class-weight", "c=2", *how)
    assert rb.load(files / "m").classes_.tolist() == ["a", "b"]
    fitted = rb.Perceptron(class_weight={"c": 2}).fit(X, WORDS, sample_weight=WORDS != "c")
    assert fitted.classes_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"class_weight names \['z'\], none of which is a class: \['a', 'b', 'c'\]"):
        rb.Perceptron(class_weight={"z": 2}).fit(X, WORDS, sample_weight=WORDS != "c")


@pytest.mark.parametrize("name", ["t.csv", "t.svm"])
def test_tune_compares_on_the_other_rows(name, files, capsys):
    zero = "c" if name == "t.csv" else "2"
    tune = ["tune", files / name, "-o", files / "m", "--budget", 2, "--json", "--class-weight"]
    said = command(capsys, *tune, f"{zero}=0")
    assert f"class {zero} has weight 0: none of its rows is learned from\n" in said.err
    assert json.loads(said.out)["tuning"]["rows"] == 80
    assert rb.load(files / "m").classes_.tolist() == (["a", "b"] if name == "t.csv" else [0, 1])


def test_tune_refuses_before_the_search(files, capsys):
    tune = ["tune", files / "t.csv", "-o", files / "m", "--budget", 2, "--class-weight"]
    for weights, sentence in (
        (
            "c=0,b=0",
            "t.csv: all labels of the rows that are compared on are the same, 'a'; training needs at least two",
        ),
        ("a=0,b=0,c=0", "t.csv: all weights are 0, so there is no row to train on"),
        ("z=0", "--class-weight names z, which is not among the labels; the classes are a, b, c"),
    ):
        assert sentence in command(capsys, *tune, weights, code=1).err
    assert not (files / "m").exists()


def test_class_weights_of_numbers_count_where_configurations_are_compared(files):
    weights = np.where(NUMBERS == 2, 0.0, 1.0)
    (files / "n.svm").write_text(
        "".join(f"{n} 1:{a} 2:{b}\n" for (a, b), n in zip(X[weights > 0], NUMBERS[weights > 0]))
    )
    found = rb.tune(files / "t.svm", budget=4, class_weight={"2": 0})
    assert [trial["value"] for trial in found.tried] == [
        trial["value"] for trial in rb.tune(files / "n.svm", budget=4).tried
    ]


def test_tune_in_python_agrees(files):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": X[:, 0], "z": X[:, 1], "label": WORDS})
    for data in (frame, files / "t.csv"):
        found = rb.tune(data, budget=2, label="label", class_weight={"c": 0})
        assert found.estimator.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_cluster_agrees(weighted):
    da = pytest.importorskip("dask.array")
    weight = np.ones(len(X)) if weighted else None
    model = rb.Perceptron(class_weight={"c": 0, "a": 2}, random_state=0, max_iter=3, tol=None)
    further = {"sample_weight": da.from_array(weight, chunks=len(X))} if weighted else {}
    rows, y = da.from_array(X, chunks=(len(X), 2)), da.from_array(WORDS, chunks=len(X))
    mixed = rb.distributed.fit(model, rows, y, client="here", **further)
    assert mixed.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(mixed.coef_, model.fit(X, WORDS, sample_weight=weight).coef_)
    model.set_params(class_weight={"c": 0, "b": 0})
    one_sentence(
        lambda: rb.distributed.fit(model, rows, y, client="here", **further), ValueError,
        "all labels of rows with weight are the same, 'a'",
    )  # fmt: skip
