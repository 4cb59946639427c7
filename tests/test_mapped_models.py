"""Model files that are mapped: the same bits, no copy of the weights, one memory for all processes."""

import json
import mmap
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from discovery import KERNEL
from identity import every, same_bits
from refusals import one_sentence
from saved import SETTINGS, data, rewritten, same_model, scores
from sklearn.base import clone
from test_tagger import NOISY, X, Y, corpus
from test_threads import together
from test_wide import labels_for, sparse_rows, wide  # noqa: F401

import rosenblatt as rb
from rosenblatt import cli, model_files
from rosenblatt.core import weights
from rosenblatt.errors import ParameterError
from rosenblatt.model_files import ModelFileError, container

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MANY = corpus(200, seed=5)[0]
LINEAR_SETTINGS = [setting for setting in SETTINGS if type(setting) not in KERNEL]


def both(model, path, **options):
    """A model through one mappable file: mapped, and read."""
    model.save(path, mappable=True, **options)
    return rb.load(path, mmap_mode="r"), rb.load(path)


def is_mapped(array):
    """Whether an array is a view of a file, not to be written to."""
    owner = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, mmap.mmap) and not array.flags.writeable


def all_mapped(learner):
    return all(is_mapped(getattr(learner, name)) for name in learner._arrays()) and is_mapped(learner.stored())


# ---- the same bits -------------------------------------------------------------------------------------------------


