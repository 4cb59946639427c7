"""Bad files: each fault in one sentence with the file, the line and the byte or column; or skipped and counted."""

import gzip
import io
import json
import subprocess
import sys
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt.data import DataError

GOOD = b"1 1:1\n"


def of(text, **settings):
    return lambda: rb.data.read(io.BytesIO(text), **settings)


SVMLIGHT = {
    b"1 0:1": ("byte 3: index 0 in '0:1'", "zero_based=True"),
    b"1 3:1 2:1": ("byte 7: the index of '2:1' is less than the one before it",),
    b"1 3:1 3:2": ("byte 7: the index of '3:2' is the one before it again",),
    b"1 1:abc": ("byte 3: the value of '1:abc' is not a number",),
    b"1 1:1e": ("the value of '1:1e' is not a number",),
    b"1 1:0x10": ("the value of '1:0x10' is not a number",),
    b"1 1:1_0": ("the value of '1:1_0' is not a number",),
    b"1 1:": ("the value of '1:' is not a number",),
    b"1 1:NaN": ("byte 3: the value of '1:NaN' is not a finite number",),
    b"1 1:-inf": ("the value of '1:-inf' is not a finite number",),
    b"1 1:1e999": ("the value of '1:1e999' is not a finite number",),
    b"1:1 2:1": ("byte 1: the line begins with '1:1': its label is missing",),
    b"  2:1": ("byte 3: the line begins with '2:1': its label is missing",),
    b"1,2 1:1": ("several labels '1,2'",),
    b"cat 1:1": ("the label 'cat' is not a number",),
    b"nan 1:1": ("the label 'nan' is not a finite number",),
    b"1 5": ("byte 3: '5' is not index:value",),
    b"1 a:1": ("the index of 'a:1' is not a whole number",),
    b"1 +2:1": ("the index of '+2:1' is not a whole number",),
    b"1 -2:1": ("the index of '-2:1' is negative",),
    b"1 99999999999999999999:1": ("is too large",),
    b"1 18446744073709551617:1": ("is too large",),
    b"1 1:1 qid:3": ("the index of 'qid:3' is not a whole number",),
    b"1 qid:a 1:1": ("byte 3: the query id of 'qid:a'",),
    b"1 101:1": ("byte 3: the index of '101:1' is beyond the 100 features",),
    b"1 1:\xff": ("the value of",),
}


@pytest.mark.parametrize("line", SVMLIGHT)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_svmlight(line, end):
    text = GOOD + b"# a comment" + end + end + line + end + GOOD
    settings = {"format": "svmlight", "zero_based": False, "n_features": 100}
    one_sentence(of(text, **settings), DataError, "<file object>, line 4", *SVMLIGHT[line])
    data = of(text, **settings, on_error="skip")()
    assert data.lines.tolist() == [1, 5]
    assert data.skipped.count == 1
    assert data.skipped.first[0].line == 4


def test_the_first_fault_is_told_whatever_the_threads():
    text = GOOD * 5000 + b"1 1:x\n" + GOOD * 100_000 + b"1 1:y\n"
    for n_threads in (1, 2, 8):
        one_sentence(of(text, format="svmlight", n_threads=n_threads), DataError, "line 5001", "'1:x'")


def test_skipped_rows_are_counted_and_the_first_remembered():
    text = b"".join(b"1 1:x%d\n" % i if i % 2 else GOOD for i in range(40))
    data = of(text, format="svmlight", on_error="skip")()
    assert (len(data), data.skipped.count, len(data.skipped.first)) == (20, 20, 5)
    report = str(data.skipped).splitlines()
    assert report[0] == "20 rows skipped"
    assert report[1] == "  <file object>, line 2, byte 3: the value of '1:x1' is not a number"
    assert report[-1] == "  … and 15 more"
    assert str(of(GOOD)().skipped) == "no rows skipped"
    assert not of(GOOD)().skipped


