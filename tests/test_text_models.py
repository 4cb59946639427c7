"""Models of text in files: what made the rows goes along, so that prediction needs nothing but the file."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from discovery import CLASSIFIERS, ESTIMATORS, learned, named
from identity import same_bits
from refusals import one_sentence
from saved import rewritten, through_a_file
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.model_files import ModelFileError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

REVIEWS = ["A good film", "a bad film", "not good at all", "Not bad at all!", "ein schöner Film", "", "好 film 好"] * 4
MOOD = ["pos", "neg", "neg", "pos", "pos", "neg", "so so"] * 4
NEW = ["bad, bad film", "not at all bad", "schön", "words never met"]
TRANSFORMERS = [
    rb.text.HashedText(bits=10),
    rb.text.HashedText(bits=8, idf=True, keep_names=True, dtype=np.float64, negations=("not",)),
    rb.text.BagOfWords(ngrams=(1, 2), binary=True, stop_words=("at",)),
    rb.text.BagOfWords(analyzer="char_wb", ngrams=(2, 3), vocabulary=[" g", "oo", "bad", "film"]),
]


def fitted(found, text, n=20):
    """An estimator fitted on the first reviews, its transformer, and targets for all."""
    text = clone(text)
    y = MOOD if found in CLASSIFIERS else list(range(len(MOOD)))
    return found(max_iter=3, random_state=0).fit(text.fit_transform(REVIEWS[:n]), y[:n]), text, y


@pytest.mark.diagonal
@pytest.mark.parametrize("text", TRANSFORMERS, ids=repr)
@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_a_loaded_model_reads_text_and_goes_on_as_it_would(found, text, tmp_path):
    model, text, y = fitted(found, text)
    model.save(tmp_path / "model", text=text)
    loaded = rb.load(tmp_path / "model")
    same_bits(loaded.predict(NEW), model.predict(text.transform(NEW)))
    if found in CLASSIFIERS:
        same_bits(loaded.decision_function(NEW), model.decision_function(text.transform(NEW)))
    same_bits(loaded.predict(text.transform(NEW)), loaded.predict(NEW))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    rest, targets = REVIEWS[20:], y[20:]
    step = text.partial_fit_transform if hasattr(text, "partial_fit_transform") else text.transform
    model.partial_fit(step(rest), targets)
    step = loaded.text_.partial_fit_transform if hasattr(text, "partial_fit_transform") else loaded.text_.transform
    loaded = through_a_file(loaded.partial_fit(step(rest), targets), tmp_path)
    same_bits(learned(loaded), learned(model))
    same_bits(loaded.predict(NEW), model.predict(text.transform(NEW)))


def test_text_in_any_container(tmp_path):
    model, text, _ = fitted(rb.AveragedPerceptron, TRANSFORMERS[1])
    model.save(tmp_path / "model", text=text)
    loaded, expected = rb.load(tmp_path / "model"), model.predict(text.transform(NEW)).tolist()
    columns = [NEW, tuple(NEW), np.array(NEW), np.array(NEW, object), pd.Series(NEW), pl.Series(NEW), pa.array(NEW),
               pa.chunked_array([NEW[:1], NEW[1:]]), [line.encode() for line in NEW]]  # fmt: skip
    for column in columns:
        assert loaded.predict(column).tolist() == expected


@pytest.mark.parametrize("text", TRANSFORMERS[1:3], ids=repr)
@pytest.mark.parametrize("given", ["filename", "lines"])
def test_a_file_does_not_decide_what_is_read(text, given, tmp_path):
    model, text, _ = fitted(rb.AveragedPerceptron, text)
    lines = str(tmp_path / "text.txt")
    Path(lines).write_text("\n".join(NEW[:1]), encoding="utf-8")
    model.save(tmp_path / "model", text=text.set_params(input=given))
    loaded, content = rb.load(tmp_path / "model"), text.set_params(input="content")
    same_bits(loaded.decision_function([lines]), model.decision_function(content.transform([lines])))
    loaded.text_.set_params(input=given)  # the caller does
    same_bits(loaded.decision_function([lines]), model.decision_function(content.transform(NEW[:1])))
    rewritten(tmp_path / "model", change_document=lambda document: set_inputs(document["extras"], given))
    with pytest.raises(ValueError, match="has no entry 'input'"):
        rb.load(tmp_path / "model")


def set_inputs(section, given):
    """As a forger would: let every section of text name what it reads."""
    for name, part in list(section.items()):
        if isinstance(part, dict):
            set_inputs(part, given)
        if name in ("hashing", "vocabulary"):
            section["input"] = given


def test_the_command_line_and_python_read_each_others_models(tmp_path, capsys):
    rows = "".join(f'{label},"{text}"\n' for label, text in zip(MOOD, REVIEWS) if text)
    (tmp_path / "t.csv").write_text("label,text\n" + rows, encoding="utf-8")
    (tmp_path / "new.csv").write_text("text\n" + "".join(f'"{line}"\n' for line in NEW), encoding="utf-8")

    def told(model):
        capsys.readouterr()
        assert cli.main(["predict", str(model), str(tmp_path / "new.csv")]) == 0
        return capsys.readouterr().out.split("\n")[1:-1]

    train = ["train", str(tmp_path / "t.csv"), "-o", str(tmp_path / "by-command"), "--quiet", "--text", "text"]
    assert cli.main(train) == 0
    loaded = rb.load(tmp_path / "by-command")
    assert loaded.predict(NEW).tolist() == told(tmp_path / "by-command")
    loaded.partial_fit(loaded.text_.partial_fit_transform(REVIEWS, MOOD), MOOD).save(tmp_path / "gone-on")
    assert loaded.predict(NEW).tolist() == told(tmp_path / "gone-on")
    model, text, _ = fitted(rb.AveragedPerceptron, TRANSFORMERS[1])
    model.save(tmp_path / "by-python", text=text)
    assert model.predict(text.transform(NEW)).tolist() == told(tmp_path / "by-python")
    for command in ("inspect", "explain"):
        assert cli.main([command, str(tmp_path / "by-python")]) == 0
    assert "None" not in capsys.readouterr().out.partition("made from")[2].partition("examples")[0]
    model, text, _ = fitted(rb.AveragedPerceptron, TRANSFORMERS[2])
    model.save(tmp_path / "bag", text=text)
    assert cli.main(["predict", str(tmp_path / "bag"), str(tmp_path / "new.csv")]) == 1
    assert "use rb.load in Python" in capsys.readouterr().err


def test_what_cannot_go_along_is_refused(tmp_path):
    model, *_ = fitted(rb.Perceptron, TRANSFORMERS[0])
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()

    def save(given):
        return lambda: model.save(tmp_path / "model", text=given)

    one_sentence(save("words"), TypeError, "text must be a HashedText or a BagOfWords, got str")
    one_sentence(save(rb.text.HashedText(bits=11)), ValueError, "2048 columns", "weights for 1024")
    one_sentence(save(rb.text.HashedText(bits=10, idf=True)), NotFittedError, "HashedText instance is not fitted")
    assert (tmp_path / "model").read_bytes() == before
    assert not hasattr(rb.load(tmp_path / "model"), "text_")
    one_sentence(lambda: rb.load(tmp_path / "model").predict(NEW), ValueError, "X holds text")


def test_a_list_without_text_is_told_that_text_is_taken(tmp_path):
    (tmp_path / "reviews.csv").write_text("label,text\n" + "pos,a good film I liked\nneg,a bad film I saw\n" * 5)
    assert cli.main(["train", "-q", str(tmp_path / "reviews.csv"), "-o", str(tmp_path / "m"), "--bits", "8"]) == 0
    loaded = rb.load(tmp_path / "m")
    assert loaded.predict(["a good film"]).tolist() == ["pos"]
    for X, what in ([], "list"), ([None], "list"), (np.zeros((2, 1)), "1 column without names"):
        with pytest.raises(ValueError, match="the model needs the columns text") as refused:
            loaded.predict(X)
        assert str(refused.value).endswith(f", and X is {what}; give a list of str, a frame, or a list of dicts")


def test_a_new_fit_forgets_what_read_the_text(tmp_path):
    model, text, _ = fitted(rb.Perceptron, TRANSFORMERS[0])
    model.save(tmp_path / "model", text=text)
    loaded = rb.load(tmp_path / "model")
    assert hasattr(loaded, "text_")
    loaded.fit([[1.0], [2.0]], [0, 1])
    assert not hasattr(loaded, "text_")
    loaded.save(tmp_path / "model")


def test_a_model_of_several_columns_is_none_of_text(tmp_path):
    (tmp_path / "t.csv").write_text("label,text,age\n" + "pos,good film,1\nneg,bad film,2\n" * 5)
    train = [
        "train",
        str(tmp_path / "t.csv"),
        "-o",
        str(tmp_path / "m"),
        "--quiet",
        "--text",
        "text",
        "--numeric",
        "age",
    ]
    assert cli.main(train) == 0
    assert not hasattr(rb.load(tmp_path / "m"), "text_")


def test_a_section_that_someone_changed_is_told(tmp_path):
    model, text, _ = fitted(rb.Perceptron, TRANSFORMERS[1])
    model.save(tmp_path / "model", text=text)

    def change(document):
        hashing = document["extras"]["features"]["table"]["text"]["text"]["hashing"]
        hashing["boots"] = hashing.pop("bits")

    rewritten(tmp_path / "model", change_document=change)
    one_sentence(lambda: rb.load(tmp_path / "model"), ModelFileError, str(tmp_path), "hashing lacks 'bits'")
