"""What every door answers, as hashes: weights, bounds, traces, model files and commands over a wide set of learners.

``python tests/recording.py`` writes ``recorded.json``, ``test_recorded.py`` compares. A change of a single bit of any
result changes a hash: write it anew only where a change of results is meant, and say so.

Kernels are sums by the BLAS of the machine, so that of them it is the decisions that are kept, not the bits.
"""

import contextlib
import hashlib
import io
import itertools
import json
import os
import pathlib
import re
import tempfile
import warnings

import numpy as np
from safetensors.numpy import load_file
from scipy import sparse

import rosenblatt as rb
from rosenblatt import cli

FILE = pathlib.Path(__file__).with_name("recorded.json")
N, D = 30, 7

RULES = {
    "perceptron": rb.rules.Perceptron(eta0=0.5),
    "margin": rb.rules.Perceptron(margin=0.75),
    "PA": rb.rules.PA(),
    "PA1": rb.rules.PA1(C=0.3),
    "PA2": rb.rules.PA2(C=0.3),
    "MIRA": rb.rules.MIRA(C=0.4),
    "NormMIRA": rb.rules.NormMIRA(),
}
CONTAINERS = {"dense": np.asarray, "csr": sparse.csr_matrix, "float32": lambda X: X.astype(np.float32)}


def digest(*parts):
    """One short hash of arrays, numbers and text."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            part = f"{part.dtype}{part.shape}".encode() + np.ascontiguousarray(part).tobytes()
        found.update(part if isinstance(part, bytes) else repr(part).encode())
    return found.hexdigest()[:16]


def problem(seed, n_classes, n=N):
    """Rows of eighths, of which a third are zero, labels that a few rows get wrong, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-16, 17, (n, D)) / 8 * (rng.random((n, D)) < 0.67)
    y = np.argmax(X @ rng.standard_normal((D, n_classes)), axis=1)
    y[:n_classes] = range(n_classes)
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], n)


def whole(model):
    """All that a linear model has learned and proved."""
    bounds = (
        () if isinstance(model, rb.PassiveAggressiveRegressor) else (model.verdict_, np.array(model.margin_bounds_))
    )
    return digest(model.coef_, model.intercept_, model.n_updates_, model.n_iter_, *bounds)


def linear():
    """Rules, readouts, ways of several classes, containers, weights, streams."""
    for (name, rule), readout, k in itertools.product(RULES.items(), ("last", "averaged", "pocket"), (2, 3, 5)):
        X, y, weight = problem(len(name) + k, k)
        for share in rule.shares if k > 2 else ("max",):
            for ties in ("mistake", "predict"):
                options = {"readout": readout, "multiclass": share, "ties": ties, "random_state": 3, "max_iter": 6}
                model = rb.OnlineClassifier(rule=rule, tol=None, **options)
                key = f"{name} {readout} {k} {share} {ties}"
                for held, container in CONTAINERS.items():
                    yield f"{key} {held}", whole(model.fit(container(X), y))
            yield f"{name} {readout} {k} {share} weighted", whole(model.fit(X, y, sample_weight=weight))
            stream = rb.OnlineClassifier(rule=rule, readout=readout, multiclass=share)
            for i in range(0, N, 11):
                stream.partial_fit(X[i : i + 11], y[i : i + 11])
            yield f"{name} {readout} {k} {share} stream", whole(stream)
            named = rb.OnlineClassifier(rule=rule, readout=readout, multiclass=share)
            for row, label in zip(X, y.tolist()):
                named.learn_one({f"n{j}": v for j, v in enumerate(row.tolist()) if v}, label)
            yield f"{name} {readout} {k} {share} named", whole(named)


def others():
    """The batch perceptron, regressions, starts, early stopping."""
    for k in (2, 4):
        X, y, weight = problem(20 + k, k)
        yield f"batch {k}", whole(rb.BatchPerceptron(max_iter=9, tol=None).fit(X, y, sample_weight=weight))
        yield f"random start {k}", whole(rb.Perceptron(init="random", random_state=1, max_iter=5, tol=None).fit(X, y))
        early = rb.AveragedPerceptron(early_stopping=True, validation_fraction=0.4, random_state=1, max_iter=9)
        yield f"early stopping {k}", whole(early.fit(X, y))
        yield f"until the verdict {k}", whole(rb.Perceptron(random_state=0, max_iter=200).fit(X, y))
    for variant, average in itertools.product(("PA", "PA-I", "PA-II"), (False, True)):
        model = rb.PassiveAggressiveRegressor(variant=variant, average=average, random_state=2)
        X, _, weight = problem(31, 2)
        yield f"regression {variant} {average}", whole(model.fit(X, X @ np.arange(D) / 4 + 1, sample_weight=weight))


