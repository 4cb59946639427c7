"""Features of tokens: the native encoder against plain Python, which renders and hashes templates; doors; refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import DataError, DataTypeError, ParameterError
from rosenblatt.sequences import CHUNKING, FeatureNames, Sentences, Templates, TokenEncoder, words

# ---- the same in plain Python: the definition ------------------------------------------------------------------------

MASK = 2**64 - 1


def finished(h: int) -> int:
    h = ((h ^ (h >> 33)) * 0xFF51AFD7ED558CCD) & MASK
    h = ((h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53) & MASK
    return h ^ (h >> 33)


def hash64(text: str) -> int:
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return finished(h)


def is_capital(char: str) -> bool:
    return char.lower() != char


def is_cased(char: str) -> bool:
    return (char + "Σ").lower().endswith("ς")  # which a capital sigma after it tells


def shape(text: str) -> str:
    kinds = ["d" if c in "0123456789" else "X" if is_capital(c) else "x" if is_cased(c) else c for c in text]
    return "".join(kind for i, kind in enumerate(kinds) if kinds[max(0, i - 4) : i] != [kind] * 4)


def applied(function: str, text: str) -> str | None:
    affix = re.fullmatch(r"(prefix|suffix)(\d+)", function)
    if affix:
        n = int(affix[2])
        return None if len(text) < n else text[:n] if affix[1] == "prefix" else text[-n:]
    small = any(is_cased(c) and not is_capital(c) for c in text)
    flags = {
        "digit": any(c in "0123456789" for c in text),
        "hyphen": "-" in text,
        "title": is_capital(text[:1]),
        "upper": len(text) > 1 and any(map(is_capital, text)) and not small,
    }
    if function in flags:
        return "" if flags[function] else None
    return {"x": text, "lower": text.lower(), "shape": shape(text)}[function]


def cell_string(sentence, t, cell, edges):
    functions, row, column = cell[0], t + int(cell[1]), int(cell[2])
    if not 0 <= row < len(sentence):
        beyond = f"_B{row}" if row < 0 else f"_B+{row - len(sentence) + 1}"
        return beyond if edges == "crf++" else None
    text = sentence[row][column]
    for function in functions.split("."):
        if text is not None:
            text = applied(function, text)
    return text


def features(sentence, lines, edges):
    """Of each token, (name, 64-bit hash) of each feature."""
    rows = []
    for t in range(len(sentence)):
        row = []
        for line in lines:
            parts = re.split(r"%([a-z0-9.]+)\[(-?\d+),(\d+)\]", line)
            strings = [cell_string(sentence, t, parts[i : i + 3], edges) for i in range(1, len(parts), 4)]
            if None in strings:
                continue
            texts, code = parts[::4], hash64("\0".join(parts[::4]))
            for text in strings:
                code = finished(code ^ hash64(text))
            row.append(("".join(a + b for a, b in zip(texts, [*strings, ""])), code))
        if edges == "crfsuite":
            row += [("__BOS__", hash64("__BOS__"))] if t == 0 else []
            row += [("__EOS__", hash64("__EOS__"))] if t == len(sentence) - 1 else []
        rows.append(row)
    return rows


def columns_of(rows, bits):
    return [sorted({code % 2**bits for _, code in row}) for row in rows]


def token_columns(rows):
    return [rows.indices[a:b].tolist() for a, b in zip(rows.indptr, rows.indptr[1:])]


# ---- what is drawn ---------------------------------------------------------------------------------------------------

strings = st.text("aAbzZ019-./_ßéΣςσİıǅ中\u0301😀", max_size=7)
functions = st.sampled_from(
    ["x", "lower", "prefix1", "prefix3", "suffix2", "suffix4", "shape", "digit", "hyphen", "title", "upper",
     "lower.suffix3", "suffix3.shape", "lower.prefix2.shape"]
)  # fmt: skip


@st.composite
def template_lines(draw, n_columns):
    cells = st.builds("%{}[{},{}]".format, functions, st.integers(-8, 8), st.integers(0, n_columns - 1))
    pieces = st.text("U:/=ab é", max_size=3)
    lines = []
    for number in range(draw(st.integers(1, 5))):
        inner = "".join(draw(cells) + draw(pieces) for _ in range(draw(st.integers(0, 3))))
        lines.append(f"U{draw(st.sampled_from([number, 7]))}:{inner}".strip())
    return lines


@st.composite
def problems(draw):
    n_columns = draw(st.integers(1, 3))
    token = st.tuples(*[strings] * n_columns)
    sentences = draw(st.lists(st.lists(token, max_size=6), min_size=1, max_size=4).filter(any))
    return sentences, draw(template_lines(n_columns)), draw(st.sampled_from(["crf++", "crfsuite"]))


# ---- laws ------------------------------------------------------------------------------------------------------------


@given(problems(), st.sampled_from([3, 18, 24]))
def test_native_rows_and_names_are_the_definition(problem, bits):
    sentences, lines, edges = problem
    encoder = TokenEncoder(Templates(lines, edges), bits)
    rows = encoder.encode(sentences)
    wanted = [row for sentence in sentences for row in features(sentence, lines, edges)]
    assert token_columns(rows) == columns_of(wanted, bits)
    assert rows.data is None
    assert rows.n_columns == 2**bits
    assert rows.starts.tolist() == np.cumsum([0, *map(len, sentences)]).tolist()
    assert (rows.indptr.dtype, rows.indices.dtype, rows.starts.dtype) == (np.int64, np.int32, np.int64)
    named = [token for sentence in sentences if sentence for token in encoder.names_of(sentence)]
    assert named == [[(name, code % 2**bits) for name, code in row] for row in wanted]


@given(problems(), st.data())
def test_a_sentence_has_the_same_rows_alone_and_among_others(problem, data):
    sentences, lines, edges = problem
    encoder = TokenEncoder(Templates(lines, edges))
    whole = Sentences.of_columns(sentences)
    rows = token_columns(encoder.encode(whole))
    first = data.draw(st.integers(0, len(sentences)))
    part = whole[first:]
    assert rows[int(whole.starts[first]) :] == token_columns(encoder.encode(part))
    assert [part.sentence(i) for i in range(len(part))] == [list(map(tuple, s)) for s in sentences[first:]]


@given(st.lists(st.lists(strings, min_size=1, max_size=5), min_size=1, max_size=3))
def test_words_have_the_same_rows_from_every_door(sentences):
    doors = [
        sentences,
        [[(word,) for word in sentence] for sentence in sentences],
        [[[word] for word in sentence] for sentence in sentences],
        Sentences.of_words(sentences),
        tuple(map(tuple, sentences)),
    ]
    rows = [token_columns(TokenEncoder().encode(door)) for door in doors]
    assert all(other == rows[0] for other in rows)
    lines = [line for line in words(1).lines if line]
    wanted = [row for s in sentences for row in features([(word,) for word in s], lines, words(1).edges)]
    assert rows[0] == columns_of(wanted, 24)


def test_many_templates_are_sorted_too():
    lines = [f"U{i}:%x[0,0]" for i in range(300)]
    rows = TokenEncoder(lines, bits=8).encode([["a", "b"]])
    assert token_columns(rows) == columns_of(features([("a",), ("b",)], lines, "crf++"), 8)


def test_templates_with_the_same_text_share_their_features():
    """CRF++'s bag of words: no identifier tells the places apart, and a word that is there twice counts once."""
    rows = TokenEncoder(["U:%x[-1,0]", "U:%x[0,0]", "U:%lower[1,0]"]).encode([["a", "b", "A"], ["b", "b"]])
    assert [len(row) for row in token_columns(rows)] == [3 - 1 + 1, 2, 3, 3 - 1, 3 - 1]