CSV = b"label,age,text\npos,3,good\nneg,4,bad\n"
CHOSEN = {"format": "csv", "columns": {"label": "label", "numeric": "age", "text": "text"}}


@pytest.mark.parametrize(
    ("row", "telling"),
    [
        (b"pos,5", ("2 values where 3 columns are expected",)),
        (b"pos,5,a,b", ("4 values where 3 columns are expected", "quote a value that holds the delimiter ','")),
        (b"pos,five,a", ("column 'age'", "'five' is not a number")),
        (b",5,a", ("column 'label'", "the label is missing")),
        (b'"  ",5,a', ("column 'label'", "the label is missing")),
        (b"pos,5,a\xff", ("column 'text'", "byte 0xff is not UTF-8", "encoding='cp1252'")),
        (b"pos,5,a\xff,b", ("4 values where 3 columns are expected",)),
    ],
)
def test_csv(row, telling):
    text = CSV + row + b"\npos,6,fine\n"
    one_sentence(of(text, **CHOSEN), DataError, "line 4", *telling)
    data = of(text, **CHOSEN, on_error="skip")()
    assert data.lines.tolist() == [2, 3, 5]
    assert data.skipped.count == 1
    with rb.data.stream(io.BytesIO(text), block_rows=1, on_error="skip", **CHOSEN) as blocks:
        assert [line for block in blocks for line in block.lines] == [2, 3, 5]


def test_names_of_columns_that_are_not_utf8():
    text = b"\nlabel,te\xffxt\na,b\n"
    one_sentence(of(text, format="csv"), DataError, "line 2, byte 9: byte 0xff is not UTF-8", "convert the file")
    assert of(text, format="csv", encoding_errors="replace")().table.column_names == ["te\ufffdxt"]


def test_labels_that_are_infinite():
    one_sentence(of(b"x,label\n1,inf\n2,1.5\n", format="csv"), DataError, "line 2, column 'label'", "is infinite")


SETTINGS = [
    ({"format": 3}, TypeError, "format must be one of"),
    ({"format": "csv", "header": "yes"}, ValueError, "header must be True, False or None, got 'yes'"),
    ({"format": "csv", "encoding_errors": "ignore"}, ValueError, "encoding_errors must be 'strict' or 'replace'"),
    ({"format": "jsonl", "encoding_errors": "ignore"}, ValueError, "encoding_errors must be 'strict' or 'replace'"),
    ({"format": "vw", "encoding_errors": "ignore"}, ValueError, "encoding_errors must be 'strict' or 'replace'"),
    ({"format": "csv", "delimiter": '"'}, ValueError, "cannot both delimit values and quote them"),
    ({"format": "csv", "delimiter": 3}, ValueError, "delimiter must be one ASCII character, got 3"),
    ({"format": "svmlight", "n_features": "3"}, ValueError, "n_features must be a whole number >= 0, got '3'"),
    ({"format": "svmlight", "n_features": -1}, ValueError, "n_features must be a whole number >= 0, got -1"),
    ({"format": "svmlight", "dtype": "bogus"}, ValueError, "dtype must be float32 or float64, got 'bogus'"),
    ({"format": "vw", "bits": 2.5}, ValueError, "bits must be a whole number from 1 to 32, got 2.5"),
    ({"format": "csv", "columns": "label"}, TypeError, "columns must be a dict such as"),
    ({"format": "csv", "columns": {"label": 3}}, TypeError, "a column is named by a string, got 3"),
]


@pytest.mark.parametrize(("settings", "kind", "telling"), SETTINGS)
def test_settings_are_checked(settings, kind, telling):
    one_sentence(of(CSV, **settings), kind, telling)


def test_the_first_faulty_line_is_told_whatever_the_fault():
    text = CSV + b"pos,x,a\n,1,b\npos,1\n"
    one_sentence(of(text, **CHOSEN), DataError, "line 4", "'x' is not a number")
    assert [error.line for error in of(text, **CHOSEN, on_error="skip")().skipped.first] == [4, 5, 6]


