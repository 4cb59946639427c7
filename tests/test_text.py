"""Text to rows: the words that Python finds, the hash that is documented, the same bits from any container."""

import json
import math
import pickle
import random
import re
import unicodedata
from collections import Counter
from functools import reduce

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, murmurhash3_32

import rosenblatt as rb
from rosenblatt.core import engine
from rosenblatt.text import Analysis, BagOfWords, Documents, HashedText, Hashing, Lexicon, Vocabulary, columns_of

#: Whether this Python knows the very characters that the tables do.
SAME_UNICODE = unicodedata.unidata_version == rb.text.unicode_version()

REVIEWS = [
    "A good movie. Not bad, not bad at all!",
    "",
    "bad BAD bad",
    "ΟΔΥΣΣΕΥΣ και Σίσυφος, Ⅷ ½ naïve café_2 İstanbul DŽungla",
    "這部電影很好 映画 영화 фильм ХОРОШИЙ ภาพยนตร์ हिन्दी",
    "x\u0301y \U0001f600 𝔘𝔫𝔦 𐐀𐐁 \ufb01n ǅ",
    "word " * 300 + "tail",
]


def known(text):
    """Text without the characters that this Python and the tables may see differently."""
    return text if SAME_UNICODE else "".join(c for c in text if c.isascii() or c in "".join(REVIEWS))


SPECIAL = "aAzZ_09 \t\n.,'’-ΣσςİıIßẞKÅ\u0301\u0345\u00ad\u200d\u3000\u2028éÉ½٣字Ⱥ𐐀\U0001d518"
texts = st.text(st.sampled_from(SPECIAL) | st.characters(exclude_categories=("Cs",)), max_size=60).map(known)
repeated = st.lists(st.sampled_from(["ab", "cd", "ef", "gh", "ij", "éé"]), max_size=99).map(" ".join)
short = st.lists(st.text("aÉ字\t", max_size=3), max_size=8).map(" ".join)
ranges = st.tuples(st.integers(1, 4), st.integers(0, 2)).map(lambda r: (r[0], r[0] + r[1]))


def words(text, lowercase=True):
    return re.findall(r"(?u)\b\w\w+\b", text.lower() if lowercase else text)


def joined(tokens, ngrams=(1, 2)):
    low, high = ngrams
    return [" ".join(tokens[i : i + n]) for n in range(low, high + 1) for i in range(len(tokens) - n + 1)]


def ngram_hash(gram):
    """As docs/reference/text-features.md defines it: MurmurHash3 of every word, joined."""
    first, *others = (murmurhash3_32(word, positive=True) for word in gram.encode().split(b" "))
    return reduce(lambda h, other: ((h + 1) * 0x9E3779B1 + other) % 2**32, others, first)


def expected(documents, ngrams=(1, 2), bits=22, weighting="log", norm="l2", idf=None):
    """Rows as plain Python makes them, in float64. idf: (documents counted, {column: documents})."""
    weight = {"count": float, "binary": lambda n: 1.0, "log": lambda n: 1 + math.log(n)}[weighting]
    rows = []
    for document in documents:
        counts = Counter(ngram_hash(gram) % 2**bits for gram in joined(words(document), ngrams))
        row = {column: weight(n) for column, n in sorted(counts.items())}
        if idf is not None:
            row = {j: v * (math.log((1 + idf[0]) / (1 + idf[1].get(j, 0))) + 1) for j, v in row.items()}
        length = math.sqrt(sum(v * v for v in row.values())) if norm else 1
        rows.append({j: v / length for j, v in row.items()})
    return rows


def assert_rows(matrix, rows, rtol):
    assert matrix.has_canonical_format
    assert matrix.shape[0] == len(rows)
    assert np.diff(matrix.indptr).tolist() == [len(row) for row in rows]
    assert matrix.indices.tolist() == [j for row in rows for j in row]
    np.testing.assert_allclose(matrix.data, [v for row in rows for v in row.values()], rtol=rtol)


def same(a, b):
    """Whether two matrices are the same to the bit."""
    return (
        a.shape == b.shape
        and a.data.dtype == b.data.dtype
        and all(np.array_equal(getattr(a, part), getattr(b, part)) for part in ("indptr", "indices", "data"))
    )


# ---- words -------------------------------------------------------------------------------------------------------


@given(texts, st.booleans())
def test_words_are_those_of_python(text, lowercase):
    assert Analysis(lowercase=lowercase).ngrams_of(text) == words(text, lowercase)


@given(texts)
def test_words_in_long_ascii_text_are_those_of_python(text):
    """What is read 64 bytes at once must meet what is read one character at a time."""
    for k in (0, 1, 30, 62, 63, 64, 65, 126, 127):
        for filler in ("ab ", "A", ". ", "Word_9-"):
            long = (filler * 70)[:k] + text + (filler * 70)[k:150]
            assert Analysis().ngrams_of(long) == words(long)


