"""svmlight text: what scikit-learn reads, in any number of threads and chunks, every number as Python reads it."""

import io
import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, load_svmlight_files

import rosenblatt as rb
from rosenblatt.data.bad_rows import BadRows
from rosenblatt.data.sources import Source
from rosenblatt.data.sparse_text import SVMLIGHT_SENTENCES, parse


def read(text, **settings):
    return rb.data.read(io.BytesIO(text), format="svmlight", **settings)


def same_rows(ours, X, y):
    X.sort_indices()
    np.testing.assert_array_equal(ours.y, y)
    assert ours.X.shape == X.shape
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours.X, name), getattr(X, name), err_msg=name)


FILES = {
    "plain": b"1 1:2 3:4\n-1 2:0.5\n",
    "zero-based": b"1 0:2 3:4\n-1 2:0.5\n",
    "comments, qid, blanks": b"# head\n+1 qid:3 1:1.5e-3\t2:.5  # tail 9:9\r\n\r\n  \n-1 qid:4 1:1#x\n0\n",
    "no last line end": b"1 1:1\n2 2:2",
    "long numbers": b"0.1 1:123456789012345678901234567890 2:5e-324 3:1e-400 4:-0 5:1.7976931348623157e308\n",
}
WIDE = b"1 1:1 3000000000:2\n0 5000000000:1\n"  # where scikit-learn overflows


@pytest.mark.parametrize("zero_based", ["auto", True, False])
@pytest.mark.parametrize("name", FILES)
def test_reads_what_scikit_learn_reads(name, zero_based):
    if zero_based is False and name == "zero-based":
        return  # an error here, index −1 there
    X, y = load_svmlight_file(io.BytesIO(FILES[name]), zero_based=zero_based)
    same_rows(read(FILES[name], zero_based=zero_based), X, y)


def test_several_files_share_the_first_index():
    one, two = b"1 1:1\n", b"1 0:1 2:1\n"
    sets = load_svmlight_files([io.BytesIO(one), io.BytesIO(two)])
    both = rb.data.read([io.BytesIO(one), io.BytesIO(two)], format="svmlight")
    np.testing.assert_array_equal(both.X.toarray(), np.vstack([sets[0].toarray(), sets[2].toarray()]))
    assert both.format.zero_based is True


def test_query_ids():
    _, _, qid = load_svmlight_file(io.BytesIO(b"1 qid:3 1:1\n2 qid:4 1:2\n"), query_id=True)
    ours = read(b"1 qid:3 1:1\n2 qid:4 1:2\n", query_id=True)
    np.testing.assert_array_equal(ours.query_ids, qid)
    assert read(b"1 qid:3 1:1\n2 1:2\n", query_id=True).query_ids.tolist() == [3, -1]
    assert read(b"1 qid:3 1:1\n").query_ids is None


def test_a9a(data_folder):
    path = data_folder / "a9a" / "a9a.gz"
    X, y = load_svmlight_file(str(path))
    same_rows(rb.data.read(path), X, y)
    rows = 0
    with rb.data.stream(path, block_rows=1000) as blocks:
        for block in blocks:
            np.testing.assert_array_equal(block.y, y[rows : rows + len(block)])
            assert (block.X[:, :100] != X[rows : rows + len(block), :100]).nnz == 0
            rows += len(block)
    assert rows == len(y)


def test_index_types():
    assert read(FILES["plain"]).X.indices.dtype == np.int32
    wide = read(WIDE)
    assert wide.csr.indices.tolist() == [0, 2_999_999_999, 4_999_999_999]
    assert wide.csr.indices.dtype == wide.csr.indptr.dtype == np.int64
    assert wide.n_features == 5_000_000_000
    edge = read(b"1 2147483648:1\n", zero_based=False)  # column 2^31 − 1 is the last that fits
    assert edge.csr.indices.dtype == np.int32
    assert read(b"1 2147483649:1\n", zero_based=False).csr.indices.dtype == np.int64


def test_n_features():
    assert read(b"1\n2\n").X.shape == (2, 0)
    assert read(b"1 3:1\n", n_features=10).X.shape == (1, 10)
    assert read(b"1 10:1\n", n_features=10).X.shape == (1, 10)
    assert read(b"1 0:1 9:1\n", n_features=10).X.shape == (1, 10)
    for text in (b"1 1:1 11:1\n", b"1 0:1 10:1\n"):
        with pytest.raises(rb.data.DataError, match="is beyond the 10 features"):
            read(text, n_features=10)
    with pytest.raises(
        rb.data.DataError, match=r"line 3: index 10 is beyond the 10 features asked for, counted from 0"
    ):
        read(b"1 0:1\n\n1 10:1\n", n_features=10)


