"""The data that are measured on: a random linear rule with some noise, or MNIST where it is there.

Rows closer to the rule's boundary than 0.3 standard deviations are left out and 2 % of the labels are flipped, so that
a perceptron errs on some 6 to 9 % of the rows in every pass after the first, and no pass can be the last.
"""

from __future__ import annotations

import csv
import functools
import gzip
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import Missing
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

Array = NDArray[Any]

GAP, NOISE = 0.3, 0.02
ZIPF_SHIFT = 20  # P(column of rank r) ∝ 1/(r + 20): the commonest of 50,000 is in 1 row of 4


class Examples(NamedTuple):
    """Rows and their labels, and what they are."""

    X: Any
    y: Array
    what: str


def folder() -> Path:
    """Where the real data lie, if anywhere."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ROSENBLATT_DATA", beside))


def zipf(rng: np.random.Generator, n_rows: int, n_columns: int, mean_length: float) -> tuple[Array, Array]:
    """Columns of each row, ascending and distinct, as (starts, columns); lengths vary by half around the mean."""
    mean_draws = 1.03 * mean_length  # what is drawn twice counts once
    draws = rng.integers(int(0.5 * mean_draws), int(1.5 * mean_draws) + 1, n_rows)
    span = (n_columns + ZIPF_SHIFT) / ZIPF_SHIFT
    uniform = rng.random((n_rows, int(draws.max())), dtype=np.float32)
    ranks = (ZIPF_SHIFT * span**uniform - ZIPF_SHIFT).astype(np.int32)
    place = rng.permutation(n_columns).astype(np.int32)  # common words stand anywhere in a vocabulary
    columns = place[np.clip(ranks, 0, n_columns - 1)]
    columns[np.arange(columns.shape[1]) >= draws[:, None]] = n_columns
    columns.sort(axis=1)
    kept = columns < n_columns
    kept[:, 1:] &= columns[:, 1:] != columns[:, :-1]
    starts = np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.int32)
    return starts, columns[kept]


def oversampled(n_rows: int) -> int:
    """How many rows to draw so that n_rows remain beyond the gap (76 % of normal scores do)."""
    return int(1.4 * n_rows) + 100


def labelled(X: Any, scores: Array, rng: np.random.Generator, n_rows: int) -> tuple[Any, Array]:
    """n_rows of X that lie beyond the gap, with the label of their side, a few flipped."""
    scores = (scores - np.median(scores)) / np.std(scores)
    rows = np.flatnonzero(np.abs(scores) > GAP)[:n_rows]
    assert len(rows) == n_rows, "too few rows were drawn"
    flip = rng.random(n_rows) < NOISE
    return X[rows], ((scores[rows] > 0) ^ flip).astype(np.int64)


@functools.lru_cache(2)
def csr(n: int = 400_000, d: int = 50_000, length: int = 48) -> Examples:
    """Canonical CSR of float32 with some ``length`` entries a row, columns by Zipf's law."""
    rng = np.random.default_rng(1)
    starts, columns = zipf(rng, oversampled(n), d, length)
    values = rng.random(len(columns), dtype=np.float32) + np.float32(0.5)
    X = sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, d))
    X, y = labelled(X, X @ rng.standard_normal(d).astype(np.float32), rng, n)
    assert X.has_canonical_format
    assert X.dtype == np.float32
    return Examples(X, y, f"CSR {n:,} × {d:,}, {X.nnz / n:.0f} a row, float32")


