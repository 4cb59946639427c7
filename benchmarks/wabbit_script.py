"""What a user of Vowpal Wabbit would write: from a CSV or svmlight file to a model on disk.

``python benchmarks/wabbit_script.py PASSES TRAIN MODEL`` trains and prints how long its own format took to write;
``… score MODEL TEST`` prints the accuracy.
"""

import csv
import json
import re
import sys
import time
from pathlib import Path

from sklearn_script import table

WORD = re.compile(r"(?u)\b\w\w+\b")
WABBIT_TEXT = ("--ngram", 2, "-b", 22, "--loss_function", "logistic", "--quiet")
WABBIT_TABLE = ("--loss_function", "logistic", "--quiet")
BITS_OF_CLASSES = 24  # of the table of weights that several classes of text share


def examples(path):
    """The label and the features of each row, and whether they are text."""
    if not path.endswith(".csv"):
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip().partition(" ") for line in file]
        return [row[0] for row in rows], [row[2] for row in rows], False
    with open(path, encoding="utf-8", newline="") as file:
        if len(next(csv.reader(file))) == 2:
            texts, labels = table(path)
            return labels, [" ".join(WORD.findall(text.lower())) for text in texts], True
        rows = [line.rstrip().split(",") for line in file]
    features = [" ".join(f"{j}:{value}" for j, value in enumerate(row[:-1]) if value != "0") for row in rows]
    return [row[-1] for row in rows], features, False


def run(*options):
    from vowpalwabbit import pyvw  # here, as the names above are wanted without it too

    pyvw.Workspace(" ".join(map(str, options))).finish()


def train(passes, path, model):
    began = time.perf_counter()
    labels, features, is_text = examples(path)
    classes = sorted(set(labels))
    rows = f"{model}.vw"
    codes = {label: 2 * i - 1 if len(classes) == 2 else i + 1 for i, label in enumerate(classes)}  # −1, 1 or 1, 2, …
    Path(rows).write_text("".join(f"{codes[a]} | {b}\n" for a, b in zip(labels, features)), encoding="utf-8")
    prepared = time.perf_counter() - began
    options = WABBIT_TEXT if is_text else WABBIT_TABLE
    if len(classes) > 2:
        options = ("--oaa", len(classes), *(BITS_OF_CLASSES if option == 22 else option for option in options))
    if passes > 1:
        options = (*options, "--passes", passes, "-c", "-k", "--holdout_off")
    run("-d", rows, *options, "-f", model)
    Path(f"{model}.classes").write_text(json.dumps(classes), encoding="utf-8")
    return prepared


def score(model, path):
    classes = json.loads(Path(f"{model}.classes").read_text(encoding="utf-8"))
    labels, features, _ = examples(path)
    rows, answers = f"{model}.test.vw", f"{model}.answers"
    Path(rows).write_text("".join(f"| {row}\n" for row in features), encoding="utf-8")
    run("-d", rows, "-t", "--quiet", "-i", model, "-p", answers)
    numbers = [float(line.split()[0]) for line in Path(answers).read_text(encoding="utf-8").splitlines()]
    codes = [number > 0 if len(classes) == 2 else int(number) - 1 for number in numbers]
    return sum(classes[code] == label for code, label in zip(codes, labels)) / len(labels)


if __name__ == "__main__":
    what, first, second = sys.argv[1:]
    print(score(first, second) if what == "score" else train(int(what), first, second))