@pytest.mark.skipif(not SAME_UNICODE, reason="this Python knows another version of Unicode")
@pytest.mark.parametrize(  # letters with two cases are all in the first two planes
    ("first", "end"), [(0, 0x20000), pytest.param(0x20000, 0x110000, marks=pytest.mark.slow)]
)
def test_every_code_point_is_read_as_python_reads_it(first, end):
    single = Analysis(min_length=1)
    for lowercase in (True, False):
        how = Analysis(min_length=1, lowercase=lowercase)
        for start in range(first, end, 4096):
            chars = [chr(c) for c in range(start, start + 4096) if not 0xD800 <= c < 0xE000]
            text = "\n".join(f"x{c}Y" for c in chars)
            assert how.ngrams_of(text) == re.findall(r"\w+", text.lower() if lowercase else text), hex(start)
    for start in range(first, end, 4096):  # around a capital sigma, which is final or not by what stands there
        chars = [chr(c) for c in range(start, start + 4096) if not 0xD800 <= c < 0xE000]
        for shape in ("{}Σ", "A{}Σ", "AΣ{}", "AΣ{}b", "AΣ{}\u0301"):
            text = " , ".join(shape.format(c) for c in chars)
            assert single.ngrams_of(text) == re.findall(r"\w+", text.lower()), (shape, hex(start))


def test_characters_that_are_hard():
    assert Analysis().ngrams_of("ΟΔΥΣΣΕΥΣ ΣΣ, ΑΣ. ΑΣ'Α") == ["οδυσσευς", "σς", "ας", "ασ"]
    assert Analysis().ngrams_of("İstanbul KELVIN") == ["stanbul", "kelvin"]
    assert Analysis(min_length=1).ngrams_of("İx a") == ["i", "x", "a"]
    assert Analysis(lowercase=False).ngrams_of("İstanbul Nord") == ["İstanbul", "Nord"]
    assert Analysis().ngrams_of("_a __ 1 12 ½¾ 電 電影") == ["_a", "__", "12", "½¾", "電影"]


@given(texts, ranges)
def test_word_ngrams_are_those_of_scikit_learn(text, ngrams):
    theirs = CountVectorizer(ngram_range=ngrams).build_analyzer()(text)
    assert sorted(Analysis(ngrams).ngrams_of(text)) == sorted(theirs)


@given(texts | short, ranges, st.sampled_from(["char", "char_wb"]), st.booleans())
def test_character_ngrams_are_those_of_scikit_learn(text, ngrams, analyzer, lowercase):
    theirs = CountVectorizer(ngram_range=ngrams, analyzer=analyzer, lowercase=lowercase).build_analyzer()(text)
    assert sorted(Analysis(ngrams, analyzer, lowercase).ngrams_of(text)) == sorted(theirs)


@given(texts, st.integers(1, 5))
def test_words_of_a_least_length(text, length):
    found = [word for word in re.findall(r"\w+", text.lower()) if len(word) >= length]
    assert Analysis(min_length=length).ngrams_of(text) == found


@given(
    st.lists(st.sampled_from(["not", "good", "the", "Bad", "x", "naïve"]), max_size=30),
    st.sets(st.sampled_from(["not", "the", "naïve"])),
)
def test_stop_words_are_left_out_before_ngrams(tokens, stop):
    text = " ".join(tokens)
    theirs = CountVectorizer(ngram_range=(1, 3), stop_words=list(stop) or None).build_analyzer()(text)
    assert sorted(Analysis((1, 3), stop_words=stop).ngrams_of(text)) == sorted(theirs)


def negated(text, negations):
    """The words of a text, those after a negation marked, as plain Python."""
    found, on = [], False
    for part in re.findall(r"\w+|[.,;:!?]", text.lower()):
        if part in ".,;:!?":
            on = False
        elif len(part) > 1:
            found.append(part if part in negations or not on else "not_" + part)
            on = on or part in negations
    return found


@given(
    st.lists(st.sampled_from(["not", "never", "good", "I", "été", "bad,", "why?", "...", "—", "don't"]), max_size=40)
)
def test_negation_marks_words_up_to_the_next_stop(tokens):
    text = " ".join(tokens)
    negations = ("not", "never", "don")
    assert Analysis(negations=negations).ngrams_of(text) == negated(text, negations)
    stopped = [word for word in negated(text, negations) if word.removeprefix("not_") != "good"]
    assert Analysis(negations=negations, stop_words=["good"]).ngrams_of(text) == stopped


def test_ngrams_longer_than_any_document():
    for longest in (10**6, 2**63 - 1):
        assert Analysis((3, longest)).ngrams_of("aa bb cc dd") == ["aa bb cc", "aa bb cc dd", "bb cc dd"]
        assert HashedText(ngrams=(1, longest)).transform(["aa bb cc"]).nnz == 6
        assert BagOfWords(ngrams=(2, longest), analyzer="char_wb").fit_transform(["ab"]).nnz == 6
        assert HashedText(ngrams=(longest, longest)).transform(["aa bb cc"]).nnz == 0


def test_negation_by_example():
    how = Analysis((1, 2), negations=rb.text.ENGLISH_NEGATIONS)
    assert how.ngrams_of("I don't like it, good") == [
        "don", "don not_like", "not_like", "not_like not_it", "not_it", "not_it good", "good",
    ]  # fmt: skip
    assert Analysis(negations=rb.text.ENGLISH_NEGATIONS, lowercase=False).ngrams_of("Not good") == ["Not", "good"]


# ---- hash and rows -----------------------------------------------------------------------------------------------


