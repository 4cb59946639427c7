"""Text weighed by the classes that n-grams occur in: against plain Python."""

import copy
import json
import math
import pickle
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence
from saved import rewritten, through_a_file
from scipy import sparse
from sklearn.base import clone
from test_text import joined, ngram_hash, same, words

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.model_files import ModelFileError
from rosenblatt.text import Analysis, Documents, HashedText, Hashing, class_counts

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

#: Of columns: counts of 2^22 take a while to be allocated.
BITS = 12

STOCK = ["good", "bad", "film", "not", "at", "all", "éé", "字字", "zz", "yy"]
documents_of_words = st.lists(st.sampled_from(STOCK), max_size=12).map(" ".join)


def labelled(n_classes, size=14):
    """Documents with labels, of at most so many classes."""
    return st.lists(st.tuples(documents_of_words, st.integers(0, n_classes - 1)), min_size=1, max_size=size)


class Counts:
    """How many documents of each class have each column, in plain Python."""

    def __init__(self):
        self.n, self.classes, self.columns, self.with_column = 0, Counter(), defaultdict(Counter), Counter()

    def add(self, columns, label):
        self.n += 1
        self.classes[label] += 1
        for column in columns:
            self.with_column[column] += 1
            self.columns[column][label] += 1

    def ratio(self, column, label):
        """ln of (c + 1)(N − N_j + 1) / ((d − c + 1)(N_j + 1)), whose numerator and denominator are whole numbers."""
        c, d, n = self.columns[column][label], self.with_column[column], self.classes[label]
        return math.log(Fraction((c + 1) * (self.n - n + 1), (d - c + 1) * (n + 1)))

    def weight(self, column, idf=False):
        """√ of the largest |ratio|; of the classes that have no such document, the largest is asked."""
        if column not in self.columns:
            return 0.0
        met = self.columns[column]
        without = [label for label in self.classes if label not in met]
        asked = [*met, *([max(without, key=self.classes.__getitem__)] if without else [])]
        most = max(abs(self.ratio(column, label)) for label in asked)
        return math.sqrt(most) * (math.log((1 + self.n) / (1 + self.with_column[column])) + 1 if idf else 1)

    def weigh(self, row, idf=False, norm=True):
        """The row, weighed; None: all of its columns are as common in every class, and it has no direction."""
        row = {column: value * self.weight(column, idf) for column, value in row.items()}
        if not norm or not row:
            return row
        length = math.sqrt(sum(value * value for value in row.values()))
        return {column: value / length for column, value in row.items()} if length else None


def assert_weighed(matrix, plain, expected):
    """The rows have the columns of the plain ones and the values that are expected."""
    assert matrix.has_canonical_format
    assert matrix.shape[0] == len(plain)
    for made, row, weighed in zip(matrix, plain, expected):
        assert made.indices.tolist() == list(row)
        if weighed is not None:  # what has a ratio of 0 may be off by the root of a rounding error
            np.testing.assert_allclose(made.data, [*weighed.values()], rtol=1e-11, atol=1e-6)


def plain_rows(documents, bits=BITS, weighting="binary"):
    """Columns and what each counts before it is weighed."""
    count = {"count": float, "binary": lambda n: 1.0, "log": lambda n: 1 + math.log(n)}[weighting]
    counts = [Counter(ngram_hash(gram) % 2**bits for gram in joined(words(text))) for text in documents]
    return [{column: count(n) for column, n in sorted(own.items())} for own in counts]


def hashed(**options):
    return HashedText(**{"supervised": True, "weighting": "binary", "dtype": np.float64, "bits": BITS} | options)


