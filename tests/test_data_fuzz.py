"""Any bytes either read or raise the one error, in Python; the corpus of the native fuzzer runs here too."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb

FUZZ = Path(__file__).parent / "fuzz"
CORPUS = sorted((FUZZ / "corpus").iterdir())
FORMATS = ("svmlight", "vw", "csv", "jsonl")
SEEDS = [path.read_bytes() for path in CORPUS]


def read(text, format, **settings):
    """The rows, or the refusal in one line."""
    try:
        return rb.data.read(io.BytesIO(text), format=format, **settings)
    except rb.data.DataError as error:
        refusal = str(error)
    assert "\n" not in refusal
    return None


def streamed(text, format, block_rows):
    try:
        with rb.data.stream(io.BytesIO(text), format=format, on_error="skip", block_rows=block_rows) as blocks:
            return sum(map(len, blocks)), blocks.skipped.count
    except rb.data.DataError as error:
        refusal = str(error)
    assert "\n" not in refusal
    return None


def check(text):
    for format in (*FORMATS, None):
        read(text, format)
        kept = read(text, format, on_error="skip")
        if kept is None or kept.csr is None:
            streamed(text, format, 3)
            continue
        assert np.isfinite(kept.csr.data).all()
        assert (kept.csr.indices < max(kept.n_features, 1)).all()
        found = streamed(text, format, 3)
        if found is not None:  # a stream may refuse an index 0 that comes late
            assert found[0] <= len(kept)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_corpus(path):
    check(path.read_bytes())


def test_there_is_a_corpus():
    assert len(CORPUS) >= 15


@given(st.binary(max_size=80))
def test_any_bytes(text):
    check(text)


@st.composite
def spliced(draw):
    """Pieces of the corpus, cut and joined anywhere."""
    pieces = draw(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=3))
    cuts = [draw(st.integers(0, len(piece))) for piece in pieces]
    return b"".join(piece[cut:] for piece, cut in zip(pieces, cuts))[: draw(st.integers(1, 400))]


@given(spliced())
def test_pieces_of_the_corpus(text):
    check(text)


@pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or shutil.which("make") is None
    or shutil.which(os.environ.get("CXX", "c++")) is None,
    reason="needs make and a compiler with sanitizers",
)
@pytest.mark.slow
def test_the_native_fuzzer_runs():
    done = subprocess.run(["make", "-s", "fuzz", "SECONDS_OF_FUZZING=20"], cwd=FUZZ.parents[1], check=False)
    assert done.returncode == 0
