"""The command ``demo``: a tour of the other commands, on files that it writes."""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from pathlib import Path

from .terminal import CommandError

#: Words alone cannot tell these apart.
PHRASES = "label,text\npos,good\nneg,bad\nneg,not good\npos,not bad\n"

REVIEWS = """sentiment,review
pos,"A wonderful film: warm, funny and never dull."
neg,"A dull film, poor jokes, and far too long."
pos,"Not bad at all! I laughed, and the ending is great."
neg,"Not good. The plot is a mess and the jokes are bad."
pos,"Great actors, a great script; I liked every minute."
neg,"I was bored: bad script, poor actors, a waste of time."
pos,"Funny and warm, with a wonderful ending."
neg,"The ending is a waste, and the rest is not funny."
pos,"Never dull, and the jokes are good."
neg,"Far too long, and not a good joke in it."
pos,"I liked it: good jokes, a fine script."
neg,"A mess of a film. I did not like a minute of it."
"""
NEW = "review\nThe script is wonderful and the actors are funny\nA waste of a good script: too long and dull\n"

STOPS = (
    ("Four phrases: no weights of their words classify them all. A proof", "separable phrases.csv --text text"),
    ("With pairs of words they are separable: the maximum margin", "separable phrases.csv --text text --ngrams 2"),
    ("The perceptron on them, step by step, in exact fractions",
     "trace phrases.csv --text text --ngrams 2 --exact --updates"),
    ("From raw reviews to a model in one command", "train reviews.csv -o mood.model"),
    ("The strongest features of each class", "explain mood.model --top 6"),
    ("A prediction explained, word by word", 'explain mood.model "not bad, and never dull" --top 6'),
    ("Predictions for new reviews", "predict mood.model new.csv --scores"),
    ("What the model file says of the model", "inspect mood.model"),
)  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Run the tour."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(arguments.keep or made)
        folder.mkdir(parents=True, exist_ok=True)
        files = {folder / "phrases.csv": PHRASES, folder / "reviews.csv": REVIEWS, folder / "new.csv": NEW}
        for path, content in files.items():
            if path.exists() and path.read_bytes() != content.encode():
                raise CommandError(f"{path} exists with other content and would be overwritten; name another folder")
        for path, content in files.items():
            path.write_bytes(content.encode())
        before = os.getcwd()
        os.chdir(folder)
        try:
            return _tour()
        finally:
            os.chdir(before)


def _tour() -> int:
    from . import main

    for number, (heading, command) in enumerate(STOPS, 1):
        line = f"{number}  {heading}"
        print(f"{line}\n{'─' * len(line)}\n$ rosenblatt {command}", flush=True)
        code = main(shlex.split(command))
        if code:
            return code
        print(flush=True)
    return 0
