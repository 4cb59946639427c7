"""Text in other encodings, zip archives, JSON arrays and plain text: read as what they are, or refused."""

import io
import json
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.data.json_lines import elements
from rosenblatt.data.sources import Source, look_into

WORDS = ["café crème", "naïve façade", "smörgåsbord", "jalapeño"] * 5
CSV = "label,text\n" + "".join(f"{'ab'[i % 2]},{word} is the word here\n" for i, word in enumerate(WORDS))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8"])
def test_an_encoding_is_read(encoding, tmp_path, capsys):
    (tmp_path / "a.csv").write_bytes(CSV.encode(encoding))
    (tmp_path / "b.csv").write_bytes(CSV.encode())
    ours, theirs = rb.data.read(tmp_path / "a.csv", encoding=encoding), rb.data.read(tmp_path / "b.csv")
    assert ours.table["text"].to_pylist() == theirs.table["text"].to_pylist()
    with rb.data.stream(tmp_path / "a.csv", encoding=encoding, block_rows=3) as blocks:
        assert [block.lines.tolist()[0] for block in blocks] == [2, 5, 8, 11, 14, 17, 20]
    model = str(tmp_path / "m")
    assert (
        cli.main(["train", "-q", str(tmp_path / "a.csv"), "-o", model, "--encoding", encoding, "--held-out", "0.2"])
        == 0
    )
    assert cli.main(["evaluate", model, str(tmp_path / "a.csv"), "--encoding", encoding]) == 0
    assert cli.main(["convert", str(tmp_path / "a.csv"), str(tmp_path / "c.csv"), "--encoding", encoding]) == 0
    assert rb.data.read(tmp_path / "c.csv").table["text"].to_pylist() == theirs.table["text"].to_pylist()


def test_the_first_bytes_of_utf_16_are_enough():
    for encoding in ("utf-16-le", "utf-16-be"):
        text = ("\ufeff" + CSV).encode(encoding)
        assert rb.data.read(io.BytesIO(text)).table["text"].to_pylist()[0] == "café crème is the word here"


def test_the_first_bytes_of_utf_32_are_enough(tmp_path):
    for encoding in ("utf-32-le", "utf-32-be"):
        text = ("\ufeff" + CSV).encode(encoding)
        assert rb.data.read(io.BytesIO(text)).table["text"].to_pylist()[0] == "café crème is the word here"


SENTENCES = "".join(f"{word} {tag}\n" + "\n" * (tag == "N") for word, tag in (("the", "D"), ("cat", "N")) * 9)
UNMARKED = {
    "csv": (CSV, rb.data.read),
    "jsonl": ('{"label": "a", "text": "café"}\n{"label": "b", "text": "x"}\n', rb.data.read),
    "json": ('[{"label": "a", "text": "x"}]', rb.data.read),
    "svmlight": ("1 1:1\n-1 2:1\n", rb.data.read),
    "vw": ("1 | a b\n-1 | c\n", rb.data.read),
    "text": ("naïve words\nthat go on\n", rb.data.read),
    "csv in Russian": ("label,text\n" + "а,здравствуй мир, да\n" * 9, rb.data.read),
    "csv in Chinese": ("标签,文字\n" + "一,很快好吃\n" * 99, rb.data.read),
    "csv with emoji": ("label,text\n" + "a,👩‍💻 \u200f\n" * 99, rb.data.read),
    "conll": (SENTENCES, rb.data.read_sentences),
    "words": ("the cat\n" * 3, rb.data.read_sentences),
}


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", UNMARKED)
def test_two_or_four_bytes_a_character_without_a_mark_are_refused(name, encoding, on_error, tmp_path):
    text, read = UNMARKED[name]
    (tmp_path / "rows").write_bytes(text.encode(encoding))
    settings = {"format": name.split()[0], "on_error": on_error}
    telling = f"rows: looks like {encoding[:6].upper()} without a byte-order mark; say encoding='{encoding}'"
    one_sentence(lambda: read(tmp_path / "rows", **settings), rb.data.DataError, telling)
    if " " not in name:
        assert len(read(tmp_path / "rows", encoding=encoding, **settings))


