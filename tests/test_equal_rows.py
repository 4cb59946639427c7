"""Equal rows with different labels on a cluster and at the command: found as ``fit`` finds them, and named."""

import json
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from test_defaults import CONTAINERS, conflicting

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.core import engine
from rosenblatt.distributed import equal_rows, fit
from rosenblatt.distributed.cluster import Workers
from rosenblatt.distributed.in_memory import HeldShard


def here(model, *data, **options):
    return fit(model, *data, client="here", progress=False, **options)


@pytest.mark.diagonal
@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("shards", [1, 2, 7, 40])
def test_a_cluster_ends_as_fit_does(container, shards):
    X, y = conflicting(classes=3)
    X[:, 0] = 0.0
    model = here(rb.Perceptron(random_state=0), container(X), y, shards=shards)
    assert (model.verdict_, model.n_iter_, model.equal_rows_) == ("no margin", 10, (7, 30))
    assert model.margin_bounds_[1] == 0.0


def test_rows_without_weight_are_not_there():
    X, y = conflicting()
    weight = np.ones(len(y))
    weight[30] = 0
    with pytest.warns(UserWarning, match="undecided"):
        model = here(rb.Perceptron(random_state=0, max_iter=12), X, y, shards=3, sample_weight=weight)
    assert (model.verdict_, model.equal_rows_) == ("stopped", None)
    weight[30], weight[:5] = 0.5, 0
    model = here(rb.Perceptron(random_state=0, max_iter=12), X, y, shards=3, sample_weight=weight)
    assert model.equal_rows_ == (7, 30)


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1), st.integers(0, 2)), min_size=1, max_size=14),
    cuts=st.sets(st.integers(1, 13)),
    left_out=st.sets(st.integers(0, 13)),
    dense=st.booleans(),
)
def test_shards_are_searched_as_one_table_is(rows, cuts, left_out, dense):
    y = np.array([label for label, *_ in rows], np.int8)
    X = np.array([row for _, *row in rows], np.float64)
    weight = np.array([float(i not in left_out) for i in range(len(rows))])
    edges = [0, *sorted(cut for cut in cuts if cut < len(rows)), len(rows)]
    shards = [
        ("shard", HeldShard(engine.admit(X[a:b] if dense else sparse.csr_array(X[a:b])), y[a:b], weight[a:b], []))
        for a, b in pairwise(edges)
    ]
    found = equal_rows.find(Workers(), shards)
    wanted = engine.equal_rows(rows=engine.DenseRows(X), targets=y, order=np.flatnonzero(weight).astype(np.int32))
    assert (None if found is None else found.rows) == wanted


def test_a_hash_alone_proves_nothing(monkeypatch):
    monkeypatch.setattr(equal_rows, "row_hashes", lambda view: np.zeros(view.n_rows, np.uint64))
    X, y = conflicting()
    y[30] = y[7]
    with pytest.warns(UserWarning, match="undecided"):
        assert here(rb.Perceptron(random_state=0, max_iter=12), X, y, shards=3).equal_rows_ is None


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = conflicting()
    table = [",".join(["a", "b", "c", "d", "e", "label"])]
    table += [",".join([*map(repr, row.tolist()), "pos" if label else "neg"]) for row, label in zip(X, y)]
    (tmp_path / "a.csv").write_text("\n".join(table) + "\n")
    (tmp_path / "b.csv").write_text("\n".join(table[:21]) + "\n")
    (tmp_path / "c.csv").write_text("\n".join([table[0], *table[21:]]) + "\n")
    return tmp_path


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("names", [["a.csv"], ["b.csv", "c.csv"]])
def test_rows_of_files(files, in_memory, names):
    model = rb.Perceptron(random_state=0, shuffle=False)
    here(model, names, in_memory=in_memory, features={"standardise": False})
    assert (model.verdict_, model.n_iter_, model.equal_rows_) == ("no margin", 10, (7, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rb.load(saved(model, files)).equal_rows_ == (7, 30)


PASSES = ("-a", "perceptron", "--tol", "1e-4", "--passes", "12")
LINES = "no margin (upper bound 0, exact): a.csv, line 9 and a.csv, line 32 are equal and have different labels"


@pytest.mark.parametrize("kind", [["-a", "perceptron"], ["-a", "kernel"]])
def test_the_command_names_the_two_rows(files, kind, capsys):
    assert cli.main(["train", "a.csv", "-o", "m", *PASSES[2:], *kind]) == 0
    assert LINES in capsys.readouterr().out
    assert cli.main(["inspect", "m"]) == 0
    assert LINES in capsys.readouterr().out
    assert cli.main(["inspect", "m", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["training"]["equal_rows"] == ["a.csv, line 9", "a.csv, line 32"]


def test_rows_that_are_held_out_are_not_counted(files, capsys):
    assert cli.main(["train", "b.csv", "c.csv", "-o", "m", *PASSES, "--held-out", "0.25"]) == 0
    said = capsys.readouterr().out  # of which one is held out
    assert "no margin (upper bound 0, exact): b.csv, line 9 and c.csv, line 12 are equal" not in said
    assert cli.main(["train", "b.csv", "c.csv", "-o", "m", *PASSES, "--held-out", "0.2"]) == 0
    assert "no margin (upper bound 0, exact): b.csv, line 9 and c.csv, line 12 are equal" in capsys.readouterr().out


def test_a_model_of_python_names_them_by_numbers(files, capsys):
    saved(rb.Perceptron(random_state=0).fit(*conflicting()), files)
    assert cli.main(["inspect", "m"]) == 0
    assert "row 7 and row 30 are equal and have different labels" in capsys.readouterr().out


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_the_command_names_the_rows_of_a_cluster(files, how, capsys):
    pytest.importorskip("distributed")
    words = ["train", "b.csv", "c.csv", "-o", "m", *PASSES, *how, "--cluster", "here", "--no-standardise"]
    assert cli.main(words) == 0
    assert "no margin (upper bound 0, exact): b.csv, line 9 and c.csv, line 12 are equal" in capsys.readouterr().out


def test_a_stream_does_not_look(files, capsys):
    assert cli.main(["train", "a.csv", "-o", "m", *PASSES, "--stream"]) != 0
    assert "--tol needs all rows in memory" in capsys.readouterr().err


def saved(model, folder):
    model.save(folder / "m")
    return folder / "m"
