"""What `rosenblatt tune` finds, beside the best of 30 configurations chosen on the very rows that judge.

``python benchmarks/tuned.py [--sets NAME ...] [--seeds N] [--workers N] [--json FILE]``

The configurations are the first 30 of the grid that `tune` searches: the default of the file, those that differ from it
in one thing, and others. Each is trained by its own `train` command on all training rows, one core each, and judged on
unseen rows; of several folds and seeds, by the mean over all of them. The best of them was chosen with these rows in
view, so some of its lead is luck: the less, the more seeds. A table of docs/how-to/tune.md is of this.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from models_of_files import SETS, DataSet, Fold
from processes import ENVIRONMENT, available_cores, done, ours

CONFIGURATIONS = 30
BUDGETS = ("small", "large")


def accuracy(arguments: list[object], fold: Fold, seed: int, folder: Path) -> float:
    """That of a command that trains, on unseen rows."""
    command, *options = (*arguments, "--seed", seed)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        words = ours(command, fold[0], "-o", Path(scratch) / "model", "--held-out", fold[1], "--json", *options)
        return float(json.loads(done(words))["held_out"]["accuracy"])


def configurations(train: Path, folder: Path) -> list[str]:
    """The options of the first configurations of a file's grid, as `tune` with such a budget lists what it tried."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        words = ("tune", train, "-o", Path(scratch) / "model", "--budget", CONFIGURATIONS, "--json")
        tried = json.loads(done(ours(*words)))["tuning"]["tried"]
    return [" ".join(spelled(name, value) for name, value in trial["options"].items()) for trial in tried]


def spelled(name: str, value: Any) -> str:
    from rosenblatt.cli.parameters import written

    return written(name, tuple(value) if isinstance(value, list) else value)


def measured(data: DataSet, seeds: int, folder: Path, pool: ThreadPoolExecutor) -> dict[str, Any]:
    """Accuracies of a data set, over so many seeds: of each configuration, of `train`, of `tune` with each budget."""
    folds = data.folds(folder)
    options = configurations(folds[0][0], folder)  # of the first fold, the same for all
    ways: dict[str, list[object]] = {words: ["train", *shlex.split(words)] for words in options}
    ways |= {"train": ["train"], **{f"tune {budget}": ["tune", "--budget", budget] for budget in BUDGETS}}
    each = list(itertools.product(folds, range(seeds)))
    runs = {name: [pool.submit(accuracy, way, *one, folder) for one in each] for name, way in ways.items()}
    found = {name: sum(run.result() for run in own) / len(own) for name, own in runs.items()}
    best = max(options, key=found.__getitem__)
    return {"data": data.name, "best": best, "accuracy": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", metavar="NAME", choices=[data.name for data in SETS])
    parser.add_argument("--seeds", type=int, default=1, help="each command runs so often (1)")
    parser.add_argument("--workers", type=int, default=available_cores(), help="processes at a time (all cores)")
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    options = parser.parse_args()
    ENVIRONMENT["OMP_NUM_THREADS"] = "1"
    rows = []
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(options.workers) as pool:
        for data in SETS:
            if options.sets and data.name not in options.sets:
                continue
            row = measured(data, options.seeds, Path(made), pool)
            rows.append(row)
            shown = {"best of 30": row["best"], "train": "train", **{name: f"tune {name}" for name in BUDGETS}}
            values = ", ".join(f"{name} {100 * row['accuracy'][key]:.2f}" for name, key in shown.items())
            print(f"{data.name}: {values} (best: {row['best']})", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