def test_lines_of_faulty_rows_among_empty_lines_and_long_values():
    text = b'label,text\n\n\npos,"two\nlines"\n\nneg\n\npos,"a\n\nb"\nneg,1,2,3\n,x\npos,y\n'
    chosen = {"format": "csv", "columns": {"label": "label", "text": "text"}}
    data = of(text, **chosen, on_error="skip")()
    assert data.lines.tolist() == [4, 9, 14]
    assert [error.line for error in data.skipped.first] == [7, 12, 13]
    for block_rows in (1, 2, 3):
        with rb.data.stream(io.BytesIO(text), block_rows=block_rows, on_error="skip", **chosen) as blocks:
            assert [line for block in blocks for line in block.lines] == [4, 9, 14]
            assert [error.line for error in blocks.skipped.first] == [7, 12, 13]


def test_labels_that_change_their_type():
    text = b"y,x\n" + b"1,2\n" * 1500 + b"one,2\n"
    one_sentence(
        of(text, format="csv"), DataError, "line 1502", "column 'y'", "'one' is not an integer", "label_type='text'"
    )
    assert of(text, format="csv", columns={"label_type": "text"})().labels[-1] == "one"


@pytest.mark.parametrize("label", [["pos"], {"is": "pos"}])
def test_a_list_is_no_label_and_no_type_of_labels_makes_it_one(label):
    text = "".join(json.dumps({"label": label, "text": f"{word} film"}) + "\n" for word in ("good", "bad")).encode()
    with pytest.raises(DataError, match=r"line 1, column 'label': .* is not a string, which the column holds$"):
        of(text, format="jsonl")()


def test_a_quote_that_never_closes():
    text = CSV + b'pos,5,"open\n' + b"pos,1,a\n" * 5
    one_sentence(of(text, **CHOSEN), DataError, "line 4", "never closed")
    with rb.data.stream(io.BytesIO(text), block_rows=2, **CHOSEN) as blocks:
        assert next(blocks).lines.tolist() == [2, 3]
        one_sentence(lambda: next(blocks), DataError, "line 4", "never closed")
    assert of(CSV + b'pos,5,"shut"', **CHOSEN)().table["text"].to_pylist()[-1] == "shut"


def test_the_wrong_delimiter():
    one_sentence(of(CSV, format="csv", delimiter=";"), DataError, "line 1", "the delimiter ';'", "say delimiter=','")
    one_sentence(of(CSV, format="csv", delimiter=";;"), ValueError, "delimiter must be one ASCII character")


def test_unknown_columns():
    one_sentence(of(CSV, format="csv", columns={"text": "txet"}), DataError, "no column 'txet' (did you mean 'text'?)")
    one_sentence(
        of(CSV, format="csv", columns={"label": "zzz"}), DataError, "no column 'zzz'; the columns are: label, age"
    )
    one_sentence(
        of(CSV, format="csv", columns={"lable": "label"}), TypeError, "no setting 'lable' (did you mean 'label'?)"
    )
    one_sentence(of(GOOD, columns={"label": "y"}), TypeError, "format svmlight has no columns")
    one_sentence(of(b"a,a\n1,2\n", format="csv", header=True), DataError, "line 1", "two columns are called 'a'")
    one_sentence(lambda: rb.data.Columns(label_type="int"), ValueError, "label_type must be", "'int'")


def test_later_files_must_have_the_columns(tmp_path):
    (tmp_path / "1.csv").write_bytes(CSV)
    (tmp_path / "2.csv").write_bytes(b"text,label,years\na,pos,3\n")
    one_sentence(lambda: rb.data.read([tmp_path / "1.csv", tmp_path / "2.csv"]), DataError, "2.csv", "no column 'age'")
    (tmp_path / "2.csv").write_bytes(b"text,label,age\na,pos,3\n")
    both = rb.data.read([tmp_path / "1.csv", tmp_path / "2.csv"])
    assert both.table["age"].to_pylist() == [3, 4, 3]
    assert both.place(2) == f"{tmp_path / '2.csv'}, line 2"