def test_the_hash_of_a_word_is_murmurhash3():
    published = {"": 0x00000000, "test": 0xBA6BD213}  # MurmurHash3_x86_32, seed 0
    assert engine.hash_ngrams(list(published)).tolist() == list(published.values())


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(1, 30))
def test_the_hash_of_an_ngram_is_that_of_its_words(blobs, bits):
    grams = [blob.decode("latin1") for blob in blobs] + ["a b", "b a", "a", " a", "a ", "", " ", "  "]
    assert engine.hash_ngrams(grams).tolist() == [ngram_hash(gram) for gram in grams]
    assert columns_of(grams, bits).tolist() == [ngram_hash(gram) % 2**bits for gram in grams]
    assert len({ngram_hash(gram) for gram in grams[-8:]}) == 8


@pytest.mark.parametrize("unit", ["char", "char_wb", "word"])
def test_ngrams_are_found_where_their_text_hashes_to(unit):
    how = HashedText(analyzer=unit, ngrams=(1, 4), bits=20, keep_names=True).fit(REVIEWS)
    names = how._core.names[0]
    assert any(" " in name for name in names.names())
    assert names.hashes.tolist() == [ngram_hash(name) for name in names.names()]
    again = HashedText(analyzer=unit, ngrams=(1, 4), bits=20, weighting="count", norm=None)
    for review in REVIEWS[:3]:
        counts = Counter(ngram_hash(gram) % 2**20 for gram in Analysis((1, 4), analyzer=unit).ngrams_of(review))
        row = again.transform([review])
        assert dict(zip(row.indices.tolist(), row.data.tolist())) == counts


@given(
    st.lists(texts | repeated, max_size=6),
    ranges,
    st.integers(1, 30),
    st.sampled_from(["count", "binary", "log"]),
    st.sampled_from(["l2", None]),
)
def test_rows_are_those_of_plain_python(documents, ngrams, bits, weighting, norm):
    rows = expected(documents, ngrams, bits, weighting, norm)
    for dtype, rtol in ((np.float32, 2e-7), (np.float64, 1e-14)):
        how = HashedText(ngrams=ngrams, bits=bits, weighting=weighting, norm=norm, dtype=dtype)
        matrix = how.transform(documents)
        assert matrix.dtype == dtype
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
        assert matrix.shape[1] == 2**bits
        assert_rows(matrix, rows, rtol)


@pytest.mark.parametrize("weighting", ["count", "binary", "log"])
def test_long_rows_are_sorted_and_counted(weighting):
    rng = random.Random(0)
    lengths, rates = (63, 64, 65, 200, 5000), (0.3, 0.002)  # with many words that come again, and with few
    documents = [" ".join(f"w{int(rng.expovariate(rate))}" for _ in range(n)) for n in lengths for rate in rates]
    for bits in (3, 8, 9, 16, 17, 24, 25, 30):
        rows = expected(documents, bits=bits, weighting=weighting)
        assert_rows(HashedText(bits=bits, weighting=weighting).transform(documents), rows, 1e-6)


def test_large_counts_are_weighed():
    document = "word " * 70_000
    matrix = HashedText(ngrams=(1, 1), norm=None).transform([document])
    np.testing.assert_allclose(matrix.data, [1 + math.log(70_000)], rtol=1e-7)


@given(
    st.lists(texts | repeated, min_size=1, max_size=8),
    st.lists(texts, max_size=3),
    st.sampled_from(["count", "binary", "log"]),
)
def test_idf_is_that_of_plain_python(documents, others, weighting):
    counts = Counter(j for row in expected(documents) for j in row)
    how = HashedText(idf=True, weighting=weighting, dtype=np.float64)
    options = {"weighting": weighting, "idf": (len(documents), counts)}
    assert_rows(how.fit_transform(documents), expected(documents, **options), 1e-13)
    assert_rows(how.transform(others), expected(others, **options), 1e-13)
    assert how.n_documents_ == len(documents)
    assert same(how.fit(documents).transform(others), how.transform(others))


@given(st.lists(texts | repeated, min_size=1, max_size=8), st.data())
def test_a_stream_weighs_each_document_after_counting_it(documents, data):
    rows, counts = [], Counter()
    for n, document in enumerate(documents, start=1):
        counts.update(expected([document])[0].keys())
        rows += expected([document], weighting="binary", idf=(n, counts))
    how = HashedText(idf=True, weighting="binary", dtype=np.float64)
    whole = how.partial_fit_transform(documents)
    assert_rows(whole, rows, 1e-13)
    cut = data.draw(st.integers(0, len(documents)))
    pieces = HashedText(idf=True, weighting="binary", dtype=np.float64)
    parts = [pieces.partial_fit_transform(documents[:cut]), pieces.partial_fit_transform(documents[cut:])]
    assert same(sparse.vstack(parts, format="csr"), whole)
    counted = HashedText(idf=True, weighting="binary", dtype=np.float64)
    counted.partial_fit(documents[:cut]).partial_fit(documents[cut:])
    assert same(counted.transform(REVIEWS), how.transform(REVIEWS))


# ---- threads and containers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """Some thousand documents of very different lengths: several blocks of work."""
    rng = random.Random(1)
    stock = [w for review in REVIEWS[:-1] for w in review.split()] + [f"w{i}" for i in range(3000)]
    lengths = [rng.choice((0, 1, 20, 200, 2000)) for _ in range(600)]
    return [" ".join(rng.choices(stock, k=n)) for n in lengths]