def test_rows_are_admitted_without_a_copy():
    from rosenblatt.core import engine

    csr = read(FILES["plain"]).csr
    rows = engine.admit(csr)
    assert np.shares_memory(rows.view.indices, csr.indices)
    assert np.shares_memory(rows.view.data, csr.data)
    assert (rows.n_rows, rows.n_features) == (2, 3)


# ---- numbers -----------------------------------------------------------------------------------------------------


@st.composite
def decimals(draw):
    """Decimal numbers as people and programs write them."""
    kind = draw(st.sampled_from(["repr", "repr32", "digits"]))
    if kind == "repr":
        return repr(draw(st.floats(allow_nan=False, allow_infinity=False)))
    if kind == "repr32":
        return str(np.float32(draw(st.floats(width=32, allow_nan=False, allow_infinity=False))))
    sign = draw(st.sampled_from(["", "-", "+"]))
    whole = draw(st.text("0123456789", max_size=25))
    fraction = draw(st.text("0123456789", min_size=0 if whole else 1, max_size=25))
    point = "." if fraction or draw(st.booleans()) else ""
    exponent = draw(st.sampled_from(["", "e{}", "E{}", "e-{}", "e+{}"])).format(draw(st.integers(0, 330)))
    return sign + whole + point + fraction + exponent


@given(decimals())
@example("9007199254740993")
@example("1.00000005960464477539")
@example("1.000000178813934326171875")
@example("5e-324")
@example("0e999999999999999")
@example("0.000000000000000000000000000000000000000000000000001")
def test_numbers_are_those_of_float(text):
    expected = float(text)
    line = f"1 1:{text}\n".encode()
    if math.isinf(expected):
        with pytest.raises(rb.data.DataError, match="not a finite number"):
            read(line)
        return
    value = read(line).csr.data[0]
    assert struct.pack("d", value) == struct.pack("d", expected)
    label = read(f"{text}\n".encode()).labels[0]
    assert struct.pack("d", label) == struct.pack("d", expected)


@given(decimals())
@example("16777217")
@example("1.00000005960464477539")
@example("1.000000059604644775390625")
@example("0.5000000298023224")
@example("7.006492321624085e-46")
@example("7.006492321624086e-46")
@example("3.4028235677973366e38")
def test_float32_is_rounded_once(text):
    """The nearest float32 of the decimal itself, by exact fractions, not of the nearest double."""
    from fractions import Fraction

    line, exact = f"1 1:{text}\n".encode(), Fraction(text)
    limit = Fraction(2) ** 128 - Fraction(2) ** 103  # from halfway to 2^128 on numbers overflow
    if abs(exact) >= limit:
        with pytest.raises(rb.data.DataError, match="not a finite number"):
            read(line, dtype="float32")
        return
    value = read(line, dtype="float32").csr.data[0]
    assert value.dtype == np.float32
    error = abs(Fraction(float(value)) - exact)
    for toward in (-np.inf, np.inf):
        with np.errstate(over="ignore"):
            other = np.nextafter(value, np.float32(toward))
        if np.isfinite(other):
            beside = abs(Fraction(float(other)) - exact)
            even = value.view(np.uint32) % 2 == 0
            assert error < beside or (error == beside and even)


# ---- threads and chunks ------------------------------------------------------------------------------------------


def assert_same(one, other):
    for name in ("labels", "lines", "weights", "query_ids", "tags"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one.csr, name), getattr(other.csr, name), err_msg=name)
    assert one.csr.n_features == other.csr.n_features


@st.composite
def svmlight_texts(draw):
    """Lines that are mostly right, with comments, empty lines and some faults."""
    pieces = [
        "1",
        "-1",
        "+2.5",
        " ",
        "  ",
        "\t",
        "1:1",
        "2:0.5",
        "3:-1e3",
        "7:2",
        "900:1",
        "qid:3",
        "# c 1:2",
        "",
        "0:1",
    ]
    pieces += ["x", "1:nan", ":", "5", "3000000000:1", "\r"]
    line = st.lists(st.sampled_from(pieces), max_size=7).map(" ".join)
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    return ends.join(draw(st.lists(line, max_size=12))).encode()


