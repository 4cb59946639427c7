"""Tables as rows of numbers: layout, hashing, running scale, missing values, state."""

import io
import json
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

import rosenblatt as rb
from rosenblatt.cli import main
from rosenblatt.data import Columns, Csr, Encoder
from rosenblatt.data.csr import hstack, vstack
from rosenblatt.data.moments import RunningScale


class Lengths:
    """A stand-in for a text encoder: column 0 has the length of the text, column 1 how many texts came before."""

    n_columns = 2
    largest = None

    def __init__(self, seen=0):
        self.seen = seen

    def read(self, strings, *, learn):
        lengths = [float(len(text)) for text in strings.to_pylist()]
        n = len(lengths)
        data = np.column_stack([lengths, np.full(n, 0.5)]).ravel()
        return np.arange(0, 2 * n + 1, 2, dtype=np.int32), np.tile(np.array([0, 1], np.int32), n), data

    def count(self, rows, labels):
        self.seen += len(rows[0]) - 1

    def weigh(self, rows, *, learn, labels=None):
        n = len(rows[0]) - 1
        rows[2][1::2] += self.seen + (np.arange(n) if learn else 0)
        self.seen += n if learn else 0
        return rows

    def to_state(self):
        return {"kind": "lengths"}, {"seen": np.array([self.seen])}

    @classmethod
    def from_state(cls, settings, arrays):
        assert settings == {"kind": "lengths"}
        return cls(int(arrays["seen"][0]))


TEXT = b"label,age,job,review\npos,3,cook,a good film indeed it is\nneg,5,pilot,bad\npos,4,cook,so so and on it goes\n"
COLUMNS = Columns(label="label", numeric=["age"], categorical=["job"], text=["review"])


def read(text=TEXT, columns=COLUMNS, **settings):
    return rb.data.read(io.BytesIO(text), format="csv", columns=columns, **settings)


def column(name, bits):
    return murmurhash3_32(name.encode(), 0, positive=True) % (1 << bits)


def test_columns_stand_side_by_side():
    data = read()
    encoder = Encoder(data.columns, {"review": Lengths()}, bits=4)
    assert encoder.n_features == 1 + 16 + 2
    dense = encoder.encode(data.block, learn=True).to_scipy().toarray()
    expected = np.zeros((3, 19))
    expected[:, 0] = [3, 5, 4]
    for row, job in enumerate(("cook", "pilot", "cook")):
        expected[row, 1 + column(f"job={job}", 4)] = 1
    expected[:, 17] = [24, 3, 20]
    expected[:, 18] = [0.5, 1.5, 2.5]
    np.testing.assert_array_equal(dense, expected)


def test_the_rows_train_an_estimator():
    from rosenblatt.core import engine

    data = read()
    rows = Encoder(data.columns, {"review": Lengths()}, bits=6).encode(data.block, learn=True)
    assert engine.admit(rows).n_features == rows.n_features
    assert rb.Perceptron().fit(rows.to_scipy(), data.labels).predict(rows.to_scipy()).tolist() == ["pos", "neg", "pos"]


@given(
    st.lists(
        st.tuples(st.floats(-5, 5), st.sampled_from(["a", "b", "c"]), st.sampled_from("xyz")), min_size=1, max_size=12
    ),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_blocks_of_any_size_give_the_same_rows(rows, block_rows, bits):
    text = "y,n,one,two\n" + "".join(f"{i % 2},{n!r},{a},{b}\n" for i, (n, a, b) in enumerate(rows))
    columns = Columns(label="y", numeric=["n"], categorical=["one", "two"])
    made = [Encoder(columns, standardise=True, bits=bits) for _ in range(2)]
    whole = made[0].encode(read(text.encode(), columns).block, learn=True)
    with rb.data.stream(io.BytesIO(text.encode()), format="csv", columns=columns, block_rows=block_rows) as blocks:
        parts = vstack([made[1].encode(block, learn=True) for block in blocks])
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name), err_msg=name)
    dense = whole.to_scipy().toarray()
    assert (dense[:, 1:].sum(axis=1) == 2).all()  # two categories a row, added where they fall together
    assert all(np.all(np.diff(whole.indices[a:b]) > 0) for a, b in zip(whole.indptr[:-1], whole.indptr[1:]))


# ---- running scale -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 1e6, -1e9])
def test_running_moments_are_those_of_two_passes(shift):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5000, 3)) * [1, 10, 0.1] + shift
    x[rng.random(x.shape) < 0.1] = np.nan
    scale = RunningScale(3)
    scaled = scale.transform(x, learn=True)
    np.testing.assert_allclose(scale.mean, np.nanmean(x, axis=0), rtol=1e-12)
    np.testing.assert_allclose(scale.variance, np.nanvar(x, axis=0), rtol=1e-9 + 1e-15 * abs(shift))
    i = 1234  # a row in the middle is scaled by the rows up to it
    expected = (x[i] - np.nanmean(x[: i + 1], axis=0)) / np.nanstd(x[: i + 1], axis=0)
    np.testing.assert_allclose(scaled[i], expected, rtol=1e-6, atol=1e-12 * abs(shift))
    now = scale.transform(x[:5], learn=False)
    np.testing.assert_allclose(now, (x[:5] - scale.mean) / np.sqrt(scale.variance))


