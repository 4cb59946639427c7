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
    from .text.analysis import whole_number
    from .tuning.grids import check_grid
    from .tuning.halving import budget_of
    from .tuning.metrics import check_metric

    whole_number("seed", seed, 0)
    budget_of(str(budget))
    check_grid(grid)
    check_metric(metric)
    if isinstance(y, str):
        raise TypeError(f"y has a label for each row; name the column that holds them by label={y!r}")
    if y is not None:
        if options or output is not None:
            what = next(iter(options), "output")
            raise TypeError(f"{what} is an option for files and frames; with arrays, save the estimator that was found")
        return _tune_arrays(data, y, str(budget), metric, grid, seed)
    from .cli import tune as command
    from .errors import DataError
    from .estimators.files import load

    with tempfile.TemporaryDirectory() as folder:
        path = _path(output) if output is not None else os.path.join(folder, "tuned.model")
        rows = os.path.join(folder, "rows.arrow")
        words = [*_files(data, rows), "-o", path, "--budget", str(budget), "--grid", grid, "--seed", str(seed), "-q"]
        words += ["--metric", metric] if metric is not None else []
        try:
            record = command.run_quietly([*words, *_words(options)])
        except DataError as error:
            raise error.at(file="data") if error.file == rows else error from None
        except ValueError as error:
            raise ValueError(str(error).replace(rows, "data")) if rows in str(error) else error from None
        for given, shown in ((rows, "rows.arrow"), (path, "tuned.model")):
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
    from .core import engine
    from .core.spec import Spec
    from .data import Block
    from .data.csr import Csr
    from .data.numbered import Density
    from .tuning import grids
    from .tuning.halving import Halving, as_record, budget_of, refuse
    from .tuning.judging import Candidate, Judge
    from .tuning.metrics import metric_of
    from .tuning.sample import Sample

    targets = _labels(X, y)
    regression = targets.dtype.kind == "f" and bool(np.any(targets[np.isfinite(targets)] % 1))
    kinds = estimators.PassiveAggressiveRegressor if regression else estimators.AveragedPerceptron
    checked, _, codes, _, classes = kinds()._examples(X, targets, None)  # as fit checks them
    if classes is not None and len(classes) == len(targets):
        raise ValueError(f"each of the {len(targets)} rows has a label of its own, which no other row can tell")
    how, measure = budget_of(budget), metric_of(metric, None if classes is None else len(classes))
    rows = checked if engine.is_sparse(checked) else Csr.of_dense(np.asarray(checked, np.float64))
    csr = Csr(rows.indptr, rows.indices, np.asarray(rows.data, np.float64), rows.shape[1])
    order = np.random.default_rng(seed).permutation(len(targets))[: how.rows(len(targets))]
    block = Block(None, order, (), csr.taken(order))
    candidates = []
    sparse = engine.is_sparse(X) and not Density.of([block], hashed=False).is_dense
    kind = "regression" if regression else "sparse" if sparse else "numbers"
    for options in grids.configurations(kind, grid, {}, {}, {"norm": None}, how.candidates):  # rows are as they are
        named = ALGORITHMS[options["algorithm"]]
        parameters = {**named.preset, **{name: value for name, value in options.items() if name != "algorithm"}}
        parameters |= {"random_state": seed}
        candidates.append(Candidate(options, None, Spec.of(named.estimator, parameters)))
    refuse(candidates, how, len(order))
    search = Halving(Judge(Sample(block, codes[order], classes), measure, how.passes), candidates, how.rungs, how.cuts)
    search.run()
    best = search.best
    spec = best.candidate.spec
    chosen = {name: value for name, value in best.candidate.options.items() if name != "algorithm"}
    kept = {**ALGORITHMS[best.candidate.options["algorithm"]].preset, **chosen, "random_state": seed}
    estimator = getattr(estimators, spec.algorithm)(**kept, max_iter=best.passes).fit(X, targets)
    record = as_record(search, budget, repr(estimator))
    return _tuned(estimator, record, {"tuning": record})


def _labels(X: Any, y: Any) -> Any:
    """The labels of rows, as many as these; refuses texts in the place of rows."""
    import numpy as np

    from .core import engine

    targets = np.asarray(y)
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if not engine.is_sparse(X) and (cells := np.asarray(X)).dtype.kind in "USO":
        try:
            cells.astype(np.float64)
        except (TypeError, ValueError):
            problem = "with y, data must be numbers; give texts in a frame, with their labels in a column"
            raise ValueError(problem) from None
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if targets.ndim != 1:
        raise ValueError(f"there are {n} rows, and y is no list of labels: it has {targets.ndim} dimensions")
    if n != len(targets):
        raise ValueError(f"there are {n} rows and {len(targets)} labels; give one for each")
    return targets


def _path(name: str | os.PathLike[str]) -> str:
    """The name of a file as it is typed: one that begins with a dash would be an option."""
    typed = os.fspath(name)
    return os.path.join(".", typed) if typed.startswith("-") and typed != "-" else typed


def _files(data: Any, rows: str) -> list[str]:
    """Files that hold the data; a frame is written to the file ``rows``."""
    if isinstance(data, (str, os.PathLike)):
        return [_path(data)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        return [_path(one) for one in data]
    import pyarrow as pa
    from pyarrow import feather

    if hasattr(data, "iloc"):
        data = _table_of_pandas(data)
    elif hasattr(data, "to_arrow"):
        data = data.to_arrow()
    elif isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if not isinstance(data, pa.Table):
        raise TypeError(f"data must be files or a frame, or with y an array; got {type(data).__name__}")
    feather.write_feather(data, rows, compression="uncompressed")
    return [rows]


def _table_of_pandas(frame: Any) -> Any:
    """A frame of pandas as an Arrow table; refuses a column of what Arrow has not."""
    import pyarrow as pa

    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except pa.ArrowException:
        for name in frame.columns:
            try:
                pa.Array.from_pandas(frame[name])
            except pa.ArrowException as error:
                problem = f"data: column {name!r} cannot be read as an Arrow column ({error.args[0]})"
                raise ValueError(f"{problem}; make it text or numbers, or leave it out") from None
        raise


def _words(options: Mapping[str, Any]) -> Sequence[str]:
    """Options of the command as they are typed."""
    from .cli.tune import option_strings
    from .data.columns import nearest

    words: list[str] = []
    known = option_strings() - {"--help"}
    for name, value in options.items():
        flag = "-C" if name == "C" else f"--{name.replace('_', '-')}"
        if flag not in known and f"--no-{flag[2:]}" not in known:
            near = nearest(name, [one.lstrip("-").replace("-", "_") for one in known])
            raise TypeError(f"{name} is no option of tune in Python{near}")
        if name == "zero_based" and isinstance(value, bool):
            words += [flag, "yes" if value else "no"]
        elif isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif value is not None:
            typed = _typed(name, value)
            words += [f"{flag}={typed}"] if typed.startswith("-") else [flag, typed]
    return words


def _typed(name: str, value: Any) -> str:
    """A value of an option as it is typed."""
    if isinstance(value, Mapping):
        return ",".join(f"{key}={number}" for key, number in value.items())
    if isinstance(value, (list, tuple)):
        return ("-" if name == "characters" else ",").join(map(str, value))
    return str(value)
