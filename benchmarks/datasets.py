"""The data that are measured on: a random linear rule with some noise, or MNIST where it is there.

Rows closer to the rule's boundary than 0.3 standard deviations are left out and 2 % of the labels are flipped, so that
a perceptron errs on some 6 to 9 % of the rows in every pass after the first, and no pass can be the last.
"""

from __future__ import annotations

import functools
import gzip
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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


@functools.cache
def csr(quick: bool) -> Examples:
    """400,000 × 50,000 canonical CSR of float32 with some 48 entries a row, columns by Zipf's law."""
    n, d = (40_000 if quick else 400_000), 50_000
    rng = np.random.default_rng(1)
    starts, columns = zipf(rng, oversampled(n), d, 48)
    values = rng.random(len(columns), dtype=np.float32) + np.float32(0.5)
    X = sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, d))
    X, y = labelled(X, X @ rng.standard_normal(d).astype(np.float32), rng, n)
    assert X.has_canonical_format
    assert X.dtype == np.float32
    return Examples(X, y, f"CSR {n:,} x {d:,}, {X.nnz / n:.0f} a row, float32")


@functools.cache
def dense(quick: bool) -> Examples:
    """100,000 × 784 normal numbers, float32."""
    n, d = (10_000 if quick else 100_000), 784
    rng = np.random.default_rng(2)
    X = rng.standard_normal((oversampled(n), d), dtype=np.float32)
    X, y = labelled(X, X @ rng.standard_normal(d).astype(np.float32), rng, n)
    assert X.flags.c_contiguous
    return Examples(X, y, f"dense {n:,} x {d}, float32")


def _idx(path: Path) -> Array:
    """An array in the idx format of MNIST: two zero bytes, type 8 (byte), the number of axes, their lengths."""
    with gzip.open(path) as file:
        content = file.read()
    axes = content[3]
    shape = np.frombuffer(content, ">i4", axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


@functools.cache
def digits(quick: bool) -> Examples:
    """MNIST scaled to [0, 1], float32; where it is absent, synthetic rows of the same shape and sparsity."""
    n, d = (6_000 if quick else 60_000), 784
    images = folder() / "mnist" / "train-images-idx3-ubyte.gz"
    if images.exists():
        X = _idx(images)[:n].reshape(n, d).astype(np.float32)
        X /= 255
        y = _idx(images.with_name("train-labels-idx1-ubyte.gz"))[:n].astype(np.int64)
        return Examples(X, y, f"MNIST, dense {n:,} x {d}, float32")
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
    return Examples(X, y.astype(np.int64), f"synthetic for MNIST, dense {n:,} x {d}, float32")


def mnist() -> tuple[Array, Array, Array, Array]:
    """MNIST as pixels 0 to 255 in float32, with its test set; needs the real data."""
    parts = []
    for part in ("train", "t10k"):
        parts.append(_idx(folder() / "mnist" / f"{part}-images-idx3-ubyte.gz").reshape(-1, 784).astype(np.float32))
        parts.append(_idx(folder() / "mnist" / f"{part}-labels-idx1-ubyte.gz").astype(np.int64))
    return parts[0], parts[1], parts[2], parts[3]


def narrow(quick: bool) -> Examples:
    """A few thousand rows of 100 normal numbers, float64."""
    n, d = (1_000 if quick else 4_000), 100
    rng = np.random.default_rng(4)
    X = rng.standard_normal((oversampled(n), d))
    X, y = labelled(X, X @ rng.standard_normal(d), rng, n)
    return Examples(X, y, f"{n:,} rows, dense, {d} features, float64")


def named(quick: bool) -> tuple[list[dict[str, float]], list[bool], str]:
    """A few thousand dicts of some 50 features each out of 5,000 names, and their labels."""
    n, d = (1_000 if quick else 4_000), 5_000
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
