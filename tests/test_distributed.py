"""Learning on a cluster: the same bits on any workers, through faults and stops; kinds of data; plain sentences."""

import copy
import logging
import os
import pickle
import re
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from identity import same_bits

import rosenblatt as rb
from rosenblatt.cli.terminal import option
from rosenblatt.distributed import ClusterError, PassRecord, fit, tasks
from rosenblatt.distributed.cluster import workers_of

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

PASSES = 4
TEXT = rb.text.HashedText(bits=14, weighting="binary", idf=True, keep_names=True)
#: The same as options.
AS_TEXT = ["--no-symbols", "--no-supervised", "--characters", "none", "--weighting", "binary"]


@pytest.fixture(scope="module")
def rows():
    """Rows of three classes that cannot be separated."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 12))
    return X, np.argmax(X @ rng.standard_normal((12, 3)) + 2 * rng.standard_normal((240, 3)), axis=1)


#: How long workers that were killed are still called: by others that wait, and by the test that waits for those.
GIVEN_UP_SOON = {"distributed.comm.timeouts.connect": "2s"}


@contextmanager
def cluster_of(n_workers, **config):
    """Worker processes of one thread each."""
    with (
        dask.config.set(config),
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def client():
    """Two workers."""
    with cluster_of(2) as found:
        yield found


def learner(**options):
    return rb.AveragedPerceptron(**{"random_state": 0, "max_iter": PASSES, "tol": None, **options})


def here(estimator, *data, **options):
    return fit(estimator, *data, **{"client": "here", "progress": False, **options})


def same_weights(found, expected):
    """After a pass, of a run that went on or that ended."""
    same_bits(found.coef_, expected.coef_)
    same_bits(found.intercept_, expected.intercept_)
    assert found.mistakes_.tolist() == expected.mistakes_.tolist()


def same_model(found, expected):
    same_weights(found, expected)
    same_bits(found._learner.tally.values, expected._learner.tally.values)
    assert found.margin_bounds_ == expected.margin_bounds_
    assert found.verdict_ == expected.verdict_


def timeless(history):
    """Records without what differs from run to run."""
    return [
        {
            name: value
            for name, value in record.to_dict().items()
            if name not in ("seconds", "shard_seconds", "workers", "bytes_moved")
        }
        for record in history
    ]


# ---- any workers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mix", ["uniform", "updates"])
def test_any_cluster_gives_the_bits_of_one_process(client, rows, mix):
    expected = here(learner(), *rows, shards=7, mix=mix)
    found = fit(learner(), *rows, shards=7, mix=mix, client=client, progress=False)
    same_model(found, expected)
    assert timeless(found.distributed_) == timeless(expected.distributed_)


def test_threads_and_whoever_is_first_give_the_same_bits(rows):
    expected = here(learner(), *rows, shards=9)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=3, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as threads,
    ):
        same_model(fit(learner(), *rows, shards=9, client=threads, progress=False), expected)
        same_model(fit(learner(), *rows, shards=9, progress=False), expected)  # the present client


def test_one_shard_on_a_cluster_is_the_local_estimator(client, rows):
    same_model(fit(learner(), *rows, shards=1, client=client, progress=False), learner().fit(*rows))


def test_equal_rows_of_different_shards_are_found_on_a_cluster(client, rows):
    X, y = rows
    X, y = np.concatenate((X, X[9:10])), np.append(y, (y[9] + 1) % 3)
    model = fit(rb.Perceptron(random_state=0), X, y, shards=5, client=client, progress=False)
    assert (model.verdict_, model.n_iter_, model.equal_rows_) == ("no margin", 10, (9, 240))


def test_large_sparse_weights_travel_as_the_rows_in_use(client):
    """Of a million columns a few are met: their values move, and nothing that is as long as the weights."""
    rng = np.random.default_rng(0)
    X = sp.random_array((90, 1 << 20), density=5e-6, rng=rng, format="csr", dtype=np.float32)
    y = rng.integers(0, 2, 90)
    found = fit(learner(), X, y, shards=3, client=client, progress=False)
    same_model(found, here(learner(), X, y, shards=3))
    used = len(np.unique(X.indices)) + 1
    first, *later = found.distributed_
    assert first.weights_bytes < 100
    for record in later:
        assert 0 < record.weights_bytes <= used * 16  # row, weight, sum
        assert 0 < record.bytes_moved <= used * (3 * 16 + 3 * 16 + 3 * 20 + 16)
        assert 1 <= record.workers <= 2


# ---- faults --------------------------------------------------------------------------------------------------------


def dying(folder, shards, at_pass):
    """One pass of a shard that kills its worker, once, when the pass is done and nobody knows; every run is noted."""
    real = tasks.one_pass

    def one_pass(state, shard, name, *rest):
        done = state[0]["n_iter"]
        with open(f"{folder}/runs", "a") as runs:
            runs.write(f"{done} {name}\n")
        passed = real(state, shard, name, *rest)
        if name in shards and done == at_pass and not os.path.exists(f"{folder}/{name}"):
            Path(f"{folder}/{name}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return passed

    return one_pass


@pytest.mark.posix
@pytest.mark.parametrize(
    "killed",
    [pytest.param(["shard 1"], id="one"), pytest.param(["shard 0", "shard 4"], id="two", marks=pytest.mark.slow)],
)
def test_a_worker_that_is_killed_in_a_pass_changes_no_bit(rows, killed, tmp_path, monkeypatch):
    expected = here(learner(), *rows, shards=6)
    monkeypatch.setattr(tasks, "one_pass", dying(str(tmp_path), killed, at_pass=2))
    with cluster_of(3, **GIVEN_UP_SOON) as client:
        found = fit(learner(), *rows, shards=6, client=client, progress=False)
    same_model(found, expected)
    assert timeless(found.distributed_) == timeless(expected.distributed_)
    runs = [line.split(" ", 1)[0] for line in (tmp_path / "runs").read_text().splitlines()]
    assert {name for name in os.listdir(tmp_path) if name != "runs"} == set(killed)
    assert [runs.count(done) for done in "013"] == [6, 6, 6]  # no other pass is made again
    assert 6 < runs.count("2") <= 6 + 6


@pytest.mark.posix
def test_a_worker_that_dies_again_and_again_is_told_with_what_to_do(rows, monkeypatch):
    real = tasks.one_pass

    def one_pass(state, shard, name, *rest):
        if name == "shard 2" and state[0]["n_iter"] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(state, shard, name, *rest)

    monkeypatch.setattr(tasks, "one_pass", one_pass)
    model = learner()
    # Dask blames any task that waited at the worker both times, of a shard or of several
    sentence = r"died 2 times at the same work( on shard \d)?, .*out of memory; make more.*holds pass 2, the last"
    with (
        cluster_of(2, **GIVEN_UP_SOON, **{"distributed.scheduler.allowed-failures": 1}) as client,
        pytest.raises(ClusterError, match=sentence),
    ):
        fit(model, *rows, shards=4, client=client, progress=False)
    same_weights(model, here(learner(max_iter=2), *rows, shards=4))


def test_memory_that_runs_out_is_told_with_where_the_last_pass_is(client, rows, tmp_path, monkeypatch):
    real, path = tasks.one_pass, tmp_path / "run.model"

    def one_pass(state, shard, name, *rest):
        if state[0]["n_iter"] == 3:
            raise MemoryError("Unable to allocate 5 GiB")
        return real(state, shard, name, *rest)

    monkeypatch.setattr(tasks, "one_pass", one_pass)
    with pytest.raises(ClusterError, match=r"ran out of memory; .*; pass 3, .*run\.model, and resume=True goes on"):
        fit(learner(), *rows, shards=4, client=client, progress=False, checkpoint=path)
    monkeypatch.undo()
    expected = here(learner(), *rows, shards=4)
    same_model(fit(learner(), *rows, shards=4, client=client, progress=False, checkpoint=path, resume=True), expected)


def test_a_scheduler_that_is_gone_is_told(rows):
    model = learner(max_iter=1000)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=logging.CRITICAL
    )
    with cluster, distributed.Client(cluster) as client:

        def close(done):
            if done.number == 3:
                cluster.close()

        with pytest.raises(ClusterError, match=r"scheduler .* gone .*; start the cluster again; the estimator holds"):
            fit(model, *rows, shards=3, client=client, progress=close)
    same_weights(model, here(learner(max_iter=model.n_iter_), *rows, shards=3))


def test_nobody_at_an_address_is_told(rows):
    model = learner()
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(ClusterError, match=r"no scheduler answers at 'tcp://127\.0\.0\.1:9'"),
    ):
        fit(model, *rows, shards=3, client="tcp://127.0.0.1:9")
    assert not hasattr(model, "classes_")


# ---- stops ---------------------------------------------------------------------------------------------------------


class StopHereError(Exception):
    """Whatever ends a run."""


def stopping(after):
    def tell(done):
        if done.number == after:
            raise StopHereError

    return tell


def kinds_of_data(rows, files):
    svmlight, tables = files
    return {
        "rows": (rows, {"shards": 3}),
        "svmlight in memory": ((svmlight,), {}),
        "svmlight streamed": ((svmlight,), {"in_memory": False}),
        "tables in memory": ((tables,), {"features": {"text": TEXT}}),
        "tables streamed": ((tables,), {"features": {"text": TEXT}, "in_memory": False}),
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three svmlight files of three classes; three tables of text, numbers and categories. Globs of them."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(1)
    for i, n in enumerate((50, 70, 61)):
        X = np.round(rng.standard_normal((n, 9)) * (rng.random((n, 9)) < 0.5), 2)
        y = np.argmax(X[:, :3] + 0.5 * rng.standard_normal((n, 3)), axis=1)
        if i == 1:
            X[:, 8] = 0  # this shard does not know the last column
        lines = [f"{label} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(x) if v) for x, label in zip(X, y)]
        (folder / f"{i}.svm").write_text("\n".join(lines) + "\n")
        words = rng.choice(["good", "bad", "fine", "awful", "film", "plot", "not", "very"], (n, 7))
        sums = np.isin(words, ["good", "fine"]).sum(axis=1) - np.isin(words, ["bad", "awful"]).sum(axis=1)
        table = ["label,text,length,kind"]
        for text, s in zip(words, sums + rng.standard_normal(n)):
            length, kind = rng.standard_normal() * 5 + 3, rng.choice(["x", "y", "z"])
            table.append(f"{'pos' if s > 0 else 'neg'},{' '.join(text)},{length:.3f},{kind}")
        (folder / f"{i}.csv").write_text("\n".join(table) + "\n")
    return str(folder / "*.svm"), str(folder / "*.csv")


KINDS = ["rows", "svmlight in memory", "svmlight streamed", "tables in memory", "tables streamed"]


@pytest.mark.diagonal
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("after", [1, 3])
def test_a_run_goes_on_as_if_it_had_never_stopped(kind, after, rows, files, tmp_path):
    data, options = kinds_of_data(rows, files)[kind]
    expected = here(learner(), *data, **options, mix="updates")
    path = tmp_path / "run.model"
    model = learner()
    with pytest.raises(StopHereError):
        here(model, *data, **options, mix="updates", checkpoint=path, progress=stopping(after))
    assert model.n_iter_ == after
    assert rb.load(path).n_iter_ == after  # an ordinary model file
    found = here(learner(), *data, **options, mix="updates", checkpoint=path, resume=True)
    same_model(found, expected)
    assert timeless(found.distributed_) == timeless(expected.distributed_)
    loaded = rb.load(path)
    same_model(loaded, expected)
    again = here(learner(), *data, **options, mix="updates", checkpoint=path, resume=True)  # it is at its end
    same_model(again, expected)
    longer = here(learner(), *data, **options, mix="updates", checkpoint=path, resume=True, passes=PASSES + 2)
    same_model(longer, here(learner(max_iter=PASSES + 2), *data, **options, mix="updates"))


def test_no_checkpoint_yet_is_a_beginning(rows, tmp_path):
    path = tmp_path / "run.model"
    same_model(here(learner(), *rows, shards=3, checkpoint=path, resume=True), here(learner(), *rows, shards=3))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mix": "updates"}, "was begun with mix='uniform'"),
        ({"shards": 4}, "a run over 3 shards of 240 rows, and these are 4"),
        ({"estimator": learner(eta0=0.5)}, "was begun with eta0=1.0, and cannot go on with eta0=0.5"),
        ({"estimator": rb.Perceptron(random_state=0)}, "holds a AveragedPerceptron, and this is a Perceptron"),
        ({"y": np.arange(240) % 2}, "other classes"),
    ],
)
def test_another_run_does_not_go_on_from_a_checkpoint(options, sentence, rows, tmp_path):
    path, (X, y) = tmp_path / "run.model", rows
    here(learner(), X, y, shards=3, checkpoint=path)
    before = path.read_bytes()
    options = {"estimator": learner(), "shards": 3, "y": y, **options}
    model = options.pop("estimator")
    with pytest.raises(ValueError, match=re.escape(sentence)):
        here(model, X, options.pop("y"), checkpoint=path, resume=True, **options)
    assert path.read_bytes() == before


def test_a_model_is_no_checkpoint(rows, tmp_path):
    path = tmp_path / "plain.model"
    learner().fit(*rows).save(path)
    with pytest.raises(ValueError, match="not that of a distributed run"):
        here(learner(), *rows, shards=2, checkpoint=path, resume=True)
    with pytest.raises(ValueError, match="say which, checkpoint="):
        here(learner(), *rows, shards=2, resume=True)


# ---- data ----------------------------------------------------------------------------------------------------------


def chunked(X, n):
    array = pytest.importorskip("dask.array")
    return array.from_array(X, chunks=(n, *X.shape[1:]))


def test_chunks_of_dask_arrays_are_shards(client, rows):
    X, y = rows
    expected = here(learner(), X, y, shards=3)
    same_model(fit(learner(), chunked(X, 80), chunked(y, 80), client=client, progress=False), expected)
    same_model(here(learner(), (chunked(X, 80).rechunk((80, 5)), chunked(y, 33))), expected)  # cut otherwise
    same_model(here(learner(), chunked(X, 40), chunked(y, 40), shards=3), expected)
    weight = np.abs(X[:, 0])
    same_model(
        here(learner(), chunked(X, 80), chunked(y, 80), sample_weight=chunked(weight, 80)),
        here(learner(), X, y, shards=3, sample_weight=weight),
    )


def test_partitions_of_dask_frames_are_shards(client, rows):
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y = rows
    frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(12)])
    expected = here(learner(), X, y, shards=3)
    whole = frames.from_pandas(frame.assign(y=y), npartitions=3)
    found = fit(learner(), whole, "y", client=client, progress=False)
    same_model(found, expected)
    same_model(here(learner(), whole.drop(columns=["y"]), whole["y"]), expected)
    assert found.feature_names_in_.tolist() == list(frame.columns)
    same_bits(found.predict(frame), expected.predict(X))


def test_bags_of_named_features_are_shards(client):
    bags = pytest.importorskip("dask.bag")
    rng = np.random.default_rng(2)
    dicts = [{f"f{j}": float(v) for j, v in zip(rng.permutation(20)[:5], rng.standard_normal(5))} for _ in range(60)]
    labels = rng.choice(["yes", "no"], 60).tolist()
    examples = list(zip(dicts, labels))
    stream = rb.Perceptron()
    for x, y in examples:
        stream.learn_one(x, y)
    one = here(rb.Perceptron(shuffle=False, max_iter=1, tol=None), bags.from_sequence(examples, npartitions=1))
    same_weights(one, stream)
    assert list(one._columns) == list(stream._columns)
    expected = here(learner(), bags.from_sequence(examples, npartitions=3))
    found = fit(learner(), bags.from_sequence(examples, npartitions=3), client=client, progress=False)
    same_model(found, expected)
    assert found.predict_one(dicts[0]) in ("yes", "no")


def test_bags_of_text_are_shards(client):
    bags = pytest.importorskip("dask.bag")
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(["good", "bad", "film", "plot", "not"], 6)) for _ in range(80)]
    labels = ["pos" if "good" in text else "neg" for text in texts]
    examples = list(zip(texts, labels))
    text = rb.text.HashedText(bits=12, idf=True, dtype=np.float64)
    expected = learner().fit(text.fit_transform(texts), labels)
    found = here(learner(), bags.from_sequence(examples, npartitions=1), features={"text": text})
    same_model(found, expected)
    assert found.predict(texts).tolist() == expected.predict(text.transform(texts)).tolist()
    several = fit(
        learner(), bags.from_sequence(examples, npartitions=4), client=client, progress=False, features={"text": text},
        held_out=bags.from_sequence(examples, npartitions=2),
    )  # fmt: skip
    same_bits(several._extras["features"][1]["text.0.document_counts"], text._core.to_state()[1]["document_counts"])
    assert several.distributed_[-1].held_out == np.mean(several.predict(texts) == labels)


def command(*arguments):
    from rosenblatt import cli

    assert cli.main([str(argument) for argument in arguments]) == 0


@pytest.mark.parametrize("streamed", [False, True])
def test_one_table_is_what_the_command_trains(files, streamed, tmp_path):
    """Means, document counts and names too."""
    path, out = files[1].replace("*", "0"), tmp_path / "m.model"
    options = ["--stream"] if streamed else []
    command(
        "train", path, "-o", out, "--passes", PASSES, "--algorithm", "averaged", "--bits", 14, "-q", *options, *AS_TEXT
    )
    expected, found = rb.load(out), here(learner(), path, features={"text": TEXT}, in_memory=not streamed)
    same_bits(found.coef_, expected.coef_)
    same_bits(found.intercept_, expected.intercept_)
    (plain, arrays), (own_plain, own_arrays) = expected._extras["features"], found._extras["features"]
    assert own_plain == plain
    assert own_arrays.keys() == arrays.keys()
    for name in arrays:
        same_bits(own_arrays[name], arrays[name])


@pytest.mark.parametrize("kind", KINDS[1:])
def test_files_on_a_cluster_give_the_bits_of_one_process(client, kind, rows, files):
    data, options = kinds_of_data(rows, files)[kind]
    held_out = data[0].replace("*", "1")
    expected = here(learner(), *data, **options, held_out=held_out)
    found = fit(learner(), *data, **options, held_out=held_out, client=client, progress=False)
    same_model(found, expected)
    assert timeless(found.distributed_) == timeless(expected.distributed_)
    assert found.distributed_[-1].held_out > 0.5


@pytest.mark.parametrize("streamed", [False, True])
def test_what_shards_learn_of_tables_is_merged(files, streamed, tmp_path):
    """Document counts, means and categories are those of all rows; the command judges such a model as fit did."""
    model = here(
        learner(), files[1], features={"text": TEXT}, in_memory=not streamed, held_out=files[1].replace("*", "2")
    )
    command("train", files[1], "-o", tmp_path / "all.model", "--bits", 14, "--passes", 1, "--stream", "-q", *AS_TEXT)
    (_, together), (plain, apart) = rb.load(tmp_path / "all.model")._extras["features"], model._extras["features"]
    for name in ("text.0.counted_columns", "text.0.document_counts", "scale.count"):
        same_bits(apart[name], together[name])
    for name in ("scale.total", "scale.squares"):
        assert apart[name] == pytest.approx(together[name], rel=1e-12)
    assert sorted(plain["categories"]) == ["kind=x", "kind=y", "kind=z"]
    model.save(tmp_path / "model")
    assert rb.load(tmp_path / "model").n_iter_ == PASSES


def test_svmlight_counts_from_0_if_any_shard_does(tmp_path):
    """Read whole, an index 0 on any line of any shard tells so."""
    (tmp_path / "a.svm").write_text("1 1:1 2:3\n-1 2:1\n")
    (tmp_path / "b.svm").write_text("1 0:2 1:1\n-1 3:1\n")
    model = here(rb.Perceptron(shuffle=False, max_iter=3, tol=None), str(tmp_path / "*.svm"))
    both = rb.data.read(str(tmp_path / "*.svm"))
    same_model(model, here(rb.Perceptron(shuffle=False, max_iter=3, tol=None), both.X, both.y, shards=2))
    assert model.n_features_in_ == 4
    assert model._extras["features"][0]["settings"]["zero_based"] is True


def test_files_are_dealt_into_shards(files):
    names = sorted(str(path) for path in Path(files[0]).parent.glob("*.svm"))
    data = rb.data.read(names)
    same_model(here(learner(), names, shards=1), learner().fit(data.X, data.y))
    assert len(here(learner(), names, shards=2).distributed_[0].shares) == 2


def test_rows_are_judged_after_every_pass(client, rows):
    X, y = rows
    model = fit(learner(), X, y, shards=3, client=client, progress=False, held_out=(X[:50], y[:50]))
    assert model.distributed_[-1].held_out == np.mean(model.predict(X[:50]) == y[:50])
    odd = here(learner(), X, y, shards=3, held_out=(X[:50], y[:50] + 7))  # labels that it does not know are wrong
    assert odd.distributed_[-1].held_out == 0


# ---- what is told --------------------------------------------------------------------------------------------------


def test_every_pass_is_told(client, rows, capsys):
    fit(learner(), *rows, shards=3, client=client)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == f"dashboard {client.dashboard_link}"
    assert len(told) == 1 + PASSES
    line = r"pass +1 +\d+ mistakes +\d+ updates +[\d.]+ k?B moved +[\d.]+ s +shards [\d.]+ s, slowest \d: [\d.]+ s"
    assert re.fullmatch(line, told[1])
    met = []
    fit(learner(), *rows, shards=3, client=client, progress=met.append)
    assert [type(record) for record in met] == [PassRecord] * PASSES
    assert [record.number for record in met] == [1, 2, 3, 4]
    assert all(len(record.shard_seconds) == 3 and record.seconds > 0 for record in met)
    assert all(record.shard_seconds[record.slowest] == max(record.shard_seconds) for record in met)


def test_the_package_does_not_load_dask():
    code = "import sys, rosenblatt; assert not {'dask', 'distributed', 'sklearn'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_dask_is_told_with_the_extra(rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'rosenblatt[distributed]'")):
        fit(learner(), *rows, shards=2)
    assert here(learner(), *rows, shards=2).n_iter_ == PASSES  # this process does without


APPLICATION = """
import sys
import numpy as np
from rosenblatt.distributed.cluster import workers_of
from rosenblatt.distributed.file_sources import default_features, files_of
from rosenblatt.distributed.job import Job, run
from rosenblatt.core.spec import Spec