# ---- weights -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [1, 2, 3, 77])
@given(data=st.data())
def test_in_memory_all_are_counted_before_any_is_weighed(n_classes, data):
    documents, labels = zip(*data.draw(labelled(n_classes, 30 if n_classes > 3 else 14)))
    weighting = data.draw(st.sampled_from(["count", "binary", "log"]))
    idf, norm, bits = data.draw(st.booleans()), data.draw(st.sampled_from(["l2", None])), data.draw(st.integers(2, 13))
    counts, rows = Counts(), plain_rows(documents, bits, weighting)
    for row, label in zip(rows, labels):
        counts.add(row, label)
    how = hashed(idf=idf, norm=norm, bits=bits, weighting=weighting)
    made = how.fit_transform(documents, labels)
    assert_weighed(made, rows, [counts.weigh(row, idf, norm) for row in rows])
    others = [*data.draw(st.lists(documents_of_words, max_size=3)), "words never met, film"]
    rows = plain_rows(others, bits, weighting)
    assert_weighed(how.transform(others), rows, [counts.weigh(row, idf, norm) for row in rows])
    assert same(hashed(**how.get_params()).fit(documents, labels).transform(others), how.transform(others))
    assert how.n_documents_ == len(documents)


@pytest.mark.parametrize("characters", [None, (2, 3)])
@given(data=st.data())
def test_columns_that_stand_side_by_side_weigh_and_are_kept_as_others(characters, data):
    """Counts of rows that were announced give the bits of those that were not, also for rows that come later."""
    documents, labels = zip(*data.draw(labelled(3, 14)))
    later = ["words never met, film", *documents[:2], "!"]
    made = []
    for announced in (True, False):
        how = Hashing(Analysis(), bits=12, supervised=True, idf=True, weighting="binary", characters=characters)
        parts = [how.read(Documents(documents[:5])), how.read(Documents(documents[5:]))]
        if announced:
            how.expect(parts)
            assert (how.class_counts._places is not None) == (sum(len(own[1]) for own in parts) < how.n_columns)
        for own, its in zip(parts, (labels[:5], labels[5:])):
            how.count(own, its)
        others = how.read(Documents(later))
        for own in (*parts, others):
            how.weigh(own)
        plain, arrays = how.class_counts.to_state()
        copied = how.read(Documents(later))
        copy.deepcopy(how).weigh(copied)
        more = how.read(Documents(later))
        how.count(more, ["x", "y", "x", "z"][: len(later)])  # columns that were not announced
        how.weigh(more)
        made.append([plain, *(array for own in (*parts, others, copied, more) for array in own), *arrays.values()])
    for one, other in zip(*made):
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


def test_only_columns_that_are_met_take_memory_in_small_files(monkeypatch, tmp_path):
    """`train` announces the rows that it has read."""
    rows = "".join(f"{'ab'[i % 2]},{'good' if i % 2 else 'bad'} film of {i} days\n" for i in range(60))
    (tmp_path / "a.csv").write_text("label,text\n" + rows)
    sizes, real = [], class_counts.engine.ClassCounts
    monkeypatch.setattr(class_counts.engine, "ClassCounts", lambda n: sizes.append(n) or real(n))
    assert cli.main(["train", str(tmp_path / "a.csv"), "-o", str(tmp_path / "m"), "-q", "--text", "text"]) == 0
    assert max(sizes) < 1000


@pytest.mark.parametrize("n_classes", [2, 5, 77])
@given(data=st.data())
def test_a_stream_counts_each_document_then_weighs_it_in_any_chunks(n_classes, data):
    documents, labels = zip(*data.draw(labelled(n_classes, 30 if n_classes > 5 else 14)))
    idf, bits = data.draw(st.booleans()), data.draw(st.sampled_from([3, 13]))
    counts, expected = Counts(), []
    for row, label in zip(plain_rows(documents, bits), labels):
        counts.add(row, label)
        expected.append(counts.weigh(row, idf))
    whole = hashed(idf=idf, bits=bits)
    rows = whole.partial_fit_transform(documents, labels)
    assert_weighed(rows, plain_rows(documents, bits), expected)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(documents)), max_size=3)))
    ends = [0, *cuts, len(documents)]
    pieces, counted = hashed(idf=idf, bits=bits), hashed(idf=idf, bits=bits)
    parts = []
    for a, b in pairwise(ends):
        parts.append(pieces.partial_fit_transform(documents[a:b], labels[a:b]))
        counted.partial_fit(documents[a:b], labels[a:b])
    assert same(sparse.vstack(parts, format="csr"), rows)
    last = whole.transform(documents)
    assert same(pieces.transform(documents), last)
    assert same(counted.transform(documents), last)
    assert same(hashed(idf=idf, bits=bits).fit_transform(documents, labels), last)


