"""Forged model files: whoever wrote them made the checksum right. They are refused in one sentence, or do no harm."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import one_sentence
from saved import data, mostly_zero, rewritten, same_model, small

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.model_files import ModelFileError, container, values

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))
import forge_models
import forging

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def among(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    return folder, forging.samples(folder)


@pytest.mark.parametrize(
    "first", [*range(0, 200, 50), *(pytest.param(n, marks=pytest.mark.slow) for n in range(200, 400, 50))]
)
def test_forged_files_are_refused_in_one_sentence_or_do_no_harm(first, among, tmp_path):
    for seed in range(first, first + 50):
        forge_models.case(seed, among[1], tmp_path, among[0])


def test_the_samples_are_what_they_are(among, tmp_path):
    assert {sample.document["algorithm"] for sample in among[1]} == set(rb.estimators.__all__)
    for sample in among[1]:
        forging.write(tmp_path / "model", sample.document, sample.tensors)
        assert rb.load(tmp_path / "model")._learner.n_iter


# ---- names and labels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [["a", "b", "a"], ["a"] * 1000, ["a", "b", "c"], ["a", ["b"]], ["a", {"$dict": []}], ["a", {"$rule": "PA"}],
     ["a"], 5],
    ids=lambda names: str(names)[:30],
)  # fmt: skip
def test_names_of_features_are_as_many_as_the_weights_and_all_different(names, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    forged = np.frombuffer(json.dumps(names).encode(), np.uint8)
    rewritten(path, change_tensors=lambda tensors: tensors.update(feature_names=forged))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path), "feature")


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("<U1", ["y", "x"]), ("<U1", ["x", "x"]), ("<U1", [1, 2]), ("<U300000000", ["x"]), ("|S1", ["x", "y"]),
        ("|O", [["x"], ["y"]]), ("|O", ["x", 1]), ("|O", [{"$float": "nan"}, 1.0]), ("|O", [None, None]),
        ("|i1", [1, 300]), ("<i8", ["1", "2"]), ("<f8", [1.0, {"$float": "nan"}]), ("|b1", [0, 1]), ("<M8[s]", [1, 2]),
        ("<U1,<U1", ["x", "y"]), ("|V8", ["x", "y"]), ("<U1", [{"$rule": "PA"}, "x"]), ("<U2", ["x", "x\0"]), ("", []),
    ],
)  # fmt: skip
def test_labels_that_are_none_are_refused(kind, labels, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_document=lambda document: document.update(classes={"type": kind, "labels": labels}))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


def test_text_takes_the_room_that_it_needs(tmp_path):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_document=lambda document: document["classes"].update(type="<U300000000"))
    assert rb.load(path).classes_.dtype == "<U1"


# ---- sizes and numbers -------------------------------------------------------------------------------------------


def test_a_small_file_takes_little_memory(tmp_path):
    path = tmp_path / "model"
    mostly_zero().save(path)

    def widen(document, n_classes=2**33):
        document["learner"]["n_classes"] = n_classes

    def empty(tensors, k=2**33):
        tensors.update(weights=np.zeros((0, k)), total=np.zeros((0, k)), weight_rows=np.zeros(0, np.int32))

    content = path.read_bytes()
    rewritten(path, change_document=widen, change_tensors=empty)
    one_sentence(lambda: rb.load(path), ModelFileError, "classes do not fit")
    path.write_bytes(content)
    rewritten(path, change_document=lambda document: document["learner"].update(n_features=2**52))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))  # there is no such memory


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("block_size",), -1), (("block_size",), 0), (("block_size",), 1.5), (("cache_size",), -1.0),
        (("cache_size",), {"$float": "nan"}), (("kernel", "gamma"), -1.0), (("kernel", "name"), "os.system"),
        (("kernel", "degree"), "3"), (("kernel", "bias"), 1), (("first_row",), "0"), (("offered",), -1),
        (("run",), None), (("budget", "size"), 0), (("budget", "eta"), {"$float": "inf"}), (("policy", "rng"), 3),
        (("policy", "Q"), 1e300), (("policy", "n"), 2), (("policy", "mistakes"), -1), (("policy", "size"), 100),
        (("policy", "precision"), 0.1), (("passes",), [-1]), (("passes",), 3), (("verdict",), "proved"),
        (("streaming",), 1), (("evidence", "peak2"), -1.0), (("evidence", "lower"), {"$float": "nan"}),
        (("rule",), "perceptron"), (("dtype",), ["float64"]), (("n_iter",), None),
    ],
)  # fmt: skip
def test_values_of_a_learner_that_are_none_are_refused(place, value, tmp_path):
    path, (X, y) = tmp_path / "model", data(rb.KernelPerceptron(), 2)
    model = rb.KernelPerceptron(max_iter=1, tol=None, budget=5, budget_policy="forgetron", fit_intercept=False)
    model.fit(X, y).save(path)

    def change(document):
        *places, last = place
        inner = document["learner"]
        for name in places:
            inner = inner[name]
        inner[last] = value

    rewritten(path, change_document=change)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_iter": 0}, {"max_iter": "3"}, {"tol": -1}, {"ties": ["mistake"]}, {"fit_intercept": 1}, {"verbose": "x"},
        {"class_weight": {"x": -1}}, {"class_weight": 3}, {"class_weight": {"x": "2"}}, {"random_state": -1},
        {"random_state": "x"}, {"validation_fraction": 2}, {"eta0": 0}, {"eta0": {"$float": "nan"}}, {"init": None},
    ],
    ids=str,
)  # fmt: skip
def test_parameters_by_which_no_run_could_begin_are_refused(parameters, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_document=lambda document: document["parameters"].update(parameters))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))
    if "$float" not in str(parameters):  # nor are they saved
        before = path.read_bytes()
        with pytest.raises(ValueError, match=next(iter(parameters))):
            small().set_params(**parameters).save(path)
        assert path.read_bytes() == before


@pytest.mark.parametrize("algorithm", ["KernelPerceptron", "PassiveAggressiveRegressor", "VotedPerceptron"])
def test_the_learner_is_one_of_its_class(algorithm, tmp_path, capsys):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_document=lambda document: document.update(algorithm=algorithm, parameters={}))
    one_sentence(lambda: rb.load(path), ModelFileError, "not that of a " + algorithm)
    assert cli.main(["inspect", str(path)]) == 1
    assert "not that of a " + algorithm in capsys.readouterr().err


@pytest.mark.parametrize("name", ["MT19937", "Philox"])
def test_a_generator_does_not_read_beyond_its_state(name, tmp_path):
    plain = values.encode(np.random.Generator(getattr(np.random, name)(3)), "it")
    state = plain["state"]["state"] if name == "MT19937" else plain["state"]
    position = "pos" if name == "MT19937" else "buffer_pos"
    for wrong in (-1, 10**6, "1", 1.0):
        state[position] = wrong
        with pytest.raises(ValueError, match=position):
            values.decode(plain)


# ---- text --------------------------------------------------------------------------------------------------------


def text_model(path, text):
    model = rb.AveragedPerceptron(max_iter=2).fit(text.fit_transform(forging.TEXTS, forging.MOODS), forging.MOODS)
    model.save(path, text=text)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("name_bytes", lambda a: a | 0x80),
        ("name_bytes", lambda a: a[:-1]),
        ("name_starts", lambda a: a[::-1]),
        ("name_starts", lambda a: a + 1),
        ("name_starts", lambda a: a.astype(np.int64)),
        ("name_starts", lambda a: a[:0]),
        ("counted_columns", lambda a: a + 10**6),
        ("counted_columns", lambda a: a.astype(np.float64)),
        ("document_counts", lambda a: a[1:]),
        ("document_counts", lambda a: a.astype(np.float64) * np.nan),
    ],
)
def test_tensors_of_text_that_do_not_fit_are_refused(name, change, tmp_path):
    path = tmp_path / "model"
    text_model(path, rb.text.HashedText(bits=6, idf=True, keep_names=True))
    key = f"features/text.0.{name}"
    rewritten(path, change_tensors=lambda tensors: tensors.update({key: np.ascontiguousarray(change(tensors[key]))}))
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))


def test_a_vocabulary_of_one_word_a_million_times_is_refused_at_once(tmp_path):
    path, n = tmp_path / "model", 1_000_000
    text_model(path, rb.text.BagOfWords())
    starts = {"bag_of_words/name_starts": np.zeros(n + 1, np.int32), "bag_of_words/name_bytes": np.zeros(0, np.uint8)}
    weights = {"weights": np.zeros((n + 1, 3), np.float32), "total": np.zeros((n + 1, 3))}
    rewritten(
        path,
        change_document=lambda document: document["learner"].update(n_features=n),
        change_tensors=lambda tensors: (tensors.update(starts | weights), tensors.pop("weight_rows", None)),
    )
    one_sentence(lambda: rb.load(path), ModelFileError, "n-grams", "fall together")


@pytest.mark.parametrize(
    "change",
    [
        lambda hashing: hashing.update(bits=30),
        lambda hashing: hashing.update(n_documents=-1),
        lambda hashing: hashing.update(max_names=1),
        lambda hashing: hashing["analysis"].update(ngrams={"$tuple": [1, 2**40]}),
        lambda hashing: hashing["analysis"].update(min_length=2**70),
        lambda hashing: hashing["analysis"].update(stop_words=5),
    ],
)
def test_settings_of_text_that_do_not_fit_are_refused(change, tmp_path, capsys):
    path = tmp_path / "model"
    text_model(path, rb.text.HashedText(bits=6, idf=True, keep_names=True))
    table = "features", "table", "text", "text", "hashing"

    def changed(document):
        inner = document["extras"]
        for name in table:
            inner = inner[name]
        change(inner)

    rewritten(path, change_document=changed)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path))
    for command in ("inspect", "explain"):
        assert cli.main([command, str(path)]) == 1
        assert "can read" in capsys.readouterr().err


def test_n_grams_without_end_are_not_saved(tmp_path):
    with pytest.raises(ValueError, match="n-grams of at most 100"):
        text_model(tmp_path / "model", rb.text.HashedText(bits=6, ngrams=(1, 101)))


# ---- files that change -------------------------------------------------------------------------------------------


def test_what_others_do_to_the_file_changes_nothing_that_was_loaded(tmp_path):
    X, y = data(rb.KernelPerceptron())
    for model in (rb.AveragedPerceptron(max_iter=2), rb.KernelPerceptron(max_iter=2), rb.KernelPerceptron(budget=4)):
        model.fit(X, y).save(tmp_path / "model")
        loaded = rb.load(tmp_path / "model")
        with (tmp_path / "model").open("r+b") as file:
            file.truncate(10)
        same_model(loaded, model)


def test_a_file_that_is_cut_short_while_it_is_read_ends_no_process(tmp_path):
    """Were it mapped into memory, SIGBUS would."""
    path = tmp_path / "model"
    rb.AveragedPerceptron(max_iter=1, tol=None).fit(np.ones((2, 9000)), [0, 1]).save(path)
    script = f"""
