"""Taggers of sentences beside python-crfsuite and NLTK: chunks of CoNLL-2000, parts of speech of UD English-EWT."""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import numpy as np
from harness import Missing, Row, Setting, Work, peer, race, row
from processes import done, ours, peak, pinned, script

import rosenblatt as rb
from rosenblatt.sequences.phrases import score_tags

QUESTION = "sequences"
SEEDS = 5
PASSES = 10
F1, ACCURACY, MEGABYTES = 0.936, 0.950, 200.0  # to reach
CHUNKS = "CoNLL-2000, 8,936 sentences, the 19 templates of CRFsuite's chunking example, 10 passes"
TAGS = "UD English-EWT, 12,544 sentences, universal parts of speech"
TRAIN = ("--templates", "chunking", "--passes", PASSES, "-q")


def chunk_files(folder: Path) -> tuple[Path, Path]:
    """The training and the test file of CoNLL-2000."""
    with zipfile.ZipFile(datasets.source("conll2000", "conll2000.zip")) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.endswith(("train.txt", "test.txt"))])
    return folder / "conll2000" / "train.txt", folder / "conll2000" / "test.txt"


@functools.cache
def parts_of_speech(part: str) -> tuple[list[list[str]], list[list[str]]]:
    """Words and universal tags of a part of EWT."""
    read = rb.data.read_sentences(datasets.source("ud_ewt", f"en_ewt-ud-{part}.conllu.gz"), tag="upos")
    return read.X, read.y


def tagged_columns(path: Path) -> list[list[str]]:
    """The last column of each sentence of a file."""
    from crfsuite_script import sentences

    return [[columns[-1] for columns in tokens] for tokens in sentences(str(path))]


def f1(gold: Path, out: Path) -> float:
    scores = score_tags(tagged_columns(gold), tagged_columns(out)).phrases
    return 0.0 if scores is None else scores.f1


def chunks(setting: Setting) -> Iterator[Row]:
    """File to model on disk, columns to columns, F1 and memory."""
    name = peer("python-crfsuite", "averaged perceptron")
    import crfsuite_script

    train, test = chunk_files(setting.folder)
    model, other = setting.folder / "chunks.model", setting.folder / "chunks.crfsuite"
    tagged, other_tagged = setting.folder / "ours.txt", setting.folder / "theirs.txt"

    def our_training(seed: int) -> None:
        done(ours("train", train, "-o", model, *TRAIN, "--seed", seed))

    def their_training(seed: int) -> None:
        done(script("crfsuite_script.py", train, other))

    def our_tagging(seed: int) -> None:
        with rb.data.stream_sentences(test, keep=True) as stream, tagged.open("w", encoding="utf-8") as out:
            for part in stream:
                predicted = loaded.predict(part.sentences)
                out.write(stream.written(part, [tag for tags in predicted for tag in tags]))

    def their_tagging(seed: int) -> None:
        crfsuite_script.tag(str(other), str(test), str(other_tagged))

    def judged(*_: Any) -> str:
        return f"F1 {100 * f1(test, tagged):.2f}, python-crfsuite {100 * f1(test, other_tagged):.2f}"

    yield race(
        QUESTION, "chunks-train", f"file to model on disk: {CHUNKS}", our_training, their_training, None,
        setting.repeats, ours_name="rosenblatt train", peer_name=name, reach=4.0,
    )  # fmt: skip
    loaded = rb.load(model)
    with pinned(1):
        yield race(
            QUESTION, "chunks-tag", "columns to columns, 47,377 tokens, one core", our_tagging, their_tagging, judged,
            setting.repeats, warm=True, ours_name="rosenblatt", peer_name=name, reach=4.0,
        )  # fmt: skip
    bytes_used = [peak(ours("train", train, "-o", model, *TRAIN)), peak(script("crfsuite_script.py", train, other))]
    megabytes = [value / 1e6 for value in bytes_used]
    yield row(
        QUESTION, "chunks-memory", "peak memory of the process that trains, of 200 MB", unit="MB", at_most=True,
        reach=1.0, ours=megabytes[:1], peer=megabytes[1:], ratios=[megabytes[0] / MEGABYTES],
        ours_name="rosenblatt train", peer_name=name,
    )  # fmt: skip
    found = []
    for seed in range(1 if setting.quick else SEEDS):
        our_training(seed)
        loaded = rb.load(model)
        our_tagging(seed)
        found.append(f1(test, tagged))
    yield row(
        QUESTION, "chunks-f1", f"F1 of phrases, mean of {len(found)} seeds, of {100 * F1:.1f} %", unit="accuracy",
        ours=[float(np.mean(found))], peer=[f1(test, other_tagged)], ratios=[float(np.mean(found)) / F1], reach=1.0,
        ours_name="rosenblatt train", peer_name=name,
        learned=f"F1 by seed {', '.join(f'{100 * value:.2f}' for value in found)}",
    )  # fmt: skip


def speech(setting: Setting) -> Iterator[Row]:
    """Training and tagging parts of speech beside NLTK's tagger."""
    try:
        from nltk.tag.perceptron import PerceptronTagger
    except ImportError:
        raise Missing("nltk is not installed") from None
    (X, y), (X_test, y_test) = parts_of_speech("train"), parts_of_speech("test")
    pairs = [list(zip(words, tags)) for words, tags in zip(X, y)]
    name = peer("nltk", "PerceptronTagger")

    def theirs(seed: int) -> Any:
        tagger = PerceptronTagger(load=False)
        tagger.train(pairs, nr_iter=5)
        return tagger

    def tagger(seed: int) -> Any:
        return rb.SequenceTagger(max_iter=5, random_state=seed).fit(X, y)

    def accuracy(predicted: list[list[str]]) -> float:
        return score_tags(y_test, predicted).accuracy

    models: dict[str, Any] = {}

    def judged(our_tagger: Any, their_tagger: Any) -> str:
        models.update(ours=our_tagger, theirs=their_tagger)
        theirs_right = accuracy([[tag for _, tag in their_tagger.tag(words)] for words in X_test])
        return f"accuracy {100 * our_tagger.score(X_test, y_test):.2f} %, NLTK {100 * theirs_right:.2f} %"

    yield race(
        QUESTION, "speech-train", f"{TAGS}, 5 passes", tagger, theirs, judged, min(3, setting.repeats),
        ours_name="SequenceTagger", peer_name=name, reach=8.0,
    )  # fmt: skip
    with pinned(1):
        yield race(
            QUESTION, "speech-tag", "tagging its test part, 25,094 words, one core",
            lambda seed: models["ours"].predict(X_test), lambda seed: [models["theirs"].tag(words) for words in X_test],
            None, setting.repeats, warm=True, ours_name="SequenceTagger", peer_name=name, reach=8.0,
        )  # fmt: skip
    found = [
        rb.SequenceTagger(random_state=seed).fit(X, y).score(X_test, y_test)
        for seed in range(1 if setting.quick else SEEDS)
    ]
    yield row(
        QUESTION, "speech-accuracy", f"test accuracy, mean of {len(found)} seeds, of {100 * ACCURACY:.1f} %",
        unit="accuracy", ours=[float(np.mean(found))], ratios=[float(np.mean(found)) / ACCURACY], reach=1.0,
        ours_name="SequenceTagger, 10 passes", peer_name="",
        learned=f"accuracy by seed {', '.join(f'{100 * value:.2f}' for value in found)}",
    )  # fmt: skip


WORKS = [Work("chunks", QUESTION, chunks), Work("speech", QUESTION, speech)]
