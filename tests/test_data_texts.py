"""Columns of text without Arrow: what Arrow makes of them is what was put in."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core import engine
from rosenblatt.data import Block
from rosenblatt.data.arrow import Strings, Texts, chained, content_of
from rosenblatt.data.blocks import mean_length

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1, max_size=6)


def strings(words, room=b""):
    encoded = [word.encode() for word in words]
    starts = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    return Strings(starts.tobytes(), b"".join(encoded) + room)


@given(WORDS, st.binary(max_size=3))
def test_arrow_reads_them_where_they_lie(words, room):
    column = strings(words, room)
    assert len(column) == len(words)
    assert pa.array(column).to_pylist() == words
    assert Texts({"a": column}).table.to_pydict() == {"a": words}
    for n in range(len(words) + 1):
        assert pa.array(column.head(n)).to_pylist() == words[:n]


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(0, 4))
def test_columns_one_behind_the_other(parts, of_arrow):
    columns = [pa.chunked_array([part]) if i < of_arrow else strings(part, b"x") for i, part in enumerate(parts)]
    joined = chained(columns)
    found = pa.array(joined) if isinstance(joined, Strings) else joined
    assert found.to_pylist() == [word for part in parts for word in part]


def test_numbered_strings_are_a_dictionary():
    words = strings(["neg", "pos"])
    column = Strings(words.starts, words.text, np.array([1, 0, 1], np.int32).tobytes())
    assert len(column) == 3
    assert column.to_arrow().to_pylist() == ["pos", "neg", "pos"]
    known, codes = column.numbered()
    assert (known, codes.tolist()) == (["neg", "pos"], [1, 0, 1])


@given(WORDS, st.binary(max_size=9))
def test_what_a_column_holds_does_not_depend_on_how(words, room):
    numbers = {word: i for i, word in enumerate(dict.fromkeys(words))}
    coded = strings(list(numbers), room)
    coded.codes = np.array([numbers[word] for word in words], np.int32).tobytes()
    columns = [
        strings(words, room), coded, pa.chunked_array([words], pa.string()), pa.array(words, pa.large_string()),
        pa.array(words, pa.string()).dictionary_encode(),
    ]  # fmt: skip
    lines = np.arange(len(words))
    for column in columns:
        assert content_of(column) == len("".join(words).encode())
        table = Texts({"a": column}) if isinstance(column, Strings) else pa.table({"a": column})
        length = mean_length(Block(None, lines, (("f", 0),), columns=table), ["a"])
        assert length * max(len(words), 1) == pytest.approx(len("".join(words)))


def test_a_number_is_eight_bytes_of_what_a_column_holds():
    assert content_of(pa.array([1.5, None, 3.0])) == 24
    assert Block(None, np.arange(2), (("f", 0),), columns=pa.table({"a": [1.0, 2.0], "b": ["x", None]})).content == 17


def test_starts_of_another_text_are_refused():
    for starts, text in (([0, 5], b"abc"), ([1, 3], b"abc"), ([], b"")):
        with pytest.raises(ValueError, match=r"starts of another text|must rise"):
            engine.arrow_strings(np.array(starts, np.int32).tobytes(), text)


def test_text_is_learned_from_without_arrow(tmp_path):
    (tmp_path / "a.csv").write_text(
        "label,text\n" + "pos,a good film that I liked\nneg,a bad film that was long\n" * 30
    )
    code = (
        "import sys; from rosenblatt import cli; "
        f"assert cli.main(['train', {str(tmp_path / 'a.csv')!r}, '-o', {str(tmp_path / 'm')!r}, '-q', "
        "'--block-rows', '7', '--passes', '1', '--text', 'text']) == 0; assert 'pyarrow' not in sys.modules"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
