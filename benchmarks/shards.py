"""Learning on shards: two workers against one, what travels, what the cluster costs, and, by simulation, many shards.

Each worker is a process of its own and is held to one core, as if it were a small machine.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import accuracy
import datasets
import numpy as np
from harness import Row, Setting, Work, peer, race, row
from processes import done, ours

import rosenblatt as rb

QUESTION = "shards"
WORKERS = 2
TIMES = 48  # so often the reviews of imdb stand in the files of the timed run
PASSES = 2  # the same reviews so often are soon separated
SIMULATED = (1, 2, 4, 16, 64, 256)
AFTER = (1, 2, 5, 10)


def learner(**more: Any) -> Any:
    """What ``train`` takes for text."""
    return rb.PassiveAggressiveClassifier(average=True, fit_intercept=False, tol=None, random_state=0, **more)


# ---- a cluster of this machine's cores -----------------------------------------------------------------------------


@contextmanager
def cluster(n: int) -> Iterator[Any]:
    """A client of so many workers, one core each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0") as local,
        Client(local) as client,
    ):
        for i, worker in enumerate(sorted(client.scheduler_info()["workers"])):
            client.run(hold_to, i % (os.cpu_count() or 1), workers=[worker])
        yield client


def hold_to(core: int) -> None:
    """All threads of this process, and those to come, run on one core."""
    for thread in os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else ["0"]:
        os.sched_setaffinity(int(thread), {core})


def review_files(folder: Path) -> list[str]:
    """The reviews so many times over, in as many files as there are workers."""
    paths = [folder / f"shard{i}.csv" for i in range(WORKERS)]
    if not paths[-1].exists():
        header, _, rows = datasets.unpacked(folder, "imdb", "train.csv.gz").read_bytes().partition(b"\n")
        for path in paths:
            with path.open("wb") as file:
                file.write(header + b"\n")
                for _ in range(TIMES // WORKERS):
                    file.write(rows)
    return [str(path) for path in paths]


def timed(setting: Setting) -> Iterator[Row]:
    """Seconds of the second pass: in the first, counts of documents are learned too."""
    peer("distributed")
    paths, repeats = review_files(setting.folder), min(setting.repeats, 3)
    records: dict[int, list[Any]] = {n: [] for n in (WORKERS, 1)}

    def pass_of(n: int) -> float:
        with cluster(n) as client:
            model = learner()
            rb.distributed.fit(model, paths, client=client, passes=PASSES, in_memory=False, progress=False)
            records[n].append(model.distributed_)
        return float(records[n][-1][-1].seconds)

    def alone(passes: int) -> Any:
        command = ours("train", *paths, "-o", setting.folder / "local.model", "--stream", "--passes", passes, "-q")
        return done(["taskset", "-c", "0", *command])

    seconds: dict[int, list[float]] = {n: [] for n in records}
    for repeat in range(repeats):
        for n in records if repeat % 2 == 0 else reversed(records):
            seconds[n].append(pass_of(n))
    n_rows = 25_000 * TIMES
    what = f"{n_rows:,} reviews in {WORKERS} files, read in every pass, 2²² columns, one core a worker"
    yield row(
        QUESTION, "workers-2", f"a pass, {what}", ours=seconds[WORKERS], peer=seconds[1], reach=1.4, aim=1.7,
        ratios=[one / two for one, two in zip(seconds[1], seconds[WORKERS])], ours_name=f"{WORKERS} workers",
        peer_name="1 worker", learned=f"mistakes in the last pass: {records[WORKERS][-1][-1].mistakes:,} and, with one "
        f"worker, {records[1][-1][-1].mistakes:,}",
        more={"rows": n_rows, "slowest": [max(one[-1].shard_seconds) for one in records[WORKERS]]},
    )  # fmt: skip
    moved = [one.bytes_moved for one in records[WORKERS][-1]]
    weights = [one.weights_bytes for one in records[WORKERS][-1]]
    yield row(
        QUESTION, "bytes", f"bytes moved in each pass by {WORKERS} workers, {what}", unit="B", ours=moved,
        peer=weights[1:], ours_name="moved", peer_name="the weights as they travel", learned=" ".join(
            f"pass {i + 1}: {m / 1e6:.1f} MB;" for i, m in enumerate(moved)).rstrip(";"),
        more={"dense": (1 << 22) * 12},
    )  # fmt: skip
    whole = race(QUESTION, "", "", lambda _: alone(PASSES), lambda _: alone(1), None, repeats)
    local = [two - one for two, one in zip(whole["ours"], whole["peer"])]
    yield row(
        QUESTION, "overhead", f"a pass, {what}", ours=seconds[1], peer=local, at_most=True, reach=1.1,
        ratios=[a / b for a, b in zip(seconds[1], local)], ours_name="1 worker of a cluster, both files",
        peer_name="rosenblatt train --stream, one core", more={"rows": n_rows},
    )  # fmt: skip


# ---- many shards, one after another ---------------------------------------------------------------------------------


def simulated(data: str, kinds: dict[str, Callable[[], Any]]) -> Callable[[Setting], Iterator[Row]]:
    """Accuracy after passes, by the number of shards and the way of mixing."""

    def measure(_: Setting) -> Iterator[Row]:
        X, y, X_test, y_test = accuracy.DATA[data][1]()
        order = np.random.default_rng(0).permutation(X.shape[0])  # or a shard might lack a class
        X, y = X[order], y[order]
        for name, make in kinds.items():
            for mix in ("uniform", "updates"):
                for n in SIMULATED:
                    right: dict[int, float] = {}
                    model = make()

                    def note(done: Any, right: dict[int, float] = right) -> None:
                        right[done.number] = done.held_out

                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        rb.distributed.fit(
                            model, (X, y), client="here", shards=n, mix=mix, passes=max(AFTER),
                            held_out=(X_test, y_test), progress=note,
                        )  # fmt: skip
                    yield row(
                        QUESTION, f"{data}/{name}/{mix}/{n}", accuracy.DATA[data][0], unit="accuracy",
                        ours=[right.get(k, right[max(right)]) for k in AFTER], ours_name=name,
                        more={"data": data, "learner": name, "mix": mix, "shards": n, "passes": list(AFTER),
                              "n": len(y_test), "rows": len(y),
                              "mix_seconds": median(one.seconds - sum(one.shard_seconds)
                                                    for one in model.distributed_)},
                    )  # fmt: skip

    return measure


def averaged() -> Any:
    return rb.AveragedPerceptron(tol=None, random_state=0)


WORKS = (
    Work("workers", QUESTION, timed, slow=True, threads=None),
    Work("shards-imdb", QUESTION, simulated("imdb", {"averaged PA-I": learner}), slow=True),
    Work("shards-covtype", QUESTION, simulated("covtype", {"averaged PA-I": partial(
        rb.PassiveAggressiveClassifier, average=True, tol=None, random_state=0), "averaged perceptron": averaged}),
        slow=True),
)  # fmt: skip