import os
from rosenblatt.model_files import ModelFileError, container, read
look = container._check_format
container._check_format = lambda *told: (look(*told), os.truncate({str(path)!r}, 4096))  # it is open by then
try:
    read({str(path)!r})
except ModelFileError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, "not a whole one" in done.stdout) == (0, True), done


@pytest.mark.parametrize("length", [0, 1, 2**32, 2**63, 2**64 - 1])
def test_a_header_is_no_longer_than_the_file(length, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    content = path.read_bytes()
    path.write_bytes(length.to_bytes(8, "little") + content[8:])
    one_sentence(lambda: rb.load(path), ModelFileError, "not a model file", "header")


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [2**40]}, {"shape": [0, 2**62]}, {"shape": [-1]}, {"data_offsets": [0, 8]}, {"dtype": "F128"},
        {"data_offsets": [8]}, {"shape": 3}, {"more": 1}, {"shape": [1] * 100},
    ],
    ids=str,
)  # fmt: skip
def test_tensors_lie_where_the_header_says(change, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    content = path.read_bytes()
    n = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n])
    header["weights"].update(change)
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + content[8 + n :])
    one_sentence(lambda: rb.load(path), ModelFileError, "not a model file")


# ---- checkpoints and the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda section: section.update(mix="none"),
        lambda section: section.update(shards=[]),
        lambda section: section.update(generators=[1, 2]),
        lambda section: section["generators"].pop(),
        lambda section: section.update(history=None),
        lambda section: section["history"][0].update(margin=3),
        lambda section: section["history"][0].pop("number"),
        lambda section: section.update(measured={"radius2": "x", "depth": 1}),
        lambda section: section.update(scale=-1.0),
        lambda section: section.pop("ended"),
    ],
)
def test_checkpoints_that_do_not_fit_are_refused(change, tmp_path):
    path = tmp_path / "run"
    forging.learn(tmp_path, "rows", path, 2, False)
    rewritten(path, change_document=lambda document: change(document["extras"]["distributed"]))
    one_sentence(lambda: forging.learn(tmp_path, "rows", path, 3, True), ModelFileError, str(path))


