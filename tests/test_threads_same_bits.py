"""Threads that share work leave no trace: classes of each, sums kept by a second one, counts by column, rows weighed
ahead."""

import itertools
import math
import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest
from clockless import GUARD, until
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.cli import training
from rosenblatt.cli.terminal import Interrupted
from rosenblatt.core import engine, labels, rules
from rosenblatt.core.learner import Learner
from rosenblatt.core.spec import Spec
from rosenblatt.data.weigh_ahead import WeighAhead
from rosenblatt.text import Analysis, Documents, Hashing, columns_of

THREADS = (1, 2, 3, 16)

# ---- sums of the averaged readout ----------------------------------------------------------------------------------


def problem(n_rows=300, n_features=70_000, dtype=np.float32, seed=0):
    """Rows of words: a few that all have, many that few have, and some rows without any."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 90, n_rows)
    columns = [np.unique((rng.pareto(0.3, n) * 50).astype(np.int64) * 7919 % n_features) for n in lengths]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in columns])])
    indices = np.concatenate(columns)
    X = sparse.csr_matrix((rng.random(len(indices)).astype(dtype), indices, indptr), shape=(n_rows, n_features))
    return X, rng.integers(0, 2, n_rows)


def run_of(n_threads, X, y, name="PassiveAggressiveClassifier", **parameters):
    """All that learning comes to."""
    spec = Spec.of(name, {"average": True, **parameters})
    learner = spec.learner()
    learner.n_threads = n_threads
    rows, rng = spec.rows(X), np.random.default_rng(0)
    spec.start(learner, rows, 2 if learner.epsilon is None else 0, rng)
    learner.start_progressive()
    targets = labels.encode(y, np.array([0, 1])) if learner.epsilon is None else y.astype(np.float64)
    learner.fit(rows, targets, max_iter=2, tol=None, shuffle=True, rng=rng)
    arrays = learner.weights, learner.total, learner.least, learner.tau
    return [array.tobytes() for array in arrays], learner.progressive, learner.passes, learner.n_updates


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["PassiveAggressiveClassifier", "PassiveAggressiveRegressor"])
def test_sums_kept_by_a_second_thread_are_those_of_one(name, dtype):
    X, y = problem(dtype=dtype)
    alone = run_of(1, X, y, name)
    assert np.frombuffer(alone[0][1]).any()
    for n_threads in THREADS[1:]:
        assert run_of(n_threads, X, y, name) == alone


def test_the_last_batch_of_rows_counts_whatever_its_size():
    X, y = problem(n_rows=100)
    for n in (31, 32, 33, 64, 65, 97):
        assert run_of(2, X[:n], y[:n]) == run_of(1, X[:n], y[:n])


WITHOUT_THREADS = """
import resource, sys
sys.path.insert(0, {tests!r})
from test_threads_same_bits import documents, many_classes, np, of_classes, problem, rules, run_of, stream_of
X, y = problem()
texts, marks = documents()
classes = [(*many_classes(20, layout, np.float32), rules.PA1(C=0.1)) for layout in ("dense", "wide")]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
alone = run_of(1, X, y), stream_of(1, texts, marks), [of_classes(1, *each) for each in classes]
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
import _thread
_thread.stack_size(1 << 29)
try:
    _thread.start_new_thread(print, ())
    sys.exit("a thread was started")
except RuntimeError:
    pass
