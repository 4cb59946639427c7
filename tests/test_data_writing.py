"""Files written: every format, through a file that is renamed, and from one format to another."""

import io
import os

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data import Encoder

SPARSE = b"1 1:0.5 3:2\n-1 2:0.1\n1 4:1e-05\n"
TABLE = (
    b"label,age,job,review\npos,3,cook,a good film that I liked very much\n"
    b'neg,4.5,pilot,"bad, and ""long"":\nof two lines | really"\npos,,cook,so so but not so very bad\n'
)


@pytest.fixture
def sparse(tmp_path):
    (tmp_path / "rows.svm").write_bytes(SPARSE)
    return tmp_path / "rows.svm"


@pytest.fixture
def table(tmp_path):
    (tmp_path / "rows.csv").write_bytes(TABLE)
    return tmp_path / "rows.csv"


@pytest.mark.parametrize("to", ["csv", "tsv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("block_rows", [2, 100])
def test_tables_to_tables(tmp_path, table, to, block_rows):
    rows, skipped = rb.data.convert(table, tmp_path / f"new.{to}", block_rows=block_rows)
    assert (rows, skipped.count) == (3, 0)
    old, new = rb.data.read(table), rb.data.read(tmp_path / f"new.{to}")
    assert new.table.to_pydict() == old.table.to_pydict()
    assert new.labels.tolist() == old.labels.tolist()


@pytest.mark.parametrize("to", ["csv", "parquet", "arrow", "jsonl"])
def test_sparse_rows_to_tables_and_back(tmp_path, sparse, to):
    rb.data.convert(sparse, tmp_path / f"new.{to}", block_rows=1)
    new = rb.data.read(tmp_path / f"new.{to}")
    names = [f"f{j}" for j in range(4)]
    assert set(new.table.column_names) == set(names)
    encoder = Encoder(rb.data.Columns(label="label", numeric=names), missing="absent")
    rows = encoder.encode(new.block, learn=False)
    np.testing.assert_array_equal(rows.to_scipy().toarray(), rb.data.read(sparse).X.toarray())
    rb.data.convert(
        tmp_path / f"new.{to}", tmp_path / "back.svm", columns={"label": "label", "numeric": names},
        encoder=lambda columns: Encoder(columns, missing="absent"),
    )  # fmt: skip
    assert (tmp_path / "back.svm").read_bytes() == SPARSE


def test_svmlight_to_svmlight_is_the_same_text(tmp_path, sparse):
    rb.data.convert(sparse, tmp_path / "new.svm")
    assert (tmp_path / "new.svm").read_bytes() == SPARSE
    rb.data.convert(sparse, tmp_path / "zero.svm", zero_based=True)
    assert (tmp_path / "zero.svm").read_bytes().startswith(b"1 0:0.5 2:2\n")


def test_to_vowpal_wabbit(tmp_path, sparse, table):
    rb.data.convert(sparse, tmp_path / "new.vw")
    assert (tmp_path / "new.vw").read_bytes() == b"1 | 0:0.5 2:2\n-1 | 1:0.1\n1 | 3:1e-05\n"
    rb.data.convert(table, tmp_path / "table.vw", classes={"pos": 1, "neg": -1})
    lines = (tmp_path / "table.vw").read_text().splitlines()
    assert lines[0] == "1 |age age:3 |job cook |review a good film that I liked very much"
    assert lines[1] == '-1 |age age:4.5 |job pilot |review bad, and "long"_ of two lines _ really'
    assert lines[2] == "1 |job cook |review so so but not so very bad"
    assert rb.data.read(tmp_path / "table.vw").labels.tolist() == [1, -1, 1]


def test_vowpal_wabbit_to_itself_keeps_weights_tags_and_missing_labels(tmp_path):
    (tmp_path / "a.vw").write_bytes(b"1 2.5 'first | a\n| b\n-1 | c:0.5\n")
    rb.data.convert(tmp_path / "a.vw", tmp_path / "b.vw", bits=4)
    lines = (tmp_path / "b.vw").read_text().splitlines()
    assert [line.partition("|")[0] for line in lines] == ["1 2.5 'first ", "", "-1 "]


def test_standard_output(capfdbinary, sparse):
    rb.data.convert(sparse, "-", to="svmlight")
    assert capfdbinary.readouterr().out == SPARSE


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("to", ["svm", "csv"])
def test_compressed(tmp_path, sparse, suffix, to):
    path = tmp_path / f"new.{to}.{suffix}"
    rb.data.convert(sparse, path)
    assert rb.data.read(path).y.tolist() == [1, -1, 1]
    assert path.read_bytes()[:2] in (b"\x1f\x8b", b"BZ", b"\xfd7", b"\x28\xb5")
    again = tmp_path / f"again.{to}.{suffix}"
    rb.data.convert(sparse, again)
    assert again.read_bytes() == path.read_bytes()


# ---- nothing half-written ----------------------------------------------------------------------------------------


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, sparse):
    target = tmp_path / "out.svm"
    target.write_bytes(b"the old one")
    (tmp_path / "bad.svm").write_bytes(SPARSE * 100 + b"1 1:x\n")
    before = sorted(os.listdir(tmp_path))
    for to in ("svmlight", "csv", "parquet", "jsonl", "vw"):
        with pytest.raises(rb.data.DataError, match="line 301, byte 3"):
            rb.data.convert(tmp_path / "bad.svm", target, to=to, block_rows=10, zero_based=False)
        assert target.read_bytes() == b"the old one"
        assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_disk_that_fills(tmp_path, sparse, monkeypatch):
    """The file that is written runs out of room; what was there stays."""
    target = tmp_path / "out.svm"
    target.write_bytes(b"the old one")
    real = os.fdopen

    def full(handle, *arguments):
        os.dup2(os.open("/dev/full", os.O_WRONLY), handle)
        return real(handle, *arguments)

    monkeypatch.setattr("rosenblatt.data.sources.os.fdopen", full)
    with pytest.raises(OSError, match="the disk is full; nothing was changed"):
        rb.data.convert(sparse, target)
    assert target.read_bytes() == b"the old one"
    assert sorted(os.listdir(tmp_path)) == ["out.svm", "rows.svm"]


@pytest.mark.posix
def test_the_mode_of_a_file_stays(tmp_path, sparse):
    target = tmp_path / "out.svm"
    target.write_bytes(b"")
    target.chmod(0o640)
    rb.data.convert(sparse, target)
    assert target.stat().st_mode & 0o777 == 0o640


# ---- refusals ----------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_refused(tmp_path, sparse, table):
    with pytest.raises(ValueError, match=r"labels of svmlight are numbers, got .*'pos'.*classes="):
        rb.data.convert(table, tmp_path / "x.svm", encoder=lambda c: Encoder(c, {"review": None}, missing="absent"),
                        columns={"label": "label", "numeric": "age"})  # fmt: skip
    with pytest.raises(ValueError, match="svmlight has numbers for columns: give an encoder"):
        rb.data.convert(table, tmp_path / "x.svm")
    with pytest.raises(ValueError, match="classes has no number for the label 'neg'"):
        rb.data.convert(table, tmp_path / "x.vw", classes={"pos": 1})
    with pytest.raises(ValueError, match="tells no format"):
        rb.data.convert(sparse, tmp_path / "x")
    with pytest.raises(ValueError, match=r"there is no format 'cvs' \(did you mean 'csv'\?\)"):
        rb.data.convert(sparse, tmp_path / "x", to="cvs")
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        rb.data.convert(sparse, tmp_path / "no" / "x.svm")
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        rb.data.convert(sparse, tmp_path, to="svmlight")
    with pytest.raises(ValueError, match="one label a row"):
        rb.data.write_svmlight(tmp_path / "x.svm", np.eye(3), [1, 2])
    with pytest.raises(ValueError, match="X must have two dimensions, got 1"):
        rb.data.write_svmlight(tmp_path / "x.svm", np.ones(3), [1, 2, 3])
    (tmp_path / "wide.svm").write_bytes(b"1 20000:1\n")
    with pytest.raises(ValueError, match="a table of 20000 columns is too wide"):
        rb.data.convert(tmp_path / "wide.svm", tmp_path / "x.csv")
    with pytest.raises(ValueError, match="svmlight has finite numbers, and a value is nan at row 1"):
        rb.data.write_svmlight(tmp_path / "x.svm", [[1.0, 2], [3, np.nan]], [1, 2])
    with pytest.raises(ValueError, match="svmlight has finite numbers, and a label is inf at row 0"):
        rb.data.write_svmlight(tmp_path / "x.svm", np.eye(2), [np.inf, 2])
    with pytest.raises(ValueError, match="X must hold numbers, got values of the type object"):
        rb.data.write_svmlight(tmp_path / "x.svm", np.array([["a"]], object), [1])
    with pytest.raises(ValueError, match="query_ids must be 2 whole numbers, one a row"):
        rb.data.write_svmlight(tmp_path / "x.svm", np.eye(2), [1, 2], query_ids=[1])
    assert not list(tmp_path.glob("x*"))


@pytest.mark.parametrize("to", ["csv", "jsonl", "parquet", "arrow"])
def test_no_column_is_lost_to_the_name_of_another(tmp_path, to):
    (tmp_path / "t.csv").write_bytes(b"y,label\npos,some words\nneg,other words\n")
    rows = rb.data.read(tmp_path / "t.csv", columns={"label": "y", "text": "label"})
    with pytest.raises(ValueError, match="the labels are written as a column 'label', and another has that name"):
        rb.data.write(tmp_path / f"o.{to}", [rows.block])
    assert not (tmp_path / f"o.{to}").exists()


@pytest.mark.parametrize("to", ["csv", "jsonl", "parquet", "arrow"])
def test_a_label_that_is_not_there_is_missing_in_tables(tmp_path, to):
    (tmp_path / "t.vw").write_bytes(b"1 |a b\n|a c\n")
    rb.data.convert(tmp_path / "t.vw", tmp_path / f"o.{to}", bits=2)
    assert "nan" not in (tmp_path / f"o.{to}").read_bytes().decode("latin-1").lower()
    kept = rb.data.read(tmp_path / f"o.{to}", on_error="skip", columns={"label": "label"})
    assert (kept.labels.tolist(), kept.skipped.count) == ([1.0], 1)


def test_truth_values_are_written_as_numbers(tmp_path):
    rb.data.write_svmlight(tmp_path / "x.svm", np.array([[True, False]]), [True])
    assert (tmp_path / "x.svm").read_bytes() == b"1 1:1\n"


def test_dense_sparse_and_duplicates_are_written_alike(tmp_path):
    from scipy import sparse as sp

    X = np.array([[0, 1.5, 0], [2, 0, -0.25]])
    double = sp.csr_matrix(([1.0, 0.5, 2.0, -0.25], [1, 1, 0, 2], [0, 2, 4]), shape=(2, 3))
    texts = []
    for i, rows in enumerate((X, sp.csr_matrix(X), sp.csc_matrix(X), double, X.astype(np.float32))):
        rb.data.write_svmlight(tmp_path / f"{i}", rows, [1, 2])
        texts.append((tmp_path / f"{i}").read_bytes())
    assert set(texts) == {b"1 2:1.5\n2 1:2 3:-0.25\n"}
    assert double.nnz == 4  # the caller's matrix is as it was


def test_blocks_of_different_widths_need_to_be_told(tmp_path):
    blocks = [rb.data.read(io.BytesIO(text)).block for text in (b"1 1:1\n", b"1 2:1\n")]
    with pytest.raises(ValueError, match="blocks have different columns; say n_features"):
        rb.data.write(tmp_path / "x.csv", blocks)