@pytest.mark.parametrize(
    ("function", "made"),
    [
        ("x", {"Ab": "Ab", "": ""}),
        ("lower", {"ΟΔΥΣΣΕΥΣ": "οδυσσευς", "İ": "i\u0307", "É1": "é1"}),
        ("prefix2", {"été": "ét", "é": None, "ab": "ab"}),
        ("suffix2", {"été": "té", "😀": None, "ab": "ab"}),
        (
            "shape",
            {"Reckons": "Xxxxx", "USA-1999": "XXX-dddd", "aaaaaA": "xxxxX", "12345678": "dddd", "É中文": "X中文"},
        ),
        ("digit", {"a1": "", "a": None}),
        ("hyphen", {"a-b": "", "a_b": None}),
        ("title", {"Éa": "", "éA": None, "": None, "1A": None}),
        ("upper", {"AB": "", "A1": "", "A": None, "Ab": None, "12": None, "": None}),
        ("suffix3.shape", {"aB1": "xXd", "B1": None}),
    ],
)
def test_functions_of_a_cell(function, made):
    for text, wanted in made.items():
        names = TokenEncoder(f"U:%{function}[0,0]").names_of([text])[0]
        assert [name for name, _ in names] == ([] if wanted is None else ["U:" + wanted])
        by_definition = [name for name, _ in features([(text,)], [f"U:%{function}[0,0]"], "crf++")[0]]
        assert by_definition == ([] if wanted is None else ["U:" + wanted])


# ---- features by name ------------------------------------------------------------------------------------------------


