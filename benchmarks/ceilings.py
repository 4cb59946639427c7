"""What the machine can do at most, measured in the same run, and each kernel's share of the ceiling that binds it.

A pass is timed as the difference of a fit of six passes and one of one pass, divided by five, so that checking the
input does not count. All on one thread.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import datasets
import files
import numpy as np
import passes
from harness import Row, Setting, Work, middle, race, row

import rosenblatt as rb

QUESTION = "ceilings"
COPIED = 256 << 20
GATHERS = 1 << 22
WEIGHTS = {50_000: "the weights of `sparse`", 1 << 20: "2²⁰ weights", 1 << 22: "2²² weights, as of hashed text"}


@functools.cache
def copied(repeats: int) -> list[float]:
    """Bytes per second read and written by one copy."""
    one, other = np.ones(COPIED // 8), np.empty(COPIED // 8)
    taken = race(QUESTION, "", "", lambda _: np.copyto(other, one), None, None, 3 * repeats, warm=True)["ours"]
    return [2 * COPIED / seconds for seconds in taken]


@functools.cache
def gathered(size: int, repeats: int) -> list[float]:
    """Numbers per second, gathered at random places from an array of so many float32."""
    places = np.random.default_rng(0).integers(size, size=GATHERS)  # of the type that take wants: nothing is converted
    weights, out = np.ones(size, np.float32), np.empty(GATHERS, np.float32)
    run = functools.partial(np.take, weights, places, out=out, mode="clip")
    return [
        GATHERS / seconds
        for seconds in race(QUESTION, "", "", lambda _: run(), None, None, 3 * repeats, warm=True)["ours"]
    ]


def machine(setting: Setting) -> Iterator[Row]:
    yield row(QUESTION, "copy", f"copy of {COPIED >> 20} MB, bytes read and written", unit="GB/s",
              ours=[rate / 1e9 for rate in copied(setting.repeats)], ours_name="np.copyto")  # fmt: skip
    for size, what in WEIGHTS.items():
        yield row(QUESTION, f"gather-{size}", f"float32 at random places out of {size:,} ({what})", unit="G/s",
                  ours=[rate / 1e9 for rate in gathered(size, setting.repeats)], ours_name="np.take")  # fmt: skip
    path = setting.folder / "large"
    path.write_bytes(bytes(COPIED))
    buffer = bytearray(8 << 20)

    def read(_: int) -> int:
        total = 0
        with path.open("rb", buffering=0) as file:
            while n := file.readinto(buffer):
                total += n
        return total

    raced = race(QUESTION, "", "", read, None, lambda one, _: str(one), setting.repeats, warm=True)
    path.unlink()
    yield row(QUESTION, "read", f"file of {COPIED >> 20} MB in the page cache, by 8 MB", unit="GB/s",
              ours=[COPIED / 1e9 / taken for taken in raced["ours"]], ours_name="readinto")  # fmt: skip


def per_pass(kind: Callable[..., Any], X: Any, y: Any, repeats: int) -> tuple[list[float], float]:
    """Seconds of one pass, and the share of the rows that it takes a step on."""

    def fit(n: int, seed: int) -> Any:
        return kind(tol=None, max_iter=n, random_state=seed).fit(X, y)

    def steps(six: Any, one: Any) -> str:
        return str((six.n_updates_ - one.n_updates_) / 5 / len(y))

    both = race(QUESTION, "", "", lambda seed: fit(6, seed), lambda seed: fit(1, seed), steps, repeats, warm=True)
    taken = [(six - one) / 5 for six, one in zip(both["ours"], both["peer"], strict=True)]
    return taken, float(both["learned"])


def share(name: str, what: str, taken: list[float], bounds: dict[str, float], **more: Any) -> Row:
    """The least time that each ceiling allows; the longest binds."""
    binding = max(bounds, key=lambda key: bounds[key])
    return row(
        QUESTION, f"share-{name}", what, ours=taken, peer=[bounds[binding]], ours_name="measured",
        peer_name=f"least time: {binding}", ratios=[bounds[binding] / one for one in taken],
        more={"bounds": bounds}, **more,
    )  # fmt: skip


def product(X: Any, k: int, repeats: int) -> float:
    """Seconds of all scores of a pass by one matrix product of the BLAS."""
    W, out = np.ones((X.shape[1], k), X.dtype), np.empty((len(X), k), X.dtype)
    return middle(race(QUESTION, "", "", lambda _: np.matmul(X, W, out=out), None, None, repeats, warm=True)["ours"])[1]


def kernels(setting: Setting) -> Iterator[Row]:
    repeats = setting.repeats
    bandwidth = middle(copied(repeats))[1]

    X, y, what = datasets.csr()
    gather = middle(gathered(50_000, repeats))[1]
    for name, kind in {"sparse": rb.Perceptron, **{key: passes.OURS[key] for key in ("averaged", "pa1")}}.items():
        taken, moved = per_pass(kind, X, y, repeats)
        bounds = {
            "8 bytes an entry and 20 a row, at the copy's rate": (8 * X.nnz + 20 * len(y)) / bandwidth,
            "a weight an entry scored, and one an entry moved, at the gather rate": (1 + moved) * X.nnz / gather,
        }
        yield share(
            name,
            f"a pass, {name}, {what}",
            taken,
            bounds,
            reach=0.5,
            note=f"it takes a step on {moved:.0%} of the rows",
        )

    for name, data, k in (("dense", datasets.dense(), 1), ("classes", datasets.digits(), 10)):
        X, y, what = data
        bounds = {
            "4 bytes a number, at the copy's rate": X.nbytes / bandwidth,
            "all scores by one matrix product": product(X, k, repeats),
        }
        yield share(name, f"a pass, {name}, {what}", per_pass(rb.Perceptron, X, y, repeats)[0], bounds, reach=0.5)


def readers(setting: Setting) -> Iterator[Row]:
    bandwidth = middle(copied(setting.repeats))[1]
    texts, _ = datasets.texts("imdb", "train")
    texts = texts[:8_000]
    size = sum(len(one.encode()) for one in texts)
    encode = rb.text.HashedText(n_jobs=1)
    raced = race(
        QUESTION,
        "",
        "",
        lambda _: encode.transform(texts),
        None,
        lambda one, _: str(one.nnz),
        setting.repeats,
        warm=True,
    )
    entries, taken = int(raced["learned"]), middle(raced["ours"])[1]
    yield share(
        "encode", f"HashedText.transform, {len(texts):,} reviews, {size / 1e6:.0f} MB, one thread", raced["ours"],
        {"the text read and 8 bytes an entry written, at the copy's rate": (size + 8 * entries) / bandwidth},
        note=f"{size / 1e6 / taken:.0f} MB of text and {entries / 1e6 / taken:.1f} million entries a second: hashing "
        "and counting, not memory, bind it",
    )  # fmt: skip
    for name, make in (("parse-a9a", files.a9a), ("parse-reals", files.reals)):
        path, what = make(setting.folder)
        size = path.stat().st_size
        buffer = bytearray(size)

        def read(_: int, path: Any = path, buffer: bytearray = buffer) -> int:
            with path.open("rb", buffering=0) as file:
                return int(file.readinto(buffer))

        least = middle(race(QUESTION, "", "", read, None, None, setting.repeats, warm=True)["ours"])[1]
        times = race(
            QUESTION, "", "", lambda _, path=path: rb.data.read(str(path), n_threads=1), None, None, setting.repeats,
            warm=True,
        )["ours"]  # fmt: skip
        rate = size / 1e6 / middle(times)[1]
        yield share(
            name, f"data.read of svmlight, {what}, {size / 1e6:.0f} MB, one thread", times,
            {"the file read from the page cache": least},
            note=f"{rate:.0f} MB a second: cutting and converting numbers, not reading, binds it",
        )  # fmt: skip


WORKS = (
    Work("ceilings", QUESTION, machine),
    Work("shares", QUESTION, kernels),
    Work("shares-read", QUESTION, readers),
)
