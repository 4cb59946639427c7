"""Who does the work: the workers of a Dask cluster, or this process. Scheduling, moving and retrying are Dask's."""

from __future__ import annotations

import importlib
import itertools
import math
import queue
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.engine import threads
from ..errors import SettingsError, keyword

#: Seconds that a run waits while the cluster has no worker, unless told otherwise.
WORKER_TIMEOUT = 300.0

#: Seconds between two looks at who is there while nothing comes back, and in which a scheduler has to answer.
_LOOK, _ANSWER = 0.5, 60.0


class ClusterError(SettingsError, RuntimeError):
    """The cluster failed, and not what it was given to do; ``advice`` is for whoever writes Python."""

    def __init__(self, problem: str, advice: str = "", **values: Any) -> None:
        super().__init__(problem, advice, **values)
        self.advice = advice

    def worded(self, setting: Callable[[str, Any], str] = keyword) -> str:
        advice = f"; {self.advice}" if self.advice and setting is keyword else ""
        return super().worded(setting) + advice


class Workers:
    """Who does the work; here the present process, one task after the other, without Dask."""

    @property
    def notes(self) -> list[str]:
        """What to say before the work."""
        return []

    def hold(self, value: Any) -> Any:
        """A value where workers can get it."""
        return value

    def submit(self, task: Callable[..., Any], *arguments: Any, shard: int | None = None) -> Any:
        """A promise of what the task gives; arguments may be promises, or lists of them.

        ``shard``: the number of the one that it works on, whose worker should do it.
        """
        return task(*arguments)

    def gather(self, promises: Sequence[Any]) -> list[Any]:
        """What was promised, once it is there."""
        return list(promises)

    def parts(self, delayed: Sequence[Any]) -> list[Any]:
        """Promises of the pieces of a Dask collection."""
        return list(dask("dask").compute(*delayed, scheduler="synchronous"))


class Cluster(Workers):
    """A Dask cluster, by its client. While it has no worker, a run waits for so many seconds."""

    def __init__(self, client: Any, retries: int, worker_timeout: float = WORKER_TIMEOUT) -> None:
        self.client, self.retries, self.worker_timeout = client, retries, worker_timeout
        self._numbers, self._run = itertools.count(), uuid.uuid4().hex[:12]
        self._shards: dict[str, str] = {}  # names, by the tasks that work on them
        self._places: dict[int, str] = {}  # addresses of their workers, by their numbers
        self._threads: dict[str, int] = {}  # of each worker,
        self._asked = -math.inf  # when it was asked for

    @property
    def notes(self) -> list[str]:
        notes = [f"dashboard {self.client.dashboard_link}"] if self.client.dashboard_link else []
        with in_words({}):
            if not self._nthreads():
                limit = "" if math.isinf(self.worker_timeout) else f" within {self.worker_timeout:g} s"
                notes.append(f"the cluster has no workers yet; start some by `dask worker`{limit}")
        return notes

    def hold(self, value: Any) -> Any:
        # As the argument of a task, and not scattered: the scheduler can give it to another worker if one is lost.
        config = dask("dask").config
        with warnings.catch_warnings(), config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            from .tasks import as_it_is

            return self.submit(as_it_is, value)

    def submit(self, task: Callable[..., Any], *arguments: Any, shard: int | None = None) -> Any:
        key = f"{task.__name__}-{self._run}-{next(self._numbers)}"
        named = (getattr(one, "name", one) for one in arguments)
        self._shards[key] = next((one for one in named if isinstance(one, str)), "")
        with in_words(self._shards):
            if self.client.status == "closed":
                raise ConnectionError
            place = self._place_of(shard)
            return self.client.submit(
                task, *arguments, key=key, pure=False, retries=self.retries, workers=place,
                allow_other_workers=place is not None,
            )  # fmt: skip

    def _place_of(self, shard: int | None) -> list[str] | None:
        """Where a shard should be worked on: Dask alone would pile shards up where the weights are.

        They are dealt to the workers that there are; those of a worker that is lost, to the others.
        """
        if shard is None:
            return None
        if time.monotonic() - self._asked > 0.5:  # who is there is asked now and then
            self._threads, self._asked = self._nthreads(), time.monotonic()
        threads = self._threads
        if self._places.get(shard) not in threads:
            taken = Counter(self._places.values())
            self._places[shard] = min(threads, key=lambda one: taken[one] / threads[one], default="")
        return [self._places[shard]] if self._places[shard] else None

    def gather(self, promises: Sequence[Any]) -> list[Any]:
        with in_words(self._shards):
            self._wait_for(promises)
            return list(self.client.gather(list(promises)))

    def _wait_for(self, promises: Sequence[Any]) -> None:
        """Wait until all are there, or one has failed; without any worker no longer than was said."""
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for promise in promises:
            promise.add_done_callback(ended.put)
        left, alone_since = len(promises), math.inf
        while left:
            try:
                promise = ended.get(timeout=_LOOK)
            except queue.Empty:
                now = time.monotonic()
                alone_since = math.inf if self._nthreads() else min(alone_since, now)
                if now - alone_since >= self.worker_timeout:
                    raise ClusterError(
                        f"no worker has been there for {self.worker_timeout:g} s; start some by `dask worker`, or say "
                        "how many seconds to wait for them, {worker_timeout}", worker_timeout=...,
                    ) from None  # fmt: skip
                continue
            if promise.status != "finished":
                return  # to gather it says why
            left -= 1

    def _nthreads(self) -> dict[str, int]:
        """Threads of each worker that is there, from a scheduler that answers."""
        limit = max(self.worker_timeout, _ANSWER)
        counts: dict[str, int] = self.client.sync(
            self.client.scheduler.ncores, callback_timeout=None if math.isinf(limit) else limit
        )
        return counts

    def parts(self, delayed: Sequence[Any]) -> list[Any]:
        with in_words(self._shards):
            return list(self.client.compute(list(delayed), retries=self.retries))