JSON = b'{"label": 1, "age": 3}\n'


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        (b'{"label": 1, "age": ', ("not JSON", "byte")),
        (b"[1, 2]", ("not an object",)),
        (b'{"label": 1, "age": "x"}', ("column 'age'", "'x' is not a number")),
        (b'{"age": 3}', ("column 'label'", "the label is missing")),
        (b'{"label": null, "age": 3}', ("column 'label'", "the label is missing")),
        (b'{"label": 1, "age": [3]}', ("column 'age'", "is not a number")),
        (b'{"label": 1, "age": 3}{"label": 1}', ("not JSON", "Extra data")),
        (b'{"label": 1, "age": 3}\r{"label": 1}', ("byte 23: a carriage return alone ends no line",)),
        (b'{"label": 1, "age": 3} \r{"label": 1}', ("byte 24: a carriage return alone ends no line",)),
        (b'\xef\xbb\xbf{"label": 1, "age": 3}', ("byte 1: not JSON",)),  # a mark inside a file
        (b'{\x00"\x00a\x00"\x00:\x001\x00}\x00', ("not JSON",)),  # UTF-16 that is UTF-8, too
        (b'{"label": 1, \r"age": 3,}', ("byte 24: not JSON",)),  # a carriage return that is not at fault
        ('{"é": 1, "age": 3,}'.encode(), ("byte 20: not JSON",)),  # bytes are counted, not characters
        (b'{"label": 1, "age": 3, "x": "\xff"}', ("byte 30: byte 0xff is not UTF-8",)),
    ],
)
def test_json_lines(line, telling):
    text = JSON * 2 + b"\n" + line + b"\n" + JSON
    chosen = {"format": "jsonl", "columns": {"label": "label", "numeric": "age"}}
    one_sentence(of(text, **chosen), DataError, "line 4", *telling)
    data = of(text, **chosen, on_error="skip")()
    assert data.lines.tolist() == [1, 2, 5]
    assert data.skipped.count == 1


def test_a_missing_comma_between_lines_is_no_carriage_return():
    rows = b'[{"label": 1, "age": 3}\r\n{"label": 1, "age": 4}]\r\n'
    one_sentence(of(rows, format="json"), DataError, "not JSON: Extra data")
    assert of(rows.replace(b"}\r", b"},\r"), format="json", columns={"label": "label"})().labels.tolist() == [1, 1]


CUT_ARRAYS = [
    b'[{"a":1},{"a":2}',
    b'[{"a":1},{"a":2},',
    b'[{"a":1},{"a":2},\n',
    b'[{"a":1},{"a":2},{"a":',
    b'[{"a":1},{"a":"x},{]',
    b'[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n',
    b'[{"a":1},\n{"a":2},\n{"a":3}\n',
    b"[",
]


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("text", CUT_ARRAYS)
def test_an_array_that_is_cut_short(text, on_error, tmp_path):
    telling = "line 3: the array that begins here is never closed: is the file whole?"
    text = b"\n\n" + text
    (tmp_path / "rows.json").write_bytes(text)
    (tmp_path / "rows.json.gz").write_bytes(gzip.compress(text))
    for file in (str(tmp_path / "rows.json"), str(tmp_path / "rows.json.gz")):
        one_sentence(partial(rb.data.read, file, on_error=on_error), DataError, f"{file}, {telling}")
        one_sentence(partial(rb.data.convert, file, tmp_path / "t.csv", on_error=on_error), DataError, telling)
    for read, format in ((rb.data.read, "json"), (rb.data.read_sentences, "tagged-json")):
        one_sentence(partial(read, io.BytesIO(text), format=format, on_error=on_error), DataError, telling)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_rows_of_a_long_array_come_before_it_is_seen_to_be_cut_short(on_error):
    rows = b'{"label": 1, "age": 3},\n' * 40_000
    with rb.data.stream(io.BytesIO(b"[" + rows), block_rows=1000, on_error=on_error, format="json") as blocks:
        assert len(next(blocks)) == 1000
        one_sentence(lambda: list(blocks), DataError, "line 1: the array that begins here is never closed")