assert (run_of(16, X, y), stream_of(16, texts, marks), [of_classes(16, *each) for each in classes]) == alone
"""


@pytest.mark.posix
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_where_no_thread_can_be_started_one_does_it_all(request):
    code = WITHOUT_THREADS.format(tests=str(request.path.parent))
    limited = ["sh", "-c", 'ulimit -s 1000000; exec "$@"', "sh", sys.executable, "-c", code]  # the stack of each thread
    done = subprocess.run(limited, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- classes one against the rest -----------------------------------------------------------------------------------

#: A full covariance is of few features, so that it is tried on fewer.
FULL = {"confidence": "full"}
RULES = [
    rules.Perceptron(eta0=0.3), rules.Perceptron(margin=0.5), rules.PA(), rules.PA1(C=0.1), rules.PA2(C=2.0),
    rules.SecondOrderPerceptron(), rules.AROW(r=0.5), rules.AROW(variant="covariance"), rules.CW(), rules.SCW(C=0.5),
    rules.NHERD(variant="exact"), rules.AROW(**FULL), rules.SCW(variant="II", **FULL),
]  # fmt: skip


def many_classes(k, layout, dtype, n=None, seed=0):
    """Rows enough for several threads; those of a "wide" layout are sparse, and of many features."""
    rng = np.random.default_rng(seed)
    n_features = 2_500 if layout == "wide" else 60
    n = n or (2 << 20) // (40 * 8 * -(-k // 8)) + 900
    y = rng.integers(k, size=n)
    if layout == "wide":
        marks = sparse.csr_matrix((np.ones(n, dtype), (np.arange(n), y * 7)), (n, n_features))
        return sparse.csr_matrix(sparse.random(n, n_features, 40 / n_features, "csr", dtype, rng) + marks), y
    X = (rng.normal(size=(n, n_features)) + 2 * rng.normal(size=(k, n_features))[y]).astype(dtype)
    X[rng.random(X.shape) < 0.3] = 0
    return X if layout == "dense" else sparse.csr_matrix(X), y


def of_classes(n_threads, X, y, rule, readout="last", weight=None, passes=2, **options):
    """All that learning one against the rest comes to, and how it ended."""
    learner = Learner(rule, readout=readout, multiclass="ovr", **options)
    learner.n_threads = n_threads
    rows, ended = learner.admit(X), "well"
    learner.allocate(rows.n_features, int(y.max()) + 1, rows.dtype)
    learner.start_progressive()
    try:
        targets = y.astype(np.int32)
        learner.fit(rows, targets, weight, max_iter=passes, tol=None, rng=np.random.default_rng(0))
    except ValueError as error:
        ended = str(error)
    evidence = {name: value for name, value in vars(learner.evidence).items() if name != "equal_rows"}
    arrays = learner.weights, learner.total, learner.precision, learner.covariance, learner.tally.values, learner.pocket
    held = [None if array is None else array.tobytes() for array in arrays]
    return held, evidence, learner.progressive, learner.passes, learner.n_updates, learner.verdict, ended


def same_for_any_threads(*problem, threads=(2, 3, 7), **options):
    alone = of_classes(1, *problem, **options)
    for n_threads in threads:
        assert of_classes(n_threads, *problem, **options) == alone
    return alone


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["dense", "csr", "wide"])
@pytest.mark.parametrize(
    "k", [10, 20, *(pytest.param(k, marks=pytest.mark.slow) for k in (3, 4, 6, 9, 17, 25, 33, 40))]
)
@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_classes_that_several_threads_learn_are_those_of_one(k, layout, dtype, readout):
    *_, updates, _, ended = same_for_any_threads(
        *many_classes(k, layout, dtype), rules.PA1(C=0.1), readout, fit_intercept=k != 20
    )
    assert ended == "well"
    assert updates > 0


@pytest.mark.diagonal
@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("layout", ["csr", "wide"])
def test_every_rule_learns_its_classes_on_several_threads(rule, layout):
    full = rule.keeps == "full"
    X, y = many_classes(20, "csr" if full else layout, np.float32, n=150 if full else None)
    for readout in ("last", "averaged"):
        same_for_any_threads(X, y, rule, readout, threads=(3,), weight=np.linspace(0, 2, len(y)))


@pytest.mark.parametrize("options", [{"batch": True}, {"readout": "pocket"}, {"readout": "pocket", "ratchet": True}])
def test_batches_and_pockets_of_classes_are_those_of_one_thread(options):
    X, y = many_classes(20, "dense", np.float64, n=3000)
    same_for_any_threads(X, y, rules.Perceptron(), threads=(3,), passes=1, **options)


@pytest.mark.parametrize("layout", ["dense", "wide"])
@pytest.mark.parametrize("rule", [rules.Perceptron(), rules.SecondOrderPerceptron()], ids=repr)
@pytest.mark.parametrize("size", [1e16, 5e17, 1.5e18])
def test_what_overflows_ends_where_it_does_on_one_thread(layout, rule, size):
    """Some rows late in a pass are so large that the bound is taken anew, or the run refused."""
    X, y = many_classes(20, layout, np.float32)
    X = sparse.csr_matrix(X)
    for row in range(len(y) // 2, len(y), 97):
        X.data[X.indptr[row] : X.indptr[row + 1]] *= np.float32(size / np.linalg.norm(X[row].data))
    *_, ended = same_for_any_threads(X, y, rule, "averaged", threads=(2, 7))
    assert ended == "well" or "overflow" in ended


def test_few_rows_and_streams_of_them_are_those_of_one_thread():
    X, y = many_classes(20, "wide", np.float32)
    learned = []
    for n_jobs in (1, 3, None):
        model = rb.AveragedPerceptron(multiclass="ovr", n_jobs=n_jobs)
        for start, stop in ((0, 1), (1, 40), (40, 3000), (3000, len(y))):
            model.partial_fit(X[start:stop], y[start:stop], classes=np.arange(20))
        learned.append((model.coef_.tobytes(), model.intercept_.tobytes(), model.n_updates_, model.mistakes_.tolist()))
    assert learned[1:] == learned[:1] * 2


def test_an_interrupt_within_a_pass_leaves_what_one_thread_had_learned(monkeypatch):
    X, y = many_classes(20, "dense", np.float32, n=9000)
    monkeypatch.setattr("rosenblatt.core.learner._CALL", 1 << 22)  # numbers of a call

    def interrupted(n_threads):
        learner, calls = Learner(rules.PA1(C=0.1), readout="averaged", multiclass="ovr"), []
        rows, learner.n_threads = learner.admit(X), n_threads
        learner.allocate(rows.n_features, 20, rows.dtype)

        def pulse():
            calls.append(learner.visited)
            if len(calls) == 2:
                raise Interrupted

        learner.pulse = pulse
        with pytest.raises(Interrupted):
            learner.fit(rows, y.astype(np.int8), max_iter=2, tol=None, rng=np.random.default_rng(0))
        return calls, learner.weights.tobytes(), learner.total.tobytes(), learner.tally.values.tobytes()

    assert interrupted(3) == interrupted(1)


# ---- counts by class, and idf in a stream ---------------------------------------------------------------------------


def documents(n=120, n_classes=9, seed=0):
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(400)]
    texts = [" ".join(rng.choice(words, rng.integers(0, 40), p=None)) for _ in range(n)]
    return texts, np.array([f"c{i}" for i in (rng.random(n) ** 2 * n_classes).astype(int)])


def hashing(n_threads=1, **options):
    options = {"bits": 10, "weighting": "binary", "idf": True, **options}
    return Hashing(Analysis(ngrams=(1, 2)), n_threads=n_threads, **options)


def stored(learned):
    plain, arrays = learned.to_state()
    return plain, {name: array.tobytes() for name, array in arrays.items()}


def stream_of(n_threads, texts, marks, **options):
    learned = hashing(n_threads, supervised=True, **options)
    rows = learned.learn_and_encode(Documents(texts), marks)
    return [array.tobytes() for array in rows], stored(learned)


@pytest.mark.parametrize("options", [{}, {"characters": (1, 3)}, {"norm": None, "idf": False}])
def test_counting_and_weighing_by_class_are_the_same_for_any_threads(options):
    texts, marks = documents()
    whole = [hashing(n, supervised=True, **options) for n in THREADS]
    rows = [each.learn_then_encode(Documents(texts), marks) for each in whole]
    for each, own in zip(whole[1:], rows[1:]):
        assert all(np.array_equal(a, b) for a, b in zip(own, rows[0]))
        assert stored(each) == stored(whole[0])
    streams = [stream_of(n, texts, marks, **options) for n in THREADS]
    assert all(each == streams[0] for each in streams[1:])


@pytest.mark.parametrize("n_threads", [4, 13, 64])
def test_idf_in_a_stream_is_the_same_for_any_threads(n_threads):
    texts, _ = documents()
    rows = [hashing(n, supervised=False).learn_and_encode(Documents(texts)) for n in (1, n_threads)]
    assert all(np.array_equal(a, b) for a, b in zip(*rows))


@given(st.lists(st.tuples(st.sets(st.sampled_from("abcdef")), st.sampled_from("xyz")), min_size=1, max_size=12))
def test_the_weight_by_class_is_that_of_plain_python(rows):
    """√(max over classes of |r|), each row weighed by the counts up to it."""
    learned = Hashing(
        Analysis(min_length=1), bits=16, weighting="binary", norm=None, supervised=True, dtype="float64", n_threads=3
    )
    texts, marks = [" ".join(sorted(words)) for words, _ in rows], [mark for _, mark in rows]
    starts, columns, values = learned.learn_and_encode(Documents(texts), np.array(marks))
    for i, (words, _) in enumerate(rows):
        known = dict(zip(columns[starts[i] : starts[i + 1]].tolist(), values[starts[i] : starts[i + 1]].tolist()))
        so_far, classes = rows[: i + 1], set(marks[: i + 1])
        for word in words:
            d, most = sum(word in own for own, _ in so_far), 0.0
            without = [j for j in sorted(classes) if not any(word in own for own, mark in so_far if mark == j)]
            small = set(without) - {max(without, key=marks[: i + 1].count, default=None)}  # which are not asked
            for j in classes - small:
                c, n = sum(word in own for own, mark in so_far if mark == j), marks[: i + 1].count(j)
                odds = math.log((i + 1 - n + 1) / (n + 1))
                most = max(most, abs(math.log((c + 1) / (d - c + 1)) + odds))
            assert known[int(columns_of([word], 16)[0])] == pytest.approx(math.sqrt(most), abs=1e-7)


@pytest.mark.parametrize("supervised", [False, True])
@pytest.mark.parametrize("cut", [1, 50, 119])
def test_rows_that_are_forgotten_leave_no_trace(supervised, cut):
    texts, marks = documents()
    marks[cut:][marks[cut:] == "c0"] = "new"  # a class that only the rows to forget have
    kept, both = hashing(supervised=supervised), hashing(supervised=supervised)
    for learned in (kept, both):
        learned.learn_and_encode(Documents(texts[:cut]), marks[:cut])
    rest = Documents(texts[cut:])
    both.forget(both.learn_and_encode(rest, marks[cut:]), marks[cut:])
    assert stored(both) == stored(kept)
    again = [each.learn_and_encode(rest, marks[cut:]) for each in (kept, both)]
    assert all(np.array_equal(a, b) for a, b in zip(*again))
    assert stored(both) == stored(kept)


# ---- words that come again ------------------------------------------------------------------------------------------


def character_rows(texts, n):
    """Columns and counts of the n-grams of characters in words, one hash after the other."""
    analysis = Analysis(n, "char_wb")
    for text in texts:
        columns = columns_of(analysis.ngrams_of(text), 12)
        yield {int(column) + (1 << 12): int(count) for column, count in zip(*np.unique(columns, return_counts=True))}


@given(
    st.lists(st.text("ab\u00e9\u03a3 \t\u2003.Z", max_size=60), max_size=6), st.sampled_from([(1, 1), (2, 5), (4, 9)])
)
def test_remembered_words_have_the_hashes_of_their_ngrams(texts, n):
    texts = [*texts, "word " * 5 + "w" * 48 + " " + "v" * 49 + " \u03a3\u03a3 ab", *texts]
    learned = Hashing(Analysis(), bits=12, weighting="count", norm=None, characters=n)
    starts, columns, values = learned.read(Documents(texts))
    for i, wanted in enumerate(character_rows(texts, n)):
        own = slice(starts[i], starts[i + 1])
        found = dict(zip(columns[own].tolist(), values[own].tolist()))
        assert {column: count for column, count in found.items() if column >= 1 << 12} == wanted


def test_more_words_than_are_remembered():
    text = " ".join(f"word{i}" for i in range(40_000))
    texts = [text, text[:1000], text]
    learned = Hashing(Analysis(), bits=12, weighting="count", norm=None, characters=(3, 3))
    starts, columns, values = learned.read(Documents(texts))
    for i, wanted in enumerate(character_rows(texts, (3, 3))):
        own = slice(starts[i], starts[i + 1])
        found = dict(zip(columns[own].tolist(), values[own].tolist()))
        assert {column: count for column, count in found.items() if column >= 1 << 12} == wanted


# ---- weighed ahead --------------------------------------------------------------------------------------------------


def test_what_was_weighed_and_not_taken_is_forgotten_from_the_end():
    weighed, forgotten = [], []
    ahead = WeighAhead(iter(range(9)), lambda i: weighed.append(i) or -i, forgotten.append, depth=2)
    items = iter(ahead)
    assert [next(items) for _ in range(3)] == [(0, 0), (1, -1), (2, -2)]
    ahead.taken(2)
    until(lambda: len(weighed) >= 5)
    ahead.stop()
    assert forgotten == list(range(len(weighed)))[:1:-1]
    assert len(weighed) < 9


def test_nothing_is_weighed_after_the_end():
    go, weighed = threading.Event(), []

    def items():
        yield 0
        go.wait(GUARD)
        yield 1

    forgotten = []
    ahead = WeighAhead(items(), lambda i: weighed.append(i), forgotten.append, depth=2)
    assert next(iter(ahead)) == (0, None)
    ahead.stop()
    go.set()
    until(lambda: not any(thread.name == "rosenblatt-weigher" for thread in threading.enumerate()))
    assert weighed == [0]
    assert forgotten == [0]


# ---- the command ----------------------------------------------------------------------------------------------------


def trained(n_threads, folder, monkeypatch, *options):
    """The bytes of a model of 600 rows in blocks of 50."""
    texts, marks = documents(600, n_classes=2)
    path = folder / "texts.csv"
    path.write_text("label,text\n" + "".join(f'{mark},"{text} end"\n' for mark, text in zip(marks, texts)))
    with monkeypatch.context() as patch:
        patch.setattr(engine, "threads", lambda: n_threads)
        cli.main(["train", str(path), "-o", str(folder / "m"), "--stream", "--block-rows", "50", "-q", *options])
    return (folder / "m").read_bytes()


@pytest.mark.parametrize("passes", ["1", "2"])
def test_a_model_of_a_stream_is_the_same_on_any_number_of_cores(passes, tmp_path, monkeypatch):
    models = [trained(n, tmp_path, monkeypatch, "--passes", passes) for n in THREADS]
    assert all(model == models[0] for model in models[1:])


def test_an_interrupted_model_has_the_counts_of_what_it_learned(tmp_path, monkeypatch):
    show, forgotten = training.show_progress, []

    def interrupt(run, number, seen, *rest):
        show(run, number, seen, *rest)
        if seen == 150:
            if engine.threads() > 2:  # until more was weighed than was learned
                until(lambda: run.features.encoder.text["text"].hashing.n_documents > 150)
            raise Interrupted

    forget = Hashing.forget
    monkeypatch.setattr(Hashing, "forget", lambda self, *rows: (forgotten.append(rows), forget(self, *rows)))
    monkeypatch.setattr(training, "show_progress", interrupt)
    nameless = "--named-rows", "0"  # names are kept of rows that are read, further or less far ahead
    models = [trained(n, tmp_path, monkeypatch, "--passes", "1", *nameless) for n in (1, 4)]
    assert models[0] == models[1]
    assert forgotten


# ---- tables of n-grams ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_name", [True, False])
def test_several_threads_gather_the_ngrams_that_one_does(by_name):
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(30_000)])
    texts = [" ".join(words[(rng.pareto(0.6, n) * 40).astype(int) % len(words)]) for n in rng.integers(0, 200, 4_000)]
    assert sum(map(len, texts)) > 1 << 20  # blocks for more than eight threads
    analysis = Analysis(ngrams=(1, 2))

    def gathered(n_threads, limit=-1):
        found = Documents(texts).read_by(engine.gather_ngrams, analysis.native, None, limit, by_name, n_threads)
        return [each.tolist() if isinstance(each, np.ndarray) else each for each in found]

    alone = gathered(1)
    text, starts, documents, occurrences, complete, n_documents = alone
    raw = bytes(text)
    names = [raw[a:b].decode() for a, b in itertools.pairwise(starts)]
    grams = [analysis.ngrams_of(one) for one in texts]
    of_all = Counter(gram for own in grams for gram in own)
    assert len(names) == len(of_all) > 1 << 17
    assert names == sorted(of_all) if by_name else names == list(of_all)
    assert occurrences == [of_all[name] for name in names]
    assert documents == list(map(Counter(gram for own in grams for gram in set(own)).get, names))
    assert (complete, n_documents) == (True, len(texts))
    for n_threads in THREADS[1:]:
        assert gathered(n_threads) == alone
        assert gathered(n_threads, limit=1000) == gathered(1, limit=1000)