@contextmanager
def workers_of(client: Any, retries: int, worker_timeout: float = WORKER_TIMEOUT) -> Iterator[Workers]:
    """The workers of this client, of the present one, of an address, or of a local cluster for the time being."""
    if client == "here":
        yield Workers()
        return
    distributed = dask("distributed")
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            client = threads()
    if isinstance(client, int):  # so many processes on this machine
        with _local(distributed, client) as cluster, distributed.Client(cluster) as own:
            yield Cluster(own, retries, worker_timeout)
    elif isinstance(client, str):
        try:
            own = distributed.Client(client, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"no scheduler answers at {client!r} ({_first_line(error)}); start one by `dask scheduler`, or check "
                "the address"
            ) from error
        with own:
            yield Cluster(own, retries, worker_timeout)
    elif isinstance(client, distributed.Client):
        yield Cluster(client, retries, worker_timeout)
    else:
        raise TypeError(
            "client must be a dask.distributed Client, an address, a number of local processes, 'here' or None; "
            f"got {client!r}"
        )


def _local(distributed: Any, n: int) -> Any:
    """A cluster of so many processes of this machine, which are ours, and so are their allocators."""
    from .tasks import KEEP_FREED_MEMORY

    try:
        env = {KEEP_FREED_MEMORY: "1"}
        return distributed.LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0", env=env)
    except (OSError, RuntimeError) as error:
        raise ClusterError(
            f"the {n} processes of a local cluster could not be started ({_first_line(error)}); start fewer, or "
            "learn in this process: {client}", "a script that starts processes needs `if __name__ == '__main__':`",
            client="here",
        ) from error  # fmt: skip


def dask(module: str) -> Any:
    """Dask, which is imported when it is needed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError("learning on a cluster needs dask: pip install 'rosenblatt[distributed]'") from error


@contextmanager
def in_words(shards: dict[str, str]) -> Iterator[None]:
    """What goes wrong with a cluster, in a sentence that says what to do; ``shards`` by the keys of tasks."""
    try:
        yield
    except Exception as error:
        failure = _failure(error, shards)
        if failure is None:
            raise
        raise failure from error


def _failure(error: Exception, shards: dict[str, str]) -> ClusterError | None:
    """None: it is not the cluster that failed."""
    kind = type(error)
    if kind.__name__ == "KilledWorker":
        task = str(getattr(error, "task", ""))
        where = f" on {shards[task]}" if shards.get(task) else ""
        times = getattr(error, "allowed_failures", 0) + 1
        return ClusterError(
            f"workers died {times} times at the same work{where}, most likely as they ran out of memory; make more "
            "shards, stream them ({in_memory}), or give the workers more memory", in_memory=False,
        )  # fmt: skip
    if isinstance(error, MemoryError):
        return ClusterError(
            "a worker ran out of memory; make more shards, stream them ({in_memory}), use fewer columns, or give "
            "the workers more memory", in_memory=False,
        )  # fmt: skip
    if isinstance(error, ImportError) and "rosenblatt" in str(error):
        return ClusterError(f"a worker says: {_first_line(error)}; install the same on every worker")
    cut_off = any(word in kind.__name__ for word in ("Timeout", "Cancelled", "Closed"))  # Dask has many of them
    if cut_off or isinstance(error, (TimeoutError, ConnectionError)):
        return ClusterError("the scheduler of the cluster is gone or cannot be reached; start the cluster again")
    return None


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:200]