@pytest.mark.diagonal
@every(LINEAR_SETTINGS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_mapped_model_is_the_one_that_was_saved(estimator, n_classes, tmp_path):
    rows, targets = data(estimator, n_classes, (np.float64, np.float32)[n_classes % 2])
    model = clone(estimator).fit(rows, targets)
    mapped, read = both(model, tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    same_model(read, model)
    assert all_mapped(mapped._learner)
    same_bits(scores(mapped, rows), scores(model, rows))
    same_bits(mapped.coef_, model.coef_)
    same_bits(scores(mapped.with_readout("last"), rows), scores(model.with_readout("last"), rows))
    for one in (mapped, read, model):
        one.partial_fit(rows[::-1], targets)
    assert not is_mapped(mapped._learner.weights)
    same_model(mapped, model)
    same_model(read, model)
    again = [
        scores(one.set_params(random_state=0).fit(rows, targets), rows)
        for one in (rb.load(tmp_path / "model", "r"), model)
    ]
    same_bits(*again)
    assert (tmp_path / "model").read_bytes() == content


@pytest.mark.parametrize("n_classes", [2, 3, 20])
@pytest.mark.parametrize("found", [rb.Perceptron, rb.AveragedPerceptron, rb.PocketPerceptron, rb.AROW])
def test_few_among_very_many_features_are_mapped_where_they_stand(found, n_classes, wide, tmp_path):  # noqa: F811
    wide(True)
    rows, more = sparse_rows(), sparse_rows(seed=9)
    targets = labels_for(rows, n_classes)
    model = found(max_iter=3, random_state=0).fit(rows, targets)
    mapped, read = both(model, tmp_path / "model")
    assert all_mapped(mapped._learner)
    assert mapped._learner.places is not None
    for one in (mapped, read):
        same_bits(one.decision_function(rows), model.decision_function(rows))
        same_bits(one.decision_function(more), model.decision_function(more))  # of which some were never met
    model.partial_fit(more, targets)
    for one in (mapped, read):
        same_bits(one.partial_fit(more, targets).coef_, model.coef_)
    both(model, tmp_path / "model")  # in which new features stand behind


def test_features_of_two_classes_that_became_three_are_mapped(wide, tmp_path):  # noqa: F811
    wide(True)
    rows = sparse_rows()
    model = rb.AveragedPerceptron().partial_fit(rows, labels_for(rows, 2)).partial_fit(rows, labels_for(rows, 3))
    mapped, _ = both(model, tmp_path / "model")
    same_bits(mapped.decision_function(rows), model.decision_function(rows))


def test_a_file_has_rows_for_the_features_that_have_weights(wide, tmp_path):  # noqa: F811
    wide(True)
    rows, path = sparse_rows(), tmp_path / "model"
    model = rb.AveragedPerceptron().partial_fit(rows, labels_for(rows, 3))
    model.save(path, mappable=True)
    before = len(container.read(path)[1]["weights"])
    quiet = sp.csr_matrix((np.zeros(500), (np.zeros(500, int), np.arange(3000, 3500))), (1, rows.shape[1]))
    model.partial_fit(quiet, [0])
    assert len(model._learner.places) > before
    model.save(path, mappable=True)
    assert len(container.read(path)[1]["weights"]) == before


@pytest.mark.parametrize("constraints", [None, "seen"])
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("bits", [10, 24])
def test_a_mapped_tagger_is_the_one_that_was_saved(bits, order, readout, constraints, tmp_path):
    options = {"bits": bits, "order": order, "readout": readout, "constraints": constraints}
    tagger = rb.SequenceTagger(max_iter=2, random_state=0, **options).fit(*NOISY)
    mapped, read = both(tagger, tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    assert all_mapped(mapped._learner)
    assert (mapped._learner.places is None) == (bits == 10)
    for one in (mapped, read):
        assert one.predict(MANY) == tagger.predict(MANY)
        same_bits(one.decision_function(MANY), tagger.decision_function(MANY))
        assert one.predict_k_best(MANY[:5], 3) == tagger.predict_k_best(MANY[:5], 3)
    for one in (mapped, read, tagger):
        one.partial_fit([["never", "met"], *X], [["X", "Y"], *Y])
    for one in (mapped, read):
        same_bits(one.decision_function(MANY), tagger.decision_function(MANY))
        assert one.margin_bounds_ == tagger.margin_bounds_
    assert (tmp_path / "model").read_bytes() == content


@pytest.mark.parametrize(
    "text",
    [
        rb.text.HashedText(bits=8, idf=True, keep_names=True),
        rb.text.HashedText(bits=8, supervised=True, characters=(2, 3)),
        rb.text.BagOfWords(),
    ],
)
def test_a_model_of_text_is_mapped_with_what_makes_its_rows(text, tmp_path):
    texts, moods = ["a good film", "a bad film", "not good", "not bad"] * 3, ["+", "-", "-", "+"] * 3
    model = rb.AveragedPerceptron(random_state=0).fit(text.fit_transform(texts, moods), moods)
    mapped, read = both(model, tmp_path / "model", text=text)
    assert all_mapped(mapped._learner)
    for one in (mapped, read):
        same_bits(one.decision_function(texts), model.decision_function(text.transform(texts)))
    if isinstance(text, rb.text.HashedText):  # the counts go on, and so do the weights
        same_bits(mapped.partial_fit(texts, moods).coef_, read.partial_fit(texts, moods).coef_)
        same_bits(mapped.decision_function(texts), read.decision_function(texts))


@pytest.mark.parametrize("found", [rb.Perceptron, rb.AveragedPerceptron, rb.PocketPerceptron])
def test_a_stream_of_named_features_goes_on_from_a_mapped_file(found, tmp_path):
    whole = found().learn_one({"p": 1.0}, "m")
    mapped, _ = both(whole, tmp_path / "model")
    assert mapped.predict_one({"p": 1.0}) == "m"
    for model in (whole, mapped):
        model.learn_one({"q": 2.0}, "a").learn_one({"p": 1.0}, "z").learn_one({"r": 2.0}, "a")
    same_bits(mapped.coef_, whole.coef_)


# ---- shared, and safe ----------------------------------------------------------------------------------------------

_CHILD = """
import json, sys
import rosenblatt as rb
path, columns = sys.argv[1], int(sys.argv[2])
model = rb.load(path, mmap_mode="r")
model.predict([[1.0] * columns])
sizes, own = {}, False
for line in open("/proc/self/smaps"):
    words = line.split()
    if "-" in words[0] and ":" not in words[0]:
        own = line.rstrip().endswith(path)
    elif own and words[-1] == "kB":
        sizes[words[0]] = sizes.get(words[0], 0) + int(words[1]) * 1024
print(json.dumps(sizes))
"""


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="this system does not tell which memory is shared")
def test_processes_that_map_a_file_share_its_memory(tmp_path):
    rows = np.random.default_rng(0).standard_normal((4, 20_000))
    model = rb.AveragedPerceptron(max_iter=2, tol=None).fit(rows, [0, 1, 2, 0])
    mapped, _ = both(model, tmp_path / "model")
    mapped.predict(rows)
    words = [sys.executable, "-c", _CHILD, str(tmp_path / "model"), "20000"]
    told = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    used = sum(getattr(mapped._learner, name).nbytes for name in ("weights", "total"))
    assert told["Rss:"] > used
    assert (
        told["Private_Clean:"] + told["Private_Dirty:"] <= 4 * mmap.PAGESIZE
    )  # of the header, which is read otherwise
    assert told["Shared_Clean:"] + told["Shared_Dirty:"] > used


@pytest.mark.posix
def test_a_file_that_is_saved_anew_leaves_the_old_one_mapped(tmp_path):
    path, tagger = tmp_path / "model", rb.SequenceTagger(max_iter=2, random_state=0).fit(*NOISY)
    mapped, _ = both(tagger, path)
    rb.SequenceTagger(max_iter=1, random_state=1).fit(X, Y).save(path, mappable=True)
    assert mapped.predict(MANY) == tagger.predict(MANY)
    mapped.save(path, mappable=True)  # over the file that another maps
    assert rb.load(path, mmap_mode="r").predict(MANY) == tagger.predict(MANY)


def test_several_threads_read_a_mapped_model(tmp_path):
    tagger = rb.SequenceTagger(max_iter=2, random_state=0).fit(*NOISY)
    mapped, _ = both(tagger, tmp_path / "model")
    expected = tagger.predict(MANY)
    together(*(lambda: mapped.predict(MANY) == expected or pytest.fail("it differs") for _ in range(4)))
    assert all_mapped(mapped._learner)


@pytest.mark.parametrize("bits", [10, 24])
def test_a_mapped_file_that_is_written_to_changes_numbers_alone(bits, tmp_path):
    path, rng = tmp_path / "model", np.random.default_rng(0)
    mapped, read = both(rb.SequenceTagger(max_iter=2, bits=bits, order=2, random_state=0).fit(*NOISY), path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        for _ in range(3):
            file.seek(0)
            file.write(rng.bytes(size))
            file.flush()
            assert [len(tags) for tags in mapped.predict(MANY)] == [len(sentence) for sentence in MANY]
            mapped.predict_k_best(MANY[:10], 4)
            with np.errstate(all="ignore"):
                mapped.decision_function(MANY)
    assert [len(tags) for tags in read.predict(MANY)] == [len(sentence) for sentence in MANY]


# ---- refused -------------------------------------------------------------------------------------------------------


def test_a_file_that_was_not_saved_so_is_not_mapped(tmp_path):
    path, (rows, targets) = tmp_path / "model", data(rb.Perceptron())
    rb.AveragedPerceptron(max_iter=2).fit(rows, targets).save(path)
    one_sentence(lambda: rb.load(path, mmap_mode="r"), ModelFileError, str(path), "mappable=True")
    rb.KernelPerceptron(max_iter=2).fit(rows, targets).save(path)
    one_sentence(lambda: rb.load(path, mmap_mode="r"), ModelFileError, str(path), "mappable=True")
    for mode in ("c", "r+", True, "R"):
        one_sentence(lambda mode=mode: rb.load(path, mmap_mode=mode), ValueError, "mmap_mode must be None or 'r'")


def test_models_that_cannot_be_mapped_are_not_saved_so(tmp_path, monkeypatch):
    path, (rows, targets) = tmp_path / "model", data(rb.KernelPerceptron())
    kernel = rb.KernelPerceptron(max_iter=2).fit(rows, targets)
    monkeypatch.setattr(weights, "WIDE", 1 << 10)
    monkeypatch.setattr(weights, "SIDE_BY_SIDE", 2)
    rows = sparse_rows()
    listed = rb.AveragedPerceptron(max_iter=2).fit(rows, labels_for(rows, 5))
    assert listed._learner.lists is not None
    for model, telling in ((kernel, "kernel"), (listed, "5 classes are kept in lists")):
        one_sentence(
            lambda model=model: model.save(path, mappable=True), ParameterError, telling, "without mappable=True"
        )
        assert not path.exists()


def _changed(name, change):
    def changed(document, tensors):
        tensors[name] = np.ascontiguousarray(change(tensors[name]))

    return changed


def _with(place, value):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


FORGED = {
    "the readout is another": (_changed("averaged", lambda a: 2 * a), "averaged"),
    "the readout is of another type": (_changed("averaged", lambda a: a.astype(np.float64)), "averaged"),
    "the readout is short": (_changed("averaged", lambda a: a[:-1]), "averaged"),
    "the readout is missing": (lambda document, tensors: tensors.pop("averaged"), "averaged"),
    "the sums are others": (_changed("total", lambda a: 2 * a), "averaged"),
    "padding is no zero": (_changed("weights", _with((0, -1), 1)), "weights"),
    "no padding": (_changed("weights", lambda a: a[:, :3]), "weights"),
    "NaN": (_changed("weights", _with((-1, 0), np.nan)), "weights"),
    "nobody's row is no zero": (_changed("weights", _with((1, 0), 1)), "weights"),
    "a row twice": (_changed("weight_rows", lambda a: np.where(a == a[17], a[18], a)), "weight_rows"),
    "rows elsewhere": (_changed("weight_rows", lambda a: np.concatenate((a[:17], a[:16:-1]))), "weight_rows"),
    "a row beyond the last": (_changed("weight_rows", lambda a: a + 10**6), "weight_rows"),
    "a row below the first": (_changed("weight_rows", lambda a: a - 1), "weight_rows"),
    "rows without the biases": (_changed("weight_rows", _with(0, 5)), "weight_rows"),
    "nobody's rows alone": (_changed("weight_rows", lambda a: a * 0 + a.max()), "weight_rows"),
    "rows of another type": (_changed("weight_rows", lambda a: a.astype(np.int64)), "weight_rows"),
    "too few rows": (_changed("weight_rows", lambda a: a[:-1]), "weights"),
    "no rows": (lambda document, tensors: tensors.pop("weight_rows"), "weights"),
    "another layout": (lambda document, tensors: document["learner"].update(layout="disk"), "layout"),
    "more features": (lambda document, tensors: document["learner"].update(n_features=50), "n_features"),
    "no weights": (lambda document, tensors: tensors.pop("weights"), "weights"),
}


@pytest.mark.parametrize("mmap_mode", [None, "r"])
@pytest.mark.parametrize("forged", FORGED)
def test_forged_files_are_not_mapped(forged, mmap_mode, tmp_path):
    path, (change, telling) = tmp_path / "model", FORGED[forged]
    rb.SequenceTagger(max_iter=2, random_state=0).fit(X, Y).save(path, mappable=True)
    assert rb.load(path, mmap_mode=mmap_mode)._learner.places is not None
    document, tensors = container.read(path)
    change(document, tensors)
    container.write(path, document, tensors)
    one_sentence(lambda: rb.load(path, mmap_mode=mmap_mode), ModelFileError, str(path), telling)


def test_links_without_weights_are_refused(tmp_path):
    """They would be learned in the rows of all features that were never met."""
    path, tagger = tmp_path / "model", rb.SequenceTagger(max_iter=2, random_state=0).fit(X, Y)
    tagger.save(path, mappable=True)
    last, stranger = tagger._learner.n_columns, 16 + tagger._learner.n_columns % 16

    def rename(tensors):
        rows = tensors["weight_rows"].copy()
        rows[rows == 1 + last] = 1 + stranger  # of the same lane
        tensors["weight_rows"] = rows

    rewritten(path, change_tensors=rename)
    one_sentence(lambda: rb.load(path, mmap_mode="r"), ModelFileError, str(path), "links")


def test_a_file_whose_arrays_are_not_aligned_is_not_mapped(tmp_path):
    path = tmp_path / "model"
    rb.AveragedPerceptron().fit(np.eye(3), [0, 1, 0]).save(path, mappable=True)
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    path.write_bytes((length + 1).to_bytes(8, "little") + content[8 : 8 + length] + b" " + content[8 + length :])
    assert rb.load(path).n_features_in_ == 3
    one_sentence(lambda: rb.load(path, mmap_mode="r"), ModelFileError, "where it can be mapped")


# ---- the command line ----------------------------------------------------------------------------------------------


def test_commands_write_files_that_can_be_mapped_and_read_them_as_any_other(tmp_path, capsys):
    rows, path, plain = tmp_path / "rows.svm", tmp_path / "mapped.model", tmp_path / "plain.model"
    rows.write_text("1 1:1 3:2\n-1 2:1\n1 1:0.5\n-1 2:2 3:1\n" * 3)
    for model, more in ((path, ["--mappable"]), (plain, [])):
        assert cli.main(["train", str(rows), "-o", str(model), "-q", *more]) == 0
    assert all_mapped(model_files.read(path, "r").learner)
    for command in ("predict", "evaluate", "explain"):
        told = []
        for model in (path, plain):
            assert cli.main([command, str(model), str(rows)]) == 0
            told.append(capsys.readouterr().out.replace(model.name, "the model"))
        assert told[0] == told[1]
    assert cli.main(["train", str(rows), "-o", str(plain), "-q", "--mappable", "--resume", str(plain)]) == 0
    assert all_mapped(model_files.read(plain, "r").learner)


def test_a_kernel_model_that_is_to_be_mapped_is_refused_before_it_learns(tmp_path, capsys):
    rows, path = tmp_path / "rows.svm", tmp_path / "model"
    rows.write_text("1 1:1 3:2\n-1 2:1\n" * 3)
    assert cli.main(["train", str(rows), "-o", str(path), "-a", "kernel", "--mappable"]) == 1
    assert "--mappable" in capsys.readouterr().err
    assert not path.exists()


def test_what_turned_out_not_to_be_mappable_is_saved_all_the_same(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(weights, "WIDE", 1 << 10)
    monkeypatch.setattr(weights, "SIDE_BY_SIDE", 2)
    rows, path = tmp_path / "rows.svm", tmp_path / "model"
    rows.write_text("1 1:1 3000:2\n2 2:1\n3 4:0.5\n4 2000:2 3000:1\n" * 3)
    assert cli.main(["train", str(rows), "-o", str(path), "--mappable"]) == 0
    assert "kept in lists" in capsys.readouterr().err
    assert model_files.read(path).learner.lists is not None
