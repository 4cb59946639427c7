"""Symbols as words: every punctuation mark, sign and emoji a token of its own, words from one letter up."""

import re
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence
from sklearn.feature_extraction.text import CountVectorizer
from test_text import REVIEWS, SAME_UNICODE, SPECIAL, known, ngram_hash

from rosenblatt.text import Analysis, BagOfWords, Documents, HashedText, Hashing, columns_of
from rosenblatt.text.defaults import analyzer_for, default_hashing

WITH_SYMBOLS = Analysis(symbols=True, min_length=1)

#: Code points for emoji that this Unicode has not named yet, and that a later one may.
TO_COME = re.compile("[\U0001f000-\U0001faff]")

SCRIPTS = {
    "latin": "aZéÉßİ_9½ǅ e\u0301x\u0323\u0302",
    "greek": "ΑΣσςή Σ\u0301",
    "cyrillic": "ЖжЁё и\u0306",
    "devanagari": "हिन्दी क\u093c\u094d\u200dष ३",
    "thai": "ภาพยนตร์ ๓",
    "arabic": "مَرحبا \u200cمی\u200cخواهم ٣",
    "hebrew": "שָׁלוֹם ־",
    "han": "好映画字 。、「」",
    "hangul": "영화 한\u1100\u1161",
    "emoji": "😀❤\ufe0f👍\U0001f3fd👩\u200d💻🇩🇪1\ufe0f\u20e3🫠\U0001faff",
    "marks": "!?.,;:'’\"-–—…¿¡()[]{}<>/\\|@#$€£%&*+=~^`´§°©™№→∑♥",
    "spaces": " \t\n\r\x00\x1f\x7f\x85\xa0\u2003\u2028\u200b\ufeff\u00ad\ufffd",
}
strange = st.sampled_from(SPECIAL) | st.characters(exclude_categories=("Cs",))
pieces = st.one_of(*(st.text(st.sampled_from(sorted(set(c))), max_size=8) for c in SCRIPTS.values()))
texts = st.lists(pieces | st.text(strange, max_size=8), max_size=8).map("".join).map(known)


def category(char):
    return unicodedata.category(char)


def tokens(text, min_length=1, lowercase=True):
    """Words of letters, digits and _, with the marks that follow; and each punctuation mark or sign."""
    found, word = [], ""
    for char in [*(text.lower() if lowercase else text), " "]:
        if char.isalnum() or char == "_" or (word and category(char)[0] == "M"):
            word += char
            continue
        found += [word] if len(word) >= min_length and word else []
        word = ""
        unnamed = category(char) == "Cn" and TO_COME.match(char)
        found += [char] if category(char)[0] in "PS" or unnamed else []
    return found


def joined(words, low, high):
    """N-grams as they come: by where they start, the shortest first."""
    return [" ".join(words[i : i + n]) for i in range(len(words)) for n in range(low, high + 1) if i + n <= len(words)]


# ---- tokens ------------------------------------------------------------------------------------------------------


@given(texts, st.integers(1, 3), st.booleans())
def test_tokens_are_those_of_plain_python(text, min_length, lowercase):
    how = Analysis(symbols=True, min_length=min_length, lowercase=lowercase)
    assert how.ngrams_of(text) == tokens(text, min_length, lowercase)
    assert how.ngrams_of(text.encode()) == how.ngrams_of(text)


@given(texts)
def test_tokens_in_long_ascii_text_are_those_of_plain_python(text):
    """What is read 64 bytes at once must meet what is read one character at a time."""
    for k in (0, 1, 31, 62, 63, 64, 65, 127):
        for filler in ("ab ", "A", ".", "!? ", "Word_9-", "a,\x7f\x00(B)"):
            long = (filler * 150)[:k] + text + (filler * 150)[k:150]
            for min_length in (1, 2):
                assert Analysis(symbols=True, min_length=min_length).ngrams_of(long) == tokens(long, min_length)


