"""Rows of numbered features brought to scale: dense ones as a table's numbers are, sparse ones as text is."""

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence
from saved import rewritten, same_learner
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from test_table_models import answered

import rosenblatt as rb
from rosenblatt import cli, model_files
from rosenblatt.data import Block, Csr, numbered
from rosenblatt.data.moments import RunningScale
from rosenblatt.data.numbered import DENSE, FIRST_ROWS, Density, Standardised, UnitNorm
from rosenblatt.errors import DataError
from rosenblatt.model_files import ModelFileError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

values = st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0, 2.5, 3.0, 1e-3, 7.25])
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(values, min_size=width, max_size=width), min_size=1, max_size=12)
).map(np.array)  # fmt: skip
cuts = st.lists(st.integers(0, 12), max_size=3).map(sorted)


def csr_of(X, dtype=np.float64):
    return Csr.of_dense(np.asarray(X, dtype))


def parts_of(csr, at):
    ends = [0, *(min(cut, csr.shape[0]) for cut in at), csr.shape[0]]
    return [csr.rows(a, b) for a, b in pairwise(ends)]


def block(csr):
    n = csr.shape[0]
    return Block(np.zeros(n), np.arange(1, n + 1), (("file", 0),), csr=csr)


def same_rows(a, b):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.data.dtype == b.data.dtype


# ---- how dense rows are ------------------------------------------------------------------------------------------


@given(tables, cuts, st.booleans())
def test_density_is_counted_in_whatever_blocks(X, at, hashed):
    density = Density.of([block(part) for part in parts_of(csr_of(X), at)], hashed)
    met = np.flatnonzero((X != 0).any(axis=0))
    features = len(met) if hashed or not len(met) else met[-1] - met[0] + 1
    assert density == (len(X), np.count_nonzero(X), features)
    share = Fraction(np.count_nonzero(X), int(max(len(X) * features, 1)))
    assert density.share == float(share)
    assert density.is_dense == (share >= Fraction(1, 8))


def test_the_first_rows_decide_and_no_more_are_read():
    sparse = csr_of(np.eye(FIRST_ROWS, 400))
    dense = csr_of(np.ones((50, 400)))

    def blocks():
        yield block(sparse.rows(0, FIRST_ROWS - 1))
        yield block(csr_of(np.vstack([np.eye(1, 400), np.ones((3, 400))])))
        pytest.fail("a block was read after the first rows")

    density = Density.of(blocks(), hashed=False)
    assert (density.rows, density.entries) == (FIRST_ROWS, 400 + 1)
    assert not density.is_dense
    assert Density.of([block(dense), block(sparse)], hashed=False).rows == FIRST_ROWS
    assert Density.of([block(dense)], hashed=False).is_dense


def test_zeros_that_are_stated_are_none_and_no_rows_are_sparse():
    stated = Csr(np.array([0, 2, 3]), np.array([0, 9, 4]), np.array([0.0, 0.0, 1.0]), 10)
    assert Density.of([block(stated)], hashed=False) == (2, 1, 1)
    for none in ([], [block(csr_of(np.zeros((3, 4))))]):
        assert Density.of(none, hashed=False).share == 0
    assert DENSE == 1 / 8


# ---- norm 1 ------------------------------------------------------------------------------------------------------


@given(tables, cuts, st.sampled_from([1.0, 1e-200, 1e200, 5e-324]), st.sampled_from([np.float64, np.float32]))
def test_every_row_has_norm_1_in_whatever_blocks(X, at, unit, dtype):
    with np.errstate(all="ignore"):
        X = (X * unit).astype(dtype)
    X[~np.isfinite(X)] = 0
    csr = csr_of(X, dtype)
    made = UnitNorm().rows(csr, learn=True)
    assert made.dtype == dtype
    for row, scaled in zip(X.astype(np.float64), made.to_dense()):
        largest = np.abs(row).max()
        exact = [float(Fraction(v) / Fraction(largest)) if largest else 0.0 for v in row]
        length = math.sqrt(math.fsum(v * v for v in exact)) or 1.0
        np.testing.assert_allclose(scaled, np.array(exact) / length, rtol=1e-6 if dtype is np.float32 else 1e-14)
    for part, whole in zip(parts_of(csr, at), parts_of(made, at)):
        same_rows(UnitNorm().rows(part, learn=False), whole)
    np.testing.assert_array_equal(csr.to_dense(), X)  # which was not written to


