"""The border of the native core: no index that comes from Python is used before it was looked at.

Estimators never hand over such arrays; these tests call the core itself.
"""

import copy
import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb
from rosenblatt import _native
from rosenblatt.core import engine

N, D = 5, 3
CODES = np.array([0, 1, 2, 1, 0], np.int8)


def rows(indptr=(0, 1, 2, 3, 4, 5), indices=(0, 1, 2, 0, 1), data=(1.0,) * 5, n_features=D, index=np.int32):
    return _native.CsrRows(np.array(indptr, index), np.array(indices, index), np.array(data), n_features)


def model(form="multiclass", n_features=D, n_vectors=3, stride=4, **changed):
    return _native.Model(
        **{"form": form, "weights": np.zeros((1 + n_features, stride)), "n_vectors": n_vectors} | changed
    )


def tally(n_vectors=3, **values):
    made = _native.Tally(n_vectors)
    made.room = np.inf
    for name, value in values.items():
        setattr(made, name, value)
    return made


PA = _native.Rule("PA")


def learn(**changed):
    given = {"rows": rows(), "model": model(), "rule": PA, "targets": CODES, "tally": tally()}
    return _native.learn(**given | changed)


BINARY = {"form": "binary", "n_vectors": 1, "stride": 1}


def test_what_is_in_order_is_learned():
    assert learn()
    assert learn(order=np.array([4, 0], np.int32), first=1)
    assert learn(targets=CODES.astype(np.int32))
    assert learn(model=model(**BINARY), tally=tally(1), targets=np.array([0, 1, 1, 0, 1], np.int8))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(
    "view",
    [
        {"indices": (0, 1, 3, 0, 1)},
        {"indices": (0, 1, -1, 0, 1)},
        {"indices": (0, 1, 2**31 - 1, 0, 1)},
        {"indices": (0, 1, -(2**31), 0, 1)},
        {"indptr": (0, 1, 2, 3, 4, 6)},
        {"indptr": (0, 1, 4, 3, 4, 5)},
        {"indptr": (-1, 1, 2, 3, 4, 5)},
        {"indptr": ()},
        {"data": (1.0,) * 4},
        {"n_features": 2},
        {"n_features": -1},
        {"n_features": 2**62},  # times the classes it wraps around to few
        {"n_features": 2**63 - 1},
    ],
    ids=str,
)
def test_rows_with_places_that_are_not_there(view, index):
    def use():
        made = rows(**view, index=index)
        for call in (
            lambda: learn(rows=made),
            lambda: _native.score(rows=made, model=model(), out=np.zeros((N, 3))),
            lambda: made.n_features < 2**60 and _native.product(made, made, np.zeros((N, N)), 2),
        ):
            call()

    with pytest.raises(ValueError):
        use()


def test_codes_of_no_class():
    for codes in ([0, 1, 3, 1, 0], [0, 1, -1, 1, 0]):
        for dtype in (np.int8, np.int32):
            with pytest.raises(ValueError, match="codes of classes"):
                learn(targets=np.array(codes, dtype))
    learn(targets=np.array([0, 1, 3, 1, 0], np.int8), order=np.array([0, 1, 4], np.int32))  # that row is not visited
    with pytest.raises(ValueError, match="codes of classes"):
        learn(model=model(**BINARY), tally=tally(1), targets=np.array([0, 1, 2, 0, 1], np.int8))
    with pytest.raises(ValueError):
        learn(targets=CODES[:4])


@pytest.mark.parametrize("order", [[0, 5], [0, -1], [2**31 - 1], [-(2**31)]])
def test_an_order_of_rows_that_are_not_there(order):
    with pytest.raises(ValueError, match="rows to visit"):
        learn(order=np.array(order, np.int32))
    for measure in (rows().radius2, rows().terms_in_lane):
        with pytest.raises(ValueError, match="numbers of rows"):
            measure(np.array(order, np.int32))


@pytest.mark.parametrize("first", [-1, 6, 2**62, -(2**62)])
def test_a_beginning_outside_the_order(first):
    with pytest.raises(ValueError, match="where to begin"):
        learn(first=first)