@pytest.mark.skipif(not SAME_UNICODE, reason="this Python knows other characters than the tables do")
@pytest.mark.parametrize(("first", "end"), [(0, 0x20000), pytest.param(0x20000, 0x110000, marks=pytest.mark.slow)])
def test_every_code_point_is_a_word_a_symbol_a_mark_or_a_gap(first, end):
    for start in range(first, end, 4096):
        chars = [chr(c) for c in range(start, start + 4096) if not 0xD800 <= c < 0xE000]
        text = "\n".join(f"x{c}Y {c}" for c in chars)
        assert WITH_SYMBOLS.ngrams_of(text) == tokens(text), hex(start)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't!!", ["i", "don", "'", "t", "!", "!"]),
        ("a_b x=1.5€", ["a_b", "x", "=", "1", ".", "5", "€"]),
        ("cafe\u0301, CAFÉ", ["cafe\u0301", ",", "café"]),  # an accent stays with its letter
        ("\u0301a", ["a"]),  # and without one it is nothing
        ("!\u0301a", ["!", "a"]),
        ("हिन्दी!", ["हिन्दी", "!"]),  # and so do vowel signs
        ("ดีมาก", ["ดีมาก"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("❤️", ["❤"]),  # a variation selector is no token
        ("👍🏽", ["👍", "🏽"]),  # a skin tone is one
        ("👩‍💻", ["👩", "💻"]),  # what a joiner joins are two
        ("🇩🇪", ["🇩", "🇪"]),
        ("1️⃣", ["1\ufe0f\u20e3"]),  # a keycap is a digit with marks
        ("🫠\U0001faff", ["🫠", "\U0001faff"]),  # also what a later Unicode will name
        ("😀😀ok😀", ["😀", "😀", "ok", "😀"]),
        ("İ", ["i̇"]),
        ("Ⓐ №", ["ⓐ", "№"]),  # lower case, where a sign has one
        ("soft\u00adhyphen zero\u200bwidth", ["soft", "hyphen", "zero", "width"]),
        ("\x00\x07\x7f \ufeff", []),
    ],
)
def test_tokens_by_example(text, expected):
    assert WITH_SYMBOLS.ngrams_of(text) == expected
    assert tokens(text) == expected


@given(texts)
def test_without_symbols_the_words_of_one_letter_are_those_of_python(text):
    assert Analysis(min_length=1).ngrams_of(text) == re.findall(r"\w+", text.lower())


def test_bytes_that_are_no_text_are_a_symbol_where_they_are_replaced():
    how = Analysis(symbols=True, min_length=1, decode_error="replace")
    assert how.ngrams_of(b"a\xffb") == ["a", "\ufffd", "b"]
    one_sentence(lambda: WITH_SYMBOLS.ngrams_of(b"ab\xff!"), ValueError, "byte 2")


# ---- what is made of tokens --------------------------------------------------------------------------------------


@given(texts, st.integers(1, 3), st.integers(0, 2))
def test_ngrams_go_across_symbols(text, low, more):
    how = Analysis((low, low + more), symbols=True, min_length=1)
    assert how.ngrams_of(text) == joined(tokens(text), low, low + more)


@given(st.lists(texts, max_size=4), st.integers(4, 22))
def test_columns_are_hashes_of_the_text(documents, bits):
    how = HashedText(symbols=True, min_length=1, bits=bits, weighting="count", norm=None, dtype=np.float64)
    for text, row in zip(documents, how.transform(documents)):
        counts = Counter(ngram_hash(gram) % 2**bits for gram in joined(tokens(text), 1, 2))
        assert dict(zip(row.indices.tolist(), row.data.tolist())) == counts
        grams = list(dict.fromkeys(joined(tokens(text), 1, 2)))
        assert [(gram, column) for gram, column, _ in how.features(text)] == [
            (gram, ngram_hash(gram) % 2**bits) for gram in grams
        ]


@given(st.lists(texts, min_size=1, max_size=5))
def test_a_vocabulary_is_that_of_scikit_learn(documents):
    ours = BagOfWords(symbols=True, min_length=1, ngrams=(1, 2))
    theirs = CountVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False, ngram_range=(1, 2))
    if not any(map(tokens, documents)):
        return
    ours_rows, theirs_rows = ours.fit_transform(documents), theirs.fit_transform(documents)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours_rows.toarray().tolist() == theirs_rows.toarray().tolist()


@given(st.lists(st.sampled_from(["a", " the ", " good", "!", "?", "😀", "…"]), max_size=20).map("".join))
def test_symbols_are_stop_words_like_others(text):
    stop = ("!", "😀", "the")
    how = Analysis((1, 2), symbols=True, min_length=1, stop_words=stop)
    assert how.ngrams_of(text) == joined([token for token in tokens(text) if token not in stop], 1, 2)


