"""The whole command, process start to model on disk, against Vowpal Wabbit in the same run; and memory as files grow.

``python benchmarks/cli.py [--repeats 5] [--only text svmlight memory accuracy version]``

It needs imdb and a9a (``ROSENBLATT_DATA``, else ``../shared/data``) and ``pip install vowpalwabbit``, which is started
as a process too and reads its own text format, prepared beforehand. Both make one pass.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import datasets
import numpy as np

import rosenblatt as rb

WORKS = ("version", "text", "svmlight", "accuracy", "memory")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
WABBIT = "import sys; from vowpalwabbit import pyvw; pyvw.Workspace(' '.join(sys.argv[1:])).finish()"
WORD = re.compile(r"(?u)\b\w\w+\b")


def ours(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rosenblatt", *map(str, arguments)]


def wabbit(*arguments: object) -> list[str]:
    return [sys.executable, "-c", WABBIT, *map(str, arguments)]


def seconds(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def race(title: str, one: list[str], other: list[str], repeats: int, reach: float) -> None:
    """Both in turns, after one run of each that is not counted."""
    times = np.array([[seconds(one), seconds(other)] for _ in range(repeats + 1)][1:])
    low, middle, high = np.percentile(times[:, 1] / times[:, 0], (25, 50, 75))
    mine, theirs = np.median(times, axis=0)
    print(f"{title}: {mine:.2f} s, Vowpal Wabbit {theirs:.2f} s, {middle:.2f}× ({low:.2f}-{high:.2f}), reach {reach}×")


def reviews(folder: Path, part: str, times: int = 1) -> Path:
    """The reviews as CSV, and beside it in Vowpal Wabbit's format."""
    path = folder / f"{part}{times}.csv"
    whole = gzip.decompress((datasets.folder() / "imdb" / f"{part}.csv.gz").read_bytes())
    header, _, rows = whole.partition(b"\n")
    path.write_bytes(header + b"\n" + rows * times)
    with path.with_suffix(".vw").open("w", encoding="utf-8") as file:
        for block in rb.data.stream(path):
            for label, text in zip(block.labels.tolist(), block.table["text"].to_pylist()):
                file.write(f"{1 if label == 'pos' else -1} | {' '.join(WORD.findall(text.lower()))}\n")
    return path


def text(folder: Path, repeats: int) -> None:
    path = reviews(folder, "train", 4)
    options = ("--ngram", 2, "-b", 22, "--loss_function", "logistic", "--quiet", "-f", folder / "vw.model")
    race(
        "100,000 reviews from CSV, one pass", ours("train", path, "-o", folder / "m", "--passes", 1, "-q"),
        wabbit("-d", path.with_suffix(".vw"), *options), repeats, 1.0,
    )  # fmt: skip


def svmlight(folder: Path, repeats: int) -> None:
    rows = gzip.decompress((datasets.folder() / "a9a" / "a9a.gz").read_bytes()).strip() + b"\n"
    path = folder / "rows.svm"
    path.write_bytes(rows * 40)
    lines = [re.sub(rb"^\+?(-?1) ", rb"\1 | ", line) for line in rows.splitlines()]
    path.with_suffix(".vw").write_bytes((b"\n".join(lines) + b"\n") * 40)
    race(
        "1.3 million rows of svmlight, one pass", ours("train", path, "-o", folder / "m", "--passes", 1, "-q"),
        wabbit("-d", path.with_suffix(".vw"), "--quiet", "-f", folder / "vw.model"), repeats, 1.5,
    )  # fmt: skip


def accuracy(folder: Path, repeats: int) -> None:
    """The defaults on imdb."""
    train, test = reviews(folder, "train"), reviews(folder, "test")
    seconds(ours("train", train, "-o", folder / "m", "-q"))
    told = subprocess.run(ours("evaluate", folder / "m", test, "--json"), check=True, capture_output=True, text=True)
    options = ("--ngram", 2, "-b", 22, "--loss_function", "logistic", "--quiet")
    seconds(wabbit("-d", train.with_suffix(".vw"), *options, "-f", folder / "vw.model"))
    answers = folder / "answers"
    seconds(wabbit("-d", test.with_suffix(".vw"), "-t", "--quiet", "-i", folder / "vw.model", "-p", answers))
    truth = [line.startswith("1") for line in test.with_suffix(".vw").read_text(encoding="utf-8").splitlines()]
    theirs = np.mean((np.loadtxt(answers) > 0) == truth)
    print(f"imdb, test accuracy by the defaults: {json.loads(told.stdout)['accuracy']:.2%}, Vowpal Wabbit {theirs:.2%}")


def memory(folder: Path, repeats: int) -> None:
    """Peak memory of a file of 20 and of 80 blocks."""
    peaks = []
    for blocks in (20, 80):
        path = folder / "rows.csv"
        line = b"pos,a good film that I liked from its first minute to the last\nneg,a bad film of many words\n"
        path.write_bytes(b"label,text\n" + line * (1024 * blocks // 2))
        command = ours("train", path, "-o", folder / "m", "--stream", "--block-rows", 1024, "--passes", 2, "-q")
        code = f"import subprocess, resource; subprocess.run({command!r}, check=True); "
        code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        peaks.append(int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout))
    small, large = (peak / 1024 for peak in peaks)
    print(f"peak memory of 20 blocks {small:.0f} MB, of 80 blocks {large:.0f} MB: {large / small:.3f}×, reach 1.1×")


def version(folder: Path, repeats: int) -> None:
    times = [seconds(ours("--version")) for _ in range(repeats + 1)][1:]
    print(f"rosenblatt --version: {np.median(times):.3f} s, reach 0.25 s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=WORKS, default=WORKS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        for name in asked.only:
            globals()[name](Path(made), asked.repeats)
