"""Files of sentences: what is read is what was written, in every format; what is wrong is told with its line."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import Conll, Conllu, DataError, TaggedJson, TaggedSentences, tagged
from rosenblatt.data import read_sentences as read
from rosenblatt.data import stream_sentences as stream
from rosenblatt.data import write_sentences as write

NO_LINE_END = r"a carriage return alone ends no line here; end each with a line feed, as \n or \r\n"
CHUNKS = b"The DT B-NP\ncat NN I-NP\nsat VBD B-VP\n\nIt PRP B-NP\nslept VBD B-VP\n"
TREES = """# sent_id = 1
# text = Don't run. (as one)
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
2.1\tyou\tyou\tPRON\tPRP\t_\t_\t_\t_\t_
3\trun\trun\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4\t#\t#\tSYM\tNFP\t_\t3\tpunct\t_\t_

# sent_id = 2
1\tNew York\tNew York\tPROPN\tNNP\t_\t0\troot\t_\t_

"""


def file_of(text, name=None):
    file = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    if name is not None:
        file.name = name
    return file


def refused(text, sentence, **options):
    with pytest.raises((DataError, ValueError, TypeError)) as error:
        read(file_of(text, options.pop("name", "a.conll")), **options)
    assert sentence in str(error.value)


# ---- CoNLL columns ---------------------------------------------------------------------------------------------------


def test_the_last_column_is_the_tag_and_the_others_are_features():
    two = read(file_of(CHUNKS), format="conll")
    assert two.X == [[("The", "DT"), ("cat", "NN"), ("sat", "VBD")], [("It", "PRP"), ("slept", "VBD")]]
    assert two.y == [["B-NP", "I-NP", "B-VP"], ["B-NP", "B-VP"]]
    assert (two.lines.tolist(), two.names, len(two), two.n_tokens) == ([1, 5], ("1", "2"), 2, 5)
    assert two.sentences.starts.dtype == np.int64
    assert two.origin(1) == {"file": "<file object>", "line": 5}
    assert repr(two) == "<TaggedSentences of <file object>: 2 sentences, 5 tokens, tagged>"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b" ", b"   "),
        lambda text: text.replace(b" ", b"\t"),
        lambda text: text.replace(b" ", b" \t "),
        lambda text: text.replace(b"\n\n", b"\n \t\n\n\n"),
        lambda text: b"\n\n" + text + b"\n\n \n",
        lambda text: text.rstrip(),
        lambda text: b"-DOCSTART- -X- O\n\n" + text.replace(b"\n\n", b"\n-DOCSTART- -X- O\n"),
        lambda text: b"-DOCSTART-\n" + text,
        lambda text: b" The DT B-NP \n" + text.split(b"\n", 1)[1],
        gzip.compress, bz2.compress, lzma.compress,
    ],
)  # fmt: skip
def test_the_same_sentences_however_they_are_laid_out(change):
    plain, laid_out = read(file_of(CHUNKS), format="conll"), read(file_of(change(CHUNKS)), format="conll")
    assert (laid_out.X, laid_out.y) == (plain.X, plain.y)


def test_archives_and_other_encodings(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("train.conll", CHUNKS)
    assert read(tmp_path / "a.zip").y == read(file_of(CHUNKS), format="conll").y
    umlaut = "Mähne NN\n".encode("latin-1")
    assert read(file_of(umlaut), format="conll", encoding="latin-1").X == [["Mähne"]]
    assert read(file_of("Mähne NN\n".encode("utf-16")), format="conll").X == [["Mähne"]]
    assert read(file_of(umlaut), format="conll", encoding_errors="replace").X == [["M\ufffdhne"]]


def test_columns_are_chosen_by_their_number():
    two = read(file_of(CHUNKS), format="conll", tag=2, columns=[1])
    assert (two.X[1], two.y) == (["It", "slept"], [["DT", "NN", "VBD"], ["PRP", "VBD"]])
    untagged = read(file_of(CHUNKS), format=Conll(tag=None))
    assert untagged.X[1] == [("It", "PRP", "B-NP"), ("slept", "VBD", "B-VP")]
    assert untagged.tags is untagged.y is None


def test_what_was_settled_reads_a_file_without_tags_too():
    with stream(file_of(CHUNKS), format="conll") as parts:
        settled = parts.format
    assert settled == Conll(tag=3, columns=(1, 2), separator="blanks")
    bare = b"\n".join(line.rpartition(b" ")[0] for line in CHUNKS.split(b"\n"))
    assert read(file_of(bare), format=settled).X == read(file_of(CHUNKS), format=settled).X
    assert read(file_of(bare), format=settled).tags is None
    refused(bare, "line 1: there is no column 3, and a line has 2 columns; name another by tag=…",
            format=settled, tags_required=True)  # fmt: skip


def test_a_hash_is_a_word_of_plain_columns_and_other_blanks_are_letters():
    one = read(file_of("# # B-NP\n1.8\u00a0billion CD I-NP\n"), format="conll")
    assert one.X == [[("#", "#"), ("1.8\u00a0billion", "CD")]]
    assert read(file_of("New York\tB-LOC\n"), format="conll").X == [["New York"]]


def test_conllu_has_words_alone_and_keeps_the_rest():
    two = read(file_of(TREES, "a.conllu"))
    assert two.X == [["Do", "n't", "run", "#"], ["New York"]]
    assert two.y == [["AUX", "PART", "VERB", "SYM"], ["PROPN"]]
    assert (two.names, two.lines.tolist()) == (("form",), [4, 11])
    both = read(file_of(TREES, "a.conllu"), tag="XPOS", columns=("form", "lemma"))
    assert both.X[0][1] == ("n't", "not")
    assert both.y[1] == ["NNP"]
    assert read(file_of(TREES, "a.conllu"), tag=4).y == two.y


def test_conllu_plus_names_its_columns():
    plus = "# global.columns = ID FORM UPOS NE\n# a comment\n1\tJohn\tPROPN\tB-PER\n2-3\tx\t_\t_\n2\t1.5\tNUM\tO\n"
    one = read(file_of(plus), tag="ne")
    assert (one.X, one.y, one.names) == ([["John", "1.5"]], [["B-PER", "O"]], ("form",))
    words = "# global.columns = WORD NE\n1-2\tO\nJohn\tB-PER\n"  # no id: 1-2 is a word
    assert read(file_of(words), tag="last").X == [["1-2", "John"]]
    refused(plus, "there is no column 'nee' (did you mean 'ne'?), and a line has 4 columns: id, form, upos, ne",
            name="a.conllu", tag="nee")  # fmt: skip


def test_conllu_that_is_not_annotated_has_no_tags():
    bare = "1\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n"
    assert read(file_of(bare, "a.conllu")).tags is None
    refused(bare, "a.conllu, line 1: no word has a tag in column upos: all are _", name="a.conllu", tags_required=True)


# ---- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence", "options"),
    [
        (b"a DT\nb NN x\n", "a.conll, line 2: 3 columns where the first line has 2; separate 2 columns by blanks", {}),
        (b"a DT\n\nb\n", "a.conll, line 3: 1 column where the first line has 2", {}),
        (b"a\tDT\n\t\n\n\nb\t\n", "a.conll, line 5: column 2 is empty; write _ where there is nothing", {}),
        (b"", "a.conll: the file is empty", {}),
        (b"\n\n  \n", "a.conll: there are no sentences; a token stands on a line of its own", {}),
        (b"-DOCSTART- O\n\n", "a.conll: there are no sentences", {}),
        (b"a DT\n", "line 1: there is no column 3, and a line has 2 columns; name another by tag=…", {"tag": 3}),
        (b"a DT\n", "there is no column 'pos': plain CoNLL columns have no names; say its number", {"tag": "pos"}),
        (b"a DT\n", "there is no column 3, and a line has 2 columns; name another by columns=…", {"columns": (1, 3)}),
        (b"a DT\n", "column 2 is both the tag and a feature; leave it out of columns=…", {"columns": (1, 2)}),
        (b"a\n", "there is one column alone, and it is the tag; say tag=None if it has the words",
             {"tags_required": False}),
        (b"a DT\n", "a column is named by its number, from 1, or by its name; got 0", {"tag": 0}),
        (b"a DT\n", "columns must be a tuple of columns, such as (1, 2), got 1", {"columns": 1}),
        (b"a DT\n", "separator must be 'tab', 'blanks' or None, got ' '", {"separator": " "}),
        (b"a DT\n", "the format conll has no setting 'tags' (did you mean 'tag'?)", {"tags": 2}),
        (b"a DT\n", "there is no format 'conl' of sentences (did you mean 'conll'?)", {"format": "conl"}),
        (b"a DT\nb\xff NN\n", "a.conll, line 2, byte 2: byte 0xff is not UTF-8", {}),
        (b"a\tb\n", "line 1: 2 columns where CoNLL-U has 10; separate them by tabs, or say format='conll'",
         {"format": "conllu"}),
        (CHUNKS.replace(b"\n", b"\r"), f"a.conll, line 1, byte 12: {NO_LINE_END}", {}),
        (CHUNKS.replace(b"\n", b"\r\r\n"), f"a.conll, line 1, byte 12: {NO_LINE_END}", {}),
        (CHUNKS + b"\na b\rc d\r", f"a.conll, line 8, byte 4: {NO_LINE_END}", {}),
        (TREES.encode().replace(b"\n", b"\r"), f"a.conll, line 1, byte 14: {NO_LINE_END}", {"format": "conllu"}),
        (b"a b\rc d\r", f"a.conll, line 1, byte 4: {NO_LINE_END}", {"format": "words", "tags_required": False}),
        (b'{"tokens": ["a"], "tags": ["O"]}\r' * 2, f"a.conll, line 1, byte 33: {NO_LINE_END}",
         {"format": "tagged-json"}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text, sentence, options):
    refused(text, sentence, **({"tags_required": True} | options))


def test_faulty_sentences_are_left_out_whole():
    text = b"a DT\nb NN x\nc NN\n\nd\xff NN\ne NN\n\nf NN\ng NN\n\nh\n"
    with stream(file_of(text), format="conll", on_error="skip") as parts:
        (part,) = parts
        assert (part.X, part.lines.tolist()) == ([["f", "g"]], [8])
        assert parts.skipped.count == 3
        assert [error.line for error in parts.skipped.first] == [2, 5, 11]
    with pytest.raises(DataError, match="there are no sentences; 1 were skipped"):
        read(file_of(b"a DT\nb\n"), format="conll", on_error="skip")


def test_a_carriage_return_spoils_its_sentence_alone():
    text = b"x\rDT\n\na DT\nb NN\n\nc\r NN\nd NN\n\ne NN\n"
    with stream(file_of(text, "a.conll"), on_error="skip") as parts:
        (part,) = parts
        assert (part.X, [error.line for error in parts.skipped.first]) == ([["a", "b"], ["e"]], [1, 6])
    with pytest.raises(DataError, match="ends no line"):  # and columns with such line ends are seen to be columns
        read(file_of((CHUNKS + b"\n" + CHUNKS).replace(b"\n", b"\r"), "a.txt"))
    pretty = b'{"tokens":\r["a"], "tags":\r["O"]}\n'  # a blank of JSON
    assert read(file_of(pretty, "a.jsonl")).y == [["O"]]


def test_what_is_skipped_are_sentences():
    for text, worded in ((b"a DT\n\nb\n", "1 sentence skipped\n"), (b"a DT\n\nb\n\nc\n", "2 sentences skipped\n")):
        with stream(file_of(text), format="conll", on_error="skip") as parts:
            list(parts)
            assert str(parts.skipped).startswith(worded)
    assert str(stream(file_of(b"a DT\n"), format="conll").skipped) == "no sentences skipped"


def test_files_of_other_columns_are_not_mixed(tmp_path):
    (tmp_path / "a.conll").write_text("a DT\n")
    (tmp_path / "b.conll").write_text("b NN\n\nc NN\n")
    (tmp_path / "c.conll").write_text("b x NN\n")
    both = read([tmp_path / "a.conll", tmp_path / "b.conll"])
    assert (both.X, both.tags) == ([["a"], ["b"], ["c"]], ["DT", "NN", "NN"])
    assert both.origin(2) == {"file": str(tmp_path / "b.conll"), "line": 3}
    assert both[1:].origin(1) == both.origin(2)
    assert both[:1].files == ((str(tmp_path / "a.conll"), 0),)
    with pytest.raises(DataError, match=r"c\.conll, line 1: 3 columns where the files before have 2"):
        read(str(tmp_path / "*.conll"))


# ---- which format ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.iob", b"a O\n", "conll"), ("a.BIO.gz", b"a O\n", "conll"), ("a.conllup", TREES.encode(), "conllu"),
        ("a.txt", CHUNKS + b"\n" + CHUNKS, "conll"), ("train", CHUNKS + b"\n" + CHUNKS, "conll"),
        ("a.txt", TREES.encode(), "conllu"), ("a.jsonl", b'{"tokens": ["a"], "tags": ["O"]}\n', "tagged-json"),
        ("a", b'[{"id": 1, "tokens": ["a"]}]', "tagged-json"),
    ],
)  # fmt: skip
def test_the_format_is_known_by_name_or_look(name, text, format):
    with stream(file_of(text, name)) as parts:
        assert parts.format.name == format


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", b"The film was good\nI liked it\n"), ("a.csv", CHUNKS + b"\n" + CHUNKS), ("a.txt", CHUNKS),
        ("a.jsonl", b'{"text": "a b", "label": 1}\n'), ("a.txt", b"a b\n\nc d\n\ne f\n\ng h\n"),
    ],
)  # fmt: skip
def test_what_is_not_seen_to_be_sentences_is_refused(name, text):
    with pytest.raises(DataError, match="not seen to be a file of sentences; say which format it is"):
        read(file_of(text, name))


def test_tables_and_sentences_are_not_mixed_up():
    with pytest.raises(
        DataError, match=r"a\.conll: it holds sentences, a token a line; read them with rb\.data\.read_sen"
    ):
        rb.data.read(file_of(CHUNKS, "a.conll"))
    with pytest.raises(ValueError, match="conll is a format of sentences"):
        rb.data.read(file_of(CHUNKS), format="conll")
    assert len(rb.data.read(file_of(b"label,text\n1,a b c\n\n0,b c\n", "a.txt"))) == 2
    assert (
        len(rb.data.read(file_of(b'{"tokens": ["a"], "label": "x"}\n{"tokens": ["b"], "label": "y"}\n', "a.jsonl")))
        == 2
    )


# ---- JSON lines and plain text ---------------------------------------------------------------------------------------


def test_json_lines_of_tokens_and_tags():
    text = b'{"tokens": ["a", "b"], "tags": ["O", "B-X"], "id": 7}\n\n{"tokens": [], "tags": []}\n'
    two = read(file_of(text), format="tagged-json")
    assert (two.X, two.y, two.lines.tolist()) == ([["a", "b"], []], [["O", "B-X"], []], [1, 3])
    array = read(file_of(b"[" + text.replace(b"\n\n", b",") + b"]"), format="tagged-json")
    assert (array.X, array.y) == (two.X, two.y)
    columns = read(file_of(b'{"words": [["a", "DT"], ["b", "NN"]]}'), format=TaggedJson(tokens="words"))
    assert (columns.X, columns.tags) == ([[("a", "DT"), ("b", "NN")]], None)
    with stream(file_of(text), format="tagged-json", keep=True) as parts:
        (part,) = parts
        rows = [json.loads(line) for line in parts.written(part, ["X", "Y"]).splitlines()]
    assert rows == [{"tokens": ["a", "b"], "tags": ["X", "Y"], "id": 7}, {"tokens": [], "tags": []}]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"tokens": ["a", "b"], "tags": ["O"]}', "a.jsonl, line 2: 2 tokens and 1 tag; give each token one"),
        ('{"tokens": "a b", "tags": ["O"]}', "'tokens' must be a list, got \"a b\"; split the sentence into words"),
        ('{"tokens": ["a", 1], "tags": ["O", "O"]}', "a token is a string, or a list of strings, got 1"),
        ('{"tokens": [["a", "b"]], "tags": ["O"]}', "a token is 2 columns, where those before are a string"),
        ('{"tokens": ["a"], "tags": [3]}', "'tags' must be a list of strings, got 3"),
        ('{"tokens": ["a"]}', "the sentence has no 'tags'; tag every sentence, or say tags=…"),
        ('{"words": ["a"], "tags": ["O"]}', "the object has no 'tokens', its names are 'words', 'tags'; say tokens=…"),
        ('{"tokens": ["a"', "not JSON"),
        ("[1]", "not an object"),
    ],
)
def test_what_is_wrong_in_json_is_told_with_its_line(line, sentence):
    good = '{"tokens": ["a"], "tags": ["O"]}\n'
    refused(good + line + "\n" + good, sentence, name="a.jsonl")
    refused(good + line + "\n" + good, "line 2", name="a.jsonl")
    with stream(file_of(good + line + "\n" + good, "a.jsonl"), on_error="skip") as parts:
        assert [part.X for part in parts] == [[["a"], ["a"]]]
        assert parts.skipped.count == 1


def test_plain_text_is_a_sentence_a_line():
    with stream(file_of(b"The cat sat .\n\nIt slept\n"), format="words", keep=True) as parts:
        (part,) = parts
        assert (part.X, part.tags) == ([["The", "cat", "sat", "."], [], ["It", "slept"]], None)
        assert parts.written(part, list("ABCDEF")) == "The A\ncat B\nsat C\n. D\n\n\nIt E\nslept F\n\n"
    refused(b"a b\n", "plain text has no tags; say format='conll' if it is columns", format="words", tags_required=True)


# ---- streams and writing ---------------------------------------------------------------------------------------------

#: Cells of any characters but those that end cells or lines.
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r "), min_size=1, max_size=5)
CELLS = CELL.filter(lambda cell: cell.strip() and cell != "-DOCSTART-")
TAGGED = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(st.tuples(*[CELLS] * (n + 1)), min_size=1, max_size=5), min_size=1, max_size=12)
)


@given(TAGGED, st.sampled_from(["conll", "tagged-json"]), st.integers(1, 40), st.integers(1, 4), st.data())
def test_what_was_written_is_read_in_any_parts(tmp_path_factory, rows, format, step, most, data):
    path = tmp_path_factory.mktemp("sentences") / "a.any"
    X, y = [[token[:-1] for token in one] for one in rows], [[token[-1] for token in one] for one in rows]
    write(path, X, y, format=format)
    whole = read(path, format=format)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tagged, "STEP", step)
        with stream(path, format=format, part_sentences=most) as parts:
            parts = list(parts)
    for one in (whole, tagged.joined(parts)):
        words = [[(token,) if isinstance(token, str) else token for token in sentence] for sentence in one.X]
        assert (words, one.y) == (X, y)
        assert one.lines.tolist() == whole.lines.tolist()
    assert max(map(len, parts)) <= most
    begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
    assert whole[begin:end].y == y[begin:end]


@given(st.integers(1, 200), st.booleans())
def test_what_is_written_back_is_what_was_read_but_for_the_tags(step, carriage_returns):
    text = TREES.replace("\n", "\r\n") if carriage_returns else TREES
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tagged, "STEP", step)
        with stream(file_of(text, "a.conllu"), keep=True) as parts:
            back = "".join(parts.written(part, part.tags or []) for part in parts)
            assert parts.lines_read == 12
        assert back == TREES
        with stream(file_of(text, "a.conllu"), keep=True) as parts:
            changed = "".join(parts.written(part, ["X"] * part.n_tokens) for part in parts)
    assert read(file_of(changed, "a.conllu")).tags == ["X"] * 5
    assert changed.count("\tX\t") == 5


def test_predicted_tags_are_a_further_column_that_conlleval_reads():
    text = b"-DOCSTART- -X- O\n\n" + CHUNKS
    with stream(file_of(text), format="conll", keep=True) as parts:
        (part,) = parts
        back = parts.written(part, list("ABCDE"))
        with pytest.raises(ValueError, match="5 tokens need as many tags, got 1"):
            parts.written(part, ["A"])
        with pytest.raises(ValueError, match="was not kept; say keep=True"):
            parts.written(part[:1], ["A"])
    assert back.splitlines()[:4] == ["-DOCSTART- -X- O O", "", "The DT B-NP A", "cat NN I-NP B"]
    assert read(file_of(back), format="conll").tags == list("ABCDE")


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([["a"]], [["O", "O"]], "1 token and 2 tags at sentence 0; give each token one"),
        ([["a"]], [], "there are 1 sentences and tags of 0"),
        ([["a\tb"]], None, r"the cell 'a\tb' cannot be written in columns; write JSON lines by format='tagged-json'"),
        ([[" "]], None, "the cell ' ' cannot be written in columns"),
        ([["a"], []], None, "an empty sentence cannot be written in columns at sentence 1; write JSON lines"),
    ],
)
def test_what_cannot_be_written_is_refused_and_the_file_is_as_it_was(tmp_path, X, y, sentence):
    path = tmp_path / "a.conll"
    path.write_text("as it was")
    with pytest.raises(DataError) as error:
        write(path, X, y)
    assert sentence in str(error.value)
    assert path.read_text() == "as it was"


def test_sentences_are_written_as_they_were_read(tmp_path):
    two = read(file_of(CHUNKS), format="conll")
    write(tmp_path / "a.conll.gz", two)
    assert gzip.decompress((tmp_path / "a.conll.gz").read_bytes()) == CHUNKS + b"\n"
    write(tmp_path / "a.jsonl", two.sentences, two.y)
    back = read(tmp_path / "a.jsonl")
    assert isinstance(back, TaggedSentences)
    assert (back.X, back.y) == (two.X, two.y)
    write(tmp_path / "b.conll", [["New York"]], [["B-LOC"]])
    assert (tmp_path / "b.conll").read_text() == "New York\tB-LOC\n\n"


def test_memory_is_bounded():
    text = b"".join(b"word%d NN\n" % i + b"\n" * (i % 7 == 0) for i in range(20000))
    refused(text, "of memory or more, and 1 MB is the limit; read some at a time with rb.data.stream_sentences",
            memory=1_000_000)  # fmt: skip


# ---- real files ------------------------------------------------------------------------------------------------------


def test_real_files(data_folder):
    archive = data_folder / "conll2000" / "conll2000.zip"
    trees = data_folder / "ud_ewt" / "en_ewt-ud-dev.conllu.gz"
    if not archive.is_file() or not trees.is_file():
        pytest.skip(f"no CoNLL-2000 or no EWT in {data_folder}")
    with zipfile.ZipFile(archive) as both:
        chunks = read(both.open("conll2000/test.txt"))
    assert (len(chunks), chunks.n_tokens, chunks.names) == (2012, 47377, ("1", "2"))
    assert len(set(chunks.tags)) == 19
    with stream(trees, keep=True) as parts:
        back = "".join(parts.written(part, part.tags) for part in parts)
    assert back.encode() == gzip.decompress(trees.read_bytes())
    words = read(trees)
    assert (len(words), len(set(words.tags))) == (2001, 17)
    assert Conllu(tag="upos", columns=("form",)) == Conllu(columns=["form"])


def test_blank_lines_may_hold_blanks_anywhere():
    lines = b" \n\t\nThe DT B-NP\n  cat NN I-NP\n \t \n \nIt PRP B-NP\n\t"
    both = read(file_of(lines), format="conll")
    assert both.X == [[("The", "DT"), ("cat", "NN")], [("It", "PRP")]]
    assert both.lines.tolist() == [3, 7]


def test_blank_lines_with_blanks_at_the_seam_of_two_parts(monkeypatch):
    text = CHUNKS + b"\n \n" + CHUNKS + b"\n\t\n" + CHUNKS
    for step in range(8, 90):
        monkeypatch.setattr(tagged, "STEP", step)
        assert read(file_of(text), format="conll").y == read(file_of(CHUNKS), format="conll").y * 3


def test_tabs_that_were_guessed_are_told():
    with pytest.raises(DataError, match=r"line 2: 1 column where the first line has 2; .* say separator='blanks'"):
        read(file_of("the\tDT B-NP\ncat NN I-NP\n", "x"), format="conll")


def test_one_column_alone_cannot_be_learned_from():
    with pytest.raises(DataError, match="it is the tag; give each token a word before its tag"):
        read(file_of("the\ncat\n"), format="conll", tags_required=True)


@pytest.mark.parametrize(("format", "text"), [("conll", "a b\n"), ("words", "a\n")])
def test_tags_that_columns_cannot_hold_are_not_written(format, text):
    with stream(file_of(text), format=format, keep=True) as parts:
        for part in parts:
            for tag in ("New York", "", "a\tb", "a\nb"):
                with pytest.raises(DataError, match="cannot be written in columns"):
                    parts.written(part, [tag])
    with stream(file_of("a\tb\n"), format="conll", keep=True) as parts:
        assert [parts.written(part, ["New York"]) for part in parts] == ["a\tb\tNew York\n"]


def test_json_counts_in_words():
    for row, message in (
        ({"tokens": ["a", "b"], "tags": ["X"]}, "2 tokens and 1 tag;"),
        ({"tokens": [["a"], ["b", "c"]], "tags": ["X", "Y"]}, "a token is 2 columns, where those before are 1 column;"),
        ({"tokens": ["a"], "tags": [5]}, "'tags' must be a list of strings, got 5"),
        ({"tokens": ["a"], "tags": ["\ud800"]}, r"the tag '\\ud800' holds a lone surrogate"),
    ):
        with pytest.raises(DataError, match=message):
            read(file_of(json.dumps(row)), format="tagged-json")
