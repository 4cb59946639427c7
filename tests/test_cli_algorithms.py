"""Every learner of the family by its name: it learns, predicts and tells what its estimator does, to the bit."""

import gzip
import json

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.cli.algorithms import ALGORITHMS as ALL
from rosenblatt.cli.held_out import HeldOut
from rosenblatt.cli.parameters import OPTIONS

#: Those of rows; test_cli_sequences.py is about the others.
ALGORITHMS = {name: named for name, named in ALL.items() if not named.is_of_sentences}
CLASSIFIERS = [name for name, named in ALGORITHMS.items() if not named.is_regression]
REGRESSORS = [name for name, named in ALGORITHMS.items() if named.is_regression]
ROWS = 160


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Rows of two classes, of three, and with numbers for labels."""
    folder = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(1)
    X = np.round(rng.standard_normal((ROWS, 7)), 3) * (rng.random((ROWS, 7)) < 0.7)
    X[:, 6] = 1 + rng.random(ROWS).round(2)  # every block has all columns
    scores = X @ rng.standard_normal((7, 3)) + 0.5 * rng.standard_normal((ROWS, 3))
    rb.data.write_svmlight(folder / "two.svm", X, np.where(scores[:, 0] > 0, 1, -1))
    rb.data.write_svmlight(folder / "three.svm", X, scores.argmax(axis=1))
    rb.data.write_svmlight(folder / "numbers.svm", X, np.round(40 * scores[:, 0] + 7, 2))
    return folder


def file_of(name, files):
    return files / ("numbers.svm" if name in REGRESSORS else "two.svm")


def estimator(name, **parameters):
    named = ALGORITHMS[name]
    more = {"tol": None} if "tol" in named.takes else {}
    return getattr(rb, named.estimator)(**named.preset, **more, **parameters)


def train(*arguments):
    """Train on rows as they are: these tests are about learners."""
    more = [] if "--resume" in arguments else ["--no-standardise"]
    assert cli.main(["train", "--quiet", *map(str, arguments), *more]) == 0


def same(path, expected, rows):
    """A model file and an estimator have the same history, and the same scores to the bit by every readout."""
    loaded = rb.load(path)
    assert type(loaded) is type(expected)
    assert loaded.get_params() == expected.get_params()
    assert loaded.n_updates_ == expected.n_updates_
    assert loaded.n_iter_ == expected.n_iter_
    readouts = [None, "last"]
    if hasattr(expected, "support_"):
        np.testing.assert_array_equal(loaded.support_, expected.support_)
        np.testing.assert_array_equal(loaded.dual_coef_, expected.dual_coef_)
        readouts = [None, "last"] if expected.budget else [None, "last", "averaged", "voted"]
    else:
        np.testing.assert_array_equal(loaded.coef_, expected.coef_)
        np.testing.assert_array_equal(loaded.intercept_, expected.intercept_)
    if hasattr(expected, "classes_"):
        np.testing.assert_array_equal(loaded.classes_, expected.classes_)
        assert loaded.mistakes_.tolist() == expected.mistakes_.tolist()
        assert loaded.verdict_ == expected.verdict_
        assert loaded.margin_bounds_ == expected.margin_bounds_
    for readout in readouts:
        ones = [one if readout is None else one.with_readout(readout) for one in (loaded, expected)]
        scores = [one.decision_function(rows.X) if hasattr(one, "classes_") else one.predict(rows.X) for one in ones]
        np.testing.assert_array_equal(*scores)


# ---- learning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALGORITHMS)
def test_in_memory_is_fit(name, files, tmp_path):
    train(file_of(name, files), "-o", tmp_path / "m", "-a", name, "--passes", 3, "--seed", 5)
    rows = rb.data.read(file_of(name, files))
    same(tmp_path / "m", estimator(name, max_iter=3, random_state=5).fit(rows.X, rows.y), rows)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "norm-mira"])
def test_in_memory_with_several_classes_is_fit(name, files, tmp_path):
    train(files / "three.svm", "-o", tmp_path / "m", "-a", name, "--passes", 2)
    rows = rb.data.read(files / "three.svm")
    same(tmp_path / "m", estimator(name, max_iter=2, random_state=0).fit(rows.X, rows.y), rows)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "batch"])
def test_block_by_block_is_partial_fit_and_resuming_goes_on(name, files, tmp_path):
    path = file_of(name, files)
    lines = path.read_text().splitlines(keepends=True)
    (tmp_path / "a.svm").write_text("".join(lines[:100]))
    (tmp_path / "b.svm").write_text("".join(lines[100:]))
    more = {"gamma": 0.25} if name == "kernel" else {}  # else it is that of the first rows
    options = ["--gamma", 0.25] if more else []
    train(tmp_path / "a.svm", "-o", tmp_path / "a", "-a", name, "--stream", "--passes", 1, "--block-rows", 32, *options)
    train(tmp_path / "b.svm", "-o", tmp_path / "b", "--resume", tmp_path / "a", "--block-rows", 7)
    train(path, "-o", tmp_path / "all", "-a", name, "--stream", "--passes", 1, "--block-rows", 1000, *options)
    rows = rb.data.read(path)
    expected = estimator(name, max_iter=1, random_state=0, **more)
    if (
        "kernel" in ALGORITHMS[name].takes
    ):  # in the blocks that the files come in: sums of a kernel's products round by block
        for start, stop in [
            (0, 32),
            (32, 64),
            (64, 96),
            (96, 100),
            *((i, min(i + 7, ROWS)) for i in range(100, ROWS, 7)),
        ]:
            expected.partial_fit(rows.X[start:stop], rows.y[start:stop])
    else:
        expected.partial_fit(rows.X, rows.y)
        same(tmp_path / "all", expected, rows)
    same(tmp_path / "b", expected, rows)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-a", "kernel", "--kernel", "poly", "--degree", 2, "--gamma", 0.5, "--coef0", 2],
         rb.KernelPerceptron(kernel="poly", degree=2, gamma=0.5, coef0=2)),
        (["-a", "kernel", "--rule", "pa1", "-C", 0.5, "--readout", "averaged", "--gamma", "auto", "--no-fit-intercept"],
         rb.KernelPerceptron(rule=rb.rules.PA1(0.5), readout="averaged", gamma="auto", fit_intercept=False)),
        (["-a", "kernel", "--kernel", "sigmoid", "--gamma", 0.1, "--readout", "pocket", "--block-size", 16],
         rb.KernelPerceptron(kernel="sigmoid", gamma=0.1, readout="pocket", block_size=16)),
        (["-a", "kernel", "--kernel", "linear", "--readout", "pocket"],
         rb.KernelPerceptron(kernel="linear", readout="pocket")),
        (["-a", "kernel", "--budget", 20], rb.KernelPerceptron(budget=20)),
        (["-a", "kernel", "--budget", 20, "--budget-policy", "projectron", "--projection-tol", 0.2],
         rb.KernelPerceptron(budget=20, budget_policy="projectron", projection_tol=0.2)),
        (["-a", "KernelPerceptron", "--kernel", "rbf", "--cache-size", 0], rb.KernelPerceptron(cache_size=0)),
        (["-a", "voted", "--kernel", "rbf"], rb.VotedPerceptron(kernel="rbf")),
        (["-a", "online", "--rule", "pa2", "-C", 0.1, "--readout", "pocket", "--no-ratchet"],
         rb.OnlineClassifier(rule=rb.rules.PA2(0.1), readout="pocket", ratchet=False)),
        (["-a", "online", "--rule", "norm-mira", "--beta", 0.1, "--readout", "averaged"],
         rb.OnlineClassifier(rule=rb.rules.NormMIRA(0.1), readout="averaged")),
        (["-a", "online", "--margin", 0.5], rb.OnlineClassifier(rule=rb.rules.Perceptron(margin=0.5))),
        (["-a", "pocket", "--no-ratchet"], rb.PocketPerceptron(ratchet=False)),
        (["-a", "perceptron", "--init", "random", "--no-intercept"], rb.Perceptron(init="random", fit_intercept=False)),
        (["-a", "perceptron", "--init", "random"], rb.Perceptron(init="random")),
        (["-a", "pa2", "-C", 0.5, "--last"], rb.PassiveAggressiveClassifier(variant="PA-II", C=0.5, average=False)),
        (["-a", "averaged", "--class-weight", "balanced"], rb.AveragedPerceptron(class_weight="balanced")),
        (["-a", "averaged", "--class-weight=-1=0.5,1=2"], rb.AveragedPerceptron(class_weight={-1.0: 0.5, 1.0: 2.0})),
        (["-a", "perceptron", "--tol", 0.3], rb.Perceptron(tol=0.3)),
    ],
)  # fmt: skip
def test_options_are_parameters(options, expected, files, tmp_path):
    train(files / "two.svm", "-o", tmp_path / "m", "--max-iter", 3, "--random-state", 2, *options)
    rows = rb.data.read(files / "two.svm")
    expected.set_params(max_iter=3, random_state=2, **({} if expected.tol == 0.3 else {"tol": None}))
    same(tmp_path / "m", expected.fit(rows.X, rows.y), rows)


@pytest.mark.parametrize(
    ("options", "parameters"),
    [(["--epsilon", 3, "-C", 0.2], {"epsilon": 3, "C": 0.2}), (["--no-average"], {"average": False})],
)
def test_options_of_a_regressor_are_parameters(options, parameters, files, tmp_path):
    train(files / "numbers.svm", "-o", tmp_path / "m", "-a", "pa1-regressor", *options)
    rows = rb.data.read(files / "numbers.svm")
    expected = rb.PassiveAggressiveRegressor(**{"average": True, "max_iter": 5, "random_state": 0, **parameters})
    same(tmp_path / "m", expected.fit(rows.X, rows.y), rows)


def test_class_weights_of_words(tmp_path):
    (tmp_path / "t.csv").write_text("label,size\n" + "a,1\nb,2\nb,1.5\na,-1\nb,0.5\n" * 6)
    train(
        tmp_path / "t.csv",
        "-o",
        tmp_path / "m",
        "--class-weight",
        "a=3,b=1",
        "--no-standardise",
        "--stream",
        "--passes",
        1,
    )
    rows = rb.data.read(tmp_path / "t.csv")
    X = rb.data.Encoder(rows.columns).encode(rows.block, learn=False).to_scipy()
    expected = rb.AveragedPerceptron(class_weight={"a": 3.0, "b": 1.0}, max_iter=1, tol=None, random_state=0)
    same(tmp_path / "m", expected.partial_fit(X, rows.labels), rows=type("Rows", (), {"X": X}))


def test_every_parameter_of_the_estimators_is_an_option_or_has_a_reason():
    elsewhere = {"max_iter", "random_state", "bits"}  # --passes and --seed, by these names too; --bits of all features
    left_out = {
        "variant",  # the name of the algorithm says it
        "verbose",  # the progress line
        "n_jobs",  # a command takes all cores
        "warm_start",  # --resume
        "early_stopping", "validation_fraction", "n_iter_no_change",  # scikit-learn draws what is held out
    }  # fmt: skip
    for named in ALL.values():
        of_class = {taken for other in ALL.values() if other.estimator == named.estimator for taken in other.takes}
        missing = set(getattr(rb, named.estimator)().get_params()) - of_class - elsewhere - left_out
        if named.estimator == "MIRA":
            missing -= {"multiclass"}  # which is "max" there
        if "kernel" in named.takes:
            missing -= {"init"}  # which is "zeros" there
        assert not missing, named
        assert set(named.takes) <= set(OPTIONS)
    estimators = {name for name in rb.estimators.__all__ if hasattr(getattr(rb, name), "fit")}
    assert {named.estimator for named in ALL.values()} == estimators


# ---- using what was learned ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALGORITHMS)
def test_predict_evaluate_inspect_and_explain_are_of_the_estimator(name, files, tmp_path, capsys):
    path = file_of(name, files)
    train(path, "-o", tmp_path / "m", "-a", name, "--passes", 2)
    rows, model = rb.data.read(path), rb.load(tmp_path / "m")
    predicted = model.predict(rows.X)

    assert cli.main(["predict", str(tmp_path / "m"), str(path), "--block-rows", "1000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == ("prediction" if name in REGRESSORS else "label")
    assert [float(line) for line in lines[1:]] == predicted.tolist()
    assert cli.main(["predict", str(tmp_path / "m"), str(path), "--json"]) == 0
    assert [next(iter(json.loads(line).values())) for line in capsys.readouterr().out.splitlines()] == (
        predicted.tolist() if name in REGRESSORS else [str(int(label)) for label in predicted]
    )

    assert cli.main(["evaluate", str(tmp_path / "m"), str(path), "--json", "--block-rows", "50"]) == 0
    told = json.loads(capsys.readouterr().out)
    if name in REGRESSORS:
        from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

        assert told["mae"] == pytest.approx(mean_absolute_error(rows.y, predicted))
        assert told["rmse"] == pytest.approx(mean_squared_error(rows.y, predicted) ** 0.5)
        assert told["r2"] == pytest.approx(r2_score(rows.y, predicted))
    else:
        assert told["accuracy"] == np.mean(predicted == rows.y)

    assert cli.main(["inspect", str(tmp_path / "m")]) == 0
    assert ALGORITHMS[name].estimator in capsys.readouterr().out

    code = cli.main(["explain", str(tmp_path / "m"), str(path), "--json", "--top", "500", "--rows", "3"])
    out, err = capsys.readouterr()
    if name == "voted":
        assert code == 1
        assert "is a vote of " in err
        return
    score = model.predict(rows.X[:3]) if name in REGRESSORS else np.abs(model.decision_function(rows.X[:3]))
    for line, expected in zip(out.splitlines(), score):
        told = json.loads(line)
        parts = told.get("features") or told["examples"]
        assert told["score"] == pytest.approx(expected)
        assert sum(part["adds"] for part in parts) + (told["bias"] or 0) == pytest.approx(expected)
    assert cli.main(["explain", str(tmp_path / "m")]) == 0


@pytest.mark.parametrize("name", ["two", "three"])
def test_the_forms_of_predictions(name, files, tmp_path, capsys):
    path = files / f"{name}.svm"
    train(path, "-o", tmp_path / "m")
    rows, model = rb.data.read(path), rb.load(tmp_path / "m")
    labels, scores = [str(int(label)) for label in model.predict(rows.X)], model.decision_function(rows.X)
    names = ["score"] if name == "two" else ["score:0", "score:1", "score:2"]

    def lines(*options):
        assert cli.main(["predict", str(tmp_path / "m"), str(path), *options]) == 0
        return capsys.readouterr().out.splitlines()

    assert lines() == ["label", *labels]
    assert lines("--no-output-header") == labels
    header, *both = [line.split(",") for line in lines("--scores")]
    assert header == ["label", *names]
    assert [line[0] for line in both] == labels
    np.testing.assert_array_equal(np.array([line[1:] for line in both], float), scores.reshape(ROWS, -1))
    header, *only = [line.split(",") for line in lines("--only-scores")]
    assert header == names
    assert only == [line[1:] for line in both]
    for option in ("--scores", "--only-scores"):
        for line, label, own in zip(lines("--json", option), labels, scores):
            told = json.loads(line)
            assert told.pop("label", None) == (label if option == "--scores" else None)
            assert told == ({"score": own} if name == "two" else {"scores": dict(zip("012", own))})
    assert lines("--scores", "-o", str(tmp_path / "out.csv.gz")) == []
    with gzip.open(tmp_path / "out.csv.gz", "rt") as file:
        assert file.read().splitlines() == lines("--scores")


def test_a_kernel_model_is_explained_by_the_examples_it_is_a_sum_of(files, tmp_path, capsys):
    train(files / "two.svm", "-o", tmp_path / "m", "-a", "kernel")
    rows, model = rb.data.read(files / "two.svm"), rb.load(tmp_path / "m")
    assert cli.main(["explain", str(tmp_path / "m"), str(files / "two.svm"), "--top", "2"]) == 0
    shown = capsys.readouterr().out
    K = 1 + np.exp(
        -model._learner.kernel.gamma * np.square(model.support_vectors_.toarray() - rows.X[0].toarray()).sum(1)
    )
    adds = model.dual_coef_[0] * K * np.sign(model.decision_function(rows.X[:1]))
    for slot in np.argsort(-np.abs(adds), kind="stable")[:2]:
        line = next(line for line in shown.splitlines() if line.startswith(f"row {model.support_[slot] + 1} ("))
        assert line.endswith(f"{adds[slot]:+.4f}")
    assert f"{len(adds) - 2} more examples" in shown


def test_a_linear_kernel_is_explained_by_features(files, tmp_path, capsys):
    train(files / "three.svm", "-o", tmp_path / "m", "-a", "voted", "--readout", "averaged")
    model = rb.load(tmp_path / "m")
    assert cli.main(["explain", str(tmp_path / "m"), "--json", "--top", "9"]) == 0
    told = json.loads(capsys.readouterr().out)
    for code, label in enumerate(("0", "1", "2")):
        for part in told[label]:
            assert part["weight"] == pytest.approx(model.coef_[code, int(part["feature"]) - 1], rel=1e-9)


@pytest.mark.parametrize("options", [["-a", "pa1"], ["-a", "kernel"], ["-a", "voted", "--readout", "averaged"]])
def test_of_several_classes_the_best_is_told_over_the_second(options, files, tmp_path, capsys):
    train(files / "three.svm", "-o", tmp_path / "m", *options)
    rows, model = rb.data.read(files / "three.svm"), rb.load(tmp_path / "m")
    command = ["explain", str(tmp_path / "m"), str(files / "three.svm"), "--json", "--top", "500", "--rows", "9"]
    assert cli.main(command) == 0
    for line, scores in zip(capsys.readouterr().out.splitlines(), model.decision_function(rows.X[:9])):
        told, order = json.loads(line), np.argsort(-scores)
        assert [told["label"], told["over"]] == [str(code) for code in order[:2]]
        assert told["score"] == pytest.approx(scores[order[0]] - scores[order[1]], rel=1e-6, abs=1e-9)
        adds = sum(part["adds"] for part in told.get("features") or told["examples"])
        assert adds + (told["bias"] or 0) == pytest.approx(told["score"], rel=1e-6, abs=1e-9)


def test_numbers_for_labels_are_a_regression_unless_told_otherwise(files, tmp_path, capsys):
    options = ["-o", str(tmp_path / "m"), "--no-standardise"]
    assert cli.main(["train", str(files / "numbers.svm"), *options, "--held-out", "0.25"]) == 0
    out = capsys.readouterr().out
    assert "readout averaged, the default for labels that are not whole numbers" in out
    rows = rb.data.read(files / "numbers.svm")
    kept = ~HeldOut(0.25, 0).mask(0, ROWS)
    expected = rb.PassiveAggressiveRegressor(variant="PA-II", average=True, max_iter=5, random_state=0)
    expected.fit(rows.X[kept], rows.y[kept])
    same(tmp_path / "m", expected, rows)
    off = rows.y[~kept] - expected.predict(rows.X[~kept])
    assert f"MAE {np.abs(off).mean():.4g}, RMSE {np.sqrt(np.square(off).mean()):.4g}, R² " in out
    assert cli.main(["train", str(files / "numbers.svm"), "-o", str(tmp_path / "m"), "-a", "averaged"]) == 1
    assert "line 1: classes are whole numbers or words, got the label " in capsys.readouterr().err


def test_progressive_of_a_regression_counts_what_was_within_epsilon(files, tmp_path, capsys):
    options = ["-a", "pa-regressor", "--epsilon", "20", "--no-shuffle", "--passes", "1", "--json", "--no-standardise"]
    assert cli.main(["train", str(files / "numbers.svm"), "-o", str(tmp_path / "m"), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    rows, within, outside = rb.data.read(files / "numbers.svm"), 0, 0
    stream = rb.PassiveAggressiveRegressor(variant="PA", epsilon=20, average=True)
    for i, (x, y) in enumerate(zip(rows.X, rows.y)):
        ships, last = (stream.predict(x)[0], stream.with_readout("last").predict(x)[0]) if i else (0, 0)
        within += abs(ships - y) <= 20
        outside += abs(last - y) > 20
        stream.partial_fit(x, [y])
    assert (told["progressive_within_epsilon"], told["progressive_readout"]) == (within / ROWS, "averaged")
    assert told["outside_epsilon"] == [outside]
    assert told["mistakes"] is told["verdict"] is told["progressive_accuracy"] is None


def test_mistakes_of_a_resumed_model_are_those_of_the_new_rows(files, tmp_path, capsys):
    train(files / "two.svm", "-o", tmp_path / "m", "-a", "perceptron", "--passes", 3)
    before = rb.load(tmp_path / "m")
    arguments = ["train", str(files / "two.svm"), "--resume", str(tmp_path / "m"), "-o", str(tmp_path / "n"), "--json"]
    assert cli.main(arguments) == 0
    told, rows, wrong = json.loads(capsys.readouterr().out), rb.data.read(files / "two.svm"), 0
    for x, y in zip(rows.X, rows.y):
        wrong += before.predict(x)[0] != y
        before.partial_fit(x, [y])
    assert told["mistakes"] == [wrong]
    assert told["updates"] == wrong
    assert told["progressive_accuracy"] == 1 - wrong / ROWS


@pytest.mark.parametrize("dense", [True, False])
def test_a_model_of_python_in_kernel_space_predicts_and_goes_on(dense, files, tmp_path, capsys):
    rows = rb.data.read(files / "two.svm")
    X = rows.X.toarray() if dense else rows.X
    model = rb.KernelPerceptron(max_iter=2, tol=None, random_state=0).fit(X, rows.y)
    model.save(tmp_path / "m")
    assert cli.main(["predict", str(tmp_path / "m"), str(files / "two.svm"), "--no-output-header"]) == 0
    assert [float(line) for line in capsys.readouterr().out.split()] == model.predict(X).tolist()
    (tmp_path / "wider.svm").write_text("1 1:2 9:1\n-1 2:1 12:3\n1 9:2\n")
    train(tmp_path / "wider.svm", "--resume", tmp_path / "m", "-o", tmp_path / "n")
    wider = rb.load(tmp_path / "n")
    assert wider.n_features_in_ == 12
    model_X = np.hstack([X if dense else X.toarray(), np.zeros((ROWS, 5))])
    new = rb.data.read(tmp_path / "wider.svm")
    expected = rb.KernelPerceptron(max_iter=2, tol=None, random_state=0, gamma=model._learner.kernel.gamma)
    expected.fit(model_X, rows.y).partial_fit(new.X, new.y)
    np.testing.assert_allclose(wider.decision_function(model_X), expected.decision_function(model_X), rtol=1e-9)


def test_a_precomputed_kernel_says_why_not(tmp_path, capsys):
    rb.KernelPerceptron(kernel="precomputed").fit(np.eye(3), [0, 1, 1]).save(tmp_path / "m")
    (tmp_path / "a.svm").write_text("1 1:1\n")
    assert cli.main(["predict", str(tmp_path / "m"), str(tmp_path / "a.svm")]) == 1
    assert "precomputed kernel" in capsys.readouterr().err


# ---- what does not go together -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--gamma", "1"], 1, "--gamma does not go with --algorithm averaged; it goes with voted or kernel"),
        (["-a", "kernel", "--kernel", "linear", "--gamma", "3"], 1, "--gamma does not go with --kernel linear"),
        (["-a", "voted", "--gamma", "3"], 1, "--kernel linear, the default of voted; it goes with --kernel poly"),
        (["-a", "kernel", "--degree", "2"], 1, "--degree does not go with --kernel rbf, the default of kernel"),
        (["-a", "kernel", "--kernel", "rbf", "--coef0", "2"], 1, "it goes with --kernel poly or sigmoid"),
        (["-a", "perceptron", "--eta0", "-1"], 1, "rosenblatt: --eta0 must be a finite number > 0, got -1.0"),
        (["-a", "pa1", "-C", "0"], 1, "rosenblatt: -C must be a finite number > 0, got 0.0"),
        (["--intercept-scaling", "0"], 1, "rosenblatt: --intercept-scaling must be a number between 1e-9 and 1e9"),
        (["-a", "pa", "-C", "1"], 1, "-C does not go with --algorithm pa; it goes with pa1, pa2, mira, "),
        (["-a", "kernel", "--projection-tol", "0.3"], 1, "--projection-tol goes with --budget-policy projectron or pr"),
        (["-a", "kernel", "--budget", "9", "--projection-tol", "0.3"], 1, "name one of them"),
        (["--intercept-scaling", "3", "--no-fit-intercept"], 1, "--intercept-scaling is of a bias, and the learner"),
        (["-a", "pa1", "--norm", "l2", "--intercept-scaling", "3"], 1, "learner has none here; say --fit-intercept"),
        (["-a", "batch", "--no-shuffle"], 1, "--no-shuffle does not go with --algorithm batch"),
        (["--last"], 1, "--last does not go with --algorithm averaged"),
        (["-a", "kernel", "-C", "1"], 1, "of --algorithm kernel; it goes with --rule pa1, pa2 or mira"),
        (["-a", "online", "--readout", "voted"], 1, "say --algorithm voted"),
        (["-a", "kernel", "--budget", "9", "--readout", "averaged"], 1, "leave --budget out for the other readouts"),
        (["-a", "kernel", "--budget-policy", "projectron"], 1, "examples to keep, such as --budget 100"),
        (["-a", "pa1", "--multiclass", "uniform"], 1, "--multiclass uniform does not go with PA1"),
        (["-a", "online", "--rule", "paum", "--margins", "1"], 1, "two or more finite numbers >= 0, got 1.0"),
        (["-a", "online", "--rule", "paum", "--multiclass", "ovr"], 1, "PAUM, which has no margin for a class against"),
        (["--class-weight", "yes=2"], 1, "--class-weight names yes, and the labels are numbers such as "),
        (["--class-weight", "7=2"], 1, "--class-weight names 7, which is not among the labels; the classes are -1, 1"),
        (["--class-weight", "balanced", "--stream"], 1, "--class-weight balanced needs all rows in memory"),
        (["-a", "perceptron", "--init", "random", "--stream"], 1, "--init random needs all rows in memory"),
        (["-a", "kernal"], 2, "unknown value 'kernal' (did you mean kernel?)"),
        (["--gama", "1"], 2, "unknown option --gama (did you mean --gamma?)"),
        (["--fit_intercept"], 2, "unknown option --fit_intercept (did you mean --fit-intercept?)"),
        (["--class-weight", "a"], 2, "'a' is neither balanced nor a list such as neg=1,pos=2"),
        (["--epsilon", "-1"], 2, "-1 is not a finite number of at least 0"),
        (["--budget", "0"], 2, "'0' is not a positive whole number"),
        (["--seed", "-1"], 2, "'-1' is not a whole number of at least 0"),
        (["-C", "much"], 2, "'much' is not a number"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(options, code, sentence, files, tmp_path, capsys):
    assert cli.main(["train", str(files / "two.svm"), "-o", str(tmp_path / "m"), *options]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "option",
    [
        ["--gamma", "1"],
        ["--no-average"],
        ["-a", "pa"],
        ["--rule", "pa"],
        ["--label", "y"],
        ["--label-type", "text"],
        ["--bits", "9"],
        ["--no-standardise"],
    ],
)
def test_resume_keeps_the_settings_it_began_with(option, files, tmp_path, capsys):
    train(files / "two.svm", "-o", tmp_path / "m")
    command = ["train", str(files / "two.svm"), "-o", str(tmp_path / "n"), "--resume", str(tmp_path / "m"), *option]
    assert cli.main(command) == 1
    assert " does not go with --resume: the model " in capsys.readouterr().err


def test_words_for_labels_of_a_regression(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("label,size\n1.5,1\ntall,2\n2.5,3\n")
    assert cli.main(["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m"), "-a", "pa1-regressor"]) == 1
    err = capsys.readouterr().err
    assert "line 3" in err
    assert "tall" in err


@pytest.mark.parametrize("name", ["kernel", "voted", "pa1-regressor", "mira"])
def test_a_trace_is_that_of_the_estimator(name, tmp_path, capsys):
    X, y = np.array([[0.0, 1], [1, 0], [1, 1], [2, 1]]), np.array([1.0, -1, 1, -1])
    rb.data.write_svmlight(tmp_path / "a.svm", X, y, zero_based=True)
    options = ["--zero-based", "yes", "--passes", "4", "--json"]
    assert cli.main(["trace", str(tmp_path / "a.svm"), "-a", name, *options]) == 0
    told = json.loads(capsys.readouterr().out)
    more = {} if name in REGRESSORS else {"tol": 1e-4}
    expected = estimator(name, max_iter=4, shuffle=False, random_state=0).set_params(**more)
    expected = json.loads(rb.trace(expected, X, y).to_json())
    for one in (told, expected):
        one.pop("estimator")
    assert told == expected


# ---- rules -----------------------------------------------------------------------------------------------------------


def said(capsys, *arguments):
    code = cli.main(["train", *map(str, arguments)])
    out, err = capsys.readouterr()
    return out if code == 0 else err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--margins", "1,2"], "there are 3 classes: give one for each, --margins M,M,…\n"),
        (
            ["--margins", "1,2,3,4", "--stream"],
            "a stream must know all its classes from the beginning: leave out --stre",
        ),
        (["--margins", "1,-2,3"], "--margins must be two or more finite numbers >= 0, got 1.0, -2.0, 3.0\n"),
        (["--multiclass", "ovr"], "--multiclass ovr does not go with PAUM, which has no margin for a class against "),
    ],
)
def test_refusals_of_rules_speak_of_options(options, sentence, files, tmp_path, capsys):
    how = ["--algorithm", "online", "--rule", "paum", *options, "-o", tmp_path / "model"]
    assert sentence in said(capsys, files / "three.svm", *how)


def test_the_summary_says_the_rule_and_the_readout(files, tmp_path, capsys):
    model = tmp_path / "model"
    rule = ["--rule", "paum", "--margins", "0,2,0.5", "--readout", "averaged"]
    lines = said(capsys, files / "three.svm", "-o", model, "--algorithm", "online", *rule)
    assert "OnlineClassifier, rule paum (margins 0,2,0.5, eta0 1), readout averaged\n" in lines
    lines = said(capsys, files / "three.svm", "-o", model, "--algorithm", "mira")
    assert "MIRA, rule mira, readout averaged\n" in lines


def test_what_several_rules_mean_alike_is_said_once():
    assert OPTIONS["eta0"]["help"].count("learning rate") == 1