@functools.lru_cache(2)
def dense(n: int = 100_000, d: int = 784) -> Examples:
    """Normal numbers, float32."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((oversampled(n), d), dtype=np.float32)
    X, y = labelled(X, X @ rng.standard_normal(d).astype(np.float32), rng, n)
    assert X.flags.c_contiguous
    return Examples(X, y, f"dense {n:,} × {d}, float32")


@functools.lru_cache(2)
def many_classes(n: int, d: int, k: int) -> Examples:
    """Sparse rows of k classes, whose centres differ in ten columns each; a tenth of the labels is wrong."""
    rng = np.random.default_rng(6)
    starts, columns = zipf(rng, n, d, 40)
    y = rng.integers(k, size=n)
    X = sparse.csr_matrix((np.ones(len(columns), np.float32), columns, starts), shape=(n, d))
    own = rng.integers(d, size=(k, 10))
    marks = sparse.csr_matrix((np.ones(10 * n, np.float32), own[y].ravel(), np.arange(0, 10 * n + 1, 10)), shape=(n, d))
    X = sparse.csr_matrix(X + marks)
    X.sum_duplicates()
    wrong = rng.random(n) < 0.1
    y[wrong] = rng.integers(k, size=int(wrong.sum()))
    return Examples(X, y, f"CSR {n:,} × {d:,}, {X.nnz / n:.0f} a row, {k:,} classes, float32")


def _idx(path: Path) -> Array:
    """An array in the idx format of MNIST: two zero bytes, type 8 (byte), the number of axes, their lengths."""
    with gzip.open(path) as file:
        content = file.read()
    axes = content[3]
    shape = np.frombuffer(content, ">i4", axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


@functools.lru_cache(1)
def digits() -> Examples:
    """MNIST scaled to [0, 1], float32; where it is absent, synthetic rows of the same shape and sparsity."""
    n, d = 60_000, 784
    images = folder() / "mnist" / "train-images-idx3-ubyte.gz"
    if images.exists():
        X = _idx(images)[:n].reshape(n, d).astype(np.float32)
        X /= 255
        y = _idx(images.with_name("train-labels-idx1-ubyte.gz"))[:n].astype(np.int64)
        return Examples(X, y, f"MNIST, ten classes, dense {n:,} × {d}, float32")
    rng = np.random.default_rng(3)
    X = rng.random((2 * n, d), dtype=np.float32)
    X[X < 0.81] = 0  # 19 % of MNIST's pixels are not 0
    scores = (X - X.mean(axis=0)) @ rng.standard_normal((d, 10)).astype(np.float32)
    second, first = np.partition(scores, 8, axis=1)[:, 8:].T
    rows = np.argsort(second - first)[:n]  # the half where the best class wins most clearly
    rng.shuffle(rows)
    X, y = X[rows], np.argmax(scores[rows], axis=1)
    flip = rng.random(n) < NOISE
    y[flip] = rng.integers(10, size=int(flip.sum()))
    return Examples(X, y.astype(np.int64), f"synthetic for MNIST, dense {n:,} × {d}, float32")


def source(*parts: str) -> Path:
    """A file of the real data, which has to be there."""
    path = folder().joinpath(*parts)
    if not path.exists():
        raise Missing(f"{'/'.join(parts)} is not in the folder of the data sets (ROSENBLATT_DATA)")
    return path


@functools.lru_cache(4)
def texts(name: str, part: str) -> tuple[list[str], Array]:
    """The texts and labels of imdb or 20news, ``train`` or ``test``."""
    csv.field_size_limit(sys.maxsize)
    with gzip.open(source(name, f"{part}.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], np.array([row["label"] for row in rows])


def unpacked(into: Path, *parts: str) -> Path:
    """A file of the real data as it is before gzip, written once."""
    path = into / "-".join(parts).removesuffix(".gz")
    if not path.exists():
        path.write_bytes(gzip.decompress(source(*parts).read_bytes()))
    return path


def a9a() -> tuple[Any, Array, Any, Array]:
    """Census income: 123 columns of 0 and 1, CSR."""
    parts = [load_svmlight_file(source("a9a", f"a9a{end}.gz"), n_features=123, dtype=np.float32) for end in ("", ".t")]
    for X, _ in parts:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # LIBLINEAR takes no others
    return parts[0][0], parts[0][1], parts[1][0], parts[1][1]


def covtype() -> tuple[Array, Array, Array, Array]:
    """Forest cover, every fifth row (after one shuffle, seed 0) held out, the ten measured columns standardised."""
    table = np.loadtxt(source("covtype", "covtype.csv.gz"), np.float32, delimiter=",", skiprows=1)
    table = table[np.random.default_rng(0).permutation(len(table))]
    X, y = np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64)
    held_out = np.arange(len(y)) % 5 == 0
    mean, deviation = X[~held_out, :10].mean(axis=0), X[~held_out, :10].std(axis=0)
    X[:, :10] = (X[:, :10] - mean) / deviation
    return X[~held_out], y[~held_out], X[held_out], y[held_out]


def mnist() -> tuple[Array, Array, Array, Array]:
    """MNIST as pixels 0 to 255 in float32, with its test set; needs the real data."""
    parts = []
    for part in ("train", "t10k"):
        parts.append(_idx(source("mnist", f"{part}-images-idx3-ubyte.gz")).reshape(-1, 784).astype(np.float32))
        parts.append(_idx(source("mnist", f"{part}-labels-idx1-ubyte.gz")).astype(np.int64))
    return parts[0], parts[1], parts[2], parts[3]


def narrow(n: int = 4_000, d: int = 100) -> Examples:
    """A few thousand rows of 100 normal numbers, float64."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((oversampled(n), d))
    X, y = labelled(X, X @ rng.standard_normal(d), rng, n)
    return Examples(X, y, f"{n:,} rows, dense, {d} features, float64")


def named(n: int = 4_000, d: int = 5_000) -> tuple[list[dict[str, float]], list[bool], str]:
    """A few thousand dicts of some 50 features each out of 5,000 names, and their labels."""
    rng = np.random.default_rng(5)
    starts, columns = zipf(rng, oversampled(n), d, 50)
    values = rng.random(len(columns)) + 0.5
    X = sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, d))
    common = np.bincount(columns, minlength=d) / len(columns)  # or one pass would be too short to learn the rule
    X, y = labelled(X, X @ (common * rng.standard_normal(d)), rng, n)
    names = [f"word{j}" for j in range(d)]
    rows = [
        {names[j]: value for j, value in zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)}
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]
    return rows, [bool(label) for label in y], f"{n:,} dicts of {X.nnz / n:.0f} features, {d:,} names"