@given(
    st.lists(st.sampled_from(["not", "never", "good", "a", "x", "!", ",", "😀", "–", "。", ")", "\u0301"]), max_size=20)
)
def test_negation_prefixes_words_and_leaves_symbols(listed):
    expected, negating = [], False
    for token in tokens(" ".join(listed)):
        if not (token[0].isalnum() or token[0] == "_"):
            expected.append(token)
            negating = negating and token not in ".,;:!?"
        elif token in ("not", "never"):
            expected.append(token)
            negating = True
        else:
            expected.append("not_" + token if negating else token)
    how = Analysis(symbols=True, min_length=1, negations=("not", "never"))
    assert how.ngrams_of(" ".join(listed)) == expected


def test_symbols_are_words_of_any_least_length():
    assert Analysis(symbols=True, min_length=4).ngrams_of("a good, long film…") == ["good", ",", "long", "film", "…"]


@pytest.mark.parametrize(
    ("options", "telling"),
    [
        ({"symbols": 1}, ("symbols", "True or False")),
        ({"symbols": "yes"}, ("symbols", "'yes'")),
        ({"symbols": None}, ("symbols", "None")),
        ({"min_length": 0}, ("min_length", ">= 1")),
        ({"min_length": True}, ("min_length", "True")),
        ({"symbols": True, "min_length": 1, "stop_words": ["a!"]}, ("stop_words", "'a!'", "['a', '!']")),
        ({"symbols": True, "negations": ["n't"]}, ("negations", "never be met")),
        ({"symbols": True, "analyzer": "char"}, ("symbols=True", "analyzer='char'", "leave it out")),
        ({"symbols": True, "analyzer": "char_wb"}, ("symbols=True", "analyzer='char_wb'", "leave it out")),
    ],
)
def test_bad_parameters_are_refused(options, telling):
    one_sentence(lambda: Analysis(**options), ValueError, *telling)
    for how in (HashedText, BagOfWords):
        one_sentence(lambda how=how: how(**options).fit(REVIEWS), ValueError, *telling)


# ---- scripts without spaces, and the defaults --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "analyzer"),
    [
        ("这部电影很好看，我非常喜欢。", "char"),
        ("這部電影很好", "char"),
        ("この映画はとても良かったです。", "char"),
        ("カタカナだけ", "char"),
        ("หนังเรื่องนี้ดีมาก", "char"),
        ("ຮູບເງົາດີຫຼາຍ", "char"),
        ("ရုပ်ရှင် ကောင်းတယ်", "char"),
        ("ភាពយន្តល្អ", "char"),
        ("这部 iPhone 手机很好用", "char"),
        ("이 영화는 정말 좋았습니다", "word"),  # Korean has spaces
        ("A good film", "word"),
        ("хороший фильм", "word"),
        ("यह फ़िल्म अच्छी है", "word"),
        ("فيلم جيد جدا", "word"),
        ("A film by 张艺谋, who has made many others that were seen around the world", "word"),
        ("", "word"),
        ("12 345, 67!", "word"),
        ("😀😀!!", "word"),
    ],
)
def test_the_script_decides_whether_words_are_read(text, analyzer):
    found, why = analyzer_for(text)
    assert found == analyzer
    assert bool(why) == (analyzer == "char")
    assert analyzer_for(text * 1000) == (found, why)


def test_a_quarter_of_the_letters_decides():
    for n in range(2, 9):
        assert analyzer_for("字" + "a" * n)[0] == ("char" if 1 / (1 + n) >= 1 / 4 else "word")
    assert analyzer_for("字" + "a" * 3)[1].startswith("25% of the letters")
    assert analyzer_for("字 12345678 --- ____")[1].startswith("100%")  # digits and signs are no letters


def test_text_is_read_by_default_as_words_and_symbols_or_as_characters():
    words, characters = default_hashing(10), default_hashing(10, analyzer="char")
    assert words.analysis == Analysis((1, 2), symbols=True, min_length=1)
    assert characters.analysis == Analysis((1, 3), "char")
    assert (words.weighting, words.idf, words.norm, words.supervised) == ("binary", True, "l2", False)
    assert default_hashing(10, symbols=False).analysis == Analysis((1, 2))  # then words are as ever
    assert default_hashing(10, min_length=3, ngrams=3).analysis == Analysis((1, 3), symbols=True, min_length=3)
    grams = Hashing(characters.analysis, bits=22, norm=None).features("好看")
    assert [gram for gram, _, _ in grams] == ["好", "好看", "看"]
    assert [column for _, column, _ in grams] == columns_of(["好", "好看", "看"]).tolist()
    assert words.read(Documents(["!"]))[1].tolist() == columns_of(["!"], 10).tolist()