def test_a_small_class_without_a_column_says_nothing_of_it():
    """Though ln((N − 1 + 1)/(d + 1)) − ln 2 of a class of one document is the largest of all ratios: by its α alone."""
    counts, how = Counts(), hashed(norm=None, ngrams=(1, 1))
    documents, labels = ["bb"] * 990 + ["cc"] * 9 + ["cc zz", "dd"], ["big"] * 990 + ["mid"] * 10 + ["tiny"]
    for document, label in zip(documents, labels):
        counts.add(set(document.split()), label)
    how.fit(documents, labels)
    for word in ("bb", "cc", "dd", "zz"):
        assert how.features(word)[0][2] == pytest.approx(counts.weight(word), rel=1e-12), word
    assert counts.weight("zz") < math.sqrt(abs(counts.ratio("zz", "tiny")))


def test_what_is_exactly_as_common_in_either_class_weighs_exactly_nothing():
    documents, labels = ["aa", "aa", "aa", *["bb"] * 5], [1] * 7 + [0]  # (3 + 1)/(7 + 1) = (0 + 1)/(1 + 1)
    how = hashed(ngrams=(1, 1)).fit(documents, labels)
    assert how.transform(["aa"]).toarray().max() == 0  # and not 1: a row of nothing else has no direction


@given(labelled(2), st.permutations([0, 1]))
def test_of_two_classes_either_ratio_is_the_other_negated(rows, names):
    """So that the weight is |ln of one ratio|, by Wang and Manning, whatever the classes are called."""
    documents, labels = zip(*rows)
    how = hashed(norm=None).fit(documents, labels)
    renamed = hashed(norm=None).fit(documents, [f"class {names[label]}" for label in labels])
    assert same(how.transform(documents), renamed.transform(documents))
    counts = Counts()
    for row, label in zip(plain_rows(documents), labels):
        counts.add(row, label)
    if len(counts.classes) == 2:
        for column in counts.columns:
            assert counts.ratio(column, 0) == pytest.approx(-counts.ratio(column, 1), abs=1e-12)


def test_what_is_as_common_in_every_class_weighs_nothing_and_what_was_not_met_neither():
    how = hashed(norm=None, ngrams=(1, 1)).fit(["film good", "film bad", "film good", "film bad"], [0, 1, 0, 1])
    values = {gram: value for gram, _, value in how.features("film good never")}
    assert values == {"film": 0.0, "good": pytest.approx(math.sqrt(math.log(3))), "never": 0.0}
    assert how.transform(["never film", ""]).toarray().sum() == 0
    rows = hashed(ngrams=(1, 1)).fit(["film good", "film bad"], [0, 1]).transform(["never film", "good", "never good"])
    np.testing.assert_allclose(sparse.linalg.norm(rows, axis=1), [0, 1, 1], rtol=1e-12)