@given(svmlight_texts(), st.integers(1, 40), st.integers(1, 4))
def test_parts_and_threads_do_not_show(text, part_bytes, n_threads):
    def parsed(part_bytes, n_threads):
        bad_rows = BadRows.of("skip")
        form = ("svmlight", 0, 1 << 40)
        found = parse(
            text,
            form,
            "float64",
            frozenset({"query_ids"}),
            bad_rows,
            (Source(io.BytesIO(b"-")), 1),
            SVMLIGHT_SENTENCES,
            n_threads,
            part_bytes,
        )
        return found, bad_rows.skipped

    one, skipped = parsed(1 << 20, 1)
    other, also = parsed(part_bytes, n_threads)
    assert_same(one, other)
    assert (skipped.count, list(map(str, skipped.first))) == (also.count, list(map(str, also.first)))


@given(svmlight_texts(), st.integers(1, 5))
def test_streams_in_any_blocks_give_the_same_rows(text, block_rows):
    settings = {"format": "svmlight", "on_error": "skip", "zero_based": True}
    try:
        whole = read(text, on_error="skip", zero_based=True)
    except rb.data.DataError as error:
        refusal = str(error)
        whole = None
    if whole is None:
        assert "empty" in refusal or "no rows" in refusal
        return
    with rb.data.stream(io.BytesIO(text), block_rows=block_rows, **settings) as blocks:
        parts = list(blocks)
        skipped = blocks.skipped
    assert all(len(part) <= block_rows for part in parts)
    np.testing.assert_array_equal(np.concatenate([part.labels for part in parts]), whole.labels)
    np.testing.assert_array_equal(np.concatenate([part.lines for part in parts]), whole.lines)
    np.testing.assert_array_equal(np.concatenate([part.csr.indices for part in parts]), whole.csr.indices)
    np.testing.assert_array_equal(np.concatenate([part.csr.data for part in parts]), whole.csr.data)
    assert parts[-1].n_features == whole.n_features
    assert skipped.count == whole.skipped.count
    assert list(map(str, skipped.first)) == list(map(str, whole.skipped.first))


def test_a_stream_decides_the_first_index_by_its_first_block():
    late = b"1 1:1\n1 2:1\n1 0:1\n"
    assert read(late).format.zero_based is True
    with rb.data.stream(io.BytesIO(late), block_rows=2, format="svmlight") as blocks:
        assert next(blocks).csr.indices.tolist() == [0, 1]
        assert blocks.format.zero_based is False
        with pytest.raises(rb.data.DataError, match=r"line 3, byte 3: index 0 in '0:1'.*zero_based=True"):
            next(blocks)
    with rb.data.stream(io.BytesIO(b"5\n" + late), block_rows=1, format="svmlight") as blocks:  # no entries: not yet
        assert next(blocks).n_features == 0
        assert next(blocks).csr.indices.tolist() == [0]


# ---- writing -----------------------------------------------------------------------------------------------------

cells = st.one_of(st.just(0.0), st.sampled_from([1.0, -1.0, 0.1]), st.floats(allow_nan=False, allow_infinity=False))


@given(
    st.integers(1, 5).flatmap(lambda d: st.lists(st.lists(cells, min_size=d, max_size=d), min_size=1, max_size=5)),
    st.booleans(),
    st.sampled_from(["float64", "float32"]),
)
def test_what_is_written_is_read(tmp_path_factory, rows, zero_based, dtype):
    path = tmp_path_factory.mktemp("rows") / "rows.svm"
    with np.errstate(over="ignore"):
        X = np.nan_to_num(np.array(rows).astype(dtype))
    y = np.linspace(-1, 1, len(X)) / 3
    rb.data.write_svmlight(path, X, y, zero_based=zero_based)
    back = rb.data.read(path, zero_based=zero_based, n_features=X.shape[1], dtype=dtype)
    np.testing.assert_array_equal(back.X.toarray(), X)
    np.testing.assert_array_equal(back.y, y)


def test_scikit_learn_reads_what_is_written(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 5)) * (rng.random((20, 5)) < 0.5), rng.integers(0, 3, 20)
    rb.data.write_svmlight(tmp_path / "ours", X, y, query_ids=np.arange(20))
    theirs, labels, qid = load_svmlight_file(str(tmp_path / "ours"), n_features=5, query_id=True)
    np.testing.assert_array_equal(theirs.toarray(), X)
    np.testing.assert_array_equal(labels, y)
    np.testing.assert_array_equal(qid, np.arange(20))
    dump_svmlight_file(X, y, str(tmp_path / "theirs"), comment="a comment", query_id=np.arange(20))
    np.testing.assert_allclose(rb.data.read(tmp_path / "theirs", format="svmlight").X.toarray(), X, rtol=1e-15)