def kernels():
    """Kernels, readouts and budgets: mistakes, who is kept, and what is predicted."""
    for kernel, readout in itertools.product(("rbf", "poly", "linear"), ("last", "averaged", "voted", "pocket")):
        for k, share in ((2, "max"), (3, "max"), (3, "ovr")):
            X, y, _ = problem(40 + k, k)
            options = {"random_state": 4, "max_iter": 4, "tol": None, "multiclass": share}
            model = rb.KernelPerceptron(kernel=kernel, readout=readout, **options).fit(X, y)
            yield f"{kernel} {readout} {k} {share}", digest(model.mistakes_, model.support_, model.predict(X))
    for policy in ("random", "forgetron", "projectron", "projectron++"):
        X, y, _ = problem(50, 2, n=80)
        model = rb.KernelPerceptron(
            kernel="rbf", budget=9, budget_policy=policy, random_state=5, max_iter=3, tol=None, fit_intercept=False
        )
        yield f"budget {policy}", digest(model.fit(X, y).mistakes_, model.support_, model.predict(X))


def proofs():
    """Traces as they print, in floats and in fractions, and answers about separability."""
    for name, rule in RULES.items():
        for k in (2, 3):
            X, y, _ = problem(60 + k, k, n=8)
            model = rb.OnlineClassifier(rule=rule, max_iter=3, tol=None, shuffle=False, readout="averaged")
            yield f"trace {name} {k}", digest(str(rb.trace(model, X, y)))
    for seed in range(6):
        X, y, _ = problem(70 + seed, 2 + seed % 2, n=6 + 3 * seed)
        answer = rb.separability(X, y)
        proof = None if answer.certificate is None else [str(part) for part in answer.certificate]
        yield f"separability {seed}", digest(answer.verdict, str(answer.margin), proof)
        if answer.separable:
            yield f"mistake bound {seed}", digest(str(rb.mistake_bound(X, y, answer)))


def files():
    """Tensors of model files."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model"
        for k in (2, 3):
            X, y, _ = problem(80 + k, k)
            for name in ("Perceptron", "AveragedPerceptron", "PocketPerceptron", "MIRA"):
                getattr(rb, name)(random_state=1, max_iter=4, tol=None).fit(X, y).save(path)
                tensors = load_file(path)
                yield f"file {name} {k}", digest(*itertools.chain(*sorted(tensors.items())))


def commands():
    """What commands print, but for times and the names of folders."""
    table = "age,kind,income,label\n" + "".join(
        f"{20 + i % 37},{'abc'[i % 3]},{1000 + 37 * i % 911},{'yes' if i % 37 > 17 else 'no'}\n" for i in range(60)
    )
    texts = "text,label\n" + "".join(f"good film {i},pos\nbad film {i % 7},neg\n" for i in range(30))
    rows = "".join(f"{1 if i % 3 else -1} 1:{i % 5} 3:{i % 3 - 1} 4:1\n" for i in range(40))
    contents = {"table.csv": table, "texts.csv": texts, "rows.svm": rows}
    with tempfile.TemporaryDirectory() as folder, working_in(folder):
        for name, content in contents.items():
            pathlib.Path(name).write_text(content)
        for name, algorithm in itertools.product(contents, ("averaged", "pa1", "pocket", "mira")):
            train = ["train", name, "-o", "m", "-a", algorithm, "--passes", "3", "--label", "label"]
            train = train[:-2] if name == "rows.svm" else train
            yield f"{' '.join(train)}", digest(*(printed(words) for words in (
                [*train, "--json"], ["predict", "m", name], ["evaluate", "m", name, "--json"], ["explain", "m"],
            )))  # fmt: skip


@contextlib.contextmanager
def working_in(folder):
    """Commands tell of files by the names they are given."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def printed(words):
    """The output of a command without what differs from run to run."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = cli.main(words)
    shown = out.buffer.getvalue().decode()
    return f"{code} " + re.sub(r'"(seconds|version|rows_per_second|memory|started)": [^,}]*', "", shown)


def records():
    """All of it: a hash for each kind, by the first words of the names."""
    groups = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, found in itertools.chain(linear(), others(), kernels(), proofs(), files(), commands()):
            groups.setdefault(" ".join(name.split()[:3]), []).append((name, found))
    return {group: digest(found) for group, found in groups.items()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(records(), indent=0, sort_keys=True) + "\n")
