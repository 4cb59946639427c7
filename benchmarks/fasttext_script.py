"""What a user of fastText would write: from a CSV file of texts to a model on disk.

``python benchmarks/fasttext_script.py RECIPE TRAIN MODEL`` trains and prints how long its own format took to write;
``… score MODEL TEST`` prints the accuracy. Recipes: ``pairs`` (as it comes, with pairs of words), ``tutorial`` (the
settings at which fastText's tutorial on classification arrives), ``autotune-SECONDS``.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

import fasttext
from sklearn_script import table

SYMBOLS = re.compile(r"([.!?,'/()])")  # set apart, as the tutorial's sed does
RECIPES = {"pairs": {"wordNgrams": 2}, "tutorial": {"wordNgrams": 2, "lr": 1.0, "epoch": 25}}
HELD_OUT = 10  # every tenth row is what the autotune judges by


def words(text):
    return " ".join(SYMBOLS.sub(r" \1 ", text.lower()).split())


def train(recipe, path, model):
    began = time.perf_counter()
    texts, labels = table(path)
    classes = sorted(set(labels))
    codes = {label: code for code, label in enumerate(classes)}  # labels may hold spaces
    lines = [f"__label__{codes[label]} {words(text)}\n" for label, text in zip(labels, texts)]
    rows, judged = Path(f"{model}.rows"), Path(f"{model}.judged")
    options = {"input": str(rows), "verbose": 0, "thread": len(os.sched_getaffinity(0))}
    if recipe.startswith("autotune-"):
        judged.write_text("".join(lines[::HELD_OUT]), encoding="utf-8")
        lines = [line for i, line in enumerate(lines) if i % HELD_OUT]
        options |= {"autotuneValidationFile": str(judged), "autotuneDuration": int(recipe.partition("-")[2])}
    else:
        options |= RECIPES[recipe]
    rows.write_text("".join(lines), encoding="utf-8")
    prepared = time.perf_counter() - began
    fasttext.train_supervised(**options).save_model(model)
    Path(f"{model}.classes").write_text(json.dumps(classes), encoding="utf-8")
    return prepared


def score(model, path):
    classes = json.loads(Path(f"{model}.classes").read_text(encoding="utf-8"))
    texts, labels = table(path)
    guesses, _ = fasttext.load_model(model).predict([words(text) for text in texts])
    codes = [int(guess[0].removeprefix("__label__")) if guess else 0 for guess in guesses]  # no known word: no guess
    return sum(classes[code] == label for code, label in zip(codes, labels)) / len(labels)


if __name__ == "__main__":
    what, first, second = sys.argv[1:]
    print(score(first, second) if what == "score" else train(what, first, second))