@pytest.mark.parametrize(
    "how",
    [
        {"n_vectors": 4, "stride": 3},
        {"n_vectors": 3, "stride": 3},
        {"n_vectors": 0},
        {"n_vectors": -3},
        {"n_vectors": 1},
        {"form": "binary", "n_vectors": 3},
        {"form": "regression", "n_vectors": 3},
        {"form": "unheard of", "n_vectors": 1, "stride": 1},
        {"form": None},
        {"n_features": 2},
        {"total": np.zeros(3)},
        {"total": np.zeros((4, 4), np.float32)},
        {"gradient": np.zeros(3)},
        {"weights": np.zeros(16)},
        {"weights": np.zeros((0, 4))},
        {"weights": np.zeros((4, 4), int)},
        {"weights": np.zeros((4, 4), np.float32)},
        {"weights": None},
    ],
    ids=str,
)
def test_a_model_that_does_not_fit(how):
    with pytest.raises((ValueError, TypeError)):
        learn(model=model(**how))
    with pytest.raises((ValueError, TypeError)):
        _native.score(rows=rows(), model=model(**how), out=np.zeros((N, 8)))


@pytest.mark.parametrize("name", ["total", "gradient", "weights"])
def test_what_is_read_only_is_not_learned_on(name):
    array = np.zeros((1 + D, 4))
    array.flags.writeable = False
    fixed = model(**{name: array})
    with pytest.raises(ValueError, match="read-only"):
        learn(model=fixed)
    _native.score(rows=rows(), model=fixed, out=np.zeros((N, 3)))
    values = np.zeros(15)
    values.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        learn(tally=_native.Tally.of(values))
    with pytest.raises(ValueError, match="read-only"):
        _native.Tally.of(values).visited = 1


@pytest.mark.parametrize("place", range(-7, 0))
@pytest.mark.parametrize("count", [np.nan, np.inf, -1.0, 1e300])
def test_a_tally_that_counts_nothing(place, count):
    values = np.zeros(15)
    values[place] = count
    with pytest.raises(ValueError, match="tally"):
        learn(tally=_native.Tally.of(values), pocket=np.zeros((1 + D, 4)))


def test_arrays_that_are_missing_or_short():
    for call in (
        lambda: _native.CsrRows(np.zeros(2, np.int32), None, np.zeros(0), D),
        lambda: _native.CsrRows(np.zeros(2, np.int32), np.zeros(0, np.int64), np.zeros(0), D),
        lambda: _native.CsrRows(np.zeros((2, 2), np.int32)[:, 0], np.zeros(0, np.int32), np.zeros(0), D),
        lambda: _native.DenseRows(np.zeros(3)),
        lambda: _native.DenseRows(np.zeros((3, 3), int)),
        lambda: _native.DenseRows(np.zeros((3, 3)).T[:2]),
        lambda: _native.GramRows(np.zeros((3, 2))),
        lambda: _native.Rows(),
        lambda: _native.Tally(0),
        lambda: _native.Tally(-5),
        lambda: _native.Tally.of(np.zeros(9)),
        lambda: _native.Tally.of(np.zeros(12)),
        lambda: _native.Tally.of(np.zeros(15, np.float32)),
        lambda: learn(rows=None),
        lambda: learn(rows=(np.zeros((N, D)),)),
        lambda: learn(tally=tally(1)),
        lambda: learn(tally=np.zeros(15)),
        lambda: learn(weight=np.ones(4)),
        lambda: learn(dual=np.ones(4)),
        lambda: learn(steps=np.ones(14)),
        lambda: learn(rule=("PA",)),
        lambda: _native.Rule("perceptron", 1.0),
        lambda: _native.Rule(),
        lambda: _native.Rule("no such rule"),
        lambda: learn(pocket=np.zeros(3)),
        lambda: _native.score(rows=rows(), model=model(), out=np.zeros(3)),
        lambda: _native.score(rows=rows(), model=model(), out=None),
        lambda: _native.product(rows(), rows(index=np.int64), np.zeros((N, N)), 1),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()


@pytest.mark.parametrize("kind", [_native.Rows, _native.DenseRows, _native.CsrRows, _native.GramRows, _native.Model,
                                  _native.Rule, _native.Tally])  # fmt: skip
@pytest.mark.filterwarnings("ignore:nanobind")
def test_an_object_that_was_never_made_is_refused(kind):
    try:
        empty = kind.__new__(kind)
    except TypeError:
        return
    for call in (lambda: learn(rows=empty), lambda: learn(model=empty), lambda: learn(rule=empty),
                 lambda: learn(tally=empty)):  # fmt: skip
        with pytest.raises(TypeError):
            call()


def test_objects_keep_their_arrays():
    made, how, counts = rows(data=np.arange(5.0)), model(), tally()
    before = made.data.copy()
    gc.collect()
    np.zeros(1000)
    assert learn(rows=made, model=how, tally=counts)
    np.testing.assert_array_equal(made.data, before)
    assert how.weights.any()
    assert counts.visited == N
    with pytest.raises(ValueError, match="refer"):
        made.data.resize(1)


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))], ids=["copy", "pickle"]
)
def test_rows_and_tallies_are_copied_and_pickled(again):
    dense, csr = again(_native.DenseRows(np.eye(3))), again(rows())
    assert (dense.n_rows, dense.n_features, dense.is_dense, dense.data.tolist()) == (3, 3, True, np.eye(3).tolist())
    assert (csr.n_rows, csr.n_features, csr.is_dense, csr.indices.tolist()) == (N, D, False, [0, 1, 2, 0, 1])
    first = tally(visited=3, growth=0.5)
    first.tau[1] = 2.0
    second = again(first)
    first.visited = 9
    assert (second.visited, second.growth, second.tau.tolist(), second.n_vectors) == (3, 0.5, [0, 2.0, 0], 3)
    wider = second.with_vectors(4)
    assert (wider.visited, wider.growth, wider.tau.tolist(), wider.room) == (3, 0.5, [0.0] * 4, np.inf)