def test_the_command_says_which_encoding_to_name(tmp_path, capsys):
    (tmp_path / "rows.csv").write_bytes(CSV.encode("utf-16-le"))
    for command in (
        ["train", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "m")],
        ["separable", str(tmp_path / "rows.csv")],
    ):
        assert cli.main(command) == 1
        telling = "rows.csv: looks like UTF-16 without a byte-order mark; say --encoding utf-16-le\n"
        assert capsys.readouterr().err.endswith(telling)


def test_bytes_that_are_no_text_of_two_bytes_are_read_as_before():
    for text in (
        b"label,text\n" + b"a,x\x00y\n" * 9,
        "label,text\n一,x\n".encode(),
        b"\x00\x01\x02\n" * 40,
        b"\xe9,x\n" * 9,
    ):
        look_into(Source(io.BytesIO(text)), None)


def test_what_is_not_in_an_encoding_is_refused(tmp_path):
    with pytest.raises(rb.data.DataError, match=r"is not UTF-8 .* encoding='cp1252'"):
        rb.data.read(io.BytesIO(CSV.encode("latin-1")))
    with pytest.raises(rb.data.DataError, match="the text is not ascii"):
        rb.data.read(io.BytesIO(CSV.encode("latin-1")), encoding="ascii")
    with pytest.raises(ValueError, match="there is no encoding 'latin-17'"):
        rb.data.read(io.BytesIO(CSV.encode("latin-1")), encoding="latin-17")
    rb.data.convert(io.BytesIO(CSV.encode()), tmp_path / "a.parquet")
    with pytest.raises(TypeError, match="is no text and has no encoding"):
        rb.data.read(tmp_path / "a.parquet", encoding="latin-1")


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_the_one_file_of_a_zip_archive_is_read(tmp_path):
    path = zipped(tmp_path / "rows.zip", {"folder/": "", "folder/rows.tsv": CSV.replace(",", "\t"), "__MACOSX/x": "x"})
    data = rb.data.read(path)
    assert (data.format.name, data.format.delimiter, len(data)) == ("csv", "\t", len(WORDS))
    read, write = os.pipe()
    os.write(write, zipped(tmp_path / "b.zip", {"rows.svm": "1 1:1\n-1 2:1\n"}).read_bytes())
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert rb.data.read(pipe).y.tolist() == [1, -1]


def test_other_archives_are_refused(tmp_path):
    for files, said in (
        ({"a.csv": CSV, "b.csv": CSV}, "the zip archive holds 2 files: a.csv, b.csv"),
        ({"xl/workbook.xml": "x", "y": "z"}, "an Excel workbook; save it as CSV"),
    ):
        with pytest.raises(rb.data.DataError, match=said):
            rb.data.read(zipped(tmp_path / "a.zip", files))
    (tmp_path / "cut.zip").write_bytes(zipped(tmp_path / "a.zip", {"a.csv": CSV}).read_bytes()[:-30])
    with pytest.raises(rb.data.DataError, match="the zip archive cannot be read"):
        rb.data.read(tmp_path / "cut.zip")


# ---- JSON arrays -----------------------------------------------------------------------------------------------------

OBJECTS = [{"label": "ab"[i % 2], "text": f'{word}, "so" [{{it}}]\n\\ is here'} for i, word in enumerate(WORDS)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["a.json", "a"])
def test_an_array_is_read_as_its_lines(indent, name, tmp_path):
    (tmp_path / name).write_text(json.dumps(OBJECTS, indent=indent))
    data = rb.data.read(tmp_path / name)
    assert data.format.name == "jsonl"
    assert data.table["text"].to_pylist() == [row["text"] for row in OBJECTS]
    assert data.block.place(2).endswith(f"{name}, row 3")
    with rb.data.stream(tmp_path / name, block_rows=7) as blocks:
        assert sum(map(len, blocks)) == len(WORDS)


def test_faults_of_an_array_have_their_row():
    with pytest.raises(rb.data.DataError, match="row 2: the line is JSON but not an object"):
        rb.data.read(io.BytesIO(b'[{"x": 1, "y": "a"}, 5, {"x": 2, "y": "b"}]'))
    with pytest.raises(rb.data.DataError, match=r"row 2, .*not JSON"):
        rb.data.read(io.BytesIO(b'[{"x": 1, "y": "a"}, {"x": 2, "y"}]'))


