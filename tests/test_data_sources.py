"""Where bytes come from: names, globs, standard input, compression; streams, their thread and their memory."""

import bz2
import gc
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest
from clockless import is_waiting, until

import rosenblatt as rb
from rosenblatt.data import reading
from rosenblatt.data.formats import guess_format
from rosenblatt.data.sources import Source, expand

ROWS = b"1 1:0.5 2:1\n-1 3:2\n" * 50
COMPRESSED = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda text: pa.compress(text, "zstd", asbytes=True),
}


def readers():
    return [thread for thread in threading.enumerate() if thread.name == "rosenblatt-reader"]


@pytest.fixture(autouse=True)
def _no_reader_of_another_test():
    """What was closed in mid block is read to the end of the block, perhaps while later tests run."""
    until(lambda: not readers())


# ---- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", COMPRESSED)
def test_compressed_files(tmp_path, how):
    plain = rb.data.read(io.BytesIO(ROWS))
    text = COMPRESSED[how](ROWS)
    (tmp_path / f"rows.svm.{how}").write_bytes(text)
    (tmp_path / "no-suffix").write_bytes(text)
    for path in (
        tmp_path / f"rows.svm.{how}",
        tmp_path / "no-suffix",
        io.BytesIO(text),
        io.BufferedReader(io.BytesIO(text)),
    ):
        data = rb.data.read(path)
        assert data.format.name == "svmlight"
        np.testing.assert_array_equal(data.csr.data, plain.csr.data)
    (tmp_path / "two").write_bytes(text + text)  # one behind the other, as cat makes them
    assert len(rb.data.read(tmp_path / "two")) == 200


@pytest.mark.parametrize("how", COMPRESSED)
@pytest.mark.parametrize("left", [0.5, 0.98])
def test_a_compressed_file_cut_short(tmp_path, how, left):
    rng = np.random.default_rng(0)
    text = b"".join(b"1 1:%f\n" % x for x in rng.random(20_000))
    whole = COMPRESSED[how](text)
    path = tmp_path / f"rows.svm.{how}"
    path.write_bytes(whole[: int(left * len(whole))])
    with pytest.raises(rb.data.DataError, match=rf"rows\.svm\.{how}: the .* data stop before their end: .*cut short"):
        rb.data.read(path)
    with pytest.raises(rb.data.DataError, match="cut short"), rb.data.stream(path, block_rows=100) as blocks:
        for _ in blocks:
            pass


@pytest.mark.parametrize("how", COMPRESSED)
def test_a_small_compressed_file_cut_at_every_byte(tmp_path, how):
    whole, path = COMPRESSED[how](ROWS), tmp_path / f"rows.svm.{how}"
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        with pytest.raises(rb.data.DataError, match="cut short"):
            rb.data.read(path)
    path.write_bytes(ROWS)  # misnamed, and read as what it is
    assert len(rb.data.read(path)) == 100


@pytest.mark.posix
@pytest.mark.parametrize("format", ["svm", "parquet", "arrow"])
def test_named_pipes(tmp_path, format):
    (tmp_path / "rows.svm").write_bytes(ROWS)
    rb.data.convert(tmp_path / "rows.svm", tmp_path / f"as.{format}")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(
        target=lambda: (tmp_path / "pipe").write_bytes((tmp_path / f"as.{format}").read_bytes()), daemon=True
    )
    writer.start()
    assert len(rb.data.read(tmp_path / "pipe")) == 100
    writer.join()


