"""A model that the command trained on a table answers alike from every door: the command, Python, ONNX, pickles."""

import copy
import csv
import io
import json
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from identity import same_bits
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.data import Encoder
from rosenblatt.estimators import contract

CITIES = ["Paris", "Rome", "Oslo", "Bonn"]


def table(n=300, seed=0):
    """Columns of very different scales, which decide together with a city."""
    rng = np.random.default_rng(seed)
    age, income = rng.normal(40, 10, n).round(1), rng.normal(50_000, 20_000, n).round()
    city = rng.choice(CITIES, n)
    rich = (age - 40) / 10 + (income - 50_000) / 20_000 + np.where(city == "Oslo", 1.0, -0.5) > 0
    return pd.DataFrame({"age": age, "income": income, "city": city, "label": np.where(rich, "yes", "no")})


def trained(folder, frame, *options, name="model"):
    frame.to_csv(folder / "rows.csv", index=False)
    command = ["train", str(folder / "rows.csv"), "-o", str(folder / name), "--quiet", "--seed", "0", *options]
    assert cli.main(command) == 0
    return folder / name


def told(folder, model, frame, capsys, options=("--scores",)):
    """The labels that the command predicts, and the scores."""
    frame.to_csv(folder / "new.csv", index=False)
    capsys.readouterr()
    assert cli.main(["predict", str(model), str(folder / "new.csv"), *options]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))[1:]
    return [row[0] for row in rows], np.array([[float(score) for score in row[1:]] for row in rows])


def shortened(scores):
    """Scores as the command prints them: float32 in few digits."""
    return [float(str(score)) for score in scores]


def containers(frame):
    """The same rows in every container that has names."""
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    return [
        frame,
        frame.iloc[:, ::-1].set_index(frame.index + 7),
        frame.astype({name: "category" for name in frame if frame[name].dtype.kind not in "iuf"}),
        pl.from_pandas(frame),
        arrow,
        arrow.to_batches()[0],
        frame.to_dict("records"),
        frame.to_dict("list"),
        {name: frame[name].to_numpy() for name in frame},
    ]


@pytest.mark.parametrize(
    "columns", [["age", "income"], ["city"], ["age", "income", "city"]], ids=lambda names: "-".join(names)
)
@pytest.mark.parametrize("options", [(), ("--no-standardise",), ("--stream",)], ids=lambda options: "".join(options))
def test_a_loaded_model_takes_what_the_command_took(columns, options, tmp_path, capsys):
    if options == ("--no-standardise",) and "age" not in columns:
        pytest.skip("there is nothing to standardise")
    frame, new = table()[[*columns, "label"]], table(60, seed=1)[columns]
    path = trained(tmp_path, frame, *options)
    labels, scores = told(tmp_path, path, new, capsys)
    loaded = rb.load(path)
    for X in containers(new):
        assert loaded.predict(X).tolist() == labels
        same_bits(loaded.decision_function(X), scores[:, 0])
    assert [loaded.predict_one(row) for row in new.head(5).to_dict("records")] == labels[:5]
    loaded.save(tmp_path / "again")
    for other in (rb.load(tmp_path / "again"), pickle.loads(pickle.dumps(loaded)), copy.copy(loaded)):
        same_bits(other.decision_function(new), scores[:, 0])
    assert told(tmp_path, tmp_path / "again", new, capsys)[0] == labels
    assert loaded.encoder_.columns.features == columns


def test_scores_are_those_of_the_command(tmp_path, capsys):
    path = trained(tmp_path, table())
    held_out = table(200, seed=1)
    held_out.to_csv(tmp_path / "held-out.csv", index=False)
    capsys.readouterr()
    assert cli.main(["evaluate", str(path), str(tmp_path / "held-out.csv"), "--json"]) == 0
    assert rb.load(path).score(held_out, held_out["label"]) == json.loads(capsys.readouterr().out)["accuracy"]


