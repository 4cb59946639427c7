"""Files that are damaged, tampered with, of another version or of another kind: each is refused in one sentence."""

import hashlib
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from refusals import one_sentence
from safetensors.numpy import save_file
from saved import data, mostly_zero, rewritten, same_model, small

import rosenblatt as rb
from rosenblatt.model_files import ModelFileError, container

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """A folder that the examples of a hypothesis test may share."""
    return tmp_path_factory.mktemp("models")


def some_files(folder):
    X, y = data(rb.Perceptron())
    for i, model in enumerate((
        rb.AveragedPerceptron(max_iter=2).fit(X, np.array(["a", "b", "c"])[y]),
        rb.KernelPerceptron(max_iter=2, kernel="poly").fit(sp.csr_matrix(X), y),
        rb.PassiveAggressiveRegressor().learn_one({"höhe": 1.0, "breite": 2.0}, 3.0),
    )):  # fmt: skip
        path = folder / f"good{i}"
        model.save(path)
        yield path.read_bytes(), model


@pytest.fixture(scope="session")
def good(shared_folder):
    return list(some_files(shared_folder))


@given(which=st.integers(0, 2), place=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_a_flipped_byte_is_found(which, place, mask, good, shared_folder):
    content, model = good[which]
    bad = bytearray(content)
    bad[int(place * len(bad))] ^= mask
    loads_equal_or_is_refused(bad, model, shared_folder)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_every_byte_of_the_header_and_many_others(which, good, shared_folder):
    content, model = good[which]
    for place in [*range(40), *range(40, len(content), 11)]:
        bad = bytearray(content)
        bad[place] ^= 1 << place % 8
        loads_equal_or_is_refused(bad, model, shared_folder)


@given(which=st.integers(0, 2), share=st.floats(0, 1, exclude_max=True), more=st.binary(max_size=20))
def test_a_file_cut_short_or_with_more_at_its_end_is_refused(which, share, more, good, shared_folder):
    content, _ = good[which]
    bad = content[: int(share * len(content))] + more
    path = shared_folder / "bad"
    path.write_bytes(bad)
    if bad != content:
        one_sentence(lambda: rb.load(path), ModelFileError, str(path))
    path.write_bytes(content + more)
    if more:
        one_sentence(lambda: rb.load(path), ModelFileError, str(path))


@given(content=st.binary(max_size=300))
def test_any_bytes_are_refused(content, shared_folder):
    for prefix in (b"", len(content).to_bytes(8, "little")):
        path = shared_folder / "bad"
        path.write_bytes(prefix + content)
        one_sentence(lambda path=path: rb.load(path), ModelFileError, str(path))


def loads_equal_or_is_refused(content, model, folder):
    path = folder / "bad"
    path.write_bytes(content)
    try:
        loaded = rb.load(path)
    except ModelFileError:
        one_sentence(lambda: rb.load(path), ModelFileError, str(path))
    else:
        same_model(loaded, model)


@pytest.mark.parametrize(
    ("change", "telling"),
    [
        (lambda m: m.update(format_version="3"), ("format 3", "upgrade")),
        (lambda m: m.update(format_version="1"), ("format 1", "earlier version", "train it again")),
        (lambda m: m.update(format_version="x"), ("format version is 'x'",)),
        (lambda m: m.update(format="pt"), ("safetensors", "not a model of rosenblatt")),
        (lambda m: m.pop("format"), ("not a model of rosenblatt",)),
        (lambda m: m.pop("model"), ("not a model of rosenblatt",)),
        (lambda m: m.pop("sha256"), ("checksum",)),
        (lambda m: m.update(model=m["model"].replace("Perceptron", "MIRA")), ("checksum",)),
    ],
)
def test_other_versions_and_tampered_headers(change, telling, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_metadata=change)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path), *telling)


DOCUMENTS = [
    (lambda d: d.update(algorithm="Adaline"), ("Adaline", "does not know")),
    (lambda d: d.update(algorithm="KernelRows"), ("does not know",)),
    (lambda d: d["parameters"].update(wings=2), ("wings",)),
    (lambda d: d["learner"].update(n_features=3), ("weights does not fit",)),
    (lambda d: d["learner"].update(n_features=2**63), ("n_features must be a whole number",)),
    (lambda d: d["learner"].update(n_classes=3), ("classes do not fit",)),
    (lambda d: d["learner"].update(n_classes=-1), ("classes do not fit",)),
    (lambda d: d["learner"].update(dtype="float16"), ("learner.dtype must be one of",)),
    (lambda d: d["learner"].update(readout="averaged"), ("its readout, or what its rule keeps, does not fit",)),
    (lambda d: d["learner"].update(readout="mean"), ("readout must be one of",)),
    (lambda d: d["learner"].update(rule={"$rule": "Exec", "code": "1"}), ("Exec",)),
    (lambda d: d["learner"].update(rule={"$generator": "seed", "state": {}}), ("seed",)),
    (lambda d: d["learner"].pop("evidence"), ("evidence",)),
    (lambda d: d["classes"]["labels"].append("z"), ("classes do not fit",)),
    (lambda d: d.update(classes=None), ("classes do not fit",)),
    (lambda d: d["classes"].update(type="|V8"), ("",)),
    (lambda d: d.pop("extras"), ("extras",)),
    (lambda d: d.update(learner=[]), ("",)),
]