def test_a_checkpoint_goes_on_with_the_learner_of_its_run_alone(tmp_path):
    path = tmp_path / "run"
    forging.learn(tmp_path, "rows", path, 2, False)
    rewritten(path, change_document=lambda document: document["learner"].update(ties="predict"))
    one_sentence(lambda: forging.learn(tmp_path, "rows", path, 3, True), ModelFileError, "not that of its parameters")


@pytest.mark.parametrize(
    "change",
    [
        lambda extras: extras["training"].update(files=3),
        lambda extras: extras["training"].pop("how"),
        lambda extras: extras["training"].update(held_out={"rows": 3}),
        lambda extras: extras["training"].update(mistakes=["many"]),
        lambda extras: extras.update(training=[1]),
        lambda extras: extras["features"].update(table={}),
        lambda extras: extras["features"]["table"]["columns"].update(text=[3]),
        lambda extras: extras["features"]["table"].update(bits=True),
        lambda extras: extras["features"].update(categories=[["x"]]),
    ],
)
def test_sections_of_the_command_line_that_do_not_fit_are_refused(change, among, tmp_path, capsys):
    sample = next(sample for sample in among[1] if sample.name == "table.csv")
    path = tmp_path / "model"
    document = json.loads(json.dumps(sample.document))
    change(document["extras"])
    container.write(path, document, sample.tensors)
    capsys.readouterr()
    assert cli.main(["inspect", str(path)]) == 1
    assert "can read" in capsys.readouterr().err
    if "features" in str(change.__code__.co_consts):
        for command in (["predict"], ["evaluate"], ["explain"], ["train", "-o", str(tmp_path / "out"), "--resume"]):
            assert cli.main([*command, str(path), sample.rows]) == 1
            assert "can read" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "a/b"])