def test_several_classes_and_numbers(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(5, 2, 90), "b": 100 * rng.random(90), "label": np.arange(90) % 3})
    path = trained(tmp_path, frame, "--algorithm", "averaged")
    labels, scores = told(tmp_path, path, frame[["a", "b"]], capsys)
    same_bits(rb.load(path).decision_function(frame), scores)
    assert rb.load(path).predict(frame).astype(str).tolist() == labels
    frame["label"] = frame["a"] / 3 - frame["b"]
    path = trained(tmp_path, frame, "--algorithm", "pa1-regressor")
    loaded = rb.load(path)
    numbers = [float(number) for number in told(tmp_path, path, frame[["a", "b"]], capsys, ())[0]]
    assert loaded.predict(frame).tolist() == numbers
    assert loaded.predict_one({"a": 1.0, "b": 2.0}) == loaded.predict([{"b": 2.0, "a": 1.0}])[0]
    loaded.learn_one({"a": 1.0, "b": 2.0}, 3.0).save(tmp_path / "on")
    assert rb.load(tmp_path / "on").predict(frame).tolist() == loaded.predict(frame).tolist() != numbers


def test_text_beside_other_columns(tmp_path, capsys):
    frame = pd.DataFrame({
        "review": ["good film", "bad film", "not good at all", "not bad at all"] * 5,
        "stars": [5.0, 1.0, 2.0, 4.0] * 5,
        "label": ["pos", "neg", "neg", "pos"] * 5,
    })  # fmt: skip
    path = trained(tmp_path, frame, "--text", "review", "--numeric", "stars", "--label", "label")
    loaded, new = rb.load(path), frame[["review", "stars"]].head(4)
    labels, scores = told(tmp_path, path, new, capsys)
    for X in containers(new):
        assert loaded.predict(X).tolist() == labels
        assert shortened(loaded.decision_function(X)) == scores[:, 0].tolist()
    assert not hasattr(loaded, "text_")
    one_sentence(lambda: loaded.predict(["good film"]), ValueError, "the columns stars, review, and X is text")
    path = trained(tmp_path, frame[["review", "label"]], "--text", "review")
    loaded = rb.load(path)
    expected = loaded.decision_function(new["review"].tolist())
    for X in containers(new):
        same_bits(loaded.decision_function(X), expected)
    one_sentence(lambda: loaded.predict(np.ones((2, 3))), ValueError, "the columns review, and X is 3 columns")


def test_a_matrix_without_names_is_taken_where_it_can_only_be_the_columns(tmp_path, capsys):
    frame, new = table(), table(20, seed=1)
    path = trained(tmp_path, frame[["age", "income", "label"]])
    loaded, X = rb.load(path), new[["age", "income"]].to_numpy()
    expected = told(tmp_path, path, new[["age", "income"]], capsys)[1][:, 0]
    for matrix in (X, X.tolist(), X[:, ::-1].copy()[:, ::-1]):
        same_bits(loaded.decision_function(matrix), expected)
    y, by_name, by_place = new["label"].tolist(), rb.load(path), rb.load(path)
    by_name.partial_fit(new, y)
    for row, label in zip(X, y):
        by_place.partial_fit(row[None], [label], classes=["no", "yes"])
    same_bits(by_place.decision_function(X), by_name.decision_function(new))
    one_sentence(lambda: loaded.predict(X[:, :1]), ValueError, "the columns age, income", "1 column without names")
    loaded = rb.load(trained(tmp_path, frame))
    one_sentence(lambda: loaded.predict(X), ValueError, "the columns age, income, city", "2 columns without names")
    one_sentence(lambda: loaded.predict(X[0]), ValueError, "the columns age, income, city")
    rows = loaded.encoder_.encode(rb.data.read(tmp_path / "rows.csv").block, learn=False).to_scipy()
    assert loaded.predict(rows).tolist() == loaded.predict(frame).tolist()  # what the encoder itself has made


def frames(column):
    """The same values in frames of several kinds; where they are of several types, in those that take them."""
    yield pd.DataFrame({"income": np.array(column, object)})
    if len({type(value) for value in column if value is not None}) == 1:
        yield pd.DataFrame({"income": pd.array(column, "string")})
        yield pd.DataFrame({"income": column}).astype("category")
        yield pl.DataFrame({"income": column})
        yield pa.table({"income": column})
        yield pa.table({"income": pa.array(column, pa.large_string())})