@pytest.mark.parametrize(("change", "telling"), DOCUMENTS)
def test_documents_that_do_not_fit_are_refused(change, telling, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_document=change)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path), *telling)


KERNEL_TENSORS = [
    ("alpha", lambda a: a[1:]),
    ("update_example", lambda a: a + 10**6),
    ("update_example", lambda a: a - 10**6),
    ("update_step", lambda a: a[:, :1]),
    ("update_time", lambda a: a.astype(np.int32)),
    ("support_code", lambda a: a + 3),
    ("support_row", lambda a: a * 0),
    ("support_indices", lambda a: a + 100),
    ("support_indptr", lambda a: a[::-1].copy()),
    ("support_data", lambda a: a.astype(np.float32)),
    ("norm2", lambda a: a * np.nan),
    ("tally", lambda a: a[1:]),
    ("tally", lambda a: a * np.nan),
]


@pytest.mark.parametrize(("name", "change"), KERNEL_TENSORS, ids=lambda part: part if isinstance(part, str) else "")
def test_tensors_that_do_not_fit_are_refused(name, change, tmp_path):
    path, (X, y) = tmp_path / "model", data(rb.KernelPerceptron())
    rb.KernelPerceptron(max_iter=2).fit(sp.csr_matrix(X), y).save(path)
    rewritten(path, change_tensors=lambda tensors: tensors.update({name: change(tensors[name])}))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


@pytest.mark.parametrize(
    "change",
    [lambda d: d["policy"].update(n=7), lambda d: d["policy"].pop("Q"), lambda d: d["budget"].update(policy="x")],
)
def test_budgets_that_do_not_fit_are_refused(change, tmp_path):
    path, (X, y) = tmp_path / "model", data(rb.KernelPerceptron(), 2)
    policy = {"budget": 5, "budget_policy": "forgetron", "fit_intercept": False}
    rb.KernelPerceptron(max_iter=1, tol=None, **policy).fit(X, y).save(path)
    rewritten(path, change_document=lambda document: change(document["learner"]))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


def test_the_names_of_features_must_fit(tmp_path):
    path = tmp_path / "model"
    small().save(path)
    for names in (b'["a"]', b'["a","a"]', b"{", b"\xff"):
        tampered = np.frombuffer(names, np.uint8)
        content = path.read_bytes()
        rewritten(path, change_tensors=lambda tensors, names=tampered: tensors.update(feature_names=names))
        one_sentence(lambda: rb.load(path), ModelFileError, str(path))
        path.write_bytes(content)


def test_foreign_files(tmp_path):
    path = tmp_path / "file"
    save_file({"weights": np.zeros(3)}, path)
    one_sentence(lambda: rb.load(path), ModelFileError, "not a model of rosenblatt")
    header = b'{"w":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    one_sentence(lambda: rb.load(path), ModelFileError, "not a model of rosenblatt")
    for content in (b"", pickle.dumps([1]), b"PK\x03\x04" + bytes(100), b"%PDF-1.4" + b"x" * 1000, b"{}" * 50):
        path.write_bytes(content)
        one_sentence(lambda: rb.load(path), ModelFileError, "not a model file")


@pytest.mark.parametrize(
    ("change_document", "change_rows", "telling"),
    [
        (None, lambda rows: rows[::-1], ("weight_rows does not fit",)),
        (None, lambda rows: rows + 2000, ("weight_rows does not fit",)),
        (None, lambda rows: rows - 1, ("weight_rows does not fit",)),
        (None, lambda rows: rows[:-1], ("does not fit",)),
        (None, lambda rows: rows.astype(np.int64), ("weight_rows does not fit",)),
        (lambda d: d["learner"].update(n_features=2**60), None, ("can read",)),
    ],
)
def test_rows_of_weights_that_do_not_fit_are_refused(change_document, change_rows, telling, tmp_path):
    path = tmp_path / "model"
    mostly_zero().save(path)
    change = change_rows and (lambda tensors: tensors.update(weight_rows=change_rows(tensors["weight_rows"])))
    rewritten(path, change_document=change_document, change_tensors=change)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path), *telling)


@pytest.mark.parametrize("threads_left", [0, 1, 99])
def test_the_checksum_is_of_every_piece_whoever_makes_it(threads_left, monkeypatch):
    start, left = threading.Thread.start, [threads_left]

    def start_some(thread):
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(thread)

    monkeypatch.setattr(container, "PIECE", 8)
    arrays = {"b": np.arange(5, dtype=np.int32), "a": np.arange(3, dtype=np.uint8), "c": np.zeros(0)}
    pieces = [b"{}", bytes(range(3)), *(arrays["b"].tobytes()[i : i + 8] for i in (0, 8, 16))]
    expected = hashlib.sha256(b"".join(hashlib.sha256(piece).digest() for piece in pieces)).hexdigest()
    monkeypatch.setattr(container.engine, "threads", lambda: 4)
    monkeypatch.setattr(threading.Thread, "start", start_some)
    assert container._digest("{}", arrays) == expected
    for name, array in arrays.items():
        for place in range(len(array)):
            changed = array.copy()
            changed[place] += 1
            left[0] = threads_left
            assert container._digest("{}", {**arrays, name: changed}) != expected
