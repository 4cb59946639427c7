"""From table to table: names, order, types and values are kept exactly, or the column is refused by its name."""

import datetime
import decimal
import io
import json

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import cli

NOON = datetime.datetime(2020, 2, 29, 12, 30)
ROWS = pa.table(
    {
        "target": pa.array(["b", "a", None]),
        "when": pa.array([NOON, None, NOON], pa.timestamp("us")),
        "day": pa.array([NOON.date()] * 3),
        "large": pa.array([9007199254740993, None, -1]),
        "zip": ["007", "7", ""],
        "is": [True, False, None],
        "small": pa.array([0.1, None, 3.0], pa.float32()),
        "size": [0.1, 7.0, None],
        "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "tags": [[1, 2], [], None],
        "label": ["this", "is no label", "at all"],
    }
)
TEXT = (
    b'zip,large,label,is,size,when,note,empty\n007,9007199254740993,x,true,7.0,2020-01-01,"a, b",\n'
    b'7,-1,y,false,1.5,2020-01-02,"say ""no""",\n0,0,x,true,0.1,2020-01-03,two lines,\n'
)


def written(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".arrow":
        feather.write_feather(table, path, compression="uncompressed")
    return path


def stored(path):
    return pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)


@pytest.mark.parametrize("block_rows", [2, 100])
@pytest.mark.parametrize(("one", "other"), [("parquet", "arrow"), ("arrow", "parquet"), ("parquet", "parquet")])
def test_arrow_and_parquet_keep_all(one, other, block_rows, tmp_path):
    new = tmp_path / f"new.{other}"
    assert rb.data.convert(written(ROWS, tmp_path / f"old.{one}"), new, block_rows=block_rows)[0] == 3
    assert stored(new).equals(ROWS)


def test_lists_are_refused_by_csv_and_dropped_when_asked(tmp_path, capsys):
    old = written(ROWS, tmp_path / "old.parquet")
    with pytest.raises(ValueError, match=r"the column 'tags' holds list<.*int64>, which csv cannot; .* drop='tags'"):
        rb.data.convert(old, tmp_path / "new.csv")
    assert cli.main(["convert", str(old), str(tmp_path / "new.csv")]) == 1
    assert "leave it out with --drop tags" in capsys.readouterr().err
    assert not (tmp_path / "new.csv").exists()
    assert cli.main(["convert", str(old), str(tmp_path / "new.csv"), "--drop", "tags"]) == 0
    assert capsys.readouterr().out.endswith("new.csv, without tags\n")
    assert (tmp_path / "new.csv").read_text().splitlines() == [
        "target,when,day,large,zip,is,small,size,price,kind,label",
        "b,2020-02-29 12:30:00.000000,2020-02-29,9007199254740993,007,true,0.1,0.1,1.50,x,this",
        "a,,2020-02-29,,7,false,,7.0,,y,is no label",
        ',2020-02-29 12:30:00.000000,2020-02-29,-1,"",,3.0,,2.25,x,at all',
    ]


def test_json_keeps_what_json_has(tmp_path):
    rb.data.convert(written(ROWS, tmp_path / "old.parquet"), tmp_path / "new.jsonl")
    first, second, third = map(json.loads, (tmp_path / "new.jsonl").read_text().splitlines())
    assert list(first) == ROWS.column_names
    assert (first["large"], first["zip"], first["is"], first["tags"], first["small"]) == (
        2**53 + 1,
        "007",
        True,
        [1, 2],
        0.1,
    )
    assert (second["size"], type(second["size"]), second["tags"], second["when"]) == (7.0, float, [], None)
    assert '"price": 1.50' in (tmp_path / "new.jsonl").read_text()
    assert third["target"] is None
    back = tmp_path / "back.parquet"
    rb.data.convert(tmp_path / "new.jsonl", back, block_rows=1)
    for name in ("target", "large", "zip", "is", "size", "tags", "label"):
        assert stored(back)[name].to_pylist() == ROWS[name].to_pylist()


@pytest.mark.parametrize("to", ["parquet", "arrow"])
@pytest.mark.parametrize("block_rows", [1, 100])
def test_text_of_csv_becomes_numbers_only_where_all_of_it_is(to, block_rows, tmp_path):
    (tmp_path / "old.csv").write_bytes(TEXT)
    rb.data.convert(tmp_path / "old.csv", tmp_path / f"new.{to}", block_rows=block_rows)
    new = stored(tmp_path / f"new.{to}")
    assert new.column_names == TEXT.decode().splitlines()[0].split(",")
    assert [str(type_) for type_ in new.schema.types] == [
        "string", "int64", "string", "bool", "double", "string", "string", "string"
    ]  # fmt: skip
    assert new["zip"].to_pylist() == ["007", "7", "0"]
    assert new["large"].to_pylist() == [9007199254740993, -1, 0]
    assert new["note"].to_pylist() == ["a, b", 'say "no"', "two lines"]


