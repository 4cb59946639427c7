"""What is done with a forged model file: it is refused in one sentence, or it is a model like any other."""

import copy
import io
import linecache
import shutil
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from discovery import CLASSIFIERS, LINEAR, TAGGERS
from forging import SENTENCES, TAGS, learn

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.model_files import ModelFileError

#: Weights of more numbers than these are not predicted with: a fuzzer has other things to do.
MOST = 1 << 24


class FindingError(Exception):
    """What should not have happened."""


def try_file(path, sample, folder, data):
    """Use a file in every way; True: it was accepted. Raises a FindingError.

    What is written goes to ``folder``; ``data`` is where the files lie that the samples learned from.
    """
    accepted = True
    try:
        model = _watched("load", lambda: rb.load(path), refused=(ModelFileError,))
    except ModelFileError as error:
        _one_sentence("load", error)
        accepted = False
    else:
        _use_mapped(path)
        _use(model, path)
    if sample.rows is not None:
        _on_the_command_line(path, sample, folder)
    if sample.run is not None:
        again = shutil.copy(path, Path(folder) / "again.checkpoint")
        _allowed("resume", lambda: learn(data, sample.run, again, 3, True))
    return accepted


def _use_mapped(path):
    """The same file once more, mapped, where that is not refused."""
    try:
        mapped = _watched("map", lambda: rb.load(path, mmap_mode="r"), refused=(ModelFileError,))
    except ModelFileError as error:
        _one_sentence("map", error)
        return
    content = path.read_bytes()
    _use(mapped, path)
    if path.read_bytes() != content:
        raise FindingError("a file that was mapped has changed")


def _use(model, path):
    learner = model._learner
    repr(model)
    for name in ("margin_bounds_", "mistakes_", "n_iter_", "n_updates_", "verdict_", "classes_", "feature_names_in_"):
        _allowed(name, lambda name=name: getattr(model, name, None))
    if type(model) in TAGGERS:
        _tag_and_learn(model)
    elif (1 + learner.n_features) * learner.n_vectors <= MOST:
        _predict_and_learn(model)
    again = path.with_suffix(".again")
    _watched("save", lambda: model.save(again))
    _watched("load what was saved", lambda: rb.load(again))


def _predict_and_learn(model):
    d = model._learner.n_features
    X = sp.csr_matrix((np.ones(min(d, 3)), (np.arange(min(d, 3)), np.arange(min(d, 3)))), shape=(3, d))
    y = [*model._labels, *model._labels, *model._labels][:3] if type(model) in CLASSIFIERS else [0.5, 1.0, -1.0]
    wide = [X, X.toarray().astype(np.float32)] if d < 10_000 else [X]
    for rows in wide:
        _allowed("predict", lambda rows=rows: model.predict(rows))
        if type(model) in CLASSIFIERS:
            _allowed("decision_function", lambda rows=rows: model.decision_function(rows))
        _allowed("partial_fit", lambda rows=rows: copy.deepcopy(model).partial_fit(rows, y))
    if type(model) in LINEAR:
        _allowed("coef_", lambda: (model.coef_, model.with_readout("last").intercept_))
        names = model._names() or ["a"]
        for x in ({names[0]: 1.0}, {names[-1]: 2.0, "never met": 1.0}):
            _allowed("predict_one", lambda x=x: model.predict_one(x))
            _allowed("learn_one", lambda x=x: copy.deepcopy(model).learn_one(x, y[0]).learn_one(x, y[-1]))
    else:
        for readout in ("last", "averaged", "voted"):
            _allowed(readout, lambda readout=readout: model.with_readout(readout).predict(wide[-1]))
        _allowed("dual_coef_", lambda: (model.dual_coef_, model.support_vectors_, model.n_support_))
    texts = ["a good film", "", "not bad"]
    if _allowed("text_", lambda: hasattr(model, "text_")):
        _allowed("predict text", lambda: model.predict(texts))
        step = getattr(model.text_, "partial_fit_transform", model.text_.transform)
        _allowed("learn text", lambda: copy.deepcopy(model).partial_fit(copy.deepcopy(step)(texts), y))
        _allowed("names", lambda: model.text_.get_feature_names_out())
    _allowed("learn on", lambda: model.partial_fit(wide[-1], y))


def _tag_and_learn(model):
    named = [[{"word": word, "length": 0.5} for word in sentence] for sentence in SENTENCES]
    for X in (SENTENCES, named, [[(word, word) for word in sentence] for sentence in SENTENCES]):
        for name in ("predict", "decision_function", "predict_k_best"):
            _allowed(name, lambda name=name, X=X: getattr(model, name)(X))
        _allowed("tag", lambda X=X: repr(model.tag(X[0])))
        _allowed("partial_fit", lambda X=X: copy.deepcopy(model).partial_fit(X, TAGS).predict(X))
        _allowed("new tags", lambda X=X: copy.deepcopy(model).partial_fit(X[:1], [["B-Y", "I-Y", "I-Y"]]).predict(X))
    _allowed("score", lambda: model.score(SENTENCES, TAGS))
    _allowed("short and long", lambda: model.predict([["now"], [], ["now"] * 40]))  # which no constraint may allow
    _allowed("last", lambda: model.with_readout("last").predict(SENTENCES))
    _allowed("transitions_", lambda: getattr(model, "transitions_", None))
    _allowed("learn on", lambda: model.partial_fit(SENTENCES, TAGS))


def _on_the_command_line(path, sample, folder):
    rows, output = sample.rows, Path(folder) / "output.model"
    commands = [
        ["inspect", path], ["inspect", path, "--json"], ["explain", path, rows, "--json"], ["predict", path, rows],
        ["evaluate", path, rows], ["train", rows, "--resume", path, "-o", output, "--quiet"],
    ]  # fmt: skip
    if sample.document["learner"]["n_features"] < 1 << 20:  # where it does not take seconds
        commands.append(["explain", path])
    for words in commands:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()

        def call(words=words, out=out, err=err):
            with redirect_stdout(out), redirect_stderr(err):
                return cli.main([*map(str, words)])

        code = _watched(f"rosenblatt {words[0]}", call)
        said = err.getvalue().strip()
        if code not in (0, 1) or "Traceback" in said or (code and (not said or len(said.splitlines()) > 3)):
            raise FindingError(f"rosenblatt {words[0]} ended with {code}: {said[-500:]}")


def _watched(what, call, refused=()):
    """The result of a call that must succeed, or refuse by one of these."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call()
    except refused:
        raise
    except Exception as error:
        raise FindingError(f"{what}: {_told(error)}") from error


def _allowed(what, call):
    """The result of a call that may refuse what it is given, but in words of its own."""
    try:
        return _watched(what, call, refused=(Exception,))
    except Exception as error:
        _one_sentence(what, error)
        said = isinstance(error, (ValueError, TypeError, AttributeError)) or "device='cuda'" in str(error)
        if not said or not _is_meant(error):
            raise FindingError(f"{what}: {_told(error)}") from error
    return None


def _is_meant(error):
    """Whether some line says ``raise``, here or in scikit-learn; the native core refuses by ValueError alone."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno)
    native = isinstance(error, ValueError) and any(name in line for name in ("engine.", "_native.", "call("))
    return native or "raise" in " ".join(
        linecache.getline(last.filename, number) for number in range(last.lineno - 4, last.lineno + 1)
    )


def _one_sentence(what, error):
    if not str(error) or ("\n" in str(error) and isinstance(error, ModelFileError)) or len(str(error)) > 5000:
        raise FindingError(f"{what}: a message that is no sentence: {_told(error)}") from error


def _told(error):
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:300]} ({places})"
