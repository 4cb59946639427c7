"""``fit``: an estimator learns from shards, on the workers of a cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from .. import atomic_files
from ..core.mixing import refuse_unmixable
from ..core.run import Mixable
from ..core.spec import Spec
from ..errors import DataError
from . import bags
from .checkpoints import Checkpoint
from .cluster import WORKER_TIMEOUT, ClusterError, Workers, workers_of
from .file_sources import are_files, default_features, files_of
from .job import Job, run
from .records import PassRecord
from .sentences import SentenceData
from .sources import Data, Rows, check_count
from .tasks import worded


def fit(
    estimator: Any,
    data: Any,
    y: Any = None,
    *,
    client: Any = None,
    passes: int | None = None,
    mix: str = "uniform",
    shards: int | None = None,
    classes: Any = None,
    sample_weight: Any = None,
    held_out: Any = None,
    in_memory: bool | None = None,
    reading: dict[str, Any] | None = None,
    features: dict[str, Any] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    retries: int = 1,
    worker_timeout: float = WORKER_TIMEOUT,
    progress: bool | Callable[[PassRecord], None] = True,
) -> Any:
    """Fit an estimator on shards of the data, each on a worker of a Dask cluster, mixed after every pass.

    Every shard starts a pass from the same weights and makes it with the ordinary learner; then the weights are mixed
    (iterative parameter mixing). The result depends on the data, the shards and ``random_state`` alone: not on how many
    workers there are, who is first, or which of them die. One shard gives the bits of the estimator's own ``fit``.

    Parameters
    ----------
    estimator : estimator
        A linear one or a tagger, with the readout "last" or "averaged"; it is fitted in place.
    data : dask array or DataFrame, dask bag, (X, y), array, or names of files
        Each chunk, partition or file is a shard. Files are named by a path, a glob or a list of them, are in any format
        that ``rb.data.read`` knows, and are opened on the workers. For a tagger: a list of sentences or ``Sentences``,
        a bag of (sentence, tags), or files that ``rb.data.read_sentences`` knows.
    y : dask array, Series, array or str, default=None
        Labels, where ``data`` are rows: chunked alike; of a DataFrame perhaps the name of a column. For a tagger a list
        of lists of tags.
    client : Client, str, int, "here" or None, default=None
        A client of ``dask.distributed``, the address of a scheduler, or how many processes to start on this machine.
        None: the present client, or one process for each core. "here": one shard after the other in this process,
        without Dask.
    passes : int, default=None
        At most so many passes; None: the estimator's ``max_iter``.
    mix : {"uniform", "updates"}, default="uniform"
        Whether every shard counts alike, or in proportion to the updates that it has just made.
    shards : int, default=None
        Deal neighbouring chunks or files into so many shards. Arrays that are here need it.
    classes : array, default=None
        The labels, where they are known; else they are looked for first.
    sample_weight : dask array or array, default=None
        Weights of the rows, chunked as they are; files have their own.
    held_out : (X, y), or names of files, default=None
        Judged by the mixed model after every pass; of sentences, tag by tag.
    in_memory : bool, default=None
        Whether rows of files are held in the workers' memory and shuffled in every pass, or the files are read again,
        block by block and as they stand. None: in memory where all files together have less than 1 GB.
    reading : dict, default=None
        Options of ``rb.data.stream``, such as ``{"columns": {"label": "stars"}, "format": "csv"}``; for a tagger of
        ``rb.data.read_sentences``.
    features : dict, default=None
        How tables become rows: ``text`` (a ``HashedText``), ``standardise``, ``missing``, ``named_rows``; as
        ``rosenblatt train`` does unless told otherwise. For bags of text, ``text``. Numbered rows, of svmlight and
        Vowpal Wabbit files, are taken as they stand, as ``fit`` takes what ``rb.data.read`` gives, unless ``scale``
        says otherwise: "standardised", "norm" (each row of norm 1), or "auto", which chooses as ``rosenblatt train``
        does, by how dense the first 1,000 rows are. The estimator then scales what it predicts as well.
    checkpoint : path, default=None
        A model file that is written anew after every pass, whole or not at all.
    resume : bool, default=False
        Go on from the checkpoint, if there is one, to the bits of a run that never stopped.
    retries : int, default=1
        How often Dask runs a task again that has raised an error; what is lost with a worker it runs again anyway.
    worker_timeout : float, default=300
        Seconds to wait while the cluster has no worker, at the start and later on, before a `ClusterError` says so;
        ``math.inf`` waits for ever.
    progress : bool or callable, default=True
        Print a line for every pass to standard error; or call this with a `PassRecord`.

    Returns
    -------
    estimator
        Fitted, with all that its own ``fit`` sets, and ``distributed_``, the records of the passes. A fault after the
        first complete pass leaves it as it was after the last one, and the error says so; before that, as it was.

    References
    ----------
    McDonald, Hall & Mann (2010), Distributed training strategies for the structured perceptron, NAACL: figure 3.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]] * 2, [1, 0, 1, 0] * 2
    >>> model = rb.Perceptron(random_state=0)
    >>> rb.distributed.fit(model, X, y, shards=2, client="here", progress=False).verdict_
    'separated'
    """
    if not isinstance(estimator, Mixable):
        raise TypeError(f"a cluster fits linear estimators of rosenblatt, and not a {type(estimator).__name__}")
    spec = estimator.spec()
    learner = spec.learner()
    refuse_unmixable(learner)
    max_iter = spec.max_iter if passes is None else passes
    check_count("passes", max_iter)
    if isinstance(worker_timeout, bool) or not isinstance(worker_timeout, (int, float)) or not worker_timeout > 0:
        raise ValueError(f"worker_timeout must be a number of seconds above 0, got {worker_timeout!r}")
    if spec.parameters.get("early_stopping"):
        raise ValueError("early_stopping=True cuts rows off one table; on a cluster set passes=…, and watch held_out=…")
    job = Job(
        type(estimator).__name__, spec, learner, spec.generator(), max_iter, earlier=estimator.earlier, mix=mix,
        classes=classes, class_weight=spec.class_weight, resume=resume, warning=estimator.undecided_warning,
        tell=_print if progress is True else progress or None,
    )  # fmt: skip
    if checkpoint is not None:
        atomic_files.check(checkpoint)
        job.checkpoint = Checkpoint(checkpoint, job.name, dict(spec.parameters))
    elif resume:
        raise ValueError("resume=True goes on from a checkpoint: say which, checkpoint=…")
    try:
        with workers_of(client, retries, worker_timeout) as workers:
            for note in workers.notes if progress is True else ():
                _print(note)
            opened = _opened(workers, data, y, sample_weight, shards, reading, features, in_memory, spec)
            run(job, opened, workers, held_out)
    except BaseException as error:
        if job.mixed is not None:
            _adopt(estimator, job)
        elif not (job.saved and isinstance(error, ClusterError)):
            raise
        if not isinstance(error, (ClusterError, ValueError, OSError)):
            raise
        if isinstance(error, DataError):
            error.at(remedy="; ".join(filter(None, (error.remedy, _kept(job)))))
            raise
        raise worded(error, f"{error}; {_kept(job)}") from error
    _adopt(estimator, job)
    return estimator


def _print(line: object) -> None:
    print(line, file=sys.stderr, flush=True)


def _opened(
    workers: Workers, data: Any, y: Any, weight: Any, shards: int | None, reading: Any, features: Any, in_memory: Any,
    spec: Spec,
) -> Data:  # fmt: skip
    if spec.space.name == "sequence":
        for name, value in (("sample_weight", weight), ("features", features)):
            if value is not None:
                raise ValueError(f"a tagger takes no {name}=…: leave it out")
        if in_memory is False:
            raise ValueError("sentences are held in the workers' memory: leave in_memory=False out, or use more shards")
        return SentenceData(workers, data, y, shards, spec, reading)
    regression = spec.epsilon is not None
    if are_files(data):
        if y is not None or weight is not None:
            raise ValueError("files hold their labels and weights: name the columns in reading={'columns': …}")
        make = default_features(**{"supervised": not regression, **(features or {})})
        return files_of(workers, data, shards, reading=reading, make_features=make, in_memory=in_memory)
    if bags.is_bag(data):
        return bags.Bag(workers, data, shards, (features or {}).get("text"), regression)
    return Rows(workers, data, y, weight, shards, regression)


def _adopt(estimator: Any, job: Job) -> None:
    """Let the estimator be what the run has come to."""
    assert job.mixed is not None
    extras = None if job.features is None else {job.section_name: job.features}
    estimator.adopt(job.mixed.plain(), job.known, job.names, extras, distributed_=job.history)


def _kept(job: Job) -> str:
    """Where the last complete pass is."""
    if job.saved and job.checkpoint is not None:
        path = os.fspath(job.checkpoint.path)
        return f"pass {job.saved}, the last complete one, is in {path}, and resume=True goes on from there"
    assert job.mixed is not None
    return f"the estimator holds pass {job.mixed.n_iter}, the last complete one (a checkpoint=… could go on from there)"
