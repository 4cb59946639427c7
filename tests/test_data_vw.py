"""Vowpal Wabbit's text: labels, weights, tags, namespaces and hashed names."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

import rosenblatt as rb
from rosenblatt.data.encoder import hash_names


def read(text, **settings):
    return rb.data.read(io.BytesIO(text), format="vw", **settings)


def column(name, bits=22):
    return murmurhash3_32(name.encode(), 0, positive=True) % (1 << bits)


@given(st.lists(st.text(max_size=40), max_size=5))
def test_the_hash_is_murmurhash3(names):
    names = [name.encode("utf-8", "replace").decode() for name in names]
    assert hash_names(names).tolist() == [murmurhash3_32(name.encode(), 0, positive=True) for name in names]


def entries(block, row):
    csr = block.csr
    where = slice(csr.indptr[row], csr.indptr[row + 1])
    return dict(zip(csr.indices[where].tolist(), csr.data[where].tolist()))


def test_the_parts_of_a_line():
    block = read(b"1 2.0 'second_house |price:0.5 sqft:0.25 age 2006:3 |x y\n-1 | a b a:2.5\n| only\n0.5|tag a\n")
    assert entries(block, 0) == {
        column("price^sqft"): 0.125, column("price^age"): 0.5, column("price^2006"): 1.5, column("x^y"): 1.0
    }  # fmt: skip
    assert entries(block, 1) == {column("a"): 3.5, column("b"): 1.0}  # twice is added
    np.testing.assert_array_equal(block.labels, [1, -1, np.nan, np.nan])
    assert block.weights.tolist() == [2, 1, 1, 1]
    assert block.tags == ["second_house", "", "", "0.5"]  # what touches the bar is a tag
    assert block.n_features == 1 << 22


def test_base_is_read_and_left_out():
    assert read(b"1 2 0.5 'tag | a\n").weights.tolist() == [2]


def test_columns_that_fall_together_are_added():
    block = read(b"1 | a b c d e f\n", bits=1)
    assert block.csr.indices.tolist() == [0, 1]
    assert block.csr.data.sum() == 6


def test_blanks_and_names_of_any_script():
    block = read("1\t|\tschön:2\t  好 \r\n\n1 |b c|d e\n".encode())
    assert entries(block, 0) == {column("schön"): 2.0, column("好"): 1.0}
    assert entries(block, 1) == {column("b^c"): 1.0, column("d^e"): 1.0}
    assert block.lines.tolist() == [1, 3]


words = st.text("abc:|' \t1.\n\r", max_size=30)


@given(st.lists(words, max_size=6).map("\n".join), st.integers(1, 4))
def test_streams_give_the_rows_of_the_whole(text, block_rows):
    try:
        whole = read(text.encode(), on_error="skip")
    except rb.data.DataError as error:
        refusal = str(error)
        whole = None
    if whole is None:
        assert "empty" in refusal or "no rows" in refusal
        return
    with rb.data.stream(io.BytesIO(text.encode()), format="vw", on_error="skip", block_rows=block_rows) as blocks:
        parts = list(blocks)
        assert blocks.skipped.count == whole.skipped.count
    np.testing.assert_array_equal(np.concatenate([part.csr.indices for part in parts]), whole.csr.indices)
    np.testing.assert_array_equal(np.concatenate([part.csr.data for part in parts]), whole.csr.data)
    np.testing.assert_array_equal(np.concatenate([part.lines for part in parts]), whole.lines)
    assert [tag for part in parts for tag in part.tags] == whole.tags


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        (b"1 a b", "byte 1: no '|'"),
        (b"x | a", "the label 'x' is not a number"),
        (b"nan | a", "the label 'nan' is not a finite number"),
        (b"1 -2 | a", "byte 3: the importance weight '-2'"),
        (b"1 x | a", "the importance weight 'x'"),
        (b"1 2 3 4 | a", "byte 7: '4' is more than"),
        (b"1 'tag more | a", "'more' is more than"),
        (b"1 |a:x b", "byte 4: the weight of the namespace 'a:x'"),
        (b"1 | :3", "byte 5: the feature ':3' has no name"),
        (b"1 | a:b", "the value of 'a:b' is not a number"),
        (b"1 | a:inf", "the value of 'a:inf' is not a finite"),
        (b"1 | a:1e308 a:1e308", "is not a finite number"),
        (b"1 |b:1e200 a:1e200", "byte 12: the value of 'a:1e200' is not a finite number"),
        (b"1 | a\xff", "byte 6: byte 0xff is not UTF-8"),
    ],
)
def test_faults_have_their_place(line, telling):
    with pytest.raises(rb.data.DataError) as caught:
        read(b"1 | a\n" + line + b"\n1 | b\n")
    assert telling in str(caught.value)
    assert "line 2" in str(caught.value)
    kept = read(b"1 | a\n" + line + b"\n1 | b\n", on_error="skip")
    assert kept.lines.tolist() == [1, 3]
    assert (kept.skipped.count, str(kept.skipped.first[0])) == (1, str(caught.value))


def test_bytes_that_are_not_utf8_are_replaced_on_request():
    block = read(b"1 | a\xff\n", encoding_errors="replace")
    assert block.csr.indices.tolist() == [column("a\ufffd")]


def test_bits_are_checked():
    with pytest.raises(ValueError, match="bits must be a whole number from 1 to 32, got 40"):
        read(b"1 | a\n", bits=40)
    assert read(b"1 | a\n", bits=32).csr.indices.dtype == np.int64 or column("a", 32) < 1 << 31