@pytest.mark.parametrize("n_jobs", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 8, -1))])
def test_threads_change_nothing(many, n_jobs):
    for options in ({}, {"idf": True}, {"analyzer": "char_wb", "ngrams": (2, 3)}, {"keep_names": True}):
        one, several = HashedText(**options, n_jobs=1), HashedText(**options, n_jobs=n_jobs)
        assert same(one.fit_transform(many), several.fit_transform(many))
        if options.get("keep_names"):
            assert one._core.names[0].names() == several._core.names[0].names()
    one, several = BagOfWords(ngrams=(1, 2), n_jobs=1), BagOfWords(ngrams=(1, 2), n_jobs=n_jobs)
    assert same(one.fit_transform(many), several.fit_transform(many))
    assert one.vocabulary_ == several.vocabulary_


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_the_first_fault_is_told_whatever_the_threads(many, n_jobs):
    bad = [text.encode() for text in many]
    for row in (300, 301, 550):
        bad[row] = b"caf\xe9"
    for _ in range(5):
        one_sentence(lambda: HashedText(n_jobs=n_jobs).transform(bad), ValueError, "at row 300;", "byte 3", "0xE9")
        one_sentence(lambda: BagOfWords(n_jobs=n_jobs).fit(bad), ValueError, "at row 300;")


CONTAINERS = {
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "bytes": lambda texts: [text.encode() for text in texts],
    "object array": lambda texts: np.array(texts, dtype=object),
    "str array": lambda texts: np.array(texts),
    "bytes array": lambda texts: np.array([text.encode() for text in texts], dtype=object),
    "pandas": pd.Series,
    "pandas object": lambda texts: pd.Series(texts, dtype=object),
    "pandas python": lambda texts: pd.Series(texts, dtype=pd.StringDtype("python")),
    "pandas pyarrow": lambda texts: pd.Series(texts, dtype=pd.StringDtype("pyarrow")),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda texts: pd.Series(texts, dtype="category"),
    "pandas turned": lambda texts: pd.Series(texts[::-1])[::-1],
    "pandas index": pd.Index,
    "polars": pl.Series,
    "polars category": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "polars slice": lambda texts: pl.Series(["before", *texts, "after"])[1:-1],
    "string": lambda texts: pa.array(texts, pa.string()),
    "large_string": lambda texts: pa.array(texts, pa.large_string()),
    "string_view": lambda texts: pa.array(texts, pa.string_view()),
    "binary": lambda texts: pa.array([text.encode() for text in texts], pa.binary()),
    "dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "small dictionary": lambda texts: pa.array(texts).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
    "slice": lambda texts: pa.array([None, "before", *texts, "after"], pa.string()).slice(2, len(texts)),
    "sliced view": lambda texts: pa.array(["x" * 20, *texts], pa.string_view()).slice(1),
    "sliced dictionary": lambda texts: pa.array([None, *texts]).dictionary_encode().slice(1),
    "chunks": lambda texts: pa.chunked_array([texts[:2], [], texts[2:]], pa.string()),
    "dictionary chunks": lambda texts: pa.chunked_array([texts[:2], texts[2:]], pa.string()).dictionary_encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_the_same_rows(name):
    make = CONTAINERS[name]
    how = HashedText(idf=True, keep_names=True)
    assert same(how.fit_transform(make(REVIEWS)), HashedText(idf=True).fit_transform(REVIEWS))
    assert how._core.names[0].names() == HashedText(keep_names=True).fit(REVIEWS)._core.names[0].names()
    assert same(BagOfWords().fit_transform(make(REVIEWS)), BagOfWords().fit_transform(REVIEWS))
    assert HashedText().transform(make([])).shape == (0, 2**22) if "small" not in name else True


def test_arrow_views_of_short_texts_and_dictionaries_that_are_slices():
    documents = ["", "eleven lett", "twelve chars", "thirteen char"]
    expected = HashedText().transform(documents)
    assert same(HashedText().transform(pa.array(documents, pa.string_view())), expected)
    words = pa.array([None, "before", *documents, None]).slice(2, len(documents))
    indices = pa.array([0, 1, 2, 3], pa.uint16())
    assert same(HashedText().transform(pa.DictionaryArray.from_arrays(indices, words)), expected)
    words = pa.array(["before", "good", None]).slice(1)
    with pytest.raises(ValueError, match="got null at row 1"):
        HashedText().transform(pa.DictionaryArray.from_arrays(pa.array([0, 1]), words))


def test_numpy_strings_of_any_length():
    if hasattr(np.dtypes, "StringDType"):
        given = np.array(REVIEWS, dtype=np.dtypes.StringDType())
        assert same(HashedText().transform(given), HashedText().transform(REVIEWS))


def test_files_of_one_document_and_of_one_per_line(tmp_path):
    paths = []
    for k, text in enumerate(REVIEWS):
        paths.append(tmp_path / f"{k}.txt")
        paths[-1].write_text(text, encoding="utf-8")
    assert same(HashedText(input="filename").transform(paths), HashedText().transform(REVIEWS))
    assert same(HashedText(input="filename").transform(map(str, paths)), HashedText().transform(REVIEWS))
    lines = tmp_path / "lines.txt"
    lines.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(REVIEWS).encode())
    for source in (lines, str(lines), [lines]):
        assert same(
            HashedText(input="lines", analyzer="char").transform(source), HashedText(analyzer="char").transform(REVIEWS)
        )
    assert same(HashedText(input="lines").transform([lines, lines]), HashedText().transform(REVIEWS * 2))
    lines.write_bytes(b"fine\nnot \xff fine\n")
    one_sentence(
        lambda: HashedText(input="lines").transform(lines),
        ValueError,
        f"{lines}, line 2: the document is not UTF-8",
        "byte 4",
    )
    paths[3].write_bytes(b"\x80")
    one_sentence(
        lambda: BagOfWords(input="filename").fit(paths), ValueError, f"{paths[3]}: the document is not", "byte 0"
    )
    with pytest.raises(FileNotFoundError, match="nowhere"):
        HashedText(input="filename").transform([tmp_path / "nowhere"])
    one_sentence(lambda: HashedText(input="filename").transform("a.txt"), ValueError, "list of files")
    one_sentence(lambda: HashedText(input="filename").transform([3]), TypeError, "paths of files", "int")


