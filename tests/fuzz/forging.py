"""Model files to forge, and ways to forge them: whoever wrote such a file knows how to make its checksum right."""

import copy
import hashlib
import io
import json
import random
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from discovery import CLASSIFIERS, LINEAR
from saved import SETTINGS, data, mostly_zero
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.model_files import container
from rosenblatt.schema import cut

TEXTS = ["A good film", "a bad film", "not good at all", "Not bad at all!", "ein schöner Film", "", "好 film 好"] * 3
MOODS = ["pos", "neg", "neg", "pos", "pos", "neg", "so so"] * 3
SENTENCES = [["in", "New", "York"], ["Ulm", "lies", "here"], ["York"], ["go", "to", "New", "Ulm", "now"]] * 2
TAGS = [["O", "B-X", "I-X"], ["B-X", "O", "O"], ["B-X"], ["O", "O", "B-X", "I-X", "O"]] * 2


@dataclass
class Sample:
    """A model file as it was written, and what is to be done with it."""

    name: str
    document: dict
    tensors: dict
    rows: str | None = None  # a file for the command line
    run: str | None = None  # the run that a checkpoint is of


def samples(folder):
    """Models of every kind, written by the package itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [*_estimators(), *_streams(), *_labels(), *_texts(), *_kernels(), *_taggers()]
    paths = []
    for i, (name, model, text) in enumerate(made):
        model.save(Path(folder) / f"python{i}", **({} if text is None else {"text": text}))
        paths.append((name, Path(folder) / f"python{i}", None, None))
    for i, (name, model, text) in enumerate(_mappable(made)):
        model.save(Path(folder) / f"mappable{i}", text, mappable=True)
        paths.append((f"mappable {name}", Path(folder) / f"mappable{i}", None, None))
    paths += [(name, path, rows, None) for name, path, rows in _commands(Path(folder))]
    paths += [(f"checkpoint {run}", path, None, run) for run, path in _checkpoints(Path(folder))]
    return [Sample(name, *container.read(path), rows, run) for name, path, rows, run in paths]


def _estimators():
    for i, estimator in enumerate(SETTINGS):
        X, y = data(estimator, 2 + i % 2, (np.float64, np.float32)[i // 2 % 2], n=30)
        yield repr(estimator), clone(estimator).fit(X, y), None
    yield "mostly zero", mostly_zero(), None
    X, y = data(rb.Perceptron(), 2)
    yield "frame", rb.AveragedPerceptron(max_iter=2).fit(pd.DataFrame(X, columns=list("abcde")), y), None
    for seed in (np.random.RandomState(3), np.random.default_rng(4), np.random.Generator(np.random.Philox(5))):
        yield "generator", rb.Perceptron(random_state=seed, max_iter=2).fit(X, y), None


def _streams():
    for found in LINEAR:
        model = found()
        for step in range(5):
            x = {name: 1.0 + i for i, name in enumerate(["good", "not good", "好", "a/b", "$tuple"][: 1 + step])}
            model.learn_one(x, ["+", "-", "0"][step % 3] if found in CLASSIFIERS else step / 3)
        yield f"stream {found.__name__}", model, None
    for names in ([3, 1, 2], [("a", 1), ("b", 2)], [1.5, True, None, b"\xff"]):
        model = rb.AveragedPerceptron()
        for i, name in enumerate(names):
            model.learn_one({name: 1.0}, i % 2)
        yield f"names {names}", model, None


def _labels():
    X = np.random.default_rng(0).standard_normal((12, 3))
    for labels in ([-1, 1], [0.0, 1.0, -2.0], [False, True], [b"a", b"b\xff"], np.array([1, 2, 3], np.uint16), ["x"]):
        y = np.asarray(labels)[np.arange(12) % len(labels)]
        yield f"labels {labels}", rb.Perceptron().partial_fit(X, y), None
    stream = rb.Perceptron().learn_one({"x": 1.0}, ("a", 1)).learn_one({"y": 1.0}, ("b", 2))
    yield "tuples", stream, None


def _texts():
    for text in (
        rb.text.HashedText(bits=6),
        rb.text.HashedText(bits=7, idf=True, keep_names=True, dtype=np.float64, negations=("not",)),
        rb.text.HashedText(bits=5, supervised=True, symbols=True, min_length=1, characters=(2, 3), keep_names=True),
        rb.text.BagOfWords(ngrams=(1, 2), binary=True, stop_words=("at",)),
        rb.text.BagOfWords(analyzer="char_wb", ngrams=(2, 3), vocabulary=[" g", "oo", "bad", "film"]),
    ):
        for found in (rb.AveragedPerceptron, rb.KernelPerceptron):
            yield f"text {text}", found(max_iter=2).fit(text.fit_transform(TEXTS, MOODS), MOODS), text


def _kernels():
    X, y = data(rb.KernelPerceptron(), 2, n=40)
    for policy in ("random", "forgetron", "projectron", "projectron++"):
        for make in (np.asarray, sp.csr_matrix):
            model = rb.KernelPerceptron(budget=4, budget_policy=policy, fit_intercept=False, random_state=1)
            yield f"budget {policy}", model.partial_fit(make(np.round(X)), y), None
    yield "precomputed", rb.KernelPerceptron(kernel="precomputed", max_iter=2).fit(X @ X.T, y), None
    yield "sparse", rb.VotedPerceptron(max_iter=2).fit(sp.csr_matrix(np.round(X)), y), None


def _taggers():
    for name, settings in {
        "words": {}, "order 2": {"order": 2, "constraints": "bio", "rule": rb.rules.Perceptron()},
        "pocket": {"readout": "pocket", "constraints": "seen"}, "AROW": {"rule": rb.rules.AROW(), "readout": "last"},
        "templates": {"features": "U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB", "cost": "sqrt"}, "wide": {"bits": 22},
    }.items():  # fmt: skip
        yield f"tagger {name}", rb.SequenceTagger(**{"max_iter": 2, "bits": 8, **settings}).fit(SENTENCES, TAGS), None
    named = [[{"word": word, "length": len(word) / 3} for word in sentence] for sentence in SENTENCES]
    yield "tagger names", rb.SequenceTagger(max_iter=2, bits=8, features=None).fit(named, TAGS), None
    yield "tagger stream", rb.SequenceTagger(bits=8).partial_fit(SENTENCES[:1], [["O", "O", "O"]]), None


def _mappable(made):
    """Some of these that can be mapped, taggers and text among them, and few of very many features."""
    yield from (
        one for one in made if one[0].startswith(("tagger ", "text ", "frame")) and one[1]._learner.space != "kernel"
    )
    width = 1 << 26
    for n_classes in (2, 3):
        X = sp.csr_matrix((np.ones(12), (np.arange(12), np.arange(12) * (width // 12))), (12, width))
        yield f"wide {n_classes}", rb.AveragedPerceptron().partial_fit(X, np.arange(12) % n_classes), None


def _commands(folder):
    table = "label,text,age,town\n" + "pos,good film,1,Ulm\nneg,bad film,2,Bonn\npos,fine,3,Ulm\nneg,awful,4,Kiel\n" * 3
    files = {
        "table.csv": (table, ["--text", "text", "--numeric", "age", "--categorical", "town"]),
        "text.csv": ("label,text\n" + "".join(f'{a},"{b}"\n' for a, b in zip(MOODS, TEXTS) if b), ["--text", "text"]),
        "rows.svm": ("1 1:1 3:2\n-1 2:1\n1 1:0.5\n-1 2:2 3:1\n" * 3, []),
        "wide.svm": ("1 1:1 30:2\n-1 2:1 60:1\n1 30:0.5\n-1 2:2\n" * 3, []),  # sparse rows have norm 1
        "rows.vw": ("1 | good film\n-1 | bad film\n" * 4, []),
        "numbers.csv": ("y,a,b\n0.5,1,2\n1.5,2,1\n2.5,3,3\n" * 4, []),
        "kernel.csv": ("label,a,b\nx,1,2\ny,2,1\nx,3,3\ny,0,1\n" * 3, ["-a", "kernel"]),
    }
    for name, (content, options) in files.items():
        rows, path = folder / name, folder / f"{name}.model"
        rows.write_text(content, encoding="utf-8")
        bits = ["--bits", "6"] if "--text" in options else []
        train = ["train", str(rows), "-o", str(path), "--held-out", "0.25", "--quiet", *options, *bits]
        assert cli.main(train) == 0, name
        yield name, path, str(rows)


#: Runs that a checkpoint may go on with, by name.
RUNS = {
    "rows": {
        "data": [[1.0, 3], [2, 3], [-3, 1], [1, -1], [0, 2], [-1, 0]] * 2,
        "y": [1, 0, 1, 0, 1, 2] * 2,
        "shards": 2,
    },
    "files": {"data": "text.csv", "in_memory": False, "reading": {"columns": {"label": "label", "text": ["text"]}}},
    "sentences": {"data": SENTENCES, "y": TAGS, "shards": 2},
}


def learn(folder, run, path, passes, resume):
    """Learn from the shards of a run in this process."""
    options = {"progress": False, "client": "here", "checkpoint": path, "resume": resume, "passes": passes}
    options |= RUNS[run]
    if run == "files":
        text = rb.text.HashedText(bits=6, idf=True, keep_names=True)
        options |= {"data": str(Path(folder) / options["data"]), "features": {"text": text, "named_rows": 5}}
    model = rb.AveragedPerceptron(random_state=0, tol=None)
    if run == "sentences":
        model = rb.SequenceTagger(random_state=0, bits=8, constraints="seen")
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        return rb.distributed.fit(model, options.pop("data"), options.pop("y", None), **options)


def _checkpoints(folder):
    for run in RUNS:
        learn(folder, run, folder / f"{run}.checkpoint", 2, False)
        yield run, folder / f"{run}.checkpoint"


# ---- forging -----------------------------------------------------------------------------------------------------

#: What may stand where something else should.
JUNK = [
    None, True, False, 0, 1, -1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**33, 3 * 10**8, 2**52, 2**63, -(2**63), 10**30,
    10**400,
    0.0, -0.0, 0.5, -1.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), "", "x", "last", "averaged", "cuda",
    "filename", "/etc/passwd", "float16", "<U300000000", "\x00", "\ud800", "y" * 100_000, [], {}, [[]], [None] * 50,
    ["a", "a"], [1, 2, 3], {"a": 1},
    {"$float": "inf"}, {"$float": "nan"}, {"$float": [1]}, {"$float": "1e5"}, {"$tuple": [1, "a"]},
    {"$tuple": 5}, {"$dict": [[1, 2]]}, {"$dict": [[[], 2]]}, {"$dict": [1]}, {"$bytes": "ÿ"}, {"$bytes": "好"},
    {"$rule": "PA1", "C": 0.1}, {"$rule": "PA1", "C": -1}, {"$rule": "PA1", "C": [1]}, {"$rule": "Perceptron"},
    {"$rule": "Perceptron", "eta0": 1e300, "margin": 0.0}, {"$rule": "HardMargin"}, {"$rule": "os.system"},
    {"$array": "uint8", "values": [300]}, {"$array": "U300000000", "values": ["a"]}, {"$array": "int64", "values": []},
    {"$array": "float64", "values": [[1]]}, {"$generator": "PCG64", "state": {}}, {"$generator": "seed", "state": {}},
    {"$generator": "MT19937", "state": {
        "bit_generator": "MT19937", "state": {"key": {"$array": "uint32", "values": [1] * 624}, "pos": 10**6}}},
    {"$random_state": "PCG64", "state": 3}, {"$unknown": 1}, {"$": 1},
]  # fmt: skip


def forge(rng: random.Random, among):
    """A sample with some of its parts changed: its document, its tensors, and what was done."""
    sample = rng.choice(among)
    document, tensors = copy.deepcopy(sample.document), dict(sample.tensors)
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        other = rng.choice(among)
        if document and (rng.random() < 0.65 or not tensors):
            done.append(_change_document(rng, document, other.document))
        else:
            done.append(_change_tensors(rng, tensors, other.tensors))
    return sample, document, tensors, f"{sample.name}: {'; '.join(done)}"


def _place(rng, document):
    """A place of a document: its path, what it is in, and the key there. Nothing is too deep to be reached."""
    path, holder, inner = (), None, document
    while isinstance(inner, (dict, list)) and inner and (not path or rng.random() < 0.8):
        holder, keys = inner, [*inner] if isinstance(inner, dict) else range(len(inner))
        if not path and "learner" in document and rng.random() < 0.6:
            keys = [name for name in ("learner", "parameters", "extras") if document.get(name)] or keys
        key = rng.choice(keys)
        path, inner = (*path, key), holder[key]
    return path, holder, path[-1]


def _change_document(rng, document, other):
    path, holder, key = _place(rng, document)
    value, action = (
        holder[key],
        rng.choice(("junk", "junk", "number", "drop", "again", "swap", "other", "list", "deep")),
    )
    if action == "number" and isinstance(value, (int, float)):
        changes = (
            -value,
            value + 1,
            value - 1,
            value * 2,
            value * 10**6,
            float(value) if abs(value) < 10**300 else value,  # whole numbers have no end
            str(value) if abs(value) < 10**300 else value,
            value * 2**33,
            not value,
        )
        holder[key] = rng.choice(changes)
    elif action == "drop":
        del holder[key]
    elif action == "again":
        again = f"{key}{rng.choice(('_again', '/', ''))}"
        holder.insert(key, value) if isinstance(holder, list) else holder.update({again: value})
    elif action == "swap":
        _, elsewhere, there = _place(rng, document)
        holder[key] = copy.deepcopy(elsewhere[there])
    elif action == "other":
        _, elsewhere, there = _place(rng, other)
        holder[key] = copy.deepcopy(_at(other, path, elsewhere[there]))
    elif action == "list" and isinstance(value, list):
        holder[key] = rng.choice((value[::-1], value + value, value[1:], value * 500, [value], [*value, None]))
    elif action == "deep":
        for _ in range(rng.choice((3, 80, 150))):
            value = rng.choice(([value], {"a": value}, {"$tuple": [value]}))
        holder[key] = value
    else:
        action, holder[key] = "junk", copy.deepcopy(rng.choice(JUNK))
    return f"{action} {'.'.join(map(str, path))}: {cut(holder.get(key) if isinstance(holder, dict) else holder)}"


def _at(document, path, fallback):
    """What another document has in the same place."""
    try:
        for key in path:
            document = document[key]
    except (KeyError, IndexError, TypeError):
        return fallback
    return document


def _change_tensors(rng, tensors, others):
    name = rng.choice(sorted(tensors))
    array = tensors[name]
    actions = {
        "drop": lambda: None,
        "retype": lambda: array.astype(rng.choice([*container.TYPES.values()])),
        "flat": lambda: array.reshape(-1),
        "deeper": lambda: array[..., None],
        "shorter": lambda: array[: len(array) // 2],
        "empty": lambda: array[:0],
        "no rows": lambda: np.zeros((0, rng.choice((1, 3, 2**33))), array.dtype),
        "longer": lambda: np.concatenate([array, array]),
        "reversed": lambda: array[::-1],
        "transposed": lambda: array.T,
        "scalar": lambda: np.zeros((), array.dtype),
        "value": lambda: _with_value(rng, array),
        "likely value": lambda: _with_likely_value(rng, array),
        "bytes": lambda: np.frombuffer(rng.randbytes(array.nbytes), array.dtype).reshape(array.shape),
        "of another": lambda: others[rng.choice(sorted(others))] if others else array,
        "of another name": lambda: others.get(name, array),
        "swapped": lambda: tensors[rng.choice(sorted(tensors))],
        "names": lambda: _names(rng, array),
    }
    action = "names" if name == "feature_names" and rng.random() < 0.7 else rng.choice(sorted(actions))
    action = rng.choice(("value", "likely value")) if rng.random() < 0.4 else action  # which are not all refused
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changed = actions[action]() if array.ndim or action in ("drop", "retype", "deeper") else None
    if changed is None:
        del tensors[name]
    else:
        tensors[name] = np.ascontiguousarray(changed)
    return f"tensor {name} {action}"


def _with_value(rng, array):
    found = array.copy()
    kinds = {"f": (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e38, -1.0, 0.5, 2**52, 1e19), "b": (True, False)}
    values = kinds.get(array.dtype.kind, (0, 1, -1, 127, 2**31 - 1, 2**40, 2**62, -(2**62)))
    if found.size:
        place = np.unravel_index(rng.randrange(found.size), found.shape)
        found[place if rng.random() < 0.8 else ...] = np.array(rng.choice(values)).astype(array.dtype)
    return found


def _with_likely_value(rng, array):
    """The same with values that it might have: some that stand elsewhere in it, or between them."""
    found = array.copy()
    for _ in range(rng.choice((1, 3, found.size))):
        if found.size and found.dtype.kind != "b":
            low, high = found.min(), found.max()
            value = (
                low + (high - low) * rng.random() if found.dtype.kind == "f" else rng.randint(int(low), int(high) + 1)
            )
            with np.errstate(all="ignore"):
                found.reshape(-1)[rng.randrange(found.size)] = np.array(value).astype(found.dtype)
    return found


def _names(rng, array):
    """Names of features, of which some repeat or are none."""
    try:
        names = json.loads(array.tobytes())
    except ValueError:
        return array[:-1]
    if isinstance(names, list) and names:
        names[rng.randrange(len(names))] = rng.choice((names[0], names[-1], rng.choice(JUNK)))
    return np.frombuffer(json.dumps(names).encode(), np.uint8)


def write(path, document, tensors, rng=None):
    """Write a file with a right checksum; with ``rng``, one whose header lies."""
    listed, header, content = {}, {}, b""
    arrays = {name: np.ascontiguousarray(tensors[name]).reshape(tensors[name].shape) for name in sorted(tensors)}
    for name, array in sorted(arrays.items(), key=lambda item: -item[1].itemsize):  # so that they can be mapped
        dtype = next(told for told, kind in container.TYPES.items() if kind == array.dtype)
        listed[name] = [dtype, list(array.shape)]
        place = [len(content), len(content) + array.nbytes]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": place}
        content += array.tobytes()
    text = json.dumps({**document, "tensors": listed})
    pieces = [text.encode()]
    for array in arrays.values():
        pieces += [array.tobytes()[start : start + (1 << 22)] for start in range(0, array.nbytes, 1 << 22)]
    checksum = hashlib.sha256(b"".join(hashlib.sha256(piece).digest() for piece in pieces)).hexdigest()
    metadata = {"format": "rosenblatt", "format_version": "2", "model": text, "sha256": checksum}
    header["__metadata__"] = metadata
    if rng is not None:
        _change_document(rng, header, header)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    length = (
        len(head) if rng is None or rng.random() < 0.8 else rng.choice((0, 1, len(head) + 1, 2**40, 2**63, 2**64 - 1))
    )
    Path(path).write_bytes(length.to_bytes(8, "little") + head + content)