def test_many_classes_in_one_column():
    """Hundreds of classes that share two columns, in an order that has no order."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 400, 1500).tolist()
    documents = [" ".join(rng.choice(["aa", "bb", "cc"], 2)) for _ in labels]
    counts, rows = Counts(), plain_rows(documents, bits=1)
    for row, label in zip(rows, labels):
        counts.add(row, label)
    how, streamed = hashed(bits=1, idf=True, norm=None), hashed(bits=1, idf=True, norm=None)
    streamed.partial_fit_transform(documents, labels)
    weights = {column: counts.weight(column, True) for column in counts.columns}
    expected = [{column: weights[column] for column in row} for row in rows]
    assert_weighed(how.fit_transform(documents, labels), rows, expected)
    assert same(streamed.transform(documents), how.transform(documents))
    assert same(HashedText._of(through_its_state(how._core)).transform(documents), how.transform(documents))


# ---- labels ------------------------------------------------------------------------------------------------------

DOCUMENTS = [
    "A good film",
    "a bad film",
    "not good at all",
    "Not bad at all!",
    "ein schöner Film",
    "",
    "好 film 好",
] * 3
MOODS = ["pos", "neg", "neg", "pos", "pos", "neg", "so so"] * 3


@pytest.mark.parametrize(
    "y",
    [
        [{"pos": 1, "neg": 0, "so so": -7}[mood] for mood in MOODS],
        [{"pos": 1.0, "neg": 0.0, "so so": -7.0}[mood] for mood in MOODS],
        np.array([{"pos": 1, "neg": 0, "so so": 9}[mood] for mood in MOODS], np.uint8),
        np.array(MOODS),
        np.array(MOODS, object),
        np.array([mood.encode() for mood in MOODS]),
        pd.Series(MOODS, index=range(7, 28)),
        pd.Series(MOODS, dtype="category"),
        pa.array(MOODS),
        tuple(MOODS),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_labels_of_any_kind_weigh_alike_and_come_back_from_a_file(y, tmp_path):
    expected = hashed(bits=8).fit_transform(DOCUMENTS, MOODS)
    how = hashed(bits=8)
    assert same(how.fit_transform(DOCUMENTS, y), expected)
    model = rb.Perceptron(max_iter=2, tol=None).fit(expected, np.asarray(y))
    model.save(tmp_path / "model", text=how)
    loaded = rb.load(tmp_path / "model")
    assert same(loaded.text_.transform(DOCUMENTS), expected)
    again, loaded_again = how.partial_fit_transform(DOCUMENTS, y), loaded.text_.partial_fit_transform(DOCUMENTS, y)
    assert same(again, loaded_again)  # the labels are those that were met before


def test_truths_are_labels_that_come_back_from_a_file(tmp_path):
    how, y = hashed(bits=8), [mood == "pos" for mood in MOODS]
    model = rb.Perceptron(max_iter=2, tol=None).fit(how.fit_transform(DOCUMENTS, y), y)
    model.save(tmp_path / "model", text=how)
    assert same(rb.load(tmp_path / "model").text_.transform(DOCUMENTS), how.transform(DOCUMENTS))


@pytest.mark.parametrize(
    ("y", "telling"),
    [
        (None, ("supervised=True", "give y")),
        (["pos"], ("[2, 1]", "a label for each document")),
        (["pos", "neg", "neg"], ("[2, 3]",)),
        ([["pos"], ["neg"]], ("one label for each document", "(2, 1)")),
        (pd.DataFrame({"a": [1, 2]}), ("(2, 1)",)),
        ("pos", ("one label for each document",)),
    ],
)
def test_labels_that_do_not_fit_are_refused_and_nothing_is_learned(y, telling):
    how = hashed(keep_names=True, bits=8).fit(DOCUMENTS, MOODS)
    before, names = how.transform(DOCUMENTS), how._core.names[0].names()
    classes = dict(how._core.class_counts._numbers)
    for call in (how.fit, how.partial_fit, how.partial_fit_transform, how.fit_transform):
        one_sentence(lambda call=call: call(["new words", "film"], y), ValueError, *telling)
    assert same(how.transform(DOCUMENTS), before)
    assert (how._core.names[0].names(), how.n_documents_) == (names, len(DOCUMENTS))
    assert how._core.class_counts._numbers == classes
    one_sentence(lambda: hashed().fit(["new words", "film"], y), ValueError, *telling)


def test_too_many_classes_are_refused_and_nothing_is_learned(monkeypatch):
    how = hashed(bits=8).fit(DOCUMENTS, MOODS)
    before = how.transform(DOCUMENTS)
    monkeypatch.setattr(class_counts, "MOST_CLASSES", 5)
    one_sentence(lambda: how.partial_fit(["film"] * 3, ["x", "y", "z"]), ValueError, "at most 5 classes", "supervised")
    assert same(how.transform(DOCUMENTS), before)
    how.partial_fit(["film"] * 2, ["x", "y"])
    assert list(how._core.class_counts._numbers) == ["pos", "neg", "so so", "x", "y"]


def test_without_supervised_labels_are_not_looked_at():
    for y in (None, MOODS, [1], "x"):
        assert same(HashedText(idf=True).fit_transform(DOCUMENTS, y), HashedText(idf=True).fit_transform(DOCUMENTS))


@pytest.mark.parametrize("options", [{"supervised": 1}, {"supervised": "yes"}, {"supervised": None}])
def test_a_flag_is_true_or_false(options):
    one_sentence(lambda: HashedText(**options).fit(DOCUMENTS, MOODS), ValueError, "supervised must be True or False")


# ---- threads, copies and files -----------------------------------------------------------------------------------


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    stock = [f"w{i}" for i in range(2000)]
    documents = [" ".join(rng.choice(stock, rng.choice([0, 1, 20, 200, 1000]))) for _ in range(400)]
    labels = rng.integers(0, 9, 400)
    for options in (
        {},
        {"bits": 10},
        {"characters": (2, 4), "bits": 14},
    ):  # few columns are weighed once, many as they come
        one, several = (HashedText(supervised=True, idf=True, n_jobs=n, **options) for n in (1, 3))
        assert same(one.fit_transform(documents, labels), several.fit_transform(documents, labels))
        assert same(one.transform(documents[:9]), several.transform(documents[:9]))
        assert same(one.partial_fit_transform(documents, labels), several.partial_fit_transform(documents, labels))


def through_its_state(core):
    plain, arrays = core.to_state()
    return Hashing.from_state(json.loads(json.dumps(plain)), {name: array.copy() for name, array in arrays.items()})


COPIES = {
    "state": lambda how: HashedText._of(through_its_state(how._core)),
    "pickle": lambda how: pickle.loads(pickle.dumps(how)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("options", [{}, {"characters": (2, 3), "keep_names": True, "idf": True}], ids=str)
@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_goes_on_as_if_it_had_never_stopped(copied, options):
    whole, first = hashed(bits=7, **options), hashed(bits=7, **options)
    whole.partial_fit_transform(DOCUMENTS[:10], MOODS[:10])
    first.partial_fit_transform(DOCUMENTS[:10], MOODS[:10])
    second = COPIES[copied](first)
    labels = [*MOODS[10:-1], "new"]
    rows = whole.partial_fit_transform(DOCUMENTS[10:], labels)
    assert same(second.partial_fit_transform(DOCUMENTS[10:], labels), rows)
    assert whole._core.to_state()[0] == second._core.to_state()[0]
    for name, array in whole._core.to_state()[1].items():
        assert np.array_equal(array, second._core.to_state()[1][name]), name
    assert same(first.partial_fit_transform(DOCUMENTS[10:], labels), rows)  # and the first did not go along


def test_a_clone_has_learned_nothing():
    how = hashed(characters=(2, 3), bits=6).fit(DOCUMENTS, MOODS)
    fresh = clone(how)
    assert fresh.get_params() == how.get_params()
    assert not fresh.__sklearn_is_fitted__()
    assert same(fresh.fit_transform(DOCUMENTS, MOODS), how.transform(DOCUMENTS))


@given(labelled(6), st.integers(0, 14), st.integers(1, 8))
def test_two_that_are_merged_are_one(rows, cut, bits):
    documents, labels = zip(*rows)
    options = {"supervised": True, "idf": True, "keep_names": True, "characters": (2, 3), "bits": bits}
    halves = [Hashing(Analysis(), **options) for _ in range(2)]
    halves[0].learn(Documents(documents[:cut]), labels[:cut])
    halves[1].learn(Documents(documents[cut:]), labels[cut:])
    one = Hashing(Analysis(), **options)
    one.learn(Documents(documents), labels)
    halves[0].merge(halves[1])
    for a, b in zip(halves[0].encode(Documents(documents)), one.encode(Documents(documents))):
        assert np.array_equal(a, b)
    assert halves[0].to_state()[0] == one.to_state()[0]  # the order of classes and names, too
    for name, array in one.to_state()[1].items():
        assert np.array_equal(array, halves[0].to_state()[1][name]), name


def test_a_model_goes_on_from_its_file(tmp_path):
    options = {"supervised": True, "idf": True, "symbols": True, "min_length": 1, "characters": (2, 4), "bits": 9}
    text, model = HashedText(**options), rb.AveragedPerceptron(random_state=0)
    model.partial_fit(text.partial_fit_transform(DOCUMENTS[:9], MOODS[:9]), MOODS[:9])
    model.save(tmp_path / "model", text=text)
    loaded = rb.load(tmp_path / "model")
    model.partial_fit(text.partial_fit_transform(DOCUMENTS[9:], MOODS[9:]), MOODS[9:])
    loaded = through_a_file(loaded.partial_fit(DOCUMENTS[9:], MOODS[9:]), tmp_path)
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    np.testing.assert_array_equal(
        loaded.decision_function(DOCUMENTS), model.decision_function(text.transform(DOCUMENTS))
    )


# ---- forged files ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("forged") / "model"
    text = HashedText(bits=4, supervised=True, characters=(2, 3))
    rb.AveragedPerceptron(max_iter=2).fit(text.fit_transform(DOCUMENTS, MOODS), MOODS).save(path, text=text)
    return path.read_bytes()


def _with(array, place, value):
    array = array.astype(np.result_type(array, np.min_scalar_type(value)))
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("counted_columns", lambda a: a[::-1]),
        ("counted_columns", lambda a: a + 1),
        ("counted_columns", lambda a: a - 99),
        ("counted_columns", lambda a: a[1:]),
        ("counted_columns", lambda a: a.astype(np.int64)),
        ("counted_classes", lambda a: _with(a, 0, 0)),
        ("counted_classes", lambda a: _with(a, -1, a[-1] + 1)),
        ("counted_classes", lambda a: _with(a, 0, 2**16 + int(a[0]))),  # which two bytes would cut to what it was
        ("counted_classes", lambda a: a.astype(np.float64)),
        ("counted_classes", lambda a: a[:, None]),
        ("class_of_count", lambda a: a + 3),
        ("class_of_count", lambda a: _with(a, 0, 2**16 + int(a[0]))),
        ("class_of_count", lambda a: a * 0),
        ("class_of_count", lambda a: a[:-1]),
        ("class_counts", lambda a: a * 0),
        ("class_counts", lambda a: a + 100),
        ("class_counts", lambda a: a.astype(np.int64)),
        ("class_counts", lambda a: _with(a, 0, 2**32 + int(a[0]))),
        ("class_documents", lambda a: a[:-1]),
        ("class_documents", lambda a: a * 0),
        ("class_documents", lambda a: a + np.uint64(2**62)),
        ("class_documents", lambda a: a.astype(np.int64)),
    ],
)  # fmt: skip
def test_counts_by_class_that_do_not_fit_are_refused(name, change, saved, tmp_path):
    (tmp_path / "model").write_bytes(saved)
    key = f"features/text.0.{name}"
    rewritten(
        tmp_path / "model",
        change_tensors=lambda tensors: tensors.update({key: np.ascontiguousarray(change(tensors[key]))}),
    )
    one_sentence(lambda: rb.load(tmp_path / "model"), ModelFileError, "model")


@pytest.mark.parametrize(
    "name", ["counted_columns", "counted_classes", "class_of_count", "class_counts", "class_documents"]
)
def test_counts_by_class_are_all_there(name, saved, tmp_path):
    (tmp_path / "model").write_bytes(saved)
    rewritten(tmp_path / "model", change_tensors=lambda tensors: tensors.pop(f"features/text.0.{name}"))
    one_sentence(lambda: rb.load(tmp_path / "model"), ModelFileError, name)


@pytest.mark.parametrize(
    "change",
    [
        {"supervised_by": {"classes": ["pos", "neg"]}},
        {"supervised_by": {"classes": ["pos", "neg", "neg"]}},
        {"supervised_by": {"classes": ["pos", "neg", None]}},
        {"supervised_by": {"classes": ["pos", "neg", ["so so"]]}},
        {"supervised_by": {"classes": 3}},
        {"supervised_by": {}},
        {"supervised_by": None},
        {"supervised": 1},
        {"supervised": "yes"},
        {"characters": [2]},
        {"characters": [3, 2]},
        {"characters": [2, 3, 4]},
        {"characters": [2, 10**9]},
        {"characters": [0, 2]},
        {"characters": "23"},
        {"characters": None},
        {"bits": 30},  # which would take gigabytes, were it believed
        {"bits": 5},
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_refused(change, saved, tmp_path, capsys):
    path = tmp_path / "model"
    path.write_bytes(saved)
    rewritten(
        path,
        change_document=lambda document: document["extras"]["features"]["table"]["text"]["text"]["hashing"].update(
            change
        ),
    )
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))
    assert cli.main(["inspect", str(path)]) == 1
    assert "can read" in capsys.readouterr().err
