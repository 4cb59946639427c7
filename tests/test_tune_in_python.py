"""What `rb.tune` says of files and frames is in the words of Python; the command says the same in options."""

from pathlib import Path

import numpy as np
import pytest
from refusals import one_sentence

import rosenblatt as rb
from rosenblatt import cli

N = 60
X = np.random.default_rng(0).standard_normal((N, 2)).round(3)
MOODS = np.where(X[:, 0] > 0, "pos", "neg").tolist()
TEXTS = [f"{'good' if mood == 'pos' else 'bad'} film number {i}" for i, mood in enumerate(MOODS)]


def lines(*columns, header):
    return "\n".join([header, *(",".join(map(str, row)) for row in zip(*columns))]) + "\n"


FILES = {
    "texts.csv": lines(MOODS, TEXTS, header="label,text"),
    "numbers.csv": lines(X[:, 0], X[:, 1], MOODS, header="x,z,label"),
    "no label.csv": lines(X[:, 0], X[:, 1], header="x,z"),
    "unique.csv": lines(X[:, 0], range(N), header="x,label"),
    "codes.csv": lines([*X[:, 0], *X[:, 0]], [7 + 3 * i for i in range(2 * N)], header="x,label"),
    "labels alone.csv": lines(MOODS, range(N), header="label,id"),
    "odd.csv": lines(X[:, 0], [*range(20_000, 20_000 + 137 * (N - 1), 137), "x"], MOODS, header="x,odd,label"),
    "odd label.csv": lines(X[:, 0], [*[i % 2 for i in range(N - 1)], "x"], header="x,label"),
    "missing.csv": lines([*X[:-1, 0], ""], X[:, 1], MOODS, header="x,z,label"),
    "rows.svm": "".join(f"{i % 2} 1:{a} 2:{b}\n" for i, (a, b) in enumerate(X.tolist())),
    "zero.svm": "".join(f"{i % 2} 0:{a} 2:{b}\n" for i, (a, b) in enumerate(X.tolist())),
}

#: The file, options, and what each door says.
REFUSED = [
    ("no label.csv", {}, "no column looks like the labels; name it with {}", "label=…", "--label"),
    ("unique.csv", {"label_type": "text"}, "or for a regression say {}", "algorithm='pa2-regressor'",
     "--algorithm pa2-regressor"),
    ("codes.csv", {}, "looks like a regression; say {}", "algorithm='pa2-regressor' for a regression, or "
     "algorithm='averaged' for classes", "--algorithm pa2-regressor for a regression, or --algorithm averaged for "
     "classes"),
    ("labels alone.csv", {}, "no column is left to learn from; name them with {}",
     "text=…, numeric=… or categorical=…", "--text, --numeric or --categorical"),
    ("odd.csv", {}, "{}", "this one with numeric='odd' or text='odd', or leave out the column with drop='odd', or such "
     "rows with on_error='skip'", "this one with --numeric odd or --text odd, or leave out the column with --drop odd, "
     "or such rows with --on-error skip"),
    ("odd label.csv", {}, "if labels are words, say {}", "label_type='text', or leave out such rows with "
     "on_error='skip'", "--label-type text, or leave out such rows with --on-error skip"),
    ("missing.csv", {}, "fill it in, or say {}", "missing='absent'", "--missing absent"),
    ("rows.svm", {"bits": 4}, "{} is of columns of text", "bits=…", "--bits"),
    ("rows.svm", {"zero_based": False, "standardise": True, "norm": "l2"}, "{} exclude each other",
     "standardise=True and norm='l2'", "--standardise and --norm l2"),
    ("zero.svm", {"zero_based": False}, "if they count from 0, say {}", "zero_based=True", "--zero-based yes"),
    ("numbers.csv", {"ngrams": 3}, "no column is text; name one with {}, or leave it out", "text=…", "--text"),
    ("numbers.csv", {"supervised": False}, "{} is of text", "supervised=False", "--no-supervised"),
    ("numbers.csv", {"class_weight": {"z": 2}}, "{} names z, which is not among the labels", "class_weight=…",
     "--class-weight"),
    ("rows.svm", {"class_weight": {"z": 2}}, "{} names z, and the labels are numbers", "class_weight=…",
     "--class-weight"),
    ("numbers.csv", {"algorithm": "kernel"}, "{} is not tuned", "algorithm='kernel'", "--algorithm kernel"),
    ("numbers.csv", {"algorithm": "perceptron", "C": 2}, "{}", "C=… does not go with algorithm='perceptron'",
     "-C does not go with --algorithm perceptron"),
    ("numbers.csv", {"algorithm": "perceptron", "fit_intercept": False, "intercept_scaling": 2}, "{}",
     "intercept_scaling=… is of a bias, and the learner has none here; say fit_intercept=True",
     "--intercept-scaling is of a bias, and the learner has none here; say --fit-intercept"),
    ("numbers.csv", {"memory": "4KB"}, "or hold more with {}", "memory=…",
     "--memory SIZE"),
    ("texts.csv", {"analyzer": "char", "min_length": 2}, "{} reads characters",
     "min_length=… is of words, and analyzer='char'", "--min-length is of words, and --analyzer char"),
    ("texts.csv", {"held_out": 0.0001}, "{} holds out none of 60 rows", "held_out=0.0001", "--held-out 0.0001"),
    ("texts.csv", {"norm": "l3"}, "{}: unknown value 'l3'; choose from l2, none", "norm", "argument --norm"),
    ("texts.csv", {"C": "much"}, "{}", "C: ", "argument -C: "),
]  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


def typed(options):
    words = []
    for name, value in options.items():
        flag = "-C" if name == "C" else f"--{name.replace('_', '-')}"
        if name == "zero_based":
            words += [flag, "yes" if value else "no"]
        elif isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        else:
            words += [flag, "z=2" if isinstance(value, dict) else str(value)]
    return words


@pytest.mark.parametrize(("name", "options", "sentence", "python", "command"), REFUSED)
def test_options_are_spelled_as_they_are_given(name, options, sentence, python, command, files, capsys):
    with pytest.raises(ValueError) as caught:
        rb.tune(name, budget=2, **options)
    told = str(caught.value)
    assert sentence.format(python) in told
    assert "--" not in told
    assert "\n" not in told
    assert cli.main(["tune", name, "-o", "m", "--budget", "2", *typed(options)]) in (1, 2)
    assert sentence.format(command) in capsys.readouterr().err


def test_a_frame_is_told_so_too(files):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": X[:, 0], "z": X[:, 1]})
    one_sentence(
        lambda: rb.tune(frame, budget=2), ValueError, "data: no column looks like the labels; name it with label=…"
    )


def test_what_is_no_option_is_told_with_what_may_be_meant(files):
    for name, near in (("ngram", " (did you mean 'ngrams'?)"), ("zzz", ""), ("help", "")):
        with pytest.raises(TypeError) as caught:
            rb.tune("texts.csv", budget=2, **{name: 3})
        assert str(caught.value) == f"{name} is no option of tune in Python{near}"


def test_notes_are_in_words_of_python(files, capsys):
    text = lines(X[:, 0].tolist() * 4, [i % 60 for i in range(4 * N)], header="x,label")
    Path("many.csv").write_text(text)
    rb.tune("many.csv", budget=2)
    err = capsys.readouterr().err
    assert "for a regression say algorithm='pa2-regressor'" in err
    assert "--" not in err


def test_indices_that_count_from_0_can_be_said(files):
    assert rb.tune("zero.svm", budget=2, zero_based=True).estimator.n_features_in_ == 3
    assert "--zero-based yes" in rb.tune("zero.svm", budget=2, zero_based=True).command