@pytest.mark.parametrize("missing", ["raise", "absent"])
@pytest.mark.parametrize(
    "column",
    [
        ["1", "x"], ["1", "1_000"], [1, "x"], [1.5, "x", None], ["1", "2.5", " 3e2 "], ["1", ""], ["1", "NA"],
        ["-", "2"], ["1", None], [1, "2", True], [1, [2]], ["1", "inf"], [1, {"a": 2}], [True, "3"],
    ],
    ids=str,
)  # fmt: skip
def test_frames_of_strings_say_what_dicts_do(column, missing, tmp_path):
    loaded = rb.load(trained(tmp_path, table()[["income", "label"]], "--missing", missing))
    rows, said = [{"income": value} for value in column], None
    try:
        expected = loaded.decision_function(rows)
    except ValueError as error:
        said = str(error)
    for X in frames(column):
        if said is None:
            same_bits(loaded.decision_function(X), expected)
        else:
            with pytest.raises(ValueError, match=rf"^{re.escape(said)}$"):
                loaded.decision_function(X)
    assert said is None or "at row 1, column 'income'" in said or column == ["-", "2"]


def test_frames_of_dates_as_text_are_read_as_dicts_are(tmp_path):
    frame = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=20).astype(str), "label": ["a", "b"] * 10})
    loaded = rb.load(trained(tmp_path, frame, "--numeric", "when"))
    one_sentence(
        lambda: loaded.predict(pd.DataFrame({"when": ["2020-01-02", "soon"]})), ValueError,
        "'soon' is not a date such as 2020-12-31, which the column holds at row 1, column 'when'",
    )  # fmt: skip
    for X in (frame[["when"]], pl.from_pandas(frame[["when"]])):
        same_bits(loaded.decision_function(X), loaded.decision_function(frame[["when"]].to_dict("records")))


def test_faults_name_row_and_column(tmp_path):
    loaded, frame = rb.load(trained(tmp_path, table())), table(5, seed=1)

    def predict(X):
        return lambda: loaded.predict(X)

    one_sentence(
        predict(frame[["age", "city"]]), ValueError, "there is no column 'income'", "the columns are: age, city"
    )
    one_sentence(predict(frame.rename(columns={"age": "Age"})), ValueError, "no column 'age' (did you mean 'Age'?)")
    rows = frame.to_dict("records")
    rows[3]["age"] = "old"
    one_sentence(predict(rows), ValueError, "'old' is not a number", "row 3", "'age'")
    rows[3]["age"] = None
    one_sentence(predict(rows), ValueError, "missing", "row 3", "'age'", "set encoder_.missing = 'absent'")
    one_sentence(predict([*rows[:2], ["Rome"]]), ValueError, "one row is a dict", "row 2")
    one_sentence(predict({"age": 3.0, "income": 4.0, "city": "Rome"}), ValueError, "a list of values", "'age'")
    one_sentence(predict({"age": [1, 2], "income": [1], "city": ["x"]}), ValueError, "different lengths")
    for missing in (frame.assign(income=[1, 2, np.nan, 4, 5]), pl.from_pandas(frame).with_columns(income=pl.lit(None))):
        one_sentence(predict(missing), ValueError, "missing", "'income'")
    odd = frame.astype(object)
    odd.loc[1, "age"] = "old"
    one_sentence(predict(odd), ValueError, "'age'")


@pytest.mark.parametrize("columns", [["age", "income", "city"], ["review"]], ids=len)
def test_learning_on_is_what_the_command_does(columns, tmp_path, capsys):
    frame, more = table(), table(100, seed=1)
    for one in (frame, more):
        one["review"] = "was in " + one["city"] + " and it was a fine day"
    frame, more = frame[[*columns, "label"]], more[[*columns, "label"]]
    options = ["--text", "review", "--bits", "12"] if "review" in columns else []
    path = trained(tmp_path, frame, "--passes", "2", *options)
    loaded, one_by_one = rb.load(path), rb.load(path)
    before = loaded.decision_function(more)
    with pytest.raises(ValueError, match="inconsistent"):
        loaded.partial_fit(more, more["label"].head(3))
    same_bits(loaded.decision_function(more), before)  # nothing was counted
    more.to_csv(tmp_path / "more.csv", index=False)
    resume = ["train", str(tmp_path / "more.csv"), "-o", str(tmp_path / "resumed"), "--resume", str(path), "--quiet"]
    assert cli.main(resume) == 0
    expected = rb.load(tmp_path / "resumed").decision_function(more)
    loaded.partial_fit(more.head(60), more["label"].head(60)).partial_fit(more.tail(40), more["label"].tail(40))
    same_bits(loaded.decision_function(more), expected)
    for row in more.to_dict("records"):
        one_by_one.learn_one({name: row[name] for name in columns}, row["label"])
    same_bits(one_by_one.decision_function(more), expected)
    loaded.save(tmp_path / "on")
    assert told(tmp_path, tmp_path / "on", more[columns], capsys)[1][:, 0].tolist() == shortened(expected)


