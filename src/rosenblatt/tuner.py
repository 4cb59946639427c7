"""`rb.tune`: the best features and learner for data, found on its own rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .tables import Table


@dataclass
class Tuned:
    """What `tune` found.

    Attributes
    ----------
    estimator : estimator
        The model, trained on all rows; of a file or a frame it takes such frames, as `rb.load` says.
    options : dict
        What was chosen, by the names of the command's options.
    value : float
        How it did in the search, by ``metric``, on rows that it had not learned from.
    metric : str
        What was to be best.
    tried : list of dict
        What was tried, the best first: ``options``, ``passes``, ``value``, and how many rows were learned from and
        judged.
    command : str
        The command that trains the same model.
    record : dict
        All that the command says of its training.
    """

    estimator: Any
    options: dict[str, Any]
    value: float
    metric: str
    tried: list[dict[str, Any]] = field(repr=False)
    command: str
    record: dict[str, Any] = field(repr=False)

    def table(self) -> Table:
        """What was tried, as a table."""
        from .cli.tune import table_of

        return table_of(self.record["tuning"])

    def __str__(self) -> str:
        return f"{self.table()}\n{self.command}"


def tune(
    data: Any,
    y: Any = None,
    *,
    budget: str | int = "small",
    metric: str | None = None,
    grid: str = "all",
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    **options: Any,
) -> Tuned:
    """Find the features and the learner that do best, and train with them.

    Configurations are compared on rows that they have not learned from, and the worse half is dropped again and again,
    on more and more rows. Order and seeds are fixed: a second run gives the same bits.

    Parameters
    ----------
    data : path, list of paths, frame, or array
        Files as `rosenblatt tune` reads them; a pandas, polars or Arrow table with a column of labels; or, with ``y``,
        an array or sparse matrix.
    y : array, default=None
        Labels, where ``data`` has none.
    budget : {"small", "medium", "large"} or int, default="small"
        How much to try; a number of configurations.
    metric : {"accuracy", "f1", "auc", "mae"}, default=None
        What is to be best; None: accuracy, or of numbers the mean absolute error.
    grid : {"all", "features", "learners"}, default="all"
        What to vary.
    output : path, default=None
        A model file to write; None: none is kept.
    seed : int, default=0
        Seed of all random choices.
    **options
        Options of the command, such as ``label="sentiment"``, ``C=0.1`` or ``held_out="test.csv"``; they are kept as
        they are.

    Returns
    -------
    Tuned
        The model, what was chosen, what was tried, and the command that trains the same.

    Examples
    --------
    >>> found = rb.tune("reviews.csv", budget="medium")                                              # doctest: +SKIP
    >>> print(found)                                                                                 # doctest: +SKIP
    """
    if y is not None:
        if options or output is not None:
            what = next(iter(options), "output")
            raise TypeError(f"{what} is an option for files and frames; with arrays, save the estimator that was found")
        return _tune_arrays(data, y, str(budget), metric, grid, seed)
    from .cli import tune as command
    from .estimators.files import load

    with tempfile.TemporaryDirectory() as folder:
        path = os.fspath(output) if output is not None else os.path.join(folder, "tuned.model")
        words = [*_files(data, folder), "-o", path, "--budget", str(budget), "--grid", grid, "--seed", str(seed), "-q"]
        words += ["--metric", metric] if metric is not None else []
        record = command.run_quietly([*words, *_words(options)])
        for given, shown in ((os.path.join(folder, "rows.arrow"), "rows.arrow"), (path, "tuned.model")):
            if output is None or given != path:  # which is gone when this returns
                record["tuning"]["command"] = record["tuning"]["command"].replace(given, shown)
        return _tuned(load(path), record["tuning"], record)


def _tuned(estimator: Any, search: dict[str, Any], record: dict[str, Any]) -> Tuned:
    best = search["tried"][search["chosen"]]
    chosen = {**best["options"], "passes": best["passes"]}
    return Tuned(estimator, chosen, best["value"], search["metric"], search["tried"], search["command"], record)


def _tune_arrays(X: Any, y: Any, budget: str, metric: str | None, grid: str, seed: int) -> Tuned:
    """The best learner of rows as they are."""
    import numpy as np

    from . import estimators
    from .cli.algorithms import ALGORITHMS
    from .core import engine, labels
    from .core.spec import Spec
    from .data import Block
    from .data.csr import Csr
    from .data.numbered import Density
    from .tuning import grids
    from .tuning.halving import Halving, as_record, budget_of, refuse
    from .tuning.judging import Candidate, Judge
    from .tuning.metrics import metric_of
    from .tuning.sample import Sample

    targets = np.asarray(y)
    regression = targets.dtype.kind == "f" and bool(np.any(targets != np.round(targets)))
    classes = None if regression else labels.classes_of(targets)
    how, measure = budget_of(budget), metric_of(metric, None if classes is None else len(classes))
    try:
        rows = X.tocsr() if engine.is_sparse(X) else Csr.of_dense(np.asarray(X, np.float64))
    except (TypeError, ValueError):
        raise ValueError("with y, data must be numbers; give texts in a frame, with their labels in a column") from None
    csr = Csr(rows.indptr, rows.indices, np.asarray(rows.data, np.float64), rows.shape[1])
    if csr.shape[0] != len(targets):
        raise ValueError(f"there are {csr.shape[0]} rows and {len(targets)} labels; give one for each")
    order = np.random.default_rng(seed).permutation(len(targets))[: how.rows(len(targets))]
    block = Block(None, order, (), csr.taken(order))
    codes = targets.astype(np.float64) if classes is None else labels.encode(targets, classes)
    candidates = []
    sparse = engine.is_sparse(X) and not Density.of([block], hashed=False).is_dense
    kind = "regression" if regression else "sparse" if sparse else "numbers"
    for options in grids.configurations(kind, grid, {}, {}, {"norm": None}, how.candidates):  # rows are as they are
        named = ALGORITHMS[options["algorithm"]]
        parameters = {**named.preset, **{name: value for name, value in options.items() if name != "algorithm"}}
        parameters |= {"random_state": seed}
        candidates.append(Candidate(options, None, Spec.of(named.estimator, parameters)))
    refuse(candidates, how, len(order))
    search = Halving(Judge(Sample(block, codes[order], classes), measure, how.passes), candidates, how.rungs, how.folds)
    search.run()
    best = search.best
    spec = best.candidate.spec
    chosen = {name: value for name, value in best.candidate.options.items() if name != "algorithm"}
    kept = {**ALGORITHMS[best.candidate.options["algorithm"]].preset, **chosen, "random_state": seed}
    estimator = getattr(estimators, spec.algorithm)(**kept, max_iter=best.passes).fit(X, y)
    record = as_record(search, budget, repr(estimator))
    return _tuned(estimator, record, {"tuning": record})


def _files(data: Any, folder: str) -> list[str]:
    """Files that hold the data."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        return [os.fspath(one) for one in data]
    import pyarrow as pa
    from pyarrow import feather

    if hasattr(data, "iloc"):
        data = pa.Table.from_pandas(data, preserve_index=False)
    elif hasattr(data, "to_arrow"):
        data = data.to_arrow()
    if not isinstance(data, pa.Table):
        raise TypeError(f"data must be files or a frame, or with y an array; got {type(data).__name__}")
    path = os.path.join(folder, "rows.arrow")
    feather.write_feather(data, path, compression="uncompressed")
    return [path]


def _words(options: Mapping[str, Any]) -> Sequence[str]:
    """Options of the command as they are typed."""
    words: list[str] = []
    for name, value in options.items():
        flag = "-C" if name == "C" else f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, tuple):
            words += [flag, "-".join(map(str, value))]
        elif isinstance(value, list):
            words += [flag, ",".join(map(str, value))]
        elif value is not None:
            words += [flag, str(value)]
    return words