@pytest.mark.parametrize("how", COMPRESSED)
def test_a_damaged_file(tmp_path, how):
    rng = np.random.default_rng(0)
    whole = bytearray(COMPRESSED[how](b"".join(b"1 1:%f\n" % x for x in rng.random(5000))))
    whole[len(whole) // 2 : len(whole) // 2 + 40] = b"x" * 40
    (tmp_path / "rows").write_bytes(whole)
    with pytest.raises(rb.data.DataError, match=r"damaged|cut short"):
        rb.data.read(tmp_path / "rows", format="svmlight", on_error="skip")


def test_globs_are_sorted_and_lists_stay_in_order(tmp_path):
    for name, label in (("b.svm", 2), ("a.svm", 1), ("c.svm", 3)):
        (tmp_path / name).write_bytes(b"%d 1:1\n" % label)
    (tmp_path / "folder.svm").mkdir()
    assert rb.data.read(str(tmp_path / "*.svm")).y.tolist() == [1, 2, 3]
    both = rb.data.read([tmp_path / "c.svm", str(tmp_path / "[ab].svm")])
    assert both.y.tolist() == [3, 1, 2]
    assert [both.place(i) for i in range(3)] == [f"{tmp_path / name}, line 1" for name in ("c.svm", "a.svm", "b.svm")]
    with rb.data.stream(str(tmp_path / "*.svm")) as blocks:
        assert [block.files[0][0] for block in blocks] == [str(tmp_path / name) for name in ("a.svm", "b.svm", "c.svm")]
    (tmp_path / "[x].svm").write_bytes(b"7 1:1\n")  # a name that is there is no glob
    assert rb.data.read(str(tmp_path / "[x].svm")).y.tolist() == [7]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        rb.data.read(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        rb.data.read(str(tmp_path / "*.svm"))
    with pytest.raises(IsADirectoryError, match="is a folder; name its files"):
        rb.data.read(tmp_path)
    with pytest.raises(ValueError, match="no file was named"):
        rb.data.read([])
    with pytest.raises(TypeError, match="a file is named by a string or a path"):
        rb.data.read(3)
    with pytest.raises(TypeError, match="open it in binary mode"):
        rb.data.read(io.StringIO("1 1:1"))


def test_standard_input():
    script = "import rosenblatt as rb; d = rb.data.read('-'); print(len(d), d.format.name, d.place(1))"
    done = subprocess.run([sys.executable, "-c", script], input=gzip.compress(ROWS), capture_output=True, check=True)
    assert done.stdout.decode().split() == ["100", "svmlight", "<stdin>,", "line", "2"]


def test_a_byte_order_mark_is_passed_over():
    mark = b"\xef\xbb\xbf"
    assert rb.data.read(io.BytesIO(mark + ROWS), format="svmlight").y[0] == 1
    assert rb.data.read(io.BytesIO(mark + b"label,x\n1,2\n"), format="csv").columns.label == "label"
    assert rb.data.read(io.BytesIO(mark + b'{"label":1,"x":2}\n'), format="jsonl").columns.label == "label"
    with rb.data.stream(io.BytesIO(mark + ROWS), format="svmlight", block_rows=7) as blocks:
        assert next(blocks).y[0] == 1


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (b"1 1:1\n-1 2:2\n", "svmlight"),
        (b"# comment\n+1 qid:1 1:0.5 # x\n", "svmlight"),
        (b"1 | a b\n-1 |n c:2\n", "vw"),
        (b"1 2.0 'tag|x y\n| z\n", "vw"),
        (b'{"a": 1}\n', "jsonl"),
        (b"a,b\n1,2\n", "csv"),
        (b"a|b\n1|2\n", "csv"),
        (b"1,2\n3,4\n", "csv"),
        (b"PAR1....", "parquet"),
        (b"ARROW1..", "arrow"),
    ],
)
def test_formats_are_told_by_the_first_lines(text, format):
    assert guess_format(Source(io.BytesIO(text))) == format


def test_formats_are_told_by_the_name(tmp_path):
    names = {"a.svm": "svmlight", "a.libsvm.gz": "svmlight", "a.vw": "vw", "a.tsv": "csv", "a.ndjson.bz2": "jsonl"}
    for name, format in names.items():
        (tmp_path / name).write_bytes(b"x\n")
        with closing(Source(tmp_path / name)) as source:
            assert guess_format(source) == format


def test_expand_takes_iterators():
    assert expand(iter(["a", "b"])) == ["a", "b"]


# ---- streams -----------------------------------------------------------------------------------------------------