def test_a_section_has_a_name_that_can_be_saved_again(name, tmp_path):
    path = tmp_path / "model"
    small().save(path)
    rewritten(path, change_document=lambda document: document["extras"].update({name: {}}))
    one_sentence(lambda: rb.load(path), ModelFileError, "a name without '/'")


def test_sparse_examples_are_in_order(tmp_path):
    path, (X, y) = tmp_path / "model", data(rb.KernelPerceptron())
    rb.KernelPerceptron(max_iter=2).fit(sp.csr_matrix(X), y).save(path)
    for name, change in (("support_indices", lambda a: a[::-1]), ("support_indices", lambda a: a * 0)):
        content = path.read_bytes()
        rewritten(path, change_tensors=lambda tensors, n=name, c=change: tensors.update({n: c(tensors[n]).copy()}))
        one_sentence(lambda: rb.load(path), ModelFileError, str(path), name)
        path.write_bytes(content)


# ---- taggers -------------------------------------------------------------------------------------------------------


def _of_tokens(**changes):
    return lambda document, tensors: document["extras"]["tokens"].update(changes)


def _of_learner(**changes):
    return lambda document, tensors: document["learner"].update(changes)


def _without(name):
    return lambda document, tensors: tensors.pop(name)


@pytest.mark.parametrize(
    ("change", "telling"),
    [
        (_of_learner(n_columns=512), "n_features"),
        (_of_learner(n_columns=0), "n_columns"),
        (_of_learner(n_before=2), "n_features"),
        (_of_learner(n_before=3), "n_before"),
        (_of_learner(cost="none"), "cost"),
        (_of_learner(n_features=2**8 + 4), "n_features"),
        (lambda document, tensors: document["extras"].pop("tokens"), "does not say what the features of a token are"),
        (_of_tokens(bits=9), "features do not fit its weights"),
        (_of_tokens(bits=31), "bits"),
        (_of_tokens(n_columns=65), "n_columns"),
        (_of_tokens(n_columns=None), "templates"),
        (_of_tokens(templates=["U00:%x[0,0"]), "templates, line 1, column 5"),
        (_of_tokens(templates=["U00:%x[0,3]"]), "%x[0,3]"),
        (_of_tokens(templates=[5]), "templates"),
        (_of_tokens(edges="round"), "edges"),
        (_of_tokens(features="names"), "templates"),
        (lambda document, tensors: document.update(classes={"type": "<i8", "labels": [1, 2, 3]}), "tags are not text"),
        (lambda document, tensors: document.update(classes={"type": "|O", "labels": ["B-X", "I-X"]}), "classes"),
        (lambda document, tensors: document.update(classes={"type": "|O", "labels": ["O", "O", "O"]}), "not different"),
        (lambda document, tensors: tensors.update(allowed=2 * tensors["allowed"]), "allowed"),
        (lambda document, tensors: tensors.update(allowed=tensors["allowed"][1:]), "allowed"),
        (lambda document, tensors: tensors.update(allowed=tensors["allowed"].astype(np.float32)), "allowed"),
        (_without("weights"), "weights"),
        (_without("total"), "readout"),
        (_without("tally"), "tally"),
    ],
)  # fmt: skip
def test_taggers_that_do_not_fit_are_refused(change, telling, tmp_path):
    path = tmp_path / "model"
    tagger = rb.SequenceTagger(max_iter=2, bits=8, constraints="seen", random_state=0)
    tagger.fit(forging.SENTENCES, forging.TAGS).save(path)
    document, tensors = container.read(path)
    change(document, tensors)
    container.write(path, document, tensors)
    one_sentence(lambda: rb.load(path), ModelFileError, str(path), telling)


