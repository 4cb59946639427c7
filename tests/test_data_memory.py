"""What a small file can take: memory is counted in bytes and limited, time is in proportion to what is there."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pytest
from clockless import calls

import rosenblatt as rb
from rosenblatt.core import memory
from rosenblatt.data.features import Features
from rosenblatt.data.formats import guess_format
from rosenblatt.data.memory_limit import MemoryLimit, MemoryLimitError, parse_limit
from rosenblatt.data.sources import Source

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

ROWS = 50_000


def zstd(data):
    return pa.Codec("zstd").compress(data, asbytes=True)


TEXTS = {
    "svmlight": b"1 1:1\n-1 2:1\n" * (ROWS // 2),
    "vw": b"1 | a\n-1 | b\n" * (ROWS // 2),
    "csv": b"label,x\n" + b"a,1\nb,2\n" * (ROWS // 2),
    "jsonl": b'{"label": "a", "x": 1}\n{"label": "b", "x": 2}\n' * (ROWS // 2),
}


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress, zstd])
@pytest.mark.parametrize("format", TEXTS)
def test_a_file_that_is_read_whole_is_refused_before_it_takes_too_much(format, compress, tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(compress(TEXTS[format]))
    with pytest.raises(MemoryLimitError, match=r"rows: .* or more, and 100 kB is the limit; .*rb\.data\.stream"):
        rb.data.read(path, format=format, memory=100_000)
    assert len(rb.data.read(path, format=format, memory="1 GB")) == ROWS
    with rb.data.stream(path, format=format, memory="8MB") as blocks:
        assert sum(map(len, blocks)) == ROWS


@pytest.mark.parametrize("format", TEXTS)
def test_the_sentence_says_how_many_rows(format):
    with pytest.raises(MemoryLimitError, match=rf"{ROWS:,} rows take|{ROWS + 1:,} rows take|{ROWS + 2:,} rows take"):
        rb.data.read(io.BytesIO(TEXTS[format]), format=format, memory=2 * len(TEXTS[format]) + 1000)


def test_several_files_count_together(tmp_path):
    for i in range(4):
        (tmp_path / f"{i}.svm").write_bytes(TEXTS["svmlight"])
    one = rb.data.read(tmp_path / "0.svm", memory=10**9).nbytes
    with pytest.raises(MemoryLimitError, match="rows take"):
        rb.data.read(tmp_path / "*.svm", memory=int(3.5 * one))


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_tables_are_counted_batch_by_batch(format, tmp_path):
    table = pa.table({"label": pa.array(["a", "b"] * (2 * ROWS)), "x": pa.array(np.zeros(4 * ROWS))})
    path = tmp_path / f"rows.{format}"
    pq.write_table(table, path) if format == "parquet" else feather.write_feather(table, path)
    with pytest.raises(MemoryLimitError, match="65,536 rows take"):
        rb.data.read(path, memory=1_000_000)
    assert len(rb.data.read(path, memory="1GB")) == 4 * ROWS


def test_equal_strings_of_a_parquet_file_are_counted_before_they_are_written_out(tmp_path):
    """A file of some kilobytes with a value of 100 kB in each of a hundred thousand rows."""
    value = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array(["a word " * 15_000]))
    path = tmp_path / "rows.parquet"
    pq.write_table(
        pa.table({"text": value, "label": pa.array([0, 1] * 50_000)}), path,
        dictionary_pagesize_limit=1 << 30, compression="zstd",
    )  # fmt: skip
    assert path.stat().st_size < 50_000
    before = pa.total_allocated_bytes()
    with pytest.raises(MemoryLimitError, match=r"65,536 rows take 6\.88 GB"):
        rb.data.read(path, memory="200MB")
    with (
        pytest.raises(MemoryLimitError, match=r"8,192 rows take .*; make blocks smaller with block_rows=…"),
        rb.data.stream(path, memory="200MB") as blocks,
    ):
        next(blocks)
    with rb.data.stream(path, memory="200MB", block_rows=10) as blocks:
        assert next(blocks).table["text"][9].as_py() == "a word " * 15_000
    assert pa.total_allocated_bytes() - before < 1 << 28


def test_a_limit_is_bytes_or_words():
    assert parse_limit(5) == 5
    assert parse_limit("2 GB") == parse_limit("2g") == 2 * 10**9
    assert parse_limit("1.5MiB") == 3 << 19
    assert parse_limit(None) <= memory.available()
    for wrong in (0, -1, True, "many", "0", "1 XB", 2.5):
        with pytest.raises(ValueError, match="memory must be a number of bytes or such as '2 GB'"):
            parse_limit(wrong)


def test_where_nobody_knows_how_much_there_is_there_is_no_limit(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: None)
    MemoryLimit(None, "").check(1 << 62, "f")
    memory.check(1 << 62, "it", "")


def test_what_is_available_is_the_least_of_three(monkeypatch):
    for name, left in (("_of_machine", 5), ("_of_group", None), ("_of_address_space", 3)):
        monkeypatch.setattr(memory, name, lambda left=left: left)
    assert memory.available() == 3
    monkeypatch.setattr(memory, "_of_group", lambda: -1)
    assert memory.available() == 0


# ---- on the command line -------------------------------------------------------------------------------------------


def command(*arguments):
    from rosenblatt.cli import main

    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as ended:
        return ended.code


@pytest.mark.parametrize("format", ["svmlight", "csv"])
def test_train_goes_over_to_blocks_and_says_so(format, tmp_path, capsys):
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(TEXTS[format] + 9 * TEXTS[format].removeprefix(b"label,x\n")))
    options = ("--format", format, "--passes", "2", "-q")
    assert not command("train", path, "-o", tmp_path / "a", "--memory", "6MB", "--no-shuffle", *options)
    assert "and 6 MB is the limit; training block by block instead" in capsys.readouterr().err
    assert not command("train", path, "-o", tmp_path / "b", "--stream", *options)
    assert capsys.readouterr().err == ""
    a, b = (rb.load(tmp_path / name) for name in "ab")
    np.testing.assert_array_equal(a.coef_, b.coef_)


def test_train_that_needs_all_rows_says_what_to_do(tmp_path, capsys):
    path = tmp_path / "rows.svm.gz"
    path.write_bytes(gzip.compress(10 * TEXTS["svmlight"]))
    assert command("train", path, "-o", tmp_path / "a", "--memory", "6MB", "--class-weight", "balanced")
    error = capsys.readouterr().err
    assert "--class-weight balanced needs all rows in memory" in error
    assert "say --memory SIZE to hold more" in error
    assert not (tmp_path / "a").exists()
    assert command("train", path, "-o", tmp_path / "a", "--memory", "lots")
    assert "'lots' is not a size such as 2GB" in capsys.readouterr().err


def test_more_labels_than_classes_are_learned_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("rosenblatt.cli.training.MOST_CLASSES", 100)
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{i} 1:1\n" for i in range(101)))
    for how in ("--passes=3", "--stream"):
        assert command("train", path, "-o", tmp_path / "a", how)
        assert "101 different labels, and at most 100 classes are supported; name the column" in capsys.readouterr().err


# ---- time ----------------------------------------------------------------------------------------------------------


def wide_file(path, n):
    names, values = [f"c{i}" for i in range(n)], [float(i % 11) for i in range(n)]
    if path.suffix == ".csv":
        rows = [",".join([*names, "label"]), *(",".join([*map(str, values), label]) for label in "ab")]
        path.write_text("\n".join(rows) + "\n")
    else:
        table = pa.table({name: [value, value] for name, value in zip(names, values)} | {"label": ["a", "b"]})
        pq.write_table(table, path) if path.suffix == ".parquet" else feather.write_feather(table, path)
    return path


@pytest.mark.parametrize("format", ["csv", "parquet", "feather"])
def test_many_columns_take_work_in_proportion(format, tmp_path):
    """Eight times the columns take eight times the calls, and not sixty-four times."""

    def work(path):
        data = rb.data.read(path)
        features = Features.of_table(data.columns, None)
        assert features.rows(data.block, learn=True).n_features == len(data.columns.numeric)
        rb.data.Columns(**data.columns.to_dict())

    small, large = (wide_file(tmp_path / f"{n}.{format}", n) for n in (500, 4_000))
    work(small)  # imports
    assert calls(lambda: work(large)) < 12 * calls(lambda: work(small))


def test_many_names_are_not_looked_for_one_by_one():
    """Each name is compared with few others."""
    compared = 0

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    names = [Name(f"c{i}") for i in range(2_000)]
    columns = rb.data.Columns(label=False, numeric=names[:1000], categorical=names[1000:])
    Features.of_table(columns, None)
    rb.data.Columns(**columns.to_dict())
    assert compared < 10 * len(names)


def test_a_first_row_longer_than_what_is_looked_at_first(tmp_path):
    """All names of a table of many columns are seen, and what stands below them."""
    path = wide_file(tmp_path / "wide.csv", 60_000)
    with rb.data.stream(path) as blocks:
        assert len(blocks.columns.numeric) == 60_000


def test_a_row_that_does_not_end_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("rosenblatt.data.chunks.LONGEST_FIRST_ROWS", 1 << 20)
    for name, text in (("a.csv", b'label,text\na,"never closed'), ("a.jsonl", b'{"label": 1, "text": "')):
        (tmp_path / name).write_bytes(text + b"x y\n,"[: 3 if name == "a.jsonl" else 5] * (1 << 20))
        with pytest.raises(rb.data.DataError, match="no row ends within 1 MiB of here: is it text, and the quoting"):
            rb.data.read(tmp_path / name)


def test_a_line_is_looked_at_once_to_guess_its_format():
    """A line that is nearly Vowpal Wabbit's used to be looked at from each of its characters again."""
    assert guess_format(Source(io.BytesIO(b"1 " + b"'" * 60_000 + b"|a\x0bb\n"))) == "csv"
    assert guess_format(Source(io.BytesIO(b"1 2 'tag| a b\n-1 |x y:2\n|x\n"))) == "vw"


def test_values_of_a_line_that_python_has_no_room_for(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    monkeypatch.setattr(memory, "SMALL", 0)
    with pytest.raises(MemoryError, match=r"a table whose first rows have 100,001 values would take .* svmlight"):
        rb.data.read(io.BytesIO(b"label" + b",a" * 100_000 + b"\n" + b"1" * 10 + b",\n"), format="csv", memory="1GB")
    with pytest.raises(MemoryError, match="a line of JSON with 100,002 values would take"):
        rb.data.read(io.BytesIO(b'{"label": [0' + b",1" * 100_000 + b"]}\n"), format="jsonl", memory="1GB")
