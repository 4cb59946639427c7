"""What is guessed about a table: its header, missing values, keys, dates; every guess is right, stated or refused."""

import io
import json
import random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.data.headers import guess_header

N = 60
_random = random.Random(0)
WHOLE = [str(_random.randint(0, 9)) for _ in range(N)]
SIZES = [f"{_random.gauss(0, 1):.3f}" for _ in range(N)]
WORDS = [_random.choice(["yes", "no"]) for _ in range(N)]
TEXTS = [" ".join(_random.choice(["free", "call", "me", "ok", "win"]) for _ in range(6 + i % 5)) for i in range(N)]


def table(*columns, header=None, delimiter=","):
    """The bytes of a CSV file."""
    lines = [delimiter.join(row) for row in zip(*columns)]
    return "\n".join([*([] if header is None else [header]), *lines, ""]).encode()


def read(text, **settings):
    return rb.data.read(io.BytesIO(text), format="csv", **settings)


HEADERS = {
    "years": (table(WHOLE, WHOLE, WORDS, header="2019,2020,target"), ["2019", "2020"]),
    "a trailing comma": (table(SIZES, SIZES, WORDS, [""] * N, header="a,b,target,"), ["a", "b"]),
    "an empty name": (table(SIZES, SIZES, WORDS, header="a,,target"), ["a", "c2"]),
    "pandas": (
        pd.DataFrame({"a": WHOLE, "b": SIZES, "target": WORDS}).to_csv().encode(),
        ["a", "b"],
    ),
    "a shuffled index": (
        pd.DataFrame({"a": SIZES, "target": WORDS}).sample(frac=1, random_state=0).to_csv().encode(),
        ["a"],
    ),
    "numbers that count": (table(WHOLE, WHOLE, WHOLE, WHOLE, WORDS, header="0,1,2,3,kind"), ["0", "1", "2", "3"]),
}


@pytest.mark.parametrize("name", HEADERS)
def test_names_are_no_row(name):
    text, numeric = HEADERS[name]
    data = read(text)
    assert data.format.header is True
    assert len(data) == N
    assert sorted(set(data.labels.tolist())) == ["no", "yes"]
    assert list(data.columns.numeric) == numeric
    assert not data.columns.notes


def test_a_name_that_occurs_twice_is_refused_not_made_a_row():
    with pytest.raises(rb.data.DataError, match="two columns are called 'a'"):
        read(table(SIZES, SIZES, WORDS, header="a,a,target"))


def test_rows_without_names_lose_none():
    for data in (
        read(table(WORDS, TEXTS, delimiter="\t"), delimiter="\t"),
        read(table(SIZES, SIZES, WORDS)),
        read(table(WHOLE, WHOLE, WORDS)),
    ):
        assert data.format.header is False
        assert len(data) == N
        assert not data.columns.notes
    spam = read(
        table(["ham", *WORDS], ["Ok lar", *TEXTS], delimiter="\t").replace(b"yes", b"spam").replace(b"no", b"ham")
    )
    assert len(spam) == N + 1


def test_an_index_is_left_out_and_said():
    columns = read(HEADERS["pandas"][0]).columns
    assert columns.ignored == ("c1",)
    assert "as an index is" in str(columns)