def test_dicts_are_read_as_python_crfsuite_reads_them():
    token = {"word": "the", "is_title": True, "is_upper": False, "len": 3.5, "none": 0, "in": {"a": 2, "b": "c"},
             "tags": ["x", "y"]}  # fmt: skip
    wanted = {"word:the": 1, "is_title": 1, "len": 3.5, "in:a": 2, "in:b:c": 1, "tags:x": 1, "tags:y": 1}
    encoder = TokenEncoder(None, bits=20)
    rows = encoder.encode([[token, {}]])
    by_column = {hash64(name) % 2**20: value for name, value in wanted.items()}
    assert dict(zip(rows.indices.tolist(), rows.data.tolist())) == by_column
    assert rows.indices.tolist() == sorted(by_column)
    assert rows.indptr.tolist() == [0, len(wanted), len(wanted)]
    assert encoder.names_of([token]) == [[(name, hash64(name) % 2**20) for name in wanted]]


@given(st.lists(st.lists(st.lists(st.text("ab:é", max_size=3), max_size=5), max_size=3), max_size=3))
def test_lists_of_names_and_dicts_of_flags_have_the_same_rows(sentences):
    encoder = TokenEncoder(None, bits=12)
    rows = encoder.encode(sentences)
    assert token_columns(rows) == [
        sorted({hash64(name) % 2**12 for name in token}) for sentence in sentences for token in sentence
    ]
    assert rows.data is None
    flags = encoder.encode([[dict.fromkeys(token, True) for token in sentence] for sentence in sentences])
    assert token_columns(flags) == token_columns(rows)


def test_numbers_in_one_column_add_up_and_flags_count_once():
    rows = TokenEncoder(None, bits=1).encode([[{"a": True, "b": 1.5, "c": True, "d": -4.0, "e": "f", "g": 2}]])
    expected = {0: 0.0, 1: 0.0}
    for name, value in (("b", 1.5), ("d", -4.0), ("g", 2.0)):
        expected[hash64(name) % 2] += value
    for column in {hash64(name) % 2 for name in ("a", "c", "e:f")}:
        expected[column] += 1
    assert dict(zip(rows.indices.tolist(), rows.data.tolist())) == {c: v for c, v in expected.items() if v}


# ---- names -----------------------------------------------------------------------------------------------------------


@given(problems(), st.integers(0, 4))
def test_names_are_gathered_once_in_the_order_they_come(problem, cut):
    sentences, lines, edges = problem
    encoder = TokenEncoder(Templates(lines, edges), bits=6)
    encoder.encode(sentences)
    names = FeatureNames.none()
    for part in (sentences[:cut], sentences[cut:]):
        names = encoder.gather_names(part, names) if part and any(part) else names
    wanted = {}
    for sentence in sentences:
        for row in features(sentence, lines, edges):
            for name, code in row:
                wanted.setdefault(code, name)
    wanted = dict(list(wanted.items())[: 2**6])
    assert dict(zip(names.hashes.tolist(), names.names.names())) == wanted
    by_column = names.of_columns(range(64), 6)
    assert by_column == [[name for code, name in wanted.items() if code % 64 == column] for column in range(64)]
    again = FeatureNames.from_state(*names.to_state())
    assert again.names.names() == names.names.names()
    assert again.complete == names.complete


def test_names_that_were_given_are_gathered_likewise():
    encoder = TokenEncoder(None)
    names = encoder.gather_names([[{"a": "b", "c": True}], [["c", "d"]]], FeatureNames.none())
    assert names.names.names() == ["a:b", "c", "d"]
    few = encoder.gather_names([[["e", "f"]]], names, most=4)
    assert (few.names.names(), few.complete) == (["a:b", "c", "d", "e"], False)


# ---- sets ------------------------------------------------------------------------------------------------------------


def test_the_chunking_set_is_crfsuites():
    sentence = [("He", "PRP"), ("reckons", "VBZ"), ("so", "RB")]
    names = [[name for name, _ in token] for token in TokenEncoder(CHUNKING).names_of(sentence)]
    assert names[0] == ["U02:He", "U03:reckons", "U04:so", "U06:He/reckons", "U12:PRP", "U13:VBZ", "U14:RB",
                        "U17:PRP/VBZ", "U18:VBZ/RB", "U22:PRP/VBZ/RB", "__BOS__"]  # fmt: skip
    assert len(CHUNKING) == 19
    middle = TokenEncoder(CHUNKING).names_of([("a", "A"), ("b", "B"), *sentence])[2]
    assert len(middle) == 19