@given(
    st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=2, max_size=2), min_size=1, max_size=20),
    st.data(),
)
def test_chunks_do_not_show_in_the_running_scale(rows, data):
    x = np.array(rows)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(x)), max_size=4)))
    one, other = RunningScale(2), RunningScale(2)
    whole = one.transform(x, learn=True)
    parts = [other.transform(part, learn=True) for part in np.split(x, cuts)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    for name, value in one.to_arrays().items():
        np.testing.assert_array_equal(other.to_arrays()[name], value)
    assert np.isfinite(whole[~np.isnan(x)]).all()
    np.testing.assert_array_equal(np.isnan(whole), np.isnan(x))


def test_a_constant_column_is_zero():
    assert RunningScale(1).transform(np.full((4, 1), 7.0), learn=True).tolist() == [[0], [0], [0], [0]]


# ---- missing values ----------------------------------------------------------------------------------------------

HOLES = TEXT + b"neg,,pilot,x\npos,1,,y\n"


def test_missing_values_are_refused_with_their_place():
    data = read(HOLES)
    with pytest.raises(rb.data.DataError, match=r"line 5, column 'age': the value is missing; .*missing='absent'"):
        Encoder(data.columns, {"review": Lengths()}).encode(data.block, learn=True)


def test_missing_values_may_be_absent():
    data = read(HOLES)
    rows = Encoder(data.columns, {"review": Lengths()}, missing="absent", bits=4, standardise=True).encode(
        data.block, learn=True
    )
    dense = rows.to_scipy().toarray()
    assert dense[3, 0] == 0
    assert dense[4, 1:17].tolist() == [0] * 16
    text = rb.data.read(
        io.BytesIO(b'{"y":1,"t":"abc"}\n{"y":0,"t":null}\n'), columns={"label": "y", "text": "t"}, format="jsonl"
    )
    rows = Encoder(text.columns, {"t": Lengths()}, missing="absent").encode(text.block, learn=False)
    assert rows.to_scipy().toarray()[:, 0].tolist() == [3, 0]


def test_infinity_is_refused_with_its_place():
    data = read(TEXT + b"neg,inf,pilot,x\n")
    with pytest.raises(rb.data.DataError, match=r"line 5, column 'age': the value is infinite"):
        Encoder(data.columns, {"review": Lengths()}).encode(data.block, learn=True)


# ---- other columns than the model's ------------------------------------------------------------------------------


def test_a_file_with_other_columns():
    encoder = Encoder(COLUMNS, {"review": Lengths()})
    with pytest.raises(
        rb.data.DataError, match=r"there is no column 'age' \(did you mean 'Age'\?\); the columns are: "
    ):
        read(TEXT.replace(b"age", b"Age"))
    other = rb.data.read(io.BytesIO(TEXT), format="csv", columns={"label": "label", "numeric": ["age"]})
    with pytest.raises(rb.data.DataError, match="the model needs all its columns, and there is no column 'job'"):
        encoder.encode(other.block, learn=False)
    with pytest.raises(TypeError, match="is encoded already"):
        encoder.encode(rb.data.read(io.BytesIO(b"1 1:1\n")).block, learn=False)


def test_a_file_to_predict_on_needs_no_labels():
    data = read(b"review,job,age\nabc,cook,3\n", COLUMNS.without_label())
    assert data.labels is None
    assert Encoder(COLUMNS, {"review": Lengths()}).encode(data.block, learn=False).shape[0] == 1
    with pytest.raises(rb.data.DataError, match="there is no column 'label'"):
        read(b"review,job,age\nabc,cook,3\n", COLUMNS)


def test_more_columns_than_the_model_needs_are_left_out():
    reordered = b"extra,review,job,age,label\n0,abc,cook,3,pos\n"
    data = read(reordered)
    assert data.columns.ignored == ("extra",)
    assert Encoder(COLUMNS, {"review": Lengths()}).encode(data.block, learn=False).shape[0] == 1


def test_settings_are_checked():
    with pytest.raises(ValueError, match="nothing encodes the text column 'review'"):
        Encoder(COLUMNS)
    with pytest.raises(ValueError, match="missing must be 'raise' or 'absent', got 'mean'"):
        Encoder(COLUMNS, {"review": Lengths()}, missing="mean")
    with pytest.raises(ValueError, match="bits must be from 1 to 32, got 0"):
        Encoder(COLUMNS, {"review": Lengths()}, bits=0)
    with pytest.raises(ValueError, match="column 'a' is named twice"):
        Columns(label="a", text=["a"])
    none = read(columns=Columns(label="label", numeric=()))
    with pytest.raises(ValueError, match="no column is left to learn from"):
        Encoder(none.columns).encode(none.block, learn=True)


# ---- state -------------------------------------------------------------------------------------------------------


def test_state_goes_through_plain_values_and_goes_on_as_if_it_had_never_stopped():
    data = read()
    encoder = Encoder(data.columns, {"review": Lengths()}, standardise=True, bits=5, dtype="float32")
    encoder.encode(data.block, learn=True)
    settings, arrays = encoder.to_state()
    settings = json.loads(json.dumps(settings))
    assert all(isinstance(value, np.ndarray) for value in arrays.values())
    back = Encoder.from_state(settings, arrays, Lengths.from_state)
    assert back.n_features == encoder.n_features
    for learn in (False, True, False):
        one, other = encoder.encode(data.block, learn=learn), back.encode(data.block, learn=learn)
        np.testing.assert_array_equal(one.data, other.data)
        np.testing.assert_array_equal(one.indices, other.indices)
        assert one.dtype == other.dtype == np.float32


# ---- matrices ----------------------------------------------------------------------------------------------------

dense_matrices = st.integers(1, 3).flatmap(
    lambda n: st.lists(
        st.integers(1, 3).flatmap(
            lambda d: st.lists(
                st.lists(st.sampled_from([0.0, 1.0, -2.5]), min_size=d, max_size=d), min_size=n, max_size=n
            )
        ),
        min_size=1,
        max_size=4,
    )
)


@given(dense_matrices)
def test_matrices_side_by_side_and_one_below_the_other(parts):
    from rosenblatt.data.writing import csr_of

    arrays = [np.array(part) for part in parts]
    np.testing.assert_array_equal(hstack([csr_of(a) for a in arrays]).to_scipy().toarray(), np.hstack(arrays))
    width = max(a.shape[1] for a in arrays)
    below = np.vstack([np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in arrays])
    np.testing.assert_array_equal(vstack([csr_of(a) for a in arrays]).to_scipy().toarray(), below)


def test_parts_of_a_matrix():
    whole = Csr(np.array([0, 2, 2, 3]), np.array([0, 2, 1]), np.array([1.0, 2.0, 3.0]), 3)
    assert whole.rows(1, 3).to_scipy().toarray().tolist() == [[0, 0, 0], [0, 3, 0]]
    assert (whole[0, 2], whole[1, 1]) == (2.0, 0.0)


some_runs = st.lists(st.sampled_from([range(5), range(7, 20), range(19, 20)])).map(lambda runs: [*chain(*runs)])


@given(st.lists(st.integers(0, 19), max_size=30) | some_runs)
def test_rows_are_taken_in_any_order_and_as_copies(which):
    X = np.random.default_rng(0).integers(0, 3, (20, 6)).astype(np.float32)
    csr = Csr.of_dense(X)
    taken = csr.taken(np.array(which, np.int64))
    np.testing.assert_array_equal(taken.to_dense(), X[which])
    taken.data[:], taken.indices[:] = 9, 0
    np.testing.assert_array_equal(csr.to_dense(), X)


def test_numbers_beside_text_weigh_as_much_as_a_text(tmp_path):
    """All together: standardised, they have the norm 1 on average, and not the root of how many they are."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(5, 3, (200, 4))
    words = np.array(["good", "bad", "film", "plot", "actors", "music"])
    lines = [
        ",".join([*(f"{x:.3f}" for x in row), " ".join(rng.choice(words, 5)) + " and more of it", label])
        for row, label in zip(numbers, rng.choice(["a", "b"], 200))
    ]
    path, model = tmp_path / "t.csv", tmp_path / "m"
    path.write_text("p,q,r,s,text,label\n" + "\n".join(lines) + "\n")
    assert main(["train", str(path), "-o", str(model), "-q"]) == 0
    loaded = rb.load(model)
    frame = pd.read_csv(path).drop(columns="label")
    rows = loaded.encoder_.encode(next(rb.data.stream(path, columns=loaded.encoder_.columns)), learn=False)
    rows = rows.to_scipy().toarray()
    block, text = rows[:, :4], rows[:, 4:]
    np.testing.assert_allclose(np.square(block).sum(axis=1).mean(), 1, rtol=1e-5)
    np.testing.assert_allclose(np.square(text).sum(axis=1), 1, rtol=1e-5)
    there = np.round(numbers, 3)
    np.testing.assert_allclose(block, (there - there.mean(axis=0)) / there.std(axis=0) / 2, atol=1e-5)
    np.testing.assert_allclose(loaded.decision_function(frame), loaded.decision_function(rows), atol=1e-6)


def test_a_model_that_says_nothing_of_the_weight_of_numbers_has_1():
    columns = Columns(label="y", text=("t",), numeric=("a", "b"))
    made = Encoder(columns, {"t": Lengths()}, standardise=True, number_weight=0.5)
    plain, arrays = made.to_state()
    assert plain["number_weight"] == 0.5
    assert Encoder.from_state(plain, arrays, lambda *_: Lengths()).number_weight == 0.5
    del plain["number_weight"]
    assert Encoder.from_state(plain, arrays, lambda *_: Lengths()).number_weight == 1
    for wrong in (0, -1, float("nan"), "1"):
        with pytest.raises(ValueError, match="number_weight"):
            Encoder.from_state(plain | {"number_weight": wrong}, arrays, lambda *_: Lengths())