ARRAY_FAULTS = [
    (b"[ROW,\nROW\n],\n", "line 3: the array has ended, and there is text behind it"),
    (b"[ROW,\nROW][ROW]", "line 2: the array has ended"),
    (b"[ROW]\n\n[ROW]", "line 3: the array has ended"),
    (b"[ROW]\n\nROW", "line 3: the array has ended"),
    (b"[ROW,\nROW,\n]", "line 3: nothing stands before this ']': is there a comma too many?"),
    (b"[ROW,\n,ROW]", "line 2: nothing stands before this ','"),
    (b"[ROW,\nROW}", "line 2: '}' closes no object here"),
]


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize(("text", "telling"), ARRAY_FAULTS)
def test_an_array_that_goes_on_or_has_commas_too_many(text, telling, on_error):
    text = text.replace(b"ROW", JSON.strip())
    one_sentence(of(text, on_error=on_error), DataError, f"<file object>, {telling}")
    behind = text + b" " * (1 << 20)
    one_sentence(of(behind, on_error=on_error), DataError, telling)


def test_blanks_behind_an_array_are_nothing():
    rows = b"[" + JSON.strip() + b"," + JSON + b"]\r\n" + b"\n \t" * (1 << 20)
    assert len(of(rows, columns={"label": "label"})()) == 2
    one_sentence(of(b"[ ]\n", format="json"), DataError, "the file is empty")


def test_json_that_is_no_text_or_too_deep():
    half = b'{"label": "a", "t": "x"}\n{"label": "b", "t": "\\ud800"}\n'
    one_sentence(of(half, format="jsonl"), DataError, "line 2, column 't'", "is not a string")
    deep = b'{"label": "a", "t": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    one_sentence(of(deep, format="jsonl"), DataError, "line 1", "not JSON")
    assert len(of(deep + half, format="jsonl", on_error="skip", columns={"label": "label", "text": "t"})()) == 1


@pytest.mark.parametrize("format", ["svmlight", "vw", "csv", "jsonl", None])
@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n"])
def test_empty_files(format, text):
    if text and format in ("csv", "vw") and b"#" in text:
        return  # there it is a row
    if format is None and b"#" not in text:
        one_sentence(of(text), DataError, "empty")
    else:
        kind = DataError
        with pytest.raises(kind) as caught:
            of(text, format=format)()
        assert any(word in str(caught.value) for word in ("empty", "no rows", "not JSON"))


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_files_that_are_not_what_they_are_called(tmp_path, format):
    path = tmp_path / f"x.{format}"
    path.write_bytes(b"PAR1 nothing of it PAR1")
    one_sentence(lambda: rb.data.read(path, format=format), DataError, f"x.{format}", "cut short")


