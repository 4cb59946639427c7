"""Tables: CSV, JSON lines, Parquet and Arrow give the same blocks; guesses, types, lines and faults."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt.core import engine
from rosenblatt.data.csv_files import sniff_delimiter
from rosenblatt.data.headers import LABEL_NAMES, guess_header
from rosenblatt.data.profiles import profile_strings

REVIEW = "a rather good film that I liked very much"
TABLE = {
    "label": ["pos", "neg", "pos", "neg"],
    "age": [3.0, 4.5, None, -1.0],
    "job": ["cook", "pilot", "cook", None],
    "review": [REVIEW, 'a bad, "long" film\nof two lines', "schön und gut, 好 " + REVIEW, REVIEW],
}


def csv_bytes(table=TABLE, delimiter=","):
    def cell(value):
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in f'{delimiter}"\n') else text

    rows = [list(table), *zip(*table.values())]
    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows).encode()


def json_bytes(table=TABLE):
    rows = [dict(zip(table, row)) for row in zip(*table.values())]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def written(tmp_path, format, table=TABLE):
    path = tmp_path / f"table.{format}"
    if format == "csv":
        path.write_bytes(csv_bytes(table))
    elif format == "jsonl":
        path.write_bytes(json_bytes(table))
    elif format == "parquet":
        pa.parquet.write_table(pa.table(table), path, row_group_size=3)
    else:
        pa.feather.write_feather(pa.table(table), path)
    return path


FORMATS = ("csv", "jsonl", "parquet", "feather")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_same_block(tmp_path, format):
    data = rb.data.read(written(tmp_path, format))
    assert data.labels.tolist() == TABLE["label"]
    assert data.labels.dtype.kind == "U"
    assert data.table.to_pydict() == {"age": TABLE["age"], "job": TABLE["job"], "review": TABLE["review"]}
    assert [str(column.type) for column in data.table.columns] == ["double", "string", "string"]
    columns = data.columns
    assert (columns.label, columns.text, columns.numeric, columns.categorical) == (
        "label", ("review",), ("age",), ("job",)
    )  # fmt: skip
    assert data.lines.tolist() == {"csv": [2, 3, 5, 6], "jsonl": [1, 2, 3, 4]}.get(format, [1, 2, 3, 4])
    assert data.place(2) == f"{tmp_path / ('table.' + format)}, {data.block.unit} {data.lines[2]}"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("block_rows", [1, 2, 3, 100])
def test_streams_give_the_rows_of_the_whole(tmp_path, format, block_rows):
    path = written(tmp_path, format)
    whole = rb.data.read(path)
    with rb.data.stream(path, block_rows=block_rows) as blocks:
        assert blocks.columns == whole.columns
        parts = list(blocks)
    assert [len(part) for part in parts[:-1]] == [block_rows] * (len(parts) - 1)
    assert pa.concat_tables([part.table for part in parts]).to_pydict() == whole.table.to_pydict()
    assert np.concatenate([part.labels for part in parts]).tolist() == whole.labels.tolist()
    assert np.concatenate([part.lines for part in parts]).tolist() == whole.lines.tolist()


cells = st.text(st.sampled_from('ab ,;"\n\r|\t1.é'), max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.integers(1, 4), st.sampled_from(["\n", "\r\n"]))
def test_values_of_csv_are_those_of_arrow(rows, block_rows, end):
    """Whatever stands in quoted values; rows, lines and blocks are told apart as Arrow does."""
    quoted = [[f'"{cell}"' for cell in (a.replace('"', '""'), b.replace('"', '""'))] for a, b in rows]
    text = end.join(",".join(row) for row in [("x", "y"), *quoted]).encode()
    theirs = pa.csv.read_csv(
        pa.BufferReader(text),
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(column_types={"x": pa.string(), "y": pa.string()}),
    )
    chosen = {"columns": {"label": False, "text": ["x", "y"]}, "delimiter": ",", "header": True, "format": "csv"}
    whole = rb.data.read(io.BytesIO(text), **chosen)
    assert whole.table.to_pydict() == theirs.to_pydict()
    with rb.data.stream(io.BytesIO(text), block_rows=block_rows, **chosen) as blocks:
        parts = list(blocks)
    assert pa.concat_tables([part.table for part in parts]).to_pydict() == theirs.to_pydict()
    assert np.concatenate([part.lines for part in parts]).tolist() == whole.lines.tolist()
    if end == "\n":  # the line on which each row begins
        starts = [2 + sum(1 + (a + b).count("\n") for a, b in rows[:i]) for i in range(len(rows))]
        if not any("\r" in a + b for a, b in rows):
            assert whole.lines.tolist() == starts


@given(st.text(st.sampled_from('ab",\n\r'), max_size=24), st.integers(1, 3))
def test_stray_quotes_never_lose_rows(text, block_rows):
    """Any text either reads in blocks as it reads whole, or is refused both ways."""
    chosen = {"columns": {"label": False, "text": ["c1", "c2"]}, "delimiter": ",", "header": False, "format": "csv"}
    text = ("first,row\n" + text).encode()

    def tried(read):
        try:
            return read()
        except rb.data.DataError:
            return None

    def in_blocks():
        with rb.data.stream(io.BytesIO(text), block_rows=block_rows, **chosen) as blocks:
            return pa.concat_tables([block.table for block in blocks]).to_pydict()

    assert tried(lambda: rb.data.read(io.BytesIO(text), **chosen).table.to_pydict()) == tried(in_blocks)


def test_real_files_read_as_arrow_reads_them(data_folder):
    path = data_folder / "20news" / "test.csv.gz"
    theirs = pa.csv.read_csv(path, parse_options=pa.csv.ParseOptions(newlines_in_values=True))
    ours = rb.data.read(path)
    assert ours.table["text"].to_pylist() == theirs["text"].to_pylist()
    assert ours.labels.tolist() == theirs["label"].to_pylist()
    with rb.data.stream(path, block_rows=999) as blocks:
        assert np.concatenate([block.lines for block in blocks]).tolist() == ours.lines.tolist()


# ---- guesses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    data = rb.data.read(io.BytesIO(csv_bytes(delimiter=delimiter)), format="csv")
    assert data.format.delimiter == delimiter
    assert data.table["review"].to_pylist() == TABLE["review"]


def test_commas_in_text_do_not_fool_the_delimiter():
    assert sniff_delimiter("a;b\nx, y;1\nx;2\nx, y, z;3\n", '"', True) == ";"
    assert sniff_delimiter("only one column\nx y\n", '"', True) == ","


def test_a_header_is_names():
    assert guess_header(["label", "text"], []).is_header
    for row in (["1", "x"], ["a", ""], ["a", "a"], ["x", "y" * 90]):
        assert not guess_header(row, []).is_header
    assert guess_header(["good", "good"], [["bad", "good"]]) == (False, True)
    one_sentence(
        lambda: rb.data.read(io.BytesIO(b"label,a,a\nx,1,2\ny,3,4\n"), format="csv"),
        rb.data.DataError, "two columns are called 'a'", "header=False",
    )  # fmt: skip
    data = rb.data.read(io.BytesIO(b"1,2.5,0\n2,3.5,1\n3,4.5,0\n"), format="csv")
    assert data.format.header is False
    assert data.columns.label == "c3"
    assert data.table.column_names == ["c1", "c2"]
    assert data.lines.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", LABEL_NAMES)
def test_labels_by_name(name):
    data = rb.data.read(io.BytesIO(f"a,{name.upper()},b\n1,2,3\n4,5,6\n".encode()), format="csv")
    assert data.columns.label == name.upper()
    assert data.columns.why[name.upper()] == "guessed from its name"
    assert data.labels.tolist() == [2, 5]
    assert data.labels.dtype == np.int64


def test_labels_by_place_and_none():
    rows = "".join(f"{i / 7},word{i},{i % 3}\n" for i in range(60))
    assert rb.data.read(io.BytesIO(("x,name,kind\n" + rows).encode()), format="csv").columns.label == "kind"
    rows = "".join(f"{i % 3},{i / 7}\n" for i in range(60))
    assert rb.data.read(io.BytesIO(("kind,x\n" + rows).encode()), format="csv").columns.label == "kind"
    rows = "".join(f"{i / 3},{i / 7}\n" for i in range(60))
    data = rb.data.read(io.BytesIO(("x,z\n" + rows).encode()), format="csv")
    assert data.columns.label is False
    assert data.labels is None


def test_covtype_and_flights(data_folder):
    with rb.data.stream(data_folder / "covtype" / "covtype.csv.gz") as blocks:
        assert blocks.columns.label == "Cover_Type"
        assert len(blocks.columns.numeric) == 54
    with rb.data.stream(data_folder / "flights" / "flights-3m.parquet") as blocks:
        assert blocks.columns.categorical == ("origin", "destination")
        assert blocks.columns.ignored == ("date",)
        assert blocks.columns.why["date"].startswith("not used: dates")


def test_what_is_named_is_used_and_nothing_else():
    data = rb.data.read(
        io.BytesIO(csv_bytes()), format="csv", columns={"label": "job", "text": "review"}, on_error="skip"
    )
    assert data.table.column_names == ["review"]
    assert data.labels.tolist() == ["cook", "pilot", "cook"]
    assert set(data.columns.ignored) == {"label", "age"}
    assert str(data.columns).splitlines()[0] == "label: job"


def test_kinds_of_strings():
    assert profile_strings(["1", " 2", ""]).kind == "integer"
    assert profile_strings(["1", "2.5", "1e3"]).kind == "number"
    assert profile_strings(["1_000", "2"]).kind == "string"
    assert profile_strings([]).kind == "string"


def test_types_of_labels(tmp_path):
    for values, kind in (([1, 2], "i"), ([1.5, 2.0], "f"), ([True, False], "b"), (["a", "b"], "U")):
        for format in ("jsonl", "parquet"):
            data = rb.data.read(written(tmp_path, format, {"y": values, "x": [1.0, 2.0]}))
            assert data.labels.tolist() == values
            assert data.labels.dtype.kind == kind
    words = rb.data.read(io.BytesIO(b"y,x\n1,2\n2,3\n"), format="csv", columns={"label_type": "text"})
    assert words.labels.tolist() == ["1", "2"]


def test_json_categories_may_be_numbers_and_values_may_change_type():
    text = b'{"y": 1, "k": 3, "x": 1}\n{"y": 0, "k": 4, "x": 2.5}\n'
    chosen = {"columns": {"categorical": "k", "numeric": "x"}, "format": "jsonl"}
    assert rb.data.read(io.BytesIO(text), **chosen).table.to_pydict() == {"x": [1.0, 2.5], "k": ["3", "4"]}
    mixed = text + b'{"y": 1, "k": "five", "x": null, "more": [1]}\n{"y": 1, "k": true}\n'
    assert rb.data.read(io.BytesIO(mixed), **chosen).table.to_pydict() == {
        "x": [1.0, 2.5, None, None], "k": ["3", "4", "five", "true"]
    }  # fmt: skip


def test_dictionaries_of_arrow_are_categories(tmp_path):
    table = pa.table({"y": [0, 1], "kind": pa.array(["a", "b"]).dictionary_encode()})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    data = rb.data.read(tmp_path / "t.parquet")
    assert data.columns.categorical == ("kind",)
    assert data.table["kind"].to_pylist() == ["a", "b"]


def test_arrow_streams_and_files_that_cannot_be_sought(tmp_path):
    table = pa.table(TABLE)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    streamed = io.BytesIO(sink.getvalue().to_pybytes())
    assert rb.data.read(streamed).table["age"].to_pylist() == TABLE["age"]
    parquet = io.BytesIO(written(tmp_path, "parquet").read_bytes())
    assert rb.data.read(parquet).format == rb.data.Parquet()
    parquet.seek(0)
    with rb.data.stream(parquet, block_rows=3) as blocks:
        assert [len(block) for block in blocks] == [3, 1]


def test_weights_of_a_column():
    text = b"y,w,x\na,1,2\nb,0.5,3\na,-1,4\nb,,5\n"
    chosen = {"columns": {"weight": "w"}, "format": "csv"}
    with pytest.raises(rb.data.DataError, match=r"line 4, column 'w': the weight is not a number from 0 on"):
        rb.data.read(io.BytesIO(text), **chosen)
    data = rb.data.read(io.BytesIO(text), **chosen, on_error="skip")
    assert data.weights.tolist() == [1, 0.5]
    assert data.skipped.count == 2


def test_missing_numbers_and_categories_are_null():
    text = b"y,x,k\n1,NA,a\n0,,\n1,?,b\n1,2,NA\n"
    data = rb.data.read(io.BytesIO(text), format="csv", columns={"numeric": "x", "categorical": "k"})
    assert data.table.to_pydict() == {"x": [None, None, None, 2.0], "k": ["a", None, "b", "NA"]}


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("last", ["\n", ""])
def test_a_value_of_several_lines_on_the_border_of_what_arrow_takes_at_once(end, last):
    value = "a" * 3000 + end + "b," + "c" * 20_000  # the line end lies before the border, and no other between them
    text = ("label,text\n" + f"pos,{'x' * 995}\n" * 16_770 + f'neg,"{value}"\npos,y{last}').encode()
    data = rb.data.read(io.BytesIO(text), columns={"label": "label", "text": "text"}, format="csv")
    assert data.table["text"].to_pylist()[-2:] == [value, "y"]
    assert data.labels[-2:].tolist() == ["neg", "pos"]


@pytest.mark.parametrize("format", [pytest.param("csv", marks=pytest.mark.slow), "jsonl"])
def test_a_value_of_many_megabytes(format):
    value = "ab " * (6 << 20)  # more than is read at once
    text = csv_bytes if format == "csv" else json_bytes
    rows = text({"label": ["pos", "neg"], "text": [value, "y"]})
    for skip in (b"", b"," if format == "csv" else b"{}\n"):  # with a faulty row behind them too
        data = rb.data.read(io.BytesIO(rows + skip), columns={"label": "label", "text": "text"}, format=format,
                            on_error="skip")  # fmt: skip
        assert data.table["text"].to_pylist() == [value, "y"]
        assert data.skipped.count == bool(skip)


def test_a_first_row_of_a_long_value():
    text = b"pos," + b"a" * 200_000 + b"\nneg,b\n"
    data = rb.data.read(io.BytesIO(text), format="csv", header=False, columns={"label": "c1", "text": "c2"})
    assert [len(value) for value in data.table["c2"].to_pylist()] == [200_000, 1]


@pytest.mark.parametrize("format", FORMATS)
def test_nan_is_missing(tmp_path, format):
    if format == "csv":
        (tmp_path / "t.csv").write_text("label,x\na,1\nb,NAN\n")
    elif format == "jsonl":
        (tmp_path / "t.jsonl").write_text('{"label": "a", "x": 1}\n{"label": "b", "x": NaN}\n')
    else:
        written(tmp_path, format, {"label": ["a", "b"], "x": [1.0, float("nan")]}).rename(tmp_path / f"t.{format}")
    data = rb.data.read(tmp_path / f"t.{format}", columns={"label": "label", "numeric": "x"})
    assert data.table["x"].to_pylist() == [1.0, None]
    with pytest.raises(rb.data.DataError, match=r"(line|row) [23], column 'x': the value is missing"):
        rb.data.Encoder(data.columns).encode(data.block, learn=True)


def test_types_of_arrow_columns(tmp_path):
    table = pa.table({
        "label": ["a", "b"] * 20,
        "id": pa.array([2**63 + 5, 2**53 + 1] * 20, pa.uint64()),
        "view": pa.array(["some words of a review", "a few words more"] * 20, pa.string_view()),
        "day": pa.array([0, 1] * 20, pa.date32()),
    })  # fmt: skip
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    data = rb.data.read(tmp_path / "t.arrow")
    assert (data.columns.numeric, data.columns.text, data.columns.ignored) == (("id",), ("view",), ("day",))
    assert data.table["id"].to_pylist()[:2] == [float(2**63 + 5), float(2**53 + 1)]
    assert data.table["view"].to_pylist() == table["view"].to_pylist()


def test_whole_numbers_are_decimal_in_blocks_of_any_size():
    text = b"x,label\n1,1\na,0\n2,0x1\n3,0\n"
    chosen = {
        "columns": {"label": "label", "numeric": "x", "label_type": "integer"},
        "on_error": "skip",
        "format": "csv",
    }
    assert rb.data.read(io.BytesIO(text), **chosen).lines.tolist() == [2, 5]
    for block_rows in (1, 2, 3):
        with rb.data.stream(io.BytesIO(text), block_rows=block_rows, **chosen) as blocks:
            assert [line for block in blocks for line in block.lines] == [2, 5]


def test_a_key_that_only_later_rows_have_is_a_column_in_blocks_of_any_size():
    text = b'{"label": 1}\n{"label": 0, "x": 2}\n'
    for block_rows in (1, 2):
        with rb.data.stream(io.BytesIO(text), block_rows=block_rows, format="jsonl") as blocks:
            assert [value for block in blocks for value in block.table["x"].to_pylist()] == [None, 2.0]


def test_a_blank_line_of_json_is_no_row_whatever_else_is_there():
    text = b' \n{"label": 1, "x": 2}{"label": 0, "x": 3}\n\t\r\n{"label": 1, "x": 4}\n'
    for block_rows in (1, 2, 3):
        with rb.data.stream(io.BytesIO(text), block_rows=block_rows, format="jsonl", on_error="skip") as blocks:
            assert [line for block in blocks for line in block.lines] == [4]
    data = rb.data.read(io.BytesIO(text), format="jsonl", on_error="skip")
    assert (data.lines.tolist(), data.skipped.first[0].line, data.skipped.count) == ([4], 2, 1)


@given(
    st.lists(st.lists(st.text('ab,;"\n\r é字', max_size=5), min_size=2, max_size=3), min_size=1, max_size=6),
    st.text('ab,"\n\ré', max_size=8).map(str.encode) | st.binary(max_size=4),
    st.sampled_from([1, 2, 100]),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
)
def test_text_cut_from_csv_is_what_arrow_reads(rows, stray, block_rows, end):
    """Plain text is cut by us and all else by Arrow: to the user they are one reader."""
    quoted = [
        ",".join(f'"{value.replace(chr(34), chr(34) * 2)}"' if i % 2 else value for i, value in enumerate(row))
        for row in rows
    ]
    text = f"label,text,more{end}".encode() + end.join(quoted).encode() + stray
    chosen = {"format": "csv", "columns": {"label": "label", "text": ["text", "more"], "label_type": "text"}}

    def read():
        try:
            with rb.data.stream(
                io.BytesIO(text), block_rows=block_rows, on_error="skip", header=True, **chosen
            ) as blocks:
                found = [(b.labels.tolist(), b.lines.tolist(), b.table.to_pydict()) for b in blocks]
            return found, str(blocks.skipped)
        except rb.data.DataError as error:
            return str(error)

    ours = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "cut_csv", lambda *_: None)
        assert ours == read()
