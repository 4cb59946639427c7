"""``train`` on a cluster: the bits of one machine where there is one shard, what it tells, and what it refuses."""

import json
import sys

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cli

pytest.importorskip("distributed")
import dask

ROWS = ["pos,a good film that I liked", "neg,a bad film that was long", "pos,good and short", "neg,long and bad"]


@pytest.fixture(scope="module")
def address():
    """The scheduler of a cluster in this process."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as local,
        Client(local, set_as_default=False),
    ):
        yield local.scheduler_address


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name in ("a.csv", "b.csv", "c.csv"):
        chosen = [ROWS[i] + f" {rng.integers(9)}x" for i in rng.integers(4, size=40)]
        (tmp_path / name).write_text("label,text\n" + "\n".join(chosen) + "\n")
    return tmp_path


def train(*words):
    return cli.main(["train", *map(str, words)])


def refused(capsys, *words):
    assert train(*words) != 0
    said = capsys.readouterr().err
    assert said.startswith("rosenblatt: ")
    assert said.count("\n") == 1
    return said


def same(one, other):
    a, b = rb.load(one), rb.load(other)
    assert np.array_equal(a.coef_.view(np.uint8), b.coef_.view(np.uint8))
    assert np.array_equal(a.intercept_, b.intercept_)
    assert a.mistakes_.tolist() == b.mistakes_.tolist()
    assert a.verdict_ == b.verdict_
    assert a.margin_bounds_ == b.margin_bounds_


#: What is compared on one machine and not on a cluster.
NAMED = ["--characters", "none", "--weighting", "binary", "-C", "1"]


@pytest.mark.parametrize(
    "how",
    [NAMED, ["--algorithm", "averaged", *NAMED[:4]], ["--algorithm", "perceptron", "--init", "random", *NAMED[:4]]],
)
def test_one_shard_gives_the_bits_of_one_machine(how, files, address):
    assert train("a.csv", "-o", "local", "--passes", 3, "-q", *how) == 0
    assert train("a.csv", "-o", "cluster", "--passes", 3, "-q", "--cluster", address, *how) == 0
    same("local", "cluster")


def test_a_shard_that_is_streamed_gives_the_weights_of_a_stream(files, address):
    """As long as it does not separate the rows, upon which a cluster stops and a stream does not."""
    assert train("a.csv", "b.csv", "-o", "local", "--passes", 2, "-q", "--stream", *NAMED) == 0
    words = ("--shards", 1, "--cluster", address, "--stream")
    assert train("a.csv", "b.csv", "-o", "cluster", "--passes", 2, "-q", *words) == 0
    assert np.array_equal(rb.load("local").coef_, rb.load("cluster").coef_)


def test_shards_are_those_of_python(files, address, capsys):
    words = ("a.csv", "b.csv", "c.csv", "-o", "cluster", "--passes", 4, "--mix", "updates", "--cluster", address)
    assert train(*words, "--held-out", "a.csv", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    model = rb.PassiveAggressiveClassifier(average=True, fit_intercept=False, tol=None, random_state=0)
    rb.distributed.fit(
        model, ["a.csv", "b.csv", "c.csv"], client="here", passes=4, mix="updates", held_out="a.csv", progress=False
    )
    loaded = rb.load("cluster")
    assert np.array_equal(loaded.coef_, model.coef_)
    assert loaded.predict(["a good film", "long and bad"]).tolist() == ["pos", "neg"]
    assert told["mistakes"] == model.mistakes_.tolist()
    assert told["cluster"]["shards"] == 3
    assert [one["held_out"] for one in told["cluster"]["each"]] == [one.held_out for one in model.distributed_]
    assert told["held_out"]["accuracy"] == model.distributed_[-1].held_out


def test_the_summary_tells_of_the_cluster(files, address, capsys):
    assert train("a.csv", "b.csv", "-o", "m", "--cluster", address, "--passes", 2) == 0
    out = capsys.readouterr().out
    assert "2 shards" in out
    assert "transferred" in out
    assert "slowest in the last pass" in out


def test_a_checkpoint_goes_on_to_the_same_bits(files, address):
    words = ("a.csv", "b.csv", "--cluster", address, "-q", "--algorithm", "averaged")
    assert train(*words, "-o", "whole", "--passes", 4) == 0
    assert train(*words, "-o", "half", "--passes", 2, "--checkpoint", "run") == 0
    assert train(*words, "-o", "rest", "--passes", 4, "--checkpoint", "run") == 0
    same("whole", "rest")


def test_a_fault_leaves_the_last_complete_pass(files, address, capsys, monkeypatch):
    from rosenblatt.distributed import sharded
    from rosenblatt.distributed.cluster import ClusterError

    made, two = sharded.Sharded.learn, []

    def fails(self, *arguments, **options):
        two.append(1)
        if len(two) == 2:
            raise ClusterError("the scheduler of the cluster is gone")
        return made(self, *arguments, **options)

    monkeypatch.setattr(sharded.Sharded, "learn", fails)
    said = refused(capsys, "a.csv", "b.csv", "-o", "m", "--cluster", address, "--algorithm", "perceptron", "-q")
    assert "the scheduler of the cluster is gone; the model after pass 1, the last complete one, is in m" in said
    assert "--checkpoint" in said
    assert rb.load("m").n_iter_ == 1


def test_a_fault_within_the_first_pass_leaves_nothing(files, address, capsys, monkeypatch):
    from rosenblatt.distributed import sharded
    from rosenblatt.distributed.cluster import ClusterError

    def fails(*_):
        raise ClusterError("the scheduler of the cluster is gone")

    monkeypatch.setattr(sharded.Sharded, "accuracy", fails)
    said = refused(capsys, "a.csv", "b.csv", "-o", "m", "--cluster", address, "--held-out", "c.csv", "-q")
    assert "the scheduler of the cluster is gone" in said
    assert not (files / "m").exists()


@pytest.mark.parametrize("streamed", [[], ["--stream"]], ids=str)
@pytest.mark.parametrize("label", ["pos", "1.5"])
def test_rows_that_are_skipped_are_counted(streamed, label, files, address, capsys):
    lines = f"label,text\n{label},good\n{label}\n{'neg' if label == 'pos' else '0.5'},bad\n"
    (files / "one.csv").write_text(lines)
    (files / "two.csv").write_text(lines + "neg\n")
    train("one.csv", "two.csv", "-o", "m", "--cluster", address, "--on-error", "skip", "--json", *streamed)
    out, err = capsys.readouterr()
    assert json.loads(out)["skipped"] == 3
    assert err.startswith("3 rows skipped\n")
    assert {place for place in ("one.csv, line 3", "two.csv, line 3", "two.csv, line 5") if place in err} == {
        "one.csv, line 3", "two.csv, line 3", "two.csv, line 5",
    }  # fmt: skip


def test_what_is_refused(files, address, capsys, monkeypatch):
    here = ("a.csv", "-o", "m", "--cluster", address)
    assert "say --workers N or --cluster ADDRESS" in refused(capsys, "a.csv", "-o", "m", "--mix", "uniform")
    assert "exclude each other" in refused(capsys, *here, "--workers", 2)
    assert "--checkpoint" in refused(capsys, *here, "--resume", "x")
    assert "--shuffle-buffer" in refused(capsys, *here, "--shuffle-buffer", 5)
    assert "standard input" in refused(capsys, "-", *here[1:])
    assert "name a file, --held-out FILE" in refused(capsys, *here, "--held-out", 0.1)
    assert "cannot be dealt into 2 shards" in refused(capsys, *here, "--shards", 2)
    assert "none.csv" in refused(capsys, "none.csv", *here[1:])
    assert "cannot be mixed" in refused(capsys, *here, "--algorithm", "voted")
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        assert "127.0.0.1:9" in refused(capsys, "a.csv", "-o", "m", "--cluster", "tcp://127.0.0.1:9")
    (files / "bad.csv").write_text("label,text\npos,good\nneg\n")
    assert "bad.csv, line 3" in refused(capsys, "a.csv", "bad.csv", *here[1:])
    assert not (files / "m").exists()
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'rosenblatt[distributed]'" in refused(capsys, "a.csv", "-o", "m", "--workers", 2)