@pytest.mark.parametrize(
    ("text", "is_header"),
    [
        (
            table(["1500", "2500", *WHOLE], ["1500", "3000", *WHOLE], ["yes", "no", *WORDS], header="2019,2020,target"),
            True,
        ),
        (b"colour,shape\nred,round\nblue,square\ngreen,flat\nwhite,flat\n", True),
    ],
)
def test_a_guess_in_doubt_is_stated_and_can_be_settled(text, is_header, tmp_path, capsys):
    data = read(text)
    assert data.format.header is is_header
    assert f"header={not is_header}" in str(data.columns)
    assert not read(text, header=is_header).columns.notes
    (tmp_path / "t.csv").write_bytes(text)
    assert cli.main(["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]) == 0
    assert "if it is a row, say --no-header" in " ".join(capsys.readouterr().out.split())


def test_names_that_are_asked_for_settle_the_header():
    assert read(b"1,2\n3,4\n", columns={"label": "1"}).format.header is True
    assert read(b"a,b\nx,y\n", columns={"label": "c1", "text": "c2"}).format.header is False


def test_a_guess_says_when_values_contradict_each_other():
    rows = [["1.5", "x"], ["2.5", "y"], ["3.5", "x"]]
    assert guess_header(["0.5", "x"], rows) == (False, True)
    assert guess_header(["size", "x"], rows).is_sure is False
    assert guess_header(["size", "kind"], rows) == (True, True)


# ---- missing values ------------------------------------------------------------------------------------------------

MISSING = ["NA", "N/A", "null", "None", "?", "-", ""]


@pytest.mark.parametrize("missing", MISSING)
def test_a_column_of_numbers_stays_one(missing):
    sizes = [missing, *SIZES[1:]]
    for text, format in (
        (table(sizes, WORDS, header="size,target"), "csv"),
        (
            "".join(
                json.dumps({"size": s if s == missing else float(s), "target": w}) + "\n" for s, w in zip(sizes, WORDS)
            ).encode(),
            "jsonl",
        ),
    ):
        data = rb.data.read(io.BytesIO(text), format=format)
        assert data.columns.numeric == ("size",)
        assert data.table["size"].null_count == 1
    assert read(table(["cook", missing or "-", *WORDS[2:]], WORDS, header="job,target")).columns.categorical == ("job",)


def test_missing_values_and_faulty_rows_in_every_command(tmp_path, capsys):
    sizes = list(SIZES)
    for i in (0, 7, 8, N - 1):
        sizes[i] = MISSING[i % len(MISSING)]
    (tmp_path / "t.csv").write_bytes(table(sizes, WORDS, header="size,target"))
    rows, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    assert cli.main(["train", rows, "-o", model]) == 1
    assert "line 2, column 'size': the value is missing" in capsys.readouterr().err
    assert cli.main(["train", rows, "-o", model, "--on-error", "skip", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["rows"], record["skipped"]) == (N - 4, 4)
    for command in ("evaluate", "predict"):
        assert cli.main([command, model, rows]) == 1
        assert "line 2, column 'size': the value is missing" in capsys.readouterr().err
    assert cli.main(["evaluate", model, rows, "--json", "--missing", "absent"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == N
    for block_rows in ("1", "5", "1000"):
        predict = ["predict", model, rows, "--on-error", "skip", "--block-rows", block_rows]
        assert cli.main([*predict, "--no-output-header"]) == 0
        lines = capsys.readouterr().out.split("\n")[:-1]
        assert [i for i, line in enumerate(lines) if not line] == [0, 7, 8, N - 1]
        assert len(lines) == N
        assert cli.main([*predict, "--json"]) == 0
        assert [json.loads(line)["label"] for line in capsys.readouterr().out.splitlines()] == [
            s or None for s in lines
        ]


def test_a_number_too_large_to_be_squared_is_refused_with_its_place():
    data = read(b"x,target\n1,a\n1e300,b\n")
    with pytest.raises(rb.data.DataError, match="line 3, column 'x': the value is 1e\\+300, which is too large"):
        rb.data.Encoder(data.columns, standardise=True).encode(data.block, learn=True)
    assert len(read(b"x,target\n1,a\n1e300,b\n", missing="absent", on_error="skip")) == 1


# ---- one bad cell among numbers --------------------------------------------------------------------------------------

INCOMES = [str(20_000 + 137 * i % 9001) for i in range(400)]
CLASSES = ["yes", "no"] * 200


def with_odd(column, *odd, at=299):
    """A column with odd values from row 299 on, which is line 301 of a CSV file."""
    return [*column[:at], *odd, *column[at + len(odd) :]]


def as_json(incomes, array=False):
    """The same as JSON: numbers where they are some."""
    rows = [
        {"a": json.loads(one) if one.lstrip("-").isdigit() else one, "target": c} for one, c in zip(incomes, CLASSES)
    ]
    return (json.dumps(rows) if array else "\n".join(["", *map(json.dumps, rows)])).encode()


IN_DOUBT = {
    "csv": lambda column: table(column, CLASSES, header="a,target"),
    "csv with quoted line ends": lambda column: table(column, CLASSES, ['"x\ny"', *["z"] * 399], header="a,target,b"),
    "jsonl": as_json,
    "json": lambda column: as_json(column, array=True),
}


@pytest.mark.parametrize("name", IN_DOUBT)
@pytest.mark.parametrize("odd", [["abc"], ["abc", "def", "1,5"], ["one word and some others"], ["x" * 30_000]])
def test_one_bad_cell_makes_no_text_of_numbers(name, odd):
    odd = [one.replace(",", ";") for one in odd]
    text, format = IN_DOUBT[name](with_odd(INCOMES, *odd)), name.split()[0]
    place = {"json": "row 300", "csv with quoted line ends": "line 302"}.get(name, "line 301")
    shown = odd[0] if len(odd[0]) < 40 else odd[0][:39] + "…"
    one_sentence(
        lambda: rb.data.read(io.BytesIO(text), format=format), rb.data.DataError,
        f"{place}, column 'a': {400 - len(odd)} of the first 400 values are numbers, and '{shown}' is not; name the "
        "columns to use, this one with columns={'numeric': ['a']} or columns={'text': ['a']}, or leave out the column "
        "with columns={'drop': ['a']}, or such rows with on_error='skip'",
    )  # fmt: skip
    data = rb.data.read(io.BytesIO(text), format=format, on_error="skip")
    assert data.columns.numeric == ("a",)
    assert data.columns.why["a"] == f"guessed: {400 - len(odd)} of 400 are numbers"
    assert (len(data), data.skipped.count) == (400 - len(odd), len(odd))
    named = rb.data.read(io.BytesIO(text), format=format, columns={"label": "target", "text": ["a"]})
    assert named.columns.text == ("a",)
    assert len(rb.data.read(io.BytesIO(text), format=format, columns={"drop": ["a"], "label": "target"})) == 400


def test_a_list_among_numbers_of_json_is_a_bad_cell():
    text = as_json(INCOMES).replace(INCOMES[299].encode(), b"[3]", 1)
    with pytest.raises(rb.data.DataError, match=r"column 'a': 399 of the first 400 values are numbers, and '\[3\]'"):
        rb.data.read(io.BytesIO(text), format="jsonl")


def test_the_command_tells_of_a_bad_cell(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(table(with_odd(INCOMES, "abc"), CLASSES, header="an income,target"))
    train = ["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]
    assert cli.main(train) == 1
    assert capsys.readouterr().err.endswith(
        "t.csv, line 301, column 'an income': 399 of the first 400 values are numbers, and 'abc' is not; name the "
        "columns to use, this one with --numeric 'an income' or --text 'an income', or leave out the column with "
        "--drop 'an income', or such rows with --on-error skip\n"
    )
    assert cli.main([*train, "--on-error", "skip"]) == 0
    out, err = capsys.readouterr()
    assert "numeric: an income (guessed: 399 of 400 are numbers)" in out
    assert "line 301, column 'an income': 'abc' is not a number" in out + err
    assert cli.main([*train, "--numeric", "an income"]) == 1
    assert "line 301, column 'an income': 'abc' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([f"{i / 7:.2f}".replace(".", ",") for i in range(400)], True),
        ([f"{i % 9},5" for i in range(400)], True),
        ([str(i % 9 / 2).replace(".", ",").replace(",0", "") for i in range(400)], True),  # 4 and 4,5
        ([f"{i + 1},{i * 7 % 1000:03}.50" for i in range(400)], True),
        ([f"1.{i * 7 % 1000:03},50" for i in range(400)], True),
        ([*["0,5"] * 399, ""], True),
        ([*["0,5"] * 399, "no"], False),
        (["1,x"] * 400, False),
        (["12:30"] * 400, False),
    ],
)
@pytest.mark.parametrize("is_label", [False, True])
def test_that_numbers_with_commas_are_words_is_said(column, said, is_label):
    rows = "".join(f"{a};{b};{c}\n" for a, b, c in zip(column, CLASSES, INCOMES) if a or not is_label)
    header = "target;b;c" if is_label else "a;target;c"
    columns = rb.data.read(io.BytesIO(f"{header}\n{rows}".encode()), format="csv").columns
    why = columns.why["target" if is_label else "a"]
    words = "; numbers with a comma are read as words: write 1.5 for 1,5, and 1000 for 1,000"
    assert why.endswith(words) == said
    assert (words in str(columns)) == said


@pytest.mark.parametrize(
    ("column", "role"),
    [
        (with_odd(INCOMES, *["abc"] * 41), "text"),  # too many of them
        (with_odd([str(int(i) % 10) for i in INCOMES], "abc"), "categorical"),  # codes that are repeated
        (with_odd(INCOMES, "0123"), None),  # with zeros before them numbers are names
        (with_odd(INCOMES, "NA", "", "?"), "numeric"),  # missing
        (with_odd([str(i) for i in range(400)], "abc", at=399), None),  # a key, with it or without
        ([f"2020-01-{1 + i % 28:02}" for i in range(400)], None),  # dates
        ([f"{i + 1},{i * 7 % 1000:03}" for i in range(400)], None),  # thousands
    ],
)
def test_what_is_no_bad_cell_is_guessed_as_before(column, role):
    text = table([f'"{one}"' for one in column], CLASSES, header="a,target")
    for on_error in ("raise", "skip"):
        columns = read(text, on_error=on_error).columns
        assert [kind for kind in ("text", "categorical", "numeric") if getattr(columns, kind)] == (
            [role] if role else []
        )


def test_few_rows_tell_of_no_bad_cell():
    assert read(table(["abc", *INCOMES[:18]], CLASSES, header="a,target")).columns.categorical == ("a",)
    with pytest.raises(rb.data.DataError, match=r"line 2, column 'a': 19 of the first 20 values"):
        read(table(["abc", *INCOMES[:19]], CLASSES, header="a,target"))


def test_a_bad_cell_makes_no_row_of_the_names():
    text = table(with_odd(INCOMES, "abc"), with_odd(INCOMES, "abc"), header="income,size")
    with pytest.raises(rb.data.DataError, match=r"line 301, column 'income': 399 of the first 400 values"):
        read(text)
    data = read(text, on_error="skip")
    assert data.format.header is True
    assert data.columns.numeric == ("income", "size")


# ---- one bad cell among labels that are numbers ----------------------------------------------------------------------

ZERO_ONE = [str(i % 2) for i in range(400)]
PRICES = [f"{one}.5" for one in INCOMES]


def labelled(labels, format="csv"):
    """A table of a column of numbers and one of labels, on lines from 2 on."""
    if format == "csv":
        return table(INCOMES[: len(labels)], labels, header="a,target")
    values = [json.loads(one) if one.replace(".", "").isdigit() else one for one in labels]
    rows = [{"a": int(a), "target": value} for a, value in zip(INCOMES, values)]
    return (json.dumps(rows) if format == "json" else "\n".join(["", *map(json.dumps, rows)])).encode()


@pytest.mark.parametrize("format", ["csv", "jsonl", "json"])
@pytest.mark.parametrize(
    ("labels", "odd", "kind"),
    [
        (ZERO_ONE, ["x"], "i"),  # classes
        (ZERO_ONE, ["x", "yes", "O", "l"], "i"),
        (INCOMES, ["x"], "i"),  # numbers of a regression
        (INCOMES, ["x", "x", "unknown", "x"], "i"),
        (PRICES, ["x", "x"], "f"),
    ],
)
def test_one_bad_cell_makes_no_words_of_labels(labels, odd, kind, format):
    text, n = labelled(with_odd(labels, *odd), format), 400 - len(odd)
    one_sentence(
        lambda: rb.data.read(io.BytesIO(text), format=format), rb.data.DataError,
        f"{'row 300' if format == 'json' else 'line 301'}, column 'target': {n} of the first 400 labels are numbers, "
        "and 'x' is not; if labels are words, say columns={'label_type': 'text'}, or leave out such rows with "
        "on_error='skip'",
    )  # fmt: skip
    data = rb.data.read(io.BytesIO(text), format=format, on_error="skip")
    assert (len(data), data.skipped.count, data.y.dtype.kind) == (n, len(odd), kind)
    assert data.columns.why["target"] == f"guessed from its name; {n} of 400 are numbers"
    words = rb.data.read(io.BytesIO(text), format=format, columns={"label_type": "text"})
    assert (len(words), "x" in words.y.tolist()) == (400, True)
    named = {"label": "target", "label_type": "integer" if kind == "i" else "number"}
    assert len(rb.data.read(io.BytesIO(text), format=format, columns=named, on_error="skip")) == n


@pytest.mark.parametrize(
    "labels",
    [
        ["1", "2", "3a"] * 100,  # names
        [str(i % 12) if i % 13 else "3a" for i in range(400)],  # one of several, as common as the others
        with_odd(ZERO_ONE, "x", "x"),  # what occurs twice may be a class
        with_odd(ZERO_ONE, "007"),  # with zeros before them numbers are names
        with_odd(ZERO_ONE, *[f"x{i}" for i in range(41)]),  # too many of them
        [*ZERO_ONE[:18], "x"],  # too few rows
        ["yes", "no", "1"] * 100,
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_labels_that_are_names_stay_names(labels, on_error):
    data = read(labelled(labels), on_error=on_error)
    assert data.y.tolist() == labels
    assert data.columns.label_type == "text"


def test_the_command_tells_of_a_bad_label(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(labelled(with_odd(ZERO_ONE, "x")))
    for command in ("train", "tune"):
        words = [command, str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]
        assert cli.main(words) == 1
        assert capsys.readouterr().err.endswith(
            "t.csv, line 301, column 'target': 399 of the first 400 labels are numbers, and 'x' is not; if labels are "
            "words, say --label-type text, or leave out such rows with --on-error skip\n"
        )
    train = ["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]
    assert cli.main([*train, "--on-error", "skip"]) == 0
    out = capsys.readouterr().out
    assert "399 rows, 1 feature, classes 0, 1" in out
    assert "label: target (guessed from its name; 399 of 400 are numbers)" in out
    assert cli.main([*train, "--label-type", "text"]) == 0
    assert "400 rows, 1 feature, classes 0, 1, x" in capsys.readouterr().out


# ---- keys, dates, numbers with zeros before them ---------------------------------------------------------------------


def columns_of(frame, tmp_path, format):
    """The columns that are guessed for a frame in a format, and the sentences."""
    path = tmp_path / f"t.{format}"
    if format == "csv":
        frame.to_csv(path, index=False)
    elif format == "jsonl":
        frame.to_json(path, orient="records", lines=True, date_format="iso")
    else:
        frame.to_parquet(path)
    return rb.data.read(path).columns


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_keys_and_dates_are_left_out_alike_and_said(format, tmp_path):
    frame = pd.DataFrame({
        "user_id": [10 * i + 1000 for i in range(N)], "row": range(5, N + 5), "code": [f"k{i:03}" for i in range(N)],
        "day": pd.date_range("2020-01-01", periods=N), "size": [float(s) for s in SIZES],
        "income": [20_000 + 137 * i for i in range(N)], "target": WORDS,
    })  # fmt: skip
    columns = columns_of(frame, tmp_path, format)
    assert columns.numeric == ("size", "income")
    assert set(columns.ignored) == {"user_id", "row", "code", "day"}
    for name in ("user_id", "row", "code"):
        assert columns.why[name] == "not used: different in every row, as keys are"
    assert columns.why["day"].startswith("not used: dates")


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_sentences_without_spaces_are_no_keys(format, tmp_path):
    """Short ones, all different: two characters are taken for a word. Names of two or three are keys still."""
    text = [f"很快，好吃，味道足，量大，送餐员{chr(0x4E00 + i)}好" for i in range(N)]
    name = [f"{chr(0x4E00 + i)}大明" for i in range(N)]
    frame = pd.DataFrame({"name": name, "text": text, "target": WORDS})
    columns = columns_of(frame, tmp_path, format)
    assert columns.text == ("text",)
    assert columns.why["text"] == "guessed: strings of 7 words"
    assert columns.why["name"] == "not used: different in every row, as keys are"


def test_what_is_one_is_told_as_one(tmp_path):
    long = [f"{chr(97 + i % 26) * 45}{i % 7}" for i in range(N)]
    columns = columns_of(pd.DataFrame({"same": ["a"] * N, "text": long, "target": WORDS}), tmp_path, "csv")
    assert columns.why["same"] == f"guessed: the same short string in the first {N}"
    assert columns.why["text"] == "guessed: strings of 1 word"
    last = columns_of(pd.DataFrame({"size": SIZES, "text": TEXTS, "kind": ["a"] * N}), tmp_path, "csv")
    assert last.why["kind"] == f"guessed: the last column, the same value in the first {N}"


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_dates_that_are_named_numeric_are_days(format, tmp_path, capsys):
    days = pd.date_range("1970-01-03 12:00", periods=N)
    frame = pd.DataFrame({"when": days, "target": ["a", "b"] * (N // 2)})
    columns_of(frame, tmp_path, format)
    path = str(tmp_path / f"t.{format}")
    data = rb.data.read(path, columns={"numeric": "when"})
    assert data.table["when"].to_pylist() == [i + 2.5 for i in range(N)]
    assert "dates, as days since 1970" in str(data.columns)
    model = str(tmp_path / "m")
    assert cli.main(["train", "-q", path, "-o", model, "--numeric", "when"]) == 0
    assert cli.main(["evaluate", model, path]) == 0
    assert rb.load(model).predict(frame).tolist()
    (tmp_path / "late.csv").write_text("when,target\n2020-01-01,a\nsoon,b\n")
    assert cli.main(["predict", model, str(tmp_path / "late.csv")]) == 1
    assert "line 3, column 'when': 'soon' is not a date such as 2020-12-31" in capsys.readouterr().err


def test_numbers_with_zeros_before_them_are_names(tmp_path, capsys):
    codes = ["007", "7", "012", "0"] * 15
    data = read(table(codes, WORDS, header="zip,target"))
    assert data.columns.categorical == ("zip",)
    assert read(table(SIZES, codes, header="size,target")).labels.tolist() == codes
    late = table(["7"] * 1500 + ["007"], ["a"] * 1501, header="target,word")
    with pytest.raises(rb.data.DataError, match="line 1502, column 'target': '007' is not an integer"):
        read(late)


def test_columns_are_dropped(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(table(SIZES, WHOLE, WORDS, header="size,leak,target"))
    train = ["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]
    assert cli.main([*train, "--drop", "leak"]) == 0
    assert "ignored: leak (dropped, as asked)" in capsys.readouterr().out
    assert cli.main([*train, "--drop", "leek"]) == 1
    assert "there is no column 'leek' (did you mean 'leak'?)" in capsys.readouterr().err


def test_rows_of_parquet_are_called_rows(tmp_path):
    pq.write_table(pa.table({"x": [1.0, None, 2.0], "target": ["a", "b", "a"]}), tmp_path / "t.parquet")
    with pytest.raises(rb.data.DataError, match="row 2, column 'x': the value is missing"):
        rb.data.read(tmp_path / "t.parquet", missing="raise")
    block = rb.data.read(tmp_path / "t.parquet").block
    assert block.place(1).endswith("t.parquet, row 2")
