"""The chunking example of CRFsuite by python-crfsuite: ``python crfsuite_script.py train.txt model``.

Its 19 templates of words and parts of speech, left out where they reach beyond the sentence, and the marks of the first
and the last token; the averaged perceptron, 10 iterations.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pycrfsuite

ITERATIONS = 10
#: Each template: columns (0 the word, 1 the part of speech) and where.
TEMPLATES = [
    *(((0, at),) for at in (-2, -1, 0, 1, 2)), ((0, -1), (0, 0)), ((0, 0), (0, 1)),
    *(((1, at),) for at in (-2, -1, 0, 1, 2)), *(((1, at), (1, at + 1)) for at in (-2, -1, 0, 1)),
    *(((1, at), (1, at + 1), (1, at + 2)) for at in (-2, -1, 0)),
]  # fmt: skip
NAMED = [("|".join(f"{'wp'[c]}[{at}]" for c, at in cells) + "=", cells) for cells in TEMPLATES]


def sentences(path: str) -> Iterator[list[list[str]]]:
    """The columns of each token of each sentence."""
    held: list[list[str]] = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if columns := line.split():
                held.append(columns)
            elif held:
                yield held
                held = []
    if held:
        yield held


def features(tokens: list[list[str]]) -> list[list[str]]:
    """The names of the features of each token."""
    n, out = len(tokens), []
    for i in range(n):
        names = []
        for name, cells in NAMED:
            values = []
            for column, at in cells:
                if not 0 <= i + at < n:
                    break
                values.append(tokens[i + at][column])
            else:
                names.append(name + "|".join(values))
        if i == 0:
            names.append("__BOS__")
        if i == n - 1:
            names.append("__EOS__")
        out.append(names)
    return out


def train(path: str, model: str) -> None:
    trainer = pycrfsuite.Trainer(algorithm="averaged-perceptron", params={"max_iterations": ITERATIONS}, verbose=False)
    for tokens in sentences(path):
        trainer.append(features(tokens), [columns[-1] for columns in tokens])
    trainer.train(model)


def tag(model: str, path: str, out: str) -> None:
    """Columns in, the same and the tag out."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    with open(out, "w", encoding="utf-8") as file:
        for tokens in sentences(path):
            for columns, own in zip(tokens, tagger.tag(features(tokens))):
                file.write(" ".join(columns) + " " + own + "\n")
            file.write("\n")


if __name__ == "__main__":
    train(sys.argv[1], sys.argv[2])
