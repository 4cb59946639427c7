"""What the command trains is what the estimators train on the same examples, to the bit."""

import gzip
import json
import signal
from itertools import pairwise

import numpy as np
import pytest
from clockless import is_waiting, until
from hypothesis import given, settings
from hypothesis import strategies as st
from saved import same_learner

import rosenblatt as rb
from rosenblatt import cli, model_files
from rosenblatt.cli import training
from rosenblatt.cli.held_out import HeldOut
from rosenblatt.data.features import bits_for

WORDS = [
    "good",
    "bad",
    "fine",
    "dull",
    "great",
    "poor",
    "film",
    "plot",
    "story",
    "never",
    "not",
    "very",
    "quite",
    "the",
]


def reviews(n=300, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        words = rng.choice(WORDS, size=rng.integers(4, 12))
        score = sum(word in ("good", "fine", "great") for word in words) - sum(
            word in ("bad", "dull", "poor") for word in words
        )
        rows.append(("pos" if score + rng.normal(0, 0.5) > 0 else "neg", " ".join(words)))
    return rows


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text("sentiment,review\n" + "".join(f"{label},{text}\n" for label, text in reviews()))
    return path


@pytest.fixture
def svm(tmp_path):
    rng = np.random.default_rng(1)
    X = np.round(rng.standard_normal((250, 12)), 3) * (rng.random((250, 12)) < 0.6)
    y = np.where(X @ rng.standard_normal(12) + 0.3 * rng.standard_normal(250) > 0, 1, -1)
    path = tmp_path / "rows.svm"
    rb.data.write_svmlight(path, X, y)
    return path


def train(*arguments):
    return cli.main(["train", "--quiet", *map(str, arguments)])


#: Rows of svmlight as they are.
AS_THEY_ARE = ["--no-standardise", "--norm", "none"]


def same(saved, expected):
    """The model in a file and an estimator have the same weights, by either readout, and the same history."""
    loaded = rb.load(saved)
    assert type(loaded) is type(expected)
    np.testing.assert_array_equal(loaded.classes_, expected.classes_)
    np.testing.assert_array_equal(loaded.coef_, expected.coef_)
    np.testing.assert_array_equal(loaded.intercept_, expected.intercept_)
    np.testing.assert_array_equal(loaded.with_readout("last").coef_, expected.with_readout("last").coef_)
    assert loaded.n_updates_ == expected.n_updates_
    assert loaded.mistakes_.tolist() == expected.mistakes_.tolist()
    assert loaded.verdict_ == expected.verdict_
    return loaded


#: What is else chosen on a part of the rows.
NAMED = ["--characters", "none", "--weighting", "binary", "-C", "1"]


def hashed():
    return rb.text.HashedText(ngrams=(1, 2), symbols=True, min_length=1, weighting="binary", idf=True, supervised=True)


def test_text_in_memory_is_fit(csv, tmp_path):
    assert train(csv, "-o", tmp_path / "m", "--passes", 3, "--seed", 7, *NAMED) == 0
    labels, texts = zip(*reviews())
    X = hashed().fit_transform(texts, labels)
    expected = rb.PassiveAggressiveClassifier(
        average=True, fit_intercept=False, max_iter=3, tol=None, random_state=7
    ).fit(X, labels)
    same(tmp_path / "m", expected)


@pytest.mark.parametrize(
    ("options", "bias"),
    [((), False), (("--intercept",), True), (("-a", "mira"), False), (("-a", "averaged"), True)],
)
def test_on_text_passive_aggressive_steps_have_no_bias_unless_asked_for(csv, tmp_path, options, bias):
    assert train(csv, "-o", tmp_path / "m", *options) == 0
    loaded = rb.load(tmp_path / "m")
    assert loaded.fit_intercept is bias
    assert np.any(loaded.intercept_ != 0) == bias


def test_columns_do_not_depend_on_classes(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("label,text\n" + "".join(f"class{i % 20},word{i % 20} and more\n" for i in range(80)))
    words = ("--text", "text", "--characters", "none")
    assert train(path, "-o", tmp_path / "m", "--passes", 1, *words) == 0
    assert rb.load(tmp_path / "m").n_features_in_ == 2**22
    assert train(path, "-o", tmp_path / "m", "--passes", 1, *words, "--bits", 12) == 0
    assert rb.load(tmp_path / "m").n_features_in_ == 2**12
    assert [bits_for(n_texts) for n_texts in (1, 2, 10, 11, 20, 100, 1000)] == [22, 22, 22, 21, 21, 18, 16]


@pytest.mark.parametrize("rows", [17, 100, 1000])
def test_text_block_by_block_is_partial_fit_in_any_blocks(csv, tmp_path, rows):
    assert train(csv, "-o", tmp_path / "m", "--passes", 2, "--stream", "--block-rows", rows, *NAMED) == 0
    labels, texts = zip(*reviews())
    text = hashed()
    expected = rb.PassiveAggressiveClassifier(average=True, fit_intercept=False, max_iter=2, tol=None, random_state=0)
    expected.partial_fit(text.partial_fit_transform(texts, labels), labels)
    expected.partial_fit(text.transform(texts), labels)
    same(tmp_path / "m", expected)


def test_svmlight_that_grows_wider_from_block_to_block(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n-1 2:1\n1 1:1 3:2\n-1 2:1 9:1\n1 3:1 12:1\n-1 2:2\n")
    assert train(path, "-o", tmp_path / "m", "--stream", "--block-rows", 2, "--passes", 1, *AS_THEY_ARE) == 0
    rows = rb.data.read(path)
    expected = rb.AveragedPerceptron(max_iter=1, tol=None, random_state=0).partial_fit(rows.X, rows.y)
    same(tmp_path / "m", expected)


def test_indices_from_0_are_known_by_a_late_line(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n-1 2:1\n" * 20 + "1 0:1\n")
    assert train(path, "-o", tmp_path / "m", "--passes", 2, "--block-rows", 7, *AS_THEY_ARE) == 0
    rows = rb.data.read(path)
    same(tmp_path / "m", rb.AveragedPerceptron(max_iter=2, tol=None, random_state=0).fit(rows.X, rows.y))


def test_many_classes_mixed_columns_and_weights(tmp_path):
    rng = np.random.default_rng(5)
    path = tmp_path / "t.csv"
    colours, jobs = rng.choice(["red", "green", "blue"], 120), rng.choice(["cook", "pilot"], 120)
    lines = [f"{a},{rng.normal():.3f},{b},{rng.integers(1, 4)}" for a, b in zip(colours, jobs)]
    path.write_text("colour,size,job,importance\n" + "\n".join(lines) + "\n")
    options = ("--label", "colour", "--numeric", "size", "--categorical", "job", "--weight", "importance")
    assert train(path, "-o", tmp_path / "m", *options, "--passes", 2) == 0
    columns = {"label": "colour", "numeric": ["size"], "categorical": ["job"], "weight": "importance"}
    data = rb.data.read(path, columns=columns)
    encoder = rb.data.Encoder(data.columns, standardise=True)
    X = encoder.encode(data.block, learn=True).to_scipy()
    whole = encoder.encode(data.block, learn=False).to_scipy()  # by the means of all rows
    expected = rb.AveragedPerceptron(max_iter=2, tol=None, random_state=0).fit(
        whole, data.labels, sample_weight=data.weights
    )
    same(tmp_path / "m", expected)
    assert train(path, "-o", tmp_path / "m", *options, "--passes", 1, "--stream", "--block-rows", 13) == 0
    expected = rb.AveragedPerceptron(max_iter=1, tol=None, random_state=0)
    same(tmp_path / "m", expected.partial_fit(X, data.labels, sample_weight=data.weights))


def test_a_shuffle_buffer_shuffles_each_block(svm, tmp_path):
    assert train(svm, "-o", tmp_path / "m", "--shuffle-buffer", 100, "--passes", 1, "--seed", 4, *AS_THEY_ARE) == 0
    rows, rng = rb.data.read(svm), np.random.default_rng(4)
    expected = rb.AveragedPerceptron(max_iter=1, tol=None, random_state=4)
    for start in (0, 100, 200):
        block = np.arange(start, min(start + 100, 250))
        block = block[rng.permutation(len(block))]
        expected.partial_fit(rows.X[block], rows.y[block])
    same(tmp_path / "m", expected)


def test_resume_goes_on_as_if_it_had_never_stopped(tmp_path):
    rows = reviews(400)
    for name, part in (("a", rows[:150]), ("b", rows[150:]), ("all", rows)):
        text = "sentiment,review\n" + "".join(f"{label},{words}\n" for label, words in part)
        (tmp_path / f"{name}.csv").write_text(text)
    stream = ("--stream", "--passes", 1, *NAMED)
    assert train(tmp_path / "a.csv", "-o", tmp_path / "a.model", *stream) == 0
    assert train(tmp_path / "b.csv", "-o", tmp_path / "b.model", "--resume", tmp_path / "a.model") == 0
    assert train(tmp_path / "all.csv", "-o", tmp_path / "all.model", *stream) == 0
    same(tmp_path / "b.model", rb.load(tmp_path / "all.model"))
    plain = [rb.load(tmp_path / f"{name}.model")._extras["features"] for name in ("b", "all")]
    assert plain[0][0] == plain[1][0]
    for key in plain[0][1]:
        np.testing.assert_array_equal(plain[0][1][key], plain[1][1][key])


def test_names_do_not_depend_on_blocks(csv, tmp_path):
    with csv.open("a") as file:
        file.write("pos,unheard of so far\n")
    found = []
    for rows in (7, 1000):
        options = ("--named-rows", 40, "--block-rows", rows, "--stream", "--passes", 1)
        assert train(csv, "-o", tmp_path / "m", *options) == 0
        found.append(rb.load(tmp_path / "m")._extras["features"][1]["text.0.name_bytes"].tobytes())
    assert found[0] == found[1]
    assert b"not" in found[0]
    assert b"unheard" not in found[0]


def test_held_out_rows_are_not_learned_from(svm, tmp_path, capsys):
    command = ["train", str(svm), "-o", str(tmp_path / "m"), "--held-out", "0.2", "--json", *AS_THEY_ARE]
    assert cli.main(command) == 0
    told = json.loads(capsys.readouterr().out)
    rows = rb.data.read(svm)
    out = HeldOut(0.2, 0).mask(0, 250)
    expected = rb.AveragedPerceptron(max_iter=5, tol=None, random_state=0).fit(rows.X[~out], rows.y[~out])
    same(tmp_path / "m", expected)
    assert told["rows"] == 200
    assert told["held_out"]["rows"] == 50
    assert told["held_out"]["accuracy"] == pytest.approx(expected.score(rows.X[out], rows.y[out]))


@given(
    share=st.floats(1e-4, 0.5), seed=st.integers(0, 5), cuts=st.sets(st.integers(1, 2999)), late=st.integers(0, 10**9)
)
@settings(max_examples=30)
def test_a_share_is_held_out_evenly_in_any_blocks(share, seed, cuts, late):
    edges = [0, *sorted(cuts), 3000]
    whole = HeldOut(share, seed).mask(late, 3000)
    assert np.array_equal(
        np.concatenate([HeldOut(share, seed).mask(late + a, b - a) for a, b in pairwise(edges)]), whole
    )
    assert abs(int(whole.sum()) - 3000 * share) <= 2
    assert len(whole) == 3000


def test_labels_that_come_with_a_period_are_not_all_held_out(tmp_path, capsys):
    rows = [f"{int(i % 10 == 9)} 1:{i} 2:{1 + i % 10}" for i in range(400)]
    (tmp_path / "a.svm").write_text("\n".join(rows) + "\n")
    found = set()
    for seed in range(3):
        words = ["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), "--held-out", "0.1", "--json"]
        assert cli.main([*words, "--seed", str(seed)]) == 0
        told = json.loads(capsys.readouterr().out)["held_out"]
        assert told["rows"] == 40
        found.add(told["classes"]["1"]["rows"])
        assert 0 < told["classes"]["1"]["rows"] < 15
    assert len(found) > 1  # other seeds hold out other rows


@pytest.mark.parametrize("readout", ["averaged", "last"])
@pytest.mark.parametrize("passes", [1, 3])
def test_progressive_accuracy_is_that_of_the_readout_in_the_first_pass(readout, passes, svm, tmp_path, capsys):
    learner = ["-a", "online", "--readout", readout, "--no-shuffle", "--passes", str(passes), *AS_THEY_ARE]
    command = ["train", str(svm), "-o", str(tmp_path / "m"), *learner]
    assert cli.main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    rows, model, wrong = rb.data.read(svm), rb.OnlineClassifier(readout=readout), 0
    classes = np.unique(rows.y)
    for i, (x, y) in enumerate(zip(rows.X, rows.y)):
        wrong += (model.predict(x)[0] if i else classes[0]) != y
        model.partial_fit(x, [y], classes=classes)
    assert told["progressive_accuracy"] == 1 - wrong / 250
    assert told["progressive_readout"] == readout
    assert cli.main(command) == 0
    assert f"by the {readout} weights in the first pass" in capsys.readouterr().out


def test_predict_and_evaluate_are_those_of_the_estimator(csv, tmp_path, capsys):
    assert train(csv, "-o", tmp_path / "m", *NAMED) == 0
    new = reviews(80, seed=9)
    with gzip.open(tmp_path / "new.csv.gz", "wt") as file:
        file.write("review,sentiment\n" + "".join(f"{words},{label}\n" for label, words in new))
    assert cli.main(["predict", str(tmp_path / "m"), str(tmp_path / "new.csv.gz"), "--scores"]) == 0
    lines = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    text = hashed()
    text.fit([words for _, words in reviews()], [label for label, _ in reviews()])
    X, model = text.transform([words for _, words in new]), rb.load(tmp_path / "m")
    assert lines[0] == ["label", "score"]
    assert [label for label, _ in lines[1:]] == model.predict(X).tolist()
    np.testing.assert_array_equal(np.array([score for _, score in lines[1:]], np.float32), model.decision_function(X))
    assert cli.main(["evaluate", str(tmp_path / "m"), str(tmp_path / "new.csv.gz"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    truth, predicted = [label for label, _ in new], model.predict(X)
    assert told["accuracy"] == pytest.approx(np.mean(predicted == truth))
    assert told["confusion"]["counts"] == confusion_matrix(truth, predicted).tolist()
    scores = precision_recall_fscore_support(truth, predicted)
    for i, name in enumerate(model.classes_):
        mine = told["classes"][name]
        assert [mine["precision"], mine["recall"], mine["f1"]] == pytest.approx([score[i] for score in scores[:3]])


def test_features_beyond_those_of_training_have_no_weight(svm, tmp_path, capsys):
    assert train(svm, "-o", tmp_path / "m") == 0
    (tmp_path / "wide.svm").write_text("1 1:1 2:-1\n1 1:1 2:-1 40:5\n1 2:1\n")
    assert (
        cli.main(["predict", str(tmp_path / "m"), str(tmp_path / "wide.svm"), "--only-scores", "--no-output-header"])
        == 0
    )
    first, second, _ = capsys.readouterr().out.split()
    assert first == second


def test_a_model_of_python_on_a_frame_predicts_a_table(tmp_path, capsys):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"width": [1.0, 2, -1, -2], "height": [0.0, 1, 0, -1]})
    rb.Perceptron().fit(frame, ["a", "a", "b", "b"]).save(tmp_path / "m")
    frame[["height", "width"]].to_csv(tmp_path / "t.csv", index=False)
    assert cli.main(["predict", str(tmp_path / "m"), str(tmp_path / "t.csv"), "--no-output-header"]) == 0
    assert capsys.readouterr().out.split() == ["a", "a", "b", "b"]


def test_an_interrupted_run_has_counted_what_it_has_learned(csv, tmp_path, monkeypatch):
    """The next block is taken apart while this one is learned from, and nothing of it is counted before its turn."""
    learn, n = training._learn, 0

    def learn_or_be_interrupted(*arguments):
        nonlocal n
        n += 1
        if n == 3:
            until(lambda: is_waiting("rosenblatt-encoder"))  # the fourth block is taken apart meanwhile
            signal.raise_signal(signal.SIGINT)
        return learn(*arguments)

    monkeypatch.setattr(training, "_learn", learn_or_be_interrupted)
    options = ["-q", "--stream", "--block-rows", "7", "--passes", "2"]
    assert cli.main(["train", str(csv), "-o", str(tmp_path / "cut"), *options]) == cli.INTERRUPTED
    model = model_files.read(tmp_path / "cut")
    text = model.extras["features"][0]["table"]["text"]["review"]
    assert text["hashing"]["n_documents"] == model.learner.visited == 21
    monkeypatch.undo()
    head = tmp_path / "head.csv"
    head.write_text("".join(csv.read_text().splitlines(keepends=True)[:22]))
    assert cli.main(["train", str(head), "-o", str(tmp_path / "whole"), "-q", "--stream", "--passes", "1"]) == 0
    same_learner(model.learner, model_files.read(tmp_path / "whole").learner)


def test_a_model_of_python_on_a_frame_is_judged_and_goes_on(tmp_path, capsys):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"width": [1.0, 2, -1, -2], "height": [0.0, 1, 0, -1], "label": ["a", "a", "b", "b"]})
    X, y = frame[["width", "height"]], frame["label"].astype(object)
    rb.Perceptron(shuffle=False).fit(X, y).save(tmp_path / "m")
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert cli.main(["evaluate", str(tmp_path / "m"), str(tmp_path / "t.csv")]) == 0
    assert "accuracy 100.00% on 4 rows" in capsys.readouterr().out
    assert cli.main(["train", str(tmp_path / "t.csv"), "--resume", str(tmp_path / "m"), "-o", str(tmp_path / "n")]) == 0
    assert "label: label (guessed from its name)" in capsys.readouterr().out
    loaded = same(tmp_path / "n", rb.Perceptron(shuffle=False).fit(X, y).partial_fit(X, y))
    assert loaded.feature_names_in_.tolist() == ["width", "height"]
    (tmp_path / "numbers.csv").write_text("label,width,height\n1,2,3\n0,1,2\n")
    command = ["train", str(tmp_path / "numbers.csv"), "--resume", str(tmp_path / "m"), "-o", str(tmp_path / "o")]
    assert cli.main(command) == 1
    assert "numbers.csv: the labels are numbers, and those of the model are text" in capsys.readouterr().err


def test_several_files_with_columns_in_any_order(tmp_path, capsys):
    (tmp_path / "1.csv").write_text("label,a,b\nx,1,2\ny,-1,3\n")
    (tmp_path / "2.csv").write_text("b,label,a\n2,x,1\n3,y,-1\n")
    (tmp_path / "all.csv").write_text("label,a,b\n" + "x,1,2\ny,-1,3\n" * 2)
    assert train(tmp_path / "1.csv", tmp_path / "2.csv", "-o", tmp_path / "m") == 0
    assert train(str(tmp_path / "?.csv"), "-o", tmp_path / "glob") == 0
    assert train(tmp_path / "all.csv", "-o", tmp_path / "all") == 0
    same(tmp_path / "m", rb.load(tmp_path / "all"))
    same(tmp_path / "glob", rb.load(tmp_path / "all"))


def test_a_few_rows_on_a_line_are_learned(tmp_path, capsys):
    """In memory the columns are standardised by all rows, not each row by those before it."""
    (tmp_path / "t.csv").write_text("y,a\n" + "".join(f"{0.5 * x - 152.75},{x}\n" for x in range(300, 312)))
    assert train(tmp_path / "t.csv", "-o", tmp_path / "m", "--passes", 200) == 0
    assert cli.main(["evaluate", str(tmp_path / "m"), str(tmp_path / "t.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["r2"] > 0.99


def test_the_record_names_the_files_that_a_pattern_stands_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / f"{name}.svm").write_text("1 1:1\n-1 2:1\n")
    assert cli.main(["train", "?.svm", "-o", "m", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == ["a.svm", "b.svm"]
    assert model_files.read("m").extras["training"][0]["files"] == ["a.svm", "b.svm"]


# ---- the end of a stream ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["perceptron", "pa1", "pocket", "kernel"])
def test_a_stream_ends_when_a_pass_separates_as_a_run_in_memory(name, tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3)).round(3)
    X, y = X[abs(X[:, 0]) > 0.2], np.where(X[:, 0] > 0, 1, -1)[abs(X[:, 0]) > 0.2]
    rb.data.write_svmlight(tmp_path / "a.svm", X, y)
    how = [str(tmp_path / "a.svm"), "-a", name, "--passes", "60", "--json", "-o", str(tmp_path / "m")]
    how += [*AS_THEY_ARE, *(["--gamma", "1"] if name == "kernel" else [])]
    ends = []
    for more in (["--no-shuffle"], ["--stream"], ["--stream", "--block-rows", "7"]):
        assert cli.main(["train", *how, *more]) == 0
        record, model = json.loads(capsys.readouterr().out), rb.load(tmp_path / "m")
        scores = model.decision_function(X)  # with a kernel, of examples that came by several times
        ends.append((record["mistakes"], record["verdict"], (scores.round(9) if name == "kernel" else scores).tolist()))
        assert model.verdict_ == "separated"
        if name != "kernel":
            assert 0 < model.margin_bounds_[0] <= model.margin_bounds_[1]
    assert ends[0] == ends[1] == ends[2]
    assert len(ends[0][0]) < 60
    model.partial_fit(X, -y)
    assert model.verdict_ == "stopped"  # what came later was not judged


def test_a_stream_of_numbers_ends_when_all_are_within_epsilon(tmp_path, capsys):
    rb.data.write_svmlight(tmp_path / "a.svm", np.eye(3), [1.5, 2.5, 3.5])
    how = [
        "-a",
        "pa-regressor",
        *AS_THEY_ARE,
        "--no-intercept",
        "--epsilon",
        "0.5",
        "--stream",
        "--passes",
        "50",
        "--json",
        "-o",
        str(tmp_path / "m"),
    ]
    assert cli.main(["train", str(tmp_path / "a.svm"), *how]) == 0
    assert json.loads(capsys.readouterr().out)["outside_epsilon"] == [3, 0]


@pytest.mark.parametrize("how", [["-a", "batch"], ["-a", "perceptron", "--tol", "0.1"]])
def test_what_a_stream_cannot_do_is_refused(how, tmp_path, capsys):
    rb.data.write_svmlight(tmp_path / "a.svm", np.eye(2), [1, -1])
    assert cli.main(["train", str(tmp_path / "a.svm"), "--stream", *how, "-o", str(tmp_path / "m")]) == 1
    assert "needs all rows in memory" in capsys.readouterr().err


def test_classes_that_a_resumed_model_did_not_know_are_told(tmp_path, capsys):
    def notes(labels, weights=(1, 1, 1, 1), name="n"):
        rows = "".join(f"{label},{x},{w}\n" for label, x, w in zip(labels, (1, -2, 3, -4), weights))
        (tmp_path / "t.csv").write_text("label,x,w\n" + rows)
        resumed = ["--resume", str(tmp_path / "m")] if name == "n" else ["--weight", "w", "--numeric", "x"]
        command = ["train", "-q", str(tmp_path / "t.csv"), "-o", str(tmp_path / name), *resumed]
        assert cli.main(command) == 0
        return capsys.readouterr().err

    assert notes(["no", "yes", "no", "yes"], name="m") == ""
    assert notes(["no", "yes", "no", "no"]) == ""
    assert notes([0, 1, 1, 0]) == "2 classes that the model did not know: 0, 1; none of its own (no, yes) occurs\n"
    assert notes(["no", "perhaps", "no", "yes"]) == "1 class that the model did not know: perhaps\n"
    assert notes(["no", "yes", "perhaps", "no"], (1, 1, 0, 1)) == ""  # which is not learned


@pytest.mark.parametrize("options", [[], ["--stream"], ["--passes", "1", "--shuffle-buffer", "7"]])
def test_the_summary_says_how_many_rows_have_weight(options, tmp_path, capsys):
    rows = [("abc"[i % 3], i % 5, i % 2) for i in range(40)]
    (tmp_path / "t.csv").write_text("label,x,w\n" + "".join(f"{a},{x},{w}\n" for a, x, w in rows))
    command = ["train", str(tmp_path / "t.csv"), "--numeric", "x", "-o", str(tmp_path / "m"), *options]
    for weights, n, said in [
        (["--weight", "w"], 20, "40 rows (20 of them with weight, which alone are learned from), 1 feature"),
        ([], None, "40 rows, 1 feature"),
    ]:
        assert cli.main([*command, *weights]) == 0
        assert f"data         {said}" in capsys.readouterr().out
        assert cli.main(["inspect", str(tmp_path / "m")]) == 0
        assert f" {said.partition(',')[0]}" in capsys.readouterr().out
        assert cli.main([*command, *weights, "--json"]) == 0
        assert json.loads(capsys.readouterr().out).get("rows_with_weight") == n


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["pos", "neg"], ""),
        (["1", "2"], ""),
        (["Pos", "pos"], "the classes 'Pos' and 'pos' differ in case or blanks alone: they are learned apart\n"),
        (["pos ", "pos"], "the classes 'pos' and 'pos ' differ in case or blanks alone: they are learned apart\n"),
        (
            ["a b", "A  b", "A B", "c"],
            "the classes 'A  b' and 'A B' differ in case or blanks alone; and so does 1 other: "
            "they are learned apart\n",
        ),
    ],
)
@pytest.mark.parametrize("how", [[], ["--stream"]], ids=" ".join)
def test_classes_that_are_written_nearly_alike_are_told(names, sentence, how, tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("label,text\n" + "".join(f"{names[i % len(names)]},some word{i}\n" for i in range(40)))
    assert train(path, "-o", tmp_path / "m", "--text", "text", "-q", *how) == 0
    assert capsys.readouterr().err == sentence