# ---- standardised ------------------------------------------------------------------------------------------------


@given(tables)
def test_in_memory_columns_are_standardised_as_scikit_learn_does(X):
    scale = Standardised()
    scale.learn_means(csr_of(X))
    made = scale.rows(csr_of(X), learn=False).to_dense()
    expected = StandardScaler().fit_transform(X)
    expected[:, np.ptp(X, axis=0) == 0] = 0
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-9)


@given(tables, cuts)
def test_a_stream_standardises_each_row_by_those_up_to_it_in_whatever_blocks(X, at):
    whole = Standardised()
    made = whole.rows(csr_of(X), learn=True)
    for i, row in enumerate(made.to_dense()):
        for j, z in enumerate(row.tolist()):
            met = [Fraction(v) for v in X[: i + 1, j].tolist()]  # a column that has not occurred was 0
            mean = sum(met) / len(met)
            variance = sum((v - mean) ** 2 for v in met) / len(met)
            assert z == pytest.approx(float(met[-1] - mean) / math.sqrt(variance) if variance else 0, abs=1e-9)
    pieces, only_means, moments = Standardised(), Standardised(), RunningScale(X.shape[1])
    for part, expected in zip(parts_of(csr_of(X), at), parts_of(made, at)):
        same_rows(pieces.rows(part, learn=True), expected)
        only_means.learn_means(part)
    np.testing.assert_array_equal(np.nan_to_num(moments.transform(X, learn=True)), made.to_dense())  # as a table's are
    for other in (pieces, only_means):
        for name, array in whole.to_arrays().items():
            np.testing.assert_array_equal(other.to_arrays()[name], array)


@given(tables, cuts, tables)
def test_what_was_learned_comes_back_from_its_arrays_and_goes_on(X, at, more):
    first, *others = parts_of(csr_of(X), at)
    scale = Standardised()
    scale.rows(first, learn=True)
    again = Standardised.from_arrays({name: a.copy() for name, a in scale.to_arrays().items()}, X.shape[1])
    for part in [*others, csr_of(more)]:
        same_rows(again.rows(part, learn=True), scale.rows(part, learn=True))
        same_rows(again.rows(part, learn=False), scale.rows(part, learn=False))


@given(tables, tables)
def test_means_of_two_are_merged_to_those_of_all(X, Y):
    one, first, second = Standardised(), Standardised(), Standardised()
    for scale, parts in ((one, (X, Y)), (first, (X,)), (second, (Y,))):
        for part in parts:
            scale.learn_means(csr_of(part))
    first.merge(second)
    np.testing.assert_array_equal(first.columns, one.columns)
    assert first._n_rows == one._n_rows
    for name in ("count", "mean", "variance"):
        np.testing.assert_allclose(getattr(first.scale, name), getattr(one.scale, name), rtol=1e-9, atol=1e-9)


@given(tables)
def test_one_column_further_on(X):
    scale = Standardised()
    scale.learn_means(csr_of(X))
    moved = np.column_stack([np.zeros(len(X)), X])
    made = scale.shifted().rows(csr_of(moved), learn=False).to_dense()
    np.testing.assert_array_equal(made[:, 1:], scale.rows(csr_of(X), learn=False).to_dense())
    np.testing.assert_array_equal(made[:, 0], 0)