# ---- bad input ---------------------------------------------------------------------------------------------------

MISSING = {
    "None": ["good", "bad", None, "x"],
    "NaN": ["good", "bad", float("nan"), "x"],
    "NA": ["good", "bad", pd.NA, "x"],
    "object": np.array(["good", "bad", None, "x"], dtype=object),
    "pandas": pd.Series(["good", "bad", None, "x"]),
    "pandas object": pd.Series(["good", "bad", None, "x"], dtype=object),
    "pandas python": pd.Series(["good", "bad", None, "x"], dtype=pd.StringDtype("python")),
    "polars": pl.Series(["good", "bad", None, "x"]),
    "arrow": pa.array(["good", "bad", None, "x"]),
    "slice": pa.array([None, "good", "bad", None, "x"]).slice(1),
    "view": pa.array(["good", "bad", None, "x"], pa.string_view()),
    "dictionary": pa.array(["good", "bad", None, "x"]).dictionary_encode(),
    "dictionary of null": pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 0], pa.int8()), pa.array(["good", None])),
    "chunks": pa.chunked_array([["good", "bad"], [None, "x"]]),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_document_is_told_with_its_row(name):
    for call in (HashedText().transform, BagOfWords().fit, HashedText(idf=True).partial_fit):
        one_sentence(
            lambda call=call: call(MISSING[name]), ValueError, "documents must be text, got", "at row 2;", "''"
        )


def test_what_is_not_text_is_told_with_its_row():
    one_sentence(lambda: HashedText().transform(["good", 3]), TypeError, "at row 1", "got int")
    one_sentence(lambda: HashedText().transform(["good", ["bad"]]), TypeError, "at row 1", "got list")
    one_sentence(lambda: HashedText().transform(np.arange(3.0)), TypeError, "at row 0", "got float")
    one_sentence(lambda: HashedText().transform(pd.Series([1, 2])), TypeError, "row 0", "int")
    one_sentence(lambda: HashedText().transform(pa.array([1, 2])), ValueError, "Arrow type", "not text")
    one_sentence(lambda: HashedText().transform(pl.Series([1.5])), ValueError, "Arrow type", "not text")
    one_sentence(lambda: HashedText().transform(pa.nulls(2)), ValueError, "got null at row 0")
    one_sentence(lambda: HashedText().transform(["a", "b\ud800"]), ValueError, "row 1", "surrogate", "character 1")


def test_what_is_no_column_is_refused():
    frame = pd.DataFrame({"text": ["a"], "more": ["b"]})
    for source in (
        frame,
        frame.to_numpy(),
        pl.DataFrame(frame.to_dict("list")),
        pa.Table.from_pandas(frame),
        np.array("a"),
    ):
        one_sentence(lambda source=source: HashedText().transform(source), ValueError, "one column of text", "choose")
    for source in ("good movie", b"good movie"):
        one_sentence(lambda source=source: HashedText().transform(source), ValueError, "list", "[text]")
    for source in ({"a": 1}, {"a"}, 3, None):
        one_sentence(lambda source=source: HashedText().transform(source), TypeError, "column of text")


@given(
    st.lists(
        st.sampled_from(
            [
                b"a",
                b"\xc3",
                b"\xa9",
                b"\xe2\x82",
                b"\xff",
                b"\xed\xa0\x80",
                b"\xf0\x9f",
                b" ",
                b"\xc0\x80",
                b"\xf4\x90\x80\x80",
            ]
        ),
        max_size=8,
    )
)
def test_bytes_that_are_not_utf8_are_refused_or_replaced(parts):
    blob = b"fine " + b"".join(parts)
    try:
        text = blob.decode()
    except UnicodeDecodeError as error:
        one_sentence(lambda: Analysis().ngrams_of(blob), ValueError, "not UTF-8", f"byte {error.start} ")
        arrow = pa.Array.from_buffers(
            pa.string(), 1, [None, pa.py_buffer(np.array([0, len(blob)], np.int32)), pa.py_buffer(blob)]
        )
        one_sentence(lambda: HashedText().transform(arrow), ValueError, "row 0", "not UTF-8", f"byte {error.start} ")
        text = blob.decode(errors="replace")
    for analyzer in ("word", "char"):
        how = Analysis((1, 2), analyzer, decode_error="replace")
        assert how.ngrams_of(blob) == how.ngrams_of(text)