def test_categories_that_are_no_text_are_spelled_as_in_training(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "flag": rng.random(200) < 0.5, "store": rng.integers(1, 4, 200), "size": rng.choice([7.0, 8.5], 200),
    })  # fmt: skip
    score = frame["flag"] * 2 - 1 + (frame["store"] == 2) * 3 - (frame["size"] == 7.0) * 2
    frame["label"] = np.where(score > 0, "yes", "no")
    path = trained(tmp_path, frame, "--categorical", "flag,store,size")
    expected = told(tmp_path, path, frame, capsys)[1][:, 0]
    loaded = rb.load(path)
    for X in [*containers(frame), frame.assign(store=frame["store"].astype(float)), frame.astype(object)]:
        same_bits(loaded.decision_function(X), expected)
    rows = [{"flag": value, "store": 2, "size": 7} for value in (True, "True")]
    assert len({*loaded.decision_function(rows).tolist()}) == 1


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_truths_are_alike_in_every_format(ending, tmp_path, capsys):
    frame = pd.DataFrame({"flag": [True, False] * 20, "city": ["Rome", "Oslo", "Bonn", "Oslo"] * 10})
    frame["label"] = np.where(frame["flag"], "yes", "no")
    frame.to_csv(tmp_path / "rows.csv", index=False)  # True
    frame.to_parquet(tmp_path / "rows.parquet")  # true
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    model = tmp_path / "model"
    assert cli.main(["train", str(tmp_path / f"rows.{ending}"), "-o", str(model), "--categorical", "flag,city"]) == 0
    answers = set()
    for other in ("csv", "parquet", "jsonl"):
        capsys.readouterr()
        assert cli.main(["predict", str(model), str(tmp_path / f"rows.{other}"), "--scores"]) == 0
        answers.add(capsys.readouterr().out)
        assert cli.main(["evaluate", str(model), str(tmp_path / f"rows.{other}"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["unseen_categories"] == {}
    assert len(answers) == 1
    loaded = rb.load(model)
    expected = loaded.decision_function(frame)
    same_bits(loaded.decision_function(frame.astype({"flag": str})), expected)
    assert cli.main(["explain", str(model), str(tmp_path / "rows.csv"), "--json"]) == 0
    assert "flag=true" in {part["feature"] for part in json.loads(capsys.readouterr().out)["features"]}
    for yes, no in (("true", "false"), ("True", "False")):
        inputs = {"categories": np.array([[yes, "Rome"], [no, "Oslo"]], object)}
        np.testing.assert_allclose(answered(loaded, inputs, tmp_path)["scores"], expected[:2], rtol=1e-5)


def test_rows_are_encoded_part_by_part(tmp_path, monkeypatch):
    frame, new = table(), table(50, seed=1)
    loaded = rb.load(trained(tmp_path, frame))
    expected, labels = loaded.decision_function(new), loaded.predict(new)
    encoded = []
    monkeypatch.setattr(contract, "PART", 16)
    encode = Encoder.encode
    monkeypatch.setattr(
        Encoder, "encode", lambda self, block, **how: encoded.append(len(block)) or encode(self, block, **how)
    )
    for X in containers(new):
        same_bits(loaded.decision_function(X), expected)
        assert loaded.predict(X).tolist() == labels.tolist()
    assert {*encoded} == {16, 2}
    new.loc[37, "age"] = np.nan
    one_sentence(lambda: loaded.predict(new), ValueError, "row 37", "'age'")
    one_sentence(lambda: loaded.predict(new[:0]), ValueError, "0 sample")


def test_a_graph_takes_dates_as_days_and_names_them(tmp_path):
    onnx = pytest.importorskip("onnx")
    frame = table(60)
    frame["day"] = pd.date_range("2020-02-28 06:00", periods=60).strftime("%Y-%m-%d %H:%M")
    loaded = rb.load(trained(tmp_path, frame, "--numeric", "day,age"))
    days = (pd.to_datetime(frame["day"]) - pd.Timestamp(0)) / pd.Timedelta(days=1)
    numeric = {"day": days, "age": frame["age"]}
    inputs = {"X": np.column_stack([numeric[name] for name in loaded.encoder_.columns.numeric])}
    found = answered(loaded, inputs, tmp_path)["scores"]
    np.testing.assert_allclose(found, loaded.decision_function(frame), rtol=1e-9)
    props = {one.key: json.loads(one.value) for one in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert props == {"X": list(loaded.encoder_.columns.numeric), "categories": [], "dates": ["day"]}


def test_predicting_changes_nothing(tmp_path):
    path = trained(tmp_path, table())
    loaded = rb.load(path)
    loaded.save(tmp_path / "before")
    loaded.predict(table(50, seed=2).assign(city="Atlantis"))
    loaded.save(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()


def test_names_of_a_frame_stay_those_of_the_model(tmp_path, capsys):
    frame = table()
    X, y = frame[["age", "income"]] / [10, 10_000], frame["label"]
    rb.Perceptron(random_state=0, max_iter=5, tol=None).fit(X, y).save(tmp_path / "python")
    X.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    resume = ["train", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "on"), "--resume", str(tmp_path / "python")]
    assert cli.main([*resume, "--quiet"]) == 0
    loaded = rb.load(tmp_path / "on")
    assert loaded.feature_names_in_.tolist() == ["age", "income"]
    assert loaded.predict(X).tolist() == told(tmp_path, tmp_path / "on", X, capsys)[0]
    loaded.learn_one({"age": 1.0, "children": 2.0}, "yes").save(tmp_path / "more")
    assert rb.load(tmp_path / "more").feature_names_in_.tolist() == ["age", "income", "children"]


def test_a_new_fit_forgets_the_columns(tmp_path):
    loaded = rb.load(trained(tmp_path, table()))
    loaded.fit([[1.0], [2.0]], [0, 1])
    assert loaded.predict([[1.0], [2.0]]).tolist() == [0, 1]
    assert not hasattr(loaded, "encoder_")


# ---- ONNX ----------------------------------------------------------------------------------------------------------


def answered(model, inputs, folder, **options):
    """What the graph answers, run by onnxruntime."""
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    rb.export_onnx(model, folder / "model.onnx", **options)
    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))


@pytest.mark.parametrize(
    "columns", [["age", "income"], ["city"], ["age", "income", "city", "kind"]], ids=lambda names: "-".join(names)
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_graph_takes_what_the_command_took(columns, n_classes, tmp_path, capsys):
    frame, new = (one.assign(kind=np.arange(len(one)) % 5, constant=3.0) for one in (table(), table(60, seed=1)))
    frame["kind"], new["kind"] = "k" + frame["kind"].astype(str), "k" + new["kind"].astype(str)
    if n_classes == 3:
        frame["label"] = frame["label"] + np.where(frame["age"] > 50, "!", "")
    numeric = [name for name in (*columns, "constant") if name in ("age", "income", "constant")]
    categorical = [name for name in columns if name not in numeric]
    numeric = numeric if "age" in columns else []
    path = trained(tmp_path, frame[[*numeric, *categorical, "label"]])
    new.loc[3, "city"] = "Atlantis"
    labels, scores = told(tmp_path, path, new[[*numeric, *categorical]], capsys)
    inputs = {"X": new[numeric].to_numpy(float)} if numeric else {}
    inputs |= {"categories": new[categorical].to_numpy(object)} if categorical else {}
    found = answered(rb.load(path), inputs, tmp_path)
    np.testing.assert_allclose(found["scores"].reshape(scores.shape), scores, rtol=1e-9, atol=1e-9)
    assert found["label"].tolist() == labels


def test_a_graph_of_a_kernel_model_standardises(tmp_path, capsys):
    frame, new = table()[["age", "income", "label"]], table(60, seed=1)[["age", "income"]]
    path = trained(tmp_path, frame, "--algorithm", "kernel", "--kernel", "rbf")
    labels, scores = told(tmp_path, path, new, capsys)
    found = answered(rb.load(path), {"X": new.to_numpy()}, tmp_path)
    np.testing.assert_allclose(found["scores"], scores[:, 0], rtol=1e-6, atol=1e-6)
    assert found["label"].tolist() == labels


def test_missing_values_in_a_graph(tmp_path):
    frame = table()
    frame.loc[::7, "age"] = np.nan
    loaded = rb.load(trained(tmp_path, frame, "--missing", "absent"))
    inputs = {"X": frame[["age", "income"]].to_numpy(), "categories": frame[["city"]].to_numpy(object)}
    found = answered(loaded, inputs, tmp_path)
    np.testing.assert_allclose(found["scores"], loaded.decision_function(frame), rtol=1e-9, atol=1e-9)


def test_what_a_graph_cannot_express_is_refused(tmp_path):
    frame = table().assign(review="a fine day in a fine city")
    loaded = rb.load(trained(tmp_path, frame, "--text", "review", "--bits", "6", "--numeric", "age"))
    one_sentence(lambda: rb.export_onnx(loaded, tmp_path / "x.onnx"), ValueError, "reads text", "encoded=True")
    assert not (tmp_path / "x.onnx").exists()
    rows = loaded._encoding.rows(frame)
    found = answered(loaded, {"X": rows.toarray()}, tmp_path, encoded=True)
    np.testing.assert_allclose(found["scores"], loaded.decision_function(frame), rtol=1e-4, atol=1e-5)
    kernel = rb.load(trained(tmp_path, table(), "--algorithm", "kernel", "--kernel", "rbf"))
    one_sentence(lambda: rb.export_onnx(kernel, tmp_path / "x.onnx"), ValueError, "kernel", "categories")


def test_the_same_rows_make_the_same_model_whatever_file_they_are_of(tmp_path, capsys):
    frame = table()
    frame["owner"] = np.random.default_rng(1).random(len(frame)) < 0.5
    frame["label"] = np.where((frame.label == "yes") ^ frame.owner, "yes", "no")
    kinds = {
        "csv": lambda file: frame.to_csv(file, index=False), "parquet": frame.to_parquet, "feather": frame.to_feather,
        "jsonl": lambda file: frame.to_json(file, orient="records", lines=True),
    }  # fmt: skip
    models = {}
    for kind, write in kinds.items():
        write(tmp_path / f"a.{kind}")
        assert cli.main(["train", str(tmp_path / f"a.{kind}"), "-o", str(tmp_path / kind)]) == 0
        assert "owner" in capsys.readouterr().out
        models[kind] = rb.load(tmp_path / kind)
    first = models["csv"]
    for kind, model in models.items():
        same_bits(model.coef_, first.coef_)
        for other in kinds:
            assert cli.main(["predict", str(tmp_path / kind), str(tmp_path / f"a.{other}")]) == 0
            assert capsys.readouterr().out.split() == ["label", *first.predict(frame)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([i % 131 - 65 for i in range(300)], pa.int64()).cast(pa.decimal128(20, 0)),
        pa.array([f"{i % 97}.{i % 100:02d}" for i in range(300)]).cast(pa.decimal128(8, 2)),
        pa.array([""] * 300),
        pa.array([f"a film that is {CITIES[i % 4]}'s own, number {i}, and longer than most" for i in range(300)])
        .dictionary_encode(),
        pa.array([f"{CITIES[i % 4]}, a town whose name is very long and comes again" for i in range(300)]),
        pa.array(CITIES * 75, pa.large_string()), pa.array([None, True, False] * 100),
    ],
    ids=["whole decimals", "decimals", "empty", "texts stored once", "long names", "large strings", "flags and nulls"],
)  # fmt: skip
def test_a_parquet_file_and_the_csv_file_made_of_it_make_the_same_model(tmp_path, column):
    frame = table()
    rows = pa.table({"age": frame.age, "other": column, "label": frame.label})
    parquet.write_table(rows, tmp_path / "a.parquet")
    assert cli.main(["convert", str(tmp_path / "a.parquet"), str(tmp_path / "a.csv")]) == 0
    found = []
    for kind in ("parquet", "csv"):
        command = ["train", str(tmp_path / f"a.{kind}"), "-o", str(tmp_path / kind), "--missing", "absent", "-q"]
        assert cli.main(command) == 0
        found.append(rb.load(tmp_path / kind).coef_)
    same_bits(*found)


def test_whole_decimals_are_whole_numbers_and_so_are_labels(tmp_path):
    frame = table()
    marks = pa.array((frame.label == "yes").astype(int)).cast(pa.decimal128(20, 0))
    parquet.write_table(pa.table({"age": frame.age, "label": marks}), tmp_path / "a.parquet")
    assert cli.main(["train", str(tmp_path / "a.parquet"), "-o", str(tmp_path / "model"), "-q"]) == 0
    classes = rb.load(tmp_path / "model").classes_
    assert (classes.tolist(), classes.dtype.kind) == ([0, 1], "i")
