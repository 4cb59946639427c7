"""A cluster that has no worker, or none any more: a run waits as long as was said, and ends at once when told to."""

import logging
import math
import os
import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest
from clockless import GUARD, until
from identity import same_bits

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.distributed import ClusterError, fit

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SOON = 0.1  # seconds that runs wait for workers


@pytest.fixture(autouse=True)
def look_often(monkeypatch):
    monkeypatch.setattr("rosenblatt.distributed.cluster._LOOK", 0.02)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 5))
    return X, (X[:, 0] + rng.standard_normal(120) > 0).astype(int)  # which nothing separates


@pytest.fixture(scope="module")
def scheduler():
    """A scheduler in this process, without workers."""
    with distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as found:
        yield found


@pytest.fixture
def cluster(scheduler):
    """The same without the workers and the tasks of other tests."""
    yield scheduler
    scheduler.scale(0)
    until(lambda: not scheduler.scheduler.workers and not scheduler.scheduler.tasks)


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as found:
        yield found


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_text("1 1:1 2:0.5\n-1 2:1\n1 1:2\n-1 3:1\n1 4:1\n-1 4:1\n")
    return tmp_path


def learner(**options):
    return rb.AveragedPerceptron(**{"random_state": 0, "max_iter": 4, "tol": None, **options})


def test_workers_that_are_all_lost_end_the_run_with_the_last_pass(cluster, client, rows, tmp_path):
    model, run = learner(), tmp_path / "run.model"
    cluster.scale(2)
    client.wait_for_workers(2)

    def lose_all(done):
        if done.number == 2:
            cluster.scale(0)
            until(lambda: not client.nthreads())

    sentence = r"no worker has been there for 0\.1 s; .*; pass 2, the last complete one, is in .*run\.model, and resume"
    with pytest.raises(ClusterError, match=sentence):
        fit(model, *rows, shards=2, client=client, checkpoint=run, worker_timeout=SOON, progress=lose_all)
    assert model.n_iter_ == 2
    options = {"shards": 2, "client": "here", "progress": False}
    again = fit(learner(), *rows, checkpoint=run, resume=True, **options)
    same_bits(again.coef_, fit(learner(), *rows, **options).coef_)
    with pytest.raises(ClusterError, match=r"no worker has been there .*; pass 4, .* is in .*run\.model, and resume"):
        fit(learner(max_iter=9), *rows, shards=2, client=client, checkpoint=run, resume=True, worker_timeout=SOON,
            progress=False)  # fmt: skip


def test_no_worker_at_the_start_leaves_the_estimator_as_it_was(client, rows):
    model = learner()
    with pytest.raises(ClusterError, match=r"^no worker has been there for 0\.1 s; .* worker_timeout=…$"):
        fit(model, *rows, shards=2, client=client, worker_timeout=SOON, progress=False)
    assert not hasattr(model, "classes_")


def test_a_worker_that_comes_late_is_waited_for(cluster, client, rows):
    def start_one():
        until(lambda: cluster.scheduler.tasks)  # there is something to do
        cluster.scale(1)

    starting = threading.Thread(target=start_one)
    starting.start()
    found = fit(learner(), *rows, shards=2, client=client, worker_timeout=math.inf, progress=False)
    starting.join()
    same_bits(found.coef_, fit(learner(), *rows, shards=2, client="here", progress=False).coef_)


@pytest.mark.parametrize("limit", [0, -1, math.nan, True, "5", None])
def test_a_limit_is_a_number_of_seconds(limit, rows):
    with pytest.raises(ValueError, match="worker_timeout must be a number of seconds above 0, got"):
        fit(learner(), *rows, shards=2, client="here", worker_timeout=limit)


def test_a_checkpoint_that_cannot_be_written_is_told_before_the_work(rows, tmp_path):
    with pytest.raises(FileNotFoundError, match="could not write the file, as there is no such folder"):
        fit(learner(), *rows, shards=2, client="tcp://127.0.0.1:9", checkpoint=tmp_path / "none" / "run")


def test_the_command_says_what_to_do_and_where_the_run_is(cluster, file, capsys):
    train = ["train", "a.svm", "-o", "m", "--cluster", cluster.scheduler_address, "--worker-timeout", str(SOON)]
    said = "no worker has been there for 0.1 s; start some by `dask worker`, or say how many seconds to wait for them, "
    said = f"rosenblatt: {said}--worker-timeout S"
    assert cli.main(train) == 1
    assert capsys.readouterr().err == f"{said}\n"
    fit(learner(max_iter=1), "a.svm", client="here", checkpoint="run", progress=False)
    before = (file / "run").read_bytes()
    assert cli.main([*train, "--checkpoint", "run"]) == 1
    assert capsys.readouterr().err == f"{said}; the run so far is in run, and the same command continues from it\n"
    assert (file / "run").read_bytes() == before
    assert sorted(os.listdir()) == ["a.svm", "run"]
    assert cli.main(["train", "a.svm", "-o", "m", "--worker-timeout", "5"]) == 1
    assert "--worker-timeout is for a cluster" in capsys.readouterr().err
    assert cli.main([*train, "--worker-timeout", "0"]) == 2


@pytest.mark.posix
@pytest.mark.parametrize(
    ("number", "code"), [pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow), (signal.SIGTERM, 143)]
)
def test_a_signal_ends_a_run_that_waits_for_workers(number, code, cluster, file):
    command = [sys.executable, "-m", "rosenblatt", "train", "a.svm", "-o", "m", "--cluster", cluster.scheduler_address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: cluster.scheduler.tasks or process.poll() is not None)
        process.send_signal(number)
        out, err = process.communicate(timeout=GUARD)
    assert (process.returncode, out, err) == (code, "", "rosenblatt: interrupted; nothing was written\n")


@pytest.mark.posix
def test_a_signal_ends_a_run_that_waits_for_the_scheduler(file):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        command = [sys.executable, "-m", "rosenblatt", "train", "a.svm", "-o", "m", "--cluster", address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            mute.settimeout(GUARD)
            connection, _ = mute.accept()  # to which nobody will say a word
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=GUARD)
            connection.close()
    assert (process.returncode, out, err) == (143, "", "rosenblatt: interrupted; nothing was written\n")