@pytest.mark.parametrize(
    ("options", "telling"),
    [
        ({"ngrams": (0, 1)}, "ngrams"),
        ({"ngrams": (2, 1)}, "ngrams"),
        ({"ngrams": 2}, "ngrams"),
        ({"ngrams": (1.0, 2)}, "ngrams"),
        ({"analyzer": "words"}, "analyzer"),
        ({"lowercase": 1}, "lowercase"),
        ({"min_length": 0}, "min_length"),
        ({"stop_words": "english"}, "stop_words"),
        ({"stop_words": iter(["the"])}, "stop_words"),
        ({"stop_words": ["don't"]}, "['don']"),
        ({"stop_words": ["The"]}, "['the']"),
        ({"stop_words": [3]}, "stop_words"),
        ({"stop_words": ["the"], "analyzer": "char"}, "stop_words"),
        ({"negations": True}, "negations"),
        ({"negations": ["not"], "analyzer": "char_wb"}, "negations"),
        ({"input": "file"}, "input"),
        ({"decode_error": "ignore"}, "decode_error"),
        ({"dtype": np.int64}, "dtype"),
        ({"dtype": "number"}, "dtype"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs"),
    ],
)
def test_bad_parameters_are_refused_by_both(options, telling):
    for found in (HashedText, BagOfWords):
        one_sentence(lambda found=found: found(**options).fit_transform(REVIEWS), ValueError, telling)


@pytest.mark.parametrize(
    "options",
    [
        {"bits": 0},
        {"bits": 31},
        {"bits": 2.5},
        {"weighting": "idf"},
        {"norm": "l1"},
        {"idf": "yes"},
        {"keep_names": 1},
        {"max_names": 0},
    ],
)
def test_bad_parameters_of_hashed_text(options):
    for call in (HashedText(**options).fit, HashedText(**options).transform):
        one_sentence(lambda call=call: call(REVIEWS), ValueError, next(iter(options)))


@pytest.mark.parametrize(
    ("options", "telling"),
    [
        ({"min_df": 0}, "min_df"),
        ({"min_df": True}, "min_df"),
        ({"max_df": 1.5}, "max_df"),
        ({"max_df": "all"}, "max_df"),
        ({"min_df": 3, "max_df": 2}, "max_df=2"),
        ({"min_df": 9, "max_df": 20}, "min_df=9"),
        ({"max_features": 0}, "max_features"),
        ({"binary": None}, "binary"),
        ({"vocabulary": "good"}, "vocabulary"),
        ({"vocabulary": []}, "empty"),
        ({"vocabulary": ["a", "a"]}, "'a' is twice"),
        ({"vocabulary": {"a": 0, "b": 2}}, "0 to 1"),
        ({"vocabulary": [1]}, "strings"),
        ({"vocabulary": ["\ud800"]}, "lone surrogate"),
    ],
)
def test_bad_parameters_of_bag_of_words(options, telling):
    one_sentence(lambda: BagOfWords(**options).fit(REVIEWS), ValueError, telling)


def test_columns_of_what_is_no_list_of_ngrams():
    one_sentence(lambda: columns_of("good"), ValueError, "write ['good']")
    one_sentence(lambda: columns_of(["good"], bits=40), ValueError, "bits must be a whole number from 1 to 30, got 40")


def test_a_refused_call_changes_nothing():
    how = HashedText(idf=True, keep_names=True).fit(REVIEWS)
    before, names = how.transform(REVIEWS), how._core.names[0].names()
    for call in (how.fit, how.partial_fit, how.partial_fit_transform, how.fit_transform, how.transform):
        with pytest.raises(ValueError, match="row 1"):
            call(["new words", b"\xff"])
    assert same(how.transform(REVIEWS), before)
    assert how._core.names[0].names() == names
    assert how.n_documents_ == len(REVIEWS)
    bag = BagOfWords().fit(REVIEWS)
    with pytest.raises(ValueError, match="row 1"):
        bag.fit(["new words", b"\xff"])
    assert "new" not in bag.vocabulary_


# ---- names and collisions ----------------------------------------------------------------------------------------


@given(st.lists(texts, max_size=6), st.integers(0, 6), st.integers(1, 12))
def test_names_are_all_ngrams_met_in_the_order_they_came(documents, cut, bits):
    how = HashedText(keep_names=True, bits=bits, max_names=10**6)
    how.partial_fit(documents[:cut]).partial_fit_transform(documents[cut:])
    met = dict.fromkeys(gram for text in documents for gram in Analysis((1, 2)).ngrams_of(text))
    assert how._core.names[0].names() == list(met)
    assert how.n_names_ == len(met)
    assert how.names_complete_
    columns = {}
    for gram in met:
        columns.setdefault(ngram_hash(gram) % 2**bits, []).append(gram)
    assert how.names_of(range(2**bits)) == [columns.get(j, []) for j in range(2**bits)]
    assert how.collisions() == {j: columns[j] for j in sorted(columns) if len(columns[j]) > 1}
    assert how.n_collisions_ == len(how.collisions())
    assert how.get_feature_names_out().tolist() == [" | ".join(columns.get(j, [f"#{j}"])) for j in range(2**bits)]


def test_names_are_bounded_and_it_is_said():
    whole = HashedText(keep_names=True).fit(REVIEWS)
    all_names = whole._core.names[0].names()
    for limit in (1, 7, len(all_names) - 1, len(all_names)):
        for step in (1, 3, len(REVIEWS)):
            how = HashedText(keep_names=True, max_names=limit)
            for start in range(0, len(REVIEWS), step):
                how.partial_fit(REVIEWS[start : start + step])
            assert how._core.names[0].names() == all_names[:limit]
            assert how.names_complete_ == (limit == len(all_names))
    assert HashedText(keep_names=True, bits=3).fit(REVIEWS).n_names_ == 8
    one_sentence(lambda: HashedText().names_of([1]), ValueError, "keep_names=True")


def test_words_of_the_same_hash_are_told_apart():
    one, other = "ehhga", "moonl"
    assert murmurhash3_32(one) == murmurhash3_32(other)
    text = f"{one} {other} {one}"
    assert BagOfWords().fit_transform([text]).toarray().tolist() == [[2, 1]]
    assert BagOfWords(vocabulary=[other]).transform([text, one]).toarray().tolist() == [[1], [0]]
    assert Analysis(stop_words=[other]).ngrams_of(text) == [one, one]
    how = (
        HashedText(keep_names=True, ngrams=(1, 1), weighting="count", norm=None, bits=30).fit([one]).partial_fit([text])
    )
    assert how.transform([text]).data.tolist() == [3]
    assert list(how.collisions().values()) == [[one, other]]


def test_features_of_one_document():
    how = HashedText(idf=True).fit(["movie good", "movie bad", "not good"])
    found = how.features("not good, not GOOD")
    assert [gram for gram, _, _ in found] == ["not", "not good", "good", "good not"]
    row = how.transform(["not good, not GOOD"])
    assert {column: value for _, column, value in found} == dict(zip(row.indices.tolist(), row.data.tolist()))
    assert how.features("") == []


# ---- the vocabulary ----------------------------------------------------------------------------------------------


def assert_same_bag(ours, theirs, documents, others):
    try:
        expected = theirs.fit_transform(documents)
    except ValueError:
        with pytest.raises(ValueError):
            ours.fit_transform(documents)
        return
    expected.sort_indices()
    found = ours.fit_transform(documents)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert same(found, expected.astype(np.float32))
    unseen = theirs.transform(others).astype(np.float32)
    unseen.sort_indices()
    assert same(ours.transform(others), unseen)


@given(
    st.lists(texts | repeated, min_size=1, max_size=8),
    st.lists(texts, max_size=3),
    ranges,
    st.sampled_from(["word", "char", "char_wb"]),
    st.booleans(),
    st.sampled_from([1, 2, 0.3]),
    st.sampled_from([1.0, 0.7, 3]),
)
def test_the_bag_is_that_of_scikit_learn(documents, others, ngrams, analyzer, binary, min_df, max_df):
    options = {"analyzer": analyzer, "binary": binary, "min_df": min_df, "max_df": max_df}
    assert_same_bag(
        BagOfWords(ngrams=ngrams, **options), CountVectorizer(ngram_range=ngrams, **options), documents, others
    )


def test_the_most_frequent_are_kept():
    documents = [" ".join(f"w{k:02d}" for k in range(30) for _ in range(k + 1)), "w03 " * 50 + "w05 w29"]
    for limit in (1, 5, 29, 30, 99):
        for options in ({}, {"max_df": 1}, {"lowercase": False}):
            assert_same_bag(
                BagOfWords(max_features=limit, **options),
                CountVectorizer(max_features=limit, **options),
                documents,
                ["w29 w01 new"],
            )
    equals = BagOfWords(max_features=2).fit(["dd cc bb aa"])
    assert equals.get_feature_names_out().tolist() == ["aa", "bb"]


def test_a_given_vocabulary_needs_no_fit():
    for source in (["good", "not good", "bad"], {"bad": 2, "good": 0, "not good": 1}):
        how = BagOfWords(ngrams=(1, 2), vocabulary=source)
        assert how.transform(["not good good", "unknown"]).toarray().tolist() == [[2, 1, 0], [0, 0, 0]]
        assert how.fit(["other"]).vocabulary_ == {"good": 0, "not good": 1, "bad": 2}
    assert BagOfWords(vocabulary={"bb", "aa"}).get_feature_names_out().tolist() == ["aa", "bb"]


def test_documents_without_words():
    one_sentence(lambda: BagOfWords().fit(["", "a . !"]), ValueError, "no n-grams")
    one_sentence(lambda: BagOfWords().fit([]), ValueError, "no n-grams")
    empty = HashedText(idf=True).fit_transform(["", "a . !"])
    assert empty.nnz == 0
    assert empty.shape == (2, 2**22)
    assert HashedText(idf=True, keep_names=True).fit_transform([]).shape == (0, 2**22)


def test_huge_words_and_documents():
    word = "é" * 300_000 + "Z" * 700_001
    assert Analysis().ngrams_of(word) == [word.lower()]
    assert BagOfWords().fit([word, "short one"]).vocabulary_ == {"one": 0, "short": 1, word.lower(): 2}
    long = "ab cd " * 400_000
    matrix = HashedText(weighting="count", norm=None, n_jobs=3).transform([long, "ab", long])
    assert matrix.sum(axis=1).ravel().tolist() == [[1_599_999, 1, 1_599_999]]


# ---- scikit-learn's contract, and state --------------------------------------------------------------------------


CHECKS = (  # those of scikit-learn that give an estimator no table of numbers
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("how", [HashedText(), BagOfWords(), HashedText(idf=True, keep_names=True, bits=12)])
def test_scikit_learns_checks_for_text(how, name):
    getattr(estimator_checks, name)(type(how).__name__, clone(how))


@pytest.mark.parametrize(
    "how",
    [
        HashedText(idf=True, keep_names=True),
        BagOfWords(min_df=2),
        HashedText(),
        BagOfWords(vocabulary=["movie", "bad"]),
    ],
)
def test_clone_pickle_and_pipeline(how):
    fresh = clone(how)
    assert repr(fresh.get_params()) == repr(how.get_params())
    y = [0, 1, 0, 1, 0, 1, 0]
    model = make_pipeline(fresh, rb.Perceptron(max_iter=3, tol=None)).fit(REVIEWS, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(REVIEWS).tolist() == model.predict(REVIEWS).tolist()
    assert same(again[0].transform(REVIEWS), fresh.transform(REVIEWS))
    frame = pd.DataFrame({"text": REVIEWS, "number": range(len(REVIEWS))})
    both = ColumnTransformer([("text", clone(how), "text"), ("number", "passthrough", ["number"])])
    assert both.fit_transform(frame).shape[1] == model[0].transform([]).shape[1] + 1


def test_what_must_be_fitted_says_so():
    for how in (BagOfWords(), HashedText(idf=True), HashedText(keep_names=True)):
        with pytest.raises(NotFittedError, match=type(how).__name__):
            how.transform(REVIEWS)
        assert not hasattr(how, "vocabulary_")
        assert not hasattr(how, "n_documents_")
    assert not hasattr(HashedText().fit(REVIEWS), "set_output")


def round_trip(kind, core):
    plain, arrays = core.to_state()
    return kind.from_state(json.loads(json.dumps(plain)), {name: array.copy() for name, array in arrays.items()})


@pytest.mark.parametrize("options", [{}, {"idf": True}, {"idf": True, "keep_names": True, "max_names": 20}])
def test_a_stream_goes_on_from_its_state_as_if_it_had_never_stopped(options):
    analysis = Analysis((1, 2), stop_words=("at", "all"), negations=("not",))
    whole, first = Hashing(analysis, **options), Hashing(analysis, **options)
    first.learn_and_encode(Documents(REVIEWS[:4]))
    second = round_trip(Hashing, first)
    whole.learn_and_encode(Documents(REVIEWS[:4]))
    for a, b in zip(whole.learn_and_encode(Documents(REVIEWS[4:])), second.learn_and_encode(Documents(REVIEWS[4:]))):
        assert np.array_equal(a, b)
    assert whole.to_state()[0] == second.to_state()[0]
    for name, array in whole.to_state()[1].items():
        assert np.array_equal(array, second.to_state()[1][name])
    assert second.analysis == analysis


def test_a_vocabulary_comes_back_from_its_state():
    vocabulary = Vocabulary(Analysis((1, 2)), min_df=2, max_df=0.9, binary=True)
    vocabulary.learn(Documents(REVIEWS * 2))
    again = round_trip(Vocabulary, vocabulary)
    for a, b in zip(vocabulary.encode(Documents(REVIEWS)), again.encode(Documents(REVIEWS))):
        assert np.array_equal(a, b)


@pytest.mark.parametrize(
    "how",
    [
        HashedText(idf=True, keep_names=True, bits=12, weighting="binary", stop_words=("at",), dtype=np.float64),
        BagOfWords(ngrams=(1, 2), max_df=0.9, binary=True, analyzer="char_wb"),
    ],
)
def test_a_transformer_comes_back_from_the_state_of_its_core(how):
    how = clone(how).fit(REVIEWS)
    core = how._fitted
    again = type(how)._of(round_trip(type(core), core))
    assert repr(again.get_params()) == repr(how.get_params())
    assert same(again.transform(REVIEWS), how.transform(REVIEWS))


def test_a_state_that_does_not_fit_is_refused():
    core = Hashing(Analysis(), bits=4, idf=True, keep_names=True)
    core.learn(Documents(REVIEWS))
    plain, arrays = core.to_state()
    for name, value in (
        ("counted_columns", arrays["counted_columns"] + 1),
        ("document_counts", arrays["document_counts"][:-1]),
        ("name_starts", arrays["name_starts"][::-1]),
        ("name_bytes", arrays["name_bytes"][:-1]),
    ):
        with pytest.raises(ValueError, match=r"fit|rise"):
            Hashing.from_state(plain, arrays | {name: value})


def test_a_lexicon_keeps_its_names():
    names = ["b", "", "a b", "é", "long " * 50]
    lexicon = Lexicon.of(names)
    assert lexicon.names() == names
    assert [lexicon[i] for i in range(len(lexicon))] == names
    assert lexicon.hashes.tolist() == [ngram_hash(name) for name in names]
    assert lexicon.where(np.array([True, False, True, True, False])).names() == ["b", "a b", "é"]


def test_more_threads_than_any_machine_has_are_no_error(many):
    most = 1 << 70
    assert (HashedText(n_jobs=most).transform(many) != HashedText(n_jobs=1).transform(many)).nnz == 0
    assert BagOfWords(n_jobs=most).fit(many[:50]).vocabulary_ == BagOfWords(n_jobs=1).fit(many[:50]).vocabulary_
    X, y = HashedText(bits=8).transform(many), np.arange(len(many)) % 3
    one, several = (rb.OnlineClassifier(multiclass="ovr", n_jobs=n).partial_fit(X, y, [0, 1, 2]) for n in (1, most))
    np.testing.assert_array_equal(one.coef_, several.coef_)