def test_a_parquet_file_cut_short(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    pa.parquet.write_table(pa.table({"label": [1, 2], "x": [1.0, 2.0]}), tmp_path / "x.parquet")
    content = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(content[:-10])
    one_sentence(lambda: rb.data.read(tmp_path / "x.parquet"), DataError, "x.parquet", "cut short")


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_damaged_arrow_files_never_crash(tmp_path, format):
    table = pa.table(
        {"label": ["a", "b", "c"] * 30, "x": range(90), "text": [f"word {i} of ünïcode" for i in range(90)]}
    )
    rb.data.write(tmp_path / f"good.{format}", [_block_of(table)])
    good, path = (tmp_path / f"good.{format}").read_bytes(), tmp_path / f"bad.{format}"
    code = (
        "import sys, rosenblatt as rb\n"
        "good, path = open(sys.argv[1], 'rb').read(), sys.argv[2]\n"
        "for i in range(0, len(good), 7):\n"
        "    open(path, 'wb').write(good[:i] + bytes([good[i] ^ 255]) + good[i + 1:])\n"
        "    try: rb.data.read(path).table.to_pylist()\n"
        "    except rb.data.DataError as error: assert len(str(error).splitlines()) == 1\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / f"good.{format}"), str(path)], check=True)
    for cut in range(4, len(good), 97):
        path.write_bytes(good[:cut])
        one_sentence(lambda: rb.data.read(path), DataError, f"bad.{format}")


def _block_of(table):
    return rb.data.Block(
        np.array(table["label"].to_pylist()), np.arange(90), (("t", 0),), columns=table.drop(["label"])
    )


def test_two_columns_of_one_name(tmp_path):
    pa.parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"]), tmp_path / "t.parquet")
    one_sentence(lambda: rb.data.read(tmp_path / "t.parquet"), DataError, "two columns are called 'x'; rename one")


def test_settings_of_another_format():
    one_sentence(of(GOOD, bits=3), TypeError, "the format svmlight has no setting 'bits'", "zero_based")
    one_sentence(of(GOOD, zero_base=True), TypeError, "'zero_base' (did you mean 'zero_based'?)")
    one_sentence(of(GOOD, format="libsmv"), ValueError, "no format 'libsmv' (did you mean 'libsvm'?)")
    one_sentence(of(GOOD, format=rb.data.Svmlight(), dtype="float32"), TypeError, "say 'dtype' in the format itself")
    one_sentence(of(GOOD, on_error="ignore"), ValueError, "on_error must be 'raise' or 'skip', got 'ignore'")
    one_sentence(of(GOOD, dtype="int32"), ValueError, "dtype must be float32 or float64")
    one_sentence(of(GOOD, zero_based="maybe"), ValueError, "zero_based must be True, False or 'auto', got 'maybe'")
    one_sentence(of(GOOD, n_threads=0), ValueError, "n_threads must be at least 1, got 0")


def test_binary_files_are_not_csv():
    one_sentence(of(b"\x00\x01\x02\n" * 10), DataError, "say which format it is")


def without(modules, script):
    refuse = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {modules!r}: raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
    )
    done = subprocess.run([sys.executable, "-c", refuse + script], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_without_pyarrow_one_sentence_says_what_is_missing():
    script = "import io, rosenblatt as rb\nrb.data.read(io.BytesIO(b'label,x\\n1,2\\n'))"
    last = without(("pyarrow",), script).strip().splitlines()[-1]
    assert last == "ImportError: CSV files need pyarrow, which comes with rosenblatt: pip install pyarrow"


def test_sparse_formats_need_numpy_alone():
    script = (
        "import io, rosenblatt as rb\nfrom rosenblatt.core import engine\n"
        "d = rb.data.read(io.BytesIO(b'1 1:1\\n-1 2:1\\n'))\n"
        "v = rb.data.read(io.BytesIO(b'1 | a\\n'))\n"
        "print(engine.admit(d.csr).n_features, len(v))\nrb.data.write_svmlight('-', d.csr, d.y)"
    )
    assert without(("pyarrow", "sklearn", "scipy", "pandas"), script).split() == ["2", "1", "1", "1:1", "-1", "2:1"]


def test_a_stream_without_rows_says_so():
    for text, telling in ((b"# nothing\n", "there are no rows"), (b"x\ny\n", "there are no rows; 2 were skipped")):
        with rb.data.stream(io.BytesIO(text), format="svmlight", on_error="skip") as blocks:
            one_sentence(lambda: list(blocks), DataError, telling)