def test_further_columns_join_the_built_in_set():
    encoder = TokenEncoder()
    names = [name for name, _ in encoder.names_of([("He", "PRP", "x"), ("ran", "VBD", "y")])[0]]
    assert {"word=He", "column1=PRP", "column1[0,1]=PRP/VBD", "column2=x", "shape[-1,0]=_B-1/Xx"} <= set(names)
    with pytest.raises(DataError, match="tokens have 1 column, and the first ones that came had 3"):
        encoder.encode([["He"]])


@pytest.mark.parametrize("features", ["words", "chunking", ["U:%x[0,0]", "B"], CHUNKING, None])
def test_an_encoder_is_made_again_from_its_state(features):
    encoder = TokenEncoder(features, bits=20)
    for _ in range(2):
        again = TokenEncoder.from_state(encoder.to_state())
        assert again.to_state() == encoder.to_state()
        sentences = [[["a", "b"], ["c", "d"]]]
        assert token_columns(again.encode(sentences)) == token_columns(encoder.encode(sentences))


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("U0:%x[0,0]\n\nU1:%x[0]", "line 3, column 4: '%x[0]' is no cell; write %x[row,column]"),
        ("  U0:%x[0,0]/%", "line 1, column 14: '%' is no cell"),
        ("U0:%y[0,0]", "line 1, column 4: 'y' in '%y[0,0]' is no function of a cell; there are %x, %lower"),
        ("U0:%x.[0,0]", "'' in '%x.[0,0]' is no function"),
        ("U0:%suffix0[0,0]", "'suffix0' in"),
        ("U0:%x[9,0]", "lies 9 tokens away, and at most 8"),
        ("# only\nB", "the templates name no feature"),
        ("B01:%x[0,0]", "line 1: 'B01:%x[0,0]' is a feature of two tags"),
        ("word=", "line 1: 'word=' begins with neither U nor B"),
        ("word", 'features must be "words", "chunking", templates or None, got \'word\''),
    ],
)
def test_templates_that_do_not_parse(lines, sentence):
    with pytest.raises(ParameterError) as error:
        TokenEncoder(lines)
    assert sentence in str(error.value)
    assert error.value.parameter == "features"


def test_a_column_that_is_not_there():
    with pytest.raises(ParameterError) as error:
        TokenEncoder("U0:%x[0,0]\nU1:%x[0,2]").encode([[("a", "b")]])
    assert str(error.value) == "templates, line 2: 'U1:%x[0,2]' asks for column 2, and tokens have 2 columns, 0 to 1"


@pytest.mark.parametrize(
    ("features", "sentences", "kind", "sentence"),
    [
        ("words", "a text", DataTypeError, "sentences must be a list of lists of tokens, got str; put a single"),
        ("words", [["a"], "b c"], DataTypeError, "a sentence must be a list of tokens, got str at sentence 1; split"),
        ("words", [["a"], ["b", 3]], DataTypeError, "a token's column must be a str, got int at sentence 1, token 1"),
        ("words", [["a"], [None]], DataTypeError, "a token's column must be a str, got None at sentence 1, token 0"),
        ("words", [["a", "\ud800"]], DataError, "holds a lone surrogate, which is not text at sentence 0, token 1"),
        ("words", [[{"a": "b"}]], DataTypeError, "a token is a dict, whose features are given by name"),
        ("words", [[("a", "b")], [("a",)]], DataError, "a token has 1 column, where the first has 2 columns"),
        (
            "words",
            [[("a", "b"), "ab"]],
            DataTypeError,
            "a token must be the strings of its columns in a tuple, got str",
        ),
        (None, [["word"]], DataTypeError, "by name, got a str at sentence 0, token 0"),
        (None, [[["a"]], [["b"], 3]], DataTypeError, "got int at sentence 1, token 1"),
        (None, [[{"a": None}]], DataError, "feature 'a' has the value None, which is neither text nor a finite number"),
        (None, [[{"a": float("nan")}]], DataError, "feature 'a' has the value nan"),
        (None, [[{"a": 1e300}]], DataError, "feature 'a' has the value 1e+300"),
        (None, [[{3: True}]], DataTypeError, "the name of a feature must be a str, got int"),
    ],
)
def test_sentences_that_are_none(features, sentences, kind, sentence):
    with pytest.raises(kind) as error:
        TokenEncoder(features).encode(sentences)
    assert sentence in str(error.value)


def test_columns_of_different_lengths_and_starts_that_fall():
    with pytest.raises(DataError, match="column 1 holds 1 strings for 2 tokens"):
        Sentences((["a", "b"], ["c"]), np.array([0, 2]))
    with pytest.raises(DataError, match="starts must rise"):
        Sentences((["a", "b"],), np.array([0, 2, 1, 2]))