values = st.recursive(st.none() | st.integers() | st.text(st.sampled_from('a"\\[]{},\n')), st.lists, max_leaves=4)


@given(st.lists(st.dictionaries(st.text(st.sampled_from('a"]}')), values, max_size=3), min_size=1), st.integers(1, 9))
def test_elements_are_those_of_the_array_in_any_pieces(rows, size):
    text = json.dumps(rows, indent=1).encode()
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert [json.loads(line) for line in elements(pieces, "rows.json")] == rows


# ---- plain text ------------------------------------------------------------------------------------------------------


def test_documents_are_labelled_by_their_file_or_folder(tmp_path, capsys):
    for label in ("pos", "neg"):
        (tmp_path / label).mkdir()
        text = "".join(f"a {'good' if label == 'pos' else 'bad'} film, number {i}\n\n" for i in range(20))
        (tmp_path / f"{label}.txt").write_text(text)
        (tmp_path / label / "1.txt").write_text(text)
    for how, files in (("file", "*.txt"), ("folder", "*/*.txt")):
        data = rb.data.read(tmp_path / files, label_from=how)
        assert (len(data), sorted(set(data.labels.tolist()))) == (40, ["neg", "pos"])
        assert data.lines.tolist()[:2] == [1, 3]
        train = ["train", "-q", str(tmp_path / files), "-o", str(tmp_path / "m"), "--label-from", how]
        assert cli.main(train) == 0
        assert cli.main(["evaluate", str(tmp_path / "m"), str(tmp_path / files), "--label-from", how]) == 0
        assert "accuracy 100.00% on 40 rows" in capsys.readouterr().out
    predict = ["predict", str(tmp_path / "m"), str(tmp_path / "pos.txt"), "--format", "text", "--no-output-header"]
    assert cli.main(predict) == 0
    assert capsys.readouterr().out == "pos\n" * 20
    with pytest.raises(rb.data.DataError, match="it has no name to take the label from"):
        rb.data.read(io.BytesIO(b"good film\n"), label_from="file")


def test_documents_that_are_not_text_are_skipped_with_their_line():
    data = rb.data.read(io.BytesIO(b"good\nb\xffd\nfine\n"), format="text", on_error="skip")
    assert data.table["text"].to_pylist() == ["good", "fine"]
    assert data.skipped.first[0].line == 2


# ---- categories and classes ---------------------------------------------------------------------------------------


def test_categories_that_training_did_not_meet_are_counted(tmp_path, capsys):
    jobs = np.array(["cook", "pilot"])[np.arange(40) % 2]
    rows = [f"{job},{'yn'[i % 2]}\n" for i, job in enumerate(jobs)]
    (tmp_path / "a.csv").write_text("job,target\n" + "".join(rows))
    (tmp_path / "b.csv").write_text("job,target\n" + "".join(rows[:10]) + "baker,y\nbaker,n\n,y\n")
    model = str(tmp_path / "m")
    assert cli.main(["train", "-q", str(tmp_path / "a.csv"), "-o", model, "--missing", "absent"]) == 0
    assert cli.main(["evaluate", model, str(tmp_path / "a.csv")]) == 0
    assert not capsys.readouterr().err
    assert cli.main(["evaluate", model, str(tmp_path / "b.csv"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == "2 rows with a value of job that was not met in training\n"
    assert json.loads(out)["unseen_categories"] == {"job": 2}


@pytest.mark.parametrize("labels", [["7", "8"], ["7.0", "8.0"], ["007", "008"]])
def test_classes_are_written_as_they_were(labels, tmp_path, capsys):
    rows = "".join(f"{(-1) ** i * (i + 1.5)},{labels[i % 2]}\n" for i in range(30))
    (tmp_path / "a.csv").write_text("x,target\n" + rows)
    assert cli.main(["train", "-q", str(tmp_path / "a.csv"), "-o", str(tmp_path / "m")]) == 0
    assert cli.main(["predict", str(tmp_path / "m"), str(tmp_path / "a.csv"), "--no-output-header"]) == 0
    assert set(capsys.readouterr().out.split()) <= set(labels)