with workers_of("here", retries=0) as workers:
    data = files_of(workers, sys.argv[1], None, reading=None, make_features=default_features(), in_memory=None)
    spec = Spec.of("AveragedPerceptron", {"random_state": 0, "tol": None})
    learner = spec.learner()
    job = Job("AveragedPerceptron", spec, learner, spec.generator(), 4)
    run(job, data, workers)
assert "sklearn" not in sys.modules
np.save(sys.argv[2], job.mixed.plain().read()[1:, : learner.n_vectors].T)
"""


def test_an_application_runs_it_without_scikit_learn(files, tmp_path):
    subprocess.run([sys.executable, "-c", APPLICATION, files[0], tmp_path / "w.npy"], check=True)
    same_bits(np.load(tmp_path / "w.npy"), here(learner(), files[0]).coef_)


# ---- bad input -----------------------------------------------------------------------------------------------------


def test_a_label_that_is_no_class_is_told_with_its_place(files, rows):
    X, y = rows
    with pytest.raises(ValueError, match=r"shard 1: the label 2 is not among the classes \(0, 1\) at row \d+"):
        here(learner(), X, np.where(np.arange(240) < 120, y % 2, y), shards=2, classes=[0, 1])
    for in_memory in (True, False):
        sentence = r"shard 0 \(.*0\.svm\): .*0\.svm, line \d+: the label 2\.0 is not among the classes \(0, 1\)"
        with pytest.raises(rb.data.DataError, match=sentence):
            here(learner(), files[0], classes=[0, 1], in_memory=in_memory)


def test_a_file_that_cannot_be_read_is_told_with_its_shard(files, tmp_path):
    good = [files[0].replace("*", str(i)) for i in range(3)]
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:2\n0 oops\n")
    for in_memory in (True, False):
        with pytest.raises(rb.data.DataError, match=r"shard 3 \(.*bad\.svm\): .*bad\.svm, line 2"):
            here(learner(), [*good, str(bad)], in_memory=in_memory)
    with pytest.raises(FileNotFoundError, match=r"shard 1 \(.*\): there is no file"):
        here(learner(), [good[0], str(tmp_path / "none.svm")])


@pytest.mark.parametrize("in_memory", [True, False])
def test_faulty_rows_that_are_skipped_are_counted(files, tmp_path, in_memory):
    good, bad = files[0].replace("*", "0"), tmp_path / "bad.svm"
    bad.write_text("1 1:2\n0 oops\n0 2:1\n")
    with pytest.warns(UserWarning, match=r"1 row skipped\n.*bad.svm, line 2(.|\n)*, as was asked for"):
        here(learner(), [good, str(bad)], reading={"on_error": "skip"}, in_memory=in_memory)


def test_a_file_that_is_gone_in_mid_run_costs_that_pass_alone(files, tmp_path):
    paths = [tmp_path / f"{i}.svm" for i in range(3)]
    for i, path in enumerate(paths):
        path.write_bytes(Path(files[0].replace("*", str(i))).read_bytes())
    names, checkpoint, model = [str(path) for path in paths], tmp_path / "run.model", learner()
    expected = here(learner(), names, in_memory=False)

    def remove(done):
        if done.number == 2:
            paths[1].rename(tmp_path / "elsewhere")

    with pytest.raises(FileNotFoundError, match=r"shard 1 \(.*no file.*; pass 2, the last complete one, is in .*run"):
        here(model, names, in_memory=False, checkpoint=checkpoint, progress=remove)
    assert model.n_iter_ == 2
    (tmp_path / "elsewhere").rename(paths[1])
    same_model(here(learner(), names, in_memory=False, checkpoint=checkpoint, resume=True), expected)


X4, Y4 = np.eye(4), [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "sentence"),
    [
        ((X4, Y4), {}, ValueError, "say into how many shards the rows are to be cut: shards=…"),
        ((X4, Y4), {"shards": 5}, ValueError, "4 rows cannot be cut into 5 shards"),
        ((X4, Y4), {"shards": 0}, ValueError, "shards must be a whole number >= 1, got 0"),
        ((X4, Y4), {"shards": 2, "mix": "mean"}, ValueError, "mix must be one of 'uniform', 'updates'; got 'mean'"),
        ((X4, Y4), {"shards": 2, "passes": 0}, ValueError, "passes must be a whole number >= 1, got 0"),
        ((X4,), {"shards": 2}, ValueError, "there are no labels"),
        ((X4, [0, 1]), {"shards": 2}, ValueError, "X has 4 rows, and y has the shape (2,)"),
        ((X4, [1, 1, 1, 1]), {"shards": 2}, ValueError, "all labels are the same, 1"),
        (
            (X4, [0.5, 1, 0, 1]),
            {"shards": 2},
            ValueError,
            "shard 0: classes are whole numbers or words, got the label 0.5 at row 0",
        ),
        ((np.full((4, 2), np.nan), Y4), {"shards": 2}, ValueError, "shard 0: Input X contains NaN at row 0"),
        ((X4, Y4), {"shards": 2, "sample_weight": [1, 1, -1, 1]}, ValueError, "shard 1: sample_weight must be finite"),
        (
            (X4, Y4),
            {"shards": 2, "sample_weight": [1, 1]},
            ValueError,
            "X has 4 rows, and sample_weight has the shape (2,)",
        ),
        (
            (X4, Y4),
            {"shards": 2, "sample_weight": [0, 0, 0, 0]},
            ValueError,
            "sample_weight leaves no row to learn from",
        ),
        ((X4, Y4), {"shards": 2, "held_out": X4}, TypeError, "held_out must be (X, y)"),
        ((X4, Y4), {"shards": 2, "client": 1.5}, TypeError, "client must be a dask.distributed Client"),
        (("a.csv", Y4), {}, ValueError, "files hold their labels"),
        (("no such file.csv",), {}, FileNotFoundError, "there is no file 'no such file.csv'"),
    ],
)
def test_bad_input_is_told_in_one_sentence(arguments, options, error, sentence):
    model = learner()
    with pytest.raises(error, match=re.escape(sentence)) as told:
        here(model, *arguments, **options)
    assert "\n" not in str(told.value)
    assert not hasattr(model, "classes_")


def test_chunks_of_different_widths_are_refused():
    array = pytest.importorskip("dask.array")
    parts = [dask.delayed(np.ones)((3, d)) for d in (2, 3)]
    X = array.concatenate([array.from_delayed(part, (3, 2), float) for part in parts])
    with pytest.raises(ValueError, match="the shards have different columns: 2 in one, 3 in another"):
        here(learner(), X, array.from_array(np.arange(6) % 2, chunks=3))


def test_a_generator_that_is_given_is_drawn_on(rows):
    ours, theirs = np.random.default_rng(7), np.random.default_rng(7)
    for _ in range(2):
        same_model(here(learner(random_state=ours), *rows, shards=1), learner(random_state=theirs).fit(*rows))


def test_a_fitted_estimator_stays_as_it_was_where_nothing_was_learned(rows):
    model = learner().fit(*rows)
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match="all labels are the same"):
        here(model, rows[0], np.zeros(240, int), shards=2)
    same_model(model, before)


def test_what_shards_cannot_do_is_refused(rows):
    with pytest.raises(ValueError, match="early_stopping=True cuts rows off one table"):
        here(learner(early_stopping=True), *rows, shards=2)
    with pytest.raises(TypeError, match="a cluster fits linear estimators of rosenblatt, and not a list"):
        here([], *rows, shards=2)


def test_a_run_that_ends_undecided_warns_as_a_local_one(rows):
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="AveragedPerceptron stopped after max_iter=4 passes, undecided"):
        here(learner(tol=1e-4), *rows, shards=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        here(learner(), *rows, shards=3)


@pytest.mark.parametrize("asked", [True, False])
def test_the_allocator_of_a_worker_is_left_alone_unless_asked(asked, rows, monkeypatch):
    called = []
    monkeypatch.setattr(tasks.engine, "keep_freed_memory", lambda: called.append(True))
    monkeypatch.delenv(tasks.KEEP_FREED_MEMORY, raising=False)
    if asked:
        monkeypatch.setenv(tasks.KEEP_FREED_MEMORY, "1")
    here(learner(), *rows, shards=2)
    assert bool(called) == asked


def test_processes_that_cannot_be_started_are_told_in_the_words_of_each_door(monkeypatch):
    def local_cluster(**options):
        raise RuntimeError("no {process} for you")

    monkeypatch.setattr(distributed, "LocalCluster", local_cluster)
    with pytest.raises(ClusterError) as raised, workers_of(2, retries=0):
        pass
    begin = "the 2 processes of a local cluster could not be started (no {process} for you); start fewer, or learn in "
    advice = "; a script that starts processes needs `if __name__ == '__main__':`"
    assert str(raised.value) == f"{begin}this process: client='here'{advice}"
    assert raised.value.worded(option) == f"{begin}this process: leave out --workers"
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_the_allocators_of_local_processes_are_ours(monkeypatch):
    class Stopped(Exception):  # noqa: N818
        pass

    def local_cluster(**options):
        assert options["env"] == {tasks.KEEP_FREED_MEMORY: "1"}
        raise Stopped

    monkeypatch.setattr(distributed, "LocalCluster", local_cluster)
    with pytest.raises(Stopped), workers_of(2, retries=0):
        pass