def test_a_value_late_in_the_file_decides_too(tmp_path):
    (tmp_path / "old.csv").write_text("n,target\n" + "1,a\n2,b\n" * 3000 + "007,a\n")
    rb.data.convert(tmp_path / "old.csv", tmp_path / "new.parquet")
    assert stored(tmp_path / "new.parquet")["n"].to_pylist()[-1] == "007"


CELLS = st.text(st.sampled_from('07.-eE1 "a,\ttrue\n'), max_size=6)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.integers(1, 3))
def test_csv_to_csv_is_the_same_text(tmp_path_factory, rows, block_rows):
    folder = tmp_path_factory.mktemp("csv")
    quoted = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows)
    (folder / "old.csv").write_text("x,z\n" + quoted, newline="")
    rb.data.convert(folder / "old.csv", folder / "new.tsv", block_rows=block_rows, header=True, delimiter=",")
    theirs = {"header": True, "format": "csv", "columns": {"label": False, "text": ["x", "z"]}}
    old, new = (rb.data.read(folder / name, **theirs) for name in ("old.csv", "new.tsv"))
    assert new.table.to_pydict() == old.table.to_pydict()


def test_csv_without_names_gets_none(tmp_path):
    (tmp_path / "old.csv").write_text("1.5,a\n2.5,b\n3.5,a\n")
    rb.data.convert(tmp_path / "old.csv", tmp_path / "new.tsv")
    assert (tmp_path / "new.tsv").read_text() == "1.5\ta\n2.5\tb\n3.5\ta\n"


def test_a_pipe_and_a_file_object_are_converted_too(tmp_path):
    assert rb.data.convert(io.BytesIO(TEXT), tmp_path / "new.parquet")[0] == 3
    assert stored(tmp_path / "new.parquet").num_columns == 8


@pytest.mark.parametrize(
    "text", [b'{"x": 1}\n{"x": "a"}\n', b'{"x": 9007199254740993}\n{"x": 0.5}\n', b'{"x": 1}\n{"x": true}\n']
)
@pytest.mark.parametrize("block_rows", [1, 10])
def test_values_without_a_type_in_common_are_refused(text, block_rows, tmp_path):
    (tmp_path / "old.jsonl").write_bytes(text)
    with pytest.raises(rb.data.DataError, match=r"column 'x'|Field x"):
        rb.data.convert(tmp_path / "old.jsonl", tmp_path / "new.parquet", block_rows=block_rows)
    assert not (tmp_path / "new.parquet").exists()


def test_json_has_no_nan(tmp_path):
    old = written(pa.table({"x": [1.0, float("nan")]}), tmp_path / "old.parquet")
    with pytest.raises(rb.data.DataError, match="JSON has no nan, which the column 'x' holds"):
        rb.data.convert(old, tmp_path / "new.jsonl")


def test_a_file_is_not_converted_onto_itself(tmp_path, capsys):
    (tmp_path / "old.csv").write_bytes(TEXT)
    (tmp_path / "link.csv").symlink_to(tmp_path / "old.csv")
    for name in ("old.csv", "link.csv"):
        with pytest.raises(rb.data.DataError, match="this file is read from and would be overwritten"):
            rb.data.convert(tmp_path / "old.csv", tmp_path / name)
    assert cli.main(["convert", str(tmp_path / "old.csv"), str(tmp_path / "old.csv")]) == 1
    assert (tmp_path / "old.csv").read_bytes() == TEXT


def test_columns_that_svmlight_would_lose_are_refused_by_name(tmp_path, capsys):
    (tmp_path / "old.csv").write_bytes(TEXT)
    convert = ["convert", str(tmp_path / "old.csv"), str(tmp_path / "new.svm")]
    assert cli.main(convert) == 1
    assert "the column 'when' would be lost in svmlight (not used: dates); leave it out with --drop when,empty" in (
        capsys.readouterr().err
    )
    assert cli.main([*convert, "--drop", "when,empty"]) == 0


def test_query_ids_and_tags_are_kept(tmp_path):
    (tmp_path / "old.svm").write_bytes(b"1 qid:3 1:0.5\n2 qid:4 2:1\n")
    rb.data.convert(tmp_path / "old.svm", tmp_path / "new.svm")
    assert (tmp_path / "new.svm").read_bytes() == b"1 qid:3 1:0.5\n2 qid:4 2:1\n"
    rb.data.convert(tmp_path / "old.svm", tmp_path / "new.parquet")
    assert stored(tmp_path / "new.parquet")["qid"].to_pylist() == [3, 4]


def test_a_name_that_tells_no_format_names_the_option(tmp_path, capsys):
    (tmp_path / "old.csv").write_bytes(TEXT)
    assert cli.main(["convert", str(tmp_path / "old.csv"), str(tmp_path / "new.xlsx")]) == 1
    assert "say which to write, for instance --to csv" in capsys.readouterr().err


def test_files_with_other_columns_are_refused(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("a,b,c\n1,x,2\n")
    with pytest.raises(rb.data.DataError, match=r"2\.csv: the column 'c' is not in the first file"):
        rb.data.convert([tmp_path / "1.csv", tmp_path / "2.csv"], tmp_path / "new.parquet", header=True)