# ---- threads -------------------------------------------------------------------------------------------------------

WITHOUT_THREADS = """
import resource, threading
import numpy as np
from rosenblatt import _native

n = 64 * 40
one = np.arange(n, dtype=np.int32)
rows = _native.CsrRows(np.arange(n + 1, dtype=np.int32), one % 50, one + 1.0, 50)
wide = _native.CsrRows(np.zeros(n + 1, np.int32), one[:0], one[:0] + 1.0, 1 << 40)
expected, got = np.zeros((n, n)), np.zeros((n, n))
_native.product(rows, rows, expected, 1)
kept = np.zeros(1 << 23)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
threading.stack_size(1 << 26)
resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 22),) * 2)
try:
    threading.Thread(target=print).start()
    raise SystemExit("a thread was to be had")
except RuntimeError:
    pass
_native.product(rows, rows, got, 64)
assert all(np.array_equal(a, b) for a, b in zip(got, expected))
_native.populate(kept)
try:
    _native.product(wide, wide, got, 64)
except MemoryError:
    print("fine")
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="needs a limit of address space, which the address sanitizer does not leave room for",
)
def test_threads_that_cannot_be_started_and_memory_that_is_not_there():
    done = subprocess.run([sys.executable, "-c", WITHOUT_THREADS], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


# ---- named rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", [1, 2, 500, 2**31 - 1, 2**31, 2**70, -1, "zero", 0.5, None])
def test_columns_of_names_beyond_the_weights(column):
    how, row = model(**BINARY, n_features=1), {"a": 1.0}
    one = {"row": row, "columns": {"a": column}, "model": how}
    for call in (
        lambda: _native.learn_one(**one, rule=PA, target=0, tally=tally(1)),
        lambda: _native.score_one(**one, visited=0, out=np.zeros(1)),
        lambda: _native.decide_one(**one, visited=0),
    ):
        with pytest.raises(ValueError):
            call()


def test_one_row_that_does_not_fit():
    how = model(**BINARY, n_features=1)
    with pytest.raises(ValueError, match="too few"):
        _native.decide_one(row={"a": 1.0}, columns={"a": 0, "b": 1}, model=how, visited=0)
    with pytest.raises(ValueError, match="average"):
        _native.decide_one(row={"a": 1.0}, columns={"a": 0}, model=how, visited=3)
    for target in (2, -1):
        with pytest.raises(ValueError, match="codes of classes"):
            _native.learn_one(row={"a": 1.0}, columns={"a": 0}, model=how, rule=PA, target=target, tally=tally(1))


# ---- text and lines ----------------------------------------------------------------------------------------------


def test_a_forged_table_of_ngrams_finds_nothing_and_ends():
    text, starts = np.frombuffer(b"goodbad", np.uint8), np.array([0, 4, 7])
    slots = _native.index_ngrams(text, starts)
    analysis = ("word", 1, 1, True, False, False, 1, None, None)
    encoding = ("count", False, "float64", 1)

    def look_up(text=text, starts=starts, slots=slots):
        return _native.look_up_text(["good bad ugly"], analysis, encoding, (text, starts, slots))[1].tolist()

    assert look_up() == [0, 1]
    used = slots != 0
    assert look_up(slots=np.where(used, slots | np.uint64(0xFFFFFF00), slots)) == []
    assert look_up(slots=np.where(used, slots & ~np.uint64(0xFFFFFFFF), slots)) == []
    assert look_up(starts=np.array([0, 2**40, 7])) == []
    assert look_up(starts=np.array([0, -9, 7])) == []
    assert look_up(slots=np.full(8, 1, np.uint64)) == []  # no free place: the search ends all the same
    with pytest.raises(ValueError):
        _native.index_ngrams(text, np.array([0, 5, 3]))
    with pytest.raises(ValueError):
        _native.index_ngrams(text, np.array([0, 4, 8]))


@pytest.mark.parametrize("starts", [[0, 3], [0, 2, 1], [-1, 2], []])
def test_rows_to_weigh_that_begin_nowhere(starts):
    given = np.array(starts, np.int32), np.array([0, 1], np.int32), np.ones(2)
    with pytest.raises(ValueError):
        _native.weigh_columns(given, np.ones(4, np.uint32), 2, (1, 4, True), False, 1)
    with pytest.raises(ValueError):
        _native.weigh_by_table(given, np.ones(4), (1, 4, True), 1)
    with pytest.raises(ValueError):
        _native.ClassCounts(4).weigh(given, None, (1, 4, True), True, 1)
    with pytest.raises(ValueError):
        _native.arrow_strings(np.array([0, 3, 2], np.int32).tobytes(), b"abc")


def test_columns_beyond_the_counts():
    for column in (4, -1, 2**31 - 1):
        with pytest.raises(ValueError):
            _native.count_columns(np.array([0, column], np.int32), np.ones(4, np.uint32))


def test_parts_of_lines_that_were_measured_elsewhere():
    text = np.frombuffer(b"1 1:1 2:1 3:1\n-1 1:2 5:1\n", np.uint8)
    format_ = ("svmlight", 1, 10)
    parts = np.zeros((8, 7), np.int64)
    n, n_rows, n_entries = _native.measure_lines(text, format_, 10, 1, parts)
    parts = parts[:n].ravel()

    def read(parts, room=n_entries):
        arrays = (np.zeros(n_rows + 1, np.int32), np.zeros(room, np.int32), np.zeros(room), np.zeros(n_rows, np.int64))
        return _native.read_lines(text, format_, parts, (*arrays, np.zeros(n_rows), None, None, None), 5, False, 2)

    assert read(parts)[:2] == (2, 5)
    for place in range(len(parts)):
        for change in (-1, 1, 100, -(2**40), 2**40):
            forged = parts.copy()
            forged[place] += change
            if place % 7 == 4:
                continue  # the number of the first line, which is only told
            with pytest.raises((ValueError, RuntimeError, IndexError)):
                read(forged)


def test_rows_of_csv_that_begin_nowhere():
    text = np.frombuffer(b"a,b\nc,d\n", np.uint8)
    begins = np.array([0, 4])
    assert _native.cut_csv(text, begins, ord(","), ord('"'), 2, [1], [False]) is not None
    for forged in ([0, 9], [4, 0], [-1, 4]):
        with pytest.raises(ValueError):
            _native.cut_csv(text, np.array(forged), ord(","), ord('"'), 2, [1], [False])
    for wanted in ([2], [-1], [2**40]):
        with pytest.raises(ValueError):
            _native.cut_csv(text, begins, ord(","), ord('"'), 2, wanted, [False])


# ---- sparse matrices ---------------------------------------------------------------------------------------------


def damaged():
    """Matrices that SciPy lets be made, each with what is wrong with it."""

    def csr(kind=sparse.csr_matrix, **parts):
        made = kind(np.arange(12.0).reshape(4, 3))
        for name, value in parts.items():
            setattr(made, name, value)
        return made

    for kind in (sparse.csr_matrix, sparse.csc_array):
        whole = csr(kind)
        n = len(whole.indptr)
        yield csr(kind, indptr=whole.indptr[:-2])
        yield csr(kind, indptr=whole.indptr[:1])
        yield csr(kind, indptr=np.concatenate([whole.indptr, [11]]).astype(np.int32))
        yield csr(kind, indptr=np.concatenate([whole.indptr[:-1], [10**6]]).astype(np.int32))
        yield csr(kind, indptr=whole.indptr[::-1].copy())
        yield csr(kind, indptr=whole.indptr - 1)
        yield csr(kind, indptr=whole.indptr + 1)
        yield csr(kind, indptr=whole.indptr.astype(float))
        yield csr(kind, indices=whole.indices + 2)
        yield csr(kind, indices=whole.indices - 1)
        yield csr(kind, indices=whole.indices[: n - 1])
        yield csr(kind, indices=whole.indices.astype(float))
        yield csr(kind, data=whole.data[:3])
    for name, value in (("row", 4), ("col", 3), ("col", -1)):
        coo = sparse.coo_matrix(np.arange(12.0).reshape(4, 3))
        getattr(coo, name)[2] = value
        yield coo
    bsr = sparse.bsr_matrix(np.arange(12.0).reshape(4, 3), blocksize=(2, 3))
    bsr.indices[0] = 7
    yield bsr


DAMAGED = list(damaged())


@pytest.mark.parametrize("found", [rb.Perceptron, rb.KernelPerceptron, rb.PassiveAggressiveRegressor])
@pytest.mark.parametrize("which", range(len(DAMAGED)))
def test_damaged_sparse_matrices(found, which):
    bad, good, y = DAMAGED[which], np.arange(12.0).reshape(4, 3), np.array([0, 0, 1, 1])
    fitted = found().fit(good, y)
    for call in (lambda m: m.fit(bad, y), lambda m: m.predict(bad), lambda m: m.partial_fit(bad, y)):
        for model in (fitted, found()):
            with pytest.raises(ValueError, match=r"rebuild the matrix|not fitted"):
                call(model)
    if found is rb.Perceptron:
        for call in (
            lambda: rb.separability(bad, y),
            lambda: rb.radius(bad),
            lambda: rb.margin(bad, y, np.ones(3)),
            lambda: engine.admit(bad),
        ):
            with pytest.raises(ValueError, match="rebuild the matrix"):
                call()


def test_a_matrix_is_judged_by_its_numbers_not_by_its_attributes():
    class Boasting(sparse.csr_matrix):
        largest = 1.0
        has_canonical_format = True
        has_sorted_indices = True

    for numbers in ([[1.0, np.nan]], [[1.0, 1e300]]):
        with pytest.raises(ValueError, match=r"NaN|overflows"):
            engine.admit(Boasting(np.array(numbers)))
    wide = Boasting(np.eye(2))
    wide.indices = np.array([0, 9], np.int32)
    with pytest.raises(ValueError, match="outside its 2 columns at row 1"):
        engine.admit(wide)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint16"])
@pytest.mark.parametrize("shape", [(0, 1), (5, 2), (70_001, 1), (70_001, 3)])
def test_rows_in_use_are_those_with_any_bit(dtype, shape):
    rng = np.random.default_rng(0)
    tables = [np.zeros(shape, dtype), np.zeros(shape), np.zeros((shape[0], shape[1] + 3), np.float32)[:, : shape[1]]]
    for table, n in zip(tables, (1_000, 3, 20)):
        some = rng.integers(0, max(shape[0], 1), n if shape[0] else 0)
        table[some] = rng.integers(0, 3, (len(some), shape[1]))
    if shape[0]:
        tables[1][-1] = -0.0
    used = [i for i in range(shape[0]) if any(table[i].tobytes().strip(b"\0") for table in tables)]
    found = engine.rows_in_use(tables)
    assert found.tolist() == used
    for table in tables:
        assert engine.take_rows(table, found).tobytes() == table[used].tobytes()


@pytest.mark.parametrize("numbers", [[-1], [5], [0, 2**31 - 1]])
def test_only_rows_that_are_there_are_taken(numbers):
    with pytest.raises(ValueError, match="numbers of rows must lie between 0 and"):
        engine.take_rows(np.zeros((5, 1)), np.array(numbers, np.int32))


def test_tables_of_other_rows_and_too_little_room_are_refused():
    bytes_of = [np.zeros((n, 4), np.uint8) for n in (5, 6)]
    with pytest.raises(ValueError, match="the same rows"):
        _native.rows_in_use(bytes_of, np.zeros(6, np.int32), 1)
    with pytest.raises(ValueError, match="wrong type or length"):
        _native.rows_in_use(bytes_of[:1], np.zeros(4, np.int32), 1)
    with pytest.raises(ValueError, match="wrong type or length"):
        _native.take_rows(bytes_of[0], np.zeros(2, np.int64), np.zeros((1, 4), np.uint8), 1)
    with pytest.raises(ValueError, match="those of a row side by side"):
        _native.take_rows(bytes_of[0].T, np.zeros(1, np.int64), np.zeros((1, 5), np.uint8), 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(0, 1), (5, 3), (70_001, 2)])
def test_the_averaged_readout_is_that_of_numpy(dtype, shape, monkeypatch):
    rng = np.random.default_rng(0)
    weights, total = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape) * 1e3
    expected = (weights - total / 7).astype(dtype)
    for n_threads in (1, 3):
        monkeypatch.setattr(engine, "threads", lambda n=n_threads: n)
        out = np.full(shape, np.nan, dtype)
        engine.average(weights, total, 7, out)
        assert out.tobytes() == expected.tobytes()


def test_an_average_of_arrays_that_do_not_fit_is_refused():
    weights = np.zeros((5, 2), np.float32)
    for total, out in (
        (np.zeros((4, 2)), weights.copy()),
        (np.zeros((5, 2), np.float32), weights.copy()),
        (np.zeros((5, 2)), np.zeros((5, 2))),
        (np.zeros((5, 2)), np.zeros((4, 2), np.float32)),
    ):
        with pytest.raises(ValueError, match="wrong type or length"):
            _native.average(weights, total, 1, out, 1)
    with pytest.raises(ValueError, match="out must be a C-contiguous array"):
        _native.average(weights, np.zeros((5, 2)), 1, np.zeros((2, 5), np.float32).T, 1)


@pytest.mark.parametrize("order", [slice(None), np.array([3, 0, 9_999, 3]), np.array([], np.int64)])
def test_pairs_in_use_are_those_with_any_bit_row_by_row(order):
    rng = np.random.default_rng(0)
    tables = [np.zeros((10_000, 5), np.float32)[:, :3], np.zeros((10_000, 3))]
    for table in tables:
        table[rng.integers(0, 10_000, 3_000), rng.integers(0, 3, 3_000)] = rng.standard_normal(3_000)
    tables[1][3] = [0.0, -0.0, 1.0]
    starts, vectors, numbers = engine.pairs_in_use(tables, order)
    expected = [
        (row, c, tables[0][row, c], tables[1][row, c])
        for row in np.arange(10_000)[order].tolist()
        for c in range(3)
        if any(table[row, c].tobytes().strip(b"\0") for table in tables)
    ]
    rows = np.repeat(np.arange(10_000)[order], np.diff(starts))
    assert list(zip(rows.tolist(), vectors.tolist(), *numbers)) == expected


def test_pairs_of_rows_that_are_not_there_and_too_little_room_are_refused():
    table, starts = np.zeros((5, 8), np.uint8), np.array([0, 1])
    with pytest.raises(ValueError, match="numbers of rows must lie between 0 and"):
        _native.count_pairs([table], 2, np.array([5]), np.zeros(1, np.int64), 1)
    with pytest.raises(ValueError, match="4 or 8 bytes"):
        _native.count_pairs([table], 3, np.array([0]), np.zeros(1, np.int64), 1)
    with pytest.raises(ValueError, match="wrong type or length"):
        _native.take_pairs([table], 2, np.array([0]), starts, np.zeros(1, np.int32), [np.zeros(3, np.uint8)], 1)
    with pytest.raises(ValueError, match="room for each array"):
        _native.take_pairs([table], 2, np.array([0]), starts, np.zeros(1, np.int32), [], 1)
    with pytest.raises(ValueError):
        _native.take_pairs([table], 2, np.array([0]), -starts, np.zeros(1, np.int32), [np.zeros(4, np.uint8)], 1)


def test_flags_that_are_not_there_are_refused():
    assert engine.distinct([np.array([3, 1, 3], np.int32), np.array([0], np.int32)], 5).tolist() == [0, 1, 3]
    for number in (-1, 5):
        with pytest.raises(ValueError, match="numbers of rows must lie between 0 and"):
            engine.distinct([np.array([number], np.int32)], 5)
