"""Characters joined to words: columns of their own, and half of the square of the norm each."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from test_text import ngram_hash
from test_text_supervised import (
    BITS,
    DOCUMENTS,
    MOODS,
    Counts,
    assert_weighed,
    documents_of_words,
    hashed,
    plain_rows,
)

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.text import HashedText


def character_columns(text, low, high, bits):
    """The columns of the characters of words, by scikit-learn's char_wb, after those of the words."""
    grams = CountVectorizer(analyzer="char_wb", ngram_range=(low, high)).build_analyzer()(text)
    return {2**bits + ngram_hash(gram) % 2**bits for gram in grams}


@given(st.lists(documents_of_words, min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 3), st.integers(4, 12))
def test_characters_have_columns_of_their_own_and_half_of_the_square_each(documents, low, more, bits):
    options = {"bits": bits, "weighting": "binary", "dtype": np.float64}
    how = HashedText(characters=(low, low + more), **options)
    rows, words_alone = how.transform(documents), HashedText(**options).transform(documents)
    assert rows.shape == (len(documents), 2 * 2**bits)
    np.testing.assert_allclose(rows[:, : 2**bits].toarray(), words_alone.toarray() / math.sqrt(2), rtol=1e-14)
    for text, row in zip(documents, rows):
        characters = character_columns(text, low, low + more, bits)
        assert {column for column in row.indices.tolist() if column >= 2**bits} == characters
        value = 1 / math.sqrt(2 * len(characters)) if characters else 0.0
        assert row.data[row.indices >= 2**bits].tolist() == pytest.approx([value] * len(characters), rel=1e-14)


def test_a_part_that_is_empty_leaves_the_other_as_it_is():
    rows = HashedText(characters=(2, 3), bits=6, dtype=np.float64).transform(["! ?", "", "good"])
    norms = np.column_stack([sparse.linalg.norm(part, axis=1) for part in (rows[:, :64], rows[:, 64:])])
    np.testing.assert_allclose(norms, [[0, 0.5**0.5], [0, 0], [0.5**0.5, 0.5**0.5]], rtol=1e-14)


@given(st.lists(st.tuples(documents_of_words, st.integers(0, 3)), min_size=1, max_size=8), st.booleans())
def test_characters_are_weighed_by_class_like_words(labelled_documents, idf):
    bits, (documents, labels) = BITS, zip(*labelled_documents)
    counts, plain = Counts(), []
    for text, label in labelled_documents:
        row = dict.fromkeys(plain_rows([text], bits)[0], 1.0)
        plain.append([row, dict.fromkeys(sorted(character_columns(text, 2, 4, bits)), 1.0)])
        counts.add([*plain[-1][0], *plain[-1][1]], label)
    made = hashed(characters=(2, 4), idf=idf, bits=bits).fit_transform(documents, labels)
    for columns, of_part in ((slice(0, 2**bits), 0), (slice(2**bits, None), 1)):
        part = made[:, columns] * math.sqrt(2)
        rows = [{column - columns.start: value for column, value in parts[of_part].items()} for parts in plain]
        assert_weighed(part, rows, [counts.weigh(parts[of_part], idf) for parts in plain])


@given(documents_of_words.map(lambda text: text + " Éa."), st.sampled_from([8, 13]))
def test_features_agree_with_rows_and_characters_stand_in_quotes(text, bits):
    how = hashed(characters=(2, 3), bits=bits, keep_names=True, symbols=True, min_length=1)
    how.fit([text, "other words"], [0, 1])
    row = how.transform([text])
    found = how.features(text)
    assert {(column, value) for _, column, value in found} == set(zip(row.indices.tolist(), row.data.tolist()))
    for gram, column, _ in found:
        is_of_characters = column >= 2**bits
        assert (gram[0] == gram[-1] == '"' and len(gram) > 2) == is_of_characters
        plain = gram[1:-1] if is_of_characters else gram
        assert column == ngram_hash(plain) % 2**bits + (is_of_characters << bits)
        assert gram in how.names_of([column])[0]
    assert how.n_names_ == len({gram for document in (text, "other words") for gram, _, _ in how.features(document)})
    if bits == 8:
        names = how.get_feature_names_out()
        assert len(names) == 2 * 2**bits
        assert all(gram in names[column].split(" | ") for gram, column, _ in found if " | " not in gram)


@pytest.mark.parametrize(
    ("options", "telling"),
    [
        ({"characters": (2, 3), "analyzer": "char"}, ("characters", "'char'")),
        ({"characters": (2, 3), "analyzer": "char_wb"}, ("characters", "'char_wb'")),
        ({"characters": (3, 2)}, ("characters", "shortest <= longest")),
        ({"characters": (0, 2)}, ("characters", "(0, 2)")),
        ({"characters": 3}, ("characters", "got 3")),
        ({"characters": True}, ("characters", "True")),
        ({"characters": (2, 2.5)}, ("characters", "2.5")),
        ({"characters": "23"}, ("characters", "'23'")),
    ],
)
def test_characters_that_are_none_are_refused(options, telling):
    one_sentence(lambda: HashedText(**options).fit(DOCUMENTS), ValueError, *telling)


def test_explain_shows_words_and_characters(tmp_path, capsys):
    rows = "".join(f'{mood},"{text}"\n' for mood, text in zip(MOODS, DOCUMENTS) if text)
    (tmp_path / "a.csv").write_text("label,text\n" + rows, encoding="utf-8")
    path = str(tmp_path / "m")
    options = ["--characters", "2-3", "--bits", "10", "--supervised", "--weighting", "binary", "-C", "1"]
    assert cli.main(["train", str(tmp_path / "a.csv"), "-o", path, "--quiet", *options]) == 0
    loaded = rb.load(path)
    assert (loaded.text_.characters, loaded.text_.supervised) == ((2, 3), True)
    assert cli.main(["explain", path, "--json", "--top", "5000"]) == 0
    told = json.dumps(json.loads(capsys.readouterr().out), ensure_ascii=False)
    assert all(json.dumps(name, ensure_ascii=False) in told for name in ("good", '"go"', '" g"', "schöner", '"ön"')), (
        told[:900]
    )
    assert cli.main(["inspect", path]) == 0
    assert "and of 2 to 3 characters of each word" in capsys.readouterr().out
