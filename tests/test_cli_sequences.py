"""Taggers by the command: they learn, predict and tell what the estimator does, to the bit, from files of sentences."""

import json
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.cli import tagger_training
from rosenblatt.cli.held_out import HeldOut
from rosenblatt.sequences import score_tags

WORDS = {
    "DT": ["the", "a", "every"], "NN": ["cat", "dog", "run", "walk", "box"], "VB": ["saw", "run", "walk", "ate"],
    "IN": ["on", "in", "with"], ".": [".", "!"],
}  # fmt: skip
TEMPLATES = "# the word and its neighbours\nU00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nU02:%x[0,1]\nB\n"


def sentence(rng):
    """Words, parts of speech and chunks; some words are ambiguous, and some tags are random."""
    rows = []
    for _ in range(rng.randint(1, 3)):
        rows += [("DT", "B-NP"), ("NN", "I-NP")] if rng.random() < 0.8 else [("NN", "B-NP")]
        rows += [("VB", "B-VP")] if rng.random() < 0.6 else [("IN", "B-PP")]
    rows.append((".", "O" if rng.random() < 0.9 else "B-NP"))
    return [(rng.choice(WORDS[pos]), pos, chunk) for pos, chunk in rows]


def columns(sentences):
    return "".join("".join(" ".join(token) + "\n" for token in one) + "\n" for one in sentences)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Sentences to learn from, in two halves and together, and others."""
    folder, rng = tmp_path_factory.mktemp("sentences"), random.Random(3)
    train, test = [sentence(rng) for _ in range(120)], [sentence(rng) for _ in range(40)]
    (folder / "train.conll").write_text(columns(train))
    (folder / "first.conll").write_text(columns(train[:70]))
    (folder / "second.conll").write_text(columns(train[70:]))
    (folder / "test.conll").write_text(columns(test))
    (folder / "templates.txt").write_text(TEMPLATES)
    return folder


def run(*arguments):
    return cli.main([*map(str, arguments)])


def train(*arguments):
    assert run("train", "--quiet", *arguments) == 0


def same(path, expected, sentences):
    """A model file and an estimator have the same history, and the same tags and scores to the bit."""
    loaded = rb.load(path)
    assert type(loaded) is rb.SequenceTagger
    assert loaded.get_params() == expected.get_params()
    assert loaded.classes_.tolist() == expected.classes_.tolist()
    assert loaded.mistakes_.tolist() == expected.mistakes_.tolist()
    assert (loaded.verdict_, loaded.margin_bounds_) == (expected.verdict_, expected.margin_bounds_)
    assert loaded.predict(sentences) == expected.predict(sentences)
    np.testing.assert_array_equal(loaded.decision_function(sentences), expected.decision_function(sentences))


# ---- learning ------------------------------------------------------------------------------------------------------


OPTIONS = {
    "as it is": ([], {}),
    "a rule": (["--rule", "perceptron", "--readout", "last", "--no-shuffle"],
               {"rule": rb.rules.Perceptron(), "readout": "last", "shuffle": False}),
    "the C of the default rule": (["-C", 0.25], {"rule": rb.rules.PA1(0.25)}),
    "a second-order rule": (["--rule", "arow"], {"rule": rb.rules.AROW()}),
    "a pocket": (["--readout", "pocket", "--no-ratchet"], {"readout": "pocket", "ratchet": False}),
    "two tags before": (["--order", 2, "--constraints", "bio"], {"order": 2, "constraints": "bio"}),
    "tags that were seen": (["--constraints", "seen", "--cost", "sqrt"], {"constraints": "seen", "cost": "sqrt"}),
    "few columns": (["--bits", 10, "--tol", 0, "--ties", "predict"], {"bits": 10, "tol": 0.0, "ties": "predict"}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", OPTIONS)
def test_in_memory_is_fit(name, files, tmp_path):
    options, parameters = OPTIONS[name]
    train(files / "train.conll", "-o", tmp_path / "m", "--passes", 4, "--seed", 5, *options)
    data, test = (rb.data.read_sentences(files / f"{one}.conll") for one in ("train", "test"))
    expected = rb.SequenceTagger(max_iter=4, random_state=5, **parameters).fit(data.sentences, data.y)
    same(tmp_path / "m", expected, test.sentences)


def test_templates_of_a_file_are_those_of_the_estimator(files, tmp_path):
    train(files / "train.conll", "-o", tmp_path / "m", "--templates", files / "templates.txt", "-a", "tagger")
    data, test = (rb.data.read_sentences(files / f"{one}.conll") for one in ("train", "test"))
    expected = rb.SequenceTagger(features=TEMPLATES.splitlines(), random_state=0).fit(data.sentences, data.y)
    same(tmp_path / "m", expected, test.sentences)


@pytest.mark.parametrize("options", [[], ["--constraints", "bio", "--order", 2], ["--rule", "scw"]])
def test_a_stream_is_partial_fit_in_any_parts_and_resuming_goes_on(options, files, tmp_path):
    stream = ["--stream", "--passes", 1, *options]
    train(files / "train.conll", "-o", tmp_path / "all", *stream)
    train(files / "first.conll", files / "second.conll", "-o", tmp_path / "parts", *stream, "--block-rows", 7)
    train(files / "first.conll", "-o", tmp_path / "first", *stream, "--block-rows", 64)
    train(files / "second.conll", "-o", tmp_path / "both", "--resume", tmp_path / "first", "--block-rows", 1)
    data, test = (rb.data.read_sentences(files / f"{one}.conll") for one in ("train", "test"))
    parameters = {"[]": {}, "bio": {"constraints": "bio", "order": 2}, "scw": {"rule": rb.rules.SCW()}}
    expected = rb.SequenceTagger(max_iter=1, random_state=0, **parameters[options[1] if options else "[]"])
    expected.partial_fit(data.sentences, data.y)
    for name in ("all", "parts", "both"):
        same(tmp_path / name, expected, test.sentences)


def test_a_stream_of_several_passes_ends_when_one_separates(tmp_path, capsys):
    (tmp_path / "a.conll").write_text("the DT\ncat NN\n\na DT\ndog NN\n\n")
    assert run("train", tmp_path / "a.conll", "-o", tmp_path / "m", "--stream", "--passes", 30, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["verdict"] == "separated"
    assert record["passes"] < 30
    low, high = rb.load(tmp_path / "m").margin_bounds_
    assert 0 < low <= high


def test_held_out_sentences_are_not_learned_from(files, tmp_path, capsys):
    assert run("train", files / "train.conll", "-o", tmp_path / "m", "--held-out", 0.25, "--seed", 2, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    data = rb.data.read_sentences(files / "train.conll")
    out = HeldOut(0.25, 2).mask(0, len(data))
    kept, others = ([one for one, is_out in zip(data.X, out) if is_out == wanted] for wanted in (False, True))
    tags, right = ([one for one, is_out in zip(data.y, out) if is_out == wanted] for wanted in (False, True))
    expected = rb.SequenceTagger(random_state=2).fit(kept, tags)
    same(tmp_path / "m", expected, others)
    assert record["rows"] == len(kept)
    assert record["held_out"]["accuracy"] == expected.score(others, right)
    assert record["held_out"]["phrases"]["f1"] == score_tags(right, expected.predict(others)).phrases.f1


def test_a_file_that_has_changed_is_not_judged_on(files, tmp_path, capsys, monkeypatch):
    """Other sentences would be held out of it."""
    path = tmp_path / "a.conll"
    path.write_text((files / "train.conll").read_text())
    real = tagger_training.in_memory

    def changing(run):
        real(run)
        path.write_text((files / "test.conll").read_text() + path.read_text())

    monkeypatch.setattr(tagger_training, "in_memory", changing)
    assert run("train", path, "-o", tmp_path / "m", "--held-out", 0.25) == 1
    err = capsys.readouterr().err
    assert "a.conll: the file has changed since it was first opened; the model is in " in err
    assert rb.load(tmp_path / "m").classes_.tolist() == ["B-NP", "B-PP", "B-VP", "I-NP", "O"]


def test_the_summary_tells_what_was_learned(files, tmp_path, capsys):
    assert run("train", files / "train.conll", "-o", tmp_path / "m", "--held-out", files / "test.conll") == 0
    out = capsys.readouterr().out
    for words in ("120 sentences", "features of columns 1, 2 (0, 1 in templates); tag: 3 (conll files)",
                  "rule pa1 (C 1), readout averaged", "in memory, 10 passes", "mistakes ", "verdict ", "max margin ",
                  "F1 ", "of 40 sent"):  # fmt: skip
        assert words in out
    assert run("inspect", tmp_path / "m") == 0
    out = capsys.readouterr().out
    assert "120 sentences of" in out
    assert "F1 " in out


# ---- using what was learned ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(files):
    """A tagger of words and parts of speech."""
    train(files / "train.conll", "-o", files / "chunks.model")
    return files / "chunks.model"


@pytest.fixture(scope="module")
def of_words(files):
    """A tagger of words alone, whose tags are parts of speech."""
    train(files / "train.conll", "-o", files / "words.model", "--columns", 1, "--tag", 2)
    return files / "words.model"


def test_predicted_columns_are_those_of_the_estimator(model, files, tmp_path, capsysbinary):
    test = rb.data.read_sentences(files / "test.conll")
    predicted = rb.load(model).predict(test.sentences)
    assert run("predict", model, files / "test.conll") == 0
    out = capsysbinary.readouterr().out.decode()
    assert out == columns(
        [(*token, right, tag) for token, right, tag in zip(*three)] for three in zip(test.X, test.y, predicted)
    )
    bare = columns(test.X)
    (tmp_path / "bare.txt").write_text(bare)
    assert run("predict", model, tmp_path / "bare.txt", "-o", tmp_path / "out.txt") == 0
    assert rb.data.read_sentences(tmp_path / "out.txt", format="conll").y == predicted


def test_json_has_tags_scores_and_gaps(model, files, capsys):
    test, tagger = rb.data.read_sentences(files / "test.conll"), rb.load(model)
    assert run("predict", model, files / "test.conll", "--json", "--scores") == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["tags"] for one in objects] == tagger.predict(test.sentences)
    gaps = [float("inf") if one["gap"] is None else one["gap"] for one in objects]
    assert gaps == tagger.decision_function(test.sentences).tolist()


def test_the_command_uses_what_python_saved(files, tmp_path, capsys):
    data, test = (rb.data.read_sentences(files / f"{one}.conll") for one in ("train", "test"))
    tagger = rb.SequenceTagger(random_state=1).fit(data.sentences, data.y)
    tagger.save(tmp_path / "m")
    assert run("evaluate", tmp_path / "m", files / "test.conll", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == tagger.score(test.sentences, test.y)
    train(files / "second.conll", "-o", tmp_path / "n", "--resume", tmp_path / "m")
    more = rb.data.read_sentences(files / "second.conll")
    tagger.partial_fit(more.sentences, more.y)
    same(tmp_path / "n", tagger, test.sentences)


def test_plain_text_is_a_sentence_a_line_and_that_is_said(of_words, model, tmp_path, capsys):
    (tmp_path / "new.txt").write_text("the cat saw a dog .\nevery box !\n")
    assert run("predict", of_words, tmp_path / "new.txt") == 0
    out, err = capsys.readouterr()
    assert out == "the DT\ncat NN\nsaw VB\na DT\ndog NN\n. .\n\nevery DT\nbox NN\n! .\n\n"
    assert "new.txt is read as plain text" in err
    assert run("predict", of_words, tmp_path / "new.txt", "--format", "words") == 0
    assert capsys.readouterr() == (out, "")
    (tmp_path / "column.txt").write_text("the\ncat\n\na\nbox\n")
    assert run("predict", of_words, tmp_path / "column.txt") == 0
    assert capsys.readouterr() == ("the DT\ncat NN\n\na DT\nbox NN\n", "")
    assert run("predict", model, tmp_path / "new.txt") == 1  # which needs two columns
    err = capsys.readouterr().err.splitlines()
    assert "new.txt is read as conll, as in training" in err[0]
    assert "line 2: 3 columns where the first line has 6" in err[1]


def test_json_lines_and_conllu_are_learned_from_and_written_back(tmp_path, capsys):
    objects = [{"id": i, "tokens": [word, "cat"], "tags": ["DT", "NN"]} for i, word in enumerate(["the", "a", "every"])]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects))
    train(tmp_path / "a.jsonl", "-o", tmp_path / "m")
    bare = {"id": 7, "tokens": ["a", "cat"]}
    (tmp_path / "b.jsonl").write_text(json.dumps(bare) + "\n")
    assert run("predict", tmp_path / "m", tmp_path / "b.jsonl") == 0
    assert json.loads(capsys.readouterr().out) == bare | {"tags": ["DT", "NN"]}

    lines = ["# sent_id = 1", "1\tthe\t_\tDET\tDT" + "\t_" * 5, "2-3\tcan't" + "\t_" * 8,
             "2\tca\t_\tAUX\tMD" + "\t_" * 5, "3\tn't\t_\tPART\tRB" + "\t_" * 5, "", ""]  # fmt: skip
    (tmp_path / "a.conllu").write_text("\n".join(lines))
    train(tmp_path / "a.conllu", "-o", tmp_path / "u", "--tag", "xpos")
    assert rb.load(tmp_path / "u").classes_.tolist() == ["DT", "MD", "RB"]
    (tmp_path / "b.conllu").write_text("\n".join(lines).replace("\tRB\t", "\t_\t"))
    assert run("predict", tmp_path / "u", tmp_path / "b.conllu") == 0
    assert capsys.readouterr().out == "\n".join(lines)


def test_evaluate_counts_as_score_tags(model, files, capsys):
    test = rb.data.read_sentences(files / "test.conll")
    scores = score_tags(test.y, rb.load(model).predict(test.sentences))
    assert run("evaluate", model, files / "test.conll", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["accuracy"], told["sentence_accuracy"]) == (scores.accuracy, scores.sentence_accuracy)
    assert {name: (one["precision"], one["recall"], one["f1"]) for name, one in told["types"].items()} == {
        name: (one.precision, one.recall, one.f1) for name, one in scores.by_type.items()
    }
    assert run("evaluate", model, files / "test.conll") == 0
    assert "all phrases" in capsys.readouterr().out


def test_tags_that_training_did_not_have_are_told(model, tmp_path, capsys):
    (tmp_path / "new.conll").write_text("the DT B-NP\ncat NN I-XP\n\n")
    assert run("evaluate", model, tmp_path / "new.conll") == 0
    out, err = capsys.readouterr()
    assert err == "tags that the model does not know and never predicts: I-XP\n"
    assert "XP" in out


@pytest.mark.parametrize("order", [1, 2])
def test_what_explains_a_sentence_comes_to_the_gap(order, files, tmp_path, capsys):
    train(files / "train.conll", "-o", tmp_path / "m", "--order", order, "--constraints", "bio", "--passes", 2)
    test, tagger = rb.data.read_sentences(files / "test.conll"), rb.load(tmp_path / "m")
    assert run("explain", tmp_path / "m", files / "test.conll", "--rows", 10, "--top", 1000, "--json") == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["tags"] for one in told] == tagger.predict(test.sentences)[:10]
    for one, gap in zip(told, tagger.decision_function(test.sentences)):
        assert one["gap"] == gap
        assert sum(part["adds"] for part in one["parts"]) == pytest.approx(gap, abs=1e-5)
    assert any(part["name"] == "transition" for one in told for part in one["parts"])
    assert run("explain", tmp_path / "m") == 0
    assert "B-NP" in capsys.readouterr().out


@pytest.mark.parametrize("more", [(), ("--stream", "--passes", "1")])
def test_the_whole_tagger_is_explained_by_features_that_have_names(more, files, tmp_path, capsys):
    """Of the first sentences, as of text; the weights are those of the file, and a file saved again has them too."""
    train(files / "train.conll", "-o", tmp_path / "m", "--templates", files / "templates.txt", *more)
    rb.load(tmp_path / "m").save(tmp_path / "again")
    for path in ("m", "again"):
        assert run("explain", tmp_path / path, "--top", 1000, "--json") == 0
        told = json.loads(capsys.readouterr().out)
        tagger = rb.load(tmp_path / path)
        (the,) = [column for name, column in tagger._encoder.names_of([("the", "DT")])[0] if name == "U00:the"]
        held = tagger._learner.weights_at(np.array([the]))[1]
        assert {(one["tag"], one["weight"]) for one in told["features"] if one["feature"] == "U00:the"} == {
            (tag, float(weight)) for tag, weight in zip(tagger.classes_, held) if weight
        }
        names = {name for one in told["features"] for name in one["feature"].split(" | ")}
        assert "U00:the" in names
        assert {one["tag"] for one in told["features"]} <= set(tagger.classes_)
        weights = [abs(one["weight"]) for one in told["features"]]
        assert weights == sorted(weights, reverse=True)
        assert weights[-1] > 0
    train(files / "train.conll", "-o", tmp_path / "none", "--named-rows", 0)
    assert run("explain", tmp_path / "none") == 0
    assert "to see those of features, give a sentence" in capsys.readouterr().out


def test_words_are_explained(of_words, capsys):
    assert run("explain", of_words, "the cat saw a run") == 0
    out = capsys.readouterr().out
    assert "above the runner-up" in out
    assert "lower[-1]=" in out


# ---- what goes wrong -----------------------------------------------------------------------------------------------


SMALL = "the DT\ncat NN\n\na DT\ndog NN\n\n"
FAULTS = {
    "ragged": ("a.conll", "the DT\ncat\n\n", [], "line 2: 1 column where the first line has 2"),
    "no sentences": ("a.conll", "\n\n", [], "there are no sentences"),
    "one tag": ("a.conll", "the DT\na DT\n\n", [], "all tokens have the one tag 'DT'; name the column"),
    "one tag in a stream": ("a.conll", "the DT\na DT\n\n", ["--stream"], "all tokens have the one tag 'DT'"),
    "no such column": ("a.conll", SMALL, ["--tag", 3], "there is no column 3, and a line has 2 columns; name another by"
                       " --tag N"),
    "no such feature column": ("a.conll", SMALL, ["--columns", "1,5"], "there is no column 5"),
    "the tag as a feature": ("a.conll", SMALL, ["--columns", "1,2"], "column 2 is both the tag and a feature"),
    "names of plain columns": ("a.conll", SMALL, ["--tag", "upos"], "plain CoNLL columns have no names"),
    "lengths": ("a.jsonl", '{"tokens": ["a", "b"], "tags": ["X"]}\n', [], "line 1: 2 tokens and 1 tag"),
    "an empty sentence": ("a.jsonl", '{"tokens": ["a", "b"], "tags": ["X", "Y"]}\n{"tokens": [], "tags": []}\n', [],
                          "a.jsonl, line 2: a sentence has no tokens; leave it out"),
    "no tags": ("a.jsonl", '{"tokens": ["a", "b"]}\n', [], "the sentence has no 'tags'"),
    "a broken scheme": ("a.conll", "a B-X\nb O\n\nc I-X\n\n", ["--constraints", "bio"],
                        "a.conll, line 4: the tag I-X at the start of a sentence breaks the scheme BIO"),
    "a broken scheme in a stream": ("a.conll", "a B-X\nb O\n\nc I-X\n\n", ["--constraints", "bio", "--stream"],
                                    "a.conll, line 4: the tag I-X at the start"),
    "another algorithm": ("a.conll", SMALL, ["-a", "pa2", "--format", "conll"], "leave out --algorithm, and say --ru"),
    "options of tables": ("a.conll", SMALL, ["--ngrams", 2], "--ngrams is for tables, and these files hold sentences"),
    "labels": ("a.conll", SMALL, ["--format", "conll", "--label", "x"], "say --tag for the column of the tags"),
    "a wrong parameter": ("a.conll", SMALL, ["--multiclass", "ovr"], "--multiclass does not go with --algorithm tagg"),
    "votes": ("a.conll", SMALL, ["--readout", "voted"], "--readout voted does not go with --algorithm tagger"),
    "a buffer": ("a.conll", SMALL, ["--shuffle-buffer", 5], "--shuffle-buffer is for rows"),
    "options of sentences": ("a.csv", "label,x\na,1\nb,2\n", ["--tag", 2], "--tag is for files of sentences"),
    "a tagger of rows": ("a.csv", "label,x\na,1\nb,2\n", ["-a", "tagger"], "it is not seen to be a file of sentences"),
    "bits": ("a.conll", SMALL, ["--bits", 40], "--bits must be at most "),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_training_says_what_is_wrong_where_and_writes_nothing(fault, tmp_path, capsys):
    name, text, options, sentence = FAULTS[fault]
    (tmp_path / name).write_text(text)
    assert run("train", tmp_path / name, "-o", tmp_path / "m", *options) == 1
    out, err = capsys.readouterr()
    assert sentence in err
    assert err.count("\n") == 1
    assert not out
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [("U00:%x[0,7]\n", "line 1: 'U00:%x[0,7]' asks for column 7"), ("U00:%y[0,0]\n", "'y' in '%y[0,0]' is no function"),
     ("# nothing\n", "the templates name no feature")],
)  # fmt: skip
def test_templates_that_do_not_parse(lines, sentence, tmp_path, capsys):
    (tmp_path / "a.conll").write_text(SMALL)
    (tmp_path / "t.txt").write_text(lines)
    assert run("train", tmp_path / "a.conll", "-o", tmp_path / "m", "--templates", tmp_path / "t.txt") == 1
    assert sentence in capsys.readouterr().err
    assert run("train", tmp_path / "a.conll", "-o", tmp_path / "m", "--templates", tmp_path / "no.txt") == 2
    assert "no.txt' is neither words nor chunking nor a file" in capsys.readouterr().err


def test_a_model_keeps_what_it_learned_with(model, files, tmp_path, capsys):
    for options, sentence in [(["--order", 2], "--order does not go with --resume"),
                              (["--bits", 12], "--bits does not go with --resume"),
                              (["--columns", 1], "--columns does not go with --resume")]:  # fmt: skip
        assert run("train", files / "train.conll", "-o", tmp_path / "m", "--resume", model, *options) == 1
        assert sentence in capsys.readouterr().err


def test_a_tagger_is_not_for_rows_nor_a_classifier_for_sentences(model, files, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("label,x\na,1\nb,2\n")
    for command in (["evaluate", model, tmp_path / "a.csv"], ["predict", model, "--format", "csv", tmp_path / "a.csv"],
                    ["predict", model, tmp_path / "a.csv"]):  # fmt: skip
        assert run(*command) == 1
        assert capsys.readouterr().err.count("\n") == 1
    train(tmp_path / "a.csv", "-o", tmp_path / "m")
    assert run("predict", tmp_path / "m", files / "test.conll") == 1
    assert "sentences" in capsys.readouterr().err
    assert (
        run("train", files / "test.conll", "-o", tmp_path / "n", "--resume", tmp_path / "m", "--format", "conll") == 1
    )
    assert "learns from rows, not from sentences" in capsys.readouterr().err
    assert run("separable", files / "test.conll") == 1
    assert "it holds sentences, a token a line; those are for taggers" in capsys.readouterr().err


def test_features_by_name_are_not_read_from_files(files, tmp_path, capsys):
    named = rb.SequenceTagger(features=None).fit([[["x"], ["y"]]], [["X", "Y"]])
    named.save(tmp_path / "m")
    assert run("predict", tmp_path / "m", files / "test.conll") == 1
    assert "takes features by name" in capsys.readouterr().err


def test_sentences_that_cannot_be_read_are_skipped_and_counted(model, tmp_path, capsys):
    (tmp_path / "a.conll").write_text("the DT B-NP\ncat NN I-NP\n\nbroken\n\na DT B-NP\ndog NN I-NP\n\n")
    assert run("evaluate", model, tmp_path / "a.conll", "--on-error", "skip", "--json") == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["sentences"], json.loads(out)["skipped"]) == (2, 1)
    assert "line 4" in err


# ---- manners -------------------------------------------------------------------------------------------------------


@pytest.mark.posix
@pytest.mark.parametrize("options", [[], ["--stream", "--block-rows", 20]])
def test_an_interrupt_saves_the_tagger_so_far(options, files, tmp_path, capsys, monkeypatch):
    shown = []

    def interrupted(*arguments):
        shown.append(arguments)
        if len(shown) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(tagger_training, "show_progress", interrupted)
    assert run("train", files / "train.conll", "-o", tmp_path / "m", "--passes", 1000, *options) == 130
    assert "the model so far is in" in capsys.readouterr().err
    assert rb.load(tmp_path / "m").n_iter_ <= 3
    assert run("evaluate", tmp_path / "m", files / "test.conll") == 0


@pytest.mark.posix
def test_pipes_are_read_as_files_are(model, files, tmp_path):
    text = (files / "test.conll").read_bytes()
    command = [sys.executable, "-m", "rosenblatt", "predict", str(model), "-"]
    ended = subprocess.run(command, input=text, capture_output=True)
    by_name = subprocess.run([*command[:-1], str(files / "test.conll")], capture_output=True)
    assert ended.stdout == by_name.stdout
    assert ended.returncode == 0
    command = [sys.executable, "-m", "rosenblatt", "train", "-", "-q", "-o"]
    for options in (["--stream", "--passes", "1"], ["--stream"], ["--held-out", "0.2"]):
        path = str(tmp_path / "m")
        assert subprocess.run([*command, path, *options], input=text, capture_output=True).returncode == 0
        assert cli.main(["train", str(files / "test.conll"), "-q", "-o", str(tmp_path / "n"), *options]) == 0
        same(path, rb.load(tmp_path / "n"), rb.data.read_sentences(files / "test.conll").sentences)


def test_no_command_on_sentences_imports_what_it_does_not_need(model, files, tmp_path):
    test = str(files / "test.conll")
    code = "import sys\nfrom rosenblatt.cli import main\n"
    for command in (["train", test, "-o", str(tmp_path / "m")], ["predict", str(model), test],
                    ["evaluate", str(model), test], ["explain", str(model), test],
                    ["inspect", str(model)]):  # fmt: skip
        code += f"assert main({command!r}) == 0\n"
        code += f"assert not {{'sklearn', 'scipy', 'pandas', 'pyarrow'}} & set(sys.modules), {command[0]!r}\n"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_explain_where_no_sequence_fits_the_constraints(tmp_path, capsys):
    (tmp_path / "train.conll").write_text("the D\ncat N\nsat V\n\na D\ndog N\nran V\n\nit P\n")
    train(tmp_path / "train.conll", "-o", tmp_path / "seen.model", "--constraints", "seen")
    assert run("explain", tmp_path / "seen.model", "the cat") == 0
    text = capsys.readouterr().out
    assert "inf" not in text
    assert "nan" not in text
    assert run("explain", tmp_path / "seen.model", "the cat", "--json", "--top", "1000") == 0
    told = json.loads(capsys.readouterr().out)
    assert sum(part["adds"] for part in told["parts"]) == pytest.approx(told["gap"])


def test_an_unknown_order_is_refused(files, capsys):
    assert run("train", files / "train.conll", "-o", files / "x.model", "--order", "3") == 2
    assert "unknown value 3; choose from 1, 2" in capsys.readouterr().err


def test_a_tagger_of_named_features_is_inspected(tmp_path, capsys):
    path = tmp_path / "named.model"
    rb.SequenceTagger(features=None).fit([[{"w": "a"}, {"w": "b"}]], [["X", "Y"]]).save(path)
    assert run("inspect", path) == 0
    text = capsys.readouterr().out
    assert "given by name" in text
    assert "every training sentence" in text
    assert "tags" in text
    assert run("explain", path) == 0
    for arguments in (("predict", path, path), ("explain", path, "a b")):
        assert run(*arguments) == 1
        assert "takes features by name, which files do not hold" in capsys.readouterr().err


def test_sentences_for_a_model_of_rows(files, tmp_path, capsys):
    rb.Perceptron().fit([[0, 1], [1, 0]], [0, 1]).save(tmp_path / "rows.model")
    for arguments in (
        ("predict", tmp_path / "rows.model", files / "test.conll"),
        ("train", files / "train.conll", "-o", tmp_path / "x.model", "--algorithm", "perceptron"),
    ):
        assert run(*arguments) == 1
        assert "those are for taggers, which train makes of such files unless" in capsys.readouterr().err


def test_tags_with_blanks_are_predicted_as_json(tmp_path, capsys):
    path = tmp_path / "spaces.model"
    rb.SequenceTagger().fit([["a", "b"]], [["New York", "Y"]]).save(path)
    (tmp_path / "text.txt").write_text("a b\n")
    assert run("predict", path, tmp_path / "text.txt", "--format", "words") == 1
    assert "the cell 'New York' cannot be written in columns; say --json" in capsys.readouterr().err
    assert run("predict", path, tmp_path / "text.txt", "--format", "words", "--json") == 0
    assert json.loads(capsys.readouterr().out)["tags"] == ["New York", "Y"]


def test_tags_that_a_resumed_tagger_did_not_know_are_told(tmp_path, capsys):
    def notes(text, *options):
        (tmp_path / "t.conll").write_text(text)
        assert run("train", "-q", tmp_path / "t.conll", *options) == 0
        return capsys.readouterr().err

    assert notes("a DT\ndog NN\n\n" * 4, "-o", tmp_path / "m") == ""
    resume = "--resume", tmp_path / "m", "-o", tmp_path / "n"
    assert notes("a DT\ndog NN\n\n", *resume) == ""
    assert notes("a DT\nbarks VB\n\n", *resume) == "1 tag that the model did not know: VB\n"
    told = "2 tags that the model did not know: DET, NOUN; none of its own (DT, NN) occurs\n"
    assert notes("a DET\ndog NOUN\n\n", *resume) == told