def test_rows_that_are_too_wide_are_refused_before_they_take_memory(monkeypatch):
    monkeypatch.setattr(numbered, "_MOST_ENTRIES", 100)
    wide = csr_of(np.eye(11))
    for call in (lambda: Standardised().learn_means(wide), lambda: Standardised().rows(wide, learn=True)):
        one_sentence(call, DataError, "standardised rows are dense", "11 features", "do not standardise")
    Standardised().learn_means(csr_of(np.eye(10)))


# ---- the command -------------------------------------------------------------------------------------------------


def dense_rows(n=90, seed=0):
    """Numbers of very different scales, of which some are 0, and whole-number labels."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal([3, -40, 0.05, 700], [1, 9, 0.01, 200], (n, 4)), 4)
    X[rng.random(X.shape) < 0.1] = 0
    return X, np.where((X - X.mean(axis=0)) / X.std(axis=0) @ [1, -1, 0.5, 2] + rng.normal(0, 0.4, n) > 0, 1, 0)


def sparse_rows(n=120, width=300, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(0, 3, (n, width)), 3) * (rng.random((n, width)) < 0.02)
    X[:, 0] = rng.random(n) < 0.03
    X[5] = 0
    return X, (X[:, :150].sum(axis=1) > 0).astype(int)


def write(folder, name, X, y):
    path = folder / name
    if name.endswith(".csv"):
        names = ",".join(f"c{j}" for j in range(X.shape[1]))
        path.write_text(f"label,{names}\n" + "".join(f"{t},{','.join(map(repr, r))}\n" for t, r in zip(y, X.tolist())))
    elif name.endswith(".vw"):
        rows = [" ".join(f"c{j}:{v!r}" for j, v in enumerate(row) if v) for row in X.tolist()]
        path.write_text("".join(f"{t} | {row}\n" for t, row in zip(y, rows)))
    else:
        lines = [" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) for row in X.tolist()]
        path.write_text("".join(f"{t} {row}\n" for t, row in zip(y, lines)))
    return path


def train(*arguments, code=0):
    assert cli.main(["train", *map(str, arguments)]) == code


def scores_of(capsys, model, rows):
    capsys.readouterr()
    assert cli.main(["predict", str(model), str(rows), "--only-scores", "--no-output-header"]) == 0
    return np.array([line.split(",") for line in capsys.readouterr().out.split()], float)


def record_of(capsys, *arguments):
    capsys.readouterr()
    train(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("how", [(), ("--stream",), ("--algorithm", "pa1", "-C", "0.1")], ids=" ".join)
def test_the_same_numbers_give_the_same_model_in_any_format(how, n_classes, tmp_path, capsys):
    X, y = dense_rows()
    y = y + 1 if n_classes == 2 else 1 + (np.arange(len(y)) % 3 + y) % 3
    new, labels = dense_rows(40, seed=1)
    scores = {}
    for name in ("a.csv", "a.svm", "a.vw"):
        train(write(tmp_path, name, X, y), "-o", tmp_path / f"{name}.model", "-q", *how)
        path = write(tmp_path, f"new{name}", new, labels + 1)
        scores[name] = scores_of(capsys, tmp_path / f"{name}.model", path)
    np.testing.assert_array_equal(scores["a.svm"], scores["a.csv"])
    np.testing.assert_allclose(
        scores["a.vw"], scores["a.csv"], rtol=1e-8, atol=1e-8
    )  # whose columns are in another order
    csv, svm = (rb.load(tmp_path / f"{name}.model") for name in ("a.csv", "a.svm"))
    np.testing.assert_array_equal(svm.coef_, csv.coef_)
    np.testing.assert_array_equal(svm.decision_function(new), scores["a.svm"].reshape(svm.decision_function(new).shape))


def test_sparse_rows_have_norm_1_and_texts_learner_without_a_bias(tmp_path):
    X, y = sparse_rows()
    train(write(tmp_path, "a.svm", X, y), "-o", tmp_path / "m", "-q", "--passes", 3)
    loaded = rb.load(tmp_path / "m")
    width = np.flatnonzero(X.any(axis=0))[-1] + 1
    rows = UnitNorm().rows(csr_of(X[:, :width]), learn=False).to_scipy()
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    np.testing.assert_allclose(norms, X.any(axis=1), rtol=1e-14)
    expected = rb.PassiveAggressiveClassifier(
        C=1.0, average=True, fit_intercept=False, max_iter=3, tol=None, random_state=0
    ).fit(rows, y)
    assert type(loaded) is type(expected)
    assert not loaded.fit_intercept
    np.testing.assert_array_equal(loaded.coef_, expected.coef_)
    assert loaded.n_updates_ == expected.n_updates_
    for form in (X[:, :width], sp.csr_matrix(X[:, :width]), sp.coo_matrix(X[:, :width])):
        np.testing.assert_array_equal(loaded.decision_function(form), expected.decision_function(rows))


DENSE_LEARNER, SPARSE_LEARNER = ("AveragedPerceptron", True), ("PassiveAggressiveClassifier", False)


@pytest.mark.parametrize(
    ("rows", "options", "scaling", "learner"),
    [
        (dense_rows, [], "standardised", DENSE_LEARNER),
        (dense_rows, ["--standardise"], "standardised", DENSE_LEARNER),
        (dense_rows, ["--standardise", "--norm", "none"], "standardised", DENSE_LEARNER),
        (dense_rows, ["--no-standardise"], None, DENSE_LEARNER),
        (dense_rows, ["--norm", "l2"], "norm", SPARSE_LEARNER),
        (dense_rows, ["--norm", "none"], "standardised", DENSE_LEARNER),
        (dense_rows, ["--no-standardise", "--norm", "l2"], "norm", SPARSE_LEARNER),
        (sparse_rows, [], "norm", SPARSE_LEARNER),
        (sparse_rows, ["--no-standardise"], "norm", SPARSE_LEARNER),
        (sparse_rows, ["--norm", "l2"], "norm", SPARSE_LEARNER),
        (sparse_rows, ["--norm", "none"], None, SPARSE_LEARNER),
        (sparse_rows, ["--no-standardise", "--norm", "none"], None, SPARSE_LEARNER),
        (sparse_rows, ["--standardise"], "standardised", DENSE_LEARNER),
        (sparse_rows, ["--algorithm", "averaged"], "norm", DENSE_LEARNER),
    ],
)
def test_options_override_what_density_says(rows, options, scaling, learner, tmp_path, capsys):
    path = write(tmp_path, "a.svm", *rows())
    record = record_of(capsys, path, "-o", tmp_path / "m", *options)
    assert record["row_scale"]["scaling"] == scaling
    loaded = rb.load(tmp_path / "m")
    assert (type(loaded).__name__, loaded.fit_intercept) == learner
    section, arrays = loaded._extras["features"]
    assert section.get("scaling") == scaling
    assert bool(arrays) == (scaling == "standardised")


@pytest.mark.parametrize("how", [{}, {"in_memory": False}], ids=["in memory", "streamed"])
@pytest.mark.parametrize(
    ("rows", "scale", "learner"),
    [
        (dense_rows, "standardised", rb.AveragedPerceptron(max_iter=3, tol=None, random_state=0)),
        (
            sparse_rows,
            "norm",
            rb.PassiveAggressiveClassifier(average=True, fit_intercept=False, max_iter=3, tol=None, random_state=0),
        ),
    ],
)
def test_shards_in_python_are_scaled_as_the_command_does_where_that_is_asked_for(rows, scale, learner, how, tmp_path):
    """One shard learns what the command does; of rows as they stand, what ``fit`` does of those that were read."""
    X, y = rows()
    path = write(tmp_path, "a.svm", X, y)
    train(path, "-o", tmp_path / "m", "-q", "--passes", 3, *(["--stream", "--cluster", "here"] if how else []))
    command, here = rb.load(tmp_path / "m"), {"client": "here", "progress": False, **how}
    for asked in ("auto", scale):
        model = rb.distributed.fit(clone(learner), str(path), features={"scale": asked}, **here)
        np.testing.assert_array_equal(model.coef_, command.coef_)
        width = command.n_features_in_
        np.testing.assert_array_equal(model.decision_function(X[:, :width]), command.decision_function(X[:, :width]))
    as_they_stand = rb.distributed.fit(clone(learner), str(path), **here)
    if not how:
        read = rb.data.read(path)
        np.testing.assert_array_equal(as_they_stand.coef_, clone(learner).fit(read.X, read.y).coef_)
    assert not np.array_equal(as_they_stand.coef_, command.coef_)


def test_a_scale_is_of_numbered_features_and_the_rest_of_tables(tmp_path):
    rows, table = write(tmp_path, "a.svm", *dense_rows()), write(tmp_path, "a.csv", *dense_rows())
    for path, features, says in (
        (rows, {"scale": "l2"}, r"scale must be one of 'auto', 'norm', 'standardised'; got 'l2'"),
        (rows, {"standardise": True}, r"'standardise': …} is of tables, and these files hold numbered features"),
        (table, {"scale": "auto"}, r"'scale': …} is of numbered features, as svmlight has them, and these files are"),
    ):
        with pytest.raises(ValueError, match=says):
            rb.distributed.fit(rb.Perceptron(), str(path), features=features, client="here", progress=False)


def test_two_scales_at_once_are_refused(tmp_path, capsys):
    path = write(tmp_path, "a.svm", *dense_rows())
    train(path, "-o", tmp_path / "m", "--standardise", "--norm", "l2", code=1)
    assert capsys.readouterr().err == (
        "rosenblatt: --standardise and --norm l2 exclude each other for rows of numbered features; say one\n"
    )
    assert not (tmp_path / "m").exists()


def test_rows_of_very_many_features_are_not_standardised(tmp_path, capsys):
    lines = []
    for i in range(2000):
        columns = sorted({1 + (i * 1_500_007 + k * 7_919) % 2_999_999 for k in range(50)})
        lines.append(f"{i % 2} " + " ".join(f"{column}:1" for column in columns))
    (tmp_path / "a.svm").write_text("\n".join(lines) + "\n")
    for how in ([], ["--stream"]):
        train(tmp_path / "a.svm", "-o", tmp_path / "m", "-q", "--standardise", "--memory", "100GB", *how, code=1)
        told = capsys.readouterr().err
        assert "standardised rows are dense" in told
        assert "features, which is too many; do not standardise them" in told
        assert told.count("\n") == 1
        assert not (tmp_path / "m").exists()


def test_the_summary_says_how_dense_rows_are_and_what_was_done(tmp_path, capsys):
    dense, sparse = write(tmp_path, "a.svm", *dense_rows()), write(tmp_path, "b.svm", *sparse_rows())
    lines = {}
    for name, path, options in (
        ("dense", dense, []),
        ("as they are", dense, ["--no-standardise"]),
        ("sparse", sparse, []),
        ("csv", write(tmp_path, "a.csv", *dense_rows()), []),
    ):
        train(path, "-o", tmp_path / "m", *options)
        told = capsys.readouterr().out
        lines[name] = [line for line in told.splitlines() if line.startswith("rows ")]
    X, (S, _) = dense_rows()[0], sparse_rows()
    share, n = int(np.count_nonzero(X)) / X.size, np.flatnonzero(S.any(axis=0))
    width = n[-1] - n[0] + 1
    told = f"the first ones have {round(4 * share, 2):g} of 4 features ({share:.2%})"
    assert lines["dense"] == [f"rows         standardised, as numeric columns are; {told}"]
    assert lines["as they are"] == [f"rows         as they are; {told}"]
    per_row = int(np.count_nonzero(S)) / len(S)
    told = f"the first ones have {round(per_row, 2):g} of {width} features ({per_row / width:.2%})"
    assert lines["sparse"] == [f"rows         scaled to norm 1, as text is; {told}"]
    assert lines["csv"] == []


# ---- the same model everywhere -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [dense_rows, sparse_rows])
@pytest.mark.parametrize("format", ["svm", "vw"])
def test_predict_evaluate_load_and_onnx_agree(rows, format, tmp_path, capsys):
    X, y = rows()
    train(write(tmp_path, f"a.{format}", X, y + 1), "-o", tmp_path / "m", "-q")
    new, labels = rows(seed=1)
    path = write(tmp_path, f"new.{format}", new, labels + 1)
    scores = scores_of(capsys, tmp_path / "m", path)[:, 0]
    loaded = rb.load(tmp_path / "m")
    read = rb.data.read(path, **({"bits": 22} if format == "vw" else {}))
    given = sp.csr_matrix(read.X)
    given.resize(len(new), loaded.n_features_in_)
    np.testing.assert_array_equal(loaded.decision_function(given), scores)
    assert cli.main(["evaluate", str(tmp_path / "m"), str(path), "--json"]) == 0
    accuracy = json.loads(capsys.readouterr().out)["accuracy"]
    assert accuracy == np.mean(loaded.predict(given) == labels + 1)
    if format == "vw":  # whose rows are too wide for a graph
        return
    np.testing.assert_array_equal(loaded.decision_function(given.toarray()), scores)
    found = answered(loaded, {"X": given.toarray()}, tmp_path)
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-9, atol=1e-9)
    assert found["label"].tolist() == loaded.predict(given).tolist()


def test_a_row_of_zeros_in_a_graph_of_norm_1(tmp_path):
    X, y = sparse_rows()
    train(write(tmp_path, "a.svm", X, y), "-o", tmp_path / "m", "-q")
    loaded = rb.load(tmp_path / "m")
    rows = np.zeros((3, loaded.n_features_in_))
    rows[1, 3], rows[2, 3] = 1e-9, 2.0
    found = answered(loaded, {"X": rows}, tmp_path)["scores"]
    np.testing.assert_allclose(found, loaded.decision_function(rows), rtol=1e-9, atol=1e-12)
    assert (found[0], found[1]) == (0, pytest.approx(found[2]))


def same_models(a, b):
    """The learners and what makes the rows, to the bit."""
    one, other = model_files.read(a), model_files.read(b)
    same_learner(one.learner, other.learner)
    assert one.extras["features"][0] == other.extras["features"][0]
    assert one.extras["features"][1].keys() == other.extras["features"][1].keys()
    for name, array in one.extras["features"][1].items():
        np.testing.assert_array_equal(array, other.extras["features"][1][name])


@pytest.mark.parametrize("rows", [dense_rows, sparse_rows])
def test_a_stream_in_any_blocks_and_resumed_gives_the_same_bits(rows, tmp_path):
    X, y = rows()
    path, stream = write(tmp_path, "a.svm", X, y), ("--stream", "--passes", 1, "-q")
    train(path, "-o", tmp_path / "whole", *stream)
    for block_rows in (1, 7, 64):
        train(path, "-o", tmp_path / "m", *stream, "--block-rows", block_rows)
        same_models(tmp_path / "m", tmp_path / "whole")
    cut = 50
    parts = [write(tmp_path, "b.svm", X[:cut], y[:cut]), write(tmp_path, "c.svm", X[cut:], y[cut:])]
    train(parts[0], "-o", tmp_path / "b", *stream)
    train(parts[1], "-o", tmp_path / "c", "--resume", tmp_path / "b", "-q")
    same_models(tmp_path / "c", tmp_path / "whole")
    loaded = rb.load(tmp_path / "b")  # and in Python
    if loaded.n_features_in_ == X.shape[1]:
        loaded.partial_fit(X[cut:], y[cut:])
        np.testing.assert_array_equal(loaded.coef_, rb.load(tmp_path / "whole").coef_)


def test_a_resumed_model_keeps_its_scale_whatever_the_new_rows_are(tmp_path, capsys):
    X, y = dense_rows()
    train(write(tmp_path, "a.svm", X, y), "-o", tmp_path / "m", "-q")
    sparse = write(tmp_path, "b.svm", *sparse_rows())
    train(sparse, "-o", tmp_path / "n", "--resume", tmp_path / "m", "-q")
    assert rb.load(tmp_path / "n")._extras["features"][0]["scaling"] == "standardised"
    train(sparse, "-o", tmp_path / "o", "--resume", tmp_path / "m", "--norm", "l2", code=1)
    assert "--norm does not go with --resume" in capsys.readouterr().err


# ---- forged files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"scale.columns": lambda a: a[::-1]},
        {"scale.columns": lambda a: a + 1},
        {"scale.columns": lambda a: a - 1},
        {"scale.columns": lambda a: a * 0},
        {"scale.columns": lambda a: a[:-1]},
        {"scale.columns": lambda a: a.astype(np.float64)},
        {"scale.total": lambda a: a[:-1]},
        {"scale.total": lambda a: a.astype(np.float32)},
        {"scale.squares": lambda a: a[:, None]},
        {"scale.n_rows": lambda a: -a},
        {"scale.n_rows": lambda a: np.concatenate([a, a])},
        {"scale.n_rows": lambda a: a[:0]},
        {"scale.squares": None},
        {"scale.n_rows": None},
    ],
)
def test_means_that_do_not_fit_are_refused(change, tmp_path):
    train(write(tmp_path, "a.svm", *dense_rows()), "-o", tmp_path / "m", "-q")
    [(name, changed)] = change.items()

    def forge(tensors):
        key = f"features/{name}"
        tensors[key] = tensors[key] if changed is None else np.ascontiguousarray(changed(tensors[key]))
        if changed is None:
            del tensors[key]

    rewritten(tmp_path / "m", change_tensors=forge)
    one_sentence(lambda: rb.load(tmp_path / "m"), ModelFileError, str(tmp_path / "m"))


@pytest.mark.parametrize("scaling", ["norm", "unit", None, 3, ["standardised"]])
def test_a_scaling_that_is_none_is_refused(scaling, tmp_path):
    train(write(tmp_path, "a.svm", *dense_rows()), "-o", tmp_path / "m", "-q")
    rewritten(tmp_path / "m", change_document=lambda d: d["extras"]["features"].update(scaling=scaling))
    one_sentence(lambda: rb.load(tmp_path / "m"), ModelFileError, str(tmp_path / "m"))


# ---- files in which not all columns of a model occur ----------------------------------------------------------------

OTHERS = {
    "no entries": "1\n-1 # nothing\n",
    "few columns": "1 1:1\n-1 2:1 3:-2\n1\n",
    "more columns": "1 1:1 900:7\n-1 2:1 3:-2\n1 901:1\n",
}


def a_model(folder, kind):
    """A model of rows of svmlight files, trained by the command or in Python."""
    X, y = dense_rows()
    path, model = write(folder, "a.svm", X, y), folder / "a.model"
    options = {"standardised": ["--standardise"], "norm": ["--norm", "l2"], "as they are": ["--no-standardise"]}
    if kind in options:
        train(path, "-o", model, "-q", *options[kind])
    else:
        data = rb.data.read(path)
        getattr(rb, kind)().fit(data.X, data.y).save(model)
    return model


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(
    "kind", ["standardised", "norm", "as they are", "PassiveAggressiveClassifier", "KernelPerceptron"]
)
def test_what_read_returns_is_predicted_as_the_command_does(kind, name, tmp_path, capsys):
    model, path = a_model(tmp_path, kind), tmp_path / "new.svm"
    path.write_text(OTHERS[name])
    expected = scores_of(capsys, model, path)
    loaded = rb.load(model)
    for dtype in ("float64", "float32"):
        data = rb.data.read(path, dtype=dtype)
        np.testing.assert_array_equal(loaded.decision_function(data), np.ravel(expected))
    np.testing.assert_array_equal(loaded.predict(data), loaded.classes_[(np.ravel(expected) > 0).astype(int)])
    assert loaded.score(data, data.y) == np.mean(loaded.predict(data) == data.y)
    if name != "more columns":
        X = rb.data.read(path, n_features=loaded.n_features_in_).X
        np.testing.assert_array_equal(loaded.decision_function(X), np.ravel(expected))


@pytest.mark.parametrize("name", OTHERS)
def test_a_matrix_of_another_width_is_refused_and_what_to_do_is_said(name, tmp_path):
    loaded, path = rb.load(a_model(tmp_path, "standardised")), tmp_path / "new.svm"
    path.write_text(OTHERS[name])
    data = rb.data.read(path)
    n, width = loaded.n_features_in_, data.X.shape[1]
    problem = f"X has {width} features, but {type(loaded).__name__} is expecting {n} features as input"
    give = "give what rb.data.read returns, not its X"
    wider = [] if width > n else [f"read it with n_features={n}"]
    remedy = f"; if it is of a file, {', or '.join([give, *wider])}"
    one_sentence(lambda: loaded.predict(data.X), ValueError, problem + remedy)
    remedy = f"; if it is of a file, {wider[0]}" if wider else ""
    one_sentence(lambda: loaded.partial_fit(data.X, data.y), ValueError, problem + remedy)


def test_rows_whose_columns_were_counted_otherwise_are_refused(tmp_path, capsys):
    path, model = tmp_path / "zero.svm", tmp_path / "zero.model"
    path.write_text("1 0:1 2:1\n-1 1:1 3:1\n" * 10)
    train(path, "-o", model, "-q")
    (tmp_path / "new.svm").write_text("1 1:1 2:1\n-1 2:1\n")  # in which no index is 0
    loaded, data = rb.load(model), rb.data.read(tmp_path / "new.svm")
    one_sentence(
        lambda: loaded.predict(data), DataError,
        "new.svm: the rows were read with zero_based=False, and those of training with True; read them with "
        "zero_based=True",
    )  # fmt: skip
    data = rb.data.read(tmp_path / "new.svm", zero_based=True)
    expected = scores_of(capsys, model, tmp_path / "new.svm")
    np.testing.assert_array_equal(loaded.decision_function(data), np.ravel(expected))
    vw = rb.data.read(write(tmp_path, "new.vw", *dense_rows(4)))
    one_sentence(lambda: loaded.predict(vw), DataError, "these are rows of vw, and the model was trained on svmlight")


def test_rows_of_numbered_features_are_no_table(tmp_path):
    data = rb.data.read(write(tmp_path, "a.svm", *dense_rows()))
    path = write(tmp_path, "a.csv", *dense_rows())
    train(path, "-o", tmp_path / "m", "-q")
    loaded, table = rb.load(tmp_path / "m"), rb.data.read(path)
    with pytest.raises(DataError, match=r"a\.svm: the model needs a table with the columns "):
        loaded.predict(data)
    np.testing.assert_array_equal(loaded.predict(table), loaded.predict(table.table))
    named = rb.Perceptron().fit(table.table.to_pandas(), table.y)
    with pytest.raises(DataError, match=r"a\.svm: the model needs a table with the columns "):
        named.predict(data)
    K = np.eye(4)
    kernels = rb.KernelPerceptron(kernel="precomputed").fit(K, [1, 1, -1, -1])
    with pytest.raises(DataError, match=r"the model has a precomputed kernel, whose values cannot be read from files"):
        kernels.predict(data)