def endless():
    """A file that never ends."""

    class Endless(io.RawIOBase):
        taken = 0

        def readable(self):
            return True

        def readinto(self, room):
            n = len(room) // 8 * 8 or 8
            room[:n] = b"1 1:0.5\n" * (n // 8)
            self.taken += n
            return n

    raw = Endless()
    return raw, io.BufferedReader(raw, 8192)


def test_the_next_block_is_parsed_ahead_and_no_more():
    raw, file = endless()
    with rb.data.stream(file, block_rows=100_000, format="svmlight") as blocks:  # 0.8 MB each
        assert len(next(blocks)) == 100_000
        until(lambda: raw.taken > 6 << 20 or (blocks._ahead._ready and is_waiting("rosenblatt-reader")))
        assert raw.taken < 6 << 20
        assert len(readers()) == 1
    until(lambda: not readers())


def test_closing_early_ends_the_thread_and_closes_the_file(tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS * 1000)
    blocks = rb.data.stream(tmp_path / "rows.svm", block_rows=10)
    next(blocks)
    source = blocks._reading._at[1]
    blocks.close()
    assert not readers()
    assert source._raw.closed
    assert list(blocks) == []
    blocks.close()


def test_a_stream_that_is_dropped_ends_too(tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS * 1000)
    next(rb.data.stream(tmp_path / "rows.svm", block_rows=10))
    gc.collect()
    until(lambda: not readers())


def test_errors_come_where_the_block_would_have_come():
    text = b"1 1:1\n" * 4 + b"1 1:x\n" + b"1 1:1\n" * 4
    with rb.data.stream(io.BytesIO(text), block_rows=2, format="svmlight") as blocks:
        assert [len(next(blocks)), len(next(blocks))] == [2, 2]
        with pytest.raises(rb.data.DataError, match="line 5, byte 3"):
            next(blocks)
        assert list(blocks) == []
    assert not readers()


def test_progress(tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS * 1000)
    with rb.data.stream(tmp_path / "rows.svm", block_rows=1000) as blocks:
        seen = [blocks.progress for _ in blocks]
    assert seen == sorted(seen)
    assert 0 < seen[0] < 1
    assert blocks.progress == 1
    with rb.data.stream(io.BytesIO(ROWS)) as blocks:
        assert blocks.progress is None


@pytest.mark.parametrize("how", ["csv", "jsonl", "svmlight"])
def test_a_block_has_its_rows_or_its_bytes(monkeypatch, how):
    row = {"csv": "a,{}\n", "jsonl": '{{"label": "a", "text": "{}"}}\n', "svmlight": "1 1:1 # {}\n"}[how]
    text = ("label,text\n" if how == "csv" else "") + "".join(row.format("x" * (i % 7) * 10) for i in range(500))
    monkeypatch.setattr(reading, "BLOCK_ROWS", 60)
    sizes = {}
    for enough in (1, 300, 3000, 10**9):
        monkeypatch.setattr(reading, "BLOCK_BYTES", enough)
        with rb.data.stream(io.BytesIO(text.encode()), format=how) as blocks:
            sizes[enough] = [len(block) for block in blocks]
        assert sum(sizes[enough]) == 500
    assert sizes[1] == [1] * 500
    assert sizes[10**9] == [60] * 8 + [20]
    lines = [len(line) for line in text.splitlines(keepends=True)][how == "csv" :]
    for enough in (300, 3000):
        at = 0
        for size in sizes[enough][:-1]:  # the last row is the first that reaches so many bytes
            taken = lines[at : at + size]
            assert size == 60 or sum(taken) >= enough > sum(taken[:-1])
            assert size <= 60
            at += size
    with rb.data.stream(io.BytesIO(text.encode()), format=how, block_rows=100) as blocks:
        assert [len(block) for block in blocks] == [100] * 5  # as told


def test_block_rows_must_be_positive():
    for bad in (0, 2.5, "3"):
        with pytest.raises(ValueError, match=f"block_rows must be a whole number >= 1, got {bad!r}"):
            rb.data.stream(io.BytesIO(ROWS), block_rows=bad)


def test_a_file_without_line_ends_is_refused(monkeypatch):
    monkeypatch.setattr("rosenblatt.data.chunks.LONGEST_ROW", 1 << 21)
    blocks = rb.data.stream(io.BytesIO(b"1 " * (1 << 22)), format="svmlight")
    with blocks, pytest.raises(rb.data.DataError, match="line 1: no row ends within"):
        next(blocks)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    """Peaks of two processes, one with ten times the rows."""
    row = b"1 " + b" ".join(b"%d:0.123456" % j for j in range(1, 40)) + b"\n"
    script = (
        "import sys, rosenblatt as rb\n"
        "n = sum(len(b) for b in rb.data.stream(sys.argv[1], block_rows=2000))\n"
        "print(n, *[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')])"
    )
    peaks = []
    for n in (20_000, 200_000):
        (tmp_path / "rows.svm").write_bytes(row * n)
        done = subprocess.run([sys.executable, "-c", script, tmp_path / "rows.svm"], capture_output=True, check=True)
        rows, peak = map(int, done.stdout.split())
        assert rows == n
        peaks.append(peak)
    assert peaks[1] < 1.1 * peaks[0], peaks