def test_links_that_a_tagger_file_leaves_out_are_zero(tmp_path):
    """As all rows are that it leaves out."""
    path = tmp_path / "model"
    tagger = rb.SequenceTagger(max_iter=2, bits=24, random_state=0).fit(forging.SENTENCES, forging.TAGS)
    tagger.save(path)

    def cut(tensors):
        kept = tensors["weight_rows"] <= tagger._learner.n_columns
        for name in ("weight_rows", "weights", "total"):
            tensors[name] = tensors[name][kept]

    assert "weight_lists" not in container.read(path)[1]
    rewritten(path, change_tensors=cut)
    loaded = rb.load(path)
    assert not loaded.transitions_.any()
    assert tagger.transitions_.any()
    assert len(loaded.predict(forging.SENTENCES)) == len(forging.SENTENCES)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("order", [1, 2])
def test_scores_of_sequences_that_are_no_numbers_do_no_harm(order, seed, tmp_path):
    """Weights that are numbers, and whose sums are not: what is found is made of tags, the second best too."""
    path, rng = tmp_path / "model", np.random.default_rng(seed)
    tagger = rb.SequenceTagger(max_iter=2, bits=5, order=order, readout="last", random_state=0)
    tagger.fit(forging.SENTENCES, forging.TAGS).save(path)

    def enlarge(tensors):
        weights = tensors["weights"].copy()
        weights[rng.random(weights.shape) < rng.random()] = 3e38
        tensors["weights"] = weights * rng.choice([-1, 1], size=weights.shape).astype(np.float32)

    rewritten(path, change_tensors=enlarge)
    loaded = rb.load(path)
    n_tags = len(loaded.classes_)
    with np.errstate(all="ignore"):
        best, _, others, _ = loaded._learner.decode(loaded._rows(forging.SENTENCES), second=True)
        assert {*best.tolist(), *others.tolist()} <= set(range(n_tags))
        try:
            loaded.partial_fit(forging.SENTENCES, forging.TAGS)
        except ValueError as error:
            assert "overflow" in str(error)  # noqa: PT017
